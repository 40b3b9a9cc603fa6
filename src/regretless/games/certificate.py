"""What the regrets of two players prove of the game they played."""

from dataclasses import dataclass, field

from regretless.certificates import _Proved

__all__ = ["GameCertificate"]


@dataclass(frozen=True)
class GameCertificate(_Proved):
    """The gap of the players' averages is the sum of their mean regrets (mohri Theorem 8.16).

    Attributes: `rounds` played; `gap` of the averages, measured from the payoffs; `row_regret` and
    `column_regret`, per round (of weighted rounds: per weight); `answered`, what the column player won
    by answering the row player instead of moving at the same time, per round, so that

        gap = row_regret + column_regret - answered

    `bounds` on the gap by the theorems of the players; `theorem`, which those are; `assumptions`.

    >>> from regretless.games import solve
    >>> c = solve([[0, 1, 0.4], [1, 0, 0.7]], tolerance=0.01, polish=False).certificate()
    >>> abs(c.gap - (c.row_regret + c.column_regret - c.answered)) < 1e-12, c.holds
    (True, True)
    """

    rounds: int
    gap: float
    row_regret: float
    column_regret: float
    answered: float
    bounds: dict[str, float]
    theorem: str
    assumptions: dict[str, bool | None] = field(default_factory=dict)

    @property
    def _measured(self) -> float:
        return self.gap
