"""Traces worked out by hand in the specifications of the texts."""

import math

import numpy as np
import pytest
from reference.comparison import weights_of
from reference.streams import far_away

from regretless import rates, rules
from regretless.linear import LinearClassifier, LinearRegressor, PassiveAggressive, Perceptron

FIVE = np.array([(1, 2), (-1, 1), (2, -1), (-1, -1), (1, -1)], float)
SIGNS = np.array([1, -1, 1, -1, 1])


def trace(model, X, y):
    """Margins before and weights after every round."""
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    margins, weights = [], []
    for x, label in zip(X, y.tolist(), strict=True):
        margins.append(label * model.decision_one(x))
        model.learn_one(x, label)
        weights.append(weights_of(model, len(x)))
    return np.array(margins), np.array(weights)


def played(rule, X, gradients, **options):
    """The weights after every round of a linear game: the gradient of round t is its row."""
    model = LinearRegressor(loss="absolute", rule=rule, intercept=False, **options)
    out = []
    for x, y, h in far_away(X, gradients):
        model.learn_one(x, y, h)
        out.append(weights_of(model, len(x)))
    return np.array(out)


# -- Perceptron -----------------------------------------------------------------------------------


def test_perceptron_survey_d6():
    """Shalev-Shwartz (2012), Theorem 3.9: M = {1, 2, 4}."""
    X = np.array([(1, 2), (-1, 1), (2, -1), (0.5, 0.5)])
    margins, weights = trace(Perceptron(intercept=False), X, np.array([1, -1, 1, -1]))
    assert weights.tolist() == [[1, 2], [2, 1], [2, 1], [1.5, 0.5]]
    assert np.flatnonzero(margins <= 0).tolist() == [0, 1, 3]


def test_perceptron_textbook_7():
    """Updates at t = 1, 2; the mean of the weights played is (1.4, 1).

    Mohri et al. (2018), section 8.3.1.
    """
    margins, weights = trace(Perceptron(intercept=False), FIVE, SIGNS)
    assert margins.tolist() == [0, -1, 3, 3, 1]
    assert weights[-1].tolist() == [2, 1]
    assert np.vstack([np.zeros(2), weights[:-1]]).mean(axis=0).tolist() == [1.4, 1.0]


@pytest.mark.parametrize("rounds", [1, 7, 64])
def test_perceptron_textbook_exercise_8_3(rounds):
    """Unit vectors: exactly T updates, which is r^2 / rho^2 with rho = 1 / sqrt(T)."""
    margins, weights = trace(Perceptron(intercept=False), np.eye(rounds), np.ones(rounds, int))
    assert (margins <= 0).sum() == rounds
    u = weights[-1] / np.linalg.norm(weights[-1])
    assert 1 / min(u) ** 2 == pytest.approx(rounds)


def exponential_instance(n):
    """Y_i x_i = (-1, ..., -1, +1, 0, ..., 0), with the +1 at place i.

    Mohri et al. (2018), Exercise 8.1.
    """
    signed = np.eye(n) - np.tri(n, k=-1)
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    return signed * y[:, None], y


@pytest.mark.parametrize("n", range(1, 7))
def test_perceptron_textbook_exercise_8_1(n):
    """Cycling through n points takes (4^n - 1) / 3 updates and ends at (1, 2, 4, ..., 2^(n-1))."""
    X, y = exponential_instance(n)
    model, updates = Perceptron(intercept=False), 0
    for _ in range(4**n):  # every pass but the last has an update
        margins, weights = trace(model, X, y)
        updates += int((margins <= 0).sum())
        if (margins > 0).all():
            break
    assert updates == (4**n - 1) // 3
    assert weights[-1].tolist() == (2.0 ** np.arange(n)).tolist()


# -- gradient descent and its mirrors -------------------------------------------------------------


def test_ftrl_on_linear_losses_lecture_2():
    """Its Psi is ||w||^2, so that eta_t = B / (sqrt(8) G sqrt(t)).

    Srebro (lecture 16), slide FTRL for Linear Problems with G = 2, B = 1.
    """
    g = np.array([(2, 0), (0, -2), (1.2, 1.6)])
    weights = played(rules.OGD(rates.InverseSqrt(1 / (math.sqrt(8) * 2)), lazy=True), g, np.ones(3))
    expected = [(-0.3535533906, 0), (-0.25, 0.25), (-0.3265986324, 0.0408248290)]
    np.testing.assert_allclose(weights, expected, rtol=1e-6)


def test_follow_the_leader_on_quadratics_survey_c2():
    """Z = 1, 3, -2 is answered by 0, 1, 2, 2/3, at a loss of 10.5 = 21 / 2.

    Shalev-Shwartz (2012), Corollary 2.2.
    """
    model, weights = LinearRegressor(loss="squared", rule=rules.OGD(rates.Inverse(0.5))), [0.0]
    for z in (1.0, 3.0, -2.0):
        model.learn_one({}, z)
        weights.append(model.intercept_)
    assert weights == pytest.approx([0, 1, 2, 0.6666667], rel=1e-6)
    assert model.loss_ == pytest.approx(21)


