"""Gradient boosting of a fixed sample (Luo (2016), appendix B.2.3), with and without shrinking."""

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from regretless import losses
from regretless.base.arguments import (
    LARGEST_VALUE,
    Array,
    check_entries,
    flag,
    number,
    numbers,
    shown,
    whole,
)
from regretless.base.options import option
from regretless.base.state import Parts, Stateful
from regretless.certificates import Certificate
from regretless.losses import Loss

_EPS = float(np.finfo(float).eps)


def _smooth(loss: Any, name: str) -> Loss:
    """The loss, if its curvature is finite."""
    found = losses.get(loss)
    if not found.curvature < math.inf:
        raise ValueError(f"{name}={found.name!r} is not smooth; use 'squared' or 'logistic'")
    return found


class BatchGradientBoosting(Stateful, changing=("coef_", "losses_")):
    """Greedy boosting of a finite set of functions, which minimises the mean loss on a sample.

        f_0 = 0,   f_i = (1 - sigma_i eta_i) f_{i-1} + eta_i g_i
        g_i = the g in F with the least loss of f_{i-1} + eta_i g,   F = {g_j, -g_j}
        sigma_i = 1 if the loss grows along f_{i-1}, else 0

    For every f in the span, let `||f||` be the larger of 1 and the sum of the sizes of its weights,
    `D_i` the loss of f_i less that of f, `s_0 = 1`, `s_i = s_{i-1} + eta_i` and beta the curvature of
    the loss. Then

        D_N <= e^{-(s_N - s_0) / ||f||} D_0
               + sum_i e^{-(s_N - s_i) / ||f||} (beta / 2) eta_i^2 (s_i^2 + 1)

    (B.8). Without shrinking, sigma = 0, it is the method of Zhang and Yu (2005), whose first term
    falls only like `||f|| / s_N` (B.7). The functions must be in [-1, 1].

    >>> base = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]])
    >>> model = BatchGradientBoosting(rounds=200, eta=0.05).fit(base, [0.5, 1.0, 0.0])
    >>> bool(np.abs(model.coef_ - [0.5, 0.5]).max() < 0.06)  # within a step of the best
    True
    >>> model.certificate([0.5, 0.5]).holds
    True
    """

    rounds: int = option(whole, default=100, text="number of steps")
    eta: float | Sequence[float] | None = option(
        default=None,
        text="length of steps in (0, 1], or a list of lengths; None: `max(ln rounds, 1) / rounds`",
    )
    loss: str | Loss = option(
        _smooth, default="squared", text='"squared", "logistic" or another with a finite curvature'
    )
    shrink: bool = option(flag, default=True, text="shrink by sigma as above; False is sigma = 0")

    _keeps_what_is_given = True

    def __post_init__(self) -> None:
        """Check that there is one step for each round."""
        self._etas()

    def _etas(self) -> Array:
        if self.eta is None:
            return np.full(self.rounds, max(math.log(self.rounds), 1.0) / self.rounds)
        if isinstance(self.eta, (float, int)):
            return self._checked(np.full(self.rounds, number(self.eta, "eta")))
        return self._checked(numbers(self.eta, "eta", "a list of steps"))

    def _checked(self, etas: Array) -> Array:
        if etas.shape != (self.rounds,) or not np.all((etas > 0.0) & (etas <= 1.0)):
            raise ValueError(
                f"eta={self.eta!r} must be one step in (0, 1], or {self.rounds} of them"
            )
        return etas

    def fit(self, base: Any, y: Any) -> Self:
        """Boost the functions whose values on the sample are the columns of `base`."""
        loss = losses.get(self.loss)
        G = numbers(base, "base", "a table of numbers")
        targets = numbers(y, "y", "a list of numbers")
        if G.ndim != 2 or 0 in G.shape or targets.shape != (len(G),):
            raise ValueError(f"base has shape {G.shape}, y {targets.shape}: a row for each target")
        check_entries(
            targets, np.abs(targets) <= LARGEST_VALUE, "y", "is not finite, or beyond 1e19"
        )
        check_entries(
            G, np.abs(G) <= 1.0, "base", "is outside [-1, 1]; divide base by its largest value"
        )
        etas = self._etas()
        both = np.hstack([G, -G])
        f, coef, path = np.zeros(len(G)), np.zeros(G.shape[1]), []
        for eta in etas.tolist():
            path.append(float(np.mean(loss.value(f, targets))))
            tried = loss.value(f[:, None] + eta * both, targets[:, None]).mean(axis=0)
            grows = float(loss.derivative(f, targets) @ f) >= 0.0
            if self.shrink and grows:
                f, coef = (1.0 - eta) * f, (1.0 - eta) * coef
            best = int(np.argmin(tried))
            f = f + eta * both[:, best]
            coef[best % len(coef)] += eta if best < len(coef) else -eta
        path.append(float(np.mean(loss.value(f, targets))))
        self.coef_: Array = coef
        self.losses_: Array = np.array(path)
        self._sample, self._y = G, targets
        return self

    def predict(self, base: Any) -> Array:
        """The values of f_N from the values of the functions."""
        self._check_fitted()
        return np.asarray(numbers(base, "base", "a table of numbers") @ self.coef_)

    def certificate(self, comparator: Any) -> Certificate:
        """The excess of the mean loss over that of `f = base @ comparator`, and its bound.

        The bound is (B.8), or (B.7) without shrinking.
        """
        self._check_fitted()
        u = numbers(comparator, "comparator", "a list of weights")
        if u.shape != self.coef_.shape or not np.isfinite(u).all():
            raise ValueError(
                f"comparator={shown(comparator)}: {len(self.coef_)} finite numbers are expected"
            )
        loss, etas = losses.get(self.loss), self._etas()
        best = float(np.mean(loss.value(self._sample @ u, self._y)))
        start, norm = self.losses_[0] - best, max(1.0, float(np.abs(u).sum()))
        s = 1.0 + np.cumsum(etas)
        if self.shrink:
            name, fade = "B.8", np.exp(-(s[-1] - s) / norm)
            first = math.exp(-(s[-1] - 1.0) / norm)
            bent = etas**2 * (s**2 + 1.0)
        else:
            name, fade = "B.7", (s + norm) / (s[-1] + norm)
            first = (1.0 + norm) / (s[-1] + norm)
            bent = etas**2
        bound = first * max(start, 0.0) + float(fade @ bent) * loss.curvature / 2.0
        own, rounds = float(self.losses_[-1]), len(etas)
        return Certificate(
            rounds,
            own - best,
            {name: bound, "trivial": own},  # losses are at least 0
            "Luo (2016), appendix B.2.3",
            comparators="one combination of the functions",
            against=u,
            rounding=4.0 * _EPS * (rounds + len(self._y) + len(u)) * (own + best + self.losses_[0]),
        )

    def _learned(self) -> dict[str, Any]:
        self._check_fitted()
        return {"coef": self.coef_, "losses": self.losses_, "sample": self._sample, "y": self._y}

    def _restore(self, parts: Parts) -> None:
        self.coef_ = parts.array("coef", (None,))
        self.losses_ = parts.array("losses", (whole(self.rounds, "rounds") + 1,), 0.0)
        self._sample = parts.array("sample", (None, len(self.coef_)), -1.0, 1.0)
        sizes = -LARGEST_VALUE, LARGEST_VALUE
        self._y = parts.array("y", (len(self._sample),), *sizes)

    def _check_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise ValueError("nothing has been learned yet: call fit first")
