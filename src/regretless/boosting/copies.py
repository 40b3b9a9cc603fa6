"""Weak learners that are Python objects, behind a booster: those that vote, and those that regress."""

import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from regretless import _core
from regretless._core import Total, Want
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
from regretless.base.model import Model, no_totals, restored_totals, totals_state
from regretless.base.state import Parts
from regretless.boosting.gradient_certificate import constants_of
from regretless.losses import Logistic, Loss, compiled

# --- weak learners that vote: False and True are -1 and 1 -----------------------------------------


class VotingCopy(ForeignLearner):
    """A classifier of False and True. Until it has learned something it votes -1 and is not asked."""

    first: ClassVar[Mapping[str, Any]] = {"classes": np.array([False, True])}

    def vote(self, row: Any, sign: int) -> float:
        """1 for True, -1 for False; with sign -1 the other way round.

        One of this library votes by its score, so that a score of 0 is for -1 either way.
        """
        if not self.learned:
            return -1.0
        if self.is_ours:
            return 1.0 if sign * self.model.decision_one(row) > 0 else -1.0
        label = self.ask(row)
        if isinstance(label, (int, float, np.number, np.bool_)) and label in (0, 1):
            return float(sign if label else -sign)
        raise ValueError(
            f"{self.name} predicts {shown(label)}: False or True was expected of a classifier "
            "that learns "
            "these two"
        )

    @property
    def is_ours(self) -> bool:
        """Whether it is a classifier of this library, with scores, and files."""
        return isinstance(self.model, Classifier)


# --- A model made of weak learners of any kind, which are called one after the other --------------


@dataclass(frozen=True)
class VotingLane:
    """Weak learners that tell one label from the rest, and what becomes of their votes.

    `sign` is -1 if what they call False is this label.
    """

    voting: _core.Voting
    weak: list[VotingCopy]
    sign: int = 1

    def votes(self, row: Any) -> Array:
        """1 or -1 of each weak learner: this label or not."""
        return np.array([each.vote(row, self.sign) for each in self.weak])


