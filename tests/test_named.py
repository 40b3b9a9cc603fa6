"""Experts are matched by name: frames, tables, series and dicts in any order, none missing or new."""

import copy
import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from roster import ROSTER
from roster.experts import Experts, Votes

from regretless.bandits import Exp4
from regretless.base.columns import arranged, names_of
from regretless.checks import difference, state_of
from regretless.experts import (
    AdaNormalHedge,
    BestPruning,
    Hedge,
    Mixture,
    WeightedMajority,
    oracles,
)
from regretless.experts.trees import from_sklearn

NAMES = ["good", "bad", "odd", "ugly"]
TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.record_batch,
    "dict": dict,
}
ROUNDS = {"series": pd.Series, "dict": dict}
PLAYERS = [pytest.param(e, id=e.name) for e in ROSTER if isinstance(e.kind, (Experts, Votes))]
WRONG = {
    "dates": [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)],
    "durations": [datetime.timedelta(1), datetime.timedelta(2)],
    "booleans": [True, False],
    "text": ["1.0", "2.0"],
}


def columns(X, order, names=NAMES):
    """The columns of a matrix by name, in some order."""
    return {names[k]: X[:, k] for k in order}


def forecasts(rounds=40, seed=0):
    rng = np.random.default_rng(seed)
    y = 10.0 + np.sin(np.arange(rounds)) + 0.1 * rng.normal(size=rounds)
    return y[:, None] + rng.normal(size=(rounds, 4)) * [0.1, 1.0, 2.0, 3.0], y


# --- the mechanism ----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_columns_in_any_order(table):
    X = np.arange(12.0).reshape(3, 4)
    assert names_of(TABLES[table](columns(X, range(4)))) == NAMES
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        values, names = arranged(TABLES[table](columns(X, order)), NAMES, "X")
        np.testing.assert_array_equal(values, X)
        assert names == NAMES
    for wrong, says in (
        (columns(X, [0, 1, 2]), r"^X lacks the expert 'ugly'; the experts are 'good'"),
        (columns(X, [0, 1]), "^X lacks the experts 'odd', 'ugly'"),
        (columns(X, range(4)) | {"new": X[:, 0]}, "^X has the unknown 'new'; the experts"),
        (
            columns(X, [0, 1, 2]) | {"new": X[:, 0]},
            "^X lacks the expert 'ugly' and has the unknown",
        ),
    ):
        with pytest.raises(ValueError, match=says):
            arranged(TABLES[table](wrong), NAMES, "X")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_expert(table, kind):
    frame = TABLES[table]({"good": [1.0, 2.0], "when": WRONG[kind]})
    with pytest.raises(ValueError, match=f"the column 'when' of X holds {kind}.*leave it out"):
        arranged(frame, None, "X")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2], dtype="category"),
        pl.Series(["1", "2"], dtype=pl.Categorical),
        pl.Series(["1", "2"], dtype=pl.Enum(["1", "2"])),
        pa.array([1, 2]).dictionary_encode(),
        pd.Series([True, None], dtype="boolean"),
        pd.Series([True, None], dtype=object),
        pd.Series(["a", None], dtype="string"),
        pd.to_datetime(pd.Series(["2024-01-01", None])),
        pd.Series(pd.period_range("2024", periods=2, freq="Y")),
        pa.array([datetime.date(2024, 1, 1), None]),
        pa.array([datetime.time(1), None]),
        pl.Series([datetime.time(1), None]),
        pa.array([[1.0], [2.0]]),
        np.array([1j, 2j]),
        [object(), 1.0],
    ],
    ids=lambda column: str(getattr(column, "dtype", getattr(column, "type", "objects"))),
)
def test_columns_of_other_kinds(column):
    with pytest.raises(ValueError, match="'when' of X holds"):
        arranged({"good": [1.0, 2.0], "when": column}, None, "X")
    if isinstance(column, pd.Series):
        with pytest.raises(ValueError, match="'when' of X holds"):
            arranged(pd.DataFrame({"good": [1.0, 2.0], "when": column}), None, "X")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None], dtype="Float32"),
        pd.Series([1, None], dtype="double[pyarrow]"),
        pd.Series([Decimal(1), None], dtype=object),
        pl.Series([1, None], dtype=pl.Int16),
        pl.Series([Decimal(1), None]),
        pa.array([1, None], pa.uint8()),
        pa.array([Decimal(1), None]),
        pa.chunked_array([[1.0], [None]]),
        np.array([1, np.nan], np.float16),
        [1, None],
    ],
    ids=lambda column: str(getattr(column, "dtype", getattr(column, "type", "list"))),
)
def test_missing_numbers_are_nan(column):
    values, _ = arranged({"a": column, "b": [3, 4]}, None, "X")
    np.testing.assert_array_equal(values, [[1.0, 3.0], [np.nan, 4.0]])
    if isinstance(column, pd.Series):
        frame = pd.DataFrame({"a": column, "b": [3, 4]})
        np.testing.assert_array_equal(arranged(frame, None, "X")[0], values)
        np.testing.assert_array_equal(arranged(frame.iloc[0], None, "X")[0], [1.0, 3.0])


