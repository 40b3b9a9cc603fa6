"""`load`: a learner from its file, whichever it is."""

import os
from typing import Any

from numpy.typing import NDArray

from regretless import linear, persistence
from regretless.linear.learner import LinearLearner

__all__ = ["load", "restored"]

_LEARNERS: dict[str, type[LinearLearner]] = {name: getattr(linear, name) for name in linear.__all__}


def load(path: str | os.PathLike[str]) -> Any:
    """The learner that was saved to `path`, of the class that it had.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.model"
    >>> linear.Perceptron().save(path)
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
