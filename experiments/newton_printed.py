"""Oja's sketch exactly as printed in Luo (2016), Algorithm 14, beside that of this library.

    python experiments/newton_printed.py [--data DIR]

The printed sketch starts with random directions and moves them by 1 / t; `start=` and `step=` of
`oco.SketchedOnlineNewton` choose each. Error rates at the best step 1 / alpha, with the squared loss on
labels of -1 and 1: on the first draw of figure 4.2 (newton_synthetic.py), and, with --data, on small
sets of table D.3 in file order with predictions clipped, as the thesis ran.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from newton_synthetic import draw
from numpy.typing import NDArray
from protocol import load, powers

from regretless.oco.sketched_newton import Oja

Rows = NDArray[np.float64]
WAYS = list(product(("random", "merged"), ("time", "eigenvalue")))
SETS = ("heart", "australian", "diabetes", "ionosphere", "breast-cancer", "splice")


def error(X: Rows, y: Rows, alpha: float, sketch: Oja | None, clip: bool) -> float:
    """The error rate of one pass, as `SketchedOnlineNewton` without its certificate."""
    wrong, w = 0, np.zeros(X.shape[1])
    for x, target in zip(X, y.tolist()):
        score = float(w @ x)
        wrong += (score > 0) != (target > 0)
        g = 2 * ((min(max(score, -1.0), 1.0) if clip else score) - target) * x
        if not g.any():
            continue
        if not np.abs(g).max() < 1e100:
            return 1.0
        way = g / alpha
        if sketch:
            sketch.add(np.sqrt(1 / 8) * g)
            V, squares = sketch.directions, sketch.squares
            way = way - (squares / (alpha + squares) * (V @ way)) @ V
        w = w - way
    return wrong / len(y)


def line(name: str, X: Rows, y: Rows, steps: list[float], *, clip: bool) -> None:
    """The best step's errors: without a sketch, then for each way of ten directions."""

    def best(way: tuple[str, str] | None) -> float:
        def run(step: float) -> float:
            sketch = (
                Oja(X.shape[1], 10, 1 / step, start=way[0], step=way[1], seed=0) if way else None
            )
            return error(X, y, 1 / step, sketch, clip)

        return min(run(step) for step in steps)

    found = [best(None), *(best(way) for way in WAYS)]
    print(f"| {name} | " + " | ".join(f"{each:.4f}" for each in found) + " |", flush=True)


def main(data: Path | None) -> None:
    """Print both tables."""
    print("| | m=0 |", " | ".join(f"{start}, {step}" for start, step in WAYS), "|")
    for kappa, X, y in draw(0):
        if kappa in (10, 100, 200):
            line(f"kappa = {kappa}", X.toarray(), y, powers(-13, -11), clip=False)
    for name in SETS if data else ():
        found = load(data, name)
        if found:
            X, y = found
            constant = np.column_stack([X.toarray(), np.ones(len(y))])
            # 2^-3 to 2^6 for half of the squared loss
            line(name, constant, y, powers(-4, 5), clip=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    main(parser.parse_args().data)
