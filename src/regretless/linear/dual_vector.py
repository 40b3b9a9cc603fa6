"""The dual vector `theta` of the primal-dual updates, with its conjugate and its link."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from regretless import _core
from regretless.base.arguments import Array
from regretless.base.model import Row
from regretless.geometry import Euclidean, Geometry

_TRIES = 100  # the most steps of a line search, which takes about ten


class DualVector(ABC):
    """The vector `theta = sum_i alpha_i y_i x_i`, with `G(theta) = max_w <w, theta> - F(w)`, `F >= 0`.

    `F` is the geometry less its minimum, so that `G(0) = 0`. `total` is the sum of the `alpha_i`;
    `moves` counts changes of `theta`, because each is rounded.
    """

    straight = False  # whether G is half the squared Euclidean norm

    def __init__(self, geometry: Geometry, size: int) -> None:
        self.geometry = geometry
        self.theta: Array = np.zeros(size)
        self.total = 0.0
        self.conjugate = 0.0
        self.moves = 0

    @property
    def size(self) -> int:
        """The number of coordinates of `theta`."""
        return len(self.theta)

    @abstractmethod
    def curvature(self, x: Row) -> float:
        """`h(x) >= <x, H x>` for the Hessian of `G` everywhere; infinite if no bound is known."""

    @abstractmethod
    def score(self, x: Row) -> float:
        """The score `<w, x>`, with `w` the link of `theta`."""

    @abstractmethod
    def step(self, x: Row, y: float, least: float, most: float, margin: float) -> float:
        """The `a` in `[least, most]` that maximises `margin a - G(theta + a y x)`."""

    @abstractmethod
    def move(self, x: Row, y: float, a: float) -> None:
        """Add `a y x` to `theta`, and `a` to `total`."""

    @abstractmethod
    def weights(self) -> Array:
        """The weights `w`, the link of `theta`."""

    @abstractmethod
    def refresh(self) -> None:
        """Recompute the conjugate and the link from `theta`."""

    @abstractmethod
    def mark(self) -> Any:
        """The current state, for `rewind`, in time independent of the number of coordinates."""

    @abstractmethod
    def rewind(self, mark: Any) -> None:
        """Go back to the latest mark."""

    def grow(self, size: int) -> None:
        """Append coordinates, which are 0."""
        if size > self.size:
            self.theta = np.concatenate([self.theta, np.zeros(size - self.size)])
            self.refresh()

    def copy(self, sign: float = 1.0) -> Self:
        """A copy; with sign -1 the vector for exchanged labels."""
        other = copy.copy(self)
        other.theta = sign * self.theta
        if sign < 0.0:
            other.refresh()
        return other


class _Straight(DualVector):
    """The Euclidean dual vector: `w = theta`, and a step takes time in proportion to the example."""

    straight = True

    def __init__(self, geometry: Geometry, size: int) -> None:
        super().__init__(geometry, size)
        # the coordinates that the latest example changed, and their values at the latest mark
        self._before: dict[int, tuple[Any, Array]] = {}

    def curvature(self, x: Row) -> float:
        return x.square

    def score(self, x: Row) -> float:
        if len(x.columns) and x.known > self.size:  # features that were not learned add nothing
            there = x.columns < self.size
            return float(self.theta[x.columns[there]] @ x.values[there])
        return float(self.theta[x.columns] @ x.values)

    def step(self, x: Row, y: float, least: float, most: float, margin: float) -> float:
        square = x.square
        if square == 0.0:
            return most
        return min(max((margin - y * self.score(x)) / square, least), most)

    def move(self, x: Row, y: float, a: float) -> None:
        conjugate = self.conjugate + (a * y * self.score(x) + 0.5 * a * a * x.square)
        total = self.total + a
        # no coordinate is larger than the root of twice the conjugate
        if not math.isfinite(conjugate + total):
            raise _core.Diverged(
                "the dual objective overflowed; the example was not learned. Lower C or the example's "
                "importance, scale the features, or use update='exact', whose steps are as short as the "
                "margin allows"
            )
        here = self.theta[x.columns]
        self._before.setdefault(id(x), (x.columns, here))
        self.theta[x.columns] = here + (a * y) * x.values
        self.conjugate, self.total, self.moves = conjugate, total, self.moves + 1

    def weights(self) -> Array:
        return self.theta.copy()

    def refresh(self) -> None:
        # einsum, because a long product would wake the threads of BLAS
        self.conjugate = 0.5 * float(np.einsum("i,i->", self.theta, self.theta))

    def mark(self) -> Any:
        self._before = {}
        return self.theta, self.total, self.conjugate, self.moves

    def rewind(self, mark: Any) -> None:
        for columns, before in reversed(self._before.values()):
            self.theta[columns] = before
        self.theta, self.total, self.conjugate, self.moves = mark

    def grow(self, size: int) -> None:
        if size > self.size:  # in place while there is room: features come one at a time
            self.theta = extended(self.theta, size)


class _Curved(DualVector):
    """The dual vector of any other geometry, where a change of `theta` changes all weights."""

    def __init__(self, geometry: Geometry, size: int) -> None:
        super().__init__(geometry, size)
        self._w: Array = np.zeros(0)
        self.refresh()

    def curvature(self, x: Row) -> float:
        sigma = self.geometry.strong_convexity
        if not sigma > 0.0:
            return float("inf")
        return self.geometry.dual_norm(self._spread(x)) ** 2 / sigma if self.size else 0.0

    def score(self, x: Row) -> float:
        w = self._w
        if len(x.columns) and x.known > self.size:
            w = self._link(np.concatenate([self.theta, np.zeros(x.known - self.size)]))
        return float(w[x.columns] @ x.values)

    def step(self, x: Row, y: float, least: float, most: float, margin: float) -> float:
        if not len(x.columns):
            return most
        here = margin - y * self.score(x)  # the slope at 0, which falls with a
        end = most if here > 0.0 else least
        if here == 0.0 or end == 0.0:
            return 0.0
        spread = self._spread(x)

        def slope(a: float) -> float:
            return margin - y * float(self._link(self.theta + (a * y) * spread) @ spread)

        there = slope(end)
        return end if here * there >= 0.0 else _root(slope, (0.0, here), (end, there))

    def move(self, x: Row, y: float, a: float) -> None:
        self.theta = self.theta + (a * y) * self._spread(x)
        self.total += a
        self.moves += 1
        self.refresh()

    def weights(self) -> Array:
        return self._w.copy()

    def refresh(self) -> None:
        if not self.size:
            return
        w = self._link(self.theta)
        at_zero = self.geometry.conjugate(np.zeros(self.size))
        conjugate = self.geometry.conjugate(self.theta) - at_zero
        if not np.isfinite(conjugate):
            raise ValueError(
                f"geometry={self.geometry!r}: its conjugate is {conjugate} at {self.theta}"
            )
        self._w, self.conjugate = w, conjugate

    def mark(self) -> Any:
        # the arrays are never changed in place
        return self.theta, self.total, self.conjugate, self.moves, self._w

    def rewind(self, mark: Any) -> None:
        self.theta, self.total, self.conjugate, self.moves, self._w = mark

    def _link(self, theta: Array) -> Array:
        w = self.geometry.link(theta)
        if not np.isfinite(w).all():
            raise ValueError(f"geometry={self.geometry!r}: its link is not finite at {theta}")
        return w

    def _spread(self, x: Row) -> Array:
        out = np.zeros(self.size)
        out[x.columns] = x.values
        return out


def _root(
    function: Callable[[float], float], one: tuple[float, float], other: tuple[float, float]
) -> float:
    """The zero of a monotone function between two points where its values have opposite signs.

    False position with the Illinois rule, which halves the value at an end that stays: as safe as
    bisection, and nearly as fast as the secant method.
    """
    (a, f), (b, g) = one, other
    small = 1e-15 * (abs(f) + abs(g))
    for _ in range(_TRIES):
        if abs(g) <= small or abs(b - a) <= 4e-16 * max(abs(a), abs(b)):
            break
        c = (a * g - b * f) / (g - f)
        value = function(c)
        if (value > 0.0) == (g > 0.0):
            b, g, f = c, value, 0.5 * f
        else:
            a, f, b, g = b, g, c, value
    return b


def extended(table: Array, size: int) -> Array:
    """The array with more rows, which are 0, and with spare room behind it."""
    room = table if table.base is None else table.base
    if len(room) < size:
        room = np.zeros((max(size, 2 * len(table)), *table.shape[1:]))
        room[: len(table)] = table
    return room[:size]


def dual_vector(geometry: Geometry, size: int) -> DualVector:
    """The dual vector 0 of a geometry.

    >>> from regretless.geometry import Entropy
    >>> dual_vector(Entropy(), 4).weights()
    array([0.25, 0.25, 0.25, 0.25])
    """
    kind = _Straight if type(geometry) is Euclidean else _Curved
    return kind(geometry, size)
