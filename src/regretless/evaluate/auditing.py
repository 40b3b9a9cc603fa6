"""Audits beside models that are validated: their losses, scores, and times of bounds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regretless import losses
from regretless.audit import Audit
from regretless.audit.scores import Judged
from regretless.base import arguments, rows
from regretless.base.arguments import LARGEST_VALUE, Array, shown
from regretless.base.learner import Learner, Outcome
from regretless.evaluate.validation import point_from
from regretless.losses import Loss

_LEAST = 1e-15  # the smallest probability, as in the log loss
_GROWTH, _FIRST = 1.25, 10  # bounds visit all features, so they are not computed for every example
_UNKNOWN = Judged(None, np.empty((0, 0)), ())


class Auditing:
    """An `Audit` that runs beside a model on a stream.

    Parameters: `audit`; `same`, whether its loss is the model's own.
    """

    def __init__(self, audit: Audit, same: bool) -> None:
        self.audit, self._same = audit, same
        self.due = _FIRST  # the number of examples at which bounds are computed next

    @property
    def norms(self) -> tuple[float, ...]:
        """The norms of the bounds."""
        return self.audit.norms

    def bounds(self) -> tuple[float, ...]:
        """The mean losses that no linear model of each norm can beat, on all examples so far."""
        weight = self.audit.weight_ or 1.0
        return tuple(best / weight for best in self.audit._best(self.norms))

    def at(self, examples: int) -> tuple[float, ...] | None:
        """The bounds after this number of examples, if they are due."""
        if examples < self.due:
            return None
        self.due = self.after(examples)
        return self.bounds()

    @staticmethod
    def after(examples: int) -> int:
        """The number of examples at which bounds are due again, after bounds at `examples`."""
        return point_from(max(_FIRST, math.ceil(_GROWTH * examples)))

    def loss(self, suffered: float) -> float | None:
        """The model's total of the audited loss; None if it is not known.

        `suffered` is its total of its own loss.
        """
        scored = self.audit._first.loss
        if scored is None and self._same and not self.audit.loss_function.classification:
            return suffered  # because a score was too large for the audit
        return scored

    # --- examples ----------------------------------------------------------------------------------

    def judge(self, outcomes: Sequence[Outcome], y: Any) -> Judged:
        """The scores in the outcomes of a regretless learner for the labels or targets `y`."""
        numbers = np.concatenate([outcome.scores.ravel() for outcome in outcomes])  # type: ignore[union-attr]
        if not (np.abs(numbers) <= LARGEST_VALUE).all():
            return _UNKNOWN
        if outcomes[0].codes is not None:
            return _by_labels(outcomes)
        if self.audit.loss_function.classification:  # the learner predicts the numbers -1 and 1
            numbers = np.where(np.asarray(y) > 0, numbers, -numbers)
        return Judged(numbers, np.empty((len(numbers), 0)), ())

    def take(self, X: rows.Batch, y: Any, w: Array | None, judged: Judged | None = None) -> None:
        """Add a batch."""
        judged = judged or _UNKNOWN
        if self.audit.loss_function.classification:
            self.audit._learn_judged(X, y, w, judged)
        else:
            self.audit.learn_many(X, y, judged.margins, w)

    def take_one(self, x: Any, y: Any, w: float, judged: Judged) -> None:
        """Add one example."""
        if self.audit.loss_function.classification:
            self.audit._learn_judged_one(x, y, w, judged)
        else:
            score = None if judged.margins is None else float(judged.margins[0])
            self.audit.learn_one(x, y, score, w)


def auditing(certify: Any, model: Any, classifies: bool) -> Auditing | None:
    """The audit that `certify` asks for: None, one norm or several, or an `Audit` made by hand."""
    if certify is None:
        return None
    own = _own_loss(model, classifies)
    if isinstance(certify, Audit):
        if certify.examples_ or certify._earlier:
            raise ValueError("certify is an Audit that has seen examples; pass its clone()")
        if certify.loss_function.classification != own.classification:
            task = "labels" if own.classification else "numbers"
            raise ValueError(
                f"certify={certify!r}: the model predicts {task}; audit a loss for {task}"
            )
        return Auditing(certify, own == certify.loss_function)
    many = isinstance(certify, (Sequence, np.ndarray)) and not isinstance(certify, str)
    norms = [arguments.positive(norm, "certify") for norm in (certify if many else [certify])]
    if not norms:
        raise ValueError(f"certify={shown(certify)} is empty; give a norm, or several")
    # the Perceptron's loss is compared with the hinge losses of other models
    loss = losses.Hinge() if isinstance(own, losses.Perceptron) else own
    return Auditing(Audit(loss, norms, **_reading(model)), own == loss)


def _own_loss(model: Any, classifies: bool) -> Loss:
    """The learner's own loss; for other libraries the loss that `progressive` measures."""
    if isinstance(model, Learner):
        return model._own_loss()
    return losses.Logistic() if classifies else losses.Squared()


def _reading(model: Any) -> dict[str, Any]:
    """The options with which a regretless learner reads features."""
    if not isinstance(model, Learner):
        return {}
    hashed = {"features": "hashed", "bits": model._form().bits} if model._form().bits else {}
    return hashed | {"intercept": bool(getattr(model, "intercept", True)) or not model._is_linear}


# --- scores ----------------------------------------------------------------------------------------


def _by_labels(outcomes: Sequence[Outcome]) -> Judged:
    """The scores of a regretless classifier on consecutive examples."""
    labels = outcomes[-1].labels  # from two labels on, earlier lists are prefixes of this
    size = sum(map(len, outcomes))
    margins, table = np.zeros(size), np.zeros((size, len(labels)))
    at = 0
    for outcome in outcomes:
        there = slice(at, at + len(outcome))
        at = there.stop
        scores, codes = outcome.scores, outcome.codes
        assert scores is not None
        assert codes is not None
        lanes = scores.shape[1]
        if not outcome.labels:
            continue  # before the first label the score is 0
        if lanes > 1:
            table[there, :lanes] = scores
            own = scores[np.arange(len(codes)), np.maximum(codes, 0)]
            margins[there] = np.where(codes < 0, 0.0, own)
            continue
        # the single lane is for the second label, which is the unknown one while only one is known
        margins[there] = np.where(codes == 0, -scores[:, 0], scores[:, 0])
        if len(outcome.labels) == 2:
            table[there, :2] = scores * (-1.0, 1.0)
    return Judged(margins, table, labels)


def by_probabilities(chance: float, p: Mapping[Any, float]) -> Judged:
    """The scores of one example from probabilities `p`; `chance` is that of its label.

    >>> by_probabilities(0.5, {"ham": 0.5, "spam": 0.5}).margins
    array([0.])
    """
    table = np.array([_odds(each) for each in p.values()]).reshape(1, -1)
    return Judged(np.array([_odds(chance)]), table, list(p))


def by_prediction(prediction: float) -> Judged:
    """The score of one example whose target is a number; unknown if it is too large."""
    if not abs(prediction) <= LARGEST_VALUE:
        return _UNKNOWN
    return Judged(np.array([prediction]), np.empty((1, 0)), ())


def _odds(p: float) -> float:
    """Log-odds."""
    p = min(max(float(p), _LEAST), 1.0 - _LEAST)
    return math.log(p) - math.log1p(-p)
