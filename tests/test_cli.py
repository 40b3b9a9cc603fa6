"""The command line as a whole: help, version, and what is seen."""

import json
import os
import pty
import re
import subprocess
import sys

import command_line
import pytest
from command_line import ENVIRONMENT, SMALL, run

from regretless import losses


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


def test_predict_inspect_compare(folder):
    """The other commands, in their plainest form."""
    run("train", "clicks.vw", "--save", "clicks.model", *SMALL)
    assert len(run("predict", "new.vw", "--model", "clicks.model").stdout.splitlines()) == 600
    assert "user|u3" in run("inspect", "clicks.model", "--top", "20").stdout
    command = ["compare", "clicks.vw", "--learners", "coin,adagrad,ftrl,perceptron,pa,primal-dual"]
    result = run(*command, "--plot", "curves.png", *SMALL)
    for name in (
        "coin",
        "adagrad",
        "ftrl",
        "perceptron",
        "pa",
        "primal-dual",
        "logistic",
        "hinge",
        "AUC",
    ):
        assert name in result.stdout
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_quiet(folder):
    """One line, and nothing on standard error."""
    result = run("train", "clicks.vw", "--quiet", "--save", "m", *SMALL)
    assert result.stdout.count("\n") == 1
    assert re.match(
        r"600 examples, mean loss 0\.\d+, error .*%, AUC .*, saved to m$", result.stdout
    )
    assert result.stderr == ""


@pytest.mark.parametrize("source", ["clicks.vw", "clicks.vw.gz"])
def test_the_bar_on_a_terminal(folder, source):
    """It lives on standard error, and leaves standard output to the result."""
    main, terminal = pty.openpty()
    options = ["--json", "--certify", "3", "--passes", "2", *SMALL]
    wide = ENVIRONMENT | {"COLUMNS": "120"}
    command = [sys.executable, "-m", "regretless", "train", source, *options]
    result = subprocess.run(command, env=wide, stdout=subprocess.PIPE, stderr=terminal, check=True)
    os.close(terminal)
    shown = os.read(main, 1 << 16).decode()
    os.close(main)
    assert json.loads(result.stdout)["examples"] == 1200
    for part in ("pass 1/2", "600 examples", "/s", "MB/s", "loss 0.", "best possible"):
        assert part in shown
    assert ("100%" in shown) == (source == "clicks.vw")


def test_pictures(folder):
    """The learning curve and the calibration."""
    run("train", "clicks.vw", "--plot", "a.png", "--calibration", "b.svg", *SMALL)
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "b.svg").read_text().startswith("<?xml")
    result = run("train", "three.svm", "--calibration", "b.svg", "--exact", "--quiet", code=1)
    assert "two labels" in result.stderr


@pytest.mark.parametrize("command", ["train", "predict", "inspect", "compare"])
def test_help_teaches(command):
    """Every command with examples of itself."""
    assert run(command, "--help").stdout.count(f"regretless {command}") >= 3


def test_version_and_start():
    """Quick: nothing that learns is imported."""
    import regretless

    assert run("--version").stdout == f"regretless {regretless.__version__}\n"
    code = (
        "import sys; sys.argv = ['regretless', '--version']\n"
        "import regretless.cli; assert 'click' not in sys.modules\n"
        "try: regretless.cli.main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'pyarrow', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    result = subprocess.check_output([sys.executable, "-c", code], env=ENVIRONMENT, text=True)
    assert result.endswith("[]\n")


def test_losses_are_those_of_the_library():
    """Those for classification first."""
    assert [losses.get(name).name for name in losses.LEARNED] == list(losses.LEARNED)
    classify = [losses.get(name).classification for name in losses.LEARNED]
    assert classify == sorted(classify, reverse=True)
