"""Players that vote: golden traces, mistake bounds by adversaries, equivalences, bad input."""

import itertools
import math
import pickle

import numpy as np
import pytest

from regretless.experts import (
    Consistent,
    Halving,
    Hedge,
    NotRealizable,
    RandomizedWeightedMajority,
    WeightedMajority,
)

ADVICE = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]])
LABELS = np.array([0, 1, 1, 0])


def test_golden_traces():
    """Mohri et al. (2018), section 8.2.2."""
    for mode, weights in (("on_mistake", [0.5, 1, 0.5]), ("always", [0.125, 1, 0.25])):
        player = WeightedMajority(3, beta=0.5, mode=mode)
        predictions = []
        for advice, label in zip(ADVICE, LABELS):
            predictions.append(player.predict(advice))
            player.update(advice, label)
        assert predictions == [1, 1, 1, 0]
        np.testing.assert_allclose(player.weights, weights)
    player = Halving(3)
    assert player.run(ADVICE, LABELS).mistakes.tolist() == [True, False, False, False]
    np.testing.assert_array_equal(player.weights, [0, 1, 0])


@pytest.mark.parametrize("seed", range(5))
def test_weighted_majority_of_beta_0_is_halving(seed):
    random = np.random.default_rng(seed)
    advice = random.integers(0, 2, (40, 16))
    labels = advice[:, 3]
    one, two = Halving(16), WeightedMajority(16, beta=0.0)
    for row, label in zip(advice, labels):
        assert one.predict(row) == two.predict(row)
        assert one.update(row, label) == two.update(row, label)
        np.testing.assert_array_equal(one.weights > 0, two.weights > 0)
    assert one.certificate().holds
    assert two.certificate().holds


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 16])
def test_an_adversary_that_always_says_no(n):
    """All answers that some expert still agrees with: log2 n mistakes can be forced, no more."""
    patterns = list(itertools.product([0, 1], repeat=max(1, math.ceil(math.log2(n)))))[:n]
    player = Halving(n)
    for column in range(len(patterns[0])):
        advice = np.array([p[column] for p in patterns])
        label = 1 - player.predict(advice)
        agree = (advice == label) & (player.weights > 0)
        player.update(advice, label if agree.any() else 1 - label)
    assert player.certificate().holds
    assert player.mistakes <= math.floor(math.log2(n))
    if n in (2, 8, 16):
        assert player.mistakes == math.log2(n)  # it is tight


def test_consistent_is_wrong_n_minus_1_times():
    """Shalev-Shwartz (2012), Corollary 1.1: singletons, the truth the last of them."""
    n = 7
    player = Consistent(n)
    for t in range(n):
        player.update(np.eye(n, dtype=int)[t], int(t == n - 1))
        assert np.count_nonzero(player.weights) <= n - player.mistakes
    assert player.mistakes == n - 1
    assert player.certificate().bounds["mistakes"] == n - 1
    assert player.certificate().holds


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("mode", ["on_mistake", "always"])
def test_mistakes_of_weighted_majority(beta, mode):
    random = np.random.default_rng(3)
    player = WeightedMajority(6, beta=beta, mode=mode)
    total = 6.0
    for t in range(200):
        advice = random.integers(0, 2, 6)
        label = 1 - player.predict(advice) if t % 3 else int(advice[0])
        before = player.weights.sum()
        wrong = player.update(advice, label)
        if wrong:
            assert player.weights.sum() <= (1 + beta) / 2 * before * (1 + 1e-12)
    assert player.certificate().holds
    if mode == "always":
        np.testing.assert_allclose(player.weights, beta**player.expert_mistakes, rtol=1e-9)
    assert player.weights.sum() < total


@pytest.mark.parametrize("seed", range(5))
def test_halving_of_the_survey_is_weighted_majority_of_beta_0(seed):
    """It takes their say from all that err, also when the majority was right."""
    random = np.random.default_rng(seed)
    advice = random.integers(0, 2, (40, 16))
    one, two = Halving(16, mode="always"), WeightedMajority(16, beta=0.0, mode="always")
    plain = Halving(16)
    for row, label in zip(advice, advice[:, 3]):
        assert one.predict(row) == two.predict(row)
        assert one.update(row, label) == two.update(row, label)
        plain.update(row, label)
        np.testing.assert_array_equal(one.weights > 0, two.weights > 0)
        assert (one.weights <= plain.weights).all()
        assert (one.weights > 0).tolist() == (one.expert_mistakes == 0).tolist()
    assert one.certificate().holds is True
    assert repr(one) == "Halving(16, mode='always')"
    assert repr(one.clone()) == repr(one)


