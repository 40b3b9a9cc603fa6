"""Regrets and oracles against brute force, other formulations, identities, and R's opera."""

import itertools
import math
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from regretless import losses
from regretless.experts import oracles, regrets


def whole_numbers(rounds=6, experts=3, low=-4, high=4):
    """Tables whose sums are exact: ties are frequent, and no tolerance is needed."""
    shape = st.tuples(st.integers(1, rounds), st.integers(1, experts))
    return shape.flatmap(
        lambda s: arrays(np.float64, s, elements=st.integers(low, high).map(float))
    )


# --- one competitor for all rounds -----------------------------------------------------------------


def test_instantaneous_regrets_by_their_definition():
    rng = np.random.default_rng(0)
    suffered, table, confidence = rng.random(7), rng.random((7, 3)), rng.random((7, 3))
    confidence[2] = [0.0, 1.0, 0.0]
    table[2, 0], table[2, 2] = np.nan, np.inf  # asleep: not looked at
    r = regrets.instantaneous(suffered, table, confidence)
    for t, i in itertools.product(range(7), range(3)):
        asleep = confidence[t, i] == 0
        assert r[t, i] == (0 if asleep else confidence[t, i] * (suffered[t] - table[t, i]))
    whole = np.nan_to_num(table, posinf=0.5)
    np.testing.assert_array_equal(
        regrets.instantaneous(suffered, whole),
        regrets.instantaneous(suffered, whole, np.ones((7, 3))),
    )
    assert np.isnan(table[2, 0])  # as it was


@given(whole_numbers(experts=12), st.integers(0, 1000))
def test_quantiles_are_places_in_the_order_of_losses(table, thousandths):
    N = table.shape[1]
    suffered = np.arange(len(table), dtype=float)
    r = regrets.instantaneous(suffered, table)
    total = sorted(table.sum(axis=0))  # ascending: the best first
    assert regrets.to_best(r) == suffered.sum() - total[0]
    np.testing.assert_array_equal(regrets.to_experts(r), suffered.sum() - table.sum(axis=0))
    for k in range(1, N + 1):
        # k / N times N may be rounded to above k
        assert regrets.to_quantile(r, k / N) == suffered.sum() - total[k - 1]
    epsilon = (thousandths + 0.5) / 1000.5
    k = next(k for k in range(1, N + 1) if k >= N * epsilon)
    assert regrets.to_quantile(r, epsilon) == suffered.sum() - total[k - 1]


def test_a_share_that_is_rounded_up_counts_as_what_it_should_be():
    r = np.array([[10.0, 9, 8, 7, 6, 5, 4, 3, 2, 1]])
    assert 10 * (0.1 * 3) > 3
    assert regrets.to_quantile(r, 0.1 * 3) == 8.0
    assert regrets.to_quantile(r, 1e-300) == 10.0


def test_mixtures_are_means_of_experts():
    rng = np.random.default_rng(1)
    r, u = rng.normal(size=(20, 4)), rng.dirichlet(np.ones(4))
    # 80 products of rounding error 1e-16 each
    assert regrets.to_mixture(r, u) == pytest.approx(sum(u @ row for row in r), abs=1e-13)
    assert regrets.to_mixture(r, [0, 0, 1, 0]) == regrets.to_experts(r)[2]
    assert regrets.to_sequence(r, np.tile(u, (20, 1))) == pytest.approx(
        regrets.to_mixture(r, u), abs=1e-13
    )


# --- intervals -------------------------------------------------------------------------------------


@given(whole_numbers(rounds=8))
def test_the_worst_interval_is_the_worst_of_all(r):
    T, N = r.shape
    largest = -math.inf
    for start, stop in itertools.combinations(range(T + 1), 2):
        sums = [sum(r[t, i] for t in range(start, stop)) for i in range(N)]
        found = regrets.to_interval(r, start, stop)
        assert found == (max(sums), start, stop, sums.index(max(sums)))
        largest = max(largest, *sums)
    regret, start, stop, expert = regrets.worst_interval(r)
    assert regret == largest == r[start:stop, expert].sum()
    assert 0 <= start < stop <= T


def test_a_bad_interval_in_a_good_game_is_found():
    r = np.full((1000, 5), -0.5)
    r[300:350, 3] = 0.25
    assert regrets.to_best(r) == -462.5
    assert regrets.worst_interval(r) == (12.5, 300, 350, 3)


