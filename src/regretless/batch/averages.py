"""The average of the hypotheses of a run: of their weights if they are linear, else of what they say."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, rows
from regretless.linear.labels import Labels
from regretless.linear.learner import LinearLearner

__all__ = ["Ensemble", "LinearModel", "Reader", "WeightMean", "relaned"]

Array = NDArray[np.float64]
Lanes = tuple[list[int], list[int]] | None


def relaned(values: Array, lanes: Lanes) -> Array:
    """Scores or weights (last axis: lanes) after a label has joined: see `Labels.add`."""
    if lanes is None:
        return values
    sources, signs = lanes
    out = np.zeros((*values.shape[:-1], len(sources)))
    for k, (source, sign) in enumerate(zip(sources, signs)):
        if source >= 0:
            out[..., k] = sign * values[..., source]
    return out


class Reader:
    """Finds the rows of a linear learner's weights that the features of an example belong to."""

    def __init__(self, learner: LinearLearner) -> None:
        self.learner: Any = learner
        self.core = learner._model or learner._start()
        self.hashed = learner.features == "hashed"
        self.intercept = bool(learner.intercept)
        self.names: dict[Any, int] = {}

    def weights(self) -> Array:
        """The weights as they are now: the intercept first, then a row per feature."""
        table = self.core.weights().reshape(-1, self.core.lanes)
        if not self.hashed and len(table) != len(self.names) + 1:
            self.names = {name: row for row, name in self.core.names().items()}
        return table

    def find(self, dicts: Sequence[dict[Any, Any]]) -> tuple[Any, Any, Array]:
        """Examples as starts, rows of the weights, and values; what has no row is left out.

        The core reads them: its errors, its categories, its hashes.
        """
        bits = int(self.learner.bits) if self.hashed else 0
        examples = _core.Examples(bits, self.intercept, not self.hashed)
        for each in dicts:
            examples.add(each)
        if self.hashed:
            starts, where, values = self.core.locate(examples)
            return starts.astype(np.int64), where.astype(np.int64), values.astype(np.float64)
        ends, columns, numbers = [0], list[int](), list[float]()
        for t in range(len(dicts)):
            known = {0: 1.0} if self.intercept else {}
            for name, value in examples.row(t).items():
                if name in self.names:
                    known[self.names[name]] = value
            columns += known.keys()
            numbers += known.values()
            ends.append(len(columns))
        return np.array(ends), np.array(columns, np.int64), np.array(numbers, np.float64)


class WeightMean:
    """The mean of a linear learner's weights over the rounds, exact and in double precision.

    A feature counts 0 until it is seen, and so does the lane of a label. All weights are read in every
    round, since a rule may change all of them: with d features a round costs O(d).
    """

    def __init__(self, learner: LinearLearner) -> None:
        self._reader = Reader(learner)
        self._labels = Labels(self._known())
        self._sum = np.zeros((1, 1))
        self._count = 0

    def _known(self) -> list[Any]:
        return list(_labels_of(self._reader.learner).labels)

    def add(self) -> "LinearModel":
        """Count the weights as they are now, which are returned."""
        self._follow_labels()
        weights = self._reader.weights()
        if len(weights) > len(self._sum):
            self._sum = self._padded(max(len(weights), 2 * len(self._sum)), weights.shape[1])
        self._sum[: len(weights)] += weights
        self._count += 1
        return LinearModel(self._reader, weights)

    def _padded(self, size: int, lanes: int) -> Array:
        larger = np.zeros((size, lanes))
        larger[: len(self._sum)] = self._sum
        return larger

    def _follow_labels(self) -> None:
        for label in self._known():
            if label not in self._labels.index:
                self._sum = relaned(self._sum, self._labels.lanes(label))
                self._labels.add(label)

    def mean(self) -> "LinearModel":
        """The predictor whose weights are the mean of those counted."""
        self._follow_labels()
        reader = Reader(copy.deepcopy(self._reader.learner))  # which may learn on
        size, lanes = reader.weights().shape
        table = self._padded(max(size, len(self._sum)), lanes)[:size] / self._count
        return LinearModel(reader, table)


