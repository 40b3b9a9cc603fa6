"""One data set in every form it can come in: the model is the same, bit for bit."""

import threading
import time
import warnings
from collections import ChainMap, Counter, OrderedDict, UserDict
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import sparse

from regretless import linear, rules
from regretless.errors import ColumnsWarning
from regretless.linear import LinearClassifier, LinearRegressor

RULES = list(rules.RULES)
# Winnow takes other features, and has tests of its own
OTHERS = ("LinearClassifier", "KernelPerceptron", "Winnow")
LEARNERS = {
    **{r: partial(LinearClassifier, rule=r) for r in RULES},
    "eg with a rate": partial(LinearClassifier, rule=rules.EG(rate=0.25)),
    "scale invariant": partial(LinearClassifier, rule=rules.AdaGrad(scale_invariant=True)),
    "lazy ogd": partial(LinearClassifier, rule=rules.OGD(lazy=True, radius=2.0)),
    "ogd with penalties": partial(LinearClassifier, rule="ogd", l1=0.01, l2=0.1),
    "invariant ogd": partial(LinearClassifier, rule=rules.OGD(invariant=True), certify=True),
    "ftrl with penalties": partial(LinearClassifier, rule="ftrl", l1=0.1, intercept=False),
    **{name: getattr(linear, name) for name in linear.__all__ if name not in OTHERS},
    **{a: partial(linear.Perceptron, average=a) for a in ("survival", "uniform", "vote")},
    # neither hashes names, for the examples are kept
    "KernelPerceptron": lambda **_: linear.KernelPerceptron(),
    "rbf": lambda **_: linear.KernelPerceptron(kernel="rbf"),
    "eg regressor": partial(LinearRegressor, rule="eg", loss="absolute"),
}
every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
both_features = pytest.mark.parametrize("features", ["exact", "hashed"])
few = settings(deadline=None, max_examples=5, derandomize=True, phases=[Phase.generate])

# No subnormal numbers: their last bits depend on the order in which the squares of a row are added.
NUMBERS = st.floats(-4, 4, width=32, allow_subnormal=False)
VALUES = {
    "float": st.sampled_from([0.0, 0.0, 1.0, -0.5]) | NUMBERS,
    "int": st.integers(-3, 3).map(float),
    "bool": st.booleans().map(float),
}
SPARSE = {
    kind.__name__: kind
    for form in ("csr", "csc", "coo")
    for kind in (getattr(sparse, f"{form}_array"), getattr(sparse, f"{form}_matrix"))
}
NAMES = [f"f{j}" for j in range(5)]
ROWS = {
    "dict": lambda r: dict(enumerate(r.tolist())),
    "dict of names": lambda r: dict(zip(NAMES, r.tolist())),
    "dict of scalars": lambda r: {np.int32(j): np.float32(v) for j, v in enumerate(r)},
    "list": np.ndarray.tolist,
    "tuple": tuple,
    "float32": np.float32,
    "series": pd.Series,
    "series of names": lambda r: pd.Series(r, NAMES),
    "1-d sparse": sparse.coo_array,
    **{name: lambda r, kind=kind: kind(r[None]) for name, kind in SPARSE.items()},
}


def named(X):
    return pd.DataFrame(X, columns=NAMES)


def unsorted_csr(X):
    """The columns of each row backwards, 0 spelled out, every value in two halves."""
    n, d = X.shape
    columns = np.tile(np.repeat(np.arange(d)[::-1], 2), n).astype(np.int64)
    data = np.repeat(X[:, ::-1].ravel() / 2, 2)
    return sparse.csr_array((data, columns, np.arange(n + 1) * 2 * d), shape=(n, d))


BATCHES = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "lists": np.ndarray.tolist,
    **SPARSE,
    "unsorted csr": unsorted_csr,
    "frame": pd.DataFrame,
    "frame of names": named,
    "polars frame of names": lambda X: pl.DataFrame(X, NAMES),
    "table of names": lambda X: pa.Table.from_pandas(named(X)),
    "batch of names": lambda X: pa.RecordBatch.from_pandas(named(X)),
    "chunks of names": lambda X: pa.concat_tables([pa.table(named(X[:1])), pa.table(named(X[1:]))]),
    "nulls under names": lambda X: pa.table(
        [pa.array([v or None for v in c], pa.float64()) for c in X.T], names=NAMES
    ),
}
NARROW = {"int": ["int8", "int64"], "bool": ["bool", "uint8", "int16"], "float": ["float32"]}


