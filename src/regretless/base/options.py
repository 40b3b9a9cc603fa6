"""Options of a class, declared once as fields: the check of a value, its default and its meaning.

A class of learners or players lists its options in its body:

    class Steady(Stateful):
        '''Steps of one size.'''

        dimension: int = option(whole, text="how many coordinates there are", kw_only=False)
        rate: float = option(positive, default=0.1, text="length of a step")

From these fields `declare` makes the constructor, which checks every value and names a wrong argument,
and the paragraph "Parameters" of the docstring. `clone`, `repr`, `get_params`, saved files, the facades
of River and scikit-learn, the command line and the reference read the same fields. A subclass inherits
the options. It can declare an option again, or fix it by a plain value in its body.
"""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Optional, Protocol, TypeVar

import numpy as np

from regretless.base import arguments

T = TypeVar("T")

REQUIRED: Any = inspect.Parameter.empty

if TYPE_CHECKING:

    class OrNone(Generic[T]):
        """The type of an option that may be None, for which `__post_init__` sets another value."""

        def __get__(self, made: object, kind: type | None = None) -> T: ...

        def __set__(self, made: object, value: T | None) -> None: ...

else:
    OrNone = Optional

_ENDLESS = 2**31 - 1  # documentation does not mention upper limits from here on


class _HasOptions(Protocol):
    """An object whose constructor `declare` has made."""

    _keeps_what_is_given: bool
    _checks_late: bool

    def __post_init__(self) -> None: ...


@dataclass(frozen=True)
class Option:
    """One option of a class.

    Attributes: `check`, a function of a value, its name and the `limits`, which returns the value to
    keep or raises; None accepts every value. `default`; if it is None, None is not checked. `text`, the
    meaning. `kw_only`, whether the option can only be given by name. `hint`, a remedy, which ends the
    message of the check.

    >>> Option(arguments.whole, (1, 31), 18, "how many bits").allowed
    'from 1 to 31'
    """

    check: Callable[..., Any] | None
    limits: tuple[Any, ...]
    default: Any
    text: str
    kw_only: bool = True
    hint: str = ""

    def checked(self, value: Any, name: str) -> Any:
        """The value to keep; `ValueError` if the value is not allowed.

        >>> Option(arguments.positive, (), 0.1, "length of a step").checked(-1.0, "rate")
        Traceback (most recent call last):
        ValueError: rate=-1.0 must be positive and finite
        """
        if self.check is None or (value is None and self.default is None):
            return value
        if self.hint:
            return self.check(value, name, *self.limits, hint=self.hint)
        return self.check(value, name, *self.limits)

    @property
    def allowed(self) -> str:
        """The allowed values in words; empty if the text has to name them."""
        say = _IN_WORDS.get(self.check)
        if say is None:
            return ""
        return say(*self.limits) + (", or None" if self.default is None else "")


def option(
    check: Callable[..., Any] | None = None,
    *limits: Any,
    text: str,
    default: Any = REQUIRED,
    kw_only: bool = True,
    hint: str = "",
) -> Any:
    """Declare an option: give the result to an annotated name in the body of a class.

    Parameters
    ----------
    check, limits : the function that checks a value, called with the value, the name and the limits, as
        those of `base.arguments` are. None accepts every value.
    text : the meaning of the option, for the docstring.
    default : the value of an option that is not given; an option without a default is required.
    kw_only : whether the option can only be given by name.
    hint : a remedy, which ends the message of the check.
    """
    return Option(check, limits, default, " ".join(text.split()), kw_only, hint)


def fixed(value: T, *, init: Literal[False] = False) -> T:  # noqa: ARG001 only the type
    """The value of an inherited option that a class fixes; type checkers know the field by `init`."""
    return value


def options_of(kind: type) -> dict[str, Option]:
    """The options of a class, by name, in the order of the constructor's parameters.

    Those of a constructor that is written by hand are its parameters; those of a dataclass, its fields.

    >>> from regretless.linear import Perceptron
    >>> options_of(Perceptron)["rate"].default
    1.0
    """
    declared: dict[str, Option] | None = getattr(kind, "_declared", None)
    return _of_parts(kind) if declared is None else declared


def declare(kind: type) -> None:
    """Make the constructor of a class from its options, and complete its docstring.

    A constructor that is written by hand stays, and its parameters are the options.
    """
    body = vars(kind)
    own = {name: each for name, each in body.items() if isinstance(each, Option)}
    inherited: dict[str, Option] = {}
    for base in reversed(kind.__bases__):  # so that the first base comes first
        inherited |= getattr(base, "_declared", {})
    for name in own:
        delattr(kind, name)  # `hasattr` is False for objects that are not yet made
    if "__init__" in body:
        kind._declared = _of_signature(kind, inherited | own)  # type: ignore[attr-defined]
        return
    kept = {name: each for name, each in inherited.items() if name not in body and name not in own}
    # Options by position keep their places, also if they are declared again. Among options by name those
    # of the class itself come first.
    places = {k: v for k, v in (inherited | own).items() if k in own or k in kept}
    found = {k: v for k, v in places.items() if not v.kw_only}
    found |= {k: v for k, v in (own | kept).items() if v.kw_only}
    above = next(each for each in kind.__mro__ if "__init__" in vars(each))
    if above is object or found != options_of(above):
        kind.__init__ = _constructor(kind, found)  # type: ignore[misc]
    kind._declared = found  # type: ignore[attr-defined]
    if kind.__doc__:
        kind.__doc__ = _documented(kind.__doc__, found)


def check_options(made: object) -> None:
    """Check the options of an object again, because its attributes can have been changed."""
    for name, each in options_of(type(made)).items():
        each.checked(getattr(made, name), name)


def _of_signature(kind: type, known: dict[str, Option]) -> dict[str, Option]:
    """The parameters of a constructor as options; `**options` stands for the `known` ones by name."""
    found: dict[str, Option] = {}
    for name, each in inspect.signature(kind).parameters.items():
        if each.kind is each.VAR_KEYWORD:
            found |= {k: v for k, v in known.items() if v.kw_only and k not in found}
        elif each.kind is not each.VAR_POSITIONAL:
            meant = known.get(name) or Option(None, (), REQUIRED, "")
            by_name = each.kind is each.KEYWORD_ONLY
            found[name] = replace(meant, default=each.default, kw_only=by_name)
    return found


@cache  # because it takes 200 us to look at a signature
def _of_parts(kind: type) -> dict[str, Option]:
    """The fields of a dataclass as options."""
    return _of_signature(kind, {})


def _constructor(kind: type, options: dict[str, Option]) -> Callable[..., None]:
    """An `__init__` that checks the options, sets them as attributes and calls `__post_init__`."""
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    types: dict[str, Any] = {}
    for each in reversed(kind.__mro__):
        types |= inspect.get_annotations(each)
    signature = inspect.Signature(
        [inspect.Parameter("self", by_place)]
        + [
            inspect.Parameter(
                name,
                by_name if each.kw_only else by_place,
                default=each.default,
                annotation=types.get(name, inspect.Parameter.empty),
            )
            for name, each in options.items()
        ],
        return_annotation=None,
    )
    defaults = {name: each.default for name, each in options.items()}
    places = [name for name, each in options.items() if not each.kw_only]

    def construct(self: _HasOptions, *given: Any, **named: Any) -> None:
        values = defaults | dict(zip(places, given)) | named
        twice = not named.keys().isdisjoint(places[: len(given)])
        missing = any(value is REQUIRED for value in values.values())
        if twice or missing or len(given) > len(places) or len(values) > len(options):
            _refuse_call(type(self), signature, given, named)
        for name, each in options.items():
            value = values[name]
            checked = value if self._checks_late else each.checked(value, name)
            setattr(self, name, value if self._keeps_what_is_given else checked)
        self.__post_init__()

    construct.__signature__ = signature  # type: ignore[attr-defined]
    construct.__name__ = "__init__"
    construct.__qualname__ = f"{kind.__qualname__}.__init__"
    construct.__module__ = kind.__module__
    return construct


def _refuse_call(
    kind: type, signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]
) -> NoReturn:
    """A `TypeError` that says what is wrong with a call of a constructor, and what to do."""
    from difflib import get_close_matches

    wrong, remedy = "an option has no value", ""
    try:
        signature.bind(None, *given, **named)
    except TypeError as error:
        wrong = str(error)
    parameters = list(signature.parameters.values())[1:]
    names = [each.name for each in parameters]
    by_name = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    unknown = [name for name in named if name not in names]
    if unknown and (near := get_close_matches(unknown[0], names, n=1)):
        remedy = f"; did you mean {near[0]!r}?"
    elif unknown:
        remedy = f"; the options are {', '.join(names)}" if names else "; there are no options"
    elif len(given) > len(names) - len(by_name) and by_name:
        remedy = f"; give {', '.join(by_name)} by name"
    raise TypeError(f"{kind.__name__}(): {wrong}{remedy}")


