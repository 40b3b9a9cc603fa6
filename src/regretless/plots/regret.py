"""Regret over the rounds, below its bound."""

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.run import Run

__all__ = ["regret_curve"]

_DRAWN = 2_000  # points of a line; more cannot be seen


def regret_curve(run: "Run", path: str | PathLike[str] | None = None) -> "Figure":
    """Draw the regret of a run against its comparator, and the theorem's bound above it.

    Parameters: `run`, of at least one round; `path`, where to write it, .png or .svg.

    >>> from regretless.run import Run
    >>> run = Run(np.ones(3), np.zeros(3), np.zeros(1), np.full(3, 9.0), None, "somebody")
    >>> regret_curve(run).axes[0].get_xlabel()
    'rounds'
    """
    if not len(run.losses):
        raise ValueError("the run has no rounds: there is nothing to draw")
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    rounds = np.unique(np.linspace(1, len(run.losses), _DRAWN).round().astype(int))
    regret, bound = run.regret[rounds - 1], run.bound[rounds - 1]
    axes.plot(rounds, regret, color="#0072b2", label=f"regret: {run.regret[-1]:.4g}")
    if np.isfinite(bound).any():
        label = f"bound: {run.bound[-1]:.4g}"
        axes.plot(rounds, bound, color="#d55e00", linestyle="--", label=label)
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    axes.set_ylabel("regret")
    axes.set_title("Loss above that of the best fixed point in hindsight", loc="left")
    axes.grid(alpha=0.3)
    axes.legend(title=run.player if len(run.player) < 70 else run.player[:67] + "...")
    return save(figure, path)
