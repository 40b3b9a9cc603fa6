"""A game that was solved: strategies, value, and between what bounds it certainly is."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regretless.games.certificate import GameCertificate
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Equilibrium"]


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
    tolerance, converged : what the gap was to be, and whether it is.
    rounds : played.
    method, polished : by what players; whether the strategies come from the linear systems that the
        last rounds suggested.
    average_row, average_column, average_gap : the weighted averages of all rounds.
    last_row, last_column, last_gap : what was played in the last round.
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
        """What the regrets of both players prove of their averages, beside their theorems' bounds.

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
        from regretless.plots.games import gap_curves

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
