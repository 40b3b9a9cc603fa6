"""Luo (2016), Table 2.2: AdaBoost, NH-Boost and NH-Boost.DT on stumps, printed and repeated.

    python experiments/boosting_batch.py --data DIR

Needs scikit-learn to read the files. Writes results/boosting_batch.json, the table of
docs/boosting_experiments.md and the pictures of Figures 2.2 and 2.3.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from protocol import PICTURES, ROOT, data_folder, keep, put
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import OneHotEncoder

from regretless import plots
from regretless.boosting import AdaBoost, NHBoost, NHBoostDT

ROUNDS = 200
BOOSTERS = {"AdaBoost": AdaBoost, "NH-Boost": NHBoost, "NH-Boost.DT": NHBoostDT}
DRAWN = ("a9a", "splice", "w8a")
THESIS = {  # times s, zeros %, training errors %, test errors %, in the order of BOOSTERS
    "a9a": ((57.5, 72.5, 46.2), (0, 1.1, 22.1), (15.4, 15.8, 15.5), (15.0, 15.6, 15.2)),
    "census": ((1.7, 2.2, 1.4), (0, 2.2, 19.2), (15.6, 17.0, 15.4), (18.7, 18.6, 18.3)),
    "ocr49": ((5.1, 4.7, 3.0), (0, 17.1, 42.0), (1.7, 1.7, 2.4), (5.5, 5.9, 5.8)),
    "splice": ((1.6, 1.5, 0.9), (0, 22.2, 45.1), (0.0, 0.0, 0.4), (9.4, 8.6, 8.2)),
    "w8a": ((237.6, 244.7, 170.7), (0, 3.0, 29.3), (2.6, 2.2, 2.4), (2.7, 2.3, 2.6)),
}


class Split(NamedTuple):
    """Training examples, and test examples, which may be missing."""

    X: Any
    y: NDArray[np.bool_]
    unseen: Any
    labels: NDArray[np.bool_]


def load(folder: Path, name: str) -> Split | None:
    """A data set of Table 2.2 as we have it; None if its file is missing."""
    files = {"ocr49": "mnist_4v9"}
    path = folder / f"{files.get(name, name)}.svm.gz"
    if not path.exists():
        return None
    X, labels = load_svmlight_file(str(path), zero_based=False)
    X, y = csr_array(X), labels > 0
    train, test = {
        "a9a": (32_561, 16_281),
        "census": (199_523, 99_762),
        "ocr49": (1_000, 1_000),
        "splice": (500, 500),
        "w8a": (49_749, 0),
    }[name]
    if name == "splice":  # the letters 1 to 4 at 60 places
        X = csr_array(OneHotEncoder().fit_transform(X.toarray()))
    if name == "ocr49":
        X = csr_array(X > 0).astype(float)
    rest = slice(train, train + test)
    return Split(X[:train], y[:train], X[rest], y[rest])


def measured(name: str, data: Split) -> dict[str, dict[str, Any]]:
    """The results of all boosters on a data set; also draws the pictures."""
    found, models = {}, {}
    for title, cls in BOOSTERS.items():
        start = time.perf_counter()
        models[title] = model = cls(rounds=ROUNDS).fit(data.X, data.y)
        seconds = time.perf_counter() - start
        certificate = model.certificate()
        found[title] = {
            "seconds": seconds,
            "zeros": float(model.zero_weights_.mean()),
            "train": float(model.errors_[-1]),
            "test": 1 - model.score(data.unseen, data.labels) if len(data.labels) else None,
            "edge": certificate.edge,
            "bound": certificate.bound,
            "holds": certificate.holds,
            "median margin": float(np.median(certificate.margins)),
        }
    if name in DRAWN:
        plots.margin_curves(models, data.X, data.y, PICTURES / f"boosting_{name}.png", title=name)
    return found


def lines(name: str, found: dict[str, dict[str, Any]]) -> list[str]:
    """The line of the thesis, then ours."""
    seconds, *percents = THESIS[name]
    theirs = [seconds, *percents]
    ours = [[found[b]["seconds"] for b in BOOSTERS]] + [
        [None if found[b][key] is None else 100 * found[b][key] for b in BOOSTERS]
        for key in ("zeros", "train", "test")
    ]
    return [
        f"| {name if run == 'thesis' else ''} | {run} | "
        + " | ".join(" / ".join("–" if v is None else f"{v:.1f}" for v in cell) for cell in cells)
        + " |"
        for run, cells in (("thesis", theirs), ("ours", ours))
    ]


def main() -> None:
    """Run all data sets that are available and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    results: dict[str, Any] = {}
    table = [
        "| set | run | time, s | weight 0, % | training error, % | test error, % |",
        "|---|---|--:|--:|--:|--:|",
    ]
    margins = ["| set | edges | bounds | median margins |", "|---|--:|--:|--:|"]
    for name in THESIS:
        data = load(folder, name)
        if data is None:
            continue
        results[name] = found = measured(name, data)
        table += lines(name, found)
        print("\n".join(table[-2:]), flush=True)
        cells = [
            " / ".join(f"{found[b][key]:.3f}" for b in BOOSTERS)
            for key in ("edge", "bound", "median margin")
        ]
        margins.append(f"| {name} | {' | '.join(cells)} |")
    keep("boosting_batch", results)
    page = ROOT / "docs" / "boosting_experiments.md"
    put("table 2.2", table, page)
    put("margins", margins, page)


if __name__ == "__main__":
    main()
