"""Forests against River's adaptive random forests, and boosted trees against boosted Hoeffding stumps.

    python benchmarks/trees.py [--data DIR] [--smoke]

On low-dimensional real sets, each example is a dict, predicted and then learned. What stands for losses
is the share of wrong predictions, or the root of the mean squared error over the standard deviation of
the targets. Rows come in a random order, because some files are sorted by label; "file order" are those
of which the order of the file is that of their origin. `--data` (or REGRETLESS_DATA) names the folder
with the sets; without it, and with `--smoke`, a generated one is used. Forests have their defaults, and
River's 10 trees. Its regressor has means in its leaves; with linear models, its default, its
predictions leave the range of the targets by orders of magnitude.
"""

import argparse
import csv
import gzip
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, finish, interleaved
from river import forest, tree

from regretless import streams
from regretless.boosting import Forest, ForestRegressor, OnlineBBM, Tree

LABELLED = ("segment", "satimage", "pendigits", "letter", "magic04", "skin_nonskin")
ORDERED = ("shuttle", "ijcnn1", "covtype")
NUMBERS = {"cal_housing": "medianHouseValue", "casp": "RMSD"}
BOOSTED = ("magic04", "skin_nonskin", "ijcnn1")

Examples = list[tuple[dict[Any, float], Any]]


def real(data: Path, name: str, count: int, shuffled: bool) -> Examples:
    """The first examples of a set, in the order of the file or in a random one."""
    if name in NUMBERS:
        with gzip.open(data / f"{name}.csv.gz", "rt") as file:
            rows = [{k: float(v) for k, v in line.items()} for line in csv.DictReader(file)]
        examples: Examples = [(row, row.pop(NUMBERS[name])) for row in rows]
    else:
        examples = [(dict(x), y) for x, y, *_ in streams.read(data / f"{name}.svm.gz")]
    order = np.arange(len(examples))
    if shuffled:
        np.random.default_rng(0).shuffle(order)
    return [examples[t] for t in order[:count].tolist()]


def generated(count: int, numbers: bool) -> Examples:
    """A circle, as labels or as the distance from its middle."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (count, 4))
    y = np.hypot(X[:, 0], X[:, 1])
    targets = y.tolist() if numbers else (y < 0.7).tolist()
    return list(zip([dict(enumerate(x)) for x in X.tolist()], targets))


def progressive(make: Callable[[], Any], examples: Examples, numbers: bool) -> float:
    """The share of wrong predictions, or the relative error of numbers."""
    model, lost = make(), 0.0
    for x, y in examples:
        told = model.predict_one(x)
        lost += (told - y) ** 2 if numbers else float(told != y)
        model.learn_one(x, y)
    if numbers:
        return float(np.sqrt(lost / len(examples)) / np.std([y for _, y in examples]))
    return lost / len(examples)


def random_forest() -> Any:
    """River's random forest for labels."""
    return forest.ARFClassifier(n_models=10, seed=1)


def random_regressor() -> Any:
    """River's random forest for numbers."""
    return forest.ARFRegressor(n_models=10, seed=1, leaf_prediction="mean")


def boosted_stumps() -> Any:
    """River's Hoeffding stumps, with naive Bayes in the leaves, boosted as objects."""
    return OnlineBBM(tree.HoeffdingTreeClassifier(max_depth=1), n=20)


PEERS = {
    random_forest: "River, ARFClassifier",
    random_regressor: "River, ARFRegressor",
    boosted_stumps: "OnlineBBM of River's Hoeffding stumps",
}


def compared(
    work: str, makes: tuple[Any, Any], examples: Examples, *, goal: float, numbers: bool = False
) -> Row:
    """Both on the same examples, in turns."""
    found: dict[int, float] = {}

    def play(side: int) -> None:
        found[side] = progressive(makes[side], examples, numbers)

    times = interleaved(lambda: play(0), lambda: play(1), 1)
    mine, theirs = (each / len(examples) * 1e6 for each in times)
    row = Row(work, PEERS[makes[1]], mine, theirs, found[0], found[1], goal)
    print(f"{work}: {found[0]:.4f} and {found[1]:.4f}, {row.ratio:.0f} times", file=sys.stderr)
    return row


def sets(data: Path | None, count: int) -> Iterator[tuple[str, Examples, bool]]:
    """The name, the examples, and whether the targets are numbers."""
    if data is None:
        yield "generated", generated(count, False), False
        yield "generated, numbers", generated(count, True), True
        return
    for name in (*LABELLED, *ORDERED, *NUMBERS):
        if not list(data.glob(f"{name}.*.gz")):
            print(f"{name} is not in {data}: left out", file=sys.stderr)
            continue
        yield name, real(data, name, count, True), name in NUMBERS
        if name in ORDERED:
            yield f"{name}, file order", real(data, name, count, False), False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    real_sets = options.data and not options.smoke
    rows = []
    for name, examples, numbers in sets(
        Path(options.data) if real_sets else None, 10_000 if real_sets else 1_000
    ):
        makes = (ForestRegressor, random_regressor) if numbers else (Forest, random_forest)
        work = f"{name}, forest (error)"
        rows.append(compared(work, makes, examples, goal=20, numbers=numbers))
        if name not in (*BOOSTED, "generated"):
            continue
        for depth in (1, 3):
            boosted = partial(OnlineBBM, Tree(depth=depth), n=20)
            work = f"{name}, OnlineBBM of 20 trees of depth {depth} (error)"
            rows.append(compared(work, (boosted, boosted_stumps), examples[:10_000], goal=50))
    finish("trees", rows, {}, keep=bool(real_sets))


if __name__ == "__main__":
    main()
