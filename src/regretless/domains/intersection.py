"""Intersections of domains."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, shown
from regretless.base.solvers import Polyhedron, increasing_root
from regretless.domains.ball import Ball
from regretless.domains.box import Box, Simplex, Slab, within
from regretless.domains.domain import Domain, Everything

if TYPE_CHECKING:
    from regretless.geometry import Geometry


_ROUNDS = 1000  # of Dykstra's method, before a general solver is tried
_FEW = 10  # dimensions in which all corners are looked at


@dataclass(frozen=True, eq=False, repr=False)
class Intersection(Domain):
    """The vectors that lie in each of several domains.

    Parameters: `domains`, one or more that have a point in common. Intersections among them are replaced
    by their members.

    Euclidean and `Quadratic` projections on polyhedra are exact, and so are those on the capped
    simplex (simplex and box) in the entropies, and on a slab with anything that is exact by itself.
    Otherwise the Euclidean one is Dykstra's, the others are numerical.

    >>> Intersection(Simplex(), Box(0.0, 0.5)).project([3.0, 0.0, 0.0])
    array([0.5 , 0.25, 0.25])
    """

    domains: tuple[Domain, ...]

    def __init__(self, *domains: Domain) -> None:
        for domain in domains:
            if not isinstance(domain, Domain):
                raise ValueError(f"domains={shown(domain)} is not a Domain")
        if not domains:
            raise ValueError("domains=() is empty: give at least one, or use Everything()")
        flat = (d.domains if isinstance(d, Intersection) else (d,) for d in domains)
        object.__setattr__(self, "domains", tuple(member for group in flat for member in group))

    def __repr__(self) -> str:
        return f"Intersection({', '.join(map(repr, self.domains))})"

    def _vector(self, value: Any, name: str) -> Array:
        for domain in self.domains:
            array = domain._vector(value, name)
        return array

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `w` lies in each of the domains, up to `tolerance`.

        >>> Intersection(Ball(1.0), Slab([1.0, 0.0], 0.5)).contains([0.7, 0.0])
        False
        """
        return all(domain.contains(w, tolerance) for domain in self.domains)

    def support(self, theta: ArrayLike) -> float:
        """The largest inner product with `theta`: a linear program, numerical if there are balls.

        >>> Intersection(Simplex(), Box(0.0, 0.5)).support([3.0, 1.0, 0.0])
        2.0
        """
        theta = self._vector(theta, "theta")
        u = self._attained(theta)
        return math.inf if u is None else float(u @ theta)

    def maximiser(self, theta: ArrayLike) -> Array:
        """A point with the largest inner product with `theta`.

        >>> Intersection(Simplex(), Box(0.0, 0.5)).maximiser([3.0, 1.0, 0.0])
        array([0.5, 0.5, 0. ])
        """
        theta = self._vector(theta, "theta")
        u = self._attained(theta)
        if u is None:
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return u

    def bounded(self, dimension: int) -> bool:
        """Whether one of the domains is bounded, or their intersection is."""
        return any(d.bounded(dimension) for d in self.domains) or super().bounded(dimension)

    def longest(self, dimension: int) -> float:
        """The least of the members', or that of the box around it if all are infinite."""
        least = min(domain.longest(dimension) for domain in self.domains)
        return least if math.isfinite(least) else super().longest(dimension)

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The least of the members', or that of the box around it if all are infinite."""
        least = min(domain.diameter(geometry, dimension) for domain in self.domains)
        return least if math.isfinite(least) else super().diameter(geometry, dimension)

    def _attained(self, theta: Array) -> Array | None:
        from scipy.optimize import linprog

        from regretless.domains.projections import search, with_violated_faces

        d = len(theta)
        members = _merged(self.domains, d)
        if len(members) == 1:
            return members[0].maximiser(theta) if members[0].support(theta) < math.inf else None
        linear, balls = _faces(members, d)
        unit = theta / (np.abs(theta).max() or 1.0)  # solvers know absolute tolerances only
        if linear is None:
            return search(lambda u: -float(unit @ u), lambda _: -unit, self, d)
        while True:
            answer = linprog(
                -unit,
                A_ub=linear.rows,
                b_ub=linear.limits,
                A_eq=linear.equal,
                b_eq=linear.to,
                bounds=np.column_stack([linear.low, linear.high]),
            )
            if answer.status == 2:  # the solver's code for infeasible
                raise ValueError(f"{self} is empty")
            if answer.x is None:
                return None
            tighter = with_violated_faces(linear, balls, answer.x)
            if len(tighter.rows) == len(linear.rows):
                return np.asarray(answer.x)
            linear = tighter

    def exact_link(  # noqa: PLR0911 one case after the other
        self, theta: Array, geometry: "Geometry"
    ) -> Array | None:
        from regretless.domains.projections import fixed_distance, fixed_sum, quadratic_program

        d = len(theta)
        members = _merged(self.domains, d)
        if len(members) == 1:
            return members[0].exact_link(theta, geometry)
        kinds = {type(member) for member in members}
        if kinds == {Simplex, Box} and len(members) == 2 and geometry.separable:
            box = next(member for member in members if isinstance(member, Box))
            scale = next(member.scale for member in members if isinstance(member, Simplex))
            low, high = (np.broadcast_to(bound, (d,)) for bound in (box.low, box.high))
            return fixed_sum(theta, geometry, np.maximum(low, 0.0), np.minimum(high, scale), scale)
        if kinds == {Ball, Box} and len(members) == 2 and geometry.separable:
            box = next(member for member in members if isinstance(member, Box))
            ball = next(member for member in members if isinstance(member, Ball))
            low, high = (np.broadcast_to(bound, (d,)) for bound in (box.low, box.high))
            return fixed_distance(theta, geometry, ball, *within(low, high, geometry))
        linear, balls = _faces(members, d)
        if linear is not None and geometry.quadratic is not None:
            return quadratic_program(theta, geometry.quadratic, linear, balls)
        slabs = [member for member in members if isinstance(member, Slab)]
        if slabs:
            rest = _without(members, slabs[0])
            # many numerical links would cost more than one of the whole
            exact = rest.exact_link(theta, geometry) is not None
            return slabs[0].cut(theta, geometry, rest) if exact else None
        round_ones = [m for m in members if isinstance(m, Ball) and m.p == 2.0]
        if round_ones and geometry.quadratic is not None:
            rest = _without(members, round_ones[0])
            return _in_ball(theta, geometry.quadratic, round_ones[0], rest)
        if geometry.quadratic is not None and geometry.quadratic.ndim == 0:
            return _dykstra(theta / geometry.quadratic, members)
        return None

    def peak(self, geometry: "Geometry", d: int) -> float:
        from regretless.geometry import Entropy, Euclidean, PNorm, UnnormalizedEntropy

        least = min(domain.peak(geometry, d) for domain in self.domains)
        members = _merged(self.domains, d)
        if isinstance(geometry, Entropy) and not any(isinstance(m, Simplex) for m in members):
            members = _merged((*self.domains, geometry.domain), d)
        kinds = {type(member) for member in members}
        alike = isinstance(geometry, Entropy | Euclidean | PNorm | UnnormalizedEntropy)
        if kinds == {Simplex, Box} and len(members) == 2 and alike:
            box = next(member for member in members if isinstance(member, Box))
            scale = next(member.scale for member in members if isinstance(member, Simplex))
            low, high = box.bounds(d)
            return min(
                least, _capped(geometry, np.maximum(low, 0.0), np.minimum(high, scale), scale)
            )
        return least

    def polyhedron(self, d: int) -> Polyhedron | None:
        linear, balls = _faces(self.domains, d)
        return None if balls else linear

    def inner(self, d: int) -> Array:
        return self.project(np.mean([domain.inner(d) for domain in self.domains], axis=0))


