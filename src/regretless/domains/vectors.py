"""Checks of vectors, and equality by value for small objects that hold arrays."""

from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "ByValue", "constant", "vector"]

Array: TypeAlias = NDArray[np.float64]


def vector(value: Any, name: str, dimension: int | None = None, of: str = "") -> Array:
    """The value of an argument as a vector of floats without NaN, of the dimension asked for.

    >>> vector([1, float("nan")], "w")
    Traceback (most recent call last):
    ValueError: w[1]=nan is not a number
    >>> vector([1, 2, 3], "w", 2, "the box")
    Traceback (most recent call last):
    ValueError: w has shape (3,), but the box has dimension 2
    """
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a vector of numbers") from None
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; a vector of shape (d,) is needed")
    if dimension is not None and len(array) != dimension:
        raise ValueError(f"{name} has shape {array.shape}, but {of} has dimension {dimension}")
    if np.isnan(array).any():
        raise ValueError(f"{name}[{np.argmax(np.isnan(array))}]=nan is not a number")
    return array


def constant(value: Any, name: str, dimensions: tuple[int, ...] = (0, 1)) -> Array:
    """A copy that cannot be written to, of a number or vector (or matrix, by `dimensions`).

    >>> constant([1, 2], "low")
    array([1., 2.])
    """
    try:
        array = np.array(value, np.float64) + 0.0  # no -0.0 for the reader
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not made of numbers") from None
    if array.ndim not in dimensions or not array.size:
        kinds = " or ".join(("a number", "a vector", "a matrix")[n] for n in dimensions)
        raise ValueError(f"{name} has shape {array.shape}; it must be {kinds}")
    if np.isnan(array).any():
        raise ValueError(f"{name}={value!r} contains nan")
    array = np.asarray(array)
    array.flags.writeable = False
    return array


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
