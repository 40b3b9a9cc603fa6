"""`regretless train --from`: going on with a model is as if there had been no stop."""

import copy
import json
import pickle

import command_line
import pytest
from command_line import SMALL, run, run_json

from regretless.base.state import load

CUT = 217


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    for name in ("clicks.vw", "three.svm", "prices.svm", "live.jsonl", "spam.csv"):
        lines = (tmp_path / name).read_text().splitlines(keepends=True)
        head = lines[:1] if name == "spam.csv" else []
        (tmp_path / f"first-{name}").write_text("".join(lines[:CUT]))
        (tmp_path / f"then-{name}").write_text("".join(head + lines[CUT:]))
    return tmp_path


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("clicks.vw", ["-q", "ua", "--ignore", "n", *SMALL]),
        ("clicks.vw", ["--exact", "--certify", "3", "--learner", "adagrad", "--rate", "0.3"]),
        ("clicks.vw", ["--learner", "boost", "--weak", "3", "--sampled", "--seed", "4"]),
        ("clicks.vw", ["--learner", "pa", "--no-intercept", "--bits", "8", "--names", "5"]),
        ("clicks.vw", ["--learner", "newton", "--sketch", "fd", "--size", "3"]),
        ("three.svm", SMALL),
        ("clicks.vw", ["--learner", "primal-dual", "--rate", "0.5"]),
        ("prices.svm", ["--loss", "quantile"]),
        ("live.jsonl", ["--label", "y", "--ignore", "ad"]),
        ("spam.csv", ["--label", "spam", "--tag", "name", "--categorical", "age"]),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_two_halves_are_the_whole(folder, source, options):
    """Bit for bit, the file too; what is said of reading and learning is said once."""
    run("train", source, *options, "--save", "whole")
    run("train", f"first-{source}", *options, "--save", "half")
    found = run_json("train", f"then-{source}", "--from", "half", "--save", "both")
    assert (folder / "both").read_bytes() == (folder / "whole").read_bytes()
    assert (folder / "half").read_bytes() != (folder / "whole").read_bytes()
    # what is reported is of the examples of this run
    assert found["examples"] == 600 - CUT + (source == "spam.csv")
    assert found["learner"] == type(load("both")).__name__


def test_models_of_python(folder):
    """Are gone on with too, and a model may be written in its own place."""
    command_line.trained("first-clicks.vw").model.save("m")
    run("train", "then-clicks.vw", "--from", "m", "--save", "m")
    assert command_line.same_weights(load("m"), command_line.trained("clicks.vw").model)


def test_checkpoints_and_passes(folder):
    """The same command, started again, goes on; another model makes it another command."""
    run("train", "first-clicks.vw", "--save", "m", *SMALL)
    command = ["train", "then-clicks.vw", "--from", "m", "--passes", "2", "--holdout", "3"]
    alone = run_json(*command)
    first = run_json(*command, "--checkpoint", "ck", "--every", "50")
    again = run_json(*command, "--checkpoint", "ck", "--every", "50")
    assert alone["loss"] == first["loss"] == again["loss"]
    assert alone["holdout_mean_loss"] == first["holdout_mean_loss"] == again["holdout_mean_loss"]
    (folder / "m").rename("n")
    command[3] = "n"
    result = run(*command, "--checkpoint", "ck", "--every", "50", code=1)
    assert "(start differ)" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--learner", "coin"],
        ["--loss", "hinge"],
        ["--bits", "18"],  # as by default: a model may have others
        ["--rate", "1"],
        ["--l2", "0"],
        ["--exact"],
        ["--no-intercept"],
        ["--names", "3"],
        ["--seed", "0"],
    ],
    ids=" ".join,
)
def test_what_the_model_brings_is_refused(folder, options):
    """Even where it would be the same."""
    run("train", "first-clicks.vw", "--save", "m", *SMALL)
    shown = " ".join(run("train", "then-clicks.vw", "--from", "m", *options, code=2).stderr.split())
    assert f"{options[0]} was settled when m was made" in shown.replace("│ ", "")


