"""Everything that can be a row or a batch, brought into the few forms that the core reads.

What is 0, None or absent is the same thing in every form. A string is a category: the value "red" of
the feature "colour" is the feature "colour=red" with value 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.arguments import shown, sound
from regretless.sparse import compressed

__all__ = [
    "CSR",
    "Batch",
    "Form",
    "Located",
    "Parsed",
    "Table",
    "Want",
    "batch",
    "check_eager",
    "check_unique",
    "numbers",
    "row",
]

Row = dict[Any, Any] | tuple[NDArray[np.int64], NDArray[np.float64]]


class Want(IntEnum):
    """What a learner tells of the examples of a batch: all scores, or which label has the largest."""

    NOTHING = 0
    SCORES = 1
    BEST = 2


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
    values = numbers(x, "x", "a row: give a dict, a vector or a sparse row")
    if values.ndim == 2 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 1:
        raise ValueError(
            f"x has shape {values.shape}: one row is expected; for several use learn_many or predict"
        )
    return np.arange(values.size), np.ascontiguousarray(values)


def numbers(values: Any, name: str, what: str) -> NDArray[np.float64]:
    """An array of doubles, or `ValueError` that `name` is not `what`; text is not a number."""
    sound(values, name)
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; {name}.filled(0) makes them absent")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O" and not any(isinstance(v, (str, bytes)) for v in array.flat):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}={shown(values)} is not {what} ({error})") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}={shown(values)} is not {what} (its type is {array.dtype})")
    return np.require(array, np.float64, "A")  # aligned: fields of records need not be


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
    values: NDArray[np.float64]
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

    def feed(self, core: Any, labels: Any, importance: Any, want: int) -> Any:
        """Give the rows to the core."""
        arrays = self.width, self.starts, self.columns, self.values, self.has_zero
        return core.csr(*arrays, labels, importance, want)

    def row(self, t: int) -> dict[Any, Any]:
        """One row, as a dict."""
        part = slice(self.starts[t], self.starts[t + 1])
        return dict(zip(self.columns[part].tolist(), self.values[part].tolist()))


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, each `(name, numbers)` or `(name, codes, categories)`; code -1 is missing."""

    size: int
    columns: list[tuple[Any, ...]]

    def __getitem__(self, rows: slice) -> "Table":
        start, stop, _ = rows.indices(self.size)
        cut = [(c[0], c[1][start:stop], *c[2:]) for c in self.columns]
        return Table(stop - start, cut)

    def feed(self, core: Any, labels: Any, importance: Any, want: int) -> Any:
        """Give the rows to the core."""
        return core.table(self.size, self.columns, labels, importance, want)

    def row(self, t: int) -> dict[Any, Any]:
        """One row, as a dict; a category is its text."""
        out = {}
        for name, values, *categories in self.columns:
            if not categories:
                if value := values[t].item():
                    out[name] = value
            elif values[t] >= 0:
                out[name] = categories[0][values[t]]
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

    def feed(self, core: Any, labels: Any, importance: Any, want: int) -> Any:
        """Give the examples to the core."""
        return core.examples(self.examples, self.first, self.last, labels, importance, want)

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

    def feed(self, core: Any, labels: Any, importance: Any, want: int) -> Any:
        """Give the examples to the core."""
        arrays = self.starts, self.rows, self.values
        return core.located(*arrays, labels, importance, want)

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
    dense = numbers(X, "X", "a batch: give a sparse matrix, a 2-d array, a data frame or a table")
    if dense.ndim != 2:
        raise ValueError(
            f"X has shape {dense.shape}: rows and columns are expected; one row goes to learn_one"
        )
    return Table(dense.shape[0], [(j, dense[:, j]) for j in range(dense.shape[1])])


def _csr(X: Any, name: str = "X") -> CSR:
    starts, columns, data = compressed(X, name)
    arrays = X.shape[1], starts, columns, numbers(data, name, "made of numbers")
    is_sorted, has_zero = _core.survey(*arrays, name)
    if is_sorted:
        return CSR(*arrays, has_zero)
    from scipy.sparse import csr_array

    own = csr_array((arrays[3].copy(), columns.copy(), starts), shape=X.shape)
    own.sum_duplicates()
    return _csr(own, name)


def _pandas(X: Any) -> Table:
    check_unique(list(X.columns))
    columns: list[tuple[Any, ...]] = []
    for name in X.columns:
        column = sound(X[name], f"X[{name!r}]")
        if column.dtype.kind in "biuf":
            # a nullable column says what is missing, an ordinary one only that something is wrong
            missing = {} if isinstance(column.dtype, np.dtype) else {"na_value": 0.0}
            columns.append((_name(name), column.to_numpy(np.float64, **missing)))
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
            columns.append((_name(name), codes.astype(np.int32), _categories(name, values)))
    return Table(len(X), columns)


def _arrow(X: Any) -> Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    check_unique(X.column_names)
    columns: list[tuple[Any, ...]] = []
    for name in X.column_names:
        column = sound(X.column(name), f"column {name!r}")
        if isinstance(column, pa.ChunkedArray):  # to combine is to copy
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        kind = column.type
        if pa.types.is_null(kind):
            continue
        if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
            numbers = pc.cast(column, pa.float64(), safe=False)
            if numbers.null_count:
                numbers = numbers.fill_null(0.0)
            columns.append((name, numbers.to_numpy(zero_copy_only=False)))
        elif (
            pa.types.is_dictionary(kind)
            or pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
        ):
            if pa.types.is_dictionary(kind):  # its categories may be null, repeated or not used
                column = column.dictionary_decode()
            coded = column.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            columns.append(
                (name, codes.astype(np.int32), _categories(name, coded.dictionary.to_pylist()))
            )
        else:
            raise ValueError(
                f"column {name!r} is of type {kind}: numbers, bools and strings are read"
            )
    return Table(X.num_rows, columns)


def check_eager(X: Any) -> None:
    """Refuse a frame that has not been computed yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_arrow"):
        raise ValueError(f"X is a {type(X).__name__}, which holds no rows yet: give X.collect()")


def check_unique(names: list[Any]) -> None:
    """Refuse a table that has two columns of one name."""
    twice = (
        {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    )
    if twice:
        raise ValueError(
            f"X has several columns called {min(twice, key=str)!r}; give each its own name"
        )


def _name(name: Any) -> Any:
    return int(name) if isinstance(name, (int, np.integer)) else str(name)


def _categories(column: Any, values: Any) -> list[str]:
    for value in values:
        if not isinstance(value, str):
            raise ValueError(
                f"X[{column!r}] holds {shown(value)}, a {type(value).__name__}: only strings are "
                "categories"
            )
    return list(values)
