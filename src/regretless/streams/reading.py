"""`read`: a stream from whatever holds examples."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from regretless import _core
from regretless.base import rows
from regretless.base.arguments import one_of
from regretless.base.rows import Form, Parsed
from regretless.base.schema import NUMBER, TEXT
from regretless.streams.opening import Readable, Window, opened, paths_of, suffixes
from regretless.streams.stream import ArrayStream, IterableStream, Piece, Place, Stream, labels_of
from regretless.streams.tables import Columns, TableStream, table_stream

# --- streams of lines: the text formats, parsed in the core ---------------------------------------

_PIECE = 1 << 19  # bytes: some thousand examples, whose arrays still fit a second-level cache

# (path, the file's first bytes, whether labels are needed) -> a parser
MakeParser = Callable[[str, bytes, bool], _core.Parser]


class TextStream(Stream):
    """The examples of text files, one file after the other.

    `make_parser` is given the first `sample` bytes of a file. `piece` is the number of bytes that are
    read at a time. `through` is put between a file and the parser; it must not move any byte. `columns`
    returns the columns of a table, once there is a parser.
    """

    def __init__(
        self,
        paths: list[str],
        make_parser: MakeParser,
        *,
        sample: int = 0,
        piece: int = _PIECE,
        through: Callable[[Readable], Readable] | None = None,
        columns: Callable[[], tuple[tuple[Any, str], ...]] | None = None,
    ) -> None:
        self.paths, self._make_parser, self._columns = paths, make_parser, columns
        self._sample, self._piece, self._through = sample, piece, through

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        form, start = form or Form(), start or Place()
        for number in range(start.file, len(self.paths)):
            for piece in self._file(number, form, start, labelled):
                yield piece
                start = piece.place
            start = Place(number + 1, skipped=start.skipped)

    def where(self, piece: Piece, t: int) -> str:
        """The file and the line."""
        path = self.paths[piece.place.file]
        if not isinstance(piece.X, Parsed):  # from a cache
            return f"{path}, before line {piece.place.line}"
        return f"{path}, line {piece.X.examples.line(piece.X.first + t)}"

    def _file(self, number: int, form: Form, start: Place, labelled: bool) -> Iterator[Piece]:
        path, at, skipped = self.paths[number], start.offset, start.skipped
        with opened(path) as file:
            source = self._through(file) if self._through else file
            window, last = Window(source, self._piece), False
            while window.size < self._sample and not last:
                last = not window.more()
            try:
                parser = self._make_parser(path, window.content(), labelled)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            columns = None if self._columns is None else self._columns()
            if at:
                parser.go_on_at(start.line, start.labels)
                window.skip(at)
            while True:
                try:
                    last = last or not window.more()
                except OSError as error:
                    raise ValueError(f"{path}, after line {parser.line - 1}: {error}") from error
                examples = form.examples()
                bad = None
                try:
                    used = parser.parse(window.data, window.first, window.last, last, examples)
                    window.skip(used)
                    at += used
                except ValueError as error:
                    bad = ValueError(f"{path}, {error}")
                if len(examples) or start.skipped + parser.skipped > skipped:
                    skipped = start.skipped + parser.skipped
                    place = Place(number, at, parser.line, skipped, parser.labels)
                    yield _piece(examples, columns, place)
                if bad:
                    raise bad
                if last:
                    return


def _piece(
    examples: _core.Examples, columns: tuple[tuple[Any, str], ...] | None, place: Place
) -> Piece:
    texts = examples.label_texts
    y = examples.labels if texts is None else np.array(texts, object)
    X = Parsed(examples, 0, len(examples), columns)
    return Piece(X, y, examples.importance, examples.tags, place)


# --- VW text without some of its namespaces -------------------------------------------------------

_BLOCK = 1 << 19


class Without:
    """The bytes of VW text with blanks in place of the namespaces that are left out.

    A name of one letter stands for all namespaces that begin with it, as in interactions. Nothing moves,
    so that a place in the text remains the same place.

    >>> import io
    >>> text = memoryview(bytearray(40))
    >>> count = Without(io.BytesIO(b"1 |user u7 age:3 |ad a1 |u x\\n"), ["user"]).readinto(text)
    >>> bytes(text[:count])
    b'1 |               |ad a1 |u x\\n'
    """

    def __init__(self, file: Readable, namespaces: Sequence[str]) -> None:
        names = [
            re.escape(name.encode()) + (rb"" if len(name) == 1 else rb"(?![^\s:|])")
            for name in namespaces
        ]
        self._pattern = re.compile(rb"\|(?:" + rb"|".join(names) + rb")[^|\n]*")
        self._file = file
        self._rest = bytearray()  # of a line whose end has not come yet
        self._ready = memoryview(b"")

    def readinto(self, view: memoryview, /) -> int:
        """Put bytes of whole lines into the view and say how many; 0 at the end."""
        while not self._ready:
            block = memoryview(bytearray(_BLOCK))
            count = self._file.readinto(block)
            if not count and not self._rest:
                return 0
            known = len(self._rest)
            self._rest += block[:count]
            end = self._rest.rfind(b"\n", known) + 1 if count else len(self._rest)
            self._ready = memoryview(self._pattern.sub(_blanks, self._rest[:end]))
            del self._rest[:end]
        count = min(len(view), len(self._ready))
        view[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


def _blanks(found: re.Match[bytes]) -> bytes:
    return b"|".ljust(len(found.group()))


# --- `read`: a stream from whatever holds examples ------------------------------------------------


class Format(NamedTuple):
    """A format of files: the suffixes that tell it, and the options of `read` that apply to it."""

    suffixes: tuple[str, ...]
    options: frozenset[str] = frozenset()


_OF_TABLES = frozenset({"label", "weight", "tag", "ignore"})
_OF_ARROW = _OF_TABLES | {"categorical"}
_OF_CSV = _OF_TABLES | {"categorical", "numeric", "header", "delimiter"}
FORMATS = {
    "vw": Format((".vw",), frozenset({"ignore", "interactions"})),
    "svmlight": Format((".svm", ".svmlight", ".libsvm")),
    "csv": Format((".csv",), _OF_CSV),
    "tsv": Format((".tsv",), _OF_CSV),
    "jsonl": Format((".jsonl", ".ndjson"), _OF_TABLES),
    "parquet": Format((".parquet", ".pq"), _OF_ARROW),
    "arrow": Format((".arrow", ".feather", ".ipc"), _OF_ARROW),
}
_BY_SUFFIX = {suffix: name for name, each in FORMATS.items() for suffix in each.suffixes}
_SAMPLE = 1 << 19  # bytes of a CSV file that tell what its columns hold


def read(
    source: Any,
    *,
    format: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    tag: str | None = None,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ignore: Sequence[str] = (),
    header: bool = True,
    delimiter: str | None = None,
    interactions: Sequence[str | Sequence[str]] = (),
    skip_bad: bool = False,
    like: Any = None,
) -> Stream:
    """Read examples as a stream. The same examples in another form are the same stream.

    Parameters
    ----------
    source : a path, a pattern such as "ads/*.parquet", "-" for standard input, or a list of these,
        plain or compressed (.gz, .bz2, .zst); or an Arrow table, a pandas or polars data frame, a pair
        `(X, y)` of arrays or a sparse matrix and labels, or anything that yields `(x, y)`.
    format : "vw", "svmlight", "csv", "tsv", "jsonl", "parquet" or "arrow"; by default the one that the
        suffix tells.
    label, weight, tag : the columns (of CSV, JSON, tables) that hold the label, the importance and the
        name of an example.
    categorical, numeric : columns of a CSV file that are text although they look like numbers, or the
        other way round; by default a column is numeric if its first thousand fields are.
    ignore : columns that are left out; of VW text namespaces, by their name or their first letter.
    header, delimiter : of a CSV file; without a header columns are called "0", "1", ...
    interactions : of namespaces in VW text, "ab" or ("user", "ad"): see `docs/streams.md`.
    skip_bad : leave out lines that cannot be parsed instead of raising; the count is in
        `Piece.place.skipped`.

    like : a learner of this library that will predict the examples or go on learning. Columns are read
        as it has learned them, as numbers or as text; text in a column of numbers is an error.

    Options that do not apply to the format (`FORMATS`) are ignored.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.vw"
    >>> _ = path.write_text("1 2.0 'first |user age:3 |ad sport\\n-1 |user age:1\\n")
    >>> for x, y in read(path):
    ...     print(x, y)
    {'user|age': 3.0, 'ad|sport': 1.0} 1.0
    {'user|age': 1.0} -1.0
    """
    kinds = _kinds(like)
    texts = frozenset(column for column, kind in kinds.items() if kind == TEXT)
    columns = Columns(label, weight, tag, tuple(ignore), tuple(categorical), texts)
    if isinstance(source, Stream):
        return source
    if not _is_path(source):
        return _from_memory(source, columns)
    paths = paths_of(source)
    name = format_of(paths, format)
    if interactions and name != "vw":
        raise ValueError(f"interactions={interactions!r}: only VW text has namespaces")
    if name in ("parquet", "arrow"):
        return TableStream(paths, name, columns)
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"delimiter={delimiter!r} must be one character")
    parts = label or "", weight or "", tag or ""
    if name in ("csv", "tsv"):
        split = delimiter or ("\t" if name == "tsv" else "")
        wishes = (*parts, list(categorical), list(numeric), list(ignore))
        csv = _CsvParsers(paths[0], split, header, wishes, skip_bad, kinds)
        return TextStream(paths, csv, sample=_SAMPLE, columns=lambda: csv.features)
    numbers = [column for column, kind in kinds.items() if kind == NUMBER]
    make: dict[str, Callable[[bool], _core.Parser]] = {
        "vw": lambda need: _core.VwParser(skip_bad, need, [list(one) for one in interactions]),
        "svmlight": lambda need: _core.SvmlightParser(skip_bad, need),
        "jsonl": lambda need: _core.JsonlParser(
            skip_bad, need, *parts, list(ignore), list(map(str, numbers))
        ),
    }

    def parser(_path: str, _sample: bytes, need: bool) -> _core.Parser:
        if need and name == "jsonl" and not label:
            raise ValueError("label= is needed: under which name is the label?")
        return make[name](need)

    through = partial(Without, namespaces=tuple(ignore)) if name == "vw" and ignore else None
    return TextStream(paths, parser, through=through)


def format_of(paths: Sequence[str], format: str | None = None) -> str:
    """The format of the files: `format` if it is given, else the one that all suffixes tell."""
    names = {format or _by_suffix(path) for path in paths}
    if len(names) > 1:
        raise ValueError(
            f"{', '.join(paths)} are of several formats, {', '.join(sorted(names))}; give format="
        )
    (name,) = names
    one_of(name, "format", FORMATS)
    return name


@dataclass(slots=True)
class _CsvParsers:
    """Parsers for the files of a CSV stream. What their columns hold is seen in the first file."""

    first: str
    delimiter: str
    header: bool
    wishes: tuple[str, str, str, list[str], list[str], list[str]]
    skip_bad: bool
    known: dict[Any, str]  # the kinds of columns, by a model
    columns: _core.CsvColumns | None = None
    features: tuple[tuple[Any, str], ...] = ()

    def __call__(self, path: str, sample: bytes, need_labels: bool) -> _core.Parser:
        if self.columns is None:
            if path != self.first:
                with opened(self.first) as file:
                    window = Window(file, _SAMPLE)
                    while window.size < _SAMPLE and window.more():
                        pass
                    sample = window.content()
            whole, sample = len(sample) < _SAMPLE, sample[:_SAMPLE]
            self.columns = self._inferred(sample, whole, need_labels)
            kinds = {"number": NUMBER, "category": TEXT}
            self.features = tuple(
                (_core.name(name), kinds[kind])
                for name, kind in zip(self.columns.names, self.columns.kinds)
                if kind in kinds
            )
        if need_labels and not self.wishes[0]:
            names = ", ".join(self.columns.names)
            raise ValueError(f"label= is needed: which of the columns {names} is it?")
        return _core.CsvParser(self.skip_bad, need_labels, self.columns)

    def _inferred(self, sample: bytes, whole: bool, need_labels: bool) -> _core.CsvColumns:
        """The columns as a sample shows them, unless the user or a model says otherwise."""
        label, weight, tag, categorical, numeric, ignore = self.wishes

        def infer(categorical: list[str], numeric: list[str]) -> _core.CsvColumns:
            parts, kinds = (label, weight, tag), (categorical, numeric, ignore)
            form = (sample, whole, self.delimiter, self.header)
            return _core.infer_csv(*form, *parts, *kinds, optional=not need_labels)

        seen = infer(categorical, numeric)
        others: dict[str, list[str]] = {"number": [], "category": []}  # than what the model knows
        for name, kind in zip(seen.names, seen.kinds):
            known = self.known.get(_core.name(name))
            said = name in categorical or name in numeric
            if not said and (kind, known) in (("number", TEXT), ("category", NUMBER)):
                others[kind].append(name)
        if not any(others.values()):
            return seen
        return infer(categorical + others["number"], numeric + others["category"])


def _kinds(like: Any) -> dict[Any, str]:
    """The kinds of the columns that a learner has learned."""
    if like is not None and not hasattr(like, "_schema"):
        raise ValueError(f"like={like!r} is not a learner of regretless")
    return {} if like is None or like._schema is None else dict(like._schema.kinds)


def _is_path(source: Any) -> bool:
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(one, (str, os.PathLike)) for one in source)
    return isinstance(source, (str, os.PathLike))


def _from_memory(source: Any, columns: Columns) -> Stream:
    rows.check_eager(source)
    if hasattr(source, "column_names") or (
        hasattr(source, "columns") and hasattr(source, "dtypes")
    ):
        return table_stream(source, columns)
    if isinstance(source, tuple) and len(source) in (2, 3) and hasattr(source[0], "shape"):
        X, y, *w = source
        return ArrayStream(X, labels_of(y), *w)
    if isinstance(source, Iterable):
        return IterableStream(source)
    raise ValueError(
        f"source is a {type(source).__name__}: give a path, a table, a pair (X, y) or pairs (x, y)"
    )


def _by_suffix(path: str) -> str:
    suffix, _ = suffixes(path)
    if suffix not in _BY_SUFFIX:
        raise ValueError(
            f"{path}: its suffix {suffix!r} tells no format; give format= one of {', '.join(FORMATS)}"
        )
    return _BY_SUFFIX[suffix]


# --- data sets that come with the package ---------------------------------------------------------

_SETS: dict[str, type] = {"breast_cancer": str, "diabetes": float, "digits": int, "phishing": bool}


def bundled(name: str) -> Iterator[tuple[dict[str, float], Any]]:
    """Read a bundled data set as a stream of `(x, y)`, `x` a dict of named features.

    `"phishing"` (1,250 web pages, True if phishing), `"breast_cancer"` (569, "malignant" or
    "benign"), `"digits"` (1,797 pictures, 0 to 9) and `"diabetes"` (442, a number).

    >>> x, y = next(bundled("phishing"))
    >>> x["is_popular"], y
    (0.5, True)
    """
    import csv
    import gzip
    from importlib import resources

    one_of(name, "name", _SETS)
    kind = _SETS[name]
    path = resources.files("regretless.streams") / "data" / f"{name}.csv.gz"
    with path.open("rb") as raw, gzip.open(raw, "rt", newline="") as file:
        names, *lines = csv.reader(file)
    for line in lines:
        x = dict(zip(names[:-1], map(float, line)))
        yield x, kind(int(line[-1])) if kind is bool else kind(line[-1])
