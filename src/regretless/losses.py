"""Losses of a score `s` (the scalar a model predicts) against a target `y`.

The losses are those of Shalev-Shwartz, "Online Learning and Online Convex Optimization" (2011),
and of Shalev-Shwartz and Singer, "A Primal-Dual Perspective of Online Learning Algorithms" (2007),
whose eq. 1 gives the hinge its margin; the pinball and epsilon-insensitive losses are added.

Each is a function `phi(z)` of a single number `z`, the score seen from the target:

    s = origin + slope * z,  slope = -1 or +1
    classification, y = -1 or +1:  the margin    z = y * s   (origin 0, slope y)
    regression, y real:            the residual  z = s - y   (origin y, slope 1)

so that with `phi'` and the conjugate `phi*` known, everything else follows:

    derivative = slope * phi'(z),    conjugate(dual) = dual * origin + phi*(slope * dual).
"""

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import number, positive

__all__ = [
    "Absolute",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "LogWealth",
    "Logistic",
    "Loss",
    "Perceptron",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "ZeroOne",
    "compiled",
    "get",
]

Array: TypeAlias = NDArray[np.float64]
Real = TypeVar("Real", float, Array)


def _elementwise(function: Callable[..., Array], first: Real, *others: Real | float) -> Real:
    """Apply a function of arrays to floats or arrays; floats give a float."""
    arrays = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (first, *others)))
    result = function(*arrays) + 0.0  # no -0.0 for the reader
    return cast(Real, result if result.ndim else result.item())


def _require(held: NDArray[np.bool_], name: str, values: Array, remedy: str) -> None:
    """Name the first of `values` for which a condition does not hold."""
    if not np.all(held):
        raise ValueError(f"{name}={values[~held].flat[0]:g} {remedy}")


def _sigmoid(x: Array) -> Array:
    # not 1 / (1 + exp(-x)), which overflows, nor (1 + tanh(x / 2)) / 2, which loses the left tail
    return np.exp(-np.logaddexp(0.0, -x))


def _x_log_x(x: Array) -> Array:
    return x * np.log(np.where(x <= 0.0, 1.0, x))


def _on_interval(low: float, high: float, u: Array, inside: Array) -> Array:
    return np.where((u < low) | (u > high), math.inf, inside)


