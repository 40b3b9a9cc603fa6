"""Sublevel sets of geometries, and whether one domain lies in another."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, instance, positive
from regretless.base.solvers import bisected
from regretless.domains.ball import Ball, lp_norm
from regretless.domains.box import Box, Simplex
from regretless.domains.domain import Domain, Everything, constant, vector
from regretless.domains.intersection import Intersection

if TYPE_CHECKING:
    from regretless.geometry import Geometry


# --- the points of a domain at which a geometry is not far above where play begins ----------------


@dataclass(frozen=True, eq=False, repr=False)
class Sublevel(Domain):
    """The points `u` of a domain with `psi(u) - psi(start) <= height`: a set to compare with.

    In an unbounded domain, points that are far enough away can beat a player by any amount. So the
    certificate of the player is about the points near its start, in its own geometry: with half a
    squared norm and `height = radius^2 / 2`, these are the points of norm at most `radius`.

    Parameters: `geometry`, psi; `start`, a point of the domain, where psi is least; `height > 0`;
    `domain`, within which the points are.

    >>> from regretless.domains import Everything
    >>> from regretless.geometry import Euclidean
    >>> near = Sublevel(Euclidean(), [0.0, 0.0], 4.5, Everything())
    >>> round(near.support([3.0, 4.0]), 9), near.contains([0.0, 3.0])
    (15.0, True)
    """

    geometry: "Geometry"
    start: Array
    height: float
    domain: Domain

    def __init__(self, geometry: "Geometry", start: Any, height: float, domain: Domain) -> None:
        from regretless.geometry import Geometry

        object.__setattr__(self, "geometry", instance(geometry, "geometry", Geometry))
        object.__setattr__(self, "start", constant(start, "start", (1,)))
        object.__setattr__(self, "height", positive(height, "height"))
        object.__setattr__(self, "domain", instance(domain, "domain", Domain))
        if not math.isfinite(geometry.value(self.start)):
            raise ValueError(f"start={self.start} is outside the domain of {geometry}")

    def __str__(self) -> str:
        return f"{self.domain} with psi(u) - psi(w_1) <= {self.height:g}, psi being {self.geometry}"

    def _vector(self, value: Any, name: str) -> Array:
        return vector(value, name, len(self.start), "start")

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `w` is in the domain and `psi(w) - psi(start) <= height`, up to `tolerance`."""
        w = self._vector(w, "w")
        above = self.geometry.value(w) - self.geometry.value(self.start)
        return self.domain.contains(w, tolerance) and above <= self.height + tolerance * max(
            1.0, self.height
        )

    def bounded(self, dimension: int) -> bool:
        """Whether psi grows in every direction in which the domain is unbounded."""
        from regretless.geometry import UnnormalizedEntropy

        grows = self.geometry.strong_convexity > 0 or isinstance(self.geometry, UnnormalizedEntropy)
        return grows or self.domain.bounded(dimension) or super().bounded(dimension)

    def support(self, theta: ArrayLike) -> float:
        """The least of `s (height + psi(start)) + s psi*(theta / s)` over `s > 0`, by duality.

        `psi*` is that of psi on the domain. Every `s` gives an upper bound.
        """
        theta = self._vector(theta, "theta")
        if not theta.any():
            return 0.0
        return self._dual(self._multiplier(theta), theta)[0]

    def maximiser(self, theta: ArrayLike) -> Array:
        """The point where the inner product with `theta` is largest."""
        theta = self._vector(theta, "theta")
        return self._dual(self._multiplier(theta), theta)[1] if theta.any() else self.start.copy()

    def _dual(self, s: float, theta: Array) -> tuple[float, Array]:
        """The dual function at the multiplier `s`, and the point where it is attained."""
        with np.errstate(all="ignore"):
            v = self.domain.link(theta / s, self.geometry)
            above = self.geometry.value(v) - self.geometry.value(self.start)
            value = float(v @ theta) + s * (self.height - above)
        return (value if math.isfinite(value) else math.inf), v

    def _multiplier(self, theta: Array) -> float:
        """The `s` at which `psi(v) - psi(start)` is the height, by bisection: it falls in `s`."""

        def too_high(s: float) -> bool:
            with np.errstate(all="ignore"):
                try:
                    v = self.domain.link(theta / s, self.geometry)
                    above = self.geometry.value(v) - self.geometry.value(self.start)
                except (ArithmeticError, ValueError):  # overflow
                    return True
            return not above <= self.height

        low = high = self.geometry.dual_norm(theta) / math.sqrt(2.0 * self.height)
        factor = 4.0
        while too_high(high) and high < 1e300:
            high, factor = min(high * factor, 1e300), min(factor**2, 1e150)
        factor = 4.0
        while not too_high(low):
            if low <= 1e-300:  # the height is never reached: psi is flat in this direction
                return low
            low, factor = max(low / factor, 1e-300), min(factor**2, 1e150)
        low, high = bisected(
            lambda s: not too_high(s),
            low,
            high,
            60,
            lambda low, high: math.sqrt(low) * math.sqrt(high),
        )
        return float(high)

    def peak(self, geometry: "Geometry", d: int) -> float:
        if geometry == self.geometry:
            return self.height + geometry.value(self.start)
        unit = np.eye(d)
        low = [-self.support(-e) for e in unit]
        return min(
            self.domain.peak(geometry, d),
            Box(low, [self.support(e) for e in unit]).peak(geometry, d),
        )

    def inner(self, d: int) -> Array:
        return self.start.copy()


