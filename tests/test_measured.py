"""What a report says is what scikit-learn, or NumPy, says of predictions that were written down."""

from collections import deque
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.calibration import calibration_curve
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score, zero_one_loss

from regretless import evaluate, sklearn, streams
from regretless.boosting import AdaBoostOL, GradientBoostingHull, OSBoost
from regretless.evaluate import Training
from regretless.linear import (
    Auto,
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    OnlineSVM,
    PrimalDual,
)
from regretless.newton import NewtonClassifier

LATE = {1: ("a",), 2: ("a", "b"), 3: ("a", "b", "c"), 5: ("a", "b", "c", "d", "e")}
WEIGHTS = ("none", "many", "extreme")


def logistic(m):
    return np.logaddexp(0.0, -m)


def hinge(m):
    return np.maximum(1.0 - m, 0.0)


def conservative(m):
    return np.where(m <= 0, 1.0 - m, 0.0)


CLASSIFIERS = {
    "coin": (LinearClassifier, logistic),
    "hashed": (lambda: LinearClassifier(features="hashed", bits=10), logistic),
    "auto": (Auto, logistic),
    "second order": (lambda: Auto(second_order=True), logistic),
    "newton": (lambda: NewtonClassifier(size=2), logistic),
    "svm": (OnlineSVM, hinge),
    "dual": (lambda: PrimalDual(intercept=False), hinge),
    "kernel": (lambda: KernelPerceptron(kernel="rbf"), conservative),
    "boosted": (lambda: AdaBoostOL(n=3), logistic),
    "objects": (lambda: OSBoost(KernelPerceptron(), n=2), logistic),
}


def weights_of(kind, count, rng):
    if kind == "none":
        return np.ones(count)
    if kind == "many":
        return rng.exponential(size=count) * (rng.random(count) < 0.7)
    return rng.choice([0.0, 1e-12, 1e-3, 1.0, 1e3, 1e6], size=count)


def stream(count=300, labels=2, weights="many", seed=0):
    """Examples whose labels come one after the other, each at a time of its own."""
    rng = np.random.default_rng([seed, labels])
    X = rng.normal(size=(count, 4))
    w, rows = weights_of(weights, count, rng), []
    for t in range(count):
        known = LATE[labels][: 1 + t * 2 * labels // count]
        which = int(np.abs(X[t] @ [2.0, 1.0, 0.0, 0.0] + 0.5 * rng.normal()) * 1.5) % len(known)
        rows.append((dict(zip("pqrs", X[t].tolist())), known[which], float(w[t])))
    return rows


def most_by_bins(p, positive, w):
    """The most by which bins of log-odds change the AUC: half the weight of pairs that share one."""
    with np.errstate(divide="ignore"):
        odds = np.clip(np.log(p) - np.log1p(-p), -16.0, 16.0)
    apart = np.abs(odds[positive][:, None] - odds[~positive])
    pairs = np.outer(w[positive], w[~positive])
    return 0.5 * pairs[apart < 1 / 512].sum() / pairs.sum()


class Recorded:
    """What a learner says of each example before it may learn it, and what becomes of that."""

    def __init__(self, model, loss, rows, delay=0, held=lambda t: False):
        waiting = deque()
        self.losses, self.said, self.p, self.positive = [], [], [], []
        self.y, self.w = [y for _, y, _ in rows], np.array([w for *_, w in rows])
        for t, (x, y, w) in enumerate(rows):
            known, score = model.classes_.tolist(), np.atleast_1d(model.decision_one(x))
            self.said.append(model.predict_one(x))
            self.losses.append(self.suffered(loss, known, score, y))
            two = len(known) == 2 and y in known
            self.p.append(model.predict_proba_one(x)[known[1]] if two else np.nan)
            self.positive.append(two and y == known[1])
            if not held(t):
                waiting.append((x, y, w))
            if len(waiting) > delay:
                model.learn_one(*waiting.popleft())
        for example in waiting:
            model.learn_one(*example)
        self.model, self.losses = model, np.array(self.losses)
        self.wrong = np.array([a != b for a, b in zip(self.said, self.y)], float)
        self.p, self.positive = np.array(self.p), np.array(self.positive, bool)
        self.binary = len(model.classes_) <= 2

    @staticmethod
    def suffered(loss, known, score, y):
        """By lanes, one of them with a score of 0 if the label has none."""
        if len(known) > 2 or (len(known) == 2 and y not in known):
            lanes = score if len(known) > 2 else np.array([-score[0], score[0]])
            if y not in known:
                return loss(np.append(-lanes, 0.0)).sum()
            return loss(np.where(np.array(known) == y, 1, -1) * lanes).sum()
        if len(known) < 2:
            return loss(0.0) if not known else loss(-score[0] if y in known else score[0])
        return loss(score[0] if y == known[1] else -score[0])

    def agrees(self, report, which=slice(None)):
        """Every number of a report, and every point of its curve."""
        losses, wrong, w = self.losses[which], self.wrong[which], self.w[which]
        y, said = (np.array([str(s) for s in each])[which] for each in (self.y, self.said))
        assert report.examples == len(w)
        assert report.mean_loss == pytest.approx(np.average(losses, weights=w), rel=1e-9)
        assert report.error == pytest.approx(zero_one_loss(y, said, sample_weight=w), rel=1e-9)
        begin = 0
        for k, end in enumerate(report.curve.examples):
            for start, of, about in ((0, "mean_loss", losses), (0, "error", wrong)):
                same_mean(getattr(report.curve, of)[k], about[start:end], w[start:end])
                inside = getattr(report.curve, f"interval_{of}")[k]
                same_mean(inside, about[begin:end], w[begin:end])
            begin = end
        assert begin == len(w)
        p, positive = self.p[which], self.positive[which]
        there = ~np.isnan(p) & (w > 0)
        if not self.binary:
            assert report.auc is None
            assert report.calibration is None
            return
        p, positive, w = p[there], positive[there], w[there]
        if positive.any() and not positive.all():
            auc = roc_auc_score(positive, p, sample_weight=w)
            assert report.auc == pytest.approx(auc, abs=1e-9 + most_by_bins(p, positive, w))
        else:
            assert report.auc is None
        calibrated(report.calibration, p, positive, w)


def same_mean(found, values, weights):
    if not weights.sum():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.average(values, weights=weights), rel=1e-9, abs=1e-15)


