"""The theorems hold on every run: separable, noisy and adversarial streams, many comparators."""

import math
from functools import partial

import numpy as np
import pytest
from reference.comparison import weights_of
from reference.losses import CLASSIFICATION, REGRESSION, hinge
from reference.pairs import LOSSES
from reference.streams import Stream, far_away, grid, random, single
from reference.traces import best_in_ball, record
from scipy.optimize import minimize
from scipy.special import logsumexp

from regretless import _core, losses, rates, rules
from regretless.linear import (
    LinearClassifier,
    LinearRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
)

SLACK = 1 + 1e-5  # the weights played are rounded to single precision


def against(s):
    """The adversary of classification: the other sign."""
    return -1 if s >= 0 else 1


def separable(seed, margin, rounds=300, dimension=4):
    """||x|| <= 1 and y <u, x> >= margin for the first unit vector u."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, dimension))
    X *= (rng.random(rounds) ** 0.3 / np.linalg.norm(X, axis=1))[:, None] * math.sqrt(1 - margin**2)
    y = np.where(rng.random(rounds) < 0.5, 1, -1)
    X[:, 0] = y * np.maximum(margin, y * X[:, 0])
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None] * (1 + 1e-7)
    return Stream(single(X), y, np.ones(rounds))


def classifier(model):
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    return model


def runs(make, loss="hinge", dimension=4, intercept=False):
    """The learner on a separable, a noisy and an adversarial stream of rows of norm at most 1."""
    by_hand = {**CLASSIFICATION, **REGRESSION}[loss]
    models = (classifier(make(intercept=intercept)) for _ in range(3))
    yield record(next(models), by_hand, separable(1, 0.2, dimension=dimension))
    noisy = random(loss, 2, rounds=300, dimension=dimension)
    unit = Stream(
        single(noisy.X / max(1, np.linalg.norm(noisy.X, axis=1).max())), noisy.y, noisy.y**2
    )
    yield record(next(models), by_hand, unit)
    yield record(next(models), by_hand, unit, adversary=against)


def comparators(trace, penalty=1.0, ord=2):
    """Weights to compare with: zero, random ones, and those for which loss + penalty is least."""
    d = trace.X.shape[1]
    rng = np.random.default_rng(0)
    yield from (np.zeros(d), *rng.normal(size=(4, d)), 10 * rng.normal(size=d))

    def objective(u):
        return trace.of(u) + penalty * np.linalg.norm(u, ord) ** 2

    yield minimize(objective, np.full(d, 0.1), method="Powell", options={"maxfev": 400}).x


# -- Perceptron: Shalev-Shwartz (2012), Theorem 3.9; Mohri et al. (2018), Theorems 8.8, 8.11, 8.12;
# Shalev-Shwartz and Singer (2007), Theorem 2 --------------------


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.03])
def test_perceptron_on_separable_data(margin):
    """M <= R^2 / rho^2, and M rho <= ||w|| <= sqrt(sum of ||x||^2 over M) on the way."""
    model = classifier(Perceptron(intercept=False))
    trace = record(model, hinge(), separable(3, margin))
    count = trace.mistakes.sum()
    norm = np.linalg.norm(list(model.weights_.values()))
    assert 0 < count <= 1 / margin**2
    assert count * margin <= norm * SLACK
    assert norm <= math.sqrt(np.sum(trace.X[trace.mistakes] ** 2)) * SLACK


@pytest.mark.parametrize("intercept", [False, True])
def test_perceptron_against_any_comparator(intercept):
    """The root form, its two relaxations, and the primal-dual paper's form of the same number."""
    for trace in runs(Perceptron, intercept=intercept):
        M = trace.mistakes
        R = np.linalg.norm(trace.X[M], axis=1).max()
        for u in comparators(trace):
            shortfall = np.maximum(0.0, 1 - trace.y[M] * (trace.X[M] @ u))
            F, a = shortfall.sum(), R * np.linalg.norm(u)
            root = ((a + math.sqrt(a * a + 4 * F)) / 2) ** 2
            assert M.sum() <= root * (1 + 1e-12)
            assert root <= (a + math.sqrt(F)) ** 2 * (1 + 1e-12)
            assert M.sum() <= (a + np.linalg.norm(shortfall)) ** 2 * (1 + 1e-12)
            assert root <= (F + a * math.sqrt(F) + a * a) * (1 + 1e-12)
            if a > 0:
                paper = F + a * a / 2 * (1 + math.sqrt(1 + 4 * F / a**2))
                assert paper == pytest.approx(root)


