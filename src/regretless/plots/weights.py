"""The strongest weights of a linear model."""

import math
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from regretless.arguments import whole
from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["weight_bars"]

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