# --- options in words ------------------------------------------------------------------------------


def _either(parts: list[str]) -> str:
    return " or ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _one_of(choices: Collection[object], *_: object) -> str:
    return _either([_quoted(each) for each in choices])


def _named_or(names: Collection[str], check: Callable[..., Any], *limits: object) -> str:
    return _either([*map(_quoted, names), _IN_WORDS[check](*limits)])


def _whole(least: int = 1, most: int = _ENDLESS, *_: object) -> str:
    return f">= {least}" if most >= _ENDLESS else f"from {least} to {most:,}"


_IN_WORDS: dict[Callable[..., Any] | None, Callable[..., str]] = {
    arguments.positive: lambda *_: "> 0",
    arguments.length: lambda *_: "> 0",
    arguments.not_negative: lambda *_: ">= 0",
    arguments.instance: lambda kind, *_: f"a `{kind.__name__}`",
    arguments.within: lambda interval, *_: f"in {interval}",
    arguments.whole: _whole,
    arguments.one_of: _one_of,
    arguments.named_or: _named_or,
    arguments.interval: lambda *_: "two numbers, the smaller first",
}


def _documented(docstring: str, options: dict[str, Option]) -> str:
    """The docstring with a paragraph on the options before the example, unless it has one.

    >>> print(_documented("A player.", {"n": Option(None, (), 1, "how many.")}))
    A player.
    <BLANKLINE>
    Parameters
    ----------
    n : how many.
    """
    entries = [f"{name} : {_entry(each)}" for name, each in options.items() if each.text]
    docstring = inspect.cleandoc(docstring)
    if not entries or "\nParameters\n---" in docstring:
        return docstring
    head, mark, example = f"\n{docstring}".partition("\n>>> ")
    listed = "\n".join(["Parameters", "----------", *entries])
    return "\n\n".join([head.strip(), listed, *([f">>> {example}"] if mark else [])])


def _entry(each: Option) -> str:
    from textwrap import fill

    text = "; ".join(part for part in (each.allowed, each.text) if part)
    text = text if text.endswith(".") else f"{text}."
    return fill(text, 96, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)


# --- objects that are equal if the calls that make them are: their `repr`, equality and hash --------


def call_of(made: object, given: dict[str, Any]) -> str:
    """The call that makes an object, without the options that have their default value.

    >>> from regretless.bandits import Exp3
    >>> call_of(Exp3(3, rate=0.5), {"n": 3, "rate": 0.5, "seed": 0})
    'Exp3(3, rate=0.5)'
    """
    options = options_of(type(made))
    shown = []
    for name, value in given.items():
        known = options.get(name)
        text = value.__name__ if isinstance(value, type) else repr(_plain(value))
        if known is not None and known.default is REQUIRED and not known.kw_only:
            shown.append(text)
        elif known is None or not _equal(value, known.default):
            shown.append(f"{name}={text}")
    return f"{type(made).__name__}({', '.join(shown)})"


def call_of_fields(made: object) -> str:
    """The call that makes a dataclass from its fields.

    >>> from regretless.domains import Ball
    >>> call_of_fields(Ball(2.0)), call_of_fields(Ball(2.0, p=1.0))
    ('Ball(radius=2.0)', 'Ball(radius=2.0, p=1.0)')
    """
    return call_of(made, _fields(made)) if is_dataclass(made) else object.__repr__(made)


class ByValue:
    """The base of small objects that are equal if they have the same class and equal fields."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        mine, theirs = _fields(self), _fields(other)
        return all(_equal(value, theirs[name]) for name, value in mine.items())

    def __hash__(self) -> int:
        return hash(repr(self))

    __repr__ = call_of_fields


def _fields(made: object) -> dict[str, Any]:
    """The fields of a dataclass that its constructor takes; the attributes of another object."""
    if not is_dataclass(made):
        return vars(made)
    return {each.name: getattr(made, each.name) for each in fields(made) if each.init}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _equal(one: Any, two: Any) -> bool:
    arrays = isinstance(one, np.ndarray) or isinstance(two, np.ndarray)
    return np.array_equal(one, two) if arrays else one is two or bool(one == two)
