"""The schedules, and the regret bounds that the tuned ones promise."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import rates

B, L = 3.0, 0.5  # the comparator's norm and the gradients' norm in all regret tests


def linear_regret(rate, gradients):
    """Regret of `w_{t+1} = -eta_t (z_1 + ... + z_t)` against the best `u` of norm at most `B`."""
    total = np.cumsum(gradients, axis=0)
    eta = np.array([rate(t) for t in range(1, len(gradients))])
    played = -eta[:, None] * total[:-1]  # from round 2 on: the first point is 0
    return np.sum(played * gradients[1:]) + B * np.linalg.norm(total[-1])


def random_gradients(rng, rounds, dimension=4):
    z = rng.normal(size=(rounds, dimension)) + rng.normal(size=dimension)
    return L * z / np.linalg.norm(z, axis=1, keepdims=True)


def orthogonal_gradients(rounds):
    """Each gradient is orthogonal to the sum of those before, so that the learner never earns."""
    total, out = np.zeros(2), []
    for _ in range(rounds):
        direction = np.array([-total[1], total[0]]) if total.any() else np.array([1.0, 0.0])
        out.append(L * direction / np.linalg.norm(direction))
        total = total + out[-1]
    return np.array(out)


def dash_after_zigzag(rounds, dash):
    """Alternating signs, on which the learner pays its step size; then one sign to the end."""
    z = np.where(np.arange(rounds) % 2 == 0, L, -L)
    z[rounds - dash :] = -z[rounds - dash - 1]
    return z[:, None]


def worst_dash(rate, rounds):
    dashes = np.unique(np.linspace(1, 3 * math.sqrt(rounds), 40).astype(int))
    return max(linear_regret(rate, dash_after_zigzag(rounds, dash)) for dash in dashes)


def test_golden_values():
    assert rates.Constant(0.3)(7) == 0.3
    assert rates.InverseSqrt(0.3)(9) == pytest.approx(0.1, rel=1e-15)
    assert rates.Inverse(0.3)(3) == pytest.approx(0.1, rel=1e-15)
    assert rates.for_horizon(norm=6.0, lipschitz=2.0, horizon=9) == rates.Constant(1.0)
    assert rates.anytime(norm=6.0, lipschitz=3.0)(8) == pytest.approx(0.5, rel=1e-15)


@given(eta=st.floats(1e-6, 1e6), t=st.integers(1, 10**9))
def test_first_step_is_eta_and_steps_never_grow(eta, t):
    for schedule in (rates.Constant(eta), rates.InverseSqrt(eta), rates.Inverse(eta)):
        assert schedule(1) == eta
        assert 0 < schedule(t + 1) <= schedule(t)
    assert rates.Inverse(eta)(t) <= rates.InverseSqrt(eta)(t) <= rates.Constant(eta)(t)


@pytest.mark.parametrize("rounds", [1, 2, 3, 10, 400])
def test_regret_within_the_bounds_on_random_losses(rounds):
    rng = np.random.default_rng(rounds)
    for _ in range(20):
        z = random_gradients(rng, rounds)
        known = linear_regret(rates.for_horizon(B, L, rounds), z)
        assert known <= B * L * math.sqrt(rounds) * (1 + 1e-12)
        unknown = linear_regret(rates.anytime(B, L), z)
        assert unknown <= B * L * max(1.0, math.sqrt(2 * (rounds - 1))) * (1 + 1e-12)


@pytest.mark.parametrize("rounds", [1, 2, 50, 1000])
def test_horizon_bound_is_attained(rounds):
    regret = linear_regret(rates.for_horizon(B, L, rounds), orthogonal_gradients(rounds))
    assert regret == pytest.approx(B * L * math.sqrt(rounds), rel=1e-12)


def test_horizon_constant_cannot_be_changed():
    # the identity regret(w_{T+1}) = ||w_{T+1}||^2 / (2 eta) + eta sum ||z||^2 / 2, with zigzags to
    # make ||w_{T+1}|| = B: any other step size is above B L sqrt(T) somewhere
    rounds, right = 2500, rates.for_horizon(B, L, 2500).eta
    for factor, holds in ((0.8, False), (1.0, True), (1.25, False)):
        regret = worst_dash(rates.Constant(factor * right), rounds)
        assert (regret <= B * L * math.sqrt(rounds) * (1 + 1e-12)) == holds


def test_anytime_bound_is_attained_at_two_rounds():
    z = L * np.eye(2)
    assert linear_regret(rates.anytime(B, L), z) == pytest.approx(B * L * math.sqrt(2), rel=1e-12)


def test_anytime_bound_is_approached_and_its_constant_cannot_be_changed():
    rounds = 20_000
    bound = B * L * math.sqrt(2 * (rounds - 1))
    best = rates.anytime(B, L).eta
    assert 0.98 * bound <= worst_dash(rates.InverseSqrt(best), rounds) <= bound
    for factor in (1 / math.sqrt(2), math.sqrt(2)):
        assert worst_dash(rates.InverseSqrt(factor * best), rounds) > bound


def test_inverse_rate_has_logarithmic_regret_on_strongly_convex_losses():
    rng = np.random.default_rng(0)
    rounds, sigma, lipschitz = 2000, 2.0, 4.0  # (w - y)^2 with |w|, |y| <= 1
    rate, w, paid = rates.Inverse(1 / sigma), 0.0, 0.0
    y = np.sign(rng.normal(size=rounds) + 0.1)
    for t in range(1, rounds + 1):
        paid += (w - y[t - 1]) ** 2
        w -= rate(t) * 2 * (w - y[t - 1])
    regret = paid - np.sum((y.mean() - y) ** 2)
    assert w == pytest.approx(y.mean(), abs=1e-12)  # these steps are the running mean
    assert 0 < regret <= lipschitz**2 * (1 + math.log(rounds)) / (2 * sigma)


def test_get():
    assert rates.get(1) == rates.Constant(1.0)
    assert rates.get(np.float32(0.5)) == rates.Constant(0.5)
    schedule = rates.Inverse(2.0)
    assert rates.get(schedule) is schedule
    with pytest.raises(ValueError, match=r"rate='fast' must be a number or a Rate"):
        rates.get("fast")


@pytest.mark.parametrize("eta", [0.0, -1.0, math.inf, math.nan])
def test_bad_step_sizes(eta):
    for make in (rates.Constant, rates.InverseSqrt, rates.Inverse, rates.get):
        with pytest.raises(ValueError, match=rf"eta={eta} must be positive and finite"):
            make(eta)


@pytest.mark.parametrize("name", ["norm", "lipschitz", "horizon"])
def test_bad_tuning(name):
    arguments = {"norm": 1.0, "lipschitz": 1.0, "horizon": 1, name: 0}
    with pytest.raises(ValueError, match=f"{name}=0 must be positive"):
        rates.for_horizon(**arguments)
    if name != "horizon":
        del arguments["horizon"]
        with pytest.raises(ValueError, match=f"{name}=0 must be positive"):
            rates.anytime(**arguments)


def test_rounds_start_at_one():
    with pytest.raises(ValueError, match="t=0 is not a round"):
        rates.Constant(1.0)(0)


def test_schedules_are_values():
    schedule = rates.InverseSqrt(0.5)
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert len({schedule, rates.InverseSqrt(0.5), rates.Inverse(0.5)}) == 2
    with pytest.raises(AttributeError):
        schedule.eta = 1.0
    with pytest.raises(TypeError, match="abstract"):
        rates.Rate(1.0)
