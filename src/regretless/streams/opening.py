"""Bytes from files, plain or compressed, from globs and from standard input."""

import glob
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import IO, Any, Protocol

from regretless.streams.stream import ahead

# --- gzip, decompressed by isal where it is installed (twice as fast) and by zlib otherwise -------

_PACKED = 1 << 18
_UNPACKED = 1 << 20  # bytes unpacked at a time: an archive may hold a thousand times its size
_GZIP = 31  # window bits that say: with gzip's header and check sum


def gunzip(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a gzip file in blocks of at most a megabyte; several archives end to end are one.

    >>> import gzip, io
    >>> b"".join(gunzip(io.BytesIO(gzip.compress(b"one ") + gzip.compress(b"two"))))
    b'one two'
    """
    library: Any
    try:
        from isal import isal_zlib as library
    except ImportError:
        library = zlib
    errors = (zlib.error, library.error)
    archive = library.decompressobj(_GZIP)
    begun = False  # something of this archive has been read
    while data := file.read(_PACKED):
        while data:
            try:
                block = archive.decompress(data, _UNPACKED)
            except errors as error:
                raise OSError(f"the gzip archive is damaged: {error}") from error
            begun, data = True, archive.unconsumed_tail
            if block:
                yield block
            if archive.eof:
                data = archive.unused_data.lstrip(b"\0")  # archives may be padded
                archive, begun = library.decompressobj(_GZIP), False
    if begun:
        raise OSError("the gzip archive is truncated")


# --- bytes from files, plain or compressed, from globs and from standard input --------------------

Source = str | os.PathLike[str]

_BLOCK = 1 << 19
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
STANDARD_INPUT = "-"


def paths_of(source: Source | Sequence[Source]) -> list[str]:
    """The files of a path, a glob or a list of these; those of a glob are sorted."""
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
    """A source of bytes, as `opened` yields it."""

    def readinto(self, view: memoryview, /) -> int:
        """Put bytes into the view and say how many; 0 at the end."""


@contextmanager
def opened(path: str) -> Iterator["Readable"]:
    """Open a file, decompressed; every failure is a `ValueError` that names the file."""
    compression = suffixes(path)[1]
    if os.path.isdir(path):
        raise ValueError(f"{path} is a directory; give its files: '{os.path.join(path, '*')}'")
    try:
        if path == STANDARD_INPUT:
            standard: Any = sys.stdin.buffer
            yield getattr(standard, "raw", standard)  # unbuffered: what there is, at once
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
    """The bytes of blocks that another thread makes."""

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
    """A plain file; it is an error if it has become shorter since it was opened."""

    def __init__(self, raw: Any, size: int) -> None:
        self._raw, self._left = raw, size

    def readinto(self, view: memoryview) -> int:
        count: int = self._raw.readinto(view)
        self._left -= count
        if not count and self._left > 0:
            raise OSError("the file has become shorter while it was read")
        return count


# --- a moving window over the bytes of a file -----------------------------------------------------


class Window:
    """Bytes of a file that were read and not yet skipped: `data[first:last]`, in memory that is reused.

    >>> import io
    >>> window = Window(io.BytesIO(b"some bytes"), 4)
    >>> window.more(), window.content()
    (True, b'some')
    >>> window.skip(3)
    >>> window.more(), window.content()
    (True, b'e byt')
    """

    def __init__(self, file: Readable, piece: int) -> None:
        self._file, self._piece = file, piece
        self.data = bytearray(2 * piece)
        self.first = self.last = 0
        self._to_skip = 0

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return self.last - self.first

    def content(self) -> bytes:
        """A copy of them."""
        return bytes(memoryview(self.data)[self.first : self.last])

    def skip(self, count: int) -> None:
        """Leave bytes behind, also some that are not read yet."""
        here = min(count, self.size)
        self.first += here
        self._to_skip += count - here

    def more(self) -> bool:
        """Read another piece and append it; False at the end of the file."""
        while True:
            size = self.size
            if self.last + self._piece > len(self.data):
                if size + self._piece > len(self.data):
                    self.data.extend(bytes(len(self.data)))
                self.data[:size] = self.data[self.first : self.last]
                self.first, self.last = 0, size
            with memoryview(self.data) as view:
                count = self._file.readinto(view[self.last : self.last + self._piece])
            self.last += count
            skipped = min(self._to_skip, count)
            self._to_skip -= skipped
            self.first += skipped
            if self.size > size or not count:
                return count > 0
