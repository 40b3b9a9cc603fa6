"""`load`: a learner from its file, whichever it is."""

import os
from typing import Any

from numpy.typing import NDArray

from regretless import persistence
from regretless.linear.learner import learner_class

__all__ = ["load", "restored"]


def load(path: str | os.PathLike[str]) -> Any:
    """The learner that was saved to `path`, of the class that it had.

    >>> import tempfile, pathlib
    >>> from regretless.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.model"
    >>> Perceptron().save(path)
    >>> load(path)
    Perceptron()
    """
    return restored(path, *persistence.read(path))


def restored(path: Any, description: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """The learner of a description and arrays that were read from `path`."""
    name = str(description.get("class"))
    found = learner_class(name)
    if found is None:
        raise ValueError(f"{path} holds a {name}, which is no learner of this version")
    return found._restored(path, description, arrays)
