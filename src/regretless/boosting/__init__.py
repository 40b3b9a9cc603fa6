"""Boosting: many weak learners, each hardly better than chance, vote to be a strong one.

from regretless.boosting import AdaBoostOL, NHBoostDT, OnlineBBM

model = AdaBoostOL()                         # linear weak learners, nothing to tune
model = OnlineBBM(tree.HoeffdingTreeClassifier(), n=10, edge=0.1)   # River's, scikit-learn's, yours
model.learn_one(x, y); model.predict_one(x); model.certificate()
NHBoostDT(rounds=200).fit(X, y)              # in batch, with stumps
"""

from regretless.boosting.adaboost import AdaBoost
from regretless.boosting.adaboost_ol import AdaBoostOL
from regretless.boosting.certificate import BoostingCertificate
from regretless.boosting.margins import MarginCertificate
from regretless.boosting.nhboost import NHBoost, NHBoostDT
from regretless.boosting.online_bbm import OnlineBBM
from regretless.boosting.osboost import OSBoost, OSBoostOCP
from regretless.boosting.stump_search import FittedStump

__all__ = [
    "AdaBoost",
    "AdaBoostOL",
    "BoostingCertificate",
    "FittedStump",
    "MarginCertificate",
    "NHBoost",
    "NHBoostDT",
    "OSBoost",
    "OSBoostOCP",
    "OnlineBBM",
]
