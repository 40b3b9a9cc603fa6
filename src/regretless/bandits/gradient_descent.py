"""Gradient descent without a gradient.

Shalev-Shwartz (2012), section 4.3.2; Flaxman, Kalai and McMahan (2005).
"""

import math
from typing import NamedTuple

import numpy as np

from regretless.bandits.estimators import Estimator, OnePoint, TwoPoint
from regretless.bandits.mirror_descent import BanditMirrorDescent, Period
from regretless.base.arguments import Array, instance, one_of, positive, shown, whole
from regretless.domains import Ball, Box, Domain
from regretless.geometry import Euclidean
from regretless.oco import DoublingTrick, OnlineGradientDescent, OnlineMirrorDescent

# --- A domain made smaller, so that what is played around its points is still in the domain -------


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


# --- gradient descent without a gradient ----------------------------------------------------------


class BanditGradientDescent(BanditMirrorDescent):
    """Minimise convex losses of which only the values at the points played are ever seen.

    Play `w_t + delta v_t`, v uniform on the sphere; of the value f there make
    `z_t = (d / delta) f v_t`; then `w_{t+1} = P(-eta sum z)`. With losses of slope at most L, values
    `|f| <= F` in the domain and points of norm at most B, the expected regret of T rounds is at most

        3 L delta T + B^2 / (2 eta) + (eta / 2) T d^2 (F / delta + L)^2

    (Shalev-Shwartz (2012), Corollary 4.5, whose text has eta in place of eta / 2 and no absolute
    value in F). The defaults minimise it: `delta = sqrt(B d F / (3 L)) T^(-1/4)`,
    `eta = B / (d (F / delta + L) sqrt T)` give `2 sqrt(3 B d F L) T^(3/4) + B d L sqrt T`. With
    `points=2` it is only `3 L delta T + B d L sqrt T`, and `delta = B / T`.

    Parameters
    ----------
    dimension : how many coordinates.
    domain : where the points w are, by default the unit ball.
    horizon : how many rounds; None starts afresh at the rounds 1, 2, 4, ... with twice the horizon, at
        2.4667 times the `T^(3/4)` and 3.4142 times the `sqrt T`.
    lipschitz, most : L and F, the largest `|f|` in the domain.
    rate, delta : eta and delta, if not as above.
    points : 1 or 2 values a round.
    inside : play in the domain only, around points of a domain that is smaller by
        `xi = delta / r`, r the radius of the ball that fits in; else what is played may leave the domain
        by delta, and losses must be defined there. It costs `L xi D T` more, D the farthest point.
    radius : B for a domain without end.
    seed : the direction of a round depends on it and the number of the round alone.

    Attributes: `rounds`, `loss`, `point`, `delta`.

    >>> player = BanditGradientDescent(2, horizon=4000, points=2, seed=1)
    >>> goal = np.array([0.3, -0.4])
    >>> for _ in range(4000):
    ...     around = player.act()
    ...     suffered = player.update([0.5 * ((w - goal) ** 2).sum() for w in around])
    >>> bool(np.abs(player.point - goal).max() < 0.05)
    True
    >>> player.certificate().holds
    True
    """

    def __init__(
        self,
        dimension: int,
        *,
        domain: Domain | None = None,
        horizon: int | None = None,
        lipschitz: float = 1.0,
        most: float = 1.0,
        rate: float | None = None,
        delta: float | None = None,
        points: int = 1,
        inside: bool = False,
        radius: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.dimension = whole(dimension, "dimension")
        self.geometry = Euclidean()
        self.domain = Ball(1.0) if domain is None else instance(domain, "domain", Domain)
        one_of(points, "points", (1, 2))
        self.horizon = None if horizon is None else whole(horizon, "horizon")
        self._given = {
            "dimension": self.dimension,
            "domain": self.domain,
            "horizon": self.horizon,
            "lipschitz": positive(lipschitz, "lipschitz"),
            "most": positive(most, "most"),
            "rate": None if rate is None else positive(rate, "rate"),
            "delta": None if delta is None else positive(delta, "delta"),
            "points": int(points),
            "inside": bool(inside),
            "radius": positive(radius, "radius"),
        }
        self._room = room_in(self.domain, self.dimension) if inside else None
        reach = self.domain.reach(self.geometry, self.domain.project(np.zeros(self.dimension)))
        self._size = self._given["radius"] if math.isinf(reach) else math.sqrt(2.0 * reach)
        self._estimators: dict[int, OnePoint] = {}  # by the horizon of their period
        if self.horizon is None:
            self._player = DoublingTrick(self._tuned)
        else:
            self._player = self._tuned(self.horizon)
        self._begin(seed)

    # --- the tuning --------------------------------------------------------------------------------

    @property
    def _slope(self) -> float:
        """What delta costs a round: 3 L, and with `inside` L D / r more."""
        away = 0.0 if self._room is None else self._room.reach / self._room.radius
        return float(self._given["lipschitz"]) * (3.0 + away)

    def _estimator(self, horizon: int) -> OnePoint:
        """How a period of so many rounds is played."""
        if horizon not in self._estimators:
            self._estimators[horizon] = self._fitting(horizon)
        return self._estimators[horizon]

    def _fitting(self, horizon: int) -> OnePoint:
        L, F = self._given["lipschitz"], self._given["most"]
        delta = self._given["delta"]
        if delta is None and self._given["points"] == 2:
            delta = self._size / horizon
        elif delta is None:
            delta = math.sqrt(self._size * self.dimension * F / self._slope) * horizon**-0.25
        if self._room is not None and self._given["delta"] is None:
            delta = min(delta, self._room.radius / 2.0)  # short horizons ask for more than there is
        kind = TwoPoint if self._given["points"] == 2 else OnePoint
        return kind(delta, L, F)

    def _tuned(self, horizon: int) -> OnlineMirrorDescent:
        estimator = self._estimator(horizon)
        largest = math.sqrt(estimator.spread(self.geometry, self.dimension))
        eta = self._given["rate"] or self._size / (largest * math.sqrt(horizon))
        inner = self.domain if self._room is None else self._room.shrunk(estimator.delta)
        return OnlineGradientDescent(
            self.dimension, rate=eta, domain=inner, radius=self._given["radius"]
        )

    # --- periods -----------------------------------------------------------------------------------

    @property
    def estimator(self) -> Estimator:  # type: ignore[override]
        """What is played around the point now."""
        if isinstance(self._player, DoublingTrick):
            return self._estimator(2 ** (len(self._player.periods) - 1))
        return self._estimator(int(self.horizon or 1))

    @property
    def delta(self) -> float:
        """How far from the point is played now."""
        return float(self.estimator.delta)  # type: ignore[attr-defined]

    def _periods(self) -> list[Period]:
        if not isinstance(self._player, DoublingTrick):
            return super()._periods()
        return [
            Period(self._estimator(2**m), player)  # type: ignore[arg-type]
            for m, player in enumerate(self._player.periods)
        ]

    def _resume(self, states: list[Array]) -> None:
        if isinstance(self._player, DoublingTrick):
            self._player.periods = [self._tuned(2**m) for m in range(len(states))]
        for player, state in zip(self._players(), states, strict=True):
            player._engine.restore(state)
        if isinstance(self._player, DoublingTrick):
            played = [period.rounds for period in self._player.periods]
            if (
                any(k != 2**m for m, k in enumerate(played[:-1]))
                or played[-1] > 2 ** len(played) / 2
            ):
                raise ValueError(f"periods of {played} rounds are not doubled")
            self._player._count()

    # --- what is proven ----------------------------------------------------------------------------

    def _bias(self, estimator: Estimator) -> float:
        assert isinstance(estimator, OnePoint)
        return self._slope * estimator.delta

    def _closed_form(self) -> dict[str, float]:
        """The sum over the periods of doubling, for any number of rounds.

        Shalev-Shwartz (2012), section 2.3.1, corrected.
        """
        tuned = self._given["rate"] is None and self._given["delta"] is None
        if self.horizon is not None or not tuned or self._room is not None:
            return {}
        B, d, T = self._size, self.dimension, self.rounds
        L, F = self._given["lipschitz"], self._given["most"]
        half = B * d * L * math.sqrt(T) * _doubling(0.5)
        if self._given["points"] == 2:  # 3 L B in each period
            return {"any horizon": 3.0 * L * B * len(self._periods()) + half}
        return {
            "any horizon": 2.0 * math.sqrt(3.0 * B * d * F * L) * T**0.75 * _doubling(0.75) + half
        }


def _doubling(power: float) -> float:
    """`sum over m <= log2 T of 2^(m power)` is at most this times `T^power`.

    >>> round(_doubling(0.75), 4), round(_doubling(0.5), 4)
    (2.4667, 3.4142)
    """
    return float(2.0**power / (2.0**power - 1.0))
