"""Files of players that hold what no file can: trees and potentials are given again."""

import numpy as np
import pytest

from regretless.experts import BestPruning, DriftingGame, Halving
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
    given = {} if potential is None else {"potential": potential}
    other, again = DriftingGame.load(path, **given), game.copy()
    for player in (game, other, again):
        player.update(LOSSES[10], player.act())
        np.testing.assert_array_equal(player.weights, game.weights)
        assert player.certificate(delta=0.1) == game.certificate(delta=0.1)
    with pytest.raises(ValueError, match=r"is not that of|leave it out"):
        DriftingGame.load(path, potential=ExponentialPotential(0.9))


def test_chips(tmp_path):
    phi, path = MinimaxPotential(lambda s: s <= 0, horizon=3, beta=0.25), tmp_path / "chips"
    player = ChipPlayer(3, phi)
    player.move([1, 1, -1])
    player.save(path)
    np.testing.assert_array_equal(ChipPlayer.load(path, potential=phi).weights, player.weights)
    with pytest.raises(ValueError, match="give it again"):
        ChipPlayer.load(path)


def test_nodes_that_cannot_be_saved(tmp_path):
    tree = TemplateTree({0: (lambda x: x > 0, [frozenset({1}), "b"])})
    model = BestPruning(tree)
    model.learn_one(-1.0, 0.5)
    with pytest.raises(ValueError, match=r"frozenset\(\{1\}\): a frozenset cannot be saved"):
        model.save(tmp_path / "pruning")
    assert not (tmp_path / "pruning").exists()


@pytest.mark.parametrize("kind", [Halving, DriftingGame])
def test_damaged_files(kind, tmp_path):
    from regretless.base import persistence

    persistence.write(tmp_path / "x", {"class": kind.__name__, "parts": {}}, {})
    with pytest.raises(ValueError, match="is damaged"):
        kind.load(tmp_path / "x")
