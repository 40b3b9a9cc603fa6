"""The on-line SVM: traces, kinks, Pegasos, the ball, and its regret."""

import math

import numpy as np
import pytest
from reference.comparison import weights_of
from reference.svm import OnlineSVM as Oracle
from scipy.optimize import minimize

from regretless import rates
from regretless.linear import OnlineSVM

FIVE = np.array([(1, 2), (-1, 1), (2, -1), (-1, -1), (1, -1)], float)
SIGNS = np.array([1, -1, 1, -1, 1])
# a step rounds v once at 2^-24 and the scale at 2^-53; over hundreds of rounds errors neither add up
# with one sign nor stay, since w shrinks: 1e-5 of the largest weight
NEAR = {"rtol": 1e-5, "atol": 1e-5}


def signed(model):
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def stream(seed, rounds=200, d=4, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, d)).astype(np.float32).astype(float)
    return X, np.where(X @ rng.normal(size=d) + noise * rng.normal(size=rounds) > 0, 1, -1)


def test_golden():
    """Mohri et al. (2018), Exercise 8.5: C = 1, rate 0.1."""
    expected = [(0.1, 0.2), (0.19, 0.08), (0.371, -0.028), (0.4339, 0.0748), (0.49051, -0.03268)]
    model = signed(OnlineSVM(C=1.0, rate=0.1, intercept=False))
    for x, y, w in zip(FIVE, SIGNS.tolist(), expected):
        model.learn_one(x, y)
        np.testing.assert_allclose(weights_of(model, 2), w, rtol=1e-6)


@pytest.mark.parametrize("at_kink", ["none", "shrink"])
def test_a_margin_of_exactly_1(at_kink):
    """The figure does nothing there, which is no step along a subgradient."""
    model = signed(OnlineSVM(C=2.0, rate=0.5, at_kink=at_kink, intercept=False))
    model.learn_one([1.0, 0.0], 1)  # w = (1, 0), exactly: powers of two
    model.learn_one([1.0, 0.0], 1)
    assert weights_of(model, 2).tolist() == [1.0 if at_kink == "none" else 0.5, 0.0]
    X, y = [[1.0, 0.0], [1.0, 0.0]], [1, 1]
    found = model.certificate(X, y, comparator=[1.0])
    assert found.holds == (at_kink == "shrink")


@pytest.mark.parametrize("projection", [False, True])
def test_rate_1_over_t_is_pegasos(projection):
    """W <- (1 - 1/t) w + y x / (lambda t), lambda = 1 / C; the ball is 1 / sqrt(lambda).

    Mohri et al. (2018), Exercise 8.5.
    """
    X, y = stream(0)
    C = 5.0
    model = signed(OnlineSVM(C=C, projection=projection, intercept=False))
    w, lam = np.zeros(4), 1 / C
    for t, (x, label) in enumerate(zip(X, y.tolist()), 1):
        fires = label * (w @ x) < 1
        w = (1 - 1 / t) * w + fires * label * x / (lam * t)
        if projection:
            w = min(1.0, 1 / math.sqrt(lam) / np.linalg.norm(w)) * w
        model.learn_one(x, label)
        np.testing.assert_allclose(weights_of(model, 4), w, **NEAR)
        R = np.linalg.norm(X, axis=1).max()
        assert np.linalg.norm(w) <= C * R * (1 + 1e-12)
        assert not projection or np.linalg.norm(weights_of(model, 4)) <= math.sqrt(C) * (1 + 1e-6)


@pytest.mark.parametrize("rate", [0.9, 0.01, rates.Inverse(1.0), rates.InverseSqrt(1.0)], ids=repr)
def test_ten_thousand_rounds(rate):
    """The scale runs down to 1e-6 and is taken into the rows, over and over."""
    X, y = stream(1, rounds=10_000)
    X[:, 3] *= np.arange(10_000) % 97 == 0  # seldom there
    model = signed(OnlineSVM(C=3.0, rate=rate, at_kink="shrink", intercept=False))
    oracle = Oracle(4, C=3.0, rate=rates.get(rate), kink="shrink")
    model.partial_fit(X, y)
    for x, label in zip(X, y):
        oracle.learn(x, label)
    np.testing.assert_allclose(weights_of(model, 4), oracle.w, rtol=1e-4, atol=1e-4)
    # a margin that rounding puts on the other side of 1 moves w by rate C ||x|| at most, for a while


def objective(w, X, y, C):
    return 0.5 * w @ w * len(y) + C * np.maximum(0, 1 - y * (X @ w)).sum()


