"""Boxes, slabs (the sets between two parallel planes) and simplices."""

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, finite_numbers, positive
from regretless.base.solvers import Polyhedron, increasing_root, solve_quadratic
from regretless.domains.domain import Domain, Everything, constant, vector

if TYPE_CHECKING:
    from regretless.geometry import Geometry


# --- bounds on each coordinate --------------------------------------------------------------------

_FEW = 12  # dimensions in which all corners are looked at


@dataclass(frozen=True, eq=False, repr=False)
class Box(Domain):
    """The vectors with each coordinate between two bounds: `low <= w <= high`.

    Parameters: `low` and `high`, numbers (the same for every coordinate, any dimension) or vectors,
    `low <= high`; infinite bounds leave a side open. Both are kept as arrays.

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
            raise ValueError(f"low={pair[0]} and high={pair[1]} leave coordinate {at} empty")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def _vector(self, value: Any, name: str) -> Array:
        size = max(self.low.size * self.low.ndim, self.high.size * self.high.ndim)
        return vector(value, name, size or None, "the box")

    def bounds(self, d: int) -> tuple[Array, Array]:
        """Both bounds of each of `d` coordinates."""
        return np.broadcast_to(self.low, (d,)), np.broadcast_to(self.high, (d,))

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `low <= w <= high`, up to `tolerance`.

        >>> Box(0.0, 1.0).contains([0.5, 1.5])
        False
        """
        w = self._vector(w, "w")
        slack = tolerance * np.maximum(1.0, np.abs(w))
        return bool(np.all((w >= self.low - slack) & (w <= self.high + slack)))

    def support(self, theta: ArrayLike) -> float:
        """`sum_i max(low_i theta_i, high_i theta_i)`.

        >>> Box(0.0, 2.0).support([1.0, -1.0])
        2.0
        """
        theta = self._vector(theta, "theta")
        ends = np.where(theta > 0, self.high, self.low)[theta != 0]
        return float(ends @ theta[theta != 0])

    def maximiser(self, theta: ArrayLike) -> Array:
        """The corner in the direction of `theta`; where `theta` is 0, the point nearest to 0.

        >>> Box(-1.0, 2.0).maximiser([1.0, -1.0, 0.0])
        array([ 2., -1.,  0.])
        """
        theta = self._vector(theta, "theta")
        low, high = self.bounds(len(theta))
        corner = np.where(theta > 0, high, np.where(theta < 0, low, np.clip(0.0, low, high)))
        if not np.all(np.isfinite(corner)):
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return corner

    def longest(self, dimension: int) -> float:
        """`sum max(|low|, |high|)`"""
        low, high = self.bounds(dimension)
        return float(np.maximum(np.abs(low), np.abs(high)).sum())

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The norm of `high - low`, if the norm ignores signs; otherwise an upper bound."""
        from regretless.geometry import Euclidean, PNorm

        low, high = self.bounds(dimension)
        if not isinstance(geometry, Euclidean | PNorm) or not np.isfinite(high - low).all():
            return super().diameter(geometry, dimension)
        return geometry.norm(high - low)

    def exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        from regretless.domains.projections import quadratic_program

        low, high = self.bounds(len(theta))
        if geometry.separable:
            low, high = within(low, high, geometry)
            return np.minimum(np.maximum(geometry.link(theta), low), high)
        if geometry.quadratic is not None:
            return quadratic_program(
                theta, geometry.quadratic, Polyhedron.of(len(theta), low, high)
            )
        return None

    def peak(self, geometry: "Geometry", d: int) -> float:
        from regretless.geometry import Euclidean, PNorm

        low, high = self.bounds(d)
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

    def polyhedron(self, d: int) -> Polyhedron | None:
        return Polyhedron.of(d, self.low, self.high)

    def inner(self, d: int) -> Array:
        low, high = self.bounds(d)
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


# --- the points whose score on one example is bounded ---------------------------------------------

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Slab(Domain):
    """The vectors with a bounded score on an example: `|<w, x>| <= bound`.

    Parameters: `x`, a finite vector; `bound > 0`.

    The projection in the geometry `1/2 w'Aw` is (Luo, Lemma 11)

        w - excess / <x, A^-1 x> * A^-1 x,    excess = sign(<w, x>) max(|<w, x>| - bound, 0),

    and `link(gradient(w) - tau x)` in every other, with `tau` the root of `<v, x> = +-bound`.

    >>> Slab([1.0, 1.0], 1.0).project([2.0, 1.0])
    array([1., 0.])
    """

    x: Array
    bound: float

    def __init__(self, x: Any, bound: float) -> None:
        x = constant(x, "x", (1,))
        finite_numbers(x, "x")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "bound", positive(bound, "bound"))

    def _vector(self, value: Any, name: str) -> Array:
        return vector(value, name, len(self.x), "x of the slab")

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `|<w, x>| <= bound`, up to `tolerance` and the rounding of the product.

        >>> Slab([1.0, 1.0], 1.0).contains([5.0, -5.0])
        True
        """
        w = self._vector(w, "w")
        with np.errstate(over="ignore", invalid="ignore"):
            score, rounding = float(w @ self.x), 8 * _EPS * float(np.abs(w) @ np.abs(self.x))
        return abs(score) <= self.bound + tolerance * max(1.0, self.bound) + rounding

    def support(self, theta: ArrayLike) -> float:
        """`bound * |<theta, x>| / ||x||^2` if `theta` is a multiple of `x`, otherwise infinite.

        >>> Slab([1.0, 1.0], 1.0).support([3.0, 3.0])
        3.0
        """
        return math.inf if (u := self._attained(theta)) is None else float(u @ np.asarray(theta))

    def maximiser(self, theta: ArrayLike) -> Array:
        """The point `+-bound x / ||x||^2`, if `theta` is a multiple of `x`.

        >>> Slab([1.0, 1.0], 1.0).maximiser([-3.0, -3.0])
        array([-0.5, -0.5])
        """
        if (u := self._attained(theta)) is None:
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta!s}")
        return u

    def _attained(self, theta: ArrayLike) -> Array | None:
        theta = self._vector(theta, "theta")
        squared = float(self.x @ self.x)
        along = float(theta @ self.x) / squared if squared else 0.0
        rest = np.abs(theta - along * self.x).max()
        if rest > 8 * np.finfo(float).eps * np.abs(theta).max():  # beyond rounding
            return None
        return np.asarray(np.sign(along) * self.bound / (squared or 1.0) * self.x + 0.0)

    def exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        return self.cut(theta, geometry, Everything())

    def cut(self, theta: Array, geometry: "Geometry", rest: Domain) -> Array:
        """The link on the intersection of this slab and another domain.

        By duality it is `rest.link(theta - tau x, geometry)` for one number `tau`, and its score on
        `x` falls as `tau` grows.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import UnnormalizedEntropy
        >>> v = Slab([1.0, 0.0], 0.25).cut(np.zeros(2), UnnormalizedEntropy(), Simplex())
        >>> v.round(12)
        array([0.25, 0.75])
        """
        x = self.x
        w = rest.link(theta, geometry)
        with np.errstate(invalid="ignore", over="ignore"):
            score = float(w @ x)
        if abs(score) <= self.bound:
            return w
        if geometry.quadratic is not None and isinstance(rest, Everything):
            direction = solve_quadratic(geometry.quadratic, x)
            excess = math.copysign(abs(score) - self.bound, score)
            return np.asarray(w - excess / float(x @ direction) * direction)
        side = math.copysign(1.0, score)

        def excess_at(tau: float) -> float:
            with np.errstate(invalid="ignore", over="ignore"):
                v = rest.link(theta - side * tau * x, geometry)
                return self.bound - side * float(v @ x)

        tau = increasing_root(excess_at, f"{self} and {rest} do not meet")
        return rest.link(theta - side * tau * x, geometry)

    def peak(self, geometry: "Geometry", d: int) -> float:
        if d == 1 and self.x[0] != 0:
            end = self.bound / abs(self.x[0])
            return max(geometry.value(np.array([end])), geometry.value(np.array([-end])))
        return math.inf

    def polyhedron(self, d: int) -> Polyhedron | None:
        return Polyhedron.of(d, rows=[self.x, -self.x], limits=[self.bound, self.bound])

    def inner(self, d: int) -> Array:
        return np.zeros(d)


