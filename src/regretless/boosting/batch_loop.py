"""The loop of batch boosting: weights, a hypothesis, the next weights (Luo (2016), section 2.2)."""

import copy
import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from regretless.arguments import shown
from regretless.boosting.columns import Columns
from regretless.boosting.stump_search import Array, FittedStump, StumpSearch

__all__ = ["Ensemble", "Weighing", "boost"]


class Weighing(Protocol):
    """How examples are weighted by whether the hypotheses so far were right."""

    @property
    def weights(self) -> Array:
        """A distribution over the examples."""

    @property
    def scale(self) -> float:
        """What is measured for the certificate."""

    def learn(self, agrees: Any, right: float, wrong: float) -> float:
        """Which examples a hypothesis got right, of which weights; its vote."""


@dataclass
class Ensemble:
    """Hypotheses of -1 and 1 with their votes, and what was seen on the way.

    `edges`, `errors` of the vote and `zero_weights` after each round; `margins` of the training
    examples, whose shares are `prior`; `scale`, see `Weighing`.
    """

    prior: Array
    hypotheses: list[Any] = field(default_factory=list)
    alphas: Array = field(default_factory=lambda: np.empty(0))
    edges: Array = field(default_factory=lambda: np.empty(0))
    errors: Array = field(default_factory=lambda: np.empty(0))
    zero_weights: Array = field(default_factory=lambda: np.empty(0))
    margins: Array = field(default_factory=lambda: np.empty(0))
    scale: float = 0.0

    def score(self, X: Columns) -> Array:
        """The vote on each example, in [-1, 1]."""
        total = np.zeros(X.size)
        for hypothesis, alpha in zip(self.hypotheses, self.alphas):
            if alpha:
                total += alpha * hypothesis.votes(X)
        return np.clip(total / (np.abs(self.alphas).sum() or 1.0), -1.0, 1.0)


def boost(
    X: Columns, signs: Array, prior: Array, weighing: Weighing, *, weak: Any, rounds: int
) -> Ensemble:
    """Boost for so many rounds, or until a hypothesis has an infinite vote or none."""
    learner = StumpSearch(X, signs) if weak is None else _Other(weak, X, signs)
    made = Ensemble(prior)
    score = np.zeros(len(signs))
    alphas, edges, errors, zeros = (list[float]() for _ in range(4))
    for _ in range(rounds):
        p = weighing.weights
        hypothesis = learner.fit(p)
        votes = hypothesis.votes(X)
        agrees = votes == signs
        right, wrong = _share(p, agrees), _share(p, ~agrees)
        alpha = weighing.learn(agrees, right, wrong)
        if alpha == 0:
            break
        decides = math.isinf(alpha)
        if decides:  # beside it no other vote counts
            alphas, score = [0.0] * len(alphas), np.zeros(len(signs))
            alpha = math.copysign(1.0, alpha)
        score += alpha * votes
        made.hypotheses.append(hypothesis)
        alphas.append(alpha)
        edges.append((right - wrong) / 2)
        errors.append(_share(prior, (score >= 0) != (signs > 0)))
        zeros.append(np.count_nonzero(p == 0) / len(p))
        if decides:
            break
    made.alphas, made.edges, made.errors, made.zero_weights = map(
        np.array, (alphas, edges, errors, zeros)
    )
    made.margins = signs * score / (np.abs(made.alphas).sum() or 1.0)
    made.scale = weighing.scale
    return made


def _share(weights: Array, among: Any) -> float:
    return float((weights * among).sum())  # BLAS would wait for its threads


class _Other:
    """A scikit-learn classifier as the weak learner."""

    def __init__(self, weak: Any, X: Columns, signs: Array) -> None:
        if not hasattr(weak, "fit"):
            raise ValueError(f"weak={shown(weak)} has no method fit; None stands for stumps")
        self._weak, self._names, self._signs = weak, X.names, signs
        self._table = X.table(X.names)

    def fit(self, weights: Array) -> "_Hypothesis | FittedStump":
        active = np.flatnonzero(weights > 0)
        signs = self._signs[active]
        if (signs == signs[0]).all():  # which many classifiers refuse
            return FittedStump(None, 0.0, int(signs[0]), int(signs[0]))
        scaled = weights[active] * (len(active) / weights[active].sum())
        model = copy.deepcopy(self._weak)
        model.fit(self._table[active], signs.astype(int), sample_weight=scaled)
        return _Hypothesis(model, self._names)


@dataclass
class _Hypothesis:
    model: Any
    names: list[Any]

    def votes(self, X: Columns) -> Array:
        votes = np.asarray(self.model.predict(X.table(self.names)), np.float64)
        if votes.shape != (X.size,) or not np.isin(votes, (-1.0, 1.0)).all():
            raise ValueError(f"weak={self.model!r} does not predict the labels it was given")
        return votes
