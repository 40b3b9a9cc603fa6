"""What all domains have in common, and the domain without constraints."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regretless.base.arguments import Array, whole
from regretless.base.values import ByValue
from regretless.domains.solvers import vector

if TYPE_CHECKING:
    from regretless.geometry import Geometry


class LinearConstraints(NamedTuple):
    """The polyhedron `low <= w <= high, rows @ w <= limits, equal @ w == to`."""

    low: Array
    high: Array
    rows: Array
    limits: Array
    equal: Array
    to: Array

    @classmethod
    def of(
        cls,
        d: int,
        low: Any = -math.inf,
        high: Any = math.inf,
        *,
        rows: Any = (),
        limits: Any = (),
        equal: Any = (),
        to: Any = (),
    ) -> "LinearConstraints":
        """Constraints in `d` dimensions; what is not given does not constrain."""
        return cls(
            np.broadcast_to(np.asarray(low, np.float64), (d,)),
            np.broadcast_to(np.asarray(high, np.float64), (d,)),
            np.reshape(np.asarray(rows, np.float64), (-1, d)),
            np.asarray(limits, np.float64),
            np.reshape(np.asarray(equal, np.float64), (-1, d)),
            np.asarray(to, np.float64),
        )

    def __and__(self, other: "LinearConstraints") -> "LinearConstraints":
        """The constraints of both."""
        return LinearConstraints(
            np.maximum(self.low, other.low),
            np.minimum(self.high, other.high),
            *(np.concatenate(pair) for pair in zip(self[2:], other[2:])),
        )

    def inequalities(self) -> tuple[Array, Array]:
        """All of it as `matrix @ w <= bounds`."""
        unit = np.eye(len(self.low))
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        matrix = [-unit[below], unit[above], self.rows, self.equal, -self.equal]
        bounds = [-self.low[below], self.high[above], self.limits, self.to, -self.to]
        return np.concatenate(matrix), np.concatenate(bounds)


class Domain(ByValue, ABC):
    """A closed convex set of vectors.

    A domain of your own gives `contains`, `support`, `maximiser` and `link` (or, for Euclidean
    geometry only, `project`); those here have exact projections for the usual geometries.
    """

    @abstractmethod
    def contains(self, w: Any, tolerance: float = 1e-9) -> bool:
        """Whether `w` satisfies each constraint up to `tolerance`, relative to its size if above 1.

        >>> from regretless.domains import Ball
        >>> Ball(2.0).contains([0.0, 2.0]), Ball(2.0).contains([0.0, 2.1])
        (True, False)
        """

    @abstractmethod
    def support(self, theta: Any) -> float:
        """The largest inner product `sup <u, theta>` over the domain; infinite if unbounded.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).support([1.0, 3.0])
        6.0
        """

    @abstractmethod
    def maximiser(self, theta: Any) -> Array:
        """A point of the domain where the inner product with `theta` is largest.

        It raises `ValueError` if there is none.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).maximiser([1.0, 3.0])
        array([0., 2.])
        """

    def project(self, w: Any, geometry: "Geometry | None" = None) -> Array:
        """The point of the domain nearest to `w`: `argmin_v D_psi(v || w)`.

        `D_psi` is the Bregman divergence of the geometry, half the squared Euclidean distance if
        there is none. A point of the domain is its own projection.

        >>> from regretless.domains import Simplex
        >>> Simplex().project([0.5, 1.2, -0.3]).round(12)
        array([0.15, 0.85, 0.  ])
        """
        from regretless.geometry import Euclidean

        geometry = geometry or Euclidean()
        w = self._vector(w, "w")
        if self.contains(w, 0.0) and geometry.domain.contains(w):
            return np.array(w)
        return self.link(geometry.gradient(w), geometry)

    def link(self, theta: Any, geometry: "Geometry") -> Array:
        """The maximiser of `<v, theta> - psi(v)` over the domain.

        It is the Bregman projection of `psi.link(theta)`, without the overflow that the latter may
        suffer on the way.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Ball(1.0).link([3.0, 4.0], Euclidean())
        array([0.6, 0.8])
        """
        from regretless.domains.intersection import Intersection
        from regretless.domains.solvers import by_norm, maximise
        from regretless.geometry import Entropy, PNorm, Restricted, UnnormalizedEntropy

        theta = self._vector(theta, "theta")
        if isinstance(geometry, Restricted):
            return Intersection(self, geometry.to).link(theta, geometry.geometry)
        if isinstance(geometry, Entropy):
            # on the simplex the two entropies differ by a constant
            return Intersection(self, geometry.domain).link(theta, UnnormalizedEntropy())
        answer = self._exact_link(theta, geometry)
        if answer is None and isinstance(geometry, PNorm):
            answer = by_norm(theta, geometry, self)
        return maximise(theta, geometry, self) if answer is None else answer

    def reach(self, geometry: "Geometry", start: Any) -> float:
        """How far the domain reaches from where play begins: `sup_u psi(u) - psi(start)`.

        Infinite if unbounded. Exact for the Euclidean geometry on ball, box, simplex and l1 ball,
        for the entropies on simplex, box and l1 ball around 0, for `PNorm` on lp balls around 0 and
        boxes, and for every geometry on the simplex. Otherwise an upper bound: on a ball that of
        the triangle inequality or of the smallest box around it, on an intersection the least of
        its members', on a box the largest corner in up to 12 dimensions.

        >>> from regretless.domains import Ball, Simplex
        >>> from regretless.geometry import Entropy, Euclidean
        >>> Ball(3.0).reach(Euclidean(), [0.0, 0.0])
        4.5
        >>> Simplex().reach(Entropy(), [0.25] * 4) == math.log(4)
        True
        """
        start = self._vector(start, "start")
        origin = geometry.value(start)
        if origin == math.inf:
            raise ValueError(f"start={start} is outside the domain of {geometry}")
        peaks = [self._peak(geometry, len(start))]
        if geometry.domain != self:
            peaks.append(geometry.domain._peak(geometry, len(start)))
        return max(min(peaks) - origin, 0.0)

    def bounded(self, dimension: int) -> bool:
        """Whether the domain ends in every direction.

        >>> from regretless.domains import Box
        >>> Box(0.0, [1.0, math.inf]).bounded(2)
        False
        """
        return bool(np.isfinite(self.longest(dimension)))

    def longest(self, dimension: int) -> float:
        """The largest `sum |u_i|` of its points, or an upper bound; infinite if there is none.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).longest(5)
        2.0
        """
        unit = np.eye(whole(dimension, "dimension"))
        return math.fsum(max(self.support(e), self.support(-e)) for e in unit)

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The largest distance of two of its points in the norm of the geometry, or an upper bound.

        >>> from regretless.domains import Ball, Box
        >>> from regretless.geometry import Euclidean
        >>> Ball(2.0).diameter(Euclidean(), 3), Box(0.0, [3.0, 4.0]).diameter(Euclidean(), 2)
        (4.0, 5.0)
        """
        unit = np.eye(whole(dimension, "dimension"))
        return math.fsum((self.support(e) + self.support(-e)) * geometry.norm(e) for e in unit)

    def includes(self, other: "Domain", dimension: int) -> bool | None:
        """Whether every point of another domain lies in this one; None if nobody can tell.

        >>> from regretless.domains import Ball, Box, Simplex
        >>> Ball(1.0).includes(Simplex(), 3), Box(-1.0, 1.0).includes(Ball(1.5), 3)
        (True, False)
        """
        from regretless.domains.inclusion import includes

        return includes(self, other, whole(dimension, "dimension"))

    def _vector(self, value: Any, name: str) -> Array:
        """The argument as a vector of the domain's dimension."""
        return vector(value, name)

    def _exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        """The link by formula or finite algorithm, `None` if there is none."""
        return None

    def _peak(self, geometry: "Geometry", d: int) -> float:
        """The supremum of `psi` over the domain, or an upper bound."""
        return math.inf

    def _linear(self, d: int) -> LinearConstraints | None:
        """The domain as a polyhedron, `None` if it is not one or has too many faces."""
        return None

    def _inner(self, d: int) -> Array:
        """A point inside, to start a numerical search from."""
        return self.project(np.zeros(d))


@dataclass(frozen=True, eq=False, repr=False)
class Everything(Domain):
    """All vectors: no constraint.

    >>> Everything().project([3.0, -4.0])
    array([ 3., -4.])
    """

    def contains(self, w: Any, tolerance: float = 1e-9) -> bool:
        """Whether `w` is a vector: always so."""
        self._vector(w, "w")
        return True

    def support(self, theta: Any) -> float:
        """Infinite, but for `theta = 0`."""
        return math.inf if np.any(self._vector(theta, "theta")) else 0.0

    def maximiser(self, theta: Any) -> Array:
        """The point 0 for `theta = 0`; otherwise there is none, and `ValueError` is raised."""
        theta = self._vector(theta, "theta")
        if np.any(theta):
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return np.zeros(len(theta))

    def _exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        return geometry.link(theta)

    def _linear(self, d: int) -> LinearConstraints | None:
        return LinearConstraints.of(d)

    def _inner(self, d: int) -> Array:
        return np.zeros(d)
