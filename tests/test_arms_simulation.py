"""Many games of players of arms at once are those games, one by one."""

import math
import pickle

import numpy as np
import pytest

from regretless.bandits import (
    UCB1,
    ArmPlayer,
    Bernoulli,
    EpsilonGreedy,
    Exp3,
    Exp4,
    Gaussian,
    ThompsonSampling,
    simulate,
)
from regretless.base.run import Run
from regretless.plots import compare

N = 5


def costs(rounds, n=N, seed=0):
    return np.random.default_rng(seed).random((rounds, n))


def test_a_simulation_is_its_runs():
    world, T = Bernoulli([0.3, 0.5, 0.6, 0.6, 0.7]), 400
    players = {"a": Exp3(N), "b": ThompsonSampling(N)}
    at = [10, 200, T]
    result = simulate(players, world, T, seeds=[3, 8], checkpoints=at, workers=2)
    alone = simulate(players, world, T, seeds=[3, 8], checkpoints=at, workers=1)
    assert list(result) == ["a", "b"]
    for name, player in players.items():
        assert player.decisions == 0
        mine = result[name]
        assert mine.rounds == T
        assert mine.index.tolist() == at
        assert mine.loss == pytest.approx(mine.totals[:, -1].mean())
        for k, seed in enumerate((3, 8)):
            run = player.copy().run(world, T, seed=seed)
            table = world.losses(T, seed)
            for j, t in enumerate(at):
                assert mine.totals[k, j] == pytest.approx(run.losses[:t].sum())
                best = table[:t].sum(axis=0).min()
                assert mine.hindsight[k, j] == pytest.approx(run.losses[:t].sum() - best)
                pseudo = run.pseudo_regret_curve()
                assert mine.regrets[k, j] == pytest.approx(pseudo[t - 1])
            np.testing.assert_array_equal(mine.pulls[k], np.bincount(run.arms, minlength=N))
        np.testing.assert_array_equal(mine.regrets, alone[name].regrets)
        gap = world.means[2] - world.means[0]
        assert mine.regret(2) == pytest.approx(mine.regret() - gap * T)
    expected = Exp3(N).run(world, T).expectation_curve()[np.array(at) - 1]
    np.testing.assert_allclose(result["a"].bound_curve(), expected)
    assert np.isinf(result["b"].bound_curve()).all()
    assert result["b"].certificate().bounds == {"trivial": pytest.approx(0.4 * T)}


def test_bands():
    """Student's interval of the mean by its formula; it covers the mean of many more seeds."""
    world = Bernoulli([0.4, 0.6])
    result = simulate([UCB1(2), EpsilonGreedy(2)], world, 300, seeds=12)
    low, mean, high = result["UCB1"].band(confidence=0.9)
    values = result["UCB1"].regrets[:, -1]
    half = 1.7958848 * values.std(ddof=1) / math.sqrt(12)  # t of 11 degrees
    assert (low[-1], mean[-1], high[-1]) == pytest.approx(
        (values.mean() - half, values.mean(), values.mean() + half), rel=1e-6
    )
    assert "UCB1" in str(result)
    assert "12 seeds" in str(result)
    for axes in (result.plot(), result["UCB1"].plot(), compare(result), compare(dict(result))):
        assert len(axes.lines) >= 2
        assert len(axes.collections) >= 1  # the bands
    half = result["UCB1"].quantile(0.5)
    np.testing.assert_array_equal(half, np.median(result["UCB1"].regrets, axis=0))


def test_a_single_seed_has_no_band():
    one = simulate(UCB1(2), Bernoulli([0.4, 0.6]), 10, seeds=np.int64(1))
    low, _, high = one.band()
    assert low[-1] == -math.inf
    assert high[-1] == math.inf
    assert "+-" not in str(one)
    assert "nan" not in str(one)
    assert one.plot().get_title(loc="left") == "pseudo-regret of 1 seed"
    assert simulate(UCB1(2), Bernoulli([0.4, 0.6]), 10, seeds=np.int64(3)).seeds == (0, 1, 2)


def test_a_simulation_is_a_run():
    world = Bernoulli([0.4, 0.6])
    result = simulate(Exp3(2), world, 500, seeds=5)
    assert isinstance(result, Run)
    again = pickle.loads(pickle.dumps(result))
    assert again.regret() == result.regret() == result.regret_curve()[-1]
    assert again.bound() == result.bound() == pytest.approx(result.bound_curve()[-1])
    assert result.mean_loss == pytest.approx(result.totals[:, -1].mean() / 500)
    assert len(result.to_arrow()) == len(result.index)
    assert result.certificate().regret == result.regret()
    assert result.certificate().holds is None


def test_simulations_of_a_matrix_and_with_delays():
    table = costs(100)
    result = simulate([Exp3(N), Exp3(N, rate=0.1)], table, seeds=3, delay=4)
    assert len(result) == 2
    first = next(iter(result.values()))
    assert first.means is None
    assert np.isinf(first.bound_curve()).all()
    run = Exp3(N).run(table, seed=2, delay=4)
    assert first.totals[2, -1] == pytest.approx(run.loss)
    assert first.regrets[2, -1] == pytest.approx(run.regret())
    assert first.regret(1) == pytest.approx(first.loss - table[:, 1].sum())
    assert first.plot().get_ylabel() == "regret"


@pytest.mark.parametrize(
    ("arguments", "options", "what"),
    [
        (([], Bernoulli([0.5] * N), 10), {}, "players is empty"),
        (("ab", Bernoulli([0.5] * N), 10), {}, "takes players of arms"),
        ((Exp4(N, 2), Bernoulli([0.5] * N), 10), {}, "Exp4 needs advice"),
        ((UCB1(3), Bernoulli([0.5] * N), 10), {}, "has 3 arms, the environment 5"),
        ((UCB1(N), Bernoulli([0.5] * N)), {}, "rounds=0"),
        ((UCB1(N), costs(10), 11), {}, "rounds=11, but the matrix has 10"),
        ((UCB1(N), Bernoulli([0.5] * N), 10), {"seeds": 0}, "seeds=0"),
        ((UCB1(N), Bernoulli([0.5] * N), 10), {"seeds": []}, "seeds is empty"),
        ((UCB1(N), Bernoulli([0.5] * N), 10), {"checkpoints": [11]}, "checkpoints go to 11"),
        ((UCB1(N), Gaussian([9.0] * N), 10), {}, "met a loss outside range"),
    ],
)
def test_bad_simulations(arguments, options, what):
    with pytest.raises((ValueError, TypeError), match=what):
        simulate(*arguments, **options)


def test_a_player_that_has_played_is_refused():
    player = UCB1(N)
    player.act()
    with pytest.raises(ValueError, match="has played before"):
        simulate(player, Bernoulli([0.5] * N), 10)
    assert isinstance(player, ArmPlayer)
