"""Online gradient descent: agile, lazy (dual averaging) and importance-aware.

Shalev-Shwartz (2012), Corollaries 2.7, 2.17.
"""

import math

import numpy as np

from reference.oracle import Oracle, shrink

__all__ = ["OGD", "InvariantOGD", "LazyOGD"]


def project(w, radius):
    """The nearest point of the l2 ball."""
    norm = np.linalg.norm(w)
    return w * (radius / norm) if norm > radius else w


class OGD(Oracle):
    """`w <- P(prox(w - eta_t z))`; `rate(t)` is `eta_t`."""

    def __init__(self, dimension, loss, rate, radius=math.inf, l1=0.0, l2=0.0):
        super().__init__(dimension, loss)
        self.rate, self.radius, self.l1, self.l2 = rate, radius, l1, l2
        self.w = np.zeros(dimension)

    def weights(self, x):
        return self.w

    def update(self, x, y, g, w):
        eta = self.rate(self.rounds)
        self.w = project(shrink(w - eta * g * x, eta * self.l1, eta * self.l2), self.radius)


class InvariantOGD(OGD):
    """The gradient step replaced by the gradient flow for the time `h`."""

    def play(self, x, y, h):
        self.h = h
        super().play(x, y, h)

    def update(self, x, y, g, w):
        eta, s = self.rate(self.rounds), float(w @ x)
        norm = float(x @ x)
        if norm > 0.0:
            w = w + self.loss.flow(s, y, eta * norm * self.h) / norm * x
        self.w = project(shrink(w, eta * self.l1, eta * self.l2), self.radius)


class LazyOGD(Oracle):
    """`w_t = P(S(theta_t, (t-1) l1) / (1 / eta_{t-1} + (t-1) l2))`, `eta_0 = eta_1`."""

    def __init__(self, dimension, loss, rate, radius=math.inf, l1=0.0, l2=0.0):
        super().__init__(dimension, loss)
        self.rate, self.radius, self.l1, self.l2 = rate, radius, l1, l2
        self.theta = np.zeros(dimension)

    def weights(self, x):
        past = self.rounds
        strength = 1.0 / self.rate(max(past, 1)) + past * self.l2
        return project(shrink(self.theta, past * self.l1, 0.0) / strength, self.radius)

    def update(self, x, y, g, w):
        self.theta = self.theta - g * x
