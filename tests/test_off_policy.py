"""Off-policy evaluation: the formulas row by row, right in the mean, and intervals that cover."""

import math

import numpy as np
import pytest
from reference import off_policy as oracle

from regretless.bandits import (
    UCB1,
    BanditMirrorDescent,
    BanditPotential,
    EpsilonGreedy,
    EpsilonGreedyLearner,
    Exp3,
    LinUCB,
    PotentialBandit,
    ThompsonSampling,
    TsallisINF,
)
from regretless.bandits.off_policy import (
    Log,
    OffPolicyEstimate,
    doubly_robust,
    evaluate,
    ips,
    probabilities,
    replay,
    snips,
)
from regretless.geometry import Entropy
from regretless.linear import LinearRegressor

MEANS = np.array([[0.2, 0.5, 0.8], [0.9, 0.4, 0.1]])  # of three actions in two contexts
LOGGED = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
TARGET = np.array([[0.1, 0.2, 0.7], [0.6, 0.4, 0.0]])
VALUE = float((MEANS * TARGET).sum(axis=1).mean())


def made(rows, seed=0):
    """A log of the policy LOGGED, contexts as they came, and what TARGET plays there."""
    random = np.random.default_rng(seed)
    x = random.integers(2, size=rows)
    actions = (random.random((rows, 1)) > np.cumsum(LOGGED[x], axis=1)).sum(axis=1)
    rewards = (random.random(rows) < MEANS[x, actions]).astype(float)
    return Log(actions, rewards, LOGGED[x, actions], np.eye(2)[x], n=3), TARGET[x]


def uniform(rows, seed=0, n=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 2))
    actions = random.integers(n, size=rows)
    rewards = np.clip(X[:, 0] * (actions - 1) / 2 + 0.5, 0, 1)
    return Log(actions, rewards, np.full(rows, 1 / n), X, n=n)


# --- the formulas ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [None, 2.0])
def test_values_are_the_formulas(cap):
    """Where a weight is cut, the value leans to one side, and there is no interval."""

    def check(found, value, half):
        expected = [value - half, value + half] if cap is None else [-math.inf, math.inf]
        np.testing.assert_allclose(found.interval, expected, rtol=1e-9)

    log, pi = made(400)
    rows = log.actions.tolist(), log.rewards.tolist(), log.propensities.tolist()
    q = np.random.default_rng(1).random((400, 3))
    limit = cap or math.inf
    value, terms = oracle.ips(*rows, pi, limit)
    found = ips(log, pi, cap=cap)
    assert found.value == pytest.approx(value, rel=1e-12)
    check(found, value, 1.959963984540054 * np.std(terms, ddof=1) / 20)
    value, terms = oracle.doubly_robust(*rows, pi, q, limit)
    found = doubly_robust(log, pi, predictions=q, cap=cap)
    assert found.value == pytest.approx(value, rel=1e-12)
    check(found, value, 1.959963984540054 * np.std(terms, ddof=1) / 20)
    value, error = oracle.snips(*rows, pi, limit)
    found = snips(log, pi, cap=cap, confidence=0.9)
    assert found.value == pytest.approx(value, rel=1e-12)
    check(found, value, 1.6448536269514722 * error)
    w = np.minimum(pi[np.arange(400), log.actions] / log.propensities, limit)
    assert found.effective_sample_size == pytest.approx(w.sum() ** 2 / (w**2).sum())


