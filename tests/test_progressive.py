"""Progressive validation against loops written by hand, for our learners and the peers'."""

import copy
import math
from collections import deque
from functools import partial

import numpy as np
import pytest

from regretless import evaluate, streams
from regretless.evaluate import Training
from regretless.linear import (
    LinearClassifier,
    LinearRegressor,
    OnlineSVM,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Winnow,
)


def brute_force_auc(p, positive):
    """The share of pairs in the right order, ties one half."""
    up, down = np.array(p)[positive], np.array(p)[~np.array(positive)]
    return np.mean([(a > b) + 0.5 * (a == b) for a in up for b in down])


def test_two_labels_by_hand():
    """Loss, error and AUC of predictions that were made before learning."""
    rows = list(streams.bundled("phishing"))[:400]
    report = evaluate.progressive(LinearClassifier(), rows)
    model, losses, wrong, p = LinearClassifier(), [], 0, []
    for x, y in rows:
        score = model.decision_one(x)
        losses.append(math.log1p(math.exp(-score if y else score)))
        p.append(score)
        wrong += model.predict_one(x) != y
        model.learn_one(x, y)
    assert report.examples == 400
    assert report.mean_loss == pytest.approx(np.mean(losses), rel=1e-12)
    assert report.error == pytest.approx(wrong / 400)
    positive = [y for _, y in rows]
    auc = brute_force_auc(p[1:], positive[1:])  # no label was known when the first came
    assert report.auc == pytest.approx(auc, abs=1e-3)  # bins of 1/512
    assert report.curve.examples[-1] == 400
    assert report.curve.mean_loss[-1] == pytest.approx(np.mean(losses), rel=1e-12)
    assert report.certificate().best_possible(3) == model.certificate().best_possible(3)


def test_many_labels_by_hand():
    """New labels at any time; the loss is that of all lanes."""
    rows = list(streams.bundled("digits"))[:500]
    model, twin = LinearClassifier(), LinearClassifier()
    report = evaluate.progressive(model, rows)
    wrong, loss = 0, 0.0
    for x, y in rows:
        wrong += twin.predict_one(x) != y
        if y not in twin.classes_:
            twin._add(y)  # its lane begins here, with a score of 0
        scores, labels = np.atleast_1d(twin.decision_one(x)), twin.classes_
        signs = np.where(labels == y, 1, -1)[-len(scores) :]
        loss += np.logaddexp(0, -signs * scores).sum()
        twin.learn_one(x, y)
    assert report.mean_loss * 500 == pytest.approx(loss, rel=1e-12)
    assert report.error == pytest.approx(wrong / 500)
    assert report.auc is None
    assert model.weights_ == twin.weights_


def test_regression_by_hand():
    """Squared errors of predictions that were made before learning, and the learner's own loss."""
    rows = list(streams.bundled("diabetes"))
    twin = LinearRegressor(loss="absolute")
    errors = [twin.step(x, y) - y for x, y in rows]
    report = evaluate.progressive(LinearRegressor(loss="absolute"), rows)
    assert report.mean_loss == pytest.approx(np.mean(np.abs(errors)), rel=1e-12)
    assert report.rmse == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=1e-12)


@pytest.mark.parametrize("delay", [1, 7, 100, 10**6])
def test_delayed_labels(delay):
    """A label is learned only after so many further predictions."""
    rows = list(streams.bundled("phishing"))[:300]
    report = evaluate.progressive(LinearClassifier(), rows, delay=delay)
    model, waiting, chances = LinearClassifier(), deque(), []
    for x, y in rows:
        chances.append(model.predict_proba_one(x).get(y, 0.5))
        waiting.append((x, y))
        if len(waiting) > delay:
            model.learn_one(*waiting.popleft())
    assert report.mean_loss == pytest.approx(-np.mean(np.log(chances)), rel=1e-9)
    assert report.examples == 300


def test_without_delay_the_two_ways_agree():
    """One by one through River's methods, and in pieces through the core."""

    class OneByOne:
        def __init__(self):
            inner = LinearClassifier()
            self.learn_one, self.predict_proba_one = inner.learn_one, inner.predict_proba_one

    rows = list(streams.bundled("phishing"))
    ours, other = (evaluate.progressive(m, rows) for m in (LinearClassifier(), OneByOne()))
    assert ours.loss == pytest.approx(other.loss, rel=1e-9)
    assert ours.error == other.error
    assert ours.auc == other.auc


