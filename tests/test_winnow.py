"""Winnow and balanced Winnow: traces, features that join, bounds, and the sign as it was printed."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.winnow import NormalizedWinnow
from reference.winnow import Winnow as Oracle
from scipy.sparse import csr_array

from regretless import oco, streams
from regretless.adversaries import DisjunctionStream
from regretless.base.state import load
from regretless.batch import online_to_batch
from regretless.experts import WeightedMajority
from regretless.geometry import UnnormalizedEntropy
from regretless.linear import BalancedWinnow, Winnow

unhurried = settings(deadline=None, max_examples=150, derandomize=True)
# theta is a float of relative error 2^-24 per addition; times 2 rate < 1 in the exponent, and a few
# dozen additions of at most 3: a relative error of 1e-5 in a weight
NEAR = {"rel": 1e-5, "abs": 1e-6}


def signed(model):
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def disjunction(seed, d=40, k=3, rounds=400, noise=0.0):
    stream = DisjunctionStream(d, k, noise, seed=seed)
    pairs = [pair for pair, _ in zip(stream, range(rounds))]
    X = np.zeros((rounds, d))
    for t, (x, _) in enumerate(pairs):
        X[t, list(x)] = 1.0
    u = np.zeros(d)
    u[list(stream.relevant)] = 1.0
    return X, np.array([y for _, y in pairs]), u


# -- Winnow against its oracle --------------------------------------------------------------------


def test_golden():
    """Shalev-Shwartz (2012), Theorem 3.10: the margin is 0, a mistake; 1/4 e^(1/2)."""
    model = signed(Winnow(dimension=4))
    assert model.decision_one([1, 0, 1, 0]) == 0
    model.learn_one([1, 0, 1, 0], 1)
    weights = model.weights_
    # theta is exact, the exponential a double; the core multiplies by 1e-30 and divides again
    assert [weights[0], weights[2]] == pytest.approx([0.4121803177] * 2, rel=1e-9)
    assert model.decision_one([0, 1, 0, 0]) == -0.5  # 2/4 - 1: it has not been seen
    assert model.intercept_ == -0.5
    model.learn_one([0, 1, 0, 1], -1)  # a score of 0 again, and the other way
    assert model.weights_[1] == pytest.approx(0.25 * math.exp(-0.5), rel=1e-9)


@st.composite
def in_the_unit_cube(draw):
    rounds, d = draw(st.integers(1, 15)), draw(st.integers(1, 5))
    values = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.5, 0.125, 0.75])
    X = draw(st.lists(values, min_size=rounds * d, max_size=rounds * d))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rounds, max_size=rounds))
    h = draw(st.lists(st.sampled_from([1.0, 1.0, 0.0, 2.0]), min_size=rounds, max_size=rounds))
    options = draw(
        st.fixed_dictionaries(
            {
                "dimension": st.sampled_from([None, 3, 20]),
                "rate": st.sampled_from([0.25, 0.0625, 0.4375]),
            }
        )
    )
    return np.array(X).reshape(rounds, d), y, h, options


@unhurried
@given(in_the_unit_cube())
def test_agrees_with_the_oracle(case):
    """Features that join later begin with 1/d and scale the others, unless d is given."""
    X, y, h, options = case
    model = signed(Winnow(**options))
    oracle = Oracle(X.shape[1], options["rate"], options["dimension"])
    for x, label, w in zip(X, y, h):
        s = oracle.predict(x)
        assert model.decision_one(x) == pytest.approx(s, **NEAR)
        if abs(s) < 1e-5 and s != model.decision_one(x):
            return  # the two may part here
        before = model.decision_one(x)
        assert model.step(x, label, w) == (1 if before >= 0 else -1)
        oracle.learn(x, label, w)
    assert model.updates_ == len(oracle.mistakes)
    assert model.loss_ == pytest.approx(oracle.suffered, **NEAR)


def test_weights_never_leave_the_range_of_logarithms():
    """Thousands of demotions, and back: theta is a sum, and no weight is lost at 0."""
    model = signed(Winnow(dimension=1, rate=0.49))
    for _ in range(40):
        model.learn_one([1.0], -1)
    down = model.weights_[0]
    assert 0 < down <= 0.5
    model.learn_one([1.0], 1)
    assert model.weights_[0] == pytest.approx(down * math.exp(0.98), rel=1e-6)


def forms(X):
    names = [str(j) for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    return {
        "dense": X,
        "csr": csr_array(X),
        "lists": X.tolist(),
        "frame": frame,
        "polars": pl.DataFrame(X, names),
        "arrow": pa.table({name: pa.array(X[:, j].tolist()) for j, name in enumerate(names)}),
    }


@pytest.mark.parametrize("features", ["exact", "hashed"])
@pytest.mark.parametrize("form", forms(np.zeros((1, 1))))
def test_every_form_of_input(form, features, tmp_path):
    """One by one, in batches of any form, before and after a stop."""
    X, y, _ = disjunction(0, d=12, rounds=100)
    X = X * np.random.default_rng(0).choice([1.0, 0.5, 0.25], X.shape)
    options = {"features": features, "bits": 10}
    batch = forms(X)[form]
    one, many = signed(Winnow(**options)), signed(Winnow(**options)).partial_fit(batch, y)
    named = form in ("frame", "polars", "arrow")
    rows = [{(str(j) if named else j): v for j, v in enumerate(row)} for row in X.tolist()]
    for row, label in zip(rows, y.tolist()):
        one.learn_one(row, label)
    assert many.weights_ == one.weights_
    assert many.loss_ == one.loss_
    scores = many.decision_function(batch)
    assert scores.tolist() == [one.decision_one(row) for row in rows]
    fresh = many.decision_one({"new": 1.0, **rows[0]})  # unseen features play, too
    many.save(tmp_path / "m")
    for twin in (load(tmp_path / "m"), pickle.loads(pickle.dumps(many)), copy.deepcopy(many)):
        assert twin.decision_one({"new": 1.0, **rows[0]}) == fresh
        twin.partial_fit(batch, y)
        again = copy.deepcopy(one).partial_fit(batch, y)
        assert twin.weights_ == again.weights_


def test_text_streams(tmp_path):
    """The reader's rows, with names and hashed."""
    X, y, _ = disjunction(1, d=8, rounds=50)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v)
        for row, label in zip(X, y)
    ]
    (tmp_path / "x.svm").write_text("\n".join(lines) + "\n")
    for features in ("exact", "hashed"):
        read, by_hand = (signed(Winnow(features=features, bits=8)) for _ in range(2))
        for piece in streams.read(tmp_path / "x.svm").pieces(read.form()):
            read.learn_many(piece.X, piece.y.astype(int))
        for row, label in zip(X, y.tolist()):
            by_hand.learn_one({j + 1: v for j, v in enumerate(row) if v}, label)
        assert read.weights_ == by_hand.weights_


