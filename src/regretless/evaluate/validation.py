"""Progressive validation: running scores of a stream that is predicted, scored, then learned.

Every example is predicted before it is learned, so the mean loss is that of predictions on fresh data,
without a holdout: Blum, Kalai and Langford, "Beating the Hold-Out" (1999).
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regretless import _core
from regretless.base import arguments
from regretless.base.arguments import Array, one_of
from regretless.base.learner import Learner
from regretless.base.rows import Form
from regretless.base.state import Parts
from regretless.base.threads import OneThread
from regretless.streams.stream import Piece, Place, Stream

if TYPE_CHECKING:
    from regretless.audit import Audit
    from regretless.certificates import Certificate
    from regretless.evaluate.report import Calibration, Curve, Report


# --- labels or targets: the kind that a learner predicts, and the kind that a stream has ----------


def classifies(learner: Any) -> bool:
    """Whether a learner of regretless or River (in a pipeline, its last step) predicts labels.

    >>> from regretless.linear import LinearClassifier, LinearRegressor
    >>> classifies(LinearClassifier()), classifies(LinearRegressor())
    (True, False)
    """
    if isinstance(learner, Learner):
        return learner.classifies
    steps = getattr(learner, "steps", None)
    if isinstance(steps, dict) and steps:  # River's pipelines have the methods of all estimators
        return classifies(list(steps.values())[-1])
    return hasattr(learner, "predict_proba_one")


class FirstLabels:
    """The first 1,000 labels of a stream, which show whether they are labels or targets.

    Numbers with more than 20 values, besides the `known` ones, look like targets.

    >>> prices = FirstLabels()
    >>> prices.add([245_000.0 + 100 * t for t in range(50)])
    >>> prices.are_whole, prices.are_many, prices.shown
    (True, True, '245000, 245100, 245200, ...')
    """

    LOOKED_AT, FEW = 1000, 20

    def __init__(self, known: Iterable[Any] = ()) -> None:
        self.are_numbers = True
        self._known = set(known)
        self._seen = 0
        self._values: dict[float, None] = {}  # in order of appearance

    def add(self, labels: Iterable[Any]) -> None:
        """Add further labels, up to the first 1,000."""
        for label in itertools.islice(labels, self.LOOKED_AT - self._seen):
            self._seen += 1
            if not isinstance(label, (int, float, np.number)) or isinstance(label, bool):
                self.are_numbers = False
            elif label not in self._known:
                self._values[float(label)] = None

    @property
    def enough(self) -> bool:
        """Whether further labels would not change the result."""
        return self._seen >= self.LOOKED_AT or not self.are_numbers

    @property
    def are_whole(self) -> bool:
        """Whether all labels so far were whole numbers."""
        return self.are_numbers and all(value.is_integer() for value in self._values)

    @property
    def are_many(self) -> bool:
        """Whether the labels were numbers with many values."""
        return self.are_numbers and len(self._values) > self.FEW

    @property
    def shown(self) -> str:
        """Three of the values."""
        three = itertools.islice(self._values, 3)
        return ", ".join(str(int(v)) if v.is_integer() else repr(v) for v in three) + ", ..."


class WithoutTargets(Stream):
    """A stream for a classifier: `ValueError` if its labels are targets.

    A classifier takes whole numbers as labels, but refuses numbers that are not whole and have more than
    20 values among the first 1,000.

    >>> from regretless import streams
    >>> list(WithoutTargets(streams.read([({"a": 1.0}, t + 0.5) for t in range(30)])))
    Traceback (most recent call last):
    ValueError: the labels are numbers with many values (0.5, 1.5, 2.5, ...) and the model is a \
