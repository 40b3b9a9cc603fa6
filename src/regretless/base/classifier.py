"""The base of all classifiers: labels of any kind, their lanes, and predictions by label."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless._core import Want
from regretless.base import rows
from regretless.base.arguments import Array, importance, instance, listed, number, shown, sound
from regretless.base.learner import Learner, Outcome, weight_array
from regretless.base.state import Parts
from regretless.base.threads import in_core, in_turn

# --- labels of any hashable type, and their lanes -------------------------------------------------


def _missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or NA."""
    try:
        return label is None or bool(label != label)  # noqa: PLR0124
    except TypeError:
        return True


def _kind(label: Any) -> str:
    if isinstance(label, (bool, int, float, np.number, np.bool_)):
        return "number"
    return "string" if isinstance(label, str) else type(label).__name__


class Labels:
    """The labels seen, each with its class number.

    Two labels share one lane, whose score is that of the second label. If they can be compared, the
    second is the larger one, so that True, 1 and "yes" have positive scores whichever came first. A bool
    as the first label adds the other bool as well. If there are three or more labels, each has its own
    lane, in order of appearance.
    """

    def __init__(self, labels: Sequence[Hashable] = ()) -> None:
        self.labels: list[Any] = list(labels)
        self.index: dict[Any, int] = {label: k for k, label in enumerate(self.labels)}

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels, (list(self.labels),)  # the index follows

    @property
    def array(self) -> NDArray[Any]:
        """The labels as an array, which keeps them as they are."""
        plain = None
        if not any(isinstance(label, tuple) for label in self.labels):
            plain = np.array(self.labels)
        if plain is not None and plain.tolist() == self.labels:
            return plain
        out = np.empty(len(self.labels), object)  # tuples, and strings that end in NUL
        out[:] = self.labels
        return out

    def check(self, label: Any) -> Any:
        """The label as a plain value; `ValueError` if it cannot be a label beside the others."""
        try:
            hash(label)
        except TypeError:
            raise ValueError(
                f"y={shown(label)} is a {type(label).__name__}, which is not hashable"
            ) from None
        if _missing(label):
            raise ValueError(f"y={shown(label)} is not a label; leave examples without a label out")
        if self.labels and _kind(label) != _kind(self.labels[0]):
            raise ValueError(
                f"y={shown(label)} is a {_kind(label)}, but the labels so far are of the kind "
                f"{_kind(self.labels[0])} ({self.labels[0]!r}); use one type of label"
            )
        return label.item() if isinstance(label, np.generic) else label

    def lanes(self, label: Any) -> tuple[list[int], list[int]] | None:
        """The change of lanes for a new label (see `Learner.relane`); None if they stay."""
        count = len(self.labels)
        if count == 1 and _comes_first(label, self.labels[0]):
            return [0], [-1]
        if count == 2:
            return [0, 0, -1], [-1, 1, 1]
        return ([*range(count), -1], [1] * (count + 1)) if count > 2 else None

    def add(self, label: Any) -> None:
        """Add a new label."""
        count = len(self.labels)
        self.labels += [False, True] if count == 0 and isinstance(label, bool) else [label]
        if count == 1 and _comes_first(label, self.labels[0]):
            self.labels.reverse()
        first = count if count > 1 else 0
        self.index.update((each, k) for k, each in enumerate(self.labels[first:], first))

    def take_back(self, label: Any) -> tuple[list[int], list[int]] | None:
        """Remove the label that was added last; returns the change of lanes, None if they stay."""
        count = len(self.labels)
        lanes: tuple[list[int], list[int]] | None = None
        if count > 3:
            lanes = [*range(count - 1)], [1] * (count - 1)
        elif count == 3:
            lanes = [1], [1]
        elif count == 2 and self.labels[0] == label:
            lanes = [0], [-1]
        self.labels.remove(label)
        if isinstance(label, bool):  # it had added the other bool
            self.labels, lanes = [], None
        self.index = {label: k for k, label in enumerate(self.labels)}
        return lanes

    def encode(self, labels: NDArray[Any]) -> tuple[NDArray[np.int32], list[tuple[int, Any]]]:
        """Class numbers, -1 for new labels; and the new labels with the index of their first example."""
        if len(labels) > 64 and len(self.labels) <= 16 and labels.dtype != object:
            codes = np.full(len(labels), -1, np.int32)
            known = self.labels if not self.labels or _matches(labels, self.labels[0]) else []
            for k, label in enumerate(known):
                codes += np.multiply(labels == label, k + 1, dtype=np.int32)
        else:
            get = self.index.get
            try:
                codes = np.array([get(label, -1) for label in labels.tolist()], np.int32)
            except TypeError:  # not hashable
                for label in labels:
                    self.check(label)
                raise
        if not codes.size or codes.min() >= 0:
            return codes, []
        unknown = np.flatnonzero(codes < 0)
        if labels.dtype != object:  # the first index of each, without a loop in Python
            _, first = np.unique(labels[unknown], return_index=True)
            unknown = unknown[np.sort(first)]
        fresh: dict[Any, int] = {}
        for t in unknown.tolist():
            label = labels[t]
            fresh.setdefault(label.item() if isinstance(label, np.generic) else label, t)
        return codes, [(t, label) for label, t in fresh.items()]


