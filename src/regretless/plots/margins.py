"""Margins of boosted votes, and the examples that boosting left aside.

Luo (2016), Figures 2.3 and 2.2.
"""

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.plots.curves import COLOURS, LINES
from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.boosting.batch import BatchBooster

__all__ = ["margin_curves"]


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
    errors. On the right, what is above 0 the weak learner did not have to look at.

    Parameters: `boosters` by name, fitted on two labels; `X` and `y`, of which the margins are drawn;
    `path`, where to write it, .png or .svg; `title`, what the examples are.

    >>> from regretless.boosting import AdaBoost, NHBoostDT
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> models = {"AdaBoost": AdaBoost(rounds=9).fit(X, y), "NHBoostDT": NHBoostDT(rounds=9).fit(X, y)}
    >>> [axes.get_xlabel() for axes in margin_curves(models, X, y).axes]
    ['margin', 'round']
    """
    if not boosters:
        raise ValueError("boosters is empty: there is nothing to draw")
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
