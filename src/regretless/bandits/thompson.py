"""Thompson sampling: an arm is chosen as often as it is believed to be the best (Thompson 1933)."""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.arguments import listed, one_of, shown, within
from regretless.bandits.player import ArmPlayer
from regretless.bandits.weighted import log_of
from regretless.certificates import Certificate
from regretless.run import Array

__all__ = ["ThompsonSampling"]

_NODES = 400  # of the integral
_SCALES = "[1e-100, 1e100]"  # squares of them are still numbers


class ThompsonSampling(ArmPlayer):
    """A mean loss is drawn for each arm from what is believed of it; the arm with the least is chosen.

    "bernoulli": losses of 0 and 1, `Beta(a + ones, b + zeros)`. A loss between them is made a coin with
    that mean (Agrawal and Goyal 2012). "gaussian": normal losses of known `noise`, normal beliefs. If
    the means of the arms are drawn from the prior, then in the mean over them as well (Russo and Van
    Roy 2016, Propositions 1 and 3)

        expected regret  <=  sqrt(n T ln n / 2)  for losses in [0, 1],
                             sqrt(2 (noise^2 + scale^2) n T ln n)  for normal ones

    For means that are fixed it is of the order of `sqrt(n T ln T)` (Agrawal and Goyal 2013), for which
    no constants are stated.

    Parameters
    ----------
    n, seed : as of all players.
    model : "bernoulli" or "gaussian".
    prior : `(a, b)`, both positive, by default (1, 1); of "gaussian" `(mean, scale)` of the means, by
        default (0.5, 0.5), in units of the range.
    noise : of the losses, for "gaussian", in units of the range.
    range : of the losses; None, for "gaussian" only, if they have none.

    >>> from regretless.bandits import Bernoulli
    >>> bandit = ThompsonSampling(3, seed=1)
    >>> run = bandit.run(Bernoulli([0.3, 0.5, 0.7]), 1000)
    >>> int(bandit.pulls.argmax()), run.pseudo_regret[-1].round(1).item()
    (0, 10.8)
    """

    _options: ClassVar[tuple[str, ...]] = ("model", "prior", "noise")
    _theorem = "Russo and Van Roy 2016, Propositions 1 and 3"

    def __init__(
        self,
        n: int,
        *,
        model: str = "bernoulli",
        prior: tuple[float, float] | None = None,
        noise: float = 0.5,
        range: tuple[float, float] | None = (0.0, 1.0),
        seed: int = 0,
    ) -> None:
        one_of(model, "model", ("bernoulli", "gaussian"))
        if range is None and model == "bernoulli":
            raise ValueError("range=None: 'bernoulli' must know which loss is 0 and which is 1")
        self.model, self.noise = model, within(noise, "noise", _SCALES)
        try:
            first, second = (1.0, 1.0) if model == "bernoulli" else (0.5, 0.5)
            if prior is not None:
                first, second = listed(prior, "prior")
        except (TypeError, ValueError):
            raise ValueError(f"prior={shown(prior)} must be two numbers") from None
        ends = _SCALES if model == "bernoulli" else "[-1e100, 1e100]"
        self.prior = within(first, "prior", ends), within(second, "prior", _SCALES)
        super().__init__(n, range=range, seed=seed)

    def _start(self) -> _core.Arms:
        if self.model == "bernoulli":
            return _core.bernoulli_thompson(*self._common, *self.prior)
        return _core.gaussian_thompson(*self._common, *self.prior, self.noise)

    @property
    def beliefs(self) -> Array:
        """Two numbers for each arm: a and b of Beta, or mean and scale, of the losses in [0, 1]."""
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
        """With which each arm is chosen next: that its mean is the least, by numerical integration.

        To about four digits. `propensity` of a choice is not known otherwise, and NaN.

        >>> ThompsonSampling(4).probabilities.round(3)
        array([0.25, 0.25, 0.25, 0.25])
        """
        from scipy import special, stats

        first, second = self.beliefs.T
        beta = self.model == "bernoulli"
        # P(i) is the mean over i's own quantiles of the chance that all others are above
        nodes, weights = special.roots_legendre(_NODES)
        u = (nodes + 1.0) / 2.0
        found = np.zeros(self.n)
        for i in np.flatnonzero(self.present):
            own = (first[i], second[i])
            x = stats.beta.ppf(u, *own) if beta else stats.norm.ppf(u, *own)
            above = np.ones(_NODES)
            for j in np.flatnonzero(self.present):
                if j != i:
                    other = (first[j], second[j])
                    above *= stats.beta.sf(x, *other) if beta else stats.norm.sf(x, *other)
            found[i] = np.nan_to_num(above @ weights) / 2.0
        if not found.sum() > 0.0:  # beliefs so firm that floats see only their means
            means = first / (first + second) if beta else first
            found[:] = self.present & (means == means[self.present].min())
        return np.asarray(found / found.sum())

    def certificate(self, means: Any = None) -> Certificate:
        """As `expectation`: no run is certain."""
        return self.expectation(means)

    def _promised(self, rounds: Array, gaps: Array | None) -> Array:
        # what holds in the mean over the prior need not for the means at hand
        return np.full(len(rounds), math.nan)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        variance = 0.25 if self.model == "bernoulli" else self.noise**2 + self.prior[1] ** 2
        return {"bayesian": np.sqrt(2.0 * variance * self.n * rounds * log_of(self.n))}

    def _assumptions(self, stochastic: bool) -> dict[str, bool | None]:
        return super()._assumptions(True) | {"the means are drawn from the prior": None}
