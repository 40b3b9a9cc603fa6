"""Decision stumps, and the search for the best of them (Luo (2016), section 2.2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.boosting.columns import Columns

__all__ = ["FittedStump", "StumpSearch"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FittedStump:
    """One label where `feature <= threshold`, another above it; without a feature, always `below`.

    >>> FittedStump("age", 41.5, below="no", above="yes")
    FittedStump: 'no' if age <= 41.5, else 'yes'
    """

    feature: Any
    threshold: float
    below: Any
    above: Any

    def __repr__(self) -> str:
        if self.feature is None:
            return f"FittedStump: {self.below!r}"
        name = self.feature if isinstance(self.feature, str) else f"x[{self.feature}]"
        return f"FittedStump: {self.below!r} if {name} <= {self.threshold:g}, else {self.above!r}"

    def votes(self, X: Columns) -> Array:
        """The label, -1 or 1, of each example; for a stump with such labels."""
        at_zero = self.below if self.feature is None or self.threshold >= 0 else self.above
        votes = np.full(X.size, float(at_zero))
        if self.feature is not None:
            where, values = X.column(self.feature)
            votes[where] = np.where(values <= self.threshold, self.below, self.above)
        return votes


class StumpSearch:
    """The weak learner that tries every feature and every threshold between two of its values.

    The labels of both sides are the best ones, which may be the same (Luo (2016) does not say; see
    docs/errata.md). Of stumps whose weighted errors differ by no more than rounding, the constant
    one is taken, then that of the first feature and the smallest threshold. Examples of weight 0
    cost nothing in columns of up to 64 values.

    Parameters: `X`, examples by columns; `signs`, their labels, -1 or 1.

    >>> search = StumpSearch(Columns.of([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0]))
    >>> search.fit(np.full(3, 1 / 3))
    FittedStump: -1 if x[0] <= 0.5, else 1
    """

    def __init__(self, X: Columns, signs: Array) -> None:
        self._names = X.names
        self._core = _core.StumpSearch(
            X.matrix.indptr.astype(np.int64),
            X.matrix.indices.astype(np.int32),
            X.matrix.data,
            signs,
        )

    def fit(self, weights: Array) -> FittedStump:
        """The stump of the smallest weighted error."""
        feature, threshold, below, above, _ = self._core.best(weights)
        if feature < 0:
            return FittedStump(None, 0.0, below, below)
        return FittedStump(self._names[feature], threshold, below, above)
