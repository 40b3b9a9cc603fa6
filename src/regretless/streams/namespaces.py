"""VW text without some of its namespaces."""

import re
from collections.abc import Sequence

from regretless.streams.opening import Readable

__all__ = ["Without"]

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
