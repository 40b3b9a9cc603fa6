"""What River asks of an estimator beyond what every learner of this library does anyway."""

import copy
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from river import base

from regretless.base.classifier import Classifier
from regretless.base.learner import Learner
from regretless.base.regressor import Regressor
from regretless.base.rows import Batch


class RiverLearner(Learner, base.Estimator):  # type: ignore[misc]
    """A learner that River can clone, measure and check."""

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = ({},)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """The options that `river.checks` should try."""
        yield from cls._checked_with

    def _compare_columns(self, batch: Batch) -> None:
        """Columns come and go in River, and nobody is warned of it."""

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A learner with the same options, or `new_params` where given.

        It has seen nothing, or with `include_attributes` all that this one has.
        """
        clone: Self = base.Base.clone(self, new_params)
        if include_attributes:
            options = self._options()
            learned = {k: v for k, v in self.__getstate__().items() if k not in options}
            clone.__setstate__(copy.deepcopy(learned))
        return clone


class RiverClassifier(RiverLearner, Classifier, base.MiniBatchClassifier):  # type: ignore[misc]
    """A classifier of two or more labels, which may appear at any time."""

    _multiclass = True

    def predict_many(self, X: Any) -> Any:
        """The label of each row of the data frame `X`, as a series: None before any has been seen."""
        import pandas as pd

        labels = self.predict(X) if self._labels.labels else [None] * len(X)
        return pd.Series(labels, index=getattr(X, "index", None))

    def predict_proba_many(self, X: Any) -> Any:
        """The probability of each label seen (columns) for each row of the data frame `X`."""
        import pandas as pd

        labels = pd.Index(self._labels.labels, tupleize_cols=False)
        table = self.predict_proba(X)[:, : len(labels)]
        return pd.DataFrame(table, index=getattr(X, "index", None), columns=labels)


class RiverRegressor(RiverLearner, Regressor, base.MiniBatchRegressor):  # type: ignore[misc]
    """A regressor."""

    def predict_many(self, X: Any) -> Any:
        """The prediction for each row of the data frame `X`, as a series."""
        import pandas as pd

        return pd.Series(self.predict(X), index=getattr(X, "index", None))