KINDS = {"bernstein": oracle.empirical_bernstein, "chernoff": oracle.chernoff}


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_are_the_inequalities(kind):
    log, pi = made(300)
    rows = log.actions.tolist(), log.rewards.tolist(), log.propensities.tolist()
    around = KINDS[kind]
    options = {"interval": kind, "confidence": 0.9, "largest_weight": 5.0}
    unit = options | {"reward_range": (0.0, 1.0)}
    _, terms = oracle.ips(*rows, pi)
    low, high = around(terms, (0.0, 5.0), 0.9)
    np.testing.assert_allclose(ips(log, pi, **unit).interval, [low, min(high, 1.0)], rtol=1e-9)
    q = np.full((300, 3), 0.5)
    _, terms = oracle.doubly_robust(*rows, pi, q)
    low, high = around(terms, (-5.0, 6.0), 0.9)
    found = doubly_robust(log, pi, predictions=q, **unit).interval
    np.testing.assert_allclose(found, [max(low, 0.0), min(high, 1.0)], rtol=1e-9)
    # rewards from -1 to 3: w r is between -W and 3 W
    wide = Log(log.actions, 4 * log.rewards - 1, log.propensities, n=3)
    _, terms = oracle.ips(rows[0], wide.rewards.tolist(), rows[2], pi)
    low, high = around(terms, (-5.0, 15.0), 0.9)
    found = ips(wide, pi, **options, reward_range=(-1.0, 3.0)).interval
    np.testing.assert_allclose(found, [max(low, -1.0), min(high, 3.0)], rtol=1e-9)
    # and of rewards from 2 to 3, between 0 and 3 W
    more = Log(log.actions, 2 + log.rewards, log.propensities, n=3)
    _, terms = oracle.ips(rows[0], more.rewards.tolist(), rows[2], pi)
    low, high = around(terms, (0.0, 15.0), 0.9)
    found = ips(more, pi, **options, reward_range=(2.0, 3.0)).interval
    np.testing.assert_allclose(found, [max(low, 2.0), min(high, 3.0)], rtol=1e-9)
    # snips: the values for which w (r - v) may have the mean 0
    w = pi[np.arange(300), log.actions] / log.propensities
    low, high = snips(log, pi, **unit).interval
    for v in np.linspace(0.0, 1.0, 41):
        below, above = around((w * (log.rewards - v)).tolist(), (-5.0 * v, 5.0 * (1 - v)), 0.9)
        assert (below <= 0.0 <= above) == (low <= v <= high), v
    assert low <= snips(log, pi).value <= high


def test_replay_of_a_policy_is_the_formula():
    log = uniform(300)
    chosen = np.random.default_rng(2).integers(3, size=300)
    value, matched = oracle.replay(log.actions.tolist(), log.rewards.tolist(), chosen.tolist())
    found = replay(log, chosen, interval="bernstein", reward_range=(0.0, 1.0))
    assert found.value == pytest.approx(value)
    assert found.effective_sample_size == len(matched)
    expected = oracle.empirical_bernstein(matched, (0.0, 1.0), 0.95)
    np.testing.assert_allclose(found.interval, expected)
    found = replay(log, chosen, interval="chernoff", reward_range=(0.0, 1.0))
    expected = oracle.chernoff(matched, (0.0, 1.0), 0.95)
    np.testing.assert_allclose(found.interval, expected, rtol=1e-9)


def test_replay_lets_a_bandit_learn_from_matches_only():
    """Row by row by hand, and the bandit that was given is as it was."""
    log = uniform(400)
    bandit, given = LinUCB(3, 2), LinUCB(3, 2)
    matched = []
    for x, action, reward in zip(log.contexts, log.actions, log.rewards):
        if bandit.act(x) == action:
            bandit.update(reward=reward)
            matched.append(reward)
        else:
            bandit.forget(bandit.ticket)
    found = replay(log, given)
    assert found.value == pytest.approx(np.mean(matched))
    assert found.effective_sample_size == len(matched)
    assert given.rounds == 0
    assert (
        found.assumptions["actions were logged uniformly at random, whatever the context"] is True
    )


@pytest.mark.parametrize("kind", [Exp3, TsallisINF, UCB1, ThompsonSampling])
def test_replay_tells_players_of_losses_what_was_missed(kind):
    """A reward r in (-1, 3) is the loss 2 - r; contexts are not arms, choices without a loss go."""
    random = np.random.default_rng(3)
    actions = random.integers(3, size=2000)
    rewards = np.array([-0.5, 0.0, 2.5])[actions] + random.random(2000) * 0.5
    log = Log(actions, rewards, np.full(2000, 1 / 3), random.normal(size=(2000, 3)), n=3)
    player = kind(3, range=(-1.0, 3.0), seed=1)
    found = replay(log, player)
    assert player.decisions == 0  # a copy has played
    told, earned = kind(3, range=(-1.0, 3.0), seed=1), []
    for action, reward in zip(actions.tolist(), rewards.tolist()):
        if told.act() == action:
            told.update(2.0 - reward, ticket=told.ticket)
            earned.append(reward)
        else:
            told.forget(told.ticket)
    assert found.value == pytest.approx(np.mean(earned), rel=1e-12)
    assert found.effective_sample_size == len(earned)
    assert found.value > 2.0  # it has found the third
    with pytest.raises(ValueError, match=r"rewards\[.*\] = 2.* is outside range=\(0.0, 1.0\) of"):
        replay(log, kind(3))


