"""Streams of examples, from files and from memory."""

from regretless.streams.reading import bundled, read
from regretless.streams.stream import Piece, Place, Stream

__all__ = ["Piece", "Place", "Stream", "bundled", "read"]
