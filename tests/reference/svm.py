"""The on-line SVM (Mohri et al. (2018), Exercise 8.5), with and without a projection."""

import math

import numpy as np

from reference.losses import CLASSIFICATION
from reference.oracle import Oracle

__all__ = ["OnlineSVM"]


class OnlineSVM(Oracle):
    """`w <- P((1 - eta_t) w + eta_t C y x [y <w, x> < 1])`; an importance multiplies C."""

    def __init__(
        self,
        dimension,
        loss=CLASSIFICATION["hinge"],
        C=1.0,
        rate=lambda t: 1 / t,
        ball=False,
        kink="none",
    ):
        super().__init__(dimension, loss)
        self.C, self.rate, self.kink = C, rate, kink
        self.radius = math.sqrt(C) if ball else math.inf
        self.w = np.zeros(dimension)

    def weights(self, x):
        return self.w

    def update(self, x, y, g, w):
        eta, m = self.rate(self.rounds), y * float(w @ x)
        if m == 1.0 and self.kink == "none":
            return
        w = (1 - eta) * w - eta * self.C * g * x
        norm = float(np.linalg.norm(w))
        self.w = w * min(1.0, self.radius / norm) if norm > 0 else w