# --- shifting --------------------------------------------------------------------------------------


def every_sequence(table, shifts):
    """The least loss of all sequences of experts, one by one."""
    T, N = table.shape
    return min(
        sum(table[t, i] for t, i in enumerate(sequence))
        for sequence in itertools.product(range(N), repeat=T)
        if sum(a != b for a, b in itertools.pairwise(sequence)) <= shifts
    )


def check_segments(segments, T, shifts):
    assert len(segments) <= shifts + 1
    assert [segments[0].start, segments[-1].stop] == [0, T]
    assert all(segment.start < segment.stop for segment in segments)
    for a, b in itertools.pairwise(segments):
        assert a.stop == b.start
        assert a.expert != b.expert


@settings(deadline=None)
@given(whole_numbers(), st.integers(0, 7))
def test_the_best_shifting_sequence_is_the_best_of_all(table, shifts):
    found = regrets.best_shifting(table, shifts)
    assert found.loss == every_sequence(table, shifts)
    assert found.loss == sum(table[a:b, i].sum() for a, b, i in found.segments)
    check_segments(found.segments, len(table), shifts)
    every = regrets.best_shiftings(table, shifts)
    assert [best.loss for best in every] == [every_sequence(table, k) for k in range(shifts + 1)]
    for k, best in enumerate(every):
        check_segments(best.segments, len(table), k)


def plain_programme(table, shifts):
    """Round by round: with at most k shifts and expert i at the end."""
    least = np.zeros((shifts + 1, table.shape[1]))
    for row in table:
        before = np.append(np.inf, least.min(axis=1)[:-1])
        least = row + np.minimum(least, before[:, None])
    return least.min(axis=1)


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("kind", ["random", "blocks", "twins"])
def test_shifting_in_long_games(kind, offset):
    """Also where rounding makes a shift to the same or to an equal expert look like a gain."""
    rng = np.random.default_rng(2)
    table = rng.random((3000, 6)) / 3
    if kind == "blocks":
        for k in range(5):
            table[600 * k : 600 * (k + 1), k] -= 0.1
    if kind == "twins":
        table[:, 3:] = table[:, :3]
    found = regrets.best_shiftings(table + offset, 8)
    expected = plain_programme(table, 8)
    # a sum of 3000 numbers of size c is off by less than 3000^2 c 2^-53 / 2: 5e-10 c; the offset
    # leaves numbers themselves off by 1e-7
    atol = 1e-9 if offset == 0 else 3000 * 1e-7
    for k, best in enumerate(found):
        check_segments(best.segments, 3000, k)
        assert best.loss - 3000 * offset == pytest.approx(expected[k], abs=atol)
    if kind == "blocks":
        assert [segment.expert for segment in found[4].segments] == [0, 1, 2, 3, 4]
        for k, segment in enumerate(found[4].segments):
            assert segment.start == pytest.approx(600 * k, abs=30)


@pytest.mark.parametrize("seed", [166, 181, 243, 257])
def test_rounding_makes_no_shifts(seed):
    """In these games a shift from an expert to itself seems to win the last digit."""
    rng = np.random.default_rng(seed)
    T, N = int(rng.integers(3, 40)), int(rng.integers(2, 4))
    table = rng.random((T, N)) * 10.0 ** rng.integers(-3, 3)
    table[:, 0] *= 0.3
    expected = plain_programme(table, 6)
    for k, best in enumerate(regrets.best_shiftings(table, 6)):
        check_segments(best.segments, T, k)
        assert best.loss == pytest.approx(expected[k], rel=1e-13)  # sums of at most 40 numbers


def test_what_all_experts_lose_does_not_matter():
    rng = np.random.default_rng(14)
    # together they have 52 bits: nothing is rounded but the sums of all that was lost
    table = rng.integers(0, 2**6, (500, 4)) / 2.0**20
    common = rng.integers(0, 2**32, (500, 1)).astype(float)
    for alone, together in zip(
        regrets.best_shiftings(table, 6), regrets.best_shiftings(table + common, 6)
    ):
        assert together.segments == alone.segments
        assert together.loss == pytest.approx(alone.loss + common.sum(), rel=1e-13)


def test_shifting_needs_little_memory():
    T, N, K = 4000, 40, 30
    table = np.random.default_rng(3).random((T, N))
    tracemalloc.start()
    regrets.best_shifting(table, K)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < T * N * K * 8 / 3  # a third of the table over (t, k, i)


