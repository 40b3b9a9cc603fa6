"""The gap of a game over the rounds."""

from typing import TYPE_CHECKING

import numpy as np

from regretless.plots.saving import new_axes
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["gap_curves"]

_STYLES = ("#0072b2", "-"), ("#d55e00", "--"), ("#009e73", ":")


def gap_curves(
    rounds: Array,
    curves: dict[str, Array],
    ax: "Axes | None" = None,
    *,
    reached: tuple[float, float] | None = None,
    tolerance: float | None = None,
    title: str = "",
) -> "Axes":
    """Draw gaps, or mean regrets, against the rounds, both in logarithms; what is not positive is left
    out.

    Parameters: `reached`, the rounds after which the strategies were polished and the gap then;
    `tolerance`, what the gap was to be; `ax`, where to draw; a new picture by default.

    >>> gap_curves(np.array([1.0, 2.0]), {"averages": np.array([0.5, 0.2])}).get_xscale()
    'log'
    """
    if not len(rounds):
        raise ValueError("no rounds were played: there is nothing to draw")
    axes = new_axes() if ax is None else ax
    for (name, values), (colour, line) in zip(curves.items(), _STYLES):
        label = f"{name}: {values[-1]:.2g}"
        shown = np.where(values > 0, values, np.nan)
        axes.plot(rounds, shown, color=colour, linestyle=line, linewidth=1.2, label=label)
    if reached is not None:
        label = f"polished: {reached[1]:.2g}"
        axes.plot(*reached, marker="*", markersize=12, color="black", linestyle="", label=label)
    if tolerance is not None:
        axes.axhline(tolerance, color="0.6", linewidth=0.8, label=f"tolerance: {tolerance:.2g}")
    positive = any((values > 0).any() for values in curves.values())
    axes.set(xscale="log", yscale="log" if positive else "linear", xlabel="rounds", ylabel="gap")
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes
