"""Weights that shrink exponentially with the loss: Hedge and what is near to it.

Mohri et al. (2018), section 8.2, Exercises 8.7 and 8.9.
"""

import math
from typing import Any, ClassVar, Literal

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, not_negative, one_of, positive, shown, whole, within
from regretless.base.randomness import generator
from regretless.base.state import Parts
from regretless.experts.player import ExpertPlayer

_SCHEDULES = {
    "horizon": _core.HedgeSchedule.fixed,
    "anytime": _core.HedgeSchedule.anytime,
    "doubling": _core.HedgeSchedule.doubling,
}


class Hedge(ExpertPlayer):
    """Exponential weights: `p_i ~ prior_i e^{-eta L_i}`, L the total loss.

    The rates never grow, and the regret to `u` is at most
    `RE(u || prior) / eta_T + sum_t eta_t / 8` (Mohri et al. (2018), Theorem 8.6); with a fixed rate
    also `(eta <u, L> + RE(u || prior)) / (1 - e^-eta) - <u, L>`, which is small if `u` loses
    little.

    Shalev-Shwartz (2012) calls it Weighted Majority (section 2.1.2), the
    textbook the exponentially weighted average (Mohri et al. (2018), Figure 8.5; on forecasts it
    is a `Mixture` with `gradient=False` and a `range`). The textbook's Weighted Majority is
    `WeightedMajority`.

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`.
    rate : "anytime", `eta_t = sqrt(8 ln n / t)`; "horizon", the best fixed rate for `horizon` rounds;
        "doubling", that for 2^k rounds, starting again in rounds 2^k; "small-loss", which falls with
        what was lost beyond the best mixture so far (AdaHedge: de Rooij, van Erven, Grunwald and
        Koolen (2014)): the regret is of the order of the root of the smallest loss; or a number, a
        fixed rate. Rates are those of losses in [0, 1].
    horizon : how many rounds there will be, for "horizon".

    >>> hedge = Hedge(2, rate=math.log(2))
    >>> hedge.update([0.0, 1.0])
    0.5
    >>> hedge.weights.round(4), round(hedge.certificate().bounds["hoeffding"], 4)
    (array([0.6667, 0.3333]), 1.0866)
    """

    _theorem = "Mohri et al. (2018), Theorems 8.6 and 8.7"

    def __init__(
        self,
        n: int,
        *,
        rate: str | float = "anytime",
        horizon: int | None = None,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        self.rate, self.horizon = rate, horizon
        if isinstance(rate, str):
            names = ("anytime", "horizon", "doubling", "small-loss")
            one_of(rate, "rate", names, ", nor a number")
        else:
            self.rate = positive(rate, "rate")
        if rate == "horizon" and horizon is None:
            raise ValueError(
                "rate='horizon' needs horizon=, the number of rounds; or rate='anytime'"
            )
        if rate != "horizon" and horizon is not None:
            raise ValueError(f"horizon={shown(horizon)} needs rate='horizon', not {shown(rate)}")
        if horizon is not None:
            positive(horizon, "horizon")
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        prior = self.prior.tolist()
        if self.rate == "small-loss":
            return _core.hedge(
                prior,
                _core.HedgeSchedule.small_loss,
                max(-math.log(q) for q in prior if q > 0) or 1.0,
            )
        if isinstance(self.rate, str):
            return _core.hedge(prior, _SCHEDULES[self.rate], _eta(self.n, self.horizon or 1))
        return _core.hedge(prior, _core.HedgeSchedule.fixed, self.rate)

    @property
    def _sleeps(self) -> bool:  # type: ignore[override]
        return self.rate not in ("doubling", "small-loss")

    def _confidence(self, confidence: Any, shape: tuple[int, ...]) -> Array | None:
        awake = super()._confidence(confidence, shape)
        if awake is not None and ((awake > 0) & (awake < 1)).any():
            raise ValueError("confidence must be 0 or 1: Hedge knows who sleeps, not how well")
        return awake

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T, paid = self.rounds, self._engine.paid
        if not T:
            return {"regret": 0.0}
        if self.rate == "doubling":
            each = ((_eta(self.n, 2**k), m) for k, m in _periods(T))
            return {"periods": math.fsum(relative / e + e * m / 8.0 for e, m in each)}
        if self.rate == "small-loss":
            rate = self._engine.rate
            return {"mixability": paid if math.isinf(rate) else relative / rate + paid}
        if self.rate == "anytime":
            eta = self._engine.rate * math.sqrt((T + 1) / T)  # that of the last round
            return {"hoeffding": relative / eta + paid}
        eta, theirs = self._engine.rate, float(u @ (self._engine.loss - self._engine.regrets))
        bounds = {"hoeffding": relative / eta + paid}
        if not self._slept:
            bounds["small loss"] = (eta * theirs + relative) / -math.expm1(-eta) - theirs
        return bounds


class RandomizedWeightedMajority(ExpertPlayer, changing=("draws",)):
    """Follow an expert drawn by its weight, which is multiplied by `beta^loss`.

    Mohri et al. (2018), Figure 8.4.

    The expected loss is at most `ln n / (1 - beta) + (2 - beta) L` where `L` is that of the best expert
    (Theorem 8.4), and with `beta` for a horizon the regret is at most `2 sqrt(T ln n)`. In few rounds
    the theorem says less than that no round costs more than the range, and the certificate has that.

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`.
    beta : in [1/2, 1); or None, for a `horizon`: `max(1/2, 1 - sqrt(ln n / horizon))`; or "doubling",
        that for 2^k rounds, starting again in rounds 2^k.
    seed : of the draws.

    >>> player = RandomizedWeightedMajority(3, beta=0.5, seed=1)
    >>> for losses in ([1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0]):
    ...     followed, suffered = player.act(), player.update(losses)
    >>> round(player.loss, 4), player.certificate().holds
    (1.369, True)
    """

    _sleeps = False
    _kept: ClassVar[tuple[str, ...]] = ("_slept", "draws")
    _theorem = "Mohri et al. (2018), Theorem 8.4"

    def __init__(
        self,
        n: int,
        *,
        beta: float | Literal["doubling"] | None = None,
        horizon: int | None = None,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        self.beta: float | str
        if isinstance(beta, str):
            self.beta = one_of(beta, "beta", ("doubling",), ", nor a number")
            if horizon is not None:
                raise ValueError(f"beta='doubling' and horizon={shown(horizon)}: give one of them")
        else:
            self.beta = _beta(beta, horizon, lambda T: _majority(n, T))
        self.seed, self.draws = whole(seed, "seed", 0), 0
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        prior = self.prior.tolist()
        if isinstance(self.beta, str):
            return _core.hedge(prior, _core.HedgeSchedule.majority, math.sqrt(_log(self.n)))
        return _core.hedge(prior, _core.HedgeSchedule.fixed, -math.log(self.beta))

    def act(self) -> int:
        """Draw the expert to follow in this round; every call draws anew."""
        random = generator(self.seed, "actions", self.draws)
        self.draws += 1
        return _core.drawn_index(self.weights, random.random())

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        self.draws = parts.whole("draws")

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if isinstance(self.beta, str):
            each = ((1.0 - _majority(self.n, 2**k), m) for k, m in _periods(self.rounds))
            return {"periods": math.fsum(min(relative / gap + gap * m, m) for gap, m in each)}
        theirs = float(u @ (self._engine.loss - self._engine.regrets))
        away = relative / (1.0 - self.beta)
        return {
            "small loss": away + (1.0 - self.beta) * theirs,
            "rounds": min(away + (1.0 - self.beta) * self.rounds, float(self.rounds)),
        }


class SecondOrderHedge(ExpertPlayer):
    """Linear multiplicative weights, `w_i <- w_i (1 - (1 - beta) l_i)`.

    Mohri et al. (2018), Exercises 8.7 and 8.9.

    The regret to expert i is at most `ln(1 / prior_i) / (1 - beta) + (1 - beta) sum_t l_ti^2`. For
    losses of 0 and 1 it is `RandomizedWeightedMajority`.

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`; the range must be known.
    beta : in [1/2, 1); or None, for a `horizon`: `1 - 1 / (1 + sqrt(horizon / (2 ln n)))`, which has
        regret at most `ln n + sqrt(2 T ln n)`.

    >>> player = SecondOrderHedge(3, beta=0.6)
    >>> run = player.run([[0.2, 0.9, 0.5], [0.7, 0.1, 0.4], [0.0, 1.0, 0.3]])
    >>> round(run.loss, 10)
    1.3876457655
    """

    _sleeps = False
    _theorem = "Mohri et al. (2018), Exercises 8.7 and 8.9"

    def __init__(
        self,
        n: int,
        *,
        beta: float | None = None,
        horizon: int | None = None,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        self.beta = _beta(
            beta, horizon, lambda T: max(0.5, 1.0 - 1.0 / (1.0 + math.sqrt(T / (2.0 * _log(n)))))
        )
        if range is None:
            raise ValueError("range=None: weights 1 - (1 - beta) loss need losses of a known range")
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.linear_hedge(self.prior.tolist(), self.beta)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        gap, T = 1.0 - self.beta, self.rounds
        squares = float(u @ np.asarray(self._engine.spread))
        # for 0 < a = 2 beta < 2, ln(1 - x) >= -x - x^2 / a where x <= 1 - a / 2
        return {
            "second order": relative / gap + gap * squares,
            "generalised": relative / gap + gap / (2.0 * self.beta) * T,
        }


class FixedShare(ExpertPlayer):
    """Hedge whose weights are mixed with even ones: good against experts that take turns.

    `v_i ~ p_i e^{-eta l_i}`, `p_i = (1 - share) v_i + share / n` (Herbster and Warmuth (1998)). To
    a sequence of experts with `k` changes the regret is at most
    `((k + 1) ln n + k ln(1 / share) + (T - k - 1) ln(1 / (1 - share))) / eta + eta T / 8`.

    Parameters
    ----------
    n, prior, range : see `ExpertPlayer`.
    rate, share : `eta > 0` and in [0, 1); or None both, for a `horizon` with about so many `shifts`.

    >>> player = FixedShare(2, horizon=100, shifts=1)
    >>> run = player.run([[0.0, 1.0]] * 50 + [[1.0, 0.0]] * 50)
    >>> run.regret(shifts=1) <= run.bound(shifts=1)
    True
    """

    _sleeps = False
    _theorem = "Herbster and Warmuth (1998); Cesa-Bianchi and Lugosi (2006), Theorem 5.2"

    def __init__(
        self,
        n: int,
        *,
        rate: float | None = None,
        share: float | None = None,
        horizon: int | None = None,
        shifts: int = 1,
        prior: Any = None,
        range: tuple[float, float] | None = (0.0, 1.0),
    ) -> None:
        if (rate is None) != (share is None) or (rate is None) != (horizon is not None):
            raise ValueError("give rate= and share=, or horizon= and shifts= to have them chosen")
        if horizon is not None:
            T = positive(horizon, "horizon")
            share = min(max(shifts, 0) / max(T - 1.0, 1.0), 0.5)
            self.share = share
            rate = math.sqrt(8.0 * max(self._paths(n, T, shifts), math.log(2.0)) / T)
        self.rate, self.share = positive(rate, "rate"), within(share, "share", "[0, 1)")
        super().__init__(n, prior=prior, range=range)

    def _start(self) -> _core.Experts:
        return _core.fixed_share(self.prior.tolist(), self.rate, self.share)

    def _paths(self, n: int, T: float, shifts: int) -> float:
        """`ln(1 / prior)` of a sequence with so many changes: a change takes `share / n`."""
        stays, kept = T - 1 - shifts, 1.0 - self.share + self.share / n
        changes = shifts * math.log(n / self.share) if self.share > 0 else math.inf
        return math.log(n) + (changes if shifts else 0.0) - stays * math.log(kept)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        T = self.rounds
        if not T:
            return {"no changes": 0.0}
        paths = self._paths(self.n, T, 0) - math.log(self.n) + relative
        return {"no changes": paths / self.rate + self.rate * T / 8.0}

    def _shifting_bound(self, rounds: int, shifts: int) -> float:
        first = float(np.log(1.0 / self.prior.min())) - math.log(self.n)
        # fewer changes may have been enough
        worst = max(self._paths(self.n, rounds, k) for k in (0, min(shifts, rounds - 1)))
        return (worst + first) / self.rate + self.rate * rounds / 8.0


def _log(n: int) -> float:
    return math.log(max(n, 2))  # one expert is followed at any rate


def _eta(n: int, rounds: int) -> float:
    """The best fixed rate for so many rounds (Mohri et al. (2018), eq. 8.16)."""
    return math.sqrt(8.0 * _log(n) / rounds)


def _majority(n: int, rounds: float) -> float:
    """The best beta for so many rounds (Mohri et al. (2018), Theorem 8.4)."""
    return max(0.5, 1.0 - math.sqrt(_log(n) / rounds))


def _periods(rounds: int) -> list[tuple[int, int]]:
    """The periods that begin in the rounds 2^k: k, and how many rounds there were; the last may be cut.

    >>> _periods(9)
    [(0, 1), (1, 2), (2, 4), (3, 2)]
    """
    return [(k, min(2 ** (k + 1) - 1, rounds) - 2**k + 1) for k in range(rounds.bit_length())]


def _beta(beta: float | None, horizon: int | None, tuned: Any) -> float:
    if (beta is None) == (horizon is None):
        raise ValueError(f"beta={shown(beta)} and horizon={shown(horizon)}: give one of them")
    if horizon is not None:
        return float(tuned(positive(horizon, "horizon")))
    assert beta is not None
    return within(beta, "beta", "[1/2, 1)")


# --- what a bound in the sizes of regrets says where losses are easy (Luo (2016), Theorem 5) ------


def small_loss_bound(factor: float, loss: float) -> float:
    """The regret of a player whose regret is at most `sqrt(C factor)`, C the sum of its sizes.

    If the comparator lost `loss` in all, of losses in [0, 1], it is at most
    `sqrt(2 loss factor) + factor` (Luo (2016), Theorem 5, part 1). Of `AdaNormalHedge`, the factor is
    `3 ln(B / q)` for an expert of prior q; of `TwoNorm` and others there is none. `loss` may also be the
    sum of what the comparator lost more than the player, in the rounds where it did.

    >>> round(small_loss_bound(12.0, loss=0.0), 9), round(small_loss_bound(12.0, loss=150.0), 9)
    (12.0, 72.0)
    """
    a = not_negative(factor, "factor")
    return math.sqrt(2.0 * not_negative(loss, "loss") * a) + a


def gap_bound(factor: float, gap: float) -> float:
    """The expected regret of such a player to the best expert, if chance makes it the best by a gap.

    In every round the others lose at least `gap` more in expectation, whatever happened before. Then
    it is at most `factor / gap`, however many rounds there are (Luo (2016), Theorem 5, part 2).

    >>> gap_bound(12.0, gap=0.2)
    60.0
    """
    return not_negative(factor, "factor") / positive(gap, "gap")
