"""Players of arms in use: runs, copies, late losses, arms that come and go, bad input, simulations."""

import math
import pickle
import threading
from functools import partial

import numpy as np
import pytest
from roster.bandits import ARM_PLAYERS

from regretless.adversaries import BernoulliArms, play
from regretless.bandits import (
    UCB1,
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

N = 5
PLAYERS = {name: partial(make, N) for name, make in ARM_PLAYERS.items()}
everyone = pytest.mark.parametrize("make", PLAYERS.values(), ids=PLAYERS)


def costs(rounds, n=N, seed=0):
    return np.random.default_rng(seed).random((rounds, n))


def state(player):
    return player._engine.state().tobytes()  # bits: some propensities are NaN


def play_by_hand(player, table):
    """Arms and propensities of a run, one by one."""
    arms, chances = [], []
    for row in table:
        arms.append(player.act())
        chances.append(player.propensity)
        player.update(row[arms[-1]])
    return arms, chances


# --- runs, seeds and copies -------------------------------------------------------------------------


@everyone
def test_a_run_is_its_rounds(make):
    table = costs(300)
    one, many, parts = make(seed=8), make(seed=8), make(seed=8)
    arms, chances = play_by_hand(one, table)
    run = many.run(table)
    assert run.arms.tolist() == arms
    np.testing.assert_array_equal(run.propensities, chances)
    assert state(one) == state(many)
    assert run.losses.tolist() == table[np.arange(300), arms].tolist()
    assert many.loss == pytest.approx(run.loss)
    assert many.rounds == many.decisions == 300
    best = int(np.argmin(table.sum(axis=0)))
    assert run.comparator().tolist() == np.eye(N)[best].tolist()
    np.testing.assert_allclose(run.regret_curve(), np.cumsum(run.losses - table[:, best]))
    both = [parts.run(table[:120]), parts.run(table[120:])]
    assert np.concatenate([each.arms for each in both]).tolist() == arms
    assert np.isinf(both[1].bound_curve()).all()
    assert state(parts) == state(many)
    np.testing.assert_array_equal(many.pulls, np.bincount(arms, minlength=N))


@everyone
def test_an_environment_is_the_matrix_it_would_make(make):
    world = Bernoulli([0.1, 0.3, 0.5, 0.7, 0.9])
    one, other = make(), make()
    run, table = one.run(world, 200, seed=6), world.losses(200, seed=6)
    again = other.run(table, seed=6)
    np.testing.assert_array_equal(run.arms, again.arms)
    np.testing.assert_array_equal(run.regret_curve(), again.regret_curve())
    np.testing.assert_array_equal(run.bound_curve(), again.bound_curve())
    assert state(one) == state(other)
    assert run.means.tolist() == list(world.means)
    gaps = np.array(world.means)[run.arms] - 0.1
    np.testing.assert_allclose(run.pseudo_regret_curve(), np.cumsum(gaps))
    # it goes on with other losses than it began with
    assert one.run(world, 200).losses.tolist() != run.losses.tolist()
    with pytest.raises(ValueError, match="means are not known"):
        _ = again.pseudo_regret()


@everyone
def test_seeds(make):
    table = costs(200)
    same = [make(seed=4).run(table).arms.tolist() for _ in range(2)]
    assert same[0] == same[1] == make(seed=9).run(table, seed=4).arms.tolist()
    if not isinstance(make(), UCB1):
        assert make(seed=5).run(table).arms.tolist() != same[0]
    large = make(seed=2**70)
    assert large.run(table).arms.tolist() == make(seed=2**70).run(table).arms.tolist()


@everyone
def test_copies_go_on_as_if_nothing_had_happened(make, tmp_path):
    """In the middle of a round, with losses that wait, arms that came and one that went."""
    player = make(seed=3)
    player.run(costs(100))
    for arm in (0, 1):
        player.act(available=[arm, 3])
    player.add_arm()
    player.retire(2)
    player.act()
    path = tmp_path / "player.safetensors"
    player.save(path)
    copies = [player.copy(), pickle.loads(pickle.dumps(player)), type(player).load(path)]
    rest = costs(50, N + 1, seed=1)

    def finish(player):
        for ticket, _ in reversed(player.waiting):
            player.update(0.25, ticket=ticket)
        return play_by_hand(player, rest)[0], state(player), repr(player), player.range

    expected = finish(player)
    for copy in copies:
        assert type(copy) is type(player)
        assert finish(copy) == expected


def test_exp4_in_use(tmp_path):
    random = np.random.default_rng(0)
    table, advice = costs(100, 3), random.dirichlet(np.ones(3), (100, 4))
    one, many = Exp4(3, 4, seed=1), Exp4(3, 4, seed=1)
    arms = []
    for row, said in zip(table, advice):
        arms.append(one.act(said))
        np.testing.assert_allclose(one.propensity, _before(one, arms[-1], said), rtol=1e-9)
        one.update(row[arms[-1]])
    run = many.run(table, advice)
    assert run.arms.tolist() == arms
    assert state(one) == state(many)
    one.act(advice[0])
    one.save(tmp_path / "exp4")
    other = Exp4.load(tmp_path / "exp4")
    for player in (one, other):
        player.update(1.0)
        player.add_arm()
        player.retire(0)
    wide = np.column_stack([advice[1], np.zeros(4)])
    assert [one.act(wide) for _ in range(20)] == [other.act(wide) for _ in range(20)]
    assert all(arm in (1, 2) for _, arm in one.waiting)
    with pytest.raises(ValueError, match=r"advice\[1\] = .* is not a distribution"):
        one.act([[1.0, 0, 0, 0], [0.5, 0.4, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"advice has shape \(2, 4\), not \(4, 4\)"):
        one.act(np.full((2, 4), 0.25))
    some = Exp4(3, 2, seed=1)
    some.act([[0.2, 0.2, 0.6], [0.0, 0.0, 1.0]], available=[0, 1])  # the second has nothing
    assert some.probabilities.tolist() == pytest.approx([0.5, 0.5, 0.0])
    uneven = [[0.1, 0.3, 0.6], [0.2, 0.0, 0.8]]
    assert some.act(uneven, available=[True, True, False]) in (0, 1)
    assert some.probabilities.tolist() == pytest.approx([(0.25 + 1) / 2, 0.375, 0.0])
    late = Exp4(3, 4, seed=1)
    late.run(table, advice, delay=5)
    assert late.certificate().holds
    assert np.isinf(run.bound_curve()).all()


def test_the_generic_player_in_use(tmp_path):
    table, phi = costs(60, 3), BanditPotential(3, 0.2)
    player = PotentialBandit(3, phi, seed=4)
    player.run(table[:30])
    arm = player.act()
    assert player.act() == arm  # the same until its loss is known
    player.save(tmp_path / "potential")
    copies = [
        player.copy(),
        pickle.loads(pickle.dumps(player)),
        PotentialBandit.load(tmp_path / "potential", potential=phi),
    ]
    expected = None
    for each in (player, *copies):
        each.update(0.5)
        run = each.run(table[30:])
        assert np.isinf(run.bound_curve()).all()
        expected = expected or (run.arms.tolist(), each.positions.tolist(), each.loss)
        assert (run.arms.tolist(), each.positions.tolist(), each.loss) == expected
    assert player.bound(quantile=0.6) < player.bound()
    assert player.regret() == -player.positions.min()


def _before(player, arm, said):
    """The probability of what was just chosen; nothing has been learned since."""
    return float(player.weights @ said[:, arm])


@everyone
def test_few_rounds(make):
    empty = make().run(np.empty((0, N)))
    assert len(empty.losses) == len(empty.bound_curve()) == 0
    assert make().run(Bernoulli([0.5] * N), 0).loss == 0.0
    one = make()
    run = one.run([[0.5] * N])
    assert run.loss == 0.5
    assert len(run.regret_curve()) == 1
    single = type(one)(**one._options() | {"n": 1})
    assert single.run(np.ones((20, 1))).arms.tolist() == [0] * 20
    assert single.expectation().rounds == 20


@everyone
def test_functions_and_adversaries(make):
    player, told = make(), []

    def loss(arm):
        told.append(arm)
        return 0.1 * arm

    run = player.run(loss, 50)
    assert run.arms.tolist() == told
    with pytest.raises(ValueError, match="losses of the other arms are not known"):
        run.regret()
    assert "regret" not in run.to_arrow().column_names
    late = make().run(loss, 50, delay=3)
    assert len(late.losses) == 50
    means = [0.5, 0.4, 0.6, 0.5, 0.5]
    adversary = make().run(BernoulliArms(means, seed=3), 60)
    assert adversary.means.tolist() == means
    game = play(make(), BernoulliArms(means, seed=3), 60)
    assert game.losses.tolist() == adversary.losses.tolist()


# --- late losses ------------------------------------------------------------------------------------


@everyone
def test_delays_in_a_run_are_those_by_hand(make):
    table = costs(80)
    delays = np.random.default_rng(1).integers(0, 9, 80)
    one, many = make(seed=2), make(seed=2)
    arms = []
    for t in range(80):
        arms.append(one.act())
        due = [s for s in range(t + 1) if s + delays[s] == t]
        if t == 79:
            due = sorted((s for s in range(80) if s + delays[s] >= 79), key=int)
        for s in due:
            one.update(table[s, arms[s]], ticket=s)
    run = many.run(table, delay=delays)
    assert run.arms.tolist() == arms
    assert state(one) == state(many)
    assert not many.waiting
    assert many._engine.delayed
    assert np.isinf(run.bound_curve()).all()
    assert make(seed=2).run(table, delay=0).arms.tolist() == make(seed=2).run(table).arms.tolist()


@pytest.mark.parametrize("make", [Exp3, TsallisINF])
def test_a_late_loss_is_divided_by_the_probability_of_its_own_choice(make):
    """Others that came in between have changed the weights: River's Exp3 divides by the last."""
    player = make(2, seed=0)
    first = player.act()
    assert player.propensity == 0.5
    for _ in range(30):
        player.act()
        player.update(1.0, ticket=player.ticket)
    assert player.probabilities[first] != pytest.approx(0.5, abs=0.01)
    before = player.regrets[first]
    player.update(0.8, ticket=0)
    assert player.regrets[first] - before == pytest.approx(0.8 - 0.8 / 0.5)


def test_which_choice_a_loss_is_of():
    player = UCB1(3)
    arms = [player.act() for _ in range(6)]  # none is known: all in turn
    assert arms == [0, 1, 2, 0, 1, 2]
    assert player.waiting == list(zip(range(6), arms))
    player.update(0.5)  # the oldest
    assert [ticket for ticket, _ in player.waiting] == [1, 2, 3, 4, 5]
    player.update(2, 0.1)  # the oldest of an arm
    player.update(0.9, ticket=4)
    player.forget(5)
    assert player.waiting == [(1, 1), (3, 0)]
    assert player.pulls.tolist() == [1, 1, 1]
    assert player.loss == pytest.approx(1.5)
    assert player.ticket == 5


# --- arms that come and go --------------------------------------------------------------------------


@everyone
def test_only_what_is_available_is_chosen(make):
    player, random = make(seed=1), np.random.default_rng(0)
    for t in range(200):
        mask = random.random(N) < 0.5
        mask[t % N] = True
        available = mask if t % 2 else np.flatnonzero(mask).tolist()
        arm = player.act(available)
        assert mask[arm]
        player.update(random.random())
    assert player._engine.slept
    assert not player.expectation().holds


@everyone
def test_new_arms_are_found_and_retired_ones_are_not_missed(make):
    player = make(seed=1)
    player.run(np.full((300, N), 0.8))
    new = player.add_arm()
    assert new == N == player.n - 1
    table = np.full((1500, N + 1), 0.8)
    table[:, new] = 0.1
    run = player.run(table)
    assert np.isinf(run.bound_curve()).all()
    assert (run.arms[-500:] == new).mean() > 0.6
    player.retire(new)
    assert not (player.run(table[:200]).arms == new).any()
    assert player.present.tolist() == [True] * N + [False]
    if not isinstance(player, ThompsonSampling):
        assert player.probabilities[new] == 0.0
    assert player.probabilities.sum() == pytest.approx(1.0)


def test_an_arm_that_is_added_might_as_well_have_slept():
    """Exp3's weights do not tell the difference."""
    table = costs(100, 4)
    late, asleep = Exp3(3, rate=0.2), Exp3(4, rate=0.2)
    for row in table:
        arm = late.act()
        assert asleep.act(available=[0, 1, 2]) == arm
        late.update(row[arm])
        asleep.update(row[arm])
    late.add_arm()
    np.testing.assert_allclose(late.probabilities, asleep.probabilities, rtol=1e-9)
    np.testing.assert_allclose(late.regrets, asleep.regrets, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", [Exp3, Exp3IX, TsallisINF])
def test_a_choice_that_was_made_before_an_arm_came(make):
    """To the new one there is no regret."""
    player = make(2)
    player.act()
    new = player.add_arm()
    player.update(0.8)
    assert player.regrets[new] == pytest.approx(0.0, abs=1e-12)
    assert player.certificate().holds


# --- extremes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e-6, 1.0, 50.0, "anytime"])
@pytest.mark.parametrize("spread", [0.0, 1e3, 1e8, 1e150])
def test_probabilities_are_never_zero_nor_nan(rate, spread):
    """States as after very many rounds: sums of 1e8 and more, however far apart."""
    player = Exp3(3, rate=rate)
    state = player._engine.state()
    state[:3] = state[11] = state[14] = 1e8  # one arm was chosen and seen
    sums = slice(-5, -2)  # before eta and base
    state[sums] = 1e8 + np.array([0.0, 0.5, 1.0]) * spread
    state[-1] = 1e8
    player._engine.restore(state)
    for _ in range(5):
        p = player.probabilities
        assert (p > 0).all()
        assert p.sum() == pytest.approx(1.0)
        player.act()
        player.update(1.0)
    far = player.act(available=[2])
    player.update(1.0)
    assert far == 2
    assert np.isfinite(player.probabilities).all()
    assert np.isfinite(player._engine.state()).all()


def test_weights_do_not_fade():
    """Both arms lose much more than e^-690 can tell, one of them more slowly."""
    for rate in (0.5, "anytime"):
        player = Exp3(2, rate=rate)
        player.run(np.tile([1.0, 0.5], (20_000, 1)))
        assert player.probabilities[1] > 0.99


def test_a_new_arm_that_is_far_ahead():
    player = Exp3(3, rate=1.0)
    state = player._engine.state()
    state[-5:-2] = state[-1] = 1e4  # sums and base, where the player has lost nothing
    player._engine.restore(state)
    assert player.add_arm() == 3
    np.testing.assert_allclose(player.probabilities, [0.0, 0.0, 0.0, 1.0], atol=1e-200)


def test_long_runs_stay_exact():
    """Sums are moved near 0 when they pass 2^20; the weights are those of an exact softmax."""
    player = Exp3(2, rate=1e-4, seed=1)
    run = player.run(np.tile([1.0, 0.999], (3_000_000, 1)))
    estimates = [
        math.fsum((run.losses / run.propensities)[run.arms == arm].tolist()) for arm in (0, 1)
    ]
    ratio = math.exp(1e-4 * (estimates[0] - estimates[1]))
    p = player.probabilities
    # 3e6 additions of numbers up to 2^21, each exact to 2^-32 at worst: 1e-4 * 3e6 * 2^-33 = 3e-8
    assert p[1] / p[0] == pytest.approx(ratio, rel=1e-7)
    assert player.certificate().holds


# --- bad input --------------------------------------------------------------------------------------


@everyone
@pytest.mark.parametrize(
    ("losses", "what"),
    [
        ((1.5,), "loss=1.5 is outside range"),
        ((-0.1,), "loss=-0.1 is outside range"),
        ((math.nan,), "loss=nan is not finite"),
        (("much",), "loss='much' is not a number"),
        ((None,), "loss=None is not a number"),
        ((N, 0.5), f"arm={N} is none of the {N} arms"),
        ((-1, 0.5), "arm=-1 must be a whole number"),
        ((0.5, 0.5), "arm=0.5 must be a whole number"),
    ],
)
def test_bad_losses_change_nothing(make, losses, what):
    player = make()
    player.run(costs(20))
    player.act()
    before = state(player)
    with pytest.raises(ValueError, match=what):
        player.update(*losses)
    assert state(player) == before
    player.update(0.5)


@everyone
def test_what_cannot_be_learned(make):
    player = make()
    with pytest.raises(ValueError, match="no choice waits"):
        player.update(0.5)
    arm = player.act()
    other = (arm + 1) % N
    before = state(player)
    for wrong, what in [
        (lambda: player.update(other, 0.5), "was not chosen"),
        (lambda: player.update(0.5, ticket=7), "ticket=7 is of no choice that waits"),
        (lambda: player.update(arm, 0.5, ticket=0), "the ticket tells the arm"),
        (lambda: player.forget(3), "ticket=3 is of no choice that waits"),
        (lambda: player.run(costs(5)), "1 choices wait"),
        (lambda: player.act(available=[]), "no arm is left"),
        (lambda: player.act(available=[N]), "counted from 0 to 4"),
        (lambda: player.act(available=[True]), r"shape \(1,\)"),
        (lambda: player.act(available=[0.5]), "must be arms"),
        (lambda: player.retire(N), "is none of"),
    ]:
        with pytest.raises(ValueError, match=what):
            wrong()
        assert state(player) == before
    player.update(0.5)
    for last in range(N - 1):
        player.retire(last)
    with pytest.raises(ValueError, match="this is the last arm"):
        player.retire(N - 1)
    with pytest.raises(ValueError, match="no arm is left"):
        player.act(available=[0])


@everyone
def test_bad_runs_change_nothing(make):
    player = make()
    player.run(costs(20))
    before = state(player)
    table = costs(10)
    table[7, 3] = 1.5
    for wrong, what in [
        (lambda: player.run(table), r"losses\[7, 3\] = 1.5 is outside range"),
        (lambda: player.run(np.where(table > 1, np.nan, table)), r"losses\[7, 3\] = nan"),
        (lambda: player.run(costs(10, 3)), r"losses has shape \(10, 3\), not \(rounds, 5\)"),
        (lambda: player.run([["a"] * N]), "not made of numbers"),
        (lambda: player.run(Bernoulli([0.5] * N)), "rounds= is needed"),
        (lambda: player.run(Bernoulli([0.5] * 3), 10), "has 3 arms, the player 5"),
        (lambda: player.run(Gaussian([5.0] * N), 10), "which is outside range"),
        (lambda: player.run(costs(10), delay=-1), "is negative"),
        (lambda: player.run(costs(10), delay=[1, 2]), "one for each round"),
        (lambda: player.run(costs(10), delay=0.5), "must be a whole number"),
        (lambda: player.run(costs(10), seed=-1), "seed=-1"),
    ]:
        with pytest.raises(ValueError, match=what):
            wrong()
        assert state(player) == before


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Exp3(0), "n=0 must be a whole number"),
        (lambda: Exp3(2.0), "n=2.0 must be a whole number"),
        (lambda: Exp3(3, rate="fast"), "rate='fast' is not one of 'anytime'"),
        (lambda: Exp3(3, rate=-1), "rate=-1"),
        (lambda: Exp3(3, rate="horizon"), "rate='horizon' needs horizon="),
        (lambda: Exp3(3, horizon=10), "horizon=10 needs rate='horizon' or .*, not rate='anytime'"),
        (lambda: Exp3(3, range=(1, 0)), "range=\\(1, 0\\) must be two finite numbers"),
        (lambda: Exp3(3, range=3), "range=3 must be two finite numbers"),
        (lambda: Exp3(3, seed=-1), "seed=-1"),
        (lambda: Exp3IX(3, gamma=0.1), "give the rate as a number too"),
        (lambda: Exp3IX(3, delta=1.0), "delta=1.0 is outside"),
        (lambda: TsallisINF(3, estimator="best"), "estimator='best'"),
        (lambda: UCB1(3, noise=0), "noise=0"),
        (lambda: EpsilonGreedy(3, epsilon=2), "epsilon=2 is outside"),
        (lambda: ThompsonSampling(3, model="cauchy"), "model='cauchy'"),
        (lambda: ThompsonSampling(3, prior=(0, 1)), "prior=0"),
        (lambda: ThompsonSampling(3, prior=3), "prior=3 must be two numbers"),
        (lambda: ThompsonSampling(3, range=None), "range=None"),
        (lambda: Exp4(3, 0), "experts=0"),
        (lambda: Bernoulli([1.2]), "it is a probability"),
        (lambda: Bernoulli([]), "means is empty"),
        (lambda: Gaussian([0.0], scale=-1.0), "scale=-1.0"),
        (lambda: BanditPotential(3, 0.0), "eta=0.0"),
        (lambda: PotentialBandit(2).update(0.5), "no choice waits"),
        (lambda: PotentialBandit(2).run([[0.5, 2.0]]), r"losses\[0, 1\] = 2.0"),
        (lambda: Exp3(3).certificate(3), "comparator=3 is none"),
        (lambda: UCB1(3).expectation([0.1, 0.2]), "means has shape"),
    ],
)
def test_bad_options(make, what):
    with pytest.raises(ValueError, match=what):
        make()


def test_files_that_are_damaged(tmp_path):
    player = Exp3(3)
    player.act()
    player.save(tmp_path / "exp3")
    with pytest.raises(ValueError, match="holds an Exp3, not an UCB1"):
        UCB1.load(tmp_path / "exp3")
    good = player._engine.state()
    for wrong in (good[:-1], good[:5], np.append(good, 1.0)):
        with pytest.raises(ValueError, match=r"state|waiting"):
            Exp3(3)._engine.restore(wrong)
    bad = good.copy()
    bad[-4] = 7.0  # the arm of the choice that waits
    with pytest.raises(ValueError, match="a waiting choice's arm = 7 is not"):
        Exp3(3)._engine.restore(bad)
    with pytest.raises(ValueError, match="another player"):
        Exp3(4)._engine.restore(Exp3(2)._engine.state())


def test_a_player_is_not_played_by_two_threads_at_once():
    player, found = Exp3(10), []
    world = Bernoulli([0.5] * 10)
    thread = threading.Thread(target=lambda: player.run(world, 2_000_000))
    thread.start()
    while thread.is_alive() and not found:
        try:
            player.act()
        except RuntimeError as error:
            found.append(str(error))
        except ValueError:
            break
    thread.join()
    assert found in (
        [],
        ["Exp3 is in use by another thread; give each thread its own, or use a lock"],
    )
