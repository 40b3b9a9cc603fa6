"""A finished game of a contextual bandit: which arms it chose, and what they brought."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.run import Array, Run

__all__ = ["ContextualRun", "contextual_run", "table"]


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


def table(values: Any, shape: tuple[int | None, ...], name: str, most: float = math.inf) -> Array:
    """An argument as an array of finite numbers, `None` in its shape being any length.

    >>> table([[1.0, 2.0]], (None, 3), "rewards")
    Traceback (most recent call last):
    ValueError: rewards has shape (1, 2), not (rounds, 3)
    """
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not made of numbers: {error}") from None
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape))
    if not fits:
        wanted = ", ".join("rounds" if n is None else str(n) for n in shape)
        comma = "," if len(shape) == 1 else ""
        raise ValueError(f"{name} has shape {array.shape}, not ({wanted}{comma})")
    strange = ~(np.abs(array) <= most) if most < math.inf else ~np.isfinite(array)
    if strange.any():
        at = np.argwhere(strange)[0].tolist()
        beyond = f", or beyond {most:g}" if most < math.inf else ""
        raise ValueError(
            f"{name}[{', '.join(map(str, at))}] = {array[tuple(at)]} is not finite{beyond}"
        )
    return array
