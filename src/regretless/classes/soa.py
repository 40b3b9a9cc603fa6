"""The standard optimal algorithm: predict so that a mistake costs the most.

Shalev-Shwartz (2012), section 3.2.
"""

from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np

from regretless import state
from regretless.arguments import one_of, whole
from regretless.certificates import Certificate
from regretless.classes.class_learner import Arrays, ClassLearner
from regretless.classes.class_run import ClassRun, rounds_of
from regretless.classes.finite_class import FiniteClass, Ids
from regretless.classes.too_large import LIMIT
from regretless.experts.majority import NotRealizable
from regretless.run import Array

__all__ = ["SOA"]


class SOA(ClassLearner, changing=("dimension", "mistakes")):
    """Predicts the label whose version space has the larger Littlestone dimension; if equal, 1.

        y_t = argmax_r Ldim({h in V_t : h(x_t) = r}),   V_{t+1} = {h in V_t : h(x_t) = label}

    If some hypothesis is always right, at most `Ldim(H)` mistakes are made, and no deterministic learner
    can promise fewer (Shalev-Shwartz (2012), Lemma 3.3, Corollary 3.4): each mistake lowers
    `Ldim(V_t)`. A label that no hypothesis of `V_t` gives raises `NotRealizable`, and nothing is
    learned from it; see `AgnosticLearner`.

    Parameters
    ----------
    H : the class.
    limit : how many version spaces may be split to find a dimension; see `littlestone_dimension`.

    Attributes: `rounds`; `mistakes`; `dimension`, of the hypotheses that are left; `version_space`,
    these.

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

    def __init__(self, H: FiniteClass, *, limit: int = LIMIT) -> None:
        super().__init__(H)
        self.limit, self.mistakes = whole(limit, "limit"), 0
        self._ids: Ids = H._everybody()
        self.dimension = self._promised = H._dimension(self._ids, limit)
        self._lowered = True  # by every mistake
        self._known: dict[int, tuple[int, int]] = {}

    @property
    def version_space(self) -> FiniteClass:
        """The hypotheses that agree with all labels so far."""
        return self.H._subclass(self._ids)

    def _sides(self, x: Hashable) -> tuple[int, int]:
        """The dimensions of what is left after label 0 and after label 1."""
        column = self.H._column(x)
        if column not in self._known:
            says = self.H._says(column, self._ids)
            if says.all() or not says.any():  # nothing to be learned
                sides = (-1, self.dimension) if says[0] else (self.dimension, -1)
            else:
                zero, one = (self.H._dimension(self._ids[says == r], self.limit) for r in (0, 1))
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
            self._ids = self._ids[self.H._says(self.H._column(x), self._ids) == bool(y)]
            self.dimension, self._known = left, {}

    def run(self, xs: Iterable[Hashable], ys: Iterable[Any]) -> ClassRun:
        """Play many rounds. The bound is the dimension of what was left when the run began.

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
        columns = [self.H._column(x) for x in instances]
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

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        kept = ("limit", "rounds", "mistakes", "_lowered")
        return {name: getattr(self, name) for name in kept}, {"ids": self._ids}

    @classmethod
    def _made(cls, H: FiniteClass, parts: state.Parts) -> Self:
        soa = cls(H, limit=parts.whole("limit", 1))
        ids = parts.array("ids", (None,), 0, len(H) - 1, np.uint32)
        if not len(ids) or (np.diff(ids.astype(np.int64)) <= 0).any():
            raise ValueError("ids are not those of some hypotheses, each once")
        soa._ids, soa.dimension = ids, H._dimension(ids, soa.limit)
        soa.rounds = parts.whole("rounds")
        soa.mistakes = parts.whole("mistakes", 0, min(soa.rounds, soa._promised - soa.dimension))
        soa._lowered = parts.flag("_lowered")
        return soa

    def __repr__(self) -> str:
        return f"SOA({self.H!r}{f', limit={self.limit}' * (self.limit != LIMIT)})"
