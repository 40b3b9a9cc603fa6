"""Epsilon-greedy: what looks best, and now and then anything."""

from typing import ClassVar

from regretless import _core
from regretless.arguments import positive, within
from regretless.bandits.player import ArmPlayer
from regretless.certificates import Certificate
from regretless.run import Array

__all__ = ["EpsilonGreedy"]


class EpsilonGreedy(ArmPlayer):
    """With probability epsilon any arm, all alike, else the one with the least mean loss so far.

    Arms of which no loss is known come first. A constant epsilon has a regret that grows with T, by
    `epsilon` times the mean gap a round; for `epsilon_t = min(1, decay / t)` with
    `decay >= 5 n / d^2`, d the least gap above 0, it grows with `ln T` (Auer, Cesa-Bianchi and
    Fischer (2002), Theorem 3). No bound with constants is stated here.

    Parameters
    ----------
    n, seed : as of all players.
    range : of the losses; None if they have none.
    epsilon : in [0, 1].
    decay : positive; in place of epsilon.

    >>> bandit = EpsilonGreedy(2, epsilon=0.1, seed=0)
    >>> for loss in (0.2, 0.9):
    ...     bandit.act(available=[bandit.decisions])
    ...     bandit.update(loss)
    0
    1
    >>> bandit.probabilities
    array([0.95, 0.05])
    """

    _options: ClassVar[tuple[str, ...]] = ("epsilon", "decay")
    _theorem = "none"

    def __init__(
        self,
        n: int,
        *,
        epsilon: float = 0.1,
        decay: float | None = None,
        range: tuple[float, float] | None = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        within(epsilon, "epsilon", "[0, 1]")
        self.epsilon = float(epsilon)
        self.decay = None if decay is None else positive(decay, "decay")
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        return _core.epsilon_greedy(*self._common, self.epsilon, self.decay or 0.0)

    def certificate(self, means: object = None) -> Certificate:
        """As `expectation`, which bounds nothing here."""
        return self.expectation(means)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        return {}
