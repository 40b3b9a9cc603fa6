"""Kernels: inner products in a feature space that is never computed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import Array, one_of
from regretless.base.model import Row, Rows
from regretless.base.state import Parts

# --- stored examples, and their products with a new one -------------------------------------------

# A dense product is done in blocks of this many numbers, for which BLAS does not start its threads:
# starting them takes longer than the product.
_BLOCK = 8192
# Sparse rows take more time and space per number; they are used when dense ones would be mostly 0.
_LARGE, _SPARSE = 2**20, 16
_MOST = 1e19  # the largest value of a feature, as in all learners
_TOGETHER = 2**17  # numbers in a table for several examples


def _room(size: int) -> int:
    """`size` rounded up to three binary digits: arrays of this size grow by at least an eighth.

    The result depends on the size alone, so that a loaded model has the same blocks and roundings.
    """
    step = 1 << max(3, size.bit_length() - 3)
    return _whole(size, step)


def _whole(size: int, step: int) -> int:
    return -(-size // step) * step


def _height(width: int) -> int:
    """The number of rows of a block."""
    return max(1, _BLOCK // max(1, width))


def together(numbers: int) -> int:
    """The number of examples to predict at once if a table has `numbers` entries for each."""
    return max(1, _TOGETHER // max(1, numbers))


class SupportVectors:
    """Rows of numbers with their squared norms, dense unless most entries are 0, then sparse.

    The columns of a given `Row` must increase.

    `products(x)` takes one pass over the rows: a matrix-vector product, or a gather over the entries.

    >>> rows = SupportVectors()
    >>> rows.append(Row(np.array([1, 3]), np.array([1.0, 2.0]), 4))
    >>> rows.append(Row(np.array([2]), np.array([5.0]), 4))
    >>> rows.products(Row(np.array([2, 3, 7]), np.array([1.0, 10.0, 9.0]), 8))
    array([20.,  5.])
    >>> rows.squares
    array([ 5., 25.])
    """

    def __init__(self) -> None:
        self.size = 0
        self._dense: Array | None = np.zeros((0, 0))
        self._x: Array = np.zeros(0)  # scratch: a row spread out, all 0 between calls
        self._squares: Array = np.zeros(0)
        # sparse entries: row, column and value
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._columns: NDArray[np.int64] = np.zeros(0, np.int64)
        self._values: Array = np.zeros(0)
        self._entries = 0

    @property
    def squares(self) -> Array:
        """The squared norm `||s||^2` of each row."""
        return self._squares[: self.size]

    @property
    def width(self) -> int:
        """The number of columns for which there is room."""
        return len(self._x)

    def products(self, x: Row) -> Array:
        """The product `<s, x>` of each row s."""
        within = int(np.searchsorted(x.columns, self.width))
        columns = x.columns[:within]
        self._x[columns] = x.values[:within]
        try:
            if self._dense is None:
                there = slice(self._entries)
                terms = self._values[there] * self._x[self._columns[there]]
                return np.asarray(np.bincount(self._rows[there], terms, self.size), float)
            if not self.width:
                return np.zeros(self.size)
            height = _height(self.width)
            used = self._dense[: _whole(self.size, height)]
            return (used.reshape(-1, height, self.width) @ self._x).ravel()[: self.size]
        finally:
            self._x[columns] = 0.0

    def products_of_many(self, X: Rows) -> Iterator[tuple[Rows, Array]]:
        """Parts of the examples, each with its products `<s, x>` (examples x rows).

        The products are those of `products`, bit for bit if the rows are dense. Parts are small enough
        that memory does not grow with the number of examples.
        """
        if self._dense is None:
            yield from self._sparse_products(X)
            return
        height = _height(self.width)
        tall = _whole(self.size, height)
        used = self._dense[:tall].reshape(tall // height, height, self.width)
        for part in X.blocks(together(max(tall, self.width))):
            within = part.columns < self.width
            table = np.zeros((len(part), self.width))
            table[part.owners[within], part.columns[within]] = part.values[within]
            # one matrix-vector product each: a product of two matrices adds in another order
            products = used @ table[:, None, :, None]
            yield part, products.reshape(len(part), tall)[:, : self.size]

    def _sparse_products(self, X: Rows) -> Iterator[tuple[Rows, Array]]:
        from scipy.sparse import csr_array

        there = slice(self._entries)
        where = self._columns[there], self._rows[there]
        kept = csr_array((self._values[there], where), shape=(self.width, self.size))
        for part in X.blocks(together(self.size)):
            within = part.columns < self.width
            where = part.owners[within], part.columns[within]
            table = csr_array((part.values[within], where), shape=(len(part), self.width))
            yield part, (table @ kept).toarray()

    def append(self, x: Row) -> None:
        """Store a row."""
        self.size += 1
        self._squares = _grown(self._squares, (_room(self.size),))
        self._put(self.size - 1, x)

    def replace(self, at: int, x: Row) -> None:
        """Store a row in the place of another."""
        if self._dense is not None:
            self._entries -= int(np.count_nonzero(self._dense[at]))
            self._dense[at] = 0.0
        else:
            kept = np.flatnonzero(self._rows[: self._entries] != at)
            self._entries = len(kept)
            for array in (self._rows, self._columns, self._values):
                array[: len(kept)] = array[kept]
        self._put(at, x)

    def _put(self, at: int, x: Row) -> None:
        self._squares[at] = x.square
        width = _room(int(x.columns[-1]) + 1) if len(x.columns) else 0
        if width > self.width:
            self._x = np.zeros(width)
        count = self._entries + len(x.columns)
        cells = _room(self.size) * self.width
        if self._dense is not None and cells > max(_LARGE, _SPARSE * count):
            self._thin()
        if self._dense is None:
            for name, new in (("_rows", at), ("_columns", x.columns), ("_values", x.values)):
                grown = _grown(getattr(self, name), (_room(count),))
                grown[self._entries : count] = new
                setattr(self, name, grown)
        else:
            tall = _whole(_room(self.size), _height(self.width))
            self._dense = _grown(self._dense, (tall, self.width))
            self._dense[at, x.columns] = x.values
        self._entries = count

    def _thin(self) -> None:
        assert self._dense is not None
        self._rows, self._columns = np.nonzero(self._dense)
        self._values = self._dense[self._rows, self._columns]
        self._dense = None

    def row(self, at: int, known: int) -> Row:
        """The row stored at a place, with `known` columns."""
        if self._dense is not None:
            columns = np.flatnonzero(self._dense[at])
            return Row(columns, self._dense[at, columns], known)
        there = np.flatnonzero(self._rows[: self._entries] == at)
        return Row(self._columns[there], self._values[there], known)

    def matrix(self, width: int) -> Array:
        """All rows as a dense array with `width` columns."""
        out = np.zeros((self.size, width))
        if self._dense is not None:
            shared = min(width, self.width)
            out[:, :shared] = self._dense[: self.size, :shared]
        else:
            there = slice(self._entries)
            out[self._rows[there], self._columns[there]] = self._values[there]
        return out

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows as arrays, for a file."""
        if self._dense is not None:
            rows, columns = np.nonzero(self._dense)
            values = self._dense[rows, columns]
        else:
            there = slice(self._entries)
            rows, columns, values = self._rows[there], self._columns[there], self._values[there]
        return {
            "support_form": np.array([self.size, self.width, self._dense is not None]),
            "support_rows": rows.astype(np.int64),
            "support_columns": columns.astype(np.int64),
            "support_values": values,
            "support_squares": self.squares,
        }

    @classmethod
    def of(cls, parts: Parts) -> "SupportVectors":
        """The support vectors restored from `arrays`."""
        self = cls()
        form = parts.array("support_form", (3,), 0, 2**53, np.int64)
        self._squares = parts.array("support_squares", (None,), 0.0)
        values = parts.array("support_values", (None,), -_MOST, _MOST)
        self.size, width, dense = form.tolist()
        count = (len(values),)
        rows = parts.array("support_rows", count, 0, self.size - 1, np.int64)
        columns = parts.array("support_columns", count, 0, width - 1, np.int64)
        if len(self._squares) != self.size or dense > 1:
            raise ValueError("support_form does not belong to the support vectors")
        if width > _room(int(columns.max(initial=-1)) + 1) and (dense or width > _LARGE):
            raise ValueError(f"support_form has {width} columns, more than are known")
        if ((np.diff(rows) < 0).any() and dense) or len({*zip(rows, columns)}) < len(rows):
            raise ValueError("an entry of the support vectors occurs twice")
        squares = np.bincount(rows, values * values, self.size)
        if not np.allclose(squares, self._squares, rtol=1e-9, atol=0.0):
            raise ValueError("support_squares do not belong to the support vectors")
        self._x = np.zeros(width)
        self._entries = len(values)
        if dense:
            self._dense = np.zeros((_whole(_room(self.size), _height(width)), width))
            self._dense[rows, columns] = values
        else:
            self._dense = None
            self._rows, self._columns = rows.copy(), columns.copy()
            self._values = values.copy()
        return self


