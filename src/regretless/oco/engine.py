"""Engines, which play the rounds of players: the compiled core's, and one in Python."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, check_entries, vector
from regretless.base.state import MOST, Stateful
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
from regretless.losses import Loss

# --- engines --------------------------------------------------------------------------------------

_FAR = 1e150  # of points and sums of gradients, so that squares are finite
_Columns = tuple[Array, Array, Array, Array | None]


class Engine(Protocol):
    """The part of a player that plays rounds: a `_core.Player`, or an `EngineInPython`."""

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
    def run(self, rows: Array, targets: Array | None, loss: Any, keep: bool) -> _Columns: ...
    def sums(self) -> dict[str, Any]: ...
    def state(self) -> Any: ...
    def restore(self, state: Any) -> None: ...


@contextmanager
def all_or_nothing(player: Stateful) -> Iterator[Any]:
    """Undo all rounds that are played inside if one of them is rejected.

    The value is a copy of the player from before the rounds.
    """
    before = player.copy()
    try:
        yield before
    except BaseException:
        player.__setstate__(before.__getstate__())
        raise


class EngineInPython(ABC):
    """An engine in Python: a subclass has `point` and takes one `step` at a time.

    The engine counts the rounds, adds up what all engines add up, plays many rounds one by one, and
    writes its state as one vector: the `_numbers`, then the `_vectors`, each of the dimension of the
    player, then what `_rest` returns.
    """

    _numbers: ClassVar[tuple[str, ...]] = ("rounds", "linear", "gross", "peaks")
    _signed: ClassVar[tuple[str, ...]] = ("linear",)  # the numbers that may be negative
    _vectors: ClassVar[tuple[str, ...]] = ("theta",)
    rounds = 0
    linear = gross = peaks = 0.0
    strength = 1.0

    def __init__(self, dimension: int) -> None:
        self.theta = np.zeros(dimension)
        self.paid: float
        self.point: Array

    @abstractmethod
    def step(self, z: Array) -> None:
        """Move after the gradient `z`, which is checked and not yet counted."""

    def update(self, gradient: Any) -> float:
        """Play a round; returns the linear loss."""
        z = vector(gradient, "gradient", len(self.theta))
        suffered = float(self.point @ z)
        self.step(z)
        self.count(np.array([suffered]), z[None])
        return suffered

    def count(self, suffered: Array, Z: Array) -> None:
        """Add rounds, of which `Z` has the gradients as rows, to the sums that all engines have."""
        self.rounds += len(Z)
        self.linear += float(suffered.sum())
        self.gross += float(np.abs(suffered).sum())
        self.peaks += float(np.abs(Z).max(axis=1).sum())
        self.theta = self.theta - Z.sum(axis=0)

    def learn(self, x: Array, y: float, loss: Loss) -> float:
        """Play a round with a loss of the score of `x`; returns the loss suffered."""
        score = float(self.point @ x)
        suffered = float(loss.value(score, y))
        self.update(loss.derivative(score, y) * x)
        return suffered

    def run(self, rows: Array, targets: Array | None, loss: Loss | None, keep: bool) -> _Columns:
        """Play many rounds: the losses, the strengths, what was paid, and the points if kept."""
        suffered, strengths, paid = (np.empty(len(rows)) for _ in range(3))
        points = np.empty(rows.shape) if keep else None
        for t, x in enumerate(rows):
            if points is not None:
                points[t] = self.point
            if loss is None or targets is None:
                suffered[t] = self.update(x)
            else:
                suffered[t] = self.learn(x, targets[t], loss)
            strengths[t], paid[t] = self.strength, self.paid
        return suffered, strengths, paid, points

    def sums(self) -> dict[str, Any]:
        """The other sums that bounds need."""
        return {}

    def state(self) -> Array:
        """Everything that changes, as one vector."""
        numbers = [float(getattr(self, name)) for name in self._numbers]
        return np.concatenate([numbers, *map(self.__getattribute__, self._vectors), self._rest()])

    def restore(self, state: Array) -> None:
        """Take over a vector that `state` returned, checked."""
        n, d = len(self._numbers), len(self.theta)
        end = n + len(self._vectors) * d
        if len(state) < end:
            raise ValueError("the state is of another player")
        numbers = dict(zip(self._numbers, state[:n].tolist()))
        vectors = dict(zip(self._vectors, state[n:end].reshape(-1, d).copy()))
        self._check(numbers, vectors)
        vars(self).update(numbers | vectors, rounds=int(numbers["rounds"]))
        self._take_rest(state[end:])

    def _check(self, numbers: dict[str, float], vectors: dict[str, Array]) -> None:
        """Reject parts of a state that rounds cannot lead to."""
        for name, value in numbers.items():
            if not (value >= 0 or name in self._signed) or not abs(value) <= MOST:
                raise ValueError(f"{name}={value} is not a possible value")
        if numbers["rounds"] != int(numbers["rounds"]) or numbers["rounds"] > 2**53:
            raise ValueError(f"rounds={numbers['rounds']} is not a whole number up to 2^53")
        for name in vectors.keys() & {"theta", "point"}:
            right = np.abs(vectors[name]) <= _FAR
            check_entries(vectors[name], right, name, f"is beyond {_FAR:g}")
        if not numbers["rounds"] and vectors["theta"].any():
            raise ValueError("theta must be 0 before the first gradient")

    def _rest(self) -> Array:
        """The end of the state, whose length may vary."""
        return np.empty(0)

    def _take_rest(self, rest: Array) -> None:
        """Take over what `_rest` returned, checked."""
        if len(rest):
            raise ValueError("the state is of another player")


class Moving(Protocol):
    """A player that moves in Python: its methods choose the points."""

    dimension: int

    @property
    def point(self) -> Array: ...
    def _move(self, gradient: Array) -> None: ...
    def _paid(self) -> float: ...


class Moves(EngineInPython):
    """The engine of a player that moves in Python: each step calls the player back."""

    def __init__(self, player: Moving) -> None:
        super().__init__(player.dimension)
        self.player = player

    @property
    def point(self) -> Array:  # type: ignore[override]
        """The point that the player plays."""
        return self.player.point

    @property
    def paid(self) -> float:  # type: ignore[override]
        """The part of the bound that does not depend on the comparator."""
        return self.player._paid()

    def step(self, z: Array) -> None:
        self.player._move(z)


# --- geometries and domains as the core describes them --------------------------------------------

_Domain, _Geometry = _core.DomainKind, _core.GeometryKind


def domain_twin(domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A domain as the core describes it; None if the core cannot project onto it.

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
    """A domain as the core describes it; None if the core cannot find the leader of linear losses.

    >>> leader_twin(Box(0.0, math.inf), 2) is None
    True
    """
    ends = isinstance(domain, Box) and not np.isfinite([*domain.low.flat, *domain.high.flat]).all()
    if ends or isinstance(domain, Everything):
        return None
    return domain_twin(domain, dimension)


def mirror_twin(geometry: Geometry, domain: Domain, dimension: int) -> dict[str, Any] | None:
    """The link of a geometry over a domain as the core describes it; None if the core lacks it.

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
