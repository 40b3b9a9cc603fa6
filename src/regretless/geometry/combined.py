"""Geometries made of others: sums, and restrictions to a domain."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arguments import shown
from regretless.domains import Domain, Everything, Intersection
from regretless.domains.solvers import solve_quadratic
from regretless.domains.vectors import Array, vector
from regretless.geometry.geometry import Geometry

__all__ = ["Restricted", "Sum"]


def _meet(first: Domain, second: Domain) -> Domain:
    if isinstance(first, Everything) or first == second:
        return second
    return first if isinstance(second, Everything) else Intersection(first, second)


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Geometry):
    """The sum of two geometries, `psi1 + psi2`, as made by `+`.

    Strongly convex in the norm of the first, with what the first has, and that of the second added
    if the norms are the same. The link is exact if both are quadratic, numerical otherwise.

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
        """That of the first, and of the second too if it has the same norm."""
        first, second = self.first, self.second
        same = type(first).norm is type(second).norm and (
            type(first).norm is Geometry.norm or first == second
        )
        return first.strong_convexity + (second.strong_convexity if same else 0.0)

    @property
    def domain(self) -> Domain:
        """Where both are finite."""
        return _meet(self.first.domain, self.second.domain)

    @property
    def separable(self) -> bool:
        """Whether both are."""
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
        """That of the unrestricted geometry."""
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
        """That of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).norm([3.0, 4.0])
        5.0
        """
        return self.geometry.norm(w)

    def dual_norm(self, z: Any) -> float:
        """That of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).dual_norm([3.0, 4.0])
        5.0
        """
        return self.geometry.dual_norm(z)
