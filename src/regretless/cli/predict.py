"""`regretless predict`: one line for each example."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from regretless.cli.declare import command, option
from regretless.cli.learners import check_features, load_model, naming_the_line
from regretless.cli.options import Debug, Reading, Strict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from regretless.streams import Piece


class Prediction(Strict, Debug):
    """What is predicted."""

    model: str = option(
        "--model",
        panel="Prediction",
        metavar="PATH",
        required=True,
        help="Model that train has saved.",
    )
    probabilities: bool = option(
        "--probabilities",
        panel="Prediction",
        default=False,
        help="Print the probability of the second of two labels; label:p for each of three or more.",
    )
    raw: bool = option("--raw", panel="Prediction", default=False, help="Print scores.")


@command(
    examples=(
        "regretless predict new.vw --model clicks.model > labels.txt",
        "regretless predict new.csv --model spam.model --probabilities",
        "zcat new.vw.gz | regretless predict - --format vw --model clicks.model",
    )
)
def predict(reading: Reading, prediction: Prediction) -> None:
    """Predict examples with a model that train has saved.

    Print one line for each example: the label or number, then the tag of the
    example if it has one. Labels in the files are not needed and not used.
    Columns and interactions are those of the training unless other ones are given.
    Columns that are new or missing cause a warning; it is an error if the model
    knows none of them.
    """
    if prediction.probabilities and prediction.raw:
        raise click.UsageError("--probabilities and --raw exclude each other; choose one of them")
    path = prediction.model
    model, recorded = load_model(path)
    if prediction.probabilities and not model.classifies:
        raise ValueError(f"{path} holds a {type(model).__name__}, which has no probabilities")
    if model.classifies and not len(model.classes_):
        raise ValueError(f"{path} has learned nothing yet: there is no label to predict")
    stream = reading.completed(recorded).stream(model)
    lines = _probabilities if prediction.probabilities else _scores if prediction.raw else _labels
    pieces = stream.ahead(model.form(), labelled=False)
    named, strict = reading.has_names_only, prediction.strict
    for piece in check_features(pieces, model, named=named, strict=strict):
        if len(piece):  # not only bad lines
            with naming_the_line(stream, piece):
                predicted = lines(model, piece)
            _write(predicted, piece.tags)


def _labels(model: Any, piece: Piece) -> list[str]:
    from regretless.cli.output import label_text

    predicted = model.predict(piece.X)
    if not model.classifies:
        return _numbers(predicted)
    text = {label: label_text(label) for label in model.classes_.tolist()}
    return [text[label] for label in predicted.tolist()]


def _probabilities(model: Any, piece: Piece) -> list[str]:
    p = model.predict_proba(piece.X)
    return _numbers(p[:, 1]) if p.shape[1] == 2 else _by_label(model, p)


def _scores(model: Any, piece: Piece) -> list[str]:
    if not model.classifies:
        return _numbers(model.predict(piece.X))
    scores = model.decision_function(piece.X)
    return _numbers(scores) if scores.ndim == 1 else _by_label(model, scores)


def _by_label(model: Any, table: NDArray[Any]) -> list[str]:
    from regretless.cli.output import label_text

    names = [label_text(label).replace("%", "%%") for label in model.classes_.tolist()]
    form = ",".join(f"{name}:%g" for name in names)
    return [form % tuple(row) for row in table.tolist()]


def _numbers(values: NDArray[Any]) -> list[str]:
    return ["%g" % value for value in values.tolist()]  # noqa: UP031, twice as fast


def _write(lines: list[str], tags: list[str] | None) -> None:
    if tags is not None:
        lines = [f"{line} {tag}" if tag else line for line, tag in zip(lines, tags)]
    sys.stdout.write("\n".join(lines) + "\n")