# --- whether one domain lies within another, by faces, corners and radii --------------------------

_TOLERANCE = 1e-9  # relative, as of `Domain.contains`


def includes(whole: Domain, part: Domain, d: int) -> bool | None:  # noqa: PLR0911 a case each
    """True if every point of `part` is in `whole`, False if one is not, None if unknown.

    >>> includes(Ball(1.0), Intersection(Ball(2.0), Box(-0.1, 0.1)), 2)
    True
    """
    if isinstance(whole, Everything) or whole == part:
        return True
    if isinstance(whole, Intersection):
        found = [includes(member, part, d) for member in whole.domains]
        return False if False in found else None if None in found else True
    within = part.domains if isinstance(part, Intersection) else ()
    within = (*within, part.domain) if isinstance(part, Sublevel) else within
    if any(includes(whole, member, d) for member in within):
        return True
    from regretless.geometry import Euclidean

    faces = whole.polyhedron(d)
    if faces is not None:  # exact: the support function tells what a face cuts off
        rows, limits = faces.inequalities()
        slack = _TOLERANCE * np.maximum(1.0, np.abs(limits))
        return all(part.support(row) <= limit for row, limit in zip(rows, limits + slack))
    if isinstance(whole, Ball) and (farthest := _farthest(part, whole, d)) is not None:
        return farthest <= _reached(whole)
    around_zero = isinstance(whole, Ball) and whole.p == 2.0 and not whole.middle(d).any()
    # an upper bound: it can prove inclusion, but not refute it
    reach = math.sqrt(2.0 * part.peak(Euclidean(), d)) if around_zero else math.inf
    if isinstance(whole, Ball) and reach <= _reached(whole):
        return True
    return None if all(map(whole.contains, _witnesses(part, d))) else False


def _reached(ball: Ball) -> float:
    return ball.radius + _TOLERANCE * max(1.0, ball.radius)


def _farthest(part: Domain, ball: Ball, d: int) -> float | None:
    """How far `part` reaches from the centre of a ball, in its norm."""
    p, middle = ball.p, ball.middle(d)
    if isinstance(part, Simplex):
        return max(lp_norm(vertex - middle, p) for vertex in part.scale * np.eye(d))
    if isinstance(part, Box):
        low, high = part.bounds(d)
        return lp_norm(np.maximum(np.abs(low - middle), np.abs(high - middle)), p)
    same_centre = isinstance(part, Ball) and np.array_equal(part.middle(d), middle)
    if isinstance(part, Ball) and (same_centre or part.p == p):
        apart = lp_norm(part.middle(d) - middle, p)
        return float(apart + part.radius * d ** max(1.0 / p - 1.0 / part.p, 0.0))
    return None


def _witnesses(part: Domain, d: int) -> list[Array]:
    """Some points of a domain, among them the farthest in each direction of a coordinate."""
    found = []
    for direction in (*np.eye(d), *-np.eye(d)):
        if math.isinf(part.support(direction)):
            return [np.full(d, math.inf)]  # balls are bounded
        found.append(part.maximiser(direction))
    return found
