"""Tests of the properties that a geometry claims."""

import math
from typing import NoReturn

import numpy as np

from regretless.base.arguments import Array, whole
from regretless.base.randomness import generator
from regretless.geometry.geometry import Geometry

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
