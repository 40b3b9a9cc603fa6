"""Rosenblatt's Perceptron: primal, dual, averaged, voted, with a margin.

Shalev-Shwartz (2012), Theorem 3.9; Mohri et al. (2018), section 8.3.1-9, 15.
"""

import numpy as np

from reference.losses import CLASSIFICATION
from reference.oracle import Oracle

__all__ = [
    "AveragedPerceptron",
    "DualPerceptron",
    "MarginPerceptron",
    "Perceptron",
    "VotedPerceptron",
]


class Perceptron(Oracle):
    """`if y <w, x> <= 0: w <- w + rate y x`."""

    def __init__(self, dimension, loss=CLASSIFICATION["perceptron"], rate=1.0):
        super().__init__(dimension, loss)
        self.rate = rate
        self.w = np.zeros(dimension)
        self.updates = []  # rounds of M, from 0

    def weights(self, x):
        return self.w

    def update(self, x, y, g, w):
        if g != 0.0:
            self.updates.append(self.rounds - 1)
        self.w = w - self.rate * g * x


class DualPerceptron:
    """The same from inner products alone: the score is the sum of `y_s <x_s, x>` over the mistakes."""

    def __init__(self):
        self.mistaken = []

    def predict(self, x):
        return float(sum(y * (past @ x) for past, y in self.mistaken))

    def learn(self, x, y):
        if y * self.predict(x) <= 0:
            self.mistaken.append((x, y))


class AveragedPerceptron(Perceptron):
    """Keeps every vector: `played` are w_1 .. w_T, `distinct` those after each update.

    Mohri et al. (2018), section 8.3.1.
    """

    def __init__(self, dimension, loss=CLASSIFICATION["perceptron"], rate=1.0, average="survival"):
        super().__init__(dimension, loss, rate)
        self.average, self.played, self.distinct = average, [], []

    def weights(self, x):
        vectors = self.played if self.average == "survival" else self.distinct
        return np.mean(vectors, axis=0) if vectors else np.zeros_like(self.w)

    def play(self, x, y, h):
        s = float(self.w @ x)
        g = h * self.loss.derivative(s, y)
        self.suffered += h * self.loss.value(s, y)
        self.rounds += 1
        self.played.append(self.w)
        self.update(x, y, g, self.w)
        if g != 0.0:
            self.distinct.append(self.w)


class VotedPerceptron(AveragedPerceptron):
    """`sum_k c_k sign(<u_k, x>) / sum_k c_k` over all vectors but the first, 0 (Freund & Schapire)."""

    def predict(self, x):
        vectors = [*self.played[1:], self.w] if self.played else []  # one per round, after it
        vectors = vectors[self.updates[0] :] if self.updates else []
        return float(np.mean([np.sign(u @ x) for u in vectors])) if vectors else 0.0


class MarginPerceptron(Perceptron):
    """`if w = 0 or y <w, x> / ||w|| < rho / 2: w <- w + y x`.

    Mohri et al. (2018), Exercise 8.6.
    """

    def __init__(self, dimension, loss=CLASSIFICATION["perceptron"], margin=1.0):
        super().__init__(dimension, loss)
        self.margin = margin

    def play(self, x, y, h):
        self.h = h
        super().play(x, y, h)

    def update(self, x, y, g, w):
        norm = np.sqrt(w @ w)
        if norm == 0.0 or y * (w @ x) < self.margin / 2 * norm:
            self.updates.append(self.rounds - 1)
            self.w = w + self.h * y * x
