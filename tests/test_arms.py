"""Players of arms are what the texts define: oracles, golden values, equivalences, identities."""

import math

import numpy as np
import pytest
from reference.arms import Draws, MeansOracle, WeightedOracle, exponential, tsallis

from regretless import _core
from regretless.bandits import (
    UCB1,
    BanditMirrorDescent,
    BanditPotential,
    Bernoulli,
    EpsilonGreedy,
    Exp3,
    Exp3IX,
    Exp4,
    Gaussian,
    PotentialBandit,
    ThompsonSampling,
    TsallisINF,
)
from regretless.experts import Hedge
from regretless.experts.chip_potentials import NormalHedgeDTPotential, TwoNormPotential
from regretless.geometry import Entropy

N = 4


def costs(rounds, n=N, seed=0):
    random = np.random.default_rng(seed)
    table = random.random((rounds, n))
    table[random.random(table.shape) < 0.3] = 0.0
    return np.round(table, 3)


def _anytime(n):
    return lambda t: math.sqrt(math.log(n) / (n * t))


def _half(rate):
    return lambda t: rate(t) / 2


WEIGHTED = {
    "fixed": (lambda: Exp3(N, rate=0.3, seed=3), exponential, lambda t: 0.3, {}),
    "anytime": (lambda: Exp3(N, seed=3), exponential, _anytime(N), {}),
    "implicit": (
        lambda: Exp3IX(N, seed=3),
        exponential,
        _anytime(N),
        {"gamma": _half(_anytime(N))},
    ),
    "implicit, fixed": (
        lambda: Exp3IX(N, rate=0.3, gamma=0.05, seed=3),
        exponential,
        lambda t: 0.3,
        {"gamma": lambda t: 0.05},
    ),
    "tsallis": (lambda: TsallisINF(N, seed=3), tsallis, lambda t: t**-0.5, {}),
    "reduced": (
        lambda: TsallisINF(N, estimator="reduced", seed=3),
        tsallis,
        lambda t: min(1.0, 2 * t**-0.5),
        {"reduced": True},
    ),
}


def compare(bandit, oracle, rounds=200, *, late=0, absent=0.0, seed=0):
    """Play, and ask both after every step; what is close to 1 is so to 1e-9."""
    random = np.random.default_rng(seed)
    table, tickets = costs(rounds, bandit.n, seed), []
    for t in range(rounds):
        awake = None
        if random.random() < absent:
            awake = random.random(bandit.n) < 0.6
            awake[random.integers(bandit.n)] = True
        np.testing.assert_allclose(
            bandit._engine.probabilities(None if awake is None else awake.astype(float)),
            oracle.probabilities(awake),
            rtol=1e-9,
        )
        arm = bandit.act(awake)
        assert awake is None or awake[arm]
        p = oracle.act(bandit.ticket, arm, awake)
        assert bandit.propensity == pytest.approx(p, rel=1e-9)
        tickets.append((bandit.ticket, table[t, arm]))
        while len(tickets) > late:
            ticket, y = tickets.pop(random.integers(len(tickets)))
            bandit.update(y, ticket=ticket)
            oracle.update(ticket, y)
    np.testing.assert_allclose(bandit.regrets, oracle.regrets(), rtol=1e-9, atol=1e-9)
    assert bandit.loss == pytest.approx(sum(oracle.losses))
    return oracle


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(("late", "absent"), [(0, 0.0), (5, 0.0), (0, 0.5), (7, 0.3)])
def test_weights_and_certificates_are_the_oracles(name, late, absent):
    make, weigh, rate, options = WEIGHTED[name]
    bandit = make()
    oracle = compare(bandit, WeightedOracle(N, weigh, rate, **options), late=late, absent=absent)
    penalty = math.log(N) / rate(bandit.rounds) if weigh is exponential else 0.0
    certificate = bandit.certificate()
    if not (late and name == "reduced"):  # there a term of the proof may be infinite
        expected = pytest.approx(penalty + oracle.bound, rel=1e-9)
        assert certificate.bounds["pathwise"] == expected
    assert certificate.regret == pytest.approx(oracle.regrets().max())
    assert certificate.holds
    assert bandit._engine.delayed == bool(late)
    assert bandit._engine.slept == bool(absent)


