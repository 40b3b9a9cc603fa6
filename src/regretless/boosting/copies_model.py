"""Gradient boosting of weak learners in Python: the stages are the core's, the copies are not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, arguments, rows
from regretless._core import Total, Want
from regretless.arguments import shown
from regretless.boosting.estimator import Estimator, dense
from regretless.boosting.gradient_constants import constants_of
from regretless.linear.model import no_totals, restored_totals, totals_state
from regretless.losses import Loss, compiled
from regretless.state import Parts

__all__ = ["CopiesModel"]


class CopiesModel:
    """What `_core.Learner` is to the other boosters, with copies of a learner in Python."""

    lanes = 1
    wants_names = False
    has_gradient_sum = False
    bytes = 0

    def __init__(self, loss: Loss, weak: list[Estimator], options: dict[str, Any]) -> None:
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

    def trace(self) -> tuple[NDArray[np.float64], ...]:
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
            "copies": self.copies,
        }

    def restore(
        self,
        lanes: int,
        copies: list[Estimator],
        **arrays: NDArray[Any],
    ) -> None:
        """Go on from what `state` gave."""
        parts = Parts({}, arrays)
        if lanes != 1 or len(copies) != len(self.copies):
            raise ValueError("the state is of another booster")
        totals = restored_totals(parts, 1)
        (columns,) = parts.array("width", (1,), -1, 2**31, np.int64).tolist()
        stages = parts.array("stages", (None,))
        parts.done()
        self.stages.restore(stages)
        self.totals, self.copies = totals, copies
        self.width = None if columns < 0 else columns


def _columns(batch: rows.Batch) -> int | None:
    return len(batch.columns) if isinstance(batch, rows.Table) else None
