"""Nonnegative weights with a given sum."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.base.arguments import Array, positive
from regretless.base.solvers import Polyhedron
from regretless.domains.domain import Domain

if TYPE_CHECKING:
    from regretless.geometry import Geometry


@dataclass(frozen=True, eq=False, repr=False)
class Simplex(Domain):
    """The nonnegative vectors with a given sum: `w >= 0, sum w = scale`.

    Parameters: `scale > 0`; 1 for probabilities.

    The Euclidean projection is `max(w - tau, 0)`, with `tau` found by sorting; in the entropies it
    is `scale * w / sum(w)`.

    >>> Simplex().project([0.5, 1.2, -0.3]).round(12)
    array([0.15, 0.85, 0.  ])
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    def contains(self, w: Any, tolerance: float = 1e-9) -> bool:
        """Whether `w >= 0` and `sum w = scale`, up to `tolerance`.

        >>> Simplex().contains([0.5, 0.6])
        False
        """
        w = self._vector(w, "w")
        slack = tolerance * max(1.0, self.scale)
        return bool(np.all(w >= -slack) and abs(w.sum() - self.scale) <= slack)

    def support(self, theta: Any) -> float:
        """`scale * max_i theta_i`.

        >>> Simplex(2.0).support([1.0, 3.0])
        6.0
        """
        return self.scale * float(np.max(self._vector(theta, "theta")))

    def maximiser(self, theta: Any) -> Array:
        """The vertex of the first largest coordinate of `theta`.

        >>> Simplex(2.0).maximiser([1.0, 3.0])
        array([0., 2.])
        """
        theta = self._vector(theta, "theta")
        return np.asarray(self.scale * np.eye(len(theta))[np.argmax(theta)])

    def longest(self, dimension: int) -> float:
        """`scale`"""
        return self.scale

    def diameter(self, geometry: "Geometry", dimension: int) -> float:
        """The largest distance of two vertices."""
        e = self.scale * np.eye(dimension)
        if geometry.separable and geometry.quadratic is None:  # all pairs are alike
            return geometry.norm(e[0] - e[-1])
        return max(geometry.norm(v - w) for v in e for w in e)

    def _exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        from regretless.domains.projections import fixed_sum, quadratic_program
        from regretless.geometry import UnnormalizedEntropy

        if len(theta) == 1:  # there is only one point
            return np.array([self.scale])
        if isinstance(geometry, UnnormalizedEntropy):
            exponentials = np.exp(theta - theta.max())
            return np.asarray(self.scale / exponentials.sum() * exponentials)
        matrix = geometry.quadratic
        if matrix is not None and matrix.ndim == 2:
            return quadratic_program(theta, matrix, self._linear(len(theta)))
        if matrix is not None:
            return _by_sorting(theta, np.broadcast_to(matrix, theta.shape), self.scale)
        if geometry.separable:
            low, high = np.zeros(len(theta)), np.full(len(theta), self.scale)
            return fixed_sum(theta, geometry, low, high, self.scale)
        return None

    def _peak(self, geometry: "Geometry", d: int) -> float:
        return max(geometry.value(vertex) for vertex in self.scale * np.eye(d))

    def _linear(self, d: int) -> Polyhedron:
        return Polyhedron.of(d, low=0.0, equal=np.ones(d), to=[self.scale])

    def _inner(self, d: int) -> Array:
        return np.full(d, self.scale / d)


def _by_sorting(theta: Array, diagonal: Array, scale: float) -> Array:
    """The maximiser of `<v, theta> - 1/2 sum diagonal v^2` over the simplex.

    It is `max(theta + tau, 0) / diagonal`; those that are not 0 come first when `theta` is sorted.
    """
    order = np.argsort(-theta)
    weight = 1.0 / diagonal[order]
    # relative to the largest, so that a large common offset keeps precision
    gap = theta[order] - theta[order[0]]
    tau = (scale - np.cumsum(gap * weight)) / np.cumsum(weight)
    last = np.flatnonzero(gap + tau > 0)[-1]
    return np.asarray(np.maximum(theta - theta[order[0]] + tau[last], 0.0) / diagonal)
