"""Online Newton step: second-order descent for losses that curve along their gradients.

Luo (2016), chapter 4.
"""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.base.arguments import (
    Array,
    flag,
    not_negative,
    positive,
    shown,
    vector,
    whole,
)
from regretless.base.options import OrNone, option
from regretless.domains import Box, Domain, Everything, Simplex
from regretless.domains.projections import largest_quadratic
from regretless.oco.engine import Engine, domain_twin
from regretless.oco.player import ConvexRun, Played, Player, Theorem


def check_pace(curvature: float, rate: float) -> None:
    """Reject a curvature and a rate that are both 0."""
    if curvature == rate == 0.0:
        raise ValueError("curvature=0 and rate=0: the matrix would never adapt; give one of them")


def _known_domain(domain: Any, name: str) -> Domain:
    """The domain, if the core knows how to project onto it in any norm."""
    if not isinstance(domain, (Everything, Box, Simplex)):
        raise ValueError(f"{name}={shown(domain)} must be a Box, a Simplex or Everything")
    return domain


class _NewtonPlayer(Player):
    """A player that is shown the next example and keeps its prediction for it within `slab`."""

    _matrix = True
    alpha = 0.0  # what the matrix begins with, times the identity
    _name = "Luo (2016), Proposition 1"
    _pace = 0.0  # the falling rate, which curved losses do not need

    def __post_init__(self) -> None:
        self.slab: float | None
        self.curvature: float
        super().__post_init__()
        self._first = self.point

    def look(self, x: Any) -> None:
        """Show the next example: the point is moved to where `|<w, x>| <= slab`."""
        if self.slab is None:
            raise ValueError("look() needs slab=, which was not given when the player was made")
        self._core.look(vector(x, "x", self.dimension), self.slab)

    @property
    def _core(self) -> Any:
        return self._engine

    def _play(self, X: Array, y: Any, loss: Any, keep: bool) -> Played:
        told = Played(*self._core.run(X, y, self._engine_loss(loss), keep, self.slab or 0.0))
        return told if told.points is None else told._replace(points=told.points.reshape(X.shape))

    def _metric(self) -> Array:
        """The matrix A so far."""
        d = self.dimension
        return np.asarray(self._engine.sums()["matrix"]).reshape(d, d)

    def _missed(self, before: "_NewtonPlayer | None" = None) -> tuple[Array, Array, float]:
        """The quadratic, linear and constant parts, as a function of u, of
        `sum (curvature + rate) <g, w_t - u>^2` since `before`."""
        sums = self._engine.sums()
        if before is None:
            start = self.alpha * np.eye(self.dimension)
            return self._metric() - start, sums["cross"], sums["squares"]
        earlier = before._engine.sums()
        return (
            self._metric() - before._metric(),
            sums["cross"] - earlier["cross"],
            sums["squares"] - earlier["squares"],
        )

    def _assumptions(self) -> dict[str, bool | None]:
        if self.slab is None:
            return {}
        return {"its predictions are at most slab": None}  # they are not kept

    def _theorem(self, among: Domain | Array) -> Theorem:
        # half of alpha ||u - w_1||^2 + sum (curvature + rate) <g, w_t - u>^2
        start, first = self.alpha * np.eye(self.dimension), self._first
        matrix, cross, constant = self._missed()
        matrix, cross = matrix + start, cross + start @ first
        constant += float(first @ start @ first)
        if isinstance(among, Domain):
            most = largest_quadratic(matrix, cross, constant, among)
        else:
            most = float(among @ matrix @ among - 2.0 * (among @ cross)) + constant
        bounds = {"newton": max(most, 0.0) / 2.0 + self._engine.paid}
        return Theorem(bounds, self._assumptions(), self._name)

    def _from(self, before: "_NewtonPlayer", u: Array) -> float:
        """Half the squared distance at the start of a run, in the norm of the matrix at that time."""
        way = u - before.point
        return 0.5 * float(way @ before._metric() @ way)

    _proves_nothing = False  # of lazy play

    @property
    def _steps(self) -> bool:
        """Whether the theorem can begin in any round, as each step starts from the current point."""
        return True

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        if not self._steps and (run.before.rounds or self._proves_nothing):
            return super()._run_theorem(run, u)
        before: Any = run.before
        matrix, cross, constant = self._missed(before)
        missed = float(u @ matrix @ u - 2.0 * (u @ cross)) + constant
        start = self._from(before, u) + self._engine.paid - before._engine.paid
        bounds = {"newton": start + max(missed, 0.0) / 2.0}
        known = run.kind is not None and run.points is not None and not self._pace
        if known and run.curves_by(self.curvature, u).all():
            bounds["curved"] = start
        return Theorem(bounds, self._watched(run, u), self._name)

    def _watched(self, run: ConvexRun, u: Array) -> dict[str, bool | None]:
        if self.slab is None:
            return {}
        fits = bool(np.all(np.abs(run.rows @ u) <= self.slab * (1.0 + 1e-9)))
        return {"its predictions are at most slab": fits}

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        nothing = np.full(run.rounds, math.nan)
        if run.points is None or (not self._steps and run.before.rounds):
            return nothing
        if False in self._watched(run, u).values():
            return nothing
        before: Any = run.before
        start = self._from(before, u) + run.paid - before._engine.paid
        scores, slopes = run.slopes()
        away = slopes * (scores - run.rows @ u)
        rounds = np.arange(before.rounds, self.rounds) + 1
        missed = np.cumsum((self.curvature + self._pace / np.sqrt(rounds)) * away**2) / 2.0
        if run.kind is None or self._pace:
            return np.asarray(start + missed)
        curved = np.logical_and.accumulate(run.curves_by(self.curvature, u))
        return np.asarray(start + np.where(curved, 0.0, missed))


