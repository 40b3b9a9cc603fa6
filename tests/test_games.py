"""Self-play does what its transcription does, and what it proves is true of the game."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import games as reference
from scipy import sparse

from regretless.games import Equilibrium, OptimisticHedge, RegretMatchingPlus, solve
from regretless.games.payoffs import Payoffs
from regretless.games.solve import METHODS, polished

CYCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
REFERENCES = {
    "predictive-regret-matching+": (lambda n: reference.RegretMatchingPlus(n, True), True, 2),
    "regret-matching+": (reference.RegretMatchingPlus, True, 1),
    "optimistic-hedge": (reference.OptimisticHedge, False, 0),
    "hedge": (reference.Hedge, False, 0),
    "ada-normal-hedge": (reference.AdaNormalHedge, False, 0),
}


def uniform(m, n, seed=0):
    return np.random.default_rng(seed).random((m, n))


def skewed(n, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A - A.T


def whole(m, n, low, high, seed=0):
    return np.random.default_rng(seed).integers(low, high, (m, n)).astype(float)


def product(m, n, rank, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(m, rank)) @ random.normal(size=(rank, n))


def curve(n):
    x = np.linspace(0, 1, n)
    return np.sin(9 * np.abs(x[:, None] - x)) + x[:, None]


GAMES = {
    "uniform": uniform(40, 30),
    "wide": uniform(5, 200, 1),
    "tall": uniform(150, 7, 2),
    "normal": np.random.default_rng(3).normal(size=(35, 35)),
    "skew-symmetric": skewed(25, 4),
    "whole numbers": whole(20, 24, -3, 4, 5),
    "zeros and ones": whole(30, 30, 0, 2, 6),
    "rank 1": product(20, 30, 1, 7),
    "rank 3": product(40, 40, 3, 8),
    "diagonal, badly scaled": np.diag(2.0 ** -np.arange(9)),
    "copies of rows and columns": np.tile(uniform(6, 5, 9), (4, 5)),
    "smooth": curve(25),
    "saddle point": whole(10, 10, 0, 9, 10) + 100 * np.add.outer(-np.eye(10)[3], np.eye(10)[4]),
    "Hilbert": 1.0 / (1.0 + np.add.outer(np.arange(12), np.arange(12))),
    "far from 0": 1e6 + uniform(12, 13, 11),
}


# --- the transcription -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["uniform", "wide", "skew-symmetric", "whole numbers"])
def test_self_play_is_that_of_the_transcription(method, name):
    """Averages, last strategies and regrets, all to rounding."""
    A, rounds = GAMES[name], 60
    make, alternating, power = REFERENCES[method]
    expected = reference.self_play(
        A, *(make(n) for n in A.shape), rounds=rounds, alternating=alternating, power=power
    )
    eq = solve(A, method=method, rounds=rounds, polish=False, tolerance=1e-12)
    assert eq.rounds == rounds
    # predictions of 60 rounds amplify the rounding of the first ones
    close = {"rtol": 0, "atol": 1e-9 * np.ptp(A)}
    for found, wanted in (
        ((eq.average_row, eq.average_column), expected["average"]),
        ((eq.last_row, eq.last_column), expected["last"]),
    ):
        for mine, theirs in zip(found, wanted):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)
    np.testing.assert_allclose(eq.average_gap, reference.gap(A, *expected["average"]), **close)
    np.testing.assert_allclose(eq.last_gap, reference.gap(A, *expected["last"]), **close)
    certificate = eq.certificate()
    for part in ("row_regret", "column_regret", "answered"):
        mean = getattr(certificate, part) / rounds
        np.testing.assert_allclose(mean, expected[part], **close)


@pytest.mark.parametrize("predictive", [False, True])
def test_regret_matching_is_that_of_the_transcription(predictive):
    losses = np.random.default_rng(0).random((200, 6))
    mine, theirs = (
        RegretMatchingPlus(6, predictive=predictive),
        reference.RegretMatchingPlus(6, predictive),
    )
    for row in losses:
        np.testing.assert_allclose(mine.weights, theirs.weights, atol=1e-12)
        mine.update(row)
        theirs.update(row)
    bounds = mine.certificate().bounds
    assert bounds["surprises"] == pytest.approx(np.sqrt(theirs.surprises), rel=1e-12)


def test_optimistic_hedge_is_that_of_the_transcription():
    mine, theirs = OptimisticHedge(6), reference.OptimisticHedge(6)
    for row in np.random.default_rng(0).random((200, 6)):
        np.testing.assert_allclose(mine.weights, theirs.weights, atol=1e-12)
        mine.update(row)
        theirs.update(row)
        assert mine.certificate().bounds["surprises"] == pytest.approx(theirs.bound, rel=1e-12)


@pytest.mark.parametrize("make", [RegretMatchingPlus, OptimisticHedge])
@pytest.mark.parametrize("kind", ["random", "turns", "adversary"])
def test_players_keep_their_bounds(make, kind):
    """Also against losses that hit whatever weighs most."""
    random = np.random.default_rng(1)
    players = [make(5), make(5, range=(-2.0, 6.0))]
    players += [RegretMatchingPlus(5, predictive=True)] if make is RegretMatchingPlus else []
    for player in players:
        low, high = player.range
        for t in range(400):
            losses = random.random(5) * 0.3
            if kind == "turns":
                losses = np.eye(5)[t % 5]
            elif kind == "adversary":
                losses = (player.weights == player.weights.max()) * 1.0
            player.update(low + (high - low) * losses)
            certificate = player.certificate()
            assert certificate.holds
            assert certificate.regret <= certificate.bound + 1e-9
            for i in range(5):
                assert player.certificate(i).holds


# --- linear programming ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("turned", [False, True])
def test_the_value_is_that_of_linear_programming(name, turned):
    """To 1e-6, for both players' sides, and within the bounds."""
    A = GAMES[name]
    value = reference.value_by_linear_programme(A)
    eq = solve(-A.T if turned else A)
    if turned:
        value = -value
    size = np.abs(A).max()
    assert eq.converged
    assert eq.gap <= 1e-6
    assert abs(eq.value - value) <= 1e-6
    # HiGHS is right to 1e-9 or so of what the payoffs are
    assert eq.lower - 1e-8 * size <= value <= eq.upper + 1e-8 * size
    for strategy in (eq.row, eq.column):
        assert (strategy >= 0).all()
        assert strategy.sum() == pytest.approx(1.0, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-4, 4), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )
)
def test_small_games_of_whole_numbers(rows):
    """Degenerate ones of every kind."""
    A = np.array(rows, float)
    eq = solve(rows)
    assert eq.converged
    assert abs(eq.value - reference.value_by_linear_programme(A)) <= 1e-6
    assert eq.upper >= (eq.row @ A).max()
    assert eq.lower <= (A @ eq.column).min()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_value(method):
    """And keeps the theorem's bound, polished or not."""
    A = GAMES["zeros and ones"]
    value = reference.value_by_linear_programme(A)
    for polish in (False, True):
        eq = solve(A, method=method, rounds=4000, polish=polish, tolerance=1e-9)
        assert eq.method == method
        assert eq.lower <= value + 1e-9
        assert eq.upper >= value - 1e-9
        assert eq.gap <= eq.average_gap
        # the strategies are those that the bounds are of
        assert (eq.row @ A).max() == pytest.approx(eq.upper, abs=1e-12)
        assert (A @ eq.column).min() == pytest.approx(eq.lower, abs=1e-12)
        certificate = eq.certificate()
        assert certificate.holds
        assert eq.average_gap <= certificate.bound / eq.rounds + 1e-9
        assert certificate.gap == pytest.approx(eq.average_gap, abs=1e-12)
    plain = solve(A, method=method, rounds=4000, polish=False, tolerance=1e-9)
    assert not plain.polished
    assert plain.gap < {"hedge": 0.02, "ada-normal-hedge": 0.02}.get(method, 1e-3)


