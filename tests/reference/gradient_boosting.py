"""Online gradient boosting and its weak learners as the thesis and the docstrings write them."""

import math
from itertools import pairwise

import numpy as np

__all__ = ["DecisionStump", "HedgeOf", "Hull", "NeuralNet", "Span", "Stump", "drawn"]


class Hull:
    """Algorithm 10 of `scale` times what `weak` predict, which have predict(x) and learn(x, slope)."""

    def __init__(self, weak, derivative, L, scale=1.0):
        self.weak, self.derivative, self.L, self.scale = weak, derivative, L, scale

    def predict(self, x):
        self.votes = [a.predict(x) for a in self.weak]
        self.y = [0.0]
        for i, v in enumerate(self.votes, 1):
            eta = 2 / (i + 1)
            self.y.append((1 - eta) * self.y[-1] + eta * self.scale * v)
        return self.y[-1]

    def learn(self, x, target):
        self.predict(x)
        for i, a in enumerate(self.weak, 1):
            a.learn(x, self.derivative(self.y[i - 1], target) / self.L)


class Span:
    """Algorithm 9 with the scale of Corollary 4."""

    def __init__(self, weak, derivative, L, eta, B, scale=1.0):
        self.weak, self.derivative, self.L = weak, derivative, L
        self.eta, self.B, self.scale = eta, B, scale
        self.sigma = np.zeros(len(weak))
        self.t = 0

    def predict(self, x):
        self.votes = [a.predict(x) for a in self.weak]
        self.y = [0.0]
        for sigma, v in zip(self.sigma, self.votes):
            moved = (1 - sigma * self.eta) * self.y[-1] + self.eta * self.scale * v
            self.y.append(min(max(moved, -self.B), self.B))
        return self.y[-1]

    def learn(self, x, target):
        self.predict(x)
        self.t += 1
        for i, a in enumerate(self.weak):
            g = self.derivative(self.y[i], target)
            a.learn(x, g / self.L)
            moved = self.sigma[i] + g * self.y[i] / (self.L * self.B * math.sqrt(self.t))
            self.sigma[i] = min(max(moved, 0.0), 1.0)


class HedgeOf:
    """The weak learner of the theorems: Hedge over finitely many functions and their negations.

    An example is the list of what the functions say of it; predictions are those of the mean.
    """

    def __init__(self, functions, T):
        self.rate = math.sqrt(8 * math.log(2 * functions) / T) / 2  # losses are in [-1, 1]
        self.total = np.zeros(2 * functions)

    @staticmethod
    def both(x):
        return np.concatenate([x, -np.asarray(x)])

    def predict(self, x):
        w = np.exp(-self.rate * (self.total - self.total.min()))
        return float(w @ self.both(x) / w.sum())

    def learn(self, x, slope):
        self.total += slope * self.both(x)


class Stump:
    """Lines by feature; `derivative` and `value` of a task are functions of the prediction."""

    def __init__(self, d, bound=1.0, rate=1.0):
        self.d, self.D, self.rate = d, bound, rate
        self.line = np.zeros((d + 1, 2))  # w, b; the constant is the last
        self.range = np.zeros((d, 2))
        self.squares = np.zeros(d + 1)
        self.gain, self.seen = np.zeros(d), np.zeros(d)

    def z(self, f, x):
        low, high = self.range[f]
        return min(max((x - low) / ((high - low) / 2) - 1, -1), 1) if high > low else 0.0

    def at(self, f, x):
        return self.line[f] @ (self.z(f, x), 1.0)

    def chosen(self, x):
        ahead = [f for f in range(self.d) if x[f] and self.gain[f] > 0]
        return max(ahead, key=lambda f: self.gain[f] / self.seen[f], default=None)

    def predict(self, x):
        f = self.chosen(x)
        return self.line[-1, 1] if f is None else self.at(f, x[f])

    def learn(self, x, slope, h=1.0):
        self.learn_task(x, lambda v: slope * v, lambda v: slope, h)

    def learn_task(self, x, value, derivative, h=1.0):
        constant = self.line[-1, 1]
        for f in np.flatnonzero(x):
            if self.seen[f] == 0:
                self.line[f, 1], self.range[f] = constant, x[f]
            v = self.at(f, x[f])
            self.gain[f] += h * (value(constant) - value(v))
            self.seen[f] += h
            self.range[f] = min(self.range[f, 0], x[f]), max(self.range[f, 1], x[f])
            self.step(f, self.z(f, x[f]), h * derivative(v))
        self.step(-1, 0.0, h * derivative(constant))

    def step(self, f, z, g):
        gradient = g * np.array([z, 1.0])
        self.squares[f] += gradient @ gradient
        if self.squares[f] > 0:
            eta = self.rate * math.sqrt(2) * self.D / math.sqrt(self.squares[f])
            self.line[f] = project(self.line[f] - eta * gradient, self.D)


