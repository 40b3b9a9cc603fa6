"""Logs of decisions, and the policies that are judged by them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import (
    Array,
    check_entries,
    distributions,
    outside,
    sound,
    table,
    whole,
)

# --- what was logged: contexts, actions, rewards, and how likely the actions were -----------------


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


# --- what a policy would have played in the rows of a log -----------------------------------------


def is_bandit(policy: Any) -> bool:
    """Whether it plays and learns.

    >>> from regretless.bandits import LinUCB
    >>> is_bandit(LinUCB(2, 1)), is_bandit(0)
    (True, False)
    """
    return callable(getattr(policy, "act", None)) and callable(getattr(policy, "update", None))


def probabilities(log: Log, policy: Any) -> Array:
    """The probability of every action in every row, the policy learning nothing meanwhile.

    Parameters: `policy`, an action that is always taken; an action for each row; a matrix of
    probabilities, a row each; something with `probabilities`, or with `probabilities(x)`; or a function
    of a context, whose value is an action or probabilities.

    >>> probabilities(Log([0, 1], [0.0, 1.0]), [1, 0])
    array([[0., 1.],
           [1., 0.]])
    """
    count, n = len(log), int(log.n or 1)
    if is_bandit(policy) or hasattr(policy, "probabilities"):
        told = getattr(policy, "probabilities", None)
        if told is None:
            raise ValueError(
                f"policy={policy!r} does not tell its probabilities; evaluate it by replay"
            )
        rows = [told(x) for x in _contexts(log)] if callable(told) else [told] * count
        return _distributions(np.array(rows), count, n)
    if callable(policy):
        made = [policy(x) for x in _contexts(log)]
        return probabilities(log, np.array(made))
    if isinstance(policy, (int, np.integer)) and not isinstance(policy, bool):
        policy = np.full(count, policy)
    if np.ndim(sound(policy, "policy")) == 2:
        return _distributions(policy, count, n)
    actions = whole_numbers(policy, "policy")
    if len(actions) != count:
        raise ValueError(f"policy has {len(actions)} actions, but the log {count} rows")
    if actions.max() >= n:
        at = int(np.argmax(actions))
        raise ValueError(
            f"policy[{at}] = {actions[at]} is none of the {n} actions of the log; give Log(..., n=)"
        )
    return np.asarray(np.eye(n)[actions])


def _contexts(log: Log) -> Any:
    if log.contexts is None:
        raise ValueError("the policy looks at contexts, but the log has none; give Log(contexts=)")
    return log.contexts


def _distributions(rows: Any, count: int, n: int) -> Array:
    return distributions(rows, "policy", (count, n))
