"""One meaning of a row: every entry, every kind of learner, exact or hashed, weighted or not.

Each entry writes the same rows in its own way, with repeated words, names of digits and missing values
wherever it can, and all models must be the same in every byte of their files.
"""

import json
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from saved import saved
from scipy.sparse import csr_array

from regretless import _core, boosting, linear, newton, rules, streams
from regretless.linear import LinearClassifier, LinearRegressor
from regretless.streams.cache import Cache

NAN = math.nan
COLUMNS = ["0", "7", "age", "city", "12", "=x", "city=Rome"]  # of the tables


def _rows(count: int) -> list[dict[str, Any]]:
    """Rows by name, in the order of the columns; "city=Rome" is a number, and Rome a city."""
    random = np.random.default_rng(7)
    out = []
    for _ in range(count):
        numbers = (random.integers(-8, 9, len(COLUMNS)) / 4).tolist()
        cities = [None, "Paris", "Rome", "7"]
        out.append(dict(zip(COLUMNS, numbers)) | {"city": cities[random.integers(4)]})
    return out


TABLE = _rows(30)
_random = np.random.default_rng(8)
LABELS = _random.choice([-1.0, 1.0], len(TABLE)).tolist()
WEIGHTS = _random.choice([0.0, 0.5, 1.0, 3.0], len(TABLE)).tolist()


def plain(x: dict[str, Any]) -> dict[Any, float]:
    """What a row of the table means: names that are numbers are so, and nothing is there twice."""
    out: dict[Any, float] = {}
    for name, value in x.items():
        if value is None:
            continue
        feature = f"{name}={value}" if isinstance(value, str) else name
        feature = int(feature) if feature.isdigit() else feature
        out[feature] = out.get(feature, 0.0) + (1.0 if isinstance(value, str) else value)
    return {name: value for name, value in out.items() if value}


ROWS = [plain(x) for x in TABLE]
# the same without text, with columns that increase
MATRIX = np.array([[x.get(j, 0.0) for j in range(13)] for x in ROWS])
NUMBERS = [{j: v for j, v in enumerate(x) if v} for x in MATRIX.tolist()]

# --- what learns ---------------------------------------------------------------------------------

HASHED = {"features": "hashed", "bits": 3, "names": 0}  # where names collide
LINEAR: dict[str, Callable[..., Any]] = {
    "coin": partial(LinearClassifier, rule="coin"),
    "certified ogd": partial(LinearClassifier, rule="ogd", certify=True),
    "adagrad": partial(LinearClassifier, rule=rules.AdaGrad(scale_invariant=True)),
    "ftrl": partial(LinearClassifier, rule="ftrl", l1=0.1),
    "eg": partial(LinearClassifier, rule=rules.EG(rate=0.25)),
    "pnorm": partial(LinearClassifier, rule="pnorm", intercept=False),
    "regressor": partial(LinearRegressor, loss="absolute"),
    "passive-aggressive": partial(linear.PassiveAggressiveRegressor, mode="exact"),
    "auto": linear.AutoClassifier,
    "svm": linear.OnlineSVM,
    "dual": linear.PrimalDual,
    "newton": partial(newton.NewtonClassifier, size=3),
}
EXACT: dict[str, Callable[..., Any]] = {
    "kernel": partial(linear.KernelPerceptron, kernel="rbf"),
    "boosted": lambda: boosting.OnlineBBM(n=3),
    "decision stump": boosting.DecisionStump,
    "gradient boosting": lambda: boosting.GradientBoostingHull(n=3),
}
MODELS = {
    **{f"{name}, exact": make for name, make in LINEAR.items()},
    **{f"{name}, hashed": partial(make, **HASHED) for name, make in LINEAR.items()},
    **EXACT,
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
weighted = pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])


def one_by_one(make: Any, rows: Any, weights: Any) -> Any:
    model = make()
    for t, x in enumerate(rows):
        model.learn_one(x, LABELS[t], *([] if weights is None else [weights[t]]))
    return model


def from_stream(make: Any, stream: Any) -> Any:
    model = make()
    for piece in stream.pieces(model.form()):
        model.learn_many(piece.X, piece.y, piece.w)
    return model


# --- how it is written ---------------------------------------------------------------------------


def holes(x: dict[str, Any], t: int) -> dict[str, Any]:
    """A row with None or NaN, in turn, for what is 0."""
    return {name: value or (None if t % 2 else NAN) for name, value in x.items()}


