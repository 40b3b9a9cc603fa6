"""Certificates of learners in the compositions that users make: what they claim is recomputed by hand.

Every learner is crossed with importance weights from 0 to 1e6, labels that come late, several batches,
copies and files in between, scales from 1e-12 to 1e12, one round and five thousand in single precision.
The best model in hindsight is found with scipy.
"""

import copy
import math
import pickle
from dataclasses import fields

import numpy as np
import pytest
from scipy.optimize import minimize

from regretless import evaluate, geometry, losses, rates, rules
from regretless.batch import hard_margin
from regretless.boosting import (
    AdaBoost,
    AdaBoostOL,
    NHBoost,
    NHBoostDT,
    OnlineBBM,
    OSBoost,
    OSBoostOCP,
)
from regretless.certificates import Certificate, LinearCertificate
from regretless.linear import (
    Auto,
    BalancedWinnow,
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    PNormPerceptron,
    PrimalDual,
    Winnow,
)
from regretless.newton import NewtonClassifier, NewtonRegressor

EPS = np.finfo(float).eps
D = 3  # features, and a constant one

# Learners that certify what linear models can do, with the loss that those suffer.
CLASSIFIERS = {
    "coin": (LinearClassifier, "logistic"),
    "coin certified": (
        lambda: LinearClassifier(loss="squared_hinge", certify=True),
        "squared_hinge",
    ),
    "adagrad": (lambda: LinearClassifier(rule="adagrad", certify=True), "logistic"),
    "ogd": (lambda: LinearClassifier(loss="hinge", rule=rules.OGD(0.1), certify=True), "hinge"),
    "ogd lazy": (lambda: LinearClassifier(rule=rules.OGD(0.1, lazy=True)), "logistic"),
    "ogd ball": (
        lambda: LinearClassifier(rule=rules.OGD(rates.InverseSqrt(0.5), radius=2.0), certify=True),
        "logistic",
    ),
    "ftrl": (lambda: LinearClassifier(rule="ftrl", l1=0.01, certify=True), "logistic"),
    "eg": (lambda: LinearClassifier(rule="eg", certify=True), "logistic"),
    "pnorm": (lambda: LinearClassifier(rule="pnorm", loss="hinge", certify=True), "hinge"),
    "hashed": (lambda: LinearClassifier(features="hashed", bits=2), "logistic"),
    "perceptron": (Perceptron, "hinge"),
    "margin perceptron": (lambda: MarginPerceptron(certify=True), "hinge"),
    "pnorm perceptron": (PNormPerceptron, "hinge"),
    "balanced winnow": (BalancedWinnow, "hinge"),
    "passive aggressive": (lambda: PassiveAggressive(certify=True), "hinge"),
    "svm": (lambda: OnlineSVM(C=2.0, certify=True), "hinge"),
    "primal-dual": (PrimalDual, "hinge"),
    "primal-dual p-norm": (lambda: PrimalDual(geometry.PNorm(3.0), update="exact"), "hinge"),
    "newton": (lambda: NewtonClassifier(sketch="full", alpha=1.0, certify=True), "logistic"),
    "newton diagonal": (
        lambda: NewtonClassifier(size=2, alpha=1.0, diagonal=True, certify=True),
        "logistic",
    ),
}
REGRESSORS = {
    "coin squared": (LinearRegressor, "squared"),
    "coin absolute": (lambda: LinearRegressor(loss="absolute", certify=True), "absolute"),
    "ogd squared": (
        lambda: LinearRegressor(rule=rules.OGD(0.05, invariant=True), certify=True),
        "squared",
    ),
    "passive aggressive": (
        lambda: PassiveAggressiveRegressor(epsilon=0.0, certify=True),
        "absolute",
    ),
    "newton squared": (lambda: NewtonRegressor(sketch="full", alpha=1.0, certify=True), "squared"),
}
ALL = {f"{name}, labels": (*made, True) for name, made in CLASSIFIERS.items()}
ALL |= {f"{name}, numbers": (*made, False) for name, made in REGRESSORS.items()}
WEIGHTS = (0.0, 1e-12, 20.0, 1e6)


