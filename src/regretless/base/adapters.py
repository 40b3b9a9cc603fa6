"""Adapters for learners of River, scikit-learn and similar libraries, one example at a time."""

import copy
import inspect
import math
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regretless.base import rows
from regretless.base.arguments import numbers, shown


def takes_dicts(learner: object, argument: str = "weak") -> bool:
    """Whether a learner takes dicts, like those of River; otherwise it takes matrices of one row.

    >>> from regretless.linear import Perceptron
    >>> takes_dicts(Perceptron())
    True
    >>> takes_dicts("tree")
    Traceback (most recent call last):
    ValueError: weak='tree' has neither learn_one and predict_one nor partial_fit and predict
    """
    if isinstance(learner, type):
        raise ValueError(
            f"{argument}={shown(learner)} is a class: give an object, {learner.__name__}()"
        )
    for names, dicts in ((("learn_one", "predict_one"), True), (("partial_fit", "predict"), False)):
        if all(callable(getattr(learner, name, None)) for name in names):
            return dicts
    raise ValueError(
        f"{argument}={shown(learner)} has neither learn_one and predict_one nor partial_fit and predict"
    )


def takes_weights(learner: Any) -> bool:
    """Whether a learner takes the weight of an example, as `w` or `sample_weight`.

    For a pipeline of River, whether its last step does.
    """
    steps = getattr(learner, "steps", None)
    if isinstance(steps, dict) and steps:
        return takes_weights(list(steps.values())[-1])
    if takes_dicts(learner):
        return "w" in inspect.signature(learner.learn_one).parameters
    return "sample_weight" in inspect.signature(learner.partial_fit).parameters


def fresh(learner: Any, argument: str = "weak") -> Any:
    """A learner with the same options that has learned nothing.

    >>> from regretless.linear import LinearRegressor
    >>> fresh(LinearRegressor().fit([[1.0]], [2.0])).predict_one([1.0])
    0.0
    """
    takes_dicts(learner, argument)  # raises if a method is missing
    if callable(getattr(learner, "clone", None)):  # of River and of this library
        return learner.clone()
    sklearn = sys.modules.get("sklearn.base")
    if sklearn is not None and isinstance(learner, sklearn.BaseEstimator):
        return sklearn.clone(learner)
    return copy.deepcopy(learner)


def as_dict(x: object) -> dict[Any, Any]:
    """One example as a dict; the columns of vectors are named by their numbers."""
    if isinstance(x, Mapping):
        out = dict(x)
    else:
        row = rows.row(x)
        out = row if isinstance(row, dict) else dict(zip(row[0].tolist(), row[1].tolist()))
    for name, value in out.items():
        if isinstance(value, (float, np.floating)) and not math.isfinite(value):
            raise ValueError(f"x[{name!r}] = {value} is not finite")
    return out


def as_matrix(x: Any) -> Any:
    """One example as a matrix of one row, dense or sparse."""
    if isinstance(x, Mapping):
        raise ValueError(
            f"x={shown(x)} is a dict, but the learner has only partial_fit: give x as a vector"
        )
    if hasattr(x, "tocsr"):
        from scipy.sparse import csr_array

        columns, values = rows.row(x)
        ends = np.array([0, len(columns)], np.int32)  # scikit-learn takes only 32 bits
        entries = values, columns.astype(np.int32), ends
        matrix = csr_array(entries, shape=(1, x.shape[-1]))
    else:
        matrix = values = np.atleast_2d(numbers(x, "x", "a vector"))
    if matrix.ndim != 2 or matrix.shape[0] != 1:
        raise ValueError(f"x has shape {np.shape(x)}: one row is expected")
    if not np.isfinite(values).all():
        raise ValueError(f"x={shown(x)} has a value that is not finite")
    return matrix


class ForeignLearner:
    """A learner of another library, used one example at a time.

    Parameters: `called`, the name of the learner in messages; `learned`, whether it has learned
    something already.
    """

    first: ClassVar[
        Mapping[str, Any]
    ] = {}  # arguments of the first `partial_fit`, if it takes them

    def __init__(self, model: Any, called: str, *, learned: bool = False) -> None:
        self.model, self.learned = model, learned
        self.name = f"{called}, a {type(model).__name__},"
        self.takes_dicts, self.takes_weights = takes_dicts(model), takes_weights(model)

    def ask(self, row: object) -> Any:
        """Its prediction for a dict or a matrix of one row."""
        return self.model.predict_one(row) if self.takes_dicts else self.model.predict(row)[0]

    def number(self, row: object) -> float:
        """Its prediction, which must be a number; 0 if it cannot predict before it has learned."""
        given = self.ask(row) if self.takes_dicts or self.learned else 0.0
        if isinstance(given, bool) or not isinstance(given, (int, float, np.integer, np.floating)):
            raise ValueError(
                f"{self.name} predicts {given!r}, a {type(given).__name__}; a number was expected: use "
                "a regressor"
            )
        if not math.isfinite(given):
            raise ValueError(
                f"{self.name} predicts {given}; lower its learning rate or scale the features"
            )
        return float(given)

    def teach(self, row: object, y: object, weight: float) -> None:
        """Make it learn one example; weight 0 skips it, other weights are ignored if it takes none."""
        if weight == 0.0:
            return
        if self.takes_dicts:
            self.model.learn_one(row, y, **({"w": weight} if self.takes_weights else {}))
        else:
            known = inspect.signature(self.model.partial_fit).parameters
            options = {} if self.learned else {k: v for k, v in self.first.items() if k in known}
            if self.takes_weights:
                options["sample_weight"] = np.array([weight])
            self.model.partial_fit(row, np.array([y]), **options)
        self.learned = True
