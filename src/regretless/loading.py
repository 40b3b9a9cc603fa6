"""`load`: whatever was saved, of the class that it had."""

import importlib
import os
from typing import Any

from regretless import persistence

__all__ = ["load"]

_ROOMS = ("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes")


def load(path: str | os.PathLike[str]) -> Any:
    """The learner, player or mixture that was saved to `path`; it goes on as if it had never stopped.

    A damaged file, or one of something else, is a `ValueError` that names it. Loading runs no code of
    the file's.

    >>> import tempfile, pathlib
    >>> from regretless.experts import Hedge
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "player"
    >>> Hedge(3).save(path)
    >>> type(load(path)).__name__
    'Hedge'
    """
    description, arrays = persistence.read(path)
    name = str(description.get("class"))
    for room in _ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        found = getattr(module, name, None) if name in module.__all__ else None
        if found is not None and hasattr(found, "_restored"):
            return found._restored(path, description, arrays)
        if found is not None and hasattr(found, "load"):
            return found.load(path)
    raise ValueError(f"{path} holds a {name[:60]}, which this version does not know")
