"""Streams of tables: Parquet, Arrow and Feather files through pyarrow, and tables in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import rows
from regretless.rows import Form
from regretless.streams.memory import ArrayStream
from regretless.streams.opening import opened, suffixes
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["Columns", "TableStream", "table_stream"]

_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are not features."""

    label: str | None = None
    weight: str | None = None
    tag: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()

    def split(self, table: Any, labelled: bool) -> tuple[Any, NDArray[Any], Any, Any]:
        """Features, labels (NaN where there are none), weights and tags of an Arrow table."""
        import pyarrow as pa

        given = [self.label, self.weight, self.tag, *self.ignore, *self.categorical]
        for name in given if labelled else ():
            if name is not None and name not in table.column_names:
                raise ValueError(
                    f"there is no column {name!r}; there are {', '.join(table.column_names)}"
                )
        if self.label is None and labelled:
            raise ValueError(
                f"label= is needed: which of the columns {', '.join(table.column_names)} is it?"
            )
        y = np.full(table.num_rows, np.nan)
        if self.label in table.column_names:
            y = _labels(table.column(self.label), self.label, labelled)
        w = tags = None
        if self.weight in table.column_names:
            w = rows.numbers(table.column(self.weight), "weight", "a column of numbers")
            w = np.where(np.isnan(w), 1.0, w)
        if self.tag in table.column_names:
            found = table.column(self.tag).to_pylist()
            tags = ["" if rows.is_missing(v) else str(v) for v in found]
        features = table.drop_columns(
            [
                n
                for n in {self.label, self.weight, self.tag, *self.ignore}
                if n in table.column_names
            ]
        )
        for name in features.column_names:
            if name not in self.categorical:
                continue
            at = features.column_names.index(name)
            features = features.set_column(at, name, features.column(at).cast(pa.string()))
        return features, y, w, tags


def _labels(column: Any, name: str | None, labelled: bool) -> NDArray[Any]:
    """Labels as the same table in a CSV file has them: numbers, or texts."""
    import pyarrow as pa

    kind = column.type
    y: NDArray[Any]
    if pa.types.is_boolean(kind) or pa.types.is_floating(kind) or _fits(column):
        y = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)
        missing = np.isnan(y)
    else:
        if pa.types.is_integer(kind):
            column = column.cast(pa.string())
        y = np.array(column.to_pylist(), object)
        missing = np.array([rows.is_missing(label) for label in y], bool)
        y[missing] = ""
    if labelled and missing.any():
        raise ValueError(f"row {missing.argmax()} has no label in the column {name!r}")
    return y


def _fits(column: Any) -> bool:
    """Whether these are integers that a double holds; others are texts, lest two become one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_integer(column.type):
        return False
    ends = pc.min_max(column).as_py()
    if all(abs(end or 0) < 2**53 for end in ends.values()):
        return True
    return all(v is None or int(float(v)) == v for v in column.to_pylist())


class TableStream(Stream):
    """The rows of Parquet, Arrow or Feather files, one file after the other."""

    def __init__(self, paths: list[str], format: str, columns: Columns) -> None:
        self.paths, self._format, self._columns = paths, format, columns

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        start = start or Place()
        for number in range(start.file, len(self.paths)):
            skip = start.offset if number == start.file else 0
            at = 0
            for table in self._tables(self.paths[number]):
                at += table.num_rows
                if at <= skip:
                    continue
                kept = table.slice(max(0, table.num_rows - (at - skip)))
                try:
                    X, y, w, tags = self._columns.split(kept, labelled)
                    batch = rows.batch(X)
                except ValueError as error:
                    raise ValueError(f"{self.paths[number]}: {error}") from error
                yield Piece(batch, y, w, tags, Place(number, at, at + 1))

    def _tables(self, path: str) -> Iterator[Any]:
        import pyarrow as pa

        try:
            if self._format == "parquet":
                from pyarrow import parquet

                # this thread decodes, another learns: more of them would take its time
                for batch in parquet.ParquetFile(path).iter_batches(_ROWS, use_threads=False):
                    yield pa.Table.from_batches([batch])
            else:
                yield from _arrow_tables(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{path}: {error}") from error


def _arrow_tables(path: str) -> Iterator[Any]:
    """Arrow files and streams (Feather is an Arrow file)."""
    import pyarrow as pa

    if suffixes(path)[1]:
        with opened(path) as file:
            yield from _cut(pa.ipc.open_stream(file).read_all())
        return
    with pa.memory_map(path) as file:
        try:
            table = pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid:
            file.seek(0)
            table = pa.ipc.open_stream(file).read_all()
        yield from _cut(table)


def _cut(table: Any) -> Iterator[Any]:
    for at in range(0, table.num_rows, _ROWS):
        yield table.slice(at, _ROWS)


def table_stream(table: Any, columns: Columns) -> Stream:
    """The rows of an Arrow table, or of a pandas or polars data frame, in memory."""
    import pyarrow as pa

    if hasattr(table, "to_arrow"):
        table = table.to_arrow()
    elif not isinstance(table, pa.Table):
        table = pa.Table.from_pandas(table, preserve_index=False)
    X, y, w, tags = columns.split(table, labelled=columns.label is not None)
    return ArrayStream(rows.batch(X), y, w, tags)
