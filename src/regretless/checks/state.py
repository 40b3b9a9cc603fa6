"""The state of an object in a form that can be compared, bit for bit."""

import types
from collections.abc import Collection
from typing import Any

import numpy as np

__all__ = ["difference", "state_of"]

_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)


def state_of(value: Any, caches: Collection[str] = ()) -> Any:
    """The state that pickling would keep, without the attributes named in `caches`.

    Two states are equal if and only if every bit is. Pickles cannot be compared: those of equal objects
    differ if one of the objects shares parts. Lists and tuples count as equal, and so do numbers of
    NumPy and of Python, because a file does not distinguish them.

    >>> state_of([1.0, float("nan")]) == state_of((np.float64(1.0), np.nan))
    True
    >>> state_of(0.0) == state_of(-0.0)
    False
    """
    return _walk(value, frozenset(caches), ())


def difference(one: Any, two: Any) -> str:
    """Where two states differ first, in words; empty if they are equal.

    >>> difference(state_of({"a": [1, 2]}), state_of({"a": [1, 3]}))
    'dict 0 1 list 1 int: 2, not 3'
    """
    if one == two:
        return ""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        where = next(i for i, (a, b) in enumerate(zip(one, two)) if a != b)
        if one[0] == "array" and where == 3:
            a, b = (np.frombuffer(each[3], each[1]) for each in (one, two))
            return f"array of {one[1]}: {a}, not {b}"
        kind = one[0] if where and isinstance(one[0], str) else where
        deeper = isinstance(one[where], tuple) and isinstance(two[where], tuple)
        return f"{kind}{' ' if deeper else ': '}{difference(one[where], two[where])}"
    return f"{one!r}, not {two!r}"


def _walk(value: Any, caches: frozenset[str], above: tuple[int, ...]) -> Any:  # noqa: PLR0911 a case each
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str, bytes, complex)):
        return type(value).__name__, value
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, _NAMED):
        return "named", getattr(value, "__qualname__", value.__name__)
    if id(value) in above:
        return "above", len(above) - above.index(id(value))
    above = (*above, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return "array", str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, (list, tuple, np.ndarray)):
        return "list", tuple(_walk(each, caches, above) for each in value)
    if isinstance(value, (set, frozenset)):
        return "set", tuple(sorted(repr(_walk(each, caches, above)) for each in value))
    if isinstance(value, dict):
        return "dict", tuple(
            (_walk(k, caches, above), _walk(v, caches, above)) for k, v in value.items()
        )
    return _parts(value, caches, above)


def _parts(value: Any, caches: frozenset[str], above: tuple[int, ...]) -> Any:
    """An object: the call that would make it again, and its attributes."""
    try:
        make, given, *rest = value.__reduce_ex__(4)
    except TypeError:  # a lock, for example, which has no value
        return type(value).__name__, "cannot be pickled"
    kept, *more = rest or [None]
    if isinstance(kept, dict):  # attributes, in no order
        kept = {k: v for k, v in sorted(kept.items()) if k not in caches}
    more = [None if each is None else list(each) for each in more]
    return type(value).__name__, _walk([make, list(given), kept, more], caches, above)
