"""`progressive`: any learner on any stream, each example predicted before it is learned."""

import math
import time
from collections import deque
from collections.abc import Iterable
from itertools import groupby, islice
from typing import Any

import numpy as np

from regretless.arguments import whole
from regretless.evaluate.report import Report
from regretless.evaluate.task import WithoutTargets, classifies
from regretless.evaluate.training import Training
from regretless.evaluate.validation import Validation
from regretless.linear.learner import LinearLearner
from regretless.streams.memory import IterableStream
from regretless.streams.stream import Stream

__all__ = ["progressive"]

_BATCH = 256


def progressive(
    model: Any, stream: Stream | Iterable[Any], *, delay: int = 0, norm: float | None = None
) -> Report:
    """Predict each example of the stream, score the prediction, then learn it.

    Parameters
    ----------
    model : a learner of regretless, of River (`predict_one`, `learn_one`), or of scikit-learn
        (`predict`, `partial_fit`). The loss reported is the learner's own; that of River's and
        scikit-learn's is the log loss of a classifier and the squared error of a regressor.
    stream : from `streams.read`, or anything that yields `(x, y)`.
    delay : a label becomes known only when so many further examples have been predicted.
    norm : certify the mean loss that no linear model of this norm can beat (regretless only).

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
    if isinstance(model, LinearLearner) and not delay:
        training = Training(model, norm)
        for piece in examples.ahead(model._form()):
            training.take(piece)
        training.certify()
        scores = training.validation
    elif hasattr(model, "learn_one"):
        player = _Player(model, classifies(model))
        scores = _one_by_one(player, examples, delay)
    elif hasattr(model, "partial_fit") and not delay:
        scores = _in_batches(model, examples)
    else:
        raise ValueError(
            f"model={model!r} "
            + ("learns in batches, which knows no delay" if delay else "has no learn_one")
            + "; give a learner of regretless, River or scikit-learn"
        )
    certificate = None
    if isinstance(model, LinearLearner) and (model._model is None or model._model.has_gradient_sum):
        certificate = model.certificate()
    return scores.report(time.perf_counter() - started, _name(model), certificate)


def _one_by_one(player: "_Player", stream: Stream, delay: int) -> Validation:
    scores = Validation("binary" if player.classifies else "regression")
    waiting: deque[tuple[Any, Any]] = deque()
    batch: list[tuple[float, float, float | None, bool | None]] = []

    def flush() -> None:
        if scores.kind == "binary" and len(player.labels) > 2:
            scores.kind = "multiclass"
        # probabilities begin with the second label
        for known, part in groupby(batch, lambda one: one[2] is not None):
            losses, wrong, p, positive = map(np.array, zip(*part))
            if known and scores.kind == "binary":
                scores.add(losses, None, wrong, p, positive)
            else:
                scores.add(losses, None, wrong)
        batch.clear()

    for x, y in stream:
        batch.append(player.score(x, y))
        if len(batch) == 1024:
            flush()
        waiting.append((x, y))
        if len(waiting) > delay:
            player.model.learn_one(*waiting.popleft())
    for x, y in waiting:
        player.model.learn_one(x, y)
    flush()
    return scores


class _Player:
    """A learner that is given one example after the other, and what its predictions are worth."""

    def __init__(self, model: Any, classifies: bool) -> None:
        self.model, self.classifies = model, classifies
        self.labels: list[Any] = []

    def score(self, x: Any, y: Any) -> tuple[float, float, float | None, bool | None]:
        """Loss, whether the prediction was wrong (or its squared error), probability, positive."""
        if not self.classifies:
            error = (float(self.model.predict_one(x) or 0.0) - y) ** 2
            return error, error, None, None
        p = self.model.predict_proba_one(x)
        if y not in self.labels:
            self.labels.append(y)
        # a label that was never seen shares what is left with others that were not
        likely = max(p, key=p.__getitem__) if p else None
        chance = min(max(p.get(y, 1.0 / (len(p) + 2)), 1e-15), 1.0)
        positive = max(self.labels) if len(self.labels) == 2 else None
        return (
            -math.log(chance),
            float(likely != y),
            None if positive is None else float(p.get(positive, 0.5)),
            None if positive is None else y == positive,
        )


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
    from sklearn.feature_extraction import DictVectorizer

    classifies = _classifies(model)
    scores = Validation("binary" if classifies else "regression")
    vectorizer, labels = DictVectorizer(), np.empty(0)

    def matrix(rows: list[Any]) -> Any:
        X = vectorizer.transform(rows)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # all it takes
        return X

    examples = iter(stream)
    while group := list(islice(examples, _BATCH)):
        rows, targets = [x for x, _ in group], np.array([y for _, y in group])
        if not labels.size:
            vectorizer.fit(rows)
            labels = np.unique(targets)
        else:
            X = matrix(rows)
            if not classifies:
                error = (model.predict(X) - targets) ** 2
                scores.add(error, None, error)
            else:
                if len(labels) > 2:
                    scores.kind = "multiclass"
                p = model.predict_proba(X)
                chance = p[np.arange(len(p)), np.searchsorted(labels, targets)]
                losses = -np.log(np.clip(chance, 1e-15, 1.0))
                wrong = labels[p.argmax(axis=1)] != targets
                if len(labels) == 2:
                    scores.add(losses, None, wrong, p[:, 1], targets == labels[1])
                else:
                    scores.add(losses, None, wrong)
        options = {"classes": labels} if classifies else {}
        model.partial_fit(matrix(rows), targets, **options)
    return scores


def _name(model: Any) -> str:
    return (
        " ".join(repr(model).split()) if isinstance(model, LinearLearner) else type(model).__name__
    )
