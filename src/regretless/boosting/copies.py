"""Models of boosters whose weak learners are Python objects, which vote or predict numbers."""

import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless._core import Total
from regretless.base import arguments, rows
from regretless.base.adapters import (
    ForeignLearner,
    as_dict,
    as_matrix,
    fresh,
    takes_dicts,
    takes_weights,
)
from regretless.base.arguments import Array, shown
from regretless.base.classifier import Classifier
from regretless.base.model import ModelOfObjects, totals_state
from regretless.base.state import Parts
from regretless.boosting.gradient_certificate import constants_of
from regretless.boosting.weak_learners import WeakRegressor
from regretless.losses import Logistic, Loss, compiled

# --- weak learners that vote: False and True are -1 and 1 -----------------------------------------


class VotingCopy(ForeignLearner):
    """A weak learner of two labels, whose vote is the sign of its score.

    A classifier learns False and True. One of this library has scores; the score of any other is its
    vote, which is -1 until it has learned an example. A stump or a network of this library learns the
    targets -1 and 1, and its prediction is its score.
    """

    first: ClassVar[Mapping[str, Any]] = {"classes": np.array([False, True])}

    def score(self, row: Any, sign: int) -> float:
        """The score for this label, or with sign -1 for the opposite; above 0 it is a vote for it."""
        if isinstance(self.model, WeakRegressor):
            return sign * self.model.predict_one(row)
        if isinstance(self.model, Classifier):
            return sign * float(self.model.decision_one(row))
        if not self.learned:
            return -1.0
        label = self.ask(row)
        if isinstance(label, (int, float, np.number, np.bool_)) and label in (0, 1):
            return float(sign if label else -sign)
        raise ValueError(
            f"{self.name} predicts {shown(label)}: a classifier that learns False and True must predict "
            "one of them"
        )

    def teach_label(self, row: Any, positive: bool, weight: float) -> None:
        """Learn whether an example has the label."""
        target = 2.0 * positive - 1.0 if isinstance(self.model, WeakRegressor) else positive
        self.teach(row, target, weight)


# --- boosting by votes of copies ------------------------------------------------------------------


@dataclass(frozen=True)
class VotingLane:
    """Weak learners that tell one label from the rest.

    `sign` is -1 if this label is their False.
    """

    weak: list[VotingCopy]
    sign: int = 1

    def raw(self, row: Any) -> list[float]:
        """The score of each weak learner for this label."""
        return [each.score(row, self.sign) for each in self.weak]


