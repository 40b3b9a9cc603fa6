"""The losses against calculus done numerically, and against the contracts of the texts."""

import dataclasses
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import losses
from regretless.linear import LinearRegressor
from regretless.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Logistic,
    Perceptron,
    Power,
    Quantile,
    Squared,
    SquaredHinge,
    ZeroOne,
)

SMOOTH = [
    *(Logistic(), SquaredHinge(), SquaredHinge(2.5), Exponential()),
    *(Squared(), Power(), Power(2.0), Power(2.5)),
]
KINKED = [
    Hinge(),
    Hinge(0.3),
    Absolute(),
    Quantile(),
    Quantile(0.9),
    EpsilonInsensitive(),
    EpsilonInsensitive(1.0),
    EpsilonInsensitive(0.0),
]
CONVEX = SMOOTH + KINKED
ALL = [*CONVEX, Perceptron(), ZeroOne()]
CALIBRATED = [Logistic(), Exponential(), SquaredHinge(), SquaredHinge(2.5)]

# The first step of the logistic loss imports scipy, which is longer than a usual deadline.
unhurried = settings(deadline=None)
every_convex = pytest.mark.parametrize("loss", CONVEX, ids=repr)


def targets(loss):
    return [-1.0, 1.0] if loss.classification else [-2.0, -0.4, 0.0, 1.3]


def kinks(loss, y):
    match loss:
        case Hinge(margin=margin):
            return [y * margin]
        case Absolute() | Quantile():
            return [y]
        case EpsilonInsensitive(epsilon=epsilon):
            return [y - epsilon, y + epsilon]
    return []


def smooth_scores(loss, y, reach=6.0, count=121):
    """A grid of scores that keeps away from the kinks."""
    grid = np.linspace(-reach, reach, count)
    return grid[[all(abs(s - kink) > 1e-3 for kink in kinks(loss, y)) for s in grid]]


def scores(loss, y, reach=6.0, count=121):
    """A grid of scores with the kinks in it."""
    return np.append(smooth_scores(loss, y, reach, count), kinks(loss, y))


def golden_section(function, low, high):
    """The largest value of a concave function."""
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (left, high) if function(left) < function(right) else (low, right)
    return function((low + high) / 2)


def convex_loss_and_target(draw):
    loss = draw(st.sampled_from(CONVEX))
    label = st.sampled_from([-1.0, 1.0])
    return loss, draw(label if loss.classification else st.floats(-10, 10))


# -- value and derivative ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "score", "target", "value", "derivative"),
    [
        (Logistic(), 2.0, -1, 2.1269280110429725, 0.8807970779778824),
        (Logistic(), 800.0, -1, 800.0, 1.0),
        (Logistic(), 40.0, 1, 4.248354255291589e-18, -4.248354255291589e-18),
        (Hinge(), 0.5, 1, 0.5, -1.0),
        (Hinge(), 1.0, 1, 0.0, 0.0),
        (Hinge(0.3), -0.5, -1, 0.0, 0.0),
        (Hinge(3.0), 0.5, -1, 3.5, 1.0),
        (SquaredHinge(), 0.5, 1, 0.25, -1.0),
        (SquaredHinge(2.0), 1.0, -1, 9.0, 6.0),
        (Exponential(), -2.0, 1, 7.38905609893065, -7.38905609893065),
        (Perceptron(), -2.0, 1, 3.0, -1.0),
        (Perceptron(), 0.0, -1, 1.0, 1.0),
        (Perceptron(), 0.5, 1, 0.0, 0.0),
        (Perceptron(), math.inf, 1, 0.0, 0.0),
        (Squared(), 3.0, 1.0, 4.0, 4.0),
        (Power(), 1.0, 3.0, 8.0, -12.0),
        (Power(2.5), 3.0, 3.0, 0.0, 0.0),
        (Power(4.0), 3.5, 3.0, 0.0625, 0.5),
        (Absolute(), 1.0, 3.0, 2.0, -1.0),
        (Absolute(), 3.0, 3.0, 0.0, 0.0),
        (Quantile(0.9), 1.0, 3.0, 1.8, -0.9),
        (Quantile(0.9), 3.0, 1.0, 0.2, 0.1),
        (Quantile(0.9), 3.0, 3.0, 0.0, 0.0),
        (EpsilonInsensitive(0.5), 1.0, 3.0, 1.5, -1.0),
        (EpsilonInsensitive(0.5), 3.5, 3.0, 0.0, 0.0),
    ],
)
def test_golden_values(loss, score, target, value, derivative):
    assert loss.value(score, target) == pytest.approx(value, rel=1e-14)
    assert loss.derivative(score, target) == pytest.approx(derivative, rel=1e-14)
    assert str(loss.derivative(score, target)) != "-0.0"