def single(values):
    return np.asarray(values, np.float32).astype(float)


def examples(T, seed, classifies, weights=None):
    """Rows in single precision, labels of -1 and 1 or numbers, and the importance of each."""
    rng = np.random.default_rng(seed)
    X = single(rng.normal(size=(T, D)))
    y = X @ [1.0, -0.5, 0.25] + 0.7 * rng.normal(size=T)
    y = np.where(y > 0, 1.0, -1.0) if classifies else single(y)
    return X, y, np.ones(T) if weights is None else rng.choice([1.0, *weights], T)


def fresh(make, classifies):
    model = make()
    if classifies:
        model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    return model


def learn(model, X, y, w, classifies):
    """Row by row; which were learned: a score that overflows is refused, and leaves no trace."""
    learned = np.zeros(len(y), bool)
    for t, (x, target, weight) in enumerate(zip(X, y.tolist(), w.tolist())):
        try:
            model.learn_one(x, int(target) if classifies else target, weight)
            learned[t] = True
        except ArithmeticError:
            pass
    return learned


def colliding(model, X):
    """The rows as a learner sees them: hashed ones that share a row are added up."""
    if getattr(model, "features", "exact") == "exact":
        return np.c_[X, np.ones(len(X))]
    said = np.array([np.atleast_1d(model.decision_one({j: 1.0})) for j in range(D)])
    table = np.zeros((len(X), D))
    for j in range(D):
        first = next(i for i in range(D) if np.allclose(said[i], said[j]))
        table[:, first] += X[:, j]
    return np.c_[table, np.ones(len(X))]


