"""The base of all losses, and of losses of a margin and of a residual."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, numbers
from regretless.base.options import call_of_fields

Real = TypeVar("Real", float, Array)


def _elementwise(function: Callable[..., Array], first: Real, *others: Real | float) -> Real:
    """Apply a function of arrays to floats or arrays; floats give a float."""
    arrays = np.broadcast_arrays(*(numbers(each, "an argument") for each in (first, *others)))
    result = function(*arrays) + 0.0  # turns -0.0 into 0.0
    return cast(Real, result if result.ndim else result.item())


def _require(held: NDArray[np.bool_], name: str, values: Array, remedy: str) -> None:
    """Name the first of `values` for which a condition does not hold."""
    if not np.all(held):
        raise ValueError(f"{name}={values[~held].flat[0]:g} {remedy}")


def on_interval(low: float, high: float, u: Array, inside: Array) -> Array:
    return np.where((u < low) | (u > high), math.inf, inside)


class Loss(ABC):
    """The base of all losses; scores and targets are floats or arrays that broadcast.

    A loss of your own defines `name`, `lipschitz`, `curvature`, and `phi`, `phi'`, `phi*` and the
    travel of `invariant_step` as functions of `z` (see the module's text). NaN propagates.
    """

    __slots__ = ()
    __repr__ = call_of_fields

    name: ClassVar[str]
    classification: ClassVar[bool | None]  # None: for neither task

    def value(self, score: Real, target: Real | float) -> Real:
        """The loss `phi(z)` of predicting `score` for the target `target`.

        >>> from regretless.losses import Hinge, Squared
        >>> Hinge().value(0.25, 1)
        0.75
        >>> Squared().value(np.array([0.0, 3.0]), 1.0)
        array([1., 4.])
        """

        def phi(s: Array, y: Array) -> Array:
            slope, origin = self._frame(y)
            return self._phi(slope * (s - origin))

        return _elementwise(phi, score, target)

    def derivative(self, score: Real, target: Real | float) -> Real:
        """The derivative with respect to the score, a subgradient at kinks: `slope * phi'(z)`.

        >>> from regretless.losses import Absolute, Hinge
        >>> Hinge().derivative(0.25, -1)
        1.0
        >>> Absolute().derivative(2.0, 2.0)
        0.0
        """

        def phi_prime(s: Array, y: Array) -> Array:
            slope, origin = self._frame(y)
            return slope * self._phi_prime(slope * (s - origin))

        return _elementwise(phi_prime, score, target)

    def conjugate(self, dual: Real, target: Real | float) -> Real:
        """The Fenchel conjugate `sup_s (dual * s - value(s, target))`, infinite off its domain.

        >>> from regretless.losses import Hinge
        >>> Hinge().conjugate(-0.5, 1)
        -0.5
        >>> Hinge().conjugate(0.5, 1)
        inf
        """

        def phi_star(d: Array, y: Array) -> Array:
            slope, origin = self._frame(y)
            return d * origin + self._phi_star(slope * d)

        return _elementwise(phi_star, dual, target)

    def invariant_step(
        self, score: Real, target: Real | float, h: Real | float, squared_norm: Real | float
    ) -> Real:
        """The coefficient `c` of the update `w -= c * x` that gives an example the weight `h`.

        It is the limit of cutting `h` into ever smaller gradient steps: the score obeys
        `ds/dh = -squared_norm * derivative(s)`, and `c = (s(0) - s(h)) / squared_norm`. So weight 2
        is the same as weight 1 twice, and no weight carries the score past the minimum.
        Karampatziakis and Langford, "Online Importance Weight Aware Updates" (2011).

        Parameters: `h >= 0`, the importance of the example times the learning rate;
        `squared_norm = ||x||^2 >= 0` (at 0 the score cannot move, and `c = h * derivative`).

        >>> from regretless.losses import Hinge, Squared
        >>> Squared().invariant_step(0.0, 1.0, h=100.0, squared_norm=2.0)
        -0.5
        >>> Hinge().invariant_step(0.0, 1.0, h=0.25, squared_norm=2.0)
        -0.25
        """

        def travel(s: Array, y: Array, h: Array, norm: Array) -> Array:
            for name, each in (("h", h), ("squared_norm", norm)):
                _require((each >= 0) & (each < math.inf), name, each, "must be finite and >= 0")
            slope, origin = self._frame(y)
            z = slope * (s - origin)
            fixed = norm == 0.0
            plain = h * self._phi_prime(np.where(fixed, z, 0.0))  # elsewhere it might overflow
            moving = self._travel(z, h, np.where(fixed, 1.0, norm))
            return slope * np.where(fixed, plain, moving)

        return _elementwise(travel, score, target, h, squared_norm)

    def exp_concavity(self, bound: float) -> float:
        """The largest `alpha` that makes `exp(-alpha * loss)` concave for `|score| <= bound`.

        Regression losses need `|target| <= bound` too. It is the least `phi''(z) / phi'(z)^2`, or 0
        if no `alpha` is possible. `bound > 0`.

        >>> from regretless.losses import Squared
        >>> Squared().exp_concavity(1.0)
        0.125
        """
        if not bound > 0:
            raise ValueError(f"bound={bound} must be positive: the largest |score| that can occur")
        return self._exp_concavity(bound)

    def probability(self, score: Real) -> Real:
        """The probability of `y = +1` at which `score` has the least expected loss.

        Only logistic, exponential and squared hinge are calibrated in this way; the other
        classification losses estimate a sign, and answer 0, 1/2 or 1.

        >>> from regretless.losses import Hinge, Logistic
        >>> Logistic().probability(0.0), Hinge().probability(0.1)
        (0.5, 1.0)
        """
        return _elementwise(self._probability, score)

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """The largest `|derivative|` over all scores; infinite if unbounded."""

    @property
    @abstractmethod
    def curvature(self) -> float:
        """The largest second derivative (the smoothness constant); infinite if there is a kink."""

    @property
    def strong_convexity(self) -> float:
        """The least second derivative: the `sigma` of strong convexity in the score."""
        return 0.0

    @abstractmethod
    def _frame(self, y: Array) -> tuple[Array, Array]:
        """The slope and origin of `s = origin + slope * z`."""

    @abstractmethod
    def _phi(self, z: Array) -> Array: ...

    @abstractmethod
    def _phi_prime(self, z: Array) -> Array: ...

    @abstractmethod
    def _phi_star(self, u: Array) -> Array: ...

    @abstractmethod
    def _travel(self, z: Array, h: Array, norm: Array) -> Array:
        """`(z(0) - z(h)) / norm` on the flow `dz/dh = -norm * phi'(z)`, for `norm > 0`."""

    def _exp_concavity(self, _bound: float) -> float:
        return 0.0

    def _probability(self, _s: Array) -> Array:
        raise ValueError(f"{self!r} is a regression loss: its scores do not give a probability")


class MarginLoss(Loss):
    """A classification loss: a function of the margin `z = y * s`."""

    __slots__ = ()
    classification = True

    def _frame(self, y: Array) -> tuple[Array, Array]:
        _require(np.abs(y) == 1.0, "target", y, "is not a label: use -1 and +1")
        return y, np.zeros_like(y)

    def _probability(self, s: Array) -> Array:
        return np.heaviside(s, 0.5)


class ResidualLoss(Loss):
    """A regression loss: a function of the residual `z = s - y`."""

    __slots__ = ()
    classification = False

    def _frame(self, y: Array) -> tuple[Array, Array]:
        return np.ones_like(y), y


class PiecewiseLinear(Loss):
    """A loss with straight sides and least value 0, hence with a flow of constant speed."""

    __slots__ = ()
    curvature = math.inf

    def _travel(self, z: Array, h: Array, norm: Array) -> Array:
        # The distance to the kink is phi / |phi'|: the passive-aggressive min(C, l / ||x||^2).
        slope = self._phi_prime(z)
        until_kink = self._phi(z) / (norm * np.where(slope == 0.0, 1.0, slope * slope))
        return slope * np.minimum(h, until_kink)


# --- the loss of an investor ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class LogWealth(Loss):
    """The loss of an investor whose wealth grows by the factor `s` in a day.

    `-log s`, `s = <w, x>` for the portfolio `w` and the price relatives `x`, today's prices over
    yesterday's; infinite at ruin. The sum of the losses is minus the logarithm of the wealth at the
    end. A given target is ignored. The loss is for players of `regretless.oco`.

    >>> LogWealth().value(1.0, 0.0), LogWealth().derivative(2.0, 0.0)
    (0.0, -0.5)
    >>> LogWealth().exp_concavity(1.0)
    1.0
    """

    name = "log_wealth"
    classification = None
    lipschitz = math.inf
    curvature = math.inf

    def _frame(self, y: Array) -> tuple[Array, Array]:
        return np.ones_like(y), np.zeros_like(y)

    def _phi(self, z: Array) -> Array:
        with np.errstate(divide="ignore"):
            return -np.log(np.maximum(z, 0.0))

    def _phi_prime(self, z: Array) -> Array:
        with np.errstate(divide="ignore"):
            return -1.0 / np.maximum(z, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return np.where(u < 0.0, -1.0 - np.log(np.where(u < 0.0, -u, 1.0)), math.inf)

    def _travel(self, z: Array, h: Array, norm: Array) -> Array:
        return (z - np.sqrt(z * z + 2.0 * norm * h)) / norm

    def _exp_concavity(self, _bound: float) -> float:
        return 1.0  # e^{-loss} = s is linear
