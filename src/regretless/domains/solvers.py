"""Numerical methods for projections: roots, quadratic programs, and a general convex solver."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.base.arguments import LARGEST, Array, check_entries, numbers

if TYPE_CHECKING:
    from regretless.domains.ball import Ball
    from regretless.domains.domain import Domain, LinearConstraints
    from regretless.geometry import Geometry, PNorm


# --- vectors as arguments of geometries and domains, where coordinates may be infinite ------------


def vector(value: Any, name: str, dimension: int | None = None, of: str = "") -> Array:
    """The value of an argument as a vector of floats without NaN, of the dimension asked for.

    >>> vector([1, float("nan")], "w")
    Traceback (most recent call last):
    ValueError: w[1] = nan is not a number
    >>> vector([1, 2, 3], "w", 2, "the box")
    Traceback (most recent call last):
    ValueError: w has shape (3,), but the box has dimension 2
    """
    array = numbers(value, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; a vector of shape (d,) is needed")
    if dimension is not None and len(array) != dimension:
        raise ValueError(f"{name} has shape {array.shape}, but {of} has dimension {dimension}")
    check_entries(array, ~np.isnan(array), name, "is not a number")
    return array


def constant(value: Any, name: str, dimensions: tuple[int, ...] = (0, 1)) -> Array:
    """A copy that cannot be written to, of a number or vector (or matrix, by `dimensions`).

    >>> constant([1, 2], "low")
    array([1., 2.])
    """
    array = numbers(value, name) + 0.0  # a copy, and no -0.0 for the reader
    if array.ndim not in dimensions or not array.size:
        kinds = " or ".join(("a number", "a vector", "a matrix")[n] for n in dimensions)
        raise ValueError(f"{name} has shape {array.shape}; it must be {kinds}")
    array = np.asarray(array)
    check_entries(array, ~np.isnan(array), name, "is not a number")
    ordinary = (np.abs(array) <= LARGEST) | np.isinf(array)  # so that squares are numbers
    check_entries(array, ordinary, name, f"is beyond {LARGEST:g}; scale the problem")
    array.flags.writeable = False
    return array


# --- numerical methods for projections: roots, quadratic programs, and a general convex -----------

_BISECTIONS = 64  # to the last bit of a number of the size of the radius


def increasing_root(
    f: Callable[[float], float], impossible: str = "the equation has no root", low: float = 0.0
) -> float:
    """The root above `low` of an increasing function that is negative there, to the last bits.

    >>> round(increasing_root(lambda x: x * x - 2.0), 15)
    1.414213562373095
    >>> increasing_root(lambda x: -1.0 / (1.0 + x))
    Traceback (most recent call last):
    ValueError: the equation has no root
    """
    from scipy.optimize import brentq

    def bounded(x: float) -> float:  # interpolation needs numbers
        return min(max(f(x), -1e300), 1e300)

    if bounded(low) >= 0.0:
        return low
    # the root may be many orders above or below 1: first its power of four, by bisection
    reached = bounded(low + 1.0) >= 0.0
    above, below, stride = (0, -1, 1) if reached else (1, 0, 1)
    while reached and below > -512 and bounded(low + 4.0**below) >= 0.0:
        above, below, stride = below, below - 2 * stride, 2 * stride
    while not reached and bounded(low + 4.0**above) < 0.0:
        above, below, stride = above + 2 * stride, above, 2 * stride
        if above > 270:
            raise ValueError(impossible)
    while above - below > 1:
        middle = (above + below) // 2
        above, below = (middle, below) if bounded(low + 4.0**middle) >= 0.0 else (above, middle)
    ends = low + 4.0**below, low + 4.0**above
    if bounded(ends[0]) >= 0.0:
        return ends[0]
    return float(brentq(bounded, *ends, xtol=1e-300, rtol=4 * np.finfo(float).eps))


def solve_quadratic(matrix: Array, right: Array) -> Array:
    """`matrix^-1 right`, for a positive definite matrix, or its diagonal, or a multiple of 1.

    >>> solve_quadratic(np.array([2.0, 4.0]), np.ones(2))
    array([0.5 , 0.25])
    """
    return np.asarray(np.linalg.solve(matrix, right) if matrix.ndim == 2 else right / matrix)


def fixed_sum(theta: Array, geometry: "Geometry", low: Array, high: Array, total: float) -> Array:
    """The link of a geometry that is a sum over coordinates on `low <= v <= high, sum v = total`.

    It is `clip(link(theta + tau), low, high)` for one number `tau`.

    >>> from regretless.geometry import Euclidean
    >>> fixed_sum(np.array([3.0, 0.0, 0.0]), Euclidean(), np.zeros(3), np.full(3, 0.5), 1.0)
    array([0.5 , 0.25, 0.25])
    """
    if low.sum() > total or high.sum() < total:
        raise ValueError(f"no point between low={low} and high={high} has the sum {total}")
    shift = theta.max()  # so that what is common to all coordinates costs no precision

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
    theta: Array, geometry: "Geometry", ball: "Ball", low: Array, high: Array
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
    from regretless.domains.ball import lp_norm
    from regretless.geometry.pnorm import Powers

    middle, p, matrix = ball._middle(len(theta)), ball.p, geometry.quadratic
    start = np.minimum(np.maximum(middle, low), high)
    free = np.clip(geometry.link(theta), middle - ball.radius, middle + ball.radius)

    def damped(tau: float) -> Array:
        if p == 1.0:
            return np.clip(middle, geometry.link(theta - tau), geometry.link(theta + tau))
        if p == 2.0 and matrix is not None and matrix.ndim < 2:
            return np.asarray((theta + tau * middle) / (matrix + tau))
        if isinstance(geometry, Powers) and not middle.any():
            return geometry.damped_link(theta, tau, p)
        near, far = start, free
        for _ in range(_BISECTIONS):
            v = (near + far) / 2.0
            away = v - middle
            force = theta - geometry.gradient(v) - tau * np.sign(away) * np.abs(away) ** (p - 1.0)
            onward = (force > 0.0) == (free > start)
            near, far = np.where(onward, v, near), np.where(onward, far, v)
        return np.asarray((near + far) / 2.0)

    def at(tau: float) -> Array:
        return np.minimum(np.maximum(damped(tau), low), high)

    def room(tau: float) -> float:
        return ball.radius - lp_norm(at(tau) - middle, p)

    v = at(increasing_root(room, f"{ball} has no point between low={low} and high={high}"))
    return np.asarray(start + (v - start) * min(1.0, ball.radius / (lp_norm(v - middle, p) or 1.0)))


def quadratic_program(
    theta: Array, matrix: Array, constraints: "LinearConstraints", balls: "Sequence[Ball]" = ()
) -> Array:
    """The maximiser of `<v, theta> - 1/2 v'Av` over a polyhedron and l1 balls.

    An l1 ball has `2^d` faces; those that are violated are added until none is.

    >>> from regretless.domains.domain import LinearConstraints
    >>> matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> quadratic_program(np.array([3.0, 0.0]), matrix, LinearConstraints.of(2, 0.0, 1.0)).round(15)
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
    theta: Array, matrix: Array, constraints: "LinearConstraints", balls: "Sequence[Ball]"
) -> Array:
    while True:
        v = _polyhedral_program(theta, matrix, constraints)
        tighter = with_violated_faces(constraints, balls, v)
        if len(tighter.rows) == len(constraints.rows):
            return v
        constraints = tighter