@pytest.mark.parametrize("p", [2.0, 3.0, 8.0])
def test_conservative_p_norm_mistakes(p):
    """The same with A = (p - 1) X^2 ||u||_q^2 in place of ||u||^2.

    Shalev-Shwartz and Singer (2007), Example 3.
    """
    q = p / (p - 1)
    for trace in runs(partial(LinearClassifier, loss="perceptron", rule=rules.PNorm(p, 1.0))):
        M = trace.mistakes
        size = np.linalg.norm(trace.X, p, axis=1).max()
        for u in comparators(trace, ord=q):
            A = (p - 1) * (size * np.linalg.norm(u, q)) ** 2
            L = np.maximum(0.0, 1 - trace.y * (trace.X @ u)).sum()
            assert M.sum() <= (L + A / 2 * (1 + math.sqrt(1 + 4 * L / A)) if A else L) + 1e-9


# -- gradient descent: Shalev-Shwartz (2012), Theorem 2.21, section 0.3
# -----------------------------------------------

STREAMS = {"noisy": (4, None), "adversarial": (5, against)}


def certified(loss, rule, stream, watch=None, **options):
    kind = LinearClassifier if loss in CLASSIFICATION else LinearRegressor
    model = kind(loss=LOSSES[loss], rule=rule, certify=True, **options)
    model = classifier(model) if loss in CLASSIFICATION else model
    seed, adversary = STREAMS[stream]
    rows = random(loss, seed, rounds=300)
    rows.X[0] = 0.5  # all features are known from the start
    rows.h[:] = np.maximum(rows.h, 0.5)  # every row is a round
    return model, record(model, {**CLASSIFICATION, **REGRESSION}[loss], rows, adversary, watch)


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "absolute"])
def test_ogd_identity_and_bound(loss, stream):
    """lin + (eta / 2) ||theta||^2 = (eta / 2) sum ||z||^2, hence the regret against every u."""
    eta = 0.0625
    model, trace = certified(loss, rules.OGD(eta), stream)
    certificate, squares = model.certificate(), model._model.total(_core.Total.squares)
    assert squares == pytest.approx(np.sum(trace.gradients**2), rel=1e-12)
    left = certificate.linear + eta / 2 * certificate.gradient_norms[1] ** 2
    assert left == pytest.approx(eta / 2 * squares, rel=1e-5)
    for u in comparators(trace, 1 / (2 * eta)):
        assert trace.regret(u) <= (u @ u / (2 * eta) + eta / 2 * squares) * SLACK


