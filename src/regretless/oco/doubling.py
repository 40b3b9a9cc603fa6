"""The doubling trick: a player that must know the number of rounds, for any number of them.

Shalev-Shwartz (2012), section 2.3.1; Mohri et al. (2018), Theorem 8.7.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from regretless import losses
from regretless.arguments import function, shown, vector
from regretless.domains import Domain
from regretless.oco.convex_losses import Total
from regretless.oco.hindsight import best_of
from regretless.oco.player import Player, Theorem
from regretless.oco.run import ConvexRun, Played
from regretless.run import Array

__all__ = ["DoublingTrick"]


class DoublingTrick(
    Player, changing=("rounds", "linear", "gradient_sum", "gross", "peaks", "periods")
):
    """Start afresh at the rounds 1, 2, 4, 8, ..., each time with twice the horizon.

    Period m is the rounds `2^m, ..., 2^(m+1) - 1`, played by `factory(2^m)`. The comparator is the same
    in all periods, so their regrets add up, and so do their bounds. If each is at most
    `alpha sqrt(2^m)`, the regret after any number of rounds T is at most

        sum_{m <= log2 T} alpha 2^(m/2)  <=  alpha sqrt(T) sqrt(2) / (sqrt(2) - 1),

    that is 3.4142 alpha sqrt(T) (Shalev-Shwartz's (2012) sum starts at 1 and goes on to the next
    power, which does not give this). In the certificate, "periods" is the sum of the periods' own
    bounds and "sqrt(T)" the right-hand side with the largest alpha that they show.

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
        self.gross = math.fsum(player.gross for player in self.periods)
        self.peaks = math.fsum(player.peaks for player in self.periods)

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

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        parts = []
        while len(X):
            n = min(len(X), 2 ** len(self.periods) - 1 - self.rounds)
            following = self._following(n)
            parts.append(self.periods[-1]._play(X[:n], None if y is None else y[:n], loss, keep))
            X, y = X[n:], None if y is None else y[n:]
            self.periods += following
            self._count()
        if not parts:
            none = np.empty(0)
            return Played(none, none, none, np.empty(X.shape) if keep else None)
        losses, strengths, paid, played = zip(*parts)
        points = np.concatenate(played) if keep else None
        return Played(
            np.concatenate(losses), np.concatenate(strengths), np.concatenate(paid), points
        )

    # --- the theorem: the comparator is the same in all periods, so all of it adds up ----------------

    def _near(self, norm: float) -> Domain:
        return self.periods[0]._near(norm)

    @property
    def _is_linear(self) -> bool:
        return all(player._is_linear for player in self.periods)

    def _regret_to(self, u: Array) -> float:
        return math.fsum(player._regret_to(u) for player in self.periods)

    def _regret(self, among: Domain | Array) -> float:
        if self._is_linear or not isinstance(among, Domain):
            return super()._regret(among)
        # the losses of leaders, as they are
        total, suffered = Total(self.dimension), 0.0
        for player in self.periods:
            total, suffered = total.together(player._total), suffered + player.loss  # type: ignore[attr-defined]
        return suffered - best_of(total, among).value

    def _rounding(self, among: Domain | Array) -> float:
        return super()._rounding(among) + math.fsum(p._rounding(among) for p in self.periods)

    def _theorem(self, among: Domain | Array) -> Theorem:
        assumptions: dict[str, bool | None] = {}
        total = alpha = 0.0
        for m, player in enumerate(self.periods):
            if player.rounds == 0:
                continue
            found = player._proven(among)
            bound = _least(found)
            total, alpha = total + bound, max(alpha, bound / math.sqrt(2.0**m))
            for name, held in found.assumptions.items():
                assumptions[name] = _both(assumptions.get(name, True), held)
        factor = math.sqrt(2.0) / (math.sqrt(2.0) - 1.0)
        both = {"periods": total, "sqrt(T)": factor * alpha * math.sqrt(self.rounds)}
        return Theorem(
            both, assumptions, "Shalev-Shwartz (2012), section 2.3.1, the doubling trick"
        )

    def _parts(self, run: ConvexRun) -> Iterator[ConvexRun]:
        """The run, period by period."""
        before: Any = run.before
        at = 0
        for m, player in enumerate(self.periods):
            earlier = before.periods[m] if m < len(before.periods) else player.clone()
            if n := player.rounds - earlier.rounds:
                yield run.part(at, at + n, earlier, player)
                at += n

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        found = [_least(part.proven(u)) for part in self._parts(run)]
        _, assumptions, name = self._theorem(u)
        return Theorem({"periods": math.fsum(found)}, assumptions, name)

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        curves, settled = [np.empty(0)], 0.0
        for part in self._parts(run):
            curves.append(settled + part.after._curve(part, u))
            settled += _least(part.proven(u))
        return np.concatenate(curves)

    def clone(self) -> Self:
        """Another player with the same options that has learned nothing."""
        return type(self)(self.factory)

    def __repr__(self) -> str:
        return f"DoublingTrick({self.factory!r})"


def _least(theorem: Theorem) -> float:
    """The smallest bound; infinite if an assumption failed."""
    if False in theorem.assumptions.values():
        return math.inf
    return min(theorem.bounds.values(), default=math.inf)


def _both(one: bool | None, other: bool | None) -> bool | None:
    """Whether both held: False if one did not, None if that cannot be told of one."""
    return False if False in (one, other) else None if None in (one, other) else True
