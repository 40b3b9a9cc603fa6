"""Bandits from drifting games: Luo (2016), appendix A.2."""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.bandits.environments import KeptLosses, folded
from regretless.bandits.run import BanditRun, Rounds
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    matrix,
    outside,
    positive,
    rank,
    shown,
    whole,
    within,
)
from regretless.base.state import Parts
from regretless.certificates import Certificate
from regretless.experts.chip_potentials import Potential
from regretless.experts.drifting import ChipPlayer

_GRID = np.linspace(-8.0, 8.0, 65)  # where potentials are checked
_STEP = 1e-3  # of a second difference, which is exact to its square
_ROUNDS = (1, 2, 3, 5, 10, 30, 100, 1000)


class BanditPotential(Potential):
    """`Phi_t(s) = e^{-eta s} / c^t`, `c = (e^eta + e^-eta + n eta^2 e^eta) / 2`: Exp3's.

    It makes (A.3) an equality. The expected regret to a share epsilon of the arms is at most
    `(ln(1 / epsilon) + T ln c) / eta` (Theorem 21). The text multiplies all Phi_t by the same constant.

    Parameters: `n`, how many arms; `eta`, positive and at most 100.

    >>> BanditPotential.tuned(n=10, horizon=1000).bound(0.1, 1000)
    232.405...
    """

    def __init__(self, n: int, eta: float) -> None:
        self.eta, self.n = positive(eta, "eta"), whole(n, "n")
        if self.eta > 100:
            raise ValueError(f"eta={eta} is beyond 100: no bound is left")
        # c - 1, exact for small eta
        more = 2.0 * math.sinh(self.eta / 2.0) ** 2 + n * self.eta**2 * math.exp(self.eta) / 2.0
        self._log = math.log1p(more)

    @classmethod
    def tuned(cls, n: int, horizon: int) -> "BanditPotential":
        """With `eta = sqrt(2 ln n / (T (1 + n sqrt e)))`, for `sqrt(2 T (1 + n sqrt e) ln n)`."""
        per_round = whole(horizon, "horizon") * (1.0 + whole(n, "n") * math.exp(0.5))
        return cls(n, math.sqrt(2.0 * math.log(max(n, 2)) / per_round))

    def value(self, s: Array, t: int) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(-self.eta * s - t * self._log)

    def log_weights(self, s: Array, t: int) -> Array:
        return -self.eta * s

    def bound(self, share: float, t: int) -> float:
        return (-math.log(share) + t * self._log) / self.eta

    def __repr__(self) -> str:
        return f"BanditPotential({self.n}, {self.eta!r})"


