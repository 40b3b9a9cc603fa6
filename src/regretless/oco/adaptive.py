"""Players that learn every coordinate for itself: AdaGrad and coin betting."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.arguments import positive, shown, whole
from regretless.domains import Box, Domain, Everything
from regretless.oco.engine import Engine, EnginePlayer
from regretless.oco.twins import domain_twin
from regretless.run import Array

__all__ = ["AdaGrad", "CoinBetting"]


class AdaGrad(EnginePlayer):
    """AdaGrad: `w_i <- P(w_i - rate z_i / sqrt(G_i))`, `G_i = sum z_i^2`.

    While `|w_t[i] - u[i]| <= D_i` the regret is at most `sum_i (D_i^2 / (2 rate) + rate) sqrt(G_i)`
    (Duchi, Hazan and Singer, 2011); a box keeps them so.

    Parameters: `dimension`; `rate > 0`, best at `D / sqrt(2)`; `domain`, a `Box` or everything.

    >>> player = AdaGrad(2, rate=0.5)
    >>> _ = player.update([3.0, -0.1])
    >>> player.point
    array([-0.5,  0.5])
    """

    _options = ("dimension", "rate", "domain")

    def __init__(self, dimension: int, *, rate: float = 0.5, domain: Domain | None = None) -> None:
        self.dimension, self.rate = whole(dimension, "dimension"), positive(rate, "rate")
        self.domain = Everything() if domain is None else domain
        if not isinstance(self.domain, (Everything, Box)):
            raise ValueError(
                f"domain={shown(domain)}: coordinates that learn for themselves need a Box, or nothing"
            )
        self._engine = self._start()
        self._first = self.point

    def _start(self) -> Engine:
        around = domain_twin(self.domain, self.dimension)
        return _core.adagrad_player(self.dimension, self.rate, around or {})

    def _complexity(self, comparators: Domain | Array) -> float:
        """The largest `D_i^2 / 2`, if there is one."""
        if not isinstance(self.domain, Box):
            return math.inf
        return float(np.max(self.domain.high - self.domain.low)) ** 2 / 2.0

    def _bounds(self, complexity: float) -> tuple[dict[str, float], dict[str, bool | None], str]:
        theorem = "Duchi, Hazan and Singer (2011), Theorem 5"
        bounded: dict[str, bool | None] = {"the domain is bounded": complexity < math.inf}
        if not complexity < math.inf:
            return {}, bounded, theorem
        roots = self._engine.strength
        return {"dual": (complexity / self.rate + self.rate) * roots}, bounded, theorem

    def _curve(self, paid: Array, u: Array) -> Array:
        complexity = self._complexity(u)
        if math.isinf(complexity):
            return np.full(len(paid), np.nan)
        return self._strengths * complexity / self.rate + paid


class CoinBetting(EnginePlayer):
    """Coin betting: no rate. Coordinate i bets the share `theta_i / (L t)` of the wealth it has won.

        w_i = theta_i (e - sum z_i w_i) / (L^2 t),    theta = - sum z

    For gradients of at most `L` in each coordinate the regret is at most
    `sum_i e + |u_i| L sqrt(T ln(1 + 24 T^2 L^2 u_i^2 / e^2))`, whatever the `u` (Orabona and Pal, 2016).

    Parameters: `dimension`; `wealth > 0`, e, what each coordinate may lose; `lipschitz > 0`, L.

    >>> player = CoinBetting(1)
    >>> for _ in range(3):
    ...     suffered = player.update([-1.0])
    >>> player.point  # 3 / 4 of the wealth 1 + 0 + 1/2 + 1
    array([1.875])
    """

    _options = ("dimension", "wealth", "lipschitz")

    def __init__(self, dimension: int, *, wealth: float = 1.0, lipschitz: float = 1.0) -> None:
        self.dimension, self.domain = whole(dimension, "dimension"), Everything()
        self.wealth, self.lipschitz = positive(wealth, "wealth"), positive(lipschitz, "lipschitz")
        self._engine = self._start()

    def _start(self) -> Engine:
        return _core.coin_player(self.dimension, self.wealth, self.lipschitz)

    def _complexity(self, comparators: Domain | Array) -> float:
        return math.inf if isinstance(comparators, Domain) else float(self._regret(comparators))

    def _regret(self, u: Array, rounds: Any = None) -> Array:
        T = np.maximum(self.rounds if rounds is None else rounds, 1)
        size = np.abs(u[u != 0]) * self.lipschitz
        inside = 1.0 + 24.0 * np.multiply.outer(T**2, (size / self.wealth) ** 2)
        grown = np.sum(size * np.sqrt(np.log(inside)), axis=-1) * np.sqrt(T)
        return np.asarray(self.wealth * self.dimension + grown)

    def _bounds(self, complexity: float) -> tuple[dict[str, float], dict[str, bool | None], str]:
        largest = self._engine.sums()["largest"]
        fits = {f"gradients are at most {self.lipschitz:g}": largest <= self.lipschitz}
        theorem = "Orabona and Pal (2016), Corollary 5, coordinate by coordinate"
        return {"betting": complexity}, fits, theorem

    def _curve(self, paid: Array, u: Array) -> Array:
        first = self.rounds - len(paid)
        return self._regret(u, np.arange(first + 1.0, self.rounds + 1.0))
