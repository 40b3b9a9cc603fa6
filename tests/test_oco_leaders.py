"""The leaders: golden traces, closed forms, any losses, theorems, bad input."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from regretless import losses, rates
from regretless.domains import Ball, Box, Everything, Intersection, Simplex, Slab
from regretless.geometry import Entropy, Euclidean, PNorm, Quadratic, UnnormalizedEntropy
from regretless.oco.convex_losses import ConvexLoss, ScoreLoss, SquaredDistance
from regretless.oco.leader import FollowTheLeader, FollowTheRegularizedLeader, Stability

# A sum of some hundred terms of size about 1, in another order.
ROUNDING = 1e-12


def regularized(geometry=None, dimension=2, domain=None, **options):
    return FollowTheRegularizedLeader(geometry or Euclidean(), dimension, domain=domain, **options)


def distances(rows):
    return [SquaredDistance(np.array(z, float)) for z in rows]


def reach(player, objective=0.0):
    """How far a point may be from the best: a gap e means ||w - w*|| <= sqrt(2 e eta / sigma)."""
    gap = player.tolerance * (1 + abs(objective))
    return math.sqrt(2 * gap * player.rate.eta / player.geometry.strong_convexity)


# --- follow the leader ------------------------------------------------------------------------


def test_quadratic_game_golden():
    player = FollowTheLeader(1, Everything())
    played = []
    for loss in distances([[1], [3], [-2]]):
        played.append(player.point[0])
        player.learn(loss)
    assert [*played, player.point[0]] == pytest.approx([0, 1, 2, 2 / 3], abs=1e-15)
    assert player.loss == pytest.approx(10.5, abs=1e-14)
    assert player.regret() == pytest.approx(25 / 6, abs=1e-14)
    assert player.regret([0.0]) == pytest.approx(10.5 - 7.0, abs=1e-14)
    certificate = player.certificate()
    assert certificate.bounds["quadratic"] == pytest.approx(4 * 9 * (math.log(3) + 1))
    assert certificate.holds


def test_leader_of_squared_distances_is_the_running_mean():
    rows = np.random.default_rng(1).normal(size=(40, 3))
    player, w, paid = FollowTheLeader(3, Everything()), np.zeros(3), 0.0
    for t, z in enumerate(rows, 1):
        np.testing.assert_allclose(player.point, w, atol=ROUNDING)
        paid += (1 / t - 1 / (2 * t * t)) * float((w - z) @ (w - z))
        player.learn(SquaredDistance(z))
        w = (1 - 1 / t) * w + z / t
    # Lemma 2.1's bound has this closed form (Shalev-Shwartz (2012), Corollary 2.2)
    assert player.certificate().bounds["be the leader"] == pytest.approx(paid, abs=ROUNDING)
    assert player.certificate().holds


def test_leader_in_a_ball_is_the_projected_mean_and_so_says_the_solver():
    rows = np.random.default_rng(2).normal(1.0, 1.0, size=(10, 3))
    closed, solved = (FollowTheLeader(3, Ball(0.5)) for _ in range(2))
    for z in rows:
        closed.learn(SquaredDistance(z))
        solved.update_loss(lambda w, z=z: 0.5 * (w - z) @ (w - z), lambda w, z=z: w - z)
    mean = rows.mean(axis=0)
    np.testing.assert_allclose(closed.point, 0.5 * mean / np.linalg.norm(mean), atol=ROUNDING)
    # ten distances are 10-strongly convex: a gap e means ||w - w*|| <= sqrt(2 e / 10)
    near = math.sqrt(2 * closed.tolerance * (1 + closed._total.value(mean)) / 10)
    np.testing.assert_allclose(solved.point, closed.point, atol=near)


@pytest.mark.parametrize("first", [-1.0, -0.25, 0.0, 1.0])
def test_leader_is_killed_by_alternating_gradients(first):
    T = 101
    z = np.where(np.arange(1, T + 1) % 2 == 0, 1.0, -1.0)
    z[0] = -0.5
    player = FollowTheLeader(1, Box([-1.0], [1.0]), start=[first])
    run = player.run(z[:, None])
    # +1 on even rounds, -1 on odd ones after the first (the survey has them the other way round)
    np.testing.assert_array_equal(run.points[1:, 0], z[1:])
    assert run.loss == T - 1 - first / 2
    assert player.regret() == T - 0.5 - first / 2
    assert player.regret() == player.loss + 0.5  # the best is -1 or +1, which wins 1/2
    steady = regularized(dimension=1, domain=Box([-1.0], [1.0]), rate=1 / math.sqrt(T))
    steady.run(z[:, None])
    assert steady.regret() <= math.sqrt(T)
    assert steady.certificate().bound <= math.sqrt(T) * (1 + ROUNDING)
    assert steady.certificate().holds


def test_leader_on_linear_losses_needs_an_end_and_stays_as_it_was():
    player = FollowTheLeader(2, Everything())
    with pytest.raises(ValueError, match=r"no least value in Everything.*bounded"):
        player.update([1.0, 0.0])
    assert player.rounds == 0
    assert player.loss == 0.0
    assert not player.point.any()
    player.update([0.0, 0.0])  # all points are leaders: the start stays
    assert not player.point.any()


def test_leader_without_a_minimum_says_so():
    hinge = ScoreLoss("hinge", np.array([1.0]), 1.0)
    player = FollowTheLeader(1, Everything())
    player.learn(hinge)
    before = player.point
    with pytest.raises(RuntimeError, match=r"only up to .* bounded domain"):
        player.update([2.0])  # max(0, 1 - w) + 2 w falls for ever to the left
    assert player.rounds == 1
    assert player.point == before
    bounded = FollowTheLeader(1, Box([-2.0], [2.0]))
    bounded.learn(hinge)
    bounded.update([2.0])
    assert bounded.point == pytest.approx([-2.0])


@pytest.mark.parametrize("kind", ["absolute", "logistic", "squared", "hinge"])
@pytest.mark.parametrize("domain", [Ball(0.7), Simplex(), Box([-1, -1, -1], [1, 1, 1])], ids=repr)
def test_leader_of_any_losses_is_the_best_of_the_domain(kind, domain):
    rng = np.random.default_rng(3)
    X, loss = rng.normal(size=(12, 3)), losses.get(kind)
    y = np.sign(rng.normal(size=12)) if loss.classification else rng.normal(size=12)
    player = FollowTheLeader(3, domain)
    for x, target in zip(X, y):
        player.learn(ScoreLoss(kind, x, target))

    def total(w):
        return loss.value(X @ w, y).sum()

    slack = 2 * player.tolerance * (1 + total(player.point))
    for _ in range(100):
        near = player.point + rng.normal(scale=10.0 ** rng.uniform(-5, 0), size=3)
        assert total(player.point) <= total(domain.project(near)) + slack
    assert player.certificate().holds
    assert player.regret() == pytest.approx(player.loss - total(player.point), abs=2 * slack)


def test_start_must_be_in_the_domain():
    with pytest.raises(ValueError, match=r"start=\[2.\] is not in domain"):
        FollowTheLeader(1, Box([-1.0], [1.0]), start=[2.0])
    assert FollowTheLeader(2, Simplex()).point == pytest.approx([0.5, 0.5])


# --- follow the regularised leader: closed forms ----------------------------------------------


def test_regularised_leader_of_squared_distances():
    rows = np.random.default_rng(4).normal(size=(20, 2))
    player = regularized(rate=0.3)
    for t, z in enumerate(rows):
        np.testing.assert_allclose(
            player.point, rows[:t].sum(axis=0) / (t + 1 / 0.3), atol=ROUNDING
        )
        player.learn(SquaredDistance(z))
    # with ever less of a regulariser it is the leader
    free, leader = regularized(rate=1e13), FollowTheLeader(2, Everything())
    for z in rows:
        free.learn(SquaredDistance(z)), leader.learn(SquaredDistance(z))
        np.testing.assert_allclose(free.point, leader.point, atol=ROUNDING)


def test_linear_losses_are_gradient_descent():
    rows = np.random.default_rng(5).normal(size=(30, 4))
    players = [
        regularized(psi, 4, rate=0.2) for psi in (Euclidean(), PNorm(2), Quadratic(np.ones(4)))
    ]
    w = np.zeros(4)
    for z in rows:
        for player in players:
            np.testing.assert_allclose(player.point, w, atol=ROUNDING)
            player.update(z)
        w = w - 0.2 * z
    # Shalev-Shwartz (2012), Lemma 2.20: at the last point the regret of gradient descent equals its
    # bound
    player = players[0]
    u = player.point
    bounds = player.certificate(u).bounds
    assert player.regret(u) == pytest.approx(bounds["exact"], abs=1e-11)
    assert bounds["dual"] == pytest.approx(bounds["exact"], abs=1e-11)
    assert bounds["forel"] == pytest.approx(u @ u / 0.4 + 0.2 * (rows**2).sum(), rel=ROUNDING)


def test_falling_rates_golden():
    # Srebro (lecture 16), slide FTRL for Linear Problems: eta_t = B / (G sqrt(8 t)) with G = 2,
    # B = 1
    player = regularized(rate=rates.InverseSqrt(1 / (2 * math.sqrt(8))))
    points = []
    for z in [(2.0, 0.0), (0.0, -2.0), (1.2, 1.6)]:
        player.update(z)
        points.append(player.point)
    golden = [(-0.3535533906, 0.0), (-0.25, 0.25), (-0.3265986324, 0.0408248290)]
    np.testing.assert_allclose(points, golden, atol=5e-11)


def test_falling_rates_satisfy_the_lecture():
    rng = np.random.default_rng(6)
    player = regularized(dimension=3, domain=Ball(2.0), rate=rates.anytime(2.0, 1.0))
    for _ in range(60):
        z = rng.normal(size=3)
        player.update(z / np.linalg.norm(z))
    certificate = player.certificate()
    assert certificate.holds
    assert certificate.bounds["dual"] <= 2.0 * math.sqrt(2 * 59) * (1 + ROUNDING)
    assert certificate.bounds["exact"] >= certificate.regret
    with pytest.raises(ValueError, match="not constant"):
        player.stability()


def test_entropy_golden():
    player = regularized(Entropy(), 3, rate=0.5)
    player.update([1.0, 0.0, 0.5])
    golden = [0.2542752126, 0.4192289516, 0.3264958358]
    np.testing.assert_allclose(player.point, golden, atol=5e-11)
    player.update([0.0, 1.0, 0.0])
    golden = [0.3045043424, 0.3045043424, 0.3909913152]
    np.testing.assert_allclose(player.point, golden, atol=5e-11)


LINEAR = [
    (Euclidean(), None),
    (Euclidean(), Ball(0.4)),
    (Euclidean(), Simplex()),
    (Entropy(), None),
    (Entropy(2.0), None),
    (PNorm(3), None),
    (Quadratic(np.array([1.0, 2.0, 0.5])), None),
    (UnnormalizedEntropy(), None),
]


@pytest.mark.parametrize(("psi", "domain"), LINEAR, ids=repr)
def test_exact_bound_is_the_sum_of_dual_divergences(psi, domain):
    """Sum <w_t, z_t> + R*(theta) + R(w_1) = sum D_{R*}(theta_{t+1} || theta_t).

    Shalev-Shwartz (2012), Lemma 2.20.
    """
    eta, player = 0.3, regularized(psi, 3, domain, rate=0.3)
    inside = psi if domain is None else psi.on(domain)
    theta, divergences = np.zeros(3), 0.0
    for z in np.random.default_rng(7).normal(size=(25, 3)):
        divergences += inside.dual_bregman(eta * (theta - z), eta * theta) / eta
        theta = theta - z
        player.update(z)
    bounds = player._theorem(player._first).bounds  # psi(u) = psi(w_1)
    assert bounds["exact"] == pytest.approx(divergences, abs=1e-9)
    if psi.strong_convexity > 0:
        assert bounds["exact"] <= bounds["dual"] * (1 + ROUNDING)
    else:
        assert set(bounds) == {"exact"}


# --- follow the regularised leader: any losses ------------------------------------------------


def test_hinge_golden():
    """FoReL of Shalev-Shwartz and Singer (2007): F + C sum of hinges is psi / eta + sum of hinges,
    times eta = C.
    """
    X = np.array([(1, 2), (-1, 1), (2, -1), (-1, -1), (1, -1)]) / math.sqrt(5)
    player, values = regularized(rate=0.5), []
    for x, y in zip(X, [1, -1, 1, -1, 1]):
        player.learn(ScoreLoss("hinge", x, y))
        values.append(0.5 * player._total.value(player.point) + player.point @ player.point / 2)
    np.testing.assert_allclose(values, [0.375, 0.875, 1.1, 1.35, 1.62], atol=3 * player.tolerance)
    np.testing.assert_allclose(
        player.point, [1.1627553483, 0.0894427191], atol=reach(player, 1.62 / 0.5)
    )


def kinked_median(z, eta):
    """The minimiser of w^2 / (2 eta) + sum |w - z_i|: where the slope -w / eta passes the counts."""
    best = [eta * (len(z) - 2 * k) for k in range(len(z) + 1)]
    candidates = np.array([*z, *best])
    totals = candidates**2 / (2 * eta) + np.abs(candidates[:, None] - z).sum(axis=1)
    return candidates[np.argmin(totals)]


def test_functions_with_kinks():
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(15, 3))
    player = regularized(dimension=3, rate=0.2)
    for t, z in enumerate(rows, 1):
        player.learn(ConvexLoss(lambda w, z=z: np.abs(w - z).sum(), lambda w, z=z: np.sign(w - z)))
        expected = [kinked_median(rows[:t, i], 0.2) for i in range(3)]
        value = np.abs(rows[:t] - expected).sum()
        np.testing.assert_allclose(player.point, expected, atol=reach(player, value))
        assert player.stability().holds
    assert player.certificate([1.0, 0.0, -1.0]).holds


@pytest.mark.parametrize("kind", ["logistic", "squared", "squared_hinge"])
def test_smooth_losses_against_another_solver(kind):
    rng = np.random.default_rng(9)
    X, loss = rng.normal(size=(20, 3)), losses.get(kind)
    y = np.sign(rng.normal(size=20)) if loss.classification else rng.normal(size=20)
    player = regularized(dimension=3, rate=0.7)
    for x, target in zip(X, y):
        player.learn(ScoreLoss(loss, x, target))

    def objective(w):
        score = X @ w
        value = w @ w / 1.4 + loss.value(score, y).sum()
        return value, w / 0.7 + loss.derivative(score, y) @ X

    found = minimize(objective, np.ones(3), jac=True, options={"gtol": 1e-12})
    np.testing.assert_allclose(player.point, found.x, atol=reach(player, found.fun))


EVERYWHERE = [
    (Euclidean(), None),
    (Euclidean(), Ball(0.4)),
    (Euclidean(), Box([-0.5, 0.0, -1.0], [0.5, 1.0, 0.2])),
    (Euclidean(), Simplex()),
    (Entropy(), None),
    (Entropy(), Intersection(Simplex(), Box([0.0] * 3, [0.5] * 3))),
    (UnnormalizedEntropy(0.5), None),
    (PNorm(3), None),
    (Quadratic(np.diag([1.0, 2.0, 0.5]) + 0.1), None),
    (Quadratic(np.array([1.0, 2.0, 0.5])), Slab([1.0, 1.0, 0.0], 0.3)),
]


@pytest.mark.parametrize("kind", ["hinge", "absolute", "logistic", "squared", "quantile"])
@pytest.mark.parametrize(("psi", "domain"), EVERYWHERE, ids=repr)
def test_every_geometry_solves_every_loss(psi, domain, kind):
    rng = np.random.default_rng(10)
    loss = losses.get(kind)
    player = regularized(psi, 3, domain, rate=0.4)
    where = player.domain
    inside = psi if domain is None else psi.on(domain)
    for _ in range(8):
        y = rng.choice([-1.0, 1.0]) if loss.classification else rng.normal()
        player.learn(ScoreLoss(loss, rng.normal(size=3), y))
        if psi.strong_convexity > 0:
            assert player.stability().holds

    def objective(w):
        return inside.value(w) / 0.4 + player._total.value(w)

    at, least = player.point, objective(player.point)
    assert where.contains(at)
    for _ in range(60):
        other = inside.link(rng.normal(scale=2.0, size=3))
        near = at + 10.0 ** rng.uniform(-5, 0) * (other - at)
        assert least <= objective(near) + 2 * player.tolerance * (1 + abs(least))
    u = inside.link(rng.normal(size=3))
    certificate = player.certificate(u)
    assert certificate.holds
    assert certificate.regret == pytest.approx(player.loss - player._total.value(u))
    if psi.strong_convexity > 0:
        bounds = certificate.bounds
        assert bounds["exact"] <= bounds["dual"] + 1e-9 <= bounds["forel"] + 2e-9


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.05, 0.5, 5.0]),
    st.sampled_from(["hinge", "absolute", "epsilon_insensitive", "logistic", "squared"]),
)
def test_half_of_the_theorem_holds_for_all_losses(seed, eta, kind):
    """The bound that the survey has for linear losses only: see the class's text for the proof."""
    rng = np.random.default_rng(seed)
    loss = losses.get(kind)
    player = regularized(dimension=2, rate=eta)
    for _ in range(10):
        y = rng.choice([-1.0, 1.0]) if loss.classification else rng.normal()
        player.learn(ScoreLoss(loss, rng.normal(size=2), y))
    for u in [np.zeros(2), player.point, *rng.normal(scale=3.0, size=(5, 2))]:
        certificate = player.certificate(u)
        assert certificate.regret <= certificate.bounds["dual"] + 1e-9
        assert certificate.regret <= certificate.bounds["exact"] + 1e-9
        assert certificate.holds


def test_a_score_of_nothing_moves_nothing():
    player = regularized()
    assert player.learn(ScoreLoss("hinge", np.zeros(2), 1.0)) == 1.0
    assert not player.point.any()


def test_the_losses_are_not_linearised():
    x = np.array([1.0, 0.0])
    exact, linear = regularized(rate=10.0), regularized(rate=10.0)
    exact.learn(ScoreLoss("squared", x, 1.0))
    linear.update(losses.Squared().derivative(0.0, 1.0) * x)
    assert exact.point[0] == pytest.approx(2 / (2 + 0.1), abs=reach(exact))
    assert linear.point[0] == 20.0


def test_run_with_a_loss_is_learning_each_round():
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(12, 3)), np.sign(rng.normal(size=12))
    whole, single = (regularized(dimension=3, domain=Ball(2.0), rate=0.3) for _ in range(2))
    run = whole.run(X, y, "logistic")
    for t, (x, target) in enumerate(zip(X, y)):
        np.testing.assert_array_equal(run.points[t], single.point)
        assert run.losses[t] == single.learn(ScoreLoss("logistic", x, target))
    assert run.loss == pytest.approx(single.loss, rel=ROUNDING)
    assert (run.regret_curve() <= run.bound_curve()).all()
    expected = single.certificate(run.comparator()).bounds["dual"]
    assert run.certificate().bounds["dual"] == pytest.approx(expected, rel=1e-9)
    assert single.regret() == pytest.approx(run.regret(), abs=1e-7)


def test_stability_sees_a_wrong_order():
    assert Stability(1.0, 2.0, 3.0, 4.0, 0.0).holds
    for wrong in [(3.0, 2.0, 3.0, 4.0), (1.0, 3.5, 3.0, 4.0), (1.0, 2.0, 5.0, 4.0)]:
        assert not Stability(*wrong, 0.0).holds
    with pytest.raises(ValueError, match="no round has been played"):
        regularized().stability()


LEADERS = {
    "simplex": lambda: FollowTheLeader(4, Simplex(2.0)),
    "ball": lambda: FollowTheLeader(4, Ball(0.5), start=[0.1, 0.0, 0.0, 0.2]),
    "l1 ball": lambda: FollowTheLeader(4, Ball(0.5, p=1.0)),
    "box": lambda: FollowTheLeader(4, Box(-1.0, [1.0, 2.0, 3.0, 4.0])),
    "p ball": lambda: FollowTheLeader(4, Ball(0.5, p=3.0)),  # not known to the core
    "regularised": lambda: regularized(dimension=4, rate=rates.InverseSqrt(0.3)),
    "regularised simplex": lambda: regularized(dimension=4, domain=Simplex(), rate=0.2),
    "regularised ball": lambda: regularized(dimension=4, domain=Ball(0.2), rate=0.2),
    "regularised slab": lambda: regularized(dimension=4, domain=Slab(np.ones(4), 0.1), rate=0.2),
    "entropy": lambda: regularized(Entropy(3.0), 4, rate=rates.Inverse(1.0)),
    "p-norm": lambda: regularized(PNorm(3.0), 4, rate=0.2),
    "diagonal box": lambda: regularized(Quadratic([1.0, 2.0, 3.0, 4.0]), 4, Box(-0.1, 0.2)),
    "quadratic": lambda: regularized(Quadratic(np.eye(4) + 0.5), 4, rate=0.2),
}


@pytest.mark.parametrize("make", [pytest.param(f, id=n) for n, f in LEADERS.items()])
@pytest.mark.parametrize("whole_numbers", [True, False])
def test_a_run_of_linear_losses_is_its_rounds(make, whole_numbers, tmp_path):
    """Also when sums are 0 or equal, so that there are several leaders, and from the middle on."""
    rows = np.random.default_rng(3).normal(size=(60, 4))
    if whole_numbers:
        rows = np.vstack([np.eye(4), -np.eye(4)[::-1], rows.round()])
    single, whole = make(), make()
    points, suffered, paid = [], [], []
    for z in rows:
        points.append(single.point)
        suffered.append(single.update(z))
        paid.append(single._paid())
    u = whole.domain.project(np.full(4, 0.25))
    runs = [whole.run(part) for part in (rows[:1], rows[1:20], rows[20:])]
    np.testing.assert_allclose(np.concatenate([r.points for r in runs]), points, atol=ROUNDING)
    np.testing.assert_allclose(np.concatenate([r.losses for r in runs]), suffered, atol=1e-11)
    np.testing.assert_allclose(whole.point, single.point, atol=ROUNDING)
    assert whole._paid() == pytest.approx(paid[-1], rel=1e-11, nan_ok=True)
    for name in ("rounds", "loss", "linear", "travel", "gaps"):
        assert getattr(whole, name) == pytest.approx(getattr(single, name), rel=1e-11, abs=1e-11)
    np.testing.assert_allclose(whole.gradient_sum, single.gradient_sum, atol=1e-11)
    mine, theirs = whole.certificate(u), single.certificate(u)
    assert mine.bounds == pytest.approx(theirs.bounds, rel=1e-11, abs=1e-11)
    assert mine.assumptions == theirs.assumptions
    if isinstance(whole, FollowTheRegularizedLeader) and isinstance(whole.rate, rates.Constant):
        assert whole.stability() == pytest.approx(single.stability(), rel=1e-10, abs=1e-11)
    whole.save(tmp_path / "leader")
    again = type(whole).load(tmp_path / "leader")
    assert again.run(rows).losses == pytest.approx(whole.run(rows).losses, abs=1e-15)


def test_a_run_in_a_domain_without_end_stops_where_there_is_no_leader():
    player = FollowTheLeader(2, Box(0.0, math.inf))
    with pytest.raises(ValueError, match="no least value"):
        player.run([[1.0, 0.0], [0.0, 1.0], [0.0, -2.0]])
    assert player.rounds == 0
    assert not player.point.any()


# --- bad input, copies, disk ------------------------------------------------------------------

BAD = [
    (lambda p: p.update([1.0]), "gradient has shape"),
    (lambda p: p.update([1.0, math.nan]), r"gradient\[1\] = nan"),
    (lambda p: p.update("ab"), "gradient=.* is not made of numbers"),
    (lambda p: p.learn(ConvexLoss(lambda w: math.inf, lambda w: w)), "loss.value.*not finite"),
    (lambda p: p.learn(ConvexLoss(lambda w: "1", lambda w: w)), "loss.value.*not a number"),
    (lambda p: p.learn(ConvexLoss(lambda w: 1.0, lambda w: [1.0])), "loss.gradient.*shape"),
    (lambda p: p.learn(ScoreLoss("hinge", np.ones(2), 0.5)), "not a label"),
    (lambda p: p.learn(ScoreLoss("hing", np.ones(2), 1.0)), "did you mean 'hinge'"),
    (lambda p: p.certificate([1.0]), "comparator has shape"),
]


@pytest.mark.parametrize(("act", "message"), BAD)
@pytest.mark.parametrize(
    "make", [regularized, lambda: FollowTheLeader(2, Ball(1.0))], ids=["regularised", "plain"]
)
def test_bad_input_changes_nothing(make, act, message):
    player = make()
    player.update([0.3, -0.2])
    before = player.copy()
    with pytest.raises(ValueError, match=message):
        act(player)
    for name in (*player._numbers, "gradient_sum", "point"):
        np.testing.assert_array_equal(getattr(player, name), getattr(before, name))
    probe = np.array([0.7, -0.1])
    assert player._total.value(probe) == before._total.value(probe)
    player.update([1.0, 0.0])
    assert player.rounds == 2


def test_bad_options():
    with pytest.raises(ValueError, match="dimension= is needed"):
        FollowTheRegularizedLeader(Euclidean())
    with pytest.raises(ValueError, match="tolerance=0"):
        regularized(tolerance=0.0)
    with pytest.raises(ValueError, match="eta"):
        regularized(rate=-1.0)
    assert FollowTheRegularizedLeader(Quadratic(np.ones(3))).dimension == 3
    assert FollowTheRegularizedLeader(Euclidean(), domain=Box([0, 0], [1, 1])).dimension == 2


def test_losses_that_are_not_convex_are_refused():
    for kind in ("perceptron", "zero_one"):
        with pytest.raises(ValueError, match="not convex"):
            regularized().learn(ScoreLoss(kind, np.ones(2), 1.0))


