"""The runs of bandit players: with arms, with arms in a context, and on a convex set."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.bandits.environments import Drawn, KeptLosses
from regretless.bandits.estimators import OneArm
from regretless.base.arguments import Array, distributions, shown
from regretless.base.run import Run
from regretless.certificates import Certificate
from regretless.domains import Domain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.bandits.mirror_descent import BanditMirrorDescent


# --- runs with arms -------------------------------------------------------------------------------

_EPS = float(np.finfo(float).eps)


class Rounds(NamedTuple):
    """The rounds of a run: choices, losses, and the losses of the other arms if they are known.

    Attributes: `losses` suffered; `arms` chosen; `propensities` with which they were; `world`, the
    losses of all who it can be compared with, or None if they are not known; `means` of the arms, if
    they are.
    """

    losses: Array
    arms: NDArray[np.int64]
    propensities: Array
    world: KeptLosses | Drawn | None = None
    means: Array | None = None


def mixture(comparator: Any, sums: Array, kind: str = "arm") -> Array:
    """The comparator as a distribution over arms with these total losses: the best, one, or a mixture.

    >>> mixture(None, np.array([3.0, 1.0, 2.0])), mixture(0, np.array([3.0, 1.0]))
    (array([0., 1., 0.]), array([1., 0.]))
    """
    n = len(sums)
    if comparator is None or (isinstance(comparator, str) and comparator == "best"):
        return np.asarray(np.eye(n)[np.argmin(sums)])
    if isinstance(comparator, (int, np.integer)) and not isinstance(comparator, bool):
        if not 0 <= comparator < n:
            raise ValueError(
                f"comparator={comparator} is none of the {n} {kind}s, which are counted from 0"
            )
        return np.asarray(np.eye(n)[comparator])
    if np.ndim(comparator) != 1:
        raise ValueError(
            f"comparator={shown(comparator)} is not 'best', the number of one of the {n} {kind}s, or a "
            "distribution over them"
        )
    return distributions(comparator, "comparator", (n,))


def rounding(losses: Array, theirs: Array) -> Array:
    """A bound, after each round, on the rounding error of the difference of two sums."""
    sizes = np.cumsum(np.abs(losses) + np.abs(theirs))
    return np.asarray(2.0 * _EPS * np.arange(1, len(losses) + 1) * sizes)


class ArmRun(Run):
    """Rounds in which one of several arms was chosen, with its loss.

    `regret` is what was really lost above the comparator. `bound` is on the same number: it holds
    surely, or with the probability and under the assumptions that the certificate names.
    """

    arms: NDArray[np.int64]
    propensities: Array
    world: KeptLosses | Drawn | None
    _kind = "arm"  # the name of a comparator in texts

    def comparator(self, comparator: Any = None) -> Array:
        """The distribution over the arms that the run is compared with.

        Parameters: `comparator`, "best" (default), the arm that lost the least in this run; the number
        of an arm; or a distribution over them.
        """
        return mixture(comparator, self._losses().sums(), self._kind)

    def _losses(self) -> KeptLosses | Drawn:
        if self.world is None:
            raise ValueError(
                "the losses of the other arms are not known: they are if run() is given a matrix of "
                "losses or an environment"
            )
        return self.world

    def _theirs(self, u: Array) -> Array:
        return self._losses().mix(u)

    def _words(self, comparator: Any, u: Array) -> str:
        if u.max() < 1.0:
            return f"the distribution {u} over the {self._kind}s"
        best = comparator is None or isinstance(comparator, str)
        return (
            f"{f'the best {self._kind} in hindsight, ' if best else ''}{self._kind} {np.argmax(u)}"
        )

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, how much more was lost than by the comparator."""
        return np.cumsum(self.losses - self._theirs(self.comparator(comparator)))

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on that; infinite where no theorem has one."""
        u = self.comparator(comparator)
        curve = self._proven_curve(u)
        if curve is None:
            return np.full(self.rounds, np.inf)
        theirs = self._theirs(u)
        trivial = np.cumsum(self._losses().worst() - theirs)
        curve = np.minimum(curve, trivial) + rounding(self.losses, theirs)
        return np.where(np.isnan(curve), np.inf, curve)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret to the comparator, and the bounds on it.

        "trivial" is what whoever chooses among these arms can lose: the worst arm of each round.
        """
        u = self.comparator(comparator)
        theirs = self._theirs(u)
        bounds, theorem, assumptions = self._proven(u)
        return Certificate(
            self.rounds,
            self.regret(u),
            bounds | {"trivial": float(np.sum(self._losses().worst() - theirs))},
            theorem,
            assumptions,
            self._words(comparator, u),
            int(np.argmax(u)) if u.max() == 1.0 else u,
            float(rounding(self.losses, theirs)[-1]) if self.rounds else 0.0,
        )

    def _proven(self, u: Array) -> tuple[dict[str, float], str, dict[str, bool | None]]:
        """Bounds on the regret itself, where they are from, and what they assume."""
        return {}, "no arm loses more than the worst of its round", {}

    def _proven_curve(self, u: Array) -> Array | None:
        """The smallest bound of `_proven` after each round; None if there is none."""
        return None

    def _compared(self) -> dict[str, Any]:
        return {} if self.world is None else super()._compared()

    def _columns(self) -> dict[str, Any]:
        return {"arm": self.arms, "propensity": self.propensities}


