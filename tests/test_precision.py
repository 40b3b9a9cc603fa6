"""Double precision: the oracles to 1e-12, in every form of input, through copies and files."""

import math
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from reference import streams
from reference.auto import GridLane
from reference.comparison import agree
from reference.damage import damaged
from reference.pairs import PAIRS
from scipy.sparse import csr_array

import regretless
from regretless import _core, boosting, losses
from regretless import streams as text
from regretless.base import rows
from regretless.linear import (
    Auto,
    AutoClassifier,
    AutoRegressor,
    BalancedWinnow,
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    PrimalDual,
    Winnow,
)
from regretless.linear.auto import _GRID
from regretless.newton import NewtonClassifier

DOUBLE = {"precision": "double"}
MODELS = {
    "coin": lambda **o: LinearClassifier(**DOUBLE, **o),
    "ftrl": lambda **o: LinearClassifier(rule="ftrl", l1=0.01, certify=True, **DOUBLE, **o),
    "auto": lambda **o: Auto(**DOUBLE, **o),
    "vote": lambda **o: Perceptron(average="vote", **DOUBLE, **o),
    "margin": lambda **o: MarginPerceptron(**DOUBLE, **o),
    "p-norm": lambda **o: PNormPerceptron(**DOUBLE, **o),
    "pa": lambda **o: PassiveAggressive(**DOUBLE, **o),
    "svm": lambda **o: OnlineSVM(**DOUBLE, **o),
    "winnow": lambda **o: BalancedWinnow(**DOUBLE, **o),
    "boosted": lambda **o: boosting.OnlineBBM(LinearClassifier(**DOUBLE, **o), n=3),
}
every_model = pytest.mark.parametrize("name", MODELS)


def sample(rounds=90, d=5, labels=3):
    """Features with three decimals, which no float has, and labels."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rounds, d)).round(3) * (rng.random((rounds, d)) < 0.8)
    return X, rng.integers(0, labels, rounds)


# --- the same numbers as the oracles ---------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS.values(), ids=str)
def test_double_agrees_with_the_oracles(pair):
    """Every rule with every loss: scores in every round and weights at the end, to 1e-12."""
    for loss in pair.losses:
        for seed, intercept, make in ((0, True, streams.random), (1, False, streams.grid)):
            stream = make(loss, seed, rounds=60)
            learner = pair.learner(loss, intercept=intercept, **DOUBLE)
            agree(learner, pair.reference(loss, 5 + intercept), stream, 1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge", "quantile"])
@pytest.mark.parametrize("k", [0, 3, 7, 10, 11])
def test_lanes_of_auto_agree_with_the_oracle(loss, k):
    kind, lane = losses.get(loss), _GRID[k]
    l2 = 1e3 * lane.l2
    made = (AutoClassifier if kind.classification else AutoRegressor)(loss=loss)._parts()[2]
    made |= {"lanes": [(False, lane.rate, lane.scale_invariant, l2)]}
    core = _core.Learner(losses.compiled(kind), "auto", made, 0, 0, False, False, precise=True)
    oracle, found, wanted = GridLane(5, lane.rate, lane.scale_invariant, l2, kind), [], []
    X, _ = sample()
    X[:, 0] *= np.geomspace(0.01, 10, len(X))
    for x in X:
        y = float(np.sign(x[1] - 0.3)) if kind.classification else float(x[0] + 0.1)
        wanted.append(oracle.score(x))
        found.append(core.lane_scores(rows.row(x))[0])
        oracle.learn(x, y, 1.0)
        if kind.classification:
            core.learn_class(rows.row(x), int(y > 0), 1.0)
        else:
            core.learn_target(rows.row(x), y, 1.0)
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


def test_a_weight_moves_beyond_2_to_the_25():
    """Six steps of 1 leave 2^25 as it is in single precision: half the distance of floats is 2."""
    weights = {}
    for precision in ("single", "double"):
        model = Perceptron(intercept=False, precision=precision)
        model.learn_one({"a": 2.0**25, "b": 1.0}, True)
        for _ in range(6):
            model.learn_one({"a": -1.0}, True)
        weights[precision] = model.updates_, model.weights_["a"]
    assert weights == {"single": (7, 2.0**25), "double": (7, 2.0**25 - 6)}


def test_a_sum_of_squares_goes_on_beyond_2_to_the_24():
    """AdaGrad's rate falls with the sum of squared gradients, which in floats stops at 2^24."""
    moved = {}
    for precision in ("single", "double"):
        model = LinearRegressor(
            loss="absolute",
            rule=regretless.rules.AdaGrad(1.0, invariant=False),
            intercept=False,
            precision=precision,
        )
        model.learn_one({"a": 1.0}, 1.0, 2.0**12)  # a gradient of 2^12, squared 2^24
        before = model.weights_["a"]
        for _ in range(2):
            model.learn_one({"a": 1.0}, -9.0)
        moved[precision] = before - model.weights_["a"]
    exact = 1 / math.sqrt(2.0**24 + 1) + 1 / math.sqrt(2.0**24 + 2)
    assert moved["double"] == pytest.approx(exact, rel=1e-9)
    assert moved["single"] == pytest.approx(2 / math.sqrt(2.0**24), rel=1e-9)


