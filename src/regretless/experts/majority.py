"""Players that vote: experts say 0 or 1, and so does the player (survey A, mohri 8.2.1, 8.2.2)."""

import copy
import math
import os
from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from regretless import persistence
from regretless.arguments import one_of, whole, within
from regretless.certificates import RegretCertificate
from regretless.run import Array
from regretless.threads import OneThread

__all__ = ["Consistent", "Halving", "NotRealizable", "WeightedMajority"]


class NotRealizable(ValueError):
    """No expert has been right in every round, but the player counts on one."""


class _Voter(OneThread, ABC, changing=("rounds", "mistakes", "expert_mistakes", "weights")):
    """Advice of 0 and 1 comes, `predict` answers one of them, `update` tells what was right.

    Attributes: `rounds` played; `mistakes` made; `expert_mistakes`; `weights`, 0 for who has no say.
    """

    def __init__(self, n: int) -> None:
        n = whole(n, "n", hint=": how many experts")
        self.n, self.rounds, self.mistakes = n, 0, 0
        self.expert_mistakes = np.zeros(self.n, np.int64)
        self.weights: Array = np.ones(self.n)

    def predict(self, advice: Any) -> int:
        """The answer to advice of 0 and 1, one for each expert."""
        return self._answer(self._advice(advice))

    def update(self, advice: Any, label: int) -> bool:
        """Learn which label was right; returns whether `predict` was wrong."""
        says = self._advice(advice)
        one_of(label, "label", (0, 1))
        wrong = self._answer(says) != label
        self.weights = self._weighed(says != label, wrong)
        self.rounds += 1
        self.mistakes += wrong
        self.expert_mistakes = self.expert_mistakes + (says != label)
        return wrong

    def run(self, advice: Any, labels: Any) -> NDArray[np.bool_]:
        """Play many rounds, a row of advice for each; returns where a mistake was made.

        If a round is refused, the player is as before the run.
        """
        rows, right = np.asarray(advice), np.asarray(labels)
        if rows.ndim != 2 or rows.shape[1] != self.n or right.shape != rows.shape[:1]:
            raise ValueError(
                f"advice has shape {rows.shape} and labels {right.shape}, not (rounds, {self.n}) "
                "and (rounds,)"
            )
        before = dict(self.__dict__)  # arrays are replaced, never changed
        try:
            return np.array([self.update(row, y) for row, y in zip(rows, right.tolist())], bool)
        except ValueError:
            self.__dict__.update(before)
            raise

    def certificate(self) -> RegretCertificate:
        """Mistakes beyond those of the best expert, and the theorem's bound on them."""
        least = int(self.expert_mistakes.min())
        bound, theorem, assumptions = self._bound(least)
        return RegretCertificate(
            self.rounds, self.mistakes - least, {"mistakes": bound - least}, theorem, assumptions
        )

    @abstractmethod
    def _weighed(self, errs: NDArray[np.bool_], wrong: bool) -> Array:
        """The weights after a round in which some erred, and perhaps the player."""

    @abstractmethod
    def _bound(self, least: int) -> tuple[float, str, dict[str, bool | None]]:
        """The most mistakes, when the best expert made `least`; the theorem; what it assumes."""

    def _answer(self, says: NDArray[np.bool_]) -> int:
        ones = float(self.weights[says].sum())
        return int(ones >= float(self.weights[~says].sum()))  # a tie is 1

    def _advice(self, advice: Any) -> NDArray[np.bool_]:
        array = np.asarray(advice)
        if array.shape != (self.n,):
            raise ValueError(f"advice has shape {array.shape}, not ({self.n},)")
        if not np.isin(array, (0, 1)).all():
            raise ValueError(f"advice={array.tolist()} is not made of 0 and 1")
        return np.asarray(array == 1)

    def clone(self) -> Self:
        """Another player with the same state."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the player to a safetensors file, all at once or not at all."""
        parts = dict(self.__dict__)
        arrays = {name: parts.pop(name) for name in ("weights", "expert_mistakes")}
        persistence.write(path, {"class": type(self).__name__, "parts": parts}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The player that `save` wrote to `path`; it goes on as if it had never stopped."""
        description, arrays = persistence.read_a(cls.__name__, path)
        player = cls.__new__(cls)
        with persistence.restoring(path):
            player.__dict__.update(description["parts"])
            player.weights, player.expert_mistakes = arrays["weights"], arrays["expert_mistakes"]
        return player

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n})"


class Halving(_Voter):
    """The majority of those that were never wrong when it mattered (mohri Figure 8.2).

    If some expert is right in every round, at most `log2 n` mistakes are made. On a mistake all experts
    that erred lose their say.

    Parameters: `n`, how many experts.

    >>> player = Halving(3)
    >>> player.update([1, 0, 1], 0), player.weights
    (True, array([0., 1., 0.]))
    """

    def _weighed(self, errs: NDArray[np.bool_], wrong: bool) -> Array:
        left = np.where(errs, 0.0, self.weights) if wrong else self.weights
        if not left.any():
            raise NotRealizable(
                f"no expert has been right in all {self.rounds + 1} rounds; use WeightedMajority"
            )
        return left

    def _bound(self, least: int) -> tuple[float, str, dict[str, bool | None]]:
        assumptions: dict[str, bool | None] = {"an expert is always right": least == 0}
        return math.floor(math.log2(self.n)), "mohri Theorem 8.1", assumptions


class Consistent(Halving):
    """The first of the experts that were right in every round (survey 1.2.1).

    If there is always one, at most `n - 1` mistakes are made.

    Parameters: `n`, how many experts.

    >>> player = Consistent(3)
    >>> player.predict([1, 0, 0]), player.update([1, 0, 0], 0), player.predict([1, 0, 1])
    (1, True, 0)
    """

    def _answer(self, says: NDArray[np.bool_]) -> int:
        return int(says[np.argmax(self.weights > 0)])

    def _weighed(self, errs: NDArray[np.bool_], wrong: bool) -> Array:
        return super()._weighed(errs, True)

    def _bound(self, least: int) -> tuple[float, str, dict[str, bool | None]]:
        return self.n - 1.0, "survey Corollary 1.1", {"an expert is always right": least == 0}


class WeightedMajority(_Voter):
    """The weighted majority; who errs is multiplied by beta (mohri Figure 8.3).

    At most `(ln n + m ln(1 / beta)) / ln(2 / (1 + beta))` mistakes are made, `m` being those of the
    best expert (Theorem 8.3). With beta 0 it is `Halving`, and empties when no expert is always right.

    Parameters: `n`; `beta` in [0, 1); `mode`, "on_mistake", weights change only when the majority was
    wrong, or "always".

    >>> player = WeightedMajority(3, beta=0.5)
    >>> player.run([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], [0, 1, 1, 0]), player.weights
    (array([ True, False, False, False]), array([0.5, 1. , 0.5]))
    """

    def __init__(
        self, n: int, *, beta: float = 0.5, mode: Literal["on_mistake", "always"] = "on_mistake"
    ) -> None:
        super().__init__(n)
        self.beta, self.mode = within(beta, "beta", "[0, 1)"), mode
        one_of(mode, "mode", ("on_mistake", "always"))

    def _weighed(self, errs: NDArray[np.bool_], wrong: bool) -> Array:
        if not wrong and self.mode == "on_mistake":
            return self.weights
        left = np.where(errs, self.beta * self.weights, self.weights)
        if not left.any():
            raise NotRealizable(f"no expert has any weight left; use beta > 0, not {self.beta:g}")
        return left / left.max() if left.max() < 1e-200 else left  # only relative sizes matter

    def _bound(self, least: int) -> tuple[float, str, dict[str, bool | None]]:
        if self.beta == 0:
            bound = math.log2(self.n) if least == 0 else math.inf
        else:
            bound = math.log(self.n) + least * math.log(1.0 / self.beta)
            bound /= math.log(2.0 / (1.0 + self.beta))
        return bound, "mohri Theorem 8.3", {}
