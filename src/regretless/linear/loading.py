"""`load`: a learner from its file, whichever it is."""

import os
from typing import Any

from numpy.typing import NDArray

from regretless import linear, newton, persistence

__all__ = ["load", "restored"]


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
    name = str(description.get("class"))
    for room in (linear, newton):
        if name in room.__all__:
            return getattr(room, name)._restored(path, description, arrays)
    raise ValueError(f"{path} holds a {name}, which is no learner of this version")
