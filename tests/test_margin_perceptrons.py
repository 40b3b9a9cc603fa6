"""The margin and the p-norm Perceptron: traces, steps, and how often they can be wrong."""

import math

import numpy as np
import pytest
from reference.comparison import weights_of
from reference.perceptron_games import FIVE, SIGNS, noisy, separable, signed

from regretless.linear import (
    BalancedWinnow,
    MarginPerceptron,
    Perceptron,
    PNormPerceptron,
)

# -- the margin Perceptron ------------------------------------------------------------------------


def test_margin_perceptron_golden():
    """Updates at points 1 and 2 of the first pass, then none; w = (2, 1).

    Mohri et al. (2018), Exercise 8.6.
    """
    model = signed(MarginPerceptron(margin=0.5, intercept=False))
    counts = []
    for x, y in zip(np.tile(FIVE, (2, 1)), np.tile(SIGNS, 2).tolist()):
        model.learn_one(x, y)
        counts.append(model.updates_)
    assert counts == [1] + [2] * 9
    assert weights_of(model, 2).tolist() == [2, 1]


@pytest.mark.parametrize("margin", [0.4, 0.1, 0.03])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_margin_perceptron_steps_and_bounds(margin, seed):
    """The steps of the proof after every update; at the end half the margin everywhere."""
    X, y, u = separable(seed, margin, rounds=60)
    rho, R = margin * (1 - 1e-7), np.linalg.norm(X, axis=1).max()
    model, norm = signed(MarginPerceptron(margin=rho, intercept=False)), 0.0
    passes, before = 0, -1
    while model.updates_ > before:
        before = model.updates_
        for x, label in zip(X, y.tolist()):
            model.learn_one(x, label)
            now = np.linalg.norm(weights_of(model, 3))
            assert now**2 <= ((norm + rho / 2) ** 2 + R * R) * (1 + 1e-6)
            assert model.updates_ * rho <= now * (1 + 1e-6)
            norm = now
        passes += 1
    w = weights_of(model, 3)
    assert (y * (X @ w) / np.linalg.norm(w)).min() >= rho / 2 * (1 - 1e-6)
    twin = signed(MarginPerceptron(margin=rho, intercept=False))
    assert (done := twin.cycle(X, y)).separated
    assert (done.passes, done.updates) == (passes, model.updates_)
    whole = np.tile(X, (passes, 1)), np.tile(y, passes)
    certificate, found = twin.certificate(*whole), twin.certificate(*whole, comparator=u)
    again = twin.certificate(X, y, comparator=u)  # as many passes as there were
    assert (again.updates, again.bounds) == (found.updates, found.bounds)
    assert again.holds
    assert found.holds
    assert found.updates == twin.updates_
    assert found.bounds["envelope"] <= found.bounds["Mohri et al. (2018), Exercise 8.6"]
    sixteen = pytest.approx(16 * certificate.radius**2 / rho**2, rel=1e-9)
    assert found.bounds["Mohri et al. (2018), Exercise 8.6"] == sixteen
    assert certificate.radius <= R * (1 + 1e-6)
    if norm < 4 * R * R / rho:
        assert found.updates < 4 * R * R / rho**2


def test_the_envelope_is_well_below_sixteen():
    """At most 2.513 (R / rho)^2 for R / rho up to 300; here up to 100.

    Mohri et al. (2018), Exercise 8.6.
    """
    from regretless.linear.perceptron import _envelope

    for ratio in (1.0, 1.5, 3.0, 10.0, 40.0, 100.0):
        n = [0.0]
        while len(n) <= 16 * ratio**2:
            n.append(math.sqrt(n[-1] ** 2 + n[-1] + ratio**2))
        largest = max(k for k, v in enumerate(n) if v >= k)
        assert largest <= _envelope(ratio, 1.0, 1.0) <= largest + largest / 1000
        assert largest <= 2.513 * ratio**2
    assert 2.5e16 < _envelope(1e8, 1.0, 1.0) < 2.52e16  # in no time
    assert _envelope(10.0, 1.0, 0.75) > _envelope(10.0, 1.0, 1.0)
    assert _envelope(10.0, 1.0, 0.5) == math.inf


def test_a_comparator_without_the_margin():
    X, y, u = separable(0, 0.2)
    model = signed(MarginPerceptron(margin=0.5, intercept=False)).partial_fit(X, y)
    found = model.certificate(X, y, comparator=u)
    assert not found.holds
    assert found.bound == math.inf


