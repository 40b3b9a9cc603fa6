"""The best fixed point in hindsight: in closed form for linear losses, else by a convex solver."""

import math
from collections.abc import Callable

import numpy as np

from regretless.domains import Box, Domain, Everything
from regretless.losses import Loss
from regretless.run import Array

__all__ = ["best_point"]

_STEPS, _PRECISION = 5_000, 1e-12


def best_point(
    comparators: Domain | Array, X: Array, y: Array | None = None, loss: Loss | None = None
) -> Array:
    """The point of a domain with the least total loss: `<u, x_t>`, or `loss(<u, x_t>, y_t)`.

    A point is returned as it is. Linear losses over a domain without end have no best point: it is
    NaN then.

    >>> from regretless.domains import Simplex
    >>> best_point(Simplex(), np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([1., 0.])
    """
    if not isinstance(comparators, Domain):
        return comparators
    if loss is None or y is None:
        gradient = X.sum(axis=0)
        if math.isinf(comparators.support(-gradient)):
            return np.full(X.shape[1], np.nan)
        return comparators.maximiser(-gradient)

    def total(u: Array) -> tuple[float, Array]:
        score = X @ u
        return float(np.sum(loss.value(score, y))), np.asarray(loss.derivative(score, y)) @ X

    start = comparators.project(np.full(X.shape[1], 1.0 / X.shape[1]))
    if isinstance(comparators, (Everything, Box)):
        from scipy.optimize import minimize

        bounds = None
        if isinstance(comparators, Box):
            sides = (np.broadcast_to(s, start.shape) for s in (comparators.low, comparators.high))
            bounds = list(zip(*sides))
        options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": _STEPS}
        found = minimize(total, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return np.asarray(found.x)
    return _descend(comparators, total, start)


def _descend(domain: Domain, total: Callable[[Array], tuple[float, Array]], start: Array) -> Array:
    """Projected gradient steps with momentum, begun anew when it leads uphill (Nesterov; O'Donoghue
    and Candes). The step shrinks until the quadratic through the point lies above the function."""
    u = ahead = start
    length, momentum, value = 1.0, 1.0, total(start)[0]
    for _ in range(_STEPS):
        at, gradient = total(ahead)
        while True:
            to = domain.project(ahead - length * gradient)
            way = to - ahead
            reached = total(to)[0]
            above = at + float(gradient @ way) + float(way @ way) / (2.0 * length)
            if reached <= above + 1e-15 * abs(above) or length < 1e-18:
                break
            length *= 0.5
        if reached > value and momentum > 1.0:
            ahead, momentum = u, 1.0
            continue
        following = (1.0 + math.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = domain.project(to + (momentum - 1.0) / following * (to - u))
        still = float(np.abs(to - u).max()) <= _PRECISION * (1.0 + float(np.abs(to).max()))
        u, value, momentum = to, reached, following
        if still:
            break
        length *= 1.25
    return u
