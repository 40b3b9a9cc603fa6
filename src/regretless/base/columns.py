"""Columns by name: those a model has learned, and those that stand for experts."""

import datetime
import numbers
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import Array, sound
from regretless.base.rows import Batch, Parsed, Table
from regretless.errors import WrongKind

# --- experts by name: numbers out of frames, tables, series and dicts, in the order that is -------

# What has names is matched by name after the first time: its columns may come in another order, but none
# may be missing or new. Arrays and lists have no names and are taken by position.

_CATEGORIES = ("category", "dictionary", "Categorical", "Enum")  # as their types are written
_PLAIN = (np.ndarray, list, tuple, type(None), float)  # most of what comes has no names
_KINDS = {"b": "booleans", "M": "dates", "m": "durations", "U": "text", "S": "text"}


# --- columns ---------------------------------------------------------------------------------------


def names_of(values: Any) -> list[str] | None:
    """The names in a data frame, an Arrow table, a pandas series or a dict; None if there are none.

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
    values: Any, known: Sequence[str] | None, argument: str, *, booleans: bool = False
) -> tuple[Any, list[str] | None]:
    """Numbers in the order of the `known` names, missing ones NaN; and the names that are known now.

    Whatever has no names comes back as it is. A frame, a table or a dict of columns is a matrix, a
    series or a dict of numbers a vector.

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
    # by rows, as arrays are: in another order sums would be rounded otherwise
    return np.ascontiguousarray(found), names if known is None else list(known)


def place_of(name: str, names: Sequence[str] | None, argument: str) -> int:
    """The place of an expert that is called by its name.

    >>> place_of("ar", ["gam", "ar"], "comparator")
    1
    """
    if names is None:
        raise ValueError(
            f"{argument}={name!r}: the experts have no names; give a number, or forecasts with names"
        )
    if name not in names:
        raise ValueError(f"{argument}={name!r} is not an expert; there are {_listed(names)}")
    return list(names).index(name)


def _order(names: list[str], known: Sequence[str] | None, argument: str) -> list[int] | None:
    """The places of the known names; None if they are these."""
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
        return list(range(len(names)))  # numbered by default, which says no more than an array does
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


def _is_frame(values: Any) -> bool:
    return hasattr(values, "column_names") or (
        hasattr(values, "columns") and hasattr(values, "dtypes")
    )


def _is_series(values: Any) -> bool:
    return hasattr(values, "iloc") and hasattr(values, "index") and not hasattr(values, "columns")


# --- numbers ---------------------------------------------------------------------------------------


def _matrix(values: Any, names: list[str], argument: str, booleans: bool) -> Array:
    """The columns side by side, or one number of each name."""
    if _is_series(values):
        return _numbers(values, argument, booleans, names)
    if hasattr(values, "iloc"):  # pandas, all at once if it can be
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
    """A column as floats, NaN where one is missing; `names` of its entries, if they have any."""
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


def _kind(value: Any) -> str:
    """What an entry is if it is neither a number nor missing."""
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


def _missing(value: Any) -> bool:
    """None, and everything that is not equal to itself or does not know: NaN, NaT, NA."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _refused(called: str, kind: str) -> ValueError:
    return ValueError(
        f"{called} holds {kind}, not the numbers of an expert; leave it out, or make it the index"
    )


# --- rows ------------------------------------------------------------------------------------------


def index_of(values: Any) -> Any:
    """The index of a pandas frame or series; None if there is none."""
    return values.index if hasattr(values, "iloc") and hasattr(values, "index") else None


def rows_alike(
    values: Any, index: Any, argument: str, other: str, *, align: bool = False, hint: str = ""
) -> Any:
    """Values whose rows are those of the `index`, if both have one; `align` puts them in its order.

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
    """What came true as numbers, or as it is if it is no column of a frame.

    >>> import pandas as pd
    >>> target_of(pd.Series([True, None]))
    array([ 1., nan])
    """
    if not isinstance(y, _PLAIN) and hasattr(y, "to_numpy") and not _is_frame(y):
        return _numbers(y, argument, booleans=True)
    return y


def _twice(index: Any) -> Any:
    return index[index.duplicated()][0]


# --- the columns that a model has learned, and whether a new table has them -----------------------

Columns = tuple[tuple[Any, str], ...]  # names and kinds
NUMBER, TEXT, EMPTY = "number", "text", "empty"
_LISTED = 5


