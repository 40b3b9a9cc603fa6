"""The command line: as people type it, for people and for machines."""

import gzip
import json
import os
import pty
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from regretless import linear, losses, rules, streams
from regretless.cli.app import app
from regretless.cli.learners import Learner, LossName
from regretless.cli.reading_options import Format
from regretless.evaluate.training import Training
from regretless.linear import Auto, LinearClassifier, PassiveAggressiveRegressor, PrimalDual
from regretless.linear.loading import load
from regretless.streams.reading import FORMATS

HASHED = {"features": "hashed", "bits": 14, "names": 100_000}
SMALL = ["--bits", "14"]


def run(*arguments, code=0, input=None):
    """The result of a command that ends with the exit code."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], input=input)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def run_json(*arguments, **keywords):
    return json.loads(run(*arguments, "--json", "--quiet", **keywords).stdout)


def process(*arguments, **keywords):
    """The real program."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-m", "regretless.cli", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path},
        check=False,
        **{"capture_output": True, "text": True} | keywords,
    )


def examples(count=600):
    rng = random.Random(5)
    for t in range(count):
        user, ad, age = rng.randrange(9), rng.randrange(5), round(rng.random(), 3)
        yield t, user, ad, age, (user * ad + (rng.random() < 0.1)) % 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the same examples in several formats."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ads").mkdir()
    texts = {name: [] for name in ("clicks.vw", "new.vw", "spam.csv", "live.jsonl", "three.svm")}
    texts["prices.svm"] = []
    texts["spam.csv"].append("name,user,age,spam\n")
    for t, user, ad, age, y in examples():
        features = f"|user u{user} age:{age} |ad a{ad}\n"
        texts["clicks.vw"].append(f"{2 * y - 1} {'2.0 ' if t % 5 == 0 else ''}'e{t}{features}")
        texts["new.vw"].append(features)
        texts["spam.csv"].append(f"e{t},u{user},{age},{'spam' if user % 2 else 'ham'}\n")
        row = {"user": f"u{user}", "age": age, "ad": f"a{ad}", "y": bool(y)}
        texts["live.jsonl"].append(json.dumps(row) + "\n")
        texts["three.svm"].append(f"{(user + ad) % 3} {user + 1}:1 {ad + 11}:{age}\n")
        texts["prices.svm"].append(f"{user + age} {user + 1}:1 {ad + 11}:{age}\n")
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "clicks.vw.gz").write_bytes(gzip.compress((tmp_path / "clicks.vw").read_bytes()))
    return tmp_path


def trained(path, model=None, holdout=0, passes=1, **reading):
    """What the library does with the file."""
    training = Training(model or Auto(**HASHED), holdout=holdout)
    for k in range(passes):
        if k:
            training.end_pass()
        for piece in streams.read(path, **reading).pieces(training.model._form()):
            training.take(piece)
    return training


def same_weights(a, b):
    return a.weights_ == b.weights_ and a.intercept_ == b.intercept_


# --- the commands that people type --------------------------------------------------------------


def test_train_needs_no_options(folder):
    """`regretless train clicks.vw.gz --save clicks.model`."""
    result = run("train", "clicks.vw.gz", "--save", "clicks.model")
    for name in ("examples", "seconds", "mean loss", "error", "AUC", "peak memory", "clicks.model"):
        assert name in result.stdout
    assert "600 examples" in result.stderr
    model = Auto.load("clicks.model")
    assert (model.features, model.bits, model.names) == ("hashed", 18, 100_000)
    expected = trained("clicks.vw", Auto(features="hashed", bits=18, names=100_000))
    assert same_weights(model, expected.model)


def test_a_perceptron_on_csv(folder):
    """`regretless train spam.csv --label spam --loss hinge --learner perceptron`."""
    command = ["train", "spam.csv", "--label", "spam", "--loss", "hinge", "--learner", "perceptron"]
    summary = run_json(*command, *SMALL)
    assert (summary["learner"], summary["loss_name"]) == ("perceptron", "perceptron")
    assert summary["examples"] == 600


