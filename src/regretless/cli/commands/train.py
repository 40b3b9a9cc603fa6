"""`regretless train`: its options."""

from dataclasses import fields
from typing import Annotated

import typer

from regretless.cli.failures import told
from regretless.cli.grouping import grouped
from regretless.cli.learners import Learner
from regretless.cli.learning_options import LearningOptions
from regretless.cli.options import (
    Debug,
    Holdout,
    Json,
    Quiet,
    Strict,
    drawn,
    examples,
    folder,
    learning_option,
    passes_option,
    positive,
    saved,
    written,
)
from regretless.cli.reading_options import ReadingOptions

EPILOG = examples(
    "regretless train clicks.vw.gz --save clicks.model",
    "regretless train spam.csv --label spam --loss hinge --learner perceptron",
    'regretless train "ads/*.parquet" --label clicked --certify 1,3,10 --checkpoint ck/',
    "regretless train badly_scaled.csv --label y --learner newton --sketch oja --size 10",
    "regretless train covtype.csv --label y --learner boost --kind bbm --weak 20 --edge 0.1",
    "regretless train tuesday.vw --from monday.model --save tuesday.model",
    "cat live.jsonl | regretless train - --format jsonl --label y",
)


@grouped
def train(
    *,
    context: typer.Context,
    save: Annotated[str | None, saved("Write the model here.")] = None,
    start: Annotated[
        str | None,
        learning_option(
            "--from",
            metavar="MODEL",
            help="Go on with a model that train has saved, with its learner and its columns.",
        ),
    ] = None,
    learner: Annotated[
        Learner,
        learning_option(help="How to learn."),
    ] = Learner.AUTO,
    rate: Annotated[
        float | None,
        learning_option(
            help="The learning rate, of learners that have one and of boost's weak learners; for pa, "
            "svm and primal-dual it is C.",
            callback=positive,
        ),
    ] = None,
    l1: Annotated[float, learning_option(help="Penalty on |w|.", min=0)] = 0.0,
    l2: Annotated[float, learning_option(help="Penalty on w²/2.", min=0)] = 0.0,
    learning: LearningOptions,
    names: Annotated[
        int,
        learning_option(help="How many features' names to remember for inspect.", min=0),
    ] = 100_000,
    passes: Annotated[
        int,
        passes_option(help="How often to go through the data.", min=1),
    ] = 1,
    cache: Annotated[
        str | None,
        written(
            "Where later passes find the cache; it stays there. By default a temporary file.",
            passes_option,
        ),
    ] = None,
    holdout: Holdout = 0,
    checkpoint: Annotated[
        str | None,
        passes_option(
            metavar="DIR",
            help="Write checkpoints here; the same command, started again, goes on from there.",
            callback=folder,
        ),
    ] = None,
    every: Annotated[
        float,
        passes_option(help="Examples between two checkpoints.", callback=positive),
    ] = 1e6,
    reading: ReadingOptions,
    strict: Strict = False,
    plot: Annotated[str | None, drawn("Draw the learning curve")] = None,
    calibration: Annotated[
        str | None, drawn("Draw how probabilities agree with what happened")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn a model from files.

    Every example is predicted before it is learned, so the loss that is shown
    is that of predictions on fresh data, without a test set.
    """
    if cache is not None and passes == 1:
        raise typer.BadParameter("--cache is for later passes, and there is one; give --passes too")
    if start is not None:
        _refuse_what_the_model_brings(context, start)
    elif strict:
        raise typer.BadParameter("--strict compares columns with those of a model; give --from too")
    with told(debug, strict):
        from regretless.cli.train import Plan, Wanted, run

        run(
            reading.reading(),
            learning.options(
                learner=learner.value,
                rate=rate,
                l1=l1,
                l2=l2,
                names=names,
            ),
            Plan(start=start, strict=strict, passes=passes, holdout=holdout),
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


def _refuse_what_the_model_brings(context: typer.Context, model: str) -> None:
    """A learner is made once: what was chosen then cannot be chosen again."""
    chosen = {"learner", "rate", "l1", "l2", "names"} | {
        each.name for each in fields(LearningOptions) if each.name not in ("classes", "certify")
    }
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in chosen and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"{option.opts[-1]} was settled when {model} was made; leave it out, or train anew "
                "without --from"
            )
