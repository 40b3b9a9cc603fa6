"""Online boosting of classifiers: Online BBM, AdaBoost.OL, OSBoost and OSBoost.OCP."""

from typing import Any

from regretless.boosting.booster import Booster, Edged

# --- online boost-by-majority (Luo (2016), Algorithm 7) -------------------------------------------


class OnlineBBM(Edged):
    """Boost by majority, online: as few weak learners and examples as any booster can do with.

    All n weak learners vote, and the majority predicts. What an example weighs for weak learner i is
    how much its vote matters, if the others after it are right with probability `p = 1/2 + edge`
    independently of each other: with s the number of right votes before it, less the wrong ones,

        w_i ~ Pr[Bin(n - i, p) = floor((n - i - s + 1) / 2)]

    divided by the largest such number for i. Examples that the others have decided already, either
    way, weigh little. Whatever comes (Lemma 8; `certificate()` has it with the sums measured),

        mistakes <= T Phi_0(0) + sum_i (2 edge |w_i|_1 - w_i.z_i),    Phi_0(0) <= e^(-2 n edge^2)

    with `z = 1` where weak learner i is right, else -1, so that the sum is small if each of them has
    the edge. Error rate e needs `n = ln(1/e) / (2 edge^2)` weak learners (Theorem 9), and no booster
    can do with fewer than the order of that (Theorem 10). Sampled, weak learners are counted on for
    half of the edge, `p = 1/2 + edge / 2` (Lemma 6 instead of Eq. 3.3), and `2 edge` is `edge`.

    Parameters
    ----------
    weak : what to boost; None is `LinearClassifier()`. Any object with `learn_one(x, y)` and
        `predict_one(x)`, River's among them, or with `partial_fit(X, y)` and `predict(X)`,
        scikit-learn's among them. It is copied n times, learns the labels False and True, and should
        take weights (`w`, `sample_weight`); if it does not, it is sampled for.
    n : how many, from 1 to 10,000.
    edge : how much better than chance weak learners are, in (0, 1/2): on examples of any weights,
        they are right on `1/2 + edge` of the weight. None tries `boosting.booster.EDGES`, each with
        n weak learners of its own, and predicts by the majority of those weighed by AdaNormalHedge.
    sampled : give an example to weak learner i with probability `w_i` instead of with this weight.
    seed : of the sampling, from 0 to 2^64 - 1.

    >>> model = OnlineBBM(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2})
    'yes'
    >>> c = model.certificate()
    >>> c.holds, abs(c.identity_gap) < 1e-9
    (True, True)
    """

    _kind = "bbm"

    def __init__(
        self,
        weak: Any = None,
        *,
        n: int = 20,
        edge: float | None = 0.1,
        sampled: bool = False,
        seed: int = 0,
    ) -> None:
        self.weak = weak
        self.n = n
        self.edge = edge
        self.sampled = sampled
        self.seed = seed
        self._reset()


# --- AdaBoost.OL (Luo (2016), Algorithm 8) --------------------------------------------------------


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


# --- OSBoost and OSBoost.OCP (Chen, Lin and Lu (2012); Luo (2016), Table 3.1) ---------------------


class OSBoost(Edged):
    """Smooth boosting, online: no example weighs more than 1, so that noise is not magnified.

    All n weak learners vote, and the majority predicts. With `s = y sum_{j < i} h_j`,

        w_i = min(1, (1 - edge)^{(s - (i - 1) theta) / 2}),    theta = edge / (2 + edge)

    Whatever comes, with `k = -ln(1 - edge) / 2` and `c = (e^{k (1 + theta)} - 1) / k - (1 + theta)`,

        mistakes <= (T / k + sum_i ((theta + c) |w_i|_1 - w_i.z_i)) / (n theta + 1 / k)

    because `sum_i w_i (z_i - theta)` is, up to c w_i for each i, the integral of `min(1, e^{-k x})` from
    0 to `s_n - n theta`: at most `1 / k`, and `-n theta` or less at a mistake. As `k` and `theta` are
    near `edge / 2`, `n` of the order of `1 / (e edge^2)` makes the error rate e.

    Parameters
    ----------
    weak, n, edge, sampled, seed : as of `OnlineBBM`.

    >>> model = OSBoost(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2}), model.certificate().holds
    ('yes', True)
    """

    _kind = "osboost"

    def __init__(
        self,
        weak: Any = None,
        *,
        n: int = 20,
        edge: float | None = 0.1,
        sampled: bool = False,
        seed: int = 0,
    ) -> None:
        self.weak = weak
        self.n = n
        self.edge = edge
        self.sampled = sampled
        self.seed = seed
        self._reset()


class OSBoostOCP(OSBoost):
    """OSBoost with votes that weigh `alpha`, a distribution learned by online convex programming.

    Examples weigh what they do in `OSBoost`. Where `y sum_i alpha_i h_i < theta`,

        alpha_i <- alpha_i + y h_i / sqrt(n t),  then projected onto the simplex

    which is gradient descent on the hinge loss `max(0, theta - y sum_i alpha_i h_i)`. At a mistake this
    is theta or more, so with the losses of even weights, `1 / n` each (Shalev-Shwartz (2012), eq.
    2.15, of gradient descent),

        mistakes <= (sum_t max(0, theta - y_t mean_i h_i) + sqrt(n T) / 2 + n sum_t step_t / 2) / theta

    the last sum being over the steps `1 / sqrt(n t)` that were made.

    Parameters
    ----------
    weak, n, edge, sampled, seed : as of `OnlineBBM`.

    >>> model = OSBoostOCP(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2}), model.certificate().holds
    ('yes', True)
    """

    _kind = "osboost_ocp"
