"""Players around others: doubling, linearised losses, learning from mistakes only."""

import math

import numpy as np
import pytest

from regretless import rates
from regretless.domains import Ball, Box
from regretless.geometry import Entropy, Euclidean
from regretless.linear import LinearClassifier, Perceptron
from regretless.oco.convex_losses import (
    ConvexLoss,
    LinearLoss,
    ScoreLoss,
    SquaredDistance,
    check_convex,
)
from regretless.oco.leader import FollowTheRegularizedLeader
from regretless.oco.wrappers import DoublingTrick, Linearized, MistakeOnly

# A sum of some hundred terms of size about 1, in another order.
ROUNDING = 1e-12


def regularized(geometry=None, dimension=2, domain=None, **options):
    return FollowTheRegularizedLeader(geometry or Euclidean(), dimension, domain=domain, **options)


# --- doubling ---------------------------------------------------------------------------------


def tuned(horizon):
    return regularized(dimension=3, domain=Ball(1.0), rate=rates.for_horizon(1.0, 1.0, horizon))


def test_each_period_is_a_fresh_player_with_its_horizon():
    rows = np.random.default_rng(12).normal(size=(45, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    player = DoublingTrick(tuned)
    for t, z in enumerate(rows, 1):
        if t & (t - 1) == 0:
            base = tuned(t)
        np.testing.assert_array_equal(player.point, base.point)
        assert player.update(z) == base.update(z)
    assert [p.rounds for p in player.periods] == [1, 2, 4, 8, 16, 14]
    assert player.rounds == 45
    np.testing.assert_allclose(player.gradient_sum, rows.sum(axis=0), atol=ROUNDING)
    certificate = player.certificate()
    assert certificate.holds
    periods = [p.certificate(player.domain) for p in player.periods]
    assert certificate.bounds["periods"] == pytest.approx(sum(c.bound for c in periods))
    assert certificate.regret <= sum(c.regret for c in periods) + ROUNDING
    # alpha = B L = 1 for gradient descent with this tuning
    assert certificate.bounds["sqrt(T)"] <= 3.414214 * math.sqrt(45)
    assert certificate.bounds["periods"] <= certificate.bounds["sqrt(T)"]


def test_a_run_of_doubling_is_its_rounds_and_goes_on():
    rows = np.random.default_rng(13).normal(size=(50, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    single, whole = DoublingTrick(tuned), DoublingTrick(tuned)
    suffered = [single.update(z) for z in rows]
    u = np.array([1.0, 0.0, 0.0])
    first, second = whole.run(rows[:5]), whole.run(rows[5:])
    np.testing.assert_allclose([*first.losses, *second.losses], suffered, atol=ROUNDING)
    assert len(first.points) == 5
    np.testing.assert_allclose(whole.point, single.point, atol=ROUNDING)
    assert whole.certificate().bounds == pytest.approx(single.certificate().bounds, rel=ROUNDING)
    # the second run is told what was there before
    curve = np.concatenate([first.bound_curve(u), second.bound_curve(u) + first.regret(u)])
    regret = np.cumsum(np.array(suffered) - rows @ u)
    assert (regret <= curve).all()
    expected = sum(
        p.certificate(u).bounds["dual"] if p is whole.periods[-1] else p.certificate(u).bound
        for p in whole.periods
    )
    assert curve[-1] <= expected
    copied = whole.copy()
    copied.update(rows[0])
    assert whole.rounds == 50
    assert copied.rounds == 51


def test_doubling_golden():
    """Exponential weights with eta = sqrt(8 log N / 2^k), Mohri et al. (2018), section 8.2.4:
    advice, outcomes, forecasts.
    """
    advice = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]], float)
    outcomes = np.array([0, 1, 1, 0, 1, 0])
    player = DoublingTrick(lambda T: regularized(Entropy(), 3, rate=math.sqrt(8 * math.log(3) / T)))
    forecasts = []
    for row, y in zip(advice, outcomes):
        forecasts.append(player.point @ row)
        player.update((row - y) ** 2)
    golden = [0.6666666667, 0.6666666667, 0.5289487103, 0.3333333333, 0.4490116193, 0.2179524113]
    np.testing.assert_allclose(forecasts, golden, atol=5e-11)
    assert [p.rate.eta for p in player.periods] == pytest.approx(
        [2.9646076147, 2.0962941479, 1.4823038074], abs=5e-11
    )


def test_doubling_refuses_what_is_no_factory():
    with pytest.raises(ValueError, match="not a player"):
        DoublingTrick(lambda T: T)
    player = DoublingTrick(lambda T: regularized(dimension=min(T, 2)))
    with pytest.raises(ValueError, match="has dimension 2, not 1"):
        player.update([1.0])
    assert player.rounds == 0  # the next period could not be made, so the round did not happen
    played = tuned(1)
    played.update(np.zeros(3))
    with pytest.raises(ValueError, match="has played 1 rounds"):
        DoublingTrick(lambda T: played)
    player = DoublingTrick(tuned)
    with pytest.raises(ValueError, match="gradient has shape"):
        player.update([1.0])
    assert player.rounds == 0


# --- wrappers ---------------------------------------------------------------------------------


def test_linearised_convex_losses():
    rng = np.random.default_rng(14)
    player, base = Linearized(regularized(rate=0.2)), regularized(rate=0.2)
    centers, lost = rng.normal(size=(40, 2)), 0.0
    for z in centers:
        w = player.point
        np.testing.assert_array_equal(w, base.point)
        lost += np.abs(w - z).sum()
        player.update(lambda w, z=z: np.abs(w - z).sum(), lambda w, z=z: np.sign(w - z))
        base.update(np.sign(w - z))
    assert player.rounds == 40
    assert player.loss == pytest.approx(lost)
    u = np.median(centers, axis=0)
    assert player.regret(u) == pytest.approx(lost - np.abs(centers - u).sum())
    certificate = player.certificate(u)
    assert certificate.holds
    assert certificate.regret <= base.certificate(u).regret + ROUNDING
    assert certificate.bounds == base.certificate(u).bounds


def test_linearised_sees_that_a_gradient_is_wrong():
    player = Linearized(regularized(rate=0.2))
    for _ in range(20):
        player.update(lambda w: (w[0] - 3) ** 2, lambda w: -2 * (w - [3, 0]))
    certificate = player.certificate([3.0, 0.0])
    assert not certificate.assumptions["the losses are above their tangents"]
    assert not certificate.holds


def test_linearised_bad_input_changes_nothing():
    player = Linearized(regularized())
    for value, gradient in [
        (lambda w: math.nan, lambda w: w),
        (lambda w: 1.0, lambda w: [1.0]),
        (lambda w: 1.0, lambda w: w * math.nan),
    ]:
        with pytest.raises(ValueError, match="loss"):
            player.update(value, gradient)
        assert player.rounds == player.player.rounds == 0
    player.learn(LinearLoss(np.ones(2)))
    copied, cloned = player.copy(), player.clone()
    copied.learn(LinearLoss(np.ones(2)))
    assert (player.rounds, copied.rounds, cloned.rounds, cloned.player.rounds) == (1, 2, 0, 0)


def separable(n=60, d=4, seed=15):
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=d), rng.normal(size=(n, d))
    X = X[np.abs(X @ u) > 0.1]
    return X, np.sign(X @ u)


