"""State is a value: the options of an object, and what it has learned as named arrays and numbers.

`Stateful` is the base of every learner and player. From three methods of a class,

    def _options(self): ...         # the arguments of the call that makes an object alike
    def _learned(self): ...         # what has been learned since, by name
    def _restore(self, parts): ...  # take it back, every part checked

it makes `clone`, `copy`, pickles, `save`, `load`, `repr` and `==`. Files hold plain values, arrays, and
small objects of this library; loading one goes through the constructor, which checks the options, and
through `_restore`, which takes one checked part after the other from `Parts`. A part that is left over
is an error.
"""

import copy
import importlib
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from regretless.base import arguments, persistence
from regretless.base.threads import OneThread, of_options
from regretless.base.values import call_of, parameters_of
from regretless.errors import NotGiven

MOST = 1e305  # numbers in a file are no larger, so that a few of them can be added up
_PARTS = ("losses", "rules", "rates", "geometry", "domains", "bandits")  # rooms of small objects
_ROOMS = (
    *("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes"),
    "certificates",
)


# --- objects with state -----------------------------------------------------------------------------


class Stateful(OneThread):
    """Objects made of options and of what they have learned, copied and saved in one way.

    The compiled part of an object, if it has one, is the attribute that `_engine_name` names. It has
    `state()` and `restore(state)`, and `_start()` makes a new one.

    >>> from regretless.experts import Hedge
    >>> player = Hedge(2, rate=0.5)
    >>> suffered = player.update([0.0, 1.0])
    >>> player.copy() == player, player.clone() == player, player
    (True, False, Hedge(2, rate=0.5))
    """

    _engine_name: ClassVar[str] = "_engine"
    _not_copied: ClassVar[tuple[str, ...]] = ()  # attributes that each object makes for itself
    _yours: ClassVar[tuple[str, ...]] = ()  # options that may be code of the user's own
    _caches: ClassVar[tuple[str, ...]] = ()  # attributes that only save time

    # --- the three methods of a class ---------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        """The arguments of the call that makes an object alike."""
        names = parameters_of(type(self))
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _learned(self) -> dict[str, Any]:
        """What has been learned, by name: arrays, plain values, and other objects with state."""
        return {"state": self.__dict__[self._engine_name].state()}

    def _restore(self, parts: "Parts") -> None:
        """Go on from what `_learned` gave, every part checked."""
        self.__dict__[self._engine_name].restore(parts.array("state", (None,)))

    # --- what follows from them ---------------------------------------------------------------------

    @of_options
    def clone(self) -> Self:
        """Another one with the same options that has learned nothing."""
        return type(self)(**self._options())

    def copy(self) -> Self:
        """Another one that has learned the same, and goes on by itself."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a safetensors file, all at once or not at all.

        An object that is loaded goes on bit for bit as it would have without the stop.
        """
        persistence.write(path, *self._described())

    @classmethod
    def load(cls, path: str | os.PathLike[str], **yours: Any) -> Self:
        """The object that `save` wrote to `path`.

        A file holds no code: options that are functions or objects of your own are given again.
        """
        return cls._loaded(path, *persistence.read(path), yours)

    def __repr__(self) -> str:
        return call_of(self, self._options())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = (
            {k: v for k, v in each.__getstate__().items() if k not in self._caches}
            for each in (self, other)
        )
        return _same(mine, theirs)

    def __hash__(self) -> int:
        return hash(type(self))  # what has been learned changes, so no more than this is fixed

    # --- how -----------------------------------------------------------------------------------------

    def _start(self) -> Any:
        """A compiled part that has learned nothing."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in self.__dict__.items() if k not in self._not_copied}
        engine = kept.get(self._engine_name)
        if engine is not None:
            kept[self._engine_name] = engine.state()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        learned = kept.get(self._engine_name)
        self.__dict__.update(kept)
        if learned is not None:
            self.__dict__[self._engine_name] = None  # at its place among the attributes
            engine = self.__dict__[self._engine_name] = self._start()
            if hasattr(engine, "belongs_to"):
                engine.belongs_to(self)
            self._resume(learned)

    def _resume(self, learned: Any) -> None:
        """Give the compiled part the state of another one."""
        self.__dict__[self._engine_name].restore(learned)

    def _described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Everything as JSON and arrays, as a file holds it."""
        arrays: dict[str, NDArray[Any]] = {}
        options = {
            name: {"yours": repr(value)}
            if name in self._yours and not _is_ours(value)
            else encode(value, f"options.{name}", arrays)
            for name, value in self._options().items()
        }
        description: dict[str, Any] = {"class": type(self).__name__, "options": options}
        for name, value in self._learned().items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
            else:
                description[name] = encode(value, name, arrays)
        return description, arrays

    @classmethod
    def _loaded(
        cls,
        path: Any,
        description: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        yours: Mapping[str, Any],
    ) -> Self:
        name, kind = description.get("class"), cls
        if name != cls.__name__:
            found = class_named(name) if isinstance(name, str) else None
            if found is None or not issubclass(found, cls):
                raise ValueError(f"{path} holds {_a(str(name)[:60])}, not {_a(cls.__name__)}")
            kind = found
        with blaming(path):
            return kind._rebuilt(path, description, dict(arrays), yours)

    @classmethod
    def _rebuilt(
        cls,
        path: Any,
        description: Mapping[str, Any],
        arrays: dict[str, NDArray[Any]],
        yours: Mapping[str, Any],
    ) -> Self:
        """The object that `_described` described."""
        described = {k: v for k, v in description.items() if k not in ("class", "format")}
        numbers = sum(array.size for array in arrays.values())
        saved = described.pop("options", None)
        if not isinstance(saved, dict):
            raise ValueError(f"options={arguments.shown(saved)} are not options by name")
        options = cls._given_again(path, saved, yours)
        options |= {k: decode(v, arrays) for k, v in saved.items() if k not in options}
        cls._check_size(options, numbers)
        if yours:
            with given(path):
                made = cls(**options)
        else:
            made = cls(**options)
        values = {name: decode(value, arrays) for name, value in described.items()}
        for name in values.keys() & arrays.keys():
            raise ValueError(f"the part {name!r} is there twice")
        parts = Parts(values | arrays)
        for name in made._options().keys() - options.keys():
            raise ValueError(f"the option {name!r} is missing")
        made._restore(parts)
        parts.done()
        return made

    @classmethod
    def _given_again(
        cls, path: Any, saved: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The options that no file can hold."""
        wanted = {k: v["yours"] for k, v in saved.items() if isinstance(v, dict) and "yours" in v}
        for name in sorted(wanted.keys() ^ given.keys()):
            raise NotGiven(
                f"{path} was saved with {name}={wanted[name]}, which no file can hold; give it "
                f"again: {cls.__name__}.load(path, {name}=...)"
                if name in wanted
                else f"{name}={arguments.shown(given[name])}: {path} holds all options; leave it out"
            )
        return dict(given)

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        """Nothing is made that is larger than the file: the arrays have so many `numbers`."""
        for name in ("n", "dimension", "size", "hidden"):
            size = options.get(name)
            if isinstance(size, int) and size > max(numbers, 1):
                raise ValueError(f"{name}={size} is more than the file has numbers of")


def _a(name: str) -> str:
    """The name with its article."""
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


def _same(one: Any, two: Any) -> bool:
    """Whether two values are equal, arrays bit for bit; NaN equals NaN."""
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(two, np.ndarray)
            and one.dtype == two.dtype
            and one.shape == two.shape
            and one.tobytes() == two.tobytes()
        )
    if type(one) is not type(two):
        return False
    one, two = _inside(one), _inside(two)
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(_same(one[k], two[k]) for k in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(two) and all(map(_same, one, two))
    return one is two or bool(one == two) or (one != one and two != two)  # noqa: PLR0124


def _inside(value: Any) -> Any:
    """A value as it is compared: generators and small objects of this library by their state."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    ours = type(value).__module__.startswith("regretless.")
    if ours and not isinstance(value, (Stateful, dict, list, tuple)):
        return value.__reduce_ex__(4)[1:3]
    return value


# --- one codec ---------------------------------------------------------------------------------------


def encode(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """A value as JSON has it; arrays go to `arrays`, under names that begin with `name`.

    >>> encode((1, math.inf), "x", {}), encode({"a": None}, "x", {})
    ({'tuple': [1, {'float': 'inf'}]}, {'dict': [['a', None]]})
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list):
        return [encode(each, f"{name}.{k}", arrays) for k, each in enumerate(value)]
    kind, inside = _tagged(value, name, arrays)
    return {kind: inside}


def _tagged(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> tuple[str, Any]:
    """A value that JSON does not have: of which kind it is, and what it is made of."""
    kind, inside = room_of(value) or "", cast("Any", None)
    if isinstance(value, float):
        kind, inside = "float", repr(value)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        kind, inside = "array", name
        arrays[name] = value
    elif isinstance(value, tuple):
        kind, inside = "tuple", encode(list(value), name, arrays)
    elif isinstance(value, dict):
        pairs = ((k, v, f"{name}.{_key(k, i)}") for i, (k, v) in enumerate(value.items()))
        kind, inside = "dict", [[encode(k, at, {}), encode(v, at, arrays)] for k, v, at in pairs]
    elif isinstance(value, type) and value is class_named(value.__name__):
        kind, inside = "class", cast("type", value).__name__
    elif isinstance(value, Stateful) and class_named(type(value).__name__) is type(value):
        kind, inside = "object", _nested(value, name, arrays)
    elif kind:
        found = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        options = {k: encode(v, f"{name}.{k}", arrays) for k, v in found.items()}
        inside = [type(value).__name__, options]
    if not kind:
        raise ValueError(
            f"{name.removeprefix('options.')}={arguments.shown(value)}: a {type(value).__name__} "
            "cannot be saved to a file, which holds no code; strings, numbers, tuples and objects of "
            "this library can, and a pickle can hold more"
        )
    return kind, inside


def _key(key: Any, at: int) -> str:
    return key if isinstance(key, str) and "." not in key else str(at)


def _nested(value: Stateful, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """An object within another; one that is an option has learned nothing that matters."""
    if name.startswith("options."):
        options = {k: encode(v, f"{name}.{k}", arrays) for k, v in value._options().items()}
        return {"class": type(value).__name__, "options": options, "fresh": True}
    description, own = value._described()
    arrays.update((f"{name}.{k}", array) for k, array in own.items())
    return description | {"arrays": {k: f"{name}.{k}" for k in own}}


def decode(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The value that `encode` encoded; the arrays that are used are taken out of `arrays`.

    >>> decode({"tuple": [1, {"float": "inf"}]}, {})
    (1, inf)
    """
    if isinstance(value, list):
        return [decode(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ValueError(f"{arguments.shown(value)} is not a value")
    ((kind, inside),) = value.items()
    read = _KINDS.get(kind)
    return _part(kind, inside, arrays) if read is None else read(inside, arrays)


def _array(name: Any, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    if name not in arrays:
        raise ValueError(f"the part {arguments.shown(name)} is missing")
    return arrays.pop(name)


def _object(described: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    kind = known_class(described.get("class"))
    if described.pop("fresh", False) is True:
        options: Any = arguments.instance(described.get("options"), "options", dict)
        return kind(**{k: decode(v, arrays) for k, v in options.items()})
    own: Any = arguments.instance(described.pop("arrays", None), "arrays", dict)
    for name in own.values():
        if name not in arrays:
            raise ValueError(f"the part {name!r} is missing")
    found = {name: arrays.pop(there) for name, there in own.items()}
    return kind._rebuilt("it", described, found, {})


_KINDS: dict[str, Callable[[Any, dict[str, NDArray[Any]]], Any]] = {
    "float": lambda text, _: float(arguments.instance(text, "float", str)),
    "array": _array,
    "tuple": lambda each, arrays: tuple(decode(arguments.instance(each, "tuple", list), arrays)),
    "dict": lambda pairs, arrays: {decode(k, arrays): decode(v, arrays) for k, v in pairs},
    "class": lambda name, _: known_class(name),
    "object": lambda described, arrays: _object(dict(described), arrays),
}


def _part(room: str, inside: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """A loss, rule, rate, geometry, domain or estimator."""
    name, options = inside
    module = importlib.import_module(f"regretless.{arguments.one_of(room, 'room', _PARTS)}")
    part = getattr(module, name) if name in module.__all__ else None
    if not (isinstance(part, type) and is_dataclass(part)):
        raise ValueError(f"{arguments.shown(name)} is not known")
    made = {k: decode(v, arrays) for k, v in options.items()}
    return part(*made["domains"]) if "domains" in made else part(**made)


def room_of(value: Any) -> str | None:
    """The room whose small object a value is, None if it is something else."""
    module, name = type(value).__module__, type(value).__name__
    for room in _PARTS:
        if is_dataclass(value) and module.startswith(f"regretless.{room}"):
            found = getattr(importlib.import_module(f"regretless.{room}"), name, None)
            return room if found is type(value) else None
    return None


def class_named(name: Any) -> type[Stateful] | None:
    """The public class of this name whose objects can be saved, None if there is none.

    >>> class_named("Perceptron").__name__, class_named("spam")
    ('Perceptron', None)
    """
    for room in _ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        found = getattr(module, name, None) if name in module.__all__ else None
        if isinstance(found, type) and issubclass(found, Stateful):
            return found
    return None


def known_class(name: Any) -> type[Stateful]:
    """The public class of this name; `ValueError` if there is none."""
    found = class_named(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"{arguments.shown(name)} is not a class of this version")
    return found


def _is_ours(value: Any) -> bool:
    """Whether a file can hold an option: it is plain, or an object or class of this library."""
    try:
        encode(value, "options", {})
    except ValueError:
        return False
    return True


def load(path: str | os.PathLike[str], **yours: Any) -> Any:
    """The learner, player or mixture that was saved to `path`; it goes on as if it had never stopped.

    A damaged file, or one of something else, is a `ValueError` that names it. Loading runs no code of
    the file's; options that are code of your own are given again.

    >>> import tempfile, pathlib
    >>> from regretless.experts import Hedge
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "player"
    >>> Hedge(3).save(path)
    >>> load(path)
    Hedge(3)
    """
    description, arrays = persistence.read(path)
    name = str(description.get("class"))
    found = class_named(name)
    if found is None:
        raise ValueError(f"{path} holds {_a(name[:60])}, which this version does not know")
    return found._loaded(path, description, arrays, yours)


def write(path: str | os.PathLike[str], values: Mapping[str, Any]) -> None:
    """Write values by name that are not those of one object, all at once or not at all."""
    arrays: dict[str, NDArray[Any]] = {}
    description = {name: encode(value, name, arrays) for name, value in values.items()}
    persistence.write(path, description, arrays)


@contextmanager
def opening(path: str | os.PathLike[str], kind: str, needed: str) -> Iterator["Parts"]:
    """The values that `write` wrote, all of which must be taken.

    Every file of the `kind` has the value `needed`.
    """
    description, arrays = persistence.read(path)
    if needed not in description:
        raise NotGiven(f"{path} is not {kind}")
    with blaming(path):
        del description["format"]
        parts = Parts({name: decode(value, arrays) for name, value in description.items()} | arrays)
        yield parts
        parts.done()


# --- parts, taken one by one -------------------------------------------------------------------------


class Parts:
    """The parts of a file, which are taken out one by one; `done` refuses what is left.

    >>> parts = Parts({"rounds": 3, "loss": np.array([0.5, np.nan])})
    >>> parts.whole("rounds"), parts.size
    (3, 2)
    >>> parts.array("loss", (2,))
    Traceback (most recent call last):
    ValueError: loss[1] = nan is not from -1e+305 to 1e+305
    >>> parts.done()
    >>> Parts({"spam": 1}).done()
    Traceback (most recent call last):
    ValueError: the part 'spam' is unknown
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        if not isinstance(values, dict):
            raise ValueError(f"{arguments.shown(values)} is not a description by name")
        self._values = dict(values)
        self.size = sum(each.size for each in values.values() if isinstance(each, np.ndarray))

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name in self._values

    def look(self, name: str) -> Any:
        """A part as it is, which is still to be taken; None if there is none."""
        return self._values.get(name)

    def take(self, name: str) -> Any:
        """A part as it is."""
        if name not in self._values:
            raise ValueError(f"the part {name!r} is missing")
        return self._values.pop(name)

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
        """The parts of a dict within this one."""
        return Parts(self.take(name))

    def records(self, name: str) -> Iterator["Parts"]:
        """The parts of each dict in a list; all of them must be taken."""
        for record in arguments.instance(self.take(name), name, list):
            parts = Parts(record)
            yield parts
            parts.done()

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
        array = self.take(name)
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{name}={arguments.shown(array)} is not an array")
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, there) for wanted, there in zip(shape, array.shape)
        )
        if array.dtype != kind or not fits:
            inside = ", ".join("any" if n is None else str(n) for n in shape)
            raise ValueError(
                f"{name} has {array.dtype} of shape {array.shape}, not {np.dtype(kind)} of ({inside})"
            )
        if np.issubdtype(kind, np.number):
            right = ~arguments.outside(array, low, high) | (unknown & np.isnan(array))
            arguments.check_entries(array, right, name, f"is not from {low:g} to {high:g}")
        return np.array(array, order="C")  # its own, which may be changed

    def rest(self) -> dict[str, Any]:
        """The parts that are left, for a function that checks them all."""
        found, self._values = self._values, {}
        return found

    def done(self) -> None:
        """Refuse parts that nobody has taken."""
        for name in sorted(self._values):
            raise ValueError(f"the part {name!r} is unknown")


@contextmanager
def blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Blame the file for anything that goes wrong while an object is made of it."""
    try:
        yield
    except NotGiven as error:
        if os.fspath(path) in str(error):
            raise
        raise NotGiven(f"{path}: {error}") from error
    except Exception as error:
        raise ValueError(f"{path} is damaged: {_said(error)}") from error


@contextmanager
def given(path: str | os.PathLike[str]) -> Iterator[None]:
    """Blame the arguments that are given along with a file, not the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise NotGiven(f"{path} cannot be loaded with what is given: {error}") from error


def _said(error: Exception) -> str:
    """The error in words; those of a foreign kind say little without their name."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
