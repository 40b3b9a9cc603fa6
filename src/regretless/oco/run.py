"""A run of a player of online convex optimisation."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.certificates import Certificate
from regretless.domains import Domain
from regretless.geometry import Entropy, Euclidean
from regretless.losses import Loss
from regretless.oco.convex_losses import score_sizes
from regretless.oco.hindsight import Hindsight, best_point
from regretless.run import Array, Run

if TYPE_CHECKING:
    from regretless.oco.player import Player, Theorem

__all__ = ["ConvexRun", "Played"]

_EPS = float(np.finfo(float).eps)


class Played(NamedTuple):
    """What a player tells of its rounds.

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
    are linear; `strengths` and `paid`, of which the player's theorem makes the bounds: see `Played`.
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
        """The point that the run is compared with: the best in hindsight of those asked for.

        Parameters: `comparator`, a point or a domain; by default the player's own domain, or, if that
        has no end, those of its points with `psi(u) - psi(w_1) <= norm^2 / 2`, psi being the player's
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
        """After each round, how much more was lost than by the point that `comparator()` tells."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator, norm=norm)))

    def bound_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, the bound on the regret against the point that `comparator()` tells.

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
        """After each round, what gradients of these sizes can do across the domain."""
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
        """Of the sums of losses, after each round, and of the player's."""
        sizes = np.abs(self.losses)
        if self.kind is None or self.targets is None:
            sizes = sizes + np.abs(self._theirs(u))
        else:
            sizes = sizes + score_sizes(self.kind, self.rows, self.targets, u)
            if self.points is not None:
                sizes += score_sizes(self.kind, self.rows, self.targets, self.points)
        sums = np.arange(1, self.rounds + 1) * np.cumsum(sizes)
        return np.asarray(_EPS * sums + self.after._rounding(u))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret against the point that `comparator()` tells, and the bounds on it."""
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
        """Some of the rounds, as a run of another player that played them."""
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
        """The scores of what was played, and the derivatives of the losses there.

        A round's gradient is its derivative times its row.
        """
        if self.points is None:
            raise ValueError("the points were not kept: run(..., points=True)")
        scores = np.einsum("td,td->t", self.points, self.rows)
        if self.kind is None or self.targets is None:
            return scores, np.ones(self.rounds)
        return scores, np.asarray(self.kind.derivative(scores, self.targets))

    def curves_by(self, curvature: float, u: Array) -> NDArray[np.bool_]:
        """In which rounds `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2`, up to rounding."""
        scores, slopes = self.slopes()
        away = slopes * (self.rows @ u - scores)
        rise = self._theirs(u) - self.losses
        size = np.abs(self._theirs(u)) + np.abs(self.losses) + np.abs(away) + curvature * away**2
        return np.asarray(rise >= away + 0.5 * curvature * away**2 - 16.0 * _EPS * size)

    def _columns(self) -> dict[str, Any]:
        if self.points is None:
            return {}
        return {f"point {i}": column for i, column in enumerate(self.points.T)}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"
