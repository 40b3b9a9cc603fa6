"""Labels and scores of an audited model, in the form of the core of an audit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.base import arguments
from regretless.base.arguments import LARGEST_VALUE, Array
from regretless.base.classifier import Labels


class Judged(NamedTuple):
    """The scores that a model gave some examples before it knew their labels.

    `margins`, the score of the true label against all others; `table`, a score for each of
    `labels`, against the rest. Without margins the model has no scores.
    """

    margins: Array | None
    table: Array
    labels: Sequence[Any]

    def part(self, there: slice) -> "Judged":
        """The scores of some of the examples."""
        return (
            self
            if self.margins is None
            else Judged(self.margins[there], self.table[there], self.labels)
        )


def code_of(labels: Labels, label: Any) -> float:
    """The class number of a label in the core; with two labels, 1 is the positive one.

    A single label is taken for the positive one if it is a positive number.
    """
    if label not in labels.index:  # its weight is 0, so it is ignored
        return 0.0
    if len(labels.labels) == 1:
        return float(isinstance(label, (int, float, np.number)) and label > 0)
    return float(labels.index[label])


def codes_of(labels: Labels, given: NDArray[Any]) -> Array:
    """The class numbers of many labels."""
    codes = np.maximum(labels.encode(given)[0], 0).astype(np.float64)  # -1 has weight 0
    if len(labels.labels) == 1:
        codes[:] = code_of(labels, labels.labels[0])
    return codes


def checked_score(score: Any, labels: list[Any] | None) -> Array | None:
    """A score, or those of several labels, in the form of the core."""
    if score is None:
        return None
    if labels is None:
        found = np.array([arguments.number(score, "score")])
    else:
        if isinstance(score, Mapping):
            score = [score.get(label, 0.0) for label in labels]
        found = np.ascontiguousarray(arguments.numbers(score, "score", "a list of numbers")).ravel()
        if found.size != len(labels):
            raise ValueError(f"score has {found.size} numbers, but there are {len(labels)} labels")
    return checked(found, "score")


def checked_scores(scores: Any, size: int, outputs: int) -> Array | None:
    """Scores of a batch: rows, and columns if there are several labels."""
    if scores is None:
        return None
    found = np.ascontiguousarray(arguments.numbers(scores, "scores", "an array of numbers"))
    if found.shape not in ((size,) if outputs == 1 else (), (size, outputs)):
        wanted = (size,) if outputs == 1 else (size, outputs)
        raise ValueError(f"scores has shape {found.shape}, not {wanted}")
    return checked(found, "scores").reshape(size, outputs)


def checked(found: Array, name: str) -> Array:
    wrong = f"is not a number from -{LARGEST_VALUE:g} to {LARGEST_VALUE:g}; give the score itself"
    arguments.check_entries(found, np.abs(found) <= LARGEST_VALUE, name, wrong)
    return found
