"""Online to batch against oracles: averages, every way with every learner, errors."""

import copy
import math

import numpy as np
import pandas as pd
import pytest
from reference.batches import CLASSIFIERS, blobs, iterates, rows_of
from scipy import sparse

import regretless.linear
from regretless import losses, streams
from regretless.batch import online_to_batch, stochastic_mirror_descent
from regretless.batch.online_to_batch import HOWS, Judge
from regretless.batch.predictor import WeightMean
from regretless.domains import Ball
from regretless.linear import (
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
)
from regretless.oco import DoublingTrick, OnlineGradientDescent

REGRESSORS = [
    LinearRegressor(),
    LinearRegressor(rule="adagrad", loss="absolute"),
    LinearRegressor(intercept=False),
    PassiveAggressiveRegressor(),
]
EVERY_LINEAR = [*CLASSIFIERS, *REGRESSORS]
every_linear = pytest.mark.parametrize("learner", EVERY_LINEAR, ids=repr)
every_how = pytest.mark.parametrize("how", HOWS)


def data_for(learner, rounds=60):
    X, y = blobs(rounds)
    return (X, y) if learner.classifies else (X, X @ [0.5, -1.0, 0.2, 0.0] + 0.1)


def score(learner, x, label=None):
    """The score by the weights; that of the coin rule damps features larger than all before."""
    weights = learner.weights_ if label is None else learner.weights_[label]
    first = learner.intercept_ if label is None else learner.intercept_[label]
    return sum(weights.get(name, 0.0) * value for name, value in x.items()) + first


# -- averages ------------------------------------------------------------------------------------


def test_all_linear_learners_are_in_the_table():
    assert {type(each).__name__ for each in EVERY_LINEAR} >= {
        "LinearClassifier",
        "LinearRegressor",
        "PassiveAggressive",
        "PassiveAggressiveRegressor",
        "Perceptron",
    }
    assert set(regretless.linear.__all__) >= {type(each).__name__ for each in EVERY_LINEAR}


def test_the_averaged_perceptron_of_the_text():
    X = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]]
    y = [1, -1, 1, -1, 1]
    predictor = online_to_batch(Perceptron(intercept=False), list(zip(X, y)))
    # Mohri et al. (2018), section 8.3.1, golden
    assert predictor.hypothesis.weights_ == {0: 1.4, 1: 1.0}


def test_averaged_gradient_descent_is_that_of_numpy():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((300, 5)), rng.standard_normal(300)
    w, total = np.zeros(6), np.zeros(6)
    for x, target in zip(X, y):
        one = np.append(x, 1.0)
        total += w
        w = w - 0.02 * np.sign(w @ one - target) * one
    options = {"rule": regretless.rules.OGD(rate=regretless.rates.Constant(0.02))}
    learner = LinearRegressor(loss=losses.Absolute(), **options)
    mean = online_to_batch(learner, (X, y)).hypothesis
    found = [mean.weights_[k] for k in range(5)] + [mean.intercept_]
    # the learner keeps weights in single precision: 300 roundings of 2^-24 of weights below 1
    assert found == pytest.approx(total / 300, abs=300 * 2.0**-24)


@every_linear
def test_the_average_is_the_mean_of_the_iterates(learner):
    X, y = data_for(learner)
    examples = list(zip(rows_of(X), y.tolist()))
    mean = online_to_batch(learner, examples).hypothesis
    played = list(iterates(learner, examples))
    for x in rows_of(X[:5]):
        scores = [score(each, x) for each in played]
        size = max(map(abs, scores))
        # a feature is read in single precision: 5 terms, each of about the size of the score
        assert mean.decision_one(x) == pytest.approx(
            np.mean(scores), abs=30 * 2.0**-24 * (1 + size)
        )