@pytest.mark.parametrize("eta", [0.01, 1.0, 7.0])
def test_hinge_on_mistakes_only_is_the_perceptron(eta):
    X, y = separable()
    player, w, mistakes = MistakeOnly(regularized(dimension=4, rate=eta)), np.zeros(4), 0
    for x, label in zip(X, y):
        assert player.predict_one(x) == (1 if w @ x >= 0 else -1)
        if label * (w @ x) <= 0:
            w, mistakes = w + label * x, mistakes + 1
        player.learn_one(x, label)
        np.testing.assert_allclose(player.learner.point, eta * w, atol=1e-12 * eta)
    assert player.mistakes == mistakes == player.learner.rounds
    assert player.rounds == len(X)
    assert 0 < mistakes < len(X)


@pytest.mark.parametrize("eta", [0.01, 1.0, 7.0])
def test_learners_on_mistakes_only(eta):
    X, y = separable(seed=16)
    # both labels are known, and both rounds are mistakes, before the comparison begins
    X, y = np.vstack([X[:1], X[:1] / 2, X]), np.array([y[0], -y[0], *y])
    hinge = LinearClassifier(loss="hinge", rule="ogd", rate=rates.Constant(eta), intercept=False)
    plain, wrapped = Perceptron(intercept=False), MistakeOnly(hinge)
    everything = hinge.clone()
    for x, label in zip(X, y):
        if (
            plain.predict_one(x) is not None and abs(plain.decision_one(x)) > 1e-4
        ):  # weights are floats
            assert wrapped.predict_one(x) == plain.predict_one(x)
        for learner in (plain, wrapped, everything):
            learner.learn_one(x, label)
    assert wrapped.rounds == len(X)
    assert 2 < wrapped.mistakes < len(X)
    if eta < 1:  # where the margin matters, learning from all rounds is something else
        assert everything.decision_one(X[0]) != pytest.approx(hinge.decision_one(X[0]), rel=0.01)