@every_convex
def test_derivative_is_the_slope_of_the_value(loss):
    step = 1e-6
    for y in targets(loss):
        s = smooth_scores(loss, y)
        slope = (loss.value(s + step, y) - loss.value(s - step, y)) / (2 * step)
        np.testing.assert_allclose(loss.derivative(s, y), slope, rtol=1e-7, atol=1e-6)


@unhurried
@given(st.data())
def test_convex_on_any_chord(data):
    loss, y = convex_loss_and_target(data.draw)
    a, b, share = (data.draw(st.floats(*ends)) for ends in ((-10, 10), (-10, 10), (0, 1)))
    chord = share * loss.value(a, y) + (1 - share) * loss.value(b, y)
    assert loss.value(share * a + (1 - share) * b, y) <= chord + 1e-12 * (1 + abs(chord))


@every_convex
def test_derivative_is_a_subgradient_everywhere(loss):
    for y in targets(loss):
        s = scores(loss, y)[:, None]
        tangent = loss.value(s, y) + loss.derivative(s, y) * (s.T - s)
        assert np.all(loss.value(s.T, y) >= tangent - 1e-12 * (1 + np.abs(tangent)))


def test_perceptron_is_the_hinge_on_mistakes_and_nothing_elsewhere():
    s, y = np.linspace(-3, 3, 61)[:, None], np.array([-1.0, 1.0])
    mistake = ZeroOne().value(s, y)
    np.testing.assert_array_equal(Perceptron().value(s, y), mistake * Hinge().value(s, y))
    np.testing.assert_array_equal(Perceptron().derivative(s, y), mistake * Hinge().derivative(s, y))


@pytest.mark.parametrize(
    ("loss", "scale"),
    [
        (Logistic(), math.log(2)),
        (Hinge(), 1.0),
        (Hinge(0.3), 0.3),
        (SquaredHinge(), 1.0),
        (SquaredHinge(2.5), 2.5**2),
        (Exponential(), 1.0),
        (Perceptron(), 1.0),
    ],
    ids=repr,
)
def test_surrogates_bound_the_zero_one_loss(loss, scale):
    s, y = np.linspace(-3, 3, 61)[:, None], np.array([-1.0, 1.0])
    excess = loss.value(s, y) / scale - ZeroOne().value(s, y)
    assert excess.min() >= -1e-15
    assert np.all(np.abs(excess[30]) <= 1e-15)  # with equality at score 0, a mistake


# -- conjugate -----------------------------------------------------------------------------------


@every_convex
def test_conjugate_is_the_supremum(loss):
    ends = {-1.0, 0.0, 1.0, -0.5, 0.5, -0.9, 1 - 0.9}
    for y in targets(loss):
        infinite = 0
        for dual in sorted({*np.linspace(-2.45, 2.45, 8), *ends}):
            largest = golden_section(lambda s, d=dual, y=y: d * s - loss.value(s, y), -500, 500)
            conjugate = loss.conjugate(dual, y)
            if math.isinf(conjugate):
                infinite += 1
                assert largest > 20  # and it grows with the interval searched
            else:
                assert conjugate == pytest.approx(largest, abs=1e-9)
        assert (infinite == 0) == isinstance(loss, (Squared, Power))


