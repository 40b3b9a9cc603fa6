"""Combining the advice of experts, with a bound on the regret to the best of them.

>>> import numpy as np
>>> from regretless.experts import AdaNormalHedge
>>> mix = AdaNormalHedge(3)  # nothing to tune
>>> mix.weights.round(2)
array([0.33, 0.33, 0.33])
>>> loss = mix.update([0.0, 1.0, 1.0])  # one round
>>> run = AdaNormalHedge(3).run(np.eye(3)[[0, 1, 1, 1] * 25])  # or all rounds at once
>>> bool(run.regret() <= run.bound())
True
"""

from regretless.errors import NotRealizable
from regretless.experts.adaptive import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    AdaptMLProd,
    MLPoly,
    NormalHedge,
    NormalHedgeDT,
    PolynomialWeights,
    Squint,
    TwoNorm,
)
from regretless.experts.drifting import DriftingGame
from regretless.experts.hedge import (
    FixedShare,
    Hedge,
    RandomizedWeightedMajority,
    SecondOrderHedge,
    gap_bound,
    small_loss_bound,
)
from regretless.experts.majority import Consistent, Halving, VotesRun, WeightedMajority
from regretless.experts.mixture import Mixture, MixtureRun
from regretless.experts.player import ExpertPlayer
from regretless.experts.run import ExpertsRun
from regretless.experts.trees import BestPruning, PruningRun

__all__ = [
    "BOA",
    "AdaNormalHedge",
    "AdaNormalHedgeTV",
    "AdaptMLProd",
    "BestPruning",
    "Consistent",
    "DriftingGame",
    "ExpertPlayer",
    "ExpertsRun",
    "FixedShare",
    "Halving",
    "Hedge",
    "MLPoly",
    "Mixture",
    "MixtureRun",
    "NormalHedge",
    "NormalHedgeDT",
    "NotRealizable",
    "PolynomialWeights",
    "PruningRun",
    "RandomizedWeightedMajority",
    "SecondOrderHedge",
    "Squint",
    "TwoNorm",
    "VotesRun",
    "WeightedMajority",
    "gap_bound",
    "small_loss_bound",
]
