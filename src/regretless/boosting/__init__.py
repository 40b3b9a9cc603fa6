"""Boosting: weak learners, each a little better than chance, become a strong one (thesis 2.12, 3)."""

from regretless.boosting.adaboost import AdaBoost
from regretless.boosting.margins import MarginCertificate
from regretless.boosting.nhboost import NHBoost, NHBoostDT
from regretless.boosting.stump_search import DecisionStump

__all__ = ["AdaBoost", "DecisionStump", "MarginCertificate", "NHBoost", "NHBoostDT"]
