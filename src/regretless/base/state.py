"""What a file holds, part by part: every part is checked before an object is made of it.

A class saves its options and what it has learned. Loading it goes the same way everywhere:

    with state.opening(path, "Hedge") as parts:           # reads; all that fails is the file's fault
        player = Hedge(**parts.inside("options").options())  # the constructor checks the options
        player._restore(parts.array("state", (None,)))     # and this what was learned
                                                            # a part that nobody took is an error
"""

import importlib
import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base import arguments, persistence

MOST = 1e305  # numbers in a file are no larger, so that a few of them can be added up


class NotGiven(ValueError):
    """The file is sound, but what is to be given along with it is not right."""


class Parts:
    """The parts of a file, which are taken out one by one; `done` refuses what is left.

    Parameters: `described`, values as JSON has them; `arrays`; `prefix`, which names of arrays begin
    with.

    >>> parts = Parts({"rounds": 3}, {"loss": np.array([0.5, np.nan])})
    >>> parts.whole("rounds"), parts.size
    (3, 2)
    >>> parts.array("loss", (2,))
    Traceback (most recent call last):
    ValueError: loss[1] = nan is not from -1e+305 to 1e+305
    >>> parts.done()
    >>> Parts({"spam": 1}, {}).done()
    Traceback (most recent call last):
    ValueError: the part 'spam' is unknown
    """

    def __init__(
        self, described: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], prefix: str = ""
    ) -> None:
        if not isinstance(described, dict):
            raise ValueError(f"{described!r} is not a description by name")
        self._described, self._prefix = dict(described), prefix
        self._arrays = dict(arrays)
        self.size = sum(getattr(array, "size", 0) for array in self._arrays.values())

    # --- values ------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether there is such a value."""
        return name in self._described

    def take(self, name: str) -> Any:
        """A value as it is."""
        if name not in self._described:
            raise ValueError(f"the part {name!r} is missing")
        return self._described.pop(name)

    def whole(self, name: str, least: int = 0, most: int = 2**53) -> int:
        """A whole number."""
        return arguments.whole(self.take(name), name, least, most)

    def count(self, name: str, least: int = 1) -> int:
        """How many there are of something of which the arrays have a number each, or more."""
        return self.whole(name, least, max(least, self.size))

    def number(self, name: str, low: float = -MOST, high: float = MOST) -> float:
        """A number from low to high."""
        value = self.take(name)
        if isinstance(value, bool) or not low <= arguments.number(value, name) <= high:
            raise ValueError(f"{name}={value!r} is not a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or False."""
        value = self.take(name)
        if not isinstance(value, bool):
            raise ValueError(f"{name}={value!r} is not true or false")
        return value

    def names(self, name: str, n: int) -> list[str] | None:
        """As many different names, or None."""
        value = self.take(name)
        if value is None:
            return None
        texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not texts or len(value) != n or len(set(value)) != n:
            raise ValueError(
                f"{name}={arguments.shown(value)} is not a list of {n} different names"
            )
        return list(value)

    def inside(self, name: str) -> "Parts":
        """A description within this one."""
        return Parts(self.take(name), {})

    def options(self, **sizes: int) -> dict[str, Any]:
        """All values that are left: what a constructor is given.

        Some of them are sizes, which must be those of the arrays: nothing is made that is larger than
        the file.
        """
        found, self._described = self._described, {}
        for name, size in sizes.items():
            if found.get(name) != size or isinstance(found[name], (bool, float)):
                raise ValueError(f"{name}={found.get(name)!r} is not {size}, as the arrays have it")
        return found

    # --- arrays ------------------------------------------------------------------------------------

    def array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        low: float = -MOST,
        high: float = MOST,
        kind: type[np.generic] = np.float64,
        *,
        unknown: bool = False,
    ) -> NDArray[Any]:
        """An array of this kind and shape (None: any length), of numbers from low to high.

        `unknown`: whether NaN is allowed, too.
        """
        full = self._prefix + name
        if full not in self._arrays:
            raise ValueError(f"the part {full!r} is missing")
        array = self._arrays.pop(full)
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, there) for wanted, there in zip(shape, array.shape)
        )
        if array.dtype != kind or not fits:
            inside = ", ".join("any" if n is None else str(n) for n in shape)
            raise ValueError(
                f"{full} has {array.dtype} of shape {array.shape}, not {np.dtype(kind)} of ({inside})"
            )
        if np.issubdtype(kind, np.number):
            right = ~arguments.outside(array, low, high) | (unknown & np.isnan(array))
            arguments.check_entries(array, right, full, f"is not from {low:g} to {high:g}")
        return np.array(array, order="C")  # its own, which may be changed

    def part(self, name: str, described: Mapping[str, Any] | None = None) -> "Parts":
        """The arrays whose names begin with this one and a dot, as parts of their own."""
        start = f"{self._prefix}{name}."
        mine = {k: v for k, v in self._arrays.items() if k.startswith(start)}
        for each in mine:
            del self._arrays[each]
        return Parts(
            {} if described is None else described,
            {k.removeprefix(start): v for k, v in mine.items()},
        )

    def rest(self) -> dict[str, NDArray[Any]]:
        """The arrays that are left, for who checks them all."""
        found, self._arrays = self._arrays, {}
        return found

    def done(self) -> None:
        """Everything must have been taken."""
        for name in sorted([*self._described, *self._arrays]):
            raise ValueError(f"the part {name!r} is unknown")


