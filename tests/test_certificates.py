"""What a certificate claims is true: no fixed model of the given norm has a smaller loss."""

import math
from functools import cache

import numpy as np
import pytest
from reference import streams
from reference.comparison import with_intercept
from reference.losses import CLASSIFICATION, REGRESSION, hinge
from reference.pairs import LOSSES, PAIRS
from reference.streams import Stream
from reference.traces import Trace, best_in_ball, record

from regretless import rates, rules
from regretless.linear import (
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    Perceptron,
)

BY_HAND = {**CLASSIFICATION, **REGRESSION}
BALLS = [(1.0, 2), (4.0, 2), (1.5, 1), (0.75, math.inf)]  # norms of comparators
SUM_KEPT = (  # rules that certify in any case
    "coin",
    "eg",
    "pnorm",
    "ogd-lazy",
    "perceptron",
    "balanced_winnow",
)
CHOSEN = [
    "ogd-agile-constant",
    "ogd-agile-sqrt-l1=0.01-l2=0.02",
    "ogd-agile-sqrt-radius=0.5",
    "ogd-lazy-sqrt",
    "ogd-lazy-constant-radius=0.5",
    "ogd-invariant-constant",
    "adagrad-l1=0.01-l2=0.02",
    "adagrad-scale_invariant",
    "ftrl-beta=1.0-l1=0.01-l2=0.0",
    "coin-8.0",
    "pnorm-3.0-constant",
    "eg-None",
    "eg-0.125",
    "passive_aggressive-exact-2.0",
    "passive_aggressive-I-0.25",
    "passive_aggressive-II-2.0",
    "perceptron-1.0",
    "margin_perceptron-1.0",
    "pnorm_perceptron-3.0",
    "balanced_winnow",
    "svm-inverse",
    "svm-constant-ball",
]
CASES = [(PAIRS[name], loss) for name in CHOSEN for loss in PAIRS[name].losses]


@cache
def stream_of(kind, loss):
    plain = streams.random(loss, 31, rounds=60, dimension=4)
    plain.X[0] = 0.5  # all features are known from the start, or EG would score a row in two ways
    ones, half = np.ones(60), np.arange(60) < 30
    if kind == "stochastic":
        return Stream(plain.X, plain.y, ones)
    if kind == "drifting":  # the target turns round halfway
        return Stream(plain.X, np.where(half, plain.y, -plain.y), ones)
    return plain  # weighted, 0 to 3


@cache
def best_known(kind, loss, radius, ord):
    """Nearly the best weights of a ball on a stream, found offline; the intercept is one of them."""
    stream = stream_of(kind, loss)
    by_hand = hinge() if loss == "perceptron" else BY_HAND[loss]
    trace = Trace(by_hand, np.c_[stream.X, np.ones(60)], stream.y, stream.h, np.zeros(60))
    return best_in_ball(trace.of, trace.gradient_of, 5, radius, ord)


def check(certificate, trace, u, radius, ord):
    """Feasible weights are an upper bound on the optimum; the certificate is a lower one."""
    suffered = float(trace.losses.sum())
    rounding = 1e-9 * (1 + suffered)
    assert certificate.loss == pytest.approx(suffered, rel=1e-9)
    assert certificate.best_possible(radius, ord=ord) <= trace.of(u) + rounding
    assert certificate.within(radius, ord=ord).bound >= trace.regret(u) - rounding


@pytest.mark.parametrize("kind", ["stochastic", "drifting", "weighted"])
@pytest.mark.parametrize(("pair", "loss"), CASES, ids=str)
def test_no_model_in_the_ball_does_better(pair, loss, kind):
    """sum l_t(u) >= loss - linear - B ||sum z||_*, for every rule, loss and norm."""
    learner = pair.learner(loss, certify=True)
    trace = record(learner, BY_HAND[loss], stream_of(kind, loss))
    certificate = learner.certificate()
    for radius, p in BALLS:
        check(certificate, trace, best_known(kind, loss, radius, p), radius, p)
    check(certificate, trace, np.zeros(5), 0.0, 2)
    Z = trace.gradients
    assert certificate.linear == pytest.approx(trace.linear, rel=1e-9, abs=1e-12)
    norms = [np.linalg.norm(Z.sum(axis=0), p) for p in (1, 2, np.inf)]
    assert certificate.gradient_norms == pytest.approx(norms, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in CHOSEN if "squared" in PAIRS[name].losses])
def test_it_says_something(name):
    """On a noisy stream the lower bound is well above 0, and the better the learner, the closer."""
    stream = streams.random("squared", 32, rounds=400, dimension=4)
    rng = np.random.default_rng(1)
    noisy = Stream(stream.X, stream.y + streams.single(rng.normal(size=400)), np.ones(400))
    learner = PAIRS[name].learner("squared", certify=True)
    trace = record(learner, BY_HAND["squared"], noisy)
    u = np.linalg.lstsq(trace.X, trace.y, rcond=None)[0]
    lower = learner.certificate().best_possible(np.linalg.norm(u))
    assert 0.3 * trace.of(u) < lower <= trace.of(u)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "exponential", "squared", "quantile"])
