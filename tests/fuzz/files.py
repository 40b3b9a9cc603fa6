"""Damaged files of every class: each is refused with its name, or gives an object that works.

A case takes the file of one line of the roster (or a checkpoint, or the cache of a stream), damages it
in memory, loads it and uses what comes out: asks, plays rounds one by one and at once, certifies,
copies, pickles, saves and loads again. What is allowed is what a sound object may do: answers that
are numbers, or a `ValueError`.

    python tests/fuzz/files.py --cases 1000
    python tests/fuzz/files.py --seed 0 --only 1234
"""

import copy
import inspect
import json
import math
import os
import pickle
import sys
import tempfile
import warnings
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from roster import ROSTER

from fuzz.harness import main
from regretless import _core, streams
from regretless.evaluate.training import Training
from regretless.linear import LinearClassifier
from regretless.streams.cache import Cache

ENTRIES = [entry for entry in ROSTER if "file" not in entry.without]
SHARED = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
PATH = Path(SHARED) / f"regretless-fuzz-{os.getpid()}"
NUMBERS = (
    math.nan, math.inf, -math.inf, -1.0, -0.0, 0.0, 5e-324, 1e-300, 0.5, 1.0, 2.0, 3.0, 1e9, 2.0**31,
    2.0**53, 1e19, 1e38, 1e150, 1e300, 1.7e308, -1e9, -1e300,
)  # fmt: skip
VALUES = (
    None, True, False, -1, 0, 1, 2, 7, 2**31, 2**53, 2**63, 10**30, -1.5, 0.25, 1e300, -1e300, "",
    "spam", "squared", "Hedge", [], [1, 2], [[]], {}, {"float": "nan"}, {"float": "inf"}, {"tuple": []},
    {"losses": ["Hinge", {}]}, {"list": [1]}, {"learner": ["Hedge", {}]}, "9" * 5000,
)  # fmt: skip
# an option that says how much work is done when it is used, not what was learned
WORK = ("rounds", "steps", "sweeps", "limit")


# --- the files --------------------------------------------------------------------------------------


@cache
def saved(number: int) -> tuple[bytes, ...]:
    """Files of a line of the roster: of one that has seen nothing, and of one that has played."""
    entry, found = ENTRIES[number], []
    for rounds in (0, entry.kind.length):
        player = entry.make(1)
        for each in entry.kind.stream(rounds):
            entry.kind.feed(player, each)
        try:
            player.save(PATH)
        except ValueError:  # nothing was learned yet
            continue
        found.append(PATH.read_bytes())
    return tuple(found)


@cache
def checkpoint() -> bytes:
    """A checkpoint of a training."""
    training = Training(LinearClassifier(certify=True), certify=(1, 3), holdout=10)
    for piece in streams.read(streams.bundled("phishing")).pieces():
        training.take(piece)
    training.save(PATH, {"input": "phishing"})
    return PATH.read_bytes()


@cache
def cached() -> tuple[bytes, Any]:
    """The cache of a stream, and the learner that it belongs to."""
    text = Path(f"{PATH}.vw")
    text.write_text("".join(f"{t % 2} | a:{t} b{t % 5} c\n" for t in range(40)))
    model, store = LinearClassifier(), Cache(f"{PATH}.cache")
    for piece in streams.read(text).pieces(model.form()):
        model.learn_many(piece.X, piece.y)
        store.add(model, piece)
    store.finish()
    return store.path.read_bytes(), model


# --- damage -----------------------------------------------------------------------------------------


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bits are others."""
    out = bytearray(data)
    for at in rng.integers(len(out), size=rng.choice([1, 1, 2, 8])):
        out[at] ^= 1 << int(rng.integers(8))
    return bytes(out)


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    """It ends early, or late, or some bytes are missing or others."""
    a, b = sorted(rng.integers(len(data) + 1, size=2).tolist())
    noise = rng.bytes(int(rng.integers(1, 40)))
    ways = (data[:a], data + noise, data[:a] + data[b:], data[:a] + noise + data[a + len(noise) :])
    return ways[int(rng.integers(len(ways)))]


def parsed(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Description and arrays of a sound file."""
    from safetensors.numpy import load

    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    return json.loads(header["__metadata__"]["regretless"]), load(data)


