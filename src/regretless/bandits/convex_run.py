"""A finished game of a player that sees only values of its losses."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.bandits.bandit_run import rounding
from regretless.bandits.estimators import OneArm
from regretless.certificates import Certificate
from regretless.domains import Domain
from regretless.run import Array, Run

if TYPE_CHECKING:
    from regretless.bandits.mirror_descent import BanditMirrorDescent

__all__ = ["ConvexBanditRun"]


class ConvexBanditRun(Run):
    """The rounds of a `BanditMirrorDescent`.

    `regret` is what was really lost above a point, `bound` is on the same number, and surely so: for
    linear losses it is what can be lost at all, and for functions there is none. Theorems speak of the
    mean over the draws instead: that is `expectation()`.

    Attributes: those of `Run`; `played`, an arm, a point or two points a round; `rows` of linear losses
    or costs of arms, or None; `functions`, the losses, if they were given as such; `before` and `after`,
    the player as it was then.

    >>> from regretless.bandits import BanditGradientDescent
    >>> run = BanditGradientDescent(1, horizon=4).run([[1.0], [1.0], [-1.0], [1.0]])
    >>> run.comparator(), run.regret() <= run.bound()
    (array([-1.]), True)
    """

    def __init__(
        self,
        losses: Array,
        played: Array,
        of: Array | Sequence[Callable[[Any], Any]],
        before: "BanditMirrorDescent",
        after: "BanditMirrorDescent",
    ) -> None:
        self.losses, self.played, self.before, self.after = losses, played, before, after
        self.rows = of if isinstance(of, np.ndarray) else None
        self.functions = None if isinstance(of, np.ndarray) else of

    def comparator(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """The point that the run is compared with: the best in hindsight of those asked for.

        Parameters: `comparator`, a point or a domain (default: the player's own domain, or, if that has
        no end, its points of norm at most `norm`, by default the player's `radius`); of functions, only
        a point.
        """
        among = self._among(comparator, norm)
        if isinstance(among, np.ndarray):
            return among
        if self.rows is None:
            raise ValueError(
                "losses are functions, whose best point is not known: give a point as comparator="
            )
        return among.maximiser(-self.rows.sum(axis=0))

    def _among(self, comparator: Any, norm: float | None) -> Domain | Array:
        return self.after._among(comparator, norm)

    def _theirs(self, u: Array) -> Array:
        if self.rows is not None:
            return np.asarray(self.rows @ u)
        told = self.after.estimator.at
        return np.array([told(function, u) for function in self.functions or ()])

    def regret_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, how much more was lost than by the point that `comparator()` tells."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator, norm=norm)))

    def bound_curve(self, comparator: Any = None, *, norm: float | None = None) -> Array:
        """After each round, what of that was possible; infinite for functions."""
        u = self.comparator(comparator, norm=norm)
        if self.rows is None or not self.after.domain.contains(u):
            return np.full(self.rounds, np.inf)
        theirs = self._theirs(u)
        return np.cumsum(self._worst() - theirs) + rounding(self.losses, theirs)

    def _worst(self) -> Array:
        """The most that could be lost in each round of linear losses."""
        assert self.rows is not None
        if isinstance(self.after.estimator, OneArm):
            return np.asarray(self.rows.max(axis=1, initial=0.0))
        away = max(estimator.delta for estimator, _ in self.after._periods())  # type: ignore[attr-defined]
        inside = np.array([self.after.domain.support(row) for row in self.rows])
        return np.asarray(inside + away * np.linalg.norm(self.rows, axis=1))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret against the point that `comparator()` tells, and what of it was possible."""
        u, among = self.comparator(comparator, norm=norm), self._among(comparator, norm)
        bounds = {}
        theirs = self._theirs(u)
        if self.rows is not None:
            bounds["trivial"] = float(np.sum(self._worst() - theirs))
        return Certificate(
            self.rounds,
            self.regret(u),
            bounds,
            "nothing that is played loses more than the worst point",
            {"the comparator is in the domain": self.after.domain.contains(u)},
            f"the point {u}"
            if isinstance(among, np.ndarray)
            else f"the best in hindsight of all points of {among!r}, {u}",
            u,
            float(rounding(self.losses, theirs)[-1]) if self.rounds else 0.0,
        )

    def expectation(self) -> Certificate:
        """What is proven of the mean of the regret in this run, over the draws.

        It is not about what happened, so its `regret` is None. Theorems speak of all rounds of a
        player: if it had played before, nothing is known but what its losses can be.
        """
        return self.after._in_mean(self.rounds, about=not self.before.rounds)

    def expectation_curve(self) -> Array:
        """After each round, the bound of `expectation()`."""
        return self.after._in_mean_curve(self.rounds, about=not self.before.rounds)

    def _compared(self) -> dict[str, Any]:
        return {} if self.rows is None else super()._compared()

    def _columns(self) -> dict[str, Any]:
        flat = self.played.reshape(self.rounds, -1) if self.rounds else np.empty((0, 0))
        name = "arm" if isinstance(self.after.estimator, OneArm) else "point"
        played = {f"{name} {i}" if flat.shape[1] > 1 else name: c for i, c in enumerate(flat.T)}
        return played | {"expectation": self.expectation_curve()}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"
