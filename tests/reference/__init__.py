"""The update rules in plain NumPy, written from the texts for reading: what the core must agree with.

Everything is dense and in double precision. A constant feature of value 1 plays the intercept; a
feature of value 0 is absent.
"""

from reference.adagrad import AdaGrad, ScaleInvariantAdaGrad
from reference.coin import Coin
from reference.dual import EG, PNorm
from reference.ftrl import FTRL
from reference.losses import CLASSIFICATION, REGRESSION, Loss
from reference.ogd import OGD, InvariantOGD, LazyOGD
from reference.oracle import Oracle
from reference.passive_aggressive import PassiveAggressive
from reference.perceptron import Perceptron

__all__ = [
    "CLASSIFICATION",
    "EG",
    "FTRL",
    "OGD",
    "REGRESSION",
    "AdaGrad",
    "Coin",
    "InvariantOGD",
    "LazyOGD",
    "Loss",
    "Oracle",
    "PNorm",
    "PassiveAggressive",
    "Perceptron",
    "ScaleInvariantAdaGrad",
]
