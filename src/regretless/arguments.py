"""Checks of arguments, with messages that name the argument and its value."""

import math
from typing import Any

import numpy as np

__all__ = ["interval", "number", "positive", "whole"]


def number(value: Any, name: str) -> float:
    """The value of an argument as a float.

    >>> number("3", "w")
    Traceback (most recent call last):
    ValueError: w='3' is not a number
    """
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name}={value!r} is not a number")


def positive(value: Any, name: str, hint: str = "") -> float:
    """The value of an argument as a positive and finite float.

    >>> positive(0.0, "C")
    Traceback (most recent call last):
    ValueError: C=0.0 must be positive and finite
    """
    if not 0 < number(value, name) < math.inf:
        raise ValueError(f"{name}={value} must be positive and finite{hint}")
    return float(value)


def whole(value: Any, name: str, least: int = 1, hint: str = "") -> int:
    """The value of an argument as a whole number, not less than the least.

    >>> whole(0, "dimension")
    Traceback (most recent call last):
    ValueError: dimension=0 must be a whole number of at least 1
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}{hint}")
    return int(value)


def interval(value: Any, name: str) -> tuple[float, float]:
    """The value of an argument as two finite numbers, the smaller first.

    >>> interval((1, 0), "range")
    Traceback (most recent call last):
    ValueError: range=(1, 0) must be two finite numbers, the smaller first
    """
    try:
        low, high = (number(end, name) for end in value)
    except (TypeError, ValueError):
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        raise ValueError(f"{name}={value} must be two finite numbers, the smaller first")
    return low, high