def test_replay_of_a_learner_is_what_it_earns_live():
    """Li et al., Theorem 1: the mean over logs is the mean over live plays of as many rounds."""
    # two actions, no context: costs 0.2 and 0.8
    live, replayed, rounds = [], [], 60
    for seed in range(60):
        random = np.random.default_rng(seed)
        costs = (random.random((rounds, 2)) < [0.2, 0.8]).astype(float)
        live.append(BanditMirrorDescent(Entropy(), 2, rate=0.2, seed=seed).run(costs).loss / rounds)
        actions = random.integers(2, size=200)
        log = Log(actions, (random.random(200) < np.array([0.2, 0.8])[actions]).astype(float))
        bandit, told = BanditMirrorDescent(Entropy(), 2, rate=0.2, seed=seed), []
        for action, cost in zip(log.actions, log.rewards):
            if bandit.act() != action:
                bandit.forget(bandit.ticket)
            elif len(told) < rounds:
                told.append(bandit.update(cost, ticket=bandit.ticket))
        replayed.append(np.mean(told))
        whole = replay(log, BanditMirrorDescent(Entropy(), 2, rate=0.2, seed=seed))
        assert whole.effective_sample_size >= len(told)
    error = math.sqrt((np.var(live) + np.var(replayed)) / 60)
    assert abs(np.mean(live) - np.mean(replayed)) < 4 * error


# --- right in the mean, and covered ----------------------------------------------------------------


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_the_mean_over_logs_is_the_value(method):
    """200 logs of 200 rows. ips and dr are unbiased; snips is off by O(1 / rows)."""
    found = [evaluate(*made(200, seed), method) for seed in range(200)]
    values = np.array([each.value for each in found])
    error = values.std() / math.sqrt(200)
    assert abs(values.mean() - VALUE) < 4 * error + (0.005 if method == "snips" else 0)
    # 95 % of the intervals cover; of 200, fewer than 178 would be once in 10,000
    covered = sum(each.interval[0] <= VALUE <= each.interval[1] for each in found)
    assert covered >= 178


def test_bernstein_covers_more_and_is_wider():
    options = {"interval": "bernstein", "reward_range": (0.0, 1.0), "largest_weight": 5.0}
    for seed in range(40):
        log, pi = made(200, seed)
        found, normal = ips(log, pi, **options), ips(log, pi)
        assert found.interval[0] <= VALUE <= found.interval[1]
        assert found.interval[0] < normal.interval[0]
        assert found.value == normal.value


def test_what_each_is_good_for():
    """The truth needs no correction, snips is within the rewards and moves with them."""
    log, pi = made(500)
    x = np.argmax(log.contexts, axis=1)
    exact = doubly_robust(log, pi, predictions=MEANS[x])
    assert np.ptp(exact.interval) < np.ptp(ips(log, pi).interval)
    moved = Log(log.actions, log.rewards + 10, log.propensities)
    assert snips(moved, pi).value == pytest.approx(snips(log, pi).value + 10)
    assert 0 <= snips(log, pi).value <= 1
    # propensities that are wrong, and a model that is right: doubly robust
    wrong = Log(log.actions, MEANS[x, log.actions], log.propensities / 2, log.contexts)
    value = (MEANS[x] * pi).sum(axis=1).mean()
    assert doubly_robust(wrong, pi, predictions=MEANS[x]).value == pytest.approx(value)
    assert ips(wrong, pi).value > 1.5 * value


