"""The primal-dual family by its definitions, with scipy's solvers for every maximum (primal_dual.md).

All examples and all variables are kept; nothing is updated that can be computed.
"""

import math

import numpy as np
from scipy.optimize import LinearConstraint, brentq, minimize

__all__ = ["REGULARISERS", "Oracle", "best_primal", "mu"]


class Quad:
    def complexity(self, w):
        return 0.5 * w @ w

    def conjugate(self, theta):
        return 0.5 * theta @ theta

    def link(self, theta):
        return theta

    def curvature(self, x):
        return x @ x


class EntropyOf:
    def complexity(self, w):
        return sum(v * math.log(len(w) * v) for v in w if v > 0)

    def conjugate(self, theta):
        top = theta.max()
        return top + math.log(np.mean(np.exp(theta - top)))

    def link(self, theta):
        e = np.exp(theta - theta.max())
        return e / e.sum()

    def curvature(self, x):
        return np.abs(x).max() ** 2


class PNormOf:
    def __init__(self, p):
        self.p, self.q = p, p / (p - 1)

    def complexity(self, w):
        return 0.5 * np.sum(np.abs(w) ** self.q) ** (2 / self.q)

    def conjugate(self, theta):
        return 0.5 * np.sum(np.abs(theta) ** self.p) ** (2 / self.p)

    def link(self, theta):
        length = np.sum(np.abs(theta) ** self.p) ** (1 / self.p)
        return (
            np.zeros_like(theta)
            if length == 0
            else np.sign(theta) * (np.abs(theta) / length) ** (self.p - 1) * length
        )

    def curvature(self, x):
        return (self.p - 1) * np.sum(np.abs(x) ** self.p) ** (2 / self.p)


REGULARISERS = {"quad": Quad(), "entropy": EntropyOf(), "pnorm": PNormOf(3.0)}


def mu(x, c):
    """The mitigating function with C = c."""
    return min(x, c) * (x - min(x, c) / 2) / c


class Oracle:
    def __init__(self, regulariser, rule, C, gamma=1.0, window=None, steps=1):
        self.r, self.rule, self.C, self.gamma = regulariser, rule, C, gamma
        self.window, self.steps = window, steps
        self.X, self.y, self.alpha, self.h = [], [], np.zeros(0), 1.0

    def dual(self, alpha):
        return self.gamma * alpha.sum() - self.r.conjugate(self.theta(alpha))

    def theta(self, alpha):
        return sum(a * y * x for a, y, x in zip(alpha, self.y, self.X))

    def margin(self, x, y):
        theta = self.theta(self.alpha) if self.X else np.zeros_like(x)
        return y * float(self.r.link(theta) @ x)

    def round(self, x, y):
        """Play one round; the margin before it."""
        s = self.margin(x, y)
        loss = max(0.0, self.gamma - s)
        self.X.append(x)
        self.y.append(y)
        self.alpha = np.append(self.alpha, 0.0)
        self.h = max(self.h, self.r.curvature(x))
        t = len(self.X) - 1
        if self.rule == "conservative":
            self.alpha[t] = self.C if s <= 0 else 0.0
        elif self.rule == "aggressive":
            self.alpha[t] = min(loss / self.h, self.C)
        elif self.rule == "exact":
            self.line(t)
        elif self.rule == "sequential":  # the latest first
            for j in range(self.steps):
                self.line((t - j) % (t + 1))
        return s

    def places(self):
        """The examples whose variables a block or the leader settles together."""
        t = len(self.X)
        return list(range(0 if self.rule == "leader" else max(0, t - self.window), t))

    def gap(self):
        """How much larger the dual can be by other values of these, at most."""
        w = self.r.link(self.theta(self.alpha))
        slopes = [(i, self.gamma - self.y[i] * float(w @ self.X[i])) for i in self.places()]
        return sum(max(g * (self.C - self.alpha[i]), -g * self.alpha[i]) for i, g in slopes)

    def line(self, i):
        """The best value of one variable."""
        if not np.any(self.X[i]):
            self.alpha[i] = 0.0 if self.rule == "exact" else self.C
            return

        def slope(a):  # of D, which falls with a
            alpha = self.alpha.copy()
            alpha[i] = a
            return self.gamma - self.y[i] * float(self.r.link(self.theta(alpha)) @ self.X[i])

        if slope(0.0) <= 0.0:
            self.alpha[i] = 0.0
        elif slope(self.C) >= 0.0:
            self.alpha[i] = self.C
        else:
            self.alpha[i] = brentq(slope, 0.0, self.C, xtol=1e-15, rtol=1e-15)


def best_primal(regulariser, X, y, C, gamma=1.0):
    """The minimum of `F(w) + C sum loss`, as a smooth problem with a slack for every example."""
    n, m = X.shape[1], len(X)
    simplex = isinstance(regulariser, EntropyOf)
    start = np.concatenate([np.full(n, 1 / n if simplex else 0.0), np.full(m, gamma)])
    rows = [LinearConstraint(np.hstack([y[:, None] * X, np.eye(m)]), gamma, np.inf)]
    if simplex:
        rows.append(LinearConstraint(np.concatenate([np.ones(n), np.zeros(m)]), 1.0, 1.0))
    bounds = [(0.0 if simplex else None, None)] * n + [(0.0, None)] * m
    found = minimize(
        lambda v: regulariser.complexity(v[:n]) + C * v[n:].sum(),
        start,
        bounds=bounds,
        constraints=rows,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    w = found.x[:n]
    if simplex:
        w = np.maximum(w, 0) / np.maximum(w, 0).sum()
    return regulariser.complexity(w) + C * np.maximum(0, gamma - y * (X @ w)).sum()