# --- nonnegative weights with a given sum ---------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Simplex(Domain):
    """The nonnegative vectors with a given sum: `w >= 0, sum w = scale`.

    Parameters: `scale > 0`; 1 for probabilities.

    The Euclidean projection is `max(w - tau, 0)`, with `tau` found by sorting; in the entropies it
    is `scale * w / sum(w)`.

    >>> Simplex().project([0.5, 1.2, -0.3]).round(12)
    array([0.15, 0.85, 0.  ])
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `w >= 0` and `sum w = scale`, up to `tolerance`.

        >>> Simplex().contains([0.5, 0.6])
        False
        """
        w = self._vector(w, "w")
        slack = tolerance * max(1.0, self.scale)
        return bool(np.all(w >= -slack) and abs(w.sum() - self.scale) <= slack)

    def support(self, theta: ArrayLike) -> float:
        """`scale * max_i theta_i`.

        >>> Simplex(2.0).support([1.0, 3.0])
        6.0
        """
        return self.scale * float(np.max(self._vector(theta, "theta")))

    def maximiser(self, theta: ArrayLike) -> Array:
        """The vertex of the first largest coordinate of `theta`.

        >>> Simplex(2.0).maximiser([1.0, 3.0])
        array([0., 2.])
        """
        theta = self._vector(theta, "theta")
        return np.asarray(self.scale * np.eye(len(theta))[np.argmax(theta)])

    def longest(self, dimension: int) -> float:
        """`scale`"""
        return self.scale

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The largest distance of two vertices."""
        e = self.scale * np.eye(dimension)
        if geometry.separable and geometry.quadratic is None:  # all pairs are alike
            return geometry.norm(e[0] - e[-1])
        return max(geometry.norm(v - w) for v in e for w in e)

    def exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        from regretless.domains.projections import fixed_sum, quadratic_program
        from regretless.geometry import UnnormalizedEntropy

        if len(theta) == 1:  # there is only one point
            return np.array([self.scale])
        if isinstance(geometry, UnnormalizedEntropy):
            exponentials = np.exp(theta - theta.max())
            return np.asarray(self.scale / exponentials.sum() * exponentials)
        matrix = geometry.quadratic
        if matrix is not None and matrix.ndim == 2:
            return quadratic_program(theta, matrix, self.polyhedron(len(theta)))
        if matrix is not None:
            return _by_sorting(theta, np.broadcast_to(matrix, theta.shape), self.scale)
        if geometry.separable:
            low, high = np.zeros(len(theta)), np.full(len(theta), self.scale)
            return fixed_sum(theta, geometry, low, high, self.scale)
        return None

    def peak(self, geometry: "Geometry", d: int) -> float:
        return max(geometry.value(vertex) for vertex in self.scale * np.eye(d))

    def polyhedron(self, d: int) -> Polyhedron:
        return Polyhedron.of(d, low=0.0, equal=np.ones(d), to=[self.scale])

    def inner(self, d: int) -> Array:
        return np.full(d, self.scale / d)


def _by_sorting(theta: Array, diagonal: Array, scale: float) -> Array:
    """The maximiser of `<v, theta> - 1/2 sum diagonal v^2` over the simplex.

    It is `max(theta + tau, 0) / diagonal`; those that are not 0 come first when `theta` is sorted.
    """
    order = np.argsort(-theta)
    weight = 1.0 / diagonal[order]
    # relative to the largest, so that a large common offset keeps precision
    gap = theta[order] - theta[order[0]]
    tau = (scale - np.cumsum(gap * weight)) / np.cumsum(weight)
    last = np.flatnonzero(gap + tau > 0)[-1]
    return np.asarray(np.maximum(theta - theta[order[0]] + tau[last], 0.0) / diagonal)