def test_mistakes_are_bounded_by_the_hinge():
    """M <= ||u||^2 / (2 eta) + eta R^2 M / 2 + hinges of u on the rounds passed on.

    Srebro (lecture 16), slide back to the Perceptron.
    """
    X, y = separable(seed=17)
    y[::7] *= -1
    u, eta = np.linalg.lstsq(X, y, rcond=None)[0], 0.2
    player = MistakeOnly(regularized(dimension=4, rate=eta))
    hinges = squares = 0.0
    for x, label in zip(X, y):
        before = player.mistakes
        player.learn_one(x, label)
        if player.mistakes > before:
            hinges, squares = hinges + max(0, 1 - label * (u @ x)), squares + x @ x
    assert player.mistakes <= u @ u / (2 * eta) + eta * squares / 2 + hinges


def test_mistake_only_bad_input():
    with pytest.raises(ValueError, match="no learn_one"):
        MistakeOnly(3)
    with pytest.raises(ValueError, match="classification"):
        MistakeOnly(regularized(), loss="squared")
    player = MistakeOnly(regularized())
    for x, y in [([1.0], 1), ([1.0, math.nan], 1), ([1.0, 1.0], 3)]:
        with pytest.raises(ValueError, match=r"x|y=3"):
            player.learn_one(x, y)
    assert player.rounds == player.mistakes == player.learner.rounds == 0
    player.learn_one([1.0, 0.0], 1)
    assert player.copy().mistakes == 1
    assert player.clone().mistakes == player.clone().learner.rounds == 0


def test_losses_of_ones_own_are_checked():
    """Convex ones pass; a wrong sign, a wrong slope and a function with a hollow are found."""
    for good in (
        SquaredDistance(np.array([1.0, -2.0])),
        ScoreLoss("hinge", np.array([1.0, 2.0]), 1.0),
        ConvexLoss(
            lambda w: float(np.abs(w).max()), lambda w: np.sign(w) * (abs(w) == abs(w).max())
        ),
    ):
        check_convex(good, 2)
    for value, gradient in (
        (lambda w: -float(w @ w), lambda w: -2.0 * w),
        (lambda w: float(w @ w), lambda w: 3.0 * w),
        (lambda w: float(np.sum(np.cos(w))), lambda w: -np.sin(w)),
    ):
        with pytest.raises(ValueError, match=r"below .*: the loss is not convex, or its gradient"):
            check_convex(ConvexLoss(value, gradient), 2)
    # concave beyond 1, but not in the domain
    bent = ConvexLoss(
        lambda w: float(np.sum(np.clip(w, -1, 1) ** 2)), lambda w: 2 * w * (abs(w) < 1)
    )
    check_convex(bent, 2, Box(-0.9, 0.9))
    with pytest.raises(ValueError, match="not convex"):
        check_convex(bent, 2)
