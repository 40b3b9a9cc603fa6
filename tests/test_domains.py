"""Domains: projections in every geometry against their optimality conditions and a general solver."""

import functools
import itertools
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.domains import Ball, Box, Domain, Everything, Intersection, Simplex, Slab
from regretless.domains.projections import maximise
from regretless.geometry import (
    Entropy,
    Euclidean,
    PNorm,
    Quadratic,
    UnnormalizedEntropy,
)

D = 4
MATRIX = np.array([[3.0, 1, 0, 0], [1, 2, 0.5, 0], [0, 0.5, 1, 0.2], [0, 0, 0.2, 0.5]])
X = np.array([1.0, -0.5, 2.0, 0.3])
CENTER = np.array([0.3, -0.1, 0.2, 0.4])
CAPPED = Intersection(Simplex(), Box([0.02, 0, 0, 0.1], 0.5))

EUCLIDEAN = Euclidean()
QUADRATICS = [EUCLIDEAN, Quadratic(MATRIX), Quadratic([3.0, 1.0, 0.2, 0.5])]
ENTROPIES = [Entropy(), UnnormalizedEntropy(0.3)]
PNORMS = [PNorm(3), PNorm(5, "B")]

ROUND = [Ball(0.8), Ball(0.7, center=CENTER)]
POLYHEDRA = [
    Simplex(),
    Simplex(0.3),
    Box(0.05, 0.6),
    Box([-0.2, 0, -1, -math.inf], [0.5, 0.1, math.inf, 0.2]),
    Slab(X, 0.2),
    CAPPED,
    Intersection(Simplex(), Slab(X, 0.2)),
    Intersection(Box(-0.1, 0.4), Slab(X, 0.1), Slab(X[::-1], 0.1)),
]
SPIKES = [Ball(1.1, 1), Ball(0.6, 1, CENTER), Intersection(Ball(0.9, 1), Box(-0.1, 0.4))]
MIXED = [
    Intersection(Ball(0.7), Slab(X, 0.1)),
    Intersection(Ball(0.7), Box(0.1, 0.4)),
    Intersection(Ball(0.9, 1), Ball(0.6, center=CENTER)),
]
LP = [Ball(0.5, 3), Ball(0.7, 1.5, CENTER), Ball(0.4, math.inf)]

# What the documentation calls exact.
EXACT = [
    *itertools.product(QUADRATICS, [Everything(), *ROUND, *POLYHEDRA, *SPIKES, *MIXED]),
    *itertools.product([EUCLIDEAN, QUADRATICS[2], ENTROPIES[1]], LP),
    *itertools.product(ENTROPIES, [Everything(), Simplex(), CAPPED, Slab(X, 0.2), Ball(1.0, 1)]),
    *itertools.product(ENTROPIES, [Box(0.05, 0.6), Intersection(Simplex(), Slab(X, 0.2))]),
    *((geometry, Ball(0.8, geometry.q)) for geometry in PNORMS),
    *itertools.product(PNORMS, [Everything(), Slab(X, 0.2)]),
]
NUMERICAL = [
    *itertools.product(PNORMS, [Simplex(), Box(0.05, 0.6), *ROUND, Ball(1.1, 1), MIXED[1]]),
    *itertools.product([Entropy()], [Ball(0.8), Ball(0.7, 3)]),
    (EUCLIDEAN + PNorm(4), Box(-0.2, 0.1)),
    (EUCLIDEAN + Entropy(), Slab(X, 0.2)),
]


def points(geometry, count=6, seed=0):
    """Points to project, in the orthant if the geometry needs that."""
    w = np.random.default_rng(seed).normal(size=(count, D)) * np.geomspace(0.3, 10, count)[:, None]
    return np.abs(w) if geometry.domain != Everything() else w


def gap(v, w, geometry, domain):
    """By how much the variational inequality `<grad psi(v) - grad psi(w), u - v> >= 0` fails.

    The largest failure over the domain, which is its support function at the difference.
    """
    force = geometry.gradient(w) - geometry.gradient(v)
    within = Intersection(domain, geometry.domain)
    u = within.maximiser(force) if within.support(force) < math.inf else v
    size = 1.0 + np.abs(geometry.gradient(w)).max()
    return float(force @ (u - v)) / size


@functools.cache
def some_points_of(domain, within):
    both = Intersection(domain, within)
    return [both.project(u) for u in np.random.default_rng(1).normal(size=(8, D)) + 0.2]


def identify(pair):
    return f"{type(pair[0]).__name__}-{pair[1]}"[:60]


@pytest.mark.parametrize("pair", EXACT, ids=identify)
def test_exact_projections_meet_the_variational_inequality(pair):
    geometry, domain = pair
    for w in points(geometry):
        v = domain.project(w, geometry)
        assert domain.contains(v, 1e-13)
        # every unit is a rounding of a coordinate (|w| up to 30), times the gradient there
        force = geometry.gradient(w) - geometry.gradient(v)
        size = 1.0 + np.abs(w).max() + np.abs(geometry.gradient(w)).max()
        for u in some_points_of(domain, geometry.domain):
            assert force @ (u - v) <= 1e-13 * D * size * (1.0 + np.abs(u - v).max())


@pytest.mark.parametrize("pair", NUMERICAL, ids=identify)
def test_numerical_projections_meet_the_variational_inequality(pair):
    geometry, domain = pair
    for w in points(geometry, 3):
        v = domain.project(w, geometry)
        assert domain.contains(v, 1e-8)
        assert gap(v, w, geometry, domain) <= 1e-6  # the gradient is Lipschitz only piecewise


@pytest.mark.parametrize(
    "pair", [pair for pair in EXACT if not isinstance(pair[1], Everything)], ids=identify
)
def test_exact_projections_agree_with_the_general_solver(pair):
    geometry, domain = pair
    if isinstance(geometry, Entropy):
        within, geometry = Intersection(domain, Simplex()), UnnormalizedEntropy()
    else:
        within = domain
    for w in points(geometry, 2, seed=3):
        theta = geometry.gradient(w / max(1.0, np.abs(w).max()))
        numerical, exact = maximise(theta, geometry, within), within.link(theta, geometry)
        np.testing.assert_allclose(exact, numerical, atol=2e-6)
        reached = geometry.value(numerical) - theta @ numerical
        assert geometry.value(exact) - theta @ exact <= reached + 1e-9


vectors = st.lists(st.floats(-20, 20), min_size=D, max_size=D).map(np.array)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(QUADRATICS), st.sampled_from([*ROUND, *POLYHEDRA, *SPIKES]), vectors, vectors
)
def test_projections_are_firm_and_idempotent(geometry, domain, w, u):
    first, second = domain.project(w, geometry), domain.project(u, geometry)
    # firmly nonexpansive: ||Pw - Pu||^2 <= <w - u, Pw - Pu> in the geometry's inner product
    inner = geometry.gradient(w - u) @ (first - second)
    assert 2.0 * geometry.value(first - second) <= inner + 1e-10
    np.testing.assert_allclose(domain.project(first, geometry), first, atol=1e-12)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([Simplex(), CAPPED, Ball(1.0, 1), Slab(X, 0.2)]), vectors, vectors)
def test_relative_entropy_obeys_the_pythagorean_inequality(domain, w, u):
    geometry = UnnormalizedEntropy()
    w = np.exp(w / 4)
    v, u = domain.project(w, geometry), Intersection(domain, geometry.domain).project(u)
    both = geometry.bregman(u, v) + geometry.bregman(v, w)
    assert both <= geometry.bregman(u, w) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(
    "domain",
    [Intersection(Ball(0.7, 1.5), Ball(0.6, 3)), Intersection(Ball(0.7, 3), Simplex())],
    ids=str,
)
def test_dykstra_projections_on_two_curved_domains(domain):
    for w in points(EUCLIDEAN, 3):
        v = domain.project(w)
        assert domain.contains(v, 1e-12)
        for u in some_points_of(domain, Everything()):
            assert (w - v) @ (u - v) <= 1e-11 * (1 + np.abs(w).max())