def test_draws_are_those_of_the_definition():
    for seed in (0, 7, 2**64 - 1):
        for t in (0, 1, 10**6):
            assert _core.uniform(seed, t) == Draws(seed, 0, t).uniform()
    bandit = Exp3(5, rate=0.2, seed=11)
    for t, row in enumerate(costs(100, 5)):
        u, p = Draws(11, 0, t).uniform(), bandit.probabilities
        assert bandit.act() == np.searchsorted(np.cumsum(p), u, side="right")
        bandit.update(row[0])
    means = (0.3, 0.9, 0.5)
    for t, row in enumerate(Bernoulli(means).losses(50, seed=4)):
        draws = Draws(4, 2, t)
        assert row.tolist() == [float(draws.uniform() < mean) for mean in means]


def test_draws_are_uniform_and_independent():
    """1e5 numbers: the mean of u is normal with 0.29 / sqrt(1e5) = 9e-4, of u u' with 7e-4."""
    u = np.array([_core.uniform(3, t) for t in range(100_000)])
    assert abs(u.mean() - 0.5) < 4 * 9.2e-4
    assert abs((u[1:] * u[:-1]).mean() - 0.25) < 4 * 9.0e-4
    assert np.ptp(np.histogram(u, 20, (0, 1))[0]) < 8 * math.sqrt(5000)
    other = np.array([_core.uniform(4, t) for t in range(100_000)])
    assert abs(np.corrcoef(u, other)[0, 1]) < 4 / math.sqrt(100_000)


# --- golden values and equivalences -----------------------------------------------------------------


def test_the_golden_trace():
    """Shalev-Shwartz (2012), Corollary 4.2: three arms, eta = 0.2, arm 2 (the second) costs 0.6."""
    bandit = next(b for b in (Exp3(3, rate=0.2, seed=s) for s in range(99)) if b.act() == 1)
    bandit.update(0.6)
    golden = [0.3706893931, 0.2586212139, 0.3706893931]
    np.testing.assert_allclose(bandit.probabilities, golden, atol=5e-11)


def test_it_is_mirror_descent_with_one_arm():
    """Given the same draws, whoever makes them."""
    mirror = BanditMirrorDescent(Entropy(), N, rate=0.2, seed=5)
    bandit = Exp3(N, rate=0.2, seed=0)
    for row in costs(300):
        # an error of p is one of loss / p, and so on: it grows by eta loss / p each time
        np.testing.assert_allclose(bandit.probabilities, mirror.probabilities, rtol=1e-6)
        arm = mirror.act()
        bandit = next(c for c in (_seeded(bandit, s) for s in range(1000)) if c.act() == arm)
        bandit.update(row[arm])
        mirror.update(row[arm])


def _seeded(bandit, seed):
    other = bandit.copy()
    other._reseed(seed)
    return other


def test_full_feedback_is_weighted_majority():
    """Estimates that are exact: an arm that experts play as often as they lose, at the mean loss."""
    hedge, eta = Hedge(3, rate=0.25), 0.25
    bandit = Exp4(3, 3, rate=eta)
    for row in np.maximum(costs(100, 3), 0.05):
        np.testing.assert_allclose(bandit.weights, hedge.weights, rtol=1e-9)
        hedge.update(row)
        # p_0 is the mean loss, hence an expert's estimate E[0] y / p_0 is its own loss
        total = bandit.weights @ row
        advice = np.column_stack([row, 1 - row, np.zeros(3)])
        bandit = next(c for c in (_seeded(bandit, s) for s in range(9999)) if c.act(advice) == 0)
        assert bandit.propensity == pytest.approx(total)
        bandit.update(total)


