"""Auto as written down: lanes of AdaGrad and coin betting, a blend, and their mixture. For reading."""

import math

import numpy as np
from scipy.optimize import brentq

from regretless.losses import Logistic, Squared


def flow(loss, s, y, h, n):
    """The coefficient of the step: how far ds/dh = -n l'(s) leads in the time h, over n."""
    if n == 0:
        return 0.0
    if isinstance(loss, Logistic):  # m + e^m grows by n h
        m = s * y
        after = brentq(lambda x: x - m + math.exp(x) - math.exp(m) - n * h, m, m + n * h + 1e-300)
        return -y * (after - m) / n
    if isinstance(loss, Squared):
        return (s - y) * (1 - math.exp(-2 * n * h)) / n
    slope = loss.derivative(s, y)  # constant, until the loss is 0
    left = loss.value(s, y) / abs(slope) if slope else 0.0
    return math.copysign(min(n * h * abs(slope), left), slope) / n


class GridLane:
    """AdaGrad with a rate of its own, scale-invariant or not, with an l2 penalty or not."""

    def __init__(self, d, rate, invariant, l2, loss):
        self.w, self.G, self.largest, self.seen = (np.zeros(d) for _ in range(4))
        self.rate, self.invariant, self.l2, self.loss = rate, invariant, l2, loss
        self.t, self.N, self.span = 0, 0.0, 1.0 if loss.classification else 0.0

    def weights(self, x):
        w = self.w.copy()
        grown = (np.abs(x) > self.largest) & (self.largest > 0)
        if self.invariant:
            w[grown] *= self.largest[grown] / np.abs(x[grown])
        return w

    def score(self, x):
        return float(self.weights(x) @ x)

    def learn(self, x, y, h):
        on, s = x != 0, self.score(x)
        z = h * self.loss.derivative(s, y) * x
        self.G += z**2
        largest = np.maximum(self.largest, np.abs(x))
        rate = np.zeros(len(x))
        eta = self.rate * self.span
        if self.invariant:
            eta *= np.sqrt(self.t / self.N) if self.N else 1.0
        good = on & (self.G > 0)
        rate[good] = eta / np.sqrt(self.G[good])
        if self.invariant:
            rate[on] /= largest[on]
        self.w = self.weights(x)
        self.w[on] /= 1 + rate[on] * self.l2 * (self.t - self.seen[on])
        self.w -= flow(self.loss, s, y, h, float(rate @ x**2)) * rate * x
        self.largest = largest
        self.seen[on] = self.t
        self.N += float(np.sum((x[on] / largest[on]) ** 2))
        self.t += 1
        self.span = max(self.span, abs(y))


class Mixture:
    """Exponential weights over the lanes and the blend."""

    def __init__(self, lanes, loss, share=0.0):
        self.K, self.loss, self.share = lanes, loss, share
        self.L = np.zeros(lanes + 1)
        self.a, self.A = np.full(lanes, 1 / lanes), np.eye(lanes) / 30
        self.w = np.full(lanes + 1, 1 / (lanes + 1))
        self.largest = self.reach = self.rate = self.total = 0.0
        self.is_log = isinstance(loss, Logistic)

    def score(self, s):
        edge, unit = (15.0, 1.0) if self.is_log else (self.reach, self.reach)
        x = np.clip(s, -edge, edge) / unit if unit else np.zeros(self.K)
        all_of = np.append(s, unit * (self.a @ x))
        if self.is_log:
            p = 1 / (1 + np.exp(-all_of))
            return float(np.log((self.w @ p) / (self.w @ (1 - p)))), all_of, x, unit
        return float(self.w @ np.clip(all_of, -edge, edge)), all_of, x, unit

    def learn(self, s, y, h):
        mixed, all_of, x, unit = self.score(s)
        lost = np.asarray(self.loss.value(all_of, y))
        self.total += h * self.loss.value(mixed, y)
        self.L += h * lost
        rate = self.rate
        self.largest, self.reach = max(self.largest, h), max(self.reach, abs(y))
        self.rate = self.largest if self.is_log else 8 * self.reach**2 * self.largest
        if self.share:
            self.w = self.w * np.exp(-h * lost / (rate or self.rate))
            self.w = (1 - self.share) * self.w / self.w.sum() + self.share / len(self.w)
        elif self.rate:
            self.w = np.exp(-(self.L - self.L.min()) / self.rate)
            self.w /= self.w.sum()
        if unit:
            b, Ax = all_of[-1], self.A @ x
            p = 1 / (1 + np.exp(-b))
            bend = h * max(p * (1 - p), 0.001) if self.is_log else 2 * h
            self.A -= bend * np.outer(Ax, Ax) / (1 + bend * (x @ Ax))
            n = float(x @ self.A @ x)
            step = flow(self.loss, b, y, h, n) if self.is_log else 2 * h * (b - y) / unit
            self.a -= step * (self.A @ x)
        return mixed
