"""Estimates that weigh logged rewards by how much likelier the policy makes them.

`w = pi(a | x) / p`, p the propensity of the logged action a: rewards of what the policy would do more
often count more. In the mean over logs, `E w = 1` and `E w r` is the value of the policy, if it plays
nothing that could not be logged.
"""

import math
from typing import Any

import numpy as np

from regretless.arguments import check_entries, positive, table
from regretless.bandits.off_policy.estimate import Interval, OffPolicyEstimate
from regretless.bandits.off_policy.log import Log
from regretless.bandits.off_policy.policy import probabilities
from regretless.run import Array

__all__ = ["doubly_robust", "ips", "snips"]

_FAR = 5.0  # standard errors


class Weights:
    """The weights of the rows, cut at `cap`, and what they say of the log."""

    def __init__(
        self, log: Log, policy: Any, cap: float | None, largest_weight: float | None, how: Interval
    ) -> None:
        if log.propensities is None:
            raise ValueError("propensities are needed to weigh rewards; give Log(propensities=)")
        self.table = probabilities(log, policy)
        played = self.table[np.arange(len(log)), log.actions]
        raw = played / log.propensities
        self.cap = None if cap is None else positive(cap, "cap")
        self.w = raw if self.cap is None else np.minimum(raw, self.cap)
        if not self.w.any():
            raise ValueError("the policy never plays what was logged: the log says nothing of it")
        if largest_weight is not None:
            positive(largest_weight, "largest_weight")
            above = f"is above largest_weight={largest_weight}, which no weight may be"
            check_entries(raw, raw <= largest_weight * (1.0 + 1e-9), "weights", above)
        elif cap is None and not how.approximate:
            raise ValueError(
                f"interval={how.kind!r} needs largest_weight=: how large pi(a | x) / p can be for any "
                "context, which the log cannot tell; n, if n actions were logged uniformly at random"
            )
        # what a weight can be
        self.most = min(largest_weight or math.inf, self.cap or math.inf)
        error = float(raw.std()) / math.sqrt(len(raw))
        certain = (log.propensities == 1.0) & (played < 1.0)  # nothing else could have been logged
        self.assumptions: dict[str, bool | None] = {
            "rows are independent, and propensities those they were drawn with": None,
            "whatever the policy plays could be logged": False if certain.any() else None,
            "the weights have the mean 1": bool(abs(raw.mean() - 1.0) <= _FAR * error + 1e-9),
        }
        if log.has_frequencies:
            self.assumptions[
                "propensities, which are how often the actions are in the log, do not depend on "
                "the context"
            ] = None
        if self.most < math.inf and not how.approximate:
            self.assumptions[f"no weight can be above {self.most:g}"] = None
        if self.cap is not None:
            self.assumptions["no weight is cut, else the estimate leans to one side"] = (
                False if (raw > self.cap).any() else None
            )

    @property
    def size(self) -> float:
        """The effective sample size."""
        return float(self.w.sum() ** 2 / (self.w @ self.w))

    def estimate(
        self,
        method: str,
        value: float,
        interval: tuple[float, float],
        how: Interval,
        varied: bool,
    ) -> OffPolicyEstimate:
        """An estimate that rests on these weights; `varied`, whether its terms did."""
        if how.reward_range is not None and not how.approximate:  # where every value is
            low, high = how.reward_range
            interval = min(max(interval[0], low), high), max(min(interval[1], high), low)
        return OffPolicyEstimate(
            value,
            interval,
            method,
            self.size,
            len(self.w),
            how.confidence,
            self.assumptions | how.assumptions(self.size, varied),
        )


def ips(
    log: Log,
    policy: Any,
    *,
    cap: float | None = None,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float | None = None,
) -> OffPolicyEstimate:
    """Inverse propensity scoring: `mean(w r)`, unbiased.

    Parameters: `log`, with propensities; `policy`, an action, one a row, a matrix of probabilities, a
    bandit or a function of the context; `cap`, where weights are cut, which trades noise for bias;
    `interval`, "normal", which is approximate, or "bernstein" or "chernoff", which hold for every number
    of rows: see `Interval`; `confidence` of it; `reward_range` and `largest_weight`, what rewards and
    weights can be, which the last two need.

    >>> log = Log([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0], propensities=[0.5, 0.5, 0.5, 0.5])
    >>> ips(log, 1).value
    0.5
    """
    how = Interval(interval, confidence, reward_range)
    how.check(log.rewards)
    weights = Weights(log, policy, cap, largest_weight, how)
    terms, ends = weights.w * log.rewards, (0.0, math.inf)
    if reward_range is not None and weights.most < math.inf:
        ends = weights.most * min(reward_range[0], 0.0), weights.most * max(reward_range[1], 0.0)
    return weights.estimate(
        "ips", float(terms.mean()), how.around(terms, ends), how, _varied(weights.w, log.rewards)
    )


