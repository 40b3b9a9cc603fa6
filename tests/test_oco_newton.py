"""Newton steps, sketched and without a start: their oracles, projections and bounds."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from reference import mirror
from reference import newton as sketches
from reference.invariant import InvariantNewton
from reference.oco_games import ROUNDING, STREAMS, every_stream, gradients

from regretless import domains, losses
from regretless.oco import (
    InvariantNewtonStep,
    OnlineGradientDescent,
    OnlineNewtonStep,
    SketchedOnlineNewton,
)


@every_stream
@pytest.mark.parametrize("options", [(1.0, 0.5, 0.0), (0.1, 0.0, 1.0), (2.0, 0.2, 0.3)])
def test_newton_steps(options, stream):
    alpha, curvature, rate = options
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    for lazy in (False, True):
        player = OnlineNewtonStep(5, alpha=alpha, curvature=curvature, rate=rate, lazy=lazy)
        points = player.run(Z).points
        np.testing.assert_allclose(points, mirror.newton(Z, *options, lazy), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("domain", [domains.Simplex(), domains.Simplex(3.0), "box"])
def test_newton_projects_in_its_own_norm(domain):
    """The point played satisfies the variational inequality of the projection, in the norm of A."""
    if domain == "box":
        domain = domains.Box(np.full(5, -0.3), np.full(5, 0.2))
    random = np.random.default_rng(3)
    player = OnlineNewtonStep(5, alpha=0.5, curvature=0.5, domain=domain)
    for z in gradients(6, rounds=40):
        before = player.point
        player.update(z)
        A = player._engine.sums()["matrix"].reshape(5, 5)
        to, w = before - np.linalg.solve(A, z), player.point
        assert domain.contains(w)
        for _ in range(20):
            u = domain.project(random.normal(size=5))
            # the solver stops at 1e-13 of the curvature, of which there is less than 100
            assert (w - to) @ A @ (u - w) >= -1e-9


SKETCHES = {
    "oja": sketches.Oja,
    "fd": sketches.FrequentDirections,
    "rp": lambda m: sketches.RandomProjection(m, lambda t: sketches.gaussians(7, t, m)),
    "full": lambda m: sketches.Full(),
}


def sketched_newton(Z, sketch, alpha, curvature, rate):
    """The points played, one after the last round too, and `A` at the end."""
    points = [np.zeros(Z.shape[1])]
    for t, g in enumerate(Z, 1):
        if g.any():
            sketch.update(math.sqrt(curvature + rate / math.sqrt(t)) * g)
        A = alpha * np.eye(len(g)) + sketch.matrix()
        points.append(points[-1] - np.linalg.solve(A, g))
    return np.array(points), A


@every_stream
@pytest.mark.parametrize("size", [1, 3, 8])
@pytest.mark.parametrize("name", SKETCHES)
def test_sketched_newton_steps(name, size, stream):
    """The points are the oracle's; and Proposition 1 is an equality but for its last term."""
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    for alpha, curvature, rate in ((1.0, 0.5, 0.0), (0.1, 0.0, 1.0), (2.0, 0.2, 0.3)):
        options = {"alpha": alpha, "curvature": curvature, "rate": rate}
        player = SketchedOnlineNewton(5, sketch=name, size=size, seed=7, **options)
        run = player.run(Z)
        points, A = sketched_newton(Z, SKETCHES[name](size), **options)
        np.testing.assert_allclose(run.points, points[:-1], rtol=1e-8, atol=1e-10)
        for u in (np.zeros(5), np.full(5, 0.2), gradients(9)[0]):
            certificate = player.certificate(u)
            assert certificate.holds
            left = 0.5 * (points[-1] - u) @ A @ (points[-1] - u)
            gap = certificate.bounds["newton"] - certificate.regret
            assert gap == pytest.approx(left, rel=1e-7, abs=1e-8)
        corners = [player.certificate(corner).bound for corner in np.eye(5)]
        whole = player.certificate(domains.Simplex()).bound
        assert whole == pytest.approx(max(corners), rel=1e-14)


