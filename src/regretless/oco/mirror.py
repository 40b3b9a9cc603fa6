"""Online mirror descent: Shalev-Shwartz (2012), sections 2.6 and 2.7; Srebro (lecture 16), slide
Dual Averaging.

A geometry `psi` and rates `eta_t` make

    lazy:   w_{t+1} = P(link(eta_t theta)),  theta = - sum z        (dual averaging, linearised FTRL)
    agile:  w_{t+1} = P(link(grad psi(w_t) - eta_t z_t))

`P` being the projection in the Bregman divergence of `psi`. Gradient descent, exponentiated gradient,
the p-norm algorithm and preconditioned descent are choices of `psi`.
"""

import math
from typing import Any

import numpy as np

from regretless import _core, rates
from regretless.base.arguments import (
    Array,
    check_entries,
    instance,
    number,
    one_of,
    positive,
    shown,
    vector,
    whole,
)
from regretless.base.threads import of_options
from regretless.domains import Ball, Domain, Everything, Sublevel
from regretless.geometry import Entropy, Euclidean, Geometry, UnnormalizedEntropy
from regretless.oco.engine import Engine, EngineInPython, EnginePlayer, mirror_twin, take_numbers
from regretless.oco.player import ConvexRun, Theorem, implied_dimension

# --- mirror descent for geometries and domains that the core does not know ------------------------

_FAR = 1e150  # of points and sums of gradients


class MirrorInPython(EngineInPython):
    """Mirror descent in Python, with the sums of the core's; see core/oco/mirror.hpp."""

    def __init__(
        self,
        dimension: int,
        geometry: Geometry,
        domain: Domain,
        rate: tuple[_core.Schedule, float],
        lazy: bool,
    ) -> None:
        self._geometry, self._domain, self._lazy = geometry, domain, lazy
        self._schedule, self._eta = rate
        self._projects = domain != geometry.domain
        self.theta = np.zeros(dimension)
        self.strength, self._quadratic = 0.0, 0.0
        self._squares = self._lengths = self._largest = self._local = self._spread = (
            self._steepest
        ) = 0.0
        self._next = 0.0
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

    def update(self, gradient: Any) -> float:
        """Play a round; returns the linear loss."""
        z = vector(gradient, "gradient", len(self.theta))
        suffered, square = float(self.point @ z), self._geometry.dual_norm(z) ** 2
        rounds, squares, theta = self.rounds + 1, self._squares + square, self.theta - z
        eta = self._rate(rounds, squares)
        # steps that may fail come first, while nothing has changed
        dual = eta * theta if self._lazy else self._geometry.gradient(self.point) - eta * z
        point = self._played(dual)
        # until a gradient was not 0 the rate is free, as in the first round
        played = self._next if self._lazy and self._next > 0 else eta
        self.count(suffered, z)
        self._squares, self.theta = squares, theta
        self._lengths += math.sqrt(square)
        self._largest = max(self._largest, math.sqrt(square))
        self.strength = 1.0 / played if played > 0 else 0.0
        if square > 0 and self._geometry.strong_convexity > 0:
            self._quadratic += played * square / (2.0 * self._geometry.strong_convexity)
        self._local += played * float(self.point @ (z * z))
        self._spread += played * float(np.ptp(z)) ** 2
        self._steepest = min(self._steepest, played * float(z.min()))
        self._next, self.point = eta, point
        return suffered

    @property
    def paid(self) -> float:  # type: ignore[override]
        """The part of the bound due to the gradients; in local norms if psi is not strongly convex."""
        if self._geometry.strong_convexity > 0:
            return self._quadratic
        if not isinstance(self._geometry, UnnormalizedEntropy) or self._projects:
            return math.nan
        paid = self._local / 2.0 if self._steepest >= 0.0 else self._local
        return paid if self._steepest >= -1.0 else math.inf

    def sums(self) -> dict[str, Any]:
        """The other sums that bounds need."""
        return {
            "squares": self._squares,
            "lengths": self._lengths,
            "largest": self._largest,
            "local": self._local,
            "spread": self._spread,
            "steepest": self._steepest,
        }

    _NUMBERS = (
        "rounds",
        "linear",
        "gross",
        "peaks",
        "strength",
        "_quadratic",
        "_squares",
        "_lengths",
        "_largest",
        "_local",
        "_spread",
        "_steepest",
        "_next",
    )

    def state(self) -> Array:
        """Everything that changes."""
        return np.concatenate([[getattr(self, n) for n in self._NUMBERS], self.theta, self.point])

    def restore(self, state: Array) -> None:
        """Take over what `state` returned, checked."""
        d = len(self.theta)
        if len(state) != len(self._NUMBERS) + 2 * d:
            raise ValueError("the state is of another player")
        numbers = dict(zip(self._NUMBERS, state.tolist()))
        vectors = state[-2 * d :].reshape(2, d)
        check_entries(vectors, np.abs(vectors) <= _FAR, "state", f"is beyond {_FAR:g}")
        squares, rounds = numbers["_squares"], numbers["rounds"]
        eta = self._rate(int(rounds), squares) if rounds >= 1 and squares >= 0 else 0.0
        if not math.isclose(numbers["_next"], eta, rel_tol=1e-9):
            raise ValueError("the rate is not that of the rounds and the squares")
        if not self._domain.contains(vectors[1], 1e-6):
            raise ValueError(f"the point {vectors[1]} is not in {self._domain!r}")
        take_numbers(self, numbers, vectors[0], signed=("_steepest", "_local"))
        self.theta, self.point = vectors.copy()


# --- online mirror descent ------------------------------------------------------------------------

