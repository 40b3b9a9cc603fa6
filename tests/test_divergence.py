"""A learner that runs away says where, and what to do that has not been done."""

import math
import random

import numpy as np
import pytest
from command_line import process, run, run_json

from regretless import linear, newton, rules
from regretless._core import Diverged
from regretless.base.state import load
from regretless.linear import Auto, LinearClassifier, LinearRegressor, PassiveAggressiveRegressor

ADAGRAD = rules.AdaGrad(scale_invariant=True)


def table(path, rows=300, seed=1):
    """A table without scale: dollars and ratios, a house in a million."""
    rng = random.Random(seed)
    lines = ["dollars,ratio,y\n"]
    for t in range(rows):
        dollars, ratio = rng.lognormvariate(12, 3), rng.random() * 1e-6
        lines.append(f"{dollars:.2f},{ratio!r},{(3 * dollars + 1e9 * ratio) * 1e3 + 0.5:.3f}\n")
        if t % 10 == 0:
            lines.append("\n")  # lines are not examples
    path.write_text("".join(lines))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "unscaled.csv")
    return tmp_path


def test_adagrad_takes_unscaled_data(folder):
    """And any units of the features give the same."""
    given = [
        "--label",
        "y",
        "--loss",
        "squared",
        "--learner",
        "adagrad",
        "--exact",
        "--rate",
        "0.5",
    ]
    summary = run_json("train", "unscaled.csv", *given, "--save", "m")
    assert math.isfinite(summary["loss"])
    assert load("m").rule == rules.AdaGrad(scale_invariant=True)
    assert load("m").rate == 0.5
    rows = [line.split(",") for line in (folder / "unscaled.csv").read_text().split()[1:]]
    others = "".join(f"{float(a) * 2**-20!r},{float(b) * 2**20!r},{y}\n" for a, b, y in rows)
    (folder / "scaled.csv").write_text("dollars,ratio,y\n" + others)
    again = run_json("train", "scaled.csv", *given)
    assert again["loss"] == pytest.approx(summary["loss"], rel=1e-3)


@pytest.mark.parametrize("invariant", [True, False])
@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
def test_no_square_of_a_feature_leaves_single_precision(scale, invariant):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 3)), 1e9 * rng.normal(size=500)
    models = [
        LinearRegressor(rule=rules.AdaGrad(scale_invariant=True, invariant=invariant))
        for _ in range(2)
    ]
    models[0].learn_many(X, y)
    models[1].learn_many(scale * X, y)
    assert models[1].loss_ == pytest.approx(models[0].loss_, rel=1e-4)
    np.testing.assert_allclose(models[1].predict(scale * X), models[0].predict(X), rtol=1e-2)


def test_the_plain_one_can_be_asked_for(folder):
    given = [
        "train",
        "unscaled.csv",
        "--label",
        "y",
        "--loss",
        "absolute",
        "--exact",
        "--save",
        "m",
    ]
    run(*given, "--learner", "adagrad-plain", "--rate", "1e-3", "--l2", "1e-6")
    assert load("m").rule == rules.AdaGrad()
    assert load("m").l2 == 1e-6
    said = run(*given, "--learner", "adagrad", "--l2", "1e-6", code=1).stderr
    assert "--learner adagrad takes no penalty; use --learner adagrad-plain, ftrl or ogd" in said


WILD = {"ogd": "1", "adagrad-plain": "1e19", "pnorm": "1e3"}


@pytest.mark.parametrize("learner", WILD)
def test_the_command_names_file_line_and_example(folder, learner):
    """In its own language: options, not arguments."""
    lines = ["1,2,3\n"] * 5 + ["\n"] * 3 + ["1e18,1,1e19\n", "1e19,1e19,1\n"] * 20
    (folder / "wild.csv").write_text("a,b,y\n" + "".join(lines))
    given = ["--label", "y", "--loss", "squared", "--exact", "--quiet"]
    rated = ["--learner", learner, "--rate", WILD[learner]]
    said = run("train", "wild.csv", *given, *rated, code=1).stderr
    assert said.startswith("error: wild.csv, line ")
    line = int(said.split("line ")[1].split()[0])
    example = int(said.split("(example ")[1].split(")")[0])
    assert line == example + 4 > 9  # a header and three blank lines
    assert said.endswith(
        "the score overflowed; lower --rate, scale the features, or use --learner adagrad, which needs "
        "no scale, or coin, which needs no rate either\n"
    )
    assert "rule=" not in said
    compared = run("compare", "wild.csv", *given, "--learners", "ogd,coin", code=1)
    assert "ogd is left out: wild.csv, line 10 (example 6)" in compared.stderr