def test_ogd_bound_is_attained():
    """On linear losses, at u = w_{T+1} (Shalev-Shwartz (2012), eq. 2.15)."""
    rng = np.random.default_rng(6)
    stream = far_away(rng.integers(-8, 9, (200, 4)) / 8, rng.choice([-2.0, -1.0, 1.0], 200))
    model = LinearRegressor(loss="absolute", rule=rules.OGD(0.125), intercept=False)
    trace = record(model, REGRESSION["absolute"], stream)
    u = np.array([model.weights_[i] for i in range(4)])
    Z = trace.gradients
    bound = u @ u / 0.25 + 0.0625 * np.sum(Z**2)
    assert trace.linear - u @ Z.sum(axis=0) == pytest.approx(bound, rel=1e-12)
    for v in (2 * u, u + np.eye(4)[0], -u):
        assert trace.linear - v @ Z.sum(axis=0) < v @ v / 0.25 + 0.0625 * np.sum(Z**2)


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("lazy", [False, True])
def test_projected_ogd(lazy, stream):
    """The same bound for u in the ball; lazily also lin + R*(theta) <= (eta / 2) S.

    Shalev-Shwartz (2012), Corollary 2.17 and section 2.9.
    """
    eta, radius = 0.25, 0.5
    model, trace = certified("hinge", rules.OGD(eta, radius=radius, lazy=lazy), stream)
    S = np.sum(trace.gradients**2)
    if lazy:
        norm = model.certificate().gradient_norms[1]
        conjugate = (
            eta / 2 * norm**2 if eta * norm <= radius else radius * norm - radius**2 / (2 * eta)
        )
        assert trace.linear + conjugate <= eta / 2 * S * SLACK
    d = trace.X.shape[1]
    best = best_in_ball(trace.of, trace.gradient_of, d, radius)
    for u in (best, radius * np.eye(d)[0], np.zeros(d)):
        assert trace.regret(u) <= (u @ u / (2 * eta) + eta / 2 * S) * SLACK


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("rate", [rates.InverseSqrt(0.25), rates.Inverse(0.5)])
def test_dual_averaging_with_a_falling_rate(rate, stream):
    """Regret <= s_{T-1} ||u||^2 / 2 + sum ||z_t||^2 / (2 s_{t-1}), s = 1 / eta, s_0 = s_1.

    Srebro (lecture 16), slide FTRL for Linear Problems.
    """
    _, trace = certified("logistic", rules.OGD(rate, lazy=True), stream)
    eta = np.array([rate(max(t, 1)) for t in range(len(trace.y))])
    paid = np.sum(eta * np.sum(trace.gradients**2, axis=1)) / 2
    for u in comparators(trace, 1 / (2 * eta[-1])):
        assert trace.regret(u) <= (u @ u / (2 * eta[-1]) + paid) * SLACK


@pytest.mark.parametrize("lazy", [False, True])
def test_tuned_rates(lazy):
    """B L sqrt(T) for a known horizon and B L sqrt(2 (T - 1)) for any: hinge, ||x|| <= 1."""
    B, T = 3.0, 300
    for rate, bound in (
        (rates.for_horizon(B, 1.0, T), B * math.sqrt(T)),
        (rates.anytime(B, 1.0), B * math.sqrt(2 * (T - 1))),
    ):
        if isinstance(rate, rates.InverseSqrt) and not lazy:
            continue  # a theorem of dual averaging
        for trace in runs(partial(LinearClassifier, loss="hinge", rule=rules.OGD(rate, lazy=lazy))):
            best = best_in_ball(trace.of, trace.gradient_of, 4, B)
            for u in (best, *(v * B / np.linalg.norm(v) for v in np.eye(4))):
                assert trace.regret(u) <= bound * SLACK


@pytest.mark.parametrize("stream", STREAMS)
def test_adagrad(stream):
    """Regret <= sum_i (D_i^2 / (2 eta) + eta) sqrt(G_i), D_i = max |w_i - u_i|.

    Duchi, Hazan and Singer (2011).
    """
    eta, played = 0.25, [np.zeros(6)]
    _, trace = certified(
        "logistic",
        rules.AdaGrad(eta, invariant=False),
        stream,
        watch=lambda m: played.append(weights_of(m, 5)),
    )
    G = np.sum(trace.gradients**2, axis=0)
    for u in comparators(trace):
        D = np.abs(np.array(played) - u).max(axis=0)
        assert trace.regret(u) <= np.sum((D**2 / (2 * eta) + eta) * np.sqrt(G)) * SLACK


# -- mirrors: p-norm (C14) and EG (C10, C13) ------------------------------------------------------


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("p", [2.0, 3.0, 8.0])
def test_p_norm(p, stream):
    """lin + (eta / 2) ||theta||_p^2 <= (eta (p-1) / 2) sum ||z||_p^2, and the regret that follows."""
    eta, q = 0.0625, p / (p - 1)
    for loss in ("logistic", "absolute"):
        _, trace = certified(loss, rules.PNorm(p, eta), stream)
        Z = trace.gradients
        paid = eta * (p - 1) / 2 * np.sum(np.linalg.norm(Z, p, axis=1) ** 2)
        dual = eta / 2 * np.linalg.norm(Z.sum(axis=0), p) ** 2
        assert trace.linear + dual <= paid * SLACK
        for u in comparators(trace, 1 / (2 * eta), ord=q):
            assert trace.regret(u) <= (np.linalg.norm(u, q) ** 2 / (2 * eta) + paid) * SLACK


