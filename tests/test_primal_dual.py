"""The primal-dual family: its oracle, its golden traces, what it reduces to."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.dual_runs import FIVE, GEOMETRIES, SIGNS, UPDATES, binary, data, dual, trace
from reference.primal_dual import REGULARISERS, Oracle

from regretless import rules
from regretless.experts import WeightedMajority
from regretless.geometry import Entropy, Euclidean, PNorm
from regretless.linear import LinearClassifier, PassiveAggressive, Perceptron, PrimalDual
from regretless.linear.dual_updates import best_pair

few = settings(deadline=None, max_examples=5)


# --- the components (section 11) ------------------------------------------------------------------


@pytest.mark.parametrize("update", [*UPDATES, "block of two"])
@pytest.mark.parametrize("kind", GEOMETRIES)
@few
@given(
    seed=st.integers(0, 9999),
    C=st.sampled_from([0.05, 0.5, 3.0]),
    gamma=st.sampled_from([0.5, 1.0, 2.0]),
    scale=st.sampled_from([0.5, 3.0]),
)
def test_it_does_what_the_oracle_does(kind, update, C, gamma, scale, seed):
    """Margins and dual values of every round, to rounding.

    Where several variables are settled at once the oracle takes those of the model over, and says how
    much more the dual could have been: it is concave, so that slopes times what is left of the ranges
    bound that. A block is settled when no variable moves by 1e-9 of C in a sweep, or after 1,000 of
    them, which leaves more the more the examples resemble each other.
    """
    X, y = data(seed, scale=scale)
    width = X.shape[1]
    update, options = (update, UPDATES[update]) if update in UPDATES else ("block", {"window": 2})
    model = binary(GEOMETRIES[kind], update=update, C=C, margin=gamma, dimension=width, **options)
    oracle = Oracle(
        REGULARISERS[kind], update, C, gamma, options.get("window"), options.get("steps", 1)
    )
    for x, label in zip(X, y.tolist()):
        margin = oracle.margin(x, label)
        assert label * model.decision_one(x) == pytest.approx(margin, abs=1e-9)
        if update == "conservative" and 0 < abs(margin) < 1e-9:
            return  # rounding decides
        oracle.round(x, label)
        model.learn_one(x, label)
        if update in ("block", "leader"):
            oracle.alpha[oracle.places()] = settled(model)
            assert oracle.gap() <= 1e-3 * (1 + C)
        assert dual(model) == pytest.approx(oracle.dual(oracle.alpha), rel=1e-9, abs=1e-9)


def settled(model):
    """The variables of the examples that are kept, the oldest first."""
    past = model._model.update.past
    return past.alpha[list(past.recent())[::-1], 0]


@pytest.mark.parametrize("order", ["recent", "random", "cyclic", "largest_violation"])
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_many_steps_in_any_order_reach_the_leader(kind, order):
    """Section 8: k -> infinity. Every mini-step raises the dual, so each D is at most the leader's."""
    X, y = data(3, rounds=5)
    leader = binary(GEOMETRIES[kind], update="leader", C=0.5, dimension=3)
    model = binary(
        GEOMETRIES[kind], update="sequential", steps=100, order=order, C=0.5, dimension=3, seed=5
    )
    best, reached = trace(leader, X, y)[:, 1], trace(model, X, y)[:, 1]
    assert np.all(reached <= best + 1e-9)
    np.testing.assert_allclose(reached, best, atol=1e-4)


