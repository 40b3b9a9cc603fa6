"""The names of the classes of `regretless.river` and `regretless.sklearn`, and how they are made."""

import importlib
from collections.abc import Mapping
from typing import Any

from regretless.base.regressor import Regressor

# The learners that `regretless.river` and `regretless.sklearn` offer, by their rooms.
ONLINE = {
    "linear": (
        *("AutoClassifier", "AutoRegressor", "BalancedWinnow", "KernelPerceptron"),
        *("LinearClassifier", "LinearRegressor", "MarginPerceptron", "OnlineSVM"),
        *("PNormPerceptron", "PassiveAggressive", "PassiveAggressiveRegressor", "Perceptron"),
        *("PrimalDual", "Winnow"),
    ),
    "newton": ("NewtonClassifier", "NewtonRegressor"),
    "boosting": (
        *("AdaBoostOL", "Forest", "ForestRegressor", "OSBoost", "OSBoostOCP", "OnlineBBM", "Tree"),
        "TreeRegressor",
    ),
}
BATCH = {"boosting": ("AdaBoost", "NHBoost", "NHBoostDT")}


def names(*tables: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The names in some tables, sorted.

    >>> names(BATCH)
    ['AdaBoost', 'NHBoost', 'NHBoostDT']
    """
    return sorted(name for table in tables for each in table.values() for name in each)


def our_class(name: str, *tables: Mapping[str, tuple[str, ...]]) -> Any:
    """The class of the library with this name; None if the tables do not have the name.

    >>> our_class("Perceptron", ONLINE)
    <class 'regretless.linear.perceptron.Perceptron'>
    """
    for table in tables:
        for room, there in table.items():
            if name in there:
                return getattr(importlib.import_module(f"regretless.{room}"), name)
    return None


def facade(module: str, host: str, base: type, ours: type, example: str = "", **more: Any) -> Any:
    """A subclass of one of our classes and of the base class that another library requires.

    Parameters: `module`, the module in which the new class gets the name of ours; `host`, the other
    library; `base`, its base class; `example`, for the docstring; `more` attributes.
    """
    kind = "regressor" if issubclass(ours, Regressor) else "classifier"
    room = ".".join(ours.__module__.split(".")[:2])
    text = f"`{room}.{ours.__name__}` as a {host} {kind}."
    if example:
        text += f"\n\n{example}\n"
    body = {"__doc__": text, "__module__": module, "__qualname__": ours.__name__}
    return type(base)(ours.__name__, (base, ours), body | more)
