"""`play`: any two players; the gap is the sum of their mean regrets."""

import math
import pickle

import numpy as np
import pytest
from reference import games as reference
from scipy import sparse

from regretless.bandits import BanditMirrorDescent
from regretless.domains import Simplex
from regretless.experts import (
    BOA,
    AdaNormalHedge,
    Hedge,
    NormalHedge,
    RandomizedWeightedMajority,
    SecondOrderHedge,
)
from regretless.games import BestResponse, OptimisticHedge, RegretMatchingPlus, play, solve
from regretless.geometry import Entropy
from regretless.oco import ExponentiatedGradient, OnlineGradientDescent

CYCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
CLASSES = [Hedge, AdaNormalHedge, NormalHedge, BOA, RegretMatchingPlus, OptimisticHedge]


def test_the_golden_trace():
    """Hedge tuned for 100 rounds against best responses (Mohri et al. (2018), section 8.5)."""
    T = 100
    hedge = Hedge(3, rate=math.sqrt(8 * math.log(3) / T))
    run = play(hedge, BestResponse(3), CYCLE, T)
    np.testing.assert_allclose(run.column, [0.34, 0.33, 0.33], atol=1e-12)
    assert run.upper == pytest.approx(0.5237679, abs=5e-8)
    assert run.lower == pytest.approx(0.495, abs=1e-12)
    assert run.row_seat.regret() / T == pytest.approx(0.0299698, abs=5e-8)
    assert hedge.certificate().bound / T == pytest.approx(0.0741152, abs=5e-8)
    assert run.bound() / T == pytest.approx(0.0741152, abs=5e-8)
    assert run.gap <= run.row_seat.regret() / T <= hedge.certificate().bound / T


@pytest.mark.parametrize("row", CLASSES)
@pytest.mark.parametrize("column", [Hedge, AdaNormalHedge, BestResponse])
def test_the_gap_is_the_sum_of_mean_regrets(row, column):
    """An identity, whatever the players do; what they lost is what they say."""
    A, T = 5.0 * np.random.default_rng(0).normal(size=(6, 8)), 300
    run = play(row, column, A, T)
    regrets = run.row_seat.regret() + run.column_seat.regret()
    # the products of 6 and 8 numbers, T times
    assert run.gap == pytest.approx(regrets / T, abs=1e-11)
    assert run.regret() == pytest.approx(regrets, abs=1e-9)
    assert (run.regret_curve() <= run.bound_curve()).all()
    assert run.gap == pytest.approx(reference.gap(A, run.row, run.column), abs=1e-12)
    assert run.gaps[-1] == pytest.approx(run.gap, abs=1e-11)
    assert run.lower <= reference.value_by_linear_programme(A) <= run.upper
    assert run.lower <= run.value <= run.upper
    certificate = run.certificate()
    assert certificate.holds
    assert certificate.gap == pytest.approx(
        (certificate.row_regret + certificate.column_regret) / T, abs=1e-11
    )
    assert run.rounds == T
    if column is BestResponse:
        assert run.column_seat.regret() <= run.column_seat.bound() <= 1e-9
        assert run.players == (row.__name__, "BestResponse")


def test_players_know_their_own_regrets():
    """What the run says of them and what they say themselves."""
    A = np.random.default_rng(1).random((4, 5))
    row, column = Hedge(4), AdaNormalHedge(5)
    run = play(row, column, A, 50)
    assert run.row_seat.regret() == pytest.approx(row.regret(), abs=1e-10)
    assert run.column_seat.regret() == pytest.approx(column.regret(), abs=1e-10)
    assert run.loss == pytest.approx(row.loss, abs=1e-10)


def test_players_that_go_on():
    """Their theorems are about all rounds; what was won before is counted against them."""
    A = np.random.default_rng(1).random((4, 4))
    for row, column in (
        (Hedge(4), AdaNormalHedge(4)),
        (ExponentiatedGradient(4), OnlineGradientDescent(4, domain=Simplex())),
    ):
        for payoffs in (A, 1.0 - A, A[::-1]):
            run = play(row, column, payoffs, 40)
            p, q = (s.table.sum(axis=0) for s in (run.row_seat, run.column_seat))
            for i in range(4):
                for seat, sums in ((run.row_seat, p), (run.column_seat, q)):
                    regret = seat.losses.sum() - sums[i]
                    assert seat.regret(i) == pytest.approx(regret, abs=1e-12)
                    assert (seat.regret_curve(i) <= seat.bound_curve(i)).all()
                    assert seat.certificate(i).holds
                    assert seat.certificate(i).bound <= 40 * np.ptp(payoffs) + 1e-9
            assert run.certificate().holds
            assert run.rounds == 40
            assert run.regret((0, 3)) == run.row_seat.regret(0) + run.column_seat.regret(3)
            again = pickle.loads(pickle.dumps(run.certificate()))
            assert again == run.certificate()
    with pytest.raises(ValueError, match="is not a pair of choices"):
        run.regret(3)
    with pytest.raises(ValueError, match="comparator=9"):
        run.row_seat.regret(9)