def written(description: Any, arrays: dict[str, np.ndarray], text: str | None = None) -> bytes:
    """The file of a description and arrays."""
    from safetensors.numpy import save

    header = json.dumps(description) if text is None else text
    return save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, {"regretless": header})


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values within a description."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(each for k, v in inside for each in leaves(v, (*path, k)))]


def edited(description: Any, rng: np.random.Generator) -> Any:
    """One value is another, or is missing, or there is one more."""
    whole = copy.deepcopy(description)
    paths = [path for path in leaves(whole) if path and path != ("format",)]
    *way, last = paths[int(rng.integers(len(paths)))]
    inside = whole
    for key in way:
        inside = inside[key]
    old, what = inside[last], int(rng.integers(8))
    if what == 0 and isinstance(inside, dict):
        del inside[last]
    elif what == 1 and isinstance(inside, dict):
        inside["spam"] = old
    elif what == 2 and isinstance(inside, list):
        inside.pop() if rng.random() < 0.5 else inside.append(old)
    elif what <= 4 and isinstance(old, (int, float)) and not isinstance(old, bool):
        inside[last] = [old + 1, old - 1, -old, old * 2, old + 0.5, old * 1e9][int(rng.integers(6))]
    elif what == 5:
        other = whole
        for key in paths[int(rng.integers(len(paths)))]:
            other = other[key]
        inside[last] = copy.deepcopy(other)
    else:
        inside[last] = VALUES[int(rng.integers(len(VALUES)))]
    if last in WORK and isinstance(inside, dict) and isinstance(inside.get(last), (int, float)):
        inside[last] = old  # larger ones only take longer
    return whole


def as_text(description: Any, rng: np.random.Generator) -> str:
    """The description as JSON that no honest writer would write."""
    text = json.dumps(description)
    ways = (
        text[:-1] + ', "class": "Hedge"}',
        text[:-1] + f', "spam": {"[" * 10**5}{"]" * 10**5}}}',
        text[:-1] + ', "spam": NaN}',
        text.replace("0.", "1e999+0.", 1).replace("+0.", "", 1),
        text.replace(": 1", ": " + "1" * 5000, 1),
        text.replace(": ", ":\u0000", 1),
        text.replace('"', "'"),
        "[]",
        "null",
        "",
        text.replace("true", "1").replace("null", "0"),
    )
    return ways[int(rng.integers(len(ways)))]