@every_convex
def test_fenchel_young_is_an_equality_at_the_derivative(loss):
    for y in targets(loss):
        s = scores(loss, y)
        dual = loss.derivative(s, y)
        left = loss.value(s, y) + loss.conjugate(dual, y)
        np.testing.assert_allclose(left, dual * s, rtol=1e-11, atol=1e-11)


@unhurried
@given(st.data())
def test_fenchel_young_inequality(data):
    loss, y = convex_loss_and_target(data.draw)
    s, dual = data.draw(st.floats(-10, 10)), data.draw(st.floats(-3, 3))
    assert loss.value(s, y) + loss.conjugate(dual, y) >= dual * s - 1e-12


# -- constants -----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [*CONVEX, Perceptron()], ids=repr)
def test_lipschitz_is_the_steepest_slope(loss):
    for y in targets(loss):
        steepest = np.abs(loss.derivative(scores(loss, y, reach=40.0), y)).max()
        if math.isinf(loss.lipschitz):
            assert steepest > 50
        else:
            assert steepest == pytest.approx(loss.lipschitz, rel=1e-12)


@every_convex
def test_curvature_and_strong_convexity_bound_the_slope_of_the_derivative(loss):
    for y in targets(loss):
        middle, half = scores(loss, y, reach=10.0, count=201), 1e-4
        slope = loss.derivative(middle + half, y) - loss.derivative(middle - half, y)
        second = slope / (2 * half)
        if math.isinf(loss.curvature):
            if isinstance(loss, Power):  # it grows slowly
                second = np.append(second, np.diff(loss.derivative(np.array([1e7, 1e7 + 1]), y)))
            assert second.max() > 1e3
        else:
            assert second.max() == pytest.approx(loss.curvature, rel=1e-6)
        flat = loss.p * half ** (loss.p - 2) if loss in (Power(), Power(2.5)) else 0  # a mean, at y
        assert second.min() == pytest.approx(loss.strong_convexity, abs=flat + 1e-4)


@every_convex
@pytest.mark.parametrize("bound", [0.8, 1.0, 2.0])
def test_exp_concavity_is_the_largest_that_holds(loss, bound):
    grid = np.linspace(-bound, bound, 401)
    y = np.array([-1.0, 1.0]) if loss.classification else np.linspace(-bound, bound, 9)
    value = loss.value(grid[:, None], y)

    def bend(alpha):
        return np.diff(np.exp(-alpha * value), n=2, axis=0).max()

    alpha = loss.exp_concavity(bound)
    assert bend(alpha) <= 1e-14
    assert bend(1.05 * alpha + (alpha == 0) * 1e-2) > 1e-10


def test_golden_constants():
    assert Logistic().exp_concavity(2.0) == math.exp(-2.0)
    assert Squared().exp_concavity(2.0) == 1 / 32
    assert SquaredHinge(3.0).exp_concavity(1.0) == 1 / 32
    assert Squared().exp_concavity(math.inf) == 0.0
    assert Quantile(0.2).lipschitz == 0.8
    assert (ZeroOne().lipschitz, ZeroOne().strong_convexity) == (math.inf, -math.inf)
    assert ZeroOne().exp_concavity(1.0) == Perceptron().exp_concavity(1.0) == 0.0


# -- probability ---------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", CALIBRATED, ids=repr)
def test_probability_makes_the_score_the_best_one(loss):
    rivals = np.linspace(-4, 4, 801)
    for s in np.linspace(-3, 3, 31):
        p = loss.probability(s)
        risk = p * loss.value(rivals, 1) + (1 - p) * loss.value(rivals, -1)
        assert p * loss.value(s, 1) + (1 - p) * loss.value(s, -1) <= risk.min() + 1e-12
    assert loss.probability(-0.4) == pytest.approx(1 - loss.probability(0.4), rel=1e-14)
    assert loss.probability(-0.4) < 0.45


