"""Streams: where examples come from."""

from regretless.streams.bundled import bundled
from regretless.streams.svmlight import svmlight

__all__ = ["bundled", "svmlight"]
