"""AdaBoost.OL (Luo (2016), Algorithm 8)."""

from typing import Any

from regretless.boosting.booster import Booster

__all__ = ["AdaBoostOL"]


class AdaBoostOL(Booster):
    """AdaBoost, online and without an edge to be told: weak learners may be as good as they are.

    Votes `h_i` have coefficients `alpha_i`, learned by gradient descent on the logistic loss, which
    also says what an example weighs for weak learner i, by the votes before it:

        s_i = y sum_{j <= i} alpha_j h_j,        w_i = 1 / (1 + e^{s_{i-1}})
        alpha_i <- alpha_i + (4 / sqrt t) y h_i / (1 + e^{s_i}),  clipped to [-2, 2]

    Expert i predicts by the first i weak learners. Who of the experts predicts is drawn by Hedge,
    `v_i = e^{-mistakes of expert i}`, so that a bad weak learner at the end does no harm. With measured
    edges `gamma_i = w_i.z_i / (2 |w_i|_1)`, whatever comes (Theorem 11),

        min_i mistakes of expert i <= (T ln 2 + 6 n sqrt T) / sum_i gamma_i^2
        E[mistakes] <= (min_i mistakes of expert i + ln n) / (1 - 1/e)

    (The text has 4 for 6, but gradient descent with these steps can lose more than 4 sqrt T.)

    Parameters
    ----------
    weak, n, sampled : as of `OnlineBBM`; sampled, this is AdaBoost.OL.S.
    last : the last expert predicts, always: nothing is drawn (AdaBoost.OL.W).
    seed : of the experts drawn and of the sampling, from 0 to 2^64 - 1. The draw changes when something
        is learned, not when something is predicted.

    >>> model = AdaBoostOL(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2})
    'yes'
    >>> model.certificate().holds
    True
    """

    _kind = "adaboost_ol"

    def __init__(
        self,
        weak: Any = None,
        *,
        n: int = 20,
        sampled: bool = False,
        last: bool = False,
        seed: int = 0,
    ) -> None:
        self.weak = weak
        self.n = n
        self.sampled = sampled
        self.last = last
        self.seed = seed
        self._reset()

    def _voting(self, weighted: bool) -> dict[str, Any]:
        return {"seed": int(self.seed), "last": bool(self.last)}

    @property
    def _last(self) -> bool:
        return bool(self.last)
