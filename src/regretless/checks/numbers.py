"""Checks of the numbers that a player reports, at every size of its rounds."""

import math
from contextlib import suppress
from typing import Any

import numpy as np

from regretless.checks.regrets import certificate_of, compare
from regretless.checks.subject import NotApplicable, Subject, require, same
from regretless.errors import Diverged

__all__ = ["finite", "numbers_told", "scales", "scales_run"]

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