class Loss(ABC):
    """What all losses have in common; scores and targets are floats or arrays that broadcast.

    A loss of your own gives `name`, `lipschitz`, `curvature`, and `phi`, `phi'`, `phi*` and the
    travel of `invariant_step` as functions of `z` (see the module's text). NaN propagates.
    """

    __slots__ = ()

    name: ClassVar[str]
    classification: ClassVar[bool | None]  # None: neither that nor regression

    def value(self, score: Real, target: Real | float) -> Real:
        """The loss of predicting `score` when `target` is the truth: `phi(z)`.

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

        Regression losses need `|target| <= bound` too. It is the least `phi''(z) / phi'(z)^2`, and
        0 where there is none. `bound > 0`.

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
        raise ValueError(f"{self!r} is a regression loss: its scores are not about a probability")


class _MarginLoss(Loss):
    """A classification loss: a function of the margin `z = y * s`."""

    __slots__ = ()
    classification = True

    def _frame(self, y: Array) -> tuple[Array, Array]:
        _require(np.abs(y) == 1.0, "target", y, "is not a label: use -1 and +1")
        return y, np.zeros_like(y)

    def _probability(self, s: Array) -> Array:
        return np.heaviside(s, 0.5)


class _ResidualLoss(Loss):
    """A regression loss: a function of the residual `z = s - y`."""

    __slots__ = ()
    classification = False

    def _frame(self, y: Array) -> tuple[Array, Array]:
        return np.ones_like(y), y


class _PiecewiseLinear(Loss):
    """A loss with straight sides and least value 0, hence with a flow of constant speed."""

    __slots__ = ()
    curvature = math.inf

    def _travel(self, z: Array, h: Array, norm: Array) -> Array:
        # The way to the kink is phi / |phi'|: this is the passive-aggressive min(C, l / ||x||^2).
        slope = self._phi_prime(z)
        until_kink = self._phi(z) / (norm * np.where(slope == 0.0, 1.0, slope * slope))
        return slope * np.minimum(h, until_kink)


@dataclass(frozen=True, slots=True)
class _HingeShaped(_MarginLoss):
    """A function of how far the margin falls short of the wanted one."""

    margin: float = 1.0

    def __post_init__(self) -> None:
        positive(self.margin, "margin", "; 1.0 is usual")

    def _shortfall(self, m: Array) -> Array:
        return np.maximum(0.0, self.margin - m)


@dataclass(frozen=True, slots=True)
class Logistic(_MarginLoss):
    """The negative log-likelihood of a label; scores are log-odds.

    `log(1 + exp(-y s))`, `y = -1 or +1`, computed without overflow.

    >>> round(Logistic().value(0.0, 1), 6)
    0.693147
    >>> Logistic().curvature
    0.25
    """

    name = "logistic"
    lipschitz = 1.0
    curvature = 0.25

    def _phi(self, m: Array) -> Array:
        return np.logaddexp(0.0, -m)

    def _phi_prime(self, m: Array) -> Array:
        return -_sigmoid(-m)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-1.0, 0.0, u, _x_log_x(-u) + _x_log_x(1.0 + u))

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        from scipy.special import wrightomega  # here, because importing scipy is slow

        # The margin at the end solves end + e^end = a, so e^end = omega(a), Wright's omega. The one
        # at the start is capped lest e^m overflow; beyond, the loss is 0 to 300 digits.
        m, way = np.minimum(m, 700.0), norm * h
        e = np.exp(m)
        a = m + e + way
        omega: Array = wrightomega(a)
        # log(omega) = a - omega, but each loses its digits where the other is used
        far = np.where(a > 1.0, np.log(np.maximum(omega, 1.0)), a - omega) - m
        # A short way drowns in the rounding of m: one Newton step on d + e (e^d - 1) = way gives
        # the digits back. As e^d - 1 >= d, the root is at most way / (1 + e).
        near = np.clip(far, 0.0, np.minimum(1.0, way / (1.0 + e)))
        near -= (near + e * np.expm1(near) - way) / (1.0 + e * np.exp(near))
        return -np.where(far < 1.0, near, far) / norm

    def _exp_concavity(self, bound: float) -> float:
        return math.exp(-bound)  # phi'' / phi'^2 = e^m

    def _probability(self, s: Array) -> Array:
        return _sigmoid(s)


@dataclass(frozen=True, slots=True)
class Hinge(_HingeShaped, _PiecewiseLinear):
    """The loss of support vector machines and of passive-aggressive learners.

    `max(0, margin - y s)`, `y = -1 or +1`; derivative `-y` if `y s < margin`, else 0. A mistake
    costs at least `margin`, so for `margin >= 1` it is an upper bound of the zero-one loss.

    Parameters: `margin > 0`, the wanted `y s` (gamma in the primal-dual text; default 1).

    >>> Hinge(margin=2.0).value(0.5, 1)
    1.5
    """

    name = "hinge"
    lipschitz = 1.0

    def _phi(self, m: Array) -> Array:
        return self._shortfall(m)

    def _phi_prime(self, m: Array) -> Array:
        return -np.heaviside(self.margin - m, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-1.0, 0.0, u, self.margin * u)


@dataclass(frozen=True, slots=True)
class SquaredHinge(_HingeShaped):
    """The hinge squared: smooth, and its scores tell a probability.

    `max(0, margin - y s)^2`, `y = -1 or +1`; derivative `-2 y max(0, margin - y s)`.

    Parameters: `margin > 0`, the wanted `y s` (default 1).

    >>> SquaredHinge().value(0.5, -1), SquaredHinge().probability(0.5)
    (2.25, 0.75)
    """

    name = "squared_hinge"
    lipschitz = math.inf
    curvature = 2.0

    def _phi(self, m: Array) -> Array:
        return self._shortfall(m) ** 2

    def _phi_prime(self, m: Array) -> Array:
        return -2.0 * self._shortfall(m)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-math.inf, 0.0, u, self.margin * u + u * u / 4.0)

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        return self._shortfall(m) * np.expm1(-2.0 * norm * h) / norm

    def _exp_concavity(self, bound: float) -> float:
        return 0.5 / (self.margin + bound) ** 2  # phi'' / phi'^2 = 1 / (2 (margin - m)^2)

    def _probability(self, s: Array) -> Array:
        return np.clip((1.0 + s / self.margin) / 2.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Exponential(_MarginLoss):
    """The loss of AdaBoost; scores are half log-odds.

    `exp(-y s)`, `y = -1 or +1`; infinite in floating point below a margin of -709.

    >>> Exponential().value(0.0, 1), Exponential().exp_concavity(0.5) == math.exp(-0.5)
    (1.0, True)
    """

    name = "exponential"
    lipschitz = math.inf
    curvature = math.inf

    def _phi(self, m: Array) -> Array:
        return np.exp(-m)

    def _phi_prime(self, m: Array) -> Array:
        return -np.exp(-m)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-math.inf, 0.0, u, _x_log_x(-u) + u)

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        with np.errstate(divide="ignore"):  # log(0) = -inf is what weight 0 means
            return -np.logaddexp(0.0, np.log(norm * h) - m) / norm  # log(1 + norm h e^-m)

    def _exp_concavity(self, bound: float) -> float:
        return math.exp(-bound)  # phi'' / phi'^2 = e^m

    def _probability(self, s: Array) -> Array:
        return _sigmoid(2.0 * s)


@dataclass(frozen=True, slots=True)
class Perceptron(_MarginLoss):
    """The conservative hinge, whose gradient descent is the Perceptron (survey, Theorem 3.9).

    `1 - y s` and derivative `-y` if `y s <= 0` (a mistake), else 0; `y = -1 or +1`. It bounds the
    zero-one loss from above. As a function of the score it jumps at 0; it is convex once the set of
    mistaken rounds is fixed, as in the theorem: the hinge on those, 0 on the others. So it has no
    conjugate, its constants are those of the hinge, and `invariant_step` is plain: `-y h` on a
    mistake (a flow would halt at score 0, where learning must start).

    >>> Perceptron().value(0.0, 1), Perceptron().value(0.1, 1)
    (1.0, 0.0)
    """

    name = "perceptron"
    lipschitz = 1.0
    curvature = math.inf

    def _phi(self, m: Array) -> Array:
        return np.where(m > 0.0, 0.0, 1.0 - m)

    def _phi_prime(self, m: Array) -> Array:
        return -np.heaviside(-m, 1.0)

    def _phi_star(self, _u: Array) -> Array:
        raise ValueError("Perceptron() is not convex in the score: no conjugate; use Hinge()")

    def _travel(self, m: Array, h: Array, _norm: Array) -> Array:
        return h * self._phi_prime(m)


@dataclass(frozen=True, slots=True)
class ZeroOne(_MarginLoss):
    """One for a mistake, else nothing: what classification is judged by.

    1 if `y s <= 0`, else 0; `y = -1 or +1`. Neither convex nor continuous, so it has a value and
    nothing to learn from: `derivative`, `conjugate` and `invariant_step` raise `ValueError`.

    >>> ZeroOne().value(np.array([-2.0, 0.0, 3.0]), 1)
    array([1., 1., 0.])
    """

    name = "zero_one"
    lipschitz = math.inf
    curvature = math.inf
    strong_convexity = -math.inf

    def _phi(self, m: Array) -> Array:
        return np.heaviside(-m, 1.0)

    def _phi_prime(self, _m: Array) -> Array:
        raise ValueError("ZeroOne() is not convex and can only be evaluated; learn with Hinge()")

    def _phi_star(self, u: Array) -> Array:
        return self._phi_prime(u)

    def _travel(self, m: Array, _h: Array, _norm: Array) -> Array:
        return self._phi_prime(m)


@dataclass(frozen=True, slots=True)
class Squared(_ResidualLoss):
    """The loss of least squares; its best score is the mean.

    `(s - y)^2`, without a half: derivative `2 (s - y)`, strong convexity and curvature 2.

    >>> Squared().derivative(3.0, 1.0), Squared().conjugate(2.0, 1.0)
    (4.0, 3.0)
    """

    name = "squared"
    lipschitz = math.inf
    curvature = 2.0
    strong_convexity = 2.0

    def _phi(self, r: Array) -> Array:
        return r * r

    def _phi_prime(self, r: Array) -> Array:
        return 2.0 * r

    def _phi_star(self, u: Array) -> Array:
        return u * u / 4.0

    def _travel(self, r: Array, h: Array, norm: Array) -> Array:
        return -r * np.expm1(-2.0 * norm * h) / norm

    def _exp_concavity(self, bound: float) -> float:
        return 0.125 / bound**2  # phi'' / phi'^2 = 1 / (2 r^2), |r| <= 2 bound


@dataclass(frozen=True, slots=True)
class Absolute(_ResidualLoss, _PiecewiseLinear):
    """The size of the error; its best score is the median.

    `|s - y|`; derivative `sign(s - y)`, 0 at the kink.

    >>> Absolute().value(3.0, 1.0), Absolute().invariant_step(3.0, 1.0, h=9.0, squared_norm=4.0)
    (2.0, 0.5)
    """

    name = "absolute"
    lipschitz = 1.0

    def _phi(self, r: Array) -> Array:
        return np.abs(r)

    def _phi_prime(self, r: Array) -> Array:
        return np.sign(r)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-1.0, 1.0, u, np.zeros_like(u))


@dataclass(frozen=True, slots=True)
class Quantile(_ResidualLoss, _PiecewiseLinear):
    """The pinball loss; its best score is the `tau`-quantile.

    `max(tau (y - s), (tau - 1) (y - s))`; derivative `-tau` if `s < y`, `1 - tau` if `s > y`, 0 at
    the kink. At `tau = 1/2` it is half the absolute loss.

    Parameters: `tau` in (0, 1), the wanted share of targets below the score (default 1/2).

    >>> Quantile(0.75).value(0.0, 2.0), Quantile(0.75).value(2.0, 0.0)
    (1.5, 0.5)
    """

    name = "quantile"
    tau: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < number(self.tau, "tau") < 1:
            raise ValueError(f"tau={self.tau} is outside (0, 1); 0.5 is the median")

    @property
    def lipschitz(self) -> float:
        """The steeper of the two sides, `max(tau, 1 - tau)`."""
        return max(self.tau, 1.0 - self.tau)

    def _phi(self, r: Array) -> Array:
        return np.maximum(-self.tau * r, (1.0 - self.tau) * r)

    def _phi_prime(self, r: Array) -> Array:
        return np.heaviside(r, self.tau) - self.tau

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-self.tau, 1.0 - self.tau, u, np.zeros_like(u))


@dataclass(frozen=True, slots=True)
class EpsilonInsensitive(_ResidualLoss, _PiecewiseLinear):
    """The absolute loss that forgives small errors, as in support vector regression.

    `max(0, |s - y| - epsilon)`; derivative `sign(s - y)` outside the tube, 0 in it and on its edge.

    Parameters: `epsilon >= 0`, the error forgiven, in the unit of the target (default 0.1).

    >>> EpsilonInsensitive(0.5).value(3.0, 1.0), EpsilonInsensitive(0.5).derivative(1.5, 1.0)
    (1.5, 0.0)
    """

    name = "epsilon_insensitive"
    lipschitz = 1.0
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= number(self.epsilon, "epsilon") < math.inf:
            raise ValueError(f"epsilon={self.epsilon} must be finite and >= 0; 0 is Absolute()")

    def _phi(self, r: Array) -> Array:
        return np.maximum(0.0, np.abs(r) - self.epsilon)

    def _phi_prime(self, r: Array) -> Array:
        return np.sign(r) * np.heaviside(np.abs(r) - self.epsilon, 0.0)

    def _phi_star(self, u: Array) -> Array:
        return _on_interval(-1.0, 1.0, u, self.epsilon * np.abs(u))


@dataclass(frozen=True, slots=True)
class LogWealth(Loss):
    """The loss of an investor whose wealth grows by the factor `s` in a day.

    `-log s`, `s = <w, x>` for the portfolio `w` and the price relatives `x`, today's prices over
    yesterday's; infinite at ruin. The sum of the losses is minus the logarithm of the wealth at the
    end. There is no target: what is given is not looked at. For players of `regretless.oco`.

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


