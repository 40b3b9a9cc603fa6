"""Combining the advice of experts, with a bound on the regret to the best of them.

from regretless.experts import AdaNormalHedge

mix = AdaNormalHedge(10)                  # nothing to tune
mix.weights; mix.update(losses)
run = AdaNormalHedge(10).run(losses)      # all rounds at once
run.regret(quantile=0.1); run.bound(quantile=0.1); run.plot()
"""

from regretless.experts.adaptive import AdaNormalHedge, AdaNormalHedgeTV
from regretless.experts.drifting import DriftingGame
from regretless.experts.easy_losses import gap_bound, small_loss_bound
from regretless.experts.hedge import (
    FixedShare,
    Hedge,
    RandomizedWeightedMajority,
    SecondOrderHedge,
)
from regretless.experts.majority import Consistent, Halving, NotRealizable, WeightedMajority
from regretless.experts.mixture import Mixture
from regretless.experts.mixture_run import MixtureRun
from regretless.experts.player import ExpertPlayer
from regretless.experts.potentials import NormalHedge, NormalHedgeDT, PolynomialWeights, TwoNorm
from regretless.experts.pruning import BestPruning
from regretless.experts.pruning_run import PruningRun
from regretless.experts.run import ExpertsRun
from regretless.experts.second_order import BOA, AdaptMLProd, MLPoly, Squint
from regretless.experts.votes_run import VotesRun

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
