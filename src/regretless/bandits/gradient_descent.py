"""Gradient descent that estimates its gradients from values of the loss.

Shalev-Shwartz (2012), section 4.3.2; Flaxman, Kalai and McMahan (2005).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from regretless.bandits.estimators import Estimator, OnePoint, TwoPoint
from regretless.bandits.mirror_descent import BanditMirrorDescent, Period
from regretless.base.arguments import Array, instance, one_of, positive, shown, whole
from regretless.base.threads import of_options
from regretless.base.values import parameters_of
from regretless.domains import Ball, Box, Domain
from regretless.geometry import Euclidean
from regretless.oco import DoublingTrick, OnlineGradientDescent, OnlineMirrorDescent

# --- smaller domains, so that points played near theirs are still in the domain -------------------


class Room(NamedTuple):
    """A ball in a domain: `center` and `radius`; `reach` is the distance of the farthest point."""

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


# --- the parameters for a number of rounds --------------------------------------------------------


class Tuning:
    """A function from a horizon to gradient descent that is tuned for it, and its estimator.

    Parameters: see `BanditGradientDescent`.

    >>> Tuning(2, Ball(1.0), points=2).estimator(100)
    TwoPoint(delta=0.01, lipschitz=1.0, most=1.0)
    """

    def __init__(
        self,
        dimension: int,
        domain: Domain,
        *,
        lipschitz: float = 1.0,
        most: float = 1.0,
        rate: float | None = None,
        delta: float | None = None,
        points: int = 1,
        inside: bool = False,
        radius: float = 1.0,
    ) -> None:
        self.dimension, self.domain = dimension, domain
        self.points, self.inside = int(one_of(points, "points", (1, 2))), bool(inside)
        self.lipschitz, self.most = positive(lipschitz, "lipschitz"), positive(most, "most")
        self.rate = None if rate is None else positive(rate, "rate")
        self.delta = None if delta is None else positive(delta, "delta")
        self.radius = positive(radius, "radius")
        self.room = room_in(domain, dimension) if inside else None
        reach = domain.reach(Euclidean(), domain.project(np.zeros(dimension)))
        self.size = self.radius if math.isinf(reach) else math.sqrt(2.0 * reach)

    @property
    def slope(self) -> float:
        """The cost of delta in a round: 3 L, and with `inside` L D / r more."""
        away = 0.0 if self.room is None else self.room.reach / self.room.radius
        return self.lipschitz * (3.0 + away)

    def estimator(self, horizon: int) -> OnePoint:
        """How points are played and gradients estimated in so many rounds."""
        delta = self.delta
        if delta is None and self.points == 2:
            delta = self.size / horizon
        elif delta is None:
            delta = math.sqrt(self.size * self.dimension * self.most / self.slope) * horizon**-0.25
        if self.room is not None and self.delta is None:
            delta = min(delta, self.room.radius / 2.0)  # short horizons ask for more than fits
        return (TwoPoint if self.points == 2 else OnePoint)(delta, self.lipschitz, self.most)

    def __call__(self, horizon: int) -> OnlineMirrorDescent:
        estimator = self.estimator(horizon)
        largest = math.sqrt(estimator.spread(Euclidean(), self.dimension))
        eta = self.rate or self.size / (largest * math.sqrt(horizon))
        inner = self.domain if self.room is None else self.room.shrunk(estimator.delta)
        return OnlineGradientDescent(self.dimension, rate=eta, domain=inner, radius=self.radius)


# --- gradient descent with estimated gradients ----------------------------------------------------


class BanditGradientDescent(BanditMirrorDescent):
    """Minimise convex losses from their values at the points played.

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
        self.dimension, self.geometry = whole(dimension, "dimension"), Euclidean()
        self.domain = Ball(1.0) if domain is None else instance(domain, "domain", Domain)
        self.horizon = None if horizon is None else whole(horizon, "horizon")
        self._tuning = Tuning(
            self.dimension,
            self.domain,
            lipschitz=lipschitz,
            most=most,
            rate=rate,
            delta=delta,
            points=points,
            inside=inside,
            radius=radius,
        )
        self._player = (
            DoublingTrick(self._tuning) if horizon is None else self._tuning(self.horizon or 1)
        )
        self._begin(seed)

    # --- periods -----------------------------------------------------------------------------------

    @property
    def estimator(self) -> Estimator:  # type: ignore[override]
        """The estimator of the current period."""
        if isinstance(self._player, DoublingTrick):
            return self._tuning.estimator(2 ** (len(self._player.periods) - 1))
        return self._tuning.estimator(self.horizon or 1)

    @property
    def delta(self) -> float:
        """The distance between the point and what is played now."""
        return float(self.estimator.delta)  # type: ignore[attr-defined]

    def _periods(self) -> list[Period]:
        if not isinstance(self._player, DoublingTrick):
            return super()._periods()
        return [
            Period(self._tuning.estimator(2**m), player)  # type: ignore[arg-type]
            for m, player in enumerate(self._player.periods)
        ]

    def _go_on(self, states: list[Array]) -> None:
        if isinstance(self._player, DoublingTrick):
            self._player.periods = [self._tuning(2**m) for m in range(len(states))]
        super()._go_on(states)
        if isinstance(self._player, DoublingTrick):
            self._player._count()
            self._player._check_periods()

    @of_options
    def _options(self) -> dict[str, Any]:
        known = vars(self) | vars(self._tuning)
        options = {name: known[name] for name in parameters_of(type(self))}
        return options | ({"domain": None} if self.domain == Ball(1.0) else {})

    # --- guarantees --------------------------------------------------------------------------------

    def _bias(self, estimator: Estimator) -> float:
        assert isinstance(estimator, OnePoint)
        return self._tuning.slope * estimator.delta

    def _closed_form(self) -> dict[str, float]:
        """The sum over the periods of doubling, for any number of rounds.

        Shalev-Shwartz (2012), section 2.3.1, corrected.
        """
        how = self._tuning
        if any(each is not None for each in (how.rate, how.delta, how.room, self.horizon)):
            return {}
        B, L, F, d, T = how.size, how.lipschitz, how.most, self.dimension, self.rounds
        half = B * d * L * math.sqrt(T) * _doubling(0.5)
        if how.points == 2:  # 3 L B in each period
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