def _faces(domains: Sequence[Domain], d: int) -> tuple[Polyhedron | None, list[Ball]]:
    """The domains as a polyhedron and l1 balls, which have too many faces; `None` if not possible."""
    whole, balls = Polyhedron.of(d), []
    for domain in domains:
        if (part := domain.polyhedron(d)) is not None:
            whole &= part
        elif isinstance(domain, Ball) and domain.p == 1.0:
            middle = domain.middle(d)
            whole &= Polyhedron.of(d, middle - domain.radius, middle + domain.radius)
            balls.append(domain)
        else:
            return None, []
    return whole, balls


def _merged(domains: tuple[Domain, ...], d: int) -> list[Domain]:
    """The domains, each once, without those that do not constrain, and with all boxes in one."""
    low, high, rest = np.full(d, -math.inf), np.full(d, math.inf), []
    for domain in domains:
        sides = domain.polyhedron(d) if isinstance(domain, (Box, Ball)) else None
        if sides is not None:  # a ball of the largest coordinate is a box, too
            low, high = np.maximum(low, sides.low), np.minimum(high, sides.high)
        elif domain not in rest and not isinstance(domain, Everything):
            rest.append(domain)
    scales = [domain.scale for domain in rest if isinstance(domain, Simplex)]
    if len(scales) > 1:
        raise ValueError(f"Simplex(scale={scales[0]}) and Simplex(scale={scales[1]}) do not meet")
    if scales:  # it is a face of the orthant and of some l1 balls
        low = np.where(low <= 0.0, -math.inf, low)
        high = np.where(high >= scales[0], math.inf, high)
        rest = [r for r in rest if not (isinstance(r, Ball) and _around(r, scales[0], d))]
    if np.any(low > -math.inf) or np.any(high < math.inf):
        rest.append(Box(low, high))
    return rest or [Everything()]


