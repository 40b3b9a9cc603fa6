"""A run as arrays, and the best fixed weights in hindsight."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from reference.comparison import with_intercept
from reference.losses import Loss, hinge

__all__ = ["Trace", "best_in_ball", "record"]


@dataclass(frozen=True)
class Trace:
    """Rows (with the constant feature, if any), targets, importance weights and scores played."""

    loss: Loss
    X: np.ndarray
    y: np.ndarray
    h: np.ndarray
    scores: np.ndarray

    @property
    def gradients(self):
        """z_t at the weights played."""
        slopes = [self.loss.derivative(s, y) for s, y in zip(self.scores, self.y, strict=True)]
        return (self.h * slopes)[:, None] * self.X

    @property
    def linear(self):
        """The sum of <w_t, z_t>."""
        slopes = [self.loss.derivative(s, y) for s, y in zip(self.scores, self.y, strict=True)]
        return float(np.sum(self.h * slopes * self.scores))

    @property
    def losses(self):
        """What was suffered in every round."""
        values = [self.loss.value(s, y) for s, y in zip(self.scores, self.y, strict=True)]
        return self.h * np.array(values)

    @property
    def mistakes(self):
        """The rounds with y s <= 0."""
        return self.y * self.scores <= 0

    def of(self, u):
        """The loss of fixed weights; the conservative hinge's is the hinge on the rounds of M."""
        return self._each(self.X @ u)[0]

    def gradient_of(self, u):
        return self.X.T @ (self.h * self._each(self.X @ u)[1])

    def _each(self, scores):
        loss, h = self.loss, self.h
        if loss.name == "perceptron":
            loss, h = hinge(), h * self.mistakes
        pairs = list(zip(scores.tolist(), self.y.tolist(), strict=True))
        slopes = np.array([loss.derivative(s, y) for s, y in pairs])
        value = float(h @ np.array([loss.value(s, y) for s, y in pairs]))
        return value, slopes if self.loss.name != "perceptron" else slopes * self.mistakes

    def regret(self, u):
        return float(self.losses.sum()) - self.of(u)


def record(learner, loss, stream, adversary=None, watch=None):
    """Run a learner; an adversary answers each score with a target, `watch` sees it after a round."""
    rows, targets, scores = [], [], []
    for x, y, h in stream:
        s = learner.decision_one(x)
        target = y if adversary is None else adversary(s)
        learner.learn_one(x, target, h)
        if watch is not None:
            watch(learner)
        rows.append(with_intercept(x, learner.intercept))
        targets.append(target)
        scores.append(s)
    return Trace(loss, np.array(rows), np.array(targets), stream.h, np.array(scores))


def _into_ball(u, radius, ord):
    """The nearest point of the ball in the l1, l2 or l-infinity norm."""
    if ord == 2:
        return u * min(1.0, radius / max(np.linalg.norm(u), 1e-300))
    if ord == np.inf:
        return np.clip(u, -radius, radius)
    if np.abs(u).sum() <= radius:
        return u
    a = np.sort(np.abs(u))[::-1]
    excess = (np.cumsum(a) - radius) / np.arange(1, len(a) + 1)
    tau = excess[np.flatnonzero(a > excess)[-1]]
    return np.sign(u) * np.maximum(np.abs(u) - tau, 0.0)


def best_in_ball(value, gradient, dimension, radius, ord=2, steps=100, polish=250):
    """Weights of norm at most `radius` with a small loss: a feasible point, nearly the best."""
    u = best = np.zeros(dimension)
    least = value(u)
    for t in range(1, steps + 1):
        g = gradient(u)
        u = _into_ball(u - radius * g / (max(np.linalg.norm(g), 1e-300) * np.sqrt(t)), radius, ord)
        now = value(u)
        if now < least:
            best, least = u, now
    if polish:
        options = {"maxfev": polish}
        found = minimize(
            lambda v: value(_into_ball(v, radius, ord)), best, method="Powell", options=options
        )
        polished = _into_ball(found.x, radius, ord)
        best = polished if value(polished) < least else best
    assert np.linalg.norm(best, ord) <= radius * (1 + 1e-12)
    return best
