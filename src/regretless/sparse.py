"""Sparse matrices of every format, looked at before any code trusts what they say of themselves."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.arguments import shown

__all__ = ["checked", "compressed"]

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
