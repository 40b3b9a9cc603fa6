"""The solver of the leaders: the least value of a sum of convex losses, to a proven gap."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regretless import domains
from regretless.base.arguments import Array
from regretless.base.solvers import newton_root
from regretless.domains import Domain
from regretless.geometry import Euclidean, Geometry
from regretless.oco.convex_losses import LinearLoss, Total

_MULTIPLIERS = 40  # rounds of augmented Lagrangians
_CUTS = 500  # of the bundle method; a few times the dimension is usual
_PULLS = 50  # of the proximal point method, from near at first to far


def minimise_regularised(
    total: Total, psi: Geometry, eta: float, theta: Array, tolerance: float
) -> tuple[Array, float]:
    """The minimiser of `psi / eta + total`, and a bound on its error in value.

    The search starts at `link(eta theta)`.

    At the minimiser `theta = -gradient(link(eta theta))`. This is solved for theta, so that losses are
    only looked at where psi is finite. Kinks of losses of a score are smoothed by augmented
    Lagrangians: with multipliers `a` and a score s, `dual = rho (c - v)`, `c = s + a / rho`, is a
    derivative of the loss at `v`, its proximal point of c, and becomes the next `a`. By Fenchel and
    Young, the value at `w` is above the least by no more than

        psi(w) / eta + psi*(-eta g) / eta + <w, g> + sum (phi(s) - phi(v) - dual (s - v)),

    g being the gradient with the duals in the place of derivatives. Functions with kinks of their own
    are left to the bundle method.
    """
    smooth, kinked = total.split()
    near = psi.link(eta * theta)
    duals = [kind.derivative(X @ near, y) for kind, X, y in kinked]
    weakest = 1.0 / (eta * total.largest_square())
    h = 1e-7 * (1.0 + float(np.abs(near).max())) / eta  # moves the point by about 1e-7
    for k in range(_MULTIPLIERS):
        rho = weakest * min(10.0**k, 1e3)
        bent = _Bent(smooth, kinked, duals, rho)
        try:
            with np.errstate(all="ignore"):
                theta = newton_root(bent.residual(psi, eta), theta, h)
                w = psi.link(eta * theta)
                g, above = bent.gradient(w), bent.above(w)
                gap = (psi.value(w) + psi.conjugate(-eta * g)) / eta + float(w @ g) + above
                scale = tolerance * (1.0 + abs(total.value(w) + psi.value(w) / eta))
        except (ArithmeticError, ValueError):
            break  # a step too far, into numbers that are not finite; the bundle method makes none
        if gap <= scale:
            return w, max(gap, 0.0)
        if not kinked:
            break
        duals = bent.duals(w)
    return _bundle(total, psi, eta, near, tolerance)


class _Bent:
    """A sum of losses whose kinks are bent to curves of curvature `rho`."""

    def __init__(self, smooth: Total, kinked: list[Any], multipliers: list[Array], rho: float):
        self._smooth, self._kinked, self._multipliers, self._rho = smooth, kinked, multipliers, rho

    def _centres(self, w: Array) -> list[Array]:
        return [X @ w + a / self._rho for (_, X, _), a in zip(self._kinked, self._multipliers)]

    def duals(self, w: Array) -> list[Array]:
        # A loss with straight sides: its flow for a time 1 / rho is its proximal step.
        return [
            self._rho * kind.invariant_step(c, y, 1.0 / self._rho, 1.0)
            for (kind, _, y), c in zip(self._kinked, self._centres(w))
        ]

    def gradient(self, w: Array) -> Array:
        found = self._smooth.gradient(w)
        for (_, X, _), dual in zip(self._kinked, self.duals(w)):
            found += dual @ X
        return found

    def residual(self, psi: Geometry, eta: float) -> Callable[[Array], Array]:
        """The residual, which is 0 if `theta` gives the minimiser of the sum and `psi / eta`."""
        return lambda theta: theta + self.gradient(psi.link(eta * theta))

    def above(self, w: Array) -> float:
        """The height of the losses above the tangents of slope `duals`."""
        found = 0.0
        for (kind, X, y), c, dual in zip(self._kinked, self._centres(w), self.duals(w)):
            s, v = X @ w, c - dual / self._rho
            found += float(np.sum(kind.value(s, y) - kind.value(v, y) - dual * (s - v)))
        return found


def _bundle(
    total: Total, psi: Geometry, eta: float, w: Array, tolerance: float
) -> tuple[Array, float]:
    """The minimiser of `psi / eta + total` for losses with kinks, by a bundle method.

    The largest of the tangent planes seen so far stands for `total`. Mixed with `weights`, planes
    `height + <slope, w>` bound the least value from below by
    `<weights, heights> - psi*(-eta <weights, slopes>) / eta`; the mixture that is best gives the next
    point, and planes without weight are dropped.
    """
    slopes, heights, weights = np.empty((0, len(w))), np.empty(0), np.empty(0)
    upper, lower, best = math.inf, -math.inf, w
    for _ in range(_CUTS):
        value, slope = total.value(w), total.gradient(w)
        if value + psi.value(w) / eta < upper:
            upper, best = value + psi.value(w) / eta, w
        if upper - lower <= tolerance * (1.0 + abs(upper)):
            break
        slopes, heights = np.vstack([slopes, slope]), np.append(heights, value - slope @ w)
        weights = _mixture(slopes, heights, psi, eta, np.append(weights, 0.0))
        theta = -weights @ slopes
        lower = max(lower, float(weights @ heights) - psi.conjugate(eta * theta) / eta)
        w = psi.link(eta * theta)
        slopes, heights, weights = (each[weights > 0] for each in (slopes, heights, weights))
    return best, max(upper - lower, 0.0)


def _mixture(slopes: Array, heights: Array, psi: Geometry, eta: float, weights: Array) -> Array:
    """The weights of planes that give the largest lower bound."""
    from scipy.optimize import minimize, root

    if len(weights) == 1:
        return np.ones(1)

    def below(mix: Array) -> tuple[float, Array]:
        theta = -eta * (mix @ slopes)
        value = psi.conjugate(theta) / eta - float(mix @ heights)
        return value, -(heights + slopes @ psi.link(theta))

    found = minimize(
        below,
        weights,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(weights),
        constraints={"type": "eq", "fun": lambda mix: mix.sum() - 1.0, "jac": np.ones_like},
        options={"ftol": 1e-14, "maxiter": 200},
    )
    mix: Array = np.clip(found.x, 0.0, None)
    mix /= mix.sum()
    # Near a kink the value at the point is off by as much as the weights are: the planes that meet
    # there are equally high at the best mixture, and this is solved to rounding.
    meet = mix > 1e-9

    def uneven(unknown: Array) -> Array:
        part, height = unknown[:-1], unknown[-1]
        w = psi.link(-eta * (part @ slopes[meet]))
        return np.append(heights[meet] + slopes[meet] @ w - height, part.sum() - 1.0)

    start = np.append(mix[meet], np.max(-below(mix)[1]))
    refined = root(uneven, start, options={"xtol": 1e-15}).x[:-1]
    if (refined >= 0.0).all() and abs(refined.sum() - 1.0) < 1e-9:
        polished: Array = np.zeros_like(mix)
        polished[meet] = refined / refined.sum()
        if below(polished)[0] <= below(mix)[0]:
            return polished
    return mix


def minimise(total: Total, domain: Domain, near: Array, tolerance: float) -> tuple[Array, float]:
    """The minimiser of `total` over a domain, and a bound on its error in value.

    By proximal points, `w' = argmin total + ||. - w||^2 / (2 reach)`: there the pull
    `g = (w - w') / reach` is a subgradient of the total in the domain, so the value is at most
    `<g, w'> + sup_u <u, -g>` above the least, or, in an unbounded domain, measured by the size of g.
    """
    if total.quadratic and total.distances:
        return domain.project((total.centers - total.linear) / total.distances), 0.0
    if total.quadratic:
        if math.isinf(domain.support(-total.linear)):
            raise ValueError(
                f"linear losses have no least value in {domain}; play in a bounded domain, "
                "or with FollowTheRegularizedLeader"
            )
        return domain.maximiser(-total.linear), 0.0
    psi = Euclidean() if isinstance(domain, domains.Everything) else Euclidean().on(domain)
    w, gap, best, reach = near, math.inf, near, 1.0
    for _ in range(_PULLS):
        tilted = total.plus(LinearLoss(-w / reach))
        nearer, inside = minimise_regularised(
            tilted, psi, reach, -tilted.gradient(w), tolerance / 10.0
        )
        pull = (w - nearer) / reach
        left = float(pull @ nearer) + domain.support(-pull)
        if math.isinf(left):
            left = float(np.linalg.norm(pull)) * (1.0 + float(np.linalg.norm(nearer)))
        if left + inside < gap:
            gap, best = left + inside, nearer
        if gap <= tolerance * (1.0 + abs(total.value(best))):
            break
        w, reach = nearer, min(10.0 * reach, 1e3)
    return best, gap
