"""`--learner newton` on the command line: every option gives what the learner in Python gives."""

import json
import os
from functools import partial

import command_line
import numpy as np
import pytest
from command_line import run, run_json, with_labels

from regretless import streams
from regretless.base.state import load
from regretless.cli.learners import LearnerOptions
from regretless.linear import AutoClassifier
from regretless.newton import NewtonClassifier, NewtonRegressor

NEWTON = ["--learner", "newton", "--bits", "12"]
DEFAULT = {"features": "hashed", "bits": 18, "names": 100_000}
HASHED = DEFAULT | {"bits": 12}
MIX = np.array([[1.0, 0.0, 0.0], [30.0, 0.1, 0.0], [-2.0, 0.1, 0.001]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with three correlated columns, and labels of two, of three, of all numbers."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3)) @ MIX
    u = X @ np.linalg.solve(MIX, np.ones(3))
    return with_labels(
        tmp_path,
        X,
        badly_scaled=np.where(u > 0, 1, -1),
        three=np.array(["low", "middle", "high"])[np.digitize(u, [-0.5, 0.5])],
        prices=u + 0.25,
    )


trained = partial(command_line.trained, label="y")


def same_weights(a, b):
    return a.weights_ == b.weights_ and a.intercept_ == b.intercept_


# --- the commands that people type ----------------------------------------------------------------


def test_train(folder):
    """`regretless train badly_scaled.csv --label y --learner newton --sketch oja --size 10`."""
    command = ["train", "badly_scaled.csv", "--label", "y", "--learner", "newton"]
    result = run(*command, "--sketch", "oja", "--size", "10", "--save", "m")
    assert "newton, logistic loss, classification" in result.stdout
    assert "regret to the best lane" in result.stdout
    expected = trained("badly_scaled.csv", NewtonClassifier(**DEFAULT)).model
    model = load("m")
    assert same_weights(model, expected)
    assert model.get_params() == expected.get_params()
    assert NewtonClassifier.load("m").lanes_ == expected.lanes_


def test_second_order_lanes_of_auto(folder):
    """`regretless train badly_scaled.csv --label y --second-order`."""
    run("train", "badly_scaled.csv", "--label", "y", "--second-order", "--save", "m")
    model = load("m")
    expected = trained("badly_scaled.csv", AutoClassifier(second_order=True, **DEFAULT)).model
    assert model.get_params() == expected.get_params()
    assert model.lanes_ == expected.lanes_
    assert len(model.lanes_) == 25


VARIANTS = {
    "--sketch fd --size 2": {"sketch": "fd", "size": 2},
    "--sketch rp --size 5 --seed 3": {"sketch": "rp", "size": 5, "seed": 3},
    "--size 0 --loss squared_hinge": {"size": 0, "loss": "squared_hinge"},
    "--sketch full --alpha 2 --bits 11": {"sketch": "full", "alpha": 2.0, "bits": 11},
    "--alpha 2 --loss hinge --rate 0.5": {"alpha": 2.0, "loss": "hinge", "rate": 0.5},
    "--no-intercept": {"intercept": False},
}


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("exact", [False, True])
def test_options(folder, options, exact):
    kind = HASHED | ({"features": "exact"} if exact else {}) | VARIANTS[options]
    expected = trained("badly_scaled.csv", NewtonClassifier(**kind))
    command = ["train", "badly_scaled.csv", "--label", "y", *NEWTON, *options.split()]
    summary = run_json(*command, "--save", "m", *(["--exact"] if exact else []))
    assert same_weights(load("m"), expected.model)
    assert summary["mean_loss"] == expected.validation.mean_loss


def test_regression_three_labels_and_passes(folder):
    summary = run_json("train", "prices.csv", "--label", "y", *NEWTON, "--save", "m")
    assert (summary["task"], summary["loss_name"]) == ("regression", "squared")
    assert same_weights(load("m"), trained("prices.csv", NewtonRegressor(**HASHED)).model)
    run("train", "three.csv", "--label", "y", *NEWTON, "--save", "m", "--passes", "2", "--quiet")
    assert same_weights(load("m"), trained("three.csv", NewtonClassifier(**HASHED), passes=2).model)


@pytest.mark.parametrize("options", [[], ["--alpha", "1"]])
def test_predict_and_inspect(folder, options):
    run("train", "three.csv", "--label", "y", *NEWTON, *options, "--save", "m", "--quiet")
    model = load("m")
    (piece,) = streams.read("three.csv", label="y").pieces(model.form())
    predicted = run("predict", "three.csv", "--model", "m").stdout.split()
    assert predicted == model.predict(piece.X).tolist()
    assert "low:" in run("predict", "three.csv", "--model", "m", "--probabilities").stdout
    found = json.loads(run("inspect", "m", "--json", "--plot", "w.png").stdout)
    assert (found["class"], found["examples"]) == ("NewtonClassifier", 400)
    assert {each["name"] for each in found["features"]} == {"a", "b", "c"}
    assert found["options"]["alpha"] == (1.0 if options else None)
    assert "label middle" in run("inspect", "m").stdout
    assert (folder / "w.png").exists()


def test_compare(folder):
    """The options are for newton alone; the others learn as without them."""
    command = ["compare", "badly_scaled.csv", "--label", "y", "--bits", "12", "--learners"]
    own = run_json(*command, "newton,adagrad-plain,pa", "--sketch", "fd", "--size", "2")["learners"]
    losses = {each["learner"]: each["loss"] for each in own}
    alone = run_json(*command, "adagrad-plain,pa")
    assert losses.items() > {each["learner"]: each["loss"] for each in alone["learners"]}.items()
    train = ["train", "badly_scaled.csv", "--label", "y", *NEWTON, "--sketch", "fd", "--size", "2"]
    assert losses["newton"] == run_json(*train)["loss"] < losses["adagrad-plain"]


def test_checkpoints_and_certificates(folder):
    command = ["train", "badly_scaled.csv", "--label", "y", *NEWTON, "--alpha", "2"]
    command += ["--certify", "3", "--checkpoint", "ck", "--every", "100"]
    summary = run_json(*command)
    (proved,) = summary["certificates"]
    assert proved["best_possible"] > 0
    assert proved["audited_mean_loss"] == pytest.approx(summary["mean_loss"], rel=1e-9)
    assert os.listdir("ck") == ["checkpoint.safetensors"]
    assert run_json(*command)["certificates"] == summary["certificates"]
    assert "another command" in run(*command, "--size", "3", code=1).stderr
    assert "regret to the best lane" not in run(*command).stdout


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--sketch", "fd"], "--sketch is for --learner newton, not for auto"),
        (["train", *NEWTON, "--second-order"], "--second-order is for --learner auto"),
        (["train", "--learner", "pa", "--size", "3"], "--size is for --learner newton, not for pa"),
        (
            ["train", "--learner", "coin", "--alpha", "3"],
            "--alpha is for --learner newton, not for coin",
        ),
        (
            ["compare", "--learners", "coin,pa", "--size", "0"],
            "--size is for --learner newton, not for coin, pa",
        ),
        (["train", *NEWTON, "--sketch", "full"], "add --exact, or --bits 11"),
        (["train", *NEWTON, "--l1", "1"], "leave out --l1 and --l2"),
        (["train", *NEWTON, "--rate", "1"], "--rate is for a single model"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_bad_options_are_named(folder, arguments, message):
    command, *options = arguments
    result = run(command, "badly_scaled.csv", "--label", "y", *options, "--quiet", code=1)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr


@pytest.mark.parametrize(
    "options", [["--sketch", "nobody"], ["--size", "-1"], ["--size", "1001"], ["--alpha", "0"]]
)
@pytest.mark.parametrize("command", ["train", "compare"])
def test_wrong_usage_is_exit_code_2(folder, command, options):
    assert "Usage" in run(command, "badly_scaled.csv", *options, code=2).stderr


def test_options_are_those_of_the_library():
    made = LearnerOptions(learner="newton").make(regression=False)
    assert made.get_params() == NewtonClassifier(**DEFAULT).get_params()
