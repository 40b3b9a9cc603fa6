"""The Perceptron that asks for a margin (mohri 15)."""

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


class MarginPerceptron(MistakeDriven):
    """A Perceptron that also updates where the margin is less than half of the one that is there.

        if w = 0 or y <w, x> / ||w|| < rho / 2:  w <- w + y x

    If some u has `y <u, x> / ||u|| >= rho` and `||x|| <= R` on all examples, there are at most
    `16 R^2 / rho^2` updates (mohri Exercise 8.6), over any number of passes; once a pass has none
    (`cycle`), every margin `y <w, x> / ||w||` is at least `rho / 2`. With `n_0 = 0` and
    `n_{k+1}^2 = n_k^2 + rho n_k + R^2` the norm after k updates is between `k rho` and `n_k`, so that
    the largest k with `n_k >= k rho` is a bound as well, of about `2.5 R^2 / rho^2`.
    `certificate(X, y).mistake_bound(u)` has both. `loss_` counts the conservative hinge loss of the
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
        worst = float(updates.margins(u).min(initial=math.inf))
        separated = norm > 0 and worst >= rho * norm * (1 - 1e-12)
        bounds = {"mohri Exercise 8.6": 16.0 * (R / rho) ** 2, "envelope": _envelope(R, rho)}
        asked = "y <u, x> / ||u|| >= margin in every update"
        return bounds if separated else dict.fromkeys(bounds, math.inf), {asked: separated}


def _envelope(R: float, rho: float) -> float:
    """The largest k with `n_k >= k rho`. The steps of n shrink as it grows: the first miss is the last.

    >>> _envelope(2.0, 1.0)
    8.0
    """
    k, n = 0, 0.0
    while R:
        n = math.sqrt(n * n + rho * n + R * R)
        if n < (k + 1) * rho:
            break
        k += 1
    return float(k)
