"""`--learner boost` on the command line: every option gives what the booster in Python gives."""

import json
from functools import partial

import command_line
import numpy as np
import pytest
from command_line import run, run_json, with_labels

from regretless import boosting, streams
from regretless.base.state import load
from regretless.cli.learners import LearnerOptions
from regretless.linear import LinearClassifier

BOOST = ["--learner", "boost"]
HASHED = {"features": "hashed", "bits": 18, "names": 100_000}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with labels of two, of three, of all numbers."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    u = X.sum(axis=1) + 0.5 * random.normal(size=300)
    return with_labels(
        tmp_path,
        X,
        covtype=np.where(u > 0, 1, -1),
        three=np.array(["low", "middle", "high"])[np.digitize(u, [-0.5, 0.5])],
        prices=u + 0.25,
    )


trained = partial(command_line.trained, label="y")


def same(found, expected):
    sums, others = found._measured(), expected._measured()
    np.testing.assert_equal(sums, others)
    assert repr(found) == repr(expected)
    return found.weights_ == expected.weights_


def test_train(folder):
    """`regretless train covtype.csv --label y --learner boost --kind bbm --weak 20 --edge 0.1`."""
    command = ["train", "covtype.csv", "--label", "y", *BOOST, "--kind", "bbm", "--weak", 20]
    result = run(*command, "--edge", 0.1, "--save", "m")
    assert "boost, logistic loss, classification" in result.stdout
    expected = trained("covtype.csv", boosting.OnlineBBM(LinearClassifier(**HASHED), n=20)).model
    c, edges = expected.certificate(), expected.edges_
    shown = " ".join(result.stdout.split())
    assert f"mistakes {c.mistakes:,.0f}, certified at most {c.bound:,.0f};" in shown
    assert f"weak learners {edges.min():.3f} to {edges.max():.3f}" in shown
    assert same(load("m"), expected)
    assert same(boosting.OnlineBBM.load("m"), expected)


VARIANTS = {
    "": ("AdaBoostOL", {}, {}),
    "--kind adaboost-ol --weak 3 --seed 5 --loss hinge": (
        "AdaBoostOL",
        {"n": 3, "seed": 5},
        {"loss": "hinge", "seed": 5},
    ),
    "--kind bbm --sampled --rate 0.5": (
        "OnlineBBM",
        {"sampled": True},
        {"rule": "adagrad", "rate": 0.5},
    ),
    "--kind osboost --edge 0.2 --l2 0.01": (
        "OSBoost",
        {"edge": 0.2},
        {"rule": "adagrad", "l2": 0.01},
    ),
    "--kind osboost-ocp --no-intercept": ("OSBoostOCP", {}, {"intercept": False}),
    "--kind osboost --base linear": ("OSBoost", {}, {}),
}
TREES = {
    "--base stump": ("AdaBoostOL", {}, {"depth": 1}),
    "--kind bbm --base tree --weak 7": ("OnlineBBM", {"n": 7}, {}),
    "--kind osboost --base tree --depth 3": ("OSBoost", {}, {"depth": 3}),
}


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("file", ["covtype.csv", "three.csv"])
def test_options(folder, options, exact, file):
    name, own, of_weak = VARIANTS[options]
    weak = LinearClassifier(**HASHED | ({"features": "exact"} if exact else {}) | of_weak)
    expected = trained(file, getattr(boosting, name)(weak, **own))
    command = ["train", file, "--label", "y", *BOOST, *options.split(), "--save", "m"]
    summary = run_json(*command, *(["--exact"] if exact else []))
    assert same(load("m"), expected.model)
    assert summary["mean_loss"] == expected.validation.mean_loss
    assert summary["error"] == expected.validation.error


@pytest.mark.parametrize("options", TREES)
@pytest.mark.parametrize("file", ["covtype.csv", "three.csv"])
def test_trees(folder, options, file):
    name, own, of_weak = TREES[options]
    expected = trained(file, getattr(boosting, name)(boosting.Tree(**of_weak), **own))
    command = ["train", file, "--label", "y", *BOOST, *options.split()]
    summary = run_json(*command, "--save", "m")
    np.testing.assert_equal(load("m")._measured(), expected.model._measured())
    assert repr(load("m")) == repr(expected.model)
    assert summary["error"] == expected.validation.error
    predicted = run("predict", file, "--model", "m").stdout.split()
    (piece,) = streams.read(file, label="y").pieces(expected.model.form())
    wanted = [str(label) for label in expected.model.predict(piece.X).tolist()]
    assert predicted == [label.removesuffix(".0") for label in wanted]
    assert "trees, which have no weights" in run("inspect", "m", code=1).stderr
    compared = ["compare", file, "--label", "y", "--learners", "coin,boost", *options.split()]
    losses = {each["learner"]: each["loss"] for each in run_json(*compared)["learners"]}
    assert losses["boost"] == summary["loss"]
    alone = ["compare", file, "--label", "y", "--learners", "coin"]
    assert losses["coin"] == run_json(*alone)["learners"][0]["loss"]