def test_names_that_say_nothing():
    """Numbers by default are taken by position, unless they are names that are known."""
    plain = pd.DataFrame([[1.0, 2.0]])
    assert arranged(plain, None, "X")[1] == ["0", "1"]
    values, names = arranged(plain, ["a", "b"], "X")
    assert (values.tolist(), names) == ([[1.0, 2.0]], ["a", "b"])
    assert arranged(plain, ["1", "0"], "X")[0].tolist() == [[2.0, 1.0]]
    assert arranged(plain[[1, 0]], ["0", "1"], "X")[0].tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match="lacks the experts 'a', 'b' and has the unknown '1', '0'"):
        arranged(plain[[1, 0]], ["a", "b"], "X")
    with pytest.raises(ValueError, match="two columns 'a'"):
        arranged(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), None, "X")
    with pytest.raises(ValueError, match="different lengths: 'a' 1, 'b' 2"):
        arranged({"a": [1.0], "b": [1.0, 2.0]}, None, "X")
    with pytest.raises(ValueError, match="X holds dates"):
        arranged(np.array(["2024"], "M8[Y]"), ["a"], "X")


# --- all players ------------------------------------------------------------------------------------


def game(entry):
    """Names, a table with a row a round, and what else a round has."""
    rounds = entry.kind.stream(12)
    if isinstance(entry.kind, Votes):
        advice = np.array([a for a, _ in rounds])
        return [f"e{k}" for k in range(6)], advice, [(y,) for _, y in rounds]
    return NAMES, np.array(rounds), [()] * 12


def told(entry, player, row, rest):
    """A round of a player that may draw."""
    drawn = (player.act(),) if getattr(entry.kind, "acts", "") == "told" else ()
    return player.update(row, *rest, *drawn)


def run_of(entry, player, table, rest):
    labels = [[y for (y,) in rest]] if isinstance(entry.kind, Votes) else []
    return player.run(table, *labels)


@pytest.mark.parametrize("entry", PLAYERS)
@pytest.mark.parametrize("form", ROUNDS)
def test_rounds_of_every_player(entry, form):
    names, table, rest = game(entry)
    plain, named = entry.make(0), entry.make(0)
    for t, (row, more) in enumerate(zip(table, rest)):
        order = np.random.default_rng(t).permutation(len(names)) if t else range(len(names))
        given = ROUNDS[form]({names[k]: row[k] for k in order})
        assert told(entry, named, given, more) == told(entry, plain, row, more)
    np.testing.assert_array_equal(named.weights, plain.weights)
    assert (named.names, plain.names) == (names, None)
    before = state_of(named)
    short = dict(zip(names[1:], table[0, 1:]))
    dates = dict(zip(names, table[0])) | {names[1]: datetime.datetime(2024, 1, 1)}
    for wrong, says in (
        (short, f"lacks the expert '{names[0]}'"),
        (short | {"new": 0}, "unknown 'new'"),
        (dates, f"the column '{names[1]}' of .* holds dates"),
    ):
        with pytest.raises(ValueError, match=says):
            named.update(ROUNDS[form](wrong), *rest[0])
        assert difference(state_of(named), before) == ""


@pytest.mark.parametrize("entry", PLAYERS)
@pytest.mark.parametrize("form", TABLES)
def test_runs_of_every_player(entry, form, tmp_path):
    """Also of copies and files, which keep the names."""
    names, table, rest = game(entry)
    if not hasattr(entry.make(0), "run"):
        pytest.skip("has no run")
    plain, named = entry.make(0), entry.make(0)
    made, order = TABLES[form], range(len(names))
    run_of(entry, named, made(columns(table[:6], order, names)), rest[:6])
    assert named.names == names
    copies = [named, named.copy(), copy.deepcopy(named), pickle.loads(pickle.dumps(named))]
    if "file" not in entry.without:
        named.save(tmp_path / "player")
        copies.append(entry.load(type(named), tmp_path / "player"))
    run_of(entry, plain, table[:6], rest[:6])
    run_of(entry, plain, table[6:], rest[6:])
    for each in copies:
        mixed = made(columns(table[6:], [*order][::-1], names))
        run_of(entry, each, mixed, rest[6:])
        np.testing.assert_array_equal(each.weights, plain.weights)
        before = state_of(each)
        with pytest.raises(ValueError, match="unknown 'new'"):
            run_of(entry, each, made(columns(table, order, [*names[:-1], "new"])), rest)
        text = made(columns(table, order, names) | {names[0]: ["a"] * len(table)})
        with pytest.raises(ValueError, match=f"'{names[0]}' of .* holds text"):
            run_of(entry, each, text, rest)
        assert difference(state_of(each), before) == ""