def _matches(labels: NDArray[Any], label: Any) -> bool:
    return (labels.dtype.kind in "biuf") == (_kind(label) == "number")


def _comes_first(a: Any, b: Any) -> bool:
    try:
        return bool(a < b)
    except TypeError:
        return False


# --- classifiers -----------------------------------------------------------------------------------


class Classifier(Learner):
    """A learner that predicts labels of any hashable type, which may appear at any time.

    Two labels share one lane. Three or more labels have one lane each, which separates the label from
    the rest. When the third label appears, the lane of the first two is split into two mirrored lanes.
    The lane of a later label is that of a learner that starts with the first example of the label: its
    weights are zero, and rounds, rates, penalties and totals count from there. Lanes share only what is
    known about the features: their names and, if the rule keeps that once for all labels ("coin",
    `Auto`), their largest values. `loss_` and `certificate()` add up all lanes, each from its start.
    """

    classifies: ClassVar[bool] = True

    def _reset(self) -> None:
        super()._reset()
        self._labels = Labels()

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen, in the order of the columns of `predict_proba`."""
        return self._labels.array

    # --- one at a time -------------------------------------------------------------------------------

    @in_core
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: features `x`, label `y`, importance `w >= 0` (0 skips it)."""
        known = self._labels.index
        count = len(known)
        try:
            label = known.get(y)
        except TypeError:
            label = None
        if label is not None and isinstance(x, dict) and type(w) is float:
            core = self._model
            # threads switch at calls only, so the label has not changed since it was looked up
            if core is not None and self._labels.index is known and len(known) == count:
                return core.learn_class(x, label, w)
        return self._learn_one(x, y, w)

    @in_turn
    def _learn_one(self, x: Any, y: Any, w: float) -> None:
        core = self._model or self._start()
        if not isinstance(x, dict):
            x = self._row(x)
        label = self._class_of(y)
        if label is None:
            self._learn_new(x, y, w)
        else:
            core.learn_class(x, label, w if type(w) is float else number(w, "w"))

    def step(self, x: Any, y: Any, w: float = 1.0) -> Any:
        """Predict and learn in one pass over the row; returns the prediction from before learning."""
        core = self._model or self._start()
        if not isinstance(x, dict):
            x = self._row(x)
        label = self._class_of(y)
        if label is None:
            before = self._decide(core.score(x))
            self._learn_new(x, y, w)
            return before
        return self._decide(core.step_class(x, label, w if type(w) is float else number(w, "w")))

    @in_core
    def decision_one(self, x: Any) -> Any:
        """The raw score of the second of two labels; for more, a list in the order of `classes_`."""
        return (self._model or self._start()).score(x if isinstance(x, dict) else self._row(x))

    @in_core
    def predict_one(self, x: Any) -> Any:
        """The label with the highest score; None before any label has been seen."""
        core, known, labels = self._model, self._labels.index, self._labels.labels
        count = len(known)
        if core is not None and count > 1:  # from two labels on, labels keep their positions
            score = core.score(x if isinstance(x, dict) else self._row(x))
            if self._labels.index is known and len(known) == count:  # no label was added meanwhile
                return _decided(score, labels, count)
        return self._predict_one(x)

    @in_turn
    def _predict_one(self, x: Any) -> Any:
        return self._decide(self.decision_one(x))

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label seen so far."""
        labels = self._labels.labels
        p = (self._model or self._start()).probability(x if isinstance(x, dict) else self._row(x))
        if len(labels) == 2:
            return {labels[0]: 1.0 - p, labels[1]: p}
        return {labels[0]: 1.0} if len(labels) == 1 else dict(zip(labels, p)) if labels else {}

    def _class_of(self, y: Any) -> int | None:
        try:
            return self._labels.index.get(y)
        except TypeError:
            self._labels.check(y)  # raises a better error
            raise

    def _learn_new(self, x: Any, y: Any, w: float) -> None:
        """Add a new label after a check of the whole example, and learn the example."""
        label = self._labels.check(y)
        core = self._model or self._start()
        core.score(x)
        w = importance(w)
        if not w:  # neither the label nor the example is learned
            return
        self._add(label)
        try:
            core.learn_class(x, self._labels.index[label], w)
        except _core.Diverged:
            self._take_back(label)
            raise

    def _add(self, label: Any) -> None:
        """Give a new label its lane; `MemoryError`, with nothing changed, if there is no room."""
        if label in self._labels.index:
            return
        core = self._model or self._start()
        if len(self._labels.labels) > 2:
            core.extend(1)
        elif (lanes := self._labels.lanes(label)) is not None:
            core.relane(*lanes)
        self._labels.add(label)

    def _reserve(self, count: int) -> None:
        """Prepare the lanes of `count` further labels at once."""
        lanes = len(self._labels.labels) + count
        if count > 1 and lanes > 2:
            (self._model or self._start()).reserve(lanes)

    def _take_back(self, label: Any) -> None:
        """Remove the label that was added last, because its first example was refused."""
        lanes = self._labels.take_back(label)
        if lanes is not None and self._model is not None:
            self._model.relane(*lanes)

    def _decide(self, score: Any) -> Any:
        return _decided(score, self._labels.labels, len(self._labels.labels))

    # --- batches -------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of `X` one after the other, exactly as `learn_one` would."""
        self.partial_fit(X, y, None, w)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a batch; `classes` are labels that exist from the start."""
        for _ in self._learn(X, y, classes, sample_weight, Want.nothing):
            pass
        return self

    def validate_many(self, X: Any, y: Any, w: Any = None) -> list[Outcome]:
        """Predict each row, then learn it, as `step` does; returns losses and errors.

        If the learner does not know the label when it predicts (the label is new, or has come with
        weight 0 only), the prediction is wrong. Its loss is that of all lanes for "another label", plus
        the loss of a score of 0 for the missing lane.

        Each new label begins a further `Outcome`.
        """
        return self._validated(X, y, w)

    def _validated(self, X: Any, y: Any, w: Any, scores: bool = False) -> list[Outcome]:
        """As `validate_many`, with the `scores` of all labels if they are asked for."""
        want = Want.scores if scores else Want.best
        return [
            self._outcome(codes, told, losses, scores)
            for codes, (told, losses) in self._learn(X, y, None, w, want)
        ]

    def _learn(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, wanted: Want
    ) -> Iterator[tuple[NDArray[np.int32], Any]]:
        """Learn a batch in parts; yields the codes of the labels and the results of the core."""
        batch, labels, importance = rows.batch(X), label_array(y), weight_array(sample_weight)
        if len(labels) != batch.size:
            raise ValueError(f"X has {batch.size} rows, y has {len(labels)} labels")
        codes, fresh = self._joining(labels, importance)
        given = [] if classes is None else self._unknown(classes)
        if fresh or given:
            self._check(batch, importance, given + [label for _, label in fresh])
            self._reserve(len({*given, *(label for _, label in fresh)}))
            for label in given:
                self._add(label)
            codes, fresh = self._joining(labels, importance)
        if not fresh:
            want = self._wanted(codes, wanted)
            yield codes, self._feed(batch, np.maximum(codes, 0), importance, want)
            return
        # The lane of a label begins where the label first appears, so the batch is cut there.
        start, scored, newest = 0, 0, None
        for t, label in [*fresh, (batch.size, None)]:
            if t > start:
                part = slice(start, t)
                codes, _ = self._labels.encode(labels[part])
                weights = None if importance is None else importance[part]
                want, learned = self._wanted(codes, wanted), self.examples_
                try:
                    with _counting_from(start, self._model):
                        told = self._feed(batch[part], np.maximum(codes, 0), weights, want)
                except _core.Diverged:
                    if newest is not None and self.examples_ == learned:
                        self._take_back(newest)
                    raise
                if wanted is not Want.nothing:
                    told = told[0].reshape(t - start, -1)[scored:].ravel(), told[1][scored:]
                if t - start > scored:
                    yield codes[scored:], told
                start = t
            if label is not None:
                # the row is predicted before the label is added
                scored = int(wanted is not Want.nothing and label not in self._labels.index)
                if scored:
                    told = self._feed(batch[t : t + 1], None, None, Want.scores), np.zeros(1)
                    yield np.full(1, -1, np.int32), told
                self._add(label)
                newest = label

    def _joining(
        self, labels: NDArray[Any], importance: Array | None
    ) -> tuple[NDArray[np.int32], list[tuple[int, Any]]]:
        """Codes, -1 for new labels; and the new labels with the index where each first has a weight."""
        codes, unknown = self._labels.encode(labels)
        if not unknown or importance is None or len(importance) != len(labels):
            return codes, unknown
        for _, label in unknown:
            self._labels.check(label)
        there = np.flatnonzero(importance > 0)
        return codes, [(int(there[t]), label) for t, label in self._labels.encode(labels[there])[1]]

    def _wanted(self, codes: NDArray[np.int32], wanted: Want) -> Want:
        """The result wanted of the core: only the best of three or more labels if all are known."""
        if wanted is not Want.best:
            return wanted
        best = len(self._labels.labels) > 2 and not (codes < 0).any()
        return Want.best if best else Want.scores

    def _outcome(
        self, codes: NDArray[np.int32], scores: Any, losses: Any, all_scores: bool
    ) -> Outcome:
        outcome = self._judged(codes, scores, losses, all_scores)
        if not all_scores:
            return outcome
        told = scores.reshape(len(codes), -1)
        return replace(outcome, scores=told, codes=codes, labels=tuple(self._labels.labels))

    def _judged(
        self, codes: NDArray[np.int32], scores: Any, losses: Any, all_scores: bool
    ) -> Outcome:
        count, unknown = len(self._labels.labels), codes < 0
        if unknown.any():
            losses = np.where(
                unknown, self._losses_of_unknown(scores.reshape(len(codes), -1)), losses
            )
        if count > 2:  # if all labels are known, the core returned the best ones, not scores
            told = all_scores or unknown.any()
            best = scores.reshape(len(codes), -1).argmax(axis=1) if told else scores
            return Outcome(losses, (best != codes).astype(np.float64))
        if count < 2:  # before the second label every prediction is the first
            return Outcome(losses, unknown.astype(np.float64))
        positive = codes == 1
        p = np.where(unknown, np.nan, (self._model or self._start()).probabilities(scores))
        wrong = unknown | ((scores >= 0) != positive)
        return Outcome(losses, wrong.astype(np.float64), p, positive)

    def _losses_of_unknown(self, scores: Array) -> Array:
        """The loss of each row whose label is not known: see `validate_many`."""
        loss, count = self._parts()[0], len(self._labels.labels)
        missing = float(loss.value(0.0, 1.0))
        if count == 0:
            return np.full(len(scores), missing)
        if count == 1:  # the only lane, in which the known label is the other one
            return np.asarray(loss.value(scores[:, 0], 1.0))
        table = np.hstack([-scores, scores]) if count == 2 else scores
        return np.asarray(loss.value(table, -1.0).sum(axis=1) + missing)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn `X` in one pass; all labels with a weight are known from the start."""
        fresh = Learner.clone(self)  # a failure keeps what was learned before
        fresh.partial_fit(X, y, weighed(label_array(y), weight_array(sample_weight)), sample_weight)
        self._take(fresh._model)
        self._labels, self._schema = fresh._labels, fresh._schema
        return self

    def _check(self, batch: rows.Batch, importance: Any, fresh: list[Any]) -> None:
        """Check the whole batch before anything changes."""
        known = Labels(self._labels.labels)
        for label in fresh:
            known.check(label)
            known.add(label)
        self._feed(batch, None, importance)  # without labels and scores, a check only

    def _unknown(self, labels: Any) -> list[Any]:
        """The new labels among these, once each, sorted if they can be compared."""
        _, fresh = self._labels.encode(label_array(labels))
        unknown = [self._labels.check(label) for _, label in fresh]
        try:
            return sorted(unknown)
        except TypeError:
            return unknown

    def decision_function(self, X: Any) -> Array:
        """Raw scores: one column for two labels, otherwise one per label of `classes_`."""
        scores = self._batch_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row."""
        batch, count = self._to_predict(X), len(self._labels.labels)
        if not count:
            raise ValueError("nothing has been learned yet: there is no label to predict")
        if count == 2:
            best = (self._feed(batch, None, None, Want.scores) >= 0).astype(int)
        else:  # 0 if there is one lane
            best = self._feed(batch, None, None, Want.best)
        predicted: NDArray[Any] = self.classes_[best]
        return predicted

    def predict_proba(self, X: Any) -> Array:
        """The probability of each label (columns as in `classes_`) for each row."""
        scores = self._batch_scores(X)
        p = (self._model or self._start()).probabilities(scores.ravel()).reshape(scores.shape)
        if len(self._labels.labels) < 3:
            ones = np.ones((len(p), len(self._labels.labels)))
            return np.hstack([1 - p, p]) if len(self._labels.labels) == 2 else ones
        return p

    # --- state -------------------------------------------------------------------------------------

    def _outputs(self) -> list[Any]:
        return self._labels.labels

    def _learned(self) -> dict[str, Any]:
        return {"labels": self._labels.labels} | super()._learned()

    def _restore(self, parts: Parts) -> None:
        found, labels = parts.take("labels"), Labels()
        for label in instance(found, "labels", list):
            if labels.check(label) not in labels.index:
                labels.add(label)
        super()._restore(parts)
        lanes = self._model.lanes if self._model else 1
        if labels.labels != found or lanes != (len(found) if len(found) > 2 else 1):
            raise ValueError("the labels do not fit the lanes")
        self._labels = labels


def weighed(labels: NDArray[Any], importance: Array | None) -> NDArray[Any]:
    """The labels of examples with a weight; all labels if the number of weights is wrong."""
    if importance is None or len(importance) != len(labels):
        return labels
    return labels[importance > 0]


@contextmanager
def _counting_from(start: int, core: Any) -> Iterator[None]:
    """Make errors of a part of a batch count examples from the start of the batch."""
    if not isinstance(core, _core.Learner):
        yield
        return
    core.earlier = start
    try:
        yield
    finally:
        core.earlier = 0


def _decided(score: Any, labels: list[Any], count: int) -> Any:
    """The label with the highest score among the first `count` labels."""
    if count == 2:
        return labels[1] if score >= 0 else labels[0]
    if count < 2:
        return labels[0] if labels else None
    return labels[score.index(max(score))]


def label_array(y: Any) -> NDArray[Any]:
    """Labels as an array that keeps their types: numbers beside strings stay numbers."""
    sound(y, "y")
    if hasattr(y, "to_pylist"):  # Arrow
        y = y.to_pylist()
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if hasattr(y, "_mask") and np.ma.is_masked(y):  # else numpy.ma is not imported
            raise ValueError("y has masked values; leave examples without a label out")
        if y.ndim != 1 or y.dtype.kind == "V":
            what = "records" if y.ndim == 1 else f"shape {y.shape}"
            raise ValueError(f"y has {what}: one label per row is expected")
        return y
    y = listed(y, "y", " of labels")
    out = np.empty(len(y), object)
    out[:] = y
    return out