def test_the_polish_does_what_rounds_do_not():
    """Taken only because it is better: the same rounds without it are far from 1e-9."""
    A = uniform(60, 60, 12)
    eq, plain = solve(A, tolerance=1e-9), solve(A, tolerance=1e-9, polish=False, rounds=4096)
    assert eq.polished
    assert eq.gap <= 1e-9 < plain.gap
    assert not plain.converged
    assert abs(eq.value - plain.value) <= plain.gap


def test_guesses_at_the_support():
    """A choice that would need a negative probability is left out; guesses are more or less bold."""
    even = np.full(2, 0.5)
    game = Payoffs(np.array([[0.0, 2.0], [1.0, 5.0]]))
    pairs = [(p.tolist(), q.tolist()) for p, q in polished(game, even, even)]
    assert ([1.0, 0.0], [1.0, 0.0]) in pairs  # (2, -1) and (1.5, -0.5), cut
    assert len(pairs) > 1
    assert all(sum(s) == pytest.approx(1.0) for pair in pairs for s in pair)
    # probabilities from 2^-9 to 1/2: at 1 the rarest choices are taken for unused
    assert solve(GAMES["diagonal, badly scaled"], tolerance=1e-12, rounds=2048).converged


# --- bounds are certain ----------------------------------------------------------------------------


