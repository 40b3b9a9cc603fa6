"""Online boosters as the thesis prints them (3.2 to 3.5), one example and one vote at a time.

`learn(votes, y)` answers the weights of the voters; votes and y are -1 and 1.
"""

import math
from functools import cache

import numpy as np
from scipy.stats import binom

__all__ = ["BBM", "AdaBoostOL", "Link", "OSBoost", "OSBoostOCP", "nearest_in_simplex", "potential", "sides"]


def sides(margins, scores):
    """Who wins: the sign of the margin, or if that is 0 that of the sum of scores, 1 if it is 0, too."""
    tie = 1 if np.sum(scores) >= 0 else -1
    return np.where(margins == 0, tie, np.where(margins > 0, 1, -1))


@cache
def potential(n, p, i, s):
    """Phi_i(s): the chance that n - i voters, right with probability p, do not save the vote."""
    return float(binom.cdf(math.floor((n - i - s) / 2), n - i, p))


@cache
def largest(m, p):
    """Half of the largest Pr[Bin(m, p) = k]."""
    return max(binom.pmf(k, m, p) for k in range(m + 1)) / 2


class BBM:
    def __init__(self, n, p):
        self.n, self.p = n, p

    def label(self, votes):
        return 1 if sum(votes) >= 0 else -1

    def learn(self, votes, y):
        s, weights = 0, []
        for i in range(1, self.n + 1):
            w = (potential(self.n, self.p, i, s - 1) - potential(self.n, self.p, i, s + 1)) / 2
            weights.append(w / largest(self.n - i, self.p))
            s += y * votes[i - 1]
        return weights


class AdaBoostOL:
    def __init__(self, n):
        self.alpha, self.v, self.t = [0.0] * n, [1.0] * n, 0

    def scores(self, votes):
        """Of every expert."""
        return np.cumsum(np.array(self.alpha) * votes)

    def learn(self, votes, y, h=1.0):
        self.t += 1
        labels = sides(self.scores(votes), votes)
        s, weights = 0.0, []
        for i in range(len(votes)):
            z = y * votes[i]
            weights.append(1 / (1 + math.exp(s)))
            s = s + self.alpha[i] * z
            self.alpha[i] += h * 4 / math.sqrt(self.t) * z / (1 + math.exp(s))
            self.alpha[i] = max(-2.0, min(2.0, self.alpha[i]))
            self.v[i] *= math.exp(-h * (labels[i] != y))
        return weights


class OSBoost:
    def __init__(self, n, edge):
        self.n, self.edge, self.theta = n, edge, edge / (2 + edge)

    def label(self, votes):
        return 1 if sum(votes) >= 0 else -1

    def learn(self, votes, y, h=1.0):
        return [
            min(1.0, (1 - self.edge) ** ((y * sum(votes[:i]) - i * self.theta) / 2))
            for i in range(self.n)
        ]


class OSBoostOCP(OSBoost):
    def __init__(self, n, edge):
        super().__init__(n, edge)
        self.alpha, self.t = np.full(n, 1 / n), 0

    def label(self, votes):
        return 1 if self.alpha @ votes >= 0 else -1

    def learn(self, votes, y, h=1.0):
        self.t += 1
        if y * (self.alpha @ votes) < self.theta:
            moved = self.alpha + h * y * np.asarray(votes) / math.sqrt(self.n * self.t)
            self.alpha = nearest_in_simplex(moved)
        return super().learn(votes, y)


class Link:
    """The log-odds by the margin, the mean score and the first score: weights by Newton's method."""

    def __init__(self):
        self.w, self.M, self.seen = np.array([0.0, 0.0, 1.0]), np.zeros((3, 3)), []

    def placed(self, inputs):
        size = np.sqrt(np.mean(np.square([*self.seen, inputs]), axis=0))
        unit = np.array([size[0] or 1.0, max(1.0, size[1] / 5), max(1.0, size[2] / 5)])
        return np.array(inputs) / unit

    def log_odds(self, inputs):
        return float(self.w @ self.placed(inputs))

    def learn(self, inputs, y, h=1.0):
        x = self.placed(inputs)
        wrong = h / (1 + np.exp(y * self.w @ x))
        self.M = (1 - 1 / 2000) * self.M + wrong / 2 * np.outer(x, x)
        self.w = self.w + y * wrong * np.linalg.solve(np.eye(3) + self.M, x)
        self.seen.append(inputs)


def nearest_in_simplex(v):
    """By the level that is taken off, found by halving."""
    low, high = v.min() - 1, v.max()
    for _ in range(64):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(v - level, 0).sum() > 1 else (low, level)
    return np.maximum(v - (low + high) / 2, 0)
