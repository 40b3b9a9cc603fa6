"""What the regrets of two players prove of the game they played."""

from dataclasses import dataclass

from regretless.certificates import Certificate

__all__ = ["AVERAGES", "GameCertificate"]

AVERAGES = "Mohri et al. (2018), Theorem 8.16"


@dataclass(frozen=True)
class GameCertificate(Certificate):
    """A `Certificate` of the regrets of both players together, which are the gap of their averages.

    Attributes: those of `Certificate`, `regret` being `row_regret + column_regret - answered`;
    `row_regret` and `column_regret`, of all rounds (of weighted ones, as many times the weighted mean);
    `answered`, what the column player won by answering the row player instead of moving at the same
    time. The gap of their averages is `gap`, the regret per round.

    >>> from regretless.games import solve
    >>> c = solve([[0, 1, 0.4], [1, 0, 0.7]], tolerance=0.01, polish=False).certificate()
    >>> abs(c.regret - (c.row_regret + c.column_regret - c.answered)) < 1e-12, c.holds
    (True, True)
    """

    row_regret: float = 0.0
    column_regret: float = 0.0
    answered: float = 0.0

    @property
    def gap(self) -> float:
        """How far apart the players' averages put the value of the game."""
        return float("inf") if self.regret is None or not self.rounds else self.regret / self.rounds
