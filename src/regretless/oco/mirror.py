"""Online mirror descent: Shalev-Shwartz (2012), sections 2.6 and 2.7; Srebro (lecture 16), slide
Dual Averaging.

A geometry `psi` and rates `eta_t` make

    lazy:   w_{t+1} = P(link(eta_t theta)),  theta = - sum z        (dual averaging, linearised FTRL)
    agile:  w_{t+1} = P(link(grad psi(w_t) - eta_t z_t))

where `P` is the projection in the Bregman divergence of `psi`. Gradient descent, exponentiated gradient,
the p-norm algorithm and preconditioned descent are choices of `psi`. AdaGrad and coin betting learn each
coordinate separately.
"""

import math
from typing import Any

import numpy as np

from regretless import _core, rates
from regretless.base.arguments import (
    Array,
    flag,
    instance,
    length,
    one_of,
    positive,
    shown,
    whole,
)
from regretless.base.options import OrNone, fixed, option
from regretless.domains import Ball, Box, Domain, Everything, Sublevel
from regretless.geometry import Entropy, Euclidean, Geometry, UnnormalizedEntropy
from regretless.oco.engine import Engine, EngineInPython, domain_twin, mirror_twin
from regretless.oco.player import ConvexRun, Player, Theorem

# --- mirror descent for geometries and domains that the core does not know ------------------------


class MirrorInPython(EngineInPython):
    """Mirror descent in Python, with the sums of the core's; see core/oco/mirror.hpp."""

    _numbers = (
        *EngineInPython._numbers,
        *("strength", "quadratic", "squares", "lengths", "largest", "local", "spread", "steepest"),
        "next",
    )
    _signed = ("linear", "steepest", "local")
    _vectors = ("theta", "point")
    strength = quadratic = squares = lengths = largest = local = spread = steepest = 0.0
    next = 0.0  # the rate of the round to come

    def __init__(
        self,
        dimension: int,
        geometry: Geometry,
        domain: Domain,
        rate: tuple[_core.Schedule, float],
        lazy: bool,
    ) -> None:
        super().__init__(dimension)
        self._geometry, self._domain, self._lazy = geometry, domain, lazy
        self._schedule, self._eta = rate
        self._projects = domain != geometry.domain
        self.point = self._played(np.zeros(dimension))

    def _played(self, dual: Array) -> Array:
        if self._projects:
            return self._domain.link(dual, self._geometry)
        return self._geometry.link(dual)

    def _rate(self, rounds: int, squares: float) -> float:
        if self._schedule is _core.Schedule.constant:
            return self._eta
        if self._schedule is _core.Schedule.inverse_sqrt:
            return self._eta / math.sqrt(rounds)
        if self._schedule is _core.Schedule.inverse:
            return self._eta / rounds
        return self._eta / math.sqrt(squares) if squares > 0 else 0.0

    def step(self, z: Array) -> None:
        square = self._geometry.dual_norm(z) ** 2
        squares = self.squares + square
        eta = self._rate(self.rounds + 1, squares)
        # steps that may fail come first, while nothing has changed
        if self._lazy:
            point = self._played(eta * (self.theta - z))
        else:
            point = self._played(self._geometry.gradient(self.point) - eta * z)
        # until a gradient differs from 0 the rate is free, as in the first round
        played = self.next if self._lazy and self.next > 0 else eta
        self.squares = squares
        self.lengths += math.sqrt(square)
        self.largest = max(self.largest, math.sqrt(square))
        self.strength = 1.0 / played if played > 0 else 0.0
        if square > 0 and self._geometry.strong_convexity > 0:
            self.quadratic += played * square / (2.0 * self._geometry.strong_convexity)
        self.local += played * float(self.point @ (z * z))
        self.spread += played * float(np.ptp(z)) ** 2
        self.steepest = min(self.steepest, played * float(z.min()))
        self.next, self.point = eta, point

    @property
    def paid(self) -> float:  # type: ignore[override]
        """The part of the bound due to the gradients; in local norms if psi is not strongly convex."""
        if self._geometry.strong_convexity > 0:
            return self.quadratic
        if not isinstance(self._geometry, UnnormalizedEntropy) or self._projects:
            return math.nan
        paid = self.local / 2.0 if self.steepest >= 0.0 else self.local
        return paid if self.steepest >= -1.0 else math.inf

    def sums(self) -> dict[str, Any]:
        names = ("squares", "lengths", "largest", "local", "spread", "steepest")
        return {name: getattr(self, name) for name in names}

    def _check(self, numbers: dict[str, float], vectors: dict[str, Array]) -> None:
        super()._check(numbers, vectors)
        squares, rounds = numbers["squares"], numbers["rounds"]
        eta = self._rate(int(rounds), squares) if rounds else 0.0
        if not math.isclose(numbers["next"], eta, rel_tol=1e-9):
            raise ValueError("the rate does not match the rounds and the squares")
        if not self._domain.contains(vectors["point"], 1e-6):
            raise ValueError(f"the point {vectors['point']} is not in {self._domain!r}")


