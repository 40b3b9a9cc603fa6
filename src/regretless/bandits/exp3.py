"""Exp3: exponential weights of losses that are estimated from one arm a round.

Shalev-Shwartz (2012), section 4.2.
"""

import math
from typing import ClassVar

from regretless import _core
from regretless.bandits.weighted import ExponentialPlayer, log_of
from regretless.run import Array

__all__ = ["Exp3"]


class Exp3(ExponentialPlayer):
    """Exponential weights without exploration: `p_i ~ e^{-eta S_i}`, S the sums of estimated losses.

    The estimate of a round is `z_A = loss / p_A` for the arm chosen and 0 for the others. In every run,
    whatever the losses, and for every arm i (Shalev-Shwartz (2012), Theorem 2.22 on the estimates)

        sum loss - sum z_t[i]  <=  ln n / eta_T + sum (eta_t / 2) loss_t^2 / p_t

    which is `certificate()`. In the mean over the draws the left is the regret, and the right at most

        ln n / eta_T + (n / 2) sum eta_t

    which is `expectation()` ("dual"; "forel" is Corollary 4.2 as it is printed, with n for n / 2;
    "luo" that of Algorithm 24, `(ln n + T ln(cosh eta + n eta^2 e^eta / 2)) / eta`). With a horizon
    that is `sqrt(2 n T ln n)`, otherwise `2 sqrt(n T ln n)`. Sums are kept small and weights above
    1e-300, so that 10^8 rounds do no harm.

    If arms come and go, an arm that is not there in a round is taken to have lost what the player lost:
    the regret to it is counted while it is there, and the inequality is the same. With delays q, the
    weights when the loss comes, take the place of p, and `sum loss - <q, z>` is added: it is measured.

    Parameters
    ----------
    n, range, seed : as of all players.
    rate : "anytime", `eta_t = sqrt(ln n / (n t))`; for `horizon` rounds "horizon",
        `sqrt(2 ln n / (n T))`, "shalev-shwartz", `sqrt(ln n / (n T))`, or "luo",
        `sqrt(2 ln n / (T (1 + n sqrt e)))`; or a number. Rates are those of losses in [0, 1].
    horizon : how many rounds there will be.

    >>> bandit = Exp3(3, rate=0.2, seed=1)
    >>> arm = bandit.act()
    >>> bandit.update(0.6)
    >>> arm, bandit.probabilities.round(10)
    (1, array([0.37068939, 0.25862121, 0.37068939]))
    >>> bandit.certificate().holds
    True
    """

    _options: ClassVar[tuple[str, ...]] = ("rate", "horizon")
    _theorem = "Shalev-Shwartz (2012), Corollary 4.2; Luo (2016), Theorem 21"
    _fixed: ClassVar[tuple[str, ...]] = ("horizon", "shalev-shwartz", "luo")

    def __init__(
        self,
        n: int,
        *,
        rate: str | float = "anytime",
        horizon: int | None = None,
        range: tuple[float, float] = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        self._set_rate(rate, horizon)
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        return _core.exp3(*self._common, self._eta(), self.rate == "anytime", 0.0)

    def _eta(self) -> float:
        if not isinstance(self.rate, str):
            return self.rate
        n, T = self.n, self.horizon or 1
        per_round = {"anytime": 1.0, "shalev-shwartz": 1.0, "horizon": 2.0}.get(self.rate)
        if per_round is None:  # Luo's (2016)
            return math.sqrt(2.0 * log_of(n) / (T * (1.0 + n * math.exp(0.5))))
        return math.sqrt(per_round * log_of(n) / (n * T))

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        start = math.log(self.n) / self._last_rate(rounds)
        paid = self.n * self._rates(rounds)
        bounds = {"dual": start + paid / 2.0, "forel": start + paid}
        if self.rate != "anytime":
            eta = self._engine.rate
            growth = (
                math.cosh(eta) + 0.5 * self.n * eta**2 * math.exp(eta) if eta < 300 else math.inf
            )
            bounds["luo"] = start + rounds / eta * math.log(growth)
        return bounds