def test_the_logging_policy_is_worth_what_it_got():
    """All weights are 1: every estimate is the mean reward."""
    log, _ = made(300)
    x = np.argmax(log.contexts, axis=1)
    for method in ("ips", "snips"):
        found = evaluate(log, LOGGED[x], method)
        assert found.value == pytest.approx(log.rewards.mean())
        assert found.effective_sample_size == pytest.approx(300)
        assert found.holds is None  # nobody can tell whether rows are independent


def test_the_model_of_doubly_robust_never_saw_its_own_reward():
    """Predictions of a row do not change with its reward."""
    from regretless.bandits.off_policy import _cross_fitted

    log, _ = made(60)
    q = _cross_fitted(log, 3)
    rewards = log.rewards.copy()
    rewards[10] += 5.0
    other = _cross_fitted(Log(log.actions, rewards, log.propensities, log.contexts, n=3), 3)
    np.testing.assert_array_equal(q[0::2], other[0::2])
    assert (q[1::2] != other[1::2]).any()
    # with no context, the mean of the other half
    plain = _cross_fitted(Log(log.actions, log.rewards, n=3), 3)
    odd = slice(1, None, 2)
    expected = log.rewards[odd][log.actions[odd] == 1].mean()
    np.testing.assert_allclose(plain[0::2, 1], expected)


def test_ridge_of_doubly_robust():
    """Two slopes under a penalty of 1 and a mean under none, from the normal equations."""
    from regretless.bandits.off_policy import _cross_fitted

    log = uniform(80, n=2)
    q = _cross_fitted(log, 2)
    odd = np.arange(1, 80, 2)
    mine = odd[log.actions[odd] == 1]
    X, r = log.contexts[mine], log.rewards[mine]
    centred = X - X.mean(axis=0)
    slopes = np.linalg.solve(centred.T @ centred + np.eye(2), centred.T @ (r - r.mean()))
    expected = r.mean() + (log.contexts[::2] - X.mean(axis=0)) @ slopes
    np.testing.assert_allclose(q[::2, 1], expected, rtol=1e-10)


# --- policies --------------------------------------------------------------------------------------


def test_policies_of_all_kinds():
    log = uniform(50)
    one = np.eye(3)[(log.contexts[:, 0] > 0).astype(int)]
    np.testing.assert_array_equal(probabilities(log, lambda x: int(x[0] > 0)), one)
    np.testing.assert_array_equal(probabilities(log, lambda x: np.eye(3)[int(x[0] > 0)]), one)
    np.testing.assert_array_equal(probabilities(log, one.argmax(axis=1)), one)
    np.testing.assert_array_equal(probabilities(log, one), one)
    np.testing.assert_array_equal(probabilities(log, 2), np.tile([0.0, 0.0, 1.0], (50, 1)))
    bandit = EpsilonGreedyLearner(LinearRegressor(), 3, epsilon=0.3)
    np.testing.assert_allclose(probabilities(log, bandit), np.tile([0.8, 0.1, 0.1], (50, 1)))
    assert bandit.rounds == 0
    free = BanditMirrorDescent(Entropy(), 3)
    np.testing.assert_allclose(probabilities(log, free), 1 / 3)
    np.testing.assert_array_equal(probabilities(log, LinUCB(3, 2)), np.eye(3)[[0] * 50])


def test_logs_of_our_bandits_can_be_evaluated():
    """What epsilon-greedy logs with its propensities tells what always playing one arm brings."""
    random = np.random.default_rng(5)
    X = random.normal(size=(2000, 2))
    R = (random.random((2000, 3)) < [0.3, 0.5, 0.7]).astype(float)
    run = EpsilonGreedyLearner(LinearRegressor(), 3, epsilon=0.5, seed=1).run(X, R)
    log = Log(run.arms, -run.losses, run.propensities, X, n=3)
    for arm, mean in enumerate((0.3, 0.5, 0.7)):
        for method in ("ips", "snips", "dr"):
            found = evaluate(log, arm, method, confidence=0.999)
            assert found.interval[0] < mean < found.interval[1]


# --- assumptions -----------------------------------------------------------------------------------