def in_cross_polytope(trace, radius):
    d = trace.X.shape[1]
    yield from (np.zeros(d), *(radius * np.eye(d)), *(-radius * np.eye(d)))
    yield best_in_ball(trace.of, trace.gradient_of, d, radius, ord=1)


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("loss", ["logistic", "absolute"])
@pytest.mark.parametrize("eta", [0.02, 0.3])
def test_eg_with_a_constant_rate(eta, loss, stream):
    """lin + (U / eta) ln(Z / 2d) <= (eta U / 2) S, hence regret <= U ln(2d) / eta + (eta U / 2) S."""
    U = 2.0
    _, trace = certified(loss, rules.EG(U, eta), stream)
    Z, d = trace.gradients, trace.X.shape[1]
    theta, S = -Z.sum(axis=0), np.sum(np.abs(Z).max(axis=1) ** 2)
    potential = logsumexp([eta * theta, -eta * theta]) - math.log(2 * d)
    assert trace.linear + U / eta * potential <= eta * U / 2 * S * SLACK
    for u in in_cross_polytope(trace, U):
        assert trace.regret(u) <= U * math.log(2 * d) / eta + eta * U / 2 * S


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_eg_that_adapts(loss, stream):
    """regret <= U ln(2d) / eta_T + (U / 2) sum eta_{t-1} ||z_t||_inf^2, as the rate only falls."""
    U = 2.0
    _, trace = certified(loss, rules.EG(U), stream)
    squares = np.abs(trace.gradients).max(axis=1) ** 2
    log, cap, S, eta = math.log(2 * trace.X.shape[1]), 0.0, 0.0, []
    for z in squares:
        eta.append(math.sqrt(2 * log / cap) if cap else math.sqrt(2 * log / (4 * z)) if z else 0.0)
        S += z
        cap = cap if cap >= S else 4 * S
    bound = U * log * math.sqrt(cap / (2 * log)) + U / 2 * np.sum(eta * squares)
    for u in in_cross_polytope(trace, U):
        assert trace.regret(u) <= bound * SLACK


# -- what certificates promise ---------------------------------------------------------------------


def by_hand(rule, Z, norm, d):
    """The theorems with rates that may fall, from the gradients."""
    T = np.arange(1, len(Z) + 1)
    if isinstance(rule, rules.EG):
        squares = np.abs(Z).max(axis=1) ** 2
        eta, cap, S = np.zeros(len(Z)), 0.0, 0.0
        for t, z in enumerate(squares):
            eta[t] = rule.rate or math.sqrt(2 * math.log(2 * d) / (cap or 4 * z))
            S += z
            cap = cap if cap >= S else 4 * S
        U = rule.radius
        return U * math.log(2 * d) / eta[-1] + U / 2 * np.sum(eta * squares)
    rate, lazy = rates.get(rule.rate), isinstance(rule, rules.PNorm) or rule.lazy
    eta = np.array([rate(max(t - 1, 1) if lazy else t) for t in T])
    p = rule.p if isinstance(rule, rules.PNorm) else 2.0
    steps = (p - 1) / 2 * np.sum(eta * np.linalg.norm(Z, p, axis=1) ** 2)
    if not lazy and eta[0] != eta[-1]:
        norm += rule.radius
    return norm**2 / (2 * eta[-1]) + steps