def _capped(geometry: "Geometry", low: Array, high: Array, scale: float) -> float:
    """The largest psi between bounds, for coordinates of a given sum that psi treats alike.

    At a corner all coordinates but one are at a bound. If all bounds are alike, so are the corners; in
    few dimensions all are looked at. Infinite otherwise.
    """
    d = len(low)
    left = scale - float(low.sum())
    if np.ptp(low) == np.ptp(high) == 0.0 and high[0] > low[0]:
        full = min(int(left / (high[0] - low[0]) + 1e-9), d)
        corner = np.where(np.arange(d) < full, high, low)
        if full < d:
            corner[full] += max(scale - float(corner.sum()), 0.0)
        return geometry.value(corner)
    if d > _FEW:
        return math.inf
    best = -math.inf
    for ups in itertools.product((False, True), repeat=d):
        corner = np.where(ups, high, low)
        missing = scale - corner.sum()
        for i in range(d):
            at = corner[i] + missing
            if low[i] - 1e-12 <= at <= high[i] + 1e-12:
                there = corner.copy()
                there[i] = min(max(at, low[i]), high[i])
                best = max(best, geometry.value(there))
    return best if best > -math.inf else math.inf


def _around(ball: Ball, scale: float, d: int) -> bool:
    """Whether a ball contains the whole simplex: it does if it contains the vertices."""
    return all(ball.contains(vertex, 0.0) for vertex in scale * np.eye(d))


def _without(domains: list[Domain], one: Domain) -> Domain:
    rest = [domain for domain in domains if domain is not one]
    return rest[0] if len(rest) == 1 else Intersection(*rest)


def _in_ball(theta: Array, matrix: Array, ball: Ball, rest: Domain) -> Array:
    """The link for `1/2 v'Av` on the intersection of an l2 ball and another domain.

    By duality it is that for `A + mu` and `theta + mu center` on the other domain, for one number
    `mu >= 0`, and the distance from the centre falls as `mu` grows.
    """
    from regretless.geometry import Quadratic

    d = len(theta)
    middle = ball.middle(d)
    unit = np.eye(d) if matrix.ndim == 2 else np.ones(d)

    def at(mu: float) -> Array:
        # divided by 1 + mu, which changes nothing but the size of the numbers
        scaled = Quadratic((matrix * (unit if matrix.ndim < 2 else 1.0) + mu * unit) / (1.0 + mu))
        return rest.link((theta + mu * middle) / (1.0 + mu), scaled)

    def room(mu: float) -> float:
        return ball.radius - float(np.linalg.norm(at(mu) - middle))

    return at(increasing_root(room, f"{ball} and {rest} do not meet"))


def _dykstra(w: Array, domains: list[Domain]) -> Array | None:
    """The Euclidean projection on an intersection, by cyclic projections with corrections.

    Boyle and Dykstra (1986): each domain's last correction is added back before its next turn. The point
    may stand still for many rounds while the corrections move, so the corrections are watched. `None` if
    they are too slow.
    """
    corrections = np.zeros((len(domains), len(w)))
    for _ in range(_ROUNDS):
        before = corrections.copy()
        for i, domain in enumerate(domains):
            moved = w + corrections[i]
            w = domain.project(moved)
            corrections[i] = moved - w
        if np.abs(corrections - before).max() <= 1e-14 * max(1.0, np.abs(corrections).max()):
            return w
    return None
