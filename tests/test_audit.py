"""Audits: never above the least loss of a linear model, as tight as the oracle, for any model."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from reference import audit as oracle

from regretless import losses
from regretless.audit import Audit
from regretless.audit.audit import lanes_of
from regretless.linear import LinearClassifier

LOSSES = {
    "logistic": losses.Logistic(),
    "hinge": losses.Hinge(1.0),
    "squared_hinge": losses.SquaredHinge(1.0),
    "squared": losses.Squared(),
    "absolute": losses.Absolute(),
    "quantile": losses.Quantile(0.8),
    "epsilon_insensitive": losses.EpsilonInsensitive(0.2),
}
NORMS = (0.3, 3.0, 30.0)
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


# --- streams ---------------------------------------------------------------------------------------


def stream(kind, loss, n=40, d=4, seed=0):
    """Features, targets (+-1 or numbers) and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    u, h = rng.normal(size=d), np.ones(n)
    if kind == "heavy tails":
        X = X * rng.pareto(1.0, size=(n, d))
    if kind == "tiny":
        X = X * 1e-12
    if kind == "huge":
        X = X * 1e12
    if kind == "mixed units":
        X = X * 10.0 ** rng.integers(-9, 9, size=d)
    if kind == "growing":
        X = X * np.geomspace(1e-6, 1e6, n)[:, None]
    if kind == "weighted":
        h = rng.choice([1e-12, 0.5, 1.0, 20.0, 1e6], size=n)
    scores = X / (np.abs(X).max(axis=0) + 1e-300) @ u
    noise = 0.0 if kind == "separable" else 1.0
    y = scores + noise * rng.normal(size=n)
    if kind == "one":
        X, y, h = X[:1], y[:1], h[:1]
    if kind == "reordered":
        order = np.argsort(y)
        X, y = X[order], y[order]
    if loss.classification:
        y = np.where(y > 0, 1.0, -1.0)
    elif kind == "huge":
        y = y * 1e9
    return np.float32(X).astype(float), y, h  # features are read in single precision


KINDS = [
    *("random", "separable", "heavy tails", "tiny", "huge", "mixed units", "growing", "weighted"),
    *("one", "reordered"),
]


def in_units(X, scaled, intercept):
    """The features as the norm measures them: with a constant one, divided by the largest of each."""
    X = np.hstack([np.ones((len(X), 1)), X]) if intercept else X
    scale = np.abs(X).max(axis=0)
    return X / np.where(scale > 0, scale, 1.0) if scaled else X


def least(X, y, h, loss, norms):
    """For each norm a loss that some model of this norm has: close to the least, never below it.

    Models of all norms from both starting points descend together, one in each column.
    """
    norms, weight = np.asarray(norms), h / h.max()
    starts = (np.zeros(X.shape[1]), np.linalg.lstsq(X, y, rcond=None)[0])
    size, labels = np.tile(norms, 2), np.repeat(y[:, None], 2 * len(norms), axis=1)

    def inside(U, size):
        return U * np.minimum(1.0, size / np.maximum(np.linalg.norm(U, axis=0), 1e-300))

    def totals(U):
        return weight @ np.asarray(loss.value(X @ U, labels[:, : U.shape[1]]))

    U = inside(np.repeat(np.transpose(starts), len(norms), axis=1), size)
    best, where = totals(U), U
    for t in range(400):
        G = X.T @ (weight[:, None] * np.asarray(loss.derivative(X @ U, labels)))
        lengths = np.linalg.norm(G, axis=0)
        U = inside(U - size / math.sqrt(t + 1) * G / np.where(lengths > 0, lengths, 1.0), size)
        found = totals(U)
        best, where = np.minimum(found, best), np.where(found < best, U, where)
    return [
        h.max()
        * polished(lambda u, norm=norm: totals(inside(u[:, None], norm))[0], where.T, at, best)
        for at, norm in enumerate(norms)
    ]


