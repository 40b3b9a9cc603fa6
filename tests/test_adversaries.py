"""The adversaries do to their victims what the texts say, and no more to the others."""

import inspect
import itertools
import math
from itertools import islice

import numpy as np
import pytest

from regretless import adversaries, experts
from regretless.adversaries import (
    BernoulliArms,
    CoinFlips,
    ConsistentKiller,
    CoverAdversary,
    DisjunctionStream,
    Exhausted,
    ExponentialInstance,
    FtlKiller,
    LittlestoneCoins,
    LittlestoneTree,
    MarginStream,
    NoisyForecasts,
    OrthogonalGradients,
    QuadraticGame,
    SignGradients,
    StochasticGradients,
    SwitchingExperts,
    UnitVectors,
    WeakVotes,
    halfspace_tree,
    play,
    threshold_tree,
)
from regretless.adversaries.gradients import expected_absolute_sum
from regretless.classes import AgnosticLearner, FiniteClass
from regretless.domains import Ball, Box
from regretless.linear import LinearClassifier, PassiveAggressive, Perceptron
from regretless.oco import FollowTheLeader, OnlineGradientDescent


class Leader:
    """Follow the leader of linear losses on [-1, 1]."""

    def __init__(self, first):
        self.point, self.sum, self.played = np.array([first]), 0.0, []

    def update(self, z):
        self.played.append(float(self.point[0]))
        self.sum = self.sum + z
        self.point = -np.sign(self.sum)


class Descent:
    """Gradient descent over a ball, with lazy projections."""

    def __init__(self, dimension, eta, radius=1.0):
        self.theta, self.eta, self.radius = np.zeros(dimension), eta, radius

    @property
    def point(self):
        w = self.eta * self.theta
        return w * min(1.0, self.radius / max(np.linalg.norm(w), 1e-300))

    def update(self, z):
        self.theta = self.theta - z


class Wanderer:
    """Plays at random in the unit ball and learns nothing."""

    def __init__(self, dimension, seed):
        self.rng, self.dimension = np.random.default_rng(seed), dimension

    @property
    def point(self):
        w = self.rng.standard_normal(self.dimension)
        return w / np.linalg.norm(w) * self.rng.random()

    def update(self, z):
        pass


class Mean:
    """Follow the leader of the quadratic game: the running mean of the z."""

    def __init__(self, dimension):
        self.point, self.rounds, self.stability = np.zeros(dimension), 0, 0.0

    def update(self, gradient):
        self.rounds += 1
        t = self.rounds
        self.stability += (1 / t - 1 / (2 * t * t)) * float(gradient @ gradient)
        self.point = self.point - gradient / t


class Hedge:
    """Exponential weights for costs in [0, 1]."""

    def __init__(self, arms, rounds):
        self.costs, self.eta = np.zeros(arms), math.sqrt(8 * math.log(arms) / rounds)

    @property
    def weights(self):
        w = np.exp(-self.eta * (self.costs - self.costs.min()))
        return w / w.sum()

    def update(self, costs):
        self.costs = self.costs + costs


# -- linear and quadratic losses -----------------------------------------------------------------


