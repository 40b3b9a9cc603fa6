"""What is proven of mirror descent, AdaGrad and coin betting holds on every stream."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.oco_games import GEOMETRIES, PROJECTIONS, RATES, STREAMS, every_stream

from regretless import domains, geometry, rates
from regretless.oco import (
    AdaGrad,
    CoinBetting,
    OnlineGradientDescent,
    OnlineMirrorDescent,
    OnlineNewtonStep,
)


@every_stream
@pytest.mark.parametrize("name", [*GEOMETRIES, "unnormalized"])
def test_the_identity_of_mirror_descent(name, stream):
    """Lin + R*(theta) + R(w_1) is the sum of the Bregman divergences of R*.

    Shalev-Shwartz (2012), Lemma 2.20.
    """
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    psi = GEOMETRIES.get(name, geometry.UnnormalizedEntropy(0.2))
    eta, player = 0.25, OnlineMirrorDescent(psi, 5, rate=0.25)
    total, theta = 0.0, np.zeros(5)
    for z in Z:
        total += psi.dual_bregman(eta * (theta - z), eta * theta) / eta
        theta = theta - z
        player.update(z)
        first = psi.value(psi.start(5))
        identity = player.linear + (psi.conjugate(eta * theta) + first) / eta
        assert identity == pytest.approx(total, rel=1e-9, abs=1e-10)
        if psi.strong_convexity > 0:
            assert identity <= player._engine.paid * (1 + 1e-12) + 1e-10
    if name == "euclidean":  # an equality there
        assert identity == pytest.approx(player._engine.paid, rel=1e-9, abs=1e-12)


def comparators(seed=0):
    random = np.random.default_rng(seed)
    return [*np.eye(5), *random.dirichlet(np.ones(5), 2), np.full(5, 0.2)]


@every_stream
@pytest.mark.parametrize("rate", [*RATES, "anytime"])
@pytest.mark.parametrize("name", [*GEOMETRIES, "in a simplex"])
def test_the_theorem_holds_for_every_comparator(name, rate, stream):
    Z, domain = STREAMS[stream], None
    psi = GEOMETRIES.get(name, geometry.Euclidean())
    if name == "in a simplex":
        domain = domains.Simplex()
    chosen = "anytime" if rate == "anytime" else RATES[rate][0]
    player = OnlineMirrorDescent(psi, 5, rate=chosen, domain=domain)
    run, first = player.run(Z), comparators()[0] * (3.0 if name == "entropy 3" else 1.0)
    assert np.all(run.regret_curve(first) <= run.bound_curve(first))
    for u in comparators():
        c = player.certificate(u * (3.0 if name == "entropy 3" else 1.0))
        assert c.holds, (c.regret, c.bounds)
        for bound in c.bounds.values():
            assert c.regret <= bound + c.rounding
    assert player.certificate().holds


@every_stream
def test_agile_with_a_constant_rate_has_the_same_bound(stream):
    for domain in PROJECTIONS.values():
        player = OnlineGradientDescent(5, rate=0.3, domain=domain, lazy=False)
        player.run(STREAMS[stream])
        assert player.certificate().holds
        falling = OnlineGradientDescent(5, domain=domain, lazy=False)
        falling.run(STREAMS[stream])
        certificate = falling.certificate()
        assert certificate.holds, certificate


@every_stream
def test_the_other_theorems(stream):
    Z = STREAMS[stream]
    box = domains.Box(-np.ones(5), np.ones(5))
    adagrad = AdaGrad(5, rate=2 / math.sqrt(2), domain=box)
    run = adagrad.run(Z)
    assert adagrad.certificate().holds
    assert np.all(run.regret_curve() <= run.bound_curve())
    L = float(np.abs(Z).max()) or 1.0
    coin = CoinBetting(5, lipschitz=L)
    for u in (np.zeros(5), 3 * np.ones(5), -Z.sum(axis=0)):
        fresh = coin.clone()
        run = fresh.run(Z)
        assert np.all(run.regret_curve(u) <= run.bound_curve(u))
        assert fresh.certificate(u).holds
    for lazy in (False, True):
        newton = OnlineNewtonStep(5, alpha=1.0, curvature=0.5, lazy=lazy)
        newton.run(Z / L)
        for u in (*comparators(), np.zeros(5), 3 * np.ones(5)):
            assert newton.certificate(u).holds


def test_no_theorem_for_points_outside():
    player = OnlineGradientDescent(2, domain=domains.Ball(1.0))
    player.update([1.0, 0.0])
    with pytest.raises(ValueError, match=r"comparator=\[3. 4.\] is not in domain=Ball"):
        player.certificate([3.0, 4.0])
    assert player.regret([3.0, 4.0]) == -3.0  # a number, but nobody promised it


def test_coins_refuse_nothing_but_say_so():
    coin = CoinBetting(1, lipschitz=1.0)
    coin.update([2.0])
    assert not coin.certificate([1.0]).holds


@settings(deadline=None, max_examples=150, derandomize=True)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e3, -1e-6]), min_size=3, max_size=3),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([*GEOMETRIES]),
    st.sampled_from(["anytime", 0.1, rates.InverseSqrt(0.5)]),
)
def test_any_short_game(Z, name, rate):
    player = OnlineMirrorDescent(GEOMETRIES[name], 3, rate=rate)
    player.run(np.array(Z))
    assert player.certificate().holds
    assert np.isfinite(player.point).all()
