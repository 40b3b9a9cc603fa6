"""What a weak learner is: anything that learns False and True from one example at a time."""

import copy
import inspect
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from regretless import rows
from regretless.linear.classifying import Classifying

__all__ = ["Weak", "copies", "takes_dicts", "takes_weights"]


def takes_dicts(weak: Any) -> bool:
    """Whether it learns from one dict, like River's, or from a matrix of one row, like scikit-learn's.

    >>> from regretless.linear import Perceptron
    >>> takes_dicts(Perceptron())
    True
    >>> takes_dicts("tree")
    Traceback (most recent call last):
    ValueError: weak='tree' has neither learn_one and predict_one nor partial_fit and predict
    """
    if isinstance(weak, type):
        raise ValueError(f"weak={weak!r} is a class: give an object, {weak.__name__}()")
    if callable(getattr(weak, "learn_one", None)) and callable(getattr(weak, "predict_one", None)):
        return True
    if callable(getattr(weak, "partial_fit", None)) and callable(getattr(weak, "predict", None)):
        return False
    raise ValueError(
        f"weak={weak!r} has neither learn_one and predict_one nor partial_fit and predict"
    )


def takes_weights(weak: Any) -> bool:
    """Whether its signature has the importance of an example: `w`, or `sample_weight`."""
    if takes_dicts(weak):
        return "w" in inspect.signature(weak.learn_one).parameters
    return "sample_weight" in inspect.signature(weak.partial_fit).parameters


def copies(weak: Any, count: int) -> list["Weak"]:
    """So many weak learners like this one, which have learned nothing."""
    return [Weak(_copy(weak), number) for number in range(count)]


def _copy(weak: Any) -> Any:
    if callable(getattr(weak, "clone", None)):  # River's, and this library's
        return weak.clone()
    sklearn = sys.modules.get("sklearn.base")
    if sklearn is not None and isinstance(weak, sklearn.BaseEstimator):
        return sklearn.clone(weak)
    return copy.deepcopy(weak)


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
            f"x={x!r} is a dict, but the weak learner has only partial_fit: give x as a vector"
        )
    if hasattr(x, "tocsr"):
        matrix, values = x.tocsr(), x.tocsr().data
    else:
        matrix = values = np.atleast_2d(rows.numbers(x, "x", "a row: give a vector"))
    if matrix.ndim != 2 or matrix.shape[0] != 1:
        raise ValueError(f"x has shape {np.shape(x)}: one row is expected")
    if not np.isfinite(values).all():
        raise ValueError(f"x={x!r} has a value that is not finite")
    return matrix


class Weak:
    """One weak learner of several: `model` with its `number`.

    Until it has learned something it votes -1 and is not asked.
    """

    def __init__(self, model: Any, number: int) -> None:
        self.model, self.number = model, number
        self.learned = False
        self._dicts, self._weights = takes_dicts(model), takes_weights(model)
        self._classes = not self._dicts and (
            "classes" in inspect.signature(model.partial_fit).parameters
        )

    def vote(self, row: Any, sign: int) -> float:
        """1 for True, -1 for False; with sign -1 the other way round.

        One of this library votes by its score, so that a score of 0 is for -1 either way.
        """
        if not self.learned:
            return -1.0
        if self.is_ours:
            return 1.0 if sign * self.model.decision_one(row) > 0 else -1.0
        label = self.model.predict_one(row) if self._dicts else self.model.predict(row)[0]
        if isinstance(label, (int, float, np.number, np.bool_)) and label in (0, 1):
            return float(sign if label else -sign)
        raise ValueError(
            f"weak learner {self.number}, a {type(self.model).__name__}, predicts {label!r}: "
            "False or True was expected of a classifier that learns these two"
        )

    def learn(self, row: Any, label: bool, weight: float) -> None:
        """Learn one example; who takes no weights learns it as it is."""
        if self._dicts:
            self.model.learn_one(row, label, **({"w": weight} if self._weights else {}))
        else:
            options: dict[str, Any] = {}
            if self._classes and not self.learned:
                options["classes"] = np.array([False, True])
            if self._weights:
                options["sample_weight"] = np.array([weight])
            self.model.partial_fit(row, np.array([label]), **options)
        self.learned = True

    @property
    def is_ours(self) -> bool:
        """Whether it is a classifier of this library, with scores, and files."""
        return isinstance(self.model, Classifying)