def with_violated_faces(
    constraints: "LinearConstraints", balls: "Sequence[Ball]", v: Array
) -> "LinearConstraints":
    """The constraints and, of each l1 ball that `v` is outside of, the face it is farthest beyond.

    >>> from regretless.domains import Ball
    >>> from regretless.domains.domain import LinearConstraints
    >>> with_violated_faces(LinearConstraints.of(2), [Ball(1.0, p=1)], np.array([1.0, -1.0])).rows
    array([[ 1., -1.]])
    """
    for ball in balls:
        middle = ball._middle(len(v))
        signs = np.where(v >= middle, 1.0, -1.0)
        limit = ball.radius + float(signs @ middle)
        # a face that is there already is met up to rounding
        known = (constraints.rows == signs).all(axis=1) & (constraints.limits == limit)
        if np.abs(v - middle).sum() > ball.radius * (1.0 + 1e-14) and not np.any(known):
            constraints &= type(constraints).of(len(v), rows=signs, limits=[limit])
    return constraints


def _polyhedral_program(theta: Array, matrix: Array, constraints: "LinearConstraints") -> Array:
    """The maximiser of `<v, theta> - 1/2 v'Av` over a polyhedron, by an active-set method.

    In the coordinates `L'v` with `A = LL'` it is a least-distance problem, whose dual is a
    nonnegative least-squares problem (Lawson and Hanson (1974), chapter 23). The active constraints
    are taken from the latter, and the point from them, to rounding.
    """
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    rows, limits = constraints.inequalities()
    free = solve_quadratic(matrix, theta)
    excess = rows @ free - limits
    if not np.any(excess > 0):
        return np.asarray(free)
    if matrix.ndim == 2:
        root = np.linalg.cholesky(matrix)
        faces = solve_triangular(root, rows.T, lower=True).T
    else:
        root = np.sqrt(np.broadcast_to(matrix, theta.shape))
        faces = rows / root
    size = np.linalg.norm(faces, axis=1)
    size[size == 0.0] = 1.0
    faces, excess = faces / size[:, None], excess / size
    unit = excess.max()  # at least this far: makes the distance about 1
    system = np.vstack([-faces.T, excess / unit])
    target = np.append(np.zeros(len(theta)), 1.0)
    multipliers, distance = nnls(system, target)
    if distance < 1e-9:
        raise ValueError("the domains do not meet: their intersection is empty")
    active = multipliers > 0
    step = np.linalg.lstsq(faces[active], -excess[active], rcond=None)[0]
    step = solve_triangular(root, step, lower=True, trans=1) if matrix.ndim == 2 else step / root
    return np.asarray(np.minimum(np.maximum(free + step, constraints.low), constraints.high))


