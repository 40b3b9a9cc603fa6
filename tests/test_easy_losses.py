"""Luo (2016), Theorem 5 and Lemma 7, as functions."""

import math

import numpy as np
import pytest

from regretless.boosting import excess_loss
from regretless.experts import AdaNormalHedge, gap_bound, small_loss_bound


def factor(player, best):
    """That of Theorem 4 for one expert: `3 ln(B / q)`, with what B was."""
    C = player.certificate(comparator=best).bounds["ada-normal-hedge"] ** 2
    spread = np.asarray(player._engine.spread)[best]
    return C / spread


@pytest.mark.parametrize("rare", [0.0, 0.001, 0.01, 0.1])
def test_small_losses_bound_the_regret(rare):
    losses = np.random.default_rng(0).random((3000, 6))
    losses[:, 2] *= np.random.default_rng(1).random(3000) < rare
    player = AdaNormalHedge(6)
    run = player.run(losses)
    bound = small_loss_bound(factor(player, 2), losses[:, 2].sum())
    assert run.regret(comparator=2) <= bound
    assert bound < 0.5 * math.sqrt(3000 * factor(player, 2))  # what is known without


def test_the_regret_does_not_grow_if_there_is_a_gap():
    """Its mean over seeds, and bounds that hold for 3,000 rounds and for 30."""
    regrets, bounds = [], []
    for seed in range(40):
        chances = np.array([0.3, 0.5, 0.5, 0.6])
        losses = (np.random.default_rng(seed).random((3000, 4)) < chances) * 1.0
        player = AdaNormalHedge(4)
        regrets.append(player.run(losses).regret(comparator=0))
        bounds.append(gap_bound(factor(player, 0), gap=0.2))
    assert np.mean(regrets) <= np.mean(bounds) < 150


@pytest.mark.parametrize("edge", [0.003, 0.1, 0.5])
@pytest.mark.parametrize(
    "regret",
    [
        lambda T: 3.0 * math.sqrt(T),
        lambda T: 2.0 * math.log1p(T),
        lambda T: min(T, 7.0),
        lambda _: 0.0,
    ],
)
def test_the_excess_loss_is_the_largest_difference(regret, edge):
    rounds = range(1, 300_000)
    expected = max(0.0, *(regret(T) - edge * T for T in rounds))
    assert excess_loss(regret, edge) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"regret=3 cannot be called"):
        excess_loss(3, 0.1)
    with pytest.raises(ValueError, match=r"edge=0\.6 is outside"):
        excess_loss(math.sqrt, 0.6)
    with pytest.raises(ValueError, match=r"grows by more than edge=0\.1 per round"):
        excess_loss(lambda T: 0.2 * T, 0.1)
    with pytest.raises(ValueError, match=r"gap=0 must be positive"):
        gap_bound(1.0, 0)
    with pytest.raises(ValueError, match=r"loss=-1"):
        small_loss_bound(1.0, -1)
