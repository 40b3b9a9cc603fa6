"""The boosters as learners: labels, weights, batches, files, bad input."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from reference.boosters import THREE, W, X, Y, every_booster
from river import tree
from sklearn.linear_model import SGDRegressor

from regretless import _core
from regretless.base import persistence
from regretless.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.linear import LinearClassifier, LinearRegressor, Perceptron, Winnow


class Says:
    """Predicts what it was made with."""

    def __init__(self, answer):
        self.answer = answer

    def learn_one(self, x, y, w=1.0):
        pass

    def predict_one(self, x):
        return self.answer


# --- labels, weights, batches ---------------------------------------------------------------------


@every_booster
@pytest.mark.parametrize("labels", [Y, THREE, Y.astype(int)], ids=["bool", "fruit", "int"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_batches_are_rows(make, labels, form):
    rows = X if form == "dense" else sp.csr_array(X)
    one, many, steps = make(), make(), make()
    predicted = []
    for x, y, w in zip(X, labels.tolist(), W.tolist()):
        before = one.predict_one(x)
        assert steps.step(x, y, w) == before
        predicted.append(before)
        one.learn_one(x, y, w)
    many.learn_many(rows, labels, W)
    scores = one.decision_function(rows)
    np.testing.assert_array_equal(scores, many.decision_function(rows))
    np.testing.assert_array_equal(scores, steps.decision_function(rows))
    assert one.classes_.tolist() == many.classes_.tolist()
    np.testing.assert_array_equal(one.predict(rows), [one.predict_one(x) for x in X])
    p = one.predict_proba(rows)
    for x, row in zip(X[:9], p):
        assert list(one.predict_proba_one(x).values()) == row.tolist()
        assert list(one.predict_proba_one(x)) == one.classes_.tolist()
    if len(one.classes_) == 2:
        np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-scores)))
    assert np.mean(one.predict(rows) == labels) > 0.5
    assert one.certificate().holds


def test_the_larger_label_is_the_second_whichever_came_first():
    for first, second in (("no", "yes"), ("yes", "no")):
        model = OnlineBBM(n=4)
        for t in range(60):
            model.learn_one({"a": 1.0 if t % 2 else -1.0}, first if t % 2 else second)
        assert model.classes_.tolist() == ["no", "yes"]
        for a, label in ((1.0, first), (-1.0, second)):
            assert model.predict_one({"a": a}) == label
            assert (model.decision_one({"a": a}) > 0) == (label == "yes")
        assert model.certificate().mistakes <= 5


def test_even_votes_are_for_the_second_label():
    model = OnlineBBM(Says(True), n=2)
    model.learn_one({}, "b")
    model.learn_one({}, "a")  # the labels are a, b now; weak learners call b False
    model.weak_[0].answer = False
    assert model.decision_one({}) >= 0
    assert model.predict_one({}) == "b"
    assert model.predict(np.zeros((1, 1))).tolist() == ["b"]
    before, even = model.certificate().mistakes, model._measured()[0]["potential"].item()
    model.learn_one({}, "b")
    assert model.certificate().mistakes == before  # that was right
    model.learn_one({}, "a")
    assert model.certificate().mistakes == before + 1
    assert model._measured()[0]["potential"] == even + 2  # but to the potential both are lost


def test_a_label_that_comes_later():
    """The ensemble of two labels goes on as two mirrored ones, the new one knows nothing."""
    model = AdaBoostOL(Perceptron(), n=4, last=True)
    for x, y in zip(X[:60], Y[:60].tolist()):
        model.learn_one(x, "b" if y else "a")
    before, edges = model.decision_one(X[60]), model.edges_
    mistakes = model.certificate().mistakes
    model._add("c")
    a, b, c = model.decision_one(X[60])
    assert (a, b, c) == (-before, before, 0.0)
    assert model.certificate().mistakes == 2 * mistakes
    np.testing.assert_array_equal(model.edges_["a"], edges)
    np.testing.assert_array_equal(model.edges_["c"], 0.0)
    model.learn_one(X[60], "c")
    assert model.classes_.tolist() == ["a", "b", "c"]
    model.learn_one(X[61], "a")
    assert model.examples_ == 62
    assert model.certificate().holds


@every_booster
def test_weight_zero_is_not_there(make):
    model, other = make(), make()
    for x, y in zip(X, Y.tolist()):
        model.learn_one(x, y)
        other.learn_one(x, y)
        other.learn_one(-3 * x, not y, 0.0)
    other.learn_many(-X[:3], Y[:3], [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert model.certificate() == other.certificate()
    assert other.step(X[0], True, 0.0) == model.predict_one(X[0])


@every_booster
def test_predicting_changes_nothing(make):
    model = make().fit(X, THREE)
    before = pickle.dumps(model._described())
    model.predict(X)
    model.predict_proba_one(X[0])
    model.decision_one(X[0])
    model.certificate()
    assert pickle.dumps(model._described()) == before


def test_fit_starts_afresh_and_knows_all_labels():
    model = OnlineBBM(n=3).fit(X, THREE)
    model.fit(X, Y)
    assert model.classes_.tolist() == [False, True]
    other = OnlineBBM(n=3).partial_fit(X, Y, classes=[True, False])
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    with pytest.raises(ValueError, match="3 rows, y has 2"):
        model.fit(X[:3], Y[:2])
    assert model.examples_ == 120  # what was learned before is kept


# --- copies and files -----------------------------------------------------------------------------


@every_booster
@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    ("weak", "sampled"),
    [(LinearClassifier(rule="adagrad"), False), (None, True), (Perceptron(), True)],
    ids=repr,
)
def test_saved_copied_and_pickled_they_go_on(make, labels, weak, sampled, tmp_path):
    model = make(weak=weak, sampled=sampled, seed=8)
    model.learn_many(X[:50], labels[:50])
    model.save(tmp_path / "booster")
    others = [
        type(model).load(tmp_path / "booster"),
        pickle.loads(pickle.dumps(model)),
        copy.copy(model),
        copy.deepcopy(model),
    ]
    for other in others:
        assert repr(other) == repr(model)
    model.learn_many(X[50:], labels[50:])
    for other in others:
        other.learn_many(X[50:], labels[50:])
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
        assert other.certificate() == model.certificate()
        assert other.predict_one(X[3]) == model.predict_one(X[3])
    fresh = model.clone()
    assert fresh.examples_ == 0
    fresh.learn_many(X[:50], labels[:50])
    fresh.learn_many(X[50:], labels[50:])
    np.testing.assert_array_equal(fresh.decision_function(X), model.decision_function(X))


def test_saved_before_anything_was_learned(tmp_path):
    path = tmp_path / "booster"
    AdaBoostOL(n=3).save(path)
    assert AdaBoostOL.load(path).predict_one({"a": 1}) is None
    with pytest.raises(ValueError, match="holds an AdaBoostOL, not an OnlineBBM"):
        OnlineBBM.load(path)


@pytest.mark.parametrize(
    ("weak", "damage"),
    [
        *((Perceptron(), each) for each in ("lanes", "labels", "voting", "weak", "signs", "other")),
        *((None, each) for each in ("lanes", "labels", "numbers")),
    ],
)
def test_damaged_files(weak, damage, tmp_path):
    path = tmp_path / "booster"
    OnlineBBM(weak, n=3).fit(X, Y).save(path)
    description, arrays = persistence.read(path)
    if damage == "lanes":
        description["lanes"] = 3
    elif damage == "labels":
        description["labels"] = ["a", "b", "c"]
    elif damage == "voting":
        arrays["votes"] = arrays["votes"][:-1]
    elif damage == "numbers":
        arrays["numbers"] = arrays["numbers"][:-1]
    elif damage == "signs":
        arrays["signs"] = 2 * arrays["signs"]
    elif damage == "other":
        description["options"]["weak"] = {
            "object": {"class": "Nobody", "options": {}, "fresh": True}
        }
    else:
        del arrays[min(name for name in arrays if name.startswith("weak.0.1."))]
    persistence.write(path, description, arrays)
    with pytest.raises(ValueError, match="is damaged"):
        OnlineBBM.load(path)


def test_options():
    model = OnlineBBM(Perceptron(), n=3, edge=None)
    assert repr(model) == "OnlineBBM(weak=Perceptron(), n=3, edge=None)"
    assert repr(OSBoostOCP()) == "OSBoostOCP()"
    assert model.get_params() == {
        "weak": model.weak,
        "n": 3,
        "edge": None,
        "sampled": False,
        "seed": 0,
    }
    model.fit(X, Y)
    assert len(model.weak_) == len(model.edges_) == 15
    assert list(model.edge_) == [0.025, 0.05, 0.1, 0.2, 0.4]
    assert sum(model.edge_.values()) == pytest.approx(1.0)
    assert model.weak.examples_ == 0
    assert model.set_params(n=2).examples_ == 0
    assert OSBoost(edge=0.2).edge_ == {0.2: 1.0}
    with pytest.raises(ValueError, match="'rate' is not an option of OnlineBBM"):
        model.set_params(rate=1)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n=0 must be a whole number from 1"),
        ({"n": 2.5}, r"n=2\.5 must be"),
        ({"n": True}, "n=True must be"),
        ({"edge": 0.5}, r"edge=0\.5 is outside \(0, 1/2\)"),
        ({"edge": 0.0}, "edge=0.0 is outside"),
        ({"edge": math.nan}, "edge=nan is outside"),
        ({"edge": "big"}, "edge='big' is not a number"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"weak": "tree"}, "weak='tree' has neither learn_one"),
        ({"weak": Perceptron}, r"is a class: give an object, Perceptron\(\)"),
        ({"weak": LinearRegressor()}, r"weak=LinearRegressor\(\) is a regressor"),
        ({"weak": SGDRegressor()}, r"weak=SGDRegressor\(\) is a regressor"),
        ({"weak": tree.HoeffdingTreeRegressor()}, r"is a regressor"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        OnlineBBM(**options)


@every_booster
def test_bad_examples_change_nothing(make):
    model, other = make(), make()
    model.learn_many(X[:40], Y[:40])
    other.learn_many(X[:40], Y[:40])
    for bad in (
        lambda: model.learn_one({"a": math.inf}, True),
        lambda: model.learn_one({"a": math.inf}, 7),
        lambda: model.learn_one(X[:2], True),
        lambda: model.learn_one(X[0], "text"),
        lambda: model.learn_one(X[0], None),
        lambda: model.learn_one(X[0], [1]),
        lambda: model.learn_one(X[0], True, -1.0),
        lambda: model.learn_one(X[0], 7, math.nan),
        lambda: model.learn_one(X[0], True, "1"),
        lambda: model.learn_many(X[:3], [True, False]),
        lambda: model.learn_many(X[:3], [True, False, None]),
        lambda: model.learn_many(X[:3], [True, 5, "text"]),
        lambda: model.learn_many(X[:3], [True, 5, False], [1.0, 1.0]),
        lambda: model.learn_many(X[:3], [True, 5, False], [1.0, 1.0, -2.0]),
        lambda: model.learn_many(np.vstack([X[:2], [[1, 2, 3, math.inf]]]), [True, 5, False]),
        lambda: model.learn_many(X[0], [True]),
    ):
        with pytest.raises(ValueError, match=r"."):
            bad()
    assert model.classes_.tolist() == [False, True]
    model.learn_many(X[40:], Y[40:])
    other.learn_many(X[40:], Y[40:])
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert model.certificate() == other.certificate()


@pytest.mark.parametrize("answer", [None, math.nan, "spam", 2, 0.7, [True]])
def test_predictions_that_are_no_label(answer):
    model = OnlineBBM(Says(answer), n=3)
    assert model.predict_one({}) is None
    model.learn_one({}, True)  # nobody is asked before something was learned
    for _ in range(2):
        with pytest.raises(ValueError, match=r"weak learner [0-2], a Says, predicts"):
            model.learn_one({}, False)
    assert model.examples_ == 1
    assert model.certificate().mistakes == 1


def test_a_weak_learner_that_refuses():
    """Winnow takes no negative features: nothing has been learned, not even by the votes."""
    model = OnlineBBM(Winnow(), n=3)
    model.learn_one({"a": 1.0}, True)
    before = model.certificate()
    with pytest.raises(ValueError, match="-1"):
        model.learn_one({"a": -1.0}, False)
    fresh = OnlineBBM(Winnow(), n=3)
    with pytest.raises(ValueError, match="-1"):
        fresh.learn_one({"a": -1.0}, False)
    assert fresh.examples_ == 0
    assert model.certificate() == before


def test_a_weak_learner_that_fails_to_learn():
    """What the votes were told is taken back."""

    class Once(Says):
        def learn_one(self, x, y, w=1.0):
            if x.get("fails"):
                raise RuntimeError("no")

    model = OnlineBBM(Once(True), n=3)
    model.learn_one({}, True)
    before = model.certificate()
    with pytest.raises(RuntimeError, match="no"):
        model.learn_one({"fails": True}, False)
    assert model.certificate() == before
    assert model.examples_ == 1


def test_nothing_learned():
    model = AdaBoostOL()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    with pytest.raises(ValueError, match="nothing has been learned"):
        model.predict(X)
    c = model.certificate()
    assert (c.rounds, c.mistakes) == (0, 0)
    assert c.holds
    model.learn_one({"a": 1}, "only")
    assert model.predict_one({"a": 1}) == "only"
    assert model.predict_proba_one({"a": 1}) == {"only": 1.0}


def test_draws_do_not_depend_on_each_other():
    places = [[_core.drawn(1, t, i) for i in range(50)] for t in range(50)]
    table = np.array(places)
    assert len(np.unique(table)) == 2500
    # correlations of rows and of columns: five of 1/sqrt(n)
    for each in (table, table.T):
        off = np.corrcoef(each)[np.triu_indices(50, 1)]
        assert np.abs(off).max() < 5 / math.sqrt(50)
