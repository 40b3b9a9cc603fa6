"""Every learner and player of the roster through the same checks."""

import ast
import copy
import importlib
import inspect
import pickle
import re
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from roster import EXCEPTIONS, ROOMS, ROSTER, Entry, difference, state_of
from roster.numbers import check_numbers, finite, spoiled

from regretless._core import Diverged
from regretless.experts import Hedge
from regretless.linear import Perceptron

HERE = Path(__file__).parent
CHECKS = ("identity", "clone", "file", "waiting", "batch", "extremes", "bound")
WAITING = [entry for entry in ROSTER if entry.kind.bad_waiting()]  # whose rounds have two halves
WEIGHING = [entry for entry in ROSTER if entry.kind.weightless()]  # who takes importance weights
PLAYS = ("learn_one", "update", "fit", "move", "run", "act")  # what makes a class a player


def everyone(check: str | None = None) -> pytest.MarkDecorator:
    """Those of the roster that a check applies to."""
    lines = [pytest.param(entry, id=entry.name) for entry in ROSTER if check not in entry.without]
    return pytest.mark.parametrize("entry", lines)


def played(entry: Entry, rounds: int, seed: int = 0):
    """A player that has played so many rounds of its stream."""
    player = entry.make(seed)
    for each in entry.kind.stream(entry.kind.length)[:rounds]:
        entry.kind.feed(player, each)
    return player


def trace(entry: Entry, player, rounds) -> tuple:
    """What is asked and answered in some rounds, bit for bit."""
    return tuple(state_of((entry.kind.ask(player, r), entry.kind.feed(player, r))) for r in rounds)


def state(entry: Entry, player):
    if entry.prepares:  # so that all have
        entry.kind.ask(player, entry.kind.stream(1)[0])
    return state_of(player, entry.caches)


def same(one, two) -> bool:
    """Whether two states or traces are equal; if not, the assertion says where they differ."""
    assert difference(one, two) == ""
    return True


def halves(entry: Entry):
    """The stream of an entry in two parts."""
    stream, middle = entry.kind.stream(entry.kind.length), entry.kind.length // 2
    return stream[:middle], stream[middle:]


# --- the table --------------------------------------------------------------------------------------


def test_everybody_is_in_the_table():
    """A public class that plays has a line, or a reason to have none."""
    lines = {type(entry.make(0)) for entry in ROSTER}
    missing, needless = [], set(EXCEPTIONS)
    for room in ROOMS:
        module = importlib.import_module(f"regretless.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if not inspect.isclass(found) or found in lines:
                continue
            if name in EXCEPTIONS:
                needless.discard(name)
            elif any(hasattr(found, method) for method in PLAYS):
                missing.append(f"{room}.{name}")
    assert missing == []
    assert needless == set()


def test_the_table_is_in_order():
    """Names are unique, reasons are of checks that exist, and who draws is made with the seed."""
    names = [entry.name for entry in ROSTER]
    assert len(set(names)) == len(names)
    assert {check for entry in ROSTER for check in entry.without} <= set(CHECKS)
    for entry in ROSTER:
        assert (entry.proof is None) == ("bound" in entry.without), entry.name
        assert (entry.identity == "") == ("identity" in entry.without), entry.name
        assert all(entry.without.values()), entry.name


@everyone()
def test_oracle_and_identity_are_tested(entry):
    """Each line names the tests that compare it with another implementation, and with an identity."""
    for place in filter(None, (entry.oracle, entry.identity)):
        file, name = place.split("::")
        assert f"test_{name}" in functions_of(file), place


@cache
def functions_of(file: str) -> set[str]:
    """The names of the functions of a file of tests."""
    tree = ast.parse((HERE / f"test_{file}.py").read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


# --- asking -----------------------------------------------------------------------------------------


def ask_everything(entry: Entry, player, rounds) -> None:
    for each in rounds:
        entry.kind.ask(player, each)
    repr(player)
    for name in ("regret", "regrets", "loss", "loss_", "weights_", "rounds", "get_params"):
        with suppress(TypeError, ValueError):  # needs a comparator, or has nothing to tell yet
            found = getattr(player, name, None)
            if callable(found):
                found()
    with suppress(AttributeError, TypeError, ValueError):  # has none, or needs the examples
        player.certificate()


@everyone()
def test_asking_changes_nothing(entry):
    """Neither what is kept nor what comes after, not even before the first round."""
    first, rest = halves(entry)
    asked, never = entry.make(0), entry.make(0)
    ask_everything(entry, asked, rest)
    for part in (first, rest):
        for each in part:
            entry.kind.ask(asked, each)
            told = [state_of(entry.kind.feed(player, each)) for player in (asked, never)]
            assert same(*told)
        before = state(entry, asked)
        ask_everything(entry, asked, rest)
        assert same(state(entry, asked), before)
        assert same(state(entry, never), before)


# --- seeds ------------------------------------------------------------------------------------------


@everyone()
def test_alike_plays_alike(entry):
    """Two that were made and fed alike are alike, bit for bit."""
    one, two, stream = entry.make(3), entry.make(3), entry.kind.stream(entry.kind.length)
    assert same(trace(entry, one, stream), trace(entry, two, stream))
    assert same(state(entry, one), state(entry, two))


@everyone()
def test_another_seed(entry):
    """Whoever draws plays otherwise with another seed, and nobody else does."""
    stream = entry.kind.stream(entry.kind.length)
    traces = [trace(entry, entry.make(seed), stream) for seed in range(4)]
    assert any(each != traces[0] for each in traces) is entry.draws


# --- copies -----------------------------------------------------------------------------------------


def goes_on(entry: Entry, copied) -> None:
    """A copy made in mid-stream plays like one that never stopped, and the original stays."""
    first, rest = halves(entry)
    player = played(entry, len(first))
    never, before = played(entry, len(first)), state(entry, player)
    other = copied(player)
    assert type(other) is type(player)
    assert other is not player
    assert repr(other) == repr(player)
    assert same(state(entry, player), before)
    assert same(state(entry, other), before)
    expected = trace(entry, never, rest)
    assert same(trace(entry, other, rest), expected)
    assert same(state(entry, other), state(entry, never))
    assert same(state(entry, player), before)  # nothing is shared
    assert same(trace(entry, player, rest), expected)


@everyone("clone")
def test_clone(entry):
    """It has the options, and has seen nothing."""
    first, rest = halves(entry)
    player = played(entry, len(first))
    before, clone = state(entry, player), player.clone()
    assert type(clone) is type(player)
    assert repr(clone) == repr(player)
    if hasattr(player, "get_params"):
        assert clone.get_params() == player.get_params() == entry.make(0).get_params()
    assert same(trace(entry, clone, rest), trace(entry, entry.make(0), rest))
    assert same(state(entry, player), before)


@everyone("clone")
def test_copy(entry):
    """It has the state as well."""
    goes_on(entry, lambda player: player.copy())


@everyone()
@pytest.mark.parametrize("way", [lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy])
def test_pickle_and_deepcopy(entry, way):
    goes_on(entry, way)


@everyone("file")
def test_file(entry, tmp_path):
    """Also a second file, of what was read, and one of a player that has seen nothing.

    A file that was cut short is refused, and so is one of somebody else.
    """

    def through(player):
        player.save(tmp_path / "one")
        other = entry.load(type(player), tmp_path / "one")
        other.save(tmp_path / "two")
        assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()
        return other

    goes_on(entry, through)
    fresh, stream = entry.make(0), entry.kind.stream(2)
    try:
        fresh = through(fresh)
    except ValueError as error:
        assert "nothing has been learned yet" in str(error)  # noqa: PT017
    assert same(trace(entry, fresh, stream), trace(entry, entry.make(0), stream))
    whole, other = (tmp_path / "one").read_bytes(), Hedge(2)
    (tmp_path / "one").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not a model file"):
        entry.load(type(fresh), tmp_path / "one")
    (Perceptron() if type(fresh) is Hedge else other).save(tmp_path / "one")
    with pytest.raises(ValueError, match="holds a"):
        entry.load(type(fresh), tmp_path / "one")


@pytest.mark.parametrize("entry", WAITING, ids=lambda entry: entry.name)
def test_copies_while_a_choice_waits(entry, tmp_path):
    first, rest = halves(entry)
    player, kind = played(entry, len(first)), entry.kind
    chosen = kind.choose(player, rest[0])
    copies = [player.copy(), pickle.loads(pickle.dumps(player))]
    if "waiting" not in entry.without:  # of files
        player.save(tmp_path / "waiting")
        copies.append(entry.load(type(player), tmp_path / "waiting"))
    traces = []
    for each in (player, *copies):
        kind.settle(each, rest[0], chosen)
        traces.append(trace(entry, each, rest))
    for each in traces[1:]:
        assert same(each, traces[0])


# --- bad input --------------------------------------------------------------------------------------


def refusal(call, player) -> str:
    """What is said of a bad call; empty if nothing is."""
    try:
        call(player)
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def refuses(entry: Entry, player, twin, calls) -> None:
    """Each call is refused with the name of what is wrong, and nothing has changed."""
    before = state(entry, player)
    for what, (call, says) in calls.items():
        assert re.search(says, refusal(call, player), re.S), what
        assert difference(state(entry, player), before) == "", what
    assert same(state(entry, twin), before)


@everyone()
def test_bad_input_changes_nothing(entry):
    first, rest = halves(entry)
    player, twin = (played(entry, len(first)) for _ in range(2))
    refuses(entry, player, twin, entry.kind.bad(rest))
    assert same(trace(entry, player, rest), trace(entry, twin, rest))


@everyone()
def test_bad_input_before_the_first_round(entry):
    first, rest = halves(entry)
    player, twin = entry.make(0), entry.make(0)
    for what, (call, _) in entry.kind.bad(rest).items():
        assert refusal(call, player), what
    assert same(trace(entry, player, first), trace(entry, twin, first))
    assert same(state(entry, player), state(entry, twin))


@pytest.mark.parametrize("entry", WAITING, ids=lambda entry: entry.name)
def test_bad_losses_leave_the_choice_waiting(entry):
    first, rest = halves(entry)
    player, twin = (played(entry, len(first)) for _ in range(2))
    chosen = [entry.kind.choose(each, rest[0]) for each in (player, twin)]
    refuses(entry, player, twin, entry.kind.bad_waiting())
    for each, what in zip((player, twin), chosen):
        entry.kind.settle(each, rest[0], what)
    assert same(trace(entry, player, rest), trace(entry, twin, rest))


def takes_numbers_only(entry: Entry, player, takes) -> None:
    """What is not made of numbers is refused by the name of the argument, and nothing changes."""
    before = state(entry, player)
    for what, (give, good) in takes.items():
        name = what.split()[0]
        give(copy.deepcopy(player), good)
        for how, bad in spoiled(good):
            if how == "None" and entry.kind.absent:
                continue
            said = refusal(lambda each, give=give, bad=bad: give(each, bad), player)
            assert re.search(rf"\b({name})\b.*(text|complex|missing)", said, re.S), (
                what,
                how,
                said,
            )
            assert difference(state(entry, player), before) == "", (what, how)


@everyone()
def test_only_numbers_are_numbers(entry):
    """Text that reads as a number, bytes, complex numbers and None are refused everywhere alike."""
    first, rest = halves(entry)
    player, takes = played(entry, len(first)), entry.kind.takes(rest)
    assert takes or entry.kind.__class__.__name__ == "Labels"  # points and labels of a class
    takes_numbers_only(entry, player, takes)


@pytest.mark.parametrize("entry", WAITING, ids=lambda entry: entry.name)
def test_only_numbers_are_losses(entry):
    first, rest = halves(entry)
    player = played(entry, len(first))
    entry.kind.choose(player, rest[0])
    takes_numbers_only(entry, player, entry.kind.takes_waiting())


# --- few rounds and many ----------------------------------------------------------------------------


@everyone()
def test_none_and_one_round(entry):
    """What can be asked can be asked at once, and a certificate of nothing holds."""
    player, (each, *_) = entry.make(0), entry.kind.stream(2)
    for _ in range(2):
        assert finite(entry.kind.ask(player, each))
        assert type(player).__name__ in repr(player)
        try:
            certificate = player.certificate()
        except AttributeError:
            assert "bound" in entry.without
        except (TypeError, ValueError) as error:
            assert len(str(error)) > 10  # noqa: PT017
        else:
            assert certificate.holds is not False or "bound" in entry.without
        entry.kind.feed(player, each)


@everyone("batch")
def test_many_rounds_are_one_by_one(entry):
    """At once, in parts, none at all among them, and one."""
    kind = entry.kind
    first, rest = kind.stream(kind.length), kind.stream(6, seed=1)
    one, many, parts = entry.make(0), entry.make(0), entry.make(0)
    for each in first:
        kind.feed(one, each)
    kind.many(many, first)
    cuts = (0, 0, 1, 1, len(first) // 2, len(first), len(first))
    for start, stop in pairwise(cuts):
        kind.many(parts, first[start:stop])
    if entry.rounding:
        for player in (many, parts):
            close(kind.ask(player, rest[0]), kind.ask(one, rest[0]))
            close(player.regret(), one.regret())
        return
    assert same(state(entry, one), state(entry, many))
    assert same(state(entry, one), state(entry, parts))
    expected = trace(entry, one, rest)
    assert same(trace(entry, many, rest), expected)
    assert same(trace(entry, parts, rest), expected)


def close(one, two) -> None:
    """Two dozen additions of numbers below 1, in another order."""
    for a, b in zip(*(each if isinstance(each, tuple) else (each,) for each in (one, two))):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


# --- no weight --------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", WEIGHING, ids=lambda entry: entry.name)
@pytest.mark.parametrize("rounds", [0, 1, 12])
def test_an_example_without_weight_is_not_there(entry, rounds, tmp_path):
    """It brings no label, name, scale or round, and leaves no trace in the file."""
    rest = entry.kind.stream(entry.kind.length)[rounds : rounds + 6]
    for what, (call, without) in entry.kind.weightless().items():
        player, twin = played(entry, rounds), played(entry, rounds)
        call(player)
        without(twin)
        told = getattr(player, "classes_", np.zeros(0)), getattr(twin, "classes_", np.zeros(0))
        assert told[0].tolist() == told[1].tolist(), what
        assert getattr(player, "examples_", 0) == getattr(twin, "examples_", 0), what
        if "file" not in entry.without:
            for each, name in ((player, "one"), (twin, "two")):
                each.save(tmp_path / name)
            assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes(), what
        assert same(trace(entry, player, rest), trace(entry, twin, rest))
        assert same(state(entry, player), state(entry, twin))


# --- sizes ------------------------------------------------------------------------------------------


@everyone("extremes")
def test_extreme_sizes(entry):
    """Rounds are played, or refused and then nothing has changed; whatever came, numbers are finite."""
    streams = entry.kind.extremes()
    assert streams
    for stream in streams:
        player = entry.make(0)
        entry.kind.ask(player, entry.kind.stream(1)[0])  # it has started
        for t, each in enumerate(stream):
            before = state(entry, player)
            try:
                entry.kind.feed(player, each)
            except (ValueError, Diverged) as error:
                assert len(str(error)) > 10  # noqa: PT017
                refused(entry, player, before, each)
            if t % 2 or t == len(stream) - 1:  # a number that is not finite stays so
                check_numbers(entry, player, certificate=t % 8 == 7 or t == len(stream) - 1)


def refused(entry: Entry, player, before, round) -> None:
    """Nothing has changed, but for a choice that was made and waits for what it cost."""
    if not entry.kind.bad_waiting() and not getattr(entry.kind, "acts", ""):
        assert difference(state(entry, player), before) == "", round


@everyone("batch")
def test_extreme_batches(entry):
    """A batch that is refused leaves what was before it, or before the round that would diverge."""
    for stream in [] if "extremes" in entry.without else entry.kind.extremes():
        one, many = entry.make(0), entry.make(0)
        states = []
        for player in (one, many):
            entry.kind.ask(player, entry.kind.stream(1)[0])
        with suppress(ValueError, Diverged):
            for each in stream:
                states.append(state(entry, one))
                entry.kind.feed(one, each)
        try:
            entry.kind.many(many, stream)
        except (ValueError, Diverged):
            after = state(entry, many)
            assert after == states[0] or same(after, states[-1]), stream
        check_numbers(entry, many)


# --- what is proven ---------------------------------------------------------------------------------


@everyone("bound")
def test_the_certificate_holds(entry):
    entry.proof(entry)
