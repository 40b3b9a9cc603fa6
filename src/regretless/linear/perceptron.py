"""The Perceptron (survey D6; mohri 7; lecture 8)."""

from typing import Any

from regretless.linear.classifying import Classifying
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge
from regretless.rules import OGD

__all__ = ["Perceptron"]


class Perceptron(Classifying):
    """Rosenblatt's Perceptron: add the example to the weights when the sign is wrong.

        if y <w, x> <= 0:  w <- w + rate y x

    It is online gradient descent on the conservative hinge loss, 1 - y <w, x> on the rounds M with
    y <w, x> <= 0 and 0 on the others. If `y_t <u, x_t> >= 1` for some u and all t, and
    `||x_t|| <= R`, then `|M| <= R^2 ||u||^2`; in general, with F the hinge loss of u over the rounds
    of M, `|M| <= ((R ||u|| + sqrt(R^2 ||u||^2 + 4 F)) / 2)^2` (survey Thm 3.9). A score of exactly 0
    counts as a mistake. `certificate().best_possible(norm)` bounds F from below.

    Parameters
    ----------
    rate : > 0; scales the weights and changes no prediction.

    The others are those of `LinearClassifier`.

    >>> model = Perceptron(intercept=False)
    >>> for x, y in [([1, 2], 1), ([-1, 1], -1), ([2, -1], 1), ([-1, -1], -1), ([1, -1], 1)]:
    ...     model.learn_one(x, y)
    >>> model.weights_
    {0: 2.0, 1: 1.0}
    """

    def __init__(
        self,
        *,
        rate: float = 1.0,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.rate = rate
        self.intercept = intercept
        self.features = features
        self.bits = bits
        self.names = names
        self.certify = certify
        self.seed = seed
        self._reset()

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss, rule = ConservativeHinge(), OGD(rate=float(self.rate), lazy=True)
        return loss, rule.name, rule.options(loss, 0.0, 0.0)
