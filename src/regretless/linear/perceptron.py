"""Perceptrons and passive-aggressive learners, whose steps correct the current example.

The Perceptrons are Rosenblatt's, one with a margin, and the p-norm Perceptron.
"""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, not_negative, one_of, positive, within
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.linear.mistakes import MistakeDriven, ReplayedLane, root_bound
from regretless.losses import EpsilonInsensitive, Hinge, Loss
from regretless.losses import Perceptron as ConservativeHinge
from regretless.rules import OGD, PNorm

# --- the Perceptron, plain, averaged and voted ----------------------------------------------------

# Shalev-Shwartz (2012), Theorem 3.9; Mohri et al. (2018), section 8.3.1; Srebro (lecture 16).

_KINDS = {kind.name: kind for kind in _core.Averaging}


class Perceptron(MistakeDriven):
    """Rosenblatt's Perceptron adds an example to the weights when the predicted sign is wrong.

        if y <w, x> <= 0:  w <- w + rate y x

    It is online gradient descent on the conservative hinge loss, 1 - y <w, x> on the rounds M with
    y <w, x> <= 0 and 0 on the other rounds. If `y_t <u, x_t> >= 1` for some u and all t, and
    `||x_t|| <= R`, then `|M| <= R^2 ||u||^2`; in general, with F the hinge loss of u over the rounds
    of M, `|M| <= ((R ||u|| + sqrt(R^2 ||u||^2 + 4 F)) / 2)^2` (Shalev-Shwartz (2012), Theorem 3.9;
    Mohri et al. (2018), Theorems 8.8, 8.11, 8.12; Shalev-Shwartz and Singer (2007), Theorem 2). A
    score of exactly 0 counts as a mistake. `certificate().best_possible(norm)` bounds F from below,
    `certificate(X, y, comparator=u)` M from above; `cycle(X, y)` repeats the examples until they are
    separated.

    Averages make predictions steadier; the last vector still decides on updates and is the one whose
    mistakes count. The theorems of the text do not cover averages.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> Perceptron(intercept=False).fit(X, y).weights_
    {0: 2.0, 1: 1.0}
    >>> mean = Perceptron(intercept=False, average="survival").fit(X, y).weights_
    >>> round(mean[0], 6), mean[1]
    (1.4, 1.0)
    """

    rate: float = option(positive, default=1.0, text="scales the weights and changes no prediction")
    average: str = option(
        one_of,
        ("none", *_KINDS),
        default="none",
        text="""weights that predict. "none": the last weights. "survival": the mean of the weights
        of all rounds, each counted as often as it was used (the text's voted Perceptron,
        printed without the last vector). "uniform": the mean of the vectors after each
        update. "vote": the majority of the signs of all vectors, each with one vote per
        round of use; the score is the difference of the shares (Freund and Schapire
        (1999)). "vote" keeps the examples of all updates, 8 bytes per feature of each, 12 in
        double precision, and reads them in every prediction; `weights_` are then the last""",
    )

    @property
    def is_linear(self) -> bool:
        return self.average != "vote"

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss = ConservativeHinge()
        if self.average == "none":
            rule = OGD(rate=float(self.rate), lazy=True)
            return loss, rule.name, rule.options(loss, 0.0, 0.0)
        kind = _KINDS[self.average]
        return loss, "averaged", {"eta": float(self.rate), "kind": kind}

    def _twin(self) -> Any:
        return super()._twin().set_params(average="none")

    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
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


# --- the p-norm Perceptron ------------------------------------------------------------------------

# Shalev-Shwartz and Singer (2007), Example 3; Shalev-Shwartz (2012), Corollary 2.18.


class PNormPerceptron(MistakeDriven):
    """The p-norm Perceptron, between the Perceptron (p = 2) and Winnow (p = 2 ln d).

        if y <w, x> <= 0:  theta <- theta + y x
        w_i = sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2)

    With `||x||_p <= X` in the rounds with an update, `1/p + 1/q = 1`, `A = (p - 1) X^2 ||u||_q^2` and L
    the hinge loss of u over these rounds, there are at most `L + A / 2 (1 + sqrt(1 + 4 L / A))` of them,
    for every u (Shalev-Shwartz and Singer (2007), Example 3, whose printed condition
    `||x||_p <= 1 / sqrt(p - 1)` makes `A = ||u||_q^2`).

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = PNormPerceptron(p=3, intercept=False).fit(X, y)
    >>> {name: round(w, 4) for name, w in model.weights_.items()}
    {0: 1.923, 1: 0.4807}
    """

    p: float = option(
        within,
        "[2, 100]",
        default=4.0,
        text="""2 ln d suits comparators with few weights among d (10 for d = 150). The default
        stays near the Perceptron, for data with many relevant features""",
    )

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss, rule = ConservativeHinge(), PNorm(self.p, 1.0)
        return loss, rule.name, rule.options(loss, 0.0, 0.0)

    def _size(self, u: Array) -> float:
        return float(np.linalg.norm(u, self.p / (self.p - 1.0)))

    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        mistakes = lane.updates
        L = float(np.maximum(0.0, 1.0 - mistakes.margins(u)).sum())
        a = (self.p - 1.0) ** 0.5 * mistakes.largest(self.p) * self._size(u)
        return {"Shalev-Shwartz and Singer (2007), Theorem 2, p-norm": root_bound(a, L)}, {}


# --- the Perceptron with a margin (Mohri et al. (2018), Exercise 8.6) -----------------------------

_EXACT = 2_000  # the envelope is too large by at most one part in this many


