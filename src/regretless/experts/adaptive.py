"""Players without a learning rate: weights from the regrets, and from the sizes of the regrets.

Mohri et al. (2018), Exercise 8.8; Luo (2016), chapter 2; Gaillard, Stoltz and van Erven (2014); Koolen
and van Erven (2015); Wintenberger (2017).
"""

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, flag, interval, loss_range, whole, within
from regretless.base.options import option
from regretless.base.state import Parts
from regretless.experts.player import ExpertPlayer
from regretless.experts.regrets import is_group


class PolynomialWeights(ExpertPlayer):
    """Weights `[R_i]_+^(alpha - 1)`, which need no tuning and no horizon.

    Mohri et al. (2018), Exercise 8.8.

    The regret is at most `sqrt((alpha - 1) T) n^(1 / alpha)`; for `alpha = 2 ln n` that is
    `sqrt(e (2 ln n - 1) T)`.

    >>> player = PolynomialWeights(3, alpha=3.0)
    >>> player.update([1.0, 0.0, 0.5])
    0.5
    >>> player.weights
    array([0., 1., 0.])
    """

    alpha: Any = option(
        within,
        "[2, inf)",
        default=None,
        text="the power; by default `2 ln n`, or 2 for fewer than 8 experts",
    )
    prior: Any = None  # the analysis is of even ones

    _theorem = "Mohri et al. (2018), Exercise 8.8"

    def __post_init__(self) -> None:
        if self.alpha is None:
            self.alpha = 2.0 * math.log(self.n) if self.n >= 8 else 2.0
        super().__post_init__()

    def _start(self) -> _core.Experts:
        kind = _core.ExpertPotential.polynomial
        return _core.potential_player(self.prior.tolist(), kind, self.alpha)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # <u, R> <= ||[R]_+||_alpha ||u||_q by Hoelder, 1 / q = 1 - 1 / alpha: for k alike k^{-1/alpha}
        conjugate = self.alpha / (self.alpha - 1.0)
        shares = float(np.sum(u**conjugate)) ** (1.0 / conjugate)
        most = math.sqrt((self.alpha - 1.0) * self.rounds) * self.n ** (1.0 / self.alpha)
        return {"polynomial": most * shares}


class TwoNorm(ExpertPlayer):
    """Weights `[R_i + 1]_+^2 - [R_i - 1]_+^2` (Luo (2016), Corollary 1).

    For every epsilon the regret to the best, leaving out a fraction epsilon, is at most
    `sqrt(T / epsilon)`.

    >>> player = TwoNorm(4)
    >>> suffered = player.update([0.0, 1.0, 1.0, 1.0])
    >>> player.weights.round(4), player.certificate().bounds["two-norm"]
    (array([0.6447, 0.1184, 0.1184, 0.1184]), 2.0)
    """

    _theorem = "Luo (2016), Corollary 1"

    def _start(self) -> _core.Experts:
        return _core.potential_player(self.prior.tolist(), _core.ExpertPotential.two_norm, 0.0)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # sum prior_i [R_i]_+^2 <= T; for a group u of the share epsilon, sum u^2 / prior is 1 / epsilon
        inside = u > 0
        size = float(np.sum(u[inside] * (u[inside] / self.prior[inside])))
        return {"two-norm": math.sqrt(self.rounds * size)}


class NormalHedgeDT(ExpertPlayer):
    """Weights `e^{[R_i + 1]_+^2 / (d t)} - e^{[R_i - 1]_+^2 / (d t)}` in round t.

    Luo (2016), Corollary 2.

    For every epsilon the regret to the best, leaving out a fraction epsilon, is at most
    `sqrt(d T ln(1 + sum_{t <= T} (e^{4 / (d t)} - 1) / (2 epsilon)))`.

    >>> player = NormalHedgeDT(10)
    >>> run = player.run([[0.0] + [1.0] * 9] * 50)
    >>> run.regret(quantile=0.1) <= run.bound(quantile=0.1)
    True
    """

    d: float = option(
        within,
        "[3, inf)",
        hint=": Luo (2016), Lemma 2, does not hold below",
        default=3.0,
        text="how slowly the weights concentrate; 3 is best",
    )

    _theorem = "Luo (2016), Corollary 2"

    def _start(self) -> _core.Experts:
        kind = _core.ExpertPotential.normal_hedge_dt
        return _core.potential_player(self.prior.tolist(), kind, self.d)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T = self.rounds
        charged = _charged(4.0 / self.d, T) / 2.0
        # The mean of e^{[R]_+^2 / (d T)} by the prior is at most 1 + charged: so to every u, as the mean
        # by u of the exponents is at most RE(u || prior) and the logarithm of that.
        logarithm = relative + math.log1p(charged)
        if is_group(u, self.prior):
            logarithm = min(logarithm, math.log1p(charged / float(self.prior[u > 0].sum())))
        return {"normal-hedge-dt": math.sqrt(self.d * T * logarithm)}


