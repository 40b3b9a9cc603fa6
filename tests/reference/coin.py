"""Coin betting per coordinate, with shared wealth.

Orabona and Pal (2016); Orabona and Tommasi (2017).
"""

import math

import numpy as np

from reference.oracle import Oracle

__all__ = ["Coin"]


class Coin(Oracle):
    """`w_i = (e + R_i) theta_i / (L_i (G_i + L_i))`, `L_i = s max |x_i|`, `e = wealth s Y / n`."""

    def __init__(self, dimension, loss, wealth=8.0, classification=False):
        super().__init__(dimension, loss)
        self.wealth, self.classification = wealth, classification
        self.slope = loss.lipschitz if loss.lipschitz < math.inf else 0.0
        self.span = 0.0  # largest |y| so far
        self.active = 0.0  # sum over rounds of sum_i (x_i / max |x_i|)^2
        self.largest = np.zeros(dimension)
        self.theta = np.zeros(dimension)
        self.G = np.zeros(dimension)
        self.R = np.zeros(dimension)

    def weights(self, x):
        w = np.zeros_like(self.theta)
        bet = self.theta != 0
        if not bet.any():
            return w
        e = self.wealth * self.slope * self.span * self.rounds / self.active
        L = self.slope * np.maximum(self.largest, np.abs(x))
        w[bet] = ((e + self.R) * self.theta)[bet] / (L * (self.G + L))[bet]
        return w

    def update(self, x, y, g, w):
        z = g * x
        self.theta = self.theta - z
        self.G = self.G + np.abs(z)
        self.R = np.maximum(0.0, self.R - z * w)
        self.largest = np.maximum(self.largest, np.abs(x))
        self.slope = max(self.slope, abs(g))
        self.span = max(self.span, 1.0 if self.classification else abs(y))
        present = x != 0
        self.active += float(np.sum((x[present] / self.largest[present]) ** 2))
