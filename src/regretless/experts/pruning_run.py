"""A run of `BestPruning`."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regretless.arguments import listed
from regretless.certificates import Certificate
from regretless.experts.prunings import THEOREM, Edge, best_cut, bounds, leaves_of
from regretless.run import Array, Run

if TYPE_CHECKING:
    from regretless.experts.pruning import BestPruning

__all__ = ["Played", "PruningRun"]


class Played(NamedTuple):
    """A round: the loss `suffered`, the `mixed` one `p . l`, the `edges` of the path, their `losses`."""

    suffered: float
    mixed: float
    edges: list[Edge]
    losses: list[float]


class PruningRun(Run):
    """The rounds of a `BestPruning`.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take `comparator`, the leaves
    of a pruning, the first of which on its path is what an example reaches, or "best", the best pruning
    in hindsight, which is the default.

    Attributes: `losses` suffered; `played`, what became of each round; `before` and `after`, the model
    when the run began and ended; `index` of the rounds, or None.

    >>> from regretless.experts import BestPruning
    >>> from regretless.experts.trees import TemplateTree
    >>> tree = TemplateTree({"root": (lambda x: x > 0.5, ["low", "high"])})
    >>> run = BestPruning(tree, "absolute").run([0.1, 0.9] * 20, [0.2, 0.8] * 20)
    >>> run.regret() <= run.bound()
    True
    """

    def __init__(
        self,
        played: list[Played],
        before: "BestPruning",
        after: "BestPruning",
        index: Any = None,
    ) -> None:
        self.losses = np.array([each.suffered for each in played], np.float64)
        self.played, self.before, self.after, self.index = played, before, after, index

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, how much more was lost than by the pruning."""
        return np.cumsum(self.losses - self._theirs(self._cut(comparator)))

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on that."""
        pruning = self._cut(comparator)
        trivial, states = self._trivial(pruning), self.before._edges
        spread = {edge: state.spread for edge, state in states.items()}
        cut, taken, earlier = set[Edge](), 0.0, 0.0
        logs = math.fsum(1.0 + math.log1p(C) for C in spread.values())
        curve = np.empty(self.rounds)
        for t, each in enumerate(self.played):
            for edge, loss in zip(each.edges, each.losses):
                C, apart = spread.get(edge, 0.0), abs(each.mixed - loss)
                logs += math.log1p(C + apart) - (math.log1p(C) if edge in spread else -1.0)
                spread[edge] = C + apart
                if edge in cut:
                    taken += apart
                elif edge in pruning:
                    cut.add(edge)
                    taken += C + apart
                    earlier += states[edge].regret if edge in states else 0.0
            proved = min(bounds(len(cut), len(spread), taken, logs).values()) - earlier
            curve[t] = min(proved, trivial[t])
        return curve + self._rounding()

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret at the end, and the bounds on it."""
        cut, best = self._cut(comparator), _is_best(comparator)
        edges, states, leaves = self.after._edges, self.before._edges, leaves_of(list(cut))
        spread = math.fsum(edges[edge].spread for edge in cut)
        logs = math.fsum(1.0 + math.log1p(state.spread) for state in edges.values())
        earlier = math.fsum(states[edge].regret for edge in cut if edge in states)
        found = {k: b - earlier for k, b in bounds(len(cut), len(edges), spread, logs).items()}
        if self.rounds:
            found["trivial"] = float(self._trivial(cut)[-1])
        return Certificate(
            self.rounds,
            self.regret(comparator),
            found,
            THEOREM,
            self.after._assumptions(),
            "the best pruning in hindsight" if best else f"the pruning with the leaves {leaves}",
            leaves,
            self._rounding(),
        )

    def _losses(self) -> dict[Edge, float]:
        """Of the edges, in this run."""
        losses: dict[Edge, float] = {}
        for each in self.played:
            for edge, loss in zip(each.edges, each.losses):
                losses[edge] = losses.get(edge, 0.0) + loss
        return losses

    def _cut(self, comparator: Any) -> dict[Edge, None]:
        """The edges to the leaves of a pruning, in order: every path has exactly one."""
        if _is_best(comparator):
            return dict.fromkeys(best_cut(self._losses(), self.after._ends)) if self.rounds else {}
        leaves = listed(comparator, "comparator")
        firsts = [next((e for e in each.edges if e[1] in leaves), None) for each in self.played]
        cut = {edge: None for edge in firsts if edge is not None}
        for each, first in zip(self.played, firsts):
            if first is None or sum(edge in cut for edge in each.edges) > 1:
                raise ValueError(
                    f"comparator={leaves} are not the leaves of a pruning: on the path "
                    f"{[node for _, node in each.edges]} must be one of them, and none above another"
                )
        return cut

    def _theirs(self, cut: dict[Edge, None]) -> Array:
        """The losses of a pruning."""
        theirs = [
            math.fsum(loss for edge, loss in zip(each.edges, each.losses) if edge in cut)
            for each in self.played
        ]
        return np.array(theirs, np.float64)

    def _trivial(self, cut: dict[Edge, None]) -> Array:
        """After each round, what was lost if it was always as much as by the worst node of the path."""
        worst = np.array([max(each.losses) for each in self.played], np.float64)
        return np.cumsum(worst - self._theirs(cut))

    def _rounding(self) -> float:
        return self.after._rounding()

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


def _is_best(comparator: Any) -> bool:
    return comparator is None or (isinstance(comparator, str) and comparator == "best")
