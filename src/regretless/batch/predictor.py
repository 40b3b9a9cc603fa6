"""What a pass over examples has come to: a predictor, and what is proved of its risk."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import rows
from regretless.batch import bounds as theorems
from regretless.certificates import verdict

__all__ = ["Predictor"]


@dataclass(frozen=True)
class Predictor:
    """A predictor made by one pass of an online learner over independent examples.

    Attributes: `how` it was made; `examples` learned; `empirical`, the mean loss of predictions made
    before the example was learned; `bounds` on the risk, by name; `theorem`, where they are from;
    `assumptions` they need, each with whether it held (None: that cannot be told from the data);
    `delta`, the probability with which the bounds may fail; `loss`, the name of what is measured, and
    `loss_bound`, the largest value it is taken to have; `hypothesis`, who predicts; `learner`, as it
    was at the end of the pass; `mean_risk_bounds`, for "random" alone, on the mean risk of the
    hypotheses that one was drawn from: a single one may well have more.

    >>> from regretless import streams
    >>> from regretless.batch import online_to_batch
    >>> from regretless.linear import LinearClassifier
    >>> predictor = online_to_batch(LinearClassifier(), streams.bundled("phishing"), "validate")
    >>> predictor.holds, 0.1 < predictor.risk_bound < 0.35  # nobody can tell if examples are independent
    (None, True)
    """

    hypothesis: Any
    how: str
    examples: int
    empirical: float
    bounds: dict[str, float]
    theorem: str
    assumptions: dict[str, bool | None]
    delta: float
    loss: str
    loss_bound: float
    learner: Any
    mean_risk_bounds: dict[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        """False if an assumption was seen to fail, None if one cannot be told, else True."""
        return verdict(self.assumptions, 0.0, 0.0)

    @property
    def risk_bound(self) -> float:
        """The smallest of the bounds; infinite if there is none or an assumption failed."""
        return math.inf if self.holds is False else min(self.bounds.values(), default=math.inf)

    def excess_bound(self, regret: float) -> float:
        """How much more risk an average has than the best of a class, at most: `bounds.average_excess`.

        Parameters: `regret`, a bound on the learner's regret against the class in the loss measured:
        for linear models of norm at most B, `learner.certificate(norm=B).bound`.

        >>> from regretless import streams
        >>> from regretless.batch import online_to_batch
        >>> from regretless.linear import LinearClassifier
        >>> pages = streams.bundled("phishing")
        >>> predictor = online_to_batch(LinearClassifier(), pages, loss_bound=6.0)
        >>> regret = predictor.learner.certificate(norm=3).bound
        >>> round(regret / predictor.examples, 2), round(predictor.excess_bound(regret), 2)
        (0.07, 0.53)
        """
        if self.how != "average":
            raise ValueError(f"how={self.how!r}: only an average is bounded by the regret")
        if self.holds is False:
            return math.inf
        found = theorems.average_excess(regret, self.examples, self.delta, self.loss_bound)
        return min(found.values())

    def predict_one(self, x: Any) -> Any:
        """The label or number predicted for one row."""
        return self.hypothesis.predict_one(x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label."""
        p: dict[Any, float] = self.hypothesis.predict_proba_one(x)
        return p

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row: of a batch, or of a list of dicts."""
        if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
            return np.array([self.predict_one(x) for x in X])
        if hasattr(self.hypothesis, "predict"):
            predicted: NDArray[Any] = self.hypothesis.predict(X)
            return predicted
        batch = rows.batch(X)
        return np.array([self.predict_one(batch.row(t)) for t in range(batch.size)])
