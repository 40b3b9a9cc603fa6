"""Online linear regression on a real stream: gradient descent, p-norm and Newton steps, certified.

python examples/online_regression.py [--plot regret.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless import geometry, streams
from regretless.oco import OnlineGradientDescent, OnlineMirrorDescent, OnlineNewtonStep


def arrays(name: str) -> tuple[Any, Any]:
    """The stream as a matrix with a constant column, scaled to [-1, 1], and its targets."""
    rows = list(streams.bundled(name))
    columns = sorted(rows[0][0])
    X = np.array([[float(x[c]) for c in columns] + [1.0] for x, _ in rows])
    y = np.array([float(target) for _, target in rows])
    return X / np.abs(X).max(axis=0), y / np.abs(y).max()


def main() -> None:
    """Predict, suffer the squared error, update; then compare with the best in hindsight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    X, y = arrays("diabetes")
    T, d = X.shape
    players = {
        "gradient descent": OnlineGradientDescent(d),
        "p-norm, p = 2 ln d": OnlineMirrorDescent(geometry.PNorm(max(2.0, 2 * np.log(d))), d),
        "Newton steps": OnlineNewtonStep(d, curvature=0.125, alpha=0.1, slab=1.0),
    }
    print(
        f"{T:,} patients, {d} features: mean squared error of predictions made before the answer\n"
    )
    for name, player in players.items():
        run = player.run(X, y, "squared")
        best = (run.loss - run.regret()) / run.rounds
        print(f"{name:22} {run.mean_loss:.5f}   best linear model in hindsight {best:.5f}")
        if options.plot and name == "Newton steps":
            run.plot().figure.savefig(options.plot, dpi=150)
            print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