def calibrated(calibration, p, positive, w):
    if calibration is None:
        assert not len(p)
        return
    at = np.minimum((p * 20).astype(int), 19)
    sums = [np.bincount(at, values, 20) for values in (w, w * p, w * positive)]
    for found, expected in zip(("weight", "probability", "positive"), sums):
        np.testing.assert_allclose(getattr(calibration, found), expected, rtol=1e-9, atol=1e-12)
    gap = np.abs(sums[1] - sums[2]).sum() / w.sum()
    assert calibration.error == pytest.approx(gap, rel=1e-9)
    if (w == 1).all() and (np.abs(p * 20 - np.round(p * 20)) > 1e-9).all():  # none on an edge
        observed, predicted = calibration_curve(positive, p, n_bins=20)
        used = calibration.weight > 0
        np.testing.assert_allclose(calibration.observed[used], observed)
        np.testing.assert_allclose(calibration.predicted[used], predicted)


# --- our learners -----------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("labels", LATE)
@pytest.mark.parametrize("delay", [0, 1, 40, 1000])
def test_a_linear_learner(labels, weights, delay):
    rows = stream(labels=labels, weights=weights)
    recorded = Recorded(LinearClassifier(), logistic, rows, delay)
    model = LinearClassifier()
    recorded.agrees(evaluate.progressive(model, rows, delay=delay))
    assert model.weights_ == recorded.model.weights_


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("labels", [2, 3])
def test_every_learner(name, delay, labels):
    make, loss = CLASSIFIERS[name]
    rows = stream(80, labels)
    Recorded(make(), loss, rows, delay).agrees(evaluate.progressive(make(), rows, delay=delay))


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("labels", [2, 3])
def test_held_out(name, labels):
    """What is held out is neither learned nor known; a label that only it has stays unknown."""
    make, loss = CLASSIFIERS[name]
    rows = stream(80, labels)
    rows[39] = rows[39][0], "never", 1.0
    recorded = Recorded(make(), loss, rows, held=lambda t: t % 5 == 4)
    training = Training(make(), holdout=5)
    for start, stop in pairwise((0, 17, 40, 80)):
        for piece in streams.read(rows[start:stop]).pieces():
            training.take(piece)
    held = np.arange(80) % 5 == 4
    recorded.agrees(training.held_out.report(1.0, ""), held)
    recorded.agrees(training.validation.report(1.0, ""), ~held)
    assert "never" not in training.model.classes_
    assert training.model.classes_.tolist() == recorded.model.classes_.tolist()


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("labels", [2, 3])
def test_from_a_file(labels, delay, tmp_path):
    rows, path = stream(labels=labels), tmp_path / "rows.csv"
    lines = [",".join([*map(repr, x.values()), y, repr(w)]) for x, y, w in rows]
    path.write_text("\n".join(["p,q,r,s,y,w", *lines]))
    report = evaluate.progressive(
        LinearClassifier(), streams.read(path, label="y", weight="w"), delay=delay
    )
    Recorded(LinearClassifier(), logistic, rows, delay).agrees(report)