def vw_text(rows: Any, weights: Any) -> str:
    """Every value in two halves, the second of them at the end of the line."""
    lines = []
    for t, x in enumerate(rows):
        weight = "" if weights is None else f" {weights[t]:g}"
        halves = " ".join(f"{name}:{value / 2!r}" for name, value in x.items())
        lines.append(f"{LABELS[t]:g}{weight} | {halves} {halves} gone:1 gone:-1\n")
    return "".join(lines)


def csv_text(columns: Any, table: Any, weights: Any) -> str:
    """With every spelling of a missing value."""
    missing = [m for m in _core.MISSING if m.strip()]

    def field(value: Any, k: int) -> str:
        if value is None or value == 0:
            return missing[k % len(missing)]
        return value if isinstance(value, str) else repr(value)

    lines = [",".join([*columns, "y", "w"])]
    for t, x in enumerate(table):
        w = "" if weights is None else weights[t]
        fields = [field(x.get(c), 3 * t + k) for k, c in enumerate(columns)]
        lines.append(",".join([*fields, repr(LABELS[t]), str(w)]))
    return "\n".join(lines) + "\n"


def arrow_table(columns: Any, table: Any, weights: Any) -> Any:
    """Null, NaN or 0 for what is missing, in turn, and texts that say so."""
    arrays = {}
    for k, name in enumerate(columns):
        values = [x.get(name) for x in table]
        if any(isinstance(v, str) for v in values):
            texts = [None, *_core.MISSING]
            values = [v if v is not None else texts[t % len(texts)] for t, v in enumerate(values)]
        else:
            values = [v or [None, NAN, 0.0][(t + k) % 3] for t, v in enumerate(values)]
        arrays[name] = pa.array(values)
    arrays["y"] = pa.array(LABELS)
    w = [None] * len(table) if weights is None else weights
    arrays["w"] = pa.array([None if v == 1 else v for v in w], pa.float64())
    return pa.table(arrays)


def json_text(table: Any, weights: Any) -> str:
    lines = []
    for t, x in enumerate(table):
        row = holes(x, t) | {"y": LABELS[t]}
        if weights is not None:
            row["w"] = weights[t]
        lines.append(json.dumps(row) + "\n")
    return "".join(lines)


def table_entries(folder: Any, columns: Any, table: Any, weights: Any) -> Iterator[tuple[str, Any]]:
    """Streams of a table."""
    both = {"label": "y", "weight": "w"}
    (folder / "a.csv").write_text(csv_text(columns, table, weights))
    (folder / "a.jsonl").write_text(json_text(table, weights))
    arrow = arrow_table(columns, table, weights)
    parquet.write_table(arrow, folder / "a.parquet", row_group_size=17)
    feather.write_feather(arrow, folder / "a.feather")
    numeric = {"numeric": [c for c in columns if c not in ("city",)]}
    yield "CSV", streams.read(folder / "a.csv", **both, **numeric)
    for name in ("a.jsonl", "a.parquet", "a.feather"):
        yield name, streams.read(folder / name, **both)
    yield "Arrow", streams.read(arrow, **both)
    yield "pandas", streams.read(arrow.to_pandas(), **both)
    yield "polars", streams.read(pl.from_arrow(arrow), **both)
    pairs = [(holes(x, t), LABELS[t]) for t, x in enumerate(table)]
    if weights is not None:
        pairs = [(*pair, None if w == 1 else w) for pair, w in zip(pairs, weights)]  # type: ignore[misc]
    yield "pairs", streams.read(pairs)


def batches(columns: Any, table: Any) -> Iterator[tuple[str, Any]]:
    """The features of a table, as `learn_many` takes them."""
    arrow = arrow_table(columns, table, None).drop_columns(["y", "w"])
    yield "Arrow batch", arrow.combine_chunks().to_batches()[0]
    yield "pandas batch", arrow.to_pandas()
    yield "nullable pandas batch", arrow.to_pandas().convert_dtypes()
    yield "polars batch", pl.from_arrow(arrow)


@every_model
@weighted
def test_every_entry_of_text_gives_the_same_model(make, weights, tmp_path):
    """Rows with words, names of digits, missing values, and a column called like a category."""
    wanted = saved(one_by_one(make, ROWS, weights), tmp_path)
    model = one_by_one(make, [holes(x, t) for t, x in enumerate(TABLE)], weights)
    assert saved(model, tmp_path) == wanted, "dicts"
    (tmp_path / "a.vw").write_text(vw_text(ROWS, weights))
    entries = dict(table_entries(tmp_path, COLUMNS, TABLE, weights))
    entries["VW text"] = streams.read(tmp_path / "a.vw")
    for name, stream in entries.items():
        assert saved(from_stream(make, stream), tmp_path) == wanted, name
        iterated = [x for x, _ in stream]
        assert saved(one_by_one(make, iterated, weights), tmp_path) == wanted, f"iterated {name}"
    for name, batch in batches(COLUMNS, TABLE):
        model = make()
        model.learn_many(batch, np.array(LABELS), weights)
        assert saved(model, tmp_path) == wanted, name


