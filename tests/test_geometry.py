"""Geometries against calculus done numerically, the survey's table, and wrong ones against the check."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.domains import Ball, Box, Everything, Intersection, Simplex
from regretless.geometry import (
    Entropy,
    Euclidean,
    Geometry,
    PNorm,
    Quadratic,
    Restricted,
    Sum,
    UnnormalizedEntropy,
    check_geometry,
)

D = 4
MATRIX = np.array([[3.0, 1, 0, 0], [1, 2, 0.5, 0], [0, 0.5, 1, 0.2], [0, 0, 0.2, 0.5]])
PLAIN = [
    Euclidean(),
    Entropy(),
    Entropy(2.5),
    UnnormalizedEntropy(),
    UnnormalizedEntropy(0.1),
    PNorm(2),
    PNorm(3),
    PNorm(7.5, "B"),
    Quadratic(MATRIX),
    Quadratic([3.0, 1.0, 0.2, 0.5]),
]
RESTRICTED = [
    Euclidean().on(Ball(0.7)),
    Euclidean().on(Simplex(2.0)),
    PNorm(3).on(Ball(0.5, 1.5)),
    Quadratic(MATRIX).on(Box(-0.2, 0.5)),
    UnnormalizedEntropy().on(Intersection(Simplex(), Box(0.0, 0.5))),
]
SUMS = [
    Euclidean() + Quadratic(MATRIX),
    Euclidean() + Euclidean(),
    Quadratic(MATRIX) + Quadratic([1.0, 2.0, 3.0, 4.0]),
]
every = pytest.mark.parametrize("geometry", PLAIN + RESTRICTED + SUMS, ids=str)


@every
def test_all_parts_fit_together(geometry):
    check_geometry(geometry, D, trials=100 if geometry in PLAIN else 24)


@pytest.mark.parametrize("geometry", [Euclidean() + Entropy(), Entropy() + PNorm(3)], ids=str)
def test_numerical_sums_fit_together(geometry):
    check_geometry(geometry, 3, trials=4)


vectors = st.lists(st.floats(-8, 8), min_size=D, max_size=D).map(np.array)


@settings(deadline=None)
@given(st.sampled_from(PLAIN + RESTRICTED + SUMS), vectors, vectors)
def test_the_identity_behind_every_certificate(geometry, theta, z):
    """One round's share of Shalev-Shwartz (2012), Lemma 2.20:
    `psi*(theta - z) - psi*(theta) + <w, z>`.
    """
    w = geometry.link(theta)
    expected = geometry.conjugate(theta - z) - geometry.conjugate(theta) + w @ z
    size = 1.0 + abs(geometry.conjugate(theta)) + abs(geometry.conjugate(theta - z)) + abs(w @ z)
    divergence = geometry.dual_bregman(theta - z, theta)
    assert divergence == pytest.approx(expected, abs=1e-13 * size)
    assert divergence >= -1e-13 * size
    if sigma := geometry.strong_convexity:
        assert divergence <= geometry.dual_norm(z) ** 2 / (2 * sigma) * (1 + 1e-12) + 1e-13 * size


@settings(deadline=None)
@given(st.sampled_from(PLAIN), vectors)
def test_gradient_inverts_link(geometry, theta):
    back = geometry.gradient(geometry.link(theta))
    if isinstance(geometry, Entropy):  # up to a constant
        back, theta = back - back.mean(), theta - theta.mean()
    # p-norm: powers p - 1 lose what is below rounding of the largest coordinate
    tolerance = 1e-12 if not isinstance(geometry, PNorm) else 1e-12 * (1 + np.abs(theta).max())
    np.testing.assert_allclose(back, theta, atol=tolerance)


def test_golden_values_of_the_survey():
    theta = [1.0, -2.0, 2.0]
    np.testing.assert_allclose(
        PNorm(3).link(theta), [0.3889111187, -1.5556444749, 1.5556444749], atol=5e-11
    )
    assert PNorm(3).dual_norm(theta) == pytest.approx(2.5712815907, abs=5e-11)
    assert PNorm(3).conjugate(theta) == pytest.approx(3.3057445092, abs=5e-11)
    assert PNorm(3).norm(PNorm(3).link(theta)) == pytest.approx(17 ** (1 / 3), rel=1e-15)
    assert Entropy().conjugate([0.1, 0.2, 0.3]) == pytest.approx(1.3019428482, abs=5e-11)
    np.testing.assert_allclose(
        Entropy().link([-0.5, 0, -0.25]), [0.2542752126, 0.4192289516, 0.3264958358], atol=5e-11
    )
    np.testing.assert_allclose(
        UnnormalizedEntropy(1 / 3).link([-0.5, 0, -0.25]),
        [0.2021768866, 0.3333333333, 0.2596002610],
        atol=5e-11,
    )


def test_equivalences():
    theta = np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(PNorm(2).link(theta), theta, rtol=1e-15)
    np.testing.assert_allclose(Quadratic(np.eye(D)).link(theta), theta, rtol=1e-15)
    np.testing.assert_allclose(  # convention B is A with the step times q - 1
        PNorm(3, "B").link(theta), PNorm(3).link(theta / 2), rtol=1e-15
    )
    np.testing.assert_allclose(Entropy(3.0).link(theta), 3 * Entropy().link(theta), rtol=1e-15)
    np.testing.assert_allclose(
        UnnormalizedEntropy(0.2).on(Simplex()).link(theta), Entropy().link(theta), rtol=1e-15
    )
    np.testing.assert_allclose(  # the conjugate of the restricted one is Huber's
        Euclidean().on(Ball(1.0)).conjugate([3.0, 4.0]), 5.0 - 0.5, rtol=1e-15
    )


def test_lazy_is_agile_for_the_entropy_and_not_for_the_euclidean_ball():
    random = np.random.default_rng(0)
    for geometry, domain, same in [
        (UnnormalizedEntropy(), Simplex(), True),
        (Euclidean(), Ball(0.5), False),
    ]:
        theta, agile = np.zeros(D), domain.link(np.zeros(D), geometry)
        for z in random.normal(size=(20, D)):
            theta -= z
            agile = domain.project(geometry.link(geometry.gradient(agile) - z), geometry)
        lazy = domain.link(theta, geometry)
        assert np.allclose(lazy, agile, rtol=1e-10) == same


def test_the_printed_pairing_of_link_and_regulariser_fails():
    """The p-norm link is not that of the regulariser beside it.

    Shalev-Shwartz (2012), Corollary 2.18.
    """

    class Printed(PNorm):
        def link(self, theta):
            return PNorm(self.p).link(theta)

    with pytest.raises(ValueError, match="link"):
        check_geometry(Printed(3, "B"), D)


class OnlyValue(Geometry):
    """`log(cosh(w))` with a square: no formula but that of the value."""

    def value(self, w):
        w = np.asarray(w)
        return float(np.sum(np.logaddexp(w, -w)) + 0.5 * w @ w)

    strong_convexity = 1.0


class WithGradient(OnlyValue):
    def gradient(self, w):
        return np.tanh(w) + np.asarray(w)


class Barrier(Geometry):
    """`-sum log w` on the simplex: a domain with an end and without an interior."""

    domain = Simplex()

    def value(self, w):
        w = np.asarray(w)
        inside = self.domain.contains(w) and np.all(w > 0)
        return float(-np.log(w).sum()) if inside else math.inf


class NegativeRoot(Geometry):
    """The Tsallis entropy `-2 sum sqrt(w)`."""

    domain = Box(0.0, math.inf)

    def value(self, w):
        w = np.asarray(w)
        return -2.0 * float(np.sqrt(w).sum()) + 0.5 * float(w @ w) if np.all(w >= 0) else math.inf


@pytest.mark.parametrize("geometry", [OnlyValue(), WithGradient(), NegativeRoot(), Barrier()])
def test_a_geometry_of_ones_own(geometry):
    check_geometry(geometry, 3, trials=12)


def test_numerical_links_solve_their_equation():
    theta = np.array([3.0, -1.0, 0.2])
    exact = WithGradient().link(theta)
    np.testing.assert_allclose(np.tanh(exact) + exact, theta, atol=1e-12)
    np.testing.assert_allclose(OnlyValue().link(theta), exact, atol=1e-8)
    np.testing.assert_allclose(OnlyValue().gradient(exact), theta, atol=1e-8)
    w = Barrier().link(theta)  # -1/w + theta is constant
    np.testing.assert_allclose(1 / w + theta, np.mean(1 / w + theta), rtol=1e-6)
    assert OnlyValue().on(Ball(0.5)).domain == Ball(0.5)
    v = WithGradient().on(Ball(0.5)).link(theta)
    force = theta - WithGradient().gradient(v)
    np.testing.assert_allclose(force / np.linalg.norm(force), v / 0.5, atol=1e-7)


class WrongGradient(Euclidean):
    def gradient(self, w):
        return 1.01 * np.asarray(w)


class WrongLink(Euclidean):
    def link(self, theta):
        return 1.01 * np.asarray(theta)


class WrongLinkSameConjugate(Geometry):
    """The conjugate comes from the link, so that only other points can tell."""

    def value(self, w):
        return 0.5 * float(np.asarray(w) @ w)

    def gradient(self, w):
        return np.asarray(w)

    def link(self, theta):
        return 0.98 * np.asarray(theta)


class TooConvex(Euclidean):
    strong_convexity = 1.01


class TooConvexByLittleCurvature(Entropy):
    strong_convexity = 1.5


class NotConvex(Geometry):
    def value(self, w):
        w = np.asarray(w)
        return float(0.5 * w @ w + 2 * np.cos(2 * w).sum())

    def gradient(self, w):
        return np.asarray(w) - 4 * np.sin(2 * np.asarray(w))

    def link(self, theta):
        return np.asarray(theta, float)


class WrongNorms(Euclidean):
    def dual_norm(self, z):
        return float(np.abs(z).max())


class WrongConjugate(Euclidean):
    def conjugate(self, theta):
        return 0.51 * float(theta @ theta)


class WrongDomain(Euclidean):
    domain = Ball(0.5)


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        (WrongGradient(), r"gradient says that value changes by .* at w=\["),
        (WrongLink(), r"(not attain the conjugate|is not theta).* at theta=\["),
        (WrongLinkSameConjugate(), r"at theta=\["),
        (TooConvex(), r"bregman\(w, u\) = .* is less than strong_convexity"),
        (TooConvexByLittleCurvature(), r"strong_convexity"),
        (NotConvex(), r"value is not convex"),
        (WrongNorms(), r"<w, z> is more than norm\(w\) dual_norm\(z\)"),
        (WrongConjugate(), r"link does not attain the conjugate"),
        (WrongDomain(), r"outside the domain Ball"),
    ],
)
def test_the_check_catches_what_is_wrong(geometry, message):
    with pytest.raises(ValueError, match=message):
        check_geometry(geometry, D)


def test_extreme_arguments_do_not_overflow():
    np.testing.assert_allclose(PNorm(20).link([1e300, -1e300]), PNorm(20).link([1, -1]) * 1e300)
    np.testing.assert_allclose(PNorm(20).link([1e-300, 0]), [1e-300, 0])
    np.testing.assert_array_equal(PNorm(3).link(np.zeros(2)), np.zeros(2))
    np.testing.assert_array_equal(PNorm(3).gradient(np.zeros(2)), np.zeros(2))
    np.testing.assert_array_equal(Entropy().link([1e5, 0.0]), [1, 0])
    assert Entropy().conjugate([-1e5, -1e5]) == pytest.approx(-1e5 + math.log(2))
    assert Entropy().dual_bregman([1e5, 0.0], [0.0, 0.0]) == pytest.approx(5e4 - math.log(2))
    assert UnnormalizedEntropy().bregman([0.0, 1.0], [1.0, 0.0]) == math.inf
    assert UnnormalizedEntropy().local_norm([1.0, 4.0], [3.0, 2.0]) == 5.0


@pytest.mark.parametrize("geometry", [Entropy(), UnnormalizedEntropy()], ids=str)
@pytest.mark.parametrize("step", [1e-9, 1e-3, 0.00999, 0.01001, 1.0])
def test_small_dual_divergences_keep_their_digits(geometry, step):
    from fractions import Fraction

    x = Fraction(step)
    rest = sum(x**k / math.factorial(k) for k in range(2, 30))  # exp(x) - 1 - x
    if isinstance(geometry, UnnormalizedEntropy):
        assert geometry.dual_bregman([step], [0.0]) == pytest.approx(float(rest), rel=1e-13, abs=0)
    else:  # log cosh(x / 2), to the sixth order, exact to 1e-16 where x <= 0.01001
        h = float(x) / 2
        expected = h**2 / 2 - h**4 / 12 + h**6 / 45 if step < 0.1 else math.log(math.cosh(h))
        assert geometry.dual_bregman([step, 0.0], [0.0, 0.0]) == pytest.approx(
            expected, rel=1e-12, abs=0
        )


BAD = [
    (lambda: PNorm(1.5), "p=1.5 is outside \\[2, inf\\): it is the exponent of the dual"),
    (lambda: PNorm(math.inf), "p=inf is outside"),
    (lambda: PNorm(3, "C"), "convention='C'"),
    (lambda: Entropy(0.0), "scale=0.0 must be positive"),
    (lambda: UnnormalizedEntropy(-1.0), "initial=-1.0 must be positive"),
    (lambda: Quadratic([[1.0, 2.0], [0.0, 1.0]]), "(?s)matrix=.* is not symmetric"),
    (lambda: Quadratic([[1.0, 2.0], [2.0, 1.0]]), "positive definite: its least .* is -1"),
    (lambda: Quadratic([[1.0, 2.0]]), r"matrix has shape \(1, 2\)"),
    (lambda: Quadratic([1.0, 0.0]), r"matrix\[1\] = 0.0 must be positive"),
    (lambda: Quadratic([1.0, math.nan]), r"matrix\[.*\] = nan"),
    (lambda: Quadratic(2.0), "matrix has shape"),
    (lambda: Quadratic([1.0, 1.0]).link([1.0]), r"theta has shape \(1,\), but the matrix has dim"),
    (lambda: Euclidean().value([math.nan]), r"w\[0\] = nan"),
    (lambda: Euclidean().link([[1.0]]), r"theta has shape \(1, 1\)"),
    (lambda: Euclidean().start(0), "dimension=0"),
    (lambda: Entropy().gradient([-1.0, 2.0]), "negative coordinates"),
    (lambda: Simplex().project([0.0, 0.0], Entropy()), "w=.* is 0 or has negative"),
    (lambda: check_geometry(Euclidean(), 0), "dimension=0"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_only_geometries_and_domains_combine():
    with pytest.raises(ValueError, match="second=3 is not a Geometry"):
        Euclidean() + 3
    with pytest.raises(ValueError, match="domain=3 is not a Domain"):
        Euclidean().on(3)


def test_geometries_are_values():
    for geometry in PLAIN + RESTRICTED + SUMS:
        again = pickle.loads(pickle.dumps(geometry))
        assert again == geometry
        assert hash(again) == hash(geometry)
    assert PNorm(3) != PNorm(3, "B")
    assert repr(PNorm(3)) == "PNorm(3.0)"
    assert Entropy().domain == Simplex()
    assert Euclidean().domain == Everything()
    assert isinstance(Euclidean() + Entropy(), Sum)
    assert isinstance(Euclidean().on(Ball()), Restricted)
    with pytest.raises(AttributeError):
        Entropy().scale = 2.0
    with pytest.raises(ValueError, match="read-only"):
        Quadratic([1.0]).matrix[0] = 2.0
