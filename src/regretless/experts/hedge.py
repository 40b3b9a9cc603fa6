"""Hedge and its relatives: weights that shrink exponentially with the loss.

Mohri et al. (2018), section 8.2, Exercises 8.7 and 8.9.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, named_or, not_negative, positive, whole, within
from regretless.base.options import option
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

    >>> hedge = Hedge(2, rate=math.log(2))
    >>> hedge.update([0.0, 1.0])
    0.5
    >>> hedge.weights.round(4), round(hedge.certificate().bounds["hoeffding"], 4)
    (array([0.6667, 0.3333]), 1.0866)
    """

    rate: str | float = option(
        named_or,
        ("anytime", "horizon", "doubling", "small-loss"),
        positive,
        default="anytime",
        text="""the learning rate for losses in [0, 1]. "anytime" is `eta_t = sqrt(8 ln n / t)`;
        "horizon" is the best fixed rate for `horizon` rounds; "doubling" is that for 2^k
        rounds, and the player starts again in rounds 2^k; "small-loss" falls with the loss beyond the
        best mixture so far (AdaHedge: de Rooij, van Erven, Grunwald and Koolen (2014)), and the regret
        is of the order of the root of the smallest loss; a number is a fixed rate""",
    )
    horizon: int | None = option(
        whole, default=None, text="""how many rounds there will be; it needs `rate="horizon"`"""
    )

    _theorem = "Mohri et al. (2018), Theorems 8.6 and 8.7"

    def __post_init__(self) -> None:
        if self.rate == "horizon" and self.horizon is None:
            raise ValueError(
                "rate='horizon' needs horizon=, the number of rounds; or rate='anytime'"
            )
        if self.rate != "horizon" and self.horizon is not None:
            raise ValueError(f"horizon={self.horizon} needs rate='horizon', not {self.rate!r}")
        super().__post_init__()

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
            raise ValueError("confidence must be 0 or 1 for Hedge: an expert sleeps or is awake")
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


class _Tuned(ExpertPlayer):
    """Players whose parameters a horizon can choose. They keep the parameters, not the horizon."""

    _sleeps = False

    horizon: int | None = option(
        whole,
        default=None,
        text="for how many rounds the parameters are chosen, if they are not given",
    )

    def __post_init__(self) -> None:
        self._tune(self.horizon)
        del self.horizon
        super().__post_init__()

    @abstractmethod
    def _tune(self, horizon: int | None) -> None:
        """Choose the parameters that are not given; refuse too many or too few of them."""


class RandomizedWeightedMajority(_Tuned, changing=("draws",)):
    """Follow an expert drawn by its weight, which is multiplied by `beta^loss`.

    Mohri et al. (2018), Figure 8.4.

    The expected loss is at most `ln n / (1 - beta) + (2 - beta) L` where `L` is that of the best expert
    (Theorem 8.4), and with `beta` for a horizon the regret is at most `2 sqrt(T ln n)`. In few rounds
    the trivial bound, that a round costs at most the range, is smaller, and the certificate has it.

    >>> player = RandomizedWeightedMajority(3, beta=0.5, seed=1)
    >>> for losses in ([1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0]):
    ...     followed, suffered = player.act(), player.update(losses)
    >>> round(player.loss, 4), player.certificate().holds
    (1.369, True)
    """

    beta: Any = option(
        named_or,
        ("doubling",),
        within,
        "[1/2, 1)",
        default=None,
        text="""what a loss of 1 multiplies a weight by. With a `horizon` it is `max(1/2, 1 -
        sqrt(ln n / horizon))`; "doubling" is that for 2^k rounds, and the player starts
        again in rounds 2^k""",
    )
    seed: int = option(whole, 0, default=0, text="the seed of the draws")

    _kept: ClassVar[tuple[str, ...]] = ("_slept", "draws")
    _theorem = "Mohri et al. (2018), Theorem 8.4"

    def _tune(self, horizon: int | None) -> None:
        self.beta = _beta(self.beta, horizon, lambda T: _majority(self.n, T))
        self.draws = 0

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


