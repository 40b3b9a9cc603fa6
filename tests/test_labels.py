"""Labels of every kind, at any time; and the weights of examples."""

import datetime
import enum
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from regretless import losses, rules
from regretless.linear import (
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
)

RULES = list(rules.RULES)
CLASSIFIERS = {
    **{rule: partial(LinearClassifier, rule=rule) for rule in RULES},
    "scale invariant": partial(LinearClassifier, rule=rules.AdaGrad(scale_invariant=True)),
    "lazy ogd": partial(LinearClassifier, rule=rules.OGD(lazy=True, radius=2.0)),
    "penalties": partial(LinearClassifier, rule="ogd", l1=0.01, l2=0.1, certify=True),
    "eg, certified": partial(LinearClassifier, rule=rules.EG(rate=0.5), certify=True),
    "perceptron": Perceptron,
    **{a: partial(Perceptron, average=a) for a in ("survival", "uniform", "vote")},
    "margin perceptron": partial(MarginPerceptron, margin=0.5),
    "p-norm perceptron": partial(PNormPerceptron, p=4.0),
    "balanced winnow": BalancedWinnow,
    "svm": OnlineSVM,
    "kernel perceptron": partial(KernelPerceptron, kernel="linear"),
    "primal-dual": PrimalDual,
    "passive-aggressive": PassiveAggressive,
}
every_classifier = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
few = settings(deadline=None, max_examples=10, derandomize=True, phases=[Phase.generate])


class Mood(enum.Enum):
    SAD = 0
    GLAD = 1


def stream(size, labels, seed=0):
    """Examples whose label is the feature that is on, among others."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(labels), size)
    X = rng.integers(-1, 2, (size, len(labels) + 2)) / 2.0
    X[np.arange(size), y] = 3.0
    return X, [labels[k] for k in y]


def learned(model, X, y, w=None):
    for t, (x, label) in enumerate(zip(X, y)):
        model.learn_one(x, label, 1.0 if w is None else w[t])
    return model


def facts(model, X):
    scores = [model.decision_one(x) for x in X]
    return model.weights_, model.intercept_, model.loss_, model.examples_, scores


# --- kinds of labels -----------------------------------------------------------------------------

KINDS = {
    "bool": [False, True],
    "int": [0, 1],
    "negative": [-1, 1],
    "large": [1, 2**70],
    "float": [-0.5, 1.5],
    "infinite": [-np.inf, np.inf],
    "str": ["no", "yes"],
    "unicode": ["", "😀"],
    "ends in NUL": ["a", "a\0"],
    "tuple": [("a", 1), ("a", 2)],
    "uneven tuples": [(), (1, 2)],
    "nested": [((0, 1), "x"), ((0, 1), "y")],
    "bytes": [b"no", b"yes"],
    "date": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    "enum": [Mood.SAD, Mood.GLAD],
    "frozenset": [frozenset(), frozenset([1])],
}
NUMPY = {
    "numpy bool": np.array([False, True]),
    "numpy int8": np.array([-3, 4], np.int8),
    "numpy uint64": np.array([0, 2**63], np.uint64),
    "numpy float32": np.array([0.1, 0.7], np.float32),
    "numpy str": np.array(["no", "yes"]),
}


@pytest.mark.parametrize("labels", [*KINDS.values(), *NUMPY.values()], ids=[*KINDS, *NUMPY])
def test_labels_of_every_kind(labels):
    """They come back as they went in, from single rows and batches; numpy's as Python's."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    X, y = stream(60, labels)
    one, many = learned(LinearClassifier(), X, y), LinearClassifier()
    many.learn_many(X, y)
    for model in (one, many):
        assert set(model.classes_.tolist()) == set(plain)
        assert [model.predict_one(x) for x in X[:5]] == list(y[:5])
        assert model.predict(X).tolist() == list(y)
        assert set(model.predict_proba_one(X[0])) == set(plain)
        assert type(model.predict_one(X[0])) is type(plain[0])
    assert facts(one, X) == facts(many, X)


