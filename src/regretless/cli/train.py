"""`regretless train`: from files to a model."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from numpy.typing import NDArray

from regretless.cli.checkpoints import Checkpoints, uninterrupted
from regretless.cli.learners import LearnerOptions, loss_name, not_all_whole
from regretless.cli.models import load, save
from regretless.cli.passes import Passes
from regretless.cli.progress import Display
from regretless.cli.reading_options import Reading
from regretless.cli.sparing import spare
from regretless.cli.summary import Summary
from regretless.evaluate.training import Training
from regretless.linear.classifying import Classifying
from regretless.linear.learner import LinearLearner
from regretless.linear.regressing import Regressing
from regretless.rows import Form
from regretless.streams import Piece, Stream
from regretless.streams.text import TextStream

__all__ = ["Plan", "Wanted", "first_labels", "run"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the examples are gone through; decides, with the reading and the learner, the result."""

    start: str | None = None  # the model to go on with
    passes: int = 1
    holdout: int = 0


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is written and shown."""

    model: str | None = None
    cache: str | None = None
    checkpoint: str | None = None
    every: float = 1e6
    plot: str | None = None
    calibration: str | None = None
    json: bool = False
    quiet: bool = False


def run(reading: Reading, options: LearnerOptions, plan: Plan, wanted: Wanted) -> None:
    """Train, save, and say what came of it."""
    started = None if plan.start is None else load(plan.start)
    if started is not None:
        reading = reading.completed(started[1])
    stream = reading.stream()
    files = getattr(stream, "paths", [])
    spare(files, save=wanted.model, cache=wanted.cache)
    if wanted.cache is not None and not isinstance(stream, TextStream):
        raise ValueError(
            "--cache is for text; other files are read again in every pass: leave it out"
        )
    command = {**asdict(reading), **asdict(options), **asdict(plan), "files": files}
    checkpoints = Checkpoints(wanted.checkpoint, wanted.every, command)
    training = checkpoints.load()
    with (
        Passes(stream, plan.passes, wanted.cache, wanted.checkpoint) as passes,
        Display(stream, plan.passes, wanted.quiet) as display,
    ):
        pieces: Iterator[Piece] | None = None
        if training is None:
            training, pieces = (
                _begun(stream, reading, options, plan)
                if started is None
                else _resumed(stream, reading, started[0], plan)
            )
        try:
            while training.passes < plan.passes:
                for piece in pieces or passes.pieces(training):
                    with uninterrupted():
                        training.take(piece)
                    passes.took(training, piece)
                    checkpoints.took(training, len(piece))
                    display.took(training, len(piece))
                pieces = None
                passes.end()
                _end_pass(training, plan.passes)
                checkpoints.save(training)
        except KeyboardInterrupt:
            checkpoints.save(training)
            raise
        seconds, taken = display.seconds, display.taken
    if wanted.model is not None:
        save(training.model, reading, wanted.model)
    guessed = not started and options.loss is None and isinstance(training.model, Regressing)
    name = type(training.model).__name__ if started else options.learner
    summary = Summary(training, name, seconds, taken, guessed, wanted.model)
    summary.show(wanted.json, wanted.quiet)
    _draw(training, name, wanted)


def first_labels(
    stream: Stream, reading: Reading, form: Form
) -> tuple[NDArray[Any], Iterator[Piece]]:
    """The first labels, which may tell the task, and all pieces, those of bad lines alone too."""
    pieces, seen = stream.ahead(form), []
    for piece in pieces:
        seen.append(piece)
        if len(piece):
            return piece.y, chain(seen, pieces)
    raise ValueError(f"{' '.join(reading.sources)}: there are no examples")


def _begun(
    stream: Stream, reading: Reading, options: LearnerOptions, plan: Plan
) -> tuple[Training, Iterator[Piece]]:
    if options.loss is None:  # what does not fit is said before a file is read
        options.make(regression=False)._start()
    form = options.form()
    labels, pieces = first_labels(stream, reading, form)
    model = options.make(options.is_regression(labels))
    model._reading = form  # it tells the reader when it knows names enough
    return Training(model, options.certify, plan.holdout), pieces


def _resumed(
    stream: Stream, reading: Reading, model: LinearLearner, plan: Plan
) -> tuple[Training, Iterator[Piece]]:
    labels, pieces = first_labels(stream, reading, model._form())
    if (
        isinstance(model, Classifying)
        and not_all_whole(labels)
        and not not_all_whole(model.classes_)
    ):
        raise ValueError(
            f"{plan.start} holds a {type(model).__name__}, and these labels are numbers that are not "
            "all whole: it would make a class of each"
        )
    return Training(model, holdout=plan.holdout), pieces


def _end_pass(training: Training, passes: int) -> None:
    training.certify()
    if training.passes + 1 < passes:
        training.end_pass()
    else:  # the place and the holdout's scores are those of the whole
        training.passes += 1


def _draw(training: Training, learner: str, wanted: Wanted) -> None:
    if not (wanted.plot or wanted.calibration):
        return
    from regretless import plots

    scores = training.validation
    if wanted.plot:
        name = f"{loss_name(training.model)} loss".replace("_", " ")
        plots.learning_curves({learner: scores.curve}, wanted.plot, name, training.norm)
    if wanted.calibration:
        if scores.calibration is None:
            raise ValueError("--calibration needs two labels and their probabilities")
        plots.calibration(scores.calibration, wanted.calibration)