def test_the_generic_algorithm_with_the_exponential_potential_is_exp3():
    table = costs(400)
    one, other = PotentialBandit(N, BanditPotential(N, 0.1), seed=9), Exp3(N, rate=0.1, seed=9)
    generic, run = one.run(table), other.run(table)
    np.testing.assert_array_equal(generic.arms, run.arms)
    np.testing.assert_allclose(generic.propensities, run.propensities, rtol=1e-9)
    np.testing.assert_allclose(-one.positions, other.regrets, rtol=1e-9, atol=1e-9)
    assert generic.expectation().bounds["BanditPotential"] == pytest.approx(
        other.expectation().bounds["luo"]
    )
    assert one.expectation().bounds["BanditPotential"] == pytest.approx(
        generic.expectation().bounds["BanditPotential"]
    )
    # the preset of the text, and its closed form for small eta
    tuned = Exp3(N, rate="luo", horizon=400)
    tuned.run(table)
    closed = math.sqrt(2 * 400 * (1 + N * math.exp(0.5)) * math.log(N))
    assert BanditPotential.tuned(N, 400).eta == pytest.approx(tuned._engine.rate)
    assert tuned.expectation().bounds["luo"] <= closed


@pytest.mark.parametrize("eta", [0.01, 0.3, 1.0])
def test_the_potential_makes_the_condition_an_equality(eta):
    """(A.3), with the alpha of the text."""
    phi, s = BanditPotential(N, eta), np.linspace(-5, 5, 11)
    alpha = eta**2 * math.exp(eta) / (2 * (math.exp(eta) - math.exp(-eta)))
    left = (0.5 + N * alpha) * phi.value(s - 1, 3) + (0.5 - N * alpha) * phi.value(s + 1, 3)
    np.testing.assert_allclose(left, phi.value(s, 2), rtol=1e-12)


@pytest.mark.parametrize(
    "potential",
    [TwoNormPotential(), NormalHedgeDTPotential()],
    ids=["two-norm", "normal-hedge"],
)
def test_potentials_that_are_not_for_bandits_are_refused(potential):
    with pytest.raises(ValueError, match=r"not for bandits: \(A.3\) fails"):
        PotentialBandit(N, potential)


def test_the_exponential_potential_is_for_as_many_arms_as_it_was_made_for():
    with pytest.raises(ValueError, match=f"made for {N // 2} arms, not {N}; give BanditPotential"):
        PotentialBandit(N, BanditPotential(N // 2, 0.3))
    for eta in (1e-3, 50.0, 100.0):  # whatever differences of large numbers say
        assert PotentialBandit(N, BanditPotential(N, eta)).run(costs(20)).rounds == 20


def test_ucb1_is_its_oracle():
    bandit, oracle = UCB1(N, noise=0.4), MeansOracle(N, 0.4)
    for row in costs(400):
        arm = bandit.act()
        assert arm == oracle.act()
        assert bandit.propensity == 1.0
        bandit.update(row[arm])
        oracle.seen[arm].append(row[arm])
    assert bandit.pulls.tolist() == [len(s) for s in oracle.seen]


@pytest.mark.parametrize("late", [0, 4])
def test_exp4_is_its_definition(late):
    """Weights, probabilities, and what the certificate adds up, also of losses that come late."""
    random, n, M, eta = np.random.default_rng(0), 3, 4, 0.3
    bandit, S, paid, waits = Exp4(n, M, rate=eta, seed=1), np.zeros(M), 0.0, []
    for row in costs(150, n):
        advice = random.dirichlet(np.ones(n), M)
        q = exponential(S, eta)
        np.testing.assert_allclose(bandit.weights, q, rtol=1e-9)
        arm = bandit.act(advice)
        np.testing.assert_allclose(bandit.probabilities, q @ advice, rtol=1e-9)
        waits.append((bandit.ticket, advice[:, arm], (q @ advice)[arm], row[arm]))
        while len(waits) > late:
            ticket, said, p, y = waits.pop(random.integers(len(waits)))
            q, z = exponential(S, eta), said * y / p
            paid += eta / 2 * q @ z**2 + y - q @ z
            S += z
            bandit.update(y, ticket=ticket)
    np.testing.assert_allclose(bandit.regrets, bandit.loss - S, rtol=1e-9, atol=1e-9)
    found = bandit.certificate().bounds["pathwise"]
    assert found == pytest.approx(math.log(M) / eta + paid, rel=1e-9)
    assert bandit.certificate().holds


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13])
def test_tsallis_weights_add_up_wherever_arms_are(n):
    """Sums from 0 to 1e12 apart, and whatever Newton's method starts from."""
    random = np.random.default_rng(n)
    for scale, start in [(0.0, 0.0), (1.0, 0.3), (1e3, 0.0), (1e6, 1.0), (1e12, 0.9)]:
        bandit = TsallisINF(n)
        sums = random.random(n) * scale
        bandit.run(np.zeros((99, n)))
        state = bandit._engine.state()
        state[-1 - n : -1], state[-1] = sums, start * math.sqrt(n) / 0.1
        bandit._engine.restore(state)
        p = bandit.probabilities
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(p, tsallis(sums, 0.1), rtol=1e-9)


