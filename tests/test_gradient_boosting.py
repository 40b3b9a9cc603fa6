"""Online gradient boosting: against Algorithms 9 and 10, by identities and theorems."""

import math

import numpy as np
import pytest
from reference import gradient_boosting as by_hand
from reference.streams import single
from reference.weak import ROUNDING, SMOOTH, Finite, stream

from regretless import losses
from regretless.boosting import (
    DecisionStump,
    GradientBoostingHull,
    GradientBoostingSpan,
    NeuralNet,
    Stump,
)
from regretless.boosting.gradient_certificate import LINEAR, constants_of, reach

boosters = pytest.mark.parametrize("kind", [GradientBoostingHull, GradientBoostingSpan])


# --- the algorithms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (2, 3.0), (7, 1.0), (7, 2.0)])
def test_hull_is_algorithm_10(loss, n, scale):
    X, y = stream(labels=losses.get(loss).classification)
    part, L = losses.get(loss), constants_of(losses.get(loss)).lipschitz(scale)
    model = GradientBoostingHull(weak=Finite(5, 150), n=n, loss=loss, scale=scale)
    native = GradientBoostingHull(n=n, loss=loss, scale=scale)
    oracle = by_hand.Hull([by_hand.HedgeOf(5, 150) for _ in range(n)], part.derivative, L, scale)
    stumps = by_hand.Hull([by_hand.Stump(5) for _ in range(n)], part.derivative, L, scale)
    for x, target in zip(X, y):
        assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=ROUNDING)
        assert native.predict_one(x) == pytest.approx(stumps.predict(x), abs=ROUNDING)
        for learner in (model, native):
            learner.learn_one(x, target)
        for learner in (oracle, stumps):
            learner.learn(x, target)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize(("n", "eta", "scale"), [(1, 1.0, 1.0), (3, 0.5, 1.0), (8, 0.3, 2.0)])
def test_span_is_algorithm_9(loss, n, eta, scale):
    X, y = stream(labels=losses.get(loss).classification)
    part, constants = losses.get(loss), constants_of(losses.get(loss))
    B = reach(constants, eta, n, scale)
    options = {"n": n, "eta": eta, "scale": scale, "loss": loss}
    model = GradientBoostingSpan(weak=Finite(5, 150), **options)
    native = GradientBoostingSpan(**options)

    def made(weak):
        copies = [weak() for _ in range(n)]
        return by_hand.Span(copies, part.derivative, constants.lipschitz(B), eta, B, scale)

    oracle, stumps = made(lambda: by_hand.HedgeOf(5, 150)), made(lambda: by_hand.Stump(5))
    cut = 0
    for x, target in zip(X, y):
        assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=ROUNDING)
        assert native.predict_one(x) == pytest.approx(stumps.predict(x), abs=ROUNDING)
        cut += max(np.abs(stumps.y)) == B
        for learner in (model, native):
            learner.learn_one(x, target)
        for learner in (oracle, stumps):
            learner.learn(x, target)
        assert np.abs(native.shrinkage_ - stumps.sigma).max() < ROUNDING
        assert np.abs(model.shrinkage_ - oracle.sigma).max() < ROUNDING
        assert model.shrinkage_[0] == 0.0  # y^0 = 0 has no slope
    assert n == 1 or loss != "squared" or native.shrinkage_.max() > 0.0
    assert cut or n * eta * scale >= B


@pytest.mark.parametrize(
    ("weak", "copy_of"),
    [
        (Stump(rate=0.5), lambda i: by_hand.Stump(5, rate=0.5)),
        (DecisionStump(), lambda i: by_hand.DecisionStump(5)),
        (NeuralNet(hidden=3, rate=0.2, seed=4), lambda i: by_hand.NeuralNet(5, 3, 1.0, 0.2, 4 + i)),
    ],
    ids=lambda w: getattr(w, "_rule", ""),
)
def test_copies_are_those_of_the_learner_that_was_given(weak, copy_of):
    X, y = stream(T=60)
    model = GradientBoostingHull(weak=weak, n=2)
    oracle = by_hand.Hull([copy_of(i) for i in range(2)], losses.Squared().derivative, 4.0)
    for x, target in zip(X, y):
        if model.examples_:
            assert model.predict_one(x) == pytest.approx(oracle.predict(x), abs=ROUNDING)
        model.learn_one(x, target)
        oracle.learn(x, target)


