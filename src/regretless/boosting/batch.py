"""What AdaBoost, NHBoost and NHBoostDT share: labels in and out, margins, certificates, files."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base import arguments
from regretless.base.arguments import Array, shown, whole
from regretless.base.classifier import Labels, label_array
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.boosting.stump_search import (
    FittedStump,
    SortedColumns,
    Weighing,
    WeightedVote,
    boost,
)
from regretless.certificates import Certificate, verdict
from regretless.experts.potentials import normal_scale

# --- what is proven of a boosted vote: training error, and the distribution of margins ------------

# Luo (2016), Theorem 3.


@dataclass(frozen=True, eq=False)
class MarginCertificate(Certificate):
    """How many training examples have small margins, and how many may have.

    The margin of an example is `y sum_t a_t h_t(x) / sum_t |a_t|`, in [-1, 1]; it is positive where the
    vote is right. Shares are by the weights of the examples.

    Attributes: those of `Certificate`; `error`, the training error, which `bounds` are on;
    `booster`, whose theorem it is; `edges`, the sum of the edges of all rounds; `votes`, the sum of
    `|a_t|`; `errors`, the sum of the logarithms of `sqrt(1 - 4 gamma_t^2)`; `scale`, the c of
    `NHBoost`; `even`, whether the examples weigh the same; `margins` of the examples and their
    `weights`. `holds` says whether neither the error nor the share of any margin is above its
    bound. There is no regret: nothing is compared with.

    >>> from regretless.boosting import NHBoostDT
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> c = NHBoostDT(rounds=500).fit(X, [0, 0, 0, 1]).certificate()
    >>> c.error, round(c.bound, 3), c.holds
    (0.0, 0.014, True)
    >>> c.margin_error(0.25) <= c.margin_bound(0.25)
    True
    """

    error: float = 0.0
    booster: str = ""
    edges: float = 0.0
    votes: float = 0.0
    errors: float = 0.0
    scale: float = 0.0
    even: bool = True
    margins: Array = field(default_factory=lambda: np.empty(0), repr=False)
    weights: Array = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def measured(self) -> float:
        """The training error."""
        return self.error

    @property
    def edge(self) -> float:
        """The mean of the edges."""
        return self.edges / self.rounds if self.rounds else 0.0

    def margin_bound(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta` is no larger than this."""
        return min(1.0, _BOUNDS[self.booster](self, theta))

    def margin_error(self, theta: float) -> float:
        """The share of examples with a margin of at most `theta`."""
        return float(self.weights[self.margins <= theta].sum())

    @property
    def holds(self) -> bool | None:
        """Whether nothing is above its bound."""
        order = np.argsort(self.margins, kind="stable")
        shares = np.cumsum(self.weights[order])
        bounds = [self.margin_bound(theta) for theta in self.margins[order].tolist()]
        kept = bool((shares <= np.array(bounds) + self.rounding).all())
        return verdict(self.assumptions, self.error, self.bound) if kept else False


def exponential(c: MarginCertificate, theta: float) -> float:
    """Of AdaBoost: `e^{theta sum |alpha|} prod sqrt(1 - 4 gamma^2)`."""
    if theta >= 1:
        return 1.0
    if c.errors == -math.inf:
        return 0.0
    return math.exp(min(0.0, theta * c.votes + c.errors))


def without_horizon(c: MarginCertificate, theta: float) -> float:
    """Of NHBoostDT, Luo (2016), Theorem 3: `c / (e^{T (2 gamma - theta)^2 / 12} - 1)`."""
    T = c.rounds
    ahead = 2.0 * c.edges - T * theta
    if not ahead > 0:
        return 1.0
    charged = 0.5 * float(np.expm1(4.0 / (3.0 * np.arange(1, T + 1))).sum())
    return charged / math.expm1(min(ahead**2 / (12.0 * T), 700.0))


def normal(c: MarginCertificate, theta: float) -> float:
    """Of NHBoost: `e^{1 - T^2 (2 gamma - theta)^2 / (4 c)}` with what c is at most.

    That is `experts.potentials.normal_scale`, as every example is an expert, with an even prior.
    """
    ahead = c.edges - c.rounds * theta / 2.0
    if not ahead > 0 or not c.even:
        return 1.0
    most = normal_scale(c.rounds, max(len(c.weights), 1))
    return math.exp(min(0.0, 1.0 - ahead**2 / most))


