"""Drifting games: players of experts by potentials, conversions, actions drawn, bad input."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chip_games import ETA, LOSSES, T

from regretless.experts.chip_potentials import (
    ExponentialPotential,
    MinimaxPotential,
    NormalHedgeDTPotential,
    Potential,
    TwoNormPotential,
)
from regretless.experts.drifting import (
    ChipPlayer,
    ChipsFromExperts,
    DriftingGame,
    ExpertsFromChips,
)

PRESETS = {
    "exponential": ExponentialPotential(ETA),
    "two-norm": TwoNormPotential(),
    "normal-hedge-dt": NormalHedgeDTPotential(),
    "normal-hedge-dt 5": NormalHedgeDTPotential(5.0),
    "recursion": MinimaxPotential(lambda s: np.log1p(np.exp(-s)) ** 2, T),
}
every_potential = pytest.mark.parametrize("potential", PRESETS.values(), ids=PRESETS)
EPSILONS = [None, 0.05, 0.2, 0.5, 1.0]


def text(name, s, t, horizon):
    """Phi_t(s) as sections 2.1.4 and A.1 have it, with a = 1 and R = 0."""
    below = min(s, 0.0) ** 2
    if name == "exponential":
        return ((math.exp(ETA) + math.exp(-ETA)) / 2) ** (horizon - t) * math.exp(-ETA * s)
    if name == "two-norm":
        return below + horizon - t
    d = 5 if name.endswith("5") else 3
    b = 1 - sum(math.exp(4 / (d * r)) - 1 for r in range(t + 1, horizon + 1)) / 2
    return math.exp(below / (d * t)) - b if t else 1 - b


def adversary(weights, rng):
    """Losses that hit where the weight is, more often than not."""
    kind = rng.integers(4)
    if kind == 0:
        return (weights >= np.median(weights)).astype(float)
    if kind == 1:
        return np.eye(len(weights))[np.argmax(weights)]
    if kind == 2:
        return 1.0 - np.eye(len(weights))[rng.integers(min(2, len(weights)))]
    return rng.uniform(size=len(weights))


# --- experts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(PRESETS)[:4])
def test_weights_and_sums_are_those_of_the_text(name):
    rng = np.random.default_rng(1)
    n = 6
    game = DriftingGame(n, PRESETS[name])
    positions, lost = [0.0] * n, 0.0
    for t in range(1, T + 1):
        raw = [text(name, s - 1, t, T) - text(name, s + 1, t, T) for s in positions]
        p = np.array(raw) / sum(raw)
        # the text's values are up to e^12 here and their differences near 1: 1e-16 e^12
        np.testing.assert_allclose(game.weights, p, rtol=1e-9, atol=1e-11)
        losses = adversary(game.weights, rng)
        suffered = game.update(losses)
        assert suffered == pytest.approx(float(p @ losses), abs=1e-9)
        lost += suffered
        positions = [s + loss - suffered for s, loss in zip(positions, losses)]
        np.testing.assert_allclose(game.positions, positions, atol=1e-12)
        total = sum(text(name, s, t, T) for s in positions)
        if name == "exponential":
            assert game.potential == pytest.approx(total / math.cosh(ETA) ** T)
        else:
            assert game.potential == pytest.approx(total - n * text(name, 0.0, 0, T), abs=1e-8)
    assert (game.rounds, game.loss) == (T, pytest.approx(lost))


def test_second_round_by_hand():
    """After losses (0, 1) the chips are at -1/2 and 1/2."""
    expected = {
        "two-norm": [1.5**2, 0.5**2],
        "exponential": [math.exp(ETA / 2), math.exp(-ETA / 2)],
        "normal-hedge-dt": [math.exp(2.25 / 6) - 1, math.exp(0.25 / 6) - 1],
        "normal-hedge-dt 5": [math.exp(2.25 / 10) - 1, math.exp(0.25 / 10) - 1],
    }
    for name, raw in expected.items():
        game = DriftingGame(2, PRESETS[name])
        assert game.update([0.0, 1.0]) == 0.5
        np.testing.assert_array_equal(game.positions, [-0.5, 0.5])
        np.testing.assert_allclose(game.weights, np.array(raw) / sum(raw), rtol=1e-14)


@every_potential
def test_a_potential_is_what_theorem_2_needs(potential):
    rng = np.random.default_rng(2)
    for t in [1, 2, 3, 7, 20, T]:
        s = np.zeros(1) if t == 1 else rng.uniform(-t, t, 200)
        left, middle, right = (potential.value(s + z, t) for z in (-1.0, 0.0, 1.0))
        before = potential.value(s, t - 1)
        # values of up to e^(T/3); the table knows positions to 1e-9 and its slopes are below 100
        slack = 1e-12 * (np.abs(left) + np.abs(before)) + 1e-7 * (potential is PRESETS["recursion"])
        assert (left + right <= 2 * before + slack).all()
        assert (left >= middle - slack).all()
        assert (middle >= right - slack).all()
        assert (left + right >= 2 * middle - slack).all()
        np.testing.assert_allclose(potential.difference(s, t), left - right, rtol=1e-7, atol=1e-7)
        logs = potential.log_weights(s, t)
        exact = np.log(
            potential.difference(s, t), where=np.isfinite(logs), out=np.full(s.shape, -np.inf)
        )
        np.testing.assert_allclose(
            np.exp(logs - logs.max()), np.exp(exact - exact.max()), atol=1e-7
        )


def test_weights_do_not_overflow():
    game = DriftingGame(3)
    game.positions, game.rounds = np.array([-900.0, -899.0, 1.0]), 3  # e^(901^2 / 12) overflows
    ratio = math.exp((901.0**2 - 900.0**2) / 12)
    # exponents near 70,000 are known to 1e-11
    np.testing.assert_allclose(game.weights, [1.0, 1 / ratio, 0.0], rtol=1e-10)
    assert game.potential == math.inf
    hedge = DriftingGame(2, ExponentialPotential(800.0))
    hedge.positions = np.array([-3.0, 5.0])
    np.testing.assert_array_equal(hedge.weights, [1.0, 0.0])
    assert hedge.phi.bound(0.5, 7) == pytest.approx(7.0, rel=1e-2)


def test_no_chip_has_weight():
    """All weights being 0, every distribution keeps the sum from growing; the uniform one is taken."""
    game = DriftingGame(3, TwoNormPotential())
    game.positions = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(game.weights, np.full(3, 1 / 3))
    before = game.potential
    game.update([0.0, 1.0, 1.0])
    assert game.potential <= before


def test_extreme_rates():
    losses = np.random.default_rng(3).uniform(size=(20, 4))
    lazy, greedy = (
        DriftingGame(4, ExponentialPotential(1e-9)),
        DriftingGame(4, ExponentialPotential(1e9)),
    )
    lazy.run(losses)
    np.testing.assert_allclose(lazy.weights, 0.25, atol=1e-8)  # e^(eta s), |s| <= 20
    assert proved(lazy) == pytest.approx(math.log(4) / 1e-9 + 10e-9, rel=1e-12)
    greedy.run(losses)
    np.testing.assert_array_equal(greedy.weights, np.eye(4)[np.argmin(losses.sum(axis=0))])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(list(PRESETS)), st.integers(1, 9))
def test_the_sum_never_grows_and_every_bound_holds(seed, name, n):
    rng = np.random.default_rng(seed)
    game = DriftingGame(n, PRESETS[name])
    lost, totals = 0.0, np.zeros(n)
    for t in range(1, T + 1):
        before = game.potential
        losses = adversary(game.weights, rng)
        lost += game.update(losses)
        totals += losses
        # n values of the size of the sum; for the recursion, positions known to 1e-9
        assert game.potential <= before + 1e-8 * (n + abs(before))
        for epsilon in EPSILONS:
            k = 1 if epsilon is None else math.ceil(n * epsilon - 1e-12)
            certificate = game.certificate(quantile=epsilon)
            assert certificate.rounds == t
            assert certificate.regret == pytest.approx(lost - np.sort(totals)[k - 1], abs=1e-10)
            assert certificate.regret <= certificate.bound + 1e-9
            assert certificate.holds


def test_bounds_are_those_of_the_text():
    n, horizon = 64, 100
    for epsilon in (1 / 64, 0.125, 0.5):
        log = math.log(1 / epsilon)
        tuned = ExponentialPotential.tuned(horizon, epsilon)
        assert tuned.eta == pytest.approx(math.sqrt(2 * log / horizon))
        games = [
            DriftingGame(n, p) for p in (tuned, TwoNormPotential(), NormalHedgeDTPotential(4.0))
        ]
        for game in games:
            game.run(np.full((horizon, n), 0.5))
        hedge, two, normal = (game.phi.bound(epsilon, horizon) for game in games)
        assert hedge == pytest.approx((log + horizon * math.log(math.cosh(tuned.eta))) / tuned.eta)
        assert hedge <= math.sqrt(2 * horizon * log)
        assert two == pytest.approx(math.sqrt(horizon / epsilon))
        extra = sum(math.exp(4 / (4 * t)) - 1 for t in range(1, horizon + 1)) / 2
        assert normal == pytest.approx(math.sqrt(4 * horizon * math.log(extra / epsilon + 1)))
        printed = (math.exp(4 / 3) - 1) * (math.log(horizon) + 1) / (2 * epsilon)
        printed = math.sqrt(3 * horizon * math.log(printed + 1))
        assert 0.9 * printed < NormalHedgeDTPotential().bound(epsilon, horizon) <= printed
    # the share is that of the expert compared with: the 2nd of 3 for epsilon = 0.4
    assert proved(DriftingGame(3), quantile=0.4) == proved(DriftingGame(3), quantile=2 / 3)


def test_the_bound_of_any_potential_is_found_by_bisection():
    class Anew(Potential):
        def value(self, s, t):
            return np.exp(-0.3 * s) / math.cosh(0.3) ** t

    closed = ExponentialPotential(0.3)
    for share, t in [(0.5, 30), (0.01, 40), (1.0, 5)]:
        # 60 halvings of 2 t
        assert Anew().bound(share, t) == pytest.approx(closed.bound(share, t), abs=1e-12)
    assert Anew().bound(1e-9, 5) == 5.0  # losses are in [0, 1]: more is never lost
    game, other = DriftingGame(3, Anew()), DriftingGame(3, closed)
    losses = np.random.default_rng(4).uniform(size=(20, 3))
    np.testing.assert_allclose(game.run(losses).weights, other.run(losses).weights, rtol=1e-10)


@every_potential
def test_what_leaves_weights_alone(potential):
    rng = np.random.default_rng(5)
    losses = rng.uniform(0, 0.5, size=(T - 1, 5))
    order = rng.permutation(5)
    game, lifted, shuffled = (DriftingGame(5, potential) for _ in range(3))
    game.run(losses)
    lifted.run(losses + rng.uniform(0, 0.5, size=(T - 1, 1)))
    shuffled.run(losses[:, order])
    # T sums of numbers near 1, which the derivatives of the weights multiply by no more than 10
    np.testing.assert_allclose(lifted.weights, game.weights, atol=1e-8)
    np.testing.assert_allclose(shuffled.weights, game.weights[order], atol=1e-8)


def proved(game, comparator=None, **asked):
    """The bound of the potential."""
    return game.certificate(comparator, **asked).bounds[type(game.phi).__name__]


@every_potential
def test_a_run_is_its_rounds(potential):
    rng = np.random.default_rng(6)
    losses = rng.uniform(size=(T, 5)) * [1.0, 0.9, 0.8, 0.7, 0.6]
    losses[: T // 2, 4] = 1.0  # the best of the second part is behind by then
    single, whole = DriftingGame(5, potential), DriftingGame(5, potential)
    for start, stop in [(0, 20), (20, T), (T, T)]:
        before = single.positions.copy()
        run = whole.run(losses[start:stop])
        best = int(np.argmin(losses[start:stop].sum(axis=0)))
        curve, theirs = run.bound_curve(), losses[start:stop]
        trivial = np.cumsum(theirs.max(axis=1) - theirs[:, best])
        for t in range(start, stop):
            i = t - start
            np.testing.assert_array_equal(run.weights[i], single.weights)
            assert run.losses[i] == single.update(losses[t])
            expected = min(proved(single, best) + before[best], trivial[i])
            assert curve[i] == pytest.approx(expected, abs=1e-6)  # positions are known to 1e-9
        assert (run.regret_curve() <= curve).all()
        if stop > start:
            assert run.certificate().against == best
            assert run.regret() == pytest.approx(run.loss - theirs[:, best].sum())
    assert whole.loss == single.loss
    np.testing.assert_array_equal(whole.positions, single.positions)


# --- conversions ----------------------------------------------------------------------------------


class Recorded:
    """Chips that write down how they were moved."""

    def __init__(self, chips):
        self.chips, self.moves = chips, []

    @property
    def weights(self):
        return self.chips.weights

    def move(self, movements):
        self.moves.append((self.weights, movements))
        self.chips.move(movements)


@pytest.mark.parametrize("name", list(PRESETS)[:4])
def test_round_trips(name):
    rng = np.random.default_rng(9)
    direct = DriftingGame(5, PRESETS[name])
    recorded = Recorded(ChipPlayer(5, PRESETS[name]))
    converted = ExpertsFromChips(recorded)  # Algorithm 2: this is Algorithm 3
    back = ExpertsFromChips(ChipsFromExperts(DriftingGame(5, PRESETS[name])))
    for _ in range(T):
        np.testing.assert_allclose(converted.weights, direct.weights, rtol=1e-12)
        np.testing.assert_allclose(back.weights, direct.weights, atol=1e-10)
        losses = adversary(direct.weights, rng)
        suffered = direct.update(losses)
        assert converted.update(losses) == pytest.approx(suffered)
        assert back.update(losses) == pytest.approx(suffered)
    for p, z in recorded.moves:  # Luo (2016), Algorithm 2, to rounding
        assert (np.abs(z) <= 1).all()
        assert p @ z == pytest.approx(0.0, abs=1e-15)
        assert np.ptp(z) <= 1 + 1e-15


def test_theorem_1_for_experts_as_chips():
    """At most i chips end at -R or below, where the regret to the (i + 1)-th best is below R."""
    rng = np.random.default_rng(10)
    for _ in range(20):
        experts = DriftingGame(5)
        player, positions = ChipsFromExperts(experts), np.zeros(5)
        for _ in range(30):
            p = player.weights
            losses = adversary(p, rng)
            z = np.minimum(losses - p @ losses + rng.uniform(0, 0.05), 1.0)
            if p @ z < 0:
                z = losses - p @ losses
            player.move(z)
            positions += z
        regrets = np.sort(-experts.positions)[::-1]
        for R in (0.0, 0.5, 1.0, 2.0, 3.0):
            assert (positions <= -R - 1e-9).sum() <= (regrets >= R).sum()


@pytest.mark.parametrize(
    ("movements", "message"),
    [
        ([0.5, -0.6], "apart"),
        ([1.5, 1.0], r"outside \[-1, 1\]"),
        ([-0.5, 0.1], "less than beta"),
        ([0.5], "movements has shape"),
    ],
)
def test_movements_that_are_not_of_the_game(movements, message):
    player = ChipsFromExperts(DriftingGame(2))
    with pytest.raises(ValueError, match=message):
        player.move(movements)
    assert player.experts.rounds == 0
    chips = ExpertsFromChips(ChipPlayer(2, TwoNormPotential()))
    with pytest.raises(ValueError, match=r"losses\[1\] = 1.5"):
        chips.update([0.0, 1.5])
    assert chips.chips.rounds == 0


# --- actions drawn at random ----------------------------------------------------------------------


@every_potential
def test_the_mean_over_actions_never_grows(potential):
    """Section 2.1.5: the mean over the action of the sum of potentials, found exactly."""
    rng = np.random.default_rng(11)
    game = DriftingGame(5, potential, seed=1)
    for _ in range(T - 1):
        p, before = game.weights, game.potential
        losses, sums = adversary(p, rng), []
        for i in range(5):
            other = copy.copy(game)
            assert other.update(losses, i) == losses[i]
            np.testing.assert_allclose(other.positions, game.positions + losses - losses[i])
            sums.append(other.potential)
        assert p @ sums <= before + 1e-8 * (5 + abs(before))
        game.update(losses, game.act())


def test_actions_follow_the_weights_and_the_seed():
    game, same, other = (DriftingGame(3, seed=seed) for seed in (4, 4, 5))
    losses = np.array([0.0, 0.4, 0.5])
    for each in (game, same, other):
        each.update(losses)
    drawn = [[each.act() for _ in range(4000)] for each in (game, same, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert game.rounds == 1
    counts = np.bincount(drawn[0], minlength=3) / 4000
    np.testing.assert_allclose(counts, game.weights, atol=4 * 0.5 / math.sqrt(4000))  # 4 errors


def fair_coins(n, rounds, potential, seed):
    rng = np.random.default_rng(seed)
    game = DriftingGame(n, potential, seed=seed)
    for _ in range(rounds):
        game.update(rng.integers(0, 2, n).astype(float), game.act())
    return game


@pytest.mark.parametrize("name", list(PRESETS)[:4])
def test_high_probability_bound(name):
    delta, seeds = 0.2, 60
    games = [fair_coins(10, 40, PRESETS[name], seed) for seed in range(seeds)]
    for epsilon in (None, 0.3, 1.0):
        failed = sum(not game.certificate(quantile=epsilon, delta=delta).holds for game in games)
        assert failed <= delta * seeds
    assert proved(games[0], delta=0.01) > proved(games[0], delta=0.2)
    if name == "normal-hedge-dt":
        extra = 10 * (math.exp(4 / 3) - 1) * (math.log(40) + 1) / (2 * delta)
        assert proved(games[0], delta=delta) <= math.sqrt(3 * 40 * math.log(extra + 1))


def test_erratum_of_the_high_probability_bound():
    """Phi_0(0) = delta, as printed, would promise sqrt(2 T ln(1/delta)); n Phi_0(0) = delta is right."""
    n, rounds, delta = 1000, 100, 0.5
    printed = ExponentialPotential.tuned(rounds, delta)
    games = [fair_coins(n, rounds, printed, seed) for seed in range(10)]
    regrets = np.array([game.regret() for game in games])
    assert (regrets > math.sqrt(2 * rounds * math.log(1 / delta))).mean() > delta
    right = ExponentialPotential.tuned(rounds, delta / n)
    games = [fair_coins(n, rounds, right, seed) for seed in range(10)]
    assert proved(games[0], delta=delta) <= math.sqrt(2 * rounds * math.log(n / delta)) + 1e-9
    assert all(game.certificate(delta=delta).holds for game in games)


def test_a_drawn_game_needs_delta():
    game = DriftingGame(3)
    game.update([0.0, 1.0, 1.0], 2)
    with pytest.raises(ValueError, match="delta= is needed"):
        game.certificate()
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="delta="):
            game.certificate(delta=wrong)
    run = game.run([[0.0, 1.0, 1.0]])  # of which no more is known than that it has losses in [0, 1]
    assert run.certificate(2).bounds == {"trivial": 0.0}


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("losses", "action", "message"),
    [
        ([0.5, 0.5], None, "losses has shape"),
        ([0.5, math.nan, 0.5], None, r"losses\[1\] = nan"),
        ([0.5, 1.7, 0.5], None, r"losses\[1\] = 1.7 is outside \[0, 1\]"),
        ([-0.1, 0.7, 0.5], None, r"losses\[0\] = -0.1"),
        (["a", "b", "c"], None, "not made of numbers"),
        ([0.5, 0.5, 0.5], 3, "action=3 must be a whole number from 0 to 2"),
        ([0.5, 0.5, 0.5], -1, "action=-1"),
        ([0.5, 0.5, 0.5], 0.5, "action=0.5"),
    ],
)
def test_bad_rounds_change_nothing(losses, action, message):
    game = DriftingGame(3)
    game.update([0.0, 0.5, 1.0])
    before = game.positions
    with pytest.raises(ValueError, match=message):
        game.update(losses, action)
    if action is None:
        with pytest.raises(ValueError, match="losses"):
            game.run([[0.0, 0.5, 1.0], losses])
    assert game.rounds == 1
    assert game.loss == 0.5
    np.testing.assert_array_equal(game.positions, before)
    assert game.certificate().holds


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DriftingGame(0), "n=0"),
        (lambda: DriftingGame(2, "exponential"), "potential='exponential' is not a Potential"),
        (lambda: DriftingGame(2, MinimaxPotential(LOSSES["step"], 3, beta=0.1)), "not for experts"),
        (
            lambda: DriftingGame(2, MinimaxPotential(LOSSES["step"], 3, (-0.5, 1))),
            "not for experts",
        ),
        (lambda: ExponentialPotential(0.0), "eta=0.0"),
        (lambda: ExponentialPotential.tuned(10, 1.0), "epsilon=1.0"),
        (lambda: ExponentialPotential.tuned(0, 0.5), "horizon=0"),
        (lambda: NormalHedgeDTPotential(2.9), "d=2.9 is outside"),
        (lambda: NormalHedgeDTPotential(math.nan), "d=nan"),
        (lambda: MinimaxPotential(LOSSES["step"], 0), "horizon=0"),
        (lambda: MinimaxPotential(LOSSES["step"], 3, beta=1.5), "beta=1.5"),
        (lambda: MinimaxPotential(LOSSES["step"], 3, beta=-0.5), "beta=-0.5"),
        (lambda: MinimaxPotential(LOSSES["step"], 3, []), "largest of movements"),
        (lambda: MinimaxPotential(LOSSES["step"], 3, [1.0, math.inf]), r"movements\[1\] = inf"),
        (lambda: MinimaxPotential(lambda s: s, 3), "increases or is negative"),
        (lambda: MinimaxPotential(lambda s: -s, 3), "increases or is negative"),
        (lambda: MinimaxPotential(lambda s: 1.0, 3), "one finite number for each position"),
        (
            lambda: MinimaxPotential(LOSSES["step"], 500, np.sqrt([1, 2, 3, 5])),
            "too many positions",
        ),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_quantiles():
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="quantile"):
            DriftingGame(3).regret(quantile=wrong)


def test_chips_may_only_move_as_the_game_says():
    player = ChipPlayer(2, MinimaxPotential(LOSSES["step"], 2, (-1, 0, 1), 0.25))
    for movements, message in [
        ([0.5, 1], r"movements\[0\] = 0.5 is not in"),
        ([0, 0], "less than beta=0.25"),
        ([1], "movements has shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            player.move(movements)
    assert player.rounds == 0
    player.move([1, 0])
    player.move([1, 0])
    with pytest.raises(ValueError, match="is made for 2 rounds, not 3"):
        player.move([1, 0])
    assert player.rounds == 2
    with pytest.raises(ValueError, match=r"movements\[1\] = 1.2 is not in \[-1, 1\]"):
        ChipPlayer(2, TwoNormPotential()).move([0.0, 1.2])
    game = DriftingGame(2, MinimaxPotential(LOSSES["hinge"], 2))
    with pytest.raises(ValueError, match="is made for 2 rounds, not 3"):
        game.run(np.full((3, 2), 0.5))
    assert game.rounds == 0
    with pytest.raises(ValueError, match="t=3 is not between"):
        game.phi.value(np.zeros(1), 3)
