"""Streams of examples: all values are exactly representable in single precision."""

from dataclasses import dataclass

import numpy as np

from reference.losses import CLASSIFICATION

__all__ = ["LINEAR", "Stream", "adversarial", "far_away", "grid", "random"]


@dataclass(frozen=True)
class Stream:
    """Rows `X`, targets `y`, importance weights `h`."""

    X: np.ndarray
    y: np.ndarray
    h: np.ndarray

    def __iter__(self):
        return zip(self.X, self.y.tolist(), self.h.tolist(), strict=True)


def single(X):
    """Rounded to single precision."""
    return np.asarray(X, np.float32).astype(np.float64)


def _targets(loss, rng, X, step):
    scores = X @ rng.normal(size=X.shape[1]) + 0.3 * rng.normal(size=len(X))
    return np.where(scores > 0, 1, -1) if loss in CLASSIFICATION else np.round(scores / step) * step


def random(loss, seed, rounds=150, dimension=5, density=0.6):
    """Gaussian features, some absent; a noisy linear target; weights 0 to 3."""
    rng = np.random.default_rng(seed)
    X = single(rng.normal(size=(rounds, dimension)) / np.sqrt(dimension))
    X *= rng.random(X.shape) < density
    h = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 3.0], rounds)
    return Stream(X, _targets(loss, rng, X, 2.0**-20), h)


def grid(loss, seed, rounds=150, dimension=5, density=0.6):
    """The same on multiples of 1/8."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (rounds, dimension)) / 8 * (rng.random((rounds, dimension)) < density)
    return Stream(X, _targets(loss, rng, X, 0.125), rng.choice([0.0, 0.5, 1.0, 2.0], rounds))


FAR = 2.0**60


def far_away(X, gradients):
    """A stream on which the absolute loss is linear: the gradient of round t is `gradients[t] X[t]`."""
    gradients = np.asarray(gradients, float)
    return Stream(np.asarray(X, float), np.where(gradients > 0, -FAR, FAR), np.abs(gradients))


def _linear_streams():
    rng, d, n = np.random.default_rng(7), 5, 120
    sign = rng.choice([-1.0, 1.0], n)
    some = rng.random((n, d)) < 0.6
    yield "values 1e-6 to 1e6", single(10 ** rng.uniform(-6, 6, (n, d)) * some), sign
    columns = 10.0 ** np.array([-6, -3, 0, 3, 6])
    yield "columns 1e-6 to 1e6", single(columns * rng.normal(size=(n, d)) * some), sign
    there = np.where(np.arange(n) < n // 2, -64.0, 64.0)
    there[-1] = 63.0  # back to where it came from, but for a little
    one = np.zeros((n, d))
    one[:, 0], one[:, 1] = 1.0, np.arange(n) % 7 == 0
    yield "there and back", one, there
    great = np.zeros((n, d))  # two small coordinates beside a great one, which then is gone
    great[0, 0] = great[-20, 0] = single(1.1e9)
    great[1:-20, 1:3] = rng.choice([-0.25, 0.125, 0.5], (n - 21, 2))
    yield "a great one for a while", great, np.where(np.arange(n) == n - 20, 1.0, -1.0)
    flips = np.where(np.arange(n) // 30 % 2, 16.0, -16.0)
    yield "sign flips", np.tile(np.eye(d), (n // d, 1)), flips
    rows = single(rng.normal(size=(n, d)))
    rows[::7] = 0.0
    yield "zero rows and weights", rows, rng.choice([-2.0, 1.0, 0.0], n)
    yield "one way", (rng.random((n, d)) < 0.5) * 1.0, np.full(n, -8.0)
    yield "the same row", np.tile([1.0, -0.5, 0.25, 0.0, 2.0], (n, 1)), sign
    gap = np.zeros((500, d))
    gap[:, 0], gap[0], gap[300, 1], gap[-2] = 0.125, 1.0, 0.5, (1, -1, 1, -1, 1)
    yield "gaps", gap, np.where(np.arange(500) % 3 == 0, 1.0, -1.0)


LINEAR = {name: far_away(X, gradients) for name, X, gradients in _linear_streams()}


def adversarial(T=400):
    """Streams on which learners go wrong: (name, rows, labels in {-1, 1})."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(T, 5))
    y = np.sign(X @ [1, -2, 3, 0, 0] + 0.5 * rng.normal(size=T))
    yield "plain", X, y
    yield "noise", X, rng.choice([-1.0, 1.0], T)
    yield "alternating", np.ones((T, 1)), np.where(np.arange(T) % 2, 1.0, -1.0)
    yield "turns", X, np.where(np.arange(T) // 50 % 2, y, -y)
    yield "scales", X * [1e-6, 1e6, 1.0, 1e3, 1e-3], y
    yield "rare", np.eye(T), y
    yield "heavy tails", np.sign(X) * np.abs(X) ** 6, y
    yield "sorted", X[np.argsort(y)], np.sort(y)
    yield "huge", X * 1e18, y
    yield "tiny", X * 1e-30, y
    yield "zeros", np.zeros((T, 3)), y
    yield "growing", X * np.geomspace(1e-9, 1e9, T)[:, None], y