def best(rows, y, w, loss, norm, ord=2):
    """A model of that norm with nearly the least loss, and that."""
    kind = losses.get(loss)
    unit = np.abs(rows).max(initial=0.0) or 1.0
    scaled, radius = rows / unit, norm * unit

    def inside(v):
        size = np.linalg.norm(v, ord)
        return v if size <= radius else v * (radius / size)

    def value(v):
        return math.fsum(w * kind.value(scaled @ inside(v), y))

    starts = [np.zeros(rows.shape[1])]
    if radius and len(rows):
        least = np.linalg.lstsq(scaled * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
        starts += [inside(least), inside(1e3 * least)]
    found = min(starts, key=value)
    if radius and len(rows):
        tried = minimize(value, found, method="Powell", options={"maxfev": 300, "maxiter": 20})
        found = min([found, tried.x], key=value)
    return inside(found) / unit, value(found)


def numbers(c):
    """All numbers of a certificate."""
    for field in fields(c):
        value = getattr(c, field.name)
        values = value.values() if isinstance(value, dict) else [value]
        for each in values:
            for one in each if isinstance(each, tuple) else [each]:
                if isinstance(one, float):
                    yield one


def sound(c):
    """Nothing is NaN, a failed assumption leaves no bound, and pickles are the same."""
    assert not any(map(math.isnan, [*numbers(c), c.bound]))
    if False in c.assumptions.values():
        assert c.holds is False
        assert c.bound == math.inf
    elif c.measured is not None:
        assert c.measured <= c.bound
        assert c.holds is (None if None in c.assumptions.values() else True)
    twin = pickle.loads(pickle.dumps(c))
    assert (twin.bound, twin.bounds, twin.holds) == (c.bound, c.bounds, c.holds)


def check(model, X, y, w, loss, unit=1.0, ords=(2,)):
    """No model of any of some norms does better than is certified."""
    rows = colliding(model, X)
    slack = 4.0 * EPS * (len(y) + D)
    for measure in ords:
        for size in (0.0, 0.3, 3.0):
            norm = size / unit
            c = model.certificate(norm=norm, ord=measure)
            assert isinstance(c, LinearCertificate)
            assert isinstance(c, Certificate)
            sound(c)
            _, least = best(rows, y, w, loss, norm, measure)
            assert c.best_possible() <= least * (1.0 + slack), (norm, c)
            assert c.loss - least <= c.bound + slack * (c.loss + least), (norm, c)
            assert c.best_possible() == model.certificate().best_possible(norm, ord=measure)


@pytest.mark.parametrize("name", ALL)
def test_importance_weights(name):
    """Also of 0, which is as if the example were not there, and of 1e6, which outweighs all others."""
    make, loss, classifies = ALL[name]
    X, y, w = examples(60, 1, classifies, WEIGHTS)
    model = fresh(make, classifies)
    kept = learn(model, X, y, w, classifies)
    check(model, X[kept], y[kept], w[kept], loss, ords=(2, 1, math.inf))


@pytest.mark.parametrize("name", ALL)
def test_batches_copies_and_files(name, tmp_path):
    """A second and a third batch, each after another way to carry a learner over; then a clone."""
    make, loss, classifies = ALL[name]
    X, y, w = examples(90, 2, classifies)
    model = fresh(make, classifies)
    ways = (
        lambda m: m,
        copy.deepcopy,
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: (m.save(tmp_path / "m"), type(m).load(tmp_path / "m"))[1],
    )
    kept = np.zeros(90, bool)
    for part, carry in zip(np.array_split(np.arange(90), len(ways)), ways):
        model = carry(model)
        kept[part] = learn(model, X[part], y[part], w[part], classifies)
        done = kept[: part[-1] + 1]
        check(model, X[: len(done)][done], y[: len(done)][done], w[: len(done)][done], loss)
    empty = model.clone().certificate() if model.clone()._start().has_gradient_sum else None
    assert empty is None or (empty.rounds, empty.bound) == (0, 0.0)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
@pytest.mark.parametrize("name", ALL)
def test_scales(name, scale):
    """Features of any size; numbers to predict grow with them."""
    make, loss, classifies = ALL[name]
    X, y, w = examples(40, 3, classifies)
    X = single(X * scale)
    y = y if classifies else single(y * scale)
    model = fresh(make, classifies)
    kept = learn(model, X, y, w, classifies)
    check(model, X[kept], y[kept], w[kept], loss, unit=scale)


@pytest.mark.parametrize("name", ALL)
def test_one_round(name):
    make, loss, classifies = ALL[name]
    X, y, w = examples(1, 4, classifies)
    model = fresh(make, classifies)
    learn(model, X, y, w, classifies)
    check(model, X, y, w, loss, ords=(2, 1, math.inf))


@pytest.mark.parametrize("name", [name for name in ALL if "primal-dual p" not in name])
def test_five_thousand_rounds_in_single_precision(name):
    """Of rows whose sizes differ by six orders, so that sums of gradients lose digits."""
    make, loss, classifies = ALL[name]
    X, y, w = examples(5000, 5, classifies)
    X = single(X * 10.0 ** np.random.default_rng(6).uniform(-3, 0, (5000, 1)))
    model = fresh(make, classifies)
    if classifies:
        model.learn_many(X, y.astype(int))
    else:
        model.learn_many(X, y)
    check(model, X, y, w, loss)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_that_come_late(name):
    """Lanes begin with their label; those of the first two from the first example on."""
    make, loss = CLASSIFIERS[name]
    X, _, w = examples(80, 7, True, (0.5, 20.0))
    rng = np.random.default_rng(8)
    y = np.where(np.arange(80) < 50, rng.integers(0, 2, 80), rng.integers(0, 3, 80))
    y[:2] = [0, 1]
    model = make()
    for x, label, weight in zip(X, y.tolist(), w.tolist()):
        model.learn_one(x, label, weight)
    born = [0, 0, int(np.argmax(y == 2))]
    rows, kind = colliding(model, X), losses.get(loss)
    for norm in (0.0, 0.5, 3.0):
        c = model.certificate(norm=norm)
        sound(c)
        for _ in range(20):
            U = rng.normal(size=(3, rows.shape[1]))
            U *= norm / np.linalg.norm(U)
            theirs = math.fsum(
                math.fsum(w[b:] * kind.value(rows[b:] @ u, np.where(y[b:] == k, 1.0, -1.0)))
                for k, (b, u) in enumerate(zip(born, U))
            )
            assert c.best_possible() <= theirs * (1.0 + 1e-13)
            assert c.loss - theirs <= c.bound + 1e-13 * (c.loss + theirs)


def test_winnow_in_its_own_units():
    """The loss of u is `max(0, 1 - y (2 <u, x> - 1))`, of features in [0, 1] and without a constant."""
    X, y, w = examples(80, 9, True, (1e-12, 20.0))
    X = single(np.clip(np.abs(X), 0.0, 1.0))
    model = fresh(lambda: Winnow(certify=True), True)
    learn(model, X, y, w, True)
    rng = np.random.default_rng(10)
    for norm in (0.0, 0.5, 3.0):
        c = model.certificate(norm=norm)
        sound(c)
        for v in rng.normal(size=(50, D)):
            u = v * (norm / np.linalg.norm(v))
            assert c.best_possible() <= math.fsum(
                w * np.maximum(0.0, 1.0 - y * (2.0 * X @ u - 1.0))
            )


# --- learners that certify themselves -----------------------------------------------------------------

ITSELF = {
    "auto": Auto,
    "auto hinge": lambda: Auto(loss="hinge"),
    "auto drift": lambda: Auto(drift=0.01),
    "auto second order": lambda: Auto(second_order=True),
    "auto second order hinge": lambda: Auto(second_order=True, loss="hinge"),
    "newton": NewtonClassifier,
    "kernel": lambda: KernelPerceptron(kernel="rbf"),
    "bbm": lambda: OnlineBBM(n=3),
    "bbm edges": lambda: OnlineBBM(n=3, edge=None),
    "adaboost": lambda: AdaBoostOL(n=3),
    "adaboost last": lambda: AdaBoostOL(n=3, last=True),
    "osboost": lambda: OSBoost(n=3),
    "osboost ocp": lambda: OSBoostOCP(n=3),
    "osboost ocp edges": lambda: OSBoostOCP(n=3, edge=None),
}


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("name", ITSELF)
def test_certificates_of_lanes_and_votes(name, scale, tmp_path):
    """Weights, a third label that comes late, a file in between: what is counted is within the bound."""
    model = ITSELF[name]()
    X, y, w = examples(60, 11, True, (0.0, 1e-12, 20.0))
    X, y = single(X * scale), np.where(np.arange(60) % 5 == 4, 2.0, y)
    y[:30] = np.where(y[:30] == 2.0, 1.0, y[:30])
    for half in (slice(30), slice(30, 60)):
        learn(model, X[half], y[half], w[half], True)
        c = model.certificate()
        sound(c)
        if c.measured is not None and "mistakes" in dir(c):
            assert c.bound <= c.bounds["trivial"] + c.rounding
        model.save(tmp_path / "m")
        model = type(model).load(tmp_path / "m")
        assert model.certificate().bounds == c.bounds


@pytest.mark.parametrize("make", [AdaBoost, NHBoost, NHBoostDT])
def test_margins_of_votes(make):
    """Of samples of equal and of unequal weights; the share of every margin is counted by hand."""
    X, y, w = examples(50, 12, True, (1e-12, 20.0))
    for weights in (None, w):
        model = make(rounds=20).fit(X, y, weights)
        c = model.certificate()
        sound(c)
        shares = np.ones(50) / 50 if weights is None else w / w.sum()
        margins = model.margins(X, y)
        for theta in (-0.5, 0.0, 0.3):
            share = math.fsum(shares[margins <= theta])
            assert c.margin_error(theta) == pytest.approx(share, abs=1e-12)
            assert share <= c.margin_bound(theta) + c.rounding


def test_no_player_would_meet_the_bound_of_normal_hedge_by_definition():
    """The measured scale makes every run meet an identity; the theorem knows nothing of the run."""
    X, y, _ = examples(50, 13, True)
    c = NHBoost(rounds=50).fit(X, y).certificate()
    assert c.scale > 0
    n, T = math.log(50), 50
    most = min(
        3 * (1 + 50 * d) * T + 16 * n * n / d**2 * (10.2 / d**2 + n) for d in (0.1, 0.3, 0.5)
    )
    assert c.bounds[c.theorem] >= min(1.0, math.exp(1 - (c.edges**2) / most)) - 1e-12


# --- Newton in the slab -------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [None, 1e-3, 0.0])
@pytest.mark.parametrize("sketch", ["full", "fd"])
@pytest.mark.parametrize("heavy", [(), (0.5,), (100.0,), (1e6,)])
@pytest.mark.parametrize("far", [1.0, 50.0])
def test_newton_in_the_slab(sketch, heavy, far, sigma):
    """An importance h divides the curvature by h, and targets have to be in the slab."""
    T, rng = 150, np.random.default_rng(14)
    X = single(rng.uniform(-1, 1, (T, 2)))
    y = single(far * np.sign(X[:, 0]) * rng.uniform(0.5, 1.0, T))
    w = rng.choice([1.0, *heavy], T)
    rate = rates.InverseSqrt(0.1) if sigma == 0.0 else None
    options = {"alpha": 1.0, "slab": 1.0, "curvature": sigma, "rate": rate, "certify": True}
    model = NewtonRegressor(sketch=sketch, size=4, intercept=False, **options)
    learn(model, X, y, w, False)
    for norm in (0.3, 0.6):
        c = model.certificate(norm=norm, in_slab=True)
        sound(c)
        assert c.regret is None
        true = -math.inf
        for angle in np.linspace(0, 2 * math.pi, 60):
            for size in (0.0, norm / 2, norm):
                u = size * np.array([math.cos(angle), math.sin(angle)])
                assert np.abs(X @ u).max() <= 1.0
                true = max(true, model.loss_ - math.fsum(w * (X @ u - y) ** 2))
        assert true <= c.bound
        if sigma is None and (far > 1 or max(heavy, default=1.0) > 1):
            assert c.bound == math.inf
    plain = model.certificate(norm=0.6)
    assert plain.holds
    assert true <= plain.bound < math.inf


# --- several passes, margins, duals -------------------------------------------------------------------


@pytest.mark.parametrize("make", [Perceptron, PNormPerceptron, BalancedWinnow, Winnow])
def test_many_passes_are_played_again(make):
    """`cycle`, then `certificate(X, y, comparator=u)`: the updates of all passes, within the bound."""
    rng = np.random.default_rng(15)
    X = single(rng.choice([0.0, 0.25, 0.5, 1.0], (40, D)))
    y = (
        np.where(X @ [1.0, -0.5, 0.25] > 0.1, 1, -1)
        if make is not Winnow
        else np.where(X[:, 0] > 0, 1, -1)
    )
    model = make()
    done = model.cycle(X, y, max_passes=30)
    assert done.passes > 1
    u = [2.0, 0.0, 0.0] if make is Winnow else [3.0, -1.5, 0.75]
    found = model.certificate(X, y, comparator=u)
    sound(found)
    assert found.updates == model.updates_ == done.updates
    assert found.rounds == done.passes * 40
    assert found.holds
    assert model.certificate(X[:-1], y[:-1], comparator=u).holds is False


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_margins_of_separable_sets(scale):
    """With the largest margin there is and its separator: features are in single precision."""
    for seed in range(20):
        rng = np.random.default_rng([16, seed])
        u = rng.normal(size=4)
        X = scale * rng.normal(size=(30, 4))
        y = np.where(X @ u > 0, 1, -1)
        svm = hard_margin(X, y)
        model = MarginPerceptron(margin=svm.margin, intercept=False)
        model.cycle(X, y, max_passes=3)
        found = model.certificate(X, y, comparator=svm.weights)
        sound(found)
        assert found.holds, (seed, found)
        assert found.bound < math.inf


@pytest.mark.parametrize("scale", [1e-6, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("update", ["leader", "block"])
def test_the_gap_of_the_leader(update, scale):
    """A problem is solved once its duality gap is small, which is told; scipy finds nothing better."""
    rng = np.random.default_rng(17)
    X, y = single(scale * rng.normal(size=(25, 3))), rng.choice([-1, 1], 25)
    model = PrimalDual(update=update, window=5 if update == "block" else None, intercept=False)
    model.partial_fit(X, y, [-1, 1])
    c = model.certificate()
    sound(c)
    assert c.duality_gap == model.gap_ <= 1e-8 * (1.0 + c.dual)
    if update == "leader":
        assert 0 <= c.gap(model.objective(X, y)) + c.dual_error <= model.gap_ + 1e-9 * c.dual
        Z = X * y[:, None]
        tried = minimize(
            lambda a: 0.5 * np.sum((a @ Z) ** 2) - a.sum(),
            np.full(25, 0.5),
            jac=lambda a: Z @ (a @ Z) - 1.0,
            bounds=[(0.0, 1.0)] * 25,
            method="L-BFGS-B",
        )
        assert -tried.fun <= c.dual + model.gap_ + c.dual_error + 1e-12 * abs(c.dual)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.gap_, twin.certificate().dual) == (model.gap_, c.dual)


def test_the_best_step_of_an_example_without_features():
    """Any alpha is as good for predictions, but the dual objective rises with it."""
    model = fresh(lambda: PrimalDual(update="exact", C=0.5, intercept=False), True)
    model.learn_many(np.zeros((10, 2)), [1, -1] * 5)
    assert model.certificate().dual == 5.0
    assert model.objective(np.zeros((10, 2)), [1, -1] * 5) == 5.0


# --- runs over streams --------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", ["coin, labels", "adagrad, labels", "coin squared, numbers"])
def test_reports_speak_of_their_own_examples(name, delay):
    """A second stream through the same learner: sums, regrets and bounds are those of the second."""
    make, loss, classifies = ALL[name]
    model = fresh(make, classifies)
    for seed in (18, 19):
        X, y, w = examples(120, seed, classifies, (0.5, 3.0))
        told = [int(each) for each in y] if classifies else y.tolist()
        stream = [(dict(enumerate(x)), t, h) for x, t, h in zip(X.tolist(), told, w.tolist())]
        report = evaluate.progressive(model, stream, delay=delay)
        assert report.loss == pytest.approx(report.mean_loss * w.sum(), rel=1e-12)
        assert report.loss == pytest.approx(math.fsum(report.losses), rel=1e-12)
        for norm in (0.0, 0.5, 3.0):
            c = report.certificate(norm=norm)
            sound(c)
            _, least = best(np.c_[X, np.ones(120)], y, w, loss, norm)
            assert c.rounds == 120
            assert report.loss - least <= report.bound(norm=norm)
            assert c.best_possible() <= least * (1.0 + 1e-13)
            curve = report.bound_curve(norm=norm)
            assert len(curve) == report.rounds == len(report.losses)
            assert curve[-1] == report.bound(norm=norm)
            assert not np.isnan(report.regret_curve(norm=norm)).any()
    assert report.to_arrow().num_rows == report.rounds


def test_reports_of_learners_without_certificates():
    """Nothing is claimed, and that is said."""
    stream = [({"a": float(t % 3)}, t % 2) for t in range(30)]
    report = evaluate.progressive(LinearClassifier(rule="adagrad"), stream)
    assert (report.bound(), report.regret(), report.certificate().holds) == (
        math.inf,
        math.inf,
        None,
    )
    with pytest.raises(ValueError, match="has no bound on linear models"):
        report.certificate(norm=1.0)
    auto = evaluate.progressive(Auto(), stream)
    assert auto.certificate().comparators == "the best lane"
    assert auto.regret() <= auto.bound() < math.inf
    audited = evaluate.progressive(Auto(), stream, certify=1.0)
    assert 0 < audited.best_possible(1.0) <= 30 * math.log(2.0)  # what weights of 0 lose
