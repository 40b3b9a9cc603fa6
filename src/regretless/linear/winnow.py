"""Winnow and balanced Winnow.

Shalev-Shwartz (2012), section 3.3.2; Shalev-Shwartz and Singer (2007), Example 2; Mohri et al.
(2018), section 8.3.2.
"""

import math
from typing import Any

import numpy as np

from regretless.base.arguments import Array, positive, whole, within
from regretless.base.options import option
from regretless.linear.mistakes import MistakeDriven, ReplayedLane
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge
from regretless.rules import EG

_EPS = float(np.finfo(float).eps)


class Winnow(MistakeDriven):
    """Winnow has multiplicative weights and learns an OR of few among many features in [0, 1] quickly.

        predict the sign of 2 <w, x> - 1;   if it is wrong:  w_i <- w_i e^{2 rate y x_i}

    from `w_i = 1/d` on. With `f(u) = max(0, 1 - y (2 <u, x> - 1))`, `rate < 1/2` and every `u >= 0`,
    over the rounds M with a mistake (Shalev-Shwartz (2012), Theorem 3.10 and, with its numerator
    kept, Thm 2.23),

        |M| <= (sum_M f(u) + (1 + sum_i u_i (log(d u_i) - 1)) / rate) / (1 - 2 rate)

    which for an OR of k features and the rate 1/4 is at most `8 k log d`. The sign in the exponent is +;
    the text prints -, with which the theorem is wrong. `weights_` are the w of the text, the score is
    `2 <w, x> - 1`. The two labels are not treated alike: +1 is the larger one. Labels should be known
    from the start: `fit` knows them, bools are known, `partial_fit` takes `classes=`. The weights of one
    label do not determine those of the other: if the second label is the smaller one, learning begins
    with it, and the first of two labels gets weights of its own when a third one comes.

    There is no intercept. Features outside [0, 1] are refused; `BalancedWinnow` takes them.

    >>> model = Winnow(dimension=4)
    >>> model.learn_one({"a": 1, "c": 1}, True)
    >>> model.weights_  # e^(1/2) / 4
    {'a': 0.412..., 'c': 0.412...}
    """

    rate: float = option(
        within,
        "(0, 1/2)",
        default=0.25,
        hint=", where Winnow has its guarantee",
        text="length of a step",
    )
    dimension: int | None = option(
        whole,
        default=None,
        hint=", or None",
        text="""d; None takes the number of features seen so far (all of them if hashed). A later
        feature begins with 1/d, and the others are scaled down to the new d; the 1 in the
        bound becomes the sum of 1/d over the features in order of appearance, at most
        `1 + log d`""",
    )

    intercept = False

    @property
    def is_linear(self) -> bool:
        return False

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        options = {"eta": self.rate, "dimension": self.dimension or 0}
        return ConservativeHinge(), "winnow", options

    def _unlearned(self) -> float:
        return 2.0 / (self.dimension or 2**self.bits)

    @property
    def weights_(self) -> Any:
        """The weights w of the score `2 <w, x> - 1` by name; with three or more labels, by label."""
        return _halved(super().weights_)

    @property
    def intercept_(self) -> Any:
        """Minus the threshold of `<w, x>`, -1/2; with three or more labels, by label."""
        return _halved(super().intercept_)

    def _sums(self) -> dict[str, Any]:
        found = super()._sums()  # sums for the weights 2 w
        l1, l2, largest = found["gradient_norms"]
        return found | {
            "gradient_norms": (2 * l1, 2 * l2, 2 * largest),
            "error": 2 * found["error"],
            "weight_norm": float(np.linalg.norm(self._weights()[1])) / 2,
        }

    def _twin(self) -> Any:
        hashed = self.features == "hashed" and self.dimension is None
        return super()._twin().set_params(dimension=2**self.bits if hashed else self.dimension)

    def _size(self, u: Array) -> float:
        return float(np.abs(u).sum())

    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        y = lane.y[lane.updated]
        suffered = float(np.maximum(0.0, 1.0 - (2.0 * lane.updates.margins(u) - y)).sum())
        allowed = bool((u >= 0).all())
        d = lane.known[lane.updated]
        # no update had a feature that came later, so its weight in u does not matter
        v = np.maximum(np.where(np.arange(len(u)) < d.max(initial=0), u, 0.0), 0.0)
        starts = 1.0 / np.where(d > 0, d if self.dimension is None else self.dimension, 1)
        begun = float(np.diff(d, prepend=0) @ starts)  # the first weights of all features
        last = 1.0 / starts[-1] if len(d) else 1.0
        entropy = begun + float(np.sum(v * (np.log(np.where(v > 0, v * last, 1.0)) - 1.0)))
        bound = (suffered + entropy / self.rate) / (1.0 - 2.0 * self.rate)
        return (
            {"Shalev-Shwartz (2012), Theorem 3.10": bound if allowed else math.inf},
            {"u >= 0": allowed},
        )


class BalancedWinnow(MistakeDriven):
    """Balanced Winnow is Winnow on the features x and -x: weights and features of any sign.

        if y <w, x> <= 0:  theta <- theta + y x
        w_i = radius sinh(rate theta_i) / sum_j cosh(rate theta_j)

    With `||x||_inf <= r` in the rounds with an update, every u with `||u||_1 <= radius` and L the hinge
    loss of u over these rounds,

        (1 - rate radius r^2 / 2) |M| <= radius log(2 d) / rate + L

    (Shalev-Shwartz and Singer (2007), Corollary 1, with the entropy; Mohri et al. (2018), Theorem
    8.13; the text's C is `rate / radius`). At the default rate, for r = 1, that is
    `|M| <= 2 (radius^2 log(2 d) + L)`. Here d is the number of features seen; hashed ones count
    all, and `certificate(X, y)` cannot play such a run again.

    >>> model = BalancedWinnow(radius=2.0, intercept=False)
    >>> X, y = [[1, 1, 0], [-1, 0, 1], [-1, 1, 1], [1, 0, -1]], [1, -1, -1, 1]
    >>> model.cycle(X, y).separated
    True
    """

    radius: float = option(
        positive,
        default=10.0,
        text="""radius of the l1 ball of the weights and of u. It scales the weights; mistakes depend
        on it only through the default rate""",
    )
    rate: float | None = option(
        positive,
        default=None,
        text="""length of a step; None takes `1 / radius`, the best for features up to 1. The bound
        needs a rate below `2 / (radius r^2)`""",
    )

    @property
    def _eta(self) -> float:
        return 1.0 / self.radius if self.rate is None else float(self.rate)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss, rule = ConservativeHinge(), EG(self.radius, self._eta)
        return loss, rule.name, rule.options(loss, 0.0, 0.0)

    def _size(self, u: Array) -> float:
        return float(np.abs(u).sum())

    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        mistakes, U, eta = lane.updates, float(self.radius), self._eta
        L = float(np.maximum(0.0, 1.0 - mistakes.margins(u)).sum())
        gain = 1.0 - eta * U * mistakes.largest(math.inf) ** 2 / 2.0
        asked = {
            "||u||_1 <= radius": self._size(u) <= U * (1 + _EPS * (len(u) + 2)),
            "rate radius max |x|^2 < 2": gain > 0,
        }
        d = max(1, lane.X.shape[1])
        bound = (U * math.log(2 * d) / eta + L) / gain if all(asked.values()) else math.inf
        return {"Mohri et al. (2018), Theorem 8.13": bound}, asked


def _halved(weights: Any) -> Any:
    if isinstance(weights, dict):
        return {name: _halved(w) for name, w in weights.items()}
    return weights / 2
