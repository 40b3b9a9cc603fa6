"""The primal-dual family: increases of the dual, weak duality, bounds, and where the text is wrong."""

import math

import numpy as np
import pytest
from reference.dual_runs import GEOMETRIES, UPDATES, binary, data, dual, trace
from reference.primal_dual import REGULARISERS, best_primal, mu

from regretless.geometry import PNorm
from regretless.linear import PrimalDual

# --- theorems -------------------------------------------------------------------------------------


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
    for X, y in hard_streams(60 if kind == "quad" else 16):
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
    assert c.loss - c.within(3.0).bounds["convexity"] < c.best_possible(3.0) <= least
    assert c.best_possible(3.0, mean=True) == pytest.approx(c.best_possible(3.0) / 60)
    assert c.best_possible(3.0, ord=math.inf) == max(
        0.0, c.loss - c.within(3.0, ord=math.inf).bound
    )


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
    assert c.assumptions["the dual objective never fell"] is False
    assert c.guaranteed_rate < 0
    fine = binary(update="conservative", C=1.9)
    fine.learn_many([[1.0], [1.0]], [1, -1])
    assert fine.certificate().holds


def test_nothing_learned_yet():
    c = PrimalDual().certificate()
    assert (c.dual, c.mistakes, c.rate, c.mistake_bound(1.0), c.holds) == (0, 0, math.inf, 0, True)
    assert (c.loss_bound(1.0, 1.0), c.regret_bound(1.0)) == (0.0, 1.0)


# --- errata (section 99) --------------------------------------------------------------------------


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
    with pytest.raises(ValueError, match="is outside \\[2, inf\\)"):
        PNorm(1.0)
