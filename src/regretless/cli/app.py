"""The program: all commands in one."""

from typing import Annotated

import typer

from regretless.cli.commands import bandit, compare, experts, game, inspect, predict, train

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=train.EPILOG)(train.train)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=inspect.EPILOG)(inspect.inspect)
app.command(epilog=compare.EPILOG)(compare.compare)
app.command(epilog=experts.EPILOG)(experts.experts)
app.command(epilog=game.EPILOG)(game.game)
app.add_typer(bandit.app, name="bandit")


def _version(wanted: bool) -> None:
    if wanted:
        from regretless import __version__

        print(f"regretless {__version__}")
        raise typer.Exit


@app.callback()
def regretless(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Learn from a stream, one example at a time.

    Linear models, in one pass, with nothing to tune, and a certificate of how
    far the best fixed model could be ahead.
    """
