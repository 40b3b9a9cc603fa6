"""Losses of classification: functions of the margin `y s`, `y = -1 or +1`."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.base.arguments import Array, positive
from regretless.losses.loss import MarginLoss, PiecewiseLinear, on_interval


def _sigmoid(x: Array) -> Array:
    # not 1 / (1 + exp(-x)), which overflows, nor (1 + tanh(x / 2)) / 2, which loses the left tail
    return np.exp(-np.logaddexp(0.0, -x))


def _x_log_x(x: Array) -> Array:
    return x * np.log(np.where(x <= 0.0, 1.0, x))


@dataclass(frozen=True, slots=True, repr=False)
class _HingeShaped(MarginLoss):
    """A function of the difference between the wanted margin and the margin, if positive."""

    margin: float = 1.0

    def __post_init__(self) -> None:
        positive(self.margin, "margin", "; 1.0 is usual")

    def _shortfall(self, m: Array) -> Array:
        return np.maximum(0.0, self.margin - m)


@dataclass(frozen=True, slots=True, repr=False)
class Logistic(MarginLoss):
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
        return on_interval(-1.0, 0.0, u, _x_log_x(-u) + _x_log_x(1.0 + u))

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        from scipy.special import wrightomega  # here, because importing scipy is slow

        # The margin at the end solves end + e^end = a, so e^end = omega(a), Wright's omega. The one
        # at the start is capped so that e^m does not overflow; beyond, the loss is 0 to 300 digits.
        m, way = np.minimum(m, 700.0), norm * h
        e = np.exp(m)
        a = m + e + way
        omega: Array = wrightomega(a)
        # log(omega) = a - omega; each form is used where the other loses its digits
        far = np.where(a > 1.0, np.log(np.maximum(omega, 1.0)), a - omega) - m
        # A short way is lost in the rounding of m; one Newton step on d + e (e^d - 1) = way restores
        # the digits. As e^d - 1 >= d, the root is at most way / (1 + e).
        near = np.clip(far, 0.0, np.minimum(1.0, way / (1.0 + e)))
        near -= (near + e * np.expm1(near) - way) / (1.0 + e * np.exp(near))
        return -np.where(far < 1.0, near, far) / norm

    def _exp_concavity(self, bound: float) -> float:
        return math.exp(-bound)  # phi'' / phi'^2 = e^m

    def _probability(self, s: Array) -> Array:
        return _sigmoid(s)


@dataclass(frozen=True, slots=True, repr=False)
class Hinge(_HingeShaped, PiecewiseLinear):
    """The loss of support vector machines and of passive-aggressive learners.

    `max(0, margin - y s)`, `y = -1 or +1`; derivative `-y` if `y s < margin`, else 0. A mistake
    costs at least `margin`, so for `margin >= 1` it is an upper bound of the zero-one loss.

    Parameters: `margin > 0`, the wanted `y s` (gamma in Shalev-Shwartz and Singer (2007); default
    1).

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
        return on_interval(-1.0, 0.0, u, self.margin * u)


@dataclass(frozen=True, slots=True, repr=False)
class SquaredHinge(_HingeShaped):
    """The squared hinge: smooth, with scores that give a probability.

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
        return on_interval(-math.inf, 0.0, u, self.margin * u + u * u / 4.0)

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        return self._shortfall(m) * np.expm1(-2.0 * norm * h) / norm

    def _exp_concavity(self, bound: float) -> float:
        return 0.5 / (self.margin + bound) ** 2  # phi'' / phi'^2 = 1 / (2 (margin - m)^2)

    def _probability(self, s: Array) -> Array:
        return np.clip((1.0 + s / self.margin) / 2.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, repr=False)
class Exponential(MarginLoss):
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
        return on_interval(-math.inf, 0.0, u, _x_log_x(-u) + u)

    def _travel(self, m: Array, h: Array, norm: Array) -> Array:
        with np.errstate(divide="ignore"):  # log(0) = -inf is right for weight 0
            return -np.logaddexp(0.0, np.log(norm * h) - m) / norm  # log(1 + norm h e^-m)

    def _exp_concavity(self, bound: float) -> float:
        return math.exp(-bound)  # phi'' / phi'^2 = e^m

    def _probability(self, s: Array) -> Array:
        return _sigmoid(2.0 * s)


@dataclass(frozen=True, slots=True, repr=False)
class Perceptron(MarginLoss):
    """The conservative hinge loss; gradient descent on it is the Perceptron.

    Shalev-Shwartz (2012), Theorem 3.9.

    `1 - y s` and derivative `-y` if `y s <= 0` (a mistake), else 0; `y = -1 or +1`. It bounds the
    zero-one loss from above. As a function of the score it jumps at 0; it is convex once the set of
    mistaken rounds is fixed, as in the theorem: the hinge on those, 0 on the others. So it lacks a
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


@dataclass(frozen=True, slots=True, repr=False)
class ZeroOne(MarginLoss):
    """The zero-one loss, which counts the mistakes of a classifier.

    1 if `y s <= 0`, else 0; `y = -1 or +1`. It is neither convex nor continuous, so it can only be
    evaluated: `derivative`, `conjugate` and `invariant_step` raise `ValueError`.

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
