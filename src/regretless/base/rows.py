"""Everything that can be a row or a batch, brought into the few forms that the core reads.

A row means the same in every form. What is 0, missing or absent is the same thing. A string is a
category: the value "red" of the feature "colour" is the feature "colour=red" with value 1. A name of
digits is the number: "7" and 7 are one feature. What a row has twice is added up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import Array, numbers, shown, sound

# --- sparse matrices of every format, looked at before any code trusts what they say of -----------

Compressed: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]


def compressed(X: Any, name: str = "X") -> Compressed:
    """Starts, columns and values of compressed rows; `starts` is a copy, the others may be the user's.

    SciPy's conversions read and write wherever the indices say, so that those of every other format
    are checked first. What the result says is not: `_core.survey` does that, or `checked`.

    >>> from scipy.sparse import coo_array
    >>> X = coo_array(([2.0], ([1], [0])), shape=(2, 2))
    >>> [part.tolist() for part in compressed(X)]
    [[0, 0, 1], [0], [2.0]]
    >>> X.coords = np.array([7]), np.array([0])
    >>> compressed(X)
    Traceback (most recent call last):
    ValueError: X is malformed: it has an entry in row 7, but its shape is (2, 2)
    """
    if len(X.shape) != 2:
        raise ValueError(
            f"{name} has shape {X.shape}: rows and columns are expected; one row goes to learn_one"
        )
    if X.shape[1] >= 2**31:
        raise ValueError(f"{name} has {X.shape[1]} columns, more than 2^31 - 1; hash them first")
    try:
        if X.format != "csr":
            X = _converted(X)
        # aligned: numbers of a view of bytes can lie anywhere
        parts = (X.indptr, X.indices, X.data)
        starts, columns, values = (np.require(part, requirements="A") for part in parts)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is malformed: {error}") from error
    kinds = starts.dtype.kind, columns.dtype.kind
    if kinds != ("i", "i") or not starts.ndim == columns.ndim == values.ndim == 1:
        raise ValueError(f"{name} is malformed: X.indptr and X.indices must be vectors of integers")
    if starts.size != X.shape[0] + 1:
        raise ValueError(
            f"{name} is malformed: X.indptr has {starts.size} entries for {X.shape[0]} rows"
        )
    if columns.itemsize > 4:
        wide, columns = np.ascontiguousarray(columns, np.int64), np.empty(columns.shape, np.int32)
        if not _core.narrow(wide, columns):
            raise ValueError(
                f"{name}.indices has a column outside {name}.shape: {name} is malformed"
            )
    return starts.astype(np.int64), columns.astype(np.int32, copy=False), values


def checked(X: Any, name: str = "X") -> Any:
    """A matrix of compressed rows, no part of which points outside it; none of its arrays is the user's.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array(np.eye(2))
    >>> X.indices[0] = 99
    >>> checked(X)
    Traceback (most recent call last):
    ValueError: X is malformed: its indices do not fit its shape
    """
    from scipy.sparse import csr_array

    starts, columns, values = compressed(X, name)
    columns = columns.copy()
    inside = not columns.size or (columns.min() >= 0 and columns.max() < X.shape[1])
    if starts[0] != 0 or (np.diff(starts) < 0).any() or starts[-1] != len(columns) or not inside:
        raise ValueError(f"{name} is malformed: its indices do not fit its shape")
    if len(values) != len(columns):
        raise ValueError(f"{name} is malformed: its indices do not fit its values")
    return csr_array((values.copy(), columns, starts), shape=X.shape)


def _converted(X: Any) -> Any:
    """Compressed rows of another format that has been checked."""
    if X.format in ("csc", "bsr"):
        X.check_format()
        if X.format == "bsr" and len(X.data) != len(X.indices):
            raise ValueError(f"{len(X.indices)} blocks are placed, {len(X.data)} are there")
        return X.tocsr()
    if X.format == "lil" and [*map(len, X.rows)] != [*map(len, X.data)]:
        raise ValueError("a row has more columns than values, or fewer")
    if X.format == "dia" and len(X.offsets) != len(X.data):
        raise ValueError(f"there are {len(X.data)} diagonals and {len(X.offsets)} offsets")
    coo = X.tocoo()
    for axis, (places, size) in enumerate(zip(coo.coords, coo.shape)):
        if places.shape != coo.data.shape or places.dtype.kind != "i":
            raise ValueError(f"it has {coo.data.size} values, and {shown(places)} as their places")
        for place in (places.min(), places.max()) if places.size else ():
            if not 0 <= place < size:
                where = "column" if axis else "row"
                raise ValueError(f"it has an entry in {where} {place}, but its shape is {X.shape}")
    return coo.tocsr()


# --- everything that can be a row or a batch, brought into the few forms that the core reads ------

Row = dict[Any, Any] | tuple[NDArray[np.int64], Array]


def row(x: Any) -> Row:
    """One example as the core reads it: a dict, or columns and values.

    >>> row([0.0, 2.0])
    (array([0, 1]), array([0., 2.]))
    """
    if isinstance(x, dict):
        return x
    if isinstance(x, Mapping):
        return dict(x)
    if hasattr(x, "tocsr") or hasattr(x, "tocoo"):
        return _sparse_row(x)
    if hasattr(x, "index") and hasattr(x, "items"):  # a pandas Series
        return dict(x.items())
    values = numbers(x, "x", "a row (a dict, a vector or a sparse row)")
    if values.ndim == 2 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 1:
        raise ValueError(
            f"x has shape {values.shape}: one row is expected; for several use learn_many or predict"
        )
    return np.arange(values.size), np.ascontiguousarray(values)


def _sparse_row(x: Any) -> Row:
    if len(x.shape) == 1:
        x = x.reshape(1, -1)
    if x.shape[0] != 1:
        raise ValueError(f"x has shape {x.shape}: one row is expected; for several use learn_many")
    batch = _csr(x, "x")
    part = slice(*batch.starts)
    return batch.columns[part].astype(np.int64), batch.values[part]


@dataclass(frozen=True, slots=True)
class CSR:
    """Sparse rows: row t has `columns` and `values` from `starts[t]` to `starts[t + 1]`."""

    width: int
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Array
    has_zero: bool

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.starts.size - 1

    def __getitem__(self, rows: slice) -> "CSR":
        start, stop, _ = rows.indices(self.size)
        part = replace(self, starts=self.starts[start : stop + 1])
        # columns and values are the user's, who may have changed them since they were looked at
        is_sorted, has_zero = _core.survey(part.width, part.starts, part.columns, part.values, "X")
        if not is_sorted:
            raise ValueError("X has changed since it was given: its columns are no longer sorted")
        return replace(part, has_zero=has_zero)

    def feed(self, core: Any, labels: Any, importance: Any, more: Any) -> Any:
        """Give the rows to the core; `more`, what a learner shall tell, or the scores of an audit."""
        arrays = self.width, self.starts, self.columns, self.values, self.has_zero
        return core.csr(*arrays, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One row, as a dict."""
        part = slice(self.starts[t], self.starts[t + 1])
        return dict(zip(self.columns[part].tolist(), self.values[part].tolist()))


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, each `(name, numbers)` or `(name, codes, categories)`; code -1 is missing.

    No two features have the same name.
    """

    size: int
    columns: list[tuple[Any, ...]]

    def __getitem__(self, rows: slice) -> "Table":
        start, stop, _ = rows.indices(self.size)
        cut = [(c[0], c[1][start:stop], *c[2:]) for c in self.columns]
        return Table(stop - start, cut)

    def feed(self, core: Any, labels: Any, importance: Any, more: Any) -> Any:
        """Give the rows to the core."""
        return core.table(self.size, self.columns, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One row, as a dict."""
        out = {}
        for name, values, *categories in self.columns:
            if not categories:
                if value := values[t].item():
                    out[name] = value
            elif values[t] >= 0:
                out[f"{name}={categories[0][values[t]]}"] = 1.0
        return out