@pytest.mark.parametrize(
    ("model", "source", "message"),
    [
        ("missing", "clicks.vw", "missing: No such file"),
        ("clicks.vw", "clicks.vw", "clicks.vw is not a model file"),
        ("t", "prices.svm", "t holds a AutoClassifier, and these labels are numbers with many"),
        ("t", "halves.svm", "t holds a AutoClassifier, and these labels are numbers that are not"),
        ("t", "clicks.vw", "the model knows none of the features: user|u"),
        ("mixture", "clicks.vw", "mixture holds a AdaNormalHedge, which is not a learner"),
    ],
)
def test_what_cannot_be_gone_on_with(folder, model, source, message):
    from regretless.experts import AdaNormalHedge

    run("train", "first-clicks.vw", "--save", "m", *SMALL)
    run("train", "three.svm", "--save", "t", *SMALL)
    (folder / "halves.svm").write_text("0.5 1:1\n1.5 2:1\n" * 20)
    AdaNormalHedge(3).save("mixture")
    before = (folder / "m").read_bytes()
    result = run("train", source, "--from", model, "--save", "m", "--quiet", code=1)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert (folder / "m").read_bytes() == before


def test_predictions_are_those_of_the_whole(folder):
    """With columns and interactions that only the first command has named."""
    run("train", "clicks.vw", "-q", "ua", "--save", "whole", *SMALL)
    run("train", "first-clicks.vw", "-q", "ua", "--save", "m", *SMALL)
    run("train", "then-clicks.vw", "--from", "m", "--save", "m")
    expected = run("predict", "new.vw", "--model", "whole", "--raw").stdout
    assert run("predict", "new.vw", "--model", "m", "--raw").stdout == expected
    assert json.loads(run("inspect", "m", "--json").stdout)["examples"] == 600


def test_other_formats_do_not_make_a_model_forget(folder):
    """What was said of columns says nothing about VW text, and is still needed for the next table."""
    (folder / "a.csv").write_text("name,age,zip,y\n" + "e,0.5,7,1\nf,0.25,8,-1\n" * 9)
    options = ["--label", "y", "--ignore", "name", "--categorical", "zip"]
    run("train", "a.csv", *options, "--save", "m", "--exact")
    clicks = (folder / "clicks.vw").read_text().splitlines()
    (folder / "aged.vw").write_text("\n".join(f"{line} | age:0.5" for line in clicks))
    run("train", "aged.vw", "--from", "m", "--save", "m")
    run("train", "a.csv", "--from", "m", "--save", "m")
    names = {name for name in load("m").weights_ if "|" not in name}
    assert names == {"age", "zip=7", "zip=8"}


def test_python_keeps_what_a_command_has_said_of_reading(folder):
    """Loaded, learned from, copied and saved again, a model still knows its interactions."""
    run("train", "clicks.vw", "-q", "ua", "--ignore", "n", "--save", "m", *SMALL)
    expected = run("predict", "new.vw", "--model", "m", "--raw").stdout
    model = copy.deepcopy(pickle.loads(pickle.dumps(load("m"))))
    model.save("again")
    assert (folder / "again").read_bytes() == (folder / "m").read_bytes()
    assert run("predict", "new.vw", "--model", "again", "--raw").stdout == expected
    model.learn_one({"user|u1": 1.0}, 1.0)
    type(model).load("again").save("twice")
    assert (folder / "twice").read_bytes() == (folder / "m").read_bytes()
    # one that begins anew was read from nowhere
    fresh = model.clone()
    fresh.learn_one({"a": 1.0}, 1.0)
    fresh.save("fresh")
    assert b"interactions" not in (folder / "fresh").read_bytes()
    assert b"interactions" in (folder / "m").read_bytes()
