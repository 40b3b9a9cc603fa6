"""What is proven of players of experts holds: to the best, to a share, in intervals and over turns."""

import math
from fractions import Fraction

import numpy as np
import pytest
from reference.experts import (
    MAKE,
    PRIOR,
    PRIORS,
    SLEEPERS,
    STREAMS,
    N,
    awake_at_random,
    every_player,
    every_stream,
)

from regretless.experts import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    FixedShare,
    Hedge,
    MLPoly,
    NormalHedgeDT,
    PolynomialWeights,
    RandomizedWeightedMajority,
    SecondOrderHedge,
    Squint,
    TwoNorm,
    regrets,
)


def comparators(player):
    yield None, None
    for i in range(N):
        yield i, None
    for u in (PRIOR, np.array([0.5, 0.5, 0, 0, 0]), np.full(N, 1 / N)):
        yield u, None
    for quantile in (0.2, 0.4, 0.6, 1.0):
        yield None, quantile


@every_player
@every_stream
def test_the_bound_holds(name, stream):
    player = MAKE[name]()
    for part in np.array_split(STREAMS[stream], 6):
        player.run(part)
        for u, quantile in comparators(player):
            certificate = player.certificate(u, quantile=quantile)
            assert certificate.holds, (u, quantile, certificate)


@pytest.mark.parametrize("name", PRIORS)
def test_the_bound_holds_with_a_prior(name):
    player = MAKE[name](prior=PRIOR)
    for part in np.array_split(STREAMS["turns"][::-1], 6):
        player.run(part)
        for u, quantile in comparators(player):
            assert player.certificate(u, quantile=quantile).holds


@pytest.mark.parametrize("name", SLEEPERS)
def test_the_bound_holds_with_sleepers(name):
    confidence = awake_at_random(2)
    if name.startswith("hedge"):
        confidence = np.ceil(confidence)
    for stream in ("signs", "turns", "one is best"):
        player = MAKE[name]()
        player.run(np.where(confidence > 0, STREAMS[stream], np.nan), confidence)
        for u, quantile in comparators(player):
            assert player.certificate(u, quantile=quantile).holds


