"""Options are declared once, as fields: the constructor and all else is made from them."""

import copy
import importlib
import inspect
import pickle
import re
import sys
import types

import numpy as np
import pytest
from together import all_of

import regretless
from regretless.base.arguments import interval, one_of, positive, whole, within
from regretless.base.options import Option, call_of, check_options, option, options_of
from regretless.base.state import Stateful


class Steady(Stateful):
    """Steps of one size.

    >>> Steady(3).rate
    0.1
    """

    dimension: int = option(whole, text="how many coordinates there are", kw_only=False)
    rate: float = option(positive, default=0.1, text="length of a step.")
    mode: str | None = option(one_of, ("up", "down"), default=None, text="where to")

    def __post_init__(self):
        self.made = [*vars(self)]

    def _learned(self):
        return {}

    def _restore(self, parts):
        pass


class Ranged(Steady):
    """Steps in a range."""

    range: tuple[float, float] = option(
        interval, default=(0, 1), text="of the steps", kw_only=False
    )
    power: float = option(within, "(0, 1]", default=1.0, hint="; 1 is the mean", text="of the mean")


class Renewed(Ranged):
    """An option declared again, and one that is fixed."""

    dimension: int = option(whole, 2, 5, text="two coordinates or more", kw_only=False)
    rate: float = option(positive, default=0.5, text="a longer step")
    mode = "up"


class Silent(Renewed):
    """A class without options of its own."""


class Generous(Steady):
    """Keeps what was given, as learners do."""

    _keeps_what_is_given = True


class Late(Steady):
    """Checks its options when they are used."""

    _checks_late = True


class Nothing(Stateful):
    def __post_init__(self):
        self.is_made = True


class Other(Stateful):
    """Another one."""

    depth: int = option(whole, default=3, text="of something else")
    rate: float = option(positive, default=9.0, text="of something else")


class Both(Steady, Other):
    """Two bases, each with options."""


class ByHand(Ranged):
    """A constructor by hand."""

    def __init__(self, dimension, *, extra="x"):
        super().__init__(dimension, rate=0.25)
        self.extra = extra


class PassingOn(Ranged):
    def __init__(self, dimension=4, **options):
        super().__init__(dimension, **options)


def names(kind):
    return list(inspect.signature(kind).parameters)


# --- the constructor -------------------------------------------------------------------------------


def test_options_become_attributes():
    made = Steady(3, rate=2, mode="up")
    assert (made.dimension, made.rate, made.mode) == (3, 2.0, "up")
    assert type(made.rate) is float
    assert made.made == ["dimension", "rate", "mode"]  # `__post_init__` comes after all of them
    assert not hasattr(Steady, "rate")  # only objects have options


def test_the_order_of_parameters():
    """Those by place first, as inherited; then those by name, the class's own before inherited ones."""
    assert names(Steady) == ["dimension", "rate", "mode"]
    assert names(Ranged) == ["dimension", "range", "power", "rate", "mode"]
    assert names(Renewed) == ["dimension", "range", "rate", "power"]
    assert names(Silent) == names(Renewed)
    for kind in (Steady, Ranged, Renewed, Silent, Both, Nothing):
        assert names(kind) == list(options_of(kind))
        for name, each in options_of(kind).items():
            parameter = inspect.signature(kind).parameters[name]
            assert (parameter.kind is parameter.KEYWORD_ONLY) == each.kw_only
            assert parameter.default is each.default


def test_inheritance():
    made = Ranged(2, (1, 3), rate=0.5)
    assert (made.dimension, made.range, made.power, made.rate) == (2, (1.0, 3.0), 1.0, 0.5)
    assert options_of(Ranged)["rate"] is options_of(Steady)["rate"]
    assert Silent.__init__ is not Renewed.__init__ or names(Silent) == names(Renewed)


def test_declared_again():
    assert Renewed(2).rate == 0.5
    assert Steady(1).rate == 0.1  # the class above keeps its own
    with pytest.raises(ValueError, match=r"^dimension=1 must be a whole number from 2 to 5$"):
        Renewed(1)


def test_fixed_by_a_plain_value():
    assert Renewed(2).mode == "up"
    assert "mode" not in options_of(Renewed)
    assert "mode" not in vars(Renewed(2))
    with pytest.raises(TypeError, match="unexpected keyword argument 'mode'"):
        Renewed(2, mode="down")


def test_two_bases_with_options():
    made = Both(2)
    assert (made.dimension, made.rate, made.depth) == (2, 0.1, 3)  # the first base comes first
    assert Both(2, depth=5).depth == 5


def test_no_options():
    assert Nothing().is_made
    assert repr(Nothing()) == "Nothing()"
    with pytest.raises(TypeError, match=r"^Nothing\(\): .*'a'; there are no options$"):
        Nothing(a=1)


def test_types_are_in_the_signature():
    parameters = inspect.signature(Renewed).parameters
    assert parameters["range"].annotation == tuple[float, float]
    assert parameters["rate"].annotation is float
    assert inspect.signature(Renewed.__init__).return_annotation is None
    assert inspect.signature(Steady).parameters["mode"].annotation == str | None


