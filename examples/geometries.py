"""Run mirror descent on the same losses in three geometries, and draw its paths.

python examples/geometries.py [--plot paths.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless.domains import Simplex
from regretless.geometry import Entropy, Euclidean, PNorm
from regretless.oco import OnlineMirrorDescent
from regretless.plots.curves import picture_path, save

ROUNDS = 60
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def losses() -> np.ndarray:
    """The first expert is the best at first, the third at the end."""
    random = np.random.default_rng(1)
    means = np.where(np.arange(ROUNDS)[:, None] < ROUNDS // 3, [0.2, 0.6, 0.7], [0.7, 0.6, 0.1])
    return means + 0.2 * random.normal(size=(ROUNDS, 3))


def main() -> None:
    """Print regret and bound, and draw the paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    if options.plot:
        picture_path(options.plot)
    players: dict[str, Any] = {
        "Euclidean": OnlineMirrorDescent(Euclidean(), 3, domain=Simplex(), rate=0.15),
        "Entropy": OnlineMirrorDescent(Entropy(), 3, rate=0.3),
        "PNorm(3)": OnlineMirrorDescent(PNorm(3.0), 3, domain=Simplex(), rate=0.15),
    }
    runs = {name: player.run(losses()) for name, player in players.items()}
    print(f"{'geometry':10} {'loss':>7} {'regret':>7} {'at most':>8}")
    for name, run in runs.items():
        print(f"{name:10} {run.loss:7.2f} {run.regret():7.2f} {run.bound():8.2f}")
    if options.plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.5, 6), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(*CORNERS[[0, 1, 2, 0]].T, color="0.6")
        for corner, name, side in zip(CORNERS, ("expert 1", "expert 2", "expert 3"), (-1, -1, 1)):
            axes.annotate(name, corner, (0, 12 * side), textcoords="offset points", ha="center")
        styles = ("o-", "s--", "^-."), ("#0072b2", "#d55e00", "#009e73")
        for style, colour, (name, run) in zip(*styles, runs.items()):
            path = run.points @ CORNERS
            axes.plot(*path.T, style, color=colour, markersize=3.5, linewidth=1, label=name)
        axes.set_title("Sixty rounds of mirror descent on the simplex", loc="left")
        axes.set_aspect("equal")
        axes.margins(0.1)
        axes.axis("off")
        axes.legend(loc="upper left")
        save(figure, options.plot)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
