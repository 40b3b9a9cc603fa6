"""A finished game with experts: what was lost, to whom, and what the theorems say of it."""

import math
from collections.abc import Callable
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
    """Who a run is compared with.

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


def asked(
    r: Array,
    prior: Array,
    names: list[str] | None,
    *,
    comparator: Any = None,
    quantile: float | None = None,
    interval: Any = None,
    shifts: int | None = None,
    sequence: Any = None,
) -> Asked:
    """One notion of regret, by the regret `r[t, i]` to each expert in each round.

    >>> asked(np.eye(2), np.full(2, 0.5), None, shifts=1).pieces
    [RunPiece(weight=1.0, start=0, stop=1, expert=0), RunPiece(weight=1.0, start=1, stop=2, expert=1)]
    """
    notions = {
        "comparator": comparator,
        "quantile": quantile,
        "interval": interval,
        "shifts": shifts,
        "sequence": sequence,
    }
    given = [name for name, value in notions.items() if value is not None]
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
    """A curve that is known after some rounds, the last among them, and does not fall.

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


class ExpertsRun(Run):
    """The rounds of a game with experts.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take one of these, by default
    the best expert in hindsight:

    - `comparator`, the index or the name of an expert, a distribution over them, or "best";
    - `quantile`, for the `ceil(quantile n)`-th best expert;
    - `interval`, `(start, stop)`, the best expert in the rounds `start <= t < stop`, or "worst", the
      interval of the largest regret;
    - `shifts`, the best sequence of experts that changes so often at most;
    - `sequence`, weights of the experts in each round, not negative.

    Whoever that is at the end of the run is whom a curve speaks of in all rounds. Bounds are those of
    the player's theorem, or that nobody loses more than the worst expert of each round.

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

    def __init__(
        self,
        losses: Array,
        expert_losses: Array,
        *,
        confidence: Array | None,
        weights: Array | None,
        before: "ExpertPlayer | DriftingGame",
        after: "ExpertPlayer | DriftingGame",
        index: Any = None,
    ) -> None:
        self.losses, self.expert_losses, self.confidence = losses, expert_losses, confidence
        self.weights, self.before, self.after, self.index = weights, before, after, index

    @cached_property
    def instantaneous(self) -> Array:
        """The regret to each expert in each round."""
        if not self.rounds:
            return np.zeros(self.expert_losses.shape)
        return regrets.instantaneous(self.losses, self.expert_losses, self.confidence)

    @cached_property
    def spread(self) -> Array:
        """The sums of their sizes, in units of the range, in the first 0, 1, ... rounds."""
        sums = np.cumsum(np.abs(self.instantaneous), axis=0)
        return np.vstack([np.zeros(sums.shape[1]), sums]) / self.after._width

    def regret_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, how much more was lost than by whom `certificate` names."""
        return np.cumsum(
            self._increments(self._asked(comparator, quantile, interval, shifts, sequence))
        )

    def bound_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, the bound on that.

        It is computed after every round of a short run, and after about two hundred of a long one: the
        others have the bound of the next of these, which is no smaller.
        """
        who = self._asked(comparator, quantile, interval, shifts, sequence)
        if not self.rounds:
            return np.zeros(0)
        curve = np.minimum(self._theorem_curve(who), self._trivial(who)) + self._rounding(who)
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
        return self._certificate(self._asked(comparator, quantile, interval, shifts, sequence))

    def _asked(
        self, comparator: Any, quantile: Any, interval: Any, shifts: Any, sequence: Any
    ) -> Asked:
        return asked(
            self.instantaneous,
            self.after.prior,
            self.after.names,
            comparator=comparator,
            quantile=quantile,
            interval=interval,
            shifts=shifts,
            sequence=sequence,
        )

    def _increments(self, who: Asked) -> Array:
        if who.shares.ndim == 1:
            return np.asarray(self.instantaneous @ who.shares)
        return np.asarray(np.einsum("ti,ti->t", self.instantaneous, who.shares))

    # --- bounds ------------------------------------------------------------------------------------

    def _certificate(self, who: Asked) -> Certificate:
        bounds = {} if who.pieces else self.after._proved(who.among, self.before.regrets)
        if self.rounds:
            theirs = who.pieces or [
                RunPiece(float(who.shares[i]), 0, self.rounds, int(i))
                for i in np.flatnonzero(who.shares if who.shares.ndim == 1 else [])
            ]
            measured = {"intervals": math.fsum(map(self._of_piece, theirs))}
            if who.shifts is not None:
                measured["shifts"] = self._of_shifts(self.rounds, who.shifts)
            measured["trivial"] = float(self._trivial(who)[-1])
            for name, bound in measured.items():
                if bound < math.inf:
                    bounds[name] = min(bound, bounds.get(name, math.inf))
        return Certificate(
            self.rounds,
            float(np.cumsum(self._increments(who))[-1]) if self.rounds else 0.0,
            bounds,
            self.after._theorem,
            self.after._assumptions(),
            who.words,
            who.against,
            float(self._rounding(who)[-1]) if self.rounds else 0.0,
        )

    def _of_piece(self, piece: RunPiece, stop: int | None = None) -> float:
        """The player's bound on the regret to a piece, or to what there is of it before `stop`."""
        weight, start, end, expert = piece
        if not self.after._speaks:
            return math.inf
        end = end if stop is None else min(stop, end)
        bound = self.after._interval_bound(self.before.rounds, self.spread, start, end, expert)
        return weight * self.after._width * bound

    def _of_shifts(self, rounds: int, shifts: int) -> float:
        """The theorem is about a player's first rounds."""
        if self.before.rounds or not self.after._speaks:
            return math.inf
        return self.after._width * self.after._shifting_bound(rounds, shifts)

    def _theorem_curve(self, who: Asked) -> Array:
        at = looked_at(self.rounds) if self.after._rises else np.arange(1, self.rounds + 1)
        if who.shares.ndim == 1:
            return filled(at, self._replayed(at, who.shares), self.rounds)
        total = pieces_curve(at, who.pieces, self._of_piece)
        if who.shifts is not None:
            found = [self._of_shifts(int(stop), who.shifts) for stop in at]
            total = np.minimum(total, found)
        return filled(at, total, self.rounds)

    def _replayed(self, at: NDArray[np.intp], u: Array) -> list[float]:
        """The game once more: the bound on the regret to `u` after some rounds."""
        player, done, bounds = self.before.copy(), 0, []
        pieces = [RunPiece(float(u[i]), 0, self.rounds, int(i)) for i in np.flatnonzero(u)]
        for stop in map(int, at):
            awake = None if self.confidence is None else self.confidence[done:stop]
            player._advance(self.expert_losses[done:stop], awake)
            done = stop
            proved = player._proved([u], self.before.regrets)
            measured = math.fsum(self._of_piece(piece, stop) for piece in pieces)
            bounds.append(min(measured, *proved.values()) if proved else measured)
        return bounds

    def _trivial(self, who: Asked) -> Array:
        """After each round, what was lost if it was always as much as by the worst who were awake."""
        sure = 1.0 if self.confidence is None else self.confidence
        table = np.where(np.asarray(sure) > 0, self.expert_losses, -math.inf)
        below = np.where(table > -math.inf, table.max(axis=1)[:, None] - table, 0.0)
        return np.asarray(np.cumsum((who.shares * sure * below).sum(axis=1)))

    def _rounding(self, who: Asked) -> Array:
        """Of the sums of this run, after each round, and of the player's."""
        r, n = np.abs(self.instantaneous), self.expert_losses.shape[1]
        each = (who.shares * (r + np.abs(self.losses)[:, None])).sum(axis=1)
        sizes, apart = (
            np.cumsum(np.abs(self.losses) + each),
            np.cumsum((who.shares * r).sum(axis=1)),
        )
        steps = np.arange(1, self.rounds + 1)
        mine = 4.0 * EPS * ((n + 4.0) * sizes + steps * apart)
        u = who.shares if who.shares.ndim == 1 else who.shares.max(axis=0, initial=0.0)
        return np.asarray(mine + self.after._rounding(np.asarray(u)))

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

    def plot_weights(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the weights over the rounds, stacked."""
        from regretless.plots.players import weights_over_time

        if self.weights is None:
            raise ValueError("the weights were not kept: run(..., weights=True)")
        return weights_over_time(self.weights, ax, names=self.after.names)

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

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"