@contextmanager
def opening(path: str | os.PathLike[str], kind: str | None = None) -> Iterator[Parts]:
    """The parts of a file whose "class" is `kind`, all of which must be taken.

    Whatever fails while an object is made of them is the fault of the file, and a `ValueError` that
    names it.
    """
    description, arrays = persistence.read(path)
    found = description.pop("class", None) if kind is not None else None
    if found != kind:
        raise ValueError(f"{path} holds a {found}, not a {kind}")
    with blaming(path):
        del description["format"]
        parts = Parts(description, arrays)
        yield parts
        parts.done()


@contextmanager
def blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    """What goes wrong while something is made of what was read is the fault of the file."""
    try:
        yield
    except NotGiven:
        raise
    except Exception as error:
        raise ValueError(f"{path} is damaged: {_said(error)}") from error


@contextmanager
def given(path: str | os.PathLike[str]) -> Iterator[None]:
    """What goes wrong here is not the fault of the file, but of what is given along with it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise NotGiven(f"{path} cannot be loaded with what is given: {error}") from error


def _said(error: Exception) -> str:
    """The error in words; those of a foreign kind say little without its name."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def options_of(player: Any, kind: type | None = None) -> dict[str, Any]:
    """What the constructor would be given to make a player alike: its arguments that are attributes.

    >>> from regretless.experts import Hedge
    >>> sorted(options_of(Hedge(3, rate=0.5)))
    ['horizon', 'n', 'prior', 'range', 'rate']
    """
    names = inspect.signature(kind or type(player)).parameters
    return {name: getattr(player, name) for name in names if hasattr(player, name)}


# --- `load`: whatever was saved, of the class that it had -----------------------------------------

_ROOMS = ("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes")


def load(path: str | os.PathLike[str]) -> Any:
    """The learner, player or mixture that was saved to `path`; it goes on as if it had never stopped.

    A damaged file, or one of something else, is a `ValueError` that names it. Loading runs no code of
    the file's.

    >>> import tempfile, pathlib
    >>> from regretless.experts import Hedge
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "player"
    >>> Hedge(3).save(path)
    >>> type(load(path)).__name__
    'Hedge'
    """
    description, arrays = persistence.read(path)
    name = str(description.get("class"))
    for room in _ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        found = getattr(module, name, None) if name in module.__all__ else None
        if found is not None and hasattr(found, "_restored"):
            return found._restored(path, description, arrays)
        if found is not None and hasattr(found, "load"):
            return found.load(path)
    raise ValueError(f"{path} holds a {name[:60]}, which this version does not know")
