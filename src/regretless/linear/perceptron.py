"""The Perceptron, plain, averaged and voted.

Shalev-Shwartz (2012), Theorem 3.9; Mohri et al. (2018), section 8.3.1; Srebro (lecture 16).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.arguments import one_of, positive
from regretless.linear.mistakes import MistakeDriven, root_bound
from regretless.linear.replay import Lane
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge
from regretless.rules import OGD

__all__ = ["Perceptron"]

_KINDS = {kind.name: kind for kind in _core.Averaging}


class Perceptron(MistakeDriven):
    """Rosenblatt's Perceptron: add the example to the weights when the sign is wrong.

        if y <w, x> <= 0:  w <- w + rate y x

    It is online gradient descent on the conservative hinge loss, 1 - y <w, x> on the rounds M with
    y <w, x> <= 0 and 0 on the others. If `y_t <u, x_t> >= 1` for some u and all t, and
    `||x_t|| <= R`, then `|M| <= R^2 ||u||^2`; in general, with F the hinge loss of u over the rounds
    of M, `|M| <= ((R ||u|| + sqrt(R^2 ||u||^2 + 4 F)) / 2)^2` (Shalev-Shwartz (2012), Theorem 3.9;
    Mohri et al. (2018), Theorems 8.8, 8.11, 8.12; Shalev-Shwartz and Singer (2007), Theorem 2). A
    score of exactly 0 counts as a mistake. `certificate().best_possible(norm)` bounds F from below,
    `certificate(X, y, comparator=u)` M from above; `cycle(X, y)` goes over the examples until they
    are separated.

    Averages steady the predictions; mistakes are made, learned from and counted by the last vector in
    any case. No theorem of the text is about them.

    Parameters
    ----------
    rate : > 0; scales the weights and changes no prediction.
    average : what predicts. "none": the last weights. "survival": the mean of the weights of all rounds,
        where a vector counts as long as it survives (the text's voted Perceptron, printed without the
        vector alive at the end). "uniform": the mean of the vectors after each update. "vote": the
        majority of the signs of all vectors, each with as many votes as rounds it survived; the score is
        the difference of the shares (Freund and Schapire (1999)). It keeps the examples of all
        updates, 8 bytes per feature of each, and reads them in every prediction; `weights_` are
        then the last.

    The others are those of `LinearClassifier`.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> Perceptron(intercept=False).fit(X, y).weights_
    {0: 2.0, 1: 1.0}
    >>> mean = Perceptron(intercept=False, average="survival").fit(X, y).weights_
    >>> round(mean[0], 6), mean[1]
    (1.4, 1.0)
    """

    def __init__(
        self,
        *,
        rate: float = 1.0,
        average: str = "none",
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.rate = rate
        self.average = average
        self._share(intercept, features, bits, names, certify=certify, seed=seed)

    @property
    def _is_linear(self) -> bool:
        return self.average != "vote"

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss = ConservativeHinge()
        one_of(self.average, "average", ("none", *_KINDS))
        if self.average == "none":
            rule = OGD(rate=positive(self.rate, "rate"), lazy=True)
            return loss, rule.name, rule.options(loss, 0.0, 0.0)
        kind = _KINDS[self.average]
        return loss, "averaged", {"eta": positive(self.rate, "rate"), "kind": kind}

    def _twin(self) -> Any:
        return super()._twin().set_params(average="none")

    def _bounds(
        self, lane: Lane, u: NDArray[np.float64]
    ) -> tuple[dict[str, float], dict[str, bool]]:
        mistakes = lane.updates
        losses = np.maximum(0.0, 1.0 - mistakes.margins(u))
        F, norm = float(losses.sum()), self._size(u)
        a = mistakes.largest() * norm
        bounds = {
            "Mohri et al. (2018), Theorem 8.11": root_bound(a, F),
            "Mohri et al. (2018), Theorem 8.12": (a + float(np.linalg.norm(losses))) ** 2,
            "Mohri et al. (2018), Exercise 8.11": F
            + norm * float(np.linalg.norm(mistakes.norms())),
            "Shalev-Shwartz (2012), Theorem 3.9": F + a * F**0.5 + a * a,
        }
        if not F:
            bounds["Mohri et al. (2018), Theorem 8.8"] = a * a
        return bounds, {}
