"""Streams of examples, from files and from memory."""

from regretless.streams.bundled import bundled
from regretless.streams.reading import read
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["Piece", "Place", "Stream", "bundled", "read"]
