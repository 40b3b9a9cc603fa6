"""Online boost-by-majority (Luo (2016), Algorithm 7)."""

from typing import Any

from regretless.boosting.booster import Edged

__all__ = ["OnlineBBM"]


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
