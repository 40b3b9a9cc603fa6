"""From the name of a learner and its options to the learner itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from regretless.linear.learner import LinearLearner
    from regretless.rows import Form

__all__ = ["Learner", "LearnerOptions", "LossName", "loss_name"]


class Learner(StrEnum):
    """The update rules, and the algorithms that have a rule and a loss of their own."""

    COIN = "coin"
    ADAGRAD = "adagrad"
    OGD = "ogd"
    FTRL = "ftrl"
    EG = "eg"
    PNORM = "pnorm"
    PERCEPTRON = "perceptron"
    PA = "pa"
    PRIMAL_DUAL = "primal-dual"


class LossName(StrEnum):
    """The losses; the last four are for regression."""

    LOGISTIC = "logistic"
    HINGE = "hinge"
    SQUARED_HINGE = "squared_hinge"
    EXPONENTIAL = "exponential"
    SQUARED = "squared"
    ABSOLUTE = "absolute"
    QUANTILE = "quantile"
    EPSILON_INSENSITIVE = "epsilon_insensitive"


_OWN_LOSS = ("perceptron", "pa", "primal-dual")


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """All that a learner is made of, besides its task, which the labels may tell."""

    learner: str = "coin"
    loss: str | None = None
    rate: float | None = None
    l1: float = 0.0
    l2: float = 0.0
    bits: int = 18
    exact: bool = False
    names: int = 100_000
    intercept: bool = True
    certify: float | None = None
    seed: int = 0

    def form(self) -> Form:
        """How the learner wants its examples, whatever its task."""
        from regretless.linear import LinearClassifier

        return LinearClassifier(**self._shared())._form()

    def is_regression(self, labels: NDArray[Any]) -> bool:
        """What the loss says; without one, whether the labels are numbers that are not all whole."""
        from regretless import losses

        if self.loss is not None:
            return not losses.get(self.loss).classification
        return labels.dtype.kind == "f" and bool((labels % 1 != 0).any())

    def of(self, learner: str) -> LearnerOptions:
        """The same for another learner, with the same loss unless it has one of its own."""
        return replace(self, learner=learner, loss=None if learner in _OWN_LOSS else self.loss)

    def make(self, regression: bool) -> LinearLearner:
        """The learner, or `ValueError` if its options do not fit."""
        from regretless import linear

        if self.learner in _OWN_LOSS:
            return self._with_its_own_loss(regression)
        learner = linear.LinearRegressor if regression else linear.LinearClassifier
        return learner(
            loss=self.loss or ("squared" if regression else "logistic"),
            rule=self.learner,
            rate=self.rate,
            l1=self.l1,
            l2=self.l2,
            **self._shared(),
        )

    def _with_its_own_loss(self, regression: bool) -> LinearLearner:
        from regretless import linear

        if self.learner != "pa" and regression:
            raise ValueError(
                f"the labels are numbers that are not all whole, and {self.learner} only classifies; "
                "use --learner pa or coin"
            )
        own = "epsilon_insensitive" if regression else "hinge"
        if self.loss not in (None, own):
            raise ValueError(
                f"--learner {self.learner} has a loss of its own, a {own.replace('_', '-')} loss; "
                f"leave out --loss {self.loss}"
            )
        if self.l1 or self.l2:
            raise ValueError(f"--learner {self.learner} takes no penalty; leave out --l1 and --l2")
        rate = 1.0 if self.rate is None else self.rate
        if self.learner == "perceptron":
            return linear.Perceptron(rate=rate, **self._shared())
        if self.learner == "primal-dual":
            shared = self._shared()
            del shared["certify"]  # it always does
            return linear.PrimalDual(C=rate, **shared)
        if regression:
            return linear.PassiveAggressiveRegressor(C=rate, **self._shared())
        return linear.PassiveAggressive(C=rate, **self._shared())

    def _shared(self) -> dict[str, Any]:
        return {
            "intercept": self.intercept,
            "features": "exact" if self.exact else "hashed",
            "bits": self.bits,
            "names": self.names,
            "certify": self.certify is not None,
            "seed": self.seed,
        }


def loss_name(model: LinearLearner) -> str:
    """What the learner's loss is called."""
    return model._parts()[0].name