def test_primal_dual_over_passes(folder):
    """`regretless train clicks.vw --learner primal-dual --rate 0.5 --passes 2`: the rate is C."""
    command = ["train", "clicks.vw", "--learner", "primal-dual", "--rate", "0.5", "--passes", "2"]
    summary = run_json(*command, "--certify", "10", "--save", "clicks.model", *SMALL)
    assert (summary["learner"], summary["loss_name"]) == ("primal-dual", "hinge")
    model = PrimalDual.load("clicks.model")
    assert (model.C, model.update, model.examples_) == (0.5, "aggressive", 1200)
    certificate = model.certificate()
    assert certificate.holds
    assert 0 < certificate.best_possible(10.0) <= certificate.loss


def test_certified_parquet_by_a_pattern(folder):
    """`regretless train "ads/*.parquet" --label clicked --certify 10 --checkpoint ck/ --every 1e6`."""
    pd = pytest.importorskip("pandas")
    rows = [{"user": f"u{u}", "age": a, "clicked": y} for _, u, _, a, y in examples()]
    pd.DataFrame(rows[:400]).to_parquet("ads/1.parquet")
    pd.DataFrame(rows[400:]).to_parquet("ads/2.parquet")
    command = ["train", "ads/*.parquet", "--label", "clicked", "--certify", "10"]
    command += ["--checkpoint", "ck/", "--every", "1e6", *SMALL]
    summary = run_json(*command)
    assert summary["examples"] == 600
    assert summary["certificate"]["norm"] == 10
    assert 0 <= summary["certificate"]["best_possible"] <= summary["loss"]
    assert os.listdir("ck") == ["checkpoint.safetensors"]
    assert run_json(*command)["loss"] == summary["loss"]


def test_predict_inspect_compare(folder):
    """The other commands, in their plainest form."""
    run("train", "clicks.vw", "--save", "clicks.model", *SMALL)
    assert len(run("predict", "new.vw", "--model", "clicks.model").stdout.splitlines()) == 600
    assert "user^u3" in run("inspect", "clicks.model", "--top", "20").stdout
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


def test_standard_input(folder):
    """`cat live.jsonl | regretless train - --format jsonl --label y`."""
    text = (folder / "live.jsonl").read_text()
    piped = run_json("train", "-", "--format", "jsonl", "--label", "y", *SMALL, input=text)
    from_file = run_json("train", "live.jsonl", "--label", "y", *SMALL)
    assert piped["examples"] == 600
    assert piped["loss"] == from_file["loss"]


def test_standard_input_of_the_real_program(folder):
    """A pipe, in several passes."""
    command = ["train", "-", "--format", "vw", "--passes", "2", *SMALL, "--json", "--quiet"]
    with open("clicks.vw") as text:
        result = process(*command, stdin=text)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["examples"] == 1200


# --- what the numbers are -----------------------------------------------------------------------

KEYS = {
    "examples": int,
    "skipped": int,
    "passes": int,
    "seconds": float,
    "examples_per_second": float,
    "loss": float,
    "error": float,
    "auc": float,
    "holdout_loss": (float, type(None)),
    "certificate": (dict, type(None)),
    "peak_rss_mb": float,
    "learner": str,
    "model": (str, type(None)),
}


@pytest.mark.parametrize("options", [[], ["--certify", "2", "--holdout", "4", "--save", "m"]])
def test_json(folder, options):
    """Exactly one object on standard output, with these keys."""
    result = run("train", "clicks.vw", "--json", *options, *SMALL)
    summary = json.loads(result.stdout)
    for name, kind in KEYS.items():
        assert isinstance(summary[name], kind), name
    assert (summary["certificate"] is None) == (not options)
    assert summary["model"] == ("m" if options else None)


def test_figures_are_those_of_the_library(folder):
    """Loss, error and AUC of predictions made before learning."""
    summary = run_json("train", "clicks.vw", "--exact", "--learner", "adagrad", "--rate", "0.3")
    scores = trained("clicks.vw", LinearClassifier(rule="adagrad", rate=0.3)).validation
    assert (summary["loss"], summary["error"], summary["auc"]) == (
        scores.loss,
        scores.error,
        scores.auc,
    )


def test_holdout(folder):
    """Every fourth example is scored and not learned."""
    summary = run_json("train", "clicks.vw", "--holdout", "4", "--save", "m", *SMALL)
    training = trained("clicks.vw", holdout=4)
    assert training.held_out.examples == 150
    assert summary["holdout_loss"] == training.held_out.loss
    assert summary["examples"] == 600
    assert load("m").examples_ == 450


