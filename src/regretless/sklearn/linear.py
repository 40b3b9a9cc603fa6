"""The linear learners as scikit-learn estimators."""

from typing import Any

from regretless import linear
from regretless.sklearn.learner import SklearnClassifier, SklearnRegressor


class AutoClassifier(SklearnClassifier, linear.AutoClassifier):
    """`regretless.linear.Auto` as a scikit-learn classifier: nothing to choose."""


class AutoRegressor(SklearnRegressor, linear.AutoRegressor):
    """`regretless.linear.Auto(loss="squared")` as a scikit-learn regressor: nothing to choose."""


class LinearClassifier(SklearnClassifier, linear.LinearClassifier):
    """`regretless.linear.LinearClassifier` as a scikit-learn classifier: no learning rate."""


class LinearRegressor(SklearnRegressor, linear.LinearRegressor):
    """`regretless.linear.LinearRegressor` as a scikit-learn regressor: no learning rate, no scaling."""


class Perceptron(SklearnClassifier, linear.Perceptron):
    """`regretless.linear.Perceptron` as a scikit-learn classifier."""


class PassiveAggressive(SklearnClassifier, linear.PassiveAggressive):
    """`regretless.linear.PassiveAggressive` as a scikit-learn classifier."""


class PassiveAggressiveRegressor(SklearnRegressor, linear.PassiveAggressiveRegressor):
    """`regretless.linear.PassiveAggressiveRegressor` as a scikit-learn regressor."""


class MarginPerceptron(SklearnClassifier, linear.MarginPerceptron):
    """`regretless.linear.MarginPerceptron` as a scikit-learn classifier."""


class PNormPerceptron(SklearnClassifier, linear.PNormPerceptron):
    """`regretless.linear.PNormPerceptron` as a scikit-learn classifier."""


class BalancedWinnow(SklearnClassifier, linear.BalancedWinnow):
    """`regretless.linear.BalancedWinnow` as a scikit-learn classifier."""


class OnlineSVM(SklearnClassifier, linear.OnlineSVM):
    """`regretless.linear.OnlineSVM` as a scikit-learn classifier."""


class Winnow(SklearnClassifier, linear.Winnow):
    """`regretless.linear.Winnow` as a scikit-learn classifier, for features in [0, 1]."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class PrimalDual(SklearnClassifier, linear.PrimalDual):
    """`regretless.linear.PrimalDual` as a scikit-learn classifier."""


class KernelPerceptron(SklearnClassifier, linear.KernelPerceptron):
    """`regretless.linear.KernelPerceptron` as a scikit-learn classifier."""
