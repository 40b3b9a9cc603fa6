"""The learners of this library as River estimators, for River's pipelines, ensembles and metrics.

Each is the class of the same name in `regretless.linear`, `regretless.newton` or
`regretless.boosting`, and a `river.base.Classifier` or `river.base.Regressor` as well: same options,
same numbers, same files.
Needs River: `pip install "regretless[river]"`.
"""

try:
    import river  # noqa: F401
except ImportError as error:
    raise ImportError(
        'regretless.river needs River, which is not installed: pip install "regretless[river]" '
        "(regretless.linear has the same learners without it)"
    ) from error

from regretless.river.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.river.linear import (
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
from regretless.river.newton import NewtonClassifier, NewtonRegressor

__all__ = [
    "AdaBoostOL",
    "AutoClassifier",
    "AutoRegressor",
    "BalancedWinnow",
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "MarginPerceptron",
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
