"""Batch boosting in use: labels, weights, other weak learners, files, scikit-learn, bad input."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from regretless import boosting, plots
from regretless.boosting import AdaBoost, FittedStump, NHBoost, NHBoostDT

BOOSTERS = [AdaBoost, NHBoost, NHBoostDT]
boosters = pytest.mark.parametrize("cls", BOOSTERS)


@pytest.fixture(scope="module")
def data():
    """Features of 0, 1 and more, and labels of two kinds, a tenth of them wrong."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (150, 6)).astype(float)
    score = X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=150)
    return X, np.where(score > 1, "yes", "no")


@pytest.fixture(scope="module")
def three(data):
    X, _ = data
    return X, np.array(["a", "b", "c"])[np.minimum(X[:, 0] + (X[:, 1] > 1), 2).astype(int)]


# --- labels --------------------------------------------------------------------------------------


@boosters
@pytest.mark.parametrize(
    "labels", [(0, 1), (-1.5, 2.5), (False, True), ("no", "yes"), ((1,), (2,))]
)
def test_labels_of_any_kind(cls, data, labels):
    X, y = data
    expected = cls(rounds=10).fit(X, y)
    named = [labels[k] for k in (y == "yes").astype(int)]
    model = cls(rounds=10).fit(X, named)
    assert model.classes_.tolist() == list(labels)
    assert np.array_equal(model.decision_function(X), expected.decision_function(X))
    assert model.predict(X).tolist() == [labels[int(k)] for k in expected.predict(X) == "yes"]
    assert model.stumps_[0].below in labels
    assert np.array_equal(model.margins(X, named), expected.margins(X, y))


@boosters
def test_more_labels_are_one_against_the_rest(cls, three):
    X, y = three
    model = cls(rounds=20).fit(X, y)
    scores = model.decision_function(X)
    for k, label in enumerate("abc"):
        alone = cls(rounds=20).fit(X, y == label)
        assert np.array_equal(alone._votes(X), scores[:, k])
        assert np.array_equal(alone.errors_, model.errors_[label])
        assert np.array_equal(alone.edges_, model.edges_[label])
        assert {s.below for s in model.stumps_[label]} <= {None, label}
        assert model.certificate(label).bound == alone.certificate().bound
    assert np.array_equal(model.predict(X), np.array(list("abc"))[scores.argmax(axis=1)])
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    margins = model.margins(X, y)
    assert np.abs(margins).max() <= 1
    assert np.array_equal(margins > 0, model.predict(X) == y) or (margins == 0).any()
    with pytest.raises(ValueError, match=r"label=None: give one of \['a', 'b', 'c'\]"):
        model.certificate()


@boosters
def test_scores_shares_and_margins_say_the_same(cls, data):
    X, y = data
    model = cls(rounds=20).fit(X, y)  # an even number: votes may be level
    scores, votes = model.decision_function(X), model._votes(X)
    assert np.array_equal(model.predict(X) == "yes", scores > 0)
    assert np.array_equal(scores > 0, votes >= 0)
    shares = model.predict_proba(X)
    assert np.array_equal(shares.argmax(axis=1), (scores > 0).astype(int))
    np.testing.assert_allclose(shares[:, 1], (1 + votes) / 2, atol=1e-15)
    signs = np.where(y == "yes", 1, -1)
    assert np.array_equal(model.margins(X, y), signs * votes)
    values, below = model.margin_distribution(X, y)
    assert below[-1] == 1.0
    assert np.array_equal(below, [np.mean(signs * votes <= v) for v in values])
    assert (np.diff(values) > 0).all()
    assert model.score(X, y) == pytest.approx(1 - model.errors_[-1])
    by_hand = sum(
        a * np.where(X[:, s.feature] <= s.threshold, s.below, s.above)
        for a, s in zip(model.alphas_, model._ensembles[0].hypotheses)
    )
    np.testing.assert_allclose(votes, by_hand / model.alphas_.sum(), atol=1e-14)


# --- weights of examples -------------------------------------------------------------------------


