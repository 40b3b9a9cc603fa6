"""Half the squared lq norm: between gradient descent and exponentiated gradient."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, one_of, within
from regretless.base.solvers import newton_from_above
from regretless.domains.ball import lp_norm
from regretless.domains.domain import vector
from regretless.geometry.geometry import Geometry


@dataclass(frozen=True, eq=False, repr=False)
class PNorm(Geometry):
    """The geometry of the p-norm algorithms: `psi(w) = 1/2 ||w||_q^2`, `q = p / (p - 1)`.

    The link is `sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2)`, the conjugate
    `1/2 ||theta||_p^2`; `psi` is `(q - 1)`-strongly convex in the lq norm, whose dual is lp.
    `p = 2` is `Euclidean`; about `2 log d` is best against sparse comparators (Shalev-Shwartz
    (2012), Corollary 2.18).

    Parameters: `p >= 2`, the exponent of the dual norm, in which gradients are measured (that of
    `w` is `q`); `convention`: `"A"` as above, or `"B"` for `psi / (q - 1)`, which is 1-strongly
    convex and has `q - 1` times the link. Shalev-Shwartz (2012) prints the link of A with the
    function of B (section 2.6.1); B with step `eta` is A with step `eta (q - 1)`.

    >>> PNorm(3).link([1.0, -2.0, 2.0]).round(10)
    array([ 0.38891112, -1.55564447,  1.55564447])
    """

    p: float
    convention: Literal["A", "B"] = "A"

    def __post_init__(self) -> None:
        hint = ": it is the exponent of the dual norm, for ||w||_q pass p = q / (q - 1)"
        object.__setattr__(self, "p", within(self.p, "p", "[2, inf)", hint))
        one_of(self.convention, "convention", ("A", "B"))

    @property
    def q(self) -> float:
        """The exponent of the norm of `w`: `p / (p - 1)`, between 1 and 2."""
        return self.p / (self.p - 1.0)

    @property
    def _factor(self) -> float:
        return 1.0 if self.convention == "A" else self.p - 1.0  # 1 / (q - 1) = p - 1

    @property
    def strong_convexity(self) -> float:
        """`q - 1` in convention A, 1 in B, in the lq norm."""
        return self._factor / (self.p - 1.0)

    def value(self, w: ArrayLike) -> float:
        """`1/2 ||w||_q^2`, in convention B divided by `q - 1`.

        >>> PNorm(2).value([3.0, 4.0])
        12.5
        """
        length = self.norm(w)
        return 0.5 * self._factor * length * length

    def gradient(self, w: ArrayLike) -> Array:
        """`sign(w_i) |w_i|^(q-1) ||w||_q^(2-q)`, in convention B divided by `q - 1`.

        >>> PNorm(2).gradient([3.0, 4.0])
        array([3., 4.])
        """
        return self._factor * _dual_point(vector(w, "w"), self.q)

    def conjugate(self, theta: ArrayLike) -> float:
        """`1/2 ||theta||_p^2`, in convention B times `q - 1`.

        >>> round(PNorm(3).conjugate([1.0, -2.0, 2.0]), 10)
        3.3057445092
        """
        length = self.dual_norm(vector(theta, "theta"))
        return 0.5 / self._factor * length * length

    def link(self, theta: ArrayLike) -> Array:
        """`sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2)`, in convention B times `q - 1`.

        >>> PNorm(4).link([1e200, 0.0]) / 1e200
        array([1., 0.])
        """
        return _dual_point(vector(theta, "theta"), self.p) / self._factor

    def norm(self, w: ArrayLike) -> float:
        """`||w||_q`.

        >>> round(PNorm(3).norm([1.0, 1.0]), 12) == round(2 ** (2 / 3), 12)
        True
        """
        return lp_norm(vector(w, "w"), self.q)

    def dual_norm(self, z: ArrayLike) -> float:
        """`||z||_p`.

        >>> round(PNorm(3).dual_norm([1.0, -2.0, 2.0]), 10)
        2.5712815907
        """
        return lp_norm(vector(z, "z"), self.p)


@dataclass(frozen=True, eq=False, repr=False)
class Powers(Geometry):
    """`factor / q sum |w_i|^q`: `PNorm` while the norm is held fixed, a sum over coordinates.

    The link of `1/2 ||w||_q^2` on any domain is that of this geometry with `factor = ||w||_q^(2-q)`.

    >>> Powers(1.5, 2.0).link([2.0, -4.0])
    array([ 1., -4.])
    """

    q: float
    factor: float

    @property
    def separable(self) -> bool:
        """True."""
        return True

    def value(self, w: ArrayLike) -> float:
        """`factor / q sum |w_i|^q`"""
        return self.factor / self.q * float(np.sum(np.abs(vector(w, "w")) ** self.q))

    def gradient(self, w: ArrayLike) -> Array:
        """`factor sign(w_i) |w_i|^(q-1)`"""
        w = vector(w, "w")
        return np.asarray(self.factor * np.sign(w) * np.abs(w) ** (self.q - 1.0))

    def link(self, theta: ArrayLike) -> Array:
        """`sign(theta_i) (|theta_i| / factor)^(1/(q-1))`"""
        theta = vector(theta, "theta")
        with np.errstate(over="ignore"):
            size = (np.abs(theta) / self.factor) ** (1.0 / (self.q - 1.0))
        return np.asarray(np.sign(theta) * size)

    def damped_link(self, theta: Array, tau: float, p: float) -> Array:
        """The root of `gradient(v) + tau sign(v) |v|^(p-1) = theta`, coordinate by coordinate.

        In logarithms both powers are lines and their sum is convex, so Newton's steps from above go down
        to the root and stop there; each power alone gives a point above.

        >>> Powers(3.0, 1.0).damped_link(np.array([2.0, -6.0, 0.0]), 1.0, 2.0)
        array([ 1., -2.,  0.])
        """
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            target, own, other = np.log(np.abs(theta)), np.log(self.factor), np.log(tau)
            t = np.minimum((target - own) / (self.q - 1.0), (target - other) / (p - 1.0))

            def at(t: Array) -> tuple[Array, Array]:
                first, second = own + (self.q - 1.0) * t, other + (p - 1.0) * t
                total = np.logaddexp(first, second)
                slope = (self.q - 1.0) * np.exp(first - total) + (p - 1.0) * np.exp(second - total)
                return total, slope

            def step(t: Array) -> Array:
                total, slope = at(t)
                return np.where(theta != 0.0, (total - target) / slope, 0.0)

            t = newton_from_above(step, t, 1e-8)
            slope = at(t)[1]
            size = np.exp(t)
            # logarithms lose digits of what is very large or small; the last step avoids them
            excess = (self.factor * size ** (self.q - 1.0) + tau * size ** (p - 1.0)) / np.abs(
                theta
            )
            nearer = size * (1.0 - (excess - 1.0) / slope)
        return np.asarray(np.sign(theta) * np.where(np.isfinite(nearer), nearer, size))


def _dual_point(x: Array, p: float) -> Array:
    """The gradient of `1/2 ||x||_p^2`, computed at `x / max |x|` so that no power overflows."""
    largest = float(np.abs(x).max())
    if largest == 0.0:
        return np.zeros(len(x))
    unit = x / largest
    length = lp_norm(unit, p)
    return np.asarray(largest * length * np.sign(unit) * (np.abs(unit) / length) ** (p - 1.0))
