"""What a run over a stream has shown, to read, to print, to plot and to write as JSON."""

import dataclasses
import math
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless.certificates import LinearCertificate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Calibration", "Curve", "Report"]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """A learning curve: arrays with one number per point, NaN where there is none.

    Attributes: `examples`, how many had been seen at each point; `loss` and `error`, the means over
    all of them; `interval_loss` and `interval_error`, the means since the point before; `certified`,
    the mean loss that no model of the norm asked for can beat on the first `certified_at` examples
    (the end of the batch that the point fell in; None: on `examples`). In regression the errors are
    squared.

    >>> both = np.array([1.0, 0.5])
    >>> Curve(np.array([1, 2]), both, np.array([1.0, 0.0]), both, both, both * np.nan).loss[-1]
    np.float64(0.5)
    """

    examples: NDArray[np.int64]
    loss: Array
    interval_loss: Array
    error: Array
    interval_error: Array
    certified: Array
    certified_at: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities and what happened, in bins of equal width from 0 to 1.

    Attributes, one number per bin: `weight` of the examples; `probability`, the sum of what was
    predicted; `positive`, the weight of those that were positive.

    >>> two = Calibration(np.array([4.0, 0.0]), np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    >>> two.predicted, two.observed, two.error
    (array([0.25,  nan]), array([0.5, nan]), 0.25)
    """

    weight: Array
    probability: Array
    positive: Array

    @property
    def predicted(self) -> Array:
        """The mean predicted probability of each bin; NaN where it is empty."""
        return self._mean(self.probability)

    @property
    def observed(self) -> Array:
        """The share of positives of each bin; NaN where it is empty."""
        return self._mean(self.positive)

    @property
    def error(self) -> float:
        """The mean gap between predicted and observed: the expected calibration error."""
        total = float(self.weight.sum())
        gap = float(np.abs(self.probability - self.positive).sum())
        return gap / total if total else math.nan

    def _mean(self, sums: Array) -> Array:
        empty = np.full_like(self.weight, np.nan)
        return np.divide(sums, self.weight, out=empty, where=self.weight > 0)


@dataclass(frozen=True, eq=False)
class Report:
    """How a learner did on a stream, every example predicted before it was learned.

    Attributes: `examples` seen, in so many `seconds`; mean `loss`; `error`, the share of wrong labels
    or the mean squared error, and `rmse`, its root, in regression; `auc` and `calibration` with two
    labels and probabilities; the `curve`; the `certificate`, if the learner gives one; the
    `learner`'s name.

    >>> one = np.array([0.5])
    >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2, one * 0.75)
    >>> report = Report(examples=200, seconds=0.1, loss=0.5, error=0.25, curve=curve, learner="coin")
    >>> print(report)
    learner              coin
    examples             200
    seconds              0.10
    examples per second  2,000
    mean loss            0.5000
    certified best       0.3750
    error                25.00%
    """

    examples: int
    seconds: float
    loss: float
    error: float
    curve: Curve
    learner: str
    auc: float | None = None
    rmse: float | None = None
    calibration: Calibration | None = None
    certificate: LinearCertificate | None = None

    @property
    def examples_per_second(self) -> float:
        """The speed, all told; NaN if no time passed."""
        return self.examples / self.seconds if self.seconds > 0 else math.nan

    def as_dict(self) -> dict[str, Any]:
        """All of it in plain Python, ready for JSON; what is not finite is None.

        >>> empty = np.empty(0)
        >>> curve = Curve(empty, empty, empty, empty, empty, empty)
        >>> report = Report(0, 1.0, loss=np.nan, error=np.nan, curve=curve, learner="coin")
        >>> report.as_dict()["loss"] is None, report.as_dict()["examples_per_second"]
        (True, 0.0)
        """
        certificate = self.certificate and {
            **dataclasses.asdict(self.certificate),
            "assumptions": self.certificate.assumptions,
            "holds": self.certificate.holds,
        }
        everything = dataclasses.asdict(self) | {
            "examples_per_second": self.examples_per_second,
            "certificate": certificate,
        }
        return {name: _plain(value) for name, value in everything.items()}

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        loss_name: str = "loss",
        norm: float | None = None,
    ) -> "Figure":
        """The learning curve as a matplotlib figure; written too if `path` ends in .png or .svg.

        `loss_name` is written on the axis, and `norm` is that of the certified models.

        >>> one = np.array([0.5])
        >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2, one * 0.75)
        >>> report = Report(200, 0.1, loss=0.5, error=0.25, curve=curve, learner="coin")
        >>> report.plot("curve.pdf")
        Traceback (most recent call last):
        ValueError: path='curve.pdf' ends in '.pdf', but must end in .png or .svg
        """
        from regretless.plots import learning_curves

        return learning_curves({self.learner: self.curve}, path, loss_name=loss_name, norm=norm)

    def __str__(self) -> str:
        best = self.curve.certified[-1] if len(self.curve.certified) else math.nan
        gap = None if self.calibration is None else self.calibration.error
        lines = [
            ("learner", self.learner),
            ("examples", f"{self.examples:,}"),
            ("seconds", f"{self.seconds:,.2f}"),
            ("examples per second", f"{self.examples_per_second:,.0f}"),
            ("mean loss", _short(self.loss)),
            ("certified best", _short(None if math.isnan(best) else best)),
            ("error", f"{self.error:.2%}" if self.rmse is None else None),
            ("root mean square error", _short(self.rmse)),
            ("AUC", _short(self.auc)),
            ("calibration error", _short(gap)),
        ]
        shown = [(name, value) for name, value in lines if value is not None]
        width = max(len(name) for name, _ in shown)
        return "\n".join(f"{name:{width}}  {value}" for name, value in shown)


def _short(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:#.4g}" if value == 0 or 1e-4 <= abs(value) < 1e4 else f"{value:.3e}"


def _plain(value: Any) -> Any:
    """Arrays as lists, NumPy's numbers as Python's, NaN and infinities as None."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
