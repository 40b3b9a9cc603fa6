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


def comparators(Z, scale=1.0):
    """Points of the simplex of this size, and the best direction with norms from small to large."""
    random = np.random.default_rng(0)
    inside = [*np.eye(5), *random.dirichlet(np.ones(5), 2), np.full(5, 0.2)]
    best = -Z.sum(axis=0) / max(float(np.linalg.norm(Z.sum(axis=0))), 1e-300)
    return [scale * u for u in inside], [norm * best for norm in (0.1, 1.0, 10.0, 100.0)]


class Tightness:
    """The bounds of certificates, none below the regret, and each within a factor of 10 of one.

    Otherwise a constant that is wrong by that factor would not be seen.
    """

    def __init__(self):
        self.largest = {}

    def add(self, certificate):
        assert certificate.holds, certificate
        for name, bound in certificate.bounds.items():
            assert certificate.regret <= bound + certificate.rounding, name
            if 0.0 < bound < math.inf:
                self.largest[name] = max(certificate.regret / bound, self.largest.get(name, 0.0))

    def check(self):
        assert self.largest
        for name, share in self.largest.items():
            assert share > 0.1 or name == "trivial", self.largest


@pytest.mark.parametrize("rate", [*RATES, "anytime"])
@pytest.mark.parametrize("name", [*GEOMETRIES, "in a simplex"])
def test_the_theorem_holds_for_every_comparator(name, rate):
    psi, domain = GEOMETRIES.get(name, geometry.Euclidean()), None
    if name == "in a simplex":
        domain = domains.Simplex()
    chosen = "anytime" if rate == "anytime" else RATES[rate][0]
    scale = 3.0 if name == "entropy 3" else 1.0
    tightness = Tightness()
    for Z in STREAMS.values():
        player = OnlineMirrorDescent(psi, 5, rate=chosen, domain=domain)
        run, (inside, far) = player.run(Z), comparators(Z, scale)
        assert np.all(run.regret_curve(inside[0]) <= run.bound_curve(inside[0]))
        for u in inside if "entropy" in name or domain else inside + far:
            tightness.add(player.certificate(u))
        assert player.certificate().holds
    tightness.check()


@pytest.mark.parametrize("domain", PROJECTIONS.values(), ids=PROJECTIONS)
@pytest.mark.parametrize("rate", [0.3, "anytime"])
def test_agile_descent_has_a_bound_too(domain, rate):
    tightness = Tightness()
    for Z in STREAMS.values():
        player = OnlineGradientDescent(5, rate=rate, domain=domain, lazy=False)
        player.run(Z)
        tightness.add(player.certificate())
    tightness.check()


def test_the_theorems_of_coordinates():
    """AdaGrad in a box, and coins."""
    adagrads, coins = Tightness(), Tightness()
    for Z in STREAMS.values():
        adagrad = AdaGrad(5, rate=2 / math.sqrt(2), domain=domains.Box(-np.ones(5), np.ones(5)))
        run = adagrad.run(Z)
        assert np.all(run.regret_curve() <= run.bound_curve())
        adagrads.add(adagrad.certificate())
        for u in (np.zeros(5), 3 * np.ones(5), -Z.sum(axis=0)):
            coin = CoinBetting(5, lipschitz=float(np.abs(Z).max()) or 1.0)
            run = coin.run(Z)
            assert np.all(run.regret_curve(u) <= run.bound_curve(u))
            coins.add(coin.certificate(u))
    adagrads.check()
    coins.check()


@pytest.mark.parametrize("lazy", [False, True])
def test_the_theorem_of_newton_steps(lazy):
    tightness = Tightness()
    for Z in STREAMS.values():
        newton = OnlineNewtonStep(5, alpha=1.0, curvature=0.5, lazy=lazy)
        newton.run(Z / (float(np.abs(Z).max()) or 1.0))
        inside, far = comparators(Z)
        for u in (*inside, *far, np.zeros(5), 3 * np.ones(5)):
            tightness.add(newton.certificate(u))
    tightness.check()


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