def test_confidences_by_name_and_index():
    losses = pd.DataFrame([[0.1, 0.9], [0.2, np.nan]], columns=["a", "b"], index=[5, 6])
    awake = losses.notna().astype(float)[["b", "a"]]
    plain, named = AdaNormalHedge(2), AdaNormalHedge(2)
    plain.run(losses.to_numpy(), awake[["a", "b"]].to_numpy())
    run = named.run(losses, awake)
    np.testing.assert_array_equal(named.weights, plain.weights)
    assert "\na " in run.summary()
    assert named.update(losses.loc[6], awake.loc[6]) == plain.update([0.2, np.nan], [1.0, 0.0])
    asked = named.distribution({"b": 0.5, "a": 1.0})
    np.testing.assert_array_equal(asked, plain.distribution([1.0, 0.5]))
    with pytest.raises(ValueError, match="confidence and losses differ in their index: row 0 is 6"):
        named.run(losses, awake[::-1])
    with pytest.raises(ValueError, match="confidence lacks the expert 'b'"):
        named.run(losses, awake[["a"]])


def test_competitors_by_name():
    player = Hedge(2, prior={"a": 0.75, "b": 0.25})
    player.update({"b": 1.0, "a": 0.0})
    assert player.regret("b") == player.regret(1)
    assert player.certificate("a") == player.certificate(0)
    assert player.regret({"b": 1.0, "a": 0.0}) == player.regret(1)
    with pytest.raises(
        ValueError, match="comparator='c' is not an expert; the experts are 'a', 'b'"
    ):
        player.regret("c")
    with pytest.raises(ValueError, match="comparator='a': the experts have no names"):
        Hedge(2).regret("a")
    run = player.run({"b": [1.0], "a": [0.0]})
    assert run.regret(comparator="b") == run.regret(comparator=1)


def test_advice_of_booleans():
    """Yes and no are advice, also in a frame."""
    voter = WeightedMajority(2)
    frame = pd.DataFrame({"a": [True, False], "b": [False, False]})
    voter.run(frame, [1, 0])
    assert voter.predict({"b": False, "a": True}) == voter.predict([1, 0])
    with pytest.raises(ValueError, match="labels and advice differ in their index"):
        voter.run(frame, pd.Series([1, 0], index=[1, 2]))


def test_advice_to_bandits_has_no_names():
    for advice in (
        pd.DataFrame([[1.0, 0.0]]),
        {"a": [1.0, 0.0]},
        pa.table({"a": [1.0], "b": [0.0]}),
    ):
        with pytest.raises(ValueError, match="whose names Exp4 does not match"):
            Exp4(2, 1).act(advice)


def test_paths_by_name():
    """A tree that was fitted to a frame finds the features of a row in any order."""
    tree = pytest.importorskip("sklearn.tree")
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [5.0, 5.0, 6.0]})
    fitted = tree.DecisionTreeRegressor(random_state=0).fit(frame, [0.0, 0.5, 1.0])
    model = BestPruning(from_sklearn(fitted))
    for t in range(3):
        row = frame.iloc[t]
        expected = model.weights_one(row.to_dict())
        assert model.weights_one(row[["b", "a"]]) == model.weights_one(row) == expected
    unnamed = from_sklearn(
        tree.DecisionTreeRegressor(random_state=0).fit(frame.to_numpy(), [0, 1, 2])
    )
    assert unnamed.path(frame.iloc[2]) == unnamed.path(frame.iloc[2].to_numpy())


# --- mixtures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", TABLES)
def test_a_mixture_goes_by_name(form, tmp_path):
    X, y = forecasts()
    plain, named, made = Mixture(), Mixture(), TABLES[form]
    plain.run(X[:20], y[:20])
    named.run(made(columns(X[:20], range(4))), y[:20])
    named.save(tmp_path / "mixture")
    expected = plain.run(X[20:], y[20:])
    for each in (
        named.copy(),
        Mixture.load(tmp_path / "mixture"),
        pickle.loads(pickle.dumps(named)),
    ):
        run = each.run(made(columns(X[20:], [2, 0, 3, 1])), y[20:])
        np.testing.assert_array_equal(run.forecasts, expected.forecasts)
        np.testing.assert_array_equal(run.experts, X[20:])
        assert run.names == NAMES
        assert run.regret(comparator="bad") == run.regret(comparator=1)
        assert run.bound(comparator="bad") == run.bound(comparator=1)
        weights = dict(zip(NAMES[::-1], [0.0, 0.0, 0.5, 0.5]))
        assert run.regret(comparator=weights) == run.regret(comparator=[0.5, 0.5, 0.0, 0.0])
        assert each.certificate("odd") == each.certificate(2)


