"""Passive-aggressive learners.

Shalev-Shwartz and Singer (2007), section 5.2; Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
(2006).
"""

from typing import Any

from regretless import _core
from regretless.base.arguments import not_negative, one_of, positive
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.losses import EpsilonInsensitive, Hinge, Loss

_MODES = {
    "exact": _core.PassiveAggressiveMode.exact,
    "I": _core.PassiveAggressiveMode.first,
    "II": _core.PassiveAggressiveMode.second,
}


class _Passive(HasWeights):
    """A learner whose steps correct the current example, up to a bound."""

    C: float = option(
        positive,
        default=1.0,
        hint="; mode='exact' has no bound",
        text='the largest step of "I"; the importance weight of an example multiplies it',
    )
    mode: str = option(one_of, _MODES, default="I", text="how the step is bounded")

    def _steps(self) -> tuple[str, dict[str, Any]]:
        return "passive_aggressive", {"mode": _MODES[self.mode], "aggressiveness": float(self.C)}


class PassiveAggressive(_Passive, Classifier):
    """A passive-aggressive classifier makes the smallest change that corrects the current example.

        l = max(0, margin - y <w, x>),   w <- w + tau y x
        tau = l / ||x||^2   ("exact"),   min(C, l / ||x||^2)   ("I"),   l / (||x||^2 + 1 / (2C))   ("II")

    Each step of "I" maximises the dual of the batch problem over its own variable, hence with
    `||x_t|| <= 1` and every u: `sum_t mu(l_t) <= sum_t l_t(u) + ||u||^2 / (2C)` with
    `mu(l) = min(l, C) (l - min(l, C) / 2) / C` (Shalev-Shwartz and Singer (2007), Theorem 3). The
    constant feature of the intercept counts in `||x||^2`.

    >>> model = PassiveAggressive(mode="exact", intercept=False)
    >>> model.learn_one({"a": 3.0, "b": 4.0}, True)
    >>> model.learn_one({"a": 1.0}, False)
    >>> model.decision_one({"a": 1.0})
    -1.0
    """

    margin: float = option(positive, default=1.0, text="margin of the hinge loss")

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Hinge(self.margin), *self._steps()


class PassiveAggressiveRegressor(_Passive, Regressor):
    """A passive-aggressive regressor makes the smallest change that brings the error within epsilon.

    It is `PassiveAggressive` with the loss `max(0, |<w, x> - y| - epsilon)`.

    >>> model = PassiveAggressiveRegressor(mode="exact", epsilon=0.5, intercept=False)
    >>> model.learn_one({"a": 2.0}, 10.0)
    >>> model.predict_one({"a": 2.0})
    9.5
    """

    epsilon: float = option(not_negative, default=0.1, text="largest error without a loss")

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return EpsilonInsensitive(self.epsilon), *self._steps()
