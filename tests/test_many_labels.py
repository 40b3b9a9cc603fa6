"""Many labels: lanes that come one by one are those announced at once, and cost what they use."""

import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from roster import ROSTER
from roster.learners import Rows
from scipy.sparse import csr_array

from regretless import boosting, newton, rules
from regretless.linear import Auto, LinearClassifier, Perceptron

COMPILED = {
    **{
        rule: (lambda rule=rule, **options: LinearClassifier(rule=rule, **options))
        for rule in rules.RULES
    },
    "certified": lambda **options: LinearClassifier(certify=True, **options),
    "penalties": lambda **options: LinearClassifier(rule="ogd", l1=0.01, l2=0.1, **options),
    "perceptron": Perceptron,
    "survival": lambda **options: Perceptron(average="survival", **options),
    "vote": lambda **options: Perceptron(average="vote", **options),
    "auto": Auto,
    "second order": lambda **options: Auto(second_order=True, **options),
    "boosting": lambda **_: boosting.OSBoost(n=3),  # the features are those of its weak learners
    "newton": lambda **options: newton.NewtonClassifier(size=2, **options),
}
every_learner = pytest.mark.parametrize("make", COMPILED.values(), ids=COMPILED)


def examples(count, labels, words=40, seed=0):
    """Rows of four words, and labels that come one after the other."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, words, (count, 4))
    columns[:, 0] = np.arange(count) * 7 % words
    rows = [{int(c): 1.0 + (c % 3) for c in set(each)} for each in columns.tolist()]
    y = np.minimum(rng.integers(0, labels, count), np.arange(count) // 2)
    return rows, y.tolist()


def learned(model, rows, y):
    for x, label in zip(rows, y, strict=True):
        model.learn_one(x, label)
    return model


@every_learner
@pytest.mark.parametrize("features", ["exact", "hashed"])
def test_room_for_labels_changes_nothing(make, features, tmp_path):
    """Whether lanes are laid out one by one, again after a file, or all at once for a batch."""
    rows, y = examples(150, 23)
    X = csr_array(
        (
            [v for x in rows for v in x.values()],
            [c for x in rows for c in x],
            np.cumsum([0, *map(len, rows)]),
        ),
        shape=(150, 40),
    )
    X.sort_indices()
    rows = [dict(zip(X[[t]].indices.tolist(), X[[t]].data.tolist())) for t in range(150)]
    options = {"features": features, "bits": 8}
    one, many = learned(make(**options), rows, y), make(**options)
    many.learn_many(X, y)
    parts = make(**options)
    for start in range(0, 150, 50):
        learned(parts, rows[start : start + 50], y[start : start + 50])
        parts.save(tmp_path / "parts")
        parts = type(parts).load(tmp_path / "parts")
    one.save(tmp_path / "one")
    many.save(tmp_path / "many")
    parts.save(tmp_path / "parts")
    for name in ("many", "parts"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "one").read_bytes()
    assert one.predict(X).tolist() == [one.predict_one(x) for x in rows]
    assert many.weights_ == one.weights_


@every_learner
def test_hashed_rows_of_many_labels_are_exact_rows(make):
    """They are laid out as they are touched, wherever that is; EG counts all of them."""
    rows, y = examples(150, 23)
    exact, hashed = make(features="exact"), make(features="hashed", bits=16)
    if getattr(exact, "rule", "") == "eg":
        return
    for x, label in zip(rows, y, strict=True):
        assert hashed.decision_one(x) == pytest.approx(exact.decision_one(x), rel=1e-9, abs=1e-9)
        exact.learn_one(x, label)
        hashed.learn_one(x, label)
    # a sketch adds up rows in their order, and is made orthonormal at intervals that grow with them
    same = make not in (COMPILED["newton"], COMPILED["second order"])
    assert not same or hashed.weights_ == exact.weights_
    assert not same or hashed.intercept_ == exact.intercept_
    unseen = {1234: 5.0}
    assert not same or hashed.decision_one(unseen) == exact.decision_one(unseen)


def test_weightless_examples_are_given_no_rows():
    model = LinearClassifier(features="hashed")
    learned(model, [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}], [0, 1, 2])
    before = model.__sizeof__()
    for k in range(100):
        model.learn_one({f"other {k}": 1.0}, k % 3, 0.0)
        model.predict_one({f"another {k}": 1.0})
    assert model.__sizeof__() == before


@pytest.mark.parametrize("make", [LinearClassifier, Auto])
def test_memory_goes_with_the_rows_in_use(make):
    """Not with 2^bits: a table of all rows would be a hundred times as large."""
    model = make(features="hashed", bits=18)
    rows, y = examples(1000, 100, words=200)
    learned(model, rows, y)
    lanes = 100 if make is LinearClassifier else 1600
    assert model.__sizeof__() < 4 * 201 * lanes * 3 * 4
    assert len(model.classes_) == 100


def test_many_labels_at_once_and_one_by_one_are_fast():
    """Five thousand labels in as many rows: seconds, not minutes, and not quadratic in Python."""
    labels = 5_000
    X = csr_array((np.ones(labels), (np.arange(labels), np.arange(labels) % 3)), shape=(labels, 3))
    start = time.process_time()
    model = LinearClassifier(rule="ogd")
    model.learn_many(X, np.arange(labels))
    assert len(model.classes_) == labels
    model = LinearClassifier(rule="ogd")
    for k in range(labels):
        model.learn_one({0: 1.0}, k)
    assert time.process_time() - start < 6
    assert len(model.classes_) == labels


def test_a_label_costs_what_the_rows_in_use_cost():
    """A hashed table of 2^20 rows, of which a few are in use, is not laid out for each label."""
    model = LinearClassifier(features="hashed", bits=20)
    learned(model, [{"a": 1.0}] * 3, [0, 1, 2])
    start = time.process_time()
    for label in range(3, 300):
        model.learn_one({"a": 1.0}, label)
    assert time.process_time() - start < 1.0


SMALL = """
    import resource
    from regretless.linear import Auto, LinearClassifier
    limit = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 150_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""