# --- online mirror descent ------------------------------------------------------------------------

_SCHEDULES: dict[type[rates.Rate], _core.Schedule] = {
    rates.Constant: _core.Schedule.constant,
    rates.InverseSqrt: _core.Schedule.inverse_sqrt,
    rates.Inverse: _core.Schedule.inverse,
}


class OnlineMirrorDescent(Player):
    """Mirror descent in any geometry, over any domain.

    The regret against `u` is at most `s (psi(u) - psi(w_1)) + sum ||z_t||_*^2 / (2 sigma s_t)` where
    `s_t` is one over the rate that round t was played with and `s` the last of them, `sigma` the
    strong convexity of `psi` (Shalev-Shwartz (2012), Theorem 2.21 for constant rates; Srebro
    (lecture 16) for falling ones, lazily). `certificate` measures all of these.

    >>> from regretless import geometry
    >>> player = OnlineMirrorDescent(geometry.Entropy(), dimension=3, rate=0.5)
    >>> player.update([1.0, 0.0, 0.5])
    0.5
    >>> player.point.round(4)
    array([0.2543, 0.4192, 0.3265])
    """

    geometry: Geometry = option(
        instance, Geometry, kw_only=False, text="psi, one of `regretless.geometry` or your own"
    )
    dimension: OrNone[int] = option(
        whole,
        default=None,
        kw_only=False,
        text="""how many coordinates a point has; not needed if the geometry or the domain implies
        it""",
    )
    rate: str | float | rates.Rate = option(
        default="anytime",
        text=""""anytime" (`eta_t = c / sqrt(sum ||z||_*^2)`, which needs no knowledge of the
        gradients; unless one is far larger than all before, the bound is sqrt(2) times that
        of the best constant rate), "horizon" (the best constant rate for `horizon` rounds
        of gradients of dual norm at most `lipschitz`), a number, or a `rates.Rate`""",
    )
    domain: OrNone[Domain] = option(
        instance,
        Domain,
        default=None,
        text="""the set to play in; by default where the geometry is finite""",
    )
    lazy: bool = option(
        flag,
        default=True,
        text="""whether only the point that is played is projected, and not the state""",
    )
    radius: float = option(
        length,
        default=1.0,
        text="""the comparators if the domain is unbounded: points with `psi(u) - psi(w_1) <=
        radius^2 / 2`, that is of norm at most `radius` for squared norms. The rates
        "anytime" and "horizon" depend on it, and so does a certificate without arguments""",
    )
    lipschitz: float = option(
        positive, default=1.0, text="""the largest dual norm of a gradient; see `rate`"""
    )
    horizon: int | None = option(whole, default=None, text="""the number of rounds; see `rate`""")

    def __post_init__(self) -> None:
        if self.horizon is not None and self.rate != "horizon":
            raise ValueError(f"horizon={self.horizon} needs rate='horizon', not {shown(self.rate)}")
        super().__post_init__()

    def _project(self, w: Array) -> Array:
        if self.domain == self.geometry.domain:
            return w
        return self.domain.project(w, self.geometry)

    def _scheduled(self) -> tuple[_core.Schedule, float]:
        if isinstance(self.rate, str):
            one_of(self.rate, "rate", ("anytime", "horizon"), ", nor a number or one of rates")
        else:
            schedule = rates.get(self.rate)
            if type(schedule) not in _SCHEDULES:
                raise ValueError(f"rate={schedule!r} is not Constant, InverseSqrt or Inverse")
            return _SCHEDULES[type(schedule)], schedule.eta
        # s D^2 + sum ||z||^2 / (2 sigma s) is least at s = sqrt(sum ||z||^2 / (2 sigma)) / D; falling
        # with the sum, sum ||z_t||^2 / sqrt(sum_{i <= t} ||z_i||^2) doubles the second term.
        most = self._complexity(self.domain)
        complexity = self.radius**2 / 2.0 if math.isinf(most) else most
        convexity = self.geometry.strong_convexity or 1.0
        if self.rate == "anytime":
            return _core.Schedule.adaptive, math.sqrt(complexity * convexity)
        if self.horizon is None:
            raise ValueError(
                "rate='horizon' needs horizon=, the number of rounds; or rate='anytime'"
            )
        eta = math.sqrt(2.0 * complexity * convexity / self.horizon) / self.lipschitz
        return _core.Schedule.constant, eta

    def _start(self) -> Engine:
        self._first = self._project(self.geometry.start(self.dimension))
        self._schedule = self._scheduled()
        twin = mirror_twin(self.geometry, self.domain, self.dimension)
        if twin is None:
            return MirrorInPython(
                self.dimension, self.geometry, self.domain, self._schedule, self.lazy
            )
        return _core.mirror_descent(self.dimension, twin, *self._schedule, self.lazy)

    # --- the theorem -----------------------------------------------------------------------------------

    def _near(self, norm: float) -> Domain:
        if type(self.geometry) is Euclidean and isinstance(self.domain, Everything):
            return Ball(norm)
        return Sublevel(self.geometry, self._first, norm**2 / 2.0, self.domain)

    def _complexity(self, among: Domain | Array) -> float:
        """The largest `psi(u) - psi(w_1)`."""
        if isinstance(among, Domain):
            return among.reach(self.geometry, self._first)
        return self.geometry.value(among) - self.geometry.value(self._first)

    def _theorem(self, among: Domain | Array) -> Theorem:
        engine, psi = self._engine, self.geometry
        s, paid, sums, complexity = (
            engine.strength,
            engine.paid,
            engine.sums(),
            self._complexity(among),
        )
        start = s * complexity if s else 0.0
        theorem = (
            "Shalev-Shwartz (2012), Lemma 2.20 and Theorem 2.21"
            if self._schedule[0] is _core.Schedule.constant
            else "Srebro (lecture 16): sum <w_t - u, z_t> <= s psi(u) + sum ||z_t||^2 / (2 sigma s_t)"
        )
        bounds: dict[str, float] = {}
        if psi.strong_convexity > 0:
            bounds |= {"dual": start + paid, "forel": start + 2.0 * paid}
        entropic = isinstance(psi, (Entropy, UnnormalizedEntropy))
        if entropic and self.domain == psi.domain:  # Shalev-Shwartz (2012), Theorems 2.22 and 2.23
            if sums["steepest"] >= -1.0:
                half = 0.5 if sums["steepest"] >= 0.0 else 1.0
                bounds["local"] = start + half * sums["local"]
            if isinstance(psi, Entropy):
                bounds["hoeffding"] = start + sums["spread"] * psi.scale / 8.0
        assumptions: dict[str, bool | None] = {"the rates never grow": True}
        if not self.lazy and self._schedule[0] is not _core.Schedule.constant:
            # u and w_t are both within the domain: D(u || w_t) <= 4 sup D(. || w_1) for half squares
            around = self.domain.reach(psi, self._first)
            fits = isinstance(psi, Euclidean) and around < math.inf
            assumptions["agile with falling rates: Euclidean, in a bounded domain"] = fits
            bounds = {"dual": 4.0 * s * around + paid} if fits else {}
            theorem = "Zinkevich (2003), with falling rates; Shalev-Shwartz (2012), section 2.9"
        elif self.lazy or self.domain == psi.domain:
            bounds["exact"] = self._exact(s, complexity)
        return Theorem(bounds, assumptions, theorem)

    def _exact(self, s: float, complexity: float) -> float:
        """`linear + s psi*(theta / s) + s psi(u)`, the sum of divergences of Lemma 2.20 without
        estimates; by Fenchel and Young it bounds the regret."""
        theta = self._engine.theta
        if not s:  # it never moves: there is one point only
            return math.inf if self.rounds else 0.0
        if not theta.any():
            return self.linear + s * complexity
        with np.errstate(all="ignore"):
            v = self._linked(theta / s)
            above = self.geometry.value(v) - self.geometry.value(self._first)
            return self.linear + float(v @ theta) + s * (complexity - above)

    def _linked(self, theta: Array) -> Array:
        if self.domain == self.geometry.domain:
            return self.geometry.link(theta)
        return self.domain.link(theta, self.geometry)

    def _trivial(self) -> float:
        if not self.domain.bounded(self.dimension):
            return math.inf
        across = self.domain.diameter(self.geometry, self.dimension)
        return min(float(self._engine.sums()["lengths"]) * across, super()._trivial())

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if not self.lazy and self._schedule[0] is not _core.Schedule.constant:
            around = self.domain.reach(self.geometry, self._first)
            fits = isinstance(self.geometry, Euclidean) and around < math.inf
            curve = 4.0 * run.strengths * around + run.paid if fits else math.nan
        else:
            curve = run.strengths * self._complexity(u) + run.paid
        return np.broadcast_to(curve - run.before.regret(u), run.losses.shape)


