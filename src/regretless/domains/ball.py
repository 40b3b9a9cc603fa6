"""Balls of the lp norms."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base import arguments
from regretless.base.arguments import Array
from regretless.base.solvers import Polyhedron, increasing_root, newton_from_above
from regretless.domains.box import Box, Simplex, within
from regretless.domains.domain import Domain, constant, vector

if TYPE_CHECKING:
    from regretless.geometry import Geometry


def lp_norm(w: Array, p: float) -> float:
    """`(sum |w_i|^p)^(1/p)` without overflow, the largest `|w_i|` for `p = inf`.

    >>> lp_norm(np.array([3e300, 4e300]), 2.0) / 1e300
    5.0
    """
    largest = float(np.max(np.abs(w)))
    if largest in (0.0, math.inf) or p == math.inf:
        return largest
    return largest * math.pow(float(np.sum(np.abs(w / largest) ** p)), 1.0 / p)


def _steepest(theta: Array, p: float) -> Array:
    """A point of the unit lp ball with the largest inner product with `theta`."""
    largest = np.max(np.abs(theta))
    if largest == 0.0:
        return np.zeros(len(theta))
    if p == 1.0:
        i = np.argmax(np.abs(theta))
        return np.asarray(np.sign(theta[i]) * np.eye(len(theta))[i])
    if p == math.inf:
        return np.sign(theta)
    dual = p / (p - 1.0)
    u = np.sign(theta) * np.abs(theta / largest) ** (dual - 1.0)
    return np.asarray(u / lp_norm(u, p))


@dataclass(frozen=True, eq=False, repr=False)
class Ball(Domain):
    """The vectors within a distance of a centre, in an lp norm: `||w - center||_p <= radius`.

    Parameters: `radius > 0`; `p` from 1 (the l1 ball) to `math.inf`, 2 by default; `center`, a
    finite vector, 0 in any dimension if `None`.

    The Euclidean projection on the l2 ball is a scaling, on the l1 ball that of `|w|` on a simplex,
    else a root in one multiplier. In the geometry `PNorm`, the ball of its own norm needs only a
    scaling, in `Quadratic` the l2 ball one root of the secular equation.

    >>> Ball(1.0).project([3.0, 4.0])
    array([0.6, 0.8])
    >>> Ball(1.0, p=1).project([3.0, 2.5])
    array([0.75, 0.25])
    """

    radius: float = 1.0
    p: float = 2.0
    center: Array | None = None

    def __post_init__(self) -> None:
        radius = arguments.positive(self.radius, "radius")
        arguments.within(radius, "radius", "(0, 1e75]", "; scale the problem")
        object.__setattr__(self, "radius", radius)
        hint = ": below 1 the ball is not convex"
        object.__setattr__(self, "p", arguments.within(self.p, "p", "[1, inf]", hint))
        if self.center is not None:
            object.__setattr__(self, "center", constant(self.center, "center", (1,)))
            arguments.finite_numbers(self.center, "center")

    def _vector(self, value: Any, name: str) -> Array:
        size = None if self.center is None else len(self.center)
        return vector(value, name, size, "the ball's center")

    def middle(self, d: int) -> Array:
        """The centre, as a vector of `d` coordinates."""
        return np.zeros(d) if self.center is None else self.center

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `||w - center||_p <= radius`, up to `tolerance`.

        >>> Ball(1.0, p=math.inf).contains([1.0, -1.0])
        True
        """
        w = self._vector(w, "w")
        distance = lp_norm(w - self.middle(len(w)), self.p)
        return distance <= self.radius + tolerance * max(1.0, self.radius)

    def support(self, theta: ArrayLike) -> float:
        """`<center, theta> + radius ||theta||_q`, with `1/p + 1/q = 1`.

        >>> Ball(2.0).support([3.0, 4.0])
        10.0
        """
        theta = self._vector(theta, "theta")
        dual = 1.0 if self.p == math.inf else math.inf if self.p == 1.0 else self.p / (self.p - 1.0)
        return float(self.middle(len(theta)) @ theta) + self.radius * lp_norm(theta, dual)

    def maximiser(self, theta: ArrayLike) -> Array:
        """The point of the sphere in the direction dual to `theta`; the centre for `theta = 0`.

        >>> Ball(10.0).maximiser([3.0, 4.0])
        array([6., 8.])
        """
        theta = self._vector(theta, "theta")
        return self.middle(len(theta)) + self.radius * _steepest(theta, self.p)

    def longest(self, dimension: int) -> float:
        """`radius d^(1 - 1/p) + ||center||_1`"""
        wide = self.radius * dimension ** (1.0 - 1.0 / self.p)
        return float(wide + np.abs(self.middle(dimension)).sum())

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """Twice the radius, in the norm of the geometry."""
        from regretless.geometry import Euclidean, PNorm

        if not isinstance(geometry, Euclidean | PNorm):
            return super().diameter(geometry, dimension)
        q = 2.0 if isinstance(geometry, Euclidean) else geometry.q
        return float(2.0 * self.radius * dimension ** max(1.0 / q - 1.0 / self.p, 0.0))

    def exact_link(  # noqa: PLR0911 one case after the other
        self, theta: Array, geometry: "Geometry"
    ) -> Array | None:
        from regretless.domains.projections import fixed_distance, quadratic_program
        from regretless.geometry import PNorm, UnnormalizedEntropy

        middle = self.middle(len(theta))
        if self.p == math.inf:
            return Box(middle - self.radius, middle + self.radius).exact_link(theta, geometry)
        matrix = geometry.quadratic
        if matrix is not None and self.p == 2.0:
            return self._by_secular_equation(theta, matrix, middle)
        if matrix is not None and matrix.ndim == 0:  # a multiple of the Euclidean one
            return middle + _scaled(theta / matrix - middle, self.radius, self.p)
        around_zero = not np.any(middle)
        if isinstance(geometry, PNorm) and around_zero and self.p == geometry.q:
            w = geometry.link(theta)
            return w * min(1.0, self.radius / (lp_norm(w, self.p) or 1.0))
        if isinstance(geometry, UnnormalizedEntropy) and around_zero and self.p == 1.0:
            w = geometry.link(theta)
            return w if w.sum() <= self.radius else Simplex(self.radius).link(theta, geometry)
        if geometry.separable:
            box = within(np.full(len(theta), -math.inf), np.full(len(theta), math.inf), geometry)
            return fixed_distance(theta, geometry, self, *box)
        if self.p == 1.0 and matrix is not None:
            bounds = Polyhedron.of(len(theta), middle - self.radius, middle + self.radius)
            return quadratic_program(theta, matrix, bounds, [self])
        return None

    def _by_secular_equation(self, theta: Array, matrix: Array, middle: Array) -> Array:
        """The link for `1/2 v'Av` on the l2 ball: `v - center = (A + mu)^-1 (theta - A center)`."""
        if matrix.ndim == 2:
            values, basis = np.linalg.eigh(matrix)
            force = basis.T @ (theta - matrix @ middle)
        else:
            values, basis = np.broadcast_to(matrix, theta.shape), None
            force = theta - matrix * middle
        step = force / values
        length = lp_norm(step, 2.0)
        if length > self.radius and matrix.ndim == 0:
            step *= self.radius / length
        elif length > self.radius:
            # 1 / ||v - center|| is nearly linear in mu, so the root is found in a few steps
            mu = increasing_root(lambda mu: self.radius / lp_norm(force / (values + mu), 2.0) - 1.0)
            step = force / (values + mu)
        return np.asarray(middle + (step if basis is None else basis @ step))

    def peak(self, geometry: "Geometry", d: int) -> float:
        from regretless.geometry import Euclidean, PNorm, UnnormalizedEntropy

        middle = self.middle(d)
        peak = Box(middle - self.radius, middle + self.radius).peak(geometry, d)
        if self.p == 1.0 and isinstance(geometry, UnnormalizedEntropy) and not np.any(middle):
            # cut off at 0, the ball has one more extreme point there
            return max(geometry.value(np.zeros(d)), Simplex(self.radius).peak(geometry, d))
        if self.p == 1.0:
            spikes = self.radius * np.concatenate([np.eye(d), -np.eye(d)])
            return min(peak, max(geometry.value(middle + spike) for spike in spikes))
        if isinstance(geometry, Euclidean | PNorm) and self.p < math.inf:
            q = 2.0 if isinstance(geometry, Euclidean) else geometry.q
            longest = self.radius * d ** max(1.0 / q - 1.0 / self.p, 0.0) + lp_norm(middle, q)
            return min(peak, geometry.value(longest * np.eye(d)[0]))
        if geometry.quadratic is not None and self.p == 2.0:
            longest = self.radius * math.sqrt(_largest_eigenvalue(geometry.quadratic))
            return min(peak, (longest + math.sqrt(2.0 * geometry.value(middle))) ** 2 / 2.0)
        return peak

    def polyhedron(self, d: int) -> Polyhedron | None:
        middle = self.middle(d)
        if self.p == math.inf or d == 1:
            return Polyhedron.of(d, middle - self.radius, middle + self.radius)
        return None

    def inner(self, d: int) -> Array:
        return self.middle(d)


