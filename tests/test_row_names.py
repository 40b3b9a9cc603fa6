"""Names of features, missing values and labels mean the same in every format."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.sparse import csr_array

from regretless import _core, streams
from regretless.base.rows import Parsed
from regretless.linear import LinearClassifier, LinearRegressor

NAN = math.nan


def test_names_are_compared_by_one_rule():
    """Digits without sign or leading zeros, below 2^63, are the number; all else is the text."""
    names = {"0": 0, "12": 12, str(2**63 - 1): 2**63 - 1, 7: 7, np.int32(7): 7}
    names |= {n: n for n in ("", "00", "07", "+7", "-7", "7.0", " 7", "x", str(2**63))}
    names |= {-7: "-7", 2**63: str(2**63), 2**70: str(2**70), 7.5: "7.5"}
    for given, wanted in names.items():
        assert _core.name(given) == wanted
        assert type(_core.name(given)) is type(wanted)
    assert _core.name(True) == "True"
    for hashed in ({}, {"features": "hashed", "bits": 3}):
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
    model, stream = LinearClassifier(**features), streams.read(tmp_path / "a.csv", label="y")
    for piece in stream.pieces(model.form()):
        model.learn_many(piece.X, piece.y)
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
