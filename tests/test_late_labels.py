"""Labels that come late, and go again: every learner with labels, by oracles and by certificates."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from reference.comparison import TINY, _forked, with_intercept
from reference.losses import CLASSIFICATION
from reference.one_against_rest import AutoOracle, OneAgainstRest, losses_since
from reference.pairs import LOSSES, PAIRS
from roster import ROSTER
from roster.learners import Rows

from regretless.base import rows
from regretless.linear import Auto, LinearClassifier, Winnow
from regretless.linear.auto import _GRID
from regretless.losses import Hinge

WITH_LABELS = [e for e in ROSTER if isinstance(e.kind, Rows) and e.kind.labels and e.kind.batches]
BY_LANE = [pair for pair in PAIRS.values() if set(pair.losses) & set(CLASSIFICATION)]
LABELS = ["ham", "spam", "eggs", "bacon", "sausage"]  # two that come first, three late ones
AFTER = [0, 1, 300]
# what is known of features before a label comes
SHARES = {"coin": ["largest"], "eg": ["seen"], "balanced_winnow": ["seen"]}


@cache
def stream(before, after=240, features=4, seed=0, binary=False, absent=0.3):
    """Examples of two labels, so many; then also of late ones, one after the other; then of two."""
    rng = np.random.default_rng(seed)
    size = before + after
    X = np.where(rng.random((size, features)) < absent, 0.0, rng.normal(size=(size, features)))
    X[:1] = 1.0  # every feature is known from the start
    X = (X > 0).astype(float) if binary else X.astype(np.float32).astype(float)
    scores = X @ rng.normal(size=(features, len(LABELS))) + 0.5 * rng.normal(size=(size, 5))
    there = np.full(size, 2)
    for k in range(3):
        there[before + k * after // 6 : before + 2 * after // 3] = 3 + k
    scores[np.arange(5) >= there[:, None]] = -np.inf
    return X, [LABELS[k] for k in scores.argmax(axis=1)]


# --- the oracle --------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", AFTER)
@pytest.mark.parametrize("pair", BY_LANE, ids=str)
def test_a_late_label_is_a_learner_that_begins_there(pair, before):
    """Scores of all labels, round by round, from some rounds before the first late one on."""
    name = "logistic" if "logistic" in pair.losses else pair.losses[0]
    X, y = stream(before, after=120, seed=before)
    learner = pair.make(name)
    oracle = OneAgainstRest(
        lambda: pair.reference(name, 5), SHARES.get(pair.name.split("-")[0], ())
    )
    peak = {}
    for t, (row, label) in enumerate(zip(X, y, strict=True)):
        x = with_intercept(row)
        if t > before - 5 and len(oracle.learners) > 2:
            found = learner.decision_one(row)
            for k, each in enumerate(learner.classes_.tolist()):
                one = oracle.learners[each]
                w = one.weights(x)
                peak[each] = np.maximum(peak.get(each, 0.0), np.abs(w))
                allowed = 10 * pair.tolerance * float(peak[each] @ np.abs(x)) + TINY
                assert abs(found[k] - w @ x) <= allowed, (t, each)
                if _forked(one.loss, float(w @ x), found[k], 1.0 if each == label else -1.0):
                    return
        learner.learn_one(row, label)
        oracle.learn(x, label)


@pytest.mark.parametrize("before", AFTER)
def test_auto_with_late_labels_is_its_oracle(before, monkeypatch):
    """Lanes of every kind, those with a penalty among them, and their mixture."""
    grid = tuple(_GRID[k] for k in (1, 8, 13)) + tuple(replace(_GRID[k], l2=0.01) for k in (2, 9))
    monkeypatch.setattr("regretless.linear.auto._GRID", grid)
    X, y = stream(before, after=120, seed=before)
    model = Auto(intercept=False)
    oracle = OneAgainstRest(
        lambda: AutoOracle(4, grid, LOSSES["logistic"], CLASSIFICATION["logistic"]), ["largest"]
    )
    order = [k for k, lane in enumerate(grid) if lane.rule != "coin"] + [2]
    for x, label in zip(X, y, strict=True):
        if len(oracle.learners) > 2:
            found = model._model.lane_scores(rows.row(x)).reshape(-1, len(grid))
            for k, each in enumerate(model.classes_.tolist()):
                wanted = oracle.learners[each].scores(x)
                np.testing.assert_allclose(found[k], wanted[order], rtol=1e-4, atol=1e-4)
                mixed = oracle.learners[each].mixture.score(wanted)[0]
                assert model.decision_one(x)[k] == pytest.approx(mixed, rel=1e-3, abs=1e-3)
        model.learn_one(x, label)
        oracle.learn(x, label)
    assert model.certificate().holds


# --- every learner -----------------------------------------------------------------------------------


def all_finite(*values):
    return all(bool(np.isfinite(np.asarray(value, float)).all()) for value in values)


def learned(entry, before, after=240):
    """A learner of the roster and what it has learned, in batches as large as they come."""
    X, y = stream(before, after, binary=entry.kind.binary)
    player = entry.make(0)
    player.learn_many(X, y)
    return player, X, y


def certified(player, X, y):
    """No model of a norm has a smaller loss than the certificate says, whichever it is."""
    c, loss = player.certificate(), player._parts()[0]
    if loss.name == "perceptron":  # what mistakes cost is compared with the hinge loss
        loss = Hinge()
    assert all_finite([c.loss, c.linear, *c.gradient_norms])
    labels = player.classes_.tolist()
    rng = np.random.default_rng(1)
    ours = np.array([[player.weights_[name][j] for j in range(4)] for name in labels])
    X = np.hstack([X, np.ones((len(X), 1))])
    given = [np.hstack([ours, np.array([[player.intercept_[name]] for name in labels])])]
    given += [0.0 * given[0], *(rng.normal(size=given[0].shape) for _ in range(3))]
    for scale in (0.1, 1.0, 3.0):
        for U in (scale * each for each in given):
            theirs = losses_since(loss, X, y, labels, U)
            norm = float(np.linalg.norm(U))
            slack = 1e-6 * (1.0 + theirs)  # weights are floats
            assert c.best_possible(norm) <= theirs + slack
            assert c.loss - theirs <= c.within(norm).bound + slack


@pytest.mark.parametrize("before", AFTER)
@pytest.mark.parametrize("entry", WITH_LABELS, ids=lambda e: e.name)
def test_every_learner_takes_late_labels(entry, before):
    """Scores, weights and certificates are finite, and no bound is below the regret."""
    player, X, y = learned(entry, before)
    assert sorted(player.classes_.tolist()) == sorted(set(y))
    assert all_finite(player.loss_, player.decision_function(X))
    p = player.predict_proba(X)
    assert all_finite(p)
    assert p.sum(axis=1) == pytest.approx(1.0)
    try:
        weights = player.weights_
    except (AttributeError, ValueError):  # kernels and trees have none
        pass
    else:
        assert all_finite(*(list(each.values()) for each in weights.values()))
        assert all_finite(list(player.intercept_.values()))
    if "bound" in entry.without:
        return
    certificate = player.certificate()
    assert certificate.holds, certificate
    assert certificate.measured <= certificate.bound
    if hasattr(certificate, "best_possible") and entry.name != "Winnow":  # see below
        certified(player, X, y)


FAST = [
    e for e in WITH_LABELS if not e.name.startswith(("Kernel", "PrimalDual", "Perceptron vote"))
]


@pytest.mark.parametrize("entry", FAST, ids=lambda e: e.name)
def test_after_a_hundred_thousand_examples(entry):
    test_every_learner_takes_late_labels(entry, 100_000)


@pytest.mark.parametrize("before", AFTER)
def test_winnow_with_late_labels(before):
    """Its score is 2 <w, x> - 1, so there is no mirror: the first label's lane begins with the third."""
    X, y = stream(before, features=6, binary=True)
    model, size = Winnow(certify=True), 0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        model.learn_one(x, label)
        if not size and len(model.classes_) == 3:
            size = t
    labels = model.classes_.tolist()
    begins = [size, min(y.index("ham"), y.index("spam")), *(y.index(each) for each in labels[2:])]
    if y[0] == labels[1]:  # which was the only one, and -1, before the smaller one came
        begins[1] = y.index(labels[0])
    c, rng = model.certificate(), np.random.default_rng(2)
    ours = np.array([[model.weights_[name][j] for j in range(6)] for name in labels])
    played = 0.0
    for k, (label, first) in enumerate(zip(labels, begins, strict=True)):
        alone = Winnow(dimension=6).partial_fit(X[:0], [], classes=[False, True])
        alone.partial_fit(X[first:], [each == label for each in y[first:]])
        assert ours[k] == pytest.approx([alone.weights_.get(j, 1 / 6) for j in range(6)], rel=1e-5)
        played += alone.loss_
    assert c.loss == pytest.approx(played, rel=1e-5)
    for U in [ours, *(np.abs(rng.normal(size=ours.shape)) for _ in range(5))]:
        theirs = sum(
            float(Hinge().value(2.0 * X[first:] @ u - 1.0, np.array(signs(y[first:], label))).sum())
            for label, first, u in zip(labels, begins, U, strict=True)
        )
        assert c.best_possible(float(np.linalg.norm(U))) <= theirs * (1 + 1e-6)


