"""Hostile arguments, arrays and frames, through every public entry of every learner and player.

    python tests/fuzz/calls.py --cases 50000

A player of the roster plays some good rounds. Then one argument of one call is replaced by something
hostile: of another type, shape or size, not finite, a view that is read-only or strided, a frame with
odd columns, a sparse matrix that lies, an object that raises or changes what it is part of. The call
works, or is refused with a ValueError and has changed nothing; and the player plays on.
"""

import copy
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

sys.path.insert(0, str(Path(__file__).parents[1]))

from roster import ROSTER, Entry

from fuzz.harness import main
from regretless._core import Diverged
from regretless.checks import difference
from regretless.checks.numbers import finite

__all__ = ["Refused", "build", "case", "options"]

HUGE = 10**400
WORK = ("rounds", "steps", "n", "dimension", "bits", "points", "size")  # takes its time
TYPES = ("f2", "f4", ">f8", "i1", "u8", "?", "O", "c16", "U9", "g")
CHANGES = {
    "save",
    "load",
    "plot",
    "to_frame",
    "set_params",
}  # files and pictures have their own tests


class Raised(Exception):
    """What a class of the user's raises goes through as it is."""


class Raises:
    """An object that looks like a number or an array, and raises when it is asked."""

    def _raise(self, *_: Any, **__: Any) -> Any:
        raise Raised

    __float__ = __index__ = __array__ = __len__ = __iter__ = __getitem__ = __hash__ = _raise


class Lies:
    """An object that says what it is not."""

    shape, dtype, ndim = (3, 4), np.dtype(float), 2

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(["not", "numbers"], object)

    def __float__(self) -> float:
        return float("nan")

    def __index__(self) -> int:
        return HUGE


class Mutates(dict):  # type: ignore[type-arg]
    """A row of which a value changes the row while it is read."""

    def __init__(self, row: dict[Any, Any]) -> None:
        super().__init__(row)
        parent = self

        class Value(float):
            def __float__(self) -> float:
                parent.clear()
                parent.update({f"new {k}": 1.0 for k in range(100)})
                return 1.0

        self["value"] = Value(2.0)


def nested(depth: int) -> list[Any]:
    """A list in a list, and so on."""
    out: list[Any] = []
    for _ in range(depth):
        out = [out]
    return out


GARBAGE: list[Callable[[], Any]] = [
    lambda: None,
    lambda: np.nan,
    lambda: np.inf,
    lambda: -np.inf,
    lambda: HUGE,
    lambda: -HUGE,
    lambda: 10**5000,
    lambda: 10**30,
    lambda: 2**64,
    lambda: -1,
    lambda: 1e308,
    lambda: 5e-324,
    lambda: True,
    lambda: 1j,
    lambda: "x",
    lambda: "",
    lambda: "\ud800",
    lambda: b"\xff",
    list,
    dict,
    object,
    lambda: object,
    lambda: np.empty((0, 0)),
    lambda: np.ones((2, 2, 2)),
    lambda: np.array([[1.0, np.nan]]),
    lambda: np.array("x"),
    lambda: np.array([1, "x", None], object),
    lambda: np.array(["2020-01-01"], "M8[ns]"),
    lambda: np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [False, True, False, False]),
    lambda: np.zeros(3, [("a", float), ("b", int)]),
    lambda: np.full(4, 1e308),
    lambda: np.float128(1) * 10**400 if hasattr(np, "float128") else None,
    lambda: nested(3),
    lambda: nested(900),
    lambda: (x for x in (1.0, 2.0)),
    lambda: range(5),
    lambda: {1, 2},
    lambda: {"\ud800": 1.0},
    lambda: {10**30: 1.0},
    lambda: {"a": HUGE},
    lambda: {"a": [1.0]},
    lambda: {Raises: 1.0},
    lambda: Mutates({"a": 1.0}),
    Raises,
    lambda: [Raises()],
    lambda: {"a": Raises()},
    Lies,
    lambda: [Lies()],
    pd.DataFrame,
    lambda: pd.DataFrame({10**30: [1.0, 2.0]}),
    lambda: pd.DataFrame({"m": [1.0, "x", None, [3]]}),
    lambda: pd.DataFrame(np.ones((2, 2)), columns=["n", "n"]),
    lambda: pd.DataFrame({("a", 1): [1.0], ("a", 2): [2.0]}),
    lambda: pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}),
    lambda: pd.DataFrame({"c": pd.Categorical(["a", None, "b"])}),
    lambda: pd.DataFrame({"i": pd.array([1, None], "Int64")}),
    lambda: pd.Series([1.0, 2.0], index=["a", "a"]),
    lambda: pd.Series(["x", None]),
    lambda: pa.table({"a": [1.0, None], "b": ["x", None]}),
    lambda: pa.table({"l": [[1.0], [2.0]]}),
    lambda: pa.array([1.0, None]),
    lambda: pa.array(["x"]),
    lambda: pa.chunked_array([pa.array([1.0]), pa.array([2.0])]),
    lambda: pa.Array.from_buffers(
        pa.string(),
        2,
        [None, pa.py_buffer(np.array([0, 2**30, 3], np.int32)), pa.py_buffer(b"abc")],
    ),
    lambda: sparse.coo_array(([1.0], ([0], [1])), shape=(2, 2)),
    lambda: lying("coo", "coords"),
    lambda: lying("csr", "indices"),
    lambda: lying("csr", "indptr"),
    lambda: lying("csc", "indices"),
    lambda: sparse.csr_array((3, 2**33)),
    lambda: sparse.csr_array(np.array([[1j, 0.0]])),
]


