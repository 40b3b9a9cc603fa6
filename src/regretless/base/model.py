"""The model behind a learner: its interface, and the models in Python."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total, Want
from regretless.base import arguments
from regretless.base.arguments import Array
from regretless.base.rows import Batch
from regretless.base.state import Parts
from regretless.losses import Loss


@dataclass(frozen=True, slots=True)
class Row:
    """One example: the `values` of the features in `columns`, which are all different.

    `known` is the number of columns after this example. Column 0 is that of the intercept.
    """

    columns: NDArray[np.int64]
    values: Array
    known: int

    def in_order(self) -> "Row":
        """The same example with increasing columns."""
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
    """Several examples; example t has entries `starts[t]` to `starts[t + 1]`, and `known[t]`."""

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
        """All examples in blocks of at most `most`."""
        for first in range(0, len(self), most):
            yield self.part(first, min(first + most, len(self)))

    def in_order(self) -> "Rows":
        """The same examples, each with increasing columns."""
        order = np.lexsort((self.columns, self.owners))
        return Rows(self.starts, self.columns[order], self.values[order], self.known)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The example number of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def squares(self) -> Array:
        """The squared norm `||x||_2^2` of each example."""
        return np.array([self[t].square for t in range(len(self))])


class Model(Protocol):
    """The model behind a learner, which reads examples, predicts, learns and holds the learned state.

    `_core.Learner` is the compiled one, the subclasses of `PythonModel` are the others. A model has a
    number of lanes, each of which scores every example: one for a target or for two labels, otherwise
    one for each label. Batches come in the forms of `base/rows.py`.
    """

    @property
    def lanes(self) -> int:
        """The number of scores of an example."""

    @property
    def bytes(self) -> int:
        """The memory of the learned state."""

    @property
    def wants_names(self) -> bool:
        """Whether another name of a feature can be remembered."""

    @property
    def has_gradient_sum(self) -> bool:
        """Whether `gradient_norms` is available."""

    def score(self, x: Any) -> Any:
        """The score of one example, or a list with one score per lane."""

    def probability(self, x: Any) -> Any:
        """The probability of the second of two labels, or a list with one per label."""

    def probabilities(self, scores: Array) -> Array:
        """The scores of a batch as probabilities."""

    def learn_class(self, x: Any, label: int, importance: float) -> None:
        """Learn that the example `x` has the label with this number."""

    def step_class(self, x: Any, label: int, importance: float) -> Any:
        """Learn a label; return the score from before."""

    def learn_target(self, x: Any, target: float, importance: float) -> None:
        """Learn that the example `x` has this target."""

    def step_target(self, x: Any, target: float, importance: float) -> Any:
        """Learn a target; return the score from before."""

    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None:
        """Make new lanes from old ones: source -1 is a fresh lane, sign -1 exchanges the labels."""

    def extend(self, count: int) -> None:
        """Append `count` fresh lanes."""

    def reserve(self, lanes: int) -> None:
        """Make room for this number of lanes."""

    def names(self) -> dict[int, Any]:
        """The names of the features, by row."""

    def weights(self) -> Array:
        """The weights, rows by lanes, as a flat array."""

    def gradient_norms(self) -> Sequence[float]:
        """The l1, l2 and l-infinity norm of the sum of gradients, and of how many numbers it is."""

    def total(self, total: Total) -> float:
        """The sum of a total over the lanes."""

    def most(self, total: Total) -> float:
        """The largest of a total over the lanes."""

    def each(self, total: Total) -> Array:
        """A total for each lane."""

    def state(self) -> dict[str, Any]:
        """The whole learned state, by name."""

    def restore(self, lanes: int, **arrays: Any) -> None:
        """Continue from the result of `state`."""


class PythonModel(ABC):
    """A model in Python, which scores and learns one `Row` at a time.

    Learning must raise before it changes anything.
    """

    asks_names = False  # whether names that were not learned matter for predictions

    def __init__(self, loss: Loss, bits: int, names: int, intercept: bool) -> None:
        self.loss = loss
        self.lanes = 1
        self.reader = _core.Reader(bits, names, intercept)
        self.totals = no_totals()

    # --- methods of a subclass -----------------------------------------------------------------------

    @abstractmethod
    def predict(self, x: Row) -> Array:
        """The scores of one example, one for each lane."""

    def predict_many(self, X: Rows) -> Array:
        """The scores of several examples (examples x lanes)."""
        scores = np.zeros((len(X), self.lanes))
        for t in range(len(X)):
            scores[t] = self.predict(X[t])
        return scores

    def played(self, x: Row) -> Array:
        """The scores at which losses are measured; unlike those of `predict`, never of a mean."""
        return self.predict(x)

    @abstractmethod
    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        """Learn one example, with `y = -1 or +1` for each lane.

        Returns the predictions from before, and the losses and `<w, z>` at the weights `played`.
        """

    @abstractmethod
    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        """Make new lanes from those of `sources`, each times its sign; -1 is a fresh lane."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The learned values, as arrays."""

    @abstractmethod
    def take(self, parts: Parts) -> None:
        """Take back the values of `arrays`; `ValueError` if they are impossible."""

    def weights(self) -> Array:
        """The weights, all lanes of a column together, column by column."""
        raise ValueError("this model has no weights")

    def gradient_norms(self) -> Sequence[float]:
        """The l1, l2 and l-infinity norm of the sum of gradients, and of how many numbers it is."""
        raise ValueError("this model keeps no sum of gradients")

    # --- one example ---------------------------------------------------------------------------------

    def score(self, x: Any) -> Any:
        """The score, or a list with one score per lane."""
        return self._shown(self._scores(x))

    def probability(self, x: Any) -> Any:
        """The probability of the second of two labels, or those of all labels."""
        return self._shown(self.probabilities(self._scores(x)))

    def probabilities(self, scores: Array) -> Array:
        """The scores (of all lanes for each example) as probabilities."""
        twin = losses.compiled(self.loss)
        assert twin is not None
        return _core.probabilities(twin, np.ascontiguousarray(scores), self.lanes)

    def learn_class(self, x: Any, answer: float, importance: float) -> None:
        """Learn that the example `x` has the given answer: a target, or the number of a label."""
        self.step_class(x, answer, importance)

    def step_class(self, x: Any, answer: float, importance: float) -> Any:
        """Learn the answer as `learn_class` does; return the score from before."""
        importance = arguments.importance(importance)
        if importance == 0:  # names are not learned either
            return self.score(x)
        known = self.reader.size
        row = self._row(x, True)
        try:
            return self._shown(self._step(row, answer, importance)[0])
        except BaseException:
            self.reader.truncate(known)
            raise

    learn_target, step_target = learn_class, step_class

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

    def _suffer(self, row: Row, answer: float) -> float:
        """The loss of an example that is not learned."""
        return float(np.sum(self.loss.value(self.played(row), self._wanted(answer))))

    def _wanted(self, answer: float) -> Array:
        """The answer for each lane, -1 or +1, by the number of the label."""
        y = np.full(self.lanes, -1.0)
        if self.lanes > 1:
            y[int(answer)] = 1.0
        elif answer == 1:
            y[0] = 1.0
        return y

    def _step(self, row: Row, answer: float, importance: float) -> tuple[Array, float]:
        scores, losses, linear = self.learn(row, self._wanted(answer), importance)
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
        """Learn or predict sparse rows."""
        return self._run(self.reader.csr, *given)

    def table(self, *given: Any) -> Any:
        """Learn or predict rows given by columns."""
        return self._run(self.reader.table, *given)

    def examples(self, *given: Any) -> Any:
        """Learn or predict examples that a reader has parsed."""
        return self._run(self.reader.examples, *given)

    def located(self, *given: Any) -> Any:
        """Learn or predict examples from `locate`."""
        return self._run(self.reader.located, *given)

    def locate(self, x: _core.Examples) -> Any:
        """The examples with columns in place of names, for `located` later."""
        return self.reader.locate(x)

    def _run(self, read: Any, *given: Any) -> Any:
        *batch, answers, importance, want = given
        known = self.reader.size
        learning = answers is not None
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
                    scores[t], suffered[t] = self._step(row, answers[t], weight)
                    known = row.known
                else:
                    scores[t], suffered[t] = self.predict(row), self._suffer(row, answers[t])
        except BaseException as error:
            if learning:
                error.example = t  # type: ignore[attr-defined]
                error.add_note(f"at row {t} of this call; the rows before it were learned")
            raise
        finally:
            if self.reader.size > known:
                self.reader.truncate(known)
        return self._told(scores, suffered if learning else None, want)

    def _told(self, scores: Array, suffered: Array | None, want: Want) -> Any:
        """The wanted form of the scores of a batch, and the losses if it was learned."""
        if want is Want.nothing:
            return None
        told = scores.argmax(axis=1) if want is Want.best else scores.ravel()
        return told if suffered is None else (told, suffered)

    # --- the rest ------------------------------------------------------------------------------------

    @property
    def wants_names(self) -> bool:
        """Whether the model can remember another name."""
        return self.reader.wants_names

    def names(self) -> dict[int, Any]:
        """The names of features by column."""
        return self.reader.names()

    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None:
        """Make new lanes from old ones: source -1 is a fresh lane, sign -1 exchanges the labels."""
        self.relabel(sources, np.asarray(signs, float))
        self.totals = {total: moved(each, sources) for total, each in self.totals.items()}
        self.lanes = len(sources)

    def extend(self, count: int) -> None:
        """Add `count` fresh lanes at the end."""
        lanes = self.lanes
        self.relane([*range(lanes), *[-1] * count], [1] * (lanes + count))

    def reserve(self, lanes: int) -> None:  # noqa: B027
        """Prepare for this number of lanes."""

    def total(self, total: Total) -> float:
        """The sum of a total over the lanes."""
        return float(self.totals[total].sum())

    def each(self, total: Total) -> Array:
        """A total for each lane."""
        return np.array(self.totals[total])

    @property
    def bytes(self) -> int:
        """The size of the learned values in bytes."""
        return sum(int(array.nbytes) for array in self.state().values())

    def most(self, total: Total) -> float:
        """The largest value of a total over the lanes."""
        return float(self.totals[total].max())

    @property
    def has_gradient_sum(self) -> bool:
        """Whether `gradient_norms` can be called."""
        return False

    def state(self) -> dict[str, NDArray[Any]]:
        """The whole state, as arrays."""
        return {**totals_state(self.totals), **self.reader.state(), **self.arrays()}

    def restore(self, lanes: int, **arrays: NDArray[Any]) -> None:
        """Take back the arrays of `state`."""
        names = {k: arrays.pop(k) for k in ("names", "name_keys", "name_kinds", "name_rows")}
        self.reader.restore(**names)
        if lanes < 1:
            raise ValueError(f"lanes={lanes} is not a number of lanes")
        parts = Parts(arrays)
        self.relane([-1] * lanes, [1] * lanes)
        self.totals = restored_totals(parts, lanes)
        self.take(parts)
        parts.done()


