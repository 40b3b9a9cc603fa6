"""What goes wrong on the command line: one line, and an exit code."""

import os
import signal
import subprocess
import sys

import command_line
import pyarrow as pa
import pytest
from command_line import ENVIRONMENT, SMALL, process, run
from pyarrow import parquet

from regretless.evaluate.training import Training


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "missing.vw"], "missing.vw: there is no such file"),
        (["train", "missing*.vw"], "missing*.vw: there is no such file"),
        (["train", "ads"], "ads"),
        (["train", "ads", "--format", "vw"], "ads is a directory"),
        (["train", "empty.vw"], "empty.vw: there are no examples"),
        (["train", "clicks.vw", "three.svm"], "several formats"),
        (["train", "unknown.txt"], "unknown.txt"),
        (["train", "cut.vw.gz"], "cut.vw.gz"),
        (["train", "clicks.vw", "--learner", "pa", "--loss", "logistic"], "loss of its own"),
        (["train", "clicks.vw", "--learner", "pa", "--l1", "1"], "takes no penalty"),
        (["train", "prices.svm", "--learner", "perceptron"], "only classifies"),
        (["train", "clicks.vw", "--l1", "1"], "--l1 is for a single learner"),
        (["train", "clicks.vw", "--rate", "1"], "use --learner adagrad"),
        (["train", "prices.svm", "--learner", "svm"], "the svm only classifies"),
        (
            ["train", "clicks.vw", "--learner", "margin-perceptron", "--rate", "1"],
            "has no learning rate",
        ),
        (["train", "clicks.vw", "--learner", "winnow", "--rate", "1"], "outside (0, 1/2)"),
        (["train", "three.svm", "--learner", "winnow", "--loss", "logistic"], "loss of its own"),
        (["train", "years.vw", "--learner", "winnow"], "use BalancedWinnow"),
        (["train", "spam.csv", "--label", "nothing"], "'nothing'"),
        (["train", "clicks.vw", "--learner", "ogd", "--rate", "1e300"], "overflowed"),
        (["predict", "clicks.vw", "--model", "missing"], "missing: No such file"),
        (["predict", "clicks.vw", "--model", "clicks.vw"], "clicks.vw is not a model file"),
        (["inspect", "clicks.vw"], "clicks.vw is not a model file"),
        (["inspect", "missing"], "missing: No such file"),
        (["train", "spam.csv"], "spam.csv: --label is needed: which of the columns name, user"),
        (["train", "live.jsonl"], "live.jsonl: --label is needed"),
        (["train", "unknown.txt"], "give --format one of vw"),
        (
            ["train", "spam.csv", "--label", "spam", "--delimiter", ";;"],
            "--delimiter ';;' must be one",
        ),
        (["train", "binary.vw"], "binary.vw, line 1: the line is not valid UTF-8"),
        (["train", "binary.csv", "--label", "y"], "binary.csv: the first record cannot be read"),
        (["train", "binary.parquet", "--label", "y"], "binary.parquet: "),
        (["experts", "binary.csv", "--target", "y"], "binary.csv: this is not text"),
        (["experts", "ads.csv", "--target", "y"], "ads.csv is a directory; give one of its files"),
        (["experts", "ads.parquet", "--target", "y"], "ads.parquet is a directory"),
        (["experts", "missing.csv", "--target", "y"], "missing.csv: there is no such file"),
        (["game", "binary.csv"], "binary.csv: this is not text"),
        (["game", "ads.csv"], "ads.csv is a directory; give one of its files"),
        (["game", "cut.csv.gz"], "cut.csv.gz"),
        (["predict", "clicks.vw", "--model", "ads"], "ads is a directory, not a model file"),
        (["inspect", "binary.vw"], "binary.vw is not a model file"),
        (
            ["train", "clicks.vw", "--save", "./clicks.vw"],
            "--save ./clicks.vw is a file that is read",
        ),
        (
            ["train", "*.vw", "--passes", "2", "--cache", "clicks.vw"],
            "--cache clicks.vw is a file that is read",
        ),
        (
            ["train", "t.parquet", "--label", "y", "--passes", "2", "--cache", "c"],
            "--cache is for text",
        ),
        (
            ["experts", "spam.csv", "--target", "age", "--forecasts", "spam.csv"],
            "--forecasts spam.csv is a file that is read",
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_1(folder, arguments, message):
    """No traceback, and the file by name."""
    before = (folder / "clicks.vw").read_bytes()
    (folder / "empty.vw").write_text("")
    (folder / "unknown.txt").write_text("1 | a\n")
    (folder / "years.vw").write_text("1 | a:40\n")
    for name in ("binary.vw", "binary.csv", "binary.parquet"):
        (folder / name).write_bytes(bytes(range(255, 0, -1)) * 40)
    (folder / "cut.csv.gz").write_bytes((folder / "clicks.vw.gz").read_bytes()[:-2000])
    for name in ("ads.csv", "ads.parquet"):
        (folder / name).mkdir()
    parquet.write_table(pa.table({"a": [1.0, 2.0], "y": [0, 1]}), "t.parquet")
    (folder / "cut.vw.gz").write_bytes((folder / "clicks.vw.gz").read_bytes()[:-2000])
    quiet = [] if arguments[0] in ("predict", "inspect") else ["--quiet"]
    result = run(*arguments, *quiet, code=1)
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert result.stdout == ""
    assert (folder / "clicks.vw").read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["train"],
        ["forget", "clicks.vw"],
        ["train", "clicks.vw", "--learner", "nobody"],
        ["train", "clicks.vw", "--loss", "nothing"],
        ["train", "clicks.vw", "--format", "doc"],
        ["train", "clicks.vw", "-q", "abc"],
        ["train", "clicks.vw", "--cubic", "a,b"],
        ["train", "clicks.vw", "--holdout", "1"],
        ["train", "clicks.vw", "--passes", "0"],
        ["train", "clicks.vw", "--bits", "32"],
        ["train", "clicks.vw", "--rate", "0"],
        ["train", "clicks.vw", "--cache", "c"],
        ["train", "clicks.vw", "--every", "-1"],
        ["train", "clicks.vw", "--certify", "inf"],
        ["train", "clicks.vw", "--plot", "curve.pdf"],
        ["train", "clicks.vw", "--save", "nowhere/model"],
        ["train", "clicks.vw", "--save", "ads"],
        ["train", "clicks.vw", "--checkpoint", "clicks.vw"],
        ["train", "clicks.vw", "--checkpoint", "clicks.vw/ck"],
        ["predict", "clicks.vw"],
        ["predict", "clicks.vw", "--model", "m", "--raw", "--probabilities"],
        ["inspect", "m", "--top", "0"],
        ["compare", "clicks.vw", "--learners", "coin,nobody"],
        ["compare", "clicks.vw", "--learners", "coin,coin"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(folder, arguments):
    """Found before anything is read."""
    assert "Usage" in run(*arguments, code=2).stderr


def test_debug_shows_where(folder):
    """Only who asks for it sees a traceback."""
    result = process("train", "missing.vw", "--debug")
    assert result.returncode == 1
    assert "Traceback" in result.stderr
    result = process("train", "missing.vw")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: missing.vw: there is no such file\n"


def test_what_was_not_foreseen_is_one_line_too(folder, monkeypatch):
    """With its kind, for who reports it."""

    def broken(self, piece):
        raise RuntimeError("out of order\nvery much")

    monkeypatch.setattr(Training, "take", broken)
    result = run("train", "clicks.vw", *SMALL, code=1)
    assert result.stderr == "error: RuntimeError: out of order very much (--debug shows where)\n"


@pytest.mark.parametrize(
    "options",
    [
        ["train", "clicks.vw", "--save", "m"],
        ["train", "clicks.vw", "--save", "old"],
        ["train", "clicks.vw", "--checkpoint", "ck/further"],
        ["train", "clicks.vw", "--plot", "p.png"],
        ["experts", "spam.csv", "--target", "age", "--weights", "w.csv"],
    ],
    ids=" ".join,
)
def test_a_folder_that_is_read_only(folder, options, monkeypatch):
    """Is found before anything is learned, which could not be kept."""
    (folder / "old").write_text("")
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write anywhere
    shown = " ".join(run(*options, code=2).stderr.replace("│", " ").split())
    assert "you have no permission to write" in shown


def test_a_model_that_may_not_be_read(folder, monkeypatch):
    (folder / "m").write_text("")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    result = run("inspect", "m", code=1)
    assert result.stderr == "error: m: no permission to read it\n"


def test_pipes_and_devices_are_written_to(folder, monkeypatch):
    """As `--weights >(gzip > weights.csv.gz)` of a shell, whoever owns their folder."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    (folder / "load.csv").write_text("load,gam\n1,1.5\n2,2.5\n")
    run("experts", "load.csv", "--target", "load", "--weights", os.devnull, "--quiet")


@pytest.mark.parametrize("command", ["train clicks.vw", "game pay.csv", "inspect m", "--version"])
def test_nobody_listens(folder, command):
    """Standard output is closed before the program starts."""
    (folder / "pay.csv").write_text("0,2\n1,0\n")
    run("train", "clicks.vw", "--save", "m", *SMALL)
    program = f"{sys.executable} -m regretless {command} >&-"
    result = subprocess.run(
        program, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0
    assert "error" not in result.stderr


@pytest.mark.parametrize(
    "command",
    ["train {} --passes 1000", "compare {} {} {} {} {} {} {} {}", "predict {} {} {} {} --model m"],
)
def test_ctrl_c(folder, command):
    """In the middle: one word, and the exit code that shells expect."""
    (folder / "long.vw").write_text((folder / "clicks.vw").read_text() * 300)
    run("train", "clicks.vw", "--save", "m", *SMALL)
    arguments = command.format(*["long.vw"] * 8).split()
    program = [sys.executable, "-u", "-m", "regretless", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # what a shell has started in the background ignores it, and so would the program
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = subprocess.Popen(program, env=ENVIRONMENT, **pipes)
    finally:
        signal.signal(signal.SIGINT, before)
    with started:
        seen = started.stdout if "predict" in command else started.stderr
        assert seen.readline()  # it is at work
        started.send_signal(signal.SIGINT)
        _, shown = started.communicate(timeout=60)
    assert started.returncode == 130
    assert shown.endswith("interrupted\n")
    assert "Traceback" not in shown
