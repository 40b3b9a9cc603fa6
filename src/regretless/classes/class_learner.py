"""What the learners of a class have in common: the class, labels 0 and 1, copies and files."""

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Self

from numpy.typing import NDArray

from regretless import persistence
from regretless.classes.finite_class import FiniteClass
from regretless.threads import OneThread

__all__ = ["ClassLearner"]

Arrays = dict[str, NDArray[Any]]


class ClassLearner(OneThread, ABC, changing=("rounds",)):
    """Predicts the label of a point of a class, and is told it.

    Attributes: `H`, the class; `rounds` learned.
    """

    H: FiniteClass
    rounds: int

    def __init__(self, H: FiniteClass) -> None:
        if not isinstance(H, FiniteClass):
            raise TypeError(
                f"H={H!r} is not a FiniteClass; FiniteClass(table) makes one of 0 and 1"
            )
        self.H, self.rounds = H, 0

    @abstractmethod
    def predict_one(self, x: Hashable) -> int:
        """The label of a point, 0 or 1. Nothing is remembered."""

    @abstractmethod
    def learn_one(self, x: Hashable, y: int) -> None:
        """Learn the label of a point."""

    @abstractmethod
    def _state(self) -> tuple[dict[str, Any], Arrays]:
        """All but the class, as JSON and as arrays."""

    @abstractmethod
    def _restore(self, parts: dict[str, Any], arrays: Arrays) -> None:
        """Become what `_state` described; only `H` is there."""

    def clone(self) -> Self:
        """Another learner with the same state, of the same class."""
        return copy.deepcopy(self, {id(self.H): self.H})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner and its class to a safetensors file, all at once or not at all."""
        described, bits = self.H._parts()
        parts, arrays = self._state()
        content = {"class": type(self).__name__, "H": described, "parts": parts}
        persistence.write(path, content, bits | arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The learner that `save` wrote to `path`; it goes on as if it had never stopped."""
        description, arrays = persistence.read_a(cls.__name__, path)
        learner = cls.__new__(cls)
        with persistence.restoring(path):
            learner.H = FiniteClass._restored(description["H"], arrays)
            learner._restore(description["parts"], arrays)
        return learner
