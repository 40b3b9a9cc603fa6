"""Players of convex optimisation: their oracles, runs, copies, files, bad input, equivalences."""

import copy
import math
import pickle

import numpy as np
import pytest
from reference import mirror
from reference.oco_games import (
    GEOMETRIES,
    PROJECTIONS,
    RATES,
    ROUNDING,
    STREAMS,
    every_stream,
    gradients,
)

from regretless import domains, geometry, losses, rates
from regretless.oco import (
    AdaGrad,
    CoinBetting,
    ExponentiatedGradient,
    OnlineGradientDescent,
    OnlineMirrorDescent,
    OnlineNewtonStep,
    SketchedOnlineNewton,
)


@every_stream
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", GEOMETRIES)
def test_mirror_descent_is_what_the_formulas_say(name, rate, stream):
    Z, (link, square, sigma) = STREAMS[stream], mirror.LINKS[name]
    player = OnlineMirrorDescent(GEOMETRIES[name], dimension=5, rate=RATES[rate][0])
    run = player.run(Z)
    points, accounts = mirror.lazy(Z, link, square, sigma, RATES[rate][1])
    np.testing.assert_allclose(run.points, points, **ROUNDING)
    np.testing.assert_allclose(run.losses, np.sum(points * Z, axis=1), rtol=1e-9, atol=1e-8)
    assert player._engine.paid == pytest.approx(accounts[-1, 1], rel=1e-10, abs=1e-12)
    if Z.any():
        assert player._engine.strength == pytest.approx(accounts[-1, 0])


@every_stream
@pytest.mark.parametrize("name", GEOMETRIES)
def test_anytime_rates_fall_with_the_gradients_seen(name, stream):
    Z, (link, square, sigma) = STREAMS[stream], mirror.LINKS[name]
    player = OnlineMirrorDescent(GEOMETRIES[name], dimension=5)
    eta = player._schedule[1]
    points, _ = mirror.lazy(
        Z, link, square, sigma, lambda t, S: eta / math.sqrt(S) if S > 0 else 0.0
    )
    np.testing.assert_allclose(player.run(Z).points, points, **ROUNDING)


@every_stream
@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("name", PROJECTIONS)
def test_gradient_descent_stays_in_its_domain(name, lazy, stream):
    Z, domain = STREAMS[stream], PROJECTIONS[name]
    for rate, schedule in RATES.values():
        player = OnlineGradientDescent(5, rate=rate, domain=domain, lazy=lazy)
        points = player.run(Z).points
        if lazy:
            expected, _ = mirror.lazy(
                Z, lambda th: th, lambda z: z @ z, 1.0, schedule, domain.project
            )
        else:
            expected = mirror.agile_euclidean(Z, schedule, domain.project)
        np.testing.assert_allclose(points, expected, **ROUNDING)
        assert all(domain.contains(w) for w in points)


@every_stream
@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("name", GEOMETRIES)
def test_the_twin_in_python_plays_the_same(name, lazy, stream):
    """A subclass is a geometry of the user's: the core does not know it."""
    kind = type(GEOMETRIES[name])
    same = copy.copy(GEOMETRIES[name])
    unknown = type("Unknown" + kind.__name__, (kind,), {})
    object.__setattr__(same, "__class__", unknown)
    for rate in (0.1, rates.InverseSqrt(0.2), "anytime"):
        ours = OnlineMirrorDescent(GEOMETRIES[name], dimension=5, rate=rate, lazy=lazy)
        twin = OnlineMirrorDescent(same, dimension=5, rate=rate, lazy=lazy)
        assert type(ours._engine) is not type(twin._engine)
        Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
        a, b = ours.run(Z), twin.run(Z)
        np.testing.assert_allclose(a.points, b.points, **ROUNDING)
        u = GEOMETRIES[name].start(5)
        np.testing.assert_allclose(a.bound_curve(u), b.bound_curve(u), rtol=1e-9)


