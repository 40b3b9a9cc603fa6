"""Streams of examples, from files and from memory.

>>> from regretless import streams
>>> for x, y in streams.read([({"heat": 1.0}, "stop"), ({"heat": -1.0}, "go")]):
...     print(x, y)
{'heat': 1.0} stop
{'heat': -1.0} go
"""

from regretless.streams.reading import bundled, read
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["Piece", "Place", "Stream", "bundled", "read"]
