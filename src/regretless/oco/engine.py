"""Players whose rounds are played by an engine: the core, or its twin in Python."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from regretless import _core, losses
from regretless.base.arguments import Array, shown, vector, whole
from regretless.base.state import MOST
from regretless.domains import Ball, Box, Domain, Everything, Simplex
from regretless.geometry import (
    Entropy,
    Euclidean,
    Geometry,
    PNorm,
    Quadratic,
    Restricted,
    UnnormalizedEntropy,
)
from regretless.oco.player import Played, Player

# --- engines, and players that have one -----------------------------------------------------------


class Engine(Protocol):
    """The part of a player that plays rounds: a `_core.Player`, or an object with its methods."""

    @property
    def point(self) -> Array: ...
    @property
    def theta(self) -> Array: ...
    @property
    def rounds(self) -> int: ...
    @property
    def linear(self) -> float: ...
    @property
    def gross(self) -> float: ...
    @property
    def peaks(self) -> float: ...
    @property
    def strength(self) -> float: ...
    @property
    def paid(self) -> float: ...
    def update(self, gradient: Array) -> float: ...
    def run(
        self, rows: Array, targets: Array | None, loss: Any, keep: bool
    ) -> tuple[Array, Array, Array, Array | None]: ...
    def sums(self) -> dict[str, Any]: ...
    def state(self) -> Array: ...
    def restore(self, state: Array) -> None: ...


class EngineInPython(ABC):
    """An engine that plays many rounds one by one."""

    point: Array
    rounds = 0
    linear = gross = peaks = 0.0
    strength: float
    paid: float

    def count(self, suffered: float, z: Array) -> None:
        """Add a round to the sums that all engines have."""
        self.rounds += 1
        self.linear += suffered
        self.gross += abs(suffered)
        self.peaks += float(np.abs(z).max())

    @abstractmethod
    def update(self, gradient: Any) -> float:
        """Play a round; returns the linear loss."""

    @abstractmethod
    def state(self) -> Array:
        """Everything that changes, as one vector."""

    @abstractmethod
    def restore(self, state: Array) -> None:
        """Take over such a vector, checked."""

    def run(
        self, rows: Array, targets: Array | None, loss: losses.Loss | None, keep: bool
    ) -> tuple[Array, Array, Array, Array | None]:
        """Many rounds: losses, strengths, what was paid, and the points; none if one is refused."""
        before = self.state()
        try:
            return self._run(rows, targets, loss, keep)
        except BaseException:
            self.restore(before)
            raise

    def _run(
        self, rows: Array, targets: Array | None, loss: losses.Loss | None, keep: bool
    ) -> tuple[Array, Array, Array, Array | None]:
        suffered, strengths, paid = (np.empty(len(rows)) for _ in range(3))
        points = np.empty(rows.shape) if keep else None
        for t, x in enumerate(rows):
            if points is not None:
                points[t] = self.point
            if loss is None or targets is None:
                suffered[t] = self.update(x)
            else:
                score = float(self.point @ x)
                suffered[t] = loss.value(score, targets[t])
                self.update(loss.derivative(score, targets[t]) * x)
            strengths[t], paid[t] = self.strength, self.paid
        return suffered, strengths, paid, points


def take_numbers(
    engine: Any, numbers: dict[str, float], theta: Array, signed: tuple[str, ...] = ()
) -> None:
    """Set numbers of an engine: `rounds` is whole, and only some may be negative."""
    for name, value in numbers.items():
        if not (value >= 0 or name in ("linear", *signed)) or not abs(value) <= MOST:
            raise ValueError(f"{name}={value} is not a number that it could be")
    if numbers["rounds"] != int(numbers["rounds"]) or numbers["rounds"] > 2**53:
        raise ValueError(f"rounds={numbers['rounds']} is not a whole number up to 2^53")
    if not numbers["rounds"] and theta.any():
        raise ValueError("theta is the sum of gradients, of which there are none yet")
    for name, value in numbers.items():
        setattr(engine, name, int(value) if name == "rounds" else value)


class EnginePlayer(Player):
    """A player with an engine: a subclass makes the engine with `_start` and has the theorem."""

    _engine: Engine
    _matrix: ClassVar[bool] = False  # whether the state has a matrix

    @abstractmethod
    def _start(self) -> Engine:
        """The engine, as it is before the first round."""

    @property
    def point(self) -> Array:
        return self._engine.point

    @property
    def rounds(self) -> int:  # type: ignore[override]
        """Rounds played."""
        return self._engine.rounds

    @property
    def linear(self) -> float:  # type: ignore[override]
        """The sum of `<w_t, z_t>`."""
        return self._engine.linear

    @property
    def gradient_sum(self) -> Array:  # type: ignore[override]
        """The sum of the gradients."""
        return -self._engine.theta

    @property
    def gross(self) -> float:  # type: ignore[override]
        """The sum of `|<w_t, z_t>|`."""
        return self._engine.gross

    @property
    def peaks(self) -> float:  # type: ignore[override]
        """The sum of the largest `|z_t[i]|`."""
        return self._engine.peaks

    def update(self, gradient: Any) -> float:
        if type(gradient) is list:
            gradient = vector(gradient, "gradient", self.dimension)
        try:
            return self._engine.update(gradient)
        except TypeError:  # not an array of floats
            return self._engine.update(vector(gradient, "gradient", self.dimension))

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        told = Played(*self._engine.run(X, y, self._engine_loss(loss), keep))
        return told if told.points is None else told._replace(points=told.points.reshape(X.shape))

    def _engine_loss(self, loss: losses.Loss | None) -> Any:
        if loss is None or isinstance(self._engine, EngineInPython):
            return loss
        twin = losses.compiled(loss)
        if twin is None:
            raise ValueError(f"loss={shown(loss)} is not known to the core; play round by round")
        return twin

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        dimension = whole(options["dimension"], "dimension")
        if dimension ** (2 if cls._matrix else 1) > numbers:
            raise ValueError(f"dimension={dimension} is more than the state has numbers of")


# --- geometries and domains as the core describes them --------------------------------------------

_Domain, _Geometry = _core.DomainKind, _core.GeometryKind


def domain_twin(domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A domain onto which the core can project; None if it cannot.

    >>> from regretless.domains import Simplex, Slab
    >>> domain_twin(Simplex(2.0), 3)
    {'domain': DomainKind.simplex, 'size': 2.0, 'low': [], 'high': []}
    >>> domain_twin(Slab([1.0, 1.0], 1.0), 2) is None
    True
    """
    options: dict[str, Any] = {"domain": _Domain.everything, "size": 1.0, "low": [], "high": []}
    if isinstance(domain, Everything):
        return options
    if isinstance(domain, Simplex):
        return options | {"domain": _Domain.simplex, "size": domain.scale}
    if isinstance(domain, Box):
        sides = (np.broadcast_to(side, (dimension,)) for side in (domain.low, domain.high))
        low, high = (side.tolist() for side in sides)
        return options | {"domain": _Domain.box, "low": low, "high": high}
    if isinstance(domain, Ball) and domain.center is None and domain.p in (1.0, 2.0):
        kind = _Domain.ball if domain.p == 2.0 else _Domain.l1_ball
        return options | {"domain": kind, "size": domain.radius}
    return None