def other_number(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One entry is another number."""
    out = array.copy()
    if not out.size:
        return out
    at, x = int(rng.integers(out.size)), out.flat[int(rng.integers(out.size))]
    old = out.flat[at]
    old = int(old) if out.dtype.kind in "biu" else float(old)
    near = (old + 1, old - 1, -old, old * 2, old * (1 + 1e-9), old * 1e6, x)
    choices = (*NUMBERS, *near, *near, *near)
    with np.errstate(all="ignore"):
        try:
            out.flat[at] = np.array(choices[int(rng.integers(len(choices)))]).astype(out.dtype)
        except (OverflowError, ValueError):
            out.flat[at] = 1
    return out


def other_arrays(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Numbers, shapes, kinds, names and places of arrays are others."""
    if not arrays:
        return {"spam": np.zeros(3)}
    out, names, what = dict(arrays), sorted(arrays), int(rng.integers(16))
    name, second = (names[int(k)] for k in rng.integers(len(names), size=2))
    array = out[name]
    if what < 8:
        out[name] = other_number(array, rng)
    elif what == 8:
        out[name], out[second] = out[second], out[name]
    elif what == 9:
        more = rng.integers(0, 3, size=array.ndim)
        cuts = tuple(slice(0, max(0, n - int(k))) for n, k in zip(array.shape, more))
        out[name] = array[cuts] if rng.random() < 0.5 else np.concatenate([array, array[:1]])
    elif what == 10:
        shapes = ((-1,), (1, -1), (-1, 1), (*array.shape, 1))
        out[name] = array.reshape(shapes[int(rng.integers(4))])
    elif what == 11:
        kinds = (
            np.float32,
            np.int64,
            np.uint8,
            np.bool_,
            np.float16,
            np.uint64,
            np.int32,
            np.float64,
        )
        with np.errstate(all="ignore"):
            out[name] = array.astype(kinds[int(rng.integers(len(kinds)))])
    elif what == 12:
        del out[name]
    elif what == 13:
        out["spam"] = array
    elif what == 14:
        files = saved(int(rng.integers(len(ENTRIES))))
        theirs = parsed(files[-1])[1] if files else {}
        if theirs:
            out[name] = theirs[sorted(theirs)[int(rng.integers(len(theirs)))]]
    else:
        out[name] = rng.permutation(array) if array.size else array
    return out


def lying(data: bytes, rng: np.random.Generator) -> bytes:
    """The header of the file itself says something else."""
    size = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8 : 8 + size]), data[8 + size :]
    names = [name for name in header if name != "__metadata__"]
    if names:
        each = header[names[int(rng.integers(len(names)))]]
        what = int(rng.integers(5))
        if what == 0:
            each["shape"] = [int(v) for v in rng.choice([0, 1, 3, 2**31, 2**62, -1], size=2)]
        elif what == 1:
            each["dtype"] = str(rng.choice(["F16", "BF16", "F8_E4M3", "I64", "BOOL", "U8", "SPAM"]))
        elif what == 2:
            each["data_offsets"] = [
                int(v) for v in rng.choice([0, 8, 16, 2**40, len(rest)], size=2)
            ]
        elif what == 3:
            each["shape"] = [*each["shape"], 1]
        else:
            del header["__metadata__"]
    text = json.dumps(header).encode()
    length = (
        len(text) if rng.random() < 0.9 else int(rng.choice([0, 2**40, 2**63 - 1, len(text) - 1]))
    )
    return length.to_bytes(8, "little") + text + rest


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """A file in which something is wrong."""
    what = int(rng.integers(20))
    if what < 2:
        return flipped(data, rng)
    if what < 3:
        return cut(data, rng)
    if what < 4:
        return lying(data, rng)
    description, arrays = parsed(data)
    if what < 5:
        return written(description, arrays, as_text(description, rng))
    for _ in range(int(rng.choice([1, 1, 1, 2]))):
        if what < 11:
            description = edited(description, rng)
        else:
            arrays = other_arrays(arrays, rng)
    return written(description, arrays)


# --- use --------------------------------------------------------------------------------------------


def unsound(value: Any, inside: int = 0) -> set[str]:
    """Whether a value has NaN or infinities within."""
    if isinstance(value, (float, np.floating)):
        return {"nan"} if math.isnan(value) else {"inf"} if math.isinf(value) else set()
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return {k for k, test in (("nan", np.isnan), ("inf", np.isinf)) if test(value).any()}
    if inside > 4:
        return set()
    if isinstance(value, dict):
        return set().union(*(unsound(v, inside + 1) for v in value.values()))
    if isinstance(value, (list, tuple)):
        return set().union(*(unsound(v, inside + 1) for v in value))
    if is_dataclass(value) and not isinstance(value, type):
        return set().union(*(unsound(getattr(value, f.name), inside + 1) for f in fields(value)))
    return set()


def asked(player: Any, name: str) -> Any:
    """What a method says that needs no arguments; None if it needs some."""
    method = getattr(player, name)
    needed = (p for p in inspect.signature(method).parameters.values() if p.default is p.empty)
    return None if any(p.kind is not p.VAR_KEYWORD for p in needed) else method()


