"""Regret of players of arms: of one run, and over many seeds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from regretless.plots.curves import COLOURS, LINES, MARKERS
from regretless.plots.regret import compare
from regretless.plots.saving import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.bandits.bandit_run import BanditRun
    from regretless.bandits.simulation import Simulation

__all__ = ["bandit_regret", "regret_bands"]

_DRAWN = 2_000  # points of a line; more cannot be seen


def bandit_regret(run: "BanditRun", ax: "Axes | None" = None) -> "Axes":
    """Draw the regret of a run, the bound on its mean, and the pseudo-regret if it is known.

    Parameters: `run`, of at least one round; `ax`, where to draw; a new picture by default.

    >>> from regretless.bandits import Bernoulli, Exp3
    >>> axes = bandit_regret(Exp3(2).run(Bernoulli([0.4, 0.6]), 50))
    >>> [text.get_text().split(":")[0] for text in axes.get_legend().get_texts()]
    ['regret 3', 'pseudo-regret', 'bound on the mean']
    """
    axes = compare({"": run}, ax)
    at = np.unique(np.linspace(0, run.rounds - 1, _DRAWN).round().astype(int))
    curves = {"bound on the mean": (run.expectation_curve(), "--", "#d55e00")}
    if run.means is not None:
        curves = {"pseudo-regret": (run.pseudo_regret_curve(), "-.", "#009e73")} | curves
    for name, (curve, style, colour) in curves.items():
        if np.isfinite(curve).any():
            label = f"{name}: {curve[-1]:.4g}"
            axes.plot(at + 1, curve[at], color=colour, linestyle=style, label=label)
    axes.set_title("Loss above that of the best arm", loc="left")
    axes.legend(title=repr(run.after)[:70])
    return axes


def regret_bands(simulations: "Mapping[str, Simulation]", ax: "Axes | None" = None) -> "Axes":
    """Draw the mean regret of each player over the seeds, with its 95% band, against the rounds.

    Parameters: `simulations` by name, from `simulate`; `ax`, where to draw; a new picture by default.

    >>> from regretless.bandits import Bernoulli, UCB1, simulate
    >>> result = simulate([UCB1(2)], Bernoulli([0.4, 0.6]), 50, seeds=3)
    >>> regret_bands(result).get_ylabel()
    'pseudo-regret'
    """
    if not simulations:
        raise ValueError("simulations={} is empty: there is nothing to draw")
    axes = new_axes() if ax is None else ax
    first = next(iter(simulations.values()))
    many = len(first.seeds) > 1
    for k, (name, simulation) in enumerate(simulations.items()):
        low, mean, high = simulation.band()
        colour, end = COLOURS[k % len(COLOURS)], f" ± {high[-1] - mean[-1]:.1f}" if many else ""
        axes.plot(
            simulation.index,
            mean,
            color=colour,
            linestyle=LINES[k % len(LINES)],
            marker=MARKERS[k % len(MARKERS)],
            markevery=(k % 5, 8),
            markersize=5,
            label=f"{name}: {mean[-1]:.1f}{end}",
        )
        if many:
            axes.fill_between(simulation.index, low, high, color=colour, alpha=0.2, linewidth=0)
    if first.rounds > 1:
        axes.set_xscale("log")
        axes.set_xlim(1, first.rounds)
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    what = "regret" if first.means is None else "pseudo-regret"
    axes.set_ylabel(what)
    over = f"over {len(first.seeds)} seeds, with 95% bands" if many else "of 1 seed"
    axes.set_title(f"{'Mean ' if many else ''}{what} {over}", loc="left")
    axes.grid(alpha=0.3)
    legend = axes.legend(loc="upper left")
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes
