"""Bandit convex optimisation in use: staying inside, runs, copies and files, bad input."""

import math
import pickle

import numpy as np
import pytest
from reference.bandit_games import distances

from regretless import rates
from regretless.bandits import (
    BanditGradientDescent,
    BanditMirrorDescent,
    OnePoint,
    TwoPoint,
)
from regretless.bandits.convex import room_in
from regretless.domains import Ball, Box, Simplex, Slab
from regretless.geometry import Entropy, Euclidean, PNorm, UnnormalizedEntropy

# --- staying inside -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "domain",
    [
        Ball(1.0),
        Ball(0.5, center=[1.0, -1.0, 0.5]),
        Ball(1.0, p=1),
        Ball(2.0, p=math.inf),
        Ball(1.0, p=3),
        Box([-1.0, 0.0, 2.0], [1.0, 0.5, 5.0]),
    ],
    ids=["l2", "centred", "l1", "cube", "l3", "box"],
)
@pytest.mark.parametrize("horizon", [None, 60])
@pytest.mark.parametrize("points", [1, 2])
def test_inside_means_inside(domain, horizon, points):
    player = BanditGradientDescent(
        3, domain=domain, horizon=horizon, inside=True, points=points, rate=10.0, seed=1
    )
    for _ in range(60):
        played = np.atleast_2d(player.act())
        assert all(domain.contains(p, 1e-12) for p in played)
        player.update(1.0 if points == 1 else [1.0, 0.0])
    room = room_in(domain, 3)
    rim = room.center + room.radius * np.array([0.6, 0.0, 0.8])
    assert domain.contains(rim)


def test_the_largest_ball_inside():
    assert room_in(Ball(1.0, p=1), 4).radius == pytest.approx(0.5)
    assert room_in(Ball(1.0, p=1), 4).reach == 1.0
    assert room_in(Ball(1.0, p=math.inf), 4)[2:] == (1.0, 2.0)
    np.testing.assert_array_equal(room_in(Box(0.0, [2.0, 4.0]), 2).center, [1.0, 2.0])
    assert room_in(Box(0.0, [2.0, 4.0]), 2)[2:] == (1.0, math.sqrt(5.0))


def test_without_inside_the_domain_is_left_by_delta():
    player = BanditGradientDescent(2, domain=Ball(1.0), horizon=50, rate=100.0, delta=0.25, seed=0)
    farthest = 0.0
    for _ in range(50):
        farthest = max(farthest, float(np.linalg.norm(player.act())))
        player.update(1.0)
    assert 1.0 < farthest <= 1.25 + 1e-12


# --- runs -----------------------------------------------------------------------------------------


def test_a_run_is_its_rounds():
    rows = np.random.default_rng(2).random((70, 3))
    one, many = (BanditMirrorDescent(Entropy(), 3, rate=0.1, seed=9) for _ in range(2))
    arms, suffered = [], []
    for row in rows:
        arms.append(one.act())
        suffered.append(one.update(row[arms[-1]]))
    run = many.run(rows)
    np.testing.assert_array_equal(run.played, arms)
    np.testing.assert_array_equal(run.losses, suffered)
    np.testing.assert_array_equal(one.point, many.point)
    best = int(np.argmin(rows.sum(axis=0)))
    np.testing.assert_array_equal(run.comparator(), np.eye(3)[best])
    np.testing.assert_allclose(run.regret_curve(), np.cumsum(run.losses - rows[:, best]))
    assert run.regret(best) == run.regret()
    # what was before may have had any regret
    assert many.run(rows).expectation().bounds == {"trivial": 70.0}


def test_a_run_of_functions():
    functions = distances(30, 2)
    player = BanditGradientDescent(2, horizon=30)
    run = player.run(functions)
    theirs = [f(np.array([0.1, 0.0])) for f in functions]
    assert run.regret(comparator=[0.1, 0.0]) == pytest.approx(run.loss - sum(theirs))
    assert run.played.shape == (30, 2)
    np.testing.assert_allclose(run.losses, [f(p) for f, p in zip(functions, run.played)])
    with pytest.raises(ValueError, match="best point is not known: give a point as comparator="):
        run.regret()
    assert "regret" not in run.to_arrow().column_names
    same = BanditGradientDescent(2, horizon=30).run(functions[0], 30)
    assert same.losses[-1] == functions[0](same.played[-1])
    two = BanditGradientDescent(2, horizon=30, points=2).run(functions)
    assert two.played.shape == (30, 2, 2)
    arms = BanditMirrorDescent(Entropy(), 2, rate=0.1).run(lambda arm: 0.25 + 0.5 * arm, 20)
    assert set(arms.losses) <= {0.25, 0.75}
    assert arms.regret([0.5, 0.5]) == pytest.approx(arms.loss - 10.0)
    assert arms.regret(1) == pytest.approx(arms.loss - 15.0)