# --- every form of input ---------------------------------------------------------------------------


def learned(make, X, y, folder):
    """The same examples learned in every form."""
    names = [str(j) for j in range(X.shape[1])]
    shuffled = csr_array(X)
    for t in range(len(X)):  # columns that decrease
        part = slice(*shuffled.indptr[t : t + 2])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = False
    batches = {
        "array": X,
        "csr": csr_array(X),
        "unsorted": shuffled,
        "csc": csr_array(X).tocsc(),
        "frame": pd.DataFrame(X, columns=names),
        "arrow": pa.table(dict(zip(names, X.T))),
    }
    for form, batch in batches.items():
        model = make()
        model.learn_many(batch, y)
        yield form, model
    for form in ("dict", "vector", "row"):
        model = make()
        for x, label in zip(X, y.tolist()):
            given = {"dict": dict(zip(names, x.tolist())), "vector": x, "row": csr_array(x[None])}
            model.learn_one(given[form], label)
        yield form, model
    pairs = [[(n, repr(v)) for n, v in zip(names, x) if v] for x in X.tolist()]
    lines = {
        "svm": [f"{c} " + " ".join(map(":".join, p)) for p, c in zip(pairs, y)],
        "vw": [f"{c} | " + " ".join(map(":".join, p)) for p, c in zip(pairs, y)],
        "jsonl": [
            "{" + ", ".join([f'"label": {c}', *(f'"{n}": {v}' for n, v in p)]) + "}"
            for p, c in zip(pairs, y)
        ],
        "csv": [
            ",".join(["label", *names]),
            *(",".join([str(c), *map(repr, x)]) for x, c in zip(X.tolist(), y)),
        ],
    }
    for form, all_lines in lines.items():
        (folder / f"a.{form}").write_text("\n".join(all_lines) + "\n")
        labelled = {"label": "label"} if form in ("csv", "jsonl") else {}
        model = make()
        for piece in text.read(folder / f"a.{form}", **labelled).pieces(model.form()):
            model.learn_many(piece.X, piece.y.astype(int))
        yield form, model


@pytest.mark.parametrize(
    "features", [{}, {"features": "hashed", "bits": 6}], ids=["exact", "hashed"]
)
@every_model
def test_all_forms_give_the_same_bits(name, features, tmp_path):
    X, y = sample()
    scores = {
        form: np.asarray(model.decision_function(X))
        for form, model in learned(lambda: MODELS[name](**features), X, y, tmp_path)
    }
    single = MODELS[name](**features)
    if name not in ("boosted", "vote"):  # votes are whole numbers
        single.set_params(precision="single")
        single.learn_many(X, y)
        assert (single.decision_function(X) != scores["array"]).any()
    for form, found in scores.items():
        assert (found == scores["array"]).all(), form


def test_features_are_not_rounded():
    """A score is the product of the weights and of the features as they were given."""
    X, y = sample(labels=2)
    for make in (LinearClassifier, lambda **o: LinearClassifier(features="hashed", **o)):
        model = make(rule="ogd", rate=0.1, **DOUBLE)
        model.learn_many(X, y)
        w = np.array([model.weights_[j] for j in range(X.shape[1])])
        wanted = X @ w + model.intercept_
        np.testing.assert_allclose(model.decision_function(X), wanted, rtol=1e-14, atol=1e-15)
        assert (
            np.abs(X.astype(np.float32).astype(float) @ w + model.intercept_ - wanted).max() > 1e-10
        )


def test_names_that_repeat_are_added_up_in_double():
    x = {7: 0.1, "7": 0.2}
    model = LinearRegressor(rule="ogd", rate=0.5, intercept=False, **DOUBLE)
    model.learn_one(x, 1.0)
    assert model.weights_ == {7: (0.1 + 0.2) * 0.5 * 2.0}
    table = pa.table({"c": ["x"], "c=x": [0.1]})  # a category with the name of a column
    model = LinearRegressor(rule="ogd", rate=0.5, intercept=False, **DOUBLE)
    model.learn_many(table, [1.0])
    assert model.weights_ == {"c=x": 1.0 + 0.1}


# --- labels, copies and files ----------------------------------------------------------------------


@every_model
def test_copies_and_files_are_the_same_bit_for_bit(name, tmp_path):
    X, y = sample()
    model = MODELS[name]()
    model.learn_many(X[:60], y[:60])
    model.save(tmp_path / "model")
    others = [model.copy(), pickle.loads(pickle.dumps(model)), regretless.load(tmp_path / "model")]
    for other in others:
        assert other == model
        assert repr(other) == repr(model)
        other.learn_many(X[60:], y[60:])
    model.learn_many(X[60:], y[60:])
    for other in others:
        assert other == model
        assert (other.decision_function(X) == model.decision_function(X)).all()
    assert model.clone().examples_ == 0
    assert repr(model.clone()) == repr(model)


