"""Tsallis-INF: as good as possible against adversaries and against chance.

Zimmert and Seldin (2021).
"""

import math
from typing import ClassVar

import numpy as np

from regretless import _core
from regretless.arguments import one_of
from regretless.bandits.weighted import WeightedPlayer
from regretless.run import Array

__all__ = ["TsallisINF"]

_CELLS = 4000  # of a sum over very many rounds


class TsallisINF(WeightedPlayer):
    """Follow the leader with Tsallis entropy: `w = argmin <w, S> - 2 sum sqrt(w_i) / eta_t`.

    That is `w_i = 1 / (eta_t (S_i - x))^2` with the x that makes them add up to 1, `eta_t = 1 / sqrt t`,
    and S the sums of the estimated losses. Nothing has to be known. For arbitrary losses

        expected regret  <=  4 sqrt(n T)

    which is optimal but for the factor, and if losses are drawn with gaps `D_i` to a single best arm,
    the same player has about `sum 4 ln T / D_i` (their Theorem 1). The bounds here are computed from
    the proof, with all terms: in every run, whatever the losses, for every arm (`certificate()`)

        sum loss - sum z_t[i]  <=  sum (1 / eta_t - 1 / eta_{t-1}) (2 sum_j sqrt(w_tj) - 2)
                                   + sum eta_t w^{3/2} z^2 / (1 + eta_t sqrt(w) z)

    Arms may come and go and losses come late, as for `Exp3`; what a new arm costs is measured.

    Parameters
    ----------
    n, range, seed : as of all players.
    estimator : "importance", `z_A = loss / w_A`; or "reduced", which estimates losses of likely arms
        from 1/2 on, has less variance, and the rate `min(1, 2 / sqrt t)`: expected regret
        `2 sqrt(n T) + 6 n ln T` for arbitrary losses, from T = 5 on.

    >>> from regretless.bandits import Bernoulli
    >>> bandit = TsallisINF(3, seed=1)
    >>> run = bandit.run(Bernoulli([0.3, 0.5, 0.7]), 10_000)
    >>> bandit.certificate().holds, bandit.probabilities.round(2)
    (True, array([1., 0., 0.]))
    >>> round(run.pseudo_regret()), round(run.expectation().bound)
    (47, 308)
    """

    _options: ClassVar[tuple[str, ...]] = ("estimator",)
    _theorem = "Zimmert and Seldin (2021), Theorem 1, with the constants of its proof"
    _regularised = "Shalev-Shwartz (2012), Lemma 2.20, on the estimates, with Tsallis entropy"

    def __init__(
        self,
        n: int,
        *,
        estimator: str = "importance",
        range: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        one_of(estimator, "estimator", ("importance", "reduced"))
        self.estimator = estimator
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        return _core.tsallis_inf(*self._common, self.estimator == "reduced")

    @property
    def _estimates_are_positive(self) -> bool:
        return self.estimator == "importance"

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        n, root = self.n, np.sqrt(rounds)
        if self.estimator == "reduced":
            # Of an arm with w >= eta^2, z is (loss - 1/2) / w + 1/2 if it is chosen, and 1/2 otherwise:
            # eta w^{3/2} d^2 / (1 + eta sqrt(w) d), d = z - 1/2, has a mean of at most
            # eta (sqrt(w) + eta) / 4; of the others at most 3 eta^2 / 2. Sums over rounds by integrals.
            rates = np.where(rounds > 4, 4.0 * root - 4.0, rounds)
            squares = np.where(
                rounds > 4, 4.0 + 4.0 * np.log(np.maximum(rounds, 4.0) / 4.0), rounds
            )
            start = 2.0 * (math.sqrt(n) - 1.0) * np.maximum(1.0, root / 2.0)
            return {"adversarial": start + math.sqrt(n) * rates / 4.0 + 1.5 * n * squares}
        start = 2.0 * (math.sqrt(n) - 1.0) * root
        bounds = {"adversarial": start + math.sqrt(n) * (2.0 * root - 1.0)}
        if gaps is not None:
            bounds["stochastic"] = _stochastic(rounds, gaps)
        return bounds


def _stochastic(rounds: Array, gaps: Array) -> Array:
    """The bound for losses that are drawn, by the gaps.

    In round t the regret is at most, with b = 2 (sqrt t - sqrt(t - 1)), eta = 1 / sqrt t, and for t > 1
    f = 1 / (1 - eta) (estimates less the loss of the round are at least -1),
    `b sum' sqrt(w_i) + f eta sum_i sqrt(w_i) (1 - w_i)`, where sum' leaves out the best arm. Its own
    term of the last sum is at most `sum' w_i`. So the regret R, which is `sum_t sum' D_i w_ti`, is
    `2 R - R <= sum_t sum' max_w 2 (b + f eta) sqrt(w) + (2 f eta - D_i) w`, and in no round more than
    twice what holds for arbitrary losses. All of that falls with t: rounds are taken together in cells
    that are as long as a thousandth of the rounds before, each as large as its first.
    """
    last = int(rounds.max())
    edges = np.unique(np.geomspace(1, last + 1, min(last + 1, _CELLS)).astype(np.int64))
    t = edges[:-1].astype(np.float64)
    n, eta, b = len(gaps), 1.0 / np.sqrt(t), 2.0 * (np.sqrt(t) - np.sqrt(t - 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = eta / (1.0 - eta)
        others = np.delete(gaps, np.argmin(gaps))[:, None]
        slope = others - 2.0 * extra
        inside = (slope > 0) & (b + extra < slope)  # the largest is at a sqrt(w) < 1
        most = np.where(inside, (b + extra) ** 2 / slope, 2.0 * (b + extra) - slope).sum(axis=0)
    always = 2.0 * ((math.sqrt(n) - 1.0) * b + math.sqrt(n) * eta)
    each = np.where(np.isfinite(most), np.fmin(most, always), always)
    sums = np.concatenate([[0.0], np.cumsum(each * np.diff(edges))])
    return np.asarray(np.interp(rounds, edges - 1, sums))
