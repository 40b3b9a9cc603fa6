"""Where River's numbers differ from ours, a few lines of NumPy decide.

River is a fine library, and most of its linear models agree with ours. These do not: each test shows
what the algorithm's paper says on a stream short enough to follow by hand, that this library computes
it, and what River computes instead. A test that fails on River's side is good news: River has mended
it, and the test can go.
"""

import numpy as np
import pytest

pytest.importorskip("river")
pd = pytest.importorskip("pandas")

from river import linear_model, optim  # noqa: E402

from regretless import linear, rules  # noqa: E402


def sigmoid(s):
    return 1 / (1 + np.exp(-s))


# --- FTRL-Proximal (McMahan et al. (2013), algorithm 1) -------------------------------------------


def ftrl_proximal(X, y, alpha, beta, l1, l2):
    """The weights that the algorithm plays in each round, and those after the last."""
    z, n = np.zeros((2, X.shape[1]))
    played = [np.zeros(X.shape[1])]
    for x, label in zip(X, y, strict=True):
        w = played[-1]
        g = (sigmoid(w @ x) - label) * x
        z += g - (np.sqrt(n + g**2) - np.sqrt(n)) / alpha * w
        n += g**2
        played.append(
            -np.sign(z) * np.maximum(np.abs(z) - l1, 0) / ((beta + np.sqrt(n)) / alpha + l2)
        )
    return np.array(played)


def both_ftrl(X, y, alpha, beta, l1, l2):
    """Weights after each round: ours and River's."""
    ours = linear.LinearClassifier(rule=rules.FTRL(alpha, beta), l1=l1, l2=l2, intercept=False)
    theirs = linear_model.LogisticRegression(
        optim.FTRLProximal(alpha, beta, l1, l2), intercept_lr=0
    )
    ours.partial_fit(np.empty((0, 0)), [], classes=[False, True])
    after = [], []
    for x, label in zip(X, y, strict=True):
        row = {f"x{j}": v for j, v in enumerate(x)}
        ours.learn_one(row, bool(label))
        theirs.learn_one(row, bool(label))
        for weights, kept in zip((ours.weights_, theirs.weights), after, strict=True):
            kept.append([weights.get(name, 0.0) for name in row])
    return np.array(after[0]), np.array(after[1])


def test_ftrl_is_one_step_late():
    """River sets the weights from the sums *before* it adds the gradient: each lags by a round."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
    right = ftrl_proximal(X, y, alpha=0.5, beta=1.0, l1=0.0, l2=0.1)
    ours, theirs = both_ftrl(X, y, alpha=0.5, beta=1.0, l1=0.0, l2=0.1)
    np.testing.assert_allclose(ours, right[1:], rtol=1e-4, atol=1e-6)

    assert np.all(right[1] != 0)
    assert np.all(theirs[0] == 0)  # the first example has taught River nothing
    # the second has taught it the first
    np.testing.assert_allclose(theirs[1], right[1], rtol=1e-12)
    assert np.abs(theirs[-1] - right[-1]).max() > 1e-3


def test_ftrl_never_zeroes_a_weight():
    """With l1 a weight returns to exactly 0 when its sum does; River then keeps the last value."""
    X, y = np.ones((7, 1)), np.array([1, 1, 1, 0, 0, 0, 0])
    right = ftrl_proximal(X, y, alpha=0.5, beta=1.0, l1=0.6, l2=0.0)
    ours, theirs = both_ftrl(X, y, alpha=0.5, beta=1.0, l1=0.6, l2=0.0)
    assert right[3] > 0
    assert right[-1] == right[-2] == 0
    np.testing.assert_allclose(ours, right[1:], rtol=1e-5)
    assert ours[-1] == 0
    assert theirs[-1] > 0.05


# --- passive-aggressive (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006))
# ---------------------------------------------------


def passive_aggressive(X, y, loss, C=np.inf):
    """PA-I: the scores before each step, and the weights after the last.

    `loss(score, y)` is the loss and the direction of the step.
    """
    w, scores = np.zeros(X.shape[1]), []
    for x, label in zip(X, y, strict=True):
        scores.append(w @ x)
        suffered, direction = loss(scores[-1], label)
        w += direction * min(C, suffered / (x @ x)) * x
    return np.array(scores), w


def rows(X):
    return [{f"x{j}": v for j, v in enumerate(x)} for x in X]


@pytest.mark.parametrize("mode", ["exact", "I"])
def test_pa_regressor_chases_another_target(mode):
    """River's loss maps the target to 2 y - 1, as if it were a label of 0 or 1."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    y = X @ [2.0, -1.0, 3.0] + 4 * X[:, 0]
    C = {"exact": np.inf, "I": 0.5}[mode]
    right, _ = passive_aggressive(X, y, lambda s, y: (max(0, abs(y - s) - 0.5), np.sign(y - s)), C)
    options = {} if mode == "exact" else {"C": C}
    ours = linear.PassiveAggressiveRegressor(mode=mode, epsilon=0.5, intercept=False, **options)
    theirs = linear_model.PARegressor(
        mode={"exact": 0, "I": 1}[mode], eps=0.5, learn_intercept=False, **options
    )
    ours_scores = [ours.step(x, t) for x, t in zip(rows(X), y, strict=True)]
    theirs_scores = []
    for x, t in zip(rows(X), y, strict=True):
        theirs_scores.append(theirs.predict_one(x))
        theirs.learn_one(x, t)
    np.testing.assert_allclose(ours_scores, right, rtol=1e-4, atol=1e-5)
    assert np.abs(np.array(theirs_scores) - right).max() > 0.5


