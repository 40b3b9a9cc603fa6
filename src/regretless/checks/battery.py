"""The checks. Each takes a `Subject` and raises `AssertionError` if something is wrong."""

import copy
import math
import pickle
import re
import sys
import tempfile
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from regretless.base.randomness import generator
from regretless.checks.kinds import Calls, Kind, Takes
from regretless.checks.state import difference, state_of
from regretless.errors import Diverged

__all__ = ["CHECKS", "NotApplicable", "Subject", "finite", "follow", "numbers_told", "spoiled"]

REFUSED = (ValueError, TypeError)
OVERFLOWED = (ValueError, Diverged)


class NotApplicable(Exception):
    """A check does not apply; the message says why."""


def _load(kind: type, path: Any) -> Any:
    return kind.load(path)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Subject:
    """A learner or player under test.

    Parameters
    ----------
    name : what it is called in messages.
    make : a function of a seed that makes a fresh one.
    kind : the rounds that it plays.
    draws : whether another seed plays otherwise; None if that is not known.
    seeded : whether `make` uses the seed.
    load : how a file is loaded, if more than the path is needed.
    caches : attributes that asking may fill.
    prepares : whether asking may do work of the round in advance and keep it.
    rounding : why many rounds at once may differ from single rounds in the last digits; empty if they
        must not.
    words : what messages about values that are not numbers must say besides the argument.
    tolerance : how much they may differ then, relative to their size.
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
    words: str = field(default="", kw_only=True)
    tolerance: float = field(default=1e-12, kw_only=True)

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
    """Raise `AssertionError` with the message, unless something holds."""
    if not holds:
        raise AssertionError(message)


def same(one: Any, two: Any, message: str) -> None:
    """Two states or traces must be equal; if not, the message also says where they differ."""
    found = difference(one, two)
    require(found == "", f"{message} ({_short(found)})")


def _short(text: str, most: int = 300) -> str:
    return text if len(text) <= most else text[:most] + " ..."


def needs(player: Any, *methods: str) -> None:
    """The check does not apply to a player without these methods."""
    for name in methods:
        if not callable(getattr(player, name, None)):
            raise NotApplicable(f"it has no {name}()")


# --- asking -------------------------------------------------------------------------------------------


def _ask_everything(subject: Subject, player: Any, rounds: list[Any]) -> None:
    for each in rounds:
        subject.kind.ask(player, each)
    repr(player)
    for name in ("regret", "regrets", "loss", "loss_", "weights_", "rounds", "get_params"):
        with suppress(TypeError, ValueError):  # needs a comparator, or has nothing to tell yet
            found = getattr(player, name, None)
            if callable(found):
                found()
    with suppress(AttributeError, TypeError, ValueError):  # has none, or needs the examples
        player.certificate()


def asking(subject: Subject) -> None:
    """Predictions, weights, `repr` and certificates change nothing."""
    first, rest = subject.halves()
    asked, never = subject.make(0), subject.make(0)
    _ask_everything(subject, asked, rest)
    for part in (first, rest):
        for each in part:
            subject.kind.ask(asked, each)
            told = [
                state_of(subject.kind.feed(player, each), subject.caches)
                for player in (asked, never)
            ]
            same(told[0], told[1], "a player that was asked plays otherwise than one that was not")
        before = subject.state(asked)
        _ask_everything(subject, asked, rest)
        same(subject.state(asked), before, "asking changes the state")
        same(subject.state(never), before, "asking before a round changes the state after it")


# --- seeds --------------------------------------------------------------------------------------------


def same_seed(subject: Subject) -> None:
    """Two that were made and fed alike are alike, bit for bit."""
    one, two = subject.make(3), subject.make(3)
    stream = subject.kind.stream(subject.kind.length)
    traces = [subject.trace(player, stream) for player in (one, two)]
    same(traces[0], traces[1], "two that were made alike play differently")
    same(subject.state(one), subject.state(two), "two that were made and fed alike differ")


def another_seed(subject: Subject) -> None:
    """A player that draws plays otherwise with another seed, and no other player does."""
    if not subject.seeded:
        raise NotApplicable("it takes no seed, or cannot be made again with another one")
    kind = subject.kind
    stream = kind.stream(kind.length)
    traces = [subject.trace(subject.make(seed), stream) for seed in range(4)]
    differs = any(each != traces[0] for each in traces)
    if subject.draws is None:
        chances = getattr(subject.make(0), "probabilities", None)
        if callable(chances) or chances is None or np.max(chances) > 0.9:
            raise NotApplicable("it may play without drawing")
    require(differs or subject.draws is False, "it plays the same with every seed")
    require(not differs or subject.draws is not False, "it plays otherwise with another seed")


# --- copies -------------------------------------------------------------------------------------------


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
    """`copy.deepcopy` gives one that goes on bit for bit the same."""
    _goes_on(subject, copy.deepcopy, "the deep copy")


def pickled(subject: Subject) -> None:
    """A pickle goes on bit for bit the same."""
    kind = type(subject.make(0))
    if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
        raise NotApplicable("its class is not at the top of a module")
    _goes_on(subject, lambda player: pickle.loads(pickle.dumps(player)), "the pickle")


def file(subject: Subject) -> None:
    """A file goes on bit for bit the same; saving what was loaded gives the same file again."""
    needs(subject.make(0), "save", "load")
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one", Path(folder) / "two"

        def through(player: Any) -> Any:
            player.save(one)
            other = subject.load(type(player), one)
            other.save(two)
            require(one.read_bytes() == two.read_bytes(), "saving what was loaded changes the file")
            return other

        _goes_on(subject, through, "what was loaded")
        fresh, stream = subject.make(0), subject.kind.stream(2)
        try:
            fresh = through(fresh)
        except ValueError as error:
            require("nothing has been learned yet" in str(error), f"a fresh one: {error}")
        expected = subject.trace(subject.make(0), stream)
        same(subject.trace(fresh, stream), expected, "what was loaded before any round differs")
        one.write_bytes(one.read_bytes()[: one.stat().st_size // 2])
        said = _refusal(lambda kind: subject.load(kind, one), type(fresh))
        require(said, "a file that was cut short is loaded without an error")


def waiting(subject: Subject, *, files: bool = True) -> None:
    """Copies, pickles and files keep a choice that waits for its loss."""
    kind = subject.kind
    if not kind.bad_waiting():
        raise NotApplicable("its rounds do not have two halves")
    first, rest = subject.halves()
    player = subject.played(len(first))
    chosen = kind.choose(player, rest[0])
    copies = [copy.deepcopy(player)]
    if callable(getattr(player, "copy", None)):
        copies.append(player.copy())
    with suppress(pickle.PicklingError, AttributeError):
        copies.append(pickle.loads(pickle.dumps(player)))
    if files and callable(getattr(player, "save", None)):
        with tempfile.TemporaryDirectory() as folder:
            player.save(Path(folder) / "waiting")
            copies.append(subject.load(type(player), Path(folder) / "waiting"))
    traces = []
    for each in (player, *copies):
        kind.settle(each, rest[0], chosen)
        traces.append(subject.trace(each, rest))
    for found in traces[1:]:
        same(found, traces[0], "a copy made between choice and loss plays otherwise")


# --- bad input ----------------------------------------------------------------------------------------


def _refusal(call: Callable[[Any], Any], player: Any) -> str:
    """What is said of a bad call; empty if nothing is."""
    try:
        call(player)
    except REFUSED as error:
        return str(error) or type(error).__name__
    except Exception as error:  # whatever a user's object raises
        raise AssertionError(
            f"bad input raises {type(error).__name__} ({error}), not a ValueError"
        ) from error
    return ""


def _refuses(subject: Subject, player: Any, twin: Any, calls: Calls) -> None:
    """Each call is refused with the name of the bad argument, and nothing has changed."""
    before = subject.state(player)
    for what, (call, says) in calls.items():
        said = _refusal(call, player)
        require(said, f"{what}: accepted without an error")
        same(subject.state(player), before, f"{what}: refused, but the state has changed")
        named = re.search(says, said, re.S)
        require(named, f"{what}: the message does not name the argument: {said!r}")
    same(subject.state(twin), before, "refused calls have changed the state")


def bad_input(subject: Subject) -> None:
    """Bad input is refused with a message that names the argument, and changes nothing."""
    first, rest = subject.halves()
    player, twin = (subject.played(len(first)) for _ in range(2))
    _refuses(subject, player, twin, subject.kind.bad(rest))
    traces = [subject.trace(each, rest) for each in (player, twin)]
    same(traces[0], traces[1], "it plays otherwise after bad input was refused")


def bad_input_first(subject: Subject) -> None:
    """Bad input before the first round is refused, and changes nothing."""
    first, rest = subject.halves()
    player, twin = subject.make(0), subject.make(0)
    for what, (call, _) in subject.kind.bad(rest).items():
        require(_refusal(call, player), f"{what}: accepted without an error")
    traces = [subject.trace(each, first) for each in (player, twin)]
    same(traces[0], traces[1], "it plays otherwise after bad input was refused")
    same(subject.state(player), subject.state(twin), "refused calls have changed the state")


def bad_loss(subject: Subject) -> None:
    """A bad loss is refused, and the choice goes on waiting for its loss."""
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
    """Values that read like the good one, or nearly, and are not made of numbers.

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
            said = _refusal(lambda each, give=give, bad=bad: give(each, bad), player)  # type: ignore[misc]
            require(said, f"{what} as {how}: accepted without an error")
            same(subject.state(player), before, f"{what} as {how}: the state has changed")
            named = re.search(rf"\b({name})\b{subject.words}", said, re.S)
            require(named, f"{what} as {how}: the message does not name the argument: {said!r}")


