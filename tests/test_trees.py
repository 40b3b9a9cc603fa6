"""Trees and forests: the oracle, identities, limits, and trees as weak learners."""

import pickle
from functools import partial

import numpy as np
import pytest
from reference import trees as plain

from regretless import boosting
from regretless.boosting import Forest, ForestRegressor, Tree, TreeRegressor

COLUMNS = (0, 1, 4, 2**40, 7)  # the third is 0 or 1, the fourth comes late


def stream(count, seed, labels=3, weights=False, nasty=False):
    """Examples of a nonlinear concept, some values absent, one feature and one label late."""
    rng = np.random.default_rng(seed)
    for t in range(count):
        x = {}
        for j, name in enumerate(COLUMNS):
            if rng.random() < 0.3 or (j == 3 and t < count // 3):
                continue
            value = 1.0 if j == 2 else float(np.round(rng.normal(), 1 + j))
            if nasty:
                value = float(rng.choice([value, 1e18, -1e18, 1e-30, -1e-30, 0.1, 0.1 + 1e-9, 0.0]))
            x[name] = value
        score = x.get(0, 0.0) * x.get(1, 0.0) + (4 in x) - x.get(2**40, 0.0)
        if labels:
            known = 1 if t < 3 else 2 if t < count // 4 else labels
            y = int(abs(3.0 * score)) % known if abs(score) < 1e6 else t % known
        else:
            y = min(max(score, -1e6), 1e6)
            y = float(rng.choice([y, 1e18, 1e-18])) if nasty else y
        yield x, y, float(rng.choice([1.0, 0.5, 3.0, 1e-3]) if weights else 1.0)


def follow(model, oracle, examples, labels):
    """Run both side by side: all scores and the number of nodes must be the same, to the last bit."""
    for t, (x, given, w) in enumerate(examples):
        model.learn_one(x, given, w)
        y = model.classes_.tolist().index(given) if labels else given
        if labels and y >= oracle.outputs:
            oracle.relabel([*range(y), -1])
        there = {c: float(np.float32(v)) for c, v in x.items() if np.float32(v) != 0}
        oracle.learn_target(there, y, w)
        if t % 7 == 0:
            score = model.decision_one(x)
            assert (score if isinstance(score, list) else [score]) == oracle.scores(there)
            assert model.nodes_ == oracle.nodes
    assert pickle.loads(pickle.dumps(model)) == model  # no rounding makes a state impossible


TREES = [
    {"tie": 0.3, "grace": 10, "bins": 32, "max_nodes": 1000},
    {"tie": 0.6, "grace": 3, "bins": 4, "max_nodes": 9},
    {"tie": 0.0, "grace": 7, "bins": 2, "max_nodes": 1000, "delta": 0.9},
    {"tie": 0.5, "grace": 1, "bins": 8, "max_nodes": 1000, "depth": 2},
]


@pytest.mark.parametrize("case", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("options", TREES)
@pytest.mark.parametrize("labels", [0, 2, 4])
def test_tree_is_the_oracle(labels, options, case):
    weights, nasty = case
    options = {"delta": 0.001} | options
    model = (Tree if labels else TreeRegressor)(**options)
    oracle = plain.Tree(labels > 0, 2 if labels else 1, **options)
    follow(model, oracle, stream(500, 3, labels, weights, nasty), labels)
    assert model.nodes_ > 1


FORESTS = [
    {"n": 3, "grace": 5, "kept": 32, "max_nodes": 50_000, "seed": 0},
    {"n": 2, "grace": 2, "kept": 4, "max_nodes": 31, "seed": 2**63},
    {"n": 2, "grace": 3, "kept": 6, "max_nodes": 1000, "seed": 5, "depth": 3},
]


@pytest.mark.parametrize("case", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("options", FORESTS)
@pytest.mark.parametrize("labels", [0, 2, 4])
def test_forest_is_the_oracle(labels, options, case):
    weights, nasty = case
    model = (Forest if labels else ForestRegressor)(**options)
    seed = options["seed"] % 2**63
    oracle = plain.Forest(labels > 0, 2 if labels else 1, **options | {"seed": seed})
    follow(model, oracle, stream(300, 4, labels, weights, nasty), labels)
    assert model.nodes_ > options["n"]


# --- identities ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Tree, partial(Forest, n=3)])
def test_the_order_in_which_labels_appear_does_not_matter(make):
    """Labels that are known from the start, or that come late and are renumbered, give one model."""
    examples = list(stream(400, 1, 4))
    known, late = make(), make()
    known.partial_fit(np.zeros((0, 2)), np.array([], int), classes=[0, 1, 2, 3])
    for x, y, _ in examples:
        known.learn_one(x, y)
        late.learn_one(x, -y)  # the second label is smaller than the first, and becomes the first
    assert late.nodes_ == known.nodes_ > 3
    for x, _, _ in examples:
        mirrored = {-label: p for label, p in late.predict_proba_one(x).items()}
        assert mirrored == pytest.approx(known.predict_proba_one(x), rel=1e-12)


@pytest.mark.parametrize("make", [partial(Tree, grace=3, tie=0.6), partial(Forest, n=3)])
def test_the_order_of_features_does_not_matter(make):
    """Rows are given to names in another order, and equal gains abound; the model is the same."""
    here, there = make(), make()
    for x, y, _ in stream(300, 1, 3):
        named = {f"f{column}": float(value > 0) for column, value in x.items()}
        named |= {f"again {name}": value for name, value in named.items()}
        mirrored = dict(reversed(named.items()))
        assert here.decision_one(named) == there.decision_one(mirrored)
        here.learn_one(named, y)
        there.learn_one(mirrored, y)
    assert here.nodes_ == there.nodes_ > 3


@pytest.mark.parametrize("make", [TreeRegressor, partial(ForestRegressor, n=3)])
def test_numbers_have_no_origin_and_no_unit(make):
    """Targets on another scale give the same trees, and predictions on that scale, exactly."""
    plainly, elsewhere = make(), make()
    for x, given, _ in stream(400, 2, 0):
        y = float(np.round(8.0 * given)) / 8.0
        plainly.learn_one(x, y * 2.0**-6)
        elsewhere.learn_one(x, 2.0**20 + y * 2.0**-2)
    assert plainly.nodes_ == elsewhere.nodes_ > 3
    for x, _, _ in stream(100, 3, 0):
        there = 2.0**20 + 16.0 * plainly.predict_one(x)
        assert elsewhere.predict_one(x) == pytest.approx(there, abs=2.0**-20)


@pytest.mark.parametrize("make", [partial(Tree, tie=0.0), partial(Tree, delta=0.1, tie=0.0)])
def test_the_bound_holds_where_no_feature_matters(make):
    """Where labels are independent of all features, at most a share delta of the trees may split."""
    rng, split = np.random.default_rng(0), 0
    for _ in range(20):
        model = make(grace=100)
        model.learn_many(rng.normal(size=(1000, 5)), rng.integers(0, 2, 1000))
        split += model.nodes_ > 1
    assert split <= 20 * make().delta


def test_a_stump_splits_by_the_feature_that_matters():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 6))
    model = Tree(depth=1, tie=0.0, bins=64).fit(X, X[:, 4] > 0.5)
    p = model.predict_proba(np.where(np.arange(6) == 4, [[0.3], [0.7]], 0.0))[:, 1]
    assert model.nodes_ == 3
    assert p[0] < 0.05
    assert p[1] > 0.95


def test_a_forest_learns_what_no_line_separates():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1.0, 1.0, (1500, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    model = Forest().fit(X[:1000], y[:1000])
    assert np.mean(model.predict(X[1000:]) != y[1000:]) < 0.06


# --- as weak learners ------------------------------------------------------------------------------


class TreeObject(Tree):
    """A `Tree` that boosters do not know, so that they call it as an object."""


BOOSTERS = [
    boosting.OnlineBBM,
    boosting.AdaBoostOL,
    boosting.OSBoost,
    boosting.OSBoostOCP,
    partial(boosting.OnlineBBM, edge=None),
    partial(boosting.OSBoost, sampled=True, seed=3),
]


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("make", BOOSTERS)
def test_lanes_are_the_objects(make, labels):
    """Trees in the core and trees as objects vote the same and get the same weights."""
    options = {"grace": 5, "depth": 2, "tie": 0.4}
    lanes, objects = make(Tree(**options), n=4), make(TreeObject(**options), n=4)
    for x, y, _ in stream(250, 6, labels):
        assert lanes.predict_one(x) == objects.predict_one(x)
        lanes.learn_one(x, y)
        objects.learn_one(x, y)
    for ours, theirs in zip(lanes._measured(), objects._measured(), strict=True):
        for name in ours:
            assert np.array_equal(ours[name], theirs[name])


def test_boosted_trees_have_no_weights():
    model = boosting.OnlineBBM(Tree(depth=1))
    model.learn_one({"a": 1.0}, "yes")
    with pytest.raises(ValueError, match="trees, which have no weights"):
        _ = model.weights_
    with pytest.raises(AttributeError, match="trees in the core, not objects"):
        _ = model.weak_
    assert model.edges_.size == 20


# --- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Tree, partial(Forest, n=2)])
def test_max_nodes_and_depth(make):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    trees = getattr(make(), "n", 1)
    assert make(max_nodes=1).fit(X, y).nodes_ == trees
    assert make(max_nodes=8).fit(X, y).nodes_ == 7 * trees
    assert make(depth=1).fit(X, y).nodes_ == 3 * trees
    assert make(depth=2).fit(X, y).nodes_ == 7 * trees


@pytest.mark.parametrize("make", [Tree, partial(Forest, n=2)])
def test_memory_is_bounded(make):
    """Once no leaf can split, more examples take no more memory."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(4000, 3)), rng.integers(0, 2, 4000)
    model = make(max_nodes=15)
    sizes = []
    for part in range(4):
        model.learn_many(X[part::4], y[part::4])
        sizes.append(model._model.bytes)
    assert sizes[1] == sizes[2] == sizes[3]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Tree(max_nodes=0), "max_nodes=0 must be"),
        (lambda: Forest(max_nodes=0), "max_nodes=0 must be"),
        (lambda: Tree(depth=0), "depth=0 must be"),
        (lambda: Tree(delta=1.0), "delta=1.0"),
        (lambda: Tree(tie=-0.1), "tie=-0.1"),
        (lambda: Tree(bins=1), "bins=1 must be"),
        (lambda: Forest(kept=1), "kept=1 must be"),
        (lambda: Forest(grace=40), "grace=40 is more than kept=32"),
    ],
)
def test_wrong_options(make, text):
    with pytest.raises(ValueError, match=text):
        make()
