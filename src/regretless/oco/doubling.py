"""The doubling trick: a player that must know the number of rounds, for any number of them.

Survey 2.3.1; Mohri, Rostamizadeh and Talwalkar, Theorem 8.7.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regretless import losses
from regretless.arguments import function, shown, vector
from regretless.domains import Domain
from regretless.oco.player import Player
from regretless.run import Array

__all__ = ["DoublingTrick"]


class DoublingTrick(Player, changing=("rounds", "linear", "gradient_sum", "periods")):
    """Start afresh at the rounds 1, 2, 4, 8, ..., each time with twice the horizon.

    Period m is the rounds `2^m, ..., 2^(m+1) - 1`, played by `factory(2^m)`. The comparator is the same
    in all periods, so their regrets add up, and so do their bounds. If each is at most
    `alpha sqrt(2^m)`, the regret after any number of rounds T is at most

        sum_{m <= log2 T} alpha 2^(m/2)  <=  alpha sqrt(T) sqrt(2) / (sqrt(2) - 1),

    that is 3.4142 alpha sqrt(T) (the survey's sum starts at 1 and goes on to the next power, which
    does not give this). In the certificate, "periods" is the sum of the periods' own bounds and
    "sqrt(T)" the right-hand side with the largest alpha that they show.

    Parameters: `factory`, a function from a horizon to a new `Player`; all must be of one dimension and
    domain. Attributes: `periods`, the players so far, the last of which plays now.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> player = DoublingTrick(lambda T: FollowTheRegularizedLeader(Euclidean(), 1, rate=1 / T**0.5))
    >>> [player.update([1.0]) for _ in range(4)], [p.rounds for p in player.periods]
    ([0.0, 0.0, -0.7071067811865475, 0.0], [1, 2, 1])
    """

    def __init__(self, factory: Callable[[int], Player]) -> None:
        self.factory = function(factory, "factory", ": it makes a player for a horizon")
        self.periods = [self._fresh(1)]
        self.dimension, self.domain = self.periods[0].dimension, self.periods[0].domain
        self._count()

    def _fresh(self, horizon: int) -> Player:
        player = self.factory(horizon)
        if not isinstance(player, Player):
            raise ValueError(f"factory({horizon}) is {shown(player)}, not a player")
        if player.rounds:
            raise ValueError(
                f"factory({horizon}) has played {player.rounds} rounds: make a new one"
            )
        if horizon > 1 and player.dimension != self.dimension:
            raise ValueError(
                f"factory({horizon}) has dimension {player.dimension}, not {self.dimension}"
            )
        return player

    def _count(self) -> None:
        self.rounds = sum(player.rounds for player in self.periods)
        self.linear = math.fsum(player.linear for player in self.periods)
        self.gradient_sum = np.sum([player.gradient_sum for player in self.periods], axis=0)

    @property
    def point(self) -> Array:
        return self.periods[-1].point

    def update(self, gradient: Any) -> float:
        z = vector(gradient, "gradient", self.dimension)
        following = self._following(1)
        suffered = self.periods[-1].update(z)
        self.periods += following
        self._count()
        return suffered

    def _following(self, rounds: int) -> list[Player]:
        """The next period's player, if so many more rounds end this one."""
        t = self.rounds + rounds + 1
        return [self._fresh(t)] if t & (t - 1) == 0 else []

    def _play(
        self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool
    ) -> tuple[Array, Array, Array | None]:
        parts = []
        while len(X):
            n = min(len(X), 2 ** len(self.periods) - 1 - self.rounds)
            following = self._following(n)
            parts.append(self.periods[-1]._play(X[:n], None if y is None else y[:n], loss, keep))
            X, y = X[n:], None if y is None else y[n:]
            self.periods += following
            self._count()
        if not parts:
            return np.empty(0), np.empty(0), np.empty(X.shape) if keep else None
        suffered, paid, played = zip(*parts)
        points = np.concatenate([p for p in played if p is not None]) if keep else None
        return np.concatenate(suffered), np.concatenate(paid), points

    def _curve(self, paid: Array, u: Array) -> Array:
        if not np.isfinite(u).all():
            return np.full(len(paid), np.nan)
        parts, before, ahead = [np.empty(0)], 0.0, self.rounds - len(paid)
        for player in self.periods:
            n = max(0, player.rounds - ahead)  # how many of its rounds are of this run
            if n > 0:
                parts.append(before + player._curve(paid[:n], u))
            paid, ahead = paid[n:], max(0, ahead - player.rounds)
            before += min(player._bounds(player._complexity(u))[0].values(), default=math.inf)
        return np.concatenate(parts)

    def _complexity(self, comparators: Domain | Array) -> float:
        return self.periods[-1]._complexity(comparators)

    def _bounds(self, complexity: float) -> tuple[dict[str, float], dict[str, bool | None], str]:
        assumptions: dict[str, bool | None] = {}
        total = alpha = 0.0
        for m, player in enumerate(self.periods):
            if player.rounds == 0:
                continue
            bounds, needed, _ = player._bounds(complexity)
            bound = min(bounds.values(), default=math.inf)
            total, alpha = total + bound, max(alpha, bound / math.sqrt(2.0**m))
            for name, held in needed.items():
                assumptions[name] = assumptions.get(name, True) and held
        factor = math.sqrt(2.0) / (math.sqrt(2.0) - 1.0)
        found = {"periods": total, "sqrt(T)": factor * alpha * math.sqrt(self.rounds)}
        return found, assumptions, "survey 2.3.1, the doubling trick"

    def __repr__(self) -> str:
        return f"DoublingTrick({self.factory!r})"
