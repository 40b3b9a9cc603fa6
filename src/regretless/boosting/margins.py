"""What is proven of a boosted vote: training error, and the distribution of margins (thesis Thm 3)."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["MarginCertificate"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MarginCertificate:
    """How many training examples have small margins, and how many may have.

    The margin of an example is `y sum_t a_t h_t(x) / sum_t |a_t|`, in [-1, 1]; it is positive where the
    vote is right. Shares are by the weights of the examples.

    Attributes: `rounds`; `edge`, the mean of the edges; `error`, the training error; `bound` on it;
    `theorem`; `holds`, whether neither the error nor the share of any margin is above its bound, up to
    rounding.

    >>> from regretless.boosting import NHBoostDT
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> c = NHBoostDT(rounds=500).fit(X, [0, 0, 0, 1]).certificate()
    >>> c.error, round(c.bound, 3), c.holds
    (0.0, 0.014, True)
    >>> c.margin_error(0.25) <= c.margin_bound(0.25)
    True
    """

    rounds: int
    edge: float
    error: float
    theorem: str
    margins: Array = field(repr=False, compare=False)
    weights: Array = field(repr=False, compare=False)
    bounded: Callable[[float], float] = field(repr=False, compare=False)

    @property
    def bound(self) -> float:
        """The training error is at most this: the bound on the share of margins of 0 and less."""
        return self.margin_bound(0.0)

    def margin_bound(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta` is no larger than this."""
        return min(1.0, self.bounded(theta))

    def margin_error(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta`."""
        return float(self.weights[self.margins <= theta].sum())

    @property
    def holds(self) -> bool:
        """Whether nothing is above its bound."""
        order = np.argsort(self.margins, kind="stable")
        shares = np.cumsum(self.weights[order])
        bounds = [self.margin_bound(theta) for theta in self.margins[order].tolist()]
        return self.error <= self.bound + 1e-9 and bool((shares <= np.array(bounds) + 1e-9).all())
