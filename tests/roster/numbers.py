"""That no number a player tells is NaN, and none but a bound is infinite."""

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from regretless.oco import Player
from roster.kinds import Entry

__all__ = ["check_numbers", "finite", "spoiled"]

_TOLD = ("loss", "loss_", "mean_loss", "regret", "regrets", "linear", "gradient_sum", "point")
_TOLD = (*_TOLD, "weight_", "weights", "weights_", "intercept_", "coef_", "probabilities")
_CERTIFIED = ("regret", "loss", "linear", "gradient_norms", "rounding", "weight", "squares")


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


def finite(value: Any) -> bool:
    """Whether all numbers in what was asked are."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(finite, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all())
    return not isinstance(value, float) or math.isfinite(value)


def check_numbers(entry: Entry, player: Any, *, certificate: bool = True) -> None:
    """Ask everything: predictions or plays, weights, sums, regrets, and what the certificate says."""
    told = {"asked": entry.kind.ask(player, entry.kind.stream(1)[0])}
    for name in _TOLD:
        with suppress(AttributeError, TypeError, ValueError):  # needs a comparator, or has none
            value = getattr(player, name)
            told[name] = value() if callable(value) else value
    if certificate:
        told |= {f"certificate: {name}": value for name, value in _certified(player).items()}
    for name, value in told.items():
        endless = "regret" in name and isinstance(player, Player)  # of a domain that has no end
        assert finite(value) or (endless and value == math.inf), (name, value)


def _certified(player: Any) -> dict[str, Any]:
    """What its certificate says, the bounds apart."""
    try:
        c = player.certificate()
    except (AttributeError, TypeError, ValueError):  # has none, or needs a comparator or examples
        return {}
    found = getattr(c, "bounds", {})
    bounds = {} if callable(found) else dict(found)  # needs a comparator
    if callable(getattr(c, "bound", None)):
        bounds |= {norm: c.bound(1.0, ord=norm) for norm in (1, 2, math.inf)}
        bounds["best"] = c.best_possible(1.0)
    elif hasattr(c, "bound"):
        bounds["bound"] = c.bound
    assert not any(map(math.isnan, bounds.values())), c
    assert c.holds in (True, False, None), c
    return {name: getattr(c, name, None) for name in _CERTIFIED}