def exact_bounds(A, p, q):
    """In fractions, of the strategies as they are, scaled to 1."""
    p, q = ([Fraction(x) for x in s.tolist()] for s in (p, q))
    A = [[Fraction(x) for x in row] for row in A.tolist()]
    gains = [sum(p[i] * A[i][j] for i in range(len(p))) for j in range(len(q))]
    losses = [sum(A[i][j] * q[j] for j in range(len(q))) for i in range(len(p))]
    return min(losses) / sum(q), max(gains) / sum(p)


@pytest.mark.parametrize("name", ["normal", "far from 0", "zeros and ones", "smooth"])
def test_bounds_hold_in_exact_arithmetic(name):
    """Rounding is allowed for: the exact bounds are inside, and not by much."""
    A = GAMES[name][:20, :20]
    eq = solve(A, tolerance=1e-12 * np.abs(A).max())
    lower, upper = exact_bounds(A, eq.row, eq.column)
    assert Fraction(eq.lower) <= lower
    assert upper <= Fraction(eq.upper)
    assert float(lower - Fraction(eq.lower)) <= 1e-13 * np.abs(A).max()


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_where_numbers_end(seed):
    """Scaled back to what has only a few digits, bounds are rounded outward."""
    A = np.ldexp(uniform(5, 4, seed), -1068)
    eq = solve(A, rounds=40, polish=False)
    lower, upper = exact_bounds(A, eq.row, eq.column)
    assert Fraction(eq.lower) <= lower <= upper <= Fraction(eq.upper)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300, 1.7e308])
@pytest.mark.parametrize("method", ["auto", "hedge"])
def test_extreme_scales(scale, method):
    """The same game in other units has the same strategies."""
    A = 2.0 * uniform(12, 9, 13) - 1.0
    A /= np.abs(A).max()
    unit = solve(A, method=method, rounds=300, tolerance=1e-7)
    eq = solve(A * scale, method=method, rounds=300, tolerance=1e-7 * scale)
    assert np.isfinite(solve(A * scale, rounds=1).tolerance)
    coarse = 1e-5 if scale < 1e-308 else 1e-9  # numbers below 2.2e-308 have few digits
    assert eq.converged == unit.converged
    assert eq.lower <= eq.value <= eq.upper
    assert np.isfinite([eq.lower, eq.upper]).all()
    np.testing.assert_allclose(eq.value / scale, unit.value, atol=coarse)
    np.testing.assert_allclose(eq.row, unit.row, atol=1e-3 if scale < 1e-308 else 1e-6)
    assert eq.certificate().holds


# --- kinds of payoffs ------------------------------------------------------------------------------


