"""AdaGrad, with its penalties, and its form that no scale of the features can disturb (NAG)."""

import math

import numpy as np

from reference.oracle import Oracle, shrink

__all__ = ["AdaGrad", "ScaleInvariantAdaGrad"]


class AdaGrad(Oracle):
    """`G_i += z_i^2; w_i <- prox(w_i - r_i z_i)`, `r_i = eta / sqrt(G_i)`, the prox in every round.

    When `invariant`, the score follows the gradient flow at these rates for the time `h` instead.
    """

    def __init__(self, dimension, loss, rate, l1=0.0, l2=0.0, invariant=False):
        super().__init__(dimension, loss)
        self.eta, self.l1, self.l2, self.invariant = rate, l1, l2, invariant
        self.w = np.zeros(dimension)
        self.G = np.zeros(dimension)

    def weights(self, x):
        return self.w

    def play(self, x, y, h):
        self.h = h
        super().play(x, y, h)

    def moved(self, x, y, g, w, rates):
        if not self.invariant:
            return w - rates * g * x
        reach = float(rates @ (x * x))
        if reach == 0.0:
            return w
        return w + self.loss.flow(float(w @ x), y, reach * self.h) / reach * rates * x

    def update(self, x, y, g, w):
        self.G = self.G + (g * x) ** 2
        rates = np.divide(self.eta, np.sqrt(self.G), out=np.zeros_like(w), where=self.G > 0)
        self.w = shrink(self.moved(x, y, g, w, rates), rates * self.l1, rates * self.l2)


class ScaleInvariantAdaGrad(AdaGrad):
    """`r_i = eta sqrt(t / N) / (s_i sqrt(G_i))`, `s_i = max |x_i|`, `N = sum x_i^2 / s_i^2`."""

    def __init__(self, dimension, loss, rate, invariant=False):
        super().__init__(dimension, loss, rate, invariant=invariant)
        self.largest = np.zeros(dimension)
        self.N = 0.0

    def weights(self, x):
        new = np.maximum(self.largest, np.abs(x))
        return self.w * np.divide(self.largest, new, out=np.zeros_like(new), where=new > 0)

    def update(self, x, y, g, w):
        factor = math.sqrt((self.rounds - 1) / self.N) if self.N > 0 else 1.0
        self.G = self.G + (g * x) ** 2
        self.largest = np.maximum(self.largest, np.abs(x))
        scale = self.largest * np.sqrt(self.G)
        rates = np.divide(self.eta * factor, scale, out=np.zeros_like(w), where=scale > 0)
        self.w = self.moved(x, y, g, w, rates)
        active = x != 0
        self.N += float(np.sum((x[active] / self.largest[active]) ** 2))
