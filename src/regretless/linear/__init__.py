"""Linear learners for streams.

`Auto` has nothing to choose: it tries sixteen ways to learn and mixes them as they prove themselves.
`LinearClassifier` and `LinearRegressor` combine any loss with any update rule; the others are the
algorithms known by these names, and `PrimalDual` is the family of many of them, for any geometry.
"""

import importlib
from typing import TYPE_CHECKING, Any

from regretless.linear.auto import Auto, AutoClassifier, AutoRegressor
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.online_svm import OnlineSVM
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import MarginPerceptron, Perceptron, PNormPerceptron
from regretless.linear.winnow import BalancedWinnow, Winnow

if TYPE_CHECKING:
    from regretless.linear.kernel_perceptron import KernelPerceptron
    from regretless.linear.primal_dual import PrimalDual

__all__ = [
    "Auto",
    "AutoClassifier",
    "AutoRegressor",
    "BalancedWinnow",
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "MarginPerceptron",
    "OnlineSVM",
    "PNormPerceptron",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PrimalDual",
    "Winnow",
]

# in Python, and with rooms of their own behind them: imported when they are asked for
_LATER = {
    "KernelPerceptron": "regretless.linear.kernel_perceptron",
    "PrimalDual": "regretless.linear.primal_dual",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
