"""The learners as River estimators: River's own checks, and life in River's company."""

import copy
import functools
import inspect
import pickle
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

pytest.importorskip("river")
pd = pytest.importorskip("pandas")

from river import (  # noqa: E402
    base,
    checks,
    compose,
    datasets,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    model_selection,
    multiclass,
    preprocessing,
    stats,
    utils,
)

from regretless import boosting, linear, newton, rules  # noqa: E402
from regretless import river as facade  # noqa: E402

CLASSIFIERS = [  # but for Winnow, which refuses the features of River's checks
    facade.AutoClassifier,
    facade.LinearClassifier,
    facade.Perceptron,
    facade.PassiveAggressive,
    facade.MarginPerceptron,
    facade.PNormPerceptron,
    facade.BalancedWinnow,
    facade.OnlineSVM,
    facade.KernelPerceptron,
    facade.PrimalDual,
    facade.NewtonClassifier,
    facade.AdaBoostOL,
    facade.OnlineBBM,
    facade.OSBoost,
    facade.OSBoostOCP,
    facade.Tree,
    facade.Forest,
]
REGRESSORS = [
    facade.AutoRegressor,
    facade.LinearRegressor,
    facade.PassiveAggressiveRegressor,
    facade.NewtonRegressor,
    facade.TreeRegressor,
    facade.ForestRegressor,
]
LEARNERS = CLASSIFIERS + REGRESSORS
RULES = list(rules.RULES)
VARIANTS = [cls(**options) for cls in LEARNERS for options in cls._unit_test_params()]
FIRST = [cls(**next(iter(cls._unit_test_params()))) for cls in LEARNERS]


def stream(model, size):
    """The first examples of a bundled data set that suits the learner."""
    classifies = isinstance(model, base.Classifier)
    return list((datasets.ImageSegments() if classifies else datasets.TrumpApproval()).take(size))


def plain_class(cls):
    """The same learner without River."""
    rooms = (linear, newton, boosting)
    return next(getattr(room, cls.__name__) for room in rooms if hasattr(room, cls.__name__))


def plain(model):
    """The same, with the same options."""
    return plain_class(type(model))(**model.get_params())


def predictions(model, xs):
    return [(model.predict_one(x), model.decision_one(x)) for x in xs]


# --- River's own checks --------------------------------------------------------------------------


@pytest.mark.parametrize("model", FIRST, ids=repr)
def test_river_checks(model):
    checks.check_estimator(model)


@pytest.mark.parametrize(
    "model", [m for m in VARIANTS if repr(m) not in map(repr, FIRST)], ids=repr
)
def test_river_checks_of_variants(model):
    """All checks on shorter streams, without the one of memory after thousands of examples."""
    for check in checks.yield_checks(model):
        if check.__name__ in {"check_bounded_memory_growth", *model._unit_test_skips()}:
            continue
        if isinstance(check, functools.partial):
            check.func(model.clone(), dataset=islice(check.keywords["dataset"], 60))
        else:
            check(model.clone())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cls", [facade.LinearClassifier, facade.LinearRegressor])
def test_river_checks_in_a_pipeline(cls, rule):
    """Scaled data suit every rule at its default rate."""
    model = preprocessing.StandardScaler() | cls(rule=rule)
    for check in checks.yield_checks(model):
        if check.__name__ in ("check_learn_one", "check_shuffle_features_no_impact"):
            check(model.clone())


@pytest.mark.parametrize("cls", LEARNERS)
def test_what_a_learner_is(cls):
    ours = plain_class(cls)
    river = base.MiniBatchClassifier if cls in CLASSIFIERS else base.MiniBatchRegressor
    assert issubclass(cls, ours)
    assert issubclass(cls, river)
    assert inspect.signature(cls) == inspect.signature(ours)
    skipped = {"check_shuffle_features_no_impact"} if hasattr(newton, cls.__name__) else set()
    assert cls()._unit_test_skips() == skipped
    assert getattr(cls(), "_multiclass", True) is True
    assert str(cls()) == cls.__name__


@pytest.mark.parametrize("cls", [facade.NewtonClassifier, facade.NewtonRegressor])
def test_the_order_of_features_is_rounding(cls):
    """River's check allows 1e-6 of a prediction, which inverses of single precision exceed."""
    one, other = cls(), cls()
    rng = np.random.default_rng(0)
    data = datasets.Phishing() if cls is facade.NewtonClassifier else datasets.TrumpApproval()
    for x, y in data.take(200):
        shuffled = {name: x[name] for name in rng.permutation(list(x)).tolist()}
        score = one.decision_one(x)
        assert other.decision_one(shuffled) == pytest.approx(score, rel=1e-3, abs=1e-3)
        one.learn_one(x, y)
        other.learn_one(shuffled, y)


