"""The kernel Perceptron by lists and loops, one label against the rest.

Mohri et al. (2018), section 8.3.1 and Figures 8.8 and 8.9.
"""

import math

import numpy as np

__all__ = ["KERNELS", "KernelPerceptron"]

KERNELS = {
    "linear": lambda s, x: float(s @ x),
    "polynomial": lambda s, x: (0.5 * float(s @ x) + 2.0) ** 3,
    "rbf": lambda s, x: math.exp(-0.5 * float((s - x) @ (s - x))),
}


class KernelPerceptron:
    """All rounds are kept, updates or not."""

    def __init__(self, kernel, average="none", offset=1.0):
        self.kernel, self.average, self.offset = kernel, average, offset
        self.past = []  # (x, y, w, wrong), round by round

    def value(self, s, x):
        return self.kernel(s, x) + self.offset

    def weights(self):
        """The coefficient of every round's example in the weights of the next round."""
        return [w * y if wrong else 0.0 for _, y, w, wrong in self.past]

    def score(self, x, coefficients):
        return sum(c * self.value(p[0], x) for c, p in zip(coefficients, self.past) if c)

    def predict(self, x):
        rounds = len(self.past)
        last = self.weights()
        if self.average == "none" or not rounds:
            return self.score(x, last)
        played = [last[:t] + [0.0] * (rounds - t) for t in range(rounds + 1)]  # w_1 .. w_{T+1}
        if self.average == "survival":
            chosen = played[:-1]
        else:  # the distinct ones, but the zero vector at the start
            chosen = [w for w, p in zip(played[1:], self.past) if p[3]]
        if not chosen:
            return 0.0
        return self.score(x, np.mean(chosen, axis=0))

    def learn(self, x, y, w=1.0):
        wrong = y * self.score(x, self.weights()) <= 0
        self.past.append((x, y, w, wrong))
