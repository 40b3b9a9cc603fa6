"""Every learner and player of the roster through the public checks, and through what only we can ask."""

import ast
import importlib
import inspect
from functools import cache
from pathlib import Path

import pytest
from roster import EXCEPTIONS, ROOMS, ROSTER

from regretless.checks import CHECKS, check_subject
from regretless.experts import Hedge
from regretless.linear import Perceptron

HERE = Path(__file__).parent
# the public checks that do not apply to a line which is without something
WITHOUT = {
    "clone": ("clone", "copy"),
    "file": ("file", "waiting_file"),
    "waiting": ("waiting_file",),
    "batch": ("run", "second_run", "scales_run"),
    "extremes": ("scales", "scales_run"),
    "bound": ("certificate",),
    "identity": (),
}
PLAYS = ("learn_one", "update", "fit", "move", "run", "act")  # what makes a class a player


def everyone(reason: str | None = None) -> pytest.MarkDecorator:
    """The lines of the roster, but those that are without something."""
    lines = [pytest.param(entry, id=entry.name) for entry in ROSTER if reason not in entry.without]
    return pytest.mark.parametrize("entry", lines)


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
    """Names are unique, and reasons are given for what is missing and for nothing else."""
    names = [entry.name for entry in ROSTER]
    assert len(set(names)) == len(names)
    for entry in ROSTER:
        assert set(entry.without) <= {*WITHOUT, *CHECKS}, entry.name
        assert (entry.proof is None) == ("bound" in entry.without), entry.name
        assert (entry.identity == "") == ("identity" in entry.without), entry.name
        assert all(entry.without.values()), entry.name


def test_oracles_and_identities_are_tested():
    """Each line names the tests that compare it with another implementation, and with an identity."""
    for entry in ROSTER:
        for place in filter(None, (entry.oracle, entry.identity)):
            file, name = place.split("::")
            assert f"test_{name}" in functions_of(file), (entry.name, place)


@cache
def functions_of(file: str) -> set[str]:
    """The names of the functions of a file of tests."""
    tree = ast.parse((HERE / f"test_{file}.py").read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


# --- the checks -------------------------------------------------------------------------------------


@everyone()
def test_public_checks(entry):
    """All of them pass, and none is left out without a reason."""
    skip = {
        check: why for what, why in entry.without.items() for check in WITHOUT.get(what, (what,))
    }
    if entry.proof:
        skip["certificate"] = "its proof asks for more"
    if not entry.kind.bad_waiting():
        skip |= dict.fromkeys(("waiting", "waiting_file", "bad_loss"), "a round has one half")
    if not entry.kind.weightless():
        skip["weightless"] = "takes no importance weights"
    report = check_subject(entry, skip=skip)
    left_out = {each.name for each in report if not each.passed} - set(skip)
    # runs that return no losses, players that count nothing, rounds that have no numbers but features
    assert left_out <= {"second_run", "vocabulary", "only_numbers"}, report


@everyone("bound")
def test_the_certificate_holds(entry):
    entry.proof(entry)


def test_files_of_others_are_refused(tmp_path):
    """By what is wrong with them: a file that was cut short, and one of another class."""
    path = tmp_path / "one"
    for entry in ROSTER:
        if "file" in entry.without:
            continue
        player = entry.played(entry.kind.length)
        player.save(path)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(ValueError, match="not a model file"):
            entry.load(type(player), path)
        (Perceptron() if type(player) is Hedge else Hedge(2)).save(path)
        with pytest.raises(ValueError, match="holds a"):
            entry.load(type(player), path)
