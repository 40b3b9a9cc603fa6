"""Online to batch: one predictor from one pass, with a bound on its risk.

`online_to_batch` takes any learner and any stream; `stochastic_mirror_descent` any player of
`regretless.oco`; `separable_risk` is about examples that a hyperplane separates. The bounds themselves
are in `regretless.batch.predictor`.
"""

from regretless.batch.mirror import AveragedPoint, stochastic_mirror_descent
from regretless.batch.online_to_batch import online_to_batch
from regretless.batch.predictor import Predictor
from regretless.batch.separable import HardMargin, SeparableRisk, hard_margin, separable_risk

__all__ = [
    "AveragedPoint",
    "HardMargin",
    "Predictor",
    "SeparableRisk",
    "hard_margin",
    "online_to_batch",
    "separable_risk",
    "stochastic_mirror_descent",
]
