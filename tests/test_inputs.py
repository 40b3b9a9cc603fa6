"""One data set in every form it can come in: the model is the same, bit for bit."""

import subprocess
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from regretless import rules
from regretless.linear import (
    LinearClassifier,
    LinearRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
)

LEARNERS = {
    **{r: partial(LinearClassifier, rule=r) for r in ("coin", "adagrad", "ogd", "ftrl", "pnorm")},
    "eg": partial(LinearClassifier, rule="eg"),
    "eg with a rate": partial(LinearClassifier, rule=rules.EG(rate=0.25)),
    "scale invariant": partial(LinearClassifier, rule=rules.AdaGrad(scale_invariant=True)),
    "adagrad with penalties": partial(LinearClassifier, rule="adagrad", l1=0.01, l2=0.1),
    "lazy ogd": partial(LinearClassifier, rule=rules.OGD(lazy=True, radius=2.0)),
    "ogd with penalties": partial(LinearClassifier, rule="ogd", l1=0.01, l2=0.1),
    "invariant ogd": partial(LinearClassifier, rule=rules.OGD(invariant=True), certify=True),
    "ftrl with penalties": partial(LinearClassifier, rule="ftrl", l1=0.1, intercept=False),
    "perceptron": Perceptron,
    "passive-aggressive": PassiveAggressive,
    "regressor": LinearRegressor,
    "ftrl regressor": partial(LinearRegressor, rule="ftrl"),
    "eg regressor": partial(LinearRegressor, rule="eg", loss="absolute"),
    "passive-aggressive regressor": PassiveAggressiveRegressor,
}
every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
both_features = pytest.mark.parametrize("features", ["exact", "hashed"])
few = settings(deadline=None, max_examples=12, derandomize=True)

VALUES = {
    "float": st.sampled_from([0.0, 0.0, 1.0, -0.5]) | st.floats(-4, 4, width=32),
    "int": st.integers(-3, 3).map(float),
    "bool": st.booleans().map(float),
}
ROWS = {
    "dict": lambda r: dict(enumerate(r.tolist())),
    "dict without zeros": lambda r: {j: v for j, v in enumerate(r.tolist()) if v},
    "dict of names": lambda r: {f"f{j}": v for j, v in enumerate(r.tolist())},
    "dict of scalars": lambda r: {np.int32(j): np.float32(v) for j, v in enumerate(r)},
    "list": np.ndarray.tolist,
    "tuple": tuple,
    "array": np.array,
    "float32": np.float32,
    "object": lambda r: r.astype(object),
    "strided": lambda r: np.repeat(r, 3)[::3],
    "one row": lambda r: r[None],
    "series": pd.Series,
    "series of names": lambda r: pd.Series(r, [f"f{j}" for j in range(r.size)]),
    "1-d sparse": sparse.coo_array,
    **{
        kind.__name__: lambda r, kind=kind: kind(r[None])
        for form in ("csr", "csc", "coo", "lil", "dok")
        for kind in (getattr(sparse, f"{form}_array"), getattr(sparse, f"{form}_matrix"))
    },
}


def named(X):
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])


def unsorted_csr(X):
    """The columns of each row backwards, 0 spelled out, every value in two halves."""
    n, d = X.shape
    columns = np.tile(np.repeat(np.arange(d)[::-1], 2), n).astype(np.int64)
    data = np.repeat(X[:, ::-1].ravel() / 2, 2)
    return sparse.csr_array((data, columns, np.arange(n + 1) * 2 * d), shape=(n, d))


