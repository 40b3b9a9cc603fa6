"""The kernel Perceptron: its oracle, what it equals, its bounds, and its store of examples."""

import math
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.damage import damaged
from reference.kernel_perceptron import KERNELS
from reference.kernel_perceptron import KernelPerceptron as Oracle
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from regretless import linear
from regretless.base.model import Row
from regretless.base.state import Parts, load
from regretless.linear import KernelPerceptron, LinearClassifier, Perceptron, PrimalDual
from regretless.linear import kernels as support_vectors
from regretless.linear.kernels import SupportVectors

OPTIONS = {"degree": 3, "gamma": 0.5, "coef0": 2.0}  # those of the oracle's kernels
FIVE = np.array([[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], float)
SIGNS = [1, -1, 1, -1, 1]
XOR = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]], float)
few = settings(deadline=None, max_examples=10)


def binary(model):
    """Knows that there are two labels."""
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def yours(left, right):
    """The oracle's polynomial, as a function of matrices."""
    return (0.5 * left @ right.T + 2.0) ** 3


def single(x):
    return np.asarray(x, np.float32).astype(float)


# --- the algorithm -------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("average", ["none", "survival", "uniform"])
@pytest.mark.parametrize("kernel", [*KERNELS, yours])
@few
@given(data=st.data())
def test_it_does_what_the_oracle_does(kernel, average, intercept, data):
    """Scores agree; the tolerance is that of sums of a few dozen terms in double precision."""
    seed, width = data.draw(st.integers(0, 9999)), data.draw(st.integers(1, 5))
    rng = np.random.default_rng(seed)
    X = data.draw(st.sampled_from([rng.normal(size=(25, width)), rng.integers(-2, 3, (25, width))]))
    X = single(X * (rng.random(X.shape) < 0.7))
    y, w = rng.choice([-1, 1], 25), rng.choice([0.5, 1.0, 2.0], 25)
    model = binary(KernelPerceptron(kernel=kernel, average=average, intercept=intercept, **OPTIONS))
    oracle = Oracle(KERNELS["polynomial" if kernel is yours else kernel], average, float(intercept))
    for x, label, weight in zip(X, y.tolist(), w.tolist()):
        size = sum(abs(c) * oracle.value(p[0], x) for c, p in zip(oracle.weights(), oracle.past))
        played = oracle.score(x, oracle.weights())
        if abs(played) <= 1e-12 * abs(size) and played:
            return  # rounding decides whether this is an update
        # the means have no larger coefficients
        assert model.decision_one(x) == pytest.approx(
            oracle.predict(x), abs=1e-12 * (1 + abs(size))
        )
        oracle.learn(x, label, weight)
        model.learn_one(x, label, weight)
    assert model.updates_ == sum(p[3] for p in oracle.past)
    assert len(model.support_vectors_) == len({tuple(p[0]) for p in oracle.past if p[3]})


