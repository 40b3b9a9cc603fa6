"""A line of the table: a `Subject` of the public checks, and what the tests know besides."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from regretless.checks import Subject

__all__ = ["INF", "NAN", "Entry", "N"]

NAN, INF = math.nan, math.inf
N = 4  # experts, arms, coordinates or features
# From denormal numbers to the largest there are.
ALL_SIZES = (5e-324, 1e-310, 1e-150, 1e-40, 1e-20, 1e-12, 1e-9)
ALL_SIZES = (*ALL_SIZES, 1e9, 1e12, 1e18, 1e37, 1e60, 1e150, 1e300)


@dataclass(frozen=True)
class Entry(Subject):
    """A line of the table.

    `oracle` and `identity`: where they are tested, as "file::test" without "test_" and ".py"; `proof`:
    a stricter check of the certificate than the public one; `without`: what does not apply, each with
    the reason.
    """

    oracle: str
    identity: str = ""
    proof: Callable[["Entry"], None] | None = None
    words: str = field(default=".*(text|complex|missing)", kw_only=True)
    sizes: tuple[float, ...] = field(default=ALL_SIZES, kw_only=True)
    without: Mapping[str, str] = field(default_factory=dict, kw_only=True)
