"""Conversion of rows and batches of all supported types into the few forms that the core reads.

A row means the same in every form:

- 0, missing and absent values are the same.
- A string is a category: the value "red" of the feature "colour" is the feature "colour=red" with
  value 1.
- A name of digits is a number: "7" and 7 are one feature.
- Values of a feature that occurs twice in a row are added up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import Array, numbers, shown, sound

# --- sparse matrices, checked before any other code reads their indices ----------------------------

Compressed: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]


def compressed(X: Any, name: str = "X") -> Compressed:
    """Starts, columns and values of a sparse matrix as compressed rows.

    SciPy's conversions read and write wherever the indices point, so the indices of other formats are
    checked first. Those of the result are not: see `_core.survey` and `checked`. `starts` is a copy;
    columns and values can share memory with the matrix of the user.

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
        # a view of bytes need not be aligned
        parts = (X.indptr, X.indices, X.data)
        starts, columns, values = (np.require(part, requirements="A") for part in parts)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is malformed: {error}") from error
    kinds = starts.dtype.kind, columns.dtype.kind
    if kinds != ("i", "i") or not starts.ndim == columns.ndim == values.ndim == 1:
        raise ValueError(f"{name} is malformed: its indptr and indices must be vectors of integers")
    if starts.size != X.shape[0] + 1:
        raise ValueError(
            f"{name} is malformed: its indptr has {starts.size} entries for {X.shape[0]} rows"
        )
    if columns.itemsize > 4:
        wide, columns = np.ascontiguousarray(columns, np.int64), np.empty(columns.shape, np.int32)
        if not _core.narrow(wide, columns):
            raise ValueError(
                f"{name}.indices has a column outside {name}.shape: {name} is malformed"
            )
    return starts.astype(np.int64), columns.astype(np.int32, copy=False), values


