"""Streams of what is in memory: arrays, data frames, tables, and anything that yields `(x, y)`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base import rows
from regretless.base.arguments import Array, sound
from regretless.base.rows import Form, Parsed
from regretless.streams.stream import Piece, Place, Stream

_ROWS = 4096


class ArrayStream(Stream):
    """The rows of a batch, `y` beside them."""

    _at_hand = True

    def __init__(
        self,
        X: Any,
        y: NDArray[Any],
        w: Array | None = None,
        tags: list[str] | None = None,
    ) -> None:
        self._batch = rows.batch(X)
        if len(y) != self._batch.size:
            raise ValueError(f"X has {self._batch.size} rows, y has {len(y)} labels")
        self._y, self._w, self._tags = y, w, tags

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        first = start.offset if start else 0
        for at in range(first, self._batch.size, _ROWS):
            part = slice(at, min(at + _ROWS, self._batch.size))
            w = None if self._w is None else self._w[part]
            tags = None if self._tags is None else self._tags[part]
            place = Place(0, part.stop, part.stop + 1)
            yield Piece(self._batch[part], self._y[part], w, tags, place)


class IterableStream(Stream):
    """Pairs `(x, y)` or triples `(x, y, w)` from any iterable; `x` as `learn_one` takes it.

    A weight of None or NaN is missing, and is 1.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def weighted(self) -> Iterator[tuple[dict[Any, Any], Any, float]]:
        for x, y, *weight in self._items:
            yield _dict(x), y, weight[0] if weight else 1.0

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        form = form or Form()
        count = start.offset if start else 0
        items = islice(iter(self._items), count, None)
        while group := list(islice(items, _ROWS)):
            examples = _core.Examples(form.bits, form.intercept, form.named)
            y = np.empty(len(group), object)
            w = np.ones(len(group))
            for t, item in enumerate(group):
                try:
                    x, y[t], *weight = item
                    examples.add(_dict(x))
                    w[t : t + len(weight)] = weight
                except (TypeError, ValueError) as error:
                    raise ValueError(f"example {count + t} of the stream: {error}") from error
            count += len(group)
            w[np.isnan(w)] = 1.0
            weights = None if (w == 1).all() else w
            X = Parsed(examples, 0, len(group))
            yield Piece(X, y, weights, None, Place(0, count, count + 1))


def labels_of(y: Any) -> NDArray[Any]:
    """Labels as an array: numbers, or whatever they are."""
    sound(y, "y")
    if hasattr(y, "tocsr"):
        raise ValueError("y is a sparse matrix: one label per row is expected")
    array = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if array.ndim != 1:
        raise ValueError(f"y has shape {array.shape}: one label per row is expected")
    if array.dtype.kind in "biuf":
        return array
    out = np.empty(len(array), object)
    out[:] = array.tolist()
    return out


def _dict(x: Any) -> dict[Any, Any]:
    if type(x) is dict:
        return x
    row = rows.row(x)
    return row if isinstance(row, dict) else dict(zip(row[0].tolist(), row[1].tolist()))
