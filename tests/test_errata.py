"""Where a text is misprinted: the printed version fails, the one built here holds."""

import math

import numpy as np
import pytest
from reference.dual import pnorm_link
from reference.losses import REGRESSION, hinge
from reference.streams import Stream, far_away, single
from reference.traces import record

from regretless import rates, rules
from regretless.linear import LinearClassifier, LinearRegressor, PassiveAggressive, Perceptron


def play(rule, Z):
    """A linear game with the gradients `Z`: the trace of the library's learner."""
    learner = LinearRegressor(loss="absolute", rule=rule, intercept=False)
    return record(learner, REGRESSION["absolute"], far_away(Z, np.ones(len(Z))))


def linear_regret(trace, u):
    """sum <w_t - u, z_t>."""
    return trace.linear - float(u @ trace.gradients.sum(axis=0))


# -- survey ---------------------------------------------------------------------------------------


def test_survey_the_step_of_eg():
    """Cor 2.14 prints eta = sqrt(log d / (2 T)) / L for B L sqrt(2 T log d): it gives 1.77 / 1.41 of it.

    Zigzags, on which each round costs eta / 2, and then one way, which costs log(d) / eta. With one
    feature, EG+- is EG over the two experts +x and -x.
    """
    T, U, log_d = 5000, 3.0, math.log(2)
    z = np.where(np.arange(T) % 2 == 0, 1.0, -1.0)
    z[-500:] = -1.0
    promised = U * math.sqrt(2 * T * log_d)
    printed, mended = math.sqrt(log_d / (2 * T)), math.sqrt(2 * log_d / T)
    u = np.array([U])
    assert linear_regret(play(rules.EG(U, printed), z[:, None]), u) > 1.15 * promised
    assert 0.9 * promised < linear_regret(play(rules.EG(U, mended), z[:, None]), u) <= promised


def test_survey_the_constants_of_the_p_norm():
    """The printed link has curvature p - 1, which the printed regulariser and bound leave out.

    From theta = c (1, ..., 1) the rows v, -v, v, ... of balanced signs meet the full curvature.
    """
    p, q, eta, c, d = 10.0, 10 / 9, 0.01, 16.0, 4
    v = np.array([1.0, -1.0, 1.0, -1.0])
    Z = np.vstack([np.full((1, d), -c), *([v], [-v]) * 300])
    trace, size = play(rules.PNorm(p, eta), Z), np.sum(np.linalg.norm(Z, p, axis=1) ** 2)
    for u in (np.zeros(d), 0.02 * np.ones(d)):
        norm, regret = np.linalg.norm(u, q), linear_regret(trace, u)
        assert regret > norm**2 / (2 * eta * (q - 1)) + eta * size  # Cor 2.18 as printed
        assert regret <= norm**2 / (2 * eta) + eta / (2 * (q - 1)) * size  # convention A, dual form
    # the printed regulariser needs the link times q - 1, with which its bound does hold
    other = play(rules.PNorm(p, eta * (q - 1)), Z)
    assert linear_regret(other, np.zeros(d)) <= eta * size


def test_survey_where_gradient_descent_starts():
    """The box has lost w_1 = 0: from another point the bound fails against u = 0."""
    eta, start, T = 0.125, 8.0, 64
    bound = eta / 2 * T
    assert sum(start - eta * t for t in range(T)) > 30 * bound  # w_t = w_1 - eta (t - 1), z_t = 1
    assert linear_regret(play(rules.OGD(eta), np.ones((T, 1))), np.zeros(1)) <= bound


def test_survey_a_score_of_zero_is_a_mistake():
    """With `<` for `<=` in the loss of 3.3.1 the Perceptron never begins; Mohri et al. (2018),
    Figure 8.6 alike.
    """
    rng = np.random.default_rng(0)
    X = single(rng.normal(size=(300, 3)))
    X[:, 0] = np.where(X[:, 0] > 0, 1, -1) * np.maximum(np.abs(X[:, 0]), 0.25)
    y = np.where(X[:, 0] > 0, 1, -1)
    w = np.zeros(3)
    for x, label in zip(X, y, strict=True):
        w = w + label * x * (label * (w @ x) < 0)
    assert not w.any()
    learner = Perceptron(intercept=False)
    learner.partial_fit(X[:0, :0], [], classes=[-1, 1])
    trace = record(learner, hinge(), Stream(X, y, np.ones(300)))
    largest = np.linalg.norm(X, axis=1).max()
    assert trace.mistakes[0]
    assert trace.mistakes.sum() <= (largest / 0.25) ** 2
    assert trace.mistakes[-100:].sum() < 20


# -- lecture --------------------------------------------------------------------------------------


