"""A finished game of a learner of a class, beside the best hypothesis in hindsight."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import listed, one_of
from regretless.classes.finite_class import FiniteClass
from regretless.run import Array, Run

__all__ = ["ClassRun", "errors", "rounds_of", "tally"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassRun(Run):
    """The rounds of a learner of a class.

    Attributes: those of `Run`, the comparator being what the hypothesis with the fewest mistakes says at
    all points; `predictions`, labels or probabilities of 1; `best`, the name of that hypothesis;
    `version_space`, of SOA, the hypotheses that are left.

    >>> from regretless.classes import SOA, FiniteClass
    >>> run = SOA(FiniteClass.thresholds(7)).run([3, 5, 4], [0, 1, 0])
    >>> run.mistakes, run.best, run.predictions, run.bound
    (2, 5, array([1., 1., 1.]), array([3., 3., 3.]))
    """

    predictions: Array
    best: Any
    version_space: FiniteClass | None = None

    @property
    def mistakes(self) -> int | float:
        """The number of mistakes; of probabilities, that expected."""
        return int(self.loss) if self.version_space is not None else self.loss


def rounds_of(
    H: FiniteClass, xs: Iterable[Hashable], ys: Iterable[Any]
) -> tuple[list[Hashable], list[int]]:
    """The rounds of a run, all checked before the first is played.

    >>> rounds_of(FiniteClass.cube(2), [0, 1], [1])
    Traceback (most recent call last):
    ValueError: xs has 2 entries and ys 1: one label for each x
    """
    instances, labels = listed(xs, "xs"), listed(ys, "ys")
    if len(instances) != len(labels):
        raise ValueError(
            f"xs has {len(instances)} entries and ys {len(labels)}: one label for each x"
        )
    for t, (x, y) in enumerate(zip(instances, labels)):
        H._column(x)
        one_of(y, f"ys[{t}]", (0, 1))
    return instances, [int(y) for y in labels]


def tally(H: FiniteClass, xs: list[Hashable], ys: list[int]) -> NDArray[np.int64]:
    """How often each label came at each point, one row a point."""
    counts = np.zeros((len(H.points), 2), np.int64)
    np.add.at(counts, ([H._column(x) for x in xs], ys), 1)
    return counts


def errors(H: FiniteClass, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each hypothesis said the other label.

    >>> errors(FiniteClass.thresholds(2), np.array([[1, 0], [0, 2]]))
    array([1, 0, 2])
    """
    asked = np.flatnonzero(counts.any(axis=1))
    total = np.zeros(len(H), np.int64)
    for column in asked.tolist():
        zeros, ones = counts[column].tolist()
        total += np.where(H._says(column), zeros, ones)
    return total
