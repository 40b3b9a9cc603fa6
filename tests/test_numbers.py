"""Numbers out of range: refused before anything changes, or counted as 0; NaN is nowhere."""

import math
import pickle

import numpy as np
import pytest

from regretless import boosting, experts, linear, newton, oco
from regretless._core import Diverged
from regretless.certificates import Certificate, LinearCertificate, MistakeBound, Promise
from regretless.checks.subject import state_of

X = {"a": 1.0, "b": -2.0}


def model_state(model):
    return state_of(pickle.loads(pickle.dumps(model)))


# --- certificates -----------------------------------------------------------------------------------


def test_a_bound_that_is_not_a_number_is_infinite():
    bad = math.nan
    certificate = Certificate(3, 1.0, {"one": bad, "two": 2.0}, "none")
    assert certificate.bounds == {"one": math.inf, "two": 2.0}
    assert certificate.bound == 2.0
    assert MistakeBound(3, None, {"one": bad}, "none").bound == math.inf
    promise = Promise("ogd", (2,), bad, 0.0)
    ones = (1.0, 1.0, 1.0)
    run = LinearCertificate.of(3, loss=1.0, linear=bad, gradient_norms=ones, promise=promise)
    assert run.bound == run.bounds["ogd"] == promise.at(1.0) == math.inf
    assert run.holds is False
    assert run.best_possible(1.0) == 0.0


def test_a_regret_that_is_not_a_number_does_not_hold():
    certificate = Certificate(3, math.nan, {"one": 2.0}, "none")
    assert certificate.regret == math.inf
    assert not certificate.holds
    assert Certificate(3, None, {"one": 2.0}, "none").holds is None  # nobody can tell it


# --- examples that are refused ----------------------------------------------------------------------


LEARNERS = [
    linear.LinearRegressor(rule="coin", loss="absolute"),
    linear.LinearRegressor(rule="adagrad"),
    linear.LinearRegressor(rule="ogd", rate=1.0),
    linear.AutoRegressor(loss="absolute"),
    linear.AutoRegressor(),
    linear.PassiveAggressiveRegressor(),
    newton.NewtonRegressor(),
    boosting.GradientBoostingHull(n=3),
    boosting.Stump(),
    boosting.NeuralNet(),
]


@pytest.mark.parametrize("made", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    ("example", "says"),
    [
        ((X, 1e37, 1.0), r"y = 1e\+37 is .*beyond 1e\+?19"),
        ((X, -1e150, 1.0), r"y = -1e\+150 is .*beyond 1e\+?19"),
        ((X, 1.0, 1e20), r"w = 1e\+20 is beyond 1e\+?19; scale the weights"),
        (({"new": 1e20}, 1.0, 1.0), "new"),
    ],
)
def test_what_is_too_large_is_refused(made, example, says):
    model = made.clone()
    model.learn_one(X, 0.5)
    before = model_state(model)
    for _ in range(2):
        with pytest.raises(ValueError, match=says):
            model.learn_one(*example)
        assert model_state(model) == before
    if "new" in example[0]:
        return
    _, y, w = example
    rows = np.array([[1.0, 2.0]] * 3)
    with pytest.raises(ValueError, match=r"\[2\] = "):
        model.learn_many(rows, np.array([1.0, 1.0, y]), np.array([1.0, 1.0, w]))
    assert model_state(model) == before


@pytest.mark.parametrize("made", [*LEARNERS, linear.LinearClassifier(), linear.AutoClassifier()])
def test_a_weight_too_small_to_matter_is_0(made):
    model, twin = made.clone(), made.clone()
    for each in (model, twin):
        each.learn_one(X, True)
    model.learn_one({"c": 1.0}, False, 1e-310)
    model.learn_many(np.ones((2, 3)), [True, False], [1e-200, 1e-20])
    assert model.examples_ == 1
    twin.learn_one({"c": 1.0}, False, 0.0)
    twin.learn_many(np.ones((2, 3)), [True, False], [0.0, 0.0])
    assert model_state(model) == model_state(twin)


