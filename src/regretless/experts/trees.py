"""Trees and graphs of tests for `BestPruning`: given, from scikit-learn, from River."""

import copy
import graphlib
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from regretless.arguments import number, shown

__all__ = ["TemplateTree", "Tree", "from_river", "from_sklearn"]


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
