"""Players that draw an arm by its weight, and what holds surely in every run of theirs."""

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from regretless.arguments import one_of, positive, shown, whole
from regretless.bandits.bandit_run import mixture
from regretless.bandits.player import ArmPlayer
from regretless.certificates import Certificate
from regretless.run import Array

__all__ = ["ExponentialPlayer", "WeightedPlayer", "log_of"]

_EPS = float(np.finfo(float).eps)


class WeightedPlayer(ArmPlayer):
    """A player that learns from estimates z of all losses, whose mean over the draw is right."""

    _regularised: str  # the theorem behind the inequality of every run

    @property
    def regrets(self) -> Array:
        """How much more was lost than is estimated of each arm, in the rounds that it was there."""
        return self._width * self._engine.figures

    def regret(self, comparator: Any = None) -> float:
        """The estimated regret to the best arm, by the estimates, or to `comparator`.

        Its mean over the draws is the regret itself, or more for the best arm. Parameters:
        `comparator`, "best" (default), the number of an arm (of an expert, for `Exp4`), or a
        distribution over them.
        """
        regrets = self.regrets
        return float(mixture(comparator, -regrets, self._compared_with) @ regrets)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The inequality that holds in every run, of the losses that were estimated.

        Its `regret` is `regret(comparator)`: `sum y_t - z_t[i]` over the rounds in which arm i was
        there. "pathwise" bounds it with what was paid in this run: it holds surely, whatever the
        losses, the delays, and the arms that came and went. For what holds in the mean see
        `expectation()`. Parameters: as of `regret`.
        """
        regrets = self.regrets
        u = mixture(comparator, -regrets, self._compared_with)
        regret, bounds = float(u @ regrets), self._pathwise()
        suffered = self._width * float(self._engine.losses.sum())
        if self._estimates_are_positive:
            bounds["trivial"] = suffered
        terms = 2.0 * suffered + abs(regret) + min(bounds.values())
        return Certificate(
            self.rounds,
            regret,
            bounds,
            self._regularised,
            {"losses are in their range": True},
            self._words(comparator, u),
            int(np.argmax(u)) if u.max() == 1.0 else u,
            4.0 * _EPS * (self.rounds + len(u)) * terms,
        )

    def _words(self, comparator: Any, u: Array) -> str:
        kind = self._compared_with
        if u.max() < 1.0:
            return f"the distribution {u} over the {kind}s, by their estimated losses"
        best = comparator is None or isinstance(comparator, str)
        return f"{f'the best {kind}, ' if best else ''}{kind} {np.argmax(u)}, by estimated losses"

    def _pathwise(self) -> dict[str, float]:
        engine = self._engine
        bound = self._penalty() + engine.paid + engine.drift if self.rounds else 0.0
        return {"pathwise": self._width * bound}

    @property
    def _estimates_are_positive(self) -> bool:
        """Whether no z is negative, so that nobody can have lost less than nothing."""
        return True

    def _penalty(self) -> float:
        """What the regulariser costs, where the core does not count it."""
        return 0.0


class ExponentialPlayer(WeightedPlayer):
    """One whose weights are exponential in the sums of the estimates, with a rate that never rises."""

    _regularised = "Shalev-Shwartz (2012), Theorem 2.22, on the estimates that were drawn"
    _fixed: ClassVar[tuple[str, ...]] = ("horizon",)  # rates for a horizon
    rate: str | float
    horizon: int | None

    def _set_rate(self, rate: Any, horizon: Any) -> None:
        if isinstance(rate, str):
            one_of(rate, "rate", ("anytime", *self._fixed), ", nor a number")
        else:
            rate = positive(rate, "rate")
        if (rate in self._fixed) != (horizon is not None):
            fixed = " or ".join(f"rate={each!r}" for each in self._fixed)
            if horizon is None:
                raise ValueError(f"rate={rate!r} needs horizon=, the number of rounds")
            raise ValueError(f"horizon={shown(horizon)} needs {fixed}, not rate={shown(rate)}")
        self.rate = rate
        self.horizon = None if horizon is None else whole(horizon, "horizon")

    @abstractmethod
    def _eta(self) -> float:
        """The rate, or that of the first round."""

    def _rate_of_more(self) -> float:
        return self._eta()

    def _last_rate(self, rounds: Array) -> Array:
        """The rate of the last of so many rounds."""
        rate, now = self._engine.rate, self.rounds + 1
        return np.asarray(rate * np.sqrt((now if self.rate == "anytime" else rounds) / rounds))

    def _rates(self, rounds: Array) -> Array:
        """Their sum, or a little more: sum 1 / sqrt(t) <= 2 sqrt(T) - 1."""
        first = self._last_rate(np.ones(1))
        return np.asarray(
            first * (2.0 * np.sqrt(rounds) - 1.0 if self.rate == "anytime" else rounds)
        )

    @property
    def _choices(self) -> int:
        """Among how many the weights are."""
        return self.n

    def _penalty(self) -> float:
        return math.log(self._choices) / float(self._last_rate(np.array(float(self.rounds))))


def log_of(n: int) -> float:
    """The logarithm of the number of arms, and that of 2 for a single one.

    >>> log_of(1) == log_of(2)
    True
    """
    return math.log(max(n, 2))