@pytest.mark.parametrize("first", [-1.0, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("T", [1, 2, 7, 100])
def test_follow_the_leader_loses_every_round(first, T):
    leader = Leader(first)
    run = play(leader, FtlKiller(), T)
    assert run.loss == T - 1 - first / 2
    assert run.regret() == T - 0.5 - first / 2
    assert run.losses[1:].tolist() == [1.0] * (T - 1)
    # rounds 2, 4, ... play +1 and rounds 3, 5, ... play -1; the text has them the other way round
    assert leader.played[1:] == [1.0 if t % 2 == 0 else -1.0 for t in range(2, T + 1)]


@pytest.mark.parametrize("first", [-1.0, 0.3])
def test_our_leader_is_killed_too(first):
    leader = FollowTheLeader(1, domain=Box(-1.0, 1.0), start=[first])
    assert play(leader, FtlKiller(), 60).loss == pytest.approx(59 - first / 2, rel=1e-12)


@pytest.mark.parametrize("T", [10, 1000])
def test_the_regularised_leader_is_not_killed(T):
    regret = play(Descent(1, 1 / math.sqrt(T)), FtlKiller(), T).regret()
    assert regret <= math.sqrt(T)


@pytest.mark.parametrize("T", range(1, 13))
def test_the_expected_sum_of_signs_is_exact(T):
    sums = [abs(sum(signs)) for signs in itertools.product((-1, 1), repeat=T)]
    assert expected_absolute_sum(T) == np.mean(sums)
    assert expected_absolute_sum(T) >= math.sqrt(T / 2)
    # Mohri et al. (2018), section 3: half of that is ceil(T/2) C(T, ceil(T/2)) / 2^T
    half = math.ceil(T / 2)
    assert expected_absolute_sum(T) == half * math.comb(T, half) / 2 ** (T - 1)


def test_the_expected_sum_of_many_signs():
    assert expected_absolute_sum(0) == 0.0
    # Stirling: sqrt(2 T / pi) (1 + O(1 / T))
    assert expected_absolute_sum(10**5) == pytest.approx(math.sqrt(2e5 / math.pi), rel=1e-5)


def within(values, expected):
    """Whether the mean of independent values is within four standard errors."""
    return abs(np.mean(values) - expected) <= 4 * np.std(values) / math.sqrt(len(values))


@pytest.mark.parametrize("player", [lambda s: Descent(2, 0.1, 2.0), lambda s: Wanderer(2, s)])
def test_no_player_escapes_fair_signs(player):
    T, regrets = 100, []
    for seed in range(400):
        adversary = SignGradients(2, radius=2.0, lipschitz=3.0, seed=seed)
        regrets.append(play(player(seed), adversary, T).regret())
    expected = SignGradients(2, radius=2.0, lipschitz=3.0, seed=0).expected_regret(T)
    assert expected == 6 * expected_absolute_sum(T)
    assert within(regrets, expected)
    assert not within(regrets, expected / 1.5)


@pytest.mark.parametrize("dimension", [3, 10])
@pytest.mark.parametrize("seed", range(3))
def test_no_player_has_less_regret_than_orthogonal_gradients_give(dimension, seed):
    T = 50
    adversary = OrthogonalGradients(dimension, radius=2.0, lipschitz=3.0)
    game = play(Wanderer(dimension, seed), adversary, T)
    # each round adds an error of a few ulps of ||sum|| <= 3 sqrt(50) to products that should be 0
    assert np.abs(game.losses).max() < 1e-13 * 3 * math.sqrt(T)
    assert game.regret() == pytest.approx(6 * math.sqrt(T), rel=1e-12)


def test_orthogonal_gradients_make_the_bound_of_gradient_descent_tight():
    T = 64
    game = play(Descent(4, 1 / math.sqrt(T)), OrthogonalGradients(4), T)
    # B L sqrt(T): Shalev-Shwartz (2012), eq. 2.15
    assert game.regret() == pytest.approx(math.sqrt(T), rel=1e-12)


@pytest.mark.parametrize("T", [10, 400])
def test_our_gradient_descent_meets_its_match(T):
    player = OnlineGradientDescent(3, domain=Ball(1.0), rate=1 / math.sqrt(T))
    game = play(player, OrthogonalGradients(3), T)
    assert game.regret() == pytest.approx(math.sqrt(T), rel=1e-9)
    assert player.regret() == pytest.approx(game.regret(), rel=1e-9)
    certificate = player.certificate()
    assert certificate.holds
    assert certificate.bound == pytest.approx(math.sqrt(T), rel=1e-9)  # no slack is left
    killed = play(OnlineGradientDescent(1, domain=Ball(1.0), rate=1 / math.sqrt(T)), FtlKiller(), T)
    assert killed.regret() <= math.sqrt(T)


def test_stochastic_gradients_are_around_their_mean():
    mean = np.array([0.5, -1.0, 0.0])
    z = np.array(list(islice(StochasticGradients(mean, noise=2.0, seed=3), 4000)))
    assert within(z[:, 0], 0.5)
    assert within(z[:, 1], -1.0)
    assert z.std(axis=0) == pytest.approx(2.0, rel=4 / math.sqrt(2 * 4000))
    adversary = StochasticGradients(mean, noise=0.1, radius=3.0, seed=3)
    game = play(Descent(3, 1.0, 3.0), adversary, 1000)
    assert adversary.best() == -3.0 * np.linalg.norm(adversary.sum)
    # 4 standard deviations of the mean of 100 products with a point of length 3
    assert game.losses[-100:].mean() == pytest.approx(-3 * np.linalg.norm(mean), abs=0.12)


@pytest.mark.parametrize("T", [1, 10, 500])
def test_the_running_mean_masters_the_quadratic_game(T):
    adversary, player = QuadraticGame(3, size=2.0, seed=1), Mean(3)
    run = play(player, adversary, T)
    loss, regret = run.loss, run.regret()
    z = np.array(list(islice(QuadraticGame(3, size=2.0, seed=1), T)))
    assert np.linalg.norm(z, axis=1).max() <= 2.0
    best = 0.5 * ((z - z.mean(axis=0)) ** 2).sum()
    assert adversary.best() == pytest.approx(best, abs=1e-12 * T)
    assert regret == pytest.approx(loss - best, abs=1e-12 * T)
    assert regret <= player.stability + 1e-9  # Shalev-Shwartz (2012), Corollary 2.2, sharper
    assert player.stability <= 4 * 4 * (math.log(T) + 1)
    assert player.point == pytest.approx(z.mean(axis=0))
    u = np.array([0.5, -1.0, 0.0])
    assert run.regret(u) == pytest.approx(loss - 0.5 * ((z - u) ** 2).sum(), abs=1e-12 * T)


# -- costs ----------------------------------------------------------------------------------------


def test_nothing_is_learned_from_coins():
    T = 64
    games = [play(Hedge(2, T), CoinFlips(seed=seed), T) for seed in range(500)]
    expected = CoinFlips(seed=0).expected_regret(T)
    assert within([game.loss for game in games], T / 2)
    assert within([game.regret() for game in games], expected)
    assert math.sqrt(T / 8) <= expected <= math.sqrt(T) / 2  # not sqrt(T) / 8, as printed
    assert max(game.regret() for game in games) <= math.sqrt(T * math.log(2) / 2) + 1e-9


def test_coins_of_many_arms_are_independent():
    costs = np.array(list(islice(CoinFlips(5, seed=0), 4000)))
    covariance = np.cov(costs.T)
    assert np.abs(covariance - np.eye(5) / 4).max() < 4 * 0.25 / math.sqrt(4000)
    with pytest.raises(ValueError, match="known for two arms"):
        CoinFlips(5, seed=0).expected_regret(10)


def test_bernoulli_arms_have_their_means():
    means = np.array([0.1, 0.5, 0.9])
    costs = np.array(list(islice(BernoulliArms(means, seed=0), 5000)))
    assert all(within(costs[:, k], mean) for k, mean in enumerate(means))
    assert set(np.unique(costs)) == {0.0, 1.0}


class FollowsLosses:
    """A bandit that stays with an arm until it costs something."""

    def __init__(self):
        self.arm, self.told = 0, []

    def act(self):
        return self.arm

    def update(self, cost):
        self.told.append(cost)
        self.arm = (self.arm + int(cost)) % 3


def test_a_bandit_is_told_the_cost_of_its_arm_only():
    bandit, adversary = FollowsLosses(), BernoulliArms([0.9, 0.0, 0.9], seed=0)
    game = play(bandit, adversary, 200)
    assert bandit.told == game.losses.tolist()
    assert bandit.arm == 1
    assert adversary.best() == 0.0
    assert game.regret() == game.loss < 10


def test_the_best_expert_switches():
    adversary = SwitchingExperts(4, every=50, low=0.1, high=0.6, seed=2)
    leaders, costs = [], []
    for z in islice(adversary, 1000):
        leaders.append(adversary.leader)
        costs.append(z)
    leaders, costs = np.array(leaders), np.array(costs)
    segments = leaders.reshape(20, 50)
    assert (segments == segments[:, :1]).all()
    assert (segments[1:, 0] != segments[:-1, 0]).all()
    followed = costs[np.arange(1000), leaders]
    assert adversary.best_switching() == followed.sum()
    assert within(followed, 0.1)
    assert adversary.best() == costs.sum(axis=0).min() > 3 * adversary.best_switching()


# -- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [
        LinearClassifier(),
        Perceptron(),
        PassiveAggressive(),
        pytest.param(lambda x: 1, id="always 1"),
    ],
    ids=str,
)
def test_covers_adversary_defeats_the_deterministic(learner):
    run = play(learner, CoverAdversary(), 100)
    assert run.loss == 100
    assert run.regret() >= 50
    assert run.regret(0) == 100 - run.answers.count(1)  # against one who says 0 for ever


