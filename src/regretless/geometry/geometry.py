"""The base class of geometries, and the test of what a geometry claims.

Numerical methods stand in for all formulas that a class leaves out.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, shown, whole
from regretless.base.options import ByValue
from regretless.base.randomness import generator
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
    def value(self, w: ArrayLike) -> float:
        """`psi(w)`, infinite outside the domain.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().value([3.0, 4.0])
        12.5
        """

    def gradient(self, w: ArrayLike) -> Array:
        """The gradient of `psi` at `w`: by differences of `value`, unless a geometry has its own.

        Where the domain is flat, like the simplex, it is the part along the domain; divergences and
        projections depend only on that part.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().gradient([3.0, 4.0])
        array([3., 4.])
        """
        w = vector(w, "w")
        linear = self.domain.polyhedron(len(w))
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

    def conjugate(self, theta: ArrayLike) -> float:
        """`psi*(theta) = sup_w <w, theta> - psi(w)`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().conjugate([3.0, 4.0])
        12.5
        """
        theta = vector(theta, "theta")
        g = self.link(theta)
        return float(g @ theta) - self.value(g)

    def link(self, theta: ArrayLike) -> Array:
        """The maximiser of `<w, theta> - psi(w)`, which is the gradient of the conjugate.

        >>> from regretless.geometry import Entropy
        >>> Entropy().link([0.0, 0.0])
        array([0.5, 0.5])
        """
        from regretless.domains.projections import maximise

        return maximise(vector(theta, "theta"), self, self.domain)

    def bregman(self, w: ArrayLike, u: ArrayLike) -> float:
        """The Bregman divergence `psi(w) - psi(u) - <gradient(u), w - u>`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        w, u = vector(w, "w"), vector(u, "u")
        return self.value(w) - self.value(u) - float(self.gradient(u) @ (w - u))

    def dual_bregman(self, theta: ArrayLike, start: ArrayLike) -> float:
        """The Bregman divergence of the conjugate,

        `psi*(theta) - psi*(start) - <link(start), theta - start>`.

        >>> from regretless.geometry import Euclidean
        >>> Euclidean().dual_bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        theta, start = vector(theta, "theta"), vector(start, "start")
        along = float(self.link(start) @ (theta - start))
        return self.conjugate(theta) - self.conjugate(start) - along

    def norm(self, w: ArrayLike) -> float:
        """The norm in which `psi` is strongly convex.

        >>> from regretless.geometry import Entropy
        >>> Entropy().norm([3.0, -4.0])
        7.0
        """
        return float(np.linalg.norm(vector(w, "w")))

    def dual_norm(self, z: ArrayLike) -> float:
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

    def value(self, w: ArrayLike) -> float:
        """`psi1(w) + psi2(w)`.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).value([3.0, 4.0])
        25.0
        """
        return self.first.value(w) + self.second.value(w)

    def gradient(self, w: ArrayLike) -> Array:
        """The sum of the gradients.

        >>> from regretless.geometry import Euclidean
        >>> (Euclidean() + Euclidean()).gradient([3.0, 4.0])
        array([6., 8.])
        """
        return self.first.gradient(w) + self.second.gradient(w)

    def link(self, theta: ArrayLike) -> Array:
        """`(A1 + A2)^-1 theta` if both are quadratic, a numerical search otherwise.

        >>> from regretless.geometry import Entropy, Euclidean
        >>> (Entropy() + Euclidean()).link([0.0, 0.0]).round(9)
        array([0.5, 0.5])
        """
        theta = vector(theta, "theta")
        matrix = self.quadratic
        return super().link(theta) if matrix is None else solve_quadratic(matrix, theta)

    def norm(self, w: ArrayLike) -> float:
        """The norm of the first.

        >>> from regretless.geometry import Entropy, Euclidean
        >>> (Entropy() + Euclidean()).norm([3.0, -4.0])
        7.0
        """
        return self.first.norm(w)

    def dual_norm(self, z: ArrayLike) -> float:
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

    def value(self, w: ArrayLike) -> float:
        """`psi(w)`, infinite outside the domain.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Ball(1.0)).value([3.0, 4.0])
        inf
        """
        return self.geometry.value(w) if self.to.contains(w) else math.inf

    def gradient(self, w: ArrayLike) -> Array:
        """The gradient of the unrestricted geometry.

        >>> from regretless.domains import Ball
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Ball(1.0)).gradient([0.5, 0.0])
        array([0.5, 0. ])
        """
        return self.geometry.gradient(w)

    def link(self, theta: ArrayLike) -> Array:
        """The maximiser over the domain.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).link([0.0, 0.0])
        array([0.5, 0.5])
        """
        return self.to.link(theta, self.geometry)

    def norm(self, w: ArrayLike) -> float:
        """The norm of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).norm([3.0, 4.0])
        5.0
        """
        return self.geometry.norm(w)

    def dual_norm(self, z: ArrayLike) -> float:
        """The dual norm of the unrestricted geometry.

        >>> from regretless.domains import Simplex
        >>> from regretless.geometry import Euclidean
        >>> Euclidean().on(Simplex()).dual_norm([3.0, 4.0])
        5.0
        """
        return self.geometry.dual_norm(z)


# --- tests of the properties that a geometry claims -----------------------------------------------

# Numerical links are accurate to about 1e-8 and numerical gradients to about 1e-9, and enter the
# quantities compared once or twice; smaller errors are not noticed.
_SLACK = 1e-6


def check_geometry(geometry: Geometry, dimension: int, *, trials: int = 100, seed: int = 0) -> None:
    """Test at random points that the parts of a geometry fit together.

    For pairs of points `w, u` of the domain and of `theta, zeta` anywhere:

    - `psi` is convex: `psi((w + u) / 2) <= (psi(w) + psi(u)) / 2`;
    - `gradient` is the slope of `value`;
    - `link` attains the conjugate, `psi(g) + psi*(theta) = <g, theta>` at `g = link(theta)`, other
      points are not better (Fenchel-Young), and `<theta - gradient(g), u - g> <= 0`, that is
      `gradient(g) = theta` in the interior;
    - `link` is the slope of `conjugate`;
    - `<w, z> <= norm(w) dual_norm(z)`;
    - `bregman(w, u) >= sigma / 2 norm(w - u)^2`, and, if `sigma > 0`,
      `dual_bregman(theta, zeta) <= dual_norm(theta - zeta)^2 / (2 sigma)`.

    Parameters: `geometry`; `dimension >= 1` to test in; `trials >= 1`, the number of pairs; `seed`.
    It raises `ValueError` with the property that failed and the point.

    >>> from regretless.geometry import PNorm
    >>> check_geometry(PNorm(3), 5)
    >>> class Wrong(PNorm):
    ...     def link(self, theta):
    ...         return 2.0 * super().link(theta)
    >>> check_geometry(Wrong(3), 2)
    Traceback (most recent call last):
    ValueError: Wrong(3.0): link does not attain the conjugate at theta=[...
    """
    whole(dimension, "dimension"), whole(trials, "trials")
    random = generator(seed, "check")
    check = _Check(geometry)
    for trial in range(trials):
        reach = (0.1, 1.0, 3.0)[trial % 3]
        theta, zeta, away, toward = reach * random.normal(size=(4, dimension))
        if trial % 4 == 0:
            zeta = theta + 0.05 * zeta  # strong convexity may fail only nearby
        check.hoelder(zeta, zeta)
        g, other = check.link(theta), check.link(zeta)
        w = (g + geometry.domain.project(away)) / 2.0
        u = (other + geometry.domain.project(toward)) / 2.0
        if trial % 4 == 1:
            u = w + 0.05 * (u - w)
        check.convexity(w, u)
        check.slope(w, u)
        conjugate = geometry.conjugate(theta)
        check.attained(theta, g, conjugate)
        for point in (w, u, other):
            check.fenchel_young(theta, g, point, conjugate)
        check.dual_slope(theta, zeta, g)
        check.hoelder(w, zeta)
        check.strong_convexity(w, u)
        check.smoothness(theta, zeta)


class _Check:
    """The single tests; each allows for `_SLACK`, relative to the size of what is compared."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry

    def fail(self, what: str, **where: Array) -> NoReturn:
        points = ", ".join(f"{name}={point}" for name, point in where.items())
        raise ValueError(f"{self.geometry}: {what} at {points}")

    def link(self, theta: Array) -> Array:
        g = self.geometry.link(theta)
        if g.shape != theta.shape or not np.all(np.isfinite(g)):
            self.fail(f"link gives {g}", theta=theta)
        if not self.geometry.domain.contains(g, _SLACK):
            self.fail(f"link gives {g}, outside the domain {self.geometry.domain},", theta=theta)
        return g

    def convexity(self, w: Array, u: Array) -> None:
        ends = self.geometry.value(w), self.geometry.value(u)
        middle = self.geometry.value((w + u) / 2.0)
        if not all(map(math.isfinite, (*ends, middle))):
            self.fail("value is not finite everywhere between two points of the domain,", w=w, u=u)
        if middle > sum(ends) / 2.0 + _SLACK * (1.0 + abs(ends[0]) + abs(ends[1])):
            self.fail("value is not convex: it is above its chord between two points,", w=w, u=u)

    def slope(self, w: Array, u: Array) -> None:
        direction = u - w
        length = float(np.abs(direction).max())
        if length < 1e-6:
            return
        inside = w + direction / 2.0  # w and u may lie on the boundary
        step = min(1e-5 / length, 0.25)
        up, down = (self.geometry.value(inside + sign * step * direction) for sign in (1, -1))
        numerical = (up - down) / (2.0 * step)
        claimed = float(self.geometry.gradient(inside) @ direction)
        size = 1.0 + abs(numerical) + abs(claimed)
        if not abs(claimed - numerical) <= 10 * _SLACK * size:
            self.fail(
                f"gradient says that value changes by {claimed:g} per step towards u, but it"
                f" changes by {numerical:g},", w=inside, u=u,
            )  # fmt: skip

    def attained(self, theta: Array, g: Array, conjugate: float) -> None:
        value = self.geometry.value(g)
        gap = value + conjugate - float(g @ theta)
        if not abs(gap) <= _SLACK * (1.0 + abs(value) + abs(conjugate)):
            self.fail("link does not attain the conjugate", theta=theta, link=g)

    def fenchel_young(self, theta: Array, g: Array, u: Array, conjugate: float) -> None:
        value = self.geometry.value(u)
        inner = float(u @ theta)
        if not inner - value - conjugate <= _SLACK * (1.0 + abs(value) + abs(conjugate)):
            self.fail("conjugate is too small (Fenchel-Young fails)", theta=theta, u=u)
        with np.errstate(invalid="ignore"):
            force = theta - self.geometry.gradient(g)
        if not np.all(np.isfinite(force)):
            return  # the link is at an end of the domain beyond which floats cannot see
        gain = float(force @ (u - g))
        if gain > 100 * _SLACK * (1.0 + float(np.abs(theta) @ np.abs(u - g))):
            self.fail(
                f"gradient(link(theta)) is not theta: u is better than link={g}", theta=theta, u=u
            )

    def dual_slope(self, theta: Array, zeta: Array, g: Array) -> None:
        direction = zeta - theta
        step = min(1e-4 / max(float(np.abs(direction).max()), 1e-9), 1.0)
        ends = [self.geometry.conjugate(theta + sign * step * direction) for sign in (1, -1)]
        numerical = (ends[0] - ends[1]) / (2.0 * step)
        claimed = float(g @ direction)
        size = 1.0 + abs(numerical) + abs(claimed)
        if not abs(claimed - numerical) <= 1000 * _SLACK * size:
            self.fail("link is not the gradient of the conjugate", theta=theta, link=g)

    def hoelder(self, w: Array, z: Array) -> None:
        norms = self.geometry.norm(w), self.geometry.dual_norm(z)
        if not float(w @ z) <= norms[0] * norms[1] * (1.0 + _SLACK) + _SLACK * _SLACK:
            self.fail(
                f"<w, z> is more than norm(w) dual_norm(z) = {norms[0] * norms[1]:g}", w=w, z=z
            )

    def strong_convexity(self, w: Array, u: Array) -> None:
        divergence = self.geometry.bregman(w, u)
        least = self.geometry.strong_convexity / 2.0 * self.geometry.norm(w - u) ** 2
        size = 1.0 + abs(self.geometry.value(w)) + abs(self.geometry.value(u))
        if divergence < least * (1.0 - _SLACK) - _SLACK * size:
            self.fail(
                f"bregman(w, u) = {divergence:g} is less than strong_convexity / 2 * norm(w - u)^2"
                f" = {least:g}", w=w, u=u,
            )  # fmt: skip

    def smoothness(self, theta: Array, zeta: Array) -> None:
        sigma = self.geometry.strong_convexity
        if sigma <= 0.0:
            return
        divergence = self.geometry.dual_bregman(theta, zeta)
        most = self.geometry.dual_norm(theta - zeta) ** 2 / (2.0 * sigma)
        size = 1.0 + abs(self.geometry.conjugate(theta)) + abs(self.geometry.conjugate(zeta))
        if divergence > most * (1.0 + _SLACK) + _SLACK * size:
            self.fail(
                f"dual_bregman(theta, zeta) = {divergence:g} is more than"
                f" dual_norm(theta - zeta)^2 / (2 strong_convexity) = {most:g}",
                theta=theta, zeta=zeta,
            )  # fmt: skip