def test_lecture_ftrl_linear_regret_expression():
    """The slide's sum of (lambda_t / t) B^2 + 2 G^2 / lambda_t is below the regret of its own player."""
    m, B, G = 400, 1.0, 1.0
    lam = (
        10.0 * G / B
    )  # lambda_t = lambda: w_{t+1} is -1 / (2 lambda) times the mean of the gradients
    trace = play(rules.OGD(rates.Inverse(1 / (2 * lam)), lazy=True), np.full((m, 1), G))
    average = linear_regret(trace, np.array([-B])) / m
    t = np.arange(1, m + 1)
    assert average > 2 * np.mean(lam / t * B**2 + 2 * G**2 / lam)
    assert average <= np.mean(lam * B**2 + 2 * G**2 / (lam * t))
    # and with the slide's lambda_t only the mended sum gives the slide's bound
    lam = np.sqrt(2 * G**2 / (B**2 * t))
    bound = math.sqrt(32 * G**2 * B**2 / m)
    assert (
        np.mean(lam * B**2 + 2 * G**2 / (lam * t))
        <= bound
        < np.mean(lam / t * B**2 + 2 * G**2 / lam)
    )


def test_lecture_dual_averaging_strength():
    """argmin <v_t, w> + lambda_t Psi, without the factor t, takes steps that grow."""
    m, B, G = 400, 1.0, 1.0
    z = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    lam = np.sqrt(2 * G**2 / (B**2 * np.arange(1, m + 1)))
    v = np.cumsum(z)
    printed = -v[:-1] / lam[:-1]  # Psi = w^2 / 2, as in the table of section 6
    bound = m * math.sqrt(32 * G**2 * B**2 / m)
    assert printed @ z[1:] > 10 * bound
    rule = rules.OGD(rates.InverseSqrt(B / (math.sqrt(2) * G)), lazy=True)
    assert linear_regret(play(rule, z[:, None]), np.array([B])) <= bound


# -- primal-dual paper and textbook
# ------------------------------------------------------------------


@pytest.mark.parametrize("margin", [0.25, 2.0, 5.0])
def test_primal_dual_passive_aggressive_margin(margin):
    """tau = l / ||x||^2 is printed for gamma = 1; for others l is the loss of that margin.

    With the loss of margin 1 the player of gamma = 2 stops at margin 1 and pays for ever.
    """
    x, C, T = np.array([0.6, 0.8]), 10.0, 200
    learner = PassiveAggressive(C=C, margin=margin, intercept=False)
    learner.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    trace = record(learner, hinge(margin), Stream(np.tile(x, (T, 1)), np.ones(T, int), np.ones(T)))
    assert learner.decision_one(x) == pytest.approx(margin, rel=1e-6)
    w, paid = np.zeros(2), []
    for _ in range(T):
        paid.append(max(0.0, margin - w @ x))
        w = w + min(C, max(0.0, 1 - w @ x)) * x
    mu = [
        np.minimum(each, C) * (each - np.minimum(each, C) / 2) / C for each in (trace.losses, paid)
    ]
    bound = margin**2 / (2 * C)  # u = margin x has no loss
    assert mu[0].sum() <= bound * (1 + 1e-6)
    assert (mu[1].sum() > bound) == (margin > 1)
    # a margin below 1 is overshot instead: the dual gamma a - a^2 / 2 is not at its maximum
    assert margin * (w @ x) - (w @ x) ** 2 / 2 < margin**2 / 2 - 0.01


def test_primal_dual_p_norm_range():
    """p >= 1 is printed, but below 2 the curvature of ||theta||_p^2 / 2 is not p - 1: refused."""
    p, eta = 1.25, 1.0
    theta, lin, size = np.zeros(2), 0.0, 0.0
    for z in np.tile([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]], (25, 1)):
        lin += eta * pnorm_link(theta, p) @ z
        theta, size = theta - z, size + np.linalg.norm(z, p) ** 2
    assert lin + eta / 2 * np.linalg.norm(theta, p) ** 2 > eta * (p - 1) / 2 * size
    with pytest.raises(ValueError, match=r"p=1.25 is outside \[2, 100\]"):
        rules.PNorm(p)
    # (23) at theta = 0 is 0 / 0: the first score is 0
    assert LinearClassifier(rule=rules.PNorm(3.0)).decision_one([1.0]) == 0.0


def test_textbook_exercise_8_1_instance():
    """The underbrace over i components, taken literally, is separated after one update, not 2^N."""
    n = 6
    signed = -np.tri(n)  # y_i x_i: the first i components are -1
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    for order in (np.arange(n), np.arange(n)[::-1]):
        learner = Perceptron(intercept=False)
        learner.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
        stream = Stream((signed * y[:, None])[order], y[order], np.ones(n))
        assert record(learner, hinge(), stream).mistakes.sum() <= 2
        assert not record(learner, hinge(), stream).mistakes.any()
