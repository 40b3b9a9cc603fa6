"""Linear learners for streams.

`Auto` needs no tuning: it runs sixteen learners at once and weights them by their losses so far.
`LinearClassifier` and `LinearRegressor` combine any loss with any update rule; the other classes are
the algorithms of the same names, and `PrimalDual` is the family of many of them, for any geometry.

>>> from regretless.linear import Auto
>>> model = Auto()
>>> for _ in range(50):
...     model.learn_one({"offer": 1.0, "free": 2.0}, "spam")
...     model.learn_one({"meeting": 1.0}, "mail")
>>> model.predict_one({"free": 1.0})
'spam'
"""

import importlib
from typing import TYPE_CHECKING, Any

from regretless.linear.auto import Auto, AutoClassifier, AutoRegressor

if TYPE_CHECKING:
    from regretless.linear.kernel_perceptron import KernelPerceptron
    from regretless.linear.linear import LinearClassifier, LinearRegressor
    from regretless.linear.online_svm import OnlineSVM
    from regretless.linear.perceptron import (
        MarginPerceptron,
        PassiveAggressive,
        PassiveAggressiveRegressor,
        Perceptron,
        PNormPerceptron,
    )
    from regretless.linear.primal_dual import PrimalDual
    from regretless.linear.winnow import BalancedWinnow, Winnow

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

# imported on first use, so that a program that uses one learner starts at once
_LATER = {
    "BalancedWinnow": "winnow",
    "KernelPerceptron": "kernel_perceptron",
    "LinearClassifier": "linear",
    "LinearRegressor": "linear",
    "MarginPerceptron": "perceptron",
    "OnlineSVM": "online_svm",
    "PNormPerceptron": "perceptron",
    "PassiveAggressive": "perceptron",
    "PassiveAggressiveRegressor": "perceptron",
    "Perceptron": "perceptron",
    "PrimalDual": "primal_dual",
    "Winnow": "winnow",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = found
    return found
