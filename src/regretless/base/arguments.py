"""Checks of arguments, whose messages name the argument, its value and a remedy.

Every check takes the value, the name of the argument and the limits, and returns the value to use. A
`hint` is added at the end of the message.
"""

import datetime
import math
import reprlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from regretless import _core

Array: TypeAlias = NDArray[np.float64]
# The range of numbers that players take: larger ones are refused and smaller ones count as 0, so that
# fourth powers and their sums do not overflow.
LARGEST, SMALLEST = 1e75, 1e-75
# The same for features, targets and weights of examples, as in core/bank.hpp; small weights count as 0.
LARGEST_VALUE, SMALLEST_WEIGHT = 1e19, 1e-19
# advice of learners that do not depend on the scale of features and targets
TOO_LARGE = "Scale the features and the targets: these numbers are too large for single precision"
_DOUBLE = np.dtype(np.float64)
_MOST = 2**53
_WIDEST = 1e150  # largest end of a range, whose width can be squared without overflow
T = TypeVar("T")


def shown(value: object) -> str:
    """A value for a message: its `repr`, shortened, or the name of its class.

    Arrow arrays and sparse matrices are never printed: reading one with wrong indices can crash the
    process.

    >>> shown(["a", 1.5]), shown("b" * 100)[-20:], shown(np.array([object()]))
    ("['a', 1.5]", "bbbbbbbbbbbbbbbbbbb'", '<ndarray>')
    """
    try:
        text = _printer.repr(value)
    except Exception:  # from the `__repr__` of a class of the user
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


_OPAQUE = ("pandas", "polars", "pyarrow", "scipy")


class _Printer(reprlib.Repr):
    """A short `repr` that does not look into the containers of other libraries."""

    def repr_instance(self, x: object, level: int) -> str:
        room = type(x).__module__.partition(".")[0]
        opaque = room in _OPAQUE or any(
            type(part).__module__.partition(".")[0] in _OPAQUE
            for part in getattr(x, "__dict__", {}).values()
        )
        if opaque or (isinstance(x, np.ndarray) and x.dtype.hasobject):
            return f"<{type(x).__name__}>"
        return repr(x)


_printer = _Printer()
_printer.maxstring = _printer.maxlong = 80
_printer.maxlist = _printer.maxtuple = _printer.maxdict = 20


# --- one number or name ----------------------------------------------------------------------------


def number(value: Any, name: str) -> float:
    """The value of an argument as a float.

    Text is refused even if it reads as a number, because the caller probably forgot to convert it.

    >>> number("3", "w")
    Traceback (most recent call last):
    ValueError: w='3' is not a number: it is text; convert it with float()
    """
    kind = type(value)
    if kind is float:
        return float(value)
    try:
        if kind is int or _is_number(value):
            return float(value)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise ValueError(f"{name}={shown(value)} is too large for a number; scale it") from None
    raise ValueError(f"{name}={shown(value)} is not a number{_remedy(value)}")


