"""`regretless bandit`: every method and form of policy gives what `off_policy` gives."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from regretless.bandits import (
    UCB1,
    EpsilonGreedyLearner,
    Exp3,
    LinUCB,
    ThompsonSampling,
    TsallisINF,
)
from regretless.bandits.off_policy import Log, evaluate
from regretless.cli.app import app
from regretless.linear import LinearRegressor

ROWS, NAMES = 300, ["buy", "hold", "sell"]
METHODS = ["replay", "ips", "snips", "dr"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["bandit", *map(str, arguments)])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def run_json(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def game():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 2))
    actions = random.integers(3, size=ROWS)
    rewards = np.clip(X[:, 0] * (actions - 1) / 2 + 0.5, 0, 1)
    return X, actions, rewards, random.integers(3, size=ROWS), random.dirichlet([1, 1, 1], ROWS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, actions, rewards, choice, mixed = game()
    header = ["a", "number", "r", "p", "x1", "x2", "choice", *NAMES]
    lines = [",".join(header)]
    for t in range(ROWS):
        numbers = [rewards[t], 1 / 3, *X[t]]
        lines.append(
            ",".join(
                [
                    NAMES[actions[t]],
                    str(actions[t]),
                    *(repr(float(v)) for v in numbers),
                    NAMES[choice[t]],
                    *(repr(float(v)) for v in mixed[t]),
                ]
            )
        )
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    columns = [list(map(NAMES.__getitem__, actions)), actions, rewards, np.full(ROWS, 1 / 3)]
    columns += [*X.T, list(map(NAMES.__getitem__, choice)), *mixed.T]
    parquet.write_table(pa.table(columns, header), "log.parquet")
    return tmp_path


LOGGED = ("--action", "a", "--reward", "r")
FULL = (*LOGGED, "--propensity", "p")


def log():
    X, actions, rewards, _, _ = game()
    return Log(actions, rewards, np.full(ROWS, 1 / 3), X, n=3)


def same(found, expected):
    assert found["value"] == pytest.approx(expected.value, rel=1e-12)
    if expected.holds is False:  # then there is none
        assert found["interval"] == [None, None]
    else:
        np.testing.assert_allclose(found["interval"], expected.interval, rtol=1e-12)
    assert found["effective_sample_size"] == pytest.approx(expected.effective_sample_size)
    assert found["assumptions"] == expected.assumptions
    assert found["holds"] == expected.holds


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_the_library_s(folder, method, suffix):
    more = ("--context", "x1,x2") if method in ("replay", "dr") else ()
    found = run_json(method, f"log.{suffix}", *FULL, *more, "--policy", "choice")
    assert (found["method"], found["rows"]) == (method, ROWS)
    same(found["policies"]["policy"], evaluate(log(), game()[3], method))


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_probabilities_are_columns_named_like_actions(folder, method):
    found = run_json(method, "log.csv", *FULL, "--policy", "sell,buy,hold", "--confidence", 0.8)
    expected = Log(log().actions, log().rewards, log().propensities, n=3)
    same(found["policies"]["policy"], evaluate(expected, game()[4], method, confidence=0.8))


@pytest.mark.parametrize("method", METHODS)
def test_without_a_policy_every_action_is_one(folder, method):
    found = run_json(method, "log.csv", *FULL)["policies"]
    assert list(found) == ["always buy", "always hold", "always sell"]
    plain = Log(log().actions, log().rewards, log().propensities, n=3)
    for arm, name in enumerate(found):
        same(found[name], evaluate(plain, arm, method))
    assert (
        run_json(method, "log.csv", "--action", "number", *FULL[2:])["policies"]["always 2"]
        == found["always sell"]
    )


@pytest.mark.parametrize("learner", ["lin-ucb", "epsilon-greedy"])
def test_learners_are_replayed(folder, learner):
    found = run_json(
        "replay", "log.csv", *FULL, "--learner", learner, "--context", "x1,x2", "--seed", 5
    )
    X, actions, rewards, _, _ = game()
    bandit = EpsilonGreedyLearner(LinearRegressor(), 3, seed=5)
    if learner == "lin-ucb":  # which is given a constant
        bandit, X = LinUCB(3, 3), np.column_stack([X, np.ones(ROWS)])
    seen = Log(actions, rewards, np.full(ROWS, 1 / 3), X, n=3)
    same(found["policies"][learner], evaluate(seen, bandit, "replay"))


@pytest.mark.parametrize(
    ("learner", "kind"),
    [("exp3", Exp3), ("tsallis-inf", TsallisINF), ("ucb1", UCB1), ("thompson", ThompsonSampling)],
)
def test_players_of_arms_are_replayed(folder, learner, kind):
    """They look at no context, and their losses are rewards turned round."""
    found = run_json(
        *("replay", "log.csv", *FULL, "--learner", learner, "--seed", 5),
        *("--reward-range", -1, 2),
    )
    _, actions, rewards, _, _ = game()
    seen = Log(actions, rewards, np.full(ROWS, 1 / 3), n=3)
    bandit = kind(3, range=(-1.0, 2.0), seed=5)
    same(found["policies"][learner], evaluate(seen, bandit, "replay", reward_range=(-1.0, 2.0)))


def test_options_of_estimates(folder):
    bernstein = ("--interval", "bernstein")
    options = {"interval": "bernstein", "reward_range": (0.0, 1.0), "cap": 3.5}
    asked = ("log.csv", *FULL, "--policy", "choice")
    found = run_json("ips", *asked, "--cap", 3.5, *bernstein)
    same(found["policies"]["policy"], evaluate(log(), game()[3], "ips", **options))
    for method in ("ips", "snips", "dr"):
        more = ("--reward-range", -1, 2, "--largest-weight", 3, "--interval", "chernoff")
        wide = run_json(method, *asked, *more, *(("--context", "x1,x2") * (method == "dr")))
        options = {"interval": "chernoff", "reward_range": (-1.0, 2.0), "largest_weight": 3.0}
        same(wide["policies"]["policy"], evaluate(log(), game()[3], method, **options))
    missing = run("ips", *asked, *bernstein, code=1)
    assert "needs largest_weight=" in missing.stderr


def test_what_is_shown(folder):
    shown = run("snips", "log.csv", *FULL).stdout
    assert "always sell" in shown
    assert "300 rows, snips, intervals of 95 %" in shown
    assert "the log itself: 0.5" in shown
    cut = run("ips", "log.csv", *FULL, "--policy", "choice", "--cap", 1).stdout
    assert "policy: it is not so that no weight is cut" in cut
    assert "hence no interval" in " ".join(cut.split())


def test_standard_input_and_delimiter(folder):
    text = (folder / "log.csv").read_text()
    result = CliRunner().invoke(
        app, ["bandit", "snips", "-", *FULL, "--policy", "choice", "--json"], input=text.encode()
    )
    piped = json.loads(result.stdout)
    assert piped == run_json("snips", "log.csv", *FULL, "--policy", "choice")
    (folder / "log2.csv").write_text(text.replace(",", ";"))
    assert piped == run_json("snips", "log2.csv", *FULL, "--policy", "choice", "--delimiter", ";")


def test_numbers_are_in_the_order_of_numbers(folder):
    rows = "".join(f"{a},{a},0.1\n" for a in (10, 9, 2, 10, 9, 2))
    (folder / "many.csv").write_text("a,r,p\n" + rows)
    found = run_json("replay", "many.csv", *FULL)["policies"]
    assert [(name, each["value"]) for name, each in found.items()] == [
        ("always 2", 2.0),
        ("always 9", 9.0),
        ("always 10", 10.0),
    ]


def test_actions_never_logged_are_said_to_be(folder):
    (folder / "few.csv").write_text("a,r,p,c\nx,1,0.5,x\ny,0,0.5,z\n")
    found = run_json("replay", "few.csv", *FULL, "--policy", "c")
    assert found["policies"]["policy"]["value"] == 1.0
    assert found["policies"]["policy"]["interval"] == [None, None]
    assert "never takes a logged action" in run(
        "snips", "few.csv", "--action", "a", "--reward", "r", "--propensity", "p", "--policy", "r",
        code=1,
    ).stderr  # fmt: skip


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("a,r,p\nx,1,0\n", (), "propensities[0] = 0.0 is outside (0, 1]"),
        ("a,r,p\nx,1,2\n", (), "propensities[0] = 2.0 is outside (0, 1]"),
        ("a,r,p\nx,,1\n", (), "row 1: r is empty"),
        ("a,r,p\n,1,1\n", (), "row 1: a is empty"),
        ("a,r,p\nx,good,1\n", (), "r is not made of numbers"),
        ("a,r\nx,1\n", (), "there is no column 'p'; there are a, r"),
        ("a,r,p\n", (), "there are no rows"),
        ("a,r,p,y,z\nx,1,1,0,1\n", ("--policy", "y,z"), "the action 'x' is none of the columns"),
        ("a,r,p,x,z\nx,1,1,0.7,1\n", ("--policy", "x,z"), "not a distribution"),
    ],
    ids=["zero", "two", "empty reward", "empty action", "text", "column", "rows", "names", "sum"],
)
def test_bad_files(folder, text, arguments, message):
    (folder / "bad.csv").write_text(text)
    assert message in run("ips", "bad.csv", *FULL, *arguments, code=1).stderr


def test_bad_options(folder):
    assert "there is no such file" in run("ips", "none.csv", *FULL, code=1).stderr
    both = ("--learner", "lin-ucb", "--policy", "choice", "--context", "x1")
    assert "exclude each other" in run("replay", "log.csv", *LOGGED, *both, code=2).stderr
    assert (
        "needs --context"
        in run("replay", "log.csv", *LOGGED, "--learner", "lin-ucb", code=2).stderr
    )
    arms = run("replay", "log.csv", *LOGGED, "--learner", "ucb1", "--context", "x1", code=2)
    assert "--learner ucb1 does not look at it" in arms.stderr
    assert (
        "--confidence=1.0 is outside"
        in run("ips", "log.csv", *FULL, "--confidence", 1, code=2).stderr
    )
    assert math.isclose(run_json("replay", "log.csv", *LOGGED)["rows"], ROWS)