@pytest.mark.parametrize("rate", [0.05, None, rates.InverseSqrt(0.5)], ids=repr)
@pytest.mark.parametrize("projection", [False, True])
def test_regret(rate, projection):
    """Against random comparators and the best there is; by hand from the weights of the oracle."""
    C = 2.0
    for seed in range(3):
        X, y = stream(seed)
        model = OnlineSVM(C=C, rate=rate, projection=projection, at_kink="shrink", intercept=False)
        signed(model).partial_fit(X, y)
        oracle = Oracle(4, C=C, rate=model._schedule, ball=projection, kink="shrink")
        suffered, squares = 0.0, 0.0
        for x, label in zip(X, y):
            m = label * (oracle.w @ x)
            suffered += 0.5 * oracle.w @ oracle.w + C * max(0, 1 - m)
            g = oracle.w - (m < 1) * C * label * x
            squares += g @ g
            oracle.learn(x, label)
        best = minimize(objective, np.zeros(4), (X, y, C), method="Powell").x
        R, T = np.linalg.norm(X, axis=1).max(), len(X)
        for u in (best, np.zeros(4), *np.random.default_rng(seed).normal(size=(5, 4)) / 4):
            found = model.certificate(X, y, comparator=u)
            assert found.regret == pytest.approx(
                suffered - objective(u, X, y, C), rel=1e-9, abs=1e-8
            )
            assert found.holds == (not projection or u @ u <= C)
            if rate == 0.05:
                constant = u @ u / (2 * rate) + rate / 2 * squares
                assert found.bounds["constant rate"] == pytest.approx(constant, rel=1e-9)
                assert found.bounds["descent"] <= constant * (1 + 1e-9)
            if rate is None:
                logarithmic = 2 * C * C * R * R * (1 + math.log(T))
                assert found.bounds["rate 1/t"] == pytest.approx(logarithmic, rel=1e-6)
                assert found.bounds["descent"] <= logarithmic


def test_descent_is_an_identity_where_the_losses_are_linear():
    """All margins stay below 1, those of u too: the bound minus D_{T+1} / (2 rate_T) is the regret."""
    X, y = stream(3, rounds=50)
    X /= 100
    for rate in (0.1, None):
        model = OnlineSVM(C=1.0, rate=rate, intercept=False)
        signed(model).partial_fit(X, y)
        u = np.array([0.1, 0.2, -0.1, 0.3])
        oracle = Oracle(4, C=1.0, rate=model._schedule)
        for x, label in zip(X, y):
            oracle.learn(x, label)
        left = np.sum((oracle.w - u) ** 2) / (2 * model._schedule(50))
        found = model.certificate(X, y, comparator=u)
        assert found.regret == pytest.approx(found.bounds["descent"] - left, rel=1e-9)


def test_it_finds_the_svm():
    """The average objective comes near the best: regret per round at most the bound over T."""
    X, y = stream(4, rounds=3000)
    model = signed(OnlineSVM(C=1.0, intercept=False)).partial_fit(X, y)
    best = minimize(objective, np.zeros(4), (X, y, 1.0), method="Powell")
    excess = (objective(weights_of(model, 4), X, y, 1.0) - best.fun) / len(y)
    R = np.linalg.norm(X, axis=1).max()
    assert 0 <= excess <= 2 * R * R * (1 + math.log(3000)) / 3000


def test_certificates():
    X, y = stream(5)
    with pytest.raises(ValueError, match="certify=True"):
        OnlineSVM().certificate()
    model = signed(OnlineSVM(certify=True)).partial_fit(X, y)
    plain = model.certificate()
    assert plain.loss == model.loss_
    with pytest.raises(ValueError, match=r"call certificate\(X, y, comparator=\.\.\.\)"):
        model.certificate(comparator=[1.0])
    assert model.certificate(X, y).loss == plain.loss
    assert not model.certificate(X[::-1], y[::-1], comparator=[1.0]).holds
    assert model.certificate(X, y, comparator=[0.1] * 4, intercept=0.2).holds
    three = np.argmax(X[:, :3], axis=1)
    lanes = OnlineSVM(C=1.0).partial_fit(X, three, [0, 1, 2])
    together = lanes.certificate(X, three, comparator={k: np.eye(4)[k] for k in range(3)})
    alone = [
        OnlineSVM(C=1.0)
        .partial_fit(X, (three == k) * 1, [0, 1])
        .certificate(X, (three == k) * 1, comparator=np.eye(4)[k])
        for k in range(3)
    ]
    assert together.regret == pytest.approx(sum(each.regret for each in alone), rel=1e-9)
    assert together.bound == pytest.approx(sum(each.bounds["descent"] for each in alone), rel=1e-9)
    assert together.holds


def test_importance_multiplies_c():
    X, y = stream(6, rounds=50)
    h = np.random.default_rng(0).choice([0.0, 0.5, 2.0], 50)
    model = signed(OnlineSVM(C=2.0, rate=0.1, intercept=False)).partial_fit(X, y, None, h)
    oracle = Oracle(4, C=2.0, rate=lambda t: 0.1)
    for x, label, w in zip(X, y, h):
        oracle.learn(x, label, w)
    np.testing.assert_allclose(weights_of(model, 4), oracle.w, **NEAR)
