"""What reduces to what: algorithms of several texts."""

import math

import numpy as np
import pytest
from reference import streams
from reference.losses import CLASSIFICATION
from reference.pairs import LOSSES, PAIRS
from reference.perceptron import DualPerceptron
from reference.streams import Stream, far_away

from regretless import losses, rates, rules
from regretless.linear import (
    LinearClassifier,
    LinearRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
)

ROUNDING = {"rtol": 1e-5, "atol": 1e-5}  # of scores around 1, in single precision


def along(model, stream):
    """The scores of a run, each made before its example is learned."""
    if hasattr(model, "classes_"):
        model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    scores = []
    for x, y, h in stream:
        scores.append(model.decision_one(x))
        model.learn_one(x, y, h)
    return np.array(scores)


def linear(loss, rule, **options):
    kind = LinearClassifier if loss in CLASSIFICATION else LinearRegressor
    return kind(loss=LOSSES[loss], rule=rule, **options)


def unweighted(stream):
    return Stream(stream.X, stream.y, np.ones_like(stream.h))


# -- gradient descent -----------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_ogd_is_lazy_ogd_is_the_2_norm_algorithm(loss):
    """Without a projection and with a constant rate, all three are -eta sum z.

    Shalev-Shwartz (2012), section 2.6.1.
    """
    stream = streams.random(loss, 1)
    agile = along(linear(loss, rules.OGD(0.0625)), stream)
    for rule in (rules.OGD(0.0625, lazy=True), rules.PNorm(2.0, 0.0625)):
        np.testing.assert_allclose(along(linear(loss, rule), stream), agile, **ROUNDING)


@pytest.mark.parametrize("rate", [0.0625, rates.InverseSqrt(0.25)])
@pytest.mark.parametrize("lazy", [False, True])
def test_a_ball_that_is_never_left_is_no_ball(rate, lazy):
    """Shalev-Shwartz (2012), Corollary 2.17: S contains all iterates."""
    stream = streams.random("logistic", 2)
    free = along(linear("logistic", rules.OGD(rate, lazy=lazy)), stream)
    held = along(linear("logistic", rules.OGD(rate, lazy=lazy, radius=50.0)), stream)
    np.testing.assert_allclose(held, free, rtol=1e-6, atol=1e-7)


def test_agile_and_lazy_projections_differ_on_a_ball():
    """Shalev-Shwartz (2012), section 2.9: and both stay in it."""
    stream = streams.random("logistic", 3)
    models = [linear("logistic", rules.OGD(0.5, radius=0.5, lazy=lazy)) for lazy in (False, True)]
    agile, lazy = (along(model, stream) for model in models)
    assert np.max(np.abs(agile - lazy)) > 0.05
    for model in models:
        weights = [*model.weights_.values(), model.intercept_]
        assert 0.4 < np.linalg.norm(weights) <= 0.5 * (1 + 1e-6)


def test_a_weight_scales_the_rate():
    """OGD with weight h is OGD with the rate h eta."""
    stream = unweighted(streams.grid("squared", 4))
    twice = Stream(stream.X, stream.y, 2 * stream.h)
    one = along(linear("squared", rules.OGD(0.125)), stream)
    two = along(linear("squared", rules.OGD(0.0625)), twice)
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "perceptron"])
def test_invariant_weights_count_as_repetitions(loss):
    """Karampatziakis & Langford: weight 2 is weight 1 twice, along the gradient flow."""
    once = unweighted(streams.random(loss, 5))
    whole, halves = (linear(loss, rules.OGD(0.5, invariant=True)) for _ in range(2))
    heavy = along(whole, Stream(once.X, once.y, 2 * once.h))
    twice = along(halves, Stream(np.repeat(once.X, 2, 0), np.repeat(once.y, 2), np.ones(300)))
    np.testing.assert_allclose(twice[::2], heavy, **ROUNDING)


def test_inverse_rate_on_the_squared_loss_is_the_running_mean():
    """Shalev-Shwartz (2012), Corollary 2.2: steps of 1 / (2 t) on (w - y)^2 average the targets."""
    rng = np.random.default_rng(0)
    y = rng.integers(-40, 41, 200) / 8
    scores = along(
        LinearRegressor(rule=rules.OGD(rates.Inverse(0.5))), Stream(np.zeros((200, 1)), y, y**0)
    )
    np.testing.assert_allclose(scores[1:], (np.cumsum(y) / np.arange(1, 201))[:-1], atol=1e-5)


