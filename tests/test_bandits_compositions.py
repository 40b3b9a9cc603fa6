"""What users do to bandits, in every combination: numbers are recomputed, and no bound is below them.

Later runs, copies, clones, pickles and files, choices that wait, one round, losses of any size, and
losses that look at the player.
"""

import copy
import math
import pickle
from functools import partial

import numpy as np
import pytest
from roster.bandits import ARM_PLAYERS

from regretless.bandits import (
    BanditGradientDescent,
    BanditMirrorDescent,
    BanditPotential,
    Bernoulli,
    EpsilonGreedyLearner,
    Exp3IX,
    Exp4,
    LinUCB,
    OnePoint,
    PotentialBandit,
    TwoPoint,
    simulate,
)
from regretless.base.run import Run
from regretless.domains import Ball, Box
from regretless.geometry import Entropy, Euclidean
from regretless.linear import LinearRegressor

N, D = 3, 2
POTENTIAL = BanditPotential(N, 0.2)
ARMS = {name: partial(make, N) for name, make in ARM_PLAYERS.items()}
UNIT = {  # whose losses are in [0, 1]
    "potential": lambda **o: PotentialBandit(N, POTENTIAL, **o),
    "mirror": lambda **o: BanditMirrorDescent(Entropy(), N, **o),
    "mirror, fixed": lambda **o: BanditMirrorDescent(Entropy(), N, rate=0.2, **o),
}
everyone = pytest.mark.parametrize("name", [*ARMS, *UNIT])


def make(name, **options):
    return (ARMS | UNIT)[name](**options)


def costs(rounds, seed=0, n=N):
    return np.random.default_rng([seed, 1]).random((rounds, n)) * np.linspace(0.5, 1.0, n)


def through_file(player, path):
    player.save(path)
    if isinstance(player, PotentialBandit):
        return PotentialBandit.load(path, potential=POTENTIAL)
    return type(player).load(path)


WAYS = {
    "copy": lambda p, path: p.copy(),
    "copy.copy": lambda p, path: copy.copy(p),
    "deepcopy": lambda p, path: copy.deepcopy(p),
    "pickle": lambda p, path: pickle.loads(pickle.dumps(p)),
    "file": through_file,
}


# --- the contract -----------------------------------------------------------------------------------


def numbers_of(certificate):
    bounds = certificate.bounds.values()
    return [certificate.regret or 0.0, certificate.bound, certificate.rounding, *bounds]


def check(certificate):
    """Nothing is NaN, a failed assumption leaves no bound, and `holds` is what it says."""
    assert not np.isnan(numbers_of(certificate)).any(), certificate
    held = certificate.assumptions.values()
    if False in held:
        assert certificate.bound == math.inf
    within = certificate.regret is None or certificate.regret <= certificate.bound
    assert within or certificate.holds is False, certificate
    known = certificate.regret is not None and None not in held
    assert certificate.holds is (False if False in held or not within else True if known else None)
    assert certificate.comparators
    assert repr(pickle.loads(pickle.dumps(certificate))) == repr(certificate)


def check_run(run, theirs):
    """`theirs`: the losses of the comparators, a column each, as the test knows them."""
    assert isinstance(run, Run)
    T = len(theirs)
    assert run.rounds == T
    size = np.abs(run.losses).sum() + np.abs(theirs).sum(axis=0).max(initial=0.0)
    slack = 4 * np.finfo(float).eps * (T + 1) * size
    assert run.loss == pytest.approx(run.losses.sum(), rel=1e-12, abs=slack)
    true = np.cumsum(run.losses[:, None] - theirs, axis=0)
    mixed = np.full(theirs.shape[1], 1.0 / theirs.shape[1])
    asked = [(i, true[:, i]) for i in range(theirs.shape[1])] + [(mixed, true @ mixed)]
    best = int(np.argmin(theirs.sum(axis=0))) if T else 0
    for who, expected in [(None, true[:, best]), ("best", true[:, best]), *asked]:
        curve, bound = run.regret_curve(comparator=who), run.bound_curve(comparator=who)
        np.testing.assert_allclose(curve, expected, rtol=0, atol=slack)
        assert len(bound) == T
        assert not np.isnan(bound).any()
        assert (curve <= bound).all()
        certificate = run.certificate(comparator=who)
        check(certificate)
        assert certificate.rounds == T
        assert certificate.regret == run.regret(comparator=who)
        assert run.regret(comparator=who) <= run.bound(comparator=who) == certificate.bound
        assert certificate.holds is not False
        if T:
            assert run.bound(comparator=who) <= bound[-1] + slack
    assert not np.isnan(run.expectation_curve() if hasattr(run, "expectation_curve") else 0.0).any()
    if hasattr(run, "expectation"):
        check(run.expectation())
        assert run.expectation().regret is None
    again = pickle.loads(pickle.dumps(run))
    assert again.regret() == run.regret()
    assert again.bound() == run.bound()
    assert len(run.to_arrow()) == T


