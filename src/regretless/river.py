"""The learners of this library as River estimators, for River's pipelines, ensembles and metrics.

Each is the class of the same name in `regretless.linear`, `regretless.newton` or
`regretless.boosting`, and a `river.base.Classifier` or `river.base.Regressor` as well: same options,
same numbers, same files. Needs River: `pip install "regretless[river]"`.

>>> from river import datasets, evaluate, metrics
>>> from regretless.river import LinearClassifier
>>> evaluate.progressive_val_score(datasets.Phishing(), LinearClassifier(), metrics.Accuracy())
Accuracy: 8...%
"""

import copy
from collections.abc import Iterator
from typing import Any, ClassVar, Self

try:
    from river import base
except ImportError as error:
    raise ImportError(
        'regretless.river needs River, which is not installed: pip install "regretless[river]" '
        "(regretless.linear has the same learners without it)"
    ) from error

from regretless.base import facades
from regretless.base.classifier import Classifier
from regretless.base.learner import Learner
from regretless.base.regressor import Regressor
from regretless.base.rows import Batch

__all__ = facades.names(facades.ONLINE)  # noqa: PLE0605


class RiverLearner(Learner, base.Estimator):  # type: ignore[misc]
    """A learner with the methods by which River clones, measures and checks estimators."""

    _skipped: ClassVar[set[str]] = set()  # River's checks that do not apply

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """The options that `river.checks` should try."""
        yield from _checked_with().get(cls.__name__, ({},))

    def _unit_test_skips(self) -> set[str]:
        """The checks that `river.checks` should leave out."""
        return self._skipped

    def _compare_columns(self, batch: Batch) -> None:
        """Compare nothing: in River columns may come and go without a warning."""

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A learner with the same options, or `new_params` where given.

        It is untrained, or with `include_attributes` has the state of this learner.
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
    """A regressor for River."""

    def predict_many(self, X: Any) -> Any:
        """The prediction for each row of the data frame `X`, as a series."""
        import pandas as pd

        return pd.Series(self.predict(X), index=getattr(X, "index", None))


def _checked_with() -> dict[str, tuple[dict[str, Any], ...]]:
    """The options with which `river.checks` tries a learner in addition to the defaults."""
    from river import tree

    from regretless import geometry, linear

    edges = {"n": 5}, {"n": 3, "edge": None, "sampled": True}
    return {
        "LinearClassifier": (
            {},
            {"loss": "hinge", "certify": True, "features": "hashed", "bits": 12},
            {"rule": "adagrad", "loss": "squared_hinge", "l1": 1e-4},
            {"rule": "ogd", "rate": 1e-4, "l2": 1e-3},
            {"rule": "ftrl", "l1": 0.1, "intercept": False},
            {"rule": "eg", "loss": "hinge"},
            {"rule": "pnorm", "loss": "exponential", "rate": 1e-9},
        ),
        "LinearRegressor": (
            {},
            {"loss": "quantile", "certify": True, "features": "hashed", "bits": 12},
            {"rule": "adagrad", "l2": 1e-3},
            {"rule": "ogd", "loss": "absolute"},
            {"rule": "ftrl", "l1": 0.1, "intercept": False},
            {"rule": "eg", "loss": "epsilon_insensitive"},
            {"rule": "pnorm", "loss": "quantile"},
        ),
        "AutoClassifier": (
            {},
            {"loss": "hinge", "features": "hashed", "bits": 12},
            {"second_order": True},
        ),
        "AutoRegressor": ({}, {"loss": "quantile"}),
        "Perceptron": ({}, *({"average": each} for each in ("survival", "uniform", "vote"))),
        "KernelPerceptron": (
            {},
            {"kernel": "rbf", "budget": 5},
            {"kernel": "polynomial", "average": "survival"},
        ),
        "PrimalDual": ({}, {"geometry": geometry.Entropy(), "update": "conservative"}),
        "PassiveAggressive": ({}, {"mode": "II"}),
        "PassiveAggressiveRegressor": ({}, {"mode": "exact"}, {"mode": "II"}),
        "OnlineSVM": ({}, {"rate": 0.01, "projection": True}),
        "AdaBoostOL": (
            {"n": 5},
            {"n": 1, "weak": tree.HoeffdingTreeClassifier(leaf_prediction="mc")},
            {"n": 3, "last": True, "weak": linear.LinearClassifier(rule="adagrad")},
        ),
        "OnlineBBM": edges,
        "OSBoost": edges,
        "OSBoostOCP": edges,
        "NewtonClassifier": (
            {},
            {"size": 0, "loss": "squared_hinge", "diagonal": True},
            {"sketch": "fd", "size": 3, "features": "hashed", "bits": 12},
            {"sketch": "rp", "alpha": 1.0, "slab": 2.0, "certify": True},
            {"sketch": "full", "alpha": 1.0, "diagonal": True, "loss": "hinge"},
        ),
        "NewtonRegressor": (
            {},
            {"sketch": "fd", "size": 3, "loss": "absolute"},
            {"alpha": 1.0, "diagonal": True, "certify": True},
        ),
    }


# One check requires that the order of a row's features changes scores by less than 1e-6. The order
# changes the last bit of a sum, which may change the last bit of a float in a Newton sketch, and
# inverses enlarge that.
_SKIPPED = {name: {"check_shuffle_features_no_impact"} for name in facades.ONLINE["newton"]}


def __getattr__(name: str) -> Any:
    """Make the class of this name on first use."""
    ours = facades.our_class(name, facades.ONLINE)
    if ours is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = RiverRegressor if issubclass(ours, Regressor) else RiverClassifier
    made = facades.facade(__name__, "River", base, ours, _skipped=_SKIPPED.get(name, set()))
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