def test_assumptions_are_checked():
    log, pi = made(400)
    found = ips(log, pi)
    assert found.holds is None
    assert found.assumptions["the weights have the mean 1"] is True
    wrong = Log(log.actions, log.rewards, log.propensities / 3, n=3)
    assert ips(wrong, pi).assumptions["the weights have the mean 1"] is False
    assert ips(wrong, pi).holds is False
    assert ips(wrong, pi).interval == (-math.inf, math.inf)
    leans = "no weight is cut, else the estimate leans to one side"
    assert ips(log, pi, cap=1.0).assumptions[leans] is False
    assert ips(log, pi, cap=100.0).assumptions[leans] is None
    few, some = made(20)
    approximate = "enough rows for the normal approximation (30 effective ones that differ)"
    assert ips(few, some).assumptions[approximate] is False
    assert found.assumptions[approximate] is None
    options = {"interval": "bernstein", "reward_range": (0.0, 1.0)}
    for given in ({"largest_weight": 5.0}, {"cap": 5.0}):
        assert ips(log, pi, **options, **given).assumptions["no weight can be above 5"] is None
    with pytest.raises(ValueError, match="needs largest_weight=: how large"):
        ips(log, pi, **options)
    with pytest.raises(ValueError, match=r"weights\[1\] = 2.99.* is above largest_weight=2.0"):
        ips(log, pi, **options, largest_weight=2.0)
    key = "actions were logged uniformly at random, whatever the context"
    assert replay(log, 1).assumptions[key] is False
    assert replay(Log(log.actions, log.rewards), 1).assumptions[key] is None
    assert replay(uniform(200), 2).holds is None


def test_a_row_that_could_not_have_been_otherwise_disproves_overlap():
    """Its action was certain, and the policy plays another one there."""
    key = "whatever the policy plays could be logged"
    log = Log([0, 1] * 50, [0.0, 1.0] * 50, [1.0, 0.5] * 50)
    for method in ("ips", "snips", "dr"):
        assert evaluate(log, 1, method).assumptions[key] is False
        assert evaluate(log, 1, method).interval == (-math.inf, math.inf)
        assert evaluate(log, [0, 1] * 50, method).assumptions[key] is None


def test_counted_frequencies_are_told():
    random = np.random.default_rng(0)
    actions = random.integers(2, size=100)
    shares = np.bincount(actions)[actions] / 100
    key = (
        "propensities, which are how often the actions are in the log, do not depend on the context"
    )
    assert evaluate(Log(actions, actions * 1.0, shares), 1).assumptions[key] is None
    assert key not in evaluate(Log(actions, actions * 1.0, np.full(100, 0.49)), 1).assumptions


def test_rewards_that_were_never_seen_are_not_impossible():
    """No click in 100 rows."""
    log = Log([0, 1] * 50, np.zeros(100), np.full(100, 0.5))
    for method in ("ips", "snips", "dr", "replay"):
        assert evaluate(log, 1, method).interval == (-math.inf, math.inf)
    wide = {"reward_range": (0.0, 1.0), "interval": "chernoff"}
    assert replay(log, 1, **wide).interval == pytest.approx((0.0, 1 - 0.025 ** (1 / 50)), abs=1e-9)
    low, high = ips(log, 1, **wide, largest_weight=2.0).interval
    assert (low, high) == pytest.approx((0.0, 2 * (1 - 0.025 ** (1 / 100))), abs=1e-9)
    for kind in ("bernstein", "chernoff"):
        found = evaluate(log, 1, **wide | {"interval": kind}, largest_weight=2.0)
        assert found.interval[0] == 0.0
        assert 0.03 < found.interval[1] < 0.5