class BanditRun(ArmRun):
    """The rounds of a player of arms.

    `regret` is what was really lost above an arm, and `bound` never below it. Theorems on these players
    speak of the mean over the draws instead: that is `expectation()`. If losses are drawn around means,
    the mean of the regret to an arm is that of `pseudo_regret()`.

    Attributes: those of `Run`; `arms` chosen; `propensities` with which they were; `means` of the arms,
    if they are known; `before` and `after`, the player as it was then.

    >>> from regretless.bandits import Bernoulli, UCB1
    >>> run = UCB1(2).run(Bernoulli([0.1, 0.9]), 1000, seed=0)
    >>> np.bincount(run.arms), round(run.pseudo_regret(), 1)
    (array([986,  14]), 11.2)
    >>> run.regret(comparator=0) <= run.bound(comparator=0)
    True
    """

    def __init__(self, rounds: Rounds, before: Any, after: Any) -> None:
        self.losses, self.arms, self.propensities, self.world, self.means = rounds
        self.before, self.after = before, after
        self._kind = after._compared_with

    def _proven(self, u: Array) -> tuple[dict[str, float], str, dict[str, bool | None]]:
        found = self.after._realised(self, u)
        return super()._proven(u) if found is None else found

    def _proven_curve(self, u: Array) -> Array | None:
        curve: Array | None = self.after._realised_curve(self, u)
        return curve

    # --- in expectation ----------------------------------------------------------------------------

    def pseudo_regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the sum of the mean losses of the arms chosen less that of the comparator.

        `comparator`: by default the arm with the least mean; otherwise see `regret`.
        """
        if self.means is None:
            raise ValueError("the means are not known: they are for run(environment, rounds)")
        u = mixture(comparator, self.means)
        return np.cumsum(self.means[self.arms] - self.means @ u)

    def pseudo_regret(self, comparator: Any = None) -> float:
        """The sum of the mean losses of the arms chosen less that of the comparator."""
        curve = self.pseudo_regret_curve(comparator)
        return float(curve[-1]) if len(curve) else 0.0

    def expectation(self) -> Certificate:
        """Bounds on the expected regret of such a run, over the draws.

        It is not about what happened, so its `regret` is None. Theorems speak of all rounds of a
        player: if it had played before, what they say of these rounds is known only if losses are drawn
        around means, where no round has a negative regret in the mean.
        """
        certificate: Certificate = self.after._expectation(self)
        return certificate

    def expectation_curve(self) -> Array:
        """After each round, the bound of `expectation()`."""
        curve: Array = self.after._expectation_curve(self)
        return curve

    def _columns(self) -> dict[str, Any]:
        more = {} if self.means is None else {"pseudo_regret": self.pseudo_regret_curve()}
        return super()._columns() | more | {"expectation": self.expectation_curve()}

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the regret, the pseudo-regret if it is known, and the bound on its mean.

        `ax`, where to draw; a new picture by default.

        >>> from regretless.bandits import Bernoulli, Exp3
        >>> Exp3(2).run(Bernoulli([0.1, 0.9]), 100).plot().get_ylabel()
        'regret'
        """
        from regretless.plots.players import bandit_regret

        return bandit_regret(self, ax)

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


