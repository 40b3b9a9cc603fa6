"""Regression stumps and decision stumps: against their oracles, by their bound, on odd input."""

import math

import numpy as np
import pytest
from reference import gradient_boosting as by_hand
from reference.streams import single
from scipy.sparse import csr_array

from regretless.boosting import DecisionStump, Stump

both = pytest.mark.parametrize("kind", [Stump, DecisionStump])


def stream(T=300, d=6, seed=0):
    """Features of very different units, some absent, one constant, one empty row; weights."""
    rng = np.random.default_rng(seed)
    U, there = rng.normal(size=(T, d)), rng.random((T, d)) < 0.6
    there[0], there[5] = True, False  # features appear in their order
    X = (U + rng.normal(size=d)) * 10.0 ** np.arange(-3, d - 3)
    X[:, 1] = 7.0
    X = single(X * there)
    y = np.clip((there * U) @ [0.3, 0.0, 0.0, -0.4, 0.2, 0.0] + 0.1 * rng.normal(size=T), -1, 1)
    return X, single(y), rng.choice([0.5, 1.0, 2.0], T)


# doubles on both sides; a few hundred steps, each of a handful of roundings
ROUNDING = 1e-11


def test_stump_is_the_oracle_on_targets():
    X, y, h = stream()
    model, oracle = Stump(bound=1.0, rate=0.7), by_hand.Stump(6, 1.0, 0.7)
    for x, target, w in zip(X, y, h):
        assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=ROUNDING)
        assert model.feature_of(x) == oracle.chosen(x)
        model.learn_one(x, target, w)
        oracle.learn_task(x, lambda v: (v - target) ** 2, lambda v: 2 * (v - target), w)  # noqa: B023
    assert {model.feature_of(x) for x in X} > {None, 0}  # the choice had something to choose


def test_stump_is_the_oracle_on_slopes():
    X, y, h = stream(seed=1)
    model, oracle = Stump(), by_hand.Stump(6)
    for x, slope, w in zip(X, y, h):
        assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=ROUNDING)
        model.learn_slope(x, slope, w)
        oracle.learn(x, slope, w)


def test_decision_stump_is_the_oracle():
    X, y, h = stream(T=150, seed=2)
    y = single(np.round(y * 8) / 8)  # sums of eighths are exact, so ties are ties for both
    model, oracle = DecisionStump(), by_hand.DecisionStump(6)
    features = set()
    for x, slope, w in zip(X, y, h):
        if oracle.labels:
            assert model.predict_one(x) == oracle.predict(x)
        model.learn_slope(x, slope, w)
        oracle.learn(x, slope, w)
        features.add(model.feature_)
    assert len(features) > 2


def test_decision_stump_asks_for_presence_and_for_sign():
    model = DecisionStump()
    for t in range(40):
        present, sign = t % 2, 1 if t % 3 else -1
        model.learn_one({"there": present, "sign": sign}, sign)
    assert model.feature_ == "sign"
    assert [model.predict_one({"sign": s}) for s in (-1, 1)] == [-1, 1]
    model = DecisionStump()
    for t in range(40):
        model.learn_one({"there": t % 2, "other": t % 3}, -1 if t % 2 else 1)
    assert model.feature_ == "there"
    assert [model.predict_one(x) for x in ({}, {"there": 1})] == [1, -1]


@pytest.mark.parametrize("slopes", ["random", "turning", "against"])
def test_a_line_has_the_regret_of_gradient_descent(slopes):
    """At most 4 D sqrt(sum s^2) to every line in the set, once the range of x has been seen."""
    rng = np.random.default_rng(3)
    T, D = 2000, 2.0
    model = Stump(bound=D)
    model.learn_slope({"x": -1.0}, 0.0)
    model.learn_slope({"x": 1.0}, 0.0)
    oracle = by_hand.Stump(1, D)
    oracle.seen[0], oracle.range[0] = 1, (-1, 1)
    total, sums, squares = 0.0, np.zeros(2), 0.0
    for t in range(T):
        z = float(single(rng.uniform(-1, 1)))
        v = oracle.at(0, z)
        s = {
            "random": rng.uniform(-1, 1) + 0.1 * z,
            "turning": (1 if t < T / 2 else -1) * z,
            "against": math.copysign(1.0, v),
        }[slopes]
        total, sums, squares = total + s * v, sums + s * np.array([z, 1.0]), squares + s * s
        model.learn_slope({"x": z}, s)
        oracle.learn(np.array([z]), s)
    best = -D * np.abs(sums).max()  # over |w| + |b| <= D
    assert total - best <= 4 * D * math.sqrt(squares)
    if model.feature_of({"x": z}) is not None:  # the line itself was compared with the oracle
        assert model.predict_one({"x": z}) == pytest.approx(oracle.at(0, z), abs=1e-9)


