"""FTRL-Proximal (McMahan et al. (2013))."""

import numpy as np

from reference.oracle import Oracle, shrink

__all__ = ["FTRL"]


class FTRL(Oracle):
    """`w_i = -sign(u_i) max(|u_i| - l1, 0) / ((beta + sqrt(n_i)) / alpha + l2)`."""

    def __init__(self, dimension, loss, rate, beta=1.0, l1=0.0, l2=0.0):
        super().__init__(dimension, loss)
        self.alpha, self.beta, self.l1, self.l2 = rate, beta, l1, l2
        self.u = np.zeros(dimension)
        self.n = np.zeros(dimension)

    def weights(self, x):
        strength = (self.beta + np.sqrt(self.n)) / self.alpha + self.l2
        kept = -shrink(self.u, self.l1, 0.0)
        return np.divide(kept, strength, out=np.zeros_like(kept), where=strength > 0)

    def update(self, x, y, g, w):
        z = g * x
        sigma = (np.sqrt(self.n + z * z) - np.sqrt(self.n)) / self.alpha
        self.u = self.u + z - sigma * w
        self.n = self.n + z * z
