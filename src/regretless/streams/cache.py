"""A binary cache of a stream for later passes: examples as rows of one learner's table."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import one_of, whole
from regretless.base.persistence import naming, plain
from regretless.base.rows import Form, Located, Parsed
from regretless.base.state import Parts
from regretless.streams.stream import Piece, Place, Stream

_MAGIC = b"regretless cache 1\n"
_ALIGN = 64
_KINDS = ("<u8", "<u4", "<f4", "<f8", "<i8")  # of arrays
_LARGEST = 1e19  # value of a feature


class Cache:
    """Pieces of a stream on disk, with the rows of a learner's table in place of names.

    A piece is added after it has been learned, when all of its names are known. Only the learner that
    has learned it can read it. Labels are kept as they are.

    >>> import tempfile, pathlib
    >>> from regretless import streams
    >>> from regretless.linear import LinearRegressor
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.svm").write_text("1 1:2\\n3 2:1\\n")
    >>> model, cache = LinearRegressor(), Cache(folder / "a.cache")
    >>> for piece in streams.read(folder / "a.svm").pieces(model.form()):
    ...     model.learn_many(piece.X, piece.y)
    ...     cache.add(model, piece)
    >>> cache.finish()
    >>> [piece.y for piece in cache.stream().pieces()]
    [array([1., 3.])]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = open(self.path, "wb")  # noqa: SIM115, closed by finish
        self._file.write(_MAGIC)
        self._index: list[dict[str, Any]] = []

    def add(self, model: Any, piece: Piece) -> None:
        """Append a piece that `model` has learned.

        `LookupError` if an example that was not learned has a name that the model does not know.
        """
        if not isinstance(piece.X, Parsed):
            raise ValueError("only streams of text have a cache; tables are read again")
        found: tuple[NDArray[Any], ...]
        found = np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0, np.float32)
        if len(piece):  # or nothing but bad lines, which are counted
            try:
                found = model._model.locate(piece.X.examples)
            except ValueError as error:
                raise LookupError(str(error)) from None
        y = piece.y
        labels = None
        if y.dtype == object:
            if not all(isinstance(label, str) for label in y):
                raise ValueError("a cache keeps labels that are numbers or texts")
            labels, y = np.unique(y.astype(str), return_inverse=True)
        arrays = dict(zip(("starts", "rows", "values"), found)) | {"y": y}
        if piece.w is not None:
            arrays["w"] = piece.w
        entry = {
            "place": piece.place.to_dict(),
            "labels": None if labels is None else labels.tolist(),
            "arrays": {name: self._append(array) for name, array in arrays.items()},
        }
        self._index.append(entry)

    def _append(self, array: NDArray[Any]) -> tuple[str, int, int]:
        self._file.write(b"\0" * (-self._file.tell() % _ALIGN))
        at = self._file.tell()
        with naming(self.path):
            self._file.write(np.ascontiguousarray(array).data)
        return array.dtype.str, at, array.size

    def finish(self) -> None:
        """Complete the file."""
        at = self._file.tell()
        with naming(self.path):
            self._file.write(json.dumps(self._index).encode())
            self._file.write(at.to_bytes(8, "little"))
            self._file.close()

    def discard(self) -> None:
        """Remove the file."""
        with suppress(OSError):  # what is not yet written need not be
            self._file.close()
        self.path.unlink(missing_ok=True)

    def stream(self) -> Stream:
        """The pieces, once the cache is complete."""
        return _CacheStream(self.path)


class _CacheStream(Stream):
    _at_hand = True

    def __init__(self, path: Path) -> None:
        self._path = path

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        with open(self._path, "rb") as file:
            try:
                index = _index(file)
                places = [Place.from_dict(entry["place"]) for entry in index]
            except Exception as error:
                raise ValueError(f"{self._path} is damaged: {error}") from error
            begun = start is None or start == Place()
            for number, (entry, place) in enumerate(zip(index, places)):
                if begun:
                    try:
                        piece = _piece(file, entry, place)
                    except Exception as error:
                        raise ValueError(
                            f"{self._path} is damaged, piece {number}: {error}"
                        ) from error
                    yield piece
                begun = begun or place == start
        if not begun:
            raise ValueError(f"{self._path}: the cache has no piece that ends at {start}")


def _index(file: IO[bytes]) -> list[Any]:
    """What the file says about its pieces, at its end."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    magic = file.read(len(_MAGIC))
    file.seek(max(0, size - 8))
    at, end = int.from_bytes(file.read(8), "little"), size - 8
    if magic != _MAGIC or not len(_MAGIC) <= at <= end:
        raise ValueError("it is not a cache, or only part of one")
    file.seek(at)
    index = plain(file.read(end - at))
    if not isinstance(index, list):
        raise ValueError("its index is not a list")
    return index


def _piece(file: IO[bytes], entry: dict[str, Any], place: Place) -> Piece:
    parts = Parts({name: _array(file, *where) for name, where in entry["arrays"].items()})
    weighed = "w" in entry["arrays"]
    kind = np.float64 if entry["arrays"]["values"][0] == "<f8" else np.float32
    values = parts.array("values", (None,), -_LARGEST, _LARGEST, kind)
    rows = parts.array("rows", values.shape, 0, 2**32, np.uint32)
    starts = parts.array("starts", (None,), 0, len(values), np.uint64)
    if (
        not len(starts)
        or starts[0] != 0
        or starts[-1] != len(rows)
        or (np.diff(starts.astype(np.int64)) < 0).any()
    ):
        raise ValueError("starts are not those of examples")
    shape, labels = (len(starts) - 1,), entry["labels"]
    if labels is None:
        y = parts.array("y", shape)
    else:
        if not all(isinstance(label, str) for label in labels):
            raise ValueError("labels are not texts")
        y = np.array(labels, object)[parts.array("y", shape, 0, len(labels) - 1, np.int64)]
    w = parts.array("w", shape, 0.0) if weighed else None
    parts.done()
    return Piece(Located(starts, rows, values), y, w, None, place)


def _array(file: IO[bytes], kind: str, at: int, size: int) -> NDArray[Any]:
    """Read rather than mapped: a map of a file that becomes shorter kills the process."""
    length = os.fstat(file.fileno()).st_size
    dtype = np.dtype(one_of(kind, "kind", _KINDS))
    whole(size, "size", 0, length)
    file.seek(whole(at, "at", 0, length - size * dtype.itemsize))
    array = np.fromfile(file, dtype, size)
    if len(array) != size:
        raise ValueError("it has become shorter")
    return array