class VotingModel(Model):
    """The model of a booster whose weak learners are objects: as many for each lane as there are voters.

    Weak learners get examples as they come, as dicts or matrices of one row, and have names, intercepts
    and hashing of their own. Its loss is the log loss of the votes' log-odds.

    Parameters: `weak`, which is copied; `kind` and `options` of the `_core.Voting`; `sampled`, whether
    a weak learner gets an example with probability p instead of with weight p; `seed` of that.

    A weak learner that takes no weights is always sampled. What it gets of an example of importance w
    is then `p w` copies in expectation.
    """

    def __init__(
        self, weak: Any, kind: str, options: dict[str, Any], *, sampled: bool, seed: int
    ) -> None:
        super().__init__(Logistic(), bits=0, names=0, intercept=False)
        self._prototype, self._kind, self._options = weak, kind, options
        self._dicts, self._weights = takes_dicts(weak), takes_weights(weak)
        self._sampled, self._seed = sampled, seed
        self._lanes = [self._fresh()]

    def _fresh(self) -> VotingLane:
        voting = _core.Voting(self._kind, self._options)
        return VotingLane(
            voting,
            [VotingCopy(fresh(self._prototype), f"weak learner {i}") for i in range(voting.voters)],
        )

    def measured(self, lane: int) -> dict[str, Array]:
        """What the votes of a lane have measured."""
        return self._lanes[lane].voting.measured()

    @property
    def weak(self) -> list[list[Any]]:
        """The weak learners of each lane."""
        return [[each.model for each in lane.weak] for lane in self._lanes]

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        made = [
            self._fresh() if source < 0 else copy.deepcopy(self._lanes[source])
            for source in sources
        ]
        self._lanes = [replace(lane, sign=lane.sign * int(s)) for lane, s in zip(made, signs)]

    # --- one example ---------------------------------------------------------------------------------

    def _row(self, x: Any, naming: bool) -> Any:
        return as_dict(x) if self._dicts else as_matrix(x)

    def predict(self, x: Any) -> Array:
        return np.array([lane.voting.score(lane.votes(x)) for lane in self._lanes])

    def learn(self, x: Any, y: Array, importance: float) -> tuple[Array, Array, Array]:
        votes = [lane.votes(x) for lane in self._lanes]  # of all, before anything changes
        before = [lane.voting.state() for lane in self._lanes]
        scores, rounds = np.zeros(self.lanes), int(self.totals[Total.rounds][0])
        try:
            for k, lane in enumerate(self._lanes):
                scores[k] = lane.voting.score(votes[k])
                weights = lane.voting.learn(votes[k], y[k], importance)
                for i, p in enumerate(weights.tolist()):
                    u = _core.drawn(self._seed, rounds, 1 + k * len(weights) + i)
                    for weight in self._given(p, importance, u):
                        lane.weak[i].teach(x, y[k] * lane.sign > 0, weight)
        except BaseException:
            for lane, state in zip(self._lanes, before):
                lane.voting.restore(state)
            raise
        self.totals[Total.updates] += 1.0
        return scores, np.logaddexp(0.0, -y * scores), np.zeros(self.lanes)

    def _given(self, p: float, w: float, u: float) -> list[float]:
        """The weights with which a weak learner gets an example, each time; u is drawn from [0, 1)."""
        if self._weights and not self._sampled:
            return [p * w] if p * w > 0 else []
        if self._weights:
            return [w] if u < p else []
        return [1.0] * int(u + p * w)

    # --- batches -------------------------------------------------------------------------------------

    def feed(self, batch: rows.Batch, labels: Any, importance: Any, want: Want) -> Any:
        """Learn or predict rows one by one, as `_core.Learner` does with what a batch gives to it."""
        X = list(self._rows(batch))
        weights = np.ones(len(X)) if importance is None else importance
        if len(weights) != len(X):
            raise ValueError(f"X has {len(X)} rows, the weights have {len(weights)}")
        weights = arguments.weights(weights, "weight")
        scores, losses = np.zeros((len(X), self.lanes)), np.zeros(len(X))
        for t, (x, w) in enumerate(zip(X, weights.tolist())):
            if labels is not None and w > 0:
                scores[t], losses[t] = self._step(x, int(labels[t]), w)
            elif want is not Want.nothing:
                scores[t] = self.predict(x)
                losses[t] = 0.0 if labels is None else self._suffer(x, int(labels[t]))
        if want is Want.nothing:
            return None
        told = scores.argmax(axis=1) if want is Want.best else scores.ravel()
        return told if labels is None else (told, losses)

    def _rows(self, batch: rows.Batch) -> Iterator[Any]:
        for t in range(batch.size):
            if isinstance(batch, rows.Table):  # what is 0 is said, as in a row that is a vector
                row = {
                    name: values[t].item() if not categories else categories[0][values[t]]
                    for name, values, *categories in batch.columns
                    if not categories or values[t] >= 0
                }
                x: Any = row if self._dicts else list(row.values())
            elif isinstance(batch, rows.CSR) and not self._dicts:
                part = slice(batch.starts[t], batch.starts[t + 1])
                starts = np.array([0, part.stop - part.start], np.int32)
                entries = batch.values[part], batch.columns[part], starts
                x = sparse.csr_array(entries, shape=(1, batch.width))
            else:
                x = batch.row(t)
            yield self._row(x, False)

    # --- copies and files ----------------------------------------------------------------------------

    def weights(self) -> Array:
        raise ValueError("every weak learner has weights of its own: see those of weak_")

    def gradient_norms(self) -> Sequence[float]:
        raise NotImplementedError("there is no gradient of votes")

    @property
    def bytes(self) -> int:
        """What the weak learners say that they take, and the votes."""
        return sum(
            lane.voting.state().nbytes + sum(sys.getsizeof(each.model) for each in lane.weak)
            for lane in self._lanes
        )

    def arrays(self) -> dict[str, Any]:
        return {
            "signs": np.array([lane.sign for lane in self._lanes]),
            "votes": [lane.voting.state() for lane in self._lanes],
            "weak": self.weak,
            "taught": [[each.learned for each in lane.weak] for lane in self._lanes],
        }

    def take(self, parts: Parts) -> None:
        signs = parts.array("signs", (self.lanes,), -1, 1, np.int64).tolist()
        if 0 in signs:
            raise ValueError("signs has a 0")
        votes, weak, taught = (parts.take(name) for name in ("votes", "weak", "taught"))
        for k, lane in enumerate(self._lanes):
            lane.voting.restore(Parts({"votes": votes[k]}).array("votes", (None,)))
            exchange(lane.weak, weak[k], taught[k])
        self._lanes = [replace(lane, sign=sign) for lane, sign in zip(self._lanes, signs)]


