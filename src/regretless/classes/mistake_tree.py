"""Shattered trees: how an adversary makes every learner of a class err.

Shalev-Shwartz (2012), Definition 3.2.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from regretless.adversaries.labels import LittlestoneTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MistakeTree"]


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
        from regretless.plots.trees import mistake_tree

        return mistake_tree(self, ax, levels=levels)
