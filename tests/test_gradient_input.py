"""Gradient boosting: units, rows, files, and what is refused."""

import copy
import math
import pickle

import numpy as np
import pytest
from reference.weak import stream
from river.linear_model import LinearRegression
from scipy.sparse import csr_array
from sklearn.linear_model import SGDRegressor

from regretless import losses
from regretless.boosting import (
    DecisionStump,
    GradientBoostingHull,
    GradientBoostingSpan,
    NeuralNet,
    Stump,
)
from regretless.linear import LinearClassifier, LinearRegressor

boosters = pytest.mark.parametrize("kind", [GradientBoostingHull, GradientBoostingSpan])


# --- units, forms, files ----------------------------------------------------------------------------


@boosters
def test_units_of_targets(kind):
    X, y = stream()
    plain, large = kind(n=5), kind(n=5)
    shifted = kind(n=5, range=(1e6 - 2, 1e6 + 2))
    for x, target in zip(X, y.tolist()):
        p = plain.step(x, target)
        assert large.step(x, 2.0**20 * target) == 2.0**20 * p  # powers of two round nothing
        assert shifted.step(x, 1e6 + 2 * target) == pytest.approx(1e6 + 2 * p, abs=1e-6)
    millions = kind(n=5).fit(X, 1e6 * y)
    assert 1e5 < np.abs(millions.predict(X)).max() <= 1e6 * (1 + 1e-12)
    zero = kind(n=2).fit(X, np.zeros(150))
    assert (zero.predict(X) == 0.0).all()


def test_a_larger_target_stretches_predictions():
    model = GradientBoostingHull(n=3)
    for _ in range(20):
        model.learn_one({"a": 1.0}, 0.5)
    before = model.predict_one({"a": 1.0})
    clone = copy.deepcopy(model)
    clone.learn_one({"b": 1.0}, 8.0)  # has nothing of the feature a
    assert before > 0.3
    assert clone.predict_one({"a": 1.0}) > 4 * before


@boosters
@pytest.mark.parametrize("weak", [None, NeuralNet(hidden=3), DecisionStump(), LinearRegressor()])
def test_copies_pickles_and_files_go_on_bit_for_bit(kind, weak, tmp_path):
    X, y = stream()
    model = kind(weak=weak, n=3, loss=losses.Squared())
    model.learn_many(X[:70], y[:70])
    model.save(tmp_path / "m")
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), kind.load(tmp_path / "m")]
    for each in [model, *others]:
        each.learn_many(X[70:], y[70:])
    for each in others:
        assert (each.predict(X) == model.predict(X)).all()
        assert repr(each) == repr(model)
        assert (each.examples_, each.loss_) == (150, model.loss_)
    data = (tmp_path / "m").read_bytes()
    (tmp_path / "short").write_bytes(data[:-9])
    with pytest.raises(ValueError, match="short"):
        kind.load(tmp_path / "short")


def test_learners_of_others_are_pickled_not_saved(tmp_path):
    X, y = stream()
    model = GradientBoostingHull(weak=LinearRegression(), n=2).fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    assert (other.predict(X) == model.predict(X)).all()
    with pytest.raises(ValueError, match="a pickle can hold more"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@boosters
def test_all_forms_of_rows_are_one(kind):
    X, y = stream()
    X[7] = 0
    h = np.random.default_rng(0).choice([0.0, 0.5, 2.0], len(y))
    one = kind(n=4)
    for x, target, w in zip(X, y, h):
        one.learn_one({i: v for i, v in enumerate(x.tolist()) if v}, target, w)
    expected = one.predict(X)
    for batch in (X, csr_array(X)):
        model = kind(n=4).partial_fit(batch[:50], y[:50], h[:50])
        model.learn_many(batch[50:], y[50:], h[50:])
        assert (model.predict(batch) == expected).all()
    assert one.predict_one({}) == one.predict(np.zeros((1, 5)))[0]
    assert one.examples_ == np.count_nonzero(h)


# --- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n": 0}, "n=0"),
        ({"n": 2.5}, r"n=2\.5"),
        ({"n": True}, "n=True"),
        ({"feed": "x"}, "feed='x'"),
        ({"alpha": 0.1}, "alpha=0.1"),
        ({"alpha": -1, "feed": "residual"}, "alpha=-1"),
        ({"loss": "absolute"}, "linearized"),
        ({"loss": "exponential"}, "cannot be boosted"),
        ({"loss": losses.SquaredHinge(2.0)}, "margin"),
        ({"loss": "logistic", "range": (0, 1)}, "labels are -1 and 1"),
        ({"range": (1, 0)}, "must be two finite numbers, the smaller first"),
        ({"range": 3}, "must be two finite numbers"),
        ({"weak": Stump(bound=2.0)}, "bound"),
        ({"scale": 0.5}, "scale=0.5"),
        ({"scale": float("inf")}, "scale=inf"),
        ({"negate": True, "feed": "residual"}, "negate"),
        ({"weak": Stump}, r"give an object, Stump\(\)"),
        ({"weak": object()}, "has neither learn_one and predict_one"),
        ({"weak": "stump"}, "weak='stump'"),
        ({"weak": LinearClassifier()}, r"weak=LinearClassifier\(\) is a classifier"),
    ],
)
@boosters
def test_bad_options(kind, options, match):
    with pytest.raises(ValueError, match=match):
        kind(**options)


