"""Online learning: learn from a stream in one pass, with a certificate for every run.

Learners, which learn from examples
    linear          linear classifiers and regressors; `linear.Auto` needs no options
    newton          second-order learners with a sketched matrix
    boosting        many weak learners combined into one, online and in batch
Players, which make a decision in every round
    experts         weights over experts, and mixtures of forecasts
    oco             online convex optimisation: points of a convex set
    bandits         choices of which only the outcome is seen, with or without context
    games           matrix games, solved by players that play each other
    classes         finite classes of hypotheses and their dimensions
Parts of which learners and players are made
    losses          loss functions with their derivatives and constants
    rules           update rules of linear learners
    rates           learning rates over time
    geometry        mirror maps, norms and divergences
    domains         convex sets and projections onto them
Data and results
    streams         read files, data frames and tables as streams of examples
    evaluate        progressive validation: predict first, then learn
    certificates    regret and bound of a run, with the assumptions of the theorem
    plots           figures of runs
    batch           turn an online learner into one predictor, with a bound on its risk
    adversaries     streams that defeat learners
For extensions
    checks          test a learner or player of your own
    errors          exceptions and warnings, to catch by name
    sources         the texts that the theorems come from
    river           the learners as River estimators
    sklearn         the learners as scikit-learn estimators

Each of these modules is imported at its first use. `load` reads any file that a learner or player saved.

>>> import regretless as rl
>>> rl.linear.Perceptron()
Perceptron()
>>> issubclass(rl.errors.Diverged, ArithmeticError)
True
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.base.state import load
    from regretless.errors import Diverged

__version__ = "0.1.0"

_ROOMS = (
    *("linear", "newton", "boosting", "experts", "oco", "bandits", "games", "classes"),
    *("losses", "rules", "rates", "geometry", "domains", "streams", "evaluate", "batch"),
    *("adversaries", "plots", "certificates", "checks", "errors", "sources", "river", "sklearn"),
)
_NAMES = {"Diverged": "regretless.errors", "load": "regretless.base.state"}

__all__ = ["Diverged", "load"]  # and the modules of `_ROOMS`


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"regretless.{name}")
    raise AttributeError(f"module 'regretless' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_ROOMS})
