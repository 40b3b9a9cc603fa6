"""Streams of tables: Parquet, Arrow and Feather files through pyarrow, and tables in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base import rows
from regretless.base.arguments import numbers, sound
from regretless.base.rows import Form
from regretless.streams.opening import suffixes
from regretless.streams.stream import ArrayStream, Piece, Place, Stream

_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table that are not features, or are categories."""

    label: str | None = None
    weight: str | None = None
    tag: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    texts: frozenset[Any] = frozenset()  # columns that a model has learned as text

    def split(self, table: Any, labelled: bool) -> tuple[Any, NDArray[Any], Any, Any]:
        """Features, labels (NaN where there are none), weights and tags of an Arrow table."""
        import pyarrow as pa

        rows.column_names(table.column_names)
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
            column = sound(table.column(self.label), f"column {self.label!r}")
            y = _labels(column, self.label, labelled)
        w = tags = None
        if self.weight in table.column_names:
            w = numbers(
                sound(table.column(self.weight), f"column {self.weight!r}"),
                "weight",
                "a column of numbers",
                missing=True,
            )
            w = np.where(np.isnan(w), 1.0, w)
        if self.tag in table.column_names:
            tagged = sound(table.column(self.tag), f"column {self.tag!r}")
            tags = ["" if rows.is_missing(v) else str(v) for v in tagged.to_pylist()]
        features = table.drop_columns(
            [
                n
                for n in {self.label, self.weight, self.tag, *self.ignore}
                if n in table.column_names
            ]
        )
        for name in features.column_names:
            if name not in self.categorical and _core.name(name) not in self.texts:
                continue
            at = features.column_names.index(name)
            column = sound(features.column(at), f"column {name!r}")
            features = features.set_column(at, name, column.cast(pa.string()))
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
        y = np.empty(len(column), object)  # also of labels that are lists, which are refused later
        y[:] = column.to_pylist()
        missing = np.array([rows.is_missing(label) for label in y], bool)
        y[missing] = ""
    if labelled and missing.any():
        raise ValueError(f"row {missing.argmax()} has no label in the column {name!r}")
    return y


def _fits(column: Any) -> bool:
    """Whether these are integers that a double holds exactly; others are read as texts."""
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
            with _named(self.paths[number]):
                yield from self._file(number, skip, labelled)

    def where(self, piece: Piece, t: int) -> str:
        """The file and the row, counted from 1."""
        return f"{self.paths[piece.place.file]}, row {piece.place.offset - len(piece) + t + 1}"

    def _file(self, number: int, skip: int, labelled: bool) -> Iterator[Piece]:
        path, at = self.paths[number], 0
        for table in _tables(path, self._format):
            at += table.num_rows
            if at <= skip:
                continue
            kept = table.slice(max(0, table.num_rows - (at - skip)))
            X, y, w, tags = self._columns.split(kept, labelled)
            yield Piece(rows.batch(X), y, w, tags, Place(number, at, at + 1))


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Turn every failure into a `ValueError` that names the file."""
    import pyarrow as pa

    try:
        yield
    except MemoryError as error:
        raise ValueError(f"{path}: it says that it needs more memory than there is") from error
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        raise ValueError(f"{path}: {error}") from error


def all_tables(path: str, format: str) -> list[Any]:
    """A whole file as Arrow tables, every column checked."""
    with _named(path):
        tables = list(_tables(path, format))
        for table in tables:
            for name, column in zip(table.column_names, table.columns):
                sound(column, f"column {name!r}")
    return tables


def _tables(path: str, format: str) -> Iterator[Any]:
    return _parquet(path) if format == "parquet" else _arrow(path)


def _parquet(path: str) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import parquet

    # this thread decodes, another learns: more of them would take its time
    for batch in parquet.ParquetFile(path).iter_batches(_ROWS, use_threads=False):
        yield pa.Table.from_batches([batch])


def _arrow(path: str) -> Iterator[Any]:
    """Arrow files and streams (Feather is an Arrow file), read a batch at a time.

    They are read and not mapped, because a file that shrinks while it is mapped kills the process.
    Columns are checked one by one, where they are used.
    """
    import pyarrow as pa

    with pa.input_stream(path, compression=suffixes(path)[1]) as file:
        if file.seekable():
            try:
                reader = pa.ipc.open_file(file)
                batches = map(reader.get_batch, range(reader.num_record_batches))
            except pa.ArrowInvalid:
                file.seek(0)
                batches = pa.ipc.open_stream(file)
        else:
            batches = pa.ipc.open_stream(file)
        for batch in batches:
            table = pa.Table.from_batches([batch])
            for at in range(0, table.num_rows, _ROWS):
                yield table.slice(at, _ROWS)


def table_stream(table: Any, columns: Columns) -> Stream:
    """The rows of an Arrow table, or of a pandas or polars data frame, in memory."""
    import pyarrow as pa

    rows.check_eager(table)
    if hasattr(table, "to_arrow"):
        table = table.to_arrow()
    elif isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif not isinstance(table, pa.Table):
        table = _from_pandas(table)
    X, y, w, tags = columns.split(table, labelled=columns.label is not None)
    return ArrayStream(rows.batch(X), y, w, tags)


def _from_pandas(frame: Any) -> Any:
    import pyarrow as pa

    rows.column_names(list(frame.columns))
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"the column {name!r} is mixed or of no type that is read, which are numbers, bools and "
                f"strings ({error.args[0] if error.args else type(error).__name__})"
            ) from error
    return pa.table(columns)
