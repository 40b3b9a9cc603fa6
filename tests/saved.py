"""The bytes of a model, to tell whether two are the same."""

import copy
from typing import Any

__all__ = ["saved"]


def saved(model: Any, path: Any) -> bytes:
    """The file, but for the columns: dicts and text have none."""
    model = copy.deepcopy(model)
    model._schema = None
    model.save(path / "model")
    return (path / "model").read_bytes()
