"""Bounds on each coordinate."""

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.domains.domain import Domain, Linear
from regretless.domains.vectors import Array, constant, vector

if TYPE_CHECKING:
    from regretless.geometry import Geometry

__all__ = ["Box", "within"]

_FEW = 12  # dimensions in which all corners are looked at


@dataclass(frozen=True, eq=False, repr=False)
class Box(Domain):
    """The vectors with each coordinate between two bounds: `low <= w <= high`.

    Parameters: `low` and `high`, numbers (the same for every coordinate, any dimension) or vectors,
    `low <= high`; infinite bounds do not constrain. Kept as arrays.

    The projection is `clip(w, low, high)` in every geometry that is a sum over coordinates.

    >>> Box([0.0, -1.0], 1.0).project([-3.0, 0.5])
    array([0. , 0.5])
    """

    low: Array
    high: Array

    def __init__(self, low: Any, high: Any) -> None:
        low, high = constant(low, "low"), constant(high, "high")
        if low.ndim == high.ndim == 1 and len(low) != len(high):
            raise ValueError(f"low has shape {low.shape}, but high has shape {high.shape}")
        crossed = (low > high) | (low == math.inf) | (high == -math.inf)
        if np.any(crossed):
            at = int(np.argmax(crossed))
            pair = [float(np.broadcast_to(b, crossed.shape).flat[at]) for b in (low, high)]
            raise ValueError(f"low={pair[0]} and high={pair[1]} leave nothing in coordinate {at}")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def _vector(self, value: Any, name: str) -> Array:
        size = max(self.low.size * self.low.ndim, self.high.size * self.high.ndim)
        return vector(value, name, size or None, "the box")

    def _bounds(self, d: int) -> tuple[Array, Array]:
        return np.broadcast_to(self.low, (d,)), np.broadcast_to(self.high, (d,))

    def contains(self, w: Any, tolerance: float = 1e-9) -> bool:
        """Whether `low <= w <= high`, up to `tolerance`.

        >>> Box(0.0, 1.0).contains([0.5, 1.5])
        False
        """
        w = self._vector(w, "w")
        slack = tolerance * np.maximum(1.0, np.abs(w))
        return bool(np.all((w >= self.low - slack) & (w <= self.high + slack)))

    def support(self, theta: Any) -> float:
        """`sum_i max(low_i theta_i, high_i theta_i)`.

        >>> Box(0.0, 2.0).support([1.0, -1.0])
        2.0
        """
        theta = self._vector(theta, "theta")
        ends = np.where(theta > 0, self.high, self.low)[theta != 0]
        return float(ends @ theta[theta != 0])

    def maximiser(self, theta: Any) -> Array:
        """The corner in the direction of `theta`; where `theta` is 0, the point nearest to 0.

        >>> Box(-1.0, 2.0).maximiser([1.0, -1.0, 0.0])
        array([ 2., -1.,  0.])
        """
        theta = self._vector(theta, "theta")
        low, high = self._bounds(len(theta))
        corner = np.where(theta > 0, high, np.where(theta < 0, low, np.clip(0.0, low, high)))
        if not np.all(np.isfinite(corner)):
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return corner

    def longest(self, dimension: int) -> float:
        """`sum max(|low|, |high|)`"""
        low, high = self._bounds(dimension)
        return float(np.maximum(np.abs(low), np.abs(high)).sum())

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """`||high - low||`, if the norm does not ask for signs."""
        from regretless.geometry import Euclidean, PNorm

        low, high = self._bounds(dimension)
        if not isinstance(geometry, Euclidean | PNorm) or not np.isfinite(high - low).all():
            return super().diameter(geometry, dimension)
        return geometry.norm(high - low)

    def _exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        from regretless.domains.solvers import quadratic_program

        low, high = self._bounds(len(theta))
        if geometry.separable:
            low, high = within(low, high, geometry)
            return np.minimum(np.maximum(geometry.link(theta), low), high)
        if geometry.quadratic is not None:
            return quadratic_program(theta, geometry.quadratic, Linear.of(len(theta), low, high))
        return None

    def _peak(self, geometry: "Geometry", d: int) -> float:
        from regretless.geometry import Euclidean, PNorm

        low, high = self._bounds(d)
        low, high = within(low, high, geometry)
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high))):
            return math.inf
        if isinstance(geometry, Euclidean | PNorm):
            return geometry.value(np.maximum(np.abs(low), np.abs(high)))
        if geometry.separable:
            # from any corner, each coordinate can be improved by itself
            swapped = np.where(np.eye(d, dtype=bool), high, low)
            better = [geometry.value(corner) > geometry.value(low) for corner in swapped]
            return geometry.value(np.where(better, high, low))
        if d <= _FEW:
            return max(geometry.value(np.array(c)) for c in itertools.product(*zip(low, high)))
        if geometry.quadratic is not None:
            reach = np.maximum(np.abs(low), np.abs(high))
            return 0.5 * float(reach @ np.abs(geometry.quadratic) @ reach)
        return math.inf

    def _linear(self, d: int) -> Linear | None:
        return Linear.of(d, self.low, self.high)

    def _inner(self, d: int) -> Array:
        low, high = self._bounds(d)
        with np.errstate(invalid="ignore"):
            middle = low / 2 + high / 2
        return np.where(np.isfinite(middle), middle, np.clip(0.0, low + 1.0, high - 1.0))


def within(low: Array, high: Array, geometry: "Geometry") -> tuple[Array, Array]:
    """The bounds together with those of the geometry's own domain, if that is a box.

    >>> from regretless.geometry import UnnormalizedEntropy
    >>> within(np.array([-1.0]), np.array([1.0]), UnnormalizedEntropy())
    (array([0.]), array([1.]))
    """
    own = geometry.domain
    if not isinstance(own, Box):
        return low, high
    if np.any(own.low > high) or np.any(own.high < low):
        raise ValueError(f"Box(low={low}, high={high}) and the domain of {geometry} do not meet")
    return np.maximum(low, own.low), np.minimum(high, own.high)
