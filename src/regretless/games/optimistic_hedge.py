"""Hedge that expects the last losses once more."""

import math
from typing import Any

from regretless import _core
from regretless.experts.player import ExpertPlayer
from regretless.run import Array

__all__ = ["OptimisticHedge"]


class OptimisticHedge(ExpertPlayer):
    """Exponential weights of the total loss, the last one counted twice: `p_i ~ e^{-eta (L_i + l_i)}`.

    (Rakhlin and Sridharan (2013); Syrgkanis, Agarwal, Luo and Schapire (2015).) Losses that change
    slowly, as those of a game whose other player learns too, cost little: with `d_t` the span of
    `l_t - l_{t-1}` and `eta_t = sqrt(8 ln n / (4 + sum_{s<t} d_s^2))`

        R(u) <= RE(u || prior) / eta_T + sum_t eta_t d_t^2 / 8

    Parameters
    ----------
    n, prior, range : as of all players.

    >>> player = OptimisticHedge(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> round(run.loss - 20 * 0.2, 3), player.certificate().holds  # the regret stops growing
    (0.571, True)
    """

    _sleeps = False
    _theorem = "Rakhlin and Sridharan (2013); Syrgkanis, Agarwal, Luo and Schapire (2015)"

    def __init__(
        self, n: int, *, prior: Any = None, range: tuple[float, float] | None = (0.0, 1.0)
    ) -> None:
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.optimistic_hedge(self.prior.tolist(), math.log(max(self.n, 2)))

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if not self.rounds:
            return {"surprises": 0.0}
        return {"surprises": relative / self._engine.rate + self._engine.paid}