BATCHES = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "float32": np.float32,
    "big-endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "lists": np.ndarray.tolist,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "field of records": lambda X: np.rec.fromarrays([np.ones(len(X), "i4"), X]).f1,
    "unsorted csr": unsorted_csr,
    "data frame": pd.DataFrame,
    "data frame of names": named,
    "nullable": lambda X: named(X).convert_dtypes(),
    "sparse columns": lambda X: named(X).astype(pd.SparseDtype(float, 0)),
    "table": lambda X: pa.Table.from_pandas(named(X)),
    "record batch": lambda X: pa.RecordBatch.from_pandas(named(X)),
    "zeros are null": lambda X: pa.table(
        {f"f{j}": pa.array([v or None for v in X[:, j]], pa.float64()) for j in range(X.shape[1])}
    ),
    "chunks": lambda X: pa.concat_tables([pa.table(named(X[:1])), pa.table(named(X[1:]))]),
    **{
        kind.__name__: kind
        for form in ("csr", "csc", "coo", "bsr")
        for kind in (getattr(sparse, f"{form}_array"), getattr(sparse, f"{form}_matrix"))
    },
}
INTEGERS = {
    **{dtype: partial(lambda dtype, X: X.astype(dtype), dtype) for dtype in ("int8", "int64")},
    "integer frame": lambda X: named(X.astype(int)),
    "integer table": lambda X: pa.Table.from_pandas(named(X.astype("int16"))),
    "integer csr": lambda X: sparse.csr_array(X.astype(int)),
}
BOOLS = {
    "bool": lambda X: X.astype(bool),
    "uint8": lambda X: X.astype(np.uint8),
    "bool frame": lambda X: named(X.astype(bool)),
    "bool table": lambda X: pa.Table.from_pandas(named(X.astype(bool))),
    "bool csr": lambda X: sparse.csr_array(X.astype(bool)),
}


def facts(model, names=range(5)):
    """What a model has learned; names that have no weight apart."""
    weights = model.weights_
    lanes = (
        list(weights.values()) if isinstance(next(iter(weights.values()), 0), dict) else [weights]
    )
    known = [sorted(v for v in lane.values() if v) for lane in lanes]
    probes = [model.decision_one({name: 0.75}) for name in names]
    return model.examples_, model.loss_, model.intercept_, known, probes


def learned(model, rows, y):
    for x, target in zip(rows, y):
        model.learn_one(x, target)
    return model


def saved(model, path):
    model.save(path / "model")
    return (path / "model").read_bytes()


# --- the same data in every form -----------------------------------------------------------------


@both_features
@every_learner
@few
@given(data=st.data())
def test_every_form_gives_the_same_model(make, features, data):
    """Rows and batches, dense and sparse, of numbers and of names, in every type of number."""
    kind = data.draw(st.sampled_from(list(VALUES)))
    size = data.draw(st.integers(1, 5))
    rows = st.lists(VALUES[kind], min_size=5, max_size=5)
    X = np.array(data.draw(st.lists(rows, min_size=size, max_size=size)))
    y = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    make = partial(make, features=features)
    expected = facts(learned(make(), map(ROWS["dict"], X), y))
    for name, form in ROWS.items():
        model = learned(make(), map(form, X), y)
        assert facts(model, [f"f{j}" for j in range(5)] if "names" in name else range(5)) == (
            expected
        ), name
    batches = BATCHES | (INTEGERS if kind != "float" else {}) | (BOOLS if kind == "bool" else {})
    for name, form in batches.items():
        model, batch = make(), form(X)
        model.learn_many(batch, y)
        text = not isinstance(batch, (list, np.ndarray)) and not sparse.issparse(batch)
        names = [f"f{j}" for j in range(5)] if text and name != "data frame" else range(5)
        assert facts(model, names) == expected, name


@pytest.mark.parametrize("form", ["C order", "csr_array", "data frame", "table", "zeros are null"])
def test_a_column_of_zeros_is_no_feature(form):
    """What is 0 is absent in every form, so the same features have weights."""
    X = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    model = LinearRegressor()
    model.learn_many(BATCHES[form](X), [1.0, 2.0])
    assert list(model.weights_) in ([0, 2], ["f0", "f2"])


