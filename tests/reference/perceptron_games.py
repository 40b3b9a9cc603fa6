"""Streams and settings that the tests of the Perceptron and its kin share."""

import numpy as np
from hypothesis import settings

from regretless.adversaries import MarginStream

__all__ = ["FIVE", "SIGNS", "noisy", "separable", "signed", "unhurried"]


FIVE = np.array([(1, 2), (-1, 1), (2, -1), (-1, -1), (1, -1)], float)
SIGNS = np.array([1, -1, 1, -1, 1])
unhurried = settings(deadline=None, max_examples=150, derandomize=True)


def signed(model):
    """It knows the labels -1 and +1 from the start."""
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def noisy(seed, rounds=80, d=4, flips=0.2):
    """Points on a grid, so that sums are exact; labels of a hyperplane, some of them flipped."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (rounds, d)) / 8
    y = np.where(X @ rng.normal(size=d) > 0, 1, -1)
    return X, np.where(rng.random(rounds) < flips, -y, y)


def separable(seed, margin, rounds=200, d=3, radius=1.0):
    stream = iter(MarginStream(d, margin, radius, seed=seed))
    pairs = [next(stream) for _ in range(rounds)]
    u = MarginStream(d, margin, radius, seed=seed).comparator
    return np.array([list(x.values()) for x, _ in pairs]), np.array([y for _, y in pairs]), u
