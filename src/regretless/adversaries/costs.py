"""Adversaries of experts and bandits: every arm has a cost in [0, 1]."""

from typing import Any

import numpy as np

from regretless.adversaries.adversary import Array, Linear
from regretless.adversaries.gradients import expected_absolute_sum
from regretless.arguments import probabilities, whole
from regretless.randomness import generator

__all__ = ["BernoulliArms", "CoinFlips", "SwitchingExperts"]


class _Costs(Linear):
    """Costs of arms; a choice is an arm, or a distribution over them."""

    def __init__(self, n: int, seed: int) -> None:
        super().__init__(whole(n, "n", 2))
        self._rng = generator(seed, "costs")

    def loss(self, choice: Any, answer: Array) -> float:
        if isinstance(choice, (int, np.integer)):
            return float(answer[choice])
        return super().loss(choice, answer)

    def best(self) -> float:
        return float(self.sum.min())

    def best_choice(self) -> int:
        return int(self.sum.argmin())


class CoinFlips(_Costs):
    """Costs by fair coins, of which nothing can be learned: the lower bound for experts.

    With two arms one coin tells which of them costs 1. All algorithms expect to lose T / 2 and to have
    a regret of `expected_regret(T)`, at least `sqrt(T / 8)` (Mohri et al. (2018), Theorem 8.5,
    printed as `sqrt(T) / 8`). With more arms, each has a coin of its own, and the expected regret
    comes near `sqrt(T log(n) / 2)`, which exponential weights guarantee.

    Parameters: `n` >= 2, how many arms; `seed`.

    >>> CoinFlips(2, seed=0).expected_regret(2)
    0.5
    """

    def __init__(self, n: int = 2, *, seed: int = 0) -> None:
        super().__init__(n, seed)

    def _draw(self) -> Array:
        flips = (self._rng.random(self.dimension) < 0.5).astype(np.float64)
        if self.dimension == 2:
            flips[1] = 1.0 - flips[0]
        return flips

    def expected_regret(self, rounds: int) -> float:
        """What every algorithm must expect with two arms, exactly."""
        if self.dimension != 2:
            raise ValueError(f"n={self.dimension}: the exact value is known for two arms")
        return expected_absolute_sum(rounds) / 2.0


class BernoulliArms(_Costs):
    """Arms that cost 1 with probabilities of their own, else 0: the stochastic bandit.

    Shalev-Shwartz (2012), section 4.2.

    A bandit without prior knowledge has an expected regret of at most `2 sqrt(d T log d)`
    (Shalev-Shwartz (2012), Corollary 4.2), the best ones one that grows with `log T`.

    Parameters: `means`, one probability for each of two or more arms; `seed`.

    >>> arms = BernoulliArms([0.2, 0.8], seed=0)
    >>> costs = [arms.respond(None) for _ in range(1000)]
    >>> np.mean(costs, axis=0).round(1)
    array([0.2, 0.8])
    """

    def __init__(self, means: Any, *, seed: int = 0) -> None:
        self.means = probabilities(np.atleast_1d(means), "means")
        super().__init__(len(self.means), seed)

    def _draw(self) -> Array:
        return (self._rng.random(self.dimension) < self.means).astype(np.float64)


class SwitchingExperts(_Costs):
    """The best expert changes every so many rounds, which a fixed one cannot follow.

    In each segment one expert, drawn anew and never the one before, costs 1 with probability `low`,
    the others with probability `high`. Learners that compete with a fixed expert lose about as much as
    that one; those that track (fixed share, AdaNormalHedge.TV) come near `best_switching()`.

    Parameters: `n` >= 2, how many experts; `every` >= 1, the length of a segment; `low < high` in
    [0, 1]; `seed`.

    >>> from itertools import islice
    >>> experts = SwitchingExperts(3, every=50, low=0.0, high=1.0, seed=0)
    >>> costs = np.array(list(islice(experts, 150)))
    >>> experts.best() > 40, experts.best_switching()
    (True, 0.0)
    """

    def __init__(
        self, n: int, every: int, low: float = 0.1, high: float = 0.5, *, seed: int = 0
    ) -> None:
        super().__init__(n, seed)
        self.every = whole(every, "every")
        if not 0 <= low < high <= 1:
            raise ValueError(f"low={low}, high={high}: they must be probabilities, low < high")
        self.low, self.high = low, high
        self.leader: int | None = None
        self._followed = 0.0

    def _draw(self) -> Array:
        if self.rounds % self.every == 0:
            others = [arm for arm in range(self.dimension) if arm != self.leader]
            self.leader = int(self._rng.choice(others))
        chance = np.full(self.dimension, self.high)
        chance[self.leader] = self.low
        costs = (self._rng.random(self.dimension) < chance).astype(np.float64)
        self._followed += float(costs[self.leader])
        return costs

    def best_switching(self) -> float:
        """The loss so far of who follows the leader of every segment."""
        return self._followed
