"""Online to batch: one predictor out of one pass, with a bound on its risk.

`online_to_batch` takes any learner and any stream; `stochastic_mirror_descent` any player of
`regretless.oco`. The bounds themselves are in `regretless.batch.bounds`.
"""

from regretless.batch.mirror import AveragedPoint, stochastic_mirror_descent
from regretless.batch.online_to_batch import online_to_batch
from regretless.batch.predictor import Predictor

__all__ = ["AveragedPoint", "Predictor", "online_to_batch", "stochastic_mirror_descent"]
