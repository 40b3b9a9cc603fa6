"""`regretless game`: its options."""

from typing import Annotated

import typer

from regretless.cli.failures import told
from regretless.cli.game import GameMethod
from regretless.cli.options import (
    Debug,
    Delimiter,
    Json,
    Quiet,
    drawn,
    examples,
    learning_option,
    positive,
    reading_option,
)

EPILOG = examples(
    "regretless game payoffs.csv --tolerance 1e-6",
    "regretless game penalties.csv --row-maximises --plot gap.png",
    "regretless game payoffs.tsv.gz --method hedge --rounds 10000 --json",
)


def game(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PAYOFFS",
            help="CSV or TSV (.gz too), Parquet, Arrow or Feather, - for standard input (CSV): what the "
            "row player loses to the column player, a row for each choice of the first and a column "
            "for each of the second, with or without names.",
            show_default=False,
        ),
    ],
    *,
    row_maximises: Annotated[
        bool,
        reading_option("--row-maximises", help="Payoffs are what the row player wins instead."),
    ] = False,
    delimiter: Delimiter = None,
    tolerance: Annotated[
        float | None,
        learning_option(
            help="How large the gap may be, in units of the payoffs; by default 1e-6, or what suits "
            "their range.",
            callback=positive,
        ),
    ] = None,
    method: Annotated[
        GameMethod, learning_option(help="By what both players learn.")
    ] = GameMethod.AUTO,
    rounds: Annotated[int, learning_option(help="At most so many.", min=1)] = 100_000,
    polish: Annotated[
        bool,
        learning_option(
            help="Solve linear systems on the supports that are suggested, and keep what is better."
        ),
    ] = True,
    plot: Annotated[str | None, drawn("Draw the gap over the rounds")] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Solve a zero-sum game: optimal strategies of both players, and its value.

    Two players learn from each other until their strategies prove bounds on the value that are close
    enough. The gap is measured from the payoffs, not hoped for.
    """
    with told(debug):
        from regretless.cli.game import run

        options = {
            "tolerance": tolerance,
            "method": method.value,
            "rounds": rounds,
            "row_maximises": row_maximises,
            "polish": polish,
        }
        run(source, delimiter, options, plot=plot, json=json, quiet=quiet)
