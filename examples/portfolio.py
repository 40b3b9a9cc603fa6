"""Invest every day: EG and Newton steps compared with the best portfolio in hindsight.

python examples/portfolio.py                                  # a simulated market
python examples/portfolio.py --data DIR --plot wealth.png     # NYSE, 1962 to 1984

--data (or REGRETLESS_DATA) names a directory with portfolio_nyse_o.csv.gz: one row a day, one column a
stock, prices over those of the day before.
"""

import argparse
import gzip
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from regretless import domains
from regretless.oco import ExponentiatedGradient, OnlineNewtonStep

FILE = "portfolio_nyse_o.csv.gz"


def market(data: str | None) -> tuple[str, Any]:
    """A name and the price relatives."""
    if data is None:
        print(f"no --data and no REGRETLESS_DATA: using a simulated market in place of {FILE}\n")
        random = np.random.default_rng(0)
        drift = np.linspace(-0.0002, 0.0008, 20)
        return "simulated", np.exp(drift + 0.02 * random.normal(size=(3000, 20)))
    source = Path(data) / FILE
    if not source.exists():
        raise SystemExit(f"{source} is missing: --data must be the directory that holds it")
    with gzip.open(source, "rt") as file:
        return "NYSE(O), 1962 to 1984", np.loadtxt(file, delimiter=",", skiprows=1)


def main() -> None:
    """Play, print the wealth, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    name, X = market(options.data)
    days, stocks = X.shape
    players = {
        "EG, rate 0.05": ExponentiatedGradient(stocks, rate=0.05),
        "EG, no rate": ExponentiatedGradient(stocks),
        "Newton steps": OnlineNewtonStep(  # as Agarwal, Hazan, Kale and Schapire (2006) run them
            stocks, domain=domains.Simplex(), curvature=1.0, lazy=True, delta=1 / 8
        ),
    }
    runs = {title: player.run(X, loss="log_wealth") for title, player in players.items()}
    first = next(iter(runs.values()))
    print(f"{name}: {days:,} days, {stocks} stocks; final wealth per 1 invested\n")
    print(f"{'uniform, rebalanced every day':34}{np.prod(X.mean(axis=1)):10.2f}")
    print(f"{'best stock':34}{np.prod(X, axis=0).max():10.2f}")
    print(f"{'best constant portfolio':34}{math.exp(first.regret() - first.loss):10.2f}")
    for title, run in runs.items():
        print(f"{title:34}{math.exp(-run.loss):10.2f}   regret {run.regret():.3f}", end="")
        print(f", at most {run.bound():.3f}")
    if options.plot:
        draw(options.plot, name, X, runs)


def draw(path: str, name: str, X: Any, runs: dict[str, Any]) -> None:
    """The wealth of all of them, day by day."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    days = np.arange(1, len(X) + 1)
    lines = {"uniform": np.cumsum(np.log(X.mean(axis=1)))}
    lines |= {title: -np.cumsum(run.losses) for title, run in runs.items()}
    best = next(iter(runs.values())).comparator()
    lines["best constant portfolio"] = np.cumsum(np.log(X @ best))
    for style, (title, logs) in zip(("-", "--", "-.", ":", (0, (7, 1, 1, 1))), lines.items()):
        axes.plot(days, np.exp(logs), linestyle=style, label=f"{title}: {math.exp(logs[-1]):.2f}")
    axes.set_yscale("log")
    axes.set(xlabel="days", ylabel="wealth (times what was invested)", title=name)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
