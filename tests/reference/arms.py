"""Players of arms from scratch: all losses that came are kept, and every question goes through them."""

import math

import numpy as np
from scipy.optimize import brentq

__all__ = ["Draws", "MeansOracle", "WeightedOracle", "exponential", "tsallis"]

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def _mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Draws:
    """SplitMix64, started from seed, purpose (0: choice, 1: coin, 2: world) and round."""

    def __init__(self, seed, purpose, round):
        start = _mixed((seed + _STEP * (purpose + 1)) & _MASK)
        self.state = _mixed((start + _STEP * round) & _MASK)

    def uniform(self):
        self.state = (self.state + _STEP) & _MASK
        return (_mixed(self.state) >> 11) * 2.0**-53


def exponential(S, eta):
    w = np.exp(-eta * (S - S.min()))
    return w / w.sum()


def tsallis(S, eta):
    """By bisection for the x at which the weights add up to 1."""
    S = S - S.min()
    x = brentq(
        lambda x: np.sum((eta * (S - x)) ** -2.0) - 1.0,
        -(math.sqrt(len(S)) + 1) / eta,
        -1.0 / eta + 0.0,
        xtol=1e-300,
        rtol=8.9e-16,
        maxiter=1000,
    )
    w = (eta * (S - x)) ** -2.0
    return w / w.sum()


class WeightedOracle:
    """`weigh(S, eta)`, `rate(t)`; estimates as the spec has them, for late losses and absent arms."""

    def __init__(self, n, weigh, rate, *, gamma=lambda t: 0.0, reduced=False):
        self.n, self.weigh, self.rate, self.gamma, self.reduced = n, weigh, rate, gamma, reduced
        self.estimates = []  # a row for each loss that came
        self.losses = []
        self.bound = 0.0  # what was paid: stability and drift
        self.choices = {}

    @property
    def t(self):
        return len(self.losses) + 1

    def weights(self):
        S = np.sum(self.estimates, axis=0) if self.estimates else np.zeros(self.n)
        return self.weigh(S, self.rate(self.t))

    def probabilities(self, awake=None):
        awake = np.ones(self.n, bool) if awake is None else awake
        w = np.where(awake, self.weights(), 0.0)
        return w / w.sum()

    def act(self, ticket, arm, awake=None):
        awake = np.ones(self.n, bool) if awake is None else awake
        p = self.probabilities(awake)[arm]
        self.choices[ticket] = (arm, p, p + self.gamma(self.t), awake)
        return p

    def update(self, ticket, y):
        arm, _, divisor, awake = self.choices.pop(ticket)
        q, eta = self.weights(), self.rate(self.t)
        base = np.where(q >= eta**2, 0.5, 0.0) if self.reduced else np.zeros(self.n)
        z = np.where(awake, base, y)
        z[arm] = (y - base[arm]) / divisor + base[arm]
        self.bound += self.paid(q, z, eta) + y - float(q @ z)
        self.estimates.append(z)
        self.losses.append(y)

    def paid(self, q, z, eta):
        """The exact Bregman divergence is at most this."""
        if self.weigh is exponential:
            return eta / 2 * float(q @ z**2)
        d = z - 0.5 if self.reduced else z
        before = 1 / self.rate(self.t - 1) if self.t > 1 else 0.0
        penalty = (1 / eta - before) * (2 * np.sum(np.sqrt(q)) - 2)
        return penalty + float(np.sum(eta * q**1.5 * d**2 / (1 + eta * np.sqrt(q) * d)))

    def regrets(self):
        return sum(self.losses) - np.sum(self.estimates, axis=0)


class MeansOracle:
    """UCB1 by its definition."""

    def __init__(self, n, noise=0.5):
        self.seen = [[] for _ in range(n)]
        self.noise = noise

    def act(self):
        for arm, losses in enumerate(self.seen):
            if not losses:
                return arm
        t = sum(map(len, self.seen))
        width = [math.sqrt(8 * self.noise**2 * math.log(t) / len(s)) for s in self.seen]
        return int(np.argmin([np.mean(s) - w for s, w in zip(self.seen, width)]))
