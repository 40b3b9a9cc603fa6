"""The best pruning: against a dense simulation, all prunings of small trees, and its theorem."""

import copy
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.experts import BestPruning
from regretless.experts.trees import TemplateTree, from_river, from_sklearn

# by node, its children; an example is the list of turns it takes
SHAPE = {"": "ab", "a": "cd", "b": "efg", "d": "hi", "f": "jk", "k": "lm"}
NODES = sorted({node for children in SHAPE.values() for node in children})
GRAPH = {"": "abc", "a": "de", "b": "ef", "c": "f", "e": "gh", "f": "hij", "h": "kl"}


def turns(depth):
    return lambda x: x[depth]


def build(shape, values=None):
    """Tests by depth, which is the same by all ways to a node of these graphs."""
    depths, splits = {"": 0}, {}
    for node, children in shape.items():
        depths |= dict.fromkeys(children, depths[node] + 1)
        splits[node] = (turns(depths[node]), children)
    return TemplateTree(splits, values)


def walk(shape, x):
    node, nodes = "", []
    for turn in x:
        if node not in shape:
            break
        node = shape[node][turn]
        nodes.append(node)
    return nodes


def random_example(shape, rng):
    node, x = "", []
    while node in shape:
        x.append(int(rng.integers(len(shape[node]))))
        node = shape[node][x[-1]]
    return x


class Given:
    """The same path for all examples."""

    def __init__(self, path, values=None):
        self.nodes, self.values = path, values or {}

    def path(self, x):
        return self.nodes

    def value(self, node):
        return self.values.get(node)


class Dense:
    """Section 2.14 with all edges as arrays, awake or not, as it is written."""

    def __init__(self, edges):
        self.edges = list(edges)
        self.R, self.C = np.zeros(len(self.edges)), np.zeros(len(self.edges))

    def weights(self, awake):
        def phi(R, C):
            return np.exp(np.maximum(R, 0.0) ** 2 / (3 * C))

        w = awake * (phi(self.R + 1, self.C + 1) - phi(self.R - 1, self.C + 1)) / 2
        return w / w.sum() if w.sum() > 0 else awake / awake.sum()

    def update(self, awake, losses):
        mean = float(self.weights(awake) @ losses)
        r = awake * (mean - losses)
        self.R += r
        self.C += np.abs(r)
        return mean


def edges_of(nodes):
    return list(zip(["", *nodes], nodes))


def all_edges(shape):
    return [(parent, child) for parent, children in shape.items() for child in children]


def stream(shape, values, rng, rounds, model=None):
    """Examples and targets: drifting leaves, and often the target that the model is farthest from."""
    for t in range(rounds):
        x = random_example(shape, rng)
        if model is not None and rng.uniform() < 0.5:
            y = float(model.predict_one(x) < 0.5)
        else:
            nodes = walk(shape, x)
            y = values[nodes[min(len(nodes) - 1, t % 3)]]
        yield x, y


