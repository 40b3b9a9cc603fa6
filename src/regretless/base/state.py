"""The state of learners and players: their options, and named arrays and numbers that they have learned.

`Stateful` is the base of every learner and player. From three methods of a class,

    def _options(self): ...         # the arguments of the call that makes an equal object
    def _learned(self): ...         # the learned values by name
    def _restore(self, parts): ...  # check these values and take them back

it makes `clone`, `copy`, pickles, `save`, `load`, `repr` and `==`. Files hold plain values, arrays, and
small objects of this library. To load one, the constructor checks the options, and `_restore` takes the
learned values one by one from `Parts`, which checks them. A value that is left over is an error.
"""

import copy
import importlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self, cast, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from regretless.base import arguments, persistence
from regretless.base.options import call_of, declare, fixed, option, options_of
from regretless.base.threads import copied, deeply_copied, of_options, protect, reduced
from regretless.errors import NotGiven

MOST = 1e305  # limit of numbers in a file, so that sums of a few of them do not overflow
_PARTS = ("losses", "rules", "rates", "geometry", "domains", "bandits")  # rooms of small objects
_ROOMS = (
    *("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes"),
    "certificates",
)


# --- objects with state -----------------------------------------------------------------------------


@dataclass_transform(kw_only_default=True, field_specifiers=(option, fixed))
class Stateful:
    """The base of objects that consist of options and of learned values.

    If an object has a compiled part, `_engine_name` is the name of its attribute. This part has the
    methods `state()` and `restore(state)`, and `_start()` makes a new one.

    >>> from regretless.experts import Hedge
    >>> player = Hedge(2, rate=0.5)
    >>> suffered = player.update([0.0, 1.0])
    >>> player.copy() == player, player.clone() == player, player
    (True, False, Hedge(2, rate=0.5))
    """

    _engine_name: ClassVar[str] = "_engine"
    _not_copied: ClassVar[tuple[str, ...]] = ()  # attributes that a copy makes again when needed
    _yours: ClassVar[tuple[str, ...]] = ()  # options that can be code of the user
    _caches: ClassVar[tuple[str, ...]] = ()  # attributes that only save time
    _keeps_what_is_given: ClassVar[bool] = False  # keep options as given, not as checks return them
    _checks_late: ClassVar[bool] = False  # do not check options when the object is made

    __copy__, __deepcopy__, __reduce_ex__ = copied, deeply_copied, reduced

    def __init_subclass__(
        cls, changing: Sequence[str] = (), in_core: bool = True, constant: bool = False, **more: Any
    ) -> None:
        """Make the constructor from the options that the class declares, and protect its methods.

        See `base.options` and `base.threads.protect`, which has the arguments of a subclass.
        """
        declare(cls)
        super().__init_subclass__(**more)
        protect(cls, changing, in_core, constant)

    def __post_init__(self) -> None:
        """Check options that depend on each other, and prepare; the constructor ends with this."""

    # --- the three methods of a class ---------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        """The arguments of the call that makes an equal object."""
        names = options_of(type(self))
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _learned(self) -> dict[str, Any]:
        """The learned values by name: arrays, plain values, and other objects with state."""
        return {"state": self.__dict__[self._engine_name].state()}

    def _restore(self, parts: "Parts") -> None:
        """Check and take back the values that `_learned` returned."""
        self.__dict__[self._engine_name].restore(parts.array("state", (None,)))

    # --- methods that use the three ------------------------------------------------------------------

    @of_options
    def clone(self) -> Self:
        """A new object with the same options that has learned nothing."""
        return type(self)(**self._options())

    def copy(self) -> Self:
        """An independent object that has learned the same."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the object to a safetensors file, completely or not at all.

        A loaded object continues bit for bit as the saved one would have.
        """
        persistence.write(path, *self._described())

    @classmethod
    def load(cls, path: str | os.PathLike[str], **yours: Any) -> Self:
        """Read the object that `save` wrote to `path`.

        A file holds no code, so give options that are functions or objects of your own again.
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
        return hash(type(self))  # the rest of an object can change

    # --- how -----------------------------------------------------------------------------------------

    def _start(self) -> Any:
        """A new compiled part, which has learned nothing."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in self.__dict__.items() if k not in self._not_copied}
        engine = kept.get(self._engine_name)
        if engine is not None:
            kept[self._engine_name] = engine.state()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        learned = kept.get(self._engine_name)
        made_later = (name for name in self._not_copied if not hasattr(type(self), name))
        self.__dict__.update(dict.fromkeys(made_later), **kept)  # a cached property makes itself
        if learned is not None:
            self.__dict__[self._engine_name] = None  # keep its place among the attributes
            engine = self.__dict__[self._engine_name] = self._start()
            if hasattr(engine, "belongs_to"):
                engine.belongs_to(self)
            self._resume(learned)

    def _resume(self, learned: Any) -> None:
        """Set the state of the compiled part."""
        self.__dict__[self._engine_name].restore(learned)

    def _described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The object as JSON and arrays, the form of a file."""
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
        path: str | os.PathLike[str],
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
        path: str | os.PathLike[str],
        description: Mapping[str, Any],
        arrays: dict[str, NDArray[Any]],
        yours: Mapping[str, Any],
    ) -> Self:
        """Make an object from the form that `_described` returns."""
        described = {k: v for k, v in description.items() if k not in ("class", "format")}
        numbers = sum(array.size for array in arrays.values())
        saved = described.pop("options", None)
        if not isinstance(saved, dict):
            raise ValueError(f"options={arguments.shown(saved)} is not a dict of options by name")
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
        cls, path: str | os.PathLike[str], saved: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The options that a file cannot hold, which the user has given again."""
        wanted = {k: v["yours"] for k, v in saved.items() if isinstance(v, dict) and "yours" in v}
        for name in sorted(wanted.keys() ^ given.keys()):
            raise NotGiven(
                f"{path} was saved with {name}={wanted[name]}, which a file cannot hold; give it "
                f"again: {cls.__name__}.load(path, {name}=...)"
                if name in wanted
                else f"{name}={arguments.shown(given[name])}: {path} holds all options; leave it out"
            )
        return dict(given)

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        """Refuse options that make an object larger than the `numbers` in the arrays of the file."""
        for name in ("n", "dimension", "size", "hidden"):
            size = options.get(name)
            if isinstance(size, int) and size > max(numbers, 1):
                raise ValueError(f"{name}={size} is more than the {numbers} numbers of the file")