@pytest.mark.parametrize("estimator", ["importance", "reduced"])
def test_tsallis_pays_for_an_arm_that_comes(estimator):
    """By how much `max_w -<w, S> + 2 sum sqrt(w) / eta` is larger with the new arm."""
    bandit = TsallisINF(3, estimator=estimator, seed=1)
    bandit.run(costs(40, 3))

    def conjugate(S):
        w = tsallis(S, bandit._engine.rate)
        return 2 / bandit._engine.rate * np.sqrt(w).sum() - w @ S

    before, S = bandit._engine.paid, -bandit.regrets
    bandit.add_arm()
    expected = conjugate(np.append(S, 0.0)) - conjugate(S)
    assert expected > 0.1
    assert bandit._engine.paid - before == pytest.approx(expected, rel=1e-9)


# --- estimates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fixed", "anytime", "tsallis", "reduced"])
def test_estimates_are_right_in_the_mean_exactly(name):
    """sum_A p_A z^(A) = y, by trying every arm that could have been drawn."""
    bandit = WEIGHTED[name][0]()
    bandit.run(costs(150))
    y = np.array([0.3, 1.0, 0.0, 0.7])
    p, before, mean = bandit.probabilities, bandit.regrets, np.zeros(N)
    for arm in range(N):
        other = next(c for c in (_seeded(bandit, s) for s in range(9999)) if c.act() == arm)
        other.update(y[arm])
        mean += p[arm] * (y[arm] - (other.regrets - before))
    np.testing.assert_allclose(mean, y, atol=1e-9)


def test_implicit_exploration_estimates_low():
    bandit = Exp3IX(2, rate=0.5, gamma=0.25, seed=1)
    arm = bandit.act()
    bandit.update(0.9)
    assert bandit.regrets[arm] == pytest.approx(0.9 - 0.9 / 0.75)


def test_beliefs():
    bandit = ThompsonSampling(2, prior=(2.0, 3.0))
    for loss in (1.0, 1.0, 0.0):
        bandit.act(available=[0])
        bandit.update(loss)
    assert bandit.beliefs.tolist() == [[4.0, 4.0], [2.0, 3.0]]
    normal = ThompsonSampling(2, model="gaussian", prior=(1.0, 2.0), noise=0.5, range=None)
    for loss in (3.0, 5.0):
        normal.act(available=[1])
        normal.update(loss)
    precision = 1 / 4 + 2 * 4
    assert normal.beliefs[0].tolist() == [1.0, 2.0]
    assert normal.beliefs[1] == pytest.approx([(1 / 4 + 8 * 4) / precision, precision**-0.5])


@pytest.mark.parametrize(
    ("model", "prior"), [("bernoulli", None), ("bernoulli", (0.3, 0.5)), ("gaussian", None)]
)
def test_thompson_chooses_as_often_as_it_says(model, prior):
    """20,000 choices from one state: a share has a standard error of at most 0.0036."""
    bandit = ThompsonSampling(3, model=model, prior=prior, seed=0)
    for arm, loss in [(0, 1), (0, 0), (0, 0), (1, 1), (1, 0), (2, 1), (2, 1), (0, 0)]:
        bandit.act(available=[arm])
        bandit.update(loss)
    p = bandit.probabilities
    chosen = np.bincount([bandit.act() for _ in range(20_000)], minlength=3) / 20_000
    np.testing.assert_allclose(chosen, p, atol=4 * 0.0036)
    assert p.sum() == pytest.approx(1.0)


