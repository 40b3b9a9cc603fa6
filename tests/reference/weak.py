"""A weak learner that the theorems speak of, and examples for it."""

import numpy as np

from reference import gradient_boosting as by_hand
from reference.streams import single
from regretless.losses import Power

__all__ = ["ROUNDING", "SMOOTH", "Finite", "stream"]

SMOOTH = ("squared", Power(3.0), "logistic", "squared_hinge")
ROUNDING = 1e-9  # a few hundred steps in doubles, by copies that learn from each other


class Finite:
    """The weak learner of the theorems in the manner of River; a row is what the functions say of it."""

    def __init__(self, functions, T):
        self.given = functions, T
        self.hedge = by_hand.HedgeOf(functions, T)

    def clone(self):
        return Finite(*self.given)

    def row(self, x):
        return np.array([x.get(j, 0.0) for j in range(self.given[0])])

    def predict_one(self, x):
        return self.hedge.predict(self.row(x))

    def learn_slope(self, x, slope, w):
        assert abs(slope) <= 1 + 1e-12
        assert w == 1.0
        self.hedge.learn(self.row(x), slope)

    def learn_one(self, x, y):
        raise AssertionError("slopes were to be learned")


def stream(T=150, d=5, seed=0, labels=False):
    rng = np.random.default_rng(seed)
    X = single(rng.uniform(-1, 1, (T, d)) * (rng.random((T, d)) < 0.7))  # no two features alike
    X[0] = single(rng.uniform(-1, 1, d))
    y = np.clip(X @ rng.normal(size=d) * 0.6 + 0.2 * rng.normal(size=T), -1, 1)
    y[0] = 1.0  # the largest comes first, so that the unit does not change
    return X, np.where(y > 0, 1.0, -1.0) if labels else single(y)
