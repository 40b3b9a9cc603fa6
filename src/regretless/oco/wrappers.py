"""Wrappers of players and learners: linearised losses, learning from mistakes only, and doubling.

Srebro (lecture 16), slides Reducing Convex to Linear, and those on the Perceptron.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from regretless import losses
from regretless.base.arguments import Array, function, instance, number, shown, vector
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.domains import Domain
from regretless.oco.convex_losses import Convex, ConvexLoss, Total, check_convex_loss
from regretless.oco.hindsight import best_of
from regretless.oco.player import ConvexRun, Played, Player, Theorem

_EPS = float(np.finfo(float).eps)


class Linearized(Stateful, changing=("losses",)):
    """Convex losses for a player of linear ones, which is given a subgradient at the point it played.

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
        """The point to play now."""
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
        with np.errstate(all="ignore"):  # values that are not finite are rejected
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

    @of_options
    def clone(self) -> Self:
        """Another one with the same options that has learned nothing, around a new player."""
        return type(self)(self.player.clone())

    def _learned(self) -> dict[str, Any]:
        if self._functions:
            raise ValueError(
                f"{self.rounds} losses were learned, which are functions and cannot be saved; save the "
                "player inside, or pickle it all"
            )
        return {"player": self.player}

    def _restore(self, parts: Parts) -> None:
        self.player = instance(parts.take("player"), "player", type(self.player))
        self._before = self.player.copy()


