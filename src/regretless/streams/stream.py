"""What every stream is: examples in order, in pieces or one by one; and streams of what is in memory."""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from regretless._core import LabelKind
from regretless.base import rows
from regretless.base.arguments import Array, one_of, shown, sound, whole
from regretless.base.rows import Batch, Form, Parsed

# --- a bounded buffer between two threads ---------------------------------------------------------

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


# --- streams --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stream goes on: the file, and in it bytes (after decompression) or rows, and the line.

    `skipped` counts the bad lines that were left out until there. `labels` is the kind of the labels in
    the file so far, for formats in which a line could have another kind.

    >>> Place()
    Place(file=0, offset=0, line=1, skipped=0)
    """

    file: int = 0
    offset: int = 0
    line: int = 1
    skipped: int = 0
    labels: LabelKind = field(default=LabelKind.none, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The place as files keep it, in plain numbers and names.

        >>> Place(offset=7).to_dict()
        {'file': 0, 'offset': 7, 'line': 1, 'skipped': 0, 'labels': 'none'}
        """
        return asdict(self) | {"labels": self.labels.name}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """The place that `to_dict` described; `ValueError` if it describes something else.

        >>> Place.from_dict(Place(offset=7).to_dict()) == Place(offset=7)
        True
        """
        numbers = dict(kept)
        labels = one_of(numbers.pop("labels", None), "labels", [kind.name for kind in LabelKind])
        if numbers.keys() != {"file", "offset", "line", "skipped"}:
            raise ValueError(f"{shown(kept)} is not a place of a stream")
        found = {name: whole(value, name, 0, 2**62) for name, value in numbers.items()}
        return cls(**found, labels=LabelKind[labels])


@dataclass(frozen=True, slots=True)
class Piece:
    """Some examples that follow each other: features, labels, importance weights and tags.

    A label that is missing is NaN. `place` is where the stream goes on after them.

    >>> from regretless import streams
    >>> (piece,) = streams.read([({"a": 1.0}, "yes"), ({"b": 2.0}, "no")]).pieces()
    >>> len(piece), piece.X.row(0), piece.y[1], piece.place.offset
    (2, {'a': 1.0}, 'no', 2)
    """

    X: Batch
    y: NDArray[Any]
    w: Array | None
    tags: list[str] | None
    place: Place

    def __len__(self) -> int:
        return self.X.size


class Stream(ABC):
    """Examples in order. Iterating gives `(x, y)` with a dict `x`, as River's streams do."""

    _at_hand: ClassVar[bool] = False  # whether a thread that reads ahead would have nothing to do

    @abstractmethod
    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        """The examples in pieces.

        `form` is how a learner wants features written down (by default by name, which fits all),
        `start` where to begin, and without `labelled` examples need no label.
        """

    def ahead(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        """The same pieces, read by another thread while earlier ones are used."""
        pieces = self.pieces(form, start, labelled)
        return pieces if self._at_hand else ahead(pieces)

    def where(self, piece: Piece, t: int) -> str:
        """Where example `t` of a piece stands in the source, for messages.

        >>> from regretless import streams
        >>> stream = streams.read([({"a": 1.0}, "yes"), ({"b": 2.0}, "no")])
        >>> stream.where(next(stream.pieces()), 1)
        'example 1'
        """
        return f"example {piece.place.offset - len(piece) + t}"

    def weighted(self) -> Iterator[tuple[dict[Any, Any], Any, float]]:
        """The examples one by one, as `(x, y, w)` with their importance weights.

        >>> from regretless import streams
        >>> list(streams.read([({"a": 1.0}, "yes"), ({"b": 2.0}, "no", 0.5)]).weighted())
        [({'a': 1.0}, 'yes', 1.0), ({'b': 2.0}, 'no', 0.5)]
        """
        for piece in self.pieces():
            weights = np.ones(len(piece)) if piece.w is None else piece.w
            for t, (y, w) in enumerate(zip(piece.y.tolist(), weights.tolist())):
                yield piece.X.row(t), y, w

    def __iter__(self) -> Iterator[tuple[dict[Any, Any], Any]]:
        for x, y, _ in self.weighted():
            yield x, y


# --- streams of what is in memory -----------------------------------------------------------------

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
            examples = form.examples()
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