class Majority:
    """The probability of 1 by exponential weights over the two constant experts."""

    def __init__(self, rounds):
        self.hedge = Hedge(2, rounds)

    def predict_one(self, x):
        return float(self.hedge.weights[1])

    def learn_one(self, x, y):
        self.hedge.update(np.array([y, 1 - y]))


def test_covers_adversary_spares_the_randomised():
    T = 400
    game = play(Majority(T), CoverAdversary(), T)
    assert game.regret() <= math.sqrt(T * math.log(2) / 2)  # Shalev-Shwartz (2012), Theorem 1.3
    assert game.loss >= T / 2


class Halving:
    def __init__(self, table, vote):
        self.table, self.vote = table, vote

    def predict_one(self, x):
        says = self.table[:, x]
        return int(2 * says.sum() >= len(says)) if self.vote else int(says[0])

    def learn_one(self, x, y):
        self.table = self.table[self.table[:, x] == y]


@pytest.mark.parametrize("size", [2, 8, 33])
def test_consistency_costs_all_but_one(size):
    adversary = ConsistentKiller(size)
    first = play(Halving(adversary.table, vote=False), adversary, 1000)
    assert (first.loss, len(first.losses)) == (size - 1, size)
    majority = play(Halving(adversary.table, vote=True), ConsistentKiller(size), size)
    assert majority.loss <= math.floor(math.log2(size))