@every_stream
@pytest.mark.parametrize("size", [1, 3, 8])
def test_oja_as_printed(size, stream, tmp_path):
    """Luo (2016), Algorithm 14: random directions, steps of 1 / t, rows orthonormal in order."""
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    player = SketchedOnlineNewton(5, size=size, curvature=0.5, start="random", step="time", seed=3)
    V = player._engine.sketch.directions.copy()
    np.testing.assert_allclose(V @ V.T, np.eye(min(size, 5)), atol=1e-14)
    squares, w, t = np.zeros(len(V)), np.zeros(5), 0
    for g in Z:
        np.testing.assert_allclose(player.point, w, rtol=1e-8, atol=1e-10)
        player.update(g)
        if not g.any():
            continue
        t += 1
        p = V @ g * math.sqrt(0.5)
        squares, V = squares + p * p, V + np.outer(p, g) * math.sqrt(0.5) / t
        for i in range(len(V)):
            V[i] -= V[:i].T @ (V[:i] @ V[i])
            V[i] -= V[:i].T @ (V[:i] @ V[i])
            V[i] /= np.linalg.norm(V[i])
        w = w - np.linalg.solve(np.eye(5) + V.T @ np.diag(squares) @ V, g)
    player.save(tmp_path / "p")
    assert SketchedOnlineNewton.load(tmp_path / "p") == player


@every_stream
def test_sketches_that_are_newton_steps(stream):
    """The full matrix, and frequent directions with more rows than the gradients have dimensions."""
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    for options in ({"curvature": 0.5}, {"alpha": 0.3, "curvature": 0.0, "rate": 0.7}):
        newton = OnlineNewtonStep(5, **options)
        points = newton.run(Z).points
        for sketch in ({"sketch": "full"}, {"sketch": "fd", "size": 6}):
            player = SketchedOnlineNewton(5, **options, **sketch)
            run = player.run(Z)
            np.testing.assert_allclose(run.points, points, rtol=1e-8, atol=1e-10)
            for u in (np.zeros(5), np.full(5, 0.2)):
                assert player.certificate(u).bound == pytest.approx(newton.certificate(u).bound)
    descent = OnlineGradientDescent(5, rate=0.5).run(Z).points
    for sketch in ("oja", "fd", "rp"):
        player = SketchedOnlineNewton(5, sketch=sketch, size=0, alpha=2.0)
        run = player.run(Z)
        np.testing.assert_allclose(run.points, descent, **ROUNDING)


def exactly(a, b):
    return sum((Fraction(float(x)) * y for x, y in zip(a, b)), Fraction(0))


def sizes_far_apart(seed):
    """Gradients of which squares and sums forget the smaller ones; some are all on one line."""
    random = np.random.default_rng(seed)
    reach = 60 if seed % 2 else 20
    sizes = 10.0 ** random.uniform(-reach, reach, size=(20, 1))
    return sizes * random.normal(size=(1 if seed % 5 == 0 else 20, 4))


@pytest.mark.parametrize("sketch", ["fd", "oja", "rp", "full"])
def test_sketched_newton_bounds_are_kept_at_all_sizes(sketch):
    """Computed without rounding, the regret and the term that Proposition 1 leaves out are not above."""
    for seed in range(20):
        Z = sizes_far_apart(seed)
        player = SketchedOnlineNewton(4, sketch=sketch, size=2, seed=seed)
        first, second = player.run(Z[:8]), player.run(Z[8:])
        points = [*first.points, *second.points]
        for u in (np.zeros(4), np.eye(4)[0], Z[3]):
            away = [[Fraction(float(x)) - Fraction(float(y)) for x, y in zip(w, u)] for w in points]
            each = [exactly(z, way) for z, way in zip(Z, away)]
            way = [Fraction(float(x)) - Fraction(float(y)) for x, y in zip(player.point, u)]
            left = sum(x * x for x in way)  # alpha is 1
            if sketch == "full":
                left += sum(x * exactly(row, way) for x, row in zip(way, player._engine.sketch.sum))
            else:
                left += sum(exactly(row, way) ** 2 for row in player._engine.sketch.rows)
            certificate = player.certificate(u)
            assert certificate.holds
            assert sum(each) + left / 2 <= certificate.bound
            for run, theirs in ((first, each[:8]), (second, each[8:])):
                assert run.certificate(u).holds
                for t, bound in enumerate(run.bound_curve(u), 1):
                    assert sum(theirs[:t]) <= bound


