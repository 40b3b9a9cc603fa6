"""How well a learner does on a stream it has not seen: predict, score, then learn.

`progressive` does it for any learner and any stream, `Training` for those who hold the loop themselves.
`Validation` adds up what happens, `Report` says it: loss, error, AUC, `Calibration` and the learning
`Curve`.
"""

from regretless.evaluate.progressive import progressive
from regretless.evaluate.report import Calibration, Curve, Report
from regretless.evaluate.training import Training
from regretless.evaluate.validation import Validation

__all__ = ["Calibration", "Curve", "Report", "Training", "Validation", "progressive"]