@every_model
def test_a_damaged_file_is_a_value_error(name, tmp_path):
    X, y = sample()
    model = MODELS[name]()
    model.learn_many(X, y)
    arrays = ["bank", "scalars"] + ["vote_values"] * (name == "vote")
    for array in arrays:
        for path in damaged(model, array, tmp_path):
            with pytest.raises(ValueError, match="damaged"):
                regretless.load(path)


@every_model
def test_a_number_that_is_not_finite_is_a_value_error(name, tmp_path):
    from regretless.base import persistence

    X, y = sample()
    model = MODELS[name]()
    model.learn_many(X, y)
    model.save(tmp_path / "model")
    description, arrays = persistence.read(tmp_path / "model")
    for bad in (math.nan, math.inf, 1e300):
        bank = arrays["bank"].copy().view(np.float64)
        bank[np.flatnonzero(bank)[-1]] = bad
        persistence.write(tmp_path / "bad", description, arrays | {"bank": bank.view(np.float32)})
        with pytest.raises(ValueError, match="bank"):
            regretless.load(tmp_path / "bad")


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("rule", ["coin", "adagrad", "ftrl", "ogd"])
def test_a_model_of_the_other_precision_does_not_load(rule, precision, tmp_path):
    """The tables of these rules differ in size."""
    from regretless.base import persistence

    model = LinearClassifier(rule=rule, precision=precision)
    model.learn_many(*sample())
    model.save(tmp_path / "model")
    description, arrays = persistence.read(tmp_path / "model")
    other = "double" if precision == "single" else "single"
    changed = dict(description)
    changed["options"] = dict(description["options"]) | {"precision": other}
    persistence.write(tmp_path / "other", changed, arrays)
    with pytest.raises(ValueError, match=r"damaged|fit"):
        regretless.load(tmp_path / "other")


@pytest.mark.parametrize("rule", regretless.rules.RULES)
def test_late_labels_have_lanes_of_their_own(rule):
    """A label that comes late has learned nothing before; the others do not notice it."""
    X, y = sample(labels=4)
    X, y = X[np.argsort(y, kind="stable")], np.sort(y)  # 2 and 3 come late
    late = LinearClassifier(rule=rule, **DOUBLE)
    known = LinearClassifier(rule=rule, **DOUBLE)
    known.partial_fit(np.zeros((0, 5)), [], classes=[0, 1, 2])
    late.partial_fit(np.zeros((0, 5)), [], classes=[0, 1, 2])
    for model in (late, known):
        model.learn_many(X[y < 3], y[y < 3])
    late.learn_many(X[y == 3], y[y == 3])
    for x in X[y == 3]:
        known.learn_one(x, 3)
    assert (late.decision_function(X) == known.decision_function(X)).all()


# --- certificates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", regretless.rules.RULES)
def test_certificates_hold_and_round_less(rule):
    """No comparator is better than the bound, and the rounding that it allows for is smaller."""
    X, y = sample(300, labels=2)
    rounding = {}
    for precision in ("single", "double"):
        model = LinearClassifier(
            rule=rule, certify=rule in ("adagrad", "ogd", "ftrl"), precision=precision
        )
        model.learn_many(X, y)
        certificate = model.certificate(norm=2.0)
        rounding[precision] = certificate.error
        signs, ones = np.where(y == 1, 1.0, -1.0), np.ones((len(X), 1))
        for seed in range(20):
            u = np.random.default_rng(seed).normal(size=6)
            u *= 2.0 / np.linalg.norm(u)
            suffered = np.logaddexp(0.0, -signs * (np.hstack([X, ones]) @ u)).sum()
            assert certificate.best_possible(2.0) <= suffered
    if rule in ("coin", "eg", "pnorm"):  # the others keep the sum in doubles anyway
        assert rounding["double"] < 1e-7 * rounding["single"]


# --- where the option is -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [KernelPerceptron, PrimalDual, NewtonClassifier])
def test_others_do_not_have_the_option(kind):
    with pytest.raises(TypeError, match="precision"):
        kind(precision="double")


@pytest.mark.parametrize(
    "kind",
    [
        Auto,
        LinearClassifier,
        LinearRegressor,
        Perceptron,
        MarginPerceptron,
        PNormPerceptron,
        Winnow,
        BalancedWinnow,
        PassiveAggressive,
        OnlineSVM,
    ],
)
def test_the_option(kind):
    assert kind().precision == "single"
    assert "precision='double'" in repr(kind(precision="double"))
    with pytest.raises(ValueError, match=r"precision='half'.*'single'.*'double'"):
        kind(precision="half")
    with pytest.raises(ValueError, match="precision="):
        kind(precision=None)


def test_second_order_lanes_are_single():
    with pytest.raises(ValueError, match="second_order=True needs precision='single'"):
        Auto(second_order=True, **DOUBLE)