@pytest.mark.parametrize("sketch", ["fd", "oja", "rp"])
def test_sketched_newton_steps_solve_their_equation(sketch):
    """`A v = z` up to rounding of its terms, computed without rounding, if alpha is 1e-72 of A."""
    for seed in range(20):
        player = SketchedOnlineNewton(4, sketch=sketch, size=2, seed=seed)
        for z in gradients(seed, rounds=3, dimension=4) * [[1e-13], [1e36], [1e20]]:
            player.update(z)
            rows, v = player._engine.sketch.rows, player._engine.sketch.solve(z)
            scores = [exactly(row, map(Fraction, v.tolist())) for row in rows]
            heavy = [exactly(column, scores) for column in rows.T]
            missing = [float(a + Fraction(b) - Fraction(c)) for a, b, c in zip(heavy, v, z)]
            sizes = (1.0 + np.sum(rows**2)) * np.linalg.norm(v) + np.linalg.norm(z)
            assert np.linalg.norm(missing) <= 32.0 * np.finfo(float).eps * sizes
        again = SketchedOnlineNewton(4, sketch=sketch, size=2, seed=seed)
        again.__setstate__(player.__getstate__())  # all numbers are such as can be restored


@pytest.mark.parametrize("sketch", ["full", "fd"])
def test_sketched_newton_on_losses_that_curve(sketch):
    """(s - y)^2 curves by 1 / (2 (s - y)^2) along its gradient at s."""
    random, curvature = np.random.default_rng(0), 0.02
    X = random.normal(size=(500, 6)) * [3.0, 1.0, 1.0, 0.3, 0.3, 0.3]
    u = random.normal(size=6) * 0.3
    y = X @ u + 0.1 * random.normal(size=500)
    player = SketchedOnlineNewton(6, sketch=sketch, size=4, alpha=30.0, curvature=curvature)
    run = player.run(X, y, "squared")
    assert run.losses.max() <= 1 / (2 * curvature)  # it curves as told wherever it was met
    assert np.all(run.regret_curve(u) <= run.bound_curve(u))
    assert np.isfinite(run.bound_curve(u)).all()
    assert np.isinf(SketchedOnlineNewton(6).run(X, y, "squared").bound_curve(u)[:-1]).all()


@pytest.mark.parametrize("seed", range(3))
def test_newton_has_logarithmic_regret_on_squares(seed):
    """Theorem 16 with the slab: |y| <= C, sigma = 1 / (8 C^2); examples on badly chosen axes."""
    random, T, C = np.random.default_rng(seed), 2000, 1.0
    X = random.normal(size=(T, 4)) * [1.0, 10.0, 0.1, 3.0]
    u = np.array([0.2, -0.02, 1.0, 0.05])
    X /= np.maximum(1.0, np.abs(X @ u) / C)[:, None]
    y = np.clip(X @ u + 0.1 * random.normal(size=T), -C, C)
    player = OnlineNewtonStep(4, alpha=1.0, curvature=1 / 8, slab=C)
    run = player.run(X, y, "squared")
    assert np.all(np.abs(np.sum(run.points * X, axis=1)) <= C + 1e-9)
    assert run.regret(u) <= player.logarithmic_bound(u)
    assert player.logarithmic_bound(u) < 150  # 4 / (2 sigma) ln(...)