@every_linear
def test_an_average_is_charged_before_the_example_is_learned(learner):
    X, y = data_for(learner)
    examples = list(zip(rows_of(X), y.tolist()))
    loss = losses.Squared()
    if learner.classifies:
        loss = losses.Hinge() if isinstance(learner, Perceptron) else learner._parts()[0]
    charged = []
    for each, (x, target) in zip(iterates(learner, examples), examples):
        sign = {"no": -1.0, "yes": 1.0}.get(target, target)
        charged.append(loss.value(score(each, x), sign))
    mean = online_to_batch(learner, examples)
    # features in single precision: a relative error of 2^-24 in each of 5 terms, or its square
    assert mean.empirical == pytest.approx(np.mean(charged), rel=1e-5)


def by_label(learner, x):
    labels = learner._labels.labels
    if len(labels) > 2:
        return {label: score(learner, x, label) for label in labels}
    # one lane is about the second label, and that of a lone label about all others
    return dict(zip(labels, (-score(learner, x), score(learner, x)))) if labels else {}


def test_the_average_follows_labels_that_come_late():
    X, y = blobs(90, labels=("c", "b", "d", "a"), seed=2)
    examples = list(zip(rows_of(X), y.tolist()))
    learner = LinearClassifier()
    mean = online_to_batch(learner, examples).hypothesis
    probe = rows_of(X)[7]
    # after "c" alone, "b" takes the place before it: what was "not c" becomes "b"
    played = list(iterates(learner, examples))
    lanes = [by_label(each, probe) for each in played]
    lanes[1]["b"] = -lanes[1]["c"]
    expected = {label: np.mean([lane.get(label, 0.0) for lane in lanes]) for label in "abcd"}
    assert mean.classes_.tolist() == ["b", "c", "d", "a"]
    found = dict(zip("bcda", mean.decision_one(probe)))
    assert found == pytest.approx(expected, abs=1e-5)
    assert max(map(abs, expected.values())) > 0.1
    assert mean.predict_one(probe) == max(expected, key=expected.__getitem__)
    assert sum(mean.predict_proba_one(probe).values()) == pytest.approx(1.0)


@pytest.mark.parametrize("features", ["exact", "hashed"])
def test_all_forms_of_a_batch_are_predicted_alike(features):
    X, y = blobs(80, labels=("a", "b", "c"))
    X[np.abs(X) < 0.3] = 0.0
    mean = online_to_batch(LinearClassifier(features=features, bits=12), (X, y))
    one_by_one = [mean.predict_one(row) for row in rows_of(X)]
    assert mean.predict(X).tolist() == one_by_one
    assert mean.predict(sparse.csr_array(X)).tolist() == one_by_one
    assert mean.predict(rows_of(X)).tolist() == one_by_one
    scores = np.array([mean.hypothesis.decision_one(row) for row in X])
    assert mean.hypothesis.decision_function(sparse.csr_array(X)[5:]) == pytest.approx(
        scores[5:], rel=1e-6, abs=1e-6
    )
    assert len(set(one_by_one)) == 3


@pytest.mark.parametrize("features", ["exact", "hashed"])
def test_categories_and_unknown_features(features):
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 0.0, 3.0] * 5, "colour": ["red", "blue", None, "red"] * 5}
    )
    y = np.array([1.0, -2.0, 0.5, 3.0] * 5)
    rows = [
        {"size": s} | ({"colour": c} if isinstance(c, str) else {})
        for s, c in zip(frame["size"], frame["colour"])
    ]
    learner = LinearRegressor(features=features)
    mean = online_to_batch(learner, list(zip(rows, y.tolist())))
    assert mean.predict(frame) == pytest.approx([mean.predict_one(x) for x in rows], rel=1e-6)
    assert mean.predict(frame).std() > 0.5
    assert mean.predict_one({"size": 1.0, "new": 7.0}) == mean.predict_one({"size": 1.0})
    assert mean.predict(pd.DataFrame({"colour": ["green"], "size": [1.0]})) == pytest.approx(
        mean.predict_one({"size": 1.0})
    )
    if features == "exact":
        assert set(mean.hypothesis.weights_) == {"size", "colour=red", "colour=blue"}