def test_losses_between_are_coins_with_that_mean():
    """Agrawal and Goyal: 5,000 losses of 0.3 leave about 1,500 ones, within 4 * 32.4."""
    bandit = ThompsonSampling(1, seed=2)
    bandit.run(np.full((5000, 1), 0.3))
    ones = bandit.beliefs[0, 0] - 1
    assert abs(ones - 1500) < 4 * math.sqrt(5000 * 0.21)
    assert ones == int(ones)


def test_coins_are_drawn_apart_from_choices():
    bandit = ThompsonSampling(2, seed=5)
    run = bandit.run(np.full((200, 2), 0.6))
    ones = [Draws(5, 1, t).uniform() < 0.6 for t in range(200)]
    expected = np.bincount(run.arms, weights=ones, minlength=2)
    assert (bandit.beliefs[:, 0] - 1).tolist() == expected.tolist()


def test_epsilon_greedy_explores_as_often_as_it_says():
    bandit = EpsilonGreedy(4, epsilon=0.4, seed=1)
    run = bandit.run(np.tile([0.5, 0.1, 0.5, 0.5], (20_000, 1)))
    share = np.bincount(run.arms, minlength=4) / 20_000
    np.testing.assert_allclose(share, [0.1, 0.7, 0.1, 0.1], atol=4 * 0.0033 + 4 / 20_000)
    np.testing.assert_allclose(run.propensities[-1], 0.7 if run.arms[-1] == 1 else 0.1)
    falling = EpsilonGreedy(4, decay=8.0)
    assert falling._engine.rate == 1.0
    falling.run(np.zeros((99, 4)))
    assert falling._engine.rate == pytest.approx(0.08)


def test_environments():
    """Means of 40,000 losses, to four standard errors."""
    losses = Bernoulli([0.1, 0.5, 1.0]).losses(40_000, seed=1)
    assert set(np.unique(losses)) == {0.0, 1.0}
    np.testing.assert_allclose(losses.mean(axis=0), [0.1, 0.5, 1.0], atol=4 * 0.5 / 200)
    normal = Gaussian([-1.0, 2.0], scale=3.0).losses(40_000, seed=1)
    np.testing.assert_allclose(normal.mean(axis=0), [-1.0, 2.0], atol=4 * 3 / 200)
    np.testing.assert_allclose(normal.std(axis=0), 3.0, rtol=4 / math.sqrt(80_000))
    assert abs(np.corrcoef(normal.T)[0, 1]) < 4 / 200
    assert not np.array_equal(normal, Gaussian([-1.0, 2.0], scale=3.0).losses(40_000, seed=2))


@pytest.mark.parametrize("prior", [(0.05, 0.05), (0.01, 0.3), (0.5, 0.002), (1e-6, 1e-6)])
def test_thompson_with_priors_near_0_and_1(prior):
    """Means that are nearly 0 or 1 are told apart: by draws of log-odds in the test, and by choices."""
    player, rng, count = ThompsonSampling(3, prior=prior, seed=2), np.random.default_rng(2), 4000
    np.testing.assert_allclose(player.probabilities, 1 / 3, rtol=1e-9)
    for loss in (1.0, 0.0, 1.0, 1.0, 0.0):
        player.act()
        player.update(loss)
    a, b = player.beliefs.T

    def log_gamma(shape):
        return (
            np.log(rng.gamma(shape + 1, size=(count, 3))) + np.log(rng.random((count, 3))) / shape
        )

    drawn = np.bincount((log_gamma(a) - log_gamma(b)).argmin(axis=1), minlength=3) / count
    chosen = np.zeros(3)
    for _ in range(count):
        chosen[player.act()] += 1 / count
        player.forget(player.ticket)
    error = 4 * np.sqrt(player.probabilities * (1 - player.probabilities) / count) + 1e-3
    assert (np.abs(drawn - player.probabilities) < error).all()
    assert (np.abs(chosen - player.probabilities) < error).all()
