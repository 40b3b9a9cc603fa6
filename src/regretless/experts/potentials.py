"""Players whose weights are functions of the regrets, without a rate (mohri 18, thesis 2.1)."""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.arguments import whole, within
from regretless.experts.player import ExpertPlayer, is_group
from regretless.run import Array

__all__ = ["NormalHedge", "NormalHedgeDT", "PolynomialWeights", "TwoNorm"]

_ALL = 10**6  # rounds of which a sum is made term by term


class _PotentialPlayer(ExpertPlayer):
    """Their bounds hold for every fraction epsilon of the experts, measured by the prior."""

    _kind: ClassVar[int]
    _parameter = 0.0

    def _start(self) -> _core.Experts:
        return _core.potential_player(self.prior.tolist(), self._kind, self._parameter)

    def _epsilon(self, u: Array) -> float:
        """The prior of the experts in `u`, if it is a group of them; otherwise of the rarest.

        The regret to a group is bounded like a quantile, that to any mixture like those of its experts.
        """
        inside = self.prior[u > 0]
        return float(inside.sum() if is_group(u, self.prior) else inside.min())


class PolynomialWeights(_PotentialPlayer):
    """Weights `[R_i]_+^(alpha - 1)` (mohri exercise 8.8): nothing to tune, for any number of rounds.

    The regret is at most `sqrt((alpha - 1) T) n^(1 / alpha)`; for `alpha = 2 ln n` that is
    `sqrt(e (2 ln n - 1) T)`.

    Parameters: `n`, `range`; `alpha >= 2`, by default `2 ln n`, or 2 for fewer than 8 experts.

    >>> player = PolynomialWeights(3, alpha=3.0)
    >>> player.update([1.0, 0.0, 0.5])
    0.5
    >>> player.weights
    array([0., 1., 0.])
    """

    _kind = 0
    _options = ("alpha",)
    _theorem = "mohri exercise 8.8"

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
        # max_i [R_i]_+ <= ||[R]_+||_alpha; k experts of regret R have that norm k^{1/alpha} R
        crowd = (self.n * self._epsilon(u)) ** (1.0 / self.alpha)
        most = math.sqrt((self.alpha - 1.0) * self.rounds) * self.n ** (1.0 / self.alpha)
        return {"polynomial": most / crowd}


class TwoNorm(_PotentialPlayer):
    """Weights `[R_i + 1]_+^2 - [R_i - 1]_+^2` (thesis Corollary 1).

    For every epsilon the regret to the best but for a fraction epsilon is at most `sqrt(T / epsilon)`.

    Parameters: `n`, `prior`, `range`.

    >>> player = TwoNorm(4)
    >>> suffered = player.update([0.0, 1.0, 1.0, 1.0])
    >>> player.weights.round(4), player.certificate().bound
    (array([0.6447, 0.1184, 0.1184, 0.1184]), 2.0)
    """

    _kind = 1
    _theorem = "thesis Corollary 1"

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        return {"two-norm": math.sqrt(self.rounds / self._epsilon(u))}


class NormalHedgeDT(_PotentialPlayer):
    """Weights `e^{[R_i + 1]_+^2 / (d t)} - e^{[R_i - 1]_+^2 / (d t)}` in round t (thesis Corollary 2).

    For every epsilon the regret to the best but for a fraction epsilon is at most
    `sqrt(d T ln(1 + sum_{t <= T} (e^{4 / (d t)} - 1) / (2 epsilon)))`.

    Parameters: `n`, `prior`, `range`; `d >= 3`.

    >>> player = NormalHedgeDT(10)
    >>> run = player.run([[0.0] + [1.0] * 9] * 50)
    >>> run.regret(quantile=0.1) <= run.bound(quantile=0.1)
    True
    """

    _kind = 2
    _options = ("d",)
    _theorem = "thesis Corollary 2"

    def __init__(
        self,
        n: int,
        *,
        d: float = 3.0,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        self.d = within(d, "d", "[3, inf)", ": Lemma 2 does not hold below")
        self._parameter = self.d
        super().__init__(n, prior=prior, range=range)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T = self.rounds
        charged = _charged(4.0 / self.d, T)
        inside = math.log1p(charged / (2.0 * self._epsilon(u)))
        return {"normal-hedge-dt": math.sqrt(self.d * T * inside)}


def _charged(c: float, rounds: int, few: int = 1_000_000) -> float:
    """`sum_{t <= T} (e^{c / t} - 1)`; of the rounds after a few a little more, `c / t + (c / t)^2`.

    >>> 0 < _charged(1.0, 2_000, few=1_000) - _charged(1.0, 2_000) < 2e-3
    True
    """
    first = float(np.expm1(c / np.arange(1, min(rounds, few) + 1)).sum())
    return first if rounds <= few else first + c * math.log(rounds / few) + c * c / few


class NormalHedge(_PotentialPlayer):
    """Weights `[R_i]_+ e^{[R_i]_+^2 / c}` with the `c` for which `e^{[R_i]_+^2 / c}` is e on average.

    By Chaudhuri, Freund and Hsu (2009). The regret to the best but for a fraction epsilon of the experts
    is at most `sqrt(c (1 + ln(1 / epsilon)))` with the `c` of the last round, which is measured.

    Parameters: `n`, `prior`, `range`.

    >>> player = NormalHedge(3)
    >>> suffered = player.update([0.0, 0.5, 1.0])
    >>> player.weights
    array([1., 0., 0.])
    """

    _kind = 3
    _theorem = "Chaudhuri, Freund and Hsu (2009), with the scale measured"

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        scale = self._engine.rate
        return {"normal-hedge": math.sqrt(scale * (1.0 - math.log(self._epsilon(u))))}
