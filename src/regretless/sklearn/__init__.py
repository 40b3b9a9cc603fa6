"""The learners of this library as scikit-learn estimators, for its pipelines, searches and scores.

Each is the class of the same name in `regretless.linear`, `regretless.newton` or
`regretless.boosting`, and a scikit-learn `BaseEstimator` with `ClassifierMixin` or `RegressorMixin` as
well: same options, same numbers, same files. Needs scikit-learn: `pip install "regretless[sklearn]"`.
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "regretless.sklearn needs scikit-learn, which is not installed: "
        'pip install "regretless[sklearn]" (regretless.linear has the same learners without it)'
    ) from error

from regretless.sklearn.batch_boosting import AdaBoost, NHBoost, NHBoostDT
from regretless.sklearn.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.sklearn.linear import (
    AutoClassifier,
    AutoRegressor,
    BalancedWinnow,
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    PNormPerceptron,
    PrimalDual,
    Winnow,
)
from regretless.sklearn.newton import NewtonClassifier, NewtonRegressor

__all__ = [
    "AdaBoost",
    "AdaBoostOL",
    "AutoClassifier",
    "AutoRegressor",
    "BalancedWinnow",
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "MarginPerceptron",
    "NHBoost",
    "NHBoostDT",
    "NewtonClassifier",
    "NewtonRegressor",
    "OSBoost",
    "OSBoostOCP",
    "OnlineBBM",
    "OnlineSVM",
    "PNormPerceptron",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PrimalDual",
    "Winnow",
]
