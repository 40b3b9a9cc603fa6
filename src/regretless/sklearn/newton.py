"""The sketched Newton learners as scikit-learn estimators."""

from regretless import newton
from regretless.sklearn.learner import SklearnClassifier, SklearnRegressor


class NewtonClassifier(SklearnClassifier, newton.NewtonClassifier):
    """`regretless.newton.NewtonClassifier` as a scikit-learn classifier."""


class NewtonRegressor(SklearnRegressor, newton.NewtonRegressor):
    """`regretless.newton.NewtonRegressor` as a scikit-learn regressor."""