def test_lazy_l2_is_follow_the_regularised_leader_on_quadratics():
    """Shalev-Shwartz (2012), section 2.3: on |w - z|^2 / 2 it plays sum z / (t - 1 + 1 / eta)."""
    z = np.random.default_rng(1).integers(-40, 41, (100, 3)) / 8
    model = LinearRegressor(
        loss="absolute", rule=rules.OGD(4.0, lazy=True), l2=1.0, intercept=False
    )
    for t in range(100):
        expected = z[:t].sum(axis=0) / (t + 0.25)
        weights = [model.weights_.get(i, 0.0) for i in range(3)]
        np.testing.assert_allclose(weights, expected, rtol=1e-6, atol=1e-7)
        model.learn_one(z[t], 2.0**60)  # the gradient is -z


@pytest.mark.parametrize(
    "rule", [rules.OGD(0.25, lazy=True), rules.PNorm(4.0, 0.25), rules.EG(4.0, 0.25)]
)
def test_dual_averaging_forgets_the_order_of_fixed_gradients(rule):
    """Shalev-Shwartz (2012), section 2.6: the state is a sum."""
    rng = np.random.default_rng(2)
    stream = far_away(rng.integers(-8, 9, (80, 4)) / 8, rng.choice([-2.0, -1.0, 1.0], 80))
    weights = []
    for order in (np.arange(80), rng.permutation(80), np.arange(80)[::-1]):
        model = LinearRegressor(loss="absolute", rule=rule)
        model.learn_many(stream.X[order], stream.y[order], stream.h[order])
        weights.append([*(model.weights_[i] for i in range(4)), model.intercept_])
    np.testing.assert_allclose(weights[1:], weights[:1] * 2, rtol=1e-9)


# -- the Perceptron -------------------------------------------------------------------------------


def test_perceptron_is_ogd_on_the_conservative_hinge():
    """In any of its guises, to the last bit.

    Shalev-Shwartz (2012), section 3.3.1; Mohri et al. (2018), eq. 8.21.
    """
    stream = streams.grid("perceptron", 6, rounds=300)
    scores = along(Perceptron(), stream)
    for rule in (rules.OGD(1.0), rules.OGD(1.0, lazy=True), rules.OGD(1.0, invariant=True)):
        assert along(linear("perceptron", rule), stream).tolist() == scores.tolist()


def test_perceptron_primal_is_dual():
    """Scores from inner products with the mistaken examples.

    Shalev-Shwartz (2012), section 3.3.1; Mohri et al. (2018), Figure 8.8.
    """
    stream = unweighted(streams.grid("perceptron", 7, rounds=200))
    dual, scores = DualPerceptron(), []
    for x, y, _ in stream:
        scores.append(dual.predict(x))
        dual.learn(x, y)
    assert along(Perceptron(intercept=False), stream).tolist() == scores


@pytest.mark.parametrize("rate", [0.125, 3.0, 1e-3])
def test_perceptron_does_not_depend_on_its_rate(rate):
    """The weights scale, the predictions do not change.

    Shalev-Shwartz (2012), section 3.3.1; Mohri et al. (2018), Exercise 8.2.
    """
    stream = unweighted(streams.random("perceptron", 8, rounds=300))
    base, other = along(Perceptron(), stream), along(Perceptron(rate=rate), stream)
    np.testing.assert_allclose(other, rate * base, rtol=1e-5, atol=rate * 1e-5)


@pytest.mark.parametrize("eta", [0.25, 1.0, 8.0])
def test_hinge_fed_with_mistakes_only_is_the_perceptron(eta):
    """The mistake-only wrapper turns unit-margin descent into the Perceptron.

    Srebro (lecture 16), slide back to the Perceptron.
    """
    stream = unweighted(streams.grid("hinge", 9, rounds=300))
    model = linear("hinge", rules.OGD(eta))
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    scores = []
    for x, y, _ in stream:
        scores.append(model.decision_one(x))
        if y * scores[-1] <= 0:
            model.learn_one(x, y)
    assert scores == (eta * along(Perceptron(), stream)).tolist()


