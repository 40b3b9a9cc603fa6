"""Choices and forecasts that wait for their outcome, which may come late and in any order.

A player that is asked again before it knows what its last choice cost keeps each choice, with a number
of its own, its ticket, until the outcome comes: `Waiting`. The players of arms and `LinUCB` do the same
in the core. When outcomes come is said by a delay: `due_after` for rounds that are counted, `delayed`
for a stream.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import shown, sound, whole

if TYPE_CHECKING:
    from regretless.base.state import Parts

T = TypeVar("T")
_MOST = 10_000_000  # that may wait at once; more would fill the memory and hardly ever be answered


class Waiting(Generic[T]):
    """Choices that wait for their outcomes, the oldest first, each with its ticket.

    Parameters: `choice`, `outcome` and `call`, the words for these in messages.

    Attributes: `given`, how many tickets were given; `forgotten`, how many choices were forgotten.

    >>> choices = Waiting("choice", "loss", "act()")
    >>> choices.add("left"), choices.add("right"), len(choices)
    (0, 1, 2)
    >>> choices.take(1), choices.find()
    ('right', 0)
    >>> choices.take(1)
    Traceback (most recent call last):
    ValueError: ticket=1: no choice that had it waits for a loss, as that has come or the choice was
    forgotten; the tickets that wait are [0]
    """

    def __init__(self, choice: str, outcome: str, call: str) -> None:
        self._words = choice, outcome, call
        self._kept: OrderedDict[int, T] = OrderedDict()
        self.given = self.forgotten = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, ticket: int) -> T:
        return self._kept[ticket]

    def items(self) -> Iterable[tuple[int, T]]:
        """Tickets and choices, the oldest first."""
        return self._kept.items()

    @property
    def decisions(self) -> int:
        """Choices made and not forgotten."""
        return self.given - self.forgotten

    def add(self, made: T) -> int:
        """Keep a choice until its outcome comes; returns its ticket."""
        choice, outcome, _ = self._words
        if len(self._kept) >= _MOST:
            raise ValueError(f"{_MOST:,} {choice}s wait for a {outcome}; give or forget some first")
        self._kept[self.given] = made
        self.given += 1
        return self.given - 1

    def find(self, ticket: Any = None, which: Callable[[T], bool] | None = None) -> int:
        """The ticket if it waits; without one that of the oldest choice, or of the oldest `which`."""
        choice, outcome, call = self._words
        if ticket is None:
            fitting = (t for t, made in self._kept.items() if which is None or which(made))
            found = next(fitting, None)
            if found is None:
                such = "" if which is None or not self._kept else "such "
                raise ValueError(f"no {such}{choice} waits for a {outcome}; call {call} first")
            return found
        if whole(ticket, "ticket", 0) in self._kept:
            return int(ticket)
        why = f"that has come or the {choice} was forgotten"
        if ticket >= self.given:
            why = "the ticket has not been given yet"
        some = ", ".join(map(str, list(self._kept)[:10])) + ", ..." * (len(self._kept) > 10)
        raise ValueError(
            f"ticket={ticket}: no {choice} that had it waits for a {outcome}, as {why}; the tickets "
            f"that wait are [{some}]"
        )

    def take(self, ticket: Any = None) -> T:
        """Take out the choice with this ticket, or the oldest."""
        return self._kept.pop(self.find(ticket))

    def forget(self, ticket: Any) -> None:
        """Take out a choice whose outcome will never come."""
        self.take(whole(ticket, "ticket", 0))
        self.forgotten += 1

    # --- state -------------------------------------------------------------------------------------

    def learned(self, described: Callable[[T], dict[str, Any]]) -> dict[str, Any]:
        """The parts of a file: see `Stateful._learned`."""
        waiting = [{"ticket": ticket, **described(made)} for ticket, made in self._kept.items()]
        return {"decisions": self.decisions, "ticket": self.given - 1, "waiting": waiting}

    def restore(self, parts: "Parts", rounds: int, made: "Callable[[Parts], T]") -> None:
        """Take back what `learned` gave, of a player that knows the outcomes of so many `rounds`."""
        decisions = parts.whole("decisions", rounds)
        self.given = parts.whole("ticket", decisions - 1) + 1
        self.forgotten = self.given - decisions
        earliest = 0
        for each in parts.records("waiting"):
            ticket = each.whole("ticket", earliest, self.given - 1)
            self._kept[ticket] = made(each)
            earliest = ticket + 1
        if len(self) + rounds > decisions:
            raise ValueError(
                f"{len(self)} {self._words[0]}s wait, but {decisions} were made in all"
            )


def check_settled(waiting: Sized, choices: str, outcomes: str) -> None:
    """Raise `ValueError` if something waits.

    >>> check_settled([(0, 2)], "choices", "losses")
    Traceback (most recent call last):
    ValueError: 1 choices wait for their losses; update or forget them first
    """
    if len(waiting):
        raise ValueError(
            f"{len(waiting)} {choices} wait for their {outcomes}; update or forget them first"
        )


# --- delays: how many more choices are made before an outcome is known ----------------------------


def delays_of(delay: Any, count: int) -> NDArray[np.int64] | None:
    """The delay of each of `count` rounds; None if all outcomes are known at once.

    >>> delays_of(2, 3)
    array([2, 2, 2])
    """
    if delay is None or (isinstance(delay, (int, np.integer)) and delay == 0):
        return None
    delays = np.asarray(sound(delay, "delay"))
    if delays.dtype.kind not in "iu" or delays.shape not in ((), (count,)):
        raise ValueError(
            f"delay={shown(delay)} must be a whole number, or {count} of them, one for each round"
        )
    if delays.size and delays.min() < 0:
        raise ValueError(f"delay={shown(delay)} is negative: a loss cannot come before its choice")
    return np.ascontiguousarray(np.broadcast_to(delays, (count,)), np.int64)


def due_after(delay: Any, count: int) -> list[list[int]]:
    """For each round the rounds whose outcomes are learned at its end; after the last all are.

    >>> due_after([0, 1, 3, 0], 4)
    [[0], [], [1], [2, 3]]
    """
    delays = delays_of(delay, count)
    due: list[list[int]] = [[] for _ in range(count)]
    for t in range(count):
        due[min(count - 1, t + (0 if delays is None else int(delays[t])))].append(t)
    return due


def delayed(stream: Iterable[T], delay: int) -> Iterator[tuple[T, bool]]:
    """Every example twice: with True when it comes, and with False when its outcome is known.

    >>> list(delayed("ab", 1))
    [('a', True), ('b', True), ('a', False), ('b', False)]
    """
    waiting: Waiting[T] = Waiting("example", "label", "learn")
    for example in stream:
        yield example, True
        waiting.add(example)
        if len(waiting) > delay:
            yield waiting.take(), False
    while waiting:
        yield waiting.take(), False