def test_quadratic_is_descent_in_other_coordinates():
    """Preconditioning by Q = L L' is plain descent for L' w with the gradients L^{-1} z."""
    random = np.random.default_rng(0)
    B = random.normal(size=(5, 5))
    Q, Z = B @ B.T + np.eye(5), gradients(1)
    L = np.linalg.cholesky(Q)
    for rate in (0.3, rates.InverseSqrt(0.5)):
        ours = OnlineMirrorDescent(geometry.Quadratic(Q), rate=rate).run(Z)
        plain = OnlineGradientDescent(5, rate=rate).run(np.linalg.solve(L, Z.T).T)
        np.testing.assert_allclose(ours.points @ L, plain.points, rtol=1e-9, atol=1e-10)
        diagonal = np.arange(1.0, 6.0)
        as_vector = OnlineMirrorDescent(geometry.Quadratic(diagonal), rate=rate).run(Z)
        as_matrix = OnlineMirrorDescent(geometry.Quadratic(np.diag(diagonal)), rate=rate).run(Z)
        np.testing.assert_allclose(as_vector.points, as_matrix.points, **ROUNDING)


@every_stream
def test_coordinates_that_learn_for_themselves(stream):
    Z = STREAMS[stream]
    np.testing.assert_allclose(
        AdaGrad(5, rate=0.3).run(Z).points,
        mirror.adagrad(Z, 0.3),
        **ROUNDING,
    )
    box = domains.Box(-0.2 * np.ones(5), 0.1 * np.ones(5))
    np.testing.assert_allclose(
        AdaGrad(5, rate=0.3, domain=box).run(Z).points,
        mirror.adagrad(Z, 0.3, -0.2, 0.1),
        **ROUNDING,
    )
    L = float(np.abs(Z).max()) or 1.0
    player = CoinBetting(5, wealth=0.5, lipschitz=L)
    run = player.run(Z)
    np.testing.assert_allclose(run.points, mirror.coin(Z, 0.5, L), rtol=1e-8, atol=1e-12)


PLAYERS = {
    "gradient descent": lambda: OnlineGradientDescent(4, rate=0.2),
    "lazy in a ball": lambda: OnlineGradientDescent(4, domain=domains.Ball(0.3)),
    "agile in a simplex": lambda: OnlineGradientDescent(
        4, rate=rates.InverseSqrt(0.3), domain=domains.Simplex(), lazy=False
    ),
    "exponentiated": lambda: ExponentiatedGradient(4),
    "exponentiated agile": lambda: ExponentiatedGradient(4, rate=0.2, lazy=False),
    "unnormalized": lambda: ExponentiatedGradient(4, normalized=False, rate=0.2),
    "p-norm": lambda: OnlineMirrorDescent(geometry.PNorm(5.0), 4, rate=0.2),
    "adagrad": lambda: AdaGrad(4),
    "coin": lambda: CoinBetting(4, lipschitz=10.0),
    "newton": lambda: OnlineNewtonStep(4),
    "newton in a simplex": lambda: OnlineNewtonStep(4, domain=domains.Simplex()),
    "sketched by oja": lambda: SketchedOnlineNewton(4, size=2),
    "sketched by fd": lambda: SketchedOnlineNewton(4, sketch="fd", size=3, rate=0.5),
    "sketched by rp": lambda: SketchedOnlineNewton(4, sketch="rp", size=2, seed=5),
    "not sketched": lambda: SketchedOnlineNewton(4, sketch="full"),
    "in python": lambda: OnlineMirrorDescent(
        geometry.Euclidean(), 4, domain=domains.Slab(np.ones(4), 0.1), rate=0.3
    ),
}
every_player = pytest.mark.parametrize("make", [pytest.param(f, id=n) for n, f in PLAYERS.items()])


@every_player
def test_a_run_that_goes_on_is_bounded_by_itself(make):
    """What was won against the comparator before can be lost in the run: the bound counts it."""
    Z, u = gradients(8, dimension=4), np.full(4, 0.25)
    whole, parts = make(), make()
    bound = whole.run(Z).bound_curve(u)
    first, second = parts.run(Z[:50]), parts.run(Z[50:])
    # but for the allowance for rounding, which is that of all rounds
    np.testing.assert_allclose(first.bound_curve(u)[:-1], bound[:49], rtol=1e-9)
    assert first.bound_curve(u)[-1] <= bound[49] * (1 + 1e-9)
    regret = second.regret_curve(u)
    assert (regret <= second.bound_curve(u)).all()
    np.testing.assert_allclose(regret, np.cumsum(second.losses - Z[50:] @ u), **ROUNDING)
    if not isinstance(whole, (OnlineNewtonStep, SketchedOnlineNewton)):
        ahead = second.bound_curve(u) + first.regret(u)
        assert (ahead <= bound[50:] * (1.0 + 1e-9)).all()  # or less: what 30 rounds can cost


