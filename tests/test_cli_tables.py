"""`predict` and `train --from` look at what they are given: is it what the model has learned?"""

import command_line
import pyarrow as pa
import pytest
from command_line import SMALL, process, run
from pyarrow import parquet

from regretless.base.state import load
from regretless.linear import LinearClassifier


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    (tmp_path / "flat.csv").write_text("price,city,sold\n" + "3,Rome,yes\n5,Oslo,no\n" * 30)
    run("train", "flat.csv", "--label", "sold", "--save", "m", *SMALL)
    return tmp_path


WRONG = {
    "other.csv": "kilos,town\n3,Rome\n",
    "other.tsv": "kilos\ttown\n3\tRome\n",
    "other.vw": "|n kilos:3 town=Rome\n",
    "other.svm": "0 1:3 2:1\n",
    "other.jsonl": '{"kilos": 3, "town": "Rome"}\n',
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("options", [SMALL, ["--exact"], [*SMALL, "--names", "0"]], ids=" ".join)
def test_a_table_of_something_else(folder, name, options):
    """Both sides are named; nothing is predicted or learned."""
    run("train", "flat.csv", "--label", "sold", "--save", "m", *options)
    before = (folder / "m").read_bytes()
    (folder / name).write_text(WRONG[name])
    result = run("predict", name, "--model", "m", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: the model knows none of the ")
    assert result.stderr.count("\n") == 1
    if "0" not in options or name not in ("other.vw", "other.svm", "other.jsonl"):
        assert "kilos" in result.stderr or "1, 2" in result.stderr
    assert "price" in result.stderr
    labelled = WRONG[name].replace("|n", "1 |n").replace("{", '{"sold": "yes", ')
    if "csv" in name or "tsv" in name:
        split = "\t" if "tsv" in name else ","
        labelled = labelled.replace("\n", f"{split}sold\n", 1).replace(
            "Rome\n", f"Rome{split}yes\n"
        )
    (folder / name).write_text(labelled)
    result = run("train", name, "--from", "m", "--save", "m", code=1)
    assert "the model knows none of the " in result.stderr
    assert (folder / "m").read_bytes() == before


def test_a_table_for_a_model_of_vw_text(folder):
    for options in (SMALL, ["--exact"], [*SMALL, "--names", "0"]):
        run("train", "clicks.vw", "--save", "v", *options)
        assert "none of the features" in run("predict", "flat.csv", "--model", "v", code=1).stderr
        run("predict", "new.vw", "--model", "v")
        (folder / "one.vw").write_text("|other x y\n" * 200 + "|user u3\n")
        assert run("predict", "one.vw", "--model", "v").stdout.count("\n") == 201


def test_models_saved_in_python(folder):
    """Also by who has hashed features, and no names."""
    model = LinearClassifier(features="hashed")
    for t in range(40):
        model.learn_one({"free": 1.0, "offer": t % 3}, "spam")
        model.learn_one({"meeting": 1.0}, "ham")
    model.save("p")
    (folder / "w.vw").write_text("| free offer\n| lunch\n")
    assert run("predict", "w.vw", "--model", "p").stdout.count("\n") == 2
    (folder / "w.vw").write_text("| lunch\n")
    assert "none of the features" in run("predict", "w.vw", "--model", "p", code=1).stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("new.csv", "price,rooms\n3,2\n"),
        ("new.jsonl", '{"price": 3, "rooms": 2}\n'),
    ],
)
def test_columns_that_differ_are_one_warning(folder, name, text):
    (folder / name).write_text(text)
    result = run("predict", name, "--model", "m")
    assert result.stderr == ("warning: the model does not know the column rooms, and misses city\n")
    assert result.stdout.count("\n") == 1
    strict = run("predict", name, "--model", "m", "--strict", code=1)
    assert strict.stderr.startswith("error: the model does not know the column rooms, and misses")
    assert strict.stdout == ""


def test_a_model_of_json_knows_its_columns(folder):
    run("train", "live.jsonl", "--label", "y", "--save", "j", *SMALL)
    assert load("j")._schema.kinds == {"user": "text", "age": "number", "ad": "text"}
    assert run("predict", "live.jsonl", "--model", "j").stderr == ""
    run("train", "live.jsonl", "--from", "j", "--save", "j", "--quiet", "--strict")
    (folder / "few.jsonl").write_text('{"age": "old", "user": "u1"}\n')
    assert "few.jsonl, line 1: 'age': 'old' is not a number" in (
        run("predict", "few.jsonl", "--model", "j", code=1).stderr
    )
    (folder / "few.csv").write_text("age,user\n0.5,u1\n")
    assert "misses ad" in run("predict", "few.csv", "--model", "j").stderr


def test_going_on_strictly(folder):
    (folder / "more.csv").write_text("price,city,rooms,sold\n" + "3,Rome,2,yes\n" * 9)
    given = ["train", "more.csv", "--from", "m", "--quiet"]
    assert (
        "error: the model does not know the column rooms" in run(*given, "--strict", code=1).stderr
    )
    assert run(*given, "--save", "n").stderr.count("warning") == 1
    run("train", "more.csv", "--from", "n", "--quiet", "--strict")
    assert "give --from" in run("train", "more.csv", "--label", "sold", "--strict", code=2).stderr


def test_text_in_a_column_of_numbers(folder):
    """The file, the line and the value."""
    (folder / "new.csv").write_text("price,city\n3,Rome\nabc,Rome\n")
    assert "new.csv, line 3: column 'price': 'abc' is not a number" in (
        run("predict", "new.csv", "--model", "m", code=1).stderr
    )
    skipped = run("predict", "new.csv", "--model", "m", "--skip-bad")
    assert skipped.stdout.count("\n") == 1
    parquet.write_table(pa.table({"price": [None, "abc"], "city": ["Rome", "Oslo"]}), "new.parquet")
    assert "new.parquet, row 2: column 'price' was a number" in (
        run("predict", "new.parquet", "--model", "m", code=1).stderr
    )
    asked = run("predict", "new.csv", "--model", "m", "--categorical", "price", code=1).stderr
    assert "column 'price' was a number when the model learned it, and is text" in asked


def test_a_small_file_is_read_like_the_large_one(folder):
    """Categories that look like numbers there are still categories."""
    (folder / "zip.csv").write_text("zip,y\n" + "A1,yes\n77,no\n" * 30)
    run("train", "zip.csv", "--label", "y", "--save", "z", "--exact")
    (folder / "few.csv").write_text("zip\n77\n")
    result = run("predict", "few.csv", "--model", "z")
    assert (result.stdout, result.stderr) == ("no\n", "")
    parquet.write_table(pa.table({"zip": [77]}), "few.parquet")
    assert run("predict", "few.parquet", "--model", "z").stdout == "no\n"


def test_examples_without_features(folder):
    run("train", "clicks.vw", "--save", "v", *SMALL)
    (folder / "w.vw").write_text("|\n")
    assert run("predict", "w.vw", "--model", "v").stdout == "-1\n"


def test_live_input_is_predicted_as_it_comes(folder):
    """Only what the model does not know waits."""
    run("train", "clicks.vw", "--save", "v", *SMALL)
    result = process("predict", "-", "--format", "vw", "--model", "v", input="|user u1\n|x y\n")
    assert result.stdout.count("\n") == 2
    wrong = process("predict", "-", "--format", "vw", "--model", "v", input="|x y\n" * 2000)
    assert wrong.stdout == ""
    assert "none of the features: x|y" in wrong.stderr