def test_sparse_matrices_stay_sparse():
    """The same answer as the dense ones, from what could never be made dense."""
    A = sparse.random_array((60, 50), density=0.15, rng=np.random.default_rng(0), format="coo")
    dense, thin = solve(A.toarray()), solve(A)
    assert abs(dense.value - thin.value) < 1e-6
    assert thin.converged
    n = 200_000  # of 4e10 entries
    huge = sparse.diags_array(np.ones(n), format="csc", shape=(n, n))
    eq = solve(huge, rounds=3)
    assert eq.lower <= 1 / n <= eq.upper
    assert eq.converged
    full = solve(sparse.csr_array(CYCLE + 1.0))
    assert full.value == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize(
    "payoffs",
    [
        [[0, 2], [1, 0]],
        [[Fraction(0), Fraction(2)], [Fraction(1), 0]],
        np.array([[0, 2], [1, 0]], np.int8),
        np.asfortranarray([[0.0, 2.0], [1.0, 0.0]], np.float32),
        sparse.coo_matrix([[0, 2], [1, 0]]),
        sparse.csr_array(([2, 1, 1, -1], ([0, 1, 1, 1], [1, 0, 0, 0])), shape=(2, 2)),
    ],
    ids=["list", "fractions", "integers", "Fortran", "sparse", "sparse with sums"],
)
def test_kinds_of_matrices(payoffs):
    eq = solve(payoffs)
    assert eq.value == pytest.approx(2 / 3, abs=1e-6)
    np.testing.assert_allclose(eq.row, [1 / 3, 2 / 3], atol=1e-6)
    np.testing.assert_allclose(eq.column, [2 / 3, 1 / 3], atol=1e-6)


def test_sparse_entries_that_are_given_twice():
    """They are added before anything is looked at."""
    places, starts = np.array([0, 0, 1, 0, 1, 1]), np.array([0, 3, 6])
    values = 0.01 * np.array([5.0, -5.0, 2.0, 1.0, 9.0, -9.0])
    A = sparse.csr_array((values, places, starts), shape=(2, 2))
    eq = solve(A)
    assert eq.value == pytest.approx(0.02 / 3, abs=1e-6)
    assert eq.tolerance == solve(A.toarray()).tolerance
    assert A.nnz == 6  # the caller's matrix is as it was


def test_functions():
    asked = []
    eq = solve(lambda i, j: asked.append((i, j)) or CYCLE[i, j], shape=(3, 3))
    assert sorted(asked) == [(i, j) for i in range(3) for j in range(3)]
    assert eq.value == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (3, 3)])
def test_saddle_points_need_no_rounds(shape):
    A = uniform(*shape, 14) if 1 in shape else np.full(shape, -2.5)
    eq = solve(A)
    assert eq.rounds == 0
    assert eq.gap == 0.0
    assert eq.value == A.max(axis=1).min()
    assert eq.certificate().holds
    assert "converged after 0 rounds" in repr(eq)
    with pytest.raises(ValueError, match="nothing to draw"):
        eq.plot()


def test_who_maximises():
    """The same strategies in -A, and the value with the other sign."""
    A = GAMES["uniform"]
    eq, same = solve(A, row_maximises=True), solve(-A)
    assert (eq.lower, eq.upper, eq.value) == (-same.upper, -same.lower, -same.value)
    assert (eq.row == same.row).all()
    assert solve([[1, 2], [3, 4]]).value == 2.0
    assert solve([[1, 2], [3, 4]], row_maximises=True).value == 3.0


# --- limits and mistakes ---------------------------------------------------------------------------


def test_not_reaching_the_tolerance_is_said():
    A = GAMES["normal"]
    eq = solve(A, rounds=10, polish=False)
    assert not eq.converged
    assert eq.rounds == 10
    assert eq.gap > eq.tolerance
    assert "not converged after 10 rounds" in repr(eq)
    assert eq.lower <= reference.value_by_linear_programme(A) <= eq.upper
    beyond = solve(A, tolerance=1e-300)  # no arithmetic can show this
    assert not beyond.converged
    assert beyond.gap < 1e-12


@pytest.mark.parametrize("tolerance", [1e-13, 1e-14, 1e-15, 1e-16, 5e-324])
@pytest.mark.parametrize("name", ["rank 1", "whole numbers", "zeros and ones"])
def test_tolerances_near_rounding_come_to_an_end(name, tolerance):
    """What the core's sums say and what is measured afterwards differ there."""
    for polish in (False, True):
        eq = solve(GAMES[name], tolerance=tolerance, polish=polish, rounds=5000)
        assert eq.converged == (eq.gap <= tolerance)
        assert eq.rounds == 5000 or eq.gap < 1e-12


def test_the_core_does_not_decide(monkeypatch):
    """Without the allowance the core thinks that it is done; what is measured says that it is not."""
    monkeypatch.setattr(Payoffs, "rounding", 0.0)
    eq = solve(GAMES["rank 1"], tolerance=5e-15, polish=False, rounds=3000)
    assert eq.rounds == 3000 or eq.converged


