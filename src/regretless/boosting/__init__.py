"""Boosting: many weak learners, one strong one (thesis 3)."""

from regretless.boosting.decision_stump import DecisionStump
from regretless.boosting.neural_net import NeuralNet
from regretless.boosting.stump import Stump

__all__ = [
    "DecisionStump",
    "NeuralNet",
    "Stump",
]
