"""`play`: any player against any adversary."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from regretless.base.arguments import Array, shown, whole
from regretless.base.run import Run
from regretless.base.threads import OneThread
from regretless.certificates import Certificate
from regretless.errors import Exhausted

# --- what all adversaries have in common ----------------------------------------------------------


class Adversary(OneThread, ABC):
    """The base of adversaries, which answer the choices of a player round by round.

    A round: `instance()` shows what the player may see, the player chooses, `respond(choice)` is the
    answer, and `loss(choice, answer)` what the choice cost. `best()` is the least that a fixed choice
    would have lost so far.

    >>> class Mocker(Adversary):
    ...     total = 0.0
    ...     def respond(self, choice):
    ...         self.total += np.sign(choice[0])
    ...         return np.sign(choice)
    ...     def loss(self, choice, answer):
    ...         return float(choice @ answer)
    ...     def best(self):
    ...         return -abs(self.total)
    >>> Mocker().respond(np.array([-0.5]))
    array([-1.])
    """

    def instance(self) -> Any:
        """The instance shown before the choice: the x of a label; None if the game has none."""
        return None

    @abstractmethod
    def respond(self, choice: Any) -> Any:
        """The answer to a choice: a gradient, the costs of all arms, or a label."""

    @abstractmethod
    def loss(self, choice: Any, answer: Any) -> float:
        """The cost of the choice."""

    def lost_by(self, comparator: Any, choice: Any, answer: Any) -> float:
        """The cost of another choice in a round with this answer."""
        return self.loss(comparator, answer)

    @abstractmethod
    def best(self) -> float:
        """The loss so far of the best fixed choice."""

    def best_choice(self) -> Any:
        """The best fixed choice, as a player makes it; None if it is not known."""
        return None


class Oblivious(Adversary):
    """An adversary that does not look at the player: its rounds can be iterated over.

    Iterating gives gradients or costs, or pairs `(x, y)` if instances are shown first.

    >>> from regretless.adversaries import UnitVectors
    >>> [y for x, y in UnitVectors(3)]
    [1, 1, 1]
    """

    def __iter__(self) -> Iterator[Any]:
        while True:
            try:
                x = self.instance()
                answer = self.respond(None)
            except Exhausted:
                return
            yield answer if x is None else (x, answer)


# --- `play`: any player against any adversary -----------------------------------------------------

_EPS = float(np.finfo(float).eps)


class AdversaryRun(Run):
    """The rounds of a player against an adversary.

    A comparator is a fixed choice, as a player makes them: a point, a distribution, an arm, a label, or,
    if instances are shown, a function of them. The adversary's `best` tells the best one; after each
    round, it is the best until then.

    Attributes: those of `Run`; `instances` shown in each round (None if there are none);
    `choices` of the player, `answers` of the adversary; `least`, the loss of the best fixed
    choice until the end of each round; `adversary`; `before` and `after`, the player as it was then, or
    None if it cannot be copied.

    >>> from regretless.adversaries import FtlKiller
    >>> from regretless.oco import OnlineGradientDescent
    >>> run = play(OnlineGradientDescent(1, rate=0.1), FtlKiller(), 100)
    >>> round(run.regret(), 9), round(run.regret([1.0]), 9), run.regret([1.0]) <= run.bound([1.0])
    (5.45, 4.45, True)
    """

    def __init__(
        self,
        losses: Array,
        *,
        instances: list[Any],
        choices: list[Any],
        answers: list[Any],
        least: Array,
        adversary: Adversary,
        before: Any,
        after: Any,
    ) -> None:
        self.losses, self.instances, self.least = losses, instances, least
        self.choices, self.answers = choices, answers
        self.adversary, self.before, self.after = adversary, before, after

    def _theirs(self, comparator: Any) -> Array:
        """The loss of a fixed choice until the end of each round."""
        if comparator is None or (isinstance(comparator, str) and comparator == "best"):
            return self.least
        choose = comparator if callable(comparator) else lambda _: comparator
        rounds = zip(self.instances, self.choices, self.answers)
        return np.cumsum([self.adversary.lost_by(choose(x), *told) for x, *told in rounds])

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the loss beyond that of the comparator."""
        return np.asarray(np.cumsum(self.losses) - self._theirs(comparator))

    def bound_curve(self, comparator: Any = None) -> Array:
        """The bound of the player's theorem at the end; infinite before, or without a theorem."""
        curve = np.full(self.rounds, math.inf)
        if self.rounds:
            curve[-1] = self.certificate(comparator).bound
        return curve

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret, and the player's bounds on it, if its theorem covers such comparators."""
        best = comparator is None or (isinstance(comparator, str) and comparator == "best")
        who = self.adversary.best_choice() if best else comparator
        theirs = self._theirs(comparator)
        words = "the best fixed choice until then" if best else f"the choice {shown(comparator)}"
        size = float(np.abs(self.losses).sum() + np.abs(np.diff(theirs, prepend=0.0)).sum())
        rounding = 4.0 * _EPS * self.rounds * size
        earlier, now = self._of_player(who)
        if now is None:
            theorem = "none: the player has no theorem about this comparator"
            return Certificate(
                self.rounds, self.regret(comparator), {}, theorem, {}, words, who, rounding
            )
        # the theorem is about all rounds: what was won before can be lost in these
        won = 0.0 if earlier is None else earlier.regret or 0.0
        return Certificate(
            self.rounds,
            self.regret(comparator),
            {name: bound - won for name, bound in now.bounds.items()},
            now.theorem,
            now.assumptions,
            words,
            who,
            rounding + now.rounding + _EPS * now.rounds * abs(won),
        )

    def _of_player(self, who: Any) -> tuple[Certificate | None, Certificate | None]:
        """The player's certificates about a choice when the run began and ended, if it has them."""
        if who is None or callable(who) or not hasattr(self.after, "certificate"):
            return None, None
        try:
            return self.before.certificate(who), self.after.certificate(who)
        except (TypeError, ValueError):  # the theorem does not cover this comparator
            return None, None

    def __repr__(self) -> str:
        return (
            f"<{self.rounds} rounds against {type(self.adversary).__name__}, loss {self.loss:.4g}>"
        )


