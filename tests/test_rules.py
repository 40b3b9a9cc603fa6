"""The compiled learners agree with the oracles of `reference`, round by round."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import losses as by_hand
from reference import streams
from reference.comparison import agree, weights_of
from reference.losses import CLASSIFICATION
from reference.pairs import EXACT, LOSSES, PAIRS, pnorm
from reference.streams import LINEAR, Stream, far_away
from scipy.sparse import csr_array

from regretless import _core, losses, rates, rules
from regretless.linear import (
    BalancedWinnow,
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
)

unhurried = settings(deadline=None, max_examples=120, derandomize=True)
every_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=str)


# -- one lane against the oracle ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "loss"), [(p, loss) for p in PAIRS.values() for loss in p.losses], ids=str
)
def test_agrees_on_seeded_streams(pair, loss):
    """Scores in every round and weights at the end, with every loss, importance weights among them."""
    for seed, intercept, make in ((0, True, streams.random), (1, False, streams.grid)):
        stream = make(loss, seed, rounds=60)
        learner, oracle = (
            pair.learner(loss, intercept=intercept),
            pair.reference(loss, 5 + intercept),
        )
        compared = agree(learner, oracle, stream, pair.tolerance)
        # on a grid scores meet kinks; and the Perceptron's is where sums of signs cancel
        assert compared == 60 or make is streams.grid or loss == "perceptron"
        if compared == 60:
            assert learner.loss_ == pytest.approx(oracle.suffered, rel=1e-5)


@pytest.mark.parametrize(
    "loss", ["hinge", "perceptron", "absolute", "quantile", "epsilon_insensitive"]
)
@pytest.mark.parametrize("name", EXACT)
def test_is_exact_on_a_grid(name, loss):
    """With multiples of 1/8 and rates that are powers of two nothing is rounded, kinks included."""
    pair = PAIRS[name]
    if loss in pair.losses:
        for seed in range(3):
            stream = streams.grid(loss, seed)
            learner, oracle = pair.learner(loss), pair.reference(loss, 6)
            assert agree(learner, oracle, stream, tolerance=0.0) == 150


@st.composite
def short_streams(draw):
    """Up to 14 rounds of up to 4 features on a grid, of which most are absent or repeated."""
    pair = draw(st.sampled_from(list(PAIRS.values())))
    loss = draw(st.sampled_from(pair.losses))
    rounds, dimension = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    values = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, -0.125, 0.25])
    X = draw(st.lists(values, min_size=rounds * dimension, max_size=rounds * dimension))
    targets = [-1, 1] if loss in CLASSIFICATION else [0.0, 1.0, -2.5, 0.125]
    y = draw(st.lists(st.sampled_from(targets), min_size=rounds, max_size=rounds))
    h = draw(st.lists(st.sampled_from([1.0, 0.0, 2.0, 0.5]), min_size=rounds, max_size=rounds))
    stream = Stream(np.array(X).reshape(rounds, dimension), np.array(y), np.array(h))
    return pair, loss, draw(st.booleans()), stream


@unhurried
@given(short_streams())
def test_agrees_on_any_short_stream(case):
    """Whatever small stream hypothesis can think of."""
    pair, loss, intercept, stream = case
    learner = pair.learner(loss, intercept=intercept)
    agree(learner, pair.reference(loss, stream.X.shape[1] + intercept), stream, pair.tolerance)


@pytest.mark.parametrize("pair", [p for p in PAIRS.values() if "absolute" in p.losses], ids=str)
def test_agrees_on_nasty_streams(pair):
    """Linear losses with any gradients: scales, gaps, cancellations, zero rows, sign flips."""
    for stream in LINEAR.values():
        learner, oracle = pair.learner("absolute"), pair.reference("absolute", 6)
        agree(learner, oracle, stream, 2 * pair.tolerance, every=7)


LONG = [
    "ogd-agile-constant-l1=0.01-l2=0.02",
    "ogd-agile-constant-radius=0.5",
    "ogd-agile-sqrt-l1=0.01",
    "ogd-lazy-sqrt-radius=0.5",
    "adagrad-l1=0.01-l2=0.02",
    "adagrad-invariant-l1=0.01-l2=0.02",
    "adagrad-scale_invariant",
    "adagrad-invariant-scale_invariant",
    "ftrl-beta=1.0-l1=0.01-l2=0.02",
    "coin-8.0",
    "pnorm-3.0-sqrt",
    "eg-None",
]


@pytest.mark.parametrize("name", LONG)
def test_agrees_for_ten_thousand_rounds(name):
    """Trackers, clocks and lazily applied factors do not drift."""
    pair, rounds = PAIRS[name], 10_000
    rng = np.random.default_rng(3)
    X = streams.single(
        rng.normal(size=(rounds, 4)) * (rng.random((rounds, 4)) < [1, 0.3, 0.01, 5e-4])
    )
    y = streams.single(X @ [1.0, -2.0, 0.5, 1.0] + rng.normal(size=rounds))
    stream = Stream(X, y, np.ones(rounds))
    learner, oracle = pair.learner("quantile"), pair.reference("quantile", 5)
    assert agree(learner, oracle, stream, 10 * pair.tolerance, every=97) == rounds


@pytest.mark.parametrize("p", [2.0, 2.5, 4.0, 7.0, 13.0, 30.0, 60.0, 100.0])
def test_pnorm_for_every_p(p):
    """Powers up to 100 neither overflow nor lose the small weights beside the large ones."""
    pair = pnorm(p)
    for loss in ("squared", "logistic"):
        learner, oracle = pair.learner(loss), pair.reference(loss, 6)
        agree(learner, oracle, streams.random(loss, 5), pair.tolerance)
    for name in ("there and back", "columns 1e-6 to 1e6", "values 1e-6 to 1e6"):
        learner, oracle = pair.learner("absolute"), pair.reference("absolute", 6)
        agree(learner, oracle, LINEAR[name], 2 * pair.tolerance, every=7)


@pytest.mark.parametrize("rate", [None, 0.125, 50.0])
def test_eg_with_exponents_beyond_any_float(rate):
    """e^{eta theta} overflows by far, in one step or in many, comes back, and changes its leader."""
    X = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    g = np.array([-(2.0**15), -(2.0**16), 2.0**17, 2.0**15, 1.0, -0.5])
    stream = far_away(np.tile(X, (6, 1)), np.tile(g, 6) * np.repeat([1, -1, 1, 1, -1, 1], 6))
    learner = LinearRegressor(loss="absolute", rule=rules.EG(4.0, rate))
    oracle = PAIRS["eg-None"].reference("absolute", 4)
    if rate:
        oracle.eta, oracle.fixed = rate, True
    # an error of half an ulp of theta = 2^17 in the exponent
    agree(learner, oracle, stream, 2e-5 if rate is None else rate * 2.0**-6)


def test_repeated_gradients_cancel_to_exactly_nothing():
    """theta back at 0 means weights back at 0, whatever was in between."""
    X = np.array([[1, 2, 0], [0, 3, 1], [1, 0, 8]], float)
    there = far_away(np.tile(X, (40, 1)), np.full(120, -1024.0))
    back = far_away(np.tile(X, (40, 1)), np.full(120, 1024.0))
    for rule in (
        rules.EG(4.0, 0.125),
        rules.EG(4.0),
        rules.PNorm(30.0, 0.01),
        rules.OGD(0.5, lazy=True),
    ):
        model = LinearRegressor(loss="absolute", rule=rule)
        for stream in (there, back):
            model.learn_many(stream.X, stream.y, stream.h)
        assert [*model.weights_.values(), model.intercept_] == [0.0] * 4


# -- several lanes against one --------------------------------------------------------------------

LANES = {
    "coin": rules.Coin(),
    "adagrad": rules.AdaGrad(0.25),
    "adagrad as published": rules.AdaGrad(0.25, invariant=False),
    "scale_invariant": rules.AdaGrad(0.25, scale_invariant=True),
    "ogd": rules.OGD(rates.InverseSqrt(0.25)),
    "ball": rules.OGD(0.25, radius=0.5),
    "lazy ball": rules.OGD(rates.InverseSqrt(0.5), radius=0.5, lazy=True),
    "invariant": rules.OGD(0.125, invariant=True),
    "ftrl": rules.FTRL(0.25),
    "pnorm": rules.PNorm(4.0, 0.125),
    "eg": rules.EG(4.0),
    "eg constant": rules.EG(4.0, 0.125),
}
PENALISED = ("adagrad", "adagrad as published", "ogd", "invariant", "ftrl")


def make_lanes():
    for name, rule in LANES.items():
        for loss in ("logistic", "squared_hinge", "perceptron"):
            yield f"{name}-{loss}", lambda r=rule, k=loss: LinearClassifier(rule=r, loss=LOSSES[k])
        if name in PENALISED:
            yield name + "-penalised", lambda r=rule: LinearClassifier(rule=r, l1=0.01, l2=0.02)
    for mode in ("exact", "I", "II"):
        yield f"passive_aggressive-{mode}", lambda m=mode: PassiveAggressive(mode=m)
    for average in ("none", "survival", "uniform", "vote"):
        yield f"perceptron-{average}", lambda a=average: Perceptron(average=a)
    yield "margin_perceptron", lambda: MarginPerceptron(margin=0.5)
    yield "pnorm_perceptron", PNormPerceptron
    yield "balanced_winnow", lambda: BalancedWinnow(radius=1.0)
    yield "svm", lambda: OnlineSVM(C=4.0)
    yield "svm-ball", lambda: OnlineSVM(C=0.25, rate=0.25, projection=True)


every_lane = pytest.mark.parametrize("make", [pytest.param(f, id=n) for n, f in make_lanes()])


def labelled(classes, rounds=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (rounds, 5)) / 8 * (rng.random((rounds, 5)) < 0.6)
    return X, rng.integers(0, classes, rounds), rng.choice([0.0, 0.5, 1.0, 2.0], rounds)


@every_lane
@pytest.mark.parametrize("classes", [3, 5, 9, 17])
def test_a_lane_per_class_is_a_learner_per_class(make, classes):
    """One against the rest: every column of scores is that of a binary learner, to the last bit."""
    X, y, h = labelled(classes)
    scores = make().partial_fit(X, y, np.arange(classes), h).decision_function(X)
    for k in range(classes):
        alone = make().partial_fit(X, (y == k) * 1, [0, 1], h).decision_function(X)
        np.testing.assert_allclose(scores[:, k], alone, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("rule", ["coin", "ftrl", "ball", "eg"])
def test_any_number_of_lanes(rule):
    """1 to 256 lanes, whatever the width of a vector: the first lanes do not depend on the others."""
    X, y, h = labelled(3, rounds=20)
    few = LinearClassifier(rule=LANES[rule]).partial_fit(X, y, [0, 1, 2], h).decision_function(X)
    for classes in [*range(4, 41), 63, 64, 65, 100, 127, 128, 129, 200, 255, 256]:
        model = LinearClassifier(rule=LANES[rule]).partial_fit(X, y, np.arange(classes), h)
        many = model.decision_function(X)
        assert many.shape == (20, classes)
        np.testing.assert_allclose(many[:, :3], few, rtol=1e-12, atol=1e-14)
        # the labels that never occur share one fate
        np.testing.assert_array_equal(many[:, 3:], np.tile(many[:, 3:4], classes - 3))


@every_lane
def test_a_class_that_comes_late_starts_afresh(make):
    """Its lane is that of a learner that begins there; the lane of two labels goes on as two."""
    X, y, _ = labelled(9, rounds=120)
    y = np.minimum(y, np.arange(120) // 9)  # label k does not occur before round 9 k
    model = make()
    for row, label in zip(X, y.tolist(), strict=True):
        model.learn_one(row, label)
    scores = model.decision_function(X)
    assert model.classes_[:2].tolist() == [0, 1]
    for k, label in enumerate(model.classes_.tolist()):
        first = np.flatnonzero(y == label)[0] if k > 1 else 0
        alone = make().partial_fit(np.zeros((0, 0)), [], [0, 1])
        if first and isinstance(getattr(alone, "rule", None), rules.Coin):
            continue  # it knows the scales of the features: below
        if isinstance(getattr(alone, "rule", None), rules.EG):
            # it counts the features seen before: they are shown, and what was taught is wiped out
            taught = alone.__getstate__()["_model"]["scalars"]
            alone.partial_fit(X[:first], np.zeros(first, int))
            state = alone.__getstate__()
            state["_model"] |= {"scalars": taught, "bank": 0 * state["_model"]["bank"]}
            alone.__setstate__(state)
        for row, here in zip(X[first:], y[first:].tolist(), strict=True):
            alone.learn_one(row, int(here == label))
        np.testing.assert_allclose(scores[:, k], alone.decision_function(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_coins_of_a_class_that_comes_late_know_the_scales(loss):
    """How large a feature can be is known of the feature, whichever classes there were."""
    X, y, _ = labelled(3, rounds=120)
    late = y == 2
    X[:40], y[:40] = 4 * X[:40], np.where(late[:40], 0, y[:40])
    first = int(np.flatnonzero(y == 2)[0])
    pair = PAIRS["coin-8.0"]
    model, oracle = LinearClassifier(loss=loss), pair.reference(loss, 6)
    oracle.largest = np.append(np.abs(X[:first]).max(axis=0), 1.0)
    for t, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
        model.learn_one(row, label)
        if t >= first:
            oracle.learn(np.append(row, 1.0), 1.0 if label == 2 else -1.0, 1.0)
    for row, score in zip(X, model.decision_function(X)[:, 2]):
        x = np.append(row, 1.0)
        w = oracle.weights(x)
        assert abs(score - w @ x) <= pair.tolerance * (np.abs(w) @ np.abs(x))


# -- one way of feeding against another -----------------------------------------------------------


@every_pair
def test_batches_are_rows_one_after_the_other(pair):
    """`learn_many`, dense or sparse, `learn_one` and `step` learn the same, bit for bit."""
    loss = pair.losses[0]
    stream = streams.random(loss, 2, rounds=40, density=0.3)
    stream.X[:5] = np.eye(5)[[3, 0, 0, 4, 1]]  # features come one after the other
    one, dense, sparse, stepped = (pair.learner(loss) for _ in range(4))
    dense.learn_many(stream.X, stream.y, stream.h)
    sparse.learn_many(csr_array(stream.X), stream.y, stream.h)
    for x, y, h in stream:
        one.learn_one(x, y, h)
        stepped.step(x, y, h)
    for other in (dense, sparse, stepped):
        assert weights_of(other, 5).tolist() == weights_of(one, 5).tolist()
        assert other.loss_ == one.loss_


@every_pair
def test_hashed_columns_are_exact_columns(pair):
    """Columns below 2^bits have rows of their own; EG, which counts them all, is another learner."""
    if pair.name.startswith(("eg", "balanced_winnow")):
        return
    loss = pair.losses[-1]
    stream = streams.random(loss, 3, rounds=50)
    exact, hashed = pair.learner(loss), pair.learner(loss, features="hashed", bits=4)
    for x, y, h in stream:
        assert hashed.decision_one(x) == exact.decision_one(x)
        exact.learn_one(x, y, h)
        hashed.learn_one(x, y, h)


@every_pair
def test_before_the_first_example_scores_are_zero(pair):
    """All weights start at 0, for every loss and any row."""
    for loss in pair.losses:
        assert pair.learner(loss).decision_one([1.0, -2.0, 1e6]) == 0.0


@every_pair
def test_a_round_of_weight_zero_teaches_nothing(pair):
    """And a weight of next to nothing next to nothing, also where the formulas divide 0 by 0."""
    for loss in pair.losses:
        learner = pair.learner(loss)
        learner.learn_one([1.0, -2.0], 1, 0.0)
        assert weights_of(learner, 2).tolist() == [0.0] * 3
        assert learner.loss_ == learner.examples_ == 0
        learner.learn_one([1.0, -2.0], 1, 1e-300)
        assert np.isfinite(weights_of(learner, 2)).all()


@every_pair
def test_a_copy_scores_as_the_original(pair):
    """Everything that a prediction depends on survives a pickle."""
    loss = pair.losses[0]
    stream = streams.random(loss, 4, rounds=30)
    learner = pair.learner(loss)
    learner.learn_many(stream.X, stream.y, stream.h)
    copy = pickle.loads(pickle.dumps(learner))
    for x, y, h in streams.random(loss, 5, rounds=10):
        assert copy.decision_one(x) == learner.decision_one(x)
        learner.learn_one(x, y, h)
        copy.learn_one(x, y, h)


def test_a_batch_without_rows_makes_no_features():
    """Columns that were named but never seen have no weights, and scores stay what they were."""
    for classifier in (False, True):
        model = LinearClassifier() if classifier else LinearRegressor()
        model.partial_fit(np.zeros((0, 50)), [], *([[0, 1]] if classifier else []))
        assert model.weights_ == {}
        assert model.decision_one(np.ones(50)) == 0.0


PARAMETERS = [
    (losses.Hinge(0.5), by_hand.hinge(0.5)),
    (losses.Hinge(3.0), by_hand.hinge(3.0)),
    (losses.SquaredHinge(0.5), by_hand.squared_hinge(0.5)),
    (losses.SquaredHinge(3.0), by_hand.squared_hinge(3.0)),
    (losses.Quantile(0.9), by_hand.quantile(0.9)),
    (losses.Power(2.5), by_hand.power(2.5)),
    (losses.EpsilonInsensitive(0.0), by_hand.epsilon_insensitive(0.0)),
    (losses.EpsilonInsensitive(2.0), by_hand.epsilon_insensitive(2.0)),
]


def known(learner):
    """A classifier is told its labels before the first example."""
    if hasattr(learner, "classes_"):
        learner.partial_fit(np.zeros((0, 0)), [], classes=[-1, 1])
    return learner


@pytest.mark.parametrize("name", ["ogd-agile-constant", "ogd-invariant-constant", "coin-8.0"])
@pytest.mark.parametrize(
    ("loss", "reference"), [pytest.param(*p, id=str(p[0])) for p in PARAMETERS]
)
def test_parameters_of_losses_reach_the_core(loss, reference, name):
    """Margin, quantile, power and tube, in the value, the derivative and the gradient flow."""
    rule = {"ogd": rules.OGD(0.0625, invariant="invariant" in name), "coin": rules.Coin()}
    kind = LinearClassifier if loss.classification else LinearRegressor
    learner = known(kind(loss=loss, rule=rule[name.partition("-")[0]]))
    oracle = PAIRS[name].oracle(6, reference)
    assert agree(learner, oracle, streams.random(loss.name, 6), 1e-5) == 150
    assert learner.loss_ == pytest.approx(oracle.suffered, rel=1e-5)


@pytest.mark.parametrize("margin", [0.5, 2.0])
def test_the_margin_of_passive_aggressive_steps(margin):
    """It is the margin of the hinge whose loss is made up for."""
    learner = known(PassiveAggressive(margin=margin, C=2.0))
    oracle = PAIRS["passive_aggressive-I-2.0"].oracle(6, by_hand.hinge(margin))
    agree(learner, oracle, streams.random("hinge", 6), 1e-5)


KINKS = [
    ("hinge", 1.0, 1),
    ("absolute", 1.0, -1.0),
    ("quantile", 4.0, 1.0),
    ("epsilon_insensitive", 1.0, 1.5),
]


@pytest.mark.parametrize(("loss", "rate", "y"), KINKS)
def test_nothing_is_learned_at_a_kink(loss, rate, y):
    """One step leads exactly to the kink, where the derivative is 0."""
    kind = LinearClassifier if loss in CLASSIFICATION else LinearRegressor
    learner = known(kind(loss=LOSSES[loss], rule=rules.OGD(rate), intercept=False))
    oracle = PAIRS["ogd-agile-constant"].reference(loss, 1)
    oracle.rate = lambda t: rate
    stream = Stream(np.ones((3, 1)), np.array([y] * 3), np.ones(3))
    assert agree(learner, oracle, stream, tolerance=0.0) == 3
    assert abs(learner.weights_[0]) == 1.0


@pytest.mark.parametrize("loss", LOSSES)
def test_a_score_that_is_no_number_is_reported(loss):
    """Weights of +inf and -inf: the learner says so instead of learning nothing for ever."""
    kind = LinearClassifier if loss in CLASSIFICATION else LinearRegressor
    learner = known(kind(loss=LOSSES[loss], rule=rules.OGD(1e38)))
    X = np.tile([[100.0, -100.0], [1.0, 1.0]], (3, 1))
    with pytest.raises(_core.Diverged):
        learner.learn_many(X, np.ones(6))


@pytest.mark.parametrize("flow", [False, True])
def test_features_that_share_a_row_are_added_up(flow):
    """Two rows for seven columns: the model is that of the two sums."""
    random, eta = np.random.default_rng(4), 0.3
    rule = rules.AdaGrad(eta, invariant=flow)
    model = LinearClassifier(rule=rule, features="hashed", bits=1, intercept=False)
    w, squares = np.zeros(2), np.zeros(2)
    for t in range(20):
        seven, y = random.normal(size=7), t % 2
        x = np.array([seven[::2].sum(), seven[1::2].sum()])
        score = float(w @ x)
        g = 1 / (1 + math.exp(-score)) - y
        squares += (g * x) ** 2
        moves = eta * x / np.sqrt(squares)  # of a unit step
        step = g
        if flow:
            step = LOSSES["logistic"].invariant_step(score, 2 * y - 1, 1.0, float(x @ moves))
        w -= step * moves
        model.learn_one(dict(enumerate(seven.tolist())), y)
    # 140 float additions, each off by at most 2^-24 of weights below 1
    assert [model.weights_[0], model.weights_[1]] == pytest.approx(w, abs=140 * 2.0**-24)
