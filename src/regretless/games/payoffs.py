"""The matrix of a game: it is checked, scaled and multiplied, and its products bound the value.

A pair of strategies proves bounds on the value: `min_i (A q)_i <= v <= max_j (p'A)_j`. They are computed
in floating point, so an allowance for its rounding is added: each of the sums of k products is off by at
most `k u max|A|`, `u = 2^-53`, and by the error of the weights, which add up to 1 only nearly.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import Array, check_entries, numbers, sound
from regretless.base.rows import checked

Places: TypeAlias = NDArray[np.intp]

_ROUNDOFF = 2.0**-53
_MODERATE = 1e-150, 1e150  # payoffs whose sums and differences are finite


class Measured(NamedTuple):
    """A pair of strategies, which prove that the value is at least `lower` and at most `upper`."""

    row: Array
    column: Array
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """How far the two can be from an equilibrium."""
        return self.upper - self.lower


class Payoffs:
    """The losses of the row player: a matrix of `shape`, dense or sparse, in units of 2^`exponent`.

    Attributes: `low` and `high`, the least and the largest payoff; `largest`, the largest by size.

    >>> game = Payoffs(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> game.losses(np.array([0.25, 0.75])), game.gains(np.array([1.0, 0.0]))
    (array([0.75, 0.25]), array([0., 1.]))
    >>> even = np.array([0.5, 0.5])
    >>> game.measured(even, even).gap < 2e-15
    True
    """

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape: tuple[int, int] = matrix.shape
        self._sparse = not isinstance(matrix, np.ndarray)
        values = matrix.data if self._sparse else matrix
        self.low, self.high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        if self._sparse and matrix.nnz < math.prod(self.shape):
            self.low, self.high = min(self.low, 0.0), max(self.high, 0.0)
        self.largest = max(abs(self.low), abs(self.high))
        self.exponent = 0
        if self.largest and not _MODERATE[0] < self.largest < _MODERATE[1]:
            self.exponent = math.frexp(self.largest)[1]
            self.low, self.high, self.largest = (
                math.ldexp(x, -self.exponent) for x in (self.low, self.high, self.largest)
            )
            self.matrix = matrix = self._scaled(matrix)
        if self._sparse:
            places = np.ascontiguousarray(matrix.indices, np.int32)
            starts = np.ascontiguousarray(matrix.indptr, np.int64)
            self.core = _core.sparse_payoffs(starts, places, matrix.data, self.shape[1])
        else:
            self.core = _core.dense_payoffs(matrix)

    def _scaled(self, matrix: Any) -> Any:
        if not self._sparse:
            return np.ldexp(matrix, -self.exponent)
        scaled = matrix.copy()
        scaled.data = np.ldexp(matrix.data, -self.exponent)
        return scaled

    @property
    def work(self) -> int:
        """The number of entries that a round reads."""
        return int(self.matrix.nnz) if self._sparse else math.prod(self.shape)

    @property
    def rounding(self) -> float:
        """The largest allowance for rounding in a gap."""
        return 2.1 * (sum(self.shape) + 8) * _ROUNDOFF * self.largest

    def losses(self, column: Array) -> Array:
        """The losses of each row against a strategy of the column player: `A q`."""
        return self.core.losses(column)

    def gains(self, row: Array) -> Array:
        """The gains of each column against a strategy of the row player: `p'A`."""
        return self.core.gains(row)

    def part(self, rows: Places, columns: Places) -> Array:
        """The entries of some rows and columns, dense."""
        if self._sparse:
            return np.asarray(self.matrix[rows][:, columns].toarray())
        return np.asarray(self.matrix[np.ix_(rows, columns)])

    def pure(self) -> tuple[Array, Array]:
        """The pure strategies that are best if the other player sees them."""
        tops, bottoms = (
            (self.matrix.max(axis=1).toarray(), self.matrix.min(axis=0).toarray())
            if self._sparse
            else (self.matrix.max(axis=1), self.matrix.min(axis=0))
        )
        row = np.eye(1, self.shape[0], int(np.argmin(tops)))[0]
        return row, np.eye(1, self.shape[1], int(np.argmax(bottoms)))[0]

    def measured(self, row: Array, column: Array) -> Measured:
        """The bounds on the value that two strategies prove, with an allowance for rounding."""
        upper = float(self.gains(row).max()) + self._allowance(row)
        lower = float(self.losses(column).min()) - self._allowance(column)
        # every payoff is between `low` and `high`, and so is the value
        return Measured(row, column, max(lower, self.low), min(upper, self.high))

    def _allowance(self, strategy: Array) -> float:
        used = int(np.count_nonzero(strategy))
        if used == 1:  # nothing is rounded
            return 0.0
        off = abs(math.fsum(strategy.tolist()) - 1.0)
        return self.largest * 1.01 * ((used + 4) * _ROUNDOFF + off)


def read(payoffs: Any, name: str = "payoffs") -> Any:
    """The argument as a matrix of floats, or as compressed sparse rows, checked.

    >>> read([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
    ValueError: payoffs[1, 1] = nan is not finite; every pair of choices needs a payoff
    """
    if hasattr(payoffs, "tocsr"):
        matrix = checked(payoffs, name)
        matrix.data = numbers(matrix.data, name)
        matrix.sum_duplicates()
        values = matrix.data
    else:
        matrix = values = _floats(payoffs, name)
    if len(matrix.shape) != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{name} has shape {matrix.shape}, not (rows, columns) with at least one of each"
        )
    right, wrong = np.isfinite(values), "is not finite; every pair of choices needs a payoff"
    if values is matrix:
        check_entries(matrix, right, name, wrong)
    elif not right.all():
        at = int(np.argmin(right))
        i, j = int(np.searchsorted(matrix.indptr, at, "right")) - 1, int(matrix.indices[at])
        raise ValueError(f"{name}[{i}, {j}] = {values[at]} {wrong}")
    return matrix


def _floats(payoffs: Any, name: str) -> Array:
    try:
        array = np.asarray(sound(payoffs, name))
        if array.dtype.kind in "biuf" or array.dtype == object:
            return np.require(array, np.float64, ["C", "A"])
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(
        f"{name} is not a matrix of numbers: give rows of equally many payoffs, an array, a sparse "
        "matrix, or a function with shape=(rows, columns)"
    )


# --- the player who sees what the other one plays, and answers it best ----------------------------


class BestResponse:
    """A player that sees the other player's strategy of the round and plays the best answer to it.

    Of equally good choices it takes the first. Its regret is never positive, so that against it the gap
    is at most the other's mean regret (Mohri et al. (2018), Theorem 8.16).

    Parameters
    ----------
    n : how many choices.

    >>> BestResponse(3).respond([0.5, 0.2, 0.2])
    array([0., 1., 0.])
    """

    def __init__(self, n: int, *, range: Any = None) -> None:
        self.n = n

    def respond(self, losses: Any) -> Array:
        """The answer: all weight on the choice that loses least."""
        return np.asarray(np.eye(1, self.n, int(np.argmin(losses)))[0])

    def __repr__(self) -> str:
        return f"BestResponse({self.n})"
