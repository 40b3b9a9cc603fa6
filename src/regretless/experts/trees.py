"""Trees and graphs of tests, given or from scikit-learn or River, and the best pruning of one.

Luo (2016), section 2.3.4: the edges of the tree are experts that sleep unless an example comes along
them, and AdaNormalHedge with sleeping experts combines those on its path.
"""

import copy
import graphlib
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from regretless.base.arguments import Array, finite, function, listed, number, one_of, shown, whole
from regretless.base.columns import index_of
from regretless.base.options import option
from regretless.base.run import Run
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.experts.run import EPS


class Tree(Protocol):
    """An object that knows the path of an example. It may also have `value(node)`, a prediction."""

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
            raise ValueError("splits is empty: give at least one test, since edges predict")
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
        """The prediction of a node, if one was given."""
        return self._values.get(node)

    def __repr__(self) -> str:
        return f"TemplateTree of {len(self._splits)} tests"


def from_sklearn(tree: Any) -> TemplateTree:
    """A fitted decision tree of scikit-learn; every node predicts as if it were a leaf.

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
    """A decision tree of River in its present state; later learning does not change the copy.

    Nodes are called by the positions of the branches to them, such as (0, 1). Branches of River stop
    counting when they are made, so nodes predict the means of the targets that they are shown here.

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


# --- prunings: the best one, and the bounds on the regret to one -----------------------------------

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


# --- a run of `BestPruning` ------------------------------------------------------------------------


class PlayedPath(NamedTuple):
    """A round: the loss `suffered`, the `mixed` one `p . l`, the `edges` of the path, their `losses`."""

    suffered: float
    mixed: float
    edges: list[Edge]
    losses: list[float]


