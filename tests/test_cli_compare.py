"""`regretless compare`: several learners in one pass."""

import re

import command_line
import pytest
from command_line import SMALL, run, run_json

from regretless import streams
from regretless.cli.learners import learner_names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


def test_compare_is_separate_trainings_in_one_pass(folder, monkeypatch):
    """The files are read once."""
    learners = learner_names()
    alone = {
        name: run_json(
            "train", "clicks.vw", "--learner", name, *(SMALL if name != "forest" else ())
        )
        for name in learners  # trees do not hash features
    }
    read = []
    pieces = streams.reading.TextStream.pieces
    monkeypatch.setattr(
        streams.reading.TextStream,
        "pieces",
        lambda self, *a, **k: read.append(1) or pieces(self, *a, **k),
    )
    together = run_json("compare", "clicks.vw", "--learners", ",".join(learners), *SMALL)[
        "learners"
    ]
    assert len(read) == 1
    assert [each["loss"] for each in together] == sorted(each["loss"] for each in together)
    for each in together:
        for name in ("loss", "error", "auc", "loss_name", "examples"):
            assert each[name] == alone[each["learner"]][name]


def test_compare_regressors(folder):
    """The perceptron is left out; curves are of the squared error."""
    result = run("compare", "prices.svm", "--plot", "c.svg", "--exact")
    assert "perceptron only classifies" in result.stderr
    assert "root mean" in result.stdout
    assert (folder / "c.svg").exists()
    one_loss = run("compare", "prices.svm", "--learners", "coin,ogd", "--loss", "absolute", *SMALL)
    assert "absolute" in one_loss.stdout
    assert "cannot be compared" not in one_loss.stdout
    run("compare", "prices.svm", "--learners", "perceptron", code=1)


def test_who_fails_is_named_and_the_others_go_on(folder):
    """Before the first example, or in the middle: by its options, or by the data."""
    lines = (folder / "clicks.vw").read_text().splitlines(keepends=True)
    lines[300:300] = ["1 |user year:2026\n"]  # which winnow does not take
    (folder / "years.vw").write_text("".join(lines))
    command = ["compare", "years.vw", *SMALL]
    learners = ["--learners", "coin,winnow,newton,perceptron", "--sketch", "full", "--bits", "14"]
    result = run(*command, *learners, "--plot", "c.png")
    assert "winnow is left out: a feature" in result.stderr
    assert "newton is left out: --sketch full keeps a matrix" in result.stderr
    assert re.search(r"^ *winnow +failed *$", result.stdout, re.M)
    assert re.search(r"^ *newton +failed *$", result.stdout, re.M)
    found = run_json(*command, *learners)
    assert {each["learner"] for each in found["learners"]} == {"coin", "perceptron"}
    assert set(found["failed"]) == {"winnow", "newton"}
    alone = run_json(*command, "--learners", "coin,perceptron")
    assert alone["failed"] == {}
    for together, apart in zip(found["learners"], alone["learners"]):
        assert together["loss"] == apart["loss"]
        assert together["examples"] == 601


def test_every_learner_is_certified(folder):
    """Those that mix others, too; scores that are closer to the truth may prove more."""
    learners = "auto,newton,boost,coin,perceptron,pa,winnow,primal-dual,svm"
    command = ["compare", "live.jsonl", "--label", "y", "--ignore", "age", "--learners", learners]
    found = run_json(*command, "--certify", "1,3", *SMALL)
    assert found["failed"] == {}
    for each in found["learners"]:
        small, large = each["certificates"]
        assert (small["norm"], large["norm"]) == (1, 3)
        assert small["best_possible"] > large["best_possible"] > 0
        if each["loss_name"] != "perceptron":
            assert small["audited_mean_loss"] == pytest.approx(each["mean_loss"], rel=1e-9)
    shown = " ".join(run(*command, "--certify", "1,3", *SMALL).stdout.split())
    assert "of norm 1" in shown
    assert "of norm 3" in shown


def test_a_loss_that_cannot_be_audited_is_left_out(folder):
    command = ["compare", "clicks.vw", "--learners", "coin,pa", "--loss", "exponential"]
    result = run(*command, "--certify", "1", *SMALL)
    assert "coin is left out: loss=Exponential() cannot be audited; these can" in result.stderr


def test_if_all_fail_it_is_an_error(folder):
    """With the reason of each."""
    (folder / "years.vw").write_text("1 | a:1\n-1 | a:40\n")
    result = run("compare", "years.vw", "--learners", "winnow", "--quiet", code=1)
    reason, error = result.stderr.splitlines()
    assert reason.startswith("winnow is left out: a feature")
    assert error == "error: all learners failed (winnow), as said above"
    assert result.stdout == ""