_BOUNDS = {"AdaBoost": exponential, "NHBoostDT": without_horizon, "NHBoost": normal}


# --- what AdaBoost, NHBoost and NHBoostDT share: labels in and out, margins, certificates, --------

_PARTS = ("prior", "alphas", "edges", "errors", "zero_weights", "margins")  # of an ensemble
_EPS = float(np.finfo(float).eps)
_LEVEL = 2.0**-50  # far below the vote of a hypothesis, and (1 + _LEVEL) / 2 is not 1/2


class BatchBooster(Stateful, ABC):
    """A vote of weak hypotheses, trained on all examples at once."""

    _theorem: ClassVar[str]
    _booster: ClassVar[str]  # whose theorem it is
    _labels: Labels
    _ensembles: list[WeightedVote]  # one for two labels, otherwise one for each
    _sources: list[Any]

    def __init__(self, weak: Any = None, *, rounds: int = 200) -> None:
        self.weak = weak
        self.rounds = rounds

    @abstractmethod
    def _weighing(self, prior: Array) -> Weighing:
        """The weights of the examples, as they are before the first round."""

    # --- learning ----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on the rows of X.

        Parameters: `X`, an array, a sparse matrix or a data frame; `y`, two labels of any kind, or more,
        each of which is then told from all the others; `sample_weight`, not negative: an example of
        weight 2 is one that is there twice, one of weight 0 is not there.
        """
        rounds = whole(self.rounds, "rounds")
        columns, labels = SortedColumns.of(X), label_array(y)
        if not columns.size:
            raise ValueError("X has no rows: there is nothing to learn from")
        if not columns.names:
            raise ValueError("X has no columns: there is nothing to tell examples apart by")
        if len(labels) != columns.size:
            raise ValueError(f"X has {columns.size} rows, y has {len(labels)} labels")
        weights = _weights(sample_weight, columns.size)
        if not weights.all():
            columns, labels, weights = (
                columns.keep(weights > 0),
                labels[weights > 0],
                weights[weights > 0],
            )
        found, codes = _coded(labels)
        if len(found.labels) < 2:
            raise ValueError(f"y has one class only, {found.labels[0]!r}: two or more are needed")
        prior = weights / weights.sum()
        positives = [1] if len(found.labels) == 2 else range(len(found.labels))
        ensembles = [
            boost(
                columns,
                np.where(codes == k, 1.0, -1.0),
                prior,
                self._weighing(prior),
                weak=self.weak,
                rounds=int(rounds),
            )
            for k in positives
        ]
        self._labels, self._ensembles, self._sources = found, ensembles, columns.sources
        return self

    # --- predicting --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """The vote, from -1 to 1: for the second label of two, otherwise a column for each label.

        Of two labels that are level the second is meant: the vote is then the smallest above 0.
        """
        votes = self._votes(X)
        return np.where(votes == 0, _LEVEL, votes) if votes.ndim == 1 else votes

    def _votes(self, X: Any) -> Array:
        self._check_fitted()
        columns = SortedColumns.of(X)
        if len(columns.sources) != len(self._sources) or set(columns.sources) != set(self._sources):
            raise ValueError(
                f"X has {len(columns.sources)} columns, {_some(columns.sources)}; it was fitted on "
                f"{len(self._sources)}, {_some(self._sources)}"
            )
        scores = [ensemble.score(columns) for ensemble in self._ensembles]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row that most votes are for."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> Array:
        """The share of the votes for each label, in the order of `classes_`.

        This is no estimate of a probability. With three labels or more they are made to add up to 1.
        """
        scores = self.decision_function(X)
        shares = (1.0 + (np.column_stack([-scores, scores]) if scores.ndim == 1 else scores)) / 2.0
        total = shares.sum(axis=1, keepdims=True)
        even = 1.0 / shares.shape[1]
        return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1.0), even))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose label is predicted."""
        right = self.predict(X) == label_array(y)
        return float(np.average(right, weights=_weights(sample_weight, len(right))))

    # --- margins -----------------------------------------------------------------------------------

    def margins(self, X: Any, y: Any) -> Array:
        """How far the vote on each example is on the right side, from -1 to 1.

        `y sum_t a_t h_t(x) / sum_t |a_t|`; with three labels or more, half of the difference between the
        vote for the right label and the largest other one.
        """
        scores, labels = self._votes(X), label_array(y)
        codes, fresh = self._labels.encode(labels)
        if len(labels) != len(scores):
            raise ValueError(f"X has {len(scores)} rows, y has {len(labels)} labels")
        if fresh:
            raise ValueError(f"y has {fresh[0][1]!r}, which is none of {self._labels.labels}")
        if scores.ndim == 1:
            return np.where(codes == 1, scores, -scores)
        at = np.arange(len(scores)), codes
        others = scores.copy()
        others[at] = -np.inf
        return np.asarray((scores[at] - others.max(axis=1)) / 2.0)

    def margin_distribution(self, X: Any, y: Any) -> tuple[Array, Array]:
        """The margins that occur, ascending, and the share of examples with that margin or less."""
        values, counts = np.unique(self.margins(X, y), return_counts=True)
        return values, np.cumsum(counts) / counts.sum()

    def certificate(self, label: Any = None) -> MarginCertificate:
        """What is proven of the training examples: see `MarginCertificate`.

        With three labels or more, of the vote that tells `label` from the rest.
        """
        self._check_fitted()
        labels = self._labels.labels
        if (label is None) != (len(labels) == 2) or (label is not None and label not in labels):
            raise ValueError(
                f"label={shown(label)}: give one of {labels}, or none if there are two"
            )
        ensemble = self._ensembles[0 if label is None else labels.index(label)]
        edges, prior = ensemble.edges, ensemble.prior
        left = 1.0 - 4.0 * edges**2
        found = MarginCertificate(
            rounds=len(edges),
            regret=None,
            bounds={"trivial": 1.0},
            theorem=self._theorem,
            comparators="nobody: it is the share of small margins that is bounded, by the edges",
            # a share is a sum over the examples, a margin and an edge are sums over the rounds or them
            rounding=8.0 * _EPS * (len(edges) + len(prior) + 2),
            error=float(ensemble.errors[-1]) if len(edges) else 1.0,
            booster=self._booster,
            edges=float(edges.sum()),
            votes=float(np.abs(ensemble.alphas).sum()),
            errors=0.5 * float(np.log(left).sum()) if (left > 0).all() else -math.inf,
            scale=float(ensemble.scale),
            even=bool(np.ptp(prior) == 0),
            margins=ensemble.margins,
            weights=prior,
        )
        return replace(found, bounds=found.bounds | {self._theorem: found.margin_bound(0.0)})

    # --- what was learned --------------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in ascending order where they have one."""
        labels = self._labels.labels
        plain = np.array(labels)
        if plain.tolist() == labels:
            return plain
        out = np.empty(len(labels), object)
        out[:] = labels
        return out

    @property
    def errors_(self) -> Any:
        """The training error of the vote after each round."""
        return self._each(lambda e, _: e.errors)

    @property
    def edges_(self) -> Any:
        """By how much the weighted accuracy of each hypothesis was above 1/2."""
        return self._each(lambda e, _: e.edges)

    @property
    def alphas_(self) -> Any:
        """The vote of each hypothesis."""
        return self._each(lambda e, _: e.alphas)

    @property
    def zero_weights_(self) -> Any:
        """The share of examples that had weight 0 in each round."""
        return self._each(lambda e, _: e.zero_weights)

    @property
    def stumps_(self) -> Any:
        """The hypotheses: stumps with the labels they vote for, or what `weak` was fitted to.

        With three labels or more a stump against the others says None for the rest.
        """
        return self._each(lambda e, names: [_named(h, names) for h in e.hypotheses])

    def _each(self, what: Any) -> Any:
        self._check_fitted()
        labels = self._labels.labels
        if len(labels) == 2:
            return what(self._ensembles[0], labels)
        return {k: what(e, [None, k]) for k, e in zip(labels, self._ensembles)}

    def _check_fitted(self) -> None:
        if not hasattr(self, "_ensembles"):
            raise ValueError("nothing has been learned yet: call fit first")

    # --- options and files -------------------------------------------------------------------------

    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options the learner was made with."""
        return self._options()

    def set_params(self, **options: Any) -> Self:
        """Change options, for the next `fit`."""
        for name, value in options.items():
            if name not in self._options():
                raise ValueError(f"{name!r} is not an option of {type(self).__name__}")
            setattr(self, name, value)
        return self

    def _learned(self) -> dict[str, Any]:
        self._check_fitted()
        if self.weak is not None:
            raise ValueError(
                f"weak={self.weak!r}: a file holds no code; stumps can be saved, others be pickled"
            )
        return {
            "labels": self._labels.labels,
            "sources": self._sources,
            "ensembles": [_described(each) for each in self._ensembles],
        }

    def _restore(self, parts: Parts) -> None:
        labels, self._sources = parts.take("labels"), parts.take("sources")
        self._labels = Labels()
        for label in labels:
            self._labels.labels.append(self._labels.check(label))
        self._labels = Labels(labels)
        ensembles = parts.take("ensembles")
        votes = 1 if len(labels) == 2 else len(labels)
        if not len(self._labels.index) == len(labels) > 1 or len(ensembles) != votes:
            raise ValueError("there is not one vote for each label")
        if len({*self._sources}) != len(self._sources) or not {*map(type, labels)} <= _LABELS:
            raise ValueError("sources or labels are there twice, or are not numbers or texts")
        self._ensembles = [_restored(Parts(each)) for each in ensembles]
        known = {None, *self._sources}
        if any(h.feature not in known for e in self._ensembles for h in e.hypotheses):
            raise ValueError("features has one that is not among the sources")


_LABELS = {str, bool, int, float, tuple}


def _described(ensemble: WeightedVote) -> dict[str, Any]:
    """A vote of stumps, by name."""
    stumps = ensemble.hypotheses
    return {
        **{part: getattr(ensemble, part) for part in _PARTS},
        "features": [h.feature for h in stumps],
        "thresholds": np.array([h.threshold for h in stumps]),
        "sides": np.array([(h.below, h.above) for h in stumps], np.int64).reshape(-1, 2),
        "scale": ensemble.scale,
    }


def _restored(parts: Parts) -> WeightedVote:
    features, scale = parts.take("features"), parts.number("scale")
    rounds, edge = len(features), 1.0 + 1e-9
    prior = parts.array("prior", (None,), 0.0, edge)
    found = {
        "prior": prior,
        "alphas": parts.array("alphas", (rounds,), -1e150, 1e150),
        "edges": parts.array("edges", (rounds,), -0.5 * edge, 0.5 * edge),
        "errors": parts.array("errors", (rounds,), 0.0, edge),
        "zero_weights": parts.array("zero_weights", (rounds,), 0.0, edge),
        "margins": parts.array("margins", (len(prior),), -edge, edge),
    }
    thresholds = parts.array("thresholds", (rounds,), -1e305, 1e305)
    sides = parts.array("sides", (rounds, 2), -1, 1, np.int64)
    parts.done()
    if (sides == 0).any() or abs(prior.sum() - 1.0) > 1e-6 or not 0 <= scale <= 1e150:
        raise ValueError("sides, prior or the scale are not those of a vote")
    stumps = [
        FittedStump(f, t, *s) for f, t, s in zip(features, thresholds.tolist(), sides.tolist())
    ]
    return WeightedVote(hypotheses=stumps, scale=scale, **found)


def _coded(labels: NDArray[Any]) -> tuple[Labels, NDArray[np.int32]]:
    """The labels that occur, in ascending order where they have one, and which each example has."""
    seen = Labels()
    for _, label in Labels().encode(labels)[1]:
        seen.labels.append(seen.check(label))
    try:
        seen = Labels(sorted(seen.labels))
    except TypeError:
        seen = Labels(seen.labels)
    return seen, seen.encode(labels)[0]


def _weights(sample_weight: Any, size: int) -> Array:
    if sample_weight is None:
        return np.ones(size)
    weights = arguments.weights(
        arguments.shaped(sample_weight, "sample_weight", (size,)), "sample_weight"
    )
    if not weights.any():
        raise ValueError("sample_weight is 0 everywhere: there is nothing to learn from")
    return weights


def _named(hypothesis: Any, labels: list[Any]) -> Any:
    """A stump whose votes are called by the labels they are for."""
    if not isinstance(hypothesis, FittedStump):
        return hypothesis.model
    sides = [labels[(side + 1) // 2] for side in (hypothesis.below, hypothesis.above)]
    return FittedStump(hypothesis.feature, hypothesis.threshold, *sides)


def _some(names: list[Any]) -> str:
    shown = ", ".join(map(str, names[:3]))
    return f"{shown}, ..." if len(names) > 3 else shown
