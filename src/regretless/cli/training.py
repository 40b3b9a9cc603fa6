"""What training on the command line needs: model files, first labels, passes and checkpoints."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from regretless.base.learner import Learner
    from regretless.base.rows import Batch
    from regretless.cli.options import Reading
    from regretless.evaluate.training import Training
    from regretless.evaluate.validation import FirstLabels
    from regretless.streams import Piece, Stream
    from regretless.streams.cache import Cache


# --- model files -----------------------------------------------------------------------------------


def save_model(model: Learner, reading: Reading, path: str, *, classes: bool = False) -> None:
    """Write a model that `regretless.load` reads too, all at once or not at all.

    The file records how the examples were read. `classes` says that the labels are numbers of which
    there may be many.
    """
    recorded = reading.recorded(model._read_as or {})
    model._read_as = recorded | ({"classes": True} if classes else {})
    if reading.has_names_only:  # the features tell the columns
        from regretless.base.columns import Schema, columns_of_features

        model._schema = model._schema or Schema()
        model._schema.add(columns_of_features((model._model or model._start()).names().values()))
    model.save(path)


def load_model(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and how its examples were read; nothing if the file was not written by a command."""
    from regretless.base import learner, state

    model = state.load(path)
    if not isinstance(model, learner.Learner):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is not a learner")
    return model, model._read_as or {}


# --- the first examples ----------------------------------------------------------------------------


def first_labels(
    pieces: Iterator[Piece], reading: Reading, decided: bool, known: Iterable[Any] = ()
) -> tuple[FirstLabels, Iterator[Piece]]:
    """The first labels without those that are `known`, and all pieces.

    Pieces are held back until there are enough labels to tell the task, unless it is `decided`.
    """
    from regretless.evaluate.validation import FirstLabels

    labels = FirstLabels(known)
    held: list[Piece] = []
    for piece in pieces:
        if held and not len(held[-1]):
            held.pop()  # only bad lines, which the next piece's place counts too
        held.append(piece)
        labels.add(piece.y)
        if len(piece) and (decided or labels.enough):
            break
    if not any(map(len, held)):
        raise ValueError(f"{' '.join(reading.sources)}: there are no examples")
    return labels, chain(held, pieces)


_LOOKED_AT = 1000  # examples


def check_features(
    pieces: Iterator[Piece], model: Learner, *, named: bool, strict: bool
) -> Iterator[Piece]:
    """The pieces; `ValueError` if the model knows no feature of the first 1,000 examples.

    Pieces are held back until it knows one. Features of `named` formats are called like columns, so
    there is a warning if they differ from those that the model has learned; `strict` holds all pieces
    back until this is known.
    """
    look: _FirstFeatures | None = _FirstFeatures(model, named) if model.examples_ else None
    held: list[Piece] = []
    for piece in pieces:
        if look is not None and len(piece):
            look.add(piece)
            if look.has_seen_enough:
                look.conclude()
                look = None
        if look is not None and (strict or not look.knows):
            if held and not len(held[-1]):
                held.pop()  # only bad lines, which the next piece's place counts too
            held.append(piece)
            continue
        yield from held
        held.clear()
        yield piece
    if look is not None:
        look.conclude()
    yield from held