class MistakeOnly(Stateful, changing=("rounds", "mistakes")):
    """Let a learner learn only from the rounds on which it erred.

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
        """Learn from an example if the prediction for it is wrong."""
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
        except (TypeError, ValueError) as error:  # not comparable, or compared by entry
            raise ValueError(f"y={shown(y)} is not a label: {error}") from error
        score = self.learner.decision_one(x) if hasattr(self.learner, "decision_one") else None
        return isinstance(score, float) and score == 0.0

    @of_options
    def _options(self) -> dict[str, Any]:
        default = self.loss == losses.Hinge()
        return {"learner": self.learner, "loss": "hinge" if default else self.loss}

    @of_options
    def clone(self) -> Self:
        """Another one with the same options that has learned nothing, around a new learner."""
        return type(self)(self.learner.clone(), self.loss)

    def _learned(self) -> dict[str, Any]:
        return {"learner": self.learner, "rounds": self.rounds, "mistakes": self.mistakes}

    def _restore(self, parts: Parts) -> None:
        self.learner = instance(parts.take("learner"), "learner", type(self.learner))
        self.rounds = parts.whole("rounds")
        self.mistakes = parts.whole("mistakes", 0, self.rounds)


# --- the doubling trick: for any number of rounds, from players that must know it -----------------

# Shalev-Shwartz (2012), section 2.3.1; Mohri et al. (2018), Theorem 8.7.


class DoublingTrick(
    Player, changing=("rounds", "linear", "gradient_sum", "gross", "peaks", "periods")
):
    """Start afresh at the rounds 1, 2, 4, 8, ..., each time with twice the horizon.

    Period m is the rounds `2^m, ..., 2^(m+1) - 1`, played by `factory(2^m)`. The comparator is the same
    in all periods, so their regrets add up, and so do their bounds. If each is at most
    `alpha sqrt(2^m)`, the regret after any number of rounds T is at most

        sum_{m <= log2 T} alpha 2^(m/2)  <=  alpha sqrt(T) sqrt(2) / (sqrt(2) - 1),

    that is 3.4142 alpha sqrt(T) (Shalev-Shwartz's (2012) sum starts at 1 and goes on to the next
    power, which does not give this). In the certificate, "periods" is the sum of the periods' own
    bounds and "sqrt(T)" the right-hand side with the largest alpha that they show.

    Parameters: `factory`, a function from a horizon to a new `Player`; all must be of one dimension and
    domain. Attributes: `periods`, the players so far, the last of which plays now.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> player = DoublingTrick(lambda T: FollowTheRegularizedLeader(Euclidean(), 1, rate=1 / T**0.5))
    >>> [player.update([1.0]) for _ in range(4)], [p.rounds for p in player.periods]
    ([0.0, 0.0, -0.7071067811865475, 0.0], [1, 2, 1])
    """

    _yours: ClassVar[tuple[str, ...]] = ("factory",)

    def __init__(self, factory: Callable[[int], Player]) -> None:
        self.factory = function(factory, "factory", ": it makes a player for a horizon")
        self.periods = [self._fresh(1)]
        self.dimension, self.domain = self.periods[0].dimension, self.periods[0].domain
        self._count()

    def _fresh(self, horizon: int) -> Player:
        player = self.factory(horizon)
        if not isinstance(player, Player):
            raise ValueError(f"factory({horizon}) is {shown(player)}, not a player")
        if player.rounds:
            raise ValueError(
                f"factory({horizon}) has played {player.rounds} rounds: make a new one"
            )
        if horizon > 1 and player.dimension != self.dimension:
            raise ValueError(
                f"factory({horizon}) has dimension {player.dimension}, not {self.dimension}"
            )
        return player

    def _count(self) -> None:
        self.rounds = sum(player.rounds for player in self.periods)
        self.linear = math.fsum(player.linear for player in self.periods)
        self.gradient_sum = np.sum([player.gradient_sum for player in self.periods], axis=0)
        self.gross = math.fsum(player.gross for player in self.periods)
        self.peaks = math.fsum(player.peaks for player in self.periods)

    @property
    def point(self) -> Array:
        return self.periods[-1].point

    def update(self, gradient: Any) -> float:
        z = vector(gradient, "gradient", self.dimension)
        following = self._following(1)
        suffered = self.periods[-1].update(z)
        self.periods += following
        self._count()
        return suffered

    def _following(self, rounds: int) -> list[Player]:
        """The next period's player, if so many more rounds end this one."""
        t = self.rounds + rounds + 1
        return [self._fresh(t)] if t & (t - 1) == 0 else []

    def _play(self, X: Array, y: Array | None, loss: losses.Loss | None, keep: bool) -> Played:
        parts = []
        while len(X):
            n = min(len(X), 2 ** len(self.periods) - 1 - self.rounds)
            following = self._following(n)
            parts.append(self.periods[-1]._play(X[:n], None if y is None else y[:n], loss, keep))
            X, y = X[n:], None if y is None else y[n:]
            self.periods += following
            self._count()
        if not parts:
            none = np.empty(0)
            return Played(none, none, none, np.empty(X.shape) if keep else None)
        losses, strengths, paid, played = zip(*parts)
        points = np.concatenate(played) if keep else None
        return Played(
            np.concatenate(losses), np.concatenate(strengths), np.concatenate(paid), points
        )

    # --- the theorem: the comparator is the same in all periods, so all of it adds up ----------------

    def _near(self, norm: float) -> Domain:
        return self.periods[0]._near(norm)

    @property
    def _is_linear(self) -> bool:
        return all(player._is_linear for player in self.periods)

    def _regret_to(self, u: Array) -> float:
        return math.fsum(player._regret_to(u) for player in self.periods)

    def _regret(self, among: Domain | Array) -> float:
        if self._is_linear or not isinstance(among, Domain):
            return super()._regret(among)
        # the losses of leaders, as they are
        total, suffered = Total(self.dimension), 0.0
        for player in self.periods:
            total, suffered = total.together(player._total), suffered + player.loss  # type: ignore[attr-defined]
        return suffered - best_of(total, among).value

    def _rounding(self, among: Domain | Array) -> float:
        return super()._rounding(among) + math.fsum(p._rounding(among) for p in self.periods)

    def _theorem(self, among: Domain | Array) -> Theorem:
        assumptions: dict[str, bool | None] = {}
        total = alpha = 0.0
        for m, player in enumerate(self.periods):
            if player.rounds == 0:
                continue
            found = player._proven(among)
            bound = _least(found)
            total, alpha = total + bound, max(alpha, bound / math.sqrt(2.0**m))
            for name, held in found.assumptions.items():
                assumptions[name] = _both(assumptions.get(name, True), held)
        factor = math.sqrt(2.0) / (math.sqrt(2.0) - 1.0)
        both = {"periods": total, "sqrt(T)": factor * alpha * math.sqrt(self.rounds)}
        return Theorem(
            both, assumptions, "Shalev-Shwartz (2012), section 2.3.1, the doubling trick"
        )

    def _parts(self, run: ConvexRun) -> Iterator[ConvexRun]:
        """The run, period by period."""
        before: Any = run.before
        at = 0
        for m, player in enumerate(self.periods):
            earlier = before.periods[m] if m < len(before.periods) else player.clone()
            if n := player.rounds - earlier.rounds:
                yield run.part(at, at + n, earlier, player)
                at += n

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        found = [_least(part.proven(u)) for part in self._parts(run)]
        _, assumptions, name = self._theorem(u)
        return Theorem({"periods": math.fsum(found)}, assumptions, name)

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        curves, settled = [np.empty(0)], 0.0
        for part in self._parts(run):
            curves.append(settled + part.after._curve(part, u))
            settled += _least(part.proven(u))
        return np.concatenate(curves)

    def _learned(self) -> dict[str, Any]:
        return {"periods": self.periods}

    def _restore(self, parts: Parts) -> None:
        self.periods = [instance(each, "periods", Player) for each in parts.take("periods")]
        if any(player.dimension != self.dimension for player in self.periods):
            raise ValueError(f"not all periods have the dimension of factory(1), {self.dimension}")
        self._check_periods()
        self._count()

    def _check_periods(self) -> None:
        played = [player.rounds for player in self.periods]
        whole_ones = [2**m for m in range(len(played) - 1)]
        if not played or played[:-1] != whole_ones or played[-1] >= 2 ** len(whole_ones):
            raise ValueError(f"periods of {played} rounds are not doubled")


def _least(theorem: Theorem) -> float:
    """The smallest bound; infinite if an assumption failed."""
    if False in theorem.assumptions.values():
        return math.inf
    return min(theorem.bounds.values(), default=math.inf)


def _both(one: bool | None, other: bool | None) -> bool | None:
    """Whether both held: False if one did not, None if one is unknown."""
    return False if False in (one, other) else None if None in (one, other) else True