@few
@given(seed=st.integers(0, 999), labels=st.integers(2, 4), intercept=st.booleans())
def test_the_linear_kernel_is_the_perceptron(seed, labels, intercept):
    """On a grid, where nothing is rounded, to the last bit, over passes and labels.

    Mohri et al. (2018), Figures 8.8 and 8.9.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (40, 4)) / 4.0, rng.integers(0, labels, 40)
    dual = KernelPerceptron(kernel="linear", intercept=intercept)
    primal = Perceptron(intercept=intercept)
    for _ in range(3):
        for x, label in zip(X, y.tolist()):
            assert dual.decision_one(x) == primal.decision_one(x)
            assert dual.step(x, label) == primal.step(x, label)
    assert dual.weights_ == primal.weights_
    assert dual.intercept_ == primal.intercept_
    assert dual.loss_ == primal.loss_
    assert dual.predict(X).tolist() == primal.predict(X).tolist()
    assert dual.predict_proba(X).tolist() == primal.predict_proba(X).tolist()
    assert len(dual.support_vectors_) <= 40


def test_golden():
    """The margins, the update points, and the mean of w_1 to w_5.

    Mohri et al. (2018), section 8.3.1.
    """
    model = binary(KernelPerceptron(kernel="linear", intercept=False, average="survival"))
    plain = binary(KernelPerceptron(kernel="linear", intercept=False))
    margins = []
    for x, y in zip(FIVE, SIGNS):
        margins.append(y * plain.decision_one(x))
        plain.learn_one(x, y)
        model.learn_one(x, y)
    assert margins == [0, -1, 3, 3, 1]
    assert plain.weights_ == {0: 2.0, 1: 1.0}
    assert plain.support_vectors_ == [{0: 1.0, 1: 2.0}, {0: -1.0, 1: 1.0}]
    assert plain.dual_coef_.tolist() == [1.0, -1.0]
    assert model.weights_ == pytest.approx({0: 1.4, 1: 1.0}, rel=1e-15)
    uniform = binary(KernelPerceptron(kernel="linear", intercept=False, average="uniform"))
    uniform.learn_many(FIVE, SIGNS)  # (1, 2) and (2, 1), once each
    assert uniform.weights_ == pytest.approx({0: 1.5, 1: 1.5}, rel=1e-15)


def test_xor():
    """Nothing linear separates it, a polynomial of degree 2 does.

    Mohri et al. (2018), section 8.3.1.
    """
    y = [0, 1, 1, 0]
    for kernel in ("polynomial", "rbf"):
        model = KernelPerceptron(kernel=kernel, degree=2)
        assert model.cycle(XOR, y, max_passes=50).separated
        assert model.predict(XOR).tolist() == y
    model = KernelPerceptron(kernel="linear")
    done = model.cycle(XOR, y, max_passes=50)
    assert (done.passes, done.separated) == (50, False)
    assert model.predict(XOR).tolist() != y


def test_passes_go_on_from_each_other_and_end():
    """The last pass makes no update; the same point is stored once."""
    rng = np.random.default_rng(0)
    X = single(rng.normal(size=(60, 3)))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    model = KernelPerceptron(kernel="linear")
    done = model.cycle(X, y)
    again = KernelPerceptron(kernel="linear").fit(X, y)
    for _ in range(done.passes - 2):
        again.partial_fit(X, y)
    assert again.updates_ == model.updates_
    again.partial_fit(X, y)
    assert again.updates_ == model.updates_
    assert len(model.support_vectors_) < model.updates_
    assert (model.predict(X) == y).all()


def test_unknown_features_count_in_distances():
    """A feature that no support vector has moves the example away from all of them."""
    model = binary(KernelPerceptron(kernel="rbf", intercept=False))
    model.learn_one({"a": 1.0}, 1)
    assert model.decision_one({"a": 1.0}) == 1.0
    assert model.decision_one({"a": 1.0, "b": 1.0}) == pytest.approx(math.exp(-1.0), rel=1e-15)
    mine = binary(KernelPerceptron(kernel=rbf_kernel_1, intercept=False))
    mine.learn_one({"a": 1.0}, 1)
    assert mine.decision_one({"a": 1.0, "b": 1.0}) == pytest.approx(math.exp(-1.0), rel=1e-15)


def rbf_kernel_1(left, right):
    return rbf_kernel(left, right, gamma=1.0)


def test_a_function_sees_numbered_features_in_their_columns():
    """Whatever order they appear in; the weights of the columns are the function's own."""
    scales = np.array([1.0, 10.0, 100.0])

    def weighed(left, right):
        assert left.shape[1] == right.shape[1] <= 3
        return left * scales[: left.shape[1]] @ right.T

    model = binary(KernelPerceptron(kernel=weighed, intercept=False))
    model.learn_one({2: 1.0}, 1)
    model.learn_one([0.0, -1.0, -1.0], -1)
    assert [model.decision_one({j: 1.0}) for j in range(3)] == [0.0, 0.0, 100.0]
    model.learn_one([0.0, 1.0, 0.0], 1)
    assert model.decision_one({1: 1.0}) == 10.0


