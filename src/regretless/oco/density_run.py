"""A run of a density over a domain."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.certificates import Certificate
from regretless.run import Array, Run

if TYPE_CHECKING:
    from regretless.oco.density import DensityPlayer

__all__ = ["DensityRun", "surcharge", "words"]

_EPS = float(np.finfo(float).eps)


def words(quantile: float | None) -> str:
    """Who a regret with that quantile is to."""
    return "the best of the points" if quantile is None else f"the best {quantile:g} of the points"


class DensityRun(Run):
    """The rounds of a `DensityPlayer`.

    Attributes: those of `Run`; `points` played, one row a round; `table`, the losses of the grid's
    points, a row a round; `before` and `after`, the player as it was then.
    """

    def __init__(
        self,
        losses: Array,
        points: Array,
        table: Array,
        before: "DensityPlayer",
        after: "DensityPlayer",
    ) -> None:
        self.losses, self.points, self.table, self.before, self.after = (
            losses,
            points,
            table,
            before,
            after,
        )

    def comparator(self, *, quantile: float | None = None) -> int:
        """Which point of the grid is the best in this run, but for a `quantile` of them."""
        rank = math.ceil(len(self.after.grid) * self.after._share(quantile) - 1e-12)
        return int(np.argsort(self.table.sum(axis=0), kind="stable")[rank - 1])

    def regret_curve(self, *, quantile: float | None = None) -> Array:
        """After each round, the regret to the point that `comparator()` tells."""
        return np.cumsum(self.losses - self.table[:, self.comparator(quantile=quantile)])

    def bound_curve(self, *, quantile: float | None = None) -> Array:
        """After each round, the bound on that.

        The theorem is about all rounds the player has played, and about the share of the points that
        were no worse than this one in them; what was won against it before can be lost in the run.
        """
        after, before, at = self.after, self.before, self.comparator(quantile=quantile)
        rounds = np.arange(before.rounds, after.rounds) + 1
        paid = before._surcharge + np.cumsum(surcharge(rounds))
        scores = before.scores + np.cumsum(self.table, axis=0)
        share = np.mean(scores <= scores[:, at, None], axis=1)
        proven = after._bound(share, rounds, paid) + before.scores[at]
        own = np.arange(1.0, self.rounds + 1.0)
        return np.asarray(np.minimum(proven, own) + 4.0 * _EPS * own * rounds)

    def certificate(self, *, quantile: float | None = None) -> Certificate:
        """The regret to the point that `comparator()` tells, and the bound on it."""
        bound = float(self.bound_curve(quantile=quantile)[-1]) if self.rounds else 0.0
        return replace(
            self.after.certificate(),
            rounds=self.rounds,
            regret=self.regret(quantile=quantile),
            bounds={self.after.potential: bound},
            comparators=words(quantile),
            against=self.after.grid[self.comparator(quantile=quantile)].copy(),
        )

    def _columns(self) -> dict[str, Any]:
        return {f"point {i}": column for i, column in enumerate(self.points.T)}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


def surcharge(t: NDArray[Any]) -> Array:
    """`e^{4/(3t)} - 1`, the sum of which is at most `(e^{4/3} - 1)(ln T + 1)` (Corollary 2)."""
    return np.asarray(np.expm1(4.0 / (3.0 * t)))