@few
@given(seed=st.integers(0, 9999))
def test_the_pair_in_closed_form(seed):
    """Section 7: no point of a grid is better, singular and zero matrices included."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (2, 2)).astype(float)
    gram, slopes, most = vectors @ vectors.T, rng.normal(size=2), rng.uniform(0.1, 2, 2)
    a = best_pair(slopes, gram, most)

    def value(a):
        return slopes @ a - 0.5 * a @ gram @ a

    assert np.all((a >= 0) & (a <= most))
    grid = [np.array([i, j]) * most / 20 for i in range(21) for j in range(21)]
    assert value(a) >= max(map(value, grid)) - 1e-12


def test_windows_forget():
    """Examples that leave the window keep their variable; with all of them it is the leader."""
    X, y = data(1, rounds=12)
    leader = trace(binary(update="leader", C=0.5), X, y)
    for window in (1, 2, 3, 5, 12):
        block = trace(binary(update="block", window=window, C=0.5), X, y)
        assert np.all(block[:, 1] <= leader[:, 1] + 1e-9) or window == 12
    np.testing.assert_allclose(block, leader, atol=1e-7)
    one = trace(binary(update="block", window=1, C=0.5), X, y)
    np.testing.assert_allclose(one, trace(binary(update="exact", C=0.5), X, y), atol=1e-12)
    model = binary(update="block", window=3, C=0.5)
    trace(model, X, y)
    assert len(model._dual.update.past.rows) == 3


def test_every_update_raises_the_dual_by_at_least_what_it_should():
    """Section 11, on one fixed state: the ordering of the increases."""
    compared = 0
    for seed in range(40):
        X, y = data(seed, rounds=9)
        base = binary(update="sequential", steps=1, C=0.5)
        base.learn_many(X[:-1], y[:-1])
        state, x, label = base._dual.state(), X[-1], int(y[-1])
        mistake = label * base.decision_one(x) <= 0

        def gain(update, state=state, x=x, label=label, base=base, **options):
            model = binary(update=update, C=0.5, **options)
            own = model._dual.state()  # what came before is of interest to some only
            model._dual.restore(lanes=1, **{k: v.copy() for k, v in state.items() if k in own})
            model._labels = base._labels
            before = dual(model)
            model.learn_one(x, label)
            return dual(model) - before

        exact, leader = gain("exact"), gain("leader")
        assert 0 <= gain("aggressive") <= exact + 1e-12
        if mistake:
            assert gain("conservative") <= exact + 1e-12
            compared += 1
        for order in ("recent", "cyclic", "largest_violation"):
            steps = gain("sequential", steps=4, order=order)
            assert exact - 1e-12 <= steps <= leader + 1e-9
    assert compared > 5


# --- golden traces (sections 3.3 and 13) ----------------------------------------------------------


@pytest.mark.parametrize(
    ("update", "C", "expected", "theta"),
    [
        ("conservative", 0.5, [0.375, 0.875, 0.875, 0.875, 0.875], (0.4472135955, 0.2236067977)),
        ("aggressive", 0.5, [0.375, 0.875, 1.1, 1.35, 1.6], None),
        ("exact", 0.5, [0.375, 0.875, 1.1, 1.35, 1.6], None),
        (
            "aggressive",
            1.5,
            [0.5, 1.652, 1.6912, 1.7858688, 2.029632],
            (1.6350129051, 0.1395306418),
        ),
        ("exact", 1.5, [0.5, 1.85, 1.855, 2.0355, 2.4], (2.2360679775, 0)),
        ("leader", 0.5, [0.375, 0.875, 1.1, 1.35, 1.62], (1.1627553483, 0.0894427191)),
        ("sequential", 0.5, [0.375, 0.875, 1.1, 1.35, 1.62], None),
    ],
)
def test_golden_13(update, C, expected, theta):
    """On points whose coordinates single precision rounds by up to 6e-8 of themselves."""
    model = binary(update=update, C=C, steps=5, order="cyclic")
    np.testing.assert_allclose(trace(model, FIVE / math.sqrt(5), SIGNS)[:, 1], expected, atol=1e-6)
    if theta:
        np.testing.assert_allclose(list(model.weights_.values()), theta, atol=1e-6)
    if update == "leader":  # P* = 1.62: strong duality
        assert model.objective(FIVE / math.sqrt(5), SIGNS) == pytest.approx(1.62, abs=1e-6)


def test_golden_3_3():
    """The p-norm algorithm with p = 3 on the five points, which need no rounding."""
    model = binary(PNorm(3), update="conservative")
    margins = trace(model, FIVE, SIGNS)[:, 0]
    expected = [0, -1.4422495703, 3.3652489974, 2.4037492838, 1.4422495703]
    np.testing.assert_allclose(margins, expected, atol=1e-9)
    assert model._dual.duals[0].theta.tolist() == [2.0, 1.0]
    np.testing.assert_allclose(
        list(model.weights_.values()), [1.9229994271, 0.4807498568], atol=1e-9
    )


def test_golden_winnow():
    """Conservative with the entropy, eta = C; features rounded to single precision.

    Mohri et al. (2018), section 8.3.2.
    """
    X = [(1, -0.5, 0), (-1, 0.5, 1), (0.5, 1, -1), (-0.2, -1, 0.3)]
    model = binary(Entropy(), update="conservative", C=0.5, dimension=3)
    margins = trace(model, X, [1, 1, -1, -1])[:, 0]
    np.testing.assert_allclose(margins, [1 / 6, 1 / 6, -1 / 6, 0.0882233964], atol=1e-7)
    expected = [0.2566866355, 0.1999077528, 0.5434056117]
    np.testing.assert_allclose(list(model.weights_.values()), expected, atol=1e-9)


# --- reductions -----------------------------------------------------------------------------------


def along(model, X, y):
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    return trace_scores(model, X, y)


def trace_scores(model, X, y):
    scores = []
    for x, label in zip(X, np.asarray(y).tolist()):
        scores.append(model.decision_one(x))
        model.learn_one(x, label)
    return np.array(scores)


@few
@given(seed=st.integers(0, 9999), intercept=st.booleans(), C=st.sampled_from([0.25, 1.0, 4.0]))
def test_conservative_quad_is_the_perceptron(seed, intercept, C):
    """Section 3.1, on a grid where nothing is rounded; the predictions do not depend on C."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (60, 3)) / 4.0, rng.choice([-1, 1], 60)
    expected = along(Perceptron(rate=C, intercept=intercept), X, y)
    model = PrimalDual(update="conservative", C=C, intercept=intercept)
    assert along(model, X, y).tolist() == expected.tolist()
    assert model.certificate().mistakes == np.sum(y * expected <= 0)


