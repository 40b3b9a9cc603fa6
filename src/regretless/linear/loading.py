"""`load`: a learner from its file, whichever it is."""

import os
from typing import Any

from numpy.typing import NDArray

from regretless import persistence
from regretless.linear.kernel_perceptron import KernelPerceptron
from regretless.linear.learner import LinearLearner
from regretless.linear.linear import LinearClassifier, LinearRegressor
from regretless.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveRegressor
from regretless.linear.perceptron import Perceptron
from regretless.linear.primal_dual import PrimalDual

__all__ = ["load", "restored"]

_LEARNERS: dict[str, type[LinearLearner]] = {
    learner.__name__: learner
    for learner in (
        KernelPerceptron,
        LinearClassifier,
        LinearRegressor,
        PassiveAggressive,
        PassiveAggressiveRegressor,
        Perceptron,
        PrimalDual,
    )
}


def load(path: str | os.PathLike[str]) -> Any:
    """The learner that was saved to `path`, of the class that it had.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.model"
    >>> Perceptron().save(path)
    >>> load(path)
    Perceptron()
    """
    return restored(path, *persistence.read(path))


def restored(path: Any, description: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """The learner of a description and arrays that were read from `path`."""
    name = description.get("class")
    if name not in _LEARNERS:
        raise ValueError(f"{path} holds a {name}, which is no learner of this version")
    return _LEARNERS[name]._restored(path, description, arrays)
