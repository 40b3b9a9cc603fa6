"""Options that several commands have: their panels, their checks, and how they are declared."""

import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

__all__ = [
    "LEARNING",
    "OUTPUT",
    "PASSES",
    "READING",
    "Debug",
    "Delimiter",
    "Holdout",
    "Json",
    "Quiet",
    "between",
    "drawn",
    "examples",
    "positive",
    "written",
]

READING, LEARNING, PASSES, OUTPUT = "Reading", "Learning", "Passes and checkpoints", "Output"


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


def _writable(path: str | None) -> str | None:
    """Find out before hours of learning that their result cannot be written."""
    folder = os.path.dirname(path or "") or "."
    if not os.path.isdir(folder):
        raise typer.BadParameter(f"there is no directory {folder}")
    if path is not None and os.path.isdir(path):
        raise typer.BadParameter(f"{path} is a directory")
    return path


def _picture(path: str | None) -> str | None:
    if _writable(path) is not None:
        from regretless.plots.saving import picture_path

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


def written(help: str, panel: str | None = OUTPUT) -> Any:
    """An option for a file that the command writes."""
    return typer.Option(metavar="PATH", help=help, callback=_writable, rich_help_panel=panel)


def drawn(help: str, panel: str | None = OUTPUT) -> Any:
    """An option for a picture that the command draws."""
    return typer.Option(
        metavar="PATH", help=f"{help}, .png or .svg.", callback=_picture, rich_help_panel=panel
    )


Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="C", help="What separates the CSV file's columns.", rich_help_panel=READING
    ),
]
Holdout = Annotated[
    int,
    typer.Option(
        metavar="K",
        help="Score every K-th example apart and do not learn it.",
        callback=_holdout,
        rich_help_panel=PASSES,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="The result as JSON.", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress.", rich_help_panel=OUTPUT)]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Show where an error came from.", rich_help_panel=OUTPUT),
]
