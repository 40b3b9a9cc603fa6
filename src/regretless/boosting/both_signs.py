"""A weak learner and its negation (Luo (2016), footnote 11)."""

import copy
from typing import Any

from regretless.arguments import finite, importance, number
from regretless.boosting.estimator import Estimator
from regretless.experts import Hedge
from regretless.foreign import fresh
from regretless.threads import OneThread, of_options

__all__ = ["BothSigns"]


class BothSigns(OneThread):
    """Makes the class of a weak learner closed under negation, which the theorems ask for.

    Two copies: one is told the linear losses `s v`, the other `-s v`, and its predictions are negated.
    Hedge weighs them by their losses, and the prediction is the weighted mean
    `p A(x) - (1 - p) A'(x)`, in [-1, 1]. The regret to F, to -F and to 0 is that of the copy on F plus
    that of Hedge, `O(sqrt(T))`.

    Parameters
    ----------
    weak : any weak learner that `GradientBoostingHull` takes.

    >>> from regretless.boosting import Stump
    >>> model = BothSigns(Stump())
    >>> for _ in range(50):
    ...     model.learn_slope({"a": 1.0}, 0.5)
    >>> model.predict_one({"a": 1.0}) < -0.9
    True
    """

    def __init__(self, weak: Any) -> None:
        self.weak = weak
        self._sides = tuple(Estimator(fresh(weak), f"weak learner {i}") for i in range(2))
        self._hedge = Hedge(2, range=(-1.0, 1.0))

    @of_options
    def clone(self) -> "BothSigns":
        """One that has seen nothing."""
        return BothSigns(self.weak)

    def copy(self) -> "BothSigns":
        """One that has learned the same."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"BothSigns({self.weak!r})"

    def predict_one(self, x: Any) -> float:
        """The mean of a prediction and a negated one."""
        p, q = self._hedge.weights
        return float(p * self._sides[0].predict(x) - q * self._sides[1].predict(x))

    def learn_slope(self, x: Any, slope: float, w: float = 1.0) -> None:
        """Learn the loss `slope v`; `|slope| <= 1`, `w` in [0, 1] as Hedge asks."""
        w = importance(w)
        said = [side.predict(x) for side in self._sides]
        losses = [w * number(slope, "slope") * said[0], -w * slope * said[1]]
        if not max(map(abs, losses)) <= 1.0 + 1e-9:  # as Hedge would, when the copies had learned
            raise ValueError(f"slope={slope}, w={w}: the losses {losses} are outside [-1, 1]")
        if w == 0.0:  # as if it were not there
            return
        for side, v, sign in zip(self._sides, said, (1.0, -1.0)):
            side.learn_slope(x, v, sign * slope, w)
        self._hedge.update(losses)

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Learn a target by the slope of the squared loss, over its largest for targets in [-1, 1]."""
        finite(y, "y")
        self.learn_slope(x, (self.predict_one(x) - min(max(y, -1.0), 1.0)) / 2.0, w)