@boosters
def test_a_weight_of_2_is_an_example_that_is_there_twice(cls, data):
    """Up to rounding, which decides no tie: for all three rules, whose sums are over examples."""
    X, y = data
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    model = cls(rounds=30).fit(X, y, sample_weight=weights)
    repeated = cls(rounds=30).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    kept = weights > 0
    assert model.stumps_ == repeated.stumps_
    for name in ("edges_", "errors_", "alphas_"):
        np.testing.assert_allclose(
            getattr(model, name), getattr(repeated, name), rtol=1e-9, atol=1e-12
        )
    scaled = cls(rounds=30).fit(X[kept], y[kept], sample_weight=weights[kept] * 8.0)
    assert scaled.stumps_ == model.stumps_
    np.testing.assert_allclose(scaled.decision_function(X), model.decision_function(X), rtol=1e-12)
    assert model.certificate().error == pytest.approx(repeated.certificate().error)
    assert model.score(X, y, weights) == pytest.approx(1 - model.errors_[-1])


# --- frames, other weak learners -----------------------------------------------------------------


@boosters
def test_data_frames(cls, data):
    pd = pytest.importorskip("pandas")
    X, y = data
    colour = np.array(["red", "green", "blue"])[X[:, 0].astype(int)]
    frame = pd.DataFrame({"colour": colour, "size": X[:, 1], "age": X[:, 2]})
    model = cls(rounds=20).fit(frame, y)
    assert {s.feature for s in model.stumps_} <= {
        None, "colour=red", "colour=green", "colour=blue", "size", "age",
    }  # fmt: skip
    hot = np.column_stack([colour == c for c in dict.fromkeys(colour)] + [X[:, 1], X[:, 2]])
    plain = cls(rounds=20).fit(hot, y)
    assert np.array_equal(model.decision_function(frame), plain.decision_function(hot))
    mixed = frame[["age", "colour", "size"]]
    assert np.array_equal(model.predict(mixed), model.predict(frame))
    part = frame[frame["colour"] == "red"]  # other strings are not there
    assert np.array_equal(model.predict(part), model.predict(frame)[frame["colour"] == "red"])
    with pytest.raises(ValueError, match="X has 2 columns, colour, size; it was fitted on 3"):
        model.predict(frame[["colour", "size"]])
    with pytest.raises(
        ValueError, match="X has 3 columns, colour, size, years; it was fitted on 3"
    ):
        model.predict(frame.rename(columns={"age": "years"}))
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=2, random_state=0)
    deeper = cls(rounds=5, weak=tree).fit(frame, y)
    assert np.array_equal(deeper.predict(mixed), deeper.predict(frame))
    for each in ("red", "blue"):
        alone = frame["colour"] == each
        assert np.array_equal(deeper.predict(frame[alone]), deeper.predict(frame)[alone])


def test_any_classifier_can_be_weak(data):
    tree = pytest.importorskip("sklearn.tree")
    X, y = data
    for form in (np.asarray, sparse.csr_array):
        model = NHBoostDT(rounds=15, weak=tree.DecisionTreeClassifier(max_depth=2, random_state=0))
        model.fit(form(X), y)
        assert model.score(form(X), y) == pytest.approx(1 - model.errors_[-1])
        assert isinstance(model.stumps_[0], tree.DecisionTreeClassifier)
        assert model.certificate().holds
        assert model.errors_[-1] < NHBoostDT(rounds=15).fit(X, y).errors_[-1]


