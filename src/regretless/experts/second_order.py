"""Players with a rate for every expert, from the squares of its regrets."""

import itertools
import math
from functools import lru_cache
from typing import Any

import numpy as np

from regretless import _core
from regretless.experts.comparators import is_group
from regretless.experts.player import ExpertPlayer
from regretless.run import Array

__all__ = ["BOA", "AdaptMLProd", "MLPoly", "Squint"]


class _SecondOrder(ExpertPlayer):
    """What the squares of the regrets, `V_i = sum r_i^2`, tell."""

    def _trivial(self, u: Array) -> dict[str, float]:
        known = super()._trivial(u)
        return known if self.range else {"trivial": self._apart(u)}

    def _apart(self, u: Array) -> float:
        """By Cauchy and Schwarz; squares of less than 1e-146 are not exact, or nothing."""
        V = np.asarray(self._engine.spread)
        return float(u @ np.sqrt(self.rounds * V)) + 1e-146 * self.rounds


class AdaptMLProd(_SecondOrder):
    """`p_i ~ eta_i w_i`, `w_i <- (w_i (1 + eta_i r_i))^(eta'_i / eta_i)`: regret by squares.

    `eta_i = min(1/2, sqrt(ln n / (1 + V_i)))` with `V_i = sum r_i^2` (Gaillard, Stoltz and van
    Erven (2014)). As `sum eta_i w_i r_i = 0` and `x <= x^a + (a - 1) / e` for `a >= 1`, the sum of
    the weights grows by no more than `sum_i (eta_i / eta'_i - 1) / e` a round; with
    `ln(1 + x) >= x - x^2` the regret to expert i is at most

        (1 + sqrt 2) sqrt(ln n) (sqrt(1 + V_i) - 1) + ln(n) / eta_1
            + ln(1 + sum_j (1 + ln(1 + V_j)) / (2 e)) / eta_i

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

    _theorem = "Gaillard, Stoltz and van Erven (2014), Theorem 3, with its sums bounded by V"

    def __init__(self, n: int, *, range: tuple[float, float] | None = (0.0, 1.0)) -> None:
        super().__init__(n, range=range)

    def _start(self) -> _core.Experts:
        return _core.adapt_ml_prod(self.prior.tolist(), self.range is not None)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        V, log_n = np.asarray(self._engine.spread), math.log(max(self.n, 2))
        grown = math.log1p(float(np.sum(1.0 + np.log1p(V))) / (2.0 * math.e))
        slowness = np.maximum(2.0, np.sqrt((1.0 + V) / log_n))  # 1 / eta
        steps = (1.0 + math.sqrt(2.0)) * math.sqrt(log_n) * (np.sqrt(1.0 + V) - 1.0)
        start = log_n * max(2.0, 1.0 / math.sqrt(log_n))
        return {"ml-prod": float(u @ (steps + grown * slowness)) + start}


class Squint(_SecondOrder):
    """All rates at once: `w_i = prior_i int_0^{1/2} e^{eta R_i - eta^2 V_i} d eta`, `V_i = sum r_i^2`.

    By Koolen and van Erven (2015). With `Phi(R, V) = int_0^{1/2} (e^{eta R - eta^2 V} - 1) / eta d eta`
    the sum of `prior_i Phi(R_i, V_i)` never rises above 0, and no Phi is below `-c`, `c = -Phi(-T, T)`.
    So to a group of experts whose prior adds up to `q`, with `V` their mean by the prior, the regret is
    at most the R with `Phi(R, V) = c (1 - q) / q`: of the order of `sqrt(V ln(ln T / q))`.

    Parameters: `n`, `prior`, `range`.

    >>> player = Squint(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.913, 0.087]), True)
    """

    _theorem = "Koolen and van Erven (2015), Lemma 1, solved for the regret"

    def _start(self) -> _core.Experts:
        return _core.squint(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        V, T, inside = np.asarray(self._engine.spread), float(self.rounds), u > 0
        if not T:
            return {"squint": 0.0}
        lowest = -_potential(-T, T)
        if is_group(u, self.prior):
            group = float(self.prior[inside].sum())
            return {"squint": _largest_regret(float(u @ V), lowest * (1.0 - group) / group, T)}
        room = lowest * (1.0 - self.prior[inside]) / self.prior[inside]
        each = [_largest_regret(v, p, T) for v, p in zip(V[inside].tolist(), room.tolist())]
        return {"squint": float(u[inside] @ each)}


@lru_cache(maxsize=4096)
def _potential(R: float, V: float) -> float:
    """`int_0^{1/2} (e^{eta R - eta^2 V} - 1) / eta d eta`."""
    from scipy.integrate import quad

    def inside(eta: float) -> float:
        return math.expm1(min(eta * R - eta * eta * V, 700.0)) / eta if eta > 0 else R

    # where it is highest, and where it bends
    places = {R / (2.0 * V + 1e-300), 1.0 / (abs(R) + 1.0), 1.0 / math.sqrt(V + 1.0)}
    cuts = sorted({0.0, 0.5, *(x for x in places if 0 < x < 0.5)})
    return math.fsum(quad(inside, a, b, epsabs=1e-12)[0] for a, b in itertools.pairwise(cuts))


@lru_cache(maxsize=4096)
def _largest_regret(V: float, potential: float, T: float) -> float:
    """The R with `Phi(R, V) = potential`, no more than the number of rounds."""
    from scipy.optimize import brentq

    # Phi rises with R, and is not above 0 at 0; integrals are known to 1.5e-8 of their size
    known = potential + 1e-7 * abs(potential) + 1e-11
    if not math.isfinite(known) or _potential(T, V) <= known:
        return T
    close = 1e-10 * T
    root = brentq(lambda R: _potential(R, V) - known, 0.0, T, xtol=close, rtol=1e-12)
    return min(float(root) + 2.0 * close, T)


class BOA(_SecondOrder):
    """Bernstein online aggregation, in any range of losses: `p_i ~ prior_i eta_i e^{eta_i S_i}`.

    `S_i = sum_t r_ti - eta_ti r_ti^2`, `1 / eta_ti^2 = 2.2 V_ti`, `V_ti = sum_{s <= t} r_si^2`
    (Wintenberger (2017), as opera has it). As `sum r^2 / sqrt(V) <= 2 sqrt(V)`, the regret to
    expert i is at most `2 sqrt(V_i / 2.2) + sqrt(2.2 V_i) (ln(1 / prior_i) + ln W)` where W is at
    least `sum_j prior_j e^{eta_j S_j}`. It starts at 1 and grows by no more than
    `0.51 sum_j prior_j (1 - eta'_j / eta_j)` in a round, as rates fall from eta to eta'; by more if
    some |r| is beyond half of all before, `eta |r| > 1/2`, which the core adds up
    (`second_order.hpp` has the proof).

    Parameters: `n`, `prior`; `range` of the losses, by default not known.

    >>> player = BOA(2)
    >>> run = player.run([[20.0, 80.0]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.999, 0.001]), True)
    """

    _scale_free = True
    _theorem = "Wintenberger (2017), with the growth of the potential by falling rates added up"

    def __init__(
        self, n: int, *, prior: Any = None, range: tuple[float, float] | None = None
    ) -> None:
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.boa(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        inside = u > 0
        V = np.asarray(self._engine.spread)[inside]
        away = self._engine.paid - np.log(self.prior[inside])
        each = 2.0 * np.sqrt(V / 2.2) + np.sqrt(2.2 * V) * away
        return {"bernstein": float(u[inside] @ each)}


class MLPoly(_SecondOrder):
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

    _scale_free = True
    _theorem = "Gaillard, Stoltz and van Erven (2014), Theorem 5, with its sum measured"

    def __init__(
        self, n: int, *, prior: Any = None, range: tuple[float, float] | None = None
    ) -> None:
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.ml_poly(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # sum prior_i [R_i]_+^2 / (V_i + B) <= S, and twice the inequality of Cauchy and Schwarz
        V, inside = np.asarray(self._engine.spread), u > 0
        size = float(
            np.sum(u[inside] * (u[inside] / self.prior[inside] * (V[inside] + self._engine.rate)))
        )
        return {"polynomial": math.sqrt(size) * math.sqrt(self._engine.paid)}
