"""Players that vote: experts say 0 or 1, and so does the player.

Shalev-Shwartz (2012), section 1.2.1; Mohri et al. (2018), sections 8.2.1, 8.2.2.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, numbers, one_of, sound, whole, within
from regretless.base.columns import arranged, index_of, rows_alike
from regretless.base.options import option
from regretless.base.run import Run
from regretless.base.state import Parts, Stateful
from regretless.certificates import Certificate
from regretless.errors import NotRealizable
from regretless.experts.regrets import Comparator, compared
from regretless.experts.run import EPS

# --- A run of a player that votes -----------------------------------------------------------------


class VotesRun(Run):
    """A run of a player that votes; a mistake costs 1.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take `comparator`, the index
    or the name of an expert, a distribution over them, or "best", which is the default.

    Attributes: `losses`, 1 where a mistake was made, and `mistakes`, the same as booleans;
    `expert_mistakes`, a row for each round; `before` and `after`, the player when the run began and
    ended; `index` of the rounds, or None.

    >>> from regretless.experts import WeightedMajority
    >>> run = WeightedMajority(2).run([[1, 0], [1, 0], [0, 1]], [0, 0, 0])
    >>> run.loss, run.regret(), run.regret(comparator=0), round(run.bound(), 4)
    (2.0, 1.0, 0.0, 2.0)
    """

    def __init__(
        self,
        mistakes: NDArray[np.bool_],
        expert_mistakes: NDArray[np.bool_],
        before: "_Voter",
        after: "_Voter",
        index: Any = None,
    ) -> None:
        self.losses, self.mistakes = mistakes.astype(np.float64), mistakes
        self.expert_mistakes, self.before, self.after = expert_mistakes, before, after
        self.index = index

    def regret_curve(self, comparator: Any = None) -> Array:
        """After each round, the mistakes beyond those of the expert."""
        return np.cumsum(self.losses - self.expert_mistakes @ self._asked(comparator).u)

    def bound_curve(self, comparator: Any = None) -> Array:
        """After each round, the bound on the regret; infinite once an assumption has failed."""
        u = self._asked(comparator).u
        made = np.cumsum(self.expert_mistakes, axis=0)
        mine, all_of = made @ u, made + self.before.expert_mistakes
        theirs = all_of @ u
        bound = self.after._bound(theirs)[0] - theirs - float(u @ self.before.regrets)
        steps = np.arange(1, self.rounds + 1)
        curve = np.minimum(bound, steps - mine) + self._rounding
        held = [False not in self.after._assumptions(int(m)).values() for m in all_of.min(axis=1)]
        return np.where(held, curve, math.inf)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret at the end, and the bounds on it."""
        who = self._asked(comparator)
        found, earlier = self.after.certificate(who.u), float(who.u @ self.before.regrets)
        bounds = {"mistakes": found.bounds["mistakes"] - earlier}
        bounds["trivial"] = self.rounds - float(who.u @ self.expert_mistakes.sum(axis=0))
        return replace(
            found,
            rounds=self.rounds,
            regret=self.regret(who.u),
            bounds=bounds,
            comparators=who.words,
            against=who.against,
            rounding=self._rounding,
        )

    @property
    def _rounding(self) -> float:
        return 8.0 * EPS * self.after.n * self.after.rounds

    def _asked(self, comparator: Any) -> Comparator:
        n = self.after.n
        totals = np.sum(self.losses[:, None] - self.expert_mistakes, axis=0)
        return compared(totals, np.full(n, 1.0 / n), self.after.names, comparator)


# --- players that vote: experts say 0 or 1, and so does the player --------------------------------

_MODES = ("on_mistake", "always")