class VotingModel(ModelOfObjects):
    """The model of a booster whose weak learners are objects: one per voter for each lane.

    Weak learners get examples as dicts or matrices of one row, and have their own names, intercepts and
    hashing. The model's loss is the log loss of the votes' log-odds.

    Parameters: `weak`, which is copied; `kind` and `options` of the `_core.Ensembles`; `sampled`,
    whether a weak learner gets an example with probability p instead of with weight p; `seed` of that.

    A weak learner without weights is always sampled: of an example of importance w it gets `p w` copies
    in expectation.
    """

    def __init__(
        self, weak: Any, kind: str, options: dict[str, Any], *, sampled: bool, seed: int
    ) -> None:
        super().__init__(Logistic(), bits=0, names=0, intercept=False)
        self._prototype, self._ensembles = weak, _core.Ensembles(kind, options)
        self._dicts, self._weights = takes_dicts(weak), takes_weights(weak)
        self._sampled, self._seed = sampled, seed
        self._lanes = [self._fresh()]

    def _fresh(self) -> VotingLane:
        copies = range(self._ensembles.voters)
        return VotingLane([VotingCopy(fresh(self._prototype), f"weak learner {i}") for i in copies])

    def measured(self, lane: int) -> dict[str, Array]:
        """The measured sums of the votes of a lane."""
        return self._ensembles.measured(lane)

    @property
    def weak(self) -> list[list[Any]]:
        """The weak learners of each lane."""
        return [[each.model for each in lane.weak] for lane in self._lanes]

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        self._ensembles.relane(list(sources))
        made = [
            self._fresh() if source < 0 else copy.deepcopy(self._lanes[source])
            for source in sources
        ]
        self._lanes = [replace(lane, sign=lane.sign * int(s)) for lane, s in zip(made, signs)]

    # --- one example ---------------------------------------------------------------------------------

    def _row(self, x: Any, naming: bool) -> Any:
        return as_dict(x) if self._dicts else as_matrix(x)

    def _raw(self, x: Any) -> Array:
        return np.array([score for lane in self._lanes for score in lane.raw(x)])

    def predict(self, x: Any) -> Array:
        return self._ensembles.score(self._raw(x))

    def learn(self, x: Any, y: Array, importance: float) -> tuple[Array, Array, Array]:
        raw = self._raw(x)  # all scores, before anything changes
        before, rounds = self._ensembles.state(), int(self.totals[Total.rounds][0])
        scores = self._ensembles.score(raw)
        try:
            weights = self._ensembles.learn(raw, y, importance)
            for i, p in enumerate(weights.tolist()):
                k, voter = divmod(i, self._ensembles.voters)
                lane, u = self._lanes[k], _core.drawn(self._seed, rounds, 1 + i)
                for weight in self._given(p, importance, u):
                    lane.weak[voter].teach_label(x, bool(y[k] * lane.sign > 0), weight)
        except BaseException:
            self._ensembles.restore(before)
            raise
        self.totals[Total.updates] += 1.0
        return scores, np.logaddexp(0.0, -y * scores), np.zeros(self.lanes)

    def _given(self, p: float, w: float, u: float) -> list[float]:
        """The weights of the copies of an example for a weak learner; u is drawn from [0, 1)."""
        if self._weights and not self._sampled:
            return [p * w] if p * w > 0 else []
        if self._weights:
            return [w] if u < p else []
        return [1.0] * int(u + p * w)

    # --- batches -------------------------------------------------------------------------------------

    def _rows(self, batch: rows.Batch) -> list[Any]:
        """All examples, read first so that a bad one is found before anything is learned."""
        return list(self._read(batch))

    def _read(self, batch: rows.Batch) -> Iterator[Any]:
        for t in range(batch.size):
            if isinstance(batch, rows.Table):  # zeros are kept, as in a vector
                row = {
                    name: values[t].item() if not categories else categories[0][values[t]]
                    for name, values, *categories in batch.columns
                    if not categories or values[t] >= 0
                }
                x: Any = row if self._dicts else list(row.values())
            elif isinstance(batch, rows.CSR) and not self._dicts:
                from scipy import sparse  # which takes long to import

                part = slice(batch.starts[t], batch.starts[t + 1])
                starts = np.array([0, part.stop - part.start], np.int32)
                entries = batch.values[part], batch.columns[part], starts
                x = sparse.csr_array(entries, shape=(1, batch.width))
            else:
                x = batch.row(t)
            yield self._row(x, False)

    # --- copies and files ----------------------------------------------------------------------------

    def weights(self) -> Array:
        raise ValueError("the weak learners have the weights, one set each: see weak_")

    @property
    def bytes(self) -> int:
        """The memory of the weak learners, as they report it, and of the votes."""
        weak = [each.model for lane in self._lanes for each in lane.weak]
        return int(self._ensembles.state().nbytes) + sum(map(sys.getsizeof, weak))

    def arrays(self) -> dict[str, Any]:
        return {
            "signs": np.array([lane.sign for lane in self._lanes]),
            "votes": self._ensembles.state(),
            "weak": self.weak,
            "taught": [[each.learned for each in lane.weak] for lane in self._lanes],
        }

    def take(self, parts: Parts) -> None:
        signs = parts.array("signs", (self.lanes,), -1, 1, np.int64).tolist()
        if 0 in signs:
            raise ValueError("signs has a 0")
        self._ensembles.restore(parts.array("votes", (None,)))
        weak, taught = parts.take("weak"), parts.take("taught")
        for k, lane in enumerate(self._lanes):
            exchange(lane.weak, weak[k], taught[k])
        self._lanes = [replace(lane, sign=sign) for lane, sign in zip(self._lanes, signs)]


def exchange(those: Sequence[ForeignLearner], models: Any, taught: Any) -> None:
    """Replace the learners by others of the same class; `taught` is whether each has learned."""
    for i, (each, model, learned) in enumerate(zip(those, models, taught, strict=True)):
        if type(model) is not type(each.model):
            raise ValueError(f"weak learner {i} is not a {type(each.model).__name__}")
        each.model, each.learned = model, arguments.instance(learned, "taught", bool)


# --- weak learners that predict a number in [-1, 1], and learn slopes or targets ------------------


class WeakCopy(ForeignLearner):
    """A regressor whose predictions are cut to [-1, 1]; it predicts 0 until it can predict.

    A linear loss, `slope v`, goes to its `learn_slope(x, slope, w)` if it has that. Otherwise it gets
    the target `v - slope / 2`, v being its prediction: there the squared loss has the slope `slope`. So
    gradient descent on the squared loss learns exactly the linear loss, with the regret of gradient
    descent, and any other learner moves in the same direction. Where v was cut, the target is computed
    from the cut value, which keeps the learner at the edge.
    """

    def predict(self, row: Any) -> float:
        """The prediction, cut to [-1, 1]."""
        return min(max(self.number(row), -1.0), 1.0)

    def learn_slope(self, row: Any, v: float, slope: float, w: float) -> None:
        """Learn the loss `slope v`; v is the prediction from before."""
        if hasattr(self.model, "learn_slope"):
            self.model.learn_slope(row, slope, w)
        else:
            self.teach(row, v - slope / 2.0, w)


