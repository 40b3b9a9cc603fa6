"""Checks of copies: clones, deep copies, pickles and files."""

import copy
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from regretless.checks.bad_input import refusal
from regretless.checks.subject import NotApplicable, Subject, needs, require, same

__all__ = ["clone", "copied", "deep_copied", "file", "pickled", "waiting", "waiting_file"]


def _goes_on(subject: Subject, copied: Callable[[Any], Any], what: str) -> None:
    """A copy made in mid-stream plays like one that never stopped, and the original stays as it was."""
    first, rest = subject.halves()
    player = subject.played(len(first))
    never, before = subject.played(len(first)), subject.state(player)
    other = copied(player)
    require(type(other) is type(player), f"{what} is a {type(other).__name__}")
    require(other is not player, f"{what} is the object itself")
    if _prints(player):
        require(repr(other) == repr(player), f"{what} prints as {other!r}, not {player!r}")
    same(subject.state(player), before, f"making {what} changes the original")
    same(subject.state(other), before, f"{what} differs from the original")
    expected = subject.trace(never, rest)
    same(subject.trace(other, rest), expected, f"{what} plays otherwise than the original")
    same(subject.state(other), subject.state(never), f"{what} has learned otherwise")
    same(subject.state(player), before, f"{what} shares state with the original")
    same(subject.trace(player, rest), expected, f"the original plays otherwise after {what}")


def _prints(player: Any) -> bool:
    """Whether it has a `repr` of its own; Python's own shows the address."""
    return " object at 0x" not in repr(player)


def clone(subject: Subject) -> None:
    """A clone has the options and has learned nothing."""
    needs(subject.make(0), "clone")
    first, rest = subject.halves()
    player = subject.played(len(first))
    before, found = subject.state(player), player.clone()
    require(type(found) is type(player), f"the clone is a {type(found).__name__}")
    if _prints(player):
        require(repr(found) == repr(player), f"the clone prints as {found!r}, not {player!r}")
    if hasattr(player, "get_params"):
        options = [each.get_params() for each in (found, player, subject.make(0))]
        require(options[0] == options[1] == options[2], "the clone has other options")
    expected = subject.trace(subject.make(0), rest)
    same(subject.trace(found, rest), expected, "the clone has learned something")
    same(subject.state(player), before, "cloning changes the original")


def copied(subject: Subject) -> None:
    """`copy()` has the state as well, and goes on bit for bit the same."""
    needs(subject.make(0), "copy")
    _goes_on(subject, lambda player: player.copy(), "the copy")


def deep_copied(subject: Subject) -> None:
    """A deep copy goes on bit for bit the same."""
    _goes_on(subject, copy.deepcopy, "the deep copy")


def pickled(subject: Subject) -> None:
    """A pickle goes on bit for bit the same."""
    if not _at_top(type(subject.make(0))):
        raise NotApplicable("its class is not at the top of a module")
    _goes_on(subject, lambda player: pickle.loads(pickle.dumps(player)), "the pickle")


def _at_top(kind: type) -> bool:
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


def file(subject: Subject) -> None:
    """A loaded file goes on bit for bit the same, and saving it again gives the same file."""
    needs(subject.make(0), "save", "load")
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one", Path(folder) / "two"

        def through(player: Any) -> Any:
            player.save(one)
            other = subject.load(type(player), one)
            other.save(two)
            require(one.read_bytes() == two.read_bytes(), "saving the loaded one changes the file")
            return other

        _goes_on(subject, through, "what was loaded")
        fresh, stream = subject.make(0), subject.kind.stream(2)
        try:
            fresh = through(fresh)
        except ValueError as error:
            require("nothing has been learned yet" in str(error), f"a fresh one: {error}")
        expected = subject.trace(subject.make(0), stream)
        same(subject.trace(fresh, stream), expected, "a file loaded before any round differs")
        one.write_bytes(one.read_bytes()[: one.stat().st_size // 2])
        said = refusal(lambda kind: subject.load(kind, one), type(fresh))
        require(said, "a truncated file is loaded without an error")


def waiting(subject: Subject) -> None:
    """Copies and pickles keep a choice that waits for its loss."""

    def copies(player: Any) -> list[Any]:
        found = [copy.deepcopy(player)]
        if callable(getattr(player, "copy", None)):
            found.append(player.copy())
        if _at_top(type(player)):
            found.append(pickle.loads(pickle.dumps(player)))
        return found

    _goes_on_waiting(subject, copies)


def waiting_file(subject: Subject) -> None:
    """A file keeps a choice that waits for its loss."""
    needs(subject.make(0), "save", "load")

    def loaded(player: Any) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            player.save(Path(folder) / "waiting")
            return [subject.load(type(player), Path(folder) / "waiting")]

    _goes_on_waiting(subject, loaded)


def _goes_on_waiting(subject: Subject, copies: Callable[[Any], list[Any]]) -> None:
    kind = subject.kind
    if not kind.bad_waiting():
        raise NotApplicable("its rounds do not have two halves")
    first, rest = subject.halves()
    player = subject.played(len(first))
    chosen = kind.choose(player, rest[0])
    traces = []
    for each in (*copies(player), player):
        kind.settle(each, rest[0], chosen)
        traces.append(subject.trace(each, rest))
    for found in traces[:-1]:
        same(found, traces[-1], "a copy made between choice and loss plays otherwise")
