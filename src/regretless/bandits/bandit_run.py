"""A finished game with arms: what was chosen, what it cost, and what the best arm would have."""

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regretless.run import Array, Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BanditRun"]


@dataclass(frozen=True, eq=False, kw_only=True)
class BanditRun(Run):
    """The rounds of a player of arms.

    Attributes: those of `Run`, the comparator being the arm that lost the least in these rounds, and
    `bound` that on the mean of the regret over the draws (infinite where nothing is proven); `arms`
    chosen; `propensities` with which they were; `means` of the arms, if they are known.

    >>> from regretless.bandits import Bernoulli, UCB1
    >>> run = UCB1(2).run(Bernoulli([0.1, 0.9]), 1000, seed=0)
    >>> np.bincount(run.arms), run.pseudo_regret[-1].round(1).item()
    (array([986,  14]), 11.2)
    """

    arms: NDArray[np.int64]
    propensities: Array
    means: Array | None = None

    @property
    def best_arm(self) -> int | None:
        """The arm that lost the least; None if the losses of the others are not known."""
        return None if np.isnan(self.comparator).any() else int(np.argmax(self.comparator))

    @property
    def pseudo_regret(self) -> Array:
        """After each round, how much more the arms chosen lose in the mean than the best one."""
        if self.means is None:
            raise ValueError("the means are not known: they are for run(environment, rounds)")
        return np.cumsum(self.means[self.arms] - self.means.min())

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Draw the regret, the pseudo-regret if it is known, and the bound; write it to `path`.

        >>> from regretless.bandits import Bernoulli, Exp3
        >>> Exp3(2).run(Bernoulli([0.1, 0.9]), 100).plot().axes[0].get_ylabel()
        'regret'
        """
        from regretless.plots.bandits import bandit_regret

        return bandit_regret(self, path)
