"""Geometries, updates, examples and short runs for the tests of the primal-dual family."""

import math

import numpy as np

from regretless.geometry import Entropy, Euclidean, PNorm
from regretless.linear import PrimalDual

__all__ = ["FIVE", "GEOMETRIES", "SIGNS", "UPDATES", "binary", "data", "dual", "single", "trace"]

FIVE = np.array([[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], float)
SIGNS = np.array([1, -1, 1, -1, 1])
GEOMETRIES = {"quad": Euclidean(), "entropy": Entropy(), "pnorm": PNorm(3.0)}
UPDATES = {
    "conservative": {},
    "aggressive": {},
    "exact": {},
    "sequential": {"steps": 3},
    "block": {"window": 3},
    "leader": {},
}


def binary(*given, **options):
    """Without an intercept, and aware that there are two labels."""
    model = PrimalDual(*given, intercept=False, **options)
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def single(X):
    """Rounded to single precision, as features are."""
    return np.asarray(X, np.float32).astype(float)


def data(seed, rounds=10, width=3, scale=1.0):
    rng = np.random.default_rng(seed)
    X = single(scale * rng.normal(size=(rounds, width)) / math.sqrt(width))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=rounds) > 0, 1, -1)


def dual(model):
    return model.certificate().dual


def trace(model, X, y):
    """(margin, dual) round by round."""
    out = []
    for x, label in zip(X, np.asarray(y).tolist()):
        margin = label * model.decision_one(x)
        model.learn_one(x, label)
        out.append((margin, dual(model)))
    return np.array(out)
