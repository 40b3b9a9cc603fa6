"""A finished game of a contextual bandit: which arms it chose, and what they brought."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import shown
from regretless.bandits.bandit_run import ArmRun
from regretless.bandits.environments import Kept
from regretless.run import Array

__all__ = ["ContextualRun", "arm_of"]


class ContextualRun(ArmRun):
    """The rounds of a contextual bandit; losses are rewards with the sign changed.

    It is compared with single arms, by default the best in hindsight. `regret` is what was really
    missed, and `bound` is on the same number.

    Attributes: those of `Run`; `arms` chosen; `propensities` with which they were; `rewards` of all
    arms, a row a round; `before` and `after`, the bandit as it was then.

    >>> from regretless.bandits import LinUCB
    >>> run = LinUCB(2, 1).run([[1.0], [1.0], [1.0]], rewards=[[0.0, 1.0]] * 3)
    >>> run.arms, run.reward, run.regret()
    (array([0, 1, 1]), 2.0, 1.0)
    """

    world: Kept

    def __init__(
        self,
        rewards: Array,
        arms: NDArray[np.int64],
        propensities: Array,
        *,
        before: Any,
        after: Any,
        widths: tuple[Array, Array, Array] | None = None,
    ) -> None:
        self.arms, self.propensities = arms, propensities
        self.losses = -rewards[np.arange(len(arms)), arms]
        self.world = Kept(-rewards)
        self.before, self.after = before, after
        self.widths = widths  # of what was played, of the widest arm, and how much was learned

    @property
    def rewards(self) -> Array:
        """Of all arms, a row a round."""
        return -self.world.rows

    @property
    def reward(self) -> float:
        """The sum of the rewards."""
        return -self.loss

    def _proven(self, u: Array) -> tuple[dict[str, float], str, dict[str, bool | None]]:
        found = None if self.widths is None else self.after._realised(self)
        return super()._proven(u) if found is None else found

    def _proven_curve(self, u: Array) -> Array | None:
        if self.widths is None:
            return None
        curve: Array = self.after._realised_curve(self)
        return curve

    def _columns(self) -> dict[str, Any]:
        return super()._columns() | {"reward": -self.losses}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, reward {self.reward:.4g}>"


def arm_of(arm: Any, n: int) -> int:
    """One of `n` arms, or a `ValueError` in the words of the core.

    >>> arm_of(2, 2)
    Traceback (most recent call last):
    ValueError: arm=2 is none of the 2 arms, which are counted from 0
    """
    if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)) or not 0 <= arm < n:
        raise ValueError(f"arm={shown(arm)} is none of the {n} arms, which are counted from 0")
    return int(arm)
