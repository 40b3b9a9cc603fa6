"""The first labels of a stream, looked at before anything is learned."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from regretless.cli.reading_options import Reading
from regretless.evaluate.validation import FirstLabels
from regretless.streams import Piece


def first_labels(
    pieces: Iterator[Piece], reading: Reading, decided: bool, known: Iterable[Any] = ()
) -> tuple[FirstLabels, Iterator[Piece]]:
    """The first labels without those that are `known`, and all pieces.

    Pieces are held back until there are labels enough to tell the task, unless it is `decided`.
    """
    labels = FirstLabels(known)
    held: list[Piece] = []
    for piece in pieces:
        if held and not len(held[-1]):
            held.pop()  # only bad lines, which the next piece's place counts, too
        held.append(piece)
        labels.add(piece.y)
        if len(piece) and (decided or labels.enough):
            break
    if not any(map(len, held)):
        raise ValueError(f"{' '.join(reading.sources)}: there are no examples")
    return labels, chain(held, pieces)
