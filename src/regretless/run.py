"""What a game has come to: the losses of every round, the best fixed choice, regret and bound."""

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Run"]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Run:
    """The rounds of a game, one number each.

    Attributes: `losses` suffered; `comparator_losses`, those of `comparator`, the best fixed point in
    hindsight; `bound` on the regret after each round against that comparator, as the theorem has it
    (less what the player had of it before), infinite where there is none; `points` played, one row a
    round, or None; `player`, who it was.

    >>> run = Run(np.array([1.0, 1.0]), np.array([0.0, 1.0]), np.zeros(2), np.array([2.0, 3.0]), None)
    >>> run.loss, run.regret
    (2.0, array([1., 1.]))
    """

    losses: Array
    comparator_losses: Array
    comparator: Array
    bound: Array
    points: Array | None
    player: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", np.where(np.isnan(self.bound), np.inf, self.bound))

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""
        return float(self.losses.sum())

    @property
    def regret(self) -> Array:
        """After each round, how much more was lost than by the comparator."""
        return np.cumsum(self.losses - self.comparator_losses)

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draw the regret and its bound against the rounds; write it to `path`, .png or .svg.

        >>> run = Run(np.ones(3), np.zeros(3), np.zeros(1), np.full(3, 9.0), None, "somebody")
        >>> run.plot().axes[0].get_ylabel()
        'regret'
        """
        from regretless.plots.regret import regret_curve

        return regret_curve(self, path)
