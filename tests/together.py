"""One test for many small checks: thousands of tests of a millisecond each are slow to run."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["all_of"]


def all_of(items: Iterable[Any], name: Callable[[Any], str] = str) -> Callable[..., Any]:
    """Check all items in one test, which fails with the names of those for which the check fails.

    >>> @all_of([1, 2, 3, 4])
    ... def test_is_odd(number):
    ...     assert number % 2, "it is even"
    >>> test_is_odd()
    Traceback (most recent call last):
    AssertionError: 2 of 4 fail
    2: it is even
    4: it is even
    """
    checked = list(items)
    assert checked, "there is nothing to check"

    def together(check: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            failed = []
            for item in checked:
                try:
                    check(item)
                except Exception as error:
                    failed.append(f"{name(item)}: {error}")
            if failed:
                raise AssertionError("\n".join([f"{len(failed)} of {len(checked)} fail", *failed]))

        functools.update_wrapper(test, check)
        del test.__wrapped__  # or pytest would look for the fixture that the check's argument names
        return test

    return together
