"""Projections of domains that have no short formula, by the numerical methods of `base.solvers`."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regretless.base.arguments import Array
from regretless.base.solvers import (
    Polyhedron,
    bisected,
    hessian,
    increasing_root,
    polyhedral_program,
    solve_quadratic,
)
from regretless.domains.ball import Ball, lp_norm
from regretless.domains.box import Box, Simplex
from regretless.domains.domain import Domain, Everything
from regretless.domains.intersection import Intersection

if TYPE_CHECKING:
    from regretless.geometry import Geometry, PNorm

_BISECTIONS = 64  # to the last bit of a number of the size of the radius


def fixed_sum(theta: Array, geometry: "Geometry", low: Array, high: Array, total: float) -> Array:
    """The link of a geometry that is a sum over coordinates on `low <= v <= high, sum v = total`.

    It is `clip(link(theta + tau), low, high)` for one number `tau`.

    >>> from regretless.geometry import Euclidean
    >>> fixed_sum(np.array([3.0, 0.0, 0.0]), Euclidean(), np.zeros(3), np.full(3, 0.5), 1.0)
    array([0.5 , 0.25, 0.25])
    """
    if low.sum() > total or high.sum() < total:
        raise ValueError(f"no point between low={low} and high={high} has the sum {total}")
    shift = theta.max()  # so that a common offset of all coordinates keeps precision

    def at(tau: float) -> Array:
        with np.errstate(over="ignore"):
            return np.minimum(np.maximum(geometry.link(theta - shift + tau), low), high)

    nowhere = f"no point between low={low} and high={high} has the sum {total} in {geometry}"
    if at(0.0).sum() >= total:
        tau = -increasing_root(lambda tau: total - at(-tau).sum(), nowhere)
    else:
        tau = increasing_root(lambda tau: at(tau).sum() - total, nowhere)
    v = at(tau)
    free = (v > low) & (v < high)
    if not np.any(free):  # a coordinate may jump where numbers are too coarse
        coarse = 16.0 * float(np.spacing(max(abs(tau), float(np.abs(theta - shift).max()))))
        below, above = at(tau - coarse), at(tau + coarse)
        jump = float(above.sum() - below.sum())
        share = (total - float(below.sum())) / jump if jump > 0 else 0.0
        return np.asarray(below + min(max(share, 0.0), 1.0) * (above - below)) if jump > 0 else v
    # what rounding left of the sum goes to the free coordinates, in proportion to how they move
    moves = (
        v if geometry.quadratic is None else solve_quadratic(geometry.quadratic, np.ones(len(v)))
    )
    weight = moves[free]
    v[free] += (total - v.sum()) * weight / weight.sum()
    return np.minimum(np.maximum(v, low), high)


def fixed_distance(
    theta: Array, geometry: "Geometry", ball: Ball, low: Array, high: Array
) -> Array:
    """The link of a geometry that is a sum over coordinates on an lp ball, `low <= v <= high`.

    With the multiplier `tau` of the ball, each coordinate lies between the centre's and `link(theta)`
    and solves `gradient(v) + tau sign(v - center) |v - center|^(p-1) = theta`.

    >>> from regretless.domains import Ball
    >>> from regretless.geometry import Euclidean
    >>> theta, ball = np.array([3.0, 2.5, 0.1]), Ball(1.0, p=1)
    >>> fixed_distance(theta, Euclidean(), ball, np.full(3, -0.5), np.full(3, 0.5))
    array([0.5, 0.5, 0. ])
    """
    from regretless.geometry.pnorm import Powers

    middle, p, matrix = ball.middle(len(theta)), ball.p, geometry.quadratic
    start = np.minimum(np.maximum(middle, low), high)
    free = np.clip(geometry.link(theta), middle - ball.radius, middle + ball.radius)

    def damped(tau: float) -> Array:
        if p == 1.0:
            return np.clip(middle, geometry.link(theta - tau), geometry.link(theta + tau))
        if p == 2.0 and matrix is not None and matrix.ndim < 2:
            return np.asarray((theta + tau * middle) / (matrix + tau))
        if isinstance(geometry, Powers) and not middle.any():
            return geometry.damped_link(theta, tau, p)

        def short(v: Array) -> Array:
            away = v - middle
            force = theta - geometry.gradient(v) - tau * np.sign(away) * np.abs(away) ** (p - 1.0)
            return np.asarray((force > 0.0) != (free > start))

        near, far = bisected(short, start, free, _BISECTIONS)
        return np.asarray((near + far) / 2.0)

    def at(tau: float) -> Array:
        return np.minimum(np.maximum(damped(tau), low), high)

    def room(tau: float) -> float:
        return ball.radius - lp_norm(at(tau) - middle, p)

    v = at(increasing_root(room, f"{ball} has no point between low={low} and high={high}"))
    return np.asarray(start + (v - start) * min(1.0, ball.radius / (lp_norm(v - middle, p) or 1.0)))


def quadratic_program(
    theta: Array, matrix: Array, constraints: Polyhedron, balls: Sequence[Ball] = ()
) -> Array:
    """The maximiser of `<v, theta> - 1/2 v'Av` over a polyhedron and l1 balls.

    An l1 ball has `2^d` faces; those that are violated are added until all hold.

    >>> from regretless.base.solvers import Polyhedron
    >>> matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> quadratic_program(np.array([3.0, 0.0]), matrix, Polyhedron.of(2, 0.0, 1.0)).round(15)
    array([1., 0.])
    """
    v = _with_balls(theta, matrix, constraints, balls)
    away = solve_quadratic(matrix, theta) - v
    far, size = float(np.abs(away).max()), 1.0 + float(np.abs(v).max())
    if far <= 1e3 * size:
        return v
    # from far away rounding is coarse: what lies on the way there has the same nearest point
    near = v + away * (size / far)
    return _with_balls(
        near @ matrix if matrix.ndim == 2 else matrix * near, matrix, constraints, balls
    )


def _with_balls(
    theta: Array, matrix: Array, constraints: Polyhedron, balls: Sequence[Ball]
) -> Array:
    while True:
        v = polyhedral_program(theta, matrix, constraints)
        tighter = with_violated_faces(constraints, balls, v)
        if len(tighter.rows) == len(constraints.rows):
            return v
        constraints = tighter


def with_violated_faces(constraints: Polyhedron, balls: Sequence[Ball], v: Array) -> Polyhedron:
    """The constraints, with the face of each l1 ball that `v` violates most.

    >>> from regretless.domains import Ball
    >>> from regretless.base.solvers import Polyhedron
    >>> with_violated_faces(Polyhedron.of(2), [Ball(1.0, p=1)], np.array([1.0, -1.0])).rows
    array([[ 1., -1.]])
    """
    for ball in balls:
        middle = ball.middle(len(v))
        signs = np.where(v >= middle, 1.0, -1.0)
        limit = ball.radius + float(signs @ middle)
        # a face that is there already is met up to rounding
        known = (constraints.rows == signs).all(axis=1) & (constraints.limits == limit)
        if np.abs(v - middle).sum() > ball.radius * (1.0 + 1e-14) and not np.any(known):
            constraints &= type(constraints).of(len(v), rows=signs, limits=[limit])
    return constraints


def by_norm(theta: Array, geometry: "PNorm", domain: Domain) -> Array | None:
    """The link of `1/2 ||v||_q^2` on a domain that has an exact link for sums of powers, or None.

    With the norm `N` of the link held fixed, psi is a sum over coordinates, and the norm of the
    maximiser falls as `N` grows.

    >>> from regretless.domains import Box
    >>> from regretless.geometry import PNorm
    >>> by_norm(np.array([3.0, 4.0]), PNorm(2.0 + 1e-9), Box(-1.0, 1.0))
    array([1., 1.])
    """
    from regretless.geometry.pnorm import Powers

    q = geometry.q

    def at(norm: float) -> Array | None:
        return domain.exact_link(theta, Powers(q, geometry._factor * norm ** (2.0 - q)))

    def beyond(norm: float) -> float:
        v = at(norm)
        return norm - (lp_norm(v, q) if v is not None else 0.0)

    if not theta.any() or at(1.0) is None:
        return None
    low, factor = lp_norm(geometry.link(theta), q), 8.0
    while low > 1e-100 and beyond(low) >= 0.0:
        low, factor = low / factor, min(factor * factor, 1e30)
    return at(increasing_root(beyond, low=low))


def maximise(theta: Array, geometry: "Geometry", domain: Domain) -> Array:
    """The maximiser of `<v, theta> - psi(v)` over a domain, by sequential quadratic programming.

    It is accurate to about 1e-8, and used where a formula is unknown, as for geometries of your own.

    >>> from regretless.domains import Ball
    >>> from regretless.geometry import PNorm
    >>> maximise(np.array([3.0, 4.0]), PNorm(2), Ball(1.0)).round(7)
    array([0.6, 0.8])
    """

    whole = Intersection(domain, geometry.domain)
    v = search(
        lambda v: geometry.value(v) - float(theta @ v),
        lambda v: geometry.gradient(v) - theta,
        whole,
        len(theta),
        margin=0.0 if geometry.domain == Everything() else 1e-10,
    )
    return _polished(v, theta, geometry, whole)


def search(
    objective: Callable[[Array], float],
    gradient: Callable[[Array], Array],
    domain: Domain,
    d: int,
    margin: float = 0.0,
) -> Array:
    """The minimiser of a convex function over a domain, to about the square root of machine precision.

    The search keeps a `margin` to lower bounds, for functions whose gradient is infinite there.

    >>> from regretless.domains import Ball
    >>> minimum = np.array([3.0, 4.0])
    >>> search(lambda v: sum((v - minimum) ** 2), lambda v: 2 * (v - minimum), Ball(), 2).round(6)
    array([0.6, 0.8])
    """
    from scipy.optimize import minimize

    walls, constraints, first = _posed(domain, d, margin)
    k = walls.basis.shape[1]
    if k == 0:  # there is only one point
        return walls.origin

    def value(y: Array) -> float:
        with np.errstate(all="ignore"):
            answer = float(objective(walls.point(y)))
        return answer if math.isfinite(answer) else math.inf

    def change(y: Array) -> Array:
        with np.errstate(all="ignore"):
            full = gradient(walls.point(y))
        return np.append(walls.basis.T @ full, np.zeros(len(y) - k))

    y = first
    for _ in range(3):  # a restart forgets a bad model of the curvature
        found = minimize(
            value,
            y,
            jac=change,
            method="SLSQP",
            constraints=constraints,
            options={"ftol": 1e-16, "maxiter": 200},
        )
        if not np.all(np.isfinite(found.x)):
            break
        moved, y = np.abs(found.x - y).max(), found.x
        if moved <= 1e-12 * max(1.0, np.abs(y).max()):
            break
    v = walls.point(y)
    if not domain.contains(v, 1e-6):
        raise ValueError(f"{domain} is empty, or too thin for a numerical search")
    return v


class Walls(NamedTuple):
    """A polyhedron and l1 balls as `rows @ y <= limits`.

    The unknowns `y` begin with those of the point `origin + basis @ y[:k]`, so that equalities are met;
    for each l1 ball there are more of them, `|v - center| <= s, sum s <= radius`.
    """

    origin: Array
    basis: Array
    rows: Array
    limits: Array
    spikes: list[Ball]

    @classmethod
    def of(cls, linear: Polyhedron, spikes: list[Ball], origin: Array) -> "Walls":
        """The walls, `origin` being moved to where equalities are met."""
        from scipy.linalg import null_space

        d, n = len(origin), len(origin) * len(spikes)
        basis = np.eye(d)
        if len(linear.equal):
            off = linear.equal @ origin - linear.to
            origin = origin - np.linalg.lstsq(linear.equal, off, rcond=None)[0]
            basis = null_space(linear.equal)
        free = linear._replace(equal=np.empty((0, d)), to=np.empty(0))
        rows, limits = free.inequalities()
        blocks = [np.hstack([rows @ basis, np.zeros((len(rows), n))])]
        bounds = [limits - rows @ origin]
        for i, ball in enumerate(spikes):
            away, own = origin - ball.middle(d), np.eye(d, n, i * d)
            blocks += [np.hstack([basis, -own]), np.hstack([-basis, -own])]
            blocks.append(np.append(np.zeros(basis.shape[1]), own.sum(axis=0))[None])
            bounds += [-away, away, np.array([ball.radius])]
        return cls(origin, basis, np.vstack(blocks), np.concatenate(bounds), spikes)

    def point(self, y: Array) -> Array:
        """The point of the unknowns."""
        return np.asarray(self.origin + self.basis @ y[: self.basis.shape[1]])


def _posed(domain: Domain, d: int, margin: float) -> tuple[Walls, list[Any], Array]:
    """A domain as SciPy describes it: walls, constraints, and the unknowns to start from."""
    from scipy.optimize import LinearConstraint

    members = domain.domains if isinstance(domain, Intersection) else (domain,)
    linear, balls = Polyhedron.of(d), []
    for member in members:
        if (faces := member.polyhedron(d)) is not None:
            linear &= faces
        elif isinstance(member, Ball):
            balls.append(member)
        else:
            raise ValueError(f"{member} has no projection in this geometry: give it a method link")
    origin = np.mean([member.inner(d) for member in members], axis=0)
    spikes = [ball for ball in balls if ball.p == 1.0]
    walls = Walls.of(linear._replace(low=linear.low + margin), spikes, origin)
    away = [np.abs(walls.origin - ball.middle(d)) for ball in spikes]
    first = np.concatenate([np.zeros(walls.basis.shape[1]), *away])
    constraints: list[Any] = [_curved(ball, walls, len(first)) for ball in balls if ball.p > 1.0]
    if len(walls.limits):
        constraints.append(LinearConstraint(walls.rows, -math.inf, walls.limits))
    return walls, constraints, first


def _curved(ball: Ball, walls: Walls, unknowns: int) -> dict[str, Any]:
    """The constraint `sum |v - center|^p <= radius^p` as SciPy describes it."""
    p, middle = ball.p, ball.middle(len(walls.origin))

    def away(y: Array) -> Array:
        return np.asarray((walls.point(y) - middle) / ball.radius)

    def slope(y: Array) -> Array:
        x = away(y)
        change = walls.basis.T @ (-p / ball.radius * np.sign(x) * np.abs(x) ** (p - 1.0))
        return np.append(change, np.zeros(unknowns - len(change)))

    def room(y: Array) -> float:
        return 1.0 - float(np.sum(np.abs(away(y)) ** p))

    return {"type": "ineq", "fun": room, "jac": slope}


def _polished(v: Array, theta: Array, geometry: "Geometry", domain: Domain) -> Array:
    """Newton steps, each a projection in the geometry of the Hessian, as long as they converge."""
    from regretless.geometry import Quadratic

    members = domain.domains if isinstance(domain, Intersection) else (domain,)
    if any(isinstance(m, Ball) and m.p not in (1.0, 2.0, math.inf) for m in members):
        return v  # the steps would be numerical themselves
    last = math.inf
    for _ in range(10):
        try:
            with np.errstate(all="ignore"):
                matrix = hessian(geometry.gradient, v)
                force = theta - geometry.gradient(v) + matrix @ v
                new = domain.link(force, Quadratic(matrix))
        except ValueError:  # at an end of the domain there may be no Hessian
            return v
        if not math.isfinite(geometry.value(new)):
            return v
        moved = float(np.abs(new - v).max())
        if not moved < last / 2.0:
            return v
        v, last = new, moved
    return v


def largest_quadratic(matrix: Array, cross: Array, constant: float, domain: Domain) -> float:
    """The largest `u'Mu - 2 <u, cross> + constant` in a domain, M being positive, or an upper bound.

    It is attained at a corner of a simplex, or of a box in few dimensions. In a ball, by duality, for
    every `l` above the eigenvalues of M, `v'Mv + 2 <b, v> <= l R^2 + b'(l - M)^-1 b` if `||v|| <= R`.
    For other domains it is that of a ball around them.

    >>> largest_quadratic(np.eye(2), np.zeros(2), 0.0, Simplex(3.0))
    9.0
    """
    from scipy.optimize import minimize_scalar

    d = len(cross)
    corners: Any = ()
    if isinstance(domain, Simplex):
        corners = domain.scale * np.eye(d)
    elif isinstance(domain, Box) and d <= 10 and domain.bounded(d):
        corners = map(np.array, itertools.product(*zip(*domain.bounds(d))))
    found = [float(u @ matrix @ u - 2.0 * (u @ cross)) for u in corners]
    if found:
        return max(found) + constant
    if isinstance(domain, Ball) and domain.p <= 2.0:
        middle, radius = domain.middle(d), domain.radius
    else:
        if not domain.bounded(d):
            return math.inf
        high = np.array([domain.support(e) for e in np.eye(d)])
        low = -np.array([domain.support(-e) for e in np.eye(d)])
        middle, radius = (low + high) / 2.0, float(np.linalg.norm(high - low)) / 2.0
    values, basis = np.linalg.eigh(matrix)
    b = basis.T @ (matrix @ middle - cross)
    top, size = max(float(values[-1]), 0.0), math.hypot(*b) / radius

    def above(log: float) -> float:
        with np.errstate(all="ignore"):
            spare = float(np.exp(log))
            return (top + spare) * radius**2 + float(np.sum(b * b / (top - values + spare)))

    scale = math.log(max(size, 1e-12 * top, 1e-300))
    least = minimize_scalar(above, bounds=(scale - 40.0, scale + 2.0), method="bounded").fun
    least = min(least, above(scale)) if size else top * radius**2
    return float(middle @ matrix @ middle - 2.0 * (middle @ cross)) + least + constant
