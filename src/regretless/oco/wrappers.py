"""Wrappers of players and learners: linearised losses, learning from mistakes only, and doubling.

Srebro (lecture 16), slides Reducing Convex to Linear, and those on the Perceptron.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from regretless import losses
from regretless.base.arguments import Array, function, instance, number, shown, vector
from regretless.base.options import option
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.domains import Domain
from regretless.oco.convex_losses import Convex, ConvexLoss, Total, check_convex_loss
from regretless.oco.hindsight import best_of
from regretless.oco.player import ConvexRun, Played, Player, Theorem

_EPS = float(np.finfo(float).eps)


def _learner(learner: Any, name: str) -> Any:
    """The argument, if it is a player or learns one example at a time."""
    if not isinstance(learner, Player) and not hasattr(learner, "learn_one"):
        raise ValueError(f"{name}={shown(learner)} is not a Player, and it has no learn_one")
    return learner


def _of_labels(loss: Any, name: str) -> losses.Loss:
    """The loss, if it is one of classification."""
    found = losses.get(loss)
    if not found.classification:
        raise ValueError(f"{name}={found!r} is not a loss of labels; use a classification loss")
    return found


class Linearized(Stateful, changing=("losses",)):
    """Play convex losses with a player of linear losses, which is given their subgradients.

    As `f_t(w_t) - f_t(u) <= <z_t, w_t - u>` for `z_t` in the subdifferential at `w_t`, every bound
    on the player's regret is one on the regret of the convex losses (Shalev-Shwartz (2012), eq.
    2.4).

    Attributes: `loss`, the sum of the losses suffered; `losses`, each of them.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> player = Linearized(FollowTheRegularizedLeader(Euclidean(), 1, rate=0.5))
    >>> for _ in range(3):
    ...     suffered = player.update(lambda w: (w[0] - 1) ** 2, lambda w: 2 * (w - 1))
    >>> player.losses, player.regret([1.0]), player.certificate([1.0]).holds
    ([1.0, 0.0, 0.0], 1.0, True)
    """

    player: Player = option(instance, Player, kw_only=False, text="the player of linear losses")

    def __post_init__(self) -> None:
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
        """The sum of the losses suffered minus the losses of the point `comparator`."""
        u = vector(comparator, "comparator", self.player.dimension)
        return self.loss - math.fsum(float(loss.value(u)) for loss in self._functions)

    def certificate(self, comparator: Any) -> Certificate:
        """The player's bound on the regret of the convex losses against the point `comparator`.

        Convexity is checked as far as the losses were seen: at `comparator` each must be at least its
        tangent of the round.
        """
        u = vector(comparator, "comparator", self.player.dimension)
        linear = self.player.certificate(u)
        # of a player that had played before, these rounds only
        earlier, regret = self._before.regret(u), self.regret(u)
        above = self.player.regret(u) - earlier
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
        """A new object with the same options and a new player, which have learned nothing."""
        return type(self)(self.player.clone())

    def _learned(self) -> dict[str, Any]:
        if self._functions:
            raise ValueError(
                f"{self.rounds} losses are functions, which cannot be saved; save the "
                "player inside, or pickle the wrapper"
            )
        return {"player": self.player}

    def _restore(self, parts: Parts) -> None:
        self.player = instance(parts.take("player"), "player", type(self.player))
        self._before = self.player.copy()


class MistakeOnly(Stateful, changing=("rounds", "mistakes")):
    """Let a learner learn only from the rounds in which it makes a mistake.

    If a learner makes at most M mistakes on every sequence, so does this wrapper, as the learner errs on
    every round that is passed on. A score of 0 counts as a mistake. Gradient descent on the hinge loss
    becomes the Perceptron: it predicts the same for every step size, and a bound on its regret becomes
    one on mistakes, as the loss is at least 1 on the rounds passed on.

    Attributes: `mistakes`; `rounds`.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> learner = MistakeOnly(FollowTheRegularizedLeader(Euclidean(), 2, rate=0.1))
    >>> for x, y in [([1, 2], 1), ([-1, 1], -1), ([2, -1], 1), ([0.5, 0.5], -1)]:
    ...     learner.learn_one(x, y)
    >>> learner.mistakes, learner.learner.point
    (3, array([0.15, 0.05]))
    """

    learner: Any = option(
        _learner,
        kw_only=False,
        text="""a classifier with `predict_one` and `learn_one`, or a `Player`, whose point is then
        a linear classifier of labels -1 and +1""",
    )
    loss: str | losses.Loss = option(
        _of_labels,
        default="hinge",
        kw_only=False,
        text="""the loss that a player learns from, a name or a `Loss`; it should be at least 1 on a
        mistake""",
    )

    def __post_init__(self) -> None:
        self.rounds = self.mistakes = 0

    def decision_one(self, x: Any) -> Any:
        """The score of `x` by the learner; for a player, the product of `x` and its point."""
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
            slope = losses.get(self.loss).derivative(score, y)
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
        """A new object with the same options and a new learner, which have learned nothing."""
        return type(self)(self.learner.clone(), self.loss)

    def _learned(self) -> dict[str, Any]:
        return {"learner": self.learner, "rounds": self.rounds, "mistakes": self.mistakes}

    def _restore(self, parts: Parts) -> None:
        self.learner = instance(parts.take("learner"), "learner", type(self.learner))
        self.rounds = parts.whole("rounds")
        self.mistakes = parts.whole("mistakes", 0, self.rounds)


# --- the doubling trick: for any number of rounds, from players that must know it -----------------

# Shalev-Shwartz (2012), section 2.3.1; Mohri et al. (2018), Theorem 8.7.


class _Periods:
    """The engine made of the players of all periods: the last one plays, and sums are over all."""

    strength, paid = 1.0, math.nan

    def __init__(self, factory: Callable[[int], Player]) -> None:
        self.factory = factory
        self.players: list[Player] = []

    def fresh(self, horizon: int) -> Player:
        """A new player for a period of so many rounds."""
        player = self.factory(horizon)
        if not isinstance(player, Player):
            raise ValueError(f"factory({horizon}) is {shown(player)}, not a player")
        if player.rounds:
            raise ValueError(
                f"factory({horizon}) has played {player.rounds} rounds: make a new one"
            )
        if self.players and player.dimension != self.players[0].dimension:
            raise ValueError(
                f"factory({horizon}) has dimension {player.dimension}, not "
                f"{self.players[0].dimension}"
            )
        return player

    def following(self, rounds: int) -> list[Player]:
        """The player of the next period, if so many more rounds end this one."""
        t = self.rounds + rounds + 1
        return [self.fresh(t)] if t & (t - 1) == 0 else []

    @property
    def point(self) -> Array:
        return self.players[-1].point

    @property
    def theta(self) -> Array:
        return -np.asarray(sum(player.gradient_sum for player in self.players))

    @property
    def rounds(self) -> int:
        return sum(player.rounds for player in self.players)

    @property
    def linear(self) -> float:
        return math.fsum(player.linear for player in self.players)

    @property
    def gross(self) -> float:
        return math.fsum(player.gross for player in self.players)

    @property
    def peaks(self) -> float:
        return math.fsum(player.peaks for player in self.players)

    def update(self, gradient: Any) -> float:
        z = vector(gradient, "gradient", self.players[0].dimension)
        following = self.following(1)
        suffered = self.players[-1].update(z)
        self.players += following
        return suffered

    def run(self, rows: Array, targets: Array | None, loss: Any, keep: bool) -> Played:
        none = np.empty(0)
        parts = [Played(none, none, none, np.empty((0, rows.shape[1])) if keep else None)]
        while len(rows):
            n = min(len(rows), 2 ** len(self.players) - 1 - self.rounds)
            following = self.following(n)
            y = None if targets is None else targets[:n]
            parts.append(self.players[-1]._play(rows[:n], y, loss, keep))
            rows, targets = rows[n:], None if targets is None else targets[n:]
            self.players += following
        losses, strengths, paid = (np.concatenate([part[i] for part in parts]) for i in range(3))
        points = np.concatenate([part.points for part in parts]) if keep else None
        return Played(losses, strengths, paid, points)

    def sums(self) -> dict[str, Any]:
        return {}

    def state(self) -> list[Player]:
        return self.players

    def restore(self, state: list[Player]) -> None:
        self.players = state


class DoublingTrick(Player):
    """Play any number of rounds with players that need a horizon, a new one at rounds 1, 2, 4, 8, ....

    Period m is the rounds `2^m, ..., 2^(m+1) - 1`, played by `factory(2^m)`. The comparator is the same
    in all periods, so their regrets add up, and so do their bounds. If each is at most
    `alpha sqrt(2^m)`, the regret after any number of rounds T is at most

        sum_{m <= log2 T} alpha 2^(m/2)  <=  alpha sqrt(T) sqrt(2) / (sqrt(2) - 1),

    that is 3.4142 alpha sqrt(T) (Shalev-Shwartz's (2012) sum starts at 1 and goes on to the next
    power, which does not give this). In the certificate, "periods" is the sum of the periods' own
    bounds and "sqrt(T)" the right-hand side with the largest alpha that they show.

    Attributes: `periods`, the players so far, the last of which plays now.

    >>> from regretless.geometry import Euclidean
    >>> from regretless.oco.leader import FollowTheRegularizedLeader
    >>> player = DoublingTrick(lambda T: FollowTheRegularizedLeader(Euclidean(), 1, rate=1 / T**0.5))
    >>> [player.update([1.0]) for _ in range(4)], [p.rounds for p in player.periods]
    ([0.0, 0.0, -0.7071067811865475, 0.0], [1, 2, 1])
    """

    factory: Callable[[int], Player] = option(
        function,
        hint=": it makes a player for a horizon",
        kw_only=False,
        text="""a function from a horizon to a new `Player`; all players must have one dimension and
        domain""",
    )

    _yours: ClassVar[tuple[str, ...]] = ("factory",)

    def __post_init__(self) -> None:
        self._engine: _Periods = self._start()
        first = self._engine.fresh(1)
        self.periods.append(first)
        self.dimension, self.domain = first.dimension, first.domain

    def _start(self) -> "_Periods":
        return _Periods(self.factory)

    @property
    def periods(self) -> list[Player]:
        """The players so far, the last of which plays now."""
        return self._engine.players

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
        self.periods[:] = [instance(each, "periods", Player) for each in parts.take("periods")]
        if any(player.dimension != self.dimension for player in self.periods):
            raise ValueError(f"not all periods have the dimension of factory(1), {self.dimension}")
        self._check_periods()

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
    """Whether both assumptions held: False if one did not, None if one is unknown."""
    return False if False in (one, other) else None if None in (one, other) else True
