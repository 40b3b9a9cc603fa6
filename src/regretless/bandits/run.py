"""The runs of players of arms."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.bandits.environments import Drawn, KeptLosses
from regretless.base.arguments import Array, distributions, shown
from regretless.base.run import Run
from regretless.certificates import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    `regret` is the actual regret to the comparator. `bound` bounds the same number: it always holds, or
    it holds with the probability and under the assumptions that the certificate names.
    """

    def __init__(self, rounds: Rounds, before: Any, after: Any) -> None:
        self.losses, self.arms, self.propensities, self.world, self.means = rounds
        self.before, self.after = before, after
        self._kind: str = getattr(after, "_compared_with", "arm")  # the name of a comparator

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

        "trivial" is the regret of playing the worst arm of each round, which nobody exceeds.
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
        found: tuple[dict[str, float], str, dict[str, bool | None]] | None
        found = self.after._realised(self, u)
        return ({}, "no arm loses more than the worst of its round", {}) if found is None else found

    def _proven_curve(self, u: Array) -> Array | None:
        """The smallest bound of `_proven` after each round; None if there is none."""
        curve: Array | None = self.after._realised_curve(self, u)
        return curve

    def _compared(self) -> dict[str, Any]:
        return {} if self.world is None else super()._compared()

    def _columns(self) -> dict[str, Any]:
        return {"arm": self.arms, "propensity": self.propensities}


class BanditRun(ArmRun):
    """The rounds of a player of arms.

    `regret` is the actual regret to an arm, and `bound` is never below it. Theorems on these players are
    about the mean over the draws instead: see `expectation()`. If losses are drawn around means, the
    mean of the regret to an arm is that of `pseudo_regret()`.

    Attributes: those of `Run`; `arms` chosen; `propensities` with which they were; `means` of the arms,
    if they are known; `before` and `after`, the player as it was then.

    >>> from regretless.bandits import Bernoulli, UCB1
    >>> run = UCB1(2).run(Bernoulli([0.1, 0.9]), 1000, seed=0)
    >>> np.bincount(run.arms), round(run.pseudo_regret(), 1)
    (array([986,  14]), 11.2)
    >>> run.regret(comparator=0) <= run.bound(comparator=0)
    True
    """

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