@every_player
def test_an_adversary_that_hits_the_heaviest(name):
    """What weighs most loses, the others do not: the worst a round can be."""
    player = MAKE[name]()
    for t in range(300):
        p = player.weights
        losses = np.zeros(N)
        losses[int(np.argmax(p)) if t % 2 else int(t // 2 % N)] = 1.0
        player.update(losses)
    for u, quantile in comparators(player):
        assert player.certificate(u, quantile=quantile).holds
    if name not in ("fixed share", "normal-hedge"):
        assert min(player.certificate().bounds.values()) < 300  # it says something


@every_player
def test_a_run_that_goes_on_is_bounded_by_itself(name):
    """The theorem is about all rounds: what was won before can be lost in the run."""
    player = MAKE[name]()
    player.run(STREAMS["turns"])
    run = player.run(STREAMS["turns"][::-1])
    for notion in (
        {},
        {"comparator": 2},
        {"comparator": PRIOR},
        {"quantile": 0.4},
        {"quantile": 1.0},
    ):
        assert run.regret(**notion) <= run.bound(**notion)
    if name == "hedge":
        proved = player.certificate(2).bounds["hoeffding"] - run.before.regrets[2]
        assert run.certificate(2).bounds["hoeffding"] == pytest.approx(proved)


def test_published_bounds():
    """The tuned rates reach what the texts promise, and the certificates are no larger."""
    T, n = 400, 10
    losses = (np.random.default_rng(5).random((T, n)) < 0.5) * 1.0
    log_n = math.log(n)
    assert Hedge(n, rate="horizon", horizon=T).run(losses).bound() == pytest.approx(
        math.sqrt(T * log_n / 2)
    )
    assert Hedge(n).run(losses).bound() <= 2 * math.sqrt(T * log_n / 2) + math.sqrt(log_n / 8)
    limit = math.sqrt(2) / (math.sqrt(2) - 1) * math.sqrt(T * log_n / 2) + math.sqrt(log_n / 2)
    assert Hedge(n, rate="doubling").run(losses).bound() <= limit
    tuned = RandomizedWeightedMajority(n, horizon=T)
    assert tuned.run(losses).bound() <= 2 * math.sqrt(T * log_n)
    assert (
        SecondOrderHedge(n, horizon=T).run(losses).bound()
        <= log_n + math.sqrt(2 * T * log_n) + 1e-9
    )
    assert (
        PolynomialWeights(n).run(losses).bound() <= math.sqrt(math.e * (2 * log_n - 1) * T) + 1e-9
    )
    assert TwoNorm(n).run(losses).bound(quantile=0.5) == pytest.approx(math.sqrt(2 * T))
    dt = (math.exp(4 / 3) - 1) * (math.log(T) + 1)
    assert NormalHedgeDT(n).run(losses).bound(quantile=0.3) <= math.sqrt(
        3 * T * math.log(dt / 0.6 + 1)
    )
    ada = AdaNormalHedge(n).run(losses)
    assert ada.bound() <= math.sqrt(3 * T * (log_n + math.log(2.5 + 1.5 * math.log(1 + T))))


def test_potentials_of_ada_normal_hedge_stay_below():
    """Luo (2016), Lemma 4: sum q Phi(R, C) <= B after every round."""
    for stream in STREAMS.values():
        player = AdaNormalHedge(N, prior=PRIOR)
        for row in stream:
            player.update(row)
            R, C = player.regrets, np.asarray(player._engine.spread)
            phi = np.where(C > 0, np.exp(np.maximum(R, 0) ** 2 / (3 * np.where(C > 0, C, 1))), 1)
            assert PRIOR @ phi <= 1 + 1.5 * PRIOR @ (1 + np.log1p(C)) + 1e-12


def test_potentials_of_squint_stay_below():
    """The sum of `q Phi(R, V)`, by an integral written anew, is never above 0."""
    eta = (np.arange(200_000) + 0.5) / 400_000  # midpoints of [0, 1/2]
    for stream in STREAMS.values():
        player = Squint(N, prior=PRIOR)
        for row in stream[:20]:
            player.update(row)
            R, V = player.regrets, np.asarray(player._engine.spread)
            phi = [np.mean(np.expm1(eta * a - eta**2 * v) / eta) / 2 for a, v in zip(R, V)]
            assert PRIOR @ phi <= 1e-9


def test_small_losses_make_small_regret():
    """One expert is perfect: Hedge tuned for the worst case pays for it, the adaptive ones do not."""
    losses = np.ones((2000, N))
    losses[:, 0] = 0.0
    plain = Hedge(N).run(losses)
    for player in (Hedge(N, rate="small-loss"), AdaNormalHedge(N), Squint(N)):
        run = player.run(losses)
        assert run.regret() < 12
        assert run.regret() <= run.bound()
    assert Hedge(N, rate="small-loss").run(losses).bound() < plain.bound() / 4


both_versions = pytest.mark.parametrize("streaming", [False, True])


@both_versions
def test_tv_against_turns(streaming):
    losses = np.repeat(1.0 - np.eye(3)[[0, 1, 2, 0]], 40, axis=0)
    run = AdaNormalHedgeTV(3, streaming=streaming).run(losses)
    assert run.loss < (0.8 if streaming else 0.7) * Hedge(3).run(losses).loss
    for shifts in range(5):
        assert run.regret(shifts=shifts) <= run.bound(shifts=shifts) < math.inf
    assert run.regret(interval="worst") <= run.bound(interval="worst") < math.inf
    U = np.abs(np.random.default_rng(1).normal(size=losses.shape))
    assert run.regret(sequence=U) <= run.bound(sequence=U) < math.inf
    turns = np.repeat(np.eye(3)[[0, 1, 2, 0]], 40, axis=0)
    assert run.regret() <= run.bound() == run.bound(shifts=0)
    proved = run.certificate().bounds["intervals"]  # the player keeps what the run can measure
    assert run.after.certificate().bounds["intervals"] == pytest.approx(proved)
    assert run.regret(sequence=turns) == pytest.approx(run.regret(shifts=3))
    assert run.bound(sequence=turns) == pytest.approx(run.bound(shifts=3))
    if not streaming:  # Theorem 7 follows by Cauchy and Schwarz
        logarithm = 3 * (math.log(math.pi**2 / 2 * 160**2) + math.log(2.5 + 1.5 * math.log(161)))
        spent = np.vdot(U, np.abs(run.instantaneous))
        assert run.bound(sequence=U) <= math.sqrt(logarithm * regrets.variation(U) * spent)


@both_versions
@pytest.mark.parametrize("confidence", [None, awake_at_random()], ids=["awake", "sleepers"])
@every_stream
def test_every_interval_is_certified(stream, confidence, streaming):
    """Luo (2016), section 2.3.3, by brute force; also in a run that goes on."""
    player = AdaNormalHedgeTV(N, streaming=streaming)
    for losses in (STREAMS[stream], STREAMS[stream][::-1]):
        run = player.run(losses, confidence)
        earlier = run.before.rounds
        for start in range(0, 60, 7):
            for stop in range(start + 1, 61, 5):
                for i in range(N):
                    regret = run.instantaneous[start:stop, i].sum()
                    bound = player._interval_bound(earlier, run.spread, start, stop, i)
                    assert regret <= bound + run.certificate(i).rounding


def _parts(rounds):
    """How many of the rounds 1 to 3, 4 to 15, ... there were some of."""
    return (rounds.bit_length() + 1) // 2


def test_an_interval_is_covered_by_copies_that_are_alive():
    """Each part begins with a copy that the player keeps to its end, and lives grow fast."""
    player, kept = AdaNormalHedgeTV(1), []
    for t in range(300):
        _ = player.weights
        starts = player._engine.state()[4 + _parts(t) :]
        kept.append(set(starts[: len(starts) // 3].astype(int)))
        player.update([0.5])
    for first in range(1, 120):
        for last in range(first, 300, 17):
            parts = list(player._lives(first, last))
            assert [first, *(stop + 1 for _, stop in parts)] == [
                *(start for start, _ in parts),
                last + 1,
            ]
            assert len(parts) <= 2 + math.log(last + 1 - first, 4)
            for start, stop in parts:
                assert all(start in kept[t - 1] for t in range(start, stop + 1))
    assert list(AdaNormalHedgeTV(1, streaming=False)._lives(7, 300)) == [(7, 300)]


def test_streaming_keeps_few_copies():
    player = AdaNormalHedgeTV(2)
    for t in range(1, 600):
        player.update([0.0, 1.0])
        copies = (len(player._engine.state()) - 5 - 2 * _parts(t)) // 5
        assert copies <= 2 * (math.log2(t) + 1)


def test_fixed_share_against_turns():
    losses = np.repeat(1.0 - np.eye(2)[[0, 1, 0, 1]], 100, axis=0)
    player = FixedShare(2, horizon=400, shifts=3)
    run = player.run(losses)
    for shifts in range(6):
        assert run.regret(shifts=shifts) <= run.bound(shifts=shifts)
    assert run.loss < Hedge(2).run(losses).loss / 4


@pytest.mark.parametrize("unit", [1e-100, 1e-150, 1e100])
def test_runs_in_any_unit(unit):
    """A run tells the regret of its player, also where `arguments.vector` would make losses 0."""
    losses = unit * np.random.default_rng(0).random((24, 4))
    player = Hedge(4, range=(0.0, unit))
    run = player.run(losses)
    assert run.regret() == pytest.approx(player.regret(), rel=1e-9, abs=0)
    assert run.certificate().holds


@pytest.mark.parametrize("make", [MLPoly, BOA])
@pytest.mark.parametrize("unit", [1e-140, 1e-148, 1e-150, 1e-154, 1e-160, 1e-163, 1e-300])
def test_bounds_by_squares_that_are_nothing(make, unit):
    """Squares of regrets of less than 1e-154 are inexact or 0, and the bounds hold all the same."""
    rng = np.random.default_rng(0)
    for losses in (
        rng.random((24, 4)),
        rng.random((24, 1)) * np.eye(4)[0],
        2.0 ** np.arange(24)[:, None] * np.eye(4)[1],
    ):
        player, suffered, theirs = make(4), Fraction(0), [Fraction(0)] * 4
        for row in unit * losses:
            suffered += Fraction(player.update(row))
            theirs = [sum_of + Fraction(loss) for sum_of, loss in zip(theirs, row.tolist())]
            assert suffered - min(theirs) <= player.certificate().bound
            assert player.certificate().holds
