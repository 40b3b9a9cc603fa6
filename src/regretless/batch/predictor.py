"""Predictors made by one pass over a stream: averages of hypotheses, and bounds on their risk."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base import rows
from regretless.base.arguments import Array, positive, within
from regretless.base.classifier import Labels
from regretless.base.learner import Learner
from regretless.certificates import verdict

# --- what one pass over independent examples proves of the risk -----------------------------------

# Mohri et al. (2018), section 8.4; Shalev-Shwartz (2012), section 5.
#
# All hold with probability at least `1 - delta` over the examples, for losses in `[0, loss_bound]`.
# `empirical` is the mean loss of hypotheses that were fixed before the example they were charged for.


def average_risk(
    empirical: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """Bounds on the mean risk of the hypotheses of all rounds.

        Lemma 8.14:        empirical + M sqrt(2 log(1 / delta) / T)
        Azuma:             empirical + M sqrt(log(1 / delta) / (2 T))

    The second, half as far, uses that a loss given the past lies in an interval of length M and not
    only that it is at most M away from its mean; whenever it holds, so does the first. The mean risk
    is the expected risk of a hypothesis drawn at random from the rounds, and if the loss is convex it
    is at least the risk of their average (Mohri et al. (2018), Theorem 8.15, eq. 8.27).

    >>> {name: round(bound, 4) for name, bound in average_risk(0.1, 1000, 0.05).items()}
    {'Mohri et al. (2018), Lemma 8.14': 0.1774, 'Azuma': 0.1387}
    """
    width = loss_bound * math.sqrt(2.0 * math.log(1.0 / _checked(delta)) / rounds)
    return {"Mohri et al. (2018), Lemma 8.14": empirical + width, "Azuma": empirical + width / 2.0}


def average_excess(
    regret: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """A bound on the excess risk of the average, compared with the best of a class, for a convex loss.

        eq. 8.28:             R_T / T + 2 M sqrt(2 log(2 / delta) / T)
        Azuma and Hoeffding:  R_T / T + M sqrt(2 log(2 / delta) / T)

    `R_T` is a bound on the regret against the class in that loss. The second takes `delta / 2` for the
    hypotheses played and as much for the best of the class, each in an interval of length M. In
    expectation `R_T / T` alone will do (Shalev-Shwartz (2012), Corollary 5.2).

    >>> bounds = average_excess(regret=20.0, rounds=1000, delta=0.05)
    >>> {name: round(bound, 4) for name, bound in bounds.items()}
    {'Mohri et al. (2018), eq. 8.28': 0.1918, 'Azuma and Hoeffding': 0.1059}
    """
    mean = regret / rounds
    width = loss_bound * math.sqrt(2.0 * math.log(2.0 / _checked(delta)) / rounds)
    return {
        "Mohri et al. (2018), eq. 8.28": mean + 2.0 * width,
        "Azuma and Hoeffding": mean + width,
    }


def penalty(tested: int, rounds: int, delta: float, loss_bound: float = 1.0) -> float:
    """The penalty for a hypothesis whose mean loss is over the `tested` rounds from its own round on.

    `M sqrt(log(T (T + 1) / delta) / (2 tested))` (Mohri et al. (2018), Exercise 8.10). So every
    hypothesis, all T of them at once, has a risk of at most its mean loss plus penalty, except with
    probability `delta / (T + 1)`.

    >>> round(penalty(100, rounds=1000, delta=0.05), 4)
    0.2899
    """
    return loss_bound * math.sqrt(math.log(rounds * (rounds + 1) / _checked(delta)) / (2 * tested))


def selected_risk(
    empirical: float, penalised: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """Bounds on the risk of the hypothesis that has the least mean loss plus penalty, `penalised`.

        eq. 8.31:        empirical + 6 M sqrt(log(2 (T + 1) / delta) / T)
        penalised:       the least mean loss plus penalty, itself

    The first is known before the choice; the second is usually much smaller. Both hold at once: the
    penalties fail with probability at most `2 delta / (T + 1) <= delta / 2` on both sides, which
    leaves `delta / 2` for the mean of the losses. For `T <= 2` the first is above M, hence true.

    >>> bounds = selected_risk(0.1, 0.19, rounds=1000, delta=0.05)
    >>> {name: round(bound, 4) for name, bound in bounds.items()}
    {'Mohri et al. (2018), eq. 8.31': 0.7177, 'penalised': 0.19}
    """
    width = 6.0 * math.sqrt(math.log(2.0 * (rounds + 1) / _checked(delta)) / rounds)
    return {"Mohri et al. (2018), eq. 8.31": empirical + loss_bound * width, "penalised": penalised}


def margin_risk(
    hinge: float, margin: float, squared_norms: float, rounds: int, delta: float
) -> float:
    """A bound on the share of wrong labels of a hypothesis selected from a Perceptron's, by a margin.

    `hinge + sqrt(sum K(x_i, x_i)) / (rho T) + 6 sqrt(log(2 (T + 1) / delta) / T)` (Mohri et al.
    (2018), Exercise 8.11), for a margin `rho` fixed in advance.

    Parameters: `hinge`, the mean of `max(0, 1 - y h(x) / rho)` over all examples for any `h` of norm at
    most 1, the best for the bound; `margin` rho > 0; `squared_norms`, the sum of `K(x_i, x_i)`, or
    `||x_i||^2`, over the rounds with an update.

    >>> round(margin_risk(0.1, margin=0.5, squared_norms=100.0, rounds=10_000, delta=0.05), 4)
    0.3175
    """
    bound = selected_risk(hinge, math.inf, rounds, delta)["Mohri et al. (2018), eq. 8.31"]
    return bound + math.sqrt(squared_norms) / (positive(margin, "margin") * rounds)


def validated_risk(
    held_out: float, examples: int, candidates: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """A bound on the risk of the best of some candidates on examples that were held out.

    `held_out + M sqrt(log(K / delta) / (2 m))`: Hoeffding's inequality for each of the K candidates.

    >>> {name: round(bound, 4) for name, bound in validated_risk(0.1, 500, 6, 0.05).items()}
    {'Hoeffding': 0.1692}
    """
    width = math.sqrt(math.log(candidates / _checked(delta)) / (2.0 * examples))
    return {"Hoeffding": held_out + loss_bound * width}


def runs_needed(delta: float) -> int:
    """The number of runs that turn a bound in expectation into a likely one: `ceil(log2(2 / delta))`.

    By Markov's inequality a run has at most twice the expected excess, with probability 1/2 or more.

    >>> runs_needed(0.05)
    6
    """
    return math.ceil(math.log2(2.0 / _checked(delta)))


def amplified_excess(
    expected: float, examples: int, runs: int, delta: float, loss_bound: float = 1.0
) -> float:
    """A bound on the excess risk of the best of several runs, compared with the best of the class.

    `2 epsilon + 2 M sqrt(log(4 K / delta) / (2 m))` for K runs on examples of their own, each of
    expected excess risk `epsilon` or less, and m held out (Shalev-Shwartz (2012), section 5, made
    explicit). In expectation a run of T rounds has `epsilon = R_T / T`.

    >>> round(amplified_excess(0.02, examples=500, runs=6, delta=0.05), 4)
    0.1971
    """
    if runs < runs_needed(delta):
        raise ValueError(
            f"runs={runs} is too few for delta={delta}: {runs_needed(delta)} are needed"
        )
    width = math.sqrt(math.log(4.0 * runs / delta) / (2.0 * examples))
    return 2.0 * positive(expected, "expected") + 2.0 * loss_bound * width


def _checked(delta: float) -> float:
    within(delta, "delta", "(0, 1)", "; 0.05 means 19 times out of 20")
    return delta


# --- what a pass over examples has come to: a predictor, and what is proved of its risk -----------


@dataclass(frozen=True)
class Predictor:
    """A predictor made by one pass of an online learner over independent examples.

    Attributes: `how` it was made; `examples` learned; `empirical`, the mean loss of predictions made
    before the example was learned; `bounds` on the risk, by name; `theorem`, their source;
    `assumptions` they need, each with whether it held (None: the data do not show it);
    `delta`, the probability with which the bounds may fail; `loss`, the name of the loss, and
    `loss_bound`, its assumed largest value; `hypothesis`, which predicts; `learner`, as it was at the
    end of the pass; `mean_risk_bounds`, for "random" alone, on the mean risk of the hypotheses that one
    was drawn from: a single one may have more.

    >>> from regretless import streams
    >>> from regretless.batch import online_to_batch
    >>> from regretless.linear import LinearClassifier
    >>> predictor = online_to_batch(LinearClassifier(), streams.bundled("phishing"), "validate")
    >>> predictor.holds, 0.1 < predictor.risk_bound < 0.35  # nobody can tell if examples are independent
    (None, True)
    """

    hypothesis: Any
    how: str
    examples: int
    empirical: float
    bounds: dict[str, float]
    theorem: str
    assumptions: dict[str, bool | None]
    delta: float
    loss: str
    loss_bound: float
    learner: Any
    mean_risk_bounds: dict[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        """False if an assumption was seen to fail, None if one is unknown, else True."""
        return verdict(self.assumptions, 0.0, 0.0)

    @property
    def risk_bound(self) -> float:
        """The smallest of the bounds; infinite without bounds, or if an assumption failed."""
        return math.inf if self.holds is False else min(self.bounds.values(), default=math.inf)

    def excess_bound(self, regret: float) -> float:
        """A bound on the excess risk of an average, compared with the best of a class: `average_excess`.

        Parameters: `regret`, a bound on the learner's regret against the class in the loss measured:
        for linear models of norm at most B, `learner.certificate(norm=B).bound`.

        >>> from regretless import streams
        >>> from regretless.batch import online_to_batch
        >>> from regretless.linear import LinearClassifier
        >>> pages = streams.bundled("phishing")
        >>> predictor = online_to_batch(LinearClassifier(), pages, loss_bound=6.0)
        >>> regret = predictor.learner.certificate(norm=3).bound
        >>> round(regret / predictor.examples, 2), round(predictor.excess_bound(regret), 2)
        (0.07, 0.53)
        """
        if self.how != "average":
            raise ValueError(f"how={self.how!r}: only an average is bounded by the regret")
        if self.holds is False:
            return math.inf
        found = average_excess(regret, self.examples, self.delta, self.loss_bound)
        return min(found.values())

    def predict_one(self, x: Any) -> Any:
        """The label or number predicted for one row."""
        return self.hypothesis.predict_one(x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label."""
        p: dict[Any, float] = self.hypothesis.predict_proba_one(x)
        return p

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row: of a batch, or of a list of dicts."""
        if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
            return np.array([self.predict_one(x) for x in X])
        if hasattr(self.hypothesis, "predict"):
            predicted: NDArray[Any] = self.hypothesis.predict(X)
            return predicted
        batch = rows.batch(X)
        return np.array([self.predict_one(batch.row(t)) for t in range(batch.size)])


# --- the average of the hypotheses of a run: of their weights if they are linear, else of ---------

Lanes = tuple[list[int], list[int]] | None


def relaned(values: Array, lanes: Lanes) -> Array:
    """Scores or weights (last axis: lanes) after a label has joined: see `Labels.add`."""
    if lanes is None:
        return values
    sources, signs = lanes
    out = np.zeros((*values.shape[:-1], len(sources)))
    for k, (source, sign) in enumerate(zip(sources, signs)):
        if source >= 0:
            out[..., k] = sign * values[..., source]
    return out


class Reader:
    """Finds the rows of a linear learner's weights that the features of an example belong to."""

    def __init__(self, learner: Learner) -> None:
        self.learner: Any = learner
        self.core: Any = learner._start()
        form = learner.form()
        self.bits, self.hashed, self.precise = form.bits, form.bits > 0, form.precise
        self.intercept = form.intercept
        self.names: dict[Any, int] = {}

    def weights(self) -> Array:
        """The weights as they are now: the intercept first, then a row per feature."""
        table: Array = self.core.weights().reshape(-1, self.core.lanes)
        if not self.hashed and len(table) != len(self.names) + 1:
            self.names = {name: row for row, name in self.core.names().items()}
        return table

    def rounded(self, values: Array) -> Array:
        """Features in the precision of the core, so that a row and a batch have the same scores."""
        return values if self.precise else values.astype(np.float32).astype(np.float64)

    def find(self, dicts: Sequence[dict[Any, Any]]) -> tuple[Any, Any, Array]:
        """Examples as starts, rows of the weights, and values; features without a row are left out. The
        core reads them, with its errors, categories and hashes.
        """
        examples = _core.Examples(self.bits, self.intercept, not self.hashed, self.precise)
        for each in dicts:
            examples.add(each)
        if self.hashed:
            starts, where, values = self.core.locate(examples)
            return starts.astype(np.int64), where.astype(np.int64), values.astype(np.float64)
        ends, columns, numbers = [0], list[int](), list[float]()
        for t in range(len(dicts)):
            known = {0: 1.0} if self.intercept else {}
            for name, value in examples.row(t).items():
                if name in self.names:
                    known[self.names[name]] = value
            columns += known.keys()
            numbers += known.values()
            ends.append(len(columns))
        return np.array(ends), np.array(columns, np.int64), np.array(numbers, np.float64)


