"""A model made of weak learners of any kind, which are called one after the other."""

import copy
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from regretless import _core, arguments, rows
from regretless._core import Total, Want
from regretless.boosting.voter import Voter
from regretless.foreign import as_dict, as_matrix, fresh, takes_dicts, takes_weights
from regretless.linear.loading import restored
from regretless.linear.model import Array, Model
from regretless.losses import Logistic
from regretless.persistence import plain
from regretless.state import Parts

__all__ = ["Ensemble"]


@dataclass(frozen=True)
class Lane:
    """Weak learners that tell one label from the rest, and what becomes of their votes.

    `sign` is -1 if what they call False is this label.
    """

    voting: _core.Voting
    weak: list[Voter]
    sign: int = 1

    def votes(self, row: Any) -> Array:
        """1 or -1 of each weak learner: this label or not."""
        return np.array([each.vote(row, self.sign) for each in self.weak])


class Ensemble(Model):
    """The model of a booster whose weak learners are objects: as many for each lane as there are voters.

    Weak learners get examples as they come, as dicts or matrices of one row, and have names, intercepts
    and hashing of their own. Its loss is the log loss of the votes' log-odds.

    Parameters: `weak`, which is copied; `kind` and `options` of the `_core.Voting`; `sampled`, whether
    a weak learner gets an example with probability p instead of with weight p; `seed` of that.

    A weak learner that takes no weights is always sampled. What it gets of an example of importance w
    is then `p w` copies in expectation.
    """

    def __init__(
        self, weak: Any, kind: str, options: dict[str, Any], *, sampled: bool, seed: int
    ) -> None:
        super().__init__(Logistic(), bits=0, names=0, intercept=False)
        self._prototype, self._kind, self._options = weak, kind, options
        self._dicts, self._weights = takes_dicts(weak), takes_weights(weak)
        self._sampled, self._seed = sampled, seed
        self._lanes = [self._fresh()]

    def _fresh(self) -> Lane:
        voting = _core.Voting(self._kind, self._options)
        return Lane(
            voting,
            [Voter(fresh(self._prototype), f"weak learner {i}") for i in range(voting.voters)],
        )

    def measured(self, lane: int) -> dict[str, Array]:
        """What the votes of a lane have measured."""
        return self._lanes[lane].voting.measured()

    @property
    def weak(self) -> list[list[Any]]:
        """The weak learners of each lane."""
        return [[each.model for each in lane.weak] for lane in self._lanes]

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        made = [
            self._fresh() if source < 0 else copy.deepcopy(self._lanes[source])
            for source in sources
        ]
        self._lanes = [replace(lane, sign=lane.sign * int(s)) for lane, s in zip(made, signs)]

    # --- one example ---------------------------------------------------------------------------------

    def _row(self, x: Any, naming: bool) -> Any:
        return as_dict(x) if self._dicts else as_matrix(x)

    def predict(self, x: Any) -> Array:
        return np.array([lane.voting.score(lane.votes(x)) for lane in self._lanes])

    def learn(self, x: Any, y: Array, importance: float) -> tuple[Array, Array, Array]:
        votes = [lane.votes(x) for lane in self._lanes]  # of all, before anything changes
        before = [lane.voting.state() for lane in self._lanes]
        scores, rounds = np.zeros(self.lanes), int(self.totals[Total.rounds][0])
        try:
            for k, lane in enumerate(self._lanes):
                scores[k] = lane.voting.score(votes[k])
                weights = lane.voting.learn(votes[k], y[k], importance)
                for i, p in enumerate(weights.tolist()):
                    u = _core.drawn(self._seed, rounds, 1 + k * len(weights) + i)
                    for weight in self._given(p, importance, u):
                        lane.weak[i].teach(x, y[k] * lane.sign > 0, weight)
        except BaseException:
            for lane, state in zip(self._lanes, before):
                lane.voting.restore(state)
            raise
        self.totals[Total.updates] += 1.0
        return scores, np.logaddexp(0.0, -y * scores), np.zeros(self.lanes)

    def _given(self, p: float, w: float, u: float) -> list[float]:
        """The weights with which a weak learner gets an example, each time; u is drawn from [0, 1)."""
        if self._weights and not self._sampled:
            return [p * w] if p * w > 0 else []
        if self._weights:
            return [w] if u < p else []
        return [1.0] * int(u + p * w)

    # --- batches -------------------------------------------------------------------------------------

    def feed(self, batch: rows.Batch, labels: Any, importance: Any, want: Want) -> Any:
        """Learn or predict rows one by one, as `_core.Learner` does with what a batch gives to it."""
        X = list(self._rows(batch))
        weights = np.ones(len(X)) if importance is None else importance
        if len(weights) != len(X):
            raise ValueError(f"X has {len(X)} rows, the weights have {len(weights)}")
        weights = arguments.weights(weights, "weight")
        scores, losses = np.zeros((len(X), self.lanes)), np.zeros(len(X))
        for t, (x, w) in enumerate(zip(X, weights.tolist())):
            if labels is not None and w > 0:
                scores[t], losses[t] = self._step(x, int(labels[t]), w)
            elif want is not Want.nothing:
                scores[t] = self.predict(x)
                losses[t] = 0.0 if labels is None else self._suffer(x, int(labels[t]))
        if want is Want.nothing:
            return None
        told = scores.argmax(axis=1) if want is Want.best else scores.ravel()
        return told if labels is None else (told, losses)

    def _rows(self, batch: rows.Batch) -> Iterator[Any]:
        for t in range(batch.size):
            if isinstance(batch, rows.Table):  # what is 0 is said, as in a row that is a vector
                row = {
                    name: values[t].item() if not categories else categories[0][values[t]]
                    for name, values, *categories in batch.columns
                    if not categories or values[t] >= 0
                }
                x: Any = row if self._dicts else list(row.values())
            elif isinstance(batch, rows.CSR) and not self._dicts:
                part = slice(batch.starts[t], batch.starts[t + 1])
                starts = np.array([0, part.stop - part.start], np.int32)
                entries = batch.values[part], batch.columns[part], starts
                x = sparse.csr_array(entries, shape=(1, batch.width))
            else:
                x = batch.row(t)
            yield self._row(x, False)

    # --- copies and files ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "reader"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__init__(Logistic(), bits=0, names=0, intercept=False)  # its reader knows no names
        self.__dict__.update(state)

    def weights(self) -> Array:
        raise ValueError("every weak learner has weights of its own: see those of weak_")

    def gradient_norms(self) -> Sequence[float]:
        raise NotImplementedError("there is no gradient of votes")

    @property
    def bytes(self) -> int:
        """What the weak learners say that they take, and the votes."""
        return sum(
            lane.voting.state().nbytes + sum(sys.getsizeof(each.model) for each in lane.weak)
            for lane in self._lanes
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        out: dict[str, NDArray[Any]] = {"signs": np.array([lane.sign for lane in self._lanes])}
        for k, lane in enumerate(self._lanes):
            out[f"votes.{k}"] = lane.voting.state()
            for i, each in enumerate(lane.weak):
                description, own = each.model._described()
                text = json.dumps(description).encode()
                out[f"{k}.{i}.description"] = np.frombuffer(text, np.uint8)
                out |= {f"{k}.{i}.{name}": array for name, array in own.items()}
        return out

    def take(self, parts: Parts) -> None:
        signs = parts.array("signs", (self.lanes,), -1, 1, np.int64).tolist()
        if 0 in signs:
            raise ValueError("signs has a 0")
        for k, lane in enumerate(self._lanes):
            lane.voting.restore(parts.array(f"votes.{k}", (None,)))
            for i, each in enumerate(lane.weak):
                own = parts.part(f"{k}.{i}").rest()
                description = plain(own.pop("description").tobytes())
                each.model = restored(f"weak learner {i}", description, own)
                if type(each.model) is not type(self._prototype):
                    raise ValueError(f"weak learner {i} is not a {type(self._prototype).__name__}")
                each.learned = each.model.classes_.size > 0
        self._lanes = [replace(lane, sign=sign) for lane, sign in zip(self._lanes, signs)]