class OnlineGradientDescent(OnlineMirrorDescent):
    """Gradient descent, `w <- P(w - eta_t z_t)`, or lazily `w_{t+1} = P(-eta_t sum z)`.

    The regret against `u` is at most `||u||^2 / (2 eta) + (eta / 2) sum ||z_t||^2`, which is an
    equality for linear losses at `u = - eta sum z` (Shalev-Shwartz (2012), Corollary 2.7 and eq.
    2.15).

    >>> player = OnlineGradientDescent(2, rate=0.5)
    >>> player.update([2.0, 0.0])
    0.0
    >>> player.point
    array([-1.,  0.])
    """

    geometry: Geometry = fixed(Euclidean())
    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")


class ExponentiatedGradient(OnlineMirrorDescent):
    """Exponentiated gradient on the simplex, `w_i <- w_i e^{-eta z_i} / sum`, or unnormalised.

    Normalised, the regret is at most `log d / eta + (eta / 2) sum max_i z_t[i]^2` (Shalev-Shwartz
    (2012), Corollary 2.16); unnormalised, from `w_1 = initial`, it is bounded in local norms
    (Theorem 2.23).

    >>> ExponentiatedGradient(4).point
    array([0.25, 0.25, 0.25, 0.25])
    """

    geometry: Geometry = fixed(Entropy())  # the other options replace it
    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    scale: float = option(positive, default=1.0, text="the sum of the coordinates, if normalised")
    normalized: bool = option(flag, default=True, text="whether the coordinates add up to `scale`")
    initial: float | None = option(
        positive,
        default=None,
        text="where each coordinate starts, if not normalised; None stands for one over the dimension",
    )

    def __post_init__(self) -> None:
        if self.normalized:
            self.geometry = Entropy(self.scale)
        else:
            self.geometry = UnnormalizedEntropy(self.initial or 1.0 / self.dimension)
        super().__post_init__()


