"""Work ahead of who needs it: a bounded buffer between two threads."""

import queue
import threading
from collections.abc import Generator, Iterable
from typing import Any, TypeVar, cast

__all__ = ["ahead"]

T = TypeVar("T")


def ahead(items: Iterable[T], depth: int = 4) -> Generator[T]:
    """The same items in the same order, made by another thread, at most `depth` of them in advance.

    An exception arrives in its place. When the consumer stops early, so does the producer.

    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    buffer: queue.Queue[tuple[str, Any]] = queue.Queue(depth)
    stopped = threading.Event()

    def put(kind: str, value: Any) -> bool:
        while not stopped.is_set():
            try:
                buffer.put((kind, value), timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def produce() -> None:
        try:
            for item in items:
                if not put("item", item):
                    return
        except BaseException as error:
            put("error", error)
        else:
            put("end", None)

    thread = threading.Thread(target=produce, name="regretless reader", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = buffer.get()
            if kind == "error":
                raise value
            if kind == "end":
                return
            yield cast("T", value)
    finally:
        stopped.set()
        thread.join(timeout=1.0)  # not for ever: it may wait for input that never comes
