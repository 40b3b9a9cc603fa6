"""Sketches of a sum of `g g'` in m rows: `S' S` is near it, in O(m^2 d) a round.

Luo (2016), section 4.4.

They are written for reading. `regretless.newton` has them for sparse examples, compiled.
"""

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from regretless.run import Array

__all__ = ["FrequentDirections", "FullMatrix", "Oja", "RandomProjection", "Sketch"]

_FAR = 1e150  # of entries: squares are still numbers
_NEW = 1e-6  # of a gradient's square outside of Oja's directions: a new one


class Sketch(ABC):
    """`S' S`, and the inverse of `A = alpha I + S' S`."""

    def __init__(self, dimension: int, size: int, alpha: float) -> None:
        self.size, self.alpha = size, alpha
        self.rows = np.zeros((0, dimension))  # S

    @abstractmethod
    def add(self, g: Array) -> None:
        """Take in a gradient that is not 0."""

    def times(self, v: Array) -> Array:
        """`S' S v`."""
        return self.rows.T @ (self.rows @ v)

    def solve(self, v: Array) -> Array:
        """`A^-1 v`, by Woodbury's formula."""
        inner = self.rows @ self.rows.T
        inner.flat[:: len(inner) + 1] += self.alpha
        try:
            inside = np.linalg.solve(inner, self.rows @ v)
        except np.linalg.LinAlgError:  # alpha is nothing beside the rows, which are alike
            inside = np.linalg.lstsq(inner, self.rows @ v, rcond=None)[0]
        return (v - self.rows.T @ inside) / self.alpha

    def state(self) -> Array:
        """All that changes."""
        return self.rows.ravel()

    def restore(self, state: Array) -> None:
        """What `state` gave."""
        rows = state.reshape(-1, self.rows.shape[1])
        _check(rows, len(rows) <= self.size, "more rows than it has room for")
        self.rows = rows.copy()


class FullMatrix(Sketch):
    """The sum itself, and a triangular root R of `alpha I + sum`. The size does not matter.

    The root is not the sum's: where gradients are 1e12 and alpha is 1, the sum has forgotten alpha,
    and the root still has four digits of it.
    """

    def __init__(self, dimension: int, size: int, alpha: float) -> None:
        super().__init__(dimension, size, alpha)
        self.sum = np.zeros((dimension, dimension))
        self.root = math.sqrt(alpha) * np.eye(dimension)

    def add(self, g: Array) -> None:
        self.root = np.asarray(np.linalg.qr(np.vstack([self.root, g]), mode="r"))
        self.sum = self.sum + np.outer(g, g)

    def times(self, v: Array) -> Array:
        return self.sum @ v

    def solve(self, v: Array) -> Array:
        from scipy.linalg import solve_triangular

        inner = solve_triangular(self.root, v, trans="T", check_finite=False)
        return np.asarray(solve_triangular(self.root, inner, check_finite=False))

    def state(self) -> Array:
        return np.concatenate([self.sum.ravel(), self.root.ravel()])

    def restore(self, state: Array) -> None:
        total, root = state.reshape(2, *self.sum.shape)
        scale = np.abs(total).max(initial=0.0)
        positive = np.linalg.eigvalsh(total).min(initial=0.0) >= -1e-6 * scale
        alike = np.allclose(total, total.T, rtol=1e-6, atol=1e-9 * scale)
        _check(total, bool(positive and alike), "a matrix that is not symmetric and positive")
        upper = np.array_equal(root, np.triu(root)) and bool(np.diag(root).all())
        _check(root, upper, "a root that is not triangular")
        together = np.allclose(
            root.T @ root,
            total + self.alpha * np.eye(len(total)),
            rtol=1e-6,
            atol=1e-6 * (scale + self.alpha),
        )
        _check(root, together, "a root of another matrix")
        self.sum, self.root = total.copy(), root.copy()