def _largest_eigenvalue(matrix: Array) -> float:
    return float(np.max(matrix if matrix.ndim < 2 else np.linalg.eigvalsh(matrix)))


def _scaled(w: Array, radius: float, p: float) -> Array:
    """The Euclidean projection of `w` on the lp ball around 0, for `p` other than 2."""
    if lp_norm(w, p) <= radius:
        return w
    size = np.abs(w) / radius
    if p == 1.0:
        return np.sign(w) * radius * Simplex().project(size)

    def shrunk(mu: float) -> Array:
        """The root `v` of `v + mu v^(p-1) = size` in each coordinate.

        In `x = v` or `x = v^(p-1)`, whichever makes the left side convex, Newton's steps from above
        decrease until they are at the root.
        """
        if mu == 0.0:
            return size
        a, b, k = (1.0, mu, p - 1.0) if p > 2.0 else (mu, 1.0, 1.0 / (p - 1.0))
        x = np.minimum(size / a, (size / b) ** (1.0 / k))
        x = newton_from_above(lambda x: (a * x + b * x**k - size) / (a + b * k * x ** (k - 1.0)), x)
        return np.asarray(x if p > 2.0 else x**k)

    mu = increasing_root(lambda mu: 1.0 - lp_norm(shrunk(mu), p))
    v = shrunk(mu)
    return np.asarray(np.sign(w) * v * (radius / lp_norm(v, p)))
