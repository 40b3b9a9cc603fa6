"""Bandit convex optimisation: its oracle, estimates that are right in the mean, theorems, doubling."""

import math

import numpy as np
import pytest
from reference.bandit_convex import bandit_gradient_descent, exp3, into_ball, into_box, tuned
from reference.bandit_games import distances

from regretless.bandits import (
    BanditGradientDescent,
    BanditMirrorDescent,
    OneArm,
    OnePoint,
    TwoPoint,
)
from regretless.domains import Ball, Box, Everything
from regretless.geometry import Entropy, Euclidean, PNorm, Quadratic
from regretless.oco import OnlineGradientDescent, OnlineMirrorDescent

# Sums of some hundred terms of the size of the largest, in another order.
ROUNDING = 1e-11


def quadratic(A, b, c=0.0):
    """`w'Aw / 2 + <b, w> + c` and its gradient."""
    return (lambda w: 0.5 * w @ A @ w + b @ w + c), (lambda w: A @ w + b)


def directions_of(player, functions):
    """Play, and say in which directions."""
    found, points = [], []
    for f in functions:
        played = player.act()
        at = played[0] if played.ndim == 2 else played
        points.append(player.point)
        found.append((at - player.point) / player.delta)
        player.update([f(p) for p in played] if played.ndim == 2 else f(played))
    return np.array(found), np.array(points)


# --- the algorithms -------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize(
    ("domain", "project"),
    [
        (Ball(1.0), into_ball),
        (Ball(0.3), lambda x: into_ball(x, 0.3)),
        (Box(-0.2, [0.1, 0.4, 0.2]), lambda x: into_box(x, -0.2, np.array([0.1, 0.4, 0.2]))),
        (Everything(), lambda x: x),
    ],
    ids=["ball", "small ball", "box", "everything"],
)
def test_gradient_descent_is_the_oracle(domain, project, points):
    functions = distances(120, 3)
    player = BanditGradientDescent(
        3, domain=domain, rate=0.01, delta=0.2, horizon=120, points=points
    )
    v, played = directions_of(player, functions)
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, rtol=1e-12)
    w, losses, z = bandit_gradient_descent(functions, v, 0.01, 0.2, project, points)
    np.testing.assert_allclose(played, w[:-1], atol=ROUNDING)
    np.testing.assert_allclose(player.point, w[-1], atol=ROUNDING)
    assert player.loss == pytest.approx(losses.sum(), rel=1e-12)
    assert player.rounds == 120
    # Shalev-Shwartz (2012), Corollary 2.17 of these gradients: the certificate is theirs
    other = OnlineGradientDescent(3, rate=0.01, domain=domain)
    for each in z:
        other.update(each)
    mine, theirs = player.certificate(), other.certificate()
    assert mine.bound == pytest.approx(theirs.bound, rel=1e-9)
    assert mine.regret == pytest.approx(theirs.regret, rel=1e-9)


def test_entropy_with_one_arm_is_exp3():
    """The distributions of the printed algorithm that is dealt the same arms.

    Shalev-Shwartz (2012), section 4.2.
    """
    costs = np.random.default_rng(1).random((300, 4))
    player = BanditMirrorDescent(Entropy(), 4, rate=0.05, seed=2)
    arms, played, told = [], [], []
    for row in costs:
        played.append(player.probabilities)
        arms.append(player.act())
        told.append(player.update(row[arms[-1]]))
    np.testing.assert_allclose(
        np.array([*played, player.probabilities]), exp3(arms, told, 0.05, 4), rtol=1e-9
    )
    assert set(arms) == {0, 1, 2, 3}
    assert player.loss == pytest.approx(sum(told))


def test_golden_step_of_exp3():
    """Shalev-Shwartz (2012), Corollary 4.2: d = 3, eta = 0.2, the second arm at a cost of 0.6."""
    seed = next(s for s in range(50) if BanditMirrorDescent(Entropy(), 3, seed=s).act() == 1)
    player = BanditMirrorDescent(Entropy(), 3, rate=0.2, seed=seed)
    player.act()
    player.update(0.6)
    expected = [0.3706893931, 0.2586212139, 0.3706893931]
    np.testing.assert_allclose(player.probabilities, expected, atol=5e-11)


