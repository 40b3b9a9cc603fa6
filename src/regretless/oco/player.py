"""What all players of online convex optimisation have in common (survey, section 2).

In each round the player shows a point, a convex loss is revealed, and the player is given a
subgradient of it there. Every bound on the regret of the linear losses `<., z_t>` that these make is
one on the regret of the losses themselves (survey eq. 2.4), so this is all a player needs.
"""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from regretless import losses
from regretless.arguments import instance, matrix, positive, vector, whole
from regretless.certificates import RegretCertificate
from regretless.domains import Domain
from regretless.geometry import Geometry
from regretless.oco.hindsight import best_point
from regretless.run import Array, Run
from regretless.threads import OneThread

__all__ = ["Player", "PlayerInPython", "implied_dimension", "matrix", "vector"]


class Player(OneThread, ABC):
    """A player: `point` is what it plays now, `update` tells it what became of that.

    Attributes: `dimension`; `domain`, what may be played; `rounds` played; `linear`, the sum of
    `<w_t, z_t>`; `gradient_sum`, that of the gradients `z_t`.
    """

    dimension: int
    domain: Domain
    rounds: int
    linear: float
    gradient_sum: Array
    radius: float = math.inf
    _options: tuple[str, ...] = ()  # what its repr shows

    @property
    @abstractmethod
    def point(self) -> Array:
        """What is played now."""

    @abstractmethod
    def update(self, gradient: Any) -> float:
        """Learn from a subgradient of the loss at `point`; returns the linear loss `<point, z>`."""

    @abstractmethod
    def _play(
        self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool
    ) -> tuple[Array, Array, Array | None]:
        """All rounds: the losses, the bound after each without the comparator's part, the points."""

    @abstractmethod
    def _bounds(self, complexity: float) -> tuple[dict[str, float], dict[str, bool | None], str]:
        """Bounds by name, assumptions, and the theorem, for `psi(u) - psi(w_1) <= complexity`."""

    @abstractmethod
    def _complexity(self, comparators: Domain | Array) -> float:
        """The largest `psi(u) - psi(w_1)` of the comparators, psi being what bounds the regret."""

    def regret(self, comparators: Any = None) -> float:
        """The linearised regret so far: against a point, or the largest in a domain (default: its own).

        Infinite if the domain has no end in the direction that would have been best.
        """
        comparators = self._comparators(comparators)
        if isinstance(comparators, Domain):
            return self.linear + comparators.support(-self.gradient_sum)
        return self.linear - float(comparators @ self.gradient_sum)

    def certificate(
        self, comparators: Any = None, *, radius: float | None = None
    ) -> RegretCertificate:
        """The theorem's bound on the regret against a point or a domain (default: its own).

        `radius`: how far a domain without end is looked at, where the player does not say it.
        """
        if radius is not None:
            other = copy.copy(self)
            other.radius = positive(radius, "radius")
            return other.certificate(comparators)
        comparators = self._comparators(comparators)
        if not isinstance(comparators, Domain) and not self.domain.contains(comparators):
            raise ValueError(
                f"comparators={comparators} is not in domain={self.domain!r}: no theorem speaks of it"
            )
        bounds, assumptions, theorem = self._bounds(self._complexity(comparators))
        regret = self.regret(comparators)
        if math.isinf(regret):  # to points without end, of which no theorem speaks
            bounds = {}
        return RegretCertificate(self.rounds, regret, bounds, theorem, assumptions)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._options)
        return f"{type(self).__name__}({inside})"

    def clone(self) -> Self:
        """Another player with the same state."""
        return copy.deepcopy(self)

    def _comparators(self, comparators: Any) -> Domain | Array:
        if comparators is None:
            return self.domain
        if isinstance(comparators, Domain):
            return comparators
        return vector(comparators, "comparators", self.dimension)

    def run(
        self,
        X: Any,
        y: Any = None,
        loss: str | losses.Loss | None = None,
        *,
        comparators: Any = None,
        points: bool = True,
    ) -> Run:
        """Play many rounds at once.

        Parameters: `X`, one row a round: the gradients of linear losses `<w, x_t>`, or, with a `loss`,
        what it is a loss of, `loss(<w, x_t>, y_t)`; `comparators`, a point or a domain (default: its
        own) whose best point in hindsight the run is compared with; `points`, whether to keep those
        played. The player goes on from where it is.
        """
        rows = matrix(X, "X", self.dimension)
        kind = None if loss is None else losses.get(loss)
        targets = None if y is None else vector(y, "y", len(rows))
        if kind is not None and targets is None:
            targets = np.ones(len(rows))
        comparators, earlier = self._comparators(comparators), self._so_far()
        suffered, paid, played = self._play(rows, targets, kind, points)
        u = best_point(comparators, rows, targets, kind)
        scores = rows @ u
        theirs = scores if kind is None or targets is None else kind.value(scores, targets)
        # the theorem is about all rounds, the run only about its own
        bound = self._curve(paid, u) - (earlier(u) if np.isfinite(u).all() else 0.0)
        return Run(suffered, theirs, u, bound, played, repr(self))

    def _so_far(self) -> Callable[[Array], float]:
        """The regret of the rounds until now, as a function of the comparator."""
        linear, z = self.linear, self.gradient_sum
        return lambda u: linear - float(u @ z)

    def _curve(self, paid: Array, u: Array) -> Array:
        """The bound after each round against `u`; what `_play` tells, by default, is all of it."""
        return paid


class PlayerInPython(Player, changing=("rounds", "linear", "gradient_sum")):
    """A player whose rounds are Python: it gives `point`, `_move` and the bounds."""

    def __init__(self, dimension: int, domain: Domain) -> None:
        self.dimension = whole(dimension, "dimension")
        self.domain = instance(domain, "domain", Domain)
        self.rounds, self.linear = 0, 0.0
        self.gradient_sum = np.zeros(self.dimension)

    @abstractmethod
    def _move(self, gradient: Array) -> None:
        """Take a gradient in; its shape and numbers have been checked."""

    def update(self, gradient: Any) -> float:
        z = vector(gradient, "gradient", self.dimension)
        suffered = float(self.point @ z)
        self._move(z)
        self.rounds += 1
        self.linear += suffered
        self.gradient_sum = self.gradient_sum + z
        return suffered

    def _play(
        self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool
    ) -> tuple[Array, Array, Array | None]:
        suffered, paid = np.empty(len(X)), np.empty(len(X))
        played = np.empty(X.shape) if keep else None
        for t, x in enumerate(X):
            w = self.point
            score = float(w @ x)
            if loss is None or y is None:
                suffered[t] = score
                self.update(x)
            else:
                suffered[t] = loss.value(score, y[t])
                self.update(loss.derivative(score, y[t]) * x)
            if played is not None:
                played[t] = w
            paid[t] = self._paid()
        return suffered, paid, played

    def _paid(self) -> float:
        """The bound so far without the comparator's part; NaN if there is none."""
        return float("nan")


def implied_dimension(domain: Domain, geometry: Geometry | None = None) -> int:
    """The number of coordinates that a domain or a geometry has by itself."""
    parts = [geometry, *getattr(domain, "domains", (domain,))]
    for part, name in ((p, n) for p in parts for n in ("matrix", "low", "center", "x")):
        found = getattr(part, name, None)
        if isinstance(found, np.ndarray) and found.ndim:
            return len(found)
    raise ValueError("dimension= is needed: how many coordinates a point has")