@pytest.mark.parametrize(
    "name", ["coin-8.0", "ogd-agile-constant", "eg-None", "passive_aggressive-I-0.25"]
)
def test_against_an_adversary(name, loss):
    """The target is the opposite of the prediction: the learner loses, the certificate holds."""
    if loss not in PAIRS[name].losses:
        return
    learner = PAIRS[name].learner(loss, certify=True)
    stream = stream_of("weighted", loss)
    trace = record(learner, BY_HAND[loss], stream, adversary=lambda s: -1 if s >= 0 else 1)
    for radius, p in BALLS:
        u = best_in_ball(trace.of, trace.gradient_of, 5, radius, p, steps=60, polish=100)
        check(learner.certificate(), trace, u, radius, p)


@pytest.mark.parametrize("pair", [p for p in PAIRS.values() if "absolute" in p.losses], ids=str)
def test_is_an_equality_on_linear_losses(pair):
    """No kink is reached, so the best model is at the border, and the certificate knows its loss."""
    if pair.name == "coin-8.0":
        return  # with much wealth it dares to reach any target
    rng = np.random.default_rng(33)
    gradients, far = rng.choice([-2.0, -0.5, 1.0, 1.0, 0.0], 40), 2.0**20
    stream = Stream(
        streams.single(rng.normal(size=(40, 4))),
        np.where(gradients > 0, -far, far),
        np.abs(gradients),
    )
    learner = pair.learner("absolute", certify=True)
    trace = record(learner, BY_HAND["absolute"], stream)
    z = gradients @ with_constant(stream.X)
    total = np.abs(gradients).sum() * far
    rounding = 1e-12 * total  # against a difference that is of the order of 10
    for radius, p, dual in ((3.0, 2, 2), (3.0, 1, np.inf), (3.0, math.inf, 1)):
        exact = total - radius * np.linalg.norm(z, dual)
        assert learner.certificate().best_possible(radius, ord=p) == pytest.approx(
            exact, abs=rounding
        )
    best = -3.0 * z / np.linalg.norm(z)
    assert trace.of(best) == pytest.approx(total - 3 * np.linalg.norm(z), abs=rounding)


def with_constant(X):
    return np.array([with_intercept(x) for x in X])


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("loss", ["hinge", "perceptron"])
def test_is_an_equality_for_all_lanes_together(classes, loss):
    """The hinge below its kink: sum over lanes of h (1 - y <u, x>), with one norm for all of u."""
    rng = np.random.default_rng(34)
    X = rng.integers(-8, 9, (50, 4)) / 8
    y, h = rng.integers(0, classes, 50), rng.choice([0.0, 0.5, 1.0, 2.0], 50)
    rule = rules.OGD(2.0**-14) if loss == "hinge" else rules.OGD(2.0**-14, lazy=True)
    model = LinearClassifier(loss=LOSSES[loss], rule=rule, certify=True)
    model.partial_fit(X[:0, :0], [], classes=np.arange(classes))
    Z = np.zeros((5, classes if classes > 2 else 1))
    suffered = 0.0
    for x, label, weight in zip(with_constant(X), y, h, strict=True):
        signs = np.where(np.arange(classes) == label, 1.0, -1.0)[-Z.shape[1] :]
        scores = np.atleast_1d(model.decision_one(x[:4]))
        active = weight * (signs * scores <= 0 if loss == "perceptron" else 1.0)
        Z -= np.outer(x, active * signs)
        suffered += np.sum(active * np.ones_like(signs))
        model.learn_one(x[:4], int(label), weight)
    for radius, p, dual in ((0.1, 2, 2), (0.05, 1, np.inf), (0.02, math.inf, 1)):
        exact = suffered - radius * np.linalg.norm(Z.ravel(), dual)
        assert model.certificate().best_possible(radius, ord=p) == pytest.approx(exact, rel=1e-12)


