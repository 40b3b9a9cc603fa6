"""Columns that stand for experts: numbers from frames, tables, series and dicts, matched by name.

The first table decides the names and their order. Later ones may have their columns in another order,
but must have the same names. Arrays and lists have no names, and their columns are taken by position.
"""

import datetime
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, sound

_CATEGORIES = ("category", "dictionary", "Categorical", "Enum")  # beginnings of types as text
_PLAIN = (np.ndarray, list, tuple, type(None), float)  # without names, and common
_KINDS = {"b": "booleans", "M": "dates", "m": "durations", "U": "text", "S": "text"}


# --- columns ---------------------------------------------------------------------------------------


def names_of(values: Any) -> list[str] | None:
    """The names in a data frame, an Arrow table, a pandas series or a dict; None for values without.

    >>> names_of({"gam": 1.5, "ar": 2.0}), names_of([1.5, 2.0])
    (['gam', 'ar'], None)
    """
    if isinstance(values, Mapping):
        found = list(values)
    elif _is_frame(values):
        found = list(values.column_names if hasattr(values, "column_names") else values.columns)
    elif _is_series(values):
        found = list(values.index)
    else:
        return None
    return [str(name) for name in found]


def arranged(
    values: object, known: Sequence[str] | None, argument: str, *, booleans: bool = False
) -> tuple[Any, list[str] | None]:
    """Numbers in the order of the `known` names, with NaN for missing ones, and the names from now on.

    A frame, a table or a dict of columns becomes a matrix; a series or a dict of numbers becomes a
    vector. Values without names are returned unchanged.

    >>> arranged({"ar": 2.0, "gam": 1.5}, ["gam", "ar"], "forecasts")
    (array([1.5, 2. ]), ['gam', 'ar'])
    >>> arranged({"ar": 2.0, "gbm": 1.5}, ["gam", "ar"], "forecasts")
    Traceback (most recent call last):
    ValueError: forecasts lacks the expert 'gam' and has the unknown 'gbm'; the experts are 'gam', 'ar'
    """
    names = None if isinstance(values, _PLAIN) else names_of(values)
    if names is None:
        if isinstance(values, np.ndarray) and values.dtype.kind in "Mm":
            raise ValueError(f"{argument} holds {_KINDS[values.dtype.kind]}, not numbers")
        return values, None if known is None else list(known)
    order = _order(names, known, argument)
    found = _matrix(values, names, argument, booleans)
    if order is not None and order != list(range(len(order))):
        found = found[..., order]
    # row by row, as in arrays: the order of memory decides how sums are rounded
    return np.ascontiguousarray(found), names if known is None else list(known)


def place_of(name: str, names: Sequence[str] | None, argument: str) -> int:
    """The position of the expert with this name.

    >>> place_of("ar", ["gam", "ar"], "comparator")
    1
    """
    if names is None:
        raise ValueError(
            f"{argument}={name!r}: the experts have no names; give a number, or forecasts with names"
        )
    if name not in names:
        raise ValueError(f"{argument}={name!r} is not an expert; the experts are {_listed(names)}")
    return list(names).index(name)


def _order(names: list[str], known: Sequence[str] | None, argument: str) -> list[int] | None:
    """The positions of the known names among the `names`; None if no names are known yet."""
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"{argument} has two columns {twice!r}; give them different names")
    if known is None:
        return None
    if names == list(known):
        return list(range(len(names)))
    missing = [name for name in known if name not in names]
    extra = [name for name in names if name not in known]
    if len(missing) == len(known) == len(names) and names == [str(k) for k in range(len(names))]:
        return list(range(len(names)))  # default names, which say no more than positions
    if missing or extra:
        lacks = f"lacks the expert{'s' * (len(missing) > 1)} {_listed(missing)}" if missing else ""
        has = f"has the unknown {_listed(extra)}" if extra else ""
        raise ValueError(
            f"{argument} {' and '.join(filter(None, (lacks, has)))}; the experts are {_listed(known)}"
        )
    where = {name: k for k, name in enumerate(names)}
    return [where[name] for name in known]


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _is_frame(values: object) -> bool:
    return hasattr(values, "column_names") or (
        hasattr(values, "columns") and hasattr(values, "dtypes")
    )


def _is_series(values: object) -> bool:
    return hasattr(values, "iloc") and hasattr(values, "index") and not hasattr(values, "columns")


# --- numbers ---------------------------------------------------------------------------------------


