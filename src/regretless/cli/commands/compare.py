"""`regretless compare`: its options."""

from typing import Annotated

import typer

from regretless.cli.failures import told
from regretless.cli.grouping import grouped
from regretless.cli.learners import Learner
from regretless.cli.learning_options import LearningOptions
from regretless.cli.options import Debug, Holdout, Json, Quiet, drawn, examples, learning_option
from regretless.cli.reading_options import ReadingOptions


def _learners(text: str) -> str:
    known = [each.value for each in Learner]
    names = text.split(",")
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}")
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"{text!r} names a learner twice")
    return text


EPILOG = examples(
    "regretless compare clicks.vw",
    "regretless compare clicks.vw --learners coin,adagrad,ftrl,perceptron,pa --plot curves.png",
    "regretless compare houses.csv --label price --loss absolute --learners coin,ogd --json",
)


@grouped
def compare(
    *,
    learners: Annotated[
        str,
        learning_option(
            metavar="A,B,...", help=f"Which, of {', '.join(Learner)}.", callback=_learners
        ),
    ] = "auto,coin,adagrad,ftrl,perceptron,pa",
    learning: LearningOptions,
    holdout: Holdout = 0,
    reading: ReadingOptions,
    plot: Annotated[str | None, drawn("Draw the learning curves")] = None,
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
