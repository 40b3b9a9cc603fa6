"""The linear learners as River estimators."""

from typing import Any, ClassVar

from regretless import geometry, linear
from regretless.river.learner import RiverClassifier, RiverRegressor


class LinearClassifier(RiverClassifier, linear.LinearClassifier):
    """`regretless.linear.LinearClassifier` as a River classifier: no learning rate, any labels.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), LinearClassifier(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"loss": "hinge", "certify": True, "features": "hashed", "bits": 12},
        {"rule": "adagrad", "loss": "squared_hinge", "l1": 1e-4},
        {"rule": "ogd", "rate": 1e-4, "l2": 1e-3},
        {"rule": "ftrl", "l1": 0.1, "intercept": False},
        {"rule": "eg", "loss": "hinge"},
        {"rule": "pnorm", "loss": "exponential", "rate": 1e-9},
    )


class LinearRegressor(RiverRegressor, linear.LinearRegressor):
    """`regretless.linear.LinearRegressor` as a River regressor: no learning rate, no scaling.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), LinearRegressor(), metrics.MAE())
    MAE: 0...
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"loss": "quantile", "certify": True, "features": "hashed", "bits": 12},
        {"rule": "adagrad", "l2": 1e-3},
        {"rule": "ogd", "loss": "absolute"},
        {"rule": "ftrl", "l1": 0.1, "intercept": False},
        {"rule": "eg", "loss": "epsilon_insensitive"},
        {"rule": "pnorm", "loss": "quantile"},
    )


class AutoClassifier(RiverClassifier, linear.AutoClassifier):
    """`regretless.linear.Auto` as a River classifier: nothing to choose.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), AutoClassifier(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"loss": "hinge", "features": "hashed", "bits": 12},
    )


class AutoRegressor(RiverRegressor, linear.AutoRegressor):
    """`regretless.linear.Auto(loss="squared")` as a River regressor: nothing to choose.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), AutoRegressor(), metrics.MAE())
    MAE: 0...
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"loss": "quantile"})


class Perceptron(RiverClassifier, linear.Perceptron):
    """`regretless.linear.Perceptron` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), Perceptron(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"average": "survival"},
        {"average": "uniform"},
        {"average": "vote"},
    )


class KernelPerceptron(RiverClassifier, linear.KernelPerceptron):
    """`regretless.linear.KernelPerceptron` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), KernelPerceptron(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"kernel": "rbf", "budget": 5},
        {"kernel": "polynomial", "average": "survival"},
    )


class PrimalDual(RiverClassifier, linear.PrimalDual):
    """`regretless.linear.PrimalDual` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), PrimalDual(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"geometry": geometry.Entropy(), "update": "conservative"},
    )


class PassiveAggressive(RiverClassifier, linear.PassiveAggressive):
    """`regretless.linear.PassiveAggressive` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), PassiveAggressive(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"mode": "II"})


class PassiveAggressiveRegressor(RiverRegressor, linear.PassiveAggressiveRegressor):
    """`regretless.linear.PassiveAggressiveRegressor` as a River regressor.

    >>> from river import datasets, evaluate, metrics
    >>> model = PassiveAggressiveRegressor(mode="II")
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    MAE: ...
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"mode": "exact"}, {"mode": "II"})


class MarginPerceptron(RiverClassifier, linear.MarginPerceptron):
    """`regretless.linear.MarginPerceptron` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), MarginPerceptron(), metrics.Accuracy())
    Accuracy: 8...%
    """


class PNormPerceptron(RiverClassifier, linear.PNormPerceptron):
    """`regretless.linear.PNormPerceptron` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), PNormPerceptron(), metrics.Accuracy())
    Accuracy: 8...%
    """


class BalancedWinnow(RiverClassifier, linear.BalancedWinnow):
    """`regretless.linear.BalancedWinnow` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), BalancedWinnow(), metrics.Accuracy())
    Accuracy: 8...%
    """


class OnlineSVM(RiverClassifier, linear.OnlineSVM):
    """`regretless.linear.OnlineSVM` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OnlineSVM(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"rate": 0.01, "projection": True})


class Winnow(RiverClassifier, linear.Winnow):
    """`regretless.linear.Winnow` as a River classifier, for features in [0, 1].

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), Winnow(), metrics.Accuracy())
    Accuracy: ...%
    """
