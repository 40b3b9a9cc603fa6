"""Boosting: many weak learners, each a little better than chance, vote as one strong learner.

from regretless.boosting import AdaBoostOL, Forest, GradientBoostingSpan, NHBoostDT, OnlineBBM, Tree

model = AdaBoostOL()                         # linear weak learners, nothing to tune
model = OnlineBBM(tree.HoeffdingTreeClassifier(), n=10, edge=0.1)   # River's, scikit-learn's, yours
model.learn_one(x, y); model.predict_one(x); model.certificate()
OnlineBBM(Tree(depth=2), n=20)               # trees, all learned in one pass over the example
Forest()                                     # a forest, for nonlinear data
GradientBoostingSpan()                       # numbers, with stumps
NHBoostDT(rounds=200).fit(X, y)              # in batch, with stumps
"""

from regretless.boosting.batch import AdaBoost, MarginCertificate, NHBoost, NHBoostDT
from regretless.boosting.batch_gradient import BatchGradientBoosting
from regretless.boosting.gradient import BothSigns, GradientBoostingHull, GradientBoostingSpan
from regretless.boosting.online import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.boosting.online_certificate import BoostingCertificate
from regretless.boosting.stump_search import FittedStump
from regretless.boosting.trees import Forest, ForestRegressor, Tree, TreeRegressor
from regretless.boosting.weak_learners import DecisionStump, NeuralNet, Stump, excess_loss

__all__ = [
    "AdaBoost",
    "AdaBoostOL",
    "BatchGradientBoosting",
    "BoostingCertificate",
    "BothSigns",
    "DecisionStump",
    "FittedStump",
    "Forest",
    "ForestRegressor",
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
    "Tree",
    "TreeRegressor",
    "excess_loss",
]