PROMISES = [
    rules.OGD(0.125),
    rules.OGD(0.25, radius=3.0),
    rules.OGD(0.25, radius=3.0, lazy=True),
    rules.OGD(rates.InverseSqrt(0.5), radius=3.0),
    rules.OGD(rates.InverseSqrt(0.25), lazy=True),
    rules.PNorm(3.0, 0.0625),
    rules.PNorm(8.0, rates.InverseSqrt(0.125)),
    rules.EG(2.0),
    rules.EG(2.0, 0.125),
]


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("loss", ["logistic", "absolute"])
@pytest.mark.parametrize("rule", PROMISES, ids=repr)
def test_promised(rule, loss, stream):
    """`promise` is the theorem on these gradients, and no comparator of that norm does better."""
    model, trace = certified(loss, rule, stream)
    certificate, d = model.certificate(), trace.X.shape[1]
    p = rule.p if isinstance(rule, rules.PNorm) else 2.0
    q = 1 if isinstance(rule, rules.EG) else p / (p - 1)
    compared = list(comparators(trace, ord=q))
    for norm in (0.0, 0.5, 2.0):
        promised = certificate.promise.at(norm)
        assert promised == pytest.approx(by_hand(rule, trace.gradients, norm, d), rel=1e-9)
        found = certificate.within(norm, ord=1)
        assert found.bounds["convexity"] <= found.bounds[rule.name] <= promised * SLACK
        assert found.holds
        for u in compared:
            scale = norm / (np.linalg.norm(u, q) or 1.0)
            assert trace.regret(scale * u) <= promised * SLACK