# --- the same numbers as without River -----------------------------------------------------------


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_same_numbers_as_without_river(model):
    ours, model = plain(model), model.clone()
    examples = stream(model, 100)
    for x, y in examples:
        assert model.step(x, y) == ours.step(x, y)
    assert predictions(model, [x for x, _ in examples]) == predictions(
        ours, [x for x, _ in examples]
    )
    assert model.loss_ == ours.loss_


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_batches_learn_like_single_examples(model):
    """Exactly, whatever the size of the batches, and with labels and features that turn up late."""
    examples = stream(model, 150)
    for t, (x, _) in enumerate(examples):
        x["late"] = float(t % 3) if t > 70 else 0.0
        x["kind"] = "abc"[t % 3]
    X = pd.DataFrame([x for x, _ in examples], index=range(1000, 1150))
    y = pd.Series([y for _, y in examples])
    one, many = model.clone(), model.clone()
    for x, label in examples:
        one.learn_one(x, label)
    for start, stop in [(0, 1), (1, 8), (8, 100), (100, 150)]:
        many.learn_many(X[start:stop], y[start:stop])
    assert predictions(one, [x for x, _ in examples]) == predictions(many, [x for x, _ in examples])
    assert one.loss_ == many.loss_

    assert many.predict_many(X).tolist() == [one.predict_one(x) for x, _ in examples]
    assert many.predict_many(X).index.equals(X.index)


def test_weights_of_a_batch():
    examples = stream(facade.LinearRegressor(), 50)
    weights = np.linspace(0.5, 2, 50)
    one, many = facade.LinearRegressor(), facade.LinearRegressor()
    for (x, y), w in zip(examples, weights, strict=True):
        one.learn_one(x, y, w)
    many.learn_many(
        pd.DataFrame([x for x, _ in examples]), pd.Series([y for _, y in examples]), weights
    )
    assert predictions(one, [x for x, _ in examples]) == predictions(many, [x for x, _ in examples])


def test_probabilities_of_a_batch():
    model = facade.LinearClassifier()
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 0.0]}, index=[7, 8, 9])
    assert model.predict_proba_many(X).shape == (3, 0)
    assert model.predict_many(X).tolist() == [None] * 3
    labels = [("a", 1), ("b", 2), ("c", 3)]  # tuples are labels, not two levels of columns
    model.learn_many(X, labels)
    table = model.predict_proba_many(X)
    assert list(table.columns) == labels
    assert table.columns.nlevels == 1
    assert list(table.index) == [7, 8, 9]
    for k, x in enumerate(X.to_dict("records")):
        assert table.iloc[k].to_dict() == pytest.approx(model.predict_proba_one(x))
    assert table.sum(axis=1).to_list() == pytest.approx([1, 1, 1])


# --- in River's company --------------------------------------------------------------------------


def score_by_hand(transform, model, data, metric):
    """`progressive_val_score`, with the learner that knows nothing of River behind the transformer."""
    for x, y in data:
        if (guess := model.predict_one(transform.transform_one(x))) is not None:
            metric.update(y, guess)
        transform.learn_one(x)
        model.learn_one(transform.transform_one(x), y)
    return metric.get()


@pytest.mark.parametrize("cls", LEARNERS)
def test_progressive_val_score(cls):
    data = stream(cls(), 400)
    metric = metrics.Accuracy() if cls in CLASSIFIERS else metrics.MAE()
    score = evaluate.progressive_val_score(data, cls(), metric).get()
    assert score == score_by_hand(
        compose.FuncTransformer(dict), plain_class(cls)(), data, type(metric)()
    )


@pytest.mark.parametrize("cls", LEARNERS)
def test_scaler(cls):
    data = datasets.Phishing() if cls in CLASSIFIERS else datasets.TrumpApproval()
    metric = metrics.Accuracy() if cls in CLASSIFIERS else metrics.MAE()
    model = preprocessing.StandardScaler() | cls()
    score = evaluate.progressive_val_score(data, model, metric).get()
    by_hand = score_by_hand(
        preprocessing.StandardScaler(), plain_class(cls)(), data, type(metric)()
    )
    assert score == by_hand
    assert score > 0.8 if cls in CLASSIFIERS else score < 2


