"""The primal-dual learner's state: a dual vector and the sums of its theorems for every lane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless._core import Total
from regretless.base.arguments import Array
from regretless.base.model import PythonModel, Row, moved
from regretless.base.state import Parts
from regretless.geometry import Geometry
from regretless.linear.dual_updates import Turn, Update
from regretless.linear.dual_vector import DualVector, dual_vector, extended
from regretless.losses import Hinge

_FAR = 1e150  # the largest value in a file: its square is still finite
_EPS = float(np.finfo(float).eps)
_FRESH = 1024  # rounds after which the conjugate is computed from scratch, against drift

# Numbers kept for each lane: the rounds with a margin of 0 or less; the increases of the dual objective
# in those, and the smallest increase of all; its changes by new features and labels; the largest
# duality gap at which a problem of several variables was left.
RUN = ("mistakes", "gains", "least", "shifts", "gap")


class DualModel(PythonModel):
    """One dual vector per lane, over all columns (without that of the intercept if there is none)."""

    def __init__(
        self,
        *,
        loss: Hinge,
        geometry: Geometry,
        update: Update,
        C: float,
        dimension: int | None,
        bits: int,
        names: int,
        intercept: bool,
    ) -> None:
        super().__init__(loss, bits, names, intercept)
        self.geometry, self.update, self.C, self.dimension = geometry, update, C, dimension
        self.wanted = loss.margin
        self.skipped = 0 if intercept else 1  # columns
        self.duals = [dual_vector(geometry, self._size(self.reader.size))]
        self.gradient: Array = np.zeros(
            (self.duals[0].size, 1)
        )  # the sum of the gradients of the hinge losses
        self.run: Array = np.zeros((len(RUN), 1))
        self.weighed = 0  # examples with an importance other than 1

    def _size(self, known: int) -> int:
        """The number of coordinates for `known` columns."""
        size = known - self.skipped
        if self.dimension is None:
            return size
        most = self.dimension + 1 - self.skipped
        if size > most:
            raise ValueError(
                f"dimension={self.dimension}, but there are more features; raise it or leave it out"
            )
        return most

    def _placed(self, x: Row) -> Row:
        return Row(x.columns - self.skipped, x.values, self._size(x.known))

    # --- the algorithm -------------------------------------------------------------------------------

    def predict(self, x: Row) -> Array:
        x = self._placed(x)
        return np.array([dual.score(x) for dual in self.duals])

    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        x = self._placed(x)
        past = self.update.past
        marks = [dual.mark() for dual in self.duals]
        kept = self.run.copy(), self.update.curvature, past and past.mark()
        try:
            return self._learn(x, y, importance)
        except BaseException:
            for dual, mark in zip(self.duals, marks):
                dual.rewind(mark)
            self.run, self.update.curvature, mark = kept
            if past is not None:
                past.rewind(mark)
            raise

    def _learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        update, cap = self.update, self.C * importance
        for k, dual in enumerate(self.duals):
            before = self.value(dual)
            dual.grow(x.known)
            self.run[3, k] += self.value(dual) - before
        scores = np.array([dual.score(x) for dual in self.duals])
        margins = y * scores
        update.curvature = max(update.curvature, self.duals[0].curvature(x))
        at = update.past.add(x, y, cap) if update.past is not None else 0
        for k, dual in enumerate(self.duals):
            before = self.value(dual)
            update(dual, Turn(x, float(y[k]), float(margins[k]), cap, at, k))
            gain = self.value(dual) - before
            if dual.straight and self.totals[Total.rounds][k] % _FRESH == _FRESH - 1:
                dual.refresh()
            if margins[k] <= 0.0:
                self.run[:2, k] += 1.0, gain
            self.run[2, k] = min(self.run[2, k], gain)
            self.run[4, k] = max(self.run[4, k], update.gap)
        self.weighed += importance != 1.0
        short = margins < self.wanted
        self.totals[Total.squares] += np.where(short, importance**2 * x.square, 0.0)
        self.gradient = extended(self.gradient, max(x.known, len(self.gradient)))
        self.gradient[x.columns] -= np.outer(x.values, importance * y * short)
        return scores, np.where(short, self.wanted - margins, 0.0), np.where(short, -margins, 0.0)

    def value(self, dual: DualVector) -> float:
        """The dual objective, `margin sum alpha - G(theta)`."""
        return self.wanted * dual.total - dual.conjugate

    def rounding(self) -> float:
        """A bound on the rounding error of the dual objective of all lanes."""
        return sum(
            4.0 * _EPS * (dual.moves + dual.size) * (self.wanted * dual.total + abs(dual.conjugate))
            for dual in self.duals
        )

    # --- the learned state ---------------------------------------------------------------------------

    def weights(self) -> Array:
        table = np.zeros((self.reader.size, self.lanes))
        there = slice(self.skipped, None)
        for k, dual in enumerate(self.duals):
            w = dual.weights()[: len(table) - self.skipped]
            table[there, k][: len(w)] = w
        return table.ravel()

    @property
    def has_gradient_sum(self) -> bool:
        return True

    def gradient_norms(self) -> Sequence[float]:
        sizes = np.abs(self.gradient).ravel()
        return [
            float(np.sum(sizes)),
            float(np.sqrt(np.sum(sizes**2))),
            float(sizes.max(initial=0.0)),
            float(np.count_nonzero(sizes)),
        ]

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        fresh = dual_vector(self.geometry, self.duals[0].size)
        old = [self.value(dual) for dual in self.duals]
        self.duals = [
            self.duals[source].copy(sign) if source >= 0 else fresh.copy()
            for source, sign in zip(sources, signs.tolist())
        ]
        self.run = moved(self.run, sources)
        for k, source in enumerate(sources):
            if source >= 0:
                self.run[3, k] += self.value(self.duals[k]) - old[source]
        self.gradient = moved(self.gradient, sources, signs)
        if self.update.past is not None:
            self.update.past.relabel(sources, signs)

    def arrays(self) -> dict[str, NDArray[Any]]:
        past = self.update.past
        return {
            "theta": np.array([dual.theta for dual in self.duals]),
            "sums": np.array([[dual.total, dual.conjugate, dual.moves] for dual in self.duals]),
            "gradient": self.gradient,
            "run": self.run,
            "seen": np.array([self.update.curvature, self.weighed]),
            **({} if past is None else past.arrays()),
        }

    def take(self, parts: Parts) -> None:
        size, lanes = self._size(self.reader.size), self.lanes
        theta = parts.array("theta", (lanes, size), -_FAR, _FAR)
        sums = parts.array("sums", (lanes, 3))
        self.run = parts.array("run", (len(RUN), lanes))
        self.gradient = parts.array("gradient", (size, lanes), -_FAR, _FAR)
        for k, dual in enumerate(self.duals):
            dual.theta = theta[k].copy()
            dual.refresh()
            total, conjugate, moves = sums[k].tolist()
            scale = abs(dual.conjugate) + abs(conjugate) + 1e-300
            if min(total, moves) < 0 or not abs(dual.conjugate - conjugate) <= 1e-6 * scale:
                raise ValueError(f"sums of lane {k} do not belong to its dual vector")
            dual.total, dual.conjugate, dual.moves = total, conjugate, int(moves)
        self.update.curvature, weighed = parts.array("seen", (2,), 0.0).tolist()
        if not weighed.is_integer() or weighed > 2**53:
            raise ValueError(f"seen has {weighed} weighted examples, which is not a valid number")
        self.weighed = int(weighed)
        if self.update.past is not None:
            self.update.past.take(parts, lanes, size)
