"""A model knows its columns: the wrong table is an error, a changed one a warning."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from regretless import streams
from regretless.base.schema import Schema
from regretless.base.state import load
from regretless.boosting import OnlineBBM
from regretless.errors import ColumnsWarning
from regretless.linear import Auto, LinearClassifier, LinearRegressor, PassiveAggressive
from regretless.newton import NewtonClassifier

HASHED = {"features": "hashed", "bits": 10}
LEARNERS = [
    LinearClassifier,
    Auto,
    PassiveAggressive,
    NewtonClassifier,
    lambda **options: OnlineBBM(LinearClassifier(**options), n=2),
]


def frame(**columns):
    return pd.DataFrame({"price": [1.0, 2.0, 3.0], "city": ["Rome", "Oslo", "Rome"]} | columns)


LABELS = ["a", "b", "a"]


@pytest.fixture(params=LEARNERS, ids=lambda make: getattr(make, "__name__", "x").strip("<>"))
def model(request):
    learner = request.param(**HASHED)
    learner.learn_many(frame(), LABELS)
    return learner


@pytest.mark.parametrize(
    "made", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pd", "pl", "pa"]
)
def test_no_known_column_is_an_error(model, made):
    wrong = made(pd.DataFrame({"kilos": [1.0], "town": ["Rome"]}))
    before = model._described()
    for call in (model.predict, lambda X: model.learn_many(X, ["a"])):
        with pytest.raises(
            ValueError, match=r"none of the columns: kilos, town; it has .* price, city"
        ):
            call(wrong)
    assert model._described()[0] == before[0]
    model.predict(made(frame()))


def test_new_and_missing_columns_are_warned_of_once(model):
    other = frame(rooms=[1.0, 2.0, 3.0]).drop(columns="city")
    with pytest.warns(ColumnsWarning) as caught:
        [model.predict(each) for each in (other, other, frame(), other)]
    assert [str(each.message) for each in caught] == [
        "the model does not know the column rooms, and misses city"
    ]


def test_new_columns_are_learned(model):
    with pytest.warns(ColumnsWarning, match="does not know the column rooms$"):
        model.learn_many(frame(rooms=[1.0, 2.0, 3.0]), LABELS)
    model.predict(frame(rooms=[1.0, 2.0, 3.0]))
    with pytest.warns(ColumnsWarning, match="misses rooms$"):
        model.predict(frame())


def test_a_number_that_has_become_text(model):
    with pytest.raises(ValueError, match=r"'price' was a number .* and is text: 'abc' in row 1"):
        model.predict(frame(price=[None, "abc", "def"]))
    with pytest.raises(ValueError, match=r"'city' was text .* and is a number: 7 in row 0"):
        model.predict(frame(city=[7, 8, 9]))


def test_what_is_empty_has_no_kind(model):
    model.predict(frame(price=[None, None, None]))
    model.predict(frame(city=[0.0, 0.0, 0.0]))
    fresh = LinearRegressor()
    fresh.learn_many(frame(city=[None] * 3), [1.0, 2.0, 3.0])
    fresh.learn_many(frame(), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="was text"):
        fresh.predict(frame(city=[7, 8, 9]))


@pytest.mark.parametrize(
    "moved",
    [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), None],
    ids=["copy", "pickle", "file"],
)
def test_the_file_says_it(model, moved, tmp_path):
    if moved is None:
        model.save(tmp_path / "m")
        other = load(tmp_path / "m")
    else:
        other = moved(model)
    assert other._schema.kinds == {"price": "number", "city": "text"}
    with pytest.raises(ValueError, match="none of the columns"):
        other.predict(pd.DataFrame({"kilos": [1.0]}))


def test_options_start_afresh(model):
    clone = model.clone()
    clone.learn_many(pd.DataFrame({"kilos": [1.0, 2.0]}), ["a", "b"])
    if hasattr(model, "fit"):
        model.fit(pd.DataFrame({"kilos": [1.0, 2.0]}), ["a", "b"])
        model.predict(pd.DataFrame({"kilos": [1.0, 2.0]}))


def test_arrays_have_no_columns(model):
    """Numbers alone say nothing: arrays may have any width."""
    model.predict(np.eye(3))
    fresh = LinearClassifier()
    fresh.learn_many(np.eye(3), LABELS)
    fresh.predict(np.eye(3)[:, :2])
    fresh.predict(pd.DataFrame(np.eye(2)))


def test_rows_that_are_no_tables_are_not_compared(model):
    """Nor is a table, if what was learned before is not known."""
    model.learn_one({"kilos": 1.0}, "a")
    assert model.predict_one({"town": "Rome"}) is not None
    other = LinearClassifier(**HASHED)
    other.learn_one({"kilos": 1.0}, "a")
    other.learn_many(frame(), LABELS)
    other.predict(pd.DataFrame({"kilos": [1.0]}))


def test_features_of_single_rows_are_known_too():
    model = LinearClassifier()
    model.learn_many(frame(), LABELS)
    model.learn_one({"kilos": 1.0, "town": "Rome"}, "a")
    with pytest.warns(ColumnsWarning, match="misses price, city"):
        model.predict(pd.DataFrame({"kilos": [1.0]}))
    with pytest.warns(ColumnsWarning, match="misses price, city"):
        model.predict(pd.DataFrame({"town": ["Rome"]}))


@pytest.mark.parametrize("columns", [[["a", "colour"]], [[1.5, "number"]], [["a"]], 7])
def test_damage(columns):
    with pytest.raises((ValueError, TypeError)):
        Schema(columns)


# --- files are read as the model has learned them --------------------------------------------------


def test_like_a_model(tmp_path):
    """A category that happens to look like a number in a small file is one all the same."""
    (tmp_path / "a.csv").write_text("zip,size,y\nA1,1,yes\n77,2,no\n")
    (tmp_path / "b.csv").write_text("zip,size\n77,2\n")
    (tmp_path / "c.csv").write_text("zip,size\nA1,3\nA1,big\n")
    model = LinearClassifier()
    for piece in streams.read(tmp_path / "a.csv", label="y").pieces(model.form()):
        model.learn_many(piece.X, piece.y)
    assert model._schema.kinds == {"zip": "text", "size": "number"}
    (piece,) = streams.read(tmp_path / "b.csv", like=model).pieces(labelled=False)
    assert piece.X.row(0) == {"zip=77": 1.0, "size": 2.0}
    with pytest.raises(ValueError, match=r"c.csv, line 3: column 'size': 'big' is not a number"):
        list(streams.read(tmp_path / "c.csv", like=model).pieces(labelled=False))
    (piece,) = streams.read(tmp_path / "b.csv").pieces(labelled=False)
    with pytest.raises(
        ValueError, match="'zip' was text when the model learned it, and is a number"
    ):
        model.predict(piece.X)
    table = pa.table({"zip": [77], "size": [2.0]})
    (piece,) = streams.read(table, like=model).pieces()
    assert piece.X.row(0) == {"zip=77": 1.0, "size": 2.0}
    lines = tmp_path / "d.jsonl"
    lines.write_text('{"zip": "A1", "size": 1}\n{"zip": "A1", "size": "big"}\n')
    with pytest.raises(ValueError, match=r"d.jsonl, line 2: 'size': 'big' is not a number"):
        list(streams.read(lines, like=model).pieces(labelled=False))
    skipping = streams.read(lines, like=model, skip_bad=True)
    assert [len(each) for each in skipping.pieces(labelled=False)] == [1]
    with pytest.raises(ValueError, match="like='m' is not a learner"):
        streams.read(lines, like="m")


def test_tables_cost_little():
    """Equal columns are compared as a whole, once per batch."""
    model = LinearClassifier(**HASHED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            model.learn_many(frame(), LABELS)
    calls = []
    model._schema.differences = lambda *given: calls.append(given)
    model.learn_many(frame(), LABELS)
    model.predict(frame())
    assert not calls


def test_what_was_complete_misses_a_column_that_was_learned_since():
    """The newest columns need not be compared again, until others are learned."""
    model = LinearClassifier(**HASHED)
    model.learn_many(frame(), LABELS)
    model.predict(frame())
    with pytest.warns(ColumnsWarning, match="does not know the column late"):
        model.learn_many(frame().assign(late=1.0), LABELS)
    with pytest.warns(ColumnsWarning, match="the model misses late"):
        model.predict(frame())


def test_equality_is_about_what_was_learned(tmp_path):
    """A schema remembers the newest columns to save time, which files do not hold."""
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(50)))
    model = LinearClassifier()
    for piece in streams.read(path, label="y").pieces(model.form()):
        model.learn_many(piece.X, piece.y)
    model.save(tmp_path / "model")
    for other in (LinearClassifier.load(tmp_path / "model"), model.copy()):
        assert other == model
    with pytest.warns(ColumnsWarning):
        other.learn_many(pa.table({"a": [1.0], "c": [1.0]}), [1])
    assert other != model
