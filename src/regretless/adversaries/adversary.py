"""What all adversaries have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.threads import OneThread

__all__ = ["Adversary", "Array", "Exhausted", "Linear", "Oblivious"]

Array = NDArray[np.float64]


class Exhausted(Exception):
    """An adversary that has a last round has played it; `instance` raises this, and `play` ends.

    >>> from regretless.adversaries import UnitVectors, play
    >>> play(lambda x: 1, UnitVectors(3), rounds=100).rounds
    3
    """


class Adversary(OneThread, ABC):
    """One who answers what a player does, round by round.

    A round: `instance()` shows what the player may see, the player chooses, `respond(choice)` is the
    answer, and `loss(choice, answer)` what the choice cost. `best()` is the least that a fixed choice
    would have lost so far.

    >>> class Mocker(Adversary):
    ...     total = 0.0
    ...     def respond(self, choice):
    ...         self.total += np.sign(choice[0])
    ...         return np.sign(choice)
    ...     def loss(self, choice, answer):
    ...         return float(choice @ answer)
    ...     def best(self):
    ...         return -abs(self.total)
    >>> Mocker().respond(np.array([-0.5]))
    array([-1.])
    """

    def instance(self) -> Any:
        """What is shown before the choice: the x of a label; None if there is none."""
        return None

    @abstractmethod
    def respond(self, choice: Any) -> Any:
        """The answer to a choice: a gradient, the costs of all arms, or a label."""

    @abstractmethod
    def loss(self, choice: Any, answer: Any) -> float:
        """What the choice cost."""

    def lost_by(self, comparator: Any, choice: Any, answer: Any) -> float:
        """What another choice would have cost in a round whose choice had this answer."""
        return self.loss(comparator, answer)

    @abstractmethod
    def best(self) -> float:
        """The loss so far of the best fixed choice."""

    def best_choice(self) -> Any:
        """Which choice that is, as a player makes them; None if it is not known."""
        return None


class Oblivious(Adversary):
    """An adversary that does not look at the player: its rounds can be iterated over.

    Iterating gives gradients or costs, or pairs `(x, y)` where there is something to see first.

    >>> from regretless.adversaries import UnitVectors
    >>> [y for x, y in UnitVectors(3)]
    [1, 1, 1]
    """

    def __iter__(self) -> Iterator[Any]:
        while True:
            try:
                x = self.instance()
                answer = self.respond(None)
            except Exhausted:
                return
            yield answer if x is None else (x, answer)


class Linear(Oblivious):
    """Linear losses `<w, z_t>` of vectors `z_t` that do not depend on the player."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.rounds = 0
        self.sum = np.zeros(dimension)

    @abstractmethod
    def _draw(self) -> Array:
        """The vector of the next round; `rounds` have been before it."""

    def respond(self, choice: Any) -> Array:
        z = self._draw()
        self.sum += z
        self.rounds += 1
        return z

    def loss(self, choice: Any, answer: Array) -> float:
        return float(np.dot(choice, answer))
