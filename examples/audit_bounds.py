"""Compare a learner with the best linear model and with a lower bound that holds for all of them.

python examples/audit_bounds.py [--plot bounds.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless.certificates import Audit
from regretless.linear import LinearClassifier

EXAMPLES, FEATURES, NORMS, PIECE = 6000, 20, (1, 3, 10), 500


def least(X: Any, y: Any, norm: float) -> float:
    """The least mean logistic loss in the ball, by accelerated gradient steps."""
    u = v = np.zeros(X.shape[1])
    step = 4 / np.linalg.norm(X, 2) ** 2
    turn = 1.0
    for _ in range(600):
        to = v + step * (X.T @ (y / (1 + np.exp(y * (X @ v)))))
        to *= min(1.0, norm / max(np.linalg.norm(to), 1e-300))
        after = (1 + np.sqrt(1 + 4 * turn * turn)) / 2
        v, u, turn = to + (turn - 1) / after * (to - u), to, after
    return float(np.mean(np.log1p(np.exp(-y * (X @ u)))))


def main() -> None:
    """Learn a stream part by part, and audit it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(EXAMPLES, FEATURES)) * 10.0 ** rng.integers(-3, 4, size=FEATURES)
    u = rng.normal(size=FEATURES)
    y = X / np.abs(X).max(axis=0) @ u * 6 + rng.logistic(size=EXAMPLES) > 0
    model, audit = LinearClassifier(), Audit("logistic", NORMS)
    times: list[int] = []
    losses: list[float] = []
    bounds: dict[int, list[float]] = {norm: [] for norm in NORMS}
    truths: dict[int, list[float]] = {norm: [] for norm in NORMS}
    for first in range(0, EXAMPLES, PIECE):
        last = first + PIECE
        scores = []
        for t in range(first, last):  # each score is made before the example is learned
            scores.append(model.decision_one(X[t]))
            model.learn_one(X[t], y[t])
        audit.learn_many(X[first:last], y[first:last], scores)
        units = np.hstack([np.ones((last, 1)), X[:last] / np.abs(X[:last]).max(axis=0)])
        times.append(last)
        losses.append(audit.mean_loss)
        for norm in NORMS:
            bounds[norm].append(audit.best_possible(norm, mean=True))
            truths[norm].append(least(units, np.where(y[:last], 1.0, -1.0), norm))
    print(f"{EXAMPLES:,} examples, {FEATURES} features on different scales")
    print(f"\nlearner's mean loss {losses[-1]:.4f}\n\nnorm    lower bound    truth   share")
    for norm in NORMS:
        bound, best = bounds[norm][-1], truths[norm][-1]
        print(f"{norm:4} {bound:14.4f} {best:8.4f} {bound / best:7.1%}")
    if options.plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 4), layout="constrained")
        for axes, norm in zip(figure.subplots(1, 3, sharey=True), NORMS):
            axes.plot(times, losses, color="tab:gray", label="loss of the learner")
            axes.plot(
                times,
                truths[norm],
                color="tab:blue",
                linestyle="--",
                label="best model of this norm",
            )
            axes.plot(times, bounds[norm], color="tab:red", label="lower bound for this norm")
            axes.set(title=f"norm {norm}", xlabel="examples", ylim=(0, None))
            axes.grid(alpha=0.3)
        figure.axes[0].set_ylabel("mean logistic loss")
        figure.axes[0].legend(loc="lower right")
        figure.suptitle(
            "Lower bounds on the loss of all linear models, after each part of a stream"
        )
        figure.savefig(options.plot, dpi=150)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
