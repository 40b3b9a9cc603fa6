"""What each pass reads: the files first, then the cache that the first pass has left."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from regretless.base.rows import Parsed
from regretless.evaluate.training import Training
from regretless.streams import Piece, Stream
from regretless.streams.cache import Cache

_CACHE = ".regretless-cache"


class Passes:
    """The pieces of each pass. The cache is removed at the end unless it has a `path` of its own.

    Only a first pass that was seen from its beginning leaves a cache, and tables have none; nor has a
    stream in which an example that is not learned has a name of its own. Where there is no cache the
    files are read again. `folder` is for a cache without a path; what a
    process that was killed has left there is removed.
    """

    def __init__(
        self, stream: Stream, count: int, path: str | None, folder: str | None = None
    ) -> None:
        self._stream, self._count, self._path, self._folder = stream, count, path, folder
        self._cache: Cache | None = None
        self._complete = False

    def pieces(self, training: Training) -> Iterator[Piece]:
        """What is left of the current pass."""
        source = self._cache.stream() if self._cache and self._complete else self._stream
        if training.passes and source is self._stream and "-" in getattr(source, "paths", ()):
            raise ValueError("standard input cannot be read twice: there is no cache of it")
        return source.ahead(training.model._form(), training.place)

    def took(self, training: Training, piece: Piece) -> None:
        """Keep a piece that has been learned, if later passes will want it."""
        if training.passes or self._count == 1 or not isinstance(piece.X, Parsed):
            return
        if not training.finds_alike:  # the cache has places of features, not their names
            return
        if not training.seen:  # only bad lines yet
            return
        if self._cache is None and training.seen == len(piece):  # the first of all
            self._cache = Cache(self._path or self._scratch())
        with self._without_if_full():
            if self._cache:
                try:
                    self._cache.add(training.model, piece)
                except LookupError:  # a held-out example has a name that was not learned
                    self._cache.discard()
                    self._cache = None

    def end(self) -> None:
        """A pass is over."""
        with self._without_if_full():
            if self._cache and not self._complete:
                self._cache.finish()
                self._complete = True

    @contextmanager
    def _without_if_full(self) -> Iterator[None]:
        """Go on without a cache that cannot be written, if the files can be read again."""
        try:
            yield
        except OSError as error:
            if self._cache is None or "-" in getattr(self._stream, "paths", ()):
                raise
            print(
                f"warning: {error.filename}: {error.strerror}: later passes read the files again",
                file=sys.stderr,
            )
            self._cache.discard()
            self._cache = None

    def _scratch(self) -> str:
        handle, path = tempfile.mkstemp(_CACHE, dir=self._folder)
        os.close(handle)
        return path

    def __enter__(self) -> Self:
        if self._folder is not None:
            for old in Path(self._folder).glob(f"*{_CACHE}"):
                old.unlink()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._cache and (self._path is None or not self._complete):
            self._cache.discard()