def test_units_of_features_do_not_matter():
    X, y, _ = stream()
    scale = np.array([1.0, 8.0, 2.0**-10, 64.0, 2.0, 0.5])  # powers of two: nothing is rounded
    assert (Stump().fit(X * scale, y).predict(X * scale) == Stump().fit(X, y).predict(X)).all()


@both
def test_targets_of_any_size_are_reached(kind):
    X, y, _ = stream()
    model = kind().fit(X, 1e6 * y)
    assert 1e5 < np.abs(model.predict(X)).max() <= 1e6 * np.abs(y).max()
    labels = np.where(y > 0, 1e6, -1e6)
    assert np.abs(kind(bound=3.0).fit(X, labels).predict(X)).max() <= 3.0


@both
def test_all_forms_of_rows_are_one(kind):
    X, y, h = stream()
    one = kind()
    for x, target, w in zip(X, y, h):
        one.learn_one({i: v for i, v in enumerate(x.tolist()) if v}, target, w)
    expected = one.predict(X)
    for batch in (X, csr_array(X)):
        model = kind()
        model.learn_many(batch[:100], y[:100], h[:100])
        model.partial_fit(batch[100:], y[100:], h[100:])
        assert (model.predict(batch) == expected).all()
    stepped = kind()
    before = [stepped.step(x, t, w) for x, t, w in zip(X, y, h)]
    again = kind()
    for x, target, w, p in zip(X, y, h, before):
        assert again.predict_one(x) == p
        again.learn_one(x, target, w)
    assert (again.predict(X) == expected).all()


@both
def test_bad_input_changes_nothing(kind):
    X, y, _ = stream()
    model = kind().fit(X, y)
    before = model.predict(X)
    for bad, match in [
        (lambda: model.learn_one({"a": math.inf}, 1.0), "inf"),
        (lambda: model.learn_one({"a": 1.0}, math.inf), "y = inf"),
        (lambda: model.learn_one({"a": 1.0}, 1.0, -1.0), "w = -1"),
        (lambda: model.learn_slope({"a": 1.0}, math.nan), "slope = nan"),
        (lambda: model.learn_slope({"a": 1.0}, "x"), "slope='x'"),
        (lambda: model.learn_slope({"a": 1.0}, 1.0, -2.0), "w = -2"),
        (lambda: model.learn_many(X, y[:-1]), "rows"),
    ]:
        with pytest.raises(ValueError, match=match):
            bad()
    assert (model.predict(X) == before).all()
    assert model.examples_ == len(y)
    assert not hasattr(model, "weights_")
    assert not hasattr(model, "intercept_")
    with pytest.raises(ValueError, match=r"bound=-1"):
        kind(bound=-1).predict_one({})


def test_odd_rows():
    model = Stump()
    assert model.predict_one({}) == 0.0
    model.learn_one({}, 3.0)  # an empty row teaches the constant
    assert model.predict_one({}) == model.predict_one({"new": 5}) != 0.0
    model.learn_one({"new": 5}, 3.0, 0.0)  # weight 0: as if it were not there
    assert model.examples_ == 1
    for _ in range(50):
        model.learn_one({"constant": 2.0}, 1.0)
    assert math.isfinite(model.predict_one({"constant": 1e18}))
    assert repr(Stump(rate=2.0)) == "Stump(rate=2.0)"
    with pytest.raises(ValueError, match="rate=0"):
        Stump(rate=0).predict_one({})