def _is_number(value: object) -> bool:
    """Whether `float` reads the value as intended; it also accepts text and complex arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "biufO"
    return not isinstance(value, (str, bytes, bytearray, memoryview))


def _remedy(value: object) -> str:
    """The end of a message about a value that is not a number: the reason and a remedy."""
    kind = value.dtype.kind if isinstance(value, (np.ndarray, np.generic)) else ""
    if isinstance(value, (str, bytes, bytearray, memoryview)) or kind in ("U", "S"):
        return ": it is text; convert it with float()"
    if value is None:
        return ": it is missing; fill it in, or leave it out"
    if isinstance(value, complex) or kind == "c":
        return ": it is complex; give its real part or its absolute value"
    if isinstance(value, (datetime.date, datetime.timedelta)) or kind in ("M", "m"):
        return ": it is a time; convert it to seconds or days"
    return ""


def finite(value: object, name: str, hint: str = "") -> float:
    """The value of an argument as a finite float.

    >>> finite(math.nan, "y")
    Traceback (most recent call last):
    ValueError: y=nan is not finite
    """
    given = number(value, name)
    if not math.isfinite(given):
        raise ValueError(f"{name}={value} is not finite{hint}")
    return given


def positive(value: object, name: str, hint: str = "") -> float:
    """The value of an argument as a positive and finite float.

    >>> positive(0.0, "C")
    Traceback (most recent call last):
    ValueError: C=0.0 must be positive and finite
    """
    given = number(value, name)
    if not 0 < given < math.inf:
        raise ValueError(f"{name}={value} must be positive and finite{hint}")
    return given


def flag(value: object, name: str) -> bool:
    """The value of an argument as True or False.

    >>> flag("no", "intercept")
    Traceback (most recent call last):
    ValueError: intercept='no' must be True or False
    """
    if not isinstance(value, (bool, np.bool_)) and not (type(value) is int and value in (0, 1)):
        raise ValueError(f"{name}={shown(value)} must be True or False")
    return bool(value)


def length(value: object, name: str) -> float:
    """The value of an argument as a positive number whose square is still a number of players.

    >>> length(1e200, "radius")
    Traceback (most recent call last):
    ValueError: radius=1e+200 is outside (0, 1e+75]; scale the points
    """
    return within(positive(value, name), name, f"(0, {LARGEST:g}]", "; scale the points")


def not_negative(value: object, name: str, hint: str = "") -> float:
    """The value of an argument as a finite float of at least 0.

    >>> not_negative(-1.0, "l2")
    Traceback (most recent call last):
    ValueError: l2=-1.0 must be finite and not negative
    """
    given = number(value, name)
    if not 0 <= given < math.inf:
        raise ValueError(f"{name}={value} must be finite and not negative{hint}")
    return given


def importance(value: object, name: str = "w") -> float:
    """The weight of an example, at most 1e19; a weight below 1e-19 becomes 0.

    >>> importance(-1.0)
    Traceback (most recent call last):
    ValueError: w = -1.0 is not a weight: it must be finite and not negative
    >>> importance(1e-310)
    0.0
    """
    w = number(value, name)
    if not 0 <= w <= LARGEST_VALUE:
        raise ValueError(f"{name} = {value} {_wrong_weight(w)}")
    return w if w >= SMALLEST_WEIGHT else 0.0


def weights(values: Array, name: str) -> Array:
    """The weights of several examples, checked as `importance` checks one.

    >>> weights(np.array([1.0, 1e-310]), "weight")
    array([1., 0.])
    >>> weights(np.array([1.0, 1e20]), "weight")
    Traceback (most recent call last):
    ValueError: weight[1] = 1e+20 is beyond 1e+19; scale the weights
    """
    right = (values >= 0) & (values <= LARGEST_VALUE)
    if not right.all():
        first = float(values[int(np.argmin(right))])
        check_entries(values, right, name, _wrong_weight(first))
    return np.where(values < SMALLEST_WEIGHT, 0.0, values)


def _wrong_weight(w: float) -> str:
    if LARGEST_VALUE < w < math.inf:
        return f"is beyond {LARGEST_VALUE:g}; scale the weights"
    return "is not a weight: it must be finite and not negative"


def within(value: object, name: str, interval: str, hint: str = "") -> float:
    """The value of an argument as a float in an interval, which is given in mathematical notation.

    >>> within(1, "tau", "(0, 1)", "; 0.5 is the median")
    Traceback (most recent call last):
    ValueError: tau=1 is outside (0, 1); 0.5 is the median
    >>> within(0.5, "beta", "[1/2, 1)"), within(3, "p", "[2, inf)")
    (0.5, 3.0)
    """
    low, high, with_low, with_high = _ends(interval)
    given = number(value, name)
    if not (low < given < high or (with_low and given == low) or (with_high and given == high)):
        raise ValueError(f"{name}={value} is outside {interval}{hint}")
    return given


@cache
def _ends(interval: str) -> tuple[float, float, bool, bool]:
    low, high = map(_end, interval[1:-1].split(","))
    return low, high, interval[0] == "[", interval[-1] == "]"


def _end(text: str) -> float:
    """The end of an interval: a number or a fraction such as 1/2."""
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def whole(value: Any, name: str, least: int = 1, most: int = _MOST, hint: str = "") -> int:
    """The value of an argument as a whole number from `least` to `most`.

    By default `most` is 2^53, because floats represent all whole numbers up to there.

    >>> whole(0, "dimension")
    Traceback (most recent call last):
    ValueError: dimension=0 must be a whole number of at least 1
    >>> whole(32, "bits", 1, 31)
    Traceback (most recent call last):
    ValueError: bits=32 must be a whole number from 1 to 31
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        endless = most == _MOST and not (is_whole and value > most)
        allowed = f"of at least {least}" if endless else f"from {least} to {most}"
        raise ValueError(f"{name}={shown(value)} must be a whole number {allowed}{hint}")
    return int(value)