@pytest.mark.parametrize("form", ["csr_array", "C order", "data frame of names", "table"])
@every_learner
@few
@given(data=st.data())
def test_any_split_into_batches_is_one_by_one(make, form, data):
    """Batches of any size, 0 and 1 among them, learn exactly what `learn_one` does."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    X, y = rng.integers(-2, 3, (30, 5)) / 2.0, rng.integers(0, 3, 30)
    cuts = sorted(data.draw(st.lists(st.integers(0, 30), max_size=4)))
    row = ROWS["dict" if form in ("csr_array", "C order") else "dict of names"]
    names = list(row(X[0]))
    whole, model = learned(make(), map(row, X), y.tolist()), make()
    for start, stop in zip([0, *cuts], [*cuts, 30]):
        model.learn_many(BATCHES[form](X[start:stop]), y[start:stop])
    assert facts(model, names) == facts(whole, names)


@every_learner
def test_long_batches_are_one_by_one(make):
    """More rows than the core converts at a time, with features that appear on the way."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((600, 80), density=0.05, rng=rng, format="csr")
    y = rng.integers(0, 3, 600)
    whole, model = learned(make(), (X[[t]] for t in range(600)), y.tolist()), make()
    model.learn_many(X, y)
    assert facts(model, range(80)) == facts(whole, range(80))


@both_features
@every_learner
def test_step_is_predict_then_learn(make, features, tmp_path):
    """`step` returns what `predict_one` would have, and leaves what `learn_one` would have."""
    rng = np.random.default_rng(1)
    one, two = make(features=features, bits=6), make(features=features, bits=6)
    for t in range(40):
        x, y = {f"f{j}": float(v) for j, v in enumerate(rng.normal(size=4))}, int(rng.integers(3))
        x |= {f"new {t}": "a category" if t % 2 else 1}
        before = one.predict_one(x)
        one.learn_one(x, y, 0.5)
        assert two.step(x, y, 0.5) == before
    assert saved(one, tmp_path) == saved(two, tmp_path)


@both_features
@every_learner
def test_predicting_changes_nothing(make, features, tmp_path):
    """Not even for names, columns and categories that have never been seen."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 3)), rng.integers(0, 3, 20)
    model = make(features=features, bits=6)
    model.learn_many(named(X), y)
    before = saved(model, tmp_path)
    rows = [{"f0": 1.0, "new": 2.0, "colour": "red"}, {7: 1.0, -5: 1.0}, [1.0] * 9, {}]
    batches = [np.ones((4, 50)), sparse.eye_array(9).tocsr(), pd.DataFrame({"c": ["x", "y"]})]
    for method in ("predict", "decision_function", "predict_proba"):
        for one in rows if hasattr(model, method) else []:
            getattr(model, "decision_one" if "dec" in method else method + "_one")(one)
        for batch in batches if hasattr(model, method) else []:
            getattr(model, method)(batch)
    facts(model)
    assert saved(model, tmp_path) == before


@every_learner
def test_batch_predictions_are_those_of_rows(make):
    """Labels and scores are equal, probabilities up to the rounding of `exp`."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 3, 30)
    model = make()
    model.learn_many(X, y)
    assert model.predict(X).tolist() == [model.predict_one(x) for x in X]
    if hasattr(model, "predict_proba"):
        assert model.decision_function(X).tolist() == [model.decision_one(x) for x in X]
        rows = [list(model.predict_proba_one(x).values()) for x in X]
        assert model.predict_proba(X) == pytest.approx(np.array(rows), rel=1e-12)


def test_values_beyond_the_range_of_floats():
    """Doubles that round to 0 or to a denormal float do no harm in any form."""
    x = [1e-50, 1e-40, -1e-300, 1.0]
    for name, make in LEARNERS.items():
        rows = learned(make(), [dict(enumerate(x)), x] * 5, [0, 1] * 5)
        batch = make()
        batch.learn_many([x] * 10, [0, 1] * 5)
        assert facts(rows) == facts(batch), name
        assert np.isfinite(rows.decision_one(x)), name


# --- dicts of every kind -------------------------------------------------------------------------


