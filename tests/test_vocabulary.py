"""The vocabulary: a word means the same in every room, whoever has it."""

import importlib
import inspect
import math
import types
import typing
from typing import NoReturn

import numpy as np
import pytest
from roster import ROSTER
from together import all_of

from regretless import certificates, evaluate
from regretless.base.run import Run
from regretless.certificates import Certificate

ROOMS = (
    *("linear", "newton", "boosting", "experts", "bandits", "bandits.off_policy", "oco", "games"),
    *(
        "classes",
        "batch",
        "adversaries",
        "evaluate",
        "certificates",
        "river",
        "sklearn",
        "base.run",
    ),
)
# Who a run or a player can be compared with, in every room by these words; `means` of arms are what
# chance has told; `delta`, how likely what was drawn may fail; a learner's own examples are X and y.
WHO = {"comparator", "norm", "ord", "quantile", "interval", "shifts", "sequence", "means", "delta"}
WHO |= {"X", "y", "base", "margin", "intercept", "in_slab", "label", "share", "t"}
# Words of other libraries, or of version 0.1, for what has another name here.
GONE = {"pinball", "path_or_ax", "lr", "learning_rate", "n_rounds", "random_state"}
FACADES = {"river", "sklearn"}  # their hosts' words are theirs


def classes():
    """All public classes, once each."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        for name in module.__all__:
            each = getattr(module, name)
            if inspect.isclass(each):
                found.setdefault(each, f"{room}.{name}")
    return found


CLASSES = classes()
every_class = all_of(CLASSES, CLASSES.__getitem__)


def methods(each, *names):
    """Those of the methods that the class has."""
    there = ((name, inspect.getattr_static(each, name, None)) for name in names)
    return {name: getattr(each, name) for name, what in there if inspect.isroutine(what)}


def returned(method):
    """The classes that a method says it returns, one of them."""
    told = inspect.signature(method, eval_str=True, locals=vars(certificates)).return_annotation
    union = isinstance(told, types.UnionType)
    return [typing.get_origin(k) or k for k in (typing.get_args(told) if union else [told])]


def parameters(method):
    return [
        p for p in inspect.signature(method).parameters.values() if p.name not in ("self", "cls")
    ]


def depth(each):
    """The length of the longest chain of our classes above a class."""
    ours = [base for base in each.__bases__ if base.__module__.startswith("regretless")]
    return max((1 + depth(base) for base in ours), default=0)


@every_class
def test_at_most_four_classes_of_ours_are_above(each):
    facade = CLASSES[each].split(".")[0] in FACADES  # is a learner, and an estimator of its host
    assert depth(each) <= 4 + facade


@every_class
def test_rounds_make_a_run(each):
    for name, method in methods(each, "run", "play", "simulate").items():
        assert all(issubclass(told, Run) for told in returned(method)), name


@pytest.mark.parametrize(
    "name", ["games.play", "adversaries.play", "bandits.simulate", "evaluate.progressive"]
)
def test_functions_make_runs(name):
    room, function = name.split(".")
    for told in returned(getattr(importlib.import_module(f"regretless.{room}"), function)):
        # of several players, a run each
        each = [told] if issubclass(told, Run) else returned(told.__getitem__)
        assert all(issubclass(run, Run) for run in each)


@every_class
def test_who_is_compared_with_is_asked_alike(each):
    """`regret` and `bound` are numbers, their curves arrays, and all take the same arguments."""
    asked = methods(each, "regret", "bound", "regret_curve", "bound_curve", "certificate")
    for name, method in asked.items():
        kinds = {"regret": float, "bound": float, "certificate": Certificate}
        for told in returned(method):
            assert told is NoReturn or issubclass(told, kinds.get(name, np.ndarray)), name
        named = [p for p in parameters(method) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        assert {p.name for p in named} <= WHO, name
    if issubclass(each, Run):
        own = [[p.name for p in parameters(m)] for m in asked.values()]
        plain = [words for words in own if words != ["who", "asked"]]
        assert all(words == plain[0] for words in plain)


@every_class
def test_a_sum_is_a_loss_and_a_mean_is_not(each):
    for name in ("loss", "mean_loss"):
        told = inspect.getattr_static(each, name, None)
        if isinstance(told, property) and told.fget is not None:
            words = (told.fget.__doc__ or "").lower()
            per_example = "mean" in words or "per example" in words
            assert per_example == (name == "mean_loss"), f"{name}: {words}"


@every_class
def test_who_learns_can_be_cloned_and_copied(each):
    facade = CLASSES[each].split(".")[0] in FACADES
    if methods(each, "learn_one", "update") and methods(each, "save") and not facade:
        copies = methods(each, "clone", "copy")
        assert set(copies) == {"clone", "copy"}
        assert not any(parameters(method) for method in copies.values())


@every_class
def test_plots_are_drawn_on_axes(each):
    for name, method in methods(each, "plot").items():
        assert parameters(method)[0].name == "ax", name
        assert parameters(method)[0].default is None


@every_class
def test_words_that_are_gone(each):
    if CLASSES[each].split(".")[0] in FACADES:
        return
    for name, method in inspect.getmembers(each, inspect.isroutine):
        if name == "__init__" or not name.startswith("_"):
            try:
                words = {p.name for p in parameters(method)}
            except (TypeError, ValueError):  # of C
                continue
            assert not words & GONE, name


def test_certificates_say_what_they_hold():
    """True, False and None, as the words have it; an assumption that failed leaves no bound."""
    held = Certificate(3, 1.0, {"a": 2.0}, "of somebody", {"it is so": True})
    assert (held.bound, held.holds) == (2.0, True)
    failed = Certificate(3, 1.0, {"a": 2.0}, "of somebody", {"it is so": False})
    assert (failed.bound, failed.holds) == (math.inf, False)
    unknown = Certificate(3, 1.0, {"a": 2.0}, "of somebody", {"it is so": None})
    assert (unknown.bound, unknown.holds) == (2.0, None)
    beaten = Certificate(3, 3.0, {"a": 2.0}, "of somebody", {"it is so": True})
    assert beaten.holds is False
    nothing = Certificate(3, math.nan, {"a": math.nan}, "of somebody")
    assert (nothing.regret, nothing.bound) == (math.inf, math.inf)


def test_reports_are_runs():
    assert issubclass(evaluate.Report, Run)


NAMES = {
    name: getattr(importlib.import_module(f"regretless.{room}"), name)
    for room in ("rules", "losses", "geometry", "domains", "rates", *ROOMS[:-3])
    if room not in FACADES
    for name in importlib.import_module(f"regretless.{room}").__all__
}


@pytest.mark.parametrize("entry", ROSTER, ids=lambda entry: entry.name)
def test_repr_is_the_call_that_makes_it(entry):
    text = repr(entry.make(0))
    if "<function" in text or "FiniteClass" in text or "Tree" in text or "Potential()" in text:
        return  # made of what no short call makes
    there = vars(importlib.import_module(type(entry.make(0)).__module__))
    assert repr(eval(text, NAMES | there)) == text


def test_what_is_as_by_default_is_not_shown():
    from regretless import domains, geometry, losses, oco, rates, rules

    for plain in (
        domains.Ball(),
        geometry.Entropy(),
        losses.Hinge(),
        rules.Coin(),
        domains.Simplex(),
    ):
        assert repr(plain) == f"{type(plain).__name__}()"
    assert repr(rates.InverseSqrt(0.5)) == "InverseSqrt(0.5)"
    assert repr(domains.Ball(2.0, p=1.0)) == "Ball(radius=2.0, p=1.0)"
    player = oco.OnlineGradientDescent(2, rate="horizon", horizon=9, lipschitz=3.0)
    assert repr(player) == ("OnlineGradientDescent(2, rate='horizon', lipschitz=3.0, horizon=9)")
    with pytest.raises(ValueError, match="horizon=9 needs rate='horizon'"):
        oco.OnlineGradientDescent(2, horizon=9)