def snips(
    log: Log,
    policy: Any,
    *,
    cap: float | None = None,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float | None = None,
) -> OffPolicyEstimate:
    """Self-normalised: `sum(w r) / sum(w)`, never outside the rewards, and the same if all rewards move.

    A little biased, usually far less noisy than `ips`. The interval "normal" is by the delta method: the
    variance is `sum(w^2 (r - value)^2) / sum(w)^2`. The others are the values v for which that of the
    terms `w (r - v)`, whose mean is 0 for the value of the policy, covers 0. Parameters: as of `ips`.

    >>> log = Log([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0], propensities=[0.5, 0.5, 0.5, 0.5])
    >>> snips(log, [0, 1, 0, 1]).value
    0.5
    >>> found = snips(log, 1, interval="bernstein", reward_range=(0, 1), largest_weight=2)
    >>> found.interval  # four rows tell nothing for certain
    (0.0, 1.0)
    """
    how = Interval(interval, confidence, reward_range)
    how.check(log.rewards)
    weights = Weights(log, policy, cap, largest_weight, how)
    w, total = weights.w, float(weights.w.sum())
    value = float(w @ log.rewards) / total
    if how.approximate:
        half = how.z * float(np.linalg.norm(w * (log.rewards - value))) / total
        found = (value - half, value + half) if len(log) > 1 else (-math.inf, math.inf)
    else:
        found = _values(how, w, log.rewards, weights.most, value)
    return weights.estimate("snips", value, found, how, _varied(w, log.rewards))


def _values(
    how: Interval, w: Array, rewards: Array, most: float, value: float
) -> tuple[float, float]:
    """The least and the largest v that `w (r - v)` does not disprove, of those that rewards can be."""
    assert how.reward_range is not None
    low, high = how.reward_range

    def possible(v: float) -> bool:
        below, above = how.around(w * (rewards - v), (most * (low - v), most * (high - v)))
        return below <= 0.0 <= above

    ends = []
    for limit in (low, high):
        # from the limit on: what is possible need not be all in one piece
        steps = np.linspace(limit, min(max(value, low), high), 33).tolist()
        first = next((k for k, v in enumerate(steps) if possible(v)), len(steps) - 1)
        inside, beyond = steps[first], steps[max(first - 1, 0)]
        for _ in range(30):
            middle = (inside + beyond) / 2.0
            inside, beyond = (middle, beyond) if possible(middle) else (inside, middle)
        ends.append(beyond)
    return ends[0], ends[1]


def _varied(w: Array, rewards: Array) -> bool:
    """Whether rewards of different sizes count: if none was ever seen, nothing is known of them."""
    counted = rewards[w > 0.0]
    return bool(counted.min() < counted.max())


def doubly_robust(
    log: Log,
    policy: Any,
    *,
    predictions: Any = None,
    cap: float | None = None,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float | None = None,
) -> OffPolicyEstimate:
    """A model of the rewards q, corrected by what was logged: `mean(sum_a pi(a) q(a) + w (r - q))`.

    Right in the mean if either the propensities or the model are, and less noisy than `ips` the better
    the model. Parameters: `predictions`, q of every action in every row, made without looking at the
    reward of that row; by default ridge regressions on the contexts, one for each action, each half of
    the log predicted by the other. The others as of `ips`.

    >>> log = Log([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0], propensities=[0.5, 0.5, 0.5, 0.5])
    >>> doubly_robust(log, 1, predictions=[[0.5, 0.5]] * 4).value
    0.5
    """
    how = Interval(interval, confidence, reward_range)
    how.check(log.rewards)
    weights = Weights(log, policy, cap, largest_weight, how)
    n = int(log.n or 1)
    if predictions is None:
        q = _cross_fitted(log, n)
        if reward_range is not None:
            q = np.clip(q, *reward_range)
    else:
        q = table(predictions, "predictions", (len(log), n))
        how.check(q, "predictions")
    low, high = reward_range or (0.0, 1.0)
    of_logged = q[np.arange(len(log)), log.actions]
    terms = (weights.table * q).sum(axis=1) + weights.w * (log.rewards - of_logged)
    away = weights.most * (high - low)
    ends = low - away, high + away
    if predictions is None and not how.approximate:
        # terms of one half are independent given the other half: each half has an interval of its own
        halves = [terms[k::2] for k in (0, 1) if len(terms[k::2])]
        found = [how.around(half, ends, 1.0 / len(halves)) for half in halves]
        shares = [len(half) / len(terms) for half in halves]
        interval_ = tuple(float(np.dot(shares, [each[k] for each in found])) for k in (0, 1))
    else:
        interval_ = how.around(terms, ends)
    varied = _varied(weights.w, log.rewards)
    return weights.estimate("dr", float(terms.mean()), interval_, how, varied)  # type: ignore[arg-type]


def _cross_fitted(log: Log, n: int, ridge: float = 1.0) -> Array:
    """Predictions of even rows by odd ones and the other way round, so that none saw its own reward."""
    X = np.empty((len(log), 0))
    if log.contexts is not None:
        if isinstance(log.contexts, np.ndarray):
            X = log.contexts.reshape(len(log), -1)
        else:
            raise ValueError("contexts are dicts: give doubly_robust its predictions=")
    Z = np.column_stack([np.ones(len(X)), X])
    penalty = ridge * np.eye(Z.shape[1])
    penalty[0, 0] = 0.0  # the mean is not pulled to 0
    q = np.zeros((len(log), n))
    for half in (0, 1):
        rows, others = slice(half, None, 2), slice(1 - half, None, 2)
        A, R, actions = Z[others], log.rewards[others], log.actions[others]
        q[rows] = R.mean() if len(R) else 0.0
        for action in np.unique(actions):
            mine = A[actions == action]
            theta = np.linalg.solve(mine.T @ mine + penalty, mine.T @ R[actions == action])
            q[rows, action] = Z[rows] @ theta
    return q
