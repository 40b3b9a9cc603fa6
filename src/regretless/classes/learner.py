"""The base of learners of a finite class, and their runs."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, instance, listed, one_of
from regretless.base.options import option
from regretless.base.run import Run
from regretless.base.state import Stateful
from regretless.certificates import Certificate
from regretless.classes.finite_class import FiniteClass

# --- what the learners of a class have in common: the class, labels 0 and 1, copies and files -----

Arrays = dict[str, NDArray[Any]]


class ClassLearner(Stateful, ABC, changing=("rounds",)):
    """The base of learners of a class, which predict the labels of its points.

    Attributes: `H`, the class; `rounds` learned.
    """

    H: FiniteClass = option(
        instance,
        FiniteClass,
        hint="; FiniteClass(table) makes one of 0 and 1",
        kw_only=False,
        text="the class of hypotheses",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rounds = 0

    @abstractmethod
    def predict_one(self, x: Hashable) -> int:
        """The label of a point, 0 or 1. The learner does not change."""

    @abstractmethod
    def learn_one(self, x: Hashable, y: int) -> None:
        """Learn the label of a point."""

    @abstractmethod
    def certificate(self) -> Certificate:
        """The regret so far to the best hypothesis, and the bounds on it."""

    _draws = False  # whether labels are drawn, so that losses are expected ones

    @abstractmethod
    def _on_regret(self, promised: Array, theirs: Array, before: Self, at: int) -> Array:
        """The bound on a run's regret to hypothesis `at`, which lost `theirs`, by the promised bound."""

    def copy(self) -> Self:
        """Another learner of the same class that has learned the same."""
        return copy.deepcopy(self, {id(self.H): self.H})


# --- A finished game of a learner of a class, beside the best hypothesis in hindsight -------------

_EPS = float(np.finfo(float).eps)


class ClassRun(Run):
    """A run of a learner of a class.

    A comparator is the name of a hypothesis.

    Attributes: those of `Run`; `predictions`, labels or probabilities of 1; `columns` of the points
    asked and their `labels`; `before` and `after`, the learner as it was then; `promised`, by name of
    their analysis, what the theorems bound after each round: the regret in all rounds of the learner,
    or, of `SOA`, the mistakes in these.

    >>> from regretless.classes import SOA, FiniteClass
    >>> run = SOA(FiniteClass.thresholds(7)).run([3, 5, 4], [0, 1, 0])
    >>> run.mistakes, run.best, run.predictions, round(run.bound(), 9)
    (2, 5, array([1., 1., 1.]), 3.0)
    """

    def __init__(
        self,
        predictions: Array,
        *,
        columns: list[int],
        labels: list[int],
        promised: dict[str, Array],
        before: "ClassLearner",
        after: "ClassLearner",
    ) -> None:
        self.predictions, self.columns = predictions, np.array(columns, np.int64)
        self.labels = np.array(labels, np.float64)
        self.losses = np.abs(predictions - self.labels)
        self.promised, self.before, self.after = promised, before, after

    @property
    def mistakes(self) -> int | float:
        """The number of mistakes; the expected number, if labels are drawn."""
        return self.loss if self.after._draws else int(self.loss)

    @property
    def version_space(self) -> FiniteClass | None:
        """The hypotheses that are left, if the learner is `SOA`; otherwise None."""
        return getattr(self.after, "version_space", None)

    @property
    def best(self) -> Any:
        """The name of the hypothesis with the fewest mistakes in this run."""
        return self.comparator()

    def comparator(self, comparator: Any = None) -> Any:
        """The name of the chosen hypothesis, by default that with the fewest mistakes."""
        names = self.after.H.names
        if comparator is None or (isinstance(comparator, str) and comparator == "best"):
            return names[int(np.argmin(errors(self.after.H, _counted(self))))]
        return one_of(comparator, "comparator", names)

    def _theirs(self, hypothesis: Any) -> tuple[Array, int]:
        """The losses of a hypothesis in each round, and its number."""
        H = self.after.H
        at = H.names.index(hypothesis)
        said = H.rows(np.array([at]))[0][self.columns]
        return np.abs(said - self.labels), at

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the mistakes beyond those of the hypothesis `comparator()`."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator))[0])

    def _bounds(self, comparator: Any) -> dict[str, Array]:
        theirs, at = self._theirs(self.comparator(comparator))
        found = {
            k: self.after._on_regret(v, theirs, self.before, at) for k, v in self.promised.items()
        }
        # there are at most as many mistakes as rounds
        return found | {"trivial": np.arange(1.0, self.rounds + 1.0) - np.cumsum(theirs)}

    def _rounding(self) -> Array:
        """The rounding error of sums of numbers up to 1."""
        rounds = np.arange(1.0, self.rounds + 1.0)
        return np.asarray(4.0 * _EPS * rounds * self.after.rounds)

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on the regret."""
        return np.asarray(
            np.min(list(self._bounds(comparator).values()), axis=0) + self._rounding()
        )

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret to the hypothesis `comparator()`, and the bounds on it."""
        name, best = self.comparator(comparator), ", the best in hindsight"
        ends = {k: float(v[-1]) if self.rounds else 0.0 for k, v in self._bounds(name).items()}
        return replace(
            self.after.certificate(),
            rounds=self.rounds,
            regret=self.regret(name),
            bounds=ends,
            comparators=f"hypothesis {name!r}" + (best if comparator is None else ""),
            against=name,
            rounding=float(self._rounding()[-1]) if self.rounds else 0.0,
        )

    def _columns(self) -> dict[str, Any]:
        return {"prediction": self.predictions, "label": self.labels}


def _counted(run: ClassRun) -> NDArray[np.int64]:
    counts = np.zeros((len(run.after.H.points), 2), np.int64)
    np.add.at(counts, (run.columns, run.labels.astype(np.int64)), 1)
    return counts


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
        H.column(x)
        one_of(y, f"ys[{t}]", (0, 1))
    return instances, [int(y) for y in labels]


def errors(H: FiniteClass, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each hypothesis said the other label.

    >>> errors(FiniteClass.thresholds(2), np.array([[1, 0], [0, 2]]))
    array([1, 0, 2])
    """
    asked = np.flatnonzero(counts.any(axis=1))
    total = np.zeros(len(H), np.int64)
    for column in asked.tolist():
        zeros, ones = counts[column].tolist()
        total += np.where(H.says(column), zeros, ones)
    return total