def play(player: Any, adversary: Adversary, rounds: int) -> AdversaryRun:
    """Let a player and an adversary play; returns the run.

    Parameters
    ----------
    player : an object that shows a `point`, `weights` or `probabilities` and learns its losses by
        `update(vector)` (players and experts); that chooses an arm by `act()` and learns its cost by
        `update(cost)` (bandits); that has `predict_one(x)` and `learn_one(x, y)` (learners, of River
        too); that votes by `predict(advice)` and `update(advice, label)` (such as `experts.Halving`),
        against labels with experts; or, against labels, a function of x, which does not learn. Experts
        that show `weights` predict a probability against such labels.
    adversary : of `regretless.adversaries`, or your own `Adversary`.
    rounds : how many; fewer are played if the adversary has a last one.

    The regret is against the best fixed choice as the adversary has it: see its `best`.

    >>> from regretless.adversaries import ConsistentKiller, FtlKiller, threshold_tree
    >>> from regretless.experts import Consistent
    >>> class Leader:
    ...     point = np.zeros(1)
    ...     sum = 0.0
    ...     def update(self, z):
    ...         self.sum = self.sum + z
    ...         self.point = -np.sign(self.sum)
    >>> run = play(Leader(), FtlKiller(), 100)
    >>> run.loss, run.regret()
    (99.0, 99.5)
    >>> play(lambda x: int(x["x"] > 0.3), threshold_tree(20), 20).loss
    20.0
    >>> play(Consistent(16), ConsistentKiller(16), 16).loss
    15.0
    """
    show, tell = _seat(player, adversary)
    before = _copied(player)
    losses, instances, choices, answers, least = [], [], [], [], []
    for _ in range(whole(rounds, "rounds")):
        try:
            x = adversary.instance()
        except Exhausted:
            break
        choice = show(x)
        answer = adversary.respond(choice)
        losses.append(adversary.loss(choice, answer))
        tell(x, choice, answer)
        instances.append(x)
        choices.append(choice)
        answers.append(answer)
        least.append(adversary.best())
    return AdversaryRun(
        np.array(losses, np.float64),
        instances=instances,
        choices=choices,
        answers=answers,
        least=np.array(least, np.float64),
        adversary=adversary,
        before=before,
        after=_copied(player),
    )


def _copied(player: Any) -> Any:
    try:
        return copy.deepcopy(player)
    except Exception:  # whatever a class of the user does
        return None


_Seat = tuple[Callable[[Any], Any], Callable[[Any, Any, Any], Any]]


def _seat(player: Any, adversary: Adversary) -> _Seat:
    """How to ask the player for its choice, and how to tell it the answer."""
    if hasattr(player, "learn_one"):
        return player.predict_one, lambda x, _, y: player.learn_one(x, y)
    advice = getattr(adversary, "advice", None)
    votes = hasattr(player, "predict") and hasattr(player, "update")
    if advice is not None and votes and not hasattr(player, "act"):
        return (
            lambda x: player.predict(advice(x)),
            lambda x, _, y: player.update(advice(x), y),
        )
    if advice is not None and hasattr(player, "weights"):
        return (
            lambda x: float(np.dot(player.weights, advice(x))),
            lambda x, _, y: player.update(np.abs(np.asarray(advice(x), np.float64) - y)),
        )
    if hasattr(player, "act"):
        return lambda _: player.act(), lambda _, arm, costs: player.update(float(costs[arm]))
    for name in ("point", "weights", "probabilities"):
        if hasattr(player, name) and not votes:
            return (
                lambda _, name=name: np.array(getattr(player, name), np.float64),
                lambda _, __, vector: player.update(vector),
            )
    if votes:
        raise ValueError(
            f"player={shown(player)} votes on advice, which {type(adversary).__name__} lacks; "
            "use ConsistentKiller or CoverAdversary, or an adversary with advice(x)"
        )
    if callable(player):
        return player, lambda *_: None
    raise ValueError(
        f"player={shown(player)} has no point, weights, probabilities, act or learn_one, "
        "and is not a function"
    )