def numbers(count=200, weights="many"):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(count, 3)), weights_of(weights, count, rng)
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=count)
    return [(dict(zip("pqr", x)), *rest) for x, *rest in zip(X.tolist(), y.tolist(), w.tolist())]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("delay", [0, 1, 30])
def test_a_regressor(weights, delay):
    rows, twin = numbers(weights=weights), LinearRegressor(loss="absolute")
    waiting, said = deque(), []
    for example in rows:
        said.append(twin.predict_one(example[0]))
        waiting.append(example)
        if len(waiting) > delay:
            twin.learn_one(*waiting.popleft())
    y, w = np.array([y for _, y, _ in rows]), np.array([w for *_, w in rows])
    report = evaluate.progressive(LinearRegressor(loss="absolute"), rows, delay=delay)
    assert report.mean_loss == pytest.approx(np.average(np.abs(y - said), weights=w))
    assert report.rmse == pytest.approx(np.sqrt(mean_squared_error(y, said, sample_weight=w)))
    for k, end in enumerate(report.curve.examples):
        same_mean(report.curve.error[k], np.square(y - said)[:end], w[:end])


def test_the_first_prediction():
    """Nothing is predicted before anything is known: the same with and without a delay."""
    for y in ("a", True, 0):
        for delay in (0, 1):
            report = evaluate.progressive(LinearClassifier(), [({"p": 1.0}, y)], delay=delay)
            assert report.error == 1.0
            assert report.mean_loss == pytest.approx(np.log(2))
    known = LinearClassifier().partial_fit(np.zeros((0, 1)), [], classes=[0, 1])
    assert evaluate.progressive(known, [({0: 1.0}, 1)]).error == 0.0  # it is what it predicts


def test_two_labels_that_come_together():
    """Who says True knows of False, and predicts it from then on."""
    rows = [(x, y == "a", w) for x, y, w in stream()]
    for delay in (0, 3):
        report = evaluate.progressive(LinearClassifier(), rows, delay=delay)
        Recorded(LinearClassifier(), logistic, rows, delay).agrees(report)


def test_an_example_without_weight_is_not_measured():
    rows = stream(weights="none")
    odd = [({"z": 9.0}, "never", 0.0)] * 3
    for delay in (0, 4):
        one, two = LinearClassifier(), LinearClassifier()
        plain = evaluate.progressive(one, rows)
        among = evaluate.progressive(two, odd + rows + odd)
        assert (among.mean_loss, among.error) == pytest.approx(
            (plain.mean_loss, plain.error), rel=1e-12
        )
        assert among.auc == plain.auc
        assert one.classes_.tolist() == two.classes_.tolist(), delay
        assert one.weights_ == two.weights_


def test_a_delay_is_certified():
    rows = stream()
    report = evaluate.progressive(LinearClassifier(), rows, delay=3, certify=2.0)
    assert report.curve.certified[-1] == report.best_possible(2.0, mean=True)


# --- those of others --------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["none", "many"])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("delay", [0, 9])
def test_river(weights, labels, delay):
    tree = pytest.importorskip("river.tree")
    rows = stream(labels=labels, weights=weights)
    make = lambda: tree.HoeffdingTreeClassifier(grace_period=20)  # noqa: E731
    model, waiting, told = make(), deque(), []
    for x, y, w in rows:
        told.append(model.predict_proba_one(x))
        waiting.append((x, y, w))
        if len(waiting) > delay:
            *known, weight = waiting.popleft()
            if weight:
                model.learn_one(*known, w=weight)
    y, w = np.array([y for _, y, _ in rows]), np.array([w for *_, w in rows])
    said = np.array([max(p, key=p.get) if p else "nothing" for p in told])
    chance = np.array([p.get(label, 1 / (len(p) + 2)) for p, label in zip(told, y)])
    report = evaluate.progressive(make(), rows, delay=delay)
    expected = np.average(-np.log(np.clip(chance, 1e-15, 1)), weights=w)
    assert report.mean_loss == pytest.approx(expected)
    assert report.error == pytest.approx(zero_one_loss(y, said, sample_weight=w))
    if labels > 2:
        assert report.auc is None
        return
    two = np.array([len(p) == 2 for p in told]) & (w > 0)
    p = np.array([p.get("b", 0.0) for p in told])
    auc = roc_auc_score(y[two] == "b", p[two], sample_weight=w[two])
    assert report.auc == pytest.approx(auc, abs=2e-3)
    calibrated(report.calibration, p[two], y[two] == "b", w[two])