def by_norm(theta: Array, geometry: "PNorm", domain: "Domain") -> Array | None:
    """The link of `1/2 ||v||_q^2` on a domain that has one for sums of powers; `None` if it has not.

    With the norm `N` of the link held fixed, psi is a sum over coordinates, and the norm of what is best
    falls as `N` grows.

    >>> from regretless.domains import Box
    >>> from regretless.geometry import PNorm
    >>> by_norm(np.array([3.0, 4.0]), PNorm(2.0 + 1e-9), Box(-1.0, 1.0))
    array([1., 1.])
    """
    from regretless.domains.ball import lp_norm
    from regretless.geometry.pnorm import Powers

    q = geometry.q

    def at(norm: float) -> Array | None:
        return domain._exact_link(theta, Powers(q, geometry._factor * norm ** (2.0 - q)))

    def beyond(norm: float) -> float:
        v = at(norm)
        return norm - (lp_norm(v, q) if v is not None else 0.0)

    if not theta.any() or at(1.0) is None:
        return None
    low, factor = lp_norm(geometry.link(theta), q), 8.0
    while low > 1e-100 and beyond(low) >= 0.0:
        low, factor = low / factor, min(factor * factor, 1e30)
    return at(increasing_root(beyond, low=low))


def maximise(theta: Array, geometry: "Geometry", domain: "Domain") -> Array:
    """The maximiser of `<v, theta> - psi(v)` over a domain, by sequential quadratic programming.

    Accurate to about 1e-8. It serves where there is no formula, and geometries of your own.

    >>> from regretless.domains import Ball
    >>> from regretless.geometry import PNorm
    >>> maximise(np.array([3.0, 4.0]), PNorm(2), Ball(1.0)).round(7)
    array([0.6, 0.8])
    """
    from regretless.domains.domain import Everything
    from regretless.domains.intersection import Intersection

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
    domain: "Domain",
    d: int,
    margin: float = 0.0,
) -> Array:
    """The minimiser of a convex function over a domain, to about the root of machine precision.

    Lower bounds are kept away from by `margin`, for functions whose gradient is infinite there.

    >>> from regretless.domains import Ball
    >>> minimum = np.array([3.0, 4.0])
    >>> search(lambda v: sum((v - minimum) ** 2), lambda v: 2 * (v - minimum), Ball(), 2).round(6)
    array([0.6, 0.8])
    """
    from scipy.optimize import minimize

    origin, basis, constraints, first = _posed(domain, d, margin)
    k = basis.shape[1]
    if k == 0:  # there is only one point
        return origin

    def point(y: Array) -> Array:
        return np.asarray(origin + basis @ y[:k])

    def value(y: Array) -> float:
        with np.errstate(all="ignore"):
            answer = float(objective(point(y)))
        return answer if math.isfinite(answer) else math.inf

    def change(y: Array) -> Array:
        with np.errstate(all="ignore"):
            full = gradient(point(y))
        return np.append(basis.T @ full, np.zeros(len(y) - k))

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
    v = point(y)
    if not domain.contains(v, 1e-6):
        raise ValueError(f"{domain} is empty, or too thin for a numerical search")
    return v


