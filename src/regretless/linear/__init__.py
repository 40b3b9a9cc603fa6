"""Linear learners for streams.

`Auto` has nothing to choose: it tries sixteen ways to learn and mixes them as they prove themselves.
`LinearClassifier` and `LinearRegressor` combine any loss with any update rule;
`Perceptron` and `PassiveAggressive` are the algorithms known by these names.
"""

from regretless.linear.auto import Auto, AutoClassifier, AutoRegressor
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import Perceptron

__all__ = [
    "Auto",
    "AutoClassifier",
    "AutoRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
]
