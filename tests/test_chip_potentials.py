"""Potentials of drifting games by their recursion (Luo (2016), section 2.1.1)."""

import copy
import itertools
import math

import numpy as np
import pytest
from reference.chip_games import ETA, LOSSES, T

from regretless.experts.chip_potentials import (
    ExponentialPotential,
    MinimaxPotential,
)
from regretless.experts.drifting import (
    ChipPlayer,
    DriftingGame,
)

# --- the recursion --------------------------------------------------------------------------------


def recursion(loss, movements, beta, steps, s):
    """Eq. 2.1 as it is written, with every w at which two lines meet."""
    if steps == 0:
        return loss(s), 0.0
    after = [recursion(loss, movements, beta, steps - 1, s + z)[0] for z in movements]
    lines = [(f, z - beta) for f, z in zip(after, movements)]
    meet = [(f - g) / (b - a) for (f, a), (g, b) in itertools.combinations(lines, 2) if a != b]
    candidates = [0.0] + [w for w in meet if w > 0]
    return min((max(f + w * a for f, a in lines), w) for w in candidates)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize(
    ("movements", "beta"),
    [
        ((-1, 1), 0.0),
        ((-1, 1), 0.3),
        ((-1, 0, 1), 0.1),
        ((-2, 1), 0.0),
        ((-1, -0.5, 0.25, 1), 0.25),
        ((-1 / 3, 0, 1), 1.0),
        ((0.5, 1), 0.2),
        ((-0.3, 0.1), 0.0),
    ],
)
def test_recursion_against_brute_force(loss, movements, beta):
    steps = 4
    potential = MinimaxPotential(loss, steps, movements, beta)
    for t in range(steps + 1):
        sums = map(math.fsum, itertools.combinations_with_replacement(movements, t))
        reachable = {round(s, 12): s for s in sums}.values()
        for s in [*reachable, 0.123, -0.77, 2.5]:
            value, _ = recursion(
                lambda v: float(loss(np.round(v, 14))), movements, beta, steps - t, s
            )
            assert potential.value(np.array(s), t) == pytest.approx(value, abs=1e-12)
            if t < steps:
                w = math.exp(potential.log_weights(np.array([s]), t + 1)[0])
                # any w that reaches the value will do
                reached = max(
                    float(potential.value(np.array(s + z), t + 1)) + w * (z - beta)
                    for z in movements
                )
                assert reached == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("beta", [0.0, 0.2, 1.0])
def test_two_movements_have_a_closed_form(loss, beta):
    """Steps to the right with probability (1 + beta) / 2 each: the mean loss at the end."""
    horizon = 12
    potential = MinimaxPotential(loss, horizon, beta=beta)
    s = np.array([-3.0, 0.0, 0.5, 1.0, 4.0])
    for t in range(horizon + 1):
        left = horizon - t
        expected = sum(
            math.comb(left, k) * ((1 + beta) / 2) ** k * ((1 - beta) / 2) ** (left - k)
            * loss(s + 2 * k - left)
            for k in range(left + 1)
        )  # fmt: skip
        np.testing.assert_allclose(potential.value(s, t), expected, rtol=1e-12, atol=1e-14)
        if t:
            with np.errstate(divide="ignore"):
                logs = np.log(potential.difference(s, t) / 2)
            np.testing.assert_allclose(
                np.exp(potential.log_weights(s, t)), np.exp(logs), rtol=1e-9, atol=1e-14
            )


def test_boost_by_majority_by_hand():
    """Three weak votes right with 3/4: two or three are wrong with 9/64 + 1/64."""
    potential = MinimaxPotential(LOSSES["step"], 3, beta=0.5)
    assert potential.value(np.array([0.0]), 0)[0] == 10 / 64
    # Phi_2(-1), Phi_2(1) with one vote left: wrong surely; right with 3/4, or 0 <= 0 with 1/4
    np.testing.assert_array_equal(potential.value(np.array([-2.0, 0.0, 2.0]), 2), [1.0, 0.25, 0.0])
    np.testing.assert_allclose(
        np.exp(potential.log_weights(np.array([-1.0, 1.0]), 2)), [0.375, 0.125]
    )