def test_golden_probabilities():
    assert Logistic().probability(-2.0) == pytest.approx(0.11920292202211755, rel=1e-14)
    assert Logistic().probability(-700.0) == pytest.approx(math.exp(-700), rel=1e-12)
    assert Exponential().probability(-1.0) == pytest.approx(0.11920292202211755, rel=1e-14)
    assert SquaredHinge(2.0).probability(1.0) == 0.75
    for loss in (Hinge(), Perceptron(), ZeroOne()):
        np.testing.assert_array_equal(loss.probability(np.array([-0.1, 0.0, 3.0])), [0, 0.5, 1])
    with pytest.raises(ValueError, match=r"Squared\(\) is a regression loss"):
        Squared().probability(0.5)


# -- importance-aware steps ----------------------------------------------------------------------

weights = st.floats(1e-6, 1e3)


@unhurried
@given(st.data(), weights, weights, st.floats(1e-3, 1e3), st.floats(-20, 20))
def test_weights_add_up(data, h1, h2, norm, s):
    loss, y = convex_loss_and_target(data.draw)
    first = loss.invariant_step(s, y, h1, norm)
    second = loss.invariant_step(s - norm * first, y, h2, norm)
    whole = loss.invariant_step(s, y, h1 + h2, norm)
    # the score between the two is rounded, which the division by the norm magnifies
    assert first + second == pytest.approx(whole, rel=1e-10, abs=1e-14 * (1 + abs(s)) / norm)


@unhurried
@given(st.data(), st.floats(1e-3, 1e8), st.floats(1e-3, 1e3), st.floats(-20, 20))
def test_steps_descend_and_never_pass_the_minimum(data, h, norm, s):
    loss, y = convex_loss_and_target(data.draw)
    end = s - norm * loss.invariant_step(s, y, h, norm)
    rounding = 1e-13 * (1 + abs(s) + abs(y))
    assert loss.value(end, y) <= loss.value(s, y) * (1 + 1e-12) + rounding
    match loss:
        case Hinge(margin=wanted) | SquaredHinge(margin=wanted):
            assert y * end <= max(wanted, y * s) + rounding
        case EpsilonInsensitive(epsilon=tube):
            assert abs(end - y) >= min(tube, abs(s - y)) - rounding
        case Squared() | Power() | Absolute() | Quantile():
            assert (end - y) * math.copysign(1, s - y) >= -rounding


@pytest.mark.parametrize("loss", [*KINKED, SquaredHinge(), Squared()], ids=repr)
def test_a_great_weight_reaches_the_minimum(loss):
    for y in targets(loss):
        s = scores(loss, y)
        end = s - 0.7 * loss.invariant_step(s, y, 1e6, 0.7)
        np.testing.assert_allclose(loss.value(end, y), 0, atol=1e-14)


@pytest.mark.parametrize("loss", [*CONVEX, Perceptron()], ids=repr)
def test_small_weights_and_fixed_scores_take_the_plain_step(loss):
    for y in targets(loss):
        s = smooth_scores(loss, y)
        derivative = loss.derivative(s, y)
        for h in (1e-8, 1e-13):
            np.testing.assert_allclose(
                loss.invariant_step(s, y, h, 0.5), h * derivative, rtol=1e-5, atol=0
            )
        np.testing.assert_array_equal(loss.invariant_step(s, y, 3.0, 0.0), 3.0 * derivative)
        np.testing.assert_array_equal(loss.invariant_step(s, y, 0.0, 2.0), 0.0)


@every_convex
def test_step_agrees_with_the_integrated_flow(loss):
    h, norm, count = 1.5, 0.8, 1000
    dh = h / count
    pairs = [(s, y) for y in targets(loss) for s in scores(loss, y, reach=3.0, count=31)]
    start, y = np.array(pairs).T
    s = start
    for _ in range(count):  # Runge and Kutta's fourth-order step
        k1 = -norm * loss.derivative(s, y)
        k2 = -norm * loss.derivative(s + dh / 2 * k1, y)
        k3 = -norm * loss.derivative(s + dh / 2 * k2, y)
        k4 = -norm * loss.derivative(s + dh * k3, y)
        s = s + dh / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    # at a kink the integration oscillates by a step of size norm * dh
    tolerance = norm * dh if loss in KINKED else 1e-8
    end = start - norm * loss.invariant_step(start, y, h, norm)
    np.testing.assert_allclose(end, s, rtol=0, atol=tolerance)


