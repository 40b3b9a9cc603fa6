"""Luo (2016), Table 3.2: online boosting of linear learners, errors printed and repeated.

    python experiments/boosting_online.py --data DIR

Needs scikit-learn to read the files, and vowpalwabbit. Writes results/boosting_online.json and the
table of docs/boosting_experiments.md after each data set, the small ones first.
"""

import itertools
import subprocess
import sys
import tempfile
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
PEER = ("VW", "VW BBM")
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
ORDER = ("letter", "poker", "a9a", "adult", "20news", "activity", "covtype", "census", "bio")
MOST = 100_000  # rows of a set, in random order
POSITIVE = {  # positive classes of data sets with more than two
    "20news": {1, 16, 20},
    "activity": {1},
    "covtype": {2},
    "letter": {1, 5, 9, 15, 21, 25},
    "poker": {0},
}
RATES = (0.1, 0.5, 2.0, 8.0)  # 0.5 is Vowpal Wabbit's
COPIES = (5, 20, 50, 200)
EDGES = (0.02, 0.05, 0.1, 0.2)
PEER_COPIES, PEER_EDGES = (5, 20), (0.02, 0.1)  # it takes much longer


def load(folder: Path, name: str) -> tuple[csr_array, NDArray[np.bool_]]:
    """Rows in random order and whether each is positive."""
    X, y = load_svmlight_file(str(folder / f"{FILES.get(name, name)}.svm.gz"), zero_based=False)
    positive = np.isin(y, list(POSITIVE[name])) if name in POSITIVE else y > 0
    order = np.random.default_rng(0).permutation(len(y))[:MOST]
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


def peer(X: csr_array, y: NDArray[np.bool_], folder: Path) -> dict[str, dict[str, Any]]:
    """The same for Vowpal Wabbit: its linear learner, and its boosting by majority."""
    known = len(y) * 4 // 5
    for name, part in (("known", range(known)), ("rest", range(known, len(y)))):
        with (folder / name).open("w") as file:
            for t in part:
                row = slice(X.indptr[t], X.indptr[t + 1])
                pairs = zip(X.indices[row].tolist(), X.data[row].tolist())
                label = 1 if y[t] else -1
                file.write(f"{label} | " + " ".join(f"{c}:{v:.7g}" for c, v in pairs) + "\n")

    def wrong(name: str, *options: object) -> float:
        command = [sys.executable, "-m", "vowpalwabbit", "--quiet", "-b", "18", *map(str, options)]
        subprocess.run([*command, "-d", folder / name, "-p", folder / "said"], check=True)
        truth = y[:known] if name == "known" else y[known:]
        return float(np.mean((np.loadtxt(folder / "said") > 0) != truth))

    best: dict[str, dict[str, Any]] = {}
    boosted = itertools.product(PEER_COPIES, PEER_EDGES)
    grid: list[tuple[str, dict[str, Any]]] = [("VW", {})]
    grid += [("VW BBM", {"n": n, "edge": edge}) for n, edge in boosted]
    for rate, (column, options) in itertools.product(RATES, grid):
        given: list[object] = ["--loss_function", "logistic", "-l", rate]
        if options:
            given += ["--boosting", options["n"], "--gamma", options["edge"], "--alg", "BBM"]
        progressive = wrong("known", *given, "-f", folder / "model")
        if column not in best or progressive < best[column]["progressive"]:
            best[column] = {
                "options": {"rate": rate, **options},
                "progressive": progressive,
                "error": wrong("rest", "-t", "-i", folder / "model"),
            }
    return best


def gains(errors: list[tuple[float, ...]]) -> list[float]:
    """Mean relative improvement over the base learner in per cent, of all columns but the first."""
    table = np.array(errors)
    return [float(g) for g in 100 * np.mean(1 - table[:, 1:] / table[:, :1], axis=0)]


def show(found: dict[str, Any]) -> list[str]:
    """The table of the data sets measured so far."""
    table = [f"| set | run | {' | '.join((*COLUMNS, *PEER))} | gain of BBM |"]
    table.append("|---|---" + "|--:" * (len(COLUMNS) + len(PEER) + 1) + "|")
    names = [name for name in THESIS if name in found]
    for name in names:
        ours = tuple(found[name][column]["error"] for column in (*COLUMNS, *PEER))
        for run, errors in (("thesis", THESIS[name]), ("ours", ours)):
            shown = [f"{error:.4f}" for error in errors] + ["–"] * (len(ours) - len(errors))
            gain = f"{100 * (1 - errors[1] / errors[0]):.1f} %"
            first = name if run == "thesis" else ""
            table.append(f"| {first} | {run} | {' | '.join(shown)} | {gain} |")
    ours = [tuple(found[name][column]["error"] for column in COLUMNS) for name in names]
    theirs = [tuple(found[name][column]["error"] for column in PEER) for name in names]
    for run, numbers, of_peer in (
        ("thesis, all its sets", THESIS_GAINS, []),
        ("thesis, these sets", gains([THESIS[name] for name in names]), []),
        ("ours", gains(ours), gains(theirs)),
    ):
        shown = [f"{number:.2f} %" for number in numbers] + [""]
        shown += [f"{number:.2f} %" for number in of_peer] or [""]
        table.append(f"| mean gain | {run} | | {' | '.join(shown)} | |")
    return table


def main() -> None:
    """Run all data sets and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    found: dict[str, Any] = {}
    for name in ORDER:
        X, y = load(folder, name)
        with tempfile.TemporaryDirectory() as temporary:
            found[name] = {"rows": len(y), **tuned(X, y), **peer(X, y, Path(temporary))}
        keep("boosting_online", {"table 3.2": found})
        put("table 3.2", show(found), PAGE)
        print(name, {k: v["error"] for k, v in found[name].items() if k != "rows"}, flush=True)


if __name__ == "__main__":
    main()