def _posed(domain: "Domain", d: int, margin: float) -> tuple[Array, Array, list[Any], Array]:
    """A domain in a solver's terms.

    The unknowns are `y` with `v = origin + basis y`, the equalities thus being met, and for each l1
    ball `s` with `|v - center| <= s, sum s <= radius`. Given are origin, basis, constraints, and
    the unknowns to start from.
    """
    from scipy.linalg import null_space
    from scipy.optimize import LinearConstraint

    from regretless.domains.ball import Ball
    from regretless.domains.domain import LinearConstraints
    from regretless.domains.intersection import Intersection

    members = domain.domains if isinstance(domain, Intersection) else (domain,)
    linear, balls = LinearConstraints.of(d), []
    for member in members:
        if (faces := member._linear(d)) is not None:
            linear &= faces
        elif isinstance(member, Ball):
            balls.append(member)
        else:
            raise ValueError(f"{member} has no projection in this geometry: give it a method link")
    origin = np.mean([member._inner(d) for member in members], axis=0)
    if len(linear.equal):
        origin -= np.linalg.lstsq(linear.equal, linear.equal @ origin - linear.to, rcond=None)[0]
    basis = null_space(linear.equal) if len(linear.equal) else np.eye(d)
    k = basis.shape[1]
    spikes = [ball for ball in balls if ball.p == 1.0]
    inside = linear._replace(low=linear.low + margin, equal=np.empty((0, d)), to=np.empty(0))
    rows, limits = inside.inequalities()
    blocks = [np.hstack([rows @ basis, np.zeros((len(rows), d * len(spikes)))])]
    bounds, first = [limits - rows @ origin], [np.zeros(k)]
    for i, ball in enumerate(spikes):
        away = origin - ball._middle(d)
        own = np.eye(d, d * len(spikes), i * d)
        blocks += [np.hstack([basis, -own]), np.hstack([-basis, -own])]
        blocks.append(np.append(np.zeros(k), own.sum(axis=0))[None])
        bounds += [-away, away, np.array([ball.radius])]
        first.append(np.abs(away))
    constraints: list[Any] = [
        _curved(ball, origin, basis, d * len(spikes)) for ball in balls if ball.p > 1.0
    ]
    if sum(map(len, bounds)):
        stacked = LinearConstraint(np.vstack(blocks), -math.inf, np.concatenate(bounds))
        constraints.append(stacked)
    return origin, basis, constraints, np.concatenate(first)


def _curved(ball: "Ball", origin: Array, basis: Array, others: int) -> dict[str, Any]:
    """The constraint `sum |v - center|^p <= radius^p` in a solver's terms."""
    k, p = basis.shape[1], ball.p
    middle = ball._middle(len(origin))

    def away(y: Array) -> Array:
        return np.asarray((origin + basis @ y[:k] - middle) / ball.radius)

    def slope(y: Array) -> Array:
        x = away(y)
        change = basis.T @ (-p / ball.radius * np.sign(x) * np.abs(x) ** (p - 1.0))
        return np.append(change, np.zeros(others))

    def room(y: Array) -> float:
        return 1.0 - float(np.sum(np.abs(away(y)) ** p))

    return {"type": "ineq", "fun": room, "jac": slope}


def _polished(v: Array, theta: Array, geometry: "Geometry", domain: "Domain") -> Array:
    """Newton steps, each a projection in the geometry of the Hessian, as long as they converge."""
    from regretless.domains.ball import Ball
    from regretless.domains.intersection import Intersection
    from regretless.geometry import Quadratic

    members = domain.domains if isinstance(domain, Intersection) else (domain,)
    if any(isinstance(m, Ball) and m.p not in (1.0, 2.0, math.inf) for m in members):
        return v  # the steps would be numerical themselves
    last = math.inf
    for _ in range(10):
        try:
            with np.errstate(all="ignore"):
                matrix = hessian(geometry, v)
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


def hessian(geometry: "Geometry", v: Array) -> Array:
    """By differences of the gradient."""
    step = np.finfo(float).eps ** (1 / 3) * max(1.0, float(np.abs(v).max()))
    unit = step * np.eye(len(v))
    with np.errstate(all="ignore"):
        rows = [(geometry.gradient(v + e) - geometry.gradient(v - e)) / (2.0 * step) for e in unit]
    matrix = np.array(rows)
    return (matrix + matrix.T) / 2.0
