"""Evaluation of learners on streams: predict each example, score the prediction, then learn.

`progressive` does this for any learner and any stream, `Training` in a loop of your own. `Validation`
adds up the scores, and `Report` has the results: loss, error, AUC, `Calibration` and the learning
`Curve`.

>>> from regretless import evaluate, streams
>>> from regretless.linear import Auto
>>> report = evaluate.progressive(Auto(), streams.bundled("phishing"))
>>> report.examples, report.mean_loss < 0.4
(1250, True)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.evaluate.progressive_validation import progressive
    from regretless.evaluate.report import Calibration, Curve, Report
    from regretless.evaluate.training import Training
    from regretless.evaluate.validation import Validation

__all__ = ["Calibration", "Curve", "Report", "Training", "Validation", "progressive"]

# imported on first use, because training needs neither reports nor `progressive`
_LATER = {
    "Calibration": "report",
    "Curve": "report",
    "Report": "report",
    "Training": "training",
    "Validation": "validation",
    "progressive": "progressive_validation",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = found
    return found
