"""Forecasts that were mixed: how good they were, beside the experts and what could have been done."""

import math
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.experts import oracles
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.experts.mixture import Mixture

__all__ = ["MixtureRun"]


@dataclass(frozen=True, eq=False)
class MixtureRun:
    """The rounds of a mixture.

    Attributes: `experts`, their forecasts, and `y`, the targets, a row for each round; `forecasts` of
    the mixture and the `weights` they were made with; `names` of the experts; `mixture`, as it was after
    the last round; `earlier`, its regrets before the first.
    """

    experts: Array
    y: Array
    forecasts: Array
    weights: Array
    names: list[str]
    mixture: "Mixture"
    earlier: Array

    @cached_property
    def losses(self) -> Array:
        """Of the mixture, in each round; NaN where there was no target."""
        return np.asarray(self.mixture._kind.value(self.forecasts, self.y))

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(np.nanmean(self.losses))

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.nanmean((self.forecasts - self.y) ** 2)))

    def regret(self, *, expert: int | str | None = None, mixture: Any = None) -> float:
        """How much more was lost than by an expert (its index or name) in the rounds it was awake, by a
        fixed `mixture` of all of them, or, if neither is asked for, by the best mixture in hindsight.

        >>> from regretless.experts import Mixture
        >>> experts, y = np.array([[1.0, 3.0], [2.0, 6.0]] * 20), np.array([2.0, 3.0] * 20)
        >>> run = Mixture().run(experts, y)
        >>> run.regret() <= run.bound(), run.regret(expert=0) <= run.bound(expert=0)
        (True, True)
        """
        u = self._competitor(expert, mixture)
        known = ~np.isnan(self.y) & ~np.isnan(self.experts[:, u > 0]).any(axis=1)
        theirs = self.experts[np.ix_(known, u > 0)] @ u[u > 0]
        kind = self.mixture._kind
        return float(np.sum(self.losses[known] - kind.value(theirs, self.y[known])))

    def bound(self, *, expert: int | str | None = None, mixture: Any = None) -> float:
        """The theorem's bound on `regret` with the same argument; infinite if it has none.

        Without the gradient trick there are only bounds for experts.
        """
        u = self._competitor(expert, mixture)
        certificate = self.mixture.certificate(u)
        known = self.mixture.gradient or u.max() == 1.0
        if not known or False in certificate.assumptions.values():
            return math.inf
        return certificate.bound - float(u @ self.earlier)  # the theorem is about all rounds

    def _competitor(self, expert: int | str | None, mixture: Any) -> Array:
        if expert is not None and mixture is not None:
            raise ValueError(f"expert={expert} and mixture={mixture}: give one of them")
        if expert is not None:
            return self.mixture._competitor(expert)
        if mixture is not None:
            return self.mixture._competitor(mixture)
        known = ~np.isnan(self.y)
        best = oracles.best_convex(self.experts[known], self.y[known], self.mixture._kind)
        assert best.weights is not None
        return best.weights

    def oracles(self, shifts: int = 3) -> list[oracles.Oracle]:
        """What could have been done in hindsight: see `regretless.experts.oracles.table`."""
        known = ~np.isnan(self.y)
        return oracles.table(self.experts[known], self.y[known], self.mixture._kind, shifts)

    def summary(self) -> str:
        """The rule, the weights, and the errors beside those of the experts and of the oracles."""
        last, found = self.mixture.weights, self.oracles()
        wide = max(len(name) for name in (*self.names, *(oracle.name for oracle in found)))
        known = ~np.isnan(self.y)
        each = self.mixture._kind.value(self.experts[known], self.y[known, None])
        lines = [
            f"{self.mixture!r}",
            f"{len(self.names)} experts, {len(self.y)} rounds",
            "",
            f"{'':<{wide}}  mean loss      rmse   weight",
        ]
        rows: list[tuple[str, float, float, float | None]] = [
            ("mixture", self.loss, self.rmse, None)
        ]
        rows += [
            (
                name,
                float(np.nanmean(each[:, i])),
                float(np.sqrt(np.nanmean((self.experts[known, i] - self.y[known]) ** 2))),
                float(last[i]),
            )
            for i, name in enumerate(self.names)
        ]
        for name, loss, rmse, weight in rows:
            told = "" if weight is None else f"{weight:8.3f}"
            lines.append(f"{name:<{wide}}  {loss:9.4g} {rmse:9.4g} {told}".rstrip())
        lines.append("")
        lines += [f"{oracle.name:<{wide}}  {oracle.loss:9.4g}" for oracle in found]
        return "\n".join(lines)

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draw the weights over the rounds, stacked."""
        from regretless.plots.experts import weights_over_time

        return weights_over_time(self.weights, path, names=self.names)

    def plot_residuals(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draw the sums of what was left over, of the mixture and of the experts."""
        from regretless.plots.experts import cumulative_residuals

        known = ~np.isnan(self.y)
        rounds = self.experts[known], self.y[known], self.forecasts[known]
        return cumulative_residuals(*rounds, path, names=self.names)

    def plot_oracles(self, path: str | PathLike[str] | None = None, shifts: int = 3) -> "Figure":
        """Draw the mean losses of the mixture and of what could have been done."""
        from regretless.plots.experts import oracle_bars

        found: list[Any] = [(oracle.name, oracle.loss) for oracle in self.oracles(shifts)]
        return oracle_bars(found, self.loss, path)