def exchange(those: Sequence[ForeignLearner], models: Any, taught: Any) -> None:
    """Put other learners of the same class, and whether they have learned, in the place of these."""
    for i, (each, model, learned) in enumerate(zip(those, models, taught, strict=True)):
        if type(model) is not type(each.model):
            raise ValueError(f"weak learner {i} is not a {type(each.model).__name__}")
        each.model, each.learned = model, arguments.instance(learned, "taught", bool)


# --- weak learners that predict a number in [-1, 1], and learn slopes or targets ------------------


class WeakCopy(ForeignLearner):
    """A regressor, whose predictions are cut to [-1, 1]. One that takes matrices first predicts 0.

    A linear loss, `slope v`, goes to its `learn_slope(x, slope, w)` if it has that. Else it is told the
    target `v - slope / 2`, v being what it predicts: there the squared loss has the slope `slope`, so
    that whoever descends along the gradient of the squared loss learns exactly the linear loss, with
    the regret of gradient descent, and whoever does something else is asked to move the same way. Where
    v was cut, the target is seen from the cut, which holds the learner at the edge.
    """

    def predict(self, row: Any) -> float:
        """What it predicts, cut to [-1, 1]."""
        return min(max(self.number(row), -1.0), 1.0)

    def learn_slope(self, row: Any, v: float, slope: float, w: float) -> None:
        """Learn the loss `slope v`, having predicted v."""
        if hasattr(self.model, "learn_slope"):
            self.model.learn_slope(row, slope, w)
        else:
            self.teach(row, v - slope / 2.0, w)


def dense(x: dict[Any, Any], width: int) -> Array:
    """A row for learners that take matrices: columns are numbered."""
    out = np.zeros((1, width))
    for column, value in x.items():
        if isinstance(column, str) or not 0 <= column < width:
            raise ValueError(
                f"x has the feature {column!r}: a weak learner with predict and partial_fit takes "
                f"vectors, here of {width} numbers"
            )
        out[0, column] = value
    return out


# --- gradient boosting of weak learners in Python: the stages are the core's, the copies are ------