def project(p, radius):
    """Onto the l1 ball, by trying its four edges."""
    if np.abs(p).sum() <= radius:
        return p
    corners = radius * np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]])
    found = []
    for a, b in pairwise(corners):
        s = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        found.append(a + s * (b - a))
    return min(found, key=lambda q: np.sum((q - p) ** 2))


class DecisionStump:
    """Counts for every feature, value and label, all kept."""

    def __init__(self, d, bound=1.0):
        self.d, self.D = d, bound
        self.seen = [[] for _ in range(d)]  # values with weights
        self.sides = []  # of every example, the side of every feature
        self.labels = []  # y h |g|

    def side(self, f, x):
        if x == 0:
            return 0
        values = np.array(self.seen[f] or [(0.0, 0.0)])
        return 1 if x * values[:, 1].sum() < values[:, 0] @ values[:, 1] else 2

    def balance(self, f):
        """The weight of label 1 less that of -1, by the side of f."""
        sides = np.array([s[f] for s in self.sides], int)
        return np.bincount(sides, self.labels, 3)

    def learn(self, x, slope, h=1.0):
        for f in np.flatnonzero(x):
            self.seen[f].append((x[f], h))
        self.sides.append([self.side(f, x[f]) for f in range(self.d)])
        self.labels.append(-slope * h)

    def predict(self, x):
        total = sum(self.labels)
        best, most = None, abs(total)
        for f in range(self.d):
            right = np.abs(self.balance(f)).sum()
            if right > most + 1e-9:
                best, most = f, right
        vote = total if best is None else self.balance(best)[self.side(best, x[best])]
        return -self.D if vote < 0 else self.D


def drawn(seed, round, place):
    """splitmix64, as the core draws."""
    mask = 2**64 - 1

    def mixed(z):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    first = mixed((seed * 0x9E3779B97F4A7C15 + round) & mask)
    return (mixed((first + place) & mask) >> 11) * 2.0**-53


class NeuralNet:
    """The network with its gradient by differences, not by formulas, if `numeric`."""

    def __init__(self, d, hidden, bound=1.0, rate=0.3, seed=0, numeric=False):
        self.D, self.rate, self.K, self.numeric = bound, rate, hidden, numeric
        self.scale = np.zeros(d)
        # b, then W by feature, then a and c
        first = [[drawn(seed, r, k) - 0.5 for k in range(hidden)] for r in range(d + 1)]
        self.weights = np.concatenate([np.ravel(first), np.zeros(hidden + 1)])
        self.unit = np.concatenate([np.ones((d + 1) * hidden), np.full(hidden + 1, bound)])
        self.squares = np.zeros_like(self.weights)

    def raw(self, x, weights):
        z = np.where(self.scale > 0, x / np.where(self.scale > 0, self.scale, 1), 0)
        first = weights[: -(self.K + 1)].reshape(-1, self.K)
        units = 1 / (1 + np.exp(-(first[0] + z @ first[1:])))
        return units @ weights[-(self.K + 1) : -1] + weights[-1], units, z

    def predict(self, x):
        return min(max(self.raw(x, self.weights)[0], -self.D), self.D)

    def gradient(self, x):
        """Of the raw output with respect to all weights."""
        if self.numeric:
            step = 1e-6 * np.eye(len(self.weights))
            return np.array(
                [
                    (self.raw(x, self.weights + s)[0] - self.raw(x, self.weights - s)[0]) / 2e-6
                    for s in step
                ]
            )
        _, units, z = self.raw(x, self.weights)
        back = self.weights[-(self.K + 1) : -1] * units * (1 - units)
        first = np.outer(np.concatenate([[1.0], z]), back)
        return np.concatenate([first.ravel(), units, [1.0]])

    def learn_task(self, x, derivative, h=1.0):
        self.scale = np.maximum(self.scale, np.abs(x))
        raw = self.raw(x, self.weights)[0]
        g = h * derivative(self.predict(x))
        if (raw > self.D and g < 0) or (raw < -self.D and g > 0) or g == 0:
            return
        full = g * self.gradient(x)
        self.squares += full**2
        self.weights -= np.where(
            self.squares > 0,
            self.unit * self.rate * full / np.sqrt(np.maximum(self.squares, 1e-300)),
            0,
        )

    def learn(self, x, slope, h=1.0):
        self.learn_task(x, lambda v: slope, h)