CASES = {
    "few rows": (20, [0.5, 0.5], [0.5, 0.4]),
    "rare rewards": (150, [0.5, 0.5], [0.5, 0.01]),
    "heavy weights": (150, [0.95, 0.05], [0.2, 0.6]),
    "both": (300, [0.9, 0.1], [0.2, 0.02]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["ips", "snips", "dr", "replay"])
def test_intervals_cover_as_often_as_they_say(case, kind, method):
    """Nominally 9 of 10; of 60 logs, more than 13 misses would be less likely than 1 in 1,000."""
    rows, logged, means = CASES[case]
    if method == "replay":
        logged = [0.5, 0.5]
    random, missed = np.random.default_rng(7), 0
    for _ in range(60):
        actions = (random.random(rows) < logged[1]).astype(int)
        rewards = (random.random(rows) < np.array(means)[actions]).astype(float)
        log = Log(actions, rewards, np.array(logged)[actions], n=2)
        options = {"interval": kind, "confidence": 0.9, "reward_range": (0.0, 1.0)}
        if method != "replay":
            options["largest_weight"] = 1 / logged[1]
        if not actions.any():
            continue  # the log says nothing, and so does an error
        low, high = evaluate(log, 1, method, **options).interval
        missed += not low <= means[1] <= high
    assert missed <= 13


def test_a_weight_that_was_never_seen_is_covered():
    """A tenth of the contexts were logged with 1e-4, and there alone the policy earns something."""
    random, covered = np.random.default_rng(1), 0
    for _ in range(50):
        hidden = random.random(200) < 0.1
        p = np.where(hidden, 1e-4, 0.5)
        actions = (random.random(200) < p).astype(int)
        log = Log(actions, hidden * actions * 1.0, np.where(actions == 1, p, 1 - p), n=2)
        options = {"interval": "bernstein", "reward_range": (0.0, 1.0), "largest_weight": 1e4}
        low, high = ips(log, 1, **options).interval
        covered += low <= 0.1 <= high
    assert covered == 50


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: EpsilonGreedy(10, epsilon=0.0, seed=seed),
        lambda seed: EpsilonGreedy(10, epsilon=0.1, seed=seed),
        lambda seed: ThompsonSampling(10, seed=seed),
    ],
    ids=["greedy", "epsilon-greedy", "thompson"],
)
def test_replay_covers_what_the_choices_of_a_learner_bring(make):
    """Given what it knew: the mean over its rounds of the means of the arms that it chose."""
    means, missed = np.r_[0.6, np.full(9, 0.4)], 0
    for seed in range(40):
        random = np.random.default_rng([seed, 11])
        actions = random.integers(10, size=600)
        rewards = (random.random(600) < means[actions]).astype(float)
        log = Log(actions, rewards, np.full(600, 0.1), n=10)
        told, chosen = make(seed), []
        for action, reward in zip(actions.tolist(), rewards.tolist()):
            if told.act() == action:
                told.update(1.0 - reward)
                chosen.append(action)
            else:
                told.forget(told.ticket)
        found = replay(log, make(seed), interval="bernstein", confidence=0.9, reward_range=(0, 1))
        assert found.effective_sample_size == len(chosen)
        assert found.assumptions["another log would have taught the bandit to choose alike"] is None
        missed += not found.interval[0] <= means[chosen].mean() <= found.interval[1]
    assert missed <= 10  # 4 nominally; more than 10 would be less likely than 1 in 1,000
    with pytest.raises(ValueError, match="'chernoff' is for policies that do not learn"):
        replay(log, make(0), interval="chernoff", reward_range=(0.0, 1.0))


@pytest.mark.parametrize(
    ("make", "n", "rows"),
    [
        (lambda seed: EpsilonGreedy(10, decay=200, seed=seed), 10, 6000),
        (lambda seed: UCB1(50), 50, 20_000),
    ],
    ids=["decay", "ucb1"],
)
def test_replay_of_players_that_count_is_what_they_earn_live(make, n, rows):
    """Choices that are forgotten are not counted: as many rounds, the same mean."""
    means, live, replayed = np.r_[0.9, np.full(n - 1, 0.3)], [], []
    for seed in range(12):
        random = np.random.default_rng([seed, 3])
        actions = random.integers(n, size=rows)
        rewards = (random.random(rows) < means[actions]).astype(float)
        player = make(seed)
        for action, reward in zip(actions.tolist(), rewards.tolist()):
            if player.act() == action:
                player.update(1.0 - reward)
            else:
                player.forget(player.ticket)
        assert player.decisions == player.rounds
        found = replay(Log(actions, rewards, np.full(rows, 1 / n), n=n), make(seed))
        assert found.value == pytest.approx(1.0 - player.loss / player.rounds)
        replayed.append(found.value)
        costs = (random.random((player.rounds, n)) < 1.0 - means).astype(float)
        live.append(1.0 - make(seed + 100).run(costs).mean_loss)
    error = math.sqrt((np.var(live) + np.var(replayed)) / 12)
    assert abs(np.mean(live) - np.mean(replayed)) < 4 * error


