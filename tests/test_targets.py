"""Labels that are numbers with many values are targets: nobody trains classes on them unasked."""

import dataclasses
import random

import pytest
from command_line import process, run, run_json

from regretless import evaluate, streams
from regretless.base.state import load
from regretless.cli.learners import check_features, first_labels
from regretless.evaluate.validation import FirstLabels
from regretless.linear import LinearClassifier, LinearRegressor


def table(path, prices, header="rooms,price\n"):
    rng = random.Random(3)
    path.write_text(header + "".join(f"{rng.randrange(1, 9)},{price}\n" for price in prices))


PRICES = [200_000 + 137 * t for t in range(3000)]
STOPS = "the labels are numbers with many values (200000, 200137, 200274, ...)"
WAYS = "--loss squared predicts a number, --classes makes a label of each"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "price.csv", PRICES)
    return tmp_path


@pytest.mark.parametrize("command", ["train", "compare"])
def test_whole_numbers_with_many_values_stop_the_command(folder, command):
    """With three of them, and both ways on."""
    said = run(command, "price.csv", "--label", "price", code=1).stderr
    assert said.startswith(f"error: {STOPS}: {WAYS}")
    assert said.count("\n") == 1


def test_both_ways_on(folder):
    squared = ["price.csv", "--label", "price", "--loss", "squared"]
    assert run_json("train", *squared)["task"] == "regression"
    assert run_json("compare", *squared, "--learners", "coin,pa")["learners"][0]["examples"] == 3000
    table(folder / "few.csv", PRICES[:60])
    classes = ["few.csv", "--label", "price", "--classes", "--learner", "coin", "--exact"]
    assert run_json("train", *classes, "--save", "m")["task"] == "classification"
    assert len(load("m").classes_) == 60
    compared = ["few.csv", "--label", "price", "--classes", "--learners", "coin"]
    assert run_json("compare", *compared)["learners"][0]["task"] == "classification"


def test_a_loss_of_classification_says_it_too(folder):
    table(folder / "few.csv", PRICES[:60])
    given = ["few.csv", "--label", "price", "--loss", "logistic", "--learner", "coin", "--exact"]
    assert run_json("train", *given)["task"] == "classification"


def test_both_at_once_is_refused(folder):
    given = ["price.csv", "--label", "price", "--loss", "squared", "--classes"]
    assert "--classes" in run("train", *given, code=1).stderr


@pytest.mark.parametrize(("count", "stops"), [(20, False), (21, True)])
def test_more_than_twenty(folder, count, stops):
    """Whole numbers with few values are labels, as in VW's multi-class files."""
    table(folder / "few.csv", [t % count for t in range(900)])
    given = ["train", "few.csv", "--label", "price", "--learner", "coin", "--exact", "--quiet"]
    assert ("many values" in run(*given, code=int(stops)).stderr) == stops


def test_only_the_first_thousand_count(folder):
    table(folder / "late.csv", [t % 5 for t in range(1000)] + list(range(30)))
    given = ["late.csv", "--label", "price", "--learner", "coin", "--exact", "--save", "m"]
    run("train", *given)
    assert len(load("m").classes_) == 30


def test_vw_and_texts_that_look_like_numbers(folder):
    (folder / "price.vw").write_text("".join(f"{price} | rooms:3\n" for price in PRICES[:50]))
    assert STOPS in run("train", "price.vw", code=1).stderr
    lines = "".join(f'{{"y": "{price}", "rooms": 3}}\n' for price in PRICES[:50])
    (folder / "texts.jsonl").write_text(lines)
    given = ["texts.jsonl", "--label", "y", "--learner", "coin", "--exact"]
    assert run_json("train", *given)["task"] == "classification"


