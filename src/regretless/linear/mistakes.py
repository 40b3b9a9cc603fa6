"""Bounds on mistakes, computed by replaying the examples."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless._core import Total
from regretless.base import rows
from regretless.base.arguments import Array, finite, number, numbers, positive, shown, whole
from regretless.base.classifier import Classifier, label_array
from regretless.base.weights import HasWeights
from regretless.certificates import MistakeBound, MistakeCertificate

# --- a replayed run, for certificates that need the examples and the weights played on each -------


@dataclass(frozen=True)
class ReplayedLane:
    """The rounds of one lane: sparse rows `X`, labels `y` of -1 and +1, and the update rounds."""

    X: Any  # csr_array (rounds x columns); the constant feature, if any, is last
    y: Array
    updated: NDArray[np.bool_]

    @property
    def updates(self) -> "ReplayedLane":
        """Only the rounds with an update."""
        here = self.updated
        return ReplayedLane(self.X[np.flatnonzero(here)], self.y[here], here[here])

    def margins(self, u: Array) -> Array:
        """The margin `y <u, x>` of every round; `u` may have weights beyond the columns of `X`."""
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
        """The number of features seen up to and including each round."""
        if not self.X.nnz:
            return np.zeros(self.X.shape[0], np.int64)
        _, first = np.unique(self.X.indices, return_index=True)
        appears = np.searchsorted(self.X.indptr, first, side="right") - 1
        return np.bincount(appears, minlength=self.X.shape[0]).cumsum()


class Replay:
    """The run of a learner on its examples, played again with weights 1 and exact features.

    If the learner has seen a multiple of these examples, it is taken to have made several passes. `same`
    tells whether the replay equals the learner's own run.
    """

    def __init__(self, learner: Classifier, twin: Classifier, X: Any, y: Any) -> None:
        examples, labels = _rows(X, learner.form().precise), label_array(y).tolist()
        if len(examples) != len(labels):
            raise ValueError(f"X has {len(examples)} rows, y has {len(labels)} labels")
        self._labels, self._intercept = learner._labels.labels, learner.form().intercept
        self.twin: Any = twin
        for label in self._labels:
            twin._add(label)
        core = twin._start()
        updates = [core.each(Total.updates)]
        for label in labels:
            if label not in twin._labels.index:
                raise ValueError(f"y has the label {shown(label)}, which the learner has not seen")
        count = len(examples)
        more = count and learner.examples_ % count == 0
        passes = learner.examples_ // count if more else 1
        for x, label in list(zip(examples, labels)) * passes:
            twin.learn_one(x, label)
            updates.append(core.each(Total.updates))
        facts = ("examples_", "weight_", "updates_", "loss_")
        self.same = all(getattr(learner, fact) == getattr(twin, fact) for fact in facts)
        self.names, X = _matrix(examples, self._intercept)
        X = X[np.tile(np.arange(count), passes)]
        codes = np.tile(np.array([twin._labels.index[label] for label in labels], int), passes)
        moved = np.diff(np.array(updates), axis=0) > 0
        positive = range(core.lanes) if core.lanes > 1 else [1]
        self.lanes = [
            ReplayedLane(X, np.where(codes == code, 1.0, -1.0), moved[:, k])
            for k, code in enumerate(positive)
        ]

    def comparators(self, u: Any, intercept: Any) -> Iterator[tuple[ReplayedLane, Array]]:
        """Every lane with its comparator, a weight vector."""
        if len(self.lanes) == 1:
            yield self.lanes[0], self._vector(u, intercept)
            return
        constant = (
            intercept if isinstance(intercept, dict) else dict.fromkeys(self._labels, intercept)
        )
        for label, lane in zip(self._labels, self.lanes):
            if not isinstance(u, dict) or label not in u:
                raise ValueError(
                    f"comparator lacks weights for the label {shown(label)}; give a dict of labels"
                )
            yield lane, self._vector(u[label], constant.get(label, 0.0))

    def _vector(self, u: Any, intercept: Any) -> Array:
        weights = u
        if not isinstance(u, dict):
            weights = dict(enumerate(numbers(u, "comparator", "weights").tolist()))
        width = len(self.names) + self._intercept
        vector = [0.0] * width
        if self._intercept:
            vector[-1] = number(intercept, "intercept")
        elif number(intercept, "intercept"):
            raise ValueError(
                f"intercept={intercept}, but the learner has no intercept; leave it out"
            )
        for name, weight in weights.items():
            value = finite(weight, f"comparator[{name!r}]")
            if name in self.names:
                vector[self.names[name]] = value
            else:  # the weight of a feature that never occurred counts in the norm only
                vector.append(value)
        return np.array(vector)


def _matrix(examples: list[dict[Any, float]], intercept: bool) -> tuple[dict[Any, int], Any]:
    """The columns by name, in order of appearance, and the rows; the constant 1 is the last column."""
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


def _rows(X: Any, precise: bool) -> list[dict[Any, float]]:
    """The rows of any batch, or a list of rows, with the names and the precision of the core."""
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], dict):
        dicts = X
    else:
        batch = rows.batch(X)
        dicts = [batch.row(t) for t in range(batch.size)]
    read = _core.Examples(0, False, True, precise)
    for each in dicts:
        read.add(each)
    return [read.row(t) for t in range(len(dicts))]


# --- several passes over the same examples, until every one is classified correctly ---------------

# Mohri et al. (2018), section 8.3.1.


@dataclass(frozen=True)
class Passes:
    """The result of `cycle`: number of `passes`, of `updates` in all of them, and `separated`.

    >>> Passes(passes=2, updates=3, separated=True).updates
    3
    """

    passes: int
    updates: int
    separated: bool


def cycle(self: Classifier, X: Any, y: Any, *, max_passes: int = 1000) -> Passes:
    """Learn `X` repeatedly until a pass has no update, at most `max_passes` times.

    Learning continues from the current weights. If the examples can be separated, the last pass has no
    error; otherwise learning stops after `max_passes`.

    >>> from regretless.linear import Perceptron
    >>> Perceptron(intercept=False).cycle([[1.0, 2.0], [-1.0, 1.0]], [1, -1])
    Passes(passes=2, updates=2, separated=True)
    """
    whole(max_passes, "max_passes")
    start, passes, moved = self.updates_, 0, True
    while moved and passes < max_passes:
        before = self.updates_
        self.partial_fit(X, y, y)
        passes, moved = passes + 1, self.updates_ > before
    return Passes(passes, self.updates_ - start, not moved)


# --- learners that update on mistakes only, with a bound on their number --------------------------


def root_bound(size: float, suffered: float) -> float:
    """The largest M with `M <= F + a sqrt(M)`: `((a + sqrt(a^2 + 4 F)) / 2)^2`.

    It equals `F + a^2 / 2 (1 + sqrt(1 + 4 F / a^2))`.

    >>> root_bound(2.0, 0.0)
    4.0
    """
    root = (size + math.sqrt(size * size + 4.0 * suffered)) / 2.0
    return root * root


class MistakeDriven(HasWeights, Classifier):
    """A classifier with a bound on the number of its updates."""

    cycle = cycle

    def certificate(  # type: ignore[override]
        self,
        X: Any = None,
        y: Any = None,
        *,
        comparator: Any = None,
        margin: float | None = None,
        intercept: Any = 0.0,
        norm: float = 1.0,
        ord: float = 2,
    ) -> MistakeCertificate | MistakeBound:
        """Bounds that the run so far proves: on all models of a norm, or on its number of mistakes.

        Without a comparator it is a `MistakeCertificate` for all models whose norm `ord` is at most
        `norm`. With the examples `X, y` that were learned, in order and with weights of 1, it replays
        them, in as many passes as there were. `X` is a batch or a list of dicts; all labels count as
        known from the start.

        With a comparator u it is a `MistakeBound`: the theorems' bounds on the number of updates, by
        the losses of u on the examples.

        Parameters: `comparator`, a dict of names to weights or an array of the weights of columns; with
        three or more labels, a dict from labels to those. `margin` rho: take `u / (rho ||u||)`, whose
        hinge losses are `max(0, 1 - y <u, x> / (rho ||u||))`; None takes u as it is. `intercept`: u's
        weight of the constant feature (by label, if there are three or more).
        """
        replay = None if X is None else Replay(self, self._twin(), X, y)
        if comparator is None:
            run = self if replay is None else replay.twin
            return MistakeCertificate.of(norm=norm, ord=ord, **run._sums())
        if replay is None:
            raise ValueError(
                f"comparator={shown(comparator)} needs the examples, which are not kept: call "
                "certificate(X, y, comparator=...) with the examples learned"
            )
        return self._against(replay, comparator, margin, intercept)

    def _sums(self) -> dict[str, Any]:
        core = self._model or self._start()
        return super()._sums() | {
            "updates": self.updates_,
            "weight_norm": float(np.linalg.norm(np.vstack(self._weights()[1:]))),
            "radius": core.most(Total.radius) if self.certify else None,
            "squares": core.total(Total.squares) if self.certify else None,
        }

    def _twin(self) -> Any:
        """A learner with exact features that makes the same updates and can certify them."""
        options = self.get_params() | {"certify": True, "features": "exact"}
        return type(self)(**options)

    def _against(
        self, replay: Replay, u: Any, margin: float | None, intercept: Any
    ) -> MistakeBound:
        bounds: list[dict[str, float]] = []
        assumptions: dict[str, bool | None] = {"X, y are what was learned, in order": replay.same}
        for lane, given in replay.comparators(u, intercept):
            v = given
            if margin is not None:
                size = self._size(given)
                if not size:
                    raise ValueError(
                        "comparator=0 has no margin; leave out margin, or give another comparator"
                    )
                v = given / (positive(margin, "margin") * size)
            proved, asked = replay.twin._bounds(lane, v)
            bounds.append(proved)
            for what, held in asked.items():
                assumptions[what] = held and assumptions.get(what, True)
        shared = [name for name in bounds[0] if all(name in each for each in bounds)]
        total = {name: math.fsum(each[name] for each in bounds) for name in shared}
        updates = replay.twin.updates_
        return MistakeBound(
            rounds=len(replay.lanes[0].y),
            regret=None,
            bounds=total,
            theorem="; ".join(shared),
            assumptions=assumptions,
            comparators="the given weights",
            against=u,
            # every update is rounded to the precision of the weights
            rounding=4.0 * self._unit * (updates + 1) * min(total.values()),
            updates=updates,
        )

    def _size(self, u: Array) -> float:
        """The norm in which the theorem measures `u`."""
        return float(np.linalg.norm(u))

    @abstractmethod
    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        """Bounds on a lane's updates by the losses of `u` in them, and the conditions on the data."""