@dataclass(slots=True)
class Form:
    """How a reader of text writes features down: as rows of a hashed bank, by name, or both.

    A learner that wants no more names says so while the stream is being read.
    """

    bits: int = 0
    intercept: bool = True
    named: bool = True


@dataclass(frozen=True, slots=True)
class Parsed:
    """Examples that a reader has made of some lines; `first` to `last` of them.

    `columns` are those of the table that the lines are from, names and kinds, if it is one.
    """

    examples: _core.Examples
    first: int
    last: int
    columns: tuple[tuple[Any, str], ...] | None = None

    @property
    def size(self) -> int:
        """Number of examples."""
        return self.last - self.first

    def __getitem__(self, rows: slice) -> "Parsed":
        start, stop, _ = rows.indices(self.size)
        return replace(self, first=self.first + start, last=self.first + stop)

    def feed(self, core: Any, labels: Any, importance: Any, more: Any) -> Any:
        """Give the examples to the core."""
        return core.examples(self.examples, self.first, self.last, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One of the examples, as a dict."""
        return self.examples.row(self.first + t)


@dataclass(frozen=True, slots=True)
class Located:
    """Examples whose features have been found: example t has `rows` and `values` from `starts[t]`."""

    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    values: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Number of examples."""
        return self.starts.size - 1

    def __getitem__(self, rows: slice) -> "Located":
        start, stop, _ = rows.indices(self.size)
        return replace(self, starts=self.starts[start : stop + 1])

    def feed(self, core: Any, labels: Any, importance: Any, more: Any) -> Any:
        """Give the examples to the core."""
        arrays = self.starts, self.rows, self.values
        return core.located(*arrays, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """Refused: the names have been left behind."""
        raise ValueError("examples from a cache have no names")


Batch = CSR | Table | Parsed | Located


def batch(X: Any) -> Batch:
    """Several examples: a sparse matrix, a 2-d array, a data frame or an Arrow table.

    >>> batch(np.eye(2)).size
    2
    """
    if isinstance(X, Batch):
        return X
    if hasattr(X, "tocsr"):
        return _csr(X)
    if hasattr(X, "column_names") and hasattr(X, "schema"):
        return _arrow(X)
    check_eager(X)
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return _arrow(X.to_arrow()) if hasattr(X, "to_arrow") else _pandas(X)
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        raise ValueError("X is a list of dicts: call learn_one or predict_one for each of them")
    dense = numbers(X, "X", "a batch (a sparse matrix, a 2-d array, a data frame or a table)")
    if dense.ndim != 2:
        raise ValueError(
            f"X has shape {dense.shape}: rows and columns are expected; one row goes to learn_one"
        )
    return Table(dense.shape[0], [(j, dense[:, j]) for j in range(dense.shape[1])])


def _csr(X: Any, name: str = "X") -> CSR:
    starts, columns, data = compressed(X, name)
    arrays = X.shape[1], starts, columns, numbers(data, name, "made of numbers")
    is_sorted, has_zero = _core.survey(*arrays, name)
    return CSR(*arrays, has_zero) if is_sorted else _sorted(CSR(*arrays, has_zero))


def _sorted(X: CSR) -> CSR:
    """The same rows with increasing columns; what stands twice in a row is added up."""
    of_row = np.repeat(np.arange(X.size), np.diff(X.starts))
    part = slice(X.starts[0], X.starts[-1])
    order = np.lexsort((X.columns[part], of_row))  # stable: values are added up in their order
    columns = X.columns[part][order].astype(np.int64)
    examples = _core.Examples(0, False, True)
    examples.add_rows(X.starts - X.starts[0], columns, X.values[part][order], [])
    starts, columns, values = examples.columns()
    return CSR(X.width, starts, columns.astype(np.int32), values, False)


def _table(size: int, columns: list[tuple[Any, ...]]) -> Table | Parsed:
    """A table; by name, if a category is called like a column or a category of another."""
    texts = [str(name) for name, *_ in columns]
    prefixes = tuple(f"{text}=" for text, column in zip(texts, columns) if len(column) == 3)
    if not any(text.startswith(prefixes) for text in texts):
        return Table(size, columns)
    names: list[str] = []
    entries = []
    for text, (_, values, *categories) in zip(texts, columns):
        if categories:
            (where,) = (values >= 0).nonzero()
            entries.append((where, len(names) + values[where], np.ones(where.size)))
            names += [f"{text}={category}" for category in categories[0]]
        else:
            (where,) = values.nonzero()
            entries.append((where, np.full(where.size, len(names)), values[where]))
            names.append(text)
    of_row, features, numbers = (np.concatenate(parts) for parts in zip(*entries))
    order = np.argsort(of_row, kind="stable")
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(of_row, minlength=size), out=starts[1:])
    examples = _core.Examples(0, False, True)
    examples.add_rows(starts, features[order].astype(np.int64), numbers[order], names)
    return Parsed(examples, 0, size)


def _pandas(X: Any) -> Table | Parsed:
    names = column_names(list(X.columns))
    columns: list[tuple[Any, ...]] = []
    for at, name in enumerate(names):
        column = sound(X.iloc[:, at], f"X[{name!r}]")
        if column.dtype.kind in "biuf":
            missing = {} if isinstance(column.dtype, np.dtype) else {"na_value": np.nan}
            columns.append((name, _present(column.to_numpy(np.float64, **missing))))
        elif column.dtype.kind in "mMc":
            raise ValueError(
                f"X[{name!r}] is of type {column.dtype}: turn it into numbers or strings"
            )
        else:
            try:
                codes, values = column.factorize()
            except TypeError:  # lists and the like
                raise ValueError(
                    f"X[{name!r}] holds what is no number, bool or string; spread it over columns"
                ) from None
            columns.append((name, *_coded(name, codes, values)))
    return _table(len(X), columns)


def _arrow(X: Any) -> Table | Parsed:
    import pyarrow as pa
    import pyarrow.compute as pc

    names = column_names(X.column_names)
    columns: list[tuple[Any, ...]] = []
    for at, name in enumerate(names):
        column = sound(X.column(at), f"column {name!r}")
        if isinstance(column, pa.ChunkedArray):  # to combine is to copy
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        kind = column.type
        if pa.types.is_null(kind):
            continue
        if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
            numbers = pc.cast(column, pa.float64(), safe=False)
            if numbers.null_count:
                numbers = numbers.fill_null(0.0)
            columns.append((name, _present(numbers.to_numpy(zero_copy_only=False))))
        elif (
            pa.types.is_dictionary(kind)
            or pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
        ):
            if pa.types.is_dictionary(kind):  # its categories may be null, repeated or not used
                column = column.dictionary_decode()
            coded = column.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            columns.append((name, *_coded(name, codes, coded.dictionary.to_pylist())))
        else:
            raise ValueError(
                f"column {name!r} is of type {kind}: numbers, bools and strings are read"
            )
    return _table(X.num_rows, columns)


def check_eager(X: Any) -> None:
    """Refuse a frame that has not been computed yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_arrow"):
        raise ValueError(f"X is a {type(X).__name__}, which holds no rows yet: give X.collect()")


def column_names(columns: list[Any]) -> list[Any]:
    """Names of columns as the core compares them, all different.

    >>> column_names(["age", "7"])
    ['age', 7]
    """
    names = [_core.name(column) for column in columns]
    if len(set(names)) < len(names):
        twice = min((name for name in names if names.count(name) > 1), key=str)
        raise ValueError(f"X has several columns called {twice!r}; give each its own name")
    return names


def _present(values: Array) -> Array:
    """The numbers of a column, with 0 for what is missing."""
    if not np.isnan(values.min(initial=0.0)):
        return values
    return np.where(np.isnan(values), 0.0, values)


def _coded(column: Any, codes: NDArray[Any], values: Any) -> tuple[NDArray[np.int32], list[str]]:
    """Codes and texts of a column, with -1 for what is missing."""
    for value in values:
        if not isinstance(value, str):
            raise ValueError(
                f"X[{column!r}] holds {shown(value)} of type {type(value).__name__}: only strings are "
                "categories"
            )
    missing = [code for code, value in enumerate(values) if is_missing(value)]
    if missing:
        codes = np.where(np.isin(codes, missing), -1, codes)
    return codes.astype(np.int32), list(values)


_MISSING = frozenset(_core.MISSING)


def is_missing(value: Any) -> bool:
    """Whether a value of a table is missing: None, NaN, or a text that says so.

    >>> is_missing("NA"), is_missing(float("nan")), is_missing("Namibia")
    (True, True, False)
    """
    if isinstance(value, str):
        return value in _MISSING
    return value is None or (isinstance(value, float) and math.isnan(value))
