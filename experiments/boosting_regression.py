"""Luo (2016), Tables D.2 and 3.3: online gradient boosting of three base learners.

    python experiments/boosting_regression.py --data DIR

Needs scikit-learn to read the files. Writes results/boosting_regression.json and both tables of
docs/boosting_experiments.md.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
from numpy.typing import NDArray
from protocol import ROOT, data_folder, keep, put
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

from regretless.base import rows
from regretless.boosting import GradientBoostingHull, GradientBoostingSpan, NeuralNet, Stump
from regretless.linear import LinearRegressor

PAGE = ROOT / "docs" / "boosting_experiments.md"
# examples of a set, drawn without replacement; copies of the linear learner are not in the core
MOST = {"linear": 4_000, "stumps": 20_000, "neural net": 20_000}

# Table D.2: base learner, Alg 9, Alg 10, for linear, stumps and neural net.
THESIS = {
    "a9a": (0.4261, 0.4283, 0.4249, 0.5749, 0.5074, 0.5758, 0.4256, 0.4266, 0.4246),
    "abalone": (3.7263, 3.7482, 3.7154, 6.7791, 3.8273, 4.2270, 3.7380, 3.7255, 3.7212),
    "activity": (0.0334, 0.0337, 0.0316, 0.4492, 0.1454, 0.3141, 0.0192, 0.0143, 0.0186),
    "adult": (0.1055, 0.1057, 0.1056, 0.1388, 0.1261, 0.1250, 0.1081, 0.1062, 0.1081),
    "bank": (0.2971, 0.2968, 0.2973, 0.3774, 0.3240, 0.3257, 0.2962, 0.2969, 0.2969),
    "cal_housing": (0.0094, 0.0094, 0.0104, 0.0151, 0.0138, 0.0124, 0.0096, 0.0096, 0.0107),
    "casp": (0.0632, 0.0631, 0.0630, 0.0741, 0.0741, 0.0742, 0.0639, 0.0632, 0.0631),
    "census": (0.1544, 0.1545, 0.1553, 0.2073, 0.1884, 0.1789, 0.1531, 0.1531, 0.1523),
    "covtype": (0.7256, 0.7270, 0.7286, 0.7910, 0.7986, 0.7911, 0.6807, 0.6465, 0.6757),
    "letter": (0.6441, 0.5698, 0.6108, 0.7420, 0.7087, 0.7168, 0.6542, 0.5729, 0.6108),
    "shuttle": (0.1616, 0.1547, 0.1577, 0.8551, 0.3678, 0.4354, 0.0760, 0.0694, 0.0802),
}
# Table 3.3: mean and median relative improvement in per cent, Alg 9 and Alg 10.
THESIS_GAINS = {
    "linear": (1.65, 1.33, 0.03, 0.29),
    "stumps": (20.22, 15.90, 10.45, 13.69),
    "neural net": (7.88, 0.72, 0.72, 0.33),
}
POSITIVE = {"covtype": {2}, "letter": {1, 5, 9, 15, 21, 25}, "shuttle": {1}, "activity": {1}}
TARGETS = {"abalone": "rings", "bank": "y", "cal_housing": "medianHouseValue", "casp": "RMSD"}

BASES = {
    "linear": ([None], lambda _: LinearRegressor()),  # coin betting: there is no rate
    "stumps": ([0.1, 0.3, 1.0], lambda rate: Stump(rate=rate)),
    "neural net": ([0.03, 0.1, 0.3], lambda rate: NeuralNet(rate=rate)),
}
COPIES = (5, 20)
ETAS = (None, 0.5)  # ln(N) / N
FEEDS = ("gradient", "residual")
SCALES = (1.0, 3.0)


def load(folder: Path, name: str, most: int) -> tuple[rows.Batch, NDArray[np.float64]]:
    """At most `most` examples in random order; labels are -1 and 1, those of adult 0 and 1."""
    rng = np.random.default_rng(0)
    if name in TARGETS:
        table = pyarrow.csv.read_csv(folder / f"{name}.csv.gz")
        drawn = rng.permutation(table.num_rows)[:most]
        y = table.column(TARGETS[name]).to_pylist()
        y = np.array([{"yes": 1.0, "no": -1.0}.get(v, v) for v in y], float)
        if name in ("cal_housing", "casp"):
            y = (y - y.min()) / (y.max() - y.min())
        return rows.batch(table.drop_columns(TARGETS[name]).take(drawn)), y[drawn]
    X, y = load_svmlight_file(str(folder / f"{name}.svm.gz"), zero_based=False)
    drawn = rng.permutation(len(y))[:most]
    positive = np.isin(y, list(POSITIVE[name])) if name in POSITIVE else y > 0
    low = 0.0 if name == "adult" else -1.0
    return rows.batch(csr_array(X)[drawn]), np.where(positive, 1.0, low)[drawn]


def squares(model: Any, X: rows.Batch, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared error of each example before it is learned."""
    return model.validate_many(X, y)[0].wrong