def test_predict_inspect_passes_and_checkpoints(folder):
    command = ["train", "three.csv", "--label", "y", *BOOST, "--passes", 2]
    run(*command, "--save", "m", "--checkpoint", "ck", "--quiet")
    model = load("m")
    assert model.examples_ == 600
    (piece,) = streams.read("three.csv", label="y").pieces(model.form())
    predicted = run("predict", "three.csv", "--model", "m").stdout.split()
    assert predicted == model.predict(piece.X).tolist()
    found = json.loads(run("inspect", "m", "--json").stdout)
    assert found["class"] == "AdaBoostOL"
    assert (
        "certified at most" in run(*command, "--checkpoint", "ck").stdout
    )  # nothing is left to do


def test_compare(folder):
    """The options are for boost alone; the others learn as without them."""
    command = ["compare", "covtype.csv", "--label", "y", "--learners"]
    both = run_json(*command, "coin,boost", "--kind", "osboost", "--weak", 3)["learners"]
    losses = {each["learner"]: each["loss"] for each in both}
    alone = run_json(*command, "coin")["learners"]
    assert losses["coin"] == alone[0]["loss"]
    train = ["train", "covtype.csv", "--label", "y", *BOOST, "--kind", "osboost", "--weak", 3]
    assert losses["boost"] == run_json(*train, "--names", 0)["loss"]
    kept = run_json("compare", "prices.csv", "--label", "y", "--learners", "coin,boost")
    assert [each["learner"] for each in kept["learners"]] == ["coin"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--kind", "bbm"], "--kind is for --learner boost, not for auto"),
        (["train", "--learner", "pa", "--weak", 3], "--weak is for --learner boost, not for pa"),
        (["train", "--learner", "newton", "--sampled"], "--sampled is for --learner boost"),
        (["train", *BOOST, "--size", 3], "--size is for --learner newton, not for boost"),
        (["compare", "--learners", "coin,pa", "--edge", 0.1], "--edge is for --learner boost"),
        (["train", *BOOST, "--edge", 0.1], "adaboost-ol needs to know none"),
        (["train", "--base", "tree"], "--base is for --learner boost, not for auto"),
        (["train", *BOOST, "--depth", 2], "--depth 2 is for --base tree"),
        (["train", *BOOST, "--base", "stump", "--depth", 2], "a stump has one split"),
        (["train", *BOOST, "--base", "tree", "--rate", 1], "--rate is for linear weak learners"),
        (["train", *BOOST, "--base", "tree", "--bits", 9], "--bits is for linear weak learners"),
    ],
)
def test_what_does_not_fit(folder, arguments, message):
    command, *others = arguments
    assert message in run(command, "covtype.csv", "--label", "y", *others, code=1).stderr


def test_regression_is_refused(folder):
    failed = run("train", "prices.csv", "--label", "y", *BOOST, code=1)
    assert "the boost only classifies" in failed.stderr
    for edge in ("0", "0.5", "nan"):
        run("train", "covtype.csv", "--label", "y", *BOOST, "--edge", edge, code=2)
    run("train", "covtype.csv", "--label", "y", *BOOST, "--weak", 0, code=2)
    run("train", "covtype.csv", "--label", "y", *BOOST, "--kind", "forest", code=2)


def test_a_booster_is_the_call_that_makes_it():
    made = LearnerOptions(learner="boost").make(regression=False)
    assert repr(made.clone()) == repr(made)


# --- forests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("covtype.csv", boosting.Forest),
        ("three.csv", boosting.Forest),
        ("prices.csv", boosting.ForestRegressor),
    ],
)
def test_forest(folder, file, kind):
    """`--learner forest` is what the class of the task learns, and its model predicts."""
    command = ["train", file, "--label", "y", "--learner", "forest", "--trees", 4, "--seed", 3]
    found = run_json(*command, "--save", "m")
    (piece,) = streams.read(file, label="y").pieces(kind().form())
    expected = kind(n=4, seed=3)
    losses = np.concatenate([each.losses for each in expected.validate_many(piece.X, piece.y)])
    assert found["mean_loss"] == pytest.approx(losses.mean(), rel=1e-12)
    assert (load("m").nodes_, repr(load("m"))) == (expected.nodes_, repr(expected))
    printed = run("predict", file, "--model", "m").stdout.split()
    predicted = expected.predict(piece.X).tolist()
    assert printed == [each if isinstance(each, str) else f"{each:g}" for each in predicted]


def test_forest_beside_linear_learners(folder):
    """All learners of `compare` get the names of the features, which trees need."""
    command = ["compare", "covtype.csv", "--label", "y", "--learners", "coin,forest"]
    found = {each["learner"]: each["mean_loss"] for each in run_json(*command)["learners"]}
    alone = run_json("train", "covtype.csv", "--label", "y", "--learner", "coin")["mean_loss"]
    assert found["coin"] == pytest.approx(alone)
    alone = run_json("train", "covtype.csv", "--label", "y", "--learner", "forest")["mean_loss"]
    assert found["forest"] == pytest.approx(alone)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "forest", "--rate", 1], "--rate is for linear learners"),
        (["--learner", "forest", "--loss", "hinge"], "forest has a loss of its own, the logistic loss"),
        (["--learner", "coin", "--trees", 3], "--trees is for --learner forest, not for coin"),
        (["--learner", "forest", "--trees", 0], "--trees=0 must be"),
    ],
)  # fmt: skip
def test_forest_refuses_options_of_others(folder, options, message):
    code = 2 if "=" in message else 1  # 2: refused before the command begins
    result = run("train", "covtype.csv", "--label", "y", *options, code=code)
    assert message in " ".join(result.stderr.split())