def checked(X: Any, name: str = "X") -> Any:
    """A copy of a sparse matrix as compressed rows, all of whose indices have been checked.

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
    """A sparse matrix of another format as compressed rows, after a check of its indices."""
    if X.format in ("csc", "bsr"):
        X.check_format()
        if X.format == "bsr" and len(X.data) != len(X.indices):
            raise ValueError(f"it has {len(X.indices)} indices of blocks and {len(X.data)} blocks")
        return X.tocsr()
    if X.format == "lil" and [*map(len, X.rows)] != [*map(len, X.data)]:
        raise ValueError("a row has different numbers of columns and values")
    if X.format == "dia" and len(X.offsets) != len(X.data):
        raise ValueError(f"it has {len(X.data)} diagonals and {len(X.offsets)} offsets")
    coo = X.tocoo()
    for axis, (places, size) in enumerate(zip(coo.coords, coo.shape)):
        if places.shape != coo.data.shape or places.dtype.kind != "i":
            raise ValueError(f"it has {coo.data.size} values, and {shown(places)} as their indices")
        for place in (places.min(), places.max()) if places.size else ():
            if not 0 <= place < size:
                where = "column" if axis else "row"
                raise ValueError(f"it has an entry in {where} {place}, but its shape is {X.shape}")
    return coo.tocsr()


# The arguments of learners and audits beside rows: labels, weights, and what to return, or scores.
Labels: TypeAlias = NDArray[Any] | None
Weights: TypeAlias = Array | None
Asked: TypeAlias = _core.Want | Array | None

# --- rows and batches --------------------------------------------------------------------------------

Row: TypeAlias = dict[Any, Any] | tuple[NDArray[np.int64], Array]


def row(x: Any) -> Row:
    """One example in a form that the core reads: a dict, or columns and values.

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
        # the user can have changed columns and values since they were checked
        is_sorted, has_zero = _core.survey(part.width, part.starts, part.columns, part.values, "X")
        if not is_sorted:
            raise ValueError("X has changed since it was given: its columns are no longer sorted")
        return replace(part, has_zero=has_zero)

    def feed(self, core: Any, labels: Labels, importance: Weights, more: Asked) -> Any:
        """Give the rows to the core; `more` is the result to return, or the scores of an audit."""
        arrays = self.width, self.starts, self.columns, self.values, self.has_zero
        return core.csr(*arrays, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One row as a dict."""
        part = slice(self.starts[t], self.starts[t + 1])
        return dict(zip(self.columns[part].tolist(), self.values[part].tolist()))


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, each `(name, numbers)` or `(name, codes, categories)`; the code -1 is a missing value.

    All features have different names.
    """

    size: int
    columns: list[tuple[Any, ...]]

    def __getitem__(self, rows: slice) -> "Table":
        start, stop, _ = rows.indices(self.size)
        cut = [(c[0], c[1][start:stop], *c[2:]) for c in self.columns]
        return Table(stop - start, cut)

    def feed(self, core: Any, labels: Labels, importance: Weights, more: Asked) -> Any:
        """Give the rows to the core."""
        return core.table(self.size, self.columns, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One row as a dict."""
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
    """How a learner wants features: as rows of a hashed bank, by name, or both.

    Attributes: `bits`, of the table of hashed features, 0 if every name has a row of its own;
    `intercept`, whether there is a constant feature; `named`, whether names are wanted, which a learner
    that remembers enough of them sets to False while a stream is being read; `names`, how many names a
    hashed learner remembers; `precise`, whether values are wanted in double precision.
    """

    bits: int = 0
    intercept: bool = True
    named: bool = True
    names: int = 0
    precise: bool = False

    def examples(self) -> _core.Examples:
        """An empty list of examples in this form."""
        return _core.Examples(self.bits, self.intercept, self.named, self.precise)


@dataclass(frozen=True, slots=True)
class Parsed:
    """Examples that a reader has parsed, from `first` to before `last`.

    `columns` are the names and kinds of the columns, if the lines are those of a table.
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

    def feed(self, core: Any, labels: Labels, importance: Weights, more: Asked) -> Any:
        """Give the examples to the core."""
        return core.examples(self.examples, self.first, self.last, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """One example as a dict."""
        return self.examples.row(self.first + t)


@dataclass(frozen=True, slots=True)
class Located:
    """Examples with the rows of a bank in place of features; example t begins at `starts[t]`."""

    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    values: NDArray[Any]  # float32, or float64 for a learner in double precision

    @property
    def size(self) -> int:
        """Number of examples."""
        return self.starts.size - 1

    def __getitem__(self, rows: slice) -> "Located":
        start, stop, _ = rows.indices(self.size)
        return replace(self, starts=self.starts[start : stop + 1])

    def feed(self, core: Any, labels: Labels, importance: Weights, more: Asked) -> Any:
        """Give the examples to the core."""
        arrays = self.starts, self.rows, self.values
        return core.located(*arrays, labels, importance, more)

    def row(self, t: int) -> dict[Any, Any]:
        """Raise, because a cache does not hold the names of features."""
        raise ValueError("examples from a cache have no names")


Batch: TypeAlias = CSR | Table | Parsed | Located


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
    """The same rows with increasing columns; entries of one column are added up."""
    of_row = np.repeat(np.arange(X.size), np.diff(X.starts))
    part = slice(X.starts[0], X.starts[-1])
    order = np.lexsort(
        (X.columns[part], of_row)
    )  # stable, so that values are added up in their order
    starts, columns, values = X.starts - X.starts[0], X.columns[part][order], X.values[part][order]
    if not ((columns[1:] == columns[:-1]) & (of_row[1:] == of_row[:-1])).any():
        return CSR(X.width, starts, columns, values, X.has_zero)
    # As all repeated features are for learners in single precision, which most are: the values are
    # rounded before they are added up.
    examples = _core.Examples(0, False, True)
    examples.add_rows(starts, columns.astype(np.int64), values, [])
    starts, added, values = examples.columns()
    return CSR(X.width, starts, added.astype(np.int32), values, False)


def _table(size: int, columns: list[tuple[Any, ...]]) -> Table | Parsed:
    """A table; as named examples if the name of a category is also that of another feature."""
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
    examples = _core.Examples(0, False, True, precise=True)
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
                    f"X[{name!r}] holds values that are not numbers, bools or strings; spread them "
                    "over columns"
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
        if isinstance(column, pa.ChunkedArray):  # combining copies
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
            if pa.types.is_dictionary(kind):  # categories can be null, repeated or unused
                column = column.dictionary_decode()
            coded = column.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            columns.append((name, *_coded(name, codes, coded.dictionary.to_pylist())))
        else:
            raise ValueError(
                f"column {name!r} is of type {kind}: turn it into numbers, bools or strings"
            )
    return _table(X.num_rows, columns)


def check_eager(X: Any) -> None:
    """Raise for a lazy frame, which has not been computed yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_arrow"):
        raise ValueError(f"X is a {type(X).__name__}, which holds no rows yet: give X.collect()")


def column_names(columns: list[Any]) -> list[Any]:
    """The names of columns as the core compares them; `ValueError` if two are the same.

    >>> column_names(["age", "7"])
    ['age', 7]
    """
    names = [_core.name(column) for column in columns]
    if len(set(names)) < len(names):
        twice = min((name for name in names if names.count(name) > 1), key=str)
        raise ValueError(f"X has several columns called {twice!r}; give each its own name")
    return names


def _present(values: Array) -> Array:
    """The numbers of a column, with 0 for missing ones."""
    if not np.isnan(values.min(initial=0.0)):
        return values
    return np.where(np.isnan(values), 0.0, values)


def _coded(column: Any, codes: NDArray[Any], values: Any) -> tuple[NDArray[np.int32], list[str]]:
    """The codes and texts of a column, with the code -1 for missing values."""
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


def is_missing(value: object) -> bool:
    """Whether a value of a table is missing: None, NaN, or a text such as "NA".

    >>> is_missing("NA"), is_missing(float("nan")), is_missing("Namibia")
    (True, True, False)
    """
    if isinstance(value, str):
        return value in _MISSING
    return value is None or (isinstance(value, float) and math.isnan(value))