def test_the_constructor_looks_like_one_that_is_written():
    assert Renewed.__init__.__qualname__ == "Renewed.__init__"
    assert Renewed.__init__.__module__ == __name__
    assert next(iter(inspect.signature(Renewed.__init__).parameters)) == "self"


def test_keeps_what_is_given():
    assert type(Generous(3, rate=2).rate) is int
    with pytest.raises(ValueError, match="rate=-2 must be positive"):
        Generous(3, rate=-2)


def test_checks_late():
    made = Late(3, rate=-1)
    assert made.rate == -1
    with pytest.raises(ValueError, match="rate=-1 must be positive"):
        check_options(made)
    check_options(Late(3))


def test_a_changed_option_is_checked_again():
    made = Steady(3)
    made.dimension = 0
    with pytest.raises(ValueError, match="dimension=0"):
        check_options(made)


# --- constructors by hand --------------------------------------------------------------------------


def test_a_constructor_by_hand():
    made = ByHand(3, extra="y")
    assert list(options_of(ByHand)) == ["dimension", "extra"]
    assert (made.rate, made.extra, repr(made)) == (0.25, "y", "ByHand(3, extra='y')")
    assert repr(made.clone()) == repr(made)
    assert ByHand.__doc__ == "A constructor by hand."


def test_a_base_without_options_in_between():
    """As facades are made: the constructor by hand is that of the other base."""

    class Plain(Stateful):
        pass

    class Facade(Plain, ByHand):
        pass

    assert (Facade(3).rate, Facade(3, extra="y").extra) == (0.25, "y")
    assert list(options_of(Facade)) == list(options_of(ByHand))


def test_a_constructor_that_passes_on():
    made = PassingOn(rate=0.5)
    assert list(options_of(PassingOn)) == ["dimension", "power", "rate", "mode"]
    assert repr(made) == "PassingOn(rate=0.5)"
    assert repr(made.clone()) == repr(made)


def test_a_constructor_by_hand_beside_options():
    class Halved(Steady):
        depth: int = option(whole, default=1, text="of it")

        def __init__(self, rate=4.0, *, depth=2):
            super().__init__(1, rate=rate / 2)
            self.depth = depth

    assert list(options_of(Halved)) == ["rate", "depth"]
    assert options_of(Halved)["depth"] == option(whole, default=2, text="of it")
    assert not options_of(Halved)["rate"].kw_only
    assert not hasattr(Halved, "depth")
    check_options(Halved())


def test_a_constructor_made_below_one_by_hand():
    class Below(ByHand):
        depth: int = option(whole, default=1, text="of it")

    assert list(options_of(Below)) == ["dimension", "depth", "extra"]


# --- wrong calls -----------------------------------------------------------------------------------

WRONG_CALLS = {
    "unknown": (lambda: Steady(1, ratee=1), r"argument 'ratee'; did you mean 'rate'\?"),
    "strange": (lambda: Steady(1, xyz=1), "argument 'xyz'; the options are dimension, rate, mode$"),
    "missing": (Steady, "missing a required argument: 'dimension'$"),
    "missing, others given": (lambda: Steady(rate=1), "missing a required argument: 'dimension'$"),
    "too many": (lambda: Steady(1, 2), "too many positional arguments; give rate, mode by name$"),
    "twice": (lambda: Steady(1, dimension=2), "multiple values for argument 'dimension'$"),
    "nothing": (lambda: Steady(inspect.Parameter.empty), "an option has no value$"),
}  # fmt: skip


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_calls(call):
    made, message = WRONG_CALLS[call]
    with pytest.raises(TypeError, match=r"^Steady\(\): .*" + message):
        made()


WRONG_VALUES = {
    "dimension=0 must be a whole number of at least 1": {"dimension": 0},
    "rate=0 must be positive and finite": {"rate": 0},
    "rate='1' is not a number: it is text; convert it with float()": {"rate": "1"},
    "rate=None is not a number: it is missing; fill it in, or leave it out": {"rate": None},
    "mode='left' is not one of 'up', 'down'": {"mode": "left"},
    "range=(1, 0) must be two finite numbers, the smaller first": {"range": (1, 0)},
    "power=2 is outside (0, 1]; 1 is the mean": {"power": 2},
}


