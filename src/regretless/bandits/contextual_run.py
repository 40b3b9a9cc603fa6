"""A finished game of a contextual bandit: which arms it chose, and what they brought."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import shown
from regretless.run import Array, Run

__all__ = ["ContextualRun", "arm_of", "contextual_run"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ContextualRun(Run):
    """The rounds of a contextual bandit; losses are rewards with the sign changed.

    Attributes: those of `Run`, the comparator being the best single arm in hindsight; `arms` chosen;
    `propensities` with which they were.

    >>> from regretless.bandits import LinUCB
    >>> run = LinUCB(2, 1).run([[1.0], [1.0], [1.0]], [[0.0, 1.0]] * 3)
    >>> run.arms, run.reward
    (array([0, 1, 1]), 2.0)
    """

    arms: NDArray[np.int64]
    propensities: Array

    @property
    def reward(self) -> float:
        """The sum of the rewards."""
        return -self.loss


def contextual_run(
    rewards: Array, arms: NDArray[np.int64], propensities: Array, bound: Array, player: str
) -> ContextualRun:
    """The run of these choices among rewards that were all known."""
    arms = arms.astype(np.int64)
    best = int(np.argmax(rewards.sum(axis=0)))
    return ContextualRun(
        -rewards[np.arange(len(arms)), arms],
        -rewards[:, best],
        np.eye(rewards.shape[1])[best],
        bound,
        None,
        player,
        arms=arms,
        propensities=propensities,
    )


def arm_of(arm: Any, n: int) -> int:
    """One of `n` arms, or a `ValueError` in the words of the core.

    >>> arm_of(2, 2)
    Traceback (most recent call last):
    ValueError: arm=2 is none of the 2 arms, which are counted from 0
    """
    if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)) or not 0 <= arm < n:
        raise ValueError(f"arm={shown(arm)} is none of the {n} arms, which are counted from 0")
    return int(arm)