def facts(model, names=range(5)):
    """What a model has learned; names without a weight apart."""
    weights = getattr(model, "weights_", {})  # of a kernel there are none
    lanes = (
        list(weights.values()) if isinstance(next(iter(weights.values()), 0), dict) else [weights]
    )
    known = [sorted(v for v in lane.values() if v) for lane in lanes]
    probes = [model.decision_one({name: 0.75}) for name in names]
    return model.examples_, model.loss_, getattr(model, "intercept_", None), known, probes


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
    """Rows and batches, dense and sparse, under numbers and names, in every type of number."""
    kind = data.draw(st.sampled_from(list(VALUES)))
    size = data.draw(st.integers(1, 4))
    rows = st.lists(VALUES[kind], min_size=5, max_size=5)
    X = np.array(data.draw(st.lists(rows, min_size=size, max_size=size)))
    y = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    make = partial(make, features=features, bits=8)
    expected = facts(learned(make(), map(ROWS["dict"], X), y))
    for name, form in ROWS.items():
        model = learned(make(), map(form, X), y)
        assert facts(model, NAMES if "names" in name else range(5)) == expected, name
    batches = [(name, form(X)) for name, form in BATCHES.items()]
    for dtype in NARROW[kind]:
        small = X.astype(dtype)
        batches += [(dtype, small), (f"frame of names, {dtype}", named(small))]
        batches += [(f"csr, {dtype}", sparse.csr_array(small))]
        batches += [(f"table of names, {dtype}", pa.Table.from_pandas(named(small)))]
    for name, batch in batches:
        model = make()
        model.learn_many(batch, y)
        assert facts(model, NAMES if "names" in name else range(5)) == expected, name


@pytest.mark.parametrize("form", ["C order", "csr_array", "frame", "nulls under names"])
def test_a_column_of_zeros_is_no_feature(form):
    """What is 0 is absent in every form, so the same features have weights."""
    model = LinearRegressor()
    model.learn_many(BATCHES[form](np.array([[1.0, 0.0, 2.0, 0.0, 0.0]])), [1.0])
    assert list(model.weights_) in ([0, 2], ["f0", "f2"])


@pytest.mark.parametrize("form", ["csr_array", "C order", "frame of names", "table of names"])
@every_learner
@few
@given(data=st.data())
def test_any_split_into_batches_is_one_by_one(make, form, data):
    """Batches of any size, 0 and 1 among them, learn exactly what `learn_one` does."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    X, y = rng.integers(-2, 3, (30, 5)) / 2.0, rng.integers(0, 3, 30)
    cuts = sorted(data.draw(st.lists(st.integers(0, 30), max_size=4)))
    row, names = (ROWS["dict of names"], NAMES) if "names" in form else (ROWS["dict"], range(5))
    whole, model = learned(make(), map(row, X), y.tolist()), make()
    for start, stop in zip([0, *cuts], [*cuts, 30]):
        model.learn_many(BATCHES[form](X[start:stop]), y[start:stop])
    assert facts(model, names) == facts(whole, names)


@every_learner
def test_long_batches_are_one_by_one(make):
    """More rows than the core converts at a time, with features that appear on the way."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (600, 80)) * (rng.random((600, 80)) < 0.1), rng.integers(0, 3, 600)
    whole, sparsely, densely = learned(make(), X.astype(float), y.tolist()), make(), make()
    sparsely.learn_many(sparse.csr_array(X), y)
    densely.learn_many(X, y)
    assert facts(sparsely, range(80)) == facts(whole, range(80)) == facts(densely, range(80))


@both_features
@every_learner
def test_step_is_predict_then_learn(make, features, tmp_path):
    """`step` returns what `predict_one` would have, and leaves what `learn_one` would have."""
    rng = np.random.default_rng(1)
    one, two = make(features=features, bits=6), make(features=features, bits=6)
    for t in range(40):
        x, y = rng.normal(size=5 + t), int(rng.integers(3))
        if t % 3:
            x = {**dict(zip(NAMES, x)), f"new {t}": "a category" if t % 2 else 1}
        before = one.predict_one(x)
        one.learn_one(x, y, 0.5)
        assert two.step(x, y, 0.5) == before
    assert saved(one, tmp_path) == saved(two, tmp_path)