def lying(layout: str, part: str) -> Any:
    """A sparse matrix whose indices point elsewhere."""
    made = sparse.csr_array(np.eye(4)).asformat(layout)
    if part == "coords":
        made.coords = tuple(places + 100 for places in made.coords)
    else:
        setattr(made, part, getattr(made, part) * 0 + 2**30)
    return made


def other_forms(value: Any, rng: np.random.Generator) -> list[Callable[[], Any]]:
    """A good value in another form, or with something wrong in it."""
    forms: list[Callable[[], Any]] = [
        lambda: [value],
        lambda: (value, value),
        lambda: np.array(value),
    ]
    if isinstance(value, (bool, int, float, np.generic)):
        forms += [
            lambda: str(value),
            lambda: -value,
            lambda: value * 1e300,
            lambda: np.array([value]),
        ]
    if isinstance(value, dict) and value:
        key = list(value)[int(rng.integers(len(value)))]
        bad = GARBAGE[int(rng.integers(len(GARBAGE)))]
        forms += [
            lambda: value | {key: bad()},
            lambda: value | {"new": 1.0, key: np.nan},
            lambda: Mutates(value),
            lambda: pd.Series(value),
            lambda: {str(k): v for k, v in value.items()},
            lambda: value | {f"new {k}": 1.0 for k in range(3000)},
        ]
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], dict):
        bad = GARBAGE[int(rng.integers(len(GARBAGE)))]
        at = int(rng.integers(len(value)))
        forms += [
            lambda: [*value[:at], bad(), *value[at + 1 :]],
            lambda: value[:-1],
            lambda: [*value, value[0]],
            lambda: iter(value),
            lambda: pd.Series(list(value), index=np.arange(len(value)) + 7),
        ]
    if isinstance(value, np.ndarray) and value.size and value.dtype.kind == "f":
        forms += arrays(value, rng)
    return forms


