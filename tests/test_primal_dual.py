"""The primal-dual family: its oracle, its golden traces, what it reduces to, its theorems."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.primal_dual import REGULARISERS, Oracle, best_primal, mu
from scipy import sparse

from regretless import _core, geometry, losses, rules
from regretless.experts import WeightedMajority
from regretless.geometry import Entropy, Euclidean, Geometry, PNorm, UnnormalizedEntropy
from regretless.linear import LinearClassifier, PassiveAggressive, Perceptron, PrimalDual
from regretless.linear.dual_model import dual_vector
from regretless.linear.dual_updates import best_pair
from regretless.linear.loading import load

FIVE = np.array([[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], float)
SIGNS = np.array([1, -1, 1, -1, 1])
GEOMETRIES = {"quad": Euclidean(), "entropy": Entropy(), "pnorm": PNorm(3.0)}
UPDATES = {
    "conservative": {},
    "aggressive": {},
    "exact": {},
    "sequential": {"steps": 3},
    "block": {"window": 3},
    "leader": {},
}
few = settings(deadline=None, max_examples=5)


def binary(*given, **options):
    """Without an intercept, and aware that there are two labels."""
    model = PrimalDual(*given, intercept=False, **options)
    return model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])


def single(X):
    """Rounded to single precision, as features are."""
    return np.asarray(X, np.float32).astype(float)


def data(seed, rounds=10, width=3, scale=1.0):
    rng = np.random.default_rng(seed)
    X = single(scale * rng.normal(size=(rounds, width)) / math.sqrt(width))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=rounds) > 0, 1, -1)


def dual(model):
    return model.certificate().dual


def trace(model, X, y):
    """(margin, dual) round by round."""
    out = []
    for x, label in zip(X, np.asarray(y).tolist()):
        margin = label * model.decision_one(x)
        model.learn_one(x, label)
        out.append((margin, dual(model)))
    return np.array(out)


# --- the components (section 11) -----------------------------------------------------------------


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
            model._dual.restore(lanes=1, **{k: v.copy() for k, v in state.items()})
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


# --- golden traces (sections 3.3 and 13) ---------------------------------------------------------


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
    """Mohri 11: conservative with the entropy, eta = C; features rounded to single precision."""
    X = [(1, -0.5, 0), (-1, 0.5, 1), (0.5, 1, -1), (-0.2, -1, 0.3)]
    model = binary(Entropy(), update="conservative", C=0.5, dimension=3)
    margins = trace(model, X, [1, 1, -1, -1])[:, 0]
    np.testing.assert_allclose(margins, [1 / 6, 1 / 6, -1 / 6, 0.0882233964], atol=1e-7)
    expected = [0.2566866355, 0.1999077528, 0.5434056117]
    np.testing.assert_allclose(list(model.weights_.values()), expected, atol=1e-9)


# --- reductions ----------------------------------------------------------------------------------


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
    """Mohri 20.2: beta = e^(-2 eta), away from ties."""
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


# --- theorems ------------------------------------------------------------------------------------


def hard_streams(rounds):
    rng = np.random.default_rng(0)
    for scale in (0.3, 20.0):
        X, y = data(7, rounds=rounds, width=4, scale=scale)
        yield X, y
        yield X, rng.choice([-1, 1], rounds)
        yield X, np.sign(X @ [1.0, -1.0, 0.5, 0.25]).astype(int)
    rounds = np.arange(rounds)
    yield np.eye(4)[rounds % 4], np.where(rounds // 4 % 2, 1, -1)


@pytest.mark.parametrize("update", ["conservative", "aggressive", "exact", "sequential", "block"])
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_the_increases_are_those_of_the_lemmas(kind, update):
    """Eqs (12) to (14), (28) and (33), with h of 5.4: sizes of D to 1e3 leave errors of 1e-12."""
    reg = REGULARISERS[kind]
    for X, y in hard_streams(150 if kind == "quad" else 30):
        h = max(1.0, *map(reg.curvature, X))
        C = 0.7 / h if update == "conservative" else 0.7
        model = binary(
            GEOMETRIES[kind], update=update, C=C, dimension=X.shape[1], **UPDATES[update]
        )
        before, met = 0.0, 1.0
        for (s, after), x in zip(trace(model, X, y), X):
            met = max(met, reg.curvature(x))
            gain, loss = after - before, max(0.0, 1.0 - s)
            if update == "conservative":
                least = C * loss - C * C * reg.curvature(x) / 2 if s <= 0 else 0.0
            else:
                least = C * mu(loss, met * C)
            assert gain >= least - 1e-9 * (1 + abs(after))
            before = after
        c = model.certificate()
        assert c.holds
        assert c.curvature == pytest.approx(h, rel=1e-12)
        assert c.rate >= c.guaranteed_rate - 1e-9


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_weak_duality_and_the_bounds(kind, update):
    """The dual is below the optimum found offline, the leader's equals it; Thms 1 and 3, Cor. 2."""
    for seed in range(2):
        X, y = data(seed, scale=[0.5, 3.0][seed])
        C = 0.2
        model = binary(GEOMETRIES[kind], update=update, C=C, dimension=3, **UPDATES[update])
        margins = trace(model, X, y)[:, 0]
        c = model.certificate()
        best = best_primal(REGULARISERS[kind], X, y, C)
        assert c.dual <= best + 1e-7
        if update == "leader":
            assert c.dual == pytest.approx(best, abs=1e-6)
            assert c.gap(model.objective(X, y)) == pytest.approx(0.0, abs=1e-5)
        assert c.gap(model.objective(X, y)) >= -1e-9
        assert c.mistakes == np.sum(margins <= 0) <= c.mistake_bound(best) + 1e-9
        assert c.loss == pytest.approx(np.maximum(0, 1 - margins).sum())
        if update == "conservative":
            continue
        # against the leader in hindsight, and against nothing at all
        hindsight = binary(GEOMETRIES[kind], update="leader", C=C, dimension=3)
        hindsight.learn_many(X, y)
        for w in (hindsight, binary(GEOMETRIES[kind], dimension=3)):
            F = w.complexity()
            lost = (w.objective(X, y) - F) / w.C
            assert c.loss <= c.loss_bound(F, lost) + 1e-9
            assert c.loss - lost <= c.regret_bound(F) + 1e-9
            assert c.loss_bound(F, lost) <= lost + c.regret_bound(F) + 1e-9
            assert c.best_loss(F) <= lost + 1e-9


