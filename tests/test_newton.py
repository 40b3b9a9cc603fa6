"""Sketched Newton: against dense and sparse oracles, by theorems, equivalences and invariances."""

import math
import pickle
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from reference import newton as by_hand
from reference.losses import CLASSIFICATION, REGRESSION
from reference.streams import Stream, adversarial, single
from reference.traces import best_in_ball, record

from regretless import _core, losses, rates
from regretless.base import rows
from regretless.linear import LinearClassifier
from regretless.newton import NewtonClassifier, NewtonRegressor, curvature

KINDS = ("oja", "fd", "rp", "full")
BY_HAND = {**CLASSIFICATION, **REGRESSION}
sketches = pytest.mark.parametrize("sketch", KINDS)


def stream(loss="logistic", T=200, d=12, seed=0, density=0.4):
    """Sparse rows, one of them empty, correlated features, a noisy target, weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    X = single(X * (rng.random((T, d)) < density) / np.sqrt(d))
    X[5] = 0
    y = X @ rng.normal(size=d) + 0.2 * rng.normal(size=T)
    y = np.sign(y) if loss in CLASSIFICATION else single(y / np.abs(y).max())
    return X, y, rng.choice([0.5, 1.0, 2.0], T)


def learner(loss, **options):
    kind = NewtonClassifier if loss in CLASSIFICATION else NewtonRegressor
    return kind(loss=loss, **{"intercept": False} | options)


def sketch_by_hand(kind, size, seed=0):
    if kind == "rp":
        return by_hand.RandomProjection(size, lambda t: by_hand.gaussians(seed, t, size))
    return {
        "oja": lambda: by_hand.Oja(size),
        "fd": lambda: by_hand.EpochDirections(size),
        "full": by_hand.Full,
    }[kind]()


def play(model, X, y, h):
    """Scores before learning."""
    out = []
    for x, label, weight in zip(X, y.tolist(), h.tolist()):
        target = label > 0 if isinstance(model, NewtonClassifier) else label
        if isinstance(model, NewtonClassifier) and not out:
            model._add(False)
            model._add(True)
        out.append(
            model.decision_one(x) if hasattr(model, "decision_one") else model.predict_one(x)
        )
        model.learn_one(x, target, weight)
    return np.array(out)


# --- against the oracles ---------------------------------------------------------------------------

# What is made of the rows are differences of numbers up to 1,000 times as large, before a sketch puts
# its rows in order, and steps are divided by A, of a condition below 1,000.
ROUNDING = 1e6 * 2.0**-53


@sketches
@pytest.mark.parametrize("size", [1, 4, 16])
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize(
    ("loss", "alpha", "slab"),
    [("logistic", 2.0, None), ("logistic", 2.0, 0.5), ("squared", 20.0, 0.4), ("hinge", 3.0, None)],
)
def test_is_the_dense_algorithm(sketch, size, diagonal, loss, alpha, slab):
    X, y, h = stream(loss, T=400 if sketch == "oja" else 200)  # Oja's rule begins after 256
    options = {"alpha": alpha, "slab": slab, "diagonal": diagonal, "curvature": 0.5}
    rate = rates.InverseSqrt(0.3) if loss == "hinge" else None
    model = learner(loss, sketch=sketch, size=size, seed=9, rate=rate, **options)
    oracle = by_hand.SketchedNewton(
        X.shape[1],
        BY_HAND[loss],
        sketch_by_hand(sketch, size, 9),
        alpha,
        math.inf if slab is None else slab,
        0.5,
        rate,
        diagonal,
    )
    wanted = []
    for x, label, weight in zip(X, y, h):
        wanted.append(oracle.predict(x))
        oracle.learn(x, label, weight)
    wanted = np.array(wanted)
    found = play(model, X, y, h)
    assert np.max(np.abs(found - wanted) / (1 + np.abs(wanted))) < ROUNDING
    if slab is not None:
        assert np.max(np.abs(found)) <= slab * (1 + 1e-12)
    if slab is not None and not diagonal:
        assert np.any(np.abs(found) > 0.999 * slab)  # the projection had work to do


@pytest.mark.parametrize("size", [1, 4, 16])
@pytest.mark.parametrize("kind", ["oja", "fd", "rp"])
def test_the_sparse_forms_are_the_dense_ones(kind, size):
    """In doubles, where nothing but the algebra can differ.

    Luo (2016), section 4.5, mended as in docs/errata.md.
    """
    X, y, h = stream()
    dense = by_hand.SketchedNewton(
        12, CLASSIFICATION["logistic"], sketch_by_hand(kind, size), 2.0, 0.7
    )
    if kind == "oja":
        dense.sketch.exact = 0  # as in the text
    options = {"alpha": 2.0, "slab": 0.7}
    sparse = {
        "oja": by_hand.SparseOja,
        "fd": by_hand.SparseEpochDirections,
        "rp": lambda *a, **o: by_hand.SparseRandomProjection(
            *a, lambda t: by_hand.gaussians(0, t, size), **o
        ),
    }[kind](12, CLASSIFICATION["logistic"], size, **options)
    for x, label, weight in zip(X, y, h):
        assert sparse.predict(x) == pytest.approx(dense.predict(x), rel=1e-9, abs=1e-9)
        dense.learn(x, label, weight)
        sparse.learn(x, label, weight)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared", "absolute"])
def test_tuned_lanes(loss, diagonal):
    """Four lanes of one sketch: what each of them has lost, the mixture being what it is."""
    lanes = [(0.01, 0.06), (0.1, 0.25), (1.0, 0.015), (0.001, 1.0)]
    kind, hand = losses.get(loss), BY_HAND[loss]
    oja = _core.SketchKind.oja
    options = {
        "sketch": oja,
        "size": 4,
        "seed": 0,
        "tuned": True,
        "slab": math.inf,
        "curvature": 0.0,
    }
    options["spaces"] = [(diagonal, lanes)]
    core = _core.Learner(losses.compiled(kind), "newton", options, 0, 0, False, False)
    X, y, h = stream(loss, T=400)
    spans = loss == "absolute"
    oracle = by_hand.TunedLanes(12, hand, by_hand.Oja(4), lanes, diagonal, spans)
    lost = np.zeros(4)
    for x, label, weight in zip(X, y, h):
        lost += [weight * hand.value(float(s), float(label)) for s in oracle.scores(x)]
        row = rows.row(x)
        if kind.classification:
            s = core.step_class(row, int(label > 0), weight)
        else:
            s = core.step_target(row, label, weight)
        oracle.learn_at(x, float(label), weight, weight * hand.derivative(s, float(label)))
    # alpha is at least a ten thousandth of the sketch, and steps are differences of the two
    np.testing.assert_allclose(core.mixing(0)["losses"][:4], lost, rtol=1e4 * ROUNDING)


# --- long streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_streams_without_end(alpha):
    """A sketch with room for all directions stays the full matrix, which stays near the noise.

    In single precision Oja's sketch had lost its directions after 80,000 examples: errors of the rows
    are steps of their size over alpha, and A grows with the examples.
    """
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(80_000, 10)), rng.normal(size=10)
    margins = X @ w * np.where(y := rng.random(80_000) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0)
    noise = np.logaddexp(0.0, -margins[40_000:]).mean()
    options = {"size": 12, "alpha": alpha, "curvature": 0.06, "intercept": False}
    late = {}
    for sketch in ("oja", "fd", "full"):
        model = NewtonClassifier(sketch=sketch, **options).fit(X[:40_000], y[:40_000])
        early = model.loss_
        late[sketch] = (model.partial_fit(X[40_000:], y[40_000:]).loss_ - early) / 40_000
    assert late["full"] == pytest.approx(noise, rel=0.01)
    assert late["fd"] == pytest.approx(late["full"], rel=1e-6)
    assert late["oja"] == pytest.approx(late["full"], rel=1e-3)


def beside_the_dense(sketch, T, scale=1.0, **options):
    """Scores of a learner and of the dense algorithm, their losses above the noise, and the noise."""
    rng = np.random.default_rng(0)
    X, w = single(scale * rng.normal(size=(T, 5))), rng.normal(size=5) / scale
    y = np.where(rng.random(T) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0)
    options |= {"curvature": 0.06}
    found = play(learner("logistic", sketch=sketch, size=6, seed=9, **options), X, y, np.ones(T))
    kind = sketch_by_hand(sketch, 6, 9)
    oracle = by_hand.SketchedNewton(5, BY_HAND["logistic"], kind, **options)
    wanted = []
    for x, label in zip(X, y):
        wanted.append(oracle.predict(x))
        oracle.learn(x, label, 1.0)
    wanted, noise = np.array(wanted), np.logaddexp(0.0, -y * (X @ w)).mean()
    above = [np.logaddexp(0.0, -y * s).mean() - noise for s in (found, wanted)]
    return found, wanted, above, noise


@sketches
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_every_alpha_and_scale_is_the_dense_algorithm(sketch, diagonal, alpha, scale):
    """Where doubles have the digits for it.

    A step is what the sketch leaves of x, over alpha. The rows are known to 1e-13 (1e3 roundings, as
    above), so an error of 1e-13 |x| acts as a step of 1e-13 |x| / alpha, and its score as
    1e-13 |x|^2 / alpha. Beyond 1e12 no digit is left, in either; then they are only to stay finite.
    """
    with np.errstate(all="ignore"):
        found, wanted, above, noise = beside_the_dense(
            sketch, 1000, scale, alpha=alpha, diagonal=diagonal
        )
    # scaled, x_i^2 is at most 10; of five normal numbers the sum of squares stays below 25 (1e-3)
    lever = (50.0 if diagonal else 25.0 * scale**2) / alpha
    tolerance = 1e3 * 2.0**-53 * max(1e3, lever)
    assert np.isfinite(found).all()
    if tolerance < 1e-3:
        assert np.max(np.abs(found - wanted) / (1 + np.abs(wanted))) < tolerance
        assert above[0] - above[1] < 0.01 * noise


@pytest.mark.parametrize(("sketch", "diagonal"), [("oja", False), ("fd", True)])
def test_the_dense_algorithm_after_20000_examples(sketch, diagonal):
    found, wanted, above, noise = beside_the_dense(sketch, 20_000, alpha=0.1, diagonal=diagonal)
    assert above[0] - above[1] < 1e-6 * noise
    np.testing.assert_allclose(found[-100:], wanted[-100:], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
def test_lanes_stay_alive(loss):
    """None loses more than twice as much as at its best, on a stream that does not change."""
    rng = np.random.default_rng(0)
    part, w = 20_000, rng.normal(size=10)
    model, before, least = learner(loss), 0.0, np.inf
    for _ in range(8):
        X = rng.normal(size=(part, 10))
        scores = X @ w + rng.logistic(size=part)
        model.partial_fit(X, scores > 0 if loss in CLASSIFICATION else scores)
        now = np.array([lane.loss for lane in model.lanes_])
        least = np.minimum(least, now - before)
        assert np.all(now - before < 2 * least)
        before = now


@pytest.mark.parametrize("wide", [60, 100])
def test_condition_numbers_do_not_matter(wide):
    """The data of Luo (2016), section 4.6.1; experiments/newton_condition.py has more of them."""
    errors = {}
    for condition in (1.0, 200.0):
        wrong = 0
        for seed in range(3):
            rng = np.random.default_rng(seed)
            Z, V = rng.normal(size=(5000, wide)), np.linalg.qr(rng.normal(size=(wide, wide)))[0]
            variances = np.ones(wide)
            variances[-10:] += (condition - 1) * np.arange(1, 11) / 10
            y = Z @ rng.normal(size=wide) > 0
            model = NewtonClassifier()
            for part in model.validate_many(Z * np.sqrt(variances) @ V.T, y):
                wrong += int(np.sum(part.wrong))
        errors[condition] = wrong
    assert errors[200.0] <= 1.15 * errors[1.0]


@sketches
@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
def test_a_slab_never_diverges(sketch, loss):
    """Features from 1e-6 to 1e18, alpha from 1e-12 to 1e6: scores stay in the slab, bounds hold."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        scale, alpha = 10.0 ** rng.uniform(-6, 18), 10.0 ** rng.uniform(-12, 6)
        slab, size = 10.0 ** rng.uniform(-1, 1), int(rng.integers(0, 6))
        X = single(scale * rng.normal(size=(60, 4)) * 10.0 ** rng.uniform(-3, 0, size=4))
        y = rng.uniform(-slab, slab, 60)
        y = np.sign(y) if loss in CLASSIFICATION else single(0.9 * y)
        model = learner(loss, sketch=sketch, size=size, alpha=alpha, slab=slab, certify=True)
        scores = play(model, X, y, np.ones(60))
        assert np.abs(scores).max() <= slab * (1 + 1e-12)
        assert all(np.isfinite(v) for v in model.weights_.values())
        if sketch not in ("fd", "full"):
            continue
        value = BY_HAND[loss].value
        u = rng.normal(size=4) / scale
        u *= slab / np.abs(X @ u).max()
        lost = sum(value(float(a), float(b)) for a, b in zip(scores, y))
        regret = lost - sum(value(float(a), float(b)) for a, b in zip(X @ u, y))
        proved = model.certificate(norm=float(np.linalg.norm(u)), in_slab=True)
        assert regret <= proved.bound * (1 + 1e-9) + 1e-9


