"""Errors of a command: one line on standard error, and the exit code that belongs to it."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from regretless.streams import Piece, Stream


# the library names an argument, "label= is needed"; on the command line it is an option
_ARGUMENT = re.compile(r"(?<![\w'\"-])(label|format|delimiter)=(\s|$|(?='))")
BAD_INPUT = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@contextmanager
def one_line_errors(debug: bool, strict: bool = False) -> Iterator[None]:
    """Turn exceptions into one line on standard error; with `debug` they are raised.

    Warnings about columns are one line too; `strict` makes them errors.
    """
    try:
        with _one_line_warnings(strict):
            yield
            if sys.stdout is not None:
                sys.stdout.flush()  # now, while a failure can still be reported
    except (click.exceptions.Exit, click.UsageError):
        raise
    except BrokenPipeError:  # the reader of our output has closed it
        _stop_printing()
        raise click.exceptions.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Exception as error:
        if _is_about_standard_output(error):
            _stop_printing()
        if debug:
            raise
        print(f"error: {_one_line(error)}", file=sys.stderr)
        raise click.exceptions.Exit(BAD_INPUT) from None


@contextmanager
def _one_line_warnings(strict: bool) -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "error" if strict else "always", r"the model (does not know|misses) "
        )
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if category.__name__ == "ColumnsWarning":
                print(f"warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _is_about_standard_output(error: Exception) -> bool:
    """Whether standard output cannot be written; errors about other files name them."""
    return isinstance(error, OSError) and bool(error.strerror) and not error.filename


def _stop_printing() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename or 'standard output'}: {error.strerror}"
    elif isinstance(error, (ValueError, OSError, ArithmeticError, MemoryError, UserWarning)):
        text = str(error)
    else:  # not foreseen: the kind of error helps to report it
        text = f"{type(error).__name__}: {error} (--debug shows where)"
    return " ".join(_ARGUMENT.sub(r"--\1 ", text).split())


@contextmanager
def naming_the_line(
    stream: Stream, piece: Piece, seen: int = 0, advice: str = ""
) -> Iterator[None]:
    """Add file and line to errors about an example of the piece, before which so many were `seen`.

    `advice` says what to do about a score that overflowed, in options of the command line.
    """
    from regretless._core import Diverged

    try:
        yield
    except ValueError as error:
        # set by `WrongKind`, and by the core when it refuses an example
        row, what = getattr(error, "row", None), getattr(error, "what", None)
        if row is None:
            raise
        raise ValueError(f"{stream.where(piece, row)}: {what}") from error
    except Diverged as error:
        t = error.example
        where = f"{stream.where(piece, t)} (example {seen + t + 1:,})"
        raise ArithmeticError(f"{where}: the score overflowed; {advice}") from error
