"""Algorithms that have another name here than in their text, and theorems that no other test shows."""

import math

import numpy as np
import pytest

from regretless.classes import SOA, FiniteClass, littlestone_dimension, vc_dimension
from regretless.experts import Halving, Hedge, WeightedMajority


@pytest.mark.parametrize("seed", range(5))
def test_halving_of_the_survey(seed):
    """Shalev-Shwartz (2012), Theorem 1.2: who errs is left out, in every round; ties are 1."""
    rng = np.random.default_rng(seed)
    advice, n = rng.integers(0, 2, (40, 13)), 13
    labels = advice[:, 3]
    player, left = WeightedMajority(n, beta=0, mode="always"), np.ones(n, bool)
    textbook, apart = Halving(n), False
    for row, label in zip(advice, labels):
        vote = int(2 * row[left].sum() >= left.sum())
        assert player.predict(row) == vote
        player.update(row, label)
        textbook.update(row, label)
        before = left.sum()
        left &= row == label
        assert vote == label or 2 * left.sum() <= before
        np.testing.assert_array_equal(player.weights > 0, left)
        apart |= bool(((textbook.weights > 0) != left).any())
    assert player.mistakes <= math.floor(math.log2(n))
    assert apart  # the textbook's looks at hypotheses only after a mistake


@pytest.mark.parametrize("seed", range(5))
def test_experts_by_a_surrogate_loss(seed):
    """Shalev-Shwartz (2012), section 2.1.2: eta = 1/4 on 2 |<w, v> - y| in the rounds with a mistake.

    Every expert i, and every mean of experts, bounds the mistakes: 2 sum f_t(u) + 8 log d.
    """
    rng = np.random.default_rng(seed)
    n, T = 8, 300
    advice = rng.integers(0, 2, (T, n))
    labels = np.where(rng.random(T) < 0.1, 1 - advice[:, 2], advice[:, 2])
    player, w = WeightedMajority(n, beta=math.exp(-0.5)), np.full(n, 1 / n)
    surrogate = np.zeros(n)  # of the experts themselves
    for v, y in zip(advice, labels):
        vote = player.predict(v)
        assert abs(w @ v - 0.5) < 1e-12 or vote == (w @ v > 0.5)  # rounding may decide a tie
        player.update(v, y)
        if vote != y:
            z = 2.0 * np.abs(v - y)
            surrogate += z
            w = w * np.exp(-0.25 * z)
            w /= w.sum()
        np.testing.assert_allclose(player.weights / player.weights.sum(), w, rtol=1e-9)
    for u in (*np.eye(n), np.full(n, 1 / n)):
        assert player.mistakes <= 2 * surrogate @ u + 8 * math.log(n)


@pytest.mark.parametrize("eta", [0.05, 0.5, 0.9])
def test_weighted_majority_of_the_survey(eta):
    """Shalev-Shwartz (2012), Theorem 3.1, for costs in [0, 1] that look at the weights."""
    rng = np.random.default_rng(0)
    n, T = 6, 200
    player, w, spent, costs = Hedge(n, rate=eta), np.full(n, 1 / n), 0.0, np.zeros(n)
    for t in range(T):
        z = rng.random(n) if t % 2 else (w >= np.sort(w)[-2]) * 1.0
        np.testing.assert_allclose(player.weights, w, rtol=1e-9)
        spent += player.update(z)
        costs += z
        w = w * np.exp(-eta * z)
        w /= w.sum()
    assert spent <= costs.min() + math.log(n) / eta + eta * T
    assert spent <= (costs.min() + math.log(n) / eta) / (1 - eta)


@pytest.mark.parametrize("seed", range(8))
def test_dimensions_and_mistakes_in_order(seed):
    """Mohri et al. (2018), Theorem 8.2.

    The VC dimension is at most the best mistake bound, this at most Halving's, and that log2 |H|.
    """
    rng = np.random.default_rng(seed)
    H = FiniteClass.random(int(rng.integers(2, 12)), 4, seed=seed)
    table = np.asarray(H.table)

    def most(player_of, truth):
        """Mistakes on the worst of some orders of the points, each of which comes twice."""
        worst = 0
        for _ in range(20):
            wrong, answer = 0, player_of()
            for x in np.concatenate([rng.permutation(4), rng.permutation(4)]).tolist():
                wrong += answer(x, int(truth[x]))
            worst = max(worst, wrong)
        return worst

    def halving():
        player = Halving(len(table))
        return lambda x, y: player.update(table[:, x].astype(int), y)

    def optimal():
        soa = SOA(H)

        def answer(x, y):
            wrong = soa.predict_one(x) != y
            soa.learn_one(x, y)
            return wrong

        return answer

    best = littlestone_dimension(H)
    assert vc_dimension(H) <= best <= math.log2(len(H))
    for truth in table:
        assert most(optimal, truth) <= best
        assert most(halving, truth) <= math.floor(math.log2(len(H)))