class WeightMean:
    """The mean of a linear learner's weights over the rounds, exact and in double precision.

    A feature counts 0 until it is seen, and so does the lane of a label. All weights are read in every
    round, since a rule may change all of them: with d features a round costs O(d).
    """

    def __init__(self, learner: Learner) -> None:
        self._reader = Reader(learner)
        self._labels = Labels(self._known())
        self._sum = np.zeros((1, 1))
        self._count = 0

    def _known(self) -> list[Any]:
        return list(_labels_of(self._reader.learner).labels)

    def add(self) -> "LinearModel":
        """Count the present weights, and return them."""
        self._follow_labels()
        weights = self._reader.weights()
        if len(weights) > len(self._sum):
            self._sum = self._padded(max(len(weights), 2 * len(self._sum)), weights.shape[1])
        self._sum[: len(weights)] += weights
        self._count += 1
        return LinearModel(self._reader, weights)

    def _padded(self, size: int, lanes: int) -> Array:
        larger = np.zeros((size, lanes))
        larger[: len(self._sum)] = self._sum
        return larger

    def _follow_labels(self) -> None:
        for label in self._known():
            if label not in self._labels.index:
                self._sum = relaned(self._sum, self._labels.lanes(label))
                self._labels.add(label)

    def mean(self) -> "LinearModel":
        """The predictor whose weights are the mean of those counted."""
        self._follow_labels()
        reader = Reader(copy.deepcopy(self._reader.learner))  # which may learn on
        size, lanes = reader.weights().shape
        table = self._padded(max(size, len(self._sum)), lanes)[:size] / self._count
        return LinearModel(reader, table)


