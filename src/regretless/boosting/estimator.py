"""Weak learners that predict a number in [-1, 1], and learn slopes or targets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.foreign import Foreign

__all__ = ["Estimator"]


class Estimator(Foreign):
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


def dense(x: dict[Any, Any], width: int) -> NDArray[np.float64]:
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
