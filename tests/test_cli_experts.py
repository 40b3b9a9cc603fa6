"""`regretless experts`: every format and option gives what `Mixture` gives, and errors say where."""

import gzip
import json
import math

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import compute as pc
from pyarrow import csv, feather, parquet

from regretless import experts
from regretless.cli.app import app
from regretless.cli.experts import ALGORITHMS
from regretless.experts import Mixture
from regretless.plots.curves import save as picture

NAMES = ["gam", "gbm", "arima"]
ROUNDS = 60


def run(*arguments, code=0):
    """The result of a command that ends with the exit code."""
    result = CliRunner().invoke(app, ["experts", *map(str, arguments)])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def run_json(*arguments):
    return json.loads(run(*arguments, "--json", "--quiet").stdout)


def game(sleep=True):
    """Forecasts, one expert asleep now and then, and targets that are never 0."""
    rng = np.random.default_rng(3)
    y = 5.0 + rng.normal(size=ROUNDS)
    X = y[:, None] + rng.normal(size=(ROUNDS, 3)) * [0.3, 1.0, 2.0]
    if sleep:
        X[7::9, 0] = X[4::11, 2] = np.nan
    return X, y


def save(path, X, y, separator=","):
    """A table whose first column is text; all digits are written, so that nothing is rounded."""

    def text(value):
        return "" if math.isnan(value) else repr(float(value))

    lines = [separator.join(["day", "load", *NAMES[: X.shape[1]]])]
    lines += [
        separator.join([f"d{t}", text(y[t]), *map(text, row)]) for t, row in enumerate(X.tolist())
    ]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the same table in every format."""
    monkeypatch.chdir(tmp_path)
    X, y = game()
    save(tmp_path / "load.csv", X, y)
    save(tmp_path / "load.tsv", X, y, "\t")
    save(tmp_path / "full.csv", *game(sleep=False))
    (tmp_path / "load.csv.gz").write_bytes(gzip.compress((tmp_path / "load.csv").read_bytes()))
    table = pa.table(
        [[f"d{t}" for t in range(ROUNDS)], y, *(pa.array(x, from_pandas=True) for x in X.T)],
        ["day", "load", *NAMES],
    )
    parquet.write_table(table, "load.parquet")
    feather.write_feather(table, "load.feather")
    with pa.ipc.new_stream("load.arrow", table.schema) as file:
        file.write_table(table)
    return tmp_path


# --- what is computed ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet", "feather", "arrow"])
def test_every_format_is_the_same_mixture(folder, suffix):
    """And JSON holds all that `Mixture` knows. Nothing is rounded on the way, so numbers are equal."""
    X, y = game()
    mixed = Mixture(names=NAMES).run(X, y)
    certificate = mixed.after.certificate()
    found = run_json(f"load.{suffix}", "--target", "load")
    assert found.pop("seconds") >= 0
    each = {
        name: {
            "mean_loss": pytest.approx(np.nanmean((x - y) ** 2), rel=1e-12),  # another order
            "rmse": pytest.approx(np.sqrt(np.nanmean((x - y) ** 2)), rel=1e-12),
        }
        for name, x in zip(NAMES, X.T)
    }
    assert found == {
        "rounds": ROUNDS,
        "missing_targets": 0,
        "algorithm": "ada-normal-hedge",
        "loss_name": "squared",
        "loss": mixed.loss,
        "mean_loss": mixed.mean_loss,
        "rmse": mixed.rmse,
        "experts": each,
        "weights": dict(zip(NAMES, mixed.after.weights.tolist())),
        "oracles": {oracle.name: oracle.mean_loss for oracle in mixed.oracles()},
        "certificate": {
            "comparators": certificate.comparators,
            "regret": certificate.regret,
            "bound": certificate.bound,
            "theorem": certificate.theorem,
            "holds": True,
        },
    }


PLAYERS = {
    "ada-normal-hedge": experts.AdaNormalHedge,
    "boa": experts.BOA,
    "ml-poly": experts.MLPoly,
    "ml-prod": experts.AdaptMLProd,
    "hedge": experts.Hedge,
    "squint": experts.Squint,
    "tv": experts.AdaNormalHedgeTV,
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms(folder, algorithm):
    """Each name is its player, and no two of them mix alike."""
    X, y = game(sleep=False)
    found = run_json("full.csv", "--target", "load", "--algorithm", algorithm)
    losses = {name: Mixture(player).run(X, y).loss for name, player in PLAYERS.items()}
    assert found["loss"] == losses[algorithm]
    assert len(set(losses.values())) == len(PLAYERS)
    assert found["certificate"]["regret"] <= found["certificate"]["bound"]


@pytest.mark.parametrize(
    ("options", "keywords", "delay"),
    [
        (["--loss", "absolute"], {"loss": "absolute"}, 0),
        (["--loss", "quantile", "--tau", "0.9"], {"loss": "quantile", "tau": 0.9}, 0),
        (["--loss", "quantile"], {"loss": "quantile"}, 0),
        (["--loss", "percentage"], {"loss": "percentage"}, 0),
        (["--no-gradient"], {"gradient": False}, 0),
        (["--delay", "3"], {}, 3),
    ],
)
def test_options(folder, options, keywords, delay):
    """Each has its effect: the forecasts are not those without it."""
    X, y = game()
    mixed = Mixture(**keywords).run(X, y, delay=delay)
    found = run_json("load.csv", "--target", "load", *options, "--forecasts", "f.csv")
    assert found["loss"] == mixed.loss
    assert found["certificate"]["holds"] == (delay == 0)
    forecasts = csv.read_csv("f.csv").column("forecast").to_numpy()
    assert (forecasts == mixed.forecasts).all()
    assert (forecasts != Mixture().run(X, y).forecasts).any()


def test_log_loss_of_chances(folder):
    """Targets may be true and false."""
    rng = np.random.default_rng(4)
    X, y = rng.uniform(0.1, 0.9, (40, 2)), rng.random(40) < 0.5
    parquet.write_table(pa.table([y, *X.T], ["rain", "a", "b"]), "rain.parquet")
    found = run_json("rain.parquet", "--target", "rain", "--loss", "log")
    assert found["loss"] == Mixture(loss="log").run(X, y).loss


def test_chosen_experts_in_their_order(folder):
    """And only they."""
    X, y = game()
    found = run_json("load.csv", "--target", "load", "--experts", "gbm,gam")
    assert list(found["weights"]) == ["gbm", "gam"]
    assert found["loss"] == Mixture().run(X[:, [1, 0]], y).loss


def test_numbers_are_seen_in_the_whole_file(folder):
    """A column that begins with a megabyte of whole numbers is not one of whole numbers."""
    lines = ["y,a,b", *["1,2,3"] * 200_000, "1,2.5,NA"]
    (folder / "long.csv").write_text("\n".join(lines))
    found = run_json("long.csv", "--target", "y", "--weights", "w.csv")
    assert found["rounds"] == 200_001
    assert csv.read_csv("w.csv").slice(200_000).to_pylist() == [{"a": 1.0, "b": 0.0}]


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan"])
def test_missing_targets(folder, word):
    """They are forecast, not learned, and that is said once."""
    (folder / "some.csv").write_text(f"y,a,b\n1,1,2\n{word},1,3\n2,2,4\n")
    mixed = Mixture().run([[1.0, 2.0], [1.0, 3.0], [2.0, 4.0]], [1.0, np.nan, 2.0])
    result = run("some.csv", "--target", "y", "--json", "--forecasts", "f.csv")
    assert "missing in 1 of 3 rows" in result.stderr
    assert result.stderr.count("\n") == 1
    found = json.loads(result.stdout)
    assert (found["loss"], found["missing_targets"]) == (mixed.loss, 1)
    assert (folder / "f.csv").read_text().splitlines()[2].endswith(",")
    rows = csv.read_csv("f.csv").to_pydict()
    assert rows == {"forecast": mixed.forecasts.tolist(), "target": [1, None, 2]}
    assert run("some.csv", "--target", "y", "--quiet").stderr == ""


def test_experts_that_take_turns_have_few_oracles(folder):
    """Mixtures and sequences cannot be judged if all are never awake together."""
    (folder / "turns.csv").write_text("y,a,b\n1,2,\n2,,3\n")
    oracles = run_json("turns.csv", "--target", "y")["oracles"]
    assert oracles == {"uniform": 1.0, "best expert when awake": 1.0}


# --- what is seen and written ----------------------------------------------------------------------


def test_the_table(folder):
    """A row for the mixture, each expert and each oracle, and a line about the regret."""
    X, y = game(sleep=False)
    mixed = Mixture(names=NAMES).run(X, y)
    result = run("full.csv", "--target", "load")
    rows = {line[:20].strip(): line[20:].split() for line in result.stdout.splitlines()}
    assert rows["mixture"] == [f"{mixed.mean_loss:#.4g}", f"{mixed.rmse:#.4g}"]
    for k, name in enumerate(NAMES):
        loss = np.mean((X[:, k] - y) ** 2)
        weight = mixed.after.weights[k]
        assert rows[name] == [f"{loss:#.4g}", f"{math.sqrt(loss):#.4g}", f"{weight:.3f}"]
    for oracle in mixed.oracles():
        assert rows[oracle.name] == [f"{oracle.mean_loss:#.4g}"]
    certificate = mixed.after.certificate()
    last = result.stdout.splitlines()[-1]
    assert last.startswith(f"regret to the best fixed mixture: {certificate.regret:#.4g}")
    assert f"certified at most {certificate.bound:#.4g} ({certificate.theorem})" in last
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["load.csv"], "regret to the best expert while awake: "),
        (["full.csv", "--no-gradient"], "regret to the best expert: "),
        (["full.csv", "--delay", "2"], "; nothing is certified, as it is not so that targets came"),
        (["full.csv", "--algorithm", "tv"], "certified at most"),
    ],
)
def test_what_is_certified(folder, options, words):
    """In one line, and no more than is so."""
    result = run(*options, "--target", "load", "--quiet")
    assert words in result.stdout
    assert result.stdout.startswith(f"{ROUNDS} rounds, mean loss 0.")
    assert result.stdout.count("\n") == 1
    assert ("certified at most" in result.stdout) == (";" not in words)


def test_files_and_pictures(folder):
    """Weights with a column for each expert; pictures of three kinds."""
    X, y = game()
    run("load.csv", "--target", "load", "--weights", "w.csv", "--quiet")
    table = csv.read_csv("w.csv")
    assert table.column_names == NAMES
    written = np.column_stack([column.to_numpy() for column in table.columns])
    assert (written == Mixture().run(X, y).weights).all()
    mixed = Mixture(names=NAMES).run(X, y)
    drawn = {
        "weights": mixed.plot_weights,
        "residuals": mixed.plot_residuals,
        "oracles": mixed.plot_oracles,
    }
    for kind, draw in drawn.items():
        run("load.csv", "--target", "load", "--plot", "1.png", "--plot-kind", kind, "--quiet")
        picture(draw().figure, "2.png")
        assert (folder / "1.png").read_bytes() == (folder / "2.png").read_bytes()


def test_standard_input_and_delimiters(folder):
    X, y = game()
    save(folder / "semicolons.csv", X, y, ";")
    wanted = {k: v for k, v in run_json("load.csv", "--target", "load").items() if k != "seconds"}
    options = ["--target", "load", "--json", "--quiet"]
    text = (folder / "semicolons.csv").read_text()
    for source, delimiter in (("semicolons.csv", ";"), ("-", ";"), ("-", ",")):
        found = CliRunner().invoke(
            app,
            ["experts", source, "--delimiter", delimiter, *options],
            input=text.replace(";", delimiter),
        )
        assert found.exit_code == 0, found.output
        assert {k: v for k, v in json.loads(found.stdout).items() if k != "seconds"} == wanted
    assert (
        "--delimiter '::' must be one character"
        in run("load.csv", "--target", "load", "--delimiter", "::", code=1).stderr
    )


# --- bad input -------------------------------------------------------------------------------------

GOOD = "y,a,b\n1,2,3\n2,3,4\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (GOOD, ["--target", "z"], "there is no column 'z'; there are y, a, b"),
        ("load,a\n1,2\n", ["--target", "laod"], "'laod'; did you mean 'load'?"),
        (GOOD, ["--target", "y", "--experts", "a,c"], "there is no column 'c'"),
        ("y,a,a\n1,2,3\n", ["--target", "y"], "there are 2 columns 'a'"),
        ("y,day\n1,mon\n", ["--target", "y"], "no column but the target 'y' holds numbers"),
        ("y,a\n1,2\n2,x3\n", ["--target", "y"], "'x3' in the column 'a', row 2, is not a number"),
        ("y,a\n1,NA\n2,x3\n2,4\n", ["--target", "y"], "'x3' in the column 'a', row 2"),
        ("y,a\n1,2\nx3,2\n", ["--target", "y"], "'x3' in the column 'y', row 2, is not a number"),
        ("y,a\n1,mon\n", ["--target", "y", "--experts", "a"], "'mon' in the column 'a', row 1"),
        ("y,a\n1,2020-01-01\n", ["--target", "y", "--experts", "a"], "'a' holds date32[day]"),
        ("y,a,b\n1,2,3\n1,,NA\n", ["--target", "y"], "row 2: all experts are asleep"),
        ("y,a\n1,2\n1,inf\n", ["--target", "y"], "row 2: a number is infinite"),
        ("y,a\n,2\n,3\n", ["--target", "y"], "the target 'y' is missing in all rows"),
        ("y,a\n1,2\n0,3\n", ["--target", "y", "--loss", "percentage"], "row 2: the target is 0"),
        ("y,a\n1,.2\n0,3\n", ["--target", "y", "--loss", "log"], "row 2: --loss log needs"),
        ("y,a\n2,.2\n", ["--target", "y", "--loss", "log"], "row 1: --loss log needs"),
        ("y,a\n1,2\n1,2,3\n", ["--target", "y"], "row 2 has 3 fields, but the header has 2: 1,2,3"),
        ("y,a\n", ["--target", "y"], "there are no rows"),
        ("", ["--target", "y"], "the file is empty"),
    ],
)
def test_bad_tables(folder, text, options, message):
    """One line with the file, and the row where there is one."""
    (folder / "t.csv").write_text(text)
    result = run("t.csv", *options, "--quiet", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize("name", ["no.csv", "t.txt", "t.parquet", "t.arrow", "cut.csv.gz"])
def test_bad_files(folder, name):
    """By name, in one line."""
    for bad in ("t.txt", "t.parquet", "t.arrow"):
        (folder / bad).write_text(GOOD)
    (folder / "cut.csv.gz").write_bytes((folder / "load.csv.gz").read_bytes()[:-500])
    result = run(name, "--target", "y", code=1)
    assert result.stderr.startswith(f"error: {name}: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--target", "load", "--experts", "gam,gam"],
        ["--target", "load", "--experts", "gam,load"],
        ["--target", "load", "--tau", "0.9"],
        ["--target", "load", "--loss", "quantile", "--tau", "1"],
        ["--target", "load", "--loss", "nothing"],
        ["--target", "load", "--algorithm", "nobody"],
        ["--target", "load", "--delay", "-1"],
        ["--target", "load", "--plot", "mix.pdf"],
        ["--target", "load", "--plot-kind", "pie"],
        ["--target", "load", "--forecasts", "nowhere/f.csv"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(folder, options):
    """Found before anything is read."""
    assert "Usage" in run("missing.csv", *options, code=2).stderr


def test_help_teaches():
    """With examples."""
    assert run("--help").stdout.count("regretless experts") >= 3


def test_columns_that_are_no_experts(folder):
    """Dates, booleans and categories are left out by default, and refused by name."""
    table = parquet.read_table("load.parquet")
    when = pa.array(range(ROUNDS), pa.timestamp("s"))
    kind = pa.array(["ab"[t % 2] for t in range(ROUNDS)])
    odd = {"when": when, "on": pc.equal(kind, "a"), "kind": kind.dictionary_encode()}
    for name, column in odd.items():
        table = table.append_column(name, column)
    parquet.write_table(table, "odd.parquet")
    expected = run_json("load.parquet", "--target", "load")
    found = run_json("odd.parquet", "--target", "load")
    assert found["experts"] == expected["experts"]
    for name in odd:
        says = run("odd.parquet", "--target", "load", "--experts", f"gam,{name}", code=1).stderr
        assert "odd.parquet: " in says
        assert f"the column '{name}'" in says
    says = run("odd.parquet", "--target", "when", code=1).stderr
    assert "the column 'when' holds timestamp" in " ".join(says.split())
