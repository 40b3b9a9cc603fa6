"""Checks of the numbers that a player reports.

Losses, regrets and bounds are compared with those computed from the rounds, at every size of the rounds.
"""

import copy
import math
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from regretless.base.randomness import generator
from regretless.checks.kinds import Kind
from regretless.checks.subject import NotApplicable, Subject, require, same
from regretless.errors import Diverged

__all__ = [
    "certificate_of",
    "certified",
    "compare",
    "finite",
    "follow",
    "numbers_told",
    "scales",
    "scales_run",
    "second_run",
    "vocabulary",
]


# --- losses, regrets and bounds, against those computed from the rounds ---------------------------


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


# --- the numbers that a player reports, at every size of its rounds -------------------------------

OVERFLOWED = (ValueError, Diverged)
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
    """Numbers that a player reports are never NaN, and only a bound or a regret is infinite.

    The regret to an unbounded domain may be infinite.
    """
    told = {"its choice": subject.kind.ask(player, subject.kind.stream(1)[0])}
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
    """Rounds of any size are played, or refused without a change; every number stays finite."""
    streams = subject.kind.extremes(subject.sizes)
    if not streams:
        raise NotApplicable("its rounds have one size")
    for stream in streams:
        player = subject.make(0)
        subject.kind.ask(player, subject.kind.stream(1)[0])  # it has started
        rounds: list[Any] = []
        asked: list[Any] = []
        told: list[Any] = []
        for t, each in enumerate(stream):
            before = subject.state(player)
            try:
                play, answer = subject.kind.ask(player, each), subject.kind.feed(player, each)
            except OVERFLOWED as error:
                require(len(str(error)) > 10, f"the message does not say why: {error!r}")
                # a choice that was made may wait for its loss
                if not subject.kind.bad_waiting() and not subject.kind.acts:
                    after = subject.state(player)
                    same(after, before, f"{each!r:.300} was refused, but changed the state")
            else:
                for column, value in zip((rounds, asked, told), (each, play, answer)):
                    column.append(value)
            with_certificate = t % 6 == 5 or t == len(stream) - 1
            numbers_told(subject, player, certificate=with_certificate)
        with suppress(NotApplicable, OverflowError), np.errstate(all="ignore"):
            compare(subject.kind, certificate_of(subject.kind, player), rounds, asked, told)


def scales_run(subject: Subject) -> None:
    """A refused run leaves the state before it, or before the round that was refused."""
    streams = subject.kind.extremes(subject.sizes)
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
