"""Bytes from files, plain or compressed, from globs and from standard input."""

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Protocol

from regretless.streams.gunzip import gunzip
from regretless.streams.pipeline import ahead

__all__ = ["Readable", "Source", "opened", "paths_of", "suffixes"]

Source = str | os.PathLike[str]

_BLOCK = 1 << 19
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
STANDARD_INPUT = "-"


def paths_of(source: Source | Sequence[Source]) -> list[str]:
    """The files that a path, a glob or a list of these stands for, those of a glob in sorted order."""
    if isinstance(source, (list, tuple)):
        return [path for one in source for path in paths_of(one)]
    text = os.fspath(source)  # type: ignore[arg-type]
    if text == STANDARD_INPUT or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) else []
    if not found:
        raise FileNotFoundError(
            f"{text}: there is no such file" + (" (a pattern)" if glob.has_magic(text) else "")
        )
    return found


def suffixes(path: str) -> tuple[str, str | None]:
    """The suffix that tells the format, and the compression if there is one.

    >>> suffixes("logs/clicks.vw.gz")
    ('.vw', 'gzip')
    """
    name = os.path.basename(path.rstrip(os.sep))
    last = _suffix(name)
    compression = _COMPRESSED.get(last)
    return _suffix(name[: -len(last)]) if compression else last, compression


def _suffix(name: str) -> str:
    at = name.rfind(".")
    return name[at:].lower() if 0 < at < len(name) - 1 else ""


class Readable(Protocol):
    """What `opened` gives."""

    def readinto(self, view: memoryview, /) -> int:
        """Put bytes into the view and say how many; 0 at the end."""


@contextmanager
def opened(path: str) -> Iterator["Readable"]:
    """The bytes of a file after decompression; what goes wrong is a ValueError that names the file."""
    compression = suffixes(path)[1]
    if os.path.isdir(path):
        raise ValueError(f"{path} is a directory; give its files: '{os.path.join(path, '*')}'")
    try:
        if path == STANDARD_INPUT:
            standard: Any = sys.stdin.buffer
            yield getattr(standard, "raw", standard)  # what is there, not all that could come
            return
        if compression == "gzip":
            with open(path, "rb", buffering=0) as file, closing(ahead(gunzip(file), 16)) as blocks:
                yield _Blocks(blocks)
        elif compression:
            import pyarrow as pa

            with pa.input_stream(path, compression=compression, buffer_size=1 << 16) as stream:
                blocks = ahead(iter(lambda: stream.read(_BLOCK), b""))
                with closing(blocks):
                    yield _Blocks(blocks)
        else:
            with open(path, "rb", buffering=0) as file:
                yield _Whole(file, os.fstat(file.fileno()).st_size)
    except PermissionError as error:
        raise ValueError(f"{path}: no permission to read it") from error
    except OSError as error:
        raise ValueError(f"{path}: {error}") from error


class _Blocks:
    """Blocks of bytes that another thread makes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, memoryview(b"")

    def readinto(self, view: memoryview) -> int:
        done = 0
        while done < len(view):  # blocks are smaller than what is read at a time
            self._rest = self._rest or memoryview(next(self._blocks, b""))
            if not self._rest:
                break
            count = min(len(view) - done, len(self._rest))
            view[done : done + count] = self._rest[:count]
            self._rest = self._rest[count:]
            done += count
        return done


class _Whole:
    """A plain file that is an error if it ends before the size it had when it was opened."""

    def __init__(self, raw: Any, size: int) -> None:
        self._raw, self._left = raw, size

    def readinto(self, view: memoryview) -> int:
        count: int = self._raw.readinto(view)
        self._left -= count
        if not count and self._left > 0:
            raise OSError("the file has become shorter while it was read")
        return count
