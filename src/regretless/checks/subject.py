"""The object under test, a `Subject`, its state, and the errors of checks."""

import types
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.checks.kinds import SIZES, Kind

__all__ = ["NotApplicable", "Subject", "difference", "needs", "require", "same", "state_of"]


# --- the state of an object in a form that can be compared, bit for bit ---------------------------

_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)


def state_of(value: Any, caches: Collection[str] = ()) -> Any:
    """The state that pickling would keep, without the attributes named in `caches`.

    Two states are equal if and only if every bit is. Pickles cannot be compared: those of equal objects
    differ if one of the objects shares parts. Lists and tuples count as equal, and so do numbers of
    NumPy and of Python, because a file does not distinguish them.

    >>> state_of([1.0, float("nan")]) == state_of((np.float64(1.0), np.nan))
    True
    >>> state_of(0.0) == state_of(-0.0)
    False
    """
    return _walk(value, frozenset(caches), ())


def difference(one: Any, two: Any) -> str:
    """Where two states differ first, in words; empty if they are equal.

    >>> difference(state_of({"a": [1, 2]}), state_of({"a": [1, 3]}))
    'dict 0 1 list 1 int: 2, not 3'
    """
    if one == two:
        return ""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        where = next(i for i, (a, b) in enumerate(zip(one, two)) if a != b)
        if one[0] == "array" and where == 3:
            a, b = (np.frombuffer(each[3], each[1]) for each in (one, two))
            return f"array of {one[1]}: {a}, not {b}"
        kind = one[0] if where and isinstance(one[0], str) else where
        deeper = isinstance(one[where], tuple) and isinstance(two[where], tuple)
        return f"{kind}{' ' if deeper else ': '}{difference(one[where], two[where])}"
    return f"{one!r}, not {two!r}"


def _walk(value: Any, caches: frozenset[str], above: tuple[int, ...]) -> Any:  # noqa: PLR0911 a case each
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str, bytes, complex)):
        return type(value).__name__, value
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, _NAMED):
        return "named", getattr(value, "__qualname__", value.__name__)
    if id(value) in above:
        return "above", len(above) - above.index(id(value))
    above = (*above, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return "array", str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, (list, tuple, np.ndarray)):
        return "list", tuple(_walk(each, caches, above) for each in value)
    if isinstance(value, (set, frozenset)):
        return "set", tuple(sorted(repr(_walk(each, caches, above)) for each in value))
    if isinstance(value, dict):
        return "dict", tuple(
            (_walk(k, caches, above), _walk(v, caches, above)) for k, v in value.items()
        )
    return _parts(value, caches, above)


def _parts(value: Any, caches: frozenset[str], above: tuple[int, ...]) -> Any:
    """An object: the call that would make it again, and its attributes."""
    try:
        make, given, *rest = value.__reduce_ex__(4)
    except TypeError:  # a lock, for example, which has no value
        return type(value).__name__, "cannot be pickled"
    kept, *more = rest or [None]
    if isinstance(kept, dict):  # attributes, in no order
        kept = {k: v for k, v in sorted(kept.items()) if k not in caches}
    more = [None if each is None else list(each) for each in more]
    return type(value).__name__, _walk([make, list(given), kept, more], caches, above)


# --- the object under test ------------------------------------------------------------------------


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
