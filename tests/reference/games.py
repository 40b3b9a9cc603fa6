"""Self-play at a matrix game, written for reading: A[i, j] is what the row player loses."""

import numpy as np
from scipy.optimize import linprog


def value_by_linear_programme(A):
    """min v such that p'A <= v for a distribution p."""
    m, n = A.shape
    solved = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.hstack([A.T, -np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    assert solved.status == 0
    return solved.fun


def gap(A, p, q):
    """How much both players together could win by better strategies."""
    return (p @ A).max() - (A @ q).min()


def shares(weights):
    """Weights as a distribution, even if there are none."""
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))


class RegretMatchingPlus:
    """z <- [z + r]_+, p ~ [z + m]_+ with m = 0 or the last r."""

    def __init__(self, n, predictive=False):
        self.z, self.m, self.predictive = np.zeros(n), np.zeros(n), predictive
        self.surprises = 0.0

    @property
    def weights(self):
        return shares(np.maximum(self.z + self.m, 0.0))

    def update(self, losses):
        r = self.weights @ losses - losses
        self.surprises += ((r - self.m) ** 2).sum()
        self.z = np.maximum(self.z + r, 0.0)
        if self.predictive:
            self.m = r


class Hedge:
    """eta_t = sqrt(8 ln n / t)."""

    def __init__(self, n):
        self.total, self.t, self.log = np.zeros(n), 1, np.log(max(n, 2))

    @property
    def weights(self):
        eta = np.sqrt(8 * self.log / self.t)
        return shares(np.exp(-eta * (self.total - self.total.min())))

    def update(self, losses):
        self.total = self.total + losses
        self.t += 1


class OptimisticHedge:
    """eta_t = sqrt(8 ln n / (4 + sum of squared spans of l_t - l_{t-1}))."""

    def __init__(self, n):
        self.total, self.last, self.log = np.zeros(n), np.zeros(n), np.log(max(n, 2))
        self.spans = self.paid = 0.0

    @property
    def eta(self):
        return np.sqrt(8 * self.log / (4 + self.spans))

    @property
    def weights(self):
        score = self.total + self.last
        return shares(np.exp(-self.eta * (score - score.min())))

    def update(self, losses):
        span = np.ptp(losses - self.last) ** 2
        self.paid += self.eta * span / 8
        self.bound = self.log / self.eta + self.paid
        self.spans += span
        self.total, self.last = self.total + losses, losses


class AdaNormalHedge:
    """p ~ w(R, C) = (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2."""

    def __init__(self, n):
        self.R, self.C = np.zeros(n), np.zeros(n)

    @property
    def weights(self):
        def phi(R):
            return np.exp(np.maximum(R, 0.0) ** 2 / (3 * (self.C + 1)))

        return shares(phi(self.R + 1) - phi(self.R - 1))

    def update(self, losses):
        r = self.weights @ losses - losses
        self.R, self.C = self.R + r, self.C + np.abs(r)


def self_play(A, row, column, rounds, alternating, power):
    """Averages, last strategies, and the weighted regrets of both."""
    low, width = A.min(), np.ptp(A)
    m, n = A.shape
    P, Q, W, V, U = np.zeros(m), np.zeros(n), 0.0, 0.0, 0.0
    losses, gains = np.zeros(m), np.zeros(n)
    for t in range(1, rounds + 1):
        p, guess = row.weights, column.weights
        column.update((low + width - p @ A) / width)
        q = column.weights if alternating else guess
        row.update((A @ q - low) / width)
        w = float(t) ** power
        P, Q, W = P + w * p, Q + w * q, W + w
        V, U = V + w * p @ A @ q, U + w * p @ A @ guess
        losses, gains = losses + w * A @ q, gains + w * p @ A
    return {
        "average": (P / W, Q / W),
        "last": (p, q),
        "row_regret": (V - losses.min()) / W,
        "column_regret": (gains.max() - U) / W,
        "answered": (V - U) / W,
    }