def test_golden_projection_of_the_survey():
    np.testing.assert_allclose(Simplex().project([0.5, 1.2, -0.3]), [0.15, 0.85, 0], atol=1e-15)


def test_lemma_11_of_the_thesis():
    geometry, w = Quadratic(MATRIX), np.array([1.0, 2.0, 3.0, -4.0])
    inverse = np.linalg.inv(MATRIX)
    excess = w @ X - 0.2
    expected = w - excess / (X @ inverse @ X) * (inverse @ X)
    np.testing.assert_allclose(Slab(X, 0.2).project(w, geometry), expected, rtol=1e-13)
    np.testing.assert_array_equal(Slab(np.zeros(D), 0.2).project(w, geometry), w)


def test_entropic_projection_on_the_simplex_is_normalisation():
    w = np.array([0.5, 2.0, 1.0])
    for geometry in (Entropy(3.0), UnnormalizedEntropy(0.7)):
        np.testing.assert_allclose(Simplex(3.0).project(w, geometry), 3 * w / 3.5, rtol=1e-15)


def test_quadratic_with_unit_matrix_is_euclidean():
    for domain in [*ROUND, *POLYHEDRA, *SPIKES]:
        for w in points(EUCLIDEAN, 6):
            expected = domain.project(w)
            for unit in (np.ones(D), np.eye(D)):
                np.testing.assert_allclose(domain.project(w, Quadratic(unit)), expected, atol=1e-12)


def test_a_link_on_a_domain_does_not_overflow_where_the_free_one_does():
    theta = np.array([5000.0, 4999.0, 0.0, 0.0])
    v = UnnormalizedEntropy().on(CAPPED).link(theta)
    assert CAPPED.contains(v, 1e-13)
    np.testing.assert_allclose(v[:2], [0.5, 0.4])


def test_simplex_in_many_dimensions():
    w = np.random.default_rng(0).normal(size=100_000)
    v = Simplex().project(w)
    assert abs(v.sum() - 1) < 1e-12
    kept = v > 0
    np.testing.assert_allclose((w - v)[kept], (w - v)[kept][0], atol=1e-14)
    assert w[~kept].max() <= (w - v)[kept][0] + 1e-14


@pytest.mark.parametrize("domain", [*ROUND, *POLYHEDRA, *SPIKES, *MIXED, *LP], ids=str)
def test_support_is_attained_and_is_the_largest(domain):
    random = np.random.default_rng(0)
    for theta in random.normal(size=(6, D)):
        value = domain.support(theta)
        if value == math.inf:
            with pytest.raises(ValueError, match="unbounded"):
                domain.maximiser(theta)
            continue
        u = domain.maximiser(theta)
        assert domain.contains(u, 1e-8)
        assert u @ theta == pytest.approx(value, abs=1e-12)
        for w in some_points_of(domain, Everything()):
            assert w @ theta <= value + 1e-7


def test_support_of_unbounded_domains():
    assert Everything().support(np.zeros(2)) == 0
    assert Everything().support([0, 1]) == math.inf
    assert Slab([1, 1], 2).support([-3, -3]) == 6
    assert Slab([1, 1], 2).support([-3, 3]) == math.inf
    assert Box(0, math.inf).support([-1, 0]) == 0
    assert Box(0, math.inf).support([-1, 1]) == math.inf
    np.testing.assert_array_equal(Box(0, math.inf).maximiser([-1, 0]), [0, 0])


