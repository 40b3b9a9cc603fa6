"""`regretless inspect`: what is in a model."""

import json
import re

import command_line
import pytest
from command_line import SMALL, run

from regretless.base.state import load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


def test_inspect(folder):
    """The strongest features by name, the strongest first."""
    run("train", "clicks.vw", "--save", "m", *SMALL)
    found = json.loads(run("inspect", "m", "--json", "--top", "5", "--plot", "w.svg").stdout)
    model = load("m")
    strongest = sorted(model.weights_.items(), key=lambda item: -abs(item[1]))[:5]
    assert [(each["name"], each["weight"]) for each in found["features"]] == strongest
    assert (found["class"], found["examples"]) == ("AutoClassifier", 600)
    assert found["labels"] == [-1, 1]
    assert found["mean_loss"] == pytest.approx(model.loss_ / model.weight_)
    assert (folder / "w.svg").read_text().startswith("<?xml")
    assert "speaks for 1" in run("inspect", "m").stdout


def test_names_that_are_not_remembered(folder):
    """Are shown as rows."""
    run("train", "clicks.vw", "--names", "0", "--save", "m", *SMALL)
    names = [each["name"] for each in json.loads(run("inspect", "m", "--json").stdout)["features"]]
    assert all(re.fullmatch(r"#\d+", name) for name in names)
    run("train", "three.svm", "--loss", "squared", "--save", "m", *SMALL)
    names = [each["name"] for each in json.loads(run("inspect", "m", "--json").stdout)["features"]]
    assert set(names) <= {str(column) for column in range(1, 17)}
