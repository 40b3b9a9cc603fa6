"""The base of all regressors, whose targets and predictions are numbers."""

from typing import Any, ClassVar, Self

import numpy as np

from regretless._core import Want
from regretless.base import rows
from regretless.base.arguments import Array, number, numbers
from regretless.base.learner import Learner, Outcome, weight_array
from regretless.base.threads import in_core


class Regressor(Learner):
    """A learner that predicts a number."""

    classifies: ClassVar[bool] = False

    @in_core
    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Learn from one example: features `x`, target `y`, importance `w >= 0` (0 skips it)."""
        if type(y) is not float:
            y = number(y, "y")
        if type(w) is not float:
            w = number(w, "w")
        core: Any = self._model or self._start()
        core.learn_target(x if isinstance(x, dict) else rows.row(x), y, w)

    def step(self, x: Any, y: float, w: float = 1.0) -> float:
        """Predict and learn in one pass over the row; returns the prediction from before learning."""
        core: Any = self._model or self._start()
        score: float = core.step_target(
            x if isinstance(x, dict) else rows.row(x), number(y, "y"), number(w, "w")
        )
        return score

    @in_core
    def decision_one(self, x: Any) -> float:
        """The raw score, which is the prediction."""
        score: float = (self._model or self._start()).score(
            x if isinstance(x, dict) else rows.row(x)
        )
        return score

    predict_one = decision_one

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of `X` one after the other, exactly as `learn_one` would."""
        self._learn(X, y, w, want_scores=False)

    def validate_many(self, X: Any, y: Any, w: Any = None) -> list[Outcome]:
        """Predict each row, then learn it, as `step` does; returns losses and errors."""
        return self._validated(X, y, w)

    def _validated(self, X: Any, y: Any, w: Any, scores: bool = True) -> list[Outcome]:
        """As `validate_many`; the scores are the predictions, which need no extra work."""
        targets, (predicted, losses) = self._learn(X, y, w, want_scores=True)
        told = predicted.reshape(-1, 1) if scores else None
        return [Outcome(losses, (predicted - targets) ** 2, scores=told)]

    def _learn(self, X: Any, y: Any, w: Any, want_scores: bool) -> tuple[Array, Any]:
        batch = rows.batch(X)
        targets = np.ascontiguousarray(numbers(y, "y", "a list of numbers"))
        if targets.shape != (batch.size,):
            raise ValueError(f"X has {batch.size} rows, y has shape {targets.shape}")
        want = Want.scores if want_scores else Want.nothing
        return targets, self._feed(batch, targets, weight_array(w), want)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a batch."""
        self.learn_many(X, y, sample_weight)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn `X` in one pass."""
        fresh = Learner.clone(self)  # a failure keeps what was learned before
        fresh.partial_fit(X, y, sample_weight)
        self._take(fresh._model)
        self._schema = fresh._schema
        return self

    def predict(self, X: Any) -> Array:
        """The prediction for each row."""
        return self._batch_scores(X)[:, 0]