declare(Stateful)  # the constructor of classes without options
protect(Stateful)


def _a(name: str) -> str:
    """A name with its indefinite article."""
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


def _same(one: Any, two: Any) -> bool:
    """Whether two values are equal: arrays bit for bit, and NaN equals NaN."""
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


def _inside(value: object) -> Any:
    """A value for comparison: the state of generators and of small objects of this library."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    ours = type(value).__module__.startswith("regretless.")
    if ours and not isinstance(value, (Stateful, dict, list, tuple)):
        return value.__reduce_ex__(4)[1:3]
    return value


# --- one codec ---------------------------------------------------------------------------------------


def encode(value: object, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """A value as JSON; arrays are added to `arrays` under names that begin with `name`.

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
    """A value that JSON lacks, as its kind and its parts."""
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


def _key(key: object, at: int) -> str:
    return key if isinstance(key, str) and "." not in key else str(at)


def _nested(value: Stateful, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """An object within another one; the learned values of an option are not saved."""
    if name.startswith("options."):
        options = {k: encode(v, f"{name}.{k}", arrays) for k, v in value._options().items()}
        return {"class": type(value).__name__, "options": options, "fresh": True}
    description, own = value._described()
    arrays.update((f"{name}.{k}", array) for k, array in own.items())
    return description | {"arrays": {k: f"{name}.{k}" for k in own}}


def decode(value: object, arrays: dict[str, NDArray[Any]]) -> Any:
    """The value that `encode` has encoded; its arrays are removed from `arrays`.

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


def _array(name: object, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
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
    """A loss, rule, rate, geometry, domain or estimator, from its room, name and options."""
    name, options = inside
    module = importlib.import_module(f"regretless.{arguments.one_of(room, 'room', _PARTS)}")
    part = getattr(module, name) if name in module.__all__ else None
    if not (isinstance(part, type) and is_dataclass(part)):
        raise ValueError(f"{arguments.shown(name)} is not known")
    made = {k: decode(v, arrays) for k, v in options.items()}
    return part(*made["domains"]) if "domains" in made else part(**made)


def room_of(value: object) -> str | None:
    """The room of a loss, rule, rate or other small object; None for other values."""
    module, name = type(value).__module__, type(value).__name__
    for room in _PARTS:
        if is_dataclass(value) and module.startswith(f"regretless.{room}"):
            found = getattr(importlib.import_module(f"regretless.{room}"), name, None)
            return room if found is type(value) else None
    return None


def class_named(name: str) -> type[Stateful] | None:
    """The public class with this name whose objects can be saved; None if there is none.

    >>> class_named("Perceptron").__name__, class_named("spam")
    ('Perceptron', None)
    """
    for room in _ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        found = getattr(module, name, None) if name in module.__all__ else None
        if isinstance(found, type) and issubclass(found, Stateful):
            return found
    return None


def known_class(name: object) -> type[Stateful]:
    """The public class with this name; `ValueError` if there is none."""
    found = class_named(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"{arguments.shown(name)} is not a class of this version")
    return found


def _is_ours(value: object) -> bool:
    """Whether a file can hold an option: a plain value, or an object or class of this library."""
    try:
        encode(value, "options", {})
    except ValueError:
        return False
    return True


def load(path: str | os.PathLike[str], **yours: Any) -> Any:
    """Read the learner, player or mixture that was saved to `path`.

    It continues as if it had never stopped. A damaged file, or a file of another kind, raises a
    `ValueError` that names it. A file holds no code, so give options that are code of your own again.

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
    """Write named values to a file, completely or not at all."""
    arrays: dict[str, NDArray[Any]] = {}
    description = {name: encode(value, name, arrays) for name, value in values.items()}
    persistence.write(path, description, arrays)


@contextmanager
def opening(path: str | os.PathLike[str], kind: str, needed: str) -> Iterator["Parts"]:
    """The values that `write` wrote, as `Parts`; the block must take all of them.

    Every file of this `kind` has a value with the name `needed`.
    """
    description, arrays = persistence.read(path)
    if needed not in description:
        raise NotGiven(f"{path} is not {kind}")
    with blaming(path):
        del description["format"]
        parts = Parts({name: decode(value, arrays) for name, value in description.items()} | arrays)
        yield parts
        parts.done()


# --- parts of a file, taken one by one ----------------------------------------------------------------


class Parts:
    """The parts of a file, which are checked and taken one by one; `done` raises if some are left.

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
            raise ValueError(f"{arguments.shown(values)} is not a dict of values by name")
        self._values = dict(values)
        self.size = sum(each.size for each in values.values() if isinstance(each, np.ndarray))

    def has(self, name: str) -> bool:
        """Whether the file has a part with this name."""
        return name in self._values

    def look(self, name: str) -> Any:
        """A part without taking it; None if there is none."""
        return self._values.get(name)

    def take(self, name: str) -> Any:
        """Take a part without a check."""
        if name not in self._values:
            raise ValueError(f"the part {name!r} is missing")
        return self._values.pop(name)

    def whole(self, name: str, least: int = 0, most: int = 2**53) -> int:
        """Take a whole number from `least` to `most`."""
        return arguments.whole(self.take(name), name, least, most)

    def count(self, name: str, least: int = 1) -> int:
        """Take a count of things for each of which the arrays hold at least one number."""
        return self.whole(name, least, max(least, self.size))

    def number(self, name: str, low: float = -MOST, high: float = MOST) -> float:
        """Take a number from low to high."""
        value = self.take(name)
        if isinstance(value, bool) or not low <= arguments.number(value, name) <= high:
            raise ValueError(f"{name}={value!r} is not a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """Take True or False."""
        value = self.take(name)
        if not isinstance(value, bool):
            raise ValueError(f"{name}={value!r} is not true or false")
        return value

    def names(self, name: str, n: int) -> list[str] | None:
        """Take a list of `n` different names, or None."""
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
        """Take a dict, as its parts."""
        return Parts(self.take(name))

    def records(self, name: str) -> Iterator["Parts"]:
        """Take a list of dicts; the caller must take all parts of each."""
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
        """Take an array of this kind and shape (None: any length), with numbers from low to high.

        `unknown`: whether NaN is allowed as well.
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
        return np.array(array, order="C")  # a copy, which may be changed

    def rest(self) -> dict[str, Any]:
        """Take all parts that are left, for a function that checks them."""
        found, self._values = self._values, {}
        return found

    def done(self) -> None:
        """Raise if a part has not been taken."""
        for name in sorted(self._values):
            raise ValueError(f"the part {name!r} is unknown")


@contextmanager
def blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make every error of the block name the file, which is damaged."""
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
    """Make errors of the block blame the arguments given with a file, not the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise NotGiven(f"{path} cannot be loaded with the given arguments: {error}") from error


def _said(error: Exception) -> str:
    """The error in words; unless it is a `ValueError`, with the name of its class."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
