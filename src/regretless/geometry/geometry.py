"""The base class of geometries, with numerical methods for all formulas that a class leaves out."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.base.arguments import Array, shown, whole
from regretless.base.options import ByValue
from regretless.base.solvers import solve_quadratic
from regretless.domains import Domain, Everything, Intersection
from regretless.domains.domain import vector

_STEP = np.finfo(float).eps ** (1 / 3)  # balances rounding and truncation in central differences


class Geometry(ByValue, ABC):
    """A convex function `psi` with its conjugate, link, divergences and norm.

    A geometry of your own needs only `value`; `gradient` (otherwise by differences), `link` and
    `conjugate` (otherwise by a numerical search) make it faster and more accurate. `norm` and
    `dual_norm` (given together; l2 otherwise), `strong_convexity` and `domain` are claims that
    `check_geometry` tests.

    >>> class Quartic(Geometry):
    ...     def value(self, w):
    ...         return float(np.sum(np.asarray(w) ** 4)) / 4
    >>> Quartic().link([8.0, -1.0]).round(6)
    array([ 2., -1.])
    """

    @property
    def strong_convexity(self) -> float:
        """The largest known `sigma` with `D_psi(w || u) >= sigma / 2 ||w - u||^2`; 0 if none."""
        return 0.0

    @property
    def domain(self) -> Domain:
        """The set where `psi` is finite."""
        return Everything()

    @property
    def separable(self) -> bool:
        """Whether `psi` is a sum of functions of one coordinate each."""
        return False

    @property
    def quadratic(self) -> Array | None:
        """The matrix `A` if `psi = 1/2 w'Aw`, or its diagonal, or a number times 1; else `None`."""
        return None

    @abstractmethod
    def value(self, w: Any) -> float:
        """`psi(w)`, infinite outside the domain.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().value([3.0, 4.0])
        12.5
        """

    def gradient(self, w: Any) -> Array:
        """The gradient of `psi` at `w`: by differences of `value`, unless a geometry has its own.

        Where the domain is flat, like the simplex, it is the part along the domain; divergences and
        projections depend only on that part.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().gradient([3.0, 4.0])
        array([3., 4.])
        """
        w = vector(w, "w")
        linear = self.domain._linear(len(w))
        along = np.eye(len(w))
        if linear is not None and len(linear.equal):
            from scipy.linalg import null_space

            along = null_space(linear.equal).T
        step = _STEP * max(1.0, float(np.abs(w).max()))
        return np.asarray(along.T @ [self._slope(w, direction, step) for direction in along])

    def _slope(self, w: Array, direction: Array, step: float) -> float:
        for shrink in (1.0, 1e-2, 1e-4):  # nearer and nearer, if the domain ends beside w
            move = shrink * step * direction
            up, down = self.value(w + move), self.value(w - move)
            if math.isfinite(up) and math.isfinite(down):
                return (up - down) / (2.0 * shrink * step)
        for sign in (1.0, -1.0):  # at the end of the domain: from one side, to the second order
            here, near, far = (self.value(w + sign * k * step * direction) for k in (0.0, 1.0, 2.0))
            if math.isfinite(here) and math.isfinite(near) and math.isfinite(far):
                return sign * (4.0 * near - 3.0 * here - far) / (2.0 * step)
        raise ValueError(f"w={w} is outside the domain of {self}: psi has no gradient there")

    def conjugate(self, theta: Any) -> float:
        """`psi*(theta) = sup_w <w, theta> - psi(w)`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().conjugate([3.0, 4.0])
        12.5
        """
        theta = vector(theta, "theta")
        g = self.link(theta)
        return float(g @ theta) - self.value(g)

    def link(self, theta: Any) -> Array:
        """The maximiser of `<w, theta> - psi(w)`, which is the gradient of the conjugate.

        >>> from regretless.geometry import Entropy
        >>> Entropy().link([0.0, 0.0])
        array([0.5, 0.5])
        """
        from regretless.domains.projections import maximise

        return maximise(vector(theta, "theta"), self, self.domain)

    def bregman(self, w: Any, u: Any) -> float:
        """The Bregman divergence `psi(w) - psi(u) - <gradient(u), w - u>`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        w, u = vector(w, "w"), vector(u, "u")
        return self.value(w) - self.value(u) - float(self.gradient(u) @ (w - u))

    def dual_bregman(self, theta: Any, start: Any) -> float:
        """The Bregman divergence of the conjugate,

        `psi*(theta) - psi*(start) - <link(start), theta - start>`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().dual_bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        theta, start = vector(theta, "theta"), vector(start, "start")
        along = float(self.link(start) @ (theta - start))
        return self.conjugate(theta) - self.conjugate(start) - along

    def norm(self, w: Any) -> float:
        """The norm in which `psi` is strongly convex.

        >>> from regretless.geometry import Entropy
        >>> Entropy().norm([3.0, -4.0])
        7.0
        """
        return float(np.linalg.norm(vector(w, "w")))

    def dual_norm(self, z: Any) -> float:
        """The dual norm `max <w, z>` over `norm(w) <= 1`, in which gradients are measured.

        >>> from regretless.geometry import Entropy
        >>> Entropy().dual_norm([3.0, -4.0])
        4.0
        """
        return float(np.linalg.norm(vector(z, "z")))

    def start(self, dimension: int) -> Array:
        """The point where play begins: `link(0)`, the minimiser of `psi`.

        >>> from regretless.geometry import Entropy
        >>> Entropy().start(4)
        array([0.25, 0.25, 0.25, 0.25])
        """
        return self.link(np.zeros(whole(dimension, "dimension")))

    def on(self, domain: Domain) -> "Restricted":
        """The same geometry restricted to a domain: its link projects.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Ball(1.0)).link([3.0, 4.0])
        array([0.6, 0.8])
        """

        return Restricted(self, domain)

    def __add__(self, other: "Geometry") -> "Sum":
        """`psi1 + psi2`.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).link([2.0, 4.0])
        array([1., 2.])
        """

        return Sum(self, other)


# --- geometries made of others: sums, and restrictions to a domain --------------------------------


def _meet(first: Domain, second: Domain) -> Domain:
    if isinstance(first, Everything) or first == second:
        return second
    return first if isinstance(second, Everything) else Intersection(first, second)


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Geometry):
    """The sum of two geometries, `psi1 + psi2`, as made by `+`.

    It is strongly convex in the norm of the first, with the modulus of the first, plus that of the
    second if the norms are the same. The link is exact if both are quadratic, numerical otherwise.

    Parameters: `first`, `second`.

    >>> from regretless.geometry import Euclidean, Quadratic
    >>> (Euclidean() + Quadratic([1.0, 3.0])).link([2.0, 4.0])
    array([1., 1.])
    """

    first: Geometry
    second: Geometry

    def __post_init__(self) -> None:
        for name, each in (("first", self.first), ("second", self.second)):
            if not isinstance(each, Geometry):
                raise ValueError(f"{name}={shown(each)} is not a Geometry")

    @property
    def strong_convexity(self) -> float:
        """The modulus of the first, plus that of the second if both have the same norm."""
        first, second = self.first, self.second
        same = type(first).norm is type(second).norm and (
            type(first).norm is Geometry.norm or first == second
        )
        return first.strong_convexity + (second.strong_convexity if same else 0.0)

    @property
    def domain(self) -> Domain:
        """The points where both are finite."""
        return _meet(self.first.domain, self.second.domain)

    @property
    def separable(self) -> bool:
        """Whether both geometries are separable."""
        return self.first.separable and self.second.separable

    @property
    def quadratic(self) -> Array | None:
        """The sum of the matrices, if both are quadratic."""
        first, second = self.first.quadratic, self.second.quadratic
        if first is None or second is None:
            return None
        if max(first.ndim, second.ndim) == 2:
            d = len(first) if first.ndim == 2 else len(second)
            first, second = (m if m.ndim == 2 else m * np.eye(d) for m in (first, second))
        return np.asarray(first + second)

    def value(self, w: Any) -> float:
        """`psi1(w) + psi2(w)`.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).value([3.0, 4.0])
        25.0
        """
        return self.first.value(w) + self.second.value(w)

    def gradient(self, w: Any) -> Array:
        """The sum of the gradients.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).gradient([3.0, 4.0])
        array([6., 8.])
        """
        return self.first.gradient(w) + self.second.gradient(w)

    def link(self, theta: Any) -> Array:
        """`(A1 + A2)^-1 theta` if both are quadratic, a numerical search otherwise.

        >>> from regretless.geometry import Entropy, Euclidean
        >>> (Entropy() + Euclidean()).link([0.0, 0.0]).round(9)
        array([0.5, 0.5])
        """
        theta = vector(theta, "theta")
        matrix = self.quadratic
        return super().link(theta) if matrix is None else solve_quadratic(matrix, theta)

    def norm(self, w: Any) -> float:
        """The norm of the first.

        >>> from regretless.geometry import Entropy, Euclidean
        >>> (Entropy() + Euclidean()).norm([3.0, -4.0])
        7.0
        """
        return self.first.norm(w)

    def dual_norm(self, z: Any) -> float:
        """The dual norm of the first.

        >>> from regretless.geometry import Entropy, Euclidean
        >>> (Entropy() + Euclidean()).dual_norm([3.0, -4.0])
        4.0
        """
        return self.first.dual_norm(z)


@dataclass(frozen=True, eq=False, repr=False)
class Restricted(Geometry):
    """A geometry restricted to a domain, infinite outside, as made by `on`.

    Norm and strong convexity remain (Shalev-Shwartz (2012), Lemma 2.9); the link is the Bregman
    projection of the unrestricted one on the domain.

    Parameters: `geometry`; `to`, the domain.

    >>> from regretless.domains import Ball
    >>> from regretless.geometry import Euclidean
    >>> huber = Euclidean().on(Ball(1.0))
    >>> huber.link([3.0, 4.0]), huber.conjugate([3.0, 4.0])
    (array([0.6, 0.8]), 4.5)
    """

    geometry: Geometry
    to: Domain

    def __post_init__(self) -> None:
        if not isinstance(self.geometry, Geometry):
            raise ValueError(f"geometry={self.geometry!r} is not a Geometry")
        if not isinstance(self.to, Domain):
            raise ValueError(f"domain={self.to!r} is not a Domain")

    @property
    def strong_convexity(self) -> float:
        """The modulus of the unrestricted geometry."""
        return self.geometry.strong_convexity

    @property
    def domain(self) -> Domain:
        """The part of the geometry's own domain that lies in this one."""
        return _meet(self.geometry.domain, self.to)

    def value(self, w: Any) -> float:
        """`psi(w)`, infinite outside the domain.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Ball(1.0)).value([3.0, 4.0])
        inf
        """
        return self.geometry.value(w) if self.to.contains(w) else math.inf

    def gradient(self, w: Any) -> Array:
        """The gradient of the unrestricted geometry.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Ball(1.0)).gradient([0.5, 0.0])
        array([0.5, 0. ])
        """
        return self.geometry.gradient(w)

    def link(self, theta: Any) -> Array:
        """The maximiser over the domain.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).link([0.0, 0.0])
        array([0.5, 0.5])
        """
        return self.to.link(theta, self.geometry)

    def norm(self, w: Any) -> float:
        """The norm of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).norm([3.0, 4.0])
        5.0
        """
        return self.geometry.norm(w)

    def dual_norm(self, z: Any) -> float:
        """The dual norm of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).dual_norm([3.0, 4.0])
        5.0
        """
        return self.geometry.dual_norm(z)