class FrequentDirections(Sketch):
    """`S' S + g g' = V' Sigma V`, and `S <- (Sigma - Sigma_mm)^(1/2) V`: the last row becomes 0."""

    def add(self, g: Array) -> None:
        _, roots, V = np.linalg.svd(np.vstack([self.rows, g]), full_matrices=False)
        squares = roots[: self.size] ** 2
        if len(squares) == self.size:
            squares = squares[:-1] - squares[-1:]
        self.rows = np.sqrt(squares)[:, None] * V[: len(squares)]


class RandomProjection(Sketch):
    """`S <- S + r g'`, with `r` normal, of variance 1 / m."""

    def __init__(self, dimension: int, size: int, alpha: float, seed: int) -> None:
        super().__init__(dimension, size, alpha)
        self.seed, self.drawn = seed, 0
        self.rows = np.zeros((size, dimension))

    def add(self, g: Array) -> None:
        self.rows = self.rows + np.outer(self._draw(), g)
        self.drawn += 1

    def _draw(self) -> Array:
        """The numbers that the compiled sketch draws: from a counter, so that they need no state."""
        counter = np.arange(2 * self.size, dtype=np.uint64) + np.uint64(
            (self.seed * 0x9E3779B97F4A7C15 + 2 * self.drawn * self.size) % 2**64
        )
        words = _splitmix64(counter[0::2] + np.uint64(1)), _splitmix64(counter[0::2] + np.uint64(2))
        u, v = (words[0] + np.uint64(1)) * 2.0**-53, words[1] * 2.0**-53
        normal: Array = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)  # Box and Muller
        return normal / math.sqrt(self.size)

    def state(self) -> Array:
        return np.append(self.rows.ravel(), self.drawn)

    def restore(self, state: Array) -> None:
        drawn = float(state[-1])
        whole = 0 <= drawn <= 2**53 and drawn == int(drawn)
        _check(state, whole and len(state) == self.rows.size + 1, "other numbers than were drawn")
        super().restore(state[:-1])
        self.drawn = int(drawn)


class Oja(Sketch):
    """`lambda_i += p_i^2`, `V <- V + diag(1 / lambda) p g'`, `p = V g`; `S = lambda^(1/2) V`.

    The rows of `V` are made orthonormal again, in order. While there are fewer than m, one is added for
    what of `g` they do not span.
    """

    def __init__(self, dimension: int, size: int, alpha: float) -> None:
        super().__init__(dimension, size, alpha)
        self.directions, self.squares = self.rows, np.zeros(0)  # V, lambda

    def add(self, g: Array) -> None:
        p, all_of_it = self.directions @ g, float(g @ g)
        rest = all_of_it - float(p @ p)
        if len(p) < self.size and rest > _NEW * all_of_it:
            fresh = (g - p @ self.directions) / np.sqrt(rest)
            self.directions = np.vstack([self.directions, fresh])
            p, self.squares = np.append(p, np.sqrt(rest)), np.append(self.squares, 0.0)
        self.squares = self.squares + p * p
        step = np.divide(p, self.squares, out=np.zeros_like(p), where=self.squares > 0)
        V = np.linalg.qr((self.directions + np.outer(step, g)).T)[0].T
        # sums of another order round otherwise, and files keep this one
        self.directions = np.ascontiguousarray(V)
        self._put_together()

    def _put_together(self) -> None:
        self.rows = np.sqrt(self.squares)[:, None] * self.directions

    def state(self) -> Array:
        return np.column_stack([self.squares, self.directions]).ravel()

    def restore(self, state: Array) -> None:
        table = state.reshape(-1, self.rows.shape[1] + 1)
        products = table[:, 1:] @ table[:, 1:].T
        orthonormal = np.abs(products - np.eye(len(table))).max(initial=0.0) <= 1e-6
        _check(table, bool(orthonormal), "directions that are not orthonormal")
        _check(table, len(table) <= self.size and bool((table[:, 0] >= 0).all()), "other squares")
        self.squares, self.directions = table[:, 0].copy(), table[:, 1:].copy()
        self._put_together()


def _splitmix64(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The upper 53 of 64 well mixed bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(11)


def _check(numbers: Array, sound: bool, what: str) -> None:
    if not sound or not (np.abs(numbers) <= _FAR).all():
        raise ValueError(f"the sketch has {what if not sound else 'numbers that are too large'}")