def test_conservative_p_norm_does_not_depend_on_its_rate():
    """The link is homogeneous; at p = 2 it is the Perceptron.

    Shalev-Shwartz and Singer (2007), Example 3.
    """
    stream = unweighted(streams.random("perceptron", 10, rounds=300))
    for p in (2.0, 3.0, 8.0):
        one, two = (along(linear("perceptron", rules.PNorm(p, c)), stream) for c in (1.0, 0.125))
        np.testing.assert_allclose(8 * two, one, **ROUNDING)
        if p == 2.0:
            np.testing.assert_allclose(one, along(Perceptron(), stream), **ROUNDING)


# -- passive-aggressive ---------------------------------------------------------------------------


@pytest.mark.parametrize("make", [PassiveAggressive, PassiveAggressiveRegressor])
def test_exact_is_any_step_allowed(make):
    """Modes I and II tend to "exact" as C grows."""
    stream = streams.random("hinge" if make is PassiveAggressive else "squared", 11)
    stream = Stream(stream.X, stream.y, np.maximum(stream.h, 0.5))
    exact = along(make(mode="exact"), stream)
    assert along(make(mode="I", C=1e12), stream).tolist() == exact.tolist()
    np.testing.assert_allclose(along(make(mode="II", C=1e12), stream), exact, rtol=1e-6, atol=1e-6)