def realised(path, at, hypothesis):
    """Whether some threshold gives the labels of a path to the points along it."""
    points = [at(path[:t])["x"] for t in range(len(path))]
    return any(
        [hypothesis(x, a) for x in points] == list(path) for a in np.linspace(0.01, 0.99, 99)
    )


@pytest.mark.parametrize(
    ("tree", "hypothesis"),
    [
        (threshold_tree(4), lambda x, a: int(x > a)),
        (threshold_tree(4, above=False), lambda x, a: int(x < a)),
        (halfspace_tree(4), lambda x, a: int(-x + a > 0)),
    ],
)
def test_trees_of_thresholds_are_shattered(tree, hypothesis):
    for path in itertools.product((0, 1), repeat=4):
        assert realised(path, tree.at, hypothesis)


def test_the_printed_tree_is_not_shattered():
    printed = threshold_tree(2, above=False).at  # 1/2, 1/4, 3/4
    assert not all(
        realised(path, printed, lambda x, a: int(x > a))
        for path in itertools.product((0, 1), repeat=2)
    )


@pytest.mark.parametrize("tree", [threshold_tree, halfspace_tree])
@pytest.mark.parametrize(
    "learner",
    [LinearClassifier, Perceptron, lambda: lambda x: int(x["x"] > 0.4)],
)
def test_every_deterministic_learner_errs_all_the_way_down(tree, learner):
    adversary = tree(30)
    game = play(learner(), adversary, 1000)
    assert (game.loss, game.regret(), len(game.losses)) == (30, 30, 30)
    assert len(adversary.path) == 30
    with pytest.raises(Exhausted):
        adversary.instance()


