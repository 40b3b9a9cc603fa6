"""Audits beside models of all kinds: what a report and a checkpoint say is recomputed by hand."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
import scipy.optimize
from command_line import SMALL, run, run_json, written

from regretless import boosting, evaluate, losses, streams
from regretless.audit import Audit
from regretless.evaluate import Training
from regretless.linear import (
    Auto,
    AutoRegressor,
    LinearClassifier,
    LinearRegressor,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from regretless.newton import NewtonClassifier, NewtonRegressor

NORMS = (0.5, 3.0)
SIZE = 300


def stream(kind="labels", size=SIZE, seed=0, weights=False):
    """Examples `(x, y, w)` of three features in units of their own."""
    rng = np.random.default_rng(seed)
    X = np.float32(rng.normal(size=(size, 3)) * (1.0, 20.0, 0.05)).astype(float)
    score = X @ (1.0, -0.05, 10.0) + 0.7 * rng.normal(size=size)
    if kind == "labels":
        y = (score > 0).tolist()
    elif kind == "many":
        y = np.digitize(score, (-0.7, 0.7)).tolist()
        y[:20] = [min(label, 1) for label in y[:20]]  # the third comes late
    else:
        y = score.tolist()
    w = rng.choice([0.0, 0.5, 1.0, 4.0], size=size) if weights else np.ones(size)
    rows = [dict(zip("abc", row)) for row in X.tolist()]
    return list(zip(rows, y, w.tolist()))


def river_classifier():
    linear_model = pytest.importorskip("river.linear_model")
    return pytest.importorskip("river.preprocessing").StandardScaler() | (
        linear_model.LogisticRegression()
    )


def river_regressor():
    linear_model = pytest.importorskip("river.linear_model")
    return pytest.importorskip("river.preprocessing").StandardScaler() | (
        linear_model.LinearRegression()
    )


def sklearn_classifier():
    sgd = pytest.importorskip("sklearn.linear_model")
    return sgd.SGDClassifier(loss="log_loss", random_state=0)


def sklearn_regressor():
    return pytest.importorskip("sklearn.linear_model").SGDRegressor(random_state=0, eta0=1e-4)


def chance(x):
    """A rule of thumb: the probability of True."""
    return 1 / (1 + math.exp(-x["a"]))


def guess(x):
    """A rule of thumb for the number."""
    return 0.8 * x["a"]


CLASSIFIERS = {
    "linear": LinearClassifier,
    "hashed": lambda: LinearClassifier(features="hashed", bits=12),
    "auto": Auto,
    "newton": NewtonClassifier,
    "boosting": lambda: boosting.AdaBoostOL(n=4),
    "boosted objects": lambda: boosting.OnlineBBM(Perceptron(), n=3, edge=0.1),
    "passive": PassiveAggressive,
    "Perceptron": Perceptron,
    "river": river_classifier,
    "sklearn": sklearn_classifier,
    "function": lambda: chance,
}
REGRESSORS = {
    "linear": LinearRegressor,
    "absolute": lambda: LinearRegressor(loss="absolute"),
    "auto": AutoRegressor,
    "newton": NewtonRegressor,
    "river": river_regressor,
    "sklearn": sklearn_regressor,
    "function": lambda: guess,
}
# what is scored: scikit-learn's learners begin with the second batch
FIRST = {"sklearn": 256}


def in_units(rows):
    """The features with a constant one, each in units of its largest size."""
    X = np.array([[1.0, *row.values()] for row, *_ in rows])
    return X / np.abs(X).max(axis=0)


def least(Z, targets, w, loss, norm):
    """A loss that some model of the norm has: `targets` has a column for each lane."""
    lanes, d = targets.shape[1], Z.shape[1]

    def total(u):
        u = u * min(1.0, norm / max(np.linalg.norm(u), 1e-300))
        scores = Z @ u.reshape(lanes, d).T
        return float(w @ np.asarray(loss.value(scores, targets)).sum(axis=1))

    smooth = loss.name in ("logistic", "squared")
    found = scipy.optimize.minimize(
        total, np.full(lanes * d, 1e-3), method="BFGS" if smooth else "Powell"
    )
    return min(total(found.x), total(np.zeros(lanes * d)))


def check(report, rows, loss, targets, own=None):
    """No model of a norm is below what is proved, nor further ahead than the bound says."""
    Z, w = in_units(rows), np.array([w for *_, w in rows])
    for norm in (*NORMS, 1.5):
        best = least(Z, targets, w, loss, norm)
        proved = report.best_possible(norm)
        assert 0 < proved <= best
        assert report.best_possible(norm, mean=True) == pytest.approx(proved / w.sum(), rel=1e-12)
        assert report.bound(norm=norm) >= (report.loss if own is None else own) - best
        assert report.certificate(norm=norm).bound == report.bound(norm=norm)
        assert f"norm at most {norm:g} in units" in report.certificate(norm=norm).comparators
    assert report.best_possible() == report.best_possible(max(NORMS))
    assert proved > 0.5 * least(Z, targets, w, loss, 1.5)
    for norm, best in zip(NORMS, report.curve.certified[-1].tolist()):
        assert best == report.best_possible(norm, mean=True)
        assert f"norm {norm:g} " in str(report)


# --- all kinds of models -----------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, weights):
    model = CLASSIFIERS[name]()
    if weights and name == "river":
        pytest.skip("it is checked without")
    rows = stream(weights=weights, size=SIZE + FIRST.get(name, 0))
    report = evaluate.progressive(model, rows, certify=NORMS)
    rows = rows[FIRST.get(name, 0) :]
    loss = losses.Hinge() if name in ("passive", "Perceptron") else losses.Logistic()
    signs = np.array([[1.0 if y else -1.0] for _, y, _ in rows])
    check(report, rows, loss, signs, report.audited_loss)
    if name != "Perceptron":  # whose own loss is that of its mistakes
        assert report.audited_loss == pytest.approx(report.loss, rel=1e-9)
        assert "audited" not in str(report)
    else:
        assert report.audited_loss >= report.loss
        assert "audited mean loss" in str(report)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    rows = stream("numbers", size=SIZE + FIRST.get(name, 0))
    report = evaluate.progressive(REGRESSORS[name](), rows, certify=NORMS)
    rows = rows[FIRST.get(name, 0) :]
    loss = losses.Absolute() if name == "absolute" else losses.Squared()
    check(report, rows, loss, np.array([[y] for _, y, _ in rows]))


@pytest.mark.parametrize("weights", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("name", ["linear", "auto", "boosting", "river", "sklearn", "function"])
def test_many_labels_are_told_from_the_rest(name, weights):
    if name == "river":
        tree = pytest.importorskip("river.naive_bayes")
        model = tree.GaussianNB()
        weights = False
    elif name == "function":
        model = share
    else:
        model = CLASSIFIERS[name]()
    rows = stream("many", weights=weights, size=SIZE + FIRST.get(name, 0))
    report = evaluate.progressive(model, rows, certify=NORMS)
    rows = rows[FIRST.get(name, 0) :]
    labels = report.audit.classes_.tolist()
    assert sorted(labels) == [0, 1, 2]
    signs = np.array([[1.0 if y == label else -1.0 for label in labels] for _, y, _ in rows])
    check(report, rows, losses.Logistic(), signs, report.audited_loss)
    if name == "linear":  # by hand
        twin, lost, seen = LinearClassifier(), 0.0, 0.0
        for x, y, each in rows:
            before = len(twin.classes_)
            if y not in twin.classes_.tolist() and each:
                twin._add(y)
            if len(twin.classes_) == 3 == before + 1:
                lost = 2 * lost + seen * math.log(2)  # both labels, and the one that was not there
            s = np.atleast_1d(twin.decision_one(x))
            now = twin.classes_.tolist()
            sign = np.where(np.array(now) == y, 1, -1)[-len(s) :] if len(now) > 1 else -1
            lost += each * np.logaddexp(0, -sign * s).sum() if each else 0.0
            twin.learn_one(x, y, each)
            seen += each
        assert report.audited_loss == pytest.approx(lost, rel=1e-9)


def share(x):
    """Probabilities of two of three labels."""
    p = chance(x)
    return {0: 1 - p, 2: p}


@pytest.mark.parametrize("name", ["linear", "auto", "newton", "river"])
@pytest.mark.parametrize("delay", [1, 40, 10_000])
def test_late_labels(name, delay):
    """The scores are those of the model that had not learned the examples yet."""
    rows = stream()
    report = evaluate.progressive(CLASSIFIERS[name](), rows, delay=delay, certify=NORMS)
    assert report.examples == SIZE
    assert report.audit.examples_ == SIZE
    signs = np.array([[1.0 if y else -1.0] for _, y, _ in rows])
    check(report, rows, losses.Logistic(), signs)
    assert report.audited_loss == pytest.approx(report.loss, rel=1e-9)
    if delay == 10_000:
        assert report.mean_loss == pytest.approx(math.log(2.0))


def test_late_labels_of_many_with_weights():
    rows = stream("many", weights=True)
    report = evaluate.progressive(Auto(), rows, delay=30, certify=NORMS)
    assert report.audit.weight_ == pytest.approx(sum(w for *_, w in rows))
    labels = report.audit.classes_.tolist()
    signs = np.array([[1.0 if y == label else -1.0 for label in labels] for _, y, _ in rows])
    check(report, rows, losses.Logistic(), signs, report.audited_loss)


def test_the_scores_of_the_model_prove_something():
    """Lanes of a tiny norm know nothing of norm 3: what is proved comes from the model."""
    rows = stream(size=2000)
    audits = [Audit("logistic", [1e-6]), Audit("logistic", [1e-6])]
    evaluate.progressive(river_classifier(), rows, certify=audits[0])
    for x, y, _ in rows:
        audits[1].learn_one(x, y)
    assert audits[0].best_possible(3.0) > audits[1].best_possible(3.0)


def test_scores_do_not_depend_on_which_label_comes_first():
    bayes = pytest.importorskip("river.naive_bayes").GaussianNB()
    rows = stream()
    order = sorted(range(SIZE), key=lambda t: (t > 30, not rows[t][1]))  # first of one label only
    for names in ({True: "yes", False: "no"}, {True: "a", False: "b"}, {True: 1, False: 2}):
        named = [(rows[t][0], names[rows[t][1]], 1.0) for t in order]
        for make in (LinearClassifier, Auto, bayes.clone):
            report = evaluate.progressive(make(), named, certify=NORMS)
            assert report.audited_loss == pytest.approx(report.loss, rel=1e-9)


def test_a_model_that_knew_more_labels():
    """It was told of three, and two come: the audit is about the two."""
    rows = stream()
    model = LinearClassifier().partial_fit([[1.0]], ["x"], classes=["x", "False", "True"])
    named = [(x, str(y), w) for x, y, w in rows]
    report = evaluate.progressive(model, named, certify=NORMS)
    assert report.audit.classes_.tolist() == ["False", "True"]
    signs = np.array([[1.0 if y else -1.0] for _, y, _ in rows])
    check(report, rows, losses.Logistic(), signs, report.audited_loss)


def test_a_prediction_out_of_reach_is_left_out():
    """The loss of the report still tells the bound."""
    rows = stream("numbers")
    report = evaluate.progressive(lambda x: 1e30 if x["a"] > 2.9 else 0.0, rows, certify=NORMS)
    wild = any(x["a"] > 2.9 for x, *_ in rows)
    assert wild
    assert report.bound(norm=3.0) >= report.loss - report.best_possible(3.0)
    assert math.isfinite(report.bound(norm=3.0))


def test_gradient_boosting_of_labels():
    """A learner of the numbers -1 and 1 with the logistic loss."""
    rows = [(x, 1.0 if y else -1.0, w) for x, y, w in stream()]
    model = boosting.GradientBoostingHull(LinearRegressor(), n=3, loss="logistic", scale=2.0)
    report = evaluate.progressive(model, rows, certify=NORMS)
    assert report.audited_loss == pytest.approx(report.loss, rel=1e-9)
    check(report, rows, losses.Logistic(), np.array([[y] for _, y, _ in rows]))


# --- what is said ------------------------------------------------------------------------------------


def test_what_is_certified_on_the_way():
    """At every point that is certified it is what an audit of these examples alone proves."""
    rows = stream(size=1000)
    report = evaluate.progressive(LinearClassifier(), rows, certify=NORMS)
    at, best = report.curve.best(3.0)
    assert at.tolist()[0] == 10
    assert at.tolist()[-1] == 1000
    assert set(at.tolist()) <= set(report.curve.examples.tolist())
    for examples, value in list(zip(at.tolist(), best.tolist()))[::6]:
        alone = evaluate.progressive(LinearClassifier(), rows[:examples], certify=NORMS)
        assert value == alone.best_possible(3.0, mean=True)
    regrets = report.regret_curve(norm=3.0)
    known = np.isin(report.curve.examples, at)
    assert np.isfinite(regrets[known]).all()
    assert np.isinf(regrets[~known]).all()
    assert (report.bound_curve(norm=3.0) >= regrets).all()
    lost = np.cumsum(report.losses)[known] - best * np.cumsum(report.weights)[known]
    np.testing.assert_allclose(regrets[known], lost, rtol=1e-9)
    assert np.isinf(report.regret_curve(norm=1.5)[:-1]).all()
    assert report.bound_curve(norm=1.5)[-1] == report.bound(norm=1.5)


def test_tables_and_files_have_it():
    report = evaluate.progressive(LinearClassifier(), stream(), certify=NORMS)
    table = report.to_arrow()
    column = table.column("best possible of norm 3").to_pylist()
    assert column[-1] == report.best_possible(3.0, mean=True)
    assert len(report.to_frame().columns) == 9
    written = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert [each["norm"] for each in written["norms"]] == list(NORMS)
    assert written["norms"][1]["best_possible"] == report.best_possible(3.0)
    assert written["audited_loss"] == report.audited_loss
    again = pickle.loads(pickle.dumps(report))
    assert again.bound(norm=3.0) == report.bound(norm=3.0)
    assert report.plot().get_xlabel() == "examples seen"


def test_words():
    """Ahead of all models of one norm, and perhaps behind one of another."""
    report = evaluate.progressive(LinearClassifier(), stream(size=2000), certify=(0.1, 30))
    small, large = (line for line in str(report).splitlines() if line.startswith("norm"))
    mean = report.mean_loss
    best, most = (report.best_possible(norm, mean=True) for norm in (0.1, 30))
    assert most < mean < best
    assert f"goes below {best:#.4g}: this one, at {mean:#.4g}, is ahead of all by" in small
    assert f"{best - mean:#.4g} or more" in small
    assert f"goes below {most:#.4g}: none is ahead of this one, at {mean:#.4g}, by" in large
    assert f"more than {mean - most:#.4g}" in large


def test_the_learners_own_certificate_needs_no_audit():
    rows = stream()
    report = evaluate.progressive(LinearClassifier(), rows)
    assert report.audit is None
    assert report.best_possible(2.0) == report.certified.best_possible(2.0)
    assert math.isfinite(report.bound(norm=2.0, ord=1))
    audited = evaluate.progressive(LinearClassifier(), rows, certify=2)
    assert audited.loss == report.loss
    assert audited.best_possible(2.0) != report.best_possible(2.0)  # in other units


def test_in_the_same_units_an_audit_proves_as_much_as_the_learner():
    rows = stream(size=1000)
    model = LinearClassifier(certify=True)
    audit = Audit("logistic", [1e-6], scaled=False)  # its lanes prove nothing
    report = evaluate.progressive(model, rows, certify=audit)
    for norm in (0.1, 0.5, 2.0):
        own = model.certificate(norm).best_possible()
        assert report.best_possible(norm) >= own * (1 - 1e-5)


def test_nothing_to_audit():
    report = evaluate.progressive(LinearClassifier(), [], certify=3)
    assert report.best_possible(3.0) == 0.0
    assert "norm" not in str(report)
    assert report.bound(norm=3.0) == 0.0


@pytest.mark.parametrize(
    ("certify", "message"),
    [
        (0, "certify=0 must"),
        (-1.0, "certify=-1.0 must"),
        (math.nan, "certify=nan"),
        ((), "is empty"),
        ("three", "certify='three'"),
        ((1, math.inf), "certify=inf"),
        (Audit("squared"), "the model predicts labels"),
    ],
)
def test_bad_norms_are_refused(certify, message):
    model = LinearClassifier()
    with pytest.raises(ValueError, match=message):
        evaluate.progressive(model, stream(), certify=certify)
    assert model.examples_ == 0


def test_bad_requests_are_refused():
    used = Audit("logistic")
    used.learn_one({"a": 1.0}, True)
    with pytest.raises(ValueError, match="has seen examples; pass its clone"):
        evaluate.progressive(LinearClassifier(), stream(), certify=used)
    with pytest.raises(ValueError, match="cannot be audited; these can"):
        evaluate.progressive(LinearClassifier(loss="exponential"), stream(), certify=1)
    report = evaluate.progressive(river_classifier(), stream())
    with pytest.raises(ValueError, match=r"has no bound on linear models.*certify=3"):
        report.best_possible(1.0)
    with pytest.raises(ValueError, match=r"has no bound on linear models.*certify=3"):
        report.certificate(norm=1.0)
    report = evaluate.progressive(LinearClassifier(), stream(), certify=1)
    with pytest.raises(ValueError, match="ord=1: the audit used ord=2"):
        report.certificate(norm=1.0, ord=1)


@pytest.mark.parametrize(
    ("function", "label", "message"),
    [
        (lambda x: "spam", "spam", "returned 'spam'; a function returns a number"),
        (lambda x: 0.5, "spam", "where the label is 'spam'; return a dict"),
    ],
)
def test_functions_that_say_something_else_are_refused(function, label, message):
    with pytest.raises(ValueError, match=message):
        evaluate.progressive(function, [({"a": 1.0}, label)], certify=1)


# --- checkpoints and the command line -----------------------------------------------------------------


def bytes_of(audit):
    """All of its state, as bytes."""
    described, arrays = audit._described()
    return json.dumps(described), {k: v.tobytes() for k, v in sorted(arrays.items())}


@pytest.mark.parametrize("kind", ["labels", "many", "numbers"])
@pytest.mark.parametrize("holdout", [0, 7])
def test_a_checkpoint_goes_on_with_the_audit(kind, holdout, tmp_path):
    rows = stream(kind, size=900, weights=True)
    make = LinearRegressor if kind == "numbers" else Auto
    pieces = [
        piece for k in range(3) for piece in streams.read(rows[300 * k : 300 * k + 300]).pieces()
    ]
    whole, half = Training(make(), NORMS, holdout), Training(make(), NORMS, holdout)
    for training in (whole, half):
        for turn in range(2):
            for piece in pieces:
                training.take(piece)
                if training is half:
                    training.save(tmp_path / "c", {})
                    training = half = Training.load(tmp_path / "c", {})  # noqa: PLW2901
            training.certify()
            if not turn:
                training.end_pass()
    assert bytes_of(half.audit) == bytes_of(whole.audit)
    assert half.audited_loss == whole.audited_loss
    assert half.bounds() == whole.bounds()
    np.testing.assert_array_equal(half.validation.curve.certified, whole.validation.curve.certified)


@pytest.mark.parametrize("seen", [10**9, 10**15, 2**53])
def test_a_piece_after_very_many_examples_is_taken(seen):
    """Beyond the last point of a curve, too."""
    training = Training(LinearClassifier(), certify=3)
    training._seen = seen
    (piece,) = streams.read(stream()).pieces()
    training.take(piece)
    assert training._auditing.due > seen


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
def test_an_audit_that_is_interrupted_goes_on_bit_for_bit(loss):
    """Weights of lanes are scaled anew now and then: that must not depend on the stops."""
    rng = np.random.default_rng(0)
    size = 4000
    X = rng.random((size, 30)) * (rng.random((size, 30)) < 0.2)
    y, w = rng.random(size) < 0.5, np.geomspace(1, 1e6, size)
    y = y.astype(float) if loss == "squared" else y
    whole, parts = Audit(loss, [0.1]), Audit(loss, [0.1])
    whole.learn_many(X, y, None, w)
    for there in np.array_split(np.arange(size), 7):
        parts = copy.deepcopy(parts)
        parts.learn_many(X[there], y[there], None, w[there])
    assert bytes_of(parts) == bytes_of(whole)


def test_a_second_pass_proves_more():
    rows = stream(size=600)
    (piece,) = streams.read(rows).pieces()
    training = Training(LinearClassifier(), certify=(3, 10))
    training.take(piece)
    first, lost = training.bounds(), training.audited_loss
    training.end_pass()
    training.take(piece)
    assert all(b > a for a, b in zip(first, training.bounds()))
    assert training.audited_loss == lost == pytest.approx(training.validation.loss, rel=1e-9)
    best = least(in_units(rows), np.array([[1.0 if y else -1.0] for _, y, _ in rows]),
                 np.ones(600), losses.Logistic(), 3.0)  # fmt: skip
    assert training.audit.best_possible(3.0) <= best


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return written(tmp_path)


SOURCES = {
    "clicks.vw": [],
    "clicks.vw.gz": [],
    "spam.csv": ["--label", "spam", "--ignore", "name"],
    "live.jsonl": ["--label", "y"],
    "three.svm": [],
    "prices.svm": ["--loss", "squared"],
}


@pytest.mark.parametrize("exact", [False, True], ids=["hashed", "exact"])
@pytest.mark.parametrize("source", SOURCES)
def test_every_format_is_certified(folder, source, exact):
    """As the library does it; the model is the one of a command without --certify."""
    options = [*SOURCES[source], *(["--exact"] if exact else SMALL)]
    command = ["train", source, *options]
    found = run_json(*command, "--certify", "1,3", "--save", "m")
    small, large = found["certificates"]
    assert small["best_possible"] > large["best_possible"] > 0
    plain = run_json(*command, "--save", "n")
    assert plain["certificates"] == []
    assert (folder / "m").read_bytes() == (folder / "n").read_bytes()
    if source != "three.svm":  # labels of which the audit adds up those before the third twice
        assert large["audited_mean_loss"] == pytest.approx(found["mean_loss"], rel=1e-9)
    shown = run(*command, "--certify", "1,3").stdout
    assert shown.count("no linear model goes below") == 2
    assert f"{small['best_possible']:#.4g}"[:4] in shown


def test_the_summary_says_it_in_words(folder):
    shown = run("train", "clicks.vw", "--certify", "1,3,10", *SMALL).stdout
    found = run_json("train", "clicks.vw", "--certify", "1,3,10", *SMALL)
    lines = {line.split("  ")[0]: " ".join(line.split()) for line in shown.splitlines()}
    assert found["learner"] == "auto"
    for each in found["certificates"]:
        line = lines[f"norm {each['norm']:g}"]
        mean, best = each["audited_mean_loss"], each["best_possible"]
        assert f"no linear model goes below {best:#.4g}" in line
        assert f"this one, at {mean:#.4g}," in line
        assert f"{abs(mean - best):#.4g}" in line
        assert ("none is ahead" in line) == (mean >= best)


@pytest.mark.parametrize("exact", [False, True], ids=["hashed", "exact"])
@pytest.mark.parametrize("learner", ["auto", "boost", "winnow", "primal-dual"])
def test_passes_holdouts_and_checkpoints(folder, learner, exact):
    """A cache of places is used only if the auditor has the same places."""
    source = ["live.jsonl", "--label", "y", "--ignore", "age"]
    command = ["train", *source, "--learner", learner, *(["--exact"] if exact else SMALL)]
    command += ["--certify", "1,3", "--passes", "2", "--holdout", "5"]
    alone = run_json(*command)
    parts = run_json(*command, "--checkpoint", "ck", "--every", "100")
    again = run_json(*command, "--checkpoint", "ck", "--every", "100")
    assert alone["certificates"] == parts["certificates"] == again["certificates"]
    once = run_json(*command[:-4], "--holdout", "5")
    for one, two in zip(once["certificates"], alone["certificates"]):
        assert one["best_possible"] <= two["best_possible"]
        assert one["audited_mean_loss"] == two["audited_mean_loss"]
    other = run(*[each if each != "1,3" else "1" for each in command], "--checkpoint", "ck", code=1)
    assert "(certify differ)" in other.stderr


def test_going_on_with_a_model_audits_the_new_examples(folder):
    lines = (folder / "clicks.vw").read_text().splitlines(keepends=True)
    (folder / "first.vw").write_text("".join(lines[:200]))
    (folder / "then.vw").write_text("".join(lines[200:]))
    run("train", "first.vw", "--save", "m", "--certify", "3", *SMALL)
    command = ["train", "then.vw", "--from", "m", "--certify", "1,3"]
    found = run_json(*command, "--save", "both")
    anew = run_json("train", "then.vw", "--certify", "1,3", "--learner", "coin", *SMALL)
    for one, two in zip(found["certificates"], anew["certificates"]):
        assert one["best_possible"] == pytest.approx(two["best_possible"], rel=0.02)
    parts = run_json(*command, "--checkpoint", "ck", "--every", "50", "--save", "parts")
    assert parts["certificates"] == found["certificates"]
    run("train", "clicks.vw", "--save", "whole", *SMALL)
    assert (folder / "both").read_bytes() == (folder / "whole").read_bytes()


def test_a_model_that_knows_other_features_has_other_places(folder):
    """What the cache of a first pass holds are places of the model, not of the auditor."""
    lines = (folder / "clicks.vw").read_text().splitlines(keepends=True)
    (folder / "first.vw").write_text("".join(lines[:200][::-1]))
    (folder / "then.vw").write_text("".join(lines[200:]))
    run("train", "first.vw", "--save", "m", "--exact", "--learner", "coin")
    command = ["train", "then.vw", "--from", "m", "--certify", "1,3", "--passes", "2"]
    found = run_json(*command)
    training = Training(LinearClassifier.load("m"), certify=(1, 3))
    for turn in range(2):
        if turn:
            training.end_pass()
        for piece in streams.read("then.vw").pieces(training.model.form()):
            training.take(piece)
    assert tuple(each["best_possible"] for each in found["certificates"]) == training.bounds()


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1,two", "", "1,,3"])
def test_bad_norms_are_wrong_usage(folder, given):
    assert "certify" in run("train", "clicks.vw", "--certify", given, code=2).stderr


def test_winnow_can_be_audited():
    rows = [({k: float(v > 0) for k, v in x.items()}, y) for x, y, _ in stream()]
    report = evaluate.progressive(Winnow(), rows, certify=NORMS)
    assert 0 < report.best_possible(3.0) <= report.audited_loss + 1e3