def test_the_row_player_may_answer():
    run = play(BestResponse, Hedge, CYCLE, 200)
    assert (run.row_seat.regret_curve() <= run.row_seat.bound_curve()).all()
    assert run.gap <= run.column_seat.regret() / 200 + 1e-12
    tall = play(BestResponse, Hedge, np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), 10)
    assert tall.row[1] == 0.0  # ties: the first


def test_simultaneous_self_play_is_that_of_solve():
    """Hedge against Hedge, in the core and by hand."""
    A = np.random.default_rng(2).random((7, 4))
    run = play(Hedge, Hedge, A, 40)
    eq = solve(A, method="hedge", rounds=40, polish=False)
    np.testing.assert_allclose(run.row, eq.average_row, atol=1e-12)
    np.testing.assert_allclose(run.column, eq.average_column, atol=1e-12)
    bounds = (run.certificate().bounds, eq.certificate().bounds)
    assert bounds[0]["regrets of both"] == pytest.approx(bounds[1]["regrets of both"], rel=1e-9)
    assert run.gap == pytest.approx(eq.average_gap, abs=1e-12)


def test_other_players():
    """Those that draw, those of convex optimisation, those of sparse games, and somebody's own."""

    class Stubborn:
        weights = np.array([1.0, 0.0, 0.0])
        told = 0

        def update(self, losses):
            self.told += 1

    def bandit(seed):
        return BanditMirrorDescent(Entropy(), 3, rate=0.05, seed=seed)

    for row, column in (
        (bandit(0), bandit(1)),
        (OnlineGradientDescent(3, domain=Simplex(), rate=0.1), Hedge(3)),
        (RandomizedWeightedMajority(3, beta=0.9), SecondOrderHedge(3, beta=0.9)),
        (Stubborn(), BestResponse(3)),
        (ExponentiatedGradient(3, rate=0.1), Stubborn()),
    ):
        run = play(row, column, sparse.csr_array(CYCLE), 400)
        assert run.gap == pytest.approx(run.regret() / 400, abs=1e-11)
        assert run.regret() <= run.bound()
        assert run.lower <= 0.5 <= run.upper
        assert run.row.sum() == pytest.approx(1.0)
    drawn = play(bandit(0), bandit(1), CYCLE, 400)
    assert set(drawn.losses) <= {0.0, 0.5, 1.0}
    assert play(bandit(0), bandit(1), CYCLE, 400).losses.tolist() == drawn.losses.tolist()
    stubborn = Stubborn()
    assert play(stubborn, BestResponse, CYCLE, 5).losses.tolist() == [1.0] * 5
    assert stubborn.told == 5


def test_constant_games_and_single_choices():
    assert play(Hedge, Hedge, [[2.0, 2.0]], 3).gap == 0.0
    assert play(AdaNormalHedge, BestResponse, [[7.0]], 1).value == 7.0


@pytest.mark.parametrize(
    ("row", "column", "payoffs", "rounds", "message"),
    [
        (Hedge, Hedge, CYCLE, 0, "rounds=0 must be a whole number"),
        (Hedge, Hedge, CYCLE, 2.0, "rounds=2.0 must be a whole number"),
        (Hedge, Hedge, [[np.nan]], 5, "payoffs.0, 0. = nan is not finite"),
        (Hedge, Hedge, [[1e200, 0.0]], 5, "beyond 1e150"),
        (Hedge(2), Hedge, CYCLE, 5, "has 2 choices, but the game has 3"),
        (BestResponse, BestResponse, CYCLE, 5, "one must begin"),
        (Hedge(3), Hedge(3), 9 * np.eye(3), 5, "outside range"),
    ],
)
def test_bad_input(row, column, payoffs, rounds, message):
    with pytest.raises(ValueError, match=message):
        play(row, column, payoffs, rounds)


def test_who_is_no_player():
    with pytest.raises(ValueError, match="row_player=3 has no weights, point, act or respond"):
        play(3, Hedge, CYCLE, 5)


def test_pictures():
    even = play(Hedge, Hedge, CYCLE, 50)  # no gap at all, and no logarithm of it
    assert even.plot().get_yscale() == "linear"
    run = play(Hedge, AdaNormalHedge, CYCLE * [[1], [0.5], [1]], 50)
    axes = run.plot()
    assert axes.get_title("left") == "Hedge against AdaNormalHedge"
    assert run.plot(axes) is axes
    assert run.row_seat.plot().get_ylabel() == "regret"
    assert len(run.to_frame()) == 50
