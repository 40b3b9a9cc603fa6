"""How close an audit comes to the least loss of a linear model, and what it costs.

    python benchmarks/audit.py [--data DIR] [--smoke] [--examples N] [--revisits R]

For every set, loss and norm (in units of each feature): the bound by the sums of the learner alone,
`LinearClassifier(loss=..., certify=True)` or `LinearRegressor`, by `Audit` in one pass and in two, the
truth by a solver, which knows its gap, and shares of it. Sets are shuffled (seed 0). Times are those of
learning with the learner's defaults and of that plus an audit of its examples, in turns. `--data` (or
REGRETLESS_DATA) names the directory of the sets.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import medians

from regretless import losses
from regretless.audit import Audit
from regretless.linear import LinearClassifier, LinearRegressor

SETS = (
    *("a9a", "adult", "ijcnn1", "w8a", "20news", "imdb", "census", "covtype", "letter", "magic04"),
    *("reuters21578", "spam_stream", "mnist_4v9", "mushrooms"),
)
LOSSES, NORMS = ("logistic", "hinge", "squared"), (1, 3, 10)


def binary(y: Any) -> Any:
    """-1 and +1: the larger of two labels, or the half of many."""
    return np.where(y > np.median(np.unique(y)), 1.0, -1.0)


def read(folder: Path, name: str, most: int) -> tuple[Any, Any]:
    """Features in single precision, and labels, shuffled."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(folder / f"{name}.svm.gz"))
    order = np.random.default_rng(0).permutation(len(y))[:most]
    return X[order].astype(np.float32).astype(np.float64), binary(y)[order]


def made_up(count: int) -> Iterator[tuple[str, Any, Any]]:
    """Two small sets."""
    rng = np.random.default_rng(0)
    for name, width in (("dense", 5), ("sparse", 400)):
        X = sp.random(count, width, density=min(1.0, 5 / width), random_state=0, format="csr")
        X = X.astype(np.float32).astype(np.float64)
        yield name, X, np.sign(X @ rng.normal(size=width) + 0.1 * rng.normal(size=count) + 1e-9)


# --- the truth -------------------------------------------------------------------------------------


def in_units(X: Any) -> Any:
    """With a constant feature, each divided by its largest size."""
    X = sp.hstack([np.ones((X.shape[0], 1)), X]).tocsr()
    scale = abs(X).max(axis=0).toarray()[0]
    return (X @ sp.diags(1 / np.where(scale > 0, scale, 1.0))).tocsr()


def dual_of(loss: str, s: Any, y: Any, bend: float) -> tuple[Any, float]:
    """Slopes g at the scores, of a hinge that bends over `bend`, and -sum l*(g)."""
    if loss == "squared":
        g = 2 * (s - y)
        return g, float(-(g * y + g * g / 4).sum())
    if loss == "hinge":
        q = np.clip((1 - y * s) / bend, 0.0, 1.0)
        return -y * q, float(q.sum())
    q = 1 / (1 + np.exp(np.clip(y * s, -700, 700)))
    p = np.clip(q, 1e-300, 1 - 1e-16)
    return -y * q, float(-(p * np.log(p) + (1 - p) * np.log1p(-p)).sum())


def truth(X: Any, y: Any, loss: str, norm: float, steps: int) -> tuple[float, float]:
    """The least loss found in the ball, and a lower bound: accelerated gradients, with restarts."""
    kind, transposed = losses.get(loss), X.T.tocsr()
    z = np.ones(X.shape[1])
    for _ in range(30):
        z = transposed @ (X @ z)
        size = np.linalg.norm(z)
        z /= size
    best, bound, u = np.inf, 0.0, np.zeros(X.shape[1])
    for bend in (0.1, 0.01, 0.002) if loss == "hinge" else (1.0,):
        curvature = 1.02 * size * {"logistic": 0.25, "squared": 2.0, "hinge": 1 / bend}[loss]
        v, turn = u, 1.0
        for step in range(steps):
            g, _ = dual_of(loss, X @ v, y, bend)
            to = v - transposed @ g / curvature
            to *= min(1.0, norm / max(np.linalg.norm(to), 1e-300))
            turn = 1.0 if (v - to) @ (to - u) > 0 else turn
            after = (1 + np.sqrt(1 + 4 * turn * turn)) / 2
            v, u, turn = to + (turn - 1) / after * (to - u), to, after
            if step % 50 == 49:
                s = X @ u
                g, value = dual_of(loss, s, y, bend)
                best = min(best, float(np.sum(kind.value(s, y))))
                bound = max(bound, value - norm * float(np.linalg.norm(transposed @ g)))
                if best - bound < 2e-3 * best:
                    return best, bound
    return best, bound


