"""Objects that are defined by the call that makes them: their `repr`, equality and hash."""

import inspect
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

# --- the call that makes an object alike, as `repr` shows it --------------------------------------

_PARAMETERS: dict[type, dict[str, inspect.Parameter]] = {}  # known ones: looking takes 200 us


def parameters_of(kind: type) -> dict[str, inspect.Parameter]:
    """The parameters of a constructor; its `**options` are those of the class above.

    >>> from regretless.oco import OnlineGradientDescent
    >>> list(parameters_of(OnlineGradientDescent))
    ['dimension', 'rate', 'domain', 'lazy', 'radius', 'lipschitz', 'horizon']
    """
    if kind in _PARAMETERS:
        return _PARAMETERS[kind]
    found = dict(inspect.signature(kind).parameters)
    makers = [each for each in kind.__mro__ if "__init__" in vars(each)]
    for above in makers[1:]:
        passed_on = [k for k, p in found.items() if p.kind is p.VAR_KEYWORD]
        if not passed_on:
            break
        more = inspect.signature(above).parameters.values()
        found = {k: p for k, p in found.items() if k not in passed_on}
        kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        found |= {p.name: p for p in more if p.kind in kinds and p.name not in found}
    _PARAMETERS[kind] = found
    return found


def call_of(made: Any, given: dict[str, Any], plain: Any = None, always: Iterable[str] = ()) -> str:
    """The call with the arguments that have no default or another value.

    Parameters: `given`, the arguments by name; `plain`, an object made of defaults, if the attributes
    that it has are what defaults stand for; `always`, what is shown though it has a default.

    >>> from regretless.bandits import Exp3
    >>> call_of(Exp3(3, rate=0.5), {"n": 3, "rate": 0.5, "seed": 0})
    'Exp3(3, rate=0.5)'
    """
    parameters = parameters_of(type(made))
    inside = []
    for name, value in given.items():
        text = _text(value)
        parameter = parameters.get(name)  # or an option of a class above
        if name in always or (parameter and parameter.default is parameter.empty):
            inside.append(text)
            continue
        defaults = [getattr(plain, name)] if hasattr(plain, name) else []
        defaults += [] if parameter is None else [parameter.default]
        if not any(_alike(value, default) for default in defaults):
            inside.append(f"{name}={text}")
    return f"{type(made).__name__}({', '.join(inside)})"


def _text(value: Any) -> str:
    """A value as it is written in a call."""
    if isinstance(value, type):
        return value.__name__
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


def call_of_fields(made: Any) -> str:
    """The same of a dataclass, which its fields are given to.

    >>> from regretless.domains import Ball
    >>> call_of_fields(Ball(2.0)), call_of_fields(Ball(2.0, p=1.0))
    ('Ball(radius=2.0)', 'Ball(radius=2.0, p=1.0)')
    """
    if not is_dataclass(made):
        return object.__repr__(made)
    return call_of(
        made, {field.name: getattr(made, field.name) for field in fields(made) if field.init}
    )


def _alike(value: Any, other: Any) -> bool:
    arrays = isinstance(value, np.ndarray) or isinstance(other, np.ndarray)
    return np.array_equal(value, other) if arrays else value is other or bool(value == other)


# --- equality by value, and the call that makes them, for small objects that hold arrays ----------


class ByValue:
    """Two objects are equal if they are of the same class and their dataclass fields are equal."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        names = [field.name for field in fields(self)] if is_dataclass(self) else list(vars(self))
        pairs: list[tuple[Any, Any]] = [(getattr(self, n), getattr(other, n)) for n in names]
        return all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b) for a, b in pairs
        )

    def __hash__(self) -> int:
        return hash(repr(self))

    __repr__ = call_of_fields
