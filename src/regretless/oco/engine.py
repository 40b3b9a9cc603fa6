"""Players whose rounds are played by an engine: the core, or its twin in Python."""

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from regretless import _core, domains, geometry, losses, rates
from regretless.base import persistence, state
from regretless.base.arguments import Array, shown, vector, whole
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

# --- the parts of a player as JSON, and back: what a file holds besides arrays --------------------

_ROOMS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module for module in (domains, geometry, losses, rates)
}


def described(value: Any) -> Any:
    """A number, text or array, or a domain, geometry, loss or rate and what it is made of.

    >>> described(rates.Constant(0.5))
    {'rates': ['Constant', {'eta': 0.5}]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return {"array": _each(value.tolist(), described)}
    if isinstance(value, tuple):
        return {"tuple": [described(each) for each in value]}
    for room, module in _ROOMS.items():
        name = type(value).__name__
        if is_dataclass(value) and getattr(module, name, None) is type(value):
            inside = {f.name: described(getattr(value, f.name)) for f in fields(value) if f.init}
            return {room: [name, inside]}
    raise ValueError(f"{shown(value)} cannot be saved: it is not one of {', '.join(_ROOMS)}")


def restored(value: Any) -> Any:
    """What `described` described.

    >>> restored(described(domains.Simplex(2.0)))
    Simplex(scale=2.0)
    """
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise ValueError(f"{value!r} is a list, which no option is")
        return value
    ((kind, inside),) = value.items()
    if kind == "float":
        return float(inside)
    if kind == "array":
        return np.array(_each(inside, restored), np.float64)
    if kind == "tuple":
        return tuple(restored(each) for each in inside)
    name, options = inside
    part = getattr(_ROOMS[kind], name) if name in _ROOMS[kind].__all__ else None
    if not (isinstance(part, type) and is_dataclass(part)):
        raise ValueError(f"{name} is not known")
    made = {k: restored(v) for k, v in options.items()}
    return part(*made["domains"]) if "domains" in made else part(**made)


def _each(values: Any, what: Callable[[Any], Any]) -> Any:
    """A function of every number in lists of lists."""
    return [_each(each, what) for each in values] if isinstance(values, list) else what(values)


# --- players whose rounds are played by an engine: the core, or its twin in Python ----------------


class Engine(Protocol):
    """What plays the rounds: a `_core.Player`, or an object that looks like one."""

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
        """Take a round into the sums that all engines have."""
        self.rounds += 1
        self.linear += suffered
        self.gross += abs(suffered)
        self.peaks += float(np.abs(z).max())

    @abstractmethod
    def update(self, gradient: Any) -> float:
        """A round; returns the linear loss."""

    @abstractmethod
    def state(self) -> Array:
        """All that changes, as one vector."""

    @abstractmethod
    def restore(self, state: Array) -> None:
        """Go on from there."""

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
        if not (value >= 0 or name in ("linear", *signed)) or not abs(value) <= state.MOST:
            raise ValueError(f"{name}={value} is not a number that it could be")
    if numbers["rounds"] != int(numbers["rounds"]) or numbers["rounds"] > 2**53:
        raise ValueError(f"rounds={numbers['rounds']} is not a whole number up to 2^53")
    if not numbers["rounds"] and theta.any():
        raise ValueError("theta is the sum of gradients, of which there are none yet")
    for name, value in numbers.items():
        setattr(engine, name, int(value) if name == "rounds" else value)


class EnginePlayer(Player):
    """What they share. A subclass makes its engine with `_start` and knows its theorem."""

    _engine: Engine
    _maker: ClassVar[type | None] = None  # whose constructor takes what is saved, if not its own
    _matrix: ClassVar[bool] = False  # whether the state has a matrix

    def _start(self) -> Engine:
        raise NotImplementedError

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
        except TypeError:  # numbers of another kind, or nothing that could be a vector
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

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in self.__dict__.items() if k != "_engine"}
        return kept | {"_state": self._engine.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        learned = kept.pop("_state")
        self.__dict__.update(kept)
        self._engine = self._start()
        self._engine.restore(learned)

    def clone(self) -> Self:
        """Another player with the same options that has learned nothing."""
        player = type(self).__new__(type(self))
        maker: Any = self._maker or type(self)
        maker.__init__(player, **state.options_of(self, self._maker))
        return player

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the player to a safetensors file, all at once or not at all."""
        options = state.options_of(self, self._maker)
        described_options = {name: described(value) for name, value in options.items()}
        persistence.write(
            path,
            {"class": type(self).__name__, "options": described_options},
            {"state": self._engine.state()},
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The player that `save` wrote to `path`; it goes on as if it had never stopped."""
        with state.opening(path, cls.__name__) as parts:
            options = {k: restored(v) for k, v in parts.inside("options").options().items()}
            learned = parts.array("state", (None,))
            cls._check_size(options, learned.size)
            player = cls.__new__(cls)
            maker: Any = cls._maker or cls
            maker.__init__(player, **options)
            for name in state.options_of(player, cls._maker).keys() - options.keys():
                raise ValueError(f"the option {name!r} is missing")
            player._engine.restore(learned)
            return player

    @classmethod
    def _check_size(cls, options: dict[str, Any], size: int) -> None:
        """Nothing is made that is larger than the file: the point is in the state, or a matrix."""
        dimension = whole(options["dimension"], "dimension")
        if dimension ** (2 if cls._matrix else 1) > size:
            raise ValueError(f"dimension={dimension} is more than the state has numbers of")


# --- how the core describes the geometries and domains that it has twins of -----------------------

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
    """A geometry over a domain whose link the core has; None if it has not.

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
