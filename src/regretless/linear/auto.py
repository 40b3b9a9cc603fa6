"""Auto: a grid of learners in one pass, mixed as they prove themselves (survey B, thesis 2.13)."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from regretless import _core, losses
from regretless.arguments import number
from regretless.certificates import RegretCertificate
from regretless.linear.classifying import Classifying
from regretless.linear.learner import LinearLearner
from regretless.linear.regressing import Regressing
from regretless.losses import Loss

__all__ = ["Auto", "AutoClassifier", "AutoRegressor", "Lane"]

_RATE, _EXCESS, _REACH, _LARGEST, _LOSS = range(5)  # as of MixingView in the core


@dataclass(frozen=True)
class Lane:
    """A way to learn that `Auto` tries.

    `rule` is "adagrad" or "coin", or "blend" for that which combines the others; `rate` is the learning
    rate, or a coin's wealth. `loss` so far, the mean over the examples, and `weight` in the mixture.
    """

    rule: str
    rate: float = math.nan
    scale_invariant: bool = True
    l2: float = 0.0
    loss: float = math.nan
    weight: float = math.nan


GRID = [
    *(Lane("adagrad", rate) for rate in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)),
    *(Lane("adagrad", rate, scale_invariant=False) for rate in (0.03, 0.1, 0.3, 1.0)),
    Lane("adagrad", 1.0, l2=1e-4),
    Lane("adagrad", 0.3, scale_invariant=False, l2=1e-5),
    *(Lane("coin", wealth) for wealth in (1.0, 4.0, 16.0, 64.0)),
]


class Auto(LinearLearner):
    """A learner with nothing to choose."""

    loss: str | Loss
    drift: float
    certify = False

    def __new__(cls, *, loss: str | Loss | None = None, **options: Any) -> "Self":
        """A classifier, or a regressor if the loss is one for regression."""
        if cls is Auto:
            kind = AutoClassifier if losses.get(loss or "logistic").classification else AutoRegressor
            return object.__new__(kind)  # type: ignore[return-value]
        return object.__new__(cls)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss = losses.get(self.loss)
        candidates = [
            (lane.rule == "coin", lane.rate, float(lane.scale_invariant), lane.l2) for lane in GRID
        ]
        lipschitz = loss.lipschitz if loss.lipschitz < math.inf else 0.0
        return loss, "auto", {"candidates": candidates, "lipschitz": lipschitz, "share": self.drift}


class AutoClassifier(Auto, Classifying):
    def __init__(self, *, loss: str | Loss = "logistic", drift: float = 0.0, intercept: bool = True,
        features: str = "exact", bits: int = 18, names: int = 0, seed: int = 0) -> None:
        self.loss, self.drift, self.intercept, self.features, self.bits, self.names, self.seed = loss, drift, intercept, features, bits, names, seed
        self._reset()


class AutoRegressor(Auto, Regressing):
    def __init__(self, *, loss: str | Loss = "squared", drift: float = 0.0, intercept: bool = True,
        features: str = "exact", bits: int = 18, names: int = 0, seed: int = 0) -> None:
        self.loss, self.drift, self.intercept, self.features, self.bits, self.names, self.seed = loss, drift, intercept, features, bits, names, seed
        self._reset()