REACHES = [
    (EUCLIDEAN, Ball(3.0), np.zeros(D), 4.5),
    (EUCLIDEAN, Ball(3.0), np.array([1.0, 0, 0, 0]), 4.0),
    (EUCLIDEAN, Ball(3.0, center=[0, 4, 0, 0]), np.array([0, 1.0, 0, 0]), 24.0),
    (EUCLIDEAN, Ball(3.0, 1), np.zeros(D), 4.5),
    (EUCLIDEAN, Ball(3.0, 1, [0, 4, 0, 0]), np.zeros(D), 24.5),
    (EUCLIDEAN, Ball(3.0, math.inf), np.zeros(D), 18.0),
    (EUCLIDEAN, Simplex(2.0), np.full(D, 0.5), 2.0 - 0.5),
    (EUCLIDEAN, Box([-3, 0, 0, 0], [1, 1, 2, 0]), np.zeros(D), 7.0),
    (EUCLIDEAN, Everything(), np.zeros(D), math.inf),
    (EUCLIDEAN, Slab(X, 1.0), np.zeros(D), math.inf),
    (Quadratic(MATRIX), Simplex(), np.zeros(D), 1.5),
    (Quadratic([4.0, 1, 1, 1]), Ball(2.0), np.zeros(D), 8.0),
    (PNorm(3), Ball(2.0, 1.5), np.zeros(D), 2.0),
    (PNorm(3, "B"), Ball(2.0, 1.5), np.zeros(D), 4.0),
    (PNorm(3), Ball(2.0, 1), np.zeros(D), 2.0),
    (Entropy(), Simplex(), np.full(D, 1 / D), math.log(D)),
    (Entropy(3.0), Simplex(3.0), np.full(D, 3 / D), 3 * math.log(D)),
    (Entropy(3.0), Everything(), np.full(D, 3 / D), 3 * math.log(D)),
    (UnnormalizedEntropy(), Simplex(), np.ones(D), D - 1.0),
    (UnnormalizedEntropy(), Ball(1.0, 1), np.ones(D), D - 0.0),
    (UnnormalizedEntropy(), Everything(), np.ones(D), math.inf),
]


@pytest.mark.parametrize(("geometry", "domain", "start", "expected"), REACHES)
def test_reach(geometry, domain, start, expected):
    assert domain.reach(geometry, start) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("domain", [*ROUND, *SPIKES, *MIXED, *LP, Simplex(), CAPPED], ids=str)
@pytest.mark.parametrize("geometry", [*QUADRATICS, *PNORMS, UnnormalizedEntropy()], ids=str)
def test_no_point_is_beyond_the_reach(geometry, domain):
    start = geometry.start(D)
    most = domain.reach(geometry, start)
    for u in some_points_of(domain, geometry.domain):
        assert geometry.value(u) - geometry.value(start) <= most + 1e-9


