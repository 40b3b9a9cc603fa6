"""Geometries, streams of gradients and players for the tests of convex optimisation."""

import math

import numpy as np
import pytest

from regretless import domains, geometry, rates

__all__ = ["GEOMETRIES", "PROJECTIONS", "RATES", "ROUNDING", "STREAMS", "every_stream", "gradients"]

# a few hundred additions and exponentials of numbers near 1, each off by at most 2^-53
ROUNDING = {"rtol": 1e-11, "atol": 1e-12}
GEOMETRIES = {
    "euclidean": geometry.Euclidean(),
    "entropy": geometry.Entropy(),
    "entropy 3": geometry.Entropy(3.0),
    "p 3": geometry.PNorm(3.0),
    "p 2.5 B": geometry.PNorm(2.5, convention="B"),
}
RATES = {
    "constant": (0.3, lambda t, S: 0.3),
    "sqrt": (rates.InverseSqrt(0.5), lambda t, S: 0.5 / math.sqrt(t)),
    "inverse": (rates.Inverse(0.5), lambda t, S: 0.5 / t),
}


def gradients(seed=0, rounds=80, dimension=5, scale=1.0):
    return scale * np.random.default_rng(seed).normal(size=(rounds, dimension))


STREAMS = {
    "gaussian": gradients(),
    "large": gradients(1, scale=1e3),
    "signs": np.sign(gradients(2)),
    "one direction": np.tile([1.0, 0.5, 0.0, -0.5, -1.0], (80, 1)),
    "alternating": np.tile([1.0, -1.0], 40)[:, None] * np.ones(5),
    "rising": gradients(3) * np.arange(1, 81)[:, None],
    "sparse": gradients(4) * (np.random.default_rng(5).random((80, 5)) < 0.2),
    "zeros": np.zeros((80, 5)),
}
every_stream = pytest.mark.parametrize("stream", STREAMS)
PROJECTIONS = {
    "ball": domains.Ball(0.5),
    "simplex": domains.Simplex(2.0),
    "box": domains.Box(-0.25 * np.ones(5), np.array([0.1, 0.2, 0.3, 0.4, 0.5])),
    "l1 ball": domains.Ball(0.75, p=1.0),
}
