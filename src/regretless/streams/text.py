"""Streams of lines: the text formats, parsed in the core."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from regretless import _core
from regretless.base.rows import Form, Parsed
from regretless.streams.opening import Readable, Window, opened
from regretless.streams.stream import Piece, Place, Stream

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