@pytest.mark.parametrize("label", [None, np.nan, np.float32("nan"), pd.NA, pd.NaT], ids=repr)
def test_what_is_missing_is_no_label(label):
    """Not even the first one."""
    for y in ([label], [label, 1], ["x", label]):
        with pytest.raises(ValueError, match=r"y=.* is not a label; leave .* out"):
            LinearClassifier().learn_many(np.ones((len(y), 1)), y)
    with pytest.raises(ValueError, match=r"y=.* is not a label; leave .* out"):
        LinearClassifier().learn_one({"a": 1.0}, label)


def test_equal_labels_are_one():
    """True, 1 and 1.0 are equal, and so are the strings of Python and numpy."""
    model = LinearClassifier()
    for y in (1, 0, True, 1.0, np.int64(0), np.float32(1), np.False_):
        model.learn_one({"a": 1.0}, y)
    assert model.classes_.tolist() == [0, 1]
    model = learned(LinearClassifier(), [{"a": 1.0}] * 3, ["x", np.str_("x"), np.str_("y")])
    assert model.classes_.tolist() == ["x", "y"]


SHAPES = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "array": np.array,
    "object array": lambda y: np.array(y, object),
    "series": pd.Series,
    "category": lambda y: pd.Series(y, dtype="category"),
    "string dtype": lambda y: pd.Series(y, dtype="string"),
    "arrow array": pa.array,
    "arrow column": lambda y: pa.chunked_array([y[:7], y[7:]]),
}


@pytest.mark.parametrize("form", SHAPES.values(), ids=SHAPES)
def test_y_of_every_form(form):
    """Whatever holds the labels of a batch."""
    X, y = stream(40, ["a", "b", "long name"])
    model = LinearClassifier()
    model.learn_many(X, form(y))
    assert facts(model, X) == facts(learned(LinearClassifier(), X, y), X)


@pytest.mark.parametrize("y", [[True, False], [1, 2], [0.5, -1.5]], ids=repr)
@pytest.mark.parametrize("form", [np.array, pd.Series, pa.array, lambda y: pa.chunked_array([y])])
def test_targets_of_every_form(form, y):
    """A regressor's targets, too, may be bools, integers and floats."""
    model = LinearRegressor()
    model.learn_many(np.eye(2), form(y))
    assert facts(model, np.eye(2)) == facts(learned(LinearRegressor(), np.eye(2), y), np.eye(2))


# --- two labels ----------------------------------------------------------------------------------


@every_classifier
@pytest.mark.parametrize("kind", ["bool", "int", "str", "tuple"])
def test_the_larger_of_two_labels_is_positive(make, kind):
    """True, 1 and "yes" have positive scores whichever came first, and nothing else changes."""
    low, high = KINDS[kind]
    X, y = stream(50, [low, high], seed=4)
    swapped = [low if label == high else high for label in y]
    for labels in (y, swapped):
        late, early = learned(make(), X, labels), make()
        early.partial_fit(X[:0], [], classes=[high, low])
        learned(early, X, labels)
        assert facts(late, X) == facts(early, X)
        assert late.classes_.tolist() == early.classes_.tolist() == [low, high]
        found = [late.decision_one(x) >= 0 for x in X]
        assert [late.predict_one(x) == high for x in X] == found
        assert np.mean([f == (label == high) for f, label in zip(found, labels)]) > 0.8


def test_before_the_first_label():
    """There is nothing to predict yet, and asking does no harm."""
    model = LinearClassifier()
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.decision_one({"a": 1.0}) == 0.0
    assert model.step({"a": 1.0}, "x") is None
    assert LinearClassifier().classes_.size == 0
    with pytest.raises(ValueError, match="nothing has been learned"):
        LinearClassifier().predict(np.eye(2))
    assert LinearClassifier().predict_proba(np.eye(2)).shape == (2, 0)


