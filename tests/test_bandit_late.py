"""Convex bandits whose values come late, in any order, or never."""

import numpy as np
import pytest

from regretless.bandits import BanditMirrorDescent, OnePoint
from regretless.base.randomness import generator
from regretless.domains import Ball
from regretless.geometry import Euclidean
from regretless.oco import OnlineMirrorDescent


def late(seed=4):
    return BanditMirrorDescent(
        Euclidean(), 3, estimator=OnePoint(0.3), domain=Ball(1.0), rate=0.05, seed=seed
    )


def test_late_values_belong_to_their_own_choices():
    """The gradient has the point and the direction of the choice, not those of the moment."""
    player, twin = late(), OnlineMirrorDescent(Euclidean(), 3, rate=0.05, domain=Ball(1.0))
    waiting, order = [], np.random.default_rng(0)
    draws = generator(4, "rounds", 0).standard_normal((256, 3))
    for t in range(60):
        direction = draws[t]
        direction /= np.linalg.norm(direction)
        played = player.act()
        np.testing.assert_allclose(played, twin.point + 0.3 * direction, rtol=1e-12)
        waiting.append((player.ticket, direction, float(played @ [1.0, -0.5, 0.2])))
        while len(waiting) > 4 or (waiting and t == 59):
            ticket, its, value = waiting.pop(int(order.integers(len(waiting))))
            assert player.update(value, ticket=ticket) == value
            twin.update(3 / 0.3 * value * its)
    np.testing.assert_allclose(player.point, twin.point, rtol=1e-12)
    assert (player.rounds, player.decisions) == (60, 60)
    assert player.certificate().holds
    promise = player.expectation()
    assert promise.assumptions["every value came before the next choice"] is False
    assert not promise.holds


def test_runs_with_delays_are_their_rounds():
    rows, delays = 0.2 * np.random.default_rng(1).normal(size=(40, 3)), np.arange(40) % 7
    run, alone = late().run(rows, delay=delays), late()
    due = {t: [s for s in range(40) if min(39, s + delays[s]) == t] for t in range(40)}
    values = []
    for t in range(40):
        values.append(float(alone.act() @ rows[t]))
        for s in due[t]:
            assert alone.update(values[s], ticket=s) == run.losses[s]
    assert np.isinf(run.expectation_curve()).all()
    assert np.isfinite(late().run(rows, delay=0).expectation_curve()).all()
    assert run.regret() <= run.bound()
    with pytest.raises(ValueError, match="delay=-1 is negative"):
        late().run(rows, delay=-1)


def test_choices_that_are_given_up():
    player, other = late(), late()
    for _ in range(3):
        player.act()
        other.act()
    player.forget(1)
    assert (player.decisions, player.ticket) == (2, 2)
    with pytest.raises(ValueError, match="ticket=1: no choice that had it waits for a value"):
        player.forget(1)
    with pytest.raises(ValueError, match=r"the tickets that wait are \[0, 2\]"):
        player.update(0.5, ticket=1)
    with pytest.raises(ValueError, match="2 choices wait for their values"):
        player.run(np.ones((2, 3)))
    for ticket in (0, 2):
        player.update(0.5)
        other.update(0.5, ticket=ticket)
    np.testing.assert_array_equal(player.point, other.point)
