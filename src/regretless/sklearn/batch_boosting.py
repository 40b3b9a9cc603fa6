"""The batch boosters as scikit-learn estimators."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from regretless import boosting
from regretless.base.arguments import Array
from regretless.base.state import Parts
from regretless.base.threads import of_options
from regretless.boosting.batch import BatchBooster


class SklearnBooster(ClassifierMixin, BatchBooster, BaseEstimator):  # type: ignore[misc]
    """A booster of matrices."""

    # those that know the options of `weak`
    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options the learner was made with, and those of `weak`."""
        found: dict[str, Any] = BaseEstimator.get_params(self, deep)
        return found

    set_params = BaseEstimator.set_params
    __repr__ = BaseEstimator.__repr__
    n_features_in_: int

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensembles")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on the rows of `X`."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return super().fit(X, y, sample_weight)

    def _votes(self, X: Any) -> Array:
        self._check_fitted()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return super()._votes(X)

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        self.n_features_in_ = len(self._sources)  # names of columns are not kept


class AdaBoost(SklearnBooster, boosting.AdaBoost):
    """`regretless.boosting.AdaBoost` as a scikit-learn classifier."""


class NHBoost(SklearnBooster, boosting.NHBoost):
    """`regretless.boosting.NHBoost` as a scikit-learn classifier."""


class NHBoostDT(SklearnBooster, boosting.NHBoostDT):
    """`regretless.boosting.NHBoostDT` as a scikit-learn classifier."""
