"""What is proven of a boosted vote: training error, and the distribution of margins.

Luo (2016), Theorem 3.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regretless.certificates import Certificate, verdict
from regretless.experts.potentials import normal_scale

__all__ = ["MarginCertificate"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MarginCertificate(Certificate):
    """How many training examples have small margins, and how many may have.

    The margin of an example is `y sum_t a_t h_t(x) / sum_t |a_t|`, in [-1, 1]; it is positive where the
    vote is right. Shares are by the weights of the examples.

    Attributes: those of `Certificate`; `error`, the training error, which `bounds` are on;
    `booster`, whose theorem it is; `edges`, the sum of the edges of all rounds; `votes`, the sum of
    `|a_t|`; `errors`, the sum of the logarithms of `sqrt(1 - 4 gamma_t^2)`; `scale`, the c of
    `NHBoost`; `even`, whether the examples weigh the same; `margins` of the examples and their
    `weights`. `holds` says whether neither the error nor the share of any margin is above its
    bound. There is no regret: nothing is compared with.

    >>> from regretless.boosting import NHBoostDT
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> c = NHBoostDT(rounds=500).fit(X, [0, 0, 0, 1]).certificate()
    >>> c.error, round(c.bound, 3), c.holds
    (0.0, 0.014, True)
    >>> c.margin_error(0.25) <= c.margin_bound(0.25)
    True
    """

    error: float = 0.0
    booster: str = ""
    edges: float = 0.0
    votes: float = 0.0
    errors: float = 0.0
    scale: float = 0.0
    even: bool = True
    margins: Array = field(default_factory=lambda: np.empty(0), repr=False)
    weights: Array = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def measured(self) -> float:
        """The training error."""
        return self.error

    @property
    def edge(self) -> float:
        """The mean of the edges."""
        return self.edges / self.rounds if self.rounds else 0.0

    def margin_bound(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta` is no larger than this."""
        return min(1.0, _BOUNDS[self.booster](self, theta))

    def margin_error(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta`."""
        return float(self.weights[self.margins <= theta].sum())

    @property
    def holds(self) -> bool | None:
        """Whether nothing is above its bound."""
        order = np.argsort(self.margins, kind="stable")
        shares = np.cumsum(self.weights[order])
        bounds = [self.margin_bound(theta) for theta in self.margins[order].tolist()]
        kept = bool((shares <= np.array(bounds) + self.rounding).all())
        return verdict(self.assumptions, self.error, self.bound) if kept else False


def exponential(c: MarginCertificate, theta: float) -> float:
    """Of AdaBoost: `e^{theta sum |alpha|} prod sqrt(1 - 4 gamma^2)`."""
    if theta >= 1:
        return 1.0
    if c.errors == -math.inf:
        return 0.0
    return math.exp(min(0.0, theta * c.votes + c.errors))


def without_horizon(c: MarginCertificate, theta: float) -> float:
    """Of NHBoostDT, Luo (2016), Theorem 3: `c / (e^{T (2 gamma - theta)^2 / 12} - 1)`."""
    T = c.rounds
    ahead = 2.0 * c.edges - T * theta
    if not ahead > 0:
        return 1.0
    charged = 0.5 * float(np.expm1(4.0 / (3.0 * np.arange(1, T + 1))).sum())
    return charged / math.expm1(min(ahead**2 / (12.0 * T), 700.0))


def normal(c: MarginCertificate, theta: float) -> float:
    """Of NHBoost: `e^{1 - T^2 (2 gamma - theta)^2 / (4 c)}` with what c is at most.

    That is `experts.potentials.normal_scale`, as every example is an expert, with an even prior.
    """
    ahead = c.edges - c.rounds * theta / 2.0
    if not ahead > 0 or not c.even:
        return 1.0
    most = normal_scale(c.rounds, max(len(c.weights), 1))
    return math.exp(min(0.0, 1.0 - ahead**2 / most))


_BOUNDS = {"AdaBoost": exponential, "NHBoostDT": without_horizon, "NHBoost": normal}
