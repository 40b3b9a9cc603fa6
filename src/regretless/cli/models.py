"""Model files as the commands write them: a learner, and how its examples were read."""

from typing import Any

from regretless import persistence
from regretless.cli.reading_options import Reading
from regretless.linear.learner import LinearLearner
from regretless.linear.loading import restored

__all__ = ["load", "save"]


def save(model: LinearLearner, reading: Reading, path: str) -> None:
    """Write a model that `regretless.linear` loads too, all at once or not at all."""
    description, arrays = model._described()
    persistence.write(path, {**description, "reading": reading.remembered()}, arrays)


def load(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and what its file says of reading; nothing if it was saved in Python."""
    description, arrays = persistence.read(path)
    return restored(path, description, arrays), description.get("reading", {})
