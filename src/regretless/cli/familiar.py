"""Whether a model knows the examples that it is given, where a header does not tell."""

import warnings
from collections.abc import Iterator
from typing import Any

from regretless.base.columns import ColumnsWarning, columns_of, columns_of_features, listed
from regretless.base.learner import Learner
from regretless.base.rows import Batch, Parsed, Table
from regretless.streams import Piece

_LOOKED_AT = 1000  # examples


def familiar(
    pieces: Iterator[Piece], model: Learner, *, named: bool, strict: bool
) -> Iterator[Piece]:
    """The pieces; `ValueError` if the model knows no feature of the first 1,000 examples.

    Pieces are held back until it knows one. Features of `named` formats are called like columns, so
    others than the model has learned are warned of; `strict` waits for that before it gives any.
    """
    look: _Look | None = _Look(model, named) if model.examples_ else None
    held: list[Piece] = []
    for piece in pieces:
        if look is not None and len(piece):
            look.add(piece)
            if look.has_seen_enough:
                look.conclude()
                look = None
        if look is not None and (strict or not look.knows):
            if held and not len(held[-1]):
                held.pop()  # only bad lines, which the next piece's place counts, too
            held.append(piece)
            continue
        yield from held
        held.clear()
        yield piece
    if look is not None:
        look.conclude()
    yield from held


class _Look:
    """What the first examples have in common with what a model has learned."""

    def __init__(self, model: Learner, named: bool) -> None:
        core = model._model or model._start()
        self._model, self._named, self._schema = model, named, model._schema
        self._names = set(core.names().values())
        self._all_named = model.features == "exact" or core.wants_names
        self._seen = 0
        self._without_names = False  # the examples were read without
        self._given: dict[Any, None] = {}  # features, in order of appearance
        self.knows = False
        self.has_seen_enough = False

    def add(self, piece: Piece) -> None:
        """Look at a piece, as far as it is among the first examples."""
        batch = piece.X[: _LOOKED_AT - self._seen]
        self._seen += batch.size
        self.has_seen_enough = self._seen >= _LOOKED_AT
        if self._schema is not None and columns_of(batch) is not None:
            self.knows = self.has_seen_enough = True  # the learner compares columns itself
            self._given.clear()
            return
        features = _features(batch)
        self._given |= features or {}
        self._without_names = self._without_names or features is None
        self.knows = self.knows or any(map(self._knows, features or ()))
        if not self.knows and (self._without_names or not self._all_named):
            # a feature that the model knows makes a difference
            core = self._model._model or self._model._start()
            self.knows = bool((self._model._batch_scores(batch) != core.score({})).any())

    def conclude(self) -> None:
        """Say what there is to say."""
        if not self.knows and (self._given or self._without_names):
            known = self._names if self._schema is None else self._schema.kinds
            raise ValueError(
                "the model knows none of the features"
                + (f": {listed(self._given)}" if self._given else " of the first examples")
                + (f"; it has learned {listed(sorted(known, key=str))}" if known else "")
            )
        if self._named and self._schema is not None and self._given:
            text = self._schema.differences(columns_of_features(self._given), lambda _: True)
            if text:
                warnings.warn(text, ColumnsWarning, stacklevel=2)

    def _knows(self, feature: Any) -> bool:
        if feature in self._names:
            return True
        ((column, _),) = columns_of_features([feature])
        return self._schema is not None and column in self._schema.kinds


def _features(batch: Batch) -> dict[Any, None] | None:
    """The names of the features; None if the batch has been read without."""
    if isinstance(batch, Parsed) and not batch.examples.named:
        return None
    found: dict[Any, None] = {}
    for t in range(batch.size):
        for name, value in batch.row(t).items():
            is_text = isinstance(batch, Table) and isinstance(value, str)
            found[f"{name}={value}" if is_text else name] = None
    return found
