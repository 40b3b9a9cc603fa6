"""How well a learner does on a stream it has not seen: predict, score, then learn.

`progressive` does it for any learner and any stream, `Training` for those who hold the loop themselves.
`Validation` adds up what happens, `Report` says it: loss, error, AUC, `Calibration` and the learning
`Curve`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.evaluate.progressive_validation import progressive
    from regretless.evaluate.report import Calibration, Curve, Report
    from regretless.evaluate.training import Training
    from regretless.evaluate.validation import Validation

__all__ = ["Calibration", "Curve", "Report", "Training", "Validation", "progressive"]

# imported when they are asked for: who trains needs neither reports nor `progressive`
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