def sparse(rows):
    return csr_array(np.array([list(x.values()) for x, *_ in rows]))


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("weights", ["none", "many"])
def test_scikit_learn(weights, labels):
    rows = stream(900, labels, weights)
    X, y = sparse(rows), np.array([y for _, y, _ in rows])
    w, known = np.array([w for *_, w in rows]), np.unique(y[:256])
    make = lambda: SGDClassifier(loss="log_loss", alpha=1.0, random_state=0)  # noqa: E731
    model, told = make(), []
    for start in range(0, 900, 256):
        part = slice(start, start + 256)
        if start:
            told.append(model.predict_proba(X[part]))
        there = (w[part] > 0) & np.isin(y[part], known)
        model.partial_fit(X[part][there], y[part][there], known, w[part][there])
    p, y, w = np.vstack(told), y[256:], w[256:]
    report = evaluate.progressive(make(), rows)
    assert report.examples == len(y)
    seen = np.isin(y, known)
    late = (w * ~seen).sum() * np.log(len(known) + 2)
    loss = log_loss(y[seen], np.clip(p[seen], 1e-15, 1), sample_weight=w[seen], normalize=False)
    assert report.mean_loss == pytest.approx((loss + late) / w.sum())
    said = known[p.argmax(axis=1)]
    assert report.error == pytest.approx(zero_one_loss(y, said, sample_weight=w))
    if len(known) == 2:
        auc = roc_auc_score(y[seen] == known[1], p[seen, 1], sample_weight=w[seen])
        assert report.auc == pytest.approx(auc, abs=2e-3)


def test_scikit_learn_regression():
    rows = numbers(600)
    X, y = sparse(rows), np.array([y for _, y, _ in rows])
    w, model, said = np.array([w for *_, w in rows]), SGDRegressor(random_state=0), []
    for start in range(0, 600, 256):
        part = slice(start, start + 256)
        said += model.predict(X[part]).tolist() if start else []
        there = w[part] > 0
        model.partial_fit(X[part][there], y[part][there], w[part][there])
    report = evaluate.progressive(SGDRegressor(random_state=0), rows)
    assert report.rmse == pytest.approx(
        np.sqrt(mean_squared_error(y[256:], said, sample_weight=w[256:]))
    )


def test_learners_that_take_no_weights_are_not_given_any():
    bayes = pytest.importorskip("river.naive_bayes")
    rows = [({"p": 1.0}, "a", 1.0), ({"p": 2.0}, "b", 0.0), ({"p": 2.0}, "b", 2.5)]
    with pytest.raises(ValueError, match=r"weight 2\.5, but GaussianNB\.learn_one takes no"):
        evaluate.progressive(bayes.GaussianNB(), rows)
    assert evaluate.progressive(bayes.GaussianNB(), rows[:2]).examples == 2
    linear_model = pytest.importorskip("river.linear_model")
    scale = pytest.importorskip("river.preprocessing").StandardScaler()
    pipeline = scale | linear_model.LogisticRegression()  # the last step takes them
    assert evaluate.progressive(pipeline, [(x, y == "a", w) for x, y, w in rows]).examples == 3
    with pytest.raises(ValueError, match="no predict_proba"):
        evaluate.progressive(SGDClassifier(loss="hinge"), rows)


# --- nothing is learned of an example without weight ------------------------------------------------


def test_labels_without_weight_in_scikit_learn():
    X, y = np.eye(3), [0, 1, 2]
    model = sklearn.LinearClassifier().partial_fit(X, y, sample_weight=[1.0, 0.0, 2.0])
    assert model.classes_.tolist() == [0, 2]
    assert model.fit(X, y, sample_weight=[0.0, 1.0, 2.0]).classes_.tolist() == [1, 2]
    assert model.partial_fit(X, y, sample_weight=[0.0, 1.0, 2.0]).classes_.tolist() == [1, 2]


def test_weak_learners_of_others_without_weight():
    """They are not asked to learn, and the number of columns is not known yet."""
    model = GradientBoostingHull(SGDRegressor(random_state=0), n=2, range=(-1.0, 1.0))
    model.learn_one([1.0, 2.0, 3.0], 0.5, 0.0)
    model.learn_many([[1.0, 2.0, 3.0]], [0.5], [0.0])
    assert not any(copy.learned for copy in model._model.copies)
    model.learn_one([1.0, 2.0], 0.5)
    model.learn_many([[1.0, 2.0]], [0.5])
    assert model._model.width == 2
    assert model.predict_one({1: 1.0}) == model.predict([[0.0, 1.0]])[0]
