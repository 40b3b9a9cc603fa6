"""Ranges that arithmetic can bear, and draws that are always among the arms there are."""

import inspect

import numpy as np
import pytest

from regretless import _core, bandits, experts, games
from regretless.bandits.off_policy import Interval
from regretless.base.arguments import interval

PLAYERS = [
    getattr(room, name)
    for room in (bandits, experts, games)
    for name in room.__all__
    if inspect.isclass(getattr(room, name)) and not inspect.isabstract(getattr(room, name))
    if name != "BestResponse"  # which is told losses of any size
    if "range" in inspect.signature(getattr(room, name).__init__).parameters
]
OPTIONS = {
    "Exp4": {"experts": 2},
    "FixedShare": {"horizon": 10, "shifts": 1},
    "RandomizedWeightedMajority": {"beta": 0.7},
    "SecondOrderHedge": {"beta": 0.7},
}
TOO_WIDE = [(-1.7e308, 1.7e308), (-1e308, 1e308), (0.0, 1e200), (-1e151, 0.0), (1e300, 1.1e300)]
NOT_RANGES = [(0.0, np.inf), (np.nan, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0,), 1.0, "01"]


def made(kind, range):
    if kind is experts.Mixture:
        return kind(experts.Hedge, range=range)
    return kind(4, range=range, **OPTIONS.get(kind.__name__, {}))


@pytest.mark.parametrize("kind", PLAYERS, ids=lambda kind: kind.__name__)
def test_ranges_are_refused_when_a_player_is_made(kind):
    for wide in TOO_WIDE:
        with pytest.raises(ValueError, match=r"range=.* must be within -1e\+150 and 1e\+150"):
            made(kind, wide)
    for wrong in NOT_RANGES:
        with pytest.raises(ValueError, match=r"range=.*two finite numbers"):
            made(kind, wrong)


TOLD = [kind for kind in PLAYERS if kind is not experts.Mixture]  # which is told forecasts


@pytest.mark.parametrize("kind", TOLD, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "range", [(-1e150, 1e150), (0.0, 5e-324), (9.99e149, 1e150), (3.0, 3.0 + 1e-10)]
)
def test_the_widest_and_the_narrowest(kind, range):
    """Everything stays finite, and arms are arms."""
    low, high = range
    player = made(kind, range)
    rng = np.random.default_rng(0)
    losses = np.where(rng.random((300, 4)) < 0.5, low, high)
    if hasattr(player, "act") and kind.__module__.startswith("regretless.bandits"):
        advice = [np.full((2, 4), 0.25)] if kind.__name__ == "Exp4" else []
        arms = []
        for row in losses:
            arms.append(player.act(*advice))
            player.update(float(row[arms[-1]]))
        assert {*arms} <= {0, 1, 2, 3}
        assert np.isfinite(player.loss)
        return
    for row in losses:
        assert np.isfinite(player.update(row))
    assert np.isfinite(player.weights).all()
    assert np.isfinite(player.loss)
    assert np.isfinite(player.regrets).all()


def test_rewards_of_a_log_have_a_range_too():
    for wide in TOO_WIDE:
        with pytest.raises(ValueError, match=r"reward_range=.* must be within"):
            Interval("bernstein", reward_range=wide)


def test_rounding_is_not_refused():
    low = -0.3e150
    assert interval((low, low + (1e150 - low)), "range")[1] > 0


# --- one sampler ------------------------------------------------------------------------------------

INF, NAN = np.inf, np.nan
HOSTILE = [
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 0.0],
    [0.0, 1e-320, 0.0],
    [NAN, 1.0, 0.0],
    [1.0, NAN, 0.0],
    [0.0, NAN, 1.0],
    [INF, 1.0, 0.0],
    [0.0, INF, INF],
    [-1.0, 2.0, -1.0],
    [0.0, -5.0, 3.0],
    [1e308, 1e308, 1e308, 0.0],
    [0.1] * 10 + [0.0],
    [0.0] + [1e-300] * 5 + [0.0],
]


@pytest.mark.parametrize("weights", HOSTILE)
def test_what_is_drawn_has_a_weight(weights):
    w = np.array(weights)
    for u in [0.0, 5e-324, 0.25, 0.5, 0.75, 1 - 2**-53, *np.random.default_rng(0).random(200)]:
        i = _core.drawn_index(w, u)
        assert 0 <= i < len(w)
        assert w[i] > 0


@pytest.mark.parametrize("weights", [[0.0, 0.0], [NAN, NAN], [-1.0, -2.0], [0.0]])
def test_without_weights_an_index_is_still_one(weights):
    assert _core.drawn_index(np.array(weights), 0.7) == 0


def test_nothing_is_drawn_from_nothing():
    with pytest.raises(ValueError, match="nothing to draw from"):
        _core.drawn_index(np.array([]), 0.5)


def test_draws_are_as_likely_as_the_weights():
    rng = np.random.default_rng(1)
    w = np.array([3.0, 0.0, 1.0, 4.0])  # not normalised
    drawn = np.bincount([_core.drawn_index(w, u) for u in rng.random(40_000)], minlength=4) / 40_000
    assert np.abs(drawn - w / 8).max() < 4 * 0.5 / 200  # four standard deviations
    assert drawn[1] == 0


def test_exp3_of_a_range_without_end():
    """Arms of -1, and an index of 2^64 - 1, in the past."""
    with pytest.raises(ValueError, match="range"):
        bandits.Exp3(4, range=(-1.7e308, 1.7e308), seed=1)