def _grown(array: Array, shape: tuple[int, ...]) -> Array:
    """The array with room for `shape`; the array itself if it is large enough."""
    if all(have >= want for have, want in zip(array.shape, shape)):
        return array
    out = np.zeros(tuple(max(have, want) for have, want in zip(array.shape, shape)), array.dtype)
    out[tuple(slice(n) for n in array.shape)] = array
    return out


# --- kernels: inner products in a feature space that is never computed ----------------------------

Function = Callable[[Any, Any], Any]
_WIDEST = 2**20  # columns with larger numbers stay sparse


class Kernel(ABC):
    """A positive semi-definite function of two examples."""

    name: str
    linear = False

    @abstractmethod
    def between(self, rows: SupportVectors, x: Row) -> Array:
        """The value `K(s, x)` for every row s."""

    @abstractmethod
    def tables(self, rows: SupportVectors, X: Rows) -> Iterator[Array]:
        """The values for several examples, some at a time (examples x rows)."""

    @abstractmethod
    def square(self, x: Row) -> float:
        """The value `K(x, x)`."""


class _OfProducts(Kernel):
    """A kernel given as an elementwise function of `<s, x>`, `||s||^2` and `||x||^2`."""

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
    """The linear kernel `<s, x>`, whose space is that of the examples."""

    linear = True


