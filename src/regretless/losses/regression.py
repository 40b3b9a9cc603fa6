"""Losses of regression: functions of the residual `s - y`."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.base.arguments import Array, not_negative, within
from regretless.losses.loss import PiecewiseLinear, ResidualLoss, on_interval


@dataclass(frozen=True, slots=True, repr=False)
class Squared(ResidualLoss):
    """The loss of least squares; its best score is the mean.

    `(s - y)^2`, without a half: derivative `2 (s - y)`, strong convexity and curvature 2.

    >>> Squared().derivative(3.0, 1.0), Squared().conjugate(2.0, 1.0)
    (4.0, 3.0)
    """

    name = "squared"
    lipschitz = math.inf
    curvature = 2.0
    strong_convexity = 2.0

    def _phi(self, r: Array) -> Array:
        return r * r

    def _phi_prime(self, r: Array) -> Array:
        return 2.0 * r

    def _phi_star(self, u: Array) -> Array:
        return u * u / 4.0

    def _travel(self, r: Array, h: Array, norm: Array) -> Array:
        return -r * np.expm1(-2.0 * norm * h) / norm

    def _exp_concavity(self, bound: float) -> float:
        return 0.125 / bound**2  # phi'' / phi'^2 = 1 / (2 r^2), |r| <= 2 bound


@dataclass(frozen=True, slots=True, repr=False)
class Power(ResidualLoss):
    """A power of the error; a larger power gives large errors more weight.

    `|s - y|^p`; derivative `p sign(s - y) |s - y|^(p - 1)`. With p = 2 it is `Squared`.

    Parameters: `p`, finite and at least 2.

    >>> Power(3.0).value(3.0, 1.0), Power(3.0).derivative(3.0, 1.0)
    (8.0, 12.0)
    """

    p: float = 3.0

    name = "power"
    lipschitz = math.inf

    def __post_init__(self) -> None:
        within(self.p, "p", "[2, inf)")

    @property
    def curvature(self) -> float:
        return 2.0 if self.p == 2.0 else math.inf

    @property
    def strong_convexity(self) -> float:
        return 2.0 if self.p == 2.0 else 0.0

    def _phi(self, r: Array) -> Array:
        return np.abs(r) ** self.p

    def _phi_prime(self, r: Array) -> Array:
        return self.p * np.sign(r) * np.abs(r) ** (self.p - 1.0)

    def _phi_star(self, u: Array) -> Array:
        # the supremum is where |r|^(p - 1) = |u| / p
        return (self.p - 1.0) * (np.abs(u) / self.p) ** (self.p / (self.p - 1.0))

    def _travel(self, r: Array, h: Array, norm: Array) -> Array:
        # |r|^(2 - p) grows linearly in h; |r| falls by e^(-2 norm h) if p = 2
        q = self.p - 2.0
        grown = self.p * norm * h * np.abs(r) ** q
        return -r * np.expm1(-np.log1p(q * grown) / q if q > 0.0 else -grown) / norm

    def _exp_concavity(self, bound: float) -> float:
        # phi'' / phi'^2 = (p - 1) / (p |r|^p), |r| <= 2 bound
        return float((1.0 - 1.0 / self.p) / (2.0 * bound) ** self.p)


@dataclass(frozen=True, slots=True, repr=False)
class Absolute(ResidualLoss, PiecewiseLinear):
    """The size of the error; its best score is the median.

    `|s - y|`; derivative `sign(s - y)`, 0 at the kink.

    >>> Absolute().value(3.0, 1.0), Absolute().invariant_step(3.0, 1.0, h=9.0, squared_norm=4.0)
    (2.0, 0.5)
    """

    name = "absolute"
    lipschitz = 1.0

    def _phi(self, r: Array) -> Array:
        return np.abs(r)

    def _phi_prime(self, r: Array) -> Array:
        return np.sign(r)

    def _phi_star(self, u: Array) -> Array:
        return on_interval(-1.0, 1.0, u, np.zeros_like(u))


@dataclass(frozen=True, slots=True, repr=False)
class Quantile(ResidualLoss, PiecewiseLinear):
    """The pinball loss; its best score is the `tau`-quantile.

    `max(tau (y - s), (tau - 1) (y - s))`; derivative `-tau` if `s < y`, `1 - tau` if `s > y`, 0 at
    the kink. At `tau = 1/2` it is half the absolute loss.

    Parameters: `tau` in (0, 1), the wanted share of targets below the score (default 1/2).

    >>> Quantile(0.75).value(0.0, 2.0), Quantile(0.75).value(2.0, 0.0)
    (1.5, 0.5)
    """

    name = "quantile"
    tau: float = 0.5

    def __post_init__(self) -> None:
        within(self.tau, "tau", "(0, 1)", "; 0.5 is the median")

    @property
    def lipschitz(self) -> float:
        """The steeper of the two sides, `max(tau, 1 - tau)`."""
        return max(self.tau, 1.0 - self.tau)

    def _phi(self, r: Array) -> Array:
        return np.maximum(-self.tau * r, (1.0 - self.tau) * r)

    def _phi_prime(self, r: Array) -> Array:
        return np.heaviside(r, self.tau) - self.tau

    def _phi_star(self, u: Array) -> Array:
        return on_interval(-self.tau, 1.0 - self.tau, u, np.zeros_like(u))


@dataclass(frozen=True, slots=True, repr=False)
class EpsilonInsensitive(ResidualLoss, PiecewiseLinear):
    """The absolute loss that forgives small errors, as in support vector regression.

    `max(0, |s - y| - epsilon)`; derivative `sign(s - y)` outside the tube, 0 in it and on its edge.

    Parameters: `epsilon >= 0`, the error forgiven, in the unit of the target (default 0.1).

    >>> EpsilonInsensitive(0.5).value(3.0, 1.0), EpsilonInsensitive(0.5).derivative(1.5, 1.0)
    (1.5, 0.0)
    """

    name = "epsilon_insensitive"
    lipschitz = 1.0
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        not_negative(self.epsilon, "epsilon", "; 0 is Absolute()")

    def _phi(self, r: Array) -> Array:
        return np.maximum(0.0, np.abs(r) - self.epsilon)

    def _phi_prime(self, r: Array) -> Array:
        return np.sign(r) * np.heaviside(np.abs(r) - self.epsilon, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return on_interval(-1.0, 1.0, u, self.epsilon * np.abs(u))
