"""`regretless compare`: several learners in one pass over the same examples."""

import sys
from dataclasses import dataclass, replace

import numpy as np

from regretless.cli.checkpoints import uninterrupted
from regretless.cli.learners import LearnerOptions, loss_name, only_classifies
from regretless.cli.progress import Display
from regretless.cli.reading_options import Reading
from regretless.cli.summary import Summary, percent, print_json, short
from regretless.cli.train import first_labels
from regretless.evaluate.report import Curve
from regretless.evaluate.training import Training

__all__ = ["run"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is written and shown."""

    plot: str | None = None
    json: bool = False
    quiet: bool = False


def run(
    reading: Reading,
    options: LearnerOptions,
    learners: list[str],
    holdout: int,
    wanted: Wanted,
) -> None:
    """Give every piece to every learner, and say which does best."""
    options.refuse_options_of_others(learners)
    stream = reading.stream()
    labels, pieces = first_labels(stream, reading, options.form())
    regression = options.is_regression(labels)
    for name in [each for each in learners if regression and only_classifies(each)]:
        learners.remove(name)
        print(f"the {name} only classifies: it is left out", file=sys.stderr)
    if not learners:
        raise ValueError("there is no learner left to compare")
    trainings = {
        name: Training(options.of(name).make(regression), options.certify, holdout)
        for name in learners
    }
    with Display(stream, 1, wanted.quiet) as display:
        for piece in pieces:
            with uninterrupted():
                for training in trainings.values():
                    training.take(piece)
            display.took(training, len(piece))
        seconds, taken = display.seconds, display.taken
    for training in trainings.values():
        training.passes = 1
    summaries = [Summary(training, name, seconds, taken) for name, training in trainings.items()]
    summaries.sort(key=lambda each: np.nan_to_num(each.training.validation.loss, nan=np.inf))
    if wanted.json:
        print_json({"learners": [each.as_dict() for each in summaries]})
    else:
        _print(summaries)
    if wanted.plot:
        _draw(trainings, wanted.plot)


def _print(summaries: list[Summary]) -> None:
    from regretless.cli.tables import print_table

    regression = summaries[0].is_regression
    columns = {
        "learner": [each.learner for each in summaries],
        "loss": [loss_name(each.training.model).replace("_", " ") for each in summaries],
        "mean\nloss": [short(each.training.validation.loss) for each in summaries],
        "error": [percent(each.training.validation.error) for each in summaries],
        "root mean\nsquare error": [short(each.training.validation.rmse) for each in summaries],
        "AUC": [short(each.training.validation.auc) for each in summaries],
        "holdout\nloss": [short(each.holdout_loss) for each in summaries],
        "best\npossible": [short(each.best_possible) for each in summaries],
    }
    if regression:
        del columns["error"]
    shown = {name: column for name, column in columns.items() if any(column)}
    print_table(list(shown), zip(*shown.values()))
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
    norm = next(iter(trainings.values())).norm
    if len(losses) == 1:
        plots.learning_curves(curves, path, f"{losses.pop()} loss".replace("_", " "), norm)
        return
    regression = next(iter(trainings.values())).validation.kind == "regression"
    name = "squared error" if regression else "share of wrong predictions"
    plots.learning_curves({k: _errors(v) for k, v in curves.items()}, path, name)


def _errors(curve: Curve) -> Curve:
    # what is certified is about the loss
    certified = np.full_like(curve.certified, np.nan)
    return replace(curve, loss=curve.error, interval_loss=curve.interval_error, certified=certified)
