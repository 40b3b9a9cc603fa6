"""Losses of regression: functions of the residual `s - y`."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.arguments import number
from regretless.losses.loss import Array, PiecewiseLinear, ResidualLoss, on_interval

__all__ = ["Absolute", "EpsilonInsensitive", "Quantile", "Squared"]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
        if not 0 < number(self.tau, "tau") < 1:
            raise ValueError(f"tau={self.tau} is outside (0, 1); 0.5 is the median")

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


@dataclass(frozen=True, slots=True)
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
        if not 0 <= number(self.epsilon, "epsilon") < math.inf:
            raise ValueError(f"epsilon={self.epsilon} must be finite and >= 0; 0 is Absolute()")

    def _phi(self, r: Array) -> Array:
        return np.maximum(0.0, np.abs(r) - self.epsilon)

    def _phi_prime(self, r: Array) -> Array:
        return np.sign(r) * np.heaviside(np.abs(r) - self.epsilon, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return on_interval(-1.0, 1.0, u, self.epsilon * np.abs(u))