def dense(x: dict[Any, Any], width: int) -> Array:
    """A row as a matrix, for learners of matrices; the names of features are column numbers."""
    out = np.zeros((1, width))
    for column, value in x.items():
        if isinstance(column, str) or not 0 <= column < width:
            raise ValueError(
                f"x has the feature {column!r}: a weak learner with predict and partial_fit takes "
                f"vectors, here of {width} numbers"
            )
        out[0, column] = value
    return out


# --- gradient boosting of copies ------------------------------------------------------------------


class StagedModel(ModelOfObjects):
    """The model of gradient boosting whose weak learners are objects; stages are in the core."""

    bytes = 0  # unknown

    def __init__(self, loss: Loss, weak: list[WeakCopy], options: dict[str, Any]) -> None:
        super().__init__(loss, bits=0, names=0, intercept=False)
        twin = compiled(loss)
        assert twin is not None
        self.stages = _core.Stages(twin, options)
        self.copies = weak
        self.residual = bool(options["feed"] is _core.Feed.residual)
        self.reach = options["reach"]
        self.width: int | None = None  # length of the vectors of all copies
        self._votes = np.zeros(len(weak))
        self._sums = np.zeros(len(weak) + 1)

    def trace(self) -> tuple[Array, ...]:
        """The predictions of the copies and y^0 to y^N for the last example, and sigma of each stage."""
        return self._votes, self._sums, self.stages.shrink

    # --- one example ---------------------------------------------------------------------------------

    def _wanted(self, answer: float) -> Array:
        return np.array([float(answer)])

    def predict(self, x: Any) -> Array:
        self._votes = np.array([each.predict(x) for each in self.copies])
        self._sums = self.stages.combine(self._votes)
        return np.array([self.stages.shown(self._sums[-1])])

    def learn(self, x: Any, y: Array, importance: float) -> tuple[Array, Array, Array]:
        score, target = self.predict(x), y.item()
        slopes, offsets, steps = self.stages.learn(self._sums, target, importance)
        placed = self.stages.placed(target)
        for i, each in enumerate(self.copies):
            v = float(self._votes[i])
            if self.residual:
                # the parabola tangent to loss(offset + step v) with the loss's largest curvature
                slope = float(self.loss.derivative(offsets[i] + steps[i] * v, placed))
                bend = constants_of(self.loss).smoothness(self.reach + steps[i]) * steps[i]
                each.teach(x, v - slope / bend, importance * bend * steps[i] / 2.0)
            else:
                each.learn_slope(x, v, float(slopes[i]), importance)
        if not self.copies[0].takes_dicts:
            self.width = x.shape[1]
        self.totals[Total.updates] += 1.0
        return score, np.array([self.loss.value(score.item(), target)]), np.zeros(1)

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        if len(sources) != 1:
            raise ValueError("the state belongs to another booster")

    def _row(self, x: Any, naming: bool, width: int | None = None) -> Any:
        """One example in the form of the copies; `width` of the vector for a dict."""
        self.reader.read(x, False)  # refuses invalid examples as in all learners
        if not isinstance(x, dict):
            columns, values = x
            width = len(columns) if width is None else width
            x = {c: v for c, v in zip(columns.tolist(), values.tolist()) if v}
        if self.copies[0].takes_dicts:
            return x
        if self.width is not None:
            width = self.width
        if width is None:
            raise ValueError(
                f"x={shown(x)}: {self.copies[0].name} takes vectors; give x as one, not as a dict"
            )
        return dense(x, width)

    def _rows(self, batch: rows.Batch) -> Iterator[Any]:
        width = batch.width if isinstance(batch, rows.CSR) else None
        width = len(batch.columns) if isinstance(batch, rows.Table) else width
        for t in range(batch.size):
            yield self._row(batch.row(t), False, width)

    # --- files -----------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        width = -1 if self.width is None else self.width
        return {
            "stages": self.stages.state(),
            "width": np.array([width]),
            "weak": [each.model for each in self.copies],
            "taught": [each.learned for each in self.copies],
        }

    def take(self, parts: Parts) -> None:
        (width,) = parts.array("width", (1,), -1, 2**31, np.int64).tolist()
        stages = parts.array("stages", (None,))
        exchange(self.copies, parts.take("weak"), parts.take("taught"))
        self.stages.restore(stages)
        self.width = None if width < 0 else width

    def state(self) -> dict[str, Any]:
        """The whole state; the copies keep the names of features."""
        return {**totals_state(self.totals), **self.arrays()}

    def restore(self, lanes: int, **arrays: Any) -> None:
        """Continue from the arrays of `state`."""
        super().restore(lanes, **self.reader.state(), **arrays)
