"""What gradient boosting knows of a loss: slopes, curvature, the price of a cut.

Luo (2016), section 3.2.1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from regretless.arguments import shown
from regretless.losses import Loss, Power

__all__ = ["LINEAR", "LossConstants", "constants_of", "power", "reach"]


@dataclass(frozen=True)
class LossConstants:
    """Constants of a loss on predictions in [-b, b], for targets in [-1, 1], as functions of b.

    Attributes: `lipschitz`, L_b, the largest slope; `smoothness`, beta_b, the largest curvature;
    `projection`, eps_b, what a prediction loses at most, per unit of distance, when it is cut to
    [-b, b].

    >>> squared = power(2.0)
    >>> squared.lipschitz(1.0), squared.smoothness(1.0), squared.projection(0.5)
    (4.0, 2.0, 1.0)
    """

    lipschitz: Callable[[float], float]
    smoothness: Callable[[float], float]
    projection: Callable[[float], float]


def power(p: float) -> LossConstants:
    """Those of `|y - v|^p`, p >= 2; p = 2 is the squared loss.

    >>> power(3.0).lipschitz(1.0)
    12.0
    """
    return LossConstants(
        lambda b: p * (b + 1.0) ** (p - 1.0),
        lambda b: p * (p - 1.0) * (b + 1.0) ** (p - 2.0),
        lambda b: p * max(1.0 - b, 0.0) ** (p - 1.0),
    )


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


LINEAR = LossConstants(_always(1.0), _always(0.0), _always(1.0))  # -y v
_LOGISTIC = LossConstants(
    lambda b: 1.0 / (1.0 + math.exp(-b)), _always(0.25), lambda b: 1.0 / (1.0 + math.exp(b))
)
# twice Luo's (2016) modified least squares, max(1 - y v, 0)^2 / 2
_SQUARED_HINGE = LossConstants(
    lambda b: 2.0 * (b + 1.0), _always(2.0), lambda b: 2.0 * max(1.0 - b, 0.0)
)
_SMOOTH = {"squared": power(2.0), "logistic": _LOGISTIC, "squared_hinge": _SQUARED_HINGE}
_STRAIGHT = ("absolute", "quantile", "hinge")


def constants_of(loss: Loss, *, linearized: bool = False) -> LossConstants:
    """Those of a loss of this library. Corollary 3 needs no more of it than its slopes.

    >>> from regretless.losses import Logistic
    >>> constants_of(Logistic()).smoothness(1.0)
    0.25
    """
    smooth = power(loss.p) if isinstance(loss, Power) else _SMOOTH.get(loss.name)
    if getattr(loss, "margin", 1.0) != 1.0:
        raise ValueError(f"loss={shown(loss)}: the margin must be 1, the largest target")
    if smooth is not None:
        return smooth
    if loss.name not in _STRAIGHT:
        allowed = ", ".join(map(repr, (*_SMOOTH, "power", *_STRAIGHT)))
        raise ValueError(f"loss={loss.name!r} cannot be boosted; use one of {allowed}")
    if not linearized:
        raise ValueError(
            f"loss={loss.name!r} has kinks, and gradient boosting needs a smooth loss; "
            "feed='linearized' takes any (Luo (2016), Corollary 3)"
        )
    steepest = _always(loss.lipschitz)
    return LossConstants(steepest, _always(math.inf), steepest)


def reach(constants: LossConstants, eta: float, n: int, bound: float = 1.0) -> float:
    """B of Algorithm 9: `min(eta N D, inf{b >= D: eta beta_b b^2 >= eps_b D})`.

    The set is an interval, as its left side grows with b and its right side falls.

    >>> reach(power(2.0), eta=0.15, n=20)
    1.0
    >>> reach(LINEAR, eta=0.25, n=20)
    5.0
    """

    def far_enough(b: float) -> bool:
        return eta * constants.smoothness(b) * b * b >= constants.projection(b) * bound

    high = eta * n * bound
    if high <= bound or far_enough(bound):
        return min(high, bound)
    if not far_enough(high):
        return high
    low = bound
    while high - low > 1e-15 * high:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (low, middle) if far_enough(middle) else (middle, high)
    return high