def signs(y, label):
    return [1.0 if each == label else -1.0 for each in y]


@pytest.mark.parametrize("gap", [0, 1, 1000, 5000])
def test_a_late_label_of_a_constant_feature(gap):
    """Its weights are those of a label that is always right, not of one that ran away."""
    model = Auto()
    for t in range(gap):
        model.learn_one({"k": 1.0}, "ab"[t % 7 == 0])
    for _ in range(400):
        model.learn_one({"k": 1.0}, "c")
    last = model.intercept_
    last = last["c"] if isinstance(last, dict) else -last
    assert 1.0 < abs(last) < 20.0
    certificate = model.certificate()
    assert certificate.regret <= certificate.bound


def test_auto_is_as_good_as_coin_where_labels_come_late():
    """Twenty-three labels of which ten come late, one of them in the last tenth."""
    rng = np.random.default_rng(23)
    size, features, labels = 12_000, 30, 23
    X = rng.normal(size=(size, features)) * (rng.random((size, features)) < 0.3)
    scores = X @ rng.normal(size=(features, labels)) + rng.normal(size=(size, labels))
    begins = np.r_[np.zeros(13), np.linspace(0.05, 0.92, 10) * size]
    scores[np.arange(size)[:, None] < begins] = -np.inf
    y = scores.argmax(axis=1)
    models = {name: make() for name, make in (("auto", Auto), ("coin", LinearClassifier))}
    losses = {}
    for name, model in models.items():
        model.learn_many(X, y)
        losses[name] = model.loss_ / size
    assert losses["auto"] <= 1.02 * losses["coin"]
    certificate = models["auto"].certificate()
    assert certificate.holds
    assert math.isfinite(certificate.bound)
    assert all_finite(*(list(each.values()) for each in models["auto"].weights_.values()))
