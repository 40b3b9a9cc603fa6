"""A run once more, for certificates that need the examples: what was played on each of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, rows
from regretless._core import Total
from regretless.arguments import finite, number, numbers, shown
from regretless.linear.classifying import Classifying, label_array

__all__ = ["Lane", "Replay"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lane:
    """The rounds of one lane: sparse rows `X`, `y` of -1 and +1, and where it updated."""

    X: Any  # a csr_array (rounds x columns), the constant feature last if there is one
    y: Array
    updated: NDArray[np.bool_]

    @property
    def updates(self) -> "Lane":
        """The rounds with an update alone."""
        here = self.updated
        return Lane(self.X[np.flatnonzero(here)], self.y[here], here[here])

    def margins(self, u: Array) -> Array:
        """`y <u, x>` of every round; `u` may have weights beyond the columns of `X`."""
        margins: Array = self.y * (self.X @ u[: self.X.shape[1]])
        return margins

    def norms(self, ord: float = 2) -> Array:
        """The norm of every row."""
        sizes = abs(self.X)
        if not sizes.nnz:
            return np.zeros(sizes.shape[0])
        if ord == np.inf:
            return np.asarray(sizes.max(axis=1).todense()).ravel()
        return np.asarray((sizes**ord).sum(axis=1)).ravel() ** (1.0 / ord)

    def largest(self, ord: float = 2) -> float:
        """The largest norm of a row; 0 without rows."""
        return float(self.norms(ord).max(initial=0.0))

    @property
    def known(self) -> NDArray[np.int64]:
        """How many features had been seen in each round, its own among them."""
        if not self.X.nnz:
            return np.zeros(self.X.shape[0], np.int64)
        _, first = np.unique(self.X.indices, return_index=True)
        appears = np.searchsorted(self.X.indptr, first, side="right") - 1
        return np.bincount(appears, minlength=self.X.shape[0]).cumsum()


class Replay:
    """The run of a learner on its examples, played again with weights 1 and exact features.

    A learner that has seen as many examples as several passes have is taken to have made these. `same`
    tells whether that was the run which the learner has had.
    """

    def __init__(self, learner: Classifying, twin: Classifying, X: Any, y: Any) -> None:
        examples, labels = _rows(X), label_array(y).tolist()
        if len(examples) != len(labels):
            raise ValueError(f"X has {len(examples)} rows, y has {len(labels)} labels")
        self.learner, self._labels = learner, learner._labels.labels
        self.twin: Any = twin
        for label in self._labels:
            twin._add(label)
        core = twin._model or twin._start()
        updates = [core.each(Total.updates)]
        for label in labels:
            if label not in twin._labels.index:
                raise ValueError(
                    f"y has the label {shown(label)}, which the learner has never seen"
                )
        count = len(examples)
        more = count and learner.examples_ % count == 0
        passes = learner.examples_ // count if more else 1
        for x, label in list(zip(examples, labels)) * passes:
            twin.learn_one(x, label)
            updates.append(core.each(Total.updates))
        facts = ("examples_", "weight_", "updates_", "loss_")
        self.same = all(getattr(learner, fact) == getattr(twin, fact) for fact in facts)
        self.names, X = _matrix(examples, bool(learner.intercept))
        X = X[np.tile(np.arange(count), passes)]
        codes = np.tile(np.array([twin._labels.index[label] for label in labels], int), passes)
        moved = np.diff(np.array(updates), axis=0) > 0
        positive = range(core.lanes) if core.lanes > 1 else [1]
        self.lanes = [
            Lane(X, np.where(codes == code, 1.0, -1.0), moved[:, k])
            for k, code in enumerate(positive)
        ]

    def comparators(self, u: Any, intercept: Any) -> Iterator[tuple[Lane, Array]]:
        """Every lane with the weights that are compared with its own."""
        if len(self.lanes) == 1:
            yield self.lanes[0], self._vector(u, intercept)
            return
        constant = (
            intercept if isinstance(intercept, dict) else dict.fromkeys(self._labels, intercept)
        )
        for label, lane in zip(self._labels, self.lanes):
            if not isinstance(u, dict) or label not in u:
                raise ValueError(
                    f"comparator has no weights for the label {shown(label)}; give a dict of labels"
                )
            yield lane, self._vector(u[label], constant.get(label, 0.0))

    def _vector(self, u: Any, intercept: Any) -> Array:
        weights = u
        if not isinstance(u, dict):
            weights = dict(enumerate(numbers(u, "comparator", "weights").tolist()))
        width = len(self.names) + self.learner.intercept
        vector = [0.0] * width
        if self.learner.intercept:
            vector[-1] = number(intercept, "intercept")
        elif number(intercept, "intercept"):
            raise ValueError(
                f"intercept={intercept}: the learner has none, so the comparator has none"
            )
        for name, weight in weights.items():
            value = finite(weight, f"comparator[{name!r}]")
            if name in self.names:
                vector[self.names[name]] = value
            else:  # a weight of what never occurred counts in the norm alone
                vector.append(value)
        return np.array(vector)


def _matrix(examples: list[dict[Any, float]], intercept: bool) -> tuple[dict[Any, int], Any]:
    """The columns of names, in the order in which they come, and the rows; a constant 1 is the last."""
    from scipy.sparse import csr_array

    starts, columns, values = [0], list[int](), list[float]()
    names: dict[Any, int] = {}
    for x in examples:
        for name, value in x.items():
            columns.append(names.setdefault(name, len(names)))
            values.append(value)
        if intercept:
            columns.append(-1)
            values.append(1.0)
        starts.append(len(columns))
    width = len(names) + intercept
    where = np.where(np.array(columns, int) < 0, width - 1, np.array(columns, int))
    return names, csr_array((np.array(values, float), where, starts), (len(examples), width))


def _rows(X: Any) -> list[dict[Any, float]]:
    """The rows of any batch, or a list of rows, with the names and the precision of the core."""
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], dict):
        dicts = X
    else:
        batch = rows.batch(X)
        dicts = [batch.row(t) for t in range(batch.size)]
    read = _core.Examples(0, False, True)
    for each in dicts:
        read.add(each)
    return [read.row(t) for t in range(len(dicts))]
