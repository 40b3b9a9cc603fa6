"""What was logged: contexts, actions, rewards, and how likely the actions were."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import check_entries, outside, sound, table, whole
from regretless.run import Array

__all__ = ["Log", "whole_numbers"]


@dataclass(frozen=True, eq=False)
class Log:
    """The rows of a log, in the order in which they came.

    Parameters: `actions`, counted from 0; `rewards` of these; `propensities`, the probabilities in
    (0, 1] with which they were chosen, which all but replay need; `contexts`, one row each, or None;
    `n`, how many actions there are, by default the largest and one.

    >>> log = Log([0, 1, 1], [1.0, 0.0, 1.0], propensities=[0.5, 0.5, 0.5])
    >>> len(log), log.n
    (3, 2)
    >>> Log([0, 1], [1.0, 0.0], propensities=[0.5, 0.0])
    Traceback (most recent call last):
    ValueError: propensities[1] = 0.0 is outside (0, 1]: it is the probability with which a logged
    action was chosen, which cannot be 0
    """

    actions: NDArray[np.int64]
    rewards: Array
    propensities: Array | None = None
    contexts: Any = None
    n: int | None = None

    def __post_init__(self) -> None:
        actions = whole_numbers(self.actions, "actions")
        size = len(actions)
        if size == 0:
            raise ValueError("actions is empty: the log has no rows")
        rewards = table(self.rewards, "rewards", (size,))
        n = int(actions.max()) + 1 if self.n is None else whole(self.n, "n")
        if actions.max() >= n:
            at = int(np.argmax(actions))
            raise ValueError(f"actions[{at}] = {actions[at]} is none of the n={n} actions")
        propensities = self.propensities
        if propensities is not None:
            propensities = table(propensities, "propensities", (size,))
            right = (propensities > 0) & (propensities <= 1)
            remedy = (
                "is outside (0, 1]: it is the probability with which a logged action was chosen, "
                "which cannot be 0"
            )
            check_entries(propensities, right, "propensities", remedy)
        contexts = self.contexts
        if contexts is not None and not (len(contexts) and isinstance(contexts[0], dict)):
            contexts = table(
                contexts, "contexts", (size, *np.shape(sound(contexts, "contexts"))[1:])
            )
        if contexts is not None and len(contexts) != size:
            raise ValueError(f"contexts has {len(contexts)} rows, but there are {size} actions")
        for name, value in (
            ("actions", actions),
            ("rewards", rewards),
            ("propensities", propensities),
            ("contexts", contexts),
            ("n", n),
        ):
            object.__setattr__(self, name, value)

    @property
    def has_frequencies(self) -> bool:
        """Whether the propensities are nothing but how often each action is in the log.

        >>> Log([0, 1, 1, 1], [0.0] * 4, propensities=[0.25, 0.75, 0.75, 0.75]).has_frequencies
        True
        """
        if self.propensities is None or len(self) < 2:
            return False
        shares = np.bincount(self.actions)[self.actions] / len(self)
        return bool(np.allclose(self.propensities, shares, rtol=1e-6, atol=0.0))

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"Log of {len(self)} rows and {self.n} actions"


def whole_numbers(values: Any, name: str) -> NDArray[np.int64]:
    """An argument as a vector of whole numbers of at least 0.

    >>> whole_numbers([0, 1.5], "actions")
    Traceback (most recent call last):
    ValueError: actions[1] = 1.5 is no whole number of at least 0: actions are counted from 0
    """
    array = table(values, name, (None,))
    right = ~outside(array, 0, 2**31) & (array == np.floor(array))
    remedy = "is no whole number of at least 0: actions are counted from 0"
    check_entries(array, right, name, remedy)
    return array.astype(np.int64)
