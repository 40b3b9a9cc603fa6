"""Trees and graphs of tests for `BestPruning`: given, from scikit-learn, from River."""

import copy
import graphlib
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from regretless.base.arguments import number, shown


class Tree(Protocol):
    """What tells the path of an example. It may also have `value(node)`, the prediction there."""

    def path(self, x: Any) -> Sequence[Hashable]:
        """The nodes that an example goes through, without the root."""


class TemplateTree:
    """A decision tree, or graph, made of tests.

    Parameters
    ----------
    splits : by node, the test there and the children; the first node is the root. The test is a function
        of an example whose result is the position of a child, or the key if children are a mapping.
        Nodes without a test are leaves. A child may have several parents, but there are no cycles.
    values : by node, what it predicts; that of other nodes is the mean of their targets.

    >>> tree = TemplateTree(
    ...     {
    ...         "root": (lambda x: x["hot"], {True: "summer", False: "winter"}),
    ...         "summer": (lambda x: x["wet"] > 3, ["dry", "storm"]),
    ...     },
    ...     values={"winter": 0.1, "dry": 0.9},
    ... )
    >>> tree.path({"hot": True, "wet": 2}), tree.value("dry"), tree.value("storm")
    (['summer', 'dry'], 0.9, None)
    """

    def __init__(
        self,
        splits: Mapping[Any, tuple[Callable[[Any], Any], Any]],
        values: Mapping[Any, float] | None = None,
    ) -> None:
        if not splits:
            raise ValueError("splits is empty: without an edge there is nothing to predict with")
        self._splits = {
            node: (test, dict(children if isinstance(children, Mapping) else enumerate(children)))
            for node, (test, children) in splits.items()
        }
        graph = {node: set(children.values()) for node, (_, children) in self._splits.items()}
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            raise ValueError(f"splits has a cycle: {error.args[1]}") from None
        self._root = next(iter(self._splits))
        self._values = {node: number(v, f"values[{node!r}]") for node, v in (values or {}).items()}

    def path(self, x: Any) -> list[Hashable]:
        """The nodes that an example goes through, without the root."""
        node, nodes = self._root, []
        while node in self._splits:
            test, children = self._splits[node]
            result = test(x)
            if not isinstance(result, Hashable) or result not in children:
                raise ValueError(
                    f"the test at node {node!r} gave {result!r}, not one of {list(children)}"
                )
            node = children[result]
            nodes.append(node)
        return nodes

    def value(self, node: Hashable) -> float | None:
        """What a node predicts, if it was given."""
        return self._values.get(node)

    def __repr__(self) -> str:
        return f"TemplateTree of {len(self._splits)} tests"


def from_sklearn(tree: Any) -> TemplateTree:
    """A fitted decision tree of scikit-learn, its nodes predicting what they would as leaves.

    Nodes are numbered as in `tree.tree_`. Those of a regressor predict their means. Those of a
    classifier, which must have two classes, predict the probability of the second, so targets are 0
    and 1. An example is a vector, or a mapping or a pandas series by the names that the tree was fitted
    with.

    >>> from regretless.experts import BestPruning
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> fitted = DecisionTreeRegressor().fit([[0], [1], [2]], [0.0, 0.5, 1.0])
    >>> model = BestPruning(from_sklearn(fitted))
    >>> model.learn_one([0], 0.1)
    >>> model.best_pruning()
    (0.010000000000000002, [1])
    """
    inner = getattr(tree, "tree_", None)
    if inner is None or inner.node_count == 1:
        raise ValueError(f"tree={tree} is not a fitted decision tree with a split")
    classes = getattr(tree, "classes_", None)
    if inner.n_outputs != 1 or (classes is not None and len(classes) != 2):
        raise ValueError(f"tree={tree} must have one output, and two classes if any")
    table = inner.value[:, 0, :]
    values = table[:, 0] if classes is None else table[:, 1] / table.sum(axis=1)
    names = getattr(tree, "feature_names_in_", None)
    splits = {}
    for node in np.flatnonzero(inner.children_left >= 0).tolist():
        feature = int(inner.feature[node])
        test = partial(
            _goes_right,
            feature=feature,
            name=feature if names is None else names[feature],
            threshold=float(inner.threshold[node]),
            if_missing=not inner.missing_go_to_left[node],
        )
        children = [int(inner.children_left[node]), int(inner.children_right[node])]
        splits[node] = (test, children)
    return TemplateTree(splits, dict(enumerate(values.tolist())))


def _goes_right(x: Any, feature: int, name: Any, threshold: float, if_missing: bool) -> bool:
    # scikit-learn makes single precision of what it is given, but not of its thresholds
    try:
        if hasattr(x, "iloc"):  # a row of pandas: by name, if the tree knows names
            given = x[name] if isinstance(name, str) else x.iloc[feature]
        else:
            given = x[name] if isinstance(x, Mapping) else x[feature]
        value = float(np.float32(given))
    except (KeyError, IndexError, TypeError, ValueError):
        raise ValueError(f"x={shown(x)} has no number as feature {name!r}") from None
    return if_missing if math.isnan(value) else value > threshold


def from_river(tree: Any) -> Tree:
    """A decision tree of River as it is now; what it learns later is not in it.

    Nodes are called by the positions of the branches to them, such as (0, 1). Branches of River stop
    to count when they are made, so nodes predict the means of the targets that they are shown here.

    >>> from regretless.experts import BestPruning
    >>> from river.tree import HoeffdingTreeClassifier
    >>> grown = HoeffdingTreeClassifier(grace_period=20)
    >>> for i in range(200):
    ...     grown.learn_one({"a": i % 2}, i % 2 == 1)
    >>> model = BestPruning(from_river(grown))
    >>> model.learn_one({"a": 1}, 1.0)
    >>> model.weights_one({"a": 1}), model.predict_one({"a": 1})
    ({(1,): 1.0}, 1.0)
    """
    root = getattr(tree, "_root", None)
    if not getattr(root, "children", None):
        raise ValueError(f"tree={shown(tree)} is not a tree of River that has split already")
    return _Walked(copy.deepcopy(root))


class _Walked:
    """A tree whose nodes have `children` and `walk(x)`, as those of River do."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def path(self, x: Any) -> list[Hashable]:
        name: tuple[int, ...] = ()
        names: list[Hashable] = []
        parent = self._root
        for node in self._root.walk(x):
            # River tells of a node twice after a branch that x has no value for
            if node is not parent:
                name += (next(i for i, child in enumerate(parent.children) if child is node),)
                names.append(name)
                parent = node
        return names


# --- the prunings of trees and graphs: which is best, and what is proved of the regret to one -----

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
