"""Players with a rate for every expert, from the squares of its regrets."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.experts.player import ExpertPlayer, is_group
from regretless.run import Array

__all__ = ["BOA", "AdaptMLProd", "MLPoly", "Squint"]


class AdaptMLProd(ExpertPlayer):
    """`p_i ~ eta_i w_i`, `w_i <- (w_i (1 + eta_i r_i))^(eta'_i / eta_i)`: regret by squares.

    `eta_i = min(1/2, sqrt(ln n / (1 + V_i)))` with `V_i = sum r_i^2` (Gaillard, Stoltz and van Erven,
    2014). The regret to expert i is at most `c sqrt((1 + V_i) / ln n) + 2 c`,
    `c = 3 ln n + ln(1 + n / (2 e) (1 + ln(T + 1)))`.

    Parameters
    ----------
    n : how many experts.
    range : of the losses; or None if it is not known: the rates are then at most one over twice the
        largest |r_i| so far, as opera has it, and there is no bound.

    >>> player = AdaptMLProd(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.992, 0.008]), True)
    """

    _theorem = "Gaillard, Stoltz and van Erven (2014), Corollary 4"

    def __init__(self, n: int, *, range: tuple[float, float] | None = (0.0, 1.0)) -> None:
        super().__init__(n, range=range)

    def _start(self) -> _core.Experts:
        return _core.adapt_ml_prod(self.prior.tolist(), self.range is not None)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if self.range is None:
            return {}
        n, T = max(self.n, 2), self.rounds
        c = 3.0 * math.log(n) + math.log1p(n / (2.0 * math.e) * (1.0 + math.log(T + 1.0)))
        roots = np.sqrt((1.0 + np.asarray(self._engine.spread)) / math.log(n))
        return {"ml-prod": float(u @ (c * roots)) + 2.0 * c}


class Squint(ExpertPlayer):
    """All rates at once: `w_i = prior_i int_0^{1/2} e^{eta R_i - eta^2 V_i} d eta`, `V_i = sum r_i^2`.

    By Koolen and van Erven (2015). To a group of experts whose prior adds up to `q`, with `V` their mean
    by the prior, the regret is at most (Theorem 4)
    `sqrt(2 V) (1 + sqrt(2 ln((1/2 + ln(T + 1)) / q))) + 5 ln(1 + (1 + 2 ln(T + 1)) / q)`.

    Parameters: `n`, `prior`, `range`.

    >>> player = Squint(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.913, 0.087]), True)
    """

    _theorem = "Koolen and van Erven (2015), Theorem 4"

    def _start(self) -> _core.Experts:
        return _core.squint(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        V, log_T = np.asarray(self._engine.spread), math.log(self.rounds + 1.0)

        def group(V: Any, q: Any) -> Any:
            root = np.sqrt(2.0 * np.maximum(np.log((0.5 + log_T) / q), 0.0))
            return np.sqrt(2.0 * V) * (1.0 + root) + 5.0 * np.log1p((1.0 + 2.0 * log_T) / q)

        inside = u > 0
        if is_group(u, self.prior):
            return {"squint": float(group(u @ V, self.prior[inside].sum()))}
        return {"squint": float(u[inside] @ group(V[inside], self.prior[inside]))}


class BOA(ExpertPlayer):
    """Bernstein online aggregation, in any range of losses: `p_i ~ prior_i eta_i e^{eta_i S_i}`.

    `S_i = sum_t r_ti - eta_ti r_ti^2`, `1 / eta_ti^2 = 2.2 V_ti`, `V_ti = sum_{s <= t} r_si^2`
    (Wintenberger, 2017, as opera has it). As `sum r^2 / sqrt(V) <= 2 sqrt(V)`, the regret to expert i is
    at most `2 sqrt(V_i / 2.2) + sqrt(2.2 V_i) (ln(1 / prior_i) + ln sum_j prior_j e^{eta_j S_j})`, the
    last sum being measured.

    Parameters: `n`, `prior`; `range` of the losses, by default not known.

    >>> player = BOA(2)
    >>> run = player.run([[20.0, 80.0]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.999, 0.001]), True)
    """

    _theorem = "Wintenberger (2017), with the potential measured"

    def __init__(
        self, n: int, *, prior: Any = None, range: tuple[float, float] | None = None
    ) -> None:
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.boa(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        V = np.asarray(self._engine.spread)[u > 0]
        with np.errstate(divide="ignore"):
            away = self._engine.paid - np.log(self.prior[u > 0])
        each = 2.0 * np.sqrt(V / 2.2) + np.sqrt(2.2 * V) * away
        return {"bernstein": float(u[u > 0] @ each)}


class MLPoly(ExpertPlayer):
    """`p_i ~ prior_i [R_i]_+ / (V_i + B)`, `V_i = sum r_i^2`, `B` the largest `r^2`, in any range.

    By Gaillard, Stoltz and van Erven (2014), as opera has it. The regret to expert i is at most
    `sqrt((V_i + B) S / prior_i)` where `S = sum_t sum_j prior_j r_tj^2 / (V_{t-1,j} + B_{t-1})`, with V
    and B after round 1 in that round, is measured; it grows like a logarithm.

    Parameters: `n`, `prior`; `range` of the losses, by default not known.

    >>> player = MLPoly(2)
    >>> run = player.run([[20.0, 80.0]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([1., 0.]), True)
    """

    _theorem = "Gaillard, Stoltz and van Erven (2014), Theorem 5, with its sum measured"

    def __init__(
        self, n: int, *, prior: Any = None, range: tuple[float, float] | None = None
    ) -> None:
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.ml_poly(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        V = np.asarray(self._engine.spread)[u > 0]
        with np.errstate(divide="ignore"):
            each = np.sqrt((V + self._engine.rate) * self._engine.paid / self.prior[u > 0])
        return {"polynomial": float(u[u > 0] @ each)}