@pytest.mark.parametrize("shape", [SHAPE, GRAPH], ids=["tree", "graph"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_it_is_the_dense_simulation(shape, loss):
    rng = np.random.default_rng(1)
    edges = all_edges(shape)
    values = {child: float(v) for (_, child), v in zip(edges, rng.uniform(size=len(edges)))}
    model, dense = BestPruning(build(shape, values), loss), Dense(edges)
    predictions = np.array([values[child] for _, child in edges])
    total, mean = 0.0, 0.0
    for x, y in stream(shape, values, rng, 300, model):
        nodes = walk(shape, x)
        awake = np.array([edge in edges_of(nodes) for edge in edges], float)
        p = dense.weights(awake)
        for node, weight in model.weights_one(x).items():
            (at,) = (i for i, e in enumerate(edges) if e[1] == node and awake[i])
            assert weight == pytest.approx(p[at], abs=1e-12)
        assert model.predict_one(x) == pytest.approx(float(p @ predictions), abs=1e-12)
        f = (lambda v, y=y: (v - y) ** 2) if loss == "squared" else (lambda v, y=y: abs(v - y))
        total += f(p @ predictions)
        mean += dense.update(awake, awake * f(predictions))
        model.learn_one(x, y)
    assert model.rounds == 300
    assert model.loss == pytest.approx(total)
    assert model.mixed_loss == pytest.approx(mean)
    assert model.loss <= model.mixed_loss + 1e-9


def test_two_rounds_by_hand():
    """One path of two edges that predict 0 and 1, the target being 0: R = (1/2, -1/2), C = 1/2."""
    model = BestPruning(TemplateTree({0: (len, [1]), 1: (len, [2])}, {1: 0.0, 2: 1.0}), "absolute")
    assert model.weights_one([]) == {1: 0.5, 2: 0.5}
    assert model.predict_one([]) == 0.5
    model.learn_one([], 0.0)
    up, down = math.exp(1.5**2 / 4.5) - 1, math.exp(0.5**2 / 4.5) - 1
    assert model.weights_one([])[1] == pytest.approx(up / (up + down), rel=1e-14)
    assert model.best_pruning() == (0.0, [1])
    certificate = model.certificate()
    assert certificate.regret == 0.5
    log_B = math.log(1 + 1.5 * (1 + math.log(1.5)))
    assert certificate.bounds["Theorem 6"] == pytest.approx(
        math.sqrt(3 * 0.5 * (math.log(2) + log_B + 1))
    )
    assert certificate.bounds["Lemma 4"] == pytest.approx(
        math.sqrt(1.5 * math.log(1 + 3 * (1 + math.log(1.5))))
    )


def test_no_weight_on_the_path():
    """Edges that have all fallen behind by 1 or more: any weights keep the bound (section 2.13)."""
    model = BestPruning(Given(["a", "b"]))
    model.learn_one(None, 0.0)
    for state in model._edges.values():
        state.regret, state.spread = -1.5, 1.5
    assert model.weights_one(None) == {"a": 0.5, "b": 0.5}


# --- the best pruning ---------------------------------------------------------------------------


def prunings(shape, node=""):
    """All sets of leaves of a tree below a node; the root itself is none."""
    if node not in shape:
        return
    below = [[{child}, *prunings(shape, child)] for child in shape[node]]
    for choice in itertools.product(*below):
        yield set().union(*choice)


def loss_of(leaves, history):
    return sum(
        losses[next(i for i, v in enumerate(nodes) if v in leaves)] for nodes, losses in history
    )


def played(shape, seed, rounds, learned=False):
    rng = np.random.default_rng(seed)
    nodes = sorted({child for _, child in all_edges(shape)})
    values = {v: float(rng.uniform()) for v in nodes}
    model = BestPruning(build(shape, None if learned else values))
    history, counts = [], {}
    for x, y in stream(shape, values, rng, rounds, model):
        path = walk(shape, x)
        if learned:
            means = [np.mean(counts[v]) if v in counts else 0.5 for v in path]
        else:
            means = [values[v] for v in path]
        history.append((path, [(m - y) ** 2 for m in means]))
        for v in path:
            counts.setdefault(v, []).append(y)
        model.learn_one(x, y)
    return model, history


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 80), st.booleans())
def test_best_pruning_is_the_best_of_all(seed, rounds, learned):
    model, history = played(SHAPE, seed, rounds, learned)
    losses = {frozenset(leaves): loss_of(leaves, history) for leaves in prunings(SHAPE)}
    loss, leaves = model.best_pruning()
    # sums of at most 80 numbers of at most 1
    assert loss == pytest.approx(min(losses.values()), abs=1e-12)
    # those reached; which one is made of the rest of the tree does not matter
    assert any(
        found == pytest.approx(loss, abs=1e-12)
        and set(leaves) == {next(v for v in path if v in cut) for path, _ in history}
        for cut, found in losses.items()
    )
    certificate = model.certificate()
    assert certificate.regret == pytest.approx(model.loss - loss, abs=1e-12)
    assert model.mixed_loss - loss <= certificate.bound
    assert certificate.holds
    assert model.loss - loss <= certificate.bound


def cuts(shape):
    """All prunings of a graph: what is below one that is cut is cut as well."""
    nodes = [node for node in shape if node]
    for inside in itertools.product([False, True], repeat=len(nodes)):
        kept = {"", *(v for v, yes in zip(nodes, inside) if yes)}
        if all(p in kept for p, child in all_edges(shape) if child in kept):
            yield {e for e in all_edges(shape) if e[0] in kept and e[1] not in kept}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 200), st.booleans())
