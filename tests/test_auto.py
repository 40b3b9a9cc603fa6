"""Auto: its lanes, its mixture and its promise, against an oracle, by theorems and on nasty streams."""

import math

import numpy as np
import pytest
from reference import newton as by_hand
from reference.auto import GridLane, Mixture
from reference.losses import CLASSIFICATION, REGRESSION
from reference.streams import adversarial

from regretless import _core, losses, rules
from regretless.base import rows
from regretless.linear import (
    Auto,
    AutoClassifier,
    AutoRegressor,
    LinearClassifier,
    Perceptron,
)
from regretless.linear.auto import _GRID
from regretless.newton import NewtonRegressor, tuned_options

EXPERTS = len(_GRID) + 1
SECOND = 8  # lanes that take Newton steps


def stream(T=120, d=6, seed=0, regression=False):
    """Rows with zeros, weights and targets, the first feature larger and larger."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d)) * (rng.random((T, d)) < 0.7)
    X[:, 0] *= np.geomspace(0.01, 10, T)
    signal = X @ rng.normal(size=d)
    y = 3 * signal + rng.normal(size=T) if regression else np.sign(signal + rng.normal(size=T))
    return X, y, rng.choice([0.5, 1.0, 2.0], T)


def make(loss, lanes=None, share=0.0, newton=None):
    """The core of Auto, of the lanes given, without an intercept."""
    kind = losses.get(loss)
    options = (AutoClassifier if kind.classification else AutoRegressor)(loss=loss)._parts()[2]
    lanes = options["lanes"] if lanes is None else lanes
    options |= {"lanes": lanes, "share": share} | ({"newton": newton} if newton else {})
    return kind, _core.Learner(losses.compiled(kind), "auto", options, 0, 0, False, False)


def learn(core, kind, x, y, h):
    """The score before learning."""
    row = rows.row(x)
    if kind.classification:
        return core.step_class(row, int(y > 0), float(h))
    return core.step_target(row, float(y), float(h))


# --- against the oracle ----------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge", "quantile"])
@pytest.mark.parametrize("k", [0, 3, 7, 10, 11])
def test_lanes_of_the_grid(loss, k):
    """Weights are floats: each of 120 steps is rounded in the seventh digit."""
    lane, l2 = _GRID[k], 1e3 * _GRID[k].l2
    kind, core = make(loss, [(False, lane.rate, lane.scale_invariant, l2)])
    X, y, h = stream(seed=k, regression=not kind.classification)
    oracle, found, wanted = GridLane(X.shape[1], lane.rate, lane.scale_invariant, l2, kind), [], []
    for x, label, weight in zip(X, y, h):
        wanted.append(oracle.score(x))
        found.append(core.lane_scores(rows.row(x))[0])
        oracle.learn(x, label, weight)
        learn(core, kind, x, label, weight)
    np.testing.assert_allclose(found, wanted, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("share", [0.0, 0.05])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_the_mixture(loss, share):
    """From the scores of the lanes to one; a root is found to 1e-12, the blend amplifies it."""
    kind, core = make(loss, share=share)
    X, y, h = stream(seed=3, regression=not kind.classification)
    oracle = Mixture(len(_GRID), kind, share)
    for x, label, weight in zip(X, y, h):
        lanes = core.lane_scores(rows.row(x))
        found = learn(core, kind, x, label, weight)
        assert found == pytest.approx(oracle.learn(lanes, label, weight), rel=1e-6, abs=1e-6)
    mixing = core.mixing(0)
    np.testing.assert_allclose(mixing["losses"], oracle.L, rtol=1e-6)
    np.testing.assert_allclose(mixing["weights"], oracle.w, atol=1e-6)
    assert mixing["loss"] == pytest.approx(oracle.total, rel=1e-6)
    assert mixing["rate"] == oracle.rate


def test_coins_are_those_of_the_rule():
    kind, core = make("logistic", [(True, wealth, True, 0.0) for wealth in (1.0, 8.0)])
    alone = [LinearClassifier(rule=rules.Coin(wealth), intercept=False) for wealth in (1.0, 8.0)]
    X, y, h = stream(seed=5)
    for x, label, weight in zip(X, y, h):
        wanted = [coin.decision_one(x) for coin in alone]
        np.testing.assert_allclose(core.lane_scores(rows.row(x)), wanted, rtol=1e-5, atol=1e-6)
        learn(core, kind, x, label, weight)
        for coin in alone:
            coin.learn_one(x, label > 0, float(weight))


def test_adagrad_without_penalty_is_the_rule():
    """Both follow the gradient flow at the same rates; the lanes add scores up in floats."""
    for invariant in (False, True):
        kind, core = make("logistic", [(False, 0.5, invariant, 0.0)])
        rule = rules.AdaGrad(rate=0.5, scale_invariant=invariant)
        alone = LinearClassifier(rule=rule, intercept=False)
        X, y, _ = stream(seed=6)
        for x, label in zip(X, y):
            wanted = alone.decision_one(x)
            assert core.lane_scores(rows.row(x))[0] == pytest.approx(wanted, rel=1e-3, abs=1e-4)
            learn(core, kind, x, label, 1.0)
            alone.learn_one(x, label > 0)


# --- lanes that take Newton steps ------------------------------------------------------------------


class Together:
    """In Python: the mixture of a plain `Auto`'s lanes and of Newton's lanes, from their scores.

    The sketches of Newton's lanes take in the gradient at the score of the mixture.
    """

    def __init__(self, loss, options, d, share=0.0):
        self.kind, self.first = make(loss)
        self.loss = {**CLASSIFICATION, **REGRESSION}[loss]
        self.second = [
            by_hand.TunedLanes(d, self.loss, by_hand.Oja(options["size"]), lanes, diagonal)
            for diagonal, lanes in options["spaces"]
        ]
        self.mixture = Mixture(len(_GRID) + SECOND, self.kind, share)

    def scores(self, x):
        """Those of all lanes."""
        first = self.first.lane_scores(rows.row(x))
        return np.concatenate([first, *(each.scores(x) for each in self.second)])

    def learn(self, x, y, h):
        """The score before learning."""
        mixed = self.mixture.learn(self.scores(x), y, h)
        learn(self.first, self.kind, x, y, h)
        for each in self.second:
            each.learn_at(x, float(y), h, h * self.loss.derivative(mixed, float(y)))
        return mixed


@pytest.mark.parametrize("share", [0.0, 0.05])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_second_order_lanes_in_the_mixture(loss, share):
    """To rounding: steps are differences of numbers up to 10^4 times as large, A is ill-conditioned."""
    newton = tuned_options(losses.get(loss)) | {"size": 4}
    kind, core = make(loss, share=share, newton=newton)
    X, y, h = stream(seed=3, regression=not kind.classification)
    X, y = X.astype(np.float32).astype(float), y.astype(np.float32).astype(float)
    oracle = Together(loss, newton, X.shape[1], share)
    for x, label, weight in zip(X, y, h):
        wanted = oracle.scores(x)
        found = core.lane_scores(rows.row(x))
        np.testing.assert_array_equal(found[: len(_GRID)], wanted[: len(_GRID)])
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * max(1, np.abs(y).max()))
        mixed = learn(core, kind, x, label, weight)
        assert mixed == pytest.approx(oracle.learn(x, label, weight), rel=1e-5, abs=1e-5)
    mixing = core.mixing(0)
    np.testing.assert_allclose(mixing["losses"], oracle.mixture.L, rtol=1e-5)
    np.testing.assert_allclose(mixing["weights"], oracle.mixture.w, atol=1e-5)
    assert mixing["loss"] == pytest.approx(oracle.mixture.total, rel=1e-6)


@pytest.mark.parametrize("features", ["exact", "hashed"])
def test_lanes_of_two_learners(features):
    """With the squared loss sketches do not depend on the mixture: all lanes are those of others."""
    X, y, h = stream(seed=4, regression=True)
    options = {"features": features, "bits": 5}
    both, first, second = (
        AutoRegressor(second_order=True, **options),
        AutoRegressor(**options),
        NewtonRegressor(**options),
    )
    for model in (both, first, second):
        model.learn_many(X, y, h)
    wanted = [lane.loss for lane in [*first.lanes_[:-1], *second.lanes_[:-1]]]
    assert [lane.loss for lane in both.lanes_[:-1]] == wanted
    shown = [(1 / lane.rate, lane.curvature, lane.scale_invariant) for lane in both.lanes_[16:-1]]
    for lane, wanted in zip(shown, second.lanes_):
        assert lane == pytest.approx((wanted.alpha, wanted.curvature, wanted.diagonal))
    assert {lane.rule for lane in both.lanes_[16:-1]} == {"newton"}


def correlated(T=2000, d=20):
    """The example of docs/newton.md: features that mix directions of very different width."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(T, d))
    V, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return Z * np.sqrt([1] * (d - 5) + [40, 80, 120, 160, 200]) @ V.T, Z @ rng.normal(size=d) > 0


