"""`regretless compare`: several learners in one pass over the same examples."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from regretless.cli.declare import command
from regretless.cli.learners import (
    LearnerOptions,
    LearningOptions,
    first_labels,
    loss_name,
    naming_the_line,
    only_classifies,
    uninterrupted,
)
from regretless.cli.options import (
    Holdout,
    Json,
    Reading,
    learning_option,
    output_option,
    picture_option,
)
from regretless.cli.output import Progress, Summary, percent, print_json, print_table, short

if TYPE_CHECKING:
    from regretless.evaluate.report import Curve
    from regretless.evaluate.training import Training
    from regretless.streams import Piece, Stream


class CompareOptions(Holdout):
    """Which learners are compared, and on which examples."""

    learners: tuple[str, ...] = learning_option(
        "--learners",
        metavar="A,B,...",
        default=("auto", "coin", "adagrad", "ftrl", "perceptron", "pa"),
        choices="cli.learners:learner_names",
        several=True,
        help="Learners to compare.",
    )


class CompareOutput(Json):
    """What is written and shown."""

    plot: str | None = picture_option(
        "--plot", help="Draw the learning curves to this file, .png or .svg."
    )
    quiet: bool = output_option("--quiet", default=False, help="Show no progress.")


@command(
    examples=(
        "regretless compare clicks.vw",
        "regretless compare clicks.vw --learners coin,ftrl,pa --plot curves.png",
        "regretless compare houses.csv --label price --loss absolute --json",
    )
)
def compare(
    reading: Reading, compared: CompareOptions, learning: LearningOptions, output: CompareOutput
) -> None:
    """Train several learners in one pass, and show which does best.

    The perceptrons, winnow, pa and svm have losses of their own, which cannot be
    compared with others; error and AUC can.
    """
    options = LearnerOptions(**asdict(learning), names=0)
    learners = list(compared.learners)
    options.refuse_options_of_others(learners)
    stream = reading.stream()
    labels, pieces = first_labels(stream.ahead(options.form(learners)), reading, options.decided)
    regression = options.is_regression(labels)
    for name in [each for each in learners if regression and only_classifies(each)]:
        learners.remove(name)
        print(f"{name} only classifies: it is left out", file=sys.stderr)
    if not learners:
        raise ValueError("there is no learner left to compare")
    field = Field(options, regression, learners, compared.holdout, stream)
    with Progress(stream, 1, output.quiet) as progress:
        for piece in pieces:
            with uninterrupted():
                field.take(piece)
            progress.took(field.first, len(piece))
        seconds, taken = progress.seconds, progress.taken
    for training in field.trainings.values():
        training.certify()
        training.passes = 1
    summaries = [Summary(each, name, seconds, taken) for name, each in field.trainings.items()]
    summaries.sort(key=_mean_loss)
    if output.json:
        learned = [each.as_dict() for each in summaries]
        print_json({"learners": learned, "failed": field.failed})
    else:
        _print(summaries, options, field.failed)
    if output.plot:
        _draw(field.trainings, output.plot)


def _mean_loss(summary: Summary) -> float:
    """For sorting."""
    loss = summary.training.validation.mean_loss
    return math.inf if math.isnan(loss) else loss


class Field:
    """The learners that are compared. One that fails leaves, and the others go on."""

    def __init__(
        self,
        options: LearnerOptions,
        regression: bool,
        learners: list[str],
        holdout: int,
        stream: Stream,
    ) -> None:
        from regretless.evaluate.training import Training

        self._options, self._stream = options, stream
        self.trainings: dict[str, Training] = {}
        self.failed: dict[str, str] = {}
        for name in learners:
            with self._leaving(name):
                model = options.of(name).make(regression)
                self.trainings[name] = Training(model, options.certify, holdout)
        self._refuse_none()

    @property
    def first(self) -> Training:
        """One of those that go on."""
        return next(iter(self.trainings.values()))

    def take(self, piece: Piece) -> None:
        """Give a piece to all."""
        for name, training in list(self.trainings.items()):
            advice = self._options.of(name).advice()
            with self._leaving(name), naming_the_line(self._stream, piece, training.seen, advice):
                training.take(piece)
        self._refuse_none()

    @contextmanager
    def _leaving(self, name: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, ArithmeticError) as error:
            self.trainings.pop(name, None)
            self.failed[name] = str(error)
            print(f"{name} is left out: {error}", file=sys.stderr)

    def _refuse_none(self) -> None:
        if not self.trainings:
            raise ValueError(f"all learners failed ({', '.join(self.failed)}), as said above")


def _print(summaries: list[Summary], options: LearnerOptions, failed: dict[str, str]) -> None:
    regression = summaries[0].is_regression
    columns = {
        "learner": [each.learner for each in summaries],
        "loss": [loss_name(each.training.model).replace("_", " ") for each in summaries],
        "mean\nloss": [short(each.training.validation.mean_loss) for each in summaries],
        "error": [percent(each.training.validation.error) for each in summaries],
        "root mean\nsquare error": [short(each.training.validation.rmse) for each in summaries],
        "AUC": [short(each.training.validation.auc) for each in summaries],
        "holdout\nloss": [short(each.holdout_mean_loss) for each in summaries],
    }
    for norm in options.certify or ():
        columns[f"best possible\nof norm {norm:g}"] = [
            short(each.best_possible.get(norm)) for each in summaries
        ]
    if regression:
        del columns["error"]
    shown = {name: column for name, column in columns.items() if any(column)}
    rows = [*zip(*shown.values()), *([name, "failed"] for name in failed)]
    print_table(list(shown), rows)
    one = summaries[0]
    print(
        f"{one.examples:,} examples in {one.seconds:.2f} s, each predicted before it was learned."
    )
    if len(set(columns["loss"])) > 1:
        print("Losses of different kinds cannot be compared with each other; errors can.")


def _draw(trainings: dict[str, Training], path: str) -> None:
    """Learning curves of the loss, or of the error where losses are of different kinds."""
    from regretless import plots

    curves = {name: training.validation.curve for name, training in trainings.items()}
    losses = {loss_name(training.model) for training in trainings.values()}
    if len(losses) == 1:
        plots.learning_curves(curves, path, f"{losses.pop()} loss".replace("_", " "))
        return
    regression = next(iter(trainings.values())).validation.kind == "regression"
    name = "squared error" if regression else "share of wrong predictions"
    plots.learning_curves({k: _errors(v) for k, v in curves.items()}, path, name)


def _errors(curve: Curve) -> Curve:
    # what is certified is about the loss
    return replace(curve, mean_loss=curve.error, interval_mean_loss=curve.interval_error, norms=())