def test_best_pruning_of_a_graph(seed, rounds, learned):
    model, history = played(GRAPH, seed, rounds, learned)
    used = {edge for nodes, _ in history for edge in edges_of(nodes)}
    seen = {v: [c for c in below if (v, c) in used] for v, below in GRAPH.items()}
    found = []
    for cut in cuts({v: below for v, below in seen.items() if below}):
        loss, leaves = 0.0, set()
        for nodes, own in history:
            (at,) = (i for i, e in enumerate(edges_of(nodes)) if e in cut)  # a path is cut once
            loss += own[at]
            leaves.add(nodes[at])
        found.append((loss, leaves))
    loss, leaves = model.best_pruning()
    # what the linear programme takes for equal may differ by its tolerance, 1e-7
    assert loss == pytest.approx(min(each for each, _ in found), abs=1e-6)
    assert set(leaves) in [best for each, best in found if each <= loss + 1e-9]
    certificate = model.certificate()
    assert certificate.holds
    assert model.loss - loss <= certificate.bound


def test_certificate_is_the_formula_for_the_best_pruning():
    """Luo (2016), section 2.3.4 with the sum over the rounds, not over the edges; and Lemma 4
    itself.
    """
    rng = np.random.default_rng(4)
    values = {v: float(rng.uniform()) for v in NODES}
    model, dense = BestPruning(build(SHAPE, values)), Dense(all_edges(SHAPE))
    predictions = np.array([values[child] for _, child in dense.edges])
    rounds = []
    for x, y in stream(SHAPE, values, rng, 400, model):
        nodes = walk(SHAPE, x)
        awake = np.array([e in edges_of(nodes) for e in dense.edges], float)
        rounds.append((nodes, y, dense.update(awake, awake * (predictions - y) ** 2)))
        model.learn_one(x, y)
    _, leaves = model.best_pruning()
    spread = 0.0
    for nodes, y, mean in rounds:
        spread += abs(mean - (values[next(v for v in nodes if v in leaves)] - y) ** 2)
    seen = dense.C[[any(e in edges_of(n) for n, _, _ in rounds) for e in dense.edges]]
    m, N, B = len(leaves), len(seen), 1 + 1.5 * np.mean(1 + np.log1p(seen))
    certificate = model.certificate()
    assert certificate.bounds["Theorem 6"] == pytest.approx(
        math.sqrt(3 * m * spread * (math.log(N / m) + math.log(B) + 1))
    )
    assert certificate.bounds["Lemma 4"] == pytest.approx(
        math.sqrt(3 * m * spread * math.log(1 + N * (B - 1) / m))
    )
    positive = dense.C > 0
    phi = np.exp(np.maximum(dense.R[positive], 0) ** 2 / (3 * dense.C[positive]))
    assert phi.sum() + (N - positive.sum()) <= N * B


def test_it_comes_near_to_the_best_pruning():
    """Leaves below "a" only add noise, those below "b" matter: the loss per round goes to the best."""
    rng = np.random.default_rng(5)
    values = dict.fromkeys(NODES, 0.5) | {"a": 0.2, "e": 0.0, "f": 1.0, "g": 0.0}
    model = BestPruning(build(SHAPE, values))
    halves = []
    for t in range(2000):
        x = random_example(SHAPE, rng)
        nodes = walk(SHAPE, x)
        model.learn_one(x, 0.2 if nodes[0] == "a" else values[nodes[1]])
        if t in (999, 1999):
            halves.append(model.loss)
    loss, leaves = model.best_pruning()
    assert loss == 0.0
    assert set(leaves) == {"a", "e", "f", "g"}
    # with no loss of the best pruning the regret has a bound without T: it does not grow
    assert halves[1] - halves[0] < 0.01
    assert model.certificate().holds


def test_only_the_path_is_touched_and_predicting_changes_nothing():
    model = BestPruning(build(SHAPE))
    before = copy.deepcopy(model.__dict__ | {"tree": None})
    assert model.predict_one([0, 0]) == 0.5  # no targets yet
    assert {k: v for k, v in model.__dict__.items() if k != "tree"} == {
        k: v for k, v in before.items() if k != "tree"
    }
    model.learn_one([0, 0], 1.0)
    assert len(model._edges) == 2
    assert model.predict_one([0, 0]) == 1.0
    # an unseen edge beside one that has seen a target: predictions 1 and 1/2, the same weight
    assert model.predict_one([0, 1, 0]) == pytest.approx((1.0 + 0.5 + 0.5) / 3)
    model.learn_one([0, 0], 0.5)
    assert model.predict_one([0, 0]) == 0.75