def test_newton_moves_to_the_nearest_point_of_the_slab():
    """Luo (2016), Lemma 11: u - tau(<u, x>) / (x' A^{-1} x) A^{-1} x."""
    Z = gradients(11, rounds=40, dimension=4)
    player = OnlineNewtonStep(4, alpha=0.5, curvature=0.3, slab=0.2)
    w, A, moved = np.zeros(4), 0.5 * np.eye(4), 0
    for x, z in zip(Z[:20], Z[20:]):
        beyond = np.sign(w @ x) * max(abs(w @ x) - 0.2, 0.0)
        direction = np.linalg.solve(A, x)
        w = w - beyond / (x @ direction) * direction
        moved += beyond != 0
        player.look(x)
        np.testing.assert_allclose(player.point, w, rtol=1e-8, atol=1e-10)
        A = A + 0.3 * np.outer(z, z)
        w = w - np.linalg.solve(A, z)
        player.update(z)
    assert moved > 5


@pytest.mark.parametrize("rank", [1, 3, 6])
def test_newton_without_a_start_against_the_oracle(rank):
    """Also when the examples never leave a subspace; and `run` looks at each before it is played."""
    random = np.random.default_rng(rank)
    X = random.normal(size=(120, rank)) @ random.normal(size=(rank, 6))
    X[7] = X[50] = 0.0
    y = X @ random.normal(size=6) + random.normal(size=120)
    single = InvariantNewtonStep(6, curvature=0.3, slab=0.7)
    oracle, played, moved, gradients_met = InvariantNewton(6, 0.3, 0.7), [], 0, []
    for x, target in zip(X, y):
        before = oracle.w
        single.look(x)
        oracle.look(x)
        moved += (oracle.w != before).any()
        played.append(oracle.w)
        # inverses of matrices of condition up to 1e6
        np.testing.assert_allclose(single.point, oracle.w, rtol=1e-9, atol=1e-9)
        g = 2.0 * (oracle.w @ x - target) * x
        gradients_met.append(g)
        single.update(g)
        oracle.update(g)
    assert moved > rank
    for direction in (np.zeros(6), *random.normal(size=(5, 6))):
        u = 0.7 * direction / max(1e-9, np.abs(X @ direction).max())  # in all the slabs
        certificate = single.certificate(u)
        curved = 0.3 * np.sum((np.array(gradients_met) * (played - u)).sum(axis=1) ** 2)
        assert certificate.bound == pytest.approx((oracle.spent + curved) / 2, rel=1e-9)
        assert certificate.regret <= certificate.bound
        assert certificate.holds is None
        assert None in certificate.assumptions.values()  # that u is in the slabs is taken on trust
    again = pickle.loads(pickle.dumps(single))
    again.update(np.ones(6))
    single.update(np.ones(6))
    np.testing.assert_array_equal(again.point, single.point)
    whole = InvariantNewtonStep(6, curvature=0.3, slab=0.7)
    run = whole.run(X, y, losses.Squared())
    np.testing.assert_allclose(run.points, played, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_newton_without_a_start_does_not_see_coordinates(seed):
    """Luo (2016), appendix C: predictions are the same for x and M x; as printed they are not."""
    random = np.random.default_rng(seed)
    X, M = random.normal(size=(40, 4)), random.normal(size=(4, 4)) + 3 * np.eye(4)
    y = np.sign(X @ random.normal(size=4))
    scores = []
    for rows in (X, X @ M.T):
        player = InvariantNewtonStep(4, curvature=1.0, slab=4.0)
        scores.append([])
        for x, label in zip(rows, y):
            player.look(x)
            score = float(player.point @ x)
            scores[-1].append(score)
            player.update(2 * (score - label) * x)
    # pseudo-inverses of matrices of condition up to 1e6
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-9)


