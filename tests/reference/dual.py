"""Mirror descent by its link: the p-norm algorithm (Shalev-Shwartz (2012), Corollary 2.18) and EG+-
(C10, C13).
"""

import math

import numpy as np

from reference.oracle import Oracle

__all__ = ["EG", "PNorm", "pnorm_link"]


def pnorm_link(theta, p):
    """The gradient of `||theta||_p^2 / 2`, divided through by the largest entry lest it overflow."""
    top = np.max(np.abs(theta), initial=0.0)
    if top == 0.0:
        return np.zeros_like(theta)
    r = np.abs(theta) / top
    return top * np.sign(theta) * r ** (p - 1) / np.sum(r**p) ** ((p - 2) / p)


class PNorm(Oracle):
    """`w_t = eta_{t-1} link(theta_t)`, `theta = -sum z`, `eta_0 = eta_1`."""

    def __init__(self, dimension, loss, rate, p):
        super().__init__(dimension, loss)
        self.rate, self.p = rate, p
        self.theta = np.zeros(dimension)

    def weights(self, x):
        return self.rate(max(self.rounds, 1)) * pnorm_link(self.theta, self.p)

    def update(self, x, y, g, w):
        self.theta = self.theta - g * x


class EG(Oracle):
    """`w_i = U (e^{eta theta_i} - e^{-eta theta_i}) / sum_j (e^{eta theta_j} + e^{-eta theta_j})`.

    The sum is over the features seen, those of this round among them. Without a rate,
    `eta = sqrt(2 ln(2d) / c)`, where `c` becomes
    four times `sum ||z_t||_inf^2` whenever that sum passes it; the rate never rises.
    """

    def __init__(self, dimension, loss, radius, rate=None):
        super().__init__(dimension, loss)
        self.radius, self.fixed = radius, rate is not None
        self.eta = rate if self.fixed else 0.0
        self.theta = np.zeros(dimension)
        self.seen = np.zeros(dimension, bool)
        self.sum = self.cap = 0.0

    def weights(self, x):
        seen = self.seen | (x != 0)
        a = self.eta * self.theta[seen]
        shift = np.max(np.abs(a), initial=0.0)
        up, down = np.exp(a - shift), np.exp(-a - shift)
        # e^a - e^-a = 2 sinh a, which keeps its digits near 0
        apart = np.where(np.abs(a) < 1, 2 * np.sinh(np.clip(a, -1, 1)) * np.exp(-shift), up - down)
        w = np.zeros_like(self.theta)
        w[seen] = self.radius * apart / np.sum(up + down)
        return w

    def play(self, x, y, h):
        self.seen = self.seen | (x != 0)
        super().play(x, y, h)

    def update(self, x, y, g, w):
        self.theta = self.theta - g * x
        self.sum += (g * np.max(np.abs(x), initial=0.0)) ** 2
        if not self.fixed and self.sum > self.cap:
            self.cap = 4.0 * self.sum
            wanted = math.sqrt(2.0 * math.log(2.0 * self.seen.sum()) / self.cap)
            self.eta = min(self.eta or math.inf, wanted)
