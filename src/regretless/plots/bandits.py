"""Regret of players of arms: of one run, and over many seeds."""

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from regretless.arguments import one_of
from regretless.plots.curves import COLOURS, LINES, MARKERS
from regretless.plots.regret import compare
from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.bandits.bandit_run import BanditRun
    from regretless.bandits.simulation import Simulation

__all__ = ["bandit_regret", "regret_bands"]

_DRAWN = 2_000  # points of a line; more cannot be seen


def bandit_regret(run: "BanditRun", path: str | PathLike[str] | None = None) -> "Figure":
    """Draw the regret of a run, its bound in the mean, and the pseudo-regret if it is known.

    Parameters: `run`, of at least one round; `path`, where to write it, .png or .svg.

    >>> from regretless.bandits import Bernoulli, Exp3
    >>> figure = bandit_regret(Exp3(2).run(Bernoulli([0.4, 0.6]), 50))
    >>> len(figure.axes[0].get_legend().get_texts())
    3
    """
    if path is not None:
        picture_path(path)
    figure = compare({"": run}).figure
    (axes,) = figure.axes
    if run.means is not None:
        rounds = np.unique(np.linspace(1, len(run.losses), _DRAWN).round().astype(int))
        pseudo = run.pseudo_regret
        label = f"pseudo-regret: {pseudo[-1]:.4g}"
        axes.plot(rounds, pseudo[rounds - 1], color="#009e73", linestyle="-.", label=label)
    axes.set_title("Loss above that of the best arm", loc="left")
    axes.legend(title=run.player[:70])
    return save(figure, path)


def regret_bands(
    simulation: "Simulation", path: str | PathLike[str] | None = None, *, what: str | None = None
) -> "Figure":
    """Draw the mean regret of each player over the seeds, with its 95% band, against the rounds.

    Parameters: `simulation`, from `simulate`; `path`, where to write it, .png or .svg; `what`, "regret"
    or "pseudo_regret", by default the latter if it is known.

    >>> from regretless.bandits import Bernoulli, UCB1, simulate
    >>> result = simulate(UCB1(2), Bernoulli([0.4, 0.6]), 50, seeds=3)
    >>> regret_bands(result).axes[0].get_ylabel()
    'pseudo-regret'
    """
    if what is None:
        what = "pseudo_regret" if simulation.has_means else "regret"
    one_of(what, "what", ("regret", "pseudo_regret"))
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5.5), layout="constrained")
    axes = figure.add_subplot()
    for k, name in enumerate(simulation.names):
        low, mean, high = simulation.band(name, what)
        colour, end = COLOURS[k % len(COLOURS)], high[-1] - mean[-1]
        axes.plot(
            simulation.rounds,
            mean,
            color=colour,
            linestyle=LINES[k % len(LINES)],
            marker=MARKERS[k % len(MARKERS)],
            markevery=(k % 5, 8),
            markersize=5,
            label=f"{name}: {mean[-1]:.1f} ± {end:.1f}",
        )
        axes.fill_between(simulation.rounds, low, high, color=colour, alpha=0.2, linewidth=0)
    if simulation.rounds[-1] > 1:
        axes.set_xscale("log")
        axes.set_xlim(1, simulation.rounds[-1])
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    label = what.replace("_", "-")
    axes.set_ylabel(label)
    title = f"Mean {label} over {len(simulation.seeds)} seeds, with 95% bands"
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.3)
    legend = axes.legend(loc="upper left")
    for text in legend.get_texts():
        text.set_parse_math(False)
    return save(figure, path)