def _matrix(values: Any, names: list[str], argument: str, booleans: bool) -> Array:
    """The columns side by side as a matrix, or a vector of one number for each name."""
    if _is_series(values):
        return _numbers(values, argument, booleans, names)
    if hasattr(values, "iloc"):  # pandas: in one step if all columns are numbers
        if {dtype.kind for dtype in values.dtypes} <= set("iuf"):
            return np.asarray(values.to_numpy(np.float64, na_value=np.nan))
        columns = [values.iloc[:, k] for k in range(len(names))]
    elif isinstance(values, Mapping):
        columns = list(values.values())
        if all(np.ndim(sound(each, argument)) == 0 for each in columns):
            return _numbers(np.array([*columns, None], object)[:-1], argument, booleans, names)
    else:  # polars, Arrow
        columns = values.get_columns() if hasattr(values, "get_columns") else values.columns
    found = [
        _numbers(column, f"the column {name!r} of {argument}", booleans)
        for column, name in zip(columns, names)
    ]
    if len({len(column) for column in found}) > 1:
        sizes = ", ".join(f"{name!r} {len(column)}" for name, column in zip(names, found))
        raise ValueError(f"{argument} has columns of different lengths: {sizes}")
    return np.column_stack(found) if found else np.zeros((0, 0))


def _numbers(column: Any, called: str, booleans: bool, names: Sequence[str] | None = None) -> Array:
    """A column as floats, with NaN for missing ones; errors use the `names` of its entries, if given."""
    written = str(getattr(column, "dtype", getattr(column, "type", "")))
    if written.startswith(_CATEGORIES):
        raise _refused(called, "categories")
    array: NDArray[Any] = np.asarray(sound(column, called))
    if array.dtype.kind in "iuf" or (booleans and array.dtype.kind == "b"):
        return np.asarray(array, np.float64)
    if array.dtype.kind != "O":
        raise _refused(called, _KINDS.get(array.dtype.kind, str(array.dtype)))
    out = np.empty(array.shape)
    for k, value in enumerate(array.ravel().tolist()):
        kind = _kind(value)
        if kind and not (booleans and kind == "booleans"):
            one = called if names is None else f"the column {names[k]!r} of {called}"
            raise _refused(one, kind)
        try:
            out.flat[k] = np.nan if _missing(value) else float(value)
        except OverflowError:
            raise ValueError(f"{called} has a number beyond 1.8e308; scale it") from None
    return out


def _kind(value: object) -> str:
    """The kind of an entry, for messages; empty if it is a number or missing."""
    if isinstance(value, (bool, np.bool_)):
        return "booleans"
    if isinstance(value, (str, bytes)):
        return "text"
    if isinstance(value, (datetime.date, datetime.time, np.datetime64)):  # pandas' are datetimes
        return "" if _missing(value) else "dates"
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return "durations"
    number = isinstance(value, (numbers.Real, Decimal, np.number))
    return "" if number or _missing(value) else type(value).__name__


def _missing(value: object) -> bool:
    """Whether a value is None, NaN, NaT or NA."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _refused(called: str, kind: str) -> ValueError:
    return ValueError(
        f"{called} holds {kind}, not the numbers of an expert; leave it out, or make it the index"
    )


# --- rows ------------------------------------------------------------------------------------------


def index_of(values: object) -> Any:
    """The index of a pandas frame or series; None for other values."""
    return values.index if hasattr(values, "iloc") and hasattr(values, "index") else None


def rows_alike(
    values: Any, index: Any, argument: str, other: str, *, align: bool = False, hint: str = ""
) -> Any:
    """Check that the rows of the values are those of the `index`; `align` puts them in its order.

    Values without an index are returned unchanged.

    >>> import pandas as pd
    >>> y = pd.Series([1.0, 2.0], index=[9, 10])
    >>> rows_alike(y, pd.Index([10, 11]), "y", "experts")
    Traceback (most recent call last):
    ValueError: y and experts differ in their index: row 0 is 9 in y and 10 in experts
    >>> rows_alike(y, pd.Index([10, 11]), "y", "experts", align=True).tolist()
    [2.0, nan]
    """
    if index is None or (own := index_of(values)) is None:
        if align:
            raise ValueError(f"align=True needs a pandas index of both {argument} and {other}")
        return values
    if own.equals(index) or (len(own) == len(index) and bool(np.all(own == index))):
        return values
    if align:
        for each, name in ((own, argument), (index, other)):
            if not each.is_unique:
                raise ValueError(f"align=True: the index of {name} holds {_twice(each)!r} twice")
        return values.reindex(index)
    at = next((k for k, (a, b) in enumerate(zip(own, index)) if a != b), None)
    if at is None:
        where = f"{argument} has {len(own)} rows, {other} {len(index)}"
    else:
        where = f"row {at} is {own[at]} in {argument} and {index[at]} in {other}"
    raise ValueError(f"{argument} and {other} differ in their index: {where}{hint}")


def target_of(y: Any, argument: str = "y") -> Any:
    """Targets as numbers if they are a column of a frame or table; otherwise unchanged.

    >>> import pandas as pd
    >>> target_of(pd.Series([True, None]))
    array([ 1., nan])
    """
    if not isinstance(y, _PLAIN) and hasattr(y, "to_numpy") and not _is_frame(y):
        return _numbers(y, argument, booleans=True)
    return y


def _twice(index: Any) -> Any:
    return index[index.duplicated()][0]