# --- coordinates that learn separately: AdaGrad and coin betting ----------------------------------


def _box(domain: Any, name: str) -> Domain:
    """The domain, if it bounds each coordinate separately."""
    if not isinstance(domain, (Everything, Box)):
        raise ValueError(
            f"{name}={shown(domain)}: coordinates that learn separately need a Box, or None"
        )
    return domain


class AdaGrad(Player):
    """AdaGrad: `w_i <- P(w_i - rate z_i / sqrt(G_i))`, `G_i = sum z_i^2`.

    While `|w_t[i] - u[i]| <= D_i` the regret is at most `sum_i (D_i^2 / (2 rate) + rate) sqrt(G_i)`
    (Duchi, Hazan and Singer (2011)); a box ensures that.

    >>> player = AdaGrad(2, rate=0.5)
    >>> _ = player.update([3.0, -0.1])
    >>> player.point
    array([-0.5,  0.5])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    rate: float = option(positive, default=0.5, text="length of a step, best at `D / sqrt(2)`")
    domain: OrNone[Domain] = option(_box, default=None, text="a `Box`, or None for the whole space")

    def _start(self) -> Engine:
        around = domain_twin(self.domain, self.dimension)
        return _core.adagrad_player(self.dimension, self.rate, around or {})

    def _diameter(self) -> float:
        """The largest `D_i`; infinite if the domain is not bounded."""
        if not isinstance(self.domain, Box):
            return math.inf
        return float(np.max(self.domain.high - self.domain.low))

    def _theorem(self, among: Domain | Array) -> Theorem:
        widest, name = self._diameter(), "Duchi, Hazan and Singer (2011), Theorem 5"
        each = widest**2 / (2.0 * self.rate) + self.rate
        bounded: dict[str, bool | None] = {"the domain is bounded": widest < math.inf}
        return Theorem({"dual": each * self._engine.strength}, bounded, name)

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        each = self._diameter() ** 2 / (2.0 * self.rate) + self.rate
        with np.errstate(invalid="ignore"):  # in an unbounded domain the bound is infinite
            return np.asarray(each * run.strengths - run.before.regret(u))


class CoinBetting(Player):
    """Coin betting, without a rate: coordinate i bets the share `theta_i / (L t)` of its wealth.

        w_i = theta_i (e - sum z_i w_i) / (L^2 t),    theta = - sum z

    For gradients of at most `L` in each coordinate the regret is at most
    `sum_i e + |u_i| L sqrt(T ln(1 + 24 T^2 L^2 u_i^2 / e^2))`, for every `u` (Orabona and Pal
    (2016)).

    >>> player = CoinBetting(1)
    >>> for _ in range(3):
    ...     suffered = player.update([-1.0])
    >>> player.point  # 3 / 4 of the wealth 1 + 0 + 1/2 + 1
    array([1.875])
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    wealth: float = option(positive, default=1.0, text="e, the most that each coordinate may lose")
    lipschitz: float = option(
        positive, default=1.0, text="L, the largest size of a coordinate of a gradient"
    )

    domain = Everything()

    def _start(self) -> Engine:
        return _core.coin_player(self.dimension, self.wealth, self.lipschitz)

    def _theorem(self, among: Domain | Array) -> Theorem:
        fits: dict[str, bool | None] = {
            f"gradients are at most {self.lipschitz:g}": self._engine.sums()["largest"]
            <= self.lipschitz
        }
        if isinstance(among, Domain):
            # every coordinate is at most `farthest`, and in sum they are at most `longest`
            d, longest = self.dimension, among.longest(self.dimension)
            unit = np.eye(d)
            farthest = max(max(among.support(e), among.support(-e)) for e in unit)
            bound = self.wealth * d + longest * self._growth(farthest, self.rounds)
        else:
            bound = float(self._bound(among, self.rounds))
        name = "Orabona and Pal (2016), Corollary 5, coordinate by coordinate"
        return Theorem({"betting": bound}, fits, name)

    def _growth(self, size: Any, rounds: Any) -> Any:
        """`L sqrt(T ln(1 + 24 T^2 L^2 u^2 / e^2))`, by which a coordinate u is multiplied."""
        T, L = np.maximum(rounds, 1), self.lipschitz
        with np.errstate(over="ignore"):
            inside = 24.0 * np.multiply.outer(T**2.0, (L * size / self.wealth) ** 2)
        return L * np.sqrt(np.log1p(inside)) * np.sqrt(T)[..., *([None] * np.ndim(size))]

    def _bound(self, u: Array, rounds: Any) -> Array:
        u = np.abs(u[u != 0])
        return np.asarray(self.wealth * self.dimension + np.sum(u * self._growth(u, rounds), -1))

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if self._engine.sums()["largest"] > self.lipschitz:
            return np.full(len(run.losses), math.nan)
        rounds = np.arange(run.before.rounds + 1.0, self.rounds + 1.0)
        return self._bound(u, rounds) - run.before.regret(u)