def test_the_average_stays_when_the_learner_learns_on():
    X, y = blobs(40)
    predictor = online_to_batch(LinearClassifier(), (X, y))
    before = predictor.predict(X).tolist()
    predictor.learner.learn_one({"new": 3.0}, "maybe")
    assert predictor.predict(X).tolist() == before
    assert predictor.hypothesis.classes_.tolist() == ["no", "yes"]


def test_features_that_are_not_finite_are_named():
    mean = online_to_batch(LinearRegressor(), (np.eye(3), np.arange(3.0)))
    with pytest.raises(ValueError, match=r"X\[1\] has a score of"):
        mean.predict(np.array([[0.0, 1.0, 0.0], [math.nan, 0.0, 0.0]]))


@pytest.mark.parametrize(
    ("learner", "labels"),
    [
        (LinearClassifier(), ("b", "a")),
        (LinearClassifier(), (False, True)),
        (LinearClassifier(loss="hinge", rule="adagrad"), ("c", "b", "d", "a")),
        (PassiveAggressive(), (3, 1, 2)),
    ],
    ids=repr,
)
def test_the_score_is_charged_as_the_learner_charges_itself(learner, labels):
    X, y = blobs(100, labels=labels)
    predictor = online_to_batch(learner, (X, y), "last", loss=learner._parts()[0])
    trained = predictor.learner
    # with the third label the lane of two, and what it has lost, becomes two mirrored ones
    doubled = 0.0
    if len(labels) > 2:
        pair = online_to_batch(learner, (X[:2], y[:2]), "last").learner
        doubled = pair.loss_
    assert predictor.empirical == pytest.approx((trained.loss_ - doubled) / 100, rel=1e-5)
    assert predictor.examples == trained.examples_ == 100


# -- every way with every learner -------------------------------------------------------------------


def check(predictor, learner, X, y, how):
    assert predictor.how == how
    assert 0 <= predictor.empirical <= predictor.loss_bound
    predicted = predictor.predict(X[:7])
    alone = [predictor.predict_one(row) for row in rows_of(X[:7])]
    if predicted.dtype.kind == "f":
        assert predicted == pytest.approx(alone, rel=1e-9, abs=1e-12)
    else:
        assert predicted.tolist() == alone
    if how in ("last", "random"):  # nothing is proved of the one that predicts
        assert predictor.risk_bound == math.inf
        assert bool(predictor.mean_risk_bounds) == (how == "random")
    else:
        assert predictor.holds is None  # whether examples are independent nobody can tell
        assert predictor.empirical * (how not in ("validate", "amplify")) < predictor.risk_bound
        assert math.isfinite(predictor.risk_bound)
    if predictor.loss == "zero_one":
        assert np.mean(predictor.predict(X) != y) < 0.5


@every_how
@every_linear
def test_every_way_with_every_linear_learner(how, learner):
    X, y = data_for(learner, 150)
    before = copy.deepcopy(learner)
    unbounded = not learner.classifies or how == "average"
    predictor = online_to_batch(learner, (X, y), how, loss_bound=1e6 if unbounded else 1.0)
    check(predictor, learner, X, y, how)
    assert learner.examples_ == 0
    assert repr(learner) == repr(before)


@every_how
def test_every_way_with_river(how):
    pytest.importorskip("river")
    from river import linear_model, preprocessing, tree

    X, y = blobs(80, labels=(False, True))
    examples = list(zip(rows_of(X), y.tolist()))
    for model in (
        linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | tree.HoeffdingTreeClassifier(grace_period=20),
    ):
        predictor = online_to_batch(model, examples, how)
        check(predictor, model, X, y, how)
        assert predictor.loss == ("absolute" if how == "average" else "zero_one")
    numbers = (X, X @ [0.5, -1.0, 0.2, 0.0])
    for model in (
        linear_model.LinearRegression(),
        preprocessing.StandardScaler() | tree.HoeffdingTreeRegressor(grace_period=20),
    ):
        check(online_to_batch(model, numbers, how, loss_bound=1e3), model, *numbers, how)


