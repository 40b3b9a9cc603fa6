"""The density player: against the expert algorithm, its theorems, and the geometry of its points."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.domains import Ball, Box, Everything, Intersection, Simplex, Slab
from regretless.oco.density import DensityPlayer

POTENTIALS = ["exponential", "two-norm", "normal-hedge-dt"]
every_potential = pytest.mark.parametrize("potential", POTENTIALS)
UNIT = Box([0.0], [1.0])


def square(c):
    return lambda w: float(np.mean((w - c) ** 2))


class Experts:
    """Luo (2016), Algorithm 3, as it is written: potentials and their differences."""

    def __init__(self, count, potential, horizon, eta):
        self.scores, self.t = np.zeros(count), 1
        self.potential, self.horizon, self.eta = potential, horizon, eta

    def phi(self, t, s):
        s = np.asarray(s, float)
        below = np.minimum(s, 0.0) ** 2
        if self.potential == "exponential":
            return math.cosh(self.eta) ** (self.horizon - t) * np.exp(-self.eta * s)
        if self.potential == "two-norm":
            return below + self.horizon - t
        # b_t makes the sums comparable between rounds; it cancels in the differences
        b = 1 - sum(math.exp(4 / (3 * r)) - 1 for r in range(t + 1, self.horizon + 1)) / 2
        return np.exp(below / (3 * t)) - b if t > 0 else np.full(s.shape, 1 - b)

    def weights(self):
        p = self.phi(self.t, self.scores - 1) - self.phi(self.t, self.scores + 1)
        return p / p.sum()

    def update(self, values, suffered):
        before = self.phi(self.t - 1, self.scores).sum()
        self.scores = self.scores + values - suffered
        # Luo (2016), Theorem 2: the sum of the potentials never grows
        assert self.phi(self.t, self.scores).sum() <= before * (1 + 1e-12) + 1e-9
        self.t += 1


@every_potential
def test_with_values_it_is_the_expert_algorithm(potential):
    rng = np.random.default_rng(1)
    player = DensityPlayer(UNIT, potential=potential, points=7, horizon=40)
    experts = Experts(7, potential, 40, player.rate)
    lost = 0.0
    for _ in range(40):
        values = rng.uniform(size=7) * np.linspace(0.2, 1.0, 7)
        p = experts.weights()
        # weights are sums and quotients of seven numbers, from scores of rounding error below 1e-14
        np.testing.assert_allclose(player.weights, p, rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(player.point, p @ player.grid, rtol=1e-11)
        assert player.update(values) == pytest.approx(p @ values, rel=1e-12)
        lost += p @ values
        experts.update(values, p @ values)
    assert player.loss == pytest.approx(lost)
    assert player.regret() == pytest.approx(-experts.scores.min())
    assert player.certificate().holds


@every_potential
def test_with_functions_the_point_s_own_loss_is_suffered(potential):
    rng = np.random.default_rng(2)
    player = DensityPlayer(UNIT, potential=potential, points=50, horizon=60)
    experts = Experts(50, potential, 60, player.rate)
    for _ in range(60):
        loss = square(rng.uniform())
        values = np.array([loss(w) for w in player.grid])
        suffered = loss(player.point)
        np.testing.assert_allclose(player.weights, experts.weights(), rtol=1e-9, atol=1e-12)
        assert player.update(loss) == suffered <= player.weights @ values + 1
        experts.update(values, suffered)
    np.testing.assert_allclose(player.scores, experts.scores, atol=1e-11)


def test_exponential_weights_are_those_of_the_total_losses():
    rng = np.random.default_rng(3)
    player = DensityPlayer(UNIT, potential="exponential", points=9, horizon=30, epsilon=1 / 9)
    assert player.rate == pytest.approx(math.sqrt(2 * math.log(9) / 30))
    total = np.zeros(9)
    for _ in range(30):
        weights = np.exp(-player.rate * total)
        np.testing.assert_allclose(player.weights, weights / weights.sum(), rtol=1e-12)
        values = rng.uniform(size=9)
        player.update(values)
        total += values


def test_closed_forms_of_the_differences():
    player = DensityPlayer(UNIT, potential="two-norm", points=5)
    player.scores = np.array([-3.0, -1.0, 0.0, 0.5, 2.0])
    expected = np.array([12.0, 4.0, 1.0, 0.25, 0.0])
    np.testing.assert_allclose(player.weights, expected / expected.sum(), rtol=1e-14)
    hedge = DensityPlayer(UNIT, points=3)
    hedge.scores, hedge.rounds = np.array([-900.0, -899.0, 1.0]), 3  # e^(901^2 / 12) overflows
    assert np.isfinite(hedge.weights).all()
    ratio = math.exp((901.0**2 - 900.0**2) / 12)
    assert hedge.weights[1] == pytest.approx(hedge.weights[0] / ratio)
    assert hedge.weights[2] == 0.0


@every_potential
def test_no_point_left_with_weight(potential):
    """All are behind what was played: any play keeps the potential from growing."""
    player = DensityPlayer(UNIT, points=[[0.0], [1.0]], potential=potential, horizon=20)
    for _ in range(20):
        player.update(lambda w: float(abs(2 * w[0] - 1)))
    assert (player.scores > 1).all()
    np.testing.assert_array_equal(player.weights, [0.5, 0.5])
    assert player.regret() == -20.0
    assert player.certificate().holds


def adversary(player, rng):
    """A distance to the end that is farther, now and then to a random place."""
    w = player.point
    far = np.where(w > 0.5, 0.0, 1.0) if rng.uniform() < 0.7 else rng.uniform(size=len(w))
    return lambda v: float(np.abs(v - far).mean())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(POTENTIALS), st.sampled_from([1, 2]))
def test_every_bound_holds(seed, potential, d):
    rng = np.random.default_rng(seed)
    T = 40
    box = Box([0.0] * d, [1.0] * d)
    player = DensityPlayer(box, potential=potential, points=36, horizon=T)
    fine = np.random.default_rng(seed).uniform(size=(200, d))
    against = np.zeros(200)
    for t in range(1, T + 1):
        loss = adversary(player, rng)
        player.update(loss)
        against += [loss(u) for u in fine]
        for epsilon in (None, 1 / 36, 0.1, 0.5, 1.0):
            certificate = player.certificate(quantile=epsilon)
            assert certificate.holds
            assert certificate.rounds == t
        assert player.loss - against.min() <= player.bound_on_domain() + 1e-9
        assert player.loss - against.min() <= player.bound_on_domain(math.sqrt(1 / d)) + 1e-9


def test_bounds_are_those_of_the_text():
    hedge, two, exponential = (
        DensityPlayer(UNIT, points=64, potential=name, horizon=100)
        for name in ("normal-hedge-dt", "two-norm", "exponential")
    )
    for player in (hedge, two, exponential):
        for _ in range(100):
            player.update(np.full(64, 0.5))
    printed = math.sqrt(300 * math.log((math.exp(4 / 3) - 1) * (math.log(100) + 1) / 0.2 + 1))
    assert 0.9 * printed < hedge.bound(quantile=0.1) <= printed
    assert two.bound(quantile=0.1) == pytest.approx(math.sqrt(1000))
    # epsilon = T^-d is below one point, so eta is made for one
    assert exponential.epsilon == 1 / 64
    assert exponential.bound() <= math.sqrt(2 * 100 * math.log(64))
    assert exponential.bound() == pytest.approx(
        (math.log(64) + 100 * math.log(math.cosh(exponential.rate))) / exponential.rate
    )
    # Theorem 22: sqrt(3 T ln(T^d ... / 2 + 1)) + 1 with delta = 1/T, a grid being no finer than that
    fine = DensityPlayer(UNIT, points=100)
    for _ in range(100):
        fine.update(np.full(100, 0.5))
    theorem = (
        math.sqrt(300 * math.log(100 * (math.exp(4 / 3) - 1) * (math.log(100) + 1) / 2 + 1)) + 1
    )
    assert fine.bound_on_domain() <= theorem


def test_quantile_regret_is_to_the_kth_best():
    player = DensityPlayer(UNIT, points=10)
    player.scores = np.array([3.0, -5.0, 0.0, 1.0, -2.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    assert player.regret() == 5.0
    assert player.regret(quantile=0.1) == 5.0
    assert player.regret(quantile=0.11) == player.regret(quantile=0.2) == 2.0
    assert player.regret(quantile=0.3) == 0.0
    assert player.regret(quantile=1.0) == -8.0
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="quantile"):
            player.regret(quantile=wrong)


# --- the points -------------------------------------------------------------------------------

SHAPES = [
    Box([0.0, -1.0], [1.0, 3.0]),
    Ball(1.5),
    Ball(1.0, 1.0),
    Simplex(2.0),
    Intersection(Ball(1.0), Slab([1.0, 1.0], 0.3)),
]


@pytest.mark.parametrize("domain", SHAPES, ids=repr)
def test_every_point_of_the_domain_has_one_of_the_grid_within_the_resolution(domain):
    player = DensityPlayer(domain, 2, points=100)
    assert all(domain.contains(w) for w in player.grid)
    rng = np.random.default_rng(4)
    for _ in range(500):
        u = domain.project(rng.normal(scale=2.0, size=2))
        # the projections are exact to rounding, the points are kept to 14 decimals
        assert np.linalg.norm(player.grid - u, axis=1).min() <= player.resolution + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=2), st.integers(1, 8))
def test_shrunken_box_holds_its_share_of_the_grid(u, k):
    """What `bound_on_domain` rests on: (1 - k/n) u + (k/n) box holds at least k^d of n^d points."""
    player = DensityPlayer(Box([0.0, 0.0], [1.0, 1.0]), points=64)
    low = (1 - k / 8) * np.array(u)
    inside = ((player.grid >= low - 1e-12) & (player.grid <= low + k / 8 + 1e-12)).all(axis=1)
    assert inside.sum() >= k**2


def test_monte_carlo_is_uniform_and_by_seed():
    for domain, volume in [(Ball(1.0), None), (Simplex(), None), (Box([0.0] * 2, [1.0] * 2), 0.25)]:
        options = {"points": 2000, "method": "monte-carlo"}
        player = DensityPlayer(domain, 2, **options, seed=5)
        same, other = (
            DensityPlayer(domain, 2, **options, seed=5),
            DensityPlayer(domain, 2, **options),
        )
        assert len(player.grid) == 2000
        assert all(domain.contains(w) for w in player.grid)
        np.testing.assert_array_equal(player.grid, same.grid)
        assert (player.grid != other.grid).any()
        share = 0.25 if volume or isinstance(domain, Ball) else 0.5
        if isinstance(domain, Ball):
            hit = np.linalg.norm(player.grid, axis=1) <= 0.5  # (1/2)^2 of the disc
        elif volume:
            hit = (player.grid <= 0.5).all(axis=1)
        else:
            hit = player.grid[:, 0] <= 0.5
        error = 4 * math.sqrt(share * (1 - share) / 2000)  # four standard errors
        assert hit.mean() == pytest.approx(share, abs=error)


@pytest.mark.parametrize("domain", [Ball(0.5, 2.0, [0.5, 0.5]), Simplex()], ids=repr)
def test_monte_carlo_bound_on_the_domain(domain):
    player = DensityPlayer(domain, 2, points=400, method="monte-carlo", seed=6)
    rng = np.random.default_rng(7)
    u, against = domain.project(np.array([0.2, 0.9])), 0.0
    for _ in range(60):
        loss = adversary(player, rng)
        player.update(loss)
        against += loss(u)
    bound = player.bound_on_domain()
    assert player.loss - against <= bound
    assert player.bound_on_domain(confidence=0.5) < bound


def test_lipschitz_bound_on_a_ball():
    player = DensityPlayer(Ball(0.5, 2.0, [0.5, 0.5]), points=200)
    rng = np.random.default_rng(8)
    angles = rng.uniform(0, 2 * math.pi, 300)
    edge = 0.5 + 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    against = np.zeros(300)
    for _ in range(50):
        loss = adversary(player, rng)
        player.update(loss)
        against += [loss(u) for u in edge]
    # |v - far| has slope 1/2 in each coordinate: sqrt(1/2) in all
    assert player.loss - against.min() <= player.bound_on_domain(math.sqrt(0.5))
    with pytest.raises(ValueError, match="lipschitz= is needed"):
        player.bound_on_domain()
    with pytest.raises(ValueError, match="not known"):
        DensityPlayer(UNIT, points=[[0.5]]).bound_on_domain(1.0)


def test_it_learns():
    player = DensityPlayer(Box([0.0, 0.0], [1.0, 1.0]), points=400)
    rng = np.random.default_rng(9)
    run = player.run([square(rng.normal([0.3, 0.6], 0.05)) for _ in range(300)])
    assert run.points[-1] == pytest.approx([0.3, 0.6], abs=0.06)
    np.testing.assert_allclose(player.grid[run.comparator()], [0.3, 0.6], atol=0.05)
    assert run.regret() == pytest.approx(player.regret())
    assert (run.regret_curve() <= run.bound_curve()).all()


@pytest.mark.parametrize("potential", ["exponential", "two-norm", "normal-hedge-dt"])
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_a_run_of_values_is_its_rounds(potential, scale):
    """The core plays them all; the same as one by one, from the start and from the middle."""
    rng = np.random.default_rng(3)
    values = scale * rng.random((60, 9))
    values[20:40, 3:] = scale  # most fall behind by far
    whole, single = (
        DensityPlayer(Box([0.0, 0.0], [1.0, 2.0]), potential=potential, points=9, horizon=60)
        for _ in range(2)
    )
    bounds, points = [], []
    for row in values:
        points.append(single.point)
        single.update(row)
        bounds.append(single.bound())
    runs = [whole.run(part) for part in (values[:17], list(values[17:]), values[:0])]
    assert runs[0].bound() == pytest.approx(bounds[16], rel=1e-12)
    assert (runs[0].bound_curve() <= np.array(bounds[:17]) * (1 + 1e-12)).all()
    for run, part in zip(runs, (values[:17], values[17:], values[:0])):
        for quantile in (None, 0.3, 1.0):
            k = 0 if quantile is None else math.ceil(9 * quantile - 1e-12) - 1
            theirs = part[:, np.argsort(part.sum(axis=0), kind="stable")[k]]
            regret = np.cumsum(run.losses - theirs)
            np.testing.assert_allclose(run.regret_curve(quantile=quantile), regret, atol=1e-12)
            assert (regret <= run.bound_curve(quantile=quantile)).all()
            certificate = run.certificate(quantile=quantile)
            assert certificate.holds
            assert certificate.rounds == len(part) == run.rounds
    # sixty sums of nine numbers near 1
    np.testing.assert_allclose(np.concatenate([r.points for r in runs]), points, atol=1e-12)
    np.testing.assert_allclose(whole.scores, single.scores, atol=1e-12)
    assert whole.rounds == single.rounds
    assert whole.certificate().bounds == pytest.approx(single.certificate().bounds, rel=1e-12)
    assert whole.loss == pytest.approx(single.loss, rel=1e-12)
    suffered = np.concatenate([r.losses for r in runs])
    assert suffered.sum() == pytest.approx(whole.loss, rel=1e-12)


# --- bad input, copies, disk ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ([0.5, 0.5], "loss has shape"),
        ([0.5, math.nan, 0.5], r"loss\[1\] = nan"),
        ([0.5, 1.7, 0.5], r"loss\[1\] = 1.7 is outside \[0, 1\]"),
        ([-0.1, 0.7, 0.5], r"loss\[0\] = -0.1 is outside"),
        (lambda w: 2.0, "is outside"),
        (lambda w: "one", "not made of numbers"),
        (lambda w: float(1 - (2 * w[0] - 1) ** 2), "not convex"),
    ],
)
def test_bad_losses_change_nothing(loss, message):
    player = DensityPlayer(UNIT, points=3)
    with pytest.raises(ValueError, match=message):
        player.update(loss)
    with pytest.raises(ValueError, match=message if callable(loss) else "losses"):
        player.run([np.array([0.0, 0.5, 1.0]), loss])
    assert player.rounds == 0
    assert player.loss == 0.0
    assert not player.scores.any()


def test_the_loss_at_the_point_is_at_most_the_mean():
    player = DensityPlayer(UNIT, points=2)
    with pytest.raises(ValueError, match=r"at_point=0.6 is above the mean 0.5"):
        player.update([0.0, 1.0], at_point=0.6)
    assert player.update([0.0, 1.0], at_point=0.25) == 0.25
    np.testing.assert_array_equal(player.scores, [-0.25, 0.75])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": Everything(), "dimension": 2}, "not bounded"),
        ({"domain": Ball(1.0)}, "dimension= is needed"),
        ({"potential": "expo"}, "potential='expo' is not one of"),
        ({"potential": "exponential"}, "needs horizon="),
        ({"method": "mcmc"}, "method='mcmc'"),
        ({"points": 0}, "points=0"),
        ({"points": [[2.0]]}, r"points\[0\] is not in"),
        ({"points": np.empty((0, 1))}, "points is empty"),
        ({"epsilon": 2.0}, "epsilon=2.0"),
        ({"horizon": 0}, "horizon=0"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        DensityPlayer(**({"domain": UNIT} | options))


@every_potential
def test_saved_and_copied_players_go_on_as_the_same(tmp_path, potential):
    player = DensityPlayer(Ball(0.5, 2.0, [0.5, 0.5]), points=30, potential=potential, horizon=9)
    player.run([square(0.2), square(0.9)])
    player.save(tmp_path / "density.model")
    loaded = DensityPlayer.load(tmp_path / "density.model")
    others = [player.copy(), copy.deepcopy(player), loaded]
    assert player.clone().rounds == 0
    suffered = player.update(square(0.4))
    for other in others:
        assert repr(other) == repr(player)
        assert other.rounds == 2
        assert other.update(square(0.4)) == suffered
        np.testing.assert_array_equal(other.point, player.point)
        assert other.certificate() == player.certificate()
    path = tmp_path / "density.model"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="not a model file"):
        DensityPlayer.load(path)
