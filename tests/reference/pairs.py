"""Every rule with its options, and the oracle that says what it should do."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference import adagrad, coin, dual, ftrl, ogd, passive_aggressive, perceptron, svm
from reference.losses import CLASSIFICATION, REGRESSION
from regretless import linear, losses, rates, rules

__all__ = ["EXACT", "LOSSES", "PAIRS", "Pair", "pnorm"]

LOSSES = {
    "logistic": losses.Logistic(),
    "hinge": losses.Hinge(),
    "squared_hinge": losses.SquaredHinge(),
    "exponential": losses.Exponential(),
    "perceptron": losses.Perceptron(),
    "squared": losses.Squared(),
    "absolute": losses.Absolute(),
    "quantile": losses.Quantile(0.25),
    "epsilon_insensitive": losses.EpsilonInsensitive(0.5),
}
# (the library's schedule, the same by hand)
RATES = {
    "constant": (0.0625, lambda t: 0.0625),
    "sqrt": (rates.InverseSqrt(0.25), lambda t: 0.25 / math.sqrt(t)),
    "inverse": (rates.Inverse(0.5), lambda t: 0.5 / t),
}


@dataclass(frozen=True)
class Pair:
    """A learner and its oracle.

    `tolerance` bounds the relative error of a weight that single precision may cause: each round
    rounds what is stored once or twice, at 2^-24 = 6e-8 of it, and over a few hundred rounds these
    errors neither all have the same sign nor all stay: 1e-5. The link of the p-norm magnifies them.
    """

    name: str
    make: Callable[..., Any]  # (loss name, **options) -> learner
    oracle: Callable[..., Any]  # (dimension, loss by hand) -> oracle
    losses: tuple[str, ...] = tuple(LOSSES)
    tolerance: float = 1e-5

    def __str__(self):
        return self.name

    def learner(self, loss, **options):
        """The learner; a classifier knows its labels -1 and +1 from the start."""
        learner = self.make(loss, **options)
        if loss in CLASSIFICATION:
            learner.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
        return learner

    def reference(self, loss, dimension):
        return self.oracle(dimension, {**CLASSIFICATION, **REGRESSION}[loss])


def _linear(rule, **penalty):
    def make(loss, **options):
        kind = linear.LinearClassifier if loss in CLASSIFICATION else linear.LinearRegressor
        return kind(loss=LOSSES[loss], rule=rule, **penalty, **options)

    return make


def _ogd():
    penalties = [{}, {"l1": 0.01}, {"l2": 0.02}, {"l1": 0.01, "l2": 0.02}]
    boxes = [{"radius": 0.5}, {"radius": 0.5, "l2": 0.02}]
    for kind, oracle in (
        ("agile", ogd.OGD),
        ("lazy", ogd.LazyOGD),
        ("invariant", ogd.InvariantOGD),
    ):
        for schedule, (rate, by_hand) in RATES.items():
            for options in penalties + boxes if kind != "invariant" else penalties[:2] + boxes[:1]:
                radius = options.get("radius")
                penalty = {k: v for k, v in options.items() if k != "radius"}
                rule = rules.OGD(
                    rate, radius=radius, lazy=kind == "lazy", invariant=kind == "invariant"
                )
                yield Pair(
                    "-".join(["ogd", kind, schedule, *(f"{k}={v}" for k, v in options.items())]),
                    _linear(rule, **penalty),
                    lambda d, loss, oracle=oracle, by_hand=by_hand, options=options: oracle(
                        d, loss, by_hand, **options
                    ),
                )


def _adaptive():
    for l1, l2 in ((0.0, 0.0), (0.01, 0.0), (0.0, 0.02), (0.01, 0.02)):
        ending = f"-l1={l1}-l2={l2}" if l1 or l2 else ""
        for flow in (False, True):
            yield Pair(
                "adagrad" + "-invariant" * flow + ending,
                _linear(rules.AdaGrad(0.25, invariant=flow), l1=l1, l2=l2),
                lambda d, loss, l1=l1, l2=l2, flow=flow: adagrad.AdaGrad(
                    d, loss, 0.25, l1, l2, flow
                ),
            )
        for beta in (0.0, 1.0):
            yield Pair(
                f"ftrl-beta={beta}{ending}",
                _linear(rules.FTRL(0.25, beta), l1=l1, l2=l2),
                lambda d, loss, l1=l1, l2=l2, beta=beta: ftrl.FTRL(d, loss, 0.25, beta, l1, l2),
            )
    for flow in (False, True):
        yield Pair(
            "adagrad" + "-invariant" * flow + "-scale_invariant",
            _linear(rules.AdaGrad(0.25, scale_invariant=True, invariant=flow)),
            lambda d, loss, flow=flow: adagrad.ScaleInvariantAdaGrad(d, loss, 0.25, flow),
        )
    for wealth in (1.0, 8.0):
        yield Pair(
            f"coin-{wealth}",
            _linear(rules.Coin(wealth)),
            lambda d, loss, wealth=wealth: coin.Coin(
                d, loss, wealth, classification=loss.name in CLASSIFICATION
            ),
        )


def pnorm(p, schedule="constant"):
    # the link stretches steps and rounding errors up to p - 1 times
    rate, by_hand = RATES[schedule] if schedule != "constant" else (0.25 / p, lambda t: 0.25 / p)
    return Pair(
        f"pnorm-{p}-{schedule}",
        _linear(rules.PNorm(p, rate)),
        lambda d, loss: dual.PNorm(d, loss, by_hand, p),
        tolerance=1e-5 * max(1.0, p / 10),
    )


def _dual():
    for schedule in RATES:
        yield pnorm(3.0, schedule)
    yield pnorm(2.0)
    yield pnorm(20.0)
    for rate in (None, 0.125):
        yield Pair(
            f"eg-{rate}",
            _linear(rules.EG(4.0, rate)),
            lambda d, loss, rate=rate: dual.EG(d, loss, 4.0, rate),
        )


def _named():
    def aggressive(loss, **options):
        if loss == "hinge":
            return linear.PassiveAggressive(**options)
        return linear.PassiveAggressiveRegressor(epsilon=0.5, **options)

    for mode in ("exact", "I", "II"):
        for C in (0.25, 2.0):
            yield Pair(
                f"passive_aggressive-{mode}-{C}",
                lambda loss, C=C, mode=mode, **options: aggressive(loss, C=C, mode=mode, **options),
                lambda d, loss, C=C, mode=mode: passive_aggressive.PassiveAggressive(
                    d, loss, C, mode
                ),
                losses=("hinge", "epsilon_insensitive"),
            )
    for rate in (1.0, 0.25):
        yield Pair(
            f"perceptron-{rate}",
            lambda loss, rate=rate, **options: linear.Perceptron(rate=rate, **options),
            lambda d, loss, rate=rate: perceptron.Perceptron(d, loss, rate),
            losses=("perceptron",),
        )
    for average in ("survival", "uniform"):
        yield Pair(
            f"perceptron-{average}",
            lambda loss, average=average, **options: linear.Perceptron(
                rate=0.25, average=average, **options
            ),
            lambda d, loss, average=average: perceptron.AveragedPerceptron(d, loss, 0.25, average),
            losses=("perceptron",),
        )
    for margin in (0.125, 1.0):
        yield Pair(
            f"margin_perceptron-{margin}",
            lambda loss, margin=margin, **options: linear.MarginPerceptron(
                margin=margin, **options
            ),
            lambda d, loss, margin=margin: perceptron.MarginPerceptron(d, loss, margin),
            losses=("perceptron",),
        )
    for p in (2.0, 3.0, 10.0):
        yield Pair(
            f"pnorm_perceptron-{p}",
            lambda loss, p=p, **options: linear.PNormPerceptron(p=p, **options),
            lambda d, loss, p=p: dual.PNorm(d, loss, lambda t: 1.0, p),
            losses=("perceptron",),
            tolerance=1e-5 * max(1.0, p / 10),
        )
    yield Pair(
        "balanced_winnow",
        lambda loss, **options: linear.BalancedWinnow(radius=4.0, rate=0.125, **options),
        lambda d, loss: dual.EG(d, loss, 4.0, 0.125),
        losses=("perceptron",),
    )
    for schedule, (rate, by_hand) in RATES.items():
        for ball in (False, True):
            yield Pair(
                f"svm-{schedule}" + "-ball" * ball,
                lambda loss, rate=rate, ball=ball, **options: linear.OnlineSVM(
                    C=4.0, rate=rate, projection=ball, at_kink="shrink", **options
                ),
                lambda d, loss, by_hand=by_hand, ball=ball: svm.OnlineSVM(
                    d, loss, 4.0, by_hand, ball, "shrink"
                ),
                losses=("hinge",),
            )


PAIRS = {pair.name: pair for pair in (*_ogd(), *_adaptive(), *_dual(), *_named())}
# Those that compute exactly on a grid: sums of multiples of 2^-k, nothing to round.
EXACT = (
    "ogd-agile-constant",
    "ogd-lazy-constant",
    "perceptron-1.0",
    "perceptron-0.25",
    "margin_perceptron-0.125",
    "margin_perceptron-1.0",
)
