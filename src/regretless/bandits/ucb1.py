"""UCB1: the arm whose loss could be the least (Auer, Cesa-Bianchi and Fischer (2002))."""

import math
from typing import ClassVar

import numpy as np

from regretless import _core
from regretless.arguments import positive
from regretless.bandits.player import ArmPlayer
from regretless.certificates import Certificate
from regretless.run import Array

__all__ = ["UCB1"]

_CONSTANT = 1.0 + math.pi**2 / 3.0


class UCB1(ArmPlayer):
    """The arm with the least `mean - sqrt(8 noise^2 ln t / seen)`, of losses that are drawn.

    For losses in [0, 1], noise is 1/2, and this the text's `sqrt(2 ln t / seen)`, t being all losses
    seen. Arms of which none is known come first, then the first of the least. Nothing is random. With
    gaps `D_i` between the means the expected pseudo-regret is at most (Theorem 1)

        sum_{i: D_i > 0} 32 noise^2 ln T / D_i + (1 + pi^2 / 3) sum D_i

    and whatever the gaps, if losses have a range, at most
    `sqrt(128 noise^2 n T ln T) + (1 + pi^2 / 3) n`: arms with a gap below `sqrt(32 noise^2 n ln T / T)`
    lose no more than that a round. Losses that look at the player may do anything to it.

    Parameters
    ----------
    n, seed : as of all players; no seed is needed.
    range : of the losses; None if they have none.
    noise : losses less their mean are sub-Gaussian with this, in units of the range: 1/2 whatever they
        are, if there is one.

    >>> bandit = UCB1(2)
    >>> for loss in (0.2, 0.9):
    ...     arm = bandit.act()
    ...     bandit.update(loss)
    >>> bandit.act(), bandit.probabilities
    (0, array([1., 0.]))
    >>> {name: round(bound, 2) for name, bound in bandit.expectation([0.2, 0.9]).bounds.items()}
    {'gaps': 10.92, 'any gaps': 18.0, 'trivial': 1.4}
    """

    _options: ClassVar[tuple[str, ...]] = ("noise",)
    _theorem = "Auer, Cesa-Bianchi and Fischer (2002), Theorem 1"

    def __init__(
        self,
        n: int,
        *,
        noise: float = 0.5,
        range: tuple[float, float] | None = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        self.noise = positive(noise, "noise")
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        return _core.ucb1(self.n, *self._ends, self.noise)

    def certificate(self, means: object = None) -> Certificate:
        """As `expectation`: nothing is drawn by the player, and no run is certain."""
        return self.expectation(means)

    def _promised(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        # of losses that are just there nothing is known
        return {} if gaps is None else self._expected(rounds, gaps)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        logs, noise = np.log(rounds), self.noise
        bounds = {}
        if gaps is not None:
            behind = gaps[gaps > 0]
            bounds["gaps"] = (
                32.0 * noise**2 * logs * np.sum(1.0 / behind) + _CONSTANT * behind.sum()
            )
        if self.range is not None:
            root = np.sqrt(128.0 * noise**2 * self.n * rounds * logs)
            bounds["any gaps"] = root + _CONSTANT * self.n
        return bounds

    def _assumptions(self, stochastic: bool) -> dict[str, bool | None]:
        known = self.range is not None and self.noise >= 0.5
        return super()._assumptions(True) | {
            f"losses are {self.noise:g}-sub-Gaussian": True if known else None
        }