class LinearModel:
    """A linear model with the weights of a table: the intercept first, then a row per feature.

    It reads rows and batches like the learner, whose features and labels it shares; `weights_`,
    `intercept_` and `decision_one` are as the learner's. But its score is `<w, x>` always, while the
    rule "coin" damps features that are larger than all it has seen.
    """

    def __init__(self, reader: Reader, table: Array) -> None:
        self._reader, self._table = reader, table
        self._labels = _labels_of(reader.learner)
        self._classifies = bool(reader.learner.classifies)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the scores."""
        classes: NDArray[Any] = self._reader.learner.classes_
        return classes

    @property
    def weights_(self) -> dict[Any, Any]:
        """Names to weights; with three or more labels, labels to names to weights."""
        names = {row: name for name, row in self._reader.names.items()}
        if self._reader.hashed:
            used = np.flatnonzero(self._table[1:].any(axis=1)).tolist()
            names = {row + 1: self._reader.core.names().get(row + 1, row) for row in used}
        lanes = [
            {name: float(column[row]) for row, name in names.items()} for column in self._table.T
        ]
        return lanes[0] if len(lanes) == 1 else dict(zip(self._labels.labels, lanes))

    @property
    def intercept_(self) -> Any:
        """The weight of the constant feature; with three or more labels, by label."""
        first = self._table[0].tolist()
        return first[0] if len(first) == 1 else dict(zip(self._labels.labels, first))

    def decision_one(self, x: Any) -> Any:
        """The raw score: of the second label for two, a list in the order of `classes_` for more."""
        scores = self._scores([x if isinstance(x, dict) else as_dict(x)])[0].tolist()
        return scores[0] if len(scores) == 1 else scores

    def predict_one(self, x: Any) -> Any:
        """The label with the highest score, or the number."""
        score = self.decision_one(x)
        return self._reader.learner._decide(score) if self._classifies else score

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label."""
        labels = self._labels.labels
        scores = np.atleast_1d(np.asarray(self.decision_one(x), np.float64))
        p = self._reader.core.probabilities(scores).tolist()
        if len(labels) == 2:
            return {labels[0]: 1.0 - p[0], labels[1]: p[0]}
        return {labels[0]: 1.0} if len(labels) == 1 else dict(zip(labels, p))

    def decision_function(self, X: Any) -> Array:
        """Raw scores: one column for two labels or a number, otherwise one per label."""
        batch = rows.batch(X)
        if self._reader.hashed or not isinstance(batch, (rows.CSR, rows.Table)):
            scores = self._scores([batch.row(t) for t in range(batch.size)])
        elif isinstance(batch, rows.CSR):
            scores = self._of_csr(batch)
        else:
            scores = self._of_table(batch)
        if not np.isfinite(scores).all():
            at = int(np.argwhere(~np.isfinite(scores))[0, 0])
            raise ValueError(f"X[{at}] has a score of {scores[at]}: its features are not finite")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label, or the number, of each row."""
        scores = self.decision_function(X)
        if not self._classifies:
            return scores
        best = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[np.minimum(best, len(self._labels.labels) - 1)]
        return labels

    def _scores(self, dicts: Sequence[dict[Any, Any]]) -> Array:
        starts, where, values = self._reader.find(dicts)
        if len(dicts) == 1:
            score: Array = values @ self._table[where]
            return score[None]
        from scipy.sparse import csr_array

        found = csr_array((values, where, starts), (len(dicts), len(self._table)))
        scores: Array = found @ self._table
        return scores

    def _of_csr(self, batch: rows.CSR) -> Array:
        from scipy.sparse import csr_array

        table = np.zeros((batch.width, self._table.shape[1]))
        for name, row in self._reader.names.items():
            if isinstance(name, int) and 0 <= name < batch.width:
                table[name] = self._table[row]
        start, stop = batch.starts[0], batch.starts[-1]
        values = self._reader.rounded(batch.values[start:stop])
        arrays = values, batch.columns[start:stop], batch.starts - start
        scores: Array = csr_array(arrays, (batch.size, batch.width)) @ table + self._table[0]
        return scores

    def _of_table(self, batch: rows.Table) -> Array:
        names = self._reader.names
        scores = np.tile(self._table[0], (batch.size, 1))
        absent = np.zeros(self._table.shape[1])
        for name, values, *categories in batch.columns:
            if not categories:
                if name in names:
                    scores += self._reader.rounded(values)[:, None] * self._table[names[name]]
                continue
            found = [names.get(f"{name}={category}") for category in categories[0]]
            weights = [absent if row is None else self._table[row] for row in found]
            scores += np.array([*weights, absent])[values]  # code -1, missing, is the last
        return scores


def _labels_of(learner: Any) -> Labels:
    labels: Labels | None = getattr(learner, "_labels", None)
    return labels or Labels()


class MeanPredictor:
    """The weighted mean of the predictions of several hypotheses: probabilities, or numbers."""

    def __init__(self, members: Sequence[Any], counts: Sequence[int], classifies: bool) -> None:
        self.members, self._classifies = list(members), classifies
        self._shares = (np.array(counts) / sum(counts)).tolist()

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The mean probability of each label that any of the hypotheses knows."""
        total: dict[Any, float] = {}
        for member, share in zip(self.members, self._shares):
            for label, p in member.predict_proba_one(x).items():
                total[label] = total.get(label, 0.0) + share * p
        return total

    def predict_one(self, x: Any) -> Any:
        """The label of the highest mean probability, or the mean of the numbers."""
        if self._classifies:
            p = self.predict_proba_one(x)
            return max(p, key=p.__getitem__) if p else None
        return sum(
            share * (member.predict_one(x) or 0.0)
            for member, share in zip(self.members, self._shares)
        )


def as_dict(x: Any) -> dict[Any, Any]:
    """A row as a dict from names to values."""
    row = rows.row(x)
    return row if isinstance(row, dict) else dict(zip(row[0].tolist(), row[1].tolist()))
