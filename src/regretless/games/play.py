"""`play`: any two players at a zero-sum game (Mohri et al. (2018), section 8.5)."""

import copy
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regretless.base.arguments import Array, shown, whole
from regretless.base.run import Run
from regretless.certificates import Certificate
from regretless.games.payoffs import Measured, Payoffs, read
from regretless.games.solve import AVERAGES, GameCertificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- what two players made of a game: regrets, averages, and what these prove of its value --------

_EPS = float(np.finfo(float).eps)


@dataclass(eq=False, repr=False)
class SeatRun(Run):
    """A run of a game from the view of one player.

    Attributes: those of `Run`; `table`, the loss of each of its choices, a row a round;
    `before` and `after`, the player as it was then; `width`, the range of the losses; `responds`,
    whether it saw the strategy of the other one.

    >>> from regretless.experts import Hedge
    >>> from regretless.games import play
    >>> seat = play(Hedge, Hedge, [[0, 1], [1, 0]], rounds=100).row_seat
    >>> seat.regret() <= seat.bound(), seat.comparator()
    (True, 0)
    """

    losses: Array
    _: KW_ONLY
    table: Array
    before: Any
    after: Any
    width: float
    responds: bool = False

    def comparator(self, comparator: Any = None) -> int:
        """The choice to compare the run with: an index, by default the best in hindsight."""
        if comparator is None or (isinstance(comparator, str) and comparator == "best"):
            return int(np.argmin(self.table.sum(axis=0)))
        return whole(comparator, "comparator", 0, self.table.shape[1] - 1)

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the loss beyond that of the choice that `comparator()` names."""
        return np.cumsum(self.losses - self.table[:, self.comparator(comparator)])

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the largest cost of losses in their range; at the end, the theorem's
        bound."""
        at = self.comparator(comparator)
        curve = self.width * np.arange(1.0, self.rounds + 1.0) + self._rounding(at)
        if self.responds:
            curve = np.zeros(self.rounds) + self._rounding(at)
        if self.rounds:
            curve[-1] = self.certificate(at).bound
        return curve

    def _rounding(self, at: int) -> float:
        sizes = np.abs(self.losses).sum() + np.abs(self.table[:, at]).sum()
        return _EPS * float((self.rounds + self.table.shape[1]) * sizes)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret to the choice `comparator()`, and the bounds of the player's theorem."""
        at = self.comparator(comparator)
        words = f"choice {at}" + (", the best in hindsight" if comparator is None else "")
        bounds, rounding = {"trivial": self.width * self.rounds}, self._rounding(at)
        assumptions: dict[str, bool | None] = {}
        theorem = "no round costs more than the range of the payoffs"
        if self.responds:
            bounds, theorem = {"answers": 0.0}, "a best answer has regret 0 at most"
        elif (found := self._of_player(at)) is not None:
            earlier, now = found
            # the theorem is about all rounds: what was won before can be lost in these
            before = earlier.regret or 0.0
            bounds |= {name: bound - before for name, bound in now.bounds.items()}
            assumptions, theorem = now.assumptions, now.theorem
            rounding += now.rounding + _EPS * now.rounds * abs(before)
        regret = self.regret(at)
        return Certificate(self.rounds, regret, bounds, theorem, assumptions, words, at, rounding)

    def _of_player(self, at: int) -> tuple[Certificate, Certificate] | None:
        """The certificates of the player when the run began and ended; None if it has none."""
        weighs = hasattr(self.after, "weights")
        if not hasattr(self.after, "certificate") or (hasattr(self.after, "act") and not weighs):
            return None  # a player that draws learns too little for these
        who = at if weighs else np.eye(1, self.table.shape[1], at)[0]
        earlier, now = self.before.certificate(who), self.after.certificate(who)
        return earlier, now

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {shown(self.after)}, loss {self.loss:.4g}>"


