"""Learners of any library, as this one uses them: asked and taught one example at a time."""

import copy
import inspect
import math
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regretless.base import rows
from regretless.base.arguments import numbers, shown


def takes_dicts(learner: Any, argument: str = "weak") -> bool:
    """Whether it learns from one dict, like River's, or from a matrix of one row, like scikit-learn's.

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
    """Whether its signature has the importance of an example: `w`, or `sample_weight`.

    Of a pipeline of River's, whether that of its last step has.
    """
    steps = getattr(learner, "steps", None)
    if isinstance(steps, dict) and steps:
        return takes_weights(list(steps.values())[-1])
    if takes_dicts(learner):
        return "w" in inspect.signature(learner.learn_one).parameters
    return "sample_weight" in inspect.signature(learner.partial_fit).parameters


def fresh(learner: Any, argument: str = "weak") -> Any:
    """One with the same options that has learned nothing.

    >>> from regretless.linear import LinearRegressor
    >>> fresh(LinearRegressor().fit([[1.0]], [2.0])).predict_one([1.0])
    0.0
    """
    takes_dicts(learner, argument)  # or says what it lacks
    if callable(getattr(learner, "clone", None)):  # River's, and this library's
        return learner.clone()
    sklearn = sys.modules.get("sklearn.base")
    if sklearn is not None and isinstance(learner, sklearn.BaseEstimator):
        return sklearn.clone(learner)
    return copy.deepcopy(learner)


def as_dict(x: Any) -> dict[Any, Any]:
    """One example for learners of dicts; columns are named by their numbers."""
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
    """One example for learners of matrices: a dense or a sparse row."""
    if isinstance(x, Mapping):
        raise ValueError(
            f"x={shown(x)} is a dict, but the learner has only partial_fit: give x as a vector"
        )
    if hasattr(x, "tocsr"):
        from scipy.sparse import csr_array

        columns, values = rows.row(x)
        ends = np.array([0, len(columns)], np.int32)  # scikit-learn knows only 32 bits
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
    """A learner, what messages call it, and whether it has `learned` something."""

    first: ClassVar[Mapping[str, Any]] = {}  # what `partial_fit` is told first, if it takes that

    def __init__(self, model: Any, called: str, *, learned: bool = False) -> None:
        self.model, self.learned = model, learned
        self.name = f"{called}, a {type(model).__name__},"
        self.takes_dicts, self.takes_weights = takes_dicts(model), takes_weights(model)

    def ask(self, row: Any) -> Any:
        """What it predicts of a dict or a matrix of one row."""
        return self.model.predict_one(row) if self.takes_dicts else self.model.predict(row)[0]

    def number(self, row: Any) -> float:
        """A prediction that must be a number; 0 of those who cannot predict before they learn."""
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

    def teach(self, row: Any, y: Any, weight: float) -> None:
        """Let it learn one example, unless its weight is 0; who takes no weights learns it as it is."""
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