# --- the bounds --------------------------------------------------------------------------------------


def learners_own(X: Any, y: Any, loss: str) -> list[float]:
    """The bounds by the learner's scores alone, for all norms: lanes and moments are left out."""
    regression = loss == "squared"
    model = LinearRegressor(loss=loss) if regression else LinearClassifier(loss=loss)
    audit, labels = Audit(loss, [1e-9]), y if regression else y > 0
    for first in range(0, len(y), 64):  # the learner sees a label after at most so many examples
        there = slice(first, first + 64)
        scores = (model.predict if regression else model.decision_function)(X[there])
        audit.learn_many(X[there], labels[there], scores)
        model.learn_many(X[there], labels[there])
    value, value_error, dual, dual_error = audit._lanes()[-1]
    return [max(0.0, value - value_error - norm * (dual + dual_error)) for norm in NORMS]


def audited(X: Any, y: Any, loss: str, passes: int, revisits: int) -> list[list[float]]:
    """Bounds for all norms after each pass."""
    audit, out = Audit(loss, NORMS, revisits=revisits), []
    for turn in range(passes):
        if turn:
            audit.start_pass()
        audit.learn_many(X, y if loss == "squared" else y > 0)
        out.append([audit.best_possible(norm) for norm in NORMS])
    return out


def cost(X: Any, y: Any, repeats: int, revisits: int) -> float:
    """Time of audited learning in terms of plain learning."""
    positive = y > 0

    def plain() -> None:
        LinearClassifier().learn_many(X, positive)

    def both() -> None:
        plain()
        Audit("logistic", NORMS, revisits=revisits).learn_many(X, positive)

    alone, together = medians([plain, both], repeats)
    return together / alone


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="made-up data, in seconds")
    parser.add_argument("--examples", type=int, default=50_000, help="of each set, at most")
    parser.add_argument("--revisits", type=int, default=0, help="examples visited again")
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    if not options.smoke and not options.data:
        parser.error("--data is missing: name the directory of the sets, or try --smoke")
    folder = Path(options.data or ".")
    sets = made_up(1000) if options.smoke else (
        (name, *read(folder, name, options.examples)) for name in options.sets.split(",")
    )  # fmt: skip
    line = "{:<13} {:<9} {:>4}  {:>8} {:>8} {:>8} {:>8}  {:>6} {:>6}"
    print(
        line.format(
            "set", "loss", "norm", "learner", "audit", "2 passes", "truth", "share", "twice"
        )
    )
    for name, X, y in sets:
        repeats = 3 if options.smoke else 7
        ratio, units = cost(X, y, repeats, options.revisits), in_units(X)
        for loss in LOSSES:
            once, twice = audited(X, y, loss, 2, options.revisits)
            own = learners_own(X, y, loss)
            for at, norm in enumerate(NORMS):
                best, _ = truth(units, y, loss, norm, 300 if options.smoke else 2000)
                row = [own[at], once[at], twice[at], best]
                shares = [once[at] / best, twice[at] / best]
                print(
                    line.format(
                        name, loss, norm, *(f"{v / len(y):.4f}" for v in row),
                        *(f"{v:.1%}" for v in shares),
                    ),
                    flush=True,
                )  # fmt: skip
        print(
            f"{name}: audited learning takes {ratio:.2f} times as long as plain learning",
            flush=True,
        )


if __name__ == "__main__":
    main()
