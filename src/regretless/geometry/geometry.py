"""What all geometries have in common, with numerical answers where a formula is not given."""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.arguments import whole
from regretless.domains import Domain, Everything
from regretless.domains.by_value import ByValue
from regretless.domains.vectors import Array, vector

if TYPE_CHECKING:
    from regretless.geometry.combined import Restricted, Sum

__all__ = ["Geometry"]

_STEP = np.finfo(float).eps ** (1 / 3)  # balances rounding and truncation in central differences


class Geometry(ByValue, ABC):
    """A convex function `psi`, and all that follows from it.

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
        """Where `psi` is finite."""
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

        Where the domain is flat, as the simplex is, it is the part along the domain, which is all
        that divergences and projections depend on.

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
        from regretless.domains.solvers import maximise

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
        """Where play begins: `link(0)`, the minimiser of `psi`.

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
        from regretless.geometry.combined import Restricted

        return Restricted(self, domain)

    def __add__(self, other: "Geometry") -> "Sum":
        """`psi1 + psi2`.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).link([2.0, 4.0])
        array([1., 2.])
        """
        from regretless.geometry.combined import Sum

        return Sum(self, other)