@pytest.mark.parametrize("labels", [2, 3, 5])
def test_a_lane_per_label(labels):
    """Every lane is a Winnow of its label against the rest."""
    rng = np.random.default_rng(labels)
    X = (rng.random((80, 6)) < 0.4) * 1.0
    y = rng.integers(0, labels, 80)
    model = Winnow().partial_fit(X, y, np.arange(labels))
    for k in range(labels) if labels > 2 else [1]:
        alone = Winnow().partial_fit(X, (y == k) * 1, [0, 1])
        column = model.decision_function(X)
        column = column[:, k] if labels > 2 else column
        np.testing.assert_allclose(column, alone.decision_function(X), rtol=1e-12)
        weights = model.weights_[k] if labels > 2 else model.weights_
        assert weights == pytest.approx(alone.weights_, rel=1e-12)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-0.5, 1.5, -1e-30, math.inf, 1e30])
@pytest.mark.parametrize("way", ["one", "step", "dict", "score", *forms(np.zeros((1, 1)))])
def test_features_outside_the_unit_interval(way, value):
    """The message names the feature, and the learner is as it was, names included."""
    X, y, _ = disjunction(2, d=5, rounds=600)
    model = signed(Winnow()).partial_fit(X[:20], y[:20])
    before = {name: array.tobytes() for name, array in model._model.state().items()}
    bad = X.copy()
    bad[-1, 3] = value  # after more rows than are converted at a time
    says = "finite" if not abs(value) < 1e19 else r"outside \[0, 1\].*BalancedWinnow"
    ways = {
        "one": lambda: model.learn_one(bad[-1], 1),
        "step": lambda: model.step(bad[-1], 1),
        "dict": lambda: model.learn_one({"new": 1.0, 3: value}, 1),
        "score": lambda: model.decision_one(bad[-1]),
    }
    with pytest.raises(ValueError, match=says):
        ways.get(way, lambda: model.learn_many(forms(bad)[way], y))()
    assert {name: array.tobytes() for name, array in model._model.state().items()} == before
    model.learn_many(X, y)


