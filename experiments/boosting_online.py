"""Luo (2016), Table 3.2: online boosting of linear learners, errors printed and repeated.

    python experiments/boosting_online.py --data DIR

Needs scikit-learn to read the files. Writes results/boosting_online.json and the table of
docs/boosting_experiments.md.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from protocol import ROOT, data_folder, keep, put
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

from regretless import rules
from regretless.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.linear import LinearClassifier

PAGE = ROOT / "docs" / "boosting_experiments.md"
COLUMNS = ("base", "OnlineBBM", "AdaBoost.OL", "AdaBoost.OL.S", "OSBoost.OCP", "OSBoost")
THESIS = {  # Table 3.2, in the order of COLUMNS
    "20news": (0.0812, 0.0775, 0.0777, 0.0777, 0.0791, 0.0801),
    "a9a": (0.1509, 0.1495, 0.1497, 0.1497, 0.1509, 0.1505),
    "activity": (0.0133, 0.0114, 0.0128, 0.0127, 0.0130, 0.0133),
    "adult": (0.1543, 0.1526, 0.1536, 0.1536, 0.1539, 0.1544),
    "bio": (0.0035, 0.0031, 0.0032, 0.0032, 0.0033, 0.0034),
    "census": (0.0471, 0.0469, 0.0469, 0.0469, 0.0469, 0.0470),
    "covtype": (0.2563, 0.2347, 0.2495, 0.2450, 0.2470, 0.2521),
    "letter": (0.2295, 0.1923, 0.2078, 0.2078, 0.2148, 0.2150),
    "poker": (0.4555, 0.4312, 0.4555, 0.4555, 0.4555, 0.4555),
}
THESIS_GAINS = (5.14, 2.57, 2.67, 1.98, 1.13)  # over its 13 sets
FILES = {"poker": "poker_train"}
POSITIVE = {  # positive classes of data sets with more than two
    "20news": {1, 16, 20},
    "activity": {1},
    "covtype": {2},
    "letter": {1, 5, 9, 15, 21, 25},
    "poker": {0},
}
RATES = (0.1, 0.5, 2.0, 8.0)  # 0.5 is Vowpal Wabbit's
COPIES = (5, 20, 50)
EDGES = (0.02, 0.05, 0.1, 0.2)


def load(folder: Path, name: str) -> tuple[csr_array, NDArray[np.bool_]]:
    """Rows in random order and whether each is positive."""
    X, y = load_svmlight_file(str(folder / f"{FILES.get(name, name)}.svm.gz"), zero_based=False)
    positive = np.isin(y, list(POSITIVE[name])) if name in POSITIVE else y > 0
    order = np.random.default_rng(0).permutation(len(y))
    return csr_array(X)[order], positive[order]


def candidates(weak: LinearClassifier) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Column, options and learner of everything tried with one rate."""
    yield "base", {}, weak
    for n in COPIES:
        yield "AdaBoost.OL", {"n": n}, AdaBoostOL(weak, n=n)
        yield "AdaBoost.OL.S", {"n": n}, AdaBoostOL(weak, n=n, sampled=True)
        for edge, (column, kind) in itertools.product(
            EDGES,
            [("OnlineBBM", OnlineBBM), ("OSBoost.OCP", OSBoostOCP), ("OSBoost", OSBoost)],
        ):
            yield column, {"n": n, "edge": edge}, kind(weak, n=n, edge=edge)


def tuned(X: csr_array, y: NDArray[np.bool_]) -> dict[str, dict[str, Any]]:
    """The options with the fewest progressive errors on 80 %, and their errors on the other 20 %."""
    known = len(y) * 4 // 5
    best: dict[str, dict[str, Any]] = {}
    for rate in RATES:
        # the rule of Vowpal Wabbit's default learner, which the thesis boosts
        weak = LinearClassifier(rule=rules.AdaGrad(rate, scale_invariant=True))
        for column, options, model in candidates(weak):
            outcomes = model.validate_many(X[:known], y[:known])
            progressive = float(np.mean(np.concatenate([part.wrong for part in outcomes])))
            if column not in best or progressive < best[column]["progressive"]:
                best[column] = {
                    "options": {"rate": rate, **options},
                    "progressive": progressive,
                    "error": float(np.mean(model.predict(X[known:]) != y[known:])),
                }
    return best


def gains(errors: list[tuple[float, ...]]) -> list[float]:
    """Mean relative improvement over the base learner in per cent, of all columns but the first."""
    table = np.array(errors)
    return [float(g) for g in 100 * np.mean(1 - table[:, 1:] / table[:, :1], axis=0)]


def main() -> None:
    """Run all data sets and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    found: dict[str, Any] = {}
    table = [f"| set | run | {' | '.join(COLUMNS)} | gain of BBM |"]
    table.append("|---|---" + "|--:" * (len(COLUMNS) + 1) + "|")
    for name, thesis in THESIS.items():
        found[name] = tuned(*load(folder, name))
        ours = tuple(found[name][column]["error"] for column in COLUMNS)
        for run, errors in (("thesis", thesis), ("ours", ours)):
            shown = " | ".join(f"{error:.4f}" for error in errors)
            gain = f"{100 * (1 - errors[1] / errors[0]):.1f} %"
            table.append(f"| {name if run == 'thesis' else ''} | {run} | {shown} | {gain} |")
            print(table[-1], flush=True)
    ours = [tuple(each[column]["error"] for column in COLUMNS) for each in found.values()]
    for run, numbers in (
        ("thesis, all its sets", THESIS_GAINS),
        ("thesis, these sets", gains(list(THESIS.values()))),
        ("ours", gains(ours)),
    ):
        shown = " | ".join(f"{number:.2f} %" for number in numbers)
        table.append(f"| mean gain | {run} | | {shown} | |")
    keep("boosting_online", {"table 3.2": found})
    put("table 3.2", table, PAGE)


if __name__ == "__main__":
    main()