@every_how
def test_every_way_with_our_own_learners_for_river(how):
    pytest.importorskip("river")
    from regretless.river import LinearClassifier as ForRiver

    data = blobs(60)
    theirs, ours = (online_to_batch(each(), data, how) for each in (ForRiver, LinearClassifier))
    assert (theirs.empirical, theirs.bounds) == (ours.empirical, ours.bounds)
    assert theirs.predict(data[0]).tolist() == ours.predict(data[0]).tolist()


def test_averaged_probabilities_of_river_are_those_of_its_copies():
    linear_model = pytest.importorskip("river.linear_model")
    X, y = blobs(40, labels=(False, True))
    examples = list(zip(rows_of(X), y.tolist()))
    model = linear_model.LogisticRegression()
    mean = online_to_batch(model, examples, copies=40)
    played = list(iterates(model, examples))
    x = examples[0][0]
    p = np.mean([each.predict_proba_one(x)[True] for each in played])
    assert mean.predict_proba_one(x)[True] == pytest.approx(p, rel=1e-12)
    charged = [1 - h.predict_proba_one(x)[y] for h, (x, y) in zip(played, examples)]
    assert mean.empirical == pytest.approx(np.mean(charged), rel=1e-12)
    log = online_to_batch(model, examples, copies=40, loss="logistic", loss_bound=40.0)
    expected = np.mean([-math.log(1 - c) for c in charged])
    assert log.empirical == pytest.approx(expected, rel=1e-12)


# -- losses, assumptions, errors ---------------------------------------------------------------------


def test_a_loss_above_its_bound_voids_the_theorem():
    examples = [({"a": 1.0}, 5.0), ({"a": 1.0}, 5.0)]
    small = online_to_batch(PassiveAggressiveRegressor(), examples)
    assert small.assumptions["loss is in [0, 1]"] is False
    assert (small.holds, small.risk_bound) == (False, math.inf)
    large = online_to_batch(PassiveAggressiveRegressor(), examples, loss_bound=25.0)
    assert large.holds is None
    assert large.risk_bound == pytest.approx(
        large.empirical + 25 * math.sqrt(math.log(20) / 4), rel=1e-12
    )


def test_an_average_needs_a_convex_loss():
    X, y = blobs(30)
    for loss, convex in (("zero_one", False), ("absolute", False), ("perceptron", False)):
        p = online_to_batch(LinearClassifier(), (X, y), loss=loss, loss_bound=100.0)
        assert p.assumptions["loss is convex in what is averaged"] is convex
        assert p.risk_bound == math.inf
    p = online_to_batch(Perceptron(), (X, y), loss_bound=1e3)
    assert (p.loss, p.holds) == ("hinge", None)
    function = online_to_batch(LinearClassifier(), (X, y), loss=lambda p, y: float(p != y))
    assert function.assumptions["loss is convex in what is averaged"] is None
    assert (
        "loss is convex in what is averaged"
        not in online_to_batch(LinearClassifier(), (X, y), "select").assumptions
    )


def test_streams_arrays_and_pairs_are_the_same_data():
    X, y = blobs(50)
    pairs = list(zip(rows_of(X), y.tolist()))
    found = [
        online_to_batch(LinearClassifier(), data, "select").risk_bound
        for data in (pairs, iter(pairs), (X, y), (sparse.csr_array(X), y), streams.read(pairs))
    ]
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "mean"}, "how='mean' is not one of 'average', 'random', 'last'"),
        ({"delta": 0.0}, r"delta=0.0 is outside \(0, 1\)"),
        ({"loss_bound": -1.0}, "loss_bound=-1.0 must be positive"),
        ({"holdout": 1.0}, r"holdout=1.0 is outside \(0, 1\)"),
        ({"runs": 0}, "runs=0 must be a whole number"),
        ({"copies": 0}, "copies=0 must be a whole number"),
        ({"loss": "squared"}, "loss='squared' needs scores"),
        ({"data": []}, "data is empty"),
        ({"data": [], "how": "select"}, "data is empty"),
        ({"data": [], "how": "validate"}, "data is empty"),
        ({"data": [({}, 1)], "how": "validate"}, "no example was held out"),
        ({"data": [({}, 1)], "how": "amplify"}, "runs=6: there are too few examples"),
        ({"learner": 3}, "learner=3 has no learn_one"),
        ({"learner": LinearRegressor(), "loss": "hinge"}, "'hinge' is for labels"),
        pytest.param(
            {"loss": lambda p, y: -1.0, "how": "last"},
            "is -1.0 at y='no': it must not be negative",
            id="a negative loss",
        ),
    ],
    ids=lambda each: str(each) if isinstance(each, dict) else "",
)
def test_bad_arguments_are_named(options, message):
    arguments = {"learner": LinearClassifier(), "data": blobs(20)} | options
    with pytest.raises(ValueError, match=message):
        online_to_batch(**arguments)


