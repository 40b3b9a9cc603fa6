"""Rosenblatt's Perceptron, in its primal and its dual form (survey D6; mohri 7 and 9)."""

import numpy as np

from reference.losses import CLASSIFICATION
from reference.oracle import Oracle

__all__ = ["DualPerceptron", "Perceptron"]


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
