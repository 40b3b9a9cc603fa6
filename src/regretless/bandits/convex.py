"""Bandits on a convex set: mirror and gradient descent with estimated gradients, and their runs.

Shalev-Shwartz (2012), sections 4.1 and 4.3.2; Flaxman, Kalai and McMahan (2005).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from regretless import _core, rates
from regretless.bandits.estimators import Estimator, OneArm, OnePoint, TwoPoint
from regretless.bandits.run import rounding
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    flag,
    instance,
    length,
    matrix,
    one_of,
    outside,
    positive,
    shown,
    whole,
)
from regretless.base.options import OrNone, fixed, option, options_of
from regretless.base.randomness import Draws
from regretless.base.run import Run
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.base.waiting import Waiting, check_settled, due_after
from regretless.certificates import Certificate
from regretless.domains import Ball, Box, Domain
from regretless.geometry import Euclidean, Geometry
from regretless.oco import DoublingTrick, OnlineGradientDescent, OnlineMirrorDescent, Player
from regretless.oco.player import implied_dimension

# --- runs on a convex set -------------------------------------------------------------------------


class ConvexBanditRun(Run):
    """The rounds of a `BanditMirrorDescent`.

    `regret` is the actual regret to a point, and `bound` is never below it: for linear losses it is the
    largest possible regret, and for functions it is infinite. Theorems are about the mean over the draws
    instead: see `expectation()`.

    Attributes: those of `Run`; `played`, an arm, a point or two points a round; `rows` of linear losses
    or costs of arms, or None; `functions`, the losses, if they were given as such; `before` and `after`,
    the player as it was then.

    >>> from regretless.bandits import BanditGradientDescent
    >>> run = BanditGradientDescent(1, horizon=4).run([[1.0], [1.0], [-1.0], [1.0]])
    >>> run.comparator(), run.regret() <= run.bound()
    (array([-1.]), True)
    """

    def __init__(
        self,
        losses: Array,
        played: Array,
        of: Array | Sequence[Callable[[Any], Any]],
        before: "BanditMirrorDescent",
        after: "BanditMirrorDescent",
    ) -> None:
        self.losses, self.played, self.before, self.after = losses, played, before, after
        self.rows = of if isinstance(of, np.ndarray) else None
        self.functions = None if isinstance(of, np.ndarray) else of

    def comparator(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """The point that the run is compared with: the best in hindsight of those asked for.

        Parameters: `comparator`, a point or a domain (default: the player's own domain, or, if that has
        no end, its points of norm at most `norm`, by default the player's `radius`); of functions, only
        a point.
        """
        among = self._among(comparator, norm)
        if isinstance(among, np.ndarray):
            return among
        if self.rows is None:
            raise ValueError(
                "losses are functions, whose best point is not known: give a point as comparator="
            )
        return among.maximiser(-self.rows.sum(axis=0))

    def _among(self, comparator: Any, norm: float | None) -> Domain | Array:
        return self.after._among(comparator, norm)

    def _theirs(self, u: Array) -> Array:
        if self.rows is not None:
            return np.asarray(self.rows @ u)
        told = self.after.estimator.at
        return np.array([told(function, u) for function in self.functions or ()])

    def regret_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, how much more was lost than by the point that `comparator()` tells."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator, norm=norm)))

    def bound_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, the largest possible regret; infinite if losses are functions."""
        u = self.comparator(comparator, norm=norm)
        if self.rows is None or not self.after.domain.contains(u):
            return np.full(self.rounds, np.inf)
        theirs = self._theirs(u)
        return np.cumsum(self._worst() - theirs) + rounding(self.losses, theirs)

    def _worst(self) -> Array:
        """The largest possible loss of each round, for linear losses."""
        assert self.rows is not None
        if isinstance(self.after.estimator, OneArm):
            return np.asarray(self.rows.max(axis=1, initial=0.0))
        away = max(estimator.delta for estimator, _ in self.after._periods())  # type: ignore[attr-defined]
        inside = np.array([self.after.domain.support(row) for row in self.rows])
        return np.asarray(inside + away * np.linalg.norm(self.rows, axis=1))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret against the point that `comparator()` returns, and the largest possible regret."""
        u, among = self.comparator(comparator, norm=norm), self._among(comparator, norm)
        bounds = {}
        theirs = self._theirs(u)
        if self.rows is not None:
            bounds["trivial"] = float(np.sum(self._worst() - theirs))
        return Certificate(
            self.rounds,
            self.regret(u),
            bounds,
            "nothing that is played loses more than the worst point",
            {"the comparator is in the domain": self.after.domain.contains(u)},
            f"the point {u}"
            if isinstance(among, np.ndarray)
            else f"the best in hindsight of all points of {among!r}, {u}",
            u,
            float(rounding(self.losses, theirs)[-1]) if self.rounds else 0.0,
        )

    def expectation(self) -> Certificate:
        """Bounds on the expected regret of such a run, over the draws.

        It is not about what happened, so its `regret` is None. Theorems speak of all rounds of a
        player: if it had played before, nothing is known but what its losses can be.
        """
        return self.after._in_mean(self.rounds, about=not self.before.rounds)

    def expectation_curve(self) -> Array:
        """After each round, the bound of `expectation()`."""
        return self.after._in_mean_curve(self.rounds, about=not self.before.rounds)

    def _compared(self) -> dict[str, Any]:
        return {} if self.rows is None else super()._compared()

    def _columns(self) -> dict[str, Any]:
        flat = self.played.reshape(self.rounds, -1) if self.rounds else np.empty((0, 0))
        name = "arm" if isinstance(self.after.estimator, OneArm) else "point"
        played = {f"{name} {i}" if flat.shape[1] > 1 else name: c for i, c in enumerate(flat.T)}
        return played | {"expectation": self.expectation_curve()}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


# --- mirror descent with estimated gradients ------------------------------------------------------


class Period(NamedTuple):
    """Rounds that were played with the same parameters."""

    estimator: Estimator
    player: OnlineMirrorDescent


class Play(NamedTuple):
    """A choice whose value is not yet known: its estimator, and the point that it was made at."""

    estimator: Estimator
    point: Array


class BanditMirrorDescent(Stateful, changing=("loss",)):
    """Mirror descent that sees the loss of each choice, and estimates the gradient from it.

    Each round `act()` plays around the point `w_t` of `OnlineMirrorDescent`, `update(value)` is told
    what that cost, and the estimator makes of it a gradient `z_t` whose mean is right. Surely, whatever
    the losses, for every u of the domain (Shalev-Shwartz (2012), Theorem 2.21 on the gradients that
    were drawn)

        sum <w_t - u, z_t>  <=  (psi(u) - psi(w_1)) / eta + (eta / (2 sigma)) sum ||z_t||_*^2

    which is `certificate()`; in the mean over the draws that bounds the regret itself (Theorem 4.1),
    which is `expectation()`. With `Entropy()` and `OneArm()` it is Exp3.

    Attributes: `decisions` made and not forgotten, `rounds` of which the value is known, `loss`, their
    sum, `point`, the w around which is played, `ticket` of the last choice, a number from 0 on. Values
    may come late, with their ticket; `certificate()` is then about the points at which they came.

    >>> from regretless.geometry import Entropy
    >>> player = BanditMirrorDescent(Entropy(), 3, rate=0.2, seed=1)
    >>> arm = player.act()
    >>> player.update(0.6)
    0.6
    >>> arm, player.probabilities.round(10)  # only what was drawn has become less likely
    (0, array([0.25862121, 0.37068939, 0.37068939]))
    """

    geometry: Geometry = option(instance, Geometry, kw_only=False, text="of `regretless.geometry`")
    dimension: OrNone[int] = option(
        whole,
        default=None,
        kw_only=False,
        text="how many coordinates, or arms; None if the geometry or the domain has it",
    )
    estimator: OrNone[Estimator] = option(
        instance,
        Estimator,
        default=None,
        hint="; give OneArm(), OnePoint(delta) or TwoPoint(delta)",
        text="`OneArm()` (default), `OnePoint(delta)` or `TwoPoint(delta)`",
    )
    domain: OrNone[Domain] = option(
        instance,
        Domain,
        default=None,
        text="""where points are, by default that of the geometry; what is played may leave it by
        delta""",
    )
    rate: str | float | rates.Rate = option(
        default="anytime",
        text=""""anytime" (falls with the gradients that were drawn, and nothing has to be known),
        "horizon" (the best constant rate for `horizon` rounds and losses as the estimator
        expects them), a number, or a `rates.Rate`""",
    )
    horizon: int | None = option(default=None, text="how many rounds there will be")
    lazy: bool = option(flag, default=True, text="see `OnlineMirrorDescent`")
    radius: float = option(length, default=1.0, text="see `OnlineMirrorDescent`")
    seed: int = option(
        check_seed, default=0, text="draws depend on it and the number of the round alone"
    )

    feedback: ClassVar[str] = "loss"
    contextual: ClassVar[bool] = False
    _not_copied = ("_draws",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.domain = self._usual_domain if self.domain is None else self.domain
        self._settle()
        self.loss = 0.0
        self._waiting: Waiting[Play] = Waiting("choice", "value", "act()")
        self._late = False  # something was played while another value was not known
        self._expected = True  # all values were as the estimator expects them

    @property
    def _usual_domain(self) -> Domain:
        return self.geometry.domain

    def _settle(self) -> None:
        """Choose what was not given, and make the player that is told the estimates."""
        given: Any = self.estimator
        self.estimator = OneArm() if given is None else given
        self.estimator.check(self.domain)
        self.dimension = self.dimension or whole(
            implied_dimension(self.domain, self.geometry), "dimension"
        )
        spread = self.estimator.spread(self.geometry, self.dimension)
        if self.rate == "horizon" and math.isinf(spread):
            raise ValueError(
                f"rate='horizon': no bound on the gradients of {self.estimator!r} in "
                f"{shown(self.geometry)} is known; take rate='anytime' or a number"
            )
        self._player: Player = OnlineMirrorDescent(
            self.geometry,
            self.dimension,
            rate=self.rate,
            domain=self.domain,
            lazy=self.lazy,
            radius=self.radius,
            lipschitz=math.sqrt(spread) if math.isfinite(spread) else 1.0,
            horizon=self.horizon,
        )

    @cached_property
    def _draws(self) -> Draws:
        made_by = self.estimator
        return Draws(self.seed, made_by.width(self.dimension), normal=made_by.normal)

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return self._player.rounds

    @property
    def point(self) -> Array:
        """The point near which the next choice is made."""
        return self._player.point

    @property
    def probabilities(self) -> Array:
        """The probability of each arm; for `OneArm` only."""
        if not isinstance(self.estimator, OneArm):
            raise ValueError(f"{self.estimator!r} draws no arms: it plays around `point`")
        return self.point

    @property
    def decisions(self) -> int:
        """Choices made and not forgotten."""
        return self._waiting.decisions

    @property
    def ticket(self) -> int:
        """The number of the last choice, from 0 on: with it, its value may come in any order."""
        return self._waiting.given - 1

    def act(self) -> Any:
        """Choose an arm, a point, or two points as rows; every call is a choice of its own."""
        self._late |= bool(self._waiting)
        play = Play(self.estimator, self.point.copy())
        draw = self._draws[self._waiting.add(play)]
        return play.estimator.choose(play.point, draw)

    def update(self, value: Any, *, ticket: int | None = None) -> float:
        """Learn what a choice cost: a number, or two for `TwoPoint`. Returns what was suffered.

        It is the oldest choice whose value is not known, or that which had the `ticket`. The gradient is
        estimated with the point and the draw of the choice, however late the value comes.
        """
        ticket = self._waiting.find(ticket)
        play = self._waiting[ticket]
        told = play.estimator.estimate(play.point, self._draws[ticket], value)
        self._player.update(told.gradient)
        self._waiting.take(ticket)
        self._expected &= told.expected
        self.loss += told.suffered
        return told.suffered

    def forget(self, ticket: int) -> None:
        """Undo a choice whose value will never come; its ticket is not given again."""
        self._waiting.forget(ticket)

    def run(self, losses: Any, rounds: int | None = None, *, delay: Any = None) -> ConvexBanditRun:
        """Play many rounds.

        Parameters: `losses`, a matrix with the costs of all arms in each row, or the gradient of a
        linear loss; a function of what is played (an arm or a point), in all of `rounds` rounds; or a
        sequence of functions, one a round. `delay`, a whole number or one for each round: how many more
        choices are made before a value is learned; at the end all are.
        """
        check_settled(self._waiting, "choices", "values")
        given = self._rounds(losses, rounds)
        functions = given
        if isinstance(given, np.ndarray):
            functions = [self.estimator.linear(row) for row in given]
        count, first, before = len(functions), self.ticket + 1, self.copy()
        suffered, played, values = np.empty(count), [], []
        for t, due in enumerate(due_after(delay, count)):
            played.append(self.act())
            values.append(self.estimator.ask(functions[t], played[-1]))
            for earlier in due:
                suffered[earlier] = self.update(values[earlier], ticket=first + earlier)
        return ConvexBanditRun(suffered, np.array(played), given, before, self.copy())

    def _rounds(self, losses: Any, rounds: int | None) -> Array | Sequence[Callable[[Any], Any]]:
        """The losses as rows, or as functions."""
        if callable(losses):
            if rounds is None:
                raise ValueError("rounds= is needed: the number of rounds to play")
            return [losses] * whole(rounds, "rounds")
        if (
            not hasattr(losses, "__len__")
            or hasattr(losses, "tocsr")
            or getattr(losses, "shape", 1) == ()
        ):
            raise ValueError(
                f"losses={shown(losses)} is not a matrix, a function or a sequence of functions"
            )
        if (
            len(losses)
            and not isinstance(losses, memoryview)  # which may not be iterable
            and all(callable(each) for each in losses)
        ):
            return list(losses)
        rows = matrix(losses, "losses", self.dimension) if len(losses) else self._none
        if isinstance(self.estimator, OneArm):
            remedy = "is outside [0, 1]; of a reward r give 1 - r"
            check_entries(rows, ~outside(rows, 0, 1), "losses", remedy)
        return rows

    @property
    def _none(self) -> Array:
        return np.empty((0, self.dimension))

    # --- guarantees --------------------------------------------------------------------------------

    def _among(self, comparator: Any, norm: float | None) -> Domain | Array:
        """The comparator as a point or a set of points; an arm may be given by its number."""
        if isinstance(self.estimator, OneArm) and isinstance(comparator, (int, np.integer)):
            arm = whole(comparator, "comparator", 0, self.dimension - 1)
            return np.asarray(np.eye(self.dimension)[arm])
        best = comparator is None or (isinstance(comparator, str) and comparator == "best")
        if best and self.domain.bounded(self.dimension):
            return self.domain  # its points are played nearer to the middle with inside=True
        return self._player._among(comparator, norm)

    def regret(self, comparator: Any = None, *, norm: float | None = None) -> float:
        """The regret of the linear losses `<., z_t>` that were drawn.

        In the mean it is at least that of the losses, smoothed if the estimator smooths them.
        Parameters: see `certificate`.
        """
        return self._player.regret(comparator, norm=norm)

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret inequality on the gradients that were drawn, which holds in every run.

        Its `regret` is that of the linear losses `<., z_t>` against `comparator`, a point or a domain
        (default: where points are; if that has no end, those of norm at most `norm`, by default
        `radius`).
        """
        found = self._player.certificate(comparator, norm=norm)
        return replace(found, comparators=f"{found.comparators}, by the gradients that were drawn")

    def expectation(self) -> Certificate:
        """Bounds on the expected regret over the draws, before any of them.

        Against every point of the domain that is fixed in advance, with losses that do not look at the
        draws of their round: `bias T + (psi(u) - psi(w_1)) / eta + (eta / (2 sigma)) sum E ||z_t||^2`
        ("dual"; "forel" as Shalev-Shwartz's (2012) corollaries have it, with twice the last term).
        Constant rates only. `regret` is None: what is seen does not tell the mean.
        """
        return self._in_mean(self.rounds)

    def _in_mean(self, count: int, *, about: bool = True) -> Certificate:
        """A certificate for `count` rounds; the theorem applies if these are all (`about`)."""
        T = np.array([float(count)])
        bounds = {}
        if count and about:
            for name, factor in (("dual", 1.0), ("forel", 2.0)):
                bound = float(self._promised(T, factor)[0])
                if math.isfinite(bound):
                    bounds[name] = bound
            if bounds:
                bounds |= self._closed_form()
        largest = float(self._largest(T)[0])
        if math.isfinite(largest):
            bounds["trivial"] = largest
        among = self._among(None, None)
        return Certificate(
            count,
            None,
            bounds,
            self._theorem,
            {
                "losses are convex and do not depend on the draw of their round": None,
                "every value came before the next choice": not self._late,
                self.estimator.assumption: self._expected,
            },
            f"every point of {among!r} fixed in advance, in the mean over the draws",
            among,
        )

    def _in_mean_curve(self, count: int, *, about: bool = True) -> Array:
        if self._late or not self._expected:
            return np.full(count, math.inf)
        rounds = np.arange(1.0, count + 1.0)
        proven = self._promised(rounds) if about else np.full(count, math.inf)
        return np.fmin(self._largest(rounds), np.where(np.isnan(proven), math.inf, proven))

    def _largest(self, rounds: Array) -> Array:
        """The largest possible regret after so many rounds of losses as the estimator expects them."""
        if not self.domain.bounded(self.dimension):
            return np.full(len(rounds), math.inf)
        diameter = self.domain.diameter(Euclidean(), self.dimension)
        most = max(estimator.largest(diameter) for estimator, _ in self._periods())
        return np.asarray(most * rounds)

    @property
    def _theorem(self) -> str:
        arms = isinstance(self.estimator, OneArm)
        return f"Shalev-Shwartz (2012), Theorem 4.1 and Corollary {'4.2' if arms else '4.5'}"

    def _closed_form(self) -> dict[str, float]:
        return {}

    def _periods(self) -> list[Period]:
        return [Period(self.estimator, self._player)]  # type: ignore[arg-type]

    def _bias(self, estimator: Estimator) -> float:
        return estimator.bias()

    def _promised(self, rounds: Array, factor: float = 1.0) -> Array:
        """The bound in expectation after so many rounds; NaN or infinite if there is none."""
        total, before = np.zeros(len(rounds)), 0
        for estimator, player in self._periods():
            kind, eta = player._schedule
            if kind is not _core.Schedule.constant or not player.geometry.strong_convexity:
                return np.full(len(rounds), math.nan)
            played = np.clip(rounds - before, 0, player.rounds)
            spread = estimator.spread(player.geometry, self.dimension)
            each = self._bias(estimator) + factor * eta * spread / (
                2 * player.geometry.strong_convexity
            )
            start = player._complexity(player._among(None, None)) / eta
            total += np.where(played > 0, start + played * each, 0.0)
            before += player.rounds
        return total

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if isinstance(options.get("estimator"), OneArm):
            options["estimator"] = None  # as it is by default
        if self.domain == self._usual_domain:
            options["domain"] = None
        return options

    def _learned(self) -> dict[str, Any]:
        periods = [{"state": period.player._engine.state()} for period in self._periods()]
        kept = {name: getattr(self, name) for name in ("loss", "_late", "_expected")}
        return {"periods": periods} | kept | self._waiting.learned(Play._asdict)

    def _restore(self, parts: Parts) -> None:
        self._go_on([period.array("state", (None,)) for period in parts.records("periods")])
        self.loss = parts.number("loss")
        self._late, self._expected = parts.flag("_late"), parts.flag("_expected")
        self._waiting.restore(parts, self.rounds, self._play)

    def _play(self, part: Parts) -> Play:
        """A choice that waits, from a file."""
        play = Play(part.take("estimator"), part.array("point", (self.dimension,)))
        known = [period.estimator for period in self._periods()]
        if play.estimator not in known or not self.domain.contains(play.point, 1e-6):
            raise ValueError("a choice that waits was not made by this player")
        return play

    def _go_on(self, states: list[Array]) -> None:
        """Give the players of all periods these states."""
        for period, state in zip(self._periods(), states, strict=True):
            period.player._engine.restore(state)


# --- smaller domains, so that points played near theirs are still in the domain -------------------


class Room(NamedTuple):
    """A ball in a domain: `center` and `radius`; `reach` is the distance of the farthest point."""

    domain: Domain
    center: Array
    radius: float
    reach: float

    def shrunk(self, delta: float) -> Domain:
        """`center + (1 - xi) (S - center)` with `xi = delta / radius`.

        A ball of radius delta around any of its points is within the domain: `w + delta v` is
        `(1 - xi) s + xi (center + radius v)` (Shalev-Shwartz (2012), Corollary 4.5).

        >>> room_in(Ball(2.0), 3).shrunk(0.5)
        Ball(radius=1.5, center=[0.0, 0.0, 0.0])
        """
        if not delta < self.radius:
            raise ValueError(
                f"delta={delta:g} leaves nothing of the domain, in which there is room for a ball of "
                f"radius {self.radius:g} only: give a smaller delta or a larger horizon"
            )
        keep = 1.0 - delta / self.radius
        if isinstance(self.domain, Ball):
            return Ball(self.domain.radius * keep, self.domain.p, self.center)
        assert isinstance(self.domain, Box)
        low, high = self.domain.bounds(len(self.center))
        return Box(
            self.center + keep * (low - self.center), self.center + keep * (high - self.center)
        )


def room_in(domain: Domain, dimension: int) -> Room:
    """The largest ball around the middle of a ball or box.

    >>> room = room_in(Box([0.0, 0.0], [2.0, 4.0]), 2)
    >>> room.center, room.radius
    (array([1., 2.]), 1.0)
    """
    if isinstance(domain, Ball):
        # the l2 ball inside an lp ball, and around it: r d^(1/2 - 1/p) is one of them, r the other
        other = domain.radius * dimension ** (0.5 - 1.0 / domain.p)
        near, far = sorted((domain.radius, other))
        return Room(domain, domain.middle(dimension), near, far)
    if isinstance(domain, Box):
        low, high = domain.bounds(dimension)
        if np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all():
            half = (high - low) / 2.0
            return Room(domain, low + half, float(half.min()), float(np.linalg.norm(half)))
    raise ValueError(
        f"inside=True needs a ball or a box with an inside, not domain={shown(domain)}: what is played "
        "leaves others by delta"
    )


# --- the parameters for a number of rounds --------------------------------------------------------


@dataclass
class Tuning:
    """A function from a horizon to gradient descent that is tuned for it, and its estimator.

    Attributes: the options of `BanditGradientDescent` with these names; `room` in the domain, if points
    are played inside; `size`, B.

    >>> BanditGradientDescent(2, points=2)._tuning.estimator(100)
    TwoPoint(delta=0.01, lipschitz=1.0, most=1.0)
    """

    dimension: int
    domain: Domain
    lipschitz: float
    most: float
    rate: float | None
    delta: float | None
    points: int
    inside: bool
    radius: float

    def __post_init__(self) -> None:
        self.room = room_in(self.domain, self.dimension) if self.inside else None
        reach = self.domain.reach(Euclidean(), self.domain.project(np.zeros(self.dimension)))
        self.size = self.radius if math.isinf(reach) else math.sqrt(2.0 * reach)

    @property
    def slope(self) -> float:
        """The cost of delta in a round: 3 L, and with `inside` L D / r more."""
        away = 0.0 if self.room is None else self.room.reach / self.room.radius
        return self.lipschitz * (3.0 + away)

    def estimator(self, horizon: int) -> OnePoint:
        """How points are played and gradients estimated in so many rounds."""
        delta = self.delta
        if delta is None and self.points == 2:
            delta = self.size / horizon
        elif delta is None:
            delta = math.sqrt(self.size * self.dimension * self.most / self.slope) * horizon**-0.25
        if self.room is not None and self.delta is None:
            delta = min(delta, self.room.radius / 2.0)  # short horizons ask for more than fits
        return (TwoPoint if self.points == 2 else OnePoint)(delta, self.lipschitz, self.most)

    def __call__(self, horizon: int) -> OnlineMirrorDescent:
        estimator = self.estimator(horizon)
        largest = math.sqrt(estimator.spread(Euclidean(), self.dimension))
        eta = self.rate or self.size / (largest * math.sqrt(horizon))
        inner = self.domain if self.room is None else self.room.shrunk(estimator.delta)
        return OnlineGradientDescent(self.dimension, rate=eta, domain=inner, radius=self.radius)


# --- gradient descent with estimated gradients ----------------------------------------------------


class BanditGradientDescent(BanditMirrorDescent, changing=("estimator", "delta")):
    """Minimise convex losses from their values at the points played.

    Play `w_t + delta v_t`, v uniform on the sphere; of the value f there make
    `z_t = (d / delta) f v_t`; then `w_{t+1} = P(-eta sum z)`. With losses of slope at most L, values
    `|f| <= F` in the domain and points of norm at most B, the expected regret of T rounds is at most

        3 L delta T + B^2 / (2 eta) + (eta / 2) T d^2 (F / delta + L)^2

    (Shalev-Shwartz (2012), Corollary 4.5, whose text has eta in place of eta / 2 and no absolute
    value in F). The defaults minimise it: `delta = sqrt(B d F / (3 L)) T^(-1/4)`,
    `eta = B / (d (F / delta + L) sqrt T)` give `2 sqrt(3 B d F L) T^(3/4) + B d L sqrt T`. With
    `points=2` it is only `3 L delta T + B d L sqrt T`, and `delta = B / T`.

    Attributes: `rounds`, `loss`, `point`, `delta`.

    >>> player = BanditGradientDescent(2, horizon=4000, points=2, seed=1)
    >>> goal = np.array([0.3, -0.4])
    >>> for _ in range(4000):
    ...     around = player.act()
    ...     suffered = player.update([0.5 * ((w - goal) ** 2).sum() for w in around])
    >>> bool(np.abs(player.point - goal).max() < 0.05)
    True
    >>> player.certificate().holds
    True
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates there are")
    domain: OrNone[Domain] = option(
        instance,
        Domain,
        default=None,
        text="where the points w are, by default the unit ball",
    )
    horizon: int | None = option(
        whole,
        default=None,
        text="""how many rounds there will be. None starts afresh at the rounds 1, 2, 4, ... with
        twice the horizon, at 2.4667 times the `T^(3/4)` and 3.4142 times the `sqrt T`""",
    )
    lipschitz: float = option(positive, default=1.0, text="L, the largest slope of a loss")
    most: float = option(positive, default=1.0, text="F, the largest `|f|` in the domain")
    rate: OrNone[float] = option(positive, default=None, text="eta, if not as above")
    delta: float | None = option(positive, default=None, text="delta, if not as above")
    points: int = option(one_of, (1, 2), default=1, text="how many values a round has")
    inside: bool = option(
        flag,
        default=False,
        text="""play in the domain only, around points of a domain that is smaller by `xi = delta /
        r`, r the radius of the ball that fits in. Otherwise what is played may leave the
        domain by delta, and losses must be defined there. It costs `L xi D T` more, D the
        distance of the farthest point""",
    )
    radius: float = option(length, default=1.0, text="B for a domain without end")
    seed: int = option(
        check_seed, default=0, text="directions depend on it and the number of the round alone"
    )

    geometry: Geometry = fixed(Euclidean())
    lazy: bool = fixed(True)
    estimator = OnePoint(1.0)  # of the class only: each period has one that is tuned for it

    @property
    def _usual_domain(self) -> Domain:
        return Ball(1.0)

    def _settle(self) -> None:
        self._tuning = Tuning(*(getattr(self, each.name) for each in fields(Tuning)))
        tuned = self._tuning
        self._player = DoublingTrick(tuned) if self.horizon is None else tuned(self.horizon)
        self._follow()

    def _follow(self) -> None:
        """Play as the current period does."""
        self.estimator = self._tuning.estimator(self.horizon or 2 ** (len(self._periods()) - 1))
        self.delta = self.estimator.delta

    def update(self, value: Any, *, ticket: int | None = None) -> float:
        """Learn what a choice cost: see `BanditMirrorDescent.update`."""
        suffered = super().update(value, ticket=ticket)
        self._follow()
        return suffered

    # --- periods -----------------------------------------------------------------------------------

    def _periods(self) -> list[Period]:
        made = self._player
        players: Any = made.periods if isinstance(made, DoublingTrick) else [made]
        return [
            Period(self._tuning.estimator(self.horizon or 2**m), player)
            for m, player in enumerate(players)
        ]

    def _go_on(self, states: list[Array]) -> None:
        if isinstance(self._player, DoublingTrick):
            self._player.periods[:] = [self._tuning(2**m) for m in range(len(states))]
        super()._go_on(states)
        if isinstance(self._player, DoublingTrick):
            self._player._check_periods()
        self._follow()

    @of_options
    def _options(self) -> dict[str, Any]:
        known = vars(self) | {"delta": self._tuning.delta}  # all threads may look at these
        options = {name: known[name] for name in options_of(type(self))}
        return options | ({"domain": None} if self.domain == self._usual_domain else {})

    # --- guarantees --------------------------------------------------------------------------------

    def _bias(self, estimator: Estimator) -> float:
        assert isinstance(estimator, OnePoint)
        return self._tuning.slope * estimator.delta

    def _closed_form(self) -> dict[str, float]:
        """The sum over the periods of doubling, for any number of rounds.

        Shalev-Shwartz (2012), section 2.3.1, corrected.
        """
        how = self._tuning
        if any(each is not None for each in (how.rate, how.delta, how.room, self.horizon)):
            return {}
        B, L, F, d, T = how.size, how.lipschitz, how.most, self.dimension, self.rounds
        half = B * d * L * math.sqrt(T) * _doubling(0.5)
        if how.points == 2:  # 3 L B in each period
            return {"any horizon": 3.0 * L * B * len(self._periods()) + half}
        return {
            "any horizon": 2.0 * math.sqrt(3.0 * B * d * F * L) * T**0.75 * _doubling(0.75) + half
        }


def _doubling(power: float) -> float:
    """`sum over m <= log2 T of 2^(m power)` is at most this times `T^power`.

    >>> round(_doubling(0.75), 4), round(_doubling(0.5), 4)
    (2.4667, 3.4142)
    """
    return float(2.0**power / (2.0**power - 1.0))
