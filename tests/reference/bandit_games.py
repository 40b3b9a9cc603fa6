"""Losses for the tests of bandit convex optimisation."""

import numpy as np

__all__ = ["distances"]


def distances(count, d, seed=0, radius=0.5):
    """The losses `||w - c_t|| / 2`, whose slope is 1/2; between 0 and 1 in the unit ball."""
    goals = np.random.default_rng(seed).normal(size=(count, d))
    goals *= radius / np.linalg.norm(goals, axis=1, keepdims=True)
    return [lambda w, c=c: 0.5 * float(np.linalg.norm(w - c)) for c in goals]
