"""Vectors as arguments of geometries and domains, where coordinates may be infinite."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import LARGEST, check_entries, numbers

__all__ = ["Array", "constant", "vector"]

Array: TypeAlias = NDArray[np.float64]


def vector(value: Any, name: str, dimension: int | None = None, of: str = "") -> Array:
    """The value of an argument as a vector of floats without NaN, of the dimension asked for.

    >>> vector([1, float("nan")], "w")
    Traceback (most recent call last):
    ValueError: w[1] = nan is not a number
    >>> vector([1, 2, 3], "w", 2, "the box")
    Traceback (most recent call last):
    ValueError: w has shape (3,), but the box has dimension 2
    """
    array = numbers(value, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; a vector of shape (d,) is needed")
    if dimension is not None and len(array) != dimension:
        raise ValueError(f"{name} has shape {array.shape}, but {of} has dimension {dimension}")
    check_entries(array, ~np.isnan(array), name, "is not a number")
    return array


def constant(value: Any, name: str, dimensions: tuple[int, ...] = (0, 1)) -> Array:
    """A copy that cannot be written to, of a number or vector (or matrix, by `dimensions`).

    >>> constant([1, 2], "low")
    array([1., 2.])
    """
    array = numbers(value, name) + 0.0  # a copy, and no -0.0 for the reader
    if array.ndim not in dimensions or not array.size:
        kinds = " or ".join(("a number", "a vector", "a matrix")[n] for n in dimensions)
        raise ValueError(f"{name} has shape {array.shape}; it must be {kinds}")
    array = np.asarray(array)
    check_entries(array, ~np.isnan(array), name, "is not a number")
    ordinary = (np.abs(array) <= LARGEST) | np.isinf(array)  # so that squares are numbers
    check_entries(array, ordinary, name, f"is beyond {LARGEST:g}; scale the problem")
    array.flags.writeable = False
    return array
