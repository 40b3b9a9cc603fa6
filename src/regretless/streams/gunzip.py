"""gzip, decompressed by isal where it is installed (twice as fast) and by zlib otherwise."""

import zlib
from collections.abc import Iterator
from typing import IO, Any

__all__ = ["gunzip"]

_COMPRESSED = 1 << 18
_BLOCK = (
    1 << 20
)  # the most that is unpacked at a time: an archive may hold a thousand times its size
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
    while data := file.read(_COMPRESSED):
        while data:
            try:
                block = archive.decompress(data, _BLOCK)
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
