"""`regretless game`: every format and option gives what `solve` gives, and errors say where."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from regretless.cli.app import app
from regretless.cli.game import read_payoffs
from regretless.games import solve

GOALS = np.array([[0.58, 0.95], [0.93, 0.70]])  # a penalty: where it goes, where the keeper jumps


def run(*arguments, code=0, stdin=None):
    """The result of a command that ends with the exit code."""
    result = CliRunner().invoke(app, ["game", *map(str, arguments)], input=stdin)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "kick,left,right\nnear,0.58,0.95\nfar,0.93,0.7\n"
    (tmp_path / "goals.csv").write_text(text)
    (tmp_path / "goals.tsv").write_text(text.replace(",", "\t"))
    (tmp_path / "semicolons.csv").write_text(text.replace(",", " ; ") + "\n")
    (tmp_path / "goals.csv.gz").write_bytes(gzip.compress(text.encode()))
    columns = [["near", "far"], GOALS[:, 0], GOALS[:, 1]]
    parquet.write_table(pa.table(columns, ["kick", "left", "right"]), "goals.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["goals.csv", "goals.tsv", "goals.csv.gz", "goals.parquet"])
def test_every_format_is_the_same_game(folder, name):
    found = json.loads(run(name, "--json").stdout)
    eq = solve(GOALS)
    assert found["value"] == eq.value
    assert (found["lower"], found["upper"], found["gap"]) == (eq.lower, eq.upper, eq.gap)
    assert found["row"] == dict(zip(["near", "far"], eq.row))
    assert found["column"] == {k: p for k, p in zip(["left", "right"], eq.column) if p > 0}
    assert found["converged"]
    assert found["certificate"]["holds"]
    assert found["certificate"]["gap"] <= found["certificate"]["gap_bound"]


def test_options_are_those_of_solve(folder):
    found = json.loads(
        run(
            "semicolons.csv", "--delimiter", ";", "--row-maximises", "--method", "hedge",
            "--rounds", 500, "--no-polish", "--tolerance", 1e-3, "--json",
        ).stdout
    )  # fmt: skip
    eq = solve(GOALS, row_maximises=True, method="hedge", rounds=500, polish=False, tolerance=1e-3)
    for name in ("value", "gap", "rounds", "method", "polished", "converged", "tolerance"):
        assert found[name] == getattr(eq, name), name


def test_the_tables_and_the_picture(folder):
    shown = run("goals.csv", "--row-maximises", "--tolerance", "1e-9", "--plot", "gap.png").stdout
    assert "what the row player wins" in shown
    assert "certainly between 0.7958" in shown
    assert "near" in shown
    assert "0.38333" in shown
    assert (folder / "gap.png").stat().st_size > 1000
    assert "what the row player loses" in run("goals.csv").stdout
    assert run("goals.csv", "--quiet").stdout.startswith("value 0.7958")


def test_no_tolerance_reached_and_no_rounds_needed(folder):
    result = run("goals.csv", "--rounds", 2, "--no-polish")
    assert "is above the tolerance" in result.stderr
    (folder / "saddle.csv").write_text("1,2\n3,4\n")
    result = run("saddle.csv", "--plot", "gap.png")
    assert "a saddle point" in result.stdout
    assert "is not drawn" in result.stderr
    found = json.loads(run("saddle.csv", "--json").stdout)
    assert found["value"] == 2.0
    assert found["row"] == {"1": 1.0}
    assert found["certificate"]["gap"] is None


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("1,2\n3,4\n", ["1", "2"], ["1", "2"]),
        ("a,b\n1,2\n3,4\n", ["1", "2"], ["a", "b"]),
        ("x,1,2\ny,3,4\n", ["x", "y"], ["1", "2"]),
        (",a,b\nx,1,2\ny,3,4\n", ["x", "y"], ["a", "b"]),
        (",a,b\n2019,1,2\n2020,3,4\n", ["2019", "2020"], ["a", "b"]),
        ('"a, or b",c\n 1 , 2\r\n\n3,4', ["1", "2"], ["a, or b", "c"]),
        ("\ufeffa,b\n1,2\n3,4\n", ["1", "2"], ["a", "b"]),
    ],
)
def test_names(tmp_path, text, rows, columns):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    table = read_payoffs(str(path))
    assert (table.rows, table.columns) == (rows, columns)
    assert table.payoffs.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_standard_input():
    assert json.loads(run("-", "--json", stdin="0,2\n1,0\n").stdout)["value"] == pytest.approx(
        2 / 3
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no rows"),
        ("a,b\n", "there are no rows"),
        ("1,2\n3\n", "row 2 has 1 fields, but the first has 2"),
        ("1,x\n3,4\n", "row '1', column '2': 'x' is not a payoff"),
        ("1,2\n3,nan\n", "row '2', column '2': 'nan' is not a payoff"),
        ("1,2\n,4\n", "row '2', column '1': '' is not a payoff"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("x,1\nx,2\n", "two rows are called 'x'"),
        ("x\ny\n", "there are no columns of payoffs"),
    ],
)
def test_bad_tables(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert message in run(path, code=1).stderr


def test_bad_files_and_options(folder):
    assert "there is no such file" in run("none.csv", code=1).stderr
    assert "tells no format" in run("goals.txt", code=1).stderr
    (folder / "binary.csv").write_bytes(b"\xff\xfe\x00")
    assert "this is not text" in run("binary.csv", code=1).stderr
    assert "must be one character" in run("goals.csv", "--delimiter", "ab", code=1).stderr
    run("goals.csv", "--tolerance", 0, code=2)
    run("goals.csv", "--rounds", 0, code=2)
    run("goals.csv", "--method", "simplex", code=2)