def test_peers():
    """River's and scikit-learn's learners on the same stream, in one call."""
    linear_model = pytest.importorskip("river.linear_model")
    sgd = pytest.importorskip("sklearn.linear_model")
    rows = list(streams.bundled("phishing"))
    model, chances = linear_model.LogisticRegression(), []
    for x, y in rows:
        chances.append(model.predict_proba_one(x)[y])
        model.learn_one(x, y)
    report = evaluate.progressive(linear_model.LogisticRegression(), rows)
    assert report.mean_loss == pytest.approx(-np.mean(np.log(chances)), rel=1e-12)
    report = evaluate.progressive(sgd.SGDClassifier(loss="log_loss", random_state=0), rows)
    assert (report.examples, report.learner) == (1250 - 256, "SGDClassifier")
    assert 0.7 < report.auc < 1
    numbers = list(streams.bundled("diabetes"))
    report = evaluate.progressive(linear_model.LinearRegression(), numbers)
    assert report.examples == 442
    assert report.rmse**2 == pytest.approx(report.mean_loss)
    # a pipeline of River's has all methods, whatever its last step can do
    scaled = pytest.importorskip("river.preprocessing").StandardScaler()
    report = evaluate.progressive(scaled | linear_model.LinearRegression(), numbers)
    assert report.rmse**2 == pytest.approx(report.mean_loss)
    report = evaluate.progressive(scaled.clone() | linear_model.LogisticRegression(), rows)
    assert report.auc > 0.8
    ten = [(x, y) for x, y in streams.bundled("digits")]
    report = evaluate.progressive(sgd.SGDClassifier(loss="log_loss", random_state=0), ten)
    assert report.error < 0.5


def test_what_cannot_be_evaluated():
    """Says what is needed."""
    with pytest.raises(ValueError, match="has no learn_one"):
        evaluate.progressive(object(), [])
    with pytest.raises(ValueError, match="delay=-1 must be a whole number of at least 0"):
        evaluate.progressive(LinearClassifier(), [], delay=-1)
    sgd = pytest.importorskip("sklearn.linear_model")
    with pytest.raises(ValueError, match="learns in batches, which excludes delay"):
        evaluate.progressive(sgd.SGDClassifier(), [], delay=1)


LEARNERS = {
    "classifier": (LinearClassifier, "phishing"),
    "ten labels": (LinearClassifier, "digits"),
    "Perceptron": (Perceptron, "phishing"),
    "voted": (partial(Perceptron, average="vote"), "phishing"),
    "averaged": (partial(Perceptron, average="survival"), "phishing"),
    "Winnow": (Winnow, "phishing"),
    "SVM": (OnlineSVM, "digits"),
    "passive": (PassiveAggressive, "phishing"),
    "regressor": (LinearRegressor, "diabetes"),
    "passive regressor": (PassiveAggressiveRegressor, "diabetes"),
}


@pytest.mark.parametrize(("make", "data"), LEARNERS.values(), ids=LEARNERS)
def test_a_checkpoint_goes_on_as_if_nothing_had_happened(make, data, tmp_path):
    """Model, scores, holdout and place are those of a run that was not interrupted."""
    rows = list(streams.bundled(data))
    pieces = list(streams.read(rows[:300]).pieces()) + list(streams.read(rows[300:]).pieces())
    whole = Training(make(), holdout=7)
    for piece in pieces:
        whole.take(piece)
    half = Training(make(), holdout=7)
    half.take(pieces[0])
    half.save(tmp_path / "c", {"what": "a test"})
    again = Training.load(tmp_path / "c", {"what": "a test"})
    assert again.place == half.place
    again.take(pieces[1])
    assert again.model._described()[0] == whole.model._described()[0]
    for a, b in (
        (again.model._described()[1], whole.model._described()[1]),
        (again.validation.state(), whole.validation.state()),
        (again.held_out.state(), whole.held_out.state()),
    ):
        assert a.keys() == b.keys()
        assert all(a[k].tobytes() == b[k].tobytes() for k in a)
    with pytest.raises(ValueError, match=r"another command .what differ"):
        Training.load(tmp_path / "c", {"what": "another"})
    make().save(tmp_path / "m")
    with pytest.raises(ValueError, match="is not a checkpoint"):
        Training.load(tmp_path / "m", {})


def test_what_is_held_out_is_not_learned():
    """As a model that never saw those examples; their losses are those of its predictions."""
    rows = list(streams.bundled("phishing"))
    training = Training(LinearClassifier(), holdout=5)
    for piece in streams.read(rows).pieces():
        training.take(piece)
    twin, losses = LinearClassifier(), []
    for t, (x, y) in enumerate(rows):
        if (t + 1) % 5:
            twin.learn_one(x, y)
        else:
            score = twin.decision_one(x)
            losses.append(math.log1p(math.exp(-score if y else score)))
    assert training.model.weights_ == twin.weights_
    assert training.held_out.mean_loss == pytest.approx(np.mean(losses), rel=1e-12)
    assert training.validation.examples + training.held_out.examples == len(rows)


def test_one_learner_is_one_learner():
    """Copies do not share what they tell readers."""
    model = LinearClassifier(features="hashed", bits=10, names=1)
    form = model.form()
    twin = copy.deepcopy(model)
    (piece,) = streams.read([({"a": 1.0, "b": 1.0}, 1), ({"b": 1.0}, 0)]).pieces(form)
    model.learn_many(piece.X, piece.y)
    assert not form.named
    assert twin.form().named