def test_pa_regressor_ends_where_it_should():
    """The smallest change that brings the prediction within epsilon = 0.5 of the target 10 gives 9.5."""
    ours = linear.PassiveAggressiveRegressor(mode="exact", epsilon=0.5, intercept=False)
    theirs = linear_model.PARegressor(mode=0, eps=0.5, learn_intercept=False)
    for model in (ours, theirs):
        model.learn_one({"a": 2.0}, 10.0)
    assert ours.predict_one({"a": 2.0}) == 9.5
    assert theirs.predict_one({"a": 2.0}) == 18.5  # within 0.5 of 2 * 10 - 1


def test_pa_classifier_overshoots_its_intercept():
    """The constant feature belongs in ||x||^2: without it a step with an intercept goes too far."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = np.where(X @ [1.0, 2.0] > 0.5, 1, -1)
    with_constant = np.hstack([X, np.ones((40, 1))])
    right, w = passive_aggressive(with_constant, y, lambda s, y: (max(0, 1 - y * s), y))
    ours = linear.PassiveAggressive(mode="exact")
    ours.partial_fit(np.empty((0, 0)), [], classes=[False, True])
    theirs = linear_model.PAClassifier(mode=0)
    ours_scores, theirs_scores, after = [], [], []
    for x, label in zip(rows(X), y, strict=True):
        ours_scores.append(ours.decision_one(x))
        theirs_scores.append(sum(theirs.weights[k] * v for k, v in x.items()) + theirs.intercept)
        ours.learn_one(x, bool(label > 0))
        theirs.learn_one(x, bool(label > 0))
        after.append(sum(theirs.weights[k] * v for k, v in x.items()) + theirs.intercept)
    np.testing.assert_allclose(ours_scores, right, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose([*ours.weights_.values(), ours.intercept_], w, rtol=1e-4)

    # An exact step that was needed ends on the margin. River's ends beyond it.
    erred = y * np.array(theirs_scores) < 1
    assert np.all((y * after)[erred] > 1 + 1e-6)
    assert np.abs(np.array(theirs_scores) - right).max() > 0.5


# --- mini-batches --------------------------------------------------------------------------------


def sgd(X, y, rate):
    """One step of online gradient descent on the logistic loss per row."""
    w = np.zeros(X.shape[1])
    for x, label in zip(X, y, strict=True):
        w -= rate * (sigmoid(w @ x) - label) * x
    return w


def test_learn_many_takes_one_step_per_batch():
    """River averages the gradients of a batch: 200 rows move the weights as far as one row would."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, -2.0, 0.0] > 0).astype(int)
    frame, labels = pd.DataFrame(X, columns=["a", "b", "c"]), pd.Series(y.astype(bool))
    right = sgd(X, y, rate=0.1)

    ours = linear.LinearClassifier(rule=rules.OGD(rate=0.1), intercept=False)
    ours.learn_many(frame, labels)
    np.testing.assert_allclose([ours.weights_[k] for k in "abc"], right, rtol=1e-4, atol=1e-6)

    one, many = (linear_model.LogisticRegression(optim.SGD(0.1), intercept_lr=0) for _ in range(2))
    for x, label in zip(frame.to_dict("records"), labels, strict=True):
        one.learn_one(x, label)
    many.learn_many(frame, labels)
    np.testing.assert_allclose([one.weights[k] for k in "abc"], right, rtol=1e-6, atol=1e-9)
    averaged = -0.1 * ((0.5 - y)[:, None] * X).mean(axis=0)
    np.testing.assert_allclose([many.weights[k] for k in "abc"], averaged, rtol=1e-9)
    assert np.linalg.norm(averaged) < np.linalg.norm(right) / 20
