"""Off-policy evaluation: the reward that a policy would have earned, from the log of another policy.

`Log` holds contexts, actions, rewards and propensities. `evaluate` estimates the mean reward of a policy
from it, with an interval and the assumptions behind it. Replay is that of Li, Chu, Langford and Wang
(2011), the doubly robust estimate that of Dudik, Langford and Li (2011).
"""

import copy
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import (
    Array,
    check_entries,
    distributions,
    interval,
    one_of,
    outside,
    positive,
    sound,
    table,
    whole,
    within,
)
from regretless.certificates import verdict

__all__ = ["Log", "OffPolicyEstimate", "doubly_robust", "evaluate", "ips", "replay", "snips"]

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
    ValueError: actions[1] = 1.5 is not a whole number of at least 0: actions are counted from 0
    """
    array = table(values, name, (None,))
    right = ~outside(array, 0, 2**31) & (array == np.floor(array))
    remedy = "is not a whole number of at least 0: actions are counted from 0"
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


# --- an estimate with an interval, and what that rests on -----------------------------------------

KINDS = ("normal", "bernstein", "chernoff")
_RATES = 2.0 ** -np.arange(1, 15)  # of the exponential inequality: from 1/2 on, for up to 10^8 rows


@dataclass(frozen=True)
class OffPolicyEstimate:
    """The mean reward of a policy in a round, estimated from the log of another policy.

    Attributes: `value`, the mean reward; `interval` around it, which `confidence` is of, from -inf to
    inf if an assumption failed; `method`; `effective_sample_size`, as many rows of the policy's own
    would tell as much, `(sum w)^2 / sum w^2` of the weights w; `rows` of the log; `assumptions`, each
    True, False, or None if the log cannot tell. `holds`: False if an assumption failed, None if one
    cannot be told.

    >>> e = OffPolicyEstimate(0.5, (0.4, 0.6), "ips", 80.0, 100, 0.95, {"rows are independent": None})
    >>> print(e.holds)
    None
    """

    value: float
    interval: tuple[float, float]
    method: str
    effective_sample_size: float
    rows: int
    confidence: float
    assumptions: dict[str, bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.holds is False:
            object.__setattr__(self, "interval", (-math.inf, math.inf))

    @property
    def holds(self) -> bool | None:
        """False if an assumption is seen to fail, None if one cannot be told, else True."""
        return verdict(self.assumptions, 0.0, 0.0)


@dataclass(frozen=True)
class Interval:
    """How intervals are made, for terms X_t with the mean v, whatever came before them.

    "normal" trusts the central limit theorem: `mean +- z s / sqrt m`. It is approximate, and too short
    where a few rows decide: rare rewards, heavy weights.

    "bernstein" holds for every number of rows, if terms are within [0, 1] after scaling: with
    `psi(r) = -log(1 - r) - r` and `c_t` the mean of the terms before, for each rate r < 1
    `exp(r sum (X_t - v) - psi(r) sum (X_t - c_t)^2)` has a mean of at most 1 (Howard, Ramdas, McAuliffe
    and Sekhon 2021, empirical Bernstein). It is short if terms vary little. Terms may depend on those
    before, and so may their means, of which it then covers the mean.

    "chernoff" holds for every number of rows, if all terms have the same mean (Hoeffding 1963):
    `m kl(mean, v) <= log(2 / a)` of terms within [0, 1], a = 1 - confidence. For rewards of 0 and 1
    it is hardly longer than that of Clopper and Pearson, also if all are 0.

    Parameters: `kind`; `confidence`; `reward_range`, which the last two need.

    >>> Interval("normal", 0.95).around(np.array([0.0, 1.0, 0.0, 1.0]), (0.0, 1.0))
    (-0.06579..., 1.06579...)
    >>> low, high = Interval("chernoff", 0.95, (0.0, 1.0)).around(np.zeros(100), (0.0, 1.0))
    >>> low, round(high, 3)  # no click in 100 rows
    (0.0, 0.036)
    """

    kind: str = "normal"
    confidence: float = 0.95
    reward_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        one_of(self.kind, "interval", KINDS)
        within(self.confidence, "confidence", "(0, 1)")
        if self.reward_range is not None:
            interval(self.reward_range, "reward_range")
        elif not self.approximate:
            raise ValueError(
                f"interval={self.kind!r} needs reward_range=(low, high): what rewards can be, not what "
                "they were"
            )

    @property
    def approximate(self) -> bool:
        """Whether it is right only for many rows."""
        return self.kind == "normal"

    @property
    def z(self) -> float:
        """The quantile of the normal distribution, on both sides."""
        return NormalDist().inv_cdf(0.5 + self.confidence / 2.0)

    def check(self, rewards: Any, name: str = "rewards") -> None:
        """Raise `ValueError` if rewards are outside their range."""
        if self.reward_range is None:
            return
        right = ~outside(rewards, *self.reward_range)
        check_entries(rewards, right, name, f"is outside reward_range={self.reward_range}")

    def around(
        self, terms: Array, ends: tuple[float, float], share: float = 1.0
    ) -> tuple[float, float]:
        """The interval of the mean of terms that lie between these ends.

        `share`: of the probability that it may fail, if several intervals must hold together.
        """
        m, chance = len(terms), share * (1.0 - self.confidence)
        if self.kind == "normal":
            s = float(terms.std(ddof=1)) if m > 1 else math.inf
            half = NormalDist().inv_cdf(1.0 - chance / 2.0) * s / math.sqrt(m)
            return float(terms.mean()) - half, float(terms.mean()) + half
        low, width = ends[0], ends[1] - ends[0]
        if not width < math.inf:
            return -math.inf, math.inf
        x = np.clip((terms - low) / width, 0.0, 1.0)
        below, above = (_chernoff if self.kind == "chernoff" else _bernstein)(x, chance / 2.0)
        return low + width * below, low + width * above

    def assumptions(self, size: float, varied: bool) -> dict[str, bool | None]:
        """What the interval rests on, of so many effective rows, which `varied` or were all alike."""
        if not self.approximate:
            return {f"rewards are within {self.reward_range}": True}
        enough = None if size >= 30 and varied else False
        return {"enough rows for the normal approximation (30 effective ones that differ)": enough}


def _bernstein(x: Array, chance: float) -> tuple[float, float]:
    """Each end fails with probability `chance` at most."""
    m, mean = len(x), float(x.mean())
    before = np.concatenate([[0.5], np.cumsum(x)[:-1]])
    before[1:] /= np.arange(1, m)
    variance = float(((x - before) ** 2).sum())
    needed = math.log(len(_RATES) / chance)  # for all rates together
    half = float(np.min((needed + (-np.log1p(-_RATES) - _RATES) * variance) / _RATES)) / m
    return max(0.0, mean - half), min(1.0, mean + half)


def _chernoff(x: Array, chance: float) -> tuple[float, float]:
    """Each end fails with probability `chance` at most."""
    mean, most = float(x.mean()), -math.log(chance) / len(x)
    ends = []
    for limit in (0.0, 1.0):
        inside, beyond = mean, limit
        for _ in range(60):  # the divergence grows away from the mean
            middle = (inside + beyond) / 2.0
            inside, beyond = (middle, beyond) if _kl(mean, middle) <= most else (inside, middle)
        ends.append(beyond)
    return ends[0], ends[1]


def _kl(p: float, q: float) -> float:
    """The divergence of coins with these chances."""
    found = 0.0
    for a, b in ((p, q), (1.0 - p, 1.0 - q)):
        if a > 0.0:
            found += a * math.log(a / b) if b > 0.0 else math.inf
    return found


# --- replay: play through a log, and count only the rows in which the policy does what was --------


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
    is "reward" is told rewards, `update(reward=r)`, others losses. Other parameters:
    see `ips`.

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
        raise ValueError("the policy never takes a logged action, so this log cannot evaluate it")
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


# --- estimates that weigh logged rewards by how much likelier the policy makes them ---------------

# `w = pi(a | x) / p`, p the propensity of the logged action a: rewards of what the policy would do more
# often count more. In the mean over logs, `E w = 1` and `E w r` is the value of the policy, if it plays
# nothing that could not be logged.

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
            raise ValueError(
                "the policy never takes a logged action, so this log cannot evaluate it"
            )
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
    terms `w (r - v)`, whose mean is 0 for the value of the policy, covers 0. Parameters: see `ips`.

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
    the log predicted by the other. Other parameters: see `ips`.

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


# --- one door to all estimates --------------------------------------------------------------------

METHODS: dict[str, Callable[..., OffPolicyEstimate]] = {
    "replay": replay,
    "ips": ips,
    "snips": snips,
    "dr": doubly_robust,
}


def evaluate(log: Log, policy: Any, method: str = "snips", **options: Any) -> OffPolicyEstimate:
    """Estimate the mean reward of a policy in a round from the log of another policy.

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