@pytest.mark.parametrize("features", [SMALL, ["--exact"]])
@pytest.mark.parametrize("cache", [[], ["--cache", "kept.cache"]])
def test_passes(folder, cache, features, monkeypatch):
    """Later passes learn what the first has learned from; a cache stays only if it was named."""
    monkeypatch.setenv("TMPDIR", str(folder / "ads"))
    command = ["train", "clicks.vw", "--passes", "3", "--holdout", "5", "--save", "m"]
    summary = run_json(*command, *cache, *features)
    training = trained(
        "clicks.vw",
        Auto() if "--exact" in features else None,
        holdout=5,
        passes=3,
    )
    assert same_weights(load("m"), training.model)
    assert (summary["examples"], summary["passes"]) == (1800, 3)
    assert summary["loss"] == training.validation.loss  # of the first pass: fresh data
    assert summary["holdout_loss"] == training.held_out.loss  # of the last
    assert (folder / "kept.cache").exists() == bool(cache)
    assert not os.listdir("ads")


def test_skip_bad(folder):
    """Bad lines stop the program, or are counted."""
    text = (folder / "clicks.vw").read_text()
    (folder / "bad.vw").write_text(f"no label |a b\n{text}1 |a b:x\n")
    result = run("train", "bad.vw", *SMALL, code=1)
    assert re.search(r"^error: bad.vw, line 1: ", result.stderr, re.M)
    summary = run_json("train", "bad.vw", "--skip-bad", *SMALL)
    assert (summary["examples"], summary["skipped"]) == (600, 2)
    assert "skipped bad lines" in run("train", "bad.vw", "--skip-bad", *SMALL).stdout


def test_files_of_bad_lines_alone(folder):
    """Are skipped as a whole, in every pass and in predictions."""
    (folder / "bad1.vw").write_text("no label |a b\n" * 3)
    (folder / "bad2.vw").write_text("1 |a b:x\n")
    sources = ["bad1.vw", "clicks.vw", "bad2.vw", "--skip-bad"]
    summary = run_json("train", *sources, "--passes", "2", "--save", "m", *SMALL)
    assert (summary["examples"], summary["skipped"]) == (1200, 4)
    assert same_weights(load("m"), trained("clicks.vw", passes=2).model)
    predicted = run("predict", "clicks.vw", "bad2.vw", "--skip-bad", "--model", "m").stdout
    assert predicted == run("predict", "clicks.vw", "--model", "m").stdout
    result = run("train", "bad1.vw", "--skip-bad", *SMALL, code=1)
    assert "there are no examples" in result.stderr


def test_numbers_that_are_not_whole_make_it_regression(folder):
    """Unless a loss says otherwise; the summary tells."""
    result = run("train", "prices.svm", "--save", "m", "--exact")
    assert "regression" in result.stdout
    assert "not all whole" in result.stdout
    assert same_weights(load("m"), trained("prices.svm", Auto(loss="squared")).model)
    run("train", "prices.svm", "--learner", "pa", "--save", "m", "--exact", "--quiet")
    assert isinstance(load("m"), PassiveAggressiveRegressor)
    whole = run_json("train", "three.svm", "--loss", "squared", "--exact")
    assert (whole["task"], whole["auc"]) == ("regression", None)
    assert run_json("train", "three.svm", "--exact")["task"] == "classification"


def test_interactions(folder):
    """One letter or a name for each namespace."""
    letters = run_json("train", "clicks.vw", "-q", "ua", "--exact", "--save", "m")
    names = run_json("train", "clicks.vw", "-q", "user,ad", "--exact")
    assert letters["loss"] == names["loss"] < run_json("train", "clicks.vw", "--exact")["loss"]
    assert "user^u3*ad^a2" in run("inspect", "m", "--top", "100").stdout
    run("train", "clicks.vw", "--cubic", "uua", "--exact", "--save", "m")
    assert any(name.count("*") == 2 for name in load("m").weights_)


# --- predictions --------------------------------------------------------------------------------


