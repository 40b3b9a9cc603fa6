"""Players for arms whose losses are drawn: UCB1, epsilon-greedy and Thompson sampling."""

import math
from typing import Any, NamedTuple

import numpy as np

from regretless import _core
from regretless.bandits.adversarial import log_of
from regretless.bandits.player import ArmPlayer
from regretless.base.arguments import (
    Array,
    check_seed,
    listed,
    one_of,
    positive,
    shown,
    within,
)
from regretless.base.options import OrNone, option
from regretless.base.threads import of_options
from regretless.certificates import Certificate

# --- UCB1: the arm whose loss could be the least (Auer, Cesa-Bianchi and Fischer (2002)) ----------

_CONSTANT = 1.0 + math.pi**2 / 3.0


class UCB1(ArmPlayer):
    """Play the arm with the least `mean - sqrt(8 noise^2 ln t / seen)`, for random losses.

    For losses in [0, 1], noise is 1/2 and this is the text's `sqrt(2 ln t / seen)`, where t is the
    number of all losses seen. Arms without a known loss come first; among equal arms the first one is
    played. The player draws nothing. With gaps `D_i` between the means the expected pseudo-regret is at
    most (Theorem 1)

        sum_{i: D_i > 0} 32 noise^2 ln T / D_i + (1 + pi^2 / 3) sum D_i

    and whatever the gaps, if losses have a range, at most
    `sqrt(128 noise^2 n T ln T) + (1 + pi^2 / 3) n`: arms with a gap below `sqrt(32 noise^2 n ln T / T)`
    lose no more than that a round. Against losses that depend on the player's choices there is no bound.

    >>> bandit = UCB1(2)
    >>> for loss in (0.2, 0.9):
    ...     arm = bandit.act()
    ...     bandit.update(loss)
    >>> bandit.act(), bandit.probabilities
    (0, array([1., 0.]))
    >>> {name: round(bound, 2) for name, bound in bandit.expectation([0.2, 0.9]).bounds.items()}
    {'gaps': 10.92, 'any gaps': 18.0, 'trivial': 1.4}
    """

    noise: float = option(
        positive,
        default=0.5,
        text="""losses less their mean are sub-Gaussian with this, in units of the range. Losses in
        a range always have 1/2""",
    )
    seed: int = option(check_seed, default=0, text="has no effect: the player draws nothing")

    _theorem = "Auer, Cesa-Bianchi and Fischer (2002), Theorem 1"

    def _start(self) -> _core.Arms:
        return _core.ucb1(self.n, *self._ends, self.noise)

    def certificate(self, means: object = None) -> Certificate:
        """The same as `expectation`: no bound on the regret of this player holds in every run."""
        return self.expectation(means)

    def _promised(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        # without means, losses may be adversarial, and there is no bound
        return {} if gaps is None else self._expected(rounds, gaps)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        logs, noise = np.log(rounds), self.noise
        bounds = {}
        if gaps is not None:
            behind = gaps[gaps > 0]
            bounds["gaps"] = (
                32.0 * noise**2 * logs * np.sum(1.0 / behind) + _CONSTANT * behind.sum()
            )
        if self.range is not None:
            root = np.sqrt(128.0 * noise**2 * self.n * rounds * logs)
            bounds["any gaps"] = root + _CONSTANT * self.n
        return bounds

    def _assumptions(self, stochastic: bool) -> dict[str, bool | None]:
        known = self.range is not None and self.noise >= 0.5
        return super()._assumptions(True) | {
            f"losses are {self.noise:g}-sub-Gaussian": True if known else None
        }


# --- epsilon-greedy: the arm that looks best, and sometimes a random one --------------------------


class EpsilonGreedy(ArmPlayer):
    """Play a random arm with probability epsilon, else the arm with the least mean loss so far.

    Arms without a known loss come first. A constant epsilon has a regret that grows with T, by
    `epsilon` times the mean gap a round; for `epsilon_t = min(1, decay / t)` with
    `decay >= 5 n / d^2`, d the least gap above 0, it grows with `ln T` (Auer, Cesa-Bianchi and
    Fischer (2002), Theorem 3). No bound with constants is stated here.

    >>> bandit = EpsilonGreedy(2, epsilon=0.1, seed=0)
    >>> for loss in (0.2, 0.9):
    ...     bandit.act(available=[bandit.decisions])
    ...     bandit.update(loss)
    0
    1
    >>> bandit.probabilities
    array([0.95, 0.05])
    """

    epsilon: float = option(
        within, "[0, 1]", default=0.1, text="the probability of a random arm, if it is constant"
    )
    decay: float | None = option(
        positive, default=None, text="explore with `epsilon_t = min(1, decay / t)` instead"
    )

    _theorem = "none"

    def _start(self) -> _core.Arms:
        return _core.epsilon_greedy(*self._common, self.epsilon, self.decay or 0.0)

    def certificate(self, means: object = None) -> Certificate:
        """The same as `expectation`, which has only the trivial bound here."""
        return self.expectation(means)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        return {}


# --- Thompson sampling: choose an arm with the probability that it is the best --------------------

# Thompson (1933).

_NODES = 400  # of the integral, for each arm
_FAR = 30.0  # log-odds of which e^-30 is nothing beside 1
_PRIORS = {"bernoulli": (1.0, 1.0), "gaussian": (0.5, 0.5)}
_SCALES = "[1e-100, 1e100]"  # squares of them are still numbers


class ThompsonSampling(ArmPlayer):
    """Draw a mean loss for each arm from its posterior, and play the arm with the least.

    "bernoulli": losses of 0 and 1, `Beta(a + ones, b + zeros)`. A loss between them is made a coin with
    that mean (Agrawal and Goyal (2012)). "gaussian": normal losses of known `noise`, normal
    beliefs. If the means of the arms are drawn from the prior, then in the mean over them as well
    (Russo and Van Roy (2016), Propositions 1 and 3)

        expected regret  <=  sqrt(n T ln n / 2)  for losses in [0, 1],
                             sqrt(2 (noise^2 + scale^2) n T ln n)  for normal ones

    For means that are fixed it is of the order of `sqrt(n T ln T)` (Agrawal and Goyal (2013)), for
    which no constants are stated.

    >>> from regretless.bandits import Bernoulli
    >>> bandit = ThompsonSampling(3, seed=1)
    >>> run = bandit.run(Bernoulli([0.3, 0.5, 0.7]), 1000)
    >>> int(bandit.pulls.argmax()), round(run.pseudo_regret(), 1)
    (0, 10.8)
    """

    model: str = option(
        one_of, ("bernoulli", "gaussian"), default="bernoulli", text="what losses are taken to be"
    )
    prior: OrNone[tuple[float, float]] = option(
        default=None,
        text="""`(a, b)`, both positive, by default (1, 1); for "gaussian" `(mean, scale)` of the
        means in units of the range, by default (0.5, 0.5)""",
    )
    noise: float = option(
        within, _SCALES, default=0.5, text='of losses for "gaussian", in units of the range'
    )

    _theorem = "Russo and Van Roy (2016), Propositions 1 and 3"

    def __post_init__(self) -> None:
        if self.range is None and self.model == "bernoulli":
            raise ValueError(
                "range=None: 'bernoulli' must know which loss is 0 and which is 1; give range="
            )
        try:
            first, second = (
                _PRIORS[self.model] if self.prior is None else listed(self.prior, "prior")
            )
        except (TypeError, ValueError):
            raise ValueError(f"prior={shown(self.prior)} must be two numbers") from None
        ends = _SCALES if self.model == "bernoulli" else "[-1e100, 1e100]"
        self.prior = within(first, "prior", ends), within(second, "prior", _SCALES)
        super().__post_init__()

    def _start(self) -> _core.Arms:
        if self.model == "bernoulli":
            return _core.bernoulli_thompson(*self._common, *self.prior)
        return _core.gaussian_thompson(*self._common, *self.prior, self.noise)

    @property
    def beliefs(self) -> Array:
        """The posterior of each arm's mean loss in [0, 1]: a and b of Beta, or mean and scale."""
        seen = self._engine.seen
        if self.model == "bernoulli":
            ones = self._engine.figures
            return np.column_stack([self.prior[0] + ones, self.prior[1] + seen - ones])
        mean, scale = self.prior
        precision = scale**-2 + seen * self.noise**-2
        means = (mean * scale**-2 + self._engine.losses * self.noise**-2) / precision
        return np.column_stack([means, precision**-0.5])

    @property
    def probabilities(self) -> Array:
        """The probability that each arm is chosen next: that its mean is the least, by integration.

        To about four digits. `propensity` of a choice is not known otherwise, and NaN.

        >>> ThompsonSampling(4).probabilities.round(3)
        array([0.25, 0.25, 0.25, 0.25])
        """
        arms = np.flatnonzero(self.present)
        first, second = self.beliefs[arms].T
        beliefs = LogOdds(first, second) if self.model == "bernoulli" else Normal(first, second)
        # cells between quantiles of all arms: in none does the chance of any arm change by much
        x = np.unique(beliefs.quantiles((np.arange(_NODES) + 0.5) / _NODES))
        below, above = beliefs.below(x), beliefs.above(x)
        # the chance that an arm is in a cell, by the smaller of the two tails
        chance = np.where(below[1:] <= 0.5, np.diff(below, axis=0), -np.diff(above, axis=0))
        found = np.zeros(self.n)
        for k, arm in enumerate(arms):
            others = np.delete(above, k, axis=1).prod(axis=1)
            inside = chance[:, k] @ (others[1:] + others[:-1]) / 2.0
            found[arm] = (
                inside + below[0, k] * (1.0 + others[0]) / 2.0 + above[-1, k] * others[-1] / 2
            )
        if not found.sum() > 0.0 or not np.isfinite(found).all():  # too narrow for floats
            means = beliefs.means
            found[:] = 0.0
            found[arms] = means == means.min()
        return np.asarray(found / found.sum())

    @of_options
    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if self.prior == _PRIORS[self.model]:
            options["prior"] = None  # as it is by default
        return options

    def certificate(self, means: Any = None) -> Certificate:
        """The same as `expectation`: no bound holds in every run."""
        return self.expectation(means)

    def _promised(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        # a bound on the mean over the prior need not hold for given means
        return {}

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        variance = 0.25 if self.model == "bernoulli" else self.noise**2 + self.prior[1] ** 2
        return {"bayesian": np.sqrt(2.0 * variance * self.n * rounds * log_of(self.n))}

    def _assumptions(self, stochastic: bool) -> dict[str, bool | None]:
        return super()._assumptions(True) | {"the means are drawn from the prior": None}


class LogOdds(NamedTuple):
    """Beliefs Beta(a, b), one an arm, of `log(x / (1 - x))`, which is a number also where x is nearly
    0 or 1: there `P(log-odds <= t)` is `e^{a t} / (a B(a, b))`, up to a factor `1 + e^t`."""

    a: Array
    b: Array

    @property
    def means(self) -> Array:
        return np.asarray(self.a / (self.a + self.b))

    def quantiles(self, u: Array) -> Array:
        """The quantiles: a row for each probability u, a column for each arm."""
        return _quantile(u[:, None], self.a, self.b)

    def below(self, t: Array) -> Array:
        return _below(t[:, None], self.a, self.b)

    def above(self, t: Array) -> Array:
        return _below(-t[:, None], self.b, self.a)


class Normal(NamedTuple):
    """Normal beliefs, one an arm; see `LogOdds`."""

    means: Array
    scales: Array

    def quantiles(self, u: Array) -> Array:
        from scipy.special import ndtri

        return np.asarray(self.means + self.scales * ndtri(u[:, None]))

    def below(self, x: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr((x[:, None] - self.means) / self.scales))

    def above(self, x: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr((self.means - x[:, None]) / self.scales))


def _below(t: Array, a: Array, b: Array) -> Array:
    from scipy.special import betainc, expit

    far = np.exp(np.minimum(a * t - _log_scale(a, b), 0.0))
    return np.where(t < -_FAR, far, betainc(a, b, expit(t)))


def _quantile(u: Array, a: Array, b: Array) -> Array:
    from scipy.special import betaincinv

    with np.errstate(divide="ignore", invalid="ignore"):
        middle = np.log(betaincinv(a, b, u)) - np.log(betaincinv(b, a, 1.0 - u))
    low = (np.log(u) + _log_scale(a, b)) / a
    high = -(np.log1p(-u) + _log_scale(b, a)) / b
    return np.where(low < -_FAR, low, np.where(high > _FAR, high, middle))


def _log_scale(a: Array, b: Array) -> Array:
    """`log(a B(a, b))`."""
    from scipy.special import betaln

    return np.asarray(np.log(a) + betaln(a, b))