class _Voter(Stateful, ABC, changing=("rounds", "mistakes", "expert_mistakes", "charges")):
    """Players of advice: `predict` answers 0 or 1, and `update` learns which label was right.

    Advice that has names (a frame, an Arrow table, a pandas series, a dict) brings those of the experts
    the first time, and is matched by name from then on; arrays and lists are taken by position.

    Attributes: `rounds` played; `mistakes` made; `expert_mistakes`; `charges`, how many of these count;
    `names` of the experts, or None.
    """

    n: int = option(
        whole, hint=": how many experts", kw_only=False, text="how many experts there are"
    )

    beta = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rounds, self.mistakes = 0, 0
        self.expert_mistakes = np.zeros(self.n, np.int64)
        self.charges = np.zeros(self.n, np.int64)
        self.names: list[str] | None = None

    @property
    def weights(self) -> Array:
        """`beta^charges`, 0 for experts that were dropped; relative to the largest if all are tiny."""
        least = int(self.charges.min())
        tiny = self.beta**least < 1e-200
        return np.asarray(np.power(self.beta, self.charges - least * tiny, dtype=np.float64))

    def predict(self, advice: Any) -> int:
        """The answer to advice of 0 and 1, one for each expert."""
        return self._answer(self._advice(arranged(advice, self.names, "advice", booleans=True)[0]))

    def update(self, advice: Any, label: int) -> bool:
        """Learn which label was right; returns whether `predict` was wrong."""
        values, names = arranged(advice, self.names, "advice", booleans=True)
        says = self._advice(values)
        one_of(label, "label", (0, 1))
        wrong = self._answer(says) != label
        self.charges = self._charged(says != label, wrong)
        self.rounds += 1
        self.mistakes += wrong
        self.expert_mistakes = self.expert_mistakes + (says != label)
        self.names = names
        return wrong

    def run(self, advice: Any, labels: Any) -> VotesRun:
        """Play many rounds, a row of advice for each.

        A run that is rejected leaves the player as it was. If both are of pandas they must have the
        same index.
        """
        index = index_of(advice)
        labels = rows_alike(labels, index, "labels", "advice")
        values, names = arranged(advice, self.names, "advice", booleans=True)
        rows, right = numbers(values, "advice"), np.asarray(sound(labels, "labels"))
        if rows.ndim != 2 or rows.shape[1] != self.n or right.shape != rows.shape[:1]:
            raise ValueError(
                f"advice has shape {rows.shape} and labels {right.shape}, not (rounds, {self.n}) "
                "and (rounds,)"
            )
        before, kept = self.copy(), dict(self.__dict__)  # arrays are replaced, never changed
        try:
            self.names = names
            wrong = [self.update(row, y) for row, y in zip(rows, right.tolist())]
        except ValueError:
            self.__dict__.update(kept)
            raise
        errs = rows != right[:, None]
        return VotesRun(np.array(wrong, bool), errs, before, self.copy(), index)

    @property
    def regrets(self) -> Array:
        """For each expert, the mistakes made beyond its own."""
        return np.asarray(self.mistakes - self.expert_mistakes, np.float64)

    def regret(self, comparator: Any = None) -> float:
        """The mistakes beyond those of the best expert, or of the `comparator`, as of `certificate`."""
        return float(self._compared(comparator).u @ self.regrets)

    def certificate(self, comparator: Any = None) -> Certificate:
        """Mistakes beyond those of an expert, and the theorem's bound on them.

        `comparator`: its index or name, a distribution over experts, or "best".
        """
        who = self._compared(comparator)
        theirs = who.u @ self.expert_mistakes
        bound, theorem = self._bound(theirs)
        assumptions = self._assumptions(int(self.expert_mistakes.min()))
        bounds = {"mistakes": float(bound - theirs), "trivial": float(self.rounds - theirs)}
        return Certificate(
            self.rounds,
            float(who.u @ self.regrets),
            bounds,
            theorem,
            assumptions,
            who.words,
            who.against,
            8.0
            * EPS
            * self.n
            * self.rounds,  # counts are exact, their logarithms and means are not
        )

    def _compared(self, comparator: Any) -> Comparator:
        return compared(self.regrets, np.full(self.n, 1.0 / self.n), self.names, comparator)

    @abstractmethod
    def _charged(self, errs: NDArray[np.bool_], wrong: bool) -> NDArray[np.int64]:
        """The charges after a round: `errs` of the experts, `wrong` of the player."""

    @abstractmethod
    def _bound(self, theirs: Any) -> tuple[Any, str]:
        """The most mistakes of the player if an expert made `theirs`, and the theorem."""

    def _assumptions(self, least: int) -> dict[str, bool | None]:
        """The assumptions of the bound, if the best expert made `least` mistakes."""
        return {}

    def _answer(self, says: NDArray[np.bool_]) -> int:
        weights = self.weights
        return int(float(weights[says].sum()) >= float(weights[~says].sum()))  # a tie is 1

    def _advice(self, advice: Any) -> NDArray[np.bool_]:
        array = numbers(advice, "advice")
        if array.shape != (self.n,):
            raise ValueError(f"advice has shape {array.shape}, not ({self.n},)")
        if not np.isin(array, (0, 1)).all():
            raise ValueError(f"advice={array.tolist()} is not made of 0 and 1")
        return np.asarray(array == 1)

    def _learned(self) -> dict[str, Any]:
        return {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "names": self.names,
            "charges": self.charges,
            "expert_mistakes": self.expert_mistakes,
        }

    def _restore(self, parts: Parts) -> None:
        charges = parts.array("charges", (self.n,), 0, 2**53, np.int64)
        self.rounds = parts.whole("rounds")
        self.mistakes = parts.whole("mistakes", 0, self.rounds)
        self.expert_mistakes = parts.array("expert_mistakes", (self.n,), 0, self.rounds, np.int64)
        if (charges > self.expert_mistakes).any():
            raise ValueError("charges are more than the mistakes of the experts")
        if self.beta == 0 and charges.all():
            raise ValueError("charges leave no expert a weight")
        self.charges, self.names = charges, parts.names("names", self.n)


