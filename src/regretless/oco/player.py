"""What all players of online convex optimisation have in common (Shalev-Shwartz (2012), section 2).

In each round the player shows a point, a convex loss is revealed, and the player is given a
subgradient of it there. Every bound on the regret of the linear losses `<., z_t>` that these make is
one on the regret of the losses themselves (Shalev-Shwartz (2012), eq. 2.4), so this is all a player
needs.
"""

import copy
import inspect
import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from regretless import losses
from regretless.arguments import instance, matrix, positive, shown, vector, whole
from regretless.calls import call_of
from regretless.certificates import Certificate
from regretless.domains import Ball, Domain, Everything, Intersection
from regretless.geometry import Entropy, Geometry
from regretless.oco.run import ConvexRun, Played
from regretless.run import Array
from regretless.threads import OneThread

__all__ = ["Player", "PlayerInPython", "Theorem", "implied_dimension", "matrix", "vector"]

_EPS = float(np.finfo(float).eps)


class Theorem(NamedTuple):
    """Bounds by the name of their analysis, what they assume, and where they are from."""

    bounds: dict[str, float]
    assumptions: dict[str, bool | None]
    name: str


class Player(OneThread, ABC):
    """A player: `point` is what it plays now, `update` tells it what became of that.

    Attributes: `dimension`; `domain`, what may be played; `rounds` played; `linear`, the sum of
    `<w_t, z_t>`; `gradient_sum`, that of the gradients `z_t`; `radius`, how far its comparators reach
    if the domain has no end and nothing else is asked for.
    """

    dimension: int
    domain: Domain
    rounds: int
    linear: float
    gradient_sum: Array
    gross: float
    peaks: float
    radius: float = 1.0
    _options: tuple[str, ...] = ("dimension",)  # what it is made of, as far as its repr tells

    @property
    @abstractmethod
    def point(self) -> Array:
        """What is played now."""

    @abstractmethod
    def update(self, gradient: Any) -> float:
        """Learn from a subgradient of the loss at `point`; returns the linear loss `<point, z>`."""

    @abstractmethod
    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        """Play a row of `X` in each round."""

    @abstractmethod
    def _theorem(self, among: Domain | Array) -> Theorem:
        """What is proven of the regret so far, against a point or all points of a set."""

    @abstractmethod
    def _curve(self, run: ConvexRun, u: Array) -> Array:
        """The bound after each round of a run that has just ended, on the regret in it against `u`.

        NaN where there is none.
        """

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        """The same at the end of the run, by all analyses: those of all rounds, less what was before."""
        bounds, assumptions, name = self._theorem(u)
        earlier = run.before._regret_to(u)
        return Theorem({k: bound - earlier for k, bound in bounds.items()}, assumptions, name)

    def _trivial(self) -> float:
        """Whoever plays in the domain: what gradients of these sizes can do across its diameter."""
        if not self.domain.bounded(self.dimension):
            return math.inf
        return self.peaks * self.domain.diameter(Entropy(), self.dimension)

    def _proven(self, among: Domain | Array) -> Theorem:
        """The theorem's bounds and the trivial one."""
        found = self._theorem(among)
        return found._replace(bounds=found.bounds | {"trivial": self._trivial()})

    # --- who it is compared with -------------------------------------------------------------------

    def regret(self, comparator: Any = None, *, norm: float | None = None) -> float:
        """The linearised regret so far, against a point or the largest in a set.

        Parameters: as of `certificate`. Infinite if a domain that is asked for has no end in the
        direction that would have been best.
        """
        return self._regret(self._among(comparator, norm))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The theorem's bound on the regret against a point or a set of points.

        Parameters: `comparator`, a point or a domain; by default the player's own domain, or, if that
        has no end, the points of it with `psi(u) - psi(w_1) <= norm^2 / 2` in the player's geometry
        psi: of norm at most `norm`, for squared norms. `norm`, by default, is the player's `radius`.
        """
        among = self._among(comparator, norm)
        inside = self._inside(among)
        if inside is False and not isinstance(among, Domain):
            raise ValueError(
                f"comparator={among} is not in domain={self.domain!r}: no theorem speaks of it"
            )
        bounds, assumptions, theorem = self._proven(among)
        return Certificate(
            self.rounds,
            self._regret(among),
            bounds,
            theorem,
            {"the comparators are in the domain": inside} | assumptions,
            self._words(among),
            among,
            self._rounding(among),
        )

    def _among(self, comparator: Any, norm: float | None) -> Domain | Array:
        """The point or the set of points that is meant."""
        if comparator is None or (isinstance(comparator, str) and comparator == "best"):
            if self.domain.bounded(self.dimension):
                return self.domain
            return self._near(positive(self.radius if norm is None else norm, "norm"))
        if norm is not None:
            raise ValueError(f"comparator={shown(comparator)} and norm={shown(norm)}: give one")
        if isinstance(comparator, Domain):
            return comparator
        return vector(comparator, "comparator", self.dimension)

    def _near(self, norm: float) -> Domain:
        """The points of a domain without end that are within `norm` of where play begins."""
        near = Ball(norm)
        return near if isinstance(self.domain, Everything) else Intersection(self.domain, near)

    def _words(self, among: Domain | Array) -> str:
        return f"all points of {among}" if isinstance(among, Domain) else f"the point {among}"

    def _inside(self, among: Domain | Array) -> bool | None:
        """Whether the theorem's domain has them."""
        if isinstance(among, Domain):
            return self.domain.includes(among, self.dimension)
        return self.domain.contains(among)

    def _regret(self, among: Domain | Array) -> float:
        if isinstance(among, Domain):
            return self.linear + among.support(-self.gradient_sum)
        return self._regret_to(among)

    @property
    def _is_linear(self) -> bool:
        """Whether the regret that it bounds is that of the linear losses `<., z_t>`."""
        return True

    def _regret_to(self, u: Array) -> float:
        return self.linear - float(u @ self.gradient_sum)

    def _rounding(self, among: Domain | Array) -> float:
        """How far sums of `rounds` numbers, each rounded, can be from what they stand for."""
        longest = (
            among.longest(self.dimension)
            if isinstance(among, Domain)
            else float(np.abs(among).sum())
        )
        size = self.gross + (longest * self.peaks if self.peaks else 0.0)
        return 4.0 * _EPS * (self.rounds + self.dimension) * size

    # --- runs and copies ---------------------------------------------------------------------------

    def run(
        self, X: Any, y: Any = None, loss: str | losses.Loss | None = None, *, points: bool = True
    ) -> ConvexRun:
        """Play many rounds at once.

        Parameters: `X`, one row a round: the gradients of linear losses `<w, x_t>`, or, with a `loss`,
        what it is a loss of, `loss(<w, x_t>, y_t)`; `points`, whether to keep those played. The player
        goes on from where it is.
        """
        rows = matrix(X, "X", self.dimension)
        kind = None if loss is None else losses.get(loss)
        targets = None if y is None else vector(y, "y", len(rows))
        if kind is not None and targets is None:
            targets = np.ones(len(rows))
        before = self.copy()
        try:
            played = self._play(rows, targets, kind, points)
        except BaseException:  # a round was refused: none was played
            vars(self).update(vars(before))
            raise
        return ConvexRun(
            played, rows=rows, targets=targets, loss=kind, before=before, after=self.copy()
        )

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in self._options}
        parameters = inspect.signature(type(self)).parameters
        empty = inspect.Parameter.empty
        needed = {name for name, each in parameters.items() if each.default is empty} | {
            "dimension"
        }
        try:
            plain = type(self)(**{name: value for name, value in given.items() if name in needed})
        except TypeError:  # a class of the user's, which takes other arguments
            plain = None
        return call_of(self, given, plain, needed)

    @abstractmethod
    def clone(self) -> Self:
        """Another player with the same options that has learned nothing."""

    def copy(self) -> Self:
        """Another player that has learned the same."""
        return copy.deepcopy(self)


class PlayerInPython(Player, changing=("rounds", "linear", "gradient_sum", "gross", "peaks")):
    """A player whose rounds are Python: it gives `point`, `_move` and the bounds."""

    def __init__(self, dimension: int, domain: Domain) -> None:
        self.dimension = whole(dimension, "dimension")
        self.domain = instance(domain, "domain", Domain)
        self.rounds, self.linear, self.gross, self.peaks = 0, 0.0, 0.0, 0.0
        self.gradient_sum = np.zeros(self.dimension)

    @abstractmethod
    def _move(self, gradient: Array) -> None:
        """Take a gradient in; its shape and numbers have been checked."""

    def update(self, gradient: Any) -> float:
        z = vector(gradient, "gradient", self.dimension)
        suffered = float(self.point @ z)
        self._move(z)
        self._count(suffered, z)
        return suffered

    def _count(self, linear: float, z: Array) -> None:
        """Take a round into the sums."""
        self.rounds += 1
        self.linear += linear
        self.gradient_sum = self.gradient_sum + z
        self.gross += abs(linear)
        self.peaks += float(np.abs(z).max())

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
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
        return Played(suffered, np.ones(len(X)), paid, played)

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
