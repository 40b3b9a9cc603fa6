"""Linear learners for streams.

`Auto` has nothing to choose: it tries sixteen ways to learn and mixes them as they prove themselves.
`LinearClassifier` and `LinearRegressor` combine any loss with any update rule; the others are the
algorithms known by these names, and `PrimalDual` is the family of many of them, for any geometry.
"""

from regretless.linear.auto import Auto, AutoClassifier, AutoRegressor
from regretless.linear.kernel_perceptron import KernelPerceptron
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.margin_perceptron import MarginPerceptron
from regretless.linear.online_svm import OnlineSVM
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import Perceptron
from regretless.linear.pnorm_perceptron import PNormPerceptron
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