@unhurried
@given(st.floats(-60, 60), st.floats(1e-9, 1e4), st.floats(1e-9, 1e4))
def test_logistic_step_solves_its_equation_to_all_digits(margin, h, norm):
    moved = -norm * Logistic().invariant_step(margin, 1, h, norm)
    way = moved + math.exp(margin) * math.expm1(moved)
    assert way == pytest.approx(norm * h, rel=1e-12)


def test_steps_from_far_away_neither_overflow_nor_vanish():
    assert Logistic().invariant_step(-1e4, 1, 5e3, 1.0) == -5e3
    assert Logistic().invariant_step(-1e4, 1, 1e4, 1.0) == pytest.approx(-1e4 + 0.567143290409784)
    assert Logistic().invariant_step(1e4, 1, 1e6, 1.0) == pytest.approx(0, abs=1e-290)
    assert Exponential().invariant_step(-1e4, 1, 1.0, 1.0) == -1e4
    assert Exponential().invariant_step(1e4, 1, 1.0, 1.0) == 0.0
    assert Squared().invariant_step(1e150, 0.0, 1e150, 1e150) == 1.0


@unhurried
@given(
    st.floats(-5, 5),
    st.sampled_from([-1, 1]),
    st.floats(0.1, 3),
    st.floats(0, 5),
    st.floats(0.1, 9),
)
def test_hinge_step_is_passive_aggressive(s, y, margin, aggressiveness, norm):
    loss = Hinge(margin)
    wanted = -y * min(aggressiveness, loss.value(s, y) / norm)
    assert loss.invariant_step(s, y, aggressiveness, norm) == pytest.approx(wanted, rel=1e-15)


def test_perceptron_step_is_the_perceptron_update():
    assert Perceptron().invariant_step(-0.1, 1, 2.5, 4.0) == -2.5
    assert Perceptron().invariant_step(0.1, 1, 2.5, 4.0) == 0.0


# -- interface -----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [*CONVEX, Perceptron()], ids=repr)
def test_floats_give_floats_and_arrays_broadcast(loss):
    y = np.array(targets(loss))
    s = np.linspace(-2, 2, 5)[:, None]
    methods = [loss.value, loss.derivative, lambda s, y: loss.invariant_step(s, y, 0.3, 2.0)]
    if loss != Perceptron():
        methods.append(loss.conjugate)
    for method in methods:
        table = method(s, y)
        assert table.shape == (5, len(y))
        alone = method(float(s[1, 0]), float(y[0]))
        assert type(alone) is float
        assert alone == pytest.approx(table[1, 0], rel=1e-15)
        assert method(np.empty((0,)), y[0]).shape == (0,)
    assert type(loss.value(np.float32(0.5), 1)) is float
    assert type(loss.value(0, 1)) is float


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_nan_is_not_swallowed(loss):
    with np.errstate(invalid="ignore"):
        assert math.isnan(loss.value(math.nan, 1))
        if loss != ZeroOne():
            assert math.isnan(loss.derivative(math.nan, 1))


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_losses_are_small_frozen_values_found_by_name(loss):
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert hash(loss) == hash(eval(repr(loss), vars(losses)))
    assert not hasattr(loss, "__dict__")
    assert losses.get(loss) is loss
    assert losses.get(loss.name) == type(loss)()
    assert type(loss).__name__ in losses.__all__
    with pytest.raises((AttributeError, TypeError)):  # Python 3.11: TypeError for non-fields
        loss.lipschitz = 3.0
    for field in dataclasses.fields(loss):
        with pytest.raises(AttributeError):
            setattr(loss, field.name, 0.5)


