"""`progressive`: any learner on any stream, each example predicted before it is learned."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from regretless.audit.scores import Judged
from regretless.base.adapters import takes_weights
from regretless.base.arguments import importance, shown, whole
from regretless.base.learner import Learner
from regretless.base.rows import Form
from regretless.base.waiting import delayed
from regretless.certificates import Certificate, LinearCertificate
from regretless.evaluate.report import Report
from regretless.evaluate.training import (
    Auditing,
    Training,
    auditing,
    by_prediction,
    by_probabilities,
)
from regretless.evaluate.validation import Validation, WithoutTargets, classifies
from regretless.streams.stream import IterableStream, Piece, Stream

_BATCH = 256
_PIECE = 4096


def progressive(
    model: Any, stream: Stream | Iterable[Any], *, delay: int = 0, certify: Any = None
) -> Report:
    """Predict each example of the stream, score the prediction, then learn it.

    The model predicts before it learns the example, and the prediction counts with the example's
    importance weight. A classifier that has learned nothing does not predict, and cannot predict a label
    that it does not know: both count as wrong, with and without a delay. regretless learners then count
    the loss that `validate_many` defines; for other classifiers a label without a probability has
    `1 / (k + 2)`, k being the number of labels that have one.

    Parameters
    ----------
    model : a learner of regretless, of River (`predict_one`, `learn_one`), or of scikit-learn
        (`predict`, `partial_fit`). The loss reported is the learner's own; for River and
        scikit-learn it is the log loss of a classifier and the squared error of a regressor.
        scikit-learn learners learn and predict 256 examples at a time, and the first batch is not
        scored. It must have all labels: examples of other labels count as wrong and are not learned.
        The model may also be a function of `x`, which learns nothing and returns a number, the
        probability of True for labels True and False, or a dict from labels to probabilities.
    stream : from `streams.read`, or anything that yields `(x, y)` or `(x, y, w)`. Weights other than
        0 and 1 need a learner that takes them.
    delay : the number of further examples that are predicted before a label becomes known.
    certify : a norm, or several: an `Audit` takes the same examples with the scores of the model, and
        proves a lower bound on the mean loss of all linear models of each norm, in units of each
        feature. The report has the bounds. An `Audit` made by hand may be given, too.

    Returns a `Report`, which is a `Run`. It is about the examples of this stream only, even if the model
    had learned others before.

    A classifier takes whole numbers as labels. Numbers that are not whole, with more than 20 values
    among the first 1,000, are targets: for a classifier they are a `ValueError`.

    >>> from regretless import streams
    >>> from regretless.linear import LinearClassifier
    >>> report = progressive(LinearClassifier(), streams.bundled("phishing"))
    >>> report.examples, report.auc > 0.9
    (1250, True)
    """
    whole(delay, "delay", 0)
    examples = stream if isinstance(stream, Stream) else IterableStream(stream)
    started = time.perf_counter()
    before = _certificate(model) if getattr(model, "examples_", 0) else None
    if isinstance(model, Learner):
        training = _in_pieces(model, _for(model, examples), delay, certify)
        scores = training.held_out if delay else training.validation
        audit, lost = training.audit, training.audited_loss
    else:
        scores, audited = _others(model, examples, delay, certify)
        audit = None if audited is None else audited.audit
        lost = None if audited is None else audited.loss(scores.loss)
    seconds = time.perf_counter() - started
    own = _of_stream(model, before, scores.loss)
    return scores.report(seconds, _name(model), own, audit, lost)


def _others(
    model: Any, examples: Stream, delay: int, certify: Any
) -> tuple[Validation, Auditing | None]:
    """The scores of a model of another library, and its audit."""
    if hasattr(model, "learn_one"):
        player = _Player(model, classifies(model))
        rounds = _for(model, examples).weighted()
    elif hasattr(model, "partial_fit") and not delay:
        from sklearn.base import is_classifier

        audited = auditing(certify, model, is_classifier(model))
        return _in_batches(model, _for(model, examples), audited), audited
    elif callable(model) and not isinstance(model, type) and not hasattr(model, "partial_fit"):
        player, rounds = _playing(model, examples.weighted())
    else:
        raise ValueError(
            f"model={model!r} "
            + ("learns in batches, which excludes delay" if delay else "has no learn_one")
            + "; give a learner of regretless, River or scikit-learn, or a function"
        )
    audited = auditing(certify, model, player.classifies)
    return _one_by_one(player, rounds, delay, audited), audited


def _for(model: Any, examples: Stream) -> Stream:
    """The stream for this model; for a classifier it refuses targets."""
    return WithoutTargets(examples) if _classifies(model) else examples


def _certificate(model: Any) -> Certificate | None:
    """The learner's certificate of all that it has learned; None if it has none."""
    if not isinstance(model, Learner) or not model.certifies:
        return None
    if model.certifies == "models" and not model._start().has_gradient_sum:
        return None
    certificate: Certificate = model.certificate()  # type: ignore[attr-defined]
    return certificate


