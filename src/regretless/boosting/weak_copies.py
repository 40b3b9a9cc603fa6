"""Copies of a weak learner that is written in Python: River's, scikit-learn's, any other's."""

import copy
import inspect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WeakCopy"]


class WeakCopy:
    """One copy of a weak learner, which predicts a number in [-1, 1] and learns slopes or targets.

    It needs `predict_one(x)` and `learn_one(x, y)`, or `predict(X)` and `partial_fit(X, y)`. Weights
    are passed on where it takes them (`w`, `sample_weight`). What it predicts is cut to [-1, 1].

    A linear loss, `slope v`, goes to its `learn_slope(x, slope, w)` if it has that. Else it is told the
    target `v - slope / 2`, v being what it predicts: there the squared loss has the slope `slope`, so
    that whoever descends along the gradient of the squared loss learns exactly the linear loss, with
    the regret of gradient descent, and whoever does something else is asked to move the same way. Where
    v was cut, the target is seen from the cut, which holds the learner at the edge.
    """

    def __init__(self, weak: Any, *, learned: bool = False) -> None:
        self.learner = weak if learned else _fresh(weak)
        self.name = _name(weak)
        self.by_rows = not hasattr(weak, "predict_one")
        teach = self.learner.partial_fit if self.by_rows else self.learner.learn_one
        self._weight = "sample_weight" if self.by_rows else "w"
        accepted = inspect.signature(teach).parameters.values()
        self.weighs = any(p.name == self._weight or p.kind is p.VAR_KEYWORD for p in accepted)
        self.started = learned

    def predict(self, x: Any) -> float:
        """What it predicts, cut to [-1, 1]."""
        if self.by_rows:
            given = self.learner.predict(x[None, :])[0] if self.started else 0.0
        else:
            given = self.learner.predict_one(x)
        if isinstance(given, bool) or not isinstance(given, (int, float, np.integer, np.floating)):
            raise TypeError(
                f"weak={self.name} predicted {given!r}, a {type(given).__name__}; a weak learner of "
                "gradient boosting predicts numbers: use a regressor"
            )
        if not math.isfinite(given):
            raise ValueError(
                f"weak={self.name} predicted {given}; a weak learner must predict finite numbers: "
                "lower its learning rate or scale the features"
            )
        return min(max(float(given), -1.0), 1.0)

    def learn_slope(self, x: Any, v: float, slope: float, w: float) -> None:
        """Learn the loss `slope v`, having predicted v."""
        if hasattr(self.learner, "learn_slope"):
            self.learner.learn_slope(x, slope, w)
        else:
            self.learn(x, v - slope / 2.0, w)

    def learn(self, x: Any, target: float, w: float) -> None:
        """Learn a target by its own loss."""
        weight = {self._weight: w} if self.weighs else {}
        if self.by_rows:
            given = {k: np.array([h]) for k, h in weight.items()}
            self.learner.partial_fit(x[None, :], np.array([target]), **given)
        else:
            self.learner.learn_one(x, target, **weight)
        self.started = True


def _name(weak: Any) -> str:
    return f"{type(weak).__name__}(...)" if len(repr(weak)) > 60 else repr(weak)


def _fresh(weak: Any) -> Any:
    """A learner with the same options that has seen nothing."""
    one, rows = ("predict_one", "learn_one"), ("predict", "partial_fit")
    if isinstance(weak, type) or not any(all(hasattr(weak, m) for m in way) for way in (one, rows)):
        raise TypeError(
            f"weak={weak!r} is no online regressor: it needs predict_one and learn_one, or predict "
            "and partial_fit; give an instance, for example Stump()"
        )
    if hasattr(weak, "clone"):
        return weak.clone()
    if hasattr(weak, "get_params") and type(weak).__module__.startswith("sklearn"):
        from sklearn.base import clone

        return clone(weak)
    return copy.deepcopy(weak)


def dense(x: dict[Any, Any], width: int) -> NDArray[np.float64]:
    """A row for learners that take matrices: columns are numbered."""
    out = np.zeros(width)
    for column, value in x.items():
        if isinstance(column, str) or not 0 <= column < width:
            raise ValueError(
                f"x has the feature {column!r}: a weak learner with predict and partial_fit takes "
                f"vectors, here of {width} numbers"
            )
        out[column] = value
    return out
