"""What a weak learner is: any object that predicts and learns one example at a time."""

import copy
import inspect
import math
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regretless import rows

__all__ = ["Weak", "fresh", "takes_dicts", "takes_weights"]


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


def fresh(weak: Any) -> Any:
    """One with the same options that has learned nothing."""
    takes_dicts(weak)  # or says what it lacks
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
    """One weak learner of several: `model` with its `number`, and whether it has `learned` something."""

    first: ClassVar[
        Mapping[str, Any]
    ] = {}  # what `partial_fit` is told first, if it takes that

    def __init__(self, model: Any, number: int, *, learned: bool = False) -> None:
        self.model, self.number, self.learned = model, number, learned
        self.takes_dicts, self.takes_weights = takes_dicts(model), takes_weights(model)

    @property
    def name(self) -> str:
        """As messages call it."""
        return f"weak learner {self.number}, a {type(self.model).__name__},"

    def ask(self, row: Any) -> Any:
        """What it predicts of a dict or a matrix of one row."""
        return self.model.predict_one(row) if self.takes_dicts else self.model.predict(row)[0]

    def teach(self, row: Any, y: Any, weight: float) -> None:
        """Let it learn one example; who takes no weights learns it as it is."""
        if self.takes_dicts:
            self.model.learn_one(row, y, **({"w": weight} if self.takes_weights else {}))
        else:
            known = inspect.signature(self.model.partial_fit).parameters
            options = {} if self.learned else {k: v for k, v in self.first.items() if k in known}
            if self.takes_weights:
                options["sample_weight"] = np.array([weight])
            self.model.partial_fit(row, np.array([y]), **options)
        self.learned = True