def test_adaboost_is_that_of_scikit_learn(data):
    """Given the same stumps (its trees are grown by impurity, ours by error): all rounds agree."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    tree = pytest.importorskip("sklearn.tree")
    X = np.random.default_rng(1).normal(size=(150, 4))
    y = np.where(X.sum(axis=1) + np.random.default_rng(2).normal(size=150) > 0, 1, -1)
    weak = tree.DecisionTreeClassifier(max_depth=1, random_state=0)
    ours = AdaBoost(rounds=40, weak=weak).fit(X, y)
    theirs = ensemble.AdaBoostClassifier(weak, n_estimators=40, random_state=0).fit(X, y)
    np.testing.assert_allclose(0.5 - ours.edges_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(2 * ours.alphas_, theirs.estimator_weights_, rtol=1e-9)
    staged = [np.mean(p != y) for p in theirs.staged_predict(X)]
    np.testing.assert_allclose(ours.errors_, staged, atol=1e-12)
    # and in the first round no stump has a smaller error than ours
    assert AdaBoost(rounds=1).fit(X, y).errors_[0] <= staged[0]


# --- copies and files ----------------------------------------------------------------------------


@boosters
@pytest.mark.parametrize("labels", ["two", "three"])
def test_copies_and_files(cls, data, three, labels, tmp_path):
    X, y = data if labels == "two" else three
    model = cls(rounds=12).fit(X, y)
    model.save(tmp_path / "model")
    label = None if labels == "two" else "b"
    for copied in (pickle.loads(pickle.dumps(model)), cls.load(tmp_path / "model")):
        assert copied.get_params() == model.get_params()
        assert copied.stumps_ == model.stumps_
        assert np.array_equal(copied.decision_function(X), model.decision_function(X))
        assert np.array_equal(copied.predict(X), model.predict(X))
        assert copied.certificate(label) == model.certificate(label)
        assert copied.certificate(label).bound == model.certificate(label).bound
        assert np.array_equal(copied.certificate(label).margins, model.certificate(label).margins)
    fresh = model.clone()
    with pytest.raises(ValueError, match="call fit first"):
        fresh.predict(X)
    assert fresh.fit(X, y).stumps_ == model.stumps_  # the same data, the same learner


def test_files_that_are_not_sound(data, tmp_path):
    from regretless.base import persistence

    X, y = data
    path = tmp_path / "model"
    AdaBoost(rounds=5).fit(X, y).save(path)
    with pytest.raises(ValueError, match="holds an AdaBoost, not a NHBoost"):
        NHBoost.load(path)
    description, arrays = persistence.read(path)
    for name in arrays:
        persistence.write(path, description, {k: v for k, v in arrays.items() if k != name})
        with pytest.raises(ValueError, match="is damaged"):
            AdaBoost.load(path)
    sides, alphas = "ensembles.0.sides", "ensembles.0.alphas"
    for name, value in ((sides, arrays[sides] * 2), (alphas, arrays[alphas][:-1])):
        persistence.write(path, description, arrays | {name: value})
        with pytest.raises(ValueError, match="is damaged"):
            AdaBoost.load(path)
    for name in ("labels", "ensembles", "sources", "options"):
        persistence.write(path, {k: v for k, v in description.items() if k != name}, arrays)
        with pytest.raises(ValueError, match="is damaged"):
            AdaBoost.load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is not a model file"):
        AdaBoost.load(path)
    with pytest.raises(ValueError, match="call fit first"):
        AdaBoost().save(path)
    with pytest.raises(ValueError, match=r"labels.* cannot be saved"):
        AdaBoost(rounds=2).fit(X, [b"no" if label == "no" else b"yes" for label in y]).save(path)
    with pytest.raises(ValueError, match="which holds no code"):
        AdaBoost(rounds=2, weak=_Constant()).fit(X, y).save(path)


class _Constant:
    def fit(self, X, y, sample_weight):
        self.label = y[0]

    def predict(self, X):
        return np.full(X.shape[0], self.label)


def test_options():
    model = NHBoostDT(rounds=7)
    assert repr(model) == "NHBoostDT(rounds=7)"
    assert repr(NHBoost()) == "NHBoost()"
    assert model.set_params(rounds=3).get_params() == {"rounds": 3, "weak": None}
    with pytest.raises(ValueError, match="'round' is not an option of NHBoostDT"):
        model.set_params(round=3)
    assert set(boosting.__all__) >= {"AdaBoost", "NHBoost", "NHBoostDT"}
    assert repr(FittedStump(None, 0.0, "a", "a")) == "FittedStump: 'a'"


def test_pictures_of_margins(data, three):
    X, y = data
    models = {"$a$": AdaBoost(rounds=5).fit(X, y), "b": NHBoostDT(rounds=5).fit(X, y)}
    left, right = plots.margin_curves(models, X, y, title="some").axes
    assert left.get_title(loc="left") == "Margins, some"
    for line, model in zip(left.lines, models.values()):
        at, share = line.get_data()
        assert (at[0], share[0], at[-1], share[-1]) == (-1.0, 0.0, 1.0, 1.0)
        assert np.array_equal(at[1:-1], model.margin_distribution(X, y)[0])
    assert np.array_equal(right.lines[1].get_ydata(), models["b"].zero_weights_)
    with pytest.raises(ValueError, match="boosters is empty"):
        plots.margin_curves({}, X, y)
    with pytest.raises(ValueError, match="m has 3 labels: two are drawn"):
        plots.margin_curves({"m": AdaBoost(rounds=2).fit(*three)}, *three)
    with pytest.raises(ValueError, match="must end in"):
        plots.margin_curves(models, X, y, "margins.pdf")


# --- bad input -----------------------------------------------------------------------------------

GOOD = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
BAD = {
    "rounds=0 must be a whole number of at least 1": (0, GOOD, [0, 1, 1], None),
    "rounds=2.5 must be a whole number": (2.5, GOOD, [0, 1, 1], None),
    r"X\[1, 0\] = nan is not finite": (5, [[0, 1], [np.nan, 0], [2, 2]], [0, 1, 1], None),
    r"X\[0, 1\].*inf": (5, sparse.csr_array([[0, np.inf], [1, 0]]), [0, 1], None),
    "X has no rows": (5, np.empty((0, 2)), [], None),
    "X has no columns": (5, np.empty((2, 0)), [0, 1], None),
    "X has 3 rows, y has 2 labels": (5, GOOD, [0, 1], None),
    "y has one class only, 'a'": (5, GOOD, ["a"] * 3, None),
    "y has one class only, 1": (5, GOOD, [0, 1, 1], [0, 1, 1]),
    "y=nan is not a label": (5, GOOD, [0, 1, np.nan], None),
    "y='a' is a string, but": (5, GOOD, [0, 1, "a"], None),
    r"sample_weight\[2\] = -1.0 is not a weight": (5, GOOD, [0, 1, 1], [1, 1, -1]),
    r"sample_weight has shape \(2,\)": (5, GOOD, [0, 1, 1], [1, 1]),
    "sample_weight is 0 everywhere": (5, GOOD, [0, 1, 1], [0, 0, 0]),
    "X has shape": (5, [1.0, 2.0], [0, 1], None),
}


@boosters
@pytest.mark.parametrize("message", BAD)
def test_bad_input_changes_nothing(cls, message):
    rounds, X, y, weights = BAD[message]
    model = cls(rounds=3).fit(GOOD, [0, 1, 1])
    before = model.stumps_, model.classes_.tolist()
    model.rounds = rounds
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, sample_weight=weights)
    assert (model.stumps_, model.classes_.tolist()) == before


@boosters
def test_bad_input_to_what_was_fitted(cls):
    model = cls(rounds=3).fit(GOOD, [0, 1, 1])
    with pytest.raises(ValueError, match="X has 3 columns, 0, 1, 2; it was fitted on 2, 0, 1"):
        model.predict(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"y has 7, which is not one of \[0, 1\]"):
        model.margins(GOOD, [0, 1, 7])
    with pytest.raises(ValueError, match="X has 3 rows, y has 2 labels"):
        model.margins(GOOD, [0, 1])
    with pytest.raises(ValueError, match="label=1: give one of"):
        model.certificate(1)
    for ask in (lambda m: m.errors_, lambda m: m.stumps_, lambda m: m.certificate()):
        with pytest.raises(ValueError, match="call fit first"):
            ask(cls())


def test_weak_learners_that_answer_other_labels():
    class Odd(_Constant):
        def predict(self, X):
            return np.full(X.shape[0], 3)

    with pytest.raises(ValueError, match="predicts other labels than it was fitted to"):
        NHBoost(rounds=3, weak=Odd()).fit(GOOD, [0, 1, 1])


@boosters
def test_constant_features_and_equal_examples(cls):
    X, y = np.ones((5, 2)), [0, 1, 1, 1, 0]
    model = cls(rounds=4).fit(X, y)
    assert all(s.feature is None for s in model.stumps_)
    # AdaBoost's second constant would be as good as chance, but for rounding
    assert len(model.stumps_) == (1 if cls is AdaBoost else 4)
    assert model.predict(X).tolist()[0] in (0, 1)
    assert model.certificate().holds
