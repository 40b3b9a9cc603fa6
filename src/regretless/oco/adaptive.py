"""Players that learn each coordinate separately: AdaGrad and coin betting."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, positive, shown, whole
from regretless.base.options import OrNone, option
from regretless.domains import Box, Domain, Everything
from regretless.oco.engine import Engine, domain_twin
from regretless.oco.player import ConvexRun, Player, Theorem


def _box(domain: Any, name: str) -> Domain:
    """The domain, if it bounds each coordinate separately."""
    if not isinstance(domain, (Everything, Box)):
        raise ValueError(
            f"{name}={shown(domain)}: coordinates that learn separately need a Box, or None"
        )
    return domain


class AdaGrad(Player):
    """AdaGrad: `w_i <- P(w_i - rate z_i / sqrt(G_i))`, `G_i = sum z_i^2`.

    While `|w_t[i] - u[i]| <= D_i` the regret is at most `sum_i (D_i^2 / (2 rate) + rate) sqrt(G_i)`
    (Duchi, Hazan and Singer (2011)); a box ensures that.

    >>> player = AdaGrad(2, rate=0.5)
    >>> _ = player.update([3.0, -0.1])
    >>> player.point
    array([-0.5,  0.5])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    rate: float = option(positive, default=0.5, text="length of a step, best at `D / sqrt(2)`")
    domain: OrNone[Domain] = option(_box, default=None, text="a `Box`, or None for the whole space")

    def _start(self) -> Engine:
        around = domain_twin(self.domain, self.dimension)
        return _core.adagrad_player(self.dimension, self.rate, around or {})

    def _diameter(self) -> float:
        """The largest `D_i`; infinite if the domain is not bounded."""
        if not isinstance(self.domain, Box):
            return math.inf
        return float(np.max(self.domain.high - self.domain.low))

    def _theorem(self, among: Domain | Array) -> Theorem:
        widest, name = self._diameter(), "Duchi, Hazan and Singer (2011), Theorem 5"
        each = widest**2 / (2.0 * self.rate) + self.rate
        bounded: dict[str, bool | None] = {"the domain is bounded": widest < math.inf}
        return Theorem({"dual": each * self._engine.strength}, bounded, name)

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        each = self._diameter() ** 2 / (2.0 * self.rate) + self.rate
        with np.errstate(invalid="ignore"):  # in an unbounded domain the bound is infinite
            return np.asarray(each * run.strengths - run.before._regret_to(u))


class CoinBetting(Player):
    """Coin betting, without a rate: coordinate i bets the share `theta_i / (L t)` of its wealth.

        w_i = theta_i (e - sum z_i w_i) / (L^2 t),    theta = - sum z

    For gradients of at most `L` in each coordinate the regret is at most
    `sum_i e + |u_i| L sqrt(T ln(1 + 24 T^2 L^2 u_i^2 / e^2))`, for every `u` (Orabona and Pal
    (2016)).

    >>> player = CoinBetting(1)
    >>> for _ in range(3):
    ...     suffered = player.update([-1.0])
    >>> player.point  # 3 / 4 of the wealth 1 + 0 + 1/2 + 1
    array([1.875])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    wealth: float = option(positive, default=1.0, text="e, the most that each coordinate may lose")
    lipschitz: float = option(
        positive, default=1.0, text="L, the largest size of a coordinate of a gradient"
    )

    domain = Everything()

    def _start(self) -> Engine:
        return _core.coin_player(self.dimension, self.wealth, self.lipschitz)

    def _theorem(self, among: Domain | Array) -> Theorem:
        fits: dict[str, bool | None] = {
            f"gradients are at most {self.lipschitz:g}": self._engine.sums()["largest"]
            <= self.lipschitz
        }
        if isinstance(among, Domain):
            # every coordinate is at most `farthest`, and in sum they are at most `longest`
            d, longest = self.dimension, among.longest(self.dimension)
            unit = np.eye(d)
            farthest = max(max(among.support(e), among.support(-e)) for e in unit)
            bound = self.wealth * d + longest * self._growth(farthest, self.rounds)
        else:
            bound = float(self._bound(among, self.rounds))
        name = "Orabona and Pal (2016), Corollary 5, coordinate by coordinate"
        return Theorem({"betting": bound}, fits, name)

    def _growth(self, size: Any, rounds: Any) -> Any:
        """`L sqrt(T ln(1 + 24 T^2 L^2 u^2 / e^2))`, by which a coordinate u is multiplied."""
        T, L = np.maximum(rounds, 1), self.lipschitz
        with np.errstate(over="ignore"):
            inside = 24.0 * np.multiply.outer(T**2.0, (L * size / self.wealth) ** 2)
        return L * np.sqrt(np.log1p(inside)) * np.sqrt(T)[..., *([None] * np.ndim(size))]

    def _bound(self, u: Array, rounds: Any) -> Array:
        u = np.abs(u[u != 0])
        return np.asarray(self.wealth * self.dimension + np.sum(u * self._growth(u, rounds), -1))

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if self._engine.sums()["largest"] > self.lipschitz:
            return np.full(len(run.losses), math.nan)
        rounds = np.arange(run.before.rounds + 1.0, self.rounds + 1.0)
        return self._bound(u, rounds) - run.before._regret_to(u)
