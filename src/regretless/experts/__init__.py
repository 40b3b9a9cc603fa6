"""Combining the advice of experts, with a bound on the regret to the best of them.

from regretless.experts import AdaNormalHedge

mix = AdaNormalHedge(10)                  # nothing to tune
mix.weights; mix.update(losses)
run = AdaNormalHedge(10).run(losses)      # all rounds at once
run.regret(quantile=0.1); run.bound(quantile=0.1); run.plot()
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
