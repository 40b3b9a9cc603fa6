"""Agnostic learning of a class: small regret to its best hypothesis, for all labels.

Shalev-Shwartz (2012), section 3.2.1.
"""

import math
from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import (
    Array,
    check_seed,
    named_or,
    not_negative,
    one_of,
    positive,
    whole,
)
from regretless.base.options import option
from regretless.base.randomness import Draws
from regretless.base.state import Parts
from regretless.certificates import Certificate
from regretless.classes.finite_class import LIMIT
from regretless.classes.learner import ClassLearner, ClassRun, errors, rounds_of
from regretless.classes.soa import LdimExperts
from regretless.experts.hedge import Hedge

_ANALYSES = ("hoeffding", "Shalev-Shwartz (2012), Theorem 3.1")
_EPS = float(np.finfo(float).eps)


class AgnosticLearner(ClassLearner, changing=("loss", "pool")):
    """Predicts a probability of 1 by exponential weights over experts that stand for the class.

    With d experts, the rate `eta = sqrt(8 log d / T)` for T rounds, and `|p_t - y_t|` the probability of
    a mistake, for all labels (Shalev-Shwartz (2012), Theorem 3.6, with the constant of its
    Theorem 1.3)

        sum |p_t - y_t| - min_h sum |h(x_t) - y_t|  <=  log d / eta + eta T / 8  =  sqrt(T log(d) / 2)

    Experts are the hypotheses themselves, or those of `LdimExperts`, with
    `log d <= Ldim(H) log(e T / Ldim(H))`: fewer if the class is large and T small. (By Sauer's lemma
    `|H| <= sum_{L <= Ldim(H)} C(|X|, L)`: from T = `|X|` rounds on, the hypotheses are fewer.)

    Attributes: `rounds`; `loss`, the sum of the probabilities of a mistake; `pool`, the experts now.

    >>> from regretless.classes import FiniteClass
    >>> H = FiniteClass.thresholds(9)
    >>> learner = AgnosticLearner(H, horizon=200)
    >>> random = np.random.default_rng(0)
    >>> xs = random.integers(9, size=200).tolist()
    >>> ys = [int(x >= 4) ^ int(random.random() < 0.2) for x in xs]     # one in five is wrong
    >>> run = learner.run(xs, ys)
    >>> print(f"best {run.best}: {run.regret():.1f} above its mistakes, at most {run.bound():.1f}")
    best 4: 8.9 above its mistakes, at most 15.2
    """

    horizon: int | None = option(
        whole,
        default=None,
        kw_only=False,
        text="""T, how many rounds there will be. Without it the learner starts again in rounds 1,
        2, 4, 8, ... with twice the horizon, which costs a factor of 3.42 at most
        (Shalev-Shwartz (2012), section 2.3.1)""",
    )
    rate: str | float = option(
        named_or,
        ("hoeffding", "shalev-shwartz"),
        positive,
        default="hoeffding",
        text="""the rate of a period: "hoeffding", as above; "shalev-shwartz", `sqrt(log d / T)`,
        with bound `2 sqrt(T log d)`; a number is kept""",
    )
    experts: str = option(
        one_of,
        ("auto", "ldim", "hypotheses"),
        default="auto",
        text="""the experts that stand for the class; "auto" takes whichever are fewer in a period""",
    )
    seed: int = option(
        check_seed,
        default=0,
        text="the seed of the coins by which `predict_one` makes a label of a probability",
    )
    limit: int = option(
        whole,
        default=LIMIT,
        text="how many version spaces may be split to find a dimension; see `littlestone_dimension`",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loss = 0.0
        self._counts: NDArray[np.int64] = np.zeros((len(self.H.points), 2), np.int64)
        self._past = [0.0, 0.0]  # the bounds of the periods before this
        self._start()

    def _start(self) -> None:
        """Start a period: all rounds with a horizon, otherwise one more than there have been."""
        self._coins = Draws(self.seed, 1)
        self._played = 0
        self._length = self.horizon or self.rounds + 1
        # never more than these, if every point can be asked (Sauer's lemma)
        few = self.experts == "auto" and self._length >= len(self.H.points)
        pool = None if few or self.experts == "hypotheses" else self._ldim_experts()
        if pool is None or (self.experts == "auto" and len(self.H) <= pool.count):
            self.pool: LdimExperts | Hedge = Hedge(len(self.H), rate=self._tuned(len(self.H)))
        else:
            self.pool = pool

    def _ldim_experts(self) -> LdimExperts:
        ldim = self.H.dimension_of(self.H.everybody(), self.limit)
        count = sum(math.comb(self._length, L) for L in range(ldim + 1))
        return LdimExperts(self.H, self._length, rate=self._tuned(count), limit=self.limit)

    def _tuned(self, count: int) -> float:
        if not isinstance(self.rate, str):
            return float(self.rate)
        factor = 8.0 if self.rate == "hoeffding" else 1.0
        # one expert is followed in any case
        return math.sqrt(factor * math.log(max(count, 2)) / self._length)

    # --- the rounds --------------------------------------------------------------------------------

    def predict_proba_one(self, x: Hashable) -> dict[int, float]:
        """The probabilities of the labels. The learner does not change."""
        p = self._probability(x)
        return {0: 1.0 - p, 1: p}

    def predict_one(self, x: Hashable) -> int:
        """A label drawn with these probabilities; repeated calls in a round give the same label."""
        return int(self._coins[self.rounds][0] < self._probability(x))

    def _probability(self, x: Hashable) -> float:
        if isinstance(self.pool, LdimExperts):
            return self.pool.probability(x)
        says = self.H.at(x)
        if self._played == self._length:
            raise ValueError(f"all rounds of horizon={self.horizon} have been played")
        return min(1.0, float(self.pool.weights[says].sum()))

    def learn_one(self, x: Hashable, y: int) -> None:
        self._learn(x, y)

    def _learn(self, x: Hashable, y: int) -> float:
        """Returns the probability with which 1 was predicted."""
        one_of(y, "y", (0, 1))
        p, label = self._probability(x), int(y)
        if isinstance(self.pool, LdimExperts):
            self.pool.update(x, label)
        else:
            self.pool.update((self.H.at(x) != bool(label)).astype(np.float64))
        self.rounds += 1
        self._played += 1
        self.loss += abs(p - label)
        self._counts[self.H.column(x), label] += 1
        if self.horizon is None and self._played == self._length:
            self._past = list(self._bounds())
            self._start()
        return p

    def run(self, xs: Iterable[Hashable], ys: Iterable[Any]) -> ClassRun:
        """Play many rounds; the bound is on the regret to the hypothesis that is best in them."""
        instances, labels = rounds_of(self.H, xs, ys)
        if self.horizon is not None and self.rounds + len(labels) > self.horizon:
            raise ValueError(
                f"xs has {len(labels)} entries, but of horizon={self.horizon} rounds "
                f"{self.rounds} have been played"
            )
        before = self.copy()
        played, bounds = np.empty(len(labels)), np.empty((len(labels), 2))
        for t, (x, y) in enumerate(zip(instances, labels)):
            played[t] = self._learn(x, y)
            bounds[t] = self._bounds()
        columns = [self.H.column(x) for x in instances]
        promised = dict(zip(_ANALYSES, bounds.T))
        return ClassRun(
            played,
            columns=columns,
            labels=labels,
            promised=promised,
            before=before,
            after=self.copy(),
        )

    _draws = True

    def _on_regret(self, promised: Array, theirs: Array, before: Self, at: int) -> Array:
        # the theorem is about all rounds: what was won before can be lost in these
        return np.asarray(promised - (before.loss - float(errors(self.H, before._counts)[at])))

    # --- what is proven ----------------------------------------------------------------------------

    def _bounds(self) -> tuple[float, float]:
        """The bounds of all periods together, by Hoeffding's lemma and by Shalev-Shwartz's (2012)
        theorem."""
        if not self._played:
            return self._past[0], self._past[1]
        count = self.pool.count if isinstance(self.pool, LdimExperts) else len(self.H)
        start, rate = math.log(count) / self.pool.rate, float(self.pool.rate)  # type: ignore[operator]
        first, second = self._past
        return first + start + rate * self._played / 8.0, second + start + rate * self._played

    def certificate(self) -> Certificate:
        """The regret of the probabilities to the best hypothesis so far, and bounds on it.

        It is the expected regret of the labels drawn, if they are drawn after the true labels are
        chosen.
        """
        wrong = errors(self.H, self._counts)
        best, least = int(wrong.argmin()), int(wrong.min())
        bounds = dict(zip(_ANALYSES, self._bounds())) | {"trivial": float(self.rounds - least)}
        return Certificate(
            self.rounds,
            self.loss - least,
            bounds,
            "Shalev-Shwartz (2012), Theorems 1.3, 3.1 and 3.6",
            {},
            f"hypothesis {self.H.names[best]!r}, the best in hindsight",
            self.H.names[best],
            4.0 * _EPS * self.rounds**2,  # of sums of numbers up to 1
        )

    # --- state -------------------------------------------------------------------------------------

    def _learned(self) -> dict[str, Any]:
        kept = ("rounds", "loss", "_past", "_played", "_length")
        pool = self.pool._learned()
        return {name: getattr(self, name) for name in kept} | {
            "counts": self._counts,
            "ldim": isinstance(self.pool, LdimExperts),
            "pool": pool,
        }

    def _restore(self, parts: Parts) -> None:
        self.rounds, self._played = parts.whole("rounds"), parts.whole("_played")
        self._length = parts.whole("_length", 1)
        before = self.rounds - self._played  # in other periods
        whole_period = self._played <= self._length == self.horizon and before == 0
        doubled = self.horizon is None and self._length == before + 1 > self._played
        if not whole_period and not doubled:
            raise ValueError(f"_length={self._length} is not that of a period")
        edge = 1e-6 * (self.rounds + 1)
        self.loss = parts.number("loss", -edge, self.rounds + edge)
        first, second = parts.take("_past")
        self._past = [not_negative(first, "_past"), not_negative(second, "_past")]
        self._counts = parts.array("counts", (len(self.H.points), 2), 0, self.rounds, np.int64)
        if int(self._counts.sum()) != self.rounds:
            raise ValueError("counts do not add up to the rounds")
        if parts.flag("ldim"):
            self.pool = self._ldim_experts()
        else:
            self.pool = Hedge(len(self.H), rate=self._tuned(len(self.H)))
        learned = parts.inside("pool")
        self.pool._restore(learned)
        learned.done()
        if self.pool.rounds != self._played:
            raise ValueError("pool has played other rounds")
