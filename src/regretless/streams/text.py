"""Streams of lines: the text formats, parsed in the core."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import numpy as np

from regretless import _core
from regretless.rows import Form, Parsed
from regretless.streams.opening import Readable, opened, suffixes
from regretless.streams.pipeline import ahead
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["TextStream"]

_PIECE = 1 << 19  # bytes: some thousand examples, whose arrays still fit a second-level cache

# (path, the file's first bytes, whether labels are needed) -> a parser
MakeParser = Callable[[str, bytes, bool], _core.Parser]


class TextStream(Stream):
    """The examples of text files, one file after the other.

    `make_parser` sees the first `sample` bytes of a file. `piece` is how many are read at a time.
    """

    def __init__(
        self, paths: list[str], make_parser: MakeParser, sample: int = 0, piece: int = _PIECE
    ) -> None:
        self.paths, self._make_parser = paths, make_parser
        self._sample, self._piece = sample, piece

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        form, start = form or Form(), start or Place()
        for number in range(start.file, len(self.paths)):
            for piece in self._file(number, form, start, labelled):
                yield piece
                start = Place(number + 1, skipped=piece.place.skipped)

    def _file(self, number: int, form: Form, start: Place, labelled: bool) -> Iterator[Piece]:
        path = self.paths[number]
        with opened(path) as file, closing(self._blocks(path, file)) as blocks:
            text = next(blocks)
            at, last = 0, not text
            while len(text) < self._sample and not last:
                block = next(blocks)
                text, last = text + block, not block
            try:
                parser = self._make_parser(path, text, labelled)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            if start.offset:
                parser.go_on_at(start.line)
                while at + len(text) < start.offset and not last:
                    at += len(text)
                    text = next(blocks)
                    last = not text
                text, at = text[start.offset - at :], start.offset
            while True:
                examples = _core.Examples(form.bits, form.intercept, form.named)
                bad = None
                try:
                    at += (used := parser.parse(text, last, examples))
                except ValueError as error:
                    bad = ValueError(f"{path}, {error}")
                if len(examples):
                    place = Place(number, at, parser.line, start.skipped + parser.skipped)
                    yield _piece(examples, place)
                if bad:
                    raise bad
                if last:
                    return
                try:
                    block = next(blocks)
                except OSError as error:
                    raise ValueError(f"{path}, after line {parser.line - 1}: {error}") from error
                text, last = text[used:] + block, not block

    def _blocks(self, path: str, file: Readable) -> Generator[bytes]:
        blocks = _blocks(file, self._piece)
        return ahead(blocks) if suffixes(path)[1] else blocks  # decompression has its own thread


def _blocks(file: Readable, size: int) -> Generator[bytes]:
    """The bytes of a file; the last block is empty."""
    block = b"?"
    while block:
        block = file.read(size)
        yield block


def _piece(examples: _core.Examples, place: Place) -> Piece:
    texts = examples.label_texts
    y = examples.labels if texts is None else np.array(texts, object)
    X = Parsed(examples, 0, len(examples))
    return Piece(X, y, examples.importance, examples.tags, place)
