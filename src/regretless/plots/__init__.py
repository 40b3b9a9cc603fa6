"""Pictures of models, players and runs: PNG or SVG, which can be read without colours.

Pictures of models are new matplotlib figures, written to a file if a path is given. Pictures of runs are
drawn into the given `ax`, or into new axes, which are returned. matplotlib is imported when something is
drawn, and its global state (pyplot, current figure, style) is not touched.

>>> from regretless import plots
>>> from regretless.experts import Hedge, NormalHedge
>>> losses = [[0.0, 1.0]] * 30
>>> runs = {"Hedge": Hedge(2).run(losses), "NormalHedge": NormalHedge(2).run(losses)}
>>> plots.compare(runs).get_xlabel()
'rounds'
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
