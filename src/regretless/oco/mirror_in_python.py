"""Mirror descent for geometries and domains that the core does not know: the same rounds, slower."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.arguments import check_entries, vector
from regretless.domains import Domain
from regretless.geometry import Geometry, UnnormalizedEntropy
from regretless.oco.engine import EngineInPython, take_numbers
from regretless.run import Array

__all__ = ["MirrorInPython"]

_FAR = 1e150  # of points and sums of gradients


class MirrorInPython(EngineInPython):
    """An engine, as `_core.mirror_descent` makes them: see core/oco/mirror.hpp for what is kept."""

    def __init__(
        self,
        dimension: int,
        geometry: Geometry,
        domain: Domain,
        rate: tuple[_core.Schedule, float],
        lazy: bool,
    ) -> None:
        self._geometry, self._domain, self._lazy = geometry, domain, lazy
        self._schedule, self._eta = rate
        self._projects = domain != geometry.domain
        self.theta = np.zeros(dimension)
        self.strength, self._quadratic = 0.0, 0.0
        self._squares = self._lengths = self._largest = self._local = self._spread = (
            self._steepest
        ) = 0.0
        self._next = 0.0
        self.point = self._played(np.zeros(dimension))

    def _played(self, dual: Array) -> Array:
        if self._projects:
            return self._domain.link(dual, self._geometry)
        return self._geometry.link(dual)

    def _rate(self, rounds: int, squares: float) -> float:
        if self._schedule is _core.Schedule.constant:
            return self._eta
        if self._schedule is _core.Schedule.inverse_sqrt:
            return self._eta / math.sqrt(rounds)
        if self._schedule is _core.Schedule.inverse:
            return self._eta / rounds
        return self._eta / math.sqrt(squares) if squares > 0 else 0.0

    def update(self, gradient: Any) -> float:
        """A round; returns the linear loss."""
        z = vector(gradient, "gradient", len(self.theta))
        suffered, square = float(self.point @ z), self._geometry.dual_norm(z) ** 2
        rounds, squares, theta = self.rounds + 1, self._squares + square, self.theta - z
        eta = self._rate(rounds, squares)
        # what may fail comes first, while nothing has changed
        dual = eta * theta if self._lazy else self._geometry.gradient(self.point) - eta * z
        point = self._played(dual)
        # until a gradient was not 0 the rate is free, as in the first round
        played = self._next if self._lazy and self._next > 0 else eta
        self.count(suffered, z)
        self._squares, self.theta = squares, theta
        self._lengths += math.sqrt(square)
        self._largest = max(self._largest, math.sqrt(square))
        self.strength = 1.0 / played if played > 0 else 0.0
        if square > 0 and self._geometry.strong_convexity > 0:
            self._quadratic += played * square / (2.0 * self._geometry.strong_convexity)
        self._local += played * float(self.point @ (z * z))
        self._spread += played * float(np.ptp(z)) ** 2
        self._steepest = min(self._steepest, played * float(z.min()))
        self._next, self.point = eta, point
        return suffered

    @property
    def paid(self) -> float:  # type: ignore[override]
        """What is paid of the bound; in local norms if psi is not strongly convex."""
        if self._geometry.strong_convexity > 0:
            return self._quadratic
        if not isinstance(self._geometry, UnnormalizedEntropy) or self._projects:
            return math.nan
        paid = self._local / 2.0 if self._steepest >= 0.0 else self._local
        return paid if self._steepest >= -1.0 else math.inf

    def sums(self) -> dict[str, Any]:
        """What else bounds are made of."""
        return {
            "squares": self._squares,
            "lengths": self._lengths,
            "largest": self._largest,
            "local": self._local,
            "spread": self._spread,
            "steepest": self._steepest,
        }

    _NUMBERS = (
        "rounds",
        "linear",
        "gross",
        "peaks",
        "strength",
        "_quadratic",
        "_squares",
        "_lengths",
        "_largest",
        "_local",
        "_spread",
        "_steepest",
        "_next",
    )

    def state(self) -> Array:
        """All that changes."""
        return np.concatenate([[getattr(self, n) for n in self._NUMBERS], self.theta, self.point])

    def restore(self, state: Array) -> None:
        """What `state` gave."""
        d = len(self.theta)
        if len(state) != len(self._NUMBERS) + 2 * d:
            raise ValueError("the state is of another player")
        numbers = dict(zip(self._NUMBERS, state.tolist()))
        vectors = state[-2 * d :].reshape(2, d)
        check_entries(vectors, np.abs(vectors) <= _FAR, "state", f"is beyond {_FAR:g}")
        squares, rounds = numbers["_squares"], numbers["rounds"]
        eta = self._rate(int(rounds), squares) if rounds >= 1 and squares >= 0 else 0.0
        if not math.isclose(numbers["_next"], eta, rel_tol=1e-9):
            raise ValueError("the rate is not that of the rounds and the squares")
        if not self._domain.contains(vectors[1], 1e-6):
            raise ValueError(f"the point {vectors[1]} is not in {self._domain!r}")
        take_numbers(self, numbers, vectors[0], signed=("_steepest", "_local"))
        self.theta, self.point = vectors.copy()
