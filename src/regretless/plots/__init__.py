"""Pictures of models, players and runs: PNG or SVG, readable without colour.

Each function returns a matplotlib `Figure` and writes it if given a path. matplotlib is imported when
something is drawn, and its global state (pyplot, current figure, style) is not touched.
"""

from regretless.plots.curves import (
    calibration,
    compare,
    learning_curves,
    margin_curves,
    weight_bars,
)
from regretless.plots.players import (
    bandit_regret,
    cumulative_residuals,
    gap_curves,
    mistake_tree,
    oracle_bars,
    regret_bands,
    regret_to_experts,
    weights_over_time,
)

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
