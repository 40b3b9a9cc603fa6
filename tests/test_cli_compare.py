"""`regretless compare`: several learners in one pass."""

import command_line
import pytest
from command_line import SMALL, run, run_json

from regretless import streams
from regretless.cli.learners import Learner


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


def test_compare_is_separate_trainings_in_one_pass(folder, monkeypatch):
    """The files are read once."""
    learners = [each.value for each in Learner]
    alone = {name: run_json("train", "clicks.vw", "--learner", name, *SMALL) for name in learners}
    read = []
    pieces = streams.text.TextStream.pieces
    monkeypatch.setattr(
        streams.text.TextStream,
        "pieces",
        lambda self, *a, **k: read.append(1) or pieces(self, *a, **k),
    )
    together = run_json("compare", "clicks.vw", "--learners", ",".join(learners), *SMALL)[
        "learners"
    ]
    assert len(read) == 1
    assert [each["loss"] for each in together] == sorted(each["loss"] for each in together)
    for each in together:
        for name in ("loss", "error", "auc", "loss_name", "examples"):
            assert each[name] == alone[each["learner"]][name]


def test_compare_regressors(folder):
    """The perceptron is left out; curves are of the squared error."""
    result = run("compare", "prices.svm", "--plot", "c.svg", "--exact")
    assert "perceptron only classifies" in result.stderr
    assert "root mean" in result.stdout
    assert (folder / "c.svg").exists()
    one_loss = run("compare", "prices.svm", "--learners", "coin,ogd", "--loss", "absolute", *SMALL)
    assert "absolute" in one_loss.stdout
    assert "cannot be compared" not in one_loss.stdout
    run("compare", "prices.svm", "--learners", "perceptron", code=1)