def test_the_dual_says_more_than_convexity():
    """No weights of norm 3 or less lose less than either bound, and the dual's is the better one."""
    X, y = data(0, rounds=60)
    model = binary(update="leader")
    model.learn_many(X, y)
    c = model.certificate()
    tried = 3.0 * np.random.default_rng(0).normal(size=(2000, 3))
    tried /= np.maximum(1.0, np.linalg.norm(tried, axis=1) / 3.0)[:, None]
    least = np.maximum(0.0, 1.0 - y * (tried @ X.T)).sum(axis=1).min()
    assert c.loss - c.bound(3.0) < c.best_possible(3.0) <= least
    assert c.best_possible(3.0, mean=True) == pytest.approx(c.best_possible(3.0) / 60)
    assert c.best_possible(3.0, ord=math.inf) == max(0.0, c.loss - c.bound(3.0, ord=math.inf))


def test_the_tuned_constant():
    """Cor. 2: with C = sqrt(2 F / (h m)) the bound is sqrt(2 h F m)."""
    X, y = data(0, rounds=50, scale=3.0)
    model = binary()
    model.learn_many(X, y)
    c = model.certificate()
    again = binary(C=c.tuned(2.0))
    again.learn_many(X, y)
    bound = again.certificate().regret_bound(2.0)
    assert bound == pytest.approx(math.sqrt(2 * 2.0 * 50 * c.curvature), rel=1e-12)
    assert c.regret_bound(2.0) >= bound