def only_numbers(subject: Subject) -> None:
    """Text that reads as a number, bytes, complex numbers and None are refused."""
    first, rest = subject.halves()
    takes = subject.kind.takes(rest)
    if not takes and not subject.kind.takes_waiting():
        raise NotApplicable("it takes no numbers but features")
    _takes_numbers_only(subject, subject.played(len(first)), takes)
    if subject.kind.takes_waiting():
        player = subject.played(len(first))
        subject.kind.choose(player, rest[0])
        _takes_numbers_only(subject, player, subject.kind.takes_waiting())


# --- few rounds and many ------------------------------------------------------------------------------


def first_round(subject: Subject) -> None:
    """Everything can be asked before the first round and after it, and is finite."""
    player, (each, *_) = subject.make(0), subject.kind.stream(2)
    for when in ("before the first round", "after the first round"):
        asked = subject.kind.ask(player, each)
        require(finite(asked), f"{when} it answers {asked!r}")
        require(type(player).__name__ in repr(player), f"repr does not name the class: {player!r}")
        with suppress(AttributeError, TypeError, ValueError):  # has none, or needs a comparator
            certificate = player.certificate()
            holds = getattr(certificate, "holds", None)
            require(holds is not False, f"{when} its certificate does not hold: {certificate}")
        subject.kind.feed(player, each)