class ModelOfObjects(PythonModel):
    """A model made of Python learners, each of which reads features itself."""

    @abstractmethod
    def _rows(self, batch: Batch) -> Iterable[Any]:
        """The examples of a batch in the form of `predict` and `learn`."""

    def feed(self, batch: Batch, answers: Any, importance: Any, want: Want) -> Any:
        """Learn or predict the rows of a batch, in place of the batch's own `feed`."""
        if importance is not None and len(importance) != batch.size:
            raise ValueError(
                f"X and the weights differ in length: {batch.size} rows, {len(importance)} weights"
            )
        scores, suffered = np.zeros((batch.size, self.lanes)), np.zeros(batch.size)
        for t, x in enumerate(self._rows(batch)):
            w = 1.0 if importance is None else float(importance[t])
            if answers is not None and w > 0:
                scores[t], suffered[t] = self._step(x, answers[t], w)
            elif want is not Want.nothing:
                scores[t] = self.predict(x)
                suffered[t] = 0.0 if answers is None else self._suffer(x, answers[t])
        return self._told(scores, None if answers is None else suffered, want)


def no_totals(lanes: int = 1) -> dict[Total, Array]:
    """The totals of lanes that have learned nothing: zeros."""
    return {total: np.zeros(lanes) for total in Total}


def totals_state(totals: dict[Total, Array]) -> dict[str, Array]:
    """The totals as arrays, by the names in files."""
    return {f"total_{total.name}": each for total, each in totals.items()}


def restored_totals(parts: Parts, lanes: int) -> dict[Total, Array]:
    """The totals from the arrays of `totals_state`; `ValueError` if they are impossible."""
    totals = {total: parts.array(f"total_{total.name}", (lanes,)) for total in Total}
    for total in (Total.rounds, Total.updates):
        whole = totals[total]
        if not ((whole >= 0) & (whole <= 2**53) & (whole == np.floor(whole))).all():
            raise ValueError(f"total_{total.name} is not made of whole numbers")
    return totals


def moved(table: Array, sources: Sequence[int], signs: Array | float = 1.0) -> Array:
    """The table, whose last axis is the lanes, with the lanes of `sources`; a fresh lane is 0."""
    out = np.zeros((*table.shape[:-1], len(sources)))
    kept = np.flatnonzero(np.asarray(sources) >= 0)
    out[..., kept] = table[..., np.asarray(sources)[kept]]
    return np.asarray(out * signs)