class LinearModel:
    """A linear model with the weights of a table: the intercept first, then a row per feature.

    It reads rows and batches as the learner does whose features and labels it shares; `weights_`,
    `intercept_` and `decision_one` are as the learner's. But its score is `<w, x>` always, while the
    rule "coin" damps features that are larger than all it has seen.
    """

    def __init__(self, reader: Reader, table: Array) -> None:
        self._reader, self._table = reader, table
        self._labels = _labels_of(reader.learner)
        self._classifies = bool(reader.learner._classifies)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the scores."""
        classes: NDArray[Any] = self._reader.learner.classes_
        return classes

    @property
    def weights_(self) -> dict[Any, Any]:
        """Names to weights; with three or more labels, labels to names to weights."""
        names = {row: name for name, row in self._reader.names.items()}
        if self._reader.hashed:
            used = np.flatnonzero(self._table[1:].any(axis=1)).tolist()
            names = {row + 1: self._reader.core.names().get(row + 1, row) for row in used}
        lanes = [
            {name: float(column[row]) for row, name in names.items()} for column in self._table.T
        ]
        return lanes[0] if len(lanes) == 1 else dict(zip(self._labels.labels, lanes))

    @property
    def intercept_(self) -> Any:
        """The weight of the constant feature; with three or more labels, by label."""
        first = self._table[0].tolist()
        return first[0] if len(first) == 1 else dict(zip(self._labels.labels, first))

    def decision_one(self, x: Any) -> Any:
        """The raw score: of the second label for two, a list in the order of `classes_` for more."""
        scores = self._scores([x if isinstance(x, dict) else _as_dict(x)])[0].tolist()
        return scores[0] if len(scores) == 1 else scores

    def predict_one(self, x: Any) -> Any:
        """The label with the highest score, or the number."""
        score = self.decision_one(x)
        return self._reader.learner._decide(score) if self._classifies else score

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label."""
        labels = self._labels.labels
        scores = np.atleast_1d(np.asarray(self.decision_one(x), np.float64))
        p = self._reader.core.probabilities(scores).tolist()
        if len(labels) == 2:
            return {labels[0]: 1.0 - p[0], labels[1]: p[0]}
        return {labels[0]: 1.0} if len(labels) == 1 else dict(zip(labels, p))

    def decision_function(self, X: Any) -> Array:
        """Raw scores: one column for two labels or a number, otherwise one per label."""
        batch = rows.batch(X)
        if self._reader.hashed or not isinstance(batch, (rows.CSR, rows.Table)):
            scores = self._scores([batch.row(t) for t in range(batch.size)])
        elif isinstance(batch, rows.CSR):
            scores = self._of_csr(batch)
        else:
            scores = self._of_table(batch)
        if not np.isfinite(scores).all():
            at = int(np.argwhere(~np.isfinite(scores))[0, 0])
            raise ValueError(f"X[{at}] has a score of {scores[at]}: its features are not finite")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label, or the number, of each row."""
        scores = self.decision_function(X)
        if not self._classifies:
            return scores
        best = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[np.minimum(best, len(self._labels.labels) - 1)]
        return labels

    def _scores(self, dicts: Sequence[dict[Any, Any]]) -> Array:
        starts, where, values = self._reader.find(dicts)
        if len(dicts) == 1:
            score: Array = values @ self._table[where]
            return score[None]
        from scipy.sparse import csr_array

        found = csr_array((values, where, starts), (len(dicts), len(self._table)))
        scores: Array = found @ self._table
        return scores

    def _of_csr(self, batch: rows.CSR) -> Array:
        from scipy.sparse import csr_array

        table = np.zeros((batch.width, self._table.shape[1]))
        for name, row in self._reader.names.items():
            if isinstance(name, int) and 0 <= name < batch.width:
                table[name] = self._table[row]
        start, stop = batch.starts[0], batch.starts[-1]
        arrays = _single(batch.values[start:stop]), batch.columns[start:stop], batch.starts - start
        scores: Array = csr_array(arrays, (batch.size, batch.width)) @ table + self._table[0]
        return scores

    def _of_table(self, batch: rows.Table) -> Array:
        names = self._reader.names
        scores = np.tile(self._table[0], (batch.size, 1))
        absent = np.zeros(self._table.shape[1])
        for name, values, *categories in batch.columns:
            if not categories:
                if name in names:
                    scores += _single(values)[:, None] * self._table[names[name]]
                continue
            found = [names.get(f"{name}={category}") for category in categories[0]]
            weights = [absent if row is None else self._table[row] for row in found]
            scores += np.array([*weights, absent])[values]  # code -1, missing, is the last
        return scores


def _single(values: Array) -> Array:
    """Features in the precision of the core, so that a row and a batch have the same scores."""
    return values.astype(np.float32).astype(np.float64)


def _labels_of(learner: Any) -> Labels:
    labels: Labels | None = getattr(learner, "_labels", None)
    return labels or Labels()


class Ensemble:
    """The weighted mean of what several hypotheses say: probabilities, or numbers."""

    def __init__(self, members: Sequence[Any], counts: Sequence[int], classifies: bool) -> None:
        self.members, self._classifies = list(members), classifies
        self._shares = (np.array(counts) / sum(counts)).tolist()

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The mean probability of each label that any of the hypotheses knows."""
        total: dict[Any, float] = {}
        for member, share in zip(self.members, self._shares):
            for label, p in member.predict_proba_one(x).items():
                total[label] = total.get(label, 0.0) + share * p
        return total

    def predict_one(self, x: Any) -> Any:
        """The label of the highest mean probability, or the mean of the numbers."""
        if self._classifies:
            p = self.predict_proba_one(x)
            return max(p, key=p.__getitem__) if p else None
        return sum(
            share * (member.predict_one(x) or 0.0)
            for member, share in zip(self.members, self._shares)
        )


def _as_dict(x: Any) -> dict[Any, Any]:
    row = rows.row(x)
    return row if isinstance(row, dict) else dict(zip(row[0].tolist(), row[1].tolist()))