def test_second_order_lanes_correct_for_correlated_features():
    X, y = correlated()
    both, first = Auto(second_order=True), Auto()
    for model in (both, first):
        model.learn_many(X, y)
    assert both.loss_ < 0.7 * first.loss_
    assert sum(lane.weight for lane in both.lanes_[:16]) < 1e-6
    assert both.certificate().bound == pytest.approx(math.log(EXPERTS + SECOND))


# --- the promise -----------------------------------------------------------------------------------

STREAMS = {name: (X, y) for name, X, y in adversarial()}
every_stream = pytest.mark.parametrize("name", STREAMS)


@every_stream
@pytest.mark.parametrize("second_order", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge", "exponential"])
def test_never_much_worse_than_the_best_lane(name, loss, second_order):
    X, y = STREAMS[name]
    model = Auto(loss=loss, second_order=second_order)
    scores = [model.step(x, label > 0) for x, label in zip(X, y)]
    assert len(scores) == len(y)
    lanes, certificate = model.lanes_, model.certificate()
    assert np.isfinite([lane.mean_loss for lane in lanes]).all()
    assert certificate.holds
    assert certificate.regret == pytest.approx(
        model.loss_ - len(y) * min(lane.mean_loss for lane in lanes), abs=1e-6
    )
    if loss == "logistic":
        assert certificate.bound == pytest.approx(math.log(EXPERTS + SECOND * second_order))
    assert sum(lane.weight for lane in lanes) == pytest.approx(1.0)


@every_stream
@pytest.mark.parametrize("second_order", [False, True])
@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile", "epsilon_insensitive"])
def test_never_much_worse_in_regression(name, loss, second_order):
    X, y = STREAMS[name]
    rng = np.random.default_rng(1)
    target = y * np.abs(rng.standard_cauchy(len(y))) * 100.0  # heavy tails
    model = Auto(loss=loss, second_order=second_order)
    model.learn_many(X, target)
    certificate = model.certificate()
    assert math.isfinite(model.loss_)
    assert certificate.holds
    if loss == "squared":  # c ln 17, and what targets cost that were larger than all before
        assert certificate.bound >= 8 * np.abs(target).max() ** 2 * math.log(EXPERTS)


def test_weights_of_examples_are_in_the_promise():
    """Weights up to h multiply the bound by h; one that is larger than all before costs extra."""
    X, y = STREAMS["turns"]
    for h in (
        np.full(len(y), 3.0),
        np.geomspace(0.1, 50, len(y)),
        np.tile([1.0, 7.0], len(y) // 2),
    ):
        model = Auto()
        model.learn_many(X, y > 0, h)
        certificate = model.certificate()
        assert certificate.holds
        assert certificate.bound >= h.max() * math.log(EXPERTS) - 1e-9
        least = min(lane.mean_loss for lane in model.lanes_)  # a mean by weight
        assert certificate.regret == pytest.approx(model.loss_ - h.sum() * least, abs=1e-6)
        if len(set(h)) == 1:
            assert certificate.bound == pytest.approx(3.0 * math.log(EXPERTS))


@every_stream
@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_the_bound_of_other_losses_is_that_of_the_thesis(name, loss):
    """Theorem 4 in units that grow: each change, and what it takes, is in the sum of potentials."""
    X, y = STREAMS[name]
    model = Auto(loss=loss)
    model.learn_many(X, y > 0 if loss == "hinge" else y * np.arange(1, len(y) + 1))
    mixing = model._model.mixing(0)
    spread, best = mixing["spread"], mixing["losses"].argmin()
    potentials = mixing["periods"] + mixing["shrunk"] + np.log1p(spread).mean()
    inside = math.log(len(spread)) + math.log(1 + 1.5 * potentials)
    bound = mixing["rate"] * math.sqrt(3 * spread[best] * inside)
    assert min(model.certificate().bounds.values()) == pytest.approx(bound, rel=1e-12)
    assert len(spread) == len(_GRID)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_what_is_larger_than_all_before_costs_extra(loss):
    """By how much such a round breaks the step of the proof, at the rate from before it."""
    X, y = STREAMS["plain"]
    rng = np.random.default_rng(8)
    size = np.exp(rng.normal(size=len(y)))
    model, extra = Auto(loss=loss), 0.0
    for t, (x, sign) in enumerate(zip(X, y)):
        before = model._model and model._model.mixing(0)
        if loss == "squared":
            model.learn_one(x, float(sign * size[t]))
        else:
            model.learn_one(x, sign > 0, float(size[t]))
        if t and size[t] > size[:t].max():
            now = model._model.mixing(0)
            lost = now["losses"] - before["losses"]
            mixed = before["rate"] * math.log(before["weights"] @ np.exp(-lost / before["rate"]))
            extra += max(0.0, now["loss"] - before["loss"] + mixed)
    largest = 8 * size.max() ** 2 if loss == "squared" else size.max()
    assert extra > 1e-6 * largest
    bound = largest * math.log(EXPERTS) + extra
    assert model.certificate().bound == pytest.approx(bound, rel=1e-9)


def test_the_promise_is_tight():
    """A mixture that put its weight on the wrong lane would break it: the regret comes close."""
    X, y = STREAMS["scales"]
    model = Auto()
    model.learn_many(X, y > 0)
    assert model.certificate().regret > 0.3 * math.log(EXPERTS)


def test_drift_follows_the_lane_that_is_best_now():
    """Rare and frequent features want different lanes; the share of a later best one comes back."""
    rng = np.random.default_rng(2)
    T = 3000
    easy = rng.normal(size=(T, 4))
    y = np.sign(easy @ [2, -1, 1, 3])
    X = np.vstack([easy, easy * [1e4, 1e-4, 1e3, 1e-3]])
    labels = np.concatenate([y, rng.choice([-1, 1], T)]) > 0
    plain, shared = Auto(), Auto(drift=0.01)
    for model in (plain, shared):
        model.learn_many(X, labels)
    assert shared.loss_ < plain.loss_
    assert shared.certificate().holds
    assert shared.certificate(shifts=1).bound == pytest.approx(
        math.log(EXPERTS)
        + math.log(EXPERTS / 0.01)
        - (2 * T - 2) * math.log(1 - 0.01 * (1 - 1 / EXPERTS))
    )


def best_sequence(losses_of_lanes, shifts):
    """The least loss of a sequence of lanes that changes so often at most."""
    best = np.full((shifts + 1, losses_of_lanes.shape[1]), np.inf)
    best[0] = 0.0
    for row in losses_of_lanes:
        before = best.copy()
        for k in range(1, shifts + 1):
            best[k] = np.minimum(before[k], before[k - 1].min())
        best += row
    return best.min()


def test_more_shifts_than_rounds_are_as_many_as_there_can_be():
    model = Auto(drift=0.02)
    model.learn_many(np.eye(3), [True, False, True])
    assert model.certificate(shifts=9).bound == model.certificate(shifts=2).bound
    assert model.certificate(shifts=2).bound == pytest.approx(
        math.log(EXPERTS) + 2 * math.log(EXPERTS / 0.02)
    )
    assert model.certificate(shifts=2).bound > model.certificate(shifts=1).bound


def test_drift_wants_to_know_the_range_from_the_start():
    """With it the rate is that of the first example: the proof has none that changes."""
    X, y = STREAMS["plain"]
    known = "the range of targets and weights was known from the start"
    model = Auto(drift=0.02)
    model.learn_many(X, y > 0)
    assert model.certificate().assumptions == {known: True}
    model.learn_one(X[0], True, 2.0)
    assert model.certificate().assumptions == {known: False}
    assert Auto().certificate().assumptions == {}


@pytest.mark.parametrize("shifts", [0, 1, 3])
def test_what_is_paid_for_drift(shifts):
    X, y = STREAMS["turns"]
    model = Auto(drift=0.02)
    table, before = [], np.zeros(EXPERTS)
    for x, label in zip(X, y):
        model.learn_one(x, label > 0)
        now = model._model.mixing(0)["losses"]
        table.append(now - before)
        before = now
    regret = model.loss_ - best_sequence(np.array(table), shifts)
    certificate = model.certificate(shifts=shifts)
    assert regret <= certificate.bound
    if shifts:
        assert certificate.regret is None  # the best sequence is not known
    else:
        assert certificate.regret == pytest.approx(regret)


# --- lanes that are retired ------------------------------------------------------------------------


def long_stream(T=40_000):
    """Features of very different scales: lanes that are not invariant have no chance."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(T, 5))
    y = X @ [1, -2, 3, 0.5, 0] + rng.logistic(size=T) > 0
    return X * [1e-3, 1e3, 1.0, 30.0, 1e-2], y


def test_hopeless_lanes_are_retired():
    X, y = long_stream()
    model, patient = Auto(), Auto(drift=1e-9)
    model.learn_many(X, y)
    patient.learn_many(X, y)
    lanes = model.lanes_
    gone = [lane for lane in lanes if lane.retired]
    assert len(gone) >= 4
    assert all(lane.weight == 0 and lane.examples in (16_000, 32_000) for lane in gone)
    assert not any(lane.retired for lane in patient.lanes_)
    best = min((lane for lane in lanes[:-1] if not lane.retired), key=lambda lane: lane.mean_loss)
    assert all(lane.mean_loss > best.mean_loss for lane in gone)
    # what they could have brought to the blend is at most 2e-6 an example and lane
    assert model.loss_ <= patient.loss_ + 20 * len(gone) + 2e-6 * len(y) * len(gone)
    assert model.certificate().holds
    assert model.certificate().bound == pytest.approx(math.log(EXPERTS))
    assert sum(lane.weight for lane in lanes) == pytest.approx(1.0)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_loss_of_a_retired_lane_is_that_until_then(labels):
    """That of the same lane of a learner that retires none; of several labels, the mean."""
    X, y = long_stream(16_500)
    y = np.where(X[:, 2] > 1, labels - 1, y.astype(int))
    weights = np.random.default_rng(0).choice([1.5, 2.5], len(y))
    model, patient = Auto(), Auto(drift=1e-9)
    for each, end in ((model, None), (patient, 16_000)):
        each.partial_fit(X[:end], y[:end], classes=range(labels), sample_weight=weights[:end])
    shown = [model.lanes_] if labels == 2 else list(model.lanes_.values())
    true = [patient.lanes_] if labels == 2 else list(patient.lanes_.values())
    gone = [k for k, lane in enumerate(shown[0]) if lane.retired]
    assert gone
    for k in gone:
        wanted = np.mean([lanes[k].loss for lanes in true])
        # the weight until then is taken to be its share of all; by chance it is 0.1% more or less
        for lanes in shown:
            assert lanes[k].loss == pytest.approx(wanted, rel=0.003)
            assert (lanes[k].examples, lanes[k].weight) == (16_000, 0.0)


@pytest.mark.parametrize("second_order", [False, True])
def test_retiring_does_not_depend_on_batches(tmp_path, second_order):
    X, y = long_stream()
    model = Auto(features="hashed", bits=4, second_order=second_order)
    parts = model.clone()
    model.learn_many(X, y)
    for first in range(0, len(y), 7001):
        parts.learn_many(X[first : first + 7001], y[first : first + 7001])
        parts.save(tmp_path / "m")
        parts = Auto.load(tmp_path / "m")
    assert parts.lanes_ == model.lanes_
    assert parts.decision_one(X[0]) == model.decision_one(X[0])


def test_a_space_is_retired_as_a_whole():
    """Its lanes share a sketch. Those in the space of the features have no chance here."""
    X, y = correlated(17_000, 8)
    X *= np.geomspace(1e-4, 1e4, 8)
    model = Auto(second_order=True)
    model.learn_many(X, y)
    plain, diagonal = model.lanes_[16:20], model.lanes_[20:24]
    assert all(lane.retired for lane in plain)
    assert not any(lane.retired for lane in diagonal)
    assert model.certificate().holds
    assert model.certificate().bound == pytest.approx(math.log(EXPERTS + SECOND))
    assert model.copy().decision_one(X[0]) == model.decision_one(X[0])


def test_conditioning_is_that_of_a_normal_distribution():
    """Without some lanes the blend is as if their coefficients had been known to be 0."""
    X, y = long_stream(16_001)
    model, oracle = Auto(), Mixture(len(_GRID), losses.get("logistic"))
    model.learn_one(X[0], y[0])
    oracle.learn(np.zeros(len(_GRID)), 2.0 * y[0] - 1, 1.0)
    for x, label in zip(X[1:16_000], y[1:16_000]):
        oracle.learn(model._model.lane_scores(rows.row(x)), 2.0 * label - 1, 1.0)
        model.learn_one(x, label)
    gone = [k for k, lane in enumerate(model.lanes_) if lane.retired]
    kept = [k for k in range(len(_GRID)) if k not in gone]
    assert gone
    given = np.linalg.solve(oracle.A[np.ix_(gone, gone)], oracle.a[gone])
    blend = oracle.a[kept] - oracle.A[np.ix_(kept, gone)] @ given
    lanes = model._model.lane_scores(rows.row(X[-1]))
    scores = np.append(lanes, blend @ np.clip(lanes, -15, 15))
    p, weights = 1 / (1 + np.exp(-scores)), model._model.mixing(0)["weights"]
    mixed = math.log((weights @ p) / (weights @ (1 - p)))
    assert model.decision_one(X[-1]) == pytest.approx(mixed, rel=1e-6)


# --- more than one mixture, and life ---------------------------------------------------------------


def test_three_labels_have_a_mixture_each():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    y = np.array(["a", "b", "c"])[(X @ rng.normal(size=(4, 3))).argmax(axis=1)]
    model = Auto()
    wrong = [model.step(x, label) != label for x, label in zip(X, y)]
    assert np.mean(wrong[150:]) < 0.2
    assert list(model.lanes_) == list(model.classes_)
    assert model.certificate().holds
    assert model.certificate().bound == pytest.approx(3 * math.log(EXPERTS))
    assert set(model.predict_proba_one(X[0])) == {"a", "b", "c"}


@pytest.mark.parametrize("second_order", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_each_mixture_is_that_of_its_label_against_the_rest(loss, second_order):
    """Lanes, regrets and bounds are those of three learners of two labels."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    unlearned = Auto(loss=loss, second_order=second_order)
    model = unlearned.clone().partial_fit(X, y, classes=[0, 1, 2])
    alone = [unlearned.clone().partial_fit(X, y == k, classes=[False, True]) for k in range(3)]
    for k, each in enumerate(alone):
        for one, other in zip(model.lanes_[k], each.lanes_, strict=True):
            assert (one.rule, one.rate, one.examples) == (other.rule, other.rate, 200)
            assert (one.loss, one.weight) == pytest.approx((other.loss, other.weight), abs=1e-5)
    both = model.certificate(), [each.certificate() for each in alone]
    assert both[0].regret == pytest.approx(sum(c.regret for c in both[1]), abs=1e-3)
    assert both[0].bound == pytest.approx(sum(c.bound for c in both[1]), rel=1e-5)


@pytest.mark.parametrize("second_order", [False, True])
def test_the_third_label_mirrors_the_two(second_order):
    """Two labels share a mixture; when a third comes, each goes on with it, one with its mirror."""
    X, y = STREAMS["plain"]
    model = Auto(second_order=second_order)
    model.learn_many(X, np.where(y > 0, "yes", "no"))
    score = model.decision_one(X[0])
    model.learn_one(X[1], "maybe")
    again = model.clone()
    again.learn_many(X, np.where(y > 0, "yes", "no"))
    again._add("maybe")
    np.testing.assert_allclose(again.decision_one(X[0])[:2], [-score, score], rtol=1e-12)


@pytest.mark.parametrize("second_order", [False, True])
def test_weights_are_the_mean_of_the_lanes(second_order):
    X, y = STREAMS["plain"]
    model = Auto(second_order=second_order)
    model.learn_many(X, y > 0)
    weights = np.array([model.weights_[k] for k in range(5)])
    assert weights @ [1, -2, 3, 0, 0] > 0.9 * np.linalg.norm(weights) * math.sqrt(14)
    score = model.decision_one(X[0])  # of probabilities, not of scores; near for small ones
    assert score * (weights @ X[0] + model.intercept_) > 0


@pytest.mark.parametrize(
    "options",
    [
        *({}, {"loss": "hinge"}, {"loss": "squared"}, {"drift": 0.1}, {"features": "hashed"}),
        *({"second_order": True}, {"second_order": True, "loss": "hinge", "features": "hashed"}),
    ],
)
def test_saved_and_loaded(options, tmp_path):
    X, y = STREAMS["growing"]
    model = Auto(**options)
    target = y if isinstance(model, AutoRegressor) else y > 0
    model.learn_many(X[:200], target[:200])
    model.save(tmp_path / "m")
    other = Auto.load(tmp_path / "m")
    assert type(other) is type(model)
    for each in (model, other):
        each.learn_many(X[200:], target[200:])
    assert other.decision_one(X[0]) == model.decision_one(X[0])
    assert other.lanes_ == model.lanes_
    Perceptron().save(tmp_path / "p")
    with pytest.raises(ValueError, match="not an Auto"):
        Auto.load(tmp_path / "p")


@pytest.mark.parametrize("second_order", [False, True])
def test_one_row_or_many_are_the_same(second_order):
    X, y = STREAMS["heavy tails"]
    one, many = Auto(second_order=second_order), Auto(second_order=second_order)
    for x, label in zip(X, y):
        one.learn_one(x, label > 0)
    many.learn_many(X, y > 0)
    assert one.lanes_ == many.lanes_
    assert one.decision_one(X[3]) == many.decision_one(X[3]) == many.decision_function(X[3:4])[0]


@pytest.mark.parametrize("second_order", [False, True])
def test_an_example_of_weight_0_is_not_there(second_order):
    X, y = STREAMS["plain"]
    with_it, without = Auto(second_order=second_order), Auto(second_order=second_order)
    for model in (with_it, without):
        model.learn_many(X, y > 0)
    with_it.learn_one({"new": 1.0}, True, 0.0)
    assert with_it.lanes_ == without.lanes_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drift": 1.0}, "drift=1.0 is outside"),
        ({"drift": -0.1}, "drift=-0.1 is outside"),
        ({"drift": 0.1, "loss": "hinge"}, "drift=0.1 needs the logistic or the squared loss"),
        ({"loss": "nobody"}, "loss='nobody'"),
        ({"second_order": "yes"}, "second_order='yes'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        Auto(**options).learn_one({"a": 1}, True)
    with pytest.raises(ValueError, match="shifts=1 needs drift"):
        Auto().certificate(shifts=1)
    for shifts in (-1, 1.5):
        with pytest.raises(ValueError, match=f"shifts={shifts} must be a whole number"):
            Auto(drift=0.1).certificate(shifts=shifts)


def test_nothing_learned():
    assert Auto().certificate().regret == 0
    assert Auto(drift=0.1).certificate(shifts=3).bound == 0
    assert Auto(drift=0.1)._paid(EXPERTS, 3) == math.log(EXPERTS)  # no round, no shift
    assert Auto().predict_one({"a": 1}) is None
    assert Auto(loss="squared").predict_one({"a": 1}) == 0
    assert [lane.weight for lane in Auto().lanes_] == pytest.approx([1 / EXPERTS] * EXPERTS)
