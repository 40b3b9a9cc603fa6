"""Several threads at one object: whoever comes second is refused, and nothing else ever happens.

Calls that were not refused happened one after the other, in the order of their turns. So a case plays
them again on a fresh object, in this order and in one thread: every answer must be the same, and in the
end the state, bit for bit. Which calls are made is determined by the seed; which are refused is not.

    python tests/fuzz/threads.py --seconds 60
"""

import copy
import inspect
import pickle
import sys
import tempfile
import threading
import time
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from roster import ROSTER, Entry

from fuzz.harness import main
from regretless import _core
from regretless.base.state import Stateful
from regretless.base.threads import OneThread
from regretless.checks import difference, state_of

PROTECTED = (OneThread, Stateful)  # kinds of objects with a turn
CALLS = 400  # of all threads together
IN_USE = "is in use by another thread"
_NOT_CALLED = ("plot", "load", "save")  # which need files, or draw


class Yielding:
    """A number that lets other threads run while it is read."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        time.sleep(0)
        return self.value


class Recorder:
    """A player whose calls are recorded: their turn, how to repeat them, and what they answered."""

    def __init__(self, entry: Entry, player: Any, record: list[tuple[int, Any, Any]]) -> None:
        self._entry, self._player, self._record = entry, player, record

    def __getattr__(self, name: str) -> Any:
        if inspect.isroutine(inspect.getattr_static(type(self._player), name, None)):
            return lambda *args, **options: self.call(
                lambda player: getattr(player, name)(*args, **options)
            )
        return self.call(lambda player: getattr(player, name))

    def call(self, call: Any) -> Any:
        before = _core.latest_turn()
        answer, error = None, None
        try:
            answer = call(self._player)
        except Exception as raised:
            if isinstance(raised, RuntimeError) and IN_USE in str(raised):
                raise
            error = raised
        turn = _core.latest_turn()
        if turn > before:  # else it took none, and can have done nothing
            self._record.append((turn, call, _told(self._entry, self._player, answer, error)))
        if error is not None:
            raise error
        return answer


def _told(entry: Entry, player: Any, answer: Any, error: Exception | None) -> Any:
    """An answer in a form that can be compared."""
    if error is not None:
        return type(error).__name__, str(error)
    if answer is player:
        return "itself"
    if _is_alive(answer):  # a part that goes on playing
        return type(answer).__name__
    return state_of(answer, entry.caches)


def _is_alive(answer: Any) -> bool:
    parts = answer if isinstance(answer, (list, tuple)) else [answer]
    return any(isinstance(each, PROTECTED) for each in parts)


def case(rng: np.random.Generator) -> str:
    """2 to 16 threads and 400 random calls of one line of the roster."""
    entry, seed = ROSTER[rng.integers(len(ROSTER))], int(rng.integers(5))
    threads = int(rng.integers(2, 17))
    player = entry.make(seed)
    _core.watch_turns(player)
    with tempfile.TemporaryDirectory() as folder:
        plans = [_plan(entry, player, rng, CALLS // threads, Path(folder)) for _ in range(threads)]
        records: list[list[Any]] = [[] for _ in plans]
        start, refused, wrong = threading.Barrier(threads), [0] * threads, []

        def play(k: int) -> None:
            recorder = Recorder(entry, player, records[k])
            start.wait()
            for action in plans[k]:
                try:
                    action(recorder)
                except RuntimeError as error:
                    refused[k] += IN_USE in str(error)
                except Exception as error:  # compared with that of the second time
                    wrong.append(error)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(10.0 ** -rng.integers(4, 7))
        try:
            workers = [threading.Thread(target=play, args=(k,)) for k in range(threads)]
            for each in workers:
                each.start()
            for each in workers:
                each.join()
        finally:
            sys.setswitchinterval(interval)
            _core.watch_turns(None)
        _replay(entry, seed, player, sorted(chain(*records), key=lambda each: each[0]))
    return "refused some" if sum(refused) else "refused none"


def _replay(entry: Entry, seed: int, player: Any, record: list[Any]) -> None:
    twin = entry.make(seed)
    for number, (_, call, told) in enumerate(record):
        answer, error = None, None
        try:
            answer = call(twin)
        except Exception as raised:
            error = raised
        found = difference(told, _told(entry, twin, answer, error))
        assert not found, f"{entry.name}, call {number} of {len(record)}: {found[:500]}"
    found = difference(entry.state(player), entry.state(twin))
    assert not found, f"{entry.name}, in the end: {found[:500]}"


def _plan(
    entry: Entry, player: Any, rng: np.random.Generator, count: int, folder: Path
) -> list[Any]:
    """Random calls, each as a function of a recorder."""
    rounds = entry.kind.stream(40, seed=int(rng.integers(3)))
    names = _names(player)
    plan = []
    for _ in range(count):
        x, u = rounds[rng.integers(len(rounds))], rng.random()
        if u < 0.5:
            if isinstance(x, tuple) and isinstance(x[0], dict) and rng.random() < 0.3:
                x = ({name: Yielding(value) for name, value in x[0].items()}, *x[1:])
            plan.append(lambda recorder, x=x: entry.kind.feed(recorder, x))
        elif u < 0.65:
            plan.append(lambda recorder, x=x: entry.kind.ask(recorder, x))
        elif u < 0.75 and "batch" not in entry.without:
            first = int(rng.integers(len(rounds) - 3))
            part = rounds[first : first + int(rng.integers(1, 4))]
            plan.append(lambda recorder, part=part: entry.kind.many(recorder, part))
        elif u < 0.9:
            name = names[rng.integers(len(names))]
            plan.append(lambda recorder, name=name: _named(recorder, name))
        else:
            path = folder / str(rng.integers(2**62))
            plan.append(_copying(entry, _COPIES[rng.integers(len(_COPIES))], path))
    return plan


def _copying(entry: Entry, copied: Any, path: Path) -> Any:
    def call(player: Any) -> Any:
        return state_of(copied(player, path), entry.caches)

    return lambda recorder: recorder.call(call)


def _named(recorder: Recorder, name: str) -> None:
    found = getattr(recorder, name)
    if callable(found):
        found()


def _names(player: Any) -> list[str]:
    """What can be asked or called without an argument, rightly or not."""
    own = {
        name for kind in type(player).__mro__ if issubclass(kind, PROTECTED) for name in vars(kind)
    }
    kinds = (property, _core.Guarded)
    return sorted(
        name
        for name in own
        if name[0] != "_"
        and not name.startswith(_NOT_CALLED)
        and isinstance(inspect.getattr_static(type(player), name), kinds)
    )


def _saved(player: Any, path: Path) -> bytes:
    if not hasattr(type(player), "save"):
        return b""
    player.save(path)
    return path.read_bytes()


_COPIES = (
    _saved,
    lambda player, _: copy.deepcopy(player),
    lambda player, _: copy.copy(player),
    lambda player, _: pickle.loads(pickle.dumps(player)),
)


if __name__ == "__main__":
    sys.exit(main("threads", case))
