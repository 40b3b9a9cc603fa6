"""`progressive`: any learner on any stream, each example predicted before it is learned."""

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from regretless.arguments import importance, whole
from regretless.certificates import Certificate, LinearCertificate
from regretless.evaluate.report import Report
from regretless.evaluate.task import WithoutTargets, classifies
from regretless.evaluate.training import Training
from regretless.evaluate.validation import Validation
from regretless.foreign import takes_weights
from regretless.linear.learner import LinearLearner
from regretless.rows import Form
from regretless.streams.memory import IterableStream
from regretless.streams.stream import Piece, Stream

__all__ = ["progressive"]

_BATCH = 256
_PIECE = 4096


def progressive(
    model: Any, stream: Stream | Iterable[Any], *, delay: int = 0, norm: float | None = None
) -> Report:
    """Predict each example of the stream, score the prediction, then learn it.

    A prediction is what the model says before it learns the example, and counts with the example's
    importance weight. Before anything was learned a classifier predicts nothing, and a label that it
    does not know yet cannot be predicted: both are wrong, with and without a delay. Our learners then
    count the loss that `validate_many` defines; of others, whose probabilities are asked for, a label
    without one has `1 / (k + 2)`, k being the number of labels that have one.

    Parameters
    ----------
    model : a learner of regretless, of River (`predict_one`, `learn_one`), or of scikit-learn
        (`predict`, `partial_fit`). The loss reported is the learner's own; that of River's and
        scikit-learn's is the log loss of a classifier and the squared error of a regressor.
        scikit-learn's learn and predict 256 examples at a time, and the first of these batches is
        not scored. They must know all labels then: examples of others are wrong, and not learned.
    stream : from `streams.read`, or anything that yields `(x, y)` or `(x, y, w)`. Weights other than
        0 and 1 need a learner that takes them.
    delay : a label becomes known only when so many further examples have been predicted.
    norm : certify the mean loss that no linear model of this norm can beat (regretless only).

    Returns a `Report`, which is a `Run`. It is about the examples of this stream, also if the model had
    learned others before.

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
    if _classifies(model):
        examples = WithoutTargets(examples)
    started = time.perf_counter()
    before = _certificate(model) if getattr(model, "examples_", 0) else None
    if isinstance(model, LinearLearner):
        scores = _in_pieces(model, examples, delay, norm)
    elif hasattr(model, "learn_one"):
        scores = _one_by_one(_Player(model, classifies(model)), examples, delay)
    elif hasattr(model, "partial_fit") and not delay:
        scores = _in_batches(model, examples)
    else:
        raise ValueError(
            f"model={model!r} "
            + ("learns in batches, which knows no delay" if delay else "has no learn_one")
            + "; give a learner of regretless, River or scikit-learn"
        )
    seconds = time.perf_counter() - started
    return scores.report(seconds, _name(model), _of_stream(model, before, scores.loss), norm)


def _certificate(model: Any) -> Certificate | None:
    """What a learner certifies of all that it has learned; None if it does not."""
    if not isinstance(model, LinearLearner) or not model._certifies:
        return None
    if model._certifies == "models" and not (model._model or model._start()).has_gradient_sum:
        return None
    return model.certificate()


def _of_stream(model: Any, before: Certificate | None, loss: float) -> Certificate | None:
    """What a learner certifies of predictions with so much loss, on what it learned since `before`."""
    found = _certificate(model)
    if not isinstance(found, LinearCertificate):
        return found if before is None else None
    later = found.since(before) if isinstance(before, LinearCertificate) else found
    return later.with_loss(loss)


# --- our learners ----------------------------------------------------------------------------------


def _in_pieces(model: LinearLearner, stream: Stream, delay: int, norm: float | None) -> Validation:
    training = Training(model, norm)
    if not delay:
        for piece in stream.ahead(model._form()):
            training.take(piece)
        training.certify()
        return training.validation
    for piece, asked in _late(stream, delay, model._form()):
        training.take(piece, asked)
    if norm is not None and training.held_out.examples:
        training.held_out.certify(training.best_possible())
    return training.held_out


def _late(stream: Stream, delay: int, form: Form) -> Iterator[tuple[Piece, Any]]:
    """Every example twice: to be asked when it comes, and to be learned when its label is known."""

    def rounds() -> Iterator[tuple[Any, bool]]:
        waiting: deque[Any] = deque()
        for example in stream.weighted():
            yield example, True
            waiting.append(example)
            if len(waiting) > delay:
                yield waiting.popleft(), False
        for example in waiting:
            yield example, False

    left = rounds()
    while some := list(islice(left, _PIECE)):
        (piece,) = IterableStream([example for example, _ in some]).pieces(form)
        yield piece, np.array([asked for _, asked in some])


# --- those of others -------------------------------------------------------------------------------


def _one_by_one(player: "_Player", stream: Stream, delay: int) -> Validation:
    scores = Validation("binary" if player.classifies else "regression")
    waiting: deque[tuple[Any, Any, float]] = deque()
    batch: list[tuple[float, float, float, float, bool]] = []

    def flush() -> None:
        if scores.kind == "binary" and len(player.labels) > 2:
            scores.kind = "multiclass"
        losses, weights, wrong, p, positive = map(np.array, zip(*batch))
        some = (p, positive) if scores.kind == "binary" else ()
        scores.add(losses, weights, wrong, *some)
        batch.clear()

    for x, y, given in stream.weighted():
        w = importance(given)
        batch.append(player.score(x, y, w))
        if len(batch) == 1024:
            flush()
        waiting.append((x, y, w))
        if len(waiting) > delay:
            player.learn(*waiting.popleft())
    for example in waiting:
        player.learn(*example)
    if batch:
        flush()
    return scores


class _Player:
    """A learner that is given one example after the other, and what its predictions are worth."""

    def __init__(self, model: Any, classifies: bool) -> None:
        self.model, self.classifies = model, classifies
        self.labels: set[Any] = set()  # of examples with a weight

    def score(self, x: Any, y: Any, w: float) -> tuple[float, float, float, float, bool]:
        """Loss, weight, whether the prediction was wrong (or its squared error), and of two labels the
        probability of the larger, NaN if the learner does not know both, and whether it is the one.
        """
        if not self.classifies:
            error = (float(self.model.predict_one(x) or 0.0) - y) ** 2
            return error, w, error, math.nan, False
        p = self.model.predict_proba_one(x)
        if w > 0:
            self.labels.add(y)
        likely = max(p, key=p.__getitem__) if p else None
        chance = min(max(p.get(y, 1.0 / (len(p) + 2)), 1e-15), 1.0)
        larger = max(p) if len(p) == 2 and y in p else None
        probability = math.nan if larger is None else min(max(float(p[larger]), 0.0), 1.0)
        return -math.log(chance), w, float(likely != y), probability, bool(y == larger)

    @cached_property
    def weighs(self) -> bool:
        """Whether it takes weights."""
        return takes_weights(self.model)

    def learn(self, x: Any, y: Any, w: float) -> None:
        """Learn an example that has a weight."""
        if w == 1.0 or (w > 0 and self.weighs):
            self.model.learn_one(x, y, **({} if w == 1.0 else {"w": w}))
        elif w > 0:
            raise _unweighted(self.model, "learn_one", w)


def _classifies(model: Any) -> bool:
    """Whether a learner of ours, River or scikit-learn predicts labels."""
    if hasattr(model, "learn_one"):
        return classifies(model)
    has = hasattr(model, "classes_") or hasattr(model, "predict_proba")
    return has or getattr(model, "_estimator_type", "") == "classifier"


def _in_batches(model: Any, stream: Stream) -> Validation:
    """scikit-learn's learners: each batch is predicted as a whole before any of it is learned.

    The first batch is only learned; names and labels that it does not hold are not known later.
    """
    from sklearn.base import is_classifier
    from sklearn.feature_extraction import DictVectorizer

    classifies, weighs = is_classifier(model), takes_weights(model)
    if classifies and not hasattr(model, "predict_proba"):
        raise ValueError(f"model={model!r} has no predict_proba, which its log loss is made of")
    scores = Validation("binary" if classifies else "regression")
    vectorizer, labels = DictVectorizer(), np.empty(0)

    def matrix(rows: list[Any]) -> Any:
        X = vectorizer.transform(rows)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # all it takes
        return X

    examples = stream.weighted()
    while group := list(islice(examples, _BATCH)):
        targets, w = (
            np.array([y for _, y, _ in group]),
            np.array([importance(w) for *_, w in group]),
        )
        learned = w > 0
        if labels.size:
            X = matrix([x for x, _, _ in group])
            if not classifies:
                error = (model.predict(X) - targets) ** 2
                scores.add(error, w, error)
            else:
                if len(labels) > 2:
                    scores.kind = "multiclass"
                _score(scores, model.predict_proba(X), labels, targets, w)
                learned &= np.isin(targets, labels)
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
    return scores


def _score(scores: Validation, p: Any, labels: Any, targets: Any, w: Any) -> None:
    """Add predicted probabilities, a column for each of the labels, all of which are in order."""
    column = np.minimum(np.searchsorted(labels, targets), len(labels) - 1)
    known = labels[column] == targets
    chance = np.where(known, p[np.arange(len(p)), column], 1.0 / (len(labels) + 2))
    losses, wrong = -np.log(np.clip(chance, 1e-15, 1.0)), labels[p.argmax(axis=1)] != targets
    if len(labels) == 2:
        some = np.where(known, p[:, 1], np.nan), targets == labels[1]
        scores.add(losses, w, wrong, *some)
    else:
        scores.add(losses, w, wrong)


def _unweighted(model: Any, method: str, w: float) -> ValueError:
    return ValueError(
        f"an example has weight {w}, but {type(model).__name__}.{method} takes no weights; give a "
        "stream without them, or another learner"
    )


def _name(model: Any) -> str:
    return (
        " ".join(repr(model).split()) if isinstance(model, LinearLearner) else type(model).__name__
    )