def arrays(value: np.ndarray, rng: np.random.Generator) -> list[Callable[[], Any]]:
    """An array of floats in other types, shapes and places of memory, and with other numbers."""

    def put(number: Any) -> np.ndarray:
        out = value.copy()
        out.flat[int(rng.integers(out.size))] = number
        return out

    def unaligned() -> np.ndarray:
        raw = bytearray(value.nbytes + 1)
        out = np.frombuffer(raw, value.dtype, value.size, 1).reshape(value.shape)
        out[...] = value
        return out

    def frozen() -> np.ndarray:
        out = value.copy()
        out.setflags(write=False)
        return out

    def frame() -> Any:
        names = [f"c{j}" for j in range(value.shape[-1])]
        return pd.DataFrame(np.atleast_2d(value), columns=names)

    return [
        *(lambda x=x: put(x) for x in (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e19, 5e-324, 0.0)),
        *(
            lambda t=t: value.astype(t)
            for t in ("f2", "f4", ">f8", "i1", "u8", "?", "O", "c16", "U9", "g")
        ),
        lambda: value[::-1],
        lambda: np.asfortranarray(value),
        lambda: value[..., ::2],
        lambda: value[..., :0],
        lambda: value[:0],
        lambda: value[:-1],
        lambda: value.T,
        lambda: value[None],
        lambda: np.concatenate([value, value]),
        lambda: np.broadcast_to(value.flat[0], value.shape),
        lambda: np.ma.masked_array(value, value > 0),
        lambda: np.matrix(np.atleast_2d(value)) if value.ndim < 3 else value,
        value.tolist,
        lambda: memoryview(np.ascontiguousarray(value)),
        unaligned,
        frozen,
        frame,
        lambda: pa.table(frame()),
        lambda: frame().astype({"c0": object}),
        lambda: sparse.csr_matrix(np.atleast_2d(value)),
        lambda: sparse.coo_array(np.atleast_2d(value)),
        lambda: sparse.lil_array(np.atleast_2d(value)),
        lambda: sparse.dok_array(np.atleast_2d(value)),
        lambda: sparse.dia_array(np.atleast_2d(value)),
        lambda: spoilt(sparse.csr_array(np.atleast_2d(value)), rng),
    ]


def spoilt(matrix: Any, rng: np.random.Generator) -> Any:
    """A sparse matrix with one index changed, in some format."""
    made = matrix.asformat(["csr", "csc", "coo", "bsr"][int(rng.integers(4))])
    wrong = int(rng.choice([-1, 10**6, 2**31 - 1, -(2**31)]))
    if made.format == "coo":
        made.coords = tuple(places + wrong * (axis == 0) for axis, places in enumerate(made.coords))
    else:
        part = getattr(made, ["indices", "indptr"][int(rng.integers(2))])
        if part.size:
            part[int(rng.integers(part.size))] = wrong
    return made


def hostile(value: Any, rng: np.random.Generator) -> Any:
    """Something else in the place of a good value."""
    choices = GARBAGE if rng.integers(2) else other_forms(value, rng)
    for _ in range(20):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return choices[int(rng.integers(len(choices)))]()
        except Exception:  # that form cannot be made of this value
            continue
    return None


# --- players ----------------------------------------------------------------------------------------


class Refused(Exception):
    """The call was refused as it should be."""


class Meddler:
    """A player of which one call is given something hostile."""

    def __init__(self, entry: Entry, player: Any, turn: int, rng: np.random.Generator) -> None:
        self._entry, self._player, self._turn, self._rng = entry, player, turn, rng

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._player, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args: Any, **options: Any) -> Any:
            self._turn -= 1
            if self._turn or not (args or options):
                self._turn += not (args or options)
                return found(*args, **options)
            given, which = list(args), int(self._rng.integers(len(args) + len(options)))
            if which < len(args):
                given[which] = hostile(args[which], self._rng)
            else:
                key = list(options)[which - len(args)]
                options[key] = hostile(options[key], self._rng)
            return attempt(self._entry, self._player, name, tuple(given), options)

        return call


def attempt(entry: Entry, player: Any, name: str, args: Any, options: Any) -> Any:
    """Make a call; if it is refused, see that it changed nothing, and raise `Refused`."""
    before = entry.state(player)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return getattr(player, name)(*args, **options)
    except (Diverged, Raised, MemoryError):  # the first learns the rows before
        raise Refused from None
    except Exception as error:
        if not isinstance(error, ValueError):
            if called_back(error):
                raise Refused from None
            raise
        if len(str(error)) < 8 or "bad_cast" in str(error):
            raise AssertionError(f"unclear: {error}") from error
        told = difference(entry.state(player), before)
        if told:
            raise AssertionError(f"{name} was refused ({error}), but changed {told}") from error
        raise Refused from None


def called_back(error: Exception) -> bool:
    """Whether it was raised by a function of the roster, or a class in its place: the user's here."""
    if "takes no arguments" in str(error) and str(error).startswith(("object()", "Raises()")):
        return True
    frames = [
        Path(frame.filename).parent.name for frame in traceback.extract_tb(error.__traceback__)
    ]
    return "roster" in frames[1:]  # the first is ours