def test_linear_losses_as_rows():
    rows = np.random.default_rng(4).normal(size=(40, 3)) / 3
    run = BanditGradientDescent(3, horizon=40, most=2.0).run(rows)
    np.testing.assert_allclose(run.losses, (rows * run.played).sum(axis=1))
    total = rows.sum(axis=0)
    np.testing.assert_allclose(run.comparator(), -total / np.linalg.norm(total))


def test_empty_runs_and_no_rounds():
    player = BanditMirrorDescent(Entropy(), 3, rate=0.1)
    run = player.run(np.empty((0, 3)))
    assert run.loss == 0.0
    assert player.rounds == 0
    assert player.certificate().regret == 0.0
    assert player.expectation().bound == 0.0
    assert BanditGradientDescent(2).expectation().bound == 0.0
    single = BanditGradientDescent(2, horizon=1)
    assert len(single.run(lambda w: 0.5, 1).losses) == 1


def test_plot():
    run = BanditMirrorDescent(Entropy(), 3, rate=0.1).run(np.random.default_rng(0).random((20, 3)))
    assert run.plot().get_ylabel() == "regret"


# --- copies ---------------------------------------------------------------------------------------


def players():
    return {
        "arms": BanditMirrorDescent(Entropy(), 3, rate=0.1, seed=5),
        "anytime": BanditMirrorDescent(Entropy(), 3, seed=5),
        "falling": BanditMirrorDescent(
            Euclidean(),
            domain=Box([0.0] * 3, 1.0),
            estimator=OnePoint(0.2),
            rate=rates.InverseSqrt(0.1),
        ),
        "p-norm": BanditMirrorDescent(PNorm(3.0), 3, estimator=TwoPoint(0.1, 2.0), rate=0.1),
        "horizon": BanditGradientDescent(3, domain=Box(-1.0, 1.0), horizon=40, seed=2),
        "doubling": BanditGradientDescent(3, domain=Ball(0.5), inside=True, seed=2),
        "two": BanditGradientDescent(3, points=2, rate=0.1, delta=0.01, lipschitz=2.0),
    }


def go_on(player, rounds):
    """The points of so many more rounds."""
    found = []
    for t in range(player.rounds, player.rounds + rounds):
        played = player.act()
        player.update(player.estimator.ask(lambda p, t=t: 0.5 + 0.3 * math.cos(t), played))
        found.append(player.point)
    return np.array(found)


@pytest.mark.parametrize("name", list(players()))
@pytest.mark.parametrize("way", ["file", "pickle", "clone"])
def test_copies_go_on_alike(name, way, tmp_path):
    player = players()[name]
    go_on(player, 21)
    player.act()  # the round has begun
    if way == "file":
        player.save(tmp_path / "player")
        other = type(player).load(tmp_path / "player")
    else:
        other = pickle.loads(pickle.dumps(player)) if way == "pickle" else player.copy()
    assert repr(other) == repr(player)
    np.testing.assert_array_equal(other.act(), player.act())  # and another, before its value
    value = [0.2, 0.1] if isinstance(player.estimator, TwoPoint) else 0.2
    for _ in range(2):
        assert other.update(value) == player.update(value)
    np.testing.assert_array_equal(go_on(other, 30), go_on(player, 30))
    assert (other.rounds, other.loss) == (player.rounds, player.loss)
    assert other.certificate() == player.certificate()
    assert repr(other.expectation()) == repr(player.expectation())


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BanditGradientDescent(0), "dimension=0"),
        (lambda: BanditGradientDescent(2, points=3), "points=3 is not one of 1, 2"),
        (lambda: BanditGradientDescent(2, horizon=0), "horizon=0"),
        (lambda: BanditGradientDescent(2, lipschitz=0), "lipschitz=0 must be positive"),
        (lambda: BanditGradientDescent(2, most=math.inf), "most=inf must be positive"),
        (lambda: BanditGradientDescent(2, delta=-1), "delta=-1 must be positive"),
        (lambda: BanditGradientDescent(2, seed=-3), "seed=-3 must be a whole number"),
        (lambda: BanditGradientDescent(2, seed=True), "seed=True must be a whole number"),
        (lambda: BanditGradientDescent(2, domain=Simplex(), inside=True), "needs a ball or a box"),
        (
            lambda: BanditGradientDescent(2, domain=Box(0.0, math.inf), inside=True),
            "a ball or a box",
        ),
        (
            lambda: BanditGradientDescent(2, domain=Slab([1.0, 1.0], 1.0), inside=True),
            "a ball or a box",
        ),
        (lambda: BanditGradientDescent(2, delta=2.0, inside=True), "delta=2 leaves nothing"),
        (lambda: OnePoint(0.0), "delta=0.0 must be positive"),
        (lambda: BanditMirrorDescent(Euclidean(), 2), "only from probabilities"),
        (lambda: BanditMirrorDescent(Entropy(2.0), 2), "only from probabilities"),
        (lambda: BanditMirrorDescent(Entropy()), "dimension= is needed"),
        (
            lambda: BanditMirrorDescent(
                UnnormalizedEntropy(), 2, estimator=OnePoint(0.1), rate="horizon", horizon=9
            ),
            "no bound on the gradients",
        ),
        (lambda: BanditMirrorDescent(Entropy(), 2, rate="horizon"), "needs horizon="),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_estimator_that_is_none():
    with pytest.raises(ValueError, match="estimator='arm' is not a Estimator; give OneArm"):
        BanditMirrorDescent(Entropy(), 2, estimator="arm")
    with pytest.raises(ValueError, match="draws no arms"):
        _ = BanditGradientDescent(2).probabilities


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("arms", 1.5, r"value=1.5 is outside \[0, 1\]; of a reward r give 1 - r"),
        ("arms", -0.1, "outside"),
        ("arms", math.nan, "outside"),
        ("arms", "much", "value='much' is not a number"),
        ("horizon", math.nan, "value=nan is not finite"),
        ("horizon", [1.0, 2.0], "is not a number"),
        ("two", 1.0, "must be two numbers"),
        ("two", [1.0], "must be two numbers"),
        ("two", [1.0, math.inf], "value=inf is not finite"),
    ],
)
def test_bad_values_change_nothing(name, value, message):
    player = players()[name]
    go_on(player, 3)
    player.act()
    before = pickle.dumps(player)
    with pytest.raises(ValueError, match=message):
        player.update(value)
    assert pickle.dumps(player) == before


