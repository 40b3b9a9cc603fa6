"""Regression stumps: one feature predicts, the best of those that the example has.

Luo (2016), section 3.2.5.
"""

from typing import Any

from regretless.arguments import positive
from regretless.boosting.weak_regression import WeakRegressor

__all__ = ["Stump"]


class Stump(WeakRegressor):
    """A line for every feature, each learned by itself; the best of those present predicts.

        line      v = w z + b,  |w| + |b| <= D,  z: x with the range of values seen mapped to [-1, 1]
        step      (w, b) -= eta g (z, 1),  eta = rate sqrt(2) D / sqrt(sum |g (z, 1)|^2), projected
        record    by how much the loss of the line is below that of the constant, per example

    with g the slope of the loss at the line's own prediction. Among the features of the example that
    are not 0 the one with the best record predicts; if none is ahead of the constant, the constant
    does. A new feature begins with the constant. Every line is gradient descent on a set of diameter
    2 D with a step that adapts to the slopes, so if `rate` is 1 and the range of z has been seen, its
    regret on slopes s_t is at most `4 D sqrt(sum s_t^2)`; the choice of the feature has no theorem.

    Nothing needs tuning, and the unit of a feature does not matter. A prediction takes time in the
    number of features of the example that are not 0. A vote for the label -1 or 1 is the sign.

    Parameters
    ----------
    bound : D > 0, the largest prediction; None: the largest target so far, or 1 for slopes.
    rate : > 0, a factor of all steps.

    >>> model = Stump()
    >>> for t in range(300):
    ...     x = {"noise": (7 * t) % 11, "signal": t % 5}
    ...     model.learn_one(x, 2.0 * (t % 5) - 3.0)
    >>> model.feature_of({"noise": 3, "signal": 4})
    'signal'
    >>> abs(model.predict_one({"noise": 3, "signal": 4}) - 5.0) < 0.2
    True

    As the online linear learner of boosting it is told slopes:

    >>> model = Stump()
    >>> for t in range(100):
    ...     model.learn_slope({"up": 1 + t % 2}, -1.0 if t % 2 else 1.0)
    >>> round(model.predict_one({"up": 2}), 6), round(model.predict_one({"up": 1}), 6)
    (1.0, -1.0)

    Luo (2016), section 3.2.5 says of its stumps no more than that features are independent and
    which of them predicts; line, step and record are ours.
    """

    _rule = "stump"

    def __init__(self, *, bound: float | None = None, rate: float = 1.0) -> None:
        self.bound = bound
        self.rate = rate
        self._reset()

    def _numbers(self) -> dict[str, Any]:
        return {"rate": positive(self.rate, "rate")}

    def feature_of(self, x: Any) -> Any:
        """The feature that predicts for `x`; None if the constant does."""
        return self._feature(x)
