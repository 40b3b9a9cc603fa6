"""What all online boosters share: how votes and weak learners are made, edges, certificates."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regretless import _core, rows
from regretless._core import Want
from regretless.arguments import whole, within
from regretless.boosting.certificate import BoostingCertificate, of_votings
from regretless.boosting.ensemble import Ensemble
from regretless.foreign import takes_weights
from regretless.linear.classifying import Classifying
from regretless.linear.learner import learner_class
from regretless.linear.linear import LinearClassifier
from regretless.losses import Logistic, Loss

__all__ = ["EDGES", "Booster", "Edged"]

# Bounds go by n times the square of the edge that is counted on and must be there: the next of these
# below the true one does what that would do with a quarter of the weak learners, or better.
EDGES = (0.025, 0.05, 0.1, 0.2, 0.4)


class Booster(Classifying, in_core=False):
    """A classifier made of the votes of weak learners, which learns one example at a time.

    Its score is the log-odds of the vote, its loss the log loss of that. Two labels share one ensemble,
    three or more have one each, against the rest: the ensemble of two labels goes on as two mirrored
    ones, that of a later label begins with nothing learned.

    Copies of a `LinearClassifier` are lanes of one table, which an example goes through once. All
    other weak learners are objects, which are called one after the other. Both do the same, up to
    rounding; only the rule "coin" takes note of the scale of a feature from examples of weight 0, too,
    if it learns in lanes.
    """

    _kind: ClassVar[str]  # of the votes, as the core calls it
    certify = False  # what is certified are mistakes, not a loss
    _certifies = "itself"

    # the options that every booster has
    weak: Any
    n: int
    sampled: bool
    seed: int

    @abstractmethod
    def _voting(self, weighted: bool) -> dict[str, Any]:
        """The options of the votes, beyond n; whether weak learners get weights or samples."""

    @property
    def _prototype(self) -> Any:
        return LinearClassifier() if self.weak is None else self.weak

    @property
    def _lane(self) -> LinearClassifier | None:
        """The weak learner, if copies of it can be lanes of one table."""
        weak = self._prototype
        return weak if type(weak) is LinearClassifier and not weak.certify else None

    # what examples look like: lanes read them together, other weak learners each by itself

    @property
    def intercept(self) -> bool:  # type: ignore[override]
        """Whether lanes have a constant feature."""
        return self._lane is not None and self._lane.intercept

    @property
    def features(self) -> str:  # type: ignore[override]
        """Whether lanes have a weight for each name, or hash them."""
        return "exact" if self._lane is None else self._lane.features

    @property
    def bits(self) -> int:  # type: ignore[override]
        """Lanes that hash have `2**bits` weights."""
        return 18 if self._lane is None else self._lane.bits

    @property
    def names(self) -> int:  # type: ignore[override]
        """How many names lanes that hash remember."""
        return 0 if self._lane is None else self._lane.names

    @property
    def _is_linear(self) -> bool:
        return False

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Logistic(), "boost", {}

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any]
    ) -> _core.Learner | Ensemble:
        whole(self.n, "n", 1, 10_000)
        whole(self.seed, "seed", 0, 2**64 - 1)
        weak, lane = self._prototype, self._lane
        votes = self._voting(not self.sampled and takes_weights(weak)) | {"n": int(self.n)}
        sampled, seed = bool(self.sampled), int(self.seed)
        if lane is None:
            return Ensemble(weak, self._kind, votes, sampled=sampled, seed=seed)
        loss, lane_rule, lane_options = lane._compiled()
        parts = {
            "rule": lane_rule,
            "weak": lane_options,
            "kind": self._kind,
            "votes": votes,
            "sampled": sampled,
            "seed": seed,
        }
        form, names = self._form(), int(self.names)
        return _core.Learner(loss, rule, parts, form.bits, names, form.intercept, False)

    def _row(self, x: Any) -> Any:
        return x if isinstance(self._model, Ensemble) else super()._row(x)

    def _feed(
        self, batch: rows.Batch, labels: Any, importance: Any, want: Want = Want.nothing
    ) -> Any:
        model = self._model or self._start()
        if isinstance(model, Ensemble):
            return model.feed(batch, labels, importance, want)
        return super()._feed(batch, labels, importance, want)

    # --- what was learned ----------------------------------------------------------------------------

    @property
    def weak_(self) -> Any:
        """The weak learners, a list; with three or more labels, one by label."""
        model = self._model or self._start()
        if not isinstance(model, Ensemble):
            raise AttributeError(
                "the weak learners are lanes of one table, not objects: weights_ has the mean of their "
                "weights, edges_ what each is worth"
            )
        return self._by_label(model.weak)

    @property
    def edges_(self) -> Any:
        """How much better than chance each weak learner was: `w.z / (2 |w|_1)`.

        z is 1 where it was right and -1 where it was wrong, w what the examples weighed for it. 0 for
        one that has had no weight.
        """
        return self._by_label(
            [
                m["correlation"] / np.where(m["weights"] > 0, 2.0 * m["weights"], 1.0)
                for m in self._measured()
            ]
        )

    def _measured(self) -> list[dict[str, NDArray[np.float64]]]:
        """What the votes have measured, for each lane."""
        model: Any = self._model or self._start()
        return [model.measured(k) for k in range(model.lanes)]

    def _by_label(self, values: list[Any]) -> Any:
        if len(values) == 1:
            return values[0]
        return dict(zip(self._labels.labels, values, strict=True))

    def certificate(self) -> BoostingCertificate:  # type: ignore[override]
        """What the run so far proves of the number of mistakes: see `BoostingCertificate`."""
        return of_votings(self._kind, self._measured(), self._last)

    @property
    def _last(self) -> bool:
        """Whether the last expert predicts, of those that AdaBoost.OL has."""
        return False

    # --- copies and files ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self._model, Ensemble):  # its weak learners know how to be copied
            return {k: v for k, v in self.__dict__.items() if k != "_reading"}
        return super().__getstate__()

    def _described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        kind = type(self._prototype)
        if learner_class(kind.__name__) is not kind:
            raise ValueError(
                f"the weak learners are of the class {kind.__module__}.{kind.__qualname__}, which no "
                "model file can hold: pickle the booster"
            )
        return super()._described()


class Edged(Booster):
    """A booster that is told the edge of its weak learners, or finds out which serves best."""

    edge: float | None

    def _edges(self) -> list[float]:
        if self.edge is None:
            return list(EDGES)
        hint = ": it is what weak learners are better than chance; None finds it"
        within(self.edge, "edge", "(0, 1/2)", hint)
        return [float(self.edge)]

    def _voting(self, weighted: bool) -> dict[str, Any]:
        return {"edges": self._edges(), "weighted": weighted}

    @property
    def edge_(self) -> Any:
        """The edges in use, each with its share of the vote; with three or more labels, by label."""
        shares = [m["shares"].tolist() if "shares" in m else [1.0] for m in self._measured()]
        return self._by_label([dict(zip(self._edges(), each, strict=True)) for each in shares])
