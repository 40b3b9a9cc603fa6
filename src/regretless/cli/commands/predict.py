"""`regretless predict`: its options."""

from typing import Annotated

import typer

from regretless.cli.failures import told
from regretless.cli.grouping import grouped
from regretless.cli.options import Debug, Strict, examples
from regretless.cli.reading_options import ReadingOptions

EPILOG = examples(
    "regretless predict new.vw --model clicks.model > labels.txt",
    "regretless predict new.csv --model spam.model --probabilities",
    "zcat new.vw.gz | regretless predict - --format vw --model clicks.model --raw",
)


@grouped
def predict(
    *,
    model: Annotated[
        str, typer.Option(metavar="PATH", help="What train has saved.", show_default=False)
    ],
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="The probability of the second of two labels, or label:p for each of more.",
        ),
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The scores.")] = False,
    reading: ReadingOptions,
    strict: Strict = False,
    debug: Debug = False,
) -> None:
    """Predict examples with a model: one line for each, then its tag if it has one.

    Labels are not needed, and not looked at. Columns and interactions are those
    that the model was trained with unless others are given. Columns that are new
    or missing are warned of; if the model knows none of them, it is an error.
    """
    if probabilities and raw:
        raise typer.BadParameter("--probabilities and --raw exclude each other")
    with told(debug, strict):
        from regretless.cli.predict import run

        run(
            reading.reading(),
            model,
            probabilities,
            raw,
            strict,
        )
