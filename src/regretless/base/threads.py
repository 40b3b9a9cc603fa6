"""One object, one thread: a second one is refused instead of spoiling what the first is at work on.

Methods are not atomic: between any two of their steps, and while the core works without the GIL, another
thread may run. So every call takes a turn on its object (`core/bind/turns.hpp`) before it looks at
anything, and gives it back when it ends. Calls within a call, of the same thread, are part of its turn.
"""

import copy
import copyreg
import types
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from regretless import _core

F = TypeVar("F", bound=Callable[..., Any])

# Besides public methods and properties. `__repr__` is not among them: debuggers print objects whatever
# happens; it shows options only. `__init__` needs no turn, but its arguments are looked at as those of
# all others.
_SPECIAL = frozenset(
    f"__{name}__"
    for name in (
        *("init", "getstate", "setstate", "deepcopy", "reduce_ex", "copy", "sizeof"),
        *("call", "contains", "eq", "getitem", "hash", "iter", "len"),
    )
)


def in_turn(method: F) -> F:
    """Let the calls of a private method take a turn as those of public ones do."""
    return _core.Guarded(method)  # type: ignore[return-value]


def in_core(method: F) -> F:
    """Leave a method without a turn of its own, because it is quick and the core takes the turn.

    Until it calls the core, once, it must look at nothing that another thread could change under it.
    The engine must know its owner: `engine.belongs_to(self)`.
    """
    method.is_in_core = True  # type: ignore[attr-defined]
    return method


def of_options(method: F) -> F:
    """Leave a method to all threads, because it looks only at what never changes.

    Programs that try many options copy one learner from several threads, and rightly so.
    """
    method.is_of_options = True  # type: ignore[attr-defined]
    return method


class OneThread:
    """The base of everything that keeps state: a second thread is refused until the first is done.

    Public methods, properties and the special methods that copy, pickle or look inside are wrapped when
    a subclass is made. Public attributes that calls change are named there.

    >>> import threading
    >>> class Counter(OneThread, changing=("count",)):
    ...     def __init__(self):
    ...         self.count = 0
    ...
    ...     def add(self, wait=lambda: None):
    ...         before = self.count
    ...         wait()
    ...         self.count = before + 1
    >>> counter, begun, done = Counter(), threading.Event(), threading.Event()
    >>> other = threading.Thread(target=counter.add, args=(lambda: begun.set() or done.wait(),))
    >>> other.start(), begun.wait()
    (None, True)
    >>> counter.add()
    Traceback (most recent call last):
    RuntimeError: Counter is in use by another thread; give each thread its own, or use a lock
    >>> done.set(), other.join(), counter.add(), counter.count
    (None, None, None, 2)
    """

    def __init_subclass__(
        cls,
        changing: Sequence[str] = (),
        in_core: bool = True,
        constant: bool = False,
        **options: Any,
    ) -> None:
        """Wrap what the class defines.

        Parameters: `changing`, public attributes that calls change; `in_core=False`, if the work of
        methods that are `in_core` is not done there, so that they are wrapped, too; `constant`, if no
        method changes anything, so that all threads may call them at the same time.
        """
        super().__init_subclass__(**options)
        if constant:
            return
        inherited = {} if in_core else {k: getattr(cls, k) for k in dir(cls) if _is_in_core(cls, k)}
        for name, value in (inherited | vars(cls)).items():
            if name[0] != "_" or name in _SPECIAL:
                wrapped = _wrapped(value, in_core)
                if wrapped is not value:
                    setattr(cls, name, wrapped)
        for name in changing:
            setattr(cls, name, _core.Changing(name))

    # A copy shares nothing with the original, and neither a copy nor a pickle is taken while another
    # thread changes what it is made of.

    @in_turn
    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @in_turn
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        _give(other, copy.deepcopy(self.__getstate__(), memo))
        return other

    @in_turn
    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        kept = copy.deepcopy(self.__getstate__(), {id(self): self})
        return copyreg.__newobj__, (type(self),), kept  # type: ignore[attr-defined]


def _give(other: Any, kept: Any) -> None:
    if hasattr(other, "__setstate__"):
        other.__setstate__(kept)
    elif kept:
        other.__dict__.update(kept)


def _is_in_core(cls: type, name: str) -> bool:
    return getattr(getattr(cls, name, None), "is_in_core", False)


def _wrapped(value: Any, in_core: bool) -> Any:
    if isinstance(value, property):
        first, second, third = (_wrapped(f, in_core) for f in (value.fget, value.fset, value.fdel))
        return property(first, second, third, value.__doc__)
    if not isinstance(value, types.FunctionType) or hasattr(value, "is_of_options"):
        return value
    if in_core and hasattr(value, "is_in_core"):
        return value
    return _core.Guarded(value)
