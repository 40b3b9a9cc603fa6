"""An ensemble of weak learners of any kind, which are called one after the other."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core, rows
from regretless.boosting.weak import Weak, as_dict, as_matrix, copies, takes_dicts, takes_weights
from regretless.linear.loading import restored
from regretless.run import Array

__all__ = ["Ensemble"]


@dataclass(frozen=True)
class Lane:
    """Weak learners that tell one label from the rest, and what becomes of their votes.

    `sign` is -1 if what they call False is this label.
    """

    voting: _core.Voting
    weak: list[Weak]
    sign: int = 1

    def votes(self, row: Any) -> Array:
        """1 or -1 of each weak learner: this label or not."""
        return self.sign * np.array([each.vote(row) for each in self.weak])


class Ensemble:
    """The engine of a booster: a lane for two labels, one for each of three or more.

    A booster knows labels and options; of its engine it wants `learn` and `score` with the numbers of
    labels, `batch` and the same for what that gives, `relane` when a label appears, `votings` and `weak`
    to look at, `described` and `restore` for files.

    Parameters: `weak`, which is copied; `kind` and `options` of the `_core.Voting`; `sampled`, whether
    a weak learner gets an example with probability p instead of with weight p; `seed` of that.

    A weak learner that takes no weights is always sampled. What it gets of an example of importance w
    is then `p w` copies in expectation.
    """

    def __init__(
        self, weak: Any, kind: str, options: dict[str, Any], *, sampled: bool, seed: int
    ) -> None:
        self._prototype, self._kind, self._options = weak, kind, options
        self._dicts, self._weights = takes_dicts(weak), takes_weights(weak)
        self._sampled, self._seed = sampled, seed
        self._rounds = 0
        self.lanes = [self._fresh()]

    def _fresh(self) -> Lane:
        voting = _core.Voting(self._kind, self._options)
        return Lane(voting, copies(self._prototype, voting.voters))

    @property
    def votings(self) -> list[_core.Voting]:
        """What became of the votes, for each lane."""
        return [lane.voting for lane in self.lanes]

    @property
    def weak(self) -> list[list[Any]]:
        """The weak learners of each lane."""
        return [[each.model for each in lane.weak] for lane in self.lanes]

    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None:
        """Make the lanes of `sources`, -1 for a fresh one, each times its sign."""
        made = [
            self._fresh() if source < 0 else copy.deepcopy(self.lanes[source]) for source in sources
        ]
        self.lanes = [replace(lane, sign=lane.sign * sign) for lane, sign in zip(made, signs)]

    # --- one example ---------------------------------------------------------------------------------

    def score(self, x: Any) -> Any:
        """The log-odds of the second of two labels, or a list of those of each of several."""
        return self._shown(self._scores(self._row(x)))

    def learn(self, x: Any, y: int, w: float) -> Any:
        """Learn label number `y` with importance `w >= 0` (0: only look); the score before that."""
        return self._shown(self._learn(self._row(x), y, w))

    def _row(self, x: Any) -> Any:
        return as_dict(x) if self._dicts else as_matrix(x)

    def _shown(self, scores: list[float]) -> Any:
        return scores[0] if len(scores) == 1 else scores

    def _scores(self, row: Any) -> list[float]:
        return [lane.voting.score(lane.votes(row)) for lane in self.lanes]

    def _learn(self, row: Any, y: int, w: float) -> list[float]:
        votes = [lane.votes(row) for lane in self.lanes]  # of all, before anything changes
        scores = [lane.voting.score(each) for lane, each in zip(self.lanes, votes)]
        if w == 0:
            return scores
        before = [voting.state() for voting in self.votings]
        try:
            for k, lane in enumerate(self.lanes):
                target = 1 if y == (k if len(self.lanes) > 1 else 1) else -1
                weights = lane.voting.learn(votes[k], target, w)
                for i, p in enumerate(weights.tolist()):
                    u = _core.drawn(self._seed, self._rounds, 1 + k * len(weights) + i)
                    for weight in self._given(p, w, u):
                        lane.weak[i].learn(row, target * lane.sign > 0, weight)
        except BaseException:
            for voting, state in zip(self.votings, before):
                voting.restore(state)
            raise
        self._rounds += 1
        return scores

    def _given(self, p: float, w: float, u: float) -> list[float]:
        """The weights with which a weak learner gets an example, each time; u is drawn from [0, 1)."""
        if self._weights and not self._sampled:
            return [p * w] if p * w > 0 else []
        if self._weights:
            return [w] if u < p else []
        return [1.0] * int(u + p * w)

    # --- batches -------------------------------------------------------------------------------------

    def batch(self, X: Any) -> tuple[int, Any]:
        """The number of rows, and these in a form that can be cut and that the others take."""
        if not self._dicts:
            if hasattr(X, "iloc"):
                X = X.to_numpy()
            X = X.tocsr() if hasattr(X, "tocsr") else rows.numbers(X, "X", "a matrix of numbers")
            if X.ndim != 2:
                raise ValueError(f"X has shape {X.shape}: rows and columns are expected")
            return X.shape[0], [as_matrix(X[t : t + 1]) for t in range(X.shape[0])]
        table = rows.batch(X)
        return table.size, [as_dict(table.row(t)) for t in range(table.size)]

    def learn_many(self, batch: Any, y: NDArray[np.int32], w: Array | None) -> Array:
        """Learn what `batch` gave, row by row; the scores before each (rows x lanes)."""
        weights = np.ones(len(batch)) if w is None else w
        scores = [self._learn(*each) for each in zip(batch, y.tolist(), weights.tolist())]
        return np.array(scores).reshape(len(batch), len(self.lanes))

    def score_many(self, batch: Any) -> Array:
        """The scores of each row (rows x lanes)."""
        scores = np.array([self._scores(row) for row in batch])
        return scores.reshape(len(batch), len(self.lanes))

    # --- files ---------------------------------------------------------------------------------------

    def described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """All that was learned, as text and arrays."""
        lanes, arrays = [], {}
        for k, lane in enumerate(self.lanes):
            arrays[f"{k}"] = lane.voting.state()
            weak = []
            for i, each in enumerate(lane.weak):
                if not each.is_ours:
                    raise ValueError(
                        f"the weak learners are of the class {type(each.model).__name__}, which is not "
                        "of this library and cannot be saved to a model file: pickle the booster"
                    )
                description, own = each.model._described()
                weak.append([each.learned, description])
                arrays |= {f"{k}.{i}.{name}": array for name, array in own.items()}
            lanes.append({"sign": lane.sign, "weak": weak})
        return {"rounds": self._rounds, "lanes": lanes}, arrays

    def restore(self, path: Any, found: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go on from what `described` gave."""
        self.lanes = []
        for k, saved in enumerate(found["lanes"]):
            voting = _core.Voting(self._kind, self._options)
            voting.restore(arrays[f"{k}"])
            if len(saved["weak"]) != voting.voters or saved["sign"] not in (-1, 1):
                raise ValueError("the weak learners are not those of the booster")
            weak = []
            for i, (learned, description) in enumerate(saved["weak"]):
                start = f"{k}.{i}."
                own = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
                weak.append(Weak(restored(path, description, own), i))
                weak[-1].learned = bool(learned)
            self.lanes.append(Lane(voting, weak, saved["sign"]))
        self._rounds = int(found["rounds"])
