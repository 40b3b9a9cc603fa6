"""Linear learners for streams.

`LinearClassifier` and `LinearRegressor` combine any loss with any update rule and need no tuning;
`Perceptron`, `KernelPerceptron` and `PassiveAggressive` are the algorithms known by these names.
"""

from regretless.linear.kernel_perceptron import KernelPerceptron
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import Perceptron

__all__ = [
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
]
