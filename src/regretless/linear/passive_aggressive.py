"""Passive-aggressive learners.

Shalev-Shwartz and Singer (2007), section 5.2; Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
(2006).
"""

from typing import Any

from regretless import _core
from regretless.base.arguments import one_of, positive
from regretless.base.classifier import Classifier
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.losses import EpsilonInsensitive, Hinge, Loss

_MODES = {
    "exact": _core.PassiveAggressiveMode.exact,
    "I": _core.PassiveAggressiveMode.first,
    "II": _core.PassiveAggressiveMode.second,
}


def _options(C: float, mode: str) -> tuple[str, dict[str, Any]]:
    one_of(mode, "mode", _MODES)
    C = positive(C, "C", "; mode='exact' has no bound")
    return "passive_aggressive", {"mode": _MODES[mode], "aggressiveness": C}


class PassiveAggressive(HasWeights, Classifier):
    """Passive-aggressive classifier: the smallest change that mends the current example.

        l = max(0, margin - y <w, x>),   w <- w + tau y x
        tau = l / ||x||^2   ("exact"),   min(C, l / ||x||^2)   ("I"),   l / (||x||^2 + 1 / (2C))   ("II")

    Each step of "I" maximises the dual of the batch problem over its own variable, hence with
    `||x_t|| <= 1` and every u: `sum_t mu(l_t) <= sum_t l_t(u) + ||u||^2 / (2C)` with
    `mu(l) = min(l, C) (l - min(l, C) / 2) / C` (Shalev-Shwartz and Singer (2007), Theorem 3). The
    constant feature of the intercept counts in `||x||^2`.

    Parameters
    ----------
    C : > 0, the largest step of "I"; the importance weight of an example multiplies it.
    mode : "exact", "I" or "II".
    margin : > 0, of the hinge loss.

    The others are those of `LinearClassifier`.

    >>> model = PassiveAggressive(mode="exact", intercept=False)
    >>> model.learn_one({"a": 3.0, "b": 4.0}, True)
    >>> model.learn_one({"a": 1.0}, False)
    >>> model.decision_one({"a": 1.0})
    -1.0
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        mode: str = "I",
        margin: float = 1.0,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.C = C
        self.mode = mode
        self.margin = margin
        self._share(intercept, features, bits, names, certify=certify, seed=seed)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Hinge(self.margin), *_options(self.C, self.mode)


class PassiveAggressiveRegressor(HasWeights, Regressor):
    """Passive-aggressive regressor: the smallest change that brings the prediction within epsilon.

    As `PassiveAggressive` with the loss `max(0, |<w, x> - y| - epsilon)`.

    Parameters
    ----------
    epsilon : >= 0, the error that is not a loss.

    The others are those of `PassiveAggressive`.

    >>> model = PassiveAggressiveRegressor(mode="exact", epsilon=0.5, intercept=False)
    >>> model.learn_one({"a": 2.0}, 10.0)
    >>> model.predict_one({"a": 2.0})
    9.5
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        mode: str = "I",
        epsilon: float = 0.1,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.C = C
        self.mode = mode
        self.epsilon = epsilon
        self._share(intercept, features, bits, names, certify=certify, seed=seed)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return EpsilonInsensitive(self.epsilon), *_options(self.C, self.mode)
