"""Exp3-IX: implicit exploration, and a regret that is small with high probability (Neu (2015))."""

import math
from typing import ClassVar

import numpy as np

from regretless import _core
from regretless.arguments import positive, shown, within
from regretless.bandits.bandit_run import BanditRun
from regretless.bandits.exp3 import Exp3
from regretless.certificates import Certificate
from regretless.run import Array

__all__ = ["Exp3IX"]

_OBLIVIOUS: dict[str, bool | None] = {"losses are fixed in advance": None}


class Exp3IX(Exp3):
    """`Exp3` that divides a loss by `p + gamma`: estimates are a little low, and never very large.

    With `gamma_t = eta_t / 2`, for every delta with probability `1 - delta`, to all arms at once,

        regret  <=  2 ln n / eta_T + n sum eta_t + (1 / eta_T + 1) ln(2 / delta)

    for losses that are fixed in advance (Neu (2015), Theorem 1, whose proof gives this): with a
    horizon `2 sqrt(2 n T ln n) + (sqrt(n T / (2 ln n)) + 1) ln(2 / delta)`. Estimates of a fixed
    arm exceed its losses by `ln(n / delta) / (2 gamma_T)` at most with that probability (his
    Corollary 1); added to `certificate()`, which holds surely, this is a bound by what was
    measured. Both are `high_probability()`.

    Parameters
    ----------
    n, range, seed, horizon : as of `Exp3`.
    rate : "anytime", `eta_t = sqrt(ln n / (n t))`; "horizon", `sqrt(2 ln n / (n T))`; or a number.
    gamma : a number, if the rate is one; by default half of it.
    delta : in (0, 1): the probability with which a bound may fail, of runs too.

    >>> bandit = Exp3IX(3, rate="horizon", horizon=1000)
    >>> run = bandit.run([[0.2, 0.5, 0.9]] * 1000)
    >>> certificate = bandit.high_probability(delta=0.01)
    >>> round(run.regret()), {name: round(b) for name, b in certificate.bounds.items()}
    (52, {'measured': 270, 'promised': 363, 'trivial': 1000})
    """

    _options: ClassVar[tuple[str, ...]] = ("rate", "horizon", "gamma", "delta")
    _theorem = "Neu (2015), Theorem 1"
    _fixed: ClassVar[tuple[str, ...]] = ("horizon",)

    def __init__(
        self,
        n: int,
        *,
        rate: str | float = "anytime",
        horizon: int | None = None,
        gamma: float | None = None,
        delta: float = 0.05,
        range: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        if gamma is not None:
            positive(gamma, "gamma")
            if isinstance(rate, str):
                raise ValueError(
                    f"gamma={gamma} and rate={shown(rate)}: give the rate as a number too"
                )
        self.gamma, self.delta = gamma, _probability(delta)
        super().__init__(n, rate=rate, horizon=horizon, range=range, seed=seed)

    @property
    def _implicit(self) -> float:
        """gamma, in units of the rate."""
        return 0.5 if self.gamma is None else self.gamma / self._eta()

    def _start(self) -> _core.Arms:
        return _core.exp3(*self._common, self._eta(), self.rate == "anytime", self._implicit)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        # a regret that exceeds a + b x with probability 2 e^-x has a mean of at most a + b (ln 2 + 1)
        return {"promised": self._but_for(rounds, math.log(2.0) + 1.0)}

    def _but_for(self, rounds: Array, likely: float) -> Array:
        """The regret exceeds this with probability `2 e^-likely` at most."""
        # sums of a_t (z_ti - loss_ti) over rounds and arms exceed max(a_t / (2 gamma_t)) ln(1 / delta)
        # with probability delta at most (Neu's Lemma 1), here a = eta / 2 + gamma for all arms
        share, eta = self._implicit, self._last_rate(rounds)
        paid = (0.5 + share) * self.n * self._rates(rounds)
        extra = max(1.0, (0.5 + share) / (2.0 * share)) * likely
        low = (math.log(self.n) + likely) / (2.0 * share * eta)
        return np.asarray(math.log(self.n) / eta + paid + extra + low)

    def _with_probability(self, rounds: Array) -> Array:
        return self._width * self._but_for(rounds, math.log(2.0 / self.delta))

    def high_probability(self, delta: float | None = None) -> Certificate:
        """Bounds on the regret to all arms at once, each with probability `1 - delta`.

        "measured" by what was paid in this run, "promised" beforehand. `regret` is None: what is seen
        does not tell it. `run.certificate()` has both for the rounds of a run, beside its regret.
        """
        other = self if delta is None else self.copy()
        if delta is not None:
            other.delta = _probability(delta)
        bounds = {"nothing played": 0.0}
        if self.rounds:
            bounds = {"measured": self._pathwise()["pathwise"] + other._luck()}
            if False not in self._conditions.values():
                bounds["promised"] = float(
                    other._with_probability(np.array([float(self.rounds)]))[0]
                )
            bounds["trivial"] = self._width * self.rounds
        return Certificate(
            self.rounds,
            None,
            bounds,
            other._likely,
            _OBLIVIOUS,
            "all arms at once, of their losses",
        )

    def _luck(self) -> float:
        """By how much the estimates of an arm can exceed its losses with probability delta."""
        eta = float(self._last_rate(np.array(float(self.rounds))))
        return self._width * math.log(self.n / self.delta) / (2.0 * self._implicit * eta)

    @property
    def _likely(self) -> str:
        return f"{self._theorem}, with probability {1 - self.delta:g}"

    def _realised(
        self, run: BanditRun, u: Array
    ) -> tuple[dict[str, float], str, dict[str, bool | None]] | None:
        if self._engine.slept or not run.rounds:  # estimates of arms that sleep are not theirs
            return None
        carried = float(u @ run.before.regrets)  # the inequality is about all rounds
        bounds = {"measured": self._pathwise()["pathwise"] - carried + self._luck()}
        curve = self._realised_curve(run, u)
        if curve is not None:
            bounds["promised"] = float(curve[-1])
        return bounds, self._likely, _OBLIVIOUS

    def _realised_curve(self, run: BanditRun, u: Array) -> Array | None:
        if run.before.rounds or False in self._conditions.values():
            return None
        return self._with_probability(np.arange(1.0, run.rounds + 1.0))


def _probability(delta: float) -> float:
    within(delta, "delta", "(0, 1)")
    return float(delta)