def test_shifting_regret_is_to_the_best_sequence():
    rng = np.random.default_rng(4)
    suffered, table = rng.random(6), rng.random((6, 3))
    r = regrets.instantaneous(suffered, table)
    confident = regrets.instantaneous(suffered, table, rng.random((6, 3)))
    for shifts in range(4):
        found = regrets.to_shifting(r, shifts)
        best = regrets.best_shifting(table, shifts)
        # six numbers below 1
        assert found.regret == pytest.approx(suffered.sum() - best.loss, abs=1e-14)
        assert found.segments == best.segments
        with_confidence = regrets.to_shifting(confident, shifts).regret
        assert with_confidence == pytest.approx(-every_sequence(-confident, shifts), abs=1e-14)
    assert regrets.to_shifting(r, 0).regret == pytest.approx(regrets.to_best(r), abs=1e-14)


# --- sequences of competitors ----------------------------------------------------------------------


def pieces(U):
    """Lemma 5 for every expert: (expert, amount, start, stop)."""
    return [(i, *each) for i, column in enumerate(U.T) for each in regrets.intervals(column)]


@given(whole_numbers(rounds=12, low=0, high=5))
def test_intervals_add_up_to_the_curve_and_the_variation(U):
    again = np.zeros(U.shape)
    for i, amount, start, stop in pieces(U):
        assert amount > 0
        assert start < stop
        again[start:stop, i] += amount
    np.testing.assert_array_equal(again, U)
    rises = sum(
        max(0.0, U[t, i] - (U[t - 1, i] if t else 0.0))
        for t, i in itertools.product(range(len(U)), range(U.shape[1]))
    )
    assert regrets.variation(U) == rises == sum(amount for _, amount, _, _ in pieces(U))
    assert regrets.variation(U[:, 0]) == sum(amount for amount, _, _ in regrets.intervals(U[:, 0]))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_no_other_intervals_have_less_in_all(v):
    spans = list(itertools.combinations(range(len(v) + 1), 2))
    inside = [[float(start <= t < stop) for start, stop in spans] for t in range(len(v))]
    least = linprog(np.ones(len(spans)), A_eq=inside, b_eq=v).fun
    # the solver asks of itself 1e-7 in each of at most seven rounds
    assert regrets.variation(v) == pytest.approx(least, abs=1e-6)


def test_rounding_makes_no_intervals():
    """0.3 - 0.1 - 0.2 is not 0 in floating point; a rise by 0.1, a rise and a fall by the same are."""
    found = regrets.intervals([0.1, 0.1 + 0.2, 0.1, 0.3, 0.0])
    assert [span[1:] for span in found] == [(1, 2), (3, 4), (0, 4)]


def test_a_shifting_expert_is_a_sequence():
    rng = np.random.default_rng(5)
    r = rng.normal(size=(200, 4))
    found = regrets.to_shifting(r, 3)
    U = np.zeros(r.shape)
    for start, stop, expert in found.segments:
        U[start:stop, expert] = 1.0
    # 200 numbers of size 3
    assert regrets.to_sequence(r, U) == pytest.approx(found.regret, abs=1e-11)
    assert regrets.variation(U) == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000))
def test_bounds_on_intervals_make_one_on_sequences(seed):
    """Theorem 7, with the least A for which its assumption holds on an adversarial stream."""
    rng = np.random.default_rng(seed)
    T, N = 25, 3
    p, total, r = np.full(N, 1 / N), np.zeros(N), np.empty((T, N))
    for t in range(T):
        table = np.where(np.arange(N) == p.argmax(), 1.0, rng.random(N))  # the favourite loses
        r[t] = regrets.instantaneous([p @ table], table[None])[0]
        total += r[t]
        p = np.exp(total - total.max())
        p /= p.sum()
    z = np.abs(r)
    spans = list(itertools.combinations(range(T + 1), 2))
    A = max(max(0.0, r[a:b, i].sum()) ** 2 / z[a:b, i].sum() for a, b in spans for i in range(N))
    U = np.maximum(0.0, np.cumsum(rng.normal(size=(T, N)), axis=0))
    by_parts = sum(amount * r[a:b, i].sum() for i, amount, a, b in pieces(U))
    regret = regrets.to_sequence(r, U)
    assert regret == pytest.approx(by_parts, abs=1e-11)  # 75 numbers of size 10
    assert regret <= math.sqrt(A * regrets.variation(U) * regrets.to_sequence(z, U)) + 1e-11


