"""The online boosters as scikit-learn estimators."""

from regretless import boosting
from regretless.sklearn.learner import SklearnClassifier


class AdaBoostOL(SklearnClassifier, boosting.AdaBoostOL):
    """`regretless.boosting.AdaBoostOL` as a scikit-learn classifier."""


class OnlineBBM(SklearnClassifier, boosting.OnlineBBM):
    """`regretless.boosting.OnlineBBM` as a scikit-learn classifier."""


class OSBoost(SklearnClassifier, boosting.OSBoost):
    """`regretless.boosting.OSBoost` as a scikit-learn classifier."""


class OSBoostOCP(SklearnClassifier, boosting.OSBoostOCP):
    """`regretless.boosting.OSBoostOCP` as a scikit-learn classifier."""
