"""What all oracles share: the loop of predict, suffer, update, and the sums behind the certificate."""

import numpy as np

__all__ = ["Oracle", "shrink"]


class Oracle:
    """A learner with one score. A subclass says which `weights` are played and how to `update`."""

    def __init__(self, dimension, loss):
        self.loss = loss
        self.rounds = 0  # rounds learned
        self.suffered = 0.0  # sum of h l(<w_t, x_t>)
        self.linear = 0.0  # sum of <w_t, z_t>
        self.squares = 0.0  # sum of ||z_t||^2
        self.gradient = np.zeros(dimension)  # sum of z_t

    def weights(self, x):
        """The weights played on `x`."""
        raise NotImplementedError

    def update(self, x, y, g, w):
        """Learn from the gradient `z = g x` at the weights `w` played."""
        raise NotImplementedError

    def predict(self, x):
        return float(self.weights(x) @ x)

    def learn(self, x, y, h=1.0):
        """A round; an example of weight 0 is not there, and there is none."""
        if h > 0.0:
            self.play(x, y, h)

    def play(self, x, y, h):
        w = self.weights(x)
        s = float(w @ x)
        g = h * self.loss.derivative(s, y)
        self.suffered += h * self.loss.value(s, y)
        self.linear += g * s
        self.squares += g * g * float(x @ x)
        self.gradient = self.gradient + g * x
        self.rounds += 1
        self.update(x, y, g, w)


def shrink(w, l1, l2):
    """The minimiser of `l1 |v| + l2 v^2 / 2 + (v - w)^2 / 2` in every coordinate."""
    return np.sign(w) * np.maximum(np.abs(w) - l1, 0.0) / (1.0 + l2)
