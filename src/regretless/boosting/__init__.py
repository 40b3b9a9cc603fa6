"""Boosting: many weak learners, each a little better than chance, vote as one strong learner.

Online boosters take weak learners of this library, of River, of scikit-learn, and your own; trees are
learned in one pass over the example. `Forest` is for nonlinear data. Gradient boosters predict numbers;
`AdaBoost`, `NHBoost` and `NHBoostDT` learn a whole table.

>>> from regretless.boosting import AdaBoostOL, OnlineBBM, Tree
>>> model = AdaBoostOL()  # linear weak learners, nothing to tune
>>> for _ in range(50):
...     model.learn_one({"heat": 1.0}, "stop")
...     model.learn_one({"heat": -1.0}, "go")
>>> model.predict_one({"heat": 0.5})
'stop'
>>> OnlineBBM(Tree(depth=2), n=10)
OnlineBBM(weak=Tree(depth=2), n=10)
"""

from regretless.boosting.batch import AdaBoost, MarginCertificate, NHBoost, NHBoostDT
from regretless.boosting.batch_gradient import BatchGradientBoosting
from regretless.boosting.gradient import BothSigns, GradientBoostingHull, GradientBoostingSpan
from regretless.boosting.online import (
    AdaBoostOL,
    BoostingCertificate,
    OnlineBBM,
    OSBoost,
    OSBoostOCP,
)
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
