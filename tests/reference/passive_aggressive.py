"""Passive-aggressive learning.

Shalev-Shwartz and Singer (2007), section 5.2; Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
(2006).
"""

import math

import numpy as np

from reference.oracle import Oracle

__all__ = ["PassiveAggressive"]


class PassiveAggressive(Oracle):
    """`w <- w - tau sign(g) x` with the step `tau` of the mode; the weight of an example scales `C`."""

    def __init__(self, dimension, loss, C=1.0, mode="I"):
        super().__init__(dimension, loss)
        self.C, self.mode = C, mode
        self.w = np.zeros(dimension)

    def weights(self, x):
        return self.w

    def play(self, x, y, h):
        self.h = h
        super().play(x, y, h)

    def update(self, x, y, g, w):
        s, norm = float(w @ x), float(x @ x)
        suffered = self.loss.value(s, y)
        C = self.C * self.h
        if suffered == 0.0 or norm == 0.0:
            return
        tau = {
            "exact": suffered / norm,
            "I": min(C, suffered / norm),
            "II": suffered / (norm + 1.0 / (2.0 * C)),
        }[self.mode]
        self.w = w - tau * math.copysign(1.0, self.loss.derivative(s, y)) * x