@every_classifier
def test_scores_before_anything(make):
    """The score of a learner that has seen nothing is 0."""
    assert make().decision_one({"a": 1.0}) == 0.0
    assert make().decision_function(np.eye(3)).tolist() == [0.0, 0.0, 0.0]
    assert make().intercept_ == 0.0
    assert make().weights_ == {}


@every_classifier
def test_a_single_label(make):
    """It is predicted with certainty."""
    model = learned(make(), np.eye(3), ["x"] * 3)
    assert model.predict_one([1.0]) == "x"
    assert model.predict_proba_one([1.0]) == {"x": 1.0}
    assert model.predict(np.eye(2)).tolist() == ["x", "x"]
    assert model.predict_proba(np.eye(2)).tolist() == [[1.0], [1.0]]


# --- more labels ---------------------------------------------------------------------------------


@every_classifier
@few
@given(data=st.data())
def test_new_labels_in_the_middle_of_a_batch(make, data):
    """A batch is cut where a label first appears, so it is learned as the rows one by one are."""
    labels = data.draw(
        st.sampled_from([range(5), "edcba", [(k, "x") for k in range(6)], range(20)])
    )
    X, y = stream(30, list(labels), data.draw(st.integers(0, 99)))
    cut = data.draw(st.integers(0, 30))
    form = data.draw(st.sampled_from([np.array, csr_array, pd.DataFrame]))
    many = make()
    many.learn_many(form(X[:cut]), y[:cut])
    many.learn_many(form(X[cut:]), y[cut:])
    one = learned(make(), X, y)
    assert facts(many, X) == facts(one, X)
    assert many.classes_.tolist() == one.classes_.tolist()
    assert many.predict(X).tolist() == [one.predict_one(x) for x in X]


@every_classifier
def test_a_third_label_mirrors_the_lane_of_two(make):
    """The lane of two labels goes on as two mirrored ones; the new one starts from nothing."""
    X, y = stream(50, ["a", "b"])
    model = learned(make(), X, y)
    scores, weights, loss = [model.decision_one(x) for x in X], model.weights_, model.loss_
    model.partial_fit(X[:0], [], classes=["a", "b", "c"])
    mirrored = np.array([[-s, s, 0.0] for s in scores])  # added up in another order
    assert model.decision_function(X) == pytest.approx(mirrored, rel=1e-13)
    assert model.weights_["b"] == pytest.approx(weights, rel=1e-13)
    assert model.weights_["a"] == {name: -w for name, w in model.weights_["b"].items()}
    assert set(model.weights_["c"].values()) == {0.0}
    assert (model.loss_, model.examples_) == (2 * loss, 50)
    assert [model.predict_one(x) for x in X] == ["b" if s > 0 else "a" for s in scores]


def test_classes_in_advance():
    """`classes` may be any collection, name labels again, and need not be complete."""
    X, y = stream(30, [0, 1, 2, 3])
    for classes in ([2, 0, 1], (2, 0, 1), np.array([2, 0, 1]), pd.Series([2, 0, 1])):
        model = LinearClassifier().partial_fit(X, y, classes=classes)
        model.partial_fit(X, y, classes=classes)
        assert sorted(model.classes_.tolist()) == [0, 1, 2, 3]
        assert model.predict_proba(X).shape == (30, 4)
        assert model.examples_ == 60
    fitted = LinearClassifier().fit(X, y)
    assert fitted.classes_.tolist() == [0, 1, 2, 3]
    again = fitted.clone().fit(X, y).fit(X, y)
    assert facts(again, X) == facts(fitted, X)


