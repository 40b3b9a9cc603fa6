"""What is wrong with an example, said with its file and line."""

from collections.abc import Iterator
from contextlib import contextmanager

from regretless._core import Diverged
from regretless.streams import Piece, Stream


@contextmanager
def located(stream: Stream, piece: Piece, seen: int = 0, advice: str = "") -> Iterator[None]:
    """Errors in the block are about an example of the piece, before which so many were `seen`.

    `advice` says what to do about a score that overflowed, in the language of the command line.
    """
    try:
        yield
    except ValueError as error:
        # a `WrongKind` has these, and what the core refuses of an example
        row, what = getattr(error, "row", None), getattr(error, "what", None)
        if row is None:
            raise
        raise ValueError(f"{stream.where(piece, row)}: {what}") from error
    except Diverged as error:
        t = error.example
        where = f"{stream.where(piece, t)} (example {seen + t + 1:,})"
        raise ArithmeticError(f"{where}: the score overflowed; {advice}") from error