def test_no_margin_is_the_perceptron():
    """Mohri et al. (2018), Exercise 8.6: rho -> 0, away from scores that are exactly 0."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = np.where(X @ [1.0, 2.0, 3.0] + rng.normal(size=200) > 0, 1, -1)
    plain, tiny = (
        signed(m).partial_fit(X, y)
        for m in (Perceptron(intercept=False), MarginPerceptron(margin=1e-12, intercept=False))
    )
    assert plain.weights_ == tiny.weights_
    # a score of exactly 0 is below any margin, though the text asks for < and the Perceptron for <=
    for model in (Perceptron(intercept=False), MarginPerceptron(margin=1e-300, intercept=False)):
        assert signed(model).partial_fit(np.eye(2), [1, 1]).updates_ == 2


def test_the_norm_is_kept_through_cancellation():
    """Great weights that go leave the small ones; w = 0 exactly fires again."""
    model = signed(MarginPerceptron(margin=0.5, intercept=False))
    model.learn_one([4096.0, 0.0], 1)
    model.learn_one([4096.0, 0.0], -1)  # w = 0
    model.learn_one([0.0, 2.0**-10], 1)
    assert model.updates_ == 3
    model.learn_one([0.0, 2.0**-10], 1)  # a margin of 2^-10 is less than 1/4
    assert model.updates_ == 4
    model.learn_one([0.0, 1.0], 1)
    assert model.updates_ == 4


# -- the p-norm Perceptron ------------------------------------------------------------------------


def test_pnorm_golden():
    """Shalev-Shwartz and Singer (2007), Example 3, p = 3."""
    model, margins = signed(PNormPerceptron(p=3.0, intercept=False)), []
    for x, y in zip(FIVE, SIGNS.tolist()):
        margins.append(y * model.decision_one(x))
        model.learn_one(x, y)
    # the link of floats, exact here but for the powers, which are in doubles
    expected = [0, -1.4422495703, 3.3652489974, 2.4037492838, 1.4422495703]
    np.testing.assert_allclose(margins, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weights_of(model, 2), [1.9229994271, 0.4807498568], rtol=1e-9)


@pytest.mark.parametrize("p", [2.0, 3.0, 8.0])
def test_pnorm_bounds(p):
    q = p / (p - 1)
    for seed in range(3):
        X, y = noisy(seed)
        model = signed(PNormPerceptron(p=p, intercept=False)).partial_fit(X, y)
        for u in np.random.default_rng(seed).normal(size=(10, 4)):
            theta, M = np.zeros(4), []
            for t, (x, label) in enumerate(zip(X, y)):
                top = np.abs(theta).max() or 1.0
                if label * (np.sign(theta) * (np.abs(theta) / top) ** (p - 1) @ x) <= 1e-12:
                    theta = theta + label * x
                    M.append(t)
            if len(M) != model.updates_:
                continue  # a score of 0 up to rounding: the two parted
            size = np.linalg.norm(X[M], p, axis=1).max()
            A = (p - 1) * (size * np.linalg.norm(u, q)) ** 2
            L = np.maximum(0, 1 - y[M] * (X[M] @ u)).sum()
            found = model.certificate(X, y, comparator=u)
            assert min(found.bounds.values()) == pytest.approx(
                L + A / 2 * (1 + math.sqrt(1 + 4 * L / A))
            )
            assert found.holds


def test_pnorm_2_is_the_perceptron():
    X, y = noisy(11)
    one, other = (m.fit(X, y) for m in (PNormPerceptron(p=2.0), Perceptron()))
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-6)
    u = [1.0, 0.5, -1.0, 0.0]
    found = min(one.certificate(X, y, comparator=u).bounds.values())
    theirs = other.certificate(X, y, comparator=u)
    assert found == pytest.approx(theirs.bounds["Mohri et al. (2018), Theorem 8.11"], rel=1e-9)


def test_few_relevant_features_among_many():
    """What the p-norm is for: one of 500 signs tells the label; the Perceptron's bound is 500."""
    rng = np.random.default_rng(6)
    X = rng.choice([-1.0, 1.0], (600, 500))
    y = X[:, 0].astype(int)
    u = np.eye(500)[0]
    updates = {}
    for model in (
        Perceptron(intercept=False),
        PNormPerceptron(p=2 * math.log(500), intercept=False),
        BalancedWinnow(radius=1.0, intercept=False),
    ):
        found = signed(model).partial_fit(X, y).certificate(X, y, comparator=u)
        assert found.holds
        updates[type(model).__name__] = found.updates
    assert min(found.bounds.values()) <= 2 * math.log(2 * 500)
    assert max(updates["BalancedWinnow"], updates["PNormPerceptron"]) < updates["Perceptron"] / 3
