"""Regrets against brute force, other formulations and identities."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from regretless.experts import regrets


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
        (lambda: regrets.to_experts([[1.0, "a"]]), "r=.* is not made of numbers"),
        (lambda: regrets.to_experts([1.0, 2.0]), r"r has shape \(2,\)"),
        (lambda: regrets.to_best(np.empty((0, 2))), r"r has shape \(0, 2\)"),
        (lambda: regrets.to_best([[math.inf]]), r"r\[0, 0\] = inf is not finite"),
        (lambda: regrets.to_quantile(R, 0.0), r"quantile=0.0 is outside \(0, 1\]"),
        (lambda: regrets.to_quantile(R, 1.1), r"quantile=1.1 is outside"),
        (lambda: regrets.to_quantile(R, math.nan), r"quantile=nan is outside"),
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
        (lambda: regrets.to_sequence(R, R[:2]), r"U has shape \(2, 2\), not \(3, 2\)"),
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