# --- theorems --------------------------------------------------------------------------------------


def in_the_slab(u, X, slab):
    """u, or as far towards it as scores stay in the slab."""
    return u * min(1.0, slab / max(np.abs(X @ u).max(), 1e-300))


THEOREMS = [
    ("squared", 1.0, None),
    ("logistic", 2.0, None),
    ("squared_hinge", 1.0, None),
    ("hinge", 1.5, rates.InverseSqrt(0.5)),
]


@pytest.mark.parametrize("adversary", [False, True])
@pytest.mark.parametrize(("loss", "slab", "rate"), THEOREMS)
@pytest.mark.parametrize(("sketch", "size"), [("full", 0), ("fd", 3), ("fd", 20), ("rp", 30)])
def test_regret_theorems(sketch, size, loss, slab, rate, adversary):
    """Prop 1, Thm 16, 18: for comparators of several norms with scores in the slab."""
    X, y, _ = stream(loss, T=300)
    model = learner(loss, sketch=sketch, size=size, alpha=0.5, slab=slab, rate=rate, certify=True)
    against = (lambda s: -1.0 if s >= 0 else 1.0) if adversary else None
    if loss in CLASSIFICATION:
        model._add(-1.0)
        model._add(1.0)
    trace = record(model, BY_HAND[loss], Stream(X, y, np.ones(300)), against)
    certificate = model.certificate()
    assert certificate.steepest == pytest.approx(
        max(abs(BY_HAND[loss].derivative(s, t)) for s, t in zip(trace.scores, trace.y))
    )
    rng = np.random.default_rng(1)
    for norm in (0.3, 5.0):
        proved = model.certificate(norm=norm, in_slab=True)
        assert proved.holds is None  # the regret is not known without the examples
        assert proved.bound < math.inf
        assert proved.assumptions["the loss curves by sigma in the slab"]
        best = best_in_ball(trace.of, trace.gradient_of, 12, norm)
        for u in (
            np.zeros(12),
            best,
            *(norm * v / np.linalg.norm(v) for v in rng.normal(size=(3, 12))),
        ):
            regret = trace.regret(in_the_slab(u, X, slab))
            for name, bound in proved.bounds.items():
                assert regret <= bound + 1e-6, name