@pytest.mark.parametrize(
    "kernel", ["rbf", "polynomial", lambda a, b: a @ b.T], ids=["rbf", "p", "f"]
)
def test_what_a_kernel_without_weights_is_told(kernel):
    X, y = blobs(40)
    learner = KernelPerceptron(kernel=kernel)
    for how in ("average", "amplify"):
        with pytest.raises(ValueError, match=rf"how='{how}' averages the weights.*how='select'"):
            online_to_batch(learner, (X, y), how)
    for how in set(HOWS) - {"average", "amplify"}:
        found = online_to_batch(learner, (X, y), how, seed=2)  # 0 draws a hypothesis of the start
        check(found, learner, X, y, how)
    assert learner._model is None
    with pytest.raises(ValueError, match="kernel='sigmoid' is not one of"):
        online_to_batch(KernelPerceptron(kernel="sigmoid"), (X, y))


def test_the_average_of_a_kernel_is_that_which_the_learner_keeps():
    X, y = blobs(60)
    mean = online_to_batch(KernelPerceptron(), (X, y), loss_bound=1e3)
    kept = online_to_batch(KernelPerceptron(average="survival"), (X, y), "last")
    scores = kept.hypothesis.decision_function(X)
    assert mean.hypothesis.decision_function(X) == pytest.approx(scores, rel=1e-9, abs=1e-9)


def test_only_an_average_is_bounded_by_the_regret():
    with pytest.raises(ValueError, match="only an average"):
        online_to_batch(LinearClassifier(), blobs(20), "last").excess_bound(1.0)


def test_the_weights_of_a_learner_that_was_trained_before_are_counted():
    X, y = blobs(30)
    learner = LinearClassifier()
    learner.learn_many(X, y)
    mean = WeightMean(learner)
    mean.add()
    assert mean.mean().weights_ == learner.weights_
    assert mean.mean().intercept_ == learner.intercept_
    assert Judge(learner, None, averaging=False).name == "zero_one"


# -- stochastic mirror descent -----------------------------------------------------------------------


class Descent:
    """Gradient descent over the ball of radius 1, with lazy projections, and its theorem."""

    def __init__(self, dimension, eta):
        self.theta, self.eta, self.squares, self.rounds = np.zeros(dimension), eta, 0.0, 0

    @property
    def point(self):
        w = self.eta * self.theta
        return w / max(1.0, np.linalg.norm(w))

    def update(self, gradient):
        self.theta = self.theta - gradient
        self.squares += float(gradient @ gradient)
        self.rounds += 1

    def certificate(self):
        bound = 1 / (2 * self.eta) + self.eta / 2 * self.squares
        return regretless.certificates.Certificate(
            self.rounds, 0.0, {"dual": bound}, "Shalev-Shwartz (2012), Theorem 2.21", {"told": True}
        )


