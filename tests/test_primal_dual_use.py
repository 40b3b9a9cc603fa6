"""The primal-dual learner in use: late features and labels, weights, geometries, bad input, files."""

import copy
import math
import pickle

import numpy as np
import pytest
from reference.damage import damaged
from reference.dual_runs import FIVE, GEOMETRIES, SIGNS, UPDATES, binary, data, dual, single, trace
from reference.primal_dual import mu
from scipy import sparse

from regretless import _core, geometry, losses
from regretless.base.state import load
from regretless.geometry import Entropy, Euclidean, Geometry, PNorm, UnnormalizedEntropy
from regretless.linear import PrimalDual
from regretless.linear.primal_dual import dual_vector

# --- features, labels, weights --------------------------------------------------------------------


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_classes_have_lanes_of_their_own(kind, update):
    """Three labels known from the start are three learners, each against the rest."""
    rng = np.random.default_rng(8)
    X, y = single(rng.normal(size=(12, 3))), rng.integers(0, 3, 12)
    options = {"update": update, "C": 0.3, "intercept": False, "dimension": 3, **UPDATES[update]}
    model = PrimalDual(GEOMETRIES[kind], **options).fit(X, y)
    ones = [
        binary(GEOMETRIES[kind], **{k: v for k, v in options.items() if k != "intercept"})
        for _ in "abc"
    ]
    for k, one in enumerate(ones):
        one.learn_many(X, np.where(y == k, 1, -1))
    scores = np.column_stack([one.decision_function(X) for one in ones])
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)
    c = model.certificate()
    assert c.dual == pytest.approx(sum(map(dual, ones)), abs=1e-9)
    assert c.mistakes == sum(one.certificate().mistakes for one in ones)
    total = sum(one.objective(X, np.where(y == k, 1, -1)) for k, one in enumerate(ones))
    assert model.objective(X, y) == pytest.approx(total)


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_features_and_labels_that_come_late(kind, update):
    """The dual stays a lower bound on the objective of all features, and the mistakes within theirs."""
    rng = np.random.default_rng(4)
    model = PrimalDual(GEOMETRIES[kind], update=update, C=0.2, intercept=False, **UPDATES[update])
    X, y = np.zeros((30, 10)), []
    for t in range(30):
        width = 2 + t // 4
        X[t, :width] = single(rng.normal(size=width))
        y.append(int(rng.integers(1 + min(t // 8, 2))))
        model.learn_one(dict(enumerate(X[t, :width].tolist())), y[-1])
    c = model.certificate()
    assert c.dual <= model.objective(X, y) + 1e-9
    assert c.mistakes <= c.mistake_bound(model.objective(X, y)) or c.rate <= 0
    assert len(model.classes_) == 3


def test_what_new_features_take_from_the_dual_is_no_gain():
    """It is counted apart, and the rate is what is left: the mistakes stay within their bound."""
    model = binary(Entropy(), update="conservative", C=0.5)
    for t, y in enumerate([-1, -1, 1, -1, 1, 1]):
        model.learn_one({f"f{t}": 1.0, "constant": 1.0, f"f{t // 2}": 0.5}, y)
    mistakes, gains, _, shifts, _ = model._dual.run[:, 0]
    c = model.certificate()
    assert mistakes > 1
    assert shifts < 0
    assert c.dual == pytest.approx(gains + shifts, abs=1e-12)  # no other rounds have increases
    assert c.gains == pytest.approx(c.dual, abs=1e-12)


def test_a_cycle_goes_on_from_where_it_stopped():
    model = binary(update="sequential", order="cyclic", steps=4)
    X, y = data(0)
    last, before, visited = None, 0, set()
    for x, label in zip(X, y.tolist()):
        model.learn_one(x, label)
        places = list(model._dual.update._others(model._dual.duals[0], 0))
        if last is not None:
            assert places[0] == (last + 1) % before
        if places:
            last, before = places[-1], len(model._dual.update.past.rows)
        visited |= set(places)
    assert visited >= set(range(len(X) - 1))


def test_the_loss_bound_is_the_inverse_of_mu():
    """Theorem 3 on both sides of the bend of mu."""
    model = binary(C=0.5)
    model.learn_many(*data(0))
    c = model.certificate()
    for F, loss in ((0.001, 0.0), (0.5, 0.3), (0.5, 20.0)):
        z = (loss + F / 0.5) / c.rounds
        assert mu(c.loss_bound(F, loss) / c.rounds, 0.5 * c.curvature) == pytest.approx(
            z, rel=1e-12
        )


def test_the_entropy_starts_from_the_known_features():
    """Without a dimension they are those seen so far, the example's own among them."""
    model = PrimalDual(Entropy(), update="conservative", intercept=False)
    model.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    assert model.decision_one({"a": 1.0, "b": 0.5}) == 0.75
    model.learn_one({"a": 1.0, "b": 0.5}, 1)
    assert model.decision_one({"c": 3.0}) == 1.0
    assert model.weights_ == {"a": 0.5, "b": 0.5}
    fixed = binary(Entropy(), update="conservative", dimension=4)
    assert fixed.decision_one({"a": 4.0}) == 1.0
    with pytest.raises(ValueError, match="dimension=4, but there are more features"):
        fixed.learn_one(dict.fromkeys("abcde", 1.0), 1)
    assert fixed._dual.names() == {}
    with_constant = PrimalDual(Entropy(), update="conservative", dimension=3)
    with_constant.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    assert with_constant.decision_one({}) == 0.25  # three features and the constant


def test_importance_multiplies_the_constant():
    """The box of an example is [0, w C]; the bounds of Thm 3 are for equal weights."""
    X, y = data(12)
    one, two = binary(C=0.6, update="exact"), binary(C=0.3, update="exact")
    one.learn_many(X, y)
    two.learn_many(X, y, np.full(len(X), 2.0))
    assert dual(two) == pytest.approx(dual(one), rel=1e-12)
    assert two.objective(X, y, np.full(len(X), 2.0)) == pytest.approx(one.objective(X, y))
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    other, z = binary(), np.zeros(3)
    for x, label, w in zip(X, y.tolist(), weights.tolist()):
        z -= w * label * x * (label * other.decision_one(x) < 1.0)
        other.learn_one(x, label, w)
    assert other.certificate().gradient_norms[1] == pytest.approx(float(np.linalg.norm(z)))
    with pytest.raises(ValueError, match="10 examples have an importance other than 1"):
        two.certificate().regret_bound(1.0)


def test_drift_of_the_conjugate_is_mended():
    """After a thousand rounds it is computed from scratch."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)) * 1e3, rng.choice([-1, 1], 3000)
    model = binary(update="exact", C=5.0)
    (vector,) = model._dual.duals
    vector.conjugate += 1e9  # far more than all roundings together
    model.learn_many(X, y)
    assert vector.conjugate == pytest.approx(0.5 * float(vector.theta @ vector.theta), rel=1e-9)


# --- geometries of your own -----------------------------------------------------------------------


class Halved(Geometry):
    """Half of the Euclidean one, with numerical links."""

    def value(self, w):
        return 0.25 * float(np.sum(np.asarray(w) ** 2))

    def gradient(self, w):
        return 0.5 * np.asarray(w, float)

    @property
    def strong_convexity(self):
        return 0.5


@pytest.mark.parametrize("update", ["aggressive", "exact", "block"])
def test_a_geometry_of_your_own(update, tmp_path):
    """`F = ||w||^2 / 4` is the Euclidean one on examples that are sqrt(2) times as long."""
    X, y = data(13, rounds=6)
    model = binary(Halved(), update=update, C=0.3, dimension=3, window=2)
    twin = binary(update=update, C=0.3, dimension=3, window=2)
    got, expected = trace(model, X, y), trace(twin, X * math.sqrt(2), y)
    np.testing.assert_allclose(got, expected, atol=1e-5)  # those of the numerical search
    model.save(tmp_path / "m")
    again = PrimalDual.load(tmp_path / "m", geometry=Halved())
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
    with pytest.raises(ValueError, match=r"was saved with geometry=.*give it again"):
        load(tmp_path / "m")


class Broken(Geometry):
    """Its link fails beyond some point."""

    def value(self, w):
        return 0.5 * float(np.sum(np.asarray(w) ** 2))

    def conjugate(self, theta):
        return self.value(theta)

    def link(self, theta):
        theta = np.asarray(theta, float)
        return theta if np.abs(theta).max() < 5 else np.full_like(theta, np.nan)

    @property
    def strong_convexity(self):
        return 1.0


@pytest.mark.parametrize(
    "update", [u for u in UPDATES if u != "aggressive"]
)  # whose steps are short
def test_a_geometry_that_fails_changes_nothing(update):
    model = binary(Broken(), update=update, C=100.0, **UPDATES[update])
    model.learn_many([[0.01, 0.02], [0.03, -0.01]], [1, -1])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="its link is not finite"):
        model.learn_one(
            {0: 7.0, 1: -7.0, "new": 3.0}, 1 if model.decision_one([7.0, -7.0]) <= 0 else -1
        )
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("labels", [2, 3])
def test_a_constant_that_is_too_large_is_refused(labels):
    """As divergence, with advice; what came before it in the batch has been learned."""
    model = PrimalDual(update="conservative", C=1e150).partial_fit(
        np.zeros((0, 0)), [], classes=range(labels)
    )
    tiny, large = np.full((5, 2), 1e-5), np.full((2, 3), 1e10)
    model.learn_many(tiny, [1, 0, 1, 0, 1])
    before, twin = pickle.dumps(model), copy.deepcopy(model)
    sign = 0 if model.predict_one(large[0]) else 1
    with pytest.raises(_core.Diverged, match=r"overflowed; the example was not.*Lower C or") as one:
        model.learn_one(large[0], sign)
    assert isinstance(one.value, ArithmeticError)
    assert pickle.dumps(model) == before
    with pytest.raises(_core.Diverged) as many:
        model.learn_many(np.vstack([np.full((1, 3), 2e-5), large]), [1 - sign, sign, sign])
    assert many.value.__notes__ == ["at row 1 of this call; the rows before it were learned"]
    twin.learn_one(np.full(3, 2e-5), 1 - sign)
    assert pickle.dumps(model) == pickle.dumps(twin)
    assert math.isfinite(dual(model))
    with pytest.raises(_core.Diverged):
        PrimalDual(update="conservative", C=1e300).learn_one({"a": 1.0}, True)
    # those that step no further than the margin do not mind
    assert dual(PrimalDual(update="exact", C=1e300).fit(np.eye(3), [0, 1, 0])) > 0


# without and with a new feature; the slowest, whose leader is searched for, only once
WAYS = [
    (kind, update, late, width)
    for kind in GEOMETRIES
    for update in (*UPDATES, "block of two", "small window")
    for late in (0, 1, 2, 5)
    for width in (3, 4)
    if (late in (0, 2) if kind == "pnorm" else True)
    if (kind, update) != ("pnorm", "leader") or (late, width) == (2, 4)
]


@pytest.mark.parametrize(("kind", "update", "late", "width"), WAYS)
def test_what_fails_on_the_way_changes_nothing(kind, update, late, width, monkeypatch):
    """Whichever of the moves of a round it is; afterwards all goes on as if it had not been tried."""
    named = {
        "block of two": ("block", {"window": 2}),
        "small window": ("sequential", {"window": 2}),
    }
    update, options = named.get(update, (update, UPDATES.get(update)))
    model = PrimalDual(GEOMETRIES[kind], update=update, C=0.7, **options)
    X, _ = data(3, rounds=12, width=4)
    y = (np.arange(12) * 7 // 3 % 3).tolist()
    model.learn_many(X[3:7, :3], y[3:7])
    before, twin = pickle.dumps(model), copy.deepcopy(model)
    vector, moves = type(dual_vector(GEOMETRIES[kind], 1)), 0
    plain = vector.move

    def failing(self, x, y, a):
        nonlocal moves
        moves += 1
        if moves > late:
            raise _core.Diverged("as told")
        plain(self, x, y, a)

    x = X[7, :width]
    wrong = int(np.argmin(model.decision_one(x)))
    with monkeypatch.context() as patch:
        patch.setattr(vector, "move", failing)
        try:
            model.learn_one(x, wrong)
        except _core.Diverged:
            assert pickle.dumps(model) == before
    if moves <= late:  # the round had no more
        assert moves > 0
        twin.learn_one(x, wrong)
    for each in (model, twin):
        each.learn_many(X[8:11], y[8:11])
    assert pickle.dumps(model) == pickle.dumps(twin)


# --- bad input, files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C=0.0 must be positive"),
        ({"C": -1}, "C=-1 must be positive"),
        ({"margin": 0.0}, "margin=0.0 must be positive"),
        (
            {"update": "greedy"},
            "update='greedy' is not one of 'conservative', 'aggressive', 'exact'",
        ),
        ({"update": ["exact"]}, "is not one of"),
        ({"loss": "logistic"}, "the primal-dual updates need the hinge loss"),
        ({"loss": losses.Hinge(2.0), "margin": 3.0}, "has its own margin; give one of them"),
        ({"geometry": "entropy"}, "geometry='entropy' is not a Geometry"),
        (
            {"geometry": UnnormalizedEntropy()},
            "is not strongly convex, as update='aggressive' needs",
        ),
        ({"update": "block", "window": 0}, "window=0 must be a whole number"),
        ({"update": "sequential", "steps": 0}, "steps=0 must be a whole number"),
        ({"update": "sequential", "steps": None}, "steps=None must be a whole number"),
        (
            {"update": "sequential", "order": "best"},
            "order='best' is not one of 'recent', 'random'",
        ),
        ({"dimension": 0}, "dimension=0 must be a whole number"),
        ({"dimension": 9, "features": "hashed"}, "bits=18 sets the dimension"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        PrimalDual(**options).learn_one([1.0], 1)


def test_bad_questions():
    c = binary(update="conservative").certificate()
    with pytest.raises(ValueError, match="lacks this bound"):
        c.regret_bound(1.0)
    for ask in (c.mistake_bound, c.gap, c.best_loss, c.tuned):
        with pytest.raises(ValueError, match=r"=-1\.0 must be finite and not negative"):
            ask(-1.0)
    model = binary()
    with pytest.raises(ValueError, match=r"y\[1\]=7 is a label that has not been learned"):
        model.objective([[1.0], [1.0]], [1, 7])


def test_a_loss_object_has_its_margin():
    model = PrimalDual(loss=losses.Hinge(2.0))
    assert model.certificate().margin == 2.0


@pytest.mark.parametrize(
    ("update", "order"),
    [
        *((update, "recent") for update in UPDATES),
        *(("sequential", order) for order in ("random", "cyclic", "largest_violation")),
    ],
)
@pytest.mark.parametrize("kind", GEOMETRIES)
def test_a_run_goes_on_from_a_file_bit_for_bit(kind, update, order, tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(16, 4)), rng.integers(0, 3, 16)
    options = {"update": update, "order": order, "window": 5, "steps": 3, "C": 0.3}
    whole, part = PrimalDual(GEOMETRIES[kind], **options), PrimalDual(GEOMETRIES[kind], **options)
    whole.learn_many(X, y)
    part.learn_many(X[:8], y[:8])
    part.save(tmp_path / "m")
    for other in (load(tmp_path / "m"), pickle.loads(pickle.dumps(part))):
        assert other.get_params() == part.get_params()
        other.learn_many(X[8:], y[8:])
        assert other.decision_function(X).tolist() == whole.decision_function(X).tolist()
        assert other.certificate() == whole.certificate()


@pytest.mark.parametrize("name", ["theta", "sums", "run", "gradient", "past_alpha", "past_starts"])
def test_a_damaged_file_is_refused(name, tmp_path):
    model = PrimalDual(update="block").fit(FIVE, SIGNS)
    for path in damaged(model, name, tmp_path):
        with pytest.raises(ValueError, match="is damaged"):
            PrimalDual.load(path)


def test_every_geometry_can_be_saved(tmp_path):
    """Those of the library, with their options and domains."""
    from regretless.domains import Ball

    for shape in (
        PNorm(4, "B"),
        Entropy(2.0),
        geometry.Quadratic(np.diag([1.0, 2.0, 3.0])),
        Euclidean() + geometry.Quadratic([1.0, 2.0, 3.0]),
        Euclidean().on(Ball(2.0)),
    ):
        model = binary(shape, update="exact", dimension=3)
        model.learn_many(*data(1))
        model.save(tmp_path / "m")
        assert load(tmp_path / "m").geometry == shape
        assert dual(load(tmp_path / "m")) == dual(model)


def test_wide_sparse_rows_cost_what_they_hold():
    """A million columns, Euclidean: only those of the example are touched."""
    X = sparse.csr_array((np.ones(3), ([0, 1, 2], [5, 999_999, 5])), shape=(3, 1_000_000))
    model = binary()
    model.learn_many(X, [1, -1, 1])
    assert model.weights_ == {5: 1.0, 999_999: -1.0}
