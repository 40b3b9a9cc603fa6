"""Boosting: many weak learners, each hardly better than chance, vote to be a strong one.

from regretless.boosting import AdaBoostOL, GradientBoostingSpan, NHBoostDT, OnlineBBM

model = AdaBoostOL()                         # linear weak learners, nothing to tune
model = OnlineBBM(tree.HoeffdingTreeClassifier(), n=10, edge=0.1)   # River's, scikit-learn's, yours
model.learn_one(x, y); model.predict_one(x); model.certificate()
GradientBoostingSpan()                       # numbers, with stumps
NHBoostDT(rounds=200).fit(X, y)              # in batch, with stumps
"""

from regretless.boosting.adaboost import AdaBoost
from regretless.boosting.adaboost_ol import AdaBoostOL
from regretless.boosting.batch_gradient import BatchGradientBoosting
from regretless.boosting.both_signs import BothSigns
from regretless.boosting.certificate import BoostingCertificate
from regretless.boosting.decision_stump import DecisionStump
from regretless.boosting.gradient import GradientBoostingHull, GradientBoostingSpan
from regretless.boosting.margins import MarginCertificate
from regretless.boosting.neural_net import NeuralNet
from regretless.boosting.nhboost import NHBoost, NHBoostDT
from regretless.boosting.online_bbm import OnlineBBM
from regretless.boosting.osboost import OSBoost, OSBoostOCP
from regretless.boosting.stump import Stump
from regretless.boosting.stump_search import FittedStump
from regretless.boosting.weak_learning import excess_loss

__all__ = [
    "AdaBoost",
    "AdaBoostOL",
    "BatchGradientBoosting",
    "BoostingCertificate",
    "BothSigns",
    "DecisionStump",
    "FittedStump",
    "GradientBoostingHull",
    "GradientBoostingSpan",
    "MarginCertificate",
    "NHBoost",
    "NHBoostDT",
    "NeuralNet",
    "OSBoost",
    "OSBoostOCP",
    "OnlineBBM",
    "Stump",
    "excess_loss",
]
