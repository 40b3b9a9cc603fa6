"""Model files as the commands write them: a learner, and how its examples were read."""

from typing import Any

from regretless.cli.reading_options import Reading
from regretless.linear.learner import LinearLearner
from regretless.linear.loading import load as load_learner

__all__ = ["load", "save"]


def save(model: LinearLearner, reading: Reading, path: str) -> None:
    """Write a model that `regretless.linear` loads too, all at once or not at all."""
    model._read_as = reading.remembered(model._read_as or {})
    model.save(path)


def load(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and what its file says of reading; nothing if no command has made it."""
    model = load_learner(path)
    return model, model._read_as or {}