# --- players of arms --------------------------------------------------------------------------------


@everyone
def test_runs_one_after_the_other(name):
    player, table = make(name, seed=2), costs(70)
    for start, stop in ((0, 30), (30, 31), (31, 70)):
        run = player.run(table[start:stop])
        check_run(run, table[start:stop])
        check(player.certificate())
        check(player.expectation())
        assert player.rounds == stop
    assert run.before.rounds == 31
    player.run(np.empty((0, N)))
    assert player.rounds == 70


@everyone
@pytest.mark.parametrize("way", WAYS)
def test_runs_of_copies_while_a_choice_waits(name, way, tmp_path):
    """A copy has learned the same; runs after it are the same; a clone has learned nothing."""
    player, table = make(name, seed=3), costs(50)
    player.run(table[:20])
    first = player.act()
    other = WAYS[way](player, tmp_path / "player")
    for each in (player, other):
        each.update(table[20, first])
    runs = [each.run(table[21:]) for each in (player, other)]
    np.testing.assert_array_equal(runs[0].losses, runs[1].losses)
    assert runs[0].bound() == runs[1].bound()
    assert repr(player.certificate()) == repr(other.certificate())
    check_run(runs[1], table[21:])
    clone, fresh = other.clone(), make(name, seed=3)
    assert clone.rounds == 0
    np.testing.assert_array_equal(clone.run(table).losses, fresh.run(table).losses)
    assert repr(clone) == repr(fresh) == repr(player)


@pytest.mark.parametrize("name", [n for n in ARMS if n != "horizon"])
def test_losses_that_come_late(name):
    player, table = make(name, seed=4), costs(40)
    delays = np.random.default_rng(4).integers(0, 6, 40)
    check_run(player.run(table, delay=delays), table)
    check(player.certificate())
    expectation = player.expectation()
    check(expectation)
    assert expectation.holds is False
    assert expectation.bound == math.inf
    check_run(player.run(table[:5]), table[:5])  # what was late before stays so


@everyone
def test_forgotten_choices_leave_no_trace(name):
    """Rates, orders and certificates are as if they had never been made; only tickets go on."""
    one, other = make(name, seed=5), make(name, seed=5)
    if not hasattr(one, "forget"):
        return
    table = np.round(costs(12))  # Bernoulli beliefs make coins of others, by their tickets
    for t, row in enumerate(table):
        for _ in range(t % 3):
            other.act()
            other.forget(other.ticket)
        assert other.decisions == other.rounds == t
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
        arm = other.act()
        other.update(row[arm])
        while one.act() != arm:  # which draws by other tickets
            one.forget(one.ticket)
        one.update(row[arm])
    assert repr(one.certificate()) == repr(other.certificate())


@everyone
def test_a_single_round(name):
    for row in ([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.5]], [[0.0, 1.0, 1.0]]):
        for seed in range(3):
            player = make(name, seed=seed)
            check_run(player.run(row), np.array(row))
            check(player.certificate())
            check(player.expectation())
            assert player.expectation().bound <= 1.0 + 1e-9


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("size", [1e-12, 1e-3, 1e6, 1e12])
def test_losses_of_any_size(name, size):
    """In a range that does not begin at 0: whatever is printed scales with it."""
    unit, table = make(name, seed=6), costs(40)
    scaled = make(name, seed=6, range=(-size, size))
    for start, stop in ((0, 15), (15, 40)):
        ours = scaled.run(size * (2 * table[start:stop] - 1))
        theirs = unit.run(table[start:stop])
        if (ours.arms == theirs.arms).all():  # else rounding has decided
            assert ours.regret() == pytest.approx(
                2 * size * theirs.regret(), rel=1e-6, abs=1e-9 * size
            )
            assert ours.bound() == pytest.approx(2 * size * theirs.bound(), rel=1e-6)
        check_run(ours, size * (2 * table[start:stop] - 1))
    check(scaled.certificate())


