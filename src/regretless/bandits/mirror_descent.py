"""Online mirror descent with estimated gradients (Shalev-Shwartz (2012), section 4.1)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from regretless import _core, rates
from regretless.bandits.estimators import Estimator, OneArm
from regretless.bandits.player import due_after
from regretless.bandits.run import ConvexBanditRun
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    instance,
    matrix,
    outside,
    shown,
    whole,
)
from regretless.base.randomness import Draws
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.domains import Domain
from regretless.geometry import Euclidean, Geometry
from regretless.oco import OnlineMirrorDescent, Player
from regretless.oco.player import implied_dimension


class Period(NamedTuple):
    """Rounds that were played with the same parameters."""

    estimator: Estimator
    player: OnlineMirrorDescent


class Play(NamedTuple):
    """A choice whose value is not yet known: its ticket, its estimator, and the point it was made at."""

    ticket: int
    estimator: Estimator
    point: Array


_KEPT = ("loss", "decisions", "ticket", "_late", "_expected")


class BanditMirrorDescent(Stateful, changing=("decisions", "loss", "ticket")):
    """Mirror descent that sees the loss of each choice, and estimates the gradient from it.

    Each round `act()` plays around the point `w_t` of `OnlineMirrorDescent`, `update(value)` is told
    what that cost, and the estimator makes of it a gradient `z_t` whose mean is right. Surely, whatever
    the losses, for every u of the domain (Shalev-Shwartz (2012), Theorem 2.21 on the gradients that
    were drawn)

        sum <w_t - u, z_t>  <=  (psi(u) - psi(w_1)) / eta + (eta / (2 sigma)) sum ||z_t||_*^2

    which is `certificate()`; in the mean over the draws that bounds the regret itself (Theorem 4.1),
    which is `expectation()`. With `Entropy()` and `OneArm()` it is Exp3.

    Parameters
    ----------
    geometry : of `regretless.geometry`.
    dimension : how many coordinates, or arms; not needed if the geometry or the domain has it.
    estimator : `OneArm()` (default), `OnePoint(delta)` or `TwoPoint(delta)`.
    domain : where points are; what is played may leave it by delta. By default that of the geometry.
    rate : "anytime" (falls with the gradients that were drawn, nothing has to be known), "horizon" (the
        best constant rate for `horizon` rounds and losses as the estimator expects them), a number, or
        a `rates.Rate`.
    lazy, radius : see `OnlineMirrorDescent`.
    seed : the draw of a round depends on it and the number of the round alone.

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

    feedback: ClassVar[str] = "loss"
    contextual: ClassVar[bool] = False
    _not_copied = ("_draws",)

    def __init__(
        self,
        geometry: Geometry,
        dimension: int | None = None,
        *,
        estimator: Estimator | None = None,
        domain: Domain | None = None,
        rate: str | float | rates.Rate = "anytime",
        horizon: int | None = None,
        lazy: bool = True,
        radius: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.geometry = instance(geometry, "geometry", Geometry)
        self.domain = geometry.domain if domain is None else instance(domain, "domain", Domain)
        self.estimator = OneArm() if estimator is None else estimator
        if not isinstance(self.estimator, Estimator):
            raise ValueError(
                f"estimator={estimator!r} is not OneArm(), OnePoint(delta) or TwoPoint(delta)"
            )
        self.estimator.check(self.domain)
        self.dimension = whole(
            implied_dimension(self.domain, geometry) if dimension is None else dimension,
            "dimension",
        )
        self.rate, self.horizon, self.lazy, self.radius = rate, horizon, bool(lazy), radius
        spread = self.estimator.spread(geometry, self.dimension)
        if rate == "horizon" and math.isinf(spread):
            raise ValueError(
                f"rate='horizon': no bound on the gradients of {self.estimator!r} in "
                f"{shown(geometry)} is known; take rate='anytime' or a number"
            )
        self._player: Player = OnlineMirrorDescent(
            geometry,
            self.dimension,
            rate=rate,
            domain=self.domain,
            lazy=lazy,
            radius=radius,
            lipschitz=math.sqrt(spread) if math.isfinite(spread) else 1.0,
            horizon=horizon,
        )
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self.seed = check_seed(seed)
        self.loss, self.decisions, self.ticket = 0.0, 0, -1
        self._waiting: list[Play] = []  # whose values are not known, the oldest first
        self._late = False  # something was played while another value was not known
        self._expected = True  # all values were as the estimator expects them

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

    def act(self) -> Any:
        """Choose an arm, a point, or two points as rows; every call is a choice of its own."""
        self._late |= bool(self._waiting)
        self.ticket += 1
        self._waiting.append(Play(self.ticket, self.estimator, self.point.copy()))
        self.decisions += 1
        return self._played(self._waiting[-1])

    def _played(self, play: Play) -> Any:
        return play.estimator.choose(play.point, self._draws[play.ticket])

    def update(self, value: Any, *, ticket: int | None = None) -> float:
        """Learn what a choice cost: a number, or two for `TwoPoint`. Returns what was suffered.

        It is the oldest choice whose value is not known, or that which had the `ticket`. The gradient is
        estimated with the point and the draw of the choice, however late the value comes.
        """
        if not self._waiting:
            raise ValueError(f"update({shown(value)}): nothing was played; call act() first")
        tickets = [play.ticket for play in self._waiting]
        if ticket is not None and ticket not in tickets:
            raise ValueError(f"ticket={shown(ticket)} waits for no value; there are {tickets}")
        place = 0 if ticket is None else tickets.index(ticket)
        play = self._waiting[place]
        told = play.estimator.estimate(play.point, self._draws[play.ticket], value)
        self._player.update(told.gradient)
        del self._waiting[place]
        self._expected &= told.expected
        self.loss += told.suffered
        return told.suffered

    def forget(self, ticket: int) -> None:
        """Undo a choice whose value will never come; its ticket is not given again."""
        kept = [play for play in self._waiting if play.ticket != ticket]
        if len(kept) == len(self._waiting):
            raise ValueError(f"ticket={shown(ticket)} waits for no value")
        self._waiting = kept
        self.decisions -= 1

    def run(self, losses: Any, rounds: int | None = None, *, delay: Any = None) -> ConvexBanditRun:
        """Play many rounds.

        Parameters: `losses`, a matrix with the costs of all arms in each row, or the gradient of a
        linear loss; a function of what is played (an arm or a point), in all of `rounds` rounds; or a
        sequence of functions, one a round. `delay`, a whole number or one for each round: how many more
        choices are made before a value is learned; at the end all are.
        """
        if self._waiting:
            raise ValueError(
                f"{len(self._waiting)} choices wait for their values; update them first"
            )
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
                raise ValueError("rounds= is needed: how often the function is to be played")
            return [losses] * whole(rounds, "rounds")
        if (
            not hasattr(losses, "__len__")
            or hasattr(losses, "tocsr")
            or getattr(losses, "shape", 1) == ()
        ):
            raise ValueError(
                f"losses={shown(losses)} is no matrix, no function and no sequence of functions"
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
        if self.domain == self.geometry.domain:
            options["domain"] = None
        return options

    def _learned(self) -> dict[str, Any]:
        periods = [{"state": period.player._engine.state()} for period in self._periods()]
        waiting = [play._asdict() for play in self._waiting]
        kept = {name: getattr(self, name) for name in _KEPT}
        return {"periods": periods, "waiting": waiting, **kept}

    def _restore(self, parts: Parts) -> None:
        self._go_on([period.array("state", (None,)) for period in parts.records("periods")])
        self.decisions, self.loss = parts.whole("decisions", self.rounds), parts.number("loss")
        self.ticket = parts.whole("ticket", self.decisions - 1)
        self._late, self._expected = parts.flag("_late"), parts.flag("_expected")
        known = [period.estimator for period in self._periods()]
        for play in parts.records("waiting"):
            earliest = self._waiting[-1].ticket + 1 if self._waiting else 0
            ticket = play.whole("ticket", earliest, self.ticket)
            estimator, point = play.take("estimator"), play.array("point", (self.dimension,))
            if estimator not in known or not self.domain.contains(point, 1e-6):
                raise ValueError(f"the choice {ticket} that waits was not made by this player")
            self._waiting.append(Play(ticket, estimator, point))
        if len(self._waiting) + self.rounds > self.decisions:
            raise ValueError(f"{len(self._waiting)} choices wait, but {self.decisions} were made")

    def _go_on(self, states: list[Array]) -> None:
        """Give the players of all periods these states."""
        for period, state in zip(self._periods(), states, strict=True):
            period.player._engine.restore(state)