def test_a_tree_of_ones_own():
    """All functions on three points: the point is the depth, whatever the labels."""
    game = play(lambda x: x % 2, LittlestoneTree(len, 3), 5)
    assert game.loss == 3


def perceptron():
    """The Perceptron of the theorems: no intercept, and it knows that there are two labels."""
    return Perceptron(intercept=False).partial_fit(np.empty((0, 1)), [], classes=[-1, 1])


# -- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("dimension", [1, 5])
def test_margin_streams_have_their_margin(margin, dimension):
    stream = MarginStream(dimension, margin, radius=2.0, seed=4)
    examples = list(islice(stream, 300))
    X, y = np.array([list(x.values()) for x, _ in examples]), np.array([y for _, y in examples])
    margins = y * (X @ stream.comparator)
    assert margins.min() >= margin - 1e-12
    assert np.linalg.norm(X, axis=1).max() <= 2.0 + 1e-12
    assert np.linalg.norm(stream.comparator) == pytest.approx(1.0)
    assert set(y.tolist()) == {-1, 1}
    game = play(perceptron(), MarginStream(dimension, margin, 2.0, seed=4), 300)
    assert game.loss <= (2.0 / margin) ** 2
    assert game.regret() == game.loss


@pytest.mark.parametrize(
    "stream", [MarginStream(3, 0.1, noise=0.2, seed=0), DisjunctionStream(9, 2, 0.2, seed=0)]
)
def test_noise_is_counted(stream):
    wrong = 0
    for x, y in islice(stream, 2000):
        if isinstance(stream, MarginStream):
            truth = np.sign(stream.comparator @ list(x.values()))
        else:
            truth = 1 if stream.relevant & x.keys() else -1
        wrong += truth != y
    assert stream.best() == wrong
    assert abs(wrong - 400) < 4 * math.sqrt(2000 * 0.2 * 0.8)


class Winnow:
    """Winnow as in Shalev-Shwartz (2012), section 3.3.2, with the sign of the update corrected."""

    def __init__(self, dimension):
        self.w, self.updates = np.full(dimension, 1 / dimension), 0

    def predict_one(self, x):
        return 1 if 2 * self.w[list(x)].sum() >= 1 else -1

    def learn_one(self, x, y):
        if y * (2 * self.w[list(x)].sum() - 1) <= 0:
            self.updates += 1
            self.w[list(x)] *= math.exp(0.5 * y)


@pytest.mark.parametrize(("d", "k"), [(50, 1), (200, 3)])
def test_winnow_learns_disjunctions(d, k):
    winnow = Winnow(d)
    play(winnow, DisjunctionStream(d, k, seed=1), 3000)
    assert 0 < winnow.updates <= 8 * k * math.log(d)
    labels = [y for _, y in islice(DisjunctionStream(d, k, seed=1), 2000)]
    assert abs(np.mean(labels)) < 4 / math.sqrt(2000)


def updates_of(learner, stream, rounds):
    count = 0
    for x, y in islice(stream, rounds):
        before = learner.weights_
        learner.learn_one(x, y)
        count += learner.weights_ != before
    return count


def test_the_perceptron_updates_on_every_unit_vector():
    assert updates_of(perceptron(), UnitVectors(20), 100) == 20
    assert len(list(UnitVectors(20))) == 20


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_perceptron_needs_exponentially_many_updates(size):
    learner = perceptron()
    count = updates_of(learner, ExponentialInstance(size), 2000)
    assert count == (4**size - 1) // 3
    assert learner.weights_ == {k: 2.0**k for k in range(size)}


# -- experts of all kinds, lower bounds -------------------------------------------------------------


