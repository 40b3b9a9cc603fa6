"""A model in Python, for learners whose work is not that of the core: kernels, duals."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total, Want
from regretless.base import arguments
from regretless.base.arguments import Array
from regretless.base.state import Parts
from regretless.losses import Loss


@dataclass(frozen=True, slots=True)
class Row:
    """One example: `values` of the features in `columns`, which are all different.

    `known` is the number of columns when it came, its own among them. Column 0 is the intercept's.
    """

    columns: NDArray[np.int64]
    values: Array
    known: int

    def in_order(self) -> "Row":
        """The same with columns that increase."""
        if np.all(self.columns[1:] > self.columns[:-1]):
            return self
        order = np.argsort(self.columns)
        return Row(self.columns[order], self.values[order], self.known)

    @property
    def square(self) -> float:
        """`||x||_2^2`."""
        return float(self.values @ self.values)


@dataclass(frozen=True, slots=True)
class Rows:
    """Several examples: number t has the entries `starts[t]` to `starts[t + 1]`, and `known[t]`."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array
    known: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.known)

    def __getitem__(self, t: int) -> Row:
        part = slice(self.starts[t], self.starts[t + 1])
        return Row(self.columns[part], self.values[part], int(self.known[t]))

    def part(self, first: int, last: int) -> "Rows":
        """The examples from `first` to before `last`."""
        starts = self.starts[first : last + 1]
        there = slice(starts[0], starts[-1])
        return Rows(
            starts - starts[0], self.columns[there], self.values[there], self.known[first:last]
        )

    def blocks(self, most: int) -> "Iterator[Rows]":
        """All of them, at most so many at a time."""
        for first in range(0, len(self), most):
            yield self.part(first, min(first + most, len(self)))

    def in_order(self) -> "Rows":
        """The same with columns that increase in each."""
        order = np.lexsort((self.columns, self.owners))
        return Rows(self.starts, self.columns[order], self.values[order], self.known)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Of which example each entry is."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def squares(self) -> Array:
        """`||x||_2^2` of each."""
        return np.array([self[t].square for t in range(len(self))])


