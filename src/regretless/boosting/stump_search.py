"""The search for the best stump of a sorted table, and the loop that boosts stumps in the core."""

import copy
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base import rows
from regretless.base.arguments import Array, shown

# --- examples sorted feature by feature -----------------------------------------------------------


@dataclass(frozen=True)
class SortedColumns:
    """A sparse matrix by columns, each with the name of its feature.

    A column of strings becomes one feature per string, as everywhere in this library: "red" in the
    column "colour" is the feature "colour=red" with the value 1. `sources` are the columns as given,
    `is_dense` is whether they were dense rather than a sparse matrix.
    """

    matrix: Any
    names: list[Any]
    sources: list[Any]
    is_dense: bool

    @classmethod
    def of(cls, X: Any) -> "SortedColumns":
        """The columns of an array, a sparse matrix or a data frame of finite numbers.

        >>> SortedColumns.of([[0.0, 2.0], [1.0, 0.0]]).matrix.shape
        (2, 2)
        """
        from scipy.sparse import csc_array, csr_array

        batch = rows.batch(X)
        if isinstance(batch, rows.CSR):
            shape = batch.size, batch.width
            first, last = batch.starts[0], batch.starts[-1]
            starts = _short(batch.starts - first)
            inside = batch.values[first:last], batch.columns[first:last], starts
            numbers: list[Any] = list(range(batch.width))
            return cls(csr_array(inside, shape=shape).tocsc(), numbers, numbers, False)
        if not isinstance(batch, rows.Table):
            raise ValueError(
                f"X is a {type(X).__name__}: give an array, a sparse matrix or a data frame"
            )
        names, parts = list[Any](), list[tuple[NDArray[np.int64], Array]]()
        for name, values, *categories in batch.columns:
            if categories:
                for code, category in enumerate(categories[0]):
                    where = np.flatnonzero(values == code)
                    names.append(f"{name}={category}")
                    parts.append((where, np.ones(len(where))))
                continue
            if not np.isfinite(values).all():
                t = int(np.argmin(np.isfinite(values)))
                raise ValueError(
                    f"X[{t}, {name!r}] = {values[t]} is not finite; leave the row out or fill it in"
                )
            where = np.flatnonzero(values)
            names.append(name)
            parts.append((where, values[where]))
        inside = (
            np.concatenate([np.empty(0), *(values for _, values in parts)]),
            np.concatenate(
                [np.empty(0, np.int32), *(where.astype(np.int32) for where, _ in parts)]
            ),
            _short(np.cumsum([0, *(len(where) for where, _ in parts)])),
        )
        matrix = csc_array(inside, shape=(batch.size, len(names)))
        return cls(matrix, names, [column[0] for column in batch.columns], True)

    @property
    def size(self) -> int:
        """The number of examples."""
        return int(self.matrix.shape[0])

    def column(self, name: Any) -> tuple[NDArray[Any], Array]:
        """The rows and values of a feature; both are empty if the table does not have it."""
        j = self._places.get(name)
        if j is None:
            return np.empty(0, np.int64), np.empty(0)
        part = slice(self.matrix.indptr[j], self.matrix.indptr[j + 1])
        return self.matrix.indices[part], self.matrix.data[part]

    def keep(self, rows: NDArray[np.bool_]) -> "SortedColumns":
        """A table of some of the rows."""
        return SortedColumns(
            self.matrix[np.flatnonzero(rows)], self.names, self.sources, self.is_dense
        )

    def table(self, names: list[Any]) -> Any:
        """The named features as a 2-d array, or as a CSR matrix if the table is sparse."""
        found = [self._places.get(name, -1) for name in names]
        matrix = self.matrix
        if found != list(range(matrix.shape[1])):
            from scipy.sparse import csc_array, hstack

            padded = hstack([matrix, csc_array((self.size, 1))], format="csc")
            matrix = padded[:, found]
        return matrix.toarray() if self.is_dense else matrix.tocsr()

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {name: j for j, name in enumerate(self.names)}


def _short(starts: NDArray[np.int64]) -> NDArray[Any]:
    """The indices in 32 bits if they fit, because many classifiers accept only these."""
    return starts.astype(np.int32) if starts[-1] < 2**31 else starts


# --- decision stumps, and the search for the best of them (Luo (2016), section 2.2) ---------------


@dataclass(frozen=True)
class FittedStump:
    """A stump: label `below` if `feature <= threshold`, else `above`; always `below` without feature.

    >>> FittedStump("age", 41.5, below="no", above="yes")
    FittedStump: 'no' if age <= 41.5, else 'yes'
    """

    feature: Any
    threshold: float
    below: Any
    above: Any

    def __repr__(self) -> str:
        if self.feature is None:
            return f"FittedStump: {self.below!r}"
        name = self.feature if isinstance(self.feature, str) else f"x[{self.feature}]"
        return f"FittedStump: {self.below!r} if {name} <= {self.threshold:g}, else {self.above!r}"

    def votes(self, X: SortedColumns) -> Array:
        """The label of each example, for a stump with the labels -1 and 1."""
        at_zero = self.below if self.feature is None or self.threshold >= 0 else self.above
        votes = np.full(X.size, float(at_zero))
        if self.feature is not None:
            where, values = X.column(self.feature)
            votes[where] = np.where(values <= self.threshold, self.below, self.above)
        return votes


