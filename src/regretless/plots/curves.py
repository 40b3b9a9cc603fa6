"""Learning curves, above what is certified to be impossible."""

from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regretless.evaluate.report import Curve
from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["learning_curves"]

LINES = ("-", "--", "-.", ":", (0, (7, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "x", "P")
VISIBLE = 10_000  # the last example over the first one shown
_Line: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito


def learning_curves(
    curves: Mapping[str, Curve],
    path: str | PathLike[str] | None = None,
    loss_name: str = "log loss",
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw the mean loss against the examples seen, for learners of one stream and one loss.

    Lines are means over all examples so far, faint markers means since the point before. Grey lines
    are what no linear model of each norm could have gone below, the best of what the curves certify,
    and below the lowest of them is a hatched band. The picture begins where a 10,000th had been seen,
    and its height is chosen for the best curve and for the end of all: the early losses of others may
    lie above it.

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
        raise ValueError("curves is empty: there is nothing to draw")
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


def _draw_proved(axes: Any, proved: Mapping[float, _Line], bottom: float) -> Any:
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
