"""Many games of players of arms at once are those games, one by one."""

import math

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

N = 5


def costs(rounds, n=N, seed=0):
    return np.random.default_rng(seed).random((rounds, n))


def test_a_simulation_is_its_runs():
    world, T = Bernoulli([0.3, 0.5, 0.6, 0.6, 0.7]), 400
    players = {"a": Exp3(N), "b": ThompsonSampling(N)}
    at = [10, 200, T]
    result = simulate(players, world, T, seeds=[3, 8], checkpoints=at, workers=2)
    alone = simulate(players, world, T, seeds=[3, 8], checkpoints=at, workers=1)
    assert result.rounds.tolist() == at
    for name, player in players.items():
        assert player.decisions == 0
        for k, seed in enumerate((3, 8)):
            run = player.clone().run(world, T, seed=seed)
            table = world.losses(T, seed)
            for j, t in enumerate(at):
                assert result.loss[name][k, j] == pytest.approx(run.losses[:t].sum())
                best = table[:t].sum(axis=0).min()
                assert result.regret[name][k, j] == pytest.approx(run.losses[:t].sum() - best)
                assert result.pseudo_regret[name][k, j] == pytest.approx(run.pseudo_regret[t - 1])
            np.testing.assert_array_equal(result.pulls[name][k], np.bincount(run.arms, minlength=N))
        np.testing.assert_array_equal(result.regret[name], alone.regret[name])
    np.testing.assert_allclose(result.bound["a"], Exp3(N).run(world, T).bound[np.array(at) - 1])
    assert np.isnan(result.bound["b"]).all()


def test_bands():
    """Student's interval of the mean by its formula; it covers the mean of many more seeds."""
    world = Bernoulli([0.4, 0.6])
    result = simulate([UCB1(2), EpsilonGreedy(2)], world, 300, seeds=12)
    low, mean, high = result.band("UCB1", "pseudo_regret", confidence=0.9)
    values = result.pseudo_regret["UCB1"][:, -1]
    half = 1.7958848 * values.std(ddof=1) / math.sqrt(12)  # t of 11 degrees
    assert (low[-1], mean[-1], high[-1]) == pytest.approx(
        (values.mean() - half, values.mean(), values.mean() + half), rel=1e-6
    )
    assert "UCB1" in str(result)
    assert "12 seeds" in str(result)
    for figure in (result.plot(), result.plot(what="regret")):
        assert len(figure.axes[0].lines) >= 2
    one = simulate(UCB1(2), world, 10, seeds=1)
    assert one.band("UCB1")[0][-1] == one.band("UCB1")[2][-1]


def test_simulations_of_a_matrix_and_with_delays(tmp_path):
    table = costs(100)
    result = simulate([Exp3(N), Exp3(N, rate=0.1)], table, seeds=3, delay=4)
    assert len(result.names) == 2
    assert not result.has_means
    assert np.isnan(result.bound[result.names[0]]).all()
    run = Exp3(N).run(table, seed=2, delay=4)
    assert result.loss[result.names[0]][2, -1] == pytest.approx(run.loss)
    path = tmp_path / "bands.svg"
    result.plot(path)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "options", "what"),
    [
        (([], Bernoulli([0.5] * N), 10), {}, "players is empty"),
        (("ab", Bernoulli([0.5] * N), 10), {}, "is no player of arms"),
        ((Exp4(N, 2), Bernoulli([0.5] * N), 10), {}, "needs no advice"),
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