# --- bad arguments ---------------------------------------------------------------------------------

R = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: regrets.instantaneous([1.0], R), r"suffered has shape \(1,\), not \(3,\)"),
        (lambda: regrets.instantaneous([1, 2, math.nan], R), r"suffered\[2\] = nan"),
        (lambda: regrets.instantaneous([1, 2, 3], R + math.nan), r"table\[0, 0\] = nan.*confidence 0"),
        (lambda: regrets.instantaneous([1, 2, 3], R, R[:2]), r"confidence has shape \(2, 2\)"),
        (lambda: regrets.instantaneous([1, 2, 3], R, R + 1.5), r"confidence\[0, 0\] = 1.5 is outside"),
        (lambda: regrets.instantaneous([1, 2, 3], R, R - 0.5), r"confidence\[0, 0\] = -0.5 is outside"),
        (lambda: regrets.instantaneous([1, 2, 3], R, R * math.nan), r"confidence\[0, 0\] = nan"),
        (lambda: regrets.to_experts([[1.0, "a"]]), "r is not made of numbers"),
        (lambda: regrets.to_experts([1.0, 2.0]), r"r has shape \(2,\)"),
        (lambda: regrets.to_best(np.empty((0, 2))), r"r has shape \(0, 2\)"),
        (lambda: regrets.to_best([[math.inf]]), r"r\[0, 0\] = inf is not finite"),
        (lambda: regrets.to_quantile(R, 0.0), r"epsilon=0.0 is outside \(0, 1\]"),
        (lambda: regrets.to_quantile(R, 1.1), r"epsilon=1.1 is outside"),
        (lambda: regrets.to_quantile(R, math.nan), r"epsilon=nan is outside"),
        (lambda: regrets.to_mixture(R, [0.5, 0.6]), r"u has the sum 1.1"),
        (lambda: regrets.to_mixture(R, [1.5, -0.5]), r"u\[1\] = -0.5 is negative"),
        (lambda: regrets.to_mixture(R, [1.0]), r"u has shape \(1,\), not \(2,\)"),
        (lambda: regrets.to_interval(R, 1, 1), r"start=1, stop=1 is not an interval"),
        (lambda: regrets.to_interval(R, 1, 4), r"0 <= start < stop <= 3"),
        (lambda: regrets.to_interval(R, -1, 2), r"start=-1 must be a whole number"),
        (lambda: regrets.to_interval(R, 0, 1.5), r"stop=1.5 must be a whole number"),
        (lambda: regrets.best_shifting(R, -1), r"shifts=-1 must be a whole number"),
        (lambda: regrets.best_shifting(R, True), r"shifts=True must be a whole number"),
        (lambda: regrets.best_shifting(R * math.nan, 1), r"table\[0, 0\] = nan"),
        (lambda: regrets.to_sequence(R, R[:2]), r"U has shape \(2, 2\), but r \(3, 2\)"),
        (lambda: regrets.to_sequence(R, R - 1), r"U\[0, 0\] = -1.0 is negative"),
        (lambda: regrets.variation([1.0, -1.0]), r"U\[1\] = -1.0 is negative"),
        (lambda: regrets.variation(1.0), r"U has shape \(\)"),
        (lambda: regrets.intervals(R), r"v has shape \(3, 2\)"),
        (lambda: regrets.intervals([1.0, math.nan]), r"v\[1\] = nan"),
    ],
)  # fmt: skip
def test_bad_arguments_of_regrets(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- oracles ---------------------------------------------------------------------------------------


class LogCosh:
    """A smooth loss that the library does not know."""

    def value(self, forecast, y):
        return np.logaddexp(forecast - y, y - forecast) - math.log(2)

    def derivative(self, forecast, y):
        return np.tanh(forecast - y)


class Percentage:
    """One with kinks, steeper for small targets."""

    def value(self, forecast, y):
        return np.abs(forecast - y) / np.abs(y)

    def derivative(self, forecast, y):
        return np.sign(forecast - y) / np.abs(y)


class LogLoss:
    """Of chances: there is no loss outside (0, 1), and it has no end at the edges."""

    def value(self, forecast, y):
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.where(y == 1, np.log(forecast), np.log1p(-forecast))

    def derivative(self, forecast, y):
        with np.errstate(divide="ignore"):
            return np.where(y == 1, -1 / forecast, 1 / (1 - forecast))


REGRESSION = [
    losses.Squared(),
    losses.Absolute(),
    losses.Quantile(0.9),
    losses.EpsilonInsensitive(0.3),
    LogCosh(),
    Percentage(),
]
CLASSIFICATION = [losses.Hinge(), losses.Logistic(), losses.Exponential(), losses.SquaredHinge()]
named = {"ids": lambda loss: type(loss).__name__}


def forecasts(T, N, seed, offset=0.0):
    """Experts of several qualities and biases, one of them of another scale."""
    rng = np.random.default_rng(seed)
    y = 3.0 + np.cumsum(rng.normal(size=T)) / 3 + offset
    X = y[:, None] + rng.normal(size=(T, N)) * np.linspace(0.3, 1.0, N) + rng.normal(size=N) / 2
    X[:, -1] = 0.9 * X[:, -1] + 0.3
    return X, y


def lowest(function, low, high):
    """The least value of a convex function of one number, by thirds."""
    for _ in range(120):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if function(a) <= function(b) else (a, high)
    return function((low + high) / 2)


@pytest.mark.parametrize("loss", REGRESSION + CLASSIFICATION + [losses.LogWealth()], **named)
@pytest.mark.parametrize("seed", range(4))
def test_two_experts_or_one_by_a_search_on_a_line(loss, seed):
    X, y = forecasts(40, 2, seed)
    if loss in CLASSIFICATION:
        y = np.sign(np.random.default_rng(seed).normal(X[:, 0] - 3))
        X = X - 3
    if isinstance(loss, losses.LogWealth):
        X = np.exp(0.1 * (X - y[:, None]))

    def mean(forecast):
        return float(np.mean(loss.value(forecast, y)))

    best = oracles.best_convex(X, y, loss)
    least = lowest(lambda w: mean(w * X[:, 0] + (1 - w) * X[:, 1]), 0.0, 1.0)
    # the search is exact to rounding, the oracle to 1e-9 of the experts' mean loss, which is below 5
    assert best.loss == pytest.approx(least, abs=5e-9)
    assert best.loss == pytest.approx(mean(X @ best.weights), rel=1e-14)
    assert best.weights.min() >= 0
    assert best.weights.sum() == pytest.approx(1, abs=1e-14)
    if not isinstance(loss, losses.LogWealth):
        one = oracles.best_linear(X[:, :1], y, loss)
        assert one.loss == pytest.approx(lowest(lambda w: mean(w * X[:, 0]), -99, 99), abs=5e-9)


def by_supports(X, y):
    """The least squares on the simplex: for every support without its signs, the best that has them."""
    N = X.shape[1]
    best = math.inf
    for size in range(1, N + 1):
        for support in map(list, itertools.combinations(range(N), size)):
            first, rest = support[0], support[1:]
            v = np.linalg.lstsq(X[:, rest] - X[:, [first]], y - X[:, first])[0]
            w = np.zeros(N)
            w[first], w[rest] = 1 - v.sum(), v
            if w.min() >= 0:
                best = min(best, np.mean((X @ w - y) ** 2))
    return best


@pytest.mark.parametrize("offset", [0.0, 6e4])
@pytest.mark.parametrize("seed", range(6))
def test_convex_squares_by_all_supports(seed, offset):
    X, y = forecasts(60, 5, seed, offset)
    # with the offset, differences of 1 have lost 5 of their 16 digits
    rel = 1e-10 if offset == 0 else 1e-9
    assert oracles.best_convex(X, y).loss == pytest.approx(by_supports(X, y), rel=rel)
    few = oracles.best_convex(X[:3], y[:3])  # fewer rounds than experts
    assert few.loss == pytest.approx(by_supports(X[:3], y[:3]), abs=1e-10)


@pytest.mark.parametrize("noise", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize(("T", "N"), [(300, 40), (50, 80)])
def test_convex_squares_of_many_and_similar_experts(T, N, noise):
    rng = np.random.default_rng(6)
    y = rng.normal(size=T)
    X = (y + rng.normal(size=T))[:, None] + noise * rng.normal(size=(T, N))
    w = oracles.best_convex(X, y).weights
    residual = X @ w - y
    g = 2 * residual @ X / T
    # no mixture loses less by more than max_i <g, w - e_i>
    assert g @ w - g.min() <= 1e-10 * np.mean(residual**2)
    assert w.min() >= 0


@pytest.mark.parametrize("unit", [1e-12, 1e15])
def test_convex_squares_in_any_unit(unit):
    X, y = forecasts(60, 5, 15)
    best, other = oracles.best_convex(X, y), oracles.best_convex(unit * X, unit * y)
    np.testing.assert_allclose(other.weights, best.weights, atol=1e-10)


def test_perfect_and_equal_experts():
    y = np.random.default_rng(7).normal(size=30)
    best = oracles.best_convex(np.column_stack([y + 1, y, y - 1]), y)
    assert best.loss == pytest.approx(0, abs=1e-25)
    around = oracles.best_convex(np.column_stack([y + 1, y + 1, y - 3]), y)
    assert around.loss == pytest.approx(0, abs=1e-25)
    assert around.weights[2] == pytest.approx(0.25, abs=1e-12)
    assert oracles.best_convex(np.column_stack([y + 1, y + 1]), y).loss == pytest.approx(1)
    assert oracles.best_convex(y[:, None] + 2, y, "absolute").loss == pytest.approx(2)


def straight_sides(X, y, up, down, on_simplex):
    """The linear programme of residuals `y - X w = above - below`, each side with its cost."""
    T, N = X.shape
    unit = up.mean()  # the solver has absolute tolerances
    sides = np.hstack([X, np.eye(T), -np.eye(T)])
    ones = np.append(np.ones(N), np.zeros(2 * T))
    least = linprog(
        np.concatenate([np.zeros(N), up / unit, down / unit]),
        A_eq=np.vstack([sides, ones]) if on_simplex else sides,
        b_eq=np.append(y, 1.0) if on_simplex else y,
        bounds=[(0 if on_simplex else None, None)] * N + [(0, None)] * (2 * T),
    ).fun
    return least * unit / T


@pytest.mark.parametrize("offset", [0.0, 6e4])
@pytest.mark.parametrize(
    ("loss", "up", "down"),
    [
        (losses.Absolute(), lambda y: y**0, lambda y: y**0),
        (losses.Quantile(0.9), lambda y: 0.9 * y**0, lambda y: 0.1 * y**0),
        (losses.Quantile(0.05), lambda y: 0.05 * y**0, lambda y: 0.95 * y**0),
        (Percentage(), lambda y: 1 / np.abs(y), lambda y: 1 / np.abs(y)),
    ],
)
def test_straight_sides_by_another_programme(loss, up, down, offset):
    for seed in range(3):
        X, y = forecasts(120, 6, seed, offset)
        convex = straight_sides(X, y, up(y), down(y), True)
        linear = straight_sides(X, y, up(y), down(y), False)
        # what the solver of the test asks of itself is 1e-7 for numbers of size 1
        assert oracles.best_convex(X, y, loss).loss == pytest.approx(convex, rel=1e-7)
        assert oracles.best_linear(X, y, loss).loss == pytest.approx(linear, rel=1e-7)


class Upper(losses.Absolute):
    """The absolute loss, with another one of its subgradients at the kink."""

    def derivative(self, forecast, y):
        return np.where(np.asarray(forecast) >= y, 1.0, -1.0)


def test_any_subgradient_will_do():
    X, y = forecasts(60, 3, 16)
    X = np.abs(X - y[:, None]) + y[:, None]  # all too high: nothing is seen below the targets
    for oracle in (oracles.best_convex, oracles.best_linear):
        expected = oracle(X, y, "absolute").loss
        assert oracle(X, y, Upper()).loss == pytest.approx(expected, rel=1e-9)


def test_one_constant_expert_gives_medians_and_quantiles():
    y = np.random.default_rng(8).normal(size=101)
    one = np.ones((101, 1))
    assert oracles.best_linear(one, y, "absolute").weights == pytest.approx(np.median(y))
    assert oracles.best_linear(one, y, losses.Quantile(0.903)).weights == pytest.approx(
        np.sort(y)[91]  # the first that has 0.903 * 101 = 91.2 at or below it
    )
    assert oracles.best_linear(one, y).weights == pytest.approx(y.mean())


@pytest.mark.parametrize("loss", [LogCosh(), losses.Logistic(), losses.LogWealth()], **named)
def test_smooth_losses_of_many_experts(loss):
    X, y = forecasts(200, 8, 9)
    if isinstance(loss, losses.Logistic):
        y = np.sign(np.random.default_rng(9).normal(X[:, 0] - 3))
    if isinstance(loss, losses.LogWealth):
        X = np.exp(0.1 * (X - y[:, None]))
        X[5, 2] = 0.0  # ruin of one of them
    w = oracles.best_convex(X, y, loss).weights
    g = loss.derivative(X @ w, y) @ X / 200
    values = np.asarray(loss.value(X, y[:, None]))
    assert g @ w - g.min() <= 1e-9 * np.abs(values[np.isfinite(values)]).mean()
    if not isinstance(loss, losses.LogWealth):
        w = oracles.best_linear(X, y, loss).weights
        # forecasts of size 3, losses of size 1 to 0.1
        np.testing.assert_allclose(loss.derivative(X @ w, y) @ X / 200, 0, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_chances_close_to_0_and_1(seed):
    rng = np.random.default_rng(seed)
    odds = 4 * rng.normal(size=300)
    y = (rng.random(300) < 1 / (1 + np.exp(-odds))).astype(float)
    X = 1 / (1 + np.exp(-odds[:, None] - rng.normal(size=(300, 5)) * np.linspace(0.2, 2, 5)))
    X[:, 4] = np.round(X[:, 4])  # one is sure, and now and then wrong
    best = oracles.best_convex(X, y, LogLoss())
    g = LogLoss().derivative(X @ best.weights, y) @ X / 300
    assert g @ best.weights - g.min() <= 1e-9
    assert best.loss <= oracles.best_expert(X, y, LogLoss()).loss + 1e-14  # sums of 300 numbers


def test_linear_squares_satisfy_the_normal_equations():
    X, y = forecasts(80, 5, 10)
    best = oracles.best_linear(X, y)
    np.testing.assert_allclose(X.T @ (X @ best.weights - y), 0, atol=1e-9)  # 80 numbers of size 10
    assert best.loss == np.mean((X @ best.weights - y) ** 2)


@pytest.mark.parametrize("loss", REGRESSION, **named)
def test_the_table_of_oracles(loss):
    X, y = forecasts(50, 4, 11)
    found = oracles.table(X, y, loss, shifts=3)
    assert [oracle.name for oracle in found] == [
        "uniform", "best expert", "best convex", "best linear",
        "best with 1 shift", "best with 2 shifts", "best with 3 shifts",
    ]  # fmt: skip
    uniform, expert, convex, linear, *shifting = found
    values = np.array([[float(loss.value(X[t, i], y[t])) for i in range(4)] for t in range(50)])
    assert uniform.loss == pytest.approx(np.mean(loss.value(X.mean(axis=1), y)))
    np.testing.assert_array_equal(uniform.weights, [0.25] * 4)
    assert expert.loss == pytest.approx(values.mean(axis=0).min())
    assert expert.weights.tolist() == np.eye(4)[values.mean(axis=0).argmin()].tolist()
    assert linear.loss <= convex.loss + 1e-8 <= min(expert.loss, uniform.loss) + 2e-8
    assert [s.loss * 50 for s in shifting] == pytest.approx(plain_programme(values, 3)[1:])
    assert [s.weights for s in shifting] == [None] * 3


def test_sleeping_experts():
    X, y = forecasts(30, 3, 12)
    X[10:, 2] = np.nan
    X[:5, 1] = np.nan
    X = np.column_stack([X, np.full(30, np.nan)])
    table = (X - y[:, None]) ** 2
    best = oracles.best_expert(X, y)
    means = [table[:, 0].mean(), table[5:, 1].mean(), table[:10, 2].mean()]
    assert (best.name, best.loss) == ("best expert when awake", pytest.approx(min(means)))
    assert best.weights.argmax() == np.argmin(means)
    awake = [[x for x in row if not math.isnan(x)] for row in X]
    mean = np.array([sum(row) / len(row) for row in awake])
    assert oracles.uniform(X, y).loss == pytest.approx(np.mean((mean - y) ** 2))
    with pytest.raises(ValueError, match="in no round are all of them awake"):
        oracles.best_convex(X, y)
    for oracle, name in [
        (oracles.best_convex, "best convex"),
        (oracles.best_linear, "best linear"),
    ]:
        found, full = oracle(X[:, :3], y), oracle(X[5:10, :3], y[5:10])
        assert (found.name, full.name) == (f"{name} while all are awake", name)
        assert found.loss == full.loss
        np.testing.assert_array_equal(found.weights, full.weights)
    with pytest.raises(ValueError, match=r"experts\[0, 1\] = nan is not finite: a sequence"):
        oracles.best_shifting(X, y)
    assert len(oracles.table(X[:, :3], y)) == 4


def test_the_best_expert_is_not_the_one_that_sleeps_most():
    X = [[1.0, 3.0], [1.0, np.nan], [1.0, np.nan], [1.0, np.nan]]
    best = oracles.best_expert(X, np.zeros(4), "absolute")
    assert (best.loss, best.weights.tolist()) == (1.0, [1.0, 0.0])  # in all it lost 4, the other 3
    awake = oracles.best_expert([[1.0, 0.5], [1.0, np.nan]], np.zeros(2), "absolute")
    assert (awake.loss, awake.weights.tolist()) == (0.5, [0.0, 1.0])


class Hill:
    """Not convex at all."""

    def value(self, forecast, y):
        return -np.abs(forecast - y)

    def derivative(self, forecast, y):
        return -np.sign(forecast - y)


def test_what_cannot_be_solved_is_said():
    X, y = forecasts(30, 3, 13)
    with pytest.raises(RuntimeError, match=r"best linear combination for LogWealth\(\) is known"):
        oracles.best_linear(np.exp(X / 9), y, "log_wealth")  # more is always better
    with pytest.raises(RuntimeError, match="best mixture"):
        oracles.best_convex(X, y, Hill())
    X[5, 1] = -np.inf  # of which exp is 0: ruin
    names = [oracle.name for oracle in oracles.table(np.exp(X / 9), y, "log_wealth")]
    assert names == ["uniform", "best expert", "best convex"]
    with pytest.raises(ValueError, match=r"the losses of the experts\[5, 1\] = inf"):
        oracles.best_shifting(np.exp(X / 9), y, "log_wealth")


X2, Y2 = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X2[0], Y2), r"experts has shape \(2,\)"),
        ((X2, Y2[:1]), r"y has shape \(1,\), not \(2,\)"),
        ((X2, Y2 * math.nan), r"y\[0\] = nan"),
        ((X2 + math.inf, Y2), r"experts\[0, 0\] = inf is not finite; NaN is for sleeping"),
        (([[math.nan] * 2, [1, 2]], Y2), r"experts\[0\] has no expert awake"),
        ((X2, Y2, "square"), r"loss='square' is not one of"),
        ((X2, Y2, 3.0), r"loss=3.0 has no value and derivative"),
    ],
)
@pytest.mark.parametrize(
    "oracle",
    [
        oracles.uniform, oracles.best_expert, oracles.best_convex, oracles.best_linear,
        oracles.best_shifting, oracles.table,
    ],
)  # fmt: skip
def test_bad_arguments_of_oracles(oracle, arguments, message):
    with pytest.raises(ValueError, match=message):
        oracle(*arguments)