def polished(total, where, at, best):
    """The least total that Powell's method finds from the better of two models."""
    at = min((at, at + len(best) // 2), key=lambda i: best[i])
    found = scipy.optimize.minimize(total, where[at], method="Powell", options={"maxiter": 8})
    return min(best[at], total(found.x))


def audited(X, y, h, loss, scores=None, **options):
    audit = Audit(loss, NORMS, **options)
    labels = y > 0 if loss.classification else y
    audit.learn_many(X, labels, scores, h)
    return audit


# --- never above the truth ---------------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("kind", KINDS)
def test_is_never_above_the_loss_of_any_model(loss, kind):
    X, y, h = stream(kind, loss)
    for scaled in (True, False):
        audit = audited(X, y, h, loss, scaled=scaled)
        norms = (*NORMS, 1.0)
        for norm, true in zip(norms, least(in_units(X, scaled, True), y, h, loss, norms)):
            assert 0.0 <= audit.best_possible(norm) <= true
        assert audit.best_possible(0.0) <= h @ np.asarray(loss.value(np.zeros(len(y)), y))


@every_loss
@pytest.mark.parametrize("scores", ["zero", "wild", "best"])
def test_is_never_above_it_with_scores_from_anywhere(loss, scores):
    X, y, h = stream("random", loss)
    rng = np.random.default_rng(1)
    given = {
        "zero": np.zeros(len(y)),
        "wild": rng.choice([-1e19, -1.0, 0.0, 1e-300, 3.0, 1e19], size=len(y)),
        "best": y * 3.0,
    }[scores]
    audit = audited(X, y, h, loss, given)
    for norm, true in zip(NORMS, least(in_units(X, True, True), y, h, loss, NORMS)):
        assert audit.best_possible(norm) <= true
    assert audit.loss == pytest.approx(h @ np.asarray(loss.value(given, y)))
    assert audit.bound(3.0) >= audit.loss - audit.best_possible(3.0)


@every_loss
def test_no_feature_at_all_leaves_the_loss_of_zero(loss):
    audit = Audit(loss, [1.0], intercept=False)
    y = [1.0, -1.0, 1.0]
    for each in y:
        audit.learn_one({}, each > 0 if loss.classification else each)
    zero = float(np.sum(loss.value(np.zeros(3), np.array(y))))
    assert zero * (1 - 1e-12) <= audit.best_possible(1.0) <= zero


def test_a_scale_that_grows_later_is_measured_as_it_is_at_the_end():
    loss = losses.Logistic()
    X, y, h = stream("random", loss)
    X[:, 0] = np.where(np.arange(len(X)) < 30, 1e-3, 1e3) * np.sign(X[:, 0])
    early, late = audited(X[:30], y[:30], h[:30], loss), audited(X, y, h, loss)
    for audit, n in ((early, 30), (late, len(X))):
        for norm, true in zip(NORMS, least(in_units(X[:n], True, True), y[:n], h[:n], loss, NORMS)):
            assert audit.best_possible(norm) <= true
    # a model of norm 3 may have a weight of 3,000 for the feature early, and of 0.003 late
    assert late.best_possible(3.0) > early.best_possible(3.0)


def test_units_do_not_matter():
    loss = losses.Logistic()
    X, y, h = stream("random", loss)
    units = 2.0 ** np.array([-30, -3, 7, 40])
    assert audited(X * units, y, h, loss).best_possible(3.0) == audited(
        X, y, h, loss
    ).best_possible(3.0)


# --- as tight as it should be -------------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("kind", ["random", "growing", "weighted", "reordered"])
@pytest.mark.parametrize("scaled", [True, False])
def test_agrees_with_the_oracle(loss, kind, scaled):
    X, y, h = stream(kind, loss, n=60)
    if not scaled and kind == "growing":
        return  # 12 orders of magnitude in one unit: whatever single precision makes of it
    parameter = getattr(loss, "margin", getattr(loss, "tau", getattr(loss, "epsilon", 1.0)))
    options = {"scaled": scaled, "revisits": 2, "memory": 16}
    audit = audited(X, y, h, loss, **options)
    X = np.hstack([np.ones((len(X), 1)), X])
    # steps of the logistic loss end when they are right to 0.01, which is little where a score moves by
    # a few units only; of the others only the weights are rounded, to single precision, in 180 visits
    logistic = loss.name == "logistic"
    rounding = 1e-2 if logistic else 180 * 2.0**-24
    for at, (norm, rate) in enumerate(lanes_of(NORMS)):
        if logistic and norm > 3.0:
            continue
        lane = audit._lanes()[at]
        options["revisits"] = 2 if at >= 4 else 0
        wanted = oracle.audit(X, y, loss.name, parameter, norm, rate, h, **options)
        size = abs(lane[0]) + norm * lane[2]
        assert abs(lane[0] - norm * lane[2] - wanted) <= rounding * size


def test_the_squared_loss_of_few_features_is_known_exactly():
    loss = losses.Squared()
    for kind in ("random", "heavy tails", "mixed units", "growing", "weighted"):
        X, y, h = stream(kind, loss, n=80)
        audit = audited(X, y, h, loss)
        for norm, truth in zip(NORMS, least(in_units(X, True, True), y, h, loss, NORMS)):
            assert audit.best_possible(norm) == pytest.approx(truth, rel=2e-3)


@pytest.mark.parametrize("name", ["logistic", "hinge", "squared"])
def test_long_streams_come_close(name):
    loss = LOSSES[name]
    X, y, h = stream("random", loss, n=4000, d=6, seed=3)
    audit = audited(X, y, h, loss)
    norms = (0.3, 3.0)
    for norm, truth in zip(norms, least(in_units(X, True, True), y, h, loss, norms)):
        assert audit.best_possible(norm) >= 0.95 * truth


@every_loss
def test_a_second_pass_tightens_it(loss):
    X, y, h = stream("random", loss, n=300)
    audit = audited(X, y, h, loss)
    first = [audit.best_possible(norm) for norm in NORMS]
    audit.start_pass()
    assert [audit.best_possible(norm) for norm in NORMS] == first
    audit.learn_many(X, y > 0 if loss.classification else y, None, h)
    second = [audit.best_possible(norm) for norm in NORMS]
    assert all(b >= a for a, b in zip(first, second))
    assert loss.name == "squared" or second != first
    for bound, truth in zip(second, least(in_units(X, True, True), y, h, loss, NORMS)):
        assert bound <= truth
    assert audit.best_possible(3.0, mean=True) == audit.best_possible(3.0) / len(y)


def test_more_revisits_are_tighter():
    loss = losses.Hinge(1.0)
    X, y, h = stream("random", loss, n=500)
    bounds = [audited(X, y, h, loss, revisits=r).best_possible(3.0) for r in (0, 1, 8)]
    assert bounds[0] < bounds[1] < bounds[2]


# --- any model ------------------------------------------------------------------------------------


def test_the_scores_of_a_plain_function_are_used():
    rng = np.random.default_rng(0)
    rows = [{"a": float(a), "b": float(b)} for a, b in rng.normal(size=(200, 2))]
    labels = [row["a"] + row["b"] + 0.5 * e > 0 for row, e in zip(rows, rng.normal(size=200))]
    plain, scored = Audit("logistic", [1e-6]), Audit("logistic", [1e-6])
    for row, label in zip(rows, labels):
        plain.learn_one(row, label)
        scored.learn_one(row, label, score=2 * row["a"] + 2 * row["b"])
    # lanes of a tiny norm know nothing of norm 4; the function does
    assert scored.best_possible(4.0) > plain.best_possible(4.0)
    assert 0 < scored.bound(4.0) == pytest.approx(scored.loss - scored.best_possible(4.0))
    with pytest.raises(ValueError, match="some examples had no score"):
        plain.loss  # noqa: B018


def test_a_river_model_can_be_audited():
    linear_model = pytest.importorskip("river.linear_model")
    model = linear_model.LogisticRegression()
    audit = Audit("logistic")
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(200, 2)):
        row, label = {"a": a, "b": b}, bool(a - b > 0)
        p = min(max(model.predict_proba_one(row)[True], 1e-12), 1 - 1e-12)
        audit.learn_one(row, label, score=math.log(p / (1 - p)))
        model.learn_one(row, label)
    c = audit.certificate(3)
    assert c.bound >= audit.loss - audit.best_possible(3) > 0
    assert c.holds is None
    assert "norm at most 3" in c.comparators
    assert pickle.loads(pickle.dumps(c)) == c


def test_bounds_agree_with_the_learners_own_certificate_on_its_scores():
    X, y, _ = stream("random", losses.Logistic(), n=100)
    model, audit = LinearClassifier(certify=True), Audit("logistic", [1e-6], scaled=False)
    for row, label in zip(X, y > 0):
        audit.learn_one(row, label, score=model.decision_one(row))
        model.learn_one(row, label)
    own = model.certificate()
    assert audit.loss == pytest.approx(own.loss)
    assert audit.best_possible(0.5) >= own.best_possible(0.5) * (1 - 1e-5)


# --- ways in ----------------------------------------------------------------------------------------


@every_loss
def test_batches_are_rows(loss):
    X, y, h = stream("weighted", loss, n=50)
    labels = (y > 0) if loss.classification else y
    one, dense, sparse, parts = (Audit(loss, NORMS, memory=20, revisits=1) for _ in range(4))
    for t in range(len(X)):
        one.learn_one(X[t], labels[t], X[t, 0], h[t])
    dense.learn_many(X, labels, X[:, 0], h)
    sparse.learn_many(sp.csr_matrix(X), labels, X[:, 0], h)
    for there in (slice(0, 7), slice(7, 50)):
        parts.learn_many(X[there], labels[there], X[there, 0], h[there])
    for other in (dense, sparse, parts):
        for norm in NORMS:
            assert other.best_possible(norm) == one.best_possible(norm)
        assert other.loss == one.loss
        assert other.examples_ == 50


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (-1, 1), (1, 2), (False, True)])
def test_either_label_may_come_first(labels):
    X, y, _ = stream("random", losses.Logistic())
    y = y > 0
    named = [labels[int(each)] for each in y]
    audits = [Audit("logistic") for _ in range(3)]
    order = np.argsort(y, kind="stable")
    audits[0].learn_many(X[order], [named[t] for t in order], X[order, 0])
    for t in order:
        audits[1].learn_one(X[t], named[t], X[t, 0])
    backwards = np.argsort(~y, kind="stable")
    audits[2].learn_many(X[backwards], [named[t] for t in backwards], X[backwards, 0])
    assert list(audits[0].classes_) == list(audits[2].classes_) == list(labels)
    assert audits[0].best_possible(1) == audits[1].best_possible(1)
    signs, h = np.where(y, 1.0, -1.0), np.ones(len(X))
    (truth,) = least(in_units(X, True, True), signs, h, losses.Logistic(), [1.0])
    for audit in audits:
        assert 0 < audit.best_possible(1) <= truth
    if labels[0] in (0, -1):  # or one cannot tell the positive one before the other has come
        for audit in (audits[0], audits[2]):
            assert audit.loss == pytest.approx(
                np.sum(losses.Logistic().value(X[:, 0], np.where(y, 1.0, -1.0)))
            )