def _charged(c: float, rounds: int, few: int = 1_000_000) -> float:
    """`sum_{t <= T} (e^{c / t} - 1)`; later rounds count a little more, `c / t + (c / t)^2`.

    >>> 0 < _charged(1.0, 2_000, few=1_000) - _charged(1.0, 2_000) < 2e-3
    True
    """
    first = float(np.expm1(c / np.arange(1, min(rounds, few) + 1)).sum())
    return first if rounds <= few else first + c * math.log(rounds / few) + c * c / few


def normal_scale(rounds: int, n: int) -> float:
    """An upper bound on the scale c of `NormalHedge` (Chaudhuri, Freund and Hsu (2009), Theorem 1).

    For every delta in (0, 1/2]

        3 (1 + 50 delta) T + 16 (ln n)^2 / delta^2 (10.2 / delta^2 + ln n)

    of which this is the smallest. (The second term is no smaller than theirs.)

    >>> normal_scale(10_000, 2) < 0.04 * 10_000**2
    True
    """
    logarithm, delta = math.log(n), np.geomspace(1e-4, 0.5, 200)  # any of them gives a bound
    rest = 16.0 * (logarithm / delta) ** 2 * (10.2 / delta**2 + logarithm)
    return float(np.min(3.0 * (1.0 + 50.0 * delta) * rounds + rest))


class NormalHedge(ExpertPlayer):
    """Weights `[R_i]_+ e^{[R_i]_+^2 / c}` with the `c` for which `e^{[R_i]_+^2 / c}` is e on average.

    By Chaudhuri, Freund and Hsu (2009). With an even prior the regret to the best, leaving out a
    fraction epsilon of the n experts, is at most `sqrt((1 + ln(1 / epsilon)) normal_scale(T, n))`, which
    is less than T only in long games. There is no bound for an uneven prior. (That the regret is at most
    `sqrt(c (1 + ln(1 / epsilon)))` is not a theorem: `c` is computed from the regrets so that this holds
    for every player.)

    >>> player = NormalHedge(3)
    >>> suffered = player.update([0.0, 0.5, 1.0])
    >>> player.weights
    array([1., 0., 0.])
    """

    _theorem = "Chaudhuri, Freund and Hsu (2009), Theorem 1"

    def _start(self) -> _core.Experts:
        return _core.potential_player(self.prior.tolist(), _core.ExpertPotential.normal_hedge, 0.0)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if np.ptp(self.prior) > 0:
            return {}
        inside = u > 0
        size = self.prior[inside].sum() if is_group(u, self.prior) else self.prior[inside].min()
        return {
            "normal-hedge": math.sqrt((1.0 - math.log(size)) * normal_scale(self.rounds, self.n))
        }


# --- AdaNormalHedge and its version for experts that take turns (Luo (2016), section 2.3) ---------


