"""Kernels: inner products in a space that nobody has to write down."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.arguments import not_negative, one_of, positive, whole
from regretless.linear.model import Array, Row, Rows
from regretless.linear.support_vectors import SupportVectors, together

__all__ = ["Kernel", "kernel_of"]

Function = Callable[[Any, Any], Any]
_WIDEST = 2**20  # columns with larger numbers are not spread out


class Kernel(ABC):
    """A positive semi-definite function of two examples."""

    name: str
    linear = False

    @abstractmethod
    def between(self, rows: SupportVectors, x: Row) -> Array:
        """`K(s, x)` of every row."""

    @abstractmethod
    def tables(self, rows: SupportVectors, X: Rows) -> Iterator[Array]:
        """The same for several examples, some at a time (examples x rows)."""

    @abstractmethod
    def square(self, x: Row) -> float:
        """`K(x, x)`."""


class _OfProducts(Kernel):
    """A function of `<s, x>`, `||s||^2` and `||x||^2`, given elementwise."""

    def __init__(self, name: str, function: Callable[[Array, Array, Array | float], Array]) -> None:
        self.name, self._function = name, function

    def between(self, rows: SupportVectors, x: Row) -> Array:
        return self._function(rows.products(x), rows.squares, x.square)

    def tables(self, rows: SupportVectors, X: Rows) -> Iterator[Array]:
        for part, products in rows.products_of_many(X):
            yield self._function(products, rows.squares, part.squares[:, None])

    def square(self, x: Row) -> float:
        own = np.array([x.square])
        return self._function(own.copy(), own, x.square).item()


class _Linear(_OfProducts):
    """Whose space is that of the examples."""

    linear = True


class _Yours(Kernel):
    """A function of two matrices.

    Where all features are numbered their numbers are the columns; otherwise the columns are in the
    order in which the features appeared.
    """

    def __init__(self, function: Function, reader: _core.Reader) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function, self._reader = function, reader
        self._places: NDArray[np.int64] = np.zeros(0, np.int64)
        self._known = (0, 0)  # for how many columns and names these places are

    def between(self, rows: SupportVectors, x: Row) -> Array:
        if not rows.size:
            return np.zeros(0)
        places = self._where(x.known)
        return self._call(self._left(rows, places), self._spread(x, places))[:, 0]

    def tables(self, rows: SupportVectors, X: Rows) -> Iterator[Array]:
        # a function may look at the number of columns: together are examples that have as many
        edges = [*np.flatnonzero(np.diff(X.known, prepend=-1)).tolist(), len(X)]
        for first, last in pairwise(edges):
            same = X.part(first, last)
            if not rows.size:
                yield np.zeros((len(same), 0))
                continue
            places = self._where(int(same.known[0]))
            left = self._left(rows, places)
            # it may also hold a number for each pair of rows and each column
            for part in same.blocks(together(left.size)):
                right = np.zeros((len(part), left.shape[1]))
                right[part.owners, places[part.columns - 1]] = part.values
                yield self._call(left, right).T

    def square(self, x: Row) -> float:
        right = self._spread(x, self._where(x.known))
        return self._call(right, right).item()

    def _where(self, width: int) -> NDArray[np.int64]:
        """The column of the function's matrices for each of ours but the intercept's."""
        if self._known != (width, self._reader.size):
            names = self._reader.names()
            places = list(range(width - 1))
            if all(isinstance(name, int) and 0 <= name < _WIDEST for name in names.values()):
                # those that have no name yet come after all that have one
                beyond = max(names.values(), default=-1) - len(names)
                places = [names.get(j, beyond + j) for j in range(1, width)]
            self._places = np.array(places, np.int64)
            self._known = width, self._reader.size
        return self._places

    @staticmethod
    def _left(rows: SupportVectors, places: NDArray[np.int64]) -> Array:
        out = np.zeros((rows.size, places.max(initial=-1) + 1))
        out[:, places] = rows.matrix(len(places) + 1)[:, 1:]
        return out

    @staticmethod
    def _spread(x: Row, places: NDArray[np.int64]) -> Array:
        out = np.zeros((1, places.max(initial=-1) + 1))
        out[0, places[x.columns - 1]] = x.values
        return out

    def _call(self, left: Array, right: Array) -> Array:
        out = np.asarray(self._function(left, right), float)
        if out.shape != (len(left), len(right)):
            raise ValueError(
                f"kernel={self.name} returned shape {out.shape} for {len(left)} and {len(right)} rows; "
                f"it must be {(len(left), len(right))}: a number for each pair"
            )
        return out


def kernel_of(kernel: Any, degree: Any, gamma: Any, coef0: Any, reader: _core.Reader) -> Kernel:
    """The kernel that the options name; `reader` knows the names of the features."""
    if callable(kernel):
        return _Yours(kernel, reader)
    one_of(kernel, "kernel", ("linear", "polynomial", "rbf"), ", nor a function of two matrices")
    if kernel == "linear":
        return _Linear(kernel, lambda products, *_: products)
    scale = positive(gamma, "gamma")
    if kernel == "rbf":
        return _OfProducts(kernel, lambda *parts: _gauss(scale, *parts))
    whole(degree, "degree")
    shift = not_negative(coef0, "coef0", ", or the kernel is none")
    return _OfProducts(kernel, lambda p, *_: (scale * p + shift) ** int(degree))


def _gauss(gamma: float, products: Array, squares: Array, square: Array | float) -> Array:
    """`exp(-gamma ||s - x||^2)`, in the memory of `products`."""
    products *= 2.0
    products -= squares
    products -= square
    products *= gamma
    np.minimum(products, 0.0, out=products)  # rounding may make a distance negative
    return np.exp(products, out=products)
