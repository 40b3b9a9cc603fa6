"""Mix forecasts of the electric load of France, day by day and week by week.

python examples/electric_load.py --data DIR [--plot PREFIX]

--data (or REGRETLESS_DATA) names a directory with

regional_load_experts.csv.gz           398 days at 20h: Date, Load in MW, and 65 forecasts of it
opera_experts.csv, opera_targets.csv   112 weeks: three forecasts of the load, and the load

--plot writes PREFIX_weights.png, PREFIX_residuals.png and PREFIX_oracles.png for the best mixture of the
daily forecasts; the weight of each of the 13 models is the sum over its quantiles.
"""

import argparse
import csv
import gzip
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from regretless.experts import BOA, AdaNormalHedge, Mixture, MLPoly, oracles
from regretless.plots.curves import save
from regretless.plots.players import weights_over_time

DAYS, WEEKS = "regional_load_experts.csv.gz", ("opera_experts.csv", "opera_targets.csv")


def days(folder: Path) -> tuple[list[str], Any, Any]:
    """Names of the experts, their forecasts in GW, and the load: 13 models, 5 quantiles of each."""
    with gzip.open(folder / DAYS, "rt") as file:
        header, *rows = csv.reader(file)
    values = np.array([row[1:] for row in rows], float) / 1000.0
    return header[2:], values[:, 1:], values[:, 0]


def weeks(folder: Path) -> tuple[list[str], Any, Any]:
    """The same for the three experts of opera's vignette: additive model, AR errors, boosting."""
    X, y = (np.loadtxt(folder / file, delimiter=",", skiprows=1) / 1000.0 for file in WEEKS)
    return ["gam", "ar", "gbm"], X, y


def mix(title: str, names: list[str], X: Any, y: Any) -> Any:
    """Run three players, print them and the oracles, and return the best run."""
    print(f"{title}: {len(y)} rounds, {len(names)} experts\n")
    print(f"{'':26}{'rmse, GW':>9}   regret to the best expert per round, linearised")
    runs = []
    for algorithm in (AdaNormalHedge, BOA, MLPoly):
        runs.append(Mixture(algorithm, loss="squared", names=names).run(X, y))
        proof = runs[-1].after.certificate()
        told = f"{proof.regret / len(y):9.3f} <= {proof.bound / len(y):.3f}"
        print(f"{algorithm.__name__:26}{runs[-1].rmse:9.3f}{told}")
    print()
    for oracle in oracles.table(X, y, "squared", shifts=3):
        print(f"{oracle.name:26}{math.sqrt(oracle.mean_loss):9.3f}")
    print()
    return min(runs, key=lambda run: run.rmse)


def main() -> None:
    """Mix, print, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--plot", metavar="PREFIX", help="prefix of the names of the pictures")
    options = parser.parse_args()
    if options.data is None:
        parser.error(f"pass --data, or set REGRETLESS_DATA, to the directory that holds {DAYS}")
    folder = Path(options.data)
    missing = [str(folder / file) for file in (DAYS, *WEEKS) if not (folder / file).exists()]
    if missing:
        parser.error(f"missing: {', '.join(missing)}; --data must be the directory that holds them")
    print(mix("Weeks", *weeks(folder)).summary(), end="\n\n\n")
    run = mix("Days", *days(folder))
    models = list(dict.fromkeys(name.rpartition("0.")[0] for name in run.names))
    each = run.weights.reshape(len(run.weights), len(models), -1).sum(axis=2)
    print(f"mean weights of the models in {run.after.player!r}, the best of the three")
    for i in np.argsort(-each.mean(axis=0)):
        print(f"{models[i]:26}{each[:, i].mean():9.3f}")
    if options.plot:
        drawn = {
            "weights": weights_over_time(each, names=models),
            "residuals": run.plot_residuals(),
            "oracles": run.plot_oracles(),
        }
        for name, axes in drawn.items():
            save(axes.figure, f"{options.plot}_{name}.png")
        print(f"\nwrote {options.plot}_weights.png, _residuals.png and _oracles.png")


if __name__ == "__main__":
    main()