def test_the_generic_player_is_told_losses_in_replay():
    random = np.random.default_rng(0)
    actions = random.integers(3, size=1500)
    rewards = (random.random(1500) < np.array([0.1, 0.1, 0.9])[actions]).astype(float)
    log = Log(actions, rewards, np.full(1500, 1 / 3), n=3)
    found = replay(log, PotentialBandit(3, BanditPotential(3, 0.1), seed=1))
    assert found.value > 0.6
    assert found.value == pytest.approx(replay(log, Exp3(3, rate=0.1, seed=1)).value, abs=0.1)


def test_one_row_has_no_interval():
    log = Log([1], [0.5], [0.5])
    for method in ("ips", "snips", "dr", "replay"):
        assert evaluate(log, 1, method).interval == (-math.inf, math.inf)
    assert ips(log, 1).value == 1.0
    assert snips(log, 1).value == 0.5


def test_extreme_rewards():
    for scale in (1e-150, 1e150):
        log, pi = made(100)
        scaled = Log(log.actions, scale * log.rewards, log.propensities, n=3)
        for method in ("ips", "snips", "dr"):
            plain = Log(log.actions, log.rewards, log.propensities, n=3)
            expected = scale * evaluate(plain, pi, method).value
            assert evaluate(scaled, pi, method).value == pytest.approx(expected, rel=1e-9)


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1.0, 0.0], [0.5, 0.0]), r"propensities\[1\] = 0.0 is outside \(0, 1\]"),
        (([0, 1], [1.0, 0.0], [0.5, 1.5]), r"propensities\[1\] = 1.5 is outside"),
        (([0, 1], [1.0, 0.0], [-0.5, 1.0]), r"propensities\[0\] = -0.5 is outside"),
        (([0, 1], [1.0, 0.0], [0.5, math.nan]), r"propensities\[1\] = nan is not finite"),
        (([0, 1], [1.0, 0.0], [0.5]), r"propensities has shape \(1,\), not \(2,\)"),
        (([0, -1], [1.0, 0.0]), r"actions\[1\] = -1.0 is not a whole number"),
        (([0, 0.5], [1.0, 0.0]), r"actions\[1\] = 0.5 is not a whole number"),
        ((["a", "b"], [1.0, 0.0]), "actions=.* is not made of numbers"),
        (([0, 1], [1.0]), r"rewards has shape \(1,\), not \(2,\)"),
        (([0, 1], [1.0, math.nan]), r"rewards\[1\] = nan is not finite"),
        (([], []), "the log has no rows"),
        (([0, 1], [1.0, 0.0], None, [[1.0]]), "contexts has shape"),
        (([0, 1], [1.0, 0.0], None, [{"a": 1.0}]), "contexts has 1 rows, but there are 2"),
        (([0, 1], [1.0, 0.0], None, [[1.0], [math.nan]]), r"contexts\[1, 0\] = nan"),
        (([0, 3], [1.0, 0.0], None, None, 3), r"actions\[1\] = 3 is none of the n=3 actions"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_logs(arguments, message):
    with pytest.raises(ValueError, match=message):
        Log(*arguments)


@pytest.mark.parametrize(
    ("policy", "method", "options", "message"),
    [
        (0, "magic", {}, "method='magic' is none of replay, ips, snips, dr"),
        (7, "ips", {}, r"policy\[0\] = 7 is none of the 3 actions"),
        ([0, 1], "ips", {}, "policy has 2 actions, but the log 9 rows"),
        ([[0.5, 0.5]] * 9, "ips", {}, r"policy has shape \(9, 2\), not \(9, 3\)"),
        ([[0.5, 0.5, 0.5]] * 9, "ips", {}, r"policy\[0\] = .* is not a distribution"),
        ([[1.5, -0.5, 0.0]] * 9, "snips", {}, r"policy\[0\] = .* is not a distribution"),
        ([[math.nan, 0.5, 0.5]] * 9, "dr", {}, r"policy\[0, 0\] = nan is not finite"),
        (2, "ips", {}, "the policy never takes a logged action"),
        (2, "replay", {}, "the policy never takes a logged action"),
        ([[0.5, 0.5, 0.0]] * 9, "replay", {}, "replay needs a policy that takes one action"),
        (lambda x: 0, "ips", {}, "the log has none; give Log"),
        (0, "ips", {"cap": 0.0}, "cap=0.0 must be positive"),
        (0, "ips", {"interval": "wide"}, "interval='wide' is not one of 'normal', 'bernstein'"),
        (0, "ips", {"interval": "bernstein"}, "needs reward_range="),
        (0, "snips", {"interval": "bernstein"}, "needs reward_range="),
        (0, "replay", {"cap": 2.0}, "cap= is not an option of method='replay'"),
        (0, "ips", {"confidence": 1.0}, r"confidence=1.0 is outside \(0, 1\)"),
        (0, "ips", {"reward_range": (1.0, 0.0)}, "must be two finite numbers"),
        (0, "ips", {"reward_range": (0.0, 0.5)}, r"rewards\[0\] = 1.0 is outside reward_range"),
        (0, "dr", {"predictions": [[0.0]]}, "predictions has shape"),
        (
            0,
            "dr",
            {"predictions": [[0.0, 2.0, 0.0]] * 9, "reward_range": (0.0, 1.0)},
            r"predictions\[0, 1\] = 2.0 is outside reward_range",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_questions(policy, method, options, message):
    log = Log([0, 1, 0] * 3, [1.0, 0.0, 1.0] * 3, [0.5] * 9, n=3)
    with pytest.raises(ValueError, match=message):
        evaluate(log, policy, method, **options)


def test_what_a_method_needs():
    log = Log([0, 1], [1.0, 0.0])
    with pytest.raises(ValueError, match="propensities are needed"):
        ips(log, 0)
    dicts = Log([0, 1], [1.0, 0.0], [0.5, 0.5], [{"a": 1.0}, {"a": 2.0}])
    with pytest.raises(ValueError, match="give doubly_robust its predictions"):
        doubly_robust(dicts, 0)

    class Silent:
        def act(self):
            return 0

        def update(self, loss):
            pass

    with pytest.raises(ValueError, match="does not tell its probabilities; evaluate it by replay"):
        ips(Log([0, 1], [1.0, 0.0], [0.5, 0.5]), Silent())
    assert replay(log, Silent()).value == 1.0


def test_estimates_show_themselves():
    found = evaluate(*made(100))
    assert isinstance(found, OffPolicyEstimate)
    assert found.method == "snips"
    assert found.rows == 100
    assert found.confidence == 0.95
    assert repr(made(100)[0]) == "Log of 100 rows and 3 actions"


# --- a peer ----------------------------------------------------------------------------------------


def test_open_bandit_pipeline_computes_the_same():
    """Where it installs: it asks for an older NumPy than the other tests."""
    ope = pytest.importorskip("obp.ope", exc_type=ImportError)
    log, pi = made(2000)
    q = np.random.default_rng(1).random((2000, 3))
    given = {"reward": log.rewards, "action": log.actions, "position": np.zeros(2000, int)}
    weighed = given | {"pscore": log.propensities, "action_dist": pi[:, :, None]}
    theirs = ope.InverseProbabilityWeighting().estimate_policy_value(**weighed)
    assert ips(log, pi).value == pytest.approx(theirs, rel=1e-12)
    theirs = ope.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**weighed)
    assert snips(log, pi).value == pytest.approx(theirs, rel=1e-12)
    theirs = ope.DoublyRobust().estimate_policy_value(
        **weighed, estimated_rewards_by_reg_model=q[:, :, None]
    )
    assert doubly_robust(log, pi, predictions=q).value == pytest.approx(theirs, rel=1e-12)
    theirs = ope.ReplayMethod().estimate_policy_value(
        **given, action_dist=np.eye(3)[pi.argmax(axis=1)][:, :, None]
    )
    assert replay(log, pi.argmax(axis=1)).value == pytest.approx(theirs, rel=1e-12)
