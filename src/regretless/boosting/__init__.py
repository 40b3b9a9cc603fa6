"""Boosting: many weak learners, one strong one (thesis 3)."""

from regretless.boosting.batch_gradient import BatchGradientBoosting
from regretless.boosting.both_signs import BothSigns
from regretless.boosting.decision_stump import DecisionStump
from regretless.boosting.gradient import GradientBoostingHull, GradientBoostingSpan
from regretless.boosting.neural_net import NeuralNet
from regretless.boosting.stump import Stump

__all__ = [
    "BatchGradientBoosting",
    "BothSigns",
    "DecisionStump",
    "GradientBoostingHull",
    "GradientBoostingSpan",
    "NeuralNet",
    "Stump",
]
