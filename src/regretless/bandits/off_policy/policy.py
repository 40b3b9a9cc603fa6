"""What a policy would have played in the rows of a log."""

from typing import Any

import numpy as np

from regretless.arguments import distributions, sound
from regretless.bandits.off_policy.log import Log, whole_numbers
from regretless.run import Array

__all__ = ["is_bandit", "probabilities"]


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
