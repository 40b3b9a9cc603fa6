"""Estimators of gradients from the values of a function, which is all that bandit feedback gives.

Shalev-Shwartz (2012), sections 4.1 to 4.3.

An estimator chooses what is played near the point `w`. From the loss there it makes a random vector `z`
whose mean is a gradient: of the loss itself, or of the loss smoothed over a small ball,
`f_hat(w) = E f(w + delta u)`, which is within `L delta` of it (Shalev-Shwartz (2012), Lemmas 4.3
and 4.4).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, finite, listed, positive, shown, within
from regretless.domains import Domain, Simplex
from regretless.geometry import Entropy, Euclidean, Geometry, PNorm, Quadratic


class Feedback(NamedTuple):
    """The loss suffered in a round, the estimated gradient, and whether the loss was as assumed."""

    suffered: float
    gradient: Array
    expected: bool


class Estimator(ABC):
    """A rule that plays near a point, and estimates the gradient there from the feedback."""

    normal: bool = True  # the distribution of the numbers that a round needs

    @abstractmethod
    def width(self, dimension: int) -> int:
        """How many random numbers a round needs."""

    @abstractmethod
    def choose(self, w: Array, draw: Array) -> Any:
        """The arm or point to play, given the point `w` and random numbers."""

    @abstractmethod
    def estimate(self, w: Array, draw: Array, value: Any) -> Feedback:
        """The feedback made of a value; `ValueError` if it is not a valid value."""

    def ask(self, loss: Callable[[Any], Any], played: Any) -> Any:
        """The value, or values, of a loss at what was played."""
        return loss(played)

    def linear(self, row: Array) -> Callable[[Any], Any]:
        """The linear loss `<row, .>` as a function of what is played."""
        return lambda point: float(point @ row)

    def at(self, loss: Callable[[Any], Any], u: Array) -> float:
        """The loss at a point of the domain."""
        return finite(loss(u), "loss")

    @abstractmethod
    def spread(self, geometry: Geometry, dimension: int) -> float:
        """A bound on the mean of `||z||^2` in the norm that bounds the regret; infinite if unknown."""

    def largest(self, diameter: float) -> float:
        """The largest possible regret of a round in a domain of this diameter; infinite if unknown."""
        return math.inf

    def bias(self) -> float:
        """The largest difference, in a round, between the losses and those that the gradient is of."""
        return 0.0

    def check(self, domain: Domain) -> None:  # noqa: B027 most play anywhere
        """Raise `ValueError` if the estimator cannot play in this domain."""

    @property
    @abstractmethod
    def assumption(self) -> str:
        """The assumption on the losses that the bound in expectation needs, if it can be checked."""


@dataclass(frozen=True)
class OneArm(Estimator):
    """One coordinate is drawn from `w`, a distribution, and its cost is seen: `z = y_i / w_i e_i`.

    `E z = y`, the costs of all arms, and with `Entropy` mirror descent is then the multi-armed bandit
    algorithm of Shalev-Shwartz (2012), section 4.2, known as Exp3. Costs are between 0 and 1: of a
    reward r give `1 - r`.

    >>> OneArm().estimate(np.array([0.5, 0.5]), np.array([0.7]), 0.6).gradient
    array([0. , 1.2])
    """

    normal = False

    def check(self, domain: Domain) -> None:
        if domain != Simplex():
            raise ValueError(
                f"domain={shown(domain)}: one arm can be drawn only from probabilities, Simplex()"
            )

    def width(self, dimension: int) -> int:
        return 1

    def choose(self, w: Array, draw: Array) -> int:
        return _core.drawn_index(np.ascontiguousarray(w, np.float64), draw[0])

    def estimate(self, w: Array, draw: Array, value: Any) -> Feedback:
        cost = within(value, "value", "[0, 1]", "; of a reward r give 1 - r")
        arm, z = self.choose(w, draw), np.zeros(len(w))
        z[arm] = cost / w[arm]
        return Feedback(cost, z, bool(w.min() > 0))

    def linear(self, row: Array) -> Callable[[Any], Any]:
        return lambda arm: float(row[arm])

    def at(self, loss: Callable[[Any], Any], u: Array) -> float:
        return math.fsum(p * loss(arm) for arm, p in enumerate(u.tolist()) if p)

    def largest(self, diameter: float) -> float:
        return 1.0

    def spread(self, geometry: Geometry, dimension: int) -> float:
        # in the local norm E sum_i w_i z_i^2 = sum_i y_i^2 (Shalev-Shwartz (2012), Corollary 4.2)
        return float(dimension) if geometry == Entropy() else math.inf

    @property
    def assumption(self) -> str:
        return "every arm has a probability above 0"


@dataclass(frozen=True)
class OnePoint(Estimator):
    """One value beside the point: play `w + delta v`, `z = (d / delta) f(w + delta v) v`.

    v is uniform on the unit sphere, and `E z` the gradient of the smoothed loss (Shalev-Shwartz
    (2012), Lemma 4.3), for quadratic losses that of the loss itself. `||z|| <= d (F / delta + L)`.

    Parameters: `delta > 0`, how far from w; for the bound in expectation `lipschitz` L of the losses, in
    the l2 norm, and `most`, F, of `|f|` in the domain (Shalev-Shwartz (2012) bounds f only from
    above, which does not bound its square).

    >>> OnePoint(0.5).estimate(np.zeros(2), np.array([3.0, 4.0]), 1.0).gradient
    array([2.4, 3.2])
    """

    delta: float
    lipschitz: float = 1.0
    most: float = 1.0

    def __post_init__(self) -> None:
        for name in ("delta", "lipschitz", "most"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

    def width(self, dimension: int) -> int:
        return dimension

    def choose(self, w: Array, draw: Array) -> Array:
        return np.asarray(w + self.delta * _direction(draw))

    def estimate(self, w: Array, draw: Array, value: Any) -> Feedback:
        f = finite(value, "value")
        z = len(w) / self.delta * f * _direction(draw)
        return Feedback(f, z, abs(f) <= (self.most + self.lipschitz * self.delta) * (1 + 1e-9))

    def largest(self, diameter: float) -> float:
        return self.lipschitz * (diameter + self.delta)

    def spread(self, geometry: Geometry, dimension: int) -> float:
        largest = dimension * (self.most / self.delta + self.lipschitz)
        return _squared(largest * _stretch(geometry))

    def bias(self) -> float:
        # f(w + delta v) <= f_hat(w) + 2 L delta and f_hat(u) <= f(u) + L delta
        return 3.0 * self.lipschitz * self.delta

    @property
    def assumption(self) -> str:
        return f"|f| is at most {self.most:g} in the domain, and grows no faster than its slope outside"


@dataclass(frozen=True)
class TwoPoint(OnePoint):
    """Two values: play `w + delta v` and `w - delta v`, suffer their mean,

    `z = (d / (2 delta)) (f(w + delta v) - f(w - delta v)) v`. Its mean is that of `OnePoint`, its length
    at most `d L` however small delta is. Parameters: see `OnePoint`.

    >>> TwoPoint(0.5).estimate(np.zeros(2), np.array([3.0, 4.0]), [1.0, 0.5]).gradient
    array([0.6, 0.8])
    """

    def choose(self, w: Array, draw: Array) -> Array:
        step = self.delta * _direction(draw)
        return np.stack([w + step, w - step])

    def ask(self, loss: Callable[[Any], Any], played: Any) -> Any:
        return [loss(point) for point in played]

    def estimate(self, w: Array, draw: Array, value: Any) -> Feedback:
        try:
            ahead, behind = listed(value, "value")
        except (TypeError, ValueError):
            raise ValueError(
                f"value={shown(value)} must be two numbers, one for each point played"
            ) from None
        ahead, behind = finite(ahead, "value"), finite(behind, "value")
        difference, distance = ahead - behind, 2.0 * self.delta
        # what rounding of f adds to a small difference is not the loss's fault
        most = self.lipschitz * distance * (1 + 1e-9) + 1e-12 * (abs(ahead) + abs(behind))
        z = len(w) / distance * difference * _direction(draw)
        return Feedback((ahead + behind) / 2.0, z, abs(difference) <= most)

    def spread(self, geometry: Geometry, dimension: int) -> float:
        return _squared(dimension * self.lipschitz * _stretch(geometry))

    @property
    def assumption(self) -> str:
        return f"every loss has slopes of at most {self.lipschitz:g}"


def _direction(draw: Array) -> Array:
    """A uniform point of the sphere, made of normal numbers."""
    return np.asarray(draw / np.sqrt(draw @ draw))


def _squared(number: float) -> float:
    """The square; infinite where it overflows."""
    return number * number


def _stretch(geometry: Geometry) -> float:
    """The largest dual norm of a point of the l2 sphere; infinite if unknown."""
    if isinstance(geometry, (Euclidean, Entropy, PNorm)):  # lp norms with p >= 2
        return 1.0
    if isinstance(geometry, Quadratic):
        A = geometry.matrix
        least = A.min() if A.ndim < 2 else np.linalg.eigvalsh(A)[0]
        return 1.0 / math.sqrt(float(least))
    return math.inf