def test_labels_share_support_vectors():
    """One lane per class; an example is stored once whichever lanes it updates."""
    rng = np.random.default_rng(1)
    X = single(rng.normal(size=(80, 2)))
    y = (np.arctan2(X[:, 0], X[:, 1]) // 1.6).astype(int)
    model = KernelPerceptron(kernel="rbf", gamma=9.0)
    model.cycle(X, y, max_passes=500)
    assert (model.predict(X) == y).all()
    assert model.dual_coef_.shape == (len(model.support_vectors_), len(set(y.tolist())))
    lanes = [KernelPerceptron(kernel="rbf").fit(X, np.where(y == k, 1, -1)) for k in np.unique(y)]
    one = KernelPerceptron(kernel="rbf").fit(X, y)
    scores = np.column_stack([lane.decision_function(X) for lane in lanes])
    np.testing.assert_allclose(one.decision_function(X), scores, rtol=1e-12, atol=1e-12)


# --- batches -------------------------------------------------------------------------------------


def eighths(rng, shape):
    """Numbers of few digits, many of them 0: their products are exact in any order."""
    return np.round(4 * rng.normal(size=shape)) / 8 * (rng.random(shape) < 0.6)


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("average", ["none", "survival", "uniform"])
@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("kernel", [*KERNELS, yours])
def test_a_batch_is_predicted_as_its_examples_are(kernel, thin, average, labels, monkeypatch):
    """Sparse products, and functions of many examples, may be rounded in another order."""
    rng = np.random.default_rng(labels)
    X, probes = eighths(rng, (120, 6)), eighths(rng, (75, 9))  # three features are new
    probes[7] = 0.0
    model = KernelPerceptron(kernel=kernel, average=average, **OPTIONS)
    if thin:
        model._dual.support._thin()
    model.learn_many(X, rng.integers(0, labels, 120))
    size = len(model.support_vectors_)
    monkeypatch.setattr(support_vectors, "_TOGETHER", 35 * size)  # three parts or more
    alone = np.array([model.decision_one(x) for x in probes])
    values = KERNELS["polynomial" if kernel is yours else kernel]
    S = np.array([[s.get(j, 0.0) for j in range(9)] for s in model.support_vectors_])
    K = np.array([[values(s, x) + 1.0 for s in S] for x in probes])
    terms = K @ np.abs(model.dual_coef_)
    for form in (probes, sparse.csr_array(probes)):
        found = model.decision_function(form)
        # each of two sums of `size` terms, or four with an average, errs by size * 2^-53 of them
        assert (np.abs(found - alone) <= 4 * (size + 4) * 2.0**-53 * terms).all()
    wanted = [model.predict_one(x) for x in probes]
    assert model.predict(probes).tolist() == wanted


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("average", ["none", "survival"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_dense_batches_are_predicted_bit_for_bit(kernel, average, labels):
    rng = np.random.default_rng(labels)
    X, probes = rng.normal(size=(700, 11)), rng.normal(size=(90, 13))
    model = KernelPerceptron(kernel=kernel, average=average, gamma=0.1)
    model.learn_many(X, rng.integers(0, labels, 700))
    alone = [model.decision_one(x) for x in probes]
    assert model.decision_function(probes).tolist() == alone
    back = sparse.csr_array(probes)  # entries of a row in any order
    for t in range(90):
        part = slice(back.indptr[t], back.indptr[t + 1])
        order = rng.permutation(13)
        back.indices[part], back.data[part] = back.indices[part][order], back.data[part][order]
    back.has_sorted_indices = False
    assert model.decision_function(back).tolist() == alone


def test_a_batch_takes_memory_for_a_part_of_it():
    rng = np.random.default_rng(0)
    X, many = rng.normal(size=(800, 4)), rng.normal(size=(20_000, 4))
    model = KernelPerceptron(kernel="rbf", gamma=5.0)
    model.learn_many(X, rng.integers(0, 2, 800))
    whole = 8 * len(many) * len(model.support_vectors_)
    tracemalloc.start()
    model.decision_function(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * whole


def test_a_function_is_called_for_many_examples_at_once():
    """Together are those that it would see with as many columns each."""
    shapes = []

    def mean_product(left, right):
        shapes.append((len(left), *right.shape))
        return left @ right.T / max(1, left.shape[1])

    model = binary(KernelPerceptron(kernel=mean_product))
    model.learn_many(np.eye(3), [1, -1, 1])
    probes = np.zeros((50, 5))
    probes[:, 0] = np.arange(50)
    probes[20:, 4] = 1.0  # a feature that is new from there on
    shapes.clear()
    found = model.decision_function(sparse.csr_array(probes))
    assert shapes == [(3, 20, 3), (3, 30, 5)]
    alone = [model.decision_one({0: x[0], 4: x[4]} if x[4] else {0: x[0]}) for x in probes]
    np.testing.assert_allclose(found, alone, rtol=1e-15)


def test_nothing_learned_or_nothing_asked():
    for kernel in (*KERNELS, yours):
        model = binary(KernelPerceptron(kernel=kernel))
        assert model.decision_function(np.eye(3)).tolist() == [0.0] * 3
        model.learn_many(np.eye(3), [1, -1, 1])
        assert model.decision_function(np.zeros((0, 3))).shape == (0,)


def test_the_example_of_a_batch_that_a_kernel_fails_on_is_named():
    model = binary(KernelPerceptron(kernel=broken))
    model.learn_many([[1.0, 1.0], [2.0, -1.0]], [1, -1])
    probes = np.ones((90, 2))
    probes[[41, 60], 0] = 7.0
    with pytest.raises(
        ValueError, match=r"returned nan of example 41 of this call and support vec"
    ):
        model.decision_function(probes)
    wide = binary(KernelPerceptron(kernel="polynomial", degree=18))
    wide.learn_many([[1.0], [-2.0]], [1, -1])
    probes = np.ones((90, 1))
    probes[70] = 1e18
    with (
        pytest.raises(ValueError, match=r"inf of example 70 of this call"),
        np.errstate(all="ignore"),
    ):
        wide.decision_function(probes)


# --- the budget ----------------------------------------------------------------------------------


def test_the_budget_drops_what_changes_least():
    """Mohri has none; ours drops the smallest |c| sqrt(K), the oldest of equals."""
    model = binary(KernelPerceptron(kernel="linear", intercept=False, budget=2))
    model.learn_one({"a": 2.0}, 1)  # sqrt(K) = 2
    model.learn_one({"b": 1.0}, 1)  # 1: the smallest
    model.learn_one({"c": 4.0}, 1)
    assert model.support_vectors_ == [{"a": 2.0}, {"c": 4.0}]
    equal = binary(KernelPerceptron(kernel="rbf", budget=2, gamma=9.0, intercept=False))
    for name, y in zip("abcd", (1, -1, 1, -1)):
        equal.learn_one({name: 1.0}, y)
        assert len(equal.support_vectors_) <= 2
    assert sorted(equal.support_vectors_, key=str) == [{"c": 1.0}, {"d": 1.0}]
    assert not equal.certificate().holds
    assert not equal.certificate().assumptions["no support vector was dropped"]


@few
@given(seed=st.integers(0, 999), kernel=st.sampled_from(["linear", "rbf", "polynomial"]))
def test_dropping_changes_scores_by_no_more_than_said(seed, kernel):
    rng = np.random.default_rng(seed)
    X, probes = single(rng.normal(size=(30, 3))), single(rng.normal(size=(5, 3)))
    model = binary(KernelPerceptron(kernel=kernel, budget=4))
    for x, y in zip(X, rng.choice([-1, 1], 30).tolist()):
        before, old = model.decision_function(probes), model.support_vectors_
        weights, updates = model.dual_coef_, model.updates_
        model.learn_one(x, y)
        assert len(model.support_vectors_) <= 4
        if model.updates_ == updates or len(old) < 4 or len(model.support_vectors_) < 4:
            continue
        new = model.support_vectors_
        gone = [s for s in range(4) if old[s] != new[s]]
        if not gone:
            continue  # the example was there already
        # without the new one the change is that of the dropped one alone
        kernel_of = binary(KernelPerceptron(kernel=kernel))
        kernel_of.learn_one(x, y)
        change = np.abs(
            model.decision_function(probes) - kernel_of.decision_function(probes) - before
        )
        single_out = binary(KernelPerceptron(kernel=kernel))
        single_out.learn_one(old[gone[0]], 1)
        own = single_out.decision_one(old[gone[0]])
        for probe, moved in zip(probes, change):
            alone = binary(KernelPerceptron(kernel=kernel))
            alone.learn_one(probe, 1)
            limit = abs(weights[gone[0]]) * math.sqrt(own * alone.decision_one(probe))
            assert moved <= limit * (1 + 1e-9) + 1e-12


# --- bounds --------------------------------------------------------------------------------------


@few
@given(
    seed=st.integers(0, 9999),
    kernel=st.sampled_from(["linear", "polynomial", "rbf"]),
    noise=st.sampled_from([0.0, 0.1, 0.5]),
    labels=st.integers(2, 3),
)
def test_the_bounds_hold(seed, kernel, noise, labels):
    """For the weights themselves and for any other comparator; the l1 form is below the l2 form."""
    rng = np.random.default_rng(seed)
    X = single(rng.normal(size=(60, 2)))
    y = np.where(rng.random(60) < noise, rng.integers(0, labels, 60), (X[:, 0] > 0) * (labels - 1))
    model = KernelPerceptron(kernel=kernel)
    model.cycle(X, y, max_passes=int(rng.integers(1, 4)))
    for comparator in (None, rng.normal(size=model.dual_coef_.shape)):
        c = model.certificate(comparator)
        assert c.updates == model.updates_
        assert c.holds
        for rho in (None, 0.01, 1.0, 100.0):
            bounds = model.certificate(comparator, margin=rho).bounds
            assert c.updates <= min(bounds.values()) * (1 + 1e-12)
            assert bounds["l1"] <= bounds["l2"] * (1 + 1e-12) or rho is None
        for lane in c.lanes:  # Mohri et al. (2018), Theorem 8.8: the sharper steps of the proof
            assert lane.norm <= math.sqrt(lane.squares) * (1 + 1e-12)
            assert lane.margins @ lane.counts <= lane.norm * (1 + 1e-12) + 1e-12
            assert lane.counts.sum() == lane.updates


def test_the_separable_bound_by_hand():
    """Unit vectors make the bound tight, r = 1, rho = 1 / sqrt(T).

    Mohri et al. (2018), Exercise 8.3.
    """
    model = binary(KernelPerceptron(kernel="linear", intercept=False))
    model.learn_many(np.eye(9), [1] * 9)
    c = model.certificate()
    assert c.updates == 9
    assert model.certificate(margin=1 / 3).bounds["separable"] == pytest.approx(9.0, rel=1e-15)
    assert c.bound == pytest.approx(9.0, rel=1e-12)
    assert model.certificate(margin=0.34).bounds["separable"] == math.inf


def test_a_conflict_counts_both_labels():
    """The same example with both labels: its coefficient is 0, its updates are not."""
    model = binary(KernelPerceptron(kernel="linear", intercept=False))
    for y in (1, -1, 1, -1):
        model.learn_one([1.0], y)
    (lane,) = model.certificate().lanes
    assert model.dual_coef_.tolist() == [0.0]
    assert (lane.updates, lane.counts.tolist()) == (4, [2.0, 2.0])
    assert model.certificate().holds
    assert not binary(KernelPerceptron()).partial_fit([[1.0]], [1], None, [2.0]).certificate().holds


# --- the store -----------------------------------------------------------------------------------


@few
@given(seed=st.integers(0, 999))
def test_products_of_dense_and_sparse_rows(seed):
    """Both forms, through every growth of rows and columns, and replaced rows."""
    rng = np.random.default_rng(seed)
    both = SupportVectors(), SupportVectors()
    both[1]._thin()
    table = np.zeros((0, 40))
    for t in range(60):
        dense = rng.normal(size=40) * (rng.random(40) < 0.3) * (np.arange(40) < 2 + t)
        columns = np.flatnonzero(dense)
        row = Row(columns, dense[columns], 40)
        if t > 20 and t % 5 == 0:
            table[t % 20] = dense
        else:
            table = np.vstack([table, dense])
        for rows in both:
            rows.replace(t % 20, row) if t > 20 and t % 5 == 0 else rows.append(row)
    x = rng.normal(size=50)
    probe = Row(np.arange(50), x, 50)
    for rows in (*both, *(SupportVectors.of(Parts(each.arrays())) for each in both)):
        np.testing.assert_allclose(rows.products(probe), table @ x[:40], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(rows.squares, (table**2).sum(axis=1), rtol=1e-12)
        np.testing.assert_array_equal(rows.matrix(40), table)
        np.testing.assert_array_equal(rows.row(7, 40).values, table[7][table[7] != 0])


def test_wide_data_are_kept_sparse_and_go_on_from_a_file(tmp_path):
    """Text-like rows; the change of form shows in nothing but memory."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 20_000), density=0.001, rng=rng, format="csr")
    y = rng.integers(0, 2, 400)
    model, oracle = (
        KernelPerceptron(kernel="rbf", gamma=0.1),
        Oracle(lambda s, x: math.exp(-0.1 * ((s - x) ** 2).sum())),
    )
    model = binary(KernelPerceptron(kernel="rbf", gamma=0.1))
    model.learn_many(X, np.where(y, 1, -1))
    for x, label in zip(X.toarray().astype(np.float32).astype(float)[:60], np.where(y, 1, -1)):
        oracle.learn(x, label)
    start = binary(KernelPerceptron(kernel="rbf", gamma=0.1))
    start.learn_many(X[:60], np.where(y[:60], 1, -1))
    probe = X[[60]].toarray()[0]
    assert start.decision_one(probe) == pytest.approx(oracle.predict(single(probe)), rel=1e-12)
    assert model._dual.support._dense is None
    model.save(tmp_path / "m")
    other = KernelPerceptron.load(tmp_path / "m")
    for each in (model, other):
        each.learn_many(X[:200], np.where(y[:200], -1, 1))
    assert other.decision_function(X).tolist() == model.decision_function(X).tolist()


# --- bad input, files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kernel": "sigmoid"},
            "kernel='sigmoid' is not one of 'linear', 'polynomial', 'rbf', nor a function",
        ),
        ({"kernel": "polynomial", "degree": 1.5}, "degree=1.5 must be a whole number"),
        ({"kernel": "polynomial", "degree": 0}, "degree=0 must be a whole number"),
        ({"kernel": "polynomial", "coef0": -1.0}, "coef0=-1.0 must be finite and not negative"),
        ({"kernel": "rbf", "gamma": 0.0}, "gamma=0.0 must be positive"),
        ({"kernel": "rbf", "gamma": "scale"}, "gamma='scale' is not a number"),
        ({"budget": 0}, "budget=0 must be a whole number of at least 1, or None"),
        ({"budget": 2.5}, "budget=2.5 must be"),
        ({"average": "vote"}, "average='vote' is not one of 'none', 'survival', 'uniform'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**options).learn_one([1.0], 1)


def broken(left, right):
    """NaN of an example whose first feature is 7, also of itself if it is 8."""
    out = left @ right.T
    out[:, right[:, 0] == 7] = np.nan
    if len(left) == len(right) == 1 and left[0, 0] == right[0, 0] == 8:
        out[:] = np.nan
    return out


@pytest.mark.parametrize("value", [7.0, 8.0])
def test_a_kernel_that_returns_nan_changes_nothing(value):
    """The error names the kernel; names that came with the example are forgotten."""
    model = binary(KernelPerceptron(kernel=broken))
    model.learn_many([[1.0, 1.0], [2.0, -1.0]], [1, -1])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"kernel=broken returned nan of the example and"):
        model.learn_one({0: value, "new": 1.0}, 1)
    assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="kernel=broken returned nan") as caught:
        model.learn_many([[3.0, 0.0, 0.0], [value, 0.0, 5.0], [1.0, 0.0, 5.0]], [-1, 1, 1])
    assert caught.value.__notes__ == ["at row 1 of this call; the rows before it were learned"]
    assert model.examples_ == 3
    assert 2 not in model._dual.names().values()
    model.learn_one([1.0, 2.0], 1)


def test_a_kernel_of_the_wrong_shape_or_sign():
    with pytest.raises(
        ValueError, match=r"returned shape \(\) for 1 and 1 rows; it must be \(1, 1\)"
    ):
        KernelPerceptron(kernel=lambda a, b: 1.0).learn_one([1.0], 1)
    with pytest.raises(ValueError, match=r"returned -1\.0 of the example and itself"):
        KernelPerceptron(kernel=lambda a, b: -a @ b.T).learn_one([1.0], 1)


def test_bad_comparators_and_passes():
    model = KernelPerceptron(kernel="rbf").fit(XOR, [0, 1, 1, 0])
    with pytest.raises(ValueError, match=r"comparator has shape \(9,\): \d finite coefficients"):
        model.certificate(np.ones(9))
    with pytest.raises(ValueError, match="max_passes=0 must be a whole number"):
        model.cycle(XOR, [0, 1, 1, 0], max_passes=0)
    with pytest.raises(ValueError, match="margin=0 must be positive"):
        model.certificate(margin=0)
    with pytest.raises(AttributeError, match="kernel=rbf has no weights of features"):
        _ = model.weights_


@pytest.mark.parametrize(
    "options",
    [{"kernel": "rbf"}, {"budget": 3}, {"kernel": "polynomial", "average": "uniform"}, {}],
)
def test_a_run_goes_on_from_a_file_bit_for_bit(options, tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(90, 4)), rng.integers(0, 3, 90)
    X[50:] = X[:40]  # those that are stored already come again
    whole, part = KernelPerceptron(**options), KernelPerceptron(**options)
    whole.learn_many(X, y)
    part.learn_many(X[:40], y[:40])
    part.save(tmp_path / "m")
    for other in (load(tmp_path / "m"), pickle.loads(pickle.dumps(part))):
        other.learn_many(X[40:], y[40:])
        assert other.decision_function(X).tolist() == whole.decision_function(X).tolist()
        assert other.certificate().bounds == whole.certificate().bounds
        assert other.support_vectors_ == whole.support_vectors_


def test_a_function_must_be_given_again(tmp_path):
    """A file holds no code."""
    model = KernelPerceptron(kernel=yours).fit(XOR, [0, 1, 1, 0])
    model.save(tmp_path / "m")
    other = KernelPerceptron.load(tmp_path / "m", kernel=yours)
    assert other.decision_function(XOR).tolist() == model.decision_function(XOR).tolist()
    for read in (KernelPerceptron.load, load):
        with pytest.raises(
            ValueError, match=r"was saved with kernel=<function yours.*give it again"
        ):
            read(tmp_path / "m")
    KernelPerceptron().save(tmp_path / "n")
    with pytest.raises(ValueError, match="holds all options; leave it out"):
        KernelPerceptron.load(tmp_path / "n", kernel=yours)


@pytest.mark.parametrize(
    "name", ["coefficients", "run", "support_rows", "support_squares", "total_rounds"]
)
def test_a_damaged_file_is_refused(name, tmp_path):
    model = KernelPerceptron(kernel="rbf").fit(XOR, [0, 1, 1, 0])
    for path in damaged(model, name, tmp_path):
        with pytest.raises(ValueError, match="is damaged"):
            linear.KernelPerceptron.load(path)


@pytest.mark.parametrize("model", [KernelPerceptron(), PrimalDual(), LinearClassifier()], ids=repr)
def test_losses_of_a_batch_are_not_weighted(model):
    """Their sum, each times its weight, is what the learner says that it has lost."""
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(50, 3)), rng.random(50) < 0.5, rng.choice([0.5, 1.0, 3.0], 50)
    model.fit(X[:5], y[:5])
    before = model.loss_
    (outcome,) = model.validate_many(X, y, w)
    assert outcome.losses @ w == pytest.approx(model.loss_ - before, rel=1e-9)


def test_options_are_those_of_a_kernel():
    """Not those of learners that have weights: what is stored needs the names."""
    names = {"kernel", "degree", "gamma", "coef0", "average", "budget", "intercept"}
    assert set(KernelPerceptron().get_params()) == names