def test_the_average_of_winnows_is_taken_of_what_they_say():
    """Its score is not linear in features that it has not seen, so weights are not averaged."""
    X, y, _ = disjunction(3, d=6, rounds=60)
    predictor = online_to_batch(Winnow(), (X, y))
    assert type(predictor.hypothesis).__name__ == "MeanPredictor"


# -- equivalences ---------------------------------------------------------------------------------


def test_winnow_is_unnormalised_exponentiated_gradient():
    """The gradients are -2 y x on the mistakes, the start 1/d.

    Shalev-Shwartz (2012), Theorem 3.10.
    """
    X, y, _ = disjunction(4, d=10)
    model = signed(Winnow(dimension=10))
    player = oco.OnlineMirrorDescent(UnnormalizedEntropy(0.1), 10, rate=0.25)
    for x, label in zip(X, y.tolist()):
        w = np.asarray(player.point)
        s = 2 * w @ x - 1
        assert model.decision_one(x) == pytest.approx(s, **NEAR)
        player.update(-2 * label * x if label * s <= 0 else 0 * x)
        model.learn_one(x, label)


@pytest.mark.parametrize("rate", [0.5, 0.1])
def test_balanced_winnow_is_the_normalised_one_on_both_signs(rate):
    """Mohri et al. (2018), section 8.3.2 on (x, -x), whose scores are those of radius 1; all
    features are known from the start.
    """
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 4)).astype(np.float32).astype(float)
    y = np.where(X @ [1.0, -1.0, 0.0, 0.5] + 0.3 * rng.normal(size=150) > 0, 1, -1)
    oracle = NormalizedWinnow(8, rate)
    models = [
        signed(BalancedWinnow(radius=radius, rate=rate, intercept=False)) for radius in (1.0, 8.0)
    ]
    for x, label in zip(X, y.tolist()):
        s = oracle.predict(np.r_[x, -x])
        for model, radius in zip(models, (1.0, 8.0)):
            assert model.decision_one(x) == pytest.approx(radius * s, rel=1e-4, abs=1e-5)
            model.learn_one(x, label)
        oracle.learn(np.r_[x, -x], label)
    assert [m.updates_ for m in models] == [len(oracle.mistakes)] * 2


def test_the_golden_trace_of_the_normalised_one():
    """Mohri et al. (2018), section 8.3.2: the oracle, and with it the above."""
    X = np.array([(1, -0.5, 0), (-1, 0.5, 1), (0.5, 1, -1), (-0.2, -1, 0.3)])
    y, oracle, margins = [1, 1, -1, -1], NormalizedWinnow(3, 0.5), []
    for x, label in zip(X, y):
        margins.append(label * oracle.predict(x))
        oracle.learn(x, label)
    np.testing.assert_allclose(margins, [1 / 6, 1 / 6, -1 / 6, 0.0882233964], rtol=1e-9)
    np.testing.assert_allclose(oracle.w, [0.2566866355, 0.1999077528, 0.5434056117], rtol=1e-9)