def test_the_bound_says_something():
    """On noise the bound of the full matrix is less than what was lost."""
    X, y, _ = stream("squared", T=2000, d=4, density=1.0)
    y = np.sign(y + np.random.default_rng(0).normal(size=2000))
    model = learner("squared", sketch="full", alpha=0.5, slab=1.0, certify=True)
    play(model, X, y, np.ones(2000))
    assert model.certificate(norm=1.0, in_slab=True).bound < 0.5 * model.loss_


def test_what_frequent_directions_remove():
    """The sum of rho is at most the rest of the spectrum over m - k, by what was measured.

    Luo (2016), section 4.4.2.
    """
    X, y, _ = stream(T=300)
    m = 4
    model = learner("logistic", sketch="fd", size=m, alpha=1.0, curvature=1.0, certify=True)
    s = play(model, X, y, np.ones(300))
    G = (-y / (1 + np.exp(y * s)))[:, None] * X
    spectrum = np.linalg.eigvalsh(G.T @ G)[::-1]
    removed = model.certificate().removed
    oracle = by_hand.EpochDirections(m)
    for g in G[np.abs(G).max(axis=1) > 0]:
        oracle.update(g)
    assert removed == pytest.approx(oracle.removed, rel=1e-4)
    assert removed > 0
    for k in range(m):
        assert removed <= spectrum[k:].sum() / (m - k) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("loss", "slab"),
    [("squared", 0.7), ("logistic", 0.3), ("logistic", 4.0), ("exponential", 2.0)]
    + [("squared_hinge", slab) for slab in (0.4, 1.0, 3.0)],
)
def test_curvature(loss, slab):
    """The largest sigma of assumption 2, found on a grid of scores and targets."""
    kind = losses.get(loss)
    scores = np.linspace(-slab, slab, 301)
    a, b = scores[:, None], scores[None, :]
    least = math.inf
    for y in (1.0,) if kind.classification else (-slab, 0.3 * slab, slab):
        value, slope = (
            lambda s, f=f, y=y: np.vectorize(f)(s, y) for f in (kind.value, kind.derivative)
        )
        rise = (slope(b) * (a - b)) ** 2
        gap = 2 * (value(a) - value(b) - slope(b) * (a - b))
        least = min(least, np.min(gap[rise > 1e-9] / rise[rise > 1e-9]))
    assert curvature(kind, slab) == pytest.approx(least, rel=0.02)
    assert curvature(kind, slab) <= least * (1 + 1e-6)