def test_stochastic_mirror_descent_averages_what_was_played():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
    w, total, lost = np.zeros(3), np.zeros(3), 0.0
    for x, target in zip(X, y):
        played = w / max(1.0, np.linalg.norm(w))
        total += played
        lost += abs(played @ x - target)
        w = w - 0.1 * np.sign(played @ x - target) * x
    mean = stochastic_mirror_descent(Descent(3, 0.1), X, y, "absolute")
    assert mean.point == pytest.approx(total / 50, rel=1e-12)
    assert mean.empirical == pytest.approx(lost / 50, rel=1e-12)
    assert mean.predict(X) == pytest.approx(X @ total / 50, rel=1e-12)
    assert mean.excess_bound == pytest.approx((5 + 0.05 * (X**2).sum()) / 50, rel=1e-12)
    assert "Shalev-Shwartz (2012), Theorem 2.21" in mean.theorem
    assert mean.assumptions["told"]
    with pytest.raises(ValueError, match="y and loss= go together"):
        stochastic_mirror_descent(Descent(3, 0.1), X, y)
    with pytest.raises(ValueError, match="X has 50 rows, y has shape"):
        stochastic_mirror_descent(Descent(3, 0.1), X, y[:-1], "absolute")


def test_stochastic_mirror_descent_keeps_its_promise():
    """E C(mean) - C(u) <= B L / sqrt(T) for linear C, whose minimum over the ball is -||E z||."""
    T, drift = 100, np.array([0.3, 0.0])
    excesses = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        angle = rng.uniform(0, 2 * np.pi, T)
        z = drift + 0.7 * np.column_stack([np.cos(angle), np.sin(angle)])  # ||z|| <= 1
        mean = stochastic_mirror_descent(Descent(2, 1 / math.sqrt(T)), z)
        assert mean.excess_bound <= 1 / math.sqrt(T) + 1e-12
        excesses.append(drift @ mean.point + 0.3)
    error = np.std(excesses) / math.sqrt(len(excesses))
    assert np.mean(excesses) <= 1 / math.sqrt(T) + 3 * error
    assert np.mean(excesses) > 0.02  # it has something to learn


def test_stochastic_mirror_descent_with_our_players():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 3)) / 2, np.sign(rng.standard_normal(200))
    player = OnlineGradientDescent(3, domain=Ball(2.0))
    points = copy.deepcopy(player).run(X, y, "hinge").points
    mean = stochastic_mirror_descent(player, X, y, "hinge")
    assert mean.point == pytest.approx(points.mean(axis=0), rel=1e-9, abs=1e-12)
    assert mean.excess_bound == pytest.approx(mean.player.certificate().bound / 200)
    assert math.isfinite(mean.excess_bound)


def test_importing_it_does_not_import_the_players():
    import subprocess
    import sys

    code = "import sys, regretless.batch; sys.exit('regretless.oco' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- stochastic mirror descent with players that have played -----------------------------------------


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_player_that_was_used_plays_from_the_start(wrapped):
    """Two hundred rounds the other way: what is left of them is in no bound on these alone."""
    player = OnlineGradientDescent(1, domain=Ball(1.0), rate=0.1)
    if wrapped:
        player = DoublingTrick(lambda T: OnlineGradientDescent(1, domain=Ball(1.0), rate=T**-0.5))
    fresh = player.clone()
    for _ in range(200):
        player.update([-1.0])
    before, rows = player.point.copy(), np.ones((20, 1))
    found = stochastic_mirror_descent(player, rows)
    assert player.point == pytest.approx(before)  # and the player given is as it was
    excess = float(found.point[0]) - (-1.0)  # the risk is <w, 1>, the best of the ball is -1
    assert excess <= found.excess_bound
    assert found.point == pytest.approx(stochastic_mirror_descent(fresh, rows).point)
    assert found.certificate.rounds == 20


def test_a_player_without_clone_that_was_used_has_no_bound():
    class Mine:
        def __init__(self):
            self.player = OnlineGradientDescent(1, domain=Ball(1.0), rate=0.1)

        point = property(lambda self: self.player.point)

        def update(self, gradient):
            return self.player.update(gradient)

        def certificate(self):
            return self.player.certificate()

    player = Mine()
    assert stochastic_mirror_descent(player, np.ones((20, 1))).excess_bound < math.inf
    found = stochastic_mirror_descent(player, np.ones((20, 1)))
    assert found.assumptions["the player had not played before"] is False
    assert found.excess_bound == math.inf