class Sheet(Mapping):
    """A mapping that is no dict."""

    def __init__(self, content):
        self.content = content

    def __getitem__(self, name):
        return self.content[name]

    def __iter__(self):
        return iter(self.content)

    def __len__(self):
        return len(self.content)


PLAIN = {"a": 2.0, "b": 1.0, "c": 0.5, "d=red": 1.0}
ALIKE = {
    "mapping": Sheet(PLAIN),
    "ordered dict": OrderedDict(PLAIN),
    "counter": Counter(PLAIN),
    "proxy": MappingProxyType(PLAIN),
    "user dict": UserDict(PLAIN),
    "chain": ChainMap({}, PLAIN),
    "series": pd.Series({"a": 2, "b": True, "c": 0.5, "d": "red"}, dtype=object),
    "int, bool, category": {"a": 2, "b": True, "c": 0.5, "d": "red"},
    "numpy": {"a": np.int64(2), "b": np.bool_(True), "c": np.float32(0.5), "d": np.str_("red")},
    "exact": {"a": Decimal(2), "b": Fraction(1), "c": Fraction(1, 2), np.str_("d"): "red"},
    "0-d": {"a": np.array(2.0), "b": np.uint8(1), "c": np.float16(0.5), "d": "red"},
    "absent": {"a": 2.0, "x": None, "b": 1, "y": 0, "c": 0.5, "z": False, "d": "red", "w": -0.0},
    "zeros": {"v": Decimal(0), "u": np.bool_(False), **PLAIN, "t": np.float32(0), "s": Fraction(0)},
}


@both_features
@pytest.mark.parametrize("row", ALIKE.values(), ids=ALIKE)
def test_dicts_that_mean_the_same(row, features, tmp_path):
    """Every mapping and number is read, a string is a category, and None, 0 and False are absent."""
    plain, model = (LinearRegressor(features=features, bits=6) for _ in range(2))
    for _ in range(3):
        plain.learn_one(PLAIN, 1.5)
        model.learn_one(row, 1.5)
    assert model.predict_one(row) == plain.predict_one(PLAIN)
    assert saved(model, tmp_path) == saved(plain, tmp_path)


COLOURS = ["red", None, "blue", "red", None, "grün 🎨", "", "blue"]
CATEGORIES = {
    "object": lambda c: pd.DataFrame({"n": 1.0, "colour": pd.Series(c, dtype=object)}),
    "string": lambda c: pd.DataFrame({"n": 1, "colour": pd.Series(c, dtype="string")}),
    "category": lambda c: pd.DataFrame({"n": True, "colour": pd.Categorical(c)}),
    "arrow": lambda c: pa.table({"n": [1] * len(c), "colour": c}),
    "large": lambda c: pa.table({"n": [1] * len(c), "colour": pa.array(c, pa.large_string())}),
    "dictionary": lambda c: pa.table(
        {"n": [1] * len(c), "colour": pa.array(c).dictionary_encode()}
    ),
    "unsigned codes": lambda c: pa.table(
        {"n": [1] * len(c), "colour": pa.array(c, pa.dictionary(pa.uint8(), pa.string()))}
    ),
    "null in the dictionary": lambda c: pa.table(
        {"n": [1] * len(c), "colour": pa.array(c).dictionary_encode("encode")}
    ),
    "unused category": lambda c: pa.table(
        {
            "n": [1] * len(c),
            "colour": pa.DictionaryArray.from_arrays(
                [None if v is None else COLOURS.index(v) + 1 for v in c],
                pa.array(["never", *(v or "" for v in COLOURS)]),
            ),
        }
    ),
    "null column": lambda c: pa.table({"n": [1] * len(c), "colour": c, "none": [None] * len(c)}),
}


