"""Online Newton step: second-order descent for losses that curve along their gradients (thesis 4)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regretless import _core
from regretless.arguments import not_negative, positive, shown, vector, whole
from regretless.domains import Box, Domain, Everything, Simplex
from regretless.oco.engine import Engine, EnginePlayer
from regretless.oco.twins import domain_twin
from regretless.run import Array

__all__ = ["InvariantNewtonStep", "OnlineNewtonStep", "at_a_corner", "pace"]


def at_a_corner(convex: Callable[[Array], float], domain: Domain, dimension: int) -> float:
    """The largest value of a convex function on a simplex; infinite on other domains."""
    if not isinstance(domain, Simplex):
        return math.inf
    return max(convex(corner) for corner in domain.scale * np.eye(dimension))


def pace(curvature: Any, rate: Any) -> tuple[float, float]:
    """Both as numbers that are not negative, of which one must not be 0."""
    pair = not_negative(curvature, "curvature"), not_negative(rate, "rate")
    if pair == (0.0, 0.0):
        raise ValueError("curvature=0 and rate=0: the matrix would never adapt; give one of them")
    return pair


class _Looking(EnginePlayer):
    """A player that sees the example to come, and keeps what it predicts for it within `slab`."""

    _matrix = True
    slab: float | None
    alpha = 0.0  # what the matrix begins with, times the identity
    _first: Array  # w_1
    _theorem = "thesis Proposition 1: linearised losses"

    def look(self, x: Any) -> None:
        """The example that comes next: the point is moved to where `|<w, x>| <= slab`."""
        if self.slab is None:
            raise ValueError("slab= was not given: there is no slab to move to")
        self._core.look(vector(x, "x", self.dimension), self.slab)

    @property
    def _core(self) -> Any:
        return self._engine

    def _play(self, X: Array, y: Any, loss: Any, keep: bool) -> tuple[Array, Array, Array | None]:
        self._curved = loss is not None
        suffered, _, paid, points = self._core.run(
            X, y, self._engine_loss(loss), keep, self.slab or 0.0
        )
        return suffered, paid, None if points is None else points.reshape(X.shape)

    def _curve(self, paid: Array, u: Array) -> Array:
        if not self._curved or not np.isfinite(u).all():  # linear losses do not curve
            return np.full(len(paid), np.nan)
        return self._away(u) + paid

    def _away(self, u: Array) -> float:
        """What the bound has before anything is paid."""
        return 0.0

    def _complexity(self, comparators: Domain | Array) -> float:
        """Half of `alpha ||u - w_1||^2 + sum (curvature + rate) <g, w_t - u>^2`."""
        d = self.dimension
        if isinstance(comparators, Domain):
            return at_a_corner(self._complexity, comparators, d)
        u, sums = comparators, self._engine.sums()
        seen = sums["matrix"].reshape(d, d) - self.alpha * np.eye(d)
        missed = float(u @ seen @ u - 2.0 * (u @ sums["cross"]) + sums["squares"])
        away = self.alpha * float(np.sum((u - self._first) ** 2))
        return 0.5 * (away + max(missed, 0.0))

    def _bounds(self, complexity: float) -> tuple[dict[str, float], dict[str, bool | None], str]:
        assumptions: dict[str, bool | None] = {"the comparator is in the domain": True}
        if self.slab is not None:  # the examples are not kept
            assumptions["of no example does it predict more than slab"] = None
        return {"newton": complexity + self._engine.paid}, assumptions, self._theorem


class OnlineNewtonStep(_Looking):
    """`w <- P_A(w - A^{-1} g)`, `A = alpha I + sum (curvature + rate / sqrt(t)) g g'`, in O(d^2).

    `P_A` is the nearest point in the norm of `A`. For losses with
    `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2` in the domain the regret is at most
    `alpha / 2 ||u - w_1||^2 + d / (2 curvature) ln(1 + curvature sum ||g||^2 / (d alpha))`:
    logarithmic in the number of rounds (thesis Theorem 16; Hazan, Agarwal and Kale, 2007).

    Parameters
    ----------
    dimension : how many coordinates.
    alpha : > 0, how firmly it holds on to where it starts.
    curvature : >= 0, of the losses, as above; 0 for any convex loss, with `rate > 0`.
    rate : >= 0; for losses of a score, `sqrt(d) / (C L)` keeps the regret at O(C L sqrt(d T)).
    domain : everything, a `Box` or a `Simplex`.
    slab : if given, points are kept in the slab `|<w, x_t>| <= slab` of the example to come: call
        `look(x)` before `point`; `run` does. Domain and `slab` exclude each other.
    lazy : follow the leader of the quadratics that the gradients and `curvature` make (Hazan, Agarwal
        and Kale's follow the approximate leader) instead of stepping from point to point. The sum
        of `g' A^{-1} g` counts twice then.

    >>> player = OnlineNewtonStep(2, alpha=1.0, curvature=1.0)
    >>> _ = player.update([1.0, 0.0])
    >>> player.point
    array([-0.5,  0. ])
    """

    _options = ("dimension", "alpha", "curvature", "rate", "domain", "slab", "lazy")

    def __init__(
        self,
        dimension: int,
        *,
        alpha: float = 1.0,
        curvature: float = 0.125,
        rate: float = 0.0,
        domain: Domain | None = None,
        slab: float | None = None,
        lazy: bool = False,
    ) -> None:
        self.dimension, self.alpha = whole(dimension, "dimension"), positive(alpha, "alpha")
        self.curvature, self.rate = pace(curvature, rate)
        self.domain = Everything() if domain is None else domain
        if not isinstance(self.domain, (Everything, Box, Simplex)):
            raise ValueError(f"domain={shown(domain)} must be a Box, a Simplex or Everything")
        self.slab = None if slab is None else positive(slab, "slab")
        if slab is not None and not isinstance(self.domain, Everything):
            raise ValueError(f"domain={shown(domain)} and slab={slab}: give one of them")
        self.lazy = bool(lazy)
        self._engine = self._start()
        self._first = self.point

    def _start(self) -> Engine:
        around = domain_twin(self.domain, self.dimension) or {}
        return _core.newton_step(
            self.dimension, self.alpha, self.curvature, self.rate, around, self.lazy
        )

    def _away(self, u: Array) -> float:
        """What the bound has before anything is paid; with rates, it is no bound on curved losses."""
        return math.nan if self.rate else 0.5 * self.alpha * float(np.sum((u - self._first) ** 2))

    def logarithmic_bound(self, comparator: Any) -> float:
        """Theorem 16's bound on the regret of losses that curve as `curvature` says; `rate` is 0.

        >>> player = OnlineNewtonStep(1, alpha=2.0, curvature=1.0)
        >>> player.logarithmic_bound([3.0])
        9.0
        """
        if self.rate or not self.curvature:
            raise ValueError(f"rate={self.rate:g}, curvature={self.curvature:g}: for rate=0 only")
        u = vector(comparator, "comparator", self.dimension)
        return self._away(u) + self._engine.paid


class InvariantNewtonStep(_Looking):
    """Newton steps that no linear map of the examples can disturb (thesis 4.3, repaired).

    `A = curvature sum g g'`, without a start, and its pseudo-inverse; points are kept in the slab
    `|<w, x>| <= slab` of the example to come. As printed the rule is not invariant: when an example
    leaves the range of `A`, what it predicts depends on the coordinates. Predicting 0 there repairs
    it. O(d^2) a round. For every u that keeps `|<u, x>| <= slab` the linearised regret is at most half
    of `sum g' A^+ g + curvature sum <g, w - u>^2`, and that of losses that curve as told half of the
    first sum (eq. C.2).

    Parameters: `dimension`; `curvature > 0`; `slab > 0`, C.

    >>> player = InvariantNewtonStep(2, curvature=1.0, slab=4.0)
    >>> player.look([1.0, 2.0])
    >>> player.point
    array([0., 0.])
    """

    _options = ("dimension", "curvature", "slab")

    def __init__(self, dimension: int, *, curvature: float = 0.125, slab: float = 1.0) -> None:
        self.dimension, self.domain = whole(dimension, "dimension"), Everything()
        self.curvature, self.slab = positive(curvature, "curvature"), positive(slab, "slab")
        self._engine = self._start()
        self._first = self.point

    def _start(self) -> Engine:
        return _core.invariant_newton(self.dimension, self.curvature)