def test_arms_are_drawn_as_likely_as_they_are():
    """A chi-squared statistic of 2 degrees of freedom is below 27.6 but once in a million."""
    w, counts = np.array([0.2, 0.5, 0.0, 0.3]), np.zeros(4)
    random = np.random.default_rng(5)
    for u in random.random(4000):
        counts[OneArm().choose(w, np.array([u]))] += 1
    assert counts[2] == 0
    kept = w > 0
    assert ((counts[kept] - 4000 * w[kept]) ** 2 / (4000 * w[kept])).sum() < 27.6


@pytest.mark.parametrize(
    ("u", "arm"),
    [(0.0, 1), (0.49, 1), (0.5, 1), (1 - 2**-53, 3)],
)
def test_the_ends_of_the_draw(u, arm):
    """Arms without a probability are never drawn, not even where sums round."""
    assert OneArm().choose(np.array([0.0, 0.5, 0.0, 0.5 - 1e-16, 0.0]), np.array([u])) == arm


@pytest.mark.parametrize(
    "geometry",
    [Euclidean(), PNorm(3.0), Quadratic([1.0, 2.0, 4.0]), Quadratic(np.eye(3) + 0.5)],
    ids=["euclidean", "p-norm", "diagonal", "quadratic"],
)
@pytest.mark.parametrize("kind", [OnePoint, TwoPoint], ids=["one", "two"])
def test_any_geometry_is_mirror_descent_of_the_estimates(geometry, kind):
    estimator = kind(0.1)
    player = BanditMirrorDescent(geometry, 3, estimator=estimator, rate=0.02, seed=3)
    other = OnlineMirrorDescent(geometry, 3, rate=0.02)
    for f in distances(60, 3):
        played = player.act()
        value = estimator.ask(f, played)
        first = played if kind is OnePoint else played[0]
        v = (first - player.point) / 0.1
        slope = value / 0.1 if kind is OnePoint else (value[0] - value[1]) / 0.2
        player.update(value)
        other.update(3 * slope * v)
        np.testing.assert_allclose(player.point, other.point, atol=1e-9)
    assert player.certificate().holds
    assert math.isfinite(player.expectation().bound)


# --- estimates are right in the mean --------------------------------------------------------------


@pytest.mark.parametrize("kind", [OnePoint, TwoPoint], ids=["one", "two"])
def test_estimates_of_quadratics_have_the_gradient_as_mean(kind):
    """Smoothing moves a quadratic by a constant only. Within 5 standard errors.

    Shalev-Shwartz (2012), Lemma 4.4.
    """
    random = np.random.default_rng(7)
    M = random.normal(size=(4, 4))
    f, gradient = quadratic(M @ M.T / 4, random.normal(size=4), 0.3)
    w, estimator = random.normal(size=4) / 3, kind(0.4)
    draws = random.normal(size=(8_000, 4))
    z = np.array(
        [estimator.estimate(w, v, estimator.ask(f, estimator.choose(w, v))).gradient for v in draws]
    )
    error = z.std(axis=0) / math.sqrt(len(z))
    assert (np.abs(z.mean(axis=0) - gradient(w)) <= 5 * error).all()
    assert (error < 0.15).all()


def test_one_dimension_is_two_cases():
    """The sphere is {-1, 1}: E z = (f(w + delta) - f(w - delta)) / (2 delta), exactly."""
    f, w, estimator = (lambda w: float(np.exp(w[0]))), np.array([0.2]), OnePoint(0.3)
    z = [estimator.estimate(w, v, f(estimator.choose(w, v))) for v in (np.ones(1), -2 * np.ones(1))]
    mean = (z[0].gradient + z[1].gradient) / 2
    assert mean[0] == pytest.approx((math.exp(0.5) - math.exp(-0.1)) / 0.6, rel=1e-14)
    seen = {BanditGradientDescent(1, horizon=10, delta=0.3, seed=s).act().item() for s in range(30)}
    assert seen == {0.3, -0.3}


def test_one_arm_has_the_costs_as_mean():
    """Exactly: sum_i w_i z^(i) = y."""
    w, y = np.array([0.1, 0.6, 0.3]), np.array([0.9, 0.0, 0.4])
    total = np.zeros(3)
    for u in (0.05, 0.5, 0.9):
        arm = OneArm().choose(w, np.array([u]))
        total += w[arm] * OneArm().estimate(w, np.array([u]), y[arm]).gradient
    np.testing.assert_allclose(total, y, atol=1e-16)


