"""The best fixed point in hindsight, to a proven gap, of any convex loss of a score over any domain."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from numpy.typing import NDArray

from regretless.domains import Ball, Domain, Everything, Sublevel
from regretless.domains.domain import Linear
from regretless.domains.intersection import _faces
from regretless.domains.solvers import with_violated_faces
from regretless.geometry import Quadratic
from regretless.losses import Loss
from regretless.losses.loss import PiecewiseLinear
from regretless.oco.convex_losses import Total
from regretless.oco.solver import minimise
from regretless.run import Array

__all__ = ["Hindsight", "best_point"]

_GAP = 1e-9  # of the value, relative to one plus it
_NEAR = 1e-3  # from where a linear program ends the search
_STEPS = 60  # of Newton's method, for each set of multipliers
_MULTIPLIERS = 40


class Hindsight(NamedTuple):
    """A `point` whose total loss is `value`, at most `gap` above the least of the domain."""

    point: Array
    value: float
    gap: float


def best_point(
    domain: Domain, X: Array, y: Array | None = None, loss: Loss | None = None
) -> Hindsight:
    """The point of a domain with the least total loss: `<u, x_t>`, or `loss(<u, x_t>, y_t)`.

    For any `g_t` that are derivatives of the losses at some scores `v_t`, convexity gives

        sum l_t(<u, x_t>)  >=  sum (l_t(v_t) - g_t v_t) - sup_{u in domain} <u, -sum g_t x_t>,

    so every step knows how far it can be from the best. The steps are Newton's, each a projection in
    the norm of the Hessian; losses with kinks are smoothed by their proximal map, with multipliers
    that make the smoothing harmless in the end (augmented Lagrangians). The search ends when it is
    within a relative 1e-9, or when it no longer comes closer: `gap` tells.

    >>> from regretless.domains import Simplex
    >>> best_point(Simplex(), np.array([[1.0, 0.0], [1.0, 3.0]])).point
    array([1., 0.])
    """
    if loss is None or y is None:
        gradient = X.sum(axis=0)
        if math.isinf(domain.support(-gradient)):
            raise ValueError(
                f"linear losses have no best point in {domain!r}: give norm=, or a bounded domain"
            )
        u = domain.maximiser(-gradient)
        return Hindsight(u, float(u @ gradient), 0.0)
    if not len(X):
        return Hindsight(domain._inner(X.shape[1]), 0.0, 0.0)
    best, least = Hindsight(domain._inner(X.shape[1]), math.inf, math.inf), -math.inf
    endless = not domain.bounded(X.shape[1])
    for found in _search(domain, X, y, loss, best.point):
        # without end, a gap is among points that are not much farther than this one
        least = found.value - found.gap if endless else max(least, found.value - found.gap)
        best = min(best, found, key=lambda each: each.value)
        if best.value - least <= _GAP * (1.0 + abs(best.value)):
            break
    return best._replace(gap=max(0.0, best.value - least))


def _search(domain: Domain, X: Array, y: Array, loss: Loss, u: Array) -> Iterator[Hindsight]:
    with np.errstate(all="ignore"):
        if isinstance(domain, Sublevel):
            total = Total(X.shape[1])
            total.scores = {loss: (X, y)}
            point, gap = minimise(total, domain, u, _GAP)
            yield Hindsight(point, total.value(point), gap)
            return
        if not isinstance(loss, PiecewiseLinear):
            yield from _newton(_Smooth(X, y, loss), domain, u)
            return
        faces, spikes = _faces([domain], X.shape[1])
        multipliers, sharp = np.zeros(len(X)), 1.0 / (np.abs(y).mean() or 1.0)
        for _ in range(_MULTIPLIERS):
            bent = _Bent(X, y, loss, multipliers, sharp)
            for found in _newton(bent, domain, u):
                yield found
                u = found.point
            if faces is not None and found.gap <= _NEAR * (1.0 + abs(found.value)):
                break
            multipliers, sharp = bent.duals(X @ u), 3.0 * sharp
        if faces is not None:
            yield from _linear_program(domain, faces, spikes, _Pieces(X, y, loss), u)


class _Smooth:
    """A total loss: its value, gradient and Hessian, and the least value of its tangents."""

    def __init__(self, X: Array, y: Array, loss: Loss) -> None:
        self.X, self.y, self.loss = X, y, loss

    def value(self, s: Array) -> float:
        """What the steps make smaller."""
        return float(np.sum(self.loss.value(s, self.y)))

    def slopes(self, s: Array) -> Array:
        """Derivatives of the losses at some scores."""
        return np.asarray(self.loss.derivative(s, self.y))

    def tangents(self, s: Array, slopes: Array) -> float:
        """`sum l(v) - g v` for those derivatives."""
        return float(np.sum(self.loss.value(s, self.y) - slopes * s))

    def hessian(self, s: Array) -> Array:
        """By differences of the derivatives."""
        h = 1e-6 * (1.0 + np.abs(s))
        bends = (self.slopes(s + h) - self.slopes(s - h)) / (2.0 * h)
        return np.asarray((self.X * np.maximum(bends, 0.0)[:, None]).T @ self.X)


class _Bent(_Smooth):
    """Losses with kinks, bent to curves: `min_v l(v) + (sharp / 2) (c - v)^2`, `c = s + a / sharp`."""

    def __init__(self, X: Array, y: Array, loss: Loss, multipliers: Array, sharp: float) -> None:
        super().__init__(X, y, loss)
        self.multipliers, self.sharp = multipliers, sharp

    def duals(self, s: Array) -> Array:
        """`sharp (c - v)`, a derivative at v; a flow along straight sides is the proximal step."""
        c = s + self.multipliers / self.sharp
        return self.sharp * np.asarray(self.loss.invariant_step(c, self.y, 1.0 / self.sharp, 1.0))

    slopes = duals

    def _near(self, s: Array, slopes: Array) -> Array:
        return np.asarray(s + (self.multipliers - slopes) / self.sharp)

    def value(self, s: Array) -> float:
        g = self.duals(s)
        return float(np.sum(self.loss.value(self._near(s, g), self.y) + g * g / (2.0 * self.sharp)))

    def tangents(self, s: Array, slopes: Array) -> float:
        v = self._near(s, slopes)
        return float(np.sum(self.loss.value(v, self.y) - slopes * v))


def _ahead(domain: Domain, gradient: Array, u: Array) -> float:
    """The largest `-<v, gradient>` in the domain, or, if it has no end, not much farther than `u`."""
    found = domain.support(-gradient)
    if not math.isinf(found):
        return found
    return float(np.linalg.norm(gradient)) * (1.0 + 2.0 * float(np.linalg.norm(u)))


def _newton(total: _Smooth, domain: Domain, u: Array) -> Iterator[Hindsight]:
    """Newton's steps, shortened until they lead down, as long as they do."""
    d = len(u)
    s = total.X @ u
    value, last = total.value(s), math.inf
    for _ in range(_STEPS):
        slopes = total.slopes(s)
        gradient = slopes @ total.X
        true = float(np.sum(total.loss.value(s, total.y)))
        ahead = _ahead(domain, gradient, u)
        yield Hindsight(u, true, true - total.tangents(s, slopes) + ahead)
        left = ahead + float(gradient @ u)  # how much the function itself can still fall
        if left <= 0.1 * _GAP * (1.0 + abs(value)) or not left < math.inf:
            return
        matrix = total.hessian(s)
        matrix += (1e-12 * np.trace(matrix) / d + 1e-300) * np.eye(d)
        to = _nearest(domain, matrix, gradient, u)
        if to is None:
            return
        way, length = to - u, 1.0
        along, falls = total.X @ way, float(gradient @ way)
        while length > 1e-10:
            there = total.value(s + length * along)
            if there <= value + 1e-4 * length * falls:
                break
            length *= 0.5
        else:
            return
        u, s, value, last = u + length * way, s + length * along, there, value
        if last - value <= 1e-16 * abs(last):
            return