def _of_stream(model: Any, before: Certificate | None, loss: float) -> Certificate | None:
    """The learner's certificate of predictions with this loss, on the examples since `before`."""
    found = _certificate(model)
    if not isinstance(found, LinearCertificate):
        return found if before is None else None
    later = found.since(before) if isinstance(before, LinearCertificate) else found
    return later.with_loss(loss)


# --- learners of this library ----------------------------------------------------------------------


def _in_pieces(model: Learner, stream: Stream, delay: int, certify: Any) -> Training:
    training = Training(model, certify)
    training._late = delay > 0
    if delay:
        for piece, asked in _late(stream, delay, model.form()):
            training.take(piece, asked)
    else:
        for piece in stream.ahead(model.form()):
            training.take(piece)
    training.certify()
    return training


def _late(stream: Stream, delay: int, form: Form) -> Iterator[tuple[Piece, Any]]:
    """Every example twice: to be predicted when it comes, and learned when its label is known."""
    left = delayed(stream.weighted(), delay)
    while some := list(islice(left, _PIECE)):
        (piece,) = IterableStream([example for example, _ in some]).pieces(form)
        yield piece, np.array([asked for _, asked in some])


# --- learners of other libraries -------------------------------------------------------------------


def _one_by_one(
    player: "_Player",
    rounds: Iterator[tuple[Any, Any, float]],
    delay: int,
    audited: Auditing | None,
) -> Validation:
    kind: Any = "binary" if player.classifies else "regression"
    scores = Validation(kind, () if audited is None else audited.norms)
    batch: list[tuple[float, float, float, float, bool]] = []

    def flush(certified: tuple[float, ...] | None = None) -> None:
        if scores.kind == "binary" and len(player.labels) > 2:
            scores.kind = "multiclass"
        losses, weights, wrong, p, positive = map(np.array, zip(*batch))
        some = (p, positive) if scores.kind == "binary" else ()
        scores.add(losses, weights, wrong, *some, certified=certified)
        batch.clear()

    checked = ((x, y, importance(w)) for x, y, w in rounds)
    for (x, y, w), asked in delayed(checked, delay):
        if not asked:
            player.learn(x, y, w)
            continue
        outcome, judged = player.score(x, y, w)
        batch.append(outcome)
        certified = None
        if audited is not None:
            audited.take_one(x, y, w, judged)
            certified = audited.at(scores.examples + len(batch))
        if len(batch) == 1024 or certified is not None:
            flush(certified)
    if batch:
        flush()
    if audited is not None and scores.examples:
        scores.certify(audited.bounds())
    return scores


class _Player:
    """A learner that gets one example after the other, and the scores of its predictions."""

    def __init__(self, model: Any, classifies: bool) -> None:
        self.model, self.classifies = model, classifies
        self.labels: set[Any] = set()  # of examples with a weight

    def score(
        self, x: Any, y: Any, w: float
    ) -> tuple[tuple[float, float, float, float, bool], Judged]:
        """The losses of a prediction, and the scores behind it.

        The former are the loss, the weight, whether the prediction was wrong (or its squared error),
        and for two labels the probability of the larger one (NaN if the learner does not know both) and
        whether that was the label.
        """
        if not self.classifies:
            prediction = float(self.model.predict_one(x) or 0.0)
            error = (prediction - y) ** 2
            return (error, w, error, math.nan, False), by_prediction(prediction)
        p = self.model.predict_proba_one(x)
        if w > 0:
            self.labels.add(y)
        likely = max(p, key=p.__getitem__) if p else None
        chance = min(max(p.get(y, 1.0 / (len(p) + 2)), 1e-15), 1.0)
        larger = max(p) if len(p) == 2 and y in p else None
        probability = math.nan if larger is None else min(max(float(p[larger]), 0.0), 1.0)
        outcome = -math.log(chance), w, float(likely != y), probability, bool(y == larger)
        return outcome, by_probabilities(chance, p)

    @cached_property
    def weighs(self) -> bool:
        """Whether the learner takes weights."""
        return takes_weights(self.model)

    def learn(self, x: Any, y: Any, w: float) -> None:
        """Learn an example that has a weight."""
        if w == 1.0 or (w > 0 and self.weighs):
            self.model.learn_one(x, y, **({} if w == 1.0 else {"w": w}))
        elif w > 0:
            raise _unweighted(self.model, "learn_one", w)


class _Function:
    """A function of `x` as a learner that learns nothing."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def predict_one(self, x: Any) -> Any:
        return self._function(x)

    def predict_proba_one(self, x: Any) -> Any:
        p = self._function(x)
        return p if isinstance(p, Mapping) else {False: 1.0 - p, True: p}

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn nothing."""


