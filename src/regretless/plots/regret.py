"""Regret over the rounds, below its bound; one run or several on the same axes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from regretless.plots.saving import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.run import Run

__all__ = ["compare"]

_DRAWN = 2_000  # points of a line; more cannot be seen
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def compare(runs: "Mapping[str, Run]", ax: "Axes | None" = None) -> "Axes":
    """Draw the regret of runs, each against its best fixed choice in hindsight, and their bounds.

    Parameters: `runs` by name, each of at least one round; `ax`, where to draw; a new picture by
    default. Regrets are lines, the bounds on them are dashed; simulations have bands.

    >>> from regretless.oco import AdaGrad, OnlineGradientDescent
    >>> rows = [[1.0], [-2.0], [1.0]]
    >>> runs = {"adagrad": AdaGrad(1).run(rows), "descent": OnlineGradientDescent(1).run(rows)}
    >>> compare(runs).get_xlabel()
    'rounds'
    """
    for name, run in runs.items():
        if not run.rounds:
            raise ValueError(f"the run {name!r} has no rounds: there is nothing to draw")
    if not runs:
        raise ValueError("runs={} is empty: there is nothing to draw")
    from regretless.bandits.simulation import Simulation

    axes = new_axes() if ax is None else ax
    for i, (name, run) in enumerate(runs.items()):
        regret, bound = run.regret_curve(), run.bound_curve()
        at = np.unique(np.linspace(0, len(regret) - 1, _DRAWN).round().astype(int))
        rounds = at + 1 if run.index is None else np.asarray(run.index)[at]
        colour, of = _COLOURS[i % len(_COLOURS)], f"{name}: " if name else ""
        label = f"{of}regret {regret[-1]:.4g}"
        axes.plot(rounds, regret[at], color=colour, label=label)
        if isinstance(run, Simulation) and len(run.seeds) > 1:
            low, _, high = run.band()
            axes.fill_between(rounds, low[at], high[at], color=colour, alpha=0.2, linewidth=0)
        if np.isfinite(bound).any():
            label, other = f"{of}bound {bound[-1]:.4g}", colour if len(runs) > 1 else _COLOURS[1]
            axes.plot(rounds, bound[at], color=other, linestyle="--", label=label)
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    axes.set_ylabel("regret")
    axes.set_title("Loss above that of the best fixed choice in hindsight", loc="left")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes
