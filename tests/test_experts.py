"""The players that mix experts: against oracles, equivalences, theorems on hard streams, bad input."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.experts import PLAYERS as ORACLES
from reference.experts import ada_normal, game

from regretless.experts import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    AdaptMLProd,
    FixedShare,
    Hedge,
    MLPoly,
    NormalHedge,
    NormalHedgeDT,
    PolynomialWeights,
    RandomizedWeightedMajority,
    SecondOrderHedge,
    Squint,
    TwoNorm,
    regrets,
)

N = 5
MAKE = {
    "hedge": lambda **o: Hedge(N, rate=0.7, **o),
    "hedge anytime": lambda **o: Hedge(N, **o),
    "hedge horizon": lambda **o: Hedge(N, rate="horizon", horizon=60, **o),
    "hedge doubling": lambda **o: Hedge(N, rate="doubling", **o),
    "hedge small-loss": lambda **o: Hedge(N, rate="small-loss", **o),
    "randomized": lambda **o: RandomizedWeightedMajority(N, beta=0.6, **o),
    "second order": lambda **o: SecondOrderHedge(N, beta=0.6, **o),
    "fixed share": lambda **o: FixedShare(N, rate=0.7, share=0.1, **o),
    "polynomial": lambda **o: PolynomialWeights(N, alpha=3.0, **o),
    "two-norm": lambda **o: TwoNorm(N, **o),
    "normal-hedge-dt": lambda **o: NormalHedgeDT(N, **o),
    "normal-hedge-dt 5": lambda **o: NormalHedgeDT(N, d=5.0, **o),
    "normal-hedge": lambda **o: NormalHedge(N, **o),
    "ada-normal-hedge": lambda **o: AdaNormalHedge(N, **o),
    "ada-normal-hedge 0": lambda **o: AdaNormalHedge(N, power=0.0, **o),
    "ada-normal-hedge 0.5": lambda **o: AdaNormalHedge(N, power=0.5, **o),
    "tv": lambda **o: AdaNormalHedgeTV(N, streaming=False, **o),
    "tv streaming": lambda **o: AdaNormalHedgeTV(N, **o),
    "ml-prod": lambda **o: AdaptMLProd(N, **o),
    "boa": lambda **o: BOA(N, **o),
    "ml-poly": lambda **o: MLPoly(N, **o),
    "squint": lambda **o: Squint(N, **o),
}
SLEEPERS = [name for name in MAKE if MAKE[name]()._sleeps]
PRIORS = [name for name in MAKE if name not in ("polynomial", "ml-prod")]
every_player = pytest.mark.parametrize("name", MAKE)
random = np.random.default_rng(0)
STREAMS = {
    "uniform": random.random((60, N)),
    "signs": (random.random((60, N)) < 0.5) * 1.0,
    "one is best": np.tile([0.0, 1.0, 1.0, 1.0, 1.0], (60, 1)),
    "turns": np.repeat(1.0 - np.eye(N), 12, axis=0),
    "alternating": np.tile([[0, 1, 1, 0, 0.5], [1, 0, 0, 1, 0.5]], (30, 1)),
    "equal": np.full((60, N), 0.3),
    "small": 0.01 * random.random((60, N)),
}
every_stream = pytest.mark.parametrize("stream", STREAMS)
PRIOR = np.array([0.5, 0.2, 0.15, 0.1, 0.05])


def awake_at_random(seed=1):
    confidence = np.random.default_rng(seed).choice([0.0, 0.3, 1.0], (60, N))
    confidence[:, 2] = 1.0
    return confidence


# -- against the oracle ------------------------------------------------------------------------------


@every_player
@every_stream
def test_oracle(name, stream):
    losses = STREAMS[stream]
    p, suffered, r = game(ORACLES[name], losses, np.full(N, 1 / N))
    run = MAKE[name]().run(losses)
    # weights are exponentials of sums of up to 60 numbers, and each round works on with the last; the
    # root of a regret that is 0 but for rounding is 1e-8
    off = 1e-8 if name == "ada-normal-hedge 0.5" else 1e-12
    np.testing.assert_allclose(run.weights, p, rtol=100 * off, atol=off)
    np.testing.assert_allclose(run.losses, suffered, atol=off)
    np.testing.assert_allclose(run.after.regrets, r.sum(axis=0), atol=60 * off)
    np.testing.assert_allclose(run.instantaneous, r, atol=off)
    assert run.loss == pytest.approx(run.after.loss)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_oracle_of_ml_prod_in_any_range(scale):
    losses = scale * STREAMS["uniform"]
    p, _, _ = game(ORACLES["ml-prod of any range"], losses, np.full(N, 1 / N))
    run = AdaptMLProd(N, range=None).run(losses)
    np.testing.assert_allclose(run.weights, p, rtol=1e-10, atol=1e-12)
    assert run.bound() == math.inf


@pytest.mark.parametrize("name", PRIORS)
def test_oracle_with_a_prior(name):
    losses = STREAMS["uniform"]
    p, _, _ = game(ORACLES[name], losses, PRIOR)
    np.testing.assert_allclose(
        MAKE[name](prior=PRIOR).run(losses).weights, p, rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize("name", [n for n in SLEEPERS if n != "ada-normal-hedge 0"])
def test_oracle_with_sleepers(name):
    confidence = awake_at_random()
    if name.startswith("hedge"):
        confidence = np.ceil(confidence)
    losses = np.where(confidence > 0, STREAMS["uniform"], np.nan)
    p, suffered, _ = game(ORACLES[name], np.nan_to_num(losses), np.full(N, 1 / N), confidence)
    run = MAKE[name]().run(losses, confidence)
    np.testing.assert_allclose(run.weights, p, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.losses, suffered, atol=1e-10)
    assert (run.weights[confidence == 0] == 0).all()


@every_player
def test_a_run_is_its_rounds(name):
    losses = STREAMS["uniform"]
    whole, single, again = MAKE[name](), MAKE[name](), MAKE[name]()
    run = whole.run(losses)
    for t, row in enumerate(losses):
        np.testing.assert_array_equal(single.weights, run.weights[t])
        assert single.update(row) == run.losses[t]
        if t == 20:
            again = pickle.loads(pickle.dumps(single))
    again.run(losses[21:], weights=False)
    for other in (single, again, whole.clone()):
        np.testing.assert_array_equal(other.weights, whole.weights)
        np.testing.assert_array_equal(other.regrets, whole.regrets)
        assert other.certificate() == whole.certificate()


@every_player
def test_saved_and_loaded(name, tmp_path):
    losses = STREAMS["uniform"]
    player = MAKE[name]()
    player.run(losses[:30])
    player.save(tmp_path / "player")
    again = type(player).load(tmp_path / "player")
    np.testing.assert_array_equal(again.run(losses[30:]).losses, player.run(losses[30:]).losses)
    assert repr(again) == repr(player)
    with pytest.raises(ValueError, match="holds a"):
        (Hedge if not isinstance(player, Hedge) else TwoNorm).load(tmp_path / "player")


@every_player
def test_losses_of_another_range(name):
    """The same game in other units: the same weights, and all that is in units follows."""
    losses = STREAMS["uniform"]
    plain, other = MAKE[name](), MAKE[name](range=(-2.0, 3.0))
    one, two = plain.run(losses), other.run(5.0 * losses - 2.0)
    if plain.range is None:
        plain = MAKE[name](range=(0.0, 1.0))
        one = plain.run(losses)
    np.testing.assert_allclose(one.weights, two.weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(5.0 * one.losses - 2.0, two.losses, atol=1e-11)
    np.testing.assert_allclose(5.0 * plain.regrets, other.regrets, atol=1e-10)
    assert 5.0 * plain.certificate().bound == pytest.approx(other.certificate().bound)


# -- theorems ----------------------------------------------------------------------------------------


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
    if name != "fixed share":
        assert player.certificate().bound < 300  # it says something


@every_player
def test_a_run_that_goes_on_is_bounded_by_itself(name):
    """The theorem is about all rounds: what was won before can be lost in the run."""
    player = MAKE[name]()
    player.run(STREAMS["turns"])
    run = player.run(STREAMS["turns"][::-1])
    for notion in ({}, {"expert": 2}, {"mixture": PRIOR}, {"quantile": 0.4}, {"quantile": 1.0}):
        assert run.regret(**notion) <= run.bound(**notion) + 1e-9
    if name == "hedge":
        assert run.bound(expert=2) == pytest.approx(
            player.certificate(2).bound - run.before.regrets[2]
        )


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
    """CHK-2.13a: sum q Phi(R, C) <= B after every round."""
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


# -- competitors that change -------------------------------------------------------------------------


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
    assert run.regret() <= run.bound() == run.bound(shifts=0) < run.after.certificate().bound
    assert run.regret(sequence=turns) == pytest.approx(run.regret(shifts=3))
    assert run.bound(sequence=turns) == pytest.approx(run.bound(shifts=3))
    if not streaming:  # Theorem 7 follows by Cauchy and Schwarz
        logarithm = 3 * (math.log(math.pi**2 / 2 * 160**2) + math.log(2.5 + 1.5 * math.log(161)))
        spent = np.vdot(U, np.abs(run.instantaneous))
        assert run.bound(sequence=U) <= math.sqrt(logarithm * regrets.variation(U) * spent)


@both_versions
@every_stream
def test_every_interval_is_certified(stream, streaming):
    """CHK-2.15, by brute force; also in a run that goes on."""
    player = AdaNormalHedgeTV(N, streaming=streaming)
    for run in (player.run(STREAMS[stream]), player.run(STREAMS[stream][::-1])):
        for start in range(0, 60, 7):
            for stop in range(start + 1, 61, 5):
                for i in range(N):
                    regret = run.instantaneous[start:stop, i].sum()
                    assert regret <= player._interval_bound(run, start, stop, i) + 1e-9


def test_an_interval_is_covered_by_copies_that_are_alive():
    """Each part begins with a copy that the player keeps to its end, and lives grow fast."""
    player, kept = AdaNormalHedgeTV(1), []
    for _ in range(300):
        _ = player.weights
        starts = player._engine.state()[3:]
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
        copies = (len(player._engine.state()) - 4) // 5
        assert copies <= 2 * (math.log2(t) + 1)


def test_fixed_share_against_turns():
    losses = np.repeat(1.0 - np.eye(2)[[0, 1, 0, 1]], 100, axis=0)
    player = FixedShare(2, horizon=400, shifts=3)
    run = player.run(losses)
    for shifts in range(6):
        assert run.regret(shifts=shifts) <= run.bound(shifts=shifts)
    assert run.loss < Hedge(2).run(losses).loss / 4


# -- equivalences ------------------------------------------------------------------------------------


@every_stream
def test_ada_normal_hedge_of_power_0_is_normal_hedge_dt(stream):
    one, two = (
        AdaNormalHedge(N, power=0.0).run(STREAMS[stream]),
        NormalHedgeDT(N).run(STREAMS[stream]),
    )
    np.testing.assert_allclose(one.weights, two.weights, atol=1e-13)


def test_tv_from_sleeping_experts():
    """Copies that sleep until round tau, with prior 1 / tau^2, are TV (thesis 2.15)."""
    T, n = 25, 3
    losses = np.random.default_rng(4).random((T, n))
    direct = AdaNormalHedgeTV(n, streaming=False).run(losses)
    prior = np.repeat(1.0 / np.arange(1, T + 1) ** 2, n)
    sleepers = AdaNormalHedge(T * n, prior=prior / prior.sum())
    for t in range(T):
        awake = np.repeat(np.arange(T) <= t, n) * 1.0
        p = sleepers.distribution(awake).reshape(T, n).sum(axis=0)
        np.testing.assert_allclose(p, direct.weights[t], atol=1e-12)
        sleepers.update(np.tile(losses[t], T), awake)


def test_randomized_weighted_majority_is_hedge_and_on_signs_second_order():
    signs = STREAMS["signs"]
    runs = [
        RandomizedWeightedMajority(N, beta=0.7).run(signs),
        Hedge(N, rate=-math.log(0.7)).run(signs),
        SecondOrderHedge(N, beta=0.7).run(signs),
        FixedShare(N, rate=-math.log(0.7), share=0.0).run(signs),
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.weights, runs[0].weights, atol=1e-12)


def test_golden_traces():
    """mohri, sections 3, 16 and 18."""
    advice = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]])
    wrong = (advice != np.array([0, 1, 1, 0])[:, None]) * 1.0
    run = RandomizedWeightedMajority(3, beta=0.5).run(wrong)
    np.testing.assert_allclose(run.losses, [2 / 3, 1 / 4, 2 / 7, 1 / 6])
    assert run.bound() + 0.0 == pytest.approx(2.197224577)
    rows = np.array([[0.2, 0.9, 0.5], [0.7, 0.1, 0.4], [0.0, 1.0, 0.3]])
    player = SecondOrderHedge(3, beta=0.6)
    assert player.run(rows).loss == pytest.approx(1.3876457655)
    np.testing.assert_allclose(player.weights, np.array([0.6624, 0.36864, 0.59136]) / 1.6224)


def test_rounds_asleep_do_not_count():
    """0^0 is 1 only for who is awake: the regret to a sleeper is bounded by the rounds it was awake."""
    player = AdaNormalHedge(2, power=0.0)
    for t in range(10):
        player.update([0.5, 1.0], [1.0, t % 5 == 0])
    np.testing.assert_array_equal(player._engine.spread, [10.0, 2.0])


def test_one_awake_expert_has_all_the_weight():
    for name in SLEEPERS:
        player = MAKE[name]()
        awake = np.eye(N)[3]
        assert player.distribution(awake)[3] == pytest.approx(1.0)
        assert player.update(np.where(awake > 0, 0.7, np.nan), awake) == pytest.approx(0.7)
        np.testing.assert_allclose(player.regrets, 0.0, atol=1e-15)


def test_another_unit():
    """After a change of unit the game is that of regrets and sizes in the new one."""
    player = AdaNormalHedge(N)
    player.run(STREAMS["uniform"])
    R, C = player.regrets, np.asarray(player._engine.spread)
    player.rescale(0.25)
    np.testing.assert_allclose(player.regrets, R / 4)
    w = ada_normal(R / 4, C / 4)
    np.testing.assert_allclose(player.weights, w / w.sum(), atol=1e-14)
    before = player.certificate().bound
    player.rescale(0.999999)  # B counts the change
    assert player.certificate().bound > before
    for bad in (0.0, 2.0):
        with pytest.raises(ValueError, match=r"outside \(0, 1\]"):
            player.rescale(bad)


def test_experts_that_appear_later():
    losses = np.random.default_rng(3).random((50, 4))
    growing, sleeping = AdaNormalHedge(2), AdaNormalHedge(4)
    for t, row in enumerate(losses):
        if t in (10, 30):
            growing.add()
        n = growing.n
        awake = (np.arange(4) < n) * 1.0
        np.testing.assert_allclose(growing.weights, sleeping.distribution(awake)[:n], atol=1e-13)
        growing.update(row[:n])
        sleeping.update(row, awake)
        assert growing.certificate().holds
    assert growing.n == 4
    again = pickle.loads(pickle.dumps(growing))
    np.testing.assert_array_equal(again.weights, growing.weights)


# -- numbers -----------------------------------------------------------------------------------------


@every_player
def test_extremes(name):
    """Long streams with a gap, one expert, two equal ones: always a distribution."""
    T = 20_000 if name != "tv" else 1_000
    losses = np.zeros((T, N))
    losses[:, 1:] = 1.0
    player = MAKE[name]()
    run = player.run(losses, weights=False)
    assert np.isfinite(run.losses).all()
    assert player.weights.sum() == pytest.approx(1.0)
    assert player.weights[0] > 0.5
    losses = losses[:, ::-1]
    player.run(losses, weights=False)
    assert np.isfinite(player.weights).all()
    assert player.certificate().holds


def test_ten_million_rounds():
    """No sum overflows, and the bound is there."""
    losses = np.zeros((100_000, 2))
    losses[::3, 0] = 1.0
    losses[::2, 1] = 1.0
    for player in (AdaNormalHedge(2), Hedge(2), Squint(2), NormalHedgeDT(2), BOA(2), MLPoly(2)):
        for _ in range(100):
            player.run(losses, weights=False)
        assert player.rounds == 10**7
        assert player.certificate().holds
        assert player.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("make", [AdaNormalHedge, Hedge, TwoNorm, Squint, BOA, MLPoly, NormalHedge])
def test_one_expert(make):
    player = make(1)
    assert player.update([0.4]) == pytest.approx(0.4)
    np.testing.assert_array_equal(player.weights, [1.0])
    assert player.certificate().holds


def test_many_experts_in_any_number():
    """Kernels work by fours: no number of experts is special."""
    for n in (2, 3, 4, 5, 7, 8, 63, 1001):
        losses = np.random.default_rng(n).random((30, n))
        p, _, _ = game(ORACLES["ada-normal-hedge"], losses, np.full(n, 1 / n))
        np.testing.assert_allclose(AdaNormalHedge(n).run(losses).weights, p, rtol=1e-11, atol=1e-15)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SLEEPERS))
def test_any_confidences(seed, name):
    rng = np.random.default_rng(seed)
    confidence = rng.choice([0.0, 1.0, rng.random()], (40, N))
    confidence[np.arange(40), rng.integers(0, N, 40)] = 1.0
    if name.startswith("hedge"):
        confidence = np.ceil(confidence)
    losses = np.where(confidence > 0, rng.choice([0.0, 1.0, 0.5], (40, N)), np.nan)
    player = MAKE[name]()
    run = player.run(losses, confidence)
    np.testing.assert_allclose(run.weights.sum(axis=1), 1.0)
    assert (run.weights[confidence == 0] == 0).all()
    np.testing.assert_allclose(run.instantaneous.sum(axis=0), player.regrets, atol=1e-10)
    for i in range(N):
        assert player.certificate(i).holds


# -- bad input ---------------------------------------------------------------------------------------


@every_player
@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([0.1] * 4, "shape"),
        ([[0.1] * N], "shape"),
        ([0.1, 0.2, math.nan, 0.1, 0.1], r"losses\[2\] = nan is not finite"),
        ([0.1, 0.2, math.inf, 0.1, 0.1], r"losses\[2\] = inf is not finite"),
        (["a"] * N, "not made of numbers"),
    ],
)
def test_bad_losses_change_nothing(name, losses, message):
    player = MAKE[name]()
    player.update(STREAMS["uniform"][0])
    before = player._engine.state()
    with pytest.raises(ValueError, match=message):
        player.update(losses)
    np.testing.assert_array_equal(player._engine.state(), before)


@every_player
def test_losses_outside_their_range(name):
    player = MAKE[name]()
    if player.range is None:
        assert math.isfinite(player.update([3.0] * N))
        with pytest.raises(ValueError, match=r"losses\[1\] = 1e\+200 is beyond 1e\+150"):
            player.update([0.0, 1e200, 0.0, 0.0, 0.0])
        with pytest.raises(ValueError, match=r"losses\[1, 0\] = -1e\+200"):
            player.run([[1.0] * N, [-1e200] * N])
        assert player.rounds == 1
        return
    for bad in (1.2, -0.1):
        with pytest.raises(ValueError, match=r"losses\[1\] = .* is outside range=\(0.0, 1.0\)"):
            player.update([0.5, bad, 0.5, 0.5, 0.5])
        with pytest.raises(ValueError, match=r"losses\[1, 1\]"):
            player.run([[0.5] * N, [0.5, bad, 0.5, 0.5, 0.5]])
    assert player.rounds == 0


@pytest.mark.parametrize("name", SLEEPERS)
@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        ([0.0] * N, "all experts are asleep"),
        ([1.0, 2.0, 1.0, 1.0, 1.0], r"confidence\[1\] = 2.0 is outside \[0, 1\]"),
        ([1.0, -1.0, 1.0, 1.0, 1.0], r"outside \[0, 1\]"),
        ([1.0, math.nan, 1.0, 1.0, 1.0], r"confidence\[1\] = nan"),
        ([1.0] * 3, "shape"),
    ],
)
def test_bad_confidences(name, confidence, message):
    player = MAKE[name]()
    with pytest.raises(ValueError, match=message):
        player.update([0.5] * N, confidence)
    with pytest.raises(ValueError, match="asleep in round 1"):
        player.run(np.full((2, N), 0.5), [[1.0] * N, [0.0] * N])
    assert player.rounds == 0


def test_who_knows_no_sleep_says_so():
    with pytest.raises(ValueError, match="knows only experts that are awake"):
        FixedShare(2, rate=0.1, share=0.1).update([0.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="must be 0 or 1"):
        Hedge(2).update([0.0, 1.0], [1.0, 0.5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AdaNormalHedge(0), "n=0 must be a whole number"),
        (lambda: AdaNormalHedge(2.5), "n=2.5 must be"),
        (lambda: AdaNormalHedge(2, prior=[0.5, 0.6]), "prior = .* is no distribution"),
        (lambda: AdaNormalHedge(2, prior=[1.5, -0.5]), "prior = .* is no distribution"),
        (lambda: AdaNormalHedge(2, prior=[1.0]), "prior has shape .1,., not .2,."),
        (lambda: AdaNormalHedge(2, power=2.0), r"power=2.0 is outside \[0, 1\]"),
        (lambda: AdaNormalHedge(2, range=(1.0, 0.0)), "the smaller first"),
        (lambda: AdaNormalHedge(2).add(0), "count=0"),
        (lambda: AdaNormalHedge(2, prior=[0.3, 0.7]).add(), "not even"),
        (lambda: Hedge(2, rate="fast"), "rate='fast' is not"),
        (lambda: Hedge(2, rate=-1.0), "rate=-1"),
        (lambda: Hedge(2, rate="horizon"), "they go together"),
        (lambda: Hedge(2, horizon=5), "they go together"),
        (lambda: RandomizedWeightedMajority(2), "give one of them"),
        (lambda: RandomizedWeightedMajority(2, beta=0.3), "outside"),
        (lambda: SecondOrderHedge(2, beta=1.0), "outside"),
        (lambda: FixedShare(2), "give rate= and share="),
        (lambda: FixedShare(2, rate=1.0, share=1.0), "share=1.0 is outside"),
        (lambda: PolynomialWeights(2, alpha=1.5), "alpha=1.5"),
        (lambda: NormalHedgeDT(2, d=2.0), "d=2.0 is outside"),
        (lambda: Hedge(2).certificate(5), "comparator=5 is none of the 2"),
        (lambda: Hedge(2).certificate([0.5, 0.6]), "comparator = .* is no distribution"),
        (lambda: Hedge(2).certificate(quantile=0.0), r"quantile=0.0 is outside \(0, 1\]"),
        (lambda: Hedge(2).certificate(1, quantile=0.5), "give one"),
        (lambda: Hedge(2).run([[0.0, 1.0]]).regret(best=1, worst=2), "give one notion"),
        (lambda: Hedge(2).run([[0.0, 1.0]]).regret(worst=2), "worst= is no notion"),
        (lambda: Hedge(2).run([[0.0]]), r"\(rounds, 2\)"),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()