class _FirstFeatures:
    """The features of the first examples, compared with those that a model has learned."""

    def __init__(self, model: Learner, named: bool) -> None:
        core = model._model or model._start()
        self._model, self._named, self._schema = model, named, model._schema
        self._names = set(core.names().values())
        self._all_named = model.features == "exact" or core.wants_names
        self._seen = 0
        self._without_names = False  # the examples were read without
        self._given: dict[Any, None] = {}  # features, in order of appearance
        self.knows = False
        self.has_seen_enough = False

    def add(self, piece: Piece) -> None:
        """Look at a piece, as far as it is among the first examples."""
        from regretless.base.columns import columns_of

        batch = piece.X[: _LOOKED_AT - self._seen]
        self._seen += batch.size
        self.has_seen_enough = self._seen >= _LOOKED_AT
        if self._schema is not None and columns_of(batch) is not None:
            self.knows = self.has_seen_enough = True  # the learner compares columns itself
            self._given.clear()
            return
        features = _features(batch)
        self._given |= features or {}
        self._without_names = self._without_names or features is None
        self.knows = self.knows or any(map(self._knows, features or ()))
        if not self.knows and (self._without_names or not self._all_named):
            # a feature that the model knows makes a difference
            core = self._model._model or self._model._start()
            self.knows = bool((self._model._batch_scores(batch) != core.score({})).any())

    def conclude(self) -> None:
        """Report what differs."""
        from regretless.base.columns import columns_of_features, listed
        from regretless.errors import ColumnsWarning

        if not self.knows and (self._given or self._without_names):
            known = self._names if self._schema is None else self._schema.kinds
            raise ValueError(
                "the model knows none of the features"
                + (f": {listed(self._given)}" if self._given else " of the first examples")
                + (f"; it has learned {listed(sorted(known, key=str))}" if known else "")
            )
        if self._named and self._schema is not None and self._given:
            text = self._schema.differences(columns_of_features(self._given), lambda _: True)
            if text:
                warnings.warn(text, ColumnsWarning, stacklevel=2)

    def _knows(self, feature: Any) -> bool:
        from regretless.base.columns import columns_of_features

        if feature in self._names:
            return True
        ((column, _),) = columns_of_features([feature])
        return self._schema is not None and column in self._schema.kinds


def _features(batch: Batch) -> dict[Any, None] | None:
    """The names of the features; None if the batch has been read without."""
    from regretless.base.rows import Parsed, Table

    if isinstance(batch, Parsed) and not batch.examples.named:
        return None
    found: dict[Any, None] = {}
    for t in range(batch.size):
        for name, value in batch.row(t).items():
            is_text = isinstance(batch, Table) and isinstance(value, str)
            found[f"{name}={value}" if is_text else name] = None
    return found


# --- passes ----------------------------------------------------------------------------------------

_CACHE = ".regretless-cache"


class CachedPasses:
    """The pieces of each pass: from the files first, then from the cache of the first pass.

    Only a first pass that was read from its beginning leaves a cache. Tables have none; nor has a
    stream in which a held-out example has a feature that was never learned. Without a cache the files
    are read again. The cache is removed at the end unless it has a `path` of its own. Otherwise it is in
    `folder`, where the cache of a process that was killed is removed.
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
        from regretless.base.rows import Parsed

        if training.passes or self._count == 1 or not isinstance(piece.X, Parsed):
            return
        if not training.finds_alike:  # the cache has places of features, not their names
            return
        if not training.seen:  # only bad lines yet
            return
        if self._cache is None and training.seen == len(piece):  # the first of all
            from regretless.streams.cache import Cache

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
        import tempfile

        handle, path = tempfile.mkstemp(_CACHE, dir=self._folder)
        os.close(handle)
        return path

    def __enter__(self) -> Self:
        if self._folder is not None:
            from pathlib import Path

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


# --- checkpoints -----------------------------------------------------------------------------------


class Checkpoints:
    """A file from which the same command continues, written anew after every so many examples.

    Without a `folder` nothing is written.
    """

    def __init__(self, folder: str | None, every: float, command: dict[str, Any]) -> None:
        self._path: Path | None = None
        self._every = every
        self._taken = 0
        self._warned = False
        if folder is not None:
            import json
            from pathlib import Path

            from regretless.base.persistence import remove_scratch

            self._path = Path(folder, "checkpoint.safetensors")
            self._command = json.loads(json.dumps(command))  # as it will be read back
            self._path.parent.mkdir(parents=True, exist_ok=True)
            remove_scratch(self._path)

    def load(self) -> Training | None:
        """The training to continue, if this command was started before."""
        if self._path is None or not self._path.exists():
            return None
        from regretless.evaluate.training import Training

        return Training.load(self._path, self._command)

    def took(self, training: Training, examples: int) -> None:
        """Count so many more examples, and save a checkpoint if it is due."""
        self._taken += examples
        if self._taken >= self._every:
            self.save(training)

    def save(self, training: Training) -> None:
        """Write the checkpoint now. If the disk is full, the training goes on without one."""
        self._taken = 0
        if self._path is None:
            return
        try:
            training.save(self._path, self._command)
        except OSError as error:
            if not self._warned:
                print(f"warning: {self._path}: {error.strerror}: no checkpoint", file=sys.stderr)
            self._warned = True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, so that no piece is half learned."""
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        raise KeyboardInterrupt