def test_a_tree_that_grows():
    """A node where paths have ended is a leaf of all prunings, else their losses would not compare."""

    class Growing:
        depth = 1

        def path(self, x):
            return [x[: i + 1] for i in range(self.depth)]

        def value(self, node):
            return float(len(node) == 1)

    tree = Growing()
    model = BestPruning(tree)
    model.learn_one("ab", 1.0)
    tree.depth = 2
    for _ in range(9):
        model.learn_one("ab", 0.0)
        model.learn_one("cd", 0.0)
    loss, leaves = model.best_pruning()
    assert (loss, leaves) == (9.0, ["a", "cd"])
    assert model.certificate().holds


def test_nothing_played():
    certificate = BestPruning(build(SHAPE)).certificate()
    assert (certificate.rounds, certificate.regret, certificate.bound) == (0, 0.0, 0.0)
    assert certificate.holds
    assert BestPruning(build(SHAPE)).best_pruning() == (0.0, [])


def test_one_edge_predicts_what_its_node_does():
    model = BestPruning(TemplateTree({0: (lambda x: 0, [1])}, {1: 0.3}))
    for y in (0.0, 1.0, 0.5):
        assert model.predict_one(None) == 0.3
        model.learn_one(None, y)
    assert model.certificate().regret == pytest.approx(0.0, abs=1e-15)


def test_a_deep_tree_and_a_long_run():
    depth, rounds = 3000, 3
    splits = {i: (lambda x: 0, [i + 1]) for i in range(depth)}
    model = BestPruning(TemplateTree(splits, {i: i % 2 for i in range(depth + 1)}))
    for _ in range(rounds):
        model.learn_one(None, 1.0)
    assert model.best_pruning() == (0.0, [1])
    assert model.certificate().holds


# --- adapters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
@pytest.mark.parametrize("missing", [False, True])
def test_a_tree_of_scikit_learn(kind, missing):
    sklearn_tree = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    if missing:
        X[rng.uniform(size=X.shape) < 0.1] = np.nan
    made = {
        "regressor": sklearn_tree.DecisionTreeRegressor,
        "classifier": sklearn_tree.DecisionTreeClassifier,
    }[kind]
    fitted = made(max_depth=6, random_state=0).fit(X, y if kind == "regressor" else y > 0)
    tree = from_sklearn(fitted)
    model = BestPruning(tree)
    visited = fitted.decision_path(X)
    predicted = fitted.predict(X) if kind == "regressor" else fitted.predict_proba(X)[:, 1]
    for i, x in enumerate(X):
        path = tree.path(x)
        assert sorted([0, *path]) == visited[[i]].indices.tolist()
        assert tree.value(path[-1]) == pytest.approx(predicted[i])
        model.learn_one(x, y[i])
    assert model.certificate().holds
    # grown on these, so the whole tree is the best pruning of itself
    assert model.best_pruning()[0] == pytest.approx(((predicted - y) ** 2).sum())


def test_scikit_learn_compares_in_single_precision():
    sklearn_tree = pytest.importorskip("sklearn.tree")
    fitted = sklearn_tree.DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    assert fitted.tree_.threshold[0] == 0.5
    for x in (0.5, 0.5 + 1e-10, 0.5 + 1e-7):
        assert from_sklearn(fitted).path([x]) == fitted.apply([[x]]).tolist()


def test_names_of_scikit_learn():
    sklearn_tree = pytest.importorskip("sklearn.tree")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 1.0, 0.0]})
    tree = from_sklearn(sklearn_tree.DecisionTreeRegressor().fit(frame, [0.0, 0.5, 1.0]))
    assert tree.path({"a": 2.0, "b": 0.0}) == tree.path([2.0, 0.0])
    for wrong in ({"b": 1.0}, [], ["x", "y"], 3.0):
        with pytest.raises(ValueError, match="has no number as feature"):
            tree.path(wrong)


