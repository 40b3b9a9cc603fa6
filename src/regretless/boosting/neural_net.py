"""A small network of two layers (Luo (2016), section 3.2.5)."""

from typing import Any

from regretless.arguments import check_seed, positive, whole
from regretless.boosting.weak_regression import WeakRegressor

__all__ = ["NeuralNet"]


class NeuralNet(WeakRegressor):
    """A layer of sigmoid units on sparse features and a linear output, learned online.

        v = c + sum_k a_k sigmoid(b_k + sum_f W_fk x_f / s_f),   cut to [-D, D]

    with s_f the largest `|x_f|` seen, so that the unit of a feature does not matter. Every weight has
    AdaGrad's step, `rate / sqrt(sum g^2)`, times D in the second layer; beyond the cut only slopes that
    lead back are learned. The first layer begins with numbers in (-1/2, 1/2) that depend on seed and
    feature alone, the second with 0. There is no theorem: the loss is not convex in the weights.

    Parameters
    ----------
    hidden : units of the first layer, 1 to 1000; 10 as in Luo (2016).
    bound : D > 0, the largest prediction; None: the largest target so far, or 1 for slopes.
    rate : > 0. 0.1 and 0.3 were about equally often the better on the sets of the experiments.
    seed : of the first weights. Copies in a booster have seeds of their own, one after the other.

    >>> model = NeuralNet(seed=1)
    >>> for t in range(3000):
    ...     a, b = t % 2, t // 2 % 2
    ...     model.learn_one({"a": 2 * a - 1, "b": 2 * b - 1}, float(a != b))
    >>> [round(model.predict_one({"a": a, "b": b})) for a, b in [(-1, -1), (-1, 1), (1, -1), (1, 1)]]
    [0, 1, 1, 0]
    """

    _rule = "neural_net"

    def __init__(
        self, *, hidden: int = 10, bound: float | None = None, rate: float = 0.3, seed: int = 0
    ) -> None:
        self.hidden = hidden
        self.bound = bound
        self.rate = rate
        self.seed = seed
        self._reset()

    def _numbers(self) -> dict[str, Any]:
        hidden = whole(self.hidden, "hidden", 1, 1000, "; 10 suit most data")
        return {
            "rate": positive(self.rate, "rate"),
            "hidden": int(hidden),
            "seed": check_seed(self.seed) % 2**63,
        }
