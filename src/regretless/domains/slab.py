"""The points whose score on one example is bounded."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.arguments import finite_numbers, positive
from regretless.domains.domain import Domain, Everything, Linear
from regretless.domains.vectors import Array, constant, vector

if TYPE_CHECKING:
    from regretless.geometry import Geometry

__all__ = ["Slab"]

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Slab(Domain):
    """The vectors with a bounded score on an example: `|<w, x>| <= bound`.

    Parameters: `x`, a finite vector; `bound > 0`.

    The projection in the geometry `1/2 w'Aw` is (Luo, Lemma 11)

        w - excess / <x, A^-1 x> * A^-1 x,    excess = sign(<w, x>) max(|<w, x>| - bound, 0),

    and `link(gradient(w) - tau x)` in every other, with `tau` the root of `<v, x> = +-bound`.

    >>> Slab([1.0, 1.0], 1.0).project([2.0, 1.0])
    array([1., 0.])
    """

    x: Array
    bound: float

    def __init__(self, x: Any, bound: float) -> None:
        x = constant(x, "x", (1,))
        finite_numbers(x, "x")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "bound", positive(bound, "bound"))

    def _vector(self, value: Any, name: str) -> Array:
        return vector(value, name, len(self.x), "x of the slab")

    def contains(self, w: Any, tolerance: float = 1e-9) -> bool:
        """Whether `|<w, x>| <= bound`, up to `tolerance` and the rounding of the product.

        >>> Slab([1.0, 1.0], 1.0).contains([5.0, -5.0])
        True
        """
        w = self._vector(w, "w")
        with np.errstate(over="ignore", invalid="ignore"):
            score, rounding = float(w @ self.x), 8 * _EPS * float(np.abs(w) @ np.abs(self.x))
        return abs(score) <= self.bound + tolerance * max(1.0, self.bound) + rounding

    def support(self, theta: Any) -> float:
        """`bound * |<theta, x>| / ||x||^2` if `theta` is a multiple of `x`, otherwise infinite.

        >>> Slab([1.0, 1.0], 1.0).support([3.0, 3.0])
        3.0
        """
        return math.inf if (u := self._attained(theta)) is None else float(u @ np.asarray(theta))

    def maximiser(self, theta: Any) -> Array:
        """The point `+-bound x / ||x||^2`, if `theta` is a multiple of `x`.

        >>> Slab([1.0, 1.0], 1.0).maximiser([-3.0, -3.0])
        array([-0.5, -0.5])
        """
        if (u := self._attained(theta)) is None:
            raise ValueError(f"<u, theta> is unbounded over {self} for theta={theta}")
        return u

    def _attained(self, theta: Any) -> Array | None:
        theta = self._vector(theta, "theta")
        squared = float(self.x @ self.x)
        along = float(theta @ self.x) / squared if squared else 0.0
        rest = np.abs(theta - along * self.x).max()
        if rest > 8 * np.finfo(float).eps * np.abs(theta).max():  # beyond rounding
            return None
        return np.asarray(np.sign(along) * self.bound / (squared or 1.0) * self.x + 0.0)

    def _exact_link(self, theta: Array, geometry: "Geometry") -> Array | None:
        return self.cut(theta, geometry, Everything())

    def cut(self, theta: Array, geometry: "Geometry", rest: Domain) -> Array:
        """The link on the intersection of this slab and another domain.

        By duality it is `rest.link(theta - tau x, geometry)` for one number `tau`, and its score on
        `x` falls as `tau` grows.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import UnnormalizedEntropy
        >>> v = Slab([1.0, 0.0], 0.25).cut(np.zeros(2), UnnormalizedEntropy(), Simplex())
        >>> v.round(12)
        array([0.25, 0.75])
        """
        from regretless.domains.solvers import increasing_root, solve_quadratic

        x = self.x
        w = rest.link(theta, geometry)
        with np.errstate(invalid="ignore", over="ignore"):
            score = float(w @ x)
        if abs(score) <= self.bound:
            return w
        if geometry.quadratic is not None and isinstance(rest, Everything):
            direction = solve_quadratic(geometry.quadratic, x)
            excess = math.copysign(abs(score) - self.bound, score)
            return np.asarray(w - excess / float(x @ direction) * direction)
        side = math.copysign(1.0, score)

        def excess_at(tau: float) -> float:
            with np.errstate(invalid="ignore", over="ignore"):
                v = rest.link(theta - side * tau * x, geometry)
                return self.bound - side * float(v @ x)

        tau = increasing_root(excess_at, f"{self} and {rest} do not meet")
        return rest.link(theta - side * tau * x, geometry)

    def _peak(self, geometry: "Geometry", d: int) -> float:
        if d == 1 and self.x[0] != 0:
            end = self.bound / abs(self.x[0])
            return max(geometry.value(np.array([end])), geometry.value(np.array([-end])))
        return math.inf

    def _linear(self, d: int) -> Linear | None:
        return Linear.of(d, rows=[self.x, -self.x], limits=[self.bound, self.bound])

    def _inner(self, d: int) -> Array:
        return np.zeros(d)