LANES = {
    "coin": lambda: LinearClassifier(certify=True),
    "coin squared hinge": lambda: LinearClassifier(loss="squared_hinge", certify=True),
    "adagrad": lambda: LinearClassifier(rule="adagrad", l2=0.01, certify=True),
    "lazy": lambda: LinearClassifier(
        rule=rules.OGD(rates.InverseSqrt(0.5), lazy=True), certify=True
    ),
    "eg": lambda: LinearClassifier(rule="eg", loss="hinge", certify=True),
    "passive_aggressive": lambda: PassiveAggressive(certify=True),
    "perceptron": lambda: Perceptron(certify=True),
    "margin_perceptron": lambda: MarginPerceptron(margin=0.5, certify=True),
    "svm": lambda: OnlineSVM(C=4.0, certify=True),
}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("name", LANES)
def test_several_classes(name, late):
    """Lanes are added up, each from the round in which its label exists; two labels become two."""
    rng = np.random.default_rng(35)
    rounds, classes = 60, 4
    X = streams.single(rng.normal(size=(rounds, 2)))
    y = np.argmax(
        X @ rng.normal(size=(2, classes)) + 0.5 * rng.normal(size=(rounds, classes)), axis=1
    )
    y = np.minimum(y, np.arange(rounds) // 8) if late else y
    h = rng.choice([0.0, 0.5, 1.0, 2.0], rounds)
    model, order = LANES[name](), []
    if not late:
        model.partial_fit(X[:0, :0], [], classes=np.arange(classes))
    table, born = np.zeros((rounds, classes)), np.zeros(classes, int)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        if late and label not in order:
            model.partial_fit(X[:0, :0], [], classes=[label])
            order.append(label)
            born[label] = t if len(order) > 2 else 0
        scores = np.atleast_1d(model.decision_one(x))
        table[t, : len(scores) + (len(scores) == 1)] = (
            [-scores[0], scores[0]] if len(scores) == 1 else scores
        )
        model.learn_one(x, label, h[t])
    assert model.classes_.tolist() == list(range(classes))
    loss = BY_HAND[model._parts()[0].name]
    lanes = [
        Trace(loss, with_constant(X[b:]), np.where(y[b:] == k, 1, -1), h[b:], table[b:, k])
        for k, b in enumerate(born)
    ]
    certificate = model.certificate()
    suffered = sum(lane.losses.sum() for lane in lanes)
    assert certificate.loss == pytest.approx(suffered, rel=1e-9)
    assert certificate.linear == pytest.approx(sum(lane.linear for lane in lanes), rel=1e-9)
    Z = np.concatenate([lane.gradients.sum(axis=0) for lane in lanes])
    norms = [np.linalg.norm(Z, p) for p in (1, 2, np.inf)]
    assert certificate.gradient_norms == pytest.approx(norms, rel=1e-9)

    def value(u):
        return sum(lane.of(part) for lane, part in zip(lanes, u.reshape(classes, 3), strict=True))

    def gradient(u):
        parts = zip(lanes, u.reshape(classes, 3), strict=True)
        return np.concatenate([lane.gradient_of(part) for lane, part in parts])

    for radius, p in ((2.0, 2), (3.0, 1), (1.0, math.inf)):
        u = best_in_ball(value, gradient, 3 * classes, radius, p, steps=60, polish=0)
        assert certificate.best_possible(radius, ord=p) <= value(u) + 1e-9 * suffered
        assert certificate.within(radius, ord=p).bound >= suffered - value(u) - 1e-9 * suffered


@pytest.mark.parametrize("pair", PAIRS.values(), ids=str)
def test_certifying_changes_no_score(pair):
    """And the single-precision sum that some rules keep anyway proves nearly as much, never more."""
    loss = pair.losses[-1]
    stream = streams.random(loss, 36, rounds=200)
    models = [pair.learner(loss, certify=certify) for certify in (False, True)]
    traces = [record(model, BY_HAND[loss], stream) for model in models]
    assert traces[0].scores.tolist() == traces[1].scores.tolist()
    plain, audited = models
    if not pair.name.startswith(SUM_KEPT):
        with pytest.raises(ValueError, match="certify=True"):
            plain.certificate()
        return
    rough, exact = plain.certificate(), audited.certificate()
    assert (rough.loss, rough.linear) == (exact.loss, exact.linear)
    assert exact.rounds == np.count_nonzero(stream.h)
    assert exact.error < 1e-6 * rough.error
    for radius, p in BALLS:
        mine, theirs = (c.within(radius, ord=p) for c in (rough, exact))
        excess = mine.bounds["convexity"] + mine.rounding - theirs.bounds["convexity"]
        assert 0 <= excess <= 2 * mine.rounding
    size = np.abs(traces[0].gradients).sum()
    assert 0 < rough.error <= 200 * 2.0**-22 * size


def test_rounding_is_accounted_for_when_it_matters():
    """A sum that single precision cannot hold: without its rounding term the bound would be wrong."""
    rng = np.random.default_rng(37)
    X = streams.single(10.0 ** rng.uniform(-3, 3, (3000, 3)))
    y = np.where(rng.random(3000) < 0.5, -(2.0**40), 2.0**40)
    for rule in (rules.Coin(), rules.PNorm(3.0, 0.1), rules.OGD(0.1, lazy=True), rules.EG(2.0)):
        models = [LinearRegressor(loss="absolute", rule=rule, certify=c) for c in (False, True)]
        for model in models:
            model.learn_many(X, y)
        rough, exact = (model.certificate() for model in models)
        error = np.subtract(rough.gradient_norms, exact.gradient_norms)
        assert 1e-6 < np.abs(error).max() <= rough.error
        for radius, p in BALLS:
            mine, theirs = (c.within(radius, ord=p) for c in (rough, exact))
            assert mine.bounds["convexity"] + mine.rounding >= theirs.bounds["convexity"]


def test_bad_questions():
    """Norms are finite and not negative, and measured in one of three ways."""
    certificate = PAIRS["coin-8.0"].learner("squared").certificate()
    assert certificate.best_possible(1.0) == certificate.bound == 0.0
    for norm in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="norm="):
            certificate.within(norm)
    with pytest.raises(ValueError, match="ord=3"):
        certificate.best_possible(1.0, ord=3)