def test_tolerances():
    A = uniform(20, 20, 15)
    rounds = [solve(A, tolerance=t, polish=False).rounds for t in (1e-1, 1e-2, 1e-3)]
    assert rounds == sorted(rounds)
    for name, method in itertools.product(("uniform", "rank 3", "skew-symmetric"), METHODS):
        options = {"tolerance": 0.05 * np.ptp(GAMES[name]), "method": method, "polish": False}
        last = solve(GAMES[name], **options).rounds
        assert last > 1
        assert not solve(GAMES[name], rounds=last - 1, **options).converged  # not a round too many
    for unit, wanted in ((1.0, 1e-6 * np.ptp(A)), (100.0, 1e-6), (1e9, np.ptp(A))):
        assert solve(unit * A).tolerance == pytest.approx(wanted, rel=1e-9)
    assert solve(A, tolerance=1.0).rounds == 0  # the best pure strategies will do


def test_progress_and_determinism():
    seen = []
    A = uniform(30, 30, 16)
    one = solve(A, progress=lambda rounds, gap: seen.append((rounds, gap)))
    two = solve(A)
    assert (one.row == two.row).all()
    assert one.history[1].tolist() == two.history[1].tolist()
    assert [rounds for rounds, _ in seen] == sorted({rounds for rounds, _ in seen})
    assert seen[-1] == (one.rounds, one.gap)
    rounds, averages, last = one.history
    assert rounds[0] == 1
    assert len(rounds) == len(averages) == len(last)


@pytest.mark.parametrize(
    ("payoffs", "options", "message"),
    [
        ([], {}, "shape"),
        ([[]], {}, "shape"),
        (np.zeros((0, 3)), {}, r"shape \(0, 3\)"),
        ([1.0, 2.0], {}, r"shape \(2,\)"),
        (np.zeros((2, 2, 2)), {}, r"shape \(2, 2, 2\)"),
        ([[1, 2], [3]], {}, "not a matrix of numbers"),
        ([["1", "2"]], {}, "not a matrix of numbers"),
        ([[1j]], {}, "not a matrix of numbers"),
        ([[10**400]], {}, "not a matrix of numbers"),
        ([[1, 2], [np.nan, 4]], {}, r"payoffs\[1, 0\] = nan is not finite"),
        (sparse.csr_array([[0, 1], [0, np.inf]]), {}, r"payoffs\[1, 1\] = inf is not finite"),
        (None, {}, "shape"),
        ([[1, None]], {}, r"payoffs\[0, 1\] = nan"),
        ([[1, 2]], {"tolerance": 0}, "tolerance=0 must be positive"),
        ([[1, 2]], {"tolerance": -1e-3}, "tolerance=-0.001 must be positive"),
        ([[1, 2]], {"tolerance": np.nan}, "tolerance=nan must be positive"),
        ([[1, 2]], {"tolerance": "small"}, "tolerance='small' is not a number"),
        ([[1, 2]], {"rounds": 0}, "rounds=0 must be a whole number"),
        ([[1, 2]], {"rounds": 1.5}, "rounds=1.5 must be a whole number"),
        ([[1, 2]], {"method": "simplex"}, "method='simplex' is not one of 'auto', 'predictive"),
        ([[1, 2]], {"shape": (1, 2)}, "is for payoffs that are a function"),
        (lambda i, j: 0.0, {}, "give .rows, columns."),
        (lambda i, j: 0.0, {"shape": (0, 2)}, "both at least 1"),
        (lambda i, j: np.nan, {"shape": (1, 2)}, r"payoffs\[0, 0\] = nan"),
    ],
)
def test_bad_input(payoffs, options, message):
    with pytest.raises(ValueError, match=message):
        solve(payoffs, **options)


def test_pictures():
    eq = solve(GAMES["uniform"])
    assert isinstance(eq, Equilibrium)
    axes = eq.plot()
    labels = [line.get_label() for line in axes.lines]
    assert [label.partition(":")[0] for label in labels] == [
        "averages",
        "last strategies",
        "polished",
        "tolerance",
    ]
    assert eq.plot(axes) is axes
