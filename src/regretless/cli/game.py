"""`regretless game`: a table of payoffs, solved."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Options, argument, command
from regretless.cli.options import (
    Delimiter,
    Output,
    learning_option,
    picture_option,
    reading_option,
)
from regretless.cli.output import print_json, print_table
from regretless.cli.tables import DELIMITERS, TABLE, read_table, read_text

if TYPE_CHECKING:
    from regretless.base.arguments import Array
    from regretless.games import Equilibrium


def methods() -> list[str]:
    """The algorithms that both players may learn with.

    >>> methods()[:3]
    ['auto', 'predictive-regret-matching+', 'regret-matching+']
    """
    from regretless.games.solve import METHODS

    return ["auto", *METHODS]


class PayoffOptions(Delimiter):
    """The table that is read."""

    payoffs: str = argument(
        "PAYOFFS",
        help=f"{TABLE}. It holds what the row player loses to the column player: one row for each "
        "choice of the row player and one column for each choice of the column player, with or "
        "without names.",
    )
    row_maximises: bool = reading_option(
        "--row-maximises", default=False, help="The payoffs are what the row player wins."
    )


class SolverOptions(Options):
    """How the game is solved."""

    tolerance: float | None = learning_option(
        "--tolerance",
        check=("positive",),
        help="Largest gap between the bounds on the value, in units of the payoffs; by default 1e-6, "
        "or more if the payoffs are large.",
    )
    method: str = learning_option(
        "--method",
        default="auto",
        choices="cli.game:methods",
        help="Algorithm that both players learn with.",
    )
    rounds: int = learning_option(
        "--rounds", default=100_000, check=("whole", 1), help="Largest number of rounds."
    )
    polish: bool = learning_option(
        "--polish/--no-polish",
        default=True,
        help="Solve linear systems on the supports of the strategies, and keep the result if it is "
        "better.",
    )


class GameOutput(Output):
    """What is written and shown."""

    plot: str | None = picture_option(
        "--plot", help="Draw the gap over the rounds to this file, .png or .svg."
    )


@command(
    examples=(
        "regretless game payoffs.csv --tolerance 1e-6",
        "regretless game penalties.csv --row-maximises --plot gap.png",
        "regretless game payoffs.tsv.gz --method hedge --rounds 10000 --json",
    )
)
def game(payoffs: PayoffOptions, solver: SolverOptions, output: GameOutput) -> None:
    """Solve a zero-sum matrix game.

    Print optimal strategies for both players, and the value of the game with a
    lower and an upper bound. Two players learn from each other until the gap
    between the bounds, which is computed from the payoffs, is small enough.
    """
    from time import perf_counter

    from regretless.games import solve

    table = read_payoffs(payoffs.payoffs, payoffs.delimiter)
    start = perf_counter()
    eq = solve(
        table.payoffs,
        tolerance=solver.tolerance,
        method=solver.method,
        rounds=solver.rounds,
        row_maximises=payoffs.row_maximises,
        polish=solver.polish,
    )
    seconds = perf_counter() - start
    if output.json:
        print_json(_as_dict(eq, table, seconds))
    else:
        _show(eq, table, "wins" if payoffs.row_maximises else "loses", seconds, output.quiet)
    if not eq.converged:
        print(
            f"the gap {eq.gap:.3g} is above the tolerance {eq.tolerance:.3g}; the bounds hold all the "
            "same, and a larger --rounds would make them closer",
            file=sys.stderr,
        )
    if output.plot and eq.rounds:
        from regretless.plots.curves import save

        save(eq.plot().figure, output.plot)
    elif output.plot:
        print(f"{output.plot} is not drawn: a saddle point needs no rounds", file=sys.stderr)


# --- the table -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PayoffTable:
    """Payoffs, and the names of the choices."""

    payoffs: Array
    rows: list[str]
    columns: list[str]


def read_payoffs(path: str, delimiter: str | None = None) -> PayoffTable:
    """The payoffs in a table, with or without names.

    A first line without a number names the columns. The first column names the rows if none of it is a
    number, or if it has no name but others have. Choices without a name are counted from 1.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "payoffs.csv")
    >>> _ = path.write_text(",left,right\\nleft,0.4,0.05\\nright,0.1,0.3\\n")
    >>> table = read_payoffs(str(path))
    >>> table.rows, table.columns, table.payoffs.tolist()
    (['left', 'right'], ['left', 'right'], [[0.4, 0.05], [0.1, 0.3]])
    """
    from regretless.streams.opening import STANDARD_INPUT, suffixes

    suffix = ".csv" if path == STANDARD_INPUT else suffixes(path)[0]
    if suffix in DELIMITERS:
        columns, body = _text(path, delimiter or DELIMITERS[suffix])
    else:
        columns, body = _binary(path)
    rows: list[str] = []
    if all(_number(line[0]) is None for line in body) or (columns and not columns[0]):
        rows, body = [line[0] for line in body], [line[1:] for line in body]
        columns = columns[1:]
    if not body[0]:
        raise ValueError(f"{path}: there are no columns of payoffs")
    rows = rows or [str(i + 1) for i in range(len(body))]
    columns = columns or [str(j + 1) for j in range(len(body[0]))]
    return PayoffTable(_numbers(path, body, rows, columns), rows, columns)


def _text(path: str, delimiter: str) -> tuple[list[str], list[list[str]]]:
    """The header, empty if there is none, and the other lines."""
    import csv

    if len(delimiter) != 1:
        raise ValueError(f"--delimiter {delimiter!r} must be one character")
    lines = read_text(path).decode("utf-8-sig").splitlines()
    cells = [[c.strip() for c in line] for line in csv.reader(lines, delimiter=delimiter) if line]
    for place, line in enumerate(cells, 1):
        if len(line) != len(cells[0]):
            raise ValueError(
                f"{path}: row {place} has {len(line)} fields, but the first has {len(cells[0])}"
            )
    named = cells and all(_number(cell) is None for cell in cells[0])
    header, body = (cells[0], cells[1:]) if named else ([], cells)
    if not body:
        raise ValueError(f"{path}: there are no rows")
    return header, body


def _binary(path: str) -> tuple[list[str], list[list[str]]]:
    """The same of a Parquet, Arrow or Feather file, whose columns always have names."""
    table = read_table(path)
    columns = [["" if v is None else str(v) for v in c.to_pylist()] for c in table.columns]
    return list(table.column_names), [list(line) for line in zip(*columns)]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbers(path: str, body: list[list[str]], rows: list[str], columns: list[str]) -> Array:
    import numpy as np

    for what, names in (("rows", rows), ("columns", columns)):
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{path}: two {what} are called {name!r}; give them other names")
    payoffs = np.empty((len(rows), len(columns)))
    for i, line in enumerate(body):
        for j, text in enumerate(line):
            value = _number(text)
            if value is None or not math.isfinite(value):
                raise ValueError(
                    f"{path}: row {rows[i]!r}, column {columns[j]!r}: {text!r} is not a payoff; every "
                    "pair of choices needs a finite number"
                )
            payoffs[i, j] = value
    return payoffs


# --- the result ------------------------------------------------------------------------------------


def _played(names: list[str], strategy: Array) -> list[tuple[str, float]]:
    """The choices that are played, the most likely first."""
    pairs = [(name, p) for name, p in zip(names, strategy.tolist()) if p > 0]
    return sorted(pairs, key=lambda pair: -pair[1])


def _as_dict(eq: Equilibrium, table: PayoffTable, seconds: float) -> dict[str, Any]:
    certificate = eq.certificate()
    return {
        "value": eq.value,
        "lower": eq.lower,
        "upper": eq.upper,
        "gap": eq.gap,
        "tolerance": eq.tolerance,
        "converged": eq.converged,
        "row": dict(_played(table.rows, eq.row)),
        "column": dict(_played(table.columns, eq.column)),
        "rounds": eq.rounds,
        "method": eq.method,
        "polished": eq.polished,
        "seconds": seconds,
        "certificate": {
            "gap": certificate.gap if eq.rounds else None,
            "row_regret": certificate.row_regret,
            "column_regret": certificate.column_regret,
            "gap_bound": certificate.bound / eq.rounds if eq.rounds else None,
            "theorem": certificate.theorem,
            "holds": certificate.holds,
        },
    }


def _show(eq: Equilibrium, table: PayoffTable, does: str, seconds: float, quiet: bool) -> None:
    bounds = f"certainly between {eq.lower:.10g} and {eq.upper:.10g}, a gap of {eq.gap:.2g}"
    if quiet:
        print(f"value {eq.value:.10g}, {bounds}")
        return
    for who, names, strategy in (
        ("row player", table.rows, eq.row),
        ("column player", table.columns, eq.column),
    ):
        rows = [(name, f"{p:.6f}") for name, p in _played(names, strategy)]
        print_table((who, "probability"), rows)
    print(f"value {eq.value:.10g}: what the row player {does} in a round, on average")
    print(bounds)
    by = f"{eq.method}{', polished' if eq.polished else ''}" if eq.rounds else "a saddle point"
    m, n = table.payoffs.shape
    print(f"{m} x {n} payoffs, {eq.rounds:,} rounds in {seconds:.3f} s by {by}")
