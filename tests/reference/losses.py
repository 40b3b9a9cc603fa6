"""The losses by hand: value, derivative, Lipschitz constant, and how far the gradient flow leads."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

__all__ = ["CLASSIFICATION", "REGRESSION", "Loss", "hinge"]


@dataclass(frozen=True)
class Loss:
    """`flow(s, y, way)` is the change of the score on `ds/dh = -l'(s)` from h = 0 to h = `way`."""

    name: str
    value: Callable[[float, float], float]
    derivative: Callable[[float, float], float]
    flow: Callable[[float, float, float], float]
    lipschitz: float = math.inf


def _sign(a):
    return math.copysign(1.0, a) if a else 0.0


def _logistic_value(s, y):
    return max(0.0, -y * s) + math.log1p(math.exp(-abs(s)))


def _logistic_derivative(s, y):
    return -y / (1.0 + math.exp(y * s)) if y * s < 700 else 0.0


def _logistic_flow(s, y, way):
    # with m = y s, the sum m + e^m grows at unit speed
    if way == 0.0:
        return 0.0
    e = math.exp(y * s)
    most = min(way, math.log1p(way / e))  # as neither term is negative
    return y * brentq(lambda d: d + e * math.expm1(d) - way, 0.0, most, xtol=1e-14)


def hinge(margin=1.0):
    return Loss(
        "hinge",
        lambda s, y: max(0.0, margin - y * s),
        lambda s, y: -y if y * s < margin else 0.0,
        lambda s, y, way: y * min(way, max(0.0, margin - y * s)),
        1.0,
    )


def squared_hinge(margin=1.0):
    return Loss(
        "squared_hinge",
        lambda s, y: max(0.0, margin - y * s) ** 2,
        lambda s, y: -2.0 * y * max(0.0, margin - y * s),
        lambda s, y, way: -y * max(0.0, margin - y * s) * math.expm1(-2.0 * way),
    )


def quantile(tau):
    return Loss(
        "quantile",
        lambda s, y: max(tau * (y - s), (tau - 1) * (y - s)),
        lambda s, y: -tau if s < y else 1 - tau if s > y else 0.0,
        lambda s, y, way: min(y - s, tau * way) if s < y else max(y - s, (tau - 1) * way),
        max(tau, 1 - tau),
    )


def epsilon_insensitive(epsilon, name="epsilon_insensitive"):
    return Loss(
        name,
        lambda s, y: max(0.0, abs(s - y) - epsilon),
        lambda s, y: _sign(s - y) if abs(s - y) > epsilon else 0.0,
        lambda s, y, way: _sign(y - s) * min(way, max(0.0, abs(s - y) - epsilon)),
        1.0,
    )


def power(p):
    """The flow of |e|, e = s - y: its power 2 - p grows by p (p - 2) a unit."""

    def flow(s, y, way):
        e = abs(s - y)
        left = e and (e ** (2.0 - p) + p * (p - 2.0) * way) ** (1.0 / (2.0 - p))
        return _sign(y - s) * (e - left)

    return Loss(
        "power",
        lambda s, y: abs(s - y) ** p,
        lambda s, y: p * _sign(s - y) * abs(s - y) ** (p - 1.0),
        flow,
    )


CLASSIFICATION = {
    "logistic": Loss("logistic", _logistic_value, _logistic_derivative, _logistic_flow, 1.0),
    "hinge": hinge(),
    "squared_hinge": squared_hinge(),
    "exponential": Loss(
        "exponential",
        lambda s, y: math.exp(-y * s),
        lambda s, y: -y * math.exp(-y * s),
        lambda s, y, way: y * math.log1p(way * math.exp(-y * s)),
    ),
    "perceptron": Loss(
        "perceptron",
        lambda s, y: 1.0 - y * s if y * s <= 0 else 0.0,
        lambda s, y: -y if y * s <= 0 else 0.0,
        lambda s, y, way: y * way if y * s <= 0 else 0.0,
        1.0,
    ),
}
REGRESSION = {
    "squared": Loss(
        "squared",
        lambda s, y: (s - y) ** 2,
        lambda s, y: 2.0 * (s - y),
        lambda s, y, way: (s - y) * math.expm1(-2.0 * way),
    ),
    "absolute": epsilon_insensitive(0.0, "absolute"),
    "quantile": quantile(0.25),
    "epsilon_insensitive": epsilon_insensitive(0.5),
}
