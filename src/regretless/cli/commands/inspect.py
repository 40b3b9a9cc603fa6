"""`regretless inspect`: its options."""

from typing import Annotated

import typer

from regretless.cli.failures import told
from regretless.cli.options import Debug, Json, drawn, examples

EPILOG = examples(
    "regretless inspect clicks.model --top 20",
    "regretless inspect clicks.model --plot weights.png",
    "regretless inspect clicks.model --json | jq .features",
)


def inspect(
    model: Annotated[str, typer.Argument(help="What train has saved.", show_default=False)],
    top: Annotated[int, typer.Option(help="How many features to show.", min=1)] = 20,
    json: Json = False,
    plot: Annotated[str | None, drawn("Draw the weights", typer.Option)] = None,
    debug: Debug = False,
) -> None:
    """Show what a model is and which of its features are the strongest.

    A hashed feature whose name is not remembered (--names of train) is shown
    as #row.
    """
    with told(debug):
        from regretless.cli.inspecting import run

        run(model, top, json, plot)