def test_perceptron_progress():
    """Section 10: eqs (35), (36) and Novikoff's argument, round by round."""
    X, y = data(9, rounds=100)
    y = np.where(X @ [1.0, 2.0, -1.0] > 0, 1, -1)
    u, C = np.array([1.0, 2.0, -1.0]), 0.5
    model, sums, norms = binary(update="conservative", C=C), [0.0, 0.0, 0.0], [0.0]
    for x, label in zip(X, y.tolist()):
        old, s = model._dual.duals[0].weights(), label * model.decision_one(x)
        old = np.append(old, np.zeros(3 - len(old)))
        model.learn_one(x, label)
        new = np.append(w := model._dual.duals[0].weights(), np.zeros(3 - len(w)))
        sums[0] += np.sum((old - u) ** 2) - np.sum((new - u) ** 2)
        if s <= 0:
            sums[1] += 2 * C * label * u @ x - C * C * x @ x
            sums[2] += label * u @ x
        norms.append(float(np.linalg.norm(new)) / C)
    assert sums[1] - 1e-9 <= sums[0] <= u @ u
    M, radius = model.certificate().mistakes, np.linalg.norm(X, axis=1).max()
    assert sums[2] <= max(norms) * np.linalg.norm(u) + 1e-9
    assert max(norms) <= math.sqrt(M) * radius + 1e-9


def test_a_conservative_step_can_be_too_long():
    """Section 3: from C = 2 margin / h on the dual can fall, and the certificate says so."""
    model = binary(update="conservative", C=3.0)
    model.learn_many([[1.0], [1.0]], [1, -1])
    c = model.certificate()
    assert c.least < 0
    assert not c.holds
    assert not c.assumptions["C < 2 margin / curvature"]
    fine = binary(update="conservative", C=1.9)
    fine.learn_many([[1.0], [1.0]], [1, -1])
    assert fine.certificate().holds


def test_nothing_learned_yet():
    c = PrimalDual().certificate()
    assert (c.dual, c.mistakes, c.rate, c.mistake_bound(1.0), c.holds) == (0, 0, math.inf, 0, True)
    assert (c.loss_bound(1.0, 1.0), c.regret_bound(1.0)) == (0.0, 1.0)


# --- errata (section 99) -------------------------------------------------------------------------


def test_the_printed_increase_lacks_a_factor():
    """Section 5.2 prints mu(l) for the rounds without a mistake; it is C mu(l)."""
    X, y = data(11, rounds=60)
    X /= 1.001 * np.linalg.norm(X, axis=1).max()
    gains, printed, correct = [], [], []
    model, before, C = binary(C=0.25), 0.0, 0.25
    for s, after in trace(model, X, y):
        if 0 < s < 1:
            gains.append(after - before)
            printed.append(mu(1 - s, C))
            correct.append(C * mu(1 - s, C))
        before = after
    assert np.all(np.array(gains) >= np.array(correct) - 1e-12)
    assert np.any(np.array(gains) < np.array(printed))


def test_the_printed_step_is_for_margin_1():
    """PA: with a margin of 2 the step l / ||x||^2 of the hinge with margin 1 is not the best."""
    x, gamma = np.array([1.0, 1.0]), 2.0

    def value(a):
        return gamma * a - 0.5 * a * a * (x @ x)

    model = binary(update="exact", margin=gamma, C=9.0)
    model.learn_one(x, 1)
    assert dual(model) == value(gamma / 2.0) > value(1.0 / 2.0)


def test_p_norm_link_and_curvature():
    """(23) is 0/0 at 0, where the link is 0; (24) has no sign; below p = 2 there is no bound."""
    assert PNorm(3).link([0.0, 0.0]).tolist() == [0.0, 0.0]
    theta, x = np.array([-1.0, 0.5]), np.array([1.0, 0.2])
    p, eps = 3.0, 1e-4
    G = PNorm(p).conjugate
    seen = (G(theta + eps * x) - 2 * G(theta) + G(theta - eps * x)) / eps**2
    psi = 0.5 * (2 / p) * np.sum(np.abs(theta) ** p) ** (2 / p - 1)
    printed = psi * p * (p - 1) * np.sum(np.sign(theta) * np.abs(theta) ** (p - 2) * x**2)
    correct = psi * p * (p - 1) * np.sum(np.abs(theta) ** (p - 2) * x**2)
    assert printed < seen <= correct <= (p - 1) * np.sum(np.abs(x) ** p) ** (2 / p) + 1e-9
    with pytest.raises(ValueError, match="must be finite and at least 2"):
        PNorm(1.0)