class AdaNormalHedge(ExpertPlayer):
    """A player without tuning, whose regret adapts to the losses, the prior and the sleeping experts.

    `p_i ~ prior_i c_i w(R_i, C_i)` with `C_i = sum |r_i|` and
    `w(R, C) = (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2`, `Phi(R, C) = e^{[R]_+^2 / (3 C)}` (Luo
    (2016), Algorithm 6). For every `u` at once

        R(u) <= sqrt(3 <u, C> (RE(u || prior) + ln B))
        B = 1 + (3/2) sum_i prior_i (1 + ln(1 + C_i))                            (Lemma 4)

    and `<u, C> <= T` is small if `u` loses little. For an expert, or a group weighted by the prior, with
    the share q of it, the logarithms are `ln(1 + (B - 1) / q)`. (Theorem 4 has `ln(1 + ln n)` more, or 1
    if `u` is even on some of the experts, which is not needed: Lemma 4 says that the mean of
    `e^{[R_i]_+^2 / (3 C_i)}` by the prior is at most B, so `sum u_i [R_i]_+^2 / (3 C_i)` is at most
    `RE(u || prior) + ln B`, and the rest is the inequality of Cauchy and Schwarz.)

    >>> mix = AdaNormalHedge(3)
    >>> suffered = mix.update([0.0, 1.0, 1.0])
    >>> suffered = mix.update([0.0, 1.0, math.nan], confidence=[1, 0.5, 0])
    >>> mix.weights.round(3), mix.certificate().holds
    (array([0.863, 0.008, 0.129]), True)
    """

    power: float = option(
        within,
        "[0, 1]",
        hint=": the analysis ends there",
        default=1.0,
        text="the power of |r| in `C`; 1 is best, and 0 gives `NormalHedgeDT`",
    )

    _kept = ("_slept", "_periods", "_lost")
    _theorem = "Luo (2016), Theorem 4 and Lemma 4"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._periods, self._lost = 1, 0.0  # between changes of the unit, and what they took

    def _start(self) -> _core.Experts:
        return _core.ada_normal_hedge(self.prior.tolist(), self.power)

    def add(self, count: int = 1) -> None:
        """Add experts from now on, as if they had been asleep until now.

        All experts are equally likely then: it needs an even prior.

        >>> mix = AdaNormalHedge(2)
        >>> suffered = mix.update([0.0, 1.0])
        >>> mix.add()
        >>> mix.weights.round(3)
        array([0.589, 0.052, 0.359])
        """
        whole(count, "count")
        if np.ptp(self.prior) > 1e-12:
            raise ValueError("the prior is not even, so that of a new expert is unknown")
        self._engine.grow(int(count))
        self.n += int(count)
        self.prior = np.full(self.n, 1.0 / self.n)
        self._slept = True

    def rescale(self, by: float) -> None:
        """Measure losses in units that are `1 / by` as large from now on, `0 < by < 1`.

        Regrets and their sizes shrink, and so does every `Phi`. In Lemma 4 the sum of
        `|r_t| / (C_{t-1} + 1)` is at most `1 + ln(1 + C)` in each period between two changes, and a
        change takes `ln(1 / by)` at most from that logarithm: B grows by 3/2 of the sum of one and this,
        and is inside a logarithm itself.

        >>> mix = AdaNormalHedge(2)
        >>> suffered = mix.update([0.0, 1.0])
        >>> mix.rescale(0.5)
        >>> mix.regrets
        array([ 0.25, -0.25])
        """
        within(by, "by", "(0, 1]")
        self._engine.rescale(float(by))
        self._periods += 1
        self._lost -= math.log(by)

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        self._periods, self._lost = parts.whole("_periods", 1), parts.number("_lost", 0.0)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        C = np.asarray(self._engine.spread)
        B = lemma_4(C, self.prior, self._periods, self._lost)
        logarithm = relative + math.log(B)
        if is_group(u, self.prior):
            logarithm = min(logarithm, math.log1p((B - 1.0) / float(self.prior[u > 0].sum())))
        return {"ada-normal-hedge": math.sqrt(3.0 * float(u @ C) * logarithm)}


def lemma_4(C: Array, prior: Array | float, periods: float = 1, lost: float = 0.0) -> float:
    """An upper bound B on the sum of the potentials after `periods` units, whose changes cost `lost`.

    >>> lemma_4(np.zeros(2), 0.5)
    2.5
    """
    return 1.0 + 1.5 * (periods + lost + float(np.sum(prior * np.log1p(C))))