def test_several_labels_are_told_from_the_rest():
    rng = np.random.default_rng(0)
    X = np.float32(rng.normal(size=(60, 3))).astype(float)
    y = np.argmax(X + 0.5 * rng.normal(size=X.shape), axis=1)
    y[:10] %= 2  # the third comes late
    loss = losses.Logistic()
    audit, rows = Audit(loss, NORMS), Audit(loss, NORMS)
    audit.learn_many(X, y, X)
    for t in range(len(X)):
        rows.learn_one(X[t], int(y[t]), None)
    Z = in_units(X, True, True)
    known = list(audit.classes_)

    def total(u, norm):
        u = u * min(1.0, norm / max(np.linalg.norm(u), 1e-300))
        table = u.reshape(3, -1) @ Z.T
        return sum(
            np.sum(loss.value(table[k], np.where(y == label, 1.0, -1.0)))
            for k, label in enumerate(known)
        )

    for norm in NORMS:
        best = scipy.optimize.minimize(total, np.zeros(12), (norm,), method="BFGS").fun
        for each in (audit, rows):
            assert (0.6 * best if norm < 30 else 0.0) <= each.best_possible(norm) <= best


def test_weights_of_zero_change_nothing():
    audit = Audit("logistic")
    audit.learn_one({"a": 1.0}, "x", score=1.0, w=0.0)
    audit.learn_many(np.eye(2), ["x", "y"], None, [0.0, 0.0])
    assert audit.examples_ == 0
    assert audit.best_possible(1) == 0.0
    assert not len(audit.classes_)


