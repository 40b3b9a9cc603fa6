"""Estimates that weigh logged rewards by how much likelier the policy makes them.

`w = pi(a | x) / p`, p the propensity of the logged action a: rewards of what the policy would do more
often count more. In the mean over logs, `E w = 1` and `E w r` is the value of the policy, if it plays
nothing that could not be logged.
"""

import math
from typing import Any

import numpy as np

from regretless.arguments import positive, table
from regretless.bandits.off_policy.estimate import Interval, OffPolicyEstimate
from regretless.bandits.off_policy.log import Log
from regretless.bandits.off_policy.policy import probabilities
from regretless.run import Array

__all__ = ["doubly_robust", "ips", "snips"]

_FAR = 5.0  # standard errors


class Weights:
    """The weights of the rows, cut at `cap`, and what they say of the log."""

    def __init__(self, log: Log, policy: Any, cap: float | None) -> None:
        if log.propensities is None:
            raise ValueError("propensities are needed to weigh rewards; give Log(propensities=)")
        self.table = probabilities(log, policy)
        raw = self.table[np.arange(len(log)), log.actions] / log.propensities
        self.cap = None if cap is None else positive(cap, "cap")
        self.w = raw if self.cap is None else np.minimum(raw, self.cap)
        if not self.w.any():
            raise ValueError("the policy never plays what was logged: the log says nothing of it")
        # what a weight can be: if there is no cap, as if the smallest propensity were the least of all
        self.most = self.cap or float(1.0 / log.propensities.min())
        error = float(raw.std()) / math.sqrt(len(raw))
        self.assumptions: dict[str, bool | None] = {
            "rows are independent, and propensities those they were drawn with": None,
            "whatever the policy plays could be logged": None,
            "the weights have the mean 1": bool(abs(raw.mean() - 1.0) <= _FAR * error + 1e-9),
        }
        if self.cap is not None:
            self.assumptions["no weight was cut, else the estimate leans to one side"] = bool(
                (raw <= self.cap).all()
            )

    @property
    def size(self) -> float:
        """The effective sample size."""
        return float(self.w.sum() ** 2 / (self.w @ self.w))

    def estimate(
        self, method: str, terms: Array, how: Interval, length: float
    ) -> OffPolicyEstimate:
        """The mean of terms whose range is of this length."""
        rests = self.assumptions | how.assumptions(self.size)
        if how.kind == "bernstein":
            rests[f"no weight can be above {self.most:g}"] = None if self.cap is None else True
        return OffPolicyEstimate(
            float(terms.mean()),
            how.around(terms, length),
            method,
            self.size,
            len(terms),
            how.confidence,
            rests,
        )


def ips(
    log: Log,
    policy: Any,
    *,
    cap: float | None = None,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
) -> OffPolicyEstimate:
    """Inverse propensity scoring: `mean(w r)`, unbiased.

    Parameters: `log`, with propensities; `policy`, an action, one a row, a matrix of probabilities, a
    bandit or a function of the context; `cap`, the largest weight, which trades noise for bias;
    `interval`, "normal" or "bernstein"; `confidence` of it; `reward_range`, which "bernstein" needs.

    >>> log = Log([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0], propensities=[0.5, 0.5, 0.5, 0.5])
    >>> ips(log, 1).value
    0.5
    """
    how = Interval(interval, confidence, reward_range)
    how.check(log.rewards)
    weights = Weights(log, policy, cap)
    low, high = reward_range or (0.0, 1.0)
    length = weights.most * (max(high, 0.0) - min(low, 0.0))
    return weights.estimate("ips", weights.w * log.rewards, how, length)


def snips(
    log: Log,
    policy: Any,
    *,
    cap: float | None = None,
    confidence: float = 0.95,
) -> OffPolicyEstimate:
    """Self-normalised: `sum(w r) / sum(w)`, never outside the rewards, and the same if all rewards move.

    A little biased, usually far less noisy than `ips`. The interval is normal, by the delta method:
    the variance is `sum(w^2 (r - value)^2) / sum(w)^2`. Parameters: as of `ips`.

    >>> log = Log([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0], propensities=[0.5, 0.5, 0.5, 0.5])
    >>> snips(log, [0, 1, 0, 1]).value
    0.5
    """
    how, weights = Interval("normal", confidence), Weights(log, policy, cap)
    w, total = weights.w, float(weights.w.sum())
    value = float(w @ log.rewards) / total
    half = how.z * float(np.linalg.norm(w * (log.rewards - value))) / total
    known = len(log) > 1
    return OffPolicyEstimate(
        value,
        (value - half, value + half) if known else (-math.inf, math.inf),
        "snips",
        weights.size,
        len(log),
        confidence,
        weights.assumptions | how.assumptions(weights.size),
    )


def doubly_robust(
    log: Log,
    policy: Any,
    *,
    predictions: Any = None,
    cap: float | None = None,
    interval: str = "normal",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
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
    weights = Weights(log, policy, cap)
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
    # from low - W (high - low) to high + W (high - low)
    return weights.estimate("dr", terms, how, (high - low) * (1.0 + 2.0 * weights.most))


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