def test_p_norm_link_survey_2():
    """Shalev-Shwartz (2012), section 2: p = 3 at theta = (1, -2, 2)."""
    weights = played(rules.PNorm(3.0, 1.0), np.array([(-1.0, 2.0, -2.0)]), [1.0])[0]
    np.testing.assert_allclose(weights, (0.3889111187, -1.5556444749, 1.5556444749), rtol=1e-6)
    assert (np.abs(weights) ** 1.5).sum() ** (2 / 3) == pytest.approx(17 ** (1 / 3), rel=1e-6)


def test_conservative_p_norm_primal_dual_3_3():
    """Shalev-Shwartz and Singer (2007), Example 3, p = 3: theta = (2, 1) at the end."""
    model = LinearClassifier(loss="perceptron", rule=rules.PNorm(3.0, 1.0), intercept=False)
    margins, weights = trace(model, FIVE, SIGNS)
    expected = (0, -1.4422495703, 3.3652489974, 2.4037492838, 1.4422495703)
    np.testing.assert_allclose(margins, expected, rtol=1e-6)
    np.testing.assert_allclose(weights[-1], (1.9229994271, 0.4807498568), rtol=1e-6)


def test_eg_on_one_feature_is_a_hyperbolic_tangent():
    """Two experts, +x and -x: w = U tanh(eta theta)."""
    weights = played(rules.EG(3.0, 0.25), np.ones((4, 1)), [-1.0, -2.0, 5.0, 100.0])[:, 0]
    np.testing.assert_allclose(weights, 3 * np.tanh(0.25 * np.array([1, 3, -2, -102])), rtol=1e-12)


def test_coin_by_hand():
    """One feature, wealth 1: bets 0, 1/2, 1; no bet at the kink; a larger target, a larger bet."""
    model = LinearRegressor(loss="absolute", rule=rules.Coin(wealth=1.0), intercept=False)
    bets = []
    for y in (1.0, 1.0, 1.0, 4.0):
        bets.append(model.predict_one([1.0]))
        model.learn_one([1.0], y)
    assert [*bets, model.predict_one([1.0])] == [0.0, 0.5, 1.0, 1.0, (4 + 1.5) * 3 / 4]


def test_adagrad_and_ftrl_by_hand():
    """The first step of AdaGrad has length eta; FTRL's is z / ((beta + |z|) / alpha), less l1."""
    weights = played(rules.AdaGrad(0.5), np.array([(3.0, -0.125), (4.0, 0.0)]), [1.0, 1.0])
    np.testing.assert_allclose(weights, [[-0.5, 0.5], [-0.5 - 0.5 * 4 / 5, 0.5]], rtol=1e-6)
    weights = played(rules.FTRL(0.5, beta=1.0), np.array([(3.0, -0.125)]), [1.0], l1=1.0, l2=2.0)
    np.testing.assert_allclose(weights, [[-(3 - 1) / ((1 + 3) / 0.5 + 2), 0.0]], rtol=1e-6)


# -- passive-aggressive: Shalev-Shwartz and Singer (2007), section 5
# -----------------------------------------------------------


def ascent(model):
    """(loss, alpha, dual) of every round on the five points divided by sqrt(5), and theta."""
    X = FIVE / math.sqrt(5)
    margins, weights = trace(model, X, SIGNS)
    steps = np.diff(np.vstack([np.zeros(2), weights]), axis=0)
    alpha = np.sum(steps * X, axis=1) * SIGNS / np.sum(X * X, axis=1)
    dual = np.cumsum(alpha) - np.sum(weights**2, axis=1) / 2
    return np.array([1 - margins, alpha, dual]).T, weights[-1]


def test_conservative_ascent_primal_dual_13():
    """C = 1/2: the Perceptron with rate C."""
    rounds, theta = ascent(Perceptron(rate=0.5, intercept=False))
    expected = [
        (1, 0.5, 0.375),
        (1.1, 0.5, 0.875),
        (0.7, 0, 0.875),
        (0.7, 0, 0.875),
        (0.9, 0, 0.875),
    ]
    np.testing.assert_allclose(rounds, expected, atol=1e-6)
    np.testing.assert_allclose(theta, (0.4472135955, 0.2236067977), rtol=1e-6)


@pytest.mark.parametrize(
    ("C", "expected", "theta"),
    [
        (
            0.5,
            [
                (1, 0.5, 0.375),
                (1.1, 0.5, 0.875),
                (0.7, 0.5, 1.1),
                (0.6, 0.5, 1.35),
                (0.6, 0.5, 1.6),
            ],
            None,
        ),
        (
            1.5,
            [
                (1, 1, 0.5),
                (1.2, 1.5, 1.85),
                (0.1, 0.1, 1.855),
                (0.38, 0.95, 2.0355),
                (0.54, 1.35, 2.4),
            ],
            (2.2360679775, 0),
        ),
    ],
)
def test_passive_aggressive_primal_dual_13(C, expected, theta):
    """The exact single-coordinate ascent, with C = 1/2 (which cuts every step short) and C = 3/2."""
    rounds, final = ascent(PassiveAggressive(C=C, intercept=False))
    np.testing.assert_allclose(rounds, expected, atol=2e-6)
    if theta:
        np.testing.assert_allclose(final, theta, atol=1e-6)
