"""The p-norm Perceptron.

Shalev-Shwartz and Singer (2007), Example 3; Shalev-Shwartz (2012), Corollary 2.18.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import within
from regretless.linear.mistakes import MistakeDriven, root_bound
from regretless.linear.replay import Lane
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge
from regretless.rules import PNorm

__all__ = ["PNormPerceptron"]


class PNormPerceptron(MistakeDriven):
    """Between the Perceptron (p = 2) and Winnow (p = 2 ln d): for few relevant features among many.

        if y <w, x> <= 0:  theta <- theta + y x
        w_i = sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2)

    With `||x||_p <= X` in the rounds with an update, `1/p + 1/q = 1`, `A = (p - 1) X^2 ||u||_q^2` and L
    the hinge loss of u over these rounds, there are at most `L + A / 2 (1 + sqrt(1 + 4 L / A))` of them,
    for every u (Shalev-Shwartz and Singer (2007), Example 3, whose printed condition
    `||x||_p <= 1 / sqrt(p - 1)` makes `A = ||u||_q^2`).

    Parameters
    ----------
    p : from 2 to 100; 2 ln d suits comparators with few weights among d (10 for d = 150). The default
        stays near the Perceptron, for data with many that matter.

    The others are those of `LinearClassifier`.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = PNormPerceptron(p=3, intercept=False).fit(X, y)
    >>> {name: round(w, 4) for name, w in model.weights_.items()}
    {0: 1.923, 1: 0.4807}
    """

    def __init__(
        self,
        *,
        p: float = 4.0,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.p = p
        self._share(intercept, features, bits, names, certify=certify, seed=seed)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        within(self.p, "p", "[2, 100]", "; use BalancedWinnow for larger p")
        loss, rule = ConservativeHinge(), PNorm(self.p, 1.0)
        return loss, rule.name, rule.options(loss, 0.0, 0.0)

    def _size(self, u: NDArray[np.float64]) -> float:
        return float(np.linalg.norm(u, self.p / (self.p - 1.0)))

    def _bounds(
        self, lane: Lane, u: NDArray[np.float64]
    ) -> tuple[dict[str, float], dict[str, bool]]:
        mistakes = lane.updates
        L = float(np.maximum(0.0, 1.0 - mistakes.margins(u)).sum())
        a = (self.p - 1.0) ** 0.5 * mistakes.largest(self.p) * self._size(u)
        return {"Shalev-Shwartz and Singer (2007), Theorem 2, p-norm": root_bound(a, L)}, {}