def test_balanced_winnow_is_weighted_majority_on_signs():
    """On inputs of -1 and +1, beta = e^(-2 rate), away from ties.

    Mohri et al. (2018), section 8.3.2.
    """
    rng, rate = np.random.default_rng(6), 0.3
    X = rng.choice([-1.0, 1.0], (300, 7))
    y = np.where(rng.random(300) < 0.2, -X[:, 0], X[:, 0]).astype(int)
    model = signed(BalancedWinnow(rate=rate, intercept=False))
    majority = WeightedMajority(14, beta=math.exp(-2 * rate))
    # (x, -x) begin with a tie, so that both are given the same first step
    first = X[0] * y[0]
    model.learn_one(first, 1)
    majority.charges[:] = np.r_[first, -first] < 0
    ties = 0
    for x, label in zip(X, y.tolist()):
        s = model.decision_one(x)
        advice = (np.r_[x, -x] > 0).astype(int)
        if abs(s) < 1e-6:  # Winnow counts it as a mistake, the majority says 1: nobody learns
            ties += 1
            continue
        assert majority.predict(advice) == (s > 0)
        majority.update(advice, int(label > 0))
        model.learn_one(x, label)
    assert ties < 100


# -- how many mistakes ----------------------------------------------------------------------------


def by_hand(X, y, u, eta, dimension):
    """Thm 3.10 with its numerator kept, over the mistakes of the oracle."""
    oracle = Oracle(X.shape[1], eta, dimension)
    suffered, begun, known = 0.0, 0.0, 0
    for x, label in zip(X, y):
        missed = len(oracle.mistakes)
        oracle.learn(x, label)
        if len(oracle.mistakes) > missed:
            suffered += max(0.0, 1 - label * (2 * u @ x - 1))
            d, seen = dimension or oracle.seen.sum(), oracle.seen.sum()
            begun += (seen - known) / d
            known = seen
    last = dimension or known
    entropy = begun + sum(v * (math.log(v * last) - 1) for v in u if v > 0)
    return len(oracle.mistakes), (suffered + entropy / eta) / (1 - 2 * eta)


@pytest.mark.parametrize("dimension", [None, 40])
@pytest.mark.parametrize("eta", [0.25, 0.1])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_bounds(noise, eta, dimension):
    for seed in range(2):
        X, y, u = disjunction(seed, noise=noise)
        model = signed(Winnow(rate=eta, dimension=dimension)).partial_fit(X, y)
        for v in (u, 0.5 * u, 0 * u, np.random.default_rng(seed).random(40)):
            M, bound = by_hand(X, y, v, eta, dimension)
            found = model.certificate(X, y, comparator=v)
            assert found.updates == M
            assert min(found.bounds.values()) == pytest.approx(bound, rel=1e-9)
            assert found.holds
        if not noise and eta == 0.25 and dimension:
            assert (
                model.updates_
                <= model.certificate(X, y, comparator=u).bound
                <= 8 * 3 * math.log(40)
            )
    refused = model.certificate(X, y, comparator=-u)
    assert refused.bound == math.inf
    assert refused.assumptions["u >= 0"] is False


