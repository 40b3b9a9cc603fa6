"""Options that several commands have: their panels, their checks, and how they are declared."""

import os
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

# by the panel of the help that they are in
reading_option = partial(typer.Option, rich_help_panel="Reading")
learning_option = partial(typer.Option, rich_help_panel="Learning")
passes_option = partial(typer.Option, rich_help_panel="Passes and checkpoints")
output_option = partial(typer.Option, rich_help_panel="Output")


def examples(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(f"[green]{line}[/green]" for line in lines)


# --- checks ----------------------------------------------------------------------------------------


def positive(value: float | None) -> float | None:
    """For options that are above 0 and finite."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"{value:g} must be above 0")
    return value


def between(low: float, high: float) -> Callable[[float | None], float | None]:
    """For options that are strictly between two numbers."""

    def check(value: float | None) -> float | None:
        if value is not None and not low < value < high:
            raise typer.BadParameter(f"{value:g} must be above {low:g} and below {high:g}")
        return value

    return check


def norms(text: str) -> tuple[float, ...]:
    """The numbers of `--certify`; `ValueError` if there is something else."""
    return tuple(float(each) for each in text.split(","))


def certified(text: str | None) -> str | None:
    """For the norms that `--certify` names."""
    if text is None:
        return None
    try:
        found = norms(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number, nor several like 1,3,10") from None
    for norm in found:
        if not 1e-19 <= norm <= 1e19:
            raise typer.BadParameter(f"{norm:g} must be above 0, from 1e-19 to 1e19")
    if len(found) > 64:
        raise typer.BadParameter(f"{len(found)} norms are too many; give at most 64")
    return text


def _writable(path: str | None) -> str | None:
    """Find out before hours of learning that their result cannot be written."""
    if path is None:
        return None
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise typer.BadParameter(f"there is no directory {folder}")
    if os.path.isdir(path):
        raise typer.BadParameter(f"{path} is a directory")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, a device
        return path
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise typer.BadParameter(f"you have no permission to write {path}; give another place")
    return path


def _replaceable(path: str | None) -> str | None:
    """The same of a file that is moved to its place when it is complete."""
    if path is not None and os.path.exists(path) and not os.path.isfile(path):
        raise typer.BadParameter(f"{path} is a directory, a pipe or a device; give a file")
    return _writable(path)


def folder(path: str | None) -> str | None:
    """For options that name a directory, which is made if it is not there."""
    if path is None:
        return None
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there) or "."
    if not os.path.isdir(there):
        raise typer.BadParameter(f"{there} is a file; give a directory")
    if not os.access(there, os.W_OK):
        raise typer.BadParameter(f"you have no permission to write to {there}; give another place")
    return path


def _picture(path: str | None) -> str | None:
    if _writable(path) is not None:
        from regretless.plots.curves import picture_path

        try:
            picture_path(str(path))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return path


def _holdout(every: int) -> int:
    if every < 0 or every == 1:
        raise typer.BadParameter(f"{every} must be 0 (none) or at least 2 (every second)")
    return every


# --- declarations ----------------------------------------------------------------------------------


def written(help: str, option: Callable[..., Any] = output_option) -> Any:
    """An option for a file that the command writes."""
    return option(metavar="PATH", help=help, callback=_writable)


def saved(help: str) -> Any:
    """An option for a model that the command saves."""
    return output_option(metavar="PATH", help=help, callback=_replaceable)


def drawn(help: str, option: Callable[..., Any] = output_option) -> Any:
    """An option for a picture that the command draws."""
    return option(metavar="PATH", help=f"{help}, .png or .svg.", callback=_picture)


Delimiter = Annotated[
    str | None,
    reading_option(metavar="C", help="What separates the CSV file's columns."),
]
Holdout = Annotated[
    int,
    passes_option(
        metavar="K", help="Score every K-th example apart and do not learn it.", callback=_holdout
    ),
]
Strict = Annotated[
    bool,
    reading_option(
        "--strict", help="Stop if columns are not those of the model, instead of warning."
    ),
]
Json = Annotated[bool, output_option("--json", help="The result as JSON.")]
Quiet = Annotated[bool, output_option("--quiet", help="No progress.")]
Debug = Annotated[
    bool,
    output_option("--debug", help="Show where an error came from."),
]
