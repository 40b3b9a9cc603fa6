"""An estimate with an interval, and what that rests on."""

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from regretless.arguments import check_entries, interval, one_of, outside, within
from regretless.certificates import verdict
from regretless.run import Array

__all__ = ["KINDS", "Interval", "OffPolicyEstimate"]

KINDS = ("normal", "bernstein", "chernoff")
_RATES = 2.0 ** -np.arange(1, 15)  # of the exponential inequality: from 1/2 on, for up to 10^8 rows


@dataclass(frozen=True)
class OffPolicyEstimate:
    """What a policy brings in a round, as far as the log of another one tells.

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
