"""Environments with random losses, drawn in the core, so that a million rounds need no matrix."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, check_seed, not_negative, probabilities, table, whole


@dataclass(frozen=True)
class Environment:
    """Arms with random losses around a mean each; a loss depends only on the seed and the round.

    So all players that are given the same seed meet the same losses.
    """

    means: tuple[float, ...]
    _kind: ClassVar[_core.EnvironmentKind]

    def __post_init__(self) -> None:
        means = table(self.means, "means", (None,))
        if not len(means):
            raise ValueError("means is empty: there must be an arm")
        object.__setattr__(self, "means", tuple(means.tolist()))

    @property
    def n(self) -> int:
        """How many arms there are."""
        return len(self.means)

    def losses(self, rounds: int, seed: int = 0) -> Array:
        """The losses of all arms in the first rounds, a row each."""
        rows = self.world(seed).rows(0, whole(rounds, "rounds", 0))
        return rows.reshape(-1, self.n)

    def world(self, seed: int) -> _core.Environment:
        """The same losses in the core, which draws them when they are asked for."""
        return _core.Environment(self._kind, list(self.means), self._scale, folded(seed))

    @property
    def _scale(self) -> float:
        return 0.0


@dataclass(frozen=True)
class Bernoulli(Environment):
    """Arms whose loss is 1 with a probability of their own, and else 0.

    Parameters: `means`, the probabilities.

    >>> Bernoulli([0.2, 0.8]).losses(3, seed=1)
    array([[0., 1.],
           [0., 0.],
           [0., 1.]])
    """

    _kind = _core.EnvironmentKind.bernoulli

    def __post_init__(self) -> None:
        super().__post_init__()
        probabilities(self.means, "means")


@dataclass(frozen=True)
class Gaussian(Environment):
    """Arms whose losses are normal around their means. Players need `range=None` for them.

    Parameters: `means`; `scale`, the standard deviation of the losses of each.

    >>> Gaussian([0.0, 1.0], scale=0.1).losses(2000, seed=1).mean(axis=0).round(1) + 0.0
    array([0., 1.])
    """

    scale: float = 1.0
    _kind = _core.EnvironmentKind.gaussian

    def __post_init__(self) -> None:
        super().__post_init__()
        not_negative(self.scale, "scale")

    @property
    def _scale(self) -> float:
        return float(self.scale)


# --- the losses of a run ---------------------------------------------------------------------------

_AT_ONCE = 65_536  # numbers drawn again at a time


@dataclass(frozen=True, eq=False)
class KeptLosses:
    """The losses of all comparators of a run, a column each, and the largest loss of each round.

    >>> KeptLosses(np.array([[0.0, 1.0], [0.5, 0.25]])).worst()
    array([1. , 0.5])
    """

    rows: Array
    worst_losses: Array | None = None  # if the columns are not those of arms

    def sums(self) -> Array:
        """The total loss of each comparator."""
        return np.asarray(self.rows.sum(axis=0))

    def mix(self, u: Array) -> Array:
        """The loss of a fixed distribution over the columns in each round."""
        return np.asarray(self.rows[:, np.argmax(u)] if u.max() == 1.0 else self.rows @ u)

    def worst(self) -> Array:
        """The largest loss of each round."""
        return self.rows.max(axis=1) if self.worst_losses is None else self.worst_losses


@dataclass(frozen=True, eq=False)
class Drawn:
    """The losses of an environment, drawn again when they are needed, as a run may be long.

    >>> drawn = Drawn(Bernoulli([0.2, 0.8]), seed=1, first=1, count=2)
    >>> drawn.sums(), drawn.worst()
    (array([0., 1.]), array([0., 1.]))
    """

    environment: Environment
    seed: int
    first: int
    count: int

    def _pieces(self) -> Iterator[Array]:
        world, n = self.environment.world(self.seed), self.environment.n
        step = max(1, _AT_ONCE // n)
        for at in range(0, self.count, step):
            yield world.rows(self.first + at, min(step, self.count - at)).reshape(-1, n)

    def sums(self) -> Array:
        """The total loss of each arm."""
        start = np.zeros(self.environment.n)
        return np.asarray(sum((piece.sum(axis=0) for piece in self._pieces()), start))

    def mix(self, u: Array) -> Array:
        """The loss of a fixed distribution over the arms in each round."""
        return np.concatenate(
            [np.empty(0), *(KeptLosses(piece).mix(u) for piece in self._pieces())]
        )

    def worst(self) -> Array:
        """The largest loss of each round."""
        return np.concatenate([np.empty(0), *(piece.max(axis=1) for piece in self._pieces())])


def folded(seed: Any) -> int:
    """A seed as the core takes it, of 64 bits.

    >>> folded(2**64 + 3) == folded(3)
    False
    """
    number = check_seed(seed)
    if number < 2**64:
        return number
    return int(np.random.SeedSequence(number).generate_state(1, np.uint64).item())
