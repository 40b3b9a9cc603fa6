"""What is seen while a command learns: a live bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from regretless.streams.opening import suffixes
from regretless.streams.text import TextStream

if TYPE_CHECKING:
    from types import TracebackType

    from regretless.evaluate.training import Training
    from regretless.streams import Place, Stream


REFRESH = 0.15  # seconds between two states of the bar
PATIENCE = 10.0  # seconds between two lines


class Display:
    """Shows one training, the first of those that share a stream."""

    def __init__(self, stream: Stream, passes: int, quiet: bool) -> None:
        self.started = time.perf_counter()
        self.taken = 0  # examples, by this process
        self._read = Bytes(stream)
        self._passes, self._quiet = passes, quiet
        self._next_time, self._next_count = self.started, 1
        self._bar: Progress | None = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=12),
                TaskProgressColumn(),
                TextColumn("{task.fields[status]}"),
                console=Console(stderr=True),
                auto_refresh=False,  # a thread of its own would take time from learning
                transient=True,
            )
            self._task = self._bar.add_task("", total=self._read.total, status="")

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.started

    def took(self, training: Training, examples: int) -> None:
        """So many examples more have been taken."""
        self.taken += examples
        self._read.reached(training.place)
        if self._quiet:
            return
        now = time.perf_counter()
        if self._bar:
            if now >= self._next_time:
                self._next_time = now + REFRESH
                self._show(self._bar, training)
        elif self.taken >= self._next_count or now >= self._next_time + PATIENCE:
            self._next_time, self._next_count = now, 2 * self.taken
            print(f"{self._pass(training)}{self._status(training)}", file=sys.stderr, flush=True)

    def _show(self, bar: Progress, training: Training) -> None:
        bar.update(
            self._task,
            description=self._pass(training).strip(),
            completed=self._read.position,
            status=self._status(training),
            refresh=True,
        )

    def _pass(self, training: Training) -> str:
        return f"pass {training.passes + 1}/{self._passes}  " if self._passes > 1 else ""

    def _status(self, training: Training) -> str:
        parts = [
            f"{training.seen:,} examples",
            f"{self.taken / self.seconds:,.0f}/s",
        ]
        if self._read.known:
            speed = self._read.bytes / self.seconds / 1e6
            parts.append(f"{speed:.0f} MB/s" if speed >= 10 else f"{speed:.1f} MB/s")
        parts.append(f"loss {training.validation.mean_loss:.4f}")
        if training.certified is not None:  # for the largest norm, which includes all others
            norm, best = max(zip(training.norms, training.certified))
            parts.append(f"best possible {best:.4f} for norm {norm:g}")
        return "  ".join(parts)

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()


class Bytes:
    """How far a stream of text has come, in bytes after decompression."""

    def __init__(self, stream: Stream) -> None:
        paths = stream.paths if isinstance(stream, TextStream) else []
        self.known = bool(paths)
        self.bytes = 0  # read by this process
        self._file = self._offset = 0
        plain = all(os.path.isfile(path) and not suffixes(path)[1] for path in paths)
        self._sizes = [os.path.getsize(path) for path in paths] if plain else []

    @property
    def total(self) -> int | None:
        """The size of all files, if it can be known before they are read."""
        return sum(self._sizes) or None

    @property
    def position(self) -> int:
        """How much of this is behind us in the current pass."""
        return sum(self._sizes[: self._file]) + self._offset

    def reached(self, place: Place) -> None:
        """The stream has come to this place."""
        goes_on = place.file == self._file and place.offset >= self._offset
        self.bytes += place.offset - (self._offset if goes_on else 0)
        self._file, self._offset = place.file, place.offset
