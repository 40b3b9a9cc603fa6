"""The linear learners as scikit-learn estimators."""

from functools import partial
from typing import Any, Self

from regretless import linear
from regretless.sklearn.learner import SklearnClassifier, SklearnRegressor

__all__ = [
    "KernelPerceptron",
    "LinearClassifier",
    "LinearRegressor",
    "PassiveAggressive",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PrimalDual",
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


class PrimalDual(SklearnClassifier, linear.PrimalDual):
    """`regretless.linear.PrimalDual` as a scikit-learn classifier."""


class KernelPerceptron(SklearnClassifier, linear.KernelPerceptron):
    """`regretless.linear.KernelPerceptron` as a scikit-learn classifier."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, max_passes: int = 1) -> Self:
        """Start afresh and learn `X` until a pass makes no update, `max_passes` times at most."""
        self._reset()
        once = partial(self.partial_fit, X, y, sample_weight=sample_weight)
        self.passes_ = self._cycle(once, max_passes)
        return self
