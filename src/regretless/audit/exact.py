"""The exact minimum of the squared loss over a ball of models, from sums of products of features."""

import math
from collections.abc import Callable

import numpy as np

from regretless.base.arguments import Array

DOUBLE, SINGLE = 2.0**-53, 2.0**-24  # the relative errors of roundings


def exact_bound(packed: Array, count: float) -> Callable[[float], float]:
    """The lower bound on the total squared loss of models of any norm, from moments of the examples.

    With `g_t = 2 (<u, x_t> - y_t)`, for any u,

        -sum l*(g) = sum y^2 - u'A u  and  G = 2 (A u - b),  where A = sum x x', b = sum y x.

    Parameters: `packed`, the lower triangle of the sums of products of `(y, x)`; `count`, the number of
    examples.
    """
    size = math.isqrt(2 * len(packed))  # rows of the triangle
    square = np.zeros((size, size))
    square[np.tril_indices(size)] = packed
    A, b, c = square[1:, 1:], square[1:, 0], packed[0]
    A = A + np.tril(A, -1).T
    if not c > 0.0:
        return lambda _: 0.0
    best_in_ball = _best_in_ball(A, b)
    roots = np.sqrt(np.diag(A))

    def bound(norm: float) -> float:
        u = best_in_ball(norm)
        reach, spread = np.abs(u) @ roots, np.linalg.norm(roots)
        n = DOUBLE * (count + len(b) + 64)  # relative rounding error of a sum
        loss = max(0.0, u @ A @ u - 2 * (b @ u) + c) + n * (reach + math.sqrt(c)) ** 2
        dual = 2 * np.linalg.norm(A @ u - b) + 2 * spread * (
            n * (reach + math.sqrt(c)) + 1.001 * SINGLE * math.sqrt(loss)
        )
        bound = c - u @ A @ u - n * (reach**2 + c) - norm * dual
        return float(bound) if math.isfinite(bound) else 0.0

    return bound


def _best_in_ball(A: Array, b: Array) -> Callable[[float], Array]:
    """The minimum of u'A u - 2 b'u over balls of any radius, up to rounding."""
    if not A.any():
        return lambda _: np.zeros(len(b))
    values, vectors = np.linalg.eigh(A)
    values = np.maximum(values, 0.0)
    along = vectors.T @ b
    least = values[-1] * 1e-13 * len(b)

    def at(price: float) -> Array:
        return np.where(values + price > least, along / np.maximum(values + price, least), 0.0)

    def within(norm: float) -> Array:
        if np.linalg.norm(at(0.0)) <= norm:
            return np.asarray(vectors @ at(0.0))
        low, high = 0.0, float(np.linalg.norm(along)) / max(norm, 1e-300)
        for _ in range(200):
            middle = 0.5 * (low + high) if low == 0.0 or high > 4 * low else math.sqrt(low * high)
            low, high = (middle, high) if np.linalg.norm(at(middle)) > norm else (low, middle)
            if high - low <= 1e-15 * high:
                break
        return np.asarray(vectors @ at(high))

    return within