def test_a_target_too_large_is_named_with_file_and_line(folder):
    (folder / "far.csv").write_text("a,y\n1,2\n\n3,1e30\n")
    given = ["far.csv", "--label", "y", "--loss", "squared", "--quiet"]
    told = "far.csv, line 4: y = 1e+30 is beyond 1e19; scale the targets\n"
    assert run("train", *given, code=1).stderr == f"error: {told}"
    assert f"coin is left out: {told}" in run("compare", *given, code=1).stderr


def test_no_learner_is_advised_to_use_itself():
    """On the command line and in Python."""
    from regretless.cli.learners import LearnerOptions, learner_names

    for learner in learner_names():
        text = LearnerOptions(learner=learner, alpha=1.0 * (learner == "newton") or None).advice()
        assert f"--learner {learner}," not in text
        assert f"or {learner}," not in text
    for rule in [*rules.RULES, ADAGRAD]:
        advice = rules.get(rule).advice()
        assert f"rule='{rule}'" not in advice
        if rule == ADAGRAD:
            assert "scale_invariant" not in advice


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (LinearRegressor(loss="absolute"), "Scale the features and the targets"),
        (
            LinearRegressor(rule="ogd", rate=1.0),
            "Lower the rate, scale the features, or use rule='coin'",
        ),
        (LinearRegressor(rule="adagrad"), "AdaGrad(scale_invariant=True)"),
        (LinearRegressor(rule=ADAGRAD), "Lower the rate, or use rule='coin', which has none"),
        (Auto(loss="absolute"), "Scale the features and the targets"),
        (PassiveAggressiveRegressor(), "or use LinearRegressor()"),
        (linear.Perceptron(), "or use LinearClassifier()"),
        (newton.NewtonRegressor(alpha=1.0), "Raise alpha, scale the features, or leave alpha out"),
        (newton.NewtonRegressor(), "or use LinearRegressor()"),
    ],
    ids=repr,
)
def test_the_advice_depends_on_the_learner(model, advice):
    model._start()
    assert advice in model._model.advice


def test_one_example_and_many(folder):
    one = LinearRegressor(rule="ogd", rate=1.0)
    said = r"overflowed, and the example was not learned\. Lower"
    with pytest.raises(Diverged, match=said) as caught:
        one.learn_one({"a": 1e18}, 1e19)
    assert caught.value.example == 0


def test_a_batch_that_is_cut_by_new_labels():
    """The number is that of the example in the call."""
    model = LinearClassifier(rule=rules.OGD(rate=1.0), loss="squared_hinge")
    X = np.array([[0.1], [0.2], [0.1], [0.2], [1e6], [1e19], [1e19], [1e19]])
    y = ["a", "b", "c", "d", "e", "f", "a", "b"]
    with pytest.raises(Diverged) as caught:
        model.learn_many(X, y)
    assert caught.value.example == model.examples_ > 3
    assert f"at example {model.examples_} of this call; the examples before" in str(caught.value)


def test_going_on_with_a_model(folder):
    (folder / "calm.csv").write_text("a,y\n" + "1,0.5\n2,1.5\n" * 20)
    run("train", "calm.csv", "--label", "y", "--learner", "ogd", "--rate", "0.01", "--save", "m")
    (folder / "wild.csv").write_text("a,y\n" + "1e18,1e19\n1e19,1\n" * 20)
    said = run("train", "wild.csv", "--from", "m", code=1).stderr
    assert "wild.csv, line " in said
    assert "train anew without --from m" in said


def test_standard_input_has_lines_too(folder):
    text = "1 | a:1\n\n" + "1e19 | a:1e18\n1 | a:1e19\n" * 20
    given = ["--format", "vw", "--loss", "squared", "--learner", "ogd", "--rate", "1", "--quiet"]
    said = process("train", "-", *given, input=text).stderr
    assert said.startswith("error: -, line ")
