"""Finite classes of hypotheses: functions from some points to the labels 0 and 1.

Shalev-Shwartz (2012), section 3.2.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.adversaries.examples import LittlestoneTree
from regretless.base.arguments import one_of, shown, whole
from regretless.base.state import Parts, Stateful
from regretless.classes.generators import LIMIT, Generated, check_size
from regretless.errors import NotRealizable, TooLarge

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- shattered trees: how an adversary makes every learner of a class err -------------------------

# Shalev-Shwartz (2012), Definition 3.2.


class MistakeTree:
    """A complete binary tree of points; on every path some hypothesis says the labels of its edges.

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
                f"{len(nodes)} nodes and {len(leaves)} leaves make no complete tree: there are "
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
        """One who walks down the tree and always says the opposite, for `adversaries.play`."""
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


class FiniteClass(Generated, Stateful, constant=True):
    """Hypotheses, each of which says 0 or 1 at each of some points.

    Hypotheses that say the same at all points are one; the name of the first is kept.

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

    _not_copied = ("_search",)
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
        self._bits = _packed(values)
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

    # --- what they say -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._bits)

    @property
    def table(self) -> NDArray[np.bool_]:
        """A row for each hypothesis, a column for each point."""
        return self._rows(np.arange(len(self)))

    def _rows(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        octets = self._bits[ids].view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(self.points), bitorder="little")
        return bits.view(np.bool_)

    def _column(self, x: Hashable) -> int:
        try:
            return self._index[x]
        except (KeyError, TypeError):
            raise ValueError(
                f"x={shown(x)} is none of the {len(self.points)} points of the class"
            ) from None

    def _says(self, column: int, ids: Ids | None = None) -> NDArray[np.bool_]:
        words = self._bits[:, column // 64] if ids is None else self._bits[ids, column // 64]
        return (words >> np.uint64(column % 64) & np.uint64(1)).astype(np.bool_)

    def at(self, x: Hashable) -> NDArray[np.bool_]:
        """What each hypothesis says at a point."""
        return self._says(self._column(x))

    def advice(self, xs: Iterable[Hashable]) -> NDArray[np.bool_]:
        """A row for each x, what each hypothesis says there: for `Halving`, `Consistent` or `Hedge`.

        >>> from regretless.experts import Halving
        >>> H = FiniteClass.thresholds(7)
        >>> int(Halving(len(H)).run(H.advice([3, 5, 4]), [0, 1, 0]).loss)
        1
        """
        columns = [self._says(self._column(x)) for x in xs]
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
        part.points, part._index = self.points, self._index
        part._bits = np.ascontiguousarray(self._bits[ids])
        part.names = tuple(self.names[i] for i in ids)
        return part

    # --- how hard they are to learn ----------------------------------------------------------------

    @cached_property
    def _search(self) -> _core.Littlestone:
        return _core.Littlestone(self._bits, len(self.points))

    def _everybody(self) -> Ids:
        return np.arange(len(self), dtype=np.uint32)

    def _dimension(self, ids: Ids, limit: int = LIMIT) -> int:
        """The Littlestone dimension of a version space; what was found of others helps."""
        lower, upper = self._search.dimension(ids, whole(limit, "limit"))
        if lower < upper:
            raise TooLarge("Littlestone", len(ids), len(self.points), lower, upper, limit)
        return lower

    def littlestone_tree(self, *, limit: int = LIMIT) -> MistakeTree:
        """A shattered tree as deep as any, which shows `littlestone_dimension`.

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
        depth = self._dimension(self._everybody(), limit)
        nodes, leaves = self._search.tree(self._everybody(), depth, limit)
        if len(leaves) < 2**depth:
            raise ValueError(
                f"the dimension is {depth}, but no tree that shows it was found within limit={limit:,} "
                "version spaces; give a larger limit"
            )
        return MistakeTree([self.points[j] for j in nodes], [self.names[i] for i in leaves])

    def shattered_set(self, *, limit: int = LIMIT) -> tuple[Hashable, ...]:
        """The most points that the hypotheses give all labels, which shows `vc_dimension`.

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
        """There is nothing to take back: a class has no state besides its options."""

    def __repr__(self) -> str:
        return f"FiniteClass({len(self):,} hypotheses, {len(self.points):,} points)"


def _packed(values: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of words of 64 bits, the first point in the lowest."""
    octets = np.packbits(values, axis=1, bitorder="little")
    words = np.zeros((len(values), (values.shape[1] + 63) // 64 * 8), np.uint8)
    words[:, : octets.shape[1]] = octets
    return words.view(np.uint64)


# --- how hard a class is to learn: the Littlestone and the Vapnik-Chervonenkis dimension ----------


def littlestone_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The depth of the deepest tree that the class shatters: how many mistakes must be made.

    No deterministic learner makes fewer on every sequence that some hypothesis labels, and `SOA` never
    makes more (Shalev-Shwartz (2012), Lemmas 3.2, 3.3). It is found by

        Ldim(V) = max_x 1 + min(Ldim(V_x0), Ldim(V_x1)),  0 for a single hypothesis, -1 for none

    with `VC(H) <= Ldim(H) <= log2 |H|`. `H.littlestone_tree()` shows it. What was found of version
    spaces is kept with the class.

    Parameters: `H`; `limit`, how many version spaces may be split before `TooLarge` is raised, which
    says between which numbers the dimension is. With at most 16 points that split the class
    differently it is always found.

    >>> H = FiniteClass.random(60_000, 16, seed=0)  # some of which are equal
    >>> littlestone_dimension(H), littlestone_dimension(FiniteClass.intervals(100))
    (15, 11)
    """
    return _checked(H)._dimension(H._everybody(), limit)


def vc_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The most points that the class gives all labels. `H.shattered_set()` are such points.

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