@pytest.mark.parametrize("message", WRONG_VALUES)
def test_wrong_values(message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Ranged(**{"dimension": 1} | WRONG_VALUES[message])


def test_none_passes_where_it_is_the_default():
    assert Steady(1, mode=None).mode is None


def test_without_a_check_all_values_pass():
    thing = object()
    assert Option(None, (), 1, "").checked(thing, "x") is thing


# --- the docstring ---------------------------------------------------------------------------------


def test_the_docstring_is_completed_before_the_example():
    assert Steady.__doc__.splitlines() == [
        "Steps of one size.",
        "",
        "Parameters",
        "----------",
        "dimension : >= 1; how many coordinates there are.",
        "rate : > 0; length of a step.",
        'mode : "up" or "down", or None; where to.',
        "",
        ">>> Steady(3).rate",
        "0.1",
    ]


def test_inherited_options_are_in_the_docstring():
    for kind in (Ranged, Renewed, Silent):
        listed = [line.partition(" : ")[0] for line in kind.__doc__.splitlines() if " : " in line]
        assert listed == names(kind)
    assert "dimension : from 2 to 5; two coordinates" in Silent.__doc__


def test_a_paragraph_that_is_written_stays():
    class Own(Steady):
        """A class.

        Parameters
        ----------
        dimension : as I say.
        """

    assert Own.__doc__.endswith("dimension : as I say.")
    assert "rate" not in Own.__doc__


def test_a_class_without_a_docstring_stays_so():
    class Bare(Steady):
        rate: float = option(positive, default=1.0, text="length")

    assert Bare.__doc__ is None


def test_long_texts_are_wrapped():
    class Long(Stateful):
        """A class."""

        a: int = option(whole, default=1, text="word " * 50)

    assert max(map(len, Long.__doc__.splitlines())) <= 100
    assert Long.__doc__.count("\n    word") >= 2


# --- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made", [Steady(3, rate=2), Ranged(2, (1, 2)), Renewed(2), Generous(3, rate=2)]
)
def test_copies(made):
    for other in (made.clone(), made.copy(), copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert other == made
        assert other is not made
        assert repr(other) == repr(made)
        assert vars(other) == vars(made)
    assert made != Steady(4)


def test_the_call_is_shown_without_defaults():
    assert repr(Steady(3)) == "Steady(3)"
    assert repr(Ranged(3, rate=0.1, power=1)) == "Ranged(3)"
    assert repr(Ranged(3, (0, 2), mode="up")) == "Ranged(3, range=(0.0, 2.0), mode='up')"


def test_an_option_that_is_required_by_name_is_shown_so():
    class Named(Stateful):
        n: int = option(whole, text="how many")
        kind: type = option(text="of what")

    assert repr(Named(n=3, kind=Steady)) == "Named(n=3, kind=Steady)"


def test_arrays_are_shown_as_lists_and_compared_with_the_default():
    class Placed(Stateful):
        at: object = option(default=None, text="where")

    assert repr(Placed(at=np.zeros(2))) == "Placed(at=[0.0, 0.0])"
    assert Placed(at=np.zeros(2)) == Placed(at=np.zeros(2)) != Placed(at=np.ones(2))
    assert call_of(Placed(), {"at": None, "unknown": 1}) == "Placed(unknown=1)"


def test_a_class_in_the_module_of_a_user(tmp_path):
    """With annotations as text, as `from __future__ import annotations` leaves them."""
    module = types.ModuleType("module_of_a_user")
    sys.modules[module.__name__] = module
    source = (
        "from __future__ import annotations\n"
        "from regretless.base.arguments import whole\n"
        "from regretless.base.options import option\n"
        "from regretless.linear import Perceptron\n"
        "class Mine(Perceptron):\n"
        "    '''My own.'''\n"
        "    patience: int = option(whole, default=3, text='how long to wait')\n"
        "    average = 'uniform'\n"
    )
    try:
        exec(source, vars(module))
        mine = module.Mine(patience=5)
        mine.learn_one({"a": 1.0}, True)
        assert mine.average == "uniform"
        assert repr(mine) == "Mine(patience=5)"
        again = pickle.loads(pickle.dumps(mine))
        assert again == mine
        assert again.predict_one({"a": 1.0})
        assert mine.clone().get_params()["patience"] == 5
        assert "patience : >= 1; how long to wait." in module.Mine.__doc__
        assert inspect.signature(module.Mine).parameters["patience"].annotation == "int"
        with pytest.raises(ValueError, match="patience=0 must be a whole number"):
            module.Mine(patience=0)
    finally:
        del sys.modules[module.__name__]


# --- all classes of the library --------------------------------------------------------------------


def classes():
    found = {}
    for room in regretless._ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        for name in getattr(module, "__all__", ()):
            each = getattr(module, name)
            if inspect.isclass(each) and issubclass(each, Stateful):
                found.setdefault(each, f"{room}.{name}")
    return found


CLASSES = classes()


@all_of(CLASSES, CLASSES.__getitem__)
def test_every_option_has_a_text(kind):
    options = options_of(kind)
    made_by = next(each for each in kind.__mro__ if "__init__" in vars(each))
    if not hasattr(vars(made_by)["__init__"], "__signature__"):
        return  # its constructor is written by hand
    assert list(options) == names(kind)
    for name, each in options.items():
        assert each.text, name
        assert not each.text.endswith(".."), name
        assert f"\n{name} : " in kind.__doc__
        if each.default is not inspect.Parameter.empty:
            each.checked(each.default, name)  # which must pass
    assert ".." not in kind.__doc__.replace("...", "")
    assert kind.__doc__.count("\nParameters\n") == (1 if options else 0)
