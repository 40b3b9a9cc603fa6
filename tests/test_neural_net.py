"""The two-layer network: against its oracle, gradients against differences, on odd input."""

import math
import pickle

import numpy as np
import pytest
from reference import gradient_boosting as by_hand
from reference.streams import single
from scipy.sparse import csr_array

from regretless.boosting import NeuralNet


def stream(T=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = single(rng.normal(size=(T, d)) * 10.0 ** np.arange(-2, d - 2) * (rng.random((T, d)) < 0.7))
    X[0], X[3] = 1.0, 0.0  # features appear in their order
    y = np.tanh(np.sign(X[:, 0]) * np.sign(X[:, 1]) + 0.1 * rng.normal(size=T))
    return X, single(y), rng.choice([0.5, 1.0, 2.0], T)


@pytest.mark.parametrize("bound", [0.3, 1.0])
@pytest.mark.parametrize(("numeric", "tolerance"), [(False, 1e-9), (True, 1e-6)])
def test_is_the_oracle(bound, numeric, tolerance):
    """By formulas to rounding, and by central differences to the error of those: 1e-10 a step, of
    which there are 200, and AdaGrad divides what is small by what is small."""
    X, y, h = stream()
    model = NeuralNet(hidden=4, bound=bound, seed=7)
    oracle = by_hand.NeuralNet(5, 4, bound, seed=7, numeric=numeric)
    cut = 0
    for x, target, w in zip(X, y, h):
        p = model.predict_one({f: v for f, v in enumerate(x.tolist()) if v})
        assert p == pytest.approx(oracle.predict(x), abs=tolerance)
        cut += abs(p) == bound
        model.learn_one(x, target, w)
        oracle.learn_task(x, lambda v: 2 * (v - target), w)  # noqa: B023
    assert (cut > 0) == (bound < 1)


def test_slopes():
    X, y, _ = stream(seed=1)
    model, oracle = NeuralNet(hidden=3), by_hand.NeuralNet(5, 3)
    for x, slope in zip(X, y):
        assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=1e-9)
        model.learn_slope(x, slope)
        oracle.learn(x, slope)
    assert np.abs(model.predict(X)).max() <= 1.0


def test_learns_what_no_line_can():
    X = np.sign(np.random.default_rng(0).normal(size=(4000, 4)))
    y = X[:, 0] * X[:, 1]
    model = NeuralNet()
    errors = [(model.step(x, t) - t) ** 2 for x, t in zip(X, y)]
    assert np.mean(errors[2000:]) < 0.5 * np.var(y)  # a linear model does no better than the mean


def test_seed_decides_and_nothing_else():
    X, y, h = stream()
    fitted = [NeuralNet(seed=s).fit(X, y, h).predict(X) for s in (0, 0, 1)]
    assert (fitted[0] == fitted[1]).all()
    assert (fitted[0] != fitted[2]).any()


def test_rows_batches_files_and_pickles(tmp_path):
    X, y, h = stream()
    one = NeuralNet(hidden=6)
    for x, target, w in zip(X, y, h):
        one.learn_one({i: v for i, v in enumerate(x.tolist()) if v}, target, w)
    many = NeuralNet(hidden=6)
    many.learn_many(csr_array(X[:99]), y[:99], h[:99])
    many.save(tmp_path / "net")
    many = pickle.loads(pickle.dumps(NeuralNet.load(tmp_path / "net")))
    many.learn_many(X[99:], y[99:], h[99:])
    assert (many.predict(X) == one.predict(X)).all()


def test_targets_and_features_of_any_size():
    X, y, _ = stream()
    # powers of two round nothing, and 1e6 is bound to be reached
    assert (
        NeuralNet().fit(X * 2.0**20, y).predict(X * 2.0**20) == NeuralNet().fit(X, y).predict(X)
    ).all()
    assert 1e5 < np.abs(NeuralNet().fit(X, 1e6 * y).predict(X)).max() <= 1e6


def test_bad_input_changes_nothing():
    X, y, _ = stream()
    model = NeuralNet().fit(X, y)
    before = model.predict(X)
    for bad, match in [
        (lambda: model.learn_one({"a": math.inf}, 1.0), "inf"),
        (lambda: model.learn_one({"a": 1.0}, math.nan), "y = nan"),
        (lambda: model.learn_slope({"a": 1.0}, math.inf), "slope = inf"),
        (lambda: NeuralNet(hidden=0).predict_one({}), "hidden=0"),
        (lambda: NeuralNet(hidden=2.5).predict_one({}), r"hidden=2\.5"),
        (lambda: NeuralNet(rate=-1).predict_one({}), "rate=-1"),
    ]:
        with pytest.raises(ValueError, match=match):
            bad()
    assert (model.predict(X) == before).all()
    assert NeuralNet().predict_one({"a": 3.0}) == 0.0
