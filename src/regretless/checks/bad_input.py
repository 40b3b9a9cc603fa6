"""Checks of bad input: the message names it, and the state does not change."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from regretless.checks.kinds import Calls, Takes
from regretless.checks.subject import NotApplicable, Subject, require, same

__all__ = ["bad_input", "bad_input_first", "bad_loss", "only_numbers", "refusal"]


def refusal(call: Callable[[Any], Any], player: Any) -> str:
    """The message of the error of a bad call; empty without an error."""
    try:
        call(player)
    except (ValueError, TypeError) as error:
        return str(error) or type(error).__name__
    except Exception as error:  # whatever a user's object raises
        raise AssertionError(
            f"bad input raises {type(error).__name__} ({error}), not a ValueError"
        ) from error
    return ""


def _refuses(subject: Subject, player: Any, twin: Any, calls: Calls) -> None:
    """Each call is refused with the name of the bad argument, and does not change the state."""
    before = subject.state(player)
    for what, (call, says) in calls.items():
        said = refusal(call, player)
        require(said, f"{what}: accepted without an error")
        same(subject.state(player), before, f"{what}: refused, but the state has changed")
        named = re.search(says, said, re.S)
        require(named, f"{what}: the message does not name the argument: {said!r}")
    same(subject.state(twin), before, "refused calls have changed the state")


def bad_input(subject: Subject) -> None:
    """Bad input is refused with a message that names the argument, and does not change the state."""
    first, rest = subject.halves()
    player, twin = (subject.played(len(first)) for _ in range(2))
    _refuses(subject, player, twin, subject.kind.bad(rest))
    traces = [subject.trace(each, rest) for each in (player, twin)]
    same(traces[0], traces[1], "it plays otherwise after bad input was refused")


def bad_input_first(subject: Subject) -> None:
    """Bad input before the first round is refused, and does not change the state."""
    first, rest = subject.halves()
    player, twin = subject.make(0), subject.make(0)
    for what, (call, _) in subject.kind.bad(rest).items():
        require(refusal(call, player), f"{what}: accepted without an error")
    traces = [subject.trace(each, first) for each in (player, twin)]
    same(traces[0], traces[1], "it plays otherwise after bad input was refused")
    same(subject.state(player), subject.state(twin), "refused calls have changed the state")


def bad_loss(subject: Subject) -> None:
    """A bad loss is refused, and the choice still waits for its loss."""
    kind = subject.kind
    if not kind.bad_waiting():
        raise NotApplicable("its rounds do not have two halves")
    first, rest = subject.halves()
    player, twin = (subject.played(len(first)) for _ in range(2))
    chosen = [kind.choose(each, rest[0]) for each in (player, twin)]
    _refuses(subject, player, twin, kind.bad_waiting())
    for each, what in zip((player, twin), chosen):
        kind.settle(each, rest[0], what)
    traces = [subject.trace(each, rest) for each in (player, twin)]
    same(traces[0], traces[1], "it plays otherwise after a bad loss was refused")


def spoiled(good: Any) -> Iterator[tuple[str, Any]]:
    """Values that look like the good one, or nearly, but are not numbers.

    >>> dict(spoiled([0.5, 1.0]))["text in a list"]
    [0.5, '1']
    """
    array = np.asarray(good, np.float64)

    def but(one: Any) -> Any:
        objects = array.astype(object)
        objects.flat[-1:] = [one]
        return objects if array.ndim else one

    yield "text", array.astype(str).tolist()
    yield "an array of text", array.astype(str)
    yield "text among objects", but("1")
    yield "text in a list", but("1").tolist() if array.ndim else "1"
    yield "bytes", array.astype("S").tolist()
    yield "complex", array + 0j
    yield "complex in a list", (array + 0j).tolist()
    yield "None", but(None).tolist() if array.ndim else None


def _takes_numbers_only(subject: Subject, player: Any, takes: Takes) -> None:
    before = subject.state(player)
    for argument, (give, good) in takes.items():
        name, what = argument.split()[0], argument.partition("|")[0]
        give(copy.deepcopy(player), good)
        for how, bad in spoiled(good):
            if how == "None" and subject.kind.absent:
                continue
            said = refusal(lambda each, give=give, bad=bad: give(each, bad), player)  # type: ignore[misc]
            require(said, f"{what} as {how}: accepted without an error")
            same(subject.state(player), before, f"{what} as {how}: the state has changed")
            named = re.search(rf"\b({name})\b{subject.words}", said, re.S)
            require(named, f"{what} as {how}: the message does not name the argument: {said!r}")


def only_numbers(subject: Subject) -> None:
    """Text that reads as a number, bytes, complex numbers and None are refused."""
    first, rest = subject.halves()
    takes = subject.kind.takes(rest)
    if not takes and not subject.kind.takes_waiting():
        raise NotApplicable("its only numbers are features")
    _takes_numbers_only(subject, subject.played(len(first)), takes)
    if subject.kind.takes_waiting():
        player = subject.played(len(first))
        subject.kind.choose(player, rest[0])
        _takes_numbers_only(subject, player, subject.kind.takes_waiting())
