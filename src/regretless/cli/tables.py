"""Tables from files, for `experts`, `bandit` and `game`."""

import codecs
import os
from typing import Any

TABLE = "CSV or TSV file (also .gz), Parquet, Arrow or Feather file, or - for CSV on standard input"

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]


def read_table(path: str, delimiter: str | None = None) -> Any:
    """The Arrow table in a CSV or TSV file, also compressed, or in a Parquet, Arrow or Feather file.

    Standard input, `-`, is CSV.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "load.csv")
    >>> _ = path.write_text("load,gam,gbm\\n1,1.5,NA\\n2,2.5,2\\n")
    >>> read_table(str(path)).to_pydict()
    {'load': [1, 2], 'gam': [1.5, 2.5], 'gbm': [None, 2]}
    """
    import pyarrow as pa

    from regretless.streams.opening import STANDARD_INPUT, suffixes
    from regretless.streams.reading import FORMATS
    from regretless.streams.tables import all_tables

    binary = {each: name for name in ("parquet", "arrow") for each in FORMATS[name].suffixes}
    suffix = ".csv" if path == STANDARD_INPUT else suffixes(path)[0]
    if suffix not in DELIMITERS | binary:
        known = ", ".join(DELIMITERS | binary)
        raise ValueError(f"{path}: its suffix {suffix!r} tells no format; there are {known}")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"--delimiter {delimiter!r} must be one character")
    if suffix in DELIMITERS:
        content = read_text(path)
        if not content.strip():
            raise ValueError(f"{path}: the file is empty")
        try:
            tables = [_csv(path, content, delimiter or DELIMITERS[suffix])]
        except pa.ArrowInvalid as error:
            raise ValueError(f"{path}: {error}") from error
    else:
        _refuse_no_file(path)
        tables = all_tables(path, binary[suffix])
    if not sum(table.num_rows for table in tables):
        raise ValueError(f"{path}: there are no rows")
    return pa.concat_tables(tables)


def read_text(path: str) -> bytes:
    """The bytes of a text file, also compressed, or of standard input."""
    from regretless.streams.opening import STANDARD_INPUT, opened

    if path != STANDARD_INPUT:
        _refuse_no_file(path)
    decoder = codecs.getincrementaldecoder("utf-8")()  # piece by piece: tables may be large
    content, block = bytearray(), memoryview(bytearray(1 << 20))
    with opened(path) as file:
        while count := file.readinto(block):
            content += block[:count]
            try:
                decoder.decode(block[:count])
            except UnicodeDecodeError:
                raise ValueError(f"{path}: this is not text in UTF-8") from None
    return bytes(content)


def _refuse_no_file(path: str) -> None:
    """`ValueError` that says whether there is nothing or a directory."""
    if os.path.isdir(path):
        raise ValueError(f"{path} is a directory; give one of its files")
    if not os.path.exists(path):
        raise ValueError(f"{path}: there is no such file")


def _csv(path: str, content: bytes, delimiter: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    uneven: list[Any] = []

    def skip(row: Any) -> str:
        uneven.append(row)
        return "skip"

    table = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(use_threads=False),  # else rows have no numbers
        csv.ParseOptions(delimiter=delimiter, invalid_row_handler=skip),
        csv.ConvertOptions(null_values=_MISSING, strings_can_be_null=True),
    )
    if uneven:
        row = uneven[0]
        raise ValueError(
            f"{path}: row {row.number - 1} has {row.actual_columns} fields, but the header has "
            f"{row.expected_columns}: {row.text}"
        )
    return table


def no_column(name: str, there: list[str]) -> str:
    """Why there is not one column of that name, and what may be meant."""
    from difflib import get_close_matches

    if name in there:
        return f"there are {there.count(name)} columns {name!r}; give them different names"
    near = get_close_matches(name, there, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(there)}"
    return f"there is no column {name!r}; {hint}"