class SecondOrderHedge(_Tuned):
    """Linear multiplicative weights, `w_i <- w_i (1 - (1 - beta) l_i)`.

    Mohri et al. (2018), Exercises 8.7 and 8.9.

    The regret to expert i is at most `ln(1 / prior_i) / (1 - beta) + (1 - beta) sum_t l_ti^2`. For
    losses of 0 and 1 it is `RandomizedWeightedMajority`.

    >>> player = SecondOrderHedge(3, beta=0.6)
    >>> run = player.run([[0.2, 0.9, 0.5], [0.7, 0.1, 0.4], [0.0, 1.0, 0.3]])
    >>> round(run.loss, 10)
    1.3876457655
    """

    beta: Any = option(
        within,
        "[1/2, 1)",
        default=None,
        text="""what a loss of 1 multiplies a weight by. With a `horizon` it is `1 - 1 / (1 +
        sqrt(horizon / (2 ln n)))`, and the regret is at most `ln n + sqrt(2 T ln n)`""",
    )

    _theorem = "Mohri et al. (2018), Exercises 8.7 and 8.9"

    def _tune(self, horizon: int | None) -> None:
        if self.range is None:
            raise ValueError("range=None: weights 1 - (1 - beta) loss need losses of a known range")
        self.beta = _beta(
            self.beta,
            horizon,
            lambda T: max(0.5, 1.0 - 1.0 / (1.0 + math.sqrt(T / (2.0 * _log(self.n))))),
        )

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


class FixedShare(_Tuned):
    """Hedge whose weights are mixed with even ones, for problems in which the best expert changes.

    `v_i ~ p_i e^{-eta l_i}`, `p_i = (1 - share) v_i + share / n` (Herbster and Warmuth (1998)). To
    a sequence of experts with `k` changes the regret is at most
    `((k + 1) ln n + k ln(1 / share) + (T - k - 1) ln(1 / (1 - share))) / eta + eta T / 8`.

    >>> player = FixedShare(2, horizon=100, shifts=1)
    >>> run = player.run([[0.0, 1.0]] * 50 + [[1.0, 0.0]] * 50)
    >>> run.regret(shifts=1) <= run.bound(shifts=1)
    True
    """

    rate: Any = option(
        positive, default=None, text="the learning rate eta; a `horizon` chooses it and `share`"
    )
    share: Any = option(
        within,
        "[0, 1)",
        default=None,
        text="the part of all weights that is spread evenly after each round",
    )
    shifts: int = option(
        default=1, text="about how often the best expert changes within the `horizon`"
    )

    _theorem = "Herbster and Warmuth (1998); Cesa-Bianchi and Lugosi (2006), Theorem 5.2"

    def _tune(self, horizon: int | None) -> None:
        given = (self.rate is not None, self.share is not None)
        if given != (horizon is None, horizon is None):
            raise ValueError("give rate= and share=, or horizon= and shifts= to have them chosen")
        if horizon is not None:
            self.share = min(max(self.shifts, 0) / max(horizon - 1.0, 1.0), 0.5)
            paths = max(self._paths(self.n, horizon, self.shifts), math.log(2.0))
            self.rate = math.sqrt(8.0 * paths / horizon)
        del self.shifts

    def _start(self) -> _core.Experts:
        return _core.fixed_share(self.prior.tolist(), self.rate, self.share)

    def _paths(self, n: int, T: float, shifts: int) -> float:
        """`ln(1 / prior)` of a sequence with `shifts` changes: a change costs a factor `share / n`."""
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
        return float((worst + first) / self.rate + self.rate * rounds / 8.0)


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


def _beta(beta: Any, horizon: int | None, tuned: Callable[[int], float]) -> Any:
    if (beta is None) == (horizon is None):
        raise ValueError(f"beta={beta!r} and horizon={horizon}: give one of them")
    return beta if horizon is None else tuned(horizon)


# --- what a bound in the sizes of regrets says where losses are easy (Luo (2016), Theorem 5) ------


def small_loss_bound(factor: float, loss: float) -> float:
    """The regret, for a small loss, of a player with regret at most `sqrt(C factor)`, C the sum of |r|.

    If the comparator lost `loss` in all, of losses in [0, 1], it is at most
    `sqrt(2 loss factor) + factor` (Luo (2016), Theorem 5, part 1). Of `AdaNormalHedge`, the factor is
    `3 ln(B / q)` for an expert of prior q; `TwoNorm` and others have no such factor. `loss` may also be
    the sum of what the comparator lost more than the player, in the rounds where it did.

    >>> round(small_loss_bound(12.0, loss=0.0), 9), round(small_loss_bound(12.0, loss=150.0), 9)
    (12.0, 72.0)
    """
    a = not_negative(factor, "factor")
    return math.sqrt(2.0 * not_negative(loss, "loss") * a) + a


def gap_bound(factor: float, gap: float) -> float:
    """The expected regret of such a player to an expert that is the best by a gap in expectation.

    In every round the others lose at least `gap` more in expectation, whatever happened before. Then
    it is at most `factor / gap`, however many rounds there are (Luo (2016), Theorem 5, part 2).

    >>> gap_bound(12.0, gap=0.2)
    60.0
    """
    return not_negative(factor, "factor") / positive(gap, "gap")