def learned(player):
    player.update([0.5, -1.0])
    player.learn(SquaredDistance(np.array([1.0, 0.5])))
    player.learn(ScoreLoss("logistic", np.array([1.0, 2.0]), -1.0))
    player.learn(ScoreLoss(losses.Quantile(0.9), np.array([0.3, 2.0]), 0.7))
    return player


SAVED = [
    lambda: regularized(rate=0.3),
    lambda: regularized(domain=Ball(0.7, 2.0, [0.1, 0.0]), rate=rates.InverseSqrt(0.2)),
    lambda: regularized(Entropy(2.0), rate=0.1),
    lambda: regularized(Quadratic(np.array([[2.0, 0.1], [0.1, 1.0]])), rate=0.1),
    lambda: FollowTheLeader(2, Intersection(Ball(1.0), Box([0.0, 0.0], [1.0, 2.0]))),
]


@pytest.mark.parametrize("make", SAVED)
def test_saved_and_copied_players_go_on_as_the_same(tmp_path, make):
    player = learned(make())
    player.save(tmp_path / "player.model")
    others = [player.copy(), copy.deepcopy(player), type(player).load(tmp_path / "player.model")]
    assert player.clone().rounds == 0
    loss = ScoreLoss("logistic", np.array([-1.0, 0.4]), 1.0)
    suffered = player.learn(loss)
    for other in others:
        assert repr(other) == repr(player)
        assert other.rounds == 4
        assert other.learn(loss) == suffered
        np.testing.assert_array_equal(other.point, player.point)
        u = player.point
        assert other.certificate(u) == player.certificate(u)


def test_files_that_are_not_this(tmp_path):
    path = tmp_path / "player.model"
    regularized().save(path)
    with pytest.raises(
        ValueError, match="holds a FollowTheRegularizedLeader, not a FollowTheLeader"
    ):
        FollowTheLeader.load(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="not a model file"):
        FollowTheRegularizedLeader.load(path)
    player = regularized()
    player.update_loss(lambda w: abs(w[0]), np.sign)
    with pytest.raises(ValueError, match="1 of the losses are functions"):
        player.save(path)


def test_rates_may_be_numpys(tmp_path):
    """What is compared with them is still a bool, which a file can hold."""
    player = regularized(dimension=2, rate=rates.InverseSqrt(np.float64(0.3)))
    player.run([[1.0, 2.0], [0.5, -1.0]], [1.0, -1.0], "hinge")
    player.save(tmp_path / "leader")
    assert type(player).load(tmp_path / "leader").certificate() == player.certificate()
