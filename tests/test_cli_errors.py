"""What goes wrong on the command line: one line, and an exit code."""

import command_line
import pyarrow as pa
import pytest
from command_line import SMALL, process, run
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
