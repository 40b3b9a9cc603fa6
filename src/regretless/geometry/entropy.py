"""The entropies, whose updates are multiplicative."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, positive
from regretless.domains import Box, Domain, Simplex
from regretless.domains.domain import vector
from regretless.geometry.geometry import Geometry


def _x_log_x(x: Array) -> Array:
    return x * np.log(np.where(x <= 0.0, 1.0, x))


def _log(w: ArrayLike) -> Array:
    """`log w`, minus infinity at 0."""
    w = vector(w, "w")
    if np.any(w < 0.0) or not np.any(w):
        raise ValueError(
            f"w={w} is 0 or has negative coordinates: the entropy has no gradient there"
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(w))


def _relative(w: Array, u: Array) -> float:
    """`sum w log(w / u) - w + u`, infinite where `u` is 0 and `w` is not."""
    if np.any(w < 0.0) or np.any((u <= 0.0) & (w > 0.0)):
        return math.inf
    kept = w > 0.0
    ratio = w[kept] / u[kept]
    # this form loses little where the terms cancel, since ratio - 1 is exact near 1
    terms = u[kept] * (ratio * np.log(ratio) - (ratio - 1.0))
    return float(terms.sum() + u[~kept].sum())


class _L1(Geometry):
    """A geometry that is strongly convex in the l1 norm."""

    def norm(self, w: ArrayLike) -> float:
        """The l1 norm, `sum |w_i|`.

        >>> Entropy().norm([3.0, -4.0])
        7.0
        """
        return float(np.abs(vector(w, "w")).sum())

    def dual_norm(self, z: ArrayLike) -> float:
        """The largest `|z_i|`.

        >>> Entropy().dual_norm([3.0, -4.0])
        4.0
        """
        return float(np.abs(vector(z, "z")).max())

    def local_norm(self, w: ArrayLike, z: ArrayLike) -> float:
        """The norm of a gradient seen from `w`, `sqrt(sum w_i z_i^2)`.

        Shalev-Shwartz (2012), section 2.8.

        >>> UnnormalizedEntropy().local_norm([4.0, 0.0], [1.0, 5.0])
        2.0
        """
        return math.sqrt(float(vector(w, "w") @ vector(z, "z") ** 2))


@dataclass(frozen=True, eq=False, repr=False)
class Entropy(_L1):
    """The geometry of exponentiated gradient: `psi(w) = sum w log w` on `{w >= 0, sum w = scale}`.

    The link is `scale * softmax(theta)`, the divergence `sum w log(w / u)`, the conjugate
    `scale * (log sum exp(theta) - log scale)`; `psi` is `1 / scale`-strongly convex in the l1 norm
    (Shalev-Shwartz (2012), Example 2.5 and Corollary 2.14).

    Parameters: `scale > 0`, the sum of the weights; 1 for probabilities.

    The gradient, and so projections, also take points off the simplex.

    >>> Entropy().link([0.0, 0.0, 0.0, 0.0])
    array([0.25, 0.25, 0.25, 0.25])
    >>> round(Entropy().conjugate([0.1, 0.2, 0.3]), 10)
    1.3019428482
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    @property
    def strong_convexity(self) -> float:
        """`1 / scale`, in the l1 norm."""
        return 1.0 / self.scale

    @property
    def domain(self) -> Domain:
        """The simplex of sum `scale`."""
        return Simplex(self.scale)

    def value(self, w: ArrayLike) -> float:
        """`sum w log w`, infinite off the simplex.

        >>> Entropy().value([0.0, 1.0]), Entropy().value([1.0, 1.0])
        (0.0, inf)
        """
        w = vector(w, "w")
        return float(_x_log_x(w).sum()) if self.domain.contains(w) else math.inf

    def gradient(self, w: ArrayLike) -> Array:
        """`log w + 1`.

        >>> Entropy().gradient([1.0, 1.0])
        array([1., 1.])
        """
        return _log(w) + 1.0

    def conjugate(self, theta: ArrayLike) -> float:
        """`scale * (log sum exp(theta) - log scale)`.

        >>> Entropy().conjugate([1000.0, 0.0])
        1000.0
        """
        theta = vector(theta, "theta")
        top = float(theta.max())
        return self.scale * (top + math.log(np.exp(theta - top).sum() / self.scale))

    def link(self, theta: ArrayLike) -> Array:
        """`scale * softmax(theta)`.

        >>> Entropy(2.0).link([0.0, 1000.0])
        array([0., 2.])
        """
        theta = vector(theta, "theta")
        exponentials = np.exp(theta - theta.max())
        return np.asarray(self.scale / exponentials.sum() * exponentials)

    def bregman(self, w: ArrayLike, u: ArrayLike) -> float:
        """The relative entropy, `sum w log(w / u)`.

        >>> Entropy().bregman([0.0, 1.0], [0.5, 0.5]) == math.log(2.0)
        True
        """
        return _relative(vector(w, "w"), vector(u, "u"))

    def dual_bregman(self, theta: ArrayLike, start: ArrayLike) -> float:
        """`scale * log(sum p exp(x))`, `p` the softmax of `start`, `x = theta - start` less its mean.

        >>> round(Entropy().dual_bregman([1e-9, 0.0], [0.0, 0.0]) * 1e18, 6)
        0.125
        """
        theta, start = vector(theta, "theta"), vector(start, "start")
        p = Entropy().link(start)
        x = theta - start
        x = x - float(p @ x)
        if x.max() > 1.0:  # nothing cancels, and the exponential might overflow
            return self.scale * float(x.max() + math.log(p @ np.exp(x - x.max())))
        return self.scale * math.log1p(float(p @ _exponential_rest(x)))


