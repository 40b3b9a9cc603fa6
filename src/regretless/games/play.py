"""`play`: any two players at a zero-sum game (Mohri et al. (2018), section 8.5)."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from regretless.arguments import shown, whole
from regretless.games.game_run import GameRun, SeatRun
from regretless.games.payoffs import Payoffs, read
from regretless.run import Array

__all__ = ["play"]


def play(row_player: Any, column_player: Any, payoffs: Any, rounds: int) -> GameRun:
    """Let two players play a game for some rounds, and tell what that proves of its value.

    In round t the row player plays `p_t` and the column player `q_t`; then the row player is told the
    losses `A q_t` of its choices, and the column player those of its own, `low + high - p_t'A`, which
    are in the range of the payoffs too. The averages p, q of what they played satisfy

        max_j (p'A)_j - min_i (A q)_i  =  (R_row + R_column) / T

    and the value of the game is between the two on the left.

    Parameters
    ----------
    row_player, column_player : who has `weights` and `update(losses)` (`regretless.experts`,
        `RegretMatchingPlus`), `act()` and `update(loss)` (bandits, who are told only the loss of the
        choice they made), or `point` and `update(gradient)` (of `regretless.oco`, on the simplex). One
        of them may have `respond(losses)`, and sees what the other plays first (`BestResponse`). A class
        is made for the number of choices and the range of the payoffs: `Hedge` is
        `Hedge(n, range=(low, high))`.
    payoffs : `A[i, j]` is what the row player loses and the column player wins: a matrix, also sparse.
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
    """A player at the table: what it plays, knowing the losses if it answers, and what it is told."""

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
