"""AdaBoost (Freund and Schapire (1997)), beside which Luo (2016) puts its own boosting."""

import math
from typing import Any

import numpy as np

from regretless.boosting.batch import BatchBooster
from regretless.boosting.stump_search import Array

__all__ = ["AdaBoost"]

_USELESS = 2.0**-40  # an edge that is 0 but for rounding


class AdaBoost(BatchBooster):
    """A weighted vote of stumps; each learns what those before it get wrong.

    Round t has weights p over the examples, the stump h of the smallest weighted error, its edge
    `gamma = 1/2 sum_i p_i y_i h(x_i)`, and then

        alpha = 1/2 ln((1/2 + gamma) / (1/2 - gamma)),    p_i <- p_i e^{-alpha y_i h(x_i)},  normalised

    The vote is `sign(sum_t alpha_t h_t)`. Its training error is at most `prod_t sqrt(1 - 4 gamma_t^2)`,
    the share of margins of at most theta at most `e^{theta sum_t |alpha_t|}` times that.

    A stump without errors would have an infinite vote: it decides alone, the others have votes of 0, and
    boosting ends. It also ends before a round in which nothing is better than chance: no weight would
    change any more.

    Parameters
    ----------
    weak : another weak learner, a scikit-learn classifier that takes `sample_weight`; it is given copies
        of the examples with positive weight, labels of -1 and 1 and weights that are 1 on average. By
        default (None) the best of all decision stumps.
    rounds : how many stumps at most, 1 or more.

    Attributes: `classes_`; for each round, `errors_` of the vote on the training set, `edges_`,
    `alphas_`, `stumps_`, and `zero_weights_`, the share of examples with weight 0 (none here, but for
    underflow). With three labels or more, each against the rest, these are dicts by label.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = AdaBoost(rounds=10).fit(X, ["no", "no", "no", "yes"])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), float(model.errors_[-1])
    (['yes', 'no'], 0.0)
    >>> model.stumps_[1]
    FittedStump: 'no' if x[0] <= 0.5, else 'yes'
    """

    _booster = "AdaBoost"
    _theorem = "Freund and Schapire (1997); Schapire, Freund, Bartlett and Lee (1998)"

    def _weighing(self, prior: Array) -> "_Exponential":
        return _Exponential(prior)


class _Exponential:
    """Weights of examples, by what has been voted on them."""

    scale = 0.0

    def __init__(self, prior: Array) -> None:
        self._prior = prior
        self._score = np.zeros(len(prior))  # y sum alpha h

    @property
    def weights(self) -> Array:
        raised = self._prior * np.exp(self._score.min() - self._score)
        return np.asarray(raised / raised.sum())

    def learn(self, agrees: Any, right: float, wrong: float) -> float:
        """The vote that a hypothesis gets: infinite if it is always right, 0 if it is useless."""
        if agrees.all():
            return math.inf
        if not agrees.any():
            return -math.inf
        if abs(right - wrong) <= 2 * _USELESS:
            return 0.0
        tiny = np.finfo(float).tiny  # weights that are 0 by underflow
        alpha = 0.5 * math.log(max(right, tiny) / max(wrong, tiny))
        self._score += np.where(agrees, alpha, -alpha)
        return alpha
