"""Regret matching+, and the one that predicts."""

import math
from typing import ClassVar

from regretless import _core
from regretless.experts.player import ExpertPlayer
from regretless.run import Array

__all__ = ["RegretMatchingPlus"]


class RegretMatchingPlus(ExpertPlayer):
    """Weights in proportion to regrets that never fall below 0: `p ~ z`, `z <- [z + r]_+`.

    `r_i = <p, l> - l_i` are the regrets of the round (Tammelin (2014)). With `predictive` they are
    expected once more, `p ~ [z + r]_+` (Farina, Kroer and Sandholm (2021)). For every `u`

        R(u) <= max_i z_i <= ||z||_2 <= sqrt(sum_t ||r_t - m_t||^2)

    with `m_t = 0`, or `r_{t-1}` if predictive; it also holds for every stretch of rounds up to now, and
    so for rounds that count ever more. (The first step holds whoever plays, so that only the last is a
    theorem.) The scale of the losses does not matter, and nothing is tuned.

    Parameters
    ----------
    n, range : as of all players.
    predictive : whether the regrets of the last round are expected once more.

    >>> player = RegretMatchingPlus(3)
    >>> suffered = player.update([0.0, 0.5, 1.0])
    >>> suffered, player.weights, player.certificate().holds
    (0.5, array([1., 0., 0.]), True)
    """

    _sleeps = False
    _scale_free: ClassVar[bool] = True
    _theorem = "Farina, Kroer and Sandholm (2021); Tammelin, Burch, Johanson and Bowling (2015)"

    def __init__(
        self,
        n: int,
        *,
        predictive: bool = False,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        self.predictive = bool(predictive)
        super().__init__(n, range=range)

    def _start(self) -> _core.Experts:
        return _core.regret_matching_plus(self.prior.tolist(), self.predictive)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        return {"surprises": math.sqrt(self._engine.paid)}
