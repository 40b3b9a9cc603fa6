"""Losses that come late: how many more choices are made before each is known."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import shown, sound

__all__ = ["delays_of", "due_after"]


def delays_of(delay: Any, count: int) -> NDArray[np.int64] | None:
    """The delay of each round; None if there is none.

    >>> delays_of(2, 3)
    array([2, 2, 2])
    """
    if delay is None or (isinstance(delay, (int, np.integer)) and delay == 0):
        return None
    delays = np.asarray(sound(delay, "delay"))
    if delays.dtype.kind not in "iu" or delays.shape not in ((), (count,)):
        raise ValueError(
            f"delay={shown(delay)} must be a whole number, or {count} of them, one for each round"
        )
    if delays.size and delays.min() < 0:
        raise ValueError(f"delay={shown(delay)} is negative: a loss cannot come before its choice")
    return np.ascontiguousarray(np.broadcast_to(delays, (count,)), np.int64)


def due_after(delay: Any, count: int) -> list[list[int]]:
    """For each round the rounds whose losses are learned at its end; after the last all are.

    >>> due_after([0, 1, 3, 0], 4)
    [[0], [], [1], [2, 3]]
    """
    delays = delays_of(delay, count)
    due: list[list[int]] = [[] for _ in range(count)]
    for t in range(count):
        due[min(count - 1, t + (0 if delays is None else int(delays[t])))].append(t)
    return due