def test_mini_batches_through_a_pipeline():
    """A scaler sees a whole batch before the learner does: the learner takes what it is given."""
    examples = stream(facade.LinearClassifier(), 120)
    X, y = pd.DataFrame([x for x, _ in examples]), pd.Series([y for _, y in examples])
    model = preprocessing.StandardScaler() | facade.LinearClassifier()
    scaler, ours = preprocessing.StandardScaler(), linear.LinearClassifier()
    for part in (slice(0, 40), slice(40, 120)):
        model.learn_many(X[part], y[part])
        scaler.learn_many(X[part])
        ours.learn_many(scaler.transform_many(X[part]), y[part])
    assert model.predict_many(X).tolist() == ours.predict(scaler.transform_many(X)).tolist()
    assert model.predict_proba_many(X).to_numpy() == pytest.approx(
        ours.predict_proba(scaler.transform_many(X))
    )


TEXTS = [
    ("win a free prize now", "spam"),
    ("free offer inside, win now", "spam"),
    ("meeting moved to noon", "ham"),
    ("notes of the meeting attached", "ham"),
] * 5


def test_bag_of_words():
    model = feature_extraction.BagOfWords() | facade.LinearClassifier()
    for text, label in TEXTS:
        model.learn_one(text, label)
    assert model.predict_one("a free prize") == "spam"
    assert model.predict_one("the next meeting") == "ham"
    weights = model["LinearClassifier"].weights_
    assert weights["free"] > 0 > weights["meeting"]


def test_one_hot_equals_plain_strings():
    """River needs an encoder for strings; these learners do without, and learn the same."""
    encoded = preprocessing.OneHotEncoder() | facade.LinearClassifier()
    model = facade.LinearClassifier()
    rows = [
        ({"colour": "red", "size": "big"}, True),
        ({"colour": "blue", "size": "big"}, False),
    ] * 10
    for x, y in rows:
        encoded.learn_one(x, y)
        model.learn_one(x, y)
    for x, _ in rows[:2]:
        # the encoder's order of features is its own, and with it the rounding of the score
        p = pytest.approx(model.predict_proba_one(x), rel=1e-12)
        assert encoded.predict_proba_one(x) == p


def test_union_of_numbers_and_aggregates():
    model = (
        compose.Select("gallup")
        + feature_extraction.TargetAgg(by=["weekday"], how=stats.Mean())
        + (compose.Select("ordinal_date") | preprocessing.StandardScaler())
    ) | facade.LinearRegressor()
    metric = metrics.MAE()
    for x, y in datasets.TrumpApproval():
        x["weekday"] = str(x["ordinal_date"] % 7)
        metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    assert metric.get() < 2
    assert isinstance(model["LinearRegressor"], linear.LinearRegressor)
    assert len(model["LinearRegressor"].weights_) == 3


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda m: ensemble.BaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.AdaBoostClassifier(m, n_models=3, seed=1),
        multiclass.OneVsRestClassifier,
        lambda m: ensemble.VotingClassifier([m, m.clone()]),
    ],
    ids=["bagging", "boosting", "one-vs-rest", "voting"],
)
def test_ensembles(cls, wrap):
    model = preprocessing.StandardScaler() | wrap(cls())
    score = evaluate.progressive_val_score(stream(cls(), 300), model, metrics.Accuracy())
    # seven classes; a tree waits for 40 examples before it splits
    assert score.get() > (0.35 if cls is facade.Tree else 0.5)


def test_bagging_of_regressors():
    model = ensemble.BaggingRegressor(facade.LinearRegressor(), n_models=3, seed=1)
    score = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    assert score.get() < 2


def test_model_selection():
    grid = utils.expand_param_grid(
        preprocessing.StandardScaler() | facade.LinearRegressor(rule="adagrad", loss="absolute"),
        {"LinearRegressor": {"rate": [1e-6, 1.0], "loss": ["absolute", "quantile"]}},
    )
    assert [m["LinearRegressor"].rate for m in grid] == [1e-6, 1e-6, 1.0, 1.0]
    assert all(m["LinearRegressor"].rule == "adagrad" for m in grid)
    model = model_selection.GreedyRegressor(grid, metric=metrics.MAE())
    for x, y in datasets.TrumpApproval():
        model.learn_one(x, y)
    assert model.best_model["LinearRegressor"].rate == 1.0

    halving = model_selection.SuccessiveHalvingClassifier(
        [facade.LinearClassifier(rule="ftrl", rate=rate) for rate in (1e-9, 0.1, 1.0)],
        metric=metrics.LogLoss(),
        budget=300,
    )
    for x, y in datasets.Phishing().take(600):
        halving.learn_one(x, y)
    assert halving.best_model.rate != 1e-9