def test_sigma_is_cut_at_both_ends():
    """Where sums are too large sigma rises to 1, where they are too small it stays 0."""
    X, y = np.ones((400, 1)), np.full(400, 0.01)
    y[0] = 1.0

    class Constant:
        def clone(self):
            return self

        def predict_one(self, x):
            return 1.0

        def learn_one(self, x, y):
            pass

    model = GradientBoostingSpan(weak=Constant(), n=3, eta=0.5)
    model.learn_many(X, y)
    assert model.shrinkage_.tolist() == [0.0, 1.0, 1.0]
    model = GradientBoostingSpan(weak=Constant(), n=3, eta=0.5)
    model.learn_many(X, np.ones(400))
    assert model.shrinkage_.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("weak", [None, Stump(rate=0.5), NeuralNet(hidden=3), Finite(5, 150)])
def test_one_copy_is_the_same_in_both(weak):
    X, y = stream()
    hull, span = GradientBoostingHull(weak=weak, n=1), GradientBoostingSpan(weak=weak, n=1, eta=1.0)
    for x, target in zip(X, y):
        assert hull.step(x, target) == pytest.approx(span.step(x, target), abs=1e-15)


def test_weights_of_the_copies():
    """In y^N copy i has weight 2 i / (N (N + 1))."""
    X, y = stream()
    model = GradientBoostingHull(n=6)
    for x, target in zip(X, y):
        p = model.step(x, target)
        votes, sums, _ = model._model.trace()
        i = np.arange(1, 7)
        assert p == pytest.approx(votes @ (2 * i / 42), abs=1e-14)
        assert sums[-1] == p  # the unit is 1


@boosters
@pytest.mark.parametrize("feed", ["gradient", "linearized", "residual"])
def test_core_and_python_copies_agree(kind, feed):
    """The same net boosted in the core, and as if it were somebody else's; seeds differ in the core."""

    class Foreign:
        def __init__(self, inner):
            self.inner = inner

        def clone(self):
            return Foreign(self.inner.clone())

        def predict_one(self, x):
            return self.inner.predict_one(x)

        def learn_slope(self, x, slope, w):
            self.inner.learn_slope(x, slope, w)

        def learn_one(self, x, y, w=1.0):
            self.inner.learn_one(x, y, w)

    X, y = stream()
    native, python = (
        kind(weak=Stump(), n=4, feed=feed),
        kind(weak=Foreign(Stump(bound=1.0)), n=4, feed=feed),
    )
    for t, (x, target) in enumerate(zip(X, y)):
        p, q = native.step(x, target, 1.0 + t % 2), python.step(x, target, 1.0 + t % 2)
        assert p == pytest.approx(q, abs=ROUNDING)
    assert native.loss_ == pytest.approx(python.loss_)
    assert native.examples_ == python.examples_ == 150


@boosters
@pytest.mark.parametrize("alpha", [None, 0.25])
def test_residuals_are_the_loss_of_the_next_sum(kind, alpha):
    X, y = stream()
    model = kind(n=3, feed="residual", alpha=alpha)
    copies = [by_hand.Stump(5) for _ in range(3)]
    for x, target in zip(X, y):
        model.predict_one(x)
        sigma = model._model.trace()[2]
        model.learn_one(x, target)
        votes, sums, _ = model._model.trace()
        for i, (copy_, v) in enumerate(zip(copies, votes)):
            assert copy_.predict(x) == pytest.approx(v, abs=ROUNDING)
            if alpha is not None:
                offset, step = sums[i], alpha
            elif kind is GradientBoostingHull:
                step = 2 / (i + 2)
                offset = (1 - step) * sums[i]
            else:
                step = math.log(3) / 3
                offset = (1 - sigma[i] * step) * sums[i]
            copy_.learn_task(
                x,
                lambda v: (offset + step * v - target) ** 2,  # noqa: B023
                lambda v: 2 * step * (offset + step * v - target),  # noqa: B023
            )


