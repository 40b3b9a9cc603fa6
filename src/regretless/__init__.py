"""Online learning: from a stream, in one pass, with a certificate.

Learners of examples
    linear          classifiers and regressors; `Auto` has nothing to choose
    newton          second-order learners with a sketch of the matrix
    boosting        many weak learners made one, online and in batch
Players of decisions
    experts         weights over experts, mixtures of forecasts
    oco             points of a convex set
    bandits         choices of which only one outcome is seen, with and without context
    games           matrix games, solved by players against each other
    classes         finite classes of hypotheses and their dimensions
Parts
    losses, rules, rates, geometry, domains
Around them
    streams         files, frames and tables as streams of examples
    evaluate        predict first, then learn, and what came of it
    batch           one predictor from a stream, with a bound on its risk
    adversaries     streams that defeat learners
    plots           pictures of runs
    certificates    what is proved of a run; `sources` lists the texts
    river, sklearn  the same learners as those libraries' own

A room is imported when it is first used: `import regretless; regretless.linear.Auto()`. `load` reads
whatever was saved.

>>> import regretless
>>> regretless.linear.Perceptron()
Perceptron()
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless._core import Diverged
    from regretless.base.state import load

__version__ = "0.1.0"

_ROOMS = (
    *("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes"),
    *("losses", "rules", "rates", "geometry", "domains", "streams", "evaluate", "batch"),
    *("adversaries", "plots", "certificates", "sources", "river", "sklearn"),
)
_NAMES = {"Diverged": "regretless._core", "load": "regretless.base.state"}

__all__ = ["Diverged", "load"]  # and the rooms: `dir(regretless)`


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"regretless.{name}")
    raise AttributeError(f"module 'regretless' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_ROOMS})