# --- copies, memory, files -----------------------------------------------------------------------


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_clone(model):
    model = model.clone()
    examples = stream(model, 60)
    xs = [x for x, _ in examples]
    for x, y in examples[:40]:
        model.learn_one(x, y)
    before = predictions(model, xs)

    fresh = model.clone()
    assert repr(fresh.get_params()) == repr(model.get_params())
    assert fresh.examples_ == 0
    assert fresh.predict_one(xs[0]) == (None if isinstance(model, base.Classifier) else 0.0)

    pickled = pickle.loads(pickle.dumps(model))
    copies = [model.clone(include_attributes=True), copy.deepcopy(model), pickled]
    for each in copies:
        assert predictions(each, xs) == before
    for x, y in examples[40:]:
        copies[0].learn_one(x, y)
        copies[1].learn_one(x, y)
    assert predictions(model, xs) == before
    assert predictions(copies[2], xs) == before
    assert predictions(copies[0], xs) == predictions(copies[1], xs) != before


def test_clone_with_other_options_keeps_what_was_learned():
    model = facade.PassiveAggressive(C=1.0)
    model.learn_one({"a": 1.0}, "yes")
    model.learn_one({"a": -1.0}, "no")
    changed = model.clone({"C": 0.25}, include_attributes=True)
    assert changed.C == 0.25
    assert changed.decision_one({"a": 1.0}) == model.decision_one({"a": 1.0})
    assert model.clone({"C": 0.25}).predict_one({"a": 1.0}) is None


def test_memory_of_the_compiled_model_counts():
    model = preprocessing.StandardScaler() | facade.LinearClassifier(features="hashed", bits=16)
    empty = model._raw_memory_usage
    model.learn_one({"a": 1.0}, True)
    assert model._raw_memory_usage - empty > 4 * 2**16
    narrow = facade.LinearClassifier()
    narrow.learn_one({"a": 1.0}, True)
    assert narrow._raw_memory_usage < 20_000


@pytest.mark.parametrize("cls", LEARNERS)
def test_files_are_shared_with_the_plain_learners(cls, tmp_path):
    model = cls()
    examples = stream(model, 50)
    for x, y in examples:
        model.learn_one(x, y)
    model.save(tmp_path / "model")
    ours = plain_class(cls).load(tmp_path / "model")
    assert predictions(ours, [x for x, _ in examples]) == predictions(
        model, [x for x, _ in examples]
    )
    ours.save(tmp_path / "back")
    again = cls.load(tmp_path / "back")
    assert type(again) is cls
    assert predictions(again, [x for x, _ in examples]) == predictions(
        model, [x for x, _ in examples]
    )


# --- River is optional ---------------------------------------------------------------------------


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_river_is_not_imported_unless_asked_for():
    out = run(
        "import sys, regretless, regretless.linear\n"
        "print(sorted({'river', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    assert (out.stdout.strip(), out.returncode) == ("[]", 0), out.stderr


def test_river_missing():
    out = run("import sys; sys.modules['river'] = None; import regretless.linear, regretless.river")
    assert out.returncode == 1
    assert "ImportError" in out.stderr.splitlines()[-1]
    assert 'pip install "regretless[river]"' in out.stderr.splitlines()[-1]


def test_winnow_in_a_pipeline():
    """Features in [0, 1] are what it takes: bits of text, or scaled ones."""
    model = feature_extraction.BagOfWords() | preprocessing.Binarizer() | facade.Winnow()
    for text, y in [("free offer", True), ("meeting at noon", False), ("free lunch", True)] * 5:
        model.learn_one(text, y)
    assert model.predict_one("a free prize") is True
    assert model.predict_one("a meeting") is False
    mine, theirs = linear.Winnow(), facade.Winnow()
    for x, y in datasets.Phishing().take(200):  # its features are 0, 1/2 and 1
        assert mine.step(x, y) == theirs.step(x, y)
    assert mine.weights_ == theirs.clone(include_attributes=True).weights_
