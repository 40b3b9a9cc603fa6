"""Boosting: many weak learners, each hardly better than chance, vote to be a strong one.

from regretless.boosting import AdaBoostOL, OnlineBBM

model = AdaBoostOL()                         # linear weak learners, nothing to tune
model = OnlineBBM(tree.HoeffdingTreeClassifier(), n=10, edge=0.1)   # River's, scikit-learn's, yours
model.learn_one(x, y); model.predict_one(x); model.certificate()
"""

from regretless.boosting.adaboost_ol import AdaBoostOL
from regretless.boosting.certificate import BoostingCertificate
from regretless.boosting.online_bbm import OnlineBBM
from regretless.boosting.osboost import OSBoost, OSBoostOCP

__all__ = ["AdaBoostOL", "BoostingCertificate", "OSBoost", "OSBoostOCP", "OnlineBBM"]
