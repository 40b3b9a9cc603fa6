"""Online boosters as the thesis prints them (3.2 to 3.5), one example and one vote at a time.

`learn(votes, y)` answers the weights of the voters; votes and y are -1 and 1.
"""

import math
from functools import cache

import numpy as np
from scipy.stats import binom

__all__ = [
    "BBM",
    "AdaBoostOL",
    "Link",
    "OSBoost",
    "OSBoostOCP",
    "nearest_in_simplex",
    "potential",
    "sides",
]


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

    def __init__(self, lanes):
        self.w, self.M, self.seen = np.zeros((lanes + 1, 3)), np.zeros((lanes + 1, 3, 3)), []
        self.w[0, 2] = 1.0  # those of all lanes come first

    def placed(self, inputs):
        size = np.sqrt(np.mean(np.square([*self.seen, inputs]), axis=0))
        return np.array(inputs) / [size[0] or 1.0, max(1.0, size[1] / 5), max(1.0, size[2] / 5)]

    def log_odds(self, lane, inputs):
        return float((self.w[0] + self.w[lane + 1]) @ self.placed(inputs))

    def learn(self, lane, inputs, y, h=1.0):
        x = self.placed(inputs)
        wrong = h / (1 + np.exp(y * self.log_odds(lane, inputs)))
        for k, ridge in ((0, 1.0), (lane + 1, 30.0)):
            self.M[k] = (1 - 1 / 2000) * self.M[k] + wrong / 2 * np.outer(x, x)
            self.w[k] += y * wrong * np.linalg.solve(ridge * np.eye(3) + self.M[k], x)
        self.seen.append(inputs)


def nearest_in_simplex(v):
    """By the level that is taken off, found by halving."""
    low, high = v.min() - 1, v.max()
    for _ in range(64):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(v - level, 0).sum() > 1 else (low, level)
    return np.maximum(v - (low + high) / 2, 0)
