"""The linear learners as scikit-learn estimators."""

from regretless import linear
from regretless.sklearn.learner import SklearnClassifier, SklearnRegressor

__all__ = [
    "LinearClassifier",
    "LinearRegressor",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
]


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
