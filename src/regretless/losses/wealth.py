"""The loss of an investor, which has no target."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.losses.loss import Array, Loss

__all__ = ["LogWealth"]


@dataclass(frozen=True, slots=True, repr=False)
class LogWealth(Loss):
    """The loss of an investor whose wealth grows by the factor `s` in a day.

    `-log s`, `s = <w, x>` for the portfolio `w` and the price relatives `x`, today's prices over
    yesterday's; infinite at ruin. The sum of the losses is minus the logarithm of the wealth at the
    end. There is no target: what is given is not looked at. For players of `regretless.oco`.

    >>> LogWealth().value(1.0, 0.0), LogWealth().derivative(2.0, 0.0)
    (0.0, -0.5)
    >>> LogWealth().exp_concavity(1.0)
    1.0
    """

    name = "log_wealth"
    classification = None
    lipschitz = math.inf
    curvature = math.inf

    def _frame(self, y: Array) -> tuple[Array, Array]:
        return np.ones_like(y), np.zeros_like(y)

    def _phi(self, z: Array) -> Array:
        with np.errstate(divide="ignore"):
            return -np.log(np.maximum(z, 0.0))

    def _phi_prime(self, z: Array) -> Array:
        with np.errstate(divide="ignore"):
            return -1.0 / np.maximum(z, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return np.where(u < 0.0, -1.0 - np.log(np.where(u < 0.0, -u, 1.0)), math.inf)

    def _travel(self, z: Array, h: Array, norm: Array) -> Array:
        return (z - np.sqrt(z * z + 2.0 * norm * h)) / norm

    def _exp_concavity(self, _bound: float) -> float:
        return 1.0  # e^{-loss} = s is linear