_SCHEDULES: dict[type[rates.Rate], _core.Schedule] = {
    rates.Constant: _core.Schedule.constant,
    rates.InverseSqrt: _core.Schedule.inverse_sqrt,
    rates.Inverse: _core.Schedule.inverse,
}


class OnlineMirrorDescent(EnginePlayer):
    """Mirror descent in any geometry, over any domain.

    The regret against `u` is at most `s (psi(u) - psi(w_1)) + sum ||z_t||_*^2 / (2 sigma s_t)` where
    `s_t` is one over the rate that round t was played with and `s` the last of them, `sigma` the
    strong convexity of `psi` (Shalev-Shwartz (2012), Theorem 2.21 for constant rates; Srebro
    (lecture 16) for falling ones, lazily). All of it is measured: `certificate`.

    Parameters
    ----------
    geometry : of `regretless.geometry`, or your own.
    dimension : how many coordinates; not needed if the geometry or the domain has it.
    rate : "anytime" (`eta_t = c / sqrt(sum ||z||_*^2)`: nothing has to be known of the gradients, and
        unless one is far larger than all before the bound is sqrt(2) times that of the best constant
        rate), "horizon" (the best constant rate for
        `horizon` rounds of gradients of dual norm at most `lipschitz`), a number, or a `rates.Rate`.
    domain : what may be played; by default where the geometry is finite.
    lazy : project what is played, not what is kept.
    radius : who is to be competed with if the domain has no end: points with
        `psi(u) - psi(w_1) <= radius^2 / 2`, that is of norm at most `radius` for squared norms. The
        rates "anytime" and "horizon" look at it, and a certificate that is asked for nothing else.
    lipschitz, horizon : see `rate`.

    >>> from regretless import geometry
    >>> player = OnlineMirrorDescent(geometry.Entropy(), dimension=3, rate=0.5)
    >>> player.update([1.0, 0.0, 0.5])
    0.5
    >>> player.point.round(4)
    array([0.2543, 0.4192, 0.3265])
    """

    def __init__(
        self,
        geometry: Geometry,
        dimension: int | None = None,
        *,
        rate: str | float | rates.Rate = "anytime",
        domain: Domain | None = None,
        lazy: bool = True,
        radius: float = 1.0,
        lipschitz: float = 1.0,
        horizon: int | None = None,
    ) -> None:
        self.geometry = instance(geometry, "geometry", Geometry)
        self.domain = geometry.domain if domain is None else instance(domain, "domain", Domain)
        self.dimension = whole(
            implied_dimension(self.domain, geometry) if dimension is None else dimension,
            "dimension",
        )
        self.rate, self.lazy = rate, bool(lazy)
        self.radius, self.lipschitz = positive(radius, "radius"), positive(lipschitz, "lipschitz")
        self.horizon = None if horizon is None else whole(horizon, "horizon")
        if horizon is not None and rate != "horizon":
            raise ValueError(f"horizon={horizon} needs rate='horizon', not {shown(rate)}")
        self._first = self._project(geometry.start(self.dimension))
        self._schedule = self._scheduled()
        self._engine = self._start()

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
        estimates; by Fenchel and Young no regret is larger."""
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
        return np.broadcast_to(curve - run.before._regret_to(u), run.losses.shape)


class OnlineGradientDescent(OnlineMirrorDescent):
    """Gradient descent, `w <- P(w - eta_t z_t)`, or lazily `w_{t+1} = P(-eta_t sum z)`.

    The regret against `u` is at most `||u||^2 / (2 eta) + (eta / 2) sum ||z_t||^2`, which is an
    equality for linear losses at `u = - eta sum z` (Shalev-Shwartz (2012), Corollary 2.7 and eq.
    2.15).

    Parameters: see `OnlineMirrorDescent`.

    >>> player = OnlineGradientDescent(2, rate=0.5)
    >>> player.update([2.0, 0.0])
    0.0
    >>> player.point
    array([-1.,  0.])
    """

    def __init__(self, dimension: int, **options: Any) -> None:
        super().__init__(Euclidean(), dimension, **options)


class ExponentiatedGradient(OnlineMirrorDescent):
    """Exponentiated gradient on the simplex, `w_i <- w_i e^{-eta z_i} / sum`, or without the sum.

    Normalised, the regret is at most `log d / eta + (eta / 2) sum max_i z_t[i]^2` (Shalev-Shwartz
    (2012), Corollary 2.16); unnormalised, from `w_1 = initial`, it is bounded in local norms
    (Theorem 2.23).

    Parameters: `dimension`; `scale` of the simplex, what the coordinates add up to; `normalized`;
    `initial > 0`, where each coordinate starts when not (default: one over the dimension); other
    parameters: see `OnlineMirrorDescent`.

    >>> ExponentiatedGradient(4).point
    array([0.25, 0.25, 0.25, 0.25])
    """

    def __init__(
        self,
        dimension: int,
        *,
        scale: float = 1.0,
        normalized: bool = True,
        initial: float | None = None,
        **options: Any,
    ) -> None:
        psi: Geometry = Entropy(scale)
        if not normalized:
            each = 1.0 / whole(dimension, "dimension") if initial is None else initial
            psi = UnnormalizedEntropy(number(each, "initial"))
        super().__init__(psi, dimension, **options)

    @property
    @of_options
    def normalized(self) -> bool:
        """Whether the coordinates add up to `scale`."""
        return isinstance(self.geometry, Entropy)

    @property
    @of_options
    def scale(self) -> float:
        """The sum of the coordinates, if normalised."""
        return self.geometry.scale if isinstance(self.geometry, Entropy) else 1.0

    @property
    @of_options
    def initial(self) -> float | None:
        """Where each coordinate starts, if not normalised and not at one over the dimension."""
        start = getattr(self.geometry, "initial", None)
        return None if start == 1.0 / self.dimension else start
