"""`regretless train`: what people type, and what the numbers are."""

import json
import os
import re

import command_line
import pytest
from command_line import SMALL, examples, process, run, run_json, same_weights, trained

from regretless import linear, losses, rules
from regretless.base.state import load
from regretless.linear import Auto, LinearClassifier, PassiveAggressiveRegressor, PrimalDual


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


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
    """`regretless train "ads/*.parquet" --label clicked --certify 1,3 --checkpoint ck/ --every 1e6`."""
    pd = pytest.importorskip("pandas")
    rows = [{"user": f"u{u}", "age": a, "clicked": y} for _, u, _, a, y in examples()]
    pd.DataFrame(rows[:400]).to_parquet("ads/1.parquet")
    pd.DataFrame(rows[400:]).to_parquet("ads/2.parquet")
    command = ["train", "ads/*.parquet", "--label", "clicked", "--certify", "1,3"]
    command += ["--checkpoint", "ck/", "--every", "1e6", *SMALL]
    summary = run_json(*command)
    assert summary["examples"] == 600
    small, large = summary["certificates"]
    assert (small["norm"], large["norm"]) == (1, 3)
    assert small["best_possible"] > large["best_possible"] > 0
    assert large["audited_mean_loss"] == pytest.approx(summary["mean_loss"], rel=1e-9)
    assert os.listdir("ck") == ["checkpoint.safetensors"]
    again = run_json(*command)
    assert again["mean_loss"] == summary["mean_loss"]
    assert again["certificates"] == summary["certificates"]


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


KEYS = {
    "examples": int,
    "skipped": int,
    "passes": int,
    "seconds": float,
    "examples_per_second": float,
    "loss": float,
    "mean_loss": float,
    "error": float,
    "auc": float,
    "holdout_mean_loss": (float, type(None)),
    "certificates": list,
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
    assert [each["norm"] for each in summary["certificates"]] == ([2.0] if options else [])
    assert summary["model"] == ("m" if options else None)


def test_figures_are_those_of_the_library(folder):
    """Loss, error and AUC of predictions made before learning."""
    summary = run_json("train", "clicks.vw", "--exact", "--learner", "adagrad", "--rate", "0.3")
    rule = rules.AdaGrad(rate=0.3, scale_invariant=True)
    scores = trained("clicks.vw", LinearClassifier(rule=rule)).validation
    assert (summary["mean_loss"], summary["error"], summary["auc"]) == (
        scores.mean_loss,
        scores.error,
        scores.auc,
    )


def test_holdout(folder):
    """Every fourth example is scored and not learned."""
    summary = run_json("train", "clicks.vw", "--holdout", "4", "--save", "m", *SMALL)
    training = trained("clicks.vw", holdout=4)
    assert training.held_out.examples == 150
    assert summary["holdout_mean_loss"] == training.held_out.mean_loss
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
    assert summary["mean_loss"] == training.validation.mean_loss  # of the first pass: fresh data
    assert summary["holdout_mean_loss"] == training.held_out.mean_loss  # of the last
    assert (folder / "kept.cache").exists() == bool(cache)
    assert not os.listdir("ads")


@pytest.mark.parametrize("options", [["--exact"], SMALL])
def test_passes_over_names_that_are_not_learned(folder, options):
    """A held-out or weightless example may have names of its own, for which there is no weight."""
    lines = [f"{2 * (t % 2) - 1} {t % 4} |x a:{t} n{t}\n" for t in range(40)]
    (folder / "own.vw").write_text("".join(lines))
    summary = run_json(
        "train", "own.vw", "--passes", "2", "--holdout", "5", "--save", "m", *options
    )
    model = Auto() if "--exact" in options else None
    training = trained("own.vw", model, holdout=5, passes=2)
    assert same_weights(load("m"), training.model)
    assert summary["holdout_mean_loss"] == training.held_out.mean_loss


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
    assert "user|u3 * ad|a2" in run("inspect", "m", "--top", "100").stdout
    run("train", "clicks.vw", "--cubic", "uua", "--exact", "--save", "m")
    assert any(name.count("*") == 2 for name in load("m").weights_)


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


@pytest.mark.parametrize("learner", ["auto", "coin", "newton"])
def test_tau_is_the_quantile(folder, learner):
    """Given to the learner as the library's loss, whose median is the default."""
    command = ["train", "prices.svm", "--loss", "quantile", "--learner", learner, "--exact"]
    high = run_json(*command, "--tau", "0.9", "--save", "m")
    assert load("m").loss == losses.Quantile(0.9)
    assert high["mean_loss"] == trained("prices.svm", load("m").clone()).validation.mean_loss
    plain, half = run_json(*command), run_json(*command, "--tau", "0.5")
    assert plain["loss"] == half["loss"] != high["mean_loss"]


@pytest.mark.parametrize("loss", [[], ["--loss", "absolute"]])
@pytest.mark.parametrize("command", ["train", "compare"])
def test_tau_is_for_the_quantile_loss(folder, command, loss):
    """With another it would do nothing."""
    shown = run(command, "prices.svm", *loss, "--tau", "0.9", code=2).stderr
    assert "--tau is for --loss quantile" in shown
    assert "--tau=1.0 is outside (0, 1)" in run(command, "a.svm", "--tau", "1", code=2).stderr


@pytest.mark.parametrize("command", [["train"], ["compare", "--learners", "coin"]])
def test_the_curve_is_certified_to_its_end(folder, monkeypatch, command):
    """Also if the last piece adds too little to be asked about on its own."""
    once = (folder / "clicks.vw").read_text()
    text = once * (
        1 + (1 << 19) // len(once)
    )  # a piece is half a megabyte: the last is a small one
    (folder / "long.vw").write_text(text)
    drawn = {}
    monkeypatch.setattr("regretless.plots.learning_curves", lambda curves, *_: drawn.update(curves))
    run(*command, "long.vw", "--certify", "3", "--plot", "curve.png", *SMALL)
    (curve,) = drawn.values()
    assert curve.certified_at[-1] == text.count("\n")
    assert curve.certified[-1, 0] > 0


def test_double_precision(folder):
    """`regretless train clicks.vw --precision double`: over passes, from the cache and audited, too."""
    command = ["train", "clicks.vw", "--learner", "coin", "--precision", "double", "--passes", "2"]
    summary = run_json(*command, "--certify", "10", "--save", "clicks.model", *SMALL)
    assert summary["examples"] == 1200
    model = LinearClassifier.load("clicks.model")
    assert (model.precision, model.examples_) == ("double", 1200)
    for learner in ("newton", "primal-dual"):
        refused = run(
            "train", "clicks.vw", "--learner", learner, "--precision", "double", *SMALL, code=1
        )
        assert f"--learner {learner} keeps all but the features in double" in refused.stderr
