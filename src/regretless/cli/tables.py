"""Tables on standard output."""

import sys
from collections.abc import Iterable, Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_pairs(rows: Iterable[tuple[str, str]]) -> None:
    """Names on the left, values on the right."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))  # as it is: brackets are not markup
    _print(table)


def print_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Columns with names; all but the first are numbers, which are never cut."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for column, name in enumerate(names):
        side: Literal["left", "right"] = "right" if column else "left"
        table.add_column(name, justify=side, overflow="fold", no_wrap=bool(column))
    for row in rows:
        table.add_row(*map(Text, row))
    _print(table)


def _print(table: Table) -> None:
    terminal = sys.stdout is not None and sys.stdout.isatty()  # there is none after >&-
    wide = None if terminal else 160  # whoever reads a pipe wants names in one piece
    Console(highlight=False, width=wide).print(table)