@boosters
def test_residuals_of_learners_in_python_are_squared_losses(kind):
    """w (v - target)^2 is the loss of the next sum, whatever v is."""
    X, y = stream(T=40)
    told = []

    class Spy:
        def clone(self):
            return Spy()

        def predict_one(self, x):
            return 0.25

        def learn_one(self, x, y, w):
            told.append((y, w))

    model = kind(weak=Spy(), n=3, feed="residual")
    for x, target in zip(X, y):
        model.predict_one(x)
        _, sums, sigma = model._model.trace()
        told.clear()
        model.learn_one(x, target, 2.0)
        for i, (aim, w) in enumerate(told):
            step = 2 / (i + 2) if kind is GradientBoostingHull else math.log(3) / 3
            shrunk = 1 - step if kind is GradientBoostingHull else 1 - sigma[i] * step
            for v in (-1.0, 0.3):
                loss = 2.0 * (shrunk * sums[i] + step * v - target) ** 2
                assert w * (v - aim) ** 2 == pytest.approx(loss, abs=1e-12)


def test_linearized_slopes_are_those_of_the_final_prediction():
    X, y = stream()
    seen = []

    class Spy(Finite):
        def clone(self):
            return Spy(*self.given)

        def learn_slope(self, x, slope, w):
            seen.append(slope)
            super().learn_slope(x, slope, w)

    model = GradientBoostingSpan(weak=Spy(5, 150), n=4, loss="absolute", feed="linearized", eta=0.5)
    for x, target in zip(X, y):
        p = model.step(x, target)
        assert seen == [np.sign(p - target)] * 4
        seen.clear()
    assert reach(LINEAR, 0.5, 4) == 2.0


# --- theorems ---------------------------------------------------------------------------------------


def nasty(T, m, kind, seed=0):
    """What m base functions say, and targets: by chance, a mixture of them, or turning over time."""
    rng = np.random.default_rng(seed)
    F = single(rng.uniform(-1, 1, (T, m)))
    mix = F[:, :3] @ [0.4, -0.3, 0.3]
    y = {
        "chance": rng.choice([-1.0, 1.0], T),
        "mixture": mix,
        "turning": np.where(np.arange(T) < T / 2, F[:, 0], -F[:, 1]),
        "far": np.clip(3 * mix, -1, 1),
    }[kind]
    y[0] = 1.0
    return F, single(y)


