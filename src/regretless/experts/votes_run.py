"""A run of a player that votes."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.certificates import Certificate
from regretless.experts.comparators import Comparator, compared
from regretless.experts.run import EPS
from regretless.run import Array, Run

if TYPE_CHECKING:
    from regretless.experts.majority import _Voter

__all__ = ["VotesRun"]


class VotesRun(Run):
    """The rounds of a player of advice, in which a mistake costs 1.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take `comparator`, the index
    or the name of an expert, a distribution over them, or "best", which is the default.

    Attributes: `losses`, 1 where a mistake was made, and `mistakes`, the same as booleans;
    `expert_mistakes`, a row for each round; `before` and `after`, the player when the run began and
    ended; `index` of the rounds, or None.

    >>> from regretless.experts import WeightedMajority
    >>> run = WeightedMajority(2).run([[1, 0], [1, 0], [0, 1]], [0, 0, 0])
    >>> run.loss, run.regret(), run.regret(comparator=0), round(run.bound(), 4)
    (2.0, 1.0, 0.0, 2.0)
    """

    def __init__(
        self,
        mistakes: NDArray[np.bool_],
        expert_mistakes: NDArray[np.bool_],
        before: "_Voter",
        after: "_Voter",
        index: Any = None,
    ) -> None:
        self.losses, self.mistakes = mistakes.astype(np.float64), mistakes
        self.expert_mistakes, self.before, self.after = expert_mistakes, before, after
        self.index = index

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the mistakes beyond those of the expert."""
        return np.cumsum(self.losses - self.expert_mistakes @ self._asked(comparator).u)

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on that; infinite from where an assumption fails."""
        u = self._asked(comparator).u
        made = np.cumsum(self.expert_mistakes, axis=0)
        mine, all_of = made @ u, made + self.before.expert_mistakes
        theirs = all_of @ u
        bound = self.after._bound(theirs)[0] - theirs - float(u @ self.before.regrets)
        steps = np.arange(1, self.rounds + 1)
        curve = np.minimum(bound, steps - mine) + self._rounding
        held = [False not in self.after._assumptions(int(m)).values() for m in all_of.min(axis=1)]
        return np.where(held, curve, math.inf)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret at the end, and the bounds on it."""
        who = self._asked(comparator)
        found, earlier = self.after.certificate(who.u), float(who.u @ self.before.regrets)
        bounds = {"mistakes": found.bounds["mistakes"] - earlier}
        bounds["trivial"] = self.rounds - float(who.u @ self.expert_mistakes.sum(axis=0))
        return replace(
            found,
            rounds=self.rounds,
            regret=self.regret(who.u),
            bounds=bounds,
            comparators=who.words,
            against=who.against,
            rounding=self._rounding,
        )

    @property
    def _rounding(self) -> float:
        return 8.0 * EPS * self.after.n * self.after.rounds

    def _asked(self, comparator: Any) -> Comparator:
        n = self.after.n
        totals = np.sum(self.losses[:, None] - self.expert_mistakes, axis=0)
        return compared(totals, np.full(n, 1.0 / n), self.after.names, comparator)

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"