def leader_twin(domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A bounded domain in which the core finds the leader of linear losses; None if it cannot.

    >>> leader_twin(Box(0.0, math.inf), 2) is None
    True
    """
    ends = isinstance(domain, Box) and not np.isfinite([*domain.low.flat, *domain.high.flat]).all()
    if ends or isinstance(domain, Everything):
        return None
    return domain_twin(domain, dimension)


def mirror_twin(geometry: Geometry, domain: Domain, dimension: int) -> dict[str, Any] | None:
    """The link of a geometry over a domain, as the core describes it; None if it has none.

    >>> from regretless.geometry import Euclidean, PNorm
    >>> twin = mirror_twin(Euclidean().on(Simplex()), Simplex(), 2)
    >>> twin["geometry"], twin["domain"]
    (GeometryKind.euclidean, DomainKind.simplex)
    >>> mirror_twin(PNorm(3.0), Simplex(), 2) is None
    True
    """
    if isinstance(geometry, Restricted) and domain == geometry.domain:
        return mirror_twin(geometry.geometry, domain, dimension)
    psi = _geometry_twin(geometry, dimension)
    around = domain_twin(Everything() if domain == geometry.domain else domain, dimension)
    if psi is None or around is None:
        return None
    # where the Euclidean projection is the one of the geometry
    diagonal = type(geometry) is Quadratic and geometry.matrix.ndim == 1
    kind = around["domain"]
    fits = (
        kind is _Domain.everything
        or type(geometry) is Euclidean
        or (kind is _Domain.box and diagonal)
    )
    return psi | around if fits else None


def _geometry_twin(geometry: Geometry, dimension: int) -> dict[str, Any] | None:
    options: dict[str, Any] = {
        "convexity": geometry.strong_convexity or math.inf,
        "scale": 1.0,
        "p": 2.0,
        "factor": 1.0,
        "matrix": [],
    }
    if type(geometry) is Euclidean:
        return options | {"geometry": _Geometry.euclidean}
    if type(geometry) is Entropy:
        return options | {"geometry": _Geometry.entropy, "scale": geometry.scale}
    if type(geometry) is UnnormalizedEntropy:
        return options | {"geometry": _Geometry.unnormalized_entropy, "scale": geometry.initial}
    if type(geometry) is PNorm:
        factor = 1.0 if geometry.convention == "A" else 1.0 / (geometry.p - 1.0)
        return options | {"geometry": _Geometry.pnorm, "p": geometry.p, "factor": factor}
    if type(geometry) is Quadratic and len(geometry.matrix) == dimension:
        full = geometry.matrix.ndim == 2
        inverse = np.linalg.inv(geometry.matrix) if full else 1.0 / geometry.matrix
        kind = _Geometry.quadratic if full else _Geometry.diagonal
        return options | {"geometry": kind, "matrix": inverse.ravel().tolist()}
    return None