def test_standard_input_in_small_pieces(folder):
    """What is decided does not depend on how the bytes arrive."""
    text = (folder / "price.csv").read_text()
    given = ["train", "-", "--format", "csv", "--label", "price"]
    assert STOPS in process(*given, input=text).stderr
    slowly = "import sys,time\nfor l in open('price.csv').readlines()[:40]:\n"
    slowly += "    print(l, end='', flush=True); time.sleep(0.002)"
    import subprocess
    import sys

    from command_line import ENVIRONMENT

    said = subprocess.run(
        f'{sys.executable} -c "{slowly}" | {sys.executable} -m regretless {" ".join(given)}',
        shell=True,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert STOPS in said.stderr


def test_numbers_that_are_not_whole_are_predicted_even_if_they_come_late(folder):
    """Among the first thousand: the first piece of a stream may be a single line."""
    table(folder / "half.csv", [3] * 700 + [2.5, 3.5])
    text = (folder / "half.csv").read_text()
    given = ["train", "-", "--format", "csv", "--label", "price", "--quiet", "--json"]
    assert '"regression"' in process(*given, input=text).stdout


def test_learners_that_only_classify(folder):
    said = run("train", "price.csv", "--label", "price", "--learner", "perceptron", code=1).stderr
    assert "--learner coin --loss squared predicts a number, --classes makes a label" in said


def test_going_on_with_a_model(folder):
    """A classifier is not given targets either; one of many numbers may go on."""
    table(folder / "few.csv", [t % 3 for t in range(90)])
    run("train", "few.csv", "--label", "price", "--exact", "--learner", "coin", "--save", "m")
    said = run("train", "price.csv", "--from", "m", code=1).stderr
    assert "many values (200000, 200137, 200274, ...)" in said
    assert "m holds a LinearClassifier" in said
    assert "--classes" in said

    table(folder / "some.csv", PRICES[:40])
    some = ["some.csv", "--label", "price", "--exact", "--learner", "coin", "--classes"]
    run("train", *some, "--save", "m")
    table(folder / "more.csv", PRICES[40:80])
    run("train", "more.csv", "--from", "m", "--save", "m")  # it was said once
    assert len(load("m").classes_) == 80

    run("train", "some.csv", "--label", "price", "--loss", "squared", "--save", "r")
    run("train", "more.csv", "--from", "r", "--save", "r")


def test_a_checkpoint_keeps_what_was_decided(folder):
    table(folder / "some.csv", PRICES[:40])
    given = ["some.csv", "--label", "price", "--exact", "--learner", "coin", "--checkpoint", "ck"]
    assert "many values" in run("train", *given, code=1).stderr
    first = run_json("train", *given, "--classes")
    assert run_json("train", *given, "--classes")["error"] == first["error"]
    assert "another command (classes differ)" in run("train", *given, code=1).stderr


# --- in Python ---------------------------------------------------------------------------------------


def pairs(targets):
    return [({"rooms": float(t % 7)}, y) for t, y in enumerate(targets)]


HALVES = [t + 0.5 for t in range(40)]


@pytest.mark.parametrize("delay", [0, 3])
def test_progressive_refuses_a_classifier_for_targets(delay):
    with pytest.raises(ValueError, match=r"\(0.5, 1.5, 2.5, \.\.\.\).*Regressor.*str"):
        evaluate.progressive(LinearClassifier(), pairs(HALVES), delay=delay)


def test_whoever_chooses_a_classifier_means_whole_numbers_as_labels():
    """Only numbers that are not whole give it away; so do texts, few values, regressors."""
    report = evaluate.progressive(LinearClassifier(), pairs(range(40)))
    assert report.examples == 40
    assert evaluate.progressive(LinearClassifier(), pairs(map(str, HALVES))).examples == 40
    assert evaluate.progressive(LinearClassifier(), pairs([0.5, 1.5] * 40)).examples == 80
    assert evaluate.progressive(LinearRegressor(), pairs(HALVES)).examples == 40


def test_foreign_classifiers():
    from river import linear_model
    from sklearn.linear_model import SGDClassifier

    for model in (linear_model.LogisticRegression(), SGDClassifier(loss="log_loss")):
        with pytest.raises(ValueError, match="many values"):
            evaluate.progressive(model, pairs(HALVES))
    with pytest.raises(ValueError, match="many values"):
        evaluate.progressive(LinearClassifier(), streams.read(pairs(HALVES)))


def test_first_labels():
    labels = FirstLabels()
    labels.add([True, False, "yes"])
    assert not labels.are_numbers
    labels = FirstLabels()
    labels.add(range(990))
    assert labels.are_numbers
    assert labels.are_whole
    assert labels.are_many
    assert not labels.enough
    labels.add([0.5] * 20)
    assert labels.enough
    assert not labels.are_whole


def test_of_bad_lines_without_end_only_the_newest_place_is_held():
    """Before the first example, and before the first that the model knows."""
    (piece,) = streams.read([({"a": 1.0}, "yes"), ({"a": 2.0}, "no")]).pieces()
    (nothing,) = streams.read([({"a": 1.0}, "yes")]).pieces()
    nothing = dataclasses.replace(nothing, X=nothing.X[:0], y=nothing.y[:0])
    model = LinearClassifier()
    model.learn_many(piece.X, piece.y)
    many = [nothing] * 50 + [piece]
    _, pieces = first_labels(iter(many), None, decided=True)
    assert [len(each) for each in pieces] == [2]
    known = check_features(iter([nothing] * 50), model, named=False, strict=False)
    assert [len(each) for each in known] == [0]