def uses(entry: Any, player: Any) -> dict[str, Any]:
    """All that is done with a player: a name for each, and how."""
    kind = entry.kind
    rounds = kind.stream(4, seed=3)

    def again() -> Any:
        player.save(PATH)
        other = entry.load(type(player), PATH)
        return kind.ask(other, rounds[0])

    return {
        "repr": lambda: repr(player) and None,
        "ask": lambda: kind.ask(player, rounds[0]),
        "certificate": lambda: asked(player, "certificate"),
        "regret": lambda: asked(player, "regret"),
        "regrets": lambda: player.regrets,
        "loss": lambda: player.loss,
        "weights": lambda: player.weights_,
        "feed": lambda: [kind.feed(player, each) for each in rounds[:3]] and None,
        "ask later": lambda: kind.ask(player, rounds[0]),
        "many": lambda: kind.many(player, rounds),
        "certificate later": lambda: asked(player, "certificate"),
        "copy": lambda: kind.ask(copy.deepcopy(player), rounds[0]),
        "pickle": lambda: kind.ask(pickle.loads(pickle.dumps(player)), rounds[0]),
        "clone": lambda: player.clone() and None,
        "file": again,
        "ask at last": lambda: kind.ask(player, rounds[0]),
    }


def used(entry: Any, player: Any) -> dict[str, set[str]]:
    """What was wrong with the answers, by use; an exception that no sound object raises goes on."""
    found = {}
    for name, use in uses(entry, player).items():
        try:
            found[name] = unsound(use())
        except (ValueError, _core.Diverged, NotImplementedError):
            continue
        except AttributeError as error:
            if error.obj is not player:
                raise
        except RuntimeError as error:
            if "tolerance" not in str(error):  # a leader that was not found
                raise
    return found


@cache
def sound(number: int, which: int) -> dict[str, set[str]]:
    """The same of the file as it was."""
    PATH.write_bytes(saved(number)[which])
    entry = ENTRIES[number]
    return used(entry, entry.load(type(entry.make(0)), PATH))


def loaded(path: Path, load: Any) -> Any:
    """What is loaded, or None if the file is refused as it should be."""
    try:
        return load()
    except ValueError as error:
        if str(path) not in str(error):
            raise
        return None


def case(rng: np.random.Generator) -> str:
    """Load a damaged file, and use what comes of it."""
    warnings.simplefilter("ignore")
    number = int(rng.integers(len(ENTRIES) + 2))
    if number == len(ENTRIES):
        return checkpoint_case(rng)
    if number > len(ENTRIES):
        return cache_case(rng)
    entry, files = ENTRIES[number], saved(number)
    which = len(files) - 1 - int(rng.random() < 0.1 and len(files) > 1)
    before = [sound(number, k) for k in range(len(files))]
    PATH.write_bytes(damaged(files[which], rng))
    kind = type(entry.make(0))
    player = loaded(PATH, lambda: entry.load(kind, PATH))
    if player is None:
        return "refused"
    for name, wrong in used(entry, player).items():
        # a domain that has no end has neither a bound nor a largest regret
        allowed = {"inf"} if "certificate" in name or name == "regret" else set()
        allowed = allowed.union(*(each.get(name, set()) for each in before))
        assert wrong <= allowed, f"{entry.name}: {name} has {wrong - allowed}"
    return "used"


def checkpoint_case(rng: np.random.Generator) -> str:
    """A checkpoint: training goes on from it."""
    data = damaged(checkpoint(), rng)
    PATH.write_bytes(data)
    training = loaded(PATH, lambda: Training.load(PATH, {"input": "phishing"}))
    if training is None:
        return "refused"
    try:
        for piece in streams.read([({"a": 1.0}, 1), ({"b": 2.0}, 0)]).pieces(training.model.form()):
            training.take(piece)
        training.certify()
        training.validation.report(1.0, None, "spam")
        training.save(PATH, {"input": "phishing"})
    except (ValueError, _core.Diverged):
        pass
    return "used"


def cache_case(rng: np.random.Generator) -> str:
    """A cache of a stream: its pieces are learned."""
    data, model = cached()
    PATH.write_bytes(flipped(data, rng) if rng.random() < 0.7 else cut(data, rng))
    store = Cache.__new__(Cache)
    store.path = PATH
    model = copy.deepcopy(model)
    try:
        for piece in store.stream().pieces():
            model.learn_many(piece.X, piece.y, piece.w)
    except (ValueError, _core.Diverged):
        return "refused"
    assert not unsound(model.weights_)
    return "used"


if __name__ == "__main__":
    sys.exit(main("files", case))