def test_unit_norms_make_it_the_aggressive_update():
    """With ||x|| = 1 the exact step is min(l, C) of section 5.

    Shalev-Shwartz and Singer (2007), section 5.2.
    """
    rng = np.random.default_rng(12)
    X = rng.normal(size=(200, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(200) < 0.5, 1, -1)
    w, scores = np.zeros(4), []
    for x, label in zip(X, y, strict=True):
        scores.append(w @ x)
        w = w + min(max(0.0, 1 - label * (w @ x)), 0.75) * label * x
    learned = along(PassiveAggressive(C=0.75, intercept=False), Stream(X, y, np.ones(200)))
    np.testing.assert_allclose(learned, scores, **ROUNDING)


@pytest.mark.parametrize("C", [0.25, 2.0])
def test_mode_one_is_the_gradient_flow_of_the_hinge(C):
    """min(C h, l / ||x||^2) follows the straight side until the kink: OGD(rate=C, invariant=True)."""
    pa = along(PassiveAggressive(C=C), streams.random("hinge", 13))
    flow = along(linear("hinge", rules.OGD(C, invariant=True)), streams.random("hinge", 13))
    np.testing.assert_allclose(flow, pa, **ROUNDING)
    stream = streams.random("epsilon_insensitive", 14)
    pa = along(PassiveAggressiveRegressor(C=C, epsilon=0.5), stream)
    flow = along(linear("epsilon_insensitive", rules.OGD(C, invariant=True)), stream)
    np.testing.assert_allclose(flow, pa, **ROUNDING)


def test_small_steps_are_gradient_descent_on_the_hinge():
    """While the loss is at least C ||x||^2, every step is C.

    Shalev-Shwartz and Singer (2007), section 5.2; Srebro (lecture 16), slide back to the
    Perceptron.
    """
    stream = unweighted(streams.grid("hinge", 15))
    C = 2.0**-12  # after 150 rounds no margin has come near 1
    pa, ogd = along(PassiveAggressive(C=C), stream), along(linear("hinge", rules.OGD(C)), stream)
    assert pa.tolist() == ogd.tolist()


# -- adaptive rules -------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared", "squared_hinge"])
def test_ftrl_without_penalties_is_adagrad(loss):
    """McMahan (2011): proximal terms centred at the iterates leave w - alpha z / sqrt(n)."""
    stream = unweighted(streams.random(loss, 16))
    ftrl = along(linear(loss, rules.FTRL(0.25, beta=0.0)), stream)
    np.testing.assert_allclose(
        ftrl, along(linear(loss, rules.AdaGrad(0.25, invariant=False)), stream), **ROUNDING
    )


INVARIANT = {"coin": rules.Coin(), "adagrad": rules.AdaGrad(0.25, scale_invariant=True)}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", INVARIANT)
def test_the_scale_of_a_feature_changes_nothing(name, loss):
    """Scaling by powers of two leaves every bit; by any factor, all but rounding."""
    stream, rule = streams.random(loss, 17), INVARIANT[name]
    plain = along(linear(loss, rule), stream)
    for exponents, exact in (([3, -50, 0, 50, -20], True), ([math.pi, -4.2, 0.3, 9.9, 2.5], False)):
        X = streams.single(stream.X * 2.0 ** np.array(exponents))
        scaled = along(linear(loss, rule), Stream(X, stream.y, stream.h))
        if exact:
            assert scaled.tolist() == plain.tolist()
        elif loss not in ("perceptron", "hinge", "absolute", "quantile", "epsilon_insensitive"):
            np.testing.assert_allclose(scaled, plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile"])
def test_coin_follows_the_scale_of_the_target(loss):
    """Scaling the targets scales the predictions, for powers of two to the last bit."""
    stream = streams.random(loss, 18)
    plain = along(linear(loss, rules.Coin()), stream)
    for scale in (1024.0, 2.0**-20, 2.0**50):
        scaled = along(linear(loss, rules.Coin()), Stream(stream.X, scale * stream.y, stream.h))
        assert scaled.tolist() == (scale * plain).tolist()


def test_eg_in_another_unit():
    """Features four times as large in a ball a quarter the size: the same scores."""
    stream = streams.random("squared", 19)
    larger = Stream(4 * stream.X, stream.y, stream.h)
    plain = along(linear("squared", rules.EG(4.0), intercept=False), stream)
    other = along(linear("squared", rules.EG(1.0), intercept=False), larger)
    np.testing.assert_allclose(other, plain, rtol=1e-12)


# -- symmetries -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS.values(), ids=str)
def test_mirrored_targets_give_mirrored_scores(pair):
    """No rule prefers a sign: -y in, -s out, to the last bit."""
    for loss in pair.losses:
        if loss != "quantile":  # which prefers one by definition
            stream = streams.random(loss, 20, rounds=40)
            mirrored = Stream(stream.X, -stream.y, stream.h)
            assert (
                along(pair.make(loss), mirrored).tolist()
                == (-along(pair.make(loss), stream)).tolist()
            )


@pytest.mark.parametrize("pair", PAIRS.values(), ids=str)
def test_a_third_class_splits_the_lane_into_mirrored_ones(pair):
    """The two old labels go on from where they are; the new one starts at 0."""
    for loss in set(pair.losses) & set(CLASSIFICATION):
        model, stream = pair.make(loss), streams.random(loss, 21, rounds=40)
        along(model, stream)
        before = [model.decision_one(x) for x in stream.X]
        model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1, 2])
        for x, s in zip(stream.X, before, strict=True):
            first, second, third = model.decision_one(x)
            assert (first, third) == (-second, 0.0)
            assert second == pytest.approx(s, rel=1e-12)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=str)
def test_weight_zero_is_absence(pair):
    """Rounds of weight 0 may be left out: they count as no round, and show no feature."""
    for loss in {pair.losses[0], pair.losses[-1]}:
        stream = streams.random(loss, 22, rounds=40, density=0.2)
        kept = stream.h > 0
        models = [pair.make(loss), pair.make(loss)]
        along(models[0], stream)
        along(models[1], Stream(stream.X[kept], stream.y[kept], stream.h[kept]))
        assert models[0].loss_ == models[1].loss_
        assert models[0].examples_ == models[1].examples_ == kept.sum()
        for x in stream.X:
            assert models[0].decision_one(x) == models[1].decision_one(x)


def test_the_absolute_loss_is_an_empty_tube_and_twice_the_median():
    """Absolute() = EpsilonInsensitive(0) = 2 Quantile(1/2), here with twice the rate."""
    stream = streams.grid("absolute", 23)
    expected = along(LinearRegressor(loss="absolute", rule=rules.OGD(0.125)), stream)
    tube = LinearRegressor(loss=losses.EpsilonInsensitive(0.0), rule=rules.OGD(0.125))
    median = LinearRegressor(loss=losses.Quantile(0.5), rule=rules.OGD(0.25))
    assert along(tube, stream).tolist() == along(median, stream).tolist() == expected.tolist()
