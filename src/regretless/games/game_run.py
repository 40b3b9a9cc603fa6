"""What two players made of a game: regrets, averages, and what these prove of its value."""

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from regretless.games.certificate import GameCertificate
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["GameRun"]


@dataclass(frozen=True, eq=False, kw_only=True)
class GameRun:
    """The rounds of a game between two players.

    Attributes
    ----------
    losses : of the row player, `p_t'A q_t` of each round; the column player wins as much.
    row_regret, column_regret : after each round, how much less the row player would have lost by its
        best fixed choice, and how much more the column player would have won by its own.
    row, column : the averages of what they played.
    lower, upper, gap : between what the value of the game is by these averages, and how far apart; the
        rounding of the arithmetic is allowed for.
    players : who they were.

    >>> from regretless.experts import Hedge
    >>> from regretless.games import BestResponse, play
    >>> run = play(Hedge, BestResponse, [[0, 1], [1, 0]], rounds=100)
    >>> run.lower <= 0.5 <= run.upper, run.certificate().holds
    (True, True)
    """

    losses: Array
    row_regret: Array
    column_regret: Array
    row: Array
    column: Array
    lower: float
    upper: float
    players: tuple[str, str]
    row_bound: float
    column_bound: float

    @property
    def rounds(self) -> int:
        """How many were played."""
        return len(self.losses)

    @property
    def gap(self) -> float:
        """`upper - lower`: the sum of the mean regrets, up to rounding."""
        return self.upper - self.lower

    @property
    def value(self) -> float:
        """The middle of `lower` and `upper`."""
        return self.lower / 2 + self.upper / 2

    @property
    def gaps(self) -> Array:
        """After each round, the gap of the averages so far: the sum of the mean regrets."""
        return (self.row_regret + self.column_regret) / np.arange(1.0, self.rounds + 1)

    def certificate(self) -> GameCertificate:
        """The sum of the mean regrets beside the gap, and what the players' theorems say of it.

        A player without a theorem, as one that draws its choices, has no bound.
        """
        T = self.rounds
        return GameCertificate(
            T,
            self.gap,
            float(self.row_regret[-1]) / T,
            float(self.column_regret[-1]) / T,
            0.0,
            {"regrets of both": (self.row_bound + self.column_bound) / T},
            "the gap of averages is the sum of mean regrets (mohri Theorem 8.16)",
        )

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draw the gap and the mean regrets over the rounds; write it to `path`, .png or .svg."""
        from regretless.plots.games import gap_curves

        rounds = np.arange(1.0, self.rounds + 1)
        curves = {
            "gap of averages": self.gaps,
            "mean regret of the row player": self.row_regret / rounds,
            "mean regret of the column player": self.column_regret / rounds,
        }
        return gap_curves(rounds, curves, path, title=" against ".join(self.players))
