"""A binary cache of a stream for later passes: examples as rows of one learner's bank."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from regretless.rows import Form, Located, Parsed
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["Cache"]

_MAGIC = b"regretless cache 1\n"
_ALIGN = 64


class Cache:
    """Pieces of a stream on disk, as rows that have been found already.

    A piece is added after it has been learned, when all of its names are known, and only the learner
    that learned it can read it. Labels are kept as they are.

    >>> import tempfile, pathlib
    >>> from regretless import streams
    >>> from regretless.linear import LinearRegressor
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.svm").write_text("1 1:2\\n3 2:1\\n")
    >>> model, cache = LinearRegressor(), Cache(folder / "a.cache")
    >>> for piece in streams.read(folder / "a.svm").pieces(model._form()):
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
        """Append a piece that `model` has learned."""
        if not isinstance(piece.X, Parsed):
            raise ValueError("only streams of text have a cache; tables are read again")
        found: tuple[NDArray[Any], ...]
        found = np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0, np.float32)
        if len(piece):  # or nothing but bad lines, which are counted
            found = model._model.locate(piece.X.examples)
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
            "place": asdict(piece.place),
            "labels": None if labels is None else labels.tolist(),
            "arrays": {name: self._append(array) for name, array in arrays.items()},
        }
        self._index.append(entry)

    def _append(self, array: NDArray[Any]) -> tuple[str, int, int]:
        self._file.write(b"\0" * (-self._file.tell() % _ALIGN))
        at = self._file.tell()
        array.tofile(self._file)
        return array.dtype.str, at, array.size

    def finish(self) -> None:
        """Complete the file."""
        at = self._file.tell()
        self._file.write(json.dumps(self._index).encode())
        self._file.write(at.to_bytes(8, "little"))
        self._file.close()

    def discard(self) -> None:
        """Remove the file."""
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
                begun = start is None or start == Place()
                for entry in index:
                    place = Place(**entry["place"])
                    if begun:
                        yield _piece(file, entry, place)
                    begun = begun or place == start
            except (LookupError, OSError, TypeError, ValueError) as error:
                raise ValueError(f"{self._path}: the cache is damaged ({error})") from error
        if not begun:
            raise ValueError(f"{self._path}: the cache has no piece that ends at {start}")


def _index(file: IO[bytes]) -> list[dict[str, Any]]:
    end = file.seek(-8, os.SEEK_END)
    at = int.from_bytes(file.read(8), "little")
    file.seek(min(at, end))
    index: list[dict[str, Any]] = json.loads(file.read(end - min(at, end)))
    return index


def _piece(file: IO[bytes], entry: dict[str, Any], place: Place) -> Piece:
    """Read rather than mapped: a map of a file that becomes shorter is the death of the process."""
    arrays = {}
    for name, (kind, at, size) in entry["arrays"].items():
        file.seek(at)
        arrays[name] = np.fromfile(file, np.dtype(kind), size)
        if len(arrays[name]) != size:
            raise ValueError("it has become shorter")
    y = arrays["y"]
    if entry["labels"] is not None:
        y = np.array(entry["labels"], object)[y]
    X = Located(arrays["starts"], arrays["rows"], arrays["values"])
    return Piece(X, y, arrays.get("w"), None, place)