class _Yours(Kernel):
    """A kernel given as a function of two matrices.

    If all features are numbered their numbers are the columns; otherwise the columns are in the order
    in which the features appeared.
    """

    def __init__(self, function: Function, reader: _core.Reader) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function, self._reader = function, reader
        self._places: NDArray[np.int64] = np.zeros(0, np.int64)
        self._known = (0, 0)  # the numbers of columns and names that these places cover

    def between(self, rows: SupportVectors, x: Row) -> Array:
        if not rows.size:
            return np.zeros(0)
        places = self._where(x.known)
        return self._call(self._left(rows, places), self._spread(x, places))[:, 0]

    def tables(self, rows: SupportVectors, X: Rows) -> Iterator[Array]:
        # the function may depend on the number of columns, so a call has examples with equally many
        edges = [*np.flatnonzero(np.diff(X.known, prepend=-1)).tolist(), len(X)]
        for first, last in pairwise(edges):
            same = X.part(first, last)
            if not rows.size:
                yield np.zeros((len(same), 0))
                continue
            places = self._where(int(same.known[0]))
            left = self._left(rows, places)
            # the function may also hold a number for each pair of rows and each column
            for part in same.blocks(together(left.size)):
                right = np.zeros((len(part), left.shape[1]))
                right[part.owners, places[part.columns - 1]] = part.values
                yield self._call(left, right).T

    def square(self, x: Row) -> float:
        right = self._spread(x, self._where(x.known))
        return self._call(right, right).item()

    def _where(self, width: int) -> NDArray[np.int64]:
        """The column of the function's matrices for each column except the intercept's."""
        if self._known != (width, self._reader.size):
            names = self._reader.names()
            places = list(range(width - 1))
            if all(isinstance(name, int) and 0 <= name < _WIDEST for name in names.values()):
                # features without a name yet come after all that have one
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
                f"it must be {(len(left), len(right))}, one number for each pair"
            )
        return out


def known_kernel(kernel: Any, name: str) -> Any:
    """Return the kernel if it is a known name or a function; otherwise raise `ValueError`."""
    if callable(kernel):
        return kernel
    return one_of(kernel, name, ("linear", "polynomial", "rbf"), ", nor a function of two matrices")


def kernel_of(kernel: Any, degree: int, gamma: float, coef0: float, reader: _core.Reader) -> Kernel:
    """The kernel that the options name; `reader` knows the names of the features."""
    if callable(kernel):
        return _Yours(kernel, reader)
    if kernel == "linear":
        return _Linear(kernel, lambda products, *_: products)
    scale, shift = float(gamma), float(coef0)
    if kernel == "rbf":
        return _OfProducts(kernel, lambda *parts: _gauss(scale, *parts))
    return _OfProducts(kernel, lambda p, *_: (scale * p + shift) ** int(degree))


def _gauss(gamma: float, products: Array, squares: Array, square: Array | float) -> Array:
    """`exp(-gamma ||s - x||^2)`, in the memory of `products`."""
    products *= 2.0
    products -= squares
    products -= square
    products *= gamma
    np.minimum(products, 0.0, out=products)  # rounding may make a distance negative
    return np.exp(products, out=products)
