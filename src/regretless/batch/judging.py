"""What a hypothesis is charged for an example."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless.arguments import shown
from regretless.batch.averages import relaned
from regretless.evaluate.task import classifies
from regretless.linear.labels import Labels
from regretless.linear.learner import LinearLearner
from regretless.rows import Parsed

__all__ = ["Judge", "Kept"]

Array = NDArray[np.float64]
Example = tuple[Any, Any]


class Kept:
    """Examples that many hypotheses are judged by; linear learners are shown all of them at once."""

    def __init__(self, learner: Any, examples: Sequence[Example]) -> None:
        self.examples = examples
        self.batch: Parsed | None = None
        if isinstance(learner, LinearLearner):
            form = learner._form()
            parsed = _core.Examples(form.bits, form.intercept, form.named)
            for x, _ in examples:
                parsed.add(x)
            self.batch = Parsed(parsed, 0, len(examples))


class Judge:
    """The loss of a hypothesis on an example, and whether it is convex in what is averaged.

    Of linear classifiers the scores are averaged, of others the probabilities, of regressors the
    numbers. `convex` is None for a function of the user's, of which it cannot be told.
    """

    def __init__(self, learner: Any, loss: Any, *, averaging: bool) -> None:
        self._linear = isinstance(learner, LinearLearner)
        self._labels = classifies(learner)
        self._loss = self._default(learner, averaging) if loss is None else loss
        self.convex: bool | None
        if callable(self._loss) and not isinstance(self._loss, losses.Loss):
            self.name, self.convex = getattr(self._loss, "__name__", repr(self._loss)), None
            self._charge: Callable[[Any, Any, Any], float] = self._by_function
            return
        self._loss = losses.get(self._loss)
        self.name = self._loss.name
        self._charge, self.convex = self._chosen(self._loss, learner)

    def __call__(self, hypothesis: Any, x: Any, y: Any) -> float:
        """The loss of what `hypothesis` says of `x` when `y` is the truth."""
        charged = self._charge(hypothesis, x, y)
        if not charged >= 0:
            raise ValueError(
                f"loss={self.name} is {charged} at y={shown(y)}: it must not be negative"
            )
        return charged

    def many(self, hypothesis: Any, kept: Kept, start: int = 0) -> Array:
        """The losses of a hypothesis on the examples from `start` on."""
        examples = kept.examples[start:]
        if isinstance(hypothesis, LinearLearner) and kept.batch is not None:
            told: Any = hypothesis
            batch = kept.batch[start:]
            if self._charge is _wrong:
                known = told._labels.labels
                said = told.predict(batch).tolist() if known else [None] * len(examples)
                return np.array([float(one != y) for one, (_, y) in zip(said, examples)])
            if not self._labels and isinstance(self._loss, losses.Loss):
                targets = np.array([y for _, y in examples], np.float64)
                return self._loss.value(told.predict(batch), targets)
        return np.array([self(hypothesis, x, y) for x, y in examples])

    def _default(self, learner: Any, averaging: bool) -> Any:
        if not self._labels:
            return "squared"
        if not averaging:
            return "zero_one"
        if not self._linear:
            return "absolute"
        own, _, _ = learner._parts()
        # the Perceptron's jumps at 0, and is the hinge loss where it is not 0
        return losses.Hinge() if isinstance(own, losses.Perceptron) else own

    def _chosen(
        self, loss: losses.Loss, learner: Any
    ) -> tuple[Callable[[Any, Any, Any], float], bool]:
        if not self._labels:
            if loss.classification:
                raise ValueError(
                    f"loss={loss.name!r} is for labels, but {shown(learner)} predicts numbers"
                )
            return self._by_number, True
        if isinstance(loss, losses.ZeroOne):
            return _wrong, False
        if isinstance(loss, losses.Absolute):
            return _missed, not self._linear  # linear in the probability, not convex in the score
        if self._linear and loss.classification:
            return self._by_score, not isinstance(loss, losses.Perceptron)
        if isinstance(loss, losses.Logistic):
            return _surprise, True
        allowed = "zero_one, absolute (1 - probability) or logistic"
        raise ValueError(
            f"loss={loss.name!r} needs scores, which {shown(learner)} has not: use {allowed}"
        )

    def _by_function(self, hypothesis: Any, x: Any, y: Any) -> float:
        return float(self._loss(hypothesis.predict_one(x), y))

    def _by_number(self, hypothesis: Any, x: Any, y: Any) -> float:
        # a learner that has seen nothing may say None
        return float(self._loss.value(float(hypothesis.predict_one(x) or 0.0), float(y)))

    def _by_score(self, hypothesis: Any, x: Any, y: Any) -> float:
        """As the learner charges itself: with three or more labels, the sum of all lanes."""
        labels: Labels = hypothesis._labels
        scores = np.atleast_1d(np.asarray(hypothesis.decision_one(x), np.float64))
        if y not in labels.index:
            labels = Labels(labels.labels)
            scores = relaned(scores, labels.lanes(labels.check(y)))
            labels.add(labels.check(y))
        targets = np.full(len(scores), -1.0)
        k = labels.index[y]
        if len(scores) > 1 or k == 1:  # two labels share a lane, which is about the second
            targets[k if len(scores) > 1 else 0] = 1.0
        return float(np.sum(self._loss.value(scores, targets)))


def _wrong(hypothesis: Any, x: Any, y: Any) -> float:
    return float(hypothesis.predict_one(x) != y)


def _missed(hypothesis: Any, x: Any, y: Any) -> float:
    """The probability given to other labels: the chance to be wrong when drawing a label by it."""
    return max(0.0, 1.0 - float(hypothesis.predict_proba_one(x).get(y, 0.0)))


def _surprise(hypothesis: Any, x: Any, y: Any) -> float:
    return -math.log(min(1.0, max(hypothesis.predict_proba_one(x).get(y, 0.0), 1e-15)))