# --- projections in the norm of the matrix ----------------------------------------------------------


def least(matrix, to, domain):
    """Where `(w - to)' A (w - to)` is least in a box or a simplex, by enumeration-free quadratic
    programming: every optimum is one of nonnegative least squares."""
    from regretless.domains.projections import quadratic_program

    d = len(to)
    return quadratic_program(matrix @ to, matrix, domain.polyhedron(d))


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    "domain", [domains.Box(-0.3, 0.2), domains.Simplex(), domains.Simplex(3.0)], ids=repr
)
def test_points_are_projected_to_the_end(domain, lazy, alpha):
    """Thirty coordinates that pull each other along, where sweeps take thousands of turns."""
    d, random = 30, np.random.default_rng(0)
    mixed = random.normal(size=(d, 3)) @ random.normal(size=(3, d)) + 0.1 * np.eye(d)
    player = OnlineNewtonStep(d, alpha=alpha, curvature=0.5, domain=domain, lazy=lazy)
    A, w = alpha * np.eye(d), player.point
    first, total = w, np.zeros(d)
    for _ in range(25):
        g = mixed @ random.normal(size=d)
        player.update(g)
        A += 0.5 * np.outer(g, g)
        total += (0.5 * (g @ w) - 1.0) * g
        to = np.linalg.solve(A, alpha * first + total) if lazy else w - np.linalg.solve(A, g)
        expected = least(A, to, domain)
        w = player.point
        assert domain.contains(w, 1e-12)
        # as good as the best, and as near as the condition of the matrix allows
        excess = (w - to) @ A @ (w - to) - (expected - to) @ A @ (expected - to)
        assert excess <= 1e-9 * (1.0 + (expected - to) @ A @ (expected - to))
        slope = A @ (w - to)
        scale = 1e-8 * np.abs(A).max()
        if isinstance(domain, domains.Box):
            assert (slope[w < 0.2 - 1e-9] >= -scale).all()
            assert (slope[w > -0.3 + 1e-9] <= scale).all()
        else:
            played = w > 1e-9
            assert np.ptp(slope[played]) <= scale
            assert slope.min() >= slope[played].max() - scale


def portfolio_oracle(X, delta, beta=1.0):
    """Agarwal and others (2006): A = I + sum of squares, b = (1 + 1/beta) sum of gradients."""
    from regretless.domains.projections import quadratic_program

    n = X.shape[1]
    A, b, p, played = np.eye(n), np.zeros(n), np.full(n, 1.0 / n), []
    for x in X:
        played.append(p)
        gradient = x / (p @ x)
        A, b = A + np.outer(gradient, gradient), b + (1.0 + 1.0 / beta) * gradient
        p = quadratic_program(delta * b, A, domains.Simplex().polyhedron(n))
    return np.array(played)


@pytest.mark.parametrize("delta", [0.125, 1.0])
def test_portfolios_as_their_authors_run_them(delta):
    random = np.random.default_rng(1)
    X = np.exp(0.03 * random.normal(size=(300, 6)) + np.linspace(-0.004, 0.004, 6))
    options = {"alpha": 1.0, "curvature": 1.0, "lazy": True, "delta": delta}
    player = OnlineNewtonStep(6, domain=domains.Simplex(), **options)
    run = player.run(X, loss="log_wealth")
    expected = portfolio_oracle(X, delta)
    np.testing.assert_allclose(run.points, expected, atol=1e-9)
    assert run.regret() <= run.bound() < math.inf  # the trivial one
    assert list(run.certificate().bounds) == ["trivial"]
    with pytest.raises(ValueError, match=r"delta=0\.5 needs lazy=True"):
        OnlineNewtonStep(2, delta=0.5)
    again = pickle.loads(pickle.dumps(player))
    np.testing.assert_array_equal(again.run(X).points, player.copy().run(X).points)
