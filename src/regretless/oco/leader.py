"""Follow the leader, plain and regularised: every round solves a minimisation problem.

Shalev-Shwartz (2012), sections 2.2, 2.3, 2.5.

    leader:              w_{t+1} = argmin_{w in S}  sum_{i <= t} f_i(w)
    regularised leader:  w_{t+1} = argmin_{w in S}  psi(w) / eta_t + sum_{i <= t} f_i(w)

for losses `f_i` that are linear, squared distances, losses of a score `<w, x>`, or any convex functions
with a subgradient. Linear losses (and squared distances in Euclidean geometry) have closed forms. Other
losses go to a solver that stops at a proven distance from the least value, the optimality gap.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from regretless import _core, domains, losses, rates
from regretless.base.arguments import Array, instance, number, positive, vector, whole
from regretless.base.options import OrNone, option
from regretless.base.state import MOST, Parts
from regretless.base.threads import of_options
from regretless.domains import Domain
from regretless.geometry import Euclidean, Geometry
from regretless.oco.convex_losses import (
    Convex,
    ConvexLoss,
    LinearLoss,
    ScoreLoss,
    Total,
    check_convex_loss,
)
from regretless.oco.engine import Moves, leader_twin, mirror_twin
from regretless.oco.hindsight import best_of
from regretless.oco.player import ConvexRun, Played, Player, Theorem
from regretless.oco.solver import minimise, minimise_regularised

_EPS = float(np.finfo(float).eps)
_SUMS = ("rounds", "linear", "gross", "peaks")  # which the engine keeps
_FAR = 1e155  # of points and sums of gradients: squares are still numbers


class _Rounds(Moves):
    """The rounds of a leader, whose losses are not linearised."""

    player: "_Leader"

    def learn(self, x: Array, y: float, loss: losses.Loss) -> float:
        return self.player.learn(ScoreLoss(loss, x, y))


class _Leader(Player, changing=("loss", "travel")):
    """The base of both leaders: the losses so far, and the best point for them."""

    tolerance: float = option(
        positive,
        default=1e-9,
        text="""the optimality gap allowed without a closed form, relative to one plus the least value;
        in an unbounded domain the gradient is the measure""",
    )

    _numbers: ClassVar[tuple[str, ...]] = (*_SUMS, "loss", "travel", "gaps", "_gap")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._engine: _Rounds
        self._first: Array
        self._twin: dict[str, Any] | None  # the leader of linear losses, if the core knows it
        self.loss = self.travel = self.gaps = self._gap = 0.0
        self._total = Total(self.dimension)

    def _start(self) -> _Rounds:
        return _Rounds(self)

    @abstractmethod
    def _eta(self, rounds: int) -> float:
        """The rate of the point that is played after so many rounds."""

    @abstractmethod
    def _leader(self, total: Total) -> tuple[Array, float]:
        """The best point for all losses, and its optimality gap."""

    @property
    def point(self) -> Array:
        return self._point.copy()

    def learn(self, loss: Convex) -> float:
        """Learn from a convex loss of `regretless.oco`, or any object with `value(w)` and `gradient(w)`.

        Returns the loss suffered at `point`. The loss is not linearised.
        """
        check_convex_loss(loss)
        w = self.point
        suffered = number(loss.value(w), "loss.value(point)")
        if not math.isfinite(suffered):
            raise ValueError(f"loss.value(point)={suffered} is not finite at point={w}")
        z = vector(loss.gradient(w), "loss.gradient(point)", self.dimension)
        self._take(loss, suffered, z)
        self._engine.count(np.array([w @ z]), z[None])
        return suffered

    def update_loss(
        self, value: Callable[[Array], float], gradient: Callable[[Array], Array]
    ) -> float:
        """Learn from a convex loss given by two functions; returns the loss suffered."""
        return self.learn(ConvexLoss(value, gradient))

    def _move(self, gradient: Array) -> None:
        self._take(LinearLoss(gradient), float(self._point @ gradient), gradient)

    def _take(self, loss: Convex, suffered: float, z: Array) -> None:
        total = self._total.plus(loss)
        point, gap = self._leader(total)
        decrease = suffered - float(loss.value(point))
        self._settle(z, point, decrease)
        self.loss += suffered
        self.travel += decrease
        self.gaps += gap
        self._total, self._point, self._gap = total, point, gap

    def _check(self, gap: float, value: float) -> None:
        if not gap <= self.tolerance * (1.0 + abs(value)):
            raise RuntimeError(
                f"the best point was found only up to {gap:.1e}, more than tolerance="
                f"{self.tolerance:g}; choose a bounded domain, and check the loss by check_convex"
            )

    def _settle(self, z: Array, point: Array, decrease: float) -> None:
        """Add a round to the sums before it moves the player from `_point` to `point`."""

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        if loss is None and len(X) and self._total.is_linear and self._twin is not None:
            return self._play_linear(X, self._twin, keep)
        return super()._play(X, y, loss, keep)

    def _play_linear(self, X: Array, twin: dict[str, Any], keep: bool) -> Played:
        """Update with each row of `X`. The core finds the points first, since linear losses do not
        depend on them."""
        etas = np.array([self._eta(t) for t in range(self.rounds + 1, self.rounds + 1 + len(X))])
        points, squares = _core.leaders(twin, self._first, -self._total.linear, X, etas)
        after = points.reshape(X.shape)
        played = np.vstack([self._point, after[:-1]])
        suffered = np.einsum("td,td->t", played, X)
        decrease = suffered - np.einsum("td,td->t", after, X)
        paid = self._settle_linear(squares, played, after, decrease)
        self._total = self._total.plus(LinearLoss(X.sum(axis=0)))
        self._point, self._gap = after[-1].copy(), 0.0
        self._engine.count(suffered, X)
        self.loss += float(suffered.sum())
        self.travel += float(decrease.sum())
        return Played(suffered, np.ones(len(X)), paid, played if keep else None)

    @abstractmethod
    def _settle_linear(self, squares: Array, played: Array, after: Array, decrease: Array) -> Array:
        """Add rounds of linear losses to the sums; returns `_paid()` after each of them.

        `squares` are the squared dual norms of the gradients.
        """

    @abstractmethod
    def _paid(self) -> float:
        """The part of the bound so far that does not depend on the comparator; NaN if it is unknown."""

    @property
    def _is_linear(self) -> bool:
        return self._total.is_linear

    def regret(self, comparator: Any = None, *, norm: float | None = None) -> float:
        """The regret so far on the losses themselves, against a point or the best of a set.

        Parameters: see `certificate`. It is infinite if linear losses are unbounded below in the
        domain asked for.
        """
        return self._regret(self._among(comparator, norm))

    def _regret_to(self, u: Array) -> float:
        return self.loss - self._total.value(u)

    def _regret(self, among: Domain | Array) -> float:
        if not isinstance(among, Domain):
            return self._regret_to(among)
        if self._is_linear:
            return self.loss + among.support(-self._total.linear)
        return self.loss - best_of(self._total, among).value

    def _rounding(self, among: Domain | Array) -> float:
        theirs = self._point if isinstance(among, Domain) else among
        size = abs(self.loss) + self._total.size(theirs)
        return super()._rounding(among) + 4.0 * _EPS * self.rounds * size

    def _learned(self) -> dict[str, Any]:
        total = self._total
        if total.others:
            raise ValueError(
                f"{len(total.others)} of the losses are functions, which cannot be saved; "
                "LinearLoss, SquaredDistance and ScoreLoss can"
            )
        known = {k: getattr(total, k) for k in ("linear", "centers", "distances", "squares")}
        scores = [{"loss": loss, "X": X, "y": y} for loss, (X, y) in total.scores.items()]
        return {
            **{name: getattr(self, name) for name in self._numbers},
            "point": self._point,
            "gradient_sum": self.gradient_sum,
            "total": known | {"scores": scores},
        }

    def _restore(self, parts: Parts) -> None:
        d = self.dimension
        self._engine.rounds = parts.whole("rounds")
        for name in set(self._numbers) - {"rounds", "_falling"}:
            low = -MOST if name in ("linear", "loss", "travel") else 0.0
            setattr(self._engine if name in _SUMS else self, name, parts.number(name, low))
        if "_falling" in self._numbers:
            self._falling = parts.flag("_falling")
        self._point = parts.array("point", (d,), -_FAR, _FAR)
        if not self.domain.contains(self._point, 1e-6):
            raise ValueError(f"point={self._point} is not in domain={self.domain!r}")
        self._engine.theta = -parts.array("gradient_sum", (d,), -_FAR, _FAR)
        total, inside = self._total, parts.inside("total")
        total.distances = inside.whole("distances", 0, self.rounds)
        total.squares = inside.number("squares", 0.0)
        total.linear = inside.array("linear", (d,), -_FAR, _FAR)
        total.centers = inside.array("centers", (d,), -_FAR, _FAR)
        for score in inside.records("scores"):
            X = score.array("X", (None, d), -_FAR, _FAR)
            y = score.array("y", (len(X),), -_FAR, _FAR)
            loss = ScoreLoss(score.take("loss"), X[0], float(y[0])).loss
            if loss in total.scores or not isinstance(loss, losses.Loss):
                raise ValueError(f"scores has {loss!r} twice, or it is not a loss")
            if loss.classification and not np.isin(y, (-1.0, 1.0)).all():
                raise ValueError(f"the scores of {loss!r} have labels other than -1 and 1")
            total.scores[loss] = (X, y)
        inside.done()


class FollowTheLeader(_Leader):
    """Play the point with the least loss so far: `w_{t+1} = argmin_{w in S} sum_{i <= t} f_i(w)`.

    The regret is at most `sum_t f_t(w_t) - f_t(w_{t+1})` (Shalev-Shwartz (2012), Lemma 2.1). For
    squared distances that is `sum_t (1/t - 1/(2 t^2)) ||w_t - z_t||^2 <= 4 L^2 (log T + 1)`, `L`
    the largest `||z_t||` (Corollary 2.2, played in all of space); the leader is their mean,
    projected. For linear losses it may be as large as the number of rounds: see
    `FollowTheRegularizedLeader`.

    >>> from regretless.oco import SquaredDistance
    >>> player = FollowTheLeader(1, domains.Everything())
    >>> for z in [1.0, 3.0, -2.0]:
    ...     suffered = player.learn(SquaredDistance(np.array([z])))
    >>> player.point.round(4), player.loss, round(player.regret(), 4)
    (array([0.6667]), 10.5, 4.1667)
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    domain: Domain = option(
        instance, Domain, kw_only=False, text="the set to play in; linear losses need a bounded one"
    )
    start: Any = option(
        default=None,
        text="""the first point; by default the point of the domain nearest to 0. It is kept as long as
        all losses were linear and add up to 0. Among several leaders for linear losses,
        `domain.maximiser` chooses""",
    )

    _numbers = (*_Leader._numbers, "_longest")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start is None:
            self.start = self._usual_start
        else:
            self.start = vector(self.start, "start", self.dimension).copy()
            if not self.domain.contains(self.start):
                raise ValueError(f"start={self.start} is not in domain={self.domain}")
        self._point, self._first, self._longest = self.start, self.start, 0.0
        self._twin = leader_twin(self.domain, self.dimension)

    @property
    def _usual_start(self) -> Array:
        return self.domain.project(np.zeros(self.dimension))

    @of_options
    def _options(self) -> dict[str, Any]:
        usual = np.array_equal(self.start, self._usual_start)
        own = {"domain": self.domain, "start": None if usual else self.start}
        return super()._options() | own

    def _leader(self, total: Total) -> tuple[Array, float]:
        if total.is_linear and not total.linear.any():
            return self.start, 0.0
        if total.quadratic or total.others:
            w, gap = minimise(total, self.domain, self._point, self.tolerance)
        else:
            w, _, gap = best_of(total, self.domain, self.tolerance)
        self._check(gap, total.value(w))
        return w, gap

    def _eta(self, rounds: int) -> float:
        return 1.0  # without a regulariser it has no effect

    def _settle_linear(self, squares: Array, played: Array, after: Array, decrease: Array) -> Array:
        return np.asarray(self._paid() + np.cumsum(decrease))

    def _settle(self, z: Array, point: Array, decrease: float) -> None:
        # For a squared distance the gradient at w is w - center.
        self._longest = max(self._longest, float(np.linalg.norm(self._point - z)))

    def _theorem(self, among: Domain | Array) -> Theorem:
        bounds = {"be the leader": self._paid()}
        everywhere = isinstance(self.domain, domains.Everything) and not self.start.any()
        if everywhere and 0 < self._total.distances == self.rounds:
            bounds["quadratic"] = 4.0 * self._longest**2 * (math.log(self.rounds) + 1.0)
        return Theorem(bounds, {}, "Shalev-Shwartz (2012), Lemma 2.1")

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        return run.paid - run.before.regret(u)

    def _paid(self) -> float:
        return self.travel + self.gaps


