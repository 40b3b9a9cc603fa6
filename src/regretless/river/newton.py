"""The sketched Newton learners as River estimators."""

from typing import Any, ClassVar

from regretless import newton
from regretless.river.learner import RiverClassifier, RiverRegressor

# The check wants the order of a row's features to change scores by less than 1e-6. It changes the last
# bit of a sum, that may change the last bit of a float in the sketch, and inverses enlarge it.
_SKIPPED = {"check_shuffle_features_no_impact"}


class NewtonClassifier(RiverClassifier, newton.NewtonClassifier):
    """`regretless.newton.NewtonClassifier` as a River classifier: nothing to choose.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), NewtonClassifier(), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"size": 0, "loss": "squared_hinge", "diagonal": True},
        {"sketch": "fd", "size": 3, "features": "hashed", "bits": 12},
        {"sketch": "rp", "alpha": 1.0, "slab": 2.0, "certify": True},
        {"sketch": "full", "alpha": 1.0, "diagonal": True, "loss": "hinge"},
    )

    def _unit_test_skips(self) -> set[str]:
        return _SKIPPED


class NewtonRegressor(RiverRegressor, newton.NewtonRegressor):
    """`regretless.newton.NewtonRegressor` as a River regressor: nothing to choose, no scaling.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), NewtonRegressor(), metrics.MAE())
    MAE: 0...
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"sketch": "fd", "size": 3, "loss": "absolute"},
        {"alpha": 1.0, "diagonal": True, "certify": True},
    )

    def _unit_test_skips(self) -> set[str]:
        return _SKIPPED