class OnlineNewtonStep(_NewtonPlayer):
    """Newton steps `w <- P_A(w - A^{-1} g)`, `A = alpha I + sum (curvature + rate / sqrt(t)) g g'`.

    `P_A` is the nearest point in the norm of `A`. A round takes O(d^2). For losses with
    `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2` in the domain the regret is at most
    `alpha / 2 ||u - w_1||^2 + d / (2 curvature) ln(1 + curvature sum ||g||^2 / (d alpha))`:
    logarithmic in the number of rounds (Luo (2016), Theorem 16; Hazan, Agarwal and Kale (2007)).

    >>> player = OnlineNewtonStep(2, alpha=1.0, curvature=1.0)
    >>> _ = player.update([1.0, 0.0])
    >>> player.point
    array([-0.5,  0. ])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    alpha: float = option(positive, default=1.0, text="the matrix starts as `alpha I`")
    curvature: float = option(
        not_negative,
        default=0.125,
        text="""of the losses, as above; 0 for any convex loss, with `rate > 0`""",
    )
    rate: float = option(
        not_negative,
        default=0.0,
        text="""for losses of a score, `sqrt(d) / (C L)` keeps the regret at O(C L sqrt(d T))""",
    )
    domain: OrNone[Domain] = option(
        _known_domain,
        default=None,
        text="`Everything`, a `Box` or a `Simplex`; None means `Everything`",
    )
    slab: float | None = option(
        positive,
        default=None,
        text="""if given, points are kept in the slab `|<w, x_t>| <= slab` of the example to come:
        call `look(x)` before `point`; `run` does. Domain and `slab` exclude each other""",
    )
    lazy: bool = option(
        flag,
        default=False,
        text="""whether it follows the leader of the quadratics that the gradients and `curvature`
        make (Hazan, Agarwal and Kale's follow the approximate leader) instead of stepping
        from point to point. The sum of `g' A^{-1} g` counts twice then""",
    )
    delta: float | None = option(
        positive,
        default=None,
        text="""a factor, which needs `lazy=True`: play the point of the domain nearest to `delta
        A^{-1} sum (curvature <g_t, w_t> - 1) g_t`. With `alpha=1, curvature=1, delta=1/8`
        on the simplex this is the algorithm for portfolios of Agarwal, Hazan, Kale and
        Schapire (2006), in the configuration that they use. Its only certificate is the trivial one""",
    )

    def __post_init__(self) -> None:
        check_pace(self.curvature, self.rate)
        if self.slab is not None and not isinstance(self.domain, (Everything, type(None))):
            raise ValueError(f"domain={shown(self.domain)} and slab={self.slab}: give one of them")
        if self.delta is not None and not self.lazy:
            raise ValueError(f"delta={shown(self.delta)} needs lazy=True")
        super().__post_init__()

    def _start(self) -> Engine:
        around = domain_twin(self.domain, self.dimension) or {}
        return _core.newton_step(
            self.dimension,
            self.alpha,
            self.curvature,
            self.rate,
            around,
            self.lazy,
            self.delta or 0.0,
        )

    @property
    def _pace(self) -> float:  # type: ignore[override]
        return self.rate

    @property
    def _steps(self) -> bool:
        return not self.lazy

    @property
    def _proves_nothing(self) -> bool:  # type: ignore[override]
        return self.delta is not None

    def _theorem(self, among: Domain | Array) -> Theorem:
        if self.delta is None:
            return super()._theorem(among)
        return Theorem({}, {}, "none: delta does well in practice, without a proof")

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if self.delta is None:
            return super()._curve(run, u)
        return np.full(run.rounds, math.nan)

    def logarithmic_bound(self, comparator: Any) -> float:
        """Theorem 16's bound on the regret of losses with the given `curvature`; `rate` must be 0.

        >>> player = OnlineNewtonStep(1, alpha=2.0, curvature=1.0)
        >>> player.logarithmic_bound([3.0])
        9.0
        """
        if self.rate or not self.curvature:
            raise ValueError(f"rate={self.rate:g}, curvature={self.curvature:g}: rate=0 is needed")
        u = vector(comparator, "comparator", self.dimension)
        return 0.5 * self.alpha * float(np.sum((u - self._first) ** 2)) + self._engine.paid


class InvariantNewtonStep(_NewtonPlayer):
    """Newton steps that are invariant under linear maps of the examples.

    Luo (2016), appendix C.2, repaired.

    `A = curvature sum g g'`, without a start, and its pseudo-inverse; points are kept in the slab
    `|<w, x>| <= slab` of the example to come. As printed the rule is not invariant: when an example
    leaves the range of `A`, what it predicts depends on the coordinates. Predicting 0 there repairs
    it. A round takes O(d^2) operations. For every u that keeps `|<u, x>| <= slab` the linearised regret
    is at most half of `sum g' A^+ g + curvature sum <g, w - u>^2`; the regret of losses with the given
    curvature is at most half of the first sum (eq. C.2).

    >>> player = InvariantNewtonStep(2, curvature=1.0, slab=4.0)
    >>> player.look([1.0, 2.0])
    >>> player.point
    array([0., 0.])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    curvature: float = option(positive, default=0.125, text="of the losses, as above")
    slab: float = option(positive, default=1.0, text="C, the largest size of a prediction")

    domain = Everything()

    def _start(self) -> Engine:
        return _core.invariant_newton(self.dimension, self.curvature)