def test_unknown_losses():
    with pytest.raises(ValueError, match=r"loss='hing' .*'logistic', 'hinge'.*mean 'hinge'\?"):
        losses.get("hing")
    with pytest.raises(
        ValueError, match=r"loss='#' is not one of .*'log_wealth', 'power', 'zero_one'$"
    ):
        losses.get("#")
    with pytest.raises(ValueError, match="must be a name or a Loss"):
        losses.get(Hinge)
    with pytest.raises(TypeError, match="abstract"):
        losses.Loss()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hinge(0.0), "margin=0.0 must be positive"),
        (lambda: Hinge(math.inf), "margin=inf must be positive and finite"),
        (lambda: SquaredHinge(-1), "margin=-1 must be positive"),
        (lambda: Quantile(1.2), r"tau=1.2 is outside \(0, 1\)"),
        (lambda: Quantile(0), r"tau=0 is outside \(0, 1\)"),
        (lambda: Quantile(math.nan), r"tau=nan is outside \(0, 1\)"),
        (lambda: Power(1.5), "p=1.5 is outside \\[2, inf\\)"),
        (lambda: Power(math.nan), "p=nan is outside"),
        (lambda: EpsilonInsensitive(-0.1), "epsilon=-0.1 must be finite and not negative"),
        (lambda: Squared().exp_concavity(0), "bound=0 must be positive"),
        (lambda: Absolute().exp_concavity(math.nan), "bound=nan must be positive"),
        (lambda: Hinge().value(0.5, 0), "target=0 is not a label: use -1 and [+]1"),
        (lambda: Logistic().derivative(np.zeros(3), np.array([1.0, -1, 2])), "target=2 is not"),
        (lambda: Squared().invariant_step(0.0, 1.0, -2.0, 1.0), "h=-2 must be finite and >= 0"),
        (lambda: Squared().invariant_step(0.0, 1.0, math.nan, 1.0), "h=nan must be finite"),
        (lambda: Squared().invariant_step(0.0, 1.0, 1.0, math.inf), "squared_norm=inf must be"),
        (lambda: ZeroOne().derivative(0.5, 1), "ZeroOne.*is not convex"),
        (lambda: ZeroOne().conjugate(0.5, 1), "ZeroOne.*is not convex"),
        (lambda: ZeroOne().invariant_step(0.5, 1, 1.0, 1.0), "ZeroOne.*is not convex"),
        (lambda: Perceptron().conjugate(0.5, 1), "Perceptron.*is not convex"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_scipy_is_imported_only_when_used():
    code = """
import sys
from regretless import losses
losses.Logistic().derivative(1.0, 1)
assert "scipy" not in sys.modules
losses.Logistic().invariant_step(1.0, 1, 1.0, 1.0)
assert "scipy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_log_wealth():
    """The investor's loss: its slope, its conjugate, its flow, and that it is 1-exp-concave."""
    loss, s = losses.LogWealth(), np.array([0.1, 0.5, 1.0, 3.0])
    h = 1e-6
    slope = (loss.value(s + h, 0.0) - loss.value(s - h, 0.0)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(s, 0.0), slope, rtol=1e-8)
    for dual in (-0.2, -1.0, -7.0):  # the supremum is at s = -1 / dual
        grid = np.linspace(1e-3, 20.0, 200_001)
        assert loss.conjugate(dual, 0.0) == pytest.approx(
            float(np.max(dual * grid - loss.value(grid, 0.0))), abs=1e-6
        )
    assert loss.conjugate(0.5, 0.0) == math.inf
    assert loss.value(0.0, 0.0) == loss.value(-1.0, 0.0) == math.inf
    # s(h)^2 = s^2 + 2 n h, in one go or in two
    assert 2.0 - 0.3 * loss.invariant_step(2.0, 0.0, 5.0, 0.3) == pytest.approx(math.sqrt(7.0))
    half = 2.0 - 0.3 * loss.invariant_step(2.0, 0.0, 2.0, 0.3)
    assert half - 0.3 * loss.invariant_step(half, 0.0, 3.0, 0.3) == pytest.approx(math.sqrt(7.0))
    assert loss.exp_concavity(2.0) == 1.0
    with pytest.raises(ValueError, match="log_wealth"):
        LinearRegressor(loss="log_wealth").learn_one({"a": 1.0}, 1.0)
