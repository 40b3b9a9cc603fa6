"""Winnow with a threshold (Shalev-Shwartz (2012), Theorem 3.10) and normalised.

Mohri et al. (2018), section 8.3.2.
"""

import numpy as np

__all__ = ["NormalizedWinnow", "Winnow"]


class Winnow:
    """`w = 1/d`; on a mistake of `2 <w, x> - 1`: `w_i <- w_i e^{2 eta y x_i}`.

    Without a `dimension`, d is the number of features seen, those of this round among them, and all
    weights are scaled to it. `sign = -1` is the update as it was printed.
    """

    def __init__(self, size, eta=0.25, dimension=None, sign=1.0):
        self.eta, self.dimension, self.sign = eta, dimension, sign
        self.grown = np.ones(size)  # d w
        self.seen = np.zeros(size, bool)
        self.mistakes = []
        self.rounds = 0
        self.suffered = 0.0

    def weights(self, x):
        seen = self.seen | (x != 0)
        return self.grown / (self.dimension or max(1, seen.sum()))

    def predict(self, x):
        return float(2 * self.weights(x) @ x - 1)

    def learn(self, x, y, h=1.0):
        if h == 0.0:
            return
        self.seen = self.seen | (x != 0)
        s = self.predict(x)
        if y * s <= 0:
            self.mistakes.append(self.rounds)
            self.suffered += h * (1 - y * s)
            self.grown = self.grown * np.exp(self.sign * 2 * self.eta * h * y * x)
        self.rounds += 1


class NormalizedWinnow:
    """`w` in the simplex; on a mistake of `<w, x>`: `w_i <- w_i e^{eta y x_i} / Z`."""

    def __init__(self, size, eta):
        self.eta, self.w, self.mistakes, self.rounds = eta, np.full(size, 1.0 / size), [], 0

    def predict(self, x):
        return float(self.w @ x)

    def learn(self, x, y):
        if y * self.predict(x) <= 0:
            self.mistakes.append(self.rounds)
            w = self.w * np.exp(self.eta * y * x)
            self.w = w / w.sum()
        self.rounds += 1
