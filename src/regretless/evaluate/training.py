"""Training with progressive validation: predict, score, then learn, piece by piece."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless import losses
from regretless.audit import Audit
from regretless.audit.scores import Judged
from regretless.base import arguments, rows, state
from regretless.base.arguments import LARGEST_VALUE, Array, instance, one_of, shown, whole
from regretless.base.learner import Learner, Outcome
from regretless.base.regressor import Regressor
from regretless.base.threads import OneThread
from regretless.errors import NotGiven
from regretless.evaluate.validation import Validation, point_from
from regretless.losses import Loss
from regretless.streams.stream import Piece, Place

# --- audits beside models: their losses, scores, and times of bounds ------------------------------

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
    hashed = {"features": "hashed", "bits": model.form().bits} if model.form().bits else {}
    return hashed | {"intercept": bool(getattr(model, "intercept", True)) or not model.is_linear}


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


# --- training -------------------------------------------------------------------------------------


class Training(OneThread, changing=("validation", "held_out", "place", "passes", "certified")):
    """A learner that is trained on a stream, with the state of a checkpoint.

    Parameters
    ----------
    model : a learner of this library.
    certify : a norm, or several: an `Audit` takes the same examples, and proves a lower bound on the
        mean loss of all linear models of each norm, in units of each feature. An `Audit` made by
        hand may be given, too. None: do not audit.
    holdout : if `k > 0`, every k-th example is scored apart and not learned, its label included: an
        unknown label counts as in `validate_many`.

    >>> from regretless import streams
    >>> from regretless.linear import LinearClassifier
    >>> training = Training(LinearClassifier(), holdout=10)
    >>> for piece in streams.read(streams.bundled("phishing")).pieces():
    ...     training.take(piece)
    >>> training.validation.examples, training.held_out.examples, training.held_out.mean_loss < 0.45
    (1125, 125, True)
    """

    def __init__(self, model: Any, certify: Any = None, holdout: int = 0) -> None:
        self.model = model
        self.holdout = whole(holdout, "holdout", 0)
        self._auditing = auditing(certify, model, model.classifies)
        self._late = False  # with a delay, examples count when held out and are learned later
        kind: Any = "regression" if isinstance(model, Regressor) else "binary"
        self.validation = Validation(kind, self.norms)
        self.held_out = Validation(kind, self.norms)
        self.place = Place()
        self.passes = 0  # complete passes
        self._seen = 0  # in this pass, held out or not
        self.certified: tuple[float, ...] | None = None  # the newest bounds, one for each norm

    def __repr__(self) -> str:
        certify = f", certify={self.norms}" if self.norms else ""
        holdout = f", holdout={self.holdout}" if self.holdout else ""
        return f"Training({self.model!r}{certify}{holdout})"

    @property
    def audit(self) -> Audit | None:
        """The `Audit`, or None without `certify`."""
        return None if self._auditing is None else self._auditing.audit

    @property
    def norms(self) -> tuple[float, ...]:
        """The norms of linear models that are audited."""
        return () if self._auditing is None else self._auditing.norms

    @property
    def finds_alike(self) -> bool:
        """Whether the model and the auditor, if there is one, keep every feature in the same place."""
        audit, form = self.audit, self.model.form()
        if audit is None:
            return True
        hashed = audit.bits if audit.features == "hashed" else 0
        return hashed > 0 and (hashed, audit.intercept) == (form.bits, form.intercept)

    @property
    def audited_loss(self) -> float | None:
        """The model's total of the audited loss on fresh examples; None if it is not known.

        It is `validation.loss`, unless there are three or more labels (the audit adds up the losses of
        each label from the first example on) or the model has a loss that cannot be audited.
        """
        scores = self.held_out if self._late else self.validation
        return None if self._auditing is None else self._auditing.loss(scores.loss)

    @property
    def seen(self) -> int:
        """The number of examples in the current pass, including those held out."""
        return self._seen

    def take(self, piece: Piece, held: NDArray[np.bool_] | None = None) -> None:
        """Predict the examples of the piece, score the predictions, and learn the examples.

        `held`: which of them to hold out; by default every `holdout`-th.
        """
        self.place = piece.place
        if not len(piece):  # all lines were bad
            return
        weights = piece.w
        if self.holdout:
            held = (np.arange(self._seen, self._seen + len(piece)) + 1) % self.holdout == 0
        if held is not None:
            weights = np.where(held, 0.0, 1.0 if weights is None else weights)
        audited = self._auditing
        judges = audited is not None and not self.passes
        outcomes = self.model._validated(piece.X, piece.y, weights, judges)
        if self.validation.kind == "binary" and len(self.model.classes_) > 2:
            self.validation.kind = self.held_out.kind = "multiclass"
        judged = audited.judge(outcomes, piece.y) if judges and audited is not None else None
        ends = np.cumsum([len(outcome) for outcome in outcomes]).tolist()
        begins, start = [0, *ends], 0
        for stop in self._cuts(len(piece)):
            if audited is not None:
                self._show(audited, piece, held, slice(start, stop), judged)
            known = audited.at(self._seen + stop) if judges and audited is not None else None
            self.certified = known or self.certified
            for outcome, first, last in zip(outcomes, begins, ends):
                there = slice(max(first, start), min(last, stop))
                if there.start < there.stop:
                    # the bounds are for the end of the whole part
                    proved = known if there.stop == stop else None
                    self._count(
                        outcome,
                        slice(there.start - first, there.stop - first),
                        None if piece.w is None else piece.w[there],
                        None if held is None else held[there],
                        proved,
                    )
            start = stop
        self._seen += len(piece)

    def _cuts(self, size: int) -> list[int]:
        """The places where a piece is cut because bounds are due, and its end."""
        cuts = []
        if self._auditing is not None and not self.passes:
            due = max(self._auditing.due, self._seen + 1)
            while due < self._seen + size:
                cuts.append(due - self._seen)
                due = self._auditing.after(due)
        return [*cuts, size]

    def _show(
        self,
        audited: Auditing,
        piece: Piece,
        held: NDArray[np.bool_] | None,
        there: slice,
        judged: Judged | None,
    ) -> None:
        """Add the examples that count to the audit."""
        weights = None if piece.w is None else piece.w[there]
        if held is not None:
            left_out = ~held[there] if self._late else held[there]
            weights = np.where(left_out, 0.0, 1.0 if weights is None else weights)
        whole = there.start == 0 and there.stop == len(piece)
        part = judged and judged.part(there)
        audited.take(piece.X if whole else piece.X[there], piece.y[there], weights, part)

    def _count(
        self,
        outcome: Outcome,
        there: slice,
        weights: Array | None,
        held: NDArray[np.bool_] | None,
        proved: tuple[float, ...] | None,
    ) -> None:
        """Add a part of an outcome to the scores."""
        if held is not None:
            late = proved if self._late else None
            _add(self.held_out, outcome, there, weights, held, certified=late)
        if not self.passes:  # in later passes the examples are not fresh
            chosen = slice(None) if held is None else ~held
            now = None if self._late else proved
            _add(self.validation, outcome, there, weights, chosen, certified=now)

    def bounds(self) -> tuple[float, ...]:
        """The mean losses that no linear model of each norm can beat, on all examples audited."""
        return () if self._auditing is None else self._auditing.bounds()

    def certify(self) -> None:
        """Compute the bounds for all examples so far, which `take` does at some points only.

        The last point of the curve gets them, if the examples were fresh.

        >>> from regretless import streams
        >>> from regretless.linear import LinearClassifier
        >>> training, pages = Training(LinearClassifier(), certify=3), streams.bundled("phishing")
        >>> for piece in streams.read(pages).pieces():
        ...     training.take(piece)
        >>> training.certify()
        >>> int(training.validation.curve.certified_at[-1])
        1250
        """
        scores = self.held_out if self._late else self.validation
        if self._auditing is not None and scores.examples:
            self.certified = self.bounds()
            if not self.passes:
                scores.certify(self.certified)

    def end_pass(self) -> None:
        """End a pass: the stream begins again."""
        self.passes += 1
        self.place, self._seen = Place(), 0
        self.held_out = Validation(self.held_out.kind, self.norms)  # the newest pass only
        if self.audit is not None:
            self.audit.start_pass()

    # --- checkpoints -------------------------------------------------------------------------------

    def save(self, path: Any, command: Mapping[str, Any]) -> None:
        """Write everything to `path` atomically; `command` identifies the command it belongs to."""
        state.write(
            path,
            {
                "command": dict(command),
                "model": self.model,
                "kind": self.validation.kind,
                "validation": self.validation.state(),
                "held_out": self.held_out.state(),
                "place": self.place.to_dict(),
                "passes": self.passes,
                "seen": self._seen,
                "audit": self.audit,
                "due": self._auditing.due if self._auditing else 0,
                "holdout": self.holdout,
            },
        )

    @classmethod
    def load(cls, path: Any, command: Mapping[str, Any]) -> Self:
        """The training that `save` wrote, or `ValueError` if it belongs to another command."""
        with state.opening(path, "a checkpoint", "command") as parts:
            old = instance(parts.take("command"), "command", dict)
            changed = sorted(k for k in old.keys() | command.keys() if old.get(k) != command.get(k))
            if changed:
                raise NotGiven(
                    f"{path} is a checkpoint of another command ({', '.join(changed)} differ); "
                    "remove it or choose another directory"
                )
            model = instance(parts.take("model"), "model", Learner)
            audit = parts.take("audit")
            if audit is not None:
                instance(audit, "audit", Audit)
            training = cls(model, None if audit is None else audit.clone(), parts.take("holdout"))
            kind = one_of(parts.take("kind"), "kind", ("binary", "multiclass", "regression"))
            for name in ("validation", "held_out"):
                scores = Validation.restored(kind, parts.inside(name).rest(), training.norms)
                setattr(training, name, scores)
            training.place = Place.from_dict(parts.inside("place").rest())
            training.passes, training._seen = parts.whole("passes"), parts.whole("seen")
            due = parts.whole("due")
            if training._auditing is not None and audit is not None:
                training._auditing.audit, training._auditing.due = audit, due
            return training


def _add(
    scores: Validation,
    outcome: Outcome,
    there: slice,
    weights: Array | None,
    chosen: NDArray[np.bool_] | slice,
    *,
    certified: tuple[float, ...] | None,
) -> None:
    """Add the chosen examples of a part of an outcome."""
    p, positive = outcome.probability, outcome.positive
    if scores.kind != "binary":
        p = positive = None
    scores.add(
        outcome.losses[there][chosen],
        None if weights is None else weights[chosen],
        outcome.wrong[there][chosen],
        None if p is None else p[there][chosen],
        None if positive is None else positive[there][chosen],
        certified=certified,
    )