def check_seed(value: object, name: str = "seed") -> int:
    """The value of an argument as a seed: a whole number of at most 128 bits.

    >>> check_seed(-1)
    Traceback (most recent call last):
    ValueError: seed=-1 must be a whole number from 0 to 340282366920938463463374607431768211455
    """
    return whole(value, name, 0, 2**128 - 1)


def instance(value: T, name: str, kind: type[Any], hint: str = "") -> T:
    """The value of an argument, which must be an instance of a class.

    >>> from fractions import Fraction
    >>> instance(3, "geometry", Fraction)
    Traceback (most recent call last):
    ValueError: geometry=3 is not a Fraction
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name}={shown(value)} is not a {kind.__name__}{hint}")
    return value


def function(value: object, name: str, hint: str = "") -> Any:
    """The value of an argument, which must be callable.

    >>> function(3, "factory")
    Traceback (most recent call last):
    ValueError: factory=3 cannot be called
    """
    if not callable(value):
        raise ValueError(f"{name}={shown(value)} cannot be called{hint}")
    return value


def rank(quantile: object, n: int, name: str = "quantile", hint: str = "") -> int:
    """The rank of a quantile in (0, 1] among `n`: the smallest k >= 1 with k / n >= quantile.

    >>> [rank(share, 10) for share in (0.01, 0.3, 0.31, 1.0)]
    [1, 3, 4, 10]
    """
    # rounding can push a product that should be whole above it
    return max(1, math.ceil(n * within(quantile, name, "(0, 1]", hint) - 1e-12))


def interval(value: object, name: str) -> tuple[float, float]:
    """The value of an argument as two numbers, the smaller first, of at most 1e150 in absolute value.

    Players add up and square numbers of this range and multiply them by its width, which must not
    overflow.

    >>> interval((1, 0), "range")
    Traceback (most recent call last):
    ValueError: range=(1, 0) must be two finite numbers, the smaller first
    >>> interval((-1.7e308, 1.7e308), "range")
    Traceback (most recent call last):
    ValueError: range=(-1.7e+308, 1.7e+308) must be within -1e+150 and 1e+150; scale the losses
    """
    try:
        low, high = (number(end, name) for end in listed(value, name))
    except ValueError:
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        raise ValueError(f"{name}={shown(value)} must be two finite numbers, the smaller first")
    if max(-low, high) > (1 + 1e-9) * _WIDEST:  # rounding may exceed the limit a little
        raise ValueError(
            f"{name}={shown(value)} must be within {-_WIDEST:g} and {_WIDEST:g}; scale the losses"
        )
    return low, high


def loss_range(value: Any, name: str) -> tuple[float, float] | None:
    """The range of losses, two numbers as of `interval`, or None, which means that it is not known.

    >>> loss_range([0, 2], "range"), loss_range(None, "range")
    ((0.0, 2.0), None)
    """
    return None if value is None else interval(value, name)


def _is_compared_by_entry(value: object) -> bool:
    """Whether `==` compares each entry: arrays, and sparse matrices, which can crash if damaged."""
    return isinstance(value, np.ndarray) or hasattr(value, "tocsr")


def one_of(value: object, name: str, choices: Iterable[Any], hint: str = "") -> Any:
    """The value of an argument, which must be one of the choices.

    >>> one_of("oja", "method", ("grid", "monte-carlo"))
    Traceback (most recent call last):
    ValueError: method='oja' is not one of 'grid', 'monte-carlo'
    """
    try:
        # a list, because the value need not be hashable; an array of one name is not that name
        known = not _is_compared_by_entry(value) and value in list(choices)
    except (TypeError, ValueError):  # data frames cannot be compared
        known = False
    if not known:
        raise ValueError(
            f"{name}={shown(value)} is not one of {', '.join(map(repr, choices))}{hint}"
        )
    return value


def named_or(
    value: object, name: str, names: Iterable[str], check: Callable[..., Any], *limits: Any
) -> Any:
    """The value of an argument, which must be one of some names or pass a check for numbers.

    >>> named_or("anytime", "rate", ("anytime", "horizon"), positive)
    'anytime'
    >>> named_or("never", "rate", ("anytime", "horizon"), positive)
    Traceback (most recent call last):
    ValueError: rate='never' is not one of 'anytime', 'horizon', nor a number
    """
    if isinstance(value, str):
        return one_of(value, name, names, ", nor a number")
    return check(value, name, *limits)


def listed(values: Any, name: str, hint: str = "") -> list[Any]:
    """The value of an argument as a list; text is refused.

    >>> listed(3, "labels")
    Traceback (most recent call last):
    ValueError: labels=3 is not a list
    """
    sound(values, name)
    try:
        if not isinstance(values, (str, bytes)) and not hasattr(values, "tocsr"):
            return list(values)
    except (TypeError, NotImplementedError):  # the latter from memoryviews of several dimensions
        pass
    raise ValueError(f"{name}={shown(values)} is not a list{hint}")


# --- arrays ----------------------------------------------------------------------------------------


def sound(values: Any, name: str) -> Any:
    """The values, unchanged; `ValueError` for a damaged Arrow array, also within a pandas series.

    An Arrow array is damaged if its offsets or codes point outside its buffers. pyarrow does not check
    this when it makes or reads an array. Other values need no such check.

    >>> import pyarrow as pa
    >>> offsets, text = pa.py_buffer(np.array([0, 99, 3], np.int32)), pa.py_buffer(b"abc")
    >>> sound(pa.Array.from_buffers(pa.string(), 2, [None, offsets, text]), "x")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: x is a damaged Arrow array: ...
    """
    held = values
    if hasattr(getattr(held, "dtype", None), "na_value"):  # pandas' own types
        held = getattr(held, "array", held)
        kept_by_arrow = (
            hasattr(held.dtype, "pyarrow_dtype")
            or getattr(held.dtype, "storage", None) == "pyarrow"
        )
        held = held.__arrow_array__() if kept_by_arrow else None
    if hasattr(held, "validate") and hasattr(held, "null_count"):
        try:
            held.validate(full=True)
        except ValueError as error:
            raise ValueError(f"{name} is a damaged Arrow array: {error}") from error
    return values


def numbers(
    values: Any, name: str, what: str = "made of numbers", *, missing: bool = False
) -> Array:
    """An argument as an array of floats; `what` describes the right kind of value in messages.

    Booleans become 0 and 1. Text is refused even if it reads as a number. None is refused too, but with
    `missing=True` it becomes NaN.

    >>> numbers([0, "1"], "losses")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: losses=[0, '1'] is not made of numbers: losses[1]='1' is not a number: it is text; ...
    >>> numbers([1, None], "forecasts", missing=True)
    array([ 1., nan])
    """
    kind = type(values)
    if kind is np.ndarray:
        if values.dtype is _DOUBLE and values.flags.aligned:
            return np.asarray(values)
    elif kind is not list:
        sound(values, name)
        if hasattr(values, "_mask") and np.ma.is_masked(values):  # else numpy.ma is not imported
            raise ValueError(f"{name} has masked values; fill them in with {name}.filled(...)")
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}={shown(values)} is not {what}: {error}") from None
    if array.dtype.kind not in "biuf":
        return _each_number(values, array, name, what, missing)
    array = np.asarray(array, np.float64)
    return array if array.flags.aligned else array.copy()  # fields of records can be unaligned


def _each_number(values: object, array: NDArray[Any], name: str, what: str, missing: bool) -> Array:
    """An array of objects, or of a kind that is refused, as floats: each entry is checked."""
    if array.dtype.kind not in "OMm" and not isinstance(values, np.ndarray):
        array = np.asarray(values, object)  # NumPy turned numbers beside text into text
    out = np.empty(array.shape)
    for at, value in np.ndenumerate(array):
        try:
            out[at] = math.nan if missing and value is None else number(value, "")
        except ValueError as error:
            place = f": {name}[{', '.join(map(str, at))}]{error}" if at else _remedy(value)
            raise ValueError(f"{name}={shown(values)} is not {what}{place}") from None
    return out


def finite_numbers(values: object, name: str, hint: str = "") -> Array:
    """An argument as an array of finite floats.

    >>> finite_numbers([[0.0, math.nan]], "table")
    Traceback (most recent call last):
    ValueError: table[0, 1] = nan is not finite
    """
    array = numbers(values, name)
    check_entries(array, np.isfinite(array), name, f"is not finite{hint}")
    return array


def check_entries(array: NDArray[Any], right: NDArray[np.bool_], name: str, wrong: str) -> None:
    """Raise for the first entry that is not `right`, an array that can lack the last axes.

    >>> check_entries(np.array([[0.0, 2.0]]), np.array([[True, False]]), "losses", "is too large")
    Traceback (most recent call last):
    ValueError: losses[0, 1] = 2.0 is too large
    """
    if not right.all():
        at = tuple(np.argwhere(~right)[0].tolist())
        place = f"[{', '.join(map(str, at))}]" if at else ""
        raise ValueError(f"{name}{place} = {array[at]} {wrong}")


def shaped(values: object, name: str, shape: tuple[int | None, ...]) -> Array:
    """An argument as an array of floats of a shape, in which None stands for any number of rounds.

    >>> shaped([[1.0, 2.0]], "losses", (None, 3))
    Traceback (most recent call last):
    ValueError: losses has shape (1, 2), not (rounds, 3)
    """
    array = np.asarray(numbers(values, name), order="C")
    if len(array.shape) != len(shape) or any(
        n not in (None, m) for n, m in zip(shape, array.shape)
    ):
        inside = ", ".join("rounds" if n is None else str(n) for n in shape)
        comma = "," if len(shape) == 1 else ""
        raise ValueError(f"{name} has shape {array.shape}, not ({inside}{comma})")
    return array


def table(
    values: object, name: str, shape: tuple[int | None, ...], most: float = math.inf
) -> Array:
    """An argument as an array of finite floats of a shape, at most `most` in absolute value.

    >>> table([1.0, math.inf], "x", (2,), most=1e100)
    Traceback (most recent call last):
    ValueError: x[1] = inf is not finite, or beyond 1e+100
    """
    array = shaped(values, name, shape)
    if most < math.inf:
        check_entries(array, np.abs(array) <= most, name, f"is not finite, or beyond {most:g}")
    else:
        check_entries(array, np.isfinite(array), name, "is not finite")
    return array


def vector(values: object, name: str, size: int) -> Array:
    """An argument as a vector of numbers up to 1e75; numbers below 1e-75 become 0.

    >>> vector([1, 2], "gradient", 3)
    Traceback (most recent call last):
    ValueError: gradient has shape (2,), not (3,)
    """
    return _ordinary(values, name, (size,))


def matrix(values: object, name: str, width: int) -> Array:
    """An argument as a matrix of such numbers (see `vector`), with a row for each round.

    >>> matrix([1, 2], "gradients", 3)
    Traceback (most recent call last):
    ValueError: gradients has shape (2,), not (rounds, 3)
    """
    return _ordinary(values, name, (None, width))


def _ordinary(values: object, name: str, shape: tuple[int | None, ...]) -> Array:
    array = _core.ordinary(shaped(values, name, shape), SMALLEST, LARGEST)
    if array is None:
        table(values, name, shape, LARGEST)  # raises for the wrong entry
        raise ValueError(f"{name} was changed while it was read; pass a copy")
    return array


def distributions(values: object, name: str, shape: tuple[int | None, ...]) -> Array:
    """An argument as probabilities that add up to 1 along the last axis, up to rounding.

    >>> distributions([[1.0, 0.0], [0.5, 0.6]], "advice", (None, 2))
    Traceback (most recent call last):
    ValueError: advice[1] = [0.5 0.6] is not a distribution: it must be >= 0 and add up to 1
    """
    array = table(values, name, shape)
    sums = array.sum(axis=-1)
    right = (array >= 0).all(axis=-1) & (np.abs(sums - 1.0) <= 1e-6)
    wrong = "is not a distribution: it must be >= 0 and add up to 1"
    check_entries(array, np.asarray(right), name, wrong)
    # sums that differ from 1 by rounding only are not scaled again, so that files and copies are exact
    rounding = array.shape[-1] * np.finfo(float).eps
    divisors = np.where(np.abs(sums - 1.0) <= rounding, 1.0, sums)
    return np.ascontiguousarray(array / divisors[..., None])


def probabilities(values: object, name: str) -> Array:
    """An argument as an array of numbers from 0 to 1.

    >>> probabilities([0.5, 1.5], "means")
    Traceback (most recent call last):
    ValueError: means[1] = 1.5 is outside [0, 1]: it is a probability
    """
    array = numbers(values, name)
    check_entries(array, ~outside(array, 0, 1), name, "is outside [0, 1]: it is a probability")
    return array


def outside(array: Array, low: float, high: float) -> NDArray[np.bool_]:
    """A mask of the entries that are below `low`, above `high` or NaN.

    >>> outside(np.array([0.5, 2.0, math.nan]), 0.0, 1.0)
    array([False,  True,  True])
    """
    return ~((array >= low) & (array <= high))