class PotentialBandit(ChipPlayer, changing=("loss",)):
    """A bandit made of any potential that allows it (Algorithm 24).

    Chips are at minus the estimated regrets s; an arm is drawn with
    `p_i ~ Phi_t(s_i - 1) - Phi_t(s_i + 1)`, and chips move by `z_i = 1{i drawn} loss / p_i - loss`.
    Phi_t must be convex, not increasing, with a second derivative that does not increase, and (A.3),
    for all s,

        (1/2 + n a_t) Phi_t(s - 1) + (1/2 - n a_t) Phi_t(s + 1)  <=  Phi_{t-1}(s),
        a_t = max_s Phi_t''(s - 1) / (Phi_t(s - 1) - Phi_t(s + 1)) / 2

    which is checked on a grid when the player is made. Then the sum of the potentials never grows in
    the mean, and the potential's bound holds for the expected regret, also of losses that look at the
    choices before (Theorem 21). With `BanditPotential` it is `Exp3`; whether there are others is open,
    as the text says. For speed take `Exp3`, which plays in the core.

    Parameters: `n`, how many arms; `potential`, by default that of Exp3 for 1000 rounds; `seed`, as of
    `Exp3`, with the same draws. Losses are in [0, 1].

    >>> from regretless.bandits import Exp3
    >>> costs = np.random.default_rng(0).random((100, 3))
    >>> run = PotentialBandit(3, BanditPotential(3, 0.1), seed=5).run(costs)
    >>> bool((run.arms == Exp3(3, rate=0.1, seed=5).run(costs).arms).all())
    True
    """

    feedback: ClassVar[str] = "loss"
    contextual: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    _compared_with: ClassVar[str] = "arm"

    def __init__(self, n: int, potential: Potential | None = None, *, seed: int = 0) -> None:
        super().__init__(n, BanditPotential.tuned(n, 1000) if potential is None else potential)
        self._given = potential
        _check(self.phi, self.n)
        self.seed = check_seed(seed)
        self.loss = 0.0
        self._waits: int | None = None  # the arm whose loss is not known

    @property
    def probabilities(self) -> Array:
        """The probability of each arm in the next draw."""
        return self.weights

    def act(self) -> int:
        """The arm to play; the same until `update`."""
        if self._waits is None:
            u = _core.uniform(folded(self.seed), self.rounds)
            self._waits = _core.drawn_index(self.weights, u)
        return self._waits

    def update(self, loss: Any) -> None:
        """Learn what the arm of `act()` cost."""
        if self._waits is None:
            raise ValueError(
                f"update({shown(loss)}): no choice waits for its loss; call act() first"
            )
        y = within(loss, "loss", "[0, 1]", "; of a reward r give 1 - r")
        z = np.full(self.n, -y)
        z[self._waits] += y / self.weights[self._waits]
        self._shift(z)
        self.loss += y
        self._waits = None

    def _learned(self) -> dict[str, Any]:
        return super()._learned() | {"loss": self.loss, "_waits": self._waits}

    def _check_positions(self) -> None:
        """Estimates may move chips any distance."""

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        self.loss = parts.number("loss", 0.0, float(self.rounds))
        waits = parts.take("_waits")
        self._waits = None if waits is None else whole(waits, "_waits", 0, self.n - 1)

    def run(self, losses: Any) -> BanditRun:
        """Play many rounds: a row of losses each, of which that of the arm drawn is learned."""
        rows = matrix(losses, "losses", self.n)
        remedy = "is outside [0, 1]; of a reward r give 1 - r"
        check_entries(rows, ~outside(rows, 0, 1), "losses", remedy)
        self._check_rounds(len(rows))
        arms, chances = np.empty(len(rows), np.int64), np.empty(len(rows))
        before = self.copy()
        for t, row in enumerate(rows):
            arms[t] = self.act()
            chances[t] = self.weights[arms[t]]
            self.update(row[arms[t]])
        suffered = rows[np.arange(len(rows)), arms]
        return BanditRun(Rounds(suffered, arms, chances, KeptLosses(rows)), before, self.copy())

    def regret(self) -> float:
        """The estimated regret to the arm with the least estimated loss."""
        return -float(self.positions.min())

    def bound(self, *, quantile: float | None = None) -> float:
        """A bound on the expected regret to the best arm, or to the `ceil(quantile n)`-th best."""
        best = 1 if quantile is None else rank(quantile, self.n)
        return min(self.phi.bound(best / self.n, self.rounds), float(self.rounds))

    def expectation(self, *, quantile: float | None = None) -> Certificate:
        """Bounds on the expected regret over the draws; the `regret` of the certificate is None."""
        best = 1 if quantile is None else rank(quantile, self.n)
        return self._in_mean(self.rounds, best)

    certificate = expectation

    def _in_mean(self, count: int, best: int, *, about: bool = True) -> Certificate:
        """A certificate for `count` rounds; the theorem applies if these are all (`about`)."""
        bounds = {type(self.phi).__name__: self.phi.bound(best / self.n, count)} if about else {}
        return Certificate(
            count,
            None,
            bounds | {"trivial": float(count)},
            "Luo (2016), Theorem 21",
            {
                "(A.3) holds where it was looked at": True,
                "losses do not depend on the draw of their round": None,
            },
            f"every arm fixed in advance but for the {best - 1} best, in the mean over the draws"
            if best > 1
            else "every arm fixed in advance, in the mean over the draws",
        )

    # --- the interface of `BanditRun` --------------------------------------------------------------

    def _expectation(self, run: BanditRun) -> Certificate:
        return self._in_mean(run.rounds, 1, about=not run.before.rounds)

    def _expectation_curve(self, run: BanditRun) -> Array:
        rounds = range(1, run.rounds + 1)
        return np.array([self._in_mean(t, 1, about=not run.before.rounds).bound for t in rounds])

    def _realised(self, run: BanditRun, u: Array) -> None:
        """The theorem is about the mean over the draws, not about a single run."""

    _realised_curve = _realised


def _check(potential: Potential, n: int) -> None:
    """(A.3), up to what differences lose: `h^2 / 12` times the fourth derivative, and rounding."""
    if isinstance(potential, BanditPotential):  # an equality for as many arms as it was made for
        if potential.n < n:
            raise ValueError(
                f"potential={shown(potential)} is made for {potential.n} arms, not {n}; give "
                f"BanditPotential({n}, {potential.eta!r})"
            )
        return
    for t in _ROUNDS:
        if t > potential.horizon:
            break
        before, low = potential.value(_GRID, t - 1), potential.value(_GRID - 1.0, t)
        high, apart = potential.value(_GRID + 1.0, t), potential.difference(_GRID, t)
        second = (
            potential.value(_GRID - 1.0 + _STEP, t)
            + potential.value(_GRID - 1.0 - _STEP, t)
            - 2 * low
        ) / _STEP**2
        noise = 4e-16 * np.abs(low) / _STEP**2  # of the second difference
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num((second - 4 * noise) / apart, nan=0.0, posinf=math.inf)
        alpha = n * max(0.0, float(ratio.max())) / 2.0
        with np.errstate(invalid="ignore"):
            over = (0.5 + alpha) * low + (0.5 - alpha) * high - before
        slack = 1e-5 * (np.abs(before) + np.abs(low)) + n * noise / np.maximum(apart, 1e-300) * low
        if not (over <= slack).all():
            s = float(_GRID[np.argmax(~(over <= slack))])
            raise ValueError(
                f"potential={shown(potential)} is not for bandits: (A.3) fails at s={s:g} in round {t}; "
                f"give BanditPotential({n}, eta), for which it holds"
            )
