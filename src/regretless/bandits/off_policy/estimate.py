"""An estimate with an interval, and what that rests on."""

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from regretless.arguments import check_entries, interval, one_of, outside, within
from regretless.run import Array

__all__ = ["Interval", "OffPolicyEstimate"]


@dataclass(frozen=True)
class OffPolicyEstimate:
    """What a policy brings in a round, as far as the log of another one tells.

    Attributes: `value`, the mean reward; `interval` around it, which `confidence` is of; `method`;
    `effective_sample_size`, as many rows of the policy's own would tell as much,
    `(sum w)^2 / sum w^2` of the weights w; `rows` of the log; `assumptions`, each with whether it held
    (None: that cannot be told from the log).

    >>> e = OffPolicyEstimate(0.5, (0.4, 0.6), "ips", 80.0, 100, 0.95, {"rows are independent": None})
    >>> e.holds
    True
    """

    value: float
    interval: tuple[float, float]
    method: str
    effective_sample_size: float
    rows: int
    confidence: float
    assumptions: dict[str, bool | None] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether no assumption is seen to fail."""
        return False not in self.assumptions.values()


@dataclass(frozen=True)
class Interval:
    """How intervals are made.

    "normal" trusts the central limit theorem: `mean +- z s / sqrt m`. "bernstein" holds for every number
    of rows, if terms are independent and within a range of length M (Maurer and Pontil 2009, on both
    sides): `mean +- (sqrt(2 s^2 log(4 / a) / m) + 7 M log(4 / a) / (3 (m - 1)))`, a = 1 - confidence.

    Parameters: `kind`; `confidence`; `reward_range`, which "bernstein" needs.

    >>> import numpy as np
    >>> Interval("normal", 0.95).around(np.array([0.0, 1.0, 0.0, 1.0]))
    (-0.06579..., 1.06579...)
    """

    kind: str = "normal"
    confidence: float = 0.95
    reward_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        one_of(self.kind, "interval", ("normal", "bernstein"))
        within(self.confidence, "confidence", "(0, 1)")
        if self.reward_range is not None:
            interval(self.reward_range, "reward_range")
        elif self.kind == "bernstein":
            raise ValueError(
                "interval='bernstein' needs reward_range=(low, high): what rewards can be, not what "
                "they were"
            )

    def check(self, rewards: Any, name: str = "rewards") -> None:
        """Raise `ValueError` if rewards are outside their range."""
        if self.reward_range is None:
            return
        right = ~outside(rewards, *self.reward_range)
        check_entries(rewards, right, name, f"is outside reward_range={self.reward_range}")

    def around(self, terms: Array, length: float = math.inf) -> tuple[float, float]:
        """The interval of the mean of independent terms, which are in a range of this length."""
        m, mean = len(terms), float(terms.mean())
        if m < 2:
            return (-math.inf, math.inf)
        s = float(terms.std(ddof=1))
        if self.kind == "normal":
            half = self.z * s / math.sqrt(m)
        else:
            log = math.log(4.0 / (1.0 - self.confidence))
            half = math.sqrt(2.0 * s * s * log / m) + 7.0 * length * log / (3.0 * (m - 1))
        return (mean - half, mean + half)

    @property
    def z(self) -> float:
        """The quantile of the normal distribution, on both sides."""
        return NormalDist().inv_cdf(0.5 + self.confidence / 2.0)

    def assumptions(self, size: float) -> dict[str, bool | None]:
        """What the interval rests on, for so many effective rows."""
        if self.kind == "bernstein":
            return {f"rewards are within {self.reward_range}": True}
        return {"enough rows for the normal approximation (30 effective ones)": bool(size >= 30)}
