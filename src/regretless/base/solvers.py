"""Numerical methods: roots, line searches, Newton's method, and quadratic programs over polyhedra.

They know functions, vectors and matrices only. `regretless.domains.projections` and
`regretless.oco.hindsight` pose their problems in these terms.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from regretless.base.arguments import Array

T = TypeVar("T")

_NEWTON = 50  # steps of Newton's method for an equation of vectors
_FROM_ABOVE = 100  # steps of it in each coordinate, far more than are needed

# --- roots ----------------------------------------------------------------------------------------


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


def bisected(
    beyond: Callable[[Any], Any],
    low: Any,
    high: Any,
    steps: int,
    middle: Callable[[Any, Any], Any] = lambda low, high: (low + high) / 2.0,
) -> tuple[Any, Any]:
    """The ends of an interval after halving it around the place from which its points are `beyond`.

    With vectors, each coordinate has an interval of its own; its `high` may be the smaller end.

    >>> [round(float(end), 3) for end in bisected(lambda x: x * x > 2.0, 0.0, 2.0, steps=20)]
    [1.414, 1.414]
    """
    for _ in range(steps):
        at = middle(low, high)
        over = beyond(at)
        low, high = np.where(over, low, at), np.where(over, at, high)
    return low, high


def shortened(
    attempt: Callable[[float], T | None], least: float, length: float = 1.0
) -> tuple[float, T] | None:
    """The line search: the first of `length`, its half, ... for which `attempt` is not None, and that.

    None if all lengths above `least` fail.

    >>> shortened(lambda length: length**2 if length < 0.3 else None, 1e-6)
    (0.25, 0.0625)
    """
    while length > least:
        there = attempt(length)
        if there is not None:
            return length, there
        length *= 0.5
    return None


def newton_from_above(step: Callable[[Array], Array], x: Array, slack: float = 0.0) -> Array:
    """Newton's method in each coordinate, for convex increasing functions, from above their roots.

    `step(x)`, the value over the slope, leads down to the root and no farther; the method ends where it
    no longer does, up to `slack`, relative to `1 + |x|`.

    >>> newton_from_above(lambda x: (x * x - 9.0) / (2.0 * x), np.array([10.0]))
    array([3.])
    """
    for _ in range(_FROM_ABOVE):
        down = step(x)
        if not np.any(down > slack * (1.0 + np.abs(x))):
            break
        x = np.minimum(x - down, x)
    return x


def newton_root(residual: Callable[[Array], Array], x: Array, h: float) -> Array:
    """Newton's method, with differences over `h`, and steps halved until they lead down."""
    r = residual(x)
    side = h  # where a projection begins to bind, the slopes are other ones to the other side
    for _ in range(_NEWTON):
        size = float(np.linalg.norm(r))
        if not size > 1e-13 * (1.0 + float(np.linalg.norm(x))):
            break
        slope = np.column_stack([(residual(x + side * e) - r) / side for e in np.eye(len(x))])
        if not np.isfinite(slope).all():
            break
        step = np.linalg.solve(slope, -r)

        def nearer(length: float, x: Array = x, step: Any = step, size: float = size) -> Any:
            there = residual(x + length * step)
            return there if np.linalg.norm(there) < (1.0 - 1e-4 * length) * size else None

        found = shortened(nearer, 1e-6)
        if found is not None:
            x, r, side = x + found[0] * step, found[1], h
        elif side > 0:
            side = -h
        else:
            break
    return x


def hessian(gradient: Callable[[Array], Array], v: Array) -> Array:
    """The Hessian of a function at `v`, by differences of its gradient.

    >>> hessian(lambda v: v**2, np.array([1.0, 3.0])).round(6)
    array([[2., 0.],
           [0., 6.]])
    """
    step = np.finfo(float).eps ** (1 / 3) * max(1.0, float(np.abs(v).max()))
    unit = step * np.eye(len(v))
    with np.errstate(all="ignore"):
        rows = [(gradient(v + e) - gradient(v - e)) / (2.0 * step) for e in unit]
    matrix = np.array(rows)
    return (matrix + matrix.T) / 2.0


# --- quadratic programs over polyhedra ------------------------------------------------------------


class Polyhedron(NamedTuple):
    """The polyhedron `low <= w <= high, rows @ w <= limits, equal @ w == to`."""

    low: Array
    high: Array
    rows: Array
    limits: Array
    equal: Array
    to: Array

    @classmethod
    def of(
        cls,
        d: int,
        low: Any = -math.inf,
        high: Any = math.inf,
        *,
        rows: Any = (),
        limits: Any = (),
        equal: Any = (),
        to: Any = (),
    ) -> "Polyhedron":
        """Constraints in `d` dimensions; what is not given does not constrain."""
        return cls(
            np.broadcast_to(np.asarray(low, np.float64), (d,)),
            np.broadcast_to(np.asarray(high, np.float64), (d,)),
            np.reshape(np.asarray(rows, np.float64), (-1, d)),
            np.asarray(limits, np.float64),
            np.reshape(np.asarray(equal, np.float64), (-1, d)),
            np.asarray(to, np.float64),
        )

    def __and__(self, other: "Polyhedron") -> "Polyhedron":
        """The constraints of both."""
        return Polyhedron(
            np.maximum(self.low, other.low),
            np.minimum(self.high, other.high),
            *(np.concatenate(pair) for pair in zip(self[2:], other[2:])),
        )

    def inequalities(self) -> tuple[Array, Array]:
        """All constraints as `matrix @ w <= bounds`."""
        unit = np.eye(len(self.low))
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        matrix = [-unit[below], unit[above], self.rows, self.equal, -self.equal]
        bounds = [-self.low[below], self.high[above], self.limits, self.to, -self.to]
        return np.concatenate(matrix), np.concatenate(bounds)


def solve_quadratic(matrix: Array, right: Array) -> Array:
    """`matrix^-1 right`, for a positive definite matrix, or its diagonal, or a multiple of 1.

    >>> solve_quadratic(np.array([2.0, 4.0]), np.ones(2))
    array([0.5 , 0.25])
    """
    return np.asarray(np.linalg.solve(matrix, right) if matrix.ndim == 2 else right / matrix)


def polyhedral_program(theta: Array, matrix: Array, constraints: Polyhedron) -> Array:
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