def test_directions_are_uniform():
    """Each coordinate has mean 0 and variance 1/d, and no two rounds have the same."""
    player = BanditGradientDescent(3, horizon=10, delta=0.5, rate=1e-9, seed=11)
    v, _ = directions_of(player, [lambda w: 0.0] * 3000)
    assert (np.abs(v.mean(axis=0)) < 5 / math.sqrt(3 * 3000)).all()
    np.testing.assert_allclose((v**2).mean(axis=0), 1 / 3, atol=5 * math.sqrt(4 / 45 / 3000))
    assert len(np.unique(v[:, 0])) == 3000


# --- theorems -------------------------------------------------------------------------------------


def adversarial(d):
    """Losses that pull away from where the last point was."""
    state = {"sign": np.ones(d)}

    def loss(w):
        value = float(state["sign"] @ w) / d
        state["sign"] = np.where(w > 0, 1.0, -1.0)
        return value

    return loss


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("horizon", [None, 100])
def test_the_pathwise_inequality_holds_in_every_run(seed, inside, points, horizon):
    player = BanditGradientDescent(
        3, domain=Ball(0.8), horizon=horizon, points=points, inside=inside, seed=seed
    )
    for loss in [adversarial(3)] * 50 + distances(50, 3, seed):
        played = player.act()
        player.update(player.estimator.ask(loss, played))
        certificate = player.certificate()
        assert certificate.holds, certificate
        assert certificate.regret <= certificate.bound + 1e-9
    assert player.certificate(np.zeros(3)).holds


@pytest.mark.parametrize("seed", range(5))
def test_the_pathwise_inequality_of_arms(seed):
    """Sum y - min Y <= log d / eta + (eta / 2) sum y^2 / w, both sides from the draws.

    Shalev-Shwartz (2012), Corollary 4.2.
    """
    costs = np.random.default_rng(seed).random((400, 5)) ** 2
    player = BanditMirrorDescent(Entropy(), 5, rate=0.03, seed=seed)
    paid, total = 0.0, np.zeros(5)
    for row in costs:
        w, arm = player.probabilities, player.act()
        player.update(row[arm])
        paid += row[arm] ** 2 / w[arm]
        total[arm] += row[arm] / w[arm]
    certificate = player.certificate()
    assert certificate.bounds["local"] == pytest.approx(math.log(5) / 0.03 + 0.015 * paid)
    assert certificate.regret == pytest.approx(player.loss - total.min())
    assert player.regret() == certificate.regret
    assert player.regret(np.eye(5)[2]) == pytest.approx(player.loss - total[2])
    assert certificate.holds


def test_the_expected_regret_is_within_its_bound():
    """The mean of 40 runs, and the same losses for all; and the bound is not empty."""
    T, functions = 400, distances(400, 2, seed=3)
    u = np.zeros(2)
    theirs = sum(f(u) for f in functions)
    regrets = []
    for seed in range(40):
        player = BanditGradientDescent(2, horizon=T, lipschitz=0.5, most=1.0, seed=seed)
        regrets.append(player.run(functions).loss - theirs)
    found = player.expectation()
    assert found.holds is None  # nobody can see whether losses look at the draws
    assert np.mean(regrets) <= found.bounds["dual"]
    # what the worst point can cost in a round is 1
    assert found.bounds["trivial"] == pytest.approx(0.5 * (2 + player.delta) * T)
    assert found.bound < 3 * T


@pytest.mark.parametrize(("B", "d", "L", "F", "T"), [(1, 2, 1, 1, 100), (0.5, 5, 3, 0.2, 777)])
def test_defaults_are_the_tuning_of_the_spec(B, d, L, F, T):
    player = BanditGradientDescent(d, domain=Ball(B), horizon=T, lipschitz=L, most=F)
    eta, delta, value = tuned(B, d, L, F, T)
    assert player.delta == pytest.approx(delta)
    assert player._player.rate == pytest.approx(eta)
    player.run(lambda w: 0.0, T)
    explicit = 2 * math.sqrt(3 * B * d * F * L) * T**0.75 + B * d * L * math.sqrt(T)
    assert player.expectation().bounds["dual"] == pytest.approx(value) == pytest.approx(explicit)