def test_an_alpha_that_is_raised_has_no_theorem():
    """Steps keep three digits by a larger alpha than was given; then no bound is printed as proved."""
    X, y, h = stream("squared")
    options = {"sketch": "fd", "slab": 1.0, "curvature": 0.05, "certify": True}
    model = learner("squared", alpha=1.0, **options)
    play(model, X, y, h)
    given = model.certificate(norm=1, in_slab=True)
    for certificate, stays in ((given, True), (replace(given, alpha=1e-14).within(1.0), False)):
        assert certificate.assumptions["alpha is at least 1e-13 of the sketch"] is stays
        assert math.isfinite(certificate.bounds["Thm 18"]) is stays


# --- equivalences and invariances --------------------------------------------------------------------


def test_frequent_directions_that_suffice_are_the_full_matrix():
    X, y, h = stream(d=5)
    found = [
        play(learner("logistic", sketch=s, size=6, alpha=1.0, slab=1.0), X, y, h)
        for s in ("fd", "full")
    ]
    np.testing.assert_allclose(*found, rtol=ROUNDING, atol=ROUNDING)


def test_no_sketch_is_gradient_descent():
    X, y, h = stream()
    first = play(learner("logistic", size=0, alpha=4.0), X, y, h)
    plain = LinearClassifier(rule="ogd", rate=0.25, intercept=False)
    plain._add(False)
    plain._add(True)
    second = []
    for x, label, weight in zip(X, y, h):
        second.append(plain.decision_one(x))
        plain.learn_one(x, bool(label > 0), weight)
    np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("alpha", [None, 0.5])
