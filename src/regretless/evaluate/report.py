"""The results of a run over a stream, to read, to print, to plot and to write as JSON."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, shown
from regretless.base.run import Run
from regretless.certificates import Certificate, LinearCertificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.audit import Audit


@dataclass(frozen=True, eq=False)
class Curve:
    """A learning curve: arrays with one number per point, NaN where a value is missing.

    Attributes: `examples`, the number seen at each point; `mean_loss` and `error`, the means over all of
    them; `interval_mean_loss` and `interval_error`, the means since the point before; `certified`, with
    a column for each of the `norms`, the mean loss that no linear model of that norm can beat on the
    first `certified_at` examples (a few more than `examples` if bounds were computed after the point;
    None: on `examples`). In regression the errors are squared.

    >>> both = np.array([1.0, 0.5])
    >>> Curve(np.array([1, 2]), both, np.array([1.0, 0.0]), both, both).mean_loss[-1]
    np.float64(0.5)
    """

    examples: NDArray[np.int64]
    mean_loss: Array
    interval_mean_loss: Array
    error: Array
    interval_error: Array
    certified: Array = field(default_factory=lambda: np.empty((0, 0)))
    certified_at: NDArray[np.int64] | None = None
    norms: tuple[float, ...] = ()

    def best(self, norm: float) -> tuple[NDArray[np.int64], Array]:
        """The certified bounds of one norm, with the number of examples of each, in order.

        >>> half = np.array([0.5, 0.5])
        >>> certified = np.array([[0.1], [0.2]])
        >>> Curve(np.array([1, 2]), half, half, half, half, certified, None, (3.0,)).best(3.0)
        (array([1, 2]), array([0.1, 0.2]))
        """
        found = self.certified[:, self.norms.index(norm)]
        known = np.isfinite(found)
        at = self.examples if self.certified_at is None else self.certified_at
        examples, first = np.unique(at[known], return_index=True)
        return examples, found[known][first]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities and observed frequencies, in bins of equal width from 0 to 1.

    Attributes, one number per bin: `weight` of the examples; `probability`, the sum of the predicted
    ones; `positive`, the weight of the positive examples.

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
    """The results of a learner on a stream, with every example predicted before it was learned.

    It is a `Run` whose rounds are the stretches between the points of the learning curve. Regrets and
    bounds are to all linear models of a given `norm`: from the audit, if there was one (`certify=`),
    otherwise from the learner's own certificate, if it has one; else they are infinite.

    Attributes: `examples` seen and `seconds` taken; `losses`, the sum over the examples of each stretch,
    and `weights`, the sum of their importance; `error`, the share of wrong labels or the mean squared
    error, and `rmse`, its root, in regression; `auc` and `calibration` with two labels and
    probabilities; the `curve`; the `learner`'s name; `certified`, the learner's own certificate for
    these examples, or None; `audit`, the `Audit`, or None; `audited_loss`, the learner's total of the
    audited loss, None if that is not known. With three labels or more the audit adds up the losses of
    telling each label from the rest, which may differ from `losses`.

    >>> one = np.array([0.5])
    >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2)
    >>> report = Report(200, 0.1, np.array([100.0]), np.array([200.0]), 0.25, curve, "coin")
    >>> report.loss, report.mean_loss
    (100.0, 0.5)
    >>> print(report)
    learner              coin
    examples             200
    seconds              0.10
    examples per second  2,000
    mean loss            0.5000
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
    audit: "Audit | None" = None
    audited_loss: float | None = None

    @property
    def norms(self) -> tuple[float, ...]:
        """The norms that were audited."""
        return () if self.audit is None else self.audit.norms

    @property
    def index(self) -> NDArray[np.int64]:
        """The number of examples seen at the end of each stretch."""
        return self.curve.examples

    @property
    def mean_loss(self) -> float:
        """The mean loss per unit of weight; NaN if the weights add up to 0."""
        return float(self.curve.mean_loss[-1]) if len(self.losses) else math.nan

    @property
    def examples_per_second(self) -> float:
        """The overall speed; NaN if no time passed."""
        return self.examples / self.seconds if self.seconds > 0 else math.nan

    # --- comparison with linear models -------------------------------------------------------------

    def best_possible(self, norm: float | None = None, *, mean: bool = False) -> float:
        """A lower bound on the loss of all linear models of norm at most `norm` on these examples.

        Parameters: `norm`, by default the largest that was audited; `mean`, whether per example.

        >>> from regretless import streams
        >>> from regretless.evaluate import progressive
        >>> from regretless.linear import Auto
        >>> report = progressive(Auto(), streams.bundled("phishing"), certify=(1, 3))
        >>> round(report.best_possible(1, mean=True), 2), round(report.best_possible(3, mean=True), 2)
        (0.5, 0.33)
        """
        if self.audit is not None:
            return self.audit.best_possible(self._norm(norm), mean=mean)
        if isinstance(self.certified, LinearCertificate):
            return self.certified.best_possible(self._norm(norm), mean=mean)
        raise ValueError(
            f"{self.learner} has no bound on linear models; audit it: progressive(..., certify=3)"
        )

    def certificate(self, *, norm: float | None = None, ord: float = 2) -> Certificate:
        """The certificate of these examples, for all linear models of a norm.

        Parameters: `norm`, by default the largest that was audited, or 1. It is in units of each
        feature if there was an audit, which needs `ord=2`; otherwise in the features' own units, by
        the learner's own certificate: see `LinearCertificate`. If the learner certifies something else,
        that certificate is returned and `norm` is refused; without any certificate the bound is
        infinite.

        >>> empty = np.empty(0)
        >>> curve = Curve(empty, empty, empty, empty, empty)
        >>> Report(0, 1.0, empty, empty, np.nan, curve, "coin").certificate().holds is None
        True
        """
        if self.audit is not None:
            if ord != 2:
                raise ValueError(f"ord={shown(ord)}: the audit used ord=2; leave ord out")
            return self.audit._certificate(self._norm(norm), self.audited_loss)
        if isinstance(self.certified, LinearCertificate):
            return self.certified.within(self._norm(norm), ord=ord)
        if norm is not None:
            raise ValueError(
                f"norm={shown(norm)}: {self.learner} has no bound on linear models; audit it: "
                "progressive(..., certify=3)"
            )
        if self.certified is not None:
            return self.certified
        return Certificate(self.examples, None, {}, f"none: {self.learner} has no certificate")

    def _norm(self, norm: float | None) -> float:
        return max(self.norms, default=1.0) if norm is None else norm

    def regret(self, *, norm: float | None = None, ord: float = 2) -> float:
        """The upper bound on the regret to the best model of the norm: see `certificate`."""
        found = self.certificate(norm=norm, ord=ord)
        if self.audit is not None:
            return found.bounds.get("dual", math.inf)
        return math.inf if found.regret is None else found.regret

    def regret_curve(self, *, norm: float | None = None, ord: float = 2) -> Array:
        """The upper bound on the regret after each stretch; infinite where it was not measured.

        It was measured at the certified points of the curve for this norm, and at the end.
        """
        regret = np.full(len(self.losses), np.inf)
        wanted = self._norm(norm)
        if wanted in self.norms and self._counts_alike:
            at, best = self.curve.best(wanted)
            where = np.searchsorted(self.curve.examples, at)
            there = self.curve.examples[where] == at
            where, best = where[there], best[there]
            lost, weight = np.cumsum(self.losses)[where], np.cumsum(self.weights)[where]
            regret[where] = lost - best * weight
        regret[-1:] = self.regret(norm=norm, ord=ord)
        return regret

    @property
    def _counts_alike(self) -> bool:
        """Whether `losses` are the audited losses."""
        audited = self.audited_loss
        return audited is not None and math.isclose(audited, self.loss, rel_tol=1e-9)

    def bound_curve(self, *, norm: float | None = None, ord: float = 2) -> Array:
        """The bound on the regret after each stretch; infinite where it was not measured.

        It is the regret plus a bound on rounding errors.
        """
        found = self.certificate(norm=norm, ord=ord)
        bound = self.regret_curve(norm=norm, ord=ord) + found.rounding
        bound[-1:] = found.bound
        return bound

    def _columns(self) -> dict[str, Any]:
        names = ("mean_loss", "interval_mean_loss", "error", "interval_error")
        columns = {name.replace("_", " "): getattr(self.curve, name) for name in names}
        for norm in self.norms:
            at, best = self.curve.best(norm)
            known = dict(zip(at.tolist(), best.tolist()))
            columns[f"best possible of norm {norm:g}"] = [
                known.get(examples) for examples in self.curve.examples.tolist()
            ]
        return columns

    # --- to write and to draw ----------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """All results in plain Python, ready for JSON; values that are not finite become None.

        >>> empty = np.empty(0)
        >>> curve = Curve(empty, empty, empty, empty, empty)
        >>> report = Report(0, 1.0, empty, empty, error=np.nan, curve=curve, learner="coin")
        >>> report.as_dict()["mean_loss"] is None, report.as_dict()["examples_per_second"]
        (True, 0.0)
        """
        known = self.certified is not None or self.audit is not None
        found = self.certificate() if known else None
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
            "norms": [
                {
                    "norm": norm,
                    "best_possible": self.best_possible(norm),
                    "bound": self.bound(norm=norm),
                }
                for norm in self.norms
            ],
            "curve": dataclasses.asdict(self.curve),
            "calibration": self.calibration and dataclasses.asdict(self.calibration),
        }
        del everything["certified"], everything["audit"]
        return {name: _plain(value) for name, value in everything.items()}

    def plot(self, ax: "Axes | None" = None, *, loss_name: str = "loss") -> "Axes":
        """Draw the learning curve and the lower bounds on linear models of the audited norms.

        `ax`, where to draw; a new picture by default. `loss_name` is written on the axis.

        >>> one = np.array([0.5])
        >>> curve = Curve(np.array([200]), one, one, one / 2, one / 2)
        >>> report = Report(200, 0.1, one, one, error=0.25, curve=curve, learner="coin")
        >>> report.plot().get_xlabel()
        'examples seen'
        """
        from regretless.plots import learning_curves
        from regretless.plots.curves import new_axes

        axes = new_axes() if ax is None else ax
        learning_curves({self.learner: self.curve}, loss_name=loss_name, ax=axes)
        return axes

    def _compared_with_models(self) -> list[tuple[str, str]]:
        if self.audit is None:
            return []
        bounds = [self.best_possible(norm, mean=True) for norm in self.norms]
        return audited_rows(self.audit, self.audited_loss, self.mean_loss, bounds)

    def __repr__(self) -> str:
        return f"<{self.examples:,} examples of {self.learner}, mean loss {self.mean_loss:.4g}>"

    def __str__(self) -> str:
        gap = None if self.calibration is None else self.calibration.error
        lines = [
            ("learner", self.learner),
            ("examples", f"{self.examples:,}"),
            ("seconds", f"{self.seconds:,.2f}"),
            ("examples per second", f"{self.examples_per_second:,.0f}"),
            ("mean loss", _short(self.mean_loss)),
            *self._compared_with_models(),
            ("error", f"{self.error:.2%}" if self.rmse is None else None),
            ("root mean square error", _short(self.rmse)),
            ("AUC", _short(self.auc)),
            ("calibration error", _short(gap)),
        ]
        shown = [(name, value) for name, value in lines if value is not None]
        width = max(len(name) for name, _ in shown)
        return "\n".join(f"{name:{width}}  {value}" for name, value in shown)


def audited_rows(
    audit: "Audit", loss: float | None, mean_loss: float, bounds: Sequence[float]
) -> list[tuple[str, str]]:
    """The result of an audit as rows of text.

    Parameters: the `audit`; the total audited `loss`, None if it is not known; the `mean_loss` that is
    shown already; `bounds`, the mean losses proved for each of its norms.
    """
    if not audit._first.examples:
        return []
    mean = None if loss is None else loss / audit._first.weight
    rows = []
    if mean is not None and not math.isclose(mean, mean_loss, rel_tol=1e-9, abs_tol=1e-12):
        name = audit.loss_function.name.replace("_", " ")
        many = ", each label against the rest" if audit._core.outputs > 1 else ""
        rows.append(("audited mean loss", f"{_short(mean)}, {name}{many}"))
    for norm, best in zip(audit.norms, bounds):
        text = f"no linear model goes below {_short(best)}"
        if mean is not None:
            this, far = f"this one, at {_short(mean)},", _short(abs(mean - best))
            text += (
                f": {this} is ahead of all by {far} or more"
                if mean < best
                else f": none is ahead of {this} by more than {far}"
            )
        rows.append((f"norm {norm:g}", text))
    return rows


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
