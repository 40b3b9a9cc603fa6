"""Whether one domain lies within another: by faces, corners and radii, or it cannot be told."""

import math

import numpy as np

from regretless.domains.ball import Ball, lp_norm
from regretless.domains.box import Box
from regretless.domains.domain import Domain, Everything
from regretless.domains.intersection import Intersection
from regretless.domains.simplex import Simplex
from regretless.domains.sublevel import Sublevel
from regretless.domains.vectors import Array

__all__ = ["includes"]

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

    faces = whole._linear(d)
    if faces is not None:  # exact: what a face cuts off is told by the support function
        rows, limits = faces.inequalities()
        slack = _TOLERANCE * np.maximum(1.0, np.abs(limits))
        return all(part.support(row) <= limit for row, limit in zip(rows, limits + slack))
    if isinstance(whole, Ball) and (farthest := _farthest(part, whole, d)) is not None:
        return farthest <= _reached(whole)
    around_zero = isinstance(whole, Ball) and whole.p == 2.0 and not whole._middle(d).any()
    # an upper bound: it can show that the part is within, not that it is not
    reach = math.sqrt(2.0 * part._peak(Euclidean(), d)) if around_zero else math.inf
    if isinstance(whole, Ball) and reach <= _reached(whole):
        return True
    return None if all(map(whole.contains, _witnesses(part, d))) else False


def _reached(ball: Ball) -> float:
    return ball.radius + _TOLERANCE * max(1.0, ball.radius)


def _farthest(part: Domain, ball: Ball, d: int) -> float | None:
    """How far `part` reaches from the centre of a ball, in its norm."""
    p, middle = ball.p, ball._middle(d)
    if isinstance(part, Simplex):
        return max(lp_norm(vertex - middle, p) for vertex in part.scale * np.eye(d))
    if isinstance(part, Box):
        low, high = part._bounds(d)
        return lp_norm(np.maximum(np.abs(low - middle), np.abs(high - middle)), p)
    same_centre = isinstance(part, Ball) and np.array_equal(part._middle(d), middle)
    if isinstance(part, Ball) and (same_centre or part.p == p):
        apart = lp_norm(part._middle(d) - middle, p)
        return float(apart + part.radius * d ** max(1.0 / p - 1.0 / part.p, 0.0))
    return None


def _witnesses(part: Domain, d: int) -> list[Array]:
    """Some points of a domain, those that reach far among them."""
    found = []
    for direction in (*np.eye(d), *-np.eye(d)):
        if math.isinf(part.support(direction)):
            return [np.full(d, math.inf)]  # no ball has such a one
        found.append(part.maximiser(direction))
    return found
