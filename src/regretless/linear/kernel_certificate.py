"""What the Perceptron's theorems say of a run in the space of a kernel."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from regretless.arguments import positive
from regretless.certificates import Certificate
from regretless.linear.model import Array

__all__ = ["KernelCertificate", "Lane"]

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Lane:
    """One lane's run against one comparator `h` of norm 1.

    Attributes: `updates`, M; `squares`, the sum of `K(x_t, x_t)` over the update rounds; `radius`, the
    largest `sqrt(K(x_t, x_t))` of them; `norm`, that of the weights; `margins`, the values `y_t h(x_t)`
    that occurred in update rounds, and `counts`, in how many.
    """

    updates: int
    squares: float
    radius: float
    norm: float
    margins: Array
    counts: Array

    def bounds(self, rho: Array) -> dict[str, Array]:
        """The bounds on M by name, for each margin of `rho`."""
        a = self.radius / rho
        hinge = np.maximum(0.0, 1.0 - self.margins / rho[:, None])
        l1 = hinge @ self.counts
        l2 = np.sqrt(hinge**2 @ self.counts)
        return {
            "separable": np.where(l1 > 0.0, math.inf, a**2),
            "l1": ((a + np.sqrt(a**2 + 4.0 * l1)) / 2.0) ** 2,
            "l2": (a + l2) ** 2,
            "data": l1 + math.sqrt(self.squares) / rho,
        }

    def candidates(self) -> Array:
        """Margins to try: every one is valid, the best is among the margins met or near the radius."""
        radius = self.radius or 1.0
        met = self.margins[self.margins > 0.0]
        return np.concatenate([radius * np.geomspace(1e-4, 1e4, 257), met[:1024]])


@dataclass(frozen=True)
class KernelCertificate(Certificate):
    """How many updates a kernel Perceptron can have made, by what one function `h` does on them.

    For every `h` of norm 1 in the space of the kernel and every `rho > 0`, with the losses
    `l_t = max(0, 1 - y_t h(x_t) / rho)` over the update rounds only, `r` the largest
    `sqrt(K(x_t, x_t))` of these rounds:

        separable   M <= r^2 / rho^2,  if all l_t = 0               (Theorem 8.8)
        l1          M <= ((r/rho + sqrt(r^2/rho^2 + 4 ||l||_1)) / 2)^2   (Thm 8.11)
        l2          M <= (r/rho + ||l||_2)^2                        (Thm 8.12)
        data        M <= ||l||_1 + sqrt(sum K(x_t, x_t)) / rho      (Ex. 8.11)

    With several classes each lane is a Perceptron of its own, and the bounds are added up.

    Attributes: those of `Certificate`, and `lanes`, the run of each lane; `against`, the coefficients of
    h that were given, or None for the weights themselves.

    >>> lane = Lane(4, 4.0, 1.0, 2.0, margins=np.array([0.5]), counts=np.array([4.0]))
    >>> c = KernelCertificate.of(9, (lane,), margin=0.5)
    >>> c.updates, c.bounds["separable"], c.holds
    (4, 4.0, True)
    """

    lanes: tuple[Lane, ...] = ()

    @classmethod
    def of(
        cls,
        rounds: int,
        lanes: tuple[Lane, ...],
        *,
        margin: float | None = None,
        assumptions: dict[str, bool | None] | None = None,
        against: Any = None,
    ) -> Self:
        """The certificate of some lanes, for the margin rho; by default each bound at its best.

        >>> lane = Lane(1, 1.0, 1.0, 1.0, np.array([1.0]), np.array([1.0]))
        >>> KernelCertificate.of(1, (lane,)).bounds["separable"]
        1.0
        """
        total = {"separable": 0.0, "l1": 0.0, "l2": 0.0, "data": 0.0}
        for lane in (lane for lane in lanes if lane.updates):
            tried = lane.candidates() if margin is None else np.array([positive(margin, "margin")])
            for name, values in lane.bounds(tried).items():
                total[name] += float(values.min())
        updates = sum(lane.updates for lane in lanes)
        whose = "the weights themselves" if against is None else "the given function"
        return cls(
            rounds,
            None,
            total,
            "Mohri et al. (2018), Theorems 8.8, 8.11, 8.12, Exercise 8.11",
            assumptions or {},
            f"{whose}, scaled to norm 1",
            against,
            # margins are sums of a kernel value for each update, and so is the norm
            16.0 * _EPS * (updates + 2) * min(total.values()),
            lanes=lanes,
        )

    @property
    def updates(self) -> int:
        """M, of all lanes together."""
        return sum(lane.updates for lane in self.lanes)

    @property
    def measured(self) -> float:
        """The number of updates."""
        return self.updates
