"""Finite classes of hypotheses: functions from some points to the labels 0 and 1.

Shalev-Shwartz (2012), section 3.2.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.adversaries.examples import LittlestoneTree
from regretless.base.arguments import check_seed, one_of, shown, whole, within
from regretless.base.randomness import generator
from regretless.base.state import Parts, Stateful
from regretless.errors import NotRealizable, TooLarge

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


# --- shattered trees: how an adversary makes every learner of a class err -------------------------

# Shalev-Shwartz (2012), Definition 3.2.


class MistakeTree:
    """A complete binary tree of points; on every path some hypothesis gives the labels of its edges.

    The learner is asked at the root. Whatever it predicts, the label is the other one, and the game goes
    on in that child: as many mistakes as the tree is deep, although a hypothesis makes none
    (Shalev-Shwartz (2012), Lemma 3.2).

    Parameters
    ----------
    nodes : the points in heap order, level by level: below node i are `2 i + 1`, for label 0, and
        `2 i + 2`, for label 1 (the text counts from 1: `2 i` and `2 i + 1`).
    leaves : the name of a hypothesis for each path of labels.

    Attributes: `depth`, `nodes`, `leaves`.

    >>> from regretless.classes import SOA, FiniteClass
    >>> H = FiniteClass.thresholds(7)
    >>> tree = H.littlestone_tree()
    >>> tree.depth, tree.nodes, tree.leaves
    (3, (3, 5, 1, 6, 4, 2, 0), (7, 6, 5, 4, 3, 2, 1, 0))
    >>> tree.walk([0, 1, 0]), tree.leaf([0, 1, 0])
    ((3, 5, 4), 5)
    >>> from regretless.adversaries import play
    >>> play(SOA(H), tree.adversary(), rounds=10).loss
    3.0
    """

    def __init__(self, nodes: Sequence[Hashable], leaves: Sequence[Any]) -> None:
        if len(leaves) < 1 or len(leaves) & (len(leaves) - 1) or len(nodes) != len(leaves) - 1:
            raise ValueError(
                f"{len(nodes)} nodes and {len(leaves)} leaves are not a complete tree: it has "
                "2^depth leaves, and one node less"
            )
        self.nodes, self.leaves = tuple(nodes), tuple(leaves)
        self.depth = len(leaves).bit_length() - 1

    def _place(self, labels: Sequence[int]) -> int:
        if len(labels) > self.depth:
            raise ValueError(f"labels={list(labels)} are more than the tree is deep: {self.depth}")
        place = 0
        for y in labels:
            if y not in (0, 1):
                raise ValueError(f"labels={list(labels)} are not made of 0 and 1")
            place = 2 * place + 1 + int(y)
        return place

    def at(self, labels: Sequence[int]) -> Hashable:
        """The point that a path of fewer labels than the depth leads to; `()` is the root."""
        place = self._place(labels)
        if place >= len(self.nodes):
            raise ValueError(f"labels={list(labels)} lead to a leaf; see leaf(labels)")
        return self.nodes[place]

    def leaf(self, labels: Sequence[int]) -> Any:
        """The name of a hypothesis that says these labels along the path; as many as the depth."""
        place = self._place(labels)
        if place < len(self.nodes):
            raise ValueError(f"labels={list(labels)} lead to a point; see at(labels)")
        return self.leaves[place - len(self.nodes)]

    def walk(self, labels: Sequence[int]) -> tuple[Hashable, ...]:
        """The points where these labels are given, from the root on."""
        self._place(labels)
        return tuple(self.at(labels[:t]) for t in range(len(labels)))

    def adversary(self) -> LittlestoneTree:
        """An adversary for `adversaries.play` that walks down the tree and contradicts the learner."""
        if not self.depth:
            raise ValueError("the tree has no points: a single hypothesis forces no mistake")
        return LittlestoneTree(self.at, self.depth)

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, place: int) -> list[str]:
        if place >= len(self.nodes):
            return [f"hypothesis {self.leaves[place - len(self.nodes)]}"]
        lines = [str(self.nodes[place])]
        for label, (branch, beside) in enumerate((("├─", "│ "), ("└─", "  "))):
            first, *others = self._lines(2 * place + 1 + label)
            lines.append(f"{branch} {label} ─ {first}")
            lines += [f"{beside}     {line}" for line in others]
        return lines

    def __repr__(self) -> str:
        return f"MistakeTree(depth {self.depth})"

    def plot(self, ax: "Axes | None" = None, *, levels: int = 5) -> "Axes":
        """Draw the tree, or its upper `levels`; `ax`, where to, or a new picture.

        >>> from regretless.classes import FiniteClass
        >>> axes = FiniteClass.thresholds(7).littlestone_tree().plot()
        >>> axes.get_title(loc="left")
        'A shattered tree of depth 3: no deterministic learner avoids 3 mistakes'
        """
        from regretless.plots.players import mistake_tree

        return mistake_tree(self, ax, levels=levels)


# --- finite classes of hypotheses: functions from some points to the labels 0 and 1 ---------------

Ids = NDArray[np.uint32]  # some of the hypotheses, in rising order


class FiniteClass(Stateful, constant=True):
    """A finite set of hypotheses, each of which labels each of some points with 0 or 1.

    Hypotheses with the same labels at all points are one; the name of the first is kept.

    Parameters
    ----------
    table : a row for each hypothesis, a column for each point, of 0 and 1.
    points : the points, anything hashable, each once; 0, 1, 2, ... by default.
    names : of the hypotheses; 0, 1, 2, ... by default.

    Made by functions: `from_functions`. The classes of the texts: `thresholds`, `intervals`,
    `singletons`, `subsets`, `cube`, `conjunctions`, `k_term`, `parities`, `halfspaces`, `random`.
    At most 2^29 values, hypotheses times points, are enumerated.

    >>> H = FiniteClass([[0, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1]], points=["a", "b", "c"])
    >>> H, H.names, H.at("b")
    (FiniteClass(3 hypotheses, 3 points), (0, 1, 2), array([False,  True, False]))
    >>> H.restrict("a", 0).names
    (0, 1)
    """

    _not_copied = ("_found",)
    _found: _core.Littlestone | None
    points: tuple[Hashable, ...]
    names: tuple[Any, ...]

    def __init__(
        self,
        table: Any,
        points: Iterable[Hashable] | None = None,
        names: Iterable[Any] | None = None,
    ) -> None:
        values = np.asarray(table)
        if values.ndim != 2 or 0 in values.shape:
            raise ValueError(
                f"table has shape {values.shape}: it needs a row for each hypothesis and a column for "
                "each point, at least one of both"
            )
        check_size(*values.shape)
        if values.dtype != bool:
            wrong = ~np.isin(values, (0, 1))
            if wrong.any():
                at = tuple(np.argwhere(wrong)[0].tolist())
                raise ValueError(f"table[{at[0]}, {at[1]}] = {values[at]!r} is not 0 or 1")
            values = values == 1
        count, width = values.shape
        self.points = tuple(range(width) if points is None else points)
        self.names = tuple(range(count) if names is None else names)
        for given, wanted, what in ((self.points, width, "points"), (self.names, count, "names")):
            if len(given) != wanted:
                raise ValueError(f"{what} has {len(given)} entries for {wanted} of the table")
        for j, x in enumerate(self.points):
            if not isinstance(x, Hashable):
                raise ValueError(f"points[{j}] = {shown(x)} is not hashable; a tuple would be")
        self._index = {x: j for j, x in enumerate(self.points)}
        if len(self._index) < width:
            twice = next(x for j, x in enumerate(self.points) if self._index[x] != j)
            raise ValueError(f"points has {twice!r} twice: a point has one label")
        self._bits, self._found = _packed(values), None
        self._merge()

    def _merge(self) -> None:
        rows = self._bits.view(f"V{8 * self._bits.shape[1]}").ravel().tolist()
        first = {row: i for i, row in zip(range(len(rows) - 1, -1, -1), reversed(rows))}
        if len(first) < len(rows):
            kept = sorted(first.values())
            self._bits = np.ascontiguousarray(self._bits[kept])
            self.names = tuple(self.names[i] for i in kept)

    @classmethod
    def from_functions(
        cls,
        functions: Sequence[Callable[[Any], Any]] | Mapping[Any, Callable[[Any], Any]],
        points: Iterable[Hashable],
    ) -> Self:
        """The class of some functions, a sequence or a dict by name, on some points.

        >>> H = FiniteClass.from_functions({"tall": lambda x: x > 180, "any": lambda x: 1}, [160, 190])
        >>> H.names, H.table.astype(int).tolist()
        (('tall', 'any'), [[0, 1], [1, 1]])
        """
        named = functions if isinstance(functions, Mapping) else dict(enumerate(functions))
        where = tuple(points)
        table = np.array([[f(x) for x in where] for f in named.values()])
        return cls(table.reshape(len(named), len(where)), where, named)

    # --- the classes of the texts -------------------------------------------------------------------

    @classmethod
    def thresholds(cls, n: int) -> Self:
        """`h_a(x) = 1[x >= a]` for a = 0, ..., n on the points 0, ..., n - 1.

        Shalev-Shwartz (2012), Example 3.3.

        The Littlestone dimension is `floor(log2(n + 1))`, the VC dimension 1.

        >>> littlestone_dimension(FiniteClass.thresholds(1000))
        9
        """
        check_size(whole(n, "n") + 1, n)
        return cls(np.arange(n) >= np.arange(n + 1)[:, None])

    @classmethod
    def intervals(cls, n: int) -> Self:
        """`1[a <= x < b]` for 0 <= a < b <= n on the points 0, ..., n - 1, and the empty one.

        Their names are `(a, b)`. The VC dimension is 2.

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

        >>> littlestone_dimension(FiniteClass.singletons(100))
        1
        """
        check_size(whole(n, "n"), n)
        return cls(np.eye(n, dtype=bool))

    @classmethod
    def subsets(cls, n: int, k: int) -> Self:
        """All functions on n points that say 1 at most k times: both dimensions are k.

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

        >>> littlestone_dimension(FiniteClass.cube(16))
        16
        """
        check_size(_power(2, n), n)
        return cls(_bits(n))

    @classmethod
    def parities(cls, n: int) -> Self:
        """`sum_{i in S} x_i mod 2` for all S, on the points of {0, 1}^n: both dimensions are n.

        >>> FiniteClass.parities(2).points
        ((0, 0), (1, 0), (0, 1), (1, 1))
        """
        check_size(_power(2, n), _power(2, n))
        points = _bits(n).astype(np.int64)
        return cls(points @ points.T % 2 == 1, _tuples(points), _tuples(points))

    @classmethod
    def conjunctions(cls, n: int) -> Self:
        """Conjunctions of some of n variables or their negations, on {0, 1}^n; "false" is one, too.

        >>> FiniteClass.conjunctions(1).names
        ('false', 'not x0', 'x0', 'true')
        """
        return cls.k_term(n, 1)

    @classmethod
    def k_term(cls, n: int, k: int) -> Self:
        """Formulas with at most k terms, each a conjunction of literals of n variables, on {0, 1}^n.

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

        >>> [len(FiniteClass.halfspaces(n)) for n in (1, 2, 3, 4)]
        [2, 14, 58, 174]
        """
        check_size(max(2, 3 * whole(n, "n") ** 4), n * n)  # fewer: a line for each pair of points
        points = np.array(list(itertools.product(range(n), repeat=2)))
        return cls(np.array(list(_divided(points, n))), _tuples(points))

    @classmethod
    def random(cls, hypotheses: int, points: int, *, density: float = 0.5, seed: int = 0) -> Self:
        """Labels that are 1 with probability `density`, drawn one by one; equal hypotheses are merged.

        >>> H = FiniteClass.random(200, 30, seed=0)
        >>> vc_dimension(H), littlestone_dimension(H)
        (6, 7)
        """
        check_size(whole(hypotheses, "hypotheses"), whole(points, "points"))
        within(density, "density", "[0, 1]")
        draw = generator(check_seed(seed), "labels").random((hypotheses, points))
        return cls(draw < density)

    # --- what they say -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._bits)

    @property
    def table(self) -> NDArray[np.bool_]:
        """A row for each hypothesis, a column for each point."""
        return self.rows(np.arange(len(self)))

    def rows(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """The rows of the table of some hypotheses, which are given by their numbers."""
        octets = self._bits[ids].view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(self.points), bitorder="little")
        return bits.view(np.bool_)

    def column(self, x: Hashable) -> int:
        """The number of the column of a point."""
        try:
            return self._index[x]
        except (KeyError, TypeError):
            raise ValueError(
                f"x={shown(x)} is none of the {len(self.points)} points of the class"
            ) from None

    def says(self, column: int, ids: Ids | None = None) -> NDArray[np.bool_]:
        """The labels of hypotheses, by default all, at the point of a column."""
        words = self._bits[:, column // 64] if ids is None else self._bits[ids, column // 64]
        return (words >> np.uint64(column % 64) & np.uint64(1)).astype(np.bool_)

    def at(self, x: Hashable) -> NDArray[np.bool_]:
        """The label of each hypothesis at a point."""
        return self.says(self.column(x))

    def advice(self, xs: Iterable[Hashable]) -> NDArray[np.bool_]:
        """A row for each x, with the label of each hypothesis: for `Halving`, `Consistent` or `Hedge`.

        >>> from regretless.experts import Halving
        >>> H = FiniteClass.thresholds(7)
        >>> int(Halving(len(H)).run(H.advice([3, 5, 4]), [0, 1, 0]).loss)
        1
        """
        columns = [self.says(self.column(x)) for x in xs]
        return np.array(columns, bool).reshape(len(columns), len(self))

    def restrict(self, x: Hashable, label: int) -> "FiniteClass":
        """The hypotheses that say `label` at x: a version space, on the same points."""
        one_of(label, "label", (0, 1))
        agree = np.flatnonzero(self.at(x) == bool(label))
        if not len(agree):
            raise NotRealizable(f"no hypothesis says {label} at x={x!r}")
        return self._subclass(agree.astype(np.uint32))

    def _subclass(self, ids: Ids) -> "FiniteClass":
        part = FiniteClass.__new__(FiniteClass)
        part.points, part._index, part._found = self.points, self._index, None
        part._bits = np.ascontiguousarray(self._bits[ids])
        part.names = tuple(self.names[i] for i in ids)
        return part

    # --- how hard they are to learn ----------------------------------------------------------------

    @property
    def _search(self) -> _core.Littlestone:
        if self._found is None:
            self._found = _core.Littlestone(self._bits, len(self.points))
        return self._found

    def everybody(self) -> Ids:
        """The numbers of all hypotheses."""
        return np.arange(len(self), dtype=np.uint32)

    def dimension_of(self, ids: Ids, limit: int = LIMIT) -> int:
        """The Littlestone dimension of some hypotheses; results for other version spaces are reused."""
        lower, upper = self._search.dimension(ids, whole(limit, "limit"))
        if lower < upper:
            raise TooLarge("Littlestone", len(ids), len(self.points), lower, upper, limit)
        return lower

    def littlestone_tree(self, *, limit: int = LIMIT) -> MistakeTree:
        """A deepest shattered tree, which proves the `littlestone_dimension`.

        Parameters: `limit`, as there.

        >>> print(FiniteClass.thresholds(3).littlestone_tree())
        1
        ├─ 0 ─ 2
        │      ├─ 0 ─ hypothesis 3
        │      └─ 1 ─ hypothesis 2
        └─ 1 ─ 0
               ├─ 0 ─ hypothesis 1
               └─ 1 ─ hypothesis 0
        """
        depth = self.dimension_of(self.everybody(), limit)
        nodes, leaves = self._search.tree(self.everybody(), depth, limit)
        if len(leaves) < 2**depth:
            raise ValueError(
                f"the dimension is {depth}, but no tree that shows it was found within limit={limit:,} "
                "version spaces; give a larger limit"
            )
        return MistakeTree([self.points[j] for j in nodes], [self.names[i] for i in leaves])

    def shattered_set(self, *, limit: int = LIMIT) -> tuple[Hashable, ...]:
        """A largest set of points that are labelled in all ways, which proves the `vc_dimension`.

        Parameters: `limit`, as there.

        >>> FiniteClass.intervals(5).shattered_set()
        (0, 1)
        """
        lower, upper, chosen = _core.vc_dimension(
            self._bits, len(self.points), whole(limit, "limit")
        )
        if lower < upper:
            raise TooLarge("VC", len(self), len(self.points), lower, upper, limit, "sets of points")
        return tuple(self.points[j] for j in chosen)

    # --- state -------------------------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"table": self.table, "points": self.points, "names": self.names}
        for name in ("points", "names"):
            if options[name] == tuple(range(len(options[name]))):
                options[name] = None  # as they are by default
        return options

    def _learned(self) -> dict[str, Any]:
        return {}

    def _restore(self, parts: Parts) -> None:
        """Restore the state, which is empty: a class has only its options."""

    def __repr__(self) -> str:
        return f"FiniteClass({len(self):,} hypotheses, {len(self.points):,} points)"


def _packed(values: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of words of 64 bits, the first point in the lowest."""
    octets = np.packbits(values, axis=1, bitorder="little")
    words = np.zeros((len(values), (values.shape[1] + 63) // 64 * 8), np.uint8)
    words[:, : octets.shape[1]] = octets
    return words.view(np.uint64)


def _power(base: int, n: int) -> int:
    """`base^n`, or a number that is too large anyway."""
    return int(base ** min(whole(n, "n"), 60))


def _combinations(n: int, k: int) -> int:
    """How many sets of at most k among n there are, or a number that is too large anyway."""
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
    """The labels by lines through two points, or nearly: every line can be turned into such a one."""
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


# --- how hard a class is to learn: the Littlestone and the Vapnik-Chervonenkis dimension ----------


def littlestone_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The depth of the deepest tree that the class shatters: how many mistakes must be made.

    No deterministic learner makes fewer on every sequence that some hypothesis labels, and `SOA` never
    makes more (Shalev-Shwartz (2012), Lemmas 3.2, 3.3). It is found by

        Ldim(V) = max_x 1 + min(Ldim(V_x0), Ldim(V_x1)),  0 for a single hypothesis, -1 for none

    with `VC(H) <= Ldim(H) <= log2 |H|`. `H.littlestone_tree()` shows it. Results for version spaces are
    kept with the class.

    Parameters: `H`; `limit`, how many version spaces may be split before `TooLarge` is raised, which
    gives bounds on the dimension. With at most 16 points that split the class differently it is always
    found.

    >>> H = FiniteClass.random(60_000, 16, seed=0)  # some of which are equal
    >>> littlestone_dimension(H), littlestone_dimension(FiniteClass.intervals(100))
    (15, 11)
    """
    return _checked(H).dimension_of(H.everybody(), limit)


def vc_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The size of the largest set of points that the class labels in all ways: `H.shattered_set()`.

    Parameters: `H`; `limit`, how many sets of points may be looked at before `TooLarge` is raised.

    >>> vc_dimension(FiniteClass.thresholds(100)), vc_dimension(FiniteClass.halfspaces(4))
    (1, 3)
    """
    return len(_checked(H).shattered_set(limit=limit))


def _checked(H: FiniteClass) -> FiniteClass:
    if not isinstance(H, FiniteClass):
        raise ValueError(
            f"H={shown(H)} is not a FiniteClass; FiniteClass(table) makes one of 0 and 1"
        )
    return H