DIVERGING = [  # with a feature of 1e19
    linear.LinearClassifier(rule="ogd", rate=1e10, loss="hinge"),
    linear.LinearClassifier(rule="ogd", rate=1e10, loss="hinge", l1=0.1, features="hashed", bits=5),
    linear.LinearClassifier(rule="ogd", rate=1e10, loss="hinge", certify=True),
    linear.OnlineSVM(C=1e10),
    newton.NewtonClassifier(alpha=1e-12, loss="hinge", diagonal=False),
]


@pytest.mark.parametrize("made", DIVERGING, ids=repr)
@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("new", ["a", "f"])
def test_a_label_and_names_of_a_refused_example_are_taken_back(made, known, new):
    """One by one, and in a batch, of which the examples before it are learned."""
    model, labels = made.clone(), ["c", "d", "b"][:known]
    model.decision_one({})  # it has started
    for label in labels:
        model.learn_one({0: 1.0}, label)
    before, twin = model_state(model), pickle.loads(pickle.dumps(model))
    with pytest.raises(Diverged):
        model.learn_one({0: 1e19, 1: 1e19}, new)
    assert model_state(model) == before
    rows, first = np.array([[1.0, 0.0], [2.0, 0.0], [1e19, 1e19]]), ["c", "c"]
    with pytest.raises(Diverged):
        model.learn_many(rows, [*first, new])
    twin.learn_many(rows[:2], first)
    assert model_state(model) == model_state(twin)


@pytest.mark.parametrize("size", [1e9, 1e15, 1e19])
@pytest.mark.parametrize("loss", ["absolute", "squared", "quantile"])
def test_auto_on_large_targets(loss, size):
    model, rng = linear.AutoRegressor(loss=loss), np.random.default_rng(0)
    rows = rng.normal(size=(300, 3))
    model.learn_many(rows, size * np.tanh(rows @ [1.0, -1.0, 0.5]))
    said = model.predict(rows)
    assert np.isfinite(said).all()
    assert np.abs(said).max() > 0.01 * size
    certificate = model.certificate()
    assert certificate.holds
    assert math.isfinite(certificate.bound)


# --- players ----------------------------------------------------------------------------------------


PLAYERS = [experts.Hedge, experts.TwoNorm, experts.NormalHedge, experts.NormalHedgeDT]
PLAYERS = [*PLAYERS, experts.AdaNormalHedge, experts.AdaNormalHedgeTV]


@pytest.mark.parametrize("make", [*PLAYERS, experts.Squint, experts.BOA, experts.MLPoly])
@pytest.mark.parametrize("rare", [0.0, 5e-324, 1e-200])
def test_a_prior_of_nothing_is_refused(make, rare):
    with pytest.raises(ValueError, match=r"prior\[1\] = .* is below 1e-100: .* leave it out"):
        make(3, prior=[0.5, rare, 0.5])


@pytest.mark.parametrize("make", [*PLAYERS, experts.Squint, experts.BOA, experts.MLPoly])
def test_a_rare_expert_has_a_bound(make):
    player = make(3, prior=[0.5, 1e-99, 0.5])
    player.run(np.tile([1.0, 0.0, 0.9], (500, 1)))
    for comparator in (None, 1, [0.2, 0.5, 0.3]):
        certificate = player.certificate(comparator)
        assert certificate.holds
        assert math.isfinite(certificate.regret)
        assert certificate.bound >= certificate.regret


def test_gradients_out_of_range():
    player = oco.OnlineGradientDescent(2, rate=0.1)
    player.update([1.0, 0.0])
    before = model_state(player)
    for bad in (1e76, 1e160, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"gradient\[1\] = .* is not finite, or beyond 1e\+75"):
            player.update(np.array([0.0, bad]))
        with pytest.raises(ValueError, match=r"X\[1, 1\] = .* is not finite, or beyond 1e\+75"):
            player.run([[0.0, 1.0], [0.0, bad]])
        assert model_state(player) == before
    player.update([1e-80, -1e-310])
    assert player.gradient_sum.tolist() == [1.0, 0.0]


def test_a_run_that_diverges_was_not_played():
    player = oco.OnlineGradientDescent(1, rate=1e6)
    player.update([1.0])
    before = model_state(player)
    with pytest.raises(ValueError, match=r"the gradient of round \d+ of this run is beyond 1e\+75"):
        player.run(np.ones((100, 1)), np.ones(100), "squared")
    assert model_state(player) == before