@pytest.mark.parametrize("name", ARMS)
def test_environments_are_their_tables(name):
    world = Bernoulli([0.3, 0.5, 0.5])
    player, seed = make(name), 9
    first = player.run(world, 60, seed=seed)
    second = player.run(world, 40)
    table = world.losses(100, seed=seed)
    check_run(first, table[:60])
    check_run(second, table[60:])
    for run in (first, second):
        gaps = np.array([0.0, 0.2, 0.2])[run.arms]
        np.testing.assert_allclose(run.pseudo_regret_curve(), np.cumsum(gaps), atol=1e-12)
        assert run.pseudo_regret(1) == pytest.approx(gaps.sum() - 0.2 * run.rounds)
        assert run.expectation().bound <= 0.2 * run.rounds + 1e-9  # what is trivial
    gaps = np.array([0.0, 0.2, 0.2])
    assert player.pseudo_regret([0.3, 0.5, 0.5]) == pytest.approx(gaps @ player.pulls)


# --- losses that look at the player -----------------------------------------------------------------


def worst(p, t, rng):
    return np.eye(N)[np.argmax(p)]  # what is most likely costs 1


def rarest(p, t, rng):
    return np.eye(N)[np.argmin(p)]


def turning(p, t, rng):
    return np.array([float(t // 20 % 2 == 0), 0.5, float(t // 20 % 2)])


def two_sided(p, t, rng):
    return (rng.random(N) < p).astype(float)


@pytest.mark.parametrize("adversary", [worst, rarest, turning, two_sided])
@pytest.mark.parametrize(
    "name", ["exp3", "exp3, fixed", "exp3, horizon", "exp3ix", "exp3ix, fixed", "tsallis"]
)
def test_the_inequality_of_the_estimates_holds_surely(name, adversary):
    """Estimated regrets from the probabilities that were shown, to every arm, after every round."""
    player, rng = make(name, seed=3), np.random.default_rng(3)
    regrets, gamma = np.zeros(N), 0.0
    for t in range(80):
        p = player.probabilities
        if isinstance(player, Exp3IX):
            gamma = player._implicit * player._engine.rate
        row = adversary(p, t, rng)
        arm = player.act()
        player.update(row[arm])
        regrets += row[arm]
        regrets[arm] -= row[arm] / (p[arm] + gamma)
        for i in range(N):
            certificate = player.certificate(i)
            assert certificate.regret == pytest.approx(regrets[i], rel=1e-9, abs=1e-9)
            assert certificate.holds is True
        assert player.regret([0.5, 0.5, 0.0]) == pytest.approx(regrets[:2].mean(), abs=1e-9)
    check(player.certificate())
    assert player.certificate().regret == pytest.approx(regrets.max(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("adversary", [worst, rarest, turning, two_sided])
@everyone
def test_nobody_breaks_down(name, adversary):
    player, rng = make(name, seed=1), np.random.default_rng(1)
    for t in range(40):
        p = player.probabilities
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1.0)
        arm = player.act()
        player.update(float(adversary(p, t, rng)[arm]))
    check(player.certificate())
    check(player.expectation())


# --- simulations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARMS)
def test_means_over_seeds_are_within_what_is_proven_of_them(name):
    """By four standard errors: the theorem is about the mean over all draws."""
    table = costs(60)
    for environment, rounds in ((Bernoulli([0.3, 0.5, 0.5]), 60), (table, None)):
        found = simulate(make(name), environment, rounds, seeds=20, checkpoints=10)
        check(found.certificate())
        error = found.regrets.std(axis=0, ddof=1) / math.sqrt(20)
        assert (found.regret_curve() - 4 * error <= found.bound_curve()).all()
        assert found.bound() <= (12.0 if rounds else 60.0) * (1 + 1e-9)
        for i in range(N):
            check(found.certificate(i))
        assert len(found.to_arrow()) == len(found.index)


# --- experts who advise -----------------------------------------------------------------------------


def test_advice_in_every_composition(tmp_path):
    rng = np.random.default_rng(2)
    table, advice = costs(60), rng.dirichlet(np.ones(N), (60, 4))
    theirs = np.einsum("tmn,tn->tm", advice, table)
    for rate in ("anytime", 0.2):
        player = Exp4(N, 4, rate=rate, seed=1)
        for start, stop in ((0, 1), (1, 30), (30, 60)):
            check_run(player.run(table[start:stop], advice[start:stop]), theirs[start:stop])
            check(player.certificate())
            for m in range(4):
                assert player.certificate(m).holds is True
            check(player.expectation())
        for way in WAYS.values():
            other = way(player, tmp_path / "exp4")
            run = other.run(table, advice, delay=2)
            check_run(run, theirs)
            assert run.expectation().bound == math.inf
        assert player.clone().rounds == 0


# --- contexts ---------------------------------------------------------------------------------------

CONTEXTUAL = {
    "lin-ucb": lambda: LinUCB(N, D),
    "careful": lambda: LinUCB(N, D, alpha=0.1, ridge=5.0, noise=1.0, norm=3.0, delta=0.2),
    "shared": lambda: LinUCB(N, D, shared=True),
    "greedy": lambda: EpsilonGreedyLearner(LinearRegressor(), N, epsilon=0.3, seed=1),
}


def met(name, rounds, seed=0, noise=0.3):
    """Contexts as the bandit takes them, and rewards with means <theta_a, x>, theta of norm 1."""
    rng = np.random.default_rng([seed, 2])
    X, theta = rng.normal(size=(rounds, D)), rng.normal(size=(N, D))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    if name == "shared":
        X = rng.normal(size=(rounds, N, D))
        theta[:] = theta[0]
    means = X @ theta.T if X.ndim == 2 else np.einsum("tad,ad->ta", X, theta)
    return X, means + noise * rng.normal(size=(rounds, N))


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_contextual_runs_one_after_the_other(name):
    bandit, (X, R) = CONTEXTUAL[name](), met(name, 90)
    for start, stop in ((0, 40), (40, 41), (41, 90)):
        run = bandit.run(X[start:stop], R[start:stop])
        check_run(run, -R[start:stop])
        assert run.reward == pytest.approx(R[np.arange(start, stop), run.arms].sum())
    if name != "greedy":
        check(bandit.certificate())
        assert bandit.certificate().rounds == 90


@pytest.mark.parametrize("name", CONTEXTUAL)
@pytest.mark.parametrize("way", WAYS)
def test_late_rewards_are_learned_with_their_own_contexts(name, way, tmp_path):
    """Four decisions wait at once, in any order; the same as from a log; copies keep them."""
    bandit, log, (X, R) = CONTEXTUAL[name](), CONTEXTUAL[name](), met(name, 40)
    rng, waiting = np.random.default_rng(3), []
    for t in range(40):
        arm = bandit.act(X[t])
        waiting.append((bandit.ticket, arm, t))
        if t == 20:
            bandit = WAYS[way](bandit, tmp_path / "bandit")
        assert bandit.waiting == [(ticket, arm) for ticket, arm, _ in waiting]
        while len(waiting) > 3 or (waiting and t == 39):
            ticket, arm, then = waiting.pop(int(rng.integers(len(waiting))))
            bandit.update(reward=R[then, arm], ticket=ticket)
            log.update(arm, reward=R[then, arm], x=X[then])
        if t % 10 == 5:
            bandit.act(X[t])
            bandit.forget(bandit.ticket)
    assert (bandit.rounds, bandit.decisions, log.decisions) == (40, 40, 0)
    for x in X[:10]:
        np.testing.assert_array_equal(bandit.probabilities(x), log.probabilities(x))
    bandit.act(X[0])
    before = bandit.waiting
    bandit.update(1, reward=0.5, x=X[1])  # from a log: nothing that waits is settled
    assert bandit.waiting == before
    bandit.update(before[0][1], reward=0.5)
    assert bandit.waiting == []
    with pytest.raises(ValueError, match="ticket=7: no decision that had it waits"):
        bandit.update(reward=0.5, ticket=7)
    assert bandit.clone().rounds == 0


def test_the_regret_of_linear_rewards_is_covered():
    """Of 60 games, with probability 0.8 each: none is missed, as the bound is not tight."""
    for seed in range(60):
        X, R = met("lin-ucb", 50, seed)
        run = LinUCB(N, D, noise=0.3, delta=0.2).run(X, R)
        assert (run.regret_curve() <= run.bound_curve()).all()
        assert run.certificate().holds is None


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3, 1e12])
def test_rewards_that_no_such_model_makes_have_no_bound(scale):
    """Of norm 1 and noise 1/2: small ones may be, large ones cannot, and then nothing is promised."""
    run = LinUCB(2, 1).run(np.ones((10, 1)), np.tile([0.0, 100.0 * scale], (10, 1)))
    check(run.certificate())
    assert run.regret() <= run.bound()
    assert (run.bound() == math.inf) is (scale >= 1e-1)
    assert (run.after.certificate().bound == math.inf) is (scale >= 1e-1)


# --- convex losses ----------------------------------------------------------------------------------

CONVEX = {
    "one point": lambda: BanditGradientDescent(D, horizon=60, seed=2),
    "two points": lambda: BanditGradientDescent(D, horizon=60, points=2, seed=2),
    "any horizon": lambda: BanditGradientDescent(D, domain=Box(-1.0, 1.0), inside=True, seed=2),
    "anytime": lambda: BanditMirrorDescent(
        Euclidean(), D, estimator=TwoPoint(0.1), domain=Ball(1.0), seed=2
    ),
    "no end": lambda: BanditMirrorDescent(
        Euclidean(), D, estimator=OnePoint(0.2), rate=0.01, seed=2
    ),
}


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("scale", [1e-12, 0.1, 1e12])
def test_linear_losses_of_any_size(name, scale, tmp_path):
    if name == "no end" and scale > 1.0:
        return  # losses that grow with the point, which grows with them
    player, rows = CONVEX[name](), scale * np.random.default_rng(4).normal(size=(60, D))
    for start, stop in ((0, 1), (1, 20), (20, 60)):
        run, part = player.run(rows[start:stop]), rows[start:stop]
        total = part.sum(axis=0)
        for u in (np.zeros(D), np.array([0.6, -0.8]), -total / np.linalg.norm(total), None):
            point = run.comparator() if u is None else u
            true = run.losses.sum() - (part @ point).sum()
            size = np.abs(run.losses).sum() + np.abs(part).sum()
            assert run.regret(u) == pytest.approx(true, abs=1e-13 * size)
            assert run.regret(u) <= run.bound(u)
            assert (run.regret_curve(u) <= run.bound_curve(u)).all()
            check(run.certificate(u))
        if name != "no end":
            assert run.bound() < math.inf
            assert run.bound([30.0, 0.0]) == math.inf
        check(run.expectation())
        check(player.certificate())
        check(player.expectation())
        assert not np.isnan(run.expectation_curve()).any()
    player.act()
    for way in WAYS.values():
        other = way(player, tmp_path / "player")
        np.testing.assert_array_equal(other.point, player.point)
        assert repr(other.certificate()) == repr(player.certificate())
        other.forget(other.ticket)
        assert other.decisions == other.rounds == 60
    assert player.clone().rounds == 0
    assert repr(player.clone()) == repr(player)


@pytest.mark.parametrize("name", CONVEX)
def test_functions_that_look_at_nothing_are_not_promised_less_than_they_cost(name):
    goal = np.array([0.3, -0.2])

    def loss(w):
        return 0.3 * float(np.abs(w - goal).sum())

    player = CONVEX[name]()
    first, second = player.run(loss, 30), player.run(loss, 10, delay=2)
    for run in (first, second):
        assert run.regret(goal) == pytest.approx(run.loss)
        assert run.bound(goal) == math.inf
        check(run.certificate(goal))
        check(run.expectation())
        assert len(run.to_arrow()) == run.rounds
    if name in ("one point", "two points", "any horizon"):
        assert first.regret(goal) <= first.expectation().bound < math.inf
    assert second.expectation().bound == math.inf
    check(player.certificate())
