"""The constants of the losses: derived on a grid."""

import math

import numpy as np
import pytest
from reference.weak import stream

from regretless import losses
from regretless.boosting import (
    GradientBoostingHull,
    GradientBoostingSpan,
)
from regretless.boosting.gradient_certificate import LINEAR, constants_of, power, reach

boosters = pytest.mark.parametrize("kind", [GradientBoostingHull, GradientBoostingSpan])


GRID = np.linspace(-1, 1, 41)
TABLE = {
    "linear": (LINEAR, lambda t, v: -t * v, (-1.0, 1.0)),
    "squared": (power(2.0), lambda t, v: (t - v) ** 2, GRID),
    "p=3": (power(3.0), lambda t, v: np.abs(t - v) ** 3, GRID),
    "p=2.5": (power(2.5), lambda t, v: np.abs(t - v) ** 2.5, GRID),
    "squared_hinge": (
        constants_of(losses.SquaredHinge()),
        lambda t, v: np.maximum(1 - t * v, 0) ** 2,
        (-1.0, 1.0),
    ),
    "logistic": (
        constants_of(losses.Logistic()),
        lambda t, v: np.logaddexp(0, -t * v),
        (-1.0, 1.0),
    ),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("b", [0.5, 1.0, 3.0])
def test_constants_are_what_the_loss_has(name, b):
    constants, value, targets = TABLE[name]
    v = np.linspace(-b, b, 2001)
    step = v[1] - v[0]
    slopes, bends, costs = [], [], []
    far = np.linspace(b, b + 4, 801)[1:]
    for t in targets:
        slope = np.diff(value(t, v)) / step
        slopes.append(np.abs(slope).max())
        bends.append(np.abs(np.diff(slope)).max() / step)
        for side in (-1, 1):
            costs.append(np.max((value(t, side * b) - value(t, side * far)) / (far - b)))
    # mean slopes over a step are below the largest by at most half a step times the curvature
    L, beta, eps = (f(b) for f in (constants.lipschitz, constants.smoothness, constants.projection))
    assert L - beta * step <= max(slopes) <= L + 1e-9
    assert beta * (1 - 3 * step) - 1e-6 <= max(bends) <= beta + 1e-6
    assert eps - 0.005 * (beta + 1e-9) - 1e-9 <= max(*costs, 0.0) <= eps + 1e-9


@pytest.mark.parametrize(("eta", "n"), [(0.1, 10), (0.1, 50), (0.5, 4), (0.02, 400), (1.0, 1)])
def test_reach_is_the_table_of_the_thesis(eta, n):
    for loss in (losses.Squared(), losses.SquaredHinge()):
        assert reach(constants_of(loss), eta, n) == 1.0
    assert reach(LINEAR, eta, n) == eta * n
    logistic = constants_of(losses.Logistic())
    B = reach(logistic, eta, n)
    assert 1.0 <= B <= max(1.0, min(eta * n, math.log(4 / eta)))
    # it is the infimum: there the condition holds, just below it does not
    holds = [eta * b * b / 4 >= 1 / (1 + math.exp(b)) for b in (B * (1 + 1e-9), B * (1 - 1e-9))]
    assert B in (1.0, eta * n) or holds == [True, False]


def test_scale_one_is_algorithm_9():
    X, y = stream()
    one, two = GradientBoostingSpan(n=5, scale=1.0), GradientBoostingSpan(n=5)
    assert [one.step(x, t) for x, t in zip(X, y)] == [two.step(x, t) for x, t in zip(X, y)]
