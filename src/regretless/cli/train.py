"""`regretless train`: from files to a model."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from regretless.base.classifier import Classifier
from regretless.base.learner import Learner
from regretless.base.regressor import Regressor
from regretless.cli.checkpoints import Checkpoints, uninterrupted
from regretless.cli.familiar import familiar
from regretless.cli.first_labels import first_labels
from regretless.cli.learners import LearnerOptions, loss_name
from regretless.cli.locating import located
from regretless.cli.models import load, save
from regretless.cli.passes import Passes
from regretless.cli.progress import Display
from regretless.cli.reading_options import Reading
from regretless.cli.sparing import spare
from regretless.cli.summary import Summary
from regretless.evaluate.training import Training
from regretless.streams import Piece, Stream
from regretless.streams.text import TextStream


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the examples are gone through; decides, with the reading and the learner, the result."""

    start: str | None = None  # the model to go on with
    strict: bool = False  # columns have to be those of the model
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
    model: Learner | None = None
    if plan.start is not None:
        model, remembered = load(plan.start)
        reading = reading.completed(remembered)
        options = replace(options, classes=options.classes or bool(remembered.get("classes")))
    stream = reading.stream(model)
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
                if model is None
                else _resumed(stream, reading, model, options, plan)
            )
        try:
            while training.passes < plan.passes:
                for piece in pieces or passes.pieces(training):
                    advice = _advice(options, plan)
                    with uninterrupted(), located(stream, piece, training.seen, advice):
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
        except OSError as error:  # a full disk: the model's own may have room
            if wanted.model is None:
                raise
            _save(training, reading, options, wanted.model)
            why = f"{error.strerror}; what was learned so far is saved to {wanted.model}"
            raise OSError(error.errno, why, error.filename) from error
        seconds, taken = display.seconds, display.taken
    _save(training, reading, options, wanted.model)
    guessed = not model and not options.decided and isinstance(training.model, Regressor)
    name = type(training.model).__name__ if model else options.learner
    summary = Summary(training, name, seconds, taken, guessed, wanted.model)
    summary.show(wanted.json, wanted.quiet)
    _draw(training, name, wanted)


def _save(training: Training, reading: Reading, options: LearnerOptions, path: str | None) -> None:
    if path is not None:
        save(training.model, reading, path, classes=options.classes)


def _advice(options: LearnerOptions, plan: Plan) -> str:
    """What to do about an overflow."""
    if plan.start is None:
        return options.advice()
    return f"scale the features and the labels, or train anew without --from {plan.start}"


def _begun(
    stream: Stream, reading: Reading, options: LearnerOptions, plan: Plan
) -> tuple[Training, Iterator[Piece]]:
    if options.loss is None:  # what does not fit is said before a file is read
        options.make(regression=False)._start()
    form = options.form()
    labels, pieces = first_labels(stream.ahead(form), reading, options.decided)
    model = options.make(options.is_regression(labels))
    model._reading = form  # it tells the reader when it knows names enough
    return Training(model, options.certify, plan.holdout), pieces


def _resumed(
    stream: Stream, reading: Reading, model: Learner, options: LearnerOptions, plan: Plan
) -> tuple[Training, Iterator[Piece]]:
    pieces = stream.ahead(model._form())
    pieces = familiar(pieces, model, named=reading.has_names_only, strict=plan.strict)
    known = model.classes_.tolist() if isinstance(model, Classifier) else []
    decided = options.classes or not isinstance(model, Classifier)
    labels, pieces = first_labels(pieces, reading, decided, known)
    if not decided and labels.are_numbers and (labels.are_many or not labels.are_whole):
        are = "with many values" if labels.are_many else "that are not all whole"
        raise ValueError(
            f"{plan.start} holds a {type(model).__name__}, and these labels are numbers {are} "
            f"({labels.shown}): --classes makes a label of each; to predict a number, train anew with "
            "--loss squared"
        )
    return Training(model, options.certify, plan.holdout), pieces


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
        plots.learning_curves({learner: scores.curve}, wanted.plot, name)
    if wanted.calibration:
        if scores.calibration is None:
            raise ValueError("--calibration needs two labels and their probabilities")
        plots.calibration(scores.calibration, wanted.calibration)
