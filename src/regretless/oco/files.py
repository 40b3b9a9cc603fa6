"""The parts of a player as JSON, and back: what a file holds besides arrays."""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import numpy as np

from regretless import domains, geometry, losses, rates
from regretless.arguments import shown

__all__ = ["described", "restored"]

_ROOMS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module for module in (domains, geometry, losses, rates)
}


def described(value: Any) -> Any:
    """A number, text or array, or a domain, geometry, loss or rate and what it is made of.

    >>> described(rates.Constant(0.5))
    {'rates': ['Constant', {'eta': 0.5}]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return {"array": _each(value.tolist(), described)}
    if isinstance(value, tuple):
        return {"tuple": [described(each) for each in value]}
    for room, module in _ROOMS.items():
        name = type(value).__name__
        if is_dataclass(value) and getattr(module, name, None) is type(value):
            inside = {f.name: described(getattr(value, f.name)) for f in fields(value) if f.init}
            return {room: [name, inside]}
    raise ValueError(f"{shown(value)} cannot be saved: it is not one of {', '.join(_ROOMS)}")


def restored(value: Any) -> Any:
    """What `described` described.

    >>> restored(described(domains.Simplex(2.0)))
    Simplex(scale=2.0)
    """
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise ValueError(f"{value!r} is a list, which no option is")
        return value
    ((kind, inside),) = value.items()
    if kind == "float":
        return float(inside)
    if kind == "array":
        return np.array(_each(inside, restored), np.float64)
    if kind == "tuple":
        return tuple(restored(each) for each in inside)
    name, options = inside
    part = getattr(_ROOMS[kind], name) if name in _ROOMS[kind].__all__ else None
    if not (isinstance(part, type) and is_dataclass(part)):
        raise ValueError(f"{name} is not known")
    made = {k: restored(v) for k, v in options.items()}
    return part(*made["domains"]) if "domains" in made else part(**made)


def _each(values: Any, what: Callable[[Any], Any]) -> Any:
    """A function of every number in lists of lists."""
    return [_each(each, what) for each in values] if isinstance(values, list) else what(values)