def test_the_survey_s_own_tuning_and_explicit_value():
    """Cor 4.5: (1 + sqrt 2) sqrt 3 sqrt(B d F L) T^(3/4) + B d L sqrt(2 T), with its eta."""
    B, d, L, F, T = 0.7, 3, 2.0, 0.4, 250
    delta = math.sqrt(B * d * F / (3 * L)) / T**0.25
    eta = B / (d * (F / delta + L) * math.sqrt(2 * T))
    player = BanditGradientDescent(
        d, domain=Ball(B), horizon=T, lipschitz=L, most=F, rate=eta, delta=delta
    )
    player.run(lambda w: 0.0, T)
    explicit = (1 + math.sqrt(2)) * math.sqrt(3 * B * d * F * L) * T**0.75
    explicit += B * d * L * math.sqrt(2 * T)
    assert player.expectation().bounds["forel"] == pytest.approx(explicit)
    assert (1 + math.sqrt(2)) * math.sqrt(3) == pytest.approx(4.1815, abs=1e-4)


def test_two_points_and_inside_have_their_own_bound():
    B, d, L, T = 0.5, 4, 2.0, 90
    player = BanditGradientDescent(d, domain=Ball(B), horizon=T, lipschitz=L, points=2)
    player.run(lambda w: 0.0, T)
    assert player.delta == pytest.approx(B / T)
    assert player.expectation().bounds["dual"] == pytest.approx(
        3 * L * B + B * d * L * math.sqrt(T)
    )
    # inside: 4 in place of 3 for a ball around 0, and comparators of a smaller ball
    inside = BanditGradientDescent(d, domain=Ball(B), horizon=T, lipschitz=L, points=2, inside=True)
    inside.run(lambda w: 0.0, T)
    eta, kept = B / (d * L * math.sqrt(T)), B - B / T
    expected = 4 * L * B + kept**2 / (2 * eta) + eta / 2 * T * (d * L) ** 2
    assert inside.expectation().bounds["dual"] == pytest.approx(expected)


def test_the_bound_of_arms_is_the_corollary():
    """Cor 4.2 with the sharp constant: eta = sqrt(2 log d / (d T)), sqrt(2 d T log d)."""
    d, T = 6, 500
    player = BanditMirrorDescent(Entropy(), d, rate="horizon", horizon=T)
    assert player._player._schedule[1] == pytest.approx(math.sqrt(2 * math.log(d) / (d * T)))
    run = player.run(np.random.default_rng(0).random((T, d)))
    found = player.expectation()
    assert found.bounds["dual"] == pytest.approx(math.sqrt(2 * d * T * math.log(d)))
    assert found.bounds["forel"] == pytest.approx(1.5 * math.sqrt(2 * d * T * math.log(d)))
    assert run.expectation_curve()[-1] == pytest.approx(found.bound)
    assert (run.regret_curve() <= run.bound_curve()).all()
    assert found.holds is None
    assert "4.2" in found.theorem


def test_the_bound_of_any_geometry():
    """3 L delta T + (psi(u) - psi(w_1)) / eta + (eta / 2 sigma) T G^2, G in the dual norm."""
    eta, delta, T, L, F = 0.05, 0.2, 30, 1.5, 0.7
    A = np.diag([2.0, 8.0])
    for geometry, sigma, stretch in (
        (PNorm(3.0), PNorm(3.0).strong_convexity, 1.0),
        (Quadratic(A), 1.0, 1 / math.sqrt(2.0)),
        (Quadratic([2.0, 8.0]), 1.0, 1 / math.sqrt(2.0)),
    ):
        player = BanditMirrorDescent(
            geometry, 2, estimator=OnePoint(delta, L, F), rate=eta, radius=0.9
        )
        player.run(lambda w: 0.0, T)
        largest = 2 * (F / delta + L) * stretch
        expected = 3 * L * delta * T + 0.9**2 / 2 / eta + eta / (2 * sigma) * T * largest**2
        assert player.expectation().bounds["dual"] == pytest.approx(expected)
    falling = BanditMirrorDescent(Euclidean(), 2, estimator=OnePoint(delta))
    falling.run(lambda w: 0.0, 3)
    assert falling.expectation().bounds == {}
    assert falling.expectation().bound == math.inf