# --- runs of contextual bandits -------------------------------------------------------------------


class ContextualRun(ArmRun):
    """The rounds of a contextual bandit; losses are rewards with the sign changed.

    It is compared with single arms, by default the best in hindsight. `regret` is what was really
    missed, and `bound` is on the same number.

    Attributes: those of `Run`; `arms` chosen; `propensities` with which they were; `rewards` of all
    arms, a row a round; `before` and `after`, the bandit as it was then.

    >>> from regretless.bandits import LinUCB
    >>> run = LinUCB(2, 1).run([[1.0], [1.0], [1.0]], rewards=[[0.0, 1.0]] * 3)
    >>> run.arms, run.reward, run.regret()
    (array([0, 1, 1]), 2.0, 1.0)
    """

    world: KeptLosses

    def __init__(
        self,
        rewards: Array,
        arms: NDArray[np.int64],
        propensities: Array,
        *,
        before: Any,
        after: Any,
        widths: tuple[Array, Array, Array] | None = None,
    ) -> None:
        self.arms, self.propensities = arms, propensities
        self.losses = -rewards[np.arange(len(arms)), arms]
        self.world = KeptLosses(-rewards)
        self.before, self.after = before, after
        self.widths = widths  # of what was played, of the widest arm, and how much was learned

    @property
    def rewards(self) -> Array:
        """The rewards of all arms, a row for each round."""
        return -self.world.rows

    @property
    def reward(self) -> float:
        """The sum of the rewards."""
        return -self.loss

    def _proven(self, u: Array) -> tuple[dict[str, float], str, dict[str, bool | None]]:
        found = None if self.widths is None else self.after._realised(self)
        return super()._proven(u) if found is None else found

    def _proven_curve(self, u: Array) -> Array | None:
        if self.widths is None:
            return None
        curve: Array = self.after._realised_curve(self)
        return curve

    def _columns(self) -> dict[str, Any]:
        return super()._columns() | {"reward": -self.losses}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, reward {self.reward:.4g}>"


def arm_of(arm: Any, n: int) -> int:
    """One of `n` arms, or a `ValueError` in the words of the core.

    >>> arm_of(2, 2)
    Traceback (most recent call last):
    ValueError: arm=2 is none of the 2 arms, which are counted from 0
    """
    if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)) or not 0 <= arm < n:
        raise ValueError(f"arm={shown(arm)} is none of the {n} arms, which are counted from 0")
    return int(arm)


# --- runs on a convex set -------------------------------------------------------------------------


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
        """After each round, the largest possible regret; infinite if losses are functions."""
        u = self.comparator(comparator, norm=norm)
        if self.rows is None or not self.after.domain.contains(u):
            return np.full(self.rounds, np.inf)
        theirs = self._theirs(u)
        return np.cumsum(self._worst() - theirs) + rounding(self.losses, theirs)

    def _worst(self) -> Array:
        """The largest possible loss of each round, for linear losses."""
        assert self.rows is not None
        if isinstance(self.after.estimator, OneArm):
            return np.asarray(self.rows.max(axis=1, initial=0.0))
        away = max(estimator.delta for estimator, _ in self.after._periods())  # type: ignore[attr-defined]
        inside = np.array([self.after.domain.support(row) for row in self.rows])
        return np.asarray(inside + away * np.linalg.norm(self.rows, axis=1))

    def certificate(self, comparator: Any = None, *, norm: float | None = None) -> Certificate:
        """The regret against the point that `comparator()` returns, and the largest possible regret."""
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
        """Bounds on the expected regret of such a run, over the draws.

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