@cache
def methods(kind: type) -> list[str]:
    """The public methods of a class that take something."""
    out = []
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if name.startswith("_") or name in CHANGES or not callable(found):
            continue
        if len(inspect.signature(found).parameters) > 1:
            out.append(name)
    return out


def meddled(entry: Entry, player: Any, rng: np.random.Generator) -> None:
    """A good round, or several at once, or a question, with one argument replaced."""
    stream = entry.kind.stream(entry.kind.length, seed=1)
    with_one = Meddler(entry, player, int(rng.integers(1, 4)), rng)
    match int(rng.integers(3)):
        case 0 if "batch" not in entry.without:
            entry.kind.many(with_one, copy.deepcopy(stream[:3]))
        case 1:
            entry.kind.ask(with_one, copy.deepcopy(stream[0]))
        case _:
            entry.kind.feed(with_one, copy.deepcopy(stream[0]))


def garbled(entry: Entry, player: Any, rng: np.random.Generator) -> None:
    """Any public method with anything at all."""
    names = methods(type(player))
    name = names[int(rng.integers(len(names)))]
    parameters = list(inspect.signature(getattr(type(player), name)).parameters.values())[1:]
    each = entry.kind.stream(1)[0]
    good = list(each) if isinstance(each, tuple) else [each]
    args, named = [], {}
    for i, each in enumerate(parameters):
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        if each.default is not each.empty and rng.integers(3):
            continue
        value = good[i] if i < len(good) and rng.integers(2) else hostile(good[0], rng)
        if each.kind is each.KEYWORD_ONLY or len(args) < i:
            named[each.name] = value
        else:
            args.append(value)
    try:
        attempt(entry, player, name, tuple(args), named)
    except TypeError as error:
        if "argument" in str(error) and f"{name}()" in str(error):
            raise Refused from None  # Python itself refuses the call
        raise


def options(kind: type) -> list[inspect.Parameter]:
    """What the constructor of a class takes."""
    given = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return [each for each in given if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def build(entry: Entry, player: Any, name: str, value: Any) -> None:
    """Make a player like another, but for one option, and play a round."""
    needed = [p.name for p in options(type(player)) if p.default is p.empty and p.name != name]
    if not all(hasattr(player, each) for each in needed):
        return  # how it was made cannot be told
    if value is object:
        return  # it can be called, and what it raises is its own
    given = {each: getattr(player, each) for each in needed} | {name: value}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            entry.kind.feed(type(player)(**given), entry.kind.stream(1)[0])
    except (Diverged, Raised, MemoryError):
        raise Refused from None
    except ValueError as error:
        if len(str(error)) < 8 or "bad_cast" in str(error):
            raise AssertionError(f"unclear: {error}") from error
        raise Refused from None


def made(entry: Entry, player: Any, rng: np.random.Generator) -> None:
    """The constructor with a hostile option, and then a round."""
    names = [each.name for each in options(type(player))]
    if not names:
        return
    name = names[int(rng.integers(len(names)))]
    value = hostile(getattr(player, name, 1.0), rng)
    if isinstance(value, int) and value < HUGE and name in WORK:
        value = min(value, 1)
    build(entry, player, name, value)


def case(rng: np.random.Generator) -> str:
    """Something hostile in the place of an argument."""
    entry = ROSTER[int(rng.integers(len(ROSTER)))]
    player = entry.played(int(rng.integers(1, min(6, entry.kind.length))))
    attack = (meddled, meddled, garbled, made)[int(rng.integers(4))]
    outcome = "used"
    try:
        attack(entry, player, rng)
    except Refused:
        outcome = "refused"
    except Exception as error:
        if "but the forecast" in str(error):
            return "used"  # it was of several steps, and waits for as many targets
        raise AssertionError(f"{entry.name}, {attack.__name__}: {error!r}") from error
    last = entry.kind.stream(2, seed=2)[1]
    try:
        if not finite(entry.kind.ask(player, last)):
            raise AssertionError(f"{entry.name}: NaN or infinity after {attack.__name__}")
        entry.kind.feed(player, last)
    except (Diverged, ValueError) as error:
        if outcome == "refused" and not isinstance(error, Diverged):
            raise AssertionError(f"{entry.name} plays no more: {error!r}") from error
    return outcome


if __name__ == "__main__":
    sys.exit(main("calls", case))
