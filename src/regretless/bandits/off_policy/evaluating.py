"""One door to all estimates."""

import inspect
from collections.abc import Callable
from typing import Any

from regretless.bandits.off_policy.estimate import OffPolicyEstimate
from regretless.bandits.off_policy.log import Log
from regretless.bandits.off_policy.replaying import replay
from regretless.bandits.off_policy.weighting import doubly_robust, ips, snips

__all__ = ["METHODS", "evaluate"]

METHODS: dict[str, Callable[..., OffPolicyEstimate]] = {
    "replay": replay,
    "ips": ips,
    "snips": snips,
    "dr": doubly_robust,
}


def evaluate(log: Log, policy: Any, method: str = "snips", **options: Any) -> OffPolicyEstimate:
    """What a policy brings in a round, from a log that another one made.

    Parameters: `log`; `policy`, an action that is always taken, an action a row, a matrix of
    probabilities, a bandit, or a function of the context; `method`, "snips", "ips", "dr" (doubly robust)
    or "replay", which alone lets a bandit learn; `options` of the method.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> actions = random.choice(3, p=[0.6, 0.3, 0.1], size=5000)
    >>> rewards = random.random(5000) * actions
    >>> log = Log(actions, rewards, propensities=np.array([0.6, 0.3, 0.1])[actions])
    >>> found = evaluate(log, 2)  # always the third: 1 in the mean
    >>> low, high = found.interval
    >>> low < 1.0 < high, high - low < 0.12
    (True, True)
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is none of {', '.join(METHODS)}")
    known = inspect.signature(METHODS[method]).parameters
    for name in options:
        if name not in known:
            raise ValueError(f"{name}= is not an option of method={method!r}")
    return METHODS[method](log, policy, **options)
