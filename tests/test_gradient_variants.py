"""Variants of gradient boosting, and learners of others as weak learners."""

import math

import numpy as np
import pytest
from reference import gradient_boosting as by_hand
from reference.streams import single
from reference.weak import stream
from river.linear_model import LinearRegression
from river.optim import SGD
from river.tree import HoeffdingTreeRegressor
from sklearn.linear_model import SGDRegressor

from regretless.boosting import (
    BothSigns,
    GradientBoostingHull,
    GradientBoostingSpan,
    NeuralNet,
    Stump,
)
from regretless.boosting.copies import WeakCopy
from regretless.linear import LinearRegressor
from regretless.losses import Power

boosters = pytest.mark.parametrize("kind", [GradientBoostingHull, GradientBoostingSpan])


def test_both_signs_negates_what_cannot_be_negated():
    """A class that knows only 0 and x: with its negation -x is reached."""

    class Positive:
        def __init__(self):
            self.total = 0.0

        def clone(self):
            return Positive()

        def predict_one(self, x):
            return x["a"] if self.total < 0 else 0.0

        def learn_slope(self, x, slope, w):
            self.total += w * slope * x["a"]

        def learn_one(self, x, y):
            raise AssertionError

    rng = np.random.default_rng(0)
    plain, both = [
        GradientBoostingHull(weak=Positive(), n=5, range=(-1, 1), negate=k) for k in (0, 1)
    ]
    for _ in range(500):
        a = float(single(rng.uniform(-1, 1)))
        plain.learn_one({"a": a}, -0.8 * a)
        both.learn_one({"a": a}, -0.8 * a)
    assert plain.predict_one({"a": 1.0}) == 0.0
    assert both.predict_one({"a": 1.0}) < -0.6
    assert repr(BothSigns(Stump())) == "BothSigns(Stump())"


def test_both_signs_is_the_mean_by_hedge():
    X, y = stream(T=60)
    model = BothSigns(Stump())
    sides, losses_ = [by_hand.Stump(5), by_hand.Stump(5)], np.zeros(2)
    for t, (x, slope) in enumerate(zip(X, y), 1):
        row = dict(enumerate(x.tolist()))
        p, q = sides[0].predict(x), -sides[1].predict(x)
        # Hedge with losses mapped to [0, 1] and its anytime rate sqrt(8 ln N / t)
        w = np.exp(-math.sqrt(8 * math.log(2) / t) * losses_ / 2)
        assert model.predict_one(row) == pytest.approx((w @ [p, q]) / w.sum(), abs=1e-9)
        losses_ += slope * np.array([p, q])
        model.learn_slope(row, slope)
        sides[0].learn(x, slope)
        sides[1].learn(x, -slope)


@pytest.mark.parametrize(
    "weak",
    [
        LinearRegressor(rule="ogd", rate=0.05),
        LinearRegressor(),
        LinearRegression(),
        HoeffdingTreeRegressor(grace_period=20),
        SGDRegressor(),
        NeuralNet(hidden=4),
    ],
    ids=lambda w: type(w).__module__.partition(".")[0] + "-" + type(w).__name__,
)
@boosters
@pytest.mark.parametrize("feed", ["gradient", "residual"])
def test_any_regressor_can_be_boosted(kind, weak, feed):
    T = 60 if isinstance(weak, SGDRegressor) else 400  # whose calls take a millisecond
    X, y = stream(T=T)
    model = kind(weak=weak, n=4, feed=feed)
    predicted = np.array([model.step(x, target) for x, target in zip(X, y)])
    late = slice(T // 2, T)
    assert np.mean((predicted[late] - y[late]) ** 2) < np.mean(y[late] ** 2)  # better than 0
    again = kind(weak=weak, n=4, feed=feed)
    again.learn_many(X, y)
    assert (again.predict(X) == model.predict(X)).all()
    assert getattr(weak, "examples_", 0) == 0  # the one that was given has learned nothing


@boosters
def test_residuals_of_a_loss_whose_curvature_has_no_bound(kind):
    """Of |y - v|^3 the curvature is bounded where predictions are, and that is what counts."""
    X, y = stream(T=400)
    for weak in (LinearRegression(), None):
        model = kind(weak=weak, n=4, feed="residual", loss=Power(3.0))
        predicted = np.array([model.step(x, target) for x, target in zip(X, y)])
        assert np.mean(np.abs(predicted[200:] - y[200:]) ** 3) < np.mean(np.abs(y[200:]) ** 3)


def test_gradient_learners_are_told_exactly_the_slope():
    """Of the target v - slope / 2 the squared loss has the slope `slope` at v."""
    X, y = stream(T=200)
    copied = WeakCopy(LinearRegression(optimizer=SGD(0.01), intercept_lr=0.0), "it")
    w = np.zeros(5)
    for x, slope in zip(X, y):
        row = dict(enumerate(x.tolist()))
        v = copied.predict(row)
        assert v == pytest.approx(w @ x, abs=1e-12)
        copied.learn_slope(row, v, slope, 1.0)
        w -= 0.01 * slope * x
    assert np.abs(w).max() > 0.1