def test_trees_of_scikit_learn_that_will_not_do():
    sklearn_tree = pytest.importorskip("sklearn.tree")
    X = [[0], [1], [2]]
    for made, y, message in [
        (sklearn_tree.DecisionTreeClassifier(), [0, 1, 2], "two classes"),
        (sklearn_tree.DecisionTreeRegressor(), [[0, 1], [1, 0], [2, 2]], "one output"),
        (sklearn_tree.DecisionTreeRegressor(), [1, 1, 1], "with a split"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_sklearn(made.fit(X, y))
    with pytest.raises(ValueError, match="not a fitted decision tree"):
        from_sklearn(sklearn_tree.DecisionTreeRegressor())


RIVER = [
    ("HoeffdingTreeClassifier", bool, {}),
    ("HoeffdingTreeRegressor", float, {"leaf_prediction": "mean"}),
    ("ExtremelyFastDecisionTreeClassifier", bool, {}),
    ("HoeffdingAdaptiveTreeRegressor", float, {"leaf_prediction": "mean", "seed": 1}),
    ("SGTRegressor", float, {}),
]


def river_stream(rounds, seed):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        x = {"a": float(rng.uniform()), "b": float(rng.uniform()), "c": "uvw"[rng.integers(3)]}
        yield x, float((x["a"] > 0.5) != (x["b"] > 0.3) or x["c"] == "u")


@pytest.mark.parametrize(("name", "target", "options"), RIVER, ids=[row[0] for row in RIVER])
def test_a_tree_of_river(name, target, options):
    river_tree = pytest.importorskip("river.tree")
    grown = getattr(river_tree, name)(grace_period=50, delta=0.05, **options)
    for x, y in river_stream(2000, 7):
        grown.learn_one(x, target(y))
    tree = from_river(grown)
    root = copy.deepcopy(grown._root)
    model = BestPruning(tree)
    leaves = set()
    for x, y in river_stream(200, 8):
        node = root
        for turn in (path := tree.path(x))[-1]:
            assert node.next(x) is node.children[turn]
            node = node.children[turn]
        assert not hasattr(node, "children")
        assert path == [path[-1][: i + 1] for i in range(len(path))]
        leaves.add(path[-1])
        model.learn_one(x, y)
    assert 1 < len(leaves) <= root.n_leaves
    assert model.certificate().holds
    for x, y in river_stream(2000, 9):  # the copy does not grow
        grown.learn_one(x, target(y))
    assert {tree.path(x)[-1] for x, _ in river_stream(200, 8)} == leaves


def test_features_that_are_missing_in_river():
    river_tree = pytest.importorskip("river.tree")
    grown = river_tree.HoeffdingTreeClassifier(grace_period=50, delta=0.05)
    for x, y in river_stream(2000, 7):
        grown.learn_one(x, bool(y))
    path = from_river(grown).path({})
    node = grown._root
    for turn in path[-1]:
        assert node.children[turn] is node.most_common_path()[1]
        node = node.children[turn]
    assert path == [path[-1][: i + 1] for i in range(len(path))]
    assert not hasattr(node, "children")
    with pytest.raises(ValueError, match="that has split already"):
        from_river(river_tree.HoeffdingTreeClassifier())
    with pytest.raises(ValueError, match="that has split already"):
        from_river(3)


def test_models_can_be_copied():
    river_tree = pytest.importorskip("river.tree")
    grown = river_tree.HoeffdingTreeClassifier(grace_period=50, delta=0.05)
    for x, y in river_stream(1000, 7):
        grown.learn_one(x, bool(y))
    model = BestPruning(from_river(grown))
    data = list(river_stream(50, 8))
    for x, y in data[:25]:
        model.learn_one(x, y)
    other = copy.deepcopy(model)
    for x, y in data[25:]:
        assert other.predict_one(x) == model.predict_one(x)
        model.learn_one(x, y)
        other.learn_one(x, y)
    assert other.certificate() == model.certificate()


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "loss", "y", "message"),
    [
        (Given([]), "squared", 0.5, r"path\(x\) = \[\] is empty"),
        (Given(["a", "b", "a"]), "squared", 0.5, "a node twice"),
        (Given(["a", None]), "squared", 0.5, "has None"),
        (Given([["a"]]), "squared", 0.5, "not hashable"),
        (Given(["a"]), "squared", "yes", "y='yes' is not a number"),
        (Given(["a"]), "squared", math.nan, "y=nan is not finite"),
        (Given(["a"]), lambda p, y: 0.5, math.inf, "y=inf is not finite"),
        (Given(["a"]), "squared", 2.0, r"y=2.0 is 2.25, outside \[0, 1\]; scale"),
        (Given(["a"], {"a": math.nan}), "absolute", 0.5, "is nan, outside"),
        (Given(["a"], {"a": "x"}), "absolute", 0.5, r"value\('a'\)='x' is not a number"),
        (Given(["a"]), lambda p, y: "big", 0.5, "loss='big' is not a number"),
        (
            Given(["a", "b"], {"a": 0.0, "b": 1.0}),
            lambda p, y: 1 - (2 * p - 1) ** 2,
            0.5,
            "not convex",
        ),
    ],
)
def test_bad_rounds_change_nothing(tree, loss, y, message):
    model = BestPruning(tree, loss)
    with pytest.raises(ValueError, match=message):
        model.learn_one(None, y)
    assert (model.rounds, model.loss, model.best_pruning()) == (0, 0.0, (0.0, []))
    assert not model._edges
    assert not model._targets


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BestPruning(3), "tree=3 has no method path"),
        (
            lambda: BestPruning(Given(["a"]), "huber"),
            "loss='huber' is not one of 'squared', 'absolute'",
        ),
        (lambda: TemplateTree({}), "splits is empty"),
        (lambda: TemplateTree({0: (len, [1]), 1: (len, [0])}), "cycle"),
        (lambda: TemplateTree({0: (len, [1])}, {1: "x"}), r"values\[1\]='x'"),
        (lambda: TemplateTree({0: (lambda x: 7, [1, 2])}).path(None), "gave 7, not one of"),
        (lambda: TemplateTree({0: (lambda x: -1, [1, 2])}).path(None), "gave -1, not one of"),
        (lambda: TemplateTree({0: (lambda x: [0], [1, 2])}).path(None), r"gave \[0\], not one of"),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("shape", [SHAPE, GRAPH], ids=["tree", "graph"])
