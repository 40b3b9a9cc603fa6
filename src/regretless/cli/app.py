"""The commands and their options. What they do is imported when one of them runs."""

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from regretless.cli import bandit
from regretless.cli.experts import Algorithm, ForecastLossName, Picture
from regretless.cli.failures import told
from regretless.cli.game import GameMethod
from regretless.cli.grouping import grouped
from regretless.cli.learners import Kind, Learner, LearnerOptions, LossName, Sketch
from regretless.cli.reading_options import PANEL as READING
from regretless.cli.reading_options import Delimiter, ReadingOptions

__all__ = ["app"]

LEARNING, PASSES, OUTPUT = "Learning", "Passes and checkpoints", "Output"

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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


def _positive(value: float | None) -> float | None:
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"{value:g} must be above 0")
    return value


def _edge(value: float | None) -> float | None:
    if value is not None and not 0 < value < 0.5:
        raise typer.BadParameter(f"{value:g} must be above 0 and below 0.5")
    return value


@dataclass(frozen=True, kw_only=True)
class Learning:
    """The options of learning that `train` and `compare` share."""

    loss: Annotated[
        LossName | None,
        typer.Option(
            help="By default logistic, or squared if the labels are numbers that are not all whole.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    sketch: Annotated[
        Sketch | None,
        typer.Option(
            help="How newton keeps the directions of large gradients; by default oja.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(
            help="How many directions newton keeps; by default 10.",
            min=0,
            max=1000,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            help="newton's inverse step; by default several are mixed.",
            callback=_positive,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    kind: Annotated[
        Kind | None,
        typer.Option(
            help="How boost combines its weak learners; by default adaboost-ol.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    weak: Annotated[
        int | None,
        typer.Option(
            help="How many weak learners boost has; by default 20.",
            min=1,
            max=10_000,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    edge: Annotated[
        float | None,
        typer.Option(
            help="How much better than 1/2 boost may count on them to be; by default 0.1.",
            callback=_edge,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    sampled: Annotated[
        bool,
        typer.Option(
            "--sampled",
            help="boost gives examples away with a probability, not with a weight.",
            rich_help_panel=LEARNING,
        ),
    ] = False
    bits: Annotated[
        int,
        typer.Option(
            help="2^bits weights, shared by hashing.", min=1, max=31, rich_help_panel=LEARNING
        ),
    ] = 18
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="A weight for every feature instead.", rich_help_panel=LEARNING
        ),
    ] = False
    no_intercept: Annotated[
        bool,
        typer.Option("--no-intercept", help="No constant feature.", rich_help_panel=LEARNING),
    ] = False
    certify: Annotated[
        float | None,
        typer.Option(
            metavar="NORM",
            help="Certify the mean loss that no linear model of this norm can beat.",
            callback=_positive,
            rich_help_panel=LEARNING,
        ),
    ] = None
    seed: Annotated[
        int, typer.Option(help="For learners that draw random numbers.", rich_help_panel=LEARNING)
    ] = 0

    def options(self, **others: Any) -> LearnerOptions:
        """All that a learner is made of, with what only one of the commands asks for."""
        return LearnerOptions(
            loss=self.loss and self.loss.value,
            sketch=self.sketch and self.sketch.value,
            size=self.size,
            alpha=self.alpha,
            kind=self.kind and self.kind.value,
            weak=self.weak,
            edge=self.edge,
            sampled=self.sampled,
            bits=self.bits,
            exact=self.exact,
            intercept=not self.no_intercept,
            certify=self.certify,
            seed=self.seed,
            **others,
        )


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


def _examples(*lines: str) -> str:
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(f"[green]{line}[/green]" for line in lines)


@app.command(
    epilog=_examples(
        "regretless train clicks.vw.gz --save clicks.model",
        "regretless train spam.csv --label spam --loss hinge --learner perceptron",
        'regretless train "ads/*.parquet" --label clicked --certify 10 --checkpoint ck/',
        "regretless train badly_scaled.csv --label y --learner newton --sketch oja --size 10",
        "regretless train covtype.csv --label y --learner boost --kind bbm --weak 20 --edge 0.1",
        "cat live.jsonl | regretless train - --format jsonl --label y",
    )
)
@grouped
def train(
    *,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write the model here.",
            callback=_writable,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    learner: Annotated[
        Learner | None,
        typer.Option(
            help="How to learn; by default auto, or coin with --certify.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="The learning rate, of learners that have one and of boost's weak learners; for pa, "
            "svm and primal-dual it is C.",
            callback=_positive,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    l1: Annotated[
        float, typer.Option(help="Penalty on |w|.", min=0, rich_help_panel=LEARNING)
    ] = 0.0,
    l2: Annotated[
        float, typer.Option(help="Penalty on w²/2.", min=0, rich_help_panel=LEARNING)
    ] = 0.0,
    learning: Learning,
    names: Annotated[
        int,
        typer.Option(
            help="How many features' names to remember for inspect.",
            min=0,
            rich_help_panel=LEARNING,
        ),
    ] = 100_000,
    passes: Annotated[
        int,
        typer.Option(help="How often to go through the data.", min=1, rich_help_panel=PASSES),
    ] = 1,
    cache: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Keep the cache for later passes here; by default a temporary file.",
            callback=_writable,
            rich_help_panel=PASSES,
        ),
    ] = None,
    holdout: Holdout = 0,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write checkpoints here; the same command, started again, goes on from there.",
            rich_help_panel=PASSES,
        ),
    ] = None,
    every: Annotated[
        float,
        typer.Option(
            help="Examples between two checkpoints.", callback=_positive, rich_help_panel=PASSES
        ),
    ] = 1e6,
    reading: ReadingOptions,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Draw the learning curve, .png or .svg.",
            callback=_picture,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Draw how probabilities agree with what happened, .png or .svg.",
            callback=_picture,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn a model from files.

    Every example is predicted before it is learned, so the loss that is shown
    is that of predictions on fresh data, without a test set.
    """
    with told(debug):
        from regretless.cli.train import Plan, Wanted, run

        run(
            reading.reading(),
            learning.options(
                learner=(
                    learner or (Learner.AUTO if learning.certify is None else Learner.COIN)
                ).value,
                rate=rate,
                l1=l1,
                l2=l2,
                names=names,
            ),
            Plan(passes=passes, holdout=holdout),
            Wanted(
                model=save,
                cache=cache,
                checkpoint=checkpoint,
                every=every,
                plot=plot,
                calibration=calibration,
                json=json,
                quiet=quiet,
            ),
        )


@app.command(
    epilog=_examples(
        "regretless predict new.vw --model clicks.model > labels.txt",
        "regretless predict new.csv --model spam.model --probabilities",
        "zcat new.vw.gz | regretless predict - --format vw --model clicks.model --raw",
    )
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
    debug: Debug = False,
) -> None:
    """Predict examples with a model: one line for each, then its tag if it has one.

    Labels are not needed, and not looked at. Columns and interactions are those
    that the model was trained with unless others are given.
    """
    if probabilities and raw:
        raise typer.BadParameter("--probabilities and --raw exclude each other")
    with told(debug):
        from regretless.cli.predict import run

        run(
            reading.reading(),
            model,
            probabilities,
            raw,
        )


@app.command(
    epilog=_examples(
        "regretless inspect clicks.model --top 20",
        "regretless inspect clicks.model --plot weights.png",
        "regretless inspect clicks.model --json | jq .features",
    )
)
def inspect(
    model: Annotated[str, typer.Argument(help="What train has saved.", show_default=False)],
    top: Annotated[int, typer.Option(help="How many features to show.", min=1)] = 20,
    json: Json = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Draw the weights, .png or .svg.", callback=_picture),
    ] = None,
    debug: Debug = False,
) -> None:
    """Show what a model is and which of its features are the strongest.

    A hashed feature whose name is not remembered (--names of train) is shown
    as #row.
    """
    with told(debug):
        from regretless.cli.inspecting import run

        run(model, top, json, plot)


def _learners(text: str) -> str:
    known = [each.value for each in Learner]
    names = text.split(",")
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}")
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"{text!r} names a learner twice")
    return text


@app.command(
    epilog=_examples(
        "regretless compare clicks.vw",
        "regretless compare clicks.vw --learners coin,adagrad,ftrl,perceptron,pa --plot curves.png",
        "regretless compare houses.csv --label price --loss absolute --learners coin,ogd --json",
    )
)
@grouped
def compare(
    *,
    learners: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help=f"Which, of {', '.join(Learner)}.",
            callback=_learners,
            rich_help_panel=LEARNING,
        ),
    ] = "auto,coin,adagrad,ftrl,perceptron,pa",
    learning: Learning,
    holdout: Holdout = 0,
    reading: ReadingOptions,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Draw the learning curves, .png or .svg.",
            callback=_picture,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Train several learners in one pass over the data and show which does best.

    perceptrons, winnow, pa and svm have losses of their own, so error and AUC are shown too.
    """
    with told(debug):
        from regretless.cli.compare import Wanted, run

        run(
            reading.reading(),
            learning.options(names=0),
            learners.split(","),
            holdout,
            Wanted(plot=plot, json=json, quiet=quiet),
        )


def _experts(text: str | None) -> str | None:
    names = (text or "").split(",")
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"{text!r} names an expert twice")
    return text


def _quantile(tau: float | None) -> float | None:
    if tau is not None and not 0 < tau < 1:
        raise typer.BadParameter(f"{tau:g} must be above 0 and below 1")
    return tau


@app.command(
    epilog=_examples(
        "regretless experts load.csv --target load",
        "regretless experts load.csv --target load --experts gam,gbm,arima --plot mix.png",
        "regretless experts load.parquet --target load --loss pinball --tau 0.9 --algorithm boa",
        "regretless experts rain.tsv.gz --target rained --loss log --forecasts mixed.csv --json",
    )
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
        typer.Option(
            metavar="COLUMN",
            help="What came true; empty where it is not known.",
            show_default=False,
            rich_help_panel=READING,
        ),
    ],
    experts: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="The columns of forecasts, empty where an expert sleeps; by default all numbers.",
            callback=_experts,
            rich_help_panel=READING,
        ),
    ] = None,
    delimiter: Delimiter = None,
    algorithm: Annotated[
        Algorithm, typer.Option(help="How weights are updated.", rich_help_panel=LEARNING)
    ] = Algorithm.ADA_NORMAL_HEDGE,
    loss: Annotated[
        ForecastLossName,
        typer.Option(help="What forecasts are judged by.", rich_help_panel=LEARNING),
    ] = ForecastLossName.SQUARED,
    tau: Annotated[
        float | None,
        typer.Option(
            help="The quantile of --loss pinball, 0.5 by default.",
            callback=_quantile,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    gradient: Annotated[
        bool,
        typer.Option(
            help="Compete with every fixed mixture of the experts, or only with each expert.",
            rich_help_panel=LEARNING,
        ),
    ] = True,
    delay: Annotated[
        int,
        typer.Option(
            help="A target is known only after so many further forecasts.",
            min=0,
            rich_help_panel=LEARNING,
        ),
    ] = 0,
    forecasts: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write forecast and target of each row here, as CSV.",
            callback=_writable,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write the weights of each row here, as CSV.",
            callback=_writable,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Draw it, .png or .svg.",
            callback=_picture,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot_kind: Annotated[
        Picture, typer.Option(help="What --plot draws.", rich_help_panel=OUTPUT)
    ] = Picture.WEIGHTS,
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
    if tau is not None and loss != ForecastLossName.PINBALL:
        raise typer.BadParameter(f"--tau is for --loss pinball, not for {loss.value}")
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


@app.command(
    epilog=_examples(
        "regretless game payoffs.csv --tolerance 1e-6",
        "regretless game penalties.csv --row-maximises --plot gap.png",
        "regretless game payoffs.tsv.gz --method hedge --rounds 10000 --json",
    )
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
        typer.Option(
            "--row-maximises",
            help="Payoffs are what the row player wins instead.",
            rich_help_panel=READING,
        ),
    ] = False,
    delimiter: Delimiter = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="How large the gap may be, in units of the payoffs; by default 1e-6, or what suits "
            "their range.",
            callback=_positive,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    method: Annotated[
        GameMethod, typer.Option(help="By what both players learn.", rich_help_panel=LEARNING)
    ] = GameMethod.AUTO,
    rounds: Annotated[
        int, typer.Option(help="At most so many.", min=1, rich_help_panel=LEARNING)
    ] = 100_000,
    polish: Annotated[
        bool,
        typer.Option(
            help="Solve linear systems on the supports that are suggested, and keep what is better.",
            rich_help_panel=LEARNING,
        ),
    ] = True,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Draw the gap over the rounds, .png or .svg.",
            callback=_picture,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
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
