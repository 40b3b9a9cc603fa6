"""What all online boosters share: options, labels, predictions, edges, and life on disk."""

import copy
import inspect
import math
import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses, persistence
from regretless.arguments import number
from regretless.boosting.certificate import BoostingCertificate, of_votings
from regretless.boosting.ensemble import Ensemble
from regretless.boosting.weak import takes_weights
from regretless.linear import LinearClassifier
from regretless.linear.classifying import label_array
from regretless.linear.labels import Labels
from regretless.linear.learner import LinearLearner, _from_json, _to_json, weight_array
from regretless.linear.loading import restored
from regretless.run import Array

__all__ = ["EDGES", "Booster", "Edged"]

_LOGISTIC = losses.compiled(losses.get("logistic"))

# Bounds go by n times the square of the edge that is counted on and must be there: the next of these
# below the true one does what that would do with a quarter of the weak learners, or better.
EDGES = (0.025, 0.05, 0.1, 0.2, 0.4)


class Booster(ABC):
    """A classifier made of the votes of weak learners, which learns one example at a time.

    Two labels share one ensemble, three or more have one each, against the rest. Labels are of any
    hashable type and may appear at any time: the ensemble of two labels goes on as two mirrored ones,
    that of a later label begins with nothing learned.
    """

    _kind: ClassVar[str]  # of the votes, as the core calls it

    # the options that every booster has
    weak: Any
    n: int
    sampled: bool
    seed: int

    @abstractmethod
    def _voting(self, weighted: bool) -> dict[str, Any]:
        """The options of the votes, beyond n; whether weak learners get weights or samples."""

    # --- options, in scikit-learn's manner -----------------------------------------------------------

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options the booster was made with."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **options: Any) -> Self:
        """Change options; the booster starts afresh."""
        unknown = options.keys() - set(self._names())
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not an option of {type(self).__name__}")
        for name, value in options.items():
            setattr(self, name, value)
        self._reset()
        return self

    def clone(self) -> Self:
        """A booster with the same options that has seen nothing."""
        return type(self)(**self.get_params())

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default and value != defaults[name].default
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def _reset(self) -> None:
        self._made: Ensemble | None = None
        self._labels = Labels()

    @property
    def _engine(self) -> Ensemble:
        """The ensemble, made when it is first needed, with every option checked."""
        if self._made is None:
            if isinstance(self.n, bool) or not (
                isinstance(self.n, (int, np.integer)) and 1 <= self.n <= 10_000
            ):
                raise ValueError(f"n={self.n!r} must be a whole number from 1 to 10,000")
            if isinstance(self.seed, bool) or not (
                isinstance(self.seed, (int, np.integer)) and 0 <= self.seed < 2**64
            ):
                raise ValueError(f"seed={self.seed!r} must be a whole number from 0 to 2^64 - 1")
            weak = LinearClassifier() if self.weak is None else self.weak
            options = self._voting(not self.sampled and takes_weights(weak)) | {"n": int(self.n)}
            self._made = Ensemble(
                weak, self._kind, options, sampled=bool(self.sampled), seed=int(self.seed)
            )
        return self._made

    # --- one at a time -------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: features `x`, label `y`, importance `w >= 0` (0: not there)."""
        self._learn_one(x, y, w)

    def step(self, x: Any, y: Any, w: float = 1.0) -> Any:
        """Predict and learn, asking each weak learner once; the prediction made before learning."""
        return self._learn_one(x, y, w)

    def _learn_one(self, x: Any, y: Any, w: float) -> Any:
        importance = number(w, "w")
        if not 0 <= importance < math.inf:
            raise ValueError(f"w = {w} is not a weight: it must be finite and not negative")
        label = self._labels.check(y)
        code = self._labels.index.get(label, -1)
        if code >= 0 or importance == 0:
            return self._decide(self._engine.learn(x, code, importance))
        before = self._decide(self._engine.score(x))
        self._add(label)
        self._engine.learn(x, self._labels.index[label], importance)
        return before

    def decision_one(self, x: Any) -> Any:
        """The log-odds of the second label for two, a list in the order of `classes_` for more."""
        return self._engine.score(x)

    def predict_one(self, x: Any) -> Any:
        """The label with the highest score; None before any label has been seen.

        Of two labels the second needs a score above 0: an even vote is for the first.
        """
        return self._decide(self._engine.score(x))

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label seen so far."""
        scores = np.atleast_1d(np.asarray(self._engine.score(x), np.float64))
        return dict(zip(self._labels.labels, self._probabilities(scores[None, :])[0].tolist()))

    def _add(self, label: Any) -> None:
        if label in self._labels.index:
            return
        lanes = self._labels.add(label)
        if lanes is not None:
            self._engine.relane(*lanes)

    def _decide(self, score: Any) -> Any:
        labels = self._labels.labels
        if len(labels) < 2:
            return labels[0] if labels else None
        if len(labels) == 2:
            return labels[1] if score > 0 else labels[0]
        return labels[int(np.argmax(score))]

    def _probabilities(self, scores: Array) -> Array:
        """A column for each label."""
        if len(self._labels.labels) < 2:
            return np.ones((len(scores), len(self._labels.labels)))
        assert _LOGISTIC is not None
        lanes = scores.shape[1]
        p = _core.probabilities(_LOGISTIC, np.ascontiguousarray(scores).ravel(), lanes)
        return np.column_stack([1.0 - p, p]) if lanes == 1 else p.reshape(scores.shape)

    # --- batches -------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of `X` one after the other, exactly as `learn_one` would."""
        self.partial_fit(X, y, None, w)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a batch; `classes`, if given, are the labels that exist from the start."""
        size, batch = self._engine.batch(X)
        labels, w = label_array(y), weight_array(sample_weight)
        if len(labels) != size:
            raise ValueError(f"X has {size} rows, y has {len(labels)} labels")
        if w is not None:
            self._check_weights(w, size)
        there = np.arange(size) if w is None else np.flatnonzero(w)
        given = [] if classes is None else self._unknown(classes)
        _, fresh = self._labels.encode(labels[there])
        known = Labels(self._labels.labels)
        for label in given + [label for _, label in fresh]:
            known.check(label)
            if label not in known.index:
                known.add(label)
        for label in given:
            self._add(label)
        # the ensemble of a label begins where the label first appears, so the batch is cut there
        start = 0
        for t, label in [*((int(there[t]), label) for t, label in fresh), (size, None)]:
            if t > start:
                part = slice(start, t)
                codes, _ = self._labels.encode(labels[part])
                self._engine.learn_many(batch[part], codes, None if w is None else w[part])
                start = t
            if label is not None:
                self._add(label)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn `X` in one pass; all labels are known from the start."""
        fresh = Booster.clone(self)  # what was learned before is kept if the data are bad
        fresh.partial_fit(X, y, y, sample_weight)
        self._made, self._labels = fresh._made, fresh._labels
        return self

    def _check_weights(self, w: Array, size: int) -> None:
        if len(w) != size:
            raise ValueError(f"X has {size} rows, the weights have {len(w)}")
        wrong = np.flatnonzero(~((w >= 0) & (w < math.inf)))
        if len(wrong):
            raise ValueError(
                f"weight[{wrong[0]}] = {w[wrong[0]]} is not a weight: it must be finite and not negative"
            )

    def _unknown(self, labels: Any) -> list[Any]:
        """Those not seen yet, once each, sorted where they can be compared."""
        _, fresh = self._labels.encode(label_array(labels))
        unknown = [self._labels.check(label) for _, label in fresh]
        try:
            return sorted(unknown)
        except TypeError:
            return unknown

    def _batch_scores(self, X: Any) -> Array:
        return self._engine.score_many(self._engine.batch(X)[1])

    def decision_function(self, X: Any) -> Array:
        """Log-odds: one column for two labels, otherwise one per label of `classes_`."""
        scores = self._batch_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row."""
        if not self._labels.labels:
            raise ValueError("nothing has been learned yet: there is no label to predict")
        scores = self._batch_scores(X)
        two = len(self._labels.labels) == 2
        best = (scores[:, 0] > 0).astype(int) if two else scores.argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[best]
        return predicted

    def predict_proba(self, X: Any) -> Array:
        """The probability of each label (columns as in `classes_`) for each row."""
        return self._probabilities(self._batch_scores(X))

    # --- what was learned ----------------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen, in the order of the columns of `predict_proba`."""
        labels = self._labels.labels
        out = np.empty(len(labels), object)
        out[:] = labels
        plain = np.array(labels) if not any(isinstance(label, tuple) for label in labels) else out
        return plain if plain.tolist() == labels else out

    @property
    def examples_(self) -> int:
        """Number of examples learned."""
        return max(int(v.measured()["rounds"][0]) for v in self._engine.votings)

    @property
    def weak_(self) -> Any:
        """The weak learners, a list; with three or more labels, one by label."""
        return self._by_label(self._engine.weak)

    @property
    def edges_(self) -> Any:
        """How much better than chance each of `weak_` was: `w.z / (2 |w|_1)`.

        z is 1 where it was right and -1 where it was wrong, w what the examples weighed for it. 0 for
        one that has had no weight.
        """
        sums = [v.measured() for v in self._engine.votings]
        return self._by_label(
            [m["correlation"] / np.where(m["weights"] > 0, 2.0 * m["weights"], 1.0) for m in sums]
        )

    def _by_label(self, values: list[Any]) -> Any:
        if len(values) == 1:
            return values[0]
        return dict(zip(self._labels.labels, values, strict=True))

    def certificate(self) -> BoostingCertificate:
        """What the run so far proves of the number of mistakes: see `BoostingCertificate`."""
        return of_votings(self._kind, [v.measured() for v in self._engine.votings], self._last)

    @property
    def _last(self) -> bool:
        """Whether the last expert predicts, of those that AdaBoost.OL has."""
        return False

    # --- copies and files ----------------------------------------------------------------------------

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two boosters cannot share weak learners that both teach

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the booster to a safetensors file, all at once or not at all.

        Training goes on from the loaded booster bit for bit as it would have without the stop. Its weak
        learners must be of this library; with others, pickle it.
        """
        learned, arrays = self._engine.described()
        options = {k: v for k, v in self.get_params().items() if k != "weak"}
        description = {
            "class": type(self).__name__,
            "options": {k: _to_json(v, k) for k, v in options.items()},
            "labels": _to_json(self._labels.labels, "y"),
            **learned,
        }
        if isinstance(self.weak, LinearLearner):  # it has learned nothing: options are all there is
            description["weak"], own = self.weak.clone()._described()
            arrays |= {f"weak.{name}": array for name, array in own.items()}
        persistence.write(path, description, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The booster that `save` wrote to `path`."""
        found, arrays = persistence.read_a(cls.__name__, path)
        with persistence.restoring(path):
            options = {k: _from_json(v) for k, v in found["options"].items()}
            if "weak" in found:
                own = {
                    n.removeprefix("weak."): a for n, a in arrays.items() if n.startswith("weak.")
                }
                options["weak"] = restored(path, found["weak"], own)
            booster = cls(**options)
            for label in _from_json(found["labels"]):
                booster._add(booster._labels.check(label))
            booster._engine.restore(path, found, arrays)
            labels = booster._labels.labels
            lanes = len(labels) if len(labels) > 2 else 1
            if labels != _from_json(found["labels"]) or len(booster._engine.votings) != lanes:
                raise ValueError("the labels do not fit the ensembles")
        return booster


class Edged(Booster):
    """A booster that is told the edge of its weak learners, or finds out which serves best."""

    edge: float | None

    def _edges(self) -> list[float]:
        if self.edge is None:
            return list(EDGES)
        if not 0 < number(self.edge, "edge") < 0.5:
            raise ValueError(
                f"edge={self.edge} is outside (0, 1/2): it is what weak learners are better than "
                "chance; None finds it"
            )
        return [float(self.edge)]

    def _voting(self, weighted: bool) -> dict[str, Any]:
        return {"edges": self._edges(), "weighted": weighted}

    @property
    def edge_(self) -> Any:
        """The edges in use, each with its share of the vote; with three or more labels, by label."""
        sums = [v.measured() for v in self._engine.votings]
        shares = [m["shares"].tolist() if "shares" in m else [1.0] for m in sums]
        return self._by_label([dict(zip(self._edges(), each, strict=True)) for each in shares])
