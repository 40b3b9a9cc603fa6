"""The Perceptron that asks for a margin (Mohri et al. (2018), Exercise 8.6)."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import positive
from regretless.linear.mistakes import MistakeDriven
from regretless.linear.replay import Lane
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge

__all__ = ["MarginPerceptron"]

_EXACT = 2_000  # the envelope is at most one part in so many too large
_SINGLE = float(np.finfo(np.float32).eps)


class MarginPerceptron(MistakeDriven):
    """A Perceptron that also updates where the margin is less than half of the one that is there.

        if w = 0 or y <w, x> / ||w|| < rho / 2:  w <- w + y x

    If some u has `y <u, x> / ||u|| >= rho` and `||x|| <= R` on all examples, there are at most
    `16 R^2 / rho^2` updates (Mohri et al. (2018), Exercise 8.6), over any number of passes; once a
    pass has none (`cycle`), every margin `y <w, x> / ||w||` is at least `rho / 2`. With `n_0 = 0`
    and `n_{k+1}^2 = n_k^2 + rho n_k + R^2` the norm after k updates is between `k rho'` and `n_k`,
    rho' being the margin of u in the updates, so that the largest k with `n_k >= k rho'` is a bound
    as well: about `2.5 R^2 / rho^2` for `rho' = rho`, and finite for every `rho' > rho / 2`.
    `certificate(X, y, comparator=u)` has both. `loss_` counts the conservative hinge loss of the
    rounds with the wrong sign, as for `Perceptron`.

    Parameters
    ----------
    margin : > 0, rho: the largest margin that the examples can be separated with, or less.

    The others are those of `LinearClassifier`.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = MarginPerceptron(margin=0.5, intercept=False)
    >>> model.cycle(X, y)
    Passes(passes=2, updates=2, separated=True)
    >>> model.weights_
    {0: 2.0, 1: 1.0}
    """

    def __init__(
        self,
        *,
        margin: float = 0.1,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.margin = margin
        self._share(intercept, features, bits, names, certify=certify, seed=seed)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return ConservativeHinge(), "margin", {"margin": positive(self.margin, "margin")}

    def _bounds(
        self, lane: Lane, u: NDArray[np.float64]
    ) -> tuple[dict[str, float], dict[str, bool]]:
        updates, rho = lane.updates, float(self.margin)
        R, norm = updates.largest(), self._size(u)
        worst = float(updates.margins(u).min(initial=math.inf)) / norm if norm else 0.0
        # features are in single precision, of which a margin is a sum
        rounded = _SINGLE * math.sqrt(len(u)) * R
        bounds = {"envelope": _envelope(R, rho, min(worst, rho))}
        if worst >= rho - rounded:
            bounds["Mohri et al. (2018), Exercise 8.6"] = 16.0 * (R / rho) ** 2
        return bounds, {"y <u, x> / ||u|| > margin / 2 in every update": worst > rho / 2.0}


def _envelope(R: float, rho: float, least: float) -> float:
    """The largest k with `n_k >= k least`, or a little more than that if it is large.

    The steps of n shrink as it grows: the first miss is the last. For the same reason many steps at once
    go no farther than the first of them many times, so that k grows by a share of itself.

    >>> _envelope(2.0, 1.0, 1.0)
    8.0
    """
    if not R or not least > rho / 2.0:  # then n never misses
        return math.inf if R else 0.0
    k, n = 0, 0.0
    while True:
        steps = max(1, k // _EXACT)
        more = rho * n + R * R
        n += steps * more / (math.sqrt(n * n + more) + n)
        if n < (k + steps) * least:
            return float(k if steps == 1 else k + steps)
        k += steps
