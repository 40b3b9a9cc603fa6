"""What the lines of the table are made of: a kind of player, and how the checks treat each."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["INF", "NAN", "Calls", "Entry", "Kind", "N", "Takes", "hostile_losses", "scaled"]

NAN, INF = math.nan, math.inf
N = 4  # experts, arms, coordinates or features
Calls = dict[str, tuple[Callable[[Any], Any], str]]  # what is wrong, how it is done, what is said
Takes = dict[str, tuple[Callable[[Any, Any], Any], Any]]
# From denormal numbers to the largest there are.
SIZES = (5e-324, 1e-310, 1e-150, 1e-40, 1e-20, 1e-9, 1e9, 1e18, 1e37, 1e60, 1e150, 1e300)


class Kind:
    """A kind of player: rounds are whatever its `feed` takes."""

    length = 24  # of a stream
    absent = False  # whether None can stand for a number: of an expert who sleeps, for example

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        """Rounds, the same for every player of the kind."""
        raise NotImplementedError

    def ask(self, player: Any, round: Any) -> Any:
        """All that can be asked without being remembered."""
        raise NotImplementedError

    def feed(self, player: Any, round: Any) -> Any:
        """Play a round; what was answered."""
        chosen = self.choose(player, round)
        self.settle(player, round, chosen)
        return chosen

    def many(self, player: Any, rounds: list[Any]) -> None:
        """Play rounds at once."""
        raise NotImplementedError

    def bad(self, rounds: list[Any]) -> Calls:
        """Calls that must be refused, in whatever state the player is."""
        return {}

    def takes(self, rounds: list[Any]) -> Takes:
        """Arguments that are numbers, called by their names: how each is given, and a good one."""
        return {}

    def takes_waiting(self) -> Takes:
        """The same of what a choice has cost."""
        return {}

    def choose(self, player: Any, round: Any) -> Any:
        """Of players that choose, the first half of a round."""

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        """The second: what was chosen cost something."""

    def bad_waiting(self) -> Calls:
        """Calls that must be refused between the two."""
        return {}

    def weightless(self) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        """Calls with examples of weight 0, each beside the call without them."""
        return {}

    def extremes(self) -> list[list[Any]]:
        """Streams of rounds as large or small as numbers are."""
        return []

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        """Rounds that are bad for what is played now, each in a way of its own that may go on."""
        return []

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        """What the certificate's `regret` must be, from what was asked and told; None: not computed."""
        return None


def scaled(
    plain: list[Any], times: Callable[[Any, float], Any], sizes: tuple[float, ...] = SIZES
) -> list[list[Any]]:
    """A stream at several sizes: each alone, with signs that alternate, all in one, and one forever.

    Four rounds of one size are enough to overflow squares and sums, or to lose them.
    """
    count = len(sizes)
    with np.errstate(over="ignore"):  # what is infinite is refused
        return [
            *([times(each, size) for each in plain[:4]] for size in sizes),
            [times(each, sizes[-1 - t % 3] * (-1) ** t) for t, each in enumerate(plain)],
            [times(each, sizes[5 * t % count]) for t, each in enumerate(plain)],
            [times(plain[0], 1.0)] * len(plain) + [times(plain[0], size) for size in sizes],
        ]


def hostile_losses(weights: np.ndarray, rounds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Losses: of the heaviest, of all but one, at once or after rounds without any, and of anybody."""
    n = len(weights)
    others, coins = 1.0 - np.eye(n)[0], (rng.random(n) < 0.5) * 1.0
    return [np.eye(n)[np.argmax(weights)], others, others * (rounds > 2), coins]


def _load(kind: type, path: Any) -> Any:
    return kind.load(path)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Entry:
    """A line of the table.

    `make` of a seed; `oracle` and `identity`, where they are tested, as "file::test" without "test_"
    and ".py"; `draws`, whether another seed plays otherwise; `proof`, what is checked of the
    certificate; `load`, if more than a path is needed; `caches`, attributes that asking may fill;
    `prepares`, whether asking does work of the round in advance, and keeps it; `rounding`,
    why many rounds at once are not one by one to the last bit; `without`, the checks that do not apply,
    each with the reason.
    """

    name: str
    make: Callable[[int], Any]
    kind: Kind
    oracle: str
    identity: str = ""
    proof: Callable[["Entry"], None] | None = None
    draws: bool = False
    load: Callable[[type, Any], Any] = _load
    caches: tuple[str, ...] = ()
    prepares: bool = False
    rounding: str = ""
    without: Mapping[str, str] = field(default_factory=dict)