def in_little_memory(code):
    """What a process of 150 MB more than it has says."""
    program = textwrap.dedent(SMALL) + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")


@needs_linux
@pytest.mark.parametrize(
    "make",
    [
        *("LinearClassifier()", "Auto()", "LinearClassifier(features='hashed')"),
        *("Auto(second_order=True)", "Auto(second_order=True, features='hashed', bits=15)"),
    ],
)
def test_no_room_for_labels(make):
    """It is said before anything changes, and learning goes on."""
    told = in_little_memory(f"""
        import numpy as np
        model = {make}
        X = np.eye(600)
        for start in range(0, 600, 100):
            model.learn_many(X[start:start + 100, :], [0, 1, 2, 3] * 25)
        before = model.weights_, model.loss_, model.examples_
        try:
            model.partial_fit(X[:2], [0, 1], classes=range(100_000))
        except MemoryError as error:
            print(error)
        assert model.classes_.tolist() == [0, 1, 2, 3]
        assert (model.weights_, model.loss_, model.examples_) == before
        model.learn_one({{0: 1.0}}, 7)
        assert model.classes_.tolist() == [0, 1, 2, 3, 7]
    """)
    assert "needs" in told
    assert "use fewer labels, or features='hashed' with fewer bits" in told


@needs_linux
@pytest.mark.parametrize("make", ["LinearClassifier()", "Auto()", "Auto(second_order=True)"])
def test_no_room_for_features(make):
    """A row that does not fit is as if it had not come, its names included."""
    told = in_little_memory(f"""
        import numpy as np
        model = {make}
        model.partial_fit(np.eye(3), [0, 1, 2], classes=range(3000 if 'Linear' in '{make}' else 300))
        try:
            for k in range(100_000):
                model.learn_one({{k: 1.0}}, k % 3)
        except MemoryError as error:
            print(error)
        assert model.examples_ == k + (3 if k >= 3 else 0)
        assert k not in model._model.names().values()
        model.learn_one({{0: 1.0}}, 1)
    """)
    assert "features x" in told


def test_every_learner_reserves():
    """Announced labels are those that come one by one, if nothing was learned in between."""
    for entry in (e for e in ROSTER if isinstance(e.kind, Rows) and e.kind.labels):
        if not entry.kind.batches:
            continue
        together, apart = entry.make(0), entry.make(0)
        names = [f"label {k}" for k in range(9)]
        together.partial_fit(np.zeros((0, 4)), [], classes=names)
        for name in names:
            apart.partial_fit(np.zeros((0, 4)), [], classes=[name])
        for x, _ in entry.kind.stream(9):
            together.learn_one(x, "label 3")
            apart.learn_one(x, "label 3")
        x = entry.kind.stream(1)[0][0]
        assert together.decision_one(x) == apart.decision_one(x), entry.name