@pytest.mark.parametrize("make", [Halving, Consistent, WeightedMajority])
def test_runs_of_votes(make):
    """Three in a row, against every expert and a mixture; mistakes are counted anew."""
    random = np.random.default_rng(2)
    player = make(5)
    for k in range(3):
        advice = random.integers(0, 2, (12, 5))
        labels = advice[:, 1] if make is not WeightedMajority else random.integers(0, 2, 12)
        run = player.run(advice, labels)
        errs = (advice != labels[:, None]).astype(float)
        assert run.loss == run.mistakes.sum() == math.fsum(run.losses)
        for u in (*np.eye(5), np.full(5, 0.2), np.array([0.5, 0.5, 0, 0, 0])):
            c = run.certificate(u)
            curve = np.cumsum(run.losses - errs @ u)
            np.testing.assert_allclose(run.regret_curve(u), curve, atol=1e-12)
            assert (run.regret_curve(u) <= run.bound_curve(u)).all()
            assert run.bound_curve(u)[-1] == pytest.approx(c.bound)
            assert c.holds is True
            assert c.regret == pytest.approx(curve[-1], abs=1e-12)
        assert run.regret() == (run.losses.sum() - errs.sum(axis=0)).max()
        player = pickle.loads(pickle.dumps(player)).copy()
        assert pickle.loads(pickle.dumps(run)).certificate() == run.certificate()
        assert player.rounds == 12 * (k + 1)
    assert player.clone().rounds == player.clone().mistakes == 0


def test_no_deterministic_player_has_little_regret():
    """Two constant experts, and the label that is not predicted.

    Mohri et al. (2018), section 8.2.3.
    """
    player = WeightedMajority(2, beta=0.5)
    for _ in range(100):
        player.update([0, 1], 1 - player.predict([0, 1]))
    assert player.mistakes == 100
    assert player.certificate().regret >= 50
    mixed = Hedge(2, rate="horizon", horizon=100)
    for t in range(100):
        mixed.update([t % 2, 1 - t % 2])
    assert mixed.regret() <= math.sqrt(50 * math.log(2))


def test_what_no_expert_can_do():
    player = Halving(2)
    player.update([0, 1], 0)
    state = player.weights.copy(), player.rounds, player.mistakes
    with pytest.raises(NotRealizable, match="right in all 2 rounds"):
        player.update([0, 1], 1)
    assert (player.rounds, player.mistakes) == state[1:]
    np.testing.assert_array_equal(player.weights, state[0])
    with pytest.raises(NotRealizable, match="beta > 0"):
        WeightedMajority(1, beta=0.0).update([1], 0)


def test_weights_do_not_vanish():
    player = WeightedMajority(2, beta=0.5)
    for _ in range(3000):
        player.update([1, 1], 0)
    assert (player.weights > 0).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Halving(0), "n=0"),
        (lambda: WeightedMajority(2, beta=1.0), "beta=1.0 is outside"),
        (lambda: WeightedMajority(2, mode="never"), "mode='never'"),
        (lambda: Halving(2).predict([0, 2]), "not made of 0 and 1"),
        (lambda: Halving(2).predict([0]), "shape"),
        (lambda: Halving(2).update([0, 1], 3), "label=3"),
        (lambda: Halving(2).run([[0, 1]], [0, 1]), "labels"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("span", [1.0, 2.5])
@pytest.mark.parametrize("beta", [0.5, 0.9])
def test_no_more_than_everything_is_lost(beta, span):
    """The randomized majority's theorem says nothing of few rounds, where it exceeds all there is."""
    n = 8
    losses = span * (np.random.default_rng(0).random((60, n)) < 0.7)
    player = RandomizedWeightedMajority(n, beta=beta, range=(0.0, span))
    said = []
    for t, row in enumerate(losses, 1):
        player.update(row)
        best = losses[:t].sum(axis=0) / span
        theorem = math.log(n) / (1 - beta) + (1 - beta) * min(best.min(), t)
        one = player.certificate(int(best.argmin()))
        assert one.bound == pytest.approx(span * min(theorem, t))
        assert player.certificate().bound <= one.bound  # of several that are best it takes all
        assert player.certificate().holds
        said.append(theorem < t)
    assert not said[0]
    assert said[-1]


def test_the_randomized_majority_doubles_its_horizon():
    """In the rounds 2^k it starts again, with the beta for so many: weights and bound, written anew."""
    n, losses = 5, np.random.default_rng(4).random((50, 5))
    player = RandomizedWeightedMajority(n, beta="doubling")
    total = bound = 0.0
    for k in range(6):
        rows = losses[2**k - 1 : 2 ** (k + 1) - 1]
        beta, w = max(0.5, 1 - math.sqrt(math.log(n) / 2**k)), np.ones(n)
        for row in rows:
            np.testing.assert_allclose(player.weights, w / w.sum(), rtol=1e-12)
            total += w @ row / w.sum()
            player.update(row)
            w *= beta**row
        bound += min(math.log(n) / (1 - beta) + (1 - beta) * len(rows), len(rows))
    assert player.loss == pytest.approx(total)
    assert player.certificate(0).bounds["periods"] == pytest.approx(bound)
    assert repr(player) == "RandomizedWeightedMajority(5, beta='doubling')"
    with pytest.raises(ValueError, match="beta='halving' is not one of 'doubling', nor a number"):
        RandomizedWeightedMajority(2, beta="halving")


def test_weights_that_have_no_digits_left_come_back():
    """An expert far behind is charged no more while the others err, and must win in the end."""
    player = WeightedMajority(3, beta=0.5)
    advice = np.array(
        [[1, 1, 0] if t % 2 else [1, 0, 1] for t in range(2_196)] + [[0, 1, 1]] * 20_000
    )
    run = player.run(advice, np.zeros(len(advice), int))
    theirs = advice.sum(axis=0).min()
    allowed = (math.log(3) + theirs * math.log(2)) / math.log(4 / 3)
    assert run.loss == player.mistakes <= allowed
    certificate = player.certificate()
    assert certificate.holds, certificate
