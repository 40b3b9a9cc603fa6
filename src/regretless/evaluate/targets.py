"""Labels or targets: the kind that a learner predicts, and the kind that a stream has."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from regretless.base.learner import Learner
from regretless.base.rows import Form
from regretless.streams.stream import Piece, Place, Stream


def classifies(learner: Any) -> bool:
    """Whether a learner of regretless or River (in a pipeline, its last step) predicts labels.

    >>> from regretless.linear import LinearClassifier, LinearRegressor
    >>> classifies(LinearClassifier()), classifies(LinearRegressor())
    (True, False)
    """
    if isinstance(learner, Learner):
        return learner._classifies
    steps = getattr(learner, "steps", None)
    if isinstance(steps, dict) and steps:  # River's pipelines have the methods of all estimators
        return classifies(list(steps.values())[-1])
    return hasattr(learner, "predict_proba_one")


class FirstLabels:
    """The first 1,000 labels of a stream, which show whether they are labels or targets.

    Numbers with more than 20 values, besides the `known` ones, look like targets.

    >>> prices = FirstLabels()
    >>> prices.add([245_000.0 + 100 * t for t in range(50)])
    >>> prices.are_whole, prices.are_many, prices.shown
    (True, True, '245000, 245100, 245200, ...')
    """

    LOOKED_AT, FEW = 1000, 20

    def __init__(self, known: Iterable[Any] = ()) -> None:
        self.are_numbers = True
        self._known = set(known)
        self._seen = 0
        self._values: dict[float, None] = {}  # in order of appearance

    def add(self, labels: Iterable[Any]) -> None:
        """Add further labels, up to the first 1,000."""
        for label in itertools.islice(labels, self.LOOKED_AT - self._seen):
            self._seen += 1
            if not isinstance(label, (int, float, np.number)) or isinstance(label, bool):
                self.are_numbers = False
            elif label not in self._known:
                self._values[float(label)] = None

    @property
    def enough(self) -> bool:
        """Whether further labels would not change the result."""
        return self._seen >= self.LOOKED_AT or not self.are_numbers

    @property
    def are_whole(self) -> bool:
        """Whether all labels so far were whole numbers."""
        return self.are_numbers and all(value.is_integer() for value in self._values)

    @property
    def are_many(self) -> bool:
        """Whether the labels were numbers with many values."""
        return self.are_numbers and len(self._values) > self.FEW

    @property
    def shown(self) -> str:
        """Three of the values."""
        three = itertools.islice(self._values, 3)
        return ", ".join(str(int(v)) if v.is_integer() else repr(v) for v in three) + ", ..."


class WithoutTargets(Stream):
    """A stream for a classifier: `ValueError` if its labels are targets.

    A classifier takes whole numbers as labels, but refuses numbers that are not whole and have more than
    20 values among the first 1,000.

    >>> from regretless import streams
    >>> list(WithoutTargets(streams.read([({"a": 1.0}, t + 0.5) for t in range(30)])))
    Traceback (most recent call last):
    ValueError: the labels are numbers with many values (0.5, 1.5, 2.5, ...) and the model is a \
classifier, which would make a label of each: use a regressor, such as LinearRegressor, to predict a \
number, or give str(y) if each is a label
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._at_hand = stream._at_hand  # type: ignore[misc]

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        labels = FirstLabels()
        for piece in self._stream.pieces(form, start, labelled):
            self._look(labels, piece.y)
            yield piece

    def weighted(self) -> Iterator[tuple[dict[Any, Any], Any, float]]:
        labels = FirstLabels()
        for x, y, w in self._stream.weighted():
            self._look(labels, (y,))
            yield x, y, w

    @staticmethod
    def _look(labels: FirstLabels, further: Iterable[Any]) -> None:
        if labels.enough:
            return
        labels.add(further)
        if labels.are_many and not labels.are_whole:
            raise ValueError(
                f"the labels are numbers with many values ({labels.shown}) and the model is a "
                "classifier, which would make a label of each: use a regressor, such as "
                "LinearRegressor, to predict a number, or give str(y) if each is a label"
            )