class PruningRun(Run):
    """A run of `BestPruning`.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take `comparator`, the leaves
    of a pruning, the first of which on its path is what an example reaches, or "best", the best pruning
    in hindsight, which is the default.

    Attributes: `losses` suffered; `played`, the record of each round; `before` and `after`, the model
    when the run began and ended; `index` of the rounds, or None.

    >>> from regretless.experts import BestPruning
    >>> from regretless.experts.trees import TemplateTree
    >>> tree = TemplateTree({"root": (lambda x: x > 0.5, ["low", "high"])})
    >>> run = BestPruning(tree, "absolute").run([0.1, 0.9] * 20, [0.2, 0.8] * 20)
    >>> run.regret() <= run.bound()
    True
    """

    def __init__(
        self,
        played: list[PlayedPath],
        before: "BestPruning",
        after: "BestPruning",
        index: Any = None,
    ) -> None:
        self.losses = np.array([each.suffered for each in played], np.float64)
        self.played, self.before, self.after, self.index = played, before, after, index

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, how much more was lost than by the pruning."""
        return np.cumsum(self.losses - self._theirs(self._cut(comparator)))

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on the regret."""
        pruning = self._cut(comparator)
        trivial, states = self._trivial(pruning), self.before._edges
        spread = {edge: state.spread for edge, state in states.items()}
        cut, taken, earlier = set[Edge](), 0.0, 0.0
        logs = math.fsum(1.0 + math.log1p(C) for C in spread.values())
        curve = np.empty(self.rounds)
        for t, each in enumerate(self.played):
            for edge, loss in zip(each.edges, each.losses):
                C, apart = spread.get(edge, 0.0), abs(each.mixed - loss)
                logs += math.log1p(C + apart) - (math.log1p(C) if edge in spread else -1.0)
                spread[edge] = C + apart
                if edge in cut:
                    taken += apart
                elif edge in pruning:
                    cut.add(edge)
                    taken += C + apart
                    earlier += states[edge].regret if edge in states else 0.0
            proved = min(bounds(len(cut), len(spread), taken, logs).values()) - earlier
            curve[t] = min(proved, trivial[t])
        return curve + self._rounding()

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret at the end, and the bounds on it."""
        cut, best = self._cut(comparator), _is_best(comparator)
        edges, states, leaves = self.after._edges, self.before._edges, leaves_of(list(cut))
        spread = math.fsum(edges[edge].spread for edge in cut)
        logs = math.fsum(1.0 + math.log1p(state.spread) for state in edges.values())
        earlier = math.fsum(states[edge].regret for edge in cut if edge in states)
        found = {k: b - earlier for k, b in bounds(len(cut), len(edges), spread, logs).items()}
        if self.rounds:
            found["trivial"] = float(self._trivial(cut)[-1])
        return Certificate(
            self.rounds,
            self.regret(comparator),
            found,
            THEOREM,
            self.after._assumptions(),
            "the best pruning in hindsight" if best else f"the pruning with the leaves {leaves}",
            leaves,
            self._rounding(),
        )

    def _losses(self) -> dict[Edge, float]:
        """The losses of the edges in this run."""
        losses: dict[Edge, float] = {}
        for each in self.played:
            for edge, loss in zip(each.edges, each.losses):
                losses[edge] = losses.get(edge, 0.0) + loss
        return losses

    def _cut(self, comparator: Any) -> dict[Edge, None]:
        """The edges to the leaves of a pruning, in order: every path has exactly one."""
        if _is_best(comparator):
            return dict.fromkeys(best_cut(self._losses(), self.after._ends)) if self.rounds else {}
        leaves = listed(comparator, "comparator")
        firsts = [next((e for e in each.edges if e[1] in leaves), None) for each in self.played]
        cut = {edge: None for edge in firsts if edge is not None}
        for each, first in zip(self.played, firsts):
            if first is None or sum(edge in cut for edge in each.edges) > 1:
                raise ValueError(
                    f"comparator={leaves} are not the leaves of a pruning: on the path "
                    f"{[node for _, node in each.edges]} must be one of them, and none above another"
                )
        return cut

    def _theirs(self, cut: dict[Edge, None]) -> Array:
        """The losses of a pruning."""
        theirs = [
            math.fsum(loss for edge, loss in zip(each.edges, each.losses) if edge in cut)
            for each in self.played
        ]
        return np.array(theirs, np.float64)

    def _trivial(self, cut: dict[Edge, None]) -> Array:
        """After each round, the regret if the worst node of the path had been followed."""
        worst = np.array([max(each.losses) for each in self.played], np.float64)
        return np.cumsum(worst - self._theirs(cut))

    def _rounding(self) -> float:
        return self.after._rounding()


def _is_best(comparator: Any) -> bool:
    return comparator is None or (isinstance(comparator, str) and comparator == "best")


# --- the player ------------------------------------------------------------------------------------


def _squared(prediction: float, y: float) -> float:
    return (prediction - y) ** 2


def _absolute(prediction: float, y: float) -> float:
    return abs(prediction - y)


# functions with names, which can be pickled
_LOSSES: dict[str, Callable[[float, float], float]] = {"squared": _squared, "absolute": _absolute}
_EDGE = 1e-9  # of a file: sums of losses may be this much off


@dataclass(slots=True)
class _State:
    """Sums over the rounds in which an edge was awake: the regret to it, |regret|, and its loss."""

    regret: float = 0.0
    spread: float = 0.0
    loss: float = 0.0

    @property
    def log_weight(self) -> float:
        """`ln w(R, C)`, where `w = (e^a - e^b) / 2`; it is 0, its logarithm infinite, from -1 down."""
        a = max(self.regret + 1.0, 0.0) ** 2 / (3.0 * (self.spread + 1.0))
        b = max(self.regret - 1.0, 0.0) ** 2 / (3.0 * (self.spread + 1.0))
        return a + math.log(-math.expm1(b - a)) - math.log(2.0) if a > 0 else -math.inf


def _tree(value: Any, name: str) -> Any:
    if not callable(getattr(value, "path", None)):
        raise ValueError(
            f"{name}={shown(value)} has no method path; use from_sklearn, from_river or TemplateTree"
        )
    return value


def _loss(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return one_of(value, name, _LOSSES, ", nor a function")
    return function(value, name)


class BestPruning(Stateful, changing=("rounds", "loss", "mixed_loss")):
    """Predict with a tree almost as well as its best pruning, which is found on the way.

    A pruning makes leaves of some nodes and predicts with the one that an example reaches; the root
    cannot be one. Every edge e is an expert that predicts what the node it leads to does. With the
    losses `l_e` of those on the path of an example, in each round

        p_e ~ w(R_e, C_e),    R_e += p . l - l_e,    C_e += |p . l - l_e|    for e on the path
        w(R, C) = 1/2 (e^{[R + 1]_+^2 / (3 (C + 1))} - e^{[R - 1]_+^2 / (3 (C + 1))})

    and the prediction is the mean of p. The time is that of the path, whatever the size of the tree. If
    N edges were used, m of them lead to the leaves of the pruning and C is the sum of `C_e` over
    these m, the regret to it is at most

        sqrt(3 m C (ln(N / m) + ln B + 1)),    B = 1 + 3/2 mean_e (1 + ln(1 + C_e))

    and also, straight from Lemma 4, `sqrt(3 m C ln(1 + (B - 1) N / m))`. Graphs may be pruned too:
    a node with several parents has an edge from each, and to make a leaf of it is to make leaves of
    what is below it as well, wherever else that is reached from. Edges never used do not count.

    Attributes: `rounds`; `loss`, the total suffered; `mixed_loss`, the sum of `p . l`, at least `loss`.

    >>> from regretless.experts.trees import TemplateTree
    >>> tree = TemplateTree({"root": (lambda x: x > 0.5, ["low", "high"])})
    >>> model = BestPruning(tree)
    >>> for x in [0.1, 0.9] * 20:
    ...     model.learn_one(x, float(x > 0.5))
    >>> model.predict_one(0.2), model.best_pruning()
    (0.0, (0.5, ['low', 'high']))
    >>> model.certificate().holds
    True
    """

    tree: Tree = option(
        _tree,
        kw_only=False,
        text="""`path(x)` gives the nodes on the path of an example without the root, hashable. If
        it has `value(node)` and that is not None, it is the prediction of the node.
        Otherwise the prediction is the mean of the targets seen there, and 1/2 before there
        are any""",
    )
    loss: Any = option(
        _loss,
        default="squared",
        kw_only=False,
        text="""the loss of a prediction and a target, "squared", "absolute" or a convex function of
        the two with values in [0, 1]""",
    )

    _yours = ("tree", "loss")

    def __post_init__(self) -> None:
        super().__post_init__()
        # from here on `loss` is what was suffered
        self._loss = _LOSSES[self.loss] if isinstance(self.loss, str) else self.loss
        self.rounds, self.loss, self.mixed_loss = 0, 0.0, 0.0
        self._edges: dict[Edge, _State] = {}  # in a tree, each after the edge to its parent
        self._targets: dict[Hashable, tuple[int, float]] = {}  # how many at a node, and their mean
        self._ends: set[Hashable] = set()  # where paths have ended: no pruning is finer

    # --- the rounds ----------------------------------------------------------------------------------

    def weights_one(self, x: Any) -> dict[Hashable, float]:
        """The weights of the nodes on the path of an example."""
        return dict(zip(nodes := self._path(x), self._weights(_edges(nodes))))

    def predict_one(self, x: Any) -> float:
        """The prediction for an example, without learning."""
        nodes = self._path(x)
        return _mean(self._weights(_edges(nodes)), map(self._value, nodes))

    def learn_one(self, x: Any, y: float) -> None:
        """Learn the target of an example."""
        self._learn(x, y)

    def run(self, X: Iterable[Any], y: Any) -> PruningRun:
        """Learn many examples and their targets. A run that is rejected leaves the model as it was.

        >>> from regretless.experts.trees import TemplateTree
        >>> tree = TemplateTree({"root": (lambda x: x > 0.5, ["low", "high"])})
        >>> run = BestPruning(tree).run([0.1, 0.9] * 20, [0.0, 1.0] * 20)
        >>> run.loss, run.regret(), run.certificate().against
        (0.5, 0.0, ['low', 'high'])
        """
        examples, targets = listed(X, "X"), listed(y, "y")
        if len(examples) != len(targets):
            raise ValueError(f"X has {len(examples)} examples, but y {len(targets)} targets")
        before = self.copy()
        try:
            played = [self._learn(x, target) for x, target in zip(examples, targets)]
        except ValueError:
            self.__dict__.update(before.copy().__dict__)
            raise
        return PruningRun(played, before, self.copy(), index_of(y))

    def _learn(self, x: Any, y: Any) -> PlayedPath:
        nodes, target = self._path(x), finite(y, "y")
        edges = _edges(nodes)
        weights, predictions = self._weights(edges), [self._value(node) for node in nodes]
        losses = [self._suffered(prediction, target) for prediction in predictions]
        mean = _mean(weights, losses)
        suffered = self._suffered(_mean(weights, predictions), target)
        if suffered > mean + 64.0 * EPS * len(nodes):
            raise ValueError(f"loss={suffered} of the mean is above the mean {mean}: not convex")
        for edge, loss in zip(edges, losses):
            state = self._edges.setdefault(edge, _State())
            state.regret += mean - loss
            state.spread += abs(mean - loss)
            state.loss += loss
        for node in nodes:
            count, average = self._targets.get(node, (0, 0.0))
            self._targets[node] = count + 1, average + (target - average) / (count + 1)
        self._ends.add(nodes[-1])
        self.rounds += 1
        self.loss += suffered
        self.mixed_loss += mean
        return PlayedPath(suffered, mean, edges, losses)

    def _path(self, x: Any) -> list[Hashable]:
        nodes = list(self.tree.path(x))
        try:
            repeated = len(set(nodes)) < len(nodes)
        except TypeError:
            raise ValueError(f"path(x) = {nodes} has nodes that are not hashable") from None
        if repeated or not nodes or None in nodes:
            raise ValueError(f"path(x) = {nodes} is empty, has None or goes through a node twice")
        return nodes

    def _weights(self, edges: Sequence[Edge]) -> list[float]:
        logs = [self._edges.get(edge, _State()).log_weight for edge in edges]
        # with no weight at all any distribution keeps the bound, since all that count fell behind
        top = max(logs) if max(logs) > -math.inf else 0.0
        weights = [math.exp(log - top) for log in logs]
        total = math.fsum(weights)
        return [w / total for w in weights] if total else [1.0 / len(edges)] * len(edges)

    def _value(self, node: Hashable) -> float:
        given = getattr(self.tree, "value", lambda _: None)(node)
        if given is None:
            return self._targets.get(node, (0, 0.5))[1]
        return number(given, f"value({node!r})")

    def _suffered(self, prediction: float, y: float) -> float:
        loss = number(self._loss(prediction, y), "loss")
        if not -4.0 * EPS <= loss <= 1.0 + 4.0 * EPS:
            raise ValueError(
                f"the loss of the prediction {prediction} for y={y} is {loss}, outside [0, 1]; "
                "scale the targets to [0, 1], or the loss"
            )
        return loss

    # --- what is proven ------------------------------------------------------------------------------

    def best_pruning(self) -> tuple[float, list[Hashable]]:
        """The least loss of a pruning in the rounds played, and its leaves that were reached.

        A node at which a path has ended is not split further.
        """
        losses = self._losses()
        cut = best_cut(losses, self._ends)
        return math.fsum(losses[edge] for edge in cut), leaves_of(cut)

    def _losses(self) -> dict[Edge, float]:
        return {edge: state.loss for edge, state in self._edges.items()}

    def certificate(self) -> Certificate:
        """The regret to the best pruning; the bounds are on that of `mixed_loss`, which is at least as
        large."""
        losses = self._losses()
        cut = best_cut(losses, self._ends)
        spread = math.fsum(self._edges[edge].spread for edge in cut)
        logs = math.fsum(1.0 + math.log1p(edge.spread) for edge in self._edges.values())
        return Certificate(
            self.rounds,
            self.loss - math.fsum(losses[edge] for edge in cut),
            bounds(len(cut), len(self._edges), spread, logs) | {"trivial": float(self.rounds)},
            THEOREM,
            self._assumptions(),
            "the best pruning in hindsight",
            leaves_of(cut),
            self._rounding(),
        )

    def _assumptions(self) -> dict[str, bool | None]:
        return {"losses are in [0, 1]": True, "no loss is above its mean": True}

    def _rounding(self) -> float:
        """Sums of so many losses up to 1, each a mean of those on a path."""
        T, deepest = float(self.rounds), float(len(self._targets))
        return 4.0 * EPS * ((deepest + 64.0) * T + T * T)

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        known = {function: name for name, function in _LOSSES.items()}
        return {"tree": self.tree, "loss": known.get(self._loss, self._loss)}

    def copy(self) -> Self:
        """Another model with the same tree and loss that has learned the same."""
        return copy.deepcopy(self, {id(each): each for each in (self.tree, self._loss)})

    def _learned(self) -> dict[str, Any]:
        states = [(edge.regret, edge.spread, edge.loss) for edge in self._edges.values()]
        return {
            "rounds": self.rounds,
            "loss": self.loss,
            "mixed_loss": self.mixed_loss,
            "edges": list(self._edges),
            "targets": [(node, *seen) for node, seen in self._targets.items()],
            "ends": [node for node in self._targets if node in self._ends],
            "states": np.array(states, np.float64).reshape(-1, 3),
        }

    def _restore(self, parts: Parts) -> None:
        self.rounds = parts.whole("rounds")
        edge = _EDGE * self.rounds
        self.loss, self.mixed_loss = (
            parts.number(name, -edge, self.rounds + edge) for name in ("loss", "mixed_loss")
        )
        edges = [(parent, node) for parent, node in parts.take("edges")]
        most = (1.0 + 1e-6) * self.rounds
        states = parts.array("states", (len(edges), 3), -most, most).tolist()
        for regret, spread, loss in states:
            if abs(regret) > spread + edge or loss < -edge:
                raise ValueError(f"states has a regret of {regret} and a spread of {spread}")
        self._edges = {each: _State(*state) for each, state in zip(edges, states)}
        for node, count, mean in parts.take("targets"):
            seen = whole(count, "targets", 1, self.rounds), finite(mean, "targets")
            self._targets[node] = seen
        self._ends = set(parts.take("ends"))
        nodes = {node for _, node in edges}
        parents = {parent for parent, _ in edges} - {None}
        if not (nodes == self._targets.keys() >= self._ends and parents <= nodes):
            raise ValueError("the nodes of the edges, the targets and the ends are not the same")
        if len(self._edges) < len(edges) or None in nodes or bool(self.rounds) != bool(self._ends):
            raise ValueError("the edges are not those of paths from the root")


def _edges(nodes: Sequence[Hashable]) -> list[Edge]:
    return list(zip([None, *nodes], nodes))


def _mean(weights: Iterable[float], values: Iterable[float]) -> float:
    return math.fsum(p * v for p, v in zip(weights, values))
