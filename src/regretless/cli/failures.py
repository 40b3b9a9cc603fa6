"""What goes wrong, said in one line, with the exit code that belongs to it."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

__all__ = ["BAD_INPUT", "INTERRUPTED", "told"]

# what the library calls by an argument's name, "label= is needed", is typed as an option
_ARGUMENT = re.compile(r"(?<![\w'\"-])(label|format|delimiter)=(\s|$|(?='))")
BAD_INPUT = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@contextmanager
def told(debug: bool) -> Iterator[None]:
    """Turn exceptions into one line on standard error; with `debug` they are let through."""
    try:
        yield
    except (typer.Exit, typer.BadParameter):
        raise
    except BrokenPipeError:  # who reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if debug:
            raise
        print(f"error: {_line(error)}", file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from None


def _line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, (ValueError, OSError, ArithmeticError, MemoryError)):
        text = str(error)
    else:  # not foreseen: the kind of error helps who reports it
        text = f"{type(error).__name__}: {error} (--debug shows where)"
    return " ".join(_ARGUMENT.sub(r"--\1 ", text).split())
