"""Model files as the commands write them: a learner, and how its examples were read."""

from typing import Any

from regretless.base import state
from regretless.base.columns import Schema, columns_of_features
from regretless.base.learner import Learner
from regretless.cli.reading_options import Reading


def save(model: Learner, reading: Reading, path: str, *, classes: bool = False) -> None:
    """Write a model that `regretless.linear` loads too, all at once or not at all.

    `classes` says that its labels are numbers of which there may be many.
    """
    remembered = reading.remembered(model._read_as or {})
    model._read_as = remembered | ({"classes": True} if classes else {})
    if reading.has_names_only:  # its features tell the columns
        model._schema = model._schema or Schema()
        model._schema.add(columns_of_features((model._model or model._start()).names().values()))
    model.save(path)


def load(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and what its file says of reading; nothing if no command has made it."""
    model = state.load(path)
    if not isinstance(model, Learner):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is not a learner")
    return model, model._read_as or {}