@dataclass(frozen=True, eq=False, repr=False)
class UnnormalizedEntropy(_L1):
    """The geometry of unnormalised EG: `psi(w) = sum w (log w - 1 - log initial)`, `w >= 0`.

    The link is `initial * exp(theta)`, the conjugate its sum, the divergence
    `sum w log(w / u) - w + u`. It is not strongly convex (only on `||w||_1 <= B`, with `1 / B` in
    the l1 norm), so that `strong_convexity` is 0; regret is bounded by `local_norm` instead
    (Shalev-Shwartz (2012), section 2.8).

    Parameters: `initial > 0`, the weight with which every coordinate begins; `1 / d` is usual.

    >>> UnnormalizedEntropy(0.5).start(2)
    array([0.5, 0.5])
    """

    initial: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial", positive(self.initial, "initial"))

    @property
    def domain(self) -> Domain:
        """The vectors without negative coordinates."""
        return Box(0.0, math.inf)

    @property
    def separable(self) -> bool:
        """True: a sum over coordinates."""
        return True

    def value(self, w: ArrayLike) -> float:
        """`sum w (log w - 1 - log initial)`, infinite if a coordinate is negative.

        >>> UnnormalizedEntropy().value([1.0, 0.0])
        -1.0
        """
        w = vector(w, "w")
        if np.any(w < 0.0):
            return math.inf
        return float((_x_log_x(w) - w * (1.0 + math.log(self.initial))).sum())

    def gradient(self, w: ArrayLike) -> Array:
        """`log(w / initial)`.

        >>> UnnormalizedEntropy().gradient([1.0, 1.0])
        array([0., 0.])
        """
        return _log(w) - math.log(self.initial)

    def conjugate(self, theta: ArrayLike) -> float:
        """`initial * sum exp(theta)`.

        >>> UnnormalizedEntropy(0.5).conjugate([0.0, 0.0])
        1.0
        """
        return float(self.link(theta).sum())

    def link(self, theta: ArrayLike) -> Array:
        """`initial * exp(theta)`; infinite where that is beyond the largest float.

        >>> UnnormalizedEntropy(0.5).link([0.0, 1000.0])
        array([0.5, inf])
        """
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(vector(theta, "theta") + math.log(self.initial)))

    def bregman(self, w: ArrayLike, u: ArrayLike) -> float:
        """`sum w log(w / u) - w + u`.

        >>> UnnormalizedEntropy().bregman([0.0, 1.0], [0.5, 1.0])
        0.5
        """
        return _relative(vector(w, "w"), vector(u, "u"))

    def dual_bregman(self, theta: ArrayLike, start: ArrayLike) -> float:
        """`sum g (exp(x) - 1 - x)`, with `g = link(start)` and `x = theta - start`.

        >>> round(UnnormalizedEntropy().dual_bregman([1e-9], [0.0]) * 1e18, 6)
        0.5
        """
        x = vector(theta, "theta") - vector(start, "start")
        return float(self.link(start) @ _exponential_rest(x))


def _exponential_rest(x: Array) -> Array:
    """`exp(x) - 1 - x`, by its series where the three terms cancel."""
    small = np.abs(x) < 0.01
    with np.errstate(over="ignore"):
        return np.where(small, _series(np.where(small, x, 0.0)), np.expm1(x) - x)


def _series(x: Array) -> Array:
    total = np.ones_like(x)
    for k in range(8, 2, -1):
        total = 1.0 + total * x / k
    return 0.5 * x * x * total