class _Pieces:
    """A loss of straight sides as the largest of two tangents and 0, for every example."""

    def __init__(self, X: Array, y: Array, loss: Loss) -> None:
        self.X, self.y, self.loss = X, y, loss
        far = 2.0 + 2.0 * float(np.abs(y).max()) + 2.0 * loss.value(0.0, 1.0)  # beyond every kink
        ends = np.full(len(y), -far), np.full(len(y), far)
        self.slopes = [np.asarray(loss.derivative(s, y)) for s in ends]
        self.heights = [np.asarray(loss.value(s, y)) - g * s for s, g in zip(ends, self.slopes)]

    def margins(self, s: Array) -> Array:
        """By how much the largest piece exceeds the next one."""
        pieces = np.stack([h + g * s for g, h in zip(self.slopes, self.heights)] + [0.0 * s])
        pieces.sort(axis=0)
        return np.asarray(pieces[2] - pieces[1])

    def program(self, near: NDArray[np.intp], u: Array, faces: Linear) -> tuple[Array, Array] | None:
        """The best point if all examples but the near ones stay on the piece where `u` has them, and
        the derivatives, whatever they are at kinks; None if there is none."""
        from scipy import sparse
        from scipy.optimize import linprog

        d, k = len(u), len(near)
        duals = np.asarray(self.loss.derivative(self.X @ u, self.y))
        duals[near] = 0.0
        sides = [
            sparse.hstack([sparse.csr_array(g[near, None] * self.X[near]), -sparse.eye_array(k)])
            for g in self.slopes
        ]
        rows = sparse.csr_array((len(faces.rows), k))
        rows = sparse.vstack([*sides, sparse.hstack([sparse.csr_array(faces.rows), rows])])
        limits = np.concatenate([*(-h[near] for h in self.heights), faces.limits])
        equal = sparse.hstack([sparse.csr_array(faces.equal), sparse.csr_array((len(faces.to), k))])
        low = np.concatenate([faces.low, np.zeros(k)])
        high = np.concatenate([faces.high, np.full(k, math.inf)])
        cost = np.concatenate([duals @ self.X, np.ones(k)])
        found = linprog(cost, rows, limits, equal, faces.to, np.column_stack([low, high]))
        if found.x is None or found.status:
            return None
        for i, g in enumerate(self.slopes):
            duals[near] -= found.ineqlin.marginals[i * k : (i + 1) * k] * g[near]
        return found.x[:d], duals