def test_voters_vote():
    """Who follows any consistent expert, half of them, or some of all.

    Shalev-Shwartz (2012), section 1.2.1.
    """
    assert play(experts.Consistent(16), ConsistentKiller(16), 16).loss == 15
    assert play(experts.Halving(16), ConsistentKiller(16), 16).loss <= 4
    majority = play(experts.WeightedMajority(2, beta=0.5), CoverAdversary(), 50)
    assert majority.loss == 50
    assert majority.regret() >= 25
    with pytest.raises(ValueError, match=r"Halving.*lacks; use ConsistentKiller"):
        play(experts.Halving(2), threshold_tree(3), 3)
    with pytest.raises(experts.NotRealizable):  # both experts have erred
        play(experts.Halving(2), CoverAdversary(), 50)


@pytest.mark.parametrize("make", [experts.Hedge, experts.AdaNormalHedge, experts.BOA], ids=repr)
def test_experts_predict_probabilities(make):
    """Against labels that are chosen before the coin is thrown.

    Shalev-Shwartz (2012), Theorem 1.3.
    """
    run = play(make(2), CoverAdversary(), 300)
    assert 150 <= run.loss <= 150 + 30
    costs = np.abs(np.array([0.0, 1.0]) - np.array(run.answers)[:, None])
    for i, label in enumerate((0, 1)):
        assert run.regret(label) == pytest.approx(run.loss - costs[:, i].sum(), abs=1e-12)
        assert run.regret(label) <= run.bound(label)
    assert run.regret() == pytest.approx(run.loss - costs.sum(axis=0).min(), abs=1e-12)


def test_a_game_is_a_run():
    """Of its own rounds, also when the player had played before, with the bounds of its theorem."""
    player = OnlineGradientDescent(2, domain=Ball(1.0))
    for seed in range(3):
        run = play(player, SignGradients(2, seed=seed), 40)
        Z = np.array(run.answers)
        for u in (np.zeros(2), np.array([1.0, 0.0]), np.array([-0.6, 0.8])):
            regret = np.cumsum(run.losses - Z @ u)
            np.testing.assert_allclose(run.regret_curve(u), regret, atol=1e-12)
            assert run.regret(u) <= run.bound(u)
            assert run.certificate(u).holds
        assert run.regret() == pytest.approx(run.loss + np.linalg.norm(Z.sum(axis=0)))
        assert run.regret() <= run.bound() < 40
        assert run.certificate().holds
    assert math.isinf(run.bound([9.0, 0.0]))  # outside
    assert len(run.to_frame()) == run.rounds == 40
    assert run.plot().get_ylabel() == "regret"
    costs = play(experts.Hedge(3), CoinFlips(3, seed=1), 60)
    table = np.array(costs.answers)
    assert costs.regret() == pytest.approx(costs.loss - table.sum(axis=0).min())
    assert costs.regret() <= costs.bound() <= 2 * math.sqrt(60)


def test_coins_at_the_nodes_cost_everybody():
    """Expected regret of sqrt(depth T / 8); the agnostic learner nearly has it.

    Shalev-Shwartz (2012), Theorem 3.6.
    """
    T, depth = 120, 3
    tree, H = threshold_tree(depth), FiniteClass.thresholds(7)
    at = lambda path: round(8 * tree.at(path)["x"]) - 1  # noqa: E731 the same points, numbered
    for seed in range(60):
        adversary = LittlestoneCoins(at, depth, T, seed=seed)
        run = play(AgnosticLearner(H, T, seed=1), adversary, 10 * T)
        assert run.rounds == T
        labels = np.array(run.answers)
        wrong = [sum((x >= k) != y for x, y in zip(run.instances, labels)) for k in range(8)]
        assert adversary.best() == min(wrong)  # some threshold has all majorities
    expected = adversary.expected_regret()
    assert expected == depth * expected_absolute_sum(40) / 2 >= math.sqrt(depth * T / 8)
    always = [
        play(lambda x: 1, LittlestoneCoins(at, depth, T, seed=s), T).regret() for s in range(400)
    ]
    assert within(always, expected)


