"""AdaNormalHedge and its version for experts that take turns (Luo (2016), section 2.3)."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from regretless import _core
from regretless.arguments import whole, within
from regretless.experts.comparators import is_group
from regretless.experts.player import ExpertPlayer
from regretless.run import Array
from regretless.state import Parts

__all__ = ["AdaNormalHedge", "AdaNormalHedgeTV"]


class AdaNormalHedge(ExpertPlayer):
    """Nothing to tune: the regret adapts to the losses, to the prior and to who is awake.

    `p_i ~ prior_i c_i w(R_i, C_i)` with `C_i = sum |r_i|` and
    `w(R, C) = (Phi(R + 1, C + 1) - Phi(R - 1, C + 1)) / 2`, `Phi(R, C) = e^{[R]_+^2 / (3 C)}` (Luo
    (2016), Algorithm 6). For every `u` at once

        R(u) <= sqrt(3 <u, C> (RE(u || prior) + ln B))
        B = 1 + (3/2) sum_i prior_i (1 + ln(1 + C_i))                            (Lemma 4)

    and `<u, C> <= T` is small if `u` loses little. For an expert or a group of them by the prior, which
    has the share q of it, the logarithms are `ln(1 + (B - 1) / q)`. (Theorem 4 has `ln(1 + ln n)` more,
    or 1 if `u` is even on some of the experts, which is not needed: Lemma 4 says that the mean of
    `e^{[R_i]_+^2 / (3 C_i)}` by the prior is at most B, so `sum u_i [R_i]_+^2 / (3 C_i)` is at most
    `RE(u || prior) + ln B`, and the rest is the inequality of Cauchy and Schwarz.)

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`.
    power : of |r| in `C`, in [0, 1]: 1 is best, 0 is `NormalHedgeDT`.

    >>> mix = AdaNormalHedge(3)
    >>> suffered = mix.update([0.0, 1.0, 1.0])
    >>> suffered = mix.update([0.0, 1.0, math.nan], confidence=[1, 0.5, 0])
    >>> mix.weights.round(3), mix.certificate().holds
    (array([0.863, 0.008, 0.129]), True)
    """

    _kept = ("_slept", "_periods", "_lost")
    _theorem = "Luo (2016), Theorem 4 and Lemma 4"

    def __init__(
        self,
        n: int,
        *,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
        power: float = 1.0,
    ) -> None:
        self.power = within(power, "power", "[0, 1]", ": the analysis ends there")
        self._periods, self._lost = 1, 0.0  # between changes of the unit, and what they took
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.ada_normal_hedge(self.prior.tolist(), self.power)

    def add(self, count: int = 1) -> None:
        """Further experts appear, from now on; they were asleep until now.

        All experts are equally likely then: it needs an even prior.

        >>> mix = AdaNormalHedge(2)
        >>> suffered = mix.update([0.0, 1.0])
        >>> mix.add()
        >>> mix.weights.round(3)
        array([0.589, 0.052, 0.359])
        """
        whole(count, "count")
        if np.ptp(self.prior) > 1e-12:
            raise ValueError("the prior is not even: how likely a newcomer is cannot be known")
        self._engine.grow(int(count))
        self.prior = np.full(self.n + int(count), 1.0 / (self.n + int(count)))
        self._slept = True

    def rescale(self, by: float) -> None:
        """Measure losses in units that are `1 / by` as large from now on, `0 < by < 1`.

        Regrets and their sizes shrink, and so does every `Phi`. In Lemma 4 the sum of
        `|r_t| / (C_{t-1} + 1)` is at most `1 + ln(1 + C)` in each period between two changes, and a
        change takes `ln(1 / by)` at most from that logarithm: B grows by 3/2 of one and this, and is
        inside a logarithm itself.

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

    def _remember(self, kept: Parts) -> None:
        super()._remember(kept)
        self._periods, self._lost = kept.whole("_periods", 1), kept.number("_lost", 0.0)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        C = np.asarray(self._engine.spread)
        B = lemma_4(C, self.prior, self._periods, self._lost)
        logarithm = relative + math.log(B)
        if is_group(u, self.prior):
            logarithm = min(logarithm, math.log1p((B - 1.0) / float(self.prior[u > 0].sum())))
        return {"ada-normal-hedge": math.sqrt(3.0 * float(u @ C) * logarithm)}


def lemma_4(C: Array, prior: Array | float, periods: float = 1, lost: float = 0.0) -> float:
    """What the potentials add up to at most, B; `periods` between changes of unit, which took `lost`.

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

    `C_i` being the sum of |r_i| in these rounds; add that up over the parts of a sequence of experts.
    For a group of experts the prior is theirs together, and `C` their mean by it.
    Weights that change are a sum of such intervals (Lemma 5). Experts may sleep: the copies are sleeping
    experts of `AdaNormalHedge` anyhow, and sleep when theirs does.

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`.
    streaming : keep only O(ln t) of the copies (Hazan and Seshadhri (2009)), for O(n ln t) a round
        instead of O(n t). The interval is then covered by the lives of O(ln(b - a)) copies, of which
        each lives at least four times as long as the one before, and the bounds of these add up.

    >>> player = AdaNormalHedgeTV(2)
    >>> run = player.run([[0.0, 1.0]] * 400 + [[1.0, 0.0]] * 400)
    >>> round(run.loss, 1), run.regret(shifts=1) <= run.bound(shifts=1) < 800
    (21.1, True)
    """

    _theorem = "Luo (2016), section 2.3.3"

    def __init__(
        self,
        n: int,
        *,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
        streaming: bool = True,
    ) -> None:
        self.streaming = bool(streaming)
        super().__init__(n, prior=prior, range=range)

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
        """The rounds from `first` to `last` in parts that a copy begins with and outlives."""
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
    """Which of 1 to 3, 4 to 15, 16 to 63, ... a round is in."""
    return (round.bit_length() - 1) // 2
