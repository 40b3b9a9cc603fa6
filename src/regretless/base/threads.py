"""Protection of objects from use by two threads at the same time: the second one gets an error.

Methods are not atomic: another thread can run between any two steps, and while the core works without
the GIL. So every call takes a turn on its object (`core/bind/turns.hpp`) before it reads anything, and
gives it back at the end. Calls of the same thread within a call belong to its turn.
"""

import copy
import copyreg
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from regretless import _core

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

# The special methods that take a turn, besides public methods and properties. `__repr__` does not,
# because it reads options only, and debuggers must be able to print objects at any time. `__init__`
# needs no turn, but its arguments are checked like those of other methods.
_SPECIAL = frozenset(
    f"__{name}__"
    for name in (
        *("init", "getstate", "setstate", "deepcopy", "reduce_ex", "copy", "sizeof"),
        *("call", "contains", "eq", "getitem", "hash", "iter", "len"),
    )
)


def in_turn(method: F) -> F:
    """Make calls of a private method take a turn, as those of public methods do."""
    return _core.Guarded(method)  # type: ignore[return-value]


def in_core(method: F) -> F:
    """Mark a quick method, whose turn is taken by the core to save time.

    The method must call the core once, and before that call it may read only what another thread cannot
    change. The engine must know its owner: `engine.belongs_to(self)`.
    """
    method.is_in_core = True  # type: ignore[attr-defined]
    return method


def of_options(method: F) -> F:
    """Mark a method that all threads may call at the same time, because it reads options only.

    Searches for good options clone one learner from several threads.
    """
    method.is_of_options = True  # type: ignore[attr-defined]
    return method


def protect(
    cls: type, changing: Sequence[str] = (), in_core: bool = True, constant: bool = False
) -> None:
    """Make the methods and properties that a class defines take turns.

    Parameters: `changing`, public attributes that calls change; `in_core=False` also wraps inherited
    methods that are `in_core`, for classes that do their work in Python; `constant=True` wraps nothing,
    and takes back what a base has wrapped, for classes whose objects never change, so that all threads
    may use them.
    """
    if constant:
        for name in dir(cls):
            inherited = inspect.getattr_static(cls, name)
            if isinstance(inherited, _core.Guarded):
                setattr(cls, name, inherited.__wrapped__)  # type: ignore[attr-defined]
        return
    inherited = {} if in_core else {k: getattr(cls, k) for k in dir(cls) if _is_in_core(cls, k)}
    for name, value in (inherited | vars(cls)).items():
        if name[0] != "_" or name in _SPECIAL:
            wrapped = _wrapped(value, in_core)
            if wrapped is not value:
                setattr(cls, name, wrapped)
    for name in changing:
        setattr(cls, name, _core.Changing(name))


# A copy shares nothing with the original. Copies and pickles take a turn, so that no other thread
# changes the object meanwhile.


@in_turn
def copied(self: T) -> T:
    """The method `__copy__` of a protected class."""
    return copy.deepcopy(self)


@in_turn
def deeply_copied(self: T, memo: dict[int, Any]) -> T:
    """The method `__deepcopy__` of a protected class."""
    other = type(self).__new__(type(self))
    memo[id(self)] = other
    _give(other, copy.deepcopy(self.__getstate__(), memo))
    return other


@in_turn
def reduced(self: object, _protocol: Any) -> tuple[Any, ...]:
    """The method `__reduce_ex__` of a protected class."""
    kept = copy.deepcopy(self.__getstate__(), {id(self): self})
    return copyreg.__newobj__, (type(self),), kept  # type: ignore[attr-defined]


class OneThread:
    """The base of objects that change but have no options: one thread uses them, others get an error.

    Objects with options are `Stateful`, which protects them in the same way. Public methods, properties
    and the special methods that copy, pickle or read an object are wrapped when its class is made: see
    `protect`, which has the arguments of a subclass.

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

    __copy__, __deepcopy__, __reduce_ex__ = copied, deeply_copied, reduced

    def __init_subclass__(cls, changing: Sequence[str] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        protect(cls, changing)


def _give(other: Any, kept: Any) -> None:
    """Give a new object the state of another one."""
    if hasattr(other, "__setstate__"):
        other.__setstate__(kept)
    elif kept:
        other.__dict__.update(kept)


def _is_in_core(cls: type, name: str) -> bool:
    return getattr(getattr(cls, name, None), "is_in_core", False)


def _wrapped(value: Any, in_core: bool) -> Any:
    """A method or property that takes a turn; other values unchanged."""
    if isinstance(value, property):
        first, second, third = (_wrapped(f, in_core) for f in (value.fget, value.fset, value.fdel))
        return property(first, second, third, value.__doc__)
    if not isinstance(value, types.FunctionType) or hasattr(value, "is_of_options"):
        return value
    if in_core and hasattr(value, "is_in_core"):
        return value
    return _core.Guarded(value)
