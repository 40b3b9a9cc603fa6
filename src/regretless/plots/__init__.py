"""Pictures of what was learned, and how: PNG or SVG, readable without colour.

Each function returns a matplotlib `Figure` and writes it if given a path. matplotlib is imported when
something is drawn, and none of its global state (pyplot, current figure, style) is touched.
"""

from regretless.plots.bandits import bandit_regret, regret_bands
from regretless.plots.calibration import calibration
from regretless.plots.curves import learning_curves
from regretless.plots.experts import (
    cumulative_residuals,
    oracle_bars,
    regret_to_experts,
    weights_over_time,
)
from regretless.plots.games import gap_curves
from regretless.plots.margins import margin_curves
from regretless.plots.regret import compare
from regretless.plots.trees import mistake_tree
from regretless.plots.weights import weight_bars

__all__ = [
    "bandit_regret",
    "calibration",
    "compare",
    "cumulative_residuals",
    "gap_curves",
    "learning_curves",
    "margin_curves",
    "mistake_tree",
    "oracle_bars",
    "regret_bands",
    "regret_to_experts",
    "weight_bars",
    "weights_over_time",
]
