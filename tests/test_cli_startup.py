"""What a command loads before it does anything, and how its options are found and completed."""

import json
import os
import subprocess
import sys

import click
import command_line
import pytest
from command_line import ENVIRONMENT, process, run

from regretless.cli import app as program
from regretless.cli.app import app

# modules that most commands do without; each takes longer than all of the command line
HEAVY = {"scipy", "pyarrow", "matplotlib", "pandas", "rich", "typer", "pydantic"}
# what may be loaded of ours, as folders or modules: the parts of a learner and of a stream
OF_TRAIN = 60

LOADED = """
import json, sys
sys.argv = ["regretless", *sys.argv[1:]]
import regretless.cli
try:
    regretless.cli.main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)))
"""


def loaded(*arguments):
    """The names of the modules that a command has loaded at its end."""
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def ours(modules):
    return [name for name in modules if name.partition(".")[0] == "regretless"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.vw").write_text("1 |w free offer\n-1 |w meeting\n1 |w free today\n")
    run("train", "three.vw", "--save", "m", "--bits", "10")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "three.vw"],
        ["train", "three.vw", "--quiet", "--learner", "coin"],
        ["predict", "three.vw", "--model", "m"],
        ["inspect", "m"],
    ],
    ids=" ".join,
)
def test_a_command_loads_what_it_needs(folder, arguments):
    """Nothing heavy, and no room of ours that it does not use."""
    modules = loaded(*arguments)
    assert not HEAVY & set(modules)
    assert "numpy.ma" not in modules or arguments[0] == "inspect"
    assert len(ours(modules)) <= OF_TRAIN, ours(modules)
    unused = ("boosting", "newton", "experts", "oco", "bandits", "games", "classes", "plots")
    for room in unused:
        assert f"regretless.{room}" not in modules


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["bandit", "-h"], ["trian"]])
def test_the_list_of_commands_loads_neither_numpy_nor_a_room(arguments):
    """Only the command line itself, and click."""
    modules = loaded(*arguments)
    assert "numpy" not in modules
    assert [name for name in ours(modules) if not name.startswith("regretless.cli")] == [
        "regretless"
    ]


@pytest.mark.parametrize("command", ["train", "predict", "inspect", "experts", "game"])
def test_help_of_a_command_loads_what_has_its_options(command):
    """A class for its options, but not what only learning needs."""
    assert not HEAVY & set(loaded(command, "--help"))


def commands(group=app, path=()):
    """All commands, with the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield (*path, name), found
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))


def test_summaries_are_the_first_lines_of_the_help():
    for name, text in program._SUMMARIES.items():
        assert dict(commands())[(name,)].help.splitlines()[0] == text


@pytest.mark.parametrize(("words", "each"), [*commands()], ids=lambda x: str(x)[:20])
def test_help_fits_80_columns(words, each):
    """With a text for every option, and examples of every command."""
    shown = run(*words, "--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    if not isinstance(each, click.Group):
        assert f"regretless {' '.join(words)}" in shown.partition("Examples:")[2]
        for option in each.params:
            assert option.opts[-1] in shown or option.name.upper() in shown or "..." in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trian", "a.vw"], "No such command 'trian'. Did you mean 'train'?"),
        (["bandit", "snip"], "No such command 'snip'. Did you mean 'snips'?"),
        (
            ["train", "a.vw", "--lerner", "coin"],
            "No such option: --lerner. Did you mean --learner?",
        ),
        (["train", "a.vw", "--learner", "ftlr"], "'ftlr' is unknown; did you mean 'ftrl'?"),
        (["compare", "a.vw", "--learners", "coin,adagard"], "did you mean 'adagrad'?"),
        (["train", "a.vw", "--passes", "two"], "'--passes': 'two' is not a whole number"),
        (["train", "a.vw", "--rate", "fast"], "'--rate': 'fast' is not a number"),
        (["train", "a.vw", "--rate", "0"], "--rate=0.0 must be positive and finite"),
        (["train", "a.vw", "--passes", "0"], "--passes=0 must be a whole number of at least 1"),
        (["train", "a.vw", "--bits", "32"], "--bits=32 must be a whole number from 1 to 31"),
        (["train", "a.vw", "--tau", "0.9"], "--tau is for --loss quantile"),
        (["predict", "a.vw"], "Missing option '--model'"),
        (["train"], "Missing argument 'SOURCE...'"),
    ],
)
def test_wrong_usage_is_corrected(arguments, message):
    """By name, with the value and with what may be meant."""
    shown = run(*arguments, code=2).stderr
    assert message in shown
    assert f"Try 'regretless {arguments[0]}" in shown or "Try 'regretless --help'" in shown


def test_completion_of_commands_options_and_values():
    """As a shell asks for it."""

    def completed(words, count):
        environment = ENVIRONMENT | {
            "_REGRETLESS_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(count),
        }
        program = [sys.executable, "-c", "import regretless.cli as c; c.main()"]
        shown = subprocess.run(
            program, env=environment, capture_output=True, text=True, check=False
        )
        return shown.stdout.split()

    assert completed("regretless tr", 1) == ["plain,train"]
    assert "plain,--learner" in completed("regretless train --le", 2)
    assert completed("regretless train --learner ad", 3) == ["plain,adagrad", "plain,adagrad-plain"]
    assert completed("regretless train a", 2)[0].startswith("file,")


def test_completion_is_shown_and_installed(tmp_path):
    for shell, file in (("zsh", ".zshrc"), ("fish", ".config/fish/completions/regretless.fish")):
        environment = os.environ | ENVIRONMENT | {"SHELL": f"/bin/{shell}", "HOME": str(tmp_path)}
        shown = process("--show-completion", env=environment)
        assert "_REGRETLESS_COMPLETE" in shown.stdout
        for _ in range(2):
            installed = process("--install-completion", env=environment)
            assert str(tmp_path / file) in installed.stdout
        assert (tmp_path / file).read_text().count("_REGRETLESS_COMPLETE") == 1
    unknown = process("--show-completion", env=ENVIRONMENT | {"SHELL": "/bin/csh"})
    assert unknown.returncode == 2
    assert "bash, zsh and fish" in unknown.stderr


def test_command_line_is_tested_as_it_is_installed(folder):
    """The module is the program."""
    command = [sys.executable, "-m", "regretless", "--version"]
    shown = subprocess.check_output(command, env=ENVIRONMENT, text=True)
    assert shown == run("--version").stdout
    assert command_line.app is app
