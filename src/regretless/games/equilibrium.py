"""A solved game: strategies, value, and bounds on the value."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regretless.base.arguments import Array
from regretless.certificates import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- what the regrets of two players prove of the game they played --------------------------------

AVERAGES = "Mohri et al. (2018), Theorem 8.16"


@dataclass(frozen=True)
class GameCertificate(Certificate):
    """A `Certificate` of the regrets of both players together, which are the gap of their averages.

    Attributes: those of `Certificate`, `regret` being `row_regret + column_regret - answered`;
    `row_regret` and `column_regret`, of all rounds (of weighted ones, as many times the weighted mean);
    `answered`, the gain of the column player from answering the row player instead of moving at the same
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


# --- A game that was solved: strategies, value, and between what bounds it certainly is -----------


@dataclass(frozen=True, eq=False, kw_only=True)
class Equilibrium:
    """Strategies of both players, and how far they can be from optimal ones.

    Attributes
    ----------
    value : the middle of `lower` and `upper`, between which the value of the game is; it is what the row
        player loses (wins, with `row_maximises`) per round if both play optimally.
    row, column : the strategies, probabilities of the choices.
    gap : `upper - lower`, how much one player at most could gain by a better strategy than these, the
        rounding of the arithmetic included.
    tolerance, converged : the target of the gap, and whether it was reached.
    rounds : played.
    method, polished : the kind of players; whether the strategies come from the linear systems that the
        last rounds suggested.
    average_row, average_column, average_gap : the weighted averages of all rounds.
    last_row, last_column, last_gap : the strategies of the last round.
    history : arrays of rounds, and of the gaps of averages and of last strategies after each of them.

    >>> from regretless.games import solve
    >>> eq = solve([[0, 2], [1, 0]])
    >>> eq
    Equilibrium(value=0.666667, gap=9.1e-07, converged after 46 rounds)
    >>> eq.lower <= 2 / 3 <= eq.upper, eq.row.round(4)
    (True, array([0.3333, 0.6667]))
    """

    value: float
    row: Array
    column: Array
    gap: float
    lower: float
    upper: float
    tolerance: float
    converged: bool
    rounds: int
    method: str
    polished: bool
    average_row: Array
    average_column: Array
    average_gap: float
    last_row: Array
    last_column: Array
    last_gap: float
    history: tuple[Array, Array, Array]
    _certificate: GameCertificate = field(repr=False)

    def certificate(self) -> GameCertificate:
        """The regrets of both players, which bound the gap of their averages, and the theorems' bounds.

        >>> from regretless.games import solve
        >>> solve([[0, 2], [1, 0]], method="hedge", rounds=1000).certificate().holds
        True
        """
        return self._certificate

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the gap over the rounds; `ax`, where to, or a new picture.

        >>> from regretless.games import solve
        >>> solve([[0, 2], [1, 0]]).plot().get_ylabel()
        'gap'
        """
        from regretless.plots.players import gap_curves

        rounds, average, last = self.history
        return gap_curves(
            rounds,
            {"averages": average, "last strategies": last},
            ax,
            reached=(self.rounds, self.gap) if self.polished else None,
            tolerance=self.tolerance,
            title=f"{self.method} to a gap of {self.gap:.2g}",
        )

    def __repr__(self) -> str:
        after = f"{'' if self.converged else 'not '}converged after {self.rounds:,} rounds"
        return f"Equilibrium(value={self.value:.6g}, gap={self.gap:.2g}, {after})"