def test_predictions_are_those_of_the_model(folder):
    """Labels, probabilities and scores, each with the example's tag."""
    run("train", "clicks.vw", "-q", "ua", "--save", "m", *SMALL)
    model = load("m")
    (piece,) = streams.read("clicks.vw", interactions=["ua"]).pieces(model._form())
    batch = piece.X
    expected = {
        None: [f"{label:g}" for label in model.predict(batch).tolist()],
        "--probabilities": [f"{p:g}" for p in model.predict_proba(batch)[:, 1].tolist()],
        "--raw": [f"{score:g}" for score in model.decision_function(batch).tolist()],
    }
    for option, lines in expected.items():
        options = [] if option is None else [option]
        # the interactions come from the model's file
        tagged = run("predict", "clicks.vw", "--model", "m", *options).stdout.splitlines()
        assert tagged == [f"{line} e{t}" for t, line in enumerate(lines)]
        # without labels and tags
        assert run("predict", "new.vw", "--model", "m", *options).stdout.splitlines() == lines


def test_three_labels(folder):
    """One probability for each."""
    run("train", "three.svm", "--save", "m", "--exact")
    model = load("m")
    (piece,) = streams.read("three.svm").pieces(model._form())
    line = run("predict", "three.svm", "--model", "m", "--probabilities").stdout.splitlines()[7]
    parts = dict(part.split(":") for part in line.split(","))
    assert list(parts) == [f"{label:g}" for label in model.classes_.tolist()]
    np.testing.assert_allclose(
        [float(p) for p in parts.values()], model.predict_proba(piece.X)[7], rtol=1e-5
    )
    raw = run("predict", "three.svm", "--model", "m", "--raw").stdout.splitlines()
    assert len(raw) == 600
    assert raw[0].count(":") == 3
    found = json.loads(run("inspect", "m", "--json", "--top", "2").stdout)
    assert [each["label"] for each in found["features"]] == [
        label for label in found["labels"] for _ in range(2)
    ]
    assert "label 2" in run("inspect", "m").stdout


def test_predictions_of_a_regressor(folder):
    """Numbers, and no probabilities."""
    run("train", "prices.svm", "--save", "m", "--exact")
    (piece,) = streams.read("prices.svm").pieces(load("m")._form())
    expected = [f"{each:g}" for each in load("m").predict(piece.X).tolist()]
    assert run("predict", "prices.svm", "--model", "m").stdout.splitlines() == expected
    result = run("predict", "prices.svm", "--model", "m", "--probabilities", code=1)
    assert "no probabilities" in result.stderr


def test_a_model_remembers_its_columns(folder):
    """New examples are read like those of the training: the label is no feature."""
    run("train", "spam.csv", "--label", "spam", "--tag", "name", "--save", "m", *SMALL)
    assert not any("spam" in str(name) for name in load("m").weights_)
    lines = run("predict", "spam.csv", "--model", "m").stdout.splitlines()
    assert lines[1].split()[1] == "e1"
    assert {line.split()[0] for line in lines} == {"spam", "ham"}


def test_new_examples_have_no_column_of_labels(folder):
    """Which the model's file names."""
    run("train", "spam.csv", "--label", "spam", "--ignore", "name", "--save", "m", *SMALL)
    expected = run("predict", "spam.csv", "--model", "m").stdout
    lines = (folder / "spam.csv").read_text().splitlines()
    (folder / "new.csv").write_text("\n".join(line.rpartition(",")[0] for line in lines) + "\n")
    assert run("predict", "new.csv", "--model", "m").stdout == expected


def test_models_saved_in_python(folder):
    """Are read too."""
    trained("clicks.vw").model.save("m")
    assert run("predict", "clicks.vw", "--model", "m").stdout.count("\n") == 600


def test_who_reads_our_output_may_stop(folder):
    """As `head` does."""
    (folder / "long.vw").write_text((folder / "clicks.vw").read_text() * 50)
    run("train", "clicks.vw", "--save", "m", *SMALL)
    program = f"{sys.executable} -m regretless.cli predict long.vw --model m | head -1"
    path = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    result = subprocess.run(
        program, shell=True, env=path, capture_output=True, text=True, check=False
    )
    assert result.stdout.endswith("e0\n")
    assert result.stderr == ""


# --- what a model is ----------------------------------------------------------------------------


def test_inspect(folder):
    """The strongest features by name, the strongest first."""
    run("train", "clicks.vw", "--save", "m", *SMALL)
    found = json.loads(run("inspect", "m", "--json", "--top", "5", "--plot", "w.svg").stdout)
    model = load("m")
    strongest = sorted(model.weights_.items(), key=lambda item: -abs(item[1]))[:5]
    assert [(each["name"], each["weight"]) for each in found["features"]] == strongest
    assert (found["class"], found["examples"]) == ("AutoClassifier", 600)
    assert found["labels"] == [-1, 1]
    assert found["mean_loss"] == pytest.approx(model.loss_ / model.weight_)
    assert (folder / "w.svg").read_text().startswith("<?xml")
    assert "speaks for 1" in run("inspect", "m").stdout


