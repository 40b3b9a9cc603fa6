"""Adversaries that choose gradients or costs."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from regretless.adversaries.game import Adversary, Oblivious
from regretless.base.arguments import Array, positive, probabilities, whole
from regretless.base.randomness import generator

# --- adversaries of players that show a point: linear losses, and the quadratic game --------------


def expected_absolute_sum(rounds: int) -> float:
    """`E |e_1 + .. + e_T|` of fair signs, exactly: `T C(T - 1, (T - 1) // 2) / 2^(T - 1)`.

    It is at least `sqrt(T / 2)`, with equality at T = 2, and grows like `sqrt(2 T / pi)`.

    >>> expected_absolute_sum(2), expected_absolute_sum(3)
    (1.0, 1.5)
    """
    t = whole(rounds, "rounds", 0)
    return t * math.comb(t - 1, (t - 1) // 2) / 2 ** (t - 1) if t else 0.0


class LinearAdversary(Oblivious):
    """Linear losses `<w, z_t>` of vectors `z_t` that do not depend on the player.

    Comparators are the points of a ball of this `radius`. Without a radius they are the arms, and a
    choice is an arm or a distribution over the arms.
    """

    def __init__(self, dimension: int, seed: int = 0, radius: float | None = None) -> None:
        self.dimension, self.radius = dimension, radius
        self.rounds, self.sum = 0, np.zeros(dimension)
        self._rng = generator(seed, "costs" if radius is None else "gradients")

    @abstractmethod
    def _draw(self) -> Array:
        """The vector of the next round; `rounds` have been before it."""

    def respond(self, choice: Any) -> Array:
        z = self._draw()
        self.sum += z
        self.rounds += 1
        return z

    def loss(self, choice: Any, answer: Array) -> float:
        if self.radius is None and isinstance(choice, (int, np.integer)):
            return float(answer[choice])
        return float(np.dot(choice, answer))

    def best(self) -> float:
        if self.radius is None:
            return float(self.sum.min())
        return -self.radius * float(np.linalg.norm(self.sum))

    def best_choice(self) -> Any:
        if self.radius is None:
            return int(self.sum.argmin())
        return np.asarray(-self.radius * self.sum / (np.linalg.norm(self.sum) or 1.0))


class FtlKiller(LinearAdversary):
    """The sequence on which follow-the-leader loses in every round.

    Shalev-Shwartz (2012), Example 2.2.

    Losses `z_t w` on `[-1, 1]` with `z = -1/2, +1, -1, +1, ...`: the leader is +1 in even and -1 in odd
    rounds after the first (the text has it the other way round), and loses 1 in each of them. From
    `w_1` it loses `T - 1 - w_1 / 2` in all, and its regret is `T - 1/2 - w_1 / 2`. A regularised leader
    with `eta = 1 / sqrt(T)` has a regret of at most `sqrt(T)`.

    >>> from itertools import islice
    >>> [float(z[0]) for z in islice(FtlKiller(), 4)]
    [-0.5, 1.0, -1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(1, radius=1.0)

    def _draw(self) -> Array:
        return np.array([-0.5 if self.rounds == 0 else 1.0 if self.rounds % 2 else -1.0])


class SignGradients(LinearAdversary):
    """Fair signs along one direction: the lower bound on a ball (after Mohri et al. (2018), Theorem
    8.5).

    `z_t = +-L e_1`, each sign a fair coin. Every player expects to lose 0, and the best point of the
    ball of radius B loses `-B L |sum of signs|`, so the expected regret of all players is
    `expected_regret(T)`, at least `B L sqrt(T / 2)`; gradient descent guarantees `B L sqrt(T)`.

    Parameters: `dimension` >= 1; `radius` B > 0; `lipschitz` L > 0; `seed`.

    >>> adversary = SignGradients(2, seed=1)
    >>> [float(adversary.respond(None)[0]) for _ in range(4)]
    [1.0, -1.0, 1.0, 1.0]
    >>> adversary.expected_regret(2)
    1.0
    """

    def __init__(
        self, dimension: int = 1, radius: float = 1.0, lipschitz: float = 1.0, *, seed: int = 0
    ) -> None:
        super().__init__(whole(dimension, "dimension"), seed, positive(radius, "radius"))
        self.lipschitz = positive(lipschitz, "lipschitz")

    def _draw(self) -> Array:
        z = np.zeros(self.dimension)
        z[0] = self.lipschitz if self._rng.random() < 0.5 else -self.lipschitz
        return z

    def expected_regret(self, rounds: int) -> float:
        """The exact expected regret of every player."""
        assert self.radius is not None
        return self.radius * self.lipschitz * expected_absolute_sum(rounds)


class StochasticGradients(LinearAdversary):
    """Independent gradients around a mean: the benign case.

    `z_t = mean + noise * g_t`, `g_t` standard normal. The best point of the ball is soon near
    `-B mean / ||mean||`, and the regret of gradient descent stops growing once it plays there.

    Parameters: `mean`, a vector; `noise` > 0, the standard deviation of each coordinate; `radius` B > 0;
    `seed`.

    >>> adversary = StochasticGradients([1.0, 0.0], noise=0.1, seed=0)
    >>> adversary.respond(None).round(2)
    array([ 0.82, -0.03])
    """

    def __init__(
        self, mean: Any, noise: float = 1.0, radius: float = 1.0, *, seed: int = 0
    ) -> None:
        self.mean = np.atleast_1d(np.asarray(mean, np.float64))
        super().__init__(len(self.mean), seed, positive(radius, "radius"))
        self.noise = positive(noise, "noise")

    def _draw(self) -> Array:
        return self.mean + self.noise * self._rng.standard_normal(self.dimension)


class OrthogonalGradients(Adversary):
    """Gradients at right angles to the point and to their own sum: every player has regret
    `B L sqrt(T)`.

    Each `z_t` has length L and `<w_t, z_t> = <z_1 + .. + z_{t-1}, z_t> = 0`. So the player loses 0, the
    sum has length `L sqrt(T)`, and the best point of the ball of radius B loses `-B L sqrt(T)`. Gradient
    descent with `eta = B / (L sqrt(T))` guarantees exactly that much, and players cannot guarantee less;
    Abernethy, Bartlett, Rakhlin and Tewari, "Optimal strategies and minimax lower bounds for online
    convex games" (2008). It looks at the point, so it cannot be iterated over.

    Parameters: `dimension` >= 3; `radius` B > 0; `lipschitz` L > 0.

    >>> adversary = OrthogonalGradients(3)
    >>> for w in ([0, 0, 1], [1, 0, 0], [0.6, 0.8, 0], [1, 1, 1]):
    ...     z = adversary.respond(np.array(w))
    >>> round(adversary.best(), 12)
    -2.0
    """

    def __init__(self, dimension: int = 3, radius: float = 1.0, lipschitz: float = 1.0) -> None:
        self.dimension = whole(dimension, "dimension", 3)
        self.radius, self.lipschitz = positive(radius, "radius"), positive(lipschitz, "lipschitz")
        self.sum = np.zeros(self.dimension)

    def respond(self, choice: Any) -> Array:
        # the last right singular vector of two rows is at right angles to both
        z: Array = np.linalg.svd(np.vstack([choice, self.sum]))[2][-1] * self.lipschitz
        self.sum = self.sum + z
        return z

    def loss(self, choice: Any, answer: Array) -> float:
        return float(np.dot(choice, answer))

    def best(self) -> float:
        return -self.radius * float(np.linalg.norm(self.sum))

    def best_choice(self) -> Array:
        return np.asarray(-self.radius * self.sum / (np.linalg.norm(self.sum) or 1.0))


class QuadraticGame(LinearAdversary):
    """Losses `1/2 ||w - z_t||^2`, on which follow-the-leader plays the running mean and does well.

    Shalev-Shwartz (2012), section 2.2.

    The `z_t` are uniform on the ball of radius L. The leader's regret is at most `4 L^2 (log T + 1)`
    against every point, while on linear losses it is not bounded. The answer to a point is the
    gradient there, `w - z_t`; iterating gives the `z_t`.

    Parameters: `dimension` >= 1; `size` L > 0; `seed`.

    >>> game = QuadraticGame(2, seed=0)
    >>> gradient = game.respond(np.zeros(2))
    >>> round(game.loss(np.zeros(2), gradient), 3), round(float(gradient @ gradient) / 2, 3)
    (0.344, 0.344)
    """

    def __init__(self, dimension: int = 1, size: float = 1.0, *, seed: int = 0) -> None:
        self.size = positive(size, "size")
        super().__init__(whole(dimension, "dimension"), seed, self.size)
        self._squares = 0.0

    def _draw(self) -> Array:
        direction = self._rng.standard_normal(self.dimension)
        length = self.size * self._rng.random() ** (1.0 / self.dimension)
        z: Array = length * direction / np.linalg.norm(direction)
        self._squares += float(z @ z)
        return z

    def respond(self, choice: Any) -> Array:
        z = super().respond(choice)
        return z if choice is None else np.asarray(choice, np.float64) - z

    def loss(self, choice: Any, answer: Array) -> float:
        return 0.5 * float(answer @ answer)

    def lost_by(self, comparator: Any, choice: Any, answer: Array) -> float:
        away = np.asarray(comparator, np.float64) - (
            choice - answer
        )  # z is where the gradient is from
        return 0.5 * float(away @ away)

    def best(self) -> float:
        # at the mean m: 1/2 (sum ||z||^2 - T ||m||^2)
        return 0.5 * (self._squares - float(self.sum @ self.sum) / max(1, self.rounds))

    def best_choice(self) -> None:
        return None


# --- adversaries of experts and bandits: every arm has a cost in [0, 1] ---------------------------


class CoinFlips(LinearAdversary):
    """Costs by fair coins, which cannot be predicted: the lower bound for experts.

    With two arms one coin tells which of them costs 1. All algorithms expect to lose T / 2 and to have
    a regret of `expected_regret(T)`, at least `sqrt(T / 8)` (Mohri et al. (2018), Theorem 8.5,
    printed as `sqrt(T) / 8`). With more arms, each has a coin of its own, and the expected regret
    comes near `sqrt(T log(n) / 2)`, which exponential weights guarantee.

    Parameters: `n` >= 2, how many arms; `seed`.

    >>> CoinFlips(2, seed=0).expected_regret(2)
    0.5
    """

    def __init__(self, n: int = 2, *, seed: int = 0) -> None:
        super().__init__(whole(n, "n", 2), seed)

    def _draw(self) -> Array:
        flips = (self._rng.random(self.dimension) < 0.5).astype(np.float64)
        if self.dimension == 2:
            flips[1] = 1.0 - flips[0]
        return flips

    def expected_regret(self, rounds: int) -> float:
        """The exact expected regret of every algorithm with two arms."""
        if self.dimension != 2:
            raise ValueError(f"n={self.dimension}: the exact value is known for two arms")
        return expected_absolute_sum(rounds) / 2.0


class BernoulliArms(LinearAdversary):
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
        super().__init__(whole(len(self.means), "n", 2), seed)

    def _draw(self) -> Array:
        return (self._rng.random(self.dimension) < self.means).astype(np.float64)


class SwitchingExperts(LinearAdversary):
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
        super().__init__(whole(n, "n", 2), seed)
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
        """The loss so far of the sequence of the best expert of every segment."""
        return self._followed