def test_a_run_may_lose_what_was_won():
    """Far ahead of the comparator, then as far behind: more than the bound of all rounds allows."""
    player = OnlineGradientDescent(1, rate=0.1, domain=domains.Ball(1.0))
    player.run(np.full((200, 1), -1.0))
    run = player.run(np.full((200, 1), 1.0))
    assert run.regret([-1.0]) > player.certificate([-1.0]).bound
    assert (run.regret_curve([-1.0]) <= run.bound_curve([-1.0])).all()


@every_player
def test_a_run_is_its_rounds(make):
    Z = gradients(7, dimension=4)
    whole, single = make(), make()
    u = np.full(4, 0.25)
    run = whole.run(Z)
    for t, z in enumerate(Z):
        np.testing.assert_array_equal(run.points[t], single.point)
        assert run.losses[t] == single.update(z)
    np.testing.assert_array_equal(whole.point, single.point)
    assert whole.rounds == single.rounds == 80
    assert whole.linear == single.linear
    np.testing.assert_allclose(whole.gradient_sum, Z.sum(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.regret(u), whole.regret(u), rtol=1e-9, atol=1e-10)


@every_player
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_go_on_alone(make, copied):
    Z = gradients(8, dimension=4)
    player = make()
    player.run(Z[:40])
    other = copied(player)
    np.testing.assert_array_equal(
        player.run(Z[40:]).points,
        other.run(Z[40:]).points,
    )
    assert repr(other) == repr(player)


@every_player
def test_files(make, tmp_path):
    Z, player = gradients(9, dimension=4), make()
    player.run(Z[:40])
    player.save(tmp_path / "p.player")
    other = type(player).load(tmp_path / "p.player")
    np.testing.assert_array_equal(
        player.run(Z[40:]).points,
        other.run(Z[40:]).points,
    )
    u = player.domain.project(np.full(4, 0.25))
    assert other.certificate(u) == player.certificate(u)
    whole = (tmp_path / "p.player").read_bytes()
    (tmp_path / "p.player").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not a model file"):
        type(player).load(tmp_path / "p.player")


def test_files_of_others(tmp_path):
    AdaGrad(3).save(tmp_path / "a")
    with pytest.raises(ValueError, match="holds an AdaGrad, not a CoinBetting"):
        CoinBetting.load(tmp_path / "a")


@every_player
def test_bad_gradients_change_nothing(make):
    player = make()
    player.update(np.ones(4))
    before = player.point
    for bad, message in (
        (np.ones(3), r"gradient has shape \(3,\), not \(4,\)"),
        ([1.0, 2.0], r"gradient has shape \(2,\), not \(4,\)"),
        (np.array([0, 1, np.nan, 1.0]), r"gradient\[2\] = nan is not finite"),
        (np.array([0, 1, 2.0, np.inf]), r"gradient\[3\] = inf is not finite"),
        (np.ones((1, 4)), r"gradient has shape \(1, 4\), not \(4,\)"),
        ("abcd", r"gradient=.* is not made of numbers"),
        (None, r"gradient"),
    ):
        with pytest.raises(ValueError, match=message):
            player.update(bad)
    with pytest.raises(ValueError, match=r"X has shape \(2, 3\), not \(rounds, 4\)"):
        player.run(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"X\[1, 0\] = nan is not finite"):
        player.run(np.array([[1.0, 1, 1, 1], [np.nan, 1, 1, 1]]))
    np.testing.assert_array_equal(player.point, before)
    assert player.rounds == 1


def test_bad_options():
    for make, message in (
        (lambda: OnlineMirrorDescent(geometry.Euclidean()), "dimension= is needed"),
        (lambda: OnlineGradientDescent(0), "dimension=0 must be a whole number"),
        (lambda: OnlineGradientDescent(2.5), "dimension=2.5 must be a whole number"),
        (lambda: OnlineGradientDescent(2, rate="fast"), "rate='fast' is not one of 'anytime'"),
        (lambda: OnlineGradientDescent(2, rate=-1.0), "eta=-1.0 must be positive"),
        (lambda: OnlineGradientDescent(2, rate="horizon"), "needs horizon="),
        (lambda: OnlineGradientDescent(2, radius=0), "radius=0 must be positive"),
        (lambda: AdaGrad(2, domain=domains.Simplex()), "need a Box"),
        (lambda: CoinBetting(2, wealth=-1), "wealth=-1 must be positive"),
        (lambda: OnlineNewtonStep(2, curvature=0.0), "would never adapt"),
        (lambda: SketchedOnlineNewton(2, curvature=0.0), "would never adapt"),
        (lambda: SketchedOnlineNewton(2, sketch="svd"), "sketch='svd' is not one of 'oja', 'fd'"),
        (lambda: SketchedOnlineNewton(2, size=-1), "size=-1 must be a whole number"),
        (lambda: SketchedOnlineNewton(2, alpha=0), "alpha=0 must be positive"),
        (lambda: SketchedOnlineNewton(2, rate=-1), "rate=-1 must be finite and not negative"),
        (
            lambda: SketchedOnlineNewton(1).update([1e200]),
            r"gradient\[0\] = 1e\+200 is .* beyond 1e\+75",
        ),
        (lambda: OnlineNewtonStep(2, domain=domains.Ball()), "must be a Box, a Simplex"),
        (lambda: OnlineNewtonStep(2, domain=domains.Simplex(), slab=1.0), "give one of them"),
    ):
        with pytest.raises(ValueError, match=message):
            make()


def test_golden_traces():
    eg = ExponentiatedGradient(3, rate=0.5)
    eg.update([1.0, 0.0, 0.5])
    np.testing.assert_allclose(eg.point, [0.2542752126, 0.4192289516, 0.3264958358], atol=1e-10)
    eg.update([0.0, 1.0, 0.0])
    np.testing.assert_allclose(eg.point, [0.3045043424, 0.3045043424, 0.3909913152], atol=1e-10)
    free = ExponentiatedGradient(3, normalized=False, rate=0.5)
    free.update([1.0, 0.0, 0.5])
    np.testing.assert_allclose(free.point, [0.2021768866, 0.3333333333, 0.2596002610], atol=1e-10)
    # Srebro (lecture 16), slide FTRL for Linear Problems: psi = ||w||^2 at strength s is 1/2
    # ||w||^2 at 2 s: eta_t = B / (sqrt(8) G) / sqrt(t)
    slides = OnlineGradientDescent(2, rate=rates.InverseSqrt(1.0 / (math.sqrt(8.0) * 2.0)))
    found = []
    for z in ((2.0, 0.0), (0.0, -2.0), (1.2, 1.6)):
        slides.update(z)
        found.append(slides.point)
    expected = [(-0.3535533906, 0), (-0.25, 0.25), (-0.3265986324, 0.0408248290)]
    np.testing.assert_allclose(found, expected, atol=1e-10)
    lecture = ExponentiatedGradient(3, rate=0.5)
    lecture.update([1.0, 0.0, -1.0])
    np.testing.assert_allclose(
        lecture.point, [0.1863237232, 0.3071958857, 0.5064803911], atol=1e-10
    )
    lecture.update([0.5, -1.0, 0.0])
    np.testing.assert_allclose(
        lecture.point, [0.1253025129, 0.4373487435, 0.4373487435], atol=1e-10
    )


@every_stream
def test_rows_of_the_matrix_of_equivalences(stream):
    Z = STREAMS[stream] / max(1.0, np.abs(STREAMS[stream]).max())
    # 3: OGD = OMD(R1) = p-norm(2) = lazy OGD without walls
    plain = OnlineGradientDescent(5, rate=0.3).run(Z).points
    agile = OnlineGradientDescent(5, rate=0.3, lazy=False).run(Z).points
    two = OnlineMirrorDescent(geometry.PNorm(2.0), 5, rate=0.3).run(Z).points
    wide = OnlineGradientDescent(5, rate=0.3, domain=domains.Ball(1e6)).run(Z).points
    for other in (agile, two, wide):
        np.testing.assert_allclose(other, plain, **ROUNDING)
    # 5, 17: EG = unnormalised EG over its sum, whatever it starts from; scale 1 = the simplex
    eg = ExponentiatedGradient(5, rate=0.3).run(Z).points
    free = OnlineMirrorDescent(geometry.UnnormalizedEntropy(0.7), 5, rate=0.3)
    loose = free.run(Z).points
    np.testing.assert_allclose(loose / loose.sum(axis=1, keepdims=True), eg, **ROUNDING)
    # 6: shifting all costs of a round changes nothing
    shifted = Z + np.random.default_rng(0).normal(size=(len(Z), 1))
    np.testing.assert_allclose(
        ExponentiatedGradient(5, rate=0.3).run(shifted).points, eg, **ROUNDING
    )
    # 16: convention B at eta is convention A at eta (q - 1)
    A = OnlineMirrorDescent(geometry.PNorm(4.0), 5, rate=0.3 / 3.0).run(Z).points
    B = OnlineMirrorDescent(geometry.PNorm(4.0, convention="B"), 5, rate=0.3)
    np.testing.assert_allclose(B.run(Z).points, A, **ROUNDING)
    # 20: lazy = agile for entropy
    np.testing.assert_allclose(
        ExponentiatedGradient(5, rate=0.3, lazy=False).run(Z).points, eg, **ROUNDING
    )


def test_lazy_and_agile_differ_in_a_ball():
    Z = STREAMS["gaussian"]
    lazy, agile = (
        OnlineGradientDescent(5, rate=0.5, domain=domains.Ball(0.5), lazy=b).run(Z).points
        for b in (True, False)
    )
    assert np.abs(lazy - agile).max() > 0.1


@pytest.mark.parametrize(
    "loss", ["logistic", "hinge", "squared", "absolute", losses.Quantile(0.8), "log_wealth"]
)
def test_losses_of_a_score(loss):
    """The same as giving the gradients by hand; and what linear losses lose bounds the regret."""
    kind, random = losses.get(loss), np.random.default_rng(0)
    X = random.random((60, 3)) + 0.5
    y = np.sign(random.normal(size=60)) if kind.classification else random.normal(size=60)
    whole, single = ExponentiatedGradient(3, rate=0.2), ExponentiatedGradient(3, rate=0.2)
    run = whole.run(X, y, loss)
    for t, (x, label) in enumerate(zip(X, y)):
        score = float(single.point @ x)
        assert run.losses[t] == pytest.approx(kind.value(score, label), rel=1e-12)
        single.update(kind.derivative(score, label) * x)
    np.testing.assert_allclose(whole.point, single.point, **ROUNDING)
    best = np.sum(kind.value(X @ run.comparator(), y))
    for u in (*np.eye(3), *random.dirichlet(np.ones(3), 50)):
        assert best <= np.sum(kind.value(X @ u, y)) + 1e-7  # the solver's precision
    assert run.regret() <= run.bound()


def test_a_portfolio():
    """The wealth of the best constant rebalanced portfolio is found; EG is close behind."""
    random = np.random.default_rng(1)
    X = np.exp(0.05 * random.normal(size=(500, 4)) + [0.0, 0.001, 0.002, 0.0])
    run = ExponentiatedGradient(4, rate=0.05).run(X, loss="log_wealth")
    uniform = -np.sum(np.log(X.mean(axis=1)))
    best = run.loss - run.regret()
    assert best <= uniform
    assert run.regret() <= run.bound()
    assert abs(run.loss - uniform) < abs(best - uniform)
    # -log r >= 1 - r + (1 - r)^2 / 4 while a day's wealth differs by less than a factor of 2
    for lazy in (False, True):
        newton = OnlineNewtonStep(4, domain=domains.Simplex(), curvature=0.5, lazy=lazy)
        second = newton.run(X, loss="log_wealth")
        assert second.regret() <= newton.logarithmic_bound(second.comparator())