class StumpSearch:
    """The weak learner that tries every feature and every threshold between two of its values.

    The labels of both sides are the best ones, which may be the same (Luo (2016) leaves this open; see
    docs/errata.md). Among stumps whose weighted errors are equal up to rounding, it takes the constant
    one, then that of the first feature and the smallest threshold. Examples of weight 0 take no time
    in columns of up to 64 values.

    Parameters: `X`, examples by columns; `signs`, their labels, -1 or 1.

    >>> search = StumpSearch(SortedColumns.of([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0]))
    >>> search.fit(np.full(3, 1 / 3))
    FittedStump: -1 if x[0] <= 0.5, else 1
    """

    def __init__(self, X: SortedColumns, signs: Array) -> None:
        self._names = X.names
        self._core = _core.StumpSearch(
            X.matrix.indptr.astype(np.int64),
            X.matrix.indices.astype(np.int32),
            X.matrix.data,
            signs,
        )

    def fit(self, weights: Array) -> FittedStump:
        """The stump of the smallest weighted error."""
        feature, threshold, below, above, _ = self._core.best(weights)
        if feature < 0:
            return FittedStump(None, 0.0, below, below)
        return FittedStump(self._names[feature], threshold, below, above)


# --- the loop of batch boosting: weights, a hypothesis, the next weights --------------------------


class Weighing(Protocol):
    """Weights of examples, updated by whether each hypothesis was right on them."""

    @property
    def weights(self) -> Array:
        """A distribution over the examples."""

    @property
    def scale(self) -> float:
        """The scale for the certificate: c of NHBoost, otherwise 0 or a rate."""

    def learn(self, agrees: Any, right: float, wrong: float) -> float:
        """Learn where a hypothesis was right, with its right and wrong weight; return its vote."""


@dataclass
class WeightedVote:
    """Hypotheses with values -1 and 1, their votes, and the measurements of each round.

    `edges`, `errors` of the vote and `zero_weights` after each round; `margins` of the training
    examples, whose shares are `prior`; `scale`, see `Weighing`.
    """

    prior: Array
    hypotheses: list[Any] = field(default_factory=list)
    alphas: Array = field(default_factory=lambda: np.empty(0))
    edges: Array = field(default_factory=lambda: np.empty(0))
    errors: Array = field(default_factory=lambda: np.empty(0))
    zero_weights: Array = field(default_factory=lambda: np.empty(0))
    margins: Array = field(default_factory=lambda: np.empty(0))
    scale: float = 0.0

    def score(self, X: SortedColumns) -> Array:
        """The vote on each example, in [-1, 1]."""
        total = np.zeros(X.size)
        for hypothesis, alpha in zip(self.hypotheses, self.alphas):
            if alpha:
                total += alpha * hypothesis.votes(X)
        return np.clip(total / (np.abs(self.alphas).sum() or 1.0), -1.0, 1.0)


def boost(
    X: SortedColumns, signs: Array, prior: Array, weighing: Weighing, *, weak: Any, rounds: int
) -> WeightedVote:
    """Boost for at most `rounds`, or until the vote of a hypothesis is infinite or 0."""
    learner = StumpSearch(X, signs) if weak is None else _Other(weak, X, signs)
    made = WeightedVote(prior)
    score = np.zeros(len(signs))
    alphas, edges, errors, zeros = (list[float]() for _ in range(4))
    for _ in range(rounds):
        p = weighing.weights
        hypothesis = learner.fit(p)
        votes = hypothesis.votes(X)
        agrees = votes == signs
        right, wrong = _share(p, agrees), _share(p, ~agrees)
        alpha = weighing.learn(agrees, right, wrong)
        if alpha == 0:
            break
        decides = math.isinf(alpha)
        if decides:  # all other votes become 0
            alphas, score = [0.0] * len(alphas), np.zeros(len(signs))
            alpha = math.copysign(1.0, alpha)
        score += alpha * votes
        made.hypotheses.append(hypothesis)
        alphas.append(alpha)
        edges.append((right - wrong) / 2)
        errors.append(_share(prior, (score >= 0) != (signs > 0)))
        zeros.append(np.count_nonzero(p == 0) / len(p))
        if decides:
            break
    made.alphas, made.edges, made.errors, made.zero_weights = map(
        np.array, (alphas, edges, errors, zeros)
    )
    made.margins = signs * score / (np.abs(made.alphas).sum() or 1.0)
    made.scale = weighing.scale
    return made


def _share(weights: Array, among: Any) -> float:
    return float((weights * among).sum())  # not BLAS, whose threads wait


def fitted_on_weights(weak: Any, name: str) -> Any:
    """The learner, if it can be fitted to weighted examples; otherwise raise `ValueError`.

    >>> fitted_on_weights("tree", "weak")
    Traceback (most recent call last):
    ValueError: weak='tree' has no method fit; None stands for stumps
    """
    if not hasattr(weak, "fit"):
        raise ValueError(f"{name}={shown(weak)} has no method fit; None stands for stumps")
    return weak


class _Other:
    """A scikit-learn classifier as the weak learner."""

    def __init__(self, weak: Any, X: SortedColumns, signs: Array) -> None:
        self._weak, self._names, self._signs = weak, X.names, signs
        self._table = X.table(X.names)

    def fit(self, weights: Array) -> "_Hypothesis | FittedStump":
        active = np.flatnonzero(weights > 0)
        signs = self._signs[active]
        if (signs == signs[0]).all():  # many classifiers refuse a single label
            return FittedStump(None, 0.0, int(signs[0]), int(signs[0]))
        scaled = weights[active] * (len(active) / weights[active].sum())
        model = copy.deepcopy(self._weak)
        model.fit(self._table[active], signs.astype(int), sample_weight=scaled)
        return _Hypothesis(model, self._names)


@dataclass
class _Hypothesis:
    model: Any
    names: list[Any]

    def votes(self, X: SortedColumns) -> Array:
        votes = np.asarray(self.model.predict(X.table(self.names)), np.float64)
        if votes.shape != (X.size,) or not np.isin(votes, (-1.0, 1.0)).all():
            raise ValueError(f"weak={self.model!r} predicts other labels than it was fitted to")
        return votes