def run(subject: Subject) -> None:
    """Rounds at once, in parts, none at all among them, are the rounds one by one."""
    kind = subject.kind
    if not kind.has_many(subject.make(0)):
        raise NotApplicable("it cannot play rounds at once, or draws only one by one")
    first, rest = kind.stream(kind.length), kind.stream(6, seed=1)
    one, many, parts = subject.make(0), subject.make(0), subject.make(0)
    for each in first:
        kind.feed(one, each)
    kind.many(many, first)
    cuts = (0, 0, 1, 1, len(first) // 2, len(first), len(first))
    for start, stop in pairwise(cuts):
        kind.many(parts, first[start:stop])
    if subject.rounding:
        for player in (many, parts):
            _close(subject, kind.ask(player, rest[0]), kind.ask(one, rest[0]))
            if callable(getattr(player, "regret", None)):
                with suppress(TypeError, ValueError):  # needs a comparator
                    _close(subject, player.regret(), one.regret())
        for each in rest:
            for player in (one, many, parts):
                kind.feed(player, each)
            for player in (many, parts):
                _close(subject, kind.ask(player, each), kind.ask(one, each))
        return
    same(subject.state(one), subject.state(many), "rounds at once are not the rounds one by one")
    same(subject.state(one), subject.state(parts), "rounds in parts are not the rounds one by one")
    expected = subject.trace(one, rest)
    for player in (many, parts):
        same(subject.trace(player, rest), expected, "it plays otherwise after a run")


def _close(subject: Subject, one: Any, two: Any) -> None:
    """Equal up to a few dozen additions in another order."""
    for a, b in zip(*(each if isinstance(each, (tuple, list)) else (each,) for each in (one, two))):
        if isinstance(a, dict):
            _close(subject, list(a.values()), list(b.values()))
        elif isinstance(a, (str, bool)) or a is None:
            require(a == b, f"after a run it answers {a!r}, after single rounds {b!r}")
        else:
            np.testing.assert_allclose(a, b, rtol=subject.tolerance, atol=1e-12)


def second_run(subject: Subject) -> None:
    """A second run speaks of its own rounds: losses, their sum, regret and bound."""
    kind = subject.kind
    player = subject.make(0)
    if not kind.has_many(player):
        raise NotApplicable("it cannot play rounds at once, or draws only one by one")
    for seed in (1, 2):
        rounds, single = kind.stream(kind.length, seed), copy.deepcopy(player)
        found = kind.many(player, rounds)
        if not hasattr(found, "losses"):
            raise NotApplicable("its run returns no losses")
        asked, told = [], []
        for each in rounds:
            asked.append(kind.ask(single, each))
            told.append(kind.feed(single, each))
        require(len(found.losses) == len(rounds), f"{len(rounds)} rounds have {len(found.losses)}")
        _equal(kind.suffered(rounds, asked, told), float(np.sum(found.losses)), "losses of the run")
        _equal(float(np.sum(found.losses)), _number(found, "loss"), "`loss` of the run")
        with suppress(TypeError, ValueError, AttributeError):  # needs a comparator
            c = kind.certificate(found)
            _equal(kind.measured(rounds, asked, told), _number(c, "regret"), "regret of the run")
            _kept(c, kind.measured(rounds, asked, told))


def weightless(subject: Subject, *, files: bool = True) -> None:
    """An example of weight 0 brings no label, name, scale or round, and leaves no trace in a file."""
    calls = subject.kind.weightless()
    if not calls:
        raise NotApplicable("it takes no importance weights, or that is not known")
    for rounds in (0, 1, 12):
        rest = subject.kind.stream(subject.kind.length)[rounds:]
        for what, (call, without) in calls.items():
            player, twin = subject.played(rounds), subject.played(rounds)
            call(player)
            without(twin)
            labels = [getattr(each, "classes_", np.zeros(0)).tolist() for each in (player, twin)]
            require(labels[0] == labels[1], f"{what}: it has brought a label")
            counts = [getattr(each, "examples_", 0) for each in (player, twin)]
            require(counts[0] == counts[1], f"{what}: it was counted")
            if files:
                require(_bytes(player) == _bytes(twin), f"{what}: the file differs")
            traces = [subject.trace(each, rest) for each in (player, twin)]
            same(traces[0], traces[1], f"{what}: it plays otherwise")
            same(subject.state(player), subject.state(twin), f"{what}: the state differs")


def _bytes(player: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        player.save(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()


# --- sizes --------------------------------------------------------------------------------------------

_TOLD = (
    *("loss", "loss_", "mean_loss", "regret", "regrets", "linear", "gradient_sum", "point"),
    *("weight_", "weights", "weights_", "intercept_", "coef_", "probabilities"),
)
_CERTIFIED = ("regret", "loss", "linear", "gradient_norms", "rounding", "weight", "squares")


def finite(value: Any) -> bool:
    """Whether all numbers in a value are finite."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(finite, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all())
    return not isinstance(value, float) or math.isfinite(value)


def numbers_told(subject: Subject, player: Any, *, certificate: bool = True) -> None:
    """No number that a player tells is NaN, and none but a bound or a regret is infinite.

    The regret to a domain without end may be infinite.
    """
    told = {"what it plays": subject.kind.ask(player, subject.kind.stream(1)[0])}
    for name in _TOLD:
        with suppress(AttributeError, TypeError, ValueError):  # needs a comparator, or has none
            value = getattr(player, name)
            told[name] = value() if callable(value) else value
    if certificate:
        told |= {f"certificate: {name}": value for name, value in _certified(player).items()}
    for name, value in told.items():
        endless = "regret" in name and hasattr(player, "point") and not hasattr(player, "act")
        right = finite(value) or (endless and np.ndim(value) == 0 and value == math.inf)
        require(right, f"{name} is {value!r}")


def _certified(player: Any) -> dict[str, Any]:
    """The numbers of a certificate, without the bounds."""
    try:
        c = player.certificate()
    except (AttributeError, TypeError, ValueError):  # has none, or needs a comparator or examples
        return {}
    found = getattr(c, "bounds", {})
    bounds = {} if callable(found) else dict(found)  # needs a comparator
    if callable(getattr(c, "bound", None)):
        with suppress(TypeError):  # a certificate of linear learners
            bounds |= {norm: c.bound(1.0, ord=norm) for norm in (1, 2, math.inf)}
            bounds["best"] = c.best_possible(1.0)
    elif hasattr(c, "bound"):
        bounds["bound"] = c.bound
    require(not any(map(math.isnan, bounds.values())), f"a bound is NaN: {c}")
    holds = getattr(c, "holds", None)
    require(holds in (True, False, None), f"`holds` is neither True, False nor None: {c}")
    return {name: getattr(c, name, None) for name in _CERTIFIED}


def scales(subject: Subject) -> None:
    """Rounds of any size are played, or refused without a trace; every number stays finite."""
    streams = subject.kind.extremes()
    if not streams:
        raise NotApplicable("its rounds have one size")
    for stream in streams:
        player = subject.make(0)
        subject.kind.ask(player, subject.kind.stream(1)[0])  # it has started
        for t, each in enumerate(stream):
            before = subject.state(player)
            try:
                subject.kind.feed(player, each)
            except OVERFLOWED as error:
                require(len(str(error)) > 10, f"the message does not say why: {error!r}")
                # a choice that was made may wait for its loss
                if not subject.kind.bad_waiting() and not subject.kind.acts:
                    after = subject.state(player)
                    same(after, before, f"{_short(repr(each))} was refused, but changed the state")
            with_certificate = t % 6 == 5 or t == len(stream) - 1
            numbers_told(subject, player, certificate=with_certificate)


def scales_run(subject: Subject) -> None:
    """A refused run leaves the state before it, or before the round that was refused."""
    streams = subject.kind.extremes()
    if not streams or not subject.kind.has_many(subject.make(0)):
        raise NotApplicable("it cannot play rounds at once, or its rounds have one size")
    for stream in streams:
        one, many = subject.make(0), subject.make(0)
        states = []
        for player in (one, many):
            subject.kind.ask(player, subject.kind.stream(1)[0])
        with suppress(*OVERFLOWED):
            for each in stream:
                states.append(subject.state(one))
                subject.kind.feed(one, each)
        try:
            subject.kind.many(many, stream)
        except OVERFLOWED:
            after = subject.state(many)
            if after != states[0]:
                same(after, states[-1], "a run was refused, but changed the state")
        numbers_told(subject, many)


# --- regret, bound and words --------------------------------------------------------------------------


def _number(thing: Any, name: str) -> float | None:
    """An attribute that is a number or a method that returns one; None if there is none."""
    value = getattr(thing, name, None)
    if callable(value):
        try:
            value = value()
        except (TypeError, ValueError):  # needs a comparator
            return None
    return float(value) if value is not None and np.ndim(value) == 0 else None


def _equal(measured: float | None, told: float | None, what: str) -> None:
    """Equal up to rounding, unless one of them is not known."""
    if measured is None or told is None:
        return
    size = max(1.0, abs(measured), abs(told))
    require(abs(measured - told) <= 1e-9 * size, f"{what}: {told:.12g}, but it is {measured:.12g}")


def _kept(c: Any, measured: float | None) -> None:
    """The bound is not below the regret, neither the told one nor the measured one."""
    bound = _number(c, "bound")
    for regret in (_number(c, "regret"), measured):
        if bound is not None and regret is not None:
            slack = 1e-9 * (1.0 + abs(bound) + abs(regret)) if math.isfinite(bound) else 0.0
            require(
                regret <= bound + slack, f"the bound {bound:.9g} is below the regret {regret:.9g}"
            )


def follow(
    subject: Subject,
    certificate: Callable[[Any], Any],
    each_time: Callable[[Any, list[Any]], None],
) -> None:
    """The certificate after every round, of the stream and of rounds that look at what is played.

    Its regret is compared with one computed from the rounds, and the bound with both. `each_time` is
    called with the certificate and the rounds so far.
    """
    kind, rng = subject.kind, generator(5, "checks")
    for how in range(1 + len(kind.hostile(subject.make(1), rng))):
        player, rounds, asked, told = subject.make(1), [], [], []
        for each in kind.stream(3 * kind.length, seed=7):
            rounds.append([each, *kind.hostile(player, rng)][how])
            asked.append(kind.ask(player, rounds[-1]))
            told.append(kind.feed(player, rounds[-1]))
            c = certificate(player)
            each_time(c, rounds)
            measured = kind.measured(rounds, asked, told)
            _kept(c, measured)
            bound, regret = _number(c, "bound"), _number(c, "regret")
            if measured is not None and regret is not None:
                # sums of a few dozen numbers no larger than the largest of them
                size = abs(measured if bound is None else bound if math.isfinite(bound) else 0.0)
                close = abs(regret - measured) <= 1e-9 * max(size, getattr(kind, "unit", 1.0))
                require(close, f"it tells a regret of {regret:.12g}, but it is {measured:.12g}")


def certified(subject: Subject) -> str:
    """The regret is the one computed from the rounds, and no bound is below it."""
    player = subject.make(0)
    names = [name for name in ("certificate", "regret", "bound") if hasattr(player, name)]
    if not names:
        raise NotApplicable("it has no certificate(), regret or bound")

    def told(player: Any) -> Any:
        if "certificate" in names:
            return _asked(subject.kind, player)
        return types.SimpleNamespace(**{name: _number(player, name) for name in names})

    def each_time(c: Any, rounds: list[Any]) -> None:
        holds = getattr(c, "holds", None)
        require(
            holds is not False, f"the certificate does not hold after {len(rounds)} rounds: {c}"
        )
        counted = getattr(c, "rounds", None)
        right = not isinstance(counted, int) or counted == len(rounds)
        require(right, f"the certificate speaks of {counted} rounds, not {len(rounds)}")

    follow(subject, told, each_time)
    rounds = subject.kind.stream(1)
    asked = [subject.kind.ask(player, each) for each in rounds]
    answers = [subject.kind.feed(player, each) for each in rounds]
    if subject.kind.measured(rounds, asked, answers) is None:
        return "No bound is below the regret that it tells; the true regret is not known here."
    return ""


def _asked(kind: Kind, player: Any) -> Any:
    try:
        return kind.certificate(player)
    except (TypeError, ValueError) as error:
        if "certificate" not in str(error) and not isinstance(error, ValueError):
            raise
        raise NotApplicable(f"its certificate needs more than the rounds: {error}") from error


def vocabulary(subject: Subject) -> None:
    """`loss` is the sum of the losses, `mean_loss` their mean, `rounds` their number."""
    kind, player = subject.kind, subject.make(0)
    counts = [name for name in ("rounds", "examples_") if hasattr(player, name)]
    if not counts and not hasattr(player, "loss") and not hasattr(player, "mean_loss"):
        raise NotApplicable("it has no rounds, loss or mean_loss")
    rounds, asked, told = kind.stream(kind.length), [], []
    for each in rounds:
        asked.append(kind.ask(player, each))
        told.append(kind.feed(player, each))
        for name in counts:
            found = getattr(player, name)
            if not callable(found):
                require(found == len(told), f"{name} is {found} after {len(told)} rounds")
        total = kind.suffered(rounds, asked, told)
        if isinstance(getattr(player, "loss", None), (int, float)):  # not the name of a loss
            _equal(total, player.loss, "`loss` is the sum of the losses")
        if total is not None and isinstance(getattr(player, "mean_loss", None), (int, float)):
            _equal(total / len(told), player.mean_loss, "`mean_loss` is the mean of the losses")


CHECKS: Mapping[str, Callable[[Subject], str | None]] = {
    "asking": asking,
    "same_seed": same_seed,
    "another_seed": another_seed,
    "clone": clone,
    "copy": copied,
    "deepcopy": deep_copied,
    "pickle": pickled,
    "file": file,
    "waiting": waiting,
    "bad_input": bad_input,
    "bad_input_first": bad_input_first,
    "bad_loss": bad_loss,
    "only_numbers": only_numbers,
    "first_round": first_round,
    "run": run,
    "second_run": second_run,
    "weightless": weightless,
    "scales": scales,
    "scales_run": scales_run,
    "certificate": certified,
    "vocabulary": vocabulary,
}
