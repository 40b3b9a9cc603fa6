"""Players whose weights are functions of the regrets, without a rate.

Mohri et al. (2018), Exercise 8.8; Luo (2016), section 2.1.
"""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, whole, within
from regretless.experts.player import ExpertPlayer
from regretless.experts.regrets import is_group

_ALL = 10**6  # rounds of which a sum is made term by term


class _PotentialPlayer(ExpertPlayer):
    """Weights that are made in the core, by the number of their kind there."""

    _kind: ClassVar[_core.ExpertPotential]
    _parameter = 0.0

    def _start(self) -> _core.Experts:
        return _core.potential_player(self.prior.tolist(), self._kind, self._parameter)


class PolynomialWeights(_PotentialPlayer):
    """Weights `[R_i]_+^(alpha - 1)`: nothing to tune, for any number of rounds.

    Mohri et al. (2018), Exercise 8.8.

    The regret is at most `sqrt((alpha - 1) T) n^(1 / alpha)`; for `alpha = 2 ln n` that is
    `sqrt(e (2 ln n - 1) T)`.

    Parameters: `n`, `range`; `alpha >= 2`, by default `2 ln n`, or 2 for fewer than 8 experts.

    >>> player = PolynomialWeights(3, alpha=3.0)
    >>> player.update([1.0, 0.0, 0.5])
    0.5
    >>> player.weights
    array([0., 1., 0.])
    """

    _kind = _core.ExpertPotential.polynomial
    _theorem = "Mohri et al. (2018), Exercise 8.8"

    def __init__(
        self,
        n: int,
        *,
        alpha: float | None = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        default = 2.0 * math.log(n) if whole(n, "n") >= 8 else 2.0
        self.alpha = within(default if alpha is None else alpha, "alpha", "[2, inf)")
        self._parameter = self.alpha
        super().__init__(n, range=range)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # <u, R> <= ||[R]_+||_alpha ||u||_q by Hoelder, 1 / q = 1 - 1 / alpha: for k alike k^{-1/alpha}
        conjugate = self.alpha / (self.alpha - 1.0)
        shares = float(np.sum(u**conjugate)) ** (1.0 / conjugate)
        most = math.sqrt((self.alpha - 1.0) * self.rounds) * self.n ** (1.0 / self.alpha)
        return {"polynomial": most * shares}


class TwoNorm(_PotentialPlayer):
    """Weights `[R_i + 1]_+^2 - [R_i - 1]_+^2` (Luo (2016), Corollary 1).

    For every epsilon the regret to the best but for a fraction epsilon is at most `sqrt(T / epsilon)`.

    Parameters: `n`, `prior`, `range`.

    >>> player = TwoNorm(4)
    >>> suffered = player.update([0.0, 1.0, 1.0, 1.0])
    >>> player.weights.round(4), player.certificate().bounds["two-norm"]
    (array([0.6447, 0.1184, 0.1184, 0.1184]), 2.0)
    """

    _kind = _core.ExpertPotential.two_norm
    _theorem = "Luo (2016), Corollary 1"

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # sum prior_i [R_i]_+^2 <= T; for a group u of the share epsilon, sum u^2 / prior is 1 / epsilon
        inside = u > 0
        size = float(np.sum(u[inside] * (u[inside] / self.prior[inside])))
        return {"two-norm": math.sqrt(self.rounds * size)}


class NormalHedgeDT(_PotentialPlayer):
    """Weights `e^{[R_i + 1]_+^2 / (d t)} - e^{[R_i - 1]_+^2 / (d t)}` in round t.

    Luo (2016), Corollary 2.

    For every epsilon the regret to the best but for a fraction epsilon is at most
    `sqrt(d T ln(1 + sum_{t <= T} (e^{4 / (d t)} - 1) / (2 epsilon)))`.

    Parameters: `n`, `prior`, `range`; `d >= 3`.

    >>> player = NormalHedgeDT(10)
    >>> run = player.run([[0.0] + [1.0] * 9] * 50)
    >>> run.regret(quantile=0.1) <= run.bound(quantile=0.1)
    True
    """

    _kind = _core.ExpertPotential.normal_hedge_dt
    _theorem = "Luo (2016), Corollary 2"

    def __init__(
        self,
        n: int,
        *,
        d: float = 3.0,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        self.d = within(d, "d", "[3, inf)", ": Luo (2016), Lemma 2, does not hold below")
        self._parameter = self.d
        super().__init__(n, prior=prior, range=range)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T = self.rounds
        charged = _charged(4.0 / self.d, T) / 2.0
        # The mean of e^{[R]_+^2 / (d T)} by the prior is at most 1 + charged: so to every u, as the mean
        # by u of the exponents is at most RE(u || prior) and the logarithm of that.
        logarithm = relative + math.log1p(charged)
        if is_group(u, self.prior):
            logarithm = min(logarithm, math.log1p(charged / float(self.prior[u > 0].sum())))
        return {"normal-hedge-dt": math.sqrt(self.d * T * logarithm)}


def _charged(c: float, rounds: int, few: int = 1_000_000) -> float:
    """`sum_{t <= T} (e^{c / t} - 1)`; of the rounds after a few a little more, `c / t + (c / t)^2`.

    >>> 0 < _charged(1.0, 2_000, few=1_000) - _charged(1.0, 2_000) < 2e-3
    True
    """
    first = float(np.expm1(c / np.arange(1, min(rounds, few) + 1)).sum())
    return first if rounds <= few else first + c * math.log(rounds / few) + c * c / few


def normal_scale(rounds: int, n: int) -> float:
    """What the scale c of `NormalHedge` is at most, by Chaudhuri, Freund and Hsu (2009), Theorem 1.

    For every delta in (0, 1/2]

        3 (1 + 50 delta) T + 16 (ln n)^2 / delta^2 (10.2 / delta^2 + ln n)

    of which this is the smallest. (The second term is no smaller than theirs.)

    >>> normal_scale(10_000, 2) < 0.04 * 10_000**2
    True
    """
    logarithm, delta = math.log(n), np.geomspace(1e-4, 0.5, 200)  # any of them gives a bound
    rest = 16.0 * (logarithm / delta) ** 2 * (10.2 / delta**2 + logarithm)
    return float(np.min(3.0 * (1.0 + 50.0 * delta) * rounds + rest))


class NormalHedge(_PotentialPlayer):
    """Weights `[R_i]_+ e^{[R_i]_+^2 / c}` with the `c` for which `e^{[R_i]_+^2 / c}` is e on average.

    By Chaudhuri, Freund and Hsu (2009). With an even prior the regret to the best but for a fraction
    epsilon of the n experts is at most `sqrt((1 + ln(1 / epsilon)) normal_scale(T, n))`, which is less
    than T only in long games. For an uneven prior nothing is proved. (That the regret is at most
    `sqrt(c (1 + ln(1 / epsilon)))` is no theorem: `c` is made of the regrets so that this holds, whoever
    has played.)

    Parameters: `n`, `prior`, `range`.

    >>> player = NormalHedge(3)
    >>> suffered = player.update([0.0, 0.5, 1.0])
    >>> player.weights
    array([1., 0., 0.])
    """

    _kind = _core.ExpertPotential.normal_hedge
    _theorem = "Chaudhuri, Freund and Hsu (2009), Theorem 1"

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if np.ptp(self.prior) > 0:
            return {}
        inside = u > 0
        size = self.prior[inside].sum() if is_group(u, self.prior) else self.prior[inside].min()
        return {
            "normal-hedge": math.sqrt((1.0 - math.log(size)) * normal_scale(self.rounds, self.n))
        }