@pytest.mark.parametrize("R", [1, 3, 5, 9])
@pytest.mark.parametrize("horizon", [9, 15])
def test_value_of_the_game_with_steps_of_zero(horizon, R):
    """Without |z_i - z_j| <= 1 (section 2.3): 2^-T sum_{j <= (T-R)/2} C(T + 1, j) is enough."""
    potential = MinimaxPotential(lambda s: s <= -R, horizon, (-1, 0, 1))
    found = float(potential.value(np.zeros(1), 0)[0])
    enough = sum(math.comb(horizon + 1, j) for j in range((horizon - R) // 2 + 1)) / 2**horizon
    assert found <= enough + 1e-12
    # and with (-1, 1) only, the tail of the binomial, nothing is lost to that
    only = sum(math.comb(horizon, j) for j in range((horizon - R) // 2 + 1)) / 2**horizon
    assert only - 1e-12 <= found
    assert enough <= 2 * math.exp(-((R + 1) ** 2) / (2 * (horizon + 1)))


@pytest.mark.parametrize(
    ("loss", "movements", "beta"),
    [("step", (-1, 1), 0.3), ("step", (-1, 0, 1), 0.1), ("hinge", (-2, 1), 0.0)],
)
def test_no_adversary_of_a_tiny_game_gets_more_than_the_value(loss, movements, beta):
    rounds = 3
    potential = MinimaxPotential(LOSSES[loss], rounds, movements, beta)
    value = float(potential.value(np.zeros(1), 0)[0])

    def worst(player):
        if player.rounds == rounds:
            return float(LOSSES[loss](player.positions).mean())
        p, found = player.weights, -math.inf
        before = player.potential
        for z in itertools.product(movements, repeat=2):
            if p @ np.array(z) >= beta - 1e-12:
                other = copy.copy(player)
                other.move(z)
                assert other.potential <= before + 1e-12
                found = max(found, worst(other))
        return found

    assert worst(ChipPlayer(2, potential)) <= value + 1e-12


def test_many_chips_that_move_at_random_lose_the_value():
    """The adversary of the closed form: the value is its mean loss, so no player has less."""
    potential = MinimaxPotential(LOSSES["step"], 9, beta=0.2)
    rng = np.random.default_rng(7)
    end = rng.choice([-1, 1], p=[0.4, 0.6], size=(40_000, 9)).sum(axis=1)
    # four standard errors
    value = float(potential.value(np.zeros(1), 0)[0])
    assert LOSSES["step"](end).mean() == pytest.approx(value, abs=4 * 0.5 / 200)


def test_the_recursion_of_an_exponential_is_exponential_weights():
    losses = np.random.default_rng(8).uniform(size=(T, 5))
    recursive = DriftingGame(5, MinimaxPotential(lambda s: np.exp(-ETA * s), T))
    closed = DriftingGame(5, ExponentialPotential(ETA))
    played, expected = recursive.run(losses), closed.run(losses)
    # positions are known to 1e-9
    np.testing.assert_allclose(played.weights, expected.weights, atol=1e-8)
    scale = math.cosh(ETA) ** T
    assert recursive.potential / scale == pytest.approx(closed.potential, rel=1e-8)
    bounds = [min(game.certificate(2).bounds.values()) for game in (recursive, closed)]
    assert bounds[0] == pytest.approx(bounds[1], abs=2e-9)
    for t in (1, T // 2, T):
        found, exact = (game.phi.bound(0.2, t) for game in (recursive, closed))
        assert found == pytest.approx(min(exact, t), abs=2e-9)


def test_a_loss_that_is_not_convex_is_found_out():
    """Between -1 and 1 the step may be worse than at both, so experts can break it."""
    game = DriftingGame(2, MinimaxPotential(lambda s: s <= -0.5, 1))
    assert game.potential == 1.0
    game.update([0.0, 1.0])
    assert game.potential == 1.0
    assert game.certificate().holds
    worse = DriftingGame(3, MinimaxPotential(lambda s: s <= -0.3, 1))
    worse.update([0.0, 0.0, 1.0])
    assert worse.potential == 2.0  # from 3/2
    certificate = worse.certificate()
    assert certificate.assumptions["the sum of potentials never grew"] is False
    assert not certificate.holds
