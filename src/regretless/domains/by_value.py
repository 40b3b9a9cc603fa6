"""Equality by value, and the call that makes them, for small objects that hold arrays."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from regretless.calls import call_of_fields

__all__ = ["ByValue"]


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