@pytest.mark.skipif("REGRETLESS_DATA" not in os.environ, reason="REGRETLESS_DATA names no folder")
def test_the_oracles_of_opera():
    """R's opera on its electricity data: root mean squared errors, and weights, as printed."""
    folder = Path(os.environ["REGRETLESS_DATA"])
    if not (folder / "opera_r_oracle.txt").exists():
        pytest.skip(f"{folder} has no opera_r_oracle.txt")
    X = np.loadtxt(folder / "opera_experts.csv", delimiter=",", skiprows=1)
    y = np.loadtxt(folder / "opera_targets.csv", skiprows=1)
    printed = {}
    for line in (folder / "opera_r_oracle.txt").read_text().splitlines():
        word, *rest = line.split()
        if word == "oracle":
            printed[rest[0]] = [float(number) for number in rest[1:]]
    _, expert, _, linear, *shifting = oracles.table(X, y, shifts=4)
    for name, oracle in [("expert", expert), ("linear", linear)]:
        rmse, *weights = printed[name]
        assert math.sqrt(oracle.loss) == pytest.approx(rmse, abs=5e-5)  # four digits
        np.testing.assert_allclose(oracle.weights, weights, atol=5e-5)
    found = [math.sqrt(oracle.loss) for oracle in (expert, *shifting)]
    assert found == pytest.approx(printed["shifting"], abs=5e-5)
