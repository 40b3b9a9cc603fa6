"""A domain made smaller, so that what is played around its points is still in the domain."""

from typing import NamedTuple

import numpy as np

from regretless.arguments import shown
from regretless.domains import Ball, Box, Domain
from regretless.run import Array

__all__ = ["Room", "room_in"]


class Room(NamedTuple):
    """A ball inside a domain: its `center` and `radius`; and the `reach` of the domain from there."""

    domain: Domain
    center: Array
    radius: float
    reach: float

    def shrunk(self, delta: float) -> Domain:
        """`center + (1 - xi) (S - center)` with `xi = delta / radius`.

        A ball of radius delta around any of its points is within the domain: `w + delta v` is
        `(1 - xi) s + xi (center + radius v)` (Shalev-Shwartz (2012), Corollary 4.5).

        >>> room_in(Ball(2.0), 3).shrunk(0.5)
        Ball(radius=1.5, center=[0.0, 0.0, 0.0])
        """
        if not delta < self.radius:
            raise ValueError(
                f"delta={delta:g} leaves nothing of the domain, in which there is room for a ball of "
                f"radius {self.radius:g} only: give a smaller delta or a larger horizon"
            )
        keep = 1.0 - delta / self.radius
        if isinstance(self.domain, Ball):
            return Ball(self.domain.radius * keep, self.domain.p, self.center)
        assert isinstance(self.domain, Box)
        low, high = self.domain._bounds(len(self.center))
        return Box(
            self.center + keep * (low - self.center), self.center + keep * (high - self.center)
        )


def room_in(domain: Domain, dimension: int) -> Room:
    """The largest ball around the middle of a ball or box.

    >>> room = room_in(Box([0.0, 0.0], [2.0, 4.0]), 2)
    >>> room.center, room.radius
    (array([1., 2.]), 1.0)
    """
    if isinstance(domain, Ball):
        # the l2 ball inside an lp ball, and around it: r d^(1/2 - 1/p) is one of them, r the other
        other = domain.radius * dimension ** (0.5 - 1.0 / domain.p)
        near, far = sorted((domain.radius, other))
        return Room(domain, domain._middle(dimension), near, far)
    if isinstance(domain, Box):
        low, high = domain._bounds(dimension)
        if np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all():
            half = (high - low) / 2.0
            return Room(domain, low + half, float(half.min()), float(np.linalg.norm(half)))
    raise ValueError(
        f"inside=True needs a ball or a box with an inside, not domain={shown(domain)}: what is played "
        "leaves others by delta"
    )