def test_names_that_are_not_remembered(folder):
    """Are shown as rows."""
    run("train", "clicks.vw", "--names", "0", "--save", "m", *SMALL)
    names = [each["name"] for each in json.loads(run("inspect", "m", "--json").stdout)["features"]]
    assert all(re.fullmatch(r"#\d+", name) for name in names)
    run("train", "three.svm", "--loss", "squared", "--save", "m", *SMALL)
    names = [each["name"] for each in json.loads(run("inspect", "m", "--json").stdout)["features"]]
    assert set(names) <= {str(column) for column in range(1, 17)}


NAMED = {
    "perceptron": lambda **o: linear.Perceptron(rate=0.125, **o),
    "winnow": lambda **o: linear.Winnow(rate=0.125, **o),
    "balanced-winnow": lambda **o: linear.BalancedWinnow(rate=0.125, **o),
    "svm": lambda **o: linear.OnlineSVM(C=0.125, **o),
    "pa": lambda **o: linear.PassiveAggressive(C=0.125, **o),
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("exact", [False, True])
def test_learners_with_names_of_their_own(folder, name, exact):
    """`--rate` is the rate, or C; Winnow, which has no intercept, reads the same examples."""
    command = ["train", "clicks.vw", "--learner", name, "--rate", "0.125", "--save", "m"]
    summary = run_json(*command, *(["--exact"] if exact else []))
    kind = {"features": "exact" if exact else "hashed", "bits": 18, "names": 100_000}
    expected = trained("clicks.vw", NAMED[name](**kind)).model
    assert same_weights(load("m"), expected)
    assert summary["learner"] == name


# --- comparing ----------------------------------------------------------------------------------


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


# --- what goes wrong ----------------------------------------------------------------------------


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
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_bad_input_is_one_line_and_exit_code_1(folder, arguments, message):
    """No traceback, and the file by name."""
    (folder / "empty.vw").write_text("")
    (folder / "unknown.txt").write_text("1 | a\n")
    (folder / "years.vw").write_text("1 | a:40\n")
    (folder / "cut.vw.gz").write_bytes((folder / "clicks.vw.gz").read_bytes()[:-2000])
    quiet = [] if arguments[0] in ("predict", "inspect") else ["--quiet"]
    result = run(*arguments, *quiet, code=1)
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert result.stdout == ""


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


# --- what is seen -------------------------------------------------------------------------------


def test_quiet(folder):
    """One line, and nothing on standard error."""
    result = run("train", "clicks.vw", "--quiet", "--save", "m", *SMALL)
    assert result.stdout.count("\n") == 1
    assert re.match(r"600 examples, loss 0\.\d+, error .*%, AUC .*, saved to m$", result.stdout)
    assert result.stderr == ""


@pytest.mark.parametrize("source", ["clicks.vw", "clicks.vw.gz"])
def test_the_bar_on_a_terminal(folder, source):
    """It lives on standard error, and leaves standard output to the result."""
    main, terminal = pty.openpty()
    options = ["--json", "--certify", "3", "--passes", "2", *SMALL]
    wide = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "120"}
    command = [sys.executable, "-m", "regretless.cli", "train", source, *options]
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
        "import regretless.cli; assert 'typer' not in sys.modules and 'rich' not in sys.modules\n"
        "try: regretless.cli.main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'pyarrow', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    result = subprocess.check_output([sys.executable, "-c", code], env=path, text=True)
    assert result.endswith("[]\n")


def test_options_are_those_of_the_library():
    """Formats, rules and losses."""
    assert {each.value for each in Format} == set(FORMATS)
    own = {
        "auto",
        "perceptron",
        "margin-perceptron",
        "pnorm-perceptron",
        "winnow",
        "balanced-winnow",
    }
    own |= {"pa", "svm", "primal-dual", "newton", "boost"}
    assert {each.value for each in Learner} - own == set(rules._RULES)
    names = {losses.get(each.value).name for each in LossName}
    assert names == {each.value for each in LossName}
    classify = [losses.get(each.value).classification for each in LossName]
    assert classify == sorted(classify, reverse=True)