def test_promised_for_several_classes():
    """Lanes add up: prices by the largest rate's, steps all, and EG's comparators one a class."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    for rule, norm, q in ((rules.OGD(0.1), 2.0, 2), (rules.EG(1.0), 1.0, 1)):
        together = LinearClassifier(rule=rule, certify=True).fit(X, y).certificate()
        apart = [
            LinearClassifier(rule=rule, certify=True).fit(X, y == k).certificate() for k in range(3)
        ]
        promised = [c.promise.at(0.0 if q == 2 else norm) for c in apart]
        extra = norm**2 / 0.2 if q == 2 else 0.0
        found = together.within(norm, ord=q)
        assert found.bounds[rule.name] == pytest.approx(sum(promised) + extra, rel=1e-9)
        assert found.bounds["convexity"] <= found.bounds[rule.name]


@pytest.mark.parametrize("seed", range(4))
def test_eg_promises_while_features_appear(seed):
    """The rate never rises, so the potential pays for features that join at theta = 0."""
    rng = np.random.default_rng(seed)
    model = LinearClassifier(loss="hinge", rule=rules.EG(2.0), intercept=False, certify=True)
    lower = 0.0
    for t in range(300):
        new = [0] if t == 0 else rng.integers(0, min(2 ** (t // 4), 500) + 1, 5)
        x = {f"f{i}": float(rng.choice([-1, 1])) for i in new}
        model.learn_one(x, bool(model.decision_one(x) < 0), float(rng.exponential()))
        found = model.certificate(norm=2.0, ord=1)
        promised = found.promise.at(2.0)
        assert found.bounds["convexity"] <= promised * SLACK
        lower = max(lower, found.bounds["convexity"] / promised)
    assert lower > 0.1  # the streams are hard enough to tell


@pytest.mark.parametrize(
    ("options", "norm", "ord"),
    [
        ({"rule": "coin"}, 1, 2),
        ({"rule": "ogd"}, 1, 2),  # rates that fall, in a domain without end
        ({"rule": rules.OGD(0.1, invariant=True)}, 1, 2),
        ({"rule": rules.OGD(0.1), "l2": 0.1}, 1, 2),
        ({"rule": rules.OGD(0.1)}, 1, math.inf),
        ({"rule": rules.EG(1.0)}, 1, 2),  # not all of them are in the l1 ball
        ({"rule": rules.PNorm(3.0)}, 1, 2),
        ({"rule": rules.PNorm(3.0), "certify": False}, 1, 1),
    ],
)
def test_no_promise(options, norm, ord):
    """Without a theorem for these models there is what the run proves, and nothing else."""
    model = LinearClassifier(**{"certify": True} | options).fit([[1.0], [2.0]], [0, 1])
    assert model.certificate(norm, ord).bounds.keys() == {"convexity", "trivial"}


@pytest.mark.parametrize("rule", [rules.OGD(0.1, radius=1.0), rules.EG(1.0)])
def test_no_promise_beyond_the_domain(rule):
    """Models outside the ball are nothing that the theorem speaks of; convexity does."""
    model = LinearClassifier(rule=rule, certify=True).fit([[1.0], [2.0]], [0, 1])
    found = model.certificate(2.0, 1)
    assert found.bounds[rule.name] == math.inf
    assert found.bound < math.inf
    with pytest.raises(ValueError, match="norm=-1 must"):
        model.certificate(-1)


# -- passive-aggressive: Shalev-Shwartz and Singer (2007), Theorem 3, sections 5.1, 5.2, 5.4
# --------------------------------


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.1, 0.5, 3.0])
def test_passive_aggressive(C, intercept):
    """sum mu(l_t) <= sum l_t(u) + ||u||^2 / (2C), its two consequences, and the mistake bound (31)."""
    h = 1.0 + intercept  # ||x||^2 <= h: section 5.4
    c = h * C

    def mu(x):
        return np.minimum(x, c) * (x - np.minimum(x, c) / 2) / c

    def inverse(z):
        return math.sqrt(2 * c * z) if z <= c / 2 else z + c / 2

    assert inverse(mu(0.7)) == pytest.approx(0.7)
    for trace in runs(partial(PassiveAggressive, C=C), intercept=intercept):
        T, suffered = len(trace.y), trace.losses
        for u in comparators(trace, 1 / (2 * C)):
            total = trace.of(u) + u @ u / (2 * C)
            assert mu(suffered).sum() <= total * SLACK
            assert suffered.mean() <= inverse(total / T) * SLACK <= (total / T + c / 2) * SLACK**2
            rise = C - h * C * C / 2 if c <= 1 else 1 / (2 * h)
            assert trace.mistakes.sum() <= C * total / rise * SLACK


def test_passive_aggressive_climbs_the_dual():
    """D never falls, and D <= P(u) for every u (Shalev-Shwartz and Singer (2007), section 3)."""
    C = 0.75
    for trace in runs(partial(PassiveAggressive, C=C)):
        w, alphas, duals = np.zeros(4), 0.0, [0.0]
        for x, y in zip(trace.X, trace.y, strict=True):
            alpha = min(C, max(0.0, 1 - y * (w @ x)) / (x @ x)) if x.any() else 0.0
            w, alphas = w + alpha * y * x, alphas + alpha
            duals.append(alphas - w @ w / 2)
        np.testing.assert_allclose(trace.X[-1] @ (w - alpha * y * x), trace.scores[-1], atol=1e-4)
        assert np.all(np.diff(duals) >= -1e-12)
        for u in comparators(trace, 1 / (2 * C)):
            assert duals[-1] <= (C * trace.of(u) + u @ u / 2) * SLACK


@pytest.mark.parametrize("margin", [0.3, 0.05])
def test_exact_steps_on_separable_data(margin):
    """With C = infinity the dual gains l^2 / (2 ||x||^2) a round: sum l^2 / ||x||^2 <= ||u||^2."""
    model = classifier(PassiveAggressive(mode="exact", intercept=False))
    trace = record(model, hinge(), separable(8, margin))
    assert np.sum(trace.losses**2 / np.sum(trace.X**2, axis=1)) <= 1 / margin**2 * SLACK


def test_exact_steps_of_the_regressor():
    """The same for a target that some u meets within epsilon."""
    stream, u = grid("squared", 9, dimension=4), np.array([1.0, -2.0, 0.5, 3.0])
    y = stream.X @ u + 0.5 * np.sin(np.arange(150))
    model = PassiveAggressiveRegressor(mode="exact", epsilon=0.5, intercept=False)
    trace = record(model, REGRESSION["epsilon_insensitive"], Stream(stream.X, y, np.ones(150)))
    norms = np.maximum(np.sum(trace.X**2, axis=1), 1e-9)
    assert losses.EpsilonInsensitive(0.5).value(trace.X @ u, y).max() < 1e-12
    assert np.sum((trace.losses**2 / norms)[trace.X.any(axis=1)]) <= u @ u * SLACK