def test_values_beyond_the_bound_are_noticed():
    player = BanditGradientDescent(2, horizon=5, most=1.0, lipschitz=1.0, delta=0.1)
    player.act()
    player.update(1.1)  # F + L delta
    assert player.expectation().holds is None
    player.act()
    player.update(-1.2)
    player.act()
    player.update(0.1)
    assert player.expectation().holds is False  # still
    assert player.expectation().bound == math.inf
    assert player.certificate().holds  # which rests on no such thing
    steep = BanditGradientDescent(2, horizon=5, lipschitz=1.0, delta=0.1, points=2)
    steep.act()
    steep.update([0.2, 0.0])
    assert steep.expectation().holds is None
    steep.act()
    steep.update([0.21, 0.0])
    assert steep.expectation().holds is False


def test_losses_that_are_steeper_than_said_have_no_bound():
    """100 |w - 0.6| is a hundred times as steep as the default: nothing is promised of it."""
    player = BanditGradientDescent(1, horizon=200, points=2)
    run = player.run(lambda w: 100.0 * abs(float(w[0]) - 0.6), 200)
    assert run.regret([0.6]) > 1000
    assert run.bound([0.6]) == run.expectation().bound == math.inf
    assert np.isinf(run.expectation_curve()).all()
    assert run.expectation().holds is False


def test_comparators_outside_the_domain_have_no_bound():
    rows = np.random.default_rng(0).random((50, 3))
    arms = BanditMirrorDescent(Entropy(), 3, rate=0.1).run(rows)
    points = BanditGradientDescent(3, horizon=50).run(rows)
    for run, outside in ((arms, [2.0, -0.5, -0.5]), (points, [-10.0, 0.0, 0.0])):
        assert run.regret(outside) == pytest.approx(run.loss - (rows @ outside).sum())
        assert run.bound(outside) == math.inf
        assert np.isinf(run.bound_curve(outside)).all()
        assert run.certificate(outside).holds is False
        with pytest.raises(ValueError, match="theorems cover only points of it"):
            run.after.certificate(outside)
        assert run.regret() <= run.bound() < math.inf


# --- doubling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [1, 2])
def test_any_horizon_is_fresh_players_of_doubled_horizons(points):
    functions = distances(45, 2, seed=8)
    player = BanditGradientDescent(2, points=points, seed=6)
    for t, f in enumerate(functions, 1):
        if t & (t - 1) == 0:
            base = BanditGradientDescent(2, horizon=t, points=points, seed=6)
            offset = t - 1
        assert player.delta == base.delta
        np.testing.assert_array_equal(player.point, base.point)
        played = player.act()
        player.update(player.estimator.ask(f, played))
        # the same gradient for the base, whatever it would draw itself
        told = base.estimator.estimate(
            base.point, player._draws[t - 1], base.estimator.ask(f, played)
        )
        base._player.update(told.gradient)
        assert base._player.rounds == t - offset
    assert [p.player.rounds for p in player._periods()] == [1, 2, 4, 8, 16, 14]
    found = player.expectation()
    assert found.bounds["dual"] <= found.bounds["any horizon"]
    assert player.certificate().holds


def test_the_bound_of_a_run_is_what_is_expected_after_each_round():
    bound = BanditGradientDescent(2, seed=1).run(lambda w: 0.5, 13).expectation_curve()
    for t in (1, 2, 3, 4, 7, 8, 13):
        player = BanditGradientDescent(2, seed=1)
        player.run(lambda w: 0.5, t)
        found = player.expectation().bounds
        assert bound[t - 1] == pytest.approx(min(found["dual"], found["trivial"]), rel=0.3)


def test_any_horizon_costs_the_factor_of_the_spec():
    """2.4667 of the T^(3/4) and 3.4142 of the sqrt(T)."""
    player = BanditGradientDescent(2, lipschitz=2.0, most=0.5)
    player.run(lambda w: 0.0, 100)
    expected = 2.4667 * 2 * math.sqrt(3 * 2 * 0.5 * 2) * 100**0.75
    expected += 3.4142 * 2 * 2 * 10
    assert player.expectation().bounds["any horizon"] == pytest.approx(expected, rel=1e-4)
