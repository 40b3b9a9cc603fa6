"""Leave one out: hard margins and the risk that they bound.

Mohri et al. (2018), Theorems 8.9 and 8.10.
"""

import math

import numpy as np
import pytest
from reference.perceptron_games import separable, signed

from regretless.batch import hard_margin, separable_risk
from regretless.linear import (
    Perceptron,
)

# -- leave one out: Mohri et al. (2018), Theorems 8.9 and 8.10
# ---------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_hard_margin_svm(seed):
    """The sum of alphas, the margins, and what must be true of points that matter.

    Mohri et al. (2018), Theorem 8.10.
    """
    X, y, _ = separable(seed, 0.15, rounds=14)
    svm = hard_margin(X, y)
    margins = y * (X @ svm.weights)
    assert margins.min() >= 1 - 1e-8
    np.testing.assert_allclose(svm.alphas @ (y[:, None] * X), svm.weights, atol=1e-9)
    assert svm.alphas.sum() == pytest.approx(1 / svm.margin**2, rel=1e-6)
    assert svm.margin >= 0.15 * (1 - 1e-9)
    assert (np.abs(margins - 1) < 1e-6)[svm.alphas > 0].all()
    assert svm.support == (svm.alphas > 0).sum()
    for i in range(len(X)):
        others = np.delete(X, i, axis=0), np.delete(y, i)
        if y[i] * (X[i] @ hard_margin(*others).weights) <= 0:
            assert svm.alphas[i] >= 1 / (X[i] @ X[i]) * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_leave_one_out_errors(seed):
    """Deterministic: errors <= points that moved the Perceptron <= M, and so for the SVM."""
    X, y, _ = separable(seed, 0.05 + 0.02 * seed, rounds=12)
    risk = separable_risk(X, y, leave_one_out=True)
    ratio = (risk.radius / risk.margin) ** 2
    assert risk.errors <= risk.points <= risk.updates <= ratio * (1 + 1e-6)
    assert risk.svm_errors <= min(risk.support, ratio)
    assert risk.bounds["Mohri et al. (2018), Theorem 8.9"] == pytest.approx(
        min(risk.updates, ratio) / 12
    )
    model = signed(Perceptron(intercept=False))
    assert model.cycle(X, y).updates == risk.updates


def test_the_expected_risk():
    """Thms 8.9, 8.10 over 150 samples of 11: the risk of learners of 10 points, on 500 others."""
    terms, risks = [], []
    for seed in range(150):
        X, y, _ = separable(seed, 0.1, rounds=511)
        terms.append(list(separable_risk(X[:11], y[:11]).bounds.values()))
        model = signed(Perceptron(intercept=False))
        model.cycle(X[:10], y[:10])
        svm = hard_margin(X[:10], y[:10]).weights
        test, signs = X[11:], y[11:]
        risks.append([np.mean(model.predict(test) != signs), np.mean(signs * (test @ svm) <= 0)])
    terms, risks = np.array(terms), np.array(risks)
    # means of 150 numbers in [0, 1]: three standard errors of the difference
    slack = 3 * (risks - terms).std(axis=0) / math.sqrt(150)
    assert (risks.mean(axis=0) <= terms.mean(axis=0) + slack).all()


def test_examples_that_cannot_be_separated():
    X, y = np.array([[1.0], [1.0]]), [1, -1]
    for call in (hard_margin, separable_risk):
        with pytest.raises(ValueError, match="no hyperplane through 0 was found"):
            call(X, y)
    for bad, says in (
        ((np.zeros((2, 2)), [1, -1]), r"X\[0\] is 0"),
        ((np.eye(2), [1, 0]), "-1 and"),
        ((np.eye(2), [1]), "a sign for each"),
        ((np.full((2, 2), math.nan), [1, 1]), "not finite"),
    ):
        with pytest.raises(ValueError, match=says):
            hard_margin(*bad)
    with pytest.raises(ValueError, match="max_passes=1"):
        separable_risk([[1.0, 2.0], [1.0, -1.0]], [1, -1], max_passes=1)


def test_the_largest_margin_in_any_scale():
    """By the distance of 0 from the hull, which a solver of quadratic programs finds for itself."""
    svm = hard_margin([[0.05, 100], [-0.05, 80], [1, -150], [-1, -60]], [1, -1, 1, -1])
    assert svm.margin == pytest.approx(0.05, rel=1e-9)
    random = np.random.default_rng(0)
    for _ in range(60):
        n, d = random.integers(2, 40), random.integers(1, 6)
        X = random.normal(size=(n, d)) * 10.0 ** random.uniform(-2, 2, d)
        X *= 10.0 ** random.uniform(-6, 6)
        y = np.sign(X @ random.normal(size=d))
        svm = hard_margin(X, y)
        assert np.min(y * (X @ svm.weights)) >= 1 - 1e-12
        assert svm.margin == pytest.approx(1 / np.linalg.norm(svm.weights), rel=1e-12)
        # weak duality: every point of the hull is at least as far from 0 as the margin
        hull = (svm.alphas * y) @ X / svm.alphas.sum()
        assert np.linalg.norm(hull) <= svm.margin * (1 + 1e-9)
