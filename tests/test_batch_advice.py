"""Expert players in `online_to_batch`: what is averaged is what they weigh."""

import numpy as np
import pytest

from regretless.batch import online_to_batch
from regretless.experts import AdaNormalHedge, Halving, Hedge, WeightedMajority

RNG = np.random.default_rng(0)
TRUTH = RNG.random(300)
FORECASTS = np.clip(TRUTH[:, None] + RNG.normal(size=(300, 3)) * [0.05, 0.2, 0.4], 0, 1)
LABELS = RNG.integers(0, 2, 150)
VOTES = np.where(RNG.random((150, 4)) < [1.0, 0.8, 0.6, 0.5], LABELS[:, None], 1 - LABELS[:, None])


def test_the_average_is_that_of_the_weights():
    found = online_to_batch(Hedge(3, rate=0.5), (FORECASTS, TRUTH), copies=300)
    total, weights, suffered = np.zeros(3), np.zeros(3), 0.0
    for x, y in zip(FORECASTS, TRUTH):
        w = np.exp(-0.5 * (total - total.min()))
        w /= w.sum()
        suffered += (w @ x - y) ** 2
        weights += w / 300
        total += (x - y) ** 2
    assert found.empirical == pytest.approx(suffered / 300, rel=1e-12)
    for x in FORECASTS[:9]:
        said = found.predict_one(dict(enumerate(x)))
        assert said == pytest.approx(weights @ x, rel=1e-12)
    assert found.empirical < found.risk_bound < 0.1


@pytest.mark.parametrize("how", ["random", "last", "select", "validate", "amplify"])
def test_every_way(how):
    found = online_to_batch(AdaNormalHedge(3), (FORECASTS, TRUTH), how, loss="absolute")
    fresh = np.random.default_rng(1).random(500)
    errors = [abs(found.predict_one({0: y, 1: 1 - y, 2: 0.5}) - y) for y in fresh]
    assert np.mean(errors) <= found.risk_bound


@pytest.mark.parametrize("player", [Halving(4), WeightedMajority(4, beta=0.5)])
def test_voters(player):
    found = online_to_batch(player, (VOTES, LABELS), "select")
    assert found.loss == "zero_one"
    assert found.empirical <= 0.05
    assert [found.predict_one(dict(enumerate(v))) for v in VOTES[-50:]] == LABELS[-50:].tolist()


def test_a_player_is_not_changed_and_strangers_have_no_say():
    player = Hedge(3)
    online_to_batch(player, (FORECASTS, TRUTH))
    assert player.rounds == 0
    with pytest.raises(ValueError, match="advice of 3, which is not one of the experts"):
        online_to_batch(player, (np.ones((2, 4)), [0.0, 1.0]))
    with pytest.raises(ValueError, match="or an expert player"):
        online_to_batch(object(), (FORECASTS, TRUTH))
