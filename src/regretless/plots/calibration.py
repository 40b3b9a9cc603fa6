"""The reliability diagram: does what is predicted with 70% happen in 70% of the cases?"""

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from regretless.evaluate.report import Calibration, Report
from regretless.plots.saving import picture_path, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["calibration"]


def calibration(report: Report | Calibration, path: str | PathLike[str] | None = None) -> "Figure":
    """Draw the share of positives against the predicted probability, and below it how many there were.

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
