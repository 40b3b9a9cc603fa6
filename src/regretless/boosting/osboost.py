"""OSBoost and OSBoost.OCP (Chen, Lin and Lu (2012); Luo (2016), Table 3.1)."""

from typing import Any

from regretless.boosting.booster import Edged

__all__ = ["OSBoost", "OSBoostOCP"]


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
