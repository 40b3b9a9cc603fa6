"""Batch boosting of stumps, beside scikit-learn's AdaBoost with trees of depth one.

    python benchmarks/boosting_batch.py [--data DIR] [--smoke]

Needs scikit-learn. `--data` (or REGRETLESS_DATA) names the folder that holds a9a.svm.gz and w8a.svm.gz;
without it, and with `--smoke`, examples are generated.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, finish, medians
from scipy.sparse import csr_array, random_array
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from regretless.boosting import AdaBoost, NHBoost, NHBoostDT

SIZES = {"a9a": 32_561, "w8a": 49_749}  # of the training files


def sets(folder: Path | None, count: int) -> Iterator[tuple[str, Any, Any]]:
    """Sparse rows of 0 and 1, and labels."""
    if folder is None:
        rng = np.random.default_rng(0)
        X = csr_array(random_array((count, 100), density=0.1, rng=rng) > 0).astype(float)
        yield "generated", X, X @ rng.normal(size=100) + rng.normal(size=count) > 0
        return
    for name, size in SIZES.items():
        X, y = load_svmlight_file(str(folder / f"{name}.svm.gz"), zero_based=False)
        yield name, X[:size], y[:size] > 0  # a csr_array has indices that trees do not take


def compared(name: str, X: Any, y: Any, rounds: int, repeats: int) -> list[Row]:
    """Each of ours, and the peer on the form of the data that it is fastest with."""
    fitted: dict[str, Any] = {}

    def fitting(model: Any) -> Callable[[], None]:
        def job() -> None:
            fitted[type(model).__name__] = model.fit(X, y)

        return job

    ours = [cls(rounds=rounds) for cls in (AdaBoost, NHBoost, NHBoostDT)]
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)
    *times, theirs = medians([fitting(model) for model in (*ours, peer)], repeats)
    error = float(np.mean(fitted["AdaBoostClassifier"].predict(X) != y))
    work = f"{rounds} stumps, {name} ({X.shape[0]:,} x {X.shape[1]}), per example and round"
    per = 1e6 / (len(y) * rounds)
    return [
        Row(
            f"{work}: {type(model).__name__}",
            "scikit-learn AdaBoostClassifier, CSR",
            mine * per,
            theirs * per,
            float(model.errors_[-1]),
            error,
            5,
        )
        for model, mine in zip(ours, times)
    ]


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    folder = Path(options.data) if options.data and not options.smoke else None
    count, rounds, repeats = (1_000, 10, 1) if options.smoke else (30_000, 200, 3)
    rows = [row for each in sets(folder, count) for row in compared(*each, rounds, repeats)]
    notes = {
        "losses": "the training error",
        "the peer": "takes three (a9a) to seven (w8a) times as long on a dense X",
    }
    finish("boosting_batch", rows, notes, keep=not options.smoke)


if __name__ == "__main__":
    main()
