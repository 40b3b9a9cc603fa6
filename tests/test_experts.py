"""Players of experts: their oracles, runs, files, sleepers, equivalences, extremes, bad input."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.experts import (
    MAKE,
    ORACLES,
    PRIOR,
    PRIORS,
    SLEEPERS,
    STREAMS,
    N,
    ada_normal,
    awake_at_random,
    every_player,
    every_stream,
    game,
    ml_prod_of_any_range,
)

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
)


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
    p, _, _ = game(ml_prod_of_any_range, losses, np.full(N, 1 / N))
    run = AdaptMLProd(N, range=None).run(losses)
    np.testing.assert_allclose(run.weights, p, rtol=1e-10, atol=1e-12)
    assert run.certificate().bounds.keys() == {"trivial"}
    assert run.after.certificate().bound == math.inf


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
    for other in (single, again, whole.copy()):
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


@every_stream
def test_ada_normal_hedge_of_power_0_is_normal_hedge_dt(stream):
    one, two = (
        AdaNormalHedge(N, power=0.0).run(STREAMS[stream]),
        NormalHedgeDT(N).run(STREAMS[stream]),
    )
    np.testing.assert_allclose(one.weights, two.weights, atol=1e-13)


@pytest.mark.parametrize("sleeping", [False, True])
def test_tv_from_sleeping_experts(sleeping):
    """Copies that sleep until round tau, with prior 1 / tau^2, are TV.

    Luo (2016), section 2.3.3.
    """
    T, n = 25, 3
    losses = np.random.default_rng(4).random((T, n))
    confidence = awake_at_random()[:T, :n] if sleeping else np.ones((T, n))
    direct = AdaNormalHedgeTV(n, streaming=False).run(losses, confidence)
    prior = np.repeat(1.0 / np.arange(1, T + 1) ** 2, n)
    sleepers = AdaNormalHedge(T * n, prior=prior / prior.sum())
    for t in range(T):
        awake = np.outer(np.arange(T) <= t, confidence[t]).ravel()
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
    """Mohri et al. (2018), Figure 8.4 and Exercise 8.7."""
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


def test_a_million_rounds():
    """No sum overflows, and the bound is there."""
    losses = np.zeros((100_000, 2))
    losses[::3, 0] = 1.0
    losses[::2, 1] = 1.0
    for player in (AdaNormalHedge(2), Hedge(2), Squint(2), NormalHedgeDT(2), BOA(2), MLPoly(2)):
        for _ in range(10):
            player.run(losses, weights=False)
        assert player.rounds == 10**6
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
        with pytest.raises(ValueError, match=r"losses\[1\] = 1e\+200 is beyond 1e\+75"):
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
    with pytest.raises(ValueError, match="takes only experts that are awake"):
        FixedShare(2, rate=0.1, share=0.1).update([0.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="must be 0 or 1"):
        Hedge(2).update([0.0, 1.0], [1.0, 0.5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AdaNormalHedge(0), "n=0 must be a whole number"),
        (lambda: AdaNormalHedge(2.5), "n=2.5 must be"),
        (lambda: AdaNormalHedge(2, prior=[0.5, 0.6]), "prior = .* is not a distribution"),
        (lambda: AdaNormalHedge(2, prior=[1.5, -0.5]), "prior = .* is not a distribution"),
        (lambda: AdaNormalHedge(2, prior=[1.0]), "prior has shape .1,., not .2,."),
        (lambda: AdaNormalHedge(2, power=2.0), r"power=2.0 is outside \[0, 1\]"),
        (lambda: AdaNormalHedge(2, range=(1.0, 0.0)), "the smaller first"),
        (lambda: AdaNormalHedge(2).add(0), "count=0"),
        (lambda: AdaNormalHedge(2, prior=[0.3, 0.7]).add(), "not even"),
        (lambda: Hedge(2, rate="fast"), "rate='fast' is not"),
        (lambda: Hedge(2, rate=-1.0), "rate=-1"),
        (lambda: Hedge(2, rate="horizon"), "rate='horizon' needs horizon="),
        (lambda: Hedge(2, horizon=5), "horizon=5 needs rate='horizon', not 'anytime'"),
        (lambda: RandomizedWeightedMajority(2), "give one of them"),
        (lambda: RandomizedWeightedMajority(2, beta=0.3), "outside"),
        (lambda: SecondOrderHedge(2, beta=1.0), "outside"),
        (lambda: FixedShare(2), "give rate= and share="),
        (lambda: FixedShare(2, rate=1.0, share=1.0), "share=1.0 is outside"),
        (lambda: PolynomialWeights(2, alpha=1.5), "alpha=1.5"),
        (lambda: NormalHedgeDT(2, d=2.0), "d=2.0 is outside"),
        (lambda: Hedge(2).certificate(5), "comparator=5 is none of the 2"),
        (lambda: Hedge(2).certificate([0.5, 0.6]), "comparator = .* is not a distribution"),
        (lambda: Hedge(2).certificate(quantile=0.0), r"quantile=0.0 is outside \(0, 1\]"),
        (lambda: Hedge(2).certificate(1, quantile=0.5), "give one"),
        (
            lambda: Hedge(2).run([[0.0, 1.0]]).regret(1, shifts=2),
            "comparator= and shifts=: give one",
        ),
        (lambda: Hedge(2).run([[0.0, 1.0]]).regret(interval="best"), "interval='best' is neither"),
        (lambda: Hedge(2).run([[0.0, 1.0]]).regret(interval=3), "interval=3 is neither"),
        (lambda: Hedge(2).run([[0.0]]), r"\(rounds, 2\)"),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()
