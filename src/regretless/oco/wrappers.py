"""Players and learners around others: convex losses made linear, and learning from mistakes only.

Srebro (lecture 16), slides Reducing Convex to Linear, and those on the Perceptron.
"""

import copy
import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from regretless import losses
from regretless.arguments import function, instance, number, shown, vector
from regretless.certificates import Certificate
from regretless.oco.convex_losses import Convex, ConvexLoss, check_convex_loss
from regretless.oco.player import Player
from regretless.run import Array
from regretless.threads import OneThread

__all__ = ["Linearized", "MistakeOnly"]

_EPS = float(np.finfo(float).eps)


class Linearized(OneThread, changing=("losses",)):
    """Convex losses for a player of linear ones: it is given a subgradient at the point it played.

    As `f_t(w_t) - f_t(u) <= <z_t, w_t - u>` for `z_t` in the subdifferential at `w_t`, every bound
    on the player's regret is one on the regret of the convex losses (Shalev-Shwartz (2012), eq.
    2.4).

    Parameters: `player`, any `Player`. Attributes: `loss`, the sum of the losses suffered; `losses`,
    each of them.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> player = Linearized(FollowTheRegularizedLeader(Euclidean(), 1, rate=0.5))
    >>> for _ in range(3):
    ...     suffered = player.update(lambda w: (w[0] - 1) ** 2, lambda w: 2 * (w - 1))
    >>> player.losses, player.regret([1.0]), player.certificate([1.0]).holds
    ([1.0, 0.0, 0.0], 1.0, True)
    """

    def __init__(self, player: Player) -> None:
        self.player = instance(player, "player", Player)
        self._before = self.player.copy()  # it may have played
        self.losses: list[float] = []
        self._functions: list[Convex] = []

    @property
    def point(self) -> Array:
        """What is played now."""
        return self.player.point

    @property
    def rounds(self) -> int:
        """Rounds played with losses."""
        return len(self.losses)

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""
        return math.fsum(self.losses)

    def update(self, value: Callable[[Array], float], gradient: Callable[[Array], Array]) -> float:
        """Learn from a convex loss, given by its value and a subgradient; returns the loss suffered."""
        function(value, "value"), function(gradient, "gradient")
        return self.learn(ConvexLoss(value, gradient))

    def learn(self, loss: Convex) -> float:
        """Learn from an object with `value(w)` and `gradient(w)`; returns the loss suffered."""
        check_convex_loss(loss)
        w = self.player.point
        with np.errstate(all="ignore"):  # what is not finite is refused
            suffered = number(loss.value(w), "loss.value(point)")
        if not math.isfinite(suffered):
            raise ValueError(f"loss.value(point)={suffered} is not finite at point={w}")
        z = vector(loss.gradient(w), "loss.gradient(point)", len(w))
        if not np.array_equal(w, self.player.point):
            raise RuntimeError("the loss moved the player that is learning it; learn one at a time")
        self.player.update(z)
        self.losses.append(suffered)
        self._functions.append(loss)
        return suffered

    def regret(self, comparator: Any) -> float:
        """How much more was lost than by the point `comparator`."""
        u = vector(comparator, "comparator", self.player.dimension)
        return self.loss - math.fsum(float(loss.value(u)) for loss in self._functions)

    def certificate(self, comparator: Any) -> Certificate:
        """The player's bound on the regret of the convex losses against the point `comparator`.

        That the losses are convex is checked as far as they were seen: no loss may be below its
        tangent of the round at `comparator`.
        """
        u = vector(comparator, "comparator", self.player.dimension)
        linear = self.player.certificate(u)
        # of a player that had played before, these rounds only
        earlier, regret = self._before._regret_to(u), self.regret(u)
        above = self.player._regret_to(u) - earlier
        size = math.fsum(map(abs, self.losses)) + abs(regret - self.loss)
        rounding = linear.rounding + 4.0 * _EPS * (self.rounds + 1) * size
        convex: dict[str, bool | None] = {
            "the losses are above their tangents": regret <= above + rounding
        }
        return Certificate(
            self.rounds,
            regret,
            {name: bound - earlier for name, bound in linear.bounds.items()},
            f"Shalev-Shwartz (2012), eq. 2.4, with {linear.theorem}",
            linear.assumptions | convex,
            linear.comparators,
            u,
            rounding,
        )

    def clone(self) -> Self:
        """Another one around a clone of the player."""
        return type(self)(self.player.clone())

    def copy(self) -> Self:
        """Another one that has learned the same; losses that are functions are shared."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"Linearized({self.player!r})"


class MistakeOnly(OneThread, changing=("rounds", "mistakes")):
    """Give a learner only the rounds on which it erred; it stays as it is on the others.

    If a learner makes at most M mistakes on every sequence, so does this, as it errs on every round
    that is passed on. A score of 0 counts as a mistake. Gradient descent on the hinge loss becomes
    the Perceptron: it predicts the same for every step size, and a bound on its regret becomes one on
    mistakes, for on the rounds passed on the loss is at least 1.

    Parameters: `learner`, a classifier with `predict_one` and `learn_one`, or a `Player`, whose point
    is then a linear classifier of labels -1 and +1; `loss` that a player learns from, a name or a
    `Loss`; it should be at least 1 on a mistake (default: the hinge). Attributes: `mistakes`; `rounds`.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> learner = MistakeOnly(FollowTheRegularizedLeader(Euclidean(), 2, rate=0.1))
    >>> for x, y in [([1, 2], 1), ([-1, 1], -1), ([2, -1], 1), ([0.5, 0.5], -1)]:
    ...     learner.learn_one(x, y)
    >>> learner.mistakes, learner.learner.point
    (3, array([0.15, 0.05]))
    """

    def __init__(self, learner: Any, loss: str | losses.Loss = "hinge") -> None:
        if not isinstance(learner, Player) and not hasattr(learner, "learn_one"):
            raise ValueError(f"learner={shown(learner)} is no Player, and it has no learn_one")
        self.learner, self.loss = learner, losses.get(loss)
        if not self.loss.classification:
            raise ValueError(f"loss={self.loss!r} is not of labels; use a classification loss")
        self.rounds = self.mistakes = 0

    def decision_one(self, x: Any) -> Any:
        """The score of `x`: of the learner, or its product with the player's point."""
        if isinstance(self.learner, Player):
            return float(self.learner.point @ vector(x, "x", self.learner.dimension))
        return self.learner.decision_one(x)

    def predict_one(self, x: Any) -> Any:
        """The label of `x`; a player's is +1 for a score of at least 0, else -1."""
        if isinstance(self.learner, Player):
            return 1 if self.decision_one(x) >= 0.0 else -1
        return self.learner.predict_one(x)

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn from an example if it is got wrong."""
        if isinstance(self.learner, Player):
            score = self.decision_one(x)
            if number(y, "y") not in (-1.0, 1.0):
                raise ValueError(f"y={shown(y)} is not a label: use -1 and +1")
            slope = self.loss.derivative(score, y)
            if wrong := y * score <= 0.0:
                self.learner.update(slope * np.asarray(x, np.float64))
        elif wrong := self._errs(x, y):
            self.learner.learn_one(x, y)
        self.rounds += 1
        self.mistakes += wrong

    def _errs(self, x: Any, y: Any) -> bool:
        said = self.learner.predict_one(x)
        try:
            if said != y:
                return True
        except (TypeError, ValueError) as error:  # what cannot be compared, or has several answers
            raise ValueError(f"y={shown(y)} is not a label: {error}") from error
        score = self.learner.decision_one(x) if hasattr(self.learner, "decision_one") else None
        return isinstance(score, float) and score == 0.0

    def clone(self) -> Self:
        """Another one around a clone of the learner."""
        return type(self)(self.learner.clone(), self.loss)

    def copy(self) -> Self:
        """Another one that has learned the same."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"MistakeOnly({self.learner!r}, loss={self.loss!r})"