@sketches
def test_scales_do_not_matter_with_diagonal_adaptation(sketch, alpha):
    """Powers of two change no digit."""
    X, y, h = stream()
    scales = 2.0 ** np.array([-40, 30, 0, 3, -3, 10, -10, 1, -1, 20, -20, 0])
    found = [
        play(learner("logistic", sketch=sketch, diagonal=True, alpha=alpha), Z, y, h)
        for Z in (X, X * scales)
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("loss", ["logistic", "squared", "absolute"])
def test_tuned_learners_have_no_units(loss):
    """All features by one factor, and targets by one: predictions stay, or go with the targets."""
    X, y, h = stream(loss)
    plain = play(learner(loss), X, y, h)
    np.testing.assert_allclose(play(learner(loss), 2.0**20 * X, y, h), plain, rtol=1e-6, atol=1e-9)
    if loss in REGRESSION:
        larger = play(learner(loss), X, 2.0**12 * y, h)
        np.testing.assert_allclose(larger, 2.0**12 * plain, rtol=1e-6, atol=1e-6)


def test_turned_features_are_the_same_without_diagonal():
    X, y, h = stream(density=1.0)
    Q = np.linalg.qr(np.random.default_rng(3).normal(size=(12, 12)))[0]
    for sketch in KINDS:
        model = {"sketch": sketch, "alpha": 1.0, "size": 4}
        found = [play(learner("logistic", **model), Z, y, h) for Z in (X, X @ Q)]
        np.testing.assert_allclose(*found, rtol=1e-3, atol=1e-3)  # X @ Q is rounded to floats, too


@pytest.mark.parametrize("sketch", ["fd", "rp", "full"])
def test_eigenvalues(sketch):
    """Those of the sum of g g^T, all of them if the sketch has room."""
    X, y, h = stream(d=5, T=40)
    model = learner("logistic", sketch=sketch, size=150 if sketch == "rp" else 8, alpha=1.0)
    s = play(model, X, y, h)
    G = (-h * y / (1 + np.exp(y * s)))[:, None] * X
    exact = np.linalg.eigvalsh(G.T @ G)[::-1]
    # a random projection has relative errors of some sqrt(d / m)
    tolerance = 0.3 if sketch == "rp" else 1e-4
    np.testing.assert_allclose(model.eigenvalues_, exact, rtol=tolerance)
    assert model.condition_number_ == pytest.approx(exact[0] / exact[-1], rel=3 * tolerance)


def test_eigenvalues_of_oja():
    """The largest, once its directions have found them."""
    rng = np.random.default_rng(0)
    X = single(rng.normal(size=(3000, 10)) * ([6.0, 3.0] + [1.0] * 8))
    y = rng.choice([-1.0, 1.0], 3000)  # gradients stay as large as at the start
    model = learner("logistic", size=4, alpha=1e4)
    s = play(model, X, y, np.ones(3000))
    G = (-y / (1 + np.exp(y * s)))[:, None] * X
    exact = np.linalg.eigvalsh(G.T @ G)[::-1]
    np.testing.assert_allclose(model.eigenvalues_[:2], exact[:2], rtol=0.05)
    assert model.condition_number_ == pytest.approx(exact[0] / exact[2:].mean(), rel=0.1)


# --- the promise of the mixture ----------------------------------------------------------------------


def hard(T=200):
    """The streams on which all learners go wrong, and those that matrices find hard."""
    yield from adversarial(T)
    rng = np.random.default_rng(1)
    X, base = rng.normal(size=(T, 5)), rng.normal(size=(T, 2))
    y = np.sign(X @ [1, -2, 3, 0, 0] + 0.5 * rng.normal(size=T))
    yield "of rank two", base @ rng.normal(size=(2, 6)), np.sign(base[:, 0])
    yield "constant", np.c_[np.full(T, 1e6), X[:, 0]], np.sign(X[:, 0])
    yield "nearly parallel", np.c_[X[:, :1], X[:, :1] + 1e-6 * X[:, 1:2]], y
    yield "the same again", np.tile(X[:5], (T // 5, 1)), np.tile(y[:5], T // 5)


HARD = {name: (X, y) for name, X, y in hard()}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
@sketches
def test_never_worse_than_the_best_lane(sketch, loss, name):
    X, y = HARD[name]
    model = learner(loss, sketch=sketch, size=3, intercept=True)
    scores = play(model, X, y, np.ones(len(y)))
    assert np.isfinite(scores).all()
    assert all(np.isfinite(w) for w in model.weights_.values())
    certificate = model.certificate()
    assert certificate.holds, (certificate.regret, certificate.bound)
    assert len(model.lanes_) == 9 - (loss == "hinge")
    if loss == "logistic":
        assert certificate.bound <= math.log(9) + 1e-9


@pytest.mark.parametrize("name", HARD)
@sketches
def test_the_thesis_algorithm_stays_finite_in_the_slab(sketch, name):
    """Or it says that alpha is too small for such data."""
    X, y = HARD[name]
    model = learner("logistic", sketch=sketch, size=3, alpha=1.0, slab=3.0)
    model._add(False)
    model._add(True)
    if name in ("scales", "constant", "huge", "growing"):
        with suppress(ArithmeticError):
            model.learn_many(X, y > 0)
    else:
        model.learn_many(X, y > 0)
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert np.abs(scores).max() <= 3.0 + 1e-9
    assert all(np.isfinite(w) for w in model.weights_.values())


@pytest.mark.parametrize("seed", [127, 206, 296, 305, 458, 523])
def test_right_predictions_teach_no_directions(seed):
    """Their gradients are rounding, which the sketch must not take for data."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    model, truth = NewtonRegressor(alpha=2.0, size=10), rng.normal(size=d)
    for t in range(300):
        x = rng.normal(size=d) * (rng.random(d) < 0.5)
        p = model.predict_one(x)
        right = (p * (1 + 2.0**-52 * rng.integers(-3, 4)), p + 10.0 ** rng.uniform(-300, -5))
        model.learn_one(x, (float(truth @ x), *right)[rng.integers(0, 3) if t > 3 else 0])
    assert all(abs(w) < 100 for w in model.weights_.values())


def test_ill_conditioned_data():
    """The reason for all of it: features that are nearly one and the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    X = X @ np.diag([1.0] * 7 + [8.0, 11.0, 14.0]) @ np.linalg.qr(rng.normal(size=(10, 10)))[0]
    y = X @ np.linalg.solve(np.cov(X.T), rng.normal(size=10)) > 0
    newton = NewtonClassifier().fit(X, y)
    assert newton.loss_ < 0.8 * NewtonClassifier(size=0).fit(X, y).loss_
    assert newton.loss_ < 0.8 * LinearClassifier(rule="adagrad").fit(X, y).loss_


# --- as a learner ----------------------------------------------------------------------------------

WAYS = [{}, {"diagonal": True}] + [
    {"sketch": kind, "alpha": 1.0, "size": 3, "certify": True} for kind in KINDS
]
ways = pytest.mark.parametrize("options", WAYS, ids=str)


@ways
def test_batches_are_rows_one_after_the_other(options):
    X, y, h = stream()
    one, many = NewtonClassifier(**options), NewtonClassifier(**options)
    for model in (one, many):
        model._add(False)
        model._add(True)
    for x, label, weight in zip(X, y, h):
        before = one.decision_one(x)
        assert one.decision_one(x) == before  # predicting changes nothing
        one.learn_one(x, bool(label > 0), weight)
    many.learn_many(X, y > 0, h)
    np.testing.assert_array_equal(one.decision_function(X), many.decision_function(X))


@ways
@pytest.mark.parametrize("features", ["exact", "hashed"])
def test_going_on_is_never_having_stopped(options, features, tmp_path):
    """From a file, in the midst of an epoch of frequent directions, too."""
    X, y, h = stream()
    options = options | {"features": features, "bits": 10}
    model = NewtonClassifier(**options)
    model.learn_many(X[:100], y[:100] > 0, h[:100])
    model.save(tmp_path / "m")
    again = [NewtonClassifier.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))]
    model.learn_many(X[100:], y[100:] > 0, h[100:])
    for each in again:
        each.learn_many(X[100:], y[100:] > 0, h[100:])
        np.testing.assert_array_equal(each.decision_function(X), model.decision_function(X))
        assert each.loss_ == model.loss_
        assert np.array_equal(each.eigenvalues_, model.eigenvalues_)


@ways
def test_a_lane_per_class_is_a_learner_per_class(options):
    X, _, h = stream()
    labels = np.random.default_rng(0).integers(0, 3, len(X))
    together = NewtonClassifier(**options).fit(X, labels, h)
    scores = together.decision_function(X)
    for k in range(3):
        alone = NewtonClassifier(**options).fit(X, labels == k, h)
        np.testing.assert_array_equal(scores[:, k], alone.decision_function(X))
    assert set(together.eigenvalues_) == {0, 1, 2}


def test_labels_that_come_later():
    X, y, _ = stream()
    model = NewtonClassifier()
    model.learn_many(X[:100], y[:100] > 0)
    first = model.decision_function(X)
    model._add("third")
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores[:, 1], first, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(scores[:, 0], -first, rtol=1e-6, atol=1e-9)
    assert not scores[:, 2].any()


def test_names_that_share_a_row_are_one_feature():
    """As their sum, in both directions of time; the dense algorithm knows no other."""
    model, sums = (NewtonClassifier(features="hashed", bits=1, intercept=False) for _ in range(2))
    rng = np.random.default_rng(0)
    for model_ in (model, sums):
        model_._add(False)
        model_._add(True)
    for t in range(60):
        a, b = single(rng.normal(size=2)).tolist()
        assert model.decision_one({0: a, 2: b}) == pytest.approx(
            sums.decision_one({0: a + b}), rel=1e-5, abs=1e-6
        )
        model.learn_one({0: a, 2: b}, t % 3 > 0)
        sums.learn_one({0: float(np.float32(a) + np.float32(b))}, t % 3 > 0)


def test_a_round_of_weight_zero_teaches_nothing():
    X, y, _ = stream()
    model = NewtonClassifier().fit(X, y)
    before = model.decision_function(X), model.examples_
    model.learn_one(X[0] + 1.0, 1.0, 0.0)
    np.testing.assert_array_equal(model.decision_function(X), before[0])
    assert model.examples_ == before[1]


def test_certificate_of_all_linear_models():
    """With alpha the convexity of the losses bounds every model, with diagonal adaptation, too."""
    X, y, _ = stream(T=300)
    for diagonal in (False, True):
        model = learner("logistic", alpha=1.0, diagonal=diagonal, certify=True)
        s = play(model, X, y, np.ones(300))
        certificate = model.certificate()
        G = (-y / (1 + np.exp(y * s)))[:, None] * X
        assert certificate.linear == pytest.approx(np.sum(-y * s / (1 + np.exp(y * s))), rel=1e-9)
        assert certificate.gradient_norms[1] == pytest.approx(
            np.linalg.norm(G.sum(axis=0)), rel=1e-6
        )


# --- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sketch": "svd"}, "sketch='svd' is not one of"),
        ({"size": -1}, r"size=-1 must be a whole number from 0 to 1000"),
        ({"size": 2.5}, "size=2.5 must be a whole number"),
        ({"alpha": 0.0}, "alpha=0.0 must be"),
        ({"slab": -1.0}, "slab=-1.0 must be"),
        ({"alpha": 1.0, "curvature": -1.0}, "curvature=-1.0 must be"),
        ({"curvature": 1.0}, "give alpha, too"),
        ({"rate": 1.0}, "give alpha, too"),
        ({"certify": True}, "give alpha, or leave certify out"),
        ({"loss": "squared"}, "is not a loss for classification"),
        ({"sketch": "full", "features": "hashed"}, "use sketch='oja'"),
    ],
)
def test_options_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        NewtonClassifier(**options).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sketch": "oja"}, "no regret theorem; use 'full'"),
        ({"sketch": "full", "diagonal": True}, "use diagonal=False"),
        ({"sketch": "full", "slab": None}, "give a slab"),
    ],
)
def test_theorems_that_do_not_hold(options, message):
    options = {"alpha": 1.0, "slab": 1.0, "certify": True} | options
    model = NewtonClassifier(**options).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match=message):
        model.certificate(norm=1.0, in_slab=True)


def test_steps_that_are_too_long_are_reported():
    model = NewtonRegressor(alpha=1e-9, size=0)
    X = np.full((100, 1), 1e6)
    with pytest.raises(ArithmeticError, match="Raise alpha"):
        model.learn_many(X, np.ones(100))
    assert 0 < model.examples_ < 100
    assert math.isfinite(model.predict_one({0: 1e-30}))


def test_too_many_features_for_the_full_matrix():
    model = NewtonClassifier(sketch="full")
    with pytest.raises(ValueError, match="4096"):
        model.learn_one(dict.fromkeys(range(5000), 1.0), True)