class GameRun(Run):
    """The rounds of a game between two players.

    Regret and bounds are those of both together: how much less the row player would have lost by
    a fixed choice, plus how much more the column player would have won by one. A comparator is a pair of
    choices.

    Attributes
    ----------
    losses : of the row player, `p_t'A q_t` of each round; the column player wins as much.
    row_seat, column_seat : the rounds as each of them saw them, a `SeatRun`, with its own regret and
        bound.
    row, column : the averages of the strategies played.
    lower, upper : bounds on the value of the game from these averages, with an allowance for rounding.
    players : descriptions of both.

    >>> from regretless.experts import Hedge
    >>> from regretless.games import BestResponse, play
    >>> run = play(Hedge, BestResponse, [[0, 1], [1, 0]], rounds=100)
    >>> run.lower <= 0.5 <= run.upper, run.certificate().holds
    (True, True)
    """

    def __init__(
        self, row_seat: SeatRun, column_seat: SeatRun, proved: Measured, players: tuple[str, str]
    ) -> None:
        self.losses, self.row_seat, self.column_seat = row_seat.losses, row_seat, column_seat
        self.row, self.column, self.lower, self.upper = proved
        self.players = players

    @property
    def gap(self) -> float:
        """`upper - lower`: the regret per round, up to rounding."""
        return self.upper - self.lower

    @property
    def value(self) -> float:
        """The middle of `lower` and `upper`."""
        return self.lower / 2 + self.upper / 2

    @property
    def gaps(self) -> Array:
        """After each round, the gap of the averages so far: the mean regret to the best choices so
        far."""
        return _so_far(self.row_seat) + _so_far(self.column_seat)

    def comparator(self, comparator: Any = None) -> tuple[int, int]:
        """A choice for each player; by default, the best ones in hindsight."""
        if comparator is None or (isinstance(comparator, str) and comparator == "best"):
            return self.row_seat.comparator(), self.column_seat.comparator()
        try:
            row, column = comparator
        except (TypeError, ValueError):
            raise ValueError(
                f"comparator={shown(comparator)} is not a pair of choices, the row player's and the "
                "column player's"
            ) from None
        return self.row_seat.comparator(row), self.column_seat.comparator(column)

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the regrets of both players to the choices `comparator()`."""
        row, column = self.comparator(comparator)
        return self.row_seat.regret_curve(row) + self.column_seat.regret_curve(column)

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bounds of both."""
        row, column = self.comparator(comparator)
        return self.row_seat.bound_curve(row) + self.column_seat.bound_curve(column)

    def certificate(self, comparator: Any = None) -> GameCertificate:
        """The regrets of both players, and the bounds of their theorems.

        A player without a theorem, such as one that draws its choices, has only the trivial bound.
        """
        at = self.comparator(comparator)
        row, column = self.row_seat.certificate(at[0]), self.column_seat.certificate(at[1])
        least = [min(c.bounds.values()) for c in (row, column)]
        assumptions = dict(row.assumptions)
        for name, held in column.assumptions.items():
            assumptions[name] = _both(assumptions.get(name, True), held)
        words = f"choices {at[0]} and {at[1]}"
        return GameCertificate(
            self.rounds,
            self.regret(at),
            {"regrets of both": sum(least)},
            AVERAGES,
            assumptions,
            words + (", the best in hindsight" if comparator is None else ""),
            at,
            row.rounding + column.rounding,
            row_regret=self.row_seat.regret(at[0]),
            column_regret=self.column_seat.regret(at[1]),
        )

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the gap and the mean regrets over the rounds; `ax`, where to, or a new picture."""
        from regretless.plots.players import gap_curves

        curves = {
            "gap of averages": self.gaps,
            "mean regret of the row player": _so_far(self.row_seat),
            "mean regret of the column player": _so_far(self.column_seat),
        }
        rounds = np.arange(1.0, self.rounds + 1)
        return gap_curves(rounds, curves, ax, title=" against ".join(self.players))

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {' against '.join(self.players)}, gap {self.gap:.2g}>"


def _so_far(seat: SeatRun) -> Array:
    """After each round, the mean regret to the choice that was best until then."""
    least = np.cumsum(seat.table, axis=0).min(axis=1)
    return np.asarray((np.cumsum(seat.losses) - least) / np.arange(1.0, seat.rounds + 1))


def _both(one: bool | None, other: bool | None) -> bool | None:
    return False if False in (one, other) else None if None in (one, other) else True


# --- `play`: any two players at a zero-sum game (Mohri et al. (2018), section 8.5) ----------------


def play(row_player: Any, column_player: Any, payoffs: Any, rounds: int) -> GameRun:
    """Let two players play a game for some rounds; the run bounds the value of the game.

    In round t the row player plays `p_t` and the column player `q_t`; then the row player learns the
    losses `A q_t` of its choices, and the column player those of its own, `low + high - p_t'A`, which
    are in the range of the payoffs too. The averages p, q of their strategies satisfy

        max_j (p'A)_j - min_i (A q)_i  =  (R_row + R_column) / T

    and the value of the game is between the two on the left.

    Parameters
    ----------
    row_player, column_player : objects with `weights` and `update(losses)` (`regretless.experts`,
        `RegretMatchingPlus`), `act()` and `update(loss)` (bandits, which learn only the loss of the
        choice they made), or `point` and `update(gradient)` (of `regretless.oco`, on the simplex). One
        of them may have `respond(losses)`, and sees the other's strategy first (`BestResponse`). A class
        is made for the number of choices and the range of the payoffs: `Hedge` is
        `Hedge(n, range=(low, high))`.
    payoffs : `A[i, j]` is the loss of the row player and the gain of the column player: a matrix, also
        sparse.
    rounds : how many.

    >>> from regretless.experts import AdaNormalHedge, Hedge
    >>> run = play(AdaNormalHedge, Hedge, [[0, 2], [1, 0]], rounds=2000)
    >>> run.row.round(2), run.lower <= 2 / 3 <= run.upper
    (array([0.34, 0.66]), True)
    >>> f"{run.gap:.6f}", f"{run.gaps[-1]:.6f}"
    ('0.024698', '0.024698')
    """
    rounds = whole(rounds, "rounds")
    game = Payoffs(read(payoffs))
    if game.exponent:
        raise ValueError(
            f"payoffs as large as {game.largest * 2.0**game.exponent:g} are beyond 1e150, or all are "
            "below 1e-150; scale them"
        )
    m, n = game.shape
    row = _seat(row_player, m, game, "row_player")
    column = _seat(column_player, n, game, "column_player")
    if row.responds and column.responds:
        raise ValueError("row_player and column_player both answer the other: one must begin")

    losses, row_table, column_table = np.empty(rounds), np.empty((rounds, m)), np.empty((rounds, n))
    p_sum, q_sum = np.zeros(m), np.zeros(n)
    both = game.low + game.high
    before = [copy.deepcopy(seat.player) for seat in (row, column)]
    for t in range(rounds):
        if row.responds:
            q = column.show(None)
            Aq = game.losses(q)
            p = row.show(Aq)
            pA = game.gains(p)
        else:
            p = row.show(None)
            pA = game.gains(p)
            q = column.show(both - pA)
            Aq = game.losses(q)
        row.tell(Aq)
        column.tell(both - pA)
        losses[t], row_table[t], column_table[t] = p @ Aq, Aq, both - pA
        p_sum, q_sum = p_sum + p, q_sum + q
    after = [copy.deepcopy(seat.player) for seat in (row, column)]
    width = game.high - game.low
    return GameRun(
        SeatRun(
            losses,
            table=row_table,
            before=before[0],
            after=after[0],
            width=width,
            responds=row.responds,
        ),
        SeatRun(
            both - losses,
            table=column_table,
            before=before[1],
            after=after[1],
            width=width,
            responds=column.responds,
        ),
        game.measured(p_sum / rounds, q_sum / rounds),
        (type(row.player).__name__, type(column.player).__name__),
    )


class Seat(NamedTuple):
    """A player in a game: its strategy, given the losses if it answers, and its update."""

    player: Any
    show: Callable[[Any], Array]
    tell: Callable[[Array], Any]
    responds: bool = False


def _seat(player: Any, n: int, game: Payoffs, name: str) -> Seat:
    if isinstance(player, type):
        unit = game.high - game.low or 1.0
        player = player(n, range=(game.low, game.low + unit))
    size = getattr(player, "n", n)
    if size != n:
        raise ValueError(f"{name}={shown(player)} has {size} choices, but the game has {n} for it")
    if hasattr(player, "respond"):
        return Seat(player, player.respond, lambda _: None, responds=True)
    if hasattr(player, "weights"):
        return Seat(player, lambda _: np.asarray(player.weights, np.float64), player.update)
    if hasattr(player, "act"):
        return _drawing(player, n)
    if hasattr(player, "point"):
        return Seat(player, lambda _: np.asarray(player.point, np.float64), player.update)
    raise ValueError(f"{name}={shown(player)} has no weights, point, act or respond")


def _drawing(player: Any, n: int) -> Seat:
    arms: list[int] = []

    def show(_: Any) -> Array:
        arms.append(int(player.act()))
        return np.asarray(np.eye(1, n, arms[-1])[0])

    return Seat(player, show, lambda losses: player.update(float(losses[arms[-1]])))
