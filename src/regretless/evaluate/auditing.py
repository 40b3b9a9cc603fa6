"""Audits of models that are validated: which loss, by which scores, and when bounds are computed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import arguments, losses, rows
from regretless.arguments import LARGEST_VALUE, shown
from regretless.audit import Audit, Judged
from regretless.evaluate.validation import point_from
from regretless.linear.learner import LinearLearner
from regretless.linear.outcome import Outcome
from regretless.losses import Loss

__all__ = ["Auditing", "auditing", "by_prediction", "by_probabilities"]

Array = NDArray[np.float64]
_LEAST = 1e-15  # probabilities are no smaller than this, as in the log loss
_GROWTH, _FIRST = 1.25, 10  # bounds take a look at all features: not after every example
_UNKNOWN = Judged(None, np.empty((0, 0)), ())


class Auditing:
    """An `Audit` beside a model on its way through a stream.

    Parameters: `audit`; `same`, whether its loss is the model's own.
    """

    def __init__(self, audit: Audit, same: bool) -> None:
        self.audit, self._same = audit, same
        self.due = _FIRST  # how many examples there will be when bounds are computed next

    @property
    def norms(self) -> tuple[float, ...]:
        """The norms that bounds are asked for."""
        return self.audit.norms

    def bounds(self) -> tuple[float, ...]:
        """The mean losses that no linear model of each norm can beat, on all examples so far."""
        weight = self.audit.weight_ or 1.0
        return tuple(best / weight for best in self.audit._best(self.norms))

    def at(self, examples: int) -> tuple[float, ...] | None:
        """The bounds after so many examples, if they are due."""
        if examples < self.due:
            return None
        self.due = self.after(examples)
        return self.bounds()

    @staticmethod
    def after(examples: int) -> int:
        """When bounds are due again that were computed after so many examples."""
        return point_from(max(_FIRST, math.ceil(_GROWTH * examples)))

    def loss(self, suffered: float) -> float | None:
        """What the model has lost by the audited loss, if that is known.

        `suffered` is what it has lost by its own.
        """
        scored = self.audit._first.loss
        if scored is None and self._same and not self.audit.loss_function.classification:
            return suffered  # a score was too large for the audit
        return scored

    # --- examples ----------------------------------------------------------------------------------

    def judge(self, outcomes: Sequence[Outcome], y: Any) -> Judged:
        """The scores of the outcomes of a learner of ours, whose labels or targets were `y`."""
        numbers = np.concatenate([outcome.scores.ravel() for outcome in outcomes])  # type: ignore[union-attr]
        if not (np.abs(numbers) <= LARGEST_VALUE).all():
            return _UNKNOWN
        if outcomes[0].codes is not None:
            return _by_labels(outcomes)
        if self.audit.loss_function.classification:  # of a learner of the numbers -1 and 1
            numbers = np.where(np.asarray(y) > 0, numbers, -numbers)
        return Judged(numbers, np.empty((len(numbers), 0)), ())

    def take(self, X: rows.Batch, y: Any, w: Array | None, judged: Judged | None = None) -> None:
        """Take a batch in."""
        judged = judged or _UNKNOWN
        if self.audit.loss_function.classification:
            self.audit._learn_judged(X, y, w, judged)
        else:
            self.audit.learn_many(X, y, judged.margins, w)

    def take_one(self, x: Any, y: Any, w: float, judged: Judged) -> None:
        """Take one example in."""
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
            raise ValueError("certify is an Audit that has seen examples; give its clone()")
        if certify.loss_function.classification != own.classification:
            task = "labels" if own.classification else "numbers"
            raise ValueError(
                f"certify={certify!r}: the model predicts {task}; audit a loss of them"
            )
        return Auditing(certify, own == certify.loss_function)
    many = isinstance(certify, (Sequence, np.ndarray)) and not isinstance(certify, str)
    norms = [arguments.positive(norm, "certify") for norm in (certify if many else [certify])]
    if not norms:
        raise ValueError(f"certify={shown(certify)} names no norm; give a number, or several")
    # what mistakes cost is compared with the hinge losses of others
    loss = losses.Hinge() if isinstance(own, losses.Perceptron) else own
    return Auditing(Audit(loss, norms, **_reading(model)), own == loss)


def _own_loss(model: Any, classifies: bool) -> Loss:
    """The loss of a learner of ours; of others the one that `progressive` measures."""
    if isinstance(model, LinearLearner):
        return model._own_loss()
    return losses.Logistic() if classifies else losses.Squared()


def _reading(model: Any) -> dict[str, Any]:
    """How a learner of ours reads its features."""
    if not isinstance(model, LinearLearner):
        return {}
    intercept = bool(model.intercept) or not model._is_linear
    return {"features": model.features, "bits": int(model.bits), "intercept": intercept}


# --- scores ----------------------------------------------------------------------------------------


def _by_labels(outcomes: Sequence[Outcome]) -> Judged:
    """The scores of a classifier of ours, of examples that follow each other."""
    labels = outcomes[-1].labels  # from two on, those before are the first of them
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
            continue  # nothing is predicted before there is a label: a score of 0
        if lanes > 1:
            table[there, :lanes] = scores
            own = scores[np.arange(len(codes)), np.maximum(codes, 0)]
            margins[there] = np.where(codes < 0, 0.0, own)
            continue
        # one lane is for the second label, which is the one that is new while only one is known
        margins[there] = np.where(codes == 0, -scores[:, 0], scores[:, 0])
        if len(outcome.labels) == 2:
            table[there, :2] = scores * (-1.0, 1.0)
    return Judged(margins, table, labels)


def by_probabilities(chance: float, p: Mapping[Any, float]) -> Judged:
    """The scores of one example by the probabilities `p`; `chance` is that of the label that came.

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