classifier, which would make a label of each: use a regressor, such as LinearRegressor, to predict a \
number, or give str(y) if each is a label
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._at_hand = stream._at_hand  # type: ignore[misc]

    def pieces(
        self, form: Form | None = None, start: Place | None = None, labelled: bool = True
    ) -> Iterator[Piece]:
        labels = FirstLabels()
        for piece in self._stream.pieces(form, start, labelled):
            self._look(labels, piece.y)
            yield piece

    def weighted(self) -> Iterator[tuple[dict[Any, Any], Any, float]]:
        labels = FirstLabels()
        for x, y, w in self._stream.weighted():
            self._look(labels, (y,))
            yield x, y, w

    @staticmethod
    def _look(labels: FirstLabels, further: Iterable[Any]) -> None:
        if labels.enough:
            return
        labels.add(further)
        if labels.are_many and not labels.are_whole:
            raise ValueError(
                f"the labels are numbers with many values ({labels.shown}) and the model is a "
                "classifier, which would make a label of each: use a regressor, such as "
                "LinearRegressor, to predict a number, or give str(y) if each is a label"
            )


# --- running scores -------------------------------------------------------------------------------

Kind: TypeAlias = Literal["binary", "multiclass", "regression"]

# The points of a curve: 24 in a decade, fewer below 40, where roundings coincide.
# (`np.unique` would import numpy.ma.)
_POINTS = np.array(sorted({*np.round(10.0 ** (np.arange(15 * 24 + 1) / 24)).tolist()}), np.int64)


def point_from(examples: int) -> int:
    """The first point of a curve at or after this number of examples.

    >>> point_from(7), point_from(1000), point_from(1001), point_from(10**16) == 10**16
    (7, 1000, 1101, True)
    """
    at = int(_POINTS.searchsorted(examples))
    return int(_POINTS[at]) if at < len(_POINTS) else examples


_RANKS, _REACH = 2**14, 16.0  # bins of the log-odds from -16 to 16
_SHARES = 20  # bins of the probability, for calibration


