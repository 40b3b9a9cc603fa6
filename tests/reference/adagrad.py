"""AdaGrad with composite penalties, and its scale-invariant form NAG."""

import math

import numpy as np

from reference.oracle import Oracle, shrink

__all__ = ["AdaGrad", "ScaleInvariantAdaGrad"]


class AdaGrad(Oracle):
    """`G_i += z_i^2; w_i <- prox(w_i - eta z_i / sqrt(G_i))`, the prox in every round."""

    def __init__(self, dimension, loss, rate, l1=0.0, l2=0.0):
        super().__init__(dimension, loss)
        self.eta, self.l1, self.l2 = rate, l1, l2
        self.w = np.zeros(dimension)
        self.G = np.zeros(dimension)

    def weights(self, x):
        return self.w

    def update(self, x, y, g, w):
        z = g * x
        self.G = self.G + z * z
        started = self.G > 0
        step = np.zeros_like(w)
        step[started] = self.eta / np.sqrt(self.G[started])
        self.w = shrink(w - step * z, step * self.l1, step * self.l2)


class ScaleInvariantAdaGrad(Oracle):
    """`w_i -= eta sqrt(t / N) z_i / (s_i sqrt(G_i))`, `s_i = max |x_i|`, `N = sum x_i^2 / s_i^2`."""

    def __init__(self, dimension, loss, rate):
        super().__init__(dimension, loss)
        self.eta = rate
        self.w = np.zeros(dimension)
        self.G = np.zeros(dimension)
        self.largest = np.zeros(dimension)
        self.N = 0.0

    def weights(self, x):
        new = np.maximum(self.largest, np.abs(x))
        return self.w * np.divide(self.largest, new, out=np.zeros_like(new), where=new > 0)

    def update(self, x, y, g, w):
        z = g * x
        factor = math.sqrt((self.rounds - 1) / self.N) if self.N > 0 else 1.0
        self.G = self.G + z * z
        self.largest = np.maximum(self.largest, np.abs(x))
        moved = (z != 0) & (self.G > 0)
        self.w = w.copy()
        self.w[moved] -= self.eta * factor * z[moved] / (self.largest * np.sqrt(self.G))[moved]
        active = x != 0
        self.N += float(np.sum((x[active] / self.largest[active]) ** 2))