def repeated_csr() -> Any:
    """Every value in two halves, the second in front, and something that adds up to 0."""
    starts, columns, values = [0], [], []
    for x in NUMBERS:
        names = [*reversed(x), *x, 3, 3]
        columns += names
        values += [x[j] / 2 for j in names[:-2]] + [1.0, -1.0]
        starts.append(len(columns))
    return csr_array((values, columns, starts), shape=(len(NUMBERS), 13))


@every_model
@weighted
def test_every_entry_of_columns_gives_the_same_model(make, weights, tmp_path):
    """Numbers in columns that are called by numbers."""
    wanted = saved(one_by_one(make, NUMBERS, weights), tmp_path)
    names = [str(j) for j in range(13)]
    table = [{str(j): v for j, v in x.items()} for x in NUMBERS]
    rows = {
        "names": table,
        "vectors": MATRIX.tolist(),
        "arrays": MATRIX,
        "sparse rows": [csr_array(x[None]) for x in MATRIX],
        "repeated sparse rows": [repeated_csr()[[t]] for t in range(len(MATRIX))],
        "halves": [
            {j: v / 2 for j, v in x.items()} | {str(j): v / 2 for j, v in x.items()}
            for x in NUMBERS
        ],
    }
    for name, each in rows.items():
        assert saved(one_by_one(make, each, weights), tmp_path) == wanted, name
    (tmp_path / "a.vw").write_text(vw_text(NUMBERS, weights))
    entries = dict(table_entries(tmp_path, names, table, weights))
    entries["VW text"] = streams.read(tmp_path / "a.vw")
    entries["CSR"] = streams.read((repeated_csr(), LABELS, weights and np.array(weights)))
    if weights is None:
        halves = [" ".join(f"{j}:{v / 2}" for j, v in x.items()) for x in NUMBERS]
        lines = [f"{y:g} {half} {half} 3:1 3:-1\n" for y, half in zip(LABELS, halves)]
        (tmp_path / "a.svm").write_text("".join(lines))
        entries["svmlight"] = streams.read(tmp_path / "a.svm")
    for name, stream in entries.items():
        assert saved(from_stream(make, stream), tmp_path) == wanted, name
        iterated = [x for x, _ in stream]
        assert saved(one_by_one(make, iterated, weights), tmp_path) == wanted, f"iterated {name}"
    forms = dict(batches(names, table))
    forms |= {"matrix": MATRIX, "CSR": repeated_csr(), "frame": pd.DataFrame(MATRIX)}
    for name, batch in forms.items():
        model = make()
        model.learn_many(batch, np.array(LABELS), weights)
        assert saved(model, tmp_path) == wanted, name


CACHED = {name: make for name, make in MODELS.items() if name not in EXACT}


@pytest.mark.parametrize("make", CACHED.values(), ids=CACHED)
@pytest.mark.parametrize("named", [True, False])
def test_a_cache_gives_the_same_second_pass(make, named, tmp_path):
    """Also of examples that were read by name for a learner that hashes."""
    path = tmp_path / "a.vw"
    path.write_text(vw_text(ROWS, None))
    wanted, model = make(), make()
    for _ in range(2):
        for x, y in zip(ROWS, LABELS):
            wanted.learn_one(x, y)
    cache = Cache(tmp_path / "a.cache")
    for piece in streams.read(path).pieces(None if named else model.form()):
        model.learn_many(piece.X, piece.y, piece.w)
        cache.add(model, piece)
    cache.finish()
    for piece in cache.stream().pieces():
        model.learn_many(piece.X, piece.y, piece.w)
    assert saved(model, tmp_path) == saved(wanted, tmp_path)


@every_model
def test_every_entry_gives_the_same_predictions(make, tmp_path):
    """Also of names that were never learned, one of them twice."""
    model = one_by_one(make, ROWS[:30], None)
    new = {"99": 1.5, 99: -0.5, "new": 1.0}
    wanted = [model.decision_one(x | {99: 1.0, "new": 1.0}) for x in ROWS]
    assert [model.decision_one(x | new) for x in ROWS] == wanted
    table = [x | {"99": 1.0, "new": 1.0} for x in TABLE]
    answers = [model.predict_one(x) for x in [x | new for x in ROWS]]
    for name, batch in batches([*COLUMNS, "99", "new"], table):
        assert list(model.predict(batch)) == answers, name
