"""Oja's sketch exactly as printed in Luo (2016), Algorithm 14, beside that of this library.

    python experiments/newton_printed.py [--data DIR]

The printed sketch starts with random directions and moves them by 1 / t; `start=` and `step=` of
`oco.SketchedOnlineNewton` choose each. Error rates at the best step 1 / alpha, with the squared loss on
labels of -1 and 1: on the data of figure 4.2 as in newton_synthetic.py (two draws of 10,000 examples),
and, with --data, on small sets of table D.3 in file order with predictions clipped, as the thesis ran.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from newton_synthetic import draw
from numpy.typing import NDArray
from protocol import load, powers

from regretless.oco import SketchedOnlineNewton

Rows = NDArray[np.float64]
WAYS = list(product(("random", "merged"), ("time", "eigenvalue")))
SETS = ("australian", "breast-cancer", "diabetes", "heart", "ionosphere", "mushrooms", "splice")


def error(X: Rows, y: Rows, alpha: float, size: int, clip: bool, start: str, step: str) -> float:
    """The error rate of one pass, 1 if it diverges."""
    player = SketchedOnlineNewton(
        X.shape[1], size=size, alpha=alpha, curvature=1 / 8, start=start, step=step
    )
    wrong = 0
    for x, target in zip(X, y.tolist()):
        score = float(player.point @ x)
        wrong += (score > 0) != (target > 0)
        if clip:
            score = min(max(score, -1.0), 1.0)
        try:
            player.update(2 * (score - target) * x)
        except (ArithmeticError, ValueError):
            return 1.0
    return wrong / len(y)


def line(name: str, data: list[tuple[Rows, Rows]], steps: list[float], clip: bool) -> None:
    """The best step's errors: without a sketch, then for each way of ten directions."""

    def best(size: int, way: tuple[str, str]) -> float:
        errors = [[error(X, y, 1 / step, size, clip, *way) for X, y in data] for step in steps]
        return float(np.min(np.mean(errors, axis=1)))

    found = [best(0, WAYS[0]), *(best(10, way) for way in WAYS)]
    print(f"| {name} | " + " | ".join(f"{each:.4f}" for each in found) + " |", flush=True)


def main(data: Path | None) -> None:
    """Print both tables."""
    print("| | m=0 |", " | ".join(f"{start}, {step}" for start, step in WAYS), "|")
    drawn = [{k: (X.toarray(), y) for k, X, y in draw(seed) if k in (10, 100, 200)} for seed in (0, 1)]
    for kappa in (10, 100, 200):
        line(f"kappa = {kappa}", [each[kappa] for each in drawn], powers(-13, -9), False)
    for name in SETS if data else ():
        found = load(data, name)
        if found:
            X, y = found
            constant = np.column_stack([X.toarray(), np.ones(len(y))])
            line(name, [(constant, y)], powers(-3, 6), True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    main(parser.parse_args().data)