class Stability(NamedTuple):
    """The last move of a regularised leader, as numbers that never fall.

    Shalev-Shwartz (2012), Lemma 2.10.

    `strength ||w_t - w_{t+1}||^2 <= f_t(w_t) - f_t(w_{t+1}) <= L_t ||w_t - w_{t+1}|| <= L_t^2 /
    strength`, where `strength` is the strong convexity of `psi / eta` and `L_t` the dual norm of the
    subgradient at `w_t`. `slack` is how far the solver's gap can have disturbed them, to first order.

    >>> Stability(1.0, 2.0, 2.0, 3.0, 0.0).holds
    True
    """

    square: float
    decrease: float
    product: float
    limit: float
    slack: float

    @property
    def holds(self) -> bool:
        """Whether the numbers are in order, up to the slack and rounding."""
        allowed = self.slack + 1e-12 * (1.0 + abs(self.limit))
        return (
            self.square <= self.decrease + allowed
            and self.decrease <= self.product + allowed
            and self.product <= self.limit + allowed
        )


class FollowTheRegularizedLeader(_Leader):
    """Play the least regularised loss so far: `argmin psi(w) / eta_t + sum_{i <= t} f_i(w)`.

    With `s_t = 1 / eta_t` that does not fall and `sigma` the strong convexity of `psi`, the regret
    against `u` is at most

        exact:  s_T (psi(u) - psi(w_1)) + sum_t f_t(w_t) - min_w (s_T (psi(w) - psi(w_1)) + sum_t f_t(w))
        dual:   s_{T-1} (psi(u) - psi(w_1)) + sum_t ||z_t||_*^2 / (2 sigma s_{t-1})
        forel:  the same with ||z_t||_*^2 / (sigma s_{t-1})        (Theorem 2.11)

    for convex losses and any subgradients `z_t` at the points played. Shalev-Shwartz (2012) has
    `dual` for linear losses. It holds for all: `w_t` minimises `F = s psi + sum_{i < t} f_i`, so at
    the next minimiser `v`
    `F(v) + f_t(v) >= F(w_t) + (sigma s / 2) ||v - w_t||^2 + f_t(w_t) + <z_t, v - w_t>`, of which
    the terms in `v - w_t` are at least `- ||z_t||_*^2 / (2 sigma s)`; add that up over the rounds.
    For linear losses `exact` is the identity of Shalev-Shwartz (2012), Lemma 2.20. The bounds include
    the largest effect of the solver's gap.

    >>> player = FollowTheRegularizedLeader(Euclidean(), 2, rate=0.5)
    >>> player.learn(ScoreLoss("hinge", np.array([1.0, 0.0]), 1.0))
    1.0
    >>> player.point.round(6) + 0.0, player.stability().holds, player.certificate([2.0, 0.0]).holds
    (array([0.5, 0. ]), True, True)
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
    domain: OrNone[Domain] = option(
        instance, Domain, default=None, text="the set to play in; by default where psi is finite"
    )
    rate: float | rates.Rate = option(
        rates.get,
        default=1.0,
        text="`eta`, a number or one of `regretless.rates`; `w_{t+1}` is played with `eta_t`",
    )
    tolerance: float = option(
        positive,
        default=1e-9,
        text="""the optimality gap allowed, relative to one plus the least value. A point is within
        `sqrt(2 gap eta / sigma)` of the best""",
    )

    _numbers = (*_Leader._numbers, "_squares", "_slack", "_falling")

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.domain == self.geometry.domain
        self._psi = self.geometry if own else self.geometry.on(self.domain)
        self._first = self._psi.start(self.dimension)
        self._point, self._squares, self._slack, self._falling = self._first, 0.0, 0.0, True
        self._last: tuple[float, float, float, float] | None = None
        self._twin = mirror_twin(self.geometry, self.domain, self.dimension)

    @of_options
    def _options(self) -> dict[str, Any]:
        rate = self.rate.eta if isinstance(self.rate, rates.Constant) else self.rate
        return super()._options() | {"rate": rate}

    def _learned(self) -> dict[str, Any]:
        return super()._learned() | {"_last": self._last}

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        last = parts.take("_last")
        if last is not None:
            length, move, decrease, gap = (number(each, "_last") for each in last)
            if not (math.isfinite(length + move + decrease + gap) and min(length, move, gap) >= 0):
                raise ValueError(f"_last={last} are not the numbers of a round")
            self._last = length, move, decrease, gap

    def _eta(self, rounds: int) -> float:
        return rates.get(self.rate)(max(1, rounds))

    def _leader(self, total: Total) -> tuple[Array, float]:
        eta = self._eta(self.rounds + 1)
        if total.quadratic and (not total.distances or isinstance(self.geometry, Euclidean)):
            eta /= 1.0 + eta * total.distances
            return self._psi.link(eta * (total.centers - total.linear)), 0.0
        # where play is now: the point is a minimiser for the losses so far
        theta = -self._total.gradient(self._point)
        w, gap = minimise_regularised(total, self._psi, eta, theta, self.tolerance)
        self._check(gap, total.value(w) + self._psi.value(w) / eta)
        return w, gap

    def _settle(self, z: Array, point: Array, decrease: float) -> None:
        eta = self._eta(self.rounds)
        self._falling &= bool(self._eta(self.rounds + 1) <= eta)  # a rate may be NumPy's
        length, convexity = self._psi.dual_norm(z), self._psi.strong_convexity
        if convexity > 0:
            self._squares += eta * length**2 / convexity
            self._slack += length * math.sqrt(2.0 * eta * self._gap / convexity)
        self._last = (length, self._psi.norm(self._point - point), decrease, self._gap)

    def _settle_linear(self, squares: Array, played: Array, after: Array, decrease: Array) -> Array:
        rounds = range(self.rounds, self.rounds + len(squares) + 1)
        etas, convexity = np.array([self._eta(t) for t in rounds]), self._psi.strong_convexity
        self._falling &= bool((np.diff(etas) <= 0).all())
        move = self._psi.norm(played[-1] - after[-1])
        self._last = (math.sqrt(squares[-1]), move, float(decrease[-1]), 0.0)
        if not convexity > 0:
            return np.full(len(squares), math.nan)
        before, spent = self._paid(), np.cumsum(etas[:-1] * squares / convexity)
        self._squares += float(spent[-1])
        return np.asarray(before + 0.5 * spent)

    def stability(self) -> Stability:
        """How far the last round moved the point, for a constant rate: Shalev-Shwartz (2012), Lemma
        2.10.
        """
        if not isinstance(self.rate, rates.Constant):
            raise ValueError(
                f"rate={self.rate} is not constant, which Shalev-Shwartz (2012), Lemma 2.10, needs"
            )
        if self._last is None:
            raise ValueError("no round has been played yet")
        length, move, decrease, before = self._last
        strength = self._psi.strong_convexity / self.rate.eta
        if strength <= 0:
            raise ValueError(f"geometry={self.geometry} is not strongly convex")
        off = math.sqrt(2.0 * max(before, self._gap) / strength)
        slack = 4.0 * off * (length + strength * (move + off))
        limit = length**2 / strength
        return Stability(strength * move**2, decrease, length * move, limit, slack)

    def _near(self, norm: float) -> Domain:
        if type(self.geometry) is Euclidean and isinstance(self.domain, domains.Everything):
            return domains.Ball(norm)
        return domains.Sublevel(self.geometry, self._first, norm**2 / 2.0, self.domain)

    def _complexity(self, among: Domain | Array) -> float:
        """The largest `psi(u) - psi(w_1)`."""
        if isinstance(among, Domain):
            return among.reach(self.geometry, self._first)
        return self._psi.value(among) - self._psi.value(self._first)

    def _theorem(self, among: Domain | Array) -> Theorem:
        last, psi, complexity = 1.0 / self._eta(self.rounds), self._psi, self._complexity(among)
        least = last * (psi.value(self._point) - psi.value(self._first))
        least += self._total.value(self._point) - self._gap
        bounds = {"exact": last * complexity + self.loss - least}
        if psi.strong_convexity > 0:
            before = complexity / self._eta(self.rounds - 1)
            bounds["dual"] = before + 0.5 * self._squares + self._slack
            bounds["forel"] = before + self._squares + self._slack
        return Theorem(
            bounds,
            {"the rates never grow": self._falling},
            "Shalev-Shwartz (2012), Lemma 2.3 and Theorem 2.11",
        )

    def _paid(self) -> float:
        return 0.5 * self._squares + self._slack if self._psi.strong_convexity > 0 else math.nan

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if not self._falling:
            return np.full(run.rounds, math.nan)
        strengths = np.array([1.0 / self._eta(t) for t in range(run.before.rounds, self.rounds)])
        return np.asarray(run.paid + self._complexity(u) * strengths - run.before.regret(u))
