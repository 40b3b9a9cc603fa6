"""Our learners as estimators of other libraries: which there are, and how their classes are made."""

import importlib
from collections.abc import Mapping
from typing import Any

from regretless.base.regressor import Regressor

# The one table of what `regretless.river` and `regretless.sklearn` offer: learners by their rooms.
ONLINE = {
    "linear": (
        *("AutoClassifier", "AutoRegressor", "BalancedWinnow", "KernelPerceptron"),
        *("LinearClassifier", "LinearRegressor", "MarginPerceptron", "OnlineSVM"),
        *("PNormPerceptron", "PassiveAggressive", "PassiveAggressiveRegressor", "Perceptron"),
        *("PrimalDual", "Winnow"),
    ),
    "newton": ("NewtonClassifier", "NewtonRegressor"),
    "boosting": ("AdaBoostOL", "OSBoost", "OSBoostOCP", "OnlineBBM"),
}
BATCH = {"boosting": ("AdaBoost", "NHBoost", "NHBoostDT")}


def names(*tables: Mapping[str, tuple[str, ...]]) -> list[str]:
    """All names of some tables, sorted.

    >>> names(BATCH)
    ['AdaBoost', 'NHBoost', 'NHBoostDT']
    """
    return sorted(name for table in tables for each in table.values() for name in each)


def our_class(name: str, *tables: Mapping[str, tuple[str, ...]]) -> Any:
    """The class of this name in the room that a table has it in; None if no table has it.

    >>> our_class("Perceptron", ONLINE)
    <class 'regretless.linear.perceptron.Perceptron'>
    """
    for table in tables:
        for room, there in table.items():
            if name in there:
                return getattr(importlib.import_module(f"regretless.{room}"), name)
    return None


def facade(module: str, host: str, base: type, ours: type, example: str = "", **more: Any) -> Any:
    """A class that is both `ours` and the `base` which the `host` library asks for.

    Parameters: `module`, where it will be found under the name of ours; `example`, for its docstring;
    `more` attributes.
    """
    kind = "regressor" if issubclass(ours, Regressor) else "classifier"
    room = ".".join(ours.__module__.split(".")[:2])
    text = f"`{room}.{ours.__name__}` as a {host} {kind}."
    if example:
        text += f"\n\n{example}\n"
    body = {"__doc__": text, "__module__": module, "__qualname__": ours.__name__}
    return type(base)(ours.__name__, (base, ours), body | more)
