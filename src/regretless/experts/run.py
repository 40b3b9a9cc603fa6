"""Runs of players of experts: their losses, regrets and the bounds of the theorems."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, shown, whole
from regretless.base.run import Run
from regretless.certificates import Certificate
from regretless.experts import regrets
from regretless.experts.regrets import compared

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.experts.drifting import DriftingGame
    from regretless.experts.player import ExpertPlayer


EPS = float(np.finfo(float).eps)
_EXACT = 200  # rounds of which every one is looked at for a curve


class RunPiece(NamedTuple):
    """An expert that is followed in the rounds `start <= t < stop`, with a weight."""

    weight: float
    start: int
    stop: int
    expert: int


class Asked(NamedTuple):
    """The comparator of a run.

    Attributes: `words` and `against`, as of a certificate; `shares`, the weights of the experts, (n,) if
    they are the same in all rounds, else (T, n); `among`, as of a `Comparator`, if they are the same;
    `pieces` that make them up, if they are not; `shifts`, how often it changes at most, or None.
    """

    words: str
    against: Any
    shares: Array
    among: list[Array]
    pieces: list[RunPiece]
    shifts: int | None = None


class Notion(NamedTuple):
    """A notion of regret: at most one of these is given, as `ExpertsRun` explains."""

    comparator: Any = None
    quantile: float | None = None
    interval: Any = None
    shifts: int | None = None
    sequence: Any = None


def asked(r: Array, prior: Array, names: list[str] | None, notion: Notion) -> Asked:
    """The comparator that the arguments ask for, given the regrets `r[t, i]`.

    >>> asked(np.eye(2), np.full(2, 0.5), None, Notion(shifts=1)).pieces
    [RunPiece(weight=1.0, start=0, stop=1, expert=0), RunPiece(weight=1.0, start=1, stop=2, expert=1)]
    """
    comparator, quantile, interval, shifts, sequence = notion
    given = [name for name, value in notion._asdict().items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(f'{name}=' for name in given)}: give one of them")
    if interval is not None:
        found = _interval(r, interval)
        words = f"the best expert of the rounds {found.start} to {found.stop - 1}"
        if isinstance(interval, str):
            words += ", the interval of the largest regret"
        pieces = [RunPiece(1.0, found.start, found.stop, found.expert)]
        return Asked(words, pieces, _followed(r.shape, pieces), [], pieces)
    if shifts is not None:
        pieces = _sequence_of_experts(r, whole(shifts, "shifts", 0))
        words = f"the best sequence of experts that changes at most {shifts} times"
        return Asked(words, pieces, _followed(r.shape, pieces), [], pieces, shifts)
    if sequence is not None:
        U = regrets.competitor(sequence, r.shape)
        pieces = [
            RunPiece(amount, start, stop, expert)
            for expert, curve in enumerate(U.T)
            for amount, start, stop in (regrets.intervals(curve) if len(r) else [])
        ]
        return Asked("the sequence of weights that was given", U, U, [], pieces)
    totals = r.sum(axis=0)
    words, against, u, among = compared(totals, prior, names, comparator, quantile)
    return Asked(words, against, u, among, [])


def _interval(r: Array, interval: Any) -> regrets.RoundInterval:
    if isinstance(interval, str):
        if interval != "worst":
            raise ValueError(f"interval={interval!r} is neither (start, stop) nor 'worst'")
        return regrets.worst_interval(r)
    try:
        start, stop = interval
    except (TypeError, ValueError):
        raise ValueError(
            f"interval={shown(interval)} is neither (start, stop) nor 'worst'"
        ) from None
    return regrets.to_interval(r, start, stop)


def _sequence_of_experts(r: Array, shifts: int) -> list[RunPiece]:
    if not len(r):
        return []
    return [RunPiece(1.0, *segment) for segment in regrets.to_shifting(r, shifts).segments]


def _followed(shape: tuple[int, ...], pieces: list[RunPiece]) -> Array:
    U = np.zeros(shape)
    for weight, start, stop, expert in pieces:
        U[start:stop, expert] += weight
    return U


def looked_at(rounds: int) -> NDArray[np.intp]:
    """The rounds after which bounds are computed: all, or about two hundred if there are more.

    >>> len(looked_at(30)), looked_at(10**6)[-1]
    (30, np.int64(1000000))
    """
    if rounds <= _EXACT:
        return np.arange(1, rounds + 1)
    return np.unique(np.geomspace(1, rounds, _EXACT).round().astype(np.intp))


def filled(at: Any, bounds: Any, rounds: int) -> Array:
    """A whole curve from its values after some rounds, which include the last; the curve must not fall.

    Each round has the bound of the next one that is known.

    >>> filled([1, 4], [1.0, 2.0], 4)
    array([1., 2., 2., 2.])
    """
    if not rounds:
        return np.zeros(0)
    return np.asarray(bounds, np.float64)[np.searchsorted(at, np.arange(1, rounds + 1))]


def pieces_curve(at: Any, pieces: list[RunPiece], bound: Callable[..., float]) -> Array:
    """After some rounds, the sum of the bounds on the regret to pieces, or to the parts of them so far.

    Parameters: `bound` of a piece, and of a piece up to a round.

    >>> pieces = [RunPiece(1.0, 0, 2, 0), RunPiece(1.0, 2, 4, 1)]
    >>> pieces_curve([1, 3, 4], pieces, lambda piece, end=9: min(end, piece.stop) - piece.start)
    array([1., 3., 4.])
    """
    total, rounds = np.zeros(len(at)), np.asarray(at)
    for piece in pieces:
        whole = bound(piece)
        if whole == math.inf:
            return np.full(len(at), math.inf)
        # nothing before it, and no more after it
        first, last = np.searchsorted(rounds, (piece.start, piece.stop), side="right")
        total[first:last] += [bound(piece, int(end)) for end in rounds[first:last]]
        total[last:] += whole
    return total


class ComparedRun(Run):
    """A run that is compared with an expert, a mixture of experts, or a sequence of experts.

    A subclass defines the comparators, the cost of the rounds, and the bounds.
    """

    before: Any
    after: Any
    weights: Array | None

    def regret_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, how much more was lost than by the comparator that `certificate` names."""
        who = self._asked(Notion(comparator, quantile, interval, shifts, sequence))
        return np.cumsum(self._measured(who)[0])

    def bound_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, the bound on the regret.

        It is computed after every round of a short run, and after about two hundred of a long one: the
        others have the bound of the next of these, which is no smaller.
        """
        who = self._asked(Notion(comparator, quantile, interval, shifts, sequence))
        if not self.rounds:
            return np.zeros(0)
        if False in self.after._assumptions().values():
            return np.full(self.rounds, math.inf)
        _, trivial, rounding = self._measured(who)
        curve = np.minimum(self._theorem_curve(who), trivial) + rounding
        curve[-1] = min(curve[-1], self._certificate(who).bound)
        return np.asarray(curve)

    def certificate(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Certificate:
        """The regret at the end, and the bounds on it."""
        return self._certificate(
            self._asked(Notion(comparator, quantile, interval, shifts, sequence))
        )

    def _certificate(self, who: Asked) -> Certificate:
        increments, trivial, rounding = self._measured(who)
        bounds = self._proved(who)
        if self.rounds:
            bounds["trivial"] = min(float(trivial[-1]), bounds.get("trivial", math.inf))
        return Certificate(
            self.rounds,
            float(np.cumsum(increments)[-1]) if self.rounds else 0.0,
            bounds,
            self._theorem,
            self.after._assumptions(),
            who.words,
            who.against,
            float(rounding[-1]) if self.rounds else 0.0,
        )

    def _theorem_curve(self, who: Asked) -> Array:
        """After each round, the theorem's bound."""
        at = self._looked_at()
        if who.shares.ndim == 1:
            return filled(*self._replayed(at, who.shares), self.rounds)
        total = pieces_curve(at, who.pieces, self._of_piece)
        shifting = [self._of_shifts(who, int(stop)) for stop in at]
        return filled(at, np.minimum(total, shifting), self.rounds)

    @property
    def names(self) -> list[str] | None:
        """The names of the experts, or None."""
        return self.after.names  # type: ignore[no-any-return]

    @abstractmethod
    def _asked(self, notion: Notion) -> Asked:
        """The comparator that is asked for."""

    @abstractmethod
    def _measured(self, who: Asked) -> tuple[Array, Array, Array]:
        """The regret in each round; what it adds up to at most, whatever is played; the rounding."""

    @property
    @abstractmethod
    def _theorem(self) -> str:
        """The theorem behind the bounds."""

    @abstractmethod
    def _proved(self, who: Asked) -> dict[str, float]:
        """The bounds of the theorem at the end."""

    @abstractmethod
    def _looked_at(self) -> NDArray[np.intp]:
        """The rounds after which bounds are computed."""

    @abstractmethod
    def _replayed(self, at: NDArray[np.intp], u: Array) -> tuple[Any, list[float]]:
        """Rounds, and the bounds on the regret to `u` after each: the game is played once more."""

    @abstractmethod
    def _of_piece(self, piece: RunPiece, end: int | None = None) -> float:
        """The bound on the regret to a piece, or to its part before `end`."""

    @abstractmethod
    def _of_shifts(self, who: Asked, end: int) -> float:
        """The bound on the regret to a sequence of experts before `end`; infinite without a theorem."""

    def plot_weights(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the weights over the rounds, stacked."""
        from regretless.plots.players import weights_over_time

        if self.weights is None:
            raise ValueError("the weights were not kept; use run(..., weights=True)")
        return weights_over_time(self.weights, ax, names=self.names)


@dataclass(eq=False, repr=False)
class ExpertsRun(ComparedRun):
    """The rounds of a game with experts.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take one of these, by default
    the best expert in hindsight:

    - `comparator`, the index or the name of an expert, a distribution over them, or "best";
    - `quantile`, for the `ceil(quantile n)`-th best expert;
    - `interval`, `(start, stop)`, the best expert in the rounds `start <= t < stop`, or "worst", the
      interval of the largest regret;
    - `shifts`, the best sequence of experts with at most so many changes;
    - `sequence`, weights of the experts in each round, not negative.

    A curve is about the comparator that is chosen at the end of the run, in all rounds. A bound is that
    of the player's theorem, or the loss of the worst expert of each round if that is smaller.

    Attributes: `losses` suffered; `expert_losses`, a row for each round; `confidence` of the experts,
    or None; `weights` played, or None; `before` and `after`, the player when the run began and ended;
    `index` of the rounds, or None.

    >>> from regretless.experts import Hedge
    >>> run = Hedge(2, rate=0.5).run([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> round(run.loss, 4), round(run.regret(), 4), run.regret() <= run.bound()
    (1.6086, 0.6086, True)
    >>> run.regret(shifts=1) > run.regret()
    True
    """

    losses: Array
    expert_losses: Array
    _: KW_ONLY
    confidence: Array | None
    weights: Array | None
    before: "ExpertPlayer | DriftingGame"
    after: "ExpertPlayer | DriftingGame"
    index: Any = None

    @cached_property
    def instantaneous(self) -> Array:
        """The regret to each expert in each round."""
        if not self.rounds:
            return np.zeros(self.expert_losses.shape)
        return regrets.instantaneous(self.losses, self.expert_losses, self.confidence)

    @cached_property
    def spread(self) -> Array:
        """The sums of |regret| in the first 0, 1, ... rounds, in units of the range."""
        sums = np.cumsum(np.abs(self.instantaneous), axis=0)
        return np.vstack([np.zeros(sums.shape[1]), sums]) / self.after._width

    def _asked(self, notion: Notion) -> Asked:
        return asked(self.instantaneous, self.after.prior, self.after.names, notion)

    # --- bounds ------------------------------------------------------------------------------------

    @property
    def _theorem(self) -> str:
        return self.after._theorem

    def _proved(self, who: Asked) -> dict[str, float]:
        bounds = {} if who.pieces else self.after._proved(who.among, self.before.regrets)
        if self.rounds:
            theirs = who.pieces or self._whole(who.shares if who.shares.ndim == 1 else np.zeros(0))
            measured = {"intervals": math.fsum(map(self._of_piece, theirs))}
            measured["shifts"] = self._of_shifts(who, self.rounds)
            for name, bound in measured.items():
                if bound < math.inf:
                    bounds[name] = min(bound, bounds.get(name, math.inf))
        return bounds

    def _whole(self, u: Array) -> list[RunPiece]:
        """The experts of a mixture, each followed in all rounds."""
        return [RunPiece(float(u[i]), 0, self.rounds, int(i)) for i in np.flatnonzero(u)]

    def _of_piece(self, piece: RunPiece, end: int | None = None) -> float:
        weight, start, stop, expert = piece
        if not self.after._speaks:
            return math.inf
        stop = stop if end is None else min(end, stop)
        bound = self.after._interval_bound(self.before.rounds, self.spread, start, stop, expert)
        return weight * self.after._width * bound

    def _of_shifts(self, who: Asked, end: int) -> float:
        # the theorem is about a player's first rounds
        if who.shifts is None or self.before.rounds or not self.after._speaks:
            return math.inf
        return self.after._width * self.after._shifting_bound(end, who.shifts)

    def _looked_at(self) -> NDArray[np.intp]:
        return looked_at(self.rounds) if self.after._rises else np.arange(1, self.rounds + 1)

    def _replayed(self, at: NDArray[np.intp], u: Array) -> tuple[Any, list[float]]:
        player, done, bounds = self.before.copy(), 0, []
        pieces = self._whole(u)
        for stop in map(int, at):
            awake = None if self.confidence is None else self.confidence[done:stop]
            player._advance(self.expert_losses[done:stop], awake)
            done = stop
            proved = player._proved([u], self.before.regrets)
            measured = math.fsum(self._of_piece(piece, stop) for piece in pieces)
            bounds.append(min(measured, *proved.values()) if proved else measured)
        return at, bounds

    def _measured(self, who: Asked) -> tuple[Array, Array, Array]:
        r, shares, n = self.instantaneous, who.shares, self.expert_losses.shape[1]
        if shares.ndim == 1:
            increments = np.asarray(r @ shares)
        else:
            increments = np.asarray(np.einsum("ti,ti->t", r, shares))
        # at most as much is lost as by the worst expert that is awake
        sure = 1.0 if self.confidence is None else self.confidence
        table = np.where(np.asarray(sure) > 0, self.expert_losses, -math.inf)
        below = np.where(table > -math.inf, table.max(axis=1)[:, None] - table, 0.0)
        trivial = np.asarray(np.cumsum((shares * sure * below).sum(axis=1)))
        # of the sums of this run, after each round, and of the player's
        each = (shares * (np.abs(r) + np.abs(self.losses)[:, None])).sum(axis=1)
        sizes = np.cumsum(np.abs(self.losses) + each)
        apart = np.cumsum((shares * np.abs(r)).sum(axis=1))
        mine = 4.0 * EPS * ((n + 4.0) * sizes + np.arange(1, self.rounds + 1) * apart)
        u = shares if shares.ndim == 1 else shares.max(axis=0, initial=0.0)
        return increments, trivial, np.asarray(mine + self.after._rounding(np.asarray(u)))

    # --- tables and pictures -----------------------------------------------------------------------

    def _names(self) -> list[str]:
        n = self.expert_losses.shape[1]
        return list(self.after.names or [f"expert {i}" for i in range(n)])

    def _columns(self) -> dict[str, Any]:
        if self.weights is None:
            return {}
        return {f"weight of {name}": column for name, column in zip(self._names(), self.weights.T)}

    def plot_experts(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the regret to each expert over the rounds, and the bound on the largest.

        >>> from regretless.experts import AdaNormalHedge
        >>> AdaNormalHedge(2).run(np.eye(2)).plot_experts().get_xlabel()
        'rounds'
        """
        from regretless.plots.players import regret_to_experts

        bound = self.bound_curve()
        known = bound if np.isfinite(bound).all() else None
        regret = np.cumsum(self.instantaneous, axis=0)
        return regret_to_experts(regret, ax, bound=known, names=self.after.names)

    def summary(self) -> str:
        """A table of the experts: mean loss, regret to it with its bound, and mean weight.

        >>> from regretless.experts import AdaNormalHedge
        >>> run = AdaNormalHedge(2).run({"good": [0.0] * 9, "bad": [1.0] * 9})
        >>> print(run.summary())
        AdaNormalHedge(2), 9 rounds, mean loss 0.0645
        expert  mean loss   regret    bound   weight
        good       0.0000   0.5809     1.91    0.935
        bad        1.0000   -8.419        0    0.065
        """
        table = self.expert_losses
        awake = np.ones(table.shape) if self.confidence is None else self.confidence
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.sum(np.where(awake > 0, awake * table, 0.0), axis=0) / awake.sum(axis=0)
        names = self._names()
        wide = max(len("expert"), *(len(str(name)) for name in names))
        lines = [
            f"{self.after!r}, {self.rounds} rounds, mean loss {self.mean_loss:.4f}",
            f"{'expert':<{wide}}  mean loss   regret    bound   weight",
        ]
        for i, name in enumerate(names):
            weight = math.nan if self.weights is None else self.weights[:, i].mean()
            found = self.certificate(i)
            bound = min(found.bounds.values(), default=math.inf)
            lines.append(
                f"{name!s:<{wide}}  {means[i]:9.4f} {found.regret:8.4g} {bound:8.3g} {weight:8.3f}"
            )
        return "\n".join(lines)
