"""The base class of domains, and the domain of all vectors."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import LARGEST, Array, check_entries, numbers, whole
from regretless.base.options import ByValue
from regretless.base.solvers import Polyhedron

if TYPE_CHECKING:
    from regretless.geometry import Geometry


# --- vectors as arguments of geometries and domains, where coordinates may be infinite ------------


def vector(value: Any, name: str, dimension: int | None = None, of: str = "") -> Array:
    """The value of an argument as a vector of floats without NaN, of the dimension asked for.

    >>> vector([1, float("nan")], "w")
    Traceback (most recent call last):
    ValueError: w[1] = nan is not a number
    >>> vector([1, 2, 3], "w", 2, "the box")
    Traceback (most recent call last):
    ValueError: w has shape (3,), but the box has dimension 2
    """
    array = numbers(value, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; a vector of shape (d,) is needed")
    if dimension is not None and len(array) != dimension:
        raise ValueError(f"{name} has shape {array.shape}, but {of} has dimension {dimension}")
    check_entries(array, ~np.isnan(array), name, "is not a number")
    return array


def constant(value: Any, name: str, dimensions: tuple[int, ...] = (0, 1)) -> Array:
    """A copy that cannot be written to, of a number or vector (or matrix, by `dimensions`).

    >>> constant([1, 2], "low")
    array([1., 2.])
    """
    array = numbers(value, name) + 0.0  # a copy, and no -0.0 for the reader
    if array.ndim not in dimensions or not array.size:
        kinds = " or ".join(("a number", "a vector", "a matrix")[n] for n in dimensions)
        raise ValueError(f"{name} has shape {array.shape}; it must be {kinds}")
    array = np.asarray(array)
    check_entries(array, ~np.isnan(array), name, "is not a number")
    ordinary = (np.abs(array) <= LARGEST) | np.isinf(array)  # so that squares are numbers
    check_entries(array, ordinary, name, f"is beyond {LARGEST:g}; scale the problem")
    array.flags.writeable = False
    return array


# --- domains --------------------------------------------------------------------------------------


class Domain(ByValue, ABC):
    """A closed convex set of vectors.

    A domain of your own gives `contains`, `support`, `maximiser` and `link` (or, for Euclidean
    geometry only, `project`); those here have exact projections for the usual geometries. Further
    methods say more of it where more is known: `exact_link`, `peak`, `polyhedron` and `inner`.
    """

    @abstractmethod
    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `w` satisfies each constraint up to `tolerance`, relative to its size if above 1.

        >>> from regretless.domains import Ball
        >>> Ball(2.0).contains([0.0, 2.0]), Ball(2.0).contains([0.0, 2.1])
        (True, False)
        """

    @abstractmethod
    def support(self, theta: ArrayLike) -> float:
        """The largest inner product `sup <u, theta>` over the domain; infinite if unbounded.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).support([1.0, 3.0])
        6.0
        """

    @abstractmethod
    def maximiser(self, theta: ArrayLike) -> Array:
        """A point of the domain where the inner product with `theta` is largest.

        It raises `ValueError` if the maximum is not attained.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).maximiser([1.0, 3.0])
        array([0., 2.])
        """

    def project(self, w: ArrayLike, geometry: "Geometry | None" = None) -> Array:
        """The point of the domain nearest to `w`: `argmin_v D_psi(v || w)`.

        `D_psi` is the Bregman divergence of the geometry, by default half the squared Euclidean
        distance. A point of the domain is its own projection.

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

    def link(self, theta: ArrayLike, geometry: "Geometry") -> Array:
        """The maximiser of `<v, theta> - psi(v)` over the domain.

        It is the Bregman projection of `psi.link(theta)`, without the overflow that the latter may
        suffer on the way.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Ball(1.0).link([3.0, 4.0], Euclidean())
        array([0.6, 0.8])
        """
        from regretless.domains.intersection import Intersection
        from regretless.domains.projections import by_norm, maximise
        from regretless.geometry import Entropy, PNorm, Restricted, UnnormalizedEntropy

        theta = self._vector(theta, "theta")
        if isinstance(geometry, Restricted):
            return Intersection(self, geometry.to).link(theta, geometry.geometry)
        if isinstance(geometry, Entropy):
            # on the simplex the two entropies differ by a constant
            return Intersection(self, geometry.domain).link(theta, UnnormalizedEntropy())
        answer = self.exact_link(theta, geometry)
        if answer is None and isinstance(geometry, PNorm):
            answer = by_norm(theta, geometry, self)
        return maximise(theta, geometry, self) if answer is None else answer

    def reach(self, geometry: "Geometry", start: ArrayLike) -> float:
        """The largest `psi(u) - psi(start)` over the domain, `start` being where play begins.

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
        peaks = [self.peak(geometry, len(start))]
        if geometry.domain != self:
            peaks.append(geometry.domain.peak(geometry, len(start)))
        return max(min(peaks) - origin, 0.0)

    def bounded(self, dimension: int) -> bool:
        """Whether the domain is bounded.

        >>> from regretless.domains import Box
        >>> Box(0.0, [1.0, math.inf]).bounded(2)
        False
        """
        return bool(np.isfinite(self.longest(dimension)))

    def longest(self, dimension: int) -> float:
        """The largest `sum |u_i|` over the domain, or an upper bound; infinite if it is unbounded.

        >>> from regretless.domains import Simplex
        >>> Simplex(2.0).longest(5)
        2.0
        """
        unit = np.eye(whole(dimension, "dimension"))
        return math.fsum(max(self.support(e), self.support(-e)) for e in unit)

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The largest distance between two points in the norm of the geometry, or an upper bound.

        >>> from regretless.domains import Ball, Box
        >>> from regretless.geometry import Euclidean
        >>> Ball(2.0).diameter(Euclidean(), 3), Box(0.0, [3.0, 4.0]).diameter(Euclidean(), 2)
        (4.0, 5.0)
        """
        unit = np.eye(whole(dimension, "dimension"))
        return math.fsum((self.support(e) + self.support(-e)) * geometry.norm(e) for e in unit)

    def includes(self, other: "Domain", dimension: int) -> bool | None:
        """Whether every point of another domain lies in this one; None if that is unknown.

        >>> from regretless.domains import Ball, Box, Simplex
        >>> Ball(1.0).includes(Simplex(), 3), Box(-1.0, 1.0).includes(Ball(1.5), 3)
        (True, False)
        """
        from regretless.domains.inclusion import includes

        return includes(self, other, whole(dimension, "dimension"))

    def _vector(self, value: Any, name: str) -> Array:
        """The argument as a vector of the domain's dimension."""
        return vector(value, name)

    def exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        """The link by a formula or a finite algorithm; None if neither is known."""
        return None

    def peak(self, geometry: "Geometry", d: int) -> float:
        """The supremum of `psi` over the domain, or an upper bound."""
        return math.inf

    def polyhedron(self, d: int) -> Polyhedron | None:
        """The domain as a polyhedron; None if it is not one, or has too many faces."""
        return None

    def inner(self, d: int) -> Array:
        """A point inside, to start a numerical search from."""
        return self.project(np.zeros(d))


@dataclass(frozen=True, eq=False, repr=False)
class Everything(Domain):
    """All vectors: no constraint.

    >>> Everything().project([3.0, -4.0])
    array([ 3., -4.])
    """

    def contains(self, w: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `w` is a vector: always so."""
        self._vector(w, "w")
        return True

    def support(self, theta: ArrayLike) -> float:
        """Infinite, except that it is 0 for `theta = 0`."""
        return math.inf if np.any(self._vector(theta, "theta")) else 0.0

    def maximiser(self, theta: ArrayLike) -> Array:
        """The point 0 for `theta = 0`; any other `theta` is a `ValueError`."""
        theta = self._vector(theta, "theta")
        if np.any(theta):
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return np.zeros(len(theta))

    def exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        return geometry.link(theta)

    def polyhedron(self, d: int) -> Polyhedron | None:
        return Polyhedron.of(d)

    def inner(self, d: int) -> Array:
        return np.zeros(d)
