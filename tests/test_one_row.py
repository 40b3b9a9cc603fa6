"""One meaning of a row: every entry, every kind of learner, exact or hashed, weighted or not.

Each entry writes the same rows in its own way, with repeated words, names of digits and missing values
wherever it can, and all models must be the same in every byte of their files.
"""

import copy
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
from scipy.sparse import csr_array, vstack

from regretless import _core, boosting, linear, newton, rules, streams
from regretless.linear import LinearClassifier, LinearRegressor
from regretless.rows import Parsed
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


TABLE = _rows(60)
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


def saved(model: Any, path: Any) -> bytes:
    """The file, but for the columns: dicts and text have none."""
    model = copy.deepcopy(model)
    model._schema = None
    model.save(path / "model")
    return (path / "model").read_bytes()


def one_by_one(make: Any, rows: Any, weights: Any) -> Any:
    model = make()
    for t, x in enumerate(rows):
        model.learn_one(x, LABELS[t], *([] if weights is None else [weights[t]]))
    return model


def from_stream(make: Any, stream: Any) -> Any:
    model = make()
    for piece in stream.pieces(model._form()):
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
    for piece in streams.read(path).pieces(None if named else model._form()):
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


# --- repeated and colliding features -------------------------------------------------------------


def test_a_repeated_feature_is_one(tmp_path):
    """In the order of its first occurrence; what adds up to 0 is absent."""
    path = tmp_path / "a.vw"
    path.write_text("1 | a:6 a:7\n1 | b c:0.5 b d:1 c:-0.5 |n a |n a\n1 | 7 07 7\n")
    wanted = [{"a": 13.0}, {"b": 2.0, "d": 1.0, "n|a": 2.0}, {7: 2.0, "07": 1.0}]
    rows = [x for x, _ in streams.read(path)]
    assert rows == wanted
    assert [list(x) for x in rows] == [list(x) for x in wanted]
    model = LinearRegressor(rule=rules.OGD(rate=0.125), intercept=False)
    (piece, *_) = streams.read(path).pieces()
    model.learn_many(piece.X[:1], piece.y[:1])
    assert model.weights_ == {"a": pytest.approx(0.125 * 2 * 13)}


def test_a_sum_may_not_be_too_large(tmp_path):
    """A line or an example is named, and the model stays as it was."""
    (tmp_path / "a.vw").write_text("1 | a:1\n1 | a:6e18 a:6e18\n")
    (tmp_path / "a.svm").write_text("1 1:1\n1 1:6e18 1:6e18\n")
    for name, feature in (("a.vw", "'a'"), ("a.svm", "'1'")):
        with pytest.raises(ValueError, match=f"line 2: the values of {feature} add up to more"):
            list(streams.read(tmp_path / name))
        assert len(list(streams.read(tmp_path / name, skip_bad=True))) == 1
    large = csr_array(([6e18, 6e18], [0, 0], [0, 2]), shape=(1, 1))
    wide = csr_array(([6e18, 6e18], [0, 2], [0, 2]), shape=(1, 3))
    hashed = partial(LinearRegressor, features="hashed", bits=1, names=0)
    ahead = csr_array(np.ones((300, 3)))
    calls = [
        (LinearRegressor, lambda m: m.learn_one({7: 6e18, "7": 6e18}, 1.0)),
        (LinearRegressor, lambda m: m.learn_one(large, 1.0)),
        (LinearRegressor, lambda m: m.learn_many(large, [1.0])),
        (hashed, lambda m: m.learn_one({0: 6e18, 2: 6e18}, 1.0)),
        (hashed, lambda m: m.learn_one([6e18, 0.0, 6e18], 1.0)),
        (hashed, lambda m: m.learn_many(wide, [1.0])),
        (hashed, lambda m: m.learn_many(vstack([ahead, wide]), np.ones(301))),
        (hashed, lambda m: m.learn_many(np.array([[6e18, 0.0, 6e18]]), [1.0])),
        (hashed, lambda m: m.learn_many(pd.DataFrame({"0": [6e18], "2": [6e18]}), [1.0])),
    ]
    for make, call in calls:
        model = make()
        model.learn_one({"a": 1.0}, 1.0)
        before = saved(model, tmp_path)
        with pytest.raises(ValueError, match=r"add up|sum of features"):
            call(model)
        assert saved(model, tmp_path) == before


def test_winnow_refuses_a_sum_outside_its_range():
    """Two features of 1 that share a row are a feature of 2."""
    model = linear.Winnow(features="hashed", bits=1)
    with pytest.raises(ValueError, match=r"sum of features.*= 2 is outside \[0, 1\]"):
        model.learn_one({0: 1.0, 2: 1.0}, 1)
    with pytest.raises(ValueError, match=r"sum of features.*= 2 is outside \[0, 1\]"):
        model.learn_many(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]), [1, 0])
    assert model.examples_ == 0


