"""Adversaries: the streams that the texts use to stress or to defeat a learner.

`play` lets one of them play against a player, and returns the run. Those of gradients and costs play
against players that show a point, weights or an arm, those of labels and examples against players that
predict labels. The ones that do not look at the player can be iterated over as well. An adversary goes
on from where it is: make a new one for a new game.

>>> from regretless.adversaries import CoinFlips, play
>>> from regretless.experts import Hedge
>>> run = play(Hedge(2), CoinFlips(2, seed=1), 1000)
>>> 0 < run.regret() <= run.bound()
True
"""

from regretless.adversaries.examples import (
    ConsistentKiller,
    CoverAdversary,
    DisjunctionStream,
    ExponentialInstance,
    LittlestoneCoins,
    LittlestoneTree,
    MarginStream,
    NoisyForecasts,
    UnitVectors,
    WeakVotes,
    halfspace_tree,
    threshold_tree,
)
from regretless.adversaries.game import Adversary, AdversaryRun, Oblivious, play
from regretless.adversaries.gradients import (
    BernoulliArms,
    CoinFlips,
    FtlKiller,
    OrthogonalGradients,
    QuadraticGame,
    SignGradients,
    StochasticGradients,
    SwitchingExperts,
)
from regretless.errors import Exhausted

__all__ = [
    "Adversary",
    "AdversaryRun",
    "BernoulliArms",
    "CoinFlips",
    "ConsistentKiller",
    "CoverAdversary",
    "DisjunctionStream",
    "Exhausted",
    "ExponentialInstance",
    "FtlKiller",
    "LittlestoneCoins",
    "LittlestoneTree",
    "MarginStream",
    "NoisyForecasts",
    "Oblivious",
    "OrthogonalGradients",
    "QuadraticGame",
    "SignGradients",
    "StochasticGradients",
    "SwitchingExperts",
    "UnitVectors",
    "WeakVotes",
    "halfspace_tree",
    "play",
    "threshold_tree",
]
