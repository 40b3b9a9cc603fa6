"""A finished game with experts: what was lost, to whom, and what the theorems say of it."""

import math
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.experts import regrets
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.experts.player import ExpertPlayer

__all__ = ["ExpertsRun"]


@dataclass(frozen=True, eq=False)
class ExpertsRun:
    """The rounds of a game with experts.

    Attributes: `losses` suffered; `expert_losses`, a row for each round; `confidence` of the experts,
    or None; `weights` played, or None; `before` and `after`, the player when the run began and ended.

    >>> from regretless.experts import Hedge
    >>> run = Hedge(2, rate=0.5).run([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> round(run.loss, 4), round(run.regret(), 4), run.regret() <= run.bound()
    (1.6086, 0.6086, True)
    >>> run.regret(shifts=1) > run.regret()
    True
    """

    losses: Array
    expert_losses: Array
    confidence: Array | None
    weights: Array | None
    before: "ExpertPlayer"
    after: "ExpertPlayer"

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""
        return float(self.losses.sum())

    @cached_property
    def instantaneous(self) -> Array:
        """The regret to each expert in each round."""
        return regrets.instantaneous(self.losses, self.expert_losses, self.confidence)

    @cached_property
    def spread(self) -> Array:
        """The sum of the sizes of these regrets in the first 0, 1, ... rounds."""
        sums = np.cumsum(np.abs(self.instantaneous), axis=0)
        return np.vstack([np.zeros(sums.shape[1]), sums])

    def regret(self, **notion: Any) -> float:
        """How much more was lost than by the best expert, or by what is asked for.

        One of: `expert`, an index or a name; `quantile`, all but the best `ceil(quantile n) - 1`;
        `mixture`, a distribution; `shifts`, the best sequence that changes so often at most;
        `interval`, `(start, stop)`, the best expert in these rounds, or "worst", the largest of any
        interval; `sequence`, nonnegative weights in each round.
        """
        return self._notion(notion)[0]

    def bound(self, **notion: Any) -> float:
        """The theorem's bound on `regret` with the same argument; infinite if it has none."""
        return self._notion(notion)[1]

    def _notion(self, notion: dict[str, Any]) -> tuple[float, float]:
        if len(notion) > 1:
            raise ValueError(f"{', '.join(notion)}: give one notion of regret")
        name, value = next(iter(notion.items()), ("best", None))
        if name not in _NOTIONS:
            raise ValueError(f"{name}= is no notion of regret; there are {', '.join(_NOTIONS)}")
        found: tuple[float, float] = _NOTIONS[name](self, value)
        return found

    def _of_mixture(self, u: Any) -> tuple[float, float]:
        """The theorem is about all rounds of the player, the run only about its own."""
        u = self.after._comparator(u, None)
        bound = self.after.certificate(u).bound - float(u @ self.before.regrets)
        # what the run has measured may say more than the player, which keeps less
        T = len(self.losses)
        whole = (u[i] * self.after._interval_bound(self, 0, T, int(i)) for i in np.flatnonzero(u))
        return regrets.to_mixture(self.instantaneous, u), min(bound, math.fsum(whole))

    def _of_best(self, _: None) -> tuple[float, float]:
        return self._of_mixture(int(np.argmax(regrets.to_experts(self.instantaneous))))

    def _of_quantile(self, quantile: float) -> tuple[float, float]:
        regret = regrets.to_quantile(self.instantaneous, quantile)
        # the mean of those that are as good is not less
        group = regrets.to_experts(self.instantaneous) >= regret
        return regret, self._of_mixture(group / group.sum())[1]

    def _of_interval(self, interval: Any) -> tuple[float, float]:
        found = (
            regrets.worst_interval(self.instantaneous)
            if isinstance(interval, str) and interval == "worst"
            else regrets.to_interval(self.instantaneous, *interval)
        )
        segment = (found.start, found.stop, found.expert)
        return found.regret, self._of_segments([segment])

    def _of_shifts(self, shifts: int) -> tuple[float, float]:
        found = regrets.to_shifting(self.instantaneous, shifts)
        return found.regret, min(
            self._of_segments([tuple(s) for s in found.segments]),
            self.after._shifting_bound(self, shifts),
        )

    def _of_sequence(self, U: Any) -> tuple[float, float]:
        return regrets.to_sequence(self.instantaneous, U), self.after._sequence_bound(self, U)

    def _of_segments(self, segments: list[Any]) -> float:
        return math.fsum(self.after._interval_bound(self, *segment) for segment in segments)

    def bound_curve(self, points: int = 200) -> tuple[NDArray[np.intp], Array]:
        """Some rounds, and after each the bound on the regret to the expert that is best at the end.

        The game is played once more for it.
        """
        best = int(np.argmax(regrets.to_experts(self.instantaneous)))
        rounds = np.unique(np.geomspace(1, len(self.losses), points).round().astype(np.intp))
        player, at, bounds = self.before.clone(), 0, []
        for stop in rounds:
            awake = None if self.confidence is None else self.confidence[at:stop]
            player.run(self.expert_losses[at:stop], awake, weights=False)
            at = int(stop)
            bounds.append(player.certificate(best).bound - self.before.regrets[best])
        return rounds, np.array(bounds)

    def plot(self, path: str | PathLike[str] | None = None, *, names: Any = None) -> "Figure":
        """Draw the regret to each expert over the rounds, and the bound on the largest.

        >>> from regretless.experts import AdaNormalHedge
        >>> AdaNormalHedge(2).run(np.eye(2)).plot().axes[0].get_xlabel()
        'rounds'
        """
        from regretless.plots.experts import regret_to_experts

        bound = np.interp(np.arange(1, len(self.losses) + 1), *self.bound_curve())
        known = bound if np.isfinite(bound).all() else None
        regret = np.cumsum(self.instantaneous, axis=0)
        return regret_to_experts(regret, path, bound=known, names=names or self.after.names)

    def plot_weights(
        self, path: str | PathLike[str] | None = None, *, names: Any = None
    ) -> "Figure":
        """Draw the weights over the rounds, stacked."""
        from regretless.plots.experts import weights_over_time

        if self.weights is None:
            raise ValueError("the weights were not kept: run(..., weights=True)")
        return weights_over_time(self.weights, path, names=names or self.after.names)

    def summary(self, names: Any = None) -> str:
        """A table of the experts: mean loss, regret to it with its bound, and mean weight.

        >>> from regretless.experts import AdaNormalHedge
        >>> print(AdaNormalHedge(2).run([[0.0, 1.0]] * 9).summary(["good", "bad"]))
        AdaNormalHedge(2, power=1.0), 9 rounds, mean loss 0.0645
        expert  mean loss   regret    bound   weight
        good       0.0000   0.5809     1.96    0.935
        bad        1.0000   -8.419     7.46    0.065
        """
        table = self.expert_losses
        awake = np.ones(table.shape) if self.confidence is None else self.confidence
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.sum(np.where(awake > 0, awake * table, 0.0), axis=0) / awake.sum(axis=0)
        numbered = [f"expert {i}" for i in range(table.shape[1])]
        names = list(names or self.after.names or numbered)
        wide = max(len("expert"), *(len(str(name)) for name in names))
        lines = [
            f"{self.after!r}, {len(self.losses)} rounds, mean loss {self.losses.mean():.4f}",
            f"{'expert':<{wide}}  mean loss   regret    bound   weight",
        ]
        totals = regrets.to_experts(self.instantaneous)
        for i, name in enumerate(names):
            weight = math.nan if self.weights is None else self.weights[:, i].mean()
            bound = self._of_mixture(i)[1]
            lines.append(
                f"{name!s:<{wide}}  {means[i]:9.4f} {totals[i]:8.4g} {bound:8.3g} {weight:8.3f}"
            )
        return "\n".join(lines)


_NOTIONS: dict[str, Any] = {
    "best": ExpertsRun._of_best,
    "expert": lambda run, i: run._of_mixture(i),
    "mixture": lambda run, u: run._of_mixture(u),
    "quantile": ExpertsRun._of_quantile,
    "interval": ExpertsRun._of_interval,
    "shifts": ExpertsRun._of_shifts,
    "sequence": ExpertsRun._of_sequence,
}
