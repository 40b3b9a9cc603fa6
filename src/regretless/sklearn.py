"""The learners of this library as scikit-learn estimators, for its pipelines, searches and scores.

Each is the class of the same name in `regretless.linear`, `regretless.newton` or
`regretless.boosting`, and a scikit-learn `BaseEstimator` with `ClassifierMixin` or `RegressorMixin` as
well: same options, same numbers, same files. Needs scikit-learn: `pip install "regretless[sklearn]"`.

>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.pipeline import make_pipeline
>>> from sklearn.preprocessing import StandardScaler
>>> from regretless.sklearn import LinearClassifier
>>> X, y = load_breast_cancer(return_X_y=True)
>>> make_pipeline(StandardScaler(), LinearClassifier()).fit(X, y).score(X, y) > 0.95
True
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
except ImportError as error:
    raise ImportError(
        "regretless.sklearn needs scikit-learn, which is not installed: "
        'pip install "regretless[sklearn]" (regretless.linear has the same learners without it)'
    ) from error

from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from regretless.base import facades
from regretless.base.arguments import Array
from regretless.base.classifier import Classifier, weighed
from regretless.base.learner import Learner
from regretless.base.regressor import Regressor
from regretless.base.rows import Batch
from regretless.base.state import Parts
from regretless.base.threads import of_options
from regretless.boosting.batch import BatchBooster

__all__ = facades.names(facades.ONLINE, facades.BATCH)  # noqa: PLE0605

_SEEN = ("n_features_in_", "feature_names_in_")


class SklearnLearner(Learner, BaseEstimator):  # type: ignore[misc]
    """A learner of matrices whose columns are known from the first batch on."""

    _checks_late = True  # scikit-learn wants errors from `fit`, not from the constructor
    n_features_in_: int

    def __sklearn_is_fitted__(self) -> bool:
        return self.examples_ > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _is_first(self) -> bool:
        """Whether the next batch is the first, which sets the number of columns."""
        return not (self.__sklearn_is_fitted__() and hasattr(self, "n_features_in_"))

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """A batch to learn, as arrays."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", y_numeric=not self.classifies, reset=self._is_first
        )
        if self.classifies:
            check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return X, y, sample_weight

    def _to_predict(self, X: Any) -> Batch:
        check_is_fitted(self)
        return super()._to_predict(validate_data(self, X, accept_sparse="csr", reset=False))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn `X` in one pass."""
        self._reset()
        return self.partial_fit(X, y, sample_weight=sample_weight)  # type: ignore[no-any-return]

    def _columns(self) -> tuple[Array, Array]:
        """Weights (lanes x columns) and intercepts (lanes)."""
        check_is_fitted(self)
        names, table, first = self._weights()
        where = {name: k for k, name in enumerate(names)}
        bits = self.form().bits
        size = 2**bits if bits else self.n_features_in_
        rows = [where.get(j % size, -1) for j in range(self.n_features_in_)]
        return np.vstack([table, np.zeros_like(first)])[rows].T, first

    def _learned(self) -> dict[str, Any]:
        seen = {k: np.asarray(getattr(self, k)).tolist() for k in _SEEN if hasattr(self, k)}
        return super()._learned() | {"notes": seen}

    def _restore(self, parts: Parts) -> None:
        notes = parts.look("notes") or {}
        super()._restore(parts)
        for name in notes.keys() & set(_SEEN):
            value = notes[name]
            setattr(self, name, np.array(value, object) if isinstance(value, list) else value)


class SklearnClassifier(ClassifierMixin, SklearnLearner, Classifier):  # type: ignore[misc]
    """A classifier of matrices."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn a batch; `classes`, if given, are the labels that exist from the start.

        They may be left out, also of the first batch, and a later one may bring further labels.
        """
        first = self._is_first
        X, y, sample_weight = self._checked(X, y, sample_weight)
        if first and classes is None:
            classes = weighed(y, sample_weight)
        known = None if classes is None else np.unique(classes)
        return super().partial_fit(X, y, known, sample_weight)

    def _has_probabilities(self) -> bool:
        loss, _, _ = self._parts()
        return loss.probability(1e-9) < 1  # losses without probabilities jump to 1

    if not TYPE_CHECKING:  # for type checkers the decorated method would lose its signature
        # Hinge and perceptron losses estimate the likelier label, but not its probability.
        predict_proba = available_if(_has_probabilities)(Classifier.predict_proba)

    @property
    def coef_(self) -> Array:
        """The weights, a row for two labels, otherwise a row per label of `classes_`."""
        return self._columns()[0]

    @property
    def intercept_(self) -> Array:
        """The weight of the constant feature, for each row of `coef_`."""
        return self._columns()[1]


class SklearnRegressor(RegressorMixin, SklearnLearner, Regressor):  # type: ignore[misc]
    """A regressor of matrices."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a batch."""
        return super().partial_fit(*self._checked(X, y, sample_weight))

    @property
    def coef_(self) -> Array:
        """The weights, one per column."""
        return self._columns()[0].ravel()

    @property
    def intercept_(self) -> Array:
        """The weight of the constant feature, an array of one as in `SGDRegressor`."""
        return self._columns()[1]


class SklearnBooster(ClassifierMixin, BatchBooster, BaseEstimator):  # type: ignore[misc]
    """A booster of matrices."""

    _checks_late = True  # scikit-learn wants errors from `fit`, not from the constructor

    # scikit-learn's methods, which include the options of `weak`
    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options of the booster, and those of `weak`."""
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


def _positive_tags(self: Any) -> Any:
    tags = SklearnClassifier.__sklearn_tags__(self)
    tags.input_tags.positive_only = True
    return tags


_MORE: dict[str, dict[str, Any]] = {
    "Winnow": {"__sklearn_tags__": _positive_tags}
}  # features in [0, 1]


def __getattr__(name: str) -> Any:
    """Make the class of this name on first use."""
    ours = facades.our_class(name, facades.ONLINE, facades.BATCH)
    if ours is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base: type = SklearnRegressor if issubclass(ours, Regressor) else SklearnClassifier
    base = SklearnBooster if issubclass(ours, BatchBooster) else base
    made = facades.facade(__name__, "scikit-learn", base, ours, **_MORE.get(name, {}))
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