@pytest.mark.parametrize("count", [1, 2, 3, 9, 40])
@pytest.mark.parametrize(
    "loss", ["logistic", "hinge", "squared_hinge", "exponential", "perceptron"]
)
def test_probabilities(loss, count):
    """One for each label; they are not negative and add up to 1."""
    X, y = stream(80, [f"label {k}" for k in range(count)])
    model = learned(LinearClassifier(loss=loss, rule="ogd", rate=0.01), X, y)
    single = [model.predict_proba_one(x) for x in X]
    for p in single:
        assert list(p) == model.classes_.tolist()
        assert sum(p.values()) == pytest.approx(1.0, abs=1e-12)
        assert min(p.values()) >= 0
    assert model.predict_proba(X) == pytest.approx(np.array([list(p.values()) for p in single]))
    if count == 2:
        scores = np.array([model.decision_one(x) for x in X])
        expected = losses.get(loss).probability(scores)
        assert [p["label 1"] for p in single] == pytest.approx(expected.tolist())


# --- weights of examples -------------------------------------------------------------------------

STEADY = {  # rules whose weights stand still while nothing is learned
    "coin": partial(LinearClassifier, rule="coin"),
    "adagrad": partial(LinearClassifier, rule="adagrad"),
    "scale invariant": partial(LinearClassifier, rule=rules.AdaGrad(scale_invariant=True)),
    "ogd": partial(LinearClassifier, rule="ogd"),
    "ball": partial(LinearClassifier, rule=rules.OGD(radius=1.0), certify=True),
    "lazy ogd": partial(LinearClassifier, rule=rules.OGD(rate=0.5, lazy=True)),
    "invariant ogd": partial(LinearClassifier, rule=rules.OGD(invariant=True)),
    "ftrl": partial(LinearClassifier, rule="ftrl", l1=0.01, l2=0.01),
    "eg": partial(LinearClassifier, rule="eg"),
    "pnorm": partial(LinearClassifier, rule="pnorm", rate=0.5),
    "perceptron": Perceptron,
    **{a: partial(Perceptron, average=a) for a in ("survival", "uniform", "vote")},
    "margin perceptron": MarginPerceptron,
    "p-norm perceptron": PNormPerceptron,
    "balanced winnow": BalancedWinnow,
    "svm": partial(OnlineSVM, projection=True),
    "kernel perceptron": partial(KernelPerceptron, kernel="linear"),
    "primal-dual": PrimalDual,
    **{mode: partial(PassiveAggressive, mode=mode) for mode in ("exact", "I", "II")},
    "regressor": LinearRegressor,
    "passive-aggressive regressor": PassiveAggressiveRegressor,
}


@pytest.mark.parametrize("make", STEADY.values(), ids=STEADY)
def test_weight_0_changes_no_weight(make):
    """Nor the loss, nor the certificate."""
    X, y = stream(50, [0, 1])
    model = learned(make(), X, y)
    before = model.weights_, model.intercept_, model.loss_, [model.decision_one(x) for x in X]
    for t in range(10):
        model.learn_one(X[t] * (1 + t), 1 - y[t], 0.0)
    model.learn_many(X, y, np.zeros(50))
    after = model.weights_, model.intercept_, model.loss_, [model.decision_one(x) for x in X]
    assert after == before


@every_classifier
@pytest.mark.parametrize("form", [list, tuple, np.array, np.float32, pd.Series, pa.array])
def test_weights_of_a_batch(make, form):
    """They are those of the single examples, whatever holds them."""
    X, y = stream(40, ["a", "b", "c"])
    w = np.random.default_rng(0).integers(0, 5, 40) / 2.0
    one, many = learned(make(), X, y, w), make().partial_fit(X, y, sample_weight=form(w))
    assert facts(many, X) == facts(one, X)
    whole = learned(make(), X, y, np.ones(40))
    assert facts(make().partial_fit(X, y), X) == facts(whole, X)
    assert facts(one, X) != facts(whole, X)


@pytest.mark.parametrize("w", [2, True, np.float32(0.5), np.int8(3), np.array(2.0)], ids=repr)
def test_weights_of_every_type(w):
    """Whatever is a number."""
    for make in (LinearClassifier, LinearRegressor):
        model, plain = make(), make()
        for y in (0, 1, 2):
            model.learn_one({"a": 1.0}, y, w)
            plain.step({"a": 1.0}, y, float(w))
        assert model.weights_ == plain.weights_
