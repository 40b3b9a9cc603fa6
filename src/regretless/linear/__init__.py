"""Linear learners for streams.

`LinearClassifier` and `LinearRegressor` combine any loss with any update rule and need no tuning;
`Perceptron`, `KernelPerceptron` and `PassiveAggressive` are the algorithms known by these names;
`PrimalDual` is the family of them, for any geometry.
"""

from regretless.linear.kernel_perceptron import KernelPerceptron
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import Perceptron
from regretless.linear.primal_dual import PrimalDual

__all__ = [
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PrimalDual",
]