class _Realizable(_Voter):
    """Players that ignore experts that have been wrong; one expert must always be right."""

    def _without(self, errs: NDArray[np.bool_]) -> NDArray[np.int64]:
        charges = self.charges + errs
        if charges.all():
            raise NotRealizable(
                f"no expert has been right in all {self.rounds + 1} rounds; use WeightedMajority"
            )
        return charges

    def _assumptions(self, least: int) -> dict[str, bool | None]:
        return {"an expert is always right": least == 0}


class Halving(_Realizable):
    """Follow the majority of the experts without a mistake; each mistake of the player halves them.

    If some expert is right in every round, at most `log2 n` mistakes are made.

    The texts define Halving in two ways. That of Mohri et al. (2018), Figure 8.2, Theorem 8.1, drops
    experts that erred only in rounds in which the majority erred too: `mode="on_mistake"`. That of
    Shalev-Shwartz (2012), section 1.2.1, Theorem 1.2, drops them after every round: `mode="always"`.

    >>> player = Halving(3)
    >>> player.update([1, 0, 1], 0), player.weights
    (True, array([0., 1., 0.]))
    >>> player = Halving(3, mode="always")
    >>> player.update([0, 0, 1], 0), player.weights
    (False, array([1., 1., 0.]))
    """

    mode: str = option(
        one_of,
        _MODES,
        default="on_mistake",
        text="whether experts that erred are charged only when the player erred, or always",
    )

    def _charged(self, errs: NDArray[np.bool_], wrong: bool) -> NDArray[np.int64]:
        return self._without(errs) if wrong or self.mode == "always" else self.charges

    def _bound(self, theirs: Any) -> tuple[Any, str]:
        name = (
            "Mohri et al. (2018), Theorem 8.1"
            if self.mode == "on_mistake"
            else "Shalev-Shwartz (2012), Theorem 1.2"
        )
        return theirs * 0.0 + math.floor(math.log2(self.n)), name


class Consistent(_Realizable):
    """Follow the first of the experts that were right in every round.

    Shalev-Shwartz (2012), section 1.2.1.

    If there is always one, at most `n - 1` mistakes are made.

    >>> player = Consistent(3)
    >>> player.predict([1, 0, 0]), player.update([1, 0, 0], 0), player.predict([1, 0, 1])
    (1, True, 0)
    """

    def _answer(self, says: NDArray[np.bool_]) -> int:
        return int(says[np.argmin(self.charges)])

    def _charged(self, errs: NDArray[np.bool_], wrong: bool) -> NDArray[np.int64]:
        return self._without(errs)

    def _bound(self, theirs: Any) -> tuple[Any, str]:
        return theirs * 0.0 + self.n - 1.0, "Shalev-Shwartz (2012), Corollary 1.1"


class WeightedMajority(_Voter):
    """Follow the weighted majority; an error multiplies the weight of an expert by beta.

    Mohri et al. (2018), Figure 8.3.

    At most `(ln n + m ln(1 / beta)) / ln(2 / (1 + beta))` mistakes are made, `m` being those of any
    expert (Theorem 8.3). With beta 0 it is `Halving`, and raises `NotRealizable` when every expert has
    erred.

    This is the textbook's Weighted Majority. Shalev-Shwartz (2012) calls `Hedge` so
    (Shalev-Shwartz (2012), section 2.1.2); its experts with a surrogate loss are this player with
    `beta=e**-0.5` and `mode="always"`.

    >>> player = WeightedMajority(3, beta=0.5)
    >>> run = player.run([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], [0, 1, 1, 0])
    >>> run.loss, run.mistakes, player.weights
    (1.0, array([ True, False, False, False]), array([0.5, 1. , 0.5]))
    """

    beta: float = option(
        within,
        "[0, 1)",
        default=0.5,
        text="what the weight of an expert that errs is multiplied by",
    )

    mode: str = option(
        one_of,
        _MODES,
        default="on_mistake",
        text="whether experts that erred are charged only when the player erred, or always",
    )

    def _charged(self, errs: NDArray[np.bool_], wrong: bool) -> NDArray[np.int64]:
        if not wrong and self.mode == "on_mistake":
            return self.charges
        charges = self.charges + errs
        if self.beta == 0 and charges.all():
            raise NotRealizable(f"no expert has any weight left; use beta > 0, not {self.beta:g}")
        return charges

    def _bound(self, theirs: Any) -> tuple[Any, str]:
        if self.beta == 0:
            return np.where(
                np.asarray(theirs) == 0, math.log2(self.n), math.inf
            ), "Mohri et al. (2018), Theorem 8.1"
        bound = math.log(self.n) + theirs * math.log(1.0 / self.beta)
        return bound / math.log(2.0 / (1.0 + self.beta)), "Mohri et al. (2018), Theorem 8.3"