_COMPILED: tuple[type[Loss], ...] = (  # in the order of the core's LossKind
    Logistic,
    Hinge,
    SquaredHinge,
    Exponential,
    Perceptron,
    Squared,
    Absolute,
    Quantile,
    EpsilonInsensitive,
    LogWealth,
)
_BY_NAME: dict[str, type[Loss]] = {loss.name: loss for loss in _COMPILED}
_BY_NAME[ZeroOne.name] = ZeroOne


def compiled(loss: Loss) -> tuple[int, float] | None:
    """The number and the parameter by which the core knows a loss; None if it does not.

    >>> compiled(Quantile(0.9)), compiled(ZeroOne())
    ((7, 0.9), None)
    """
    if type(loss) not in _COMPILED:
        return None
    parameters = (getattr(loss, name, None) for name in ("margin", "tau", "epsilon"))
    parameter = next((p for p in parameters if p is not None), 1.0)
    return _COMPILED.index(type(loss)), float(parameter)


def get(loss: str | Loss) -> Loss:
    """The loss of a name, with its default parameters; a loss is returned as it is.

    Parameters: `loss`, a `Loss` or one of "logistic", "hinge", "squared_hinge", "exponential",
    "perceptron", "squared", "absolute", "quantile", "epsilon_insensitive", "log_wealth",
    "zero_one".

    >>> get("hinge")
    Hinge(margin=1.0)
    >>> get(Quantile(0.9))
    Quantile(tau=0.9)
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        raise TypeError(f"loss={loss!r} must be a name or a Loss, for example Hinge(margin=1.0)")
    if loss not in _BY_NAME:
        near = difflib.get_close_matches(loss, _BY_NAME, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"loss={loss!r} is not one of {', '.join(_BY_NAME)}{hint}")
    return _BY_NAME[loss]()
