"""A moving window over the bytes of a file, in memory that is used again and again."""

from regretless.streams.opening import Readable

__all__ = ["Window"]


class Window:
    """The bytes from `first` to `last` of `data` are those that have been read and not yet skipped.

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
        """Leave bytes behind, also those that will only be read."""
        here = min(count, self.size)
        self.first += here
        self._to_skip += count - here

    def more(self) -> bool:
        """Read another piece behind what there is; False at the end of the file."""
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