def test_a_mixture_of_rounds_by_name():
    X, y = forecasts()
    plain, named = Mixture(), Mixture(names=NAMES)
    for row, target in zip(X, y):
        shuffled = {NAMES[k]: row[k] for k in (3, 0, 2, 1)}
        for given in (shuffled, pd.Series(shuffled)):
            assert named.copy().predict(given) == plain.copy().predict(row)
        path = pd.DataFrame([shuffled, shuffled])
        np.testing.assert_array_equal(
            named.copy().predict(path), plain.copy().predict(np.tile(row, (2, 1)))
        )
        assert named.predict(shuffled) == plain.predict(row)
        named.update(target), plain.update(target)
    before = state_of(named)
    for wrong, says in (
        (dict(zip(NAMES[:3], X[0])), "forecasts lacks the expert 'ugly'"),
        (pd.Series(X[0], ["new", *NAMES[1:]]), "lacks the expert 'good' and has the unknown 'new'"),
        (dict(zip(NAMES, [*X[0, :3], "text"])), "the column 'ugly' of forecasts holds text"),
        (dict(zip(NAMES, [*X[0, :3], True])), "the column 'ugly' of forecasts holds booleans"),
    ):
        with pytest.raises(ValueError, match=says):
            named.predict(wrong)
        assert difference(state_of(named), before) == ""


def test_what_a_polars_frame_must_not_bring():
    """A column of dates was an expert with forecasts of 1e18."""
    X, y = forecasts()
    hours = pl.datetime_range(
        datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2, 15), "1h"
    )
    frame = pl.DataFrame(columns(X, range(4))).with_columns(
        pl.select(hours.alias("hour")).to_series()
    )
    with pytest.raises(ValueError, match="the column 'hour' of experts holds dates"):
        Mixture().run(frame, y)
    with pytest.raises(ValueError, match="the column 'hour' of experts holds dates"):
        oracles.best_expert(frame, y)
    with pytest.raises(ValueError, match="y holds dates"):
        Mixture().run(frame.drop("hour"), frame["hour"])


def test_targets_have_the_index_of_the_forecasts():
    X, y = forecasts()
    hours = pd.date_range("2024-01-01", periods=40, freq="h")
    frame, target = pd.DataFrame(X, hours, NAMES), pd.Series(y, hours)
    plain = Mixture().run(X, y)
    np.testing.assert_array_equal(Mixture().run(frame, target).forecasts, plain.forecasts)
    shifted = target.shift(freq="h")
    mixture = Mixture()
    says = (
        "y and experts differ in their index: row 0 is 2024-01-01 01:00:00 in y and 2024-01-01 00"
    )
    for refused in (mixture.run, oracles.best_convex):
        with pytest.raises(ValueError, match=says):
            refused(frame, shifted)
    assert mixture.names is None
    with pytest.raises(ValueError, match="differ in their index: y has 39 rows, experts 40"):
        mixture.run(frame, target[:-1])
    run = mixture.run(frame, target[::-1], align=True)
    np.testing.assert_array_equal(run.forecasts, plain.forecasts)
    aligned = Mixture().run(frame, shifted, align=True)
    np.testing.assert_array_equal(aligned.y, [np.nan, *y[:-1]])
    np.testing.assert_array_equal(
        Mixture().run(frame, shifted.to_numpy()).forecasts, plain.forecasts
    )
    with pytest.raises(ValueError, match="align=True needs a pandas index of both"):
        mixture.run(frame, y, align=True)
    with pytest.raises(ValueError, match=r"the index of y holds .* twice"):
        mixture.run(frame, pd.concat([target, target]), align=True)


def test_targets_of_a_path():
    X, y = forecasts()
    frame, target = pd.DataFrame(X, columns=NAMES), pd.Series(y)
    mixture, plain = Mixture(), Mixture()
    np.testing.assert_array_equal(mixture.predict(frame[:3]), plain.predict(X[:3]))
    with pytest.raises(ValueError, match="y and the forecasts differ in their index: row 0 is 1"):
        mixture.update(target[1:4])
    mixture.update(target[:3]), plain.update(y[:3])
    np.testing.assert_array_equal(mixture.weights, plain.weights)


def test_nullable_and_boolean_targets():
    X = pd.DataFrame({"a": [0.2, 0.7, 0.4], "b": [0.6, 0.1, 0.5]})
    run = Mixture(loss="log").run(X, pd.Series([True, None, False], dtype="boolean"))
    np.testing.assert_array_equal(run.y, [1.0, np.nan, 0.0])
    run = Mixture().run(X, pl.Series([1, None, 0]))
    np.testing.assert_array_equal(run.y, [1.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="y holds text"):
        Mixture().run(X, pd.Series(["1", "2", "3"]))