class AdaNormalHedgeTV(ExpertPlayer):
    """AdaNormalHedge against the best expert of every interval, all at once.

    Luo (2016), section 2.3.3.

    A copy of the experts begins in each round `tau`, with prior `1 / tau^2`. In the rounds from `a` to
    `b` (the first is 1) the regret to expert i is at most

        sqrt(3 C_i (ln(pi^2 / (6 prior_i)) + 2 ln a + ln(5/2 + (3/2) ln(1 + b))))

    where `C_i` is the sum of |r_i| in these rounds; such bounds add up over the parts of a sequence of
    experts. A group of experts has their total prior, and the mean of their `C` by it. Weights that
    change are a sum of such intervals (Lemma 5). Experts may sleep: the copies are sleeping experts of
    `AdaNormalHedge`, and sleep while their expert sleeps.

    >>> player = AdaNormalHedgeTV(2)
    >>> run = player.run([[0.0, 1.0]] * 400 + [[1.0, 0.0]] * 400)
    >>> round(run.loss, 1), run.regret(shifts=1) <= run.bound(shifts=1) < 800
    (21.1, True)
    """

    streaming: bool = option(
        flag,
        default=True,
        text="""whether to keep only O(ln t) of the copies (Hazan and Seshadhri (2009)), for O(n ln
        t) a round instead of O(n t). The interval is then covered by the lives of O(ln(b -
        a)) copies, each of which lives at least four times as long as the one before, and
        the bounds of these add up""",
    )

    _theorem = "Luo (2016), section 2.3.3"

    def _start(self) -> _core.Experts:
        return _core.ada_normal_hedge_tv(self.prior.tolist(), self.streaming)

    def _logarithm(self, prior: float, first: int, last: int) -> float:
        start = math.log(math.pi**2 / 6.0 / prior) + 2.0 * math.log(first)
        return 3.0 * (start + math.log(2.5 + 1.5 * math.log1p(last)))

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T, inside = self.rounds, u > 0
        if not T:
            return {"intervals": 0.0}
        # the sums of |r| in the rounds 1 to 3, 4 to 15, ..., or in all
        kept = np.asarray(self._engine.spread).reshape(-1, self.n)[:, inside]
        group = is_group(u, self.prior)
        priors = [float(self.prior[inside].sum())] if group else self.prior[inside].tolist()
        weights = np.ones(1) if group else u[inside]
        each = np.zeros(len(priors))
        for first, last in self._lives(1, T):
            C = kept[_part(first) : _part(last) + 1].sum(axis=0) if self.streaming else kept[0]
            spread = [float(u[inside] @ C)] if group else C.tolist()
            each += [math.sqrt(self._logarithm(q, first, T) * c) for q, c in zip(priors, spread)]
        return {"intervals": float(weights @ each)}

    def _lives(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The rounds from `first` to `last`, in parts: a copy begins with each part and outlives it."""
        while first <= last:
            death = first + 4 * (first & -first) if self.streaming else last
            successor = death + 1
            while (
                even := successor & (successor - 1)
            ) > first:  # divisible by more twos: lives longer
                successor = even
            yield first, last if death >= last else successor - 1
            first = last + 1 if death >= last else successor

    def _interval_bound(
        self, earlier: int, spread: Array, start: int, stop: int, expert: int
    ) -> float:
        prior, end = float(self.prior[expert]), earlier + stop
        sums = spread[:, expert]
        return math.fsum(
            math.sqrt(
                self._logarithm(prior, first, end)
                * max(sums[last - earlier] - sums[first - 1 - earlier], 0.0)
            )
            for first, last in self._lives(earlier + start + 1, end)
        )


def _part(round: int) -> int:
    """The number of the part, among 1 to 3, 4 to 15, 16 to 63, ..., that holds a round."""
    return (round.bit_length() - 1) // 2


# --- players with a rate for every expert, from the squares of its regrets ------------------------


class _SecondOrder(ExpertPlayer):
    """Players with bounds in the squares of the regrets, `V_i = sum r_i^2`."""

    def _trivial(self, u: Array) -> dict[str, float]:
        known = super()._trivial(u)
        return known if self.range else {"trivial": self._apart(u)}

    def _apart(self, u: Array) -> float:
        """Bounds by Cauchy and Schwarz, with an addition for regrets whose squares are not exact."""
        V = np.asarray(self._engine.spread)
        return float(u @ np.sqrt(self.rounds * V)) + self._tiny

    @property
    def _tiny(self) -> float:
        """An upper bound on the sum of regrets of less than 1e-146, whose squares are inexact or 0."""
        return 1e-146 * self.rounds


class AdaptMLProd(_SecondOrder):
    """A rate for each expert: `p_i ~ eta_i w_i`, `w_i <- (w_i (1 + eta_i r_i))^(eta'_i / eta_i)`.

    `eta_i = min(1/2, sqrt(ln n / (1 + V_i)))` with `V_i = sum r_i^2` (Gaillard, Stoltz and van
    Erven (2014)). As `sum eta_i w_i r_i = 0` and `x <= x^a + (a - 1) / e` for `a >= 1`, the sum of
    the weights grows by no more than `sum_i (eta_i / eta'_i - 1) / e` a round; with
    `ln(1 + x) >= x - x^2` the regret to expert i is at most

        (1 + sqrt 2) sqrt(ln n) (sqrt(1 + V_i) - 1) + ln(n) / eta_1
            + ln(1 + sum_j (1 + ln(1 + V_j)) / (2 e)) / eta_i

    >>> player = AdaptMLProd(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.992, 0.008]), True)
    """

    prior: Any = None  # the analysis is of even ones
    range: tuple[float, float] | None = option(
        loss_range,
        default=(0.0, 1.0),
        text="""the range of the losses, or None if it is not known: the rates are then at most one
        over twice the largest |r_i| so far, as in opera, without a bound""",
    )

    _theorem = "Gaillard, Stoltz and van Erven (2014), Theorem 3, with its sums bounded by V"

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
    """Hedge with all rates at once: `w_i = prior_i int_0^{1/2} e^{eta R_i - eta^2 V_i} d eta`.

    By Koolen and van Erven (2015), with `V_i = sum r_i^2`. With `Phi(R, V) = int_0^{1/2} (e^{eta R -
    eta^2 V} - 1) / eta d eta` the sum of `prior_i Phi(R_i, V_i)` never rises above 0, and no Phi is
    below `-c`, `c = -Phi(-T, T)`. So to a group of experts whose prior adds up to `q`, with `V` their
    mean by the prior, the regret is at most the R with `Phi(R, V) = c (1 - q) / q`: of the order of
    `sqrt(V ln(ln T / q))`.

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

    >>> player = BOA(2)
    >>> run = player.run([[20.0, 80.0]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([0.999, 0.001]), True)
    """

    range: tuple[float, float] | None = option(
        interval, default=None, text="the range of the losses; None if it is not known"
    )

    _scale_free = True
    _theorem = "Wintenberger (2017), with the growth of the potential by falling rates added up"

    def _start(self) -> _core.Experts:
        return _core.boa(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        inside = u > 0
        V = np.asarray(self._engine.spread)[inside]
        away = self._engine.paid - np.log(self.prior[inside])
        each = 2.0 * np.sqrt(V / 2.2) + np.sqrt(2.2 * V) * away
        return {"bernstein": float(u[inside] @ each) + self._tiny}


class MLPoly(_SecondOrder):
    """Polynomial weights `p_i ~ prior_i [R_i]_+ / (V_i + B)`, for losses in any range.

    By Gaillard, Stoltz and van Erven (2014), as opera has it; `V_i = sum r_i^2`, and `B` is the largest
    `r^2`. The regret to expert i is at most `sqrt((V_i + B) S / prior_i)` where
    `S = sum_t sum_j prior_j r_tj^2 / (V_{t-1,j} + B_{t-1})`, with V and B after round 1 in that round,
    is measured; it grows like a logarithm.

    >>> player = MLPoly(2)
    >>> run = player.run([[20.0, 80.0]] * 20)
    >>> player.weights.round(3), run.regret() <= run.bound()
    (array([1., 0.]), True)
    """

    range: tuple[float, float] | None = option(
        interval, default=None, text="the range of the losses; None if it is not known"
    )

    _scale_free = True
    _theorem = "Gaillard, Stoltz and van Erven (2014), Theorem 5, with its sum measured"

    def _start(self) -> _core.Experts:
        return _core.ml_poly(self.prior.tolist())

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        # sum prior_i [R_i]_+^2 / (V_i + B) <= S, and twice the inequality of Cauchy and Schwarz
        V, inside = np.asarray(self._engine.spread), u > 0
        size = float(
            np.sum(u[inside] * (u[inside] / self.prior[inside] * (V[inside] + self._engine.rate)))
        )
        # the core begins to add up S when an |r| is above 1e-150
        return {"polynomial": math.sqrt(size) * math.sqrt(self._engine.paid) + self._tiny}
