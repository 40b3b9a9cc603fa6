"""Newton steps without a start, from all gradients so far and their SVD.

Luo (2016), appendix C.2, repaired.
"""

import numpy as np

__all__ = ["InvariantNewton"]


class InvariantNewton:
    def __init__(self, dimension, curvature, bound):
        self.w, self.gradients = np.zeros(dimension), np.zeros((1, dimension))
        self.curvature, self.bound, self.spent = curvature, bound, 0.0

    def pseudo_inverse(self):
        """That of `A = curvature sum g g'`, and the projection onto its range."""
        _, s, directions = np.linalg.svd(self.gradients, full_matrices=False)
        directions = directions[s > 1e-9 * s.max()]
        s = s[: len(directions)]
        return directions.T @ (directions / (self.curvature * s**2)[:, None]), (
            directions.T @ directions
        )

    def look(self, x):
        inverse, onto = self.pseudo_inverse()
        outside, score = x - onto @ x, self.w @ x
        if outside @ outside > 1e-16 * (x @ x):
            self.w = self.w - score / (x @ outside) * outside
        elif abs(score) > self.bound:
            direction = inverse @ x
            beyond = score - np.sign(score) * self.bound
            self.w = self.w - beyond / (x @ direction) * direction

    def update(self, g):
        self.gradients = np.vstack([self.gradients, g])
        step = self.pseudo_inverse()[0] @ g
        self.spent += g @ step
        self.w = self.w - step
