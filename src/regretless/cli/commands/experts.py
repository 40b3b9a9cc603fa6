"""`regretless experts`: its options."""

from typing import Annotated

import typer

from regretless.cli.experts import Algorithm, ForecastLossName, Picture
from regretless.cli.failures import told
from regretless.cli.options import (
    Debug,
    Delimiter,
    Json,
    Quiet,
    between,
    drawn,
    examples,
    learning_option,
    output_option,
    reading_option,
    written,
)


def _experts(text: str | None) -> str | None:
    names = (text or "").split(",")
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"{text!r} names an expert twice")
    return text


EPILOG = examples(
    "regretless experts load.csv --target load",
    "regretless experts load.csv --target load --experts gam,gbm,arima --plot mix.png",
    "regretless experts load.parquet --target load --loss quantile --tau 0.9 --algorithm boa",
    "regretless experts rain.tsv.gz --target rained --loss log --forecasts mixed.csv --json",
)


def experts(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV or TSV (.gz too), Parquet, Arrow or Feather, - for standard input (CSV): "
            "a row for each round, in order.",
            show_default=False,
        ),
    ],
    *,
    target: Annotated[
        str,
        reading_option(metavar="COLUMN", help="What came true; empty where it is not known."),
    ],
    experts: Annotated[
        str | None,
        reading_option(
            metavar="A,B,...",
            help="The columns of forecasts, empty where an expert sleeps; by default all numbers.",
            callback=_experts,
        ),
    ] = None,
    delimiter: Delimiter = None,
    algorithm: Annotated[
        Algorithm, learning_option(help="How weights are updated.")
    ] = Algorithm.ADA_NORMAL_HEDGE,
    loss: Annotated[
        ForecastLossName,
        learning_option(help="What forecasts are judged by."),
    ] = ForecastLossName.SQUARED,
    tau: Annotated[
        float | None,
        learning_option(
            help="The quantile of --loss quantile, 0.5 by default.", callback=between(0, 1)
        ),
    ] = None,
    gradient: Annotated[
        bool,
        learning_option(
            help="Compete with every fixed mixture of the experts, or only with each expert."
        ),
    ] = True,
    delay: Annotated[
        int,
        learning_option(help="A target is known only after so many further forecasts.", min=0),
    ] = 0,
    forecasts: Annotated[
        str | None,
        written("Write forecast and target of each row here, as CSV."),
    ] = None,
    weights: Annotated[str | None, written("Write the weights of each row here, as CSV.")] = None,
    plot: Annotated[str | None, drawn("Draw it")] = None,
    plot_kind: Annotated[Picture, output_option(help="What --plot draws.")] = Picture.WEIGHTS,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Mix the forecasts of experts, and show what that was worth.

    Every row is forecast with weights from the rows before it, so the loss that
    is shown is that of honest forecasts. Oracles are what could have been done
    in hindsight.
    """
    chosen = tuple(experts.split(",")) if experts else ()
    if target in chosen:
        raise typer.BadParameter(f"{target!r} is the target: it cannot be an expert too")
    if tau is not None and loss != ForecastLossName.QUANTILE:
        raise typer.BadParameter(f"--tau is for --loss quantile, not for {loss.value}")
    with told(debug):
        from regretless.cli.experts import Settings, Wanted, run

        run(
            source,
            target,
            chosen,
            delimiter=delimiter,
            settings=Settings(
                algorithm=algorithm,
                loss=loss.value,
                tau=0.5 if tau is None else tau,
                gradient=gradient,
                delay=delay,
            ),
            wanted=Wanted(
                forecasts=forecasts,
                weights=weights,
                plot=plot,
                picture=plot_kind,
                json=json,
                quiet=quiet,
            ),
        )
