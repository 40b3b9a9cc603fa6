"""The base class of players of online convex optimisation, and their runs."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless.base.arguments import Array, instance, matrix, positive, shown, vector, whole
from regretless.base.run import Run
from regretless.base.state import Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.domains import Ball, Domain, Everything, Intersection
from regretless.geometry import Entropy, Euclidean, Geometry
from regretless.losses import Loss
from regretless.oco.convex_losses import score_sizes
from regretless.oco.engine import Engine, Moves, all_or_nothing
from regretless.oco.hindsight import Hindsight, best_point

# --- runs -----------------------------------------------------------------------------------------

EPS = float(np.finfo(float).eps)


class Played(NamedTuple):
    """The record of a player's rounds.

    Attributes: `losses` suffered; `strengths`, one over the rate that each round was played with, and
    `paid`, the part of the bound that does not depend on the comparator, as the player's theorem has
    them; `points`, or None.
    """

    losses: Array
    strengths: Array
    paid: Array
    points: Array | None


class ConvexRun(Run):
    """Rounds of linear losses `<w, x_t>`, or of losses `loss(<w, x_t>, y_t)` of a score.

    Attributes: those of `Run`; `points` played, one row a round, or None; `before` and `after`, the
    player as it was then; `rows` x_t, `targets` y_t and `kind`, the loss, the latter two None if losses
    are linear; `strengths` and `paid`, from which the player's theorem makes the bounds: see `Played`.
    """

    def __init__(
        self,
        played: Played,
        *,
        rows: Array,
        targets: Array | None,
        loss: Loss | None,
        before: "Player",
        after: "Player",
    ) -> None:
        self.losses, self.points, self.before, self.after = played[0], played[3], before, after
        self.strengths, self.paid = played.strengths, played.paid
        self.rows, self.targets, self.kind = rows, targets, loss
        self._best: dict[Any, Hindsight] = {}

    def comparator(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """The point to compare the run with: the best in hindsight of a set.

        Parameters: `comparator`, a point or a domain; by default the player's own domain, or, if that
        is unbounded, those of its points with `psi(u) - psi(w_1) <= norm^2 / 2`, psi being the player's
        geometry: of norm at most `norm` (default: the player's `radius`) for squared norms.

        >>> from regretless.oco import ExponentiatedGradient
        >>> ExponentiatedGradient(2).run([[1.0, 0.0], [1.0, 3.0]]).comparator()
        array([1., 0.])
        """
        among = self.after._among(comparator, norm)
        return among if isinstance(among, np.ndarray) else self._hindsight(among).point

    def _hindsight(self, among: Domain) -> Hindsight:
        if among not in self._best:
            self._best[among] = best_point(among, self.rows, self.targets, self.kind)
        return self._best[among]

    def _theirs(self, u: Array) -> Array:
        scores = self.rows @ u
        if self.kind is None or self.targets is None:
            return np.asarray(scores)
        return np.asarray(self.kind.value(scores, self.targets))

    def regret_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, the loss so far minus that of the point `comparator()`."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator, norm=norm)))

    def bound_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, the bound on the regret against the point `comparator()`.

        The last one is that of the certificate.
        """
        u = self.comparator(comparator, norm=norm)
        if not self.after._inside(u):
            return np.full(self.rounds, np.inf)
        with np.errstate(invalid="ignore"):
            curve = np.fmin(self.after._curve(self, u), self._trivial())
            curve = curve + self._rounding(u)
        curve = np.where(np.isnan(curve), np.inf, curve)
        if self.rounds:  # where sums are known that are not of the rounds before
            curve[-1] = self.certificate(u).bound
        return curve

    def _trivial(self) -> Array:
        """After each round, the trivial bound: gradients of these sizes times the diameter."""
        player, d = self.after, self.after.dimension
        nothing = np.full(self.rounds, np.inf)
        if not self.rounds or not player.domain.bounded(d):
            return nothing
        if self.kind is not None and self.points is None:  # the slopes are not known
            nothing[-1] = player._trivial() - self.before._trivial()
            return nothing
        slopes = np.abs(self.slopes()[1]) if self.kind is not None else 1.0
        wide = player.domain.diameter(Entropy(), d), player.domain.diameter(Euclidean(), d)
        largest = np.abs(self.rows).max(axis=1)
        lengths = largest * np.linalg.norm(
            self.rows / np.where(largest, largest, 1.0)[:, None], axis=1
        )
        return np.cumsum(slopes * np.minimum(wide[0] * largest, wide[1] * lengths))

    def proven(self, u: Array) -> "Theorem":
        """The bounds at the end on the regret against `u`: the theorem's, and the trivial one."""
        found = self.after._run_theorem(self, u)
        trivial = float(self._trivial()[-1]) if self.rounds else 0.0
        return found._replace(bounds=found.bounds | {"trivial": trivial})

    def _rounding(self, u: Array) -> Array:
        """A bound, after each round, on the rounding error of the regret."""
        sizes = np.abs(self.losses)
        if self.kind is None or self.targets is None:
            sizes = sizes + np.abs(self._theirs(u))
        else:
            sizes = sizes + score_sizes(self.kind, self.rows, self.targets, u)
            if self.points is not None:
                sizes += score_sizes(self.kind, self.rows, self.targets, self.points)
        sums = np.arange(1, self.rounds + 1) * np.cumsum(sizes)
        return np.asarray(EPS * sums + self.after._rounding(u))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret against the point `comparator()`, and the bounds on it."""
        u = self.comparator(comparator, norm=norm)
        among = self.after._among(comparator, norm)
        bounds, assumptions, theorem = self.proven(u)
        words = self.after._words(among)
        # the best of a set is known up to a gap, and the bound is to be one on its regret
        gap = self._hindsight(among).gap if isinstance(among, Domain) else 0.0
        return Certificate(
            self.rounds,
            self.regret(u),
            bounds,
            theorem,
            {"the comparator is in the domain": self.after._inside(u)} | assumptions,
            words if isinstance(among, np.ndarray) else f"the best in hindsight of {words}",
            u,
            (float(self._rounding(u)[-1]) if self.rounds else 0.0) + gap,
        )

    def part(self, start: int, stop: int, before: "Player", after: "Player") -> "ConvexRun":
        """The rounds from `start` to `stop`, as a run of the player that played them."""
        columns = (self.losses, self.strengths, self.paid, self.points)
        played = Played(*(None if c is None else c[start:stop] for c in columns))  # type: ignore[arg-type]
        targets = None if self.targets is None else self.targets[start:stop]
        return ConvexRun(
            played,
            rows=self.rows[start:stop],
            targets=targets,
            loss=self.kind,
            before=before,
            after=after,
        )

    def slopes(self) -> tuple[Array, Array]:
        """The scores of the points played, and the derivatives of the losses there.

        A round's gradient is its derivative times its row.
        """
        if self.points is None:
            raise ValueError("the points were not kept; use run(..., points=True)")
        scores = np.einsum("td,td->t", self.points, self.rows)
        if self.kind is None or self.targets is None:
            return scores, np.ones(self.rounds)
        return scores, np.asarray(self.kind.derivative(scores, self.targets))

    def curves_by(self, curvature: float, u: Array) -> NDArray[np.bool_]:
        """Find rounds with `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2`, up to
        rounding."""
        scores, slopes = self.slopes()
        away = slopes * (self.rows @ u - scores)
        rise = self._theirs(u) - self.losses
        size = np.abs(self._theirs(u)) + np.abs(self.losses) + np.abs(away) + curvature * away**2
        return np.asarray(rise >= away + 0.5 * curvature * away**2 - 16.0 * EPS * size)

    def _columns(self) -> dict[str, Any]:
        if self.points is None:
            return {}
        return {f"point {i}": column for i, column in enumerate(self.points.T)}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


# --- players --------------------------------------------------------------------------------------

# In each round the player shows a point, a convex loss is revealed, and the player is given a
# subgradient of it there. Every bound on the regret of the linear losses `<., z_t>` that these make is
# one on the regret of the losses themselves (Shalev-Shwartz (2012), eq. 2.4), so this is all a player
# needs.


class Theorem(NamedTuple):
    """Bounds by the name of their analysis, their assumptions, and their source."""

    bounds: dict[str, float]
    assumptions: dict[str, bool | None]
    name: str


class Player(Stateful, ABC):
    """A player that plays `point` and learns from a gradient of the loss there, given to `update`.

    A subclass makes the engine that plays the rounds and says what its theorem bounds.

    Attributes: `dimension`; `domain`, the set to play in; `rounds` played; `linear`, the sum of
    `<w_t, z_t>`; `gradient_sum`, that of the gradients `z_t`; `radius`, how far its comparators reach
    if the domain is unbounded and nothing else is asked for.
    """

    radius = 1.0
    _matrix: ClassVar[bool] = False  # whether the state has a matrix

    def __post_init__(self) -> None:
        """Fill in what the geometry or the domain implies, and make the engine."""
        self.dimension: int
        self.domain: Domain
        if self.domain is None:
            self.domain = self._largest_domain
        if self.dimension is None:
            geometry = getattr(self, "geometry", None)
            self.dimension = whole(implied_dimension(self.domain, geometry), "dimension")
        self._engine: Engine = self._start()

    @abstractmethod
    def _start(self) -> Engine:
        """The engine, as it is before the first round."""

    @property
    def point(self) -> Array:
        """The point to play now."""
        return self._engine.point

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return self._engine.rounds

    @property
    def linear(self) -> float:
        """The sum of `<w_t, z_t>`."""
        return self._engine.linear

    @property
    def gradient_sum(self) -> Array:
        """The sum of the gradients."""
        return -self._engine.theta

    @property
    def gross(self) -> float:
        """The sum of `|<w_t, z_t>|`."""
        return self._engine.gross

    @property
    def peaks(self) -> float:
        """The sum of the largest `|z_t[i]|`."""
        return self._engine.peaks

    def update(self, gradient: Any) -> float:
        """Learn from a subgradient of the loss at `point`; returns the linear loss `<point, z>`."""
        if type(gradient) is list:
            gradient = vector(gradient, "gradient", self.dimension)
        try:
            return self._engine.update(gradient)
        except TypeError:  # perhaps not an array of floats
            if not isinstance(self._engine, _core.Player):
                raise
            return self._engine.update(vector(gradient, "gradient", self.dimension))

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        """Play a row of `X` in each round."""
        told = Played(*self._engine.run(X, y, self._engine_loss(loss), keep))
        return told if told.points is None else told._replace(points=told.points.reshape(X.shape))

    def _engine_loss(self, loss: losses.Loss | None) -> Any:
        """The loss as the engine knows it."""
        if loss is None or not isinstance(self._engine, _core.Player):
            return loss
        twin = losses.compiled(loss)
        if twin is None:
            raise ValueError(f"loss={shown(loss)} is not known to the core; play round by round")
        return twin

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        dimension = options.get("dimension")
        if dimension is not None:
            dimension = whole(dimension, "dimension")
            if dimension ** (2 if cls._matrix else 1) > max(numbers, 1):
                raise ValueError(f"dimension={dimension} is too large for the state")

    @abstractmethod
    def _theorem(self, among: Domain | Array) -> Theorem:
        """Bounds on the regret so far, against a point or all points of a set."""

    @abstractmethod
    def _curve(self, run: ConvexRun, u: Array) -> Array:
        """The bound after each round of a run that has just ended, on the regret in it against `u`.

        NaN where the bound is unknown.
        """

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        """All bounds at the end of a run: those of all rounds, less the regret before the run."""
        bounds, assumptions, name = self._theorem(u)
        earlier = run.before.regret(u)
        return Theorem({k: bound - earlier for k, bound in bounds.items()}, assumptions, name)

    def _trivial(self) -> float:
        """The trivial bound: gradients of these sizes times the diameter of the domain."""
        if not self.domain.bounded(self.dimension):
            return math.inf
        return self.peaks * self.domain.diameter(Entropy(), self.dimension)

    def _proven(self, among: Domain | Array) -> Theorem:
        """The theorem's bounds and the trivial one."""
        found = self._theorem(among)
        return found._replace(bounds=found.bounds | {"trivial": self._trivial()})

    # --- comparators -------------------------------------------------------------------------------

    def regret(self, comparator: Any = None, *, norm: float | None = None) -> float:
        """The linearised regret so far against a point, or the largest over a set of points.

        Parameters: see `certificate`. It is infinite if the domain asked for is unbounded in the
        direction that would have been best.
        """
        return self._regret(self._among(comparator, norm))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The theorem's bound on the regret against a point or a set of points.

        Parameters: `comparator`, a point or a domain; by default the player's own domain, or, if that
        is unbounded, its points with `psi(u) - psi(w_1) <= norm^2 / 2` in the player's geometry
        psi: of norm at most `norm`, for squared norms. `norm`, by default, is the player's `radius`.
        """
        among = self._among(comparator, norm)
        inside = self._inside(among)
        if inside is False and not isinstance(among, Domain):
            raise ValueError(
                f"comparator={among} is not in domain={self.domain!r}; theorems cover only points of it"
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
        """The comparator as a point or a set of points."""
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
        """The points of an unbounded domain within `norm` of where play begins."""
        near = Ball(norm)
        return near if isinstance(self.domain, Everything) else Intersection(self.domain, near)

    def _words(self, among: Domain | Array) -> str:
        return f"all points of {among}" if isinstance(among, Domain) else f"the point {among}"

    def _inside(self, among: Domain | Array) -> bool | None:
        """Whether the comparators are in the domain of the theorem."""
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
        """A bound on the rounding error of sums of `rounds` numbers."""
        size = self.gross + (self._extent(among) * self.peaks if self.peaks else 0.0)
        return 4.0 * EPS * (self.rounds + self.dimension) * size

    def _extent(self, among: Domain | Array) -> float:
        """The largest `sum |u_i|` of the comparators, or an upper bound."""
        if isinstance(among, Domain):
            return among.longest(self.dimension)
        return float(np.abs(among).sum())

    # --- runs and state ----------------------------------------------------------------------------

    def run(
        self, X: Any, y: Any = None, loss: str | losses.Loss | None = None, *, points: bool = True
    ) -> ConvexRun:
        """Play many rounds at once.

        Parameters: `X`, one row a round: the gradients of linear losses `<w, x_t>`, or, with a `loss`,
        the x_t of the losses `loss(<w, x_t>, y_t)`; `points`, whether the points played are kept. The
        player goes on from where it is.
        """
        rows = matrix(X, "X", self.dimension)
        kind = None if loss is None else losses.get(loss)
        targets = None if y is None else vector(y, "y", len(rows))
        if kind is not None and targets is None:
            targets = np.ones(len(rows))
        with all_or_nothing(self) as before:
            played = self._play(rows, targets, kind, points)
        return ConvexRun(
            played, rows=rows, targets=targets, loss=kind, before=before, after=self.copy()
        )

    @of_options
    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if "domain" in options and self.domain == self._largest_domain:
            options["domain"] = None  # as it is by default
        return options

    @property
    def _largest_domain(self) -> Domain:
        """The default domain."""
        geometry: Geometry | None = getattr(self, "geometry", None)
        return Everything() if geometry is None else geometry.domain


class PlayerInPython(Player):
    """A player whose rounds are written in Python.

    A subclass has `point`, the `_move` after a gradient, and the bounds `_theorem` and `_curve`. The
    engine counts the rounds. To be saved to a file, it needs `_learned` and `_restore` as well.
    """

    def __init__(self, dimension: int, domain: Domain) -> None:
        self.dimension = whole(dimension, "dimension")
        self.domain = instance(domain, "domain", Domain)
        self.__post_init__()

    def _start(self) -> Moves:
        return Moves(self)

    @property
    @abstractmethod
    def point(self) -> Array:
        """The point to play now."""

    @abstractmethod
    def _move(self, gradient: Array) -> None:
        """Learn from a gradient, which has been checked."""

    def _paid(self) -> float:
        """The part of the bound so far that does not depend on the comparator; NaN if it is unknown."""
        return math.nan


def implied_dimension(domain: Domain, geometry: Geometry | None = None) -> int:
    """The number of coordinates of the vectors in a domain or a geometry."""
    parts = [geometry, *getattr(domain, "domains", (domain,))]
    for part, name in ((p, n) for p in parts for n in ("matrix", "low", "center", "x")):
        found = getattr(part, name, None)
        if isinstance(found, np.ndarray) and found.ndim:
            return len(found)
    raise ValueError("dimension= is needed: how many coordinates a point has")