class Model(ABC):
    """What `_core.Learner` is to the other learners: names, lanes, totals, batches, state.

    A subclass scores and learns one `Row` at a time. Learning must raise before it changes anything.
    """

    asks_names = False  # whether the names of features that have not been learned matter, too

    def __init__(self, loss: Loss, bits: int, names: int, intercept: bool) -> None:
        self.loss = loss
        self.lanes = 1
        self.reader = _core.Reader(bits, names, intercept)
        self.totals = no_totals()

    # --- what a subclass does ------------------------------------------------------------------------

    @abstractmethod
    def predict(self, x: Row) -> Array:
        """The scores of one example, one for each lane."""

    def predict_many(self, X: Rows) -> Array:
        """The scores of several (examples x lanes)."""
        scores = np.zeros((len(X), self.lanes))
        for t in range(len(X)):
            scores[t] = self.predict(X[t])
        return scores

    def played(self, x: Row) -> Array:
        """The scores that losses are counted at: those of `predict`, unless a mean predicts."""
        return self.predict(x)

    @abstractmethod
    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        """Learn one example, with `y = -1 or +1` for each lane.

        Returns what was predicted before, the losses at the weights played, and `<w, z>` there.
        """

    @abstractmethod
    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        """Make the lanes of `sources`, -1 for a fresh one, each times its sign."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What has been learned."""

    @abstractmethod
    def take(self, parts: Parts) -> None:
        """Go on from what `arrays` gave; `ValueError` if that cannot be."""

    @abstractmethod
    def weights(self) -> Array:
        """The weights, all lanes of a column together, column by column."""

    @abstractmethod
    def gradient_norms(self) -> Sequence[float]:
        """The l1, l2 and l-infinity norm of the sum of gradients, if `has_gradient_sum`, and of how
        many numbers.
        """

    # --- one example ---------------------------------------------------------------------------------

    def score(self, x: Any) -> Any:
        """The score, or the list of those of all lanes."""
        return self._shown(self._scores(x))

    def probability(self, x: Any) -> Any:
        """The probability of the second of two labels, or those of all labels."""
        return self._shown(self.probabilities(self._scores(x)))

    def probabilities(self, scores: Array) -> Array:
        """Scores, those of all lanes for each example, as probabilities."""
        twin = losses.compiled(self.loss)
        assert twin is not None
        return _core.probabilities(twin, np.ascontiguousarray(scores), self.lanes)

    def learn_class(self, x: Any, label: int, importance: float) -> None:
        """Learn that the example `x` has the given label."""
        self.step_class(x, label, importance)

    def step_class(self, x: Any, label: int, importance: float) -> Any:
        """The same; returns the score from before."""
        importance = arguments.importance(importance)
        if importance == 0:  # as if it were not there, its names included
            return self.score(x)
        known = self.reader.size
        row = self._row(x, True)
        try:
            return self._shown(self._step(row, label, importance)[0])
        except BaseException:
            self.reader.truncate(known)
            raise

    def _scores(self, x: Any) -> Array:
        known = self.reader.size
        try:
            return self.predict(self._row(x, self.asks_names))
        finally:
            if self.asks_names:
                self.reader.truncate(known)

    def _row(self, x: Any, naming: bool) -> Row:
        _, columns, values, known = self.reader.read(x, naming)
        return Row(columns, values, int(known[0]))

    def _suffer(self, row: Row, label: int) -> float:
        """The loss of an example that is not learned."""
        return float(np.sum(self.loss.value(self.played(row), self._signs(label))))

    def _signs(self, label: int) -> Array:
        """-1 or +1 for each lane."""
        y = np.full(self.lanes, -1.0)
        if self.lanes > 1:
            y[label] = 1.0
        elif label == 1:
            y[0] = 1.0
        return y

    def _step(self, row: Row, label: int, importance: float) -> tuple[Array, float]:
        scores, losses, linear = self.learn(row, self._signs(label), importance)
        self.totals[Total.rounds] += 1.0
        self.totals[Total.loss] += importance * losses
        self.totals[Total.linear] += importance * linear
        self.totals[Total.gross] += np.abs(importance * linear)
        self.totals[Total.weights] += importance
        return scores, float(losses.sum())

    def _shown(self, scores: Array) -> Any:
        return scores.item() if self.lanes == 1 else scores.tolist()

    # --- batches, in the forms of `base/rows.py` -------------------------------------------------------

    def csr(self, *given: Any) -> Any:
        """Sparse rows."""
        return self._run(self.reader.csr, *given)

    def table(self, *given: Any) -> Any:
        """Columns."""
        return self._run(self.reader.table, *given)

    def examples(self, *given: Any) -> Any:
        """What a reader has made of some lines."""
        return self._run(self.reader.examples, *given)

    def located(self, *given: Any) -> Any:
        """What `locate` gave."""
        return self._run(self.reader.located, *given)

    def locate(self, x: _core.Examples) -> Any:
        """Examples as columns, to be kept and given to `located` later."""
        return self.reader.locate(x)

    def _run(self, read: Any, *given: Any) -> Any:
        *batch, labels, importance, want = given
        known = self.reader.size
        learning = labels is not None
        X = Rows(*read(*batch, learning or self.asks_names, importance))
        scores, suffered = np.zeros((len(X), self.lanes)), np.zeros(len(X))
        t = 0
        try:
            if not learning and want is not Want.nothing:
                scores = self.predict_many(X)
            for t in range(len(X) if learning else 0):
                row = X[t]
                weight = 1.0 if importance is None else float(importance[t])
                if weight > 0.0:
                    scores[t], suffered[t] = self._step(row, int(labels[t]), weight)
                    known = row.known
                else:
                    scores[t], suffered[t] = self.predict(row), self._suffer(row, int(labels[t]))
        except BaseException as error:
            if learning:
                error.example = t  # type: ignore[attr-defined]
                error.add_note(f"at row {t} of this call; the rows before it were learned")
            raise
        finally:
            if self.reader.size > known:
                self.reader.truncate(known)
        if want is Want.nothing:
            return None
        told = scores.argmax(axis=1) if want is Want.best else scores.ravel()
        return (told, suffered) if learning else told

    # --- the rest ------------------------------------------------------------------------------------

    @property
    def wants_names(self) -> bool:
        """Whether another name can be remembered."""
        return self.reader.wants_names

    def names(self) -> dict[int, Any]:
        """Names by column."""
        return self.reader.names()

    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None:
        """New lanes made of old ones: source -1 is a fresh lane, sign -1 exchanges the labels."""
        self.relabel(sources, np.asarray(signs, float))
        self.totals = {total: moved(each, sources) for total, each in self.totals.items()}
        self.lanes = len(sources)

    def extend(self, count: int) -> None:
        """So many fresh lanes after those that there are."""
        lanes = self.lanes
        self.relane([*range(lanes), *[-1] * count], [1] * (lanes + count))

    def reserve(self, lanes: int) -> None:  # noqa: B027
        """There will be so many lanes."""

    def total(self, total: Total) -> float:
        """The sum of a total over the lanes."""
        return float(self.totals[total].sum())

    def each(self, total: Total) -> Array:
        """A total of each lane."""
        return np.array(self.totals[total])

    @property
    def bytes(self) -> int:
        """What has been learned takes so many."""
        return sum(int(array.nbytes) for array in self.state().values())

    def most(self, total: Total) -> float:
        """The largest of a total over the lanes."""
        return float(self.totals[total].max())

    @property
    def has_gradient_sum(self) -> bool:
        """Whether `gradient_norms` can be asked for."""
        return False

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything, as arrays."""
        return {**totals_state(self.totals), **self.reader.state(), **self.arrays()}

    def restore(self, lanes: int, **arrays: NDArray[Any]) -> None:
        """Go on from what `state` gave."""
        names = {k: arrays.pop(k) for k in ("names", "name_keys", "name_kinds", "name_rows")}
        self.reader.restore(**names)
        if lanes < 1:
            raise ValueError("the number of lanes is damaged")
        parts = Parts(arrays)
        self.relane([-1] * lanes, [1] * lanes)
        self.totals = restored_totals(parts, lanes)
        self.take(parts)
        parts.done()


def no_totals(lanes: int = 1) -> dict[Total, Array]:
    """What lanes that have learned nothing have added up."""
    return {total: np.zeros(lanes) for total in Total}


def totals_state(totals: dict[Total, Array]) -> dict[str, Array]:
    """The totals as arrays, each under its name."""
    return {f"total_{total.name}": each for total, each in totals.items()}


def restored_totals(parts: Parts, lanes: int) -> dict[Total, Array]:
    """What `totals_state` gave; `ValueError` if it cannot be that."""
    totals = {total: parts.array(f"total_{total.name}", (lanes,)) for total in Total}
    for total in (Total.rounds, Total.updates):
        whole = totals[total]
        if not ((whole >= 0) & (whole <= 2**53) & (whole == np.floor(whole))).all():
            raise ValueError(f"total_{total.name} is not made of whole numbers")
    return totals


def moved(table: Array, sources: Sequence[int], signs: Array | float = 1.0) -> Array:
    """A table whose last axis is the lanes, with the lanes of `sources`; a fresh lane is 0."""
    out = np.zeros((*table.shape[:-1], len(sources)))
    kept = np.flatnonzero(np.asarray(sources) >= 0)
    out[..., kept] = table[..., np.asarray(sources)[kept]]
    return np.asarray(out * signs)