BAD = [
    (lambda: Ball(0.0), r"radius=0.0 must be positive"),
    (lambda: Ball(1.0, 0.5), r"p=0.5 is outside \[1, inf\]"),
    (lambda: Ball(1.0, math.nan), r"p=nan"),
    (lambda: Ball(center=[math.inf]), "center\\[.*\\] = .* is not finite"),
    (lambda: Simplex(-1.0), r"scale=-1.0 must be positive"),
    (lambda: Box([0.0, 2.0], 1.0), r"low=2.0 and high=1.0 leave coordinate 1 empty"),
    (lambda: Box([0.0, 2.0], [1.0, 2.0, 3.0]), r"low has shape \(2,\), but high"),
    (lambda: Box(math.nan, 1.0), "low = nan"),
    (lambda: Slab([1.0, math.nan], 1.0), r"x\[.*\] = nan"),
    (lambda: Slab([1.0], 0.0), "bound=0.0 must be positive"),
    (lambda: Slab(1.0, 1.0), "x has shape"),
    (Intersection, "domains=.* is empty"),
    (lambda: Box([0, 0], 1).project([1, 2, 3]), r"w has shape \(3,\), but the box has dimension 2"),
    (lambda: Ball(center=[0, 0]).project([1.0]), r"w has shape \(1,\), but the ball's center"),
    (lambda: Slab([1, 2], 1).contains([1.0]), r"w has shape \(1,\), but x of the slab"),
    (lambda: Ball().project([[1.0]]), r"w has shape \(1, 1\)"),
    (lambda: Ball().project([1.0, math.nan]), r"w\[1\] = nan"),
    (lambda: Ball().support(["a"]), "theta=.* is not made of numbers"),
    (lambda: Simplex().project([-1.0, 1.0], Entropy()), "negative coordinates"),
    (lambda: Simplex(2.0).project([0.5, 0.5], Entropy()), "do not meet"),
    (lambda: Box(-2, -1).project([1.0, 1.0], UnnormalizedEntropy()), "do not meet"),
    (
        lambda: Intersection(Box(0, 1), Slab([1.0], 1), Box(3, 4)).project([1.0]),
        "leave coordinate 0 empty",
    ),
    (lambda: Intersection(Ball(1.0), Box(2, 3)).project([1.0, 1.0]), "no point|do not meet"),
    (lambda: Intersection(Simplex(), Box(0, 0.1)).project([1.0, 1.0]), "has the sum"),
    (lambda: Intersection(Slab([1, 0], 1), Box(2, 3)).project([0, 0.0]), "empty|do not meet"),
    (lambda: Intersection(Slab([1, 0], 1), Box(2, 3)).support([0, 1.0]), "is empty"),
    (lambda: Simplex().reach(Entropy(), [1.0, 1.0]), "start=.* is outside"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("other", [Ball(3.0, p=math.inf), Ball(1.5, p=math.inf, center=[1.0, 0.0])])
def test_a_ball_of_the_largest_coordinate_is_a_box(other):
    """Alone and in company: all that is asked of an intersection is asked of boxes."""
    middle = np.zeros(2) if other.center is None else other.center
    twin = Box(middle - other.radius, middle + other.radius)
    random = np.random.default_rng(0)
    for company in (Box(-2.0, 2.0), Ball(2.5), Ball(2.0, p=1), Slab([1.0, 1.0], 1.0)):
        ball, box = Intersection(company, other), Intersection(company, twin)
        for theta in random.normal(size=(5, 2)) * 4.0:
            assert ball.support(theta) == pytest.approx(box.support(theta), abs=1e-9)
            for geometry in (Euclidean(), Quadratic([1.0, 3.0])):
                expected = box.project(theta, geometry)
                np.testing.assert_allclose(ball.project(theta, geometry), expected, atol=1e-9)
    np.testing.assert_array_equal(
        Intersection(Box(-2.0, 2.0), Ball(3.0, p=math.inf)).project([5.0, 0.5]), [2.0, 0.5]
    )


def test_an_intersection_is_of_domains():
    with pytest.raises(ValueError, match="is not a Domain"):
        Intersection(Ball(), 3)


def test_domains_are_values():
    for domain in [Everything(), *ROUND, *POLYHEDRA, *SPIKES]:
        assert pickle.loads(pickle.dumps(domain)) == domain
        assert hash(pickle.loads(pickle.dumps(domain))) == hash(domain)
    assert Box(0, 1) != Box(0, 2)
    assert Ball() != Simplex()
    with pytest.raises(ValueError, match="read-only"):
        Box([0.0], [1.0]).low[0] = 3
    with pytest.raises(AttributeError):
        Ball().radius = 2.0


def test_a_projection_does_not_change_or_share_its_argument():
    for domain in [Everything(), *ROUND, *POLYHEDRA]:
        w = np.full(D, 0.01)
        v = domain.project(w)
        v += 1
        np.testing.assert_array_equal(w, np.full(D, 0.01))


def test_a_domain_of_ones_own():
    class Halfspace(Domain):
        """`w_1 <= 1`."""

        def contains(self, w, tolerance=1e-9):
            return bool(w[0] <= 1 + tolerance)

        def project(self, w, geometry=None):
            return np.append(min(w[0], 1.0), w[1:])

        def support(self, theta):
            return theta[0] if theta[0] >= 0 and not np.any(theta[1:]) else math.inf

        def maximiser(self, theta):
            return np.append(1.0, np.zeros(len(theta) - 1))

    np.testing.assert_allclose(Halfspace().project(np.array([3.0, 2.0])), [1, 2])
    assert Halfspace().reach(EUCLIDEAN, [0.0, 0.0]) == math.inf
    with pytest.raises(ValueError, match="give it a method link"):
        Halfspace().link([3.0, 2.0], PNorm(3))


def test_optimisers_are_imported_when_used():
    code = "import sys, regretless.geometry; assert 'scipy.optimize' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