@both_features
@every_learner
def test_predicting_changes_nothing(make, features, tmp_path):
    """Not even for names, columns and categories that have never been seen."""
    rng = np.random.default_rng(2)
    model = make(features=features, bits=6)
    model.learn_many(named(rng.normal(size=(20, 5))), rng.integers(0, 3, 20))
    before = saved(model, tmp_path)
    rows = [{"f0": 1.0, "new": 2.0, "colour": "red"}, {7: 1.0, -5: 1.0}, [1.0] * 9, {}]
    batches = [
        np.ones((4, 50)),
        sparse.eye_array(9).tocsr(),
        pd.DataFrame({"c": ["x", "y"], "f0": 1.0}),
    ]
    methods = [(m, rows) for m in ("predict_one", "decision_one", "predict_proba_one")]
    methods += [(m, batches) for m in ("predict", "decision_function", "predict_proba")]
    for method, given_ in methods:
        for x in given_ if hasattr(model, method) else []:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ColumnsWarning)
                getattr(model, method)(x)
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


@every_learner
def test_values_beyond_the_range_of_floats(make):
    """Doubles that round to 0 or to a denormal float do no harm in any form."""
    x = [1e-50, 1e-40, -1e-300, 1.0]
    rows, batch = learned(make(), [dict(enumerate(x)), x] * 5, [0, 1] * 5), make()
    batch.learn_many([x] * 10, [0, 1] * 5)
    assert facts(rows) == facts(batch)
    assert np.isfinite(rows.decision_one(x))


def test_a_field_of_records():
    """Its rows lie 44 bytes apart, no multiple of 8."""
    X, model = np.ones(3, [("id", "i4"), ("x", "f8", 5)])["x"], LinearRegressor()
    model.learn_many(X, [1.0, 2.0, 3.0])
    assert facts(model) == facts(learned(LinearRegressor(), X, [1.0, 2.0, 3.0]))


# --- dicts and categories ------------------------------------------------------------------------

PLAIN = {"a": 2.0, "b": 1.0, "c": 0.5, "d=red": 1.0}
ALIKE = {
    **{k.__name__: k(PLAIN) for k in (OrderedDict, Counter, UserDict, ChainMap, MappingProxyType)},
    "numpy": {"a": np.int64(2), "b": np.bool_(True), "c": np.float32(0.5), "d": np.str_("red")},
    "exact": {"a": Decimal(2), "b": Fraction(1), "c": Fraction(1, 2), np.str_("d"): "red"},
    "absent": {"a": 2, "x": None, "b": True, "y": 0, "c": 0.5, "z": False, "d": "red", "w": -0.0},
    "zeros": {"v": Decimal(0), "u": np.bool_(False), **PLAIN, "t": np.float32(0), "s": Fraction(0)},
}


@both_features
@pytest.mark.parametrize("row", ALIKE.values(), ids=ALIKE)
def test_dicts_that_mean_the_same(row, features, tmp_path):
    """Every mapping and number is read, a string is a category, and None, 0 and False are absent."""
    plain = learned(LinearRegressor(features=features, bits=6), [PLAIN] * 3, [1.5] * 3)
    model = learned(LinearRegressor(features=features, bits=6), [row] * 3, [1.5] * 3)
    assert model.predict_one(row) == plain.predict_one(PLAIN)
    assert saved(model, tmp_path) == saved(plain, tmp_path)


COLOURS = ["red", None, "blue", "red", None, "grün 🎨", "", "blue"]
COLUMNS = {
    "object": pd.Series(COLOURS, dtype=object),
    "string": pd.Series(COLOURS, dtype="string"),
    "category": pd.Series(pd.Categorical(COLOURS, ["never", "", "red", "blue", "grün 🎨"])),
    "arrow": pa.array(COLOURS),
    "chunks": pa.chunked_array([COLOURS[:3], COLOURS[3:]]).dictionary_encode(),
    "unsigned codes": pa.array(COLOURS, pa.dictionary(pa.uint8(), pa.string())),
    "null in the dictionary": pa.array(COLOURS).dictionary_encode("encode"),
    "unused category": pa.DictionaryArray.from_arrays(
        [1, None, 2, 1, None, 3, 4, 2], ["never", "red", "blue", "grün 🎨", ""]
    ),
}


@both_features
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_categories(column, features):
    """A column of strings is read as the strings of dicts are; null and "" are absent."""
    rows, y = [{"n": 1, "colour": c or None} for c in COLOURS], np.arange(8.0)
    plain = learned(LinearRegressor(features=features, bits=9), rows, y)
    model = LinearRegressor(features=features, bits=9)
    frame = pd.DataFrame if isinstance(column, pd.Series) else pa.table
    X = frame({"n": np.ones(8), "colour": column})
    model.learn_many(X, y)
    assert model.weights_ == plain.weights_
    assert model.predict(X).tolist() == [plain.predict_one(x) for x in rows]