def test_runs(shape):
    """Two in a row: the regret to every pruning is counted anew, and no bound is below it."""
    model, rng = BestPruning(build(shape), "absolute"), np.random.default_rng(0)
    for k in range(2):
        X, y = (
            [random_example(shape, rng) for _ in range(60)],
            (rng.random(60) < 0.3 + 0.4 * k) * 1.0,
        )
        run, twin = model.run(X, y), model.copy()
        least = math.inf
        for cut in itertools.islice(cuts(shape), 60):
            theirs = []
            for x, each in zip(X, run.played):
                nodes = walk(shape, x)
                (at,) = (i for i, edge in enumerate(edges_of(nodes)) if edge in cut)
                theirs.append(each.losses[at])
            leaves = sorted({node for _, node in cut})
            least, curve = min(least, sum(theirs)), np.cumsum(run.losses - theirs)
            np.testing.assert_allclose(run.regret_curve(leaves), curve, atol=1e-12)
            assert (run.regret_curve(leaves) <= run.bound_curve(leaves)).all()
            found = run.certificate(leaves)
            assert found.holds is True
            assert found.bound == pytest.approx(run.bound_curve(leaves)[-1])
            assert found.regret == run.regret(leaves)
        assert run.loss - least <= run.regret() + 1e-6  # the linear programme's tolerance
        assert (run.regret_curve() <= run.bound_curve()).all()
        assert run.certificate().holds is True
        model = twin
    assert (model.rounds, model.clone().rounds) == (120, 0)
    with pytest.raises(ValueError, match="are not the leaves of a pruning"):
        run.regret(["nobody"])
    with pytest.raises(ValueError, match="X has 2 examples, but y 1"):
        model.run(X[:2], y[:1])
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        model.run(X[:2], [0.5, 7.0])
    assert model.rounds == 120
    assert model.certificate() == twin.certificate()


def test_a_loss_of_your_own():
    model = BestPruning(Given(["a", "b"], {"a": 0.0, "b": 1.0}), lambda p, y: (p - y) ** 4)
    model.learn_one(None, 0.0)
    assert model.loss == 0.5**4
    assert model.mixed_loss == 0.5
    assert model.best_pruning() == (0.0, ["a"])


def test_examples_must_be_a_list():
    with pytest.raises(ValueError, match="X=5 is not a list"):
        BestPruning(TemplateTree({"root": (lambda x: x > 0, ["low", "high"])})).run(5, [1.0])