class Schema:
    """The columns of all tables that a learner has learned, by name, with their kinds.

    A kind is "number", "text", or "empty" for a column without any value.

    >>> from regretless.base import rows
    >>> schema = Schema()
    >>> schema.add((("price", "number"), ("city", "text")))
    >>> schema.differences((("price", "number"), ("town", "text")))
    'the model does not know the column town, and misses city'
    >>> schema.differences((("town", "text"),))
    Traceback (most recent call last):
    ValueError: the model knows none of the columns: town; it has learned price, city
    """

    def __init__(self, columns: Iterable[Iterable[Any]] = ()) -> None:
        self.kinds: dict[Any, str] = {}
        self._checked: Columns | None = None  # the newest, which need not be looked at again
        self._learned: Columns | None = None
        self._told: set[str] = set()
        for name, kind in columns:
            if not isinstance(name, (str, int)) or kind not in (NUMBER, TEXT, EMPTY):
                raise ValueError(f"{name!r} is not a column of the kind {kind!r}")
            self.add(((name, kind),))

    def add(self, columns: Columns) -> None:
        """Columns that have been learned."""
        for name, kind in columns:
            if self.kinds.get(name, EMPTY) == EMPTY:
                self.kinds[name] = kind

    def differences(self, columns: Columns, knows: Callable[[Any], bool] | None = None) -> str:
        """What differs, in words; `ValueError` if nothing is known, here or by `knows`."""
        names = [name for name, _ in columns]
        unknown = [name for name in names if name not in self.kinds]
        if names and len(unknown) == len(names) and not (knows and any(map(knows, names))):
            raise ValueError(
                f"the model knows none of the columns: {listed(names)}; it has learned "
                f"{listed(self.kinds)}"
            )
        given = set(names)
        missing = [name for name in self.kinds if name not in given]
        several = "s" if len(unknown) > 1 else ""
        parts = [f"does not know the column{several} {listed(unknown)}"] if unknown else []
        parts += [f"misses {listed(missing)}"] if missing else []
        return "the model " + ", and ".join(parts) if parts else ""

    def check(self, batch: Batch, knows: Callable[[Any], bool]) -> str | None:
        """What is to be warned of, once; `ValueError` if the batch cannot be right."""
        columns = columns_of(batch)
        if columns is None or columns == self._checked or not self.kinds:
            return None
        text = self.differences(columns, knows)
        for name, kind in columns:
            known = self.kinds.get(name, kind)
            if known != kind and EMPTY not in (known, kind):
                _refuse_kind(batch, name, known)
        self._checked = columns
        if not text or text in self._told:
            return None
        self._told.add(text)
        return text

    def learned(self, batch: Batch) -> None:
        """Take the columns of a batch in."""
        columns = columns_of(batch)
        if columns is not None and columns != self._learned:
            self.add(columns)
            self._learned = columns

    def as_json(self) -> list[list[Any]]:
        """Names and kinds, in order of appearance."""
        return [list(pair) for pair in self.kinds.items()]


def columns_of(batch: Batch) -> Columns | None:
    """Names and kinds of the columns, if the batch has any. The columns of an array have only numbers.

    >>> import pyarrow as pa
    >>> from regretless.base import rows
    >>> columns_of(rows.batch(pa.table({"price": [1.0], "city": ["Rome"]})))
    (('price', 'number'), ('city', 'text'))
    >>> columns_of(rows.batch(np.eye(2))) is None
    True
    """
    if not batch.size:
        return None
    if isinstance(batch, Parsed):
        return batch.columns
    if not isinstance(batch, Table) or all(type(column[0]) is int for column in batch.columns):
        return None
    return tuple((_core.name(column[0]), _column_kind(*column)) for column in batch.columns)


def columns_of_features(names: Iterable[Any]) -> Columns:
    """The columns that features are of: "city=Rome" is one of the text column "city".

    >>> columns_of_features(["price", "city=Rome", "city=Oslo"])
    (('price', 'number'), ('city', 'text'))
    """
    columns: dict[Any, str] = {}
    for name in names:
        column, is_text, _ = name.partition("=") if isinstance(name, str) else (name, "", "")
        columns.setdefault(column, TEXT if is_text else NUMBER)
    return tuple(columns.items())


def listed(names: Collection[Any]) -> str:
    """A few names.

    >>> listed(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    first = ", ".join(str(name) for name, _ in zip(names, range(_LISTED)))
    return first + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _column_kind(_name: Any, _values: Any, categories: Any = None) -> str:
    return NUMBER if categories is None else TEXT if len(categories) else EMPTY


def _refuse_kind(batch: Batch, name: Any, known: str) -> None:
    """An error, if there is a value at all."""
    was, now = ("a number", "text") if known == NUMBER else ("text", "a number")
    what = f"column {str(name)!r} was {was} when the model learned it, and is {now}"
    if not isinstance(
        batch, Table
    ):  # files are read as the model has learned them, unless told not to
        raise ValueError(what)
    column = next(each for each in batch.columns if _core.name(each[0]) == name)
    there = column[1] >= 0 if known == NUMBER else np.nan_to_num(column[1]) != 0
    if there.any():
        row = int(there.argmax())
        value = repr(column[2][column[1][row]]) if known == NUMBER else f"{column[1][row]:g}"
        raise WrongKind(f"{what}: {value}", row)