@both_features
@pytest.mark.parametrize("form", CATEGORIES.values(), ids=CATEGORIES)
def test_categories(form, features):
    """A string column is read as the strings of dicts are; null is absent."""
    y = np.arange(8.0)
    rows = [{"n": 1, "colour": c} for c in COLOURS]
    plain = learned(LinearRegressor(features=features), rows, y)
    model = LinearRegressor(features=features)
    model.learn_many(form(COLOURS), y)
    assert model.weights_ == plain.weights_
    assert model.predict(form(COLOURS)).tolist() == [plain.predict_one(x) for x in rows]


# --- names ---------------------------------------------------------------------------------------

NAMES = ["", "a", "3", 3, -1, -(2**63), 2**40 + 3, 2**63 - 1, "é", "e\u0301", "😀", "a\0b", "a\0c"]
NAMES += ["a\0", "=", "colour=red", "x" * 100_000, "longer than eight bytes"]


def test_names_are_kept_apart(tmp_path):
    """Any string and any 64-bit integer; "3" is not column 3."""
    model = LinearRegressor(rule="ogd", rate=0.5, intercept=False)
    for k, name in enumerate(NAMES):
        model.learn_one({name: 1.0}, float(k + 1))
    assert model.weights_ == {name: float(k + 1) for k, name in enumerate(NAMES)}
    saved(model, tmp_path)
    assert LinearRegressor.load(tmp_path / "model").weights_ == model.weights_


@pytest.mark.parametrize("name", [(1, "b"), 2.5, None, b"raw", frozenset([1])], ids=repr)
def test_other_keys_go_by_their_text(name):
    """A key that is neither a string nor an integer is named by `str`."""
    model = LinearRegressor()
    model.learn_one({name: 1.0}, 1.0)
    assert list(model.weights_) == [str(name)]
    assert model.predict_one({str(name): 1.0}) == model.predict_one({name: 1.0}) != 0


@pytest.mark.parametrize(
    "names", [range(10**6), [f"f{j}" for j in range(10**6)]], ids=["int", "str"]
)
def test_a_million_features_in_one_row(names):
    """Every one gets its weight."""
    model = LinearRegressor(rule="ogd", rate=2.0**-20, intercept=False)
    model.learn_one(dict.fromkeys(names, 1.0), 1.0)
    assert model.weights_ == dict.fromkeys(names, 2.0**-19)


FROZEN = {"": 431, "a": 250, "3": 367, "colour=red": 784, "longer than eight bytes": 533}
FROZEN |= {"é": 447, "😀": 345, "a\0b": 322, (1, 2): 329, 2.5: 574}
FROZEN |= {0: 0, 3: 3, 1023: 1023, 1024 + 7: 7, -1: 1023, 2**40 + 5: 5}


@pytest.mark.parametrize(("name", "place"), FROZEN.items(), ids=map(repr, FROZEN))
def test_hashes_never_change(name, place):
    """Files and processes agree on them, so they are frozen; column c has place c mod 2^bits."""
    model = LinearRegressor(features="hashed", bits=10)
    model.learn_one({name: 1.0}, 1.0)
    assert list(model.weights_) == [place]


def test_hashes_are_those_of_every_process():
    """Python's own hash of strings differs from process to process; this one does not."""
    code = (
        "from regretless.linear import LinearRegressor as R; m = R(features='hashed', bits=12)\n"
        "for k in range(50): m.learn_one({f'feature {k}': 1.0, (k, 'b'): 1.0}, k)\n"
        "print(sorted(m.weights_.items()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(outputs) == 1


def test_hashed_columns_share_weights():
    """Columns that are equal modulo 2^bits are one feature, in every form."""
    model = LinearRegressor(features="hashed", bits=4, intercept=False)
    model.learn_one({5: 1.0}, 1.0)
    wide = sparse.csr_array(([1.0], ([0], [5 + 16 * 1000])), shape=(1, 10**6))
    same = model.predict_one({5: 1.0})
    assert same != 0
    assert model.predict_one({5 + 16: 1.0}) == model.predict_one({5 - 16: 1.0}) == same
    assert model.predict(wide).tolist() == [same] == model.predict(np.eye(1, 64, 5 + 32)).tolist()
