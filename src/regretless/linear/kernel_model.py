"""The dual form of the Perceptron: coefficients of the examples that it erred on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless._core import Total
from regretless.linear.kernels import Kernel
from regretless.linear.model import Array, Model, Row, Rows, moved
from regretless.linear.support_vectors import SupportVectors
from regretless.losses import Perceptron as ConservativeHinge
from regretless.state import Parts

__all__ = ["KernelModel"]

_BY_VECTOR = ("coefficients", "stamps", "counts", "diagonal", "born")
_FAR = 1e150  # of coefficients: products are still numbers


class KernelModel(Model):
    """Support vectors, which the lanes share, and a coefficient of each for every lane."""

    kernel: Kernel

    def __init__(self, offset: bool, average: str, budget: int | None) -> None:
        super().__init__(ConservativeHinge(), bits=0, names=0, intercept=False)
        self.offset, self.average, self.budget = float(offset), average, budget
        self.support = SupportVectors()
        self.coefficients: Array = np.zeros((0, 1))  # the sum of w y over the updates
        self.stamps: Array = np.zeros((0, 1))  # the same, each term times when it was made
        self.counts: Array = np.zeros((0, 1))  # the number of the updates
        self.diagonal: Array = np.zeros(0)  # K(s, s)
        self.born: Array = np.zeros(0)  # when a point was first stored
        # by lane: updates, sum and maximum of K(x, x) over them
        self.run: Array = np.zeros((3, 1))
        self.dropped = 0  # support vectors
        self.weighed = 0  # updates with an importance other than 1
        self._where: dict[bytes, int] = {}
        self._keys: list[bytes] = []

    # --- the algorithm -------------------------------------------------------------------------------

    def predict(self, x: Row) -> Array:
        return self._mean(self._kernel(x.in_order()))

    def played(self, x: Row) -> Array:
        return _combined(self.coefficients, self._kernel(x.in_order()))

    def predict_many(self, X: Rows) -> Array:
        """The scores of several: those of `predict`, as far as the kernel's values are the same."""
        scores, done = np.zeros((len(X), self.lanes)), 0
        for values in self.kernel.tables(self.support, X.in_order()):
            part = slice(done, done + len(values))
            scores[part] = [self._mean(each) for each in self._checked(values, done)]
            done = part.stop
        return scores

    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        x = x.in_order()
        values = self._kernel(x)
        played = _combined(self.coefficients, values)
        predicted = played if self.average == "none" else self._mean(values)
        wrong = y * played <= 0.0
        if wrong.any():
            self._add(x, y, wrong, importance)
        margins = np.where(wrong, y * played, 0.0)
        return predicted, wrong - margins, -margins

    def _kernel(self, x: Row) -> Array:
        return self._checked(self.kernel.between(self.support, x))

    def _checked(self, values: Array, first: int = 0) -> Array:
        """Values of the kernel, of one example or of several of which `first` is the number."""
        if not np.isfinite(values).all():
            *row, at = np.argwhere(~np.isfinite(values))[0].tolist()
            example = f"example {first + row[0]} of this call" if row else "the example"
            self._refuse(values[*row, at], f"of {example} and support vector {at}")
        return values + self.offset if self.offset else values

    def _refuse(self, value: float, what: str) -> None:
        raise ValueError(
            f"kernel={self.kernel.name} returned {value} {what}; it must be finite, and not negative "
            "of an example and itself: scale the features or use another kernel"
        )

    def _mean(self, values: Array) -> Array:
        """The score of the weights that predict: the last, or the mean of some."""
        score = _combined(self.coefficients, values)
        if self.average == "none":
            return score
        clock = self._clock()
        return score - _combined(self.stamps, values) / np.maximum(clock, 1.0)

    def _clock(self) -> Array:
        """Vectors in the mean so far: one for each round, or one for each update."""
        clock: Array = self.totals[Total.rounds] if self.average == "survival" else self.run[0]
        return clock

    def _add(self, x: Row, y: Array, wrong: NDArray[np.bool_], importance: float) -> None:
        own = self.kernel.square(x)
        if not 0.0 <= own < np.inf:
            self._refuse(own, "of the example and itself")
        own += self.offset
        key = _key(x)
        at = self._where.get(key)
        if at is None:
            at = self._store(x, key, own)
        step = importance * y * wrong
        self.coefficients[at] += step
        # w_1 to w_T of round T do not have the update of round T; of K updates the first has K vectors
        self.stamps[at] += step * (self._clock() + (self.average == "survival"))
        self.counts[at] += wrong
        self.run[0] += wrong
        self.run[1] += own * wrong
        self.weighed += importance != 1.0
        self.run[2] = np.maximum(self.run[2], own * wrong)

    def _store(self, x: Row, key: bytes, own: float) -> int:
        if self.budget is not None and self.support.size >= self.budget:
            at = self._least()
            self.support.replace(at, x)
            del self._where[self._keys[at]]
            self._keys[at] = key
            self.dropped += 1
        else:
            at = self.support.size
            self.support.append(x)
            self._keys.append(key)
            if at == len(self.diagonal):
                self._grow()
        self._where[key] = at
        for table in (self.coefficients, self.stamps, self.counts):
            table[at] = 0.0
        self.diagonal[at], self.born[at] = own, self.born.max(initial=0.0) + 1.0
        return at

    def _grow(self) -> None:
        more = max(8, self.support.size // 4)
        for name in _BY_VECTOR:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]))]))

    def _least(self) -> int:
        """The support vector without which the weights change least, the oldest of several."""
        size = self.support.size
        change = (self.coefficients[:size] ** 2).sum(axis=1) * self.diagonal[:size]
        least = np.flatnonzero(change <= change.min())
        return int(least[self.born[least].argmin()])

    # --- what was learned ----------------------------------------------------------------------------

    def dual(self) -> Array:
        """The coefficients of the weights that predict (support vectors x lanes)."""
        size = self.support.size
        out = self.coefficients[:size].copy()
        if self.average != "none":
            out -= self.stamps[:size] / np.maximum(self._clock(), 1.0)
        return out

    def weights(self) -> Array:
        """The weights of the features (known x lanes, flat) where the kernel is linear."""
        if not self.kernel.linear:
            raise AttributeError(
                f"kernel={self.kernel.name} has no weights of features; use support_vectors_ and "
                "dual_coef_"
            )
        coefficients = self.dual()
        table = self.support.matrix(self.reader.size).T @ coefficients
        table[0] = self.offset * coefficients.sum(axis=0)
        return table.ravel()

    def gradient_norms(self) -> Sequence[float]:
        raise NotImplementedError("the sum of gradients is in the space of the kernel")

    def gram_times(self, coefficients: Array) -> Array:
        """`K c` over the support vectors, for each lane of `c`."""
        rows = [_combined(coefficients, self._kernel(x)) for x in self.support_rows()]
        return np.array(rows).reshape(coefficients.shape)

    def support_rows(self) -> Iterator[Row]:
        """The support vectors."""
        return (self.support.row(s, self.reader.size) for s in range(self.support.size))

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        self.coefficients = moved(self.coefficients, sources, signs)
        self.stamps = moved(self.stamps, sources, signs)
        self.counts = moved(self.counts, sources)
        self.run = moved(self.run, sources)

    def arrays(self) -> dict[str, NDArray[Any]]:
        size = self.support.size
        return {
            **{name: getattr(self, name)[:size] for name in _BY_VECTOR},
            "run": self.run,
            "odd": np.array([self.dropped, self.weighed]),
            **self.support.arrays(),
        }

    def take(self, parts: Parts) -> None:
        self.support = SupportVectors.of(parts)
        size, lanes = self.support.size, self.lanes
        for name in _BY_VECTOR:
            low = 0.0 if name in ("counts", "diagonal", "born") else -_FAR
            shape = (size,) if name in ("diagonal", "born") else (size, lanes)
            setattr(self, name, parts.array(name, shape, low, _FAR))
        self.run = parts.array("run", (3, lanes), 0.0)
        self.dropped, self.weighed = parts.array("odd", (2,), 0, 2**53, np.int64).tolist()
        if self.budget is not None and size > self.budget:
            raise ValueError(f"{size} support vectors are more than budget={self.budget}")
        self._keys = [_key(x) for x in self.support_rows()]
        self._where = {key: s for s, key in enumerate(self._keys)}
        if len(self._where) < size or len(np.unique(self.born)) < size:
            raise ValueError("a support vector is there twice")


def _key(x: Row) -> bytes:
    return x.columns.tobytes() + x.values.tobytes()


def _combined(coefficients: Array, values: Array) -> Array:
    """The sum of `values` times the coefficients of each lane."""
    # einsum, because a product of this shape would wake the threads of BLAS
    return np.asarray(np.einsum("sk,s->k", coefficients[: len(values)], values))
