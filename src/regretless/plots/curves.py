"""Curves: losses, regrets, calibration and weights; and how figures are saved."""

import math
from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, whole
from regretless.base.persistence import naming
from regretless.evaluate.report import Calibration, Curve, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from regretless.base.run import Run
    from regretless.boosting.batch import BatchBooster


# --- new axes to draw on, and writing a figure to a file ------------------------------------------

SUFFIXES = (".png", ".svg")


def new_axes(height: float = 5.0) -> "Axes":
    """The axes of a new picture of this height, which a notebook shows at the end of the cell.

    >>> new_axes().figure.get_size_inches().tolist()
    [8.0, 5.0]
    """
    from matplotlib import pyplot

    axes: Axes = pyplot.subplots(figsize=(8, height), layout="constrained")[1]
    return axes


def picture_path(path: str | PathLike[str]) -> Path:
    """The path of a picture, if its suffix is one we write: check it before a long run.

    >>> picture_path("curve.svg").name
    'curve.svg'
    >>> picture_path("curve")
    Traceback (most recent call last):
    ValueError: path='curve' ends in '', but must end in .png or .svg
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        allowed = " or ".join(SUFFIXES)
        raise ValueError(f"path='{path}' ends in {path.suffix!r}, but must end in {allowed}")
    return path


def save(figure: "Figure | SubFigure", path: str | PathLike[str] | None) -> "Figure":
    """Write a figure as PNG or SVG, by the suffix of `path`, or not at all if it is None.

    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save(Figure(), Path(folder, "empty.svg"))
    ...     Path(folder, "empty.svg").read_text().startswith("<?xml")
    True
    """
    whole = figure.figure  # which a part of one belongs to
    if path is not None:
        path = picture_path(path)
        # no date: the same figure is the same file
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
        with naming(path):
            whole.savefig(path, dpi=150, metadata=metadata)
    return whole


# --- learning curves, above what is certified to be impossible ------------------------------------

LINES = ("-", "--", "-.", ":", (0, (7, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "x", "P")
VISIBLE = 10_000  # the last example over the first one shown
_Line: TypeAlias = tuple[NDArray[np.int64], Array]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito


def learning_curves(
    curves: Mapping[str, Curve],
    path: str | PathLike[str] | None = None,
    loss_name: str = "log loss",
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw the mean loss against the examples seen, for learners of one stream and one loss.

    Lines are means over all examples so far, faint markers means since the point before. Grey lines are
    certified lower limits for linear models of each norm, the best of the curves' limits; the band below
    the lowest is hatched. The picture begins where a 10,000th had been seen, and its height is chosen
    for the best curve and for the end of all: the early losses of others may lie above it.

    Parameters: `curves` by name, none of them empty; `path`, where to write it, .png or .svg;
    `loss_name`, for the axis, with its unit if it has one; `ax`, where to draw, instead of a figure of
    its own.

    >>> points = np.array([1, 10, 100])
    >>> loss = np.array([0.7, 0.6, 0.5])
    >>> proved = np.column_stack([loss - 0.1, loss - 0.3])
    >>> curve = Curve(points, loss, loss - 0.1, loss / 2, loss / 2, proved, norms=(1, 10))
    >>> learning_curves({"coin": curve}).axes[0].get_xlabel()
    'examples seen'
    """
    if not curves:
        raise ValueError("curves is empty; give at least one")
    for name, curve in curves.items():
        if not len(curve.examples):
            raise ValueError(f"curves[{name!r}] is empty: nothing has been predicted yet")
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5.5), layout="constrained") if ax is None else ax.figure
    axes: Any = figure.add_subplot() if ax is None else ax
    bottom, top = _limits(curves.values())
    handles: list[Any] = []
    labels: list[str] = []
    for k, (name, curve) in enumerate(curves.items()):
        handles.append(_draw(axes, curve, k))
        labels.append(f"{name}: {curve.mean_loss[-1]:.4g}")
    proved = _certified(curves.values())
    if proved:
        handles.append(_draw_proved(axes, proved, bottom))
        norms = ", ".join(f"{norm:g}" for norm in proved)
        last = ", ".join(f"{best[-1]:.4g}" for _, best in proved.values())
        labels.append(f"no linear model of norm {norms} is below: {last}")
    axes.set_xscale("log")
    end = max(curve.examples[-1] for curve in curves.values())
    axes.set_xlim(max(1, end / VISIBLE) * 0.9, end * 1.2)
    axes.set_ylim(bottom, top)
    axes.set_xlabel("examples seen")
    axes.set_ylabel(f"{loss_name}, mean per example")
    axes.set_title("Each example is predicted before it is learned", loc="left")
    axes.grid(alpha=0.3)
    title = "line: mean so far, and its last value; faint marker: mean since the one before"
    legend = (figure if ax is None else axes).legend(
        handles,
        labels,
        loc="outside lower left" if ax is None else "best",
        ncols=1 if len(labels) < 3 else 2,
        title=title,
        alignment="left",
        handlelength=4,
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name may have dollar signs
    return save(figure, path)


def _draw(axes: Any, curve: Curve, k: int) -> Any:
    """Draw the k-th curve in its own style; its line is returned for the legend."""
    style = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
    axes.plot(curve.examples, curve.interval_mean_loss, **style, ls="", ms=4, alpha=0.35, mew=0.8)
    # some markers on the line too, from curve to curve at other places
    places = list(range(max(0, len(curve.mean_loss) - 1 - 2 * k), -1, -14))
    dashes = LINES[k % len(LINES)]
    (line,) = axes.plot(
        curve.examples, curve.mean_loss, **style, ls=dashes, lw=1.8, ms=6, markevery=places
    )
    return line


def _draw_proved(axes: "Axes", proved: Mapping[float, _Line], bottom: float) -> Any:
    """A line for each norm, which its end names, and a band below the lowest."""
    for norm, (examples, best) in proved.items():
        axes.plot(examples, np.maximum(bottom, best), color="0.45", lw=1.0)
        if best[-1] > bottom:
            axes.annotate(
                f"norm {norm:g}",
                (1.0, best[-1]),
                (3, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize="small",
                color="0.35",
            )
    examples, best = min(proved.values(), key=lambda line: float(line[1][-1]))
    heights = np.maximum(bottom, best)
    return axes.fill_between(
        examples, bottom, heights, hatch="///", facecolor="none", edgecolor="0.7"
    )


def _certified(curves: Iterable[Curve]) -> dict[float, _Line]:
    """For each norm, the highest of what is certified at each number of examples, in order."""
    found: dict[float, dict[int, float]] = {}
    for curve in curves:
        for norm in curve.norms:
            best = found.setdefault(norm, {})
            for examples, certified in zip(*(each.tolist() for each in curve.best(norm))):
                best[examples] = max(certified, best.get(examples, certified))
    return {
        norm: (np.array(sorted(best), np.int64), np.array([best[n] for n in sorted(best)]))
        for norm, best in sorted(found.items())
        if best
    }


def _limits(curves: Collection[Curve]) -> tuple[float, float]:
    """The heights to show: the best line and the last decade of all, not the noise before."""
    best = min(curves, key=lambda curve: float(np.nan_to_num(curve.mean_loss[-1], nan=np.inf)))
    end = best.examples[-1]
    shown = [*best.mean_loss[best.examples >= max(min(10, end), end / VISIBLE)]]
    for curve in curves:
        late = curve.examples >= curve.examples[-1] / 10
        many = np.diff(curve.examples, prepend=0) >= 10
        shown += [
            *curve.mean_loss[late],
            *curve.interval_mean_loss[late & many],
            *curve.certified[-1:].ravel(),
        ]
    finite = [each for each in shown if np.isfinite(each)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    margin = 0.1 * (high - low) or 0.1 * abs(high) or 1.0
    return (max(0.0, low - margin) if low >= 0 else low - margin), high + margin


# --- regret over the rounds, below its bound; one run or several on the same axes -----------------

_DRAWN = 2_000  # points of a line; more cannot be seen
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def compare(runs: "Mapping[str, Run]", ax: "Axes | None" = None) -> "Axes":
    """Draw the regret of runs, each against its best fixed choice in hindsight, and their bounds.

    Parameters: `runs` by name, each of at least one round; `ax`, where to draw; a new picture by
    default. Regrets are lines, the bounds on them are dashed; simulations have bands.

    >>> from regretless.oco import AdaGrad, OnlineGradientDescent
    >>> rows = [[1.0], [-2.0], [1.0]]
    >>> runs = {"adagrad": AdaGrad(1).run(rows), "descent": OnlineGradientDescent(1).run(rows)}
    >>> compare(runs).get_xlabel()
    'rounds'
    """
    for name, run in runs.items():
        if not run.rounds:
            raise ValueError(f"the run {name!r} has no rounds: there is nothing to draw")
    if not runs:
        raise ValueError("runs={} is empty: there is nothing to draw")
    from regretless.bandits.simulation import Simulation

    axes = new_axes() if ax is None else ax
    for i, (name, run) in enumerate(runs.items()):
        regret, bound = run.regret_curve(), run.bound_curve()
        at = np.unique(np.linspace(0, len(regret) - 1, _DRAWN).round().astype(int))
        rounds = at + 1 if run.index is None else np.asarray(run.index)[at]
        colour, of = _COLOURS[i % len(_COLOURS)], f"{name}: " if name else ""
        label = f"{of}regret {regret[-1]:.4g}"
        axes.plot(rounds, regret[at], color=colour, label=label)
        if isinstance(run, Simulation) and len(run.seeds) > 1:
            low, _, high = run.band()
            axes.fill_between(rounds, low[at], high[at], color=colour, alpha=0.2, linewidth=0)
        if np.isfinite(bound).any():
            label, other = f"{of}bound {bound[-1]:.4g}", colour if len(runs) > 1 else _COLOURS[1]
            axes.plot(rounds, bound[at], color=other, linestyle="--", label=label)
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    axes.set_ylabel("regret")
    axes.set_title("Loss above that of the best fixed choice in hindsight", loc="left")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


# --- the reliability diagram: does what is predicted with 70% happen in 70% of the cases? ---------


def calibration(report: Report | Calibration, path: str | PathLike[str] | None = None) -> "Figure":
    """Draw the share of positives against the predicted probability, and the numbers of examples below.

    A calibrated learner's points lie on the diagonal, up to chance: the bars are Wilson's intervals of
    two standard errors, in which an example of weight `w` counts as `w` examples.

    Parameters: `report`, with the probabilities of two labels; `path`, where to write
    it, .png or .svg.

    >>> bins = Calibration(np.array([50.0, 30.0]), np.array([10.0, 24.0]), np.array([12.0, 21.0]))
    >>> [axes.get_ylabel() for axes in calibration(bins).axes]
    ['share of positives', 'examples']
    """
    if isinstance(report, Report):
        bins, name = report.calibration, report.learner
    else:
        bins, name = report, ""
    if bins is None or not bins.weight.any():
        raise ValueError("report has no probabilities: two labels are needed for them")
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 6.5), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(4, 1))
    full = bins.weight > 0
    weight, predicted, observed = bins.weight[full], bins.predicted[full], bins.observed[full]
    # Wilson's interval: unlike the share plus or minus its standard error, right at 0 and 1 too
    centre = (weight * observed + 2) / (weight + 4)
    half = 2 * np.sqrt(weight * observed * (1 - observed) + 1) / (weight + 4)
    doubt = np.maximum(0, (observed - (centre - half), centre + half - observed))
    above.plot([0, 1], [0, 1], color="0.5", ls="--", label="perfectly calibrated")
    style = {"color": "#0072b2", "marker": "o", "capsize": 3}
    above.errorbar(predicted, observed, doubt, **style, label="observed, with 95% intervals")
    above.set_ylim(-0.03, 1.03)
    above.set_ylabel("share of positives")
    title = f"Calibration{name and f' of {name}'}: mean gap {bins.error:.3f}"
    above.set_title(title, loc="left", parse_math=False)
    figure.legend(loc="outside lower left", ncols=2, frameon=False)
    width = 1 / len(bins.weight)
    left = np.arange(len(bins.weight)) * width
    below.bar(left, bins.weight, width, align="edge", facecolor="0.85", edgecolor="0.3", hatch="//")
    below.set_xlim(0, 1)
    below.set_xlabel("predicted probability of the positive label")
    below.set_ylabel("examples")
    for axes in (above, below):
        axes.grid(alpha=0.3)
    return save(figure, path)


# --- the strongest weights of a linear model ------------------------------------------------------

LONGEST = 40  # letters of a name


def weight_bars(
    weights: Mapping[Any, float], path: str | PathLike[str] | None = None, *, top: int = 20
) -> "Figure":
    """Draw the `top` weights that are largest in absolute value, the largest above.

    Bars of negative weights are hatched, those of positive ones are not.

    Parameters: `weights` by the name of the feature, as in `model.weights_`; `path`, where to write
    it, .png or .svg; `top >= 1`.

    >>> figure = weight_bars({"age": 0.5, "height": -2.0, "shoe size": 0.1}, top=2)
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['height', 'age']
    """
    if not weights:
        raise ValueError("weights is empty: nothing has been learned yet")
    whole(top, "top")
    for name, weight in weights.items():
        if not math.isfinite(weight):
            raise ValueError(f"weights[{name!r}] = {weight} cannot be drawn: it must be finite")
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    strongest = sorted(weights.items(), key=lambda item: -abs(item[1]))[:top]
    figure = Figure(figsize=(8, 1.5 + 0.26 * len(strongest)), layout="constrained")
    axes = figure.add_subplot()
    values = [weight for _, weight in strongest]
    bars = axes.barh(range(len(values)), values, height=0.7, color="#56b4e9", edgecolor="0.2")
    for bar, weight in zip(bars, values):
        if weight < 0:
            bar.set(facecolor="#f5c6a5", hatch="////")
    axes.bar_label(bars, [f"{weight:.3g}" for weight in values], padding=3)
    names = [_shortened(str(name)) for name, _ in strongest]
    axes.set_yticks(range(len(names)), names, parse_math=False)  # a name may have dollar signs
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.axvline(0, color="0.2", lw=0.8)
    axes.set_xlabel("weight (score per unit of the feature)")
    axes.set_title(f"The {len(names)} strongest of {len(weights):,} weights", loc="left")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    return save(figure, path)


def _shortened(name: str) -> str:
    # names of interactions differ at both ends
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


# --- margins of boosted votes, and the examples that boosting left aside --------------------------

# Luo (2016), Figures 2.3 and 2.2.


def margin_curves(
    boosters: Mapping[str, "BatchBooster"],
    X: Any,
    y: Any,
    path: str | PathLike[str] | None = None,
    *,
    title: str = "",
) -> "Figure":
    """Draw which share of examples has at most a margin, and which share had weight 0 in a round.

    On the left, the lower a curve is, the larger are the margins; where it crosses 0 is the share of
    errors. On the right is the share that the weak learner could ignore.

    Parameters: `boosters` by name, fitted on two labels; `X` and `y`, of which the margins are drawn;
    `path`, where to write it, .png or .svg; `title`, what the examples are.

    >>> from regretless.boosting import AdaBoost, NHBoostDT
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> models = {"AdaBoost": AdaBoost(rounds=9).fit(X, y), "NHBoostDT": NHBoostDT(rounds=9).fit(X, y)}
    >>> [axes.get_xlabel() for axes in margin_curves(models, X, y).axes]
    ['margin', 'round']
    """
    if not boosters:
        raise ValueError("boosters is empty; give at least one")
    for name, booster in boosters.items():
        if isinstance(booster.edges_, dict):
            raise ValueError(f"{name} has {len(booster.edges_)} labels: two are drawn")
    if path is not None:
        picture_path(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, (name, booster) in enumerate(boosters.items()):
        style = {"color": COLOURS[k % len(COLOURS)], "linestyle": LINES[k % len(LINES)]}
        margins, shares = booster.margin_distribution(X, y)
        ends = np.concatenate([[-1.0], margins, [1.0]]), np.concatenate([[0.0], shares, [1.0]])
        left.step(*ends, where="post", label=name, **style)
        zeros = booster.zero_weights_
        right.plot(np.arange(1, len(zeros) + 1), zeros, **style)
    left.axvline(0.0, color="0.5", linewidth=0.8, zorder=0)
    left.set_xlabel("margin")
    left.set_ylabel("share with at most this margin")
    left.set_xlim(-1, 1)
    right.set_xlabel("round")
    right.set_ylabel("share with weight 0")
    right.set_ylim(-0.02, 1)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    where = f", {title}" if title else ""
    left.set_title(f"Margins{where}", loc="left", parse_math=False)
    right.set_title(f"Examples left aside{where}", loc="left", parse_math=False)
    legend = figure.legend(loc="outside lower left", ncols=3, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return save(figure, path)
