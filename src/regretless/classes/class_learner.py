"""What the learners of a class have in common: the class, labels 0 and 1, copies and files."""

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Self

from numpy.typing import NDArray

from regretless import persistence, state
from regretless.arguments import shown
from regretless.certificates import Certificate
from regretless.classes.finite_class import FiniteClass
from regretless.run import Array
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
            raise ValueError(
                f"H={shown(H)} is not a FiniteClass; FiniteClass(table) makes one of 0 and 1"
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
        """The options and all but the class, as JSON and as arrays."""

    @classmethod
    @abstractmethod
    def _made(cls, H: FiniteClass, parts: state.Parts) -> Self:
        """The learner of a class that `_state` described."""

    @abstractmethod
    def certificate(self) -> Certificate:
        """The regret so far to the best hypothesis, and the bounds on it."""

    _draws = False  # whether labels are drawn, and what is lost is expected

    def _on_regret(self, promised: Array, theirs: Array, before: Self, at: int) -> Array:
        """What is promised, as a bound on a run's regret to hypothesis `at`, which lost `theirs`."""
        raise NotImplementedError

    def clone(self) -> Self:
        """Another learner of the same class and options that has learned nothing."""
        return type(self)(**state.options_of(self))

    def copy(self) -> Self:
        """Another learner of the same class that has learned the same."""
        return copy.deepcopy(self, {id(self.H): self.H})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner and its class to a safetensors file, all at once or not at all."""
        described, bits = self.H._parts()
        parts, arrays = self._state()
        persistence.write(path, {"class": type(self).__name__, **described, **parts}, bits | arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The learner that `save` wrote to `path`; it goes on as if it had never stopped."""
        with state.opening(path, cls.__name__) as parts:
            return cls._made(FiniteClass._made(parts), parts)
