"""Checkpoints: a file that the same command goes on from after it was stopped, however that was."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from regretless.base.persistence import remove_scratch
from regretless.evaluate.training import Training


class Checkpoints:
    """The checkpoint in a folder, written anew after every so many examples; None: there is none."""

    def __init__(self, folder: str | None, every: float, command: dict[str, Any]) -> None:
        self._path = None if folder is None else Path(folder, "checkpoint.safetensors")
        self._every = every
        self._command = json.loads(json.dumps(command))  # as it will be read back
        self._taken = 0
        self._warned = False
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            remove_scratch(self._path)

    def load(self) -> Training | None:
        """The training to go on with, if this command was started before."""
        if self._path is None or not self._path.exists():
            return None
        return Training.load(self._path, self._command)

    def took(self, training: Training, examples: int) -> None:
        """So many examples more have been taken: is a checkpoint due?"""
        self._taken += examples
        if self._taken >= self._every:
            self.save(training)

    def save(self, training: Training) -> None:
        """Write the checkpoint now. If the disk is full, the training goes on without one."""
        self._taken = 0
        if self._path is None:
            return
        try:
            training.save(self._path, self._command)
        except OSError as error:
            if not self._warned:
                print(f"warning: {self._path}: {error.strerror}: no checkpoint", file=sys.stderr)
            self._warned = True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, so that no piece is half learned."""
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        raise KeyboardInterrupt
