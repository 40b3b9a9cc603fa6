"""Half the squared Euclidean norm."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.domains.vectors import Array, vector
from regretless.geometry.geometry import Geometry

__all__ = ["Euclidean"]


@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Geometry):
    """The geometry of gradient descent: `psi(w) = 1/2 ||w||_2^2`.

    The link is `theta` itself, the divergence `1/2 ||w - u||^2`; `psi` is 1-strongly convex in the
    l2 norm, which is its own dual (Shalev-Shwartz (2012), Example 2.4).

    >>> Euclidean().link([1.0, -2.0])
    array([ 1., -2.])
    """

    @property
    def strong_convexity(self) -> float:
        """1, in the l2 norm."""
        return 1.0

    @property
    def separable(self) -> bool:
        """True: a sum of squares."""
        return True

    @property
    def quadratic(self) -> Array | None:
        """1 times the unit matrix."""
        return np.array(1.0)

    def value(self, w: Any) -> float:
        """`1/2 ||w||^2`.

        >>> Euclidean().value([3.0, 4.0])
        12.5
        """
        w = vector(w, "w")
        return 0.5 * float(w @ w)

    def gradient(self, w: Any) -> Array:
        """`w`.

        >>> Euclidean().gradient([3.0, 4.0])
        array([3., 4.])
        """
        return vector(w, "w").copy()

    def conjugate(self, theta: Any) -> float:
        """`1/2 ||theta||^2`.

        >>> Euclidean().conjugate([3.0, 4.0])
        12.5
        """
        return self.value(vector(theta, "theta"))

    def link(self, theta: Any) -> Array:
        """`theta`.

        >>> Euclidean().link([3.0, 4.0])
        array([3., 4.])
        """
        return vector(theta, "theta").copy()

    def bregman(self, w: Any, u: Any) -> float:
        """`1/2 ||w - u||^2`.

        >>> Euclidean().bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        return self.value(vector(w, "w") - vector(u, "u"))

    def dual_bregman(self, theta: Any, start: Any) -> float:
        """`1/2 ||theta - start||^2`.

        >>> Euclidean().dual_bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        return self.value(vector(theta, "theta") - vector(start, "start"))
