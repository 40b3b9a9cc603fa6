"""`play`: any player against any adversary."""

from typing import Any, NamedTuple

import numpy as np

from regretless.adversaries.adversary import Adversary, Array, Exhausted
from regretless.arguments import shown, whole

__all__ = ["Game", "play"]


class Game(NamedTuple):
    """What a game has come to: the total `loss`, the `regret`, and the `losses` of all rounds.

    >>> Game(3.0, 1.0, np.ones(3)).regret
    1.0
    """

    loss: float
    regret: float
    losses: Array


def play(player: Any, adversary: Adversary, rounds: int) -> Game:
    """Let a player and an adversary play, and tell what was lost.

    Parameters
    ----------
    player : who shows a `point`, `weights` or `probabilities` and is told of its losses by
        `update(vector)` (players and experts); who chooses an arm by `act()` and is told its cost by
        `update(cost)` (bandits); who has `predict_one(x)` and `learn_one(x, y)` (learners, of River
        too); or, against labels, a function of x, which learns nothing.
    adversary : of `regretless.adversaries`, or your own `Adversary`.
    rounds : how many; fewer are played if the adversary has a last one.

    The regret is against the best fixed choice as the adversary has it: see its `best`.

    >>> from regretless.adversaries import FtlKiller, threshold_tree
    >>> class Leader:
    ...     point = np.zeros(1)
    ...     sum = 0.0
    ...     def update(self, z):
    ...         self.sum = self.sum + z
    ...         self.point = -np.sign(self.sum)
    >>> play(Leader(), FtlKiller(), 100)[:2]
    (99.0, 99.5)
    >>> play(lambda x: int(x["x"] > 0.3), threshold_tree(20), 20).loss
    20.0
    """
    show, tell = _seat(player)
    losses = []
    for _ in range(whole(rounds, "rounds")):
        try:
            x = adversary.instance()
        except Exhausted:
            break
        choice = show(x)
        answer = adversary.respond(choice)
        losses.append(adversary.loss(choice, answer))
        tell(x, choice, answer)
    lost = np.array(losses)
    return Game(float(lost.sum()), float(lost.sum()) - adversary.best(), lost)


def _seat(player: Any) -> tuple[Any, Any]:
    """How to ask the player for its choice, and how to tell it the answer."""
    if hasattr(player, "learn_one"):
        return player.predict_one, lambda x, _, y: player.learn_one(x, y)
    if hasattr(player, "act"):
        return lambda _: player.act(), lambda _, arm, costs: player.update(float(costs[arm]))
    for name in ("point", "weights", "probabilities"):
        if hasattr(player, name):
            return (
                lambda _, name=name: np.array(getattr(player, name), np.float64),
                lambda _, __, vector: player.update(vector),
            )
    if callable(player):
        return player, lambda *_: None
    raise ValueError(
        f"player={shown(player)} has no point, weights, probabilities, act or learn_one, "
        "and is no function"
    )
