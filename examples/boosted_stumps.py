"""Boosted stumps: each sees a single feature, and together they see all of them.

    python examples/boosted_stumps.py [--copies 20] [--plot boosted.png]

Friedman's first problem: 10,000 points with ten features in [0, 1], of which five matter, and a noise of
variance 1. A stump is a line in one feature, so it explains only one. Twenty boosted stumps explain what
a sum of lines can. The dashed line is the variance of the target, the loss of the best constant.
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import evaluate, plots
from regretless.boosting import GradientBoostingHull, GradientBoostingSpan, Stump


def data(T: int = 10_000, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Friedman's first problem (1991)."""
    rng = np.random.default_rng(seed)
    X = rng.random((T, 10))
    a, b, c, d, e = X[:, :5].T
    y = 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
    return X, y + rng.normal(size=T)


def main() -> None:
    """Print the losses and draw how they fall."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--copies", type=int, default=20, help="weak learners in a booster")
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    X, y = data()
    n, around = options.copies, (0.0, 30.0)
    models: dict[str, Any] = {
        "one stump": Stump(),
        "hull (Alg 10)": GradientBoostingHull(n=n, range=around),
        "span (Alg 9)": GradientBoostingSpan(n=n, range=around),
        "span, residuals": GradientBoostingSpan(n=n, range=around, feed="residual"),
    }
    targets = np.clip(y, *around).tolist()
    reports = {name: evaluate.progressive(model, zip(X, targets)) for name, model in models.items()}
    print(f"{n} copies\n\n{'':16}{'squared loss':>14}")
    for name, report in reports.items():
        print(f"{name:16}{report.mean_loss:14.2f}")
    print(f"{'best constant':16}{np.var(targets):14.2f}")
    if options.plot:
        curves = {name: report.curve for name, report in reports.items()}
        figure = plots.learning_curves(curves, loss_name="squared loss")
        axes = figure.axes[0]
        axes.axhline(float(np.var(targets)), color="0.5", linestyle="--", linewidth=1)
        axes.set_xlim(90, 12_000)
        axes.set_ylim(0, 40)
        axes.set_title(f"One stump and {n} boosted stumps: Friedman's first problem", loc="left")
        figure.savefig(options.plot, dpi=150)


if __name__ == "__main__":
    main()