def test_conservative_pnorm_2_is_the_perceptron():
    """Section 3.3; no score is so near to 0 that rounding matters."""
    X, y = data(20, rounds=100)
    one, two = (trace(binary(g, update="conservative"), X, y) for g in (Euclidean(), PNorm(2)))
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_exact_quad_is_passive_aggressive(intercept):
    """Section 6: PA-I, of which the weights are floats: 300 rounds of 6e-8 each at most."""
    X, y = data(2, rounds=300)
    expected = along(PassiveAggressive(C=0.3, margin=2.0, intercept=intercept), X, y)
    got = along(PrimalDual(update="exact", C=0.3, margin=2.0, intercept=intercept), X, y)
    np.testing.assert_allclose(got, expected, atol=2e-5)


def test_aggressive_is_exact_when_all_norms_are_1():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (50, 4)) / 2  # of norm 1, to the last bit
    y = np.random.default_rng(1).choice([-1, 1], 50)
    one, two = (trace(binary(update=u, C=0.7), signs, y) for u in ("aggressive", "exact"))
    np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("kind", GEOMETRIES)
def test_one_step_is_exact(kind):
    """Section 8: k = 1."""
    X, y = data(4)
    one = trace(binary(GEOMETRIES[kind], update="exact", dimension=3), X, y)
    two = trace(binary(GEOMETRIES[kind], update="sequential", steps=1, dimension=3), X, y)
    np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("kind", GEOMETRIES)
def test_exact_is_bregman_proximal(kind):
    """Section 9: the new weights minimise B_F(w || w_t) + C loss, which no perturbation improves."""
    X, y = data(5, rounds=20, scale=2.0)
    shape, C = GEOMETRIES[kind], 0.4
    model, rng = binary(shape, update="exact", C=C, dimension=3), np.random.default_rng(0)
    for x, label in zip(X, y.tolist()):
        old = model._dual.duals[0].weights()
        model.learn_one(x, label)
        new = model._dual.duals[0].weights()
        theta = model._dual.duals[0].theta

        def primal(w, old=old, x=x, label=label):
            return shape.bregman(w, old) + C * max(0.0, 1.0 - label * float(w @ x))

        if not np.any(old):
            continue  # the p-norm has its kink there
        reached = primal(new)
        for _ in range(20):
            other = shape.link(theta + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=3))
            assert reached <= primal(other) + 1e-10


def test_small_steps_are_gradient_descent():
    """Section 11: as C -> 0 every positive loss moves by C, as in OGD on the hinge loss."""
    X, y = data(6, rounds=200)
    descent = LinearClassifier(loss="hinge", rule=rules.OGD(2.0**-12), intercept=False)
    got = along(PrimalDual(C=2.0**-12, intercept=False), X, y)
    np.testing.assert_allclose(
        got, along(descent, X, y), atol=1e-7
    )  # of weights up to 0.1, in floats


def test_winnow_is_weighted_majority_on_signs():
    """Mohri et al. (2018), section 8.3.2: beta = e^(-2 eta), away from ties."""
    rng = np.random.default_rng(3)
    X, y, eta = rng.choice([-1.0, 1.0], (200, 7)), rng.choice([-1, 1], 200), 0.3
    winnow = binary(Entropy(), update="conservative", C=eta, dimension=7)
    majority = WeightedMajority(7, beta=math.exp(-2 * eta))
    checked = 0
    for x, label in zip(X, y.tolist()):
        score = winnow.decision_one(x)
        if abs(score) < 1e-9:
            return
        vote = majority.predict((x > 0).astype(int))
        assert vote == (score > 0)
        majority.update((x > 0).astype(int), int(label > 0))
        winnow.learn_one(x, label)
        checked += 1
    assert checked > 100