@pytest.mark.parametrize("options", [{"eta": 0.01}, {"eta": 1.5}, {"eta": "a"}])
def test_bad_options_of_the_span(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        GradientBoostingSpan(n=5, **options)


@boosters
def test_bad_examples_change_nothing(kind):
    X, y = stream()
    for weak in (None, LinearRegressor()):
        model = kind(weak=weak, n=2, range=(-1, 1)).fit(X, y)
        before = model.predict(X)
        for bad, match in [
            (lambda: model.learn_one({"a": math.inf}, 0.5), "inf"),  # noqa: B023
            (lambda: model.learn_one({"a": 1.0}, 1.5), "outside range"),  # noqa: B023
            (lambda: model.learn_one({"a": 1.0}, math.nan), "y = nan"),  # noqa: B023
            (lambda: model.learn_one({"a": 1.0}, 0.5, -1.0), "w = -1"),  # noqa: B023
            (lambda: model.learn_many(X, [*y[:-1], 7.0]), r"y\[149\] = 7"),  # noqa: B023
            (lambda: model.learn_many(X, y, -np.ones(150)), "weight"),  # noqa: B023
            (lambda: model.learn_many(X, y, np.ones(3)), "length"),  # noqa: B023
        ]:
            with pytest.raises(ValueError, match=match):
                bad()
        assert (model.predict(X) == before).all()
        assert model.examples_ == 150
    with pytest.raises(ValueError, match="use -1 and 1"):
        kind(loss="logistic").learn_one({"a": 1.0}, 0.5)
    with pytest.raises(ValueError, match="beyond"):
        kind().learn_one({"a": 1.0}, 1e200)
    assert not hasattr(kind(), "weights_")
    assert not hasattr(kind(), "intercept_")


class Says:
    """A weak learner that predicts what it is told to."""

    def __init__(self, what):
        self.what = what

    def __repr__(self):
        return f"Says({self.what!r})"

    def predict_one(self, x):
        return self.what

    def learn_one(self, x, y):
        pass


@pytest.mark.parametrize(
    ("weak", "error", "match"),
    [
        (Says(math.nan), ValueError, "weak learner 0, a Says, predicts nan"),
        (Says(-math.inf), ValueError, "predicts -inf"),
        (Says("yes"), ValueError, "weak learner 0, a Says, predicts 'yes', a str"),
        (Says(None), ValueError, "predicts None"),
        (Says(True), ValueError, "a bool"),
    ],
)
@boosters
def test_bad_weak_learners_are_named(kind, weak, error, match):
    model = kind(weak=weak, n=2)
    with pytest.raises(error, match=match):
        model.learn_one({"a": 1.0}, 1.0)
    if isinstance(weak, Says):
        assert model.examples_ == 0
        assert model._model.stages.state()[0] == 0  # no round was counted


def test_scikit_learn_takes_vectors():
    model = GradientBoostingHull(weak=SGDRegressor(), n=2)
    with pytest.raises(ValueError, match="takes vectors"):
        model.learn_one({"a": 1.0}, 1.0)
    model.learn_one([1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match="of 2 numbers"):
        model.learn_one({5: 1.0}, 1.0)