RULES = {
    **{r: {"rule": r} for r in ("coin", "adagrad", "ogd", "ftrl", "eg", "pnorm")},
    "invariant": {"rule": rules.OGD(invariant=True)},
    "lazy": {"rule": rules.OGD(lazy=True, radius=2.0)},
    "scale-invariant": {"rule": rules.AdaGrad(scale_invariant=True)},
    "eg with a radius": {"rule": rules.EG(radius=3.0)},
}


@pytest.mark.parametrize("options", RULES.values(), ids=RULES)
@pytest.mark.parametrize("bits", [1, 2, 4])
def test_features_that_share_a_row_are_one_feature(options, bits, tmp_path):
    """With values of every size: a learner of merged rows is the same in every byte."""
    random = np.random.default_rng(bits)
    make = partial(LinearClassifier, features="hashed", bits=bits, names=0, certify=True, **options)
    model, merged = make(), make()
    for _ in range(200):
        names = random.integers(0, 40, random.integers(1, 12))
        x = {int(n): float(np.float32(random.normal())) for n in names}
        sums: dict[int, float] = {}
        for n, v in x.items():
            sums[n % 2**bits] = sums.get(n % 2**bits, 0.0) + v
        y = float(random.choice([-1, 1]))
        model.learn_one(x, y)
        merged.learn_one({n: float(np.float32(v)) for n, v in sums.items()}, y)
    assert saved(model, tmp_path) == saved(merged, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_holds_for_features_that_share_a_row(seed):
    """The norms of rows are those of the sums."""
    model = LinearClassifier(
        loss="hinge",
        rule=rules.OGD(rate=1.0),
        features="hashed",
        bits=1,
        intercept=False,
        certify=True,
    )
    random = np.random.default_rng(seed)
    stream = [({"a": 1.0, "b": 1.0}, t % 2) for t in range(2)] if not seed else []
    for _ in range(0 if not seed else 50):
        names = random.choice(list("abcdefgh"), 4, replace=False)
        stream.append(({str(n): float(random.normal()) for n in names}, int(random.integers(2))))
    losses = 0.0
    for x, y in stream:
        losses += max(0.0, 1 - (2 * y - 1) * model.decision_one(x))
        model.learn_one(x, y)
    # the best fixed weights are no better than this; 0 has loss 1 a round
    assert model.certificate().promised(0.0) >= losses - len(stream) - 1e-9


def test_an_exact_step_is_exact_for_features_that_share_a_row():
    """Passive-aggressive regression predicts the target after the step."""
    random = np.random.default_rng(0)
    for bits, size in ((1, 5), (18, 200)):
        model = linear.PassiveAggressiveRegressor(
            mode="exact", epsilon=0.0, features="hashed", bits=bits
        )
        for _ in range(50):
            x = {f"n{n}": float(random.normal()) for n in random.integers(0, 10**6, size)}
            y = float(random.normal())
            model.learn_one(x, y)
            assert model.predict_one(x) == pytest.approx(y, abs=1e-3)


def test_eg_stays_in_its_ball_when_features_share_a_row():
    """The weights of two signs add up to at most the radius."""
    random = np.random.default_rng(0)
    model = LinearClassifier(rule=rules.EG(radius=2.0), features="hashed", bits=2, intercept=False)
    for _ in range(300):
        x = {f"n{n}": float(random.normal()) for n in random.integers(0, 100, 20)}
        model.learn_one(x, float(random.choice([-1, 1])))
        assert sum(abs(v) for v in model.weights_.values()) <= 2.0 * (1 + 1e-6)


def test_sums_are_the_same_by_name_and_by_row(tmp_path):
    """Values that no sum keeps exactly: names are added up first, then rows, whoever does it."""
    random = np.random.default_rng(4)
    lines = []
    for _ in range(300):
        words = random.integers(0, 12, 20)
        lines.append("1 | " + " ".join(f"w{n}:{random.normal():.7g}" for n in words) + "\n")
    (tmp_path / "a.vw").write_text("".join(lines))
    stream = streams.read(tmp_path / "a.vw")
    for bits in (1, 3, 18):
        models = [LinearRegressor(features="hashed", bits=bits, names=0) for _ in range(3)]
        for piece in stream.pieces(models[0]._form()):
            models[0].learn_many(piece.X, piece.y)
        for x, y in stream:
            models[1].learn_one(x, y)
        for piece in stream.pieces():
            models[2].learn_many(piece.X, piece.y)
        assert len({saved(model, tmp_path) for model in models}) == 1


# --- names, missing values and labels ------------------------------------------------------------


def test_names_are_compared_by_one_rule():
    """Digits without sign or leading zeros, below 2^63, are the number; all else is the text."""
    names = {"0": 0, "12": 12, str(2**63 - 1): 2**63 - 1, 7: 7, np.int32(7): 7}
    names |= {n: n for n in ("", "00", "07", "+7", "-7", "7.0", " 7", "x", str(2**63))}
    names |= {-7: "-7", 2**63: str(2**63), 2**70: str(2**70), 7.5: "7.5"}
    for given, wanted in names.items():
        assert _core.name(given) == wanted
        assert type(_core.name(given)) is type(wanted)
    assert _core.name(True) == "True"
    for hashed in ({}, HASHED):
        model = LinearRegressor(**hashed)
        model.learn_one({12: 1.0, -3: 1.0}, 1.0)
        same = model.predict_one({12: 1.0, -3: 1.0})
        assert model.predict_one({"12": 1.0, "-3": 1.0}) == same


def test_two_columns_with_one_name_are_refused():
    """7 and "7" in one frame."""
    with pytest.raises(ValueError, match="several columns called 7"):
        LinearRegressor().learn_many(pd.DataFrame([[1.0, 2.0]], columns=[7, "7"]), [1.0])


@pytest.mark.parametrize("features", [{}, {"features": "hashed"}])
def test_a_model_of_a_file_predicts_from_a_frame(features, tmp_path):
    """A header of digits names the same features as a matrix."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3)).round(3)
    frame = pd.DataFrame(X, columns=["0", "1", "2"]).assign(y=X[:, 0] > X[:, 2])
    frame.astype({"y": int}).to_csv(tmp_path / "a.csv", index=False)
    model = from_stream(
        partial(LinearClassifier, **features), streams.read(tmp_path / "a.csv", label="y")
    )
    wanted = model.predict_proba(X)[:, 1]
    assert ((wanted > 0.5) == frame["y"]).mean() > 0.9
    given = frame.drop(columns="y")
    for form in (given, pl.from_pandas(given), pa.table(given), csr_array(X)):
        np.testing.assert_array_equal(model.predict_proba(form)[:, 1], wanted)


def test_missing_weights_tags_and_labels(tmp_path):
    """A missing weight is 1, a missing tag is empty, a missing label is an error if it is needed."""
    text = "id,w,y,x\na,2,1,1\n,,0,2\nNA,NaN,1,3\n"
    (tmp_path / "a.csv").write_text(text)
    rows = [
        {"id": "a", "w": 2.0, "y": 1.0, "x": 1.0},
        {"id": None, "w": None, "y": 0.0, "x": 2.0},
        {"id": "NA", "w": NAN, "y": 1.0, "x": 3.0},
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    of = {"label": "y", "weight": "w", "tag": "id"}
    for source in (tmp_path / "a.csv", tmp_path / "a.parquet", pd.DataFrame(rows)):
        (piece,) = streams.read(source, **of).pieces()
        assert piece.w.tolist() == [2.0, 1.0, 1.0]
        assert piece.tags == ["a", "", ""]
        assert [x for x, _ in streams.read(source, **of)] == [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}]
    for missing in (None, "NA", ""):
        labels = ["spam", missing]
        pd.DataFrame({"x": [1, 2], "y": labels}).to_csv(tmp_path / "b.csv", index=False)
        parquet.write_table(pa.table({"x": [1, 2], "y": labels}), tmp_path / "b.parquet")
        for name in ("b.csv", "b.parquet"):
            stream = streams.read(tmp_path / name, label="y")
            with pytest.raises(ValueError, match="label"):
                list(stream.pieces())
            (piece,) = stream.pieces(labelled=False)
            assert piece.y.tolist() == ["spam", ""]
    parquet.write_table(pa.table({"x": [1, 2], "y": [1.0, NAN]}), tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="row 1 has no label in the column 'y'"):
        list(streams.read(tmp_path / "c.parquet", label="y"))


def test_formats_of_bare_numbers_know_nothing_missing(tmp_path):
    """NaN is an error there, and infinity everywhere."""
    (tmp_path / "a.vw").write_text("1 | a:nan\n")
    (tmp_path / "a.svm").write_text("1 1:nan\n")
    for name in ("a.vw", "a.svm"):
        with pytest.raises(ValueError, match="line 1"):
            list(streams.read(tmp_path / name))
    model = LinearRegressor()
    for x in ([NAN], np.array([NAN]), csr_array([[NAN]]), {"a": math.inf}, {"a": -math.inf}):
        with pytest.raises(ValueError, match="not a finite number"):
            model.learn_one(x, 1.0)
    for X in (np.array([[NAN]]), csr_array([[NAN]]), pd.DataFrame({"a": [math.inf]})):
        with pytest.raises(ValueError, match="not a finite number"):
            model.learn_many(X, [1.0])
    (tmp_path / "a.jsonl").write_text('{"y": 1, "a": Infinity}\n')
    with pytest.raises(ValueError, match="line 1"):
        list(streams.read(tmp_path / "a.jsonl", label="y"))


def test_a_foreign_learner_sees_the_same_rows(tmp_path):
    """Text is a category in a Parquet file as in a CSV file."""
    from river import linear_model

    from regretless.evaluate import progressive

    frame = pd.DataFrame({"a": [1.0, 2.0, 0.0], "c": ["x", None, "y"], "y": [1, 0, 1]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    sources = (tmp_path / "a.csv", tmp_path / "a.parquet", frame)
    rows = [[x for x, _ in streams.read(source, label="y")] for source in sources]
    assert rows[0] == [{"a": 1.0, "c=x": 1.0}, {"a": 2.0}, {"c=y": 1.0}]
    assert rows[1] == rows[2] == rows[0]
    losses = [
        progressive(linear_model.LogisticRegression(), streams.read(source, label="y")).loss
        for source in sources
    ]
    assert losses[0] == losses[1] == losses[2]


def test_interactions_have_each_pair_once(tmp_path):
    """However often they are asked for, and whatever the order of the line."""
    path = tmp_path / "a.vw"
    path.write_text("1 |a x:2 |b y:3\n1 |b y:3 |a x:2\n")
    plain = {"a|x": 2.0, "b|y": 3.0, "a|x * b|y": 6.0}
    for asked in (["ab"], ["ab", "ba"], ["ab", ("a", "b")], ["ab", "a:"], ["ab", ":a", "ab"]):
        for x, _ in streams.read(path, interactions=asked):
            extra = {"a|x * a|x": 4.0} if any(":" in one for one in asked) else {}
            assert x == plain | extra, asked
    for x, _ in streams.read(path, interactions=["::"]):
        assert x == plain | {"a|x * a|x": 4.0, "b|y * b|y": 9.0}
    path.write_text("1 |a x:2 |b y |a z:3 x:5\n")
    ((x, _),) = streams.read(path, interactions=["aba"])
    crossed = {"a|x * a|x * b|y": 49.0, "a|x * a|z * b|y": 21.0, "a|z * a|z * b|y": 9.0}
    assert x == {"a|x": 7.0, "b|y": 1.0, "a|z": 3.0} | crossed


def test_names_of_vw_text_do_not_clash(tmp_path):
    """A namespace, its feature and an interaction are told apart."""
    path = tmp_path / "a.vw"
    path.write_text("1 |a b\n1 | a^b\n1 |a^b c\n1 |a b^c\n1 |a x*b |b y\n1 |a x |b y\n")
    names = [tuple(x) for x, _ in streams.read(path, interactions=["ab"])]
    assert len(set(names)) == 6
    assert "a|x * b|y" in names[5]


def test_long_integers_are_different_labels(tmp_path):
    """Above 2^53 doubles confuse them."""
    labels = [2**53, 2**53 + 1]
    text = "".join(f"{y},{t}\n" for t, y in enumerate(labels, 1))
    (tmp_path / "a.csv").write_text("y,x\n" + text)
    parquet.write_table(pa.table({"y": labels, "x": [1, 2]}), tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        assert [y for _, y in streams.read(tmp_path / name, label="y")] == [str(y) for y in labels]
    (tmp_path / "a.vw").write_text("".join(f"{y} | x\n" for y in labels))
    (tmp_path / "a.svm").write_text("".join(f"{y} 1:1\n" for y in labels))
    (tmp_path / "a.jsonl").write_text("".join(f'{{"y": {y}}}\n' for y in labels))
    for name in ("a.vw", "a.svm", "a.jsonl"):
        with pytest.raises(ValueError, match=r"line 2: the label 9007199254740993 is an integer"):
            list(streams.read(tmp_path / name, label="y"))
    model = LinearClassifier()
    model.learn_many([[1.0], [2.0]], np.array(labels))
    assert model.classes_.tolist() == labels
    (tmp_path / "a.vw").write_text("1e300 | x\n-100000000000000000000 | x\n")
    assert [y for _, y in streams.read(tmp_path / "a.vw")] == [1e300, -1e20]


def test_examples_of_another_table_are_refused():
    """Rows of a hashed table mean nothing to a learner with another one."""
    examples = _core.Examples(3, True, True)
    examples.add({"a": 1.0})
    for options in ({}, {"features": "hashed", "bits": 4}):
        with pytest.raises(ValueError, match="read for another learner"):
            LinearRegressor(**options).learn_many(Parsed(examples, 0, 1), [1.0])
