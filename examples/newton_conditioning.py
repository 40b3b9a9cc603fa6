"""Ill-conditioned data: Newton steps with 0, 5 and 10 directions compared with AdaGrad.

    python examples/newton_conditioning.py [--condition 200] [--plot conditioning.png]

The data of Luo (2016), section 4.6.1: 10,000 points in 100 dimensions, whose covariance has 90
eigenvalues of 1 and ten that rise to the condition number, along axes that are not the features.
Scaling features does not help there. AdaGrad is shown at the best of ten rates, chosen in hindsight;
Newton steps are not tuned.
"""

import argparse
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import evaluate, plots
from regretless.evaluate.report import Curve, Report
from regretless.linear import LinearClassifier
from regretless.newton import NewtonClassifier

RATES = [2.0**j for j in range(-6, 4)]


def data(condition: float, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Points and labels; these are the same for every condition number."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(10_000, 100))
    V, _ = np.linalg.qr(rng.normal(size=(100, 100)))
    spectrum = np.ones(100)
    spectrum[90:] += (condition - 1) * np.arange(1, 11) / 10
    return Z * np.sqrt(spectrum) @ V.T, Z @ rng.normal(size=100) > 0


def main() -> None:
    """Print errors and losses, and draw the errors."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--condition", type=float, default=200.0, help="largest over smallest")
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    X, y = data(options.condition)

    def score(model: Any) -> Report:
        return evaluate.progressive(model, zip(X, y.tolist()))

    tried = {rate: score(LinearClassifier(rule="adagrad", rate=rate)) for rate in RATES}
    rate = min(tried, key=lambda each: tried[each].error)
    models = {m: NewtonClassifier(size=m) for m in (0, 5, 10)}
    reports = {f"AdaGrad at {rate:g}": tried[rate]} | {
        f"Newton, m = {m}": score(model) for m, model in models.items()
    }
    print(f"condition number {options.condition:g}\n\n{'':16}{'error':>8}{'loss':>9}")
    for name, report in reports.items():
        print(f"{name:16}{report.error:8.4f}{report.mean_loss:9.4f}")
    print(f"\nm = 10 measured a condition number of {models[10].condition_number_:.0f}")
    if options.plot:
        curves = {name: errors(report.curve) for name, report in reports.items()}
        figure = plots.learning_curves(curves, loss_name="share of wrong predictions")
        figure.axes[0].set_xlim(90, 12_000)
        figure.axes[0].set_title(
            f"Condition number {options.condition:g}, 100 features", loc="left"
        )
        figure.savefig(options.plot, dpi=150)


def errors(curve: Curve) -> Curve:
    """The curve of the error instead of the loss."""
    return replace(curve, mean_loss=curve.error, interval_mean_loss=curve.interval_error)


if __name__ == "__main__":
    main()
