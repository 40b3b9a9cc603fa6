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
    Squint,
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
from regretless.experts.mixture import Mixture
from regretless.experts.mixture_run import MixtureRun
from regretless.experts.player import ExpertPlayer
from regretless.experts.potentials import NormalHedge, NormalHedgeDT, PolynomialWeights, TwoNorm
from regretless.experts.pruning import BestPruning, PruningRun
from regretless.experts.run import ExpertsRun

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