def _linear_program(
    domain: Domain, faces: Linear, spikes: list[Ball], pieces: _Pieces, u: Array
) -> Iterator[Hindsight]:
    """The best point exactly: near `u` only few examples can change sides, and only these, and those
    that are found to have done so, need variables of their own."""
    X, y, loss = pieces.X, pieces.y, pieces.loss
    order = np.argsort(pieces.margins(X @ u), kind="stable")
    near = order[: max(200, 20 * len(u))]
    for _ in range(_MULTIPLIERS):
        found = pieces.program(near, u, faces)
        if found is None:
            if len(near) == len(X):
                return
            near = order[: 4 * len(near)]
            continue
        point, duals = found
        tighter = with_violated_faces(faces, spikes, point)
        if len(tighter.rows) > len(faces.rows):
            faces = tighter
            continue
        value = float(np.sum(loss.value(X @ point, y)))
        below = -float(np.sum(loss.conjugate(_clipped(duals, pieces), y)))
        yield Hindsight(point, value, value - below + _ahead(domain, duals @ X, point))
        sides = np.asarray(loss.derivative(X @ point, y)) != loss.derivative(X @ u, y)
        changed = np.setdiff1d(np.flatnonzero(sides), near)
        if not len(changed):
            return
        near = np.concatenate([near, changed])


def _clipped(duals: Array, pieces: _Pieces) -> Array:
    """Derivatives that rounding has put beyond those that the loss has."""
    np.clip(duals, *pieces.slopes, out=duals)
    return duals


def _nearest(domain: Domain, matrix: Array, gradient: Array, u: Array) -> Array | None:
    """Where the quadratic through `u` is least in the domain; None if that cannot be found."""
    if isinstance(domain, Everything):
        return np.asarray(u - np.linalg.lstsq(matrix, gradient, rcond=None)[0])
    scale = np.abs(matrix).max()
    for lift in (0.0, 1e-9, 1e-6, 1e-3):
        try:
            curved = matrix / scale + lift * np.eye(len(u))
            found = domain.link(curved @ u - gradient / scale, Quadratic((curved + curved.T) / 2.0))
        except (ArithmeticError, ValueError):  # too flat; np.linalg.LinAlgError is a ValueError
            continue
        if np.isfinite(found).all() and domain.contains(found, 1e-7):
            return found
    return None