def test_weak_votes_and_noisy_forecasts():
    votes = WeakVotes(41, 0.1, excess=20.0, seed=0)
    examples = list(islice(votes, 3050))
    right = np.array([[x[i] == y for i in range(41)] for x, y in examples])
    assert within(right[:50].mean(axis=1), 0.5)  # they know nothing for 20 / 0.4 rounds
    assert within(right[50:].mean(axis=1), 0.7)
    assert right[50:].mean(axis=1).std() < 0.2
    majority = (right.sum(axis=1) * 2 < 41).sum()
    assert votes.best() == majority
    forecasts = NoisyForecasts(4, functions=2000, seed=0)
    half = play(lambda x: 0.5, forecasts, 200)
    assert half.mean_loss == pytest.approx(0.05**2 / 2)  # (e^2) / 2, e = 1 / (10 sqrt(4))
    assert forecasts.best() / 200 < 0.05**2 / 2 / 5  # all functions together know more


# -- all of them ------------------------------------------------------------------------------------

MADE = {
    "BernoulliArms": lambda: BernoulliArms([0.5, 0.5], seed=5),
    "CoinFlips": lambda: CoinFlips(3, seed=5),
    "ConsistentKiller": lambda: ConsistentKiller(9),
    "DisjunctionStream": lambda: DisjunctionStream(9, 2, 0.1, seed=5),
    "ExponentialInstance": lambda: ExponentialInstance(3),
    "FtlKiller": FtlKiller,
    "LittlestoneCoins": lambda: LittlestoneCoins(threshold_tree(3).at, 3, 9, seed=5),
    "MarginStream": lambda: MarginStream(3, 0.1, noise=0.1, seed=5),
    "NoisyForecasts": lambda: NoisyForecasts(2, functions=30, seed=5),
    "QuadraticGame": lambda: QuadraticGame(2, seed=5),
    "SignGradients": lambda: SignGradients(2, seed=5),
    "StochasticGradients": lambda: StochasticGradients([1.0, 2.0], seed=5),
    "SwitchingExperts": lambda: SwitchingExperts(3, 4, seed=5),
    "UnitVectors": lambda: UnitVectors(9),
    "WeakVotes": lambda: WeakVotes(5, 0.1, seed=5),
}


def test_the_table_is_complete():
    oblivious = {
        name
        for name in adversaries.__all__
        if inspect.isclass(each := getattr(adversaries, name))
        and issubclass(each, adversaries.Oblivious)
        and each is not adversaries.Oblivious
    }
    assert oblivious == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_iterating_and_playing_see_the_same_rounds(name):
    iterated, played = list(islice(MADE[name](), 9)), []
    adversary = MADE[name]()
    for _ in range(9):
        x = adversary.instance()
        answer = adversary.respond(None)
        played.append(answer if x is None else (x, answer))
    assert len(iterated) == 9
    assert str(iterated) == str(played)
    assert str(list(islice(MADE[name](), 9))) == str(iterated)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SignGradients(0, seed=0), "dimension=0 must be a whole number of at least 1"),
        (lambda: SignGradients(1, radius=0.0, seed=0), "radius=0.0 must be positive"),
        (lambda: OrthogonalGradients(2), "dimension=2 must be a whole number of at least 3"),
        (lambda: BernoulliArms([0.5, 1.5], seed=0), "it is a probability"),
        (lambda: BernoulliArms([0.5], seed=0), "n=1 must be a whole number of at least 2"),
        (lambda: SwitchingExperts(3, 5, 0.6, 0.5, seed=0), "low=0.6, high=0.5"),
        (lambda: MarginStream(2, 3.0, seed=0), "margin=3.0 is larger than radius=1.0"),
        (lambda: MarginStream(2, 0.5, noise=0.5, seed=0), r"noise=0.5 is outside \[0, 1/2\)"),
        (lambda: DisjunctionStream(2, 3, seed=0), "literals=3 is more than dimension=2"),
        (lambda: threshold_tree(51), "depth=51 is above 50"),
        (lambda: play(3, FtlKiller(), 5), "player=3 has no point"),
        (lambda: play(Leader(0.0), FtlKiller(), 0), "rounds=0 must be a whole number"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