@boosters
@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("kind_of_stream", ["chance", "mixture", "turning", "far"])
def test_theorems_13_and_14(kind, scale, loss, kind_of_stream):
    T, m, n = 120, 6, 8
    F, y = nasty(T, m, kind_of_stream)
    if losses.get(loss).classification:
        y = np.where(y >= 0, 1.0, -1.0)
    model = kind(weak=Finite(m, T), n=n, loss=loss, scale=scale)
    for weights in (None, scale * np.array([0.4, -0.3, 0.3, 0, 0, 0]), np.zeros(6)):
        found = model.certificate(F, y, F, weights)
        assert found.holds
        # the measured regret of Hedge is within its own theorem
        L = constants_of(losses.get(loss)).lipschitz(scale)
        if kind is GradientBoostingHull:
            beta = constants_of(losses.get(loss)).smoothness(scale)
            hedge = math.sqrt(2 * T * math.log(2 * m))
            assert found.bound <= 8 * beta * scale**2 * T / n + L * scale * hedge + 1e-9
    if kind is GradientBoostingSpan:
        assert model.certificate(F, y, F, [2.0, 1.0, 0, 0, -1.0, 0]).holds


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("loss", ["absolute", "hinge"])
def test_corollaries_3_and_4(loss, scale):
    F, y = nasty(400, 6, "far")
    if loss == "hinge":
        y = np.where(y >= 0, 1.0, -1.0)
    model = GradientBoostingSpan(
        weak=Finite(6, 400), n=6, loss=loss, feed="linearized", scale=scale, eta=0.4
    )
    for weights in (None, [0.4, -0.3, 0.3, 0, 0, 0], [1.2, -0.9, 0.9, 0, 0, 0]):
        found = model.certificate(F, y, F, weights)
        assert list(found.bounds) == ["Cor 3", "trivial"]
        assert found.holds


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_theorem_14_by_hand(scale):
    """The certificate's numbers, from a run of the oracle."""
    F, y = nasty(300, 4, "mixture")
    n, T, L = 5, 300, 2 * (scale + 1)
    model = GradientBoostingHull(weak=Finite(4, T), n=n, scale=scale)
    found = model.certificate(F, y, F, [0.5, 0, 0, -0.5])
    weak = [by_hand.HedgeOf(4, T) for _ in range(n)]
    oracle = by_hand.Hull(weak, losses.Squared().derivative, L, scale)
    loss, linear, sums = 0.0, np.zeros(n), np.zeros((n, 4))
    for x, target in zip(F, y):
        loss += (oracle.predict(x) - target) ** 2 - (0.5 * x[0] - 0.5 * x[3] - target) ** 2
        slopes = np.array([2 * (p - target) / L for p in oracle.y[:-1]])
        linear += slopes * oracle.votes
        sums += np.outer(slopes, x)
        oracle.learn(x, target)
    R = max(0.0, np.max(linear + np.abs(sums).max(axis=1)))
    assert found.regret == pytest.approx(loss)
    assert found.bounds["Thm 14"] == pytest.approx(8 * 2 * scale**2 * T / n + L * scale * R)


def test_certificate_says_what_it_rests_on():
    F, y = nasty(50, 4, "mixture")
    model = GradientBoostingHull(weak=Finite(4, 50), n=3)
    assert not model.certificate(F, y, F, [2, 0, 0, 0]).holds  # not in the hull
    assert not model.certificate(F, y, 3 * F).assumptions["base functions are in [-1, 1]"]
    late = np.concatenate([y[1:], y[:1]])
    assert not model.certificate(F, late, F).assumptions["the unit of the targets did not change"]
    for bad, match in [(F[:-1], "base has shape"), (F * np.nan, "base has shape")]:
        with pytest.raises(ValueError, match=match):
            model.certificate(F, y, bad)
    with pytest.raises(ValueError, match="comparator="):
        model.certificate(F, y, F, [1.0])


@pytest.mark.parametrize("n", [1, 2])
def test_theorem_15_no_booster_can_do_better(n):
    """Labels 1/2 +- 1/(10 sqrt N), functions that are 1 with the label's probability: the mean of all
    functions has no loss, and with N calls some c T / N is lost. The bound of theorem 14 holds."""
    rng = np.random.default_rng(n)
    T, M = 200, 4000 * n
    e = 1 / (10 * math.sqrt(n))
    y = 0.5 + e * rng.choice([-1.0, 1.0], T)
    hull = by_hand.Hull([by_hand.HedgeOf(M, T) for _ in range(n)], losses.Squared().derivative, 4.0)
    mine = GradientBoostingHull(weak=Stump(), n=n, range=(-1.0, 1.0))
    loss = best = 0.0
    for t in range(T):
        x = (rng.random(M) < y[t]).astype(float)
        loss += (hull.predict(x) - y[t]) ** 2
        best += (x.mean() - y[t]) ** 2
        hull.learn(x, y[t])
        mine.learn_one({0: 1.0}, y[t])
    # half of (y - y*)^2 with e = 1 / (10 sqrt N): what guessing 1/2 costs is e^2 T, of the order T / N
    assert best < 0.1 * e * e * T
    assert loss - best > 0.5 * e * e * T
    assert mine.loss_ > 0.5 * e * e * T
