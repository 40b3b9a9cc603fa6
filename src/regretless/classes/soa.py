"""The standard optimal algorithm, and the experts that are made from it."""

import copy
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, instance, listed, one_of, positive, whole
from regretless.base.options import option
from regretless.base.state import Parts, Stateful
from regretless.certificates import Certificate
from regretless.classes.finite_class import LIMIT, FiniteClass, Ids
from regretless.classes.learner import ClassLearner, ClassRun, rounds_of
from regretless.errors import NotRealizable

# --- the standard optimal algorithm: predict so that a mistake costs the most ---------------------

# Shalev-Shwartz (2012), section 3.2.


class SOA(ClassLearner, changing=("dimension", "mistakes")):
    """Predict the label whose version space has the larger Littlestone dimension; 1 if they are equal.

        y_t = argmax_r Ldim({h in V_t : h(x_t) = r}),   V_{t+1} = {h in V_t : h(x_t) = label}

    If some hypothesis is always right, at most `Ldim(H)` mistakes are made, and no deterministic learner
    can promise fewer (Shalev-Shwartz (2012), Lemma 3.3, Corollary 3.4): each mistake lowers
    `Ldim(V_t)`. A label that no hypothesis of `V_t` gives raises `NotRealizable` and is not learned; see
    `AgnosticLearner`.

    Attributes: `rounds`; `mistakes`; `dimension` of the hypotheses that are left; `version_space`,
    the class of these hypotheses.

    >>> from regretless.experts import Consistent
    >>> H = FiniteClass.singletons(50)
    >>> soa = SOA(H)
    >>> soa.run(range(50), [0] * 49 + [1]).mistakes
    1
    >>> int(Consistent(50).run(H.advice(range(50)), [0] * 49 + [1]).loss)
    49
    >>> soa.certificate().bound, soa.version_space.names
    (1.0, (49,))
    """

    limit: int = option(
        whole,
        default=LIMIT,
        text="how many version spaces may be split to find a dimension; see `littlestone_dimension`",
    )

    _caches = ("_known",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mistakes = 0
        self._ids: Ids = self.H.everybody()
        self.dimension = self._promised = self.H.dimension_of(self._ids, self.limit)
        self._lowered = True  # by every mistake
        self._known: dict[int, tuple[int, int]] = {}

    @property
    def version_space(self) -> FiniteClass:
        """The hypotheses that agree with all labels so far."""
        return self.H._subclass(self._ids)

    def _sides(self, x: Hashable) -> tuple[int, int]:
        """The dimensions of the version spaces after label 0 and after label 1."""
        column = self.H.column(x)
        if column not in self._known:
            says = self.H.says(column, self._ids)
            if says.all() or not says.any():  # nothing to learn
                sides = (-1, self.dimension) if says[0] else (self.dimension, -1)
            else:
                zero, one = (self.H.dimension_of(self._ids[says == r], self.limit) for r in (0, 1))
                sides = (zero, one)
            self._known[column] = sides
        return self._known[column]

    def predict_one(self, x: Hashable) -> int:
        zero, one = self._sides(x)
        return int(one >= zero)

    def learn_one(self, x: Hashable, y: int) -> None:
        one_of(y, "y", (0, 1))
        sides, wrong = self._sides(x), self.predict_one(x) != y
        left = sides[int(y)]
        if left < 0:
            raise NotRealizable(
                f"no hypothesis says {int(y)} at x={x!r} and was right in the {self.rounds} rounds "
                "before; use AgnosticLearner"
            )
        self.rounds += 1
        self.mistakes += wrong
        self._lowered &= not wrong or left < self.dimension
        if sides[1 - int(y)] >= 0:
            self._ids = self._ids[self.H.says(self.H.column(x), self._ids) == bool(y)]
            self.dimension, self._known = left, {}

    def run(self, xs: Iterable[Hashable], ys: Iterable[Any]) -> ClassRun:
        """Play many rounds. The bound is the dimension of the version space when the run began.

        A label that no hypothesis gives raises `NotRealizable`, and the learner is as before the run.
        """
        instances, labels = rounds_of(self.H, xs, ys)
        before = self.copy()
        predictions = np.empty(len(labels))
        try:
            for t, (x, y) in enumerate(zip(instances, labels)):
                predictions[t] = self.predict_one(x)
                self.learn_one(x, y)
        except BaseException:
            self.__dict__.update(before.__dict__)
            raise
        promised = {"Littlestone dimension": np.full(len(labels), float(before.dimension))}
        columns = [self.H.column(x) for x in instances]
        return ClassRun(
            predictions,
            columns=columns,
            labels=labels,
            promised=promised,
            before=before,
            after=self.copy(),
        )

    def _on_regret(self, promised: Array, theirs: Array, before: Self, at: int) -> Array:
        return np.asarray(promised - np.cumsum(theirs))  # the mistakes themselves are bounded

    def certificate(self) -> Certificate:
        """The mistakes, and the dimension of the class, as far as it has been used up.

        `Ldim(H) - Ldim(V_t)` bounds them at any time, and is never more than `Ldim(H)`.
        """
        bounds: dict[str, float] = {
            "Littlestone dimension": float(self._promised),
            "used up": float(self._promised - self.dimension),
        }
        return Certificate(
            self.rounds,
            self.mistakes,
            bounds,
            "Shalev-Shwartz (2012), Lemma 3.3",
            {
                "a hypothesis is always right": True,
                "each mistake lowers the dimension": self._lowered,
            },
            "the hypotheses that are always right",
            self.version_space.names,
        )

    def _learned(self) -> dict[str, Any]:
        kept = ("rounds", "mistakes", "_lowered")
        return {name: getattr(self, name) for name in kept} | {"ids": self._ids}

    def _restore(self, parts: Parts) -> None:
        ids = parts.array("ids", (None,), 0, len(self.H) - 1, np.uint32)
        if not len(ids) or (np.diff(ids.astype(np.int64)) <= 0).any():
            raise ValueError("ids are not those of some hypotheses, each once")
        self._ids, self.dimension = ids, self.H.dimension_of(ids, self.limit)
        self.rounds = parts.whole("rounds")
        self.mistakes = parts.whole(
            "mistakes", 0, min(self.rounds, self._promised - self.dimension)
        )
        self._lowered = parts.flag("_lowered")


# --- experts that stand for a whole class: one for each way that SOA can err ----------------------

# Shalev-Shwartz (2012), section 3.2.1.

_Opinions = tuple[list[tuple[Ids, Ids]] | None, NDArray[np.bool_]]


class LdimExperts(Stateful, changing=("rounds",)):
    """Exponential weights over few experts that stand for all hypotheses of a class.

    An expert is given the rounds `i_1 < ... < i_L` in which it deviates from SOA, with L at most
    `Ldim(H)`; in all others it predicts as SOA would, and then continues as if it had been right. Every
    hypothesis agrees with one of them in all T rounds (Shalev-Shwartz (2012), Lemma 3.7), so that

        d = sum_{L <= Ldim(H)} C(T, L)  <=  (e T / Ldim(H))^Ldim(H)

    experts are as good as the class, however many hypotheses it has. They are not kept one by one:
    experts with the same version space and as many deviations will do the same in the same rounds, and
    are one state, which stands for all ways to spend what deviations are left to it. Different version
    spaces have no hypothesis in common, so that there are at most `(Ldim(H) + 1)(|H| + 1)` states.
    An expert without hypotheses after a deviation predicts 1 from then on, unless it deviates.
    (If dimensions are equal, the text's experts predict 0 and its SOA 1; Lemma 3.7 needs one rule, 1.)

    Attributes: `dimension` of the class; `count`, d, a whole number of any size; `rounds`; `states`.

    >>> experts = LdimExperts(FiniteClass.thresholds(5), horizon=9, rate=0.4)
    >>> experts.count
    46
    >>> for x, y in [(2, 1), (0, 0), (4, 1), (1, 1), (3, 0), (2, 1), (1, 0), (0, 0), (4, 1)]:
    ...     p = experts.probability(x)
    ...     experts.update(x, y)
    >>> round(p, 4), experts.states
    (0.7672, 8)
    """

    H: FiniteClass = option(instance, FiniteClass, kw_only=False, text="the class of hypotheses")
    horizon: int = option(
        whole,
        1,
        10**100,
        kw_only=False,
        text="T, how many rounds there will be; no more can be played",
    )
    rate: float = option(
        positive, text="eta; an expert that erred m times has the weight `e^{-eta m}`"
    )
    limit: int = option(
        whole,
        default=LIMIT,
        text="how many version spaces may be split to find a dimension; see `littlestone_dimension`",
    )

    _caches = ("_known",)

    def __post_init__(self) -> None:
        super().__post_init__()
        everybody = self.H.everybody()
        self.dimension = self.H.dimension_of(everybody, self.limit)
        self.count = sum(math.comb(self.horizon, L) for L in range(self.dimension + 1))
        self.rounds = 0
        self._set_spaces([everybody])
        # log weights by version space and deviations, and of those that have no hypothesis left
        self._weights = np.full((1, self.dimension + 1), -math.inf)
        self._weights[0, 0] = 0.0
        self._lost = np.full(self.dimension + 1, -math.inf)

    @property
    def states(self) -> int:
        """How many different experts are left."""
        return int(np.isfinite(self._weights).sum() + np.isfinite(self._lost).sum())

    def _set_spaces(self, spaces: list[Ids]) -> None:
        self._spaces = spaces
        self._owners = np.array([space[0] for space in spaces], np.uint32)
        self._known: dict[int, _Opinions] = {}

    def _opinions(self, column: int) -> _Opinions:
        """The parts of each version space after label 0 and 1, and the label that SOA predicts. The
        parts are None if the point does not divide a version space, as when it was asked before.
        """
        if column not in self._known:
            says = self.H.says(column, self._owners)
            parts: list[tuple[Ids, Ids]] = []
            divided = False
            for i, space in enumerate(self._spaces):
                ones = self.H.says(column, space)
                parts.append((space[~ones], space[ones]))
                if len(parts[i][0]) and len(parts[i][1]):
                    divided = True
                    zero, one = (self.H.dimension_of(part, self.limit) for part in parts[i])
                    says[i] = one >= zero
            self._known[column] = (parts if divided else None, says)
        return self._known[column]

    def _ways(self) -> Array:
        """For 0, 1, ... deviations, the logarithm of how many experts a state then stands for."""
        left, total, ways = self.horizon - self.rounds - 1, 0, []
        for more in range(self.dimension + 1):
            total += math.comb(left, more)
            ways.append(math.log(total))
        return np.array(ways[::-1])

    def probability(self, x: Hashable) -> float:
        """The share of the weight of the experts that predict 1. The experts do not change."""
        column = self.H.column(x)
        self._check_horizon()
        _, says = self._opinions(column)
        stay = np.vstack([self._weights, self._lost])
        ways = self._ways()
        turn = stay[:, :-1] + ways[1:]
        stay = stay + ways
        largest = stay.max()  # experts that can deviate can also stay
        staying, turning = np.exp(stay - largest).sum(axis=1), np.exp(turn - largest).sum(axis=1)
        ones = np.append(says, True)
        return float((staying[ones].sum() + turning[~ones].sum()) / (staying.sum() + turning.sum()))

    def update(self, x: Hashable, y: int) -> None:
        """Learn the label of a point."""
        column = self.H.column(x)
        one_of(y, "y", (0, 1))
        self._check_horizon()
        parts, says = self._opinions(column)
        paid = {label: 0.0 if label == y else self.rate for label in (0, 1)}
        lost = np.logaddexp(self._lost - paid[1], _turned(self._lost) - paid[0])
        if parts is None:  # those that stay keep their version space, the others have none
            turned = _turned(self._weights) - np.where(says, paid[0], paid[1])[:, None]
            self._lost = np.logaddexp(lost, np.logaddexp.reduce(turned, axis=0))
            self._weights = self._weights - np.where(says, paid[1], paid[0])[:, None]
        else:
            spaces, weights = [], []
            for space, ones, row in zip(parts, says, self._weights):
                for label in (0, 1):
                    moved = (row if ones == label else _turned(row)) - paid[label]
                    if len(space[label]):
                        spaces.append(space[label])
                        weights.append(moved)
                    else:
                        lost = np.logaddexp(lost, moved)
            kept = [bool(np.isfinite(row).any()) for row in weights]
            self._set_spaces([space for space, any_left in zip(spaces, kept) if any_left])
            self._weights = np.array(weights)[kept]
            self._lost = lost
        self.rounds += 1

    def _check_horizon(self) -> None:
        if self.rounds == self.horizon:
            raise ValueError(f"all rounds of horizon={self.horizon} have been played")

    # --- one expert --------------------------------------------------------------------------------

    def follow(self, deviations: Iterable[int], xs: Sequence[Hashable]) -> list[int]:
        """The predictions of the expert that deviates in these rounds, the first of which is 0.

        >>> experts = LdimExperts(FiniteClass.thresholds(3), horizon=3, rate=1.0)
        >>> experts.follow([], [1, 2, 0]), experts.follow([0, 1], [1, 2, 0])
        ([1, 1, 1], [0, 0, 0])
        """
        turns = {whole(t, "each of deviations", 0) for t in listed(deviations, "deviations")}
        space, predictions = self.H.everybody(), []
        for t, x in enumerate(listed(xs, "xs")):
            space, predicted = self._step(space, x, t in turns)
            predictions.append(predicted)
        return predictions

    def deviations(self, hypothesis: Any, xs: Sequence[Hashable]) -> list[int]:
        """The rounds in which the expert deviates that agrees with a hypothesis, given by its name.

        They are those in which SOA errs if the hypothesis is right (Shalev-Shwartz (2012), Lemma
        3.7).

        >>> experts = LdimExperts(FiniteClass.thresholds(3), horizon=3, rate=1.0)
        >>> experts.deviations(3, [1, 2, 0])
        [0, 1]
        """
        one_of(hypothesis, "hypothesis", self.H.names)
        h = np.array([self.H.names.index(hypothesis)], np.uint32)
        turns, space = [], self.H.everybody()
        for t, x in enumerate(listed(xs, "xs")):
            stays, predicted = self._step(space, x, False)
            if predicted != self.H.says(self.H.column(x), h)[0]:
                turns.append(t)
                stays, _ = self._step(space, x, True)
            space = stays
        return turns

    def _step(self, space: Ids, x: Hashable, turn: bool) -> tuple[Ids, int]:
        says = self.H.says(self.H.column(x), space)
        zero, one = (self.H.dimension_of(space[says == label], self.limit) for label in (0, 1))
        predicted = int(one >= zero) ^ int(turn)
        return space[says == predicted], predicted

    # --- state -------------------------------------------------------------------------------------

    def _learned(self) -> dict[str, Any]:
        owner = np.full(len(self.H), -1, np.int64)
        for i, space in enumerate(self._spaces):
            owner[space] = i
        return {
            "rounds": self.rounds,
            "owner": owner,
            "weights": self._weights,
            "lost": self._lost,
        }

    def _restore(self, parts: Parts) -> None:
        rounds = parts.whole("rounds", 0, self.horizon)
        width = self.dimension + 1
        weights = parts.array("weights", (None, width), -math.inf, 1e300)
        owner = parts.array("owner", (len(self.H),), -1, len(weights) - 1, np.int64)
        lost = parts.array("lost", (width,), -math.inf, 1e300)
        known = np.isfinite(weights)
        if len(np.unique(owner[owner >= 0])) < len(weights) or not known.any(axis=1).all():
            raise ValueError("owner and weights are not those of version spaces")
        if not known.any() and not np.isfinite(lost).any():
            raise ValueError("weights are 0 for all experts")
        least = np.array([*weights[known], *lost[np.isfinite(lost)]]).min()
        if least < -1e300:
            raise ValueError(f"weights has {least}, which is too small")
        self.rounds, self._weights, self._lost = rounds, weights, lost
        self._set_spaces(
            [np.flatnonzero(owner == i).astype(np.uint32) for i in range(len(weights))]
        )

    def copy(self) -> Self:
        """Another one of the same class that has learned the same."""
        return copy.deepcopy(self, {id(self.H): self.H})


def _turned(weights: Array) -> Array:
    """The weights after one deviation more; experts without deviations left cannot deviate."""
    moved = np.full_like(weights, -math.inf)
    moved[..., 1:] = weights[..., :-1]
    return moved
