"""What a run over a stream has shown, to read, to print, to plot and to write as JSON."""

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import shown
from regretless.certificates import Certificate, LinearCertificate
from regretless.run import Array, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Calibration", "Curve", "Report"]


@dataclass(frozen=True, eq=False)
class Curve:
    """A learning curve: arrays with one number per point, NaN where there is none.

    Attributes: `examples`, how many had been seen at each point; `mean_loss` and `error`, the means over
    all of them; `interval_mean_loss` and `interval_error`, those since the point before; `certified`,
    the mean loss that no model of the norm asked for can beat on the first `certified_at` examples
    (the end of the batch that the point fell in; None: on `examples`). In regression the errors are
    squared.

    >>> both = np.array([1.0, 0.5])
    >>> Curve(np.array([1, 2]), both, np.array([1.0, 0.0]), both, both, both * np.nan).mean_loss[-1]
    np.float64(0.5)
    """

    examples: NDArray[np.int64]
    mean_loss: Array
    interval_mean_loss: Array
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


@dataclass(frozen=True, eq=False, repr=False)
class Report(Run):
    """How a learner did on a stream, every example predicted before it was learned.

    It is a `Run` whose rounds are the stretches of the learning curve: from each of its points to the
    next. If the learner certifies what linear models can do, regrets and bounds are to all of them of a
    given `norm`, from the certificate; others are infinite.

    Attributes: `examples` seen, in so many `seconds`; `losses`, the sum over the examples of each
    stretch, and `weights`, the sum of their importance; `error`, the share of wrong labels or the mean
    squared error, and `rmse`, its root, in regression; `auc` and `calibration` with two labels and
    probabilities; the `curve`; the `learner`'s name; `certified`, what the learner certifies of these
    examples, or None; `norm`, of the models that the curve certifies.

    >>> one = np.array([0.5])
    >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2, one * 0.75)
    >>> report = Report(200, 0.1, np.array([100.0]), np.array([200.0]), 0.25, curve, "coin")
    >>> report.loss, report.mean_loss
    (100.0, 0.5)
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
    losses: Array
    weights: Array
    error: float
    curve: Curve
    learner: str
    auc: float | None = None
    rmse: float | None = None
    calibration: Calibration | None = None
    certified: Certificate | None = None
    norm: float | None = None

    @property
    def index(self) -> NDArray[np.int64]:
        """How many examples had been seen at the end of each stretch."""
        return self.curve.examples

    @property
    def mean_loss(self) -> float:
        """The mean loss of an example, one of weight w counting w times; NaN if none had a weight."""
        return float(self.curve.mean_loss[-1]) if len(self.losses) else math.nan

    @property
    def examples_per_second(self) -> float:
        """The speed, all told; NaN if no time passed."""
        return self.examples / self.seconds if self.seconds > 0 else math.nan

    # --- who it is compared with -------------------------------------------------------------------

    def certificate(self, *, norm: float | None = None, ord: float = 2) -> Certificate:
        """What is certified of these examples, for all linear models of a norm if the learner can.

        Parameters: `norm`, by default that of the report, or 1, measured by `ord`: see
        `LinearCertificate`. Of learners that certify something else it is that, and `norm` is refused;
        without any certificate it says so: its bound is infinite.

        >>> empty = np.empty(0)
        >>> curve = Curve(empty, empty, empty, empty, empty, empty)
        >>> Report(0, 1.0, empty, empty, np.nan, curve, "coin").certificate().holds is None
        True
        """
        if isinstance(self.certified, LinearCertificate):
            wanted = self.norm if norm is None else norm
            return self.certified.within(1.0 if wanted is None else wanted, ord=ord)
        if norm is not None:
            raise ValueError(
                f"norm={shown(norm)}: {self.learner} certifies nothing of linear models"
            )
        if self.certified is not None:
            return self.certified
        return Certificate(self.examples, None, {}, f"none: {self.learner} has no certificate")

    def regret(self, *, norm: float | None = None, ord: float = 2) -> float:
        """How much more was lost than by the best model of the norm, at most: see `certificate`."""
        found = self.certificate(norm=norm, ord=ord).regret
        return math.inf if found is None else found

    def regret_curve(self, *, norm: float | None = None, ord: float = 2) -> Array:
        """The regret after each stretch; infinite where it was not measured.

        It was where the curve certifies something of models of this norm, and at the end.
        """
        regret = np.full(len(self.losses), np.inf)
        if self.norm is not None and norm in (None, self.norm) and ord == 2:
            best = self.curve.certified * np.cumsum(self.weights)
            at = self.curve.certified_at
            known = np.isfinite(best) & (True if at is None else at == self.curve.examples)
            regret[known] = (np.cumsum(self.losses) - best)[known]
        regret[-1:] = self.regret(norm=norm, ord=ord)
        return regret

    def bound_curve(self, *, norm: float | None = None, ord: float = 2) -> Array:
        """The bound on the regret after each stretch; infinite where there is none.

        What the curve certifies is one: the regret, and what rounding may have taken from it.
        """
        bound = self.regret_curve(norm=norm, ord=ord)
        bound[-1:] = self.bound(norm=norm, ord=ord)
        return bound

    def _columns(self) -> dict[str, Any]:
        names = ("mean_loss", "interval_mean_loss", "error", "interval_error")
        return {name.replace("_", " "): getattr(self.curve, name) for name in names}

    # --- to write and to draw ----------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """All of it in plain Python, ready for JSON; what is not finite is None.

        >>> empty = np.empty(0)
        >>> curve = Curve(empty, empty, empty, empty, empty, empty)
        >>> report = Report(0, 1.0, empty, empty, error=np.nan, curve=curve, learner="coin")
        >>> report.as_dict()["mean_loss"] is None, report.as_dict()["examples_per_second"]
        (True, 0.0)
        """
        found = None if self.certified is None else self.certificate()
        certificate = found and {
            **{f.name: getattr(found, f.name) for f in dataclasses.fields(found)},
            "against": repr(found.against),
            "bound": found.bound,
            "holds": found.holds,
        }
        everything = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        everything |= {
            "loss": self.loss,
            "mean_loss": self.mean_loss,
            "examples_per_second": self.examples_per_second,
            "certificate": certificate,
            "curve": dataclasses.asdict(self.curve),
            "calibration": self.calibration and dataclasses.asdict(self.calibration),
        }
        del everything["certified"]
        return {name: _plain(value) for name, value in everything.items()}

    def plot(self, ax: "Axes | None" = None, *, loss_name: str = "loss") -> "Axes":
        """Draw the learning curve, and below it what no model of the report's norm could reach.

        `ax`, where to draw; a new picture by default. `loss_name` is written on the axis.

        >>> one = np.array([0.5])
        >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2, one * 0.75)
        >>> report = Report(200, 0.1, one, one, error=0.25, curve=curve, learner="coin")
        >>> report.plot().get_xlabel()
        'examples seen'
        """
        from regretless.plots import learning_curves
        from regretless.plots.saving import new_axes

        axes = new_axes() if ax is None else ax
        learning_curves({self.learner: self.curve}, loss_name=loss_name, norm=self.norm, ax=axes)
        return axes

    def __repr__(self) -> str:
        return f"<{self.examples:,} examples of {self.learner}, mean loss {self.mean_loss:.4g}>"

    def __str__(self) -> str:
        best = self.curve.certified[-1] if len(self.curve.certified) else math.nan
        gap = None if self.calibration is None else self.calibration.error
        lines = [
            ("learner", self.learner),
            ("examples", f"{self.examples:,}"),
            ("seconds", f"{self.seconds:,.2f}"),
            ("examples per second", f"{self.examples_per_second:,.0f}"),
            ("mean loss", _short(self.mean_loss)),
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
    if dataclasses.is_dataclass(value):
        return _plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    return None if isinstance(value, float) and not math.isfinite(value) else value
