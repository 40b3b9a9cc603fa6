"""`regretless train`: from files to a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, Self

import click

from regretless.cli.declare import command, given_options
from regretless.cli.learners import (
    LearnerOptions,
    check_features,
    first_labels,
    load_model,
    loss_name,
    naming_the_line,
    save_model,
    uninterrupted,
)
from regretless.cli.options import (
    Holdout,
    Output,
    Reading,
    Strict,
    learning_option,
    model_path,
    output_option,
    passes_option,
    path_option,
    picture_option,
    refuse_overwriting,
    writable_folder,
)

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from regretless.base.learner import Learner
    from regretless.evaluate.training import Training
    from regretless.streams import Piece, Stream
    from regretless.streams.cache import Cache


class Plan(Strict, Holdout):
    """How to go through the examples; with the reading and the learner it determines the result."""

    start: str | None = learning_option(
        "--from",
        metavar="MODEL",
        help="Continue the training of a saved model, with its learner and its columns.",
    )
    passes: int = passes_option(
        "--passes", default=1, check=("whole", 1), help="Number of passes over the data."
    )


class TrainOutput(Output):
    """What is written and shown."""

    save: str | None = output_option(
        "--save", metavar="PATH", parse=model_path, help="File to write the model to."
    )
    plot: str | None = picture_option(
        "--plot", help="Draw the learning curve to this file, .png or .svg."
    )
    calibration: str | None = picture_option(
        "--calibration",
        help="Draw predicted probabilities against observed frequencies to this file, .png or .svg.",
    )
    cache: str | None = path_option(
        "--cache",
        panel="Passes and checkpoints",
        help="File for the cache that later passes read, which is kept; by default a temporary file.",
    )
    checkpoint: str | None = passes_option(
        "--checkpoint",
        metavar="DIR",
        parse=writable_folder,
        help="Directory for checkpoints; the same command, started again, continues from the last one.",
    )
    every: float = passes_option(
        "--every",
        metavar="N",
        default=1e6,
        check=("positive",),
        help="Examples between checkpoints.",
    )


@command(
    examples=(
        "regretless train clicks.vw.gz --save clicks.model",
        "regretless train spam.csv --label spam --loss hinge --learner perceptron",
        'regretless train "ads/*.parquet" --label clicked --checkpoint ck/',
        "regretless train clicks.vw --certify 1,3,10",
        "regretless train unscaled.csv --label y --learner newton --size 20",
        "regretless train covtype.csv --label y --learner boost --kind bbm --weak 20",
        "regretless train tuesday.vw --from monday.model --save tuesday.model",
        "cat live.jsonl | regretless train - --format jsonl --label y",
    )
)
def train(reading: Reading, learner: LearnerOptions, plan: Plan, output: TrainOutput) -> None:
    """Train a model on files, one example at a time.

    Every example is predicted before it is learned, so the loss that is shown is
    the loss on fresh data; no test set is needed.
    """
    if output.cache is not None and plan.passes == 1:
        raise click.UsageError("--cache is for later passes, and there is only one; give --passes")
    if plan.start is not None:
        _refuse_options_of_the_model(plan.start)
    elif plan.strict:
        raise click.UsageError("--strict compares columns with those of a model; give --from")
    _Train(reading, learner, plan, output).run()


def _refuse_options_of_the_model(model: str) -> None:
    """A learner is made once; its options cannot be changed later."""
    chosen = {each.name for each in fields(LearnerOptions)} - {"classes", "certify"}
    for name, typed in given_options().items():
        if name in chosen:
            raise click.UsageError(
                f"{typed} was settled when {model} was made; leave it out, or train a new model "
                "without --from"
            )


class _Train:
    """One run of the command."""

    def __init__(
        self, reading: Reading, options: LearnerOptions, plan: Plan, output: TrainOutput
    ) -> None:
        self.plan, self.output = plan, output
        self.model: Learner | None = None  # the one to continue with
        if plan.start is not None:
            self.model, recorded = load_model(plan.start)
            reading = reading.completed(recorded)
            options = replace(options, classes=options.classes or bool(recorded.get("classes")))
        self.reading, self.options = reading, options
        self.stream: Stream = reading.stream(self.model)
        self.files = getattr(self.stream, "paths", [])
        self._check_files()

    def _check_files(self) -> None:
        from regretless.streams.reading import TextStream

        refuse_overwriting(self.files, save=self.output.save, cache=self.output.cache)
        if self.output.cache is not None and not isinstance(self.stream, TextStream):
            raise ValueError(
                "--cache is for text; other files are read again in every pass: leave it out"
            )

    def run(self) -> None:
        """Train, save, and show the summary."""
        from regretless.cli.output import Progress, Summary

        plan, output = self.plan, self.output
        determines = {**asdict(self.reading), **asdict(self.options), **asdict(plan)}
        checkpoints = Checkpoints(
            output.checkpoint, output.every, determines | {"files": self.files}
        )
        training = checkpoints.load()
        with (
            CachedPasses(self.stream, plan.passes, output.cache, output.checkpoint) as passes,
            Progress(self.stream, plan.passes, output.quiet) as progress,
        ):
            pieces: Iterator[Piece] | None = None
            if training is None:
                training, pieces = self._begin() if self.model is None else self._resume(self.model)
            try:
                while training.passes < plan.passes:
                    for piece in pieces or passes.pieces(training):
                        with (
                            uninterrupted(),
                            naming_the_line(self.stream, piece, training.seen, self._advice()),
                        ):
                            training.take(piece)
                        passes.took(training, piece)
                        checkpoints.took(training, len(piece))
                        progress.took(training, len(piece))
                    pieces = None
                    passes.end()
                    _end_pass(training, plan.passes)
                    checkpoints.save(training)
            except KeyboardInterrupt:
                checkpoints.save(training)
                raise
            except OSError as error:  # a full disk: that of the model may have room
                if output.save is None:
                    raise
                self._save(training)
                why = f"{error.strerror}; what was learned so far is saved to {output.save}"
                raise OSError(error.errno, why, error.filename) from error
            seconds, taken = progress.seconds, progress.taken
        self._save(training)
        is_new = self.model is None
        guessed = is_new and not self.options.decided and not training.model.classifies
        name = self.options.learner if is_new else type(training.model).__name__
        summary = Summary(training, name, seconds, taken, guessed=guessed, saved=output.save)
        summary.show(output.json, output.quiet)
        _draw(training, name, output)

    def _begin(self) -> tuple[Training, Iterator[Piece]]:
        """A new training, and the pieces to begin with."""
        from regretless.evaluate.training import Training

        # made before a file is read, so that options that do not fit are told at once
        regression = self.options.asks_for_regression
        model = self.options.make(bool(regression))
        form = model.form()
        labels, pieces = first_labels(self.stream.ahead(form), self.reading, self.options.decided)
        if regression is None and self.options.is_regression(labels):
            model = self.options.make(regression=True)
        model._reading = form  # it tells the reader when it knows names enough
        return Training(model, self.options.certify, self.plan.holdout), pieces

    def _resume(self, model: Learner) -> tuple[Training, Iterator[Piece]]:
        """A training that continues with the model, and the pieces to begin with."""
        from regretless.evaluate.training import Training

        options, plan = self.options, self.plan
        pieces = check_features(
            self.stream.ahead(model.form()),
            model,
            named=self.reading.has_names_only,
            strict=plan.strict,
        )
        known = model.classes_.tolist() if model.classifies else []  # type: ignore[attr-defined]
        decided = options.classes or not model.classifies
        labels, pieces = first_labels(pieces, self.reading, decided, known)
        if not decided and labels.are_numbers and (labels.are_many or not labels.are_whole):
            are = "with many values" if labels.are_many else "that are not all whole"
            raise ValueError(
                f"{plan.start} holds a {type(model).__name__}, and these labels are numbers {are} "
                f"({labels.shown}): --classes makes a label of each; to predict a number, train anew "
                "with --loss squared"
            )
        return Training(model, options.certify, plan.holdout), pieces

    def _advice(self) -> str:
        """What to do about an overflow."""
        if self.plan.start is None:
            return self.options.advice()
        return f"scale the features and the labels, or train anew without --from {self.plan.start}"

    def _save(self, training: Training) -> None:
        if self.output.save is not None:
            save_model(training.model, self.reading, self.output.save, classes=self.options.classes)


def _end_pass(training: Training, passes: int) -> None:
    training.certify()
    if training.passes + 1 < passes:
        training.end_pass()
    else:  # the place and the holdout's scores are those of the whole
        training.passes += 1


def _draw(training: Training, learner: str, output: TrainOutput) -> None:
    if not (output.plot or output.calibration):
        return
    from regretless import plots

    scores = training.validation
    if output.plot:
        name = f"{loss_name(training.model)} loss".replace("_", " ")
        plots.learning_curves({learner: scores.curve}, output.plot, name)
    if output.calibration:
        if scores.calibration is None:
            raise ValueError("--calibration needs two labels and their probabilities")
        plots.calibration(scores.calibration, output.calibration)


# --- passes ----------------------------------------------------------------------------------------

_CACHE = ".regretless-cache"


class CachedPasses:
    """The pieces of each pass: from the files first, then from the cache of the first pass.

    Only a first pass that was read from its beginning leaves a cache. Tables have none; nor has a
    stream in which a held-out example has a feature that was never learned. Without a cache the files
    are read again. The cache is removed at the end unless it has a `path` of its own. Otherwise it is in
    `folder`, where the cache of a process that was killed is removed.
    """

    def __init__(
        self, stream: Stream, count: int, path: str | None, folder: str | None = None
    ) -> None:
        self._stream, self._count, self._path, self._folder = stream, count, path, folder
        self._cache: Cache | None = None
        self._complete = False

    def pieces(self, training: Training) -> Iterator[Piece]:
        """What is left of the current pass."""
        source = self._cache.stream() if self._cache and self._complete else self._stream
        if training.passes and source is self._stream and "-" in getattr(source, "paths", ()):
            raise ValueError("standard input cannot be read twice: there is no cache of it")
        return source.ahead(training.model.form(), training.place)

    def took(self, training: Training, piece: Piece) -> None:
        """Keep a piece that has been learned, if later passes will want it."""
        from regretless.base.rows import Parsed

        if training.passes or self._count == 1 or not isinstance(piece.X, Parsed):
            return
        if not training.finds_alike:  # the cache has places of features, not their names
            return
        if not training.seen:  # only bad lines yet
            return
        if self._cache is None and training.seen == len(piece):  # the first of all
            from regretless.streams.cache import Cache

            self._cache = Cache(self._path or self._scratch())
        with self._without_if_full():
            if self._cache:
                try:
                    self._cache.add(training.model, piece)
                except LookupError:  # a held-out example has a name that was not learned
                    self._cache.discard()
                    self._cache = None

    def end(self) -> None:
        """A pass is over."""
        with self._without_if_full():
            if self._cache and not self._complete:
                self._cache.finish()
                self._complete = True

    @contextmanager
    def _without_if_full(self) -> Iterator[None]:
        """Go on without a cache that cannot be written, if the files can be read again."""
        try:
            yield
        except OSError as error:
            if self._cache is None or "-" in getattr(self._stream, "paths", ()):
                raise
            print(
                f"warning: {error.filename}: {error.strerror}: later passes read the files again",
                file=sys.stderr,
            )
            self._cache.discard()
            self._cache = None

    def _scratch(self) -> str:
        import tempfile

        handle, path = tempfile.mkstemp(_CACHE, dir=self._folder)
        os.close(handle)
        return path

    def __enter__(self) -> Self:
        if self._folder is not None:
            from pathlib import Path

            for old in Path(self._folder).glob(f"*{_CACHE}"):
                old.unlink()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._cache and (self._path is None or not self._complete):
            self._cache.discard()


# --- checkpoints -----------------------------------------------------------------------------------


class Checkpoints:
    """A file from which the same command continues, written anew after every so many examples.

    Without a `folder` nothing is written.
    """

    def __init__(self, folder: str | None, every: float, command: dict[str, Any]) -> None:
        self._path: Path | None = None
        self._every = every
        self._taken = 0
        self._warned = False
        if folder is not None:
            import json
            from pathlib import Path

            from regretless.base.persistence import remove_scratch

            self._path = Path(folder, "checkpoint.safetensors")
            self._command = json.loads(json.dumps(command))  # as it will be read back
            self._path.parent.mkdir(parents=True, exist_ok=True)
            remove_scratch(self._path)

    def load(self) -> Training | None:
        """The training to continue, if this command was started before."""
        if self._path is None or not self._path.exists():
            return None
        from regretless.evaluate.training import Training

        return Training.load(self._path, self._command)

    def took(self, training: Training, examples: int) -> None:
        """Count so many more examples, and save a checkpoint if it is due."""
        self._taken += examples
        if self._taken >= self._every:
            self.save(training)

    def save(self, training: Training) -> None:
        """Write the checkpoint now. If the disk is full, the training goes on without one."""
        self._taken = 0
        if self._path is None:
            return
        try:
            training.save(self._path, self._command)
        except OSError as error:
            if not self._warned:
                print(f"warning: {self._path}: {error.strerror}: no checkpoint", file=sys.stderr)
            self._warned = True
