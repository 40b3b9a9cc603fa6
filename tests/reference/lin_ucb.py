"""LinUCB from scratch in every round: all rows are kept, and every question is a linear system."""

import math

import numpy as np

__all__ = ["LinUCBOracle"]


class LinUCBOracle:
    def __init__(self, n, d, alpha, ridge, shared=False):
        self.n, self.d, self.alpha, self.ridge, self.shared = n, d, alpha, ridge, shared
        self.rows = [[] for _ in range(1 if shared else n)]

    def system(self, arm):
        A, b = self.ridge * np.eye(self.d), np.zeros(self.d)
        for x, reward in self.rows[0 if self.shared else arm]:
            A, b = A + np.outer(x, x), b + reward * x
        return A, b

    def look(self, x):
        found = []
        for arm in range(self.n):
            features = x[arm] if self.shared else x
            A, b = self.system(arm)
            estimate = features @ np.linalg.solve(A, b)
            found.append((estimate, math.sqrt(features @ np.linalg.solve(A, features))))
        return np.array(found).T

    def act(self, x):
        estimates, widths = self.look(x)
        return int(np.argmax(estimates + self.alpha * widths))

    def update(self, arm, x, reward):
        if self.shared:
            self.rows[0].append((x[arm], reward))
        else:
            self.rows[arm].append((x, reward))

    def beta(self, arm, noise, norm, delta):
        """The radius of Theorem 2 of Abbasi-Yadkori et al., by determinants."""
        A, _ = self.system(arm)
        ratio = np.linalg.slogdet(A)[1] - self.d * math.log(self.ridge)
        models = len(self.rows)
        return (
            noise * math.sqrt(ratio + 2 * math.log(models / delta)) + math.sqrt(self.ridge) * norm
        )