def _playing(function: Any, rounds: Iterator[Any]) -> tuple[_Player, Iterator[Any]]:
    """A function as a player; the first example tells whether it classifies."""
    classifies, first = False, list(islice(rounds, 1))
    for x, y, _ in first:
        given = function(x)
        classifies = isinstance(given, Mapping) or isinstance(y, (bool, np.bool_))
        if not isinstance(given, (Mapping, int, float, np.number)):
            raise ValueError(
                f"model={shown(function)} returned {shown(given)}; a function returns a number, or a "
                "dict from labels to probabilities"
            )
        if not isinstance(y, (bool, np.bool_, int, float, np.number)) and not classifies:
            raise ValueError(
                f"model={shown(function)} returned {shown(given)} where the label is {shown(y)}; return "
                "a dict from labels to probabilities"
            )
    return _Player(_Function(function), classifies), chain(first, rounds)


def _classifies(model: Any) -> bool:
    """Whether a learner of regretless, River or scikit-learn predicts labels."""
    if hasattr(model, "learn_one"):
        return classifies(model)
    has = hasattr(model, "classes_") or hasattr(model, "predict_proba")
    return has or getattr(model, "_estimator_type", "") == "classifier"


def _in_batches(model: Any, stream: Stream, audited: Auditing | None) -> Validation:
    """Validate a scikit-learn learner: each batch is predicted as a whole before it is learned.

    The first batch is only learned; names and labels that it does not have stay unknown.
    """
    from sklearn.base import is_classifier
    from sklearn.feature_extraction import DictVectorizer

    classifies, weighs = is_classifier(model), takes_weights(model)
    if classifies and not hasattr(model, "predict_proba"):
        raise ValueError(f"model={model!r} has no predict_proba, which the log loss needs")
    kind: Any = "binary" if classifies else "regression"
    scores = Validation(kind, () if audited is None else audited.norms)
    vectorizer, labels = DictVectorizer(), np.empty(0)

    def matrix(rows: list[Any]) -> Any:
        X = vectorizer.transform(rows)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # its limit
        return X

    examples = stream.weighted()
    while group := list(islice(examples, _BATCH)):
        targets, w = (
            np.array([y for _, y, _ in group]),
            np.array([importance(w) for *_, w in group]),
        )
        learned = w > 0
        if labels.size:
            judged, added = _judged(model, matrix([x for x, _, _ in group]), labels, targets, w)
            if classifies:
                learned &= np.isin(targets, labels)
                scores.kind = "multiclass" if len(labels) > 2 else "binary"
            certified = None
            if audited is not None:
                for (x, y, _), weight, each in zip(group, w.tolist(), judged):
                    audited.take_one(x, y, weight, each)
                certified = audited.at(scores.examples + len(group))
            scores.add(*added, certified=certified)
        elif learned.any():
            vectorizer.fit([x for x, _, w in group if w > 0])
            labels = np.unique(targets[learned])
        if not learned.any():
            continue
        options: dict[str, Any] = {"classes": labels} if classifies else {}
        if weighs:
            options["sample_weight"] = w[learned]
        elif (w[learned] != 1.0).any():
            raise _unweighted(model, "partial_fit", w[learned & (w != 1.0)][0])
        rows = [x for (x, _, _), there in zip(group, learned.tolist()) if there]
        model.partial_fit(matrix(rows), targets[learned], **options)
    if audited is not None and scores.examples:
        scores.certify(audited.bounds())
    return scores


def _judged(
    model: Any, X: Any, labels: Any, targets: Any, w: Any
) -> tuple[Iterator[Judged], tuple[Any, ...]]:
    """The scores of a batch, and the arguments of `Validation.add`; labels are in order."""
    if not hasattr(model, "predict_proba"):
        predicted = model.predict(X)
        error = (predicted - targets) ** 2
        return (by_prediction(float(each)) for each in predicted), (error, w, error)
    p = model.predict_proba(X)
    column = np.minimum(np.searchsorted(labels, targets), len(labels) - 1)
    known = labels[column] == targets
    chance = np.where(known, p[np.arange(len(p)), column], 1.0 / (len(labels) + 2))
    losses, wrong = -np.log(np.clip(chance, 1e-15, 1.0)), labels[p.argmax(axis=1)] != targets
    two = (np.where(known, p[:, 1], np.nan), targets == labels[1]) if len(labels) == 2 else ()
    names = labels.tolist()
    judged = (by_probabilities(c, dict(zip(names, each))) for c, each in zip(chance, p))
    return judged, (losses, w, wrong, *two)


def _unweighted(model: Any, method: str, w: float) -> ValueError:
    return ValueError(
        f"an example has weight {w}, but {type(model).__name__}.{method} takes no weights; give a "
        "stream without them, or another learner"
    )


def _name(model: Any) -> str:
    if isinstance(model, Learner):
        return " ".join(repr(model).split())
    return getattr(model, "__name__", None) or type(model).__name__
