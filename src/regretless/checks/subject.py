"""The object under test, a `Subject`, and the errors of checks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from regretless.checks.kinds import SIZES, Kind
from regretless.checks.state import difference, state_of

__all__ = ["NotApplicable", "Subject", "needs", "require", "same"]


class NotApplicable(Exception):
    """A check does not apply; the message says why."""


def _load(kind: type, path: Any) -> Any:
    return kind.load(path)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Subject:
    """A learner or player under test.

    Parameters
    ----------
    name : its name in messages.
    make : a function of a seed that makes a fresh one.
    kind : the rounds that it plays.
    draws : whether another seed plays otherwise; None if that is not known.
    seeded : whether `make` uses the seed.
    load : how a file is loaded, if more than the path is needed.
    caches : attributes that asking may fill.
    prepares : whether asking may do work of the round in advance and keep it.
    rounding : why many rounds at once may differ from single rounds in the last digits; empty if they
        must not.
    tolerance : how much they may differ then, relative to their size.
    words : words that messages about values that are not numbers must have besides the argument.
    sizes : of the rounds that `scales` plays.
    """

    name: str
    make: Callable[[int], Any]
    kind: Kind
    draws: bool | None = field(default=False, kw_only=True)
    seeded: bool = field(default=True, kw_only=True)
    load: Callable[[type, Any], Any] = field(default=_load, kw_only=True)
    caches: tuple[str, ...] = field(default=(), kw_only=True)
    prepares: bool = field(default=False, kw_only=True)
    rounding: str = field(default="", kw_only=True)
    tolerance: float = field(default=1e-12, kw_only=True)
    words: str = field(default="", kw_only=True)
    sizes: Sequence[float] = field(default=SIZES, kw_only=True)

    def played(self, rounds: int, seed: int = 0) -> Any:
        """A player that has played so many rounds of its stream."""
        player = self.make(seed)
        for each in self.kind.stream(self.kind.length)[:rounds]:
            self.kind.feed(player, each)
        return player

    def halves(self) -> tuple[list[Any], list[Any]]:
        """The stream in two parts."""
        stream, middle = self.kind.stream(self.kind.length), self.kind.length // 2
        return stream[:middle], stream[middle:]

    def trace(self, player: Any, rounds: list[Any]) -> tuple[Any, ...]:
        """Questions and answers of some rounds, bit for bit."""
        return tuple(
            state_of((self.kind.ask(player, r), self.kind.feed(player, r)), self.caches)
            for r in rounds
        )

    def state(self, player: Any) -> Any:
        """The state of a player, in a form that can be compared."""
        if self.prepares:  # so that every player has
            self.kind.ask(player, self.kind.stream(1)[0])
        return state_of(player, self.caches)


def require(holds: Any, message: str) -> None:
    """Raise `AssertionError` with the message, unless the condition holds."""
    if not holds:
        raise AssertionError(message)


def same(one: Any, two: Any, message: str) -> None:
    """Require equal states or traces; the message also says where they differ."""
    found = difference(one, two)
    require(found == "", f"{message} ({found[:300]})")


def needs(player: Any, *methods: str) -> None:
    """Skip the check for a player without these methods."""
    for name in methods:
        if not callable(getattr(player, name, None)):
            raise NotApplicable(f"it has no {name}()")
