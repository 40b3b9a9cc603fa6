"""`regretless predict`: what the model says, one line for each example."""

import json
import subprocess
import sys

import command_line
import numpy as np
import pytest
from command_line import ENVIRONMENT, SMALL, examples, run, trained

from regretless import streams
from regretless.base.state import load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


def test_predictions_are_those_of_the_model(folder):
    """Labels, probabilities and scores, each with the example's tag."""
    run("train", "clicks.vw", "-q", "ua", "--save", "m", *SMALL)
    model = load("m")
    (piece,) = streams.read("clicks.vw", interactions=["ua"]).pieces(model.form())
    batch = piece.X
    expected = {
        None: [f"{label:g}" for label in model.predict(batch).tolist()],
        "--probabilities": [f"{p:g}" for p in model.predict_proba(batch)[:, 1].tolist()],
        "--raw": [f"{score:g}" for score in model.decision_function(batch).tolist()],
    }
    for option, lines in expected.items():
        options = [] if option is None else [option]
        # the interactions come from the model's file
        tagged = run("predict", "clicks.vw", "--model", "m", *options).stdout.splitlines()
        assert tagged == [f"{line} e{t}" for t, line in enumerate(lines)]
        # without labels and tags
        assert run("predict", "new.vw", "--model", "m", *options).stdout.splitlines() == lines


def test_three_labels(folder):
    """One probability for each."""
    run("train", "three.svm", "--save", "m", "--exact")
    model = load("m")
    (piece,) = streams.read("three.svm").pieces(model.form())
    line = run("predict", "three.svm", "--model", "m", "--probabilities").stdout.splitlines()[7]
    parts = dict(part.split(":") for part in line.split(","))
    assert list(parts) == [f"{label:g}" for label in model.classes_.tolist()]
    np.testing.assert_allclose(
        [float(p) for p in parts.values()], model.predict_proba(piece.X)[7], rtol=1e-5
    )
    raw = run("predict", "three.svm", "--model", "m", "--raw").stdout.splitlines()
    assert len(raw) == 600
    assert raw[0].count(":") == 3
    found = json.loads(run("inspect", "m", "--json", "--top", "2").stdout)
    assert [each["label"] for each in found["features"]] == [
        label for label in found["labels"] for _ in range(2)
    ]
    assert "label 2" in run("inspect", "m").stdout


def test_predictions_of_a_regressor(folder):
    """Numbers, and no probabilities."""
    run("train", "prices.svm", "--save", "m", "--exact")
    (piece,) = streams.read("prices.svm").pieces(load("m").form())
    expected = [f"{each:g}" for each in load("m").predict(piece.X).tolist()]
    assert run("predict", "prices.svm", "--model", "m").stdout.splitlines() == expected
    result = run("predict", "prices.svm", "--model", "m", "--probabilities", code=1)
    assert "no probabilities" in result.stderr


def test_a_model_remembers_its_columns(folder):
    """New examples are read like those of the training: the label is no feature."""
    run("train", "spam.csv", "--label", "spam", "--tag", "name", "--save", "m", *SMALL)
    assert not any("spam" in str(name) for name in load("m").weights_)
    lines = run("predict", "spam.csv", "--model", "m").stdout.splitlines()
    assert lines[1].split()[1] == "e1"
    assert {line.split()[0] for line in lines} == {"spam", "ham"}


def test_new_examples_have_no_column_of_labels(folder):
    """Which the model's file names."""
    run("train", "spam.csv", "--label", "spam", "--ignore", "name", "--save", "m", *SMALL)
    expected = run("predict", "spam.csv", "--model", "m").stdout
    lines = (folder / "spam.csv").read_text().splitlines()
    (folder / "new.csv").write_text("\n".join(line.rpartition(",")[0] for line in lines) + "\n")
    assert run("predict", "new.csv", "--model", "m").stdout == expected


def test_models_saved_in_python(folder):
    """Are read too."""
    trained("clicks.vw").model.save("m")
    assert run("predict", "clicks.vw", "--model", "m").stdout.count("\n") == 600


def test_who_reads_our_output_may_stop(folder):
    """As `head` does."""
    (folder / "long.vw").write_text((folder / "clicks.vw").read_text() * 50)
    run("train", "clicks.vw", "--save", "m", *SMALL)
    program = f"{sys.executable} -m regretless predict long.vw --model m | head -1"
    result = subprocess.run(
        program, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert result.stdout.endswith("e0\n")
    assert result.stderr == ""


def test_what_a_model_remembers_of_columns_says_nothing_about_vw(folder):
    """The column that was ignored is no namespace of the same name."""
    rows = [(age, f"u{user}", y) for _, user, _, age, y in examples()]
    lines = [f"{t},{age},{user},{y}\n" for t, (age, user, y) in enumerate(rows)]
    (folder / "a.csv").write_text("n,n|age,n|user,y\n" + "".join(lines))
    options = ["--label", "y", "--ignore", "n", "--categorical", "n|user", "--numeric", "n|age"]
    run("train", "a.csv", *options, "--save", "m", "--exact")
    (folder / "a.vw").write_text("".join(f"|n age:{age} user={user}\n" for age, user, _ in rows))
    expected = run("predict", "a.csv", "--model", "m", "--raw").stdout
    assert len(set(expected.splitlines())) > 100
    assert run("predict", "a.vw", "--model", "m", "--raw").stdout == expected


def test_interactions_need_namespaces(folder):
    """Of a model that has them."""
    run("train", "clicks.vw", "-q", "ua", "--save", "m", *SMALL)
    result = run("predict", "live.jsonl", "--model", "m", code=1)
    assert "interactions of namespaces (-q, --cubic), and jsonl has no namespaces" in result.stderr
