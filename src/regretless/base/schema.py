"""The columns that a learner has learned, and how those of a new table differ."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeAlias

import numpy as np

from regretless import _core
from regretless.base.rows import Batch, Parsed, Table
from regretless.errors import WrongKind

Name: TypeAlias = str | int
Columns: TypeAlias = tuple[tuple[Name, str], ...]  # names and kinds
NUMBER, TEXT, EMPTY = "number", "text", "empty"
_LISTED = 5


class Schema:
    """The names and kinds of the columns of all tables that a learner has learned.

    A kind is "number", "text", or "empty" for a column without values.

    >>> from regretless.base import rows
    >>> schema = Schema()
    >>> schema.add((("price", "number"), ("city", "text")))
    >>> schema.differences((("price", "number"), ("town", "text")))
    'the model does not know the column town, and misses city'
    >>> schema.differences((("town", "text"),))
    Traceback (most recent call last):
    ValueError: the model knows none of the columns: town; it has learned price, city
    """

    def __init__(self, columns: Iterable[Iterable[object]] = ()) -> None:
        self.kinds: dict[Name, str] = {}
        # the newest columns, which are not compared again
        self._checked: Columns | None = None
        self._learned: Columns | None = None
        self._told: set[str] = set()
        for name, kind in columns:
            if not isinstance(name, (str, int)) or kind not in (NUMBER, TEXT, EMPTY):
                raise ValueError(f"{name!r} is not a column of the kind {kind!r}")
            self.add(((name, kind),))

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema, (self.as_json(),)  # the rest only saves time, and repeats of a warning

    def add(self, columns: Columns) -> None:
        """Add columns that have been learned."""
        for name, kind in columns:
            if self.kinds.get(name, EMPTY) == EMPTY:
                self.kinds[name] = kind

    def differences(self, columns: Columns, knows: Callable[[Name], bool] | None = None) -> str:
        """The differences to these columns in words, empty if there are none.

        `ValueError` if neither this schema nor `knows` knows any of the columns.
        """
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

    def check(self, batch: Batch, knows: Callable[[Name], bool]) -> str | None:
        """A warning about the columns, only the first time; `ValueError` for a wrong table."""
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
        """Add the columns of a batch that has been learned."""
        columns = columns_of(batch)
        if columns is not None and columns != self._learned:
            self.add(columns)
            self._learned = columns

    def as_json(self) -> list[list[Name]]:
        """Names and kinds in order of appearance."""
        return [list(pair) for pair in self.kinds.items()]


def columns_of(batch: Batch) -> Columns | None:
    """The names and kinds of the columns of a batch; None for an array, whose columns have no names.

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


def columns_of_features(names: Iterable[Name]) -> Columns:
    """The columns from which features were made: "city=Rome" belongs to the text column "city".

    >>> columns_of_features(["price", "city=Rome", "city=Oslo"])
    (('price', 'number'), ('city', 'text'))
    """
    columns: dict[Name, str] = {}
    for name in names:
        column, is_text, _ = name.partition("=") if isinstance(name, str) else (name, "", "")
        columns.setdefault(column, TEXT if is_text else NUMBER)
    return tuple(columns.items())


def listed(names: Collection[object]) -> str:
    """The first names of a list, and the number of others.

    >>> listed(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    first = ", ".join(str(name) for name, _ in zip(names, range(_LISTED)))
    return first + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _column_kind(_name: object, _values: object, categories: Collection[str] | None = None) -> str:
    return NUMBER if categories is None else TEXT if len(categories) else EMPTY


def _refuse_kind(batch: Batch, name: Name, known: str) -> None:
    """Raise for a column of another kind than the `known` one, if it has a value."""
    was, now = ("a number", "text") if known == NUMBER else ("text", "a number")
    what = f"column {str(name)!r} was {was} when the model learned it, and is {now}"
    if not isinstance(batch, Table):  # files are read as before, unless an option says otherwise
        raise ValueError(what)
    column = next(each for each in batch.columns if _core.name(each[0]) == name)
    there = column[1] >= 0 if known == NUMBER else np.nan_to_num(column[1]) != 0
    if there.any():
        row = int(there.argmax())
        value = repr(column[2][column[1][row]]) if known == NUMBER else f"{column[1][row]:g}"
        raise WrongKind(f"{what}: {value}", row)
