"""Checks of losses, regrets and bounds, against those computed from the rounds."""

import copy
import math
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from regretless.base.randomness import generator
from regretless.checks.kinds import Kind
from regretless.checks.subject import NotApplicable, Subject, require

__all__ = ["certificate_of", "certified", "compare", "follow", "second_run", "vocabulary"]


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
    """Require equality up to rounding, unless one of them is not known."""
    if measured is None or told is None:
        return
    size = max(1.0, abs(measured), abs(told))
    require(abs(measured - told) <= 1e-9 * size, f"{what}: {told:.12g}, but it is {measured:.12g}")


def compare(
    kind: Kind, c: Any, rounds: list[Any], asked: list[Any], told: list[Any]
) -> float | None:
    """The certificate has the regret that is computed from the rounds, and bounds of at least that.

    Returns that regret, None if it cannot be computed.
    """
    measured, regret, bound = kind.measured(rounds, asked, told), _number(c, "regret"), math.inf
    if (found := _number(c, "bound")) is not None:
        bound = found
    # up to rounding in sums of a few dozen numbers, of which some may be too small for all bits
    size = kind.largest(rounds) + abs(bound if math.isfinite(bound) else measured or 0.0) + 1e-299
    for each in (regret, measured):
        low = each is not None and each > bound + 1e-9 * size
        require(not low, f"the bound {bound:.9g} is below the regret {each}")
    if measured is not None and regret is not None:
        close = abs(regret - measured) <= 1e-9 * size
        require(close, f"it tells a regret of {regret:.12g}, but it is {measured:.12g}")
    return measured


def follow(
    subject: Subject,
    each_time: Callable[[Any, list[Any]], None],
    certificate: Callable[[Any], Any] | None = None,
) -> bool:
    """Check the certificate after every round, of the stream and of rounds that depend on the choice.

    Its regret is compared with one computed from the rounds, and the bound with both; returns whether
    it could be computed. `each_time` is called with the certificate and the rounds so far.
    """
    kind, rng, measured = subject.kind, generator(5, "checks"), None
    for how in range(1 + len(kind.hostile(subject.make(1), rng))):
        player, rounds, asked, told = subject.make(1), [], [], []
        for each in kind.stream(3 * kind.length, seed=7):
            rounds.append([each, *kind.hostile(player, rng)][how])
            asked.append(kind.ask(player, rounds[-1]))
            told.append(kind.feed(player, rounds[-1]))
            c = certificate(player) if certificate else certificate_of(kind, player)
            each_time(c, rounds)
            measured = compare(kind, c, rounds, asked, told)
    return measured is not None


def certificate_of(kind: Kind, player: Any) -> Any:
    """The certificate, or the regret and bound of a player without one."""
    if not hasattr(player, "certificate"):
        names = [name for name in ("regret", "bound") if hasattr(player, name)]
        if not names:
            raise NotApplicable("it has no certificate(), regret or bound")
        return types.SimpleNamespace(**{name: _number(player, name) for name in names})
    try:
        return kind.certificate(player)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError) and "certificate" not in str(error):
            raise
        raise NotApplicable(f"its certificate needs more than the rounds: {error}") from error


def certified(subject: Subject) -> str:
    """The regret is the one computed from the rounds, and all bounds are at least that."""

    def each_time(c: Any, rounds: list[Any]) -> None:
        holds = getattr(c, "holds", None)
        right = holds is not False
        require(right, f"the certificate does not hold after {len(rounds)} rounds: {c}")
        counted = getattr(c, "rounds", None)
        right = not isinstance(counted, int) or counted == len(rounds)
        require(right, f"the certificate covers {counted} rounds, not {len(rounds)}")

    if follow(subject, each_time):
        return ""
    return "All bounds are at least the reported regret; the true regret is not known here."


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


def second_run(subject: Subject) -> None:
    """A second run covers its own rounds: losses, their sum, regret and bound."""
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
            compare(kind, kind.certificate(found), rounds, asked, told)
