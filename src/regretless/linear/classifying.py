"""Labels in, labels and probabilities out: what all linear classifiers share."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import rows
from regretless.arguments import importance, number
from regretless.linear.labels import Labels
from regretless.linear.learner import LinearLearner, weight_array
from regretless.linear.outcome import Outcome
from regretless.threads import in_core, in_turn

__all__ = ["Classifying", "label_array"]


class Classifying(LinearLearner):
    """A linear classifier. Two labels share one lane; three or more have one each, against the rest.

    Labels are of any hashable type and may appear at any time. A label that appears later starts from
    zero weights; the lane of two labels goes on as two mirrored ones.
    """

    _classifies: ClassVar[bool] = True
    _labels: Labels

    def _reset(self) -> None:
        super()._reset()
        self._labels = Labels()

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen, in the order of the columns of `predict_proba`."""
        labels = self._labels.labels
        plain = np.array(labels) if not any(isinstance(label, tuple) for label in labels) else None
        if plain is not None and plain.tolist() == labels:
            return plain
        out = np.empty(len(labels), object)  # tuples, and strings that end in NUL
        out[:] = labels
        return out

    # --- one at a time -------------------------------------------------------------------------------

    @in_core
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: features `x`, label `y`, importance `w >= 0` (0: not there)."""
        known = self._labels.index
        try:
            label = known.get(y)
        except TypeError:
            label = None
        if label is not None and isinstance(x, dict) and type(w) is float:
            core = self._model
            # threads change at calls only: the label is still what it was when it was looked up
            if core is not None and self._labels.index is known:
                return core.learn_class(x, label, w)
        return self._learn_one(x, y, w)

    @in_turn
    def _learn_one(self, x: Any, y: Any, w: float) -> None:
        core = self._model or self._start()
        if not isinstance(x, dict):
            x = self._row(x)
        label = self._class_of(y)
        if label is None:
            label = self._new_label(x, y, w)
        core.learn_class(x, label, w if type(w) is float else number(w, "w"))

    def step(self, x: Any, y: Any, w: float = 1.0) -> Any:
        """Predict and learn in one pass over the row; the prediction made before learning."""
        core = self._model or self._start()
        if not isinstance(x, dict):
            x = self._row(x)
        label = self._class_of(y)
        if label is None:
            before = self._decide(core.score(x))
            core.learn_class(x, self._new_label(x, y, w), float(w))
            return before
        return self._decide(core.step_class(x, label, w if type(w) is float else number(w, "w")))

    @in_core
    def decision_one(self, x: Any) -> Any:
        """The raw score: of the second label for two, a list in the order of `classes_` for more."""
        return (self._model or self._start()).score(x if isinstance(x, dict) else self._row(x))

    @in_core
    def predict_one(self, x: Any) -> Any:
        """The label with the highest score; None before any label has been seen."""
        core, labels = self._model, self._labels
        known = labels.index
        if core is not None:
            score = core.score(x if isinstance(x, dict) else self._row(x))
            if labels.index is known:  # no label has come between
                both = labels.labels
                if len(both) == 2:  # which stay where they are, whatever comes after them
                    return both[1] if score >= 0 else both[0]
                return _decided(score, known)
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
            self._labels.check(y)  # says what is wrong with it
            raise

    def _new_label(self, x: Any, y: Any, w: float) -> int:
        """Take a new label in once the whole example is known to be good."""
        label = self._labels.check(y)
        core = self._model or self._start()
        core.score(x)
        importance(w)
        self._add(label)
        return self._labels.index[label]

    def _add(self, label: Any) -> None:
        if label in self._labels.index:
            return
        core = self._model or self._start()
        lanes = self._labels.add(label)
        if lanes is not None:
            core.relane(*lanes)

    def _decide(self, score: Any) -> Any:
        return _decided(score, self._labels.index)

    # --- batches -------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of `X` one after the other, exactly as `learn_one` would."""
        self.partial_fit(X, y, None, w)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a batch; `classes`, if given, are the labels that exist from the start."""
        for _ in self._learn(X, y, classes, sample_weight, want_scores=False):
            pass
        return self

    def validate_many(self, X: Any, y: Any, w: Any = None) -> list[Outcome]:
        """Predict each row, then learn it, as `step` does, and tell what became of the predictions.

        There is a further `Outcome` for every label that is met for the first time.
        """
        return [
            self._outcome(codes, scores, losses)
            for codes, (scores, losses) in self._learn(X, y, None, w, want_scores=True)
        ]

    def _learn(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, want_scores: bool
    ) -> Iterator[tuple[NDArray[np.int32], Any]]:
        """Learn a batch part by part: the codes of the labels and what the core says of them."""
        batch, labels, importance = rows.batch(X), label_array(y), weight_array(sample_weight)
        if len(labels) != batch.size:
            raise ValueError(f"X has {batch.size} rows, y has {len(labels)} labels")
        codes, fresh = self._labels.encode(labels)
        given = [] if classes is None else self._unknown(classes)
        if fresh or given:
            self._check(batch, importance, given + [label for _, label in fresh])
            for label in given:
                self._add(label)
            codes, fresh = self._labels.encode(labels)
        if not fresh:
            yield codes, self._feed(batch, codes, importance, want_scores)
            return
        # A label's lane begins where the label first appears, so the batch is cut there.
        start = 0
        for t, label in [*fresh, (batch.size, None)]:
            if t > start:
                part = slice(start, t)
                codes, _ = self._labels.encode(labels[part])
                weights = None if importance is None else importance[part]
                yield codes, self._feed(batch[part], codes, weights, want_scores)
                start = t
            if label is not None:
                self._add(label)

    def _outcome(self, codes: NDArray[np.int32], scores: Any, losses: Any) -> Outcome:
        count = len(self._labels.labels)
        if count > 2:
            best = scores.reshape(len(codes), -1).argmax(axis=1)
            return Outcome(losses, (best != codes).astype(np.float64))
        if count < 2:  # before the second label every prediction is the first
            return Outcome(losses, np.zeros(len(codes)))
        positive = codes == 1
        p = (self._model or self._start()).probabilities(scores)
        return Outcome(losses, ((scores >= 0) != positive).astype(np.float64), p, positive)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn `X` in one pass; all labels are known from the start."""
        fresh = LinearLearner.clone(self)  # what was learned before is kept if the data are bad
        fresh.partial_fit(X, y, y, sample_weight)
        self._take(fresh._model)
        self._labels = fresh._labels
        return self

    def _check(self, batch: rows.Batch, importance: Any, fresh: list[Any]) -> None:
        """Find out that the whole batch is good before anything changes."""
        known = Labels(self._labels.labels)
        for label in fresh:
            known.check(label)
            known.add(label)
        self._feed(batch, None, importance)  # neither labels nor scores: only looked at

    def _unknown(self, labels: Any) -> list[Any]:
        """Those not seen yet, once each, sorted where they can be compared."""
        _, fresh = self._labels.encode(label_array(labels))
        unknown = [self._labels.check(label) for _, label in fresh]
        try:
            return sorted(unknown)
        except TypeError:
            return unknown

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Raw scores: one column for two labels, otherwise one per label of `classes_`."""
        scores = self._batch_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row."""
        scores = self._batch_scores(X)
        count = len(self._labels.labels)
        if not count:
            raise ValueError("nothing has been learned yet: there is no label to predict")
        # one lane, one label: argmax is 0
        best = (scores[:, 0] >= 0).astype(int) if count == 2 else scores.argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[best]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each label (columns as in `classes_`) for each row."""
        scores = self._batch_scores(X)
        p = (self._model or self._start()).probabilities(scores.ravel()).reshape(scores.shape)
        if len(self._labels.labels) < 3:
            ones = np.ones((len(p), len(self._labels.labels)))
            return np.hstack([1 - p, p]) if len(self._labels.labels) == 2 else ones
        return p

    # --- what was learned ----------------------------------------------------------------------------

    @property
    def weights_(self) -> dict[Any, Any]:
        """Names to weights; with three or more labels, labels to names to weights."""
        names, table, _ = self._weights()
        if table.shape[1] == 1:
            return dict(zip(names, table[:, 0].tolist()))
        return {
            label: dict(zip(names, table[:, k].tolist()))
            for k, label in enumerate(self._labels.labels)
        }

    @property
    def intercept_(self) -> Any:
        """The weight of the constant feature; with three or more labels, by label."""
        _, _, first = self._weights()
        return first.item() if first.size == 1 else dict(zip(self._labels.labels, first.tolist()))

    def _memory(self) -> dict[str, Any]:
        return {"labels": self._labels.labels}

    def _remember(self, memory: dict[str, Any]) -> None:
        labels = Labels()
        for label in memory["labels"]:
            if labels.check(label) not in labels.index:
                labels.add(label)
        lanes = self._model.lanes if self._model else 1
        if labels.labels != memory["labels"] or lanes != (
            len(labels.labels) if len(labels.labels) > 2 else 1
        ):
            raise ValueError("the labels do not fit the lanes")
        self._labels = labels


def _decided(score: Any, labels: Collection[Any]) -> Any:
    """The label with the highest score."""
    if len(labels) == 2:
        first, second = labels
        return second if score >= 0 else first
    if len(labels) < 2:
        return next(iter(labels), None)
    best = max(range(len(score)), key=score.__getitem__)
    return next(islice(labels, best, None))


def label_array(y: Any) -> NDArray[Any]:
    """Labels as an array that keeps them as they are: no number becomes a string beside one."""
    if hasattr(y, "to_pylist"):  # Arrow
        y = y.to_pylist()
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if np.ma.is_masked(y):
            raise ValueError("y has masked values; leave examples without a label out")
        if y.ndim != 1:
            raise ValueError(f"y has shape {y.shape}: one label per row is expected")
        return y
    try:
        y = list(y)
    except TypeError:
        raise ValueError(f"y={y!r} is not a list of labels") from None
    out = np.empty(len(y), object)
    out[:] = y
    return out