class StagedModel:
    """What `_core.Learner` is to the other boosters, with copies of a learner in Python."""

    lanes = 1
    wants_names = False
    has_gradient_sum = False
    bytes = 0

    def __init__(self, loss: Loss, weak: list[WeakCopy], options: dict[str, Any]) -> None:
        self.loss = loss
        twin = compiled(loss)
        assert twin is not None
        self.stages = _core.Stages(twin, options)
        self.copies = weak
        self.reader = _core.Reader(0, 0, False)  # which refuses what all learners refuse
        self.residual = bool(options["feed"] is _core.Feed.residual)
        self.reach = options["reach"]
        self.totals = no_totals()
        self.width: int | None = None  # of the vectors that all copies take
        self._votes = np.zeros(len(weak))
        self._sums = np.zeros(len(weak) + 1)

    # --- one example ---------------------------------------------------------------------------------

    def score(self, x: Any, width: int | None = None) -> float:
        """The prediction."""
        return self._predict(self._row(x, width))

    def learn_target(self, x: Any, y: float, w: float) -> None:
        """Learn an example."""
        self.step_target(x, y, w)

    def step_target(self, x: Any, y: float, w: float, width: int | None = None) -> float:
        """The same; returns what was predicted before."""
        w = arguments.importance(w)
        row = self._row(x, width)
        score = self._predict(row)
        if w > 0.0:
            self._learn(row, y, w)
            if not self.copies[0].takes_dicts:
                self.width = row.shape[1]
            self.totals[Total.rounds] += 1.0
            self.totals[Total.loss] += w * self.loss.value(score, y)
            self.totals[Total.weights] += w
            self.totals[Total.updates] += 1.0
        return score

    def trace(self) -> tuple[Array, ...]:
        """Of the last example what the copies predicted and y^0 to y^N; and sigma."""
        return self._votes, self._sums, self.stages.shrink

    def _predict(self, row: Any) -> float:
        self._votes = np.array([each.predict(row) for each in self.copies])
        self._sums = self.stages.combine(self._votes)
        return self.stages.shown(self._sums[-1])

    def _learn(self, row: Any, y: float, w: float) -> None:
        slopes, offsets, steps = self.stages.learn(self._sums, y, w)
        target = self.stages.placed(y)
        for i, each in enumerate(self.copies):
            v = float(self._votes[i])
            if self.residual:
                # the parabola that touches loss(offset + step v) and bends as the loss does at most
                slope = float(self.loss.derivative(offsets[i] + steps[i] * v, target))
                bend = constants_of(self.loss).smoothness(self.reach + steps[i]) * steps[i]
                each.teach(row, v - slope / bend, w * bend * steps[i] / 2.0)
            else:
                each.learn_slope(row, v, float(slopes[i]), w)

    def _row(self, x: Any, width: int | None = None) -> Any:
        """One example, as the copies take it; `width` if it is that of no vector."""
        self.reader.read(x, False)
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

    # --- batches -------------------------------------------------------------------------------------

    def feed(self, batch: rows.Batch, targets: Any, importance: Any, want: Want) -> Any:
        """Predict, or learn if there are targets, the rows of a batch one after the other."""
        width = batch.width if isinstance(batch, rows.CSR) else _columns(batch)
        if importance is not None:
            if len(importance) != batch.size:
                raise ValueError("X and the weights differ in length")
            importance = arguments.weights(importance, "w")
        scores, suffered = np.zeros(batch.size), np.zeros(batch.size)
        for t in range(batch.size):
            x = batch.row(t)
            if targets is None:
                scores[t] = self.score(x, width)
            else:
                w = 1.0 if importance is None else float(importance[t])
                scores[t] = self.step_target(x, float(targets[t]), w, width)
                suffered[t] = self.loss.value(scores[t], float(targets[t]))
        if want is Want.nothing:
            return None
        return scores if targets is None else (scores, suffered)

    # --- the rest ------------------------------------------------------------------------------------

    def total(self, total: Total) -> float:
        """One of the totals."""
        return float(self.totals[total].item())

    most = total

    def state(self) -> dict[str, Any]:
        """Everything, as arrays and the copies themselves."""
        width = -1 if self.width is None else self.width
        return {
            **totals_state(self.totals),
            "stages": self.stages.state(),
            "width": np.array([width]),
            "weak": [each.model for each in self.copies],
            "taught": [each.learned for each in self.copies],
        }

    def restore(self, lanes: int, **arrays: Any) -> None:
        """Go on from what `state` gave."""
        parts = Parts(arrays)
        if lanes != 1:
            raise ValueError("the state is of another booster")
        totals = restored_totals(parts, 1)
        (columns,) = parts.array("width", (1,), -1, 2**31, np.int64).tolist()
        stages = parts.array("stages", (None,))
        exchange(self.copies, parts.take("weak"), parts.take("taught"))
        parts.done()
        self.stages.restore(stages)
        self.totals = totals
        self.width = None if columns < 0 else columns


def _columns(batch: rows.Batch) -> int | None:
    return len(batch.columns) if isinstance(batch, rows.Table) else None