# --- features, labels, weights -------------------------------------------------------------------


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_classes_have_lanes_of_their_own(kind, update):
    """Three labels known from the start are three learners, each against the rest."""
    rng = np.random.default_rng(8)
    X, y = single(rng.normal(size=(25, 3))), rng.integers(0, 3, 25)
    options = {"update": update, "C": 0.3, "intercept": False, "dimension": 3, **UPDATES[update]}
    model = PrimalDual(GEOMETRIES[kind], **options).fit(X, y)
    ones = [
        binary(GEOMETRIES[kind], **{k: v for k, v in options.items() if k != "intercept"})
        for _ in "abc"
    ]
    for k, one in enumerate(ones):
        one.learn_many(X, np.where(y == k, 1, -1))
    scores = np.column_stack([one.decision_function(X) for one in ones])
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)
    c = model.certificate()
    assert c.dual == pytest.approx(sum(map(dual, ones)), abs=1e-9)
    assert c.mistakes == sum(one.certificate().mistakes for one in ones)
    total = sum(one.objective(X, np.where(y == k, 1, -1)) for k, one in enumerate(ones))
    assert model.objective(X, y) == pytest.approx(total)


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_features_and_labels_that_come_late(kind, update):
    """The dual stays a lower bound on the objective of all features, and the mistakes within theirs."""
    rng = np.random.default_rng(4)
    model = PrimalDual(GEOMETRIES[kind], update=update, C=0.2, intercept=False, **UPDATES[update])
    X, y = np.zeros((30, 10)), []
    for t in range(30):
        width = 2 + t // 4
        X[t, :width] = single(rng.normal(size=width))
        y.append(int(rng.integers(1 + min(t // 8, 2))))
        model.learn_one(dict(enumerate(X[t, :width].tolist())), y[-1])
    c = model.certificate()
    assert c.dual <= model.objective(X, y) + 1e-9
    assert c.mistakes <= c.mistake_bound(model.objective(X, y)) or c.rate <= 0
    assert len(model.classes_) == 3


def test_what_new_features_take_from_the_dual_is_no_gain():
    """It is counted apart, and the rate is what is left: the mistakes stay within their bound."""
    model = binary(Entropy(), update="conservative", C=0.5)
    for t, y in enumerate([-1, -1, 1, -1, 1, 1]):
        model.learn_one({f"f{t}": 1.0, "constant": 1.0, f"f{t // 2}": 0.5}, y)
    mistakes, gains, _, shifts = model._dual.run[:, 0]
    c = model.certificate()
    assert mistakes > 1
    assert shifts < 0
    assert c.dual == pytest.approx(gains + shifts, abs=1e-12)  # no other rounds have increases
    assert c.gains == pytest.approx(c.dual, abs=1e-12)


def test_a_cycle_goes_on_from_where_it_stopped():
    model = binary(update="sequential", order="cyclic", steps=4)
    X, y = data(0)
    last, before, visited = None, 0, set()
    for x, label in zip(X, y.tolist()):
        model.learn_one(x, label)
        places = list(model._dual.update._others(model._dual.duals[0], 0))
        if last is not None:
            assert places[0] == (last + 1) % before
        if places:
            last, before = places[-1], len(model._dual.update.past.rows)
        visited |= set(places)
    assert visited >= set(range(len(X) - 1))


def test_the_loss_bound_is_the_inverse_of_mu():
    """Theorem 3 on both sides of the bend of mu."""
    model = binary(C=0.5)
    model.learn_many(*data(0))
    c = model.certificate()
    for F, loss in ((0.001, 0.0), (0.5, 0.3), (0.5, 20.0)):
        z = (loss + F / 0.5) / c.rounds
        assert mu(c.loss_bound(F, loss) / c.rounds, 0.5 * c.curvature) == pytest.approx(
            z, rel=1e-12
        )


def test_the_entropy_starts_from_the_known_features():
    """Without a dimension they are those seen so far, the example's own among them."""
    model = PrimalDual(Entropy(), update="conservative", intercept=False)
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    assert model.decision_one({"a": 1.0, "b": 0.5}) == 0.75
    model.learn_one({"a": 1.0, "b": 0.5}, 1)
    assert model.decision_one({"c": 3.0}) == 1.0
    assert model.weights_ == {"a": 0.5, "b": 0.5}
    fixed = binary(Entropy(), update="conservative", dimension=4)
    assert fixed.decision_one({"a": 4.0}) == 1.0
    with pytest.raises(ValueError, match="dimension=4: there are more features"):
        fixed.learn_one(dict.fromkeys("abcde", 1.0), 1)
    assert fixed._dual.names() == {}
    with_constant = PrimalDual(Entropy(), update="conservative", dimension=3)
    with_constant.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    assert with_constant.decision_one({}) == 0.25  # three features and the constant


def test_importance_multiplies_the_constant():
    """The box of an example is [0, w C]; the bounds of Thm 3 are for equal weights."""
    X, y = data(12)
    one, two = binary(C=0.6, update="exact"), binary(C=0.3, update="exact")
    one.learn_many(X, y)
    two.learn_many(X, y, np.full(len(X), 2.0))
    assert dual(two) == pytest.approx(dual(one), rel=1e-12)
    assert two.objective(X, y, np.full(len(X), 2.0)) == pytest.approx(one.objective(X, y))
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    other, z = binary(), np.zeros(3)
    for x, label, w in zip(X, y.tolist(), weights.tolist()):
        z -= w * label * x * (label * other.decision_one(x) < 1.0)
        other.learn_one(x, label, w)
    assert other.certificate().gradient_norms[1] == pytest.approx(float(np.linalg.norm(z)))
    with pytest.raises(ValueError, match="10 examples have an importance other than 1"):
        two.certificate().regret_bound(1.0)


def test_drift_of_the_conjugate_is_mended():
    """After a thousand rounds it is computed from scratch."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)) * 1e3, rng.choice([-1, 1], 3000)
    model = binary(update="exact", C=5.0)
    (vector,) = model._dual.duals
    vector.conjugate += 1e9  # far more than all roundings together
    model.learn_many(X, y)
    assert vector.conjugate == pytest.approx(0.5 * float(vector.theta @ vector.theta), rel=1e-9)


# --- geometries of your own ----------------------------------------------------------------------


class Halved(Geometry):
    """Half of the Euclidean one, with numerical links."""

    def value(self, w):
        return 0.25 * float(np.sum(np.asarray(w) ** 2))

    def gradient(self, w):
        return 0.5 * np.asarray(w, float)

    @property
    def strong_convexity(self):
        return 0.5


@pytest.mark.parametrize("update", ["aggressive", "exact", "block"])
def test_a_geometry_of_your_own(update, tmp_path):
    """`F = ||w||^2 / 4` is the Euclidean one on examples that are sqrt(2) times as long."""
    X, y = data(13, rounds=6)
    model = binary(Halved(), update=update, C=0.3, dimension=3, window=2)
    twin = binary(update=update, C=0.3, dimension=3, window=2)
    got, expected = trace(model, X, y), trace(twin, X * math.sqrt(2), y)
    np.testing.assert_allclose(got, expected, atol=1e-5)  # those of the numerical search
    model.save(tmp_path / "m")
    again = PrimalDual.load(tmp_path / "m", geometry=Halved())
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
    with pytest.raises(ValueError, match=r"was saved with geometry=.*give it again"):
        load(tmp_path / "m")


class Broken(Geometry):
    """Its link fails beyond some point."""

    def value(self, w):
        return 0.5 * float(np.sum(np.asarray(w) ** 2))

    def conjugate(self, theta):
        return self.value(theta)

    def link(self, theta):
        theta = np.asarray(theta, float)
        return theta if np.abs(theta).max() < 5 else np.full_like(theta, np.nan)

    @property
    def strong_convexity(self):
        return 1.0


@pytest.mark.parametrize(
    "update", [u for u in UPDATES if u != "aggressive"]
)  # whose steps are short
def test_a_geometry_that_fails_changes_nothing(update):
    model = binary(Broken(), update=update, C=100.0, **UPDATES[update])
    model.learn_many([[0.01, 0.02], [0.03, -0.01]], [1, -1])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="its link is not finite"):
        model.learn_one(
            {0: 7.0, 1: -7.0, "new": 3.0}, 1 if model.decision_one([7.0, -7.0]) <= 0 else -1
        )
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("labels", [2, 3])
def test_a_constant_that_is_too_large_is_refused(labels):
    """As divergence, with advice; what came before it in the batch has been learned."""
    model = PrimalDual(update="conservative", C=1e150).partial_fit(
        np.zeros((0, 0)), [], classes=range(labels)
    )
    tiny, large = np.full((5, 2), 1e-5), np.full((2, 3), 1e10)
    model.learn_many(tiny, [1, 0, 1, 0, 1])
    before, twin = pickle.dumps(model), copy.deepcopy(model)
    sign = 0 if model.predict_one(large[0]) else 1
    with pytest.raises(_core.Diverged, match=r"overflowed; the example was not.*Lower C or") as one:
        model.learn_one(large[0], sign)
    assert isinstance(one.value, ArithmeticError)
    assert pickle.dumps(model) == before
    with pytest.raises(_core.Diverged) as many:
        model.learn_many(np.vstack([np.full((1, 3), 2e-5), large]), [1 - sign, sign, sign])
    assert many.value.__notes__ == ["at row 1 of this call; the rows before it were learned"]
    twin.learn_one(np.full(3, 2e-5), 1 - sign)
    assert pickle.dumps(model) == pickle.dumps(twin)
    assert math.isfinite(dual(model))
    with pytest.raises(_core.Diverged):
        PrimalDual(update="conservative", C=1e300).learn_one({"a": 1.0}, True)
    # those that step no further than the margin do not mind
    assert dual(PrimalDual(update="exact", C=1e300).fit(np.eye(3), [0, 1, 0])) > 0


@pytest.mark.parametrize("width", [3, 4])  # without and with a new feature
@pytest.mark.parametrize("late", [0, 1, 2, 5])
@pytest.mark.parametrize("update", [*UPDATES, "block of two", "small window"])
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_what_fails_on_the_way_changes_nothing(kind, update, late, width, monkeypatch):
    """Whichever of the moves of a round it is; afterwards all goes on as if it had not been tried."""
    named = {
        "block of two": ("block", {"window": 2}),
        "small window": ("sequential", {"window": 2}),
    }
    update, options = named.get(update, (update, UPDATES.get(update)))
    model = PrimalDual(GEOMETRIES[kind], update=update, C=0.7, **options)
    X, _ = data(3, rounds=12, width=4)
    y = (np.arange(12) * 7 // 3 % 3).tolist()
    model.learn_many(X[:7, :3], y[:7])
    before, twin = pickle.dumps(model), copy.deepcopy(model)
    vector, moves = type(dual_vector(GEOMETRIES[kind], 1)), 0
    plain = vector.move

    def failing(self, x, y, a):
        nonlocal moves
        moves += 1
        if moves > late:
            raise _core.Diverged("as told")
        plain(self, x, y, a)

    x = X[7, :width]
    wrong = int(np.argmin(model.decision_one(x)))
    with monkeypatch.context() as patch:
        patch.setattr(vector, "move", failing)
        try:
            model.learn_one(x, wrong)
        except _core.Diverged:
            assert pickle.dumps(model) == before
    if moves <= late:  # the round had no more
        assert moves > 0
        twin.learn_one(x, wrong)
    for each in (model, twin):
        each.learn_many(X[8:], y[8:])
    assert pickle.dumps(model) == pickle.dumps(twin)


# --- bad input, files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C=0.0 must be positive"),
        ({"C": -1}, "C=-1 must be positive"),
        ({"margin": 0.0}, "margin=0.0 must be positive"),
        (
            {"update": "greedy"},
            "update='greedy' must be one of 'conservative', 'aggressive', 'exact'",
        ),
        ({"update": ["exact"]}, "must be one of"),
        ({"loss": "logistic"}, "the primal-dual updates are those of the hinge loss"),
        ({"loss": losses.Hinge(2.0), "margin": 3.0}, "has its own; give one of them"),
        ({"geometry": "entropy"}, "geometry='entropy' is not one of regretless.geometry"),
        (
            {"geometry": UnnormalizedEntropy()},
            "is not strongly convex, as update='aggressive' needs",
        ),
        ({"update": "block", "window": 0}, "window=0 must be a whole number"),
        ({"update": "sequential", "steps": 0}, "steps=0 must be a whole number"),
        ({"update": "sequential", "steps": None}, "steps=None must be a whole number"),
        (
            {"update": "sequential", "order": "best"},
            "order='best' must be one of 'recent', 'random'",
        ),
        ({"dimension": 0}, "dimension=0 must be a whole number"),
        ({"dimension": 9, "features": "hashed"}, "bits=18 says how many"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        PrimalDual(**options).learn_one([1.0], 1)


def test_bad_questions():
    c = binary(update="conservative").certificate()
    with pytest.raises(ValueError, match="has no such bound"):
        c.regret_bound(1.0)
    for ask in (c.mistake_bound, c.gap, c.best_loss, c.tuned):
        with pytest.raises(ValueError, match=r"=-1\.0 must be finite and not negative"):
            ask(-1.0)
    model = binary()
    with pytest.raises(ValueError, match=r"y\[1\]=7 is a label that has not been learned"):
        model.objective([[1.0], [1.0]], [1, 7])


def test_a_loss_object_has_its_margin():
    model = PrimalDual(loss=losses.Hinge(2.0))
    assert model.certificate().margin == 2.0


@pytest.mark.parametrize(
    ("update", "order"),
    [
        *((update, "recent") for update in UPDATES),
        *(("sequential", order) for order in ("random", "cyclic", "largest_violation")),
    ],
)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_a_run_goes_on_from_a_file_bit_for_bit(kind, update, order, tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(24, 4)), rng.integers(0, 3, 24)
    options = {"update": update, "order": order, "window": 5, "steps": 3, "C": 0.3}
    whole, part = PrimalDual(GEOMETRIES[kind], **options), PrimalDual(GEOMETRIES[kind], **options)
    whole.learn_many(X, y)
    part.learn_many(X[:12], y[:12])
    part.save(tmp_path / "m")
    for other in (load(tmp_path / "m"), pickle.loads(pickle.dumps(part))):
        assert other.get_params() == part.get_params()
        other.learn_many(X[12:], y[12:])
        assert other.decision_function(X).tolist() == whole.decision_function(X).tolist()
        assert other.certificate() == whole.certificate()


@pytest.mark.parametrize("name", ["theta", "sums", "run", "gradient", "past_alpha", "past_starts"])
def test_a_damaged_file_is_refused(name, tmp_path):
    from regretless import persistence

    PrimalDual(update="block").fit(FIVE, SIGNS).save(tmp_path / "m")
    description, arrays = persistence.read(tmp_path / "m")
    for damage in (arrays[name][:-1], None):
        other = {k: v for k, v in arrays.items() if k != name}
        persistence.write(
            tmp_path / "n", description, other | ({} if damage is None else {name: damage})
        )
        with pytest.raises(ValueError, match="is damaged"):
            PrimalDual.load(tmp_path / "n")


def test_every_geometry_can_be_saved(tmp_path):
    """Those of the library, with their options and domains."""
    from regretless.domains import Ball

    for shape in (
        PNorm(4, "B"),
        Entropy(2.0),
        geometry.Quadratic(np.diag([1.0, 2.0, 3.0])),
        Euclidean() + geometry.Quadratic([1.0, 2.0, 3.0]),
        Euclidean().on(Ball(2.0)),
    ):
        model = binary(shape, update="exact", dimension=3)
        model.learn_many(*data(1))
        model.save(tmp_path / "m")
        assert load(tmp_path / "m").geometry == shape
        assert dual(load(tmp_path / "m")) == dual(model)


def test_wide_sparse_rows_cost_what_they_hold():
    """A million columns, Euclidean: only those of the example are touched."""
    X = sparse.csr_array((np.ones(3), ([0, 1, 2], [5, 999_999, 5])), shape=(3, 1_000_000))
    model = binary()
    model.learn_many(X, [1, -1, 1])
    assert model.weights_ == {5: 1.0, 999_999: -1.0}