MISSING = {
    "arrow": pa.table({"n": [1], "none": [None]}),
    "object": pd.DataFrame({"n": [1], "none": [None]}),
    "nullable integers": pd.DataFrame({"n": [1], "none": pd.array([None], "Int64")}),
    "nullable bools": pd.DataFrame({"n": [1], "none": pd.array([None], "boolean")}),
}


@pytest.mark.parametrize("X", MISSING.values(), ids=MISSING)
def test_what_is_missing_is_absent(X):
    """Null, whatever the type of its column."""
    model = LinearRegressor()
    model.learn_many(X, [1.0])
    assert list(model.weights_) == ["n"]


def test_large_integers():
    """Those that no double holds are rounded, in every form."""
    plain = learned(LinearRegressor(rule="pnorm"), [{"n": 2**60 + 1}], [1.0])
    for X in (pd.DataFrame({"n": [2**60 + 1]}), pa.table({"n": [2**60 + 1]})):
        model = LinearRegressor(rule="pnorm")
        model.learn_many(X, [1.0])
        assert facts(model, ["n"]) == facts(plain, ["n"])


# --- names ---------------------------------------------------------------------------------------

ODD = [
    "",
    "a",
    "03",
    3,
    "-1",
    2**40 + 3,
    2**63 - 1,
    str(2**63),
    "é",
    "e\u0301",
    "😀",
    "a\0b",
    "a\0c",
]
ODD += ["a\0", "=", "colour=red", "x" * 100_000, "longer than eight bytes"]


def test_names_are_kept_apart(tmp_path):
    """Any string and any integer from 0 on that fits 64 bits."""
    model = LinearRegressor(rule="ogd", rate=0.5, intercept=False)
    learned(model, ({name: 1.0} for name in ODD), map(float, range(1, 99)))
    assert model.weights_ == {name: float(k + 1) for k, name in enumerate(ODD)}
    saved(model, tmp_path)
    assert LinearRegressor.load(tmp_path / "model").weights_ == model.weights_


def test_other_keys_go_by_their_text():
    """A key that is neither a string nor an integer is named by `str`."""
    names = [(1, "b"), 2.5, None, b"raw", frozenset([1])]
    model = learned(LinearRegressor(), [dict.fromkeys(names, 1.0)], [1.0])
    assert list(model.weights_) == [str(name) for name in names]
    assert all(model.predict_one({n: 1}) == model.predict_one({str(n): 1}) != 0 for n in names)


@pytest.mark.parametrize("name", [int, "f{}".format], ids=["columns", "names"])
def test_very_many_features_in_one_row(name):
    """Every one gets its weight."""
    model = LinearRegressor(rule="ogd", rate=2.0**-20, intercept=False)
    model.learn_one({name(j): 1.0 for j in range(300_000)}, 1.0)
    assert model.weights_ == {name(j): 2.0**-19 for j in range(300_000)}


# -- two threads ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.certificate(),
        lambda model: model.loss_,
        lambda model: model.weights_,
        lambda model: model.learn_one({"a": 1.0}, 1),
        lambda model: model.predict(sparse.csr_array(np.eye(3))),
        lambda model: model.predict(np.eye(3)),
    ],
    ids=["certificate", "loss", "weights", "learn_one", "sparse", "dense"],
)
def test_a_learner_at_work_answers_nobody_else(ask):
    """It says so, whoever asks; what it learns is what it would have learned undisturbed."""
    random = np.random.default_rng(0)
    columns = random.integers(10**6, size=(15_000, 20)).astype(np.int32)
    starts = np.arange(0, 300_001, 20)
    X = sparse.csr_array((np.ones(300_000), columns.ravel(), starts), shape=(15_000, 10**6))
    y = random.integers(2, size=15_000)
    model, alone = LinearClassifier(certify=True), LinearClassifier(certify=True)
    for each in (model, alone):
        each.partial_fit(X[:1], y[:1], classes=[0, 1])
    refusals = []

    def insist(job, *given):
        """Who comes second is refused, before anything has changed."""
        try:
            job(*given)
        except RuntimeError as error:
            refusals.append(str(error))
            return False
        return True

    def work():
        while not insist(model.learn_many, X, y):
            pass

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive():
        insist(ask, model)
        time.sleep(0.002)  # the other is let in
    worker.join()
    used = "is in use by another thread; give each thread its own, or use a lock"
    assert {*refusals} == {f"LinearClassifier {used}"}
    if "learn_one" not in ask.__code__.co_names:
        alone.learn_many(X, y)
        assert model.loss_ == alone.loss_