class MarginPerceptron(MistakeDriven):
    """A Perceptron that updates whenever the margin is less than half of the option `margin`.

        if w = 0 or y <w, x> / ||w|| < rho / 2:  w <- w + y x

    If some u has `y <u, x> / ||u|| >= rho` and `||x|| <= R` on all examples, there are at most
    `16 R^2 / rho^2` updates (Mohri et al. (2018), Exercise 8.6), over any number of passes; once a
    pass has none (`cycle`), every margin `y <w, x> / ||w||` is at least `rho / 2`. With `n_0 = 0`
    and `n_{k+1}^2 = n_k^2 + rho n_k + R^2` the norm after k updates is between `k rho'` and `n_k`,
    rho' being the margin of u in the updates, so that the largest k with `n_k >= k rho'` is a bound
    as well: about `2.5 R^2 / rho^2` for `rho' = rho`, and finite for every `rho' > rho / 2`.
    `certificate(X, y, comparator=u)` has both. `loss_` counts the conservative hinge loss of the
    rounds with the wrong sign, as for `Perceptron`.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = MarginPerceptron(margin=0.5, intercept=False)
    >>> model.cycle(X, y)
    Passes(passes=2, updates=2, separated=True)
    >>> model.weights_
    {0: 2.0, 1: 1.0}
    """

    margin: float = option(
        positive,
        default=0.1,
        text="rho: the largest margin with which the examples can be separated, or less",
    )

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return ConservativeHinge(), "margin", {"margin": float(self.margin)}

    def _bounds(self, lane: ReplayedLane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        updates, rho = lane.updates, float(self.margin)
        R, norm = updates.largest(), self._size(u)
        worst = float(updates.margins(u).min(initial=math.inf)) / norm if norm else 0.0
        # a margin is a sum of features, which were rounded
        rounded = self._unit * math.sqrt(len(u)) * R
        bounds = {"envelope": _envelope(R, rho, min(worst, rho))}
        if worst >= rho - rounded:
            bounds["Mohri et al. (2018), Exercise 8.6"] = 16.0 * (R / rho) ** 2
        return bounds, {"y <u, x> / ||u|| > margin / 2 in every update": worst > rho / 2.0}


def _envelope(R: float, rho: float, least: float) -> float:
    """The largest k with `n_k >= k least`, or slightly more if k is large.

    The steps of n shrink as n grows, so `n_k < k least` holds from its first k on. For the same reason
    many steps together are at most that many times the first, so k can grow by a share of itself.

    >>> _envelope(2.0, 1.0, 1.0)
    8.0
    """
    if not R or not least > rho / 2.0:  # then n_k >= k least for all k
        return math.inf if R else 0.0
    k, n = 0, 0.0
    while True:
        steps = max(1, k // _EXACT)
        more = rho * n + R * R
        n += steps * more / (math.sqrt(n * n + more) + n)
        if n < (k + steps) * least:
            return float(k if steps == 1 else k + steps)
        k += steps


# --- passive-aggressive learners ------------------------------------------------------------------

# Shalev-Shwartz and Singer (2007), section 5.2; Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
# (2006).


_MODES = {
    "exact": _core.PassiveAggressiveMode.exact,
    "I": _core.PassiveAggressiveMode.first,
    "II": _core.PassiveAggressiveMode.second,
}


class _Passive(HasWeights):
    """A learner whose steps correct the current example, up to a bound."""

    C: float = option(
        positive,
        default=1.0,
        hint="; mode='exact' has no bound",
        text='the largest step of "I"; the importance weight of an example multiplies it',
    )
    mode: str = option(one_of, _MODES, default="I", text="how the step is bounded")

    def _steps(self) -> tuple[str, dict[str, Any]]:
        return "passive_aggressive", {"mode": _MODES[self.mode], "aggressiveness": float(self.C)}


class PassiveAggressive(_Passive, Classifier):
    """A passive-aggressive classifier makes the smallest change that corrects the current example.

        l = max(0, margin - y <w, x>),   w <- w + tau y x
        tau = l / ||x||^2   ("exact"),   min(C, l / ||x||^2)   ("I"),   l / (||x||^2 + 1 / (2C))   ("II")

    Each step of "I" maximises the dual of the batch problem over its own variable, hence with
    `||x_t|| <= 1` and every u: `sum_t mu(l_t) <= sum_t l_t(u) + ||u||^2 / (2C)` with
    `mu(l) = min(l, C) (l - min(l, C) / 2) / C` (Shalev-Shwartz and Singer (2007), Theorem 3). The
    constant feature of the intercept counts in `||x||^2`.

    >>> model = PassiveAggressive(mode="exact", intercept=False)
    >>> model.learn_one({"a": 3.0, "b": 4.0}, True)
    >>> model.learn_one({"a": 1.0}, False)
    >>> model.decision_one({"a": 1.0})
    -1.0
    """

    margin: float = option(positive, default=1.0, text="margin of the hinge loss")

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Hinge(self.margin), *self._steps()


class PassiveAggressiveRegressor(_Passive, Regressor):
    """A passive-aggressive regressor makes the smallest change that brings the error within epsilon.

    It is `PassiveAggressive` with the loss `max(0, |<w, x> - y| - epsilon)`.

    >>> model = PassiveAggressiveRegressor(mode="exact", epsilon=0.5, intercept=False)
    >>> model.learn_one({"a": 2.0}, 10.0)
    >>> model.predict_one({"a": 2.0})
    9.5
    """

    epsilon: float = option(not_negative, default=0.1, text="largest error without a loss")

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return EpsilonInsensitive(self.epsilon), *self._steps()
