"""Step sizes `eta_t` for the rounds t = 1, 2, ...

The tuned ones are from Shalev-Shwartz (2012),
section 2, for a known horizon, and from Srebro (lecture 16), for an unknown one, with constants
sharpened.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import SupportsFloat

from regretless.base.arguments import number, positive, shown
from regretless.base.options import call_of_fields

__all__ = ["Constant", "Inverse", "InverseSqrt", "Rate", "anytime", "for_horizon", "get"]


@dataclass(frozen=True, slots=True, repr=False)
class Rate(ABC):
    """A schedule: called with the round `t >= 1`, it returns the step size `eta / decay(t)`."""

    eta: float
    __repr__ = call_of_fields

    def __post_init__(self) -> None:
        positive(self.eta, "eta")

    def __call__(self, t: int) -> float:
        """The step size of round `t`, counted from 1."""
        if t < 1:
            raise ValueError(f"t={t} is not a round: rounds are counted from 1")
        return self.eta / self._decay(t)

    @abstractmethod
    def _decay(self, t: int) -> float: ...


@dataclass(frozen=True, slots=True, repr=False)
class Constant(Rate):
    """The same step size in every round: `eta_t = eta`.

    Parameters: `eta > 0`; for a known number of rounds see `for_horizon`.

    >>> Constant(0.5)(100)
    0.5
    """

    def _decay(self, _t: int) -> float:
        return 1.0


@dataclass(frozen=True, slots=True, repr=False)
class InverseSqrt(Rate):
    """The step size for convex losses and any number of rounds: `eta_t = eta / sqrt(t)`.

    Parameters: `eta > 0`, the first step; see `anytime`.

    >>> InverseSqrt(0.5)(100)
    0.05
    """

    def _decay(self, t: int) -> float:
        return math.sqrt(t)


@dataclass(frozen=True, slots=True, repr=False)
class Inverse(Rate):
    """The step size for strongly convex losses: `eta_t = eta / t`.

    With `eta = 1 / sigma` for `sigma`-strongly convex losses, the steps `w -= eta_t z_t` have
    regret at most `L^2 (1 + log T) / (2 sigma)` against every `u`, where `||z_t|| <= L`
    (Hazan, Agarwal and Kale (2007)).

    Parameters: `eta > 0`, the first step.

    >>> Inverse(0.5)(100)
    0.005
    """

    def _decay(self, t: int) -> float:
        return t


def for_horizon(norm: float, lipschitz: float, horizon: int) -> Constant:
    """The best constant step size for gradient descent over a known number of rounds.

    `eta = B / (L sqrt(T))`. Started at 0, lazily projected or not projected at all, the regret is
    at most `B L sqrt(T)` after `T` rounds (Shalev-Shwartz (2012), Theorem 2.21 with the Euclidean
    regulariser), which an adversary attains.

    Parameters, all positive: `norm` B, the largest `||u||` to compete with; `lipschitz` L, the
    largest `||z_t||`; `horizon` T.

    >>> for_horizon(norm=2.0, lipschitz=1.0, horizon=100)
    Constant(0.2)
    """
    positive(norm, "norm"), positive(lipschitz, "lipschitz"), positive(horizon, "horizon")
    return Constant(norm / (lipschitz * math.sqrt(horizon)))


def anytime(norm: float, lipschitz: float) -> InverseSqrt:
    """The best step size for dual averaging when the number of rounds is not known.

    `eta_t = B / (L sqrt(2 t))`, for the lazy `w_{t+1} = -eta_t (z_1 + ... + z_t)`, `w_1 = 0`,
    projected or not. The regret is at most `B L sqrt(2 (T - 1))` after every `T >= 2` (and `B L`
    after one round), which an adversary attains at `T = 2` and approaches as `T` grows.

    Srebro (lecture 16), slide FTRL for Linear Problems: with strength `s_t = 1 / eta_t` and
    `s_0 = s_1`, `regret(u) <= s_{T-1} ||u||^2 / 2 + sum_t ||z_t||^2 / (2 s_{t-1})`. With
    `s_t = c sqrt(t)` both terms are at most `B L sqrt((T - 1) / 2)` for `c = sqrt(2) L / B`, as
    `1 + sum_{k < T} k^(-1/2) <= 2 sqrt(T - 1)`. The slides take half this step, and state
    `sqrt(32)` in place of `sqrt(2)`.

    Parameters, both positive: `norm` B, the largest `||u||` to compete with; `lipschitz` L, the
    largest `||z_t||`.

    >>> round(anytime(norm=2.0, lipschitz=1.0)(2), 12)
    1.0
    """
    positive(norm, "norm"), positive(lipschitz, "lipschitz")
    return InverseSqrt(norm / (lipschitz * math.sqrt(2.0)))


def get(rate: float | Rate, name: str = "rate") -> Rate:
    """The schedule itself, or the constant one if `rate` is a number.

    >>> get(0.1)
    Constant(0.1)
    >>> get(Inverse(2.0))
    Inverse(2.0)
    """
    if isinstance(rate, Rate):
        return rate
    if not isinstance(rate, SupportsFloat):
        raise ValueError(
            f"{name}={shown(rate)} must be a number or a Rate, for example InverseSqrt(0.5)"
        )
    return Constant(number(rate, name))