def candidates(base: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Column, options and a maker of the learner, for everything tried."""
    rates, weak = BASES[base]
    for rate in rates:
        yield "base", {"rate": rate}, lambda r=rate: weak(r)
        for n, feed, scale in itertools.product(COPIES, FEEDS, SCALES):
            common = {"n": n, "feed": feed, "scale": scale}
            for eta in ETAS:
                yield (
                    "Alg 9",
                    {"rate": rate, **common, "eta": eta},
                    lambda r=rate, c=common, e=eta: GradientBoostingSpan(weak=weak(r), eta=e, **c),
                )
            yield (
                "Alg 10",
                {"rate": rate, **common},
                lambda r=rate, c=common: GradientBoostingHull(weak=weak(r), **c),
            )


def tuned(base: str, X: rows.Batch, y: NDArray[np.float64]) -> dict[str, dict[str, Any]]:
    """The best options on the first half, and their loss on the second half of a run over all.

    Learners get targets in units of the largest, so that the same rates suit all sets.
    """
    half, unit = len(y) // 2, np.abs(y).max()
    y = y / unit
    best: dict[str, tuple[float, dict[str, Any], Any]] = {}
    for column, options, make in candidates(base):
        loss = float(np.mean(squares(make(), X[:half], y[:half])))
        if column not in best or loss < best[column][0]:
            best[column] = loss, options, make
    return {
        column: {"loss": float(unit**2 * np.mean(squares(make(), X, y)[half:])), "options": options}
        for column, (_, options, make) in best.items()
    }


def gains(found: dict[str, Any], base: str) -> tuple[float, ...]:
    """Mean and median relative improvement in per cent: Alg 9, Alg 10."""
    relative = {
        column: [
            100 * (1 - s[base][column]["loss"] / s[base]["base"]["loss"]) for s in found.values()
        ]
        for column in ("Alg 9", "Alg 10")
    }
    return *map(np.mean, relative.values()), *map(np.median, relative.values())


def main() -> None:
    """Run all data sets and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    found: dict[str, Any] = {}
    columns = [f"{base}, {kind}" for base in BASES for kind in ("base", "Alg 9", "Alg 10")]
    table = [f"| set | run | {' | '.join(columns)} |", "|---|---" + "|--:" * len(columns) + "|"]
    for name, thesis in THESIS.items():
        found[name] = {base: tuned(base, *load(folder, name, MOST[base])) for base in BASES}
        cells = [
            found[name][base][kind]["loss"]
            for base in BASES
            for kind in ("base", "Alg 9", "Alg 10")
        ]
        for run, numbers in (("thesis", thesis), ("ours", cells)):
            shown = " | ".join(f"{number:.4f}" for number in numbers)
            table.append(f"| {name if run == 'thesis' else ''} | {run} | {shown} |")
            print(table[-1], flush=True)
    head = ["| base | run | mean, Alg 9 | mean, Alg 10 | median, Alg 9 | median, Alg 10 |"]
    relative = [*head, "|---|---|--:|--:|--:|--:|"]
    for base, thesis in THESIS_GAINS.items():
        for run, numbers in (("thesis", thesis), ("ours", gains(found, base))):
            shown = " | ".join(f"{number:.2f} %" for number in numbers)
            relative.append(f"| {base if run == 'thesis' else ''} | {run} | {shown} |")
    keep("boosting_regression", {"examples at most": MOST, "D.2": found})
    put("table D.2", table, PAGE)
    put("table 3.3", relative, PAGE)


if __name__ == "__main__":
    main()