class Validation(OneThread):
    """The running scores of a learner on a stream, fed in batches.

    Means are weighted by the examples' importance. However the stream was cut into batches, examples
    are counted and the curve's points placed the same; sums agree up to rounding.

    Memory is bounded. The curve has a point at 1, 2, 3, ..., then 24 in each decade of examples, and
    one at the end. AUC comes from histograms of the predicted log-odds with bins 1/512 wide from -16
    to 16: predictions whose odds differ by less than 0.2%, or that are both within 1e-7 of 0 or of 1,
    may count as tied, that is one half. The error is at most half the share of such pairs.

    Parameters: `kind`, "binary", "multiclass" or "regression". Set it from "binary" to "multiclass"
    when a third label appears, which ends AUC and calibration. `norms`, those of the linear models
    in certified bounds.

    >>> scores = Validation("binary")
    >>> scores.add(losses=[0.7, 0.1, 0.4], weights=None, wrong=[True, False, False],
    ...            probability=[0.5, 0.9, 0.3], positive=[False, True, False])
    >>> scores.examples, round(scores.mean_loss, 3), round(scores.error, 3), scores.auc
    (3, 0.4, 0.333, 1.0)
    >>> scores.curve.examples
    array([1, 2, 3])
    """

    def __init__(self, kind: Kind, norms: Sequence[float] = ()) -> None:
        one_of(kind, "kind", get_args(Kind))
        self._kind: Kind = kind
        self.norms = tuple(norms)
        self._examples = 0
        # Row k: the sums of weight, loss and wrong after point k - 1 up to point k, the bound certified
        # for each norm at the end of the last batch that touched it, and the place of that end.
        self._sums = np.zeros((len(_POINTS) + 1, 3))
        self._certified = np.full((len(_POINTS) + 1, len(self.norms)), np.nan)
        self._certified_at = np.zeros(len(_POINTS) + 1, np.int64)
        binary = kind == "binary"
        self._ranks = np.zeros((2, _RANKS if binary else 0))  # weight of negatives, of positives
        self._shares = np.zeros((3, _SHARES if binary else 0))  # weight, probability, positives

    def __repr__(self) -> str:
        return f"Validation({self._kind!r}{f', norms={self.norms}' if self.norms else ''})"

    @property
    def kind(self) -> Kind:
        """The kind of prediction; it may be set from "binary" to "multiclass".

        >>> scores = Validation("binary")
        >>> scores.kind = "multiclass"
        >>> scores.kind = "regression"
        Traceback (most recent call last):
        ValueError: kind='regression' after 'multiclass': only binary can become multiclass
        """
        return self._kind

    @kind.setter
    def kind(self, kind: Kind) -> None:
        if kind == self._kind:
            return
        if (self._kind, kind) != ("binary", "multiclass"):
            raise ValueError(
                f"kind={kind!r} after {self._kind!r}: only binary can become multiclass"
            )
        self._kind = kind
        self._ranks, self._shares = np.zeros((2, 0)), np.zeros((3, 0))

    def add(
        self,
        losses: ArrayLike,
        weights: ArrayLike | None,
        wrong: ArrayLike,
        probability: ArrayLike | None = None,
        positive: ArrayLike | None = None,
        *,
        certified: Sequence[float] | None = None,
    ) -> None:
        """Add a batch, in the order of the stream; an error leaves the scores unchanged.

        Parameters, arrays of one length: `losses` of the predictions made before learning; `weights`,
        the importance of each example, finite and >= 0, None for 1; `wrong`, whether the predicted
        label was, or the squared error in regression; with two labels, the `probability` predicted
        for the positive one, and whether the label was `positive`. A probability of NaN is unknown:
        the example counts neither for AUC nor for calibration. `certified`: for
        each of the norms, the mean loss that no linear model can beat on all examples up to this
        batch's end, NaN if unknown. The points of the curve in this batch get it, with that end;
        a point that batches share keeps the newest known bound.

        >>> scores = Validation("regression")
        >>> scores.add([1.0, 4.0], None, [1.0, 4.0])
        >>> scores.add([9.0], [np.nan], [9.0])
        Traceback (most recent call last):
        ValueError: weights[0] = nan is not a weight: it must be finite and not negative
        >>> scores.loss, scores.mean_loss
        (5.0, 2.5)
        """
        count = np.size(arguments.sound(losses, "losses"))
        rows = np.empty((3, count))
        rows[0] = 1.0
        if weights is not None:  # weights count as in learning
            rows[0] = arguments.weights(_column("weights", weights, count), "weights")
        rows[1] = _column("losses", losses, count)
        rows[2] = _column("wrong", wrong, count)
        if not count:
            return
        weight = rows[0]
        if weights is not None:
            np.multiply(rows[1:], weight, out=rows[1:], where=weight > 0)
            rows[1:, weight == 0] = 0.0  # also if the loss is infinite
        proved = self._proved(certified)
        start, stop = self._examples, self._examples + count
        first, last = _POINTS.searchsorted(start, "right"), _POINTS.searchsorted(stop, "left")
        sums = np.add.reduceat(rows, np.append(0, _POINTS[first:last] - start), axis=1)
        if np.isnan(sums).any():
            name, row = ("losses", rows[1]) if np.isnan(sums[1]).any() else ("wrong", rows[2])
            raise ValueError(
                f"{name}[{np.isnan(row).argmax()}] is not a number: it cannot be added up"
            )
        if probability is not None:
            self._add_probabilities(probability, positive, weight)
        self._sums[first : last + 1] += sums.T
        # an unknown bound does not replace the bound of an earlier batch for a shared point
        new = first + int(certified is None and bool(np.isfinite(self._certified[first]).any()))
        self._certified[new : last + 1] = proved
        self._certified_at[new : last + 1] = stop
        self._examples = stop

    def certify(self, bounds: Sequence[float]) -> None:
        """For each norm, the mean loss that no linear model can beat on all examples so far.

        >>> scores = Validation("regression", norms=[3])
        >>> scores.add([1.0, 4.0], None, [1.0, 4.0])
        >>> scores.certify([0.5])
        >>> scores.curve.certified.tolist(), scores.curve.certified_at.tolist()
        ([[nan], [0.5]], [2, 2])
        """
        row = _POINTS.searchsorted(self._examples, "left")
        self._certified[row], self._certified_at[row] = self._proved(bounds), self._examples

    def _proved(self, bounds: Sequence[float] | None) -> Array:
        """The certified bound for each norm; NaN where it is unknown."""
        if bounds is None:
            return np.full(len(self.norms), np.nan)
        return arguments.vector(bounds, "certified", len(self.norms))

    def _add_probabilities(
        self, probability: ArrayLike, positive: ArrayLike | None, weight: Array
    ) -> None:
        if self._kind != "binary":
            raise ValueError(f"probability is given, but kind={self._kind!r}: leave it out")
        if positive is None:
            raise ValueError("probability is given without positive: pass both or neither")
        p = _column("probability", probability, len(weight))
        label = _column("positive", positive, len(weight)) != 0
        if (none := np.isnan(p)).any():
            p, label, weight = p[~none], label[~none], weight[~none]
        if not len(p):
            return
        _check("probability", p, 1.0, "is not a probability: it must be in [0, 1]")
        _core.tally(p, label, weight, _REACH, self._ranks, self._shares)

    @property
    def examples(self) -> int:
        """The number of examples added, whatever their weights.

        >>> Validation("binary").examples
        0
        """
        return self._examples

    @property
    def loss(self) -> float:
        """The sum of the losses, each times the weight of its example.

        >>> Validation("binary").loss
        0.0
        """
        return float(self._sums[:, 1].sum())

    @property
    def mean_loss(self) -> float:
        """The mean loss; NaN if the weights add up to 0.

        >>> Validation("binary").mean_loss
        nan
        """
        return float(_means(self._so_far())[-1, 0])

    @property
    def error(self) -> float:
        """The share of wrong labels, or the mean squared error; NaN if the weights add up to 0.

        >>> scores = Validation("multiclass")
        >>> scores.add([0.2, 0.9], [3.0, 1.0], [False, True])
        >>> scores.error
        0.25
        """
        return float(_means(self._so_far())[-1, 1])

    @property
    def rmse(self) -> float | None:
        """The root of the mean squared error, in regression.

        >>> scores = Validation("regression")
        >>> scores.add([3.0], None, [9.0])
        >>> scores.rmse
        3.0
        """
        return float(np.sqrt(self.error)) if self._kind == "regression" else None

    @property
    def auc(self) -> float | None:
        """The chance that a positive is predicted higher than a negative, ties counting one half.

        None without probabilities, or if all labels were the same.

        >>> scores = Validation("binary")
        >>> scores.add([0.7, 0.7], None, [False, True], [0.5, 0.5], [True, False])
        >>> scores.auc
        0.5
        """
        negative, positive = self._ranks
        pairs = negative.sum() * positive.sum()
        below = np.cumsum(negative) - negative / 2
        # not `@`, because the idle threads of BLAS would keep a core busy for a while
        return float((positive * below).sum() / pairs) if pairs > 0 else None

    @property
    def calibration(self) -> "Calibration | None":
        """Predicted and observed frequencies in 20 bins of probability; None without probabilities.

        >>> scores = Validation("binary")
        >>> scores.add([0.1, 0.1], None, [False, True], [0.9, 0.94], [True, False])
        >>> scores.calibration.observed[18]
        np.float64(0.5)
        """
        from regretless.evaluate.report import Calibration

        return Calibration(*self._shares.copy()) if self._shares[0].any() else None

    @property
    def curve(self) -> "Curve":
        """The learning curve so far; its last point is the last example.

        >>> scores = Validation("regression")
        >>> scores.add([4.0, 2.0, 0.0], None, [4.0, 2.0, 0.0])
        >>> scores.curve.mean_loss, scores.curve.interval_mean_loss
        (array([4., 3., 2.]), array([4., 2., 0.]))
        """
        size = int(_POINTS.searchsorted(self._examples, "left")) + (self._examples > 0)
        examples = np.minimum(_POINTS[:size], self._examples)
        so_far, interval = _means(self._so_far()[:size]), _means(self._sums[:size])
        from regretless.evaluate.report import Curve

        return Curve(
            examples=examples,
            mean_loss=so_far[:, 0],
            interval_mean_loss=interval[:, 0],
            error=so_far[:, 1],
            interval_error=interval[:, 1],
            certified=self._certified[:size].copy(),
            certified_at=self._certified_at[:size].copy(),
            norms=self.norms,
        )

    def report(
        self,
        seconds: float,
        learner: str,
        certified: "Certificate | None" = None,
        audit: "Audit | None" = None,
        audited_loss: float | None = None,
    ) -> "Report":
        """The report so far, with the given time, name of the learner and certificates.

        Parameters: see `Report`.

        >>> scores = Validation("regression")
        >>> scores.add([4.0, 2.0], None, [4.0, 2.0])
        >>> scores.report(seconds=0.5, learner="coin").examples_per_second
        4.0
        """
        curve = self.curve
        from regretless.evaluate.report import Report

        return Report(
            examples=self.examples,
            seconds=seconds,
            losses=self._sums[: len(curve.examples), 1].copy(),
            weights=self._sums[: len(curve.examples), 0].copy(),
            error=self.error,
            auc=self.auc,
            rmse=self.rmse,
            calibration=self.calibration,
            curve=curve,
            certified=certified,
            learner=learner,
            audit=audit,
            audited_loss=audited_loss,
        )

    def state(self) -> dict[str, Array | NDArray[np.int64]]:
        """A copy of the state, from which `restored` continues.

        >>> sorted(Validation("regression").state())
        ['certified', 'certified_at', 'examples', 'ranks', 'shares', 'sums']
        """
        return {
            "examples": np.array([self._examples]),
            "sums": self._sums.copy(),
            "certified": self._certified.copy(),
            "certified_at": self._certified_at.copy(),
            "ranks": self._ranks.copy(),
            "shares": self._shares.copy(),
        }

    @classmethod
    def restored(
        cls, kind: Kind, arrays: Mapping[str, NDArray[np.generic]], norms: Sequence[float] = ()
    ) -> Self:
        """The validation with this `kind`, `state()` and `norms`.

        >>> scores = Validation("regression")
        >>> scores.add([4.0], None, [4.0])
        >>> Validation.restored("regression", scores.state()).loss
        4.0
        """
        restored = cls(kind, norms)
        for name, fresh in restored.state().items():
            if name not in arrays:
                raise ValueError(
                    f"arrays[{name!r}] is missing: this is not the state of a validation"
                )
            if (shape := np.shape(arrays[name])) != fresh.shape:
                raise ValueError(
                    f"arrays[{name!r}] has shape {shape}, not {fresh.shape}: is kind={kind!r} right?"
                )
        parts = Parts({k: np.asarray(v) for k, v in arrays.items()})

        def part(name: str, low: float = 0.0, high: float = math.inf, unknown: bool = False) -> Any:
            fresh = restored.state()[name]
            return parts.array(name, fresh.shape, low, high, fresh.dtype.type, unknown=unknown)

        restored._examples = int(part("examples", 0, 2**53)[0])
        restored._certified_at = part("certified_at", 0, restored._examples)
        restored._sums = part("sums")
        restored._certified = part("certified", -math.inf, unknown=True)
        restored._ranks, restored._shares = part("ranks"), part("shares")
        parts.done()
        return restored

    def _so_far(self) -> Array:
        return np.cumsum(self._sums, axis=0)


def _means(sums: Array) -> Array:
    """The mean loss and error of each row of sums; NaN where the weight is 0."""
    weight = sums[:, :1]
    return np.divide(sums[:, 1:], weight, out=np.full_like(sums[:, 1:], np.nan), where=weight > 0)


def _column(name: str, values: ArrayLike, count: int) -> Array:
    column = arguments.numbers(values, name)
    if column.shape != (count,):
        raise ValueError(f"{name} has shape {column.shape}, losses has {count} numbers")
    return column


def _check(name: str, values: Array, most: float, remedy: str) -> None:
    """Name the first of `values` that is not between 0 and `most`."""
    if not (values.min() >= 0 and values.max() <= most):  # also if it is NaN
        t = int((~((values >= 0) & (values <= most))).argmax())
        raise ValueError(f"{name}[{t}] = {values[t]} {remedy}")