# --- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [math.nan, math.inf, 1e300, -1e300, "high", [1.0, 2.0]])
def test_a_score_that_is_none_is_refused_and_nothing_changes(score):
    audit = Audit("logistic")
    audit.learn_many(np.eye(3), [True, False, True])
    before = audit.best_possible(1)
    for call in (
        lambda: audit.learn_one({"a": 1.0}, True, score=score),
        lambda: audit.learn_many(np.eye(2), [True, False], scores=[0.0, score]),
    ):
        with pytest.raises(ValueError, match="score"):
            call()
    assert audit.best_possible(1) == before
    assert audit.examples_ == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.learn_one({"a": math.inf}, True), "inf"),
        (lambda a: a.learn_one({"a": 1.0}, math.nan), "y=nan"),
        (lambda a: a.learn_one({"a": 1.0}, True, w=-1.0), "w"),
        (lambda a: a.learn_many(np.eye(2), [True]), "y has 1 labels"),
        (lambda a: a.learn_many(np.eye(2), [True, False], w=[1.0]), "1 weights"),
        (lambda a: a.learn_many(np.eye(2), [True, False], scores=[1.0]), "scores has shape"),
        (lambda a: a.learn_many([[1.0], [np.inf]], [True, "no"]), "y='no'"),
        (lambda a: a.best_possible(-1.0), "norm"),
        (lambda a: a.best_possible(math.nan), "norm"),
    ],
)
def test_bad_input_is_refused_and_nothing_changes(call, message):
    audit = Audit("logistic")
    audit.learn_many(np.eye(3), [True, False, True])
    before = pickle.dumps(audit._core.state())
    with pytest.raises(ValueError, match=message):
        call(audit)
    assert pickle.dumps(audit._core.state()) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "exponential"}, "cannot be audited"),
        ({"loss": "spam"}, "spam"),
        ({"norms": ()}, "norms"),
        ({"norms": (1, -2)}, "norms"),
        ({"norms": (1, math.nan)}, "norms"),
        ({"revisits": -1}, "revisits"),
        ({"memory": 0}, "memory"),
        ({"features": "wide"}, "features"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Audit(**{"loss": "logistic", **options})


# --- copies and files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["logistic", "squared"])
def test_copies_and_files_go_on_as_the_original(name, tmp_path):
    loss = LOSSES[name]
    X, y, _h = stream("random", loss, n=60)
    labels = y > 0 if loss.classification else y
    audit = Audit(loss, NORMS, memory=16, revisits=1)
    audit.learn_many(X[:20], labels[:20], X[:20, 0])
    audit.start_pass()
    audit.learn_many(X[:30], labels[:30], X[:30, 0])
    audit.save(tmp_path / "audit")
    others = [audit.copy(), copy.deepcopy(audit), pickle.loads(pickle.dumps(audit))]
    others.append(Audit.load(tmp_path / "audit"))
    for each in (audit, *others):
        each.learn_many(X[30:], labels[30:], X[30:, 0])
    for other in others:
        assert repr(other) == repr(audit)
        assert list(other.classes_) == list(audit.classes_)
        assert other.loss == audit.loss
        assert other.weight_ == audit.weight_
        for norm in NORMS:
            assert other.best_possible(norm) == audit.best_possible(norm)
    fresh = audit.clone()
    assert repr(fresh) == repr(audit)
    assert fresh.best_possible(1) == 0.0


def test_several_labels_are_saved_too(tmp_path):
    audit = Audit("hinge")
    audit.learn_many(np.eye(6)[:, :4], list("abcabd"))
    audit.save(tmp_path / "audit")
    other = Audit.load(tmp_path / "audit")
    assert list(other.classes_) == list("abcd")
    assert other.best_possible(1) == audit.best_possible(1)


def test_damaged_files_are_refused(tmp_path):
    from safetensors.numpy import load_file

    from regretless.base import persistence

    audit = Audit("squared", norms=[2.0], revisits=1)
    audit.learn_many(np.eye(4), np.arange(4.0))
    audit.start_pass()
    audit.learn_many(np.eye(4), np.arange(4.0))
    audit.save(tmp_path / "audit")
    arrays = load_file(tmp_path / "audit")
    description, _ = persistence.read(tmp_path / "audit")
    description.pop("format")
    for name, array in arrays.items():
        if not array.size or not np.issubdtype(array.dtype, np.floating):
            continue
        spoilt = array.copy()
        spoilt.flat[0] = np.nan
        persistence.write(tmp_path / "bad", description, {**arrays, name: spoilt})
        with pytest.raises(ValueError, match="damaged"):
            Audit.load(tmp_path / "bad")
        if name != "moments":
            persistence.write(tmp_path / "bad", description, {**arrays, name: array[:-1]})
            with pytest.raises(ValueError, match="damaged"):
                Audit.load(tmp_path / "bad")
    for name in ("rows", "kept_rows", "kept_starts"):
        spoilt = arrays[name].copy()
        spoilt.flat[-1] = 10**6
        persistence.write(tmp_path / "bad", description, {**arrays, name: spoilt})
        with pytest.raises(ValueError, match="damaged"):
            Audit.load(tmp_path / "bad")
    LinearClassifier().save(tmp_path / "model")
    with pytest.raises(ValueError, match="holds a"):
        Audit.load(tmp_path / "model")


def test_repr_is_the_call_that_makes_it():
    assert repr(Audit("logistic")) == "Audit('logistic')"
    audit = Audit(losses.Quantile(0.9), [2], scaled=False)
    assert repr(audit) == "Audit(Quantile(tau=0.9), norms=(2.0,), scaled=False)"
