"""Checks of play: asking, seeds, the first round, and many rounds at once."""

import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from regretless.checks.numbers import finite
from regretless.checks.subject import NotApplicable, Subject, require, same, state_of

__all__ = ["another_seed", "asking", "first_round", "run", "same_seed", "weightless"]


def _ask_everything(subject: Subject, player: Any, rounds: list[Any]) -> None:
    for each in rounds:
        subject.kind.ask(player, each)
    repr(player)
    for name in ("regret", "regrets", "loss", "loss_", "weights_", "rounds", "get_params"):
        with suppress(TypeError, ValueError):  # needs a comparator, or has no rounds yet
            found = getattr(player, name, None)
            if callable(found):
                found()
    with suppress(AttributeError, TypeError, ValueError):  # has none, or needs the examples
        player.certificate()


def asking(subject: Subject) -> None:
    """Predictions, weights, `repr` and certificates do not change the state."""
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


def same_seed(subject: Subject) -> None:
    """Two that were made and fed alike are alike, bit for bit."""
    one, two = subject.make(3), subject.make(3)
    stream = subject.kind.stream(subject.kind.length)
    traces = [subject.trace(player, stream) for player in (one, two)]
    same(traces[0], traces[1], "two that were made alike play differently")
    same(subject.state(one), subject.state(two), "two that were made and fed alike differ")


def another_seed(subject: Subject) -> None:
    """A player that draws plays otherwise with another seed; other players do not."""
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


def first_round(subject: Subject) -> None:
    """Everything can be asked before the first round and after it, and is finite."""
    player, (each, *_) = subject.make(0), subject.kind.stream(2)
    for when in ("before the first round", "after the first round"):
        asked = subject.kind.ask(player, each)
        require(finite(asked), f"{when} it answers {asked!r}")
        require(type(player).__name__ in repr(player), f"repr does not name the class: {player!r}")
        if hasattr(player, "certificate"):
            try:
                certificate = player.certificate()
            except (
                TypeError,
                ValueError,
            ) as error:  # needs a comparator, or has no rounds yet
                require(len(str(error)) > 10, f"the message does not say why: {error!r}")
            else:
                holds = getattr(certificate, "holds", None)
                require(holds is not False, f"{when} its certificate does not hold: {certificate}")
        subject.kind.feed(player, each)


def run(subject: Subject) -> None:
    """Rounds at once, or in parts that may be empty, are the rounds one by one."""
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


def weightless(subject: Subject) -> None:
    """An example of weight 0 does not add a label, name, scale or round, or change a file."""
    calls = subject.kind.weightless()
    if not calls:
        raise NotApplicable("it does not take importance weights, or that is not known")
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
            if callable(getattr(player, "save", None)):
                require(_bytes(player) == _bytes(twin), f"{what}: the file differs")
            traces = [subject.trace(each, rest) for each in (player, twin)]
            same(traces[0], traces[1], f"{what}: it plays otherwise")
            same(subject.state(player), subject.state(twin), f"{what}: the state differs")


def _bytes(player: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        player.save(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()
