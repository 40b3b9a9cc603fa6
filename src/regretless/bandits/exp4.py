"""Exp4: experts advise which arm to choose (Auer, Cesa-Bianchi, Freund and Schapire (2002))."""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.bandits.environments import KeptLosses
from regretless.bandits.exp3 import ExponentialPlayer, log_of
from regretless.bandits.run import BanditRun
from regretless.base.arguments import Array, distributions, whole
from regretless.base.columns import names_of
from regretless.certificates import Certificate


class Exp4(ExponentialPlayer):
    """`Exp3` among experts, each of whom gives a distribution over the arms in every round.

    An arm is drawn from the mean advice p, weighted by `q_m ~ e^{-eta S_m}`. The estimated loss of
    expert m is `z_m = advice_m[A] loss / p_A`, S are the sums. In every run, for every expert,

        sum loss - sum z_m  <=  ln M / eta_T + sum (eta_t / 2) sum_m q_m z_m^2

    and in the mean over the draws the regret to the best expert is at most
    `ln M / eta_T + (n / 2) sum eta_t`, since `sum_m q_m z_m^2 <= loss^2 / p_A`: with a horizon
    `sqrt(2 n T ln M)`. No exploration is mixed in, which the text does. `regrets` are to the experts.

    Parameters
    ----------
    n : how many arms.
    experts : how many, M.
    rate : "anytime", `eta_t = sqrt(ln M / (n t))`; "horizon", `sqrt(2 ln M / (n T))`; or a number.
    horizon, range, seed : see `Exp3`.

    Of arms that are not available, advice is spread over the others as the expert has it, and evenly if
    it has nothing for them.

    >>> bandit = Exp4(3, 2, rate=0.5, seed=0)
    >>> bandit.act([[0.8, 0.2, 0.0], [0.0, 0.0, 1.0]])
    0
    >>> bandit.update(1.0)
    >>> bandit.weights.round(4)
    array([0.2689, 0.7311])
    """

    contextual: ClassVar[bool] = True  # the context is the advice
    _compared_with: ClassVar[str] = "expert"
    _theorem = "Auer, Cesa-Bianchi, Freund and Schapire (2002), Theorem 7.1, without exploration"

    def __init__(
        self,
        n: int,
        experts: int,
        *,
        rate: str | float = "anytime",
        horizon: int | None = None,
        range: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        self.experts = whole(experts, "experts")
        self._set_rate(rate, horizon)
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        n, seed, low, high = self._common
        falls = self.rate == "anytime"
        return _core.exp4(n, self.experts, seed, low, high, self._eta(), falls)

    def _eta(self) -> float:
        if not isinstance(self.rate, str):
            return self.rate
        times = 1.0 if self.rate == "anytime" else 2.0
        return math.sqrt(times * log_of(self.experts) / (self.n * (self.horizon or 1)))

    @property
    def _choices(self) -> int:
        return self.experts

    @property
    def weights(self) -> Array:
        """The weights of the experts."""
        behind = self._engine.rate * (self.regrets - self.regrets.max()) / self._width
        weights = np.exp(np.maximum(behind, -690.0))
        return np.asarray(weights / weights.sum())

    def act(self, advice: Any, available: Any = None) -> int:  # type: ignore[override]
        """Choose an arm. `advice`: an array with a row for each expert, a distribution over the arms."""
        rows = self._advice(advice, (self.experts, self.n))
        if available is not None or not self.present.all():
            mask = self._mask(np.ones(self.n, np.bool_) if available is None else available)
            rows = _restricted(rows, mask)
            self._engine.advise(rows)
            return self._engine.act_among(mask)
        self._engine.advise(rows)
        return self._engine.act()

    def run(  # type: ignore[override]
        self, losses: Any, advice: Any, *, seed: int | None = None, delay: Any = None
    ) -> BanditRun:
        """Play many rounds: a row of `losses` each, and of `advice` (rounds, experts, n).

        Comparators are the experts, who lose in the mean over what they advise. Other arguments as of
        `Exp3`.
        """
        if self.waiting:
            raise ValueError(
                f"{len(self.waiting)} choices wait for their losses; update them first"
            )
        rows = self._rows(losses)
        said = self._advice(advice, (len(rows), self.experts, self.n))
        if not self.present.all():
            said = _restricted(said, self.present.astype(np.float64))
        theirs = KeptLosses(
            np.einsum("tmn,tn->tm", said, rows), rows.max(axis=1, initial=-math.inf)
        )
        with self._seeded(seed):
            return self._table(rows, delay, None, said, theirs)

    def _advice(self, advice: Any, shape: tuple[int, ...]) -> Array:
        if names_of(advice) is not None:  # the names could be of arms or of experts
            raise ValueError(
                f"advice is a {type(advice).__name__}, whose names Exp4 does not match; give an array "
                "with a row for each expert and a column for each arm, in the same order every time"
            )
        return distributions(advice, "advice", shape)

    def expectation(self) -> Certificate:  # type: ignore[override]
        """Bounds on the expected regret, over the draws, to every expert fixed in advance."""
        return super().expectation()

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        start = math.log(self.experts) / self._last_rate(rounds)
        return {"experts": start + self.n / 2.0 * self._rates(rounds)}


def _restricted(rows: Array, mask: Array) -> Array:
    """Advice restricted to the available arms."""
    kept = rows * mask
    sums = kept.sum(axis=-1, keepdims=True)
    even = np.broadcast_to(mask / mask.sum(), rows.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.ascontiguousarray(np.where(sums > 0, kept / sums, even))