def test_features_that_join_late_keep_the_bound():
    """A stream whose features come one after the other: without a dimension, d grows to 60."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.tril(rng.random((120, 60)) < 0.3, k=-60 + 2) * 1.0
        X = np.vstack([X[60:], (rng.random((120, 60)) < 0.1) * 1.0])
        u = np.zeros(60)
        u[rng.choice(60, 3, replace=False)] = 1.0
        y = np.where(X @ u > 0, 1, -1)
        model = signed(Winnow()).partial_fit(X, y)
        M, bound = by_hand(X, y, u, 0.25, None)
        found = model.certificate(X, y, comparator=u)
        assert found.updates == M
        assert min(found.bounds.values()) == pytest.approx(bound, rel=1e-9)
        assert found.holds


def test_hashed_features_are_certified():
    """d is 2^bits; balanced Winnow says that it cannot be played again."""
    X, y, u = disjunction(11)
    model = signed(Winnow(features="hashed", bits=10)).partial_fit(X, y)
    found = model.certificate(X, y, comparator=u)
    assert found.holds
    assert min(found.bounds.values()) == pytest.approx(by_hand(X, y, u, 0.25, 1024)[1], rel=1e-9)
    balanced = signed(BalancedWinnow(features="hashed", bits=10)).partial_fit(X, y)
    assert not balanced.certificate(X, y, comparator=u).holds


def test_the_printed_sign_breaks_the_theorem():
    """With e^{-2 eta y x} a mistake makes the next one likelier; 100 random runs.

    Shalev-Shwartz (2012), section 3.3.2, as printed.
    """
    failed = {1.0: 0, -1.0: 0}
    for seed in range(100):
        X, y, u = disjunction(seed, d=20, k=2, rounds=200)
        for sign in failed:
            oracle = Oracle(20, 0.25, 20, sign)
            suffered = 0.0
            for x, label in zip(X, y):
                s = oracle.predict(x)
                suffered += max(0.0, 1 - label * s) * (label * s <= 0)
                oracle.learn(x, label)
            failed[sign] += suffered > 8 * u.sum() * math.log(20)
    assert failed[1.0] == 0
    assert failed[-1.0] > 33
    X, y, _ = disjunction(0, d=20, k=2, rounds=200)
    model = signed(Winnow(dimension=20)).partial_fit(X, y)
    assert model.loss_ <= 8 * 2 * math.log(20)


def test_step_3_4_of_the_proof():
    """Per mistake: the sum of w z^2 is at most twice the loss, for x in [0, 1]."""
    rng = np.random.default_rng(8)
    oracle = Oracle(6, 0.25, 6)
    for _ in range(300):
        x, label = rng.random(6), rng.choice([-1, 1])
        s, w = oracle.predict(x), oracle.weights(x)
        if label * s <= 0:
            assert np.sum(w * (2 * x) ** 2) <= 2 * (1 - label * s) + 1e-12
        oracle.learn(x, label)


@pytest.mark.parametrize("radius", [1.0, 3.0])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_balanced_bounds(radius, scale):
    rng = np.random.default_rng(9)
    for seed in range(3):
        X = scale * rng.uniform(-1, 1, (200, 5))
        y = np.where(X @ rng.normal(size=5) + 0.1 * rng.normal(size=200) > 0, 1, -1)
        model = signed(BalancedWinnow(radius=radius, intercept=False))
        M = []
        for x, label in zip(X, y.tolist()):
            M.append(label * model.decision_one(x) <= 0)
            model.learn_one(x, label)
        eta = 1 / radius
        gain = 1 - eta * radius * np.abs(X[M]).max() ** 2 / 2
        for u in rng.normal(size=(10, 5)):
            v = radius * u / np.abs(u).sum()
            found = model.certificate(X, y, comparator=v)
            assert found.holds, seed
            L = np.maximum(0, 1 - y[M] * (X[M] @ v)).sum()
            bound = (radius * math.log(10) / eta + L) / gain
            assert found.updates == sum(M)
            least = min(found.bounds.values())
            assert least == pytest.approx(bound, rel=1e-6)  # values are floats there
    too_large = model.certificate(X, y, comparator=np.full(5, radius))
    assert too_large.assumptions["||u||_1 <= radius"] is False
    fast = signed(BalancedWinnow(rate=2.5, radius=1.0, intercept=False)).partial_fit(X / scale, y)
    found = fast.certificate(X / scale, y, comparator=np.eye(5)[0])
    assert found.assumptions["rate radius max |x|^2 < 2"] is False
    assert not found.holds


def test_what_no_model_could_have_beaten():
    """`best_possible` in the units of the text: f(u) over the mistakes, for every u of that norm."""
    X, y, u = disjunction(10, noise=0.15)
    for certify in (False, True):
        model = signed(Winnow(certify=certify, dimension=40))
        losses = []
        for x, label in zip(X, y.tolist()):
            losses.append(label * model.decision_one(x) <= 0)
            model.learn_one(x, label)
        certificate, mistakes = model.certificate(), np.array(losses)
        assert certificate.updates == mistakes.sum()
        norm = np.linalg.norm(list(model.weights_.values()))
        assert certificate.weight_norm == pytest.approx(norm, rel=1e-12)
        for v in (u, 0.3 * u, np.random.default_rng(0).normal(size=40)):
            f = np.maximum(0, 1 - y * (2 * X @ v - 1))[mistakes].sum()
            for norm in (1, 2, math.inf):
                least = certificate.best_possible(np.linalg.norm(v, norm), ord=norm)
                assert least <= f * (1 + 1e-9)
        # the linearisation is exact at -1 times the sum of the gradients: some bound is not 0
        assert certificate.best_possible(0.01) > 0
