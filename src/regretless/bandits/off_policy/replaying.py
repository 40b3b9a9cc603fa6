"""Replay: play through a log, and count only the rows in which the policy does what was logged."""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import check_entries, outside
from regretless.bandits.off_policy.estimate import Interval, OffPolicyEstimate
from regretless.bandits.off_policy.log import Log
from regretless.bandits.off_policy.policy import is_bandit, probabilities

__all__ = ["replay"]


def replay(
    log: Log,
    policy: Any,
    *,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
) -> OffPolicyEstimate:
    """The mean reward of the rows in which the policy chooses the logged action.

    If actions were logged uniformly at random, a policy that learns meets in these rows just what it
    would have met live: its estimate after m of them is unbiased for its m first rounds (Li, Chu,
    Langford and Wang (2011), Theorem 1). A bandit is copied and learns from them as it goes, and
    from no others: what it chose in other rows is forgotten. One that learns losses in
    `range=(low, high)` is told `low + high - reward`. About one row in n counts.

    The rewards of a bandit that learns depend on each other. The interval is then of what its choices
    in this replay bring in the mean, given what it knew at each of them: "bernstein" covers that,
    "normal" about, and "chernoff" is refused. With another log it might have learned to choose
    otherwise, of which no interval of a single replay can speak, and an assumption says so.

    Parameters: `log`; `policy`, a bandit with `act` and `update`, which learns; or an action, or one a
    row, or a function of the context whose value is an action, which do not. A bandit whose `feedback`
    is "reward" is told rewards, `update(reward=r)`, others losses. The other parameters are as of `ips`.

    >>> from regretless.bandits import LinUCB
    >>> random = np.random.default_rng(0)
    >>> X, actions = random.normal(size=(3000, 2)), random.integers(2, size=3000)
    >>> rewards = np.where(actions == (X[:, 0] > 0), 1.0, 0.0)
    >>> found = replay(Log(actions, rewards, np.full(3000, 0.5), X), LinUCB(2, 2))
    >>> found.value > 0.9, 1400 < found.effective_sample_size < 1600
    (True, True)
    """
    how, learns = Interval(interval, confidence, reward_range), is_bandit(policy)
    how.check(log.rewards)
    if learns and how.kind == "chernoff":
        raise ValueError(
            "interval='chernoff' is for policies that do not learn, whose rewards all have the same "
            "mean; take 'bernstein'"
        )
    matches = _played(log, policy) if learns else _chosen(log, policy)
    if not matches.any():
        raise ValueError("the policy never plays what was logged: the log says nothing of it")
    rewards = log.rewards[matches]
    p = log.propensities
    uniform = None if p is None else bool(np.allclose(p, 1.0 / int(log.n or 1), rtol=1e-6))
    rests: dict[str, bool | None] = {
        "actions were logged uniformly at random, whatever the context": uniform,
        "rows are independent": None,
    }
    if learns:
        rests["another log would have taught the bandit to choose alike"] = None
    return OffPolicyEstimate(
        float(rewards.mean()),
        how.around(rewards, reward_range or (0.0, 1.0)),
        "replay",
        float(len(rewards)),
        len(log),
        confidence,
        rests | how.assumptions(len(rewards), bool(rewards.min() < rewards.max())),
    )


def _chosen(log: Log, policy: Any) -> NDArray[np.bool_]:
    """The rows in which a policy that does not learn takes the logged action."""
    p = probabilities(log, policy)
    if not np.isin(p, (0.0, 1.0)).all():
        raise ValueError("replay needs a policy that takes one action; for probabilities use ips")
    return np.asarray(p[np.arange(len(log)), log.actions] == 1.0)


def _played(log: Log, policy: Any) -> NDArray[np.bool_]:
    """The rows in which a bandit that learns takes it."""
    bandit = copy.deepcopy(policy)
    looks = log.contexts is not None and getattr(bandit, "contextual", True)
    told = _told(log, bandit)
    matches = np.zeros(len(log), bool)
    for t, action in enumerate(log.actions.tolist()):
        arm = bandit.act(log.contexts[t]) if looks else bandit.act()
        if arm == action:
            matches[t] = True
            bandit.update(*told[t][0], **told[t][1])
        elif hasattr(bandit, "forget"):  # what another choice would have brought is not known
            bandit.forget(bandit.ticket)
    return matches


def _told(log: Log, bandit: Any) -> list[tuple[list[float], dict[str, float]]]:
    """What `update` is given in each row: rewards by name, or losses, if it learns those."""
    if getattr(bandit, "feedback", "loss") == "reward":
        return [([], {"reward": float(reward)}) for reward in log.rewards]
    low, high = getattr(bandit, "range", (0.0, 1.0)) or (0.0, 0.0)
    if low < high:
        remedy = f"is outside range=({low}, {high}) of {bandit!r}"
        check_entries(log.rewards, ~outside(log.rewards, low, high), "rewards", remedy)
    return [([low + high - float(reward)], {}) for reward in log.rewards]
