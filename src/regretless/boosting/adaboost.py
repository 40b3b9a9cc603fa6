"""Batch boosting: AdaBoost, NH-Boost and NH-Boost.DT."""

import math
from typing import Any

import numpy as np

from regretless.base.arguments import Array
from regretless.boosting.batch import BatchBooster
from regretless.experts import NormalHedge, NormalHedgeDT

# --- AdaBoost (Freund and Schapire (1997)), beside which Luo (2016) puts its own boosting ---------

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


# --- NH-Boost and NH-Boost.DT: the examples are experts, and hedging over them boosts -------------

# Luo (2016), section 2.2.


class NHBoostDT(BatchBooster):
    """A plain majority vote of stumps whose margins approach the best there are.

    Luo (2016), Algorithm 4.

    Examples are experts of `NormalHedgeDT` whose loss is 1 where the stump is right. (The text says
    where it is wrong, see docs/errata.md; with that the examples that are learned would get the
    weight.) From s = 0, in round t

        p_i ~ e^{[s_i - 1]_-^2 / (3 t)} - e^{[s_i + 1]_-^2 / (3 t)}
        gamma_t = 1/2 sum_i p_i y_i h_t(x_i),    s_i <- s_i + 1/2 y_i h_t(x_i) - gamma_t

    Examples that are right often enough, `s_i >= 1`, have weight 0 and are skipped. After T rounds with
    the mean edge gamma the share of examples with a margin of at most `theta < 2 gamma` is at most

        c / (e^{T (2 gamma - theta)^2 / 12} - 1),    c = 1/2 sum_{t <= T} (e^{4 / (3 t)} - 1)

    for theta = 0 a bound on the training error (Thm 3, with 1/12 where 1/3 is printed, see
    docs/errata.md, and with its constants). Neither the edges nor the number of rounds need be
    known; the first rounds of a long run are a short run. No round is special: with a perfect stump
    its votes go on counting, and with useless ones the weights move between the labels.

    Parameters and attributes: those of `AdaBoost`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 5)).round(2)
    >>> y = X.sum(axis=1) + 0.1 * rng.normal(size=200) > 2.5
    >>> model = NHBoostDT().fit(X, y)
    >>> float(model.errors_[-1]) < 0.05, float(model.zero_weights_.mean()) > 0.2
    (True, True)
    """

    _booster = "NHBoostDT"
    _theorem = "Luo (2016), Theorem 3"

    def _weighing(self, prior: Array) -> "_Hedged":
        return _Hedged(NormalHedgeDT(len(prior), prior=prior))


class NHBoost(BatchBooster):
    """The same with `NormalHedge` in place of `NormalHedgeDT` (Luo (2016), Algorithm 5).

    From s = 0, with the c > 0 for which `e^{[s_i]_-^2 / c}` is e on average over the examples (all
    weights are alike if no s is negative),

        p_i ~ -[s_i]_- e^{[s_i]_-^2 / c},    s_i <- s_i + 1/2 y_i h_t(x_i) - gamma_t

    Few examples get a weight of 0. By the definition of c after T rounds, the share of examples with a
    margin of at most `theta < 2 gamma` is at most

        e^{1 - T^2 (2 gamma - theta)^2 / (4 c)}

    whatever the weights were: as long as nothing is known of c this is an identity, not a bound.
    Luo (2016) gives no constants; the certificate has the bound on c of Chaudhuri, Freund and Hsu
    (2009), Theorem 1, for examples of equal weights. It grows like T, but with constants that make
    the bound trivial below some ten thousand rounds; `certificate().scale` is the c of the run.

    Parameters and attributes: those of `AdaBoost`.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = NHBoost(rounds=30).fit(X, [0, 0, 0, 1])
    >>> model.errors_[-1].item(), model.certificate().holds
    (0.0, True)
    """

    _booster = "NHBoost"
    _theorem = "Chaudhuri, Freund and Hsu (2009), Theorem 1"

    def _weighing(self, prior: Array) -> "_Hedged":
        return _Hedged(NormalHedge(len(prior), prior=prior))


class _Hedged:
    """Weights of examples, by a player to whom they are experts."""

    def __init__(self, player: NormalHedge | NormalHedgeDT) -> None:
        self._player = player

    @property
    def weights(self) -> Array:
        return self._player.weights

    @property
    def scale(self) -> float:
        return self._player._engine.rate

    def learn(self, agrees: Any, right: float, wrong: float) -> float:
        """Every vote counts 1."""
        self._player.update(agrees.astype(np.float64))
        return 1.0
