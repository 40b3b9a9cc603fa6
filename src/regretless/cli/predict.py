"""`regretless predict`: one line per example."""

import sys
from typing import Any

from numpy.typing import NDArray

from regretless.base.classifier import Classifier
from regretless.cli.familiar import familiar
from regretless.cli.locating import located
from regretless.cli.models import load
from regretless.cli.reading_options import Reading
from regretless.streams import Piece


def run(reading: Reading, path: str, probabilities: bool, raw: bool, strict: bool) -> None:
    """Print what the model at `path` predicts."""
    model, remembered = load(path)
    if probabilities and not isinstance(model, Classifier):
        raise ValueError(f"{path} holds a {type(model).__name__}, which has no probabilities")
    if isinstance(model, Classifier) and not len(model.classes_):
        raise ValueError(f"{path} has learned nothing yet: there is no label to predict")
    stream = reading.completed(remembered).stream(model)
    lines = _probabilities if probabilities else _scores if raw else _predictions
    pieces = stream.ahead(model._form(), labelled=False)
    for piece in familiar(pieces, model, named=reading.has_names_only, strict=strict):
        if len(piece):  # not only bad lines
            with located(stream, piece):
                predicted = lines(model, piece)
            _write(predicted, piece.tags)


def label_text(label: Any) -> str:
    """A label as it is printed.

    >>> label_text(1.0), label_text("spam"), label_text(True)
    ('1', 'spam', 'True')
    """
    return f"{label:g}" if isinstance(label, float) else str(label)


def _predictions(model: Any, piece: Piece) -> list[str]:
    predicted = model.predict(piece.X)
    if not isinstance(model, Classifier):
        return _numbers(predicted)
    text = {label: label_text(label) for label in model.classes_.tolist()}
    return [text[label] for label in predicted.tolist()]


def _probabilities(model: Any, piece: Piece) -> list[str]:
    p = model.predict_proba(piece.X)
    return _numbers(p[:, 1]) if p.shape[1] == 2 else _by_label(model, p)


def _scores(model: Any, piece: Piece) -> list[str]:
    if not isinstance(model, Classifier):
        return _numbers(model.predict(piece.X))
    scores = model.decision_function(piece.X)
    return _numbers(scores) if scores.ndim == 1 else _by_label(model, scores)


def _by_label(model: Any, table: NDArray[Any]) -> list[str]:
    names = [label_text(label).replace("%", "%%") for label in model.classes_.tolist()]
    form = ",".join(f"{name}:%g" for name in names)
    return [form % tuple(row) for row in table.tolist()]


def _numbers(values: NDArray[Any]) -> list[str]:
    return ["%g" % value for value in values.tolist()]  # noqa: UP031, twice as fast


def _write(lines: list[str], tags: list[str] | None) -> None:
    if tags is not None:
        lines = [f"{line} {tag}" if tag else line for line, tag in zip(lines, tags)]
    sys.stdout.write("\n".join(lines) + "\n")
