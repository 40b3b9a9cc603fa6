"""Players of experts that hold trees, potentials or votes: saved and read back they go on as before."""

import numpy as np
import pytest

from regretless.experts import BestPruning, Consistent, DriftingGame, Halving, WeightedMajority
from regretless.experts.chip_potentials import (
    ExponentialPotential,
    MinimaxPotential,
    TwoNormPotential,
)
from regretless.experts.drifting import ChipPlayer
from regretless.experts.trees import TemplateTree

rng = np.random.default_rng(4)
LOSSES = rng.random((30, 3))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Halving(6),
        lambda: Consistent(6),
        lambda: WeightedMajority(6, beta=0.3),
        lambda: WeightedMajority(6, beta=0.3, mode="always"),
    ],
)
def test_voters(make, tmp_path):
    advice = rng.integers(0, 2, (40, 6))
    labels = advice[:, 2]  # one is always right
    player, path = make(), tmp_path / "voter"
    player.run(advice[:3], labels[:3])
    player.save(path)
    other = type(player).load(path)
    for voter in (player, other, player.clone()):
        voter.run(advice[3:], labels[3:])
        np.testing.assert_array_equal(voter.weights, player.weights)
        assert voter.certificate() == player.certificate()
    with pytest.raises(ValueError, match="holds a"):
        (Halving if isinstance(player, WeightedMajority) else WeightedMajority).load(path)


@pytest.mark.parametrize(
    "potential",
    [
        None,
        TwoNormPotential(),
        ExponentialPotential(0.3),
        MinimaxPotential(lambda s: np.maximum(4.0 - s, 0.0), horizon=30),
    ],
)
def test_drifting_games(potential, tmp_path):
    game, path = DriftingGame(3, potential, seed=5), tmp_path / "game"
    game.run(LOSSES[:9])
    game.update(LOSSES[9], game.act())
    game.save(path)
    other, copy = DriftingGame.load(path, potential), game.clone()
    for player in (game, other, copy):
        player.update(LOSSES[10], player.act())
        np.testing.assert_array_equal(player.weights, game.weights)
        assert player.certificate(delta=0.1) == game.certificate(delta=0.1)
    with pytest.raises(ValueError, match="is not that of"):
        DriftingGame.load(path, ExponentialPotential(0.9))


def test_chips(tmp_path):
    phi, path = MinimaxPotential(lambda s: s <= 0, horizon=3, beta=0.25), tmp_path / "chips"
    player = ChipPlayer(3, phi)
    player.move([1, 1, -1])
    player.save(path)
    np.testing.assert_array_equal(ChipPlayer.load(path, phi).weights, player.weights)
    with pytest.raises(ValueError, match="potential=None"):
        ChipPlayer.load(path)


def test_prunings(tmp_path):
    tree = TemplateTree(
        {
            0: (lambda x: x[0] > 0.5, [("low", 1), "high"]),
            "high": (lambda x: x[1] > 0.5, [np.int64(7), 8.5]),
        }
    )
    X, path = rng.random((60, 2)), tmp_path / "pruning"
    y = (X > 0.5).all(axis=1) * 1.0
    model = BestPruning(tree, "absolute")
    for x, target in zip(X[:30], y[:30]):
        model.learn_one(x, target)
    model.save(path)
    other, copy = BestPruning.load(path, tree, "absolute"), model.clone()
    for each in (model, other, copy):
        for x, target in zip(X[30:], y[30:]):
            each.learn_one(x, target)
        assert each.predict_one(X[0]) == model.predict_one(X[0])
        assert each.best_pruning() == model.best_pruning()
        assert each.certificate() == model.certificate()


def test_nodes_that_cannot_be_saved(tmp_path):
    tree = TemplateTree({0: (lambda x: x > 0, [frozenset({1}), "b"])})
    model = BestPruning(tree)
    model.learn_one(-1.0, 0.5)
    with pytest.raises(ValueError, match=r"frozenset\(\{1\}\) cannot be saved; use text"):
        model.save(tmp_path / "pruning")
    assert not (tmp_path / "pruning").exists()


@pytest.mark.parametrize("kind", [Halving, DriftingGame])
def test_damaged_files(kind, tmp_path):
    from regretless import persistence

    persistence.write(tmp_path / "x", {"class": kind.__name__, "parts": {}}, {})
    with pytest.raises(ValueError, match="is damaged"):
        kind.load(tmp_path / "x")