def test_update_needs_act():
    player = BanditGradientDescent(2)
    with pytest.raises(ValueError, match="no choice waits for a value; call act"):
        player.update(0.5)
    player.act()
    player.update(0.5)
    with pytest.raises(ValueError, match="no choice waits"):
        player.update(0.5)


@pytest.mark.parametrize(
    ("losses", "rounds", "message"),
    [
        (lambda p: 0.0, None, "rounds= is needed"),
        ([[0.1, 0.2]], None, r"losses has shape \(1, 2\), not \(rounds, 3\)"),
        ([[0.1, 0.2, 1.2]], None, r"losses\[0, 2\] = 1.2 is outside \[0, 1\]"),
        ([[0.1, 0.2, math.nan]], None, r"losses\[0, 2\] = nan is not finite"),
    ],
    ids=["rounds", "shape", "range", "nan"],
)
def test_bad_runs_change_nothing(losses, rounds, message):
    player = players()["arms"]
    before = pickle.dumps(player)
    with pytest.raises(ValueError, match=message):
        player.run(losses, rounds)
    assert pickle.dumps(player) == before


def test_losses_that_are_none():
    with pytest.raises(ValueError, match="losses=3 is not a matrix, a function"):
        players()["arms"].run(3)


def test_other_geometries_of_arms_promise_nothing():
    """Where an arm has no probability its cost is never seen, and no estimate of it is right."""
    player = BanditMirrorDescent(Euclidean(), 3, domain=Simplex(), rate=1.0)
    player.run(np.ones((20, 3)))
    assert player.probabilities.min() == 0.0
    assert player.expectation().bounds == {"trivial": math.inf}
    assert player.expectation().holds is False
    assert player.certificate().holds


def test_files_that_are_none(tmp_path):
    path = tmp_path / "player"
    players()["arms"].save(path)
    with pytest.raises(
        ValueError, match="holds a BanditMirrorDescent, not a BanditGradientDescent"
    ):
        BanditGradientDescent.load(path)
    data = path.read_bytes()
    path.write_bytes(data[:-8])
    with pytest.raises(ValueError, match="only part of one"):
        BanditMirrorDescent.load(path)
    players()["falling"].save(path)
    path.write_bytes(path.read_bytes().replace(b"OnePoint", b"NoPoints"))
    with pytest.raises(ValueError, match="is damaged: 'NoPoints' is not known"):
        BanditMirrorDescent.load(path)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e60])
def test_extreme_values(scale):
    """Of any size: nothing overflows, and what is certified holds."""
    player = BanditGradientDescent(2, horizon=50, most=scale, lipschitz=scale, seed=1)
    player.run(lambda w: scale * float(np.abs(w).max()), 50)
    assert np.isfinite(player.point).all()
    assert player.certificate().holds
    assert player.expectation().holds is None
