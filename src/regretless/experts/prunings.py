"""The prunings of trees and graphs: which is best, and what is proved of the regret to one."""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from typing import TypeAlias

import numpy as np

__all__ = ["THEOREM", "Edge", "best_cut", "bounds", "leaves_of"]

Edge: TypeAlias = tuple[Hashable, Hashable]  # the parent, None for the root, and the node
THEOREM = "Luo (2016), section 2.3.4"


def bounds(m: int, N: int, spread: float, logs: float) -> dict[str, float]:
    """The bounds on the regret to a pruning.

    Parameters: `m`, how many edges lead to its leaves; `N`, how many were used; `spread`, the sum of
    `C_e` over the m; `logs`, that of `1 + ln(1 + C_e)` over the N.

    >>> bounds(0, 0, 0.0, 0.0)
    {'Theorem 6': 0.0, 'Lemma 4': 0.0}
    """
    extra = 1.5 * logs  # N (B - 1) of Lemma 4
    by_theorem = math.log(N / m) + math.log1p(extra / N) + 1.0 if m else 0.0
    by_lemma = math.log1p(extra / m) if m else 0.0
    return {
        "Theorem 6": math.sqrt(3.0 * m * spread * by_theorem),
        "Lemma 4": math.sqrt(3.0 * m * spread * by_lemma),
    }


def leaves_of(cut: list[Edge]) -> list[Hashable]:
    """The nodes that the edges lead to, each once.

    >>> leaves_of([("a", "c"), ("b", "c")])
    ['c']
    """
    return list(dict.fromkeys(node for _, node in cut))


def best_cut(losses: Mapping[Edge, float], ends: Collection[Hashable]) -> list[Edge]:
    """The edges to the leaves of the best pruning: every path has exactly one of them.

    Parameters: `losses` of the edges; in a tree, each comes after the edge to its parent; `ends`, nodes
    that are not split further.

    >>> best_cut({(None, "a"): 3.0, ("a", "b"): 1.0, ("a", "c"): 1.0}, {"b", "c"})
    [('a', 'b'), ('a', 'c')]
    """
    if len({node for _, node in losses}) < len(losses):
        return _best_cut_of_graph(losses, ends)
    leaves: set[Hashable] = set()
    below: defaultdict[Hashable, float] = defaultdict(float)
    for (parent, node), loss in reversed(list(losses.items())):
        if node in ends or loss <= below[node]:
            leaves.add(node)
        below[parent] += loss if node in leaves else below[node]
    cut: list[Edge] = []
    inside: set[Hashable] = {None}
    for parent, node in losses:
        if parent in inside:
            if node in leaves:
                cut.append((parent, node))
            else:
                inside.add(node)
    return cut


def _best_cut_of_graph(losses: Mapping[Edge, float], ends: Collection[Hashable]) -> list[Edge]:
    """A least cut: h is 0 inside and 1 below, and never falls along an edge, so it is crossed once.

    The cost, the sum of `loss (h(node) - h(parent))`, is linear. It is the mean, over thresholds, of the
    costs of the cuts made where h passes a threshold, so all of them are best if h is.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    nodes: dict[Hashable, int] = {None: 0}
    for _, node in losses:
        nodes.setdefault(node, len(nodes))
    parents = [nodes[parent] for parent, _ in losses]
    children = [nodes[node] for _, node in losses]
    each, rows = list(losses.values()), np.arange(len(losses))
    cost = np.zeros(len(nodes))
    np.add.at(cost, children, each)
    np.subtract.at(cost, parents, each)
    signs = np.repeat([1.0, -1.0], len(rows))
    rising = coo_array((signs, (np.tile(rows, 2), np.concatenate([parents, children]))))
    fixed: dict[Hashable, tuple[int, int]] = {None: (0, 0)} | dict.fromkeys(ends, (1, 1))
    solved = linprog(
        cost, rising, np.zeros(len(rows)), bounds=[fixed.get(node, (0, 1)) for node in nodes]
    )
    inside = {node for node, h in zip(nodes, solved.x) if h < 0.5}
    return [edge for edge in losses if edge[0] in inside and edge[1] not in inside]
