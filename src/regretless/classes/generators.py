"""The finite classes that the texts speak of."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import check_seed, whole, within
from regretless.base.randomness import generator
from regretless.errors import TooLarge

# --- how much is enumerated, and the error that says how far it came ------------------------------

LIMIT = 1_000_000  # version spaces, or sets of points
_VALUES = 2**29


def check_size(hypotheses: int, points: int) -> None:
    """Refuse a class that is too large to enumerate.

    >>> check_size(2**40, 40)
    Traceback (most recent call last):
    regretless.errors.TooLarge: 1,099,511,627,776 hypotheses on 40 points are too many to ...
    """
    if hypotheses * points > _VALUES:
        many, wide = (f"{n:,}" if n < 10**15 else "10^15 or more" for n in (hypotheses, points))
        raise TooLarge(
            f"{many} hypotheses on {wide} points are too many to enumerate: at most "
            f"{_VALUES:,} values, hypotheses times points"
        )


# --- the finite classes that the texts speak of ---------------------------------------------------


class Generated:
    """Ways to make a `FiniteClass`, which inherits them."""

    def __init__(self, table: Any, points: Any = None, names: Any = None) -> None:
        raise NotImplementedError

    @classmethod
    def thresholds(cls, n: int) -> Self:
        """`h_a(x) = 1[x >= a]` for a = 0, ..., n on the points 0, ..., n - 1.

        Shalev-Shwartz (2012), Example 3.3.

        The Littlestone dimension is `floor(log2(n + 1))`, the VC dimension 1.

        >>> from regretless.classes import FiniteClass, littlestone_dimension
        >>> littlestone_dimension(FiniteClass.thresholds(1000))
        9
        """
        check_size(whole(n, "n") + 1, n)
        return cls(np.arange(n) >= np.arange(n + 1)[:, None])

    @classmethod
    def intervals(cls, n: int) -> Self:
        """`1[a <= x < b]` for 0 <= a < b <= n on the points 0, ..., n - 1, and the empty one.

        Their names are `(a, b)`. The VC dimension is 2.

        >>> from regretless.classes import FiniteClass
        >>> FiniteClass.intervals(3).names
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
        """
        check_size(whole(n, "n") * (n + 1) // 2 + 1, n)
        names = [(0, 0), *itertools.combinations(range(n + 1), 2)]
        ends, x = np.array(names), np.arange(n)
        return cls((x >= ends[:, :1]) & (x < ends[:, 1:]), None, names)

    @classmethod
    def singletons(cls, n: int) -> Self:
        """`h_j(x) = 1[x = j]` on n points: Littlestone dimension 1, if n >= 2.

        Shalev-Shwartz (2012), Example 3.2.

        >>> from regretless.classes import FiniteClass, littlestone_dimension
        >>> littlestone_dimension(FiniteClass.singletons(100))
        1
        """
        check_size(whole(n, "n"), n)
        return cls(np.eye(n, dtype=bool))

    @classmethod
    def subsets(cls, n: int, k: int) -> Self:
        """All functions on n points that say 1 at most k times: both dimensions are k.

        >>> from regretless.classes import FiniteClass, littlestone_dimension
        >>> littlestone_dimension(FiniteClass.subsets(20, 3))
        3
        """
        check_size(_combinations(whole(n, "n"), k), n)
        sets = [s for size in range(k + 1) for s in itertools.combinations(range(n), size)]
        table = np.zeros((len(sets), n), bool)
        for row, chosen in zip(table, sets):
            row[list(chosen)] = True
        return cls(table, None, sets)

    @classmethod
    def cube(cls, n: int) -> Self:
        """All functions on n points: both dimensions are n.

        >>> from regretless.classes import FiniteClass, littlestone_dimension
        >>> littlestone_dimension(FiniteClass.cube(16))
        16
        """
        check_size(_power(2, n), n)
        return cls(_bits(n))

    @classmethod
    def parities(cls, n: int) -> Self:
        """`sum_{i in S} x_i mod 2` for all S, on the points of {0, 1}^n: both dimensions are n.

        >>> from regretless.classes import FiniteClass
        >>> FiniteClass.parities(2).points
        ((0, 0), (1, 0), (0, 1), (1, 1))
        """
        check_size(_power(2, n), _power(2, n))
        points = _bits(n).astype(np.int64)
        return cls(points @ points.T % 2 == 1, _tuples(points), _tuples(points))

    @classmethod
    def conjunctions(cls, n: int) -> Self:
        """Conjunctions of some of n variables or their negations, on {0, 1}^n; "false" is one, too.

        >>> from regretless.classes import FiniteClass
        >>> FiniteClass.conjunctions(1).names
        ('false', 'not x0', 'x0', 'true')
        """
        return cls.k_term(n, 1)

    @classmethod
    def k_term(cls, n: int, k: int) -> Self:
        """Formulas with at most k terms, each a conjunction of literals of n variables, on {0, 1}^n.

        >>> from regretless.classes import FiniteClass
        >>> H = FiniteClass.k_term(2, 2)
        >>> len(H), H.names[:3]  # equal ones are merged
        (16, ('false', 'not x0 and not x1', 'not x0 and x1'))
        """
        check_size(_combinations(_power(3, n), k), _power(2, n))
        points = _bits(n)
        terms, names = [], []
        for literals in itertools.product((0, 1, None), repeat=n):
            asked = {i: value for i, value in enumerate(literals) if value is not None}
            terms.append((points[:, list(asked)] == list(asked.values())).all(axis=1))
            said = [f"x{i}" if value else f"not x{i}" for i, value in asked.items()]
            names.append(" and ".join(said) or "true")
        chosen = [c for j in range(k + 1) for c in itertools.combinations(range(len(terms)), j)]
        rows = np.array(terms)
        table = np.array([rows[list(some)].any(axis=0) for some in chosen])
        formulas = [" or ".join(names[t] for t in some) or "false" for some in chosen]
        return cls(table, _tuples(points.astype(np.int64)), formulas)

    @classmethod
    def halfspaces(cls, n: int) -> Self:
        """All ways in which a line divides the grid {0, ..., n - 1}^2; the VC dimension is 3, if n > 1.

        On the whole plane the Littlestone dimension is infinite (Shalev-Shwartz (2012), section
        3.3); here it grows with n.

        >>> from regretless.classes import FiniteClass
        >>> [len(FiniteClass.halfspaces(n)) for n in (1, 2, 3, 4)]
        [2, 14, 58, 174]
        """
        check_size(max(2, 3 * whole(n, "n") ** 4), n * n)  # fewer: a line for each pair of points
        points = np.array(list(itertools.product(range(n), repeat=2)))
        return cls(np.array(list(_divided(points, n))), _tuples(points))

    @classmethod
    def random(cls, hypotheses: int, points: int, *, density: float = 0.5, seed: int = 0) -> Self:
        """Labels that are 1 with probability `density`, drawn one by one; equal hypotheses are merged.

        >>> from regretless.classes import FiniteClass, littlestone_dimension, vc_dimension
        >>> H = FiniteClass.random(200, 30, seed=0)
        >>> vc_dimension(H), littlestone_dimension(H)
        (6, 7)
        """
        check_size(whole(hypotheses, "hypotheses"), whole(points, "points"))
        within(density, "density", "[0, 1]")
        draw = generator(check_seed(seed), "labels").random((hypotheses, points))
        return cls(draw < density)


def _power(base: int, n: int) -> int:
    """`base^n`, or what is too large anyway."""
    return int(base ** min(whole(n, "n"), 60))


def _combinations(n: int, k: int) -> int:
    """How many sets of at most k among n there are, or what is too large anyway."""
    total = 0
    for size in range(min(whole(k, "k"), n) + 1):
        total += math.comb(n, size)
        if total > 2**60:
            break
    return total


def _bits(n: int) -> NDArray[np.bool_]:
    """All 0-1 vectors of length n, the first entry changing fastest."""
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


def _tuples(rows: NDArray[Any]) -> list[tuple[int, ...]]:
    return [tuple(row) for row in rows.tolist()]


def _divided(points: NDArray[np.int64], n: int) -> Iterator[NDArray[np.bool_]]:
    """A line can be turned until it goes through two points, or nearly: it parts those on it."""
    everything = np.ones(len(points), bool)
    yield from (everything, ~everything)
    for dx, dy in itertools.product(range(1 - n, n), repeat=2):
        if math.gcd(dx, dy) != 1:
            continue
        across, along = points @ (-dy, dx), points @ (dx, dy)
        for offset in np.unique(across):
            on = across == offset
            for place in along[on]:
                yield (across > offset) | (on & (along >= place))
