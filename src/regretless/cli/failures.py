"""What goes wrong, said in one line, with the exit code that belongs to it."""

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

# what the library calls by an argument's name, "label= is needed", is typed as an option
_ARGUMENT = re.compile(r"(?<![\w'\"-])(label|format|delimiter)=(\s|$|(?='))")
BAD_INPUT = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@contextmanager
def told(debug: bool, strict: bool = False) -> Iterator[None]:
    """Turn exceptions into one line on standard error; with `debug` they are let through.

    Warnings about columns are a line, too; `strict` makes them errors.
    """
    try:
        with _warned(strict):
            yield
            if sys.stdout is not None:
                sys.stdout.flush()  # while it can be said that this failed
    except (typer.Exit, typer.BadParameter):
        raise
    except BrokenPipeError:  # who reads our output has seen enough
        _print_no_more()
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if _is_of_printing(error):
            _print_no_more()
        if debug:
            raise
        print(f"error: {_line(error)}", file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from None


@contextmanager
def _warned(strict: bool) -> Iterator[None]:
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


def _is_of_printing(error: Exception) -> bool:
    """Whether standard output cannot be written; errors about other files name them."""
    return isinstance(error, OSError) and bool(error.strerror) and not error.filename


def _print_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename or 'standard output'}: {error.strerror}"
    elif isinstance(error, (ValueError, OSError, ArithmeticError, MemoryError, UserWarning)):
        text = str(error)
    else:  # not foreseen: the kind of error helps who reports it
        text = f"{type(error).__name__}: {error} (--debug shows where)"
    return " ".join(_ARGUMENT.sub(r"--\1 ", text).split())
