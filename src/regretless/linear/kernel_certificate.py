"""What the Perceptron's theorems say of a run in the space of a kernel."""

import math
from dataclasses import dataclass, field

import numpy as np

from regretless.arguments import positive
from regretless.linear.model import Array

__all__ = ["KernelCertificate", "Lane"]


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
class KernelCertificate:
    """How many updates a kernel Perceptron can have made, by what any function `h` does on them.

    For every `h` of norm 1 in the space of the kernel and every `rho > 0`, with the losses
    `l_t = max(0, 1 - y_t h(x_t) / rho)` over the update rounds only, `r` the largest
    `sqrt(K(x_t, x_t))` of these rounds:

        separable   M <= r^2 / rho^2,  if all l_t = 0               (mohri Thm 8.8)
        l1          M <= ((r/rho + sqrt(r^2/rho^2 + 4 ||l||_1)) / 2)^2   (Thm 8.11)
        l2          M <= (r/rho + ||l||_2)^2                        (Thm 8.12)
        data        M <= ||l||_1 + sqrt(sum K(x_t, x_t)) / rho      (Ex. 8.11)

    With several classes each lane is a Perceptron of its own, and the bounds are added up.

    Attributes: `examples` learned; `lanes`, the run of each lane; `theorem`; `assumptions`, each with
    whether it held.

    >>> lane = Lane(4, 4.0, 1.0, 2.0, margins=np.array([0.5]), counts=np.array([4.0]))
    >>> c = KernelCertificate(examples=9, lanes=(lane,))
    >>> c.updates, c.bounds(rho=0.5)["separable"], c.holds
    (4, 4.0, True)
    """

    examples: int
    lanes: tuple[Lane, ...]
    assumptions: dict[str, bool] = field(default_factory=dict)
    theorem: str = "mohri Thms 8.8, 8.11, 8.12 and Ex. 8.11 in the space of the kernel"

    @property
    def updates(self) -> int:
        """M, of all lanes together."""
        return sum(lane.updates for lane in self.lanes)

    def bounds(self, rho: float | None = None) -> dict[str, float]:
        """The bounds on `updates` by name, for the margin `rho`; by default each at its best.

        >>> lane = Lane(1, 1.0, 1.0, 1.0, np.array([1.0]), np.array([1.0]))
        >>> KernelCertificate(1, (lane,)).bounds()["separable"]
        1.0
        """
        total = {"separable": 0.0, "l1": 0.0, "l2": 0.0, "data": 0.0}
        for lane in (lane for lane in self.lanes if lane.updates):
            tried = lane.candidates() if rho is None else np.array([positive(rho, "rho")])
            for name, values in lane.bounds(tried).items():
                total[name] += float(values.min())
        return total

    @property
    def bound(self) -> float:
        """The smallest of the bounds."""
        return min(self.bounds().values())

    @property
    def holds(self) -> bool:
        """Whether every assumption held, and the number of updates is within the bound."""
        return all(self.assumptions.values()) and self.updates <= self.bound * (1 + 1e-9)
